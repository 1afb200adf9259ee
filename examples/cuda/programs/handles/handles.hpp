#pragma once
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime_api.h>

inline int failures = 0;
inline void expect(bool good, char const* what, char const* file, int line) {
    if (good) return;
    ++failures;
    std::printf("FAILED: %s:%d: %s\n", file, line, what);
}
#define EXPECT(condition) expect((condition), #condition, __FILE__, __LINE__)
#define OK(call) expect(static_cast<int>(call) == 0, #call, __FILE__, __LINE__)
// The runtime's and the driver's codes are the same numbers.
#define FAILS(code, call) expect(static_cast<int>(call) == static_cast<int>(code), #call, __FILE__, __LINE__)

void check_streams_per_thread();
void check_driver();
