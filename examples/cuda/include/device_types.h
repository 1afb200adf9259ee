/* A name that programs include; what it declares is in driver_types.h. */
#include "driver_types.h"
