#pragma once
/// \file
/// An L2 slice of a memory partition: its cache between its ports, and what happens there in a cycle.
///
/// In the reference: `l2_slice` (reference/l2_partition.hpp), whose `tick` is `cycle` here.

#include <warpkit/base/clock.hpp>
#include <warpkit/base/cycle.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/concepts.hpp>
#include <warpkit/cache/plain_cache.hpp>
#include <warpkit/dram/prefetch.hpp>
#include <warpkit/gpu/common/link.hpp>
#include <warpkit/gpu/memory/held_access.hpp>
#include <warpkit/gpu/memory/l2_ports.hpp>
#include <warpkit/gpu/memory/l2_surroundings.hpp>
#include <warpkit/gpu/memory/owed_stores.hpp>
#include <warpkit/gpu/memory/packet_parts.hpp>
#include <warpkit/machine/conservation.hpp>
#include <warpkit/machine/l2_events.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/prefetched_sectors.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace warpkit {

/// P is a memory_policies. A cycle has five stages, what is furthest first: replies leave, data come from the DRAM,
/// misses go there, the packet in front is served, packets come in. The first and the last are done for a whole window,
/// mostly.
template <class P>
class l2_slice {
    using l2_cache = engine_cache<typename P::l2_cache>;
    static constexpr bool ahead = tells_ahead<l2_cache>;
    using surroundings = l2_surroundings<P>;
    static constexpr bool dram_asks = surroundings::dram_asks;

public:
    static constexpr bool prefetches =
        !std::is_same_v<typename P::memory_prefetcher, dram::no_memory_prefetch>;

    std::uint32_t node = 0; ///< number among all slices of the machine
    /// The first cycle in which anything happens here, if nothing comes from outside before.
    tick wake = never;
    request_port requests;
    reply_port replies;
    dram_port dram;
    l2_cache l2;
    prefetched_sectors prefetched;

    static constexpr tick in_next_cycle = 0;

    /// A window begins that ends at `end`: this slice may be woken sooner by what its link brings. Whether it is.
    bool look(link<packet>& request_link, tick end) noexcept {
        auto const t = requests.look(request_link, end);
        if (t >= wake) return false;
        wake = t;
        return true;
    }
    /// When links bring the slice something to do, or take an answer, between windows.
    tick next_event(link<packet> const& request_link, link<packet> const& reply_link) const noexcept {
        auto const in = requests.next(request_link);
        auto const out = replies.next(reply_link);
        return in < out ? in : out;
    }
    /// Simulates the cycle at tick `now` of a window that ends at `end`, if anything can happen in it; and those behind
    /// it that have to do with packets alone, as far as the DRAM does nothing before tick `alone`.
    [[gnu::always_inline]] void advance(tick now, tick end, tick alone, surroundings const& around,
                                        link<packet>& request_link, link<packet>& reply_link) {
        if (wake > now) return;
        wake = cycle(now, end, alone, around, reply_link);
        if (requests.lags()) [[unlikely]] {
            requests.take_in(now, request_link);
            auto const t = packet_due(static_cast<bool>(held_) || requests.ready() <= now);
            if (t < wake) wake = t;
        }
    }
    /// Nobody waits for an answer; write-backs may still be on their way to the DRAM.
    bool idle() const noexcept { return requests.empty() && replies.idle() && l2.outstanding() == 0; }

    /// What was asked here was answered, or waits; up to `under_way` misses may be at the DRAM.
    [[gnu::cold]] conservation conserved(std::uint64_t under_way) const {
        conservation b;
        auto const asked = requests.received() - unasked_;
        b.flow("bytes asked of a slice, and answered", asked, replies.sent().bytes, idle());
        if (asked == replies.sent().bytes)
            b.same("answers that wait where all were given", replies.waiting(), 0);
        b.at_most("MSHRs that wait for the DRAM", l2.outstanding(), under_way);
        check_outcomes(b, l2.counters());
        return b;
    }

    /// The host has copied a sector here: see partition::copied(). Precondition: idle().
    void copied(std::uint64_t local, surroundings const& around) {
        drop_requests();
        cache_access a;
        a.address = local;
        a.bytes = around.numbers.parts.sector;
        departed(l2.access(a).departed, around);
        drop_requests();
        if (l2.outstanding() != 0) l2.fill(local, [](std::uint32_t) {});
    }
    /// What the L2 has counted up to tick `end`, that of a window. An access that is refused is counted once, however
    /// often it is tried.
    cache_counters counters(tick end, clock_domain const& clock) const noexcept {
        auto r = held_.refusals();
        if (held_.foreseen() < end && replies.has_room(clock.at(clock.edges_before(end) - 1)))
            r.count(refusal::miss_queue);
        return l2.counters().with_refusals(r);
    }
    /// Reads and writes that the L2 asked for while the host copied.
    std::array<std::uint64_t, 2> const& dropped() const noexcept { return dropped_; }

    friend bool operator==(l2_slice const&, l2_slice const&) = default;
    WARPKIT_STORED_MEMBERS(15)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(node, requests, replies, dram, l2, parts_, held_, owed_, prefetched);
    }

private:
    /// Whether something other than a packet is to be dealt with in the next cycle.
    bool has_more() const noexcept {
        // (Without branches: any of these is as likely as not where the DRAM is busy.)
        bool more = replies.has_data();
        more |= !dram.from.empty();
        more |= l2.has_request() && !dram.to.full(); // where it is full, the DRAM side tells when it is not
        if (!keeps_atomics()) more |= owed_.due();
        if constexpr (prefetches) more |= !prefetched.empty();
        return more;
    }
    /// When the packet in front is to be served, unless it is `held`, or the next one comes in that look() has left.
    tick packet_due(bool held) const noexcept {
        auto const front = held ? never : requests.ready();
        return requests.due() < front ? requests.due() : front;
    }
    /// When something can change, nothing having done so at tick `now`, unless something comes from the DRAM before.
    /// Abbreviates `l2_slice::tick` in each cycle until then.
    [[gnu::noinline]] tick unblocked(tick now, tick end) const noexcept {
        auto const packet = packet_due(static_cast<bool>(held_) || requests.ready() <= now);
        if (replies.has_room(now)) return packet;
        auto const room = replies.room_due(end);
        return packet < room ? packet : room;
    }
    /// The first cycle behind it in which there is something to do.
    [[gnu::always_inline]] tick cycle(tick now, tick end, tick alone, surroundings const& around,
                                      link<packet>& out) {
        auto const next = now + around.numbers.clock.period();
        bool busy = false;
        if (held_.foreseen() < now) [[unlikely]]
            count_foreseen(now - around.numbers.clock.period());
        if (replies.has_data() && replies.has_room(now)) {
            replies.data_leave(next, out, end);
            busy = true;
        }
        bool const came = !dram.from.empty() && replies.has_room_for_data();
        if (came) {
            take_from_dram(now, around);
            busy = true;
        } else if (prefetches && !prefetched.empty()) {
            fill_prefetched(around);
            busy = true;
        }
        if (l2.has_request() && !dram.to.full()) {
            auto const& r = l2.front_request();
            bool const fetch = r.kind == lower_kind::fetch;
            ask_dram({r.address, r.mshr, r.bytes, !fetch, fetch,
                      r.kind == lower_kind::write_back ? no_warp : r.owner},
                     around);
            l2.pop_request();
            if (held_ && held_.lacks() == refusal::miss_queue && may_be_taken(around)) held_.has_place();
            busy = true;
        }
        if (!keeps_atomics()) owed_.pass_on(busy, passes_on(around));
        if (requests.ready() <= now && !held_) {
            if (!around.numbers.enabled) [[unlikely]]
                busy |= pass_by(requests.front(), around);
            else if (replies.has_room(now))
                return serve_from(next, came, end, alone, around, out);
        } else if (held_.foreseen() <= now) [[unlikely]] {
            count_foreseen(now);
        }
        if (came && keeps_atomics())
            replies.data_leave_next(next, next + around.numbers.clock.period(), out, end);
        if (!busy) [[unlikely]]
            return unblocked(now, end);
        return has_more() ? in_next_cycle : packet_due(static_cast<bool>(held_));
    }
    /// Serves the packet in front in the cycle before tick `next`, and goes on with it, and those behind it, as long as
    /// there is nothing else to do and the cycle lies before `alone`: nobody sees that other slices have not come so
    /// far. The first cycle in which there is something to do then.
    /// Abbreviates `l2_slice::tick` in each of those cycles, and the visits to other slices between them.
    [[gnu::always_inline]] tick serve_from(tick next, bool came, tick end, tick alone,
                                           surroundings const& around, link<packet>& out) {
        if (around.told_in_order() || around.asking.more || !stays_as_found() || requests.lags()) alone = 0;
        while (true) {
            serve(next, end, around, out);
            if (!keeps_atomics()) owed_.packet_served();
            if (came && keeps_atomics()) {
                replies.data_leave_next(next, next + around.numbers.clock.period(), out, end);
                came = false;
            }
            if (has_more()) return next;
            if (held_) return requests.due();
            auto now = requests.ready() < next ? next : requests.ready();
            if (now >= alone) return requests.due() < now ? requests.due() : now;
            if (!replies.has_room(now)) {
                now = replies.room_due(end);
                if (now >= alone) return now;
            }
            next = now + around.numbers.clock.period();
        }
    }

    // ---- from the DRAM
    /// Data of a fetch has come or, with the L2 off, of an access.
    [[gnu::always_inline]] void take_from_dram(tick now, surroundings const& around) {
        auto const token = dram.from.front();
        dram.from.pop();
        if (!around.numbers.enabled) {
            replies.data_came(token);
            return;
        }
        auto const local = l2.fetched(token);
        if (held_ && may_be_taken_behind(local)) held_.let_go();
        around.filled(node, local, around.heard_at(now));
        auto const gone = keeps_atomics()
                              ? l2.fill_all(token, [this](std::uint32_t place) { replies.data_came(place); })
                              : l2.fill_all(token, [this, local, around](std::uint32_t place) {
                                    if (replies[place].kind == packet_kind::atomic)
                                        mark_written(local, replies[place].bytes, around);
                                    replies.data_came(place);
                                });
        departed(gone, around);
    }
    void fill_prefetched(surroundings around) {
        prefetched.install(l2, [&](std::uint64_t sector, departed_line const& gone) {
            if (held_ && l2.may_free_way(parts_.access.address, sector)) held_.let_go();
            departed(gone, around);
        });
    }
    /// A line has left the L2, and what was prefetched of it with it.
    void departed(departed_line const& d, surroundings const& around) {
        around.departed(node, d);
        if constexpr (prefetches) prefetched.departed(d);
    }

    // ---- to the DRAM
    /// Precondition: there is room in dram.to.
    void ask_dram(l2_demand const& d, surroundings const& around) noexcept {
        dram.ask(d, node, around.map);
        if constexpr (dram_asks) dram.to.back().by = l2_owner::dram_requester(d.owner, around.asking.kernel);
        ++around.asking.count;
        around.asking.more = true;
    }
    /// A place in the queue of misses has become free: whether that can be enough for the access that was refused. A
    /// load needs two.
    bool may_be_taken(surroundings const& around) const noexcept {
        return parts_.access.kind != access_kind::load || !crowded(around);
    }

    /// The same of the sector at `filled`, which is about to come: its line may be that of the access, which hits then,
    /// or give way to it.
    bool may_be_taken_behind(std::uint64_t filled) const noexcept {
        auto const lacks = held_.lacks();
        if (lacks != refusal::line_allocation && lacks != refusal::miss_queue) return true;
        return !(new_line_ && lacks == refusal::miss_queue) && l2.may_free_way(parts_.access.address, filled);
    }

    // ---- the packet in front
    /// Hands the L2 the next part of it: one sector a cycle. Precondition: there is room for a reply, which leaves by
    /// `out`.
    [[gnu::always_inline]] void serve(tick next, tick end, surroundings const& around, link<packet>& out) {
        if constexpr (ahead) {
            if (new_line_ && stays_as_found()) {
                if (!refuses_miss(around)) miss_again(next, around);
                return;
            }
            if (hits_ != 0) {
                hit_again(next, end, around, out);
                return;
            }
        }
        if (requests.front().kind == packet_kind::bulk_read) [[unlikely]]
            serve_bulk(next, end, around, out);
        else
            serve_part<false>(next, end, around, out);
    }
    /// The same of a request of a bulk copy, whose parts have one reply.
    [[gnu::noinline]] void serve_bulk(tick next, tick end, surroundings const& around, link<packet>& out) {
        serve_part<true>(next, end, around, out);
    }
    /// The same of a part that the L2 looks up; `OneReply`: it answers with the others of its packet.
    template <bool OneReply>
    [[gnu::always_inline]] void serve_part(tick next, tick end, surroundings const& around,
                                           link<packet>& out) {
        auto& a = parts_.access;
        if (!parts_.looked_at) {
            new_line_ = false;
            if (dram_asks || around.told()) a.owner = l2_owner_of(requests.front());
            parts_.look_at(requests.front(), node, keeps_atomics(), around.numbers.parts, around.map);
        }
        auto const place = OneReply ? token_of_parts() : replies.free_place();
        a.token = a.kind == access_kind::store ? no_token : place;
        auto const answer = l2.access(a);
        if (answer.answer == cache_answer::refused) {
            refuse(answer.reason);
            return;
        }
        tell_access(answer.outcome, next, around);
        departed(answer.departed, around);
        if constexpr (prefetches)
            if (a.kind != access_kind::store)
                prefetched.demanded(a.address, answer.answer == cache_answer::now);
        if (answer.outcome != cache_outcome::hit) around.wants_row(node, parts_.reply.cta, a.address);
        bool const at_once = answer.answer == cache_answer::now || a.kind == access_kind::store;
        if (at_once && !keeps_atomics() && parts_.reply.kind == packet_kind::atomic)
            mark_written(a.address, a.bytes, around);
        if constexpr (OneReply) {
            gather(place, !at_once, around.numbers.parts);
        } else if (!parts_.posted) {
            if (at_once)
                replies.answer(parts_.reply, next, out, end);
            else
                replies.answer_at(place, parts_.reply);
        } else {
            unasked_ += parts_.reply.bytes;
        }
        [[maybe_unused]] auto const before = a.address;
        bool const more = go_on(around);
        if constexpr (OneReply) {
            if (!more) replies.all_asked(place, next, out, end);
        } else if constexpr (ahead) {
            if (more) tell_next(before, next, answer.outcome, around);
        }
    }
    /// By which a part of the packet in front waits for its data, where all have one reply.
    std::uint32_t token_of_parts() {
        return parts_.done != 0 ? gathered_ : reply_port::for_parts(replies.free_place());
    }
    /// The next part has been asked for; `waits`: its data has not come.
    void gather(std::uint32_t token, bool waits, part_numbers const& numbers) {
        if (parts_.done == 0) {
            gathered_ = token;
            auto reply = requests.front();
            reply.slice = static_cast<std::uint16_t>(node);
            reply.flits = numbers.reply_flits(reply);
            replies.gather_at(token, reply);
        }
        if (waits) replies.awaits_part(token);
    }
    /// The part was served in the cycle before tick `next`.
    [[gnu::always_inline]] void tell_access(cache_outcome outcome, tick next, surroundings const& around) {
        if (!around.told_of(requests.front().core)) return;
        auto const& a = parts_.access;
        around.accessed(node, a, parts_.reply.address,
                        a.address >> around.numbers.line_shift << around.numbers.line_shift, outcome,
                        requests.front().born, around.heard_at(requests.ready()),
                        around.heard_at(next - around.numbers.clock.period()));
    }
    /// What is known of the next part, when the one before it, at `before`, has had this outcome.
    [[gnu::always_inline]] void tell_next(std::uint64_t before, tick next, cache_outcome outcome,
                                          surroundings const& around) noexcept {
        if (stays_as_found() && parts_.plain && outcome == cache_outcome::hit &&
            parts_.access.kind == access_kind::load)
            hits_ = l2.hits_behind(before, parts_.bytes - parts_.done);
        else if (!prefetches && (new_line_ || outcome == cache_outcome::miss))
            foresee(before, next, around);
    }
    /// The next part is a sector of a line that the one before has found, and hits as that one did.
    /// Abbreviates the look-up of `l2_slice::serve`.
    [[gnu::always_inline]] void hit_again(tick next, tick end, surroundings const& around,
                                          link<packet>& out) {
        --hits_;
        l2.hit_again();
        tell_access(cache_outcome::hit, next, around);
        replies.answer(parts_.reply, next, out, end);
        go_on(around);
    }
    /// The same of a line that came in with an earlier part: it misses. Precondition: not refuses_miss().
    /// Abbreviates the look-up of `l2_slice::serve`.
    [[gnu::always_inline]] void miss_again(tick next, surroundings const& around) {
        auto const place = replies.free_place();
        parts_.access.token = place;
        l2.miss_again(parts_.access);
        tell_access(cache_outcome::sector_miss, next, around);
        auto const address = parts_.access.address;
        around.wants_row(node, parts_.reply.cta, address);
        replies.answer_at(place, parts_.reply);
        new_line_ = false;
        if (go_on(around)) foresee(address, next, around);
    }
    /// That part is dealt with; whether there is another one.
    [[gnu::always_inline]] bool go_on(surroundings const& around) {
        held_.next();
        if (parts_.go_on(requests.front(), around.numbers.parts, around.map)) return true;
        requests.pop();
        return false;
    }
    /// An L2 that writes back takes an atomic as one access, by which its sector is dirty from then on.
    bool keeps_atomics() const noexcept { return l2.keeps_stores(memory_space::global); }
    /// Whether a line stays as it is as long as the accesses that are served are for that one.
    bool stays_as_found() const noexcept {
        if constexpr (ahead)
            return !prefetches && keeps_atomics() && l2.reserves();
        else
            return false;
    }
    [[gnu::noinline]] void refuse(refusal why) noexcept { held_.refused(why); }
    /// Refuses a load that is known to need a fetch, as the L2 would.
    [[gnu::always_inline]] bool refuses_miss(surroundings const& around) noexcept {
        if (crowded(around))
            refuse(refusal::miss_queue);
        else if (l2.outstanding() == around.numbers.mshr_entries)
            refuse(refusal::mshr_entry);
        else
            return false;
        return true;
    }
    /// An access that was known to be refused has been.
    [[gnu::noinline]] void count_foreseen(tick at) noexcept {
        if (replies.has_room(at)) held_.count_foreseen();
    }
    /// The access before, to `before`, has brought its line into the L2 or found it brought so: other sectors of it
    /// miss. What would be refused in the cycle at tick `next` unless a place becomes free until then, is refused in
    /// this one.
    /// Abbreviates the cycle in which `l2_slice::serve` would be in vain.
    [[gnu::always_inline]] void foresee(std::uint64_t before, tick next,
                                        surroundings const& around) noexcept {
        new_line_ = l2.reserves() && parts_.access.kind == access_kind::load &&
                    (before ^ parts_.access.address) >> around.numbers.line_shift == 0;
        if (new_line_ && crowded(around)) held_.will_be_refused(next);
    }
    /// The L2 has not the room for requests that a miss needs.
    bool crowded([[maybe_unused]] surroundings const& around) const noexcept {
        if constexpr (ahead)
            return l2.requests() + l2.load_places() > around.numbers.miss_queue;
        else
            return false;
    }
    /// An L2 that does not keep atomics passes the change on.
    void mark_written(std::uint64_t local, std::uint32_t bytes, surroundings around) {
        owed_.add({local, bytes}, passes_on(around));
    }
    /// Whether the L2 has room for a change. That it has none is counted when it is tried for the first time.
    auto passes_on(surroundings const& around) {
        return [this, &around](owed_store const& change, bool first) {
            cache_access a;
            a.address = change.local;
            a.bytes = change.bytes;
            a.kind = access_kind::store;
            auto const answer = l2.access(a);
            departed(answer.departed, around);
            bool const refused = answer.answer == cache_answer::refused;
            if (first && refused) held_.count(answer.reason);
            if constexpr (!ahead)
                if (!refused) held_.let_go(); // the L2 may have changed in any way
            return !refused;
        };
    }
    /// The L2 is off: straight to the DRAM. Whether it had room.
    [[gnu::noinline]] bool pass_by(packet const& p, surroundings around) {
        if (dram.to.full()) return false;
        bool const write = p.kind == packet_kind::write;
        bool const answered = !(write && p.token == no_token);
        auto const place = replies.free_place();
        if (answered) {
            auto reply = p;
            reply.slice = static_cast<std::uint16_t>(node);
            reply.flits = around.numbers.parts.reply_flits(reply);
            replies.answer_at(place, reply);
        } else {
            unasked_ += p.bytes;
        }
        auto const local = around.map.local(p.address);
        around.wants_row(node, p.cta, local);
        ask_dram({local, place, p.bytes, write, answered, l2_owner_of(p)}, around);
        requests.pop();
        return true;
    }
    void drop_requests() {
        for (; l2.has_request(); l2.pop_request()) ++dropped_[l2.front_request().kind != lower_kind::fetch];
    }

    packet_parts parts_;                ///< of the packet in front
    std::uint32_t gathered_ = no_token; ///< token_of_parts()
    bool new_line_ = false;             ///< its line came into the L2 with an earlier part of this packet
    held_access held_;
    std::uint8_t hits_ = 0; ///< sectors that follow in the packet and hit as the one before has
    owed_stores owed_;
    std::uint64_t unasked_ = 0;
    std::array<std::uint64_t, 2> dropped_{};
};

} // namespace warpkit
