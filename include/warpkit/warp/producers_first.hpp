#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/program/static_instruction.hpp>
#include <warpkit/warp/check.hpp>

#include <concepts>

namespace warpkit {

namespace detail {
struct producers_first_text {
    static constexpr char const* name() noexcept { return "producers_first"; }
};
/// Whether an instruction brings data from global to shared memory while its warp goes on.
constexpr bool brings_data(static_instruction const& i) noexcept {
    return i.async == async_role::copy || i.async == async_role::bulk_copy;
}
/// Whether it makes something of data: a product, or an operation on floating-point numbers.
constexpr bool uses_data(static_instruction const& i) noexcept {
    return i.async == async_role::product || i.kind == op_class::tensor || i.kind == op_class::special ||
           (i.kind >= op_class::fp_add && i.kind <= op_class::dp_div);
}
} // namespace detail

/// Order, among the candidates that produce for others; if there are none, among all. A warp produces since it issued
/// an asynchronous copy from global to shared memory (cp.async, cp.async.bulk), unless it has issued a product or an
/// operation on floating-point numbers: then it consumes, until it ends. So the warps of a warp-specialised kernel that
/// only have data brought never wait for an issue slot behind those that compute, and a kernel whose warps do both is
/// scheduled by Order. A kernel without code (as in tests) has no producers.
/// Source: in the manner of the stage-aware scheduling of WASP (Crago, Damani, Sankaralingam and Keckler, "WASP:
/// Exploiting GPU Pipeline Parallelism with Hardware-Accelerated Automatic Warp Specialization", HPCA 2024): warps of
/// earlier stages of the pipeline first; from memory (docs/model/warp_scheduling.md#producers).
/// Differs: stages are two and are told from what warps issue, where WASP's compiler names them; its queues in the
/// register file, its mapping of stages to sub-cores and its offloaded copies are no part of a scheduler.
/// Hardware cost: two bits a warp, and Order's.
template <class Order>
class producers_first {
    static_assert(check_warp_scheduler<Order>());
    static_assert(!narrows<Order>, "warpkit: throttle outside, not inside: write "
                                   "throttled<Eligibility, producers_first<Order>>");

public:
    static constexpr bool forwards_events = true;
    static constexpr char const* name() noexcept {
        return composed_name<detail::producers_first_text, Order>::name();
    }

    constexpr warp_slot pick(warp_set candidates) const noexcept requires picks_plainly<Order> {
        return order_.pick(in_front(candidates));
    }
    constexpr warp_slot pick(warp_set candidates,
                             issue_classes const& classes) const noexcept requires asks_classes<Order> {
        return order_.pick(in_front(candidates), classes);
    }
    /// Warps that have had data brought and made nothing of it.
    constexpr warp_set producers() const noexcept { return producers_; }

    template <class E>
    requires(std::same_as<E, kernel_began> || std::same_as<E, kernel_ended> ||
             std::same_as<E, cta_launched> || std::same_as<E, issued> ||
             hears<Order, E>) constexpr void on(E const& e) noexcept(tells_without_error<E>) {
        if constexpr (std::same_as<E, kernel_began>) {
            producers_ = {};
            consumers_ = {};
            code_ = e.code;
            instruction_bytes_ = e.instruction_bytes;
        } else if constexpr (std::same_as<E, kernel_ended>) {
            code_ = nullptr;
        } else if constexpr (std::same_as<E, cta_launched>) {
            producers_ -= e.warps;
            consumers_ -= e.warps;
        } else if constexpr (std::same_as<E, issued>) {
            if (code_ != nullptr) note(e.warp, code_[e.pc / instruction_bytes_]);
        }
        notify(e, order_);
    }
    constexpr Order const& order() const noexcept { return order_; }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}
            .add("producers and consumers", std::uint64_t{shape.warp_slots} * 2)
            .add(hardware_cost_of<Order>(shape));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.order_);
    }
    constexpr void parameters_set() { tell_parameters_set(order_); }
    WARPKIT_STORED_MEMBERS(5)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(order_, producers_, consumers_, instruction_bytes_);
    }
    friend bool operator==(producers_first const&, producers_first const&) = default;

private:
    constexpr warp_set in_front(warp_set candidates) const noexcept {
        auto const first = candidates & producers_;
        return first ? first : candidates;
    }
    constexpr void note(warp_slot w, static_instruction const& i) noexcept {
        if (detail::uses_data(i)) {
            consumers_.insert(w);
            producers_.erase(w);
        } else if (detail::brings_data(i) && !consumers_.contains(w)) {
            producers_.insert(w);
        }
    }

    [[no_unique_address]] Order order_;
    warp_set producers_;
    warp_set consumers_;
    static_instruction const* code_ = nullptr; ///< alive until kernel_ended
    std::uint32_t instruction_bytes_ = 8;
};

} // namespace warpkit
