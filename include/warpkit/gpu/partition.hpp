#pragma once
/// \file
/// One memory partition: its L2 slices and its DRAM channel (SPEC 6.1).
///
///   network -> ROP delay -> L2 queue -> L2 -> (miss) fixed DRAM latency -> DRAM scheduler -> fill -> reply -> network

#include <warpkit/base/clock.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/gpu/link.hpp>
#include <warpkit/gpu/packet.hpp>
#include <warpkit/gpu/parameters.hpp>

#include <bit>
#include <cstdint>
#include <vector>

namespace warpkit {

/// The clocks that a partition runs on.
struct partition_clocks {
    clock_domain core;
    clock_domain l2;
    clock_domain dram;
    friend bool operator==(partition_clocks const&, partition_clocks const&) = default;
};

template <class P>
class partition {
    using l2_cache = typename P::l2_cache;

    struct delayed_packet {
        tick ready = 0;
        packet content;
        friend bool operator==(delayed_packet const&, delayed_packet const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(ready, content);
        }
    };
    /// Something for the DRAM to do.
    struct job {
        std::uint64_t local = 0; ///< address within the slice
        std::uint32_t bytes = 0;
        std::uint32_t token = no_token; ///< with the L2 off: the waiting packet
        std::uint16_t slice = 0;
        bool write = false;
        bool answered = true; ///< a fetch or an uncached access, not a write-back
        friend bool operator==(job const&, job const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(local, bytes, token, slice, write, answered);
        }
    };
    struct delayed_job {
        tick ready = 0;
        std::uint32_t index = 0;
        friend bool operator==(delayed_job const&, delayed_job const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(ready, index);
        }
    };
    struct slice {
        std::uint32_t node = 0; ///< number among all slices of the machine
        ring<delayed_packet> rop;
        ring<packet> input;
        std::uint32_t done = 0; ///< bytes of input.front() that the L2 has taken
        l2_cache l2;
        bool refused = false; ///< the L2 refused input.front(), until what it lacked can have come
        refusal lacking = refusal::line_allocation;
        std::uint64_t refused_address = 0;
        ring<std::uint32_t> ready; ///< waiting packets whose data has come
        ring<packet> replies;
        ring<job> to_dram;
        ring<job> from_dram;
        std::vector<packet> waiting; ///< by token of the L2
        std::vector<std::uint32_t> free;
        friend bool operator==(slice const&, slice const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(node, rop, input, done, l2, refused, ready, replies, to_dram, from_dram);
        }
    };

public:
    partition() = default;
    partition(unsigned channel, gpu_parameters const& p, partition_clocks const& clocks)
        : clocks_(clocks),
          rop_ticks_(clocks.l2.at(p.memory.rop_latency)),
          dram_ticks_(clocks.core.at(p.memory.dram_latency)),
          sector_(p.l2.sector),
          l2_enabled_(p.l2.size != 0),
          flit_(p.network.flit),
          limit_(p.memory.dram_queue + p.memory.dram_return_queue),
          slices_(p.memory.slices),
          delay_(limit_),
          returned_(limit_ + 1),
          channel_(p.dram, p.memory.dram_queue) {
        for (std::uint32_t s = 0; s < p.memory.slices; ++s) {
            auto& x = slices_[s];
            x.node = channel * p.memory.slices + s;
            x.rop = ring<delayed_packet>(p.memory.rop_latency + 8);
            x.input = ring<packet>(p.memory.l2_input_queue);
            x.l2 = l2_cache(parameters_of(p.l2));
            x.ready = ring<std::uint32_t>(std::size_t{p.l2.mshr_entries} * p.l2.mshr_merges + 1);
            x.replies = ring<packet>(p.memory.l2_output_queue);
            x.to_dram = ring<job>(p.memory.l2_to_dram_queue);
            x.from_dram = ring<job>(p.memory.dram_to_l2_queue);
        }
    }

    /// Simulates all L2 and DRAM cycles before tick `end`; whether any but idle ones. `requests` and `replies` have one
    /// link per slice.
    bool advance(tick end, dram::address_mapping const& map, link<packet>* requests, link<packet>* replies) {
        auto l2 = next_l2_cycle(requests, replies);
        auto dram = next_dram_cycle();
        auto l2_at = clocks_.l2.at(l2);
        auto dram_at = clocks_.dram.at(dram);
        bool any = false;
        while (l2_at < end || dram_at < end) {
            any = true;
            if (dram_at <= l2_at) { // the DRAM goes first in a tick
                bool const to_l2 = dram_cycle(dram, dram_at, map);
                dram_now_ = dram + 1;
                dram = next_dram_cycle();
                dram_at = clocks_.dram.at(dram);
                if (!to_l2) continue;
                l2_now_ = later(l2_now_, clocks_.l2.first_at_or_after(clocks_.dram.at(dram_now_ - 1)));
                if (l2_now_ >= l2) continue;
                l2 = l2_now_;
            } else {
                bool busy = false;
                asked_dram_ = false;
                for (std::uint32_t s = 0; s < slices_.size(); ++s)
                    busy |= l2_cycle(slices_[s], l2_at, map, requests[s], replies[s]);
                l2_now_ = l2 + 1;
                l2 = busy ? l2_now_ : next_l2_cycle(requests, replies);
                if (asked_dram_) { // neither works in the other's past
                    dram_now_ = later(dram_now_, clocks_.dram.first_at_or_after(l2_at + 1));
                    dram = next_dram_cycle();
                    dram_at = clocks_.dram.at(dram);
                }
            }
            l2_at = clocks_.l2.at(l2);
        }
        l2_now_ = later(l2_now_, clocks_.l2.first_at_or_after(end));
        dram_now_ = later(dram_now_, clocks_.dram.first_at_or_after(end));
        return any;
    }
    /// The tick before which this partition has nothing to do.
    tick next_event(link<packet> const* requests, link<packet> const* replies) const noexcept {
        auto const l2 = next_l2_cycle(requests, replies);
        auto const dram = next_dram_cycle();
        auto const a = l2 == never ? never : clocks_.l2.at(l2);
        auto const b = dram == never ? never : clocks_.dram.at(dram);
        return a < b ? a : b;
    }

    /// Nobody waits for an answer; write-backs may still be on their way to the DRAM.
    bool idle() const noexcept {
        for (auto const& s : slices_)
            if (!s.rop.empty() || !s.input.empty() || !s.replies.empty() || !s.ready.empty() ||
                s.l2.outstanding() != 0)
                return false;
        return true;
    }
    cache_counters l2_counters() const noexcept {
        cache_counters c;
        for (auto const& s : slices_) c += s.l2.counters();
        return c;
    }
    dram::channel_counters const& dram_counters() const noexcept { return channel_.counters(); }

    friend bool operator==(partition const&, partition const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(slices_, in_flight_, turn_, delay_, returned_, channel_, l2_now_, dram_now_);
    }

private:
    static constexpr cycle later(cycle a, cycle b) noexcept { return a > b ? a : b; }

    // ---- when
    cycle next_l2_cycle(link<packet> const* requests, link<packet> const* replies) const noexcept {
        auto next = never;
        auto const sooner = [&](tick t) {
            if (t < next) next = t;
        };
        auto const now = clocks_.l2.at(l2_now_);
        for (std::uint32_t s = 0; s < slices_.size(); ++s) {
            auto const& x = slices_[s];
            if (!x.ready.empty() || !x.from_dram.empty() || (x.l2.has_request() && !x.to_dram.full()) ||
                (!x.input.empty() && !x.refused))
                return l2_now_;
            if (!x.replies.empty()) {
                if (replies[s].may_send()) return l2_now_;
                sooner(replies[s].next_credit());
            }
            if (!x.rop.empty() && !x.input.full()) sooner(x.rop.front().ready);
            if (!x.input.full()) sooner(requests[s].next_arrival());
        }
        return next == never ? never : clocks_.l2.first_at_or_after(next > now ? next : now);
    }
    cycle next_dram_cycle() const noexcept {
        if (!returned_.empty()) return dram_now_;
        if (in_flight_ < limit_)
            for (auto const& s : slices_)
                if (!s.to_dram.empty()) return dram_now_;
        auto next = channel_.next_event(dram_now_ == 0 ? 0 : dram_now_ - 1);
        if (!delay_.empty() && channel_.can_accept()) {
            auto const c = clocks_.dram.first_at_or_after(delay_.front().ready);
            if (c < next) next = c;
        }
        return next == never ? never : later(next, dram_now_);
    }

    // ---- L2
    /// Whether anything happened.
    bool l2_cycle(slice& s, tick now, dram::address_mapping const& map, link<packet>& requests,
                  link<packet>& replies) {
        bool busy = false;
        if (!s.replies.empty()) {
            auto& p = s.replies.front();
            auto const flits = (reply_bytes(p) + flit_ - 1) / flit_;
            p.flits = static_cast<std::uint16_t>(flits);
            if (replies.credits(now) >= flits) {
                replies.send(now, p, flits);
                s.replies.pop();
                busy = true;
            }
        }
        if (!s.ready.empty() && !s.replies.full()) {
            auto const token = s.ready.front();
            s.ready.pop();
            s.replies.push(s.waiting[token]);
            s.free.push_back(token);
            busy = true;
        }
        if (!s.from_dram.empty()) {
            busy = true;
            auto const j = s.from_dram.front();
            if (!l2_enabled_) {
                if (!s.ready.full()) {
                    s.ready.push(j.token);
                    s.from_dram.pop();
                }
            } else if (s.ready.room() >= 1) {
                s.l2.fill(j.local, [&](std::uint32_t token) {
                    if (s.waiting[token].kind == packet_kind::atomic && !l2_keeps_atomics)
                        mark_written(s, j.local, s.waiting[token].bytes);
                    s.ready.push(token);
                });
                s.from_dram.pop();
                if (s.lacking == refusal::line_allocation ? s.l2.same_set(j.local, s.refused_address)
                                                          : s.lacking != refusal::miss_queue)
                    s.refused = false;
            }
        }
        if (s.l2.has_request() && !s.to_dram.full()) {
            auto const& r = s.l2.front_request();
            job j;
            j.local = r.address;
            j.bytes = r.bytes;
            j.slice = static_cast<std::uint16_t>(&s - slices_.data());
            j.write = r.kind != lower_kind::fetch;
            j.answered = r.kind == lower_kind::fetch;
            s.to_dram.push(j);
            asked_dram_ = true;
            s.l2.pop_request();
            if (s.lacking == refusal::miss_queue) s.refused = false;
            busy = true;
        }
        if (!s.input.empty() && !s.refused) {
            serve(s, map);
            busy = true;
        }
        if (!s.rop.empty() && s.rop.front().ready <= now && !s.input.full()) {
            s.input.push(s.rop.front().content);
            s.rop.pop();
            busy = true;
        }
        if (requests.has_arrived(now) && !s.input.full() && !s.rop.full()) {
            s.rop.push({now + rop_ticks_, requests.front()});
            requests.pop(now, 1);
            busy = true;
        }
        return busy;
    }
    /// Hands the L2 the next part of the packet in front: one sector a cycle.
    void serve(slice& s, dram::address_mapping const& map) {
        auto const& p = s.input.front();
        if (!l2_enabled_) {
            pass_by(s, p, map);
            return;
        }
        if (s.replies.full()) return;
        auto const part = next_part(p, s.done);
        cache_access a;
        auto const address = p.address + part.skipped;
        a.address = map.local(address);
        a.bytes = part.bytes;
        a.kind = p.kind == packet_kind::write                        ? access_kind::store
                 : p.kind == packet_kind::atomic && l2_keeps_atomics ? access_kind::atomic
                                                                     : access_kind::load;
        a.written = part.written;
        if (a.kind != access_kind::store) a.token = free_token(s);
        auto const answer = s.l2.access(a);
        if (answer.answer == cache_answer::refused) {
            s.refused = true;
            s.lacking = answer.reason;
            s.refused_address = a.address;
            return;
        }
        auto const reply_into = [&](packet& reply) {
            reply = p;
            reply.address = address;
            reply.bytes = part.covered;
            reply.slice = static_cast<std::uint16_t>(s.node);
        };
        if (answer.answer == cache_answer::now || a.kind == access_kind::store) {
            if (p.kind == packet_kind::atomic && !l2_keeps_atomics) mark_written(s, a.address, a.bytes);
            if (!(p.kind == packet_kind::write && p.token == no_token)) reply_into(s.replies.extend());
        } else {
            s.free.pop_back();
            reply_into(s.waiting[a.token]);
        }
        s.done += part.covered;
        if (s.done >= p.bytes) {
            s.done = 0;
            s.input.pop();
        }
    }
    /// An L2 that writes back takes an atomic as one access, by which its sector is dirty from then on.
    static constexpr bool l2_keeps_atomics = [] {
        if constexpr (requires { typename l2_cache::write_policy_type; })
            return l2_cache::write_policy_type::on_hit(memory_space::global) == write_hit::back;
        else
            return false;
    }();
    /// Any other passes the change on.
    void mark_written(slice& s, std::uint64_t local, std::uint32_t bytes) {
        cache_access a;
        a.address = local;
        a.bytes = bytes;
        a.kind = access_kind::store;
        s.l2.access(a);
    }
    /// The L2 is off: straight to the DRAM.
    void pass_by(slice& s, packet const& p, dram::address_mapping const& map) {
        if (s.to_dram.full()) return;
        job j;
        j.local = map.local(p.address);
        j.bytes = p.bytes;
        j.write = p.kind == packet_kind::write;
        j.answered = !(j.write && p.token == no_token);
        j.slice = static_cast<std::uint16_t>(&s - slices_.data());
        if (j.answered) {
            j.token = free_token(s);
            s.free.pop_back();
            s.waiting[j.token] = p;
            s.waiting[j.token].slice = static_cast<std::uint16_t>(s.node);
        }
        s.to_dram.push(j);
        asked_dram_ = true;
        s.input.pop();
    }
    /// The token that the next packet to wait will have.
    static std::uint32_t free_token(slice& s) {
        if (s.free.empty()) {
            s.free.push_back(static_cast<std::uint32_t>(s.waiting.size()));
            s.waiting.emplace_back();
        }
        return s.free.back();
    }

    /// A piece of a packet that lies in one sector.
    struct part_of_packet {
        std::uint32_t skipped = 0; ///< from the packet's address to the first byte of the piece
        std::uint32_t bytes = 0;
        std::uint32_t covered = 0; ///< bytes of the packet that its answer stands for
        block_bytes written{};
    };
    part_of_packet next_part(packet const& p, std::uint32_t done) const noexcept {
        auto const in_sector = [&](std::uint32_t at) {
            auto const room = sector_ - (static_cast<std::uint32_t>(p.address + at) & (sector_ - 1));
            return p.bytes - at < room ? p.bytes - at : room;
        };
        part_of_packet r;
        if ((p.written[0] | p.written[1]) == 0) {
            r.skipped = done;
            r.bytes = r.covered = in_sector(done);
            return r;
        }
        // The next sector with a written byte, and the unwritten ones around it.
        auto at = done;
        while (at < p.bytes) {
            auto const bytes = in_sector(at);
            auto const piece = within(p.written, static_cast<std::uint32_t>((p.address + at) % 128), bytes);
            if ((piece[0] | piece[1]) != 0) {
                if (r.bytes != 0) break;
                r.skipped = at;
                r.bytes = bytes;
                r.written = piece;
            }
            at += bytes;
        }
        r.covered = at - done;
        return r;
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
    /// Whether the L2 got something.
    bool dram_cycle(cycle now, tick at, dram::address_mapping const& map) {
        bool to_l2 = false;
        if (!returned_.empty()) {
            auto const index = returned_.front();
            auto const& j = jobs_[index];
            auto& s = slices_[j.slice];
            if (!s.from_dram.full()) {
                s.from_dram.push(j);
                finish(index);
                returned_.pop();
                to_l2 = true;
            }
        }
        channel_.tick(now, [&](dram::request const& r) {
            auto const index = static_cast<std::uint32_t>(r.token);
            if (jobs_[index].answered)
                returned_.push(index);
            else
                finish(index);
        });
        if (!delay_.empty() && delay_.front().ready <= at && channel_.can_accept()) {
            auto const index = delay_.front().index;
            delay_.pop();
            auto const& j = jobs_[index];
            auto const l = map.locate(slices_[j.slice].node, j.local);
            dram::request r;
            r.token = index;
            r.bank = static_cast<std::uint16_t>(l.bank);
            r.row = l.row;
            r.column = l.column;
            r.atoms = static_cast<std::uint16_t>(channel_.numbers().atoms_for(j.bytes));
            r.write = j.write;
            channel_.push(r);
        }
        if (in_flight_ < limit_) {
            for (std::uint32_t i = 0; i < slices_.size(); ++i) {
                auto const k = turn_ + i < slices_.size() ? turn_ + i : turn_ + i - slices_.size();
                auto& s = slices_[k];
                if (s.to_dram.empty()) continue;
                std::uint32_t index;
                if (free_jobs_.empty()) {
                    index = static_cast<std::uint32_t>(jobs_.size());
                    jobs_.push_back(s.to_dram.front());
                } else {
                    index = free_jobs_.back();
                    free_jobs_.pop_back();
                    jobs_[index] = s.to_dram.front();
                }
                s.to_dram.pop();
                delay_.push({at + dram_ticks_, index});
                ++in_flight_;
                turn_ = static_cast<std::uint32_t>(k + 1);
                to_l2 = true; // room for one more of its misses
                break;
            }
        }
        return to_l2;
    }
    void finish(std::uint32_t index) {
        free_jobs_.push_back(index);
        --in_flight_;
    }

    partition_clocks clocks_;
    tick rop_ticks_ = 0;
    tick dram_ticks_ = 0;
    std::uint32_t sector_ = 32; ///< a power of two
    bool l2_enabled_ = true;
    std::uint32_t flit_ = 32;
    std::uint32_t limit_ = 1; ///< requests between the L2 and the return from DRAM
    std::uint32_t in_flight_ = 0;
    std::uint32_t turn_ = 0; ///< the slice that goes first to the DRAM
    std::vector<slice> slices_;
    std::vector<job> jobs_;
    std::vector<std::uint32_t> free_jobs_;
    ring<delayed_job> delay_;
    ring<std::uint32_t> returned_;
    dram::channel<typename P::dram_scheduler, typename P::page_policy> channel_;
    cycle l2_now_ = 0;
    cycle dram_now_ = 0;
    bool asked_dram_ = false; ///< in this L2 cycle
};

} // namespace warpkit
