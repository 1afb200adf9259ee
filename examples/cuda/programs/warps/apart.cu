// Warp-wide operations that lanes reach at different times, and at different places.
#include "warps.hpp"

namespace {

// Each lane comes through the loop as often as its number says; the others have left the warp by then.
__global__ void fewer_and_fewer(int* out) {
    int const t = threadIdx.x;
    int v = 0;
    for (int i = 0; i <= t / 8; ++i) v = v * 100 + __popc(__ballot_sync(~0u, 1));
    out[t] = v;
}

// What one side writes, the other reads behind __syncwarp.
__global__ void side_by_side(int* out) {
    __shared__ int cell[64];
    int const t = threadIdx.x;
    if (t % 3 == 0) {
        cell[t] = 3 * t;
        __syncwarp();
        cell[t + 32] = cell[(t + 1) % 32] + 1;
        __syncwarp();
    } else {
        cell[t] = 5 * t;
        __syncwarp();
        cell[t + 32] = cell[(t + 1) % 32] + 2;
        __syncwarp();
    }
    out[t] = cell[(t + 7) % 32 + 32];
}

// A turn of the loop takes lanes different numbers of steps; they meet at its end.
__global__ void uneven_turns(int* out) {
    int const t = threadIdx.x;
    unsigned v = t;
    for (int turn = 0; turn < 6; ++turn) {
        for (unsigned n = v % 13; n > 0; --n) v = v * 7 + 1;
        if (v % 5 == 0) v += 3;
        v += __shfl_xor_sync(~0u, v, 1 << turn % 5);
    }
    out[t] = static_cast<int>(v);
}
int uneven(int t) {
    unsigned v[32];
    for (unsigned i = 0; i < 32; ++i) v[i] = i;
    for (int turn = 0; turn < 6; ++turn) {
        unsigned before[32];
        for (unsigned i = 0; i < 32; ++i) {
            for (unsigned n = v[i] % 13; n > 0; --n) v[i] = v[i] * 7 + 1;
            if (v[i] % 5 == 0) v[i] += 3;
            before[i] = v[i];
        }
        for (unsigned i = 0; i < 32; ++i) v[i] += before[i ^ (1U << turn % 5)];
    }
    return static_cast<int>(v[t]);
}

} // namespace

int check_apart() {
    return wrong_values(fewer_and_fewer, 32, 32,
                        [](int t) {
                            int const all[] = {32, 3224, 322416, 32241608};
                            return all[t / 8];
                        }) +
           wrong_values(side_by_side, 32, 32,
                        [](int t) {
                            int const at = (t + 7) % 32, next = (at + 1) % 32;
                            return (next % 3 == 0 ? 3 : 5) * next + (at % 3 == 0 ? 1 : 2);
                        }) +
           wrong_values(uneven_turns, 32, 32, [](int t) { return uneven(t); });
}
