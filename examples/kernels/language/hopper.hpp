#pragma once
/// \file
/// What sm_90 has beside a core's warps, as kernels of language models use it: mbarriers, copies of boxes of tensors
/// (TMA) and products of warpgroups. Device side only; clang 14 does not know sm_90, but passes on what asm says.

#include "language/device.hpp"

// What a host describes a tensor with (frontend/tensor_map.hpp).
struct tensor_map;

WARPKIT_DEVICE void make_barrier(unsigned barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(barrier), "r"(arrivals) : "memory");
}
WARPKIT_DEVICE void show_barriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
    __syncthreads();
}
WARPKIT_DEVICE void arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(barrier) : "memory");
}
WARPKIT_DEVICE void arrive_expecting(unsigned barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(barrier), "r"(bytes)
                 : "memory");
}
WARPKIT_DEVICE void wait_for(unsigned barrier, unsigned parity) {
    unsigned over = 0;
    while (over == 0)
        asm volatile("{ .reg .pred %%p; mbarrier.try_wait.parity.shared::cta.b64 %%p, [%1], %2; "
                     "selp.u32 %0, 1, 0, %%p; }"
                     : "=r"(over)
                     : "r"(barrier), "r"(parity)
                     : "memory");
}

// A ring of stages: which one, and the parity of the phase that it is in.
struct ring_place {
    int stage = 0;
    unsigned parity = 0;
    __device__ void advance(int stages) {
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

WARPKIT_DEVICE void copy_box(unsigned to, tensor_map const* map, int x, int y, unsigned barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];"
        :
        : "r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier)
        : "memory");
}
WARPKIT_DEVICE void copy_box_back(tensor_map const* map, int x, int y, unsigned from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];"
                 :
                 : "l"(map), "r"(x), "r"(y), "r"(from)
                 : "memory");
}

// A descriptor of a matrix in shared memory, of rows of 128 bytes with their swizzle; eight rows are 1,024 bytes.
// `leading`, where columns are contiguous: bytes from 64 of them to the next 64.
WARPKIT_DEVICE unsigned long long matrix_at(unsigned address, unsigned leading = 16) {
    return address >> 4 | static_cast<unsigned long long>(leading >> 4) << 16 | 64ull << 32 | 1ull << 62;
}
WARPKIT_DEVICE void begin_products() { asm volatile("wgmma.fence.sync.aligned;" : : : "memory"); }
WARPKIT_DEVICE void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory"); }
// Until no more than so many groups of products are unfinished.
template <int Groups>
WARPKIT_DEVICE void await_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(Groups) : "memory");
}

// c, 64 rows of a warpgroup x 128, = a b, or c + a b; a 64 x 16 and b 16 x 128 with k contiguous in shared memory.
WARPKIT_DEVICE void multiply_group(float (&c)[64], unsigned long long a, unsigned long long b, bool add) {
    asm volatile(
        "{ .reg .pred %%p; setp.ne.b32 %%p, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, %%p, 1, 1, 0, 0; }"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
          "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]),
          "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]),
          "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]),
          "+f"(c[29]), "+f"(c[30]), "+f"(c[31]), "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]),
          "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]), "+f"(c[41]), "+f"(c[42]),
          "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), "+f"(c[48]), "+f"(c[49]),
          "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]), "+f"(c[56]),
          "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])
        : "l"(a), "l"(b), "r"(static_cast<int>(add))
        : "memory");
}
// The same plus c, with a in registers and the columns of b contiguous.
WARPKIT_DEVICE void multiply_group_add(float (&c)[64], unsigned const (&a)[4], unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "{%64, %65, %66, %67}, %68, 1, 1, 1, 1;"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]),
                   "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]),
                   "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]),
                   "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]),
                   "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]), "+f"(c[32]), "+f"(c[33]), "+f"(c[34]),
                   "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]), "+f"(c[41]),
                   "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), "+f"(c[48]),
                   "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]),
                   "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]),
                   "+f"(c[63])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)
                 : "memory");
}
