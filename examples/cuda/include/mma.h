/* Matrices that a warp holds: nvcuda::wmma of the CUDA C++ Programming Guide, "Warp Matrix Functions", in the shapes and
 * types of its table. Which element of a fragment is where follows warpkit's docs/model/ptx.md#fragments. */
#ifndef WARPKIT_CUDA_MMA_H
#define WARPKIT_CUDA_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "letters_away.h"

#if defined(__cplusplus) && __cplusplus >= 201103L && defined(__CUDA__)

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

/* What a fragment keeps of each type: as what, and how many of them are in a register of 32 bits (0: half a double). */
namespace warpkit {
template <class T>
struct element {
    typedef T storage;
    static constexpr int bits = 8 * sizeof(T);
};
template <>
struct element<wmma::precision::tf32> {
    typedef float storage;
    static constexpr int bits = 32;
};
template <int Bits>
struct packed_element {
    typedef int storage; /* of so many elements as there are in it */
    static constexpr int bits = Bits;
};
template <>
struct element<experimental::precision::u4> : packed_element<4> {};
template <>
struct element<experimental::precision::s4> : packed_element<4> {};
template <>
struct element<experimental::precision::b1> : packed_element<1> {};

/* Elements of a lane: A and B of half stand twice in its eight registers. */
template <class Use, int M, int N, int K, class T>
constexpr int elements = M* N / 32;
template <int M, int N, int K, class T>
constexpr int elements<matrix_a, M, N, K, T> = M* K / 32;
template <int M, int N, int K, class T>
constexpr int elements<matrix_b, M, N, K, T> = K* N / 32;
template <int M, int N, int K>
constexpr int elements<matrix_a, M, N, K, __half> = 16;
template <int M, int N, int K>
constexpr int elements<matrix_b, M, N, K, __half> = 16;

template <class Use, int M, int N, int K, class T, class Layout>
struct mover;
template <int M, int N, int K, class T, class A, class B, class D, class C>
struct multiplier;
} // namespace warpkit

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
    typedef warpkit::element<T> element;

public:
    typedef typename element::storage element_type;
    typedef typename element::storage storage_element_type;
    enum {
        num_elements = warpkit::elements<Use, M, N, K, T>,
        num_storage_elements = element::bits < 8 ? num_elements * element::bits / 32 : num_elements
    };
    storage_element_type x[num_storage_elements];
};

namespace warpkit {
/* A fragment as the registers of an instruction. */
template <class Word, int Words, class Fragment>
struct registers {
    Word r[Words];
    __device__ registers() {}
    __device__ explicit registers(Fragment const& f) { __builtin_memcpy(r, f.x, sizeof r); }
    __device__ void put(Fragment& f) const { __builtin_memcpy(f.x, r, sizeof r); }
};
} // namespace warpkit

#define WARPKIT_WMMA_1(x) "{%[" x "0]}"
#define WARPKIT_WMMA_2(x) "{%[" x "0],%[" x "1]}"
#define WARPKIT_WMMA_4(x) "{%[" x "0],%[" x "1],%[" x "2],%[" x "3]}"
#define WARPKIT_WMMA_8(x) "{%[" x "0],%[" x "1],%[" x "2],%[" x "3],%[" x "4],%[" x "5],%[" x "6],%[" x "7]}"
#define WARPKIT_WMMA_OPERANDS_1(x, c) [x##0] c(x.r[0])
#define WARPKIT_WMMA_OPERANDS_2(x, c) WARPKIT_WMMA_OPERANDS_1(x, c), [x##1] c(x.r[1])
#define WARPKIT_WMMA_OPERANDS_4(x, c) WARPKIT_WMMA_OPERANDS_2(x, c), [x##2] c(x.r[2]), [x##3] c(x.r[3])
#define WARPKIT_WMMA_OPERANDS_8(x, c)                                                                        \
    WARPKIT_WMMA_OPERANDS_4(x, c), [x##4] c(x.r[4]), [x##5] c(x.r[5]), [x##6] c(x.r[6]), [x##7] c(x.r[7])

namespace warpkit {

/* wmma.load of one matrix; of sums, also wmma.store. */
#define WARPKIT_WMMA_LOAD(letter, layout, shape, type, count, c)                                             \
    asm volatile("wmma.load." letter ".sync.aligned." layout "." shape "." type                              \
                 " " WARPKIT_WMMA_##count("w") ", [%[p]], %[s];"                                             \
                 : WARPKIT_WMMA_OPERANDS_##count(w, "=" c)                                                   \
                 : [p] "l"(p), [s] "r"(stride)                                                               \
                 : "memory")
#define WARPKIT_WMMA_FACTOR(Use, letter, Layout, layout, M, N, K, T, type, count, word, c)                   \
    template <>                                                                                              \
    struct mover<Use, M, N, K, T, Layout> {                                                                  \
        typedef word word_type;                                                                              \
        static constexpr int words = count;                                                                  \
        template <class W>                                                                                   \
        static __device__ void load(W& w, void const* p, unsigned stride) {                                  \
            WARPKIT_WMMA_LOAD(letter, layout, "m" #M "n" #N "k" #K, type, count, c);                         \
        }                                                                                                    \
    };
#define WARPKIT_WMMA_FACTORS(M, N, K, T, type, a_count, b_count, word, c)                                    \
    WARPKIT_WMMA_FACTOR(matrix_a, "a", row_major, "row", M, N, K, T, type, a_count, word, c)                 \
    WARPKIT_WMMA_FACTOR(matrix_a, "a", col_major, "col", M, N, K, T, type, a_count, word, c)                 \
    WARPKIT_WMMA_FACTOR(matrix_b, "b", row_major, "row", M, N, K, T, type, b_count, word, c)                 \
    WARPKIT_WMMA_FACTOR(matrix_b, "b", col_major, "col", M, N, K, T, type, b_count, word, c)
#define WARPKIT_WMMA_STORE(layout, shape, type, count, c)                                                    \
    asm volatile("wmma.store.d.sync.aligned." layout "." shape "." type                                      \
                 " [%[p]], " WARPKIT_WMMA_##count("w") ", %[s];"                                             \
                 :                                                                                           \
                 : [p] "l"(p), [s] "r"(stride), WARPKIT_WMMA_OPERANDS_##count(w, c)                          \
                 : "memory")
#define WARPKIT_WMMA_SUM(M, N, K, T, type, count, word, c)                                                   \
    template <>                                                                                              \
    struct mover<accumulator, M, N, K, T, void> {                                                            \
        typedef word word_type;                                                                              \
        static constexpr int words = count;                                                                  \
        template <class W>                                                                                   \
        static __device__ void load(W& w, void const* p, unsigned stride, layout_t layout) {                 \
            if (layout == mem_row_major)                                                                     \
                WARPKIT_WMMA_LOAD("c", "row", "m" #M "n" #N "k" #K, type, count, c);                         \
            else                                                                                             \
                WARPKIT_WMMA_LOAD("c", "col", "m" #M "n" #N "k" #K, type, count, c);                         \
        }                                                                                                    \
        template <class W>                                                                                   \
        static __device__ void store(void* p, W const& w, unsigned stride, layout_t layout) {                \
            if (layout == mem_row_major)                                                                     \
                WARPKIT_WMMA_STORE("row", "m" #M "n" #N "k" #K, type, count, c);                             \
            else                                                                                             \
                WARPKIT_WMMA_STORE("col", "m" #M "n" #N "k" #K, type, count, c);                             \
        }                                                                                                    \
    };

/* wmma.mma; `front` stands before the shape, `types` behind it. */
#define WARPKIT_WMMA_PRODUCT(M, N, K, T, A, a_layout, B, b_layout, D, C, front, types, ac, bc, cc, dc, aw,   \
                             cw, dw)                                                                         \
    template <>                                                                                              \
    struct multiplier<M, N, K, T, A, B, D, C> {                                                              \
        template <class WD, class WA, class WB, class WC>                                                    \
        static __device__ void multiply(WD& d, WA const& a, WB const& b, WC const& c) {                      \
            WARPKIT_WMMA_MULTIPLY(front, a_layout, b_layout, "m" #M "n" #N "k" #K, types, ac, bc, cc, dc,    \
                                  aw, cw, dw);                                                               \
        }                                                                                                    \
        template <class WD, class WA, class WB, class WC>                                                    \
        static __device__ void multiply_limited(WD& d, WA const& a, WB const& b, WC const& c) {              \
            WARPKIT_WMMA_MULTIPLY(front, a_layout, b_layout, "m" #M "n" #N "k" #K, types ".satfinite", ac,   \
                                  bc, cc, dc, aw, cw, dw);                                                   \
        }                                                                                                    \
    };
#define WARPKIT_WMMA_MULTIPLY(front, a_layout, b_layout, shape, types, ac, bc, cc, dc, aw, cw, dw)           \
    asm volatile("wmma.mma" front ".sync.aligned." a_layout "." b_layout "." shape types                     \
                 " " WARPKIT_WMMA_##dc("d") ", " WARPKIT_WMMA_##ac("a") ", " WARPKIT_WMMA_##bc(              \
                     "b") ", " WARPKIT_WMMA_##cc("c") ";"                                                    \
                 : WARPKIT_WMMA_OPERANDS_##dc(d, "=" dw)                                                     \
                 : WARPKIT_WMMA_OPERANDS_##ac(a, aw), WARPKIT_WMMA_OPERANDS_##bc(b, aw),                     \
                   WARPKIT_WMMA_OPERANDS_##cc(c, cw))
#define WARPKIT_WMMA_PRODUCTS(M, N, K, T, D, C, types, ac, bc, cc, dc, aw, cw, dw)                           \
    WARPKIT_WMMA_PRODUCT(M, N, K, T, row_major, "row", row_major, "row", D, C, "", types, ac, bc, cc, dc,    \
                         aw, cw, dw)                                                                         \
    WARPKIT_WMMA_PRODUCT(M, N, K, T, row_major, "row", col_major, "col", D, C, "", types, ac, bc, cc, dc,    \
                         aw, cw, dw)                                                                         \
    WARPKIT_WMMA_PRODUCT(M, N, K, T, col_major, "col", row_major, "row", D, C, "", types, ac, bc, cc, dc,    \
                         aw, cw, dw)                                                                         \
    WARPKIT_WMMA_PRODUCT(M, N, K, T, col_major, "col", col_major, "col", D, C, "", types, ac, bc, cc, dc,    \
                         aw, cw, dw)

/* The three shapes with k of 16; registers of A and B of bfloat16 and of bytes. */
#define WARPKIT_WMMA_SHAPE(M, N, K, a16, b16, a8, b8)                                                        \
    WARPKIT_WMMA_FACTORS(M, N, K, __half, "f16", 8, 8, unsigned, "r")                                        \
    WARPKIT_WMMA_FACTORS(M, N, K, __nv_bfloat16, "bf16", a16, b16, unsigned, "r")                            \
    WARPKIT_WMMA_FACTORS(M, N, K, signed char, "s8", a8, b8, unsigned, "r")                                  \
    WARPKIT_WMMA_FACTORS(M, N, K, unsigned char, "u8", a8, b8, unsigned, "r")                                \
    WARPKIT_WMMA_SUM(M, N, K, __half, "f16", 4, unsigned, "r")                                               \
    WARPKIT_WMMA_SUM(M, N, K, float, "f32", 8, float, "f")                                                   \
    WARPKIT_WMMA_SUM(M, N, K, int, "s32", 8, int, "r")                                                       \
    WARPKIT_WMMA_PRODUCTS(M, N, K, __half, float, float, ".f32.f32", 8, 8, 8, 8, "r", "f", "f")              \
    WARPKIT_WMMA_PRODUCTS(M, N, K, __half, float, __half, ".f32.f16", 8, 8, 4, 8, "r", "r", "f")             \
    WARPKIT_WMMA_PRODUCTS(M, N, K, __half, __half, float, ".f16.f32", 8, 8, 8, 4, "r", "f", "r")             \
    WARPKIT_WMMA_PRODUCTS(M, N, K, __half, __half, __half, ".f16.f16", 8, 8, 4, 4, "r", "r", "r")            \
    WARPKIT_WMMA_PRODUCTS(M, N, K, __nv_bfloat16, float, float, ".f32.bf16.bf16.f32", a16, b16, 8, 8, "r",   \
                          "f", "f")                                                                          \
    WARPKIT_WMMA_PRODUCTS(M, N, K, signed char, int, int, ".s32.s8.s8.s32", a8, b8, 8, 8, "r", "r", "r")     \
    WARPKIT_WMMA_PRODUCTS(M, N, K, unsigned char, int, int, ".s32.u8.u8.s32", a8, b8, 8, 8, "r", "r", "r")
WARPKIT_WMMA_SHAPE(16, 16, 16, 4, 4, 2, 2)
WARPKIT_WMMA_SHAPE(8, 32, 16, 2, 8, 1, 4)
WARPKIT_WMMA_SHAPE(32, 8, 16, 8, 2, 4, 1)

WARPKIT_WMMA_FACTORS(16, 16, 8, wmma::precision::tf32, "tf32", 4, 4, unsigned, "r")
WARPKIT_WMMA_SUM(16, 16, 8, float, "f32", 8, float, "f")
WARPKIT_WMMA_PRODUCTS(16, 16, 8, wmma::precision::tf32, float, float, ".f32.tf32.tf32.f32", 4, 4, 8, 8, "r",
                      "f", "f")
WARPKIT_WMMA_FACTORS(8, 8, 4, double, "f64", 1, 1, double, "d")
WARPKIT_WMMA_SUM(8, 8, 4, double, "f64", 2, double, "d")
WARPKIT_WMMA_PRODUCTS(8, 8, 4, double, double, double, ".f64.f64.f64.f64", 1, 1, 2, 2, "d", "d", "d")

#define WARPKIT_WMMA_SMALL(K, T, type)                                                                       \
    WARPKIT_WMMA_FACTOR(matrix_a, "a", row_major, "row", 8, 8, K, T, type, 1, unsigned, "r")                 \
    WARPKIT_WMMA_FACTOR(matrix_b, "b", col_major, "col", 8, 8, K, T, type, 1, unsigned, "r")
WARPKIT_WMMA_SMALL(32, experimental::precision::s4, "s4")
WARPKIT_WMMA_SMALL(32, experimental::precision::u4, "u4")
WARPKIT_WMMA_SMALL(128, experimental::precision::b1, "b1")
WARPKIT_WMMA_SUM(8, 8, 32, int, "s32", 2, int, "r")
WARPKIT_WMMA_SUM(8, 8, 128, int, "s32", 2, int, "r")
WARPKIT_WMMA_PRODUCT(8, 8, 32, experimental::precision::s4, row_major, "row", col_major, "col", int, int, "",
                     ".s32.s4.s4.s32", 1, 1, 2, 2, "r", "r", "r")
WARPKIT_WMMA_PRODUCT(8, 8, 32, experimental::precision::u4, row_major, "row", col_major, "col", int, int, "",
                     ".s32.u4.u4.s32", 1, 1, 2, 2, "r", "r", "r")

template <class Use, int M, int N, int K, class T, class L>
using words = registers<typename mover<Use, M, N, K, T, L>::word_type, mover<Use, M, N, K, T, L>::words,
                        fragment<Use, M, N, K, T, L>>;
} // namespace warpkit

template <class Use, int M, int N, int K, class T, class L>
__device__ inline void
fill_fragment(fragment<Use, M, N, K, T, L>& f,
              typename fragment<Use, M, N, K, T, L>::storage_element_type const& value) {
#pragma unroll
    for (int i = 0; i < f.num_storage_elements; ++i) f.x[i] = value;
}
/* A or B; `p` is of the elements' type, of packed ones anything. */
template <class Use, int M, int N, int K, class T, class L, class P>
__device__ inline void load_matrix_sync(fragment<Use, M, N, K, T, L>& f, P const* p, unsigned stride) {
    warpkit::words<Use, M, N, K, T, L> w;
    warpkit::mover<Use, M, N, K, T, L>::load(w, p, stride);
    w.put(f);
}
template <int M, int N, int K, class T, class P>
__device__ inline void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, P const* p, unsigned stride,
                                        layout_t layout) {
    warpkit::words<accumulator, M, N, K, T, void> w;
    warpkit::mover<accumulator, M, N, K, T, void>::load(w, p, stride, layout);
    w.put(f);
}
template <int M, int N, int K, class T, class P>
__device__ inline void store_matrix_sync(P* p, fragment<accumulator, M, N, K, T> const& f, unsigned stride,
                                         layout_t layout) {
    warpkit::words<accumulator, M, N, K, T, void> const w(f);
    warpkit::mover<accumulator, M, N, K, T, void>::store(p, w, stride, layout);
}
/* D = A B + C; `limited`: sums of integers that do not fit become the nearest that does. */
template <int M, int N, int K, class T, class A, class B, class D, class C>
__device__ inline void mma_sync(fragment<accumulator, M, N, K, D>& d,
                                fragment<matrix_a, M, N, K, T, A> const& a,
                                fragment<matrix_b, M, N, K, T, B> const& b,
                                fragment<accumulator, M, N, K, C> const& c, bool limited = false) {
    warpkit::words<matrix_a, M, N, K, T, A> const wa(a);
    warpkit::words<matrix_b, M, N, K, T, B> const wb(b);
    warpkit::words<accumulator, M, N, K, C, void> const wc(c);
    warpkit::words<accumulator, M, N, K, D, void> wd;
    if constexpr (sizeof(typename warpkit::element<T>::storage) == 1 || warpkit::element<T>::bits == 4) {
        if (limited)
            warpkit::multiplier<M, N, K, T, A, B, D, C>::multiply_limited(wd, wa, wb, wc);
        else
            warpkit::multiplier<M, N, K, T, A, B, D, C>::multiply(wd, wa, wb, wc);
    } else {
        warpkit::multiplier<M, N, K, T, A, B, D, C>::multiply(wd, wa, wb, wc);
    }
    wd.put(d);
}
__device__ inline void
bmma_sync(fragment<accumulator, 8, 8, 128, int>& sum,
          fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> const& left,
          fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> const& right,
          fragment<accumulator, 8, 8, 128, int> const& to,
          experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
          experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
    warpkit::words<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> const a(left);
    warpkit::words<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> const b(right);
    warpkit::words<accumulator, 8, 8, 128, int, void> const c(to);
    warpkit::words<accumulator, 8, 8, 128, int, void> d;
    if (operation == experimental::bmmaBitOpXOR)
        WARPKIT_WMMA_MULTIPLY(".xor.popc", "row", "col", "m8n8k128", ".s32.b1.b1.s32", 1, 1, 2, 2, "r", "r",
                              "r");
    else
        WARPKIT_WMMA_MULTIPLY(".and.popc", "row", "col", "m8n8k128", ".s32.b1.b1.s32", 1, 1, 2, 2, "r", "r",
                              "r");
    d.put(sum);
}
/* A float of 10 bits of fraction, to nearest and away from zero: what tf32 fragments should hold. */
__device__ inline float __float_to_tf32(float x) {
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return __builtin_bit_cast(float, r);
}

} // namespace wmma
} // namespace nvcuda
#endif

#include "letters_back.h"

#endif
