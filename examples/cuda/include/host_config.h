/* A name that programs include; there is nothing to configure. */
#include "host_defines.h"
