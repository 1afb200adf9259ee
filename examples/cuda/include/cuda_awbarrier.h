/* nvcuda::experimental::awbarrier: the barriers of cuda_awbarrier_primitives.h as a class, for shared memory. init()
 * makes one, inval() ends it (CUDA C++ Programming Guide 11.0, "Arrive/Wait Barrier"). */
#ifndef WARPKIT_CUDA_AWBARRIER_H
#define WARPKIT_CUDA_AWBARRIER_H
#define _CUDA_AWBARRIER_H_ /* programs ask for it */

#include "cuda_awbarrier_primitives.h"
#include "letters_away.h"

namespace nvcuda {
namespace experimental {
class pipeline;

class awbarrier {
public:
    class arrival_token {
    public:
        arrival_token() = default;
        /* How many arrivals the phase waited for before this one. */
        __device__ WARPKIT_CUDA_INLINED uint32_t pending_count() const {
            return __mbarrier_token_pending_count(state);
        }

    private:
        friend class awbarrier;
        explicit __device__ WARPKIT_CUDA_INLINED arrival_token(__mbarrier_token_t s) : state(s) {}
        __mbarrier_token_t state;
    };

    awbarrier() = default; /* nothing: shared memory has no constructors */
    awbarrier(awbarrier const&) = delete;
    awbarrier& operator=(awbarrier const&) = delete;

    __device__ WARPKIT_CUDA_INLINED arrival_token arrive() { return arrival_token(__mbarrier_arrive(&word)); }
    __device__ WARPKIT_CUDA_INLINED arrival_token arrive_and_drop() {
        return arrival_token(__mbarrier_arrive_and_drop(&word));
    }
    __device__ WARPKIT_CUDA_INLINED void wait(arrival_token token) {
        while (!__mbarrier_try_wait(&word, token.state, pause)) {}
    }
    __device__ WARPKIT_CUDA_INLINED void arrive_and_wait() { wait(arrive()); }
    /* False where so many cycles have gone by and the phase is not over. */
    __device__ WARPKIT_CUDA_INLINED bool timed_wait(arrival_token token, uint32_t hint_cycles) {
        long long const start = clock64();
        bool done = __mbarrier_test_wait(&word, token.state);
        while (!done && (unsigned long long)(clock64() - start) < hint_cycles)
            done = __mbarrier_test_wait(&word, token.state);
        return done;
    }
    __device__ WARPKIT_CUDA_INLINED bool timed_wait_parity(bool phase, uint32_t hint_cycles) {
        long long const start = clock64();
        bool done = __mbarrier_test_wait_parity(&word, phase);
        while (!done && (unsigned long long)(clock64() - start) < hint_cycles)
            done = __mbarrier_test_wait_parity(&word, phase);
        return done;
    }
    __device__ WARPKIT_CUDA_INLINED bool try_wait(arrival_token token, uint32_t max_sleep_nanosec) {
        return __mbarrier_try_wait(&word, token.state, max_sleep_nanosec);
    }
    __device__ WARPKIT_CUDA_INLINED bool try_wait_parity(bool phase, uint32_t max_sleep_nanosec) {
        return __mbarrier_try_wait_parity(&word, phase, max_sleep_nanosec);
    }
    static __host__ __device__ WARPKIT_CUDA_INLINED constexpr uint32_t max() {
        return warpkit_cuda::most_arrivals;
    }

private:
    static constexpr uint32_t pause = 100; /* ns */
    __mbarrier_t word;

    friend class pipeline;
    friend __device__ void init(awbarrier* barrier, uint32_t expected_count);
    friend __device__ void inval(awbarrier* barrier);
};

__device__ WARPKIT_CUDA_INLINED void init(awbarrier* barrier, uint32_t expected_count) {
    __mbarrier_init(&barrier->word, expected_count);
}
__device__ WARPKIT_CUDA_INLINED void inval(awbarrier* barrier) { __mbarrier_inval(&barrier->word); }
} // namespace experimental
} // namespace nvcuda

#include "letters_back.h"

#endif
