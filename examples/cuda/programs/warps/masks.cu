// Masks that name a part of the warp.
#include "warps.hpp"

namespace {

// Tiles of eight, each with a mask of its own, in one converged warp.
__global__ void tiles(int* out) {
    int const t = threadIdx.x;
    unsigned const mask = 0xffu << (t & 24);
    int v = t;
    for (int d = 4; d > 0; d /= 2) v += __shfl_xor_sync(mask, v, d, 8);
    if (__any_sync(mask, t == 9)) v += 1000;
    if (__all_sync(mask, t >= 16)) v += 2000;
    out[t] = v + __popc(__ballot_sync(mask, t % 2)) * 10000;
}

// Those that a ballot found work on alone, in a branch.
__global__ void voters(int* out) {
    int const t = threadIdx.x;
    bool const mine = t % 3 == 1;
    unsigned const mask = __ballot_sync(~0u, mine);
    if (mine) {
        int const rank = __popc(mask & ((1u << t) - 1));
        int const first = __ffs(mask) - 1;
        int const v = __shfl_sync(mask, t * 10, first);
        out[t] = v + rank;
    } else {
        out[t] = __popc(__ballot_sync(~mask, t > 15));
    }
}

// Values of 64 bits and reals are alike in all of their bits.
__global__ void alike(int* out) {
    int const t = threadIdx.x;
    int all = 0;
    unsigned const by_high = __match_any_sync(~0u, (unsigned long long)(t / 4) << 40 | 5);
    unsigned const by_sign = __match_any_sync(~0u, t < 16 ? -0.0 : 0.0);
    unsigned const by_fraction = __match_any_sync(~0u, 1 + 0.25f * (t % 2));
    unsigned const together = __match_all_sync(~0u, (long long)(t < 31) << 33, &all);
    int const sum = __reduce_add_sync(0xffu << (t & 24), t) + __reduce_min_sync(~0u, 5 - t);
    out[t] = by_high == 0xfu << t / 4 * 4 && by_sign == (t < 16 ? 0xffffu : 0xffff0000u) &&
                     by_fraction == 0x55555555u << t % 2 && together == 0 && all == 0
                 ? sum
                 : -1000;
}

} // namespace

int check_masks() {
    return wrong_values(tiles, 32, 32,
                        [](int t) {
                            int const tile = t / 8;
                            return 28 + 64 * tile + (tile == 1 ? 1000 : 0) + (tile >= 2 ? 2000 : 0) + 40000;
                        }) +
           wrong_values(alike, 32, 32, [](int t) { return 28 + 64 * (t / 8) + 5 - 31; }) +
           wrong_values(voters, 32, 32, [](int t) {
               int over = 0;
               for (int k = 16; k < 32; ++k) over += k % 3 == 1 ? 0 : 1;
               return t % 3 == 1 ? 10 + t / 3 : over;
           });
}
