// CTAs that wait for each other: cooperative launches, barriers of one's own, groups of all kinds.

// As CCCL declares them.
namespace cooperative_groups {
namespace __v1 {
class thread_block;
template <unsigned int Size, typename Parent>
class thread_block_tile;
} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>

namespace cg = cooperative_groups;

static int wrong = 0;
static void expect(bool right, char const* what) {
    if (!right) ++wrong;
    if (!right) std::printf("WRONG: %s\n", what);
}

struct pair {
    double a;
    int b;
};

// Each round all threads count themselves; then each must see all.
__global__ void rounds(int* counts, int* wrong_ones, int many) {
    auto const grid = cg::this_grid();
    for (int r = 0; r < many; ++r) {
        atomicAdd(&counts[r], 1);
        grid.sync();
        if (((int volatile*)counts)[r] != (int)grid.num_threads()) atomicAdd(wrong_ones, 1);
    }
    if (!grid.is_valid()) atomicAdd(wrong_ones, 1);
}
// A barrier of one's own, in a launch that is not cooperative.
__global__ void by_hand(int* arrived, int* seen) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < (int)gridDim.x) {}
    }
    __syncthreads();
    if (threadIdx.x == 0) seen[blockIdx.x] = *(int volatile*)arrived;
}
__global__ void groups(int* wrong_ones, int const* in, int* out) {
    auto const block = cg::this_thread_block();
    int const t = (int)threadIdx.x;
    auto const check = [&](bool right) {
        if (!right) atomicAdd(wrong_ones, 1);
    };
    auto const wide = cg::tiled_partition<64>(block);
    check(cg::reduce(wide, t, cg::plus<int>()) == t / 64 * 64 * 64 + 63 * 32);
    check(wide.shfl(t, 5) == t / 64 * 64 + 5 && wide.meta_group_rank() == (unsigned)t / 64);
    check(wide.any(t == 70) == (t / 64 == 1) && wide.all(t < 64) == (t / 64 == 0));
    auto const tile = cg::tiled_partition<8>(cg::tiled_partition<32>(block));
    check(tile.meta_group_size() == 4 && tile.meta_group_rank() == (unsigned)t % 32 / 8);
    pair const p = tile.shfl(pair{1.5 * t, t}, 3);
    check(p.a == 1.5 * (t / 8 * 8 + 3) && p.b == t / 8 * 8 + 3);
    check(tile.shfl_down(t, 2) == (t % 8 < 6 ? t + 2 : t) && tile.ballot(t % 2) == 0xaa);
    check(cg::inclusive_scan(tile, 2) == 2 * (t % 8 + 1) && cg::exclusive_scan(tile, 2) == 2 * (t % 8));
    check(cg::reduce(tile, t, cg::greater<int>()) == t / 8 * 8 + 7 &&
          cg::reduce(tile, t, cg::less<int>()) == t / 8 * 8);
    if (t % 3 == 0) {
        auto const there = cg::coalesced_threads();
        check(cg::reduce(there, 1, cg::plus<int>()) == (int)there.size());
        auto const odd = cg::binary_partition(there, t % 2 != 0);
        check(odd.size() + 0u ==
              (unsigned)__popc(__ballot_sync(there.lanes(), t % 2 != 0) ^ (t % 2 != 0 ? 0u : there.lanes())));
        auto const label = cg::labeled_partition(there, t % 4);
        check(cg::exclusive_scan(label, 1) == (int)label.thread_rank() && label.shfl(t, 0) % 4 == t % 4);
    }
    check(cg::invoke_one_broadcast(tile, [&] { return t; }) == t / 8 * 8);
    __shared__ int copy[128];
    cg::memcpy_async(block, copy, in, sizeof copy);
    cg::wait(block);
    out[t] = copy[127 - t];
}

int main() {
    int *counts, *bad, *out;
    cudaMallocManaged(&counts, 64 * sizeof(int));
    cudaMallocManaged(&bad, sizeof(int));
    cudaMallocManaged(&out, 128 * sizeof(int));
    for (int i = 0; i < 64; ++i) counts[i] = 0;
    *bad = 0;
    int device = 0, can = 0, per_core = 0, cores = 0;
    cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, device);
    cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_core, rounds, 96, 0);
    expect(can == 1 && per_core > 0, "cooperative launches can be");
    int many = 20;
    void* arguments[] = {&counts, &bad, &many};
    dim3 const grid(2, (unsigned)cores / 2, 1);
    expect(cudaLaunchCooperativeKernel((void*)rounds, grid, dim3(96), arguments, 0, 0) == cudaSuccess &&
               cudaDeviceSynchronize() == cudaSuccess && *bad == 0,
           "grid.sync()");
    expect(cudaLaunchCooperativeKernel((void*)rounds, dim3((unsigned)(per_core * cores + 1)), dim3(96),
                                       arguments, 0, 0) == cudaErrorCooperativeLaunchTooLarge,
           "more CTAs than the machine holds");
    counts[0] = 0;
    by_hand<<<24, 64>>>(counts, out);
    expect(cudaDeviceSynchronize() == cudaSuccess, "a barrier by hand");
    bool right = true;
    for (int i = 0; i < 24; ++i) right = right && out[i] == 24;
    expect(right, "a barrier by hand");
    int* in;
    cudaMallocManaged(&in, 128 * sizeof(int));
    for (int i = 0; i < 128; ++i) in[i] = 3 * i;
    groups<<<1, 128>>>(bad, in, out);
    expect(cudaDeviceSynchronize() == cudaSuccess && *bad == 0, "groups");
    right = true;
    for (int i = 0; i < 128; ++i) right = right && out[i] == 3 * (127 - i);
    expect(right, "memcpy_async");
    std::printf(wrong == 0 ? "PASSED\n" : "%d wrong\n", wrong);
    return wrong != 0;
}
