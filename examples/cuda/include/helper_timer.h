/* Stop watches of the host. */
#ifndef WARPKIT_CUDA_HELPER_TIMER_H
#define WARPKIT_CUDA_HELPER_TIMER_H

#include <sys/time.h>

struct StopWatchInterface {
    double started, total;
    int sessions;
    bool running;
};
static inline double warpkit_cuda_milliseconds() {
    struct timeval t;
    gettimeofday(&t, 0);
    return 1000.0 * (double)t.tv_sec + 0.001 * (double)t.tv_usec;
}
static inline bool sdkCreateTimer(StopWatchInterface** timer) {
    StopWatchInterface const fresh = {0, 0, 0, false};
    *timer = new StopWatchInterface(fresh);
    return true;
}
static inline bool sdkDeleteTimer(StopWatchInterface** timer) {
    delete *timer;
    *timer = 0;
    return true;
}
static inline bool sdkStartTimer(StopWatchInterface** timer) {
    (*timer)->started = warpkit_cuda_milliseconds();
    (*timer)->running = true;
    return true;
}
static inline bool sdkStopTimer(StopWatchInterface** timer) {
    (*timer)->total += warpkit_cuda_milliseconds() - (*timer)->started;
    (*timer)->running = false;
    ++(*timer)->sessions;
    return true;
}
static inline bool sdkResetTimer(StopWatchInterface** timer) {
    (*timer)->total = 0;
    (*timer)->sessions = 0;
    (*timer)->started = warpkit_cuda_milliseconds();
    return true;
}
static inline float sdkGetTimerValue(StopWatchInterface** timer) {
    StopWatchInterface const& t = **timer;
    return (float)(t.total + (t.running ? warpkit_cuda_milliseconds() - t.started : 0.0));
}
static inline float sdkGetAverageTimerValue(StopWatchInterface** timer) {
    return (*timer)->sessions == 0 ? 0.0f : (float)((*timer)->total / (*timer)->sessions);
}

#endif
