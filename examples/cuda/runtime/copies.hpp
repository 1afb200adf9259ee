#pragma once
// What allocations, copies and the driver's functions share.

#include "session.hpp"

#include <cstddef>

namespace warpkit::cuda {

constexpr std::size_t host_addresses = std::size_t{1} << 47; ///< of a program (x86-64)
constexpr std::size_t most_pitch = 0x7fffffff;               ///< cudaDeviceProp::memPitch

inline void require_array(session const& s, cudaArray const* a) {
    s.arrays.require(a, cudaErrorInvalidValue, "array");
}
// Fills rows of elements, of 1, 2 or 4 bytes each, and knows what a capture needs.
void fill_elements(session& s, cudaMemsetParams const& what);
void fill_elements(session& s, cudaMemsetParams const& what, cudaStream_t stream);

} // namespace warpkit::cuda
