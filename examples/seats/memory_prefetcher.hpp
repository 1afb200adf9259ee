#pragma once
// The seat `memory_prefetcher`: what a DRAM channel reads ahead of all demands. The contract is in
// warpkit/dram/prefetch.hpp.
#include <warpkit/dram/prefetch.hpp>

namespace seats_of_mine {

using namespace warpkit;

/// Reads the line behind the one that a demand read last, if the row, which is still open, has one.
class my_memory_prefetcher {
    dram::prefetch_numbers numbers_;
    std::uint32_t next_ = 0; // a column
    dram::bank_set wants_ = 0;

public:
    static constexpr char const* name() noexcept { return "my_memory_prefetcher"; }
    my_memory_prefetcher() = default;
    my_memory_prefetcher(dram::timing const&, dram::prefetch_numbers const& n) : numbers_(n) {}
    void opened(unsigned bank, std::uint32_t) noexcept { closed(bank); }
    void closed(unsigned bank) noexcept { wants_ &= ~(dram::bank_set{1} << bank); }
    void accessed(unsigned bank, std::uint32_t column, bool write) noexcept {
        next_ = (column / line_bytes() + 1) * line_bytes();
        wants_ = dram::bank_set{!write && next_ < numbers_.row_bytes} << bank;
    }
    void arrived(std::uint32_t) noexcept {}
    dram::bank_set wants() const noexcept { return wants_; }
    dram::bank_set insists(std::uint32_t) const noexcept { return 0; }
    std::uint32_t next(unsigned) const noexcept { return next_; }
    void read(unsigned bank) noexcept { closed(bank); }
    void skip(unsigned bank) noexcept { closed(bank); }
    std::uint32_t line_bytes() const noexcept { return numbers_.line_bytes; }
    bool skips_resident() const noexcept { return true; }
    void each_member(auto&& f) const { f(next_, wants_); }
    friend bool operator==(my_memory_prefetcher const&, my_memory_prefetcher const&) = default;
};

} // namespace seats_of_mine
