/* Atomic functions. The forms with _block and _system do the same: the simulated device has one scope. */
#ifndef WARPKIT_CUDA_DEVICE_ATOMICS_H
#define WARPKIT_CUDA_DEVICE_ATOMICS_H

#define WARPKIT_CUDA_ATOMIC(name, type, expression)                                                          \
    WARPKIT_CUDA_DEVICE type name(type* p, type v) { return (type)(expression); }                            \
    WARPKIT_CUDA_DEVICE type name##_block(type* p, type v) { return (type)(expression); }                    \
    WARPKIT_CUDA_DEVICE type name##_system(type* p, type v) { return (type)(expression); }
/* `base` is the builtin's name without its type; _i, _ui, _ll and _ull are the types' tails. */
#define WARPKIT_CUDA_ATOMIC_32(name, base)                                                                   \
    WARPKIT_CUDA_ATOMIC(name, int, base##_i(p, v))                                                           \
    WARPKIT_CUDA_ATOMIC(name, unsigned int, base##_i((int*)p, (int)v))
#define WARPKIT_CUDA_ATOMIC_64(name, base)                                                                   \
    WARPKIT_CUDA_ATOMIC(name, long long, base##_ll(p, v))                                                    \
    WARPKIT_CUDA_ATOMIC(name, unsigned long long, base##_ll((long long*)p, (long long)v))                    \
    WARPKIT_CUDA_ATOMIC(name, unsigned long, base##_ll((long long*)p, (long long)v))

WARPKIT_CUDA_ATOMIC_32(atomicAdd, __nvvm_atom_add_gen)
WARPKIT_CUDA_ATOMIC_64(atomicAdd, __nvvm_atom_add_gen)
WARPKIT_CUDA_ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f(p, v))
WARPKIT_CUDA_ATOMIC(atomicAdd, double, __nvvm_atom_add_gen_d(p, v))
WARPKIT_CUDA_ATOMIC(atomicSub, int, __nvvm_atom_add_gen_i(p, -v))
WARPKIT_CUDA_ATOMIC(atomicSub, unsigned int, __nvvm_atom_add_gen_i((int*)p, -(int)v))
WARPKIT_CUDA_ATOMIC_32(atomicExch, __nvvm_atom_xchg_gen)
WARPKIT_CUDA_ATOMIC_64(atomicExch, __nvvm_atom_xchg_gen)
WARPKIT_CUDA_ATOMIC(atomicExch, float,
                    __builtin_bit_cast(float, __nvvm_atom_xchg_gen_i((int*)p, __builtin_bit_cast(int, v))))
WARPKIT_CUDA_ATOMIC_32(atomicAnd, __nvvm_atom_and_gen)
WARPKIT_CUDA_ATOMIC_64(atomicAnd, __nvvm_atom_and_gen)
WARPKIT_CUDA_ATOMIC_32(atomicOr, __nvvm_atom_or_gen)
WARPKIT_CUDA_ATOMIC_64(atomicOr, __nvvm_atom_or_gen)
WARPKIT_CUDA_ATOMIC_32(atomicXor, __nvvm_atom_xor_gen)
WARPKIT_CUDA_ATOMIC_64(atomicXor, __nvvm_atom_xor_gen)
WARPKIT_CUDA_ATOMIC(atomicMin, int, __nvvm_atom_min_gen_i(p, v))
WARPKIT_CUDA_ATOMIC(atomicMin, unsigned int, __nvvm_atom_min_gen_ui(p, v))
WARPKIT_CUDA_ATOMIC(atomicMin, long long, __nvvm_atom_min_gen_ll(p, v))
WARPKIT_CUDA_ATOMIC(atomicMin, unsigned long long, __nvvm_atom_min_gen_ull(p, v))
WARPKIT_CUDA_ATOMIC(atomicMax, int, __nvvm_atom_max_gen_i(p, v))
WARPKIT_CUDA_ATOMIC(atomicMax, unsigned int, __nvvm_atom_max_gen_ui(p, v))
WARPKIT_CUDA_ATOMIC(atomicMax, long long, __nvvm_atom_max_gen_ll(p, v))
WARPKIT_CUDA_ATOMIC(atomicMax, unsigned long long, __nvvm_atom_max_gen_ull(p, v))
WARPKIT_CUDA_ATOMIC(atomicInc, unsigned int, __nvvm_atom_inc_gen_ui(p, v))
WARPKIT_CUDA_ATOMIC(atomicDec, unsigned int, __nvvm_atom_dec_gen_ui(p, v))
#undef WARPKIT_CUDA_ATOMIC_64
#undef WARPKIT_CUDA_ATOMIC_32
#undef WARPKIT_CUDA_ATOMIC

#define WARPKIT_CUDA_SWAP(type, as, base)                                                                    \
    WARPKIT_CUDA_DEVICE type atomicCAS(type* p, type expected, type v) {                                     \
        return (type)base((as*)p, (as)expected, (as)v);                                                      \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE type atomicCAS_block(type* p, type expected, type v) {                               \
        return atomicCAS(p, expected, v);                                                                    \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE type atomicCAS_system(type* p, type expected, type v) {                              \
        return atomicCAS(p, expected, v);                                                                    \
    }
WARPKIT_CUDA_SWAP(int, int, __nvvm_atom_cas_gen_i)
WARPKIT_CUDA_SWAP(unsigned int, int, __nvvm_atom_cas_gen_i)
WARPKIT_CUDA_SWAP(long long, long long, __nvvm_atom_cas_gen_ll)
WARPKIT_CUDA_SWAP(unsigned long long, long long, __nvvm_atom_cas_gen_ll)
#undef WARPKIT_CUDA_SWAP

/* atomicCAS of 16 bits. */
WARPKIT_CUDA_DEVICE unsigned short atomicCAS(unsigned short* p, unsigned short expected, unsigned short v) {
    unsigned short r;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"(p), "h"(expected), "h"(v) : "memory");
    return r;
}

/* The atomic builtins of CUDA 12.8 (CUDA C++ Programming Guide, "Built-in Atomic Functions"). Memory is seen in the order
 * of a warp's instructions by all, so that every order is the strongest; a volatile access is one instruction. */
enum {
    __NV_ATOMIC_RELAXED,
    __NV_ATOMIC_CONSUME,
    __NV_ATOMIC_ACQUIRE,
    __NV_ATOMIC_RELEASE,
    __NV_ATOMIC_ACQ_REL,
    __NV_ATOMIC_SEQ_CST
};
enum {
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM
};
#if __cplusplus >= 201103L
template <class T>
WARPKIT_CUDA_DEVICE T __nv_atomic_load_n(T const* p, int, int = __NV_THREAD_SCOPE_SYSTEM) {
    asm volatile("" : : : "memory");
    T const v = *(T const volatile*)p;
    asm volatile("" : : : "memory");
    return v;
}
template <class T>
WARPKIT_CUDA_DEVICE void __nv_atomic_store_n(T* p, T v, int, int = __NV_THREAD_SCOPE_SYSTEM) {
    asm volatile("" : : : "memory");
    *(T volatile*)p = v;
    asm volatile("" : : : "memory");
}
#define WARPKIT_CUDA_NV_ATOMIC(name, function)                                                               \
    template <class T>                                                                                       \
    WARPKIT_CUDA_DEVICE T __nv_atomic_##name(T* p, T v, int, int = __NV_THREAD_SCOPE_SYSTEM) {               \
        return function(p, v);                                                                               \
    }
WARPKIT_CUDA_NV_ATOMIC(fetch_add, atomicAdd)
WARPKIT_CUDA_NV_ATOMIC(fetch_sub, atomicSub)
WARPKIT_CUDA_NV_ATOMIC(fetch_min, atomicMin)
WARPKIT_CUDA_NV_ATOMIC(fetch_max, atomicMax)
WARPKIT_CUDA_NV_ATOMIC(fetch_and, atomicAnd)
WARPKIT_CUDA_NV_ATOMIC(fetch_or, atomicOr)
WARPKIT_CUDA_NV_ATOMIC(fetch_xor, atomicXor)
WARPKIT_CUDA_NV_ATOMIC(exchange_n, atomicExch)
#undef WARPKIT_CUDA_NV_ATOMIC
template <class T>
WARPKIT_CUDA_DEVICE bool __nv_atomic_compare_exchange_n(T* p, T* expected, T v, bool, int, int,
                                                        int = __NV_THREAD_SCOPE_SYSTEM) {
    T const wanted = *expected;
    return (*expected = atomicCAS(p, wanted, v)) == wanted;
}
#endif

#endif
