#pragma once
/// \file
/// The grouping step of the MapReduce programs on the device: a bitonic sort in global memory, one launch per step.

extern "C" __global__ void bitonic_step(unsigned long long* keys, int distance, int run) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    int const other = i ^ distance;
    if (other <= i) return;
    unsigned long long const a = keys[i], b = keys[other];
    bool const ascending = (i & run) == 0;
    if ((a > b) == ascending) {
        keys[i] = b;
        keys[other] = a;
    }
}
