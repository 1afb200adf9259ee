// A DRAM scheduler of one's own: row hits first, but no more than eight in a row while an older request waits.

#include <warpkit/config/presets.hpp>
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/dram/ordered.hpp>

#include "tutorial.hpp"

#include <array>
#include <cstdint>

using namespace warpkit;

/// First-ready, first come first served, with a cap on row hits, so that no request waits for ever.
struct capped_row_hits {
    static constexpr char const* name() noexcept { return "capped_row_hits"; }
    /// Of two requests to a bank the one that goes first; of equals it is the older.
    bool before(dram::request const& a, dram::request const& b, std::uint32_t open_row) const noexcept {
        return hits[a.bank] < 8 && a.row == open_row && b.row != open_row;
    }
    void served(dram::request const& r, std::uint32_t open_row) noexcept {
        hits[r.bank] = r.row == open_row ? hits[r.bank] + 1 : 0;
    }
    template <class F>
    void each_member(F&& f) const {
        f(hits);
    }
    friend bool operator==(capped_row_hits const&, capped_row_hits const&) = default;

    std::array<std::uint32_t, 64> hits{}; // by bank: in a row
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
                        cycles<dram::fr_fcfs>(kernel) + 0ULL, cycles<dram::ordered<capped_row_hits>>(kernel) + 0ULL);
    });
}
