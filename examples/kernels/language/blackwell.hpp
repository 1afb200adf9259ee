#pragma once
/// \file
/// What sm_100 has beside sm_90's units (hopper.hpp): tensor memory, and products into it that one thread orders.
/// Device side only; clang 14 does not know it, but passes on what asm says.

#include "language/hopper.hpp"

// Of a whole warp. The address of the columns goes to shared memory.
WARPKIT_DEVICE void allocate_columns(unsigned place, int columns) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;"
                 :
                 : "r"(place), "r"(columns)
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
}
WARPKIT_DEVICE void free_columns(unsigned memory, int columns) {
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;"
                 :
                 : "r"(memory), "r"(columns)
                 : "memory");
}
WARPKIT_DEVICE void tensor_fence_before() {
    asm volatile("tcgen05.fence::before_thread_sync;" : : : "memory");
}
WARPKIT_DEVICE void tensor_fence_after() { asm volatile("tcgen05.fence::after_thread_sync;" : : : "memory"); }

// What is multiplied: m x n sums of single precision, of halves of which k is contiguous.
WARPKIT_DEVICE constexpr unsigned products_of_halves(unsigned m, unsigned n) {
    return 1u << 4 | n / 8 << 17 | m / 16 << 24;
}
// A descriptor of a matrix in shared memory, of rows of 128 bytes with their swizzle; eight rows are 1,024 bytes.
WARPKIT_DEVICE unsigned long long factor_at(unsigned address) {
    return address >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 46 | 2ull << 61;
}
// sum = a b, or sum + a b: by one thread, m x 16 and 16 x n.
WARPKIT_DEVICE void multiply_halves(unsigned sum, unsigned long long a, unsigned long long b, unsigned shape,
                                    bool add) {
    asm volatile("{ .reg .pred %%p; setp.ne.b32 %%p, %4, 0; "
                 "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, %%p; }"
                 :
                 : "r"(sum), "l"(a), "l"(b), "r"(shape), "r"(static_cast<int>(add))
                 : "memory");
}
// The barrier hears when all that this thread has ordered is done.
WARPKIT_DEVICE void arrive_with_products(unsigned barrier) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];"
                 :
                 : "r"(barrier)
                 : "memory");
}
// 16 lanes of 64 columns. As in a fragment of mma, a thread has columns 8 j + lane % 4 * 2 and the next of row lane /
// 4, then those of row lane / 4 + 8.
WARPKIT_DEVICE void load_sums(float (&x)[32], unsigned from) {
    asm volatile("tcgen05.ld.sync.aligned.16x256b.x8.b32 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];"
                 : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3]), "=f"(x[4]), "=f"(x[5]), "=f"(x[6]),
                   "=f"(x[7]), "=f"(x[8]), "=f"(x[9]), "=f"(x[10]), "=f"(x[11]), "=f"(x[12]), "=f"(x[13]),
                   "=f"(x[14]), "=f"(x[15]), "=f"(x[16]), "=f"(x[17]), "=f"(x[18]), "=f"(x[19]), "=f"(x[20]),
                   "=f"(x[21]), "=f"(x[22]), "=f"(x[23]), "=f"(x[24]), "=f"(x[25]), "=f"(x[26]), "=f"(x[27]),
                   "=f"(x[28]), "=f"(x[29]), "=f"(x[30]), "=f"(x[31])
                 : "r"(from)
                 : "memory");
}
WARPKIT_DEVICE void await_loads() { asm volatile("tcgen05.wait::ld.sync.aligned;" : : : "memory"); }
