#pragma once
/// \file
/// What executors on several host threads that run the CTAs of one launch share: which of them nobody has begun, whose
/// fault ends the launch, and whether anybody still gets on.

#include <warpkit/base/standard.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace warpkit::ptx {

/// Of one launch; its executors must not outlive it. What is taken are the launch's clusters by their numbers, which
/// are its CTAs where a cluster has one. Every function may be called by several threads at once.
///
/// A CTA that another thread's CTA keeps waiting executes as many instructions as that takes. So one that has come to
/// its limit of instructions is at fault only when, since a CTA of any thread ended last, every other thread that still
/// runs has come to its limit, too.
class shared_launch {
public:
    /// What an executor throws whose CTAs are not needed any more, since another one's fault ends the launch.
    struct abandoned {};
    /// The launch's number of no CTA.
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

    /// How long an executor has gone without any CTA of the launch ending.
    class patience {
        friend shared_launch;
        std::uint64_t since_ = 0; ///< CTAs that had ended then
        bool over_ = false;       ///< it has come to its limit since
    };

    /// Of so many clusters, by one thread now and at most `threads`.
    shared_launch(std::uint64_t clusters, unsigned threads) : clusters_(clusters), threads_(threads) {}
    shared_launch(shared_launch const&) = delete;
    shared_launch& operator=(shared_launch const&) = delete;

    /// At most.
    unsigned threads() const noexcept { return threads_; }
    /// One more will take part, and then call thread_ended().
    void thread_begins() {
        std::lock_guard const guard(mutex_);
        ++running_;
    }

    /// The lowest that nobody has begun, into `number`; false where there is none, or the launch ends by a fault.
    bool take(std::uint64_t& number) noexcept {
        if (failed() || !any_left()) return false;
        number = next_.fetch_add(1, std::memory_order_acq_rel);
        return number < clusters_;
    }
    bool any_left() const noexcept { return next_.load(std::memory_order_acquire) < clusters_; }

    void cta_ended() {
        std::lock_guard const guard(mutex_);
        ++ended_;
        at_limit_ = 0;
        lowest_at_limit_ = none;
    }
    /// CTAs that have ended.
    std::uint64_t ended() const {
        std::lock_guard const guard(mutex_);
        return ended_;
    }
    /// This thread runs no CTA any more.
    void thread_ended() {
        std::lock_guard const guard(mutex_);
        --running_;
    }

    /// A cluster has a fault, which ends the launch: that of the lowest number is kept.
    void fail(std::uint64_t number, std::exception_ptr fault) {
        std::lock_guard const guard(mutex_);
        if (fault_ && number >= failed_.load(std::memory_order_relaxed)) return;
        fault_ = std::move(fault);
        failed_.store(number, std::memory_order_release);
    }
    bool failed() const noexcept { return failed_.load(std::memory_order_acquire) != none; }
    /// Whether an executor is to leave its clusters, of which `lowest` is the first: when another one's fault is of a
    /// lower number, and when they seem to wait for what a fault may have kept from coming.
    bool should_leave(std::uint64_t lowest, bool seems_to_wait) const noexcept {
        auto const failed = failed_.load(std::memory_order_acquire);
        return failed != none &&
               (seems_to_wait || lowest > failed || hopeless_.load(std::memory_order_acquire));
    }
    /// Throws the fault that was kept, if there is one. All threads have ended.
    void rethrow() const {
        if (fault_) std::rethrow_exception(fault_);
    }

    /// A CTA begins whose thread will ask may_go_on().
    void begin(patience& p) {
        std::lock_guard const guard(mutex_);
        p.since_ = ended_;
        p.over_ = false;
    }
    /// Cluster `number` has come to its limit of instructions again, and `report` says so. False: so has every other
    /// thread that runs; `report` is then that of the lowest number. Throws `abandoned` where another's fault ends the
    /// launch.
    bool may_go_on(patience& p, std::uint64_t number, std::string& report) {
        if (failed()) throw abandoned{};
        std::lock_guard const guard(mutex_);
        if (p.since_ != ended_) {
            p.since_ = ended_;
            p.over_ = false;
            return true;
        }
        if (!p.over_) ++at_limit_;
        p.over_ = true;
        if (number < lowest_at_limit_) {
            lowest_at_limit_ = number;
            report_ = report;
        }
        if (at_limit_ < running_) return true;
        report = report_;
        hopeless_.store(true, std::memory_order_release);
        return false;
    }
    /// Another thread may go first on this host core.
    static void yield() noexcept { std::this_thread::yield(); }

private:
    std::uint64_t const clusters_;
    unsigned const threads_;
    std::atomic<std::uint64_t> next_{0};
    std::atomic<std::uint64_t> failed_{none}; ///< the number with the fault that is kept
    std::atomic<bool> hopeless_{false};       ///< nobody gets on
    mutable std::mutex mutex_;                ///< of all below
    unsigned running_ = 1;                    ///< threads
    unsigned at_limit_ = 0;                   ///< of them, since a CTA ended last
    std::uint64_t ended_ = 0;                 ///< CTAs
    std::uint64_t lowest_at_limit_ = none;
    std::string report_; ///< of that one
    std::exception_ptr fault_;
};

} // namespace warpkit::ptx
