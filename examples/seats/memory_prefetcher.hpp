#pragma once
// The seat `memory_prefetcher`: what a DRAM channel reads ahead of all demands. The contract is in
// warpkit/dram/prefetch.hpp.
#include <warpkit/base/hash.hpp>
#include <warpkit/dram/prefetch.hpp>

#include <cstdint>
#include <vector>

namespace seats_of_mine {

using namespace warpkit;

/// Reads the line behind the last one that a demand read from an open row, if it is in that row.
class my_memory_prefetcher {
public:
    static constexpr char const* name() noexcept { return "my_memory_prefetcher"; }
    my_memory_prefetcher() = default;
    my_memory_prefetcher(dram::timing const& t, dram::prefetch_numbers const& n)
        : next_(t.banks),
          row_bytes_(n.row_bytes),
          line_bytes_(n.line_bytes) {}
    void opened(unsigned bank, std::uint32_t) noexcept { wants_ &= ~(dram::bank_set{1} << bank); }
    void closed(unsigned bank) noexcept { wants_ &= ~(dram::bank_set{1} << bank); }
    void accessed(unsigned bank, std::uint32_t column, bool write) noexcept {
        next_[bank] = (column / line_bytes_ + 1) * line_bytes_;
        closed(bank);
        if (!write && next_[bank] < row_bytes_) wants_ |= dram::bank_set{1} << bank;
    }
    void arrived(std::uint32_t) noexcept {}
    dram::bank_set wants() const noexcept { return wants_; }
    dram::bank_set insists(std::uint32_t) const noexcept { return 0; }
    std::uint32_t next(unsigned bank) const noexcept { return next_[bank]; }
    void read(unsigned bank) noexcept { closed(bank); }
    void skip(unsigned bank) noexcept { closed(bank); }
    std::uint32_t line_bytes() const noexcept { return line_bytes_; }
    bool skips_resident() const noexcept { return true; }
    template <class F>
    void each_member(F&& f) const {
        f(next_, row_bytes_, line_bytes_, wants_);
    }
    friend bool operator==(my_memory_prefetcher const&, my_memory_prefetcher const&) = default;

private:
    std::vector<std::uint32_t> next_; // by bank: a column
    std::uint32_t row_bytes_ = 0;
    std::uint32_t line_bytes_ = 0;
    dram::bank_set wants_ = 0;
};

} // namespace seats_of_mine
