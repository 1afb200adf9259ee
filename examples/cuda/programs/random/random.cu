// cuRAND's generators: known answers, jumps beside steps, host API beside device API, moments of the distributions.
#include <cmath>
#include <cstdio>
#include <curand.h>
#include <curand_kernel.h>
#include <vector>

static int wrong = 0;
static void expect(bool right, char const* what) {
    if (!right) ++wrong;
    if (!right) std::printf("WRONG: %s\n", what);
}

template <class State>
__global__ void draw(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                     unsigned* out, int n) {
    State s;
    curand_init(seed, sequence + threadIdx.x, offset, &s);
    for (int i = 0; i < n; ++i) out[threadIdx.x * n + i] = curand(&s);
}
template <class State>
std::vector<unsigned> drawn(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                            int n, int threads = 1) {
    unsigned* p;
    cudaMalloc((void**)&p, sizeof(unsigned) * n * threads);
    draw<State><<<1, threads>>>(seed, sequence, offset, p, n);
    std::vector<unsigned> v(n * threads);
    cudaMemcpy(v.data(), p, sizeof(unsigned) * v.size(), cudaMemcpyDeviceToHost);
    cudaFree(p);
    return v;
}
// Numbers from `offset` on are those of a longer run; the host draws what the device does.
template <class State>
void offsets(char const* name) {
    auto const all = drawn<State>(77, 3, 0, 300);
    for (int offset : {1, 2, 3, 4, 5, 17, 100, 255}) {
        auto const some = drawn<State>(77, 3, offset, 20);
        expect(std::equal(some.begin(), some.end(), all.begin() + offset), name);
    }
    State s;
    curand_init(77, 3, 0, &s);
    for (unsigned x : all) expect(curand(&s) == x, name);
}

template <class State, class Word>
__global__ void follow(Word const* vectors, Word offset, Word* out, int n) {
    State s;
    curand_init(vectors, offset, &s);
    for (int i = 0; i < n; ++i) out[i] = curand(&s);
}
template <class State>
__global__ void quantiles(unsigned const* vectors, double* normal, unsigned* poisson, int n) {
    State s;
    curand_init(vectors, 0, &s);
    for (int i = 0; i < n; ++i) normal[i] = curand_normal(&s);
    curand_init(vectors, 0, &s);
    for (int i = 0; i < n; ++i) poisson[i] = curand_poisson(&s, 30.0);
}
// Sobol's sequences beside the first points that Joe and Kuo print for three dimensions, beside what makes them
// sequences (of 2^k points at a multiple of 2^k one is in each of 2^k equal intervals, in every dimension), and in
// pairs of the first two dimensions, of which each of 2^a x 2^b boxes has one.
static void sobol() {
    int const n = 1024, dimensions = 200;
    curandGenerator_t g;
    expect(curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32) == CURAND_STATUS_SUCCESS, "Sobol's generator");
    expect(curandSetQuasiRandomGeneratorDimensions(g, 20001) == CURAND_STATUS_OUT_OF_RANGE,
           "too many dimensions");
    expect(curandSetQuasiRandomGeneratorDimensions(g, dimensions) == CURAND_STATUS_SUCCESS, "dimensions");
    expect(curandSetPseudoRandomGeneratorSeed(g, 1) == CURAND_STATUS_TYPE_ERROR,
           "Sobol's sequences have no seed");
    std::vector<unsigned> x(n * dimensions), rest(n * dimensions);
    unsigned* p;
    cudaMalloc((void**)&p, sizeof(unsigned) * x.size());
    expect(curandGenerate(g, p, n * dimensions + 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE,
           "a multiple of the dimensions");
    expect(curandGenerate(g, p, n * dimensions) == CURAND_STATUS_SUCCESS, "curandGenerate, Sobol");
    cudaMemcpy(x.data(), p, sizeof(unsigned) * x.size(), cudaMemcpyDeviceToHost);
    static double const points[10][3] = {{0, 0, 0},
                                         {.5, .5, .5},
                                         {.75, .25, .25},
                                         {.25, .75, .75},
                                         {.375, .375, .625},
                                         {.875, .875, .125},
                                         {.625, .125, .875},
                                         {.125, .625, .375},
                                         {.1875, .3125, .9375},
                                         {.6875, .8125, .4375}};
    for (int i = 0; i < 10; ++i)
        for (int d = 0; d < 3; ++d)
            expect(x[d * n + i] == points[i][d] * 4294967296.0, "Sobol's first points");
    for (int bits = 1; bits <= 10; ++bits)
        for (int from = 0; from < n; from += 1 << bits) {
            bool right = true;
            for (int d = 0; d < dimensions; ++d) {
                std::vector<bool> taken(1 << bits);
                for (int i = from; i < from + (1 << bits); ++i) taken[x[d * n + i] >> (32 - bits)] = true;
                for (bool t : taken) right = right && t;
            }
            for (int a = 0; a <= bits; ++a) {
                std::vector<bool> taken(1 << bits);
                for (int i = from; i < from + (1 << bits); ++i)
                    taken[(unsigned long long)x[i] >> (32 - a) << (bits - a) |
                          (unsigned long long)x[n + i] >> (32 - bits + a)] = true;
                for (bool t : taken) right = right && t;
            }
            expect(right, "Sobol's points in equal intervals and boxes");
        }
    // An output goes on where the one before has ended, or where it is told to begin; kernels have the same numbers.
    expect(curandGenerate(g, p, 2 * dimensions) == CURAND_STATUS_SUCCESS, "curandGenerate, Sobol again");
    cudaMemcpy(rest.data(), p, sizeof(unsigned) * 2 * dimensions, cudaMemcpyDeviceToHost);
    curandDirectionVectors32_t* vectors;
    expect(curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_32_JOEKUO6) ==
               CURAND_STATUS_SUCCESS,
           "curandGetDirectionVectors32");
    expect(curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_64_JOEKUO6) ==
               CURAND_STATUS_OUT_OF_RANGE,
           "vectors of 64 bits");
    unsigned *v, *out;
    cudaMalloc((void**)&v, sizeof vectors[0]);
    cudaMalloc((void**)&out, sizeof(unsigned) * n);
    for (int d : {0, 1, 7, dimensions - 1}) {
        cudaMemcpy(v, vectors[d], sizeof vectors[d], cudaMemcpyHostToDevice);
        std::vector<unsigned> device(n);
        for (unsigned offset : {0u, 1u, 5u, 512u, 1000u}) {
            follow<curandStateSobol32><<<1, 1>>>(v, offset, out, n - (int)offset);
            cudaMemcpy(device.data(), out, sizeof(unsigned) * (n - offset), cudaMemcpyDeviceToHost);
            expect(std::equal(device.begin(), device.end() - offset, x.begin() + d * n + offset),
                   "Sobol in kernels");
        }
        follow<curandStateSobol32><<<1, 1>>>(v, 1024u, out, 2);
        cudaMemcpy(device.data(), out, sizeof(unsigned) * 2, cudaMemcpyDeviceToHost);
        expect(device[0] == rest[2 * d] && device[1] == rest[2 * d + 1],
               "a second output of Sobol's generator");
        curandStateSobol32 s;
        curand_init(vectors[d], 3, &s);
        for (int i = 3; i < 50; ++i) expect(curand(&s) == x[d * n + i], "Sobol on the host");
    }
    // Quantiles: of n points in n equal intervals, the i-th smallest is the i-th quantile, nearly.
    double* normal;
    cudaMalloc((void**)&normal, sizeof(double) * n);
    cudaMemcpy(v, vectors[3], sizeof vectors[3], cudaMemcpyHostToDevice);
    quantiles<curandStateSobol32><<<1, 1>>>(v, normal, out, n);
    std::vector<double> q(n);
    std::vector<unsigned> k(n);
    cudaMemcpy(q.data(), normal, sizeof(double) * n, cudaMemcpyDeviceToHost);
    cudaMemcpy(k.data(), out, sizeof(unsigned) * n, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) {
        double const u = (x[3 * n + i] + 0.5) / 4294967296.0;
        expect(std::fabs(0.5 * std::erfc(-q[i] / std::sqrt(2.0)) - u) < 1e-6, "normal numbers by Sobol");
        double below = 0, p0 = std::exp(-30.0);
        for (unsigned j = 0; j < k[i]; ++j) below += p0, p0 *= 30.0 / (j + 1);
        expect(below <= u + 1e-9 && u - 1e-9 <= below + p0, "Poisson numbers by Sobol");
    }
    expect(curandDestroyGenerator(g) == CURAND_STATUS_SUCCESS, "curandDestroyGenerator");
    // 64 bits: the upper 32 are those of the other.
    expect(curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_SOBOL64) == CURAND_STATUS_SUCCESS, "Sobol64");
    std::vector<unsigned long long> wide(4 * 100);
    curandSetQuasiRandomGeneratorDimensions(g, 4);
    expect(curandSetGeneratorOffset(g, 7) == CURAND_STATUS_SUCCESS, "Sobol's offset");
    expect(curandGenerateLongLong(g, wide.data(), wide.size()) == CURAND_STATUS_SUCCESS,
           "curandGenerateLongLong");
    expect(curandGenerate(g, (unsigned*)wide.data(), 4) == CURAND_STATUS_TYPE_ERROR,
           "words of 32 bits of Sobol64");
    for (int d = 0; d < 4; ++d)
        for (int i = 0; i < 100; ++i)
            expect(wide[d * 100 + i] >> 32 == x[d * n + 7 + i], "Sobol64 beside Sobol32");
    std::vector<double> real(4 * 3);
    curandSetGeneratorOffset(g, 7);
    expect(curandGenerateUniformDouble(g, real.data(), real.size()) == CURAND_STATUS_SUCCESS,
           "uniform, Sobol64");
    for (int d = 0; d < 4; ++d)
        for (int i = 0; i < 3; ++i)
            expect(std::fabs(real[d * 3 + i] - wide[d * 100 + i] / 18446744073709551616.0) < 1e-15,
                   "uniform, Sobol64");
    curandDestroyGenerator(g);
    for (void* memory : {(void*)p, (void*)v, (void*)out, (void*)normal}) cudaFree(memory);
}

int main() {
    // Marsaglia's xorwow, step by step, from cuRAND's seeding of 0.
    {
        unsigned const t0 = 1099087573u * 0xaad26b49u, t1 = 2591861531u * 0xf7dcefddu;
        unsigned x = 123456789u + t0, y = 362436069u ^ t0, z = 521288629u + t1, w = 88675123u ^ t1,
                 v = 5783321u + t0;
        unsigned d = 6615241u + t1 + t0;
        for (unsigned got : drawn<curandStateXORWOW>(0, 0, 0, 50)) {
            unsigned const t = x ^ (x >> 2);
            x = y, y = z, z = w, w = v;
            v = (v ^ (v << 4)) ^ (t ^ (t << 1));
            expect(got == (d += 362437) + v, "XORWOW");
        }
    }
    // Philox of zeros and of ones, from Random123's known answers.
    uint4 const zeros = curand_Philox4x32_10(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
    expect(zeros.x == 0x6627e8d5 && zeros.y == 0xe169c58d && zeros.z == 0xbc57ac4c && zeros.w == 0x9b00dbd8,
           "Philox");
    uint4 const ones = curand_Philox4x32_10(make_uint4(~0u, ~0u, ~0u, ~0u), make_uint2(~0u, ~0u));
    expect(ones.x == 0x408f276d && ones.y == 0x41c83b0e && ones.z == 0xa20bc7c6 && ones.w == 0x6d5451fd,
           "Philox");
    // L'Ecuyer's MRG32k3a from 12345: its first numbers, as RngStreams prints them.
    {
        curandStateMRG32k3a s;
        curand_init(0, 0, 0, &s);
        double const first = curand_uniform_double(&s), second = curand_uniform_double(&s);
        expect(std::fabs(first - 0.127011122046577) < 1e-12 && std::fabs(second - 0.318527565396797) < 1e-12,
               "MRG32k3a");
    }
    offsets<curandStateXORWOW>("XORWOW, offsets");
    offsets<curandStatePhilox4_32_10>("Philox, offsets");
    offsets<curandStateMRG32k3a>("MRG32k3a, offsets");
    // Each jump is the one before, twice.
    for (int k = 0; k + 1 < 64; ++k) {
        curandStateXORWOW a, b;
        curand_init(5, 0, 0, &a);
        b = a;
        skipahead_sequence(1ull << k, &a);
        skipahead_sequence(1ull << k, &a);
        skipahead_sequence(2ull << k, &b);
        expect(curand(&a) == curand(&b), "XORWOW, sequences");
    }
    {
        curandStateXORWOW a, b;
        curand_init(5, 1, 0, &a);
        curand_init(5, 0, 0, &b);
        for (int i = 0; i < 8; ++i) skipahead(1ull << 63, &b); // 2^66 steps
        for (int i = 0; i < 8; ++i) skipahead(1ull << 63, &b); // and as many again
        expect(curand(&a) == curand(&b), "XORWOW, a sequence is 2^67 numbers");
    }

    // The host's API: number n is from sequence n % S. Two outputs go on where one has ended.
    for (auto const type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_PHILOX4_32_10}) {
        curandGenerator_t g;
        expect(curandCreateGenerator(&g, type) == CURAND_STATUS_SUCCESS, "curandCreateGenerator");
        curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY);
        curandSetPseudoRandomGeneratorSeed(g, 99);
        int const n = 5000;
        unsigned* p;
        cudaMalloc((void**)&p, sizeof(unsigned) * n);
        expect(curandGenerate(g, p, 1000) == CURAND_STATUS_SUCCESS, "curandGenerate");
        expect(curandGenerate(g, p + 1000, n - 1000) == CURAND_STATUS_SUCCESS, "curandGenerate");
        std::vector<unsigned> v(n);
        cudaMemcpy(v.data(), p, sizeof(unsigned) * n, cudaMemcpyDeviceToHost);
        if (type == CURAND_RNG_PSEUDO_XORWOW) {
            auto const want = drawn<curandStateXORWOW>(99, 0, 0, 2, 64);
            bool right = true;
            for (int i = 0; i < 64; ++i)
                right = right && v[i] == want[2 * i] && v[4096 + i] == want[2 * i + 1];
            expect(right, "curandGenerate, XORWOW");
        } else {
            expect(v == drawn<curandStatePhilox4_32_10>(99, 0, 0, n), "curandGenerate, Philox");
        }
        float* f = (float*)p;
        expect(curandGenerateNormal(g, f, 4096, 10, 2) == CURAND_STATUS_SUCCESS, "curandGenerateNormal");
        std::vector<float> x(4096);
        cudaMemcpy(x.data(), f, sizeof(float) * x.size(), cudaMemcpyDeviceToHost);
        double mean = 0, square = 0;
        for (float a : x) mean += a / 4096.0;
        for (float a : x) square += (a - mean) * (a - mean) / 4096.0;
        expect(std::fabs(mean - 10) < 0.15 && std::fabs(std::sqrt(square) - 2) < 0.1, "normal numbers");
        expect(curandGenerateUniform(g, f, 4096) == CURAND_STATUS_SUCCESS, "curandGenerateUniform");
        cudaMemcpy(x.data(), f, sizeof(float) * x.size(), cudaMemcpyDeviceToHost);
        mean = 0;
        bool inside = true;
        for (float a : x) mean += a / 4096.0, inside = inside && a > 0 && a <= 1;
        expect(inside && std::fabs(mean - 0.5) < 0.02, "uniform numbers");
        for (double lambda : {3.0, 500.0}) {
            expect(curandGeneratePoisson(g, p, 4096, lambda) == CURAND_STATUS_SUCCESS,
                   "curandGeneratePoisson");
            cudaMemcpy(v.data(), p, sizeof(unsigned) * 4096, cudaMemcpyDeviceToHost);
            mean = 0;
            for (int i = 0; i < 4096; ++i) mean += v[i] / 4096.0;
            expect(std::fabs(mean - lambda) < 5 * std::sqrt(lambda / 4096), "Poisson numbers");
        }
        expect(curandGenerateNormal(g, f, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE,
               "an odd number of normal numbers");
        expect(curandDestroyGenerator(g) == CURAND_STATUS_SUCCESS, "curandDestroyGenerator");
        cudaFree(p);
    }
    sobol();
    curandGenerator_t none;
    expect(curandCreateGenerator(&none, CURAND_RNG_PSEUDO_MT19937) == CURAND_STATUS_TYPE_ERROR, "no MT19937");
    std::printf(wrong == 0 ? "PASSED\n" : "%d wrong\n", wrong);
    return wrong != 0;
}
