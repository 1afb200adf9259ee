/* A name that programs include; what it declares is in cuda_fp6.h. */
#include "cuda_fp6.h"
