#pragma once
/// \file
/// Waiting for another host thread that is expected soon.

#include <sched.h>

namespace warpkit {

/// How one waits in a loop: at first at once again, then with the processor's pauses between, in the end letting others run.
class spin {
public:
    void pause() noexcept {
        if (++times_ < at_once_) return;
        if (long_since()) {
            sched_yield();
            return;
        }
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
    }
    /// Once, when it did not come at once.
    bool just_begun() const noexcept { return times_ == begun_; }
    /// After some hundred microseconds.
    bool long_since() const noexcept { return times_ >= with_pauses_; }
    /// After some more, in which nobody else wanted to run.
    bool very_long_since() const noexcept { return times_ >= with_pauses_ + with_yields_; }

private:
    static constexpr unsigned begun_ = 16;
    static constexpr unsigned at_once_ = 64;
    static constexpr unsigned with_pauses_ = 4'000;
    static constexpr unsigned with_yields_ = 200;
    unsigned times_ = 0;
};

} // namespace warpkit
