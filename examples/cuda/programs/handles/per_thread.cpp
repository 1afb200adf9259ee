// Compiled as with --default-stream per-thread: stream 0 is the thread's own.
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "handles.hpp"

#include <cstring>
#include <cuda_runtime_api.h>

void check_streams_per_thread() {
    unsigned long long own = 0, named = 0, legacy = 1;
    OK(cudaStreamGetId(nullptr, &own));
    OK(cudaStreamGetId(cudaStreamPerThread, &named));
    OK(cudaStreamGetId(cudaStreamLegacy, &legacy));
    EXPECT(own == named && own != legacy);
    void* p = nullptr;
    int back[4] = {};
    OK(cudaMalloc(&p, sizeof back));
    OK(cudaMemset(p, 1, sizeof back));
    OK(cudaMemsetAsync(p, 2, 4, nullptr));
    OK(cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 0x02020202 && back[3] == 0x01010101);
    FAILS(cudaErrorInvalidValue, cudaMemcpy(back, p, sizeof back + 1, cudaMemcpyDeviceToHost));
    OK(cuMemsetD32(reinterpret_cast<CUdeviceptr>(p), 7, 4));
    OK(cuMemcpyDtoH(back, reinterpret_cast<CUdeviceptr>(p), sizeof back));
    EXPECT(back[0] == 7 && back[3] == 7);
    // The same functions by their names.
    CUresult (*ask)(CUstream, unsigned long long*) = nullptr;
    OK(cuGetProcAddress("cuStreamGetId", reinterpret_cast<void**>(&ask), 12000,
                        CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, nullptr));
    unsigned long long asked = 0;
    OK(ask(nullptr, &asked));
    EXPECT(asked == own);
    OK(cuGetProcAddress("cuStreamGetId", reinterpret_cast<void**>(&ask), 12000, CU_GET_PROC_ADDRESS_DEFAULT,
                        nullptr));
    OK(ask(nullptr, &asked));
    EXPECT(asked == legacy);
    OK(cudaFree(p));
}
