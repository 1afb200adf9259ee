#pragma once
/// \file
/// Waiting for another host thread: awake where it is expected at once, asleep where it does not come.
///
/// The reference has no threads.

#include <warpkit/base/host_line.hpp>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace warpkit {

/// (Not by std::chrono, which brings all of the standard library's streams: a third of a second of GCC 12.)
inline std::uint64_t host_nanoseconds() noexcept {
    std::timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

/// How one waits in a loop: at first at once again, then with the processor's pauses between. When it has taken long,
/// the other thread may well be waiting for this host core; who waits should sleep then.
class spin {
public:
    void pause() noexcept {
        if (++times_ < at_once_) return;
        if (times_ % between_looks_ == 0) look();
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
    }
    /// Once, when it did not come at once.
    bool just_begun() const noexcept { return times_ == begun_; }
    /// After `patience` nanoseconds: several switches of a host core from one thread to another.
    bool long_since() const noexcept { return long_since_; }
    /// Nanoseconds until now, from soon after it began; 0 unless it was long since.
    std::uint64_t held_up() const noexcept { return long_since_ ? host_nanoseconds() - begun_at_ : 0; }

    static constexpr std::uint64_t patience = 50'000;

private:
    void look() noexcept {
        auto const now = host_nanoseconds();
        if (begun_at_ == 0) begun_at_ = now;
        long_since_ = now - begun_at_ >= patience;
    }

    static constexpr unsigned begun_ = 16;
    static constexpr unsigned at_once_ = 64;
    static constexpr unsigned between_looks_ = 64;
    unsigned times_ = 0;
    bool long_since_ = false;
    std::uint64_t begun_at_ = 0; ///< by the host's clock; 0: not looked at
};

/// Where one thread sleeps until another wakes it.
///
/// Who tells something looks with wake() whether it is waited for. That look may come before what it told is seen by
/// the sleeper, who then sleeps on; so the teller calls settle() and wakes once more, at the latest before it waits
/// itself. What is told often then costs a read of a line of the host's cache that nobody writes, and no fence.
class alignas(host_line) sleeper {
public:
    /// Sleeps unless `done()`; woken, one has to look again.
    template <class Done>
    void sleep_unless(Done const& done) noexcept {
        asleep_.store(1);
        settle();
        if (!done()) asleep_.wait(1);
        asleep_.store(0, std::memory_order_relaxed);
    }
    void wake() noexcept {
        if (asleep_.load(std::memory_order_relaxed) != 0 && asleep_.exchange(0) != 0) asleep_.notify_one();
    }
    /// What this thread has told until now is there before it looks at anything else.
    static void settle() noexcept {
        __sync_synchronize();
    } // (which the thread sanitizer takes, unlike std's fence)

private:
    std::atomic<std::uint32_t> asleep_{0};
};

} // namespace warpkit
