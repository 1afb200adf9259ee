// cuBLAS-XT on the one device: what it cannot reach is copied there, and the result back.
#include <climits>
#include <cublasXt.h>

struct cublasXtContext {
    cublasContext own;
    int block = 2048; // as documented
    cublasXtPinnedMemMode_t pinning = CUBLASXT_PINNING_DISABLED;
    bool selected = false;
};

namespace {

// A matrix for a call: the program's own where the device reaches it, otherwise a copy there.
template <class T>
class reached {
public:
    // With `read` the copy has the elements; without, they are about to be written.
    reached(T* matrix, size_t rows, size_t columns, size_t ld, bool read)
        : there(matrix),
          where(matrix),
          rows(rows),
          columns(columns),
          ld(ld) {
        if (rows == 0 || columns == 0) return;
        if (matrix == nullptr || ld < rows) {
            status = CUBLAS_STATUS_INVALID_VALUE;
            return;
        }
        cudaPointerAttributes attributes;
        bool const known = cudaPointerGetAttributes(&attributes, matrix) == cudaSuccess;
        if (!known) cudaGetLastError();
        if (known && attributes.type != cudaMemoryTypeUnregistered) return;
        if (cudaMalloc((void**)&there, columns * ld * sizeof(T)) != cudaSuccess) {
            cudaGetLastError();
            there = nullptr;
            status = CUBLAS_STATUS_ALLOC_FAILED;
        } else if (read && !copy(there, where, cudaMemcpyHostToDevice)) {
            status = CUBLAS_STATUS_EXECUTION_FAILED;
        }
    }
    reached(reached const&) = delete;
    reached& operator=(reached const&) = delete;
    ~reached() {
        if (there != where) cudaFree((void*)there);
    }
    // The result where the program has it.
    cublasStatus_t finish() {
        bool const done = there != where ? copy(where, there, cudaMemcpyDeviceToHost)
                                         : cudaStreamSynchronize(nullptr) == cudaSuccess;
        return done ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
    }

    T* there;
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;

private:
    bool copy(T* to, T const* from, cudaMemcpyKind kind) {
        return cudaMemcpy2D((void*)to, ld * sizeof(T), from, ld * sizeof(T), rows * sizeof(T), columns,
                            kind) == cudaSuccess;
    }
    T* where;
    size_t rows, columns, ld;
};
bool fits(size_t n) { return n <= INT_MAX; }
template <class... Sizes>
bool fits(size_t n, Sizes... more) {
    return fits(n) && fits(more...);
}
bool straight(cublasOperation_t op) { return op == CUBLAS_OP_N || op == CUBLAS_OP_CONJG; }

} // namespace

extern "C" {

cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle) {
    if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *handle = new (std::nothrow) cublasXtContext;
    return *handle == nullptr ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtDestroy(cublasXtHandle_t h) {
    REQUIRE(true);
    delete h;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetNumBoards(int count, int devices[], int* boards) {
    if (count <= 0 || devices == nullptr || boards == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    for (int i = 0; i < count; ++i)
        if (devices[i] != 0) return CUBLAS_STATUS_INVALID_VALUE;
    *boards = 1;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtMaxBoards(int* boards) {
    if (boards == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *boards = 1;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t h, int count, int devices[]) {
    int boards = 0;
    REQUIRE(cublasXtGetNumBoards(count, devices, &boards) == CUBLAS_STATUS_SUCCESS);
    h->selected = true;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t h, int dimension) {
    REQUIRE(dimension > 0);
    h->block = dimension;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t h, int* dimension) {
    REQUIRE(dimension != nullptr);
    *dimension = h->block;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t h, cublasXtPinnedMemMode_t mode) {
    REQUIRE(mode == CUBLASXT_PINNING_DISABLED || mode == CUBLASXT_PINNING_ENABLED);
    h->pinning = mode;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t h, cublasXtPinnedMemMode_t* mode) {
    REQUIRE(mode != nullptr);
    *mode = h->pinning;
    return CUBLAS_STATUS_SUCCESS;
}

// Operands on the device, the call, the result back.
#define XT_REQUIRE(...)                                                                                      \
    if (h == nullptr || !h->selected) return CUBLAS_STATUS_NOT_INITIALIZED;                                  \
    if (!fits(__VA_ARGS__)) return unsupported("cublasXt with 2^31 or more rows or columns")
#define XT_OPERAND(T, name, matrix, rows, columns, ld, read)                                                 \
    reached<T> name((matrix), (rows), (columns), (ld), (read));                                              \
    if (name.status != CUBLAS_STATUS_SUCCESS) return name.status
#define XT_CALL(call, result)                                                                                \
    cublasStatus_t const status = call;                                                                      \
    return status != CUBLAS_STATUS_SUCCESS ? status : result.finish()
#define XT(L, T)                                                                                             \
    cublasStatus_t cublasXt##L##gemm(cublasXtHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b,     \
                                     size_t m, size_t n, size_t k, T const* alpha, T const* a, size_t lda,   \
                                     T const* b, size_t ldb, T const* beta, T* c, size_t ldc) {              \
        XT_REQUIRE(m, n, k, lda, ldb, ldc);                                                                  \
        if (alpha == nullptr || beta == nullptr) return CUBLAS_STATUS_INVALID_VALUE;                         \
        XT_OPERAND(T const, x, a, straight(op_a) ? m : k, straight(op_a) ? k : m, lda, true);                \
        XT_OPERAND(T const, y, b, straight(op_b) ? k : n, straight(op_b) ? n : k, ldb, true);                \
        XT_OPERAND(T, z, c, m, n, ldc, !number<T>::is_zero(on_host<T>(beta)));                               \
        XT_CALL(cublas##L##gemm_v2(&h->own, op_a, op_b, (int)m, (int)n, (int)k, alpha, x.there, (int)lda,    \
                                   y.there, (int)ldb, beta, z.there, (int)ldc),                              \
                z);                                                                                          \
    }                                                                                                        \
    cublasStatus_t cublasXt##L##syrk(cublasXtHandle_t h, cublasFillMode_t fill, cublasOperation_t op,        \
                                     size_t n, size_t k, T const* alpha, T const* a, size_t lda,             \
                                     T const* beta, T* c, size_t ldc) {                                      \
        XT_REQUIRE(n, k, lda, ldc);                                                                          \
        if (alpha == nullptr || beta == nullptr) return CUBLAS_STATUS_INVALID_VALUE;                         \
        XT_OPERAND(T const, x, a, straight(op) ? n : k, straight(op) ? k : n, lda, true);                    \
        XT_OPERAND(T, z, c, n, n, ldc, true);                                                                \
        XT_CALL(cublas##L##syrk_v2(&h->own, fill, op, (int)n, (int)k, alpha, x.there, (int)lda, beta,        \
                                   z.there, (int)ldc),                                                       \
                z);                                                                                          \
    }                                                                                                        \
    cublasStatus_t cublasXt##L##symm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,       \
                                     size_t m, size_t n, T const* alpha, T const* a, size_t lda, T const* b, \
                                     size_t ldb, T const* beta, T* c, size_t ldc) {                          \
        XT_REQUIRE(m, n, lda, ldb, ldc);                                                                     \
        if (alpha == nullptr || beta == nullptr) return CUBLAS_STATUS_INVALID_VALUE;                         \
        size_t const order = side == CUBLAS_SIDE_LEFT ? m : n;                                               \
        XT_OPERAND(T const, x, a, order, order, lda, true);                                                  \
        XT_OPERAND(T const, y, b, m, n, ldb, true);                                                          \
        XT_OPERAND(T, z, c, m, n, ldc, !number<T>::is_zero(on_host<T>(beta)));                               \
        XT_CALL(cublas##L##symm_v2(&h->own, side, fill, (int)m, (int)n, alpha, x.there, (int)lda, y.there,   \
                                   (int)ldb, beta, z.there, (int)ldc),                                       \
                z);                                                                                          \
    }                                                                                                        \
    cublasStatus_t cublasXt##L##trsm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,       \
                                     cublasOperation_t op, cublasDiagType_t diagonal, size_t m, size_t n,    \
                                     T const* alpha, T const* a, size_t lda, T* b, size_t ldb) {             \
        XT_REQUIRE(m, n, lda, ldb);                                                                          \
        if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;                                            \
        size_t const order = side == CUBLAS_SIDE_LEFT ? m : n;                                               \
        XT_OPERAND(T const, x, a, order, order, lda, true);                                                  \
        XT_OPERAND(T, y, b, m, n, ldb, true);                                                                \
        XT_CALL(cublas##L##trsm_v2(&h->own, side, fill, op, diagonal, (int)m, (int)n, alpha, x.there,        \
                                   (int)lda, y.there, (int)ldb),                                             \
                y);                                                                                          \
    }
XT(S, float)
XT(D, double)
XT(C, cuComplex)
XT(Z, cuDoubleComplex)
#undef XT
#undef XT_CALL
#undef XT_OPERAND
#undef XT_REQUIRE

} // extern "C"
