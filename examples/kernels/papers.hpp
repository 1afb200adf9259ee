#pragma once
/// \file
/// What the papers' tables say about the applications that the workloads stand for.

#include <cstdint>
#include <string_view>

namespace warpkit::kernels {

/// A row of OWL's Table 2 (Jog et al., ASPLOS 2013).
struct owl_row {
    std::string_view suite;
    std::string_view application;
    std::string_view label;
    std::uint16_t perfect_memory; ///< PMEM: speed when everything hits in the L1, in hundredths
    std::uint8_t inactive;        ///< CINV: share of the cycles in which a core issues nothing, in %

    /// Type-1: 1.4 times as fast with perfect memory, or more.
    constexpr bool memory_bound() const noexcept { return perfect_memory >= 140; }
};

inline constexpr owl_row owl_table_2[] = {
    {"Parboil", "Sum of Abs. Differences", "SAD", 639, 91},
    {"MapReduce", "PageViewCount", "PVC", 499, 93},
    {"MapReduce", "SimilarityScore", "SSC", 460, 85},
    {"CUDA SDK", "Breadth First Search", "BFS", 277, 81},
    {"CUDA SDK", "MUMerGPU", "MUM", 266, 72},
    {"Rodinia", "CFD Solver", "CFD", 246, 66},
    {"Rodinia", "Kmeans Clustering", "KMN", 243, 65},
    {"CUDA SDK", "Scalar Product", "SCP", 237, 58},
    {"CUDA SDK", "Fast Walsh Transform", "FWT", 229, 58},
    {"MapReduce", "InvertedIndex", "IIX", 229, 65},
    {"Parboil", "Sparse-Matrix-Mul.", "SPMV", 219, 65},
    {"3rd Party", "JPEG Decoding", "JPEG", 212, 54},
    {"Rodinia", "Breadth First Search", "BFSR", 209, 64},
    {"Rodinia", "Streamcluster", "SC", 194, 52},
    {"Parboil", "FFT Algorithm", "FFT", 156, 37},
    {"Rodinia", "SRAD2", "SD2", 153, 36},
    {"CUDA SDK", "Weather Prediction", "WP", 150, 54},
    {"MapReduce", "PageViewRank", "PVR", 141, 46},
    {"Rodinia", "Backpropagation", "BP", 140, 33},
    {"CUDA SDK", "Separable Convolution", "CON", 123, 20},
    {"CUDA SDK", "AES Cryptography", "AES", 123, 51},
    {"Rodinia", "SRAD1", "SD1", 117, 20},
    {"CUDA SDK", "Blackscholes", "BLK", 116, 17},
    {"Rodinia", "HotSpot", "HS", 115, 21},
    {"CUDA SDK", "Scan of Large Arrays", "SLA", 113, 17},
    {"3rd Party", "Denoise", "DN", 112, 22},
    {"CUDA SDK", "3D Laplace Solver", "LPS", 110, 12},
    {"CUDA SDK", "Neural Network", "NN", 110, 13},
    {"Rodinia", "Particle Filter (Native)", "PFN", 108, 10},
    {"Rodinia", "Leukocyte", "LYTE", 108, 15},
    {"Rodinia", "LU Decomposition", "LUD", 105, 64},
    {"Parboil", "Matrix Multiplication", "MM", 104, 4},
    {"CUDA SDK", "StoreGPU", "STO", 102, 3},
    {"CUDA SDK", "Coulombic Potential", "CP", 101, 4},
    {"CUDA SDK", "N-Queens Solver", "NQU", 101, 95},
    {"Parboil", "Distance-Cutoff CP", "CUTP", 101, 2},
    {"Rodinia", "Heartwall", "HW", 101, 9},
    {"Parboil", "Angular Correlation", "TPAF", 101, 6},
};

/// A row of ELF's Table 2 (Park, Park and Mahlke, SC 2015): one kernel.
struct elf_row {
    std::string_view application;
    std::string_view label;
    std::string_view kernel;
    std::uint8_t points; ///< PP: program points before merging
};

inline constexpr elf_row elf_table_2[] = {
    {"Breadth First Search", "BFS", "Kernel", 9},
    {"Breadth First Search", "BFS", "Kernel2", 1},
    {"Back Propagation", "BP", "bpnn_layerforward", 2},
    {"Back Propagation", "BP", "bpnn_adjust_weights", 12},
    {"BlackScholes", "BS", "BlackScholesGPU", 4},
    {"B+ Tree", "BT", "findRangeK", 22},
    {"B+ Tree", "BT", "findK", 13},
    {"Coulombic Potential", "CP", "cenergy", 3},
    {"3D Finite-Difference Time-Domain", "FDTD", "FiniteDifferences", 60},
    {"Histogram", "HIST", "prescan_kernel", 7},
    {"Histogram", "HIST", "intermediates_kernel", 16},
    {"Histogram", "HIST", "main_kernel", 15},
    {"Histogram", "HIST", "final_kernel", 20},
    {"HotSpot", "HS", "calculate_temp", 2},
    {"Heart Wall", "HW", "kernel", 94},
    {"Kmeans", "KM", "invert_mapping", 2},
    {"Kmeans", "KM", "kmeansPoint", 3},
    {"Laplace-Boltzmann Method", "LBM", "performStrideCollide", 20},
    {"Leukocyte Tracking", "LC", "GICOV_kernel", 4},
    {"Leukocyte Tracking", "LC", "dilate_kernel", 3},
    {"Leukocyte Tracking", "LC", "IMGVF_kernel", 10},
    {"LavaMD", "LMD", "kernel_gpu_cuda", 23},
    {"3D Laplace", "LPS", "GPU_laplace3d", 5},
    {"LU Decomposition", "LUD", "lud_diagonal", 16},
    {"LU Decomposition", "LUD", "lud_perimeter", 48},
    {"LU Decomposition", "LUD", "lud_internal", 3},
    {"Magnetic Resonance Imaging", "MRIQ", "ComputeQ", 5},
    {"Magnetic Resonance Imaging", "MRIQ", "ComputePhiMag", 2},
    {"MUMmerGPU", "MUM", "mummergpuKernel", 9},
    {"MUMmerGPU", "MUM", "printKernel", 12},
    {"Needleman Wunsch", "NW", "needle_cuda_shared_1", 19},
    {"Needleman Wunsch", "NW", "needle_cuda_shared_2", 19},
    {"Particle Filter", "PF", "likelihood", 22},
    {"Particle Filter", "PF", "sum", 2},
    {"Particle Filter", "PF", "normalize_weight", 8},
    {"Particle Filter", "PF", "find_index", 5},
    {"RadixSort", "RS", "radixSortBlocks", 2},
    {"RadixSort", "RS", "findRadixOffsets", 1},
    {"RadixSort", "RS", "reorderData", 4},
    {"Matrix Multiply", "SGEMM", "mysgemmNT", 20},
    {"Speckle Reducing Anisotropic Diffusion", "SRAD", "srad_cuda_1", 9},
    {"Speckle Reducing Anisotropic Diffusion", "SRAD", "srad_cuda_2", 10},
    {"Stencil", "ST", "hybrid_coarsen_x", 13},
    {"Sparse Matrix Vector Multiply", "SpMV", "spmv_jds", 11},
    {"Two Point Angular Corr. Function", "TPACF", "gen_hists", 8},
};

/// An application of the thesis on multithreading degree (2014): Tables 1 and 2.
struct degree_row {
    std::uint8_t table;
    std::string_view label;
    std::uint32_t kilobytes; ///< of data
};

inline constexpr degree_row degree_tables[] = {
    {1, "bfs", 2600},        {1, "sta", 3000},     {1, "gsim", 3500},    {1, "nbf", 6300},
    {1, "moldyn", 10200},    {1, "irreg", 6300},   {1, "euler", 8500},   {1, "unstructured", 10200},
    {2, "BFS", 3700},        {2, "Gaussian", 192}, {2, "Hotspot", 5100}, {2, "Needleman-Wunsch", 4000},
    {2, "Pathfinder", 9500}, {2, "Srad_v2", 4000},
};

/// An application of Table 4.2 of the thesis on locality-aware address pre-computation (2016).
struct precomputation_row {
    std::string_view application;
    std::string_view label;
    std::uint32_t launches;
    std::uint32_t ctas; ///< of all launches
};

inline constexpr precomputation_row precomputation_table[] = {
    {"Hotspot", "HS", 1, 7396},
    {"Back Propagation", "BP", 2, 8192},
    {"LU Decomposition", "LUD", 223, 140675},
    {"Nearest Neighbor", "NN", 1, 5120},
    {"Needleman-Wunsch", "NW", 511, 65536},
    {"Speckle Reducing Anisotropic Diffusion", "SRAD", 4, 65536},
    {"Gaussian Elimination", "GAUSSIAN", 1022, 525308},
    {"Separable Convolution filter", "CONV", 34, 52224},
    {"Transpose", "TRAN", 24, 98304},
    {"Histogram", "HIS", 8, 9860},
    {"Gabor filters", "Gabor", 68, 49017},
    {"Scale-invariant feature transform", "SIFT", 2, 263164},
};

/// The tables above.
enum class paper : std::uint8_t { owl, elf, degree, precomputation };

/// Says that a workload, or one of its kernels, stands for a row of a paper's table.
struct paper_row {
    paper in;
    std::string_view label;
    std::string_view kernel = {}; ///< of ELF's: the row's kernel
    std::string_view ours = {};   ///< of ELF's: the kernel here that stands for it
};

} // namespace warpkit::kernels
