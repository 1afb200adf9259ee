// Exclusive prefix sums of an array of any length: see scan_kernels.hpp.
#include "sdk/scan_kernels.hpp"
