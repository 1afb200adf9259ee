/* A name that programs include; what it declares is in host_config.h. */
#include "../host_config.h"
