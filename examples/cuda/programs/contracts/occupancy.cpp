// cuda_occupancy.h, by itself and on the host, beside a multiprocessor that is filled block after block until the next
// one does not fit; and what it answers to what cannot be.
#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cuda_occupancy.h>
#include <initializer_list>
#include <vector>

namespace {

int failures = 0;
void expect(bool good, char const* what, int line) {
    if (good || ++failures > 20) return;
    std::printf("FAILED: occupancy.cpp line %d: %s\n", line, what);
}
#define EXPECT(condition) expect((condition), #condition, __LINE__)

unsigned random_below(unsigned n) {
    static unsigned long long state = 88172645463325252ULL;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<unsigned>(state >> 33) % n;
}

// Of the guide's tables: threads and blocks of a multiprocessor, KiB of its shared memory and of a block's, the sizes
// that the memory can be set to.
struct device {
    int major, minor, threads, blocks, partitions;
    std::size_t shared, block_shared;
    std::vector<std::size_t> sizes;
};
std::vector<device> const devices = {
    {3, 5, 2048, 16, 4, 48, 48, {48}},
    {5, 0, 2048, 32, 4, 64, 48, {64}},
    {6, 0, 2048, 32, 2, 64, 48, {64}},
    {6, 1, 2048, 32, 4, 96, 48, {96}},
    {7, 0, 2048, 32, 4, 96, 96, {0, 8, 16, 32, 64, 96}},
    {7, 5, 1024, 16, 4, 64, 64, {32, 64}},
    {8, 0, 2048, 32, 4, 164, 163, {0, 8, 16, 32, 64, 100, 132, 164}},
    {8, 6, 1536, 16, 4, 100, 99, {0, 8, 16, 32, 64, 100}},
    {8, 9, 1536, 24, 4, 100, 99, {0, 8, 16, 32, 64, 100}},
    {9, 0, 2048, 32, 4, 228, 227, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}},
    {10, 0, 2048, 32, 4, 228, 227, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}},
    {12, 0, 1536, 24, 4, 100, 99, {0, 8, 16, 32, 64, 100}},
};
cudaOccDeviceProp properties(device const& d) {
    cudaOccDeviceProp p;
    p.computeMajor = d.major;
    p.computeMinor = d.minor;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsPerMultiprocessor = d.threads;
    p.regsPerBlock = p.regsPerMultiprocessor = 65536;
    p.warpSize = 32;
    p.sharedMemPerBlock = 48 * 1024;
    p.sharedMemPerMultiprocessor = d.shared * 1024;
    p.numSms = 10;
    p.sharedMemPerBlockOptin = d.block_shared * 1024;
    p.reservedSharedMemPerBlock = d.major >= 8 ? 1024 : 0;
    return p;
}
cudaOccFuncAttributes kernel() {
    cudaOccFuncAttributes f;
    f.maxThreadsPerBlock = 1024;
    f.numRegs = static_cast<int>(random_below(random_below(8) == 0 ? 300 : 100));
    f.sharedSizeBytes = random_below(2) == 0 ? 0 : random_below(50000);
    f.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    f.maxDynamicSharedSizeBytes = random_below(2) == 0 ? 48 * 1024 : 227 * 1024;
    f.numBlockBarriers = 1 + static_cast<int>(random_below(random_below(4) == 0 ? 16 : 1));
    return f;
}

std::size_t in_units(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

// The memory that the multiprocessor is set to, of which a block has `asked` bytes.
std::size_t memory(device const& d, int carveout, std::size_t asked) {
    std::size_t const wish = carveout < 0 ? d.shared * 1024 : d.shared * 1024 * carveout / 100;
    for (std::size_t const size : d.sizes)
        if (size * 1024 >= wish && (d.major < 7 || size * 1024 >= asked)) return size * 1024;
    return 0;
}
// Blocks that find a place, one after the other.
int filled(device const& d, cudaOccFuncAttributes const& f, int carveout, int threads, std::size_t dynamic) {
    std::size_t const reserved = d.major >= 8 ? 1024 : 0;
    std::size_t const asked = in_units(f.sharedSizeBytes + dynamic + reserved, d.major >= 8 ? 128 : 256);
    bool const large = d.major >= 7 && f.sharedSizeBytes + reserved + f.maxDynamicSharedSizeBytes > 48 * 1024;
    if (asked > (large ? d.block_shared : 48) * 1024 + reserved || dynamic > f.maxDynamicSharedSizeBytes)
        return 0;
    int const warps = (threads + 31) / 32;
    int const registers =
        static_cast<int>(in_units(static_cast<std::size_t>(f.numRegs) * 32, 256)); // of a warp
    // A block by itself: the fullest partition counts for all. Devices 6.0 keep to what 6.1 can do.
    for (int const partitions : {d.partitions, d.major == 6 ? 4 : d.partitions})
        if ((warps + partitions - 1) / partitions * partitions * registers > 65536) return 0;
    if (f.numRegs > (d.major >= 7 ? 256 : 255)) return 0;

    std::vector<int> free_registers(static_cast<std::size_t>(d.partitions), 65536 / d.partitions);
    std::size_t free_memory = memory(d, carveout, asked);
    int free_warps = d.threads / 32,
        free_barriers = d.major < 9 ? INT_MAX : d.blocks * (d.blocks == 32 ? 2 : 1);
    for (int blocks = 0;; ++blocks) {
        if (blocks == d.blocks || free_warps < warps || free_memory < asked ||
            free_barriers < f.numBlockBarriers)
            return blocks;
        free_warps -= warps;
        free_memory -= asked;
        free_barriers -= f.numBlockBarriers;
        for (int w = 0; w < warps; ++w) {
            auto const most = std::max_element(free_registers.begin(), free_registers.end());
            if (*most < registers) return blocks;
            *most -= registers;
        }
    }
}

int active(cudaOccDeviceProp const& p, cudaOccFuncAttributes const& f, cudaOccDeviceState const& s,
           int threads, std::size_t dynamic, cudaOccResult& r) {
    EXPECT(cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &s, threads, dynamic) == CUDA_OCC_SUCCESS);
    return r.activeBlocksPerMultiprocessor;
}

void blocks_by_filling() {
    for (device const& d : devices)
        for (int i = 0; i < 2000; ++i) {
            cudaOccFuncAttributes const f = kernel();
            cudaOccDeviceState s;
            if (random_below(2) == 0) s.carveoutConfig = static_cast<int>(random_below(101));
            int const threads = 1 + static_cast<int>(random_below(1024));
            std::size_t const dynamic = random_below(2) == 0 ? 0 : random_below(60000);
            cudaOccResult r;
            int const found = active(properties(d), f, s, threads, dynamic, r);
            int const expected = filled(d, f, s.carveoutConfig, threads, dynamic);
            if (found != expected)
                std::printf(
                    "%d.%d: %d registers, %zu + %zu bytes, %d threads, carve-out %d: %d, expected %d\n",
                    d.major, d.minor, f.numRegs, f.sharedSizeBytes, dynamic, threads, s.carveoutConfig, found,
                    expected);
            EXPECT(found == expected);
            // The limits' least is the result, and a bit says which.
            EXPECT(found == std::min({r.blockLimitRegs, r.blockLimitSharedMem, r.blockLimitWarps,
                                      r.blockLimitBlocks, r.blockLimitBarriers, r.blockLimitVirtual}));
            EXPECT(((r.limitingFactors & OCC_LIMIT_BARRIERS) != 0) == (r.blockLimitBarriers == found));
            EXPECT(
                r.blockLimitBarriers == found ||
                (((r.limitingFactors & OCC_LIMIT_WARPS) != 0) == (r.blockLimitWarps == found) &&
                 ((r.limitingFactors & OCC_LIMIT_REGISTERS) != 0) == (r.blockLimitRegs == found) &&
                 ((r.limitingFactors & OCC_LIMIT_SHARED_MEMORY) != 0) == (r.blockLimitSharedMem == found) &&
                 ((r.limitingFactors & OCC_LIMIT_BLOCKS) != 0) == (r.blockLimitBlocks == found)));
        }
}

std::size_t bytes_of(int threads) { return static_cast<std::size_t>(threads) * 24; }
void best_block() {
    for (device const& d : devices)
        for (int i = 0; i < 20; ++i) {
            cudaOccFuncAttributes f = kernel();
            f.maxThreadsPerBlock = i % 2 == 0 ? 1024 : 1 + static_cast<int>(random_below(1024));
            cudaOccDeviceProp const p = properties(d);
            cudaOccDeviceState const s;
            int best = 0, best_blocks = 0;
            for (int threads = f.maxThreadsPerBlock; threads > 0; threads = (threads - 1) / 32 * 32)
                if (int const blocks = filled(d, f, -1, threads, bytes_of(threads));
                    blocks * threads > best * best_blocks)
                    best = threads, best_blocks = blocks;
            int grid = -1, block = -1;
            EXPECT(cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &p, &f, &s, bytes_of, 12345) ==
                   CUDA_OCC_SUCCESS);
            EXPECT(block == best && grid == best_blocks * 10);
            EXPECT(cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(
                       &grid, &block, &p, &f, &s, [](int threads) { return 24 * threads; }) ==
                   CUDA_OCC_SUCCESS);
            EXPECT(block == best && grid == best_blocks * 10);
            EXPECT(cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &p, &f, &s) == CUDA_OCC_SUCCESS);
            EXPECT(grid == 10 * filled(d, f, -1, std::max(block, 1), 0) || block == 0);
        }
}

// The most bytes with which so many blocks still find a place. (What is reserved, from 8.0 on, is not taken off.)
void memory_left() {
    for (device const& d : devices)
        for (int i = 0; i < 60 && d.major < 8; ++i) {
            cudaOccFuncAttributes f = kernel();
            f.maxDynamicSharedSizeBytes = d.block_shared * 1024;
            cudaOccDeviceProp const p = properties(d);
            cudaOccDeviceState const s;
            int const threads = 32 + static_cast<int>(random_below(128)),
                      blocks = 1 + static_cast<int>(random_below(6));
            std::size_t bytes = 7;
            auto const code = cudaOccAvailableDynamicSMemPerBlock(&bytes, &p, &f, &s, blocks, threads);
            if (filled(d, f, -1, threads, 0) < blocks) {
                EXPECT(code == CUDA_OCC_ERROR_INVALID_INPUT && bytes == 7);
                continue;
            }
            EXPECT(code == CUDA_OCC_SUCCESS && filled(d, f, -1, threads, bytes) >= blocks);
            EXPECT(bytes == f.maxDynamicSharedSizeBytes || filled(d, f, -1, threads, bytes + 256) < blocks);
        }
}

void facts() {
    EXPECT(__occMin(3, -2) == -2 && __occDivideRoundUp(33, 32) == 2 && __occRoundUp(64, 32) == 64);
    for (device const& d : devices) {
        cudaOccDeviceProp const p = properties(d);
        cudaOccDeviceState s;
        s.carveoutConfig = 40;
        int unit = 0, registers = 0, most = 0, partitions = 0, blocks = 0, virtual_resources = -1;
        std::size_t bytes = 0;
        EXPECT(cudaOccSMemAllocationGranularity(&unit, &p) == CUDA_OCC_SUCCESS &&
               unit == (d.major < 8 ? 256 : 128));
        EXPECT(cudaOccRegAllocationGranularity(&registers, &p) == CUDA_OCC_SUCCESS && registers == 256);
        EXPECT(cudaOccRegAllocationMaxPerThread(&most, &p) == CUDA_OCC_SUCCESS &&
               most == (d.major < 7 ? 255 : 256));
        EXPECT(cudaOccSubPartitionsPerMultiprocessor(&partitions, &p) == CUDA_OCC_SUCCESS &&
               partitions == d.partitions);
        EXPECT(cudaOccMaxBlocksPerMultiprocessor(&blocks, &p) == CUDA_OCC_SUCCESS && blocks == d.blocks);
        EXPECT(cudaOccMaxVirtualResourceCountPerSM(&virtual_resources, &p) == CUDA_OCC_SUCCESS);
        EXPECT(virtual_resources == (d.major < 10 ? 0 : 128));
        EXPECT(cudaOccSMemPerMultiprocessor(&bytes, &p, &s) == CUDA_OCC_SUCCESS);
        EXPECT(bytes == memory(d, d.major < 7 ? -1 : 40, 0));
        cudaOccPartitionedGCSupport halves = PARTITIONED_GC_NOT_SUPPORTED;
        EXPECT(cudaOccPartitionedGlobalCachingModeSupport(&halves, &p) == CUDA_OCC_SUCCESS);
        EXPECT((halves == PARTITIONED_GC_SUPPORTED) == (d.major == 6 && d.minor == 1));
    }
}

// Numbers that can be looked up, and what is not on the way above.
void single_cases() {
    int blocks = 0;
    cudaOccDeviceState s;
    cudaOccResult r;
    cudaOccFuncAttributes f;
    f.maxThreadsPerBlock = 1024;
    f.numRegs = 32;
    // Halves that cache global memory: 9 warps fit three times into one of 32, six times altogether; 33 in neither.
    cudaOccDeviceProp p = properties({5, 2, 2048, 32, 4, 96, 48, {}});
    f.partitionedGCConfig = PARTITIONED_GC_ON;
    EXPECT(active(p, f, s, 288, 0, r) == 6 && r.partitionedGCConfig == PARTITIONED_GC_ON);
    f.partitionedGCConfig = PARTITIONED_GC_OFF;
    EXPECT(active(p, f, s, 288, 0, r) == 7 && r.partitionedGCConfig == PARTITIONED_GC_OFF);
    f.numRegs = 64; // 16 warps' registers in a half
    f.partitionedGCConfig = PARTITIONED_GC_ON;
    EXPECT(active(p, f, s, 1024, 0, r) == 1 && r.partitionedGCConfig == PARTITIONED_GC_OFF);
    f.partitionedGCConfig = PARTITIONED_GC_ON_STRICT;
    EXPECT(active(p, f, s, 1024, 0, r) == 0 && r.partitionedGCConfig == PARTITIONED_GC_ON_STRICT);
    EXPECT(r.allocatedRegistersPerBlock == 65536 && r.blockLimitSharedMem == INT_MAX);
    // The cache's configuration: 16, 32 and 48 KiB on 3.5.
    p = properties(devices[0]);
    f.partitionedGCConfig = PARTITIONED_GC_OFF;
    f.numRegs = 0;
    f.sharedSizeBytes = 8000;
    s.cacheConfig = CACHE_PREFER_L1;
    EXPECT(active(p, f, s, 32, 0, r) == 2 && r.allocatedSharedMemPerBlock == 8192 &&
           r.blockLimitRegs == INT_MAX);
    s.cacheConfig = CACHE_PREFER_EQUAL;
    EXPECT(active(p, f, s, 32, 0, r) == 4);
    s.cacheConfig = CACHE_PREFER_SHARED;
    EXPECT(active(p, f, s, 32, 0, r) == 6 && r.limitingFactors == OCC_LIMIT_SHARED_MEMORY);
    // Virtual resources, of which 10.0 has 128.
    p = properties({10, 0, 2048, 32, 4, 228, 227, {}});
    f.sharedSizeBytes = 0;
    f.virtualResourceCount = 60;
    EXPECT(active(p, f, s, 32, 0, r) == 2 && r.limitingFactors == OCC_LIMIT_VIRTUAL_RESOURCES);

    auto const code = [&] { return cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &s, 32, 0); };
    EXPECT(cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &s, 0, 0) == CUDA_OCC_ERROR_INVALID_INPUT);
    EXPECT(cudaOccMaxActiveBlocksPerMultiprocessor(nullptr, &p, &f, &s, 32, 0) ==
           CUDA_OCC_ERROR_INVALID_INPUT);
    EXPECT(cudaOccMaxActiveBlocksPerMultiprocessor(&r, nullptr, &f, &s, 32, 0) ==
           CUDA_OCC_ERROR_INVALID_INPUT);
    EXPECT(cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, nullptr, 32, 0) ==
           CUDA_OCC_ERROR_INVALID_INPUT);
    int grid = 0;
    EXPECT(cudaOccMaxPotentialOccupancyBlockSize(&grid, nullptr, &p, &f, &s) == CUDA_OCC_ERROR_INVALID_INPUT);
    std::size_t bytes = 0;
    EXPECT(cudaOccAvailableDynamicSMemPerBlock(&bytes, &p, &f, &s, 0, 32) == CUDA_OCC_ERROR_INVALID_INPUT);
    s.carveoutConfig = 101;
    EXPECT(code() == CUDA_OCC_ERROR_INVALID_INPUT);
    s.carveoutConfig = 100;
    f.numRegs = -1;
    EXPECT(code() == CUDA_OCC_ERROR_INVALID_INPUT);
    f.numRegs = 1;
    p.numSms = 0;
    EXPECT(code() == CUDA_OCC_ERROR_INVALID_INPUT);
    p.numSms = 1;
    EXPECT(code() == CUDA_OCC_SUCCESS);
    for (int const major : {-1, 2, 4, 13}) {
        p.computeMajor = major;
        EXPECT(code() == CUDA_OCC_ERROR_UNKNOWN_DEVICE);
        EXPECT(cudaOccMaxBlocksPerMultiprocessor(&blocks, &p) == CUDA_OCC_ERROR_UNKNOWN_DEVICE);
        EXPECT(cudaOccMaxPotentialOccupancyBlockSize(&grid, &grid, &p, &f, &s) ==
               CUDA_OCC_ERROR_UNKNOWN_DEVICE);
    }
}

} // namespace

int check_occupancy() {
    blocks_by_filling();
    best_block();
    memory_left();
    facts();
    single_cases();
    return failures;
}
