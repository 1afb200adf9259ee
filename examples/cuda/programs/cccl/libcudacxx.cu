// libcu++: atomics, barriers, and parts of the standard library on the device.
#include "algorithms.hpp"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/utility>

using namespace algorithms;

__global__ void add_up(int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> sum(out[0]);
    sum.fetch_add(static_cast<int>(threadIdx.x));
    cuda::atomic_ref<int, cuda::thread_scope_block>(out[1]).fetch_max(static_cast<int>(threadIdx.x));
    using counter = cuda::atomic<int, cuda::thread_scope_block>;
    alignas(counter) __shared__ unsigned char room[sizeof(counter)];
    auto& turns = *reinterpret_cast<counter*>(room);
    if (threadIdx.x == 0) new (room) counter(0);
    __syncthreads();
    int seen = turns.load();
    while (!turns.compare_exchange_weak(seen, seen + 2)) {}
    __syncthreads();
    if (threadIdx.x == 0) out[2] = turns.load();
}
__global__ void meet(int* out) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier all;
    __shared__ int values[128];
    if (threadIdx.x == 0) init(&all, blockDim.x);
    __syncthreads();
    values[threadIdx.x] = static_cast<int>(threadIdx.x);
    all.arrive_and_wait();
    int const other = values[127 - threadIdx.x];
    auto token = all.arrive();
    all.wait(cuda::std::move(token));
    out[threadIdx.x] = other;
}
__global__ void parts(int* out) {
    cuda::std::array<int, 3> a{3, 1, 2};
    cuda::std::tuple<int, int> t{5, 6};
    cuda::std::optional<int> o;
    out[0] = a[0] + a[1] * 10 + a[2] * 100;
    out[1] = cuda::std::get<0>(t) * 10 + cuda::std::get<1>(t);
    out[2] = o.value_or(7);
    cuda::std::complex<float> c(1, 2);
    c *= c;
    out[3] = static_cast<int>(c.real()) * 10 + static_cast<int>(c.imag());
    out[4] = cuda::std::numeric_limits<short>::max();
}
__global__ void copy_by_pipeline(int const* in, int* out) {
    __shared__ int stage[2][64];
    auto pipe = cuda::make_pipeline();
    for (int i = 0; i < 4; ++i) {
        pipe.producer_acquire();
        cuda::memcpy_async(&stage[i % 2][threadIdx.x], &in[i * 64 + threadIdx.x], sizeof(int), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        out[i * 64 + threadIdx.x] = stage[i % 2][threadIdx.x] + 1;
        pipe.consumer_release();
    }
}

int main() {
    array<int> out(256);
    add_up<<<1, 100>>>(out.get());
    expect("cuda::atomic_ref and cuda::atomic", out.host(3), std::vector<int>{4950, 99, 200});
    meet<<<1, 128>>>(out.get());
    std::vector<int> want(128);
    for (int i = 0; i < 128; ++i) want[i] = 127 - i;
    expect("cuda::barrier", out.host(128), want);
    parts<<<1, 1>>>(out.get());
    expect("cuda::std::array, tuple, optional, complex, numeric_limits", out.host(5),
           std::vector<int>{213, 56, 7, -26, 32767});
    auto const v = numbers(256, 1000);
    array<int> const in(v);
    copy_by_pipeline<<<1, 64>>>(in.get(), out.get());
    want = v;
    for (int& x : want) ++x;
    expect("cuda::pipeline and cuda::memcpy_async", out.host(), want);
    return verdict();
}
