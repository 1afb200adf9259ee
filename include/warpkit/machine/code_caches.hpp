#pragma once
/// \file
/// The instruction caches around a core's L1I, in both engines (docs/model/front_end.md#levels): an L0 in front of it
/// for each sub-core, and an L1.5 behind it; either, both, or none.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policy_parameters.hpp>

#include <cstdint>

namespace warpkit {

/// Each level takes one request in a cycle from those in front of it, the L1I from its L0s in turn, and gives a line
/// back some cycles after it has it. All have lines of the same size, without sectors. The L1I itself is the front
/// end's, which hands it over where it is needed. Calendar keeps what is due in later cycles, as that of
/// dependence_counters.
template <class Cache, template <class> class Calendar>
class code_caches {
    /// A line on its way to an L0, or to the L1I.
    struct line_back {
        std::uint64_t address = 0;
        std::uint32_t to = 0; ///< which L0; behind them all: the L1I
        friend bool operator==(line_back const&, line_back const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(address, to);
        }
    };

public:
    code_caches() = default;
    [[gnu::cold]] explicit code_caches(gpu_parameters const& p)
        : line_(p.l1i.line),
          perfect_l1_(p.l1i.size == 0),
          l1_cycles_(p.core.l1i_cycles),
          l15_cycles_(p.core.l15i_cycles) {
        if (p.l0i.size != 0)
            l0_ =
                heap_array<Cache>(p.core.sub_cores, make_cache<Cache>("l1i", p.l0i, {}, p.policy_parameters));
        if (p.l15i.size != 0)
            l15_ = heap_array<Cache>(1, make_cache<Cache>("l1i", p.l15i, {}, p.policy_parameters));
        if (in_use()) back_ = Calendar<line_back>(true);
    }

    bool has_l0() const noexcept { return !l0_.empty(); }
    bool has_l15() const noexcept { return !l15_.empty(); }
    bool in_use() const noexcept { return has_l0() || has_l15(); }
    unsigned sub_core_of(warp_slot w) const noexcept { return static_cast<unsigned>(w.index() % l0_.size()); }
    /// The L0 that this warp's instructions come from.
    Cache& l0_of(warp_slot w) noexcept { return l0_[sub_core_of(w)]; }
    /// Calls `f(name, cache)` for each.
    template <class F>
    void each_cache(F&& f) const {
        for (auto const& c : l0_) f("L0I", c);
        for (auto const& c : l15_) f("L1.5I", c);
    }

    void add_to(run_counters& t) const noexcept {
        for (auto const& c : l0_) t.l0i += c.counters();
        for (auto const& c : l15_) t.l15i += c.counters();
    }
    /// What the last level asks of memory, the oldest first.
    template <class L1>
    bool has_request(L1 const& l1) const noexcept {
        return has_l15() ? l15_[0].has_request() : l1.has_request();
    }
    template <class L1>
    decltype(auto) request(L1 const& l1) const noexcept {
        return has_l15() ? l15_[0].front_request() : l1.front_request();
    }
    template <class L1>
    void pop_request(L1& l1) noexcept {
        has_l15() ? l15_[0].pop_request() : l1.pop_request();
    }
    /// A line has come from memory, or a part of one; the L1I has `ready(warp)` if it has no L0s. The cycle in which
    /// something follows from it, or `never`.
    template <class L1, class Ready>
    cycle fill(cycle now, std::uint64_t address, std::uint32_t bytes, L1& l1, Ready&& ready) {
        auto follows = never;
        auto const line = address - address % line_;
        if (has_l15())
            l15_[0].fill(address, bytes, [&](std::uint32_t) {
                follows = now + l15_cycles_;
                back_.insert(now, follows, {line, l1_number()});
            });
        else if (fill_l1(now, address, bytes, l1, ready))
            follows = now + l1_cycles_;
        return follows;
    }
    /// A cycle: lines that are due arrive, `ready(warp)` of each that has waited for one; then requests move on.
    /// Whether what the L1I holds has changed.
    template <class L1, class Ready>
    bool step(cycle now, L1& l1, Ready&& ready) {
        bool changed = false;
        back_.expire(now, [&](line_back const& b) {
            changed = true;
            if (b.to == l1_number())
                fill_l1(now, b.address, line_, l1, ready);
            else
                l0_[b.to].fill(b.address, line_, ready);
        });
        if (has_l15() && l1.has_request()) {
            auto const outcome = ask(l15_[0], l1.front_request(), 0);
            if (outcome == cache_outcome::hit)
                back_.insert(now, now + l15_cycles_, {l1.front_request().address, l1_number()});
            if (outcome != cache_outcome::reservation_fail) l1.pop_request();
        }
        for (unsigned k = 0; k < l0_.size(); ++k) {
            auto const s = static_cast<std::uint32_t>((turn_ + k) % l0_.size());
            if (!l0_[s].has_request()) continue;
            auto const outcome = perfect_l1_ ? cache_outcome::hit : ask(l1, l0_[s].front_request(), s);
            if (outcome == cache_outcome::hit)
                back_.insert(now, now + l1_cycles_, {l0_[s].front_request().address, s});
            if (outcome != cache_outcome::reservation_fail) l0_[s].pop_request();
            turn_ = s + 1;
            changed = true;
            break;
        }
        return changed;
    }
    /// The cycle after `now` in which step() may do something.
    template <class L1>
    cycle next(cycle now, L1 const& l1) const noexcept {
        return waits(l1) ? now + 1 : in_use() ? back_.next(now) : never;
    }
    /// No line is under way, and nobody asks for one.
    template <class L1>
    bool idle(L1 const& l1) const noexcept {
        auto under_way = l1.outstanding();
        for (auto const& c : l15_) under_way += c.outstanding();
        for (auto const& c : l0_) under_way += c.outstanding();
        return under_way == 0;
    }

    friend bool operator==(code_caches const&, code_caches const&) = default;
    WARPKIT_STORED_MEMBERS(8)
    template <class F>
    constexpr void each_member(F&& f) const {
        if (in_use()) f(l0_, l15_, turn_, back_);
    }

private:
    std::uint32_t l1_number() const noexcept { return static_cast<std::uint32_t>(l0_.size()); }
    template <class Level, class Request>
    static cache_outcome ask(Level& level, Request const& r, std::uint32_t from) {
        cache_access a;
        a.address = r.address;
        a.bytes = r.bytes;
        a.owner = r.owner;
        a.token = from;
        return level.access(a).outcome;
    }
    /// Whether a line sets out for an L0.
    template <class L1, class Ready>
    bool fill_l1(cycle now, std::uint64_t address, std::uint32_t bytes, L1& l1, Ready&& ready) {
        bool any = false;
        l1.fill(address, bytes, [&](std::uint32_t token) {
            any = has_l0();
            if (any)
                back_.insert(now, now + l1_cycles_, {address - address % line_, token});
            else
                ready(token);
        });
        return any;
    }
    template <class L1>
    bool waits(L1 const& l1) const noexcept {
        if (has_l15() && l1.has_request()) return true;
        for (auto const& c : l0_)
            if (c.has_request()) return true;
        return false;
    }

    heap_array<Cache> l0_;  ///< by sub-core; none: warps ask the L1I
    heap_array<Cache> l15_; ///< one, or none
    Calendar<line_back> back_{false};
    std::uint32_t line_ = 128;
    std::uint32_t turn_ = 0; ///< the L0 behind the one that the L1I has been asked by last
    bool perfect_l1_ = false;
    std::uint32_t l1_cycles_ = 1; ///< from the L1I to an L0
    std::uint32_t l15_cycles_ = 1;
};

} // namespace warpkit
