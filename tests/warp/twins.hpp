#pragma once
/// \file
/// Naive twins: obviously correct, and slow. They keep a record of each warp, and look through all of them every time.

#include <warpkit/base/events.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/warp_picker.hpp>
#include <warpkit/program/static_instruction.hpp>
#include <warpkit/warp/events.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace twins {

using namespace warpkit;

inline constexpr unsigned all_slots = warp_set::width;

/// What all twins know: who lives, since when, who is stuck, and who is whose.
struct book {
    struct record {
        bool live = false;
        std::uint64_t launched = 0; // the core-wide launch counter
        bool stuck[4] = {};         // by block_reason
    };
    std::array<record, all_slots> warps{};
    std::uint64_t counter = 0;
    unsigned slots = all_slots;
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
        for (unsigned w = 0; w < all_slots; ++w)
            if (e.warps.contains(warp_slot{w})) warps[w] = {true, counter++, {}};
    }
    void on(warp_exited const& e) { warps[e.warp.index()] = {}; }
    void on(blocked const& e) { reason(e.warp.index(), e.reason) = true; }
    void on(unblocked const& e) { reason(e.warp.index(), e.reason) = false; }
    void on(barrier_released const& e) {
        for (unsigned w = 0; w < all_slots; ++w)
            if (e.warps.contains(warp_slot{w})) reason(w, block_reason::barrier) = false;
    }

    bool& reason(unsigned w, block_reason r) { return warps[w].stuck[static_cast<unsigned>(r)]; }
    bool waits(unsigned w, block_reason r) const { return warps[w].stuck[static_cast<unsigned>(r)]; }
    bool held(unsigned w) const { return waits(w, block_reason::barrier) || waits(w, block_reason::fence); }
    bool waits_long(unsigned w) const { return held(w) || waits(w, block_reason::memory); }
    bool own(unsigned w) const { return w % schedulers == scheduler; }
    bool live(unsigned w) const { return warps[w].live; }
    std::uint64_t age(unsigned w) const { return warps[w].launched; } // less is older
};

/// The candidate with the least key; the lower slot of two with the same.
template <class Key>
warp_slot least(warp_set candidates, Key key) {
    warp_slot best;
    for (unsigned w = 0; w < all_slots; ++w)
        if (candidates.contains(warp_slot{w}) && (!best || key(w) < key(best.index()))) best = warp_slot{w};
    return best;
}
/// How far `w` is behind `last`, going round; `last` itself is the farthest.
inline unsigned behind(int last, unsigned w) {
    return (w + all_slots - 1 - static_cast<unsigned>(last)) % all_slots;
}

/// A twin knows the book and who issued last.
struct twin : book {
    int last = -1;
    using book::on;
    void on(kernel_began const& e) {
        book::on(e);
        last = -1;
    }
    void on(issued const& e) { last = static_cast<int>(e.warp.index()); }
};

struct lrr : twin {
    warp_slot pick(warp_set c) const {
        return least(c, [&](unsigned w) { return behind(last, w); });
    }
};
struct oldest : twin {
    warp_slot pick(warp_set c) const {
        return least(c, [&](unsigned w) { return age(w); });
    }
};
struct youngest : twin {
    warp_slot pick(warp_set c) const {
        return least(c, [&](unsigned w) { return ~age(w); });
    }
};
template <class Order>
struct greedy_then : Order {
    warp_slot pick(warp_set c) const {
        auto const greedy = warp_slot{static_cast<unsigned>(this->last)};
        return this->last >= 0 && c.contains(greedy) ? greedy : Order::pick(c);
    }
};
/// Passes the turn on, cycle by cycle, to the next of its own live warps.
struct strict_round_robin : twin {
    using twin::on;
    int turn = -1;
    void on(kernel_began const& e) {
        twin::on(e);
        turn = -1;
    }
    void on(cycles_spent const& e) {
        for (cycle n = 0; n < e.count; ++n)
            for (unsigned i = 1; i <= all_slots; ++i) {
                auto const w = (static_cast<unsigned>(turn) + i) % all_slots;
                if (live(w) && own(w)) {
                    turn = static_cast<int>(w);
                    break;
                }
            }
    }
    warp_slot pick(warp_set c) const {
        return least(c, [&](unsigned w) { return behind(turn, w); });
    }
};
/// Among those of the candidates that `allows(w)` lets compete.
template <class F>
warp_set among(warp_set candidates, F allows) {
    warp_set rest;
    for (unsigned w = 0; w < all_slots; ++w)
        if (candidates.contains(warp_slot{w}) && allows(w)) rest.insert(warp_slot{w});
    return rest;
}
/// Greedy-then-oldest among the N oldest of the scheduler, with the barrier rule.
struct static_wavefront_limit : greedy_then<oldest> {
    unsigned limit = 8;
    warp_set eligible(warp_set c) const {
        warp_set own_ones, admitted;
        for (unsigned w = 0; w < all_slots; ++w)
            if (live(w) && own(w)) own_ones.insert(warp_slot{w});
        for (unsigned n = 1; own_ones; ++n) {
            auto const next = oldest::pick(own_ones);
            own_ones.erase(next);
            admitted.insert(next);
            if (n >= limit && !held(next.index())) break;
        }
        return c & admitted;
    }
    warp_slot pick(warp_set c) const { return greedy_then<oldest>::pick(eligible(c)); }
};
/// Fetch groups of Size slots; the front group moves on when all of its live warps wait for long. Each group has its
/// own round-robin.
template <unsigned Size, bool Fill = true>
struct two_level : twin {
    unsigned front = 0;
    std::array<int, all_slots> last_in{}; // by group

    unsigned groups() const { return (slots + Size - 1) / Size; }
    bool going(unsigned group) const {
        for (unsigned w = group * Size; w < (group + 1) * Size && w < all_slots; ++w)
            if (live(w) && !waits_long(w)) return true;
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
    requires hears<twin, E>
    void on(E const& e) {
        twin::on(e);
        if constexpr (std::is_same_v<E, kernel_began>) {
            front = 0;
            last_in.fill(-1);
        } else if constexpr (std::is_same_v<E, issued>) {
            last_in[e.warp.index() / Size] = static_cast<int>(e.warp.index());
        } else
            move_on();
    }
    warp_slot pick(warp_set c) const {
        for (unsigned i = 0; i < (Fill ? groups() : 1); ++i) {
            auto const group = (front + i) % groups();
            auto const rest = among(c, [&](unsigned w) { return w / Size == group; });
            if (rest) return least(rest, [&](unsigned w) { return behind(last_in[group], w); });
        }
        return no_warp;
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
/// A list of active warps. Whoever waits for long leaves it; the oldest that does not fills it up.
template <unsigned Size>
struct two_level_active : lrr {
    std::vector<unsigned> active;

    template <class E>
    requires(hears<lrr, E>) void on(E const& e) {
        lrr::on(e);
        if constexpr (std::is_same_v<E, kernel_began>)
            active.clear();
        else if constexpr (!std::is_same_v<E, issued>) {
            active.erase(std::remove_if(active.begin(), active.end(),
                                        [&](unsigned w) { return !live(w) || waits_long(w) || !own(w); }),
                         active.end());
            while (active.size() < Size) {
                auto const ready = among(~warp_set{}, [&](unsigned w) {
                    return live(w) && own(w) && !waits_long(w) && !is_active(w);
                });
                if (!ready) break;
                active.push_back(least(ready, [&](unsigned w) { return age(w); }).index());
            }
        }
    }
    bool is_active(unsigned w) const { return std::count(active.begin(), active.end(), w) != 0; }
    warp_set eligible(warp_set c) const {
        return among(c, [&](unsigned w) { return is_active(w); });
    }
    warp_slot pick(warp_set c) const { return lrr::pick(eligible(c)); }
};
/// GPGPU-Sim's two lists, ordered anew in each cycle before the pick, as its scheduler does; with marks of registers
/// that stay (Sticky) or as long as the warp waits for memory.
template <unsigned M, bool Sticky>
struct spinning_two_level : book {
    mutable std::vector<unsigned> active, pending;
    mutable bool ordered = false; // in this cycle
    std::vector<static_instruction> code;
    std::array<std::array<bool, 24>, all_slots> marks{};
    std::array<int, all_slots> head{}; // instruction number, or -1

    using book::on;
    void on(kernel_began const& e) {
        book::on(e);
        code.assign(e.code.get(), e.code.get() + e.instructions);
        head.fill(-1);
        ordered = false;
        line_up();
    }
    void on(scheduler_began const& e) {
        book::on(e);
        line_up();
    }
    void line_up() {
        active.clear();
        pending.clear();
        for (unsigned w = 0; w < slots; ++w)
            if (own(w)) (active.size() < M ? active : pending).push_back(w);
    }
    void on(cta_launched const& e) {
        book::on(e);
        for (unsigned w = 0; w < all_slots; ++w)
            if (e.warps.contains(warp_slot{w})) {
                marks[w] = {};
                head[w] = -1;
            }
    }
    void on(next_decoded const& e) { head[e.warp.index()] = static_cast<int>(e.pc / 8); }
    void on(issued const& e) {
        order();
        auto const at = std::find(active.begin(), active.end(), e.warp.index());
        if (at != active.end()) std::rotate(active.begin(), at + 1, active.end());
        auto const& i = code[e.pc / 8];
        head[e.warp.index()] = -1;
        for (unsigned k = 0; k < i.destinations; ++k)
            marks[e.warp.index()][i.destination[k]] = i.kind == op_class::load || i.kind == op_class::atomic;
    }
    void on(cycles_spent const& e) {
        for (cycle n = 0; n < e.count; ++n) {
            order();
            ordered = false;
        }
    }
    bool waiting(unsigned w) const {
        if (!live(w) || held(w)) return true;
        if (!Sticky) return waits(w, block_reason::memory);
        if (head[w] < 0) return false;
        auto const& i = code[static_cast<unsigned>(head[w])];
        if (i.kind == op_class::load) return false;
        for (unsigned k = 0; k < i.sources; ++k)
            if (marks[w][i.source[k]]) return true;
        return false;
    }
    void order() const {
        if (ordered) return;
        ordered = true;
        for (auto at = active.begin(); at != active.end();)
            if (waiting(*at)) {
                pending.push_back(*at);
                at = active.erase(at);
            } else
                ++at;
        while (active.size() < M && !pending.empty()) {
            active.push_back(pending.front());
            pending.erase(pending.begin());
        }
    }
    warp_set eligible(warp_set c) const {
        order();
        return among(c, [&](unsigned w) { return std::count(active.begin(), active.end(), w) != 0; });
    }
    warp_slot pick(warp_set c) const {
        order();
        for (auto const w : active)
            if (c.contains(warp_slot{w})) return warp_slot{w};
        return no_warp;
    }
};

/// CCWS, all of it as it is told: a score for each warp that falls cycle by cycle, and of each load that wants to
/// issue, the sum of the scores that are stacked below it.
struct ccws : greedy_then<oldest> {
    struct detector {
        std::array<std::vector<std::uint64_t>, 2> victims; // lines, the latest last; 1: removed
        std::uint64_t hits = 0, issued = 0, score = 0;
    };
    std::array<detector, all_slots> by_warp;

    using greedy_then::on;
    void on(kernel_began const& e) {
        greedy_then::on(e);
        by_warp = {};
    }
    void on(cta_launched const& e) {
        greedy_then::on(e);
        for (unsigned w = 0; w < all_slots; ++w)
            if (e.warps.contains(warp_slot{w})) {
                by_warp[w] = {};
                by_warp[w].score = 100;
            }
    }
    void on(warp_exited const& e) {
        greedy_then::on(e);
        by_warp[e.warp.index()] = {};
    }
    void on(issued const& e) {
        greedy_then::on(e);
        ++by_warp[e.warp.index()].issued;
    }
    bool mine(warp_slot w) const { return w && live(w.index()) && own(w.index()); }
    std::uint64_t cutoff() const {
        std::uint64_t sum = 0;
        for (unsigned w = 0; w < all_slots; ++w) sum += mine(warp_slot{w}) ? 100 : 0;
        return sum;
    }
    void on(l1_accessed const& e) {
        if (e.kind == access_kind::store) {
            for (auto& d : by_warp)
                for (auto& line : d.victims[e.line / 128 % 2])
                    if (line == e.line) line = 1;
        } else if (e.outcome == cache_outcome::miss && mine(e.warp)) {
            auto& d = by_warp[e.warp.index()];
            auto const& set = d.victims[e.line / 128 % 2];
            if (std::count(set.begin(), set.end(), e.line) == 0) return;
            ++d.hits;
            std::uint64_t hits = 0, instructions = 0;
            for (auto const& o : by_warp) {
                hits += o.hits;
                instructions += o.issued;
            }
            d.score =
                std::max<std::uint64_t>(100, hits * 8 * cutoff() / std::max<std::uint64_t>(1, instructions));
        }
    }
    void on(l1_evicted const& e) {
        if (e.by_store || !mine(e.owner)) return;
        auto& set = by_warp[e.owner.index()].victims[e.line / 128 % 2];
        if (std::count(set.begin(), set.end(), e.line) != 0) return;
        set.push_back(e.line);
        if (set.size() > 8) set.erase(set.begin());
    }
    void on(cycles_spent const& e) {
        for (auto& d : by_warp)
            for (cycle n = 0; n < e.count && d.score > 100; ++n) --d.score;
    }
    bool admitted(unsigned w) const {
        std::uint64_t below = 0;
        for (unsigned o = 0; o < all_slots; ++o)
            if (mine(warp_slot{o}) && o != w &&
                (by_warp[o].score > by_warp[w].score || (by_warp[o].score == by_warp[w].score && o < w)))
                below += by_warp[o].score;
        return below < cutoff();
    }
    warp_set eligible(warp_set c, issue_classes const& k) const {
        return among(c, [&](unsigned w) { return !k.loads.contains(warp_slot{w}) || admitted(w); });
    }
    warp_slot pick(warp_set c, issue_classes const& k) const { return greedy_then::pick(eligible(c, k)); }
};

/// Mascar: memory instructions before others; while saturated, of one warp only.
struct mascar : lrr {
    bool saturated = false;
    int owner = -1;

    template <class E>
    requires(hears<lrr, E>) void on(E const& e) {
        lrr::on(e);
        if constexpr (std::is_same_v<E, kernel_began>) {
            saturated = false;
            owner = -1;
        }
        if constexpr (std::is_same_v<E, issued>)
            if (saturated && owner < 0 &&
                (e.kind == issue_class::load || e.kind == issue_class::store ||
                 e.kind == issue_class::atomic))
                owner = static_cast<int>(e.warp.index());
        // Exited, or waiting for long: no owner any more.
        if (owner >= 0 && (!live(static_cast<unsigned>(owner)) || waits_long(static_cast<unsigned>(owner))))
            owner = -1;
    }
    void on(memory_pressure const& e) {
        saturated = e.free_mshrs < 8 || e.free_queue < 2;
        if (!saturated) owner = -1;
    }
    warp_set eligible(warp_set c, issue_classes const& k) const {
        auto const memory = c & k.memory();
        if (!saturated || !memory) return c;
        auto const who = owner >= 0 ? warp_slot{static_cast<unsigned>(owner)}
                                    : least(memory, [&](unsigned w) { return age(w); });
        return among(c, [&](unsigned w) { return !memory.contains(warp_slot{w}) || warp_slot{w} == who; });
    }
    warp_slot pick(warp_set c, issue_classes const& k) const {
        auto const may = eligible(c, k);
        return lrr::pick(may & k.memory() ? may & k.memory() : may);
    }
};

/// Counts, for each candidate, who of its CTA waits at a barrier.
struct baws : greedy_then<oldest> {
    std::array<std::uint64_t, all_slots> cta{};
    std::array<bool, all_slots> at_barrier{};
    std::uint64_t launches = 0;

    using greedy_then::on;
    void on(kernel_began const& e) {
        greedy_then::on(e);
        cta = {};
        at_barrier = {};
        launches = 0;
    }
    void on(cta_launched const& e) {
        greedy_then::on(e);
        ++launches;
        for (unsigned w = 0; w < all_slots; ++w)
            if (e.warps.contains(warp_slot{w})) {
                cta[w] = launches;
                at_barrier[w] = false;
            }
    }
    void on(barrier_arrived const& e) {
        if (e.waits) at_barrier[e.warp.index()] = true;
    }
    void on(barrier_released const& e) {
        greedy_then::on(e);
        for (unsigned w = 0; w < all_slots; ++w)
            if (e.warps.contains(warp_slot{w})) at_barrier[w] = false;
    }
    unsigned waiting(unsigned w) const {
        unsigned n = 0;
        for (unsigned o = 0; o < all_slots; ++o) n += at_barrier[o] && cta[o] == cta[w];
        return n;
    }
    warp_slot pick(warp_set c) const {
        unsigned most = 0;
        for (unsigned w = 0; w < all_slots; ++w)
            if (c.contains(warp_slot{w})) most = std::max(most, waiting(w));
        return greedy_then::pick(among(c, [&](unsigned w) { return waiting(w) == most; }));
    }
};

/// Looks at all that a warp has issued since it began, in order.
struct producer_first : greedy_then<oldest> {
    std::array<std::vector<static_instruction>, all_slots> done{};
    static_instruction const* code = nullptr;
    std::uint32_t bytes = 8;

    using greedy_then::on;
    void on(kernel_began const& e) {
        greedy_then::on(e);
        done = {};
        code = e.code;
        bytes = e.instruction_bytes;
    }
    void on(cta_launched const& e) {
        greedy_then::on(e);
        for (unsigned w = 0; w < all_slots; ++w)
            if (e.warps.contains(warp_slot{w})) done[w].clear();
    }
    void on(issued const& e) {
        greedy_then::on(e);
        done[e.warp.index()].push_back(code[e.pc / bytes]);
    }
    bool produces(unsigned w) const {
        bool copied = false;
        for (auto const& i : done[w]) {
            if (i.kind == op_class::fp_mad || i.async == async_role::product) return false;
            copied = copied || i.async == async_role::copy || i.async == async_role::bulk_copy;
        }
        return copied;
    }
    warp_slot pick(warp_set c) const {
        auto const some = among(c, [&](unsigned w) { return produces(w); });
        return greedy_then::pick(some ? some : c);
    }
};

/// Counts the scheduler's warps of a warp's CTA that are before it.
struct leader_first : greedy_then<oldest> {
    std::array<std::uint64_t, all_slots> cta{};
    std::uint64_t launches = 0;
    unsigned every = 4, free_mshrs = 8;
    bool full = false;

    using greedy_then::on;
    void on(kernel_began const& e) {
        auto const n = every, m = free_mshrs;
        *this = {};
        every = n;
        free_mshrs = m;
        greedy_then::on(e);
    }
    void on(cta_launched const& e) {
        greedy_then::on(e);
        ++launches;
        for (unsigned w = 0; w < all_slots; ++w)
            if (e.warps.contains(warp_slot{w})) cta[w] = launches;
    }
    void on(memory_pressure const& e) { full = e.free_mshrs < free_mshrs; }
    bool leads(unsigned w) const {
        unsigned before = 0;
        for (unsigned o = 0; o < w; ++o) before += own(o) && cta[o] == cta[w];
        return before % every == 0;
    }
    warp_slot pick(warp_set c) const {
        auto const some = among(c, [&](unsigned w) { return leads(w); });
        return greedy_then::pick(some && !full ? some : c);
    }
};

/// Remembers all that happened since the last product, and who made it.
struct pingpong : lrr {
    std::array<int, all_slots> next{}; // what each warp issues next; -1: not known
    static_instruction const* code = nullptr;
    std::uint32_t bytes = 8;
    int turn = -1;

    using lrr::on;
    void on(kernel_began const& e) {
        lrr::on(e);
        next.fill(-1);
        code = e.code;
        bytes = e.instruction_bytes;
        turn = -1;
    }
    void on(cta_launched const& e) {
        lrr::on(e);
        for (unsigned w = 0; w < all_slots; ++w)
            if (e.warps.contains(warp_slot{w})) next[w] = -1;
    }
    void on(next_decoded const& e) { next[e.warp.index()] = static_cast<int>(e.pc / bytes); }
    void on(issued const& e) {
        lrr::on(e);
        auto const w = static_cast<int>(e.warp.index());
        next[e.warp.index()] = -1;
        if (code[e.pc / bytes].async == async_role::product) turn = w;
        if (code[e.pc / bytes].async == async_role::product_wait && turn == w) turn = -1;
    }
    void on(blocked const& e) {
        lrr::on(e);
        if (turn >= 0 && waits_long(static_cast<unsigned>(turn))) turn = -1;
    }
    void on(warp_exited const& e) {
        lrr::on(e);
        if (turn == static_cast<int>(e.warp.index())) turn = -1;
    }
    warp_set eligible(warp_set c) const {
        return among(c, [&](unsigned w) {
            bool const product = next[w] >= 0 && code[next[w]].async == async_role::product;
            return turn < 0 || turn == static_cast<int>(w) || !product;
        });
    }
    warp_slot pick(warp_set c) const { return lrr::pick(eligible(c)); }
};

/// Works out the criticality of each warp anew from what it has done.
struct most_critical : twin {
    struct history {
        cycle launched = 0, last_issue = 0;
        std::uint64_t stalled = 0, issued = 0;
        std::int64_t remaining = 0;
    };
    std::array<history, all_slots> by_warp;
    std::uint32_t instructions = 0;

    using twin::on;
    void on(kernel_began const& e) {
        twin::on(e);
        instructions = e.instructions;
    }
    void on(cta_launched const& e) {
        twin::on(e);
        for (unsigned w = 0; w < all_slots; ++w)
            if (e.warps.contains(warp_slot{w})) by_warp[w] = {e.at, e.at, 0, 0, instructions};
    }
    void on(issued const& e) {
        twin::on(e);
        auto& h = by_warp[e.warp.index()];
        h.remaining = std::max<std::int64_t>(0, h.remaining - 1);
        for (auto c = h.last_issue + 1; c < e.at; ++c) ++h.stalled;
        h.last_issue = e.at;
        ++h.issued;
    }
    void on(branched const& e) {
        auto& h = by_warp[e.warp.index()];
        auto const distance = (static_cast<std::int64_t>(e.next_pc) - static_cast<std::int64_t>(e.pc)) / 8;
        if (distance <= 0)
            h.remaining += -distance + 1;
        else
            h.remaining = std::max<std::int64_t>(0, h.remaining - (distance - 1));
    }
    std::uint64_t criticality(unsigned w) const {
        auto const& h = by_warp[w];
        auto const cycles = h.last_issue - h.launched + 1;
        return static_cast<std::uint64_t>(h.remaining) * cycles / std::max<std::uint64_t>(1, h.issued) +
               h.stalled;
    }
    warp_slot pick(warp_set c) const {
        return least(c, [&](unsigned w) { return std::pair{~criticality(w), age(w)}; });
    }
};

/// Looks for loops again at each question, and adds the footprints up from the oldest warp on.
struct daws_style : greedy_then<oldest> {
    struct load {
        std::uint32_t accesses = 0, issues = 0, hits = 0;
        unsigned lines_per_lane = 0; // as far as known when it was last accessed: 0 (one for all lanes) or 1
        bool repeats = true;
    };
    std::vector<static_instruction> code;
    std::vector<load> loads;         // by instruction
    std::array<int, all_slots> at{}; // the instruction that each warp issued last, or -1
    std::array<unsigned, all_slots> lanes{};
    std::vector<int>
        loop_of; // by instruction: the first instruction of the range that branches back span, or -1

    using greedy_then::on;
    void on(kernel_began const& e) {
        greedy_then::on(e);
        code.assign(e.code.get(), e.code.get() + e.instructions);
        loads.assign(code.size(), {});
        loop_of.assign(code.size(), -1);
        for (bool more = true; more;) { // paint until nothing changes
            more = false;
            for (std::uint32_t i = 0; i < code.size(); ++i) {
                if (code[i].kind != op_class::branch || code[i].target > i) continue;
                auto first = static_cast<int>(code[i].target);
                for (auto k = code[i].target; k <= i; ++k)
                    if (loop_of[k] >= 0) first = std::min(first, loop_of[k]);
                for (auto k = static_cast<std::uint32_t>(first); k <= i; ++k) {
                    more = more || loop_of[k] != first;
                    loop_of[k] = first;
                }
            }
        }
    }
    void on(cta_launched const& e) {
        greedy_then::on(e);
        for (unsigned w = 0; w < all_slots; ++w)
            if (e.warps.contains(warp_slot{w})) at[w] = -1;
    }
    void on(issued const& e) {
        greedy_then::on(e);
        auto const i = e.pc / 8;
        at[e.warp.index()] = static_cast<int>(i);
        lanes[e.warp.index()] = static_cast<unsigned>(std::popcount(e.active));
        if (code[i].kind == op_class::load) ++loads[i].issues;
    }
    void on(l1_accessed const& e) {
        if (e.kind != access_kind::load || !own(e.warp.index())) return;
        auto& l = loads[e.pc / 8];
        ++l.accesses;
        l.hits += e.outcome == cache_outcome::hit;
        l.lines_per_lane = l.accesses > 2 * l.issues;
        l.repeats = l.accesses < 32 || l.hits * 4 >= l.accesses;
    }
    int loop(unsigned w) const {
        return live(w) && own(w) && at[w] >= 0 ? loop_of[static_cast<unsigned>(at[w])] : -1;
    }
    unsigned footprint(unsigned w) const {
        unsigned sum = 0;
        for (unsigned i = 0; i < code.size(); ++i)
            if (loop_of[i] == loop(w) && code[i].kind == op_class::load && loads[i].repeats)
                sum += loads[i].lines_per_lane != 0 ? lanes[w] : 1;
        return sum;
    }
    warp_set eligible(warp_set c, issue_classes const& k) const {
        auto const looping = among(~warp_set{}, [&](unsigned w) { return loop(w) >= 0; });
        if (!(c & k.loads & looping)) return c;
        auto rest = among(looping, [&](unsigned w) { return !held(w); });
        warp_set admitted;
        for (unsigned sum = 0; rest;) {
            auto const next = least(rest, [&](unsigned w) { return age(w); });
            rest.erase(next);
            sum += footprint(next.index());
            if (admitted && sum > 128 * 60 / 100 / schedulers) break;
            admitted.insert(next);
        }
        return among(c, [&](unsigned w) {
            return !k.loads.contains(warp_slot{w}) || !looping.contains(warp_slot{w}) ||
                   admitted.contains(warp_slot{w});
        });
    }
    warp_slot pick(warp_set c, issue_classes const& k) const { return greedy_then::pick(eligible(c, k)); }
};

} // namespace twins
