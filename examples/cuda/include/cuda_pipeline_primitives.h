/* Copies from global to shared memory behind a thread's back (CUDA C++ Programming Guide, "Pipeline Primitives
 * Interface"). From compute capability 8.0 on they are PTX's cp.async; below, they are done when they are called. */
#ifndef WARPKIT_CUDA_PIPELINE_PRIMITIVES_H
#define WARPKIT_CUDA_PIPELINE_PRIMITIVES_H
#define _CUDA_PIPELINE_PRIMITIVES_H_ /* programs ask for it */

#include "cuda_awbarrier_primitives.h"
#include "letters_away.h"

#if defined(__cplusplus) && __cplusplus >= 201103L
/* A copy of `size_and_align` bytes, 4, 8 or 16, to which both addresses are aligned; its last `zfill` bytes are zero
 * and not read. Other sizes trap. */
WARPKIT_CUDA_DEVICE void __pipeline_memcpy_async(void* __restrict__ dst_shared,
                                                 void const* __restrict__ src_global, size_t size_and_align,
                                                 size_t zfill = 0) {
    bool const possible =
        (size_and_align == 4 || size_and_align == 8 || size_and_align == 16) && zfill <= size_and_align;
    if (!possible) {
        __trap();
        return;
    }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    uint32_t const to = warpkit_cuda::shared_place(dst_shared);
    uint32_t const read = (uint32_t)(size_and_align - zfill);
    if (size_and_align == 4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                     :
                     : "r"(to), "l"(__cvta_generic_to_global(src_global)), "r"(read)
                     : "memory");
    else if (size_and_align == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                     :
                     : "r"(to), "l"(__cvta_generic_to_global(src_global)), "r"(read)
                     : "memory");
    else
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     :
                     : "r"(to), "l"(__cvta_generic_to_global(src_global)), "r"(read)
                     : "memory");
#else
    if (zfill == 0 && size_and_align == 4) {
        *(uint32_t*)dst_shared = *(uint32_t const*)src_global;
    } else if (zfill == 0 && size_and_align == 8) {
        *(uint64_t*)dst_shared = *(uint64_t const*)src_global;
    } else if (zfill == 0) {
        *(uint4*)dst_shared = *(uint4 const*)src_global;
    } else {
        for (size_t i = 0; i < size_and_align; ++i)
            ((char*)dst_shared)[i] = i < size_and_align - zfill ? ((char const*)src_global)[i] : (char)0;
    }
#endif
}
/* The copies since the last call are one batch. */
WARPKIT_CUDA_DEVICE void __pipeline_commit() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}
/* Until all of the thread's batches are there but the `prior` last ones; more than 8 count as 8. */
WARPKIT_CUDA_DEVICE void __pipeline_wait_prior(size_t prior) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define WARPKIT_CUDA_WAIT(n)                                                                                 \
    case n:                                                                                                  \
        asm volatile("cp.async.wait_group " #n ";" : : : "memory");                                          \
        return;
    switch (prior) {
        WARPKIT_CUDA_WAIT(0)
        WARPKIT_CUDA_WAIT(1)
        WARPKIT_CUDA_WAIT(2)
        WARPKIT_CUDA_WAIT(3)
        WARPKIT_CUDA_WAIT(4)
        WARPKIT_CUDA_WAIT(5)
        WARPKIT_CUDA_WAIT(6)
        WARPKIT_CUDA_WAIT(7)
    default:
        asm volatile("cp.async.wait_group 8;" : : : "memory");
    }
#undef WARPKIT_CUDA_WAIT
#else
    (void)prior;
#endif
}
/* The barrier's phase waits for the thread's copies so far: one arrival more is expected, which their end is. */
WARPKIT_CUDA_DEVICE void __pipeline_arrive_on(__mbarrier_t* barrier) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];"
                 :
                 : "r"(warpkit_cuda::shared_place(barrier))
                 : "memory");
#else
    (void)barrier;
#endif
}
#endif

#include "letters_back.h"

#endif
