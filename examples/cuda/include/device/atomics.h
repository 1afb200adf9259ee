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

#endif
