// cuFFT against the sums that define a transform: sizes with all kinds of factors, one to three dimensions, both
// directions, real and complex, in place and not, batches, and rows that lie apart.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cufftXt.h>
#include <cufftw.h>
#include <vector>

namespace {

int failures = 0;
void check(bool good, char const* what, int line) {
    if (good) return;
    std::printf("FAILED: line %d: %s\n", line, what);
    ++failures;
}
#define EXPECT(x) check((x), #x, __LINE__)
#define OK(x) EXPECT((x) == CUFFT_SUCCESS)

using number = std::complex<double>;

double uniform() { return std::rand() / (double)RAND_MAX - 0.5; }
std::vector<number> some(size_t n, bool real) {
    std::vector<number> v(n);
    for (auto& x : v) x = real ? number(uniform()) : number(uniform(), uniform());
    return v;
}
// Of a dense array of nx x ny x nz, by the definition, one dimension after the other.
std::vector<number> transform(std::vector<number> a, int nx, int ny, int nz, int sign) {
    auto const along = [&](int n, int step) {
        auto const before = a;
        for (size_t i = 0; i < a.size(); ++i) {
            int const k = (int)(i / step) % n;
            auto const first = i - (size_t)k * step;
            a[i] = 0;
            for (int j = 0; j < n; ++j)
                a[i] +=
                    before[first + (size_t)j * step] * std::polar(1.0, sign * 2 * M_PI * (double(j) * k / n));
        }
    };
    along(nz, 1);
    along(ny, nz);
    along(nx, ny * nz);
    return a;
}
template <class T>
struct on_device {
    T* p = nullptr;
    size_t n;
    explicit on_device(size_t count) : n(count) { cudaMalloc(&p, n * sizeof(T)); }
    explicit on_device(std::vector<T> const& v) : on_device(v.size()) {
        cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~on_device() { cudaFree(p); }
    on_device(on_device const&) = delete;
    on_device& operator=(on_device const&) = delete;
    std::vector<T> read() const {
        std::vector<T> v(n);
        cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
        return v;
    }
};
bool near(number a, number b, double size, bool single) {
    return std::abs(a - b) <= (single ? 1e-6 : 1e-14) * (1 + size);
}

struct single {
    using real = float;
    using complex = cufftComplex;
    static constexpr cufftType forward = CUFFT_R2C, back = CUFFT_C2R, both = CUFFT_C2C;
    static auto r2c(cufftHandle h, real* a, complex* b) { return cufftExecR2C(h, a, b); }
    static auto c2r(cufftHandle h, complex* a, real* b) { return cufftExecC2R(h, a, b); }
    static auto c2c(cufftHandle h, complex* a, complex* b, int d) { return cufftExecC2C(h, a, b, d); }
};
struct twice {
    using real = double;
    using complex = cufftDoubleComplex;
    static constexpr cufftType forward = CUFFT_D2Z, back = CUFFT_Z2D, both = CUFFT_Z2Z;
    static auto r2c(cufftHandle h, real* a, complex* b) { return cufftExecD2Z(h, a, b); }
    static auto c2r(cufftHandle h, complex* a, real* b) { return cufftExecZ2D(h, a, b); }
    static auto c2c(cufftHandle h, complex* a, complex* b, int d) { return cufftExecZ2Z(h, a, b, d); }
};
template <class P>
typename P::complex of(number v) {
    typename P::complex c;
    c.x = (typename P::real)v.real();
    c.y = (typename P::real)v.imag();
    return c;
}
cufftResult plan(cufftHandle* h, int nx, int ny, int nz, cufftType type, int batch) {
    if (nx > 1) return cufftPlan3d(h, nx, ny, nz, type);
    return ny > 1 ? cufftPlan2d(h, ny, nz, type) : cufftPlan1d(h, nz, type, batch);
}

template <class P>
void transforms(int nx, int ny, int nz, int batch) {
    using C = typename P::complex;
    using R = typename P::real;
    bool const is_single = sizeof(R) == 4;
    size_t const n = (size_t)nx * ny * nz;
    double const size = (double)n;
    cufftHandle h = 0;
    // Complex numbers, both ways, in place and not.
    OK(plan(&h, nx, ny, nz, P::both, batch));
    auto const a = some(n * batch, false);
    std::vector<C> bits;
    for (auto const v : a) bits.push_back(of<P>(v));
    for (int const sign : {CUFFT_FORWARD, CUFFT_INVERSE}) {
        on_device<C> const in(bits), out(bits.size());
        OK(P::c2c(h, in.p, out.p, sign));
        OK(P::c2c(h, in.p, in.p, sign));
        auto const found = out.read(), same = in.read();
        for (int b = 0; b < batch; ++b) {
            auto const wanted = transform({a.begin() + b * n, a.begin() + (b + 1) * n}, nx, ny, nz, sign);
            bool right = true;
            for (size_t i = 0; i < n; ++i) {
                auto const& f = found[b * n + i];
                right = right && near({f.x, f.y}, wanted[i], size, is_single) && same[b * n + i].x == f.x;
            }
            EXPECT(right);
        }
    }
    OK(cufftDestroy(h));
    // Real numbers to half of their spectrum, and that to n times the numbers.
    size_t const half = nz / 2 + 1, rows = (size_t)nx * ny * batch;
    auto const r = some(n * batch, true);
    for (bool const in_place : {false, true}) {
        size_t const row = in_place ? 2 * half : nz;
        std::vector<R> given(rows * row);
        for (size_t i = 0; i < rows; ++i)
            for (int z = 0; z < nz; ++z) given[i * row + z] = (R)r[i * nz + z].real();
        on_device<R> const in(given);
        on_device<C> const other(rows * half);
        C* const spectrum = in_place ? (C*)in.p : other.p;
        OK(plan(&h, nx, ny, nz, P::forward, batch));
        OK(P::r2c(h, in.p, spectrum));
        OK(cufftDestroy(h));
        std::vector<C> found(rows * half);
        cudaMemcpy(found.data(), spectrum, found.size() * sizeof(C), cudaMemcpyDeviceToHost);
        bool right = true;
        for (int b = 0; b < batch; ++b) {
            auto const wanted = transform({r.begin() + b * n, r.begin() + (b + 1) * n}, nx, ny, nz, -1);
            for (size_t i = 0; i < (size_t)nx * ny; ++i)
                for (size_t z = 0; z < half; ++z) {
                    auto const& f = found[(b * nx * ny + i) * half + z];
                    right = right && near({f.x, f.y}, wanted[i * nz + z], size, is_single);
                }
        }
        EXPECT(right);
        OK(plan(&h, nx, ny, nz, P::back, batch));
        OK(P::c2r(h, spectrum, in.p));
        OK(cufftDestroy(h));
        auto const back = in.read();
        right = true;
        for (size_t i = 0; i < rows; ++i)
            for (int z = 0; z < nz; ++z)
                right = right && near(back[i * row + z], r[i * nz + z] * size, size, is_single);
        EXPECT(right);
    }
}

// Every third number, rows of 20 of which 12 count, to a dense array.
void apart() {
    int n[] = {5, 12}, inembed[] = {5, 20}, onembed[] = {5, 12};
    int const step = 3, distance = 5 * 20 * 3 + 7, batch = 2;
    std::vector<cufftDoubleComplex> given(distance * batch);
    for (auto& v : given) v = of<twice>({uniform(), uniform()});
    on_device<cufftDoubleComplex> const in(given), out(60 * batch);
    cufftHandle h = 0;
    OK(cufftPlanMany(&h, 2, n, inembed, step, distance, onembed, 1, 60, CUFFT_Z2Z, batch));
    OK(cufftExecZ2Z(h, in.p, out.p, CUFFT_FORWARD));
    auto const found = out.read();
    bool right = true;
    for (int b = 0; b < batch; ++b) {
        std::vector<number> dense;
        for (int y = 0; y < 5; ++y)
            for (int z = 0; z < 12; ++z) {
                auto const& v = given[b * distance + (y * 20 + z) * step];
                dense.emplace_back(v.x, v.y);
            }
        auto const wanted = transform(dense, 1, 5, 12, -1);
        for (int i = 0; i < 60; ++i) {
            auto const& f = found[b * 60 + i];
            right = right && near({f.x, f.y}, wanted[i], 60, false);
        }
    }
    EXPECT(right);
    EXPECT(cufftExecC2C(h, nullptr, nullptr, CUFFT_FORWARD) == CUFFT_INVALID_TYPE);
    OK(cufftDestroy(h));
    EXPECT(cufftDestroy(h) == CUFFT_INVALID_PLAN);
    EXPECT(cufftPlan1d(&h, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
}

// Plans by the types of their data do what those by name do.
void by_data_types() {
    long long n[] = {6, 10};
    int narrow[] = {6, 10};
    std::vector<cufftReal> given(2 * 60);
    for (auto& v : given) v = (float)uniform();
    on_device<cufftReal> const in(given);
    on_device<cufftComplex> const one(2 * 36), other(2 * 36);
    cufftHandle h = 0, named = 0;
    size_t bytes = 1;
    OK(cufftCreate(&h));
    OK(cufftXtMakePlanMany(h, 2, n, nullptr, 1, 0, CUDA_R_32F, nullptr, 1, 0, CUDA_C_32F, 2, &bytes,
                           CUDA_C_32F));
    EXPECT(bytes == 0);
    OK(cufftXtExec(h, in.p, one.p, CUFFT_FORWARD));
    OK(cufftPlanMany(&named, 2, narrow, nullptr, 1, 0, nullptr, 1, 0, CUFFT_R2C, 2));
    OK(cufftExecR2C(named, in.p, other.p));
    auto const a = one.read(), b = other.read();
    bool same = true;
    for (size_t i = 0; i < a.size(); ++i) same = same && a[i].x == b[i].x && a[i].y == b[i].y;
    EXPECT(same);
    EXPECT(cufftXtMakePlanMany(h, 2, n, nullptr, 1, 0, CUDA_C_32F, nullptr, 1, 0, CUDA_C_32F, 1, &bytes,
                               CUDA_C_64F) == CUFFT_INVALID_TYPE);
    EXPECT(cufftXtMakePlanMany(h, 2, n, nullptr, 1, 0, CUDA_C_16F, nullptr, 1, 0, CUDA_C_16F, 1, &bytes,
                               CUDA_C_16F) == CUFFT_NOT_SUPPORTED);
    n[0] = 1LL << 40;
    EXPECT(cufftMakePlanMany64(h, 1, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1, &bytes) ==
           CUFFT_INVALID_SIZE);
    OK(cufftDestroy(h));
    OK(cufftDestroy(named));
}

// FFTW's calls, with arrays on the host and the device. What lies between the numbers of a transform is left alone.
bool alike(std::vector<number> const& want, double const* found, double most = 1e-12) {
    for (size_t i = 0; i < want.size(); ++i)
        if (std::abs(want[i] - number(found[2 * i], found[2 * i + 1])) > most) return false;
    return true;
}
std::vector<double> flat(std::vector<number> const& v) {
    std::vector<double> f;
    for (auto const x : v) f.insert(f.end(), {x.real(), x.imag()});
    return f;
}
std::vector<number> rows_halved(std::vector<number> const& v, int n) {
    std::vector<number> h;
    for (size_t i = 0; i < v.size(); ++i)
        if ((int)(i % n) <= n / 2) h.push_back(v[i]);
    return h;
}
void by_fftw() {
    for (int const sign : {FFTW_FORWARD, FFTW_BACKWARD}) {
        auto const a = some(60, false);
        auto const want = transform(a, 3, 4, 5, sign);
        auto in = flat(a), kept = in;
        std::vector<double> out(120);
        auto* const from = (fftw_complex*)in.data();
        auto plan = fftw_plan_dft_3d(3, 4, 5, from, (fftw_complex*)out.data(), sign, FFTW_ESTIMATE);
        fftw_execute(plan);
        EXPECT(alike(want, out.data()) && in == kept);
        // Other arrays by the same plan: on the device, and in place.
        on_device<double> x(in), y(120);
        fftw_execute_dft(plan, (fftw_complex*)x.p, (fftw_complex*)y.p);
        EXPECT(alike(want, y.read().data()));
        fftw_execute_dft(plan, from, from);
        EXPECT(alike(want, in.data()));
        fftw_destroy_plan(plan);
        auto single = std::vector<float>(kept.begin(), kept.end());
        int const n[] = {12, 5};
        auto* const both = (fftwf_complex*)single.data();
        auto narrow = fftwf_plan_dft(2, n, both, both, sign, FFTW_MEASURE);
        fftwf_execute(narrow);
        EXPECT(alike(transform(a, 1, 12, 5, sign), std::vector<double>(single.begin(), single.end()).data(),
                     1e-5));
        fftwf_destroy_plan(narrow);
    }
    for (int const n : {6, 7}) { // real, there and back; in place with the rows' ends free
        auto const a = some(4 * n, true);
        auto const want = rows_halved(transform(a, 1, 4, n, -1), n);
        int const half = n / 2 + 1;
        std::vector<double> real, out(8 * half), back(4 * n), padded(8 * half, 77);
        for (auto const x : a) real.push_back(x.real());
        for (int i = 0; i < 4 * n; ++i) padded[i / n * 2 * half + i % n] = real[i];
        auto* const spectrum = (fftw_complex*)out.data();
        auto there = fftw_plan_dft_r2c_2d(4, n, real.data(), spectrum, FFTW_ESTIMATE);
        auto home = fftw_plan_dft_c2r_2d(4, n, spectrum, back.data(), FFTW_ESTIMATE);
        fftw_execute(there);
        EXPECT(alike(want, out.data()));
        fftw_execute(home);
        bool same = true;
        for (int i = 0; i < 4 * n; ++i) same = same && std::fabs(back[i] / (4 * n) - real[i]) < 1e-14;
        EXPECT(same);
        fftw_destroy_plan(there);
        fftw_destroy_plan(home);
        auto* const over = (fftw_complex*)padded.data();
        there = fftw_plan_dft_r2c_2d(4, n, padded.data(), over, FFTW_ESTIMATE);
        home = fftw_plan_dft_c2r_2d(4, n, over, padded.data(), FFTW_ESTIMATE);
        fftw_execute_dft_r2c(there, padded.data(), over);
        EXPECT(alike(want, padded.data()));
        fftw_execute_dft_c2r(home, over, padded.data());
        same = true;
        for (int i = 0; i < 4 * n; ++i)
            same = same && std::fabs(padded[i / n * 2 * half + i % n] / (4 * n) - real[i]) < 1e-14;
        EXPECT(same);
        fftw_destroy_plan(there);
        fftw_destroy_plan(home);
    }
    // Two transforms of 8, every third number, 30 apart.
    auto const a = some(60, false);
    auto const in = flat(a);
    std::vector<double> out(2 * 40, 9);
    int const n = 8;
    auto plan = fftw_plan_many_dft(1, &n, 2, (fftw_complex*)in.data(), nullptr, 3, 30,
                                   (fftw_complex*)out.data(), nullptr, 2, 20, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    bool right = true;
    for (int b = 0; b < 2; ++b) {
        std::vector<number> row;
        for (int i = 0; i < 8; ++i) row.push_back(a[30 * b + 3 * i]);
        auto const want = transform(row, 1, 1, 8, -1);
        for (int i = 0; i < 20; ++i) {
            number const found(out[2 * (20 * b + i)], out[2 * (20 * b + i) + 1]);
            right = right && std::abs(found - (i < 16 && i % 2 == 0 ? want[i / 2] : number(9, 9))) < 1e-12;
        }
    }
    EXPECT(right);
    auto* const some_array = (fftw_complex*)fftw_malloc(16 * sizeof(fftw_complex));
    EXPECT(some_array != nullptr && fftw_plan_dft_1d(0, some_array, some_array, -1, 0) == nullptr &&
           fftw_plan_dft_1d(8, nullptr, some_array, -1, 0) == nullptr &&
           fftw_plan_dft_1d(8, some_array, some_array, 3, 0) == nullptr &&
           fftw_plan_dft(4, &n, some_array, some_array, -1, 0) == nullptr);
    fftw_free(some_array);
    fftw_destroy_plan(nullptr);
    fftw_cleanup();
}

} // namespace

int main() {
    for (int const n : {1, 2, 3, 4, 7, 8, 12, 30, 64, 105, 128, 211}) transforms<twice>(1, 1, n, 3);
    for (int const n : {16, 60, 49}) transforms<single>(1, 1, n, 2);
    transforms<single>(1, 6, 10, 1);
    transforms<twice>(1, 8, 9, 1);
    transforms<twice>(4, 3, 5, 1);
    transforms<single>(2, 6, 8, 1);
    apart();
    by_data_types();
    by_fftw();
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? 0 : 1;
}
