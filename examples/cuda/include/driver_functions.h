/* A name that programs include; what it declares is in driver_types.h. */
#include "cuda_runtime_api.h"
