#pragma once
/// \file
/// The only way in which components touch each other (DESIGN 4): a link with latency and credits.
///
/// While a window is simulated, the sender writes its end and the receiver its own, on any host threads, and the sender may
/// be a window ahead. Nothing sent in a window can arrive before its end, and no credit comes back; so each end sees what
/// the other did in windows before, and no more: what is not due in the window is not looked at. The order in which
/// components are advanced inside a window cannot matter.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/host_line.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace warpkit {

/// A one-way link for elements of type T. Each element costs credits (elements or flits, as the users agree), of which
/// there are as many as the receiver's buffer holds; when the receiver takes it, they are back at the sender one latency
/// later, so back-pressure is exact.
///
/// An element stays in one place from when it is sent until its credits are back: one ring, in which four marks move.
///
///     collected            taken               sent
///         | taken, credits   | on its way, or    | free
///         | on their way back| waiting there     |
///
/// The sender moves `collected` and `sent`, the receiver `taken`; each end has a line of the host's cache to itself.
template <class T>
class link {
    /// A cache line of the host for a packet: no line holds parts of two that are in different hands.
    static constexpr std::size_t alignment = sizeof(T) > 32               ? host_line
                                             : alignof(tick) > alignof(T) ? alignof(tick)
                                                                          : alignof(T);

public:
    struct alignas(alignment) element {
        tick at = 0; ///< when it is at the receiver; once taken, when its credits are at the sender
        std::uint32_t cost = 0;
        T content{};
    };

private:
    /// A mark that the other end reads while it is moved.
    class mark {
    public:
        mark() = default;
        mark(mark const& o) noexcept : at_(o.own_), own_(o.own_) {}
        mark& operator=(mark const& o) noexcept {
            at_.store(o.own_, std::memory_order_relaxed);
            own_ = o.own_;
            return *this;
        }
        /// As the end that moves it reads it.
        std::uint64_t own() const noexcept { return own_; }
        /// As the other end reads it, and what was written before it was moved.
        std::uint64_t seen() const noexcept { return at_.load(std::memory_order_acquire); }
        void advance() noexcept { move_to(own_ + 1); }
        void move_to(std::uint64_t n) noexcept {
            own_ = n;
            at_.store(n, std::memory_order_release);
        }

    private:
        std::atomic<std::uint64_t> at_{0};
        std::uint64_t own_ = 0; ///< the same, for a compiler to keep in a register
    };
    struct alignas(host_line) sending_end {
        mark sent;
        std::uint64_t collected = 0;
        std::uint32_t credits = 0;
    };
    struct alignas(host_line) receiving_end {
        mark taken;
        std::uint64_t known = 0; ///< what was sent, as far as the receiver may know in this window
    };

public:
    link() = default;
    /// `latency` in ticks, at least the engine's window; `credits` is the size of the receiver's buffer.
    link(tick latency, std::uint32_t credits)
        : place_(heap_array<element>::blank(std::bit_ceil(std::size_t{credits}))),
          latency_(latency),
          mask_(place_.size() - 1),
          capacity_(credits) {
        out_.credits = credits;
    }

    // The sender's end.
    /// Credits available at `now`; collects those that have come back.
    std::uint32_t credits(tick now) noexcept {
        auto back = out_.collected;
        auto sum = out_.credits;
        for (auto const taken = in_.taken.seen(); back != taken && at(back).at <= now; ++back)
            sum += at(back).cost;
        out_.collected = back;
        return out_.credits = sum;
    }
    /// Whether there are so many credits at `now`; looks for those that have come back only where they are needed.
    bool can_send(tick now, std::uint32_t cost) noexcept {
        return out_.credits >= cost || credits(now) >= cost;
    }
    /// Sends at `now`; precondition: 0 < cost, and there are so many credits at hand.
    void send(tick now, T const& content, std::uint32_t cost) noexcept {
        draft() = content;
        send(now, cost);
    }
    /// The same without copying: what send() without content sends, for the sender to write, holding anything.
    /// Precondition: credits(now) is not 0.
    T& draft() noexcept { return at(out_.sent.own()).content; }
    void send(tick now, std::uint32_t cost) noexcept {
        out_.credits -= cost;
        auto& p = at(out_.sent.own());
        p.at = now + latency_;
        p.cost = cost;
        out_.sent.advance();
    }
    /// Whether any credit is at hand, those that may have come back not counted.
    bool may_send() const noexcept { return out_.credits != 0; }
    /// When the next credit comes back, if that is before `end`, that of the window; otherwise `never`.
    tick next_credit(tick end = never) const noexcept {
        if (out_.collected == in_.taken.seen()) return never;
        auto const t = at(out_.collected).at;
        return t < end ? t : never;
    }

    // The receiver's end.
    /// A window begins that ends at `end`: what arrives in it is known from now on. Whether any element is. Between windows,
    /// with nobody at work, all that was sent may be.
    bool look(tick end = never) noexcept {
        auto const sent = out_.sent.seen();
        auto known = in_.known;
        if (known != sent) {
            // Mostly all of them, which come in order.
            if (at(sent - 1).at < end)
                known = sent;
            else
                while (at(known).at < end) ++known;
            in_.known = known;
        }
        return known != taken();
    }
    /// When the oldest element is here; `never` if none is known.
    tick next_arrival() const noexcept { return taken() == in_.known ? never : at(taken()).at; }
    bool has_arrived(tick now) const noexcept { return taken() != in_.known && at(taken()).at <= now; }
    T const& front() const noexcept { return at(taken()).content; }
    /// The oldest element; nullptr if none is known.
    element const* oldest() const noexcept { return taken() == in_.known ? nullptr : &at(taken()); }
    /// Removes the oldest element and gives its credits, `cost`, back at `now`.
    void pop(tick now, std::uint32_t cost) noexcept {
        auto& p = at(taken());
        p.at = now + latency_;
        p.cost = cost;
        in_.taken.advance();
    }
    /// Sends the oldest element on along `to`, for `cost` credits there; those that it cost here go back. The next, as oldest().
    /// Precondition: both links have the same latency.
    element const* forward(tick now, link& to, std::uint32_t cost) noexcept {
        // All that is read is read first: a compiler must take it that what is written could be the rest of it.
        auto const i = in_.taken.own();
        auto const o = to.out_.sent.own();
        auto const* const places = place_.data();
        auto const mask = mask_;
        auto const known = in_.known;
        auto& from = at(i);
        auto& p = to.at(o);
        auto const then = now + latency_;
        to.out_.credits -= cost;
        p.content = from.content;
        p.at = then;
        p.cost = cost;
        from.at = then;
        to.out_.sent.move_to(o + 1);
        in_.taken.move_to(i + 1);
        return i + 1 == known ? nullptr : &places[(i + 1) & mask];
    }
    /// For a receiver that leaves elements where they are until it has used them: when the one behind the `n` oldest is here,
    /// as next_arrival().
    tick next_arrival(std::uint64_t n) const noexcept {
        return n < in_.known - taken() ? at(taken() + n).at : never;
    }
    T const& operator[](std::uint64_t n) const noexcept { return at(taken() + n).content; }

    // Between windows.
    /// Whether nothing is under way; checked when a run ends.
    bool empty() const noexcept { return taken() == sent(); }
    tick latency() const noexcept { return latency_; }
    /// Elements sent and taken, ever.
    std::uint64_t sent() const noexcept { return out_.sent.own(); }
    std::uint64_t taken() const noexcept { return in_.taken.own(); }
    /// Credits that the sender neither has nor is about to get back: what the receiver's buffer holds.
    std::int64_t credits_out() const noexcept {
        std::int64_t n = std::int64_t{capacity_} - out_.credits;
        for (auto const c : returned()) n -= c.amount;
        return n;
    }

    friend bool operator==(link const& a, link const& b) noexcept {
        return a.latency_ == b.latency_ && a.out_.credits == b.out_.credits &&
               equal(a.returned(), b.returned()) && equal(a.under_way(), b.under_way());
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(latency_, out_.credits, under_way(), returned());
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
                ++index_;
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
        std::size_t size() const noexcept { return last_ - first_; }
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
    section<message> under_way() const noexcept { return {this, taken(), sent()}; }
    section<credit> returned() const noexcept { return {this, out_.collected, taken()}; }

    element& at(std::uint64_t i) noexcept { return place_[i & mask_]; }
    element const& at(std::uint64_t i) const noexcept { return place_[i & mask_]; }

    sending_end out_;
    receiving_end in_;
    alignas(host_line) heap_array<element> place_; // and the rest: written by nobody
    tick latency_ = 1;
    std::uint64_t mask_ = 0;
    std::uint32_t capacity_ = 0;
};

} // namespace warpkit
