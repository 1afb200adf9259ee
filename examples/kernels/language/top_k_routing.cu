// make_ptx: sm_80 ptx70
// Which two of its experts a mixture of experts sends a token to, with what weights (the softmax of these two), and in
// which order the experts' inputs lie: those of the first expert by token, then those of the second, and so on. Three
// launches: choices, with the number of tokens that each CTA has for each expert; sums of these numbers; places.
#include "language/device.hpp"

enum { most_experts = 64, block = 256 };

extern "C" __global__ void route_top_2(float const* logits, int* chosen, float* weights, int* counts,
                                       int tokens, int experts) {
    __shared__ int count[most_experts];
    int const t = threadIdx.x, token = blockIdx.x * block + t;
    if (t < experts) count[t] = 0;
    __syncthreads();
    if (token < tokens) {
        float const* const from = logits + token * experts;
        float best = -1e30f, second = -1e30f;
        int which = 0, which_second = 0;
        for (int e = 0; e < experts; ++e) {
            float const x = from[e];
            if (x > best) {
                second = best;
                which_second = which;
                best = x;
                which = e;
            } else if (x > second) {
                second = x;
                which_second = e;
            }
        }
        float const odds = expf(second - best);
        float const weight = fdividef(1, 1 + odds);
        chosen[2 * token] = which;
        chosen[2 * token + 1] = which_second;
        weights[2 * token] = weight;
        weights[2 * token + 1] = odds * weight;
        atomicAdd(&count[which], 1);
        atomicAdd(&count[which_second], 1);
    }
    __syncthreads();
    if (t < experts) counts[t * gridDim.x + blockIdx.x] = count[t];
}

// For each of n numbers the sum of those before it, in its place; the sum of all behind them. One CTA.
extern "C" __global__ void route_offsets(int* counts, int n) {
    __shared__ int of_warp[block / 32];
    int const t = threadIdx.x, lane = t % 32, warp = t / 32;
    int before = 0;
    for (int first = 0; first < n; first += block) {
        int const own = first + t < n ? counts[first + t] : 0;
        int sum = own;
        for (int reach = 1; reach < 32; reach *= 2) {
            int const other = __nvvm_shfl_sync_up_i32(~0u, sum, reach, 0);
            if (lane >= reach) sum += other;
        }
        if (lane == 31) of_warp[warp] = sum;
        __syncthreads();
        int total = 0;
        for (int w = 0; w < block / 32; ++w) {
            if (w == warp) sum += total;
            total += of_warp[w];
        }
        if (first + t < n) counts[first + t] = before + sum - own;
        before += total;
        __syncthreads();
    }
    if (t == 0) counts[n] = before;
}

extern "C" __global__ void route_places(int const* chosen, int const* offsets, int* sources, int* places,
                                        int tokens, int experts) {
    __shared__ int of_warp[block / 32][most_experts];
    int const t = threadIdx.x, lane = t % 32, warp = t / 32, token = blockIdx.x * block + t;
    bool const is_token = token < tokens;
    int const expert[2] = {is_token ? chosen[2 * token] : -1, is_token ? chosen[2 * token + 1] : -1};
    int rank[2] = {};
    for (int e = 0; e < experts; ++e) {
        unsigned const here = __nvvm_vote_ballot_sync(~0u, expert[0] == e || expert[1] == e);
        int const below = __builtin_popcount(here & ((1u << lane) - 1));
        for (int i = 0; i < 2; ++i)
            if (expert[i] == e) rank[i] = below;
        if (lane == 0) of_warp[warp][e] = __builtin_popcount(here);
    }
    __syncthreads();
    if (!is_token) return;
    for (int i = 0; i < 2; ++i) {
        int place = offsets[expert[i] * gridDim.x + blockIdx.x] + rank[i];
        for (int w = 0; w < warp; ++w) place += of_warp[w][expert[i]];
        sources[place] = 2 * token + i;
        places[2 * token + i] = place;
    }
}
