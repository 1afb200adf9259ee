#pragma once
/// \file
/// Host threads that wait for work together.
///
/// The reference has no threads.

#include <warpkit/base/host_line.hpp>
#include <warpkit/gpu/threads/sharing_backoff.hpp>
#include <warpkit/gpu/threads/spin.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <sched.h>
#include <thread>
#include <utility>
#include <vector>

namespace warpkit {

/// How many host cores this process may run on.
inline unsigned host_cores() noexcept {
#if defined(__linux__)
    cpu_set_t set[8]; // of 1024 each
    if (sched_getaffinity(0, sizeof set, set) == 0)
        return static_cast<unsigned>(std::max(1, CPU_COUNT_S(sizeof set, set)));
#endif
    return std::max(1U, std::thread::hardware_concurrency());
}

/// What a pool does that is told to have more threads than there are host cores for them.
enum class beyond_cores { none, as_told };

/// Several threads, of which the caller is one. One without work spins for some microseconds, and then sleeps until it
/// is called.
///
/// Neither copied nor moved; one caller at a time.
class worker_pool {
public:
    using spin = warpkit::spin;

    /// `threads` in all, the caller's included; 0: as many as there are host cores that this process may run on. More
    /// than those only if `beyond` says so: threads that take turns on a host core are slower than one.
    explicit worker_pool(unsigned threads = 1, beyond_cores beyond = beyond_cores::none)
        : threads_(number_of(threads, beyond)),
          helper_(threads_) {
        helpers_.reserve(threads_ - 1);
        try {
            for (unsigned t = 1; t < threads_; ++t) helpers_.emplace_back([this, t] { help(t); });
        } catch (...) {
            dismiss();
            throw;
        }
    }
    worker_pool(worker_pool const&) = delete;
    worker_pool& operator=(worker_pool const&) = delete;
    ~worker_pool() { dismiss(); }

    unsigned threads() const noexcept { return threads_; }

    /// Whether it pays at present to use more than one of them: across kernels, since what the host does goes on.
    sharing_backoff& backoff() noexcept { return backoff_; }

    /// Calls f(0) here and f(1) to f(count - 1) on other threads, and returns when all have returned: for how many
    /// nanoseconds this thread was held up by others in the end. Precondition: count is at most threads(). The first
    /// exception that one of them throws is thrown again here.
    template <class F>
    std::uint64_t together(unsigned count, F&& f) {
        auto* const object = &f;
        call_ = [](void* o, unsigned t) { (*static_cast<decltype(object)>(o))(t); };
        object_ = object;
        if (count > 1) {
            ++number_;
            at_work_.store(count - 1, std::memory_order_relaxed);
            for (unsigned t = 1; t < count; ++t) {
                helper_[t].called.store(number_);
                helper_[t].bed.wake();
            }
        }
        carry_out(0);
        auto const done = [this] { return at_work_.load(std::memory_order_acquire) == 0; };
        spin s;
        for (; count > 1 && !done(); s.pause())
            if (s.long_since()) caller_.sleep_unless(done);
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
        return s.held_up();
    }

private:
    struct alignas(host_line) helper {
        std::atomic<std::uint64_t> called{0}; ///< the number of its last call
        sleeper bed;
    };

    static unsigned number_of(unsigned threads, beyond_cores beyond) noexcept {
        auto const cores = host_cores();
        return threads == 0 || (threads > cores && beyond == beyond_cores::none) ? cores : threads;
    }

    void carry_out(unsigned t) noexcept {
        try {
            call_(object_, t);
        } catch (...) {
            std::lock_guard const guard(failing_);
            if (!failure_) failure_ = std::current_exception();
        }
    }
    void help(unsigned t) {
        auto& me = helper_[t];
        std::uint64_t answered = 0;
        while (true) {
            auto const called = [&] {
                return me.called.load(std::memory_order_acquire) != answered || dismissed_.load();
            };
            for (spin s; !called(); s.pause())
                if (s.long_since()) me.bed.sleep_unless(called);
            if (dismissed_.load()) return;
            answered = me.called.load(std::memory_order_acquire);
            carry_out(t);
            if (at_work_.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
            sleeper::settle();
            caller_.wake();
        }
    }
    void dismiss() noexcept {
        dismissed_.store(true);
        sleeper::settle();
        for (auto& h : helper_) h.bed.wake();
        for (auto& h : helpers_) h.join();
        helpers_.clear();
    }

    unsigned threads_ = 1;
    void (*call_)(void*, unsigned) = nullptr;
    void* object_ = nullptr;
    std::uint64_t number_ = 0;   ///< calls so far
    std::vector<helper> helper_; ///< by thread; nobody is the first
    alignas(host_line) std::atomic<unsigned> at_work_{0};
    sleeper caller_;
    std::atomic<bool> dismissed_{false};
    sharing_backoff backoff_;
    std::mutex failing_;
    std::exception_ptr failure_;
    std::vector<std::thread> helpers_;
};

} // namespace warpkit
