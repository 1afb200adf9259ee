#pragma once
/// \file
/// Transactions of the size that a cache takes at once.

#include <warpkit/lsu/transaction.hpp>

#include <cstdint>

namespace warpkit {

/// Cuts transactions into aligned blocks of at most `block` bytes, a power of two of 32 to 128. Those without a sector
/// that is used are left out.
inline void cut_transactions(transaction_list& list, std::uint32_t block) noexcept {
    bool fit = true;
    for (auto const& t : list) fit = fit && t.bytes <= block;
    if (fit) return;
    auto const whole = list;
    list.clear();
    for (auto const& t : whole) {
        auto const bytes = t.bytes < block ? t.bytes : block;
        for (std::uint32_t from = 0; from < t.bytes; from += bytes) {
            auto const first = static_cast<std::uint32_t>((t.address + from) & 127);
            auto const sectors = t.sectors & ((1U << bytes / 32) - 1) << first / 32;
            if (sectors == 0) continue;
            auto& piece = list.push();
            piece.address = t.address + from;
            piece.bytes = bytes;
            piece.sectors = sectors;
            piece.lanes = t.lanes;
            for (std::uint32_t w = 0; w < 2; ++w)
                for (std::uint32_t s = 0; s < 2; ++s)
                    if ((sectors >> (2 * w + s) & 1U) != 0)
                        piece.used[w] |= t.used[w] & std::uint64_t{0xffffffff} << 32 * s;
        }
    }
}

} // namespace warpkit
