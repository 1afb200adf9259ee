#pragma once
/// \file
/// The only way in which the parts of the machine touch each other: a link with latency and credits.

#include <warpkit/base/cycle.hpp>
#include <warpkit/machine/plain_queues.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace warpkit::reference {

/// A one-way link. What is sent arrives a fixed latency later and lies in the receiver's buffer until it is taken. An
/// element costs credits (flits or packets, as its users agree), of which there are as many as that buffer holds; they
/// are back at the sender one latency after the receiver has taken it.
///
/// As the latency is at least one tick, nobody hears in a tick what another does in it: the order in which parts have
/// their turn inside a tick cannot matter.
template <class T>
class link {
public:
    link() = default;
    /// `latency` in ticks, at least 1; `credits` is the size of the receiver's buffer.
    link(tick latency, std::uint32_t credits) : latency_(latency), credits_(credits), capacity_(credits) {}

    // ---- the sender's end
    bool can_send(tick now, std::uint32_t cost = 1) {
        for (; !returning_.empty() && returning_.front().at <= now; returning_.pop_front())
            credits_ += returning_.front().cost;
        return credits_ >= cost;
    }
    /// Precondition: can_send(now, cost).
    void send(tick now, T content, std::uint32_t cost = 1) {
        credits_ -= cost;
        under_way_.push_back({now + latency_, cost, std::move(content)});
    }

    // ---- the receiver's end
    /// Whether the oldest element has arrived; behind it, whether the n-th has.
    bool has_arrived(tick now, std::size_t n = 0) const {
        return n < under_way_.size() && under_way_[n].at <= now;
    }
    T const& operator[](std::size_t n) const { return under_way_[n].content; }
    T const& front() const { return under_way_.front().content; }
    /// Removes the oldest element, and gives back what it cost. Precondition: has_arrived(now).
    T take(tick now) {
        auto first = std::move(under_way_.front());
        under_way_.pop_front();
        returning_.push_back({now + latency_, first.cost, {}});
        return std::move(first.content);
    }

    bool empty() const { return under_way_.empty(); }
    /// Credits that are neither here nor on their way, nor paid for what is: none, in either direction.
    std::int64_t lost_credits() const {
        std::int64_t lost = std::int64_t{capacity_} - credits_;
        for (auto const* list : {&under_way_, &returning_})
            for (auto const& e : *list) lost -= e.cost;
        return lost;
    }

private:
    struct entry {
        tick at = 0; ///< when it arrives
        std::uint32_t cost = 0;
        T content{};
    };

    tick latency_ = 1;
    std::uint32_t credits_ = 0; ///< at the sender
    std::uint32_t capacity_ = 0;
    fifo_queue<entry> under_way_; ///< those that wait at the receiver are in front
    fifo_queue<entry> returning_; ///< of their costs
};

} // namespace warpkit::reference
