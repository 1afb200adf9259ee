// Copies behind a thread's back and barriers of two calls, by the headers for them: plain loads, stores and atomics, or
// from compute capability 8.0 on cp.async and mbarriers.
#include "warps.hpp"

#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>

namespace {

constexpr int threads = 64;
__device__ __align__(16) unsigned source[2048];

__host__ __device__ unsigned number(int i) { return 2654435761u * static_cast<unsigned>(i + 1); }
__device__ void fill_source() {
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) source[i] = number(i);
    __syncthreads();
}

// Sums of the source by way of four buffers, three copies ahead.
__global__ void stages(int* out) {
    constexpr int depth = 4;
    __shared__ __align__(16) uint4 buffer[depth][threads];
    fill_source();
    constexpr int tiles = 2048 / (4 * threads);
    auto const fetch = [&](int tile) {
        if (tile < tiles)
            __pipeline_memcpy_async(&buffer[tile % depth][threadIdx.x],
                                    &source[4 * (tile * threads + static_cast<int>(threadIdx.x))], 16);
        __pipeline_commit();
    };
    for (int tile = 0; tile < depth - 1; ++tile) fetch(tile);
    unsigned sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        fetch(tile + depth - 1);
        __pipeline_wait_prior(depth - 1);
        __syncthreads();
        uint4 const v = buffer[tile % depth][threads - 1 - threadIdx.x];
        sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
        __syncthreads();
    }
    out[threadIdx.x] = static_cast<int>(sum);
}
int stages_expected(int thread) {
    unsigned sum = 0;
    for (int i = 0; i < 2048; ++i)
        if (i / 4 % threads == threads - 1 - thread) sum += static_cast<unsigned>(i % 4 + 1) * number(i);
    return static_cast<int>(sum);
}

// Each size with each number of bytes that are zero, one after the other.
constexpr int ways = 5 + 9 + 17;
__global__ void zeros(int* out) {
    __shared__ __align__(16) unsigned char bytes[16];
    fill_source();
    if (threadIdx.x != 0) return;
    int way = 0;
    for (int size = 4; size <= 16; size *= 2)
        for (int zero = 0; zero <= size; ++zero, ++way) {
            for (int i = 0; i < 16; ++i) bytes[i] = 0xee;
            __pipeline_memcpy_async(bytes, source + 4, size, zero);
            __pipeline_commit();
            __pipeline_wait_prior(0);
            for (int i = 0; i < 16; ++i) out[16 * way + i] = bytes[i];
        }
}
int zeros_expected(int place) {
    int size = 4, zero = place / 16;
    while (zero > size) zero -= size + 1, size *= 2;
    int const i = place % 16;
    if (i >= size) return 0xee;
    return i < size - zero ? static_cast<int>(number(4 + i / 4) >> 8 * (i % 4) & 255) : 0;
}

// One warp copies, the other one waits for the copies' barrier; by token and by parity.
__global__ void handed_over(int* out) {
    __shared__ __align__(16) unsigned tile[32];
    __shared__ __mbarrier_t full, empty;
    fill_source();
    if (threadIdx.x == 0) {
        __mbarrier_init(&full, 32);
        __mbarrier_init(&empty, 32);
    }
    __syncthreads();
    int const lane = threadIdx.x % 32;
    for (int round = 0; round < 3; ++round) {
        if (threadIdx.x < 32) {
            while (round > 0 && !__mbarrier_test_wait_parity(&empty, (round - 1) % 2 != 0)) {}
            __pipeline_memcpy_async(&tile[lane], &source[32 * round + lane], 4);
            __pipeline_arrive_on(&full);
            __mbarrier_arrive(&full);
        } else {
            while (!__mbarrier_try_wait_parity(&full, round % 2 != 0, 50)) {}
            out[32 * round + lane] = static_cast<int>(tile[31 - lane]);
            __mbarrier_token_t const token = __mbarrier_arrive(&empty);
            while (!__mbarrier_try_wait(&empty, token, 50)) {}
        }
    }
}
int handed_over_expected(int i) { return static_cast<int>(number(i / 32 * 32 + 31 - i % 32)); }

// What one thread sees of a barrier for three arrivals, of which one drops out.
constexpr int looks = 18;
__global__ void looked_at(int* out) {
    __shared__ __mbarrier_t barrier;
    if (threadIdx.x != 0) return;
    __mbarrier_init(&barrier, 3);
    __mbarrier_token_t const a = __mbarrier_arrive(&barrier);
    __mbarrier_token_t const b = __mbarrier_arrive_and_drop(&barrier);
    *out++ = static_cast<int>(__mbarrier_token_pending_count(a));
    *out++ = static_cast<int>(__mbarrier_token_pending_count(b));
    *out++ = __mbarrier_test_wait(&barrier, a);
    *out++ = __mbarrier_try_wait(&barrier, b, 10);
    *out++ = __mbarrier_test_wait_parity(&barrier, false);
    *out++ = __mbarrier_try_wait_parity(&barrier, true, 10);
    __mbarrier_token_t const c = __mbarrier_arrive(&barrier);
    *out++ = static_cast<int>(__mbarrier_token_pending_count(c));
    *out++ = __mbarrier_test_wait(&barrier, a);
    *out++ = __mbarrier_try_wait(&barrier, c, 10);
    *out++ = __mbarrier_test_wait_parity(&barrier, false);
    *out++ = __mbarrier_try_wait_parity(&barrier, true, 10);
    // Two are left.
    __mbarrier_token_t const d = __mbarrier_arrive(&barrier);
    *out++ = static_cast<int>(__mbarrier_token_pending_count(d));
    *out++ = __mbarrier_test_wait(&barrier, d);
    __mbarrier_arrive(&barrier);
    *out++ = __mbarrier_test_wait(&barrier, d);
    *out++ = __mbarrier_test_wait_parity(&barrier, true);
    *out++ = __mbarrier_test_wait_parity(&barrier, false);
    __mbarrier_inval(&barrier);
    // The word is ordinary memory again.
    __mbarrier_init(&barrier, __mbarrier_maximum_count());
    *out++ = static_cast<int>(__mbarrier_token_pending_count(__mbarrier_arrive(&barrier)));
    *out++ = static_cast<int>(__mbarrier_maximum_count());
}
int looked_at_expected(int i) {
    static int const seen[looks] = {3, 2, 0, 0, 0, 1, 1, 1, 1, 1, 0, 2, 0, 1, 1, 0, 16383, 16383};
    return seen[i];
}

// The classes: what the threads of a block wrote is there behind the barrier; what one thread sees.
__global__ void classes(int* out) {
    using nvcuda::experimental::awbarrier;
    __shared__ awbarrier barrier;
    __shared__ int before[threads];
    if (threadIdx.x == 0) init(&barrier, threads);
    __syncthreads();
    for (int round = 1; round <= 3; ++round) {
        before[threadIdx.x] = round * static_cast<int>(threadIdx.x);
        barrier.wait(barrier.arrive());
        int const other = before[(threadIdx.x + 33) % threads];
        barrier.arrive_and_wait();
        if (round == 3) out[threadIdx.x] = other;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    inval(&barrier);
    init(&barrier, 2);
    out += threads;
    awbarrier::arrival_token const first = barrier.arrive();
    *out++ = static_cast<int>(first.pending_count());
    *out++ = barrier.timed_wait(first, 40);
    *out++ = barrier.timed_wait_parity(false, 40);
    *out++ = barrier.try_wait(first, 40);
    *out++ = static_cast<int>(barrier.arrive_and_drop().pending_count());
    *out++ = barrier.timed_wait(first, 40);
    *out++ = barrier.try_wait_parity(false, 40);
    *out++ = static_cast<int>(barrier.arrive().pending_count());
    *out++ = static_cast<int>(awbarrier::max());
}
int classes_expected(int i) {
    static int const seen[] = {2, 0, 0, 0, 1, 1, 1, 1, 16383};
    return i < threads ? 3 * ((i + 33) % threads) : seen[i - threads];
}

struct narrow {
    unsigned char c[3];
};
struct triple {
    int x, y, z;
};
struct __align__(16) wide {
    int x[8];
};
__device__ wide wides[2];
__global__ void objects(int* out) {
    using nvcuda::experimental::segment;
    __shared__ narrow n;
    __shared__ triple t;
    __shared__ wide w;
    __shared__ __align__(16) int part[4];
    fill_source();
    if (threadIdx.x != 0) return;
    for (int i = 0; i < 8; ++i) wides[1].x[i] = 100 + i;
    nvcuda::experimental::pipeline pipe;
    memcpy_async(n, *reinterpret_cast<narrow const*>(source), pipe);
    memcpy_async(t, *reinterpret_cast<triple const*>(source + 1), pipe);
    *out++ = static_cast<int>(pipe.commit());
    memcpy_async(w, wides[1], pipe);
    auto const second = pipe.commit();
    *out++ = static_cast<int>(second);
    memcpy_async(segment<4>(part), segment<3>(reinterpret_cast<int const*>(source + 8)), pipe);
    *out++ = static_cast<int>(pipe.commit());
    pipe.wait(second);
    *out++ = n.c[0];
    *out++ = n.c[1];
    *out++ = n.c[2];
    *out++ = t.x;
    *out++ = t.y;
    *out++ = t.z;
    for (int i = 0; i < 8; ++i) *out++ = w.x[i];
    pipe.wait_prior<0>();
    for (int i = 0; i < 4; ++i) *out++ = part[i];
    // Not from global to shared memory: copied at once.
    triple own;
    memcpy_async(own, t, pipe);
    int pair[2];
    memcpy_async(segment<2>(pair), segment<1>(&own.y), pipe);
    pipe.commit_and_wait();
    *out++ = own.z;
    *out++ = pair[0];
    *out++ = pair[1];
}
constexpr int fields = 3 + 3 + 3 + 8 + 4 + 3;
int objects_expected(int i) {
    if (i < 3) return i;
    if (i < 6) return static_cast<int>(number(0) >> 8 * (i - 3) & 255);
    if (i < 9) return static_cast<int>(number(i - 5));
    if (i < 17) return 100 + i - 9;
    if (i < 20) return static_cast<int>(number(8 + i - 17));
    if (i == 20 || i == 23) return 0;
    return static_cast<int>(number(i == 21 ? 3 : 2));
}

} // namespace

int check_copies() {
    int wrong = __mbarrier_maximum_count() == 16383 ? 0 : 1;
    wrong += wrong_values(stages, threads, threads, stages_expected);
    wrong += wrong_values(zeros, threads, 16 * ways, zeros_expected);
    wrong += wrong_values(handed_over, threads, 96, handed_over_expected);
    wrong += wrong_values(looked_at, threads, looks, looked_at_expected);
    wrong += wrong_values(classes, threads, threads + 9, classes_expected);
    wrong += wrong_values(objects, threads, fields, objects_expected);
    return wrong;
}
