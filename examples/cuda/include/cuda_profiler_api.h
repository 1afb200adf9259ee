/* A name that programs include; what it declares is in cuda_runtime_api.h. */
#include "cuda_runtime_api.h"
