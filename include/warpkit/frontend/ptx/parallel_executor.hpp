#pragma once
/// \file
/// All CTAs of a launch, executed for their function only, on one or several host threads.

#include <warpkit/frontend/device.hpp>
#include <warpkit/frontend/memory.hpp>
#include <warpkit/frontend/ptx/execution_limits.hpp>
#include <warpkit/frontend/ptx/executor.hpp>
#include <warpkit/frontend/ptx/host_atomics.hpp>
#include <warpkit/frontend/ptx/kernel.hpp>
#include <warpkit/frontend/ptx/shared_launch.hpp>
#include <warpkit/frontend/ptx/translator.hpp>
#include <warpkit/program/stream.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

namespace warpkit::ptx {

/// Why a launch is executed by one thread, whatever was asked for.
enum class alone_because : std::uint8_t {
    nothing,     ///< it is not: as many threads execute it as were asked for
    few_ctas,    ///< it has one cluster, or one CTA
    cooperative, ///< its CTAs are there at once, and wait for each other
    asks_driver, ///< it prints, takes memory from the heap or launches: who comes first matters
    host ///< memory that the host has mapped is aligned in another way than its addresses, or the host has no atomics
};

/// Runs a launch. With one thread, which is the default, it is executor::run_cta for each CTA in turn, and the result
/// is the same on every host. With several each has an executor, with registers, shared and local memory of its own,
/// and takes the next CTAs, or clusters of CTAs, that nobody has begun; they share the kernel and the device's memory.
///
/// Then `atom`, `red` and reductions of bulk copies to global memory are atomic between threads, `fence` and `membar`
/// order memory, so do `.acquire` and `.release`, and an aligned access of up to 16 bytes, of a vector too, is done at
/// once. What a kernel computes is the same as with one thread unless it depends on the order of its CTAs: on races
/// between them, sums of floating-point numbers by atomics, the order of what `atom` gives. How many instructions CTAs
/// execute that wait for others differs, too, and so what they read in %clock.
///
/// Of several faults that of the lowest CTA is thrown; a CTA that waits for one with a fault has none. A CTA has not
/// ended after too many instructions (execution_limits::instructions) when each thread has executed as many and no CTA
/// has ended meanwhile.
class parallel_executor {
public:
    /// On up to `threads` host threads, the caller's included; 0: as many as the host has cores. There are never more
    /// than clusters, and one for what must not be shared (alone_because). The caller executes `alone` warp
    /// instructions before it calls others, so that a short launch costs no thread. The kernel (with its module) and
    /// the memory must outlive this, and be left alone by others while it runs; what `limits` has to be called is
    /// called by the caller's thread alone. Throws warpkit::error for a launch that the kernel does not take.
    parallel_executor(kernel const& k, device_memory& memory, launch_request request,
                      execution_limits limits = {}, unsigned threads = 1, std::uint64_t alone = 1U << 15)
        : kernel_(&k),
          memory_(&memory),
          request_(std::move(request)),
          limits_(std::move(limits)),
          first_(k, memory, request_, limits_),
          threads_(number_of(threads)),
          alone_(alone) {}
    parallel_executor(parallel_executor const&) = delete;
    parallel_executor& operator=(parallel_executor const&) = delete;

    /// For who has the launch timed, or takes its CTAs one by one, instead of run().
    executor& front() noexcept { return first_; }

    /// Host threads that run() may have: as many as asked for, or as clusters, where why_alone() is nothing.
    unsigned threads() const noexcept { return threads_; }
    alone_because why_alone() const noexcept { return why_alone_; }

    /// Executes all CTAs, once; the caller is one of the threads, and the others have ended when it returns or throws.
    /// Throws warpkit::error for every fault of the kernel. `ended(n)` is called here now and then: n CTAs have ended.
    template <class Ended>
    void run(Ended const& ended) {
        if (threads_ == 1) {
            auto const ctas = request_.grid.count();
            for (std::uint64_t cta = 0; cta < ctas; ++cta) {
                first_.run_cta(cta);
                ended(cta + 1);
            }
        } else {
            run_together(ended);
        }
    }
    void run() {
        run([](std::uint64_t) {});
    }

    /// Warp instructions executed so far, all CTAs together.
    std::uint64_t executed() const noexcept { return first_.executed() + executed_by_others_; }

private:
    unsigned number_of(unsigned wanted) {
        if (wanted == 0) wanted = std::max(1U, std::thread::hardware_concurrency());
        if (wanted == 1) return 1;
        auto const clusters = first_.clusters();
        why_alone_ = clusters < 2                                             ? alone_because::few_ctas
                     : request_.cooperative                                   ? alone_because::cooperative
                     : translator<>::asks_driver(*kernel_)                    ? alone_because::asks_driver
                     : !host_atomics::are_lock_free || !memory_->is_aligned() ? alone_because::host
                                                                              : alone_because::nothing;
        if (why_alone_ != alone_because::nothing) return 1;
        return static_cast<unsigned>(std::min<std::uint64_t>(wanted, clusters));
    }

    template <class Ended>
    void run_together(Ended const& ended) {
        shared_launch shared(first_.clusters(), threads_);
        std::atomic<std::uint64_t> executed{0};
        auto const help = [&] {
            try {
                executor own(*kernel_, *memory_, request_, limits_);
                own.run_shared(shared);
                executed += own.executed();
            } catch (...) { // no memory for it: the others do without
                shared.thread_ended();
            }
        };
        std::vector<std::thread> helpers;
        helpers.reserve(threads_ - 1);
        bool called = false;
        auto const call_helpers = [&] {
            if (called || first_.executed() < alone_ || !shared.any_left()) return;
            called = true;
            try {
                while (helpers.size() + 1 < threads_) {
                    shared.thread_begins();
                    helpers.emplace_back(help);
                }
            } catch (...) { // the host has no more
                shared.thread_ended();
            }
        };
        call_helpers();
        std::uint64_t told = 0;
        first_.run_shared(shared, [&] {
            call_helpers();
            if (auto const n = shared.ended(); n != told) ended(told = n);
        });
        for (auto& h : helpers) h.join();
        executed_by_others_ = executed;
        shared.rethrow();
    }

    kernel const* kernel_;
    device_memory* memory_;
    launch_request request_;
    execution_limits limits_;
    executor first_;
    alone_because why_alone_ = alone_because::nothing;
    unsigned threads_;
    std::uint64_t alone_; ///< warp instructions
    std::uint64_t executed_by_others_ = 0;
};

} // namespace warpkit::ptx
