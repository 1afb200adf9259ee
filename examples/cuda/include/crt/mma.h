/* A name that programs include; what it declares is in mma.h. */
#include "../mma.h"
