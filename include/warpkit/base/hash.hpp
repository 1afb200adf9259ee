#pragma once
/// \file
/// Hashing of simulated state. Two equal states hash alike on every host, compiler and optimisation level, so that a
/// run's fingerprint can be compared across machines.
///
/// A type is hashable when it is
///   - an arithmetic or enumeration type, or trivially copyable without padding (hashed by value, member for member
///     if it is small state of a policy), or
///   - has `template <class F> constexpr void each_member(F&& f) const { f(a_, b_, ...); }`, or
///   - is a range of hashable elements (size and elements are hashed).
/// A pointer is none of these, since addresses differ from run to run: leave it out of each_member.

#include <warpkit/base/standard.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace warpkit {

/// Accumulates a 64-bit hash of a sequence of numbers. The mixing step is the finaliser of splitmix64.
class hasher {
public:
    constexpr void add(std::uint64_t value) noexcept { state_ = mix(state_ ^ (value + 0x9e3779b97f4a7c15U)); }
    constexpr std::uint64_t value() const noexcept { return state_; }
    static constexpr std::uint64_t mix(std::uint64_t x) noexcept {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
        return x ^ (x >> 31);
    }
    friend bool operator==(hasher const&, hasher const&) = default;

private:
    std::uint64_t state_ = 0x243f6a8885a308d3U;
};

namespace detail {
struct accept_members {
    template <class... M>
    constexpr void operator()(M const&...) const noexcept {}
};
template <class T>
concept hash_scalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <class T>
concept hash_members = requires(T const& t) {
    t.each_member(accept_members{});
};
template <class T>
concept hash_range = !hash_members<T> && requires(T const& t) {
    t.begin();
    t.end();
    { t.size() } -> std::convertible_to<std::size_t>;
};
template <class T>
concept hash_bytes =
    !std::is_pointer_v<T> && !hash_scalar<T> && !hash_members<T> && !hash_range<T> &&
    std::is_trivially_copyable_v<T> && (std::has_unique_object_representations_v<T> || std::is_empty_v<T>);
template <std::size_t Size>
struct byte_block {
    unsigned char byte[Size];
};
} // namespace detail

/// Types that `hash_into` accepts; see the file comment for the three ways to be one.
template <class T>
concept hashable =
    detail::hash_scalar<T> || detail::hash_members<T> || detail::hash_range<T> || detail::hash_bytes<T>;

/// Adds `x` to `h`.
template <hashable T>
constexpr void hash_into(hasher& h, T const& x) noexcept {
    if constexpr (std::is_floating_point_v<T>) {
        // + 0.0: the negative zero equals the positive one, and must hash like it.
        h.add(std::bit_cast<std::uint64_t>(static_cast<double>(x) + 0.0));
    } else if constexpr (detail::hash_scalar<T>) {
        h.add(static_cast<std::uint64_t>(x));
    } else if constexpr (detail::hash_members<T>) {
        x.each_member([&h](auto const&... m) { (hash_into(h, m), ...); });
    } else if constexpr (detail::hash_range<T>) {
        h.add(x.size());
        for (auto const& e : x) hash_into(h, e);
    } else if constexpr (!std::is_empty_v<T>) {
        auto const block = std::bit_cast<detail::byte_block<sizeof(T)>>(x);
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            word |= std::uint64_t{block.byte[i]} << (8 * (i % 8));
            if (i % 8 == 7 || i + 1 == sizeof(T)) {
                h.add(word);
                word = 0;
            }
        }
    }
}

/// The hash of one value.
template <hashable T>
constexpr std::uint64_t hash_of(T const& x) noexcept {
    hasher h;
    hash_into(h, x);
    return h.value();
}

/// The rule for all simulated state: it can be copied, compared and hashed.
template <class T>
concept regular_state = std::regular<T> && hashable<T>;

} // namespace warpkit
