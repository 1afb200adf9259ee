#pragma once
/// \file
/// Numbers that are run-time values by default and can be fixed at compile time where that buys speed, like the
/// extent of std::span. One mechanism for all components.

#include <warpkit/base/standard.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace warpkit {

/// The template argument that says "known only at run time".
inline constexpr std::uint64_t run_time = ~std::uint64_t{0};

/// An unsigned number of type T: stored when Value is `run_time`, otherwise a constant that takes no space (hold it
/// with [[no_unique_address]]) and that the optimiser sees. It converts to T, and is compared and reckoned with as a T.
///
///     template <std::uint64_t Ways = run_time> struct geometry { [[no_unique_address]] number<unsigned, Ways> ways; };
///     geometry<> swept{.ways = 4};   geometry<4> fixed{};   // the same interface
template <std::unsigned_integral T, std::uint64_t Value = run_time>
class number {
public:
    static constexpr bool made_again = true; ///< (machine/state_archive.hpp)
    static constexpr bool is_fixed = true;
    constexpr number() = default;
    /// Accepts the fixed value only; any other value is a precondition violation that `fits` tells beforehand.
    constexpr number(T) noexcept {}
    constexpr operator T() const noexcept { return static_cast<T>(Value); }
    constexpr T get() const noexcept { return static_cast<T>(Value); }
    /// Whether this number can hold `v`.
    static constexpr bool fits(T v) noexcept { return v == static_cast<T>(Value); }
};

template <std::unsigned_integral T>
class number<T, run_time> {
public:
    static constexpr bool made_again = true; ///< (machine/state_archive.hpp)
    static constexpr bool is_fixed = false;
    constexpr number() = default;
    constexpr number(T v) noexcept : value_(v) {}
    constexpr operator T() const noexcept { return value_; }
    constexpr T get() const noexcept { return value_; }
    static constexpr bool fits(T) noexcept { return true; }

private:
    T value_{};
};

/// Several numbers that belong together, likewise: Value is a T, whose fields are then constants that take no space, or
/// `run_time`, and they are stored and begin as T's own defaults.
///
///     template <auto Numbers = lost_locality_numbers{}>
///     class lost_locality { numbers<lost_locality_numbers, Numbers> n_; };
template <class T, auto Value>
class numbers {
    static_assert(std::same_as<std::remove_const_t<decltype(Value)>, T>,
                  "warpkit: these numbers are a value of their own type, or run_time");

public:
    static constexpr bool made_again = true; ///< (machine/state_archive.hpp)
    static constexpr bool is_fixed = true;
    /// What they are at first.
    static constexpr T standard = Value;
    constexpr T const& get() const noexcept { return standard; }
    constexpr T const* operator->() const noexcept { return &standard; }
    friend bool operator==(numbers const&, numbers const&) = default;
};

template <class T>
class numbers<T, run_time> {
public:
    static constexpr bool made_again = true; ///< (machine/state_archive.hpp)
    static constexpr bool is_fixed = false;
    static constexpr T standard{};
    constexpr numbers() = default;
    constexpr numbers(T const& values) noexcept : values_(values) {}
    constexpr T& get() noexcept { return values_; }
    constexpr T const& get() const noexcept { return values_; }
    constexpr T const* operator->() const noexcept { return &values_; }
    friend bool operator==(numbers const&, numbers const&) = default;

private:
    T values_{};
};

/// Division and remainder by a number that is set once and used often; a shift and a mask when it is a power of two.
class divisor {
public:
    static constexpr bool made_again = true; ///< (machine/state_archive.hpp)
    constexpr divisor() = default;
    /// `value` is at least 1.
    constexpr explicit divisor(std::uint64_t value) noexcept
        : value_(value),
          power_of_two_((value & (value - 1)) == 0 ? 1 : 0) {
        if (power_of_two_ != 0)
            while ((std::uint64_t{1} << shift_) != value) ++shift_;
    }
    constexpr std::uint64_t value() const noexcept { return value_; }
    constexpr bool is_power_of_two() const noexcept { return power_of_two_ != 0; }
    friend constexpr std::uint64_t operator/(std::uint64_t n, divisor d) noexcept {
        return d.power_of_two_ != 0 ? n >> d.shift_ : n / d.value_;
    }
    friend constexpr std::uint64_t operator%(std::uint64_t n, divisor d) noexcept {
        return d.power_of_two_ != 0 ? n & (d.value_ - 1) : n % d.value_;
    }
    friend constexpr bool operator==(divisor, divisor) = default;

private:
    std::uint64_t value_ = 1;
    std::uint32_t shift_ = 0;
    std::uint32_t power_of_two_ = 1;
};

} // namespace warpkit
