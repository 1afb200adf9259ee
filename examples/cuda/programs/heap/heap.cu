// malloc and free in kernels, new and delete, virtual functions, functions that call themselves: blocks lie apart, live
// from kernel to kernel, are used again, and end where the heap does.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <new>
#include <vector>

namespace {
int wrong = 0;
void check(char const* what, bool good) {
    if (good) return;
    ++wrong;
    std::printf("wrong: %s\n", what);
}

constexpr int threads = 192, blocks = 3, all = threads * blocks;
__host__ __device__ unsigned bytes_of(unsigned i) { return 1 + i * 37 % 300; }

__global__ void take(unsigned char** held) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    held[i] = static_cast<unsigned char*>(malloc(bytes_of(i)));
    if (held[i] == nullptr) return;
    for (unsigned k = 0; k < bytes_of(i); ++k) held[i][k] = static_cast<unsigned char>(i + k);
}
__global__ void look(unsigned char* const* held, unsigned* good) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned k = 0; k < bytes_of(i); ++k)
        if (held[i] == nullptr || held[i][k] != static_cast<unsigned char>(i + k)) return;
    atomicAdd(good, 1);
}
__global__ void give(unsigned char* const* held) { free(held[blockIdx.x * blockDim.x + threadIdx.x]); }

// Far more in all than the heap has.
__global__ void churn(unsigned* lost) {
    for (unsigned round = 0; round < 64; ++round) {
        auto* const p = static_cast<unsigned*>(malloc(4096));
        if (p == nullptr) {
            atomicAdd(lost, 1);
            continue;
        }
        p[0] = p[1023] = threadIdx.x;
        __syncwarp();
        if (p[0] != threadIdx.x || p[1023] != threadIdx.x) atomicAdd(lost, 1);
        free(p);
    }
}
__global__ void exhaust(unsigned* taken) {
    void* chain = nullptr;
    for (;;) {
        void* const p = malloc(10000);
        if (p == nullptr) break;
        *static_cast<void**>(p) = chain;
        chain = p;
        ++*taken;
    }
    while (chain != nullptr) {
        void* const next = *static_cast<void**>(chain);
        free(chain);
        chain = next;
    }
    if (malloc(std::size_t{1} << 40) != nullptr || malloc(0) != nullptr) *taken = 0;
    free(nullptr);
}

struct shape {
    virtual __device__ int corners() const { return 0; }
    virtual __device__ ~shape() {}
};
struct polygon : shape {
    int count;
    int* destroyed;
    __device__ polygon(int n, int* d) : count(n), destroyed(d) {}
    __device__ int corners() const override { return count; }
    __device__ ~polygon() override { ++*destroyed; }
};
__global__ void objects(int* out) {
    shape* const some[] = {new shape, new polygon(3, out + 3), new polygon(5, out + 3)};
    for (auto* const s : some) out[0] += s->corners();
    for (auto* const s : some) delete s;
    auto* const numbers = new int[100];
    for (int i = 0; i < 100; ++i) numbers[i] = i;
    for (int i = 0; i < 100; ++i) out[1] += numbers[i];
    delete[] numbers;
    out[2] = *new (out + 4) int(7);
}

// Trees whose nodes call each other.
struct node {
    virtual __device__ int value(int depth) const = 0;
};
struct leaf : node {
    int own;
    __device__ explicit leaf(int v) : own(v) {}
    __device__ int value(int depth) const override { return own * depth; }
};
struct difference : node {
    node *left, *right;
    __device__ difference(node* l, node* r) : left(l), right(r) {}
    __device__ int value(int depth) const override {
        int kept[2]; // in local memory, one for each call
        kept[depth & 1] = left->value(depth + 1);
        auto const other = right->value(depth + 1);
        return kept[depth & 1] - 2 * other + depth;
    }
};
__device__ node* grown(int height, int& number) {
    if (height == 0) return new leaf(number++);
    auto* const left = grown(height - 1, number);
    return new difference(left, grown(height - 1, number));
}
int value_of(int height, int& number, int depth) {
    if (height == 0) return number++ * depth;
    auto const left = value_of(height - 1, number, depth + 1);
    return left - 2 * value_of(height - 1, number, depth + 1) + depth;
}
__global__ void trees(int* out) {
    int number = static_cast<int>(threadIdx.x);
    out[threadIdx.x] = grown(static_cast<int>(threadIdx.x % 4), number)->value(1);
}
} // namespace

int main() {
    std::size_t limit = 0;
    check("the limit",
          cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize) == cudaSuccess && limit == 8 << 20);
    check("a new limit", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20) == cudaSuccess);
    unsigned char** held;
    unsigned* count;
    int* out;
    cudaMallocManaged(&held, all * sizeof *held);
    cudaMallocManaged(&count, 3 * sizeof *count);
    cudaMallocManaged(&out, 5 * sizeof *out);
    for (int i = 0; i < 5; ++i) out[i] = 0;
    count[0] = count[1] = count[2] = 0;

    for (int round = 0; round < 3; ++round) {
        take<<<blocks, threads>>>(held);
        count[0] = 0;
        look<<<blocks, threads>>>(held, count);
        check("cudaDeviceSynchronize", cudaDeviceSynchronize() == cudaSuccess);
        check("what was written stays", count[0] == all);
        std::vector<std::pair<std::uintptr_t, std::uintptr_t>> places;
        for (unsigned i = 0; i < all; ++i) {
            auto const at = reinterpret_cast<std::uintptr_t>(held[i]);
            check("aligned", at % 16 == 0);
            places.push_back({at, at + bytes_of(i)});
        }
        std::sort(places.begin(), places.end());
        for (std::size_t i = 1; i < places.size(); ++i)
            check("apart", places[i - 1].second <= places[i].first);
        give<<<blocks, threads>>>(held);
    }
    check("the limit of a heap in use",
          cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 22) == cudaErrorInvalidValue);
    cudaGetLastError();
    churn<<<2, 64>>>(count + 1);
    check("cudaDeviceSynchronize", cudaDeviceSynchronize() == cudaSuccess);
    check("blocks are used again", count[1] == 0);
    for (int round = 0; round < 2; ++round) {
        count[2] = 0;
        exhaust<<<1, 1>>>(count + 2);
        check("cudaDeviceSynchronize", cudaDeviceSynchronize() == cudaSuccess);
        check("the heap has an end", count[2] > 10 && count[2] <= (1 << 20) / 10000);
    }
    objects<<<1, 1>>>(out);
    check("cudaDeviceSynchronize", cudaDeviceSynchronize() == cudaSuccess);
    check("virtual functions", out[0] == 8 && out[3] == 2);
    check("new and delete of arrays", out[1] == 4950);
    check("new at a place", out[2] == 7 && out[4] == 7);
    std::size_t stack = 0;
    check("a stack", cudaDeviceSetLimit(cudaLimitStackSize, 8192) == cudaSuccess &&
                         cudaDeviceGetLimit(&stack, cudaLimitStackSize) == cudaSuccess && stack == 8192);
    int* values;
    cudaMallocManaged(&values, 32 * sizeof *values);
    trees<<<1, 32>>>(values);
    check("cudaDeviceSynchronize", cudaDeviceSynchronize() == cudaSuccess);
    for (int t = 0; t < 32; ++t) {
        int number = t;
        check("functions that call themselves", values[t] == value_of(t % 4, number, 1));
    }
    check("cudaDeviceReset", cudaDeviceReset() == cudaSuccess);
    check("another heap", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 22) == cudaSuccess);
    std::printf(wrong == 0 ? "PASSED\n" : "FAILED: %d\n", wrong);
    return wrong == 0 ? 0 : 1;
}
