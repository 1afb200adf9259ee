// make_ptx: sm_80 ptx70
// Turns pairs of elements of the queries and keys of a token, where they lie, by angles that a table has for each
// position (Su et al.: RoFormer, 2021). A pair is an element of the first half of a head and the one as far into its
// second half, as Llama has it. Half precision, a CTA a token, eight pairs a thread at a time.
#include "language/device.hpp"

extern "C" __global__ void rotary_embedding(half_bits* queries, half_bits* keys, int const* positions,
                                            float const* cosines, float const* sines, int heads,
                                            int key_heads, int half_dim) {
    int const token = blockIdx.x;
    int const per_head = half_dim / 8;
    float const* const cosine = cosines + positions[token] * half_dim;
    float const* const sine = sines + positions[token] * half_dim;
    for (int i = threadIdx.x; i < (heads + key_heads) * per_head; i += blockDim.x) {
        int const head = i / per_head, c = i % per_head * 8;
        half_bits* const first =
            (head < heads ? queries + (static_cast<unsigned long long>(token) * heads + head) * 2 * half_dim
                          : keys + (static_cast<unsigned long long>(token) * key_heads + (head - heads)) * 2 *
                                       half_dim) +
            c;
        eight const x = load_eight(first), y = load_eight(first + half_dim);
        eight a, b;
        for (int j = 0; j < 8; j += 4) {
            float4 const cs = load_four(cosine + c + j), sn = load_four(sine + c + j);
            for (int k = 0; k < 4; ++k) {
                a.x[j + k] = fmaf(x.x[j + k], cs[k], -(y.x[j + k] * sn[k]));
                b.x[j + k] = fmaf(y.x[j + k], cs[k], x.x[j + k] * sn[k]);
            }
        }
        store_eight(first, a);
        store_eight(first + half_dim, b);
    }
}
