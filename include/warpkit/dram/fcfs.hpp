#pragma once
/// \file
/// First come, first served.

#include <warpkit/base/error.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/dram/scheduler.hpp>

#include <cstdint>

namespace warpkit::dram {

/// Requests are handed to their banks strictly in the order of arrival: while the oldest waits for its bank, all wait.
/// Several banks still work at the same time.
/// Source: GPGPU-Sim's dram_t::scheduler_fifo.
/// Differs from the source: the queue has any capacity (there: 2).
template <class BankSet>
class basic_fcfs {
    using bank_set = BankSet;

public:
    static constexpr char const* name() noexcept { return "fcfs"; }

    basic_fcfs() = default;
    /// A queue of `capacity` requests, at least 1.
    basic_fcfs(std::uint32_t, std::uint32_t capacity) : queue_(capacity) {
        if (capacity == 0)
            raise_error(error("dram scheduler fcfs: capacity = 0 holds no request; nearest legal value: 1"));
    }

    bool can_accept() const noexcept { return !queue_.full(); }
    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(queue_.size()); }
    void push(request const& r) noexcept { queue_.push(r); }

    bank_set waiting() const noexcept {
        return queue_.empty() ? bank_set{0} : bank_set{1} << queue_.front().bank;
    }
    request const& pick(std::uint32_t, std::uint32_t) const noexcept { return queue_.front(); }
    request take(std::uint32_t, std::uint32_t) noexcept {
        auto const r = queue_.front();
        queue_.pop();
        return r;
    }
    bool has_row_hit(std::uint32_t bank, std::uint32_t row) const noexcept {
        for (auto const& r : queue_)
            if (r.bank == bank && r.row == row) return true;
        return false;
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(queue_);
    }
    friend bool operator==(basic_fcfs const&, basic_fcfs const&) = default;

private:
    ring<request> queue_;
};

/// Of a channel with at most 64 banks.
using fcfs = basic_fcfs<bank_set>;

static_assert(scheduler<fcfs>);

} // namespace warpkit::dram
