#pragma once
/// \file
/// Whether it pays at present that several host threads work together.
///
/// The reference has no threads.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit {

/// Threads that work together are as fast as the one that the host lets run least: where another program, or a limit to
/// one host core, keeps one of them from running, one thread alone is faster. So what was lost by waiting is a debt. It
/// is paid back by a quarter of the time in which threads did work together, which is what they gain at least where
/// each has a host core of its own; and while it grows, the caller goes on alone for sixteen times as long. Thus
/// waiting costs some 6 % at first, and less where it goes on.
///
/// All times are in nanoseconds, of one clock.
class sharing_backoff {
public:
    /// Whether working together may be tried again at `now`.
    bool over(std::uint64_t now) const noexcept { return now >= until_; }
    /// Whether it is over at any time: nobody needs to look at a clock.
    bool none() const noexcept { return until_ == 0; }
    /// Threads worked together from `begin` to `end`, and waited `lost` of it for one that did not come.
    void worked(std::uint64_t begin, std::uint64_t end, std::uint64_t lost) noexcept {
        auto const all = end - begin;
        if (lost > all) lost = all;
        auto const gain = (all - lost) / gain_;
        debt_ = debt_ + lost > gain ? debt_ + lost - gain : 0;
        if (debt_ > most_alone / alone_) debt_ = most_alone / alone_;
        until_ = lost > gain ? end + debt_ * alone_ : 0;
    }

    /// As long as that one goes on alone at most, so that a host that becomes idle is noticed.
    static constexpr std::uint64_t most_alone = 1'000'000'000;

private:
    static constexpr std::uint64_t gain_ = 4;
    static constexpr std::uint64_t alone_ = 16;
    std::uint64_t debt_ = 0;
    std::uint64_t until_ = 0;
};

} // namespace warpkit
