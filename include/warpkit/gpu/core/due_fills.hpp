#pragma once
/// \file
/// Fetches of the L1 that are known to be complete in the cycles to come.
///
/// In the reference: nothing is known ahead; `core::take_reply` takes each reply when it comes (reference/core.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/stored_members.hpp>

#include <array>
#include <cstdint>

namespace warpkit {

/// A few of them, in the order of their cycles, of which the lower halves are kept.
class due_fills {
public:
    static constexpr unsigned capacity = 8; ///< a window's, mostly

    bool empty() const noexcept { return next_ == end_; }
    /// When the first of them is due, which is in cycle `now` or later; without any, the cycle that written() was
    /// given, which lies behind them, so that no branch is needed.
    cycle next(cycle now) const noexcept { return now + (at_[next_] - static_cast<std::uint32_t>(now)); }
    /// Its MSHR; takes it out.
    std::uint32_t pop() noexcept { return mshr_[next_++]; }

    // A new list is written from its front, while empty(); `n` are there. No branch: which reply is the last of its
    // line is what nobody can guess.
    /// Writes one more if it `is` one; how many there are then. Precondition: n < capacity.
    unsigned write(unsigned n, bool is, cycle at, std::uint32_t mshr) noexcept {
        at_[n] = static_cast<std::uint32_t>(at);
        mshr_[n] = mshr;
        return n + is;
    }
    /// The list is complete; `behind` it something else comes.
    void written(unsigned n, cycle behind) noexcept {
        at_[n] = static_cast<std::uint32_t>(behind);
        next_ = 0;
        end_ = n;
    }

    WARPKIT_STORED_MEMBERS(4)
    friend bool operator==(due_fills const& a, due_fills const& b) noexcept {
        if (a.end_ - a.next_ != b.end_ - b.next_) return false;
        for (auto i = a.next_, j = b.next_; i != a.end_; ++i, ++j)
            if (a.at_[i] != b.at_[j] || a.mshr_[i] != b.mshr_[j]) return false;
        return true;
    }

private:
    unsigned next_ = 0;
    unsigned end_ = 0;
    std::array<std::uint32_t, capacity + 1>
        at_{}; ///< the last one's: what is behind is known anew in each window, no state
    std::array<std::uint32_t, capacity> mshr_{};
};

} // namespace warpkit
