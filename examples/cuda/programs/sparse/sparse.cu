// cuSPARSE against the definitions: each product, solution and conversion of small sparse matrices computed on the host
// from the dense matrix.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cusparse.h>
#include <vector>

namespace {

int failures = 0;
void check(bool good, char const* what, int line) {
    if (good) return;
    std::printf("FAILED: line %d: %s\n", line, what);
    ++failures;
}
#define EXPECT(x) check((x), #x, __LINE__)
#define OK(x) EXPECT((x) == CUSPARSE_STATUS_SUCCESS)

template <class T>
struct on_device {
    T* p = nullptr;
    size_t n;
    explicit on_device(std::vector<T> const& v) : n(v.size()) {
        cudaMalloc(&p, (n + 1) * sizeof(T));
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

double uniform() { return std::rand() / (double)RAND_MAX - 0.5; }
template <class T>
T random_value() {
    if constexpr (sizeof(T) == 2 * sizeof(typename T::value_type)) return T(uniform(), uniform());
}
template <>
float random_value<float>() {
    return (float)uniform();
}
template <>
double random_value<double>() {
    return uniform();
}
template <class T>
T conjugate(T v) {
    return v;
}
template <class R>
std::complex<R> conjugate(std::complex<R> v) {
    return std::conj(v);
}
template <class T>
constexpr cudaDataType type_of = CUDA_R_32F;
template <>
constexpr cudaDataType type_of<double> = CUDA_R_64F;
template <>
constexpr cudaDataType type_of<std::complex<float>> = CUDA_C_32F;
template <>
constexpr cudaDataType type_of<std::complex<double>> = CUDA_C_64F;

// Column by column.
template <class T>
struct matrix {
    int rows, columns;
    std::vector<T> values;
    matrix(int m, int n) : rows(m), columns(n), values(size_t(m) * n) {}
    T& at(int i, int j) { return values[i + size_t(j) * rows]; }
    T at(int i, int j) const { return values[i + size_t(j) * rows]; }
    T at(int i, int j, cusparseOperation_t op) const {
        return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? at(i, j)
               : op == CUSPARSE_OPERATION_TRANSPOSE   ? at(j, i)
                                                      : conjugate(at(j, i));
    }
};
template <class T>
bool near(std::vector<T> const& a, std::vector<T> const& b) {
    if (a.size() != b.size()) return false;
    double const most = sizeof(T) == 4 || type_of<T> == CUDA_C_32F ? 2e-5 : 1e-12;
    for (size_t i = 0; i < a.size(); ++i)
        if (!(std::abs(a[i] - b[i]) <= most * (1 + std::abs(b[i])))) return false;
    return true;
}
template <class T>
matrix<T> random_matrix(int m, int n, int percent) {
    matrix<T> a(m, n);
    for (auto& v : a.values)
        if (std::rand() % 100 < percent) v = random_value<T>();
    return a;
}
// By rows (or by the rows of the transpose), with indices from `base` on; `lists` has the row of each entry instead.
template <class T, class I>
struct compressed {
    std::vector<I> offsets, indices;
    std::vector<T> values;
    compressed(matrix<T> const& a, int base, bool by_columns = false, bool lists = false) {
        int const rows = by_columns ? a.columns : a.rows, columns = by_columns ? a.rows : a.columns;
        if (!lists) offsets.push_back(base);
        for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < columns; ++j) {
                T const v = by_columns ? a.at(j, i) : a.at(i, j);
                if (v == T()) continue;
                if (lists) offsets.push_back(i + base);
                indices.push_back(j + base);
                values.push_back(v);
            }
            if (!lists) offsets.push_back((I)(indices.size() + base));
        }
    }
};
template <class T, class I>
struct stored {
    compressed<T, I> host;
    on_device<I> offsets, indices;
    on_device<T> values;
    cusparseSpMatDescr_t descriptor = nullptr;
    stored(matrix<T> const& a, cusparseFormat_t format, int base)
        : host(a, base, format == CUSPARSE_FORMAT_CSC, format == CUSPARSE_FORMAT_COO),
          offsets(host.offsets),
          indices(host.indices),
          values(host.values) {
        auto const wide = sizeof(I) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
        auto const from = (cusparseIndexBase_t)base;
        auto const n = (int64_t)host.values.size();
        if (format == CUSPARSE_FORMAT_CSR)
            OK(cusparseCreateCsr(&descriptor, a.rows, a.columns, n, offsets.p, indices.p, values.p, wide,
                                 wide, from, type_of<T>));
        else if (format == CUSPARSE_FORMAT_CSC)
            OK(cusparseCreateCsc(&descriptor, a.rows, a.columns, n, offsets.p, indices.p, values.p, wide,
                                 wide, from, type_of<T>));
        else
            OK(cusparseCreateCoo(&descriptor, a.rows, a.columns, n, offsets.p, indices.p, values.p, wide,
                                 from, type_of<T>));
    }
    ~stored() { OK(cusparseDestroySpMat(descriptor)); }
};

cusparseOperation_t const operations[] = {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE,
                                          CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};

// y = alpha op(A) x + beta y, C = alpha op(A) op(B) + beta C
template <class T, class I>
void products(cusparseHandle_t h) {
    auto const a = random_matrix<T>(37, 53, 15);
    T const alpha = random_value<T>(), beta = random_value<T>(), zero{};
    for (auto const format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO})
        for (auto const op : operations)
            for (int const base : {0, 1}) {
                stored<T, I> const s(a, format, base);
                bool const straight = op == CUSPARSE_OPERATION_NON_TRANSPOSE;
                int const m = straight ? a.rows : a.columns, k = straight ? a.columns : a.rows, n = 5;
                auto const x = random_matrix<T>(k, 1, 100), y = random_matrix<T>(m, 1, 100);
                on_device<T> const dx(x.values), dy(y.values);
                cusparseDnVecDescr_t vx = nullptr, vy = nullptr;
                OK(cusparseCreateDnVec(&vx, k, dx.p, type_of<T>));
                OK(cusparseCreateDnVec(&vy, m, dy.p, type_of<T>));
                size_t bytes = 0;
                OK(cusparseSpMV_bufferSize(h, op, &alpha, s.descriptor, vx, &beta, vy, type_of<T>,
                                           CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
                OK(cusparseSpMV(h, op, &alpha, s.descriptor, vx, &beta, vy, type_of<T>,
                                CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
                matrix<T> wanted(m, 1);
                for (int i = 0; i < m; ++i) {
                    T sum{};
                    for (int j = 0; j < k; ++j) sum += a.at(i, j, op) * x.at(j, 0);
                    wanted.at(i, 0) = alpha * sum + beta * y.at(i, 0);
                }
                EXPECT(near(dy.read(), wanted.values));
                OK(cusparseDestroyDnVec(vx));
                OK(cusparseDestroyDnVec(vy));
                for (auto const op_b : operations) {
                    bool const b_straight = op_b == CUSPARSE_OPERATION_NON_TRANSPOSE;
                    auto const b = random_matrix<T>(b_straight ? k : n, b_straight ? n : k, 100);
                    matrix<T> c(m, n);
                    for (auto& v : c.values) v = std::nan(""); // times 0
                    on_device<T> const db(b.values), dc(c.values);
                    cusparseDnMatDescr_t mb = nullptr, mc = nullptr;
                    OK(cusparseCreateDnMat(&mb, b.rows, b.columns, b.rows, db.p, type_of<T>,
                                           CUSPARSE_ORDER_COL));
                    OK(cusparseCreateDnMat(&mc, m, n, n, dc.p, type_of<T>, CUSPARSE_ORDER_ROW));
                    OK(cusparseSpMM(h, op, op_b, &alpha, s.descriptor, mb, &zero, mc, type_of<T>,
                                    CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
                    std::vector<T> rows(size_t(m) * n);
                    for (int i = 0; i < m; ++i)
                        for (int j = 0; j < n; ++j) {
                            T sum{};
                            for (int q = 0; q < k; ++q) sum += a.at(i, q, op) * b.at(q, j, op_b);
                            rows[size_t(i) * n + j] = alpha * sum;
                        }
                    EXPECT(near(dc.read(), rows));
                    OK(cusparseDestroyDnMat(mb));
                    OK(cusparseDestroyDnMat(mc));
                }
            }
}

// Triangular systems: what is solved is multiplied again.
template <class T, class I>
void triangles(cusparseHandle_t h) {
    int const n = 41, columns = 3;
    auto a = random_matrix<T>(n, n, 20); // both triangles: only one counts
    for (int i = 0; i < n; ++i) a.at(i, i) = T(3) + random_value<T>();
    T const alpha = random_value<T>();
    for (auto const format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC})
        for (auto op : operations)
            for (auto fill : {CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER})
                for (auto diagonal : {CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT}) {
                    stored<T, I> const s(a, format, 0);
                    OK(cusparseSpMatSetAttribute(s.descriptor, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
                    OK(cusparseSpMatSetAttribute(s.descriptor, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal,
                                                 sizeof diagonal));
                    matrix<T> triangle(n, n);
                    for (int i = 0; i < n; ++i)
                        for (int j = 0; j < n; ++j)
                            if (i == j)
                                triangle.at(i, j) = diagonal == CUSPARSE_DIAG_TYPE_UNIT ? T(1) : a.at(i, j);
                            else if ((i > j) == (fill == CUSPARSE_FILL_MODE_LOWER))
                                triangle.at(i, j) = a.at(i, j);
                    auto const b = random_matrix<T>(n, columns, 100);
                    on_device<T> const db(b.values), dx(b.values);
                    auto const right = [&](std::vector<T> const& x, int count) {
                        for (int c = 0; c < count; ++c)
                            for (int i = 0; i < n; ++i) {
                                T sum{};
                                for (int j = 0; j < n; ++j)
                                    sum += triangle.at(i, j, op) * x[j + size_t(c) * n];
                                if (!near<T>({sum}, {alpha * b.at(i, c)})) return false;
                            }
                        return true;
                    };
                    cusparseDnVecDescr_t vb = nullptr, vx = nullptr;
                    cusparseSpSVDescr_t one = nullptr;
                    size_t bytes = 0;
                    OK(cusparseCreateDnVec(&vb, n, db.p, type_of<T>));
                    OK(cusparseCreateDnVec(&vx, n, dx.p, type_of<T>));
                    OK(cusparseSpSV_createDescr(&one));
                    OK(cusparseSpSV_bufferSize(h, op, &alpha, s.descriptor, vb, vx, type_of<T>,
                                               CUSPARSE_SPSV_ALG_DEFAULT, one, &bytes));
                    OK(cusparseSpSV_analysis(h, op, &alpha, s.descriptor, vb, vx, type_of<T>,
                                             CUSPARSE_SPSV_ALG_DEFAULT, one, nullptr));
                    OK(cusparseSpSV_solve(h, op, &alpha, s.descriptor, vb, vx, type_of<T>,
                                          CUSPARSE_SPSV_ALG_DEFAULT, one));
                    EXPECT(right(dx.read(), 1));
                    cusparseDnMatDescr_t mb = nullptr, mx = nullptr;
                    cusparseSpSMDescr_t several = nullptr;
                    OK(cusparseCreateDnMat(&mb, n, columns, n, db.p, type_of<T>, CUSPARSE_ORDER_COL));
                    OK(cusparseCreateDnMat(&mx, n, columns, n, dx.p, type_of<T>, CUSPARSE_ORDER_COL));
                    OK(cusparseSpSM_createDescr(&several));
                    OK(cusparseSpSM_solve(h, op, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, s.descriptor, mb,
                                          mx, type_of<T>, CUSPARSE_SPSM_ALG_DEFAULT, several));
                    EXPECT(right(dx.read(), columns));
                    OK(cusparseSpSV_destroyDescr(one));
                    OK(cusparseSpSM_destroyDescr(several));
                    OK(cusparseDestroyDnVec(vb));
                    OK(cusparseDestroyDnVec(vx));
                    OK(cusparseDestroyDnMat(mb));
                    OK(cusparseDestroyDnMat(mx));
                }
}

template <class T, class I>
void conversions(cusparseHandle_t h) {
    auto const a = random_matrix<T>(29, 18, 20);
    auto const wide = sizeof(I) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    on_device<T> const da(a.values);
    cusparseDnMatDescr_t ma = nullptr;
    OK(cusparseCreateDnMat(&ma, a.rows, a.columns, a.rows, da.p, type_of<T>, CUSPARSE_ORDER_COL));
    for (int const base : {0, 1}) {
        // To rows, and back.
        compressed<T, I> const wanted(a, base);
        on_device<I> const offsets(std::vector<I>(a.rows + 1));
        cusparseSpMatDescr_t s = nullptr;
        OK(cusparseCreateCsr(&s, a.rows, a.columns, 0, offsets.p, nullptr, nullptr, wide, wide,
                             (cusparseIndexBase_t)base, type_of<T>));
        OK(cusparseDenseToSparse_analysis(h, ma, s, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr));
        int64_t rows = 0, columns = 0, n = 0;
        OK(cusparseSpMatGetSize(s, &rows, &columns, &n));
        EXPECT(rows == a.rows && columns == a.columns && n == (int64_t)wanted.values.size());
        on_device<I> const indices(std::vector<I>((size_t)n));
        on_device<T> const values(std::vector<T>((size_t)n));
        OK(cusparseCsrSetPointers(s, offsets.p, indices.p, values.p));
        OK(cusparseDenseToSparse_convert(h, ma, s, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr));
        EXPECT(offsets.read() == wanted.offsets && indices.read() == wanted.indices &&
               values.read() == wanted.values);
        OK(cusparseDestroySpMat(s));
        for (auto const format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO}) {
            stored<T, I> const from(a, format, base);
            on_device<T> const dense(std::vector<T>(a.values.size(), T(7)));
            cusparseDnMatDescr_t md = nullptr;
            OK(cusparseCreateDnMat(&md, a.rows, a.columns, a.rows, dense.p, type_of<T>, CUSPARSE_ORDER_COL));
            OK(cusparseSparseToDense(h, from.descriptor, md, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
            EXPECT(dense.read() == a.values);
            OK(cusparseDestroyDnMat(md));
        }
    }
    OK(cusparseDestroyDnMat(ma));
}

// With indices of 32 bits alone.
template <class T>
void lists(cusparseHandle_t h) {
    auto const a = random_matrix<T>(29, 18, 20);
    for (int const base : {0, 1}) {
        compressed<T, int> const by_rows(a, base), by_columns(a, base, true), entries(a, base, false, true);
        auto const n = (int)by_rows.values.size();
        on_device<int> const offsets(by_rows.offsets), indices(by_rows.indices);
        on_device<T> const values(by_rows.values);
        on_device<int> const to_offsets(std::vector<int>(a.columns + 1)),
            to_indices(std::vector<int>((size_t)n));
        on_device<T> const to_values(std::vector<T>((size_t)n));
        auto const from = (cusparseIndexBase_t)base;
        OK(cusparseCsr2cscEx2(h, a.rows, a.columns, n, values.p, offsets.p, indices.p, to_values.p,
                              to_offsets.p, to_indices.p, type_of<T>, CUSPARSE_ACTION_NUMERIC, from,
                              CUSPARSE_CSR2CSC_ALG1, nullptr));
        EXPECT(to_offsets.read() == by_columns.offsets && to_indices.read() == by_columns.indices &&
               to_values.read() == by_columns.values);
        on_device<int> const row_of_each(std::vector<int>((size_t)n)), again(std::vector<int>(a.rows + 1));
        OK(cusparseXcsr2coo(h, offsets.p, n, a.rows, row_of_each.p, from));
        EXPECT(row_of_each.read() == entries.offsets);
        OK(cusparseXcoo2csr(h, row_of_each.p, n, a.rows, again.p, from));
        EXPECT(again.read() == by_rows.offsets);
        // The entries of each row the other way round, and sorted again.
        auto turned = by_rows;
        for (int i = 0; i < a.rows; ++i)
            for (int l = turned.offsets[i] - base, r = turned.offsets[i + 1] - base - 1; l < r; ++l, --r) {
                std::swap(turned.indices[l], turned.indices[r]);
                std::swap(turned.values[l], turned.values[r]);
            }
        on_device<int> const mixed(turned.indices), order(std::vector<int>((size_t)n));
        cusparseMatDescr_t d = nullptr;
        OK(cusparseCreateMatDescr(&d));
        EXPECT(cusparseGetMatType(d) == CUSPARSE_MATRIX_TYPE_GENERAL &&
               cusparseGetMatIndexBase(d) == CUSPARSE_INDEX_BASE_ZERO);
        OK(cusparseSetMatFillMode(d, CUSPARSE_FILL_MODE_UPPER));
        OK(cusparseSetMatDiagType(d, CUSPARSE_DIAG_TYPE_UNIT));
        EXPECT(cusparseGetMatFillMode(d) == CUSPARSE_FILL_MODE_UPPER &&
               cusparseGetMatDiagType(d) == CUSPARSE_DIAG_TYPE_UNIT);
        OK(cusparseSetMatDiagType(d, CUSPARSE_DIAG_TYPE_NON_UNIT));
        OK(cusparseSetMatFillMode(d, CUSPARSE_FILL_MODE_LOWER));
        OK(cusparseSetMatIndexBase(d, from));
        OK(cusparseCreateIdentityPermutation(h, n, order.p));
        OK(cusparseXcsrsort(h, a.rows, a.columns, n, d, offsets.p, mixed.p, order.p, nullptr));
        EXPECT(mixed.read() == by_rows.indices);
        auto const p = order.read();
        for (int i = 0; i < n; ++i) EXPECT(turned.values[p[i]] == by_rows.values[i]);
        OK(cusparseDestroyMatDescr(d));
    }
    // Sparse vectors.
    std::vector<int> const places = {3, 1, 8};
    std::vector<T> const some = {random_value<T>(), random_value<T>(), random_value<T>()};
    auto const y = random_matrix<T>(10, 1, 100);
    on_device<int> const dp(places);
    on_device<T> const ds(some), dy(y.values);
    cusparseSpVecDescr_t vs = nullptr;
    cusparseDnVecDescr_t vy = nullptr;
    OK(cusparseCreateSpVec(&vs, 10, 3, dp.p, ds.p, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_of<T>));
    OK(cusparseCreateDnVec(&vy, 10, dy.p, type_of<T>));
    T const alpha = random_value<T>(), beta = random_value<T>();
    OK(cusparseAxpby(h, &alpha, vs, &beta, vy));
    auto wanted = y.values;
    for (auto& v : wanted) v *= beta;
    for (int i = 0; i < 3; ++i) wanted[places[i]] += alpha * some[i];
    EXPECT(near(dy.read(), wanted));
    OK(cusparseGather(h, vy, vs));
    wanted = dy.read();
    EXPECT(ds.read() == (std::vector<T>{wanted[3], wanted[1], wanted[8]}));
    OK(cusparseDestroySpVec(vs));
    OK(cusparseDestroyDnVec(vy));
}

// C = alpha (A B at the places of C) + beta C, of a batch; and the product of two sparse matrices.
template <class T>
void sparse_results(cusparseHandle_t h) {
    int const m = 17, n = 23, depth = 6;
    auto const a = random_matrix<T>(m, depth, 100), b = random_matrix<T>(depth, n, 100);
    auto const c = random_matrix<T>(m, n, 30);
    T const alpha = random_value<T>(), beta = random_value<T>();
    stored<T, int> const s(c, CUSPARSE_FORMAT_CSR, 0);
    on_device<T> const da(a.values), db(b.values);
    cusparseDnMatDescr_t ma = nullptr, mb = nullptr;
    OK(cusparseCreateDnMat(&ma, m, depth, m, da.p, type_of<T>, CUSPARSE_ORDER_COL));
    OK(cusparseCreateDnMat(&mb, depth, n, depth, db.p, type_of<T>, CUSPARSE_ORDER_COL));
    OK(cusparseSDDMM(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, ma, mb,
                     &beta, s.descriptor, type_of<T>, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
    matrix<T> wanted(m, n);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            if (c.at(i, j) == T()) continue;
            T sum{};
            for (int k = 0; k < depth; ++k) sum += a.at(i, k) * b.at(k, j);
            wanted.at(i, j) = alpha * sum + beta * c.at(i, j);
        }
    EXPECT(near(s.values.read(), compressed<T, int>(wanted, 0).values));
    OK(cusparseDestroyDnMat(ma));
    OK(cusparseDestroyDnMat(mb));

    auto const p = random_matrix<T>(m, n, 20), q = random_matrix<T>(n, m, 20);
    stored<T, int> const sp(p, CUSPARSE_FORMAT_CSR, 0), sq(q, CUSPARSE_FORMAT_CSR, 0);
    cusparseSpMatDescr_t product = nullptr;
    cusparseSpGEMMDescr_t d = nullptr;
    auto const op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    OK(cusparseCreateCsr(&product, m, m, 0, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                         CUSPARSE_INDEX_BASE_ZERO, type_of<T>));
    OK(cusparseSpGEMM_createDescr(&d));
    size_t bytes = 0;
    T const zero{};
    int buffer = 0;
    OK(cusparseSpGEMM_workEstimation(h, op, op, &alpha, sp.descriptor, sq.descriptor, &zero, product,
                                     type_of<T>, CUSPARSE_SPGEMM_DEFAULT, d, &bytes, nullptr));
    OK(cusparseSpGEMM_compute(h, op, op, &alpha, sp.descriptor, sq.descriptor, &zero, product, type_of<T>,
                              CUSPARSE_SPGEMM_DEFAULT, d, &bytes, nullptr));
    OK(cusparseSpGEMM_compute(h, op, op, &alpha, sp.descriptor, sq.descriptor, &zero, product, type_of<T>,
                              CUSPARSE_SPGEMM_DEFAULT, d, &bytes, &buffer));
    int64_t rows = 0, columns = 0, count = 0;
    OK(cusparseSpMatGetSize(product, &rows, &columns, &count));
    on_device<int> const offsets(std::vector<int>(m + 1)), indices(std::vector<int>((size_t)count));
    on_device<T> const values(std::vector<T>((size_t)count));
    OK(cusparseCsrSetPointers(product, offsets.p, indices.p, values.p));
    OK(cusparseSpGEMM_copy(h, op, op, &alpha, sp.descriptor, sq.descriptor, &zero, product, type_of<T>,
                           CUSPARSE_SPGEMM_DEFAULT, d));
    matrix<T> whole(m, m);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < m; ++j)
            for (int k = 0; k < n; ++k) whole.at(i, j) += alpha * p.at(i, k) * q.at(k, j);
    compressed<T, int> const all(whole, 0);
    EXPECT(offsets.read() == all.offsets && indices.read() == all.indices && near(values.read(), all.values));
    OK(cusparseSpGEMM_destroyDescr(d));
    OK(cusparseDestroySpMat(product));
}

// The older calls: what is not zero; and a factorisation whose product is the matrix wherever that has an entry.
void older(cusparseHandle_t h) {
    int const n = 21;
    auto a = random_matrix<double>(n, n, 25);
    for (int i = 0; i < n; ++i) a.at(i, i) = 4 + uniform();
    on_device<double> const da(a.values);
    cusparseMatDescr_t d = nullptr;
    OK(cusparseCreateMatDescr(&d));
    for (auto const direction : {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN}) {
        on_device<int> const counts(std::vector<int>((size_t)n));
        int total = 0, sum = 0;
        OK(cusparseDnnz(h, direction, n, n, d, da.p, n, counts.p, &total));
        auto const found = counts.read();
        for (int i = 0; i < n; ++i) {
            int wanted = 0;
            for (int j = 0; j < n; ++j)
                wanted += (direction == CUSPARSE_DIRECTION_ROW ? a.at(i, j) : a.at(j, i)) != 0 ? 1 : 0;
            EXPECT(found[i] == wanted);
            sum += wanted;
        }
        EXPECT(total == sum);
    }
    stored<double, int> const s(a, CUSPARSE_FORMAT_CSR, 0);
    csrilu02Info_t info = nullptr;
    OK(cusparseCreateCsrilu02Info(&info));
    int pivot = 0;
    OK(cusparseDcsrilu02(h, n, (int)s.host.values.size(), d, s.values.p, s.offsets.p, s.indices.p, info,
                         CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr));
    OK(cusparseXcsrilu02_zeroPivot(h, info, &pivot));
    EXPECT(pivot == -1);
    matrix<double> lu(n, n);
    auto const values = s.values.read();
    for (int i = 0; i < n; ++i)
        for (int k = s.host.offsets[i]; k < s.host.offsets[i + 1]; ++k)
            lu.at(i, s.host.indices[k]) = values[k];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            if (a.at(i, j) == 0) continue;
            double sum = 0;
            for (int k = 0; k <= std::min(i, j); ++k) sum += (k == i ? 1 : lu.at(i, k)) * lu.at(k, j);
            EXPECT(std::abs(sum - a.at(i, j)) < 1e-12);
        }
    OK(cusparseDestroyCsrilu02Info(info));
    OK(cusparseDestroyMatDescr(d));
}

} // namespace

int main() {
    cusparseHandle_t h = nullptr;
    OK(cusparseCreate(&h));
    products<float, int>(h);
    products<std::complex<double>, int64_t>(h);
    triangles<double, int>(h);
    triangles<std::complex<float>, int64_t>(h);
    conversions<float, int>(h);
    conversions<std::complex<double>, int64_t>(h);
    lists<double>(h);
    lists<std::complex<float>>(h);
    sparse_results<float>(h);
    sparse_results<std::complex<double>>(h);
    older(h);
    EXPECT(cusparseSpMV(nullptr, CUSPARSE_OPERATION_NON_TRANSPOSE, nullptr, nullptr, nullptr, nullptr,
                        nullptr, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                        nullptr) == CUSPARSE_STATUS_NOT_INITIALIZED);
    OK(cusparseDestroy(h));
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? 0 : 1;
}
