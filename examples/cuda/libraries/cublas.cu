// cuBLAS: matrices column by column, as in BLAS. Products are computed by tiles in shared memory, sums of vectors by
// blocks of which the last one adds what all have. Whole and half floats are summed in float, doubles in double,
// integers in int.
#include <cstdio>
#include <cstring>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <new>

#include "numbers.cuh"

struct cublasContext {
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
    cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
    cublasMath_t math = CUBLAS_DEFAULT_MATH;
};

namespace {

// What products of these elements are summed in.
template <class To, class From>
struct conversion {
    static __device__ To of(From v) { return (To)v; }
};
template <>
struct conversion<float, __half> {
    static __device__ float of(__half v) { return __half2float(v); }
};
template <>
struct conversion<__half, float> {
    static __device__ __half of(float v) { return __float2half_rn(v); }
};
template <>
struct conversion<float, __nv_bfloat16> {
    static __device__ float of(__nv_bfloat16 v) { return __bfloat162float(v); }
};
template <>
struct conversion<__nv_bfloat16, float> {
    static __device__ __nv_bfloat16 of(float v) { return __float2bfloat16(v); }
};

// A factor that lies on the host or on the device.
template <class T>
struct scalar {
    T value;
    T const* there;
    __device__ T get() const { return there != nullptr ? *there : value; }
};
// On the host it may be a std::complex<double>, whose alignment is that of a double.
template <class T>
T on_host(void const* p) {
    T v;
    memcpy(&v, p, sizeof v);
    return v;
}
template <class T>
scalar<T> scalar_of(cublasHandle_t h, T const* p) {
    return h->pointers == CUBLAS_POINTER_MODE_DEVICE ? scalar<T>{number<T>::zero(), p}
                                                     : scalar<T>{on_host<T>(p), nullptr};
}
inline scalar<float> scalar_of(cublasHandle_t h, __half const* p) {
    return {h->pointers == CUBLAS_POINTER_MODE_DEVICE ? 0 : __half2float(*p), nullptr};
}

cublasStatus_t launched() {
    return cudaPeekAtLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
unsigned blocks(long long items, int each) { return (unsigned)((items + each - 1) / each); }
cublasStatus_t unsupported(char const* what) {
    std::fprintf(stderr, "warpkit: %s is not supported\n", what);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

// Products of matrices ------------------------------------------------------------------------------------------------
// The matrices of a batch: `step` elements apart, or by a list.
template <class T>
struct matrices {
    T* first;
    T* const* list;
    long long step;
    int ld;
    __device__ T* at(unsigned i) const { return list != nullptr ? list[i] : first + i * step; }
};
template <class T, class Sum>
__device__ Sum element(T const* a, int ld, cublasOperation_t op, int row, int column) {
    T const v = op == CUBLAS_OP_N || op == CUBLAS_OP_CONJG ? a[row + (size_t)column * ld]
                                                           : a[column + (size_t)row * ld];
    Sum const s = conversion<Sum, T>::of(v);
    return op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG ? number<Sum>::conjugate(s) : s;
}
// Which part of C is computed: all, or a triangle.
enum part { all_of_it = 0, lower_part = 1, upper_part = 2 };

// 64 x 64 of C by 256 threads, 16 of k at a time; each thread has 4 x 4.
template <class In, class Out, class Sum>
__global__ void __launch_bounds__(256)
    multiply(int m, int n, int k, cublasOperation_t op_a, cublasOperation_t op_b, scalar<Sum> alpha,
             matrices<In const> all_a, matrices<In const> all_b, scalar<Sum> beta, matrices<Out> all_c,
             part which) {
    constexpr int side = 64, depth = 16;
    __shared__ Sum tile_a[depth][side + 1], tile_b[depth][side + 1];
    In const* const a = all_a.at(blockIdx.z);
    In const* const b = all_b.at(blockIdx.z);
    Out* const c = all_c.at(blockIdx.z);
    int const row0 = blockIdx.x * side, column0 = blockIdx.y * side, t = threadIdx.x;
    int const tx = t % 16, ty = t / 16;
    Sum sum[4][4];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] = number<Sum>::zero();
    for (int k0 = 0; k0 < k; k0 += depth) {
        for (int i = t; i < side * depth; i += 256) {
            // Neighbours in memory by neighbouring threads, whichever way the matrix lies.
            bool const straight = op_a == CUBLAS_OP_N || op_a == CUBLAS_OP_CONJG;
            int const r = straight ? i % side : i / depth, q = straight ? i / side : i % depth;
            tile_a[q][r] = row0 + r < m && k0 + q < k ? element<In, Sum>(a, all_a.ld, op_a, row0 + r, k0 + q)
                                                      : number<Sum>::zero();
            bool const across = op_b == CUBLAS_OP_N || op_b == CUBLAS_OP_CONJG;
            int const s = across ? i / depth : i % side, p = across ? i % depth : i / side;
            tile_b[p][s] = column0 + s < n && k0 + p < k
                               ? element<In, Sum>(b, all_b.ld, op_b, k0 + p, column0 + s)
                               : number<Sum>::zero();
        }
        __syncthreads();
        for (int q = 0; q < depth; ++q) {
            Sum x[4], y[4];
            for (int i = 0; i < 4; ++i) x[i] = tile_a[q][tx + 16 * i], y[i] = tile_b[q][ty + 16 * i];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    sum[i][j] = number<Sum>::sum(sum[i][j], number<Sum>::product(x[i], y[j]));
        }
        __syncthreads();
    }
    Sum const factor = alpha.get(), before = beta.get();
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            int const r = row0 + tx + 16 * i, s = column0 + ty + 16 * j;
            if (r >= m || s >= n || (which == lower_part && r < s) || (which == upper_part && r > s))
                continue;
            Out& to = c[r + (size_t)s * all_c.ld];
            Sum v = number<Sum>::product(factor, sum[i][j]);
            // What is multiplied by 0 may be NaN, or nothing yet (BLAS).
            if (!number<Sum>::is_zero(before))
                v = number<Sum>::sum(v, number<Sum>::product(before, conversion<Sum, Out>::of(to)));
            to = conversion<Out, Sum>::of(v);
        }
}
template <class In, class Out, class Sum>
cublasStatus_t product(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                       scalar<Sum> alpha, matrices<In const> a, matrices<In const> b, scalar<Sum> beta,
                       matrices<Out> c, int count, part which = all_of_it) {
    bool const a_straight = op_a == CUBLAS_OP_N || op_a == CUBLAS_OP_CONJG;
    bool const b_straight = op_b == CUBLAS_OP_N || op_b == CUBLAS_OP_CONJG;
    if (m < 0 || n < 0 || k < 0 || count < 0 || a.ld < max(1, a_straight ? m : k) ||
        b.ld < max(1, b_straight ? k : n) || c.ld < max(1, m))
        return CUBLAS_STATUS_INVALID_VALUE;
    // A grid has at most 65,535 layers.
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
    for (int first = 0; first < count; first += 65535) {
        auto const some = [first](auto all) {
            if (all.list != nullptr)
                all.list += first;
            else
                all.first += first * all.step;
            return all;
        };
        multiply<In, Out, Sum>
            <<<dim3(blocks(m, 64), blocks(n, 64), (unsigned)min(count - first, 65535)), 256, 0, h->stream>>>(
                m, n, k, op_a, op_b, alpha, some(a), some(b), beta, some(c), which);
    }
    return launched();
}

// Vectors -----------------------------------------------------------------------------------------------------------
// Element i of a vector of n: with a negative step it begins at the end.
template <class T>
__device__ T& in_vector(T* x, int step, int n, int i) {
    return x[step >= 0 ? (long long)i * step : (long long)(i - (n - 1)) * step];
}
template <class T>
__global__ void add_scaled(int n, scalar<T> alpha, T const* x, int x_step, T* y, int y_step) {
    T const a = alpha.get();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        T& to = in_vector(y, y_step, n, i);
        to = number<T>::sum(number<T>::product(a, in_vector(x, x_step, n, i)), to);
    }
}
template <class T, class A>
__global__ void scale(int n, scalar<A> alpha, T* x, int x_step) {
    A const a = alpha.get();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        T& to = in_vector(x, x_step, n, i);
        to = number<T>::product(a, to);
    }
}
template <class T>
__global__ void copy_or_swap(int n, T* x, int x_step, T* y, int y_step, bool both) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        T& a = in_vector(x, x_step, n, i);
        T& b = in_vector(y, y_step, n, i);
        T const old = b;
        b = a;
        if (both) a = old;
    }
}
template <class T>
__global__ void rotate(int n, T* x, int x_step, T* y, int y_step, scalar<T> c, scalar<T> s) {
    T const cosine = c.get(), sine = s.get();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        T& a = in_vector(x, x_step, n, i);
        T& b = in_vector(y, y_step, n, i);
        T const old = a;
        a = cosine * a + sine * b;
        b = cosine * b - sine * old;
    }
}

// Reductions: each has a first value, one for each element, a way to join two, and a result.
template <class T>
struct dot_of {
    using partial = T;
    using result = T;
    bool conjugated;
    static __device__ partial first() { return number<T>::zero(); }
    __device__ partial of(T x, T y, int) const {
        return number<T>::product(conjugated ? number<T>::conjugate(x) : x, y);
    }
    static __device__ partial join(partial a, partial b) { return number<T>::sum(a, b); }
    static __device__ result end(partial a) { return a; }
};
template <class T, class R>
struct length_of {
    using partial = double;
    using result = R;
    static __device__ partial first() { return 0; }
    __device__ partial of(T x, T, int) const { return number<T>::square(x); }
    static __device__ partial join(partial a, partial b) { return a + b; }
    static __device__ result end(partial a) { return (R)sqrt(a); }
};
template <class T, class R>
struct sum_of {
    using partial = double;
    using result = R;
    static __device__ partial first() { return 0; }
    __device__ partial of(T x, T, int) const { return number<T>::size_1(x); }
    static __device__ partial join(partial a, partial b) { return a + b; }
    static __device__ result end(partial a) { return (R)a; }
};
template <class T>
struct place_of {
    struct partial {
        double size;
        int index;
    };
    using result = int;
    bool largest;
    static __device__ partial first() { return {0, -1}; }
    __device__ partial of(T x, T, int i) const {
        double const size = number<T>::size_1(x);
        return {largest ? size : -size, i};
    }
    static __device__ partial join(partial a, partial b) {
        if (a.index < 0 || b.index < 0) return a.index < 0 ? b : a;
        return b.size > a.size || (b.size == a.size && b.index < a.index) ? b : a;
    }
    static __device__ result end(partial a) { return a.index + 1; }
};
constexpr int most_partials = 64;
template <class P>
struct room {
    P partials[most_partials];
    unsigned arrived;
};
template <class T, class Reduction>
__global__ void reduce(int n, T const* x, int x_step, T const* y, int y_step, Reduction r,
                       room<typename Reduction::partial>* all, typename Reduction::result* result) {
    using partial = typename Reduction::partial;
    __shared__ unsigned char bytes[256 * sizeof(partial)] __attribute__((aligned(16)));
    __shared__ bool last;
    partial* const mine = reinterpret_cast<partial*>(bytes);
    unsigned const t = threadIdx.x;
    auto const join_all = [&](partial v) {
        mine[t] = v;
        __syncthreads();
        for (unsigned half = 128; half > 0; half /= 2) {
            if (t < half) mine[t] = Reduction::join(mine[t], mine[t + half]);
            __syncthreads();
        }
    };
    partial v = Reduction::first();
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        v = Reduction::join(v, r.of(in_vector(x, x_step, n, i), in_vector(y, y_step, n, i), i));
    join_all(v);
    if (t == 0) {
        all->partials[blockIdx.x] = mine[0];
        __threadfence();
        last = atomicAdd(&all->arrived, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    join_all(t < gridDim.x ? *(partial*)&all->partials[t] : Reduction::first());
    if (t == 0) *result = Reduction::end(mine[0]);
}
template <class T, class Reduction>
cublasStatus_t reduced(cublasHandle_t h, int n, T const* x, int x_step, T const* y, int y_step, Reduction r,
                       typename Reduction::result* result) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    using partials = room<typename Reduction::partial>;
    struct place {
        partials all;
        typename Reduction::result result;
    };
    place* there = nullptr;
    if (cudaMalloc((void**)&there, sizeof(place)) != cudaSuccess) return CUBLAS_STATUS_ALLOC_FAILED;
    cudaMemsetAsync(there, 0, sizeof(place), h->stream);
    bool const on_device = h->pointers == CUBLAS_POINTER_MODE_DEVICE;
    int const grid = n <= 0 ? 1 : (int)min((long long)most_partials, (n + 1023LL) / 1024);
    reduce<<<grid, 256, 0, h->stream>>>(n < 0 ? 0 : n, x, x_step, y, y_step, r, &there->all,
                                        on_device ? result : &there->result);
    auto status = launched();
    if (!on_device &&
        cudaMemcpy(result, &there->result, sizeof *result, cudaMemcpyDeviceToHost) != cudaSuccess)
        status = CUBLAS_STATUS_EXECUTION_FAILED;
    cudaFree(there);
    return status;
}

// Matrices and vectors ----------------------------------------------------------------------------------------------
// y = alpha op(A) x + beta y. A warp computes an element of y where a column of A is read for it, and a thread where a
// row is.
template <class T>
__global__ void by_rows(int m, int n, scalar<T> alpha, T const* a, int lda, T const* x, int x_step,
                        scalar<T> beta, T* y, int y_step, bool conjugated) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    T sum = number<T>::zero();
    for (int j = 0; j < n; ++j) {
        T const v = a[i + (size_t)j * lda];
        sum = number<T>::sum(
            sum, number<T>::product(conjugated ? number<T>::conjugate(v) : v, in_vector(x, x_step, n, j)));
    }
    T& to = in_vector(y, y_step, m, i);
    T const b = beta.get(), v = number<T>::product(alpha.get(), sum);
    to = number<T>::is_zero(b) ? v : number<T>::sum(v, number<T>::product(b, to));
}
template <class T>
__device__ T from_lane(T v, int by) {
    constexpr int words = sizeof(T) / 4;
    unsigned w[words];
    memcpy(w, &v, sizeof v);
    for (int i = 0; i < words; ++i) w[i] = __shfl_down_sync(0xffffffff, w[i], by);
    memcpy(&v, w, sizeof v);
    return v;
}
template <class T>
__global__ void by_columns(int m, int n, scalar<T> alpha, T const* a, int lda, T const* x, int x_step,
                           scalar<T> beta, T* y, int y_step, bool conjugated) {
    int const j = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (j >= n) return;
    T sum = number<T>::zero();
    for (int i = lane; i < m; i += 32) {
        T const v = a[i + (size_t)j * lda];
        sum = number<T>::sum(
            sum, number<T>::product(conjugated ? number<T>::conjugate(v) : v, in_vector(x, x_step, m, i)));
    }
    for (int by = 16; by > 0; by /= 2) sum = number<T>::sum(sum, from_lane(sum, by));
    if (lane != 0) return;
    T& to = in_vector(y, y_step, n, j);
    T const b = beta.get(), v = number<T>::product(alpha.get(), sum);
    to = number<T>::is_zero(b) ? v : number<T>::sum(v, number<T>::product(b, to));
}
template <class T>
__global__ void add_outer(int m, int n, scalar<T> alpha, T const* x, int x_step, T const* y, int y_step, T* a,
                          int lda) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    if (i < m)
        a[i + (size_t)j * lda] += alpha.get() * in_vector(x, x_step, m, i) * in_vector(y, y_step, n, j);
}
template <class T>
__device__ T of_symmetric(T const* a, int lda, bool upper, int i, int j) {
    return (i <= j) == upper || i == j ? a[i + (size_t)j * lda] : a[j + (size_t)i * lda];
}
template <class T>
__global__ void symmetric_vector(int n, bool upper, scalar<T> alpha, T const* a, int lda, T const* x,
                                 int x_step, scalar<T> beta, T* y, int y_step) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T sum = 0;
    for (int j = 0; j < n; ++j) sum += of_symmetric(a, lda, upper, i, j) * in_vector(x, x_step, n, j);
    T& to = in_vector(y, y_step, n, i);
    T const b = beta.get();
    to = b == 0 ? alpha.get() * sum : alpha.get() * sum + b * to;
}
template <class T>
__global__ void symmetric_product(int m, int n, bool left, bool upper, scalar<T> alpha, T const* a, int lda,
                                  T const* b, int ldb, scalar<T> beta, T* c, int ldc) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    if (i >= m) return;
    T sum = number<T>::zero();
    for (int q = 0; q < (left ? m : n); ++q)
        sum = number<T>::sum(
            sum, left ? number<T>::product(of_symmetric(a, lda, upper, i, q), b[q + (size_t)j * ldb])
                      : number<T>::product(b[i + (size_t)q * ldb], of_symmetric(a, lda, upper, q, j)));
    T& to = c[i + (size_t)j * ldc];
    T const before = beta.get(), v = number<T>::product(alpha.get(), sum);
    to = number<T>::is_zero(before) ? v : number<T>::sum(v, number<T>::product(before, to));
}
template <class T>
__global__ void add_matrices(int m, int n, cublasOperation_t op_a, cublasOperation_t op_b, scalar<T> alpha,
                             T const* a, int lda, scalar<T> beta, T const* b, int ldb, T* c, int ldc) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    if (i >= m) return;
    T const p = alpha.get(), q = beta.get();
    T v = number<T>::zero();
    if (!number<T>::is_zero(p)) v = number<T>::product(p, element<T, T>(a, lda, op_a, i, j));
    if (!number<T>::is_zero(q))
        v = number<T>::sum(v, number<T>::product(q, element<T, T>(b, ldb, op_b, i, j)));
    c[i + (size_t)j * ldc] = v;
}
// op(A) X = alpha B, or X op(A) = alpha B: each thread solves for one column of X, or one row.
template <class T>
__global__ void solve(bool left, bool lower, cublasOperation_t op, bool unit, int m, int n, scalar<T> alpha,
                      T const* a, int lda, T* b, int ldb) {
    int const own = blockIdx.x * blockDim.x + threadIdx.x;
    if (own >= (left ? n : m)) return;
    int const size = left ? m : n;
    auto const x = [&](int i) -> T& { return left ? b[i + (size_t)own * ldb] : b[own + (size_t)i * ldb]; };
    // X op(A) = B is op(A)^T X^T = B^T.
    auto const of_a = [&](int i, int j) {
        return left ? element<T, T>(a, lda, op, i, j) : element<T, T>(a, lda, op, j, i);
    };
    bool const is_lower = (lower == (op == CUBLAS_OP_N)) == left;
    T const factor = alpha.get();
    for (int step = 0; step < size; ++step) {
        int const i = is_lower ? step : size - 1 - step;
        T v = number<T>::product(factor, x(i));
        for (int before = 0; before < step; ++before) {
            int const j = is_lower ? before : size - 1 - before;
            v = number<T>::sum(v, number<T>::negative(number<T>::product(of_a(i, j), x(j))));
        }
        x(i) = unit ? v : number<T>::quotient(v, of_a(i, i));
    }
}

} // namespace

extern "C" {

#define REQUIRE(condition)                                                                                   \
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;                                                  \
    if (!(condition)) return CUBLAS_STATUS_INVALID_VALUE

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
    if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *handle = new (std::nothrow) cublasContext;
    return *handle == nullptr ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t h) {
    REQUIRE(true);
    delete h;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t h, int* version) {
    REQUIRE(version != nullptr);
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
    if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *value = type == MAJOR_VERSION ? CUBLAS_VER_MAJOR : 0;
    return CUBLAS_STATUS_SUCCESS;
}
#define PROPERTY(set, get, type, member)                                                                     \
    cublasStatus_t set(cublasHandle_t h, type value) {                                                       \
        REQUIRE(true);                                                                                       \
        h->member = value;                                                                                   \
        return CUBLAS_STATUS_SUCCESS;                                                                        \
    }                                                                                                        \
    cublasStatus_t get(cublasHandle_t h, type* value) {                                                      \
        REQUIRE(value != nullptr);                                                                           \
        *value = h->member;                                                                                  \
        return CUBLAS_STATUS_SUCCESS;                                                                        \
    }
PROPERTY(cublasSetStream_v2, cublasGetStream_v2, cudaStream_t, stream)
PROPERTY(cublasSetPointerMode_v2, cublasGetPointerMode_v2, cublasPointerMode_t, pointers)
PROPERTY(cublasSetAtomicsMode, cublasGetAtomicsMode, cublasAtomicsMode_t, atomics)
PROPERTY(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math)
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t h, void*, size_t) {
    REQUIRE(true);
    return CUBLAS_STATUS_SUCCESS;
}
char const* cublasGetStatusName(cublasStatus_t status) {
    switch (status) {
    case CUBLAS_STATUS_SUCCESS:
        return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
        return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
        return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
        return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED:
        return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_NOT_SUPPORTED:
        return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
        return "CUBLAS_STATUS_INTERNAL_ERROR";
    }
}
char const* cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }

static cublasStatus_t move(int n, int columns, int bytes, void const* from, int from_step, int from_ld,
                           void* to, int to_step, int to_ld, cudaMemcpyKind kind) {
    if (n < 0 || columns < 0 || bytes <= 0 || from_step <= 0 || to_step <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    bool right = true;
    for (int c = 0; c < columns; ++c) {
        auto const* const f = static_cast<char const*>(from) + (size_t)c * from_ld * bytes;
        auto* const t = static_cast<char*>(to) + (size_t)c * to_ld * bytes;
        if (from_step == 1 && to_step == 1)
            right = right && cudaMemcpy(t, f, (size_t)n * bytes, kind) == cudaSuccess;
        else if (n > 0)
            right = right && cudaMemcpy2D(t, (size_t)to_step * bytes, f, (size_t)from_step * bytes, bytes, n,
                                          kind) == cudaSuccess;
    }
    return right ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
cublasStatus_t cublasSetVector(int n, int bytes, void const* from, int from_step, void* to, int to_step) {
    return move(n, 1, bytes, from, from_step, 0, to, to_step, 0, cudaMemcpyHostToDevice);
}
cublasStatus_t cublasGetVector(int n, int bytes, void const* from, int from_step, void* to, int to_step) {
    return move(n, 1, bytes, from, from_step, 0, to, to_step, 0, cudaMemcpyDeviceToHost);
}
cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, void const* from, int from_ld, void* to,
                               int to_ld) {
    return move(rows, columns, bytes, from, 1, from_ld, to, 1, to_ld, cudaMemcpyHostToDevice);
}
cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, void const* from, int from_ld, void* to,
                               int to_ld) {
    return move(rows, columns, bytes, from, 1, from_ld, to, 1, to_ld, cudaMemcpyDeviceToHost);
}
cublasStatus_t cublasSetVectorAsync(int n, int bytes, void const* from, int from_step, void* to, int to_step,
                                    cudaStream_t) {
    return cublasSetVector(n, bytes, from, from_step, to, to_step);
}
cublasStatus_t cublasGetVectorAsync(int n, int bytes, void const* from, int from_step, void* to, int to_step,
                                    cudaStream_t) {
    return cublasGetVector(n, bytes, from, from_step, to, to_step);
}
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int bytes, void const* from, int from_ld, void* to,
                                    int to_ld, cudaStream_t) {
    return cublasSetMatrix(rows, columns, bytes, from, from_ld, to, to_ld);
}
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int bytes, void const* from, int from_ld, void* to,
                                    int to_ld, cudaStream_t) {
    return cublasGetMatrix(rows, columns, bytes, from, from_ld, to, to_ld);
}

#define GRID min(blocks(n, 256), 1024u), 256, 0, h->stream
#define ALL_TYPES(L, I, T)                                                                                   \
    cublasStatus_t cublas##L##axpy_v2(cublasHandle_t h, int n, T const* alpha, T const* x, int x_step, T* y, \
                                      int y_step) {                                                          \
        REQUIRE(alpha != nullptr);                                                                           \
        if (n > 0) add_scaled<<<GRID>>>(n, scalar_of(h, alpha), x, x_step, y, y_step);                       \
        return launched();                                                                                   \
    }                                                                                                        \
    cublasStatus_t cublas##L##copy_v2(cublasHandle_t h, int n, T const* x, int x_step, T* y, int y_step) {   \
        REQUIRE(true);                                                                                       \
        if (n > 0) copy_or_swap<<<GRID>>>(n, const_cast<T*>(x), x_step, y, y_step, false);                   \
        return launched();                                                                                   \
    }                                                                                                        \
    cublasStatus_t cublas##L##swap_v2(cublasHandle_t h, int n, T* x, int x_step, T* y, int y_step) {         \
        REQUIRE(true);                                                                                       \
        if (n > 0) copy_or_swap<<<GRID>>>(n, x, x_step, y, y_step, true);                                    \
        return launched();                                                                                   \
    }                                                                                                        \
    cublasStatus_t cublas##L##scal_v2(cublasHandle_t h, int n, T const* alpha, T* x, int x_step) {           \
        REQUIRE(alpha != nullptr);                                                                           \
        if (n > 0) scale<<<GRID>>>(n, scalar_of(h, alpha), x, x_step);                                       \
        return launched();                                                                                   \
    }                                                                                                        \
    cublasStatus_t cublasI##I##amax_v2(cublasHandle_t h, int n, T const* x, int x_step, int* result) {       \
        return reduced(h, n, x, x_step, x, x_step, place_of<T>{true}, result);                               \
    }                                                                                                        \
    cublasStatus_t cublasI##I##amin_v2(cublasHandle_t h, int n, T const* x, int x_step, int* result) {       \
        return reduced(h, n, x, x_step, x, x_step, place_of<T>{false}, result);                              \
    }                                                                                                        \
    cublasStatus_t cublas##L##gemv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n, T const* alpha,  \
                                      T const* a, int lda, T const* x, int x_step, T const* beta, T* y,      \
                                      int y_step) {                                                          \
        REQUIRE(alpha != nullptr && beta != nullptr && m >= 0 && n >= 0 && lda >= max(1, m) &&               \
                x_step != 0 && y_step != 0);                                                                 \
        if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;                                                  \
        bool const conjugated = op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG;                                  \
        if (op == CUBLAS_OP_N || op == CUBLAS_OP_CONJG)                                                      \
            by_rows<<<blocks(m, 128), 128, 0, h->stream>>>(m, n, scalar_of(h, alpha), a, lda, x, x_step,     \
                                                           scalar_of(h, beta), y, y_step, conjugated);       \
        else                                                                                                 \
            by_columns<<<blocks(n, 4), 128, 0, h->stream>>>(m, n, scalar_of(h, alpha), a, lda, x, x_step,    \
                                                            scalar_of(h, beta), y, y_step, conjugated);      \
        return launched();                                                                                   \
    }                                                                                                        \
    cublasStatus_t cublas##L##gemm_v2(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b,      \
                                      int m, int n, int k, T const* alpha, T const* a, int lda, T const* b,  \
                                      int ldb, T const* beta, T* c, int ldc) {                               \
        REQUIRE(alpha != nullptr && beta != nullptr);                                                        \
        return product<T, T, T>(h, op_a, op_b, m, n, k, scalar_of(h, alpha), {a, nullptr, 0, lda},           \
                                {b, nullptr, 0, ldb}, scalar_of(h, beta), {c, nullptr, 0, ldc}, 1);          \
    }                                                                                                        \
    cublasStatus_t cublas##L##gemmBatched(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b,  \
                                          int m, int n, int k, T const* alpha, T const* const a[], int lda,  \
                                          T const* const b[], int ldb, T const* beta, T* const c[], int ldc, \
                                          int count) {                                                       \
        REQUIRE(alpha != nullptr && beta != nullptr);                                                        \
        return product<T, T, T>(h, op_a, op_b, m, n, k, scalar_of(h, alpha), {nullptr, a, 0, lda},           \
                                {nullptr, b, 0, ldb}, scalar_of(h, beta), {nullptr, c, 0, ldc}, count);      \
    }                                                                                                        \
    cublasStatus_t cublas##L##gemmStridedBatched(                                                            \
        cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,               \
        T const* alpha, T const* a, int lda, long long a_step, T const* b, int ldb, long long b_step,        \
        T const* beta, T* c, int ldc, long long c_step, int count) {                                         \
        REQUIRE(alpha != nullptr && beta != nullptr);                                                        \
        return product<T, T, T>(h, op_a, op_b, m, n, k, scalar_of(h, alpha), {a, nullptr, a_step, lda},      \
                                {b, nullptr, b_step, ldb}, scalar_of(h, beta), {c, nullptr, c_step, ldc},    \
                                count);                                                                      \
    }                                                                                                        \
    cublasStatus_t cublas##L##geam(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m,  \
                                   int n, T const* alpha, T const* a, int lda, T const* beta, T const* b,    \
                                   int ldb, T* c, int ldc) {                                                 \
        REQUIRE(alpha != nullptr && beta != nullptr && m >= 0 && n >= 0 && ldc >= max(1, m));                \
        if (m > 0 && n > 0)                                                                                  \
            add_matrices<<<dim3(blocks(m, 128), n), 128, 0, h->stream>>>(                                    \
                m, n, op_a, op_b, scalar_of(h, alpha), a, lda, scalar_of(h, beta), b, ldb, c, ldc);          \
        return launched();                                                                                   \
    }                                                                                                        \
    cublasStatus_t cublas##L##syrk_v2(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, int n,  \
                                      int k, T const* alpha, T const* a, int lda, T const* beta, T* c,       \
                                      int ldc) {                                                             \
        REQUIRE(alpha != nullptr && beta != nullptr);                                                        \
        bool const straight = op == CUBLAS_OP_N;                                                             \
        return product<T, T, T>(                                                                             \
            h, straight ? CUBLAS_OP_N : CUBLAS_OP_T, straight ? CUBLAS_OP_T : CUBLAS_OP_N, n, n, k,          \
            scalar_of(h, alpha), {a, nullptr, 0, lda}, {a, nullptr, 0, lda}, scalar_of(h, beta),             \
            {c, nullptr, 0, ldc}, 1, fill == CUBLAS_FILL_MODE_UPPER ? upper_part : lower_part);              \
    }                                                                                                        \
    cublasStatus_t cublas##L##trsm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,        \
                                      cublasOperation_t op, cublasDiagType_t diagonal, int m, int n,         \
                                      T const* alpha, T const* a, int lda, T* b, int ldb) {                  \
        REQUIRE(alpha != nullptr && m >= 0 && n >= 0 && ldb >= max(1, m));                                   \
        bool const left = side == CUBLAS_SIDE_LEFT;                                                          \
        if (m > 0 && n > 0)                                                                                  \
            solve<<<blocks(left ? n : m, 64), 64, 0, h->stream>>>(left, fill == CUBLAS_FILL_MODE_LOWER, op,  \
                                                                  diagonal == CUBLAS_DIAG_UNIT, m, n,        \
                                                                  scalar_of(h, alpha), a, lda, b, ldb);      \
        return launched();                                                                                   \
    }                                                                                                        \
    cublasStatus_t cublas##L##symm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, int m, \
                                      int n, T const* alpha, T const* a, int lda, T const* b, int ldb,       \
                                      T const* beta, T* c, int ldc) {                                        \
        REQUIRE(alpha != nullptr && beta != nullptr && m >= 0 && n >= 0);                                    \
        if (m > 0 && n > 0)                                                                                  \
            symmetric_product<<<dim3(blocks(m, 128), n), 128, 0, h->stream>>>(                               \
                m, n, side == CUBLAS_SIDE_LEFT, fill == CUBLAS_FILL_MODE_UPPER, scalar_of(h, alpha), a, lda, \
                b, ldb, scalar_of(h, beta), c, ldc);                                                         \
        return launched();                                                                                   \
    }
ALL_TYPES(S, s, float)
ALL_TYPES(D, d, double)
ALL_TYPES(C, c, cuComplex)
ALL_TYPES(Z, z, cuDoubleComplex)

#define REAL_TYPES(L, T)                                                                                     \
    cublasStatus_t cublas##L##dot_v2(cublasHandle_t h, int n, T const* x, int x_step, T const* y,            \
                                     int y_step, T* result) {                                                \
        return reduced(h, n, x, x_step, y, y_step, dot_of<T>{false}, result);                                \
    }                                                                                                        \
    cublasStatus_t cublas##L##nrm2_v2(cublasHandle_t h, int n, T const* x, int x_step, T* result) {          \
        return reduced(h, n, x, x_step, x, x_step, length_of<T, T>{}, result);                               \
    }                                                                                                        \
    cublasStatus_t cublas##L##asum_v2(cublasHandle_t h, int n, T const* x, int x_step, T* result) {          \
        return reduced(h, n, x, x_step, x, x_step, sum_of<T, T>{}, result);                                  \
    }                                                                                                        \
    cublasStatus_t cublas##L##rot_v2(cublasHandle_t h, int n, T* x, int x_step, T* y, int y_step,            \
                                     T const* c, T const* s) {                                               \
        REQUIRE(c != nullptr && s != nullptr);                                                               \
        if (n > 0) rotate<<<GRID>>>(n, x, x_step, y, y_step, scalar_of(h, c), scalar_of(h, s));              \
        return launched();                                                                                   \
    }                                                                                                        \
    cublasStatus_t cublas##L##ger_v2(cublasHandle_t h, int m, int n, T const* alpha, T const* x, int x_step, \
                                     T const* y, int y_step, T* a, int lda) {                                \
        REQUIRE(alpha != nullptr && m >= 0 && n >= 0 && lda >= max(1, m));                                   \
        if (m > 0 && n > 0)                                                                                  \
            add_outer<<<dim3(blocks(m, 128), n), 128, 0, h->stream>>>(m, n, scalar_of(h, alpha), x, x_step,  \
                                                                      y, y_step, a, lda);                    \
        return launched();                                                                                   \
    }                                                                                                        \
    cublasStatus_t cublas##L##symv_v2(cublasHandle_t h, cublasFillMode_t fill, int n, T const* alpha,        \
                                      T const* a, int lda, T const* x, int x_step, T const* beta, T* y,      \
                                      int y_step) {                                                          \
        REQUIRE(alpha != nullptr && beta != nullptr && n >= 0 && lda >= max(1, n));                          \
        if (n > 0)                                                                                           \
            symmetric_vector<<<blocks(n, 128), 128, 0, h->stream>>>(n, fill == CUBLAS_FILL_MODE_UPPER,       \
                                                                    scalar_of(h, alpha), a, lda, x, x_step,  \
                                                                    scalar_of(h, beta), y, y_step);          \
        return launched();                                                                                   \
    }
REAL_TYPES(S, float)
REAL_TYPES(D, double)
#define COMPLEX_TYPES(L, N, T, R)                                                                            \
    cublasStatus_t cublas##L##dotu_v2(cublasHandle_t h, int n, T const* x, int x_step, T const* y,           \
                                      int y_step, T* result) {                                               \
        return reduced(h, n, x, x_step, y, y_step, dot_of<T>{false}, result);                                \
    }                                                                                                        \
    cublasStatus_t cublas##L##dotc_v2(cublasHandle_t h, int n, T const* x, int x_step, T const* y,           \
                                      int y_step, T* result) {                                               \
        return reduced(h, n, x, x_step, y, y_step, dot_of<T>{true}, result);                                 \
    }                                                                                                        \
    cublasStatus_t cublas##N##nrm2_v2(cublasHandle_t h, int n, T const* x, int x_step, R* result) {          \
        return reduced(h, n, x, x_step, x, x_step, length_of<T, R>{}, result);                               \
    }                                                                                                        \
    cublasStatus_t cublas##N##asum_v2(cublasHandle_t h, int n, T const* x, int x_step, R* result) {          \
        return reduced(h, n, x, x_step, x, x_step, sum_of<T, R>{}, result);                                  \
    }
COMPLEX_TYPES(C, Sc, cuComplex, float)
COMPLEX_TYPES(Z, Dz, cuDoubleComplex, double)

// Products of other types, by what A, B and C are.
static cublasStatus_t any_product(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                                  int n, int k, void const* alpha, matrices<char const> a,
                                  cudaDataType a_type, matrices<char const> b, cudaDataType b_type,
                                  void const* beta, matrices<char> c, cudaDataType c_type, int count,
                                  cublasComputeType_t compute) {
    REQUIRE(alpha != nullptr && beta != nullptr);
    bool const in_half = compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC;
#define OTHER(a_is, c_is, In, Out, Sum, Factor)                                                              \
    if (a_type == a_is && b_type == a_is && c_type == c_is)                                                  \
        return product<In, Out, Sum>(h, op_a, op_b, m, n, k,                                                 \
                                     scalar_of(h, static_cast<Factor const*>(alpha)),                        \
                                     {(In const*)a.first, (In const* const*)a.list, a.step, a.ld},           \
                                     {(In const*)b.first, (In const* const*)b.list, b.step, b.ld},           \
                                     scalar_of(h, static_cast<Factor const*>(beta)),                         \
                                     {(Out*)c.first, (Out* const*)c.list, c.step, c.ld}, count);
    if (in_half) {
        if (h->pointers == CUBLAS_POINTER_MODE_DEVICE)
            return unsupported("cublasGemmEx in half with factors on the device");
        OTHER(CUDA_R_16F, CUDA_R_16F, __half, __half, float, __half)
    } else {
        OTHER(CUDA_R_32F, CUDA_R_32F, float, float, float, float)
        OTHER(CUDA_R_64F, CUDA_R_64F, double, double, double, double)
        OTHER(CUDA_R_16F, CUDA_R_16F, __half, __half, float, float)
        OTHER(CUDA_R_16F, CUDA_R_32F, __half, float, float, float)
        OTHER(CUDA_R_16BF, CUDA_R_16BF, __nv_bfloat16, __nv_bfloat16, float, float)
        OTHER(CUDA_R_16BF, CUDA_R_32F, __nv_bfloat16, float, float, float)
        OTHER(CUDA_R_8I, CUDA_R_32I, signed char, int, int, int)
        OTHER(CUDA_R_8I, CUDA_R_32F, signed char, float, float, float)
        OTHER(CUDA_C_32F, CUDA_C_32F, cuComplex, cuComplex, cuComplex, cuComplex)
        OTHER(CUDA_C_64F, CUDA_C_64F, cuDoubleComplex, cuDoubleComplex, cuDoubleComplex, cuDoubleComplex)
    }
#undef OTHER
    char text[80];
    std::snprintf(text, sizeof text, "cublasGemmEx of types %d, %d and %d", (int)a_type, (int)b_type,
                  (int)c_type);
    return unsupported(text);
}
cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                            int k, void const* alpha, void const* a, cudaDataType a_type, int lda,
                            void const* b, cudaDataType b_type, int ldb, void const* beta, void* c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t) {
    return any_product(h, op_a, op_b, m, n, k, alpha, {(char const*)a, nullptr, 0, lda}, a_type,
                       {(char const*)b, nullptr, 0, ldb}, b_type, beta, {(char*)c, nullptr, 0, ldc}, c_type,
                       1, compute);
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b,
                                          int m, int n, int k, void const* alpha, void const* a,
                                          cudaDataType a_type, int lda, long long a_step, void const* b,
                                          cudaDataType b_type, int ldb, long long b_step, void const* beta,
                                          void* c, cudaDataType c_type, int ldc, long long c_step, int count,
                                          cublasComputeType_t compute, cublasGemmAlgo_t) {
    return any_product(h, op_a, op_b, m, n, k, alpha, {(char const*)a, nullptr, a_step, lda}, a_type,
                       {(char const*)b, nullptr, b_step, ldb}, b_type, beta, {(char*)c, nullptr, c_step, ldc},
                       c_type, count, compute);
}
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                                   int n, int k, void const* alpha, void const* const a[],
                                   cudaDataType a_type, int lda, void const* const b[], cudaDataType b_type,
                                   int ldb, void const* beta, void* const c[], cudaDataType c_type, int ldc,
                                   int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
    return any_product(h, op_a, op_b, m, n, k, alpha, {nullptr, (char const* const*)a, 0, lda}, a_type,
                       {nullptr, (char const* const*)b, 0, ldb}, b_type, beta,
                       {nullptr, (char* const*)c, 0, ldc}, c_type, count, compute);
}
cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                             int k, float const* alpha, void const* a, cudaDataType a_type, int lda,
                             void const* b, cudaDataType b_type, int ldb, float const* beta, void* c,
                             cudaDataType c_type, int ldc) {
    return cublasGemmEx(h, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc,
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
cublasStatus_t cublasHgemm(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                           int k, __half const* alpha, __half const* a, int lda, __half const* b, int ldb,
                           __half const* beta, __half* c, int ldc) {
    return cublasGemmEx(h, op_a, op_b, m, n, k, alpha, a, CUDA_R_16F, lda, b, CUDA_R_16F, ldb, beta, c,
                        CUDA_R_16F, ldc, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b,
                                         int m, int n, int k, __half const* alpha, __half const* a, int lda,
                                         long long a_step, __half const* b, int ldb, long long b_step,
                                         __half const* beta, __half* c, int ldc, long long c_step,
                                         int count) {
    return cublasGemmStridedBatchedEx(h, op_a, op_b, m, n, k, alpha, a, CUDA_R_16F, lda, a_step, b,
                                      CUDA_R_16F, ldb, b_step, beta, c, CUDA_R_16F, ldc, c_step, count,
                                      CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}

} // extern "C"

// cuBLASLt ------------------------------------------------------------------------------------------------------
struct cublasLtContext {
    cublasContext own;
};
struct cublasLtMatmulDescStruct {
    cublasComputeType_t compute;
    cublasOperation_t op_a = CUBLAS_OP_N, op_b = CUBLAS_OP_N;
    cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    void const* bias = nullptr;
};
struct cublasLtMatrixLayoutStruct {
    cudaDataType type;
    uint64_t rows, columns;
    int64_t ld;
    int32_t count = 1;
    int64_t step = 0;
};
struct cublasLtMatmulPreferenceStruct {};

namespace {
// A bias for each row, then the activation: GELU is the one with tanh.
template <class T>
__global__ void finish(T* d, int ld, long long step, int rows, T const* bias, bool relu, bool gelu) {
    int const r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    T& to = d[r + (size_t)blockIdx.y * ld + blockIdx.z * step];
    float v = conversion<float, T>::of(to);
    if (bias != nullptr) v += conversion<float, T>::of(bias[r]);
    if (relu && v < 0) v = 0;
    if (gelu) v = 0.5f * v * (1 + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
    to = conversion<T, float>::of(v);
}
template <class Object, class... Values>
cublasStatus_t make(Object** made, Values... values) {
    if (made == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *made = new (std::nothrow) Object{values...};
    return *made == nullptr ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t set(T& to, void const* value, size_t bytes) {
    if (value == nullptr || bytes != sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&to, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}
} // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) { return make(handle); }
cublasStatus_t cublasLtDestroy(cublasLtHandle_t h) {
    REQUIRE(true);
    delete h;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                                        cudaDataType) {
    return make(made, compute);
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t of) {
    delete of;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t of,
                                              cublasLtMatmulDescAttributes_t attribute, void const* value,
                                              size_t bytes) {
    if (of == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
        return set(of->op_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
        return set(of->op_b, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
        return set(of->epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
        return set(of->bias, value, bytes);
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE: // cublasLtMatmul says what it takes
        return CUBLAS_STATUS_SUCCESS;
    default:
        return unsupported("cublasLtMatmulDescSetAttribute of this attribute");
    }
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld) {
    return make(made, type, rows, columns, ld);
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t of) {
    delete of;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t of,
                                                cublasLtMatrixLayoutAttribute_t attribute, void const* value,
                                                size_t bytes) {
    if (of == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) return set(of->count, value, bytes);
    if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET) return set(of->step, value, bytes);
    return unsupported("cublasLtMatrixLayoutSetAttribute of this attribute");
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) { return make(made); }
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t of) {
    delete of;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                                    cublasLtMatmulPreferenceAttributes_t, void const*,
                                                    size_t) {
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int asked,
                                              cublasLtMatmulHeuristicResult_t* results, int* found) {
    if (asked < 1 || results == nullptr || found == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *results = {};
    *found = 1; // there is one way
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t h, cublasLtMatmulDesc_t of, void const* alpha, void const* a,
                              cublasLtMatrixLayout_t a_layout, void const* b, cublasLtMatrixLayout_t b_layout,
                              void const* beta, void const* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, cublasLtMatmulAlgo_t const*, void*, size_t,
                              cudaStream_t stream) {
    REQUIRE(of != nullptr && a_layout != nullptr && b_layout != nullptr && c_layout != nullptr &&
            d_layout != nullptr);
    auto const known = CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_BIAS | CUBLASLT_EPILOGUE_GELU;
    bool const plain = of->epilogue == CUBLASLT_EPILOGUE_DEFAULT;
    if (!plain && (of->epilogue & ~known) != 0) return unsupported("cublasLtMatmul with this epilogue");
    if (c != d && c != nullptr) {
        float zero = 0; // a whole float or half, or the first half of a double
        size_t const bytes = of->compute == CUBLAS_COMPUTE_16F ? 2 : 4;
        if (beta == nullptr || std::memcmp(beta, &zero, bytes) != 0)
            return unsupported("cublasLtMatmul that adds another matrix than the result");
    }
    h->own.stream = stream;
    int const m = (int)d_layout->rows, n = (int)d_layout->columns;
    int const k = (int)(of->op_a == CUBLAS_OP_N ? a_layout->columns : a_layout->rows);
    auto const status = any_product(
        &h->own, of->op_a, of->op_b, m, n, k, alpha,
        {(char const*)a, nullptr, a_layout->step, (int)a_layout->ld}, a_layout->type,
        {(char const*)b, nullptr, b_layout->step, (int)b_layout->ld}, b_layout->type, beta,
        {(char*)d, nullptr, d_layout->step, (int)d_layout->ld}, d_layout->type, d_layout->count, of->compute);
    if (status != CUBLAS_STATUS_SUCCESS || plain) return status;
    bool const has_bias = (of->epilogue & CUBLASLT_EPILOGUE_BIAS) != 0,
               relu = (of->epilogue & CUBLASLT_EPILOGUE_RELU) != 0;
    bool const gelu = (of->epilogue & CUBLASLT_EPILOGUE_GELU) != 0;
    if (has_bias && of->bias == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    dim3 const grid(blocks(m, 128), (unsigned)n, (unsigned)d_layout->count);
#define FINISH(is, T)                                                                                        \
    if (d_layout->type == is) {                                                                              \
        finish<<<grid, 128, 0, stream>>>((T*)d, (int)d_layout->ld, d_layout->step, m,                        \
                                         has_bias ? (T const*)of->bias : nullptr, relu, gelu);               \
        return launched();                                                                                   \
    }
    FINISH(CUDA_R_32F, float)
    FINISH(CUDA_R_16F, __half)
    FINISH(CUDA_R_16BF, __nv_bfloat16)
#undef FINISH
    return unsupported("cublasLtMatmul with an epilogue for this type");
}

} // extern "C"

#include "cublas_factors.cuh"
#include "cublas_xt.cuh"
