#pragma once
// What the measured programs share.

// The name by which counted costs are compared: what another compiler makes is not the same.
#define WARPKIT_COST_TEXT(x) #x
#define WARPKIT_COST_NAME(compiler, version, architecture)                                                   \
    compiler "-" WARPKIT_COST_TEXT(version) "/" architecture

#if defined(__x86_64__)
#define WARPKIT_COST_ARCHITECTURE "x86_64"
#elif defined(__aarch64__)
#define WARPKIT_COST_ARCHITECTURE "aarch64"
#else
#define WARPKIT_COST_ARCHITECTURE "other"
#endif

#if defined(__clang__)
#define WARPKIT_COST_COMPILER WARPKIT_COST_NAME("clang++", __clang_major__, WARPKIT_COST_ARCHITECTURE)
#else
#define WARPKIT_COST_COMPILER WARPKIT_COST_NAME("g++", __GNUC__, WARPKIT_COST_ARCHITECTURE)
#endif

/// Called behind each phase, and a name for callgrind to stop at.
[[gnu::noinline]] inline void end_of_phase() { asm volatile(""); }
