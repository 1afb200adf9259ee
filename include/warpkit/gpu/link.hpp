#pragma once
/// \file
/// The only way in which components touch each other (DESIGN 4): a link with latency and credits.
///
/// While a window is simulated, the sender writes its end and the receiver its own; neither sees what the other wrote
/// before the engine exchanges it, between windows. Since nothing sent in a window can arrive before its end, the order
/// in which components are advanced inside a window cannot matter.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>

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
///     collected_       ends_.taken            ends_.sent
///         | taken, credits   | on its way, or    | free
///         | on their way back| waiting there     |
///
/// The sender moves `collected_` and `ends_.sent`, the receiver `ends_.taken`; each sees the other's mark as the engine
/// has `published_` it.
template <class T>
class link {
    /// A cache line of the host for a packet: no line holds parts of two that are in different hands.
    static constexpr std::size_t alignment = sizeof(T) > 32               ? 64
                                             : alignof(tick) > alignof(T) ? alignof(tick)
                                                                          : alignof(T);
    struct alignas(alignment) place {
        tick at = 0; ///< when the element is at the receiver; once taken, when its credits are at the sender
        std::uint32_t cost = 0;
        T content{};
    };
    struct marks {
        std::uint64_t taken = 0;
        std::uint64_t sent = 0;
        friend bool operator==(marks const&, marks const&) = default;
    };

public:
    link() = default;
    /// `latency` in ticks, at least the engine's window; `credits` is the size of the receiver's buffer.
    link(tick latency, std::uint32_t credits)
        : place_(std::bit_ceil(std::size_t{credits})),
          latency_(latency),
          mask_(place_.size() - 1),
          credits_(credits),
          capacity_(credits) {}

    // The sender's end.
    /// Credits available at `now`; collects those that have come back.
    std::uint32_t credits(tick now) noexcept {
        for (; collected_ != published_.taken && at(collected_).at <= now; ++collected_)
            credits_ += at(collected_).cost;
        return credits_;
    }
    /// Whether there are so many credits at `now`; looks for those that have come back only where they are needed.
    bool can_send(tick now, std::uint32_t cost) noexcept { return credits_ >= cost || credits(now) >= cost; }
    /// Sends at `now`; precondition: 0 < cost, and there are so many credits at hand.
    void send(tick now, T const& content, std::uint32_t cost) noexcept {
        draft() = content;
        send(now, cost);
    }
    /// The same without copying: what send() without content sends, for the sender to write, still holding what was there.
    /// Precondition: credits(now) is not 0.
    T& draft() noexcept { return at(ends_.sent).content; }
    void send(tick now, std::uint32_t cost) noexcept {
        credits_ -= cost;
        auto& p = at(ends_.sent++);
        p.at = now + latency_;
        p.cost = cost;
    }
    /// Whether any credit is at hand, those that may have come back not counted.
    bool may_send() const noexcept { return credits_ != 0; }
    /// When the next credit comes back, as far as the sender can know; `never` if none is under way.
    tick next_credit() const noexcept { return collected_ == published_.taken ? never : at(collected_).at; }

    // The receiver's end.
    /// When the oldest element is here; `never` if none is under way.
    tick next_arrival() const noexcept { return ends_.taken == published_.sent ? never : at(ends_.taken).at; }
    bool has_arrived(tick now) const noexcept {
        return ends_.taken != published_.sent && at(ends_.taken).at <= now;
    }
    /// The oldest element, and what it cost.
    T const& front() const noexcept { return at(ends_.taken).content; }
    std::uint32_t front_cost() const noexcept { return at(ends_.taken).cost; }
    /// Removes the oldest element and gives its credits, `cost`, back at `now`.
    void pop(tick now, std::uint32_t cost) noexcept {
        auto& p = at(ends_.taken++);
        p.at = now + latency_;
        p.cost = cost;
    }
    /// The same for a receiver that leaves elements where they are until it has used them: the one behind the `n` oldest.
    tick next_arrival(std::uint64_t n) const noexcept {
        return n < published_.sent - ends_.taken ? at(ends_.taken + n).at : never;
    }
    T const& operator[](std::uint64_t n) const noexcept { return at(ends_.taken + n).content; }

    // The engine's end.
    void exchange() noexcept {
        if (published_ != ends_) published_ = ends_; // what is not written stays in both ends' host caches
    }
    /// Whether nothing is under way; checked when a run ends.
    bool empty() const noexcept { return ends_.taken == ends_.sent; }
    tick latency() const noexcept { return latency_; }
    /// Elements sent and taken, ever.
    std::uint64_t sent() const noexcept { return ends_.sent; }
    std::uint64_t taken() const noexcept { return ends_.taken; }
    /// Credits that the sender neither has nor is about to get back: what the receiver's buffer holds.
    std::int64_t credits_out() const noexcept {
        std::int64_t n = std::int64_t{capacity_} - credits_;
        for (auto const c : returned()) n -= c.amount;
        return n;
    }

    friend bool operator==(link const& a, link const& b) noexcept {
        return a.latency_ == b.latency_ && a.credits_ == b.credits_ &&
               a.published_.taken - a.collected_ == b.published_.taken - b.collected_ &&
               a.published_.sent - a.ends_.taken == b.published_.sent - b.ends_.taken &&
               equal(a.returned(), b.returned()) && equal(a.under_way(), b.under_way());
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(latency_, credits_, under_way(), returned());
    }

private:
    struct message {
        tick arrival = 0;
        std::uint32_t cost = 0;
        T content{};
        explicit message(place const& p) : arrival(p.at), cost(p.cost), content(p.content) {}
        template <class F>
        constexpr void each_member(F&& f) const {
            f(arrival, cost, content);
        }
        friend bool operator==(message const&, message const&) = default;
    };
    struct credit {
        tick arrival = 0;
        std::uint32_t amount = 0;
        explicit credit(place const& p) : arrival(p.at), amount(p.cost) {}
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
    section<message> under_way() const noexcept { return {this, ends_.taken, ends_.sent}; }
    section<credit> returned() const noexcept { return {this, collected_, ends_.taken}; }

    place& at(std::uint64_t i) noexcept { return place_[i & mask_]; }
    place const& at(std::uint64_t i) const noexcept { return place_[i & mask_]; }

    heap_array<place> place_;
    tick latency_ = 1;
    std::uint64_t mask_ = 0;
    std::uint32_t credits_ = 0; ///< the sender's
    std::uint32_t capacity_ = 0;
    std::uint64_t collected_ = 0;
    marks ends_;
    marks published_;
};

} // namespace warpkit
