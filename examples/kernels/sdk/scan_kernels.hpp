#pragma once
/// \file
/// Exclusive prefix sums of arrays of any length, on the device: a CTA sums up 512 elements in a tree in shared
/// memory and hands its total on; totals are scanned in turn and added to what they precede. Used by scan.cu and
/// radix_sort.cu; launch_scan() of scan_host.hpp is the host's side.

#include "cuda.hpp"

enum { scan_threads = 256, scan_elements = 2 * scan_threads };

// An index with a word left out after each 16, so that strides of powers of two meet in few banks.
WARPKIT_DEVICE int scan_cell(int i) { return i + (i >> 4); }

// `totals` may be null.
extern "C" __global__ void scan_blocks(unsigned const* in, unsigned* out, unsigned* totals, int n) {
    __shared__ unsigned cell[scan_elements + (scan_elements >> 4)];
    int const t = threadIdx.x;
    int const first = blockIdx.x * scan_elements + t;
    cell[scan_cell(t)] = first < n ? in[first] : 0;
    cell[scan_cell(t + scan_threads)] = first + scan_threads < n ? in[first + scan_threads] : 0;
    int stride = 1;
    for (int pairs = scan_threads; pairs > 0; pairs /= 2) { // up the tree
        __syncthreads();
        if (t < pairs) {
            int const left = stride * (2 * t + 1) - 1;
            cell[scan_cell(left + stride)] += cell[scan_cell(left)];
        }
        stride *= 2;
    }
    if (t == 0) {
        int const last = scan_cell(scan_elements - 1);
        if (totals) totals[blockIdx.x] = cell[last];
        cell[last] = 0;
    }
    for (int pairs = 1; pairs <= scan_threads; pairs *= 2) { // and down
        stride /= 2;
        __syncthreads();
        if (t < pairs) {
            int const left = stride * (2 * t + 1) - 1;
            unsigned const sum = cell[scan_cell(left)];
            cell[scan_cell(left)] = cell[scan_cell(left + stride)];
            cell[scan_cell(left + stride)] += sum;
        }
    }
    __syncthreads();
    if (first < n) out[first] = cell[scan_cell(t)];
    if (first + scan_threads < n) out[first + scan_threads] = cell[scan_cell(t + scan_threads)];
}

extern "C" __global__ void scan_add(unsigned* data, unsigned const* before, int n) {
    __shared__ unsigned sum;
    if (threadIdx.x == 0) sum = before[blockIdx.x];
    __syncthreads();
    int const first = blockIdx.x * scan_elements + threadIdx.x;
    if (first < n) data[first] += sum;
    if (first + scan_threads < n) data[first + scan_threads] += sum;
}
