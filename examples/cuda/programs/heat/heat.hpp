#pragma once
// What the two source files of this program share.
#include <cuda_runtime.h>

// One step of the heat equation on a plate: each inner cell moves towards the mean of its four neighbours.
struct plate {
    int width;
    int height;
};

// Sets how fast, in a constant that all kernels of step.cu read.
cudaError_t set_speed(float speed);
cudaError_t launch_step(float const* from, float* to, plate size, cudaStream_t stream);
// The sum of all cells, by shuffles within warps and one atomic per warp.
cudaError_t launch_sum(float const* cells, int count, double* result, cudaStream_t stream);
