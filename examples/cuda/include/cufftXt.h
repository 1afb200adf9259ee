/* A name that programs include. */
#include "cufft.h"
