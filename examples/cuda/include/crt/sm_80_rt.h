/* A name that programs include; what it declares is in cuda_runtime.h. */
#include "../cuda_runtime.h"
