#pragma once
/// \file
/// Coalescing for constant, parameter and texture memory.

#include <warpkit/lsu/merge_blocks.hpp>
#include <warpkit/lsu/transaction.hpp>

#include <bit>
#include <cstdint>

namespace warpkit {

/// One transaction for each line that the warp touches (docs/model/load_store.md#line-coalescing). `line_bytes` is a
/// power of two, 32 to 128.
struct line_coalescing {
    static constexpr char const* name() noexcept { return "line"; }
    std::uint32_t line_bytes = 128;

    void operator()(warp_access const& a, bool, transaction_list& out) const noexcept {
        detail::merge_blocks(a, static_cast<unsigned>(std::countr_zero(line_bytes)), out);
    }
    friend bool operator==(line_coalescing const&, line_coalescing const&) = default;
};

} // namespace warpkit
