/* Barriers, fences, votes, shuffles, clocks. */
#ifndef WARPKIT_CUDA_DEVICE_WARP_H
#define WARPKIT_CUDA_DEVICE_WARP_H

/* Written out, with all memory clobbered: LLVM's alias analysis of internal globals (GlobalsAA) holds that clang's own
 * barrier cannot change a __shared__ variable whose address is not taken, and keeps its value in a register across. */
namespace warpkit_cuda {
WARPKIT_CUDA_DEVICE void barrier() { asm volatile("bar.sync 0;" : : : "memory"); }
} // namespace warpkit_cuda
#define __syncthreads() warpkit_cuda::barrier()
WARPKIT_CUDA_DEVICE int __syncthreads_count(int p) {
    int n;
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %1, 0;\n\tbar.red.popc.u32 %0, 0, p;\n\t}"
                 : "=r"(n)
                 : "r"(p)
                 : "memory");
    return n;
}
#define WARPKIT_CUDA_REDUCING_BARRIER(name, operation)                                                       \
    WARPKIT_CUDA_DEVICE int name(int p) {                                                                    \
        int r;                                                                                               \
        asm volatile("{\n\t.reg .pred p;\n\t.reg .pred q;\n\tsetp.ne.s32 p, %1, 0;\n\tbar.red." operation    \
                     ".pred q, 0, p;\n\tselp.s32 %0, 1, 0, q;\n\t}"                                          \
                     : "=r"(r)                                                                               \
                     : "r"(p)                                                                                \
                     : "memory");                                                                            \
        return r;                                                                                            \
    }
WARPKIT_CUDA_REDUCING_BARRIER(__syncthreads_and, "and")
WARPKIT_CUDA_REDUCING_BARRIER(__syncthreads_or, "or")
#undef WARPKIT_CUDA_REDUCING_BARRIER
/* Barriers by number. */
WARPKIT_CUDA_DEVICE void __barrier_sync(unsigned int id) {
    asm volatile("barrier.sync %0;" : : "r"(id) : "memory");
}
WARPKIT_CUDA_DEVICE void __barrier_sync_count(unsigned int id, unsigned int threads) {
    asm volatile("barrier.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}
WARPKIT_CUDA_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) {
    asm volatile("bar.warp.sync %0;" : : "r"(mask) : "memory");
}
WARPKIT_CUDA_DEVICE void __threadfence() { asm volatile("membar.gl;" : : : "memory"); }
WARPKIT_CUDA_DEVICE void __threadfence_block() { asm volatile("membar.cta;" : : : "memory"); }
WARPKIT_CUDA_DEVICE void __threadfence_system() { asm volatile("membar.sys;" : : : "memory"); }

WARPKIT_CUDA_DEVICE unsigned int __activemask() {
    unsigned int mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
WARPKIT_CUDA_DEVICE unsigned int __ballot_sync(unsigned int mask, int p) {
    return __nvvm_vote_ballot_sync(mask, p);
}
WARPKIT_CUDA_DEVICE int __any_sync(unsigned int mask, int p) { return __nvvm_vote_any_sync(mask, p); }
WARPKIT_CUDA_DEVICE int __all_sync(unsigned int mask, int p) { return __nvvm_vote_all_sync(mask, p); }
WARPKIT_CUDA_DEVICE int __uni_sync(unsigned int mask, int p) { return __nvvm_vote_uni_sync(mask, p); }
/* The forms without a mask ask the lanes that are there. */
WARPKIT_CUDA_DEVICE unsigned int __ballot(int p) { return __nvvm_vote_ballot_sync(__activemask(), p); }
WARPKIT_CUDA_DEVICE int __any(int p) { return __nvvm_vote_any_sync(__activemask(), p); }
WARPKIT_CUDA_DEVICE int __all(int p) { return __nvvm_vote_all_sync(__activemask(), p); }

#define WARPKIT_CUDA_MATCH(type, bits, constraint, bits_of_v)                                                \
    WARPKIT_CUDA_DEVICE unsigned int __match_any_sync(unsigned int mask, type v) {                           \
        unsigned int same;                                                                                   \
        asm volatile("match.any.sync." bits " %0, %1, %2;" : "=r"(same) : constraint(bits_of_v), "r"(mask)); \
        return same;                                                                                         \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE unsigned int __match_all_sync(unsigned int mask, type v, int* all_same) {            \
        unsigned int same;                                                                                   \
        int p;                                                                                               \
        asm volatile("{\n\t.reg .pred p;\n\tmatch.all.sync." bits                                            \
                     " %0|p, %2, %3;\n\tselp.s32 %1, 1, 0, p;\n\t}"                                          \
                     : "=r"(same), "=r"(p)                                                                   \
                     : constraint(bits_of_v), "r"(mask));                                                    \
        *all_same = p;                                                                                       \
        return same;                                                                                         \
    }
WARPKIT_CUDA_MATCH(int, "b32", "r", v)
WARPKIT_CUDA_MATCH(unsigned int, "b32", "r", v)
WARPKIT_CUDA_MATCH(float, "b32", "r", __float_as_uint(v))
WARPKIT_CUDA_MATCH(long, "b64", "l", v)
WARPKIT_CUDA_MATCH(unsigned long, "b64", "l", v)
WARPKIT_CUDA_MATCH(long long, "b64", "l", v)
WARPKIT_CUDA_MATCH(unsigned long long, "b64", "l", v)
WARPKIT_CUDA_MATCH(double, "b64", "l", __double_as_longlong(v))
#undef WARPKIT_CUDA_MATCH

#define WARPKIT_CUDA_REDUCE(name, operation, type)                                                           \
    WARPKIT_CUDA_DEVICE type name(unsigned int mask, type v) {                                               \
        type r;                                                                                              \
        asm volatile("redux.sync." operation " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask));                  \
        return r;                                                                                            \
    }
WARPKIT_CUDA_REDUCE(__reduce_add_sync, "add.s32", int)
WARPKIT_CUDA_REDUCE(__reduce_add_sync, "add.u32", unsigned int)
WARPKIT_CUDA_REDUCE(__reduce_min_sync, "min.s32", int)
WARPKIT_CUDA_REDUCE(__reduce_min_sync, "min.u32", unsigned int)
WARPKIT_CUDA_REDUCE(__reduce_max_sync, "max.s32", int)
WARPKIT_CUDA_REDUCE(__reduce_max_sync, "max.u32", unsigned int)
WARPKIT_CUDA_REDUCE(__reduce_and_sync, "and.b32", unsigned int)
WARPKIT_CUDA_REDUCE(__reduce_or_sync, "or.b32", unsigned int)
WARPKIT_CUDA_REDUCE(__reduce_xor_sync, "xor.b32", unsigned int)
#undef WARPKIT_CUDA_REDUCE

/* The width of a shuffle's groups and the lane's bounds in one operand (PTX ISA, shfl.sync). */
#define WARPKIT_CUDA_SHUFFLE(name, kind, last)                                                               \
    WARPKIT_CUDA_DEVICE int name##_sync(unsigned int mask, int v, int by, int width = 32) {                  \
        return __nvvm_shfl_sync_##kind##_i32(mask, v, by, (32 - width) << 8 | last);                         \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE unsigned int name##_sync(unsigned int mask, unsigned int v, int by,                  \
                                                 int width = 32) {                                           \
        return (unsigned int)name##_sync(mask, (int)v, by, width);                                           \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE float name##_sync(unsigned int mask, float v, int by, int width = 32) {              \
        return __nvvm_shfl_sync_##kind##_f32(mask, v, by, (32 - width) << 8 | last);                         \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE unsigned long long name##_sync(unsigned int mask, unsigned long long v, int by,      \
                                                       int width = 32) {                                     \
        unsigned int low = name##_sync(mask, (unsigned int)v, by, width);                                    \
        unsigned int high = name##_sync(mask, (unsigned int)(v >> 32), by, width);                           \
        return (unsigned long long)high << 32 | low;                                                         \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE long long name##_sync(unsigned int mask, long long v, int by, int width = 32) {      \
        return (long long)name##_sync(mask, (unsigned long long)v, by, width);                               \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE unsigned long name##_sync(unsigned int mask, unsigned long v, int by,                \
                                                  int width = 32) {                                          \
        return (unsigned long)name##_sync(mask, (unsigned long long)v, by, width);                           \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE long name##_sync(unsigned int mask, long v, int by, int width = 32) {                \
        return (long)name##_sync(mask, (unsigned long long)v, by, width);                                    \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE double name##_sync(unsigned int mask, double v, int by, int width = 32) {            \
        return __builtin_bit_cast(double,                                                                    \
                                  name##_sync(mask, __builtin_bit_cast(unsigned long long, v), by, width));  \
    }                                                                                                        \
    template <class T>                                                                                       \
    WARPKIT_CUDA_DEVICE T name(T v, int by, int width = 32) {                                                \
        return name##_sync(__activemask(), v, by, width);                                                    \
    }
WARPKIT_CUDA_SHUFFLE(__shfl, idx, 31)
WARPKIT_CUDA_SHUFFLE(__shfl_up, up, 0)
WARPKIT_CUDA_SHUFFLE(__shfl_down, down, 31)
WARPKIT_CUDA_SHUFFLE(__shfl_xor, bfly, 31)
#undef WARPKIT_CUDA_SHUFFLE

WARPKIT_CUDA_DEVICE clock_t clock() { return (clock_t)(unsigned int)__nvvm_read_ptx_sreg_clock(); }
WARPKIT_CUDA_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
WARPKIT_CUDA_DEVICE void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" : : "r"(ns)); }
WARPKIT_CUDA_DEVICE void __trap() { __builtin_trap(); }
WARPKIT_CUDA_DEVICE void __brkpt() { asm volatile("brkpt;"); }
WARPKIT_CUDA_DEVICE void __prof_trigger(int) {}

/* Loads through the read-only path, and with hints that change nothing here. */
WARPKIT_CUDA_DEVICE int __ldg(int const* p) { return __nvvm_ldg_i(p); }
WARPKIT_CUDA_DEVICE unsigned int __ldg(unsigned int const* p) { return __nvvm_ldg_ui(p); }
WARPKIT_CUDA_DEVICE short __ldg(short const* p) { return __nvvm_ldg_s(p); }
WARPKIT_CUDA_DEVICE unsigned short __ldg(unsigned short const* p) { return __nvvm_ldg_us(p); }
WARPKIT_CUDA_DEVICE char __ldg(char const* p) { return __nvvm_ldg_c(p); }
WARPKIT_CUDA_DEVICE unsigned char __ldg(unsigned char const* p) { return __nvvm_ldg_uc(p); }
WARPKIT_CUDA_DEVICE long __ldg(long const* p) { return __nvvm_ldg_l(p); }
WARPKIT_CUDA_DEVICE unsigned long __ldg(unsigned long const* p) { return __nvvm_ldg_ul(p); }
WARPKIT_CUDA_DEVICE long long __ldg(long long const* p) { return __nvvm_ldg_ll(p); }
WARPKIT_CUDA_DEVICE unsigned long long __ldg(unsigned long long const* p) { return __nvvm_ldg_ull(p); }
WARPKIT_CUDA_DEVICE float __ldg(float const* p) { return __nvvm_ldg_f(p); }
WARPKIT_CUDA_DEVICE double __ldg(double const* p) { return __nvvm_ldg_d(p); }
template <class T>
WARPKIT_CUDA_DEVICE T __ldg(T const* p) {
    return *p;
}
template <class T>
WARPKIT_CUDA_DEVICE T __ldca(T const* p) {
    return *p;
}
template <class T>
WARPKIT_CUDA_DEVICE T __ldcg(T const* p) {
    return *p;
}
template <class T>
WARPKIT_CUDA_DEVICE T __ldcs(T const* p) {
    return *p;
}
template <class T>
WARPKIT_CUDA_DEVICE T __ldlu(T const* p) {
    return *p;
}
template <class T>
WARPKIT_CUDA_DEVICE T __ldcv(T const* p) {
    asm volatile("" ::: "memory"); /* it is read again */
    return *p;
}
template <class T>
WARPKIT_CUDA_DEVICE void __stwb(T* p, T v) {
    *p = v;
}
template <class T>
WARPKIT_CUDA_DEVICE void __stwt(T* p, T v) {
    *p = v;
}
template <class T>
WARPKIT_CUDA_DEVICE void __stcg(T* p, T v) {
    *p = v;
}
template <class T>
WARPKIT_CUDA_DEVICE void __stcs(T* p, T v) {
    *p = v;
}

/* Generic addresses, and those of a space. */
#define WARPKIT_CUDA_SPACE(space, name)                                                                      \
    WARPKIT_CUDA_DEVICE size_t __cvta_generic_to_##name(void const* p) {                                     \
        size_t a;                                                                                            \
        asm("cvta.to." space ".u64 %0, %1;" : "=l"(a) : "l"(p));                                             \
        return a;                                                                                            \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE void* __cvta_##name##_to_generic(size_t a) {                                         \
        void* p;                                                                                             \
        asm("cvta." space ".u64 %0, %1;" : "=l"(p) : "l"(a));                                                \
        return p;                                                                                            \
    }
WARPKIT_CUDA_SPACE("global", global)
WARPKIT_CUDA_SPACE("shared", shared)
WARPKIT_CUDA_SPACE("const", constant)
WARPKIT_CUDA_SPACE("local", local)
#undef WARPKIT_CUDA_SPACE

WARPKIT_CUDA_DEVICE unsigned int __isGlobal(void const* p) { return __nvvm_isspacep_global(p); }
WARPKIT_CUDA_DEVICE unsigned int __isShared(void const* p) { return __nvvm_isspacep_shared(p); }
WARPKIT_CUDA_DEVICE unsigned int __isConstant(void const* p) { return __nvvm_isspacep_const(p); }
WARPKIT_CUDA_DEVICE unsigned int __isLocal(void const* p) { return __nvvm_isspacep_local(p); }

/* A kernel that begins before the one in front of it has ended: here it never does. */
WARPKIT_CUDA_DEVICE void cudaGridDependencySynchronize() {
    asm volatile("griddepcontrol.wait;" : : : "memory");
}
WARPKIT_CUDA_DEVICE void cudaTriggerProgrammaticLaunchCompletion() {
    asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
}

#endif
