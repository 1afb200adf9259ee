#pragma once
/// \file
/// The only way in which components touch each other (DESIGN 4): a link with latency and credits.
///
/// While a window is simulated, the sender writes its end and the receiver its own; neither sees what the other wrote
/// before the engine exchanges it, between windows. Since nothing sent in a window can arrive before its end, the order
/// in which components are advanced inside a window cannot matter.

#include <warpkit/base/cycle.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// One direction of a link: a queue that is written at one end and read at the other. What is written can be read once
/// it has been published. Writer and reader share the block of memory, but never an element, nor an index.
template <class T>
class window_queue {
public:
    window_queue() = default;
    /// Precondition of all that follows: no more than `capacity` elements, published or not.
    explicit window_queue(std::size_t capacity) {
        std::size_t room = 1;
        while (room < capacity) room *= 2;
        block_.resize(room);
        mask_ = room - 1;
    }

    // The writer's end.
    void push(T const& x) noexcept { block_[tail_++ & mask_] = x; }
    /// The place of the next element, and its appending.
    T& next() noexcept { return block_[tail_ & mask_]; }
    void push() noexcept { ++tail_; }
    // The reader's end.
    bool empty() const noexcept { return head_ == published_; }
    T const& front() const noexcept { return block_[head_ & mask_]; }
    void pop() noexcept { ++head_; }
    /// Elements that can be read, and the i-th of them.
    std::size_t readable() const noexcept { return published_ - head_; }
    T const& operator[](std::size_t i) const noexcept { return block_[(head_ + i) & mask_]; }
    // The engine's end.
    void publish() noexcept {
        if (published_ != tail_) published_ = tail_; // what is not written stays in both ends' host caches
    }

    /// Elements that have come and gone, ever.
    std::size_t pushed() const noexcept { return tail_; }
    std::size_t popped() const noexcept { return head_; }
    /// All elements, published or not.
    std::size_t size() const noexcept { return tail_ - head_; }
    friend bool operator==(window_queue const& a, window_queue const& b) noexcept {
        if (a.size() != b.size() || a.published_ - a.head_ != b.published_ - b.head_) return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!(a.at(i) == b.at(i))) return false;
        return true;
    }

    class const_iterator {
    public:
        const_iterator(window_queue const* q, std::size_t i) noexcept : queue_(q), index_(i) {}
        T const& operator*() const noexcept { return queue_->at(index_); }
        const_iterator& operator++() noexcept {
            ++index_;
            return *this;
        }
        friend bool operator==(const_iterator const&, const_iterator const&) = default;

    private:
        window_queue const* queue_;
        std::size_t index_;
    };
    const_iterator begin() const noexcept { return {this, 0}; }
    const_iterator end() const noexcept { return {this, size()}; }

private:
    T const& at(std::size_t i) const noexcept { return block_[(head_ + i) & mask_]; }

    std::vector<T> block_;
    std::size_t mask_ = 0;
    std::size_t head_ = 0;
    std::size_t published_ = 0;
    std::size_t tail_ = 0;
};

/// A one-way link for elements of type T. Credits count what the receiver's buffer holds (elements or flits, as the
/// users agree); a credit given back by the receiver reaches the sender one latency later, so back-pressure is exact.
template <class T>
class link {
    struct message {
        tick arrival = 0;
        T content{};
        template <class F>
        constexpr void each_member(F&& f) const {
            f(arrival, content);
        }
        friend bool operator==(message const&, message const&) = default;
    };
    struct credit {
        tick arrival = 0;
        std::uint32_t amount = 0;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(arrival, amount);
        }
        friend bool operator==(credit const&, credit const&) = default;
    };

public:
    link() = default;
    /// `latency` in ticks, at least the engine's window; `credits` is the size of the receiver's buffer.
    link(tick latency, std::uint32_t credits)
        : latency_(latency),
          credits_(credits),
          capacity_(credits),
          sent_(credits),
          returned_(credits) {}

    // The sender's end.
    /// Credits available at `now`; collects those that have come back.
    std::uint32_t credits(tick now) noexcept {
        for (; !returned_.empty() && returned_.front().arrival <= now; returned_.pop())
            credits_ += returned_.front().amount;
        return credits_;
    }
    /// Sends at `now`; precondition: 0 < cost <= credits(now).
    void send(tick now, T const& content, std::uint32_t cost) noexcept {
        credits_ -= cost;
        sent_.push({now + latency_, content});
    }
    /// The same without copying: what send() without content sends, for the sender to write, still holding what was there.
    /// Precondition: credits(now) is not 0.
    T& draft() noexcept { return sent_.next().content; }
    void send(tick now, std::uint32_t cost) noexcept {
        credits_ -= cost;
        sent_.next().arrival = now + latency_;
        sent_.push();
    }
    /// Whether any credit is at hand, those that may have come back not counted.
    bool may_send() const noexcept { return credits_ != 0; }
    /// When the next credit comes back, as far as the sender can know; `never` if none is under way.
    tick next_credit() const noexcept { return returned_.empty() ? never : returned_.front().arrival; }

    // The receiver's end.
    /// When the oldest element is here; `never` if none is under way.
    tick next_arrival() const noexcept { return sent_.empty() ? never : sent_.front().arrival; }
    bool has_arrived(tick now) const noexcept { return !sent_.empty() && sent_.front().arrival <= now; }
    T const& front() const noexcept { return sent_.front().content; }
    /// Removes the oldest element and gives its credits back at `now`.
    void pop(tick now, std::uint32_t cost) noexcept {
        sent_.pop();
        returned_.push({now + latency_, cost});
    }
    /// The same for a receiver that leaves elements where they are until it has used them: the one behind the `n` oldest.
    tick next_arrival(std::size_t n) const noexcept {
        return n < sent_.readable() ? sent_[n].arrival : never;
    }
    T const& operator[](std::size_t n) const noexcept { return sent_[n].content; }

    // The engine's end.
    void exchange() noexcept {
        sent_.publish();
        returned_.publish();
    }
    /// Whether nothing is under way; checked when a run ends.
    bool empty() const noexcept { return sent_.size() == 0; }
    tick latency() const noexcept { return latency_; }
    /// Elements sent and taken, ever.
    std::uint64_t sent() const noexcept { return sent_.pushed(); }
    std::uint64_t taken() const noexcept { return sent_.popped(); }
    /// Credits that the sender neither has nor is about to get back: what the receiver's buffer holds.
    std::int64_t credits_out() const noexcept {
        std::int64_t n = std::int64_t{capacity_} - credits_;
        for (auto const& c : returned_) n -= c.amount;
        return n;
    }

    friend bool operator==(link const&, link const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(latency_, credits_, sent_, returned_);
    }

private:
    tick latency_ = 1;
    std::uint32_t credits_ = 0; ///< the sender's
    std::uint32_t capacity_ = 0;
    window_queue<message> sent_;
    window_queue<credit> returned_;
};

} // namespace warpkit
