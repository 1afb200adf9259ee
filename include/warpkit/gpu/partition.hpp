#pragma once
/// \file
/// One memory partition: its L2 slices and its DRAM channel (SPEC 6.1).
///
///   network -> ROP delay -> L2 queue -> L2 -> (miss) fixed DRAM latency -> DRAM scheduler -> fill -> reply -> network

#include <warpkit/base/clock.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/host_line.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/row_sharing.hpp>
#include <warpkit/gpu/balance.hpp>
#include <warpkit/gpu/l2_events.hpp>
#include <warpkit/gpu/l2_slice.hpp>
#include <warpkit/gpu/link.hpp>
#include <warpkit/gpu/packet.hpp>
#include <warpkit/gpu/parameters.hpp>
#include <warpkit/gpu/policies.hpp>
#include <warpkit/gpu/prefetch_ledger.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpkit {

/// The clocks that a partition runs on.
struct partition_clocks {
    clock_domain core;
    clock_domain l2;
    clock_domain dram;
    friend bool operator==(partition_clocks const&, partition_clocks const&) = default;
};

/// P is a memory_policies.
template <class P>
class partition {
    using l2_cache = typename P::l2_cache;
    using slice = l2_slice<l2_cache>;
    using demand = l2_demand;

    /// Whose a DRAM request is: what its token stands for.
    struct sender {
        std::uint32_t token = no_token; ///< the demand's
        std::uint16_t slice = 0;
        bool answered = true;
        static constexpr sender of(std::uint64_t token) noexcept {
            return {static_cast<std::uint32_t>(token), static_cast<std::uint16_t>(token >> 32),
                    (token >> 48) != 0};
        }
        constexpr std::uint64_t packed() const noexcept {
            return token | std::uint64_t{slice} << 32 | std::uint64_t{answered} << 48;
        }
    };
    struct delayed_request {
        cycle ready = 0; ///< of the DRAM
        dram::request what;
        friend bool operator==(delayed_request const&, delayed_request const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(ready, what);
        }
    };
    /// What has come from the DRAM, and in which of its cycles.
    struct returned_token {
        cycle at = 0;
        std::uint64_t token = 0;
        friend bool operator==(returned_token const&, returned_token const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(at, token);
        }
    };

public:
    partition() = default;
    [[gnu::cold]] partition(unsigned channel, gpu_parameters const& p, partition_clocks const& clocks)
        : clocks_(clocks),
          rop_ticks_(clocks.l2.at(p.memory.rop_latency)),
          delay_cycles_(clocks.dram.first_at_or_after(clocks.core.at(p.memory.dram_latency))),
          sector_(p.l2.sector),
          l2_enabled_(p.l2.size != 0),
          flit_(p.network.flit),
          sector_reply_flits_(static_cast<std::uint16_t>((8 + p.l2.sector + flit_ - 1) / flit_)),
          sector_atoms_(p.dram.atoms_for(p.l2.sector)),
          rop_size_(p.memory.rop_latency + 8),
          input_size_(p.memory.l2_input_queue),
          miss_queue_(p.l2.miss_queue),
          line_shift_(static_cast<std::uint32_t>(std::countr_zero(p.l2.line))),
          limit_(p.memory.dram_queue + p.memory.dram_return_queue),
          slices_(p.memory.slices),
          delay_(limit_),
          returned_(limit_ + 1),
          written_(limit_ + 1),
          channel_(make_channel(p)),
          observer_(make_observer(p)) {
        if (tells && p.core.count > l2_owner::most_cores)
            throw error("core.count = " + std::to_string(p.core.count) +
                        " is more than an L2 observer can tell "
                        "apart; nearest legal value: " +
                        std::to_string(l2_owner::most_cores));
        for (std::uint32_t s = 0; s < p.memory.slices; ++s) {
            auto& x = slices_[s];
            x.node = channel * p.memory.slices + s;
            x.request.token = sender{0, static_cast<std::uint16_t>(s), false}.packed();
            x.request.atoms = sector_atoms_;
            x.waiting = ring<delayed_packet>(rop_size_ + input_size_);
            x.l2 = make_cache<l2_cache>("l2", p.l2, p.l2_variant);
            auto const& numbers = x.l2.parameters(); // some make more of them (streaming)
            mshr_entries_ = numbers.mshr_entries;
            x.ready =
                ring<std::uint32_t>(std::size_t{mshr_entries_} * numbers.mshr_merges); // and one in `come`
            x.replies = ring<std::uint32_t>(p.memory.l2_output_queue);
            x.to_dram = ring<demand>(p.memory.l2_to_dram_queue);
            x.from_dram = ring<std::uint32_t>(p.memory.dram_to_l2_queue);
            if constexpr (prefetches) {
                x.prefetched = ring<std::uint64_t>(64 * (p.l2.line / sector_));
                x.ledger = prefetch_ledger(p.l2.size / sector_);
            }
        }
    }

    /// Simulates all L2 and DRAM cycles before tick `end`; whether any but idle ones. `requests` and `replies` have one
    /// link per slice.
    [[gnu::always_inline]] bool advance(tick end, dram::address_mapping const& map, link<packet>* requests,
                                        link<packet>* replies) {
        return (dram_due_at_ < end || l2_due_ < end || disturbed(end, requests)) &&
               advance_awake(end, map, requests, replies);
    }
    /// The tick before which this partition has nothing to do.
    tick next_event(link<packet> const* requests, link<packet> const* replies) const noexcept {
        auto next = dram_due_at_ < l2_due_ ? dram_due_at_ : l2_due_;
        for (std::uint32_t s = 0; s < slices_.size(); ++s)
            if (auto const t =
                    from_outside(slices_[s], next_input(slices_[s], requests[s]), replies[s], never);
                t < next)
                next = t;
        return next;
    }

    /// The host has copied a sector here: slice `index` holds it at its local address, clean, if it has a line for it.
    /// Precondition: idle(). As in GPGPU-Sim, what is evicted for it never reaches the DRAM.
    void copied(std::uint32_t index, std::uint64_t local, [[maybe_unused]] dram::address_mapping const& map) {
        auto& l2 = slices_[index].l2;
        if (!l2_enabled_) return;
        drop_requests(l2);
        cache_access a;
        a.address = local;
        a.bytes = sector_;
        [[maybe_unused]] auto const departed = l2.access(a).departed;
        if constexpr (tells) tell_departed(slices_[index], map, departed);
        drop_requests(l2);
        if (l2.outstanding() != 0) l2.fill(local, [](std::uint32_t) {});
    }
    /// Nobody waits for an answer; write-backs may still be on their way to the DRAM.
    bool idle() const noexcept {
        for (auto const& s : slices_)
            if (!s.waiting.empty() || s.places != s.answer.size() || s.l2.outstanding() != 0) return false;
        return true;
    }
    /// Bytes of requests taken from the network, and the replies given to it.
    std::uint64_t received() const noexcept {
        std::uint64_t bytes = 0;
        for (auto const& s : slices_) bytes += s.received;
        return bytes;
    }
    traffic sent() const noexcept {
        traffic t;
        for (auto const& s : slices_) t += s.sent;
        return t;
    }
    /// Whether all that came in went out again, or is still here; the bus included.
    [[gnu::cold]] balance balanced() const {
        balance b;
        for (auto const& s : slices_)
            b.flow("bytes asked of a slice, and answered", s.received - s.unasked, s.sent.bytes, idle());
        auto const d = channel_.counters();
        if (l2_enabled_) {
            auto const l2 = l2_counters();
            std::uint64_t under_way = in_flight_ + asking_;
            for (auto const& s : slices_) under_way += s.l2.requests();
            b.flow_but("reads from L2 to DRAM", l2.fetches - dropped_[0], d.reads, under_way);
            b.flow_but("writes from L2 to DRAM", l2.write_backs + l2.stores_passed_on - dropped_[1], d.writes,
                       under_way);
        }
        bool const done = in_flight_ == 0;
        b.flow("bursts read", bursts_asked_[0], d.read_atoms - channel_.prefetched_atoms(), done);
        b.flow("bursts written", bursts_asked_[1], d.write_atoms, done);
        b.same("cycles of the data bus", d.bus_busy_cycles,
               (d.read_atoms + d.write_atoms) * channel_.numbers().burst_cycles());
        if constexpr (prefetches) {
            auto const there = [](slice const& s) {
                return [&s](std::uint64_t a) { return s.l2.contains(a); };
            };
            std::uint64_t sectors = 0;
            for (auto const& s : slices_)
                sectors += s.prefetched.size() + s.ledger.useful() + s.ledger.late() +
                           s.ledger.useless(there(s)) + s.ledger.unused(there(s));
            b.same("prefetched sectors useful, late, useless or still unused", sectors,
                   d.prefetches * (channel_.prefetcher().line_bytes() / sector_));
        }
        return b;
    }
    cache_counters l2_counters() const noexcept {
        cache_counters c;
        for (auto const& s : slices_) c += s.l2.counters();
        return c;
    }
    /// Up to tick `now`, the end of a window.
    dram::channel_counters dram_counters(tick now) const {
        auto c = channel_.counters(clocks_.dram.edges_before(now));
        if constexpr (prefetches)
            for (auto const& s : slices_) {
                c.prefetched_useful += s.ledger.useful();
                c.prefetched_late += s.ledger.late();
                c.prefetched_useless += s.ledger.useless([&](std::uint64_t a) { return s.l2.contains(a); });
            }
        return c;
    }
    /// Throws `error` if the DRAM observer is a protocol checker and has found something.
    void check_dram() const {
        if constexpr (requires { observer_.broken(); })
            if (observer_.broken() != 0)
                throw error("DRAM channel " + std::to_string(slices_[0].node / slices_.size()) + ": " +
                            std::to_string(observer_.broken()) +
                            " broken rules; the first: " + observer_.first());
    }
    /// Adds the rows that its observer has seen shared, if it looks at that.
    void add_to(dram::row_sharing& sum) const {
        if constexpr (requires { observer_.add_to(sum); }) observer_.add_to(sum);
    }
    /// What hears the L2 slices.
    typename P::l2_observer const& l2_observer() const noexcept { return l2_observer_; }
    /// What hears the commands of the channel.
    typename P::dram_observer const& dram_observer() const noexcept { return observer_; }

    friend bool operator==(partition const&, partition const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(slices_, in_flight_, turn_, delay_, returned_, written_, channel_, observer_, l2_next_, dram_next_);
    }

private:
    void drop_requests(l2_cache& l2) {
        for (; l2.has_request(); l2.pop_request()) ++dropped_[l2.front_request().kind != lower_kind::fetch];
    }

    // ---- what is told
    static constexpr bool tells = hears_l2<typename P::l2_observer>;
    /// Takes a slice's local address to that of the machine.
    static std::uint64_t address_of(slice const& s, dram::address_mapping const& map, std::uint64_t local) {
        return map.encode(map.locate(s.node, local));
    }
    static warp_slot owner_of(packet const& p) noexcept {
        return l2_owner::of({p.core, p.warp == packet{}.warp ? no_warp : warp_slot{p.warp}});
    }
    void tell_accessed(slice const& s, dram::address_mapping const& map, cache_outcome outcome) {
        auto const line = s.l2.parameters().geometry.line_bytes;
        notify(l2_accessed{s.node, s.reply.address, address_of(s, map, s.access.address & ~(line - 1ULL)),
                           s.access.bytes, s.access.kind, l2_owner::requester(s.access.owner), outcome},
               l2_observer_);
    }
    void tell_departed(slice const& s, dram::address_mapping const& map, departed_line const& d) {
        if (d)
            notify(l2_evicted{s.node, address_of(s, map, d.line), l2_owner::requester(d.owner),
                              d.how == line_departure::invalidated},
                   l2_observer_);
    }

    // ---- when
    /// Whether a request arrives before `end`, or a credit may that a reply waits for.
    bool disturbed(tick end, link<packet>* requests) const noexcept {
        for (auto const& s : slices_) {
            requests->look(end);
            if (!s.replies.empty() || requests++->next_arrival() < end) return true;
        }
        return false;
    }
    /// (Its steps are many and small: inlined as one they cost a tenth less.)
    [[gnu::flatten]] bool advance_awake(tick end, dram::address_mapping const& map, link<packet>* requests,
                                        link<packet>* replies) {
        auto* request = requests;
        auto* reply = replies;
        for (auto& s : slices_) {
            request->look(end);
            if (auto const t = request->next_arrival(); t < s.due && has_rop_place(s)) s.due = t;
            if (s.wake != in_next_cycle)
                if (auto const t = from_outside(s, s.due, *reply, end); t < s.wake) {
                    s.wake = t;
                    l2_not_after(t);
                }
            ++request;
            ++reply;
        }
        bool any = false;
        while (true) {
            if (dram_due_at_ <= l2_due_) { // the DRAM goes first in a tick
                if (dram_due_at_ >= end) return any;
                dram_cycle(map, end);
            } else {
                if (l2_due_ >= end) return any;
                l2_cycle(map, requests, replies, end);
            }
            any = true;
        }
    }
    static constexpr tick in_next_cycle = 0;
    static tick edge(clock_domain const& clock, tick t) noexcept {
        return clock.at(clock.first_at_or_after(t));
    }
    /// The L2 has something to do at tick `t` or, if that is past, in its next cycle.
    void l2_not_after(tick t) noexcept {
        if (t >= l2_due_) return;
        l2_due_ = t <= l2_next_ ? l2_next_ : edge(clocks_.l2, t);
    }
    /// The same for the DRAM and its cycle `c`.
    void dram_not_after(cycle c) noexcept {
        if (c < dram_next_) c = dram_next_;
        if (c >= dram_due_) return;
        dram_due_ = c;
        dram_due_at_ = c * clocks_.dram.period();
    }
    bool has_rop_place(slice const& s) const noexcept { return s.waiting.size() - s.input != rop_size_; }
    /// When the next packet comes, or is through the ROP and has a place behind it, as far as is known.
    tick next_input(slice const& s, link<packet> const& requests) const noexcept {
        auto const next = s.waiting.size() == s.input ? never : s.waiting[s.input].ready;
        if (!has_rop_place(s)) return next;
        auto const arrival = requests.next_arrival();
        return arrival < next ? arrival : next;
    }
    /// When links bring the slice something to do, as far as it can know in a window that ends at `end`. `due`: its
    /// next_input().
    tick from_outside(slice const& s, tick due, link<packet> const& replies, tick end) const noexcept {
        auto const next = s.input != input_size_ ? due : never;
        if (s.replies.empty()) return next;
        auto const credit = replies.next_credit(end);
        return credit < next ? credit : next;
    }

    // ---- L2
    void l2_cycle(dram::address_mapping const& map, link<packet>* requests, link<packet>* replies, tick end) {
        auto const now = l2_due_;
        l2_next_ = now + clocks_.l2.period();
        asked_dram_ = false;
        auto next = never;
        for (auto& s : slices_) {
            // Mostly there is more to do; when not, a cycle that changes nothing finds out.
            if (s.wake <= now)
                s.wake = slice_cycle(s, now, map, *requests, *replies)
                             ? in_next_cycle
                             : from_outside(s, s.due, *replies, end);
            if (s.wake < next) next = s.wake;
            ++requests;
            ++replies;
        }
        l2_due_ = next <= l2_next_ ? l2_next_ : edge(clocks_.l2, next);
        if (asked_dram_) { // it never works in the past
            if (dram_next_ * clocks_.dram.period() <= now)
                dram_next_ = clocks_.dram.first_at_or_after(now + 1);
            if (in_flight_ < limit_) dram_not_after(dram_next_);
        }
    }
    /// Whether anything changed. If not, nothing will until something comes from the DRAM, or from_outside().
    [[gnu::always_inline]] bool slice_cycle(slice& s, tick now, dram::address_mapping const& map,
                                            link<packet>& requests, link<packet>& replies) {
        bool busy = false;
        if (!s.replies.empty()) {
            auto const place = s.replies.front();
            auto const& p = s.answer[place];
            if (replies.can_send(now, p.flits)) {
                replies.send(now, p, p.flits);
                s.sent.count(p);
                s.replies.pop();
                s.free[s.places++] = place;
                busy = true;
            }
        }
        if (s.come != no_token && !s.replies.full()) {
            s.replies.push(s.come);
            s.come = no_token;
            busy = true;
            if (!s.ready.empty()) [[unlikely]] {
                s.come = s.ready.front();
                s.ready.pop();
            }
        }
        if (!s.from_dram.empty() && !s.ready.full()) {
            take_from_dram(s, map);
            busy = true;
        } else if (prefetches && !s.prefetched.empty()) {
            fill_prefetched(s, map);
            busy = true;
        }
        if (s.l2.has_request() && !s.to_dram.full()) {
            auto const& r = s.l2.front_request();
            bool const fetch = r.kind == lower_kind::fetch;
            ask_dram(s, {r.address, r.mshr, static_cast<std::uint16_t>(r.bytes), !fetch, fetch});
            s.l2.pop_request();
            if (s.lacking == refusal::miss_queue && s.refused && may_be_taken(s)) s.refused = false;
            busy = true;
        }
        if (!s.keeps_atomics())
            while (!s.owed.empty() && pass_on(s, s.owed.front(), map)) s.owed.erase(s.owed.begin());
        if (s.input != 0 && !s.refused) busy |= serve(s, map);
        if (s.due <= now && s.input != input_size_) {
            take_in(s, now, requests);
            busy = true;
        }
        return busy;
    }
    /// A packet is through the ROP, or has come, or both.
    [[gnu::always_inline]] void take_in(slice& s, tick now, link<packet>& requests) {
        if (s.waiting.size() != s.input && s.waiting[s.input].ready <= now) ++s.input;
        if (s.input != input_size_ && requests.has_arrived(now) && has_rop_place(s)) {
            auto& p = s.waiting.extend();
            p.ready = now + rop_ticks_;
            p.content = requests.front();
            requests.pop(now, 1);
            s.received += p.content.bytes;
            if (p.content.kind == packet_kind::texture) s.pass_by_rop();
        }
        s.due = next_input(s, requests);
    }
    /// Data of a fetch has come or, with the L2 off, of an access.
    [[gnu::always_inline]] void take_from_dram(slice& s, [[maybe_unused]] dram::address_mapping const& map) {
        auto const token = s.from_dram.front();
        s.from_dram.pop();
        if (!l2_enabled_) {
            s.data_came(token);
            return;
        }
        auto const local = s.l2.fetched(token);
        if (s.refused) {
            if (s.lacking == refusal::miss_queue)
                s.may_hit = s.may_hit || (!s.new_line && s.l2.same_set(local, s.access.address));
            else
                s.refused = s.lacking == refusal::line_allocation && !s.l2.same_set(local, s.access.address);
        }
        if constexpr (tells) notify(l2_filled{s.node, address_of(s, map, local)}, l2_observer_);
        [[maybe_unused]] auto const departed = s.l2.fill_all(token, [&](std::uint32_t place) {
            if (!s.keeps_atomics() && s.answer[place].kind == packet_kind::atomic)
                mark_written(s, local, s.answer[place].bytes, map);
            s.data_came(place);
        });
        if constexpr (tells) tell_departed(s, map, departed);
    }
    /// A place in the queue of misses has become free: whether that can be enough for the access that was refused. A load
    /// needs two, unless its data has come meanwhile.
    bool may_be_taken(slice const& s) const noexcept {
        return s.access.kind != access_kind::load || s.may_hit ||
               s.l2.requests() + s.l2.load_places() <= miss_queue_;
    }
    /// Hands the L2 the next part of the packet in front: one sector a cycle. Whether anything changed.
    [[gnu::always_inline]] bool serve(slice& s, dram::address_mapping const& map) {
        if (!l2_enabled_) return pass_by(s, s.waiting.front().content, map);
        if (s.replies.full()) return false;
        if (s.new_line && stays_as_found(s)) {
            if (!refuses_miss(s)) miss_again(s, map);
            return true;
        }
        if (s.hits != 0) {
            hit_again(s, map);
            return true;
        }
        if (!s.looked_at) look_at(s, map);
        auto& a = s.access;
        if (a.kind == access_kind::load && refuses_load(s)) return true;
        auto const place = s.free_place();
        a.token = a.kind == access_kind::store ? no_token : place;
        auto const answer = s.l2.access(a);
        if (answer.answer == cache_answer::refused) {
            s.refuse(answer.reason);
            return true;
        }
        if constexpr (tells) {
            tell_accessed(s, map, answer.outcome);
            tell_departed(s, map, answer.departed);
        }
        if constexpr (prefetches)
            if (a.kind != access_kind::store)
                s.ledger.demanded(a.address & ~std::uint64_t{sector_ - 1U},
                                  answer.answer == cache_answer::now);
        if (answer.outcome != cache_outcome::hit) tell_row(s, s.reply.cta, a.address, map);
        bool const at_once = answer.answer == cache_answer::now || a.kind == access_kind::store;
        if (at_once && !s.keeps_atomics() && s.reply.kind == packet_kind::atomic)
            mark_written(s, a.address, a.bytes, map);
        if (!s.posted) {
            s.answer_at(place);
            if (at_once) s.replies.push(place);
        } else {
            s.unasked += s.reply.bytes;
        }
        auto const before = a.address;
        if (!go_on(s, map)) return true;
        if (stays_as_found(s) && s.plain && answer.outcome == cache_outcome::hit &&
            a.kind == access_kind::load)
            s.hits = s.l2.hits_behind(before, s.bytes - s.done);
        else if (!prefetches && (s.new_line || answer.outcome == cache_outcome::miss))
            foresee(s, before);
        return true;
    }
    /// The next part is a sector of a line that the one before has found, and hits as that one did.
    void hit_again(slice& s, dram::address_mapping const& map) {
        --s.hits;
        s.l2.hit_again();
        auto const place = s.free_place();
        s.answer_at(place);
        s.replies.push(place);
        go_on(s, map);
    }
    /// The same of a line that came in with an earlier part: it misses. Precondition: not refuses_miss(s).
    [[gnu::always_inline]] void miss_again(slice& s, dram::address_mapping const& map) {
        auto const place = s.free_place();
        s.access.token = place;
        s.l2.miss_again(s.access);
        auto const address = s.access.address;
        tell_row(s, s.reply.cta, address, map);
        s.answer_at(place);
        s.new_line = false;
        if (go_on(s, map)) foresee(s, address);
    }
    /// That part is dealt with; whether there is another one.
    bool go_on(slice& s, dram::address_mapping const& map) {
        s.done += s.reply.bytes;
        if (s.done != s.bytes) {
            next_access(s, map);
            return true;
        }
        s.done = 0;
        s.looked_at = false;
        s.waiting.pop();
        --s.input;
        return false;
    }
    /// Whether a line stays as it is as long as the accesses that are served are for that one.
    static bool stays_as_found(slice const& s) noexcept {
        return !prefetches && !tells && s.keeps_atomics() && s.l2.reserves();
    }
    /// Refuses the load as the L2 would, if it is plain that it would, for this reason or another one on top of it: a cheap
    /// answer for the usual case of a partition that is full.
    bool refuses_load(slice& s) const noexcept {
        bool const no_place = crowded(s);
        if (!no_place && s.l2.outstanding() != mshr_entries_) return false;
        auto const found = s.l2.probe(s.access);
        if (found == cache_outcome::hit || (found == cache_outcome::hit_reserved && !no_place)) return false;
        return refuses_miss(s);
    }
    /// The same of one that is known to need a fetch.
    bool refuses_miss(slice& s) const noexcept {
        if (crowded(s))
            s.refuse(refusal::miss_queue);
        else if (s.l2.outstanding() == mshr_entries_)
            s.refuse(refusal::mshr_entry);
        else
            return false;
        return true;
    }
    /// The access before, to `before`, has brought its line into the L2 or found it brought so: other sectors of it miss.
    /// What would be refused in the next cycle unless a place becomes free until then, is refused in this one.
    void foresee(slice& s, std::uint64_t before) const noexcept {
        s.new_line = s.l2.reserves() && s.access.kind == access_kind::load &&
                     (before ^ s.access.address) >> line_shift_ == 0;
        if (s.new_line && crowded(s)) s.refuse(refusal::miss_queue);
    }
    /// The L2 has not the room for requests that a miss needs.
    bool crowded(slice const& s) const noexcept { return s.l2.requests() + s.l2.load_places() > miss_queue_; }
    /// The packet in front is a new one.
    [[gnu::always_inline]] void look_at(slice& s, dram::address_mapping const& map) {
        auto const& p = s.waiting.front().content;
        s.looked_at = true;
        s.local = map.local(p.address);
        s.bytes = p.bytes;
        s.new_line = false;
        s.posted = p.kind == packet_kind::write && p.token == no_token;
        s.access.written = {};
        s.access.kind = p.kind == packet_kind::write                         ? access_kind::store
                        : p.kind == packet_kind::atomic && s.keeps_atomics() ? access_kind::atomic
                                                                             : access_kind::load;
        if constexpr (tells) s.access.owner = owner_of(p);
        s.reply = p;
        s.reply.slice = static_cast<std::uint16_t>(s.node);
        if ((p.address ^ (p.address + p.bytes - 1)) < sector_) { // one part
            s.access.address = s.local;
            s.access.bytes = p.bytes;
            s.access.written = p.written;
            s.reply.flits = reply_flits(s.reply);
            return;
        }
        s.whole = (p.written[0] | p.written[1]) == 0 || p.written == bytes_of(p);
        s.plain = s.whole && ((p.address | p.bytes) & (sector_ - 1)) == 0 &&
                  (p.address ^ (p.address + p.bytes - 1)) >> map.low_column_bits() == 0;
        if (!s.plain) return next_access(s, map);
        s.access.address = s.local;
        s.access.bytes = s.reply.bytes = sector_;
        s.reply.flits = reply_flits(s.reply);
    }
    /// Makes the access for its next part, and the reply to it.
    void next_access(slice& s, dram::address_mapping const& map) {
        auto& a = s.access;
        if (s.plain) {
            a.address += sector_;
            s.reply.address += sector_;
            return;
        }
        auto const& p = s.waiting.front().content;
        auto skipped = s.done; // from the packet's address to the first byte of that part
        if (s.whole)
            s.reply.bytes = a.bytes = in_sector(p, s.done);
        else
            skipped = next_written(s, p);
        auto const address = p.address + skipped;
        a.address =
            (p.address ^ address) >> map.low_column_bits() == 0 ? s.local + skipped : map.local(address);
        s.reply.address = address;
        s.reply.flits = reply_flits(s.reply);
    }
    /// The next sector with a written byte, and the unwritten ones around it; where in the packet it begins.
    [[gnu::noinline]] std::uint32_t next_written(slice& s, packet const& p) const noexcept {
        auto at = s.done;
        auto begin = at;
        s.access.bytes = 0;
        while (at < p.bytes) {
            auto const bytes = in_sector(p, at);
            auto const piece = within(p.written, static_cast<std::uint32_t>((p.address + at) % 128), bytes);
            if ((piece[0] | piece[1]) != 0) {
                if (s.access.bytes != 0) break;
                begin = at;
                s.access.bytes = bytes;
                s.access.written = piece;
            }
            at += bytes;
        }
        s.reply.bytes = at - s.done;
        return begin;
    }
    /// Bytes of the packet, from its byte `at` on, that lie in that one's sector.
    std::uint32_t in_sector(packet const& p, std::uint32_t at) const noexcept {
        auto const room = sector_ - (static_cast<std::uint32_t>(p.address + at) & (sector_ - 1));
        return p.bytes - at < room ? p.bytes - at : room;
    }
    std::uint16_t reply_flits(packet const& p) const noexcept {
        if (p.kind == packet_kind::read && p.bytes == sector_) return sector_reply_flits_;
        return static_cast<std::uint16_t>((reply_bytes(p) + flit_ - 1) / flit_);
    }
    /// Any other passes the change on.
    void mark_written(slice& s, std::uint64_t local, std::uint32_t bytes, dram::address_mapping const& map) {
        owed_store const change{local, bytes};
        if (!s.owed.empty() || !pass_on(s, change, map)) s.owed.push_back(change);
    }
    /// Whether the L2 had room.
    bool pass_on(slice& s, owed_store const& change, [[maybe_unused]] dram::address_mapping const& map) {
        cache_access a;
        a.address = change.local;
        a.bytes = change.bytes;
        a.kind = access_kind::store;
        auto const answer = s.l2.access(a);
        if constexpr (tells) tell_departed(s, map, answer.departed);
        return answer.answer != cache_answer::refused;
    }
    /// The L2 is off: straight to the DRAM. Whether it had room.
    bool pass_by(slice& s, packet const& p, dram::address_mapping const& map) {
        if (s.to_dram.full()) return false;
        bool const write = p.kind == packet_kind::write;
        bool const answered = !(write && p.token == no_token);
        auto const place = s.free_place();
        if (answered) {
            --s.places;
            auto& reply = s.answer[place];
            reply = p;
            reply.slice = static_cast<std::uint16_t>(s.node);
            reply.flits = reply_flits(reply);
        } else {
            s.unasked += p.bytes;
        }
        auto const local = map.local(p.address);
        tell_row(s, p.cta, local, map);
        ask_dram(s, {local, place, static_cast<std::uint16_t>(p.bytes), write, answered});
        s.waiting.pop();
        --s.input;
        return true;
    }
    /// Where somebody listens: which row a CTA wants, that the L2 has not.
    void tell_row([[maybe_unused]] slice const& s, [[maybe_unused]] std::uint32_t cta,
                  [[maybe_unused]] std::uint64_t local, [[maybe_unused]] dram::address_mapping const& map) {
        if constexpr (hears<typename P::dram_observer, dram::row_access>) {
            if (cta == no_cta) return;
            if constexpr (requires { observer_.wants_rows(); })
                if (!observer_.wants_rows()) return;
            auto const at = map.locate(s.node, local);
            observer_.on(dram::row_access{at.channel * channel_.numbers().banks + at.bank, at.row, cta});
        }
    }
    /// Precondition: there is room in to_dram.
    void ask_dram(slice& s, demand const& d) noexcept {
        s.to_dram.push(d);
        ++asking_;
        asked_dram_ = true;
    }
    /// The request that the DRAM is given for it.
    [[gnu::always_inline]] void write_request(dram::request& r, slice& s, demand const& d,
                                              dram::address_mapping const& map) {
        auto const block = d.local >> map.low_column_bits();
        if (block != s.block) {
            s.block = block;
            auto const first = block << map.low_column_bits();
            auto const at = map.locate(s.node, first);
            s.request.row = at.row;
            s.request.bank = static_cast<std::uint16_t>(at.bank);
            s.column = at.column - static_cast<std::uint32_t>(first);
        }
        r = s.request;
        r.token = s.request.token | sender{d.token, 0, d.answered}.packed();
        r.column = s.column + static_cast<std::uint32_t>(d.local);
        r.write = d.write;
        if (d.bytes != sector_) r.atoms = channel_.numbers().atoms_for(d.bytes);
        bursts_asked_[d.write] += r.atoms;
    }

    /// The mask of all its bytes; it lies within one block.
    static block_bytes bytes_of(packet const& p) noexcept {
        constexpr block_bytes all{~std::uint64_t{0}, ~std::uint64_t{0}};
        return p.bytes == 128 ? all : within(all, static_cast<std::uint32_t>(p.address % 128), p.bytes);
    }
    /// The bits of `mask` for `bytes` bytes from byte `begin` of the 128-byte block on.
    static block_bytes within(block_bytes const& mask, std::uint32_t begin, std::uint32_t bytes) noexcept {
        block_bytes r{};
        for (std::uint32_t w = 0; w < 2; ++w) {
            auto const low = begin > 64 * w ? begin - 64 * w : 0;
            auto const high = begin + bytes > 64 * w ? begin + bytes - 64 * w : 0;
            if (low >= 64 || high == 0) continue;
            auto const upto = high >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << high) - 1;
            r[w] = mask[w] & upto & ~((std::uint64_t{1} << low) - 1);
        }
        return r;
    }

    // ---- DRAM
    using dram_channel =
        dram::channel<typename P::dram_scheduler, typename P::page_policy, typename P::memory_prefetcher>;
    static constexpr bool prefetches =
        !std::is_same_v<typename P::memory_prefetcher, dram::no_memory_prefetch>;
    /// The channel looks into the L2, or answers some requests before those that came first: it keeps to the slices' time.
    static constexpr bool in_step = prefetches || dram_channel::answers_at_once;

    static dram_channel make_channel(gpu_parameters const& p) {
        if constexpr (!prefetches) {
            return dram_channel(p.dram, p.memory.dram_queue);
        } else {
            dram::prefetch_numbers n;
            n.line_bytes = p.l2.line;
            n.lower = p.memory.prefetch_lower;
            n.higher = p.memory.prefetch_higher;
            n.threshold = p.memory.prefetch_threshold;
            n.shift = p.memory.prefetch_shift;
            n.skip_resident = p.memory.prefetch_skips_resident != 0;
            n.row_bytes = dram::address_mapping(p.address_mapping.c_str(), p.memory.channels, p.memory.slices)
                              .row_bytes();
            auto const q = p.memory.dram_queue;
            return dram_channel(p.dram, {q, q, q, {}}, dram::command_bus::single_and_row, {}, {},
                                typename P::memory_prefetcher(p.dram, n));
        }
    }
    static typename P::dram_observer make_observer([[maybe_unused]] gpu_parameters const& p) {
        using observer = typename P::dram_observer;
        if constexpr (std::is_constructible_v<observer, dram::timing const&, unsigned, bool, bool>)
            return observer(p.dram, 2, p.dram_checker == "on", p.row_sharing == "on");
        else if constexpr (std::is_constructible_v<observer, dram::timing const&, unsigned>)
            return observer(p.dram, 2);
        else
            return {};
    }
    /// What the channel calls when a transfer ends, and asks about lines of the L2.
    struct transfer_ends {
        partition& self;
        dram::address_mapping const& map;
        cycle now;
        void operator()(dram::request const& r) const requires in_step { end(r, now); }
        void operator()(dram::request const& r, cycle at) const requires(!in_step) { end(r, at); }
        void end(dram::request const& r, cycle at) const {
            if constexpr (prefetches)
                if (r.prefetch) return self.take_prefetch(r, map, self.clocks_.dram.at(at));
            if (sender::of(r.token).answered) {
                if (self.returned_at_ == never) self.returned_at_ = at;
                self.returned_.push({at, r.token});
            } else {
                self.written_.push(at);
            }
        }
        /// Whether the L2 has all of a line, or has asked for it.
        bool resident(dram::request const& r) const {
            std::uint64_t local = 0;
            auto const& s = self.slice_of(r, map, local);
            for (std::uint32_t i = 0; i < self.prefetch_bytes(r); i += self.sector_) {
                auto const found = s.l2.probe({.address = local + i, .bytes = self.sector_});
                if (found != cache_outcome::hit && found != cache_outcome::hit_reserved) return false;
            }
            return true;
        }
    };
    std::uint32_t prefetch_bytes(dram::request const& r) const noexcept {
        return r.atoms * channel_.numbers().atom_bytes();
    }
    slice& slice_of(dram::request const& r, dram::address_mapping const& map, std::uint64_t& local) noexcept {
        auto const slices = static_cast<std::uint32_t>(slices_.size());
        dram::location l;
        l.channel = slices_[0].node / slices;
        l.bank = r.bank;
        l.row = r.row;
        l.column = r.column;
        local = map.local_of(l);
        return slices_[map.sub_partition_of(l) - slices_[0].node];
    }
    /// A prefetched line has been read: its sectors queue up for the L2. One that finds no room is dropped.
    void take_prefetch(dram::request const& r, dram::address_mapping const& map, tick now) {
        std::uint64_t local = 0;
        auto& s = slice_of(r, map, local);
        for (std::uint32_t i = 0; i < prefetch_bytes(r); i += sector_) {
            if (!l2_enabled_ || s.prefetched.full())
                s.ledger.was_there();
            else
                s.prefetched.push(local + i);
        }
        wake_slice(s, now);
    }
    /// Puts a prefetched sector into the L2; what that evicts goes its way. It waits where there is no room; one that is
    /// reserved for a demand is dropped (SPEC 6.7).
    void fill_prefetched(slice& s, [[maybe_unused]] dram::address_mapping const& map) {
        auto const address = s.prefetched.front();
        auto const found = s.l2.probe({.address = address, .bytes = sector_});
        departed_line departed;
        if (found == cache_outcome::hit)
            s.ledger.was_there();
        else if (found == cache_outcome::hit_reserved)
            s.ledger.was_late();
        else if (!s.l2.install(address, departed))
            return;
        else {
            s.ledger.filled(address, [&s](std::uint64_t a) { return s.l2.contains(a); });
            s.refused = s.refused && !s.l2.same_set(address, s.access.address);
            if constexpr (tells) tell_departed(s, map, departed);
        }
        s.prefetched.pop();
    }
    /// The DRAM has given the slice something to do at tick `now`.
    void wake_slice(slice& s, tick now) noexcept {
        s.wake = in_next_cycle;
        if (l2_next_ < now) l2_next_ = edge(clocks_.l2, now);
        l2_not_after(now);
    }
    /// The requests whose delay is over, as the channel takes them.
    struct delayed_requests {
        partition& self;
        cycle ready() const noexcept { return self.delay_ends_; }
        dram::request const& front() const noexcept { return self.delay_.front().what; }
        void pop() const noexcept {
            self.delay_.pop();
            self.delay_ends_ = self.delay_.empty() ? never : self.delay_.front().ready;
        }
    };
    /// The channel, from cycle `now` up to the end of the window: what reaches it until then waits in `delay_` already.
    [[gnu::noinline, gnu::flatten]] void run_channel(cycle now, tick end, dram::address_mapping const& map) {
        cycle const ahead = in_step || delay_cycles_ == 0 ? 1 : delay_cycles_;
        auto const last = clocks_.dram.edges_before(end);
        auto const until = last - now > ahead ? now + ahead : last;
        delayed_requests const queue{*this};
        transfer_ends const done{*this, map, now};
        if constexpr (std::is_same_v<typename P::dram_observer, no_observer>)
            channel_due_ = channel_.run(now, until, queue, done);
        else
            channel_due_ = channel_.run(now, until, queue, done, observer_);
    }
    /// What the DRAM does for the slices in a cycle: it gives one what it has read, and lets a demand in.
    void dram_cycle(dram::address_mapping const& map, tick end) {
        auto const now = dram_due_;
        auto const at = dram_due_at_;
        dram_next_ = now + 1;
        if (channel_due_ <= now) run_channel(now, end, map);
        if (returned_at_ < now) {
            auto const to = sender::of(returned_.front().token);
            auto& s = slices_[to.slice];
            if (!s.from_dram.full()) {
                s.from_dram.push(to.token);
                --in_flight_;
                returned_.pop();
                returned_at_ = returned_.empty() ? never : returned_.front().at;
                wake_slice(s, at);
            }
        }
        for (; !written_.empty() && written_.front() <= now; written_.pop()) --in_flight_;
        if (asking_ != 0 && in_flight_ < limit_) take_demand(now, at, map);
        if (returned_at_ <= now || (asking_ != 0 && in_flight_ < limit_)) {
            dram_due_ = now + 1;
            dram_due_at_ = at + clocks_.dram.period();
            return;
        }
        dram_due_ = returned_at_ < channel_due_ ? returned_at_ + 1 : channel_due_;
        if (!written_.empty() && written_.front() < dram_due_) dram_due_ = written_.front();
        if (dram_due_ <= now) dram_due_ = now + 1;
        dram_due_at_ = clocks_.dram.at(dram_due_);
    }
    /// The next slice in turn hands a demand over.
    [[gnu::always_inline]] void take_demand(cycle now, tick at, dram::address_mapping const& map) {
        auto const slices = static_cast<std::uint32_t>(slices_.size());
        for (std::uint32_t i = 0; i < slices; ++i) {
            auto const k = turn_ + i < slices ? turn_ + i : turn_ + i - slices;
            auto& s = slices_[k];
            if (s.to_dram.empty()) continue;
            if (s.to_dram.full()) wake_slice(s, at); // there is room for one more of its misses
            auto& d = delay_.extend();
            d.ready = now + delay_cycles_;
            write_request(d.what, s, s.to_dram.front(), map);
            if (delay_ends_ == never) {
                delay_ends_ = d.ready;
                if (d.ready < channel_due_) channel_due_ = d.ready;
            }
            s.to_dram.pop();
            --asking_;
            ++in_flight_;
            turn_ = k + 1;
            return;
        }
    }

    partition_clocks clocks_;
    tick rop_ticks_ = 0;
    cycle delay_cycles_ = 0;    ///< from the L2 to the channel
    std::uint32_t sector_ = 32; ///< a power of two
    bool l2_enabled_ = true;
    std::uint32_t flit_ = 32;
    std::uint16_t sector_reply_flits_ = 1;
    std::uint32_t sector_atoms_ = 1;
    std::uint32_t rop_size_ = 1;
    std::uint32_t input_size_ = 1;
    std::uint32_t miss_queue_ = 1; ///< of a slice
    std::uint32_t line_shift_ = 7;
    std::uint32_t mshr_entries_ = 1;
    std::uint32_t limit_ = 1; ///< requests between the L2 and the return from DRAM
    std::uint32_t in_flight_ = 0;
    std::uint32_t asking_ = 0; ///< demands in all to_dram
    std::uint32_t turn_ = 0;   ///< the slice that goes first to the DRAM
    heap_array<slice> slices_;
    ring<delayed_request> delay_;
    cycle delay_ends_ = never;      ///< of the first in `delay_`
    ring<returned_token> returned_; ///< in order of their cycles
    cycle returned_at_ = never;     ///< of the first in `returned_`
    ring<cycle> written_;           ///< when what nobody waits for ends
    dram_channel channel_;
    [[no_unique_address]] typename P::dram_observer observer_{};
    std::array<std::uint64_t, 2> bursts_asked_{}; ///< of the DRAM, read and written
    std::array<std::uint64_t, 2> dropped_{}; ///< reads and writes that the L2 asked for while the host copied
    tick l2_next_ = 0;                       ///< the first L2 cycle that has not passed
    [[no_unique_address]] typename P::l2_observer l2_observer_{};
    tick l2_due_ = never;   ///< the first in which there is something to do, as far as is known
    cycle dram_next_ = 0;   ///< the first DRAM cycle that has not passed
    cycle dram_due_ = 0;    ///< the first in which there is something to do
    tick dram_due_at_ = 0;  ///< its tick
    cycle channel_due_ = 0; ///< the first in which the channel has, which may have run ahead of `dram_next_`
    bool asked_dram_ = false; ///< in this L2 cycle
    host_gap gap_;
};

} // namespace warpkit
