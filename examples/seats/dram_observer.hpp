#pragma once
// The seat `dram_observer`: nothing: it hears the commands of a DRAM channel. The contract is in
// warpkit/dram/request.hpp.
#include <warpkit/dram/request.hpp>

#include <cstdint>

namespace seats_of_mine {

using namespace warpkit;

/// Counts the rows that were opened.
struct my_dram_observer {
    std::uint64_t rows = 0;
    void on(dram::command const& c) noexcept { rows += c.kind == dram::command_kind::activate; }
    friend bool operator==(my_dram_observer const&, my_dram_observer const&) = default;
};

} // namespace seats_of_mine
