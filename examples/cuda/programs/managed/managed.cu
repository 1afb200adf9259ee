// __managed__ variables: one variable, which the host's code and kernels read and write by its name and its address.
#include <cstdio>

namespace {
int wrong = 0;
void check(char const* what, bool good) {
    if (good) return;
    ++wrong;
    std::printf("wrong: %s\n", what);
}
struct pair {
    int first;
    double second;
};
__managed__ int hidden = 11;
} // namespace

__managed__ int number = 5;
__device__ __managed__ float field[1000];
__managed__ pair both = {3, 0.5};
static __managed__ long counter;
__managed__ int* to_number = &number;
__device__ int* device_to_number = &number;
__device__ int apart = 1;

__global__ void change(int* passed) {
    number += hidden;       // 16
    *passed *= 2;           // the same variable: 32
    *to_number += 1;        // 33
    *device_to_number += 1; // 34
    both.first += 1;
    both.second *= 2;
    counter += apart;
}
__global__ void fill() {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1000) field[i] += static_cast<float>(i);
}

int main() {
    check("initial values",
          number == 5 && hidden == 11 && both.first == 3 && both.second == 0.5 && counter == 0);
    check("a pointer's initial value", to_number == &number && *to_number == 5);
    counter = 7;
    change<<<1, 1>>>(&number);
    check("cudaDeviceSynchronize", cudaDeviceSynchronize() == cudaSuccess);
    check("by name and by address", number == 34);
    check("a structure", both.first == 4 && both.second == 1.0);
    check("what the host had written", counter == 8);
    field[999] = 0.5f;
    fill<<<4, 256>>>();
    check("cudaDeviceSynchronize", cudaDeviceSynchronize() == cudaSuccess);
    check("an array", field[0] == 0 && field[10] == 10 && field[999] == 999.5f);

    int const given = 77;
    int taken = 0;
    check("cudaMemcpyToSymbol",
          cudaMemcpyToSymbol(number, &given, sizeof given) == cudaSuccess && number == 77);
    number = 78;
    check("cudaMemcpyFromSymbol",
          cudaMemcpyFromSymbol(&taken, number, sizeof taken) == cudaSuccess && taken == 78);
    void* at = nullptr;
    check("cudaGetSymbolAddress", cudaGetSymbolAddress(&at, number) == cudaSuccess && at == &number);
    check("cudaDeviceReset", cudaDeviceReset() == cudaSuccess);
    number = 100;
    change<<<1, 1>>>(&number);
    check("behind a reset", cudaDeviceSynchronize() == cudaSuccess && number == (100 + 11) * 2 + 2);
    std::printf(wrong == 0 ? "PASSED\n" : "FAILED: %d\n", wrong);
    return wrong == 0 ? 0 : 1;
}
