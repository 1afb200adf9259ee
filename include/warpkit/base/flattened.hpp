#pragma once
/// \file
/// How a function says that it belongs into the hot function that calls it.

/// Clang passes over [[gnu::flatten]] in templates and has its own idea of what is too large to be inlined; GCC flattens, and
/// chooses registers worse where each part says so, too.
#if defined(__clang__)
#define WARPKIT_FLATTENED [[gnu::always_inline]]
#else
#define WARPKIT_FLATTENED
#endif
