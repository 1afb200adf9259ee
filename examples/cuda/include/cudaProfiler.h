/* A name that programs include; what it declares is in cuda.h. */
#include "cuda.h"
