#pragma once
/// \file
/// The seat of the coalescer.
///
/// Contract: a coalescing policy is a small regular value. `policy(access, bypasses_l1, out)` replaces what is in
/// `out` by the transactions of the access, in the order in which the lanes, lowest first, ask for them; each used
/// byte of each lane lies in exactly one of them, except that lanes of a load or store share bytes. `bypasses_l1`
/// says that the transactions go past the L1 data cache (atomics, uncached loads).

#include <warpkit/base/hash.hpp>
#include <warpkit/lsu/transaction.hpp>

#include <concepts>
#include <type_traits>

namespace warpkit {

template <class T>
concept coalescing_policy = std::regular<T> && !std::is_polymorphic_v<T> &&
                            requires(T const& t, warp_access const& a, transaction_list& out) {
    { t(a, true, out) } -> std::same_as<void>;
};

} // namespace warpkit
