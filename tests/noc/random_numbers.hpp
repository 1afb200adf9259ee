#pragma once

#include <warpkit/base/hash.hpp>

#include <cstdint>

/// The same numbers everywhere.
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}
    std::uint32_t below(std::uint32_t n) {
        return static_cast<std::uint32_t>(warpkit::hasher::mix(state_ += 0x9e3779b97f4a7c15U) % n);
    }

private:
    std::uint64_t state_;
};
