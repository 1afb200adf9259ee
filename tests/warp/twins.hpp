#pragma once
/// \file
/// Naive twins: obviously correct, and slow. They keep lists and launch counters and sort, as a first simulator would.

#include <warpkit/base/events.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/warp_picker.hpp>
#include <warpkit/warp/events.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace twins {

using namespace warpkit;

/// What all twins know: who lives, since when, who is stuck, and who is whose.
struct book {
    std::map<unsigned, std::uint64_t> launched; // live warps: the core-wide launch counter
    std::map<unsigned, std::set<block_reason>> stuck;
    std::uint64_t counter = 0;
    unsigned slots = 64;
    unsigned schedulers = 1;
    unsigned scheduler = 0;

    void on(kernel_began const& e) {
        *this = {};
        slots = e.warp_slots;
    }
    void on(scheduler_began const& e) {
        schedulers = e.schedulers;
        scheduler = e.scheduler;
    }
    void on(cta_launched const& e) {
        for (unsigned w = 0; w < 64; ++w)
            if (e.warps.contains(warp_slot{w})) {
                launched[w] = counter++;
                stuck.erase(w);
            }
    }
    void on(warp_exited const& e) {
        launched.erase(e.warp.index());
        stuck.erase(e.warp.index());
    }
    void on(blocked const& e) { stuck[e.warp.index()].insert(e.reason); }
    void on(barrier_released const& e) {
        for (unsigned w = 0; w < 64; ++w)
            if (e.warps.contains(warp_slot{w})) stuck[w].erase(block_reason::barrier);
    }
    void on(unblocked const& e) { stuck[e.warp.index()].erase(e.reason); }

    bool is_stuck(unsigned w, std::set<block_reason> const& reasons) const {
        auto const found = stuck.find(w);
        if (found == stuck.end()) return false;
        return std::any_of(found->second.begin(), found->second.end(),
                           [&](block_reason r) { return reasons.count(r) != 0; });
    }
    bool own(unsigned w) const { return w % schedulers == scheduler; }
    /// Live warps, oldest first.
    std::vector<unsigned> by_age() const {
        std::vector<unsigned> list;
        for (auto const& [w, since] : launched) list.push_back(w);
        std::sort(list.begin(), list.end(),
                  [&](unsigned a, unsigned b) { return launched.at(a) < launched.at(b); });
        return list;
    }
};

inline warp_slot first_of(std::vector<unsigned> const& list, warp_set candidates) {
    for (auto const w : list)
        if (candidates.contains(warp_slot{w})) return warp_slot{w};
    return no_warp;
}
/// The slots from `start` on, circularly.
inline std::vector<unsigned> circle(unsigned start) {
    std::vector<unsigned> list;
    for (unsigned i = 0; i < 64; ++i) list.push_back((start + i) % 64);
    return list;
}

/// A twin: `book`, and the order that Derived makes of it every time.
template <class Derived>
struct twin : book {
    using book::on;
    int last = -1;
    void on(kernel_began const& e) {
        book::on(e);
        last = -1;
    }
    void on(issued const& e) { last = static_cast<int>(e.warp.index()); }
    warp_slot pick(warp_set c) const { return first_of(static_cast<Derived const&>(*this).order(), c); }
};

struct lrr : twin<lrr> {
    std::vector<unsigned> order() const { return circle(static_cast<unsigned>(last + 1)); }
};
struct oldest : twin<oldest> {
    std::vector<unsigned> order() const { return by_age(); }
};
struct youngest : twin<youngest> {
    std::vector<unsigned> order() const {
        auto list = by_age();
        std::reverse(list.begin(), list.end());
        return list;
    }
};
template <class Order>
struct greedy_then : twin<greedy_then<Order>> {
    std::vector<unsigned> order() const {
        Order base;
        static_cast<book&>(base) = *this;
        auto list = base.order();
        if (this->last >= 0) list.insert(list.begin(), static_cast<unsigned>(this->last));
        return list;
    }
};
/// Rotates a list of its live warps with every cycle.
struct strict_round_robin : twin<strict_round_robin> {
    using twin::on;
    int turn = -1;
    void on(kernel_began const& e) {
        twin::on(e);
        turn = -1;
    }
    void on(cycles_spent const& e) {
        for (cycle n = 0; n < e.count; ++n)
            for (auto const w : circle(static_cast<unsigned>(turn + 1)))
                if (launched.count(w) != 0 && own(w)) {
                    turn = static_cast<int>(w);
                    break;
                }
    }
    std::vector<unsigned> order() const { return circle(static_cast<unsigned>(turn + 1)); }
};
/// Greedy-then-oldest among the N oldest of the scheduler, with the barrier rule.
template <unsigned N>
struct static_wavefront_limit : twin<static_wavefront_limit<N>> {
    std::vector<unsigned> order() const {
        std::vector<unsigned> list;
        bool last_stuck = false;
        for (auto const w : this->by_age()) {
            if (!this->own(w)) continue;
            if (list.size() >= N && !last_stuck) break;
            list.push_back(w);
            last_stuck = this->is_stuck(w, {block_reason::barrier, block_reason::fence});
        }
        auto const greedy = static_cast<unsigned>(this->last);
        if (this->last >= 0 && std::count(list.begin(), list.end(), greedy) != 0)
            list.insert(list.begin(), greedy);
        return list;
    }
};
/// Fetch groups of Size slots; the front group moves on when all of its live warps wait for long. Each group has its
/// own round-robin.
template <unsigned Size, bool Fill = true>
struct two_level : twin<two_level<Size, Fill>> {
    using base = twin<two_level<Size, Fill>>;
    unsigned front = 0;
    std::map<unsigned, unsigned> last_in; // by group

    unsigned groups() const { return (this->slots + Size - 1) / Size; }
    bool going(unsigned group) const {
        for (auto const& [w, since] : this->launched)
            if (w / Size == group &&
                !this->is_stuck(w, {block_reason::memory, block_reason::barrier, block_reason::fence}))
                return true;
        return false;
    }
    void move_on() {
        for (unsigned i = 0; i < groups(); ++i) {
            auto const group = (front + i) % groups();
            if (going(group)) {
                front = group;
                return;
            }
        }
    }
    template <class E>
    requires hears<base, E>
    void on(E const& e) {
        base::on(e);
        if constexpr (std::is_same_v<E, kernel_began>) {
            front = 0;
            last_in.clear();
        } else if constexpr (std::is_same_v<E, issued>) {
            last_in[e.warp.index() / Size] = e.warp.index();
        } else
            move_on();
    }
    std::vector<unsigned> order() const {
        std::vector<unsigned> list;
        for (unsigned i = 0; i < (Fill ? groups() : 1); ++i) {
            auto const group = (front + i) % groups();
            auto const found = last_in.find(group);
            auto const start = found == last_in.end() ? 0 : found->second + 1;
            for (auto const w : circle(start))
                if (w / Size == group) list.push_back(w);
        }
        return list;
    }
};
/// The CCWS authors' model: the last issuer's group first.
template <unsigned Size>
struct two_level_any_stall : two_level<Size> {
    template <class E>
    requires hears<two_level<Size>, E>
    void on(E const& e) {
        two_level<Size>::on(e);
        if constexpr (!std::is_same_v<E, kernel_began>)
            this->front = this->last < 0 ? 0 : static_cast<unsigned>(this->last) / Size;
    }
};

} // namespace twins
