// Cores that run for less long than it takes to optimise them.
#include "gpu/machines.hpp"

WARPKIT_GPU_TEST_CORES(, least_asking)
WARPKIT_GPU_TEST_CORES(, least_throttling)
