#include "gpu/machines.hpp"

WARPKIT_GPU_TEST_MEMORY(, fermi_lrr)
WARPKIT_GPU_TEST_MEMORY(, fermi_v3)
WARPKIT_GPU_TEST_MEMORY(, random_two_level)
WARPKIT_GPU_TEST_MEMORY(, random_limited)
#ifdef WARPKIT_EVERY_TURN
WARPKIT_GPU_TEST_MEMORY(, random_gto)
#endif
