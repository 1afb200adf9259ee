#pragma once
/// \file
/// Host threads that wait for work together.

#include <warpkit/base/host_line.hpp>
#include <warpkit/gpu/spin.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace warpkit {

/// Several threads, of which the caller is one. One without work spins for some hundred microseconds, then yields, and after
/// some more sleeps until it is called.
///
/// Neither copied nor moved; one caller at a time.
class worker_pool {
public:
    using spin = warpkit::spin;

    /// `threads` in all, the caller's included; 0: as many as the host has.
    explicit worker_pool(unsigned threads = 1)
        : threads_(threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency())),
          order_(threads_) {
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

    /// Calls f(0) here and f(1) to f(count - 1) on other threads, and returns when all have returned. Precondition: count is
    /// at most threads(). The first exception that one of them throws is thrown again here.
    template <class F>
    void together(unsigned count, F&& f) {
        auto* const object = &f;
        call_ = [](void* o, unsigned t) { (*static_cast<decltype(object)>(o))(t); };
        object_ = object;
        if (count > 1) {
            ++number_;
            at_work_.store(count - 1, std::memory_order_relaxed);
            for (unsigned t = 1; t < count; ++t) order_[t].number.store(number_);
            if (sleeping_.load() != 0) {
                called_.store(number_);
                called_.notify_all();
            }
        }
        carry_out(0);
        for (spin s; count > 1 && at_work_.load(std::memory_order_acquire) != 0;) s.pause();
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

private:
    /// The number of the last call of one thread.
    struct alignas(host_line) order {
        std::atomic<std::uint64_t> number{0};
    };

    void carry_out(unsigned t) noexcept {
        try {
            call_(object_, t);
        } catch (...) {
            std::lock_guard const guard(failing_);
            if (!failure_) failure_ = std::current_exception();
        }
    }
    void help(unsigned t) {
        auto const& number = order_[t].number;
        std::uint64_t done = 0;
        while (true) {
            spin s;
            while (number.load(std::memory_order_acquire) == done) {
                if (dismissed_.load()) return;
                s.pause();
                if (!s.very_long_since()) continue;
                auto const seen = called_.load();
                sleeping_.fetch_add(1);
                if (number.load() == done && !dismissed_.load()) called_.wait(seen);
                sleeping_.fetch_sub(1);
                s = {};
            }
            done = number.load(std::memory_order_acquire);
            carry_out(t);
            at_work_.fetch_sub(1, std::memory_order_release);
        }
    }
    void dismiss() noexcept {
        dismissed_.store(true);
        called_.store(~std::uint64_t{0});
        called_.notify_all();
        for (auto& h : helpers_) h.join();
        helpers_.clear();
    }

    unsigned threads_ = 1;
    void (*call_)(void*, unsigned) = nullptr;
    void* object_ = nullptr;
    std::uint64_t number_ = 0; ///< calls so far
    std::vector<order> order_;
    alignas(host_line) std::atomic<unsigned> at_work_{0};
    alignas(host_line) std::atomic<std::uint64_t> called_{0}; ///< changes when who sleeps shall wake
    std::atomic<unsigned> sleeping_{0};
    std::atomic<bool> dismissed_{false};
    std::mutex failing_;
    std::exception_ptr failure_;
    std::vector<std::thread> helpers_;
};

} // namespace warpkit
