/* The helpers together, and comparison with a reference. */
#ifndef WARPKIT_CUDA_HELPER_FUNCTIONS_H
#define WARPKIT_CUDA_HELPER_FUNCTIONS_H

#include "helper_string.h"
#include "helper_timer.h"

#include <math.h>

/* Whether the distance of two vectors is below epsilon times the length of the first. */
static inline bool sdkCompareL2fe(float const* reference, float const* data, unsigned int count,
                                  float epsilon) {
    double distance = 0, length = 0;
    for (unsigned int i = 0; i < count; ++i) {
        double const d = (double)reference[i] - (double)data[i];
        distance += d * d;
        length += (double)reference[i] * (double)reference[i];
    }
    return length > 0 && sqrt(distance / length) < (double)epsilon;
}

#endif
