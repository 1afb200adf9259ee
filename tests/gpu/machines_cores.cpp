#include "gpu/machines.hpp"

WARPKIT_GPU_TEST_CORES(, fermi_lrr)
WARPKIT_GPU_TEST_CORES(, fermi_v3)
WARPKIT_GPU_TEST_CORES(, random_lrr)
WARPKIT_GPU_TEST_CORES(, random_two_level)
WARPKIT_GPU_TEST_CORES(, random_limited)
#ifdef WARPKIT_EVERY_TURN
WARPKIT_GPU_TEST_CORES(, random_gto)
#endif
