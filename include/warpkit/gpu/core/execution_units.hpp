#pragma once
/// \file
/// The execution units of a core, but for the load/store unit: when they can take an instruction.
///
/// In the reference: `core::unit_is_free` and what `core::execute` takes (reference/core.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/stored_members.hpp>
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
    /// One that was taken for good is free.
    void release() noexcept {
        take_back(second_, first_);
        first_ = 0;
    }
    /// The first one is busy until `until`.
    void take(cycle until) noexcept { // without a guess where it goes
        first_ = until < second_ ? until : second_;
        second_ = until < second_ ? second_ : until;
        if (!others_.empty()) order_others();
    }
    friend bool operator==(unit_pool const&, unit_pool const&) = default;
    WARPKIT_STORED_MEMBERS(3)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(first_, second_, others_);
    }

private:
    /// All but the last move on by one, which is one that was taken for good.
    void take_back(cycle& second, cycle first) noexcept {
        auto before = std::exchange(second, first);
        for (auto& next : others_) std::swap(before, next);
    }
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

/// A pool for each kind: those of a core, or of one of its sub-cores. To a core with operand collectors instructions
/// issue into latches in front of these, which are a pool for each kind as well: each is taken for good, and released.
/// On one with read stages, so are the places of queues in front of units of variable latency.
class execution_units {
    static constexpr unit_kind kinds_[] = {unit_kind::sp, unit_kind::sfu, unit_kind::dp};
    /// Kinds that few machines have.
    static constexpr unit_kind others_[] = {unit_kind::integer, unit_kind::tensor, unit_kind::branch,
                                            unit_kind::uniform, unit_kind::load_store};

public:
    execution_units() = default;
    /// What instructions issue to.
    [[gnu::cold]] explicit execution_units(core_numbers const& n) {
        if (n.register_banks == 0) {
            *this = of_core(n);
            return;
        }
        if (has_read_stages(n)) *this = of_core(n);
        for (unsigned k = 0; k < unit_kind_count; ++k)
            if (has_collectors(n) || !has_fixed_latency(static_cast<unit_kind>(k)))
                pool_[k] = unit_pool(n.latches[k] / n.sub_cores);
        has_others_ = true;
    }
    /// The units themselves, what is in front of them or not.
    [[gnu::cold]] static execution_units of_core(core_numbers const& n) {
        execution_units u;
        auto const add = [&](unit_kind k) {
            auto const units = units_of(n, k) / n.sub_cores;
            u.pool_[static_cast<unsigned>(k)] = unit_pool(units);
            return units != 0;
        };
        for (auto const k : kinds_) add(k);
        for (auto const k : others_) u.has_others_ = (k != unit_kind::load_store && add(k)) || u.has_others_;
        u.pool_[static_cast<unsigned>(unit_kind::load_store)] =
            unit_pool(1); // says itself whether it accepts any
        return u;
    }

    /// One of kind `k`, the first that is free, is busy until `until`.
    [[gnu::always_inline]] void take(unit_kind k, cycle until) noexcept {
        auto& units = pool_[static_cast<unsigned>(k)];
        units.take(until);
        if (units.free_from() > all_free_from_) all_free_from_ = units.free_from();
    }
    /// One of kind `k` that was taken for good is free.
    void release(unit_kind k) noexcept { pool_[static_cast<unsigned>(k)].release(); }
    /// On a core with read stages, nothing can issue while Control holds an instruction.
    void control_holds(bool so) noexcept { control_holds_ = so; }
    bool control_holds() const noexcept { return control_holds_; }
    /// `ready` without those that want one of these units while none is free at `now`. Common: there are no others than
    /// most machines have.
    template <bool Common = false>
    warp_set startable(cycle now, warp_set ready, warp_table const& t) const noexcept {
        if (all_free_from_ > now)
            for (auto const k : kinds_)
                if (free_from(k) > now) ready -= t.wanting(k);
        if (!Common && has_others_) {
            if (control_holds_) return {};
            for (auto const k : others_)
                if (free_from(k) > now) ready -= t.wanting(k);
        }
        return ready;
    }
    /// Whether there are units of the kinds that few machines have.
    bool has_others() const noexcept { return has_others_; }
    bool is_free(unit_kind k, cycle now) const noexcept { return free_from(k) <= now; }
    /// When the first of kind `k` is free.
    cycle free_from(unit_kind k) const noexcept { return pool_[static_cast<unsigned>(k)].free_from(); }
    /// When a unit that one of `ready` wants becomes free, but for the load/store unit and while Control holds one.
    template <bool Common = false>
    cycle next_free(warp_set const& ready, warp_table const& t) const noexcept {
        auto next = never;
        if (!Common && control_holds_) return next;
        for (auto const k : kinds_)
            if ((ready & t.wanting(k)) && free_from(k) < next) next = free_from(k);
        if (!Common && has_others_)
            for (auto const k : others_)
                if (k != unit_kind::load_store && (ready & t.wanting(k)) && free_from(k) < next)
                    next = free_from(k);
        return next;
    }

    friend bool operator==(execution_units const&, execution_units const&) = default;
    WARPKIT_STORED_MEMBERS(4)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(pool_, control_holds_);
    }

private:
    std::array<unit_pool, unit_kind_count> pool_;
    bool has_others_ = false;
    bool control_holds_ = false;
    cycle all_free_from_ = 0; ///< from then on each kind that there is has one that is free
};

} // namespace warpkit
