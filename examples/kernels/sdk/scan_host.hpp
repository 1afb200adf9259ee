#pragma once
/// \file
/// The host's side of scan_kernels.hpp.

#include <warpkit/frontend/device.hpp>

#include <cstdint>

namespace warpkit::kernels {

/// out[i] = in[0] + ... + in[i - 1], on the device; `in` may be `out`.
inline void launch_scan(device& d, device_array<std::uint32_t> in, device_array<std::uint32_t> out) {
    constexpr std::uint32_t threads = 256;
    auto const n = static_cast<std::uint32_t>(in.count);
    dim3 const grid{(n + 2 * threads - 1) / (2 * threads)};
    if (grid.x == 1) {
        d.launch("scan_blocks", grid, {threads}, 0, in, out, device_address{0}, n);
        return;
    }
    auto const totals = d.allocate<std::uint32_t>(grid.x);
    d.launch("scan_blocks", grid, {threads}, 0, in, out, totals, n);
    launch_scan(d, totals, totals);
    d.launch("scan_add", grid, {threads}, 0, out, totals, n);
}

} // namespace warpkit::kernels
