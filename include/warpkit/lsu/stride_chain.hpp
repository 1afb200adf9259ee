#pragma once
/// \file
/// Chains of strides from one load instruction to the next.

#include <warpkit/base/events.hpp>
#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/lsu/data_prefetch.hpp>
#include <warpkit/lsu/stride_table.hpp>

#include <cstdint>

namespace warpkit {

/// What stride_chain_of goes by.
struct stride_chain_numbers {
    std::uint32_t links = 32; ///< load instructions whose successor is known, at least 1
    std::uint32_t heads = 48; ///< warps whose last load is known, at least 1
    std::uint32_t agree =
        3; ///< times in a row that a link must be the same before it is followed, at least 1
    std::uint32_t length = 4; ///< links that are followed from a load, at least 1
    std::uint32_t queue = 16; ///< blocks that may wait for the L1
    friend bool operator==(stride_chain_numbers const&, stride_chain_numbers const&) = default;
};

/// Where a warp's next load lies is often a matter of where its last one was: the fields of a record, the rows of a
/// stencil, the next turn of a loop. A link leads from a load instruction to the one that warps execute next, and has
/// the bytes between the two addresses. A link that was the same `agree` times in a row, in whatever warps, is trusted;
/// from each load the chain of trusted links is followed, `length` of them at most, and what each leads to is
/// prefetched. In a loop the chain comes back to where it began, and runs ahead of the warp by turns. Numbers are fixed
/// by the template argument or set by name.
///
/// Source: Mostofi, Falahati, Mahani, Lotfi-Kamran and Sarbazi-Azad, "Snake: A Variable-length Chain-based Prefetching
/// for GPUs", MICRO 2023, as its abstract has it: chains of variable strides. Sizes of the tables, and how often a link
/// must be seen, are ours.
/// Differs from the source: no throttle by free space and bandwidth, and no part of the L1 set apart for what is read
/// ahead (cache/prefetch_cache.hpp is such a part). It is trained when the load/store unit takes the load over, by the
/// first block that it touches, and prefetches all blocks of the load as far off
/// (docs/model/load_store.md#stride-chain).
template <auto Numbers = run_time>
class stride_chain_of {
    using held_numbers = numbers<stride_chain_numbers, Numbers>;

public:
    static constexpr char const* name() noexcept { return "stride_chain"; }

    stride_chain_of() { parameters_set(); }

    std::uint32_t queue() const noexcept { return n_->queue; }
    template <class Ask>
    void seen(load_seen const& l, prefetch_record const&, Ask const& ask) {
        train(l);
        std::int64_t offset = 0;
        auto pc = l.pc;
        for (std::uint32_t i = 0; i < n_->length; ++i) {
            auto const* const next = links_.find([&](link const& k) { return k.from == pc; });
            if (next == nullptr || next->times < n_->agree) return;
            offset += next->stride;
            if (offset != 0) ask(offset);
            pc = next->to;
        }
    }
    /// The next warp in the slot goes on from nothing.
    void on(warp_exited const& e) noexcept {
        heads_.erase([&](head const& h) { return h.warp == e.warp.index(); });
    }
    void on(kernel_began const&) noexcept {
        heads_.clear();
        links_.clear();
    }

    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"length", "links that are followed from a load", 1, 64}, self.n_.get().length);
        f(parameter{"agree", "times in a row that a link must be the same", 1, 1000}, self.n_.get().agree);
        f(parameter{"links", "load instructions whose successor is known", 1, 4096}, self.n_.get().links);
        f(parameter{"heads", "warps whose last load is known", 1, 4096}, self.n_.get().heads);
        f(parameter{"queue", "blocks that may wait for the L1", 1, 4096}, self.n_.get().queue);
    }
    void parameters_set() {
        heads_ = lru_table<head>(n_->heads);
        links_ = lru_table<link>(n_->links);
    }
    hardware_cost_list hardware_cost(core_shape const& core) const noexcept {
        auto const& n = n_.get();
        return hardware_cost_list()
            .add("last load of each warp", std::uint64_t{n.heads} * (bits_for(core.warp_slots) + 64))
            .add("links", std::uint64_t{n.links} * (64 + 20 + bits_for(n.agree + 1)));
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(n_->links, n_->heads, n_->agree, n_->length, n_->queue, heads_, links_);
    }
    friend bool operator==(stride_chain_of const&, stride_chain_of const&) = default;

private:
    /// The load that a warp executed last.
    struct head {
        std::uint32_t warp = 0; ///< slot
        std::uint32_t pc = 0;
        std::uint64_t address = 0;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(warp, pc, address);
        }
        friend bool operator==(head const&, head const&) = default;
    };
    struct link {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        std::int64_t stride = 0;
        std::uint32_t times = 0; ///< in a row; at most `agree`
        template <class F>
        constexpr void each_member(F&& f) const {
            f(from, to, stride, times);
        }
        friend bool operator==(link const&, link const&) = default;
    };

    /// The link from the warp's last load to this one.
    void train(load_seen const& l) noexcept {
        auto* const last = heads_.find([&](head const& h) { return h.warp == l.warp.index(); });
        if (last == nullptr) {
            heads_.insert({l.warp.index(), l.pc, l.address});
            return;
        }
        auto const from = last->pc;
        auto const stride = static_cast<std::int64_t>(l.address - last->address);
        last->pc = l.pc;
        last->address = l.address;
        auto* const k = links_.find([&](link const& e) { return e.from == from; });
        if (!is_short_stride(stride)) { // does not fit the table
            if (k != nullptr) k->times = 0;
            return;
        }
        if (k == nullptr)
            links_.insert({from, l.pc, stride, 1});
        else if (k->to == l.pc && k->stride == stride)
            k->times += k->times < n_->agree;
        else
            *k = {from, l.pc, stride, 1};
    }

    [[no_unique_address]] held_numbers n_;
    lru_table<head> heads_;
    lru_table<link> links_;
};
using stride_chain = stride_chain_of<stride_chain_numbers{}>;
static_assert(data_prefetch<stride_chain>);

} // namespace warpkit
