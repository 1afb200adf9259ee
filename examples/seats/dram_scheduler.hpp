#pragma once
// The seat `dram_scheduler`: which DRAM request is served next. The contracts are in warpkit/dram/ordered.hpp and, for
// a scheduler that keeps its queue itself, warpkit/dram/scheduler.hpp.
#include <warpkit/dram/ordered.hpp>

#include <cstdint>

namespace seats_of_mine {

using namespace warpkit;

/// Reads go before writes, then those to the open row.
struct my_order {
    static constexpr char const* name() noexcept { return "my_dram_scheduler"; }
    bool before(dram::request const& a, dram::request const& b, std::uint32_t open_row) const noexcept {
        if (a.write != b.write) return b.write;
        return a.row == open_row && b.row != open_row;
    }
    friend bool operator==(my_order const&, my_order const&) = default;
};
using my_dram_scheduler = dram::ordered<my_order>;

} // namespace seats_of_mine
