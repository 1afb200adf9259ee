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
