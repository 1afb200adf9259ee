#pragma once
/// \file
/// The ports of an L2 slice: requests in from the network, replies out to it, and what goes to the DRAM and comes back.
///
/// In the reference: `l2_slice::take_in`, `send_reply` and `ask_dram` (reference/l2_partition.hpp).

#include <warpkit/base/clock.hpp>
#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/host_line.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/timing.hpp>
#include <warpkit/gpu/common/link.hpp>
#include <warpkit/machine/packet.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {

/// A packet on its way through the ROP, or waiting for the L2. A line of the host's cache.
struct alignas(host_line) delayed_packet {
    /// Of the first cycle in which the L2 may take it: the one behind that in which it leaves the ROP.
    tick ready = 0;
    packet content;
    friend bool operator==(delayed_packet const&, delayed_packet const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(ready, content);
    }
};

/// The way in: from the network through the ROP delay into the queue of the L2, which takes its packets from there.
///
/// One packet comes in a cycle, while there is a place in the queue. So at most one is through the ROP in a cycle, two
/// where some come from the far half of the machine; it finds a place or stays in front of it, and is in the queue when
/// the L2 could have it: how many are there need not be counted. All ticks are those of cycles, but for what links say.
class request_port {
public:
    request_port() = default;
    /// `rop` cycles from the network to the queue in front of the L2, which has so many places and that clock.
    /// Packets of the cores `near`, a range, take `far` cycles less than others.
    request_port(std::uint32_t rop, std::uint32_t queue, clock_domain const& clock, std::uint32_t far = 0,
                 std::pair<std::uint32_t, std::uint32_t> near = {})
        : clock_(clock),
          delay_(clock.at(rop == 0 ? 2 : rop + 1)),
          queue_size_(queue),
          far_(clock.at(far)),
          near_(near),
          waiting_(rop + far + 8 + queue) {}

    /// Nothing waits, here or in the ROP.
    bool empty() const noexcept { return waiting_.empty(); }
    /// From when on the L2 may take front(); never without one.
    tick ready() const noexcept { return ready_; }
    packet const& front() const noexcept { return waiting_.front().content; }
    void pop() noexcept {
        waiting_.pop();
        see_front();
    }
    /// A window begins that ends at `end`: takes in what comes in it, unless the queue may be full then. When that, or
    /// what has to wait, gives the slice something to do that it did not have before; otherwise never.
    /// Abbreviates `l2_slice::take_in` in each cycle of the window.
    tick look(link<packet>& requests, tick end) noexcept {
        if (left_ != never) return never;
        auto const before = ready_;
        tick free = 0; // the first cycle in which none has come
        for (auto t = requests.next_arrival(); t < end; t = requests.next_arrival()) {
            auto const now = cycle_of(t, free);
            free = now + clock_.period();
            if (now >= end || !has_place(end - 1)) {
                left_ = due_ = now;
                break;
            }
            accept(now, requests);
        }
        auto const first = ready_ < before ? ready_ : never;
        return due_ < first ? due_ : first;
    }
    /// Whether look() has left packets in the link, for take_in().
    bool lags() const noexcept { return left_ != never; }
    /// When the next of them comes in; never if there are none, or a place must become free first.
    tick due() const noexcept { return due_; }
    /// The end of the cycle at tick `now`: takes in one of them, if it is there and finds a place. Whether it does.
    [[gnu::noinline]] bool take_in(tick now, link<packet>& requests) noexcept {
        bool const comes = left_ <= now && has_place(now);
        if (comes) {
            accept(now, requests);
            left_ = cycle_of(requests.next_arrival(), now + clock_.period());
        }
        due_ = has_place(now) ? left_ : never;
        return comes;
    }
    /// When the next packet comes that finds a place, between windows.
    tick next(link<packet> const& requests) const noexcept {
        auto const arrival = requests.next_arrival();
        return arrival != never && has_place(arrival) ? arrival : never;
    }
    /// Bytes of requests from the network.
    std::uint64_t received() const noexcept { return received_; }

    friend bool operator==(request_port const&, request_port const&) = default;
    WARPKIT_STORED_MEMBERS(10)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(waiting_);
    }

private:
    /// Whether there is a place in the queue behind the ROP when the cycle at tick `now` ends.
    bool has_place(tick now) const noexcept {
        return waiting_.size() < queue_size_ || waiting_[queue_size_ - 1].ready > now + clock_.period();
    }
    /// The first cycle in which what arrives at tick `t` is there, no sooner than `first`; never for never.
    tick cycle_of(tick t, tick first) const noexcept {
        auto const edge = clock_.at(clock_.first_at_or_after(t));
        return edge < first ? first : edge;
    }
    void accept(tick now, link<packet>& requests) noexcept {
        auto& p = waiting_.extend();
        p.ready = now + delay_;
        p.content = requests.front();
        requests.pop(now, 1);
        received_ += p.content.bytes;
        if (p.content.kind == packet_kind::texture || far_ != 0) [[unlikely]]
            pass(now);
        see_front();
    }
    /// The youngest passes those that wait longer: textures have no ROP delay (docs/model/l2_partition.md#rop), and
    /// from the near half of the machine the way is shorter.
    [[gnu::noinline]] void pass(tick now) noexcept {
        auto i = waiting_.size() - 1;
        auto& p = waiting_[i];
        if (p.content.kind == packet_kind::texture) p.ready = now + clock_.period();
        if (p.content.core < near_.first || p.content.core >= near_.second) p.ready += far_;
        for (auto const ready = p.ready; i != 0 && waiting_[i - 1].ready > ready; --i)
            std::swap(waiting_[i], waiting_[i - 1]);
    }
    void see_front() noexcept { ready_ = waiting_.empty() ? never : waiting_.front().ready; }

    tick ready_ = never;
    /// When the first packet that look() has left in the link can come in, given a place; a hint, no state.
    tick left_ = never;
    tick due_ = never; ///< as due() has it; likewise
    clock_domain clock_;
    tick delay_ = 0;
    std::uint32_t queue_size_ = 1;
    tick far_ = 0;
    std::pair<std::uint32_t, std::uint32_t> near_; ///< cores: from one, to before one
    ring<delayed_packet> waiting_;                 ///< for the L2, or for the end of the ROP delay
    std::uint64_t received_ = 0;
};

/// An answer that waits for credits. A line of the host's cache.
struct alignas(host_line) waiting_answer {
    tick from = 0; ///< of the first cycle in which it could leave, were it not for those in front of it
    std::uint32_t turn = 0; ///< its place in reply_port::left_
    packet content;
    friend bool operator==(waiting_answer const&, waiting_answer const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(from, turn, content);
    }
};

/// The way out: the answers that wait for their data, those whose data has come, and those on their way to the network.
/// Queues and the L2 hold the places of the first.
///
/// One answer leaves in a cycle, when the link has the credits, in the order in which they came. So an answer can tell
/// when it will leave as soon as there are credits for it, and is sent at once with that time. What credits come back
/// in a window is known when it begins: who finds none waits for the next. The queue has as many places as there are
/// answers that have not left: it is full while the one that came so many before has not.
class reply_port {
public:
    reply_port() = default;
    /// Room for as many answers whose data has come, but for one, and `leaving` behind them, on that clock.
    reply_port(std::size_t come, std::size_t leaving, clock_domain const& clock)
        : clock_(clock),
          ready_(come),
          left_(leaving),
          waiting_(leaving) {}

    /// The place that the next answer will have.
    std::uint32_t free_place() {
        if (free_.empty()) [[unlikely]]
            add_places();
        return free_.back();
    }
    /// Puts an answer there, where free_place() was.
    void answer_at(std::uint32_t place, packet const& reply) noexcept {
        free_.pop_back();
        answer_[place] = reply;
    }
    /// The token by which parts wait for their data that have one reply, there.
    static constexpr std::uint32_t for_parts(std::uint32_t place) noexcept { return place | of_parts_; }
    /// Puts such a reply there, the first of whose parts has been asked for.
    void gather_at(std::uint32_t token, packet const& reply) {
        auto const place = token ^ of_parts_;
        answer_at(place, reply);
        if (missing_.size() < answer_.size()) missing_.resize(answer_.size());
        missing_[place] = 1; // all_asked() takes it off
    }
    /// One more part of that waits for its data.
    void awaits_part(std::uint32_t token) noexcept { ++missing_[token ^ of_parts_]; }
    /// The last part of it has been asked for: with its data there, the reply leaves as by answer().
    void all_asked(std::uint32_t token, tick next, link<packet>& replies, tick end) noexcept {
        auto const place = token ^ of_parts_;
        if (--missing_[place] != 0) return;
        answer(answer_[place], next, replies, end);
        free_.push_back(place);
    }
    /// The answer there, or of these parts.
    packet const& operator[](std::uint32_t token) const noexcept { return answer_[token & ~of_parts_]; }
    /// Answers that wait: for their data, or for credits.
    std::uint64_t waiting() const noexcept { return answer_.size() - free_.size() + waiting_.size(); }
    /// No answer waits.
    bool idle() const noexcept { return free_.size() == answer_.size() && waiting_.empty(); }

    /// The data of the answer there has come, or by for_parts() of a part of it. Precondition: has_room_for_data().
    void data_came(std::uint32_t place) noexcept {
        if (place >= of_parts_) [[unlikely]] {
            place ^= of_parts_;
            if (--missing_[place] != 0) return;
        }
        if (come_ == no_token)
            come_ = place;
        else
            ready_.push(place);
    }
    bool has_room_for_data() const noexcept { return !ready_.full(); }
    /// Some answer's data has come.
    bool has_data() const noexcept { return come_ != no_token; }
    /// The next answer whose data has come leaves in the next cycle, at tick `next`, or later, in a window that ends at
    /// `end`. Precondition: has_room(), has_data().
    void data_leave(tick next, link<packet>& replies, tick end) noexcept {
        answer(answer_[come_], next, replies, end);
        free_.push_back(come_);
        come_ = no_token;
        if (!ready_.empty()) [[unlikely]] {
            come_ = ready_.front();
            ready_.pop();
        }
    }
    /// The cycle before the one at tick `next` ends, `after` is that of the one behind it: data_leave() ahead of time,
    /// if it is known that there will be room, and no more data waits.
    void data_leave_next(tick next, tick after, link<packet>& replies, tick end) noexcept {
        if (!has_data() || !has_room(next) || !ready_.empty()) return;
        answer(answer_[come_], after, replies, end);
        free_.push_back(come_);
        come_ = no_token;
    }
    /// The same of one that needs no data. Precondition: has_room().
    /// Abbreviates `l2_slice::send_reply` in each cycle until it leaves.
    [[gnu::always_inline]] void answer(packet const& reply, tick next, link<packet>& replies,
                                       tick end) noexcept {
        auto const t = next < free_from_ ? free_from_ : next;
        if (waiting_.empty() && replies.may_send(reply.flits)) [[likely]] {
            send(t, reply, replies, turn_);
        } else
            wait(t, reply, replies, end);
        if (++turn_ == left_.size()) turn_ = 0;
    }
    /// Whether there is room for one that will leave, when the port has had its cycle at tick `now`.
    bool has_room(tick now) const noexcept { return left_[turn_] <= now; }
    /// The first cycle in which there may be room again, as far as is known in a window that ends at `end`.
    tick room_due(tick end) const noexcept {
        auto const t = left_[turn_];
        return t != never ? t : clock_.of(clock_.first_at_or_after(end));
    }
    /// When the next answer can leave that waits for credits, as far as is known.
    tick next(link<packet> const& replies) const noexcept {
        if (waiting_.empty()) return never;
        auto const& w = waiting_.front();
        auto const t = w.from < free_from_ ? free_from_ : w.from;
        if (replies.may_send(w.content.flits)) return t;
        auto const credit = replies.next_credit();
        return credit < t ? t : credit;
    }
    /// An answer waits for credits.
    bool wants_link() const noexcept { return !waiting_.empty(); }

    /// A window begins that ends at `end`: those that wait are sent, as far as there will be credits in it. Whether any
    /// is.
    [[gnu::noinline]] bool let_leave(tick end, link<packet>& replies) noexcept {
        bool any = false;
        while (!waiting_.empty()) {
            auto const& w = waiting_.front();
            auto const t = leaves(w.from < free_from_ ? free_from_ : w.from, w.content.flits, replies, end);
            if (t == never) break;
            send(t, w.content, replies, w.turn);
            waiting_.pop();
            any = true;
        }
        return any;
    }
    /// What went to the network.
    traffic const& sent() const noexcept { return sent_; }

    friend bool operator==(reply_port const&, reply_port const&) = default;
    WARPKIT_STORED_MEMBERS(11)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(come_, ready_, waiting_, free_from_, answer_, missing_);
    }

private:
    /// In the tokens of replies to several parts.
    static constexpr std::uint32_t of_parts_ = 0x80000000;

    void send(tick t, packet const& reply, link<packet>& replies, std::uint32_t turn) noexcept {
        replies.send(t, reply, reply.flits);
        sent_.count(reply);
        free_from_ = t + clock_.period();
        left_[turn] = t;
    }
    /// There are no credits at hand, or others wait already.
    [[gnu::noinline]] void wait(tick from, packet const& reply, link<packet>& replies, tick end) noexcept {
        auto const t = waiting_.empty() ? leaves(from, reply.flits, replies, end) : never;
        if (t != never) return send(t, reply, replies, turn_);
        auto& w = waiting_.extend();
        w.from = from;
        w.turn = turn_;
        w.content = reply;
        left_[turn_] = never;
    }
    /// The first cycle from that at tick `t` on in which there are so many credits, of those that are back before
    /// `end`. (None are collected for a cycle behind that, which would make a difference between short windows and long
    /// ones.)
    tick leaves(tick t, std::uint32_t flits, link<packet>& replies, tick end) const noexcept {
        while (!replies.may_send(flits)) {
            if (t >= end) return never;
            if (replies.credits(t) >= flits) break;
            auto const credit = replies.next_credit(end);
            if (credit == never) return never;
            t = clock_.of(clock_.first_at_or_after(credit));
        }
        return t;
    }
    [[gnu::noinline]] void add_places() {
        auto const first = answer_.size();
        answer_.resize(first + 8);
        for (auto p = answer_.size(); p != first; --p) free_.push_back(static_cast<std::uint32_t>(p - 1));
    }

    clock_domain clock_;
    std::uint32_t come_ = no_token; ///< the answer whose data came first
    std::uint32_t turn_ = 0;        ///< of the next answer, in `left_`
    ring<std::uint32_t> ready_;     ///< places of answers whose data has come, those behind it
    tick free_from_ = 0;            ///< the first cycle behind the last in which one leaves
    heap_array<tick> left_;         ///< when each of the last answers leaves; never for those in `waiting_`
    ring<waiting_answer> waiting_;
    std::vector<packet> answer_;      ///< by place
    std::vector<std::uint32_t> free_; ///< places in `answer_`
    /// Of one reply to several parts, by place: parts that have not come, and one if not all have been asked for.
    std::vector<std::uint8_t> missing_;
    traffic sent_;
};

/// Something for the DRAM to do, in the terms of a slice.
struct l2_demand {
    std::uint64_t local = 0;        ///< address within the slice
    std::uint32_t token = no_token; ///< the MSHR entry of a fetch; with the L2 off, the waiting packet
    std::uint32_t bytes = 0;
    bool write = false;
    bool answered = true; ///< a fetch or an uncached access, not a write-back
    warp_slot owner{};    ///< on whose behalf, as l2_owner has it; none of a write-back
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

/// Between a slice and the DRAM, whose side of it is gpu/memory/dram_side.hpp. Demands wait as the channel will be
/// given them.
class dram_port {
public:
    dram_port() = default;
    /// Of slice number `slice` of its partition.
    dram_port(std::size_t demands, std::size_t data, std::uint32_t slice, std::uint32_t sector,
              dram::timing const& numbers)
        : to(demands),
          from(data),
          sector_(sector),
          atom_bytes_(numbers.atom_bytes()) {
        of_block_.token = dram_sender{0, static_cast<std::uint16_t>(slice), false}.packed();
        of_block_.atoms = numbers.atoms_for(sector);
    }
    ring<dram::request> to;
    ring<std::uint32_t> from; ///< tokens of demands

    /// Slice number `node` of the machine has a demand. Precondition: there is room in `to`.
    [[gnu::always_inline]] void ask(l2_demand const& d, std::uint32_t node,
                                    dram::address_mapping const& map) noexcept {
        auto const block = d.local >> map.low_column_bits();
        if (block != block_) locate(block, node, map);
        auto& r = to.extend();
        r = of_block_;
        r.token = of_block_.token | dram_sender{d.token, 0, d.answered}.packed();
        r.column = column_ + static_cast<std::uint32_t>(d.local);
        r.write = d.write;
        if (d.bytes != sector_) r.atoms = (d.bytes + atom_bytes_ - 1) / atom_bytes_;
    }

    friend bool operator==(dram_port const&, dram_port const&) = default;
    WARPKIT_STORED_MEMBERS(7)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(to, from);
    }

private:
    [[gnu::noinline]] void locate(std::uint64_t block, std::uint32_t node,
                                  dram::address_mapping const& map) noexcept {
        block_ = block;
        auto const first = block << map.low_column_bits();
        auto const at = map.locate(node, first);
        of_block_.row = at.row;
        of_block_.bank = static_cast<std::uint16_t>(at.bank);
        column_ = at.column - static_cast<std::uint32_t>(first);
    }

    std::uint32_t sector_ = 32; ///< bytes
    std::uint32_t atom_bytes_ = 32;
    std::uint64_t block_ = ~std::uint64_t{0}; ///< the block of adjacent columns located last
    dram::request of_block_;                  ///< a sector there; its token has the slice's number here
    std::uint32_t column_ = 0;                ///< of what lies at local address 0, were it in the same block
};

} // namespace warpkit
