#pragma once
/// \file
/// Coalescing since Maxwell.

#include <warpkit/lsu/merge_blocks.hpp>
#include <warpkit/lsu/transaction.hpp>

#include <cstddef>
#include <utility>

namespace warpkit {

/// One transaction for each 32-byte sector that the warp touches, whatever the size per lane; 8- and 16-byte accesses
/// are not split by half or quarter warp. They go by address, the highest first; of an atomic's in one sector, the
/// last.
/// Source: GPGPU-Sim's generations 4.0 and later (docs/model/load_store.md#sectored-coalescing), its order included.
/// Differs from GPGPU-Sim: an atomic across a boundary makes two transactions (refused there).
struct sectored_coalescing {
    static constexpr char const* name() noexcept { return "sectored"; }

    void operator()(warp_access const& a, bool, transaction_list& out) const noexcept {
        detail::merge_blocks(a, 5, out);
        highest_first(out);
    }
    friend bool operator==(sectored_coalescing const&, sectored_coalescing const&) = default;

private:
    /// Lanes mostly ask in the order of addresses; then turning them around is all.
    static void highest_first(transaction_list& out) noexcept {
        for (std::size_t i = 0, end = out.size(); i + 1 < end; ++i) std::swap(out[i], out[--end]);
        for (std::size_t i = 1; i < out.size(); ++i) {
            if (out[i - 1].address >= out[i].address) continue;
            auto const t = out[i];
            auto to = i;
            for (; to != 0 && out[to - 1].address < t.address; --to) out[to] = out[to - 1];
            out[to] = t;
        }
    }
};

} // namespace warpkit
