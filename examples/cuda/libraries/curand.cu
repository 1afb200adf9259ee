// cuRAND's host API. Number n of an output is from position n / S of sequence n % S of the generator, for S sequences
// (cuRAND Library Programming Guide, "Order"): 65,536 of XORWOW, 81,920 of MRG32k3a, or 4,096 in the legacy order. Of
// Philox number n is number n of its sequence 0. An output goes on where the one before has ended. Quasirandom numbers
// are those of the first dimension, then as many of the second, and so on.
#include <boost/random/sobol.hpp>

#include <cstdio>
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <new>
#include <type_traits>
#include <vector>

namespace {

enum class law { bits, uniform, normal, log_normal, poisson };

struct task {
    law what;
    double a, b; // mean and deviation, or lambda
};

template <class State>
__device__ void draw(State* s, task const& t, unsigned* x) {
    *x = t.what == law::poisson ? curand_poisson(s, t.a) : curand(s);
}
template <class State>
__device__ void draw(State* s, task const&, unsigned long long* x) {
    *x = curand(s);
}
template <class State>
__device__ void draw(State* s, task const& t, float* x) {
    if (t.what == law::uniform) {
        *x = curand_uniform(s);
    } else {
        float const v = (float)t.a + (float)t.b * curand_normal(s);
        *x = t.what == law::normal ? v : expf(v);
    }
}
template <class State>
__device__ void draw(State* s, task const& t, double* x) {
    if (t.what == law::uniform) {
        *x = curand_uniform_double(s);
    } else {
        double const v = t.a + t.b * curand_normal_double(s);
        *x = t.what == law::normal ? v : exp(v);
    }
}

template <class State>
__global__ void begin(State* states, unsigned count, unsigned long long seed, unsigned long long first) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    // The first numbers were taken, one from each sequence in turn.
    if (i < count) curand_init(seed, i, first / count + (i < first % count ? 1 : 0), &states[i]);
}
// Each sequence writes every `sequences`-th number.
template <class State, class T>
__global__ void fill(State* states, unsigned sequences, unsigned first, T* to, size_t count, task t) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= sequences) return;
    State s = states[i];
    for (size_t k = (i + sequences - first) % sequences; k < count; k += sequences) draw(&s, t, &to[k]);
    states[i] = s;
}
// Philox can begin anywhere: each thread draws a piece that begins at a multiple of four numbers. A Poisson number
// takes as many as it likes, so each thread has a sequence of its own for them.
template <class T>
__global__ void fill_from(unsigned long long seed, unsigned long long first, unsigned long long words,
                          unsigned long long sequence, T* to, size_t count, task t) {
    size_t const i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, each = 4;
    if (i * each >= count) return;
    curandStatePhilox4_32_10 s;
    if (t.what == law::poisson)
        curand_init(seed, sequence + i, first, &s);
    else
        curand_init(seed, 0, first + i * each * words, &s);
    for (size_t k = i * each; k < count && k < (i + 1) * each; ++k) draw(&s, t, &to[k]);
}

// Sobol's sequences: each thread has a piece of one dimension.
constexpr unsigned sobol_piece = 64;
template <class State, class Word, class T>
__global__ void fill_quasirandom(Word const* vectors, unsigned dimensions, unsigned long long first, T* to,
                                 size_t each, task t) {
    size_t const i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t const pieces = (each + sobol_piece - 1) / sobol_piece, dimension = i / pieces;
    size_t const from = i % pieces * sobol_piece;
    if (dimension >= dimensions) return;
    State s;
    curand_init(vectors + dimension * 8 * sizeof(Word), (Word)(first + from), &s);
    for (size_t k = from; k < each && k < from + sobol_piece; ++k) draw(&s, t, &to[dimension * each + k]);
}

// The direction vectors of Sobol's sequences: S. Joe and F. Kuo, "Constructing Sobol Sequences with Better
// Two-Dimensional Projections", 2008, their file new-joe-kuo-6.21201, of which Boost has the first 3,667 dimensions.
using published = boost::random::default_sobol_table;
constexpr unsigned sobol_dimensions = published::max_dimension, promised_dimensions = 20000;
template <class Word>
struct direction_vectors {
    static constexpr unsigned width = 8 * sizeof(Word);
    Word of[promised_dimensions][width]; // zero beyond those that there are
    direction_vectors() : of{} {
        for (unsigned k = 0; k < width; ++k) of[0][k] = Word(1) << (width - 1 - k);
        for (unsigned d = 1; d < sobol_dimensions; ++d) {
            unsigned const polynomial = published::polynomial(d - 1); // a bit for each coefficient
            unsigned const degree = 31 - __builtin_clz(polynomial);
            for (unsigned k = 0; k < width; ++k) {
                auto& v = of[d][k];
                if (k < degree) {
                    v = Word(published::minit(d - 1, k)) << (width - 1 - k);
                    continue;
                }
                v = of[d][k - degree] ^ (of[d][k - degree] >> degree);
                for (unsigned j = 1; j < degree; ++j)
                    if ((polynomial >> (degree - j) & 1) != 0) v ^= of[d][k - j];
            }
        }
    }
    static direction_vectors& instance() {
        static auto* const all = new direction_vectors;
        return *all;
    }
};

} // namespace

struct curandGenerator_st {
    curandRngType_t type;
    bool host;
    unsigned long long seed = 0, offset = 0;
    cudaStream_t stream = nullptr;
    unsigned sequences = 0;
    void* states = nullptr;         // of the sequences, once the first numbers were asked for
    unsigned turn = 0;              // the sequence of the next number
    unsigned long long outputs = 0; // of Poisson numbers, by Philox
    unsigned dimensions = 1;        // of quasirandom numbers
    bool is_quasirandom() const { return type >= CURAND_RNG_QUASI_DEFAULT; }
};

namespace {

template <class State, class T>
curandStatus_t generate_from(curandGenerator_st& g, T* to, size_t count, task t) {
    unsigned const sequences = g.sequences;
    if (g.states == nullptr) {
        if (cudaMalloc(&g.states, sequences * sizeof(State)) != cudaSuccess)
            return CURAND_STATUS_ALLOCATION_FAILED;
        begin<<<(sequences + 127) / 128, 128, 0, g.stream>>>((State*)g.states, sequences, g.seed, g.offset);
        g.turn = (unsigned)(g.offset % sequences);
    }
    fill<<<(sequences + 127) / 128, 128, 0, g.stream>>>((State*)g.states, sequences, g.turn, to, count, t);
    g.turn = (unsigned)((g.turn + count) % sequences);
    return cudaPeekAtLastError() == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}
template <class State, class Word, class T>
curandStatus_t generate_quasirandom(curandGenerator_st& g, T* to, size_t count, task t) {
    if (count % g.dimensions != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (g.states == nullptr) {
        auto const bytes = g.dimensions * sizeof direction_vectors<Word>::instance().of[0];
        if (cudaMalloc(&g.states, bytes) != cudaSuccess) return CURAND_STATUS_ALLOCATION_FAILED;
        if (cudaMemcpy(g.states, direction_vectors<Word>::instance().of, bytes, cudaMemcpyHostToDevice) !=
            cudaSuccess)
            return CURAND_STATUS_LAUNCH_FAILURE;
    }
    size_t const each = count / g.dimensions, pieces = (each + sobol_piece - 1) / sobol_piece;
    auto const blocks = (unsigned)((pieces * g.dimensions + 127) / 128);
    fill_quasirandom<State>
        <<<blocks, 128, 0, g.stream>>>((Word const*)g.states, g.dimensions, g.offset, to, each, t);
    g.offset += each;
    return cudaPeekAtLastError() == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}
template <class T>
curandStatus_t generate_on_device(curandGenerator_st& g, T* to, size_t count, task t) {
    // Words are asked for of their own size.
    if constexpr (std::is_same<T, unsigned long long>::value) {
        return g.type == CURAND_RNG_QUASI_SOBOL64
                   ? generate_quasirandom<curandStateSobol64, unsigned long long>(g, to, count, t)
                   : CURAND_STATUS_TYPE_ERROR;
    } else {
        if (g.type == CURAND_RNG_QUASI_SOBOL32)
            return generate_quasirandom<curandStateSobol32, unsigned>(g, to, count, t);
        if (g.type == CURAND_RNG_QUASI_SOBOL64 && t.what == law::bits) return CURAND_STATUS_TYPE_ERROR;
        if (g.type == CURAND_RNG_QUASI_SOBOL64)
            return generate_quasirandom<curandStateSobol64, unsigned long long>(g, to, count, t);
        if (g.type == CURAND_RNG_PSEUDO_XORWOW) return generate_from<curandStateXORWOW>(g, to, count, t);
        if (g.type == CURAND_RNG_PSEUDO_MRG32K3A) return generate_from<curandStateMRG32k3a>(g, to, count, t);
        unsigned long long const words = sizeof(T) / 4;
        size_t const threads = (count + 3) / 4;
        unsigned long long const sequence = t.what == law::poisson ? ++g.outputs << 32 : 0;
        fill_from<<<(unsigned)((threads + 127) / 128), 128, 0, g.stream>>>(g.seed, g.offset, words, sequence,
                                                                           to, count, t);
        if (t.what != law::poisson) g.offset += count * words;
        return cudaPeekAtLastError() == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
    }
}
template <class T>
curandStatus_t generate(curandGenerator_st* g, T* to, size_t count, task t) {
    if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (count == 0) return CURAND_STATUS_SUCCESS;
    if (to == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
    // Pseudorandom normal numbers come in pairs.
    if (!g->is_quasirandom() && (t.what == law::normal || t.what == law::log_normal) && count % 2 != 0)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (!g->host) return generate_on_device(*g, to, count, t);
    T* there = nullptr;
    if (cudaMalloc((void**)&there, count * sizeof(T)) != cudaSuccess) return CURAND_STATUS_ALLOCATION_FAILED;
    auto status = generate_on_device(*g, there, count, t);
    if (status == CURAND_STATUS_SUCCESS &&
        cudaMemcpy(to, there, count * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess)
        status = CURAND_STATUS_LAUNCH_FAILURE;
    cudaFree(there);
    return status;
}
void forget(curandGenerator_st& g) {
    if (g.states != nullptr) cudaFree(g.states);
    g.states = nullptr;
}
curandStatus_t create(curandGenerator_t* g, curandRngType_t type, bool host) {
    if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (type == CURAND_RNG_PSEUDO_DEFAULT) type = CURAND_RNG_PSEUDO_XORWOW;
    if (type == CURAND_RNG_QUASI_DEFAULT) type = CURAND_RNG_QUASI_SOBOL32;
    if (type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_MRG32K3A &&
        type != CURAND_RNG_PSEUDO_PHILOX4_32_10 && type != CURAND_RNG_QUASI_SOBOL32 &&
        type != CURAND_RNG_QUASI_SOBOL64) {
        std::fprintf(stderr,
                     "warpkit: curandCreateGenerator: generator %d is not supported; there are XORWOW, "
                     "MRG32k3a, Philox 4x32-10, Sobol32 and Sobol64\n",
                     (int)type);
        return CURAND_STATUS_TYPE_ERROR;
    }
    *g = new (std::nothrow) curandGenerator_st{type, host};
    if (*g == nullptr) return CURAND_STATUS_ALLOCATION_FAILED;
    (*g)->sequences = type == CURAND_RNG_PSEUDO_XORWOW ? 65536 : 81920;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t no_vectors(curandDirectionVectorSet_t set) {
    if (set == CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6 ||
        set == CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6)
        std::fprintf(stderr, "warpkit: curandGetDirectionVectors: scrambled vectors are not published; take "
                             "CURAND_DIRECTION_VECTORS_32_JOEKUO6 or _64_JOEKUO6\n");
    return CURAND_STATUS_OUT_OF_RANGE;
}

} // namespace

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t* g, curandRngType_t type) {
    return create(g, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* g, curandRngType_t type) {
    return create(g, type, true);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t g) {
    if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    forget(*g);
    delete g;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int* version) {
    if (version == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetProperty(libraryPropertyType type, int* value) {
    if (value == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
    *value = type == MAJOR_VERSION ? 10 : type == MINOR_VERSION ? 3 : 0;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream) {
    if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    g->stream = stream;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed) {
    if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (g->is_quasirandom()) return CURAND_STATUS_TYPE_ERROR;
    g->seed = seed;
    g->offset = 0;
    forget(*g);
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) {
    if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    g->offset = offset;
    forget(*g);
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order) {
    if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (g->is_quasirandom())
        return order == CURAND_ORDERING_QUASI_DEFAULT ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
    if (order < CURAND_ORDERING_PSEUDO_BEST || order > CURAND_ORDERING_PSEUDO_DYNAMIC)
        return CURAND_STATUS_OUT_OF_RANGE;
    forget(*g);
    g->sequences = order == CURAND_ORDERING_PSEUDO_LEGACY ? 4096
                   : g->type == CURAND_RNG_PSEUDO_XORWOW  ? 65536
                                                          : 81920;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned dimensions) {
    if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (!g->is_quasirandom()) return CURAND_STATUS_TYPE_ERROR;
    if (dimensions == 0 || dimensions > sobol_dimensions) {
        if (dimensions > sobol_dimensions && dimensions <= promised_dimensions)
            std::fprintf(stderr,
                         "warpkit: curandSetQuasiRandomGeneratorDimensions: %u dimensions; there are %u\n",
                         dimensions, sobol_dimensions);
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    forget(*g);
    g->dimensions = dimensions;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long* to, size_t count) {
    return generate(g, to, count, {law::bits, 0, 0});
}
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t** vectors,
                                           curandDirectionVectorSet_t set) {
    if (vectors == nullptr || set != CURAND_DIRECTION_VECTORS_32_JOEKUO6) return no_vectors(set);
    *vectors = direction_vectors<unsigned>::instance().of;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t** vectors,
                                           curandDirectionVectorSet_t set) {
    if (vectors == nullptr || set != CURAND_DIRECTION_VECTORS_64_JOEKUO6) return no_vectors(set);
    *vectors = direction_vectors<unsigned long long>::instance().of;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t g) {
    return g == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerate(curandGenerator_t g, unsigned* to, size_t count) {
    return generate(g, to, count, {law::bits, 0, 0});
}
curandStatus_t curandGenerateUniform(curandGenerator_t g, float* to, size_t count) {
    return generate(g, to, count, {law::uniform, 0, 0});
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double* to, size_t count) {
    return generate(g, to, count, {law::uniform, 0, 0});
}
curandStatus_t curandGenerateNormal(curandGenerator_t g, float* to, size_t count, float mean,
                                    float deviation) {
    return generate(g, to, count, {law::normal, mean, deviation});
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double* to, size_t count, double mean,
                                          double deviation) {
    return generate(g, to, count, {law::normal, mean, deviation});
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float* to, size_t count, float mean,
                                       float deviation) {
    return generate(g, to, count, {law::log_normal, mean, deviation});
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double* to, size_t count, double mean,
                                             double deviation) {
    return generate(g, to, count, {law::log_normal, mean, deviation});
}
curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned* to, size_t count, double lambda) {
    return lambda > 0 ? generate(g, to, count, {law::poisson, lambda, 0}) : CURAND_STATUS_OUT_OF_RANGE;
}

} // extern "C"
