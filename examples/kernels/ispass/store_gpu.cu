// MD5 digests (RFC 1321) of many chunks of data, one per thread: a CTA brings the next 64 bytes of each of its chunks
// into shared memory, a workspace per thread with a word to spare, so that the threads' accesses are in different
// banks.
#include "cuda.hpp"

enum { threads = 128, words = 16, workspace = words + 1 };

struct digest {
    unsigned a, b, c, d;
};

WARPKIT_DEVICE unsigned rotated(unsigned x, int by) { return x << by | x >> (32 - by); }

// The 64 steps over 16 words.
template <class Word>
WARPKIT_DEVICE void transform(digest& state, Word word) {
    constexpr unsigned sines[64] = {
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
        0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
        0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
        0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
        0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
    };
    constexpr int turns[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
    unsigned a = state.a, b = state.b, c = state.c, d = state.d;
#pragma unroll
    for (int i = 0; i < 64; ++i) {
        unsigned const mixed = i < 16   ? (b & c) | (~b & d)
                               : i < 32 ? (d & b) | (~d & c)
                               : i < 48 ? b ^ c ^ d
                                        : c ^ (b | ~d);
        int const from = i < 16 ? i : i < 32 ? (5 * i + 1) % 16 : i < 48 ? (3 * i + 5) % 16 : 7 * i % 16;
        unsigned const sum = a + mixed + sines[i] + word(from);
        a = d;
        d = c;
        c = b;
        b += rotated(sum, turns[i / 16 * 4 + i % 4]);
    }
    state.a += a;
    state.b += b;
    state.c += c;
    state.d += d;
}

extern "C" __global__ void store_gpu(unsigned const* data, uint4* digests, int chunks, int blocks) {
    __shared__ unsigned shared[threads * workspace];
    int const t = threadIdx.x, first = blockIdx.x * threads;
    digest state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
#pragma unroll 1
    for (int block = 0; block < blocks; ++block) {
#pragma unroll
        for (int i = 0; i < words; ++i) {
            int const chunk = (i * threads + t) / words, word = t % words;
            if (first + chunk < chunks)
                shared[chunk * workspace + word] = data[((first + chunk) * blocks + block) * words + word];
        }
        __syncthreads();
        transform(state, [&](int i) { return shared[t * workspace + i]; });
        __syncthreads();
    }
    // What RFC 1321 appends to whole blocks: a bit, zeros, and how many bits there were.
    transform(state, [=](int i) { return i == 0 ? 128u : i == 14 ? blocks * 512u : 0u; });
    if (first + t < chunks) digests[first + t] = uint4{state.a, state.b, state.c, state.d};
}
