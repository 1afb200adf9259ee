#pragma once
/// \file
/// The ports of an L2 slice: requests in from the network, replies out to it, and what goes to the DRAM and comes back.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/gpu/link.hpp>
#include <warpkit/gpu/packet.hpp>

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

/// The way in: from the network through the ROP delay into the queue of the L2, which takes its packets from there.
class request_port {
public:
    request_port() = default;
    /// `rop` places in the ROP, whose delay is that many ticks, and `queue` in front of the L2.
    request_port(std::uint32_t rop, tick rop_ticks, std::uint32_t queue)
        : waiting_(rop + queue),
          rop_size_(rop),
          queue_size_(queue),
          rop_ticks_(rop_ticks) {}

    /// Nothing waits, here or in the ROP.
    bool empty() const noexcept { return waiting_.empty(); }
    /// Whether a packet waits for the L2: the first of them is front().
    bool has_packet() const noexcept { return ready_ != 0; }
    packet const& front() const noexcept { return waiting_.front().content; }
    void pop() noexcept {
        waiting_.pop();
        --ready_;
    }
    /// No packet has come, or is through the ROP, before; as far as is known.
    tick due() const noexcept { return due_; }
    /// Whether there is a place for it behind the ROP.
    bool has_place() const noexcept { return ready_ != queue_size_; }
    /// A window begins: a packet may have come into the link.
    void look(link<packet> const& requests) noexcept {
        if (auto const t = requests.next_arrival(); t < due_ && has_rop_place()) due_ = t;
    }
    /// When the next packet comes, or is through the ROP and has a place behind it, as far as is known.
    tick next(link<packet> const& requests) const noexcept {
        auto const next = waiting_.size() == ready_ ? never : waiting_[ready_].ready;
        if (!has_rop_place()) return next;
        auto const arrival = requests.next_arrival();
        return arrival < next ? arrival : next;
    }
    /// A packet is through the ROP, or has come, or both. Precondition: has_place(), and it is due().
    [[gnu::always_inline]] void take_in(tick now, link<packet>& requests) {
        if (waiting_.size() != ready_ && waiting_[ready_].ready <= now) ++ready_;
        if (has_place() && requests.has_arrived(now) && has_rop_place()) {
            auto& p = waiting_.extend();
            p.ready = now + rop_ticks_;
            p.content = requests.front();
            requests.pop(now, 1);
            received_ += p.content.bytes;
            if (p.content.kind == packet_kind::texture) pass_by_rop();
        }
        due_ = next(requests);
    }
    /// Bytes of requests from the network.
    std::uint64_t received() const noexcept { return received_; }

    friend bool operator==(request_port const&, request_port const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(waiting_, ready_);
    }

private:
    bool has_rop_place() const noexcept { return waiting_.size() - ready_ != rop_size_; }
    /// Textures have no ROP delay (SPEC 6.1): the youngest goes to the L2's queue at once, past those that wait out theirs.
    void pass_by_rop() {
        for (auto i = waiting_.size() - 1; i != ready_; --i) std::swap(waiting_[i], waiting_[i - 1]);
        ++ready_;
    }

    ring<delayed_packet> waiting_; ///< the first `ready_` for the L2, the others for the end of the ROP delay
    std::uint32_t ready_ = 0;
    std::uint32_t rop_size_ = 1;
    std::uint32_t queue_size_ = 1;
    tick rop_ticks_ = 0;
    tick due_ = never; ///< a hint, no state
    std::uint64_t received_ = 0;
};

/// The way out: the answers that wait for their data, those whose data has come, and those on their way to the network.
/// Queues and the L2 hold the places of answers.
class reply_port {
public:
    reply_port() = default;
    /// Room for as many answers whose data has come, but for one, and `leaving` behind them.
    reply_port(std::size_t come, std::size_t leaving) : ready_(come), leaving_(leaving) {}

    /// The place that the next answer will have.
    std::uint32_t free_place() {
        if (places_ == 0) [[unlikely]] {
            free_.push_back(0);
            free_[places_++] = static_cast<std::uint32_t>(answer_.size());
            answer_.emplace_back();
        }
        return free_[places_ - 1];
    }
    /// Puts an answer there, where free_place() was.
    void answer_at(std::uint32_t place, packet const& reply) noexcept {
        --places_;
        answer_[place] = reply;
    }
    packet const& operator[](std::uint32_t place) const noexcept { return answer_[place]; }
    /// No answer is under way or waits.
    bool idle() const noexcept { return places_ == answer_.size(); }

    /// The data of the answer there has come. Precondition: has_room_for_data().
    void data_came(std::uint32_t place) noexcept {
        if (come_ == no_token)
            come_ = place;
        else
            ready_.push(place);
    }
    bool has_room_for_data() const noexcept { return !ready_.full(); }
    /// It needs no data. Precondition: has_room().
    void leave(std::uint32_t place) noexcept { leaving_.push(place); }
    bool has_room() const noexcept { return !leaving_.full(); }
    /// An answer waits for the network.
    bool wants_link() const noexcept { return !leaving_.empty(); }

    /// A cycle of the port: a reply leaves, and the next whose data has come follows. Whether either did.
    [[gnu::always_inline]] bool cycle(tick now, link<packet>& replies) {
        bool busy = false;
        if (!leaving_.empty()) {
            auto const place = leaving_.front();
            auto const& p = answer_[place];
            if (replies.can_send(now, p.flits)) {
                replies.send(now, p, p.flits);
                sent_.count(p);
                leaving_.pop();
                free_[places_++] = place;
                busy = true;
            }
        }
        if (come_ != no_token && !leaving_.full()) {
            leaving_.push(come_);
            come_ = no_token;
            busy = true;
            if (!ready_.empty()) [[unlikely]] {
                come_ = ready_.front();
                ready_.pop();
            }
        }
        return busy;
    }
    /// What went to the network.
    traffic const& sent() const noexcept { return sent_; }

    friend bool operator==(reply_port const&, reply_port const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(come_, ready_, leaving_, answer_);
    }

private:
    std::uint32_t come_ = no_token;   ///< the answer whose data came in the cycle before
    ring<std::uint32_t> ready_;       ///< places of answers whose data has come, those behind it
    ring<std::uint32_t> leaving_;     ///< places of answers on their way out
    std::vector<packet> answer_;      ///< by place
    std::vector<std::uint32_t> free_; ///< the first `places_` of them: places in `answer_` without one
    std::size_t places_ = 0;
    traffic sent_;
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

/// Whose a DRAM request is: what its token stands for.
struct dram_sender {
    std::uint32_t token = no_token; ///< the demand's
    std::uint16_t slice = 0;
    bool answered = true;
    static constexpr dram_sender of(std::uint64_t token) noexcept {
        return {static_cast<std::uint32_t>(token), static_cast<std::uint16_t>(token >> 32),
                (token >> 48) != 0};
    }
    constexpr std::uint64_t packed() const noexcept {
        return token | std::uint64_t{slice} << 32 | std::uint64_t{answered} << 48;
    }
};

/// Between a slice and the DRAM, whose side of it is gpu/dram_side.hpp.
struct dram_port {
    dram_port() = default;
    /// Of slice number `slice` of its partition, whose sectors take so many atoms of the DRAM.
    dram_port(std::size_t demands, std::size_t data, std::uint32_t slice, std::uint32_t sector_atoms)
        : to(demands),
          from(data) {
        request.token = dram_sender{0, static_cast<std::uint16_t>(slice), false}.packed();
        request.atoms = sector_atoms;
    }
    ring<l2_demand> to;
    ring<std::uint32_t> from;                ///< tokens of demands
    std::uint64_t block = ~std::uint64_t{0}; ///< the block of adjacent columns located last
    dram::request request;                   ///< a sector there; its token has the slice's number here
    std::uint32_t column = 0;                ///< of what lies at local address 0, were it in the same block
    friend bool operator==(dram_port const&, dram_port const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(to, from);
    }
};

} // namespace warpkit
