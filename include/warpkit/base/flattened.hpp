#pragma once
/// \file
/// How a function says that it belongs into the hot function that calls it.

#include <warpkit/base/standard.hpp>

/// Clang passes over [[gnu::flatten]] in templates and has its own idea of what is too large to be inlined; GCC
/// flattens, and chooses registers worse where each part says so, too.
#if defined(__clang__)
#define WARPKIT_FLATTENED [[gnu::always_inline]]
#else
#define WARPKIT_FLATTENED
#endif

/// In a loop that mostly runs once or twice: Clang moves all that stays the same out of it, which is more than there
/// are registers, so that each call pays for loads of what it may not need, and for putting them on the stack.
#if defined(__clang__)
#define WARPKIT_SHORT_LOOP __asm__ volatile("" ::: "memory")
#else
#define WARPKIT_SHORT_LOOP static_cast<void>(0)
#endif
