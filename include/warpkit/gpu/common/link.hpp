#pragma once
/// \file
/// The only way in which components touch each other (docs/model/time.md#links): a link with latency and credits.
///
/// Nothing sent in a window can arrive before its end, and no credit comes back; so each end sees what the other did in
/// windows before, and no more: what is not due in the window is not looked at. The order in which components are
/// advanced inside a window cannot matter. Both ends are used by one host thread; where two components are on two, each
/// has an object of its own for the link between them, and a mailbox (gpu/threads/mailbox.hpp) tells one of what
/// happens to the other.
///
/// In the reference: `link` (reference/link.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/host_line.hpp>
#include <warpkit/base/stored_members.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace warpkit {

/// A one-way link for elements of type T. Each element costs credits (elements or flits, as the users agree), of which
/// there are as many as the receiver's buffer holds; when the receiver takes it, they are back at the sender one
/// latency later, so back-pressure is exact.
///
/// An element stays in one place from when it is sent until its credits are back: one ring, in which three marks move.
///
///     collected            taken               sent
///         | taken, credits   | on its way, or    | free
///         | on their way back| waiting there     |
///
/// The sender moves `collected` and `sent`, the receiver `taken`.
template <class T>
class alignas(host_line) link {
    /// So that an element's size is a power of two; for a packet, a cache line of the host.
    static constexpr std::size_t size = std::bit_ceil(2 * sizeof(tick) + sizeof(T));
    static constexpr std::size_t alignment = size < host_line ? size : host_line;

public:
    /// One on its way, or its credits.
    struct alignas(alignment) element {
        tick at = 0; ///< when it is at the receiver; once taken, when its credits are at the sender
        std::uint32_t cost = 0;
        T content{};
    };

    link() = default;
    /// `latency` in ticks, at least the engine's window; `credits` is the size of the receiver's buffer.
    link(tick latency, std::uint32_t credits)
        : place_(heap_array<element>::blank(std::bit_ceil(std::size_t{credits}))),
          latency_(latency),
          credits_(credits),
          mask_(static_cast<std::uint32_t>((place_.size() - 1) * step)),
          capacity_(credits) {}

    // The sender's end.
    /// Credits available at `now`; collects those that have come back.
    std::uint32_t credits(tick now) noexcept {
        auto back = collected_;
        auto sum = credits_;
        for (auto const taken = taken_; back != taken && at(back).at <= now; back += step)
            sum += at(back).cost;
        collected_ = back;
        return credits_ = sum;
    }
    /// The same where every element costs one: nothing to be summed up.
    std::uint32_t single_credits(tick now) noexcept {
        auto back = collected_;
        // Those before `back` have come back, those from `rest` on have not.
        for (auto rest = taken_; back != rest;) {
            auto const middle = back + ((rest - back) / 2 & ~(step - 1));
            if (at(middle).at <= now)
                back = middle + step;
            else
                rest = middle;
        }
        collected_ = back;
        return credits_ = capacity_ - static_cast<std::uint32_t>((sent_ - back) / step);
    }
    /// Whether there are so many credits at `now`; looks for those that have come back only where they are needed.
    bool can_send(tick now, std::uint32_t cost) noexcept { return credits_ >= cost || credits(now) >= cost; }
    /// Sends at `now`; precondition: 0 < cost, and there are so many credits at hand.
    void send(tick now, T const& content, std::uint32_t cost) noexcept {
        draft() = content;
        send(now, cost);
    }
    /// The same without copying: what send() without content sends, for the sender to write, holding anything.
    /// Precondition: credits(now) is not 0.
    T& draft() noexcept { return at(sent_).content; }
    void send(tick now, std::uint32_t cost) noexcept {
        credits_ -= cost;
        auto& p = at(sent_);
        sent_ += step;
        p.at = now + latency_;
        p.cost = cost;
    }
    /// Whether so many credits are at hand, those that may have come back not counted.
    bool may_send(std::uint32_t cost = 1) const noexcept { return credits_ >= cost; }
    /// When the next credit comes back, if that is before `end`, that of the window; otherwise `never`.
    tick next_credit(tick end = never) const noexcept {
        if (collected_ == taken_) return never;
        auto const t = at(collected_).at;
        return t < end ? t : never;
    }

    // The receiver's end.
    /// A window begins that ends at `end`: what arrives in it is known from now on. Whether any element is. Between
    /// windows, with nobody at work, all that was sent may be.
    bool look(tick end = never) noexcept {
        auto const sent = sent_;
        auto known = known_;
        if (known != sent) {
            // Mostly all of them, which come in order.
            if (at(sent - step).at < end)
                known = sent;
            else
                while (at(known).at < end) known += step;
            known_ = known;
        }
        return known != taken_;
    }
    /// When the oldest element is here; `never` if none is known.
    tick next_arrival() const noexcept { return taken_ == known_ ? never : at(taken_).at; }
    bool has_arrived(tick now) const noexcept { return taken_ != known_ && at(taken_).at <= now; }
    T const& front() const noexcept { return at(taken_).content; }
    /// Removes known elements, the oldest first, as long as `take(element, now)` is true and tells when; what each cost
    /// is given back. Whether all known ones were taken.
    template <class Take>
    [[gnu::always_inline]] bool take_while(Take&& take) noexcept {
        auto const latency = latency_;
        auto* const places = place_.data();
        auto const mask = mask_;
        auto const known = known_;
        auto next = taken_;
        for (; next != known; next += step) {
            auto& p = *place_at(places, next, mask);
            tick now = 0;
            if (!take(static_cast<element const&>(p), now)) break;
            p.at = now + latency;
        }
        taken_ = next;
        return next == known;
    }
    /// The oldest element, known or not: for who compares its time with the end of the window. Precondition: not
    /// empty().
    element const& first() const noexcept { return at(taken_); }
    /// Removes the oldest element and gives its credits, `cost`, back at `now`.
    void pop(tick now, std::uint32_t cost) noexcept { hear_taken(now + latency_, cost); }
    /// Sends the oldest element on along `to`, for `cost` credits there; those that it cost here go back. What `next`
    /// says of the next one, as first(); false if there is none. Precondition: both links have the same latency.
    template <class Next>
    [[gnu::always_inline]] bool forward(tick now, link& to, std::uint32_t cost, Next const& next) noexcept {
        // All that is read is read first: a compiler must take it that what is written could be the rest of it.
        auto const i = taken_;
        auto const o = to.sent_;
        auto const* const places = place_.data();
        auto const mask = mask_;
        auto const sent = sent_;
        auto& from = at(i);
        auto& p = to.at(o);
        auto const then = now + latency_;
        to.credits_ -= cost;
        p.content = from.content;
        p.at = then;
        p.cost = cost;
        from.at = then;
        to.sent_ = o + step;
        taken_ = i + step;
        return i + step != sent && next(*place_at(places, i + step, mask));
    }
    /// For a receiver that leaves elements where they are until it has used them: when the one behind the `n` oldest is
    /// here, as next_arrival().
    tick next_arrival(std::uint64_t n) const noexcept {
        return n * step < known_ - taken_ ? at(taken_ + n * step).at : never;
    }
    T const& operator[](std::uint64_t n) const noexcept { return at(taken_ + n * step).content; }

    // Between windows.
    /// Whether nothing is under way; checked when a run ends.
    bool empty() const noexcept { return taken_ == sent_; }
    tick latency() const noexcept { return latency_; }
    /// Elements sent and taken, ever.
    std::uint64_t sent() const noexcept { return sent_ / step; }
    std::uint64_t taken() const noexcept { return taken_ / step; }
    /// Credits that the sender neither has nor is about to get back: what the receiver's buffer holds.
    std::int64_t credits_out() const noexcept {
        std::int64_t n = std::int64_t{capacity_} - credits_;
        for (auto const c : returned()) n -= c.amount;
        return n;
    }

    // Where each end has an object of its own.
    /// The most elements and credits that can be under way.
    std::size_t places() const noexcept { return place_.size(); }
    /// The n-th element ever sent, while its credits have not been collected.
    element const& place_of(std::uint64_t n) const noexcept { return at(n * step); }
    /// At the receiver's: the next element that was sent.
    void hear_sent(tick there_at, std::uint32_t cost, T const& content) noexcept {
        auto& p = at(sent_);
        sent_ += step;
        p.at = there_at;
        p.cost = cost;
        p.content = content;
    }
    /// At the sender's: the oldest element was taken, and its credits are back at `back_at`.
    void hear_taken(tick back_at, std::uint32_t cost) noexcept {
        auto& p = at(taken_);
        taken_ += step;
        p.at = back_at;
        p.cost = cost;
    }
    /// Becomes the same as `o`, which has as many places, without allocating memory.
    void mirror(link const& o) noexcept {
        sent_ = o.sent_;
        collected_ = o.collected_;
        taken_ = o.taken_;
        known_ = o.known_;
        credits_ = o.credits_;
        for (auto n = collected_; n != sent_; n += step) at(n) = o.at(n);
    }
    /// This was the receiver's: becomes both again. `o` was the sender's.
    void join_sender(link const& o) noexcept {
        for (; sent_ != o.sent_; sent_ += step) at(sent_) = o.at(sent_);
        collected_ = o.collected_;
        credits_ = o.credits_;
    }
    /// This was the sender's, `o` the receiver's.
    void join_receiver(link const& o) noexcept {
        while (taken_ != o.taken_) {
            auto const& p = o.at(taken_);
            hear_taken(p.at, p.cost);
        }
        known_ = o.known_;
    }

    friend bool operator==(link const& a, link const& b) noexcept {
        return a.latency_ == b.latency_ && a.credits_ == b.credits_ && equal(a.returned(), b.returned()) &&
               equal(a.under_way(), b.under_way());
    }
    WARPKIT_STORED_MEMBERS(9)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(latency_, credits_, under_way(), returned());
    }

private:
    struct message {
        tick arrival = 0;
        std::uint32_t cost = 0;
        T content{};
        explicit message(element const& p) : arrival(p.at), cost(p.cost), content(p.content) {}
        template <class F>
        constexpr void each_member(F&& f) const {
            f(arrival, cost, content);
        }
        friend bool operator==(message const&, message const&) = default;
    };
    struct credit {
        tick arrival = 0;
        std::uint32_t amount = 0;
        explicit credit(element const& p) : arrival(p.at), amount(p.cost) {}
        template <class F>
        constexpr void each_member(F&& f) const {
            f(arrival, amount);
        }
        friend bool operator==(credit const&, credit const&) = default;
    };
    /// The places from one mark to the next, seen as elements of type E.
    template <class E>
    class section {
    public:
        class const_iterator {
        public:
            const_iterator(link const* l, std::uint64_t i) noexcept : link_(l), index_(i) {}
            E operator*() const noexcept { return E(link_->at(index_)); }
            const_iterator& operator++() noexcept {
                index_ += step;
                return *this;
            }
            friend bool operator==(const_iterator const&, const_iterator const&) = default;

        private:
            link const* link_;
            std::uint64_t index_;
        };
        section(link const* l, std::uint64_t first, std::uint64_t last) noexcept
            : link_(l),
              first_(first),
              last_(last) {}
        std::size_t size() const noexcept { return (last_ - first_) / step; }
        const_iterator begin() const noexcept { return {link_, first_}; }
        const_iterator end() const noexcept { return {link_, last_}; }

    private:
        link const* link_;
        std::uint64_t first_;
        std::uint64_t last_;
    };
    template <class E>
    static bool equal(section<E> const& a, section<E> const& b) noexcept {
        if (a.size() != b.size()) return false;
        for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j)
            if (!(*i == *j)) return false;
        return true;
    }
    section<message> under_way() const noexcept { return {this, taken_, sent_}; }
    section<credit> returned() const noexcept { return {this, collected_, taken_}; }

    /// Marks count bytes, ever sent or taken, so that where they are in the ring takes no multiplication.
    static constexpr std::uint64_t step = sizeof(element);
    static_assert(std::has_single_bit(step));
    static element* place_at(element* places, std::uint64_t mark, std::uint64_t mask) noexcept {
        return reinterpret_cast<element*>(reinterpret_cast<std::byte*>(places) + (mark & mask));
    }
    static element const* place_at(element const* places, std::uint64_t mark, std::uint64_t mask) noexcept {
        return reinterpret_cast<element const*>(reinterpret_cast<std::byte const*>(places) + (mark & mask));
    }
    element& at(std::uint64_t mark) noexcept { return *place_at(place_.data(), mark, mask_); }
    element const& at(std::uint64_t mark) const noexcept { return *place_at(place_.data(), mark, mask_); }

    // All that is used within a window is one line of the host's cache.
    heap_array<element> place_;
    tick latency_ = 1;
    std::uint64_t sent_ = 0;
    std::uint64_t collected_ = 0;
    std::uint64_t taken_ = 0;
    std::uint64_t known_ = 0; ///< what was sent, as far as the receiver may know in this window
    std::uint32_t credits_ = 0;
    std::uint32_t mask_ = 0; ///< of a mark: its place, in bytes
    std::uint32_t capacity_ = 0;
};

} // namespace warpkit
