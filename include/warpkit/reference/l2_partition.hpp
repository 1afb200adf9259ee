#pragma once
/// \file
/// A memory partition: L2 slices and the DRAM channel behind them (docs/explanation/gpu.md).
///
///   network -> ROP delay -> queue -> L2 slice -> (miss) DRAM delay -> DRAM channel -> fill -> reply -> network

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/prefetch.hpp>
#include <warpkit/dram/row_access.hpp>
#include <warpkit/dram/row_sharing.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/l2_events.hpp>
#include <warpkit/machine/memory_parts.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/machine/policy_parameters.hpp>
#include <warpkit/reference/cache.hpp>
#include <warpkit/reference/dram_channel.hpp>
#include <warpkit/reference/link.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <type_traits>
#include <vector>

namespace warpkit::reference {

/// What an L2 slice asks of the DRAM.
struct dram_demand {
    dram::request what;
    std::uint32_t slice = 0; ///< within the partition
    bool answered = true;    ///< not of a write-back
    std::uint64_t answer =
        0; ///< what has come then: the address of a fetch; with the L2 off, the number of a packet
    friend bool operator==(dram_demand const&, dram_demand const&) = default;
};

/// One L2 slice. P is a memory_policies. Addresses are those within the slice but where packets carry them.
template <class P>
class l2_slice {
    static constexpr bool tells = hears_l2<typename P::l2_observer>;
    static constexpr bool dram_asks = dram::asks_who<typename P::dram_scheduler>;

public:
    std::deque<dram_demand> to_dram;
    std::deque<std::uint64_t> from_dram;
    std::deque<std::uint64_t> prefetched; ///< sectors that the memory prefetcher has read, on their way in

    l2_slice(std::uint32_t number, std::uint32_t of_partition, gpu_parameters const& p)
        : n_(p),
          number_(number),
          of_partition_(of_partition),
          map_(p.address_mapping.c_str(), p.memory.channels, p.memory.slices),
          l2_(make_cache<cache_of<typename P::l2_cache>, typename P::l2_cache>("l2", p.l2, p.l2_variant,
                                                                               p.policy_parameters)) {}

    /// Cycle `c` of the L2, at tick `now`; what is furthest goes first.
    void tick(cycle c, warpkit::tick now, link<packet>& requests, link<packet>& replies,
              typename P::l2_observer& observer, typename P::dram_observer& rows) {
        send_reply(now, replies);
        take_from_dram(observer);
        if (l2_.has_request() && to_dram.size() < n_.memory.l2_to_dram_queue) {
            auto const& r = l2_.front_request();
            bool const fetch = r.kind == lower_kind::fetch;
            ask_dram(r.address, r.bytes, !fetch, r.address, fetch,
                     r.kind == lower_kind::write_back ? no_warp : r.owner);
            l2_.pop_request();
        }
        while (!owed_.empty() && pass_on(owed_.front(), observer)) owed_.pop_front();
        if (!waiting_.empty() && waiting_.front().ready <= c)
            n_.l2.size != 0 ? serve(observer, rows) : pass_by(rows);
        take_in(c, now, requests);
    }
    /// The host has copied a sector here. What is evicted for it never reaches the DRAM.
    void copied(std::uint64_t local, typename P::l2_observer& observer) {
        if (n_.l2.size == 0) return;
        drop_requests();
        departed(l2_.access({.address = local, .bytes = n_.l2.sector}).departed, observer);
        drop_requests();
        if (l2_.outstanding() != 0) l2_.fill(local, n_.l2.sector);
    }
    /// A prefetched sector has been read. One that finds no room is dropped, or no L2.
    void take_prefetched(std::uint64_t local) {
        if (n_.l2.size != 0 && prefetched.size() < 64 * (n_.l2.line / n_.l2.sector))
            prefetched.push_back(local);
        else
            ++useless_;
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

    // ---- what it counts
    void add_to(run_counters& t) const {
        t.l2 += l2_.counters().with_refusals(refusals_);
        t.dram.prefetched_useful += useful_;
        t.dram.prefetched_late += late_;
        t.dram.prefetched_useless += useless_;
        for (auto const sector : unused_) t.dram.prefetched_useless += !l2_.contains(sector);
    }
    friend bool operator==(l2_slice const&, l2_slice const&) = default;

private:
    struct waiting_packet {
        cycle ready = 0; ///< the first cycle in which the L2 may take it
        packet content;
        friend bool operator==(waiting_packet const&, waiting_packet const&) = default;
    };
    /// What lies in one sector of a packet, with the unwritten bytes around it.
    struct part {
        cache_access access;
        packet reply; ///< to it; its bytes are those of the packet that it stands for
    };
    struct written_bytes {
        std::uint64_t local = 0;
        std::uint32_t bytes = 0;
        friend bool operator==(written_bytes const&, written_bytes const&) = default;
    };

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

    // ---- from the DRAM
    void take_from_dram(typename P::l2_observer& observer) {
        auto const& p = l2_.parameters();
        if (!from_dram.empty() && came_.size() <= std::size_t{p.mshr_entries} * p.mshr_merges) {
            auto const answer = from_dram.front();
            from_dram.pop_front();
            if (n_.l2.size == 0) return has_come(answer);
            if constexpr (tells) notify(l2_filled{number_, address_of(answer)}, observer);
            auto const f = l2_.fill(answer, n_.l2.sector);
            for (auto const token : f.tokens) {
                if (token == no_token) continue;
                auto const& a = answers_.at(token);
                if (a.kind == packet_kind::atomic) change(answer, a.bytes, observer);
                has_come(token);
            }
            departed(f.departed, observer);
        } else if (!prefetched.empty()) {
            install(prefetched.front(), observer);
        }
    }
    void has_come(std::uint64_t answer) {
        came_.push_back(answers_.at(answer));
        answers_.erase(answer);
    }
    /// A prefetched sector waits where there is no room for it; one that is on its way for a demand is dropped.
    void install(std::uint64_t sector, typename P::l2_observer& observer) {
        auto const found = l2_.probe({.address = sector, .bytes = n_.l2.sector});
        departed_line gone;
        if (found == cache_outcome::hit) {
            ++useless_;
        } else if (found == cache_outcome::hit_reserved) {
            ++late_;
        } else {
            if (!l2_.install(sector, gone)) return;
            useless_ += !unused_.insert(sector).second; // it has left and come again
            departed(gone, observer);
        }
        prefetched.pop_front();
    }

    // ---- to the DRAM
    void ask_dram(std::uint64_t local, std::uint32_t bytes, bool write, std::uint64_t answer, bool answered,
                  warp_slot owner) {
        auto const at = map_.locate(number_, local);
        dram_demand d{{}, of_partition_, answered, answer};
        d.what.row = at.row;
        d.what.column = at.column;
        d.what.bank = static_cast<std::uint16_t>(at.bank);
        d.what.write = write;
        d.what.atoms = n_.dram.atoms_for(bytes);
        if (dram_asks) d.what.by = l2_owner::dram_requester(owner, kernel_);
        to_dram.push_back(d);
    }
    void drop_requests() {
        while (l2_.has_request()) l2_.pop_request();
    }

    // ---- the packet in front
    /// Hands the L2 the next part of it, one sector a cycle, if there is room for the reply.
    void serve(typename P::l2_observer& observer, typename P::dram_observer& rows) {
        if (!has_room()) return;
        auto const& p = waiting_.front().content;
        auto const [a, reply] = next_part(p);
        auto const r = l2_.access(a);
        if (r.answer == cache_answer::refused) {
            if (!refused_) refusals_.count(r.reason); // once for each part
            refused_ = true;
            return;
        }
        refused_ = false;
        bool const at_once = r.answer == cache_answer::now || a.kind == access_kind::store;
        bool const hit = r.outcome == cache_outcome::hit;
        if constexpr (tells)
            notify(l2_accessed{number_, reply.address, address_of(a.address - a.address % n_.l2.line),
                               a.bytes, a.kind, l2_owner::requester(a.owner), r.outcome},
                   observer);
        departed(r.departed, observer);
        auto const sector = a.address - a.address % n_.l2.sector;
        if (a.kind != access_kind::store && unused_.erase(sector) != 0)
            ++(r.answer == cache_answer::now ? useful_ : useless_);
        if (!hit) tell_row(reply.cta, a.address, rows);
        if (at_once && p.kind == packet_kind::atomic && !l2_.keeps_stores(memory_space::global))
            change(a.address, a.bytes, observer);
        if (at_once && wants_answer(p)) leaving_.push_back(reply);
        if (!at_once) answers_[next_answer_++] = reply;
        done_ += reply.bytes;
        if (done_ < p.bytes) return;
        done_ = 0;
        waiting_.pop_front();
    }
    /// The L2 is off: the packet goes straight to the DRAM.
    void pass_by(typename P::dram_observer& rows) {
        if (to_dram.size() == n_.memory.l2_to_dram_queue) return;
        auto const p = waiting_.front().content;
        auto const local = map_.local(p.address);
        tell_row(p.cta, local, rows);
        ask_dram(local, p.bytes, p.kind == packet_kind::write, next_answer_, wants_answer(p), owner_of(p));
        if (wants_answer(p)) answers_[next_answer_++] = reply_to(p, p.address, p.bytes);
        waiting_.pop_front();
    }
    part next_part(packet const& p) const {
        part next;
        auto& a = next.access;
        a.bytes = 0;
        auto const sector = n_.l2.sector;
        auto at = done_;
        while (at < p.bytes) {
            auto const address = p.address + at;
            auto const here =
                std::min<std::uint32_t>(p.bytes - at, sector - static_cast<std::uint32_t>(address % sector));
            bool const all = p.written[0] == 0 && p.written[1] == 0;
            block_bytes written{};
            for (auto b = address; b < address + here; ++b)
                written[b % 128 / 64] |= p.written[b % 128 / 64] & std::uint64_t{1} << b % 64;
            if (all || written[0] != 0 || written[1] != 0) {
                if (a.bytes != 0) break;
                a.address = map_.local(address);
                a.bytes = here;
                a.written = written;
                next.reply.address = address;
            }
            at += here;
        }
        bool const keeps = l2_.keeps_stores(memory_space::global); // and so it does atomics as one access
        a.kind = p.kind == packet_kind::write             ? access_kind::store
                 : p.kind == packet_kind::atomic && keeps ? access_kind::atomic
                                                          : access_kind::load;
        a.token = a.kind == access_kind::store ? no_token : static_cast<std::uint32_t>(next_answer_);
        if (tells || dram_asks) a.owner = owner_of(p);
        next.reply = reply_to(p, next.reply.address, at - done_);
        return next;
    }
    static bool wants_answer(packet const& p) { return p.kind != packet_kind::write || p.token != no_token; }
    static warp_slot owner_of(packet const& p) {
        return l2_owner::of({p.core, p.warp == packet{}.warp ? no_warp : warp_slot{p.warp}});
    }
    packet reply_to(packet const& p, std::uint64_t address, std::uint32_t bytes) const {
        auto reply = p;
        reply.slice = static_cast<std::uint16_t>(number_);
        reply.address = address;
        reply.bytes = bytes;
        reply.flits = flits_of(reply_bytes(reply), n_.network.flit);
        return reply;
    }
    /// An atomic has changed these bytes: an L2 that does not keep it passes them on, as soon as it has room.
    void change(std::uint64_t local, std::uint32_t bytes, typename P::l2_observer& observer) {
        if (l2_.keeps_stores(memory_space::global)) return;
        if (!owed_.empty() || !pass_on({local, bytes}, observer, true)) owed_.push_back({local, bytes});
    }
    bool pass_on(written_bytes const& w, typename P::l2_observer& observer, bool first = false) {
        auto const r = l2_.access({.address = w.local, .bytes = w.bytes, .kind = access_kind::store});
        departed(r.departed, observer);
        bool const refused = r.answer == cache_answer::refused;
        if (first && refused) refusals_.count(r.reason);
        return !refused;
    }

    // ---- requests
    /// One packet comes in a cycle, if there is a place in the queue behind the ROP delay. Textures have no such delay.
    void take_in(cycle c, warpkit::tick now, link<packet>& requests) {
        auto const queued =
            std::count_if(waiting_.begin(), waiting_.end(), [&](auto const& w) { return w.ready <= c + 1; });
        if (!requests.has_arrived(now) || static_cast<std::size_t>(queued) >= n_.memory.l2_input_queue)
            return;
        auto const p = requests.take(now);
        if (p.kind == packet_kind::texture)
            waiting_.insert(waiting_.begin() + queued, {c + 1, p});
        else
            waiting_.push_back({c + std::max(n_.memory.rop_latency, 1U) + 1, p});
    }

    // ---- who listens
    std::uint64_t address_of(std::uint64_t local) const { return map_.encode(map_.locate(number_, local)); }
    void departed(departed_line const& d, typename P::l2_observer& observer) {
        if (!d) return;
        for (auto sector = d.line; sector < d.line + n_.l2.line; sector += n_.l2.sector)
            useless_ += unused_.erase(sector);
        if constexpr (tells)
            notify(l2_evicted{number_, address_of(d.line), l2_owner::requester(d.owner),
                              d.how == line_departure::invalidated},
                   observer);
    }
    /// Which row a CTA wants, that the L2 has not.
    void tell_row(std::uint32_t cta, std::uint64_t local, typename P::dram_observer& rows) const {
        if constexpr (hears<typename P::dram_observer, dram::row_access>) {
            if (cta == no_cta) return;
            if constexpr (requires { rows.wants_rows(); })
                if (!rows.wants_rows()) return;
            auto const at = map_.locate(number_, local);
            rows.on(dram::row_access{at.channel * n_.dram.banks + at.bank, at.row, cta});
        }
    }

    gpu_parameters n_;
    std::uint32_t number_ = 0;       ///< of all slices of the machine
    std::uint32_t of_partition_ = 0; ///< of its partition's
    dram::address_mapping map_;
    cache_of<typename P::l2_cache> l2_;
    std::deque<waiting_packet> waiting_; ///< those that have come, in the order in which the L2 may take them
    std::uint32_t kernel_ = ~std::uint32_t{0}; ///< that runs, counted from 0
    std::uint32_t done_ = 0;                   ///< bytes of the packet in front that the L2 has taken
    bool refused_ = false;                     ///< its next part
    std::map<std::uint64_t, packet> answers_;  ///< that wait for data, by number
    std::uint64_t next_answer_ = 0;
    std::deque<packet> came_;    ///< those whose data has come
    std::deque<packet> leaving_; ///< in the queue to the network
    std::deque<written_bytes> owed_;

    std::set<std::uint64_t> unused_; ///< prefetched sectors that no demand asked for; some may have left
    std::uint64_t useful_ = 0;       ///< those that one has hit
    std::uint64_t late_ = 0;         ///< their line was on its way for a demand when they came
    std::uint64_t useless_ = 0;      ///< they were there already, or left unused
    cache_counters refusals_;
};

template <class P>
class l2_partition {
    using channel_type =
        dram_channel<typename P::dram_scheduler, typename P::page_policy, typename P::memory_prefetcher>;

public:
    /// The periods of the clocks are in ticks.
    l2_partition(std::uint32_t number, gpu_parameters const& p, warpkit::tick core, warpkit::tick l2,
                 warpkit::tick dram, memory_values<P> const& values = {})
        : n_(p),
          first_(number * p.memory.slices),
          l2_period_(l2),
          dram_period_(dram),
          delay_((p.memory.dram_latency * core + dram - 1) / dram),
          map_(p.address_mapping.c_str(), p.memory.channels, p.memory.slices),
          channel_(make_channel(p, values)),
          rows_(make_dram_observer<typename P::dram_observer>(p)) {
        bool const tells_apart =
            hears_l2<typename P::l2_observer> || dram::asks_who<typename P::dram_scheduler>;
        if (tells_apart && p.core.count > l2_owner::most_cores)
            throw error(
                {"core.count = ", p.core.count,
                 " is more than an L2 observer, or a DRAM scheduler that goes by cores, can tell apart; "
                 "nearest legal value: ",
                 l2_owner::most_cores});
        for (std::uint32_t s = 0; s < p.memory.slices; ++s) slices_.emplace_back(first_ + s, s, p);
    }

    /// The links are those of all slices of the machine. In a tick the DRAM goes first.
    void tick(warpkit::tick now, std::vector<link<packet>>& requests, std::vector<link<packet>>& replies) {
        if (now % dram_period_ == 0) dram_cycle(now / dram_period_);
        if (now % l2_period_ == 0)
            for (std::uint32_t s = 0; s < slices_.size(); ++s)
                slices_[s].tick(now / l2_period_, now, requests[first_ + s], replies[first_ + s], observer_,
                                rows_);
    }
    void kernel_began() {
        for (auto& s : slices_) s.kernel_began();
    }
    void copied(std::uint32_t slice, std::uint64_t local) { slices_[slice].copied(local, observer_); }
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
    friend bool operator==(l2_partition const&, l2_partition const&) = default;

private:
    struct delayed_demand {
        cycle ready = 0;
        dram_demand content;
        friend bool operator==(delayed_demand const&, delayed_demand const&) = default;
    };
    static channel_type make_channel(gpu_parameters const& p, memory_values<P> const& values) {
        channel_type made(
            p.dram, p.memory.dram_queue, make_memory_prefetcher<typename P::memory_prefetcher>(p),
            make_page_policy<typename P::page_policy>(p), values.dram_scheduler,
            p.memory.dual_command_bus != 0 ? dram::command_bus::dual : dram::command_bus::single_and_row);
        set_policy_parameters(made.scheduler(), p.policy_parameters, "dram_scheduler");
        return made;
    }
    /// What was read goes to its slice, one datum a cycle; the channel has its cycle; one demand whose delay is over
    /// joins its queue; and one of the slices' sets out, in turn, if so few are under way that all have room when they
    /// return.
    void dram_cycle(cycle now) {
        if (!returned_.empty()) {
            auto const& d = under_way_.at(returned_.front());
            auto& to = slices_[d.slice].from_dram;
            if (to.size() < n_.memory.dram_to_l2_queue) {
                to.push_back(d.answer);
                under_way_.erase(returned_.front());
                returned_.pop_front();
                --in_flight_;
            }
        }
        auto const resident = [this](dram::request const& r) {
            std::uint64_t local = 0;
            return slice_of(r, local).is_resident(local, r.atoms * n_.dram.atom_bytes());
        };
        for (auto const& r : channel_.tick(now, resident, rows_)) {
            if (r.prefetch) {
                std::uint64_t local = 0;
                auto& s = slice_of(r, local);
                for (std::uint32_t i = 0; i < r.atoms * n_.dram.atom_bytes(); i += n_.l2.sector)
                    s.take_prefetched(local + i);
            } else if (under_way_.at(r.token).answered) {
                returned_.push_back(r.token);
            } else {
                under_way_.erase(r.token);
                --in_flight_;
            }
        }
        if (!delayed_.empty() && delayed_.front().ready <= now &&
            channel_.can_accept(delayed_.front().content.what)) {
            auto& d = delayed_.front().content;
            d.what.token = next_token_++;
            channel_.push(d.what, now);
            under_way_[d.what.token] = d;
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
    std::vector<l2_slice<P>> slices_;
    channel_type channel_;
    typename P::l2_observer observer_{};
    typename P::dram_observer rows_{};
    std::deque<delayed_demand> delayed_;
    std::map<std::uint64_t, dram_demand> under_way_; ///< in the channel, or back from it, by token
    std::deque<std::uint64_t> returned_;             ///< tokens of those that have been read
    std::uint64_t next_token_ = 0;
    std::uint32_t in_flight_ = 0; ///< demands between the slices and their return
    std::uint32_t turn_ = 0;      ///< the slice that is asked first
};

} // namespace warpkit::reference
