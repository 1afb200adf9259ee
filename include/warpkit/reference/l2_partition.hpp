#pragma once
/// \file
/// A memory partition: L2 slices and the DRAM channel behind them (docs/explanation/gpu.md).
///
///   network -> ROP delay -> queue -> L2 slice -> (miss) DRAM delay -> DRAM channel -> fill -> reply -> network

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/row_sharing.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/l2_listeners.hpp>
#include <warpkit/machine/memory_parts.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/machine/policy_parameters.hpp>
#include <warpkit/machine/prefetched_sectors.hpp>
#include <warpkit/reference/cache.hpp>
#include <warpkit/reference/dram_channel.hpp>
#include <warpkit/reference/link.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace warpkit::reference {

/// One L2 slice. P is a memory_policies. Addresses are those within the slice but where packets carry them. What it
/// asks of the DRAM has as token what comes back then: the address of a fetch; with the L2 off, the number of an
/// answer; `no_answer` of a write-back.
template <class P>
class l2_slice {
    using listeners = l2_listeners<P>;

public:
    static constexpr std::uint64_t no_answer = ~std::uint64_t{0};

    fifo_queue<dram::request> to_dram;
    fifo_queue<std::uint64_t> from_dram; ///< tokens
    prefetched_sectors prefetched;

    l2_slice(std::uint32_t number, gpu_parameters const& p)
        : prefetched(p.l2),
          n_(p),
          number_(number),
          l2_(make_cache<cache_of<typename P::l2_cache>, typename P::l2_cache>("l2", p.l2, p.l2_variant,
                                                                               p.policy_parameters)) {}

    /// Cycle `c` of the L2, at tick `now`; what is furthest goes first.
    void tick(cycle c, warpkit::tick now, link<packet>& requests, link<packet>& replies, listeners heard) {
        send_reply(now, replies);
        take_from_dram(c, heard);
        if (l2_.has_request() && to_dram.size() < n_.memory.l2_to_dram_queue) {
            auto const& r = l2_.front_request();
            bool const fetch = r.kind == lower_kind::fetch;
            ask_dram(r.address, r.bytes, !fetch, fetch ? r.address : no_answer,
                     r.kind == lower_kind::write_back ? no_warp : r.owner, heard);
            l2_.pop_request();
        }
        while (!owed_.empty() && pass_on(owed_.front(), heard).answer != cache_answer::refused)
            owed_.pop_front();
        if (!waiting_.empty() && waiting_.front().at <= c) n_.l2.size != 0 ? serve(c, heard) : pass_by(heard);
        take_in(c, now, requests);
    }
    /// The host has copied a sector here. What is evicted for it never reaches the DRAM.
    void copied(std::uint64_t local, listeners heard) {
        if (n_.l2.size == 0) return;
        drop_requests();
        departed(l2_.access({.address = local, .bytes = n_.l2.sector}).departed, heard);
        drop_requests();
        if (l2_.outstanding() != 0) l2_.fill(local, n_.l2.sector, [](std::uint32_t) {});
    }
    /// Whether the L2 has all of a line, or has asked for it.
    bool is_resident(std::uint64_t local, std::uint32_t bytes) const {
        for (std::uint32_t i = 0; i < bytes; i += n_.l2.sector) {
            auto const found = l2_.probe({.address = local + i, .bytes = n_.l2.sector});
            if (found != cache_outcome::hit && found != cache_outcome::hit_reserved) return false;
        }
        return true;
    }
    void kernel_began() { ++kernel_; }
    bool idle() const {
        return waiting_.empty() && answers_.empty() && came_.empty() && leaving_.empty() &&
               l2_.outstanding() == 0;
    }
    void add_to(run_counters& t) const {
        t.l2 += l2_.counters().with_refusals(refusals_);
        prefetched.add_to(t.dram, l2_);
    }

private:
    bool keeps_stores() const { return l2_.keeps_stores(memory_space::global); }

    // ---- replies
    bool has_room() const { return leaving_.size() < n_.memory.l2_output_queue; }
    /// One leaves in a cycle, when the link has the credits. Then one whose data has come takes its place in the queue.
    void send_reply(warpkit::tick now, link<packet>& replies) {
        if (!leaving_.empty() && replies.can_send(now, leaving_.front().flits)) {
            replies.send(now, leaving_.front(), leaving_.front().flits);
            leaving_.pop_front();
        }
        if (came_.empty() || !has_room()) return;
        leaving_.push_back(came_.front());
        came_.pop_front();
    }
    packet reply_to(packet const& p, std::uint64_t address, std::uint32_t bytes) const {
        auto reply = p;
        reply.slice = static_cast<std::uint16_t>(number_);
        reply.address = address;
        reply.bytes = bytes;
        reply.flits = flits_of(reply_bytes(reply), n_.network.flit);
        return reply;
    }

    // ---- from the DRAM
    void take_from_dram(cycle c, listeners heard) {
        auto const& p = l2_.parameters();
        if (!from_dram.empty() && came_.size() <= std::size_t{p.mshr_entries} * p.mshr_merges) {
            auto const answer = from_dram.front();
            from_dram.pop_front();
            if (n_.l2.size == 0) return answered(answer, came_);
            heard.filled(number_, answer, c);
            auto const gone = l2_.fill(answer, n_.l2.sector, [&](std::uint32_t token) {
                auto const& a = answers_.at(token).first;
                if (a.kind == packet_kind::atomic) change(answer, a.bytes, heard);
                answered(token, came_);
            });
            departed(gone, heard);
        } else if (!prefetched.empty()) {
            prefetched.install(l2_, [&](auto, departed_line const& gone) { departed(gone, heard); });
        }
    }
    /// A part of an answer is there, which goes to this queue with the last one.
    void answered(std::uint64_t number, fifo_queue<packet>& to) {
        if (--answers_.at(number).second == 0) to.push_back(answers_.extract(number).mapped().first);
    }
    void departed(departed_line const& d, listeners heard) {
        heard.departed(number_, d);
        prefetched.departed(d);
    }

    // ---- to the DRAM
    void ask_dram(std::uint64_t local, std::uint32_t bytes, bool write, std::uint64_t token, warp_slot owner,
                  listeners heard) {
        auto const at = heard.map.locate(number_, local);
        dram::request r;
        r.token = token;
        r.row = at.row;
        r.column = at.column;
        r.bank = static_cast<std::uint16_t>(at.bank);
        r.write = write;
        r.atoms = n_.dram.atoms_for(bytes);
        if (listeners::dram_asks) r.by = l2_owner::dram_requester(owner, kernel_);
        to_dram.push_back(r);
    }
    void drop_requests() {
        while (l2_.has_request()) l2_.pop_request();
    }

    // ---- the packet in front
    /// Hands the L2 the next part of it, one sector a cycle, if there is room for the reply.
    void serve(cycle c, listeners heard) {
        if (!has_room()) return;
        auto const& p = waiting_.front().what;
        auto const part = part_of(p, done_, n_.l2.sector);
        auto const address = p.address + part.begin;
        bool const one_reply = p.kind == packet_kind::bulk_read;
        auto const reply = one_reply ? reply_to(p, p.address, p.bytes) : reply_to(p, address, part.covers);
        cache_access a{heard.map.local(address), part.bytes};
        a.written = part.written;
        a.kind = p.kind == packet_kind::write                      ? access_kind::store
                 : p.kind == packet_kind::atomic && keeps_stores() ? access_kind::atomic // as one access
                                                                   : access_kind::load;
        a.token = a.kind == access_kind::store ? no_token : static_cast<std::uint32_t>(next_answer_);
        if (listeners::tells || listeners::dram_asks) a.owner = l2_owner_of(p);
        auto const r = l2_.access(a);
        bool const refused_before = std::exchange(refused_, r.answer == cache_answer::refused);
        if (refused_ && !refused_before) refusals_.count(r.reason); // once for each part
        if (refused_) return;
        bool const at_once = r.answer == cache_answer::now || a.kind == access_kind::store;
        heard.accessed(number_, a, address, a.address - a.address % n_.l2.line, r.outcome, p.born,
                       waiting_.front().at, c);
        departed(r.departed, heard);
        if (a.kind != access_kind::store) prefetched.demanded(a.address, r.answer == cache_answer::now);
        if (r.outcome != cache_outcome::hit) heard.wants_row(number_, reply.cta, a.address);
        if (at_once && p.kind == packet_kind::atomic) change(a.address, a.bytes, heard);
        bool const last = (done_ += part.covers) == p.bytes;
        if (is_answered(p)) { // as long as not all of its parts have been asked for, one is missing
            answers_.try_emplace(next_answer_, reply, 1).first->second.second += !at_once;
            if (last || !one_reply) answered(next_answer_++, leaving_);
        }
        if (!last) return;
        done_ = 0;
        waiting_.pop_front();
    }
    /// The L2 is off: the packet goes straight to the DRAM.
    void pass_by(listeners heard) {
        if (to_dram.size() == n_.memory.l2_to_dram_queue) return;
        auto const p = waiting_.front().what;
        auto const local = heard.map.local(p.address);
        heard.wants_row(number_, p.cta, local);
        ask_dram(local, p.bytes, p.kind == packet_kind::write, is_answered(p) ? next_answer_ : no_answer,
                 l2_owner_of(p), heard);
        if (is_answered(p)) answers_[next_answer_++] = {reply_to(p, p.address, p.bytes), 1};
        waiting_.pop_front();
    }
    /// An atomic has changed these bytes: an L2 that does not keep it passes them on, as soon as it has room.
    void change(std::uint64_t local, std::uint32_t bytes, listeners heard) {
        if (keeps_stores()) return;
        cache_access const a{.address = local, .bytes = bytes, .kind = access_kind::store};
        if (owed_.empty()) {
            auto const r = pass_on(a, heard);
            if (r.answer != cache_answer::refused) return;
            refusals_.count(r.reason);
        }
        owed_.push_back(a);
    }
    cache_result pass_on(cache_access const& a, listeners heard) {
        auto const r = l2_.access(a);
        departed(r.departed, heard);
        return r;
    }

    // ---- requests
    /// One packet comes in a cycle, if there is a place in the queue behind the ROP delay. Textures have no such delay.
    void take_in(cycle c, warpkit::tick now, link<packet>& requests) {
        auto const queued =
            std::count_if(waiting_.begin(), waiting_.end(), [&](auto const& w) { return w.at <= c + 1; });
        if (!requests.has_arrived(now) || static_cast<std::size_t>(queued) >= n_.memory.l2_input_queue)
            return;
        auto const p = requests.take(now);
        auto const rop = p.kind == packet_kind::texture ? 0 : std::max(n_.memory.rop_latency, 1U);
        auto const at = c + rop + (is_far(p) ? n_.memory.far_latency : 0) + 1;
        auto const before =
            std::count_if(waiting_.begin(), waiting_.end(), [&](auto const& w) { return w.at <= at; });
        waiting_.insert(waiting_.begin() + before, {at, p});
    }
    /// Whether who asks and this slice lie in different halves of the machine.
    bool is_far(packet const& p) const {
        return in_second_half(p.core, n_.core.count) !=
               in_second_half(number_ / n_.memory.slices, n_.memory.channels);
    }

    gpu_parameters n_;
    std::uint32_t number_ = 0; ///< of all slices of the machine
    cache_of<typename P::l2_cache> l2_;
    fifo_queue<timed<packet>> waiting_; ///< those that have come, in the order in which the L2 may take them
    std::uint32_t kernel_ = ~std::uint32_t{0}; ///< that runs, counted from 0
    std::uint32_t done_ = 0;                   ///< bytes of the packet in front that the L2 has taken
    bool refused_ = false;                     ///< its next part
    /// Those that wait for data, by number, with the parts that they lack.
    std::map<std::uint64_t, std::pair<packet, std::uint32_t>> answers_;
    std::uint64_t next_answer_ = 0;
    fifo_queue<packet> came_;       ///< those whose data has come
    fifo_queue<packet> leaving_;    ///< in the queue to the network
    fifo_queue<cache_access> owed_; ///< stores of what atomics have changed
    cache_counters refusals_;
};

template <class P>
class l2_partition {
    using channel_type =
        dram_channel<typename P::dram_scheduler, typename P::page_policy, typename P::memory_prefetcher>;

public:
    /// The periods of the clocks are in ticks.
    l2_partition(std::uint32_t number, gpu_parameters const& p, warpkit::tick core, warpkit::tick l2,
                 warpkit::tick dram)
        : n_(p),
          first_(number * p.memory.slices),
          l2_period_(l2),
          dram_period_(dram),
          delay_((p.memory.dram_latency * core + dram - 1) / dram),
          map_(p.address_mapping.c_str(), p.memory.channels, p.memory.slices),
          channel_(make_channel(p)),
          rows_(make_dram_observer<typename P::dram_observer>(p)) {
        l2_listeners<P>::check(p);
        slices_ = heap_array<l2_slice<P>>::of(p.memory.slices, [&](std::size_t s) {
            return l2_slice<P>(first_ + static_cast<std::uint32_t>(s), p);
        });
    }

    /// The links are those of all slices of the machine. In a tick the DRAM goes first.
    void tick(warpkit::tick now, std::vector<link<packet>>& requests, std::vector<link<packet>>& replies) {
        if (now % dram_period_ == 0) dram_cycle(now / dram_period_);
        if (now % l2_period_ != 0) return;
        for (std::uint32_t s = 0; s < slices_.size(); ++s)
            slices_[s].tick(now / l2_period_, now, requests[first_ + s], replies[first_ + s], listeners());
    }
    void kernel_began() {
        for (auto& s : slices_) s.kernel_began();
    }
    void copied(std::uint32_t slice, std::uint64_t local) { slices_[slice].copied(local, listeners()); }
    bool idle() const {
        return std::all_of(slices_.begin(), slices_.end(), [](auto const& s) { return s.idle(); });
    }
    /// Adds what was counted here. Throws `error` where a DRAM protocol checker that listens has found a broken rule.
    void add_to(run_counters& t) const {
        t.dram += channel_.counters();
        for (auto const& s : slices_) s.add_to(t);
        check_dram(rows_, first_ / n_.memory.slices);
    }
    typename P::l2_observer const& l2_observer() const { return observer_; }
    typename P::dram_observer const& dram_observer() const { return rows_; }
    void add_to(dram::row_sharing& sum) const {
        if constexpr (requires { rows_.add_to(sum); }) rows_.add_to(sum);
    }

private:
    static channel_type make_channel(gpu_parameters const& p) {
        channel_type made(
            p.dram, p.memory.dram_queue, make_memory_prefetcher<typename P::memory_prefetcher>(p),
            make_page_policy<typename P::page_policy>(p),
            p.memory.dual_command_bus != 0 ? dram::command_bus::dual : dram::command_bus::single_and_row);
        set_policy_parameters(made.scheduler(), p.policy_parameters, "dram_scheduler");
        return made;
    }
    l2_listeners<P> listeners() { return {map_, n_.dram.banks, observer_, rows_}; }
    /// What was read goes to its slice, one datum a cycle; the channel has its cycle; one demand whose delay is over
    /// joins its queue; and one of the slices' sets out, in turn, if so few are under way that all have room when they
    /// return.
    void dram_cycle(cycle now) {
        std::uint64_t local = 0;
        if (!returned_.empty()) {
            auto& to = slice_of(returned_.front(), local).from_dram;
            if (to.size() < n_.memory.dram_to_l2_queue) {
                to.push_back(returned_.front().token);
                returned_.pop_front();
                --in_flight_;
            }
        }
        auto const resident = [&](dram::request const& r) {
            return slice_of(r, local).is_resident(local, r.atoms * n_.dram.atom_bytes());
        };
        for (auto const& r : channel_.tick(now, resident, rows_)) {
            if (r.prefetch) {
                auto& s = slice_of(r, local);
                for (std::uint32_t i = 0; i < r.atoms * n_.dram.atom_bytes(); i += n_.l2.sector)
                    s.prefetched.read(local + i);
            } else if (r.token != l2_slice<P>::no_answer) {
                returned_.push_back(r);
            } else {
                --in_flight_;
            }
        }
        if (!delayed_.empty() && delayed_.front().at <= now && channel_.can_accept(delayed_.front().what)) {
            channel_.push(delayed_.front().what, now);
            delayed_.pop_front();
        }
        if (in_flight_ == n_.memory.dram_queue + n_.memory.dram_return_queue) return;
        for (std::uint32_t i = 0; i < slices_.size(); ++i) {
            auto const s = (turn_ + i) % static_cast<std::uint32_t>(slices_.size());
            auto& from = slices_[s].to_dram;
            if (from.empty()) continue;
            delayed_.push_back({now + delay_, from.front()});
            from.pop_front();
            ++in_flight_;
            turn_ = (s + 1) % static_cast<std::uint32_t>(slices_.size());
            return;
        }
    }
    /// The slice that a place of the DRAM belongs to, and its address there.
    l2_slice<P>& slice_of(dram::request const& r, std::uint64_t& local) {
        dram::location const l{
            .channel = first_ / n_.memory.slices, .bank = r.bank, .row = r.row, .column = r.column};
        local = map_.local_of(l);
        return slices_[map_.sub_partition_of(l) - first_];
    }

    gpu_parameters n_;
    std::uint32_t first_ = 0; ///< of its slices, among all
    warpkit::tick l2_period_ = 1;
    warpkit::tick dram_period_ = 1;
    cycle delay_ = 0; ///< from a slice to the channel's queue
    dram::address_mapping map_;
    heap_array<l2_slice<P>> slices_;
    channel_type channel_;
    typename P::l2_observer observer_{};
    typename P::dram_observer rows_{};
    fifo_queue<timed<dram::request>> delayed_;
    fifo_queue<dram::request> returned_; ///< those that have been read, and are answered
    std::uint32_t in_flight_ = 0;        ///< demands between the slices and their return
    std::uint32_t turn_ = 0;             ///< the slice that is asked first
};

} // namespace warpkit::reference
