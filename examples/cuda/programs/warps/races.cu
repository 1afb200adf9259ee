// Warps of a block that miss a barrier, as public programs do: what a warp reads at once is overwritten by another one
// only many instructions later.
#include "warps.hpp"

namespace {

// Sums of a number per warp through one array, twice, without a barrier between the first sum's broadcast and the second
// one's parts.
__global__ void sums(int* out) {
    __shared__ volatile int part[8];
    int const t = threadIdx.x;
    if (t % 32 == 0) part[t / 32] = t / 32 + 1;
    __syncthreads();
    if (t == 0) {
        int all = 0;
        for (int i = 0; i < 8; ++i) all += part[i];
        part[0] = all;
    }
    __syncthreads();
    int const first = part[0];
    int mixed = first;
    for (int i = 0; i < 100; ++i) mixed = mixed * 5 % 1009 + i;
    if (t % 32 == 0) part[t / 32] = mixed & 1;
    __syncthreads();
    out[t] = first;
}

} // namespace

int check_races() {
    return wrong_values(sums, 256, 256, [](int) { return 36; });
}
