/* nvcuda::experimental::pipeline: the copies of cuda_pipeline_primitives.h with their batches counted (CUDA C++
 * Programming Guide 11.0, "Asynchronous Copy"). */
#ifndef WARPKIT_CUDA_PIPELINE_H
#define WARPKIT_CUDA_PIPELINE_H
#define _CUDA_PIPELINE_H_ /* programs ask for it */

#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"
#include "letters_away.h"

namespace nvcuda {
namespace experimental {
/* One thread's. */
class pipeline {
public:
    __device__ WARPKIT_CUDA_INLINED pipeline() : batches(0) {}
    pipeline(pipeline const&) = delete;
    pipeline& operator=(pipeline const&) = delete;

    /* The number of the batch that the copies since the last commit are. */
    __device__ WARPKIT_CUDA_INLINED size_t commit() {
        __pipeline_commit();
        return batches++;
    }
    __device__ WARPKIT_CUDA_INLINED void commit_and_wait() {
        commit();
        __pipeline_wait_prior(0);
    }
    /* Until this batch, and those before it, are there. */
    __device__ WARPKIT_CUDA_INLINED void wait(size_t batch) {
        __pipeline_wait_prior(batches > batch ? batches - batch - 1 : 0);
    }
    template <unsigned N>
    __device__ WARPKIT_CUDA_INLINED void wait_prior() {
        __pipeline_wait_prior(N);
    }
    __device__ WARPKIT_CUDA_INLINED void arrive_on(awbarrier& barrier) {
        __pipeline_arrive_on(&barrier.word);
    }
    /* A barrier of libcu++ whose scope is the block, which is such a word, too. */
    template <class Barrier>
    __device__ WARPKIT_CUDA_INLINED void arrive_on(Barrier& barrier) {
        static_assert(sizeof(Barrier) == sizeof(__mbarrier_t),
                      "expected a barrier of 8 bytes, in shared memory");
        __pipeline_arrive_on((__mbarrier_t*)&barrier);
    }

private:
    size_t batches;
};

/* Elements as an array of N. */
template <size_t N, typename T>
__device__ WARPKIT_CUDA_INLINED T (*segment(T* ptr))[N] {
    return (T(*)[N])ptr;
}

/* A copy in pieces as wide as the type's alignment allows; what is narrower, or not from global to shared memory, is
 * copied at once. */
template <class T>
__device__ WARPKIT_CUDA_INLINED void memcpy_async(T& dst, T const& src, pipeline&) {
    constexpr size_t width = alignof(T) >= 16 ? 16 : alignof(T);
    void* const to = (void*)&dst;
    void const* const from = (void const*)&src;
    if (width < 4 || !__is_trivially_copyable(T) || !__isShared(to) || !__isGlobal(from)) {
        dst = src;
        return;
    }
    for (size_t i = 0; i < sizeof(T); i += width)
        __pipeline_memcpy_async((char*)to + i, (char const*)from + i, width);
}
/* Arrays of 4, 8 or 16 bytes; what the source is shorter is zero. Other memory is copied at once. */
template <class T, size_t DstN, size_t SrcN>
__device__ WARPKIT_CUDA_INLINED void memcpy_async(T (*dst)[DstN], T const (*src)[SrcN], pipeline&) {
    static_assert(sizeof(*dst) == 4 || sizeof(*dst) == 8 || sizeof(*dst) == 16,
                  "expected a destination of 4, 8 or 16 bytes");
    static_assert(sizeof(*src) <= sizeof(*dst), "expected a source that is no longer than the destination");
    if (__is_trivially_copyable(T) && __isShared((void const*)*dst) && __isGlobal((void const*)*src)) {
        __pipeline_memcpy_async((void*)*dst, (void const*)*src, sizeof(*dst), sizeof(*dst) - sizeof(*src));
    } else {
        for (size_t i = 0; i < DstN; ++i) (*dst)[i] = i < SrcN ? (*src)[i] : T();
    }
}
} // namespace experimental
} // namespace nvcuda

#include "letters_back.h"

#endif
