/* A name that programs include. */
#include "cusparse.h"
