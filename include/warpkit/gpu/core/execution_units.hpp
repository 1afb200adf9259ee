#pragma once
/// \file
/// The execution units of a core, but for the load/store unit: when they can take an instruction.
///
/// In the reference: `core::unit_is_free` and what `core::execute` takes (reference/core.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/gpu/core/warp_table.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/program/static_instruction.hpp>

#include <array>
#include <utility>

namespace warpkit {

/// The execution units of one kind: from when on each is free, the soonest first. The first two are at hand.
class unit_pool {
public:
    unit_pool() = default;
    explicit unit_pool(unsigned units)
        : first_(units > 0 ? 0 : never),
          second_(units > 1 ? 0 : never),
          others_(units > 2 ? units - 2 : 0) {}

    /// When the first of them is free; `never` if there is none.
    cycle free_from() const noexcept { return first_; }
    /// The first one is busy until `until`.
    void take(cycle until) noexcept { // without a guess where it goes
        first_ = until < second_ ? until : second_;
        second_ = until < second_ ? second_ : until;
        if (!others_.empty()) order_others();
    }
    friend bool operator==(unit_pool const&, unit_pool const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(first_, second_, others_);
    }

private:
    [[gnu::noinline]] void order_others() noexcept {
        auto* before = &second_;
        for (auto& next : others_) {
            if (*before <= next) return;
            std::swap(*before, next);
            before = &next;
        }
    }

    cycle first_ = never;
    cycle second_ = never; ///< `never` in the place of no unit
    heap_array<cycle> others_;
};

/// A pool for each kind: those of a core, or of one of its sub-cores.
class execution_units {
    static constexpr unit_kind kinds_[] = {unit_kind::sp, unit_kind::sfu, unit_kind::dp};
    /// Kinds that few machines have.
    static constexpr unit_kind others_[] = {unit_kind::integer, unit_kind::tensor, unit_kind::branch,
                                            unit_kind::uniform};

public:
    execution_units() = default;
    [[gnu::cold]] explicit execution_units(core_numbers const& n) {
        auto const add = [&](unit_kind k) {
            auto const units = units_of(n, k) / n.sub_cores;
            pool_[static_cast<unsigned>(k)] = unit_pool(units);
            return units != 0;
        };
        for (auto const k : kinds_) add(k);
        for (auto const k : others_) has_others_ = add(k) || has_others_;
    }

    /// One of kind `k`, the first that is free, is busy until `until`.
    [[gnu::always_inline]] void take(unit_kind k, cycle until) noexcept {
        auto& units = pool_[static_cast<unsigned>(k)];
        units.take(until);
        if (units.free_from() > all_free_from_) all_free_from_ = units.free_from();
    }
    /// `ready` without those that want one of these units while none is free at `now`. Common: there are no others than
    /// most machines have.
    template <bool Common = false>
    warp_set startable(cycle now, warp_set ready, warp_table const& t) const noexcept {
        if (all_free_from_ > now)
            for (auto const k : kinds_)
                if (free_from(k) > now) ready -= t.wanting(k);
        if (!Common && has_others_)
            for (auto const k : others_)
                if (free_from(k) > now) ready -= t.wanting(k);
        return ready;
    }
    /// Whether there are units of the kinds that few machines have.
    bool has_others() const noexcept { return has_others_; }
    bool is_free(unit_kind k, cycle now) const noexcept { return free_from(k) <= now; }
    /// When a unit that one of `ready` wants becomes free.
    template <bool Common = false>
    cycle next_free(warp_set const& ready, warp_table const& t) const noexcept {
        auto next = never;
        for (auto const k : kinds_)
            if ((ready & t.wanting(k)) && free_from(k) < next) next = free_from(k);
        if (!Common && has_others_)
            for (auto const k : others_)
                if ((ready & t.wanting(k)) && free_from(k) < next) next = free_from(k);
        return next;
    }

    friend bool operator==(execution_units const&, execution_units const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(pool_);
    }

private:
    cycle free_from(unit_kind k) const noexcept { return pool_[static_cast<unsigned>(k)].free_from(); }

    std::array<unit_pool, unit_kind_count> pool_;
    bool has_others_ = false;
    cycle all_free_from_ = 0; ///< from then on each kind that there is has one that is free
};

} // namespace warpkit
