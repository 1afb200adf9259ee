// make_ptx: sm_80 ptx70
// out = softmax(q k' / sqrt(D)) v of each head, in half precision, without the matrix of scores in memory (Dao:
// FlashAttention-2, 2023): four warps have 64 rows of q in registers, while keys and values come by asynchronous
// copies, a tile of them ahead; products by mma.sync m16n8k16; maxima and sums of the softmax are kept per row as tiles
// go by.
// Tensors are [sequence of a batch][token][head][element]; several heads of q may share one of k and v. Rows in shared
// memory are not padded: pieces of 16 bytes change places within eight of them by the number of the row.
#include "language/device.hpp"

enum { rows = 64, warps = 4, threads = 32 * warps };

template <int dim, int columns>
WARPKIT_DEVICE void attend(half_bits const* q, half_bits const* k, half_bits const* v, half_bits* out,
                           int tokens, int key_heads, int causal, float scale) {
    enum { pieces = dim / 8, row_bytes = dim * 2, tile_bytes = columns * row_bytes };
    __shared__ __attribute__((aligned(128))) unsigned char q_tile[rows * row_bytes];
    __shared__ __attribute__((aligned(128))) unsigned char kv_tile[2][2][tile_bytes];
    int const t = threadIdx.x, lane = t % 32, warp = t / 32;
    int const heads = gridDim.y, head = blockIdx.y;
    // Of a causal matrix, rows with most to do go first.
    int const first = (gridDim.x - 1 - blockIdx.x) * rows;
    long long const q_stride = heads * dim, kv_stride = key_heads * dim;
    long long const q_at = (static_cast<long long>(blockIdx.z) * tokens + first) * q_stride + head * dim;
    long long const kv_at =
        static_cast<long long>(blockIdx.z) * tokens * kv_stride + head / (heads / key_heads) * dim;
    unsigned const q_shared = shared_address(q_tile), kv_shared = shared_address(kv_tile);
    auto const place = [](int row, int piece) { return row * row_bytes + ((piece ^ row % 8) * 16); };
    auto const bring = [&](unsigned to, half_bits const* from, long long stride, int count) {
#pragma unroll
        for (int i = 0; i < count * pieces / threads; ++i) {
            int const row = (t + i * threads) / pieces, piece = t % pieces;
            copy_asynchronously(to + place(row, piece), from + row * stride + piece * 8);
        }
    };
    auto const bring_tile = [&](int tile) {
        unsigned const to = kv_shared + tile % 2 * 2 * tile_bytes;
        long long const from = kv_at + tile * columns * kv_stride;
        bring(to, k + from, kv_stride, columns);
        bring(to + tile_bytes, v + from, kv_stride, columns);
        commit_copies();
    };
    int const tiles = ((causal ? first + rows : tokens) + columns - 1) / columns;
    bring(q_shared, q + q_at, q_stride, rows);
    bring_tile(0);

    unsigned left[dim / 16][4];
    float sum[dim / 8][4] = {};
    float most[2] = {-1e30f, -1e30f}, weight[2] = {};
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + 1 < tiles) {
            bring_tile(tile + 1);
            asm volatile("cp.async.wait_group 1;" : : : "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" : : : "memory");
        }
        __syncthreads();
        if (tile == 0)
#pragma unroll
            for (int d = 0; d < dim / 16; ++d)
                load_rows(left[d], q_shared + place(warp * 16 + lane % 16, d * 2 + lane / 16));
        unsigned const key = kv_shared + tile % 2 * 2 * tile_bytes, value = key + tile_bytes;
        float s[columns / 8][4] = {};
        // Fragments in groups of four, each brought before the one in front of it is multiplied.
        enum { groups = dim / 16 * (columns / 16) / 4 };
        unsigned right[2][4][4];
        auto const bring_keys = [&](int group) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                int const d = (group * 4 + i) / (columns / 16), j = (group * 4 + i) % (columns / 16);
                load_rows(right[group % 2][i],
                          key + place(j * 16 + lane / 16 * 8 + lane % 8, d * 2 + lane / 8 % 2));
            }
        };
        bring_keys(0);
#pragma unroll
        for (int group = 0; group < groups; ++group) {
            if (group + 1 < groups) bring_keys(group + 1);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                int const d = (group * 4 + i) / (columns / 16), j = (group * 4 + i) % (columns / 16);
                unsigned const(&b)[4] = right[group % 2][i];
                multiply_add(s[2 * j], left[d], b[0], b[1]);
                multiply_add(s[2 * j + 1], left[d], b[2], b[3]);
            }
        }
        int const own_row = first + warp * 16 + lane / 4, own_column = tile * columns + lane % 4 * 2;
        if (causal && (tile + 1) * columns > first + warp * 16)
#pragma unroll
            for (int j = 0; j < columns / 8; ++j)
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    if (own_column + j * 8 + i % 2 > own_row + i / 2 * 8) s[j][i] = -1e30f;
                        // Of each row, four lanes have a part. Scores are taken to base 2.
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float m = most[half];
#pragma unroll
            for (int j = 0; j < columns / 8; ++j) m = fmaxf(m, fmaxf(s[j][2 * half], s[j][2 * half + 1]));
            m = fmaxf(m, from_lane_across(m, 1));
            m = fmaxf(m, from_lane_across(m, 2));
            float const shrink = exp2f((most[half] - m) * scale), least = m * scale;
            most[half] = m;
            weight[half] *= shrink;
#pragma unroll
            for (int d = 0; d < dim / 8; ++d) {
                sum[d][2 * half] *= shrink;
                sum[d][2 * half + 1] *= shrink;
            }
#pragma unroll
            for (int j = 0; j < columns / 8; ++j)
#pragma unroll
                for (int i = 2 * half; i < 2 * half + 2; ++i) {
                    s[j][i] = exp2f(fmaf(s[j][i], scale, -least));
                    weight[half] += s[j][i];
                }
        }
        // What the first product leaves in registers is, as halves, what the second one takes.
        unsigned share[columns / 16][4];
#pragma unroll
        for (int j = 0; j < columns / 16; ++j)
#pragma unroll
            for (int i = 0; i < 4; ++i)
                share[j][i] = halves_of(s[2 * j + i / 2][i % 2 * 2], s[2 * j + i / 2][i % 2 * 2 + 1]);
        auto const bring_values = [&](int group) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                int const j = (group * 4 + i) / (dim / 16), d = (group * 4 + i) % (dim / 16);
                load_columns(right[group % 2][i], value + place(j * 16 + lane % 16, d * 2 + lane / 16));
            }
        };
        bring_values(0);
#pragma unroll
        for (int group = 0; group < groups; ++group) {
            if (group + 1 < groups) bring_values(group + 1);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                int const j = (group * 4 + i) / (dim / 16), d = (group * 4 + i) % (dim / 16);
                unsigned const(&b)[4] = right[group % 2][i];
                multiply_add(sum[2 * d], share[j], b[0], b[1]);
                multiply_add(sum[2 * d + 1], share[j], b[2], b[3]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        float total = weight[half];
        total += from_lane_across(total, 1);
        total += from_lane_across(total, 2);
        float const share = fdividef(1, total);
        int const row = warp * 16 + half * 8 + lane / 4;
#pragma unroll
        for (int d = 0; d < dim / 8; ++d)
            *reinterpret_cast<unsigned*>(&q_tile[place(row, d) + lane % 4 * 4]) =
                halves_of(sum[d][2 * half] * share, sum[d][2 * half + 1] * share);
    }
    // Each warp has put its rows where those of q were.
    asm volatile("bar.warp.sync 0xffffffff;" : : : "memory");
#pragma unroll
    for (int i = 0; i < 16 * pieces / 32; ++i) {
        int const row = warp * 16 + (lane + i * 32) / pieces, piece = lane % pieces;
        store_16_bytes(out + q_at + row * q_stride + piece * 8,
                       *reinterpret_cast<uint4 const*>(&q_tile[place(row, piece)]));
    }
}

// A grid of tiles of rows x heads x sequences; scale: that of the scores, times the logarithm of e to base 2.
extern "C" __global__ void flash_attention_64(half_bits const* q, half_bits const* k, half_bits const* v,
                                              half_bits* out, int tokens, int key_heads, int causal,
                                              float scale) {
    attend<64, 64>(q, k, v, out, tokens, key_heads, causal, scale);
}
extern "C" __global__ void flash_attention_128(half_bits const* q, half_bits const* k, half_bits const* v,
                                               half_bits* out, int tokens, int key_heads, int causal,
                                               float scale) {
    attend<128, 32>(q, k, v, out, tokens, key_heads, causal, scale);
}
