#pragma once
// The host program of fdtd3d, unrolled or not.

#include "kernels/host.hpp"

#include <cmath>

namespace warpkit::kernels::fdtd3d_host {

inline constexpr std::uint32_t radius = 4;

// By the kernel of that name.
inline void run(device& d, values const& v, char const* kernel) {
    auto const nx = v.u32("nx");
    auto const ny = v.u32("ny");
    auto const nz = v.u32("nz");
    auto const pitch = nx + 2 * radius;
    auto const plane = pitch * (ny + 2 * radius);
    random_numbers random(v["seed"]);
    std::vector<float> coefficients;
    for (std::uint32_t i = 0; i <= radius; ++i) coefficients.push_back(0.1f);
    auto now = random.units(std::size_t{plane} * (nz + 2 * radius));
    // Points behind the margin are to begin at multiples of 128 bytes, where the pitch is one.
    constexpr std::uint32_t shift = 32 - radius;
    auto const place = [&] {
        auto const whole = d.allocate<float>(shift + now.size());
        device_array<float> const volume{whole.address + shift * sizeof(float), now.size()};
        d.write(volume, now); // the margin stays
        return volume;
    };
    device_array<float> const volumes[] = {place(), place()};

    d.write_symbol("coefficient", coefficients);
    for (std::uint64_t step = 0; step < v["steps"]; ++step) {
        d.launch(kernel, {ceil_div(nx, 32), ceil_div(ny, 16)}, {32, 16}, 0, volumes[step % 2],
                 volumes[(step + 1) % 2], nx, ny, nz, pitch, plane);
        auto next = now;
        for (std::size_t z = radius; z < nz + radius; ++z)
            for (std::size_t y = radius; y < ny + radius; ++y)
                for (std::size_t x = radius; x < nx + radius; ++x) {
                    auto const at = z * plane + y * pitch + x;
                    auto value = coefficients[0] * now[at];
                    for (std::size_t i = 1; i <= radius; ++i)
                        value = std::fma(coefficients[i],
                                         now[at + i * plane] + now[at - i * plane] + now[at - i * pitch] +
                                             now[at + i * pitch] + now[at - i] + now[at + i],
                                         value);
                    next[at] = value;
                }
        now.swap(next);
    }
    check_equal(v, "out", d.download(volumes[v["steps"] % 2]), now);
}

} // namespace warpkit::kernels::fdtd3d_host
