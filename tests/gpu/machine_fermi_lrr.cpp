#include "gpu/machines.hpp"

template class warpkit::gpu<warpkit::gpu_test::fermi_lrr>;
