// cuFFT: transforms of any size, dimension after dimension, by Stockham's method (Govindaraju et al., "High Performance
// Discrete Fourier Transforms on Graphics Processors", 2008) with the factors of the size as radices. The array is
// copied, dense and complex, transformed, and copied back.
#include "numbers.cuh"

#include <climits>
#include <cufftXt.h>
#include <map>
#include <utility>
#include <vector>

namespace {

// Where an element lies in a program's array: `embed` elements in each dimension, `step` apart, arrays `distance` apart.
struct layout {
    int embed[3];
    long long step, distance;
};
struct shape {
    int rank, n[3];
    __host__ __device__ long long count() const { return (long long)n[0] * n[1] * n[2]; }
};
struct plan {
    bool made = false;
    shape of{};
    layout in{}, out{};
    bool in_given = false, out_given = false;
    cufftType type = CUFFT_C2C;
    int batch = 0;
    cudaStream_t stream = nullptr;
};
std::map<cufftHandle, plan>& plans() {
    static auto* const all = new std::map<cufftHandle, plan>;
    return *all;
}
plan* find(cufftHandle handle) {
    auto const i = plans().find(handle);
    return i == plans().end() ? nullptr : &i->second;
}

// Complex numbers of a precision.
template <class R>
struct complex_of;
template <>
struct complex_of<float> {
    using type = cuComplex;
};
template <>
struct complex_of<double> {
    using type = cuDoubleComplex;
};
template <class R>
__host__ __device__ typename complex_of<R>::type make_number(R x, R y) {
    typename complex_of<R>::type c;
    c.x = x;
    c.y = y;
    return c;
}

__device__ long long thread_number() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }
unsigned blocks(long long items) { return (unsigned)((items + 255) / 256); }

// Coordinates of element i of a dense array, and its place in a layout.
struct coordinates {
    int at[3];
    __device__ coordinates(shape const& s, long long i) {
        at[2] = (int)(i % s.n[2]);
        at[1] = (int)(i / s.n[2] % s.n[1]);
        at[0] = (int)(i / s.n[2] / s.n[1]);
    }
    __device__ long long place(layout const& l) const {
        return (((long long)at[0] * l.embed[1] + at[1]) * l.embed[2] + at[2]) * l.step;
    }
};
enum class reads { complex_numbers, real_numbers, half_of_it };

// A program's array as a dense one of complex numbers. Of the spectrum of real numbers half is there; the other half is
// its mirror image, conjugated.
template <class R>
__global__ void load(shape s, int batch, layout l, reads what, void const* from,
                     typename complex_of<R>::type* to) {
    using C = typename complex_of<R>::type;
    auto const i = thread_number();
    if (i >= s.count() * batch) return;
    auto const first = i / s.count() * l.distance;
    coordinates c(s, i % s.count());
    if (what == reads::real_numbers) {
        to[i] = make_number<R>(((R const*)from)[first + c.place(l)], 0);
        return;
    }
    bool const mirrored = what == reads::half_of_it && c.at[2] > s.n[2] / 2;
    for (int d = 0; mirrored && d < 3; ++d) c.at[d] = c.at[d] == 0 ? 0 : s.n[d] - c.at[d];
    C const v = ((C const*)from)[first + c.place(l)];
    to[i] = mirrored ? number<C>::conjugate(v) : v;
}
template <class R>
__global__ void store(shape s, int batch, layout l, reads what, typename complex_of<R>::type const* from,
                      void* to) {
    using C = typename complex_of<R>::type;
    auto const i = thread_number();
    if (i >= s.count() * batch) return;
    auto const first = i / s.count() * l.distance;
    coordinates const c(s, i % s.count());
    if (what == reads::real_numbers)
        ((R*)to)[first + c.place(l)] = from[i].x;
    else if (what == reads::complex_numbers || c.at[2] <= s.n[2] / 2)
        ((C*)to)[first + c.place(l)] = from[i];
}
// exp(sign 2 pi i k / n)
template <class R>
__global__ void roots(int n, int sign, typename complex_of<R>::type* to) {
    auto const k = thread_number();
    if (k >= n) return;
    double s, c;
    sincospi(2.0 * (double)k / n, &s, &c);
    to[k] = make_number<R>((R)c, (R)(sign * s));
}
// One stage over lines of n elements, `step` apart: a thread for a result. `done` is the product of the radices before.
template <class C>
__global__ void stage(long long total, int n, long long step, int radix, int done, C const* root,
                      C const* from, C* to) {
    auto const i = thread_number();
    if (i >= total) return;
    auto const inner = i % step, outer = i / step / n;
    int const at = (int)(i / step % n);
    // Result `at` is output q of butterfly j.
    int const block = at / (done * radix), q = at % (done * radix) / done, k = at % done;
    int const j = block * done + k;
    C sum = number<C>::zero();
    long long turn = 0;
    auto const by = (long long)(k + (long long)q * done) * (n / (done * radix));
    for (int r = 0; r < radix; ++r) {
        C const v = from[(outer * n + j + (long long)r * (n / radix)) * step + inner];
        sum = number<C>::sum(sum, number<C>::product(v, root[turn]));
        turn = (turn + by) % n;
    }
    to[(outer * n + at) * step + inner] = sum;
}

std::vector<int> radices(int n) {
    std::vector<int> all;
    for (int const r : {4, 2})
        for (; n % r == 0; n /= r) all.push_back(r);
    for (int r = 3; n > 1; r += 2)
        for (; n % r == 0; n /= r) all.push_back(r);
    return all;
}

template <class R>
cufftResult execute(plan const& p, void* in, void* out, reads source, reads result, int sign) {
    using C = typename complex_of<R>::type;
    if (in == nullptr || out == nullptr) return CUFFT_INVALID_VALUE;
    auto const& s = p.of;
    auto const total = s.count() * p.batch;
    auto from = p.in, to = p.out;
    // In place, rows of real numbers have room for their spectrum.
    auto const pad = [&](layout& l) {
        l.embed[2] = 2 * (s.n[2] / 2 + 1);
        l.distance = (long long)l.embed[0] * l.embed[1] * l.embed[2];
    };
    if (in == out && source == reads::real_numbers && !p.in_given) pad(from);
    if (in == out && result == reads::real_numbers && !p.out_given) pad(to);
    C *a = nullptr, *b = nullptr, *root = nullptr;
    int const longest = s.n[0] > s.n[1]   ? (s.n[0] > s.n[2] ? s.n[0] : s.n[2])
                        : s.n[1] > s.n[2] ? s.n[1]
                                          : s.n[2];
    bool const good = cudaMalloc(&a, total * sizeof(C)) == cudaSuccess &&
                      cudaMalloc(&b, total * sizeof(C)) == cudaSuccess &&
                      cudaMalloc(&root, longest * sizeof(C)) == cudaSuccess;
    if (good) {
        load<R><<<blocks(total), 256, 0, p.stream>>>(s, p.batch, from, source, in, a);
        long long step = 1;
        for (int d = 2; d >= 0; step *= s.n[d], --d) {
            int const n = s.n[d];
            if (n == 1) continue;
            roots<R><<<blocks(n), 256, 0, p.stream>>>(n, sign, root);
            int done = 1;
            for (int const radix : radices(n)) {
                stage<C><<<blocks(total), 256, 0, p.stream>>>(total, n, step, radix, done, root, a, b);
                done *= radix;
                std::swap(a, b);
            }
        }
        store<R><<<blocks(total), 256, 0, p.stream>>>(s, p.batch, to, result, a, out);
    }
    bool const ran = good && cudaPeekAtLastError() == cudaSuccess;
    for (auto* const q : {a, b, root}) cudaFree(q);
    return ran ? CUFFT_SUCCESS : good ? CUFFT_EXEC_FAILED : CUFFT_ALLOC_FAILED;
}
cufftResult checked(cufftHandle handle, cufftType type, plan*& p) {
    p = find(handle);
    if (p == nullptr || !p->made) return CUFFT_INVALID_PLAN;
    return p->type == type ? CUFFT_SUCCESS : CUFFT_INVALID_TYPE;
}

// Sizes and strides are int or long long; those beyond int are refused.
template <class Int>
cufftResult make(cufftHandle handle, int rank, Int const* n, Int const* inembed, Int istride, Int idist,
                 Int const* onembed, Int ostride, Int odist, cufftType type, Int batch, size_t* bytes) {
    auto* const p = find(handle);
    if (p == nullptr) return CUFFT_INVALID_PLAN;
    if (n == nullptr || rank < 1 || rank > 3) return CUFFT_INVALID_VALUE;
    if (batch < 1 || batch > INT_MAX) return CUFFT_INVALID_SIZE;
    bool const real_in = type == CUFFT_R2C || type == CUFFT_D2Z,
               real_out = type == CUFFT_C2R || type == CUFFT_Z2D;
    if (!real_in && !real_out && type != CUFFT_C2C && type != CUFFT_Z2Z) return CUFFT_INVALID_TYPE;
    p->of = {rank, {1, 1, 1}};
    for (int d = 0; d < rank; ++d) {
        if (n[d] < 1 || n[d] > INT_MAX) return CUFFT_INVALID_SIZE;
        p->of.n[3 - rank + d] = (int)n[d];
    }
    auto const lay = [&](layout& l, Int const* embed, Int stride, Int distance, bool half) {
        l = {{p->of.n[0], p->of.n[1], p->of.n[2]}, 1, 0};
        if (half) l.embed[2] = p->of.n[2] / 2 + 1;
        if (embed != nullptr)
            for (int d = 0; d < rank; ++d) l.embed[3 - rank + d] = (int)embed[d];
        l.step = embed != nullptr ? stride : 1;
        l.distance = embed != nullptr ? distance : (long long)l.embed[0] * l.embed[1] * l.embed[2];
        return embed != nullptr;
    };
    p->in_given = lay(p->in, inembed, istride, idist, real_out);
    p->out_given = lay(p->out, onembed, ostride, odist, real_in);
    p->type = type;
    p->batch = batch;
    p->made = true;
    if (bytes != nullptr) *bytes = 0;
    return CUFFT_SUCCESS;
}
// What a transform between these is called; 0 where there is none.
cufftType type_of(cudaDataType in, cudaDataType out) {
    struct {
        cudaDataType in, out;
        cufftType type;
    } const known[] = {{CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUFFT_R2C},
                       {CUDA_C_32F, CUDA_R_32F, CUFFT_C2R}, {CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
                       {CUDA_R_64F, CUDA_C_64F, CUFFT_D2Z}, {CUDA_C_64F, CUDA_R_64F, CUFFT_Z2D}};
    for (auto const& k : known)
        if (k.in == in && k.out == out) return k.type;
    return cufftType(0);
}
bool is_half(cudaDataType t) {
    return t == CUDA_R_16F || t == CUDA_C_16F || t == CUDA_R_16BF || t == CUDA_C_16BF;
}
// A new plan, kept if it is made.
template <class Make>
cufftResult made(cufftHandle* handle, Make const& make_it) {
    auto status = cufftCreate(handle);
    if (status != CUFFT_SUCCESS) return status;
    status = make_it(*handle);
    if (status != CUFFT_SUCCESS) plans().erase(*handle);
    return status;
}

} // namespace

extern "C" {

cufftResult cufftCreate(cufftHandle* handle) {
    static cufftHandle last = 0;
    if (handle == nullptr) return CUFFT_INVALID_VALUE;
    *handle = ++last;
    plans()[*handle] = {};
    return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle handle) {
    return plans().erase(handle) == 0 ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS;
}
cufftResult cufftMakePlanMany(cufftHandle handle, int rank, int* n, int* inembed, int istride, int idist,
                              int* onembed, int ostride, int odist, cufftType type, int batch,
                              size_t* bytes) {
    return make<int>(handle, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, bytes);
}
cufftResult cufftMakePlanMany64(cufftHandle handle, int rank, long long* n, long long* inembed,
                                long long istride, long long idist, long long* onembed, long long ostride,
                                long long odist, cufftType type, long long batch, size_t* bytes) {
    return make<long long>(handle, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch,
                           bytes);
}
// Of single and double numbers, executed as they are; those of halves are not supported.
cufftResult cufftXtMakePlanMany(cufftHandle handle, int rank, long long* n, long long* inembed,
                                long long istride, long long idist, cudaDataType in, long long* onembed,
                                long long ostride, long long odist, cudaDataType out, long long batch,
                                size_t* bytes, cudaDataType executed) {
    for (auto const t : {in, out, executed})
        if (is_half(t)) return CUFFT_NOT_SUPPORTED;
    auto const type = type_of(in, out);
    bool const twice = type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
    if (type == cufftType(0) || executed != (twice ? CUDA_C_64F : CUDA_C_32F)) return CUFFT_INVALID_TYPE;
    return make<long long>(handle, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch,
                           bytes);
}
cufftResult cufftMakePlan1d(cufftHandle handle, int n, cufftType type, int batch, size_t* bytes) {
    return make<int>(handle, 1, &n, nullptr, 1, 0, nullptr, 1, 0, type, batch, bytes);
}
cufftResult cufftMakePlan2d(cufftHandle handle, int nx, int ny, cufftType type, size_t* bytes) {
    int const n[] = {nx, ny};
    return make<int>(handle, 2, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, bytes);
}
cufftResult cufftMakePlan3d(cufftHandle handle, int nx, int ny, int nz, cufftType type, size_t* bytes) {
    int const n[] = {nx, ny, nz};
    return make<int>(handle, 3, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, bytes);
}
cufftResult cufftPlanMany(cufftHandle* handle, int rank, int* n, int* inembed, int istride, int idist,
                          int* onembed, int ostride, int odist, cufftType type, int batch) {
    return made(handle, [&](cufftHandle h) {
        return make<int>(h, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, nullptr);
    });
}
cufftResult cufftPlan1d(cufftHandle* handle, int n, cufftType type, int batch) {
    return made(handle, [&](cufftHandle h) { return cufftMakePlan1d(h, n, type, batch, nullptr); });
}
cufftResult cufftPlan2d(cufftHandle* handle, int nx, int ny, cufftType type) {
    return made(handle, [&](cufftHandle h) { return cufftMakePlan2d(h, nx, ny, type, nullptr); });
}
cufftResult cufftPlan3d(cufftHandle* handle, int nx, int ny, int nz, cufftType type) {
    return made(handle, [&](cufftHandle h) { return cufftMakePlan3d(h, nx, ny, nz, type, nullptr); });
}
cufftResult cufftEstimate1d(int n, cufftType, int batch, size_t* bytes) {
    if (n < 1 || batch < 1) return CUFFT_INVALID_SIZE;
    if (bytes == nullptr) return CUFFT_INVALID_VALUE;
    *bytes = 0; // what a transform needs it takes itself
    return CUFFT_SUCCESS;
}
cufftResult cufftGetSize(cufftHandle handle, size_t* bytes) {
    if (find(handle) == nullptr) return CUFFT_INVALID_PLAN;
    *bytes = 0;
    return CUFFT_SUCCESS;
}
cufftResult cufftGetVersion(int* version) {
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}
cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
    auto* const p = find(handle);
    if (p == nullptr) return CUFFT_INVALID_PLAN;
    p->stream = stream;
    return CUFFT_SUCCESS;
}
cufftResult cufftSetWorkArea(cufftHandle handle, void*) {
    return find(handle) == nullptr ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS;
}
cufftResult cufftSetAutoAllocation(cufftHandle handle, int) {
    return find(handle) == nullptr ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS;
}

#define EXECUTE(name, is, R, In, Out, source, result, sign)                                                  \
    cufftResult cufftExec##name(cufftHandle handle, In* in, Out* out) {                                      \
        plan* p = nullptr;                                                                                   \
        auto const status = checked(handle, is, p);                                                          \
        return status == CUFFT_SUCCESS ? execute<R>(*p, in, out, reads::source, reads::result, sign)         \
                                       : status;                                                             \
    }
EXECUTE(R2C, CUFFT_R2C, float, cufftReal, cufftComplex, real_numbers, half_of_it, -1)
EXECUTE(C2R, CUFFT_C2R, float, cufftComplex, cufftReal, half_of_it, real_numbers, 1)
EXECUTE(D2Z, CUFFT_D2Z, double, cufftDoubleReal, cufftDoubleComplex, real_numbers, half_of_it, -1)
EXECUTE(Z2D, CUFFT_Z2D, double, cufftDoubleComplex, cufftDoubleReal, half_of_it, real_numbers, 1)
#undef EXECUTE
#define EXECUTE(name, is, R, C)                                                                              \
    cufftResult cufftExec##name(cufftHandle handle, C* in, C* out, int direction) {                          \
        plan* p = nullptr;                                                                                   \
        auto const status = checked(handle, is, p);                                                          \
        if (status != CUFFT_SUCCESS) return status;                                                          \
        if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE) return CUFFT_INVALID_VALUE;            \
        return execute<R>(*p, in, out, reads::complex_numbers, reads::complex_numbers, direction);           \
    }
EXECUTE(C2C, CUFFT_C2C, float, cufftComplex)
EXECUTE(Z2Z, CUFFT_Z2Z, double, cufftDoubleComplex)
#undef EXECUTE
cufftResult cufftXtExec(cufftHandle handle, void* in, void* out, int direction) {
    auto* const p = find(handle);
    if (p == nullptr || !p->made) return CUFFT_INVALID_PLAN;
    switch (p->type) {
    case CUFFT_R2C:
        return cufftExecR2C(handle, (cufftReal*)in, (cufftComplex*)out);
    case CUFFT_C2R:
        return cufftExecC2R(handle, (cufftComplex*)in, (cufftReal*)out);
    case CUFFT_D2Z:
        return cufftExecD2Z(handle, (cufftDoubleReal*)in, (cufftDoubleComplex*)out);
    case CUFFT_Z2D:
        return cufftExecZ2D(handle, (cufftDoubleComplex*)in, (cufftDoubleReal*)out);
    case CUFFT_C2C:
        return cufftExecC2C(handle, (cufftComplex*)in, (cufftComplex*)out, direction);
    default:
        return cufftExecZ2Z(handle, (cufftDoubleComplex*)in, (cufftDoubleComplex*)out, direction);
    }
}

} // extern "C"
