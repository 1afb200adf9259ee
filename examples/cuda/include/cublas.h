/* A name that programs include. */
#include "cublas_v2.h"
