/* How many blocks of a kernel a multiprocessor holds at once, computed on the host from numbers that the program has,
 * for compute capabilities 3.0 to 12.1, whatever machine is simulated; in C and C++. Warps, blocks, registers and
 * shared memory are allocated in units, and the scarcest limits (CUDA C++ Programming Guide, "Compute Capabilities";
 * NVIDIA's occupancy calculator). */
#ifndef WARPKIT_CUDA_OCCUPANCY_H
#define WARPKIT_CUDA_OCCUPANCY_H
#define __cuda_occupancy_h__ /* programs ask for it */
#define __CUDA_OCC_MAJOR__ 12
#define __CUDA_OCC_MINOR__ 1

#include "letters_away.h"

#include <limits.h>
#include <stddef.h>

#if defined(__CUDACC__)
#define WARPKIT_CUDA_OCC __inline__ __host__ __device__
#else
#define WARPKIT_CUDA_OCC __inline__
#endif

typedef enum cudaOccError_enum {
    CUDA_OCC_SUCCESS = 0,
    CUDA_OCC_ERROR_INVALID_INPUT = 1,
    CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2
} cudaOccError;
/* Multiprocessors of 5.2, 5.3, 6.1 and 6.2 that cache global memory are halves: a block lies in one of them. ON: where
 * a block fits so; ON_STRICT: in any case. */
typedef enum cudaOccPartitionedGCConfig_enum {
    PARTITIONED_GC_OFF,
    PARTITIONED_GC_ON,
    PARTITIONED_GC_ON_STRICT
} cudaOccPartitionedGCConfig;
typedef enum cudaOccPartitionedGCSupport_enum {
    PARTITIONED_GC_NOT_SUPPORTED,
    PARTITIONED_GC_SUPPORTED
} cudaOccPartitionedGCSupport;
/* Which of the device's two limits holds for the shared memory of a block, from 7.0 on. */
typedef enum cudaOccFuncShmemConfig_enum {
    FUNC_SHMEM_LIMIT_DEFAULT,
    FUNC_SHMEM_LIMIT_OPTIN
} cudaOccFuncShmemConfig;
typedef enum cudaOccCacheConfig_enum {
    CACHE_PREFER_NONE = 0,
    CACHE_PREFER_SHARED = 1,
    CACHE_PREFER_L1 = 2,
    CACHE_PREFER_EQUAL = 3
} cudaOccCacheConfig;
/* Shared memory of a multiprocessor, in % of the most; any number in between is one, too. */
typedef enum cudaOccCarveoutConfig_enum {
    SHAREDMEM_CARVEOUT_DEFAULT = -1,
    SHAREDMEM_CARVEOUT_MAX_L1 = 0,
    SHAREDMEM_CARVEOUT_HALF = 50,
    SHAREDMEM_CARVEOUT_MAX_SHARED = 100
} cudaOccCarveoutConfig;
/* Bits of limitingFactors. */
typedef enum cudaOccLimitingFactor_enum {
    OCC_LIMIT_WARPS = 0x01,
    OCC_LIMIT_REGISTERS = 0x02,
    OCC_LIMIT_SHARED_MEMORY = 0x04,
    OCC_LIMIT_BLOCKS = 0x08,
    OCC_LIMIT_BARRIERS = 0x10,
    OCC_LIMIT_VIRTUAL_RESOURCES = 0x20
} cudaOccLimitingFactor;

/* The device: any struct with the members of cudaDeviceProp makes one. Memory in bytes. */
typedef struct cudaOccDeviceProp {
    int computeMajor;
    int computeMinor;
    int maxThreadsPerBlock;
    int maxThreadsPerMultiprocessor;
    int regsPerBlock;
    int regsPerMultiprocessor;
    int warpSize;
    size_t sharedMemPerBlock;
    size_t sharedMemPerMultiprocessor;
    int numSms;
    size_t sharedMemPerBlockOptin;
    size_t reservedSharedMemPerBlock; /* by the driver; from 8.0 on beyond the block's limit */
#if defined(__cplusplus)
    WARPKIT_CUDA_OCC cudaOccDeviceProp()
        : computeMajor(0),
          computeMinor(0),
          maxThreadsPerBlock(0),
          maxThreadsPerMultiprocessor(0),
          regsPerBlock(0),
          regsPerMultiprocessor(0),
          warpSize(0),
          sharedMemPerBlock(0),
          sharedMemPerMultiprocessor(0),
          numSms(0),
          sharedMemPerBlockOptin(0),
          reservedSharedMemPerBlock(0) {}
    template <typename DeviceProp>
    WARPKIT_CUDA_OCC cudaOccDeviceProp(DeviceProp const& d)
        : computeMajor(d.major),
          computeMinor(d.minor),
          maxThreadsPerBlock(d.maxThreadsPerBlock),
          maxThreadsPerMultiprocessor(d.maxThreadsPerMultiProcessor),
          regsPerBlock(d.regsPerBlock),
          regsPerMultiprocessor(d.regsPerMultiprocessor),
          warpSize(d.warpSize),
          sharedMemPerBlock(d.sharedMemPerBlock),
          sharedMemPerMultiprocessor(d.sharedMemPerMultiprocessor),
          numSms(d.multiProcessorCount),
          sharedMemPerBlockOptin(d.sharedMemPerBlockOptin),
          reservedSharedMemPerBlock(d.reservedSharedMemPerBlock) {}
#endif
} cudaOccDeviceProp;
/* The kernel: any struct with the members of cudaFuncAttributes makes one. Memory in bytes. */
typedef struct cudaOccFuncAttributes {
    int maxThreadsPerBlock;
    int numRegs;
    size_t sharedSizeBytes; /* static */
    cudaOccPartitionedGCConfig partitionedGCConfig;
    cudaOccFuncShmemConfig shmemLimitConfig;
    size_t maxDynamicSharedSizeBytes;
    int numBlockBarriers;     /* counts from 9.0 on */
    int virtualResourceCount; /* counts from 10.0 on */
#if defined(__cplusplus)
    WARPKIT_CUDA_OCC cudaOccFuncAttributes()
        : maxThreadsPerBlock(0),
          numRegs(0),
          sharedSizeBytes(0),
          partitionedGCConfig(PARTITIONED_GC_OFF),
          shmemLimitConfig(FUNC_SHMEM_LIMIT_DEFAULT),
          maxDynamicSharedSizeBytes(0),
          numBlockBarriers(0),
          virtualResourceCount(0) {}
    template <typename FuncAttributes>
    WARPKIT_CUDA_OCC cudaOccFuncAttributes(FuncAttributes const& f)
        : maxThreadsPerBlock(f.maxThreadsPerBlock),
          numRegs(f.numRegs),
          sharedSizeBytes(f.sharedSizeBytes),
          partitionedGCConfig(PARTITIONED_GC_OFF),
          shmemLimitConfig(FUNC_SHMEM_LIMIT_OPTIN),
          maxDynamicSharedSizeBytes(f.maxDynamicSharedSizeBytes),
          numBlockBarriers(1),
          virtualResourceCount(0) {}
#endif
} cudaOccFuncAttributes;
/* How cache and shared memory part: the cache's configuration on 3.x, and from 7.0 on where there is no carve-out. */
typedef struct cudaOccDeviceState {
    cudaOccCacheConfig cacheConfig;
    int carveoutConfig;
#if defined(__cplusplus)
    WARPKIT_CUDA_OCC cudaOccDeviceState()
        : cacheConfig(CACHE_PREFER_NONE),
          carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT) {}
#endif
} cudaOccDeviceState;
/* Blocks per multiprocessor, and what each limit by itself would let there be: INT_MAX where it is none. */
typedef struct cudaOccResult {
    int activeBlocksPerMultiprocessor;
    unsigned int limitingFactors;
    int blockLimitRegs;
    int blockLimitSharedMem;
    int blockLimitWarps;
    int blockLimitBlocks;
    int blockLimitBarriers;
    int blockLimitVirtual;
    int allocatedRegistersPerBlock;
    size_t allocatedSharedMemPerBlock;
    cudaOccPartitionedGCConfig partitionedGCConfig; /* as it turns out */
} cudaOccResult;

/* What a compute capability has. */
typedef struct warpkit_cuda_occ_limits {
    int blocks;               /* per multiprocessor */
    int barriers;             /* per multiprocessor */
    int registers_per_thread; /* at most */
    int partitions;           /* schedulers, each with registers of its own */
    size_t shared_unit;       /* bytes of shared memory that are allocated at once */
    int virtual_resources;    /* 0: no such limit */
    int halves;               /* whether partitioned caching of global memory is possible */
    /* Sizes that a multiprocessor's shared memory can have, from 7.0 on: bit i is 4 i KiB. */
    unsigned long long carveouts;
} warpkit_cuda_occ_limits;

#define WARPKIT_CUDA_OCC_KIB(n) (1ull << (n) / 4)
/* False: no such capability. */
static WARPKIT_CUDA_OCC int warpkit_cuda_occ_find(warpkit_cuda_occ_limits* l, cudaOccDeviceProp const* d) {
    int const major = d->computeMajor, minor = d->computeMinor;
    unsigned long long const to_64 = WARPKIT_CUDA_OCC_KIB(0) | WARPKIT_CUDA_OCC_KIB(8) |
                                     WARPKIT_CUDA_OCC_KIB(16) | WARPKIT_CUDA_OCC_KIB(32) |
                                     WARPKIT_CUDA_OCC_KIB(64);
    unsigned long long const to_100 = to_64 | WARPKIT_CUDA_OCC_KIB(100);
    unsigned long long const to_164 = to_100 | WARPKIT_CUDA_OCC_KIB(132) | WARPKIT_CUDA_OCC_KIB(164);
    unsigned long long const to_228 = to_164 | WARPKIT_CUDA_OCC_KIB(196) | WARPKIT_CUDA_OCC_KIB(228);
    if (major < 3 || major == 4 || major > 12) return 0;
    l->blocks = 32;
    l->barriers = 64;
    l->registers_per_thread = major >= 7 ? 256 : 255;
    l->partitions = 4;
    l->shared_unit = major >= 8 ? 128 : 256;
    l->virtual_resources = major >= 10 ? 128 : 0;
    l->halves = 0;
    l->carveouts = 0;
    switch (major) {
    case 3:
        l->blocks = 16;
        break;
    case 5:
        l->halves = minor == 2 || minor == 3;
        break;
    case 6:
        if (minor == 0) l->partitions = 2;
        l->halves = minor != 0;
        break;
    case 7:
        if (minor == 5) l->blocks = 16;
        l->carveouts = minor == 5 ? WARPKIT_CUDA_OCC_KIB(32) | WARPKIT_CUDA_OCC_KIB(64)
                                  : to_64 | WARPKIT_CUDA_OCC_KIB(96);
        break;
    case 8:
        l->blocks = minor == 0 ? 32 : minor == 9 ? 24 : 16;
        l->carveouts = minor == 0 || minor == 7 ? to_164 : to_100;
        break;
    case 9:
        l->carveouts = to_228;
        break;
    case 10:
    case 11:
        if (minor == (major == 10 ? 1 : 0)) l->blocks = 24;
        if (minor == 0 || minor == 1 || minor == 3) l->carveouts = to_228;
        break;
    default:
        l->blocks = 24;
        if (minor == 0 || minor == 1) l->carveouts = to_100;
    }
    /* Two barriers for each block, but for the multiprocessors that hold fewer blocks. */
    l->barriers = l->blocks == 32 ? 64 : l->blocks;
    return 1;
}
#undef WARPKIT_CUDA_OCC_KIB
/* The smallest size of a multiprocessor's shared memory that has so many bytes. */
static WARPKIT_CUDA_OCC cudaOccError warpkit_cuda_occ_carve(size_t* bytes, warpkit_cuda_occ_limits const* l) {
    unsigned long long const needed = (*bytes + 4095) / 4096;
    unsigned int i;
    if (l->carveouts == 0) return CUDA_OCC_ERROR_UNKNOWN_DEVICE;
    for (i = 0; i < 64; ++i)
        if (i >= needed && (l->carveouts >> i & 1) != 0) {
            *bytes = (size_t)i * 4096;
            return CUDA_OCC_SUCCESS;
        }
    return CUDA_OCC_ERROR_INVALID_INPUT;
}
/* The multiprocessor's shared memory as the device's state would have it. */
static WARPKIT_CUDA_OCC cudaOccError warpkit_cuda_occ_preferred(size_t* bytes, cudaOccDeviceProp const* d,
                                                                warpkit_cuda_occ_limits const* l,
                                                                cudaOccDeviceState const* s) {
    int share = s->carveoutConfig;
    *bytes = d->sharedMemPerMultiprocessor;
    if (d->computeMajor < 7) {
        /* On 3.x the cache takes 16 KiB, 48 KiB, or half of both. */
        if (d->computeMajor == 3 && s->cacheConfig == CACHE_PREFER_L1) *bytes -= 32 * 1024;
        if (d->computeMajor == 3 && s->cacheConfig == CACHE_PREFER_EQUAL)
            *bytes = (*bytes + (*bytes - 32 * 1024)) / 2;
        return CUDA_OCC_SUCCESS;
    }
    if (share < -1 || share > 100) return CUDA_OCC_ERROR_INVALID_INPUT;
    if (share == -1) {
        if (s->cacheConfig == CACHE_PREFER_L1) share = 0;
        if (s->cacheConfig == CACHE_PREFER_EQUAL) share = 50;
        if (s->cacheConfig == CACHE_PREFER_SHARED) share = 100;
    }
    if (share != -1) *bytes = *bytes * (size_t)share / 100;
    return warpkit_cuda_occ_carve(bytes, l);
}
/* What a block may have of shared memory whose kernel may ask for `most` bytes. */
static WARPKIT_CUDA_OCC size_t warpkit_cuda_occ_block_limit(cudaOccDeviceProp const* d,
                                                            cudaOccFuncAttributes const* f, size_t most) {
    size_t limit = d->sharedMemPerBlock;
    if (d->computeMajor >= 7 && f->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN && most > d->sharedMemPerBlock)
        limit = d->sharedMemPerBlockOptin;
    return d->computeMajor >= 8 ? limit + d->reservedSharedMemPerBlock : limit;
}
/* Blocks that the registers suffice for; what `gc` turns out to be. */
static WARPKIT_CUDA_OCC int warpkit_cuda_occ_by_registers(cudaOccDeviceProp const* d,
                                                          cudaOccFuncAttributes const* f,
                                                          warpkit_cuda_occ_limits const* l, int partitions,
                                                          int warps, cudaOccPartitionedGCConfig* gc) {
    /* 256 at once, for one warp; a warp's are in its partition. */
    int const per_warp = (f->numRegs * d->warpSize + 255) / 256 * 256;
    int const even = (warps + partitions - 1) / partitions * partitions;
    int held, blocks;
    if (per_warp * even > d->regsPerBlock || f->numRegs > l->registers_per_thread) return 0;
    if (per_warp == 0) return INT_MAX;
    held = d->regsPerMultiprocessor / partitions / per_warp; /* warps in a partition */
    blocks = *gc != PARTITIONED_GC_OFF ? held * (partitions / 2) / warps * 2 : 0;
    if (blocks == 0 && *gc != PARTITIONED_GC_ON_STRICT) {
        *gc = PARTITIONED_GC_OFF;
        blocks = held * partitions / warps;
    }
    return blocks;
}
static WARPKIT_CUDA_OCC int warpkit_cuda_occ_possible(cudaOccDeviceProp const* d,
                                                      cudaOccFuncAttributes const* f,
                                                      cudaOccDeviceState const* s) {
    return d && f && s && d->maxThreadsPerBlock > 0 && d->maxThreadsPerMultiprocessor > 0 &&
           d->regsPerBlock > 0 && d->regsPerMultiprocessor > 0 && d->warpSize > 0 &&
           d->sharedMemPerBlock > 0 && d->sharedMemPerMultiprocessor > 0 && d->numSms > 0 &&
           f->maxThreadsPerBlock > 0 && f->numRegs >= 0;
}

/* Blocks of `blockSize` threads and `dynamicSmemSize` bytes that a multiprocessor holds. Numbers that cannot be:
 * CUDA_OCC_ERROR_INVALID_INPUT; no such compute capability: CUDA_OCC_ERROR_UNKNOWN_DEVICE. A block that does not fit is
 * no error, but 0. */
static WARPKIT_CUDA_OCC cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(
    cudaOccResult* result, cudaOccDeviceProp const* properties, cudaOccFuncAttributes const* attributes,
    cudaOccDeviceState const* state, int blockSize, size_t dynamicSmemSize) {
    cudaOccDeviceProp const* const d = properties;
    cudaOccFuncAttributes const* const f = attributes;
    warpkit_cuda_occ_limits l;
    cudaOccError error;
    cudaOccPartitionedGCConfig gc;
    size_t held, asked, fixed;
    int warps, on_device, blocks;
    if (!result || blockSize <= 0 || !warpkit_cuda_occ_possible(d, f, state))
        return CUDA_OCC_ERROR_INVALID_INPUT;
    if (!warpkit_cuda_occ_find(&l, d)) return CUDA_OCC_ERROR_UNKNOWN_DEVICE;
    gc = l.halves ? f->partitionedGCConfig : PARTITIONED_GC_OFF;

    warps = (blockSize - 1) / d->warpSize + 1;
    result->allocatedRegistersPerBlock = (f->numRegs * d->warpSize + 255) / 256 * 256 * warps;
    result->blockLimitRegs = warpkit_cuda_occ_by_registers(d, f, &l, l.partitions, warps, &gc);
    /* What runs on one device of capability 6 runs on all of them. */
    if (d->computeMajor == 6 && l.partitions == 2) {
        cudaOccPartitionedGCConfig other = gc;
        if (warpkit_cuda_occ_by_registers(d, f, &l, 4, warps, &other) == 0) result->blockLimitRegs = 0;
    }

    on_device = d->maxThreadsPerMultiprocessor / d->warpSize;
    if (blockSize > d->maxThreadsPerBlock)
        result->blockLimitWarps = 0;
    else
        result->blockLimitWarps = gc != PARTITIONED_GC_OFF ? on_device / 2 / warps * 2 : on_device / warps;
    result->blockLimitBlocks = l.blocks;

    error = warpkit_cuda_occ_preferred(&held, d, &l, state);
    if (error != CUDA_OCC_SUCCESS) return error;
    fixed = f->sharedSizeBytes + d->reservedSharedMemPerBlock;
    asked = (fixed + dynamicSmemSize + l.shared_unit - 1) / l.shared_unit * l.shared_unit;
    result->allocatedSharedMemPerBlock = asked;
    if ((f->shmemLimitConfig != FUNC_SHMEM_LIMIT_DEFAULT && dynamicSmemSize > f->maxDynamicSharedSizeBytes) ||
        asked > warpkit_cuda_occ_block_limit(d, f, fixed + f->maxDynamicSharedSizeBytes)) {
        result->blockLimitSharedMem = 0;
    } else if (asked == 0) {
        result->blockLimitSharedMem = INT_MAX;
    } else {
        /* A block that wants more than the state prefers has it. */
        if (held < asked && d->computeMajor >= 7) {
            held = asked;
            error = warpkit_cuda_occ_carve(&held, &l);
            if (error != CUDA_OCC_SUCCESS) return error;
        } else if (held < asked) {
            held = d->sharedMemPerMultiprocessor;
        }
        result->blockLimitSharedMem = (int)(held / asked);
    }
    result->blockLimitVirtual = l.virtual_resources > 0 && f->virtualResourceCount > 0
                                    ? l.virtual_resources / f->virtualResourceCount
                                    : INT_MAX;

    blocks = result->blockLimitRegs;
    if (result->blockLimitWarps < blocks) blocks = result->blockLimitWarps;
    if (result->blockLimitBlocks < blocks) blocks = result->blockLimitBlocks;
    if (result->blockLimitSharedMem < blocks) blocks = result->blockLimitSharedMem;
    if (result->blockLimitVirtual < blocks) blocks = result->blockLimitVirtual;
    result->limitingFactors = (result->blockLimitWarps == blocks ? OCC_LIMIT_WARPS : 0u) |
                              (result->blockLimitRegs == blocks ? OCC_LIMIT_REGISTERS : 0u) |
                              (result->blockLimitSharedMem == blocks ? OCC_LIMIT_SHARED_MEMORY : 0u) |
                              (result->blockLimitBlocks == blocks ? OCC_LIMIT_BLOCKS : 0u) |
                              (result->blockLimitVirtual == blocks ? OCC_LIMIT_VIRTUAL_RESOURCES : 0u);
    /* Barriers come last: what limits before them stays named. */
    result->blockLimitBarriers = INT_MAX;
    if (d->computeMajor >= 9 && f->numBlockBarriers > 0) {
        result->blockLimitBarriers = l.barriers / f->numBlockBarriers;
        if (result->blockLimitBarriers <= blocks) {
            blocks = result->blockLimitBarriers;
            result->limitingFactors |= OCC_LIMIT_BARRIERS;
        }
    }
    result->partitionedGCConfig = gc;
    result->activeBlocksPerMultiprocessor = blocks;
    return CUDA_OCC_SUCCESS;
}

/* Bytes of dynamic shared memory that each block may have where `numBlocks` blocks of `blockSize` threads are to be on
 * a multiprocessor; CUDA_OCC_ERROR_INVALID_INPUT where so many do not fit. As NVIDIA computes it: what the driver
 * reserves of each block, from 8.0 on, is not taken off. */
static WARPKIT_CUDA_OCC cudaOccError cudaOccAvailableDynamicSMemPerBlock(
    size_t* dynamicSmemSize, cudaOccDeviceProp const* properties, cudaOccFuncAttributes const* attributes,
    cudaOccDeviceState const* state, int numBlocks, int blockSize) {
    warpkit_cuda_occ_limits l;
    cudaOccResult without;
    cudaOccError error;
    size_t limit, held, bytes;
    if (!dynamicSmemSize || numBlocks <= 0) return CUDA_OCC_ERROR_INVALID_INPUT;
    error = cudaOccMaxActiveBlocksPerMultiprocessor(&without, properties, attributes, state, blockSize, 0);
    if (error != CUDA_OCC_SUCCESS) return error;
    if (without.activeBlocksPerMultiprocessor < numBlocks) return CUDA_OCC_ERROR_INVALID_INPUT;
    if (!warpkit_cuda_occ_find(&l, properties)) return CUDA_OCC_ERROR_UNKNOWN_DEVICE;
    limit = warpkit_cuda_occ_block_limit(properties, attributes, properties->sharedMemPerMultiprocessor);
    /* One block has what it may; several share what the state prefers, or the smallest size above none. */
    if (numBlocks == 1) {
        held = limit;
    } else {
        error = warpkit_cuda_occ_preferred(&held, properties, &l, state);
        if (error == CUDA_OCC_SUCCESS && held == 0) {
            held = 1;
            error = warpkit_cuda_occ_carve(&held, &l);
        }
        if (error != CUDA_OCC_SUCCESS) return error;
    }
    bytes = held / (size_t)numBlocks / l.shared_unit * l.shared_unit;
    if (bytes > limit) bytes = limit;
    bytes -= attributes->sharedSizeBytes;
    *dynamicSmemSize =
        bytes > attributes->maxDynamicSharedSizeBytes ? attributes->maxDynamicSharedSizeBytes : bytes;
    return CUDA_OCC_SUCCESS;
}

/* Programs compute with these, too. */
static WARPKIT_CUDA_OCC int __occMin(int lhs, int rhs) { return lhs < rhs ? lhs : rhs; }
static WARPKIT_CUDA_OCC int __occDivideRoundUp(int x, int y) { return (x + y - 1) / y; }
static WARPKIT_CUDA_OCC int __occRoundUp(int x, int y) { return __occDivideRoundUp(x, y) * y; }
/* What a device has, of what is computed above. */
#define WARPKIT_CUDA_OCC_FACT(name, value)                                                                   \
    static WARPKIT_CUDA_OCC cudaOccError name(int* limit, cudaOccDeviceProp const* properties) {             \
        warpkit_cuda_occ_limits l;                                                                           \
        if (!limit || !properties) return CUDA_OCC_ERROR_INVALID_INPUT;                                      \
        if (!warpkit_cuda_occ_find(&l, properties)) return CUDA_OCC_ERROR_UNKNOWN_DEVICE;                    \
        *limit = value;                                                                                      \
        return CUDA_OCC_SUCCESS;                                                                             \
    }
/* Bytes, registers. */
WARPKIT_CUDA_OCC_FACT(cudaOccSMemAllocationGranularity, (int)l.shared_unit)
WARPKIT_CUDA_OCC_FACT(cudaOccRegAllocationGranularity, 256)
WARPKIT_CUDA_OCC_FACT(cudaOccRegAllocationMaxPerThread, l.registers_per_thread)
WARPKIT_CUDA_OCC_FACT(cudaOccSubPartitionsPerMultiprocessor, l.partitions)
WARPKIT_CUDA_OCC_FACT(cudaOccMaxBlocksPerMultiprocessor, l.blocks)
WARPKIT_CUDA_OCC_FACT(cudaOccMaxVirtualResourceCountPerSM, l.virtual_resources)
#undef WARPKIT_CUDA_OCC_FACT
static WARPKIT_CUDA_OCC cudaOccError cudaOccSMemPerMultiprocessor(size_t* limit,
                                                                  cudaOccDeviceProp const* properties,
                                                                  cudaOccDeviceState const* state) {
    warpkit_cuda_occ_limits l;
    if (!limit || !properties || !state) return CUDA_OCC_ERROR_INVALID_INPUT;
    if (!warpkit_cuda_occ_find(&l, properties)) return CUDA_OCC_ERROR_UNKNOWN_DEVICE;
    return warpkit_cuda_occ_preferred(limit, properties, &l, state);
}
static WARPKIT_CUDA_OCC cudaOccError cudaOccPartitionedGlobalCachingModeSupport(
    cudaOccPartitionedGCSupport* limit, cudaOccDeviceProp const* properties) {
    warpkit_cuda_occ_limits l;
    if (!limit || !properties) return CUDA_OCC_ERROR_INVALID_INPUT;
    *limit = warpkit_cuda_occ_find(&l, properties) && l.halves ? PARTITIONED_GC_SUPPORTED
                                                               : PARTITIONED_GC_NOT_SUPPORTED;
    return CUDA_OCC_SUCCESS;
}

/* One size of block after the other, from the largest down: the first with the most threads on a multiprocessor. */
typedef struct warpkit_cuda_occ_search {
    int most; /* threads on a multiprocessor */
    int size; /* the next to try; 0: none */
    int limit;
    int best_size;
    int best_blocks;
} warpkit_cuda_occ_search;
static WARPKIT_CUDA_OCC cudaOccError warpkit_cuda_occ_begin(warpkit_cuda_occ_search* at, int const* grid,
                                                            int const* block, cudaOccDeviceProp const* d,
                                                            cudaOccFuncAttributes const* f,
                                                            cudaOccDeviceState const* s) {
    if (!grid || !block || !warpkit_cuda_occ_possible(d, f, s)) return CUDA_OCC_ERROR_INVALID_INPUT;
    at->limit = d->maxThreadsPerBlock < f->maxThreadsPerBlock ? d->maxThreadsPerBlock : f->maxThreadsPerBlock;
    at->size = at->limit;
    at->most = at->best_size = at->best_blocks = 0;
    return CUDA_OCC_SUCCESS;
}
static WARPKIT_CUDA_OCC cudaOccError warpkit_cuda_occ_try(warpkit_cuda_occ_search* at,
                                                          cudaOccDeviceProp const* d,
                                                          cudaOccFuncAttributes const* f,
                                                          cudaOccDeviceState const* s, size_t dynamic) {
    cudaOccResult r;
    cudaOccError const error = cudaOccMaxActiveBlocksPerMultiprocessor(&r, d, f, s, at->size, dynamic);
    if (error != CUDA_OCC_SUCCESS) return error;
    if (r.activeBlocksPerMultiprocessor * at->size > at->most) {
        at->most = r.activeBlocksPerMultiprocessor * at->size;
        at->best_size = at->size;
        at->best_blocks = r.activeBlocksPerMultiprocessor;
    }
    at->size = at->most == d->maxThreadsPerMultiprocessor ? 0 : (at->size - 1) / d->warpSize * d->warpSize;
    return CUDA_OCC_SUCCESS;
}

/* The size of block, in threads, with which a multiprocessor holds the most threads, the largest of several, and the
 * blocks with which the device is full. Dynamic shared memory is what the function says of a size of block, or, without
 * one, `dynamicSMemSize` bytes. */
static WARPKIT_CUDA_OCC cudaOccError cudaOccMaxPotentialOccupancyBlockSize(
    int* minGridSize, int* blockSize, cudaOccDeviceProp const* properties,
    cudaOccFuncAttributes const* attributes, cudaOccDeviceState const* state,
    size_t (*blockSizeToDynamicSMemSize)(int), size_t dynamicSMemSize) {
    warpkit_cuda_occ_search at;
    cudaOccError error = warpkit_cuda_occ_begin(&at, minGridSize, blockSize, properties, attributes, state);
    if (error != CUDA_OCC_SUCCESS) return error;
    while (at.size > 0) {
        error = warpkit_cuda_occ_try(&at, properties, attributes, state,
                                     blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(at.size)
                                                                : dynamicSMemSize);
        if (error != CUDA_OCC_SUCCESS) return error;
    }
    *minGridSize = at.best_blocks * properties->numSms;
    *blockSize = at.best_size;
    return CUDA_OCC_SUCCESS;
}
#if defined(__cplusplus)
static WARPKIT_CUDA_OCC cudaOccError cudaOccMaxPotentialOccupancyBlockSize(
    int* minGridSize, int* blockSize, cudaOccDeviceProp const* properties,
    cudaOccFuncAttributes const* attributes, cudaOccDeviceState const* state, size_t dynamicSMemSize = 0) {
    return cudaOccMaxPotentialOccupancyBlockSize(minGridSize, blockSize, properties, attributes, state, NULL,
                                                 dynamicSMemSize);
}
template <typename UnaryFunction>
static WARPKIT_CUDA_OCC cudaOccError cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(
    int* minGridSize, int* blockSize, cudaOccDeviceProp const* properties,
    cudaOccFuncAttributes const* attributes, cudaOccDeviceState const* state,
    UnaryFunction blockSizeToDynamicSMemSize) {
    warpkit_cuda_occ_search at;
    cudaOccError error = warpkit_cuda_occ_begin(&at, minGridSize, blockSize, properties, attributes, state);
    if (error != CUDA_OCC_SUCCESS) return error;
    while (at.size > 0) {
        error = warpkit_cuda_occ_try(&at, properties, attributes, state,
                                     (size_t)blockSizeToDynamicSMemSize(at.size));
        if (error != CUDA_OCC_SUCCESS) return error;
    }
    *minGridSize = at.best_blocks * properties->numSms;
    *blockSize = at.best_size;
    return CUDA_OCC_SUCCESS;
}
#endif
#undef WARPKIT_CUDA_OCC

#include "letters_back.h"

#endif
