// make_ptx: sm_80 ptx70 as sm_90a ptx80 maxnreg 168
// flash_attention for heads of 128 elements with what sm_90 has (Shah et al.: FlashAttention-3, 2024): a CTA has 128
// rows of q; one warpgroup has boxes of q, k and v brought, tiles of 128 tokens in rings of three stages, two others
// multiply 64 rows each: q k' from shared memory, then, with the shares in registers, what they leave with v. A tile's
// q k' is begun before the last tile's shares are multiplied with v, so that its softmax lies beside that product; and
// the two warpgroups begin theirs in turns.
#include "language/warpgroup_attention.hpp"

enum { stages = 3 };

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
    unsigned const own_left = left + group * (box / 2);
    attention_rows own;
    auto const soften_tile = [&](float(&s)[64], int tile) {
        if (causal && tile == tiles - 1) leave_out_later(s, own_row, tile * columns + lane % 4 * 2);
        soften(own, s, scale);
    };
    if (group == 1) give_turn(0);

    wait_for(q_full, 0);
    wait_for(k_full, 0);
    await_turn(group);
    {
        float s[64];
        begin_scores(s, own_left, keys);
        if (group == 0 || tiles > 1) give_turn(1 - group);
        await_products<0>();
        if (lane == 0) arrive(k_free);
        soften_tile(s, 0);
        keep_shares(own, s);
    }
    for (int tile = 1; tile < tiles; ++tile) {
        float s[64];
        ring_place const before = at;
        at.advance(stages);
        wait_for(k_full + 8 * at.stage, at.parity);
        wait_for(v_full + 8 * before.stage, before.parity);
        await_turn(group);
        begin_scores(s, own_left, keys + at.stage * tile_bytes);
        begin_sums(own, values + before.stage * tile_bytes);
        if (group == 0 || tile < tiles - 1) give_turn(1 - group);
        await_products<1>();
        if (lane == 0) arrive(k_free + 8 * at.stage);
        soften_tile(s, tile);
        await_products<0>();
        if (lane == 0) arrive(v_free + 8 * before.stage);
        shrink_sums(own);
        keep_shares(own, s);
    }
    wait_for(v_full + 8 * at.stage, at.parity);
    begin_products();
    begin_sums(own, values + at.stage * tile_bytes);
    await_products<0>();
    put_rows(own, own_left, warp, lane); // where this warpgroup's rows of q were
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    asm volatile("bar.sync %0, 128;" : : "r"(group + 3) : "memory");
    if (threadIdx.x % 128 == 0) {
        copy_box_back(out, column, row + group * 64, own_left);
        copy_box_back(out, column + 64, row + group * 64, own_left + box);
        asm volatile("cp.async.bulk.commit_group;" : : : "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory");
    }
}
