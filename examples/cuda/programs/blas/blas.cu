// cuBLAS beside loops over the definitions of BLAS: each function, each way to lay a matrix, factors on both sides,
// strides.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <cublasLt.h>
#include <cublasXt.h>
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <type_traits>
#include <vector>

static int wrong = 0;
static void expect(bool right, char const* what) {
    if (!right) ++wrong;
    if (!right) std::printf("WRONG: %s\n", what);
}
#define CHECK(call) expect((call) == CUBLAS_STATUS_SUCCESS, #call)

template <class T>
struct host_type {
    using type = T;
};
template <>
struct host_type<cuComplex> {
    using type = std::complex<float>;
};
template <>
struct host_type<cuDoubleComplex> {
    using type = std::complex<double>;
};
static unsigned state = 1;
static int small() {
    state = state * 1664525u + 1013904223u;
    return (int)(state >> 24) % 9 - 4;
}
// Small whole numbers: sums of their products are exact in all types.
template <class H>
H any(H*) {
    return H((float)small());
}
template <class R>
std::complex<R> any(std::complex<R>*) {
    return {(R)small(), (R)small()};
}
template <class H>
std::vector<H> some(size_t n) {
    std::vector<H> v(n);
    for (auto& x : v) x = any((H*)nullptr);
    return v;
}
template <class T, class H>
T* upload(std::vector<H> const& v) {
    static_assert(sizeof(T) == sizeof(H), "the same bits");
    T* p;
    cudaMalloc((void**)&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}
template <class H, class T>
std::vector<H> download(T const* p, size_t n) {
    std::vector<H> v(n);
    cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
}
template <class H>
H conjugate(H v) {
    return v;
}
template <class R>
std::complex<R> conjugate(std::complex<R> v) {
    return std::conj(v);
}
template <class H>
H at(std::vector<H> const& a, int ld, cublasOperation_t op, int r, int c, size_t first = 0) {
    H const v = op == CUBLAS_OP_N ? a[first + r + (size_t)c * ld] : a[first + c + (size_t)r * ld];
    return op == CUBLAS_OP_C ? conjugate(v) : v;
}

template <class T, class Gemm, class Strided, class Batched>
void products(cublasHandle_t h, char const* name, Gemm gemm, Strided strided, Batched batched) {
    using H = typename host_type<T>::type;
    int const m = 70, n = 33, k = 21, lda = 80, ldb = 90, ldc = 75, count = 3;
    auto const a = some<H>((size_t)lda * 80 * count), b = some<H>((size_t)ldb * 80 * count),
               c = some<H>((size_t)ldc * n * count);
    H const alpha = any((H*)nullptr), beta = any((H*)nullptr);
    long long const a_step = lda * 80, b_step = ldb * 80, c_step = ldc * n;
    T *da = upload<T>(a), *db = upload<T>(b);
    for (auto const op_a : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C})
        for (auto const op_b : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
            std::vector<H> want = c;
            for (int i = 0; i < count; ++i)
                for (int s = 0; s < n; ++s)
                    for (int r = 0; r < m; ++r) {
                        H sum = 0;
                        for (int q = 0; q < k; ++q)
                            sum += at(a, lda, op_a, r, q, i * a_step) * at(b, ldb, op_b, q, s, i * b_step);
                        auto& to = want[i * c_step + r + (size_t)s * ldc];
                        to = alpha * sum + beta * to;
                    }
            std::vector<H> one(c);
            std::copy(want.begin(), want.begin() + c_step, one.begin());
            T* dc = upload<T>(c);
            CHECK(gemm(h, op_a, op_b, m, n, k, (T const*)&alpha, da, lda, db, ldb, (T const*)&beta, dc, ldc));
            expect(download<H>(dc, c.size()) == one, name);
            cudaMemcpy(dc, c.data(), c.size() * sizeof(T), cudaMemcpyHostToDevice);
            CHECK(strided(h, op_a, op_b, m, n, k, (T const*)&alpha, da, lda, a_step, db, ldb, b_step,
                          (T const*)&beta, dc, ldc, c_step, count));
            expect(download<H>(dc, c.size()) == want, name);
            cudaMemcpy(dc, c.data(), c.size() * sizeof(T), cudaMemcpyHostToDevice);
            std::vector<T*> list;
            for (int i = 0; i < count; ++i)
                list.insert(list.end(), {da + i * a_step, db + i * b_step, dc + i * c_step});
            std::vector<T*> by_kind;
            for (int kind = 0; kind < 3; ++kind)
                for (int i = 0; i < count; ++i) by_kind.push_back(list[i * 3 + kind]);
            T** lists = upload<T*>(by_kind);
            CHECK(batched(h, op_a, op_b, m, n, k, (T const*)&alpha, lists, lda, lists + count, ldb,
                          (T const*)&beta, lists + 2 * count, ldc, count));
            expect(download<H>(dc, c.size()) == want, name);
            cudaFree(lists);
            cudaFree(dc);
        }
    cudaFree(da);
    cudaFree(db);
}

// cuBLAS-XT: each matrix on the host, on the device, or where both reach it. What lies between the columns is left
// alone.
template <class T>
struct placed {
    using H = typename host_type<T>::type;
    T* p = nullptr;
    std::vector<H> own;
    int where;
    placed(std::vector<H> const& v, int place) : own(v), where(place) {
        if (where == 0) p = (T*)own.data();
        if (where == 1) p = upload<T>(v);
        if (where == 2) {
            cudaMallocManaged((void**)&p, v.size() * sizeof(T));
            memcpy((void*)p, v.data(), v.size() * sizeof(T));
        }
    }
    placed(placed const&) = delete;
    ~placed() {
        if (where != 0) cudaFree(p);
    }
    std::vector<H> get() const { return where == 0 ? own : download<H>(p, own.size()); }
};
template <class T, class Gemm, class Syrk, class Symm, class Trsm>
void from_afar(cublasXtHandle_t h, char const* name, Gemm gemm, Syrk syrk, Symm symm, Trsm trsm) {
    using H = typename host_type<T>::type;
    int const m = 19, n = 10, k = 7, lda = 21, ldb = 22, ldc = 20;
    auto const a = some<H>(lda * 19), b = some<H>(ldb * 19), c = some<H>(ldc * 19);
    int turn = 0;
    for (auto const op_a : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C})
        for (auto const op_b : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
            H const alpha = any((H*)nullptr), beta = turn % 3 == 0 ? H(0) : any((H*)nullptr);
            auto want = c;
            for (int s = 0; s < n; ++s)
                for (int r = 0; r < m; ++r) {
                    H sum = 0;
                    for (int q = 0; q < k; ++q) sum += at(a, lda, op_a, r, q) * at(b, ldb, op_b, q, s);
                    want[r + s * ldc] = alpha * sum + beta * want[r + s * ldc];
                }
            placed<T> const x(a, turn % 3), y(b, turn / 3), z(c, (turn + turn / 3) % 3);
            CHECK(gemm(h, op_a, op_b, m, n, k, (T const*)&alpha, x.p, lda, y.p, ldb, (T const*)&beta, z.p,
                       ldc));
            expect(z.get() == want && x.get() == a && y.get() == b, name);
            ++turn;
        }
    H const alpha = any((H*)nullptr), beta = any((H*)nullptr);
    for (int place = 0; place < 3; ++place) {
        // The lower part of A^T A; A symmetric by its upper part; a triangle with ones on its diagonal.
        auto want = c;
        for (int s = 0; s < n; ++s)
            for (int r = s; r < n; ++r) {
                H sum = 0;
                for (int q = 0; q < k; ++q) sum += a[q + r * lda] * a[q + s * lda];
                want[r + s * ldc] = alpha * sum + beta * want[r + s * ldc];
            }
        placed<T> const x(a, (place + 1) % 3), z(c, place);
        CHECK(syrk(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, n, k, (T const*)&alpha, x.p, lda, (T const*)&beta,
                   z.p, ldc));
        expect(z.get() == want, name);
        want = c;
        for (int s = 0; s < n; ++s)
            for (int r = 0; r < m; ++r) {
                H sum = 0;
                for (int q = 0; q < m; ++q) sum += a[std::min(r, q) + std::max(r, q) * lda] * b[q + s * ldb];
                want[r + s * ldc] = alpha * sum + beta * want[r + s * ldc];
            }
        placed<T> const y(b, place), w(c, place);
        CHECK(symm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, m, n, (T const*)&alpha, x.p, lda, y.p, ldb,
                   (T const*)&beta, w.p, ldc));
        expect(w.get() == want, name);
        int const size = 5;
        placed<T> const v(c, place);
        CHECK(trsm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, size, n,
                   (T const*)&alpha, x.p, lda, v.p, ldc));
        auto const solved = v.get();
        bool right = true;
        for (int s = 0; s < n; ++s)
            for (int r = 0; r < ldc; ++r) {
                H sum = solved[r + s * ldc];
                for (int q = 0; q < r && r < size; ++q) sum += a[r + q * lda] * solved[q + s * ldc];
                right = right && sum == (r < size ? alpha * c[r + s * ldc] : c[r + s * ldc]);
            }
        expect(right, name);
    }
}
static void from_afar() {
    cublasXtHandle_t h;
    CHECK(cublasXtCreate(&h));
    float const f = 1;
    float one[4] = {1, 2, 3, 4};
    auto const multiply = [&](float* c, size_t ld) {
        return cublasXtSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &f, one, 2, one, 2, &f, c, ld);
    };
    expect(multiply(one, 2) == CUBLAS_STATUS_NOT_INITIALIZED, "cublasXt before its device is selected");
    int devices[] = {0, 1}, number = 0;
    expect(cublasXtDeviceSelect(h, 2, devices) == CUBLAS_STATUS_INVALID_VALUE &&
               cublasXtDeviceSelect(h, 0, devices) == CUBLAS_STATUS_INVALID_VALUE &&
               cublasXtDeviceSelect(nullptr, 1, devices) == CUBLAS_STATUS_NOT_INITIALIZED,
           "cublasXtDeviceSelect of devices that are none");
    CHECK(cublasXtDeviceSelect(h, 1, devices));
    CHECK(cublasXtGetNumBoards(1, devices, &number));
    expect(number == 1, "cublasXtGetNumBoards");
    CHECK(cublasXtMaxBoards(&number));
    expect(number == 1 && cublasXtMaxBoards(nullptr) == CUBLAS_STATUS_INVALID_VALUE, "cublasXtMaxBoards");
    CHECK(cublasXtGetBlockDim(h, &number));
    expect(number == 2048 && cublasXtSetBlockDim(h, 0) == CUBLAS_STATUS_INVALID_VALUE, "cublasXtGetBlockDim");
    CHECK(cublasXtSetBlockDim(h, 64));
    CHECK(cublasXtGetBlockDim(h, &number));
    expect(number == 64, "cublasXtSetBlockDim");
    cublasXtPinnedMemMode_t mode = CUBLASXT_PINNING_ENABLED;
    CHECK(cublasXtGetPinningMemMode(h, &mode));
    expect(mode == CUBLASXT_PINNING_DISABLED, "cublasXtGetPinningMemMode");
    CHECK(cublasXtSetPinningMemMode(h, CUBLASXT_PINNING_ENABLED));
    CHECK(cublasXtGetPinningMemMode(h, &mode));
    expect(mode == CUBLASXT_PINNING_ENABLED, "cublasXtSetPinningMemMode");
    float kept[4] = {5, 6, 7, 8};
    expect(multiply(nullptr, 2) == CUBLAS_STATUS_INVALID_VALUE &&
               multiply(kept, 1) == CUBLAS_STATUS_INVALID_VALUE && kept[0] == 5,
           "cublasXtSgemm of what is no matrix");
    expect(cudaGetLastError() == cudaSuccess, "cublasXt leaves no error");
    from_afar<float>(h, "cublasXtS", cublasXtSgemm, cublasXtSsyrk, cublasXtSsymm, cublasXtStrsm);
    from_afar<double>(h, "cublasXtD", cublasXtDgemm, cublasXtDsyrk, cublasXtDsymm, cublasXtDtrsm);
    from_afar<cuComplex>(h, "cublasXtC", cublasXtCgemm, cublasXtCsyrk, cublasXtCsymm, cublasXtCtrsm);
    from_afar<cuDoubleComplex>(h, "cublasXtZ", cublasXtZgemm, cublasXtZsyrk, cublasXtZsymm, cublasXtZtrsm);
    CHECK(cublasXtDestroy(h));
    expect(cublasXtDestroy(nullptr) == CUBLAS_STATUS_NOT_INITIALIZED, "cublasXtDestroy of none");
}

static void vectors(cublasHandle_t h) {
    int const n = 3000;
    auto const x = some<float>(2 * n), y = some<float>(3 * n);
    float *dx = upload<float>(x), *dy = upload<float>(y);
    float const a = 3;
    double sum = 0, length = 0, all = 0;
    int largest = 0, least = 0;
    for (int i = 0; i < n; ++i) {
        sum += x[2 * i] * y[3 * i];
        length += x[2 * i] * x[2 * i];
        all += std::fabs(x[2 * i]);
        if (std::fabs(x[2 * i]) > std::fabs(x[2 * largest])) largest = i;
        if (std::fabs(x[2 * i]) < std::fabs(x[2 * least])) least = i;
    }
    float result;
    int place;
    CHECK(cublasSdot(h, n, dx, 2, dy, 3, &result));
    expect(result == (float)sum, "Sdot");
    CHECK(cublasSnrm2(h, n, dx, 2, &result));
    expect(result == (float)std::sqrt(length), "Snrm2");
    CHECK(cublasSasum(h, n, dx, 2, &result));
    expect(result == (float)all, "Sasum");
    CHECK(cublasIsamax(h, n, dx, 2, &place));
    expect(place == largest + 1, "Isamax");
    CHECK(cublasIsamin(h, n, dx, 2, &place));
    expect(place == least + 1, "Isamin");
    // Backwards, and with a factor and a result on the device.
    CHECK(cublasSdot(h, n, dx, 2, dy, -3, &result));
    sum = 0;
    for (int i = 0; i < n; ++i) sum += x[2 * i] * y[3 * (n - 1 - i)];
    expect(result == (float)sum, "Sdot, backwards");
    float* there = upload<float>(std::vector<float>{a, 0});
    CHECK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    CHECK(cublasSaxpy(h, n, there, dx, 2, dy, 3));
    CHECK(cublasSdot(h, n, dx, 2, dy, 3, there + 1));
    CHECK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    auto want = y;
    sum = 0;
    for (int i = 0; i < n; ++i) {
        want[3 * i] += a * x[2 * i];
        sum += x[2 * i] * want[3 * i];
    }
    expect(download<float>(dy, y.size()) == want, "Saxpy");
    expect(download<float>(there, 2)[1] == (float)sum, "Sdot, result on the device");
    CHECK(cublasSscal(h, n, &a, dx, 2));
    auto scaled = x;
    for (int i = 0; i < n; ++i) scaled[2 * i] *= a;
    expect(download<float>(dx, x.size()) == scaled, "Sscal");
    CHECK(cublasScopy(h, n, dx, 2, dy, 3));
    for (int i = 0; i < n; ++i) want[3 * i] = scaled[2 * i];
    expect(download<float>(dy, y.size()) == want, "Scopy");
}

static void matrices_and_vectors(cublasHandle_t h) {
    int const m = 50, n = 37, lda = 60;
    auto const a = some<double>(lda * 60), x = some<double>(200), y = some<double>(200);
    double const alpha = 2, beta = -3;
    double *da = upload<double>(a), *dx = upload<double>(x);
    for (auto const op : {CUBLAS_OP_N, CUBLAS_OP_T}) {
        double* dy = upload<double>(y);
        auto want = y;
        int const rows = op == CUBLAS_OP_N ? m : n, columns = op == CUBLAS_OP_N ? n : m;
        for (int r = 0; r < rows; ++r) {
            double sum = 0;
            for (int c = 0; c < columns; ++c) sum += at(a, lda, op, r, c) * x[2 * c];
            want[3 * r] = alpha * sum + beta * want[3 * r];
        }
        CHECK(cublasDgemv(h, op, m, n, &alpha, da, lda, dx, 2, &beta, dy, 3));
        expect(download<double>(dy, y.size()) == want, "Dgemv");
        cudaFree(dy);
    }
    double* dg = upload<double>(a);
    auto want = a;
    for (int c = 0; c < n; ++c)
        for (int r = 0; r < m; ++r) want[r + c * lda] += alpha * x[r] * y[2 * c];
    double* dy = upload<double>(y);
    CHECK(cublasDger(h, m, n, &alpha, dx, 1, dy, 2, dg, lda));
    expect(download<double>(dg, a.size()) == want, "Dger");
    CHECK(cublasDgeam(h, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &alpha, da, lda, &beta, da, lda, dg, lda));
    for (int c = 0; c < n; ++c)
        for (int r = 0; r < m; ++r) want[r + c * lda] = alpha * a[c + r * lda] + beta * a[r + c * lda];
    expect(download<double>(dg, a.size()) == want, "Dgeam");

    // Triangles with powers of two on their diagonals are solved exactly.
    int const size = 12;
    std::vector<double> t(size * size);
    for (auto& v : t) v = small();
    for (int i = 0; i < size; ++i) t[i * (size + 1)] = i % 2 != 0 ? 2 : 0.5;
    for (auto const side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT})
        for (auto const fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
            for (auto const op : {CUBLAS_OP_N, CUBLAS_OP_T}) {
                auto const solution = some<double>(size * size);
                std::vector<double> right(size * size);
                auto const of = [&](int r, int c) {
                    int const i = op == CUBLAS_OP_N ? r : c, j = op == CUBLAS_OP_N ? c : r;
                    bool const there = fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
                    return there ? t[i + j * size] : 0.0;
                };
                for (int c = 0; c < size; ++c)
                    for (int r = 0; r < size; ++r)
                        for (int q = 0; q < size; ++q)
                            right[r + c * size] += side == CUBLAS_SIDE_LEFT
                                                       ? of(r, q) * solution[q + c * size]
                                                       : solution[r + q * size] * of(q, c);
                double const one = 1;
                double *dt = upload<double>(t), *db = upload<double>(right);
                CHECK(cublasDtrsm(h, side, fill, op, CUBLAS_DIAG_NON_UNIT, size, size, &one, dt, size, db,
                                  size));
                auto const got = download<double>(db, right.size());
                double worst = 0;
                for (size_t i = 0; i < got.size(); ++i)
                    worst = std::fmax(worst, std::fabs(got[i] - solution[i]));
                expect(worst < 1e-3, "Dtrsm");
                cudaFree(dt);
                cudaFree(db);
            }
}

static void narrow(cublasHandle_t h) {
    int const n = 32;
    std::vector<__half> a(n * n), b(n * n);
    for (auto& v : a) v = __float2half((float)(small() / 2));
    for (auto& v : b) v = __float2half((float)(small() / 2));
    __half *da = upload<__half>(a), *db = upload<__half>(b), *dc = upload<__half>(a);
    float const one = 1, zero = 0;
    CHECK(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, da, CUDA_R_16F, n, db, CUDA_R_16F, n,
                       &zero, dc, CUDA_R_16F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP));
    auto const got = download<__half>(dc, a.size());
    bool right = true;
    for (int c = 0; c < n; ++c)
        for (int r = 0; r < n; ++r) {
            float sum = 0;
            for (int q = 0; q < n; ++q) sum += __half2float(a[r + q * n]) * __half2float(b[q + c * n]);
            right = right && __half2float(got[r + c * n]) == sum;
        }
    expect(right, "GemmEx of halves");
    std::vector<signed char> bytes(n * n);
    for (auto& v : bytes) v = (signed char)small();
    auto* d8 = upload<signed char>(bytes);
    int* d32 = upload<int>(std::vector<int>(n * n));
    int const i1 = 1, i0 = 0;
    CHECK(cublasGemmEx(h, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, &i1, d8, CUDA_R_8I, n, d8, CUDA_R_8I, n, &i0,
                       d32, CUDA_R_32I, n, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    auto const sums = download<int>(d32, n * n);
    right = true;
    for (int c = 0; c < n; ++c)
        for (int r = 0; r < n; ++r) {
            int sum = 0;
            for (int q = 0; q < n; ++q) sum += bytes[q + r * n] * bytes[q + c * n];
            right = right && sums[r + c * n] == sum;
        }
    expect(right, "GemmEx of bytes");
}

// A product with a bias for each row, and what is negative made 0.
static void with_epilogue() {
    int const m = 40, n = 9, k = 17;
    auto const a = some<float>(m * k), b = some<float>(k * n), bias = some<float>(m);
    float *da = upload<float>(a), *db = upload<float>(b), *dbias = upload<float>(bias);
    float* dd = upload<float>(std::vector<float>(m * n));
    cublasLtHandle_t lt;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t la, lb, ld;
    CHECK(cublasLtCreate(&lt));
    CHECK(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    auto const op = CUBLAS_OP_T;
    auto const epilogue = CUBLASLT_EPILOGUE_RELU_BIAS;
    CHECK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &op, sizeof op));
    CHECK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    CHECK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &dbias, sizeof dbias));
    CHECK(cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, k, m, k));
    CHECK(cublasLtMatrixLayoutCreate(&lb, CUDA_R_32F, k, n, k));
    CHECK(cublasLtMatrixLayoutCreate(&ld, CUDA_R_32F, m, n, m));
    float const one = 1, zero = 0;
    CHECK(cublasLtMatmul(lt, product, &one, da, la, db, lb, &zero, dd, ld, dd, ld, nullptr, nullptr, 0, 0));
    std::vector<float> want(m * n);
    for (int c = 0; c < n; ++c)
        for (int r = 0; r < m; ++r) {
            float sum = bias[r];
            for (int q = 0; q < k; ++q) sum += a[q + r * k] * b[q + c * k];
            want[r + c * m] = sum < 0 ? 0 : sum;
        }
    expect(download<float>(dd, want.size()) == want, "cublasLtMatmul");
    CHECK(cublasLtDestroy(lt));
}

// Batches of L and U: P L U is the matrix again, and what is solved or inverted is multiplied again.
template <class T, class Factor, class Invert, class Solve>
void factors(cublasHandle_t h, char const* name, Factor factor, Invert invert, Solve solve) {
    using H = typename host_type<T>::type;
    int const n = 13, lda = 15, columns = 3, count = 4;
    auto a = some<H>(size_t(lda) * n * count);
    auto const b = some<H>(size_t(n) * columns * count);
    auto const cell = [&](int m, int r, int c) { return size_t(m) * lda * n + r + size_t(c) * lda; };
    for (int m = 0; m < count; ++m)
        for (int i = 0; i < n; ++i)
            a[cell(m, (i + 3) % n, i)] += H(25); // far from singular, and not by its diagonal
    double const most = sizeof(H) == sizeof(float) || std::is_same<T, cuComplex>::value ? 2e-4 : 1e-12;
    auto const near = [&](H x, H y) { return std::abs(x - y) <= most * (1 + std::abs(y)); };
    T *da = upload<T>(a), *db = upload<T>(b), *dc = upload<T>(std::vector<H>(size_t(n) * n * count));
    std::vector<T*> lists;
    for (int m = 0; m < count; ++m) lists.push_back(da + size_t(m) * lda * n);
    for (int m = 0; m < count; ++m) lists.push_back(dc + size_t(m) * n * n);
    for (int m = 0; m < count; ++m) lists.push_back(db + size_t(m) * n * columns);
    T** const dl = upload<T*>(lists);
    int* const dp = upload<int>(std::vector<int>(n * count));
    int* const info = upload<int>(std::vector<int>(count, 7));
    CHECK(factor(h, n, dl, lda, dp, info, count));
    expect(download<int>(info, count) == std::vector<int>(count, 0), name);
    auto const lu = download<H>(da, a.size());
    auto const pivots = download<int>(dp, n * count);
    CHECK(invert(h, n, dl, lda, dp, dl + count, n, info, count));
    auto const inverse = download<H>(dc, size_t(n) * n * count);
    bool right = true;
    for (int m = 0; m < count; ++m) {
        std::vector<int> row(n);
        for (int i = 0; i < n; ++i) row[i] = i;
        for (int i = 0; i < n; ++i) std::swap(row[i], row[pivots[m * n + i] - 1]);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                H product{}, one{};
                for (int k = 0; k <= std::min(i, j); ++k)
                    product += (k == i ? H(1) : lu[cell(m, i, k)]) * lu[cell(m, k, j)];
                right = right && near(product, a[cell(m, row[i], j)]);
                for (int k = 0; k < n; ++k)
                    one += a[cell(m, i, k)] * inverse[size_t(m) * n * n + k + size_t(j) * n];
                right = right && near(one, H(i == j ? 1.f : 0.f));
            }
    }
    for (auto const op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
        int status = 7;
        cudaMemcpy(db, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice);
        CHECK(solve(h, op, n, columns, dl, lda, dp, dl + 2 * count, n, &status, count));
        auto const x = download<H>(db, b.size());
        right = right && status == 0;
        for (int m = 0; m < count; ++m)
            for (int i = 0; i < n; ++i)
                for (int c = 0; c < columns; ++c) {
                    H sum{};
                    for (int k = 0; k < n; ++k)
                        sum += at(a, lda, op, i, k, size_t(m) * lda * n) *
                               x[size_t(m) * n * columns + k + c * n];
                    right = right && near(sum, b[size_t(m) * n * columns + i + c * n]);
                }
    }
    expect(right, name);
    // A column of zeros is told by its number.
    for (int i = 0; i < n; ++i) a[cell(1, i, 4)] = H();
    cudaMemcpy(da, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice);
    CHECK(factor(h, n, dl, lda, dp, info, count));
    expect(download<int>(info, count) == std::vector<int>{0, 5, 0, 0}, "a singular matrix");
}

int main() {
    with_epilogue();
    from_afar();
    cublasHandle_t h;
    CHECK(cublasCreate(&h));
    vectors(h);
    matrices_and_vectors(h);
    narrow(h);
    products<float>(h, "Sgemm", cublasSgemm, cublasSgemmStridedBatched, cublasSgemmBatched);
    products<double>(h, "Dgemm", cublasDgemm, cublasDgemmStridedBatched, cublasDgemmBatched);
    products<cuComplex>(h, "Cgemm", cublasCgemm, cublasCgemmStridedBatched, cublasCgemmBatched);
    factors<float>(h, "Sgetrf", cublasSgetrfBatched, cublasSgetriBatched, cublasSgetrsBatched);
    factors<double>(h, "Dgetrf", cublasDgetrfBatched, cublasDgetriBatched, cublasDgetrsBatched);
    factors<cuComplex>(h, "Cgetrf", cublasCgetrfBatched, cublasCgetriBatched, cublasCgetrsBatched);
    factors<cuDoubleComplex>(h, "Zgetrf", cublasZgetrfBatched, cublasZgetriBatched, cublasZgetrsBatched);
    float const f = 0;
    expect(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &f, nullptr, 3, nullptr, 4, &f, nullptr, 4) ==
               CUBLAS_STATUS_INVALID_VALUE,
           "a leading dimension that is too small");
    expect(cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &f, nullptr, 4, nullptr, 4, &f, nullptr,
                       4) == CUBLAS_STATUS_NOT_INITIALIZED,
           "no handle");
    CHECK(cublasDestroy(h));
    std::printf(wrong == 0 ? "PASSED\n" : "%d wrong\n", wrong);
    return wrong != 0;
}
