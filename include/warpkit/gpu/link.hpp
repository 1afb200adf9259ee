#pragma once
/// \file
/// The only way in which components touch each other (DESIGN 4): a link with latency and credits.
///
/// While a window is simulated, the sender writes its end and the receiver its own; nothing is shared. Between windows
/// the engine exchanges what either wrote. Since nothing sent in a window can arrive before its end, the order in which
/// components are advanced inside a window cannot matter.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/ring.hpp>

#include <cstdint>
#include <vector>

namespace warpkit {

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
        friend bool operator==(credit const&, credit const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(arrival, amount);
        }
    };

public:
    link() = default;
    /// `latency` in ticks, at least the engine's window; `credits` is the size of the receiver's buffer.
    link(tick latency, std::uint32_t credits)
        : latency_(latency), credits_(credits), inbox_(2 * std::size_t{credits} + 2) {
        sent_.reserve(credits);
    }

    // The sender's end.
    /// Credits available at `now`; collects those that have come back.
    std::uint32_t credits(tick now) noexcept {
        while (collected_ < returning_.size() && returning_[collected_].arrival <= now)
            credits_ += returning_[collected_++].amount;
        return credits_;
    }
    /// Sends at `now`; precondition: cost <= credits(now).
    void send(tick now, T const& content, std::uint32_t cost) {
        credits_ -= cost;
        sent_.push_back({now + latency_, content});
    }
    /// Whether any credit is at hand, those that may have come back not counted.
    bool may_send() const noexcept { return credits_ != 0; }
    /// When the next credit comes back, as far as the sender can know; `never` if none is under way.
    tick next_credit() const noexcept {
        return collected_ < returning_.size() ? returning_[collected_].arrival : never;
    }

    // The receiver's end.
    /// When the oldest element is here; `never` if none is under way.
    tick next_arrival() const noexcept { return inbox_.empty() ? never : inbox_.front().arrival; }
    bool has_arrived(tick now) const noexcept { return !inbox_.empty() && inbox_.front().arrival <= now; }
    T const& front() const noexcept { return inbox_.front().content; }
    /// Removes the oldest element and gives its credits back at `now`.
    void pop(tick now, std::uint32_t cost) {
        inbox_.pop();
        returned_.push_back({now + latency_, cost});
    }
    /// Removes the oldest element; its credits are given back later.
    void pop_keeping_credits() noexcept { inbox_.pop(); }
    void give_back(tick now, std::uint32_t cost) { returned_.push_back({now + latency_, cost}); }

    // The engine's end.
    void exchange() {
        for (auto const& m : sent_) inbox_.push(m);
        sent_.clear();
        if (collected_ != 0) {
            returning_.erase(returning_.begin(), returning_.begin() + static_cast<std::ptrdiff_t>(collected_));
            collected_ = 0;
        }
        if (!returned_.empty()) {
            returning_.insert(returning_.end(), returned_.begin(), returned_.end());
            returned_.clear();
        }
    }
    /// Whether nothing is under way; checked when a run ends.
    bool empty() const noexcept { return inbox_.empty() && sent_.empty(); }
    tick latency() const noexcept { return latency_; }

    friend bool operator==(link const&, link const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(latency_, credits_, inbox_, sent_, returning_, collected_, returned_);
    }

private:
    tick latency_ = 1;
    std::uint32_t credits_ = 0;
    ring<message> inbox_;
    std::vector<message> sent_;
    std::vector<credit> returning_;
    std::size_t collected_ = 0;
    std::vector<credit> returned_;
};

} // namespace warpkit
