#pragma once
/// \file
/// Sets of ports.

#include <array>
#include <bit>
#include <cstdint>

namespace warpkit::noc {

/// A set of ports, one bit each. Who goes through a set says how many of its words can hold any: a switch of at most 64
/// ports pays for one.
class port_set {
public:
    static constexpr std::uint32_t capacity = 256;
    static constexpr std::uint32_t words = capacity / 64;

    void insert(std::uint32_t i) noexcept { word_[i / 64] |= bit(i); }
    void erase(std::uint32_t i) noexcept { word_[i / 64] &= ~bit(i); }
    template <std::uint32_t Words = words>
    bool empty() const noexcept {
        std::uint64_t any = 0;
        for (std::uint32_t k = 0; k < Words; ++k) any |= word_[k];
        return any == 0;
    }
    /// The first member at or behind `i`, circularly; precondition: not empty.
    template <std::uint32_t Words = words>
    std::uint32_t first_from(std::uint32_t i) const noexcept {
        auto k = Words == 1 ? 0 : i / 64;
        auto bits = word_[k] & (~std::uint64_t{0} << (i % 64));
        while (bits == 0) {
            k = k + 1 == Words ? 0 : k + 1;
            bits = word_[k];
        }
        return k * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
    }
    /// Calls f for each member; f may erase it.
    template <std::uint32_t Words = words, class F>
    void for_each(F&& f) const {
        for (std::uint32_t k = 0; k < Words; ++k)
            for (auto rest = word_[k]; rest != 0; rest &= rest - 1)
                f(k * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(word_);
    }
    friend bool operator==(port_set const&, port_set const&) = default;

private:
    static constexpr std::uint64_t bit(std::uint32_t i) noexcept { return std::uint64_t{1} << (i % 64); }

    std::array<std::uint64_t, words> word_{};
};

} // namespace warpkit::noc
