/* Clusters of CTAs, by the names that CUDA's own headers have for them (sm_90_rt.h); cooperative groups have them under
 * others. */
#ifndef WARPKIT_CUDA_DEVICE_CLUSTERS_H
#define WARPKIT_CUDA_DEVICE_CLUSTERS_H
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

WARPKIT_CUDA_DEVICE void __cluster_barrier_arrive() { asm volatile("barrier.cluster.arrive.aligned;" : : : "memory"); }
WARPKIT_CUDA_DEVICE void __cluster_barrier_arrive_relaxed() {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" : :);
}
WARPKIT_CUDA_DEVICE void __cluster_barrier_wait() { asm volatile("barrier.cluster.wait.aligned;" : : : "memory"); }

#define WARPKIT_CUDA_REGISTER(name, of)                                                                      \
    WARPKIT_CUDA_DEVICE unsigned int name() {                                                                \
        unsigned int v;                                                                                      \
        asm("mov.u32 %0, %%" of ";" : "=r"(v));                                                              \
        return v;                                                                                            \
    }
#define WARPKIT_CUDA_VECTOR(name, of)                                                                        \
    WARPKIT_CUDA_DEVICE dim3 name() {                                                                        \
        unsigned int x, y, z;                                                                                \
        asm("mov.u32 %0, %%" of ".x;" : "=r"(x));                                                            \
        asm("mov.u32 %0, %%" of ".y;" : "=r"(y));                                                            \
        asm("mov.u32 %0, %%" of ".z;" : "=r"(z));                                                            \
        return dim3(x, y, z);                                                                                \
    }
WARPKIT_CUDA_REGISTER(__clusterRelativeBlockRank, "cluster_ctarank")
WARPKIT_CUDA_REGISTER(__clusterSizeInBlocks, "cluster_nctarank")
WARPKIT_CUDA_VECTOR(__clusterDim, "cluster_nctaid")
WARPKIT_CUDA_VECTOR(__clusterRelativeBlockIdx, "cluster_ctaid")
WARPKIT_CUDA_VECTOR(__clusterGridDimInClusters, "nclusterid")
WARPKIT_CUDA_VECTOR(__clusterIdx, "clusterid")
#undef WARPKIT_CUDA_REGISTER
#undef WARPKIT_CUDA_VECTOR
WARPKIT_CUDA_DEVICE unsigned int __clusterDimIsSpecified() { return __clusterSizeInBlocks() > 1; }

/* An address of shared memory as the CTA of a rank has it, and whose CTA's an address is. */
WARPKIT_CUDA_DEVICE void* __cluster_map_shared_rank(void const* p, unsigned int rank) {
    unsigned long long there;
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"((unsigned long long)p), "r"(rank));
    return (void*)there;
}
WARPKIT_CUDA_DEVICE unsigned int __cluster_query_shared_rank(void const* p) {
    unsigned int rank;
    asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"((unsigned long long)p));
    return rank;
}
WARPKIT_CUDA_DEVICE unsigned int __isClusterShared(void const* p) {
    unsigned int is;
    asm("{ .reg .pred q; isspacep.shared::cluster q, %1; selp.u32 %0, 1, 0, q; }" : "=r"(is) : "l"(p));
    return is;
}
WARPKIT_CUDA_DEVICE unsigned int __isCtaShared(void const* p) {
    unsigned int is;
    asm("{ .reg .pred q; isspacep.shared::cta q, %1; selp.u32 %0, 1, 0, q; }" : "=r"(is) : "l"(p));
    return is;
}

#endif
#endif
