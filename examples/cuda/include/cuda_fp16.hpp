/* A name that programs include; what it declares is in cuda_fp16.h. */
#include "cuda_fp16.h"
