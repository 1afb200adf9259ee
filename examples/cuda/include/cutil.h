/* What programs for the SDKs before CUDA 5 take from cutil. */
#ifndef WARPKIT_CUDA_CUTIL_H
#define WARPKIT_CUDA_CUTIL_H

#include "helper_cuda.h"
#include "helper_functions.h"

typedef bool CUTBoolean;
#define CUTTrue true
#define CUTFalse false
#define CUDA_SAFE_CALL_NO_SYNC(call) checkCudaErrors(call)
#define CUDA_SAFE_CALL(call) checkCudaErrors(call)
#define CUT_SAFE_CALL(call)                                                                                  \
    do {                                                                                                     \
        if (!(call)) {                                                                                       \
            fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #call);                                \
            exit(EXIT_FAILURE);                                                                              \
        }                                                                                                    \
    } while (0)
#define CUT_SAFE_MALLOC(call) CUT_SAFE_CALL(call)
#define CUT_CHECK_ERROR(message) getLastCudaError(message)
#define CUT_CONDITION(value) CUT_SAFE_CALL(value)
#define CUT_DEVICE_INIT(...) gpuDeviceInit(0)
#define CUT_BANK_CHECKER(array, index) array[index]
#define CUT_EXIT(...) exit(EXIT_SUCCESS)
#define cutilSafeCall(call) checkCudaErrors(call)
#define cutilSafeCallNoSync(call) checkCudaErrors(call)
#define cutilCheckError(call) CUT_SAFE_CALL(call)
#define cutilCheckMsg(message) getLastCudaError(message)
#define cutilSafeThreadSync() checkCudaErrors(cudaDeviceSynchronize())
#define cutilDeviceSynchronize() cudaDeviceSynchronize()
#define cutilDeviceInit(argc, argv) gpuDeviceInit(0)
#define cutilExit(...) ((void)0)
#define cutGetMaxGflopsDeviceId() 0
#define cutilDrvGetMaxGflopsDeviceId() 0

static inline CUTBoolean cutCheckCmdLineFlag(int argc, char const** argv, char const* name) {
    return checkCmdLineFlag(argc, argv, name);
}
static inline CUTBoolean cutGetCmdLineArgumenti(int argc, char const** argv, char const* name, int* value) {
    if (!checkCmdLineFlag(argc, argv, name)) return false;
    *value = getCmdLineArgumentInt(argc, argv, name);
    return true;
}
static inline CUTBoolean cutGetCmdLineArgumentf(int argc, char const** argv, char const* name, float* value) {
    if (!checkCmdLineFlag(argc, argv, name)) return false;
    *value = getCmdLineArgumentFloat(argc, argv, name);
    return true;
}
static inline CUTBoolean cutGetCmdLineArgumentstr(int argc, char const** argv, char const* name,
                                                  char** value) {
    return getCmdLineArgumentString(argc, argv, name, value);
}
static inline char* cutFindFilePath(char const* name, char const* program) {
    return sdkFindFilePath(name, program);
}
static inline void cutFree(void* p) { free(p); }
static inline CUTBoolean cutCompareL2fe(float const* reference, float const* data, unsigned int count,
                                        float epsilon) {
    return sdkCompareL2fe(reference, data, count, epsilon);
}
static inline CUTBoolean cutComparefe(float const* reference, float const* data, unsigned int count,
                                      float epsilon) {
    for (unsigned int i = 0; i < count; ++i)
        if (!(fabsf(reference[i] - data[i]) <= epsilon)) return false;
    return true;
}
static inline CUTBoolean cutComparef(float const* reference, float const* data, unsigned int count) {
    return cutComparefe(reference, data, count, 0.0f);
}
static inline CUTBoolean cutComparei(int const* reference, int const* data, unsigned int count) {
    return memcmp(reference, data, count * sizeof(int)) == 0;
}

static inline CUTBoolean cutCompareub(unsigned char const* reference, unsigned char const* data,
                                      unsigned int count) {
    return memcmp(reference, data, count) == 0;
}

/* Timers by number. */
static inline StopWatchInterface** warpkit_cuda_timer(unsigned int number) {
    static StopWatchInterface* timers[64];
    return &timers[number & 63];
}
static inline CUTBoolean cutCreateTimer(unsigned int* number) {
    for (unsigned int i = 1; i < 64; ++i)
        if (*warpkit_cuda_timer(i) == 0) {
            *number = i;
            return sdkCreateTimer(warpkit_cuda_timer(i));
        }
    return false;
}
static inline CUTBoolean cutDeleteTimer(unsigned int number) {
    return sdkDeleteTimer(warpkit_cuda_timer(number));
}
static inline CUTBoolean cutStartTimer(unsigned int number) {
    return sdkStartTimer(warpkit_cuda_timer(number));
}
static inline CUTBoolean cutStopTimer(unsigned int number) {
    return sdkStopTimer(warpkit_cuda_timer(number));
}
static inline CUTBoolean cutResetTimer(unsigned int number) {
    return sdkResetTimer(warpkit_cuda_timer(number));
}
static inline float cutGetTimerValue(unsigned int number) {
    return sdkGetTimerValue(warpkit_cuda_timer(number));
}
static inline float cutGetAverageTimerValue(unsigned int number) {
    return sdkGetAverageTimerValue(warpkit_cuda_timer(number));
}

#endif
