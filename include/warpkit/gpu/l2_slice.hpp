#pragma once
/// \file
/// What an L2 slice of a memory partition consists of; what it does cycle by cycle is the partition's (gpu/partition.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/gpu/packet.hpp>
#include <warpkit/gpu/prefetch_ledger.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {

/// A packet on its way through the ROP, or waiting for the L2.
struct delayed_packet {
    tick ready = 0;
    packet content;
    friend bool operator==(delayed_packet const&, delayed_packet const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(ready, content);
    }
};

/// Something for the DRAM to do, in the terms of a slice.
struct l2_demand {
    std::uint64_t local = 0;        ///< address within the slice
    std::uint32_t token = no_token; ///< the MSHR entry of a fetch; with the L2 off, the waiting packet
    std::uint16_t bytes = 0;
    bool write = false;
    bool answered = true; ///< a fetch or an uncached access, not a write-back
    friend bool operator==(l2_demand const&, l2_demand const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(local, token, bytes, write, answered);
    }
};

/// What an atomic has changed, in an L2 that does not keep it and had no room to pass it on.
struct owed_store {
    std::uint64_t local = 0;
    std::uint32_t bytes = 0;
    friend bool operator==(owed_store const&, owed_store const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(local, bytes);
    }
};

/// An L2 slice: the queues through it, its cache, and the packet that is being served.
template <class L2>
struct l2_slice {
    std::uint32_t node = 0;       ///< number among all slices of the machine
    tick wake = never;            ///< nothing happens here before, if nothing comes from outside
    tick due = never;             ///< no packet has come, or is through the ROP, before: a hint, no state
    ring<delayed_packet> waiting; ///< the first `input` for the L2, the others for the end of the ROP delay
    std::uint32_t input = 0;
    std::uint32_t done = 0;  ///< bytes of the packet in front that the L2 has taken
    cache_access access;     ///< the next part of it, if `looked_at`: what lies in one sector
    std::uint32_t bytes = 0; ///< of the packet, if `looked_at`
    bool looked_at = false;
    bool whole = false;    ///< none of its bytes stays unwritten
    bool plain = false;    ///< whole sectors that follow each other in DRAM
    bool posted = false;   ///< nobody wants an answer
    bool new_line = false; ///< its line came into the L2 with an earlier part of this packet
    bool refused = false;  ///< the L2 refused `access`, until what it lacked can have come
    refusal lacking = refusal::line_allocation;
    std::uint8_t hits = 0;   ///< sectors that follow in the packet and hit as the one before has
    bool may_hit = false;    ///< refused for want of queue places, it may have become a hit
    std::uint64_t local = 0; ///< of the first byte of the packet in front, if `looked_at`
    packet reply;            ///< that to the next part; `bytes`: those of the packet that it stands for
    L2 l2;
    std::uint32_t come = no_token; ///< the answer whose data came in the cycle before
    ring<std::uint32_t> ready;     ///< places of answers whose data has come, those behind it
    ring<std::uint32_t> replies;   ///< places of answers on their way out
    ring<l2_demand> to_dram;
    ring<std::uint32_t> from_dram;   ///< tokens of demands
    std::vector<packet> answer;      ///< by token of the L2; queues hold places here
    std::vector<std::uint32_t> free; ///< the first `places` of them: places in `answer` without one
    std::size_t places = 0;
    std::uint64_t block = ~std::uint64_t{0}; ///< the block of adjacent columns located last
    dram::request request;                   ///< a sector there; its token has the slice's number here
    std::uint32_t column = 0;                ///< of what lies at local address 0, were it in the same block
    std::vector<owed_store> owed;            ///< oldest first
    ring<std::uint64_t> prefetched;          ///< sectors that the memory prefetcher has read, on their way in
    prefetch_ledger ledger;
    std::uint64_t received = 0; ///< bytes of requests from the network
    std::uint64_t unasked = 0;  ///< of these, bytes that want no answer
    traffic sent;               ///< to the network

    /// An L2 that writes back takes an atomic as one access, by which its sector is dirty from then on.
    bool keeps_atomics() const noexcept { return l2.keeps_stores(memory_space::global); }
    /// The place that the next answer will have.
    std::uint32_t free_place() {
        if (places == 0) [[unlikely]] {
            free.push_back(0);
            free[places++] = static_cast<std::uint32_t>(answer.size());
            answer.emplace_back();
        }
        return free[places - 1];
    }
    /// Puts the reply to the next part there, where free_place() was.
    void answer_at(std::uint32_t place) noexcept {
        --places;
        answer[place] = reply;
    }
    /// The data of the answer there has come.
    void data_came(std::uint32_t place) noexcept {
        if (come == no_token)
            come = place;
        else
            ready.push(place);
    }
    /// The L2 refuses the access, until what it lacks can have come.
    void refuse(refusal why) noexcept {
        refused = true;
        lacking = why;
        may_hit = false;
    }
    /// Textures have no ROP delay (SPEC 6.1): the youngest goes to the L2's queue at once, past those that wait out theirs.
    void pass_by_rop() {
        for (auto i = waiting.size() - 1; i != input; --i) std::swap(waiting[i], waiting[i - 1]);
        ++input;
    }

    friend bool operator==(l2_slice const&, l2_slice const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(node, waiting, input, done, l2, refused, come, ready, replies, to_dram, from_dram, answer, owed,
          prefetched, ledger);
    }
};

} // namespace warpkit
