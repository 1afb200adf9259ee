// cuSPARSE's calls. Buffers that programs are asked for are not used.
#include "cusparse_kernels.cuh"

#include <new>

namespace {

bool take(void*& p, size_t bytes) { return cudaMalloc(&p, bytes == 0 ? 1 : bytes) == cudaSuccess; }
long long last_of(long long const* list, long long i) {
    long long v = 0;
    cudaMemcpy(&v, list + i, sizeof v, cudaMemcpyDeviceToHost);
    return v;
}
template <class D, class... Values>
cusparseStatus_t make(D** to, Values... values) {
    if (to == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *to = new (std::nothrow) D{values...};
    return *to == nullptr ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_SUCCESS;
}
template <class D>
cusparseStatus_t drop(D const* d) {
    delete d;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t no_buffer(size_t* bytes) {
    if (bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *bytes = 8; // programs allocate it, and none may be of 0 bytes
    return CUSPARSE_STATUS_SUCCESS;
}

} // namespace

extern "C" {

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) { return make(handle); }
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) { return drop(handle); }
cusparseStatus_t cusparseGetVersion(cusparseHandle_t, int* version) {
    *version = CUSPARSE_VERSION;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    *stream = handle->stream;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    handle->pointers = mode;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    *mode = handle->pointers;
    return CUSPARSE_STATUS_SUCCESS;
}
char const* cusparseGetErrorName(cusparseStatus_t status) {
    static char const* const names[] = {"CUSPARSE_STATUS_SUCCESS",
                                        "CUSPARSE_STATUS_NOT_INITIALIZED",
                                        "CUSPARSE_STATUS_ALLOC_FAILED",
                                        "CUSPARSE_STATUS_INVALID_VALUE",
                                        "CUSPARSE_STATUS_ARCH_MISMATCH",
                                        "CUSPARSE_STATUS_MAPPING_ERROR",
                                        "CUSPARSE_STATUS_EXECUTION_FAILED",
                                        "CUSPARSE_STATUS_INTERNAL_ERROR",
                                        "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
                                        "CUSPARSE_STATUS_ZERO_PIVOT",
                                        "CUSPARSE_STATUS_NOT_SUPPORTED",
                                        "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES"};
    return status >= 0 && status < (int)(sizeof names / sizeof names[0]) ? names[status] : "unknown status";
}
char const* cusparseGetErrorString(cusparseStatus_t status) { return cusparseGetErrorName(status); }

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* a) { return make(a); }
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t a) { return drop(a); }
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t a, cusparseMatrixType_t type) {
    a->type = type;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t a, cusparseIndexBase_t base) {
    a->base = base;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t a, cusparseFillMode_t mode) {
    a->fill = mode;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t a, cusparseDiagType_t type) {
    a->diagonal = type;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseMatrixType_t cusparseGetMatType(cusparseMatDescr_t a) { return a->type; }
cusparseIndexBase_t cusparseGetMatIndexBase(cusparseMatDescr_t a) { return a->base; }
cusparseFillMode_t cusparseGetMatFillMode(cusparseMatDescr_t a) { return a->fill; }
cusparseDiagType_t cusparseGetMatDiagType(cusparseMatDescr_t a) { return a->diagonal; }

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* v, int64_t size, void* values, cudaDataType type) {
    return make(v, (long long)size, values, type);
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t v) { return drop(v); }
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t v, void* values) {
    v->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t* v, int64_t size, int64_t nonzeros, void* indices,
                                     void* values, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                     cudaDataType type) {
    return make(v, (long long)size, (long long)nonzeros, indices, values, index_type, base, type);
}
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t v) { return drop(v); }
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* m, int64_t rows, int64_t columns, int64_t ld,
                                     void* values, cudaDataType type, cusparseOrder_t order) {
    if (rows < 0 || columns < 0 || ld < (order == CUSPARSE_ORDER_ROW ? columns : rows))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return make(m, (long long)rows, (long long)columns, (long long)ld, values, type, order);
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t m) { return drop(m); }
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t m, void* values) {
    m->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t m, int count, int64_t step) {
    if (count < 1) return CUSPARSE_STATUS_INVALID_VALUE;
    m->batch = count;
    m->step = step;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* m, int64_t rows, int64_t columns, int64_t nonzeros,
                                   void* offsets, void* indices, void* values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type) {
    return make(m, CUSPARSE_FORMAT_CSR, (long long)rows, (long long)columns, (long long)nonzeros, offsets,
                indices, values, offset_type, index_type, base, type);
}
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t* m, int64_t rows, int64_t columns, int64_t nonzeros,
                                   void* offsets, void* indices, void* values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type) {
    return make(m, CUSPARSE_FORMAT_CSC, (long long)rows, (long long)columns, (long long)nonzeros, offsets,
                indices, values, offset_type, index_type, base, type);
}
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t* m, int64_t rows, int64_t columns, int64_t nonzeros,
                                   void* row_indices, void* indices, void* values,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                   cudaDataType type) {
    return make(m, CUSPARSE_FORMAT_COO, (long long)rows, (long long)columns, (long long)nonzeros, row_indices,
                indices, values, index_type, index_type, base, type);
}
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t m) { return drop(m); }
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t m, int64_t* rows, int64_t* columns,
                                      int64_t* nonzeros) {
    *rows = m->rows;
    *columns = m->columns;
    *nonzeros = m->nonzeros;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t m, void* offsets, void* indices, void* values) {
    m->offsets = offsets;
    m->indices = indices;
    m->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t m, void* row_indices, void* indices,
                                        void* values) {
    return cusparseCsrSetPointers(m, row_indices, indices, values);
}
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t m, void* values) {
    m->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t offsets_step,
                                            int64_t values_step) {
    if (count < 1) return CUSPARSE_STATUS_INVALID_VALUE;
    m->batch = count;
    m->offsets_step = offsets_step;
    m->values_step = values_step;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t m, cusparseSpMatAttribute_t attribute,
                                           void* data, size_t) {
    if (attribute == CUSPARSE_SPMAT_FILL_MODE)
        m->fill = *(cusparseFillMode_t*)data;
    else
        m->diagonal = *(cusparseDiagType_t*)data;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, void const*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, void const*,
                                         cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t,
                                         size_t* bytes) {
    return no_buffer(bytes);
}
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t, cusparseOperation_t, void const*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, void const*,
                                         cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, void*) {
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t h, cusparseOperation_t op, void const* alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, void const* beta,
                              cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t, void*) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (a->type != compute || x->type != compute || y->type != compute)
        return unsupported("a product of several types");
    return by_type(compute, [&](auto zero) {
        using T = decltype(zero);
        return multiply<T>(h, op, scalar_of<T>(h, alpha), *a, 0, {(T*)x->values, 1, 0, false},
                           scalar_of<T>(h, beta), {(T*)y->values, 1, 0, false}, 1);
    });
}
cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                         void const*, cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t,
                                         void const*, cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t,
                                         size_t* bytes) {
    return no_buffer(bytes);
}
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                         void const*, cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t,
                                         void const*, cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t,
                                         void*) {
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMM(cusparseHandle_t h, cusparseOperation_t op_a, cusparseOperation_t op_b,
                              void const* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              void const* beta, cusparseDnMatDescr_t c, cudaDataType compute,
                              cusparseSpMMAlg_t, void*) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (a->type != compute || b->type != compute || c->type != compute)
        return unsupported("a product of several types");
    return by_type(compute, [&](auto zero) {
        using T = decltype(zero);
        auto status = CUSPARSE_STATUS_SUCCESS;
        for (int i = 0; i < c->batch && status == CUSPARSE_STATUS_SUCCESS; ++i)
            status = multiply<T>(h, op_a, scalar_of<T>(h, alpha), *a, a->batch > 1 ? i : 0,
                                 dense_of<T>(*b, op_b, b->batch > 1 ? i : 0), scalar_of<T>(h, beta),
                                 dense_of<T>(*c, CUSPARSE_OPERATION_NON_TRANSPOSE, i), c->columns);
        return status;
    });
}
cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                          void const*, cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t,
                                          void const*, cusparseSpMatDescr_t, cudaDataType, cusparseSDDMMAlg_t,
                                          size_t* bytes) {
    return no_buffer(bytes);
}
cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                          void const*, cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t,
                                          void const*, cusparseSpMatDescr_t, cudaDataType, cusparseSDDMMAlg_t,
                                          void*) {
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSDDMM(cusparseHandle_t h, cusparseOperation_t op_a, cusparseOperation_t op_b,
                               void const* alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                               void const* beta, cusparseSpMatDescr_t c, cudaDataType compute,
                               cusparseSDDMMAlg_t, void*) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (c->format != CUSPARSE_FORMAT_CSR) return unsupported("SDDMM into other than CSR");
    if (a->type != compute || b->type != compute || c->type != compute)
        return unsupported("a product of several types");
    return by_type(compute, [&](auto zero) {
        using T = decltype(zero);
        auto const depth = op_a == CUSPARSE_OPERATION_NON_TRANSPOSE ? a->columns : a->rows;
        for (int i = 0; i < c->batch && c->rows > 0; ++i)
            multiply_places<<<blocks(c->rows, 8), 256, 0, h->stream>>>(
                sparse_of<T>(*c, i), depth, scalar_of<T>(h, alpha),
                dense_of<T>(*a, op_a, a->batch > 1 ? i : 0), dense_of<T>(*b, op_b, b->batch > 1 ? i : 0),
                scalar_of<T>(h, beta));
        return launched();
    });
}

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t* d) { return make(d); }
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t d) { return drop(d); }
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t, cusparseOperation_t, void const*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                                         cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t,
                                         cusparseSpSVDescr_t, size_t* bytes) {
    return no_buffer(bytes);
}
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t, cusparseOperation_t, void const*,
                                       cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                                       cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t,
                                       cusparseSpSVDescr_t, void*) {
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t h, cusparseOperation_t op, void const* alpha,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                    cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpSVAlg_t,
                                    cusparseSpSVDescr_t) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    return by_type(compute, [&](auto zero) {
        using T = decltype(zero);
        return solve_all<T>(h, op, alpha, *a, {(T*)x->values, 1, 0, false}, {(T*)y->values, 1, 0, false}, 1);
    });
}
cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t* d) { return make(d); }
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t d) { return drop(d); }
cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                         void const*, cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t,
                                         cusparseDnMatDescr_t, cudaDataType, cusparseSpSMAlg_t,
                                         cusparseSpSMDescr_t, size_t* bytes) {
    return no_buffer(bytes);
}
cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                       void const*, cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t,
                                       cusparseDnMatDescr_t, cudaDataType, cusparseSpSMAlg_t,
                                       cusparseSpSMDescr_t, void*) {
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t h, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                    void const* alpha, cusparseConstSpMatDescr_t a,
                                    cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c, cudaDataType compute,
                                    cusparseSpSMAlg_t, cusparseSpSMDescr_t) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    return by_type(compute, [&](auto zero) {
        using T = decltype(zero);
        return solve_all<T>(h, op_a, alpha, *a, dense_of<T>(*b, op_b), dense_of<T>(*c), c->columns);
    });
}

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t, cusparseConstSpMatDescr_t,
                                                  cusparseDnMatDescr_t, cusparseSparseToDenseAlg_t,
                                                  size_t* bytes) {
    return no_buffer(bytes);
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t h, cusparseConstSpMatDescr_t a,
                                       cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t, void*) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (a->type != b->type) return unsupported("a conversion between types");
    return by_type(a->type, [&](auto zero) {
        using T = decltype(zero);
        auto const s = sparse_of<T>(*a);
        auto const cells = b->rows * b->columns;
        if (cells == 0) return CUSPARSE_STATUS_SUCCESS;
        scale<<<blocks(cells, 256), 256, 0, h->stream>>>(b->rows, b->columns, scalar<T>{zero, nullptr},
                                                         dense_of<T>(*b));
        auto const threads = s.is_list ? s.nonzeros : s.rows;
        if (threads > 0)
            place_entries<<<blocks(threads, 256), 256, 0, h->stream>>>(s, dense_of<T>(*b),
                                                                       a->format == CUSPARSE_FORMAT_CSC);
        return launched();
    });
}
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t, cusparseConstDnMatDescr_t,
                                                  cusparseSpMatDescr_t, cusparseDenseToSparseAlg_t,
                                                  size_t* bytes) {
    return no_buffer(bytes);
}
// The dense matrix by the rows of what is stored: its columns, for CSC.
static cusparseOperation_t as_stored(cusparseConstSpMatDescr_t b) {
    return b->format == CUSPARSE_FORMAT_CSC ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
}
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t h, cusparseConstDnMatDescr_t a,
                                                cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void*) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (b->format == CUSPARSE_FORMAT_COO) return unsupported("a conversion to COO");
    if (a->type != b->type) return unsupported("a conversion between types");
    return by_type(a->type, [&](auto zero) {
        using T = decltype(zero);
        auto const s = sparse_of<T>(*b);
        if (s.rows > 0)
            count_row<<<blocks(s.rows, 256), 256, 0, h->stream>>>(
                s.rows, s.columns, dense_of<T>(*a, as_stored(b)), s.offsets, 1);
        begin_rows<<<1, 1, 0, h->stream>>>(s.rows, s.offsets);
        long long total = 0;
        auto const width = s.offsets.wide ? 8 : 4;
        if (cudaMemcpy(&total, (char*)s.offsets.list + s.rows * width, width, cudaMemcpyDeviceToHost) !=
            cudaSuccess)
            return CUSPARSE_STATUS_EXECUTION_FAILED;
        b->nonzeros = total - s.offsets.base;
        return launched();
    });
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t h, cusparseConstDnMatDescr_t a,
                                               cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void*) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    return by_type(a->type, [&](auto zero) {
        using T = decltype(zero);
        auto const s = sparse_of<T>(*b);
        if (s.rows > 0)
            gather_row<<<blocks(s.rows, 256), 256, 0, h->stream>>>(dense_of<T>(*a, as_stored(b)), s);
        return launched();
    });
}

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* d) { return make(d); }
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t d) {
    for (auto* const p : {d->begins, d->counts, d->columns, d->values}) cudaFree(p);
    return drop(d);
}
cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t, cusparseOperation_t op_a,
                                               cusparseOperation_t op_b, void const*,
                                               cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                               void const*, cusparseSpMatDescr_t c, cudaDataType,
                                               cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t, size_t* bytes,
                                               void*) {
    for (auto const format : {a->format, b->format, c->format})
        if (format != CUSPARSE_FORMAT_CSR)
            return unsupported("a product of sparse matrices other than in CSR");
    if (op_a != CUSPARSE_OPERATION_NON_TRANSPOSE || op_b != CUSPARSE_OPERATION_NON_TRANSPOSE)
        return unsupported("a product of transposed sparse matrices");
    return no_buffer(bytes);
}
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t h, cusparseOperation_t, cusparseOperation_t,
                                        void const* alpha, cusparseConstSpMatDescr_t a,
                                        cusparseConstSpMatDescr_t b, void const*, cusparseSpMatDescr_t c,
                                        cudaDataType compute, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t d,
                                        size_t* bytes, void* buffer) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (buffer == nullptr) return no_buffer(bytes);
    return by_type(compute, [&](auto zero) {
        using T = decltype(zero);
        auto const left = sparse_of<T>(*a);
        auto const right = sparse_of<T>(*b);
        size_t const words = (size_t)(left.rows + 1) * sizeof(long long);
        for (auto* const p : {d->begins, d->counts, d->columns, d->values}) cudaFree(p);
        if (!take(d->begins, words) || !take(d->counts, words)) return CUSPARSE_STATUS_ALLOC_FAILED;
        auto* const begins = (long long*)d->begins;
        auto* const counts = (long long*)d->counts;
        if (left.rows > 0) bound_row<<<blocks(left.rows, 256), 256, 0, h->stream>>>(left, right, begins);
        begin_rows<<<1, 1, 0, h->stream>>>(left.rows, index_list{begins, true, 0});
        auto const most = (size_t)last_of(begins, left.rows);
        if (!take(d->columns, most * sizeof(long long)) || !take(d->values, most * sizeof(T)))
            return CUSPARSE_STATUS_ALLOC_FAILED;
        if (left.rows > 0)
            multiply_row<<<blocks(left.rows, 256), 256, 0, h->stream>>>(
                left, right, scalar_of<T>(h, alpha), begins, counts, (long long*)d->columns, (T*)d->values);
        begin_rows<<<1, 1, 0, h->stream>>>(left.rows, index_list{counts, true, 0});
        c->rows = left.rows;
        c->columns = right.columns;
        c->nonzeros = last_of(counts, left.rows);
        return launched();
    });
}
cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t h, cusparseOperation_t, cusparseOperation_t,
                                     void const*, cusparseConstSpMatDescr_t, cusparseConstSpMatDescr_t,
                                     void const*, cusparseSpMatDescr_t c, cudaDataType compute,
                                     cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t d) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (d->begins == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return by_type(compute, [&](auto zero) {
        using T = decltype(zero);
        auto const to = sparse_of<T>(*c);
        copy_counts<<<blocks(to.rows + 1, 256), 256, 0, h->stream>>>(to.rows, (long long*)d->counts,
                                                                     to.offsets);
        copy_row<<<blocks(to.rows + 1, 256), 256, 0, h->stream>>>(to, (long long*)d->begins,
                                                                  (long long*)d->columns, (T*)d->values);
        return launched();
    });
}

static index_list indices_of(cusparseConstSpVecDescr_t v) {
    return {v->indices, v->index_type == CUSPARSE_INDEX_64I, v->base};
}
cusparseStatus_t cusparseAxpby(cusparseHandle_t h, void const* alpha, cusparseConstSpVecDescr_t x,
                               void const* beta, cusparseDnVecDescr_t y) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (x->type != y->type) return unsupported("a sum of several types");
    return by_type(y->type, [&](auto zero) {
        using T = decltype(zero);
        if (y->size > 0)
            scale<<<blocks(y->size, 256), 256, 0, h->stream>>>(y->size, 1, scalar_of<T>(h, beta),
                                                               dense<T>{(T*)y->values, 1, 0, false});
        if (x->nonzeros > 0)
            add_sparse<<<blocks(x->nonzeros, 256), 256, 0, h->stream>>>(
                x->nonzeros, scalar_of<T>(h, alpha), indices_of(x), (T const*)x->values, (T*)y->values);
        return launched();
    });
}
static cusparseStatus_t move_values(cusparseHandle_t h, cusparseConstSpVecDescr_t x,
                                    cusparseConstDnVecDescr_t y, bool scatter) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (x->type != y->type) return unsupported("a copy between types");
    return by_type(y->type, [&](auto zero) {
        using T = decltype(zero);
        if (x->nonzeros > 0)
            gather_or_scatter<<<blocks(x->nonzeros, 256), 256, 0, h->stream>>>(
                x->nonzeros, indices_of(x), (T*)x->values, (T*)y->values, scatter);
        return launched();
    });
}
cusparseStatus_t cusparseGather(cusparseHandle_t h, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x) {
    return move_values(h, x, y, false);
}
cusparseStatus_t cusparseScatter(cusparseHandle_t h, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y) {
    return move_values(h, x, y, true);
}

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t, int, int, int, void const*, int const*,
                                               int const*, void*, int*, int*, cudaDataType, cusparseAction_t,
                                               cusparseIndexBase_t, cusparseCsr2CscAlg_t, size_t* bytes) {
    return no_buffer(bytes);
}
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t h, int m, int n, int nonzeros, void const* values,
                                    int const* offsets, int const* indices, void* csc_values,
                                    int* csc_offsets, int* csc_indices, cudaDataType type,
                                    cusparseAction_t action, cusparseIndexBase_t base, cusparseCsr2CscAlg_t,
                                    void*) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    return by_type(type, [&](auto zero) {
        using T = decltype(zero);
        sparse<T> const a{
            m, n, nonzeros, {(void*)offsets, false, base}, {(void*)indices, false, base}, (T*)values, false};
        index_list const to{csc_offsets, false, base};
        T* const moved = action == CUSPARSE_ACTION_NUMERIC ? (T*)csc_values : nullptr;
        for (bool const count : {true, false}) {
            if (n > 0)
                transpose<<<blocks(n, 256), 256, 0, h->stream>>>(a, to, index_list{csc_indices, false, base},
                                                                 moved, count);
            if (count) begin_rows<<<1, 1, 0, h->stream>>>(n, to);
        }
        return launched();
    });
}
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t h, int n, int* p) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (n > 0) count_up<<<blocks(n, 256), 256, 0, h->stream>>>(n, p);
    return launched();
}
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t, int, int, int, int const*, int const*,
                                                size_t* bytes) {
    return no_buffer(bytes);
}
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t h, int m, int, int, cusparseMatDescr_t a,
                                  int const* offsets, int* indices, int* p, void*) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (m > 0) sort_row<<<blocks(m, 256), 256, 0, h->stream>>>(m, offsets, a->base, indices, p);
    return launched();
}
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t h, int const* row_indices, int nonzeros, int m,
                                  int* offsets, cusparseIndexBase_t base) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    rows_to_offsets<<<blocks(m + 1, 256), 256, 0, h->stream>>>(nonzeros, m, row_indices, base, offsets);
    return launched();
}
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t h, int const* offsets, int, int m, int* row_indices,
                                  cusparseIndexBase_t base) {
    if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (m > 0) offsets_to_rows<<<blocks(m, 256), 256, 0, h->stream>>>(m, offsets, base, row_indices);
    return launched();
}

cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t* info) {
    auto const status = make(info);
    void* p = nullptr;
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    if (!take(p, sizeof(int))) return CUSPARSE_STATUS_ALLOC_FAILED;
    cudaMemset(p, 0xff, sizeof(int));
    (*info)->pivot = (int*)p;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info) {
    cudaFree(info->pivot);
    return drop(info);
}
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t, csrilu02Info_t info, int* position) {
    if (cudaMemcpy(position, info->pivot, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess)
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    return *position < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}
#define LEGACY(L, T)                                                                                         \
    cusparseStatus_t cusparse##L##nnz(cusparseHandle_t h, cusparseDirection_t direction, int m, int n,       \
                                      cusparseMatDescr_t, T const* a, int lda, int* per_row_or_column,       \
                                      int* total) {                                                          \
        if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;                                            \
        bool const by_rows = direction == CUSPARSE_DIRECTION_ROW;                                            \
        int const rows = by_rows ? m : n;                                                                    \
        dense<T> const d{(T*)a, by_rows ? 1 : lda, by_rows ? lda : 1, false};                                \
        index_list const counts{per_row_or_column, false, 0};                                                \
        if (rows > 0)                                                                                        \
            count_row<<<blocks(rows, 256), 256, 0, h->stream>>>(rows, by_rows ? n : m, d, counts, 0);        \
        int* sum = total;                                                                                    \
        void* there = nullptr;                                                                               \
        bool const on_host = h->pointers == CUSPARSE_POINTER_MODE_HOST;                                      \
        if (on_host && !take(there, sizeof(int))) return CUSPARSE_STATUS_ALLOC_FAILED;                       \
        if (on_host) sum = (int*)there;                                                                      \
        add_counts<<<1, 1, 0, h->stream>>>(rows, per_row_or_column, sum);                                    \
        if (on_host) cudaMemcpy(total, there, sizeof(int), cudaMemcpyDeviceToHost);                          \
        cudaFree(there);                                                                                     \
        return launched();                                                                                   \
    }                                                                                                        \
    cusparseStatus_t cusparse##L##gthr(cusparseHandle_t h, int nonzeros, T const* y, T* x,                   \
                                       int const* indices, cusparseIndexBase_t base) {                       \
        if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;                                            \
        if (nonzeros > 0)                                                                                    \
            gather_or_scatter<<<blocks(nonzeros, 256), 256, 0, h->stream>>>(                                 \
                nonzeros, index_list{(void*)indices, false, base}, x, (T*)y, false);                         \
        return launched();                                                                                   \
    }                                                                                                        \
    cusparseStatus_t cusparse##L##csrilu02_bufferSize(cusparseHandle_t, int, int, cusparseMatDescr_t, T*,    \
                                                      int const*, int const*, csrilu02Info_t, int* bytes) {  \
        *bytes = 8;                                                                                          \
        return CUSPARSE_STATUS_SUCCESS;                                                                      \
    }                                                                                                        \
    cusparseStatus_t cusparse##L##csrilu02_analysis(cusparseHandle_t, int, int, cusparseMatDescr_t,          \
                                                    T const*, int const*, int const*, csrilu02Info_t,        \
                                                    cusparseSolvePolicy_t, void*) {                          \
        return CUSPARSE_STATUS_SUCCESS;                                                                      \
    }                                                                                                        \
    cusparseStatus_t cusparse##L##csrilu02(cusparseHandle_t h, int m, int, cusparseMatDescr_t d, T* values,  \
                                           int const* offsets, int const* indices, csrilu02Info_t info,      \
                                           cusparseSolvePolicy_t, void*) {                                   \
        if (h == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;                                            \
        factor<<<1, 1, 0, h->stream>>>(m, offsets, indices, d->base, values, info->pivot);                   \
        return launched();                                                                                   \
    }
LEGACY(S, float)
LEGACY(D, double)
LEGACY(C, cuComplex)
LEGACY(Z, cuDoubleComplex)
#undef LEGACY

} // extern "C"
