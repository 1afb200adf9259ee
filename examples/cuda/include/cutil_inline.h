/* A name that programs include; what it declares is in cutil.h. */
#include "cutil.h"
