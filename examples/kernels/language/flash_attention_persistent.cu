// make_ptx: sm_80 ptx70 as sm_90a ptx80 maxnreg 168
// flash_attention_wgmma by as many CTAs as the machine has cores (persistent, as in FlashAttention-3): each makes one
// tile of rows after the other, so that the next tile's queries, keys and values come beside the last one's products.
// Rings are of two stages; out has a place of its own in shared memory, from which it is copied meanwhile.
#include "language/warpgroup_attention.hpp"

enum { stages = 2 };

// Tensor maps as in flash_attention_wgmma.
extern "C" __global__ void flash_attention_persistent(tensor_map const* q, tensor_map const* k,
                                                      tensor_map const* v, tensor_map const* out, int tokens,
                                                      int sequences, int heads, int key_heads, int causal,
                                                      float scale) {
    extern __shared__ __attribute__((aligned(1024))) unsigned char shared[];
    unsigned const left = shared_address(shared), keys = left + tile_bytes,
                   values = keys + stages * tile_bytes, made = values + stages * tile_bytes;
    unsigned const q_full = made + tile_bytes, q_free = q_full + 8, k_full = q_free + 8,
                   v_full = k_full + 8 * stages;
    unsigned const k_free = v_full + 8 * stages, v_free = k_free + 8 * stages;
    int const row_tiles = tokens / rows, wholes = heads * sequences, all = row_tiles * wholes;
    // Those that share keys and values go together. Of a causal matrix they are of unequal length: from round to round a
    // CTA has another one.
    struct piece {
        int sequence, head, first, tiles;
    };
    auto const piece_at = [&](int number) {
        int const whole = number / row_tiles, round = whole * row_tiles / gridDim.x;
        int const tile = row_tiles - 1 - (number % row_tiles + round) % row_tiles;
        int const first = tile * rows;
        return piece{whole / heads, whole % heads, first, (causal ? first + rows : tokens) / columns};
    };
    if (threadIdx.x == 0) {
        make_barrier(q_full, 1);
        make_barrier(q_free, warps);
        for (int i = 0; i < stages; ++i) {
            make_barrier(k_full + 8 * i, 1);
            make_barrier(v_full + 8 * i, 1);
            make_barrier(k_free + 8 * i, warps);
            make_barrier(v_free + 8 * i, warps);
        }
    }
    show_barriers();
    ring_place at, at_q;
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x != 0) return;
        auto const bring = [&](unsigned to, tensor_map const* map, int x, int y, unsigned barrier) {
            arrive_expecting(barrier, tile_bytes);
            copy_box(to, map, x, y, barrier);
            copy_box(to + box, map, x + 64, y, barrier);
        };
        for (int number = blockIdx.x; number < all; number += gridDim.x, at_q.advance(1)) {
            piece const p = piece_at(number);
            int const key_row = p.sequence * tokens, key_column = p.head / (heads / key_heads) * dim;
            wait_for(q_free, at_q.parity ^ 1);
            bring(left, q, p.head * dim, key_row + p.first, q_full);
            for (int tile = 0; tile < p.tiles; ++tile, at.advance(stages)) {
                int const stage = at.stage;
                wait_for(k_free + 8 * stage, at.parity ^ 1);
                bring(keys + stage * tile_bytes, k, key_column, key_row + tile * columns, k_full + 8 * stage);
                wait_for(v_free + 8 * stage, at.parity ^ 1);
                bring(values + stage * tile_bytes, v, key_column, key_row + tile * columns,
                      v_full + 8 * stage);
            }
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    int const group = threadIdx.x / 128 - 1, lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
    unsigned const own_left = left + group * (box / 2), own_made = made + group * (box / 2);
    if (group == 1) give_turn(0);
    for (int number = blockIdx.x; number < all; number += gridDim.x, at_q.advance(1)) {
        piece const p = piece_at(number);
        int const own_row = p.first + group * 64 + warp * 16 + lane / 4;
        bool const is_last = number + gridDim.x >= all;
        attention_rows own;
        auto const soften_tile = [&](float(&s)[64], int tile) {
            if (causal && tile == p.tiles - 1) leave_out_later(s, own_row, tile * columns + lane % 4 * 2);
            soften(own, s, scale);
        };
        wait_for(q_full, at_q.parity);
        wait_for(k_full + 8 * at.stage, at.parity);
        await_turn(group);
        {
            float s[64];
            begin_scores(s, own_left, keys + at.stage * tile_bytes);
            if (group == 0 || p.tiles > 1 || !is_last) give_turn(1 - group);
            await_products<0>();
            if (lane == 0) arrive(k_free + 8 * at.stage);
            soften_tile(s, 0);
            keep_shares(own, s);
        }
        for (int tile = 1; tile < p.tiles; ++tile) {
            float s[64];
            ring_place const before = at;
            at.advance(stages);
            wait_for(k_full + 8 * at.stage, at.parity);
            wait_for(v_full + 8 * before.stage, before.parity);
            await_turn(group);
            begin_scores(s, own_left, keys + at.stage * tile_bytes);
            begin_sums(own, values + before.stage * tile_bytes);
            if (group == 0 || tile < p.tiles - 1 || !is_last) give_turn(1 - group);
            await_products<1>();
            if (lane == 0) arrive(k_free + 8 * at.stage);
            soften_tile(s, tile);
            await_products<0>();
            if (lane == 0) arrive(v_free + 8 * before.stage);
            shrink_sums(own);
            keep_shares(own, s);
        }
        if (lane == 0) arrive(q_free);
        wait_for(v_full + 8 * at.stage, at.parity);
        begin_products();
        begin_sums(own, values + at.stage * tile_bytes);
        await_products<0>();
        if (lane == 0) arrive(v_free + 8 * at.stage);
        at.advance(stages);
        // What the last tile's copy still reads must not be overwritten.
        if (threadIdx.x % 128 == 0) asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory");
        asm volatile("bar.sync %0, 128;" : : "r"(group + 3) : "memory");
        put_rows(own, own_made, warp, lane);
        asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
        asm volatile("bar.sync %0, 128;" : : "r"(group + 3) : "memory");
        if (threadIdx.x % 128 == 0) {
            int const row = p.sequence * tokens + p.first + group * 64;
            copy_box_back(out, p.head * dim, row, own_made);
            copy_box_back(out, p.head * dim + 64, row, own_made + box);
            asm volatile("cp.async.bulk.commit_group;" : : : "memory");
        }
    }
    if (threadIdx.x % 128 == 0) asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory");
}
