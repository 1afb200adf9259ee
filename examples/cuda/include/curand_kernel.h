/* cuRAND's device API: XORWOW, Philox 4x32-10, MRG32k3a and Sobol's sequences, with the seeds and sequences of
 * cuRAND, so that the bits are its bits. XORWOW: G. Marsaglia, "Xorshift RNGs", 2003; Philox: J. Salmon et al.,
 * "Parallel Random Numbers: As Easy as 1, 2, 3", 2011; MRG32k3a: P. L'Ecuyer, "Good Parameters and Implementations
 * for Combined Multiple Recursive Random Number Generators", 1999; Sobol: I. Antonov and V. Saleev, "An Economic
 * Method of Computing LP-tau Sequences", 1979, over the direction vectors that a program gives. Normal numbers are
 * those of the same formulas, but logf and sincosf are ours; Poisson numbers have the distribution alone. */
#ifndef WARPKIT_CUDA_CURAND_KERNEL_H
#define WARPKIT_CUDA_CURAND_KERNEL_H
#define CURAND_KERNEL_H_ /* programs ask for it */

#include "cuda_runtime.h"
#include "curand.h"
#include "letters_away.h"

struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE;
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
/* Number i of one dimension of Sobol's sequence is x; c is added to all (0 where nothing is scrambled). */
struct curandStateSobol32 {
    unsigned int i, x, c;
    unsigned int direction_vectors[32];
};
struct curandStateScrambledSobol32 {
    unsigned int i, x, c;
    unsigned int direction_vectors[32];
};
struct curandStateSobol64 {
    unsigned long long i, x, c;
    unsigned long long direction_vectors[64];
};
struct curandStateScrambledSobol64 {
    unsigned long long i, x, c;
    unsigned long long direction_vectors[64];
};
typedef struct curandStateSobol32 curandStateSobol32_t;
typedef struct curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef struct curandStateSobol64 curandStateSobol64_t;
typedef struct curandStateScrambledSobol64 curandStateScrambledSobol64_t;
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

#if defined(__CUDA__) && defined(__cplusplus)
#include "device/xorwow_jumps.h"

#define WARPKIT_CUDA_RANDOM static __host__ __device__ __inline__ __attribute__((unused))
#define CURAND_2POW32_INV (2.3283064e-10f)
#define CURAND_2POW32_INV_DOUBLE (2.3283064365386963e-10)
#define CURAND_2POW53_INV_DOUBLE (1.1102230246251565e-16)
#define CURAND_2POW32_INV_2PI (2.3283064e-10f * 6.2831855f)
#define CURAND_PI_DOUBLE (3.1415926535897932)

/* XORWOW. */
WARPKIT_CUDA_RANDOM unsigned int curand(curandStateXORWOW* s) {
    unsigned int const t = s->v[0] ^ (s->v[0] >> 2);
    s->v[0] = s->v[1];
    s->v[1] = s->v[2];
    s->v[2] = s->v[3];
    s->v[3] = s->v[4];
    s->v[4] = (s->v[4] ^ (s->v[4] << 4)) ^ (t ^ (t << 1));
    s->d += 362437;
    return s->v[4] + s->d;
}
namespace warpkit_cuda {
/* The sum of the states that the polynomial names. The Weyl sequence d stays. */
WARPKIT_CUDA_RANDOM void xorwow_jump(curandStateXORWOW* s, unsigned int const polynomial[5]) {
    unsigned int sum[5] = {0, 0, 0, 0, 0};
    unsigned int const d = s->d;
    for (int word = 0; word < 5; ++word) {
        unsigned int rest = polynomial[word];
        for (int bit = 0; bit < 32; ++bit, rest >>= 1) {
            unsigned int const all = 0u - (rest & 1);
            for (int i = 0; i < 5; ++i) sum[i] ^= s->v[i] & all;
            (void)curand(s);
        }
    }
    for (int i = 0; i < 5; ++i) s->v[i] = sum[i];
    s->d = d;
}
} // namespace warpkit_cuda
WARPKIT_CUDA_RANDOM void skipahead(unsigned long long n, curandStateXORWOW* s) {
    s->d += 362437u * (unsigned int)n;
    for (int k = 0; n != 0; ++k, n >>= 1)
        if (n & 1) warpkit_cuda::xorwow_jump(s, warpkit_cuda::xorwow_offsets[k]);
}
/* By n times 2^67 numbers; of d, which has 32 bits, nothing is left of that. */
WARPKIT_CUDA_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW* s) {
    for (int k = 0; n != 0; ++k, n >>= 1)
        if (n & 1) warpkit_cuda::xorwow_jump(s, warpkit_cuda::xorwow_sequences[k]);
}
WARPKIT_CUDA_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
                                     unsigned long long offset, curandStateXORWOW* s) {
    unsigned int const t0 = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u);
    unsigned int const t1 = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);
    s->d = 6615241u + t1 + t0;
    s->v[0] = 123456789u + t0;
    s->v[1] = 362436069u ^ t0;
    s->v[2] = 521288629u + t1;
    s->v[3] = 88675123u ^ t1;
    s->v[4] = 5783321u + t0;
    skipahead_sequence(subsequence, s);
    skipahead(offset, s);
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->boxmuller_extra = 0;
    s->boxmuller_extra_double = 0;
}

/* Philox 4x32-10. */
WARPKIT_CUDA_RANDOM uint4 curand_Philox4x32_10(uint4 c, uint2 k) {
    for (int round = 0; round < 10; ++round) {
        unsigned long long const a = 0xD2511F53ull * c.x, b = 0xCD9E8D57ull * c.z;
        c = make_uint4((unsigned int)(b >> 32) ^ c.y ^ k.x, (unsigned int)b,
                       (unsigned int)(a >> 32) ^ c.w ^ k.y, (unsigned int)a);
        k.x += 0x9E3779B9u;
        k.y += 0xBB67AE85u;
    }
    return c;
}
namespace warpkit_cuda {
WARPKIT_CUDA_RANDOM void philox_add(curandStatePhilox4_32_10* s, unsigned long long n) {
    unsigned long long low = (unsigned long long)s->ctr.y << 32 | s->ctr.x;
    low += n;
    s->ctr.x = (unsigned int)low;
    s->ctr.y = (unsigned int)(low >> 32);
    if (low < n && ++s->ctr.z == 0) ++s->ctr.w;
}
} // namespace warpkit_cuda
WARPKIT_CUDA_RANDOM unsigned int curand(curandStatePhilox4_32_10* s) {
    unsigned int const r = s->STATE == 0   ? s->output.x
                           : s->STATE == 1 ? s->output.y
                           : s->STATE == 2 ? s->output.z
                                           : s->output.w;
    if (++s->STATE == 4) {
        warpkit_cuda::philox_add(s, 1);
        s->output = curand_Philox4x32_10(s->ctr, s->key);
        s->STATE = 0;
    }
    return r;
}
WARPKIT_CUDA_RANDOM uint4 curand4(curandStatePhilox4_32_10* s) {
    uint4 const before = s->output;
    warpkit_cuda::philox_add(s, 1);
    s->output = curand_Philox4x32_10(s->ctr, s->key);
    uint4 const now = s->output;
    switch (s->STATE) {
    case 0:
        return before;
    case 1:
        return make_uint4(before.y, before.z, before.w, now.x);
    case 2:
        return make_uint4(before.z, before.w, now.x, now.y);
    default:
        return make_uint4(before.w, now.x, now.y, now.z);
    }
}
WARPKIT_CUDA_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10* s) {
    s->STATE += (unsigned int)(n & 3);
    n /= 4;
    if (s->STATE > 3) {
        ++n;
        s->STATE -= 4;
    }
    warpkit_cuda::philox_add(s, n);
    s->output = curand_Philox4x32_10(s->ctr, s->key);
}
WARPKIT_CUDA_RANDOM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* s) {
    unsigned long long high = (unsigned long long)s->ctr.w << 32 | s->ctr.z;
    high += n;
    s->ctr.z = (unsigned int)high;
    s->ctr.w = (unsigned int)(high >> 32);
    s->output = curand_Philox4x32_10(s->ctr, s->key);
}
WARPKIT_CUDA_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
                                     unsigned long long offset, curandStatePhilox4_32_10* s) {
    s->ctr = make_uint4(0, 0, 0, 0);
    s->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    s->STATE = 0;
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->boxmuller_extra = 0;
    s->boxmuller_extra_double = 0;
    skipahead_sequence(subsequence, s);
    skipahead(offset, s);
}

/* MRG32k3a. */
#define MRG32K3A_MOD1 4294967087u
#define MRG32K3A_MOD2 4294944443u
#define MRG32K3A_NORM 2.328306549295728e-10
namespace warpkit_cuda {
/* Of the combined sequence, 1 to MRG32K3A_MOD1. */
WARPKIT_CUDA_RANDOM unsigned int mrg_next(curandStateMRG32k3a* s) {
    long long p1 = (1403580ll * s->s1[1] - 810728ll * s->s1[0]) % (long long)MRG32K3A_MOD1;
    if (p1 < 0) p1 += MRG32K3A_MOD1;
    s->s1[0] = s->s1[1];
    s->s1[1] = s->s1[2];
    s->s1[2] = (unsigned int)p1;
    long long p2 = (527612ll * s->s2[2] - 1370589ll * s->s2[0]) % (long long)MRG32K3A_MOD2;
    if (p2 < 0) p2 += MRG32K3A_MOD2;
    s->s2[0] = s->s2[1];
    s->s2[1] = s->s2[2];
    s->s2[2] = (unsigned int)p2;
    return (unsigned int)(p1 > p2 ? p1 - p2 : p1 - p2 + (long long)MRG32K3A_MOD1);
}
struct mrg_matrix {
    unsigned int m[3][3];
};
WARPKIT_CUDA_RANDOM mrg_matrix mrg_product(mrg_matrix const& a, mrg_matrix const& b, unsigned int modulus) {
    mrg_matrix r;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            unsigned long long sum = 0;
            for (int j = 0; j < 3; ++j)
                sum = (sum + (unsigned long long)a.m[i][j] * b.m[j][k] % modulus) % modulus;
            r.m[i][k] = (unsigned int)sum;
        }
    return r;
}
WARPKIT_CUDA_RANDOM void mrg_jump(unsigned int v[3], mrg_matrix a, unsigned long long n,
                                  unsigned int modulus) {
    for (; n != 0; n >>= 1) {
        if (n & 1) {
            unsigned int r[3];
            for (int i = 0; i < 3; ++i) {
                unsigned long long sum = 0;
                for (int j = 0; j < 3; ++j)
                    sum = (sum + (unsigned long long)a.m[i][j] * v[j] % modulus) % modulus;
                r[i] = (unsigned int)sum;
            }
            for (int i = 0; i < 3; ++i) v[i] = r[i];
        }
        if (n > 1) a = mrg_product(a, a, modulus);
    }
}
} // namespace warpkit_cuda
WARPKIT_CUDA_RANDOM void skipahead(unsigned long long n, curandStateMRG32k3a* s) {
    warpkit_cuda::mrg_matrix const one = {{{0, 1, 0}, {0, 0, 1}, {MRG32K3A_MOD1 - 810728u, 1403580u, 0}}};
    warpkit_cuda::mrg_matrix const two = {{{0, 1, 0}, {0, 0, 1}, {MRG32K3A_MOD2 - 1370589u, 0, 527612u}}};
    warpkit_cuda::mrg_jump(s->s1, one, n, MRG32K3A_MOD1);
    warpkit_cuda::mrg_jump(s->s2, two, n, MRG32K3A_MOD2);
}
/* By n times 2^76 numbers: the matrices of L'Ecuyer, Simard, Chen, Kelton, "An Object-Oriented Random-Number Package
 * with Many Long Streams and Substreams", 2002. */
WARPKIT_CUDA_RANDOM void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a* s) {
    warpkit_cuda::mrg_matrix const one = {{{82758667u, 1871391091u, 4127413238u},
                                           {3672831523u, 69195019u, 1871391091u},
                                           {3672091415u, 3528743235u, 69195019u}}};
    warpkit_cuda::mrg_matrix const two = {{{1511326704u, 3759209742u, 1610795712u},
                                           {4292754251u, 1511326704u, 3889917532u},
                                           {3859662829u, 4292754251u, 3708466080u}}};
    warpkit_cuda::mrg_jump(s->s1, one, n, MRG32K3A_MOD1);
    warpkit_cuda::mrg_jump(s->s2, two, n, MRG32K3A_MOD2);
}
/* By n times 2^127 numbers. */
WARPKIT_CUDA_RANDOM void skipahead_sequence(unsigned long long n, curandStateMRG32k3a* s) {
    warpkit_cuda::mrg_matrix const one = {{{2427906178u, 3580155704u, 949770784u},
                                           {226153695u, 1230515664u, 3580155704u},
                                           {1988835001u, 986791581u, 1230515664u}}};
    warpkit_cuda::mrg_matrix const two = {{{1464411153u, 277697599u, 1610723613u},
                                           {32183930u, 1464411153u, 1022607788u},
                                           {2824425944u, 32183930u, 2093834863u}}};
    warpkit_cuda::mrg_jump(s->s1, one, n, MRG32K3A_MOD1);
    warpkit_cuda::mrg_jump(s->s2, two, n, MRG32K3A_MOD2);
}
WARPKIT_CUDA_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
                                     unsigned long long offset, curandStateMRG32k3a* s) {
    for (int i = 0; i < 3; ++i) s->s1[i] = s->s2[i] = 12345u;
    if (seed != 0) {
        unsigned long long const x1 = (unsigned int)seed ^ 0x55555555u;
        unsigned long long const x2 = (unsigned int)(seed >> 32) ^ 0xAAAAAAAAu;
        for (int i = 0; i < 3; ++i) {
            s->s1[i] = (unsigned int)((i == 1 ? x2 : x1) * 12345u % MRG32K3A_MOD1);
            s->s2[i] = (unsigned int)((i == 1 ? x1 : x2) * 12345u % MRG32K3A_MOD2);
        }
    }
    skipahead_subsequence(subsequence, s);
    skipahead(offset, s);
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->boxmuller_extra = 0;
    s->boxmuller_extra_double = 0;
}
WARPKIT_CUDA_RANDOM double curand_MRG32k3a(curandStateMRG32k3a* s) {
    return (double)warpkit_cuda::mrg_next(s);
}
WARPKIT_CUDA_RANDOM unsigned int curand(curandStateMRG32k3a* s) {
    return (unsigned int)((double)warpkit_cuda::mrg_next(s) * 1.000000048662);
}

/* Sobol's sequences in the order of Gray's code: neighbours differ by one direction vector. */
namespace warpkit_cuda {
template <class State, class Word>
WARPKIT_CUDA_RANDOM void sobol_skip(Word n, State* s) {
    s->i += n;
    s->x = s->c;
    Word gray = s->i ^ (s->i >> 1);
    for (int k = 0; gray != 0; ++k, gray >>= 1)
        if (gray & 1) s->x ^= s->direction_vectors[k];
}
template <class State, class Word>
WARPKIT_CUDA_RANDOM void sobol_init(Word const* vectors, Word c, Word offset, State* s) {
    /* Libraries have vectors for so many dimensions; those beyond are zero, and make no sequence. */
    if (vectors[0] == 0) {
        printf("warpkit: curand_init: a direction vector is zero; there are vectors for 3,667 dimensions\n");
        __builtin_trap();
    }
    for (unsigned k = 0; k < 8 * sizeof(Word); ++k) s->direction_vectors[k] = vectors[k];
    s->c = c;
    s->i = 0;
    sobol_skip(offset, s);
}
template <class State>
WARPKIT_CUDA_RANDOM decltype(State::x) sobol_next(State* s) {
    auto const x = s->x;
    auto const low = ~s->i & (s->i + 1); /* the lowest bit that is not set, or 0 */
    int const k = low == 0 ? 0 : 63 - __builtin_clzll(low);
    s->x ^= s->direction_vectors[k];
    ++s->i;
    return x;
}
/* The normal distribution's inverse, from the nearer end. */
WARPKIT_CUDA_RANDOM float normal_at(unsigned int x) {
    bool const upper = x > 0x80000000u;
    if (upper) x = ~x;
    float const v = 1.4142135f * erfcinvf(2.0f * (x * CURAND_2POW32_INV + CURAND_2POW32_INV / 2.0f));
    return upper ? v : -v;
}
WARPKIT_CUDA_RANDOM float normal_at(unsigned long long x) { return normal_at((unsigned int)(x >> 32)); }
WARPKIT_CUDA_RANDOM double normal_double_at(unsigned int x) {
    bool const upper = x > 0x80000000u;
    if (upper) x = ~x;
    double const p = x * CURAND_2POW32_INV_DOUBLE + CURAND_2POW32_INV_DOUBLE / 2.0;
    double const v = 1.4142135623730951 * erfcinv(2.0 * p);
    return upper ? v : -v;
}
WARPKIT_CUDA_RANDOM double normal_double_at(unsigned long long x) {
    x >>= 11;
    bool const upper = x > 0x10000000000000ull;
    if (upper) x = 0x1fffffffffffffull - x;
    double const p = x * CURAND_2POW53_INV_DOUBLE + CURAND_2POW53_INV_DOUBLE / 2.0;
    double const v = 1.4142135623730951 * erfcinv(2.0 * p);
    return upper ? v : -v;
}
WARPKIT_CUDA_RANDOM float uniform_of(unsigned int x) {
    return (float)x * CURAND_2POW32_INV + CURAND_2POW32_INV / 2.0f;
}
WARPKIT_CUDA_RANDOM float uniform_of(unsigned long long x) { return uniform_of((unsigned int)(x >> 32)); }
WARPKIT_CUDA_RANDOM double uniform_double_at(unsigned int x) {
    return x * CURAND_2POW32_INV_DOUBLE + CURAND_2POW32_INV_DOUBLE;
}
WARPKIT_CUDA_RANDOM double uniform_double_at(unsigned long long x) {
    return (x >> 11) * CURAND_2POW53_INV_DOUBLE + CURAND_2POW53_INV_DOUBLE / 2.0;
}
/* The Poisson distribution's inverse, from where nothing that counts lies below. */
WARPKIT_CUDA_RANDOM unsigned int poisson_at(double u, double lambda) {
    double k = floor(lambda - 12 * sqrt(lambda));
    if (k < 0) k = 0;
    double p = exp(k * log(lambda) - lambda - lgamma(k + 1)), sum = p;
    while (u > sum && p > 0) {
        k += 1;
        p *= lambda / k;
        sum += p;
    }
    return (unsigned int)k;
}
} // namespace warpkit_cuda
#define WARPKIT_CUDA_SOBOL(State, Word)                                                                                \
    WARPKIT_CUDA_RANDOM Word curand(State* s) { return warpkit_cuda::sobol_next(s); }                                  \
    WARPKIT_CUDA_RANDOM void skipahead(Word n, State* s) { warpkit_cuda::sobol_skip(n, s); }                           \
    WARPKIT_CUDA_RANDOM float curand_uniform(State* s) { return warpkit_cuda::uniform_of(curand(s)); }                 \
    WARPKIT_CUDA_RANDOM double curand_uniform_double(State* s) { return warpkit_cuda::uniform_double_at(curand(s)); }  \
    WARPKIT_CUDA_RANDOM float curand_normal(State* s) { return warpkit_cuda::normal_at(curand(s)); }                   \
    WARPKIT_CUDA_RANDOM double curand_normal_double(State* s) { return warpkit_cuda::normal_double_at(curand(s)); }    \
    WARPKIT_CUDA_RANDOM unsigned int curand_poisson(State* s, double lambda) {                                         \
        return warpkit_cuda::poisson_at(curand_uniform_double(s), lambda);                                             \
    }
WARPKIT_CUDA_SOBOL(curandStateSobol32, unsigned int)
WARPKIT_CUDA_SOBOL(curandStateScrambledSobol32, unsigned int)
WARPKIT_CUDA_SOBOL(curandStateSobol64, unsigned long long)
WARPKIT_CUDA_SOBOL(curandStateScrambledSobol64, unsigned long long)
#undef WARPKIT_CUDA_SOBOL
WARPKIT_CUDA_RANDOM void curand_init(unsigned int const* vectors, unsigned int offset, curandStateSobol32* s) {
    warpkit_cuda::sobol_init(vectors, 0u, offset, s);
}
WARPKIT_CUDA_RANDOM void curand_init(unsigned int const* vectors, unsigned int scramble, unsigned int offset,
                                     curandStateScrambledSobol32* s) {
    warpkit_cuda::sobol_init(vectors, scramble, offset, s);
}
WARPKIT_CUDA_RANDOM void curand_init(unsigned long long const* vectors, unsigned long long offset,
                                     curandStateSobol64* s) {
    warpkit_cuda::sobol_init(vectors, 0ull, offset, s);
}
WARPKIT_CUDA_RANDOM void curand_init(unsigned long long const* vectors, unsigned long long scramble,
                                     unsigned long long offset, curandStateScrambledSobol64* s) {
    warpkit_cuda::sobol_init(vectors, scramble, offset, s);
}

/* Distributions. */
namespace warpkit_cuda {
WARPKIT_CUDA_RANDOM double uniform_double_of(unsigned int x, unsigned int y) {
    unsigned long long const z = (unsigned long long)x ^ ((unsigned long long)y << (53 - 32));
    return (double)z * CURAND_2POW53_INV_DOUBLE + CURAND_2POW53_INV_DOUBLE / 2.0;
}
WARPKIT_CUDA_RANDOM float2 normal_of(unsigned int x, unsigned int y) {
    float const u = (float)x * CURAND_2POW32_INV + CURAND_2POW32_INV / 2;
    float const v = (float)y * CURAND_2POW32_INV_2PI + CURAND_2POW32_INV_2PI / 2;
    float const s = sqrtf(-2.0f * logf(u));
    return make_float2(sinf(v) * s, cosf(v) * s);
}
WARPKIT_CUDA_RANDOM double2 normal_double_of(double u, double v) {
    double const s = sqrt(-2.0 * log(u));
    return make_double2(sin(2 * CURAND_PI_DOUBLE * v) * s, cos(2 * CURAND_PI_DOUBLE * v) * s);
}
} // namespace warpkit_cuda
WARPKIT_CUDA_RANDOM float curand_uniform(curandStateXORWOW* s) { return warpkit_cuda::uniform_of(curand(s)); }
WARPKIT_CUDA_RANDOM float curand_uniform(curandStatePhilox4_32_10* s) {
    return warpkit_cuda::uniform_of(curand(s));
}
WARPKIT_CUDA_RANDOM float curand_uniform(curandStateMRG32k3a* s) {
    return (float)(warpkit_cuda::mrg_next(s) * MRG32K3A_NORM);
}
WARPKIT_CUDA_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10* s) {
    uint4 const x = curand4(s);
    return make_float4(warpkit_cuda::uniform_of(x.x), warpkit_cuda::uniform_of(x.y),
                       warpkit_cuda::uniform_of(x.z), warpkit_cuda::uniform_of(x.w));
}
WARPKIT_CUDA_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10* s) {
    uint4 const x = curand4(s);
    return make_double2(warpkit_cuda::uniform_double_of(x.x, x.y), warpkit_cuda::uniform_double_of(x.z, x.w));
}
template <class State>
WARPKIT_CUDA_RANDOM double curand_uniform_double(State* s) {
    unsigned int const x = curand(s);
    return warpkit_cuda::uniform_double_of(x, curand(s));
}
WARPKIT_CUDA_RANDOM double curand_uniform_double(curandStateMRG32k3a* s) {
    return warpkit_cuda::mrg_next(s) * MRG32K3A_NORM;
}
template <class State>
WARPKIT_CUDA_RANDOM float2 curand_normal2(State* s) {
    unsigned int const x = curand(s);
    return warpkit_cuda::normal_of(x, curand(s));
}
template <class State>
WARPKIT_CUDA_RANDOM double2 curand_normal2_double(State* s) {
    double const u = curand_uniform_double(s);
    return warpkit_cuda::normal_double_of(u, curand_uniform_double(s));
}
/* Of MRG32k3a, which has no 32 bits, by its uniform numbers. */
WARPKIT_CUDA_RANDOM float2 curand_normal2(curandStateMRG32k3a* s) {
    float const u = curand_uniform(s), v = curand_uniform(s) * 6.2831855f;
    float const r = sqrtf(-2.0f * logf(u));
    return make_float2(sinf(v) * r, cosf(v) * r);
}
WARPKIT_CUDA_RANDOM float4 curand_normal4(curandStatePhilox4_32_10* s) {
    uint4 const x = curand4(s);
    float2 const a = warpkit_cuda::normal_of(x.x, x.y), b = warpkit_cuda::normal_of(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
template <class State>
WARPKIT_CUDA_RANDOM float curand_normal(State* s) {
    if (s->boxmuller_flag) {
        s->boxmuller_flag = 0;
        return s->boxmuller_extra;
    }
    float2 const v = curand_normal2(s);
    s->boxmuller_extra = v.y;
    s->boxmuller_flag = 1;
    return v.x;
}
template <class State>
WARPKIT_CUDA_RANDOM double curand_normal_double(State* s) {
    if (s->boxmuller_flag_double) {
        s->boxmuller_flag_double = 0;
        return s->boxmuller_extra_double;
    }
    double2 const v = curand_normal2_double(s);
    s->boxmuller_extra_double = v.y;
    s->boxmuller_flag_double = 1;
    return v.x;
}
template <class State>
WARPKIT_CUDA_RANDOM float curand_log_normal(State* s, float mean, float deviation) {
    return expf(mean + deviation * curand_normal(s));
}
template <class State>
WARPKIT_CUDA_RANDOM double curand_log_normal_double(State* s, double mean, double deviation) {
    return exp(mean + deviation * curand_normal_double(s));
}
/* D. Knuth's product of uniform numbers up to 64; beyond, W. Hoermann's transformed rejection (PTRS, 1993). */
template <class State>
WARPKIT_CUDA_RANDOM unsigned int curand_poisson(State* s, double lambda) {
    if (lambda < 64) {
        double const least = exp(-lambda);
        unsigned int k = 0;
        for (double p = curand_uniform_double(s); p > least; p *= curand_uniform_double(s)) ++k;
        return k;
    }
    double const b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b;
    double const inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        double const u = curand_uniform_double(s) - 0.5, v = curand_uniform_double(s);
        double const us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + lambda + 0.43);
        if (us >= 0.07 && v <= v_r) return (unsigned int)k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        if (log(v) + log(inverse_alpha) - log(a / (us * us) + b) <= -lambda + k * log(lambda) - lgamma(k + 1))
            return (unsigned int)k;
    }
}
#undef WARPKIT_CUDA_RANDOM
#endif

#include "letters_back.h"

#endif
