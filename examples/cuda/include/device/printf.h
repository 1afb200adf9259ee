/* printf and assert in kernels. Each call appends one record to a buffer of the module, which the runtime prints when
 * the kernel has ended: first the number of bytes of the record, then the address of the format, then per argument its
 * kind and its value, eight bytes each (volatile: no kernel reads them, so the compiler would drop the stores). A call that finds the buffer full prints nothing and is counted. */
#ifndef WARPKIT_CUDA_DEVICE_PRINTF_H
#define WARPKIT_CUDA_DEVICE_PRINTF_H

#define WARPKIT_CUDA_PRINTF_BYTES (1 << 20)
static __device__ unsigned int warpkit_cuda_printf_used;
static __device__ unsigned long long volatile warpkit_cuda_printf_buffer[WARPKIT_CUDA_PRINTF_BYTES / 8];

namespace warpkit_cuda {
enum { printf_integer = 1, printf_real = 2, printf_address = 3 };

WARPKIT_CUDA_DEVICE void printf_put(unsigned long long volatile*& to, float v) {
    *to++ = printf_real;
    *to++ = __builtin_bit_cast(unsigned long long, (double)v);
}
WARPKIT_CUDA_DEVICE void printf_put(unsigned long long volatile*& to, double v) {
    *to++ = printf_real;
    *to++ = __builtin_bit_cast(unsigned long long, v);
}
template <class T>
WARPKIT_CUDA_DEVICE void printf_put(unsigned long long volatile*& to, T* v) {
    *to++ = printf_address;
    *to++ = (unsigned long long)(void const*)v;
}
template <class T>
WARPKIT_CUDA_DEVICE void printf_put(unsigned long long volatile*& to, T v) {
    *to++ = printf_integer;
    *to++ = (unsigned long long)(long long)v;
}
/* Room for a record; null when there is none left. */
WARPKIT_CUDA_DEVICE unsigned long long volatile* printf_begin(char const* format, unsigned int arguments) {
    unsigned int const bytes = 16 + 16 * arguments;
    unsigned int const at = atomicAdd(&warpkit_cuda_printf_used, bytes);
    if (at + bytes > WARPKIT_CUDA_PRINTF_BYTES) return 0;
    unsigned long long volatile* const to = warpkit_cuda_printf_buffer + at / 8;
    to[0] = bytes;
    to[1] = (unsigned long long)format;
    return to + 2;
}
#if __cplusplus >= 201103L
WARPKIT_CUDA_DEVICE void printf_put_all(unsigned long long volatile*) {}
template <class First, class... Rest>
WARPKIT_CUDA_DEVICE void printf_put_all(unsigned long long volatile* to, First first, Rest... rest) {
    printf_put(to, first);
    printf_put_all(to, rest...);
}
#endif
} // namespace warpkit_cuda

#if __cplusplus >= 201103L
template <class... T>
static __device__ __inline__ __attribute__((unused)) int printf(char const* format, T... arguments) {
    unsigned long long volatile* const to = warpkit_cuda::printf_begin(format, sizeof...(T));
    if (to == 0) return -1;
    warpkit_cuda::printf_put_all(to, arguments...);
    return (int)sizeof...(T);
}
#endif

/* What the standard assert() calls. */
static __device__ __inline__ __attribute__((noreturn, unused)) void
__assert_fail(char const* condition, char const* file, unsigned int line, char const* function) {
    unsigned long long volatile* to =
        warpkit_cuda::printf_begin("%s:%u: %s: block: [%d,%d,%d], thread: [%d,%d,%d] "
                                   "Assertion `%s` failed.\n",
                                   10);
    if (to != 0) {
        warpkit_cuda::printf_put(to, file);
        warpkit_cuda::printf_put(to, line);
        warpkit_cuda::printf_put(to, function);
        warpkit_cuda::printf_put(to, blockIdx.x);
        warpkit_cuda::printf_put(to, blockIdx.y);
        warpkit_cuda::printf_put(to, blockIdx.z);
        warpkit_cuda::printf_put(to, threadIdx.x);
        warpkit_cuda::printf_put(to, threadIdx.y);
        warpkit_cuda::printf_put(to, threadIdx.z);
        warpkit_cuda::printf_put(to, condition);
    }
    __builtin_trap();
}

WARPKIT_CUDA_DEVICE void* memcpy(void* to, void const* from, size_t bytes) {
    return __builtin_memcpy(to, from, bytes);
}
WARPKIT_CUDA_DEVICE void* memset(void* to, int value, size_t bytes) {
    return __builtin_memset(to, value, bytes);
}

#endif
