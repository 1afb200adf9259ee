/* A name that programs include; what it declares is in cuda_fp8.h. */
#include "cuda_fp8.h"
