/* A name that programs include; what it declares is in cuda_fp4.h. */
#include "cuda_fp4.h"
