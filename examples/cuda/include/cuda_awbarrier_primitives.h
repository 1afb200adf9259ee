/* Barriers at which arriving and waiting are two calls (CUDA C++ Programming Guide, "Arrive/Wait Barrier Primitives").
 * From compute capability 8.0 on they are PTX's mbarriers; below, a word of shared memory and atomics at it. */
#ifndef WARPKIT_CUDA_AWBARRIER_PRIMITIVES_H
#define WARPKIT_CUDA_AWBARRIER_PRIMITIVES_H
#define _CUDA_AWBARRIER_PRIMITIVES_H_ /* programs ask for it */

#include "cuda_runtime.h"
#include "letters_away.h"

#include <stdint.h>

typedef uint64_t __mbarrier_t;
/* The state of a barrier before an arrival. */
typedef uint64_t __mbarrier_token_t;

#if defined(__cplusplus) && __cplusplus >= 201103L
namespace warpkit_cuda {
/* Of PTX's 2^20 - 1 arrivals CUDA promises these. */
constexpr uint32_t most_arrivals = (1u << 14) - 1;

WARPKIT_CUDA_DEVICE uint32_t shared_place(void const* p) { return (uint32_t)__cvta_generic_to_shared(p); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800
/* Bits 0 to 19: arrivals that the phase still waits for; 20 to 39: arrivals of each phase; 63: the phase's parity. */
struct barrier_word {
    static constexpr uint64_t parity = 1ull << 63;
    static constexpr uint64_t field = (1u << 20) - 1;

    static __device__ WARPKIT_CUDA_INLINED uint64_t read(uint64_t const* barrier) {
        return *(uint64_t const volatile*)barrier;
    }
    static __device__ WARPKIT_CUDA_INLINED uint64_t arrive(uint64_t* barrier, bool drop) {
        __threadfence_block();
        uint64_t before = read(barrier);
        for (;;) {
            uint64_t const expected = (before >> 20 & field) - (drop ? 1 : 0);
            uint64_t const pending = (before & field) - 1;
            uint64_t const phase = before & parity;
            uint64_t const after = pending != 0 ? phase | expected << 20 | pending
                                                : (phase ^ parity) | expected << 20 | expected;
            uint64_t const found = atomicCAS((unsigned long long*)barrier, (unsigned long long)before,
                                             (unsigned long long)after);
            if (found == before) return before;
            before = found;
        }
    }
    static __device__ WARPKIT_CUDA_INLINED bool over(uint64_t const* barrier, bool of) {
        bool const done = ((read(barrier) & parity) != 0) != of;
        if (done) __threadfence_block();
        return done;
    }
};
#endif
} // namespace warpkit_cuda

static __host__ __device__ WARPKIT_CUDA_INLINED uint32_t __mbarrier_maximum_count() {
    return warpkit_cuda::most_arrivals;
}
/* By one thread, before all others' calls; each phase waits for `expected_count` arrivals. */
WARPKIT_CUDA_DEVICE void __mbarrier_init(__mbarrier_t* barrier, uint32_t expected_count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.init.shared.b64 [%0], %1;"
                 :
                 : "r"(warpkit_cuda::shared_place(barrier)), "r"(expected_count)
                 : "memory");
#else
    *(uint64_t volatile*)barrier = (uint64_t)expected_count << 20 | expected_count;
    __threadfence_block();
#endif
}
/* The word is ordinary memory again. */
WARPKIT_CUDA_DEVICE void __mbarrier_inval(__mbarrier_t* barrier) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.inval.shared.b64 [%0];" : : "r"(warpkit_cuda::shared_place(barrier)) : "memory");
#else
    *(uint64_t volatile*)barrier = 0;
#endif
}
WARPKIT_CUDA_DEVICE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    __mbarrier_token_t token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                 : "=l"(token)
                 : "r"(warpkit_cuda::shared_place(barrier))
                 : "memory");
    return token;
#else
    return warpkit_cuda::barrier_word::arrive(barrier, false);
#endif
}
/* An arrival; later phases expect one less. */
WARPKIT_CUDA_DEVICE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    __mbarrier_token_t token;
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
                 : "=l"(token)
                 : "r"(warpkit_cuda::shared_place(barrier))
                 : "memory");
    return token;
#else
    return warpkit_cuda::barrier_word::arrive(barrier, true);
#endif
}
/* Whether the phase is over in which the token was taken: the current one, or the one before. */
WARPKIT_CUDA_DEVICE bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    uint32_t done;
    asm volatile(
        "{\n\t.reg .pred p;\n\tmbarrier.test_wait.shared.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(done)
        : "r"(warpkit_cuda::shared_place(barrier)), "l"(token)
        : "memory");
    return done != 0;
#else
    return warpkit_cuda::barrier_word::over(barrier, (token & warpkit_cuda::barrier_word::parity) != 0);
#endif
}
/* Whether the last phase of this parity is over; the first phase has parity 0. By parity, and with a time, CUDA's
 * barriers can be waited for from 9.0 on; here below, too. */
WARPKIT_CUDA_DEVICE bool __mbarrier_test_wait_parity(__mbarrier_t* barrier, bool phase_parity) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    uint32_t done;
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\tselp.u32 %0, 1, "
                 "0, p;\n\t}"
                 : "=r"(done)
                 : "r"(warpkit_cuda::shared_place(barrier)), "r"((uint32_t)phase_parity)
                 : "memory");
    return done != 0;
#else
    return warpkit_cuda::barrier_word::over(barrier, phase_parity);
#endif
}
/* As __mbarrier_test_wait, after a wait of up to so many nanoseconds, which below 9.0 is one sleep. */
WARPKIT_CUDA_DEVICE bool __mbarrier_try_wait(__mbarrier_t* barrier, __mbarrier_token_t token,
                                             uint32_t max_sleep_nanosec) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    uint32_t done;
    asm volatile(
        "{\n\t.reg .pred p;\n\tmbarrier.try_wait.shared.b64 p, [%1], %2, %3;\n\tselp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(done)
        : "r"(warpkit_cuda::shared_place(barrier)), "l"(token), "r"(max_sleep_nanosec)
        : "memory");
    return done != 0;
#else
    if (__mbarrier_test_wait(barrier, token)) return true;
    __nanosleep(max_sleep_nanosec);
    return __mbarrier_test_wait(barrier, token);
#endif
}
WARPKIT_CUDA_DEVICE bool __mbarrier_try_wait_parity(__mbarrier_t* barrier, bool phase_parity,
                                                    uint32_t max_sleep_nanosec) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    uint32_t done;
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared.b64 p, [%1], %2, %3;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(warpkit_cuda::shared_place(barrier)), "r"((uint32_t)phase_parity),
                   "r"(max_sleep_nanosec)
                 : "memory");
    return done != 0;
#else
    if (__mbarrier_test_wait_parity(barrier, phase_parity)) return true;
    __nanosleep(max_sleep_nanosec);
    return __mbarrier_test_wait_parity(barrier, phase_parity);
#endif
}
/* How many arrivals the phase waited for when the token was taken. */
WARPKIT_CUDA_DEVICE uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    uint32_t count;
    asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
    return count;
#else
    return (uint32_t)(token & warpkit_cuda::barrier_word::field);
#endif
}
#endif

#include "letters_back.h"

#endif
