/* A name that programs include; what it declares is in cooperative_groups.h. */
#include "../cooperative_groups.h"
