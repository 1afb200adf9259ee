#pragma once
// The seat `dram_scheduler`: which DRAM request is served next. The contract is in warpkit/dram/scheduler.hpp.
#include <warpkit/base/hash.hpp>
#include <warpkit/dram/request.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace seats_of_mine {

using namespace warpkit;

/// Serves each bank's requests in the order of their arrival.
class my_dram_scheduler {
public:
    static constexpr char const* name() noexcept { return "my_dram_scheduler"; }
    my_dram_scheduler() = default;
    my_dram_scheduler(std::uint32_t, std::uint32_t capacity) : capacity_(capacity) {}
    bool can_accept() const { return queue_.size() < capacity_; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(queue_.size()); }
    void push(dram::request const& r) { queue_.push_back(r); }
    dram::bank_set waiting() const {
        dram::bank_set banks = 0;
        for (auto const& r : queue_) banks |= dram::bank_set{1} << r.bank;
        return banks;
    }
    dram::request const& pick(std::uint32_t bank, std::uint32_t) const { return *oldest(bank); }
    dram::request take(std::uint32_t bank, std::uint32_t) {
        auto const r = *oldest(bank);
        queue_.erase(oldest(bank));
        return r;
    }
    bool has_row_hit(std::uint32_t bank, std::uint32_t row) const {
        return std::any_of(queue_.begin(), queue_.end(),
                           [&](auto const& r) { return r.bank == bank && r.row == row; });
    }
    template <class F>
    void each_member(F&& f) const {
        f(queue_, capacity_);
    }
    friend bool operator==(my_dram_scheduler const&, my_dram_scheduler const&) = default;

private:
    std::vector<dram::request>::const_iterator oldest(std::uint32_t bank) const {
        return std::find_if(queue_.begin(), queue_.end(), [&](auto const& r) { return r.bank == bank; });
    }
    std::vector<dram::request> queue_;
    std::uint32_t capacity_ = 0;
};

} // namespace seats_of_mine
