/* The device's mathematical functions, with errors within those that the CUDA C++ Programming Guide promises. The methods
 * are textbook ones (Muller et al., Handbook of Floating-Point Arithmetic; Payne and Hanek 1983); the polynomials
 * without an obvious series were fitted for this header with the Remez algorithm. */
#ifndef WARPKIT_CUDA_DEVICE_MATH_H
#define WARPKIT_CUDA_DEVICE_MATH_H

#include "math_basic.h"

#include "math_float.h"

#include "math_double.h"

#include "math_special.h"

#include "math_overloads.h"

#endif
