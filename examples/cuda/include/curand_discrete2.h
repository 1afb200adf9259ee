/* A name that programs include; what it declares is in curand_kernel.h. */
#include "curand_kernel.h"
