#pragma once
// The seat `page_policy`: when a DRAM row is closed. The contract is in warpkit/dram/page_policy.hpp.
#include <warpkit/dram/page_policy.hpp>

namespace seats_of_mine {

using namespace warpkit;

/// Closes a row that has served four column commands, unless a request to it waits.
struct my_page_policy {
    static constexpr char const* name() noexcept { return "my_page_policy"; }
    static constexpr bool asks = true;
    cycle closes_after(dram::page_use use) const noexcept {
        return use.columns >= 4 && !use.hits_waiting ? 0 : never;
    }
    bool closes_itself(dram::page_use) const noexcept { return false; }
    friend bool operator==(my_page_policy const&, my_page_policy const&) = default;
};

} // namespace seats_of_mine
