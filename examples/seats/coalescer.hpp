#pragma once
// The seat `coalescer`: which transactions a warp's accesses become. The contract is in warpkit/lsu/concepts.hpp.
#include <warpkit/lsu/transaction.hpp>

#include <cstdint>

namespace seats_of_mine {

using namespace warpkit;

/// Makes a transaction of each 32-byte sector; of each lane's part of it where atomics must not share one.
struct my_coalescer {
    static constexpr char const* name() noexcept { return "my_coalescer"; }
    void operator()(warp_access const& a, bool, transaction_list& out) const noexcept {
        out.clear();
        for (unsigned lane = 0; lane < lanes; ++lane)
            for (std::uint32_t i = 0; (a.active >> lane & 1) != 0 && i < a.bytes; ++i) {
                auto const byte = a.address(lane) + i;
                transaction* t = nullptr;
                for (auto& x : out)
                    if (x.address == byte / 32 * 32 &&
                        (a.kind != access_kind::atomic || x.lanes == 1U << lane))
                        t = &x;
                if (t == nullptr) t = &out.push();
                t->address = byte / 32 * 32;
                t->bytes = 32;
                t->lanes |= 1U << lane;
                t->sectors = 1U << byte % 128 / 32;
                t->used[byte % 128 / 64] |= std::uint64_t{1} << byte % 64;
            }
    }
    friend bool operator==(my_coalescer const&, my_coalescer const&) = default;
};

} // namespace seats_of_mine
