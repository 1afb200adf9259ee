// make_ptx: sm_80 ptx70 as sm_90 ptx80
// The vectors of the CTAs of a cluster are added, and each CTA has the sum: what partial products of one row need, when
// the CTAs of a cluster have each a part of k. Through distributed shared memory: each CTA adds one share of all vectors
// up and puts the sums into all of them. Vectors are of single precision, up to 4,096 elements.
#include "language/device.hpp"

enum { most = 4096 };

WARPKIT_DEVICE unsigned in_cta(unsigned address, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}
WARPKIT_DEVICE void wait_for_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;"
                 :
                 :
                 : "memory");
}

extern "C" __global__ void all_reduce_cluster(float const* in, float* out, int elements) {
    __shared__ __attribute__((aligned(16))) float vector[most];
    unsigned rank, ctas;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(ctas));
    unsigned long long const own = static_cast<unsigned long long>(blockIdx.x) * elements;
    for (int i = 4 * threadIdx.x; i < elements; i += 4 * blockDim.x)
        *reinterpret_cast<float4*>(&vector[i]) = load_four(in + own + i);
    wait_for_cluster();
    int const share = elements / ctas, first = rank * share;
    for (int i = first + 4 * threadIdx.x; i < first + share; i += 4 * blockDim.x) {
        unsigned const here = shared_address(&vector[i]);
        float a = 0, b = 0, c = 0, d = 0;
        // Each CTA begins with itself, so that not all ask one at once.
        for (unsigned r = 0; r < ctas; ++r) {
            float v, x, y, z;
            asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(v), "=f"(x), "=f"(y), "=f"(z)
                         : "r"(in_cta(here, (rank + r) % ctas))
                         : "memory");
            a += v;
            b += x;
            c += y;
            d += z;
        }
        for (unsigned r = 0; r < ctas; ++r)
            asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};"
                         :
                         : "r"(in_cta(here, (rank + r) % ctas)), "f"(a), "f"(b), "f"(c), "f"(d)
                         : "memory");
    }
    wait_for_cluster();
    for (int i = threadIdx.x; i < elements; i += blockDim.x) out[own + i] = vector[i];
}
