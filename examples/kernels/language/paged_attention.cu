// make_ptx: sm_80 ptx70
// Attention of one new token of each of many sequences to all tokens before it, whose keys and values lie in blocks of
// 16 tokens that a table names (Kwon et al.: Efficient memory management for large language model serving with
// PagedAttention, 2023). Half precision, heads of 128 elements, four heads of queries to each of keys. A CTA has one
// head of keys and 256 tokens of a sequence (split as in Dao et al.: Flash-Decoding, 2023); a second launch joins them.
#include "language/device.hpp"

enum { dim = 128, shared_heads = 4, tokens_of_block = 16, part = 256, warps = 4, ahead = 4 };

// cache: [block][head of keys][token][element]. sums: [sequence][head][part][element], most, weight: the same without
// elements. A grid of parts x heads of keys x sequences.
extern "C" __global__ void paged_attention(half_bits const* queries, half_bits const* keys,
                                           half_bits const* values, int const* table, int const* lengths,
                                           float* sums, float* most, float* weight, int blocks_of_sequence,
                                           float scale) {
    __shared__ int blocks[part / tokens_of_block];
    __shared__ float score[shared_heads][part];
    __shared__ float partial[warps][shared_heads][dim];
    int const t = threadIdx.x, lane = t % 32, warp = t / 32;
    int const key_head = blockIdx.y, key_heads = gridDim.y, sequence = blockIdx.z;
    int const first = blockIdx.x * part;
    int const count = min(lengths[sequence] - first, static_cast<int>(part));
    if (count <= 0) return;
    if (t < part / tokens_of_block && t * tokens_of_block < count)
        blocks[t] = table[sequence * blocks_of_sequence + first / tokens_of_block + t];
    __syncthreads();
    auto const row = [&](half_bits const* cache, int token) {
        return cache +
               ((static_cast<unsigned long long>(blocks[token / tokens_of_block]) * key_heads + key_head) *
                    tokens_of_block +
                token % tokens_of_block) *
                   dim;
    };

    // Eight lanes a token: 16 elements each, eight of them 64 elements apart from the others.
    int const c = lane % 8 * 8;
    float q[shared_heads][16];
#pragma unroll
    for (int h = 0; h < shared_heads; ++h)
#pragma unroll
        for (int part_of = 0; part_of < 2; ++part_of) {
            eight const e = load_eight(
                queries + ((sequence * key_heads + key_head) * shared_heads + h) * dim + c + part_of * 64);
#pragma unroll
            for (int i = 0; i < 8; ++i) q[h][part_of * 8 + i] = e.x[i] * scale;
        }
    // What lies behind the sequence's end is read as its last token, and has no weight.
    for (int round = 0; round < part / (4 * warps); round += ahead) {
        uint4 key[ahead][2];
#pragma unroll
        for (int r = 0; r < ahead; ++r) {
            half_bits const* const from =
                row(keys, min(((round + r) * warps + warp) * 4 + lane / 8, count - 1)) + c;
            key[r][0] = load_16_bytes(from);
            key[r][1] = load_16_bytes(from + 64);
        }
#pragma unroll
        for (int r = 0; r < ahead; ++r) {
            int const token = ((round + r) * warps + warp) * 4 + lane / 8;
            float dot[shared_heads] = {};
#pragma unroll
            for (int part_of = 0; part_of < 2; ++part_of) {
                eight const e = unpacked(key[r][part_of]);
#pragma unroll
                for (int h = 0; h < shared_heads; ++h)
#pragma unroll
                    for (int i = 0; i < 8; ++i) dot[h] = fmaf(e.x[i], q[h][part_of * 8 + i], dot[h]);
            }
#pragma unroll
            for (int h = 0; h < shared_heads; ++h) {
#pragma unroll
                for (int bits = 4; bits > 0; bits /= 2) dot[h] += from_lane_across(dot[h], bits);
                if (lane % 8 == 0) score[h][token] = token < count ? dot[h] : -1e30f;
            }
        }
    }
    __syncthreads();

    // A head a warp. Scores are to base 2.
    int const head = (sequence * key_heads + key_head) * shared_heads + warp;
    float m = -1e30f;
    for (int i = lane; i < part; i += 32) m = fmaxf(m, score[warp][i]);
#pragma unroll
    for (int bits = 16; bits > 0; bits /= 2) m = fmaxf(m, from_lane_across(m, bits));
    float sum = 0;
    for (int i = lane; i < part; i += 32) {
        float const p = exp2f(score[warp][i] - m);
        score[warp][i] = p;
        sum += p;
    }
    sum = sum_of_warp(sum);
    if (lane == 0) {
        most[head * gridDim.x + blockIdx.x] = m;
        weight[head * gridDim.x + blockIdx.x] = sum;
    }
    __syncthreads();

    // A token a warp, four elements a lane.
    float out[shared_heads][4] = {};
    for (int round = 0; round * warps < count; round += 2 * ahead) {
        unsigned pairs[2 * ahead][2];
#pragma unroll
        for (int r = 0; r < 2 * ahead; ++r)
            asm volatile("ld.global.v2.b32 {%0, %1}, [%2];"
                         : "=r"(pairs[r][0]), "=r"(pairs[r][1])
                         : "l"(row(values, min((round + r) * warps + warp, count - 1)) + 4 * lane)
                         : "memory");
#pragma unroll
        for (int r = 0; r < 2 * ahead; ++r) {
            float v[4];
            floats_of(pairs[r][0], v[0], v[1]);
            floats_of(pairs[r][1], v[2], v[3]);
#pragma unroll
            for (int h = 0; h < shared_heads; ++h) {
                float const share = score[h][(round + r) * warps + warp];
#pragma unroll
                for (int i = 0; i < 4; ++i) out[h][i] = fmaf(share, v[i], out[h][i]);
            }
        }
    }
#pragma unroll
    for (int h = 0; h < shared_heads; ++h)
        *reinterpret_cast<float4*>(&partial[warp][h][4 * lane]) =
            float4{out[h][0], out[h][1], out[h][2], out[h][3]};
    __syncthreads();
#pragma unroll
    for (int h = 0; h < shared_heads; ++h) {
        float joined = 0;
        for (int w = 0; w < warps; ++w) joined += partial[w][h][t];
        int const of = (sequence * key_heads + key_head) * shared_heads + h;
        sums[(of * gridDim.x + blockIdx.x) * dim + t] = joined;
    }
}

// A grid of heads x sequences, a thread an element.
extern "C" __global__ void paged_attention_join(float const* sums, float const* most, float const* weight,
                                                int const* lengths, half_bits* out, int parts) {
    int const t = threadIdx.x, sequence = blockIdx.y, head = sequence * gridDim.x + blockIdx.x;
    int const count = (lengths[sequence] + part - 1) / part;
    float m = -1e30f;
    for (int i = 0; i < count; ++i) m = fmaxf(m, most[head * parts + i]);
    float sum = 0, all = 0;
    for (int i = 0; i < count; ++i) {
        float const share = exp2f(most[head * parts + i] - m);
        all = fmaf(share, weight[head * parts + i], all);
        sum = fmaf(share, sums[(head * parts + i) * dim + t], sum);
    }
    half_bits h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(fdividef(sum, all)));
    out[head * dim + t] = h;
}
