// c = a b for row-major a (m x k) and b (k x n) of half precision, c (m x n) of single, through the warp matrix functions
// (PTX: wmma): four warps make 64 x 64 of c, each 32 x 32, from tiles in shared memory whose rows are padded by 16 bytes.
#include "cuda.hpp"

enum { tile = 64, depth = 16, pad = 8 };

// The eight registers of a fragment; rows of the tile are `stride` elements apart.
WARPKIT_DEVICE void load_a(unsigned (&r)[8], unsigned from, unsigned stride) {
    asm volatile(
        "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
        : "r"(from), "r"(stride)
        : "memory");
}
WARPKIT_DEVICE void load_b(unsigned (&r)[8], unsigned from, unsigned stride) {
    asm volatile(
        "wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
        : "r"(from), "r"(stride)
        : "memory");
}
WARPKIT_DEVICE void multiply_add(float (&c)[8], unsigned const (&a)[8], unsigned const (&b)[8]) {
    asm("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "
        "{%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, "
        "{%0, %1, %2, %3, %4, %5, %6, %7};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]),
          "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
}
WARPKIT_DEVICE void store(float* to, float const (&c)[8], unsigned stride) {
    asm volatile(
        "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%8], {%0, %1, %2, %3, %4, %5, %6, %7}, %9;"
        :
        : "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]), "f"(c[4]), "f"(c[5]), "f"(c[6]), "f"(c[7]), "l"(to),
          "r"(stride)
        : "memory");
}

extern "C" __global__ void gemm_wmma(half_bits const* a, half_bits const* b, float* c, int n, int k) {
    __shared__ __attribute__((aligned(32))) half_bits a_tile[tile][depth + pad];
    __shared__ __attribute__((aligned(32))) half_bits b_tile[depth][tile + pad];
    int const t = threadIdx.x;
    int const warp_row = t / 64 * 32, warp_column = t / 32 % 2 * 32;
    int const row = blockIdx.y * tile, column = blockIdx.x * tile;
    unsigned const a_from = shared_address(&a_tile[warp_row][0]);
    unsigned const b_from = shared_address(&b_tile[0][warp_column]);
    // Loops over it are unrolled by force: the array lies in local memory otherwise.
    float sum[2][2][8] = {};
    for (int first = 0; first < k; first += depth) {
        *reinterpret_cast<uint4*>(&a_tile[t / 2][t % 2 * 8]) =
            *reinterpret_cast<uint4 const*>(&a[(row + t / 2) * k + first + t % 2 * 8]);
        *reinterpret_cast<uint4*>(&b_tile[t / 8][t % 8 * 8]) =
            *reinterpret_cast<uint4 const*>(&b[(first + t / 8) * n + column + t % 8 * 8]);
        __syncthreads();
        unsigned left[2][8], right[2][8];
#pragma unroll
        for (int i = 0; i < 2; ++i) load_a(left[i], a_from + i * 16 * sizeof a_tile[0], depth + pad);
#pragma unroll
        for (int j = 0; j < 2; ++j) load_b(right[j], b_from + j * 16 * sizeof(half_bits), tile + pad);
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int j = 0; j < 2; ++j) multiply_add(sum[i][j], left[i], right[j]);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
            store(&c[(row + warp_row + i * 16) * n + column + warp_column + j * 16], sum[i][j], n);
}
