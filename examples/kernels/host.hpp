#pragma once
/// \file
/// What the host programs share: a generator of inputs that is the same everywhere, and the comparison at the
/// end.

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/device.hpp>

#include "workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <vector>

namespace warpkit::kernels {

/// Random numbers by splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA
/// 2014). The distributions are our own too: those of <random> differ from one standard library to the next.
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() noexcept {
        auto z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    /// Uniform in [0, n) for 0 < n.
    std::uint32_t below(std::uint32_t n) noexcept {
        return static_cast<std::uint32_t>((next() >> 32) * n >> 32);
    }
    /// Uniform in [0, 1), a multiple of 2^-24.
    float unit() noexcept { return static_cast<float>(next() >> 40) * 0x1p-24f; }

    /// `count` numbers, each made by `make(*this)`.
    template <class Make>
    auto vector(std::size_t count, Make make) {
        std::vector<decltype(make(*this))> v(count);
        for (auto& x : v) x = make(*this);
        return v;
    }
    std::vector<float> units(std::size_t count) {
        return vector(count, [](random_numbers& r) { return r.unit(); });
    }

private:
    std::uint64_t state_;
};

constexpr std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{a} + b - 1) / b);
}

/// Throws error at the first element of `found` for which `same(found, expected)` does not hold. `array` is its name in
/// the host program.
template <class T, class Same>
void check_each(values const& v, std::string_view array, std::vector<T> const& found,
                std::vector<T> const& expected, Same same) {
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (!same(found[i], expected[i])) {
            std::ostringstream message;
            message.precision(9);
            message << v.of().name << ": wrong value left in memory: " << array << '[' << i << "] is "
                    << +found[i] << ", expected " << +expected[i];
            throw error(message.str());
        }
}

/// Each element must be exactly as expected.
template <class T>
void check_equal(values const& v, std::string_view array, std::vector<T> const& found,
                 std::vector<T> const& expected) {
    check_each(v, array, found, expected, [](T const& a, T const& b) { return a == b; });
}

/// For kernels with approximate functions: the error may be `tolerance` times the expected value's size, or times 1
/// where that is less.
template <class T>
void check_close(values const& v, std::string_view array, std::vector<T> const& found,
                 std::vector<T> const& expected, T tolerance) {
    check_each(v, array, found, expected, [tolerance](T const& a, T const& b) {
        return std::abs(a - b) <= tolerance * std::max(T{1}, std::abs(b)); // not so for a NaN
    });
}

/// The handle of a texture of what is in an array, as a texture object is made. `t` says all but where that lies.
template <class T>
std::uint64_t make_texture(device& d, device_array<T> const& texels, texture_binding t) {
    t.address = texels.address;
    auto& textures = d.memory().textures();
    auto const handle = textures.reserve();
    textures.bind(handle, t);
    return handle;
}

/// The parameter that all workloads have.
inline constexpr parameter seed{"seed",           "", "start of the random numbers of the input", 1, 1, 0,
                                ~std::uint64_t{0}};

} // namespace warpkit::kernels
