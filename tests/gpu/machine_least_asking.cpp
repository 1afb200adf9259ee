#include "gpu/machines.hpp"

template class warpkit::gpu<warpkit::gpu_test::least_asking>;
