#pragma once
/// \file
/// Host threads that share the components of a window (DESIGN 4). Since no component sees what another does in the same
/// window, who advances which, and when, cannot be told from the result.

#include <warpkit/gpu/in_turn.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace warpkit {

/// As in_turn (gpu/in_turn.hpp), but on several threads, of which the caller is one. Each has its own share of the
/// components, the same in every window, so that their state stays in its host core's cache. A thread that is late, or
/// held up by the host, finds its share done by the caller. One without work spins for some fifty microseconds, then
/// yields, and after some more sleeps until it is called.
///
/// Neither copied nor moved; one caller at a time.
class worker_pool {
public:
    /// `threads` in all, the caller's included; 0: as many as the host has.
    explicit worker_pool(unsigned threads = 1)
        : threads_(threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency())),
          share_(threads_) {
        helpers_.reserve(threads_ - 1);
        try {
            for (unsigned i = 1; i < threads_; ++i) helpers_.emplace_back([this, i] { help(i); });
        } catch (...) {
            dismiss();
            throw;
        }
    }
    worker_pool(worker_pool const&) = delete;
    worker_pool& operator=(worker_pool const&) = delete;
    ~worker_pool() { dismiss(); }

    unsigned threads() const noexcept { return threads_; }

    /// As in_turn, but in no order; f must not touch what another call touches. The first exception thrown by a call
    /// is thrown again here, when all are done.
    template <class F>
    unsigned operator()(unsigned count, unsigned likely, F&& f) {
        if (threads_ == 1 || likely < worth_sharing_) return in_turn{}(count, likely, f);
        auto* const object = &f;
        call_ = [](void* o, unsigned i) { return static_cast<bool>((*static_cast<decltype(object)>(o))(i)); };
        object_ = object;
        result_.store(0, std::memory_order_relaxed);
        ++call_number_;
        for (unsigned t = 0; t < threads_; ++t)
            share_[t].left.store(std::uint64_t{call_number_} << 32 | share_of(t, count));
        if (sleeping_.load() != 0) {
            called_.store(call_number_);
            called_.notify_all();
        }
        take(0);
        auto result = result_.load(std::memory_order_acquire);
        for (unsigned spins = 0; (result & 0xffffffff) != count; ++spins) {
            if (spins == spins_before_help_)
                for (unsigned t = 1; t < threads_; ++t) take(t);
            pause(spins);
            result = result_.load(std::memory_order_acquire);
        }
        if (failed_.load(std::memory_order_relaxed)) {
            failed_.store(false, std::memory_order_relaxed);
            std::rethrow_exception(std::exchange(failure_, nullptr));
        }
        return static_cast<unsigned>(result >> 32);
    }

private:
    /// With fewer components than this at work, calling others costs more than they can do.
    static constexpr unsigned worth_sharing_ = 6;
    static constexpr unsigned spins_before_help_ = 400;
    static constexpr unsigned spins_before_yield_ = 4'000;
    static constexpr unsigned spins_before_sleep_ = 4'200;

    /// The components of one thread: above, the number of the call; below, how many of them are still to be taken.
    struct alignas(64) share {
        std::atomic<std::uint64_t> left{0};
    };
    // Components go round in groups: neighbours lie on common lines of the host's cache.
    static constexpr unsigned group_ = 4;
    /// The k-th component of thread t.
    unsigned component(unsigned t, unsigned k) const noexcept {
        return (k / group_ * threads_ + t) * group_ + k % group_;
    }
    /// How many of `count` are thread t's.
    unsigned share_of(unsigned t, unsigned count) const noexcept {
        auto const round = group_ * threads_;
        auto const rest = count % round;
        auto const before = t * group_;
        return count / round * group_ + (rest <= before           ? 0
                                         : rest - before < group_ ? rest - before
                                                                  : group_);
    }
    static void pause(unsigned spins) noexcept {
        if (spins >= spins_before_yield_) {
            std::this_thread::yield();
            return;
        }
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
    }
    /// Takes components of thread `whose` until none is left.
    void take(unsigned whose) {
        std::uint64_t done = 0;
        auto& left = share_[whose].left;
        auto l = left.load(std::memory_order_acquire);
        while ((l & 0xffffffff) != 0) {
            if (!left.compare_exchange_weak(l, l - 1, std::memory_order_acq_rel)) continue;
            // Having taken one, this thread is waited for: the call cannot be another one any more.
            try {
                auto const c = component(whose, static_cast<unsigned>(l & 0xffffffff) - 1);
                done += std::uint64_t{call_(object_, c)} << 32;
            } catch (...) {
                std::lock_guard const guard(failure_lock_);
                if (!failed_.exchange(true, std::memory_order_relaxed)) failure_ = std::current_exception();
            }
            ++done;
            l = left.load(std::memory_order_acquire);
        }
        if (done != 0) result_.fetch_add(done, std::memory_order_release);
    }
    bool any_left(unsigned own) const noexcept {
        return (share_[own].left.load(std::memory_order_acquire) & 0xffffffff) != 0;
    }
    void help(unsigned own) {
        unsigned spins = 0;
        while (!dismissed_.load(std::memory_order_relaxed)) {
            if (any_left(own)) {
                take(own);
                spins = 0;
            } else if (++spins < spins_before_sleep_) {
                pause(spins);
            } else {
                auto const seen = called_.load();
                sleeping_.fetch_add(1);
                if (!any_left(own) && !dismissed_.load()) called_.wait(seen);
                sleeping_.fetch_sub(1);
                spins = 0;
            }
        }
    }
    void dismiss() noexcept {
        dismissed_.store(true);
        called_.fetch_add(1);
        called_.notify_all();
        for (auto& h : helpers_) h.join();
        helpers_.clear();
    }

    unsigned threads_ = 1;
    bool (*call_)(void*, unsigned) = nullptr;
    void* object_ = nullptr;
    std::uint32_t call_number_ = 0;
    std::vector<share> share_;
    alignas(64) std::atomic<std::uint64_t> result_{
        0}; ///< calls done, and above them calls that answered true
    alignas(64) std::atomic<std::uint32_t> called_{0}; ///< changes when who sleeps shall wake
    std::atomic<unsigned> sleeping_{0};
    std::atomic<bool> dismissed_{false};
    std::atomic<bool> failed_{false};
    std::mutex failure_lock_;
    std::exception_ptr failure_;
    std::vector<std::thread> helpers_;
};

} // namespace warpkit
