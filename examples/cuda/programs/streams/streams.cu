// Two chains of small kernels in two streams, a third stream that waits for an event, and the default stream, which
// waits for all: what comes out does not depend on what runs at once.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t const code = (call);                                                                     \
        if (code != cudaSuccess) {                                                                           \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(code));    \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (false)

namespace {

constexpr int count = 1024;
constexpr int steps = 3;

__global__ void multiply(int* a, int by, int rounds) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = a[i];
    for (int k = 0; k < rounds; ++k) x = x * by + k;
    a[i] = x;
}
__global__ void add(int const* a, int const* b, int* sum) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] = a[i] + b[i];
}

int on_host(int x, int by, int rounds) {
    auto u = static_cast<unsigned>(x);
    for (int k = 0; k < rounds; ++k) u = u * static_cast<unsigned>(by) + static_cast<unsigned>(k);
    return static_cast<int>(u);
}

} // namespace

int main() {
    std::vector<int> start(count);
    for (int i = 0; i < count; ++i) start[i] = i * 7 - 100;
    int* device[4] = {};
    for (auto& d : device) {
        CHECK(cudaMalloc(&d, count * sizeof(int)));
        CHECK(cudaMemcpy(d, start.data(), count * sizeof(int), cudaMemcpyHostToDevice));
    }
    cudaStream_t one, other, third;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaStreamCreate(&third));
    cudaEvent_t begin, one_done, other_done, end;
    for (auto* e : {&begin, &one_done, &other_done, &end}) CHECK(cudaEventCreate(e));

    CHECK(cudaEventRecord(begin, one));
    for (int k = 0; k < steps; ++k) {
        multiply<<<count / 128, 128, 0, one>>>(device[0], 3, 50);
        multiply<<<count / 128, 128, 0, other>>>(device[1], 5, 50);
    }
    CHECK(cudaEventRecord(one_done, one));
    CHECK(cudaEventRecord(other_done, other));
    CHECK(cudaStreamWaitEvent(third, one_done, 0));
    CHECK(cudaStreamWaitEvent(third, other_done, 0));
    add<<<count / 256, 256, 0, third>>>(device[0], device[1], device[2]);
    multiply<<<count / 128, 128>>>(device[2], 9, 1); // in the default stream: behind the third
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float all = 0, first = 0;
    CHECK(cudaEventElapsedTime(&all, begin, end));
    CHECK(cudaEventElapsedTime(&first, begin, one_done));

    std::vector<int> found(count);
    CHECK(cudaMemcpy(found.data(), device[2], count * sizeof(int), cudaMemcpyDeviceToHost));
    bool right = first > 0 && first < all;
    for (int i = 0; i < count; ++i) {
        int a = start[i], b = start[i];
        for (int k = 0; k < steps; ++k) {
            a = on_host(a, 3, 50);
            b = on_host(b, 5, 50);
        }
        auto const sum = static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
        right = right && found[i] == on_host(sum, 9, 1);
    }
    for (auto& s : {one, other, third}) CHECK(cudaStreamDestroy(s));
    for (auto& d : device) CHECK(cudaFree(d));
    std::puts(right ? "PASSED" : "FAILED");
    return right ? 0 : 1;
}
