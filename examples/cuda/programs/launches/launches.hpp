#pragma once

struct five {
    int n[5];
};
__global__ void add(int* p, five what, char more);
template <class T>
__global__ void fill(T* p, T value) {
    p[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
