#pragma once

// In every file that includes this: a table and a function of their own.
static __device__ int table[] = {40, 60};
static __device__ inline int offset() { return table[0] + table[1]; }

int run_other(int* p);
void set_scale(int s);
