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
    curandGenerator_t none;
    expect(curandCreateGenerator(&none, CURAND_RNG_QUASI_SOBOL32) == CURAND_STATUS_TYPE_ERROR, "no Sobol");
    std::printf(wrong == 0 ? "PASSED\n" : "%d wrong\n", wrong);
    return wrong != 0;
}
