#pragma once

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t const code = (call);                                                                     \
        if (code != cudaSuccess) {                                                                           \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(code));    \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (false)

// Each gives the number of wrong values.
int check_sums();
int check_apart();
int check_masks();
int check_waiting();
int check_left();
int check_copies();
int check_races();

inline bool report(char const* name, int wrong) {
    std::printf("%-32s %s\n", name, wrong == 0 ? "right" : "wrong");
    return wrong == 0;
}

/// What `kernel` leaves in `count` zeros, run by one block of `threads` threads, against expected(i).
template <class Kernel, class Expected>
int wrong_values(Kernel kernel, int threads, int count, Expected expected) {
    int* out = nullptr;
    CHECK(cudaMallocManaged(&out, count * sizeof(int)));
    for (int i = 0; i < count; ++i) out[i] = 0;
    kernel<<<1, threads>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < count; ++i)
        if (out[i] != expected(i)) {
            if (wrong++ == 0) std::printf("value %d: found %d, expected %d\n", i, out[i], expected(i));
        }
    CHECK(cudaFree(out));
    return wrong;
}
