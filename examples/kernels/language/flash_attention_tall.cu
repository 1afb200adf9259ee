// make_ptx: sm_80 ptx70
// flash_attention with the tiles of the authors' implementation for sm_80 (Dao: FlashAttention-2, 2023): four warps have
// 128 rows of q, 32 each, so that a fragment of keys or values is multiplied twice. There is one tile of keys and one of
// values: a tile's values come while its keys are multiplied, the next one's keys behind that. Tiles go from the last
// one to the first.
// Tensors, rows in shared memory, and the parameters are as in flash_attention.
#include "language/device.hpp"

enum { rows = 128, warps = 4, threads = 32 * warps };

template <int dim, int columns>
WARPKIT_DEVICE void attend(half_bits const* q, half_bits const* k, half_bits const* v, half_bits* out,
                           int tokens, int key_heads, int causal, float scale) {
    enum { pieces = dim / 8, row_bytes = dim * 2, step = threads / pieces };
    extern __shared__ __attribute__((aligned(128))) unsigned char shared[];
    unsigned const left = shared_address(shared), key = left + rows * row_bytes,
                   value = key + columns * row_bytes;
    int const t = threadIdx.x, lane = t % 32, warp = t / 32;
    int const heads = gridDim.y, head = blockIdx.y;
    int const first = (gridDim.x - 1 - blockIdx.x) * rows; // those with most to do go first
    long long const q_stride = heads * dim, kv_stride = key_heads * dim;
    long long const q_at = (static_cast<long long>(blockIdx.z) * tokens + first) * q_stride + head * dim;
    long long const kv_at =
        static_cast<long long>(blockIdx.z) * tokens * kv_stride + head / (heads / key_heads) * dim;
    // A thread brings one piece of every `step` rows, which are a multiple of eight.
    int const own_row = t / pieces, own_piece = t % pieces;
    unsigned const own_place = own_row * row_bytes + ((own_piece ^ own_row % 8) * 16);
    auto const bring_keys_or_values = [&](unsigned to, half_bits const* from) {
        each_below<columns / step>::call([&](auto i) {
            copy_asynchronously_behind<decltype(i)::value * step * row_bytes>(to + own_place, from);
            from += step * kv_stride;
        });
        commit_copies();
    };
    int tile = ((causal ? first + rows : tokens) + columns - 1) / columns - 1;
    long long const own_kv =
        kv_at + (static_cast<long long>(tile) * columns + own_row) * kv_stride + own_piece * 8;
    half_bits const *next_k = k + own_kv, *next_v = v + own_kv;
    {
        auto const* from = q + q_at + own_row * q_stride + own_piece * 8;
        each_below<rows / step>::call([&](auto i) {
            copy_asynchronously_behind<decltype(i)::value * step * row_bytes>(left + own_place, from);
            from += step * q_stride;
        });
    }
    bring_keys_or_values(key, next_k);

    // Of pieces that differ in their last bits but two, the places are a constant apart.
    unsigned q_place[4], k_place[4], v_place[4];
#pragma unroll
    for (int d = 0; d < 4; ++d) {
        q_place[d] = left + (warp * 32 + lane % 16) * row_bytes + ((d * 2 + lane / 16 ^ lane % 8) * 16);
        k_place[d] = key + (lane / 16 * 8 + lane % 8) * row_bytes + ((d * 2 + lane / 8 % 2 ^ lane % 8) * 16);
        v_place[d] = value + lane % 16 * row_bytes + ((d * 2 + lane / 16 ^ lane % 8) * 16);
    }
    float sum[2][dim / 8][4] = {};
    float most[2][2] = {{-1e30f, -1e30f}, {-1e30f, -1e30f}}, weight[2][2] = {};
    for (; tile >= 0; --tile) {
        asm volatile("cp.async.wait_group 0;" : : : "memory");
        __syncthreads();
        bring_keys_or_values(value, next_v);
        float s[2][columns / 8][4];
        unsigned q_part[2][2][4], part[2][4];
        auto const load_q = [&](auto d) {
            enum { at = decltype(d)::value, behind = at / 4 * 128 };
            load_rows_behind<behind>(q_part[at % 2][0], q_place[at % 4]);
            load_rows_behind<behind + 16 * row_bytes>(q_part[at % 2][1], q_place[at % 4]);
        };
        enum { across = columns / 16, products = dim / 16 * across };
        auto const load_k = [&](auto i) {
            enum { at = decltype(i)::value, d = at / across, j = at % across };
            load_rows_behind<j * 16 * row_bytes + d / 4 * 128>(part[at % 2], k_place[d % 4]);
        };
        load_q(number<0>());
        load_k(number<0>());
        each_below<products>::call([&](auto i) {
            enum { at = decltype(i)::value, d = at / across, j = at % across };
            if (at + 1 < products) load_k(number<(at + 1) % products>());
            if (j == 0 && d + 1 < dim / 16) load_q(number<(d + 1) % (dim / 16)>());
            unsigned const(&b)[4] = part[at % 2];
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                if (d == 0) {
                    multiply(s[half][2 * j], q_part[d % 2][half], b[0], b[1]);
                    multiply(s[half][2 * j + 1], q_part[d % 2][half], b[2], b[3]);
                } else {
                    multiply_add(s[half][2 * j], q_part[d % 2][half], b[0], b[1]);
                    multiply_add(s[half][2 * j + 1], q_part[d % 2][half], b[2], b[3]);
                }
            }
        });
        if (causal && (tile + 1) * columns > first + warp * 32) {
            int const q_row = first + warp * 32 + lane / 4, column = tile * columns + lane % 4 * 2;
#pragma unroll
            for (int h = 0; h < 2; ++h)
#pragma unroll
                for (int j = 0; j < columns / 8; ++j)
#pragma unroll
                    for (int i = 0; i < 4; ++i)
                        if (column + j * 8 + i % 2 > q_row + h * 16 + i / 2 * 8) s[h][j][i] = -1e30f;
        }
        asm volatile("cp.async.wait_group 0;" : : : "memory");
        __syncthreads();
        if (tile > 0) {
            next_k -= columns * kv_stride;
            next_v -= columns * kv_stride;
            bring_keys_or_values(key, next_k);
        }
        // Of each row, four lanes have a part. Scores are taken to base 2.
#pragma unroll
        for (int h = 0; h < 2; ++h)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                float m = most[h][half];
#pragma unroll
                for (int j = 0; j < columns / 8; ++j)
                    m = fmaxf(m, fmaxf(s[h][j][2 * half], s[h][j][2 * half + 1]));
                m = fmaxf(m, from_lane_across(m, 1));
                m = fmaxf(m, from_lane_across(m, 2));
                float const shrink = exp2f((most[h][half] - m) * scale), least = m * scale;
                most[h][half] = m;
                weight[h][half] *= shrink;
#pragma unroll
                for (int d = 0; d < dim / 8; ++d) {
                    sum[h][d][2 * half] *= shrink;
                    sum[h][d][2 * half + 1] *= shrink;
                }
#pragma unroll
                for (int j = 0; j < columns / 8; ++j)
#pragma unroll
                    for (int i = 2 * half; i < 2 * half + 2; ++i) {
                        s[h][j][i] = exp2f(fmaf(s[h][j][i], scale, -least));
                        weight[h][half] += s[h][j][i];
                    }
            }
        // What the first product leaves in registers is, as halves, what the second one takes.
        unsigned share[2][4];
        enum { along = dim / 16, sums = across * along };
        auto const load_v = [&](auto i) {
            enum { at = decltype(i)::value, j = at / along, d = at % along };
            load_columns_behind<j * 16 * row_bytes + d / 4 * 128>(part[at % 2], v_place[d % 4]);
        };
        load_v(number<0>());
        each_below<sums>::call([&](auto i) {
            enum { at = decltype(i)::value, j = at / along, d = at % along };
            if (at + 1 < sums) load_v(number<(at + 1) % sums>());
            if (d == 0)
#pragma unroll
                for (int h = 0; h < 2; ++h)
#pragma unroll
                    for (int n = 0; n < 4; ++n)
                        share[h][n] =
                            halves_of(s[h][2 * j + n / 2][n % 2 * 2], s[h][2 * j + n / 2][n % 2 * 2 + 1]);
            unsigned const(&b)[4] = part[at % 2];
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                multiply_add(sum[h][2 * d], share[h], b[0], b[1]);
                multiply_add(sum[h][2 * d + 1], share[h], b[2], b[3]);
            }
        });
    }
    // Each warp puts its rows where those of q were.
    unsigned const to = left + (warp * 32 + lane / 4) * row_bytes + lane % 4 * 4, turn = lane / 4 * 16;
#pragma unroll
    for (int h = 0; h < 2; ++h)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float total = weight[h][half];
            total += from_lane_across(total, 1);
            total += from_lane_across(total, 2);
            weight[h][half] = fdividef(1, total);
        }
    each_below<dim / 8>::call([&](auto i) {
        enum { d = decltype(i)::value };
        unsigned const at = to + (d % 8 * 16 ^ turn);
        auto const put = [&](auto n) {
            enum { h = decltype(n)::value / 2, half = decltype(n)::value % 2 };
            store_shared_behind<(h * 16 + half * 8) * row_bytes + d / 8 * 128>(
                at,
                halves_of(sum[h][d][2 * half] * weight[h][half], sum[h][d][2 * half + 1] * weight[h][half]));
        };
        each_below<4>::call(put);
    });
    asm volatile("bar.warp.sync 0xffffffff;" : : : "memory");
    enum { warp_step = 32 / pieces };
#pragma unroll
    for (int i = 0; i < 32 / warp_step; ++i) {
        int const row = warp * 32 + lane / pieces + i * warp_step, piece = lane % pieces;
        store_16_bytes(out + q_at + row * q_stride + piece * 8,
                       load_shared_behind<0>(left + row * row_bytes + ((piece ^ row % 8) * 16)));
    }
}

// A grid of tiles of rows x heads x sequences; scale: that of the scores, times the logarithm of e to base 2.
extern "C" __global__ void flash_attention_64_tall(half_bits const* q, half_bits const* k, half_bits const* v,
                                                   half_bits* out, int tokens, int key_heads, int causal,
                                                   float scale) {
    attend<64, 128>(q, k, v, out, tokens, key_heads, causal, scale);
}
extern "C" __global__ void flash_attention_128_tall(half_bits const* q, half_bits const* k,
                                                    half_bits const* v, half_bits* out, int tokens,
                                                    int key_heads, int causal, float scale) {
    attend<128, 64>(q, k, v, out, tokens, key_heads, causal, scale);
}
