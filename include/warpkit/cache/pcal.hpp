#pragma once
/// \file
/// Priority-based cache allocation.

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/way_set.hpp>

#include <cstdint>

namespace warpkit {

/// Least recently used, among the lines of warps that hold a token: the oldest Tokens live warps of the core. What any
/// other warp asks for is given to it and not kept, so that it uses what is here, but drives nothing out. (A warp that
/// runs beside those whose data fit adds parallelism and no contention.) Tokens is fixed by the template argument or
/// set by name, unless an occupancy limit looks for the number while the kernel runs (pcal_search).
///
/// Source: the tokens and the non-polluting allocation of Li, Rhu, Johnson, O'Connor, Erez, Burger, Fussell and Redder,
/// Priority-Based Cache Allocation in Throughput Processors, HPCA 2015, which was not at hand
/// (docs/model/cache.md#pcal). The throttle beside it, which warps run at all, is a warp scheduler:
/// static_wavefront_limit. It goes with allocation on a fill alone: what is not kept must not have displaced anything
/// before.
/// Hardware cost: a bit for each warp, and LRU's.
template <std::uint64_t Tokens = run_time>
class pcal_of {
    static_assert(Tokens == run_time || (Tokens >= 1 && Tokens <= warp_set::width),
                  "warpkit: pcal_of<Tokens> needs 1 to 64 tokens");

public:
    static constexpr char const* name() noexcept { return "pcal"; }
    pcal_of() = default;
    pcal_of(std::uint32_t sets, std::uint32_t ways) : lines_(sets, ways) {}

    void used(std::uint32_t set, std::uint32_t way, line_use const&) noexcept { lines_.used(set, way); }
    void inserted(std::uint32_t set, std::uint32_t way, line_use const&) noexcept {
        lines_.inserted(set, way);
    }
    std::uint32_t victim(std::uint32_t set, way_set eligible) const noexcept {
        return lines_.victim(set, eligible);
    }
    /// Whether what this access asked for is not kept. A prefetch is nobody's, and is.
    bool declines(line_use const& by) const noexcept { return by.warp && !holders_.contains(by.warp); }
    /// These slots have new warps, younger than all others.
    void launched(warp_set warps) noexcept {
        warps.for_each([&](warp_slot w) {
            unsigned at = 0;
            while (at != count_ && order_[at] != w.index()) ++at;
            if (at == count_) ++count_;
            for (; at + 1 < count_; ++at) order_[at] = order_[at + 1];
            order_[count_ - 1] = static_cast<slot_number>(w.index());
        });
        grant();
    }
    /// These warps have ended: their tokens go to the next in age.
    void exited(warp_set warps) noexcept {
        unsigned kept = 0;
        for (unsigned i = 0; i < count_; ++i)
            if (!warps.contains(warp_slot{order_[i]})) order_[kept++] = order_[i];
        for (auto i = kept; i < count_; ++i) order_[i] = 0;
        count_ = kept;
        grant();
    }
    /// So many tokens there are now; 0: Tokens.
    void granted(unsigned warps) noexcept {
        granted_ = static_cast<slot_number>(warps < warp_set::width ? warps : warp_set::width);
        grant();
    }
    /// The cache is emptied, as it is before a kernel: no warp is there.
    void emptied() noexcept {
        for (auto& o : order_) o = 0;
        count_ = 0;
        granted_ = 0;
        grant();
    }
    /// Warps that hold a token.
    warp_set holders() const noexcept { return holders_; }

    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"tokens", "warps of the core whose lines are kept, the oldest ones", 1, warp_set::width},
          self.tokens_);
    }
    void parameters_set() { grant(); }
    static constexpr hardware_cost_list hardware_cost(core_shape const& s) noexcept {
        return hardware_cost_list().add("tokens", s.warp_slots);
    }
    template <class F>
    void each_member(F&& f) const {
        f(lines_, holders_, count_, granted_, order_, tokens_.get());
    }
    friend bool operator==(pcal_of const&, pcal_of const&) = default;

private:
    void grant() noexcept {
        holders_ = {};
        auto const tokens = granted_ != 0 ? unsigned{granted_} : unsigned{tokens_.get()};
        for (unsigned i = 0; i < count_ && i < tokens; ++i) holders_.insert(warp_slot{order_[i]});
    }

    lru lines_;
    warp_set holders_;
    unsigned count_ = 0;
    slot_number granted_ = 0;
    slot_number order_[warp_set::width]{}; ///< slots, the oldest warp's first
    [[no_unique_address]] number<unsigned, Tokens> tokens_{
        Tokens == run_time ? 8 : static_cast<unsigned>(Tokens)};
};
using pcal = pcal_of<8>;

} // namespace warpkit
