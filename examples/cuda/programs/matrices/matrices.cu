// nvcuda::wmma: products of each type beside the host's, through fragments whose elements are worked on in between.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>

using namespace nvcuda;

namespace {
int wrong = 0;
void check(char const* what, bool good) {
    if (good) return;
    ++wrong;
    std::printf("%s is wrong\n", what);
}

// d = 2 a b + c, one warp; a by LA, b by LB.
template <int M, int N, int K, class T, class LA, class LB, class S, class P>
__global__ void product(P const* a, P const* b, S const* c, S* d, unsigned sa, unsigned sb, bool limited) {
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> left;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> right;
    wmma::fragment<wmma::accumulator, M, N, K, S> sum, none, result;
    wmma::load_matrix_sync(left, a, sa);
    wmma::load_matrix_sync(right, b, sb);
    wmma::load_matrix_sync(sum, c, N, wmma::mem_row_major);
    wmma::fill_fragment(none, S(0));
    wmma::mma_sync(result, left, right, none, limited);
    for (int i = 0; i < result.num_elements; ++i) result.x[i] = result.x[i] + result.x[i] + sum.x[i];
    wmma::store_matrix_sync(d, result, M, wmma::mem_col_major);
}

template <class T>
struct is_row {
    static constexpr bool value = false;
};
template <>
struct is_row<wmma::row_major> {
    static constexpr bool value = true;
};

template <int M, int N, int K, class T, class LA, class LB, class S, class P>
void run(char const* what) {
    std::vector<P> a(M * K), b(K * N);
    std::vector<S> c(M * N), d(M * N);
    auto const number = [](int i, int by) {
        return (i * by + i / 7) % 13 - (sizeof(P) == 1 && P(-1) > P(0) ? 0 : 6);
    };
    for (int i = 0; i < M * K; ++i) a[i] = P(float(number(i, 5)));
    for (int i = 0; i < K * N; ++i) b[i] = P(float(number(i, 3)));
    for (int i = 0; i < M * N; ++i) c[i] = S(float(number(i, 11)));
    P *da, *db;
    S *dc, *dd;
    cudaMalloc(&da, a.size() * sizeof(P));
    cudaMalloc(&db, b.size() * sizeof(P));
    cudaMalloc(&dc, c.size() * sizeof(S));
    cudaMalloc(&dd, d.size() * sizeof(S));
    cudaMemcpy(da, a.data(), a.size() * sizeof(P), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(P), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), c.size() * sizeof(S), cudaMemcpyHostToDevice);
    bool const ra = is_row<LA>::value, rb = is_row<LB>::value;
    product<M, N, K, T, LA, LB, S, P><<<1, 32>>>(da, db, dc, dd, ra ? K : M, rb ? N : K, false);
    cudaMemcpy(d.data(), dd, d.size() * sizeof(S), cudaMemcpyDeviceToHost);
    bool good = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double sum = 0;
            for (int k = 0; k < K; ++k)
                sum += double(float(a[ra ? i * K + k : k * M + i])) *
                       double(float(b[rb ? k * N + j : j * K + k]));
            good = good && double(float(d[j * M + i])) == 2 * sum + double(float(c[i * N + j]));
        }
    check(what, good);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    cudaFree(dd);
}
template <int M, int N, int K>
void run_shape(char const* what) {
    using wmma::col_major;
    using wmma::row_major;
    run<M, N, K, __half, row_major, row_major, float, __half>(what);
    run<M, N, K, __half, col_major, row_major, float, __half>(what);
    run<M, N, K, __half, row_major, col_major, __half, __half>(what);
    run<M, N, K, __nv_bfloat16, col_major, col_major, float, __nv_bfloat16>(what);
    run<M, N, K, signed char, row_major, col_major, int, signed char>(what);
    run<M, N, K, unsigned char, col_major, row_major, int, unsigned char>(what);
}

// Sums that do not fit into 32 bits.
__global__ void limit(signed char const* a, int* d) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, a, 16);
    wmma::fill_fragment(sum, 0x7fffffff);
    wmma::mma_sync(sum, left, right, sum, true);
    wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}
// Packed elements: fours of bits, and bits.
__global__ void packed(unsigned const* a, unsigned const* b, int* d, int* e) {
    wmma::fragment<wmma::matrix_a, 8, 8, 32, wmma::experimental::precision::u4, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, wmma::experimental::precision::u4, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> sum;
    wmma::load_matrix_sync(left, a, 32);
    wmma::load_matrix_sync(right, b, 32);
    wmma::fill_fragment(sum, 0);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(d, sum, 8, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 8, 8, 128, wmma::experimental::precision::b1, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, wmma::experimental::precision::b1, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> count;
    wmma::load_matrix_sync(x, a, 128);
    wmma::load_matrix_sync(y, b, 128);
    wmma::fill_fragment(count, 1);
    wmma::bmma_sync(count, x, y, count);
    wmma::store_matrix_sync(e, count, 8, wmma::mem_row_major);
}

void run_small() {
    std::vector<signed char> ones(256, 1);
    signed char* a;
    int* d;
    cudaMalloc(&a, 256);
    cudaMalloc(&d, 1024);
    cudaMemcpy(a, ones.data(), 256, cudaMemcpyHostToDevice);
    limit<<<1, 32>>>(a, d);
    std::vector<int> got(256);
    cudaMemcpy(got.data(), d, 1024, cudaMemcpyDeviceToHost);
    bool good = true;
    for (int v : got) good = good && v == 0x7fffffff;
    check("a limited sum", good);

    std::vector<unsigned> x(32), y(32);
    for (unsigned i = 0; i < 32; ++i) x[i] = 0x9e3779b9u * (i + 1), y[i] = 0x85ebca6bu * (i + 3);
    unsigned *dx, *dy;
    int* e;
    cudaMalloc(&dx, 128);
    cudaMalloc(&dy, 128);
    cudaMalloc(&e, 256);
    cudaMemcpy(dx, x.data(), 128, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), 128, cudaMemcpyHostToDevice);
    packed<<<1, 32>>>(dx, dy, d, e);
    std::vector<int> fours(64), bits(64);
    cudaMemcpy(fours.data(), d, 256, cudaMemcpyDeviceToHost);
    cudaMemcpy(bits.data(), e, 256, cudaMemcpyDeviceToHost);
    bool good4 = true, good1 = true;
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) {
            int sum = 0, count = 1;
            for (int k = 0; k < 32; ++k)
                sum += int(x[i * 4 + k / 8] >> k % 8 * 4 & 15) * int(y[j * 4 + k / 8] >> k % 8 * 4 & 15);
            for (int k = 0; k < 4; ++k) count += __builtin_popcount(x[i * 4 + k] ^ y[j * 4 + k]);
            good4 = good4 && fours[i * 8 + j] == sum;
            good1 = good1 && bits[i * 8 + j] == count;
        }
    check("a product of fours of bits", good4);
    check("a product of bits", good1);
}
} // namespace

int main() {
    run_shape<16, 16, 16>("m16n16k16");
    run_shape<8, 32, 16>("m8n32k16");
    run_shape<32, 8, 16>("m32n8k16");
    run<16, 16, 8, wmma::precision::tf32, wmma::row_major, wmma::col_major, float, float>("tf32");
    run<8, 8, 4, double, wmma::row_major, wmma::col_major, double, double>("double");
    run<8, 8, 4, double, wmma::col_major, wmma::row_major, double, double>("double");
    run_small();
    std::printf(wrong == 0 ? "PASSED\n" : "FAILED\n");
    return wrong == 0 ? 0 : 1;
}
