/* printf and assert in kernels. Each call appends one record to a buffer of the module, which the runtime prints when
 * the kernel has ended: first the number of bytes of the record, then the address of the format, then per argument its
 * kind and its value, eight bytes each (volatile: no kernel reads them, so the compiler would drop the stores). What
 * %s prints is copied when printf is called (as cuPrintf's copyArg does; CUDA's guide does not say): kind and length,
 * then the text, padded to eight bytes. So is a format that does not lie in global memory; its address is then 0, and
 * it is the first argument. A call that finds the buffer full prints nothing and is counted; it leaves a 0 where its
 * record would begin. */
#ifndef WARPKIT_CUDA_DEVICE_PRINTF_H
#define WARPKIT_CUDA_DEVICE_PRINTF_H

#define WARPKIT_CUDA_PRINTF_BYTES (1 << 20)
static __device__ unsigned long long warpkit_cuda_printf_used;
static __device__ unsigned long long volatile warpkit_cuda_printf_buffer[WARPKIT_CUDA_PRINTF_BYTES / 8];

namespace warpkit_cuda {
enum { printf_integer = 1, printf_real = 2, printf_address = 3, printf_text = 4 };

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
/* Room for a record of so many bytes; null when there is none left. */
WARPKIT_CUDA_DEVICE unsigned long long volatile* printf_begin(char const* format, unsigned long long bytes) {
    unsigned long long const at = atomicAdd(&warpkit_cuda_printf_used, bytes);
    if (at >= WARPKIT_CUDA_PRINTF_BYTES) return 0;
    unsigned long long volatile* const to = warpkit_cuda_printf_buffer + at / 8;
    to[0] = at + bytes > WARPKIT_CUDA_PRINTF_BYTES ? 0 : bytes;
    if (to[0] == 0) return 0;
    to[1] = (unsigned long long)format;
    return to + 2;
}
#if __cplusplus >= 201103L
enum : unsigned { printf_all = ~0u }; /* no precision: up to the string's end */

/* A string's length; at most `most`, behind which nothing is read. */
WARPKIT_CUDA_DEVICE unsigned printf_length(char const* text, unsigned most) {
    unsigned n = 0;
    while (n < most && text[n] != 0) ++n;
    return n;
}
WARPKIT_CUDA_DEVICE unsigned long long printf_text_bytes(unsigned length) {
    return 16 + ((unsigned long long)length + 7) / 8 * 8;
}
WARPKIT_CUDA_DEVICE void printf_put_text(unsigned long long volatile*& to, char const* text,
                                         unsigned length) {
    *to++ = printf_text;
    *to++ = length;
    for (unsigned i = 0; i < length; i += 8) {
        unsigned long long word = 0;
        for (unsigned k = 0; k < 8 && i + k < length; ++k)
            word |= (unsigned long long)(unsigned char)text[i + k] << (8 * k);
        *to++ = word;
    }
}

/* Reads a format, argument by argument, as the runtime does. */
struct printf_reader {
    char const* at;
    bool inside; /* a conversion, behind its % */
    bool dot;
    unsigned precision;

    /* What takes the next argument: a conversion's letter, * for a width or a precision, or 0. */
    __device__ WARPKIT_CUDA_INLINED char next() {
        for (char c; (c = *at) != 0;) {
            ++at;
            if (!inside) {
                if (c == '%') inside = true, dot = false, precision = printf_all;
            } else if (c == '.') {
                dot = true, precision = 0;
            } else if (c >= '0' && c <= '9') {
                if (dot) precision = 10 * precision + (c - '0');
            } else if (c == '*') {
                return c;
            } else if (c == 'd' || c == 'i' || c == 'o' || c == 'u' || c == 'x' || c == 'X' || c == 'c' ||
                       c == 's' || c == 'f' || c == 'F' || c == 'e' || c == 'E' || c == 'g' || c == 'G' ||
                       c == 'a' || c == 'A' || c == 'p') {
                inside = false;
                return c;
            } else if (!(c == '-' || c == '+' || c == ' ' || c == '#' || c == 'h' || c == 'l' || c == 'L' ||
                         c == 'j' || c == 'z' || c == 't')) {
                inside = false; /* %%, or no conversion at all */
            }
        }
        return 0;
    }
};
template <class T>
WARPKIT_CUDA_DEVICE long long printf_number(T v) {
    return (long long)v;
}
template <class T>
WARPKIT_CUDA_DEVICE long long printf_number(T*) {
    return -1;
}
/* Whether an argument is a string to be copied, and how long it then is. */
struct printf_string {
    char const* text;
    unsigned length;
};
template <class T>
WARPKIT_CUDA_DEVICE printf_string printf_string_of(char, unsigned, T) {
    return {0, 0};
}
template <class T>
WARPKIT_CUDA_DEVICE printf_string printf_string_of(char letter, unsigned precision, T* v) {
    char const* const text = letter == 's' ? (char const*)(void const*)v : 0;
    return {text, text == 0 ? 0 : printf_length(text, precision)};
}
WARPKIT_CUDA_DEVICE unsigned long long printf_measure(printf_reader, printf_string*) { return 0; }
template <class First, class... Rest>
WARPKIT_CUDA_DEVICE unsigned long long printf_measure(printf_reader format, printf_string* strings,
                                                      First first, Rest... rest) {
    char const letter = format.next();
    if (letter == '*' && format.dot) {
        long long const n = printf_number(first);
        format.precision = n < 0 ? printf_all : (unsigned)n;
    }
    *strings = printf_string_of(letter, format.precision, first);
    return (strings->text == 0 ? 16 : printf_text_bytes(strings->length)) +
           printf_measure(format, strings + 1, rest...);
}
WARPKIT_CUDA_DEVICE void printf_put_all(unsigned long long volatile*, printf_string const*) {}
template <class First, class... Rest>
WARPKIT_CUDA_DEVICE void printf_put_all(unsigned long long volatile* to, printf_string const* strings,
                                        First first, Rest... rest) {
    if (strings->text != 0)
        printf_put_text(to, strings->text, strings->length);
    else
        printf_put(to, first);
    printf_put_all(to, strings + 1, rest...);
}
template <class T>
struct printf_is_pointer {
    enum { value = 0 };
};
template <class T>
struct printf_is_pointer<T*> {
    enum { value = 1 };
};
/* Only a pointer can be a string: who prints numbers alone does not read the format. */
template <class... T>
struct printf_any_pointer {
    enum { value = 0 };
};
template <class First, class... Rest>
struct printf_any_pointer<First, Rest...> {
    enum { value = printf_is_pointer<First>::value || printf_any_pointer<Rest...>::value };
};
#endif
} // namespace warpkit_cuda

#if !defined(__CUDA_ARCH__)
/* In the host's pass kernels are read and not made. As an ellipsis it is never better than the host's own, which clang
 * would pass over for a template where it does not see which side it is on: in regions of OpenMP. */
static __device__ __attribute__((unused)) int printf(char const* format, ...);
#elif __cplusplus >= 201103L
template <class... T>
static __device__ __inline__ __attribute__((nodebug, unused)) int printf(char const* format, T... arguments) {
    if (format == 0) return -1;
    warpkit_cuda::printf_string strings[sizeof...(T) + 1] = {};
    unsigned long long bytes = 16 + 16 * sizeof...(T);
    if (warpkit_cuda::printf_any_pointer<T...>::value)
        bytes = 16 + warpkit_cuda::printf_measure({format, false, false, 0}, strings, arguments...);
    bool const stays = __nvvm_isspacep_global(format);
    unsigned const length = stays ? 0 : warpkit_cuda::printf_length(format, warpkit_cuda::printf_all);
    if (!stays) bytes += warpkit_cuda::printf_text_bytes(length);
    unsigned long long volatile* to = warpkit_cuda::printf_begin(stays ? format : 0, bytes);
    if (to == 0) return -1;
    if (!stays) warpkit_cuda::printf_put_text(to, format, length);
    warpkit_cuda::printf_put_all(to, strings, arguments...);
    return (int)sizeof...(T);
}
#endif

/* What the standard assert() calls. */
static __device__ __inline__ __attribute__((noreturn, nodebug, unused)) void
__assert_fail(char const* condition, char const* file, unsigned int line, char const* function) {
    unsigned long long volatile* to =
        warpkit_cuda::printf_begin("%s:%u: %s: block: [%d,%d,%d], thread: [%d,%d,%d] "
                                   "Assertion `%s` failed.\n",
                                   16 + 16 * 10);
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
WARPKIT_CUDA_DEVICE void* memmove(void* to, void const* from, size_t bytes) {
    return __builtin_memmove(to, from, bytes);
}
WARPKIT_CUDA_DEVICE void* memset(void* to, int value, size_t bytes) {
    return __builtin_memset(to, value, bytes);
}

#endif
