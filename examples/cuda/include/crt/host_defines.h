/* A name that programs include; what it declares is in host_defines.h. */
#include "../host_defines.h"
