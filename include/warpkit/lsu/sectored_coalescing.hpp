#pragma once
/// \file
/// Coalescing since Maxwell.

#include <warpkit/lsu/merge_blocks.hpp>
#include <warpkit/lsu/transaction.hpp>

namespace warpkit {

/// One transaction for each 32-byte sector that the warp touches, whatever the size per lane; 8- and 16-byte accesses
/// are not split by half or quarter warp.
/// Source: GPGPU-Sim's generations 4.0 and later (docs/model/load_store.md#sectored-coalescing).
/// Differs from GPGPU-Sim: as fermi_coalescing.
struct sectored_coalescing {
    static constexpr char const* name() noexcept { return "sectored"; }

    void operator()(warp_access const& a, bool, transaction_list& out) const noexcept {
        detail::merge_blocks(a, 5, out);
    }
    friend bool operator==(sectored_coalescing const&, sectored_coalescing const&) = default;
};

} // namespace warpkit
