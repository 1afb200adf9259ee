// A DRAM scheduler of one's own: row hits first, but no more than eight in a row while an older request waits.

#include <warpkit/config/presets.hpp>
#include <warpkit/dram/fcfs.hpp>

#include "tutorial.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace warpkit;

/// First-ready, first come first served, with a cap on row hits, so that no request waits for ever.
class capped_row_hits {
public:
    static constexpr char const* name() noexcept { return "capped_row_hits"; }
    capped_row_hits() = default;
    capped_row_hits(std::uint32_t banks, std::uint32_t capacity) : hits_(banks), capacity_(capacity) {}

    bool can_accept() const { return queue_.size() < capacity_; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(queue_.size()); }
    void push(dram::request const& r) { queue_.push_back(r); }
    dram::bank_set waiting() const {
        dram::bank_set banks = 0;
        for (auto const& r : queue_) banks |= dram::bank_set{1} << r.bank;
        return banks;
    }
    dram::request const& pick(std::uint32_t bank, std::uint32_t open_row) const {
        return queue_[index(bank, open_row)];
    }
    dram::request take(std::uint32_t bank, std::uint32_t open_row) {
        auto const i = index(bank, open_row);
        auto const r = queue_[i];
        hits_[bank] = r.row == open_row ? hits_[bank] + 1 : 0;
        queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(i));
        return r;
    }
    bool has_row_hit(std::uint32_t bank, std::uint32_t row) const {
        return std::any_of(queue_.begin(), queue_.end(),
                           [&](auto const& r) { return r.bank == bank && r.row == row; });
    }
    template <class F>
    void each_member(F&& f) const {
        f(queue_, hits_, capacity_);
    }
    friend bool operator==(capped_row_hits const&, capped_row_hits const&) = default;

private:
    /// The oldest request of the bank that hits the row, if it may; else the oldest of the bank.
    std::size_t index(std::uint32_t bank, std::uint32_t row) const {
        auto const first = [&](auto fits) {
            return static_cast<std::size_t>(std::find_if(queue_.begin(), queue_.end(), fits) -
                                            queue_.begin());
        };
        auto const oldest = first([&](auto const& r) { return r.bank == bank; });
        auto const hit = first([&](auto const& r) { return r.bank == bank && r.row == row; });
        return hit == queue_.size() || hits_[bank] >= 8 ? oldest : hit;
    }

    std::vector<dram::request> queue_; // in the order of arrival
    std::vector<std::uint32_t> hits_;  // by bank: in a row
    std::uint32_t capacity_ = 0;
};

template <class Scheduler>
std::uint64_t cycles(char const* kernel) {
    return tutorial::run<presets::gtx480::with<use::dram_scheduler<Scheduler>>>(kernel).cycles;
}

int main() {
    return tutorial::told("dram_scheduler", [] {
        std::printf("%-16s %12s %12s %16s\n", "cycles", "fcfs", "fr_fcfs", "capped_row_hits");
        for (auto const* kernel : {"vecadd", "transpose_naive", "spmv"})
            std::printf("%-16s %12llu %12llu %16llu\n", kernel, cycles<dram::fcfs>(kernel) + 0ULL,
                        cycles<dram::fr_fcfs>(kernel) + 0ULL, cycles<capped_row_hits>(kernel) + 0ULL);
    });
}
