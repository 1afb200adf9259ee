#pragma once
/// \file
/// Less of what is random under sanitizers, which take ten times as long and look for other things than its results.

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WARPKIT_SANITIZED
#endif
#endif

/// `n`, or a quarter of it under sanitizers.
#ifdef WARPKIT_SANITIZED
constexpr unsigned fewer(unsigned n) { return (n + 3) / 4; }
#else
constexpr unsigned fewer(unsigned n) { return n; }
#endif

/// Whether to take this turn of loops over combinations: each, or a quarter of them under sanitizers, strewn so that
/// each value of an inner loop has its turns. With WARPKIT_EVERY_TURN all, whatever it takes (tests/CMakeLists.txt).
constexpr bool is_taken([[maybe_unused]] unsigned turn) {
#ifdef WARPKIT_EVERY_TURN
    return true;
#else
    return fewer(4) == 4 || (turn * 2654435761U >> 16) % 4 == 0;
#endif
}
