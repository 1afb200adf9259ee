#pragma once
/// \file
/// When the banks must be refreshed, and the commands that this takes.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/dram/device.hpp>

#include <bit>
#include <cstdint>

namespace warpkit::dram {

/// Refresh as the timing table asks for it: every `refi` cycles all banks of each pseudo-channel, one pseudo-channel
/// behind the other, or every `refipb` cycles the next bank. Off while both are 0.
///
/// A refresh that is due waits for its banks to close and is never dropped or put off otherwise. How its banks are
/// closed and what else may go on meanwhile is the scheduler's (`command_scheduler`).
class refresh_timer {
public:
    refresh_timer() = default;
    explicit refresh_timer(timing const& t)
        : period_(t.refi != 0 ? t.refi : t.refipb),
          next_(period_ == 0 ? never : period_),
          units_(t.refi != 0 ? t.pseudo_channels : t.banks),
          by_bank_(t.refipb != 0),
          due_(period_ == 0 ? 0 : 64),
          quiet_until_(next_) {}

    /// Learns that it is `now`: what has become due joins the queue.
    void advance(cycle now) noexcept {
        while (next_ <= now && !due_.full()) {
            if (by_bank_) {
                due_.push(unit_);
                unit_ = unit_ + 1 == units_ ? 0 : unit_ + 1;
            } else {
                for (std::uint32_t u = 0; u < units_ && !due_.full(); ++u) due_.push(u);
            }
            next_ += period_;
        }
        settle();
    }
    /// No refresh is due, nor becomes due at `now`.
    bool quiet(cycle now) const noexcept { return now < quiet_until_; }
    /// No refresh is due before.
    cycle quiet_until() const noexcept { return quiet_until_; }
    /// Whether some refresh is due and not done yet.
    bool pending() const noexcept { return !due_.empty(); }
    bool by_bank() const noexcept { return by_bank_; }
    /// The bank or pseudo-channel of the refresh that is due; precondition: pending().
    std::uint32_t unit() const noexcept { return due_.front(); }
    /// The banks that the refresh that is due takes; none if none is.
    bank_set banks(device const& d) const noexcept {
        if (!pending()) return 0;
        return by_bank_ ? bank_set{1} << unit() : d.banks_of(unit());
    }
    /// The refresh that was due has been sent.
    void done() noexcept {
        due_.pop();
        settle();
    }
    /// The cycle in which the next becomes due.
    cycle next() const noexcept { return next_; }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(period_, next_, units_, unit_, by_bank_, due_);
    }
    friend bool operator==(refresh_timer const&, refresh_timer const&) = default;

private:
    void settle() noexcept { quiet_until_ = due_.empty() ? next_ : 0; }

    std::uint32_t period_ = 0;
    cycle next_ = never;
    std::uint32_t units_ = 0;
    std::uint32_t unit_ = 0; ///< the next bank
    bool by_bank_ = false;
    ring<std::uint32_t> due_;
    cycle quiet_until_ = never;
};

} // namespace warpkit::dram
