#pragma once
/// \file
/// Where the dispatcher gets the streams of CTAs from: the launch, which executes a CTA when it is asked for its
/// streams.
///
/// In the reference: `gpu::dispatch` asks the launch itself (reference/gpu.hpp).

#include <warpkit/base/error.hpp>
#include <warpkit/gpu/threads/spin.hpp>
#include <warpkit/program/stream.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

namespace warpkit {

/// The streams of one grid. CTAs are executed in the order of dispatch. Where that is known beforehand, another thread
/// may execute some of them ahead: the streams are the same, and so is the order in which CTAs touch memory. A copy
/// supplies the same again; it is made while nobody executes ahead.
class cta_supply {
public:
    cta_supply() = default;
    /// `in_order`: CTA n is asked for as the n-th.
    cta_supply(kernel_launch const& launch, bool in_order) : launch_(launch), in_order_(in_order) {}

    /// Hands out the streams of a CTA, and takes room for others in exchange. Throws what executing it throws.
    void take(std::uint64_t cta, cta_stream& out) {
        auto const n = taken_.get();
        if (!in_order_) return execute(cta, out);
        if (cta != n)
            throw error({"the choice of block says that it keeps the order of CTAs, but sends CTA ", cta,
                         " as number ", n, "; correct its keeps_order()"});
        spin s;
        for (; executed_.get() == n; s.pause()) {
            if (s.long_since()) executing_.wait_while_claimed();
            turn const mine(executing_);
            if (!mine || executed_.get() != n) continue;
            if (failure_) std::rethrow_exception(failure_);
            execute(n, out);
            executed_.set(n + 1);
            taken_.set(n + 1);
            return;
        }
        if (s.long_since()) {
            held_up_ += s.held_up();
            ++hold_ups_;
        }
        std::swap(out, stream_[n % most_ahead_]);
        taken_.set(n + 1);
    }

    /// For checkpoints (machine/state_archive.hpp), of one that has the launch: how many CTAs were taken. Who loads
    /// that has executed these; those that were executed ahead come again.
    template <class F>
    void each_stored(F&& f) {
        auto taken = taken_.get();
        f(taken);
        if (taken == taken_.get()) return;
        taken_.set(taken);
        executed_.set(taken);
    }

    /// To be called before threads call execute_next().
    void make_room() {
        if (in_order_) stream_.resize(most_ahead_);
    }
    /// Executes the next CTA, if few are ready and nobody else is at it: what a thread may do that waits for others.
    void execute_next() noexcept { static_cast<void>(execute_next(few_ahead_)); }

    /// Whether a thread that has nothing more urgent to do should execute ahead: few CTAs are ready, and it takes
    /// longer than to hand the thread's other work over.
    bool wanting() const noexcept {
        return in_order_ && !failure_ && executed_.get() < launch_.ctas() &&
               executed_.get() - taken_.get() <= few_ahead_ && timed_ >= sample_ &&
               spent_ > worth_it_ * timed_;
    }
    /// To be called before some thread calls execute_ahead().
    void begin_ahead() {
        make_room();
        ahead_.set(1);
    }
    /// Executes CTAs until so many are ready as may be, while another thread takes them, unless that calls end_ahead().
    void execute_ahead() noexcept {
        while (executing_ahead() && execute_next(most_ahead_)) {}
        ahead_.set(0);
    }
    void end_ahead() noexcept { ahead_.set(0); }
    /// For how many nanoseconds, since it was asked last, take() waited for a thread that executed ahead, beyond twice
    /// what executing a CTA takes. While nobody executes ahead.
    std::uint64_t held_up() noexcept {
        auto const usual = timed_ == 0 ? 0 : std::exchange(hold_ups_, 0) * 2 * spent_ / timed_;
        auto const all = std::exchange(held_up_, 0);
        return all > usual ? all - usual : 0;
    }
    /// Whether execute_ahead() has not returned yet.
    bool executing_ahead() const noexcept { return ahead_.get() != 0; }

private:
    /// How many CTAs may be ready: their memory is that of so many resident ones.
    static constexpr std::uint64_t most_ahead_ = 32;
    static constexpr std::uint64_t few_ahead_ = 8;
    static constexpr unsigned sample_ = 4;           ///< CTAs whose execution tells how long it takes
    static constexpr std::uint64_t worth_it_ = 5000; ///< nanoseconds

    /// Written by one thread, read by another.
    class number {
    public:
        number() = default;
        number(number const& o) noexcept : value_(o.get()) {}
        number& operator=(number const& o) noexcept {
            set(o.get());
            return *this;
        }
        std::uint64_t get() const noexcept { return value_.load(std::memory_order_acquire); }
        void set(std::uint64_t n) noexcept { value_.store(n, std::memory_order_release); }
        /// Makes 1 of 0; whether it was 0.
        bool claim() noexcept { return value_.exchange(1, std::memory_order_acquire) == 0; }
        /// And back.
        void give_back() noexcept {
            value_.store(0);
            value_.notify_all();
        }
        void wait_while_claimed() const noexcept { value_.wait(1); }

    private:
        std::atomic<std::uint64_t> value_{0};
    };

    /// Whoever executes has the turn: one at a time.
    class turn {
    public:
        explicit turn(number& n) noexcept : of_(n), mine_(n.claim()) {}
        turn(turn const&) = delete;
        turn& operator=(turn const&) = delete;
        ~turn() {
            if (mine_) of_.give_back();
        }
        explicit operator bool() const noexcept { return mine_; }

    private:
        number& of_;
        bool mine_;
    };

    /// The next CTA, unless so many are ready; whether one was executed.
    bool execute_next(std::uint64_t most) noexcept {
        auto const enough = [&](std::uint64_t n) {
            return !in_order_ || n == launch_.ctas() || n - taken_.get() >= most;
        };
        if (enough(executed_.get())) return false;
        turn const mine(executing_);
        auto const n = executed_.get();
        if (!mine || enough(n) || failure_) return false;
        try {
            execute(n, stream_[n % most_ahead_]);
            executed_.set(n + 1);
            return true;
        } catch (...) {
            failure_ = std::current_exception(); // for who asks for that CTA
            return false;
        }
    }
    void execute(std::uint64_t cta, cta_stream& out) {
        out.reset(launch_.warps_per_cta());
        if (!in_order_ || timed_ == sample_) return launch_.fill(launch_.source, cta, out);
        auto const begin = host_nanoseconds();
        launch_.fill(launch_.source, cta, out);
        spent_ += host_nanoseconds() - begin;
        ++timed_;
    }

    kernel_launch launch_;
    bool in_order_ = false;
    number executed_; ///< CTAs
    number taken_;
    number executing_;               ///< 1 while some thread has the turn
    number ahead_;                   ///< 1 while a thread executes ahead
    std::vector<cta_stream> stream_; ///< of CTA n at n % most_ahead_, from `taken_` to before `executed_`
    std::exception_ptr failure_;     ///< of CTA `executed_`
    unsigned timed_ = 0;
    std::uint64_t spent_ = 0;    ///< nanoseconds
    std::uint64_t held_up_ = 0;  ///< nanoseconds
    std::uint64_t hold_ups_ = 0; ///< times
};

} // namespace warpkit
