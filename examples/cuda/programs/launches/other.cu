// A kernel that threads of another source file launch.
#include "launches.hpp"

__global__ void add(int* p, five what, char more) { p[threadIdx.x] += what.n[threadIdx.x % 5] + more; }
