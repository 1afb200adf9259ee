#pragma once
/// \file
/// What the kernels of attention by warpgroups share on the device: two warpgroups with 64 rows of queries each, tiles
/// of 128 keys and values in boxes of 64 elements of 128 tokens. Device side only.

#include "language/hopper.hpp"

enum { dim = 128, rows = 128, columns = 128, box = 64 * 128 * 2, tile_bytes = 2 * box, warps = 8 };

// What a warpgroup has of its rows, two of them a lane.
struct attention_rows {
    float sum[64] = {}, most[2] = {-1e30f, -1e30f}, weight[2] = {}, shrink[2];
    unsigned share[columns / 16][4];
};

// q k' of a tile of keys.
WARPKIT_DEVICE void begin_scores(float (&s)[64], unsigned left, unsigned key) {
    begin_products();
#pragma unroll
    for (int d = 0; d < dim / 16; ++d) {
        unsigned const at_d = d / 4 * box + d % 4 * 32;
        multiply_group(s, matrix_at(left + at_d), matrix_at(key + at_d), d != 0);
    }
    commit_products();
}
WARPKIT_DEVICE void begin_sums(attention_rows& r, unsigned value) {
#pragma unroll
    for (int j = 0; j < columns / 16; ++j)
        multiply_group_add(r.sum, r.share[j], matrix_at(value + j * 16 * 128, box));
    commit_products();
}
// Of a causal matrix, where the diagonal lies in the tile.
WARPKIT_DEVICE void leave_out_later(float (&s)[64], int own_row, int own_column) {
#pragma unroll
    for (int i = 0; i < 64; ++i)
        if (own_column + i / 4 * 8 + i % 2 > own_row + i / 2 % 2 * 8) s[i] = -1e30f;
}
// Scores to powers; by how much what there is of sums and weights shrinks. Scores are taken to base 2.
WARPKIT_DEVICE void soften(attention_rows& r, float (&s)[64], float scale) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        float m = r.most[half];
#pragma unroll
        for (int i = 2 * half; i < 64; i += 4) m = fmaxf(m, fmaxf(s[i], s[i + 1]));
        m = fmaxf(m, from_lane_across(m, 1));
        m = fmaxf(m, from_lane_across(m, 2));
        r.shrink[half] = exp2f((r.most[half] - m) * scale);
        float const least = m * scale;
        r.most[half] = m;
        r.weight[half] *= r.shrink[half];
#pragma unroll
        for (int i = 2 * half; i < 64; i += 4) {
            s[i] = exp2f(fmaf(s[i], scale, -least));
            s[i + 1] = exp2f(fmaf(s[i + 1], scale, -least));
            r.weight[half] += s[i] + s[i + 1];
        }
    }
}
WARPKIT_DEVICE void shrink_sums(attention_rows& r) {
#pragma unroll
    for (int i = 0; i < 64; ++i) r.sum[i] *= r.shrink[i / 2 % 2];
}
WARPKIT_DEVICE void keep_shares(attention_rows& r, float const (&s)[64]) {
#pragma unroll
    for (int j = 0; j < columns / 16; ++j)
#pragma unroll
        for (int i = 0; i < 4; ++i) r.share[j][i] = halves_of(s[8 * j + 2 * i], s[8 * j + 2 * i + 1]);
}
// Barriers 1 and 2 are the warpgroups' turns to begin products.
WARPKIT_DEVICE void give_turn(int to) { asm volatile("bar.arrive %0, 256;" : : "r"(to + 1) : "memory"); }
WARPKIT_DEVICE void await_turn(int group) { asm volatile("bar.sync %0, 256;" : : "r"(group + 1) : "memory"); }

// A warpgroup's rows, divided by their weights, to shared memory with the swizzle of the map.
WARPKIT_DEVICE void put_rows(attention_rows const& rows_of, unsigned to, int warp, int lane) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        float total = rows_of.weight[half];
        total += from_lane_across(total, 1);
        total += from_lane_across(total, 2);
        float const share = fdividef(1, total);
        int const r = warp * 16 + half * 8 + lane / 4;
#pragma unroll
        for (int j = 0; j < dim / 8; ++j)
            asm volatile("st.shared.b32 [%0], %1;"
                         :
                         : "r"(to + j / 8 * box + r * 128 + ((j % 8) ^ (r % 8)) * 16 + lane % 4 * 4),
                           "r"(halves_of(rows_of.sum[4 * j + 2 * half] * share,
                                         rows_of.sum[4 * j + 2 * half + 1] * share))
                         : "memory");
    }
}
