#pragma once
/// \file
/// The DRAM side of a memory partition: the delay on the way to the channel, the channel, and what it brings back.
///
/// In the reference: `l2_partition::dram_cycle` (reference/l2_partition.hpp), and reference/dram_channel.hpp for the
/// channel.

#include <warpkit/base/clock.hpp>
#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/prefetch.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/gpu/memory/l2_ports.hpp>
#include <warpkit/gpu/memory/l2_side.hpp>
#include <warpkit/gpu/memory/l2_slice.hpp>
#include <warpkit/machine/conservation.hpp>
#include <warpkit/machine/memory_parts.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/machine/policy_parameters.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace warpkit {

/// A request on its way to the channel.
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

/// Takes demands from the slices of its partition in turn, one in a cycle, and gives them one datum a cycle that they
/// asked for. P is a memory_policies.
template <class P>
class dram_side {
    using l2 = l2_side<P>;
    using slice = l2_slice<P>;
    using channel =
        dram::channel<typename P::dram_scheduler, typename P::page_policy, typename P::memory_prefetcher>;
    static constexpr bool prefetches =
        !std::is_same_v<typename P::memory_prefetcher, dram::no_memory_prefetch>;
    /// The channel looks into the L2, or answers some requests before those that came first: it keeps to the slices'
    /// time.
    static constexpr bool in_step = prefetches || channel::answers_at_once;

public:
    static constexpr bool answers_at_once = channel::answers_at_once;

    dram_side() = default;
    [[gnu::cold]] dram_side(gpu_parameters const& p, clock_domain const& core, clock_domain const& dram)
        : clock_(dram),
          delay_cycles_(dram.first_at_or_after(core.at(p.memory.dram_latency))),
          limit_(p.memory.dram_queue + p.memory.dram_return_queue),
          sector_(p.l2.sector),
          room_(limit_),
          delay_(limit_),
          returned_(limit_ + 1),
          written_(limit_ + 1),
          channel_(make_channel(p)),
          observer_(make_dram_observer<typename P::dram_observer>(p)),
          block_(block()) {}

    /// The tick of the first cycle in which there is something to do.
    tick due() const noexcept { return due_at_; }
    /// The slices have had a cycle at tick `now`.
    [[gnu::always_inline]] void slices_went_on(tick now) noexcept {
        if (!asking_.more) return;
        asking_.more = false;
        if (room_ == 0) return;
        auto const next = clock_.first_at_or_after(now + 1); // this tick's has passed
        if (next < due_) {
            due_ = next;
            due_at_ = clock_.of(next);
        }
    }
    /// What the slices ask for.
    l2_demands& asking() noexcept { return asking_; }
    /// The cycle that is due: the slices get what was read, and a demand is let in. The window ends at `end`.
    void cycle_due(l2& from, dram::address_mapping const& map, tick end) {
        auto const now = due_;
        auto const at = due_at_;
        auto const next = now + 1;
        auto const next_at = at + clock_.period();
        if (channel_due_ <= now) run_channel(from, now, end, map);
        if (returned_at_ < now) {
            auto const to = dram_sender::of(returned_.front().token);
            auto& s = from[to.slice];
            if (!s.dram.from.full()) {
                s.dram.from.push(to.token);
                ++room_;
                returned_.pop();
                returned_at_ = returned_.empty() ? never : returned_.front().at;
                from.wake(s, at);
            }
        }
        if (written_at_ <= now) forget_written(now);
        if (takes()) take_demand(from, now, at);
        if (returned_at_ <= now || takes()) {
            due_ = next;
            due_at_ = next_at;
            return;
        }
        due_ = returned_at_ < channel_due_ ? returned_at_ + 1 : channel_due_;
        if (written_at_ < due_) due_ = written_at_;
        if (due_ <= now) due_ = next;
        due_at_ = clock_.at(due_);
    }

    /// Requests between the slices and the return of their data.
    std::uint32_t in_flight() const noexcept { return limit_ - room_; }
    /// And with those demands that it has not taken yet.
    std::uint64_t under_way() const noexcept { return std::uint64_t{in_flight()} + asking_.count; }
    /// Each place that is taken is taken by a request, and each demand that a slice makes is one that waits here.
    [[gnu::cold]] conservation conserved(l2 const& from) const {
        conservation b;
        std::uint64_t demands = 0;
        for (auto const& s : from.slices()) demands += s.dram.to.size();
        b.same("demands of the slices", asking_.count, demands);
        auto const back = returned_.size() + written_.size();
        auto const c = channel_.counters();
        if constexpr (!answers_at_once) // which tell of some before they have gone to the banks
            b.same("places for requests that are taken", in_flight(), let_in_ - c.reads - c.writes + back);
        else if (channel_.idle())
            b.same("places for requests that are taken", in_flight(), delay_.size() + back);
        if (channel_.idle() && delay_.empty())
            b.same("requests let in, and done", let_in_, c.reads + c.writes);
        b.at_most("requests that found their row open", c.row_hits, c.requests_served);
        return b;
    }
    /// Bursts that the channel was asked for: read and written.
    std::array<std::uint64_t, 2> const& bursts_asked() const noexcept { return bursts_asked_; }
    channel const& dram() const noexcept { return channel_; }
    /// Up to tick `now`, the end of a window.
    dram::channel_counters counters(tick now) const { return channel_.counters(clock_.edges_before(now)); }
    /// What hears the commands of the channel.
    typename P::dram_observer const& observer() const noexcept { return observer_; }
    typename P::dram_observer& observer() noexcept { return observer_; }

    friend bool operator==(dram_side const&, dram_side const&) = default;
    WARPKIT_STORED_MEMBERS(21)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(room_, turn_, delay_, returned_, written_, channel_, observer_);
    }

private:
    static channel make_channel(gpu_parameters const& p) {
        auto const q = p.memory.dram_queue;
        auto const bus =
            p.memory.dual_command_bus != 0 ? dram::command_bus::dual : dram::command_bus::single_and_row;
        channel made(p.dram, {q, q, q, {}}, bus, {}, make_page_policy<typename P::page_policy>(p),
                     make_memory_prefetcher<typename P::memory_prefetcher>(p));
        set_policy_parameters(made.scheduler(), p.policy_parameters, "dram_scheduler");
        return made;
    }

    /// Whether a demand is let in.
    bool takes() const noexcept { return asking_.count != 0 && room_ != 0; }
    void forget_written(cycle now) noexcept {
        do {
            written_.pop();
            ++room_;
        } while (!written_.empty() && written_.front() <= now);
        written_at_ = written_.empty() ? never : written_.front();
    }

    // ---- to the channel
    /// The next slice in turn that has a demand hands it over. Precondition: takes().
    [[gnu::always_inline]] void take_demand(l2& from, cycle now, tick at) {
        auto const count = static_cast<std::uint32_t>(from.slices().size());
        auto const after = [count](std::uint32_t k) { return k + 1 == count ? 0 : k + 1; };
        auto k = turn_;
        while (from[k].dram.to.empty()) {
            k = after(k);
            if (k == turn_) no_demand();
        }
        auto& s = from[k];
        if (s.dram.to.full()) from.wake(s, at); // there is room for one more of its misses
        auto& d = delay_.extend();
        d.ready = now + delay_cycles_;
        auto const& r = s.dram.to.front();
        bursts_asked_[r.write] += r.atoms;
        d.what = r;
        if (delay_ends_ == never) {
            delay_ends_ = d.ready;
            if (d.ready < channel_due_) channel_due_ = d.ready;
        }
        s.dram.to.pop();
        --asking_.count;
        --room_;
        ++let_in_;
        turn_ = after(k);
    }
    [[noreturn, gnu::cold, gnu::noinline]] void no_demand() const {
        throw error({"a DRAM channel counts ", asking_.count,
                     " demands of its slices, which have none: a mistake of the memory model's own"});
    }
    /// The requests whose delay is over, as the channel takes them.
    struct delayed_requests {
        dram_side& self;
        cycle ready() const noexcept { return self.delay_ends_; }
        dram::request const& front() const noexcept { return self.delay_.front().what; }
        void pop() const noexcept {
            self.delay_.pop();
            self.delay_ends_ = self.delay_.empty() ? never : self.delay_.front().ready;
        }
    };
    /// The end of the window, or sooner: what reaches the channel before waits in `delay_` at `now`.
    cycle end_of_run(cycle now, tick end) const noexcept {
        cycle const ahead = in_step || delay_cycles_ == 0 ? 1 : delay_cycles_;
        auto const last = clock_.edges_before(end);
        return last - now > ahead ? now + ahead : last;
    }
    /// How many cycles the channel goes through in one go, a power of two: what reaches it meanwhile waits in `delay_`
    /// at their beginning. 0: up to the end of the window, no more, since it tells no counters of the past.
    /// Abbreviates `l2_partition::dram_cycle` in each of those cycles.
    cycle block() const noexcept {
        if constexpr (in_step || channel::remembered == 1) return 0;
        return std::bit_floor(delay_cycles_ < channel::remembered ? delay_cycles_ : channel::remembered);
    }
    /// The channel, from cycle `now` on.
    [[gnu::noinline, gnu::flatten]] void run_channel(l2& from, cycle now, tick end,
                                                     dram::address_mapping const& map) {
        // Who hears of commands hears of them in time.
        bool const ahead = block_ != 0 && !hears_now<dram::command>(observer_);
        auto const until = ahead ? (now | (block_ - 1)) + 1 : end_of_run(now, end);
        delayed_requests const queue{*this};
        transfer_ends const done{*this, from, map, now};
        if constexpr (std::is_same_v<typename P::dram_observer, no_observer>)
            channel_due_ = channel_.run(now, until, queue, done);
        else
            channel_due_ = channel_.run(now, until, queue, done, observer_);
    }

    // ---- and back
    /// What the channel calls when a transfer ends, and asks about lines of the L2.
    struct transfer_ends {
        dram_side& self;
        l2& to;
        dram::address_mapping const& map;
        cycle now;
        void operator()(dram::request const& r) const requires in_step { end(r, now); }
        void operator()(dram::request const& r, cycle at) const requires(!in_step) { end(r, at); }
        void end(dram::request const& r, cycle at) const {
            if constexpr (prefetches)
                if (r.prefetch) return take_prefetch(r, self.clock_.at(at));
            if (dram_sender::of(r.token).answered) {
                if (self.returned_at_ == never) self.returned_at_ = at;
                self.returned_.push({at, r.token});
            } else {
                if (self.written_at_ == never) self.written_at_ = at;
                self.written_.push(at);
            }
        }
        /// Whether the L2 has all of a line, or has asked for it.
        bool resident(dram::request const& r) const {
            std::uint64_t local = 0;
            auto const& s = slice_of(r, local);
            for (std::uint32_t i = 0; i < bytes_of(r); i += self.sector_) {
                auto const found = s.l2.probe({.address = local + i, .bytes = self.sector_});
                if (found != cache_outcome::hit && found != cache_outcome::hit_reserved) return false;
            }
            return true;
        }

    private:
        /// A prefetched line has been read: its sectors queue up for the L2. One that finds no room, or no L2, is
        /// dropped.
        void take_prefetch(dram::request const& r, tick at) const {
            std::uint64_t local = 0;
            auto& s = slice_of(r, local);
            for (std::uint32_t i = 0; i < bytes_of(r); i += self.sector_) s.prefetched.read(local + i);
            to.wake(s, at);
        }
        std::uint32_t bytes_of(dram::request const& r) const noexcept {
            return r.atoms * self.channel_.numbers().atom_bytes();
        }
        slice& slice_of(dram::request const& r, std::uint64_t& local) const noexcept {
            auto const first = to[0].node;
            dram::location l;
            l.channel = first / static_cast<std::uint32_t>(to.slices().size());
            l.bank = r.bank;
            l.row = r.row;
            l.column = r.column;
            local = map.local_of(l);
            return to[map.sub_partition_of(l) - first];
        }
    };

    clock_domain clock_;
    cycle delay_cycles_ = 0;    ///< from the L2 to the channel
    std::uint32_t limit_ = 1;   ///< requests between the L2 and the return from DRAM
    std::uint32_t sector_ = 32; ///< a power of two
    std::uint32_t room_ = 1;    ///< how many more there may be
    l2_demands asking_;
    std::uint32_t turn_ = 0; ///< the slice that goes first
    ring<delayed_request> delay_;
    cycle delay_ends_ = never;      ///< of the first in `delay_`
    ring<returned_token> returned_; ///< in order of their cycles
    cycle returned_at_ = never;     ///< of the first in `returned_`
    cycle written_at_ = never;      ///< of the first in `written_`
    ring<cycle> written_;           ///< when what nobody waits for ends
    channel channel_;
    [[no_unique_address]] typename P::dram_observer observer_{};
    std::array<std::uint64_t, 2> bursts_asked_{};
    std::uint64_t let_in_ = 0; ///< requests
    cycle block_ = 0;          ///< as block()
    cycle due_ = 0;            ///< the first in which there is something to do
    tick due_at_ = 0;          ///< its tick
    cycle channel_due_ = 0;    ///< the first in which the channel has, which may have run ahead
};

} // namespace warpkit
