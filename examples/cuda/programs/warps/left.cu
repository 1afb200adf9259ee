// A mask may name lanes that have left, or that the block never had: they are not waited for.
#include "warps.hpp"

namespace {

__global__ void who_is_left(int* out) {
    int const t = threadIdx.x;
    if (t % 4 == 3) return;
    __syncwarp();
    unsigned const here = __ballot_sync(~0u, 1);
    int const sum = __popc(__match_any_sync(~0u, t % 4));
    int const low =
        __shfl_up_sync(~0u, t, 1); // lanes with t % 4 == 0 would read one that has left, and do not use it
    out[t] = __popc(here) * 10000 + sum * 100 + (t % 4 == 0 ? 0 : low);
}

// A barrier is met by the threads that are left, whatever side of a branch the others left from.
__global__ void barriers(int* out) {
    __shared__ int total;
    int const t = threadIdx.x;
    if (t == 0) total = 0;
    __syncthreads();
    if (t % 5 == 2) {
        atomicAdd(&total, 100);
        return;
    }
    atomicAdd(&total, 1);
    int const counted = __syncthreads_count(t % 2);
    out[t] = counted * 10000 + (total > 0 ? 1 : 0);
}

} // namespace

int check_left() {
    return wrong_values(who_is_left, 48, 48,
                        [](int t) {
                            if (t % 4 == 3) return 0;
                            int const threads = t < 32 ? 32 : 16;
                            return threads / 4 * 3 * 10000 + threads / 4 * 100 + (t % 4 == 0 ? 0 : t - 1);
                        }) +
           wrong_values(barriers, 80, 80, [](int t) {
               int odd = 0;
               for (int k = 0; k < 80; ++k) odd += k % 5 != 2 && k % 2 == 1 ? 1 : 0;
               return t % 5 == 2 ? 0 : odd * 10000 + 1;
           });
}
