// AES encryption, a column of the state per thread (Manavski: CUDA compatible GPU as an efficient hardware accelerator
// for AES cryptography, 2007): tables in constant memory, the expanded key in a texture, the state in shared memory.
#include "cuda.hpp"

enum { threads = 256 };

// Of each byte, its substitute's products in a column of the mixing matrix; of the four columns one behind the other.
__constant__ unsigned tables[4 * 256];

WARPKIT_DEVICE unsigned substitute(unsigned byte) { return tables[byte] >> 8 & 255; }

extern "C" __global__ void aes(unsigned const* in, unsigned* out, unsigned long long key, int columns,
                               int rounds) {
    __shared__ unsigned state[2][threads];
    int const t = threadIdx.x, i = blockIdx.x * threads + t, column = t & 3;
    // Where rows 1, 2 and 3 come from.
    int const one = (t & ~3) | ((t + 1) & 3), two = (t & ~3) | ((t + 2) & 3),
              three = (t & ~3) | ((t + 3) & 3);
    state[0][t] = i < columns ? in[i] ^ tex1d_unsigned(key, column).x : 0;
    __syncthreads();
#pragma unroll 1
    for (int round = 1; round < rounds; ++round) {
        unsigned const* const s = state[(round - 1) & 1];
        state[round & 1][t] = tables[s[t] & 255] ^ tables[256 + (s[one] >> 8 & 255)] ^
                              tables[512 + (s[two] >> 16 & 255)] ^ tables[768 + (s[three] >> 24)] ^
                              tex1d_unsigned(key, round * 4 + column).x;
        __syncthreads();
    }
    unsigned const* const s = state[(rounds - 1) & 1];
    if (i < columns)
        out[i] = (substitute(s[t] & 255) | substitute(s[one] >> 8 & 255) << 8 |
                  substitute(s[two] >> 16 & 255) << 16 | substitute(s[three] >> 24) << 24) ^
                 tex1d_unsigned(key, rounds * 4 + column).x;
}
