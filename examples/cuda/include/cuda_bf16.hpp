/* A name that programs include; what it declares is in cuda_bf16.h. */
#include "cuda_bf16.h"
