#pragma once
/// \file
/// Orders: which of a bank's requests may go on. A request to the open row (hit) wants a column command, one to another
/// row (miss) wants the row closed first.
///
/// Contract: `may_hit(view)` and `may_close(view)` tell whether the oldest hit may be served and whether the row may be
/// closed for the oldest miss (which exists when asked; hits may or may not). `columns_first`: over all banks, a ready
/// column command goes before any row command, else the oldest ready request goes first. `strict`: only the oldest
/// request of all may send a command. They depend on the view alone.

#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>

#include <cstdint>

namespace warpkit::dram {

/// A bank's open row and the requests that wait for it and for other rows.
struct bank_view {
    bool has_hit = false;
    std::uint64_t hit_order = 0;   ///< of arrival; lower is older
    std::uint64_t hit_arrived = 0; ///< as hit_order, but equal for requests that arrived in the same cycle
    bool has_miss = false;
    std::uint64_t miss_order = 0;
    std::uint64_t miss_arrived = 0;
    std::uint32_t columns = 0; ///< column commands since the row was opened
    std::uint32_t passed = 0;  ///< of these, the ones that passed an older miss
};

/// What a pool knows of a bank's oldest hit and oldest miss, either of which may be none.
template <class Pool>
bank_view view_of(Pool const& pool, typename Pool::index hit, typename Pool::index miss) noexcept {
    bank_view v;
    if (hit != Pool::none) {
        v.has_hit = true;
        v.hit_order = pool[hit].order;
        v.hit_arrived = pool[hit].arrived;
    }
    if (miss != Pool::none) {
        v.has_miss = true;
        v.miss_order = pool[miss].order;
        v.miss_arrived = pool[miss].arrived;
    }
    return v;
}

/// The oldest request whose next command is ready goes first, whatever it does to others' rows.
/// Source: Ramulator 2.1's FRFCFS (docs/model/peers.md#dram).
struct oldest_ready {
    static constexpr char const* name() noexcept { return "oldest_ready"; }
    static constexpr bool columns_first = false;
    static constexpr bool strict = false;
    static constexpr bool may_hit(bank_view const&) noexcept { return true; }
    static constexpr bool may_close(bank_view const&) noexcept { return true; }
    friend bool operator==(oldest_ready const&, oldest_ready const&) = default;
};

/// As oldest_ready, but a row stays open while it has a hit that arrived no later than the miss.
/// Source: Ramulator 2.1's FRFCFS-RowHit.
struct oldest_ready_row_hit {
    static constexpr char const* name() noexcept { return "oldest_ready_row_hit"; }
    static constexpr bool columns_first = false;
    static constexpr bool strict = false;
    static constexpr bool may_hit(bank_view const&) noexcept { return true; }
    static constexpr bool may_close(bank_view const& v) noexcept {
        return !v.has_hit || v.hit_arrived > v.miss_arrived;
    }
    friend bool operator==(oldest_ready_row_hit const&, oldest_ready_row_hit const&) = default;
};

/// First ready, first come, first served: column commands first, oldest first, and no row with hits is closed.
/// Source: Rixner et al., Memory Access Scheduling, ISCA 2000.
struct first_ready {
    static constexpr char const* name() noexcept { return "first_ready"; }
    static constexpr bool columns_first = true;
    static constexpr bool strict = false;
    static constexpr bool may_hit(bank_view const&) noexcept { return true; }
    static constexpr bool may_close(bank_view const& v) noexcept { return !v.has_hit; }
    friend bool operator==(first_ready const&, first_ready const&) = default;
};

/// As first_ready, but only `Cap` hits in a row may pass an older miss of the bank; Cap is fixed by the template
/// argument or set by name.
/// Source: Mutlu and Moscibroda, Stall-Time Fair Memory Access Scheduling, MICRO 2007 (FR-FCFS+Cap).
template <std::uint64_t Cap = run_time>
struct first_ready_cap {
    [[no_unique_address]] number<std::uint32_t, Cap> cap{Cap == run_time ? 4
                                                                         : static_cast<std::uint32_t>(Cap)};
    static constexpr char const* name() noexcept { return "first_ready_cap"; }
    static constexpr bool columns_first = true;
    static constexpr bool strict = false;
    constexpr bool may_hit(bank_view const& v) const noexcept {
        return v.passed < cap.get() || !v.has_miss || v.hit_order < v.miss_order;
    }
    constexpr bool may_close(bank_view const& v) const noexcept { return !v.has_hit || !may_hit(v); }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"cap", "hits in a row that may pass an older miss of the bank"}, self.cap);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(cap.get());
    }
    friend bool operator==(first_ready_cap const&, first_ready_cap const&) = default;
};

/// The row is closed only for the bank's oldest request, and not while it has hits unless it has served `Cap` columns;
/// Cap is fixed by the template argument or set by name.
/// Source: DRAMsim3's command queue (docs/model/peers.md#dramsim3-controller), with 4.
template <std::uint64_t Cap = run_time>
struct head_closes {
    [[no_unique_address]] number<std::uint32_t, Cap> cap{Cap == run_time ? 4
                                                                         : static_cast<std::uint32_t>(Cap)};
    static constexpr char const* name() noexcept { return "head_closes"; }
    static constexpr bool columns_first = false;
    static constexpr bool strict = false;
    static constexpr bool may_hit(bank_view const&) noexcept { return true; }
    constexpr bool may_close(bank_view const& v) const noexcept {
        return !v.has_hit || (v.miss_order < v.hit_order && v.columns >= cap.get());
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"cap", "columns that a row with hits serves before it is closed for an older miss"},
          self.cap);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(cap.get());
    }
    friend bool operator==(head_closes const&, head_closes const&) = default;
};

/// First come, first served: nobody but the oldest request sends commands.
struct in_order {
    static constexpr char const* name() noexcept { return "in_order"; }
    static constexpr bool columns_first = false;
    static constexpr bool strict = true;
    static constexpr bool may_hit(bank_view const&) noexcept { return true; }
    static constexpr bool may_close(bank_view const&) noexcept { return true; }
    friend bool operator==(in_order const&, in_order const&) = default;
};

} // namespace warpkit::dram
