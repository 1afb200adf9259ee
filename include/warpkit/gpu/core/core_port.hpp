#pragma once
/// \file
/// Where a core meets the network: its requests, and replies that wake nobody.
///
/// In the reference: `core::send_request` and `core::take_reply` (reference/core.hpp).

#include <warpkit/base/clock.hpp>
#include <warpkit/base/cycle.hpp>
#include <warpkit/base/flattened.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/gpu/common/link.hpp>
#include <warpkit/gpu/core/due_fills.hpp>
#include <warpkit/gpu/core/warp_table.hpp>
#include <warpkit/machine/packet.hpp>

#include <cstdint>

namespace warpkit {

/// One packet a cycle leaves, and one comes. What goes out is drawn from the front end and from the load/store unit;
/// here is what a packet costs, whom it is for, and the account of both ways.
class core_port {
public:
    core_port() = default;
    /// `flit` in bytes.
    core_port(unsigned core, clock_domain clock, std::uint32_t flit)
        : clock_(clock),
          core_(core),
          flit_(flit) {}

    clock_domain const& clock() const noexcept { return clock_; }
    /// Bytes that requests asked for, or gave and want acknowledged.
    std::uint64_t asked() const noexcept { return asked_; }
    /// All requests, and the bytes of all replies.
    traffic const& sent() const noexcept { return sent_; }
    std::uint64_t received() const noexcept { return received_; }
    /// Core cycles from request to reply of reads, and how many there were.
    std::uint64_t latency_sum() const noexcept { return latency_sum_; }
    std::uint64_t latencies() const noexcept { return latencies_; }

    // ---- requests
    /// Whether something waits to be sent.
    bool requesting() const noexcept { return requesting_; }
    void requesting(bool so) noexcept { requesting_ = so; }
    /// When what waits may find room; `never` if nothing does.
    cycle next_credit(link<packet> const& requests) const noexcept {
        return requesting_ ? clock_.first_at_or_after(requests.next_credit()) : never;
    }
    /// Sends what has waited longest, instruction misses first; precondition: one of both has a request. Whether there
    /// was room for it.
    template <class Map, class FrontEnd, class LoadStoreUnit>
    [[gnu::always_inline]] bool send(cycle now, Map const& map, link<packet>& requests, FrontEnd& front,
                                     LoadStoreUnit& lsu, warp_table const& table) {
        auto const tick_now = clock_.of(now);
        if (!requests.can_send(tick_now, 1)) return false;
        bool const code = front.has_request();
        auto& p = requests.draft();
        // Mostly it is a fetch of the L1: of one flit, answered, and with nothing else that waits.
        bool const fetch = !code && packet_header <= flit_ && lsu.request_fetch(p);
        std::uint32_t flits = 1;
        if (fetch) {
            p.cta = cta_of(p, table);
            asked_ += p.bytes;
        } else {
            if (code) {
                auto const& r = front.request();
                p.kind = packet_kind::instruction;
                p.address = r.address;
                p.bytes = r.bytes;
                p.warp = static_cast<packet_warp>(r.owner.index());
                p.token = 0;
                p.cta = no_cta;
                p.written = {};
            } else {
                lsu.request(p);
                p.cta = p.token != no_token ? cta_of(p, table) : no_cta;
            }
            auto const bytes = request_bytes(p);
            if (bytes > flit_) flits = (bytes + flit_ - 1) / flit_;
            if (flits != 1 && !requests.can_send(tick_now, flits)) return false;
            if (p.token != no_token) asked_ += p.bytes; // a write-back is not answered
        }
        p.core = static_cast<std::uint16_t>(core_);
        p.slice = static_cast<std::uint16_t>(map.sub_partition(p.address));
        p.flits = static_cast<std::uint16_t>(flits);
        p.born = static_cast<std::uint32_t>(now);
        sent_.count(p);
        requests.send(tick_now, flits);
        if (fetch) {
            lsu.pop_l1d_request(now);
            requesting_ = lsu.l1d_has_request(); // nothing else waits, or it would have gone first
            return true;
        }
        if (code)
            front.pop_request();
        else
            lsu.pop_request(now);
        requesting_ = lsu.has_request() || front.has_request();
        return true;
    }

    /// Sends a packet of the unit for bulk copies; whether there was room for it.
    template <class Map>
    bool send_bulk(cycle now, Map const& map, link<packet>& requests, packet p, warp_table const& table) {
        auto const tick_now = clock_.of(now);
        p.flits = flits_of(request_bytes(p), flit_);
        if (!requests.can_send(tick_now, p.flits)) return false;
        p.cta = cta_of(p, table);
        p.core = static_cast<std::uint16_t>(core_);
        p.slice = static_cast<std::uint16_t>(map.sub_partition(p.address));
        p.born = static_cast<std::uint32_t>(now);
        asked_ += p.bytes;
        sent_.count(p);
        requests.send(tick_now, p, p.flits);
        return true;
    }

    // ---- replies
    /// One to a read, of whatever cache, has come at `now`.
    void count_read(packet const& p, cycle now) noexcept {
        count_other(p);
        latency_sum_ += static_cast<std::uint32_t>(now) - p.born;
        ++latencies_;
    }
    /// Any other has.
    void count_other(packet const& p) noexcept { received_ += p.bytes; }
    /// When the next reply comes that somebody can notice, of those known; not before cycle `now`.
    cycle next_reply(cycle now) const noexcept { return fills_.next(now); }
    /// Whether that completes a line, and the MSHR of that; it is taken then.
    bool has_fill() const noexcept { return !fills_.empty(); }
    std::uint32_t pop_fill() noexcept { return fills_.pop(); }
    /// Takes the replies from cycle `from` on, to before `last`, that can be taken in one go, ahead of their cycles:
    /// those of the L1, unless `notes_parts`, whatever the core does meanwhile, since only a line's last part is
    /// noticed, which is noted; and before that, acknowledgements of parts of stores up to cycle `wake`, until which
    /// the core sleeps. Precondition: not has_fill().
    /// Abbreviates `core::take_reply` in each of those cycles, and the cycles themselves.
    template <bool NotesParts, class LoadStoreUnit>
    [[gnu::always_inline]] void take_ahead(link<packet>& replies, cycle from, cycle last, cycle wake,
                                           LoadStoreUnit& lsu, warp_table& table) {
        if (!clock_.is_near(clock_.of(last))) [[unlikely]] // then one by one
            return fills_.written(0, later(from, clock_.first_at_or_after(replies.next_arrival())));
        // The kind of what is a part of a line.
        auto const part = !NotesParts && lsu.counts_parts() ? packet_kind::read : no_kind;
        unsigned fills = 0;
        unsigned reads = 0;
        bool const all = replies.take_while([&](link<packet>::element const& reply,
                                                tick& now) __attribute__((always_inline)) {
            from = later(from, clock_.first_near(reply.at));
            if (from >= last) return false;
            auto const& p = reply.content;
            auto const bytes = p.bytes;
            if (p.kind == part) {
                if (fills == due_fills::capacity || lsu.went_past(p)) return false;
                fills = fills_.write(fills, lsu.count_part(p.token, bytes), from, p.token);
                latency_sum_ += static_cast<std::uint32_t>(from) - p.born;
                ++reads;
            } else if (from > wake || fills != 0 || !take_acknowledgement(p, table)) {
                return false;
            }
            received_ += bytes;
            now = clock_.of(from++);
            return true;
        });
        latencies_ += reads;
        fills_.written(fills, all ? last : from);
    }

    friend bool operator==(core_port const&, core_port const&) = default;
    WARPKIT_STORED_MEMBERS(10)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(core_, asked_, received_);
    }

private:
    /// The CTA of its warp, if it has one.
    static std::uint32_t cta_of(packet const& p, warp_table const& table) noexcept {
        return p.warp != packet{}.warp
                   ? static_cast<std::uint32_t>(table.cta[table.warp[p.warp].cta].linear_id)
                   : no_cta;
    }
    static constexpr auto no_kind = static_cast<packet_kind>(0xff); ///< of no packet
    static cycle later(cycle a, cycle b) noexcept { return a < b ? b : a; }
    /// Takes the acknowledgement of a part of a store, if it is one and more will follow.
    bool take_acknowledgement(packet const& p, warp_table& table) noexcept {
        if (p.kind != packet_kind::write || p.token >= first_bulk_token || requesting_) return false;
        auto& outstanding = table.warp[p.token].outstanding;
        if (outstanding <= p.bytes) return false;
        outstanding -= p.bytes;
        return true;
    }

    bool requesting_ = false;
    clock_domain clock_;
    std::uint64_t received_ = 0;
    std::uint64_t latency_sum_ = 0;
    std::uint64_t latencies_ = 0;
    std::uint64_t asked_ = 0;
    due_fills fills_;
    traffic sent_;
    unsigned core_ = 0;
    std::uint32_t flit_ = 32;
};

} // namespace warpkit
