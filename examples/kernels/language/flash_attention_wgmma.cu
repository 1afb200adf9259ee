// make_ptx: sm_80 ptx70 as sm_90a ptx80 maxnreg 168
// flash_attention for heads of 128 elements with what sm_90 has (Shah et al.: FlashAttention-3, 2024): a CTA has 128
// rows of q; one warpgroup has boxes of q, k and v brought, tiles of 128 tokens in rings of three stages, two others
// multiply 64 rows each: q k' from shared memory, then, with the shares in registers, what they leave with v. A tile's
// q k' is begun before the last tile's shares are multiplied with v, so that its softmax lies beside that product; and
// the two warpgroups begin theirs in turns.
#include "language/hopper.hpp"

enum {
    dim = 128,
    rows = 128,
    columns = 128,
    stages = 3,
    box = 64 * 128 * 2,
    tile_bytes = 2 * box,
    warps = 8
};

// Tensor maps have a row a token; boxes are 64 elements of 128 tokens, those of out of 64. scale: that of the scores,
// times the logarithm of e to base 2.
extern "C" __global__ void flash_attention_wgmma(tensor_map const* q, tensor_map const* k,
                                                 tensor_map const* v, tensor_map const* out, int tokens,
                                                 int key_heads, int causal, float scale) {
    extern __shared__ __attribute__((aligned(1024))) unsigned char shared[];
    unsigned const left = shared_address(shared), keys = left + tile_bytes,
                   values = keys + stages * tile_bytes;
    unsigned const q_full = values + stages * tile_bytes, k_full = q_full + 8, v_full = k_full + 8 * stages;
    unsigned const k_free = v_full + 8 * stages, v_free = k_free + 8 * stages;
    int const first = (gridDim.x - 1 - blockIdx.x) * rows; // those with most to do go first
    int const row = blockIdx.z * tokens + first, column = blockIdx.y * dim;
    int const tiles = (causal ? first + rows : tokens) / columns;
    if (threadIdx.x == 0) {
        make_barrier(q_full, 1);
        for (int i = 0; i < stages; ++i) {
            make_barrier(k_full + 8 * i, 1);
            make_barrier(v_full + 8 * i, 1);
            make_barrier(k_free + 8 * i, warps);
            make_barrier(v_free + 8 * i, warps);
        }
    }
    show_barriers();
    ring_place at;
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x != 0) return;
        int const key_row = blockIdx.z * tokens, key_column = blockIdx.y / (gridDim.y / key_heads) * dim;
        auto const bring = [&](unsigned to, tensor_map const* map, int x, int y, unsigned barrier) {
            arrive_expecting(barrier, tile_bytes);
            copy_box(to, map, x, y, barrier);
            copy_box(to + box, map, x + 64, y, barrier);
        };
        bring(left, q, column, row, q_full);
        for (int tile = 0; tile < tiles; ++tile, at.advance(stages)) {
            int const stage = at.stage;
            wait_for(k_free + 8 * stage, at.parity ^ 1);
            bring(keys + stage * tile_bytes, k, key_column, key_row + tile * columns, k_full + 8 * stage);
            wait_for(v_free + 8 * stage, at.parity ^ 1);
            bring(values + stage * tile_bytes, v, key_column, key_row + tile * columns, v_full + 8 * stage);
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    int const group = threadIdx.x / 128 - 1, lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
    int const own_row = first + group * 64 + warp * 16 + lane / 4;
    float sum[64] = {}, most[2] = {-1e30f, -1e30f}, weight[2] = {}, shrink[2];
    unsigned share[columns / 16][4];
    // q k' of the tile whose keys are at this place.
    auto const begin_scores = [&](float(&s)[64], int stage) {
        unsigned const key = keys + stage * tile_bytes;
        begin_products();
#pragma unroll
        for (int d = 0; d < dim / 16; ++d) {
            unsigned const at_d = d / 4 * box + d % 4 * 32;
            multiply_group(s, matrix_at(left + at_d + group * (box / 2)), matrix_at(key + at_d), d != 0);
        }
        commit_products();
    };
    auto const begin_sums = [&](int stage) {
        unsigned const value = values + stage * tile_bytes;
#pragma unroll
        for (int j = 0; j < columns / 16; ++j)
            multiply_group_add(sum, share[j], matrix_at(value + j * 16 * 128, box));
        commit_products();
    };
    // Scores to powers; by how much what there is of sums and weights shrinks.
    auto const soften = [&](float(&s)[64], int tile) {
        if (causal && tile == tiles - 1) {
            int const own_column = tile * columns + lane % 4 * 2;
#pragma unroll
            for (int i = 0; i < 64; ++i)
                if (own_column + i / 4 * 8 + i % 2 > own_row + i / 2 % 2 * 8) s[i] = -1e30f;
        }
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float m = most[half];
#pragma unroll
            for (int i = 2 * half; i < 64; i += 4) m = fmaxf(m, fmaxf(s[i], s[i + 1]));
            m = fmaxf(m, from_lane_across(m, 1));
            m = fmaxf(m, from_lane_across(m, 2));
            shrink[half] = exp2f((most[half] - m) * scale);
            float const least = m * scale;
            most[half] = m;
            weight[half] *= shrink[half];
#pragma unroll
            for (int i = 2 * half; i < 64; i += 4) {
                s[i] = exp2f(fmaf(s[i], scale, -least));
                s[i + 1] = exp2f(fmaf(s[i + 1], scale, -least));
                weight[half] += s[i] + s[i + 1];
            }
        }
    };
    auto const keep_shares = [&](float const(&s)[64]) {
#pragma unroll
        for (int j = 0; j < columns / 16; ++j)
#pragma unroll
            for (int i = 0; i < 4; ++i) share[j][i] = halves_of(s[8 * j + 2 * i], s[8 * j + 2 * i + 1]);
    };
    // Barriers 1 and 2 are the warpgroups' turns to begin products; the first has the first.
    auto const give_turn = [&](int to) { asm volatile("bar.arrive %0, 256;" : : "r"(to + 1) : "memory"); };
    auto const await_turn = [&] { asm volatile("bar.sync %0, 256;" : : "r"(group + 1) : "memory"); };
    if (group == 1) give_turn(0);

    wait_for(q_full, 0);
    wait_for(k_full, 0);
    await_turn();
    {
        float s[64];
        begin_scores(s, 0);
        if (group == 0 || tiles > 1) give_turn(1 - group);
        await_products<0>();
        if (lane == 0) arrive(k_free);
        soften(s, 0);
        keep_shares(s);
    }
    for (int tile = 1; tile < tiles; ++tile) {
        float s[64];
        ring_place const before = at;
        at.advance(stages);
        wait_for(k_full + 8 * at.stage, at.parity);
        wait_for(v_full + 8 * before.stage, before.parity);
        await_turn();
        begin_scores(s, at.stage);
        begin_sums(before.stage);
        if (group == 0 || tile < tiles - 1) give_turn(1 - group);
        await_products<1>();
        if (lane == 0) arrive(k_free + 8 * at.stage);
        soften(s, tile);
        await_products<0>();
        if (lane == 0) arrive(v_free + 8 * before.stage);
#pragma unroll
        for (int i = 0; i < 64; ++i) sum[i] *= shrink[i / 2 % 2];
        keep_shares(s);
    }
    wait_for(v_full + 8 * at.stage, at.parity);
    begin_products();
    begin_sums(at.stage);
    await_products<0>();
    // Where this warpgroup's rows of q were, with the swizzle of the map.
    unsigned const to = left + group * (box / 2);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        float total = weight[half];
        total += from_lane_across(total, 1);
        total += from_lane_across(total, 2);
        float const share = fdividef(1, total);
        int const r = warp * 16 + half * 8 + lane / 4;
#pragma unroll
        for (int j = 0; j < dim / 8; ++j)
            asm volatile("st.shared.b32 [%0], %1;"
                         :
                         : "r"(to + j / 8 * box + r * 128 + ((j % 8) ^ (r % 8)) * 16 + lane % 4 * 4),
                           "r"(halves_of(sum[4 * j + 2 * half] * share, sum[4 * j + 2 * half + 1] * share))
                         : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    asm volatile("bar.sync %0, 128;" : : "r"(group + 3) : "memory");
    if (threadIdx.x % 128 == 0) {
        copy_box_back(out, column, row + group * 64, to);
        copy_box_back(out, column + 64, row + group * 64, to + box);
        asm volatile("cp.async.bulk.commit_group;" : : : "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory");
    }
}
