/* A name that programs include; what it declares is in nvToolsExt.h. */
#include "../nvToolsExt.h"
