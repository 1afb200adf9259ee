#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/program/static_instruction.hpp>
#include <warpkit/warp/concepts.hpp>

namespace warpkit {

/// The tensor cores of a sub-core belong to one warp at a time: from its first product of a warpgroup (wgmma) until it
/// has waited for a group of them, no other warp of the scheduler begins one. So of two warpgroups that multiply and
/// then do something else, one multiplies while the other does that, where both would else multiply, and then wait,
/// together. Whoever waits for long, for memory or at a barrier, or ends gives its turn away. A kernel without code (as
/// in tests) has no products.
/// Source: the ping-pong schedule of FlashAttention-3 (Shah et al., NeurIPS 2024, section 3.1) and of CUTLASS's kernels
/// of that name, from memory: there named barriers of the kernel make the warpgroups take turns
/// (docs/model/warp_scheduling.md#products).
/// Differs: nobody waits for a turn that another one does not use, where barriers alternate whatever happens. Products
/// of a warp alone (mma.sync) are not told apart.
/// Hardware cost: a bit a warp, and per scheduler whose turn it is.
class products_in_turn {
public:
    static constexpr char const* name() noexcept { return "products_in_turn"; }

    constexpr warp_set eligible(warp_set candidates) const noexcept {
        if (!holder_) return candidates;
        auto others = at_product_;
        others.erase(holder_);
        return candidates - others;
    }
    /// The warp whose turn it is, or none.
    constexpr warp_slot holder() const noexcept { return holder_; }

    constexpr void on(kernel_began const& e) {
        *this = {};
        code_ = e.code;
        instruction_bytes_ = e.instruction_bytes;
    }
    constexpr void on(kernel_ended const&) noexcept { code_ = nullptr; }
    constexpr void on(cta_launched const& e) noexcept { at_product_ -= e.warps; }
    constexpr void on(next_decoded const& e) noexcept {
        if (code_ != nullptr) at_product_.assign(e.warp, role_at(e.pc) == async_role::product);
    }
    constexpr void on(issued const& e) noexcept {
        if (code_ == nullptr) return;
        at_product_.erase(e.warp);
        auto const role = role_at(e.pc);
        if (role == async_role::product) holder_ = e.warp;
        if (role == async_role::product_wait) give_up(e.warp);
    }
    constexpr void on(blocked const& e) noexcept {
        if (e.reason != block_reason::dependency) give_up(e.warp);
    }
    constexpr void on(barrier_arrived const& e) noexcept {
        if (e.waits) give_up(e.warp);
    }
    constexpr void on(warp_exited const& e) noexcept {
        at_product_.erase(e.warp);
        give_up(e.warp);
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}
            .add("warps at a product", shape.warp_slots)
            .add("whose turn it is", shape.schedulers * bits_for(shape.warps_per_scheduler() + 1));
    }
    WARPKIT_STORED_MEMBERS(4)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(at_product_, holder_, instruction_bytes_);
    }
    friend bool operator==(products_in_turn const&, products_in_turn const&) = default;

private:
    constexpr async_role role_at(std::uint32_t pc) const noexcept { return code_[pc / instruction_bytes_].async; }
    constexpr void give_up(warp_slot w) noexcept {
        if (w == holder_) holder_ = no_warp;
    }

    warp_set at_product_; ///< whose next instruction is a product
    warp_slot holder_;
    static_instruction const* code_ = nullptr; ///< alive until kernel_ended
    std::uint32_t instruction_bytes_ = 8;
};
static_assert(eligibility<products_in_turn> && narrows_plainly<products_in_turn>);

} // namespace warpkit
