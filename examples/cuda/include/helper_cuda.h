/* What programs for CUDA's samples take from their helpers: checks of return codes, and the choice of a device. Written
 * for warpkit; a sample's own copy, where it brings one, comes first. */
#ifndef WARPKIT_CUDA_HELPER_CUDA_H
#define WARPKIT_CUDA_HELPER_CUDA_H

#include "cuda_runtime.h"
#include "helper_string.h"

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

static inline const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }

static inline void warpkit_cuda_check(cudaError_t error, char const* what, char const* file, int line) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s:%d: %s failed with %d, %s: %s\n", file, line, what, (int)error,
            cudaGetErrorName(error), cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) warpkit_cuda_check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(message) warpkit_cuda_check(cudaGetLastError(), (message), __FILE__, __LINE__)
#define printLastCudaError(message)                                                                          \
    do {                                                                                                     \
        cudaError_t const error = cudaGetLastError();                                                        \
        if (error != cudaSuccess) fprintf(stderr, "%s: %s\n", (message), cudaGetErrorString(error));         \
    } while (0)

static inline int ftoi(float value) { return (int)(value < 0 ? value - 0.5f : value + 0.5f); }
static inline int _ConvertSMVer2Cores(int, int) { return 32; }
static inline int gpuDeviceInit(int device) {
    checkCudaErrors(cudaSetDevice(device));
    return device;
}
static inline int gpuGetMaxGflopsDeviceId() { return 0; }
static inline int findCudaDevice(int argc, char const** argv) {
    int device = 0;
    if (checkCmdLineFlag(argc, argv, "device")) device = getCmdLineArgumentInt(argc, argv, "device");
    gpuDeviceInit(device);
    cudaDeviceProp properties;
    checkCudaErrors(cudaGetDeviceProperties(&properties, device));
    printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, properties.name,
           properties.major, properties.minor);
    return device;
}
static inline bool checkCudaCapabilities(int major, int minor) {
    cudaDeviceProp properties;
    checkCudaErrors(cudaGetDeviceProperties(&properties, 0));
    return properties.major > major || (properties.major == major && properties.minor >= minor);
}

#endif
