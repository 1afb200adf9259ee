#pragma once
/// \file
/// What a run counts. All members are std::uint64_t, so that summing, comparing, printing and hashing are written once
/// (report/ holds each counter's unit and definition).

#include <warpkit/base/events.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cta/events.hpp>
#include <warpkit/dram/counters.hpp>
#include <warpkit/noc/counters.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace warpkit {

/// Of one core, or summed over cores.
struct core_counters {
    std::uint64_t warp_instructions = 0;    ///< issued
    std::uint64_t thread_instructions = 0;  ///< active lanes of issued instructions
    std::uint64_t ctas = 0;                 ///< finished
    std::uint64_t memory_instructions = 0;  ///< issued to the load/store unit
    std::uint64_t transactions = 0;         ///< coalesced accesses to global and local memory
    std::uint64_t bank_conflict_cycles = 0; ///< extra cycles of shared-memory accesses
    std::uint64_t replays = 0;              ///< transactions that waited in the replay queue
    std::uint64_t l1_bypasses = 0;          ///< loads that the replay queue sent past the L1
    std::uint64_t data_prefetches = 0;      ///< blocks that a data prefetcher made the L1 data cache ask for
    std::uint64_t data_prefetches_useful = 0;  ///< of these, those that a load hit
    std::uint64_t data_prefetches_late = 0;    ///< those that a load met on their way
    std::uint64_t data_prefetches_useless = 0; ///< those that left the cache before
    std::uint64_t other_instructions = 0;      ///< issued with op_class::other
    std::uint64_t fetches = 0;
    std::uint64_t prefetches = 0; ///< lines of code asked for ahead of any warp
    std::uint64_t cycles = 0;     ///< core cycles of the runs, summed over cores
    std::uint64_t memory_block_cycles =
        0;                          ///< OWL's MemoryBlockCycles: live warps, all of them waiting for memory
    std::uint64_t issue_cycles = 0; ///< cycles in which at least one scheduler of the core issued
    std::uint64_t load_latency_sum = 0;   ///< core cycles from request to reply of reads that left the core
    std::uint64_t load_latency_count = 0; ///< those reads
    std::array<std::uint64_t, cycle_cause_count>
        cause{}; ///< scheduler cycles by cause; they sum to the scheduler cycles

    core_counters& operator+=(core_counters const& o) noexcept {
        warp_instructions += o.warp_instructions;
        thread_instructions += o.thread_instructions;
        ctas += o.ctas;
        memory_instructions += o.memory_instructions;
        transactions += o.transactions;
        bank_conflict_cycles += o.bank_conflict_cycles;
        replays += o.replays;
        l1_bypasses += o.l1_bypasses;
        data_prefetches += o.data_prefetches;
        data_prefetches_useful += o.data_prefetches_useful;
        data_prefetches_late += o.data_prefetches_late;
        data_prefetches_useless += o.data_prefetches_useless;
        other_instructions += o.other_instructions;
        fetches += o.fetches;
        prefetches += o.prefetches;
        cycles += o.cycles;
        memory_block_cycles += o.memory_block_cycles;
        issue_cycles += o.issue_cycles;
        load_latency_sum += o.load_latency_sum;
        load_latency_count += o.load_latency_count;
        for (unsigned i = 0; i < cycle_cause_count; ++i) cause[i] += o.cause[i];
        return *this;
    }
    friend bool operator==(core_counters const&, core_counters const&) = default;
};

/// Scheduler cycles by cause.
using cycles_by_cause = std::array<std::uint64_t, cycle_cause_count>;

/// What an occupancy limit is told at `at` of a core that counted `before` when the kernel began, and `c` now.
inline core_sampled sample_of(core_counters const& before, core_counters const& c, unsigned schedulers,
                              cycle at) noexcept {
    core_sampled e;
    e.at = at;
    e.warp_instructions = c.warp_instructions - before.warp_instructions;
    for (auto const idle :
         {cycle_cause::drained, cycle_cause::sync, cycle_cause::control, cycle_cause::fetch})
        e.idle_cycles += c.cause[static_cast<unsigned>(idle)] - before.cause[static_cast<unsigned>(idle)];
    e.idle_cycles /= schedulers;
    e.memory_block_cycles = c.memory_block_cycles - before.memory_block_cycles;
    e.latency_sum = c.load_latency_sum - before.load_latency_sum;
    e.latencies = c.load_latency_count - before.load_latency_count;
    return e;
}

namespace detail {
/// Counters that are std::uint64_t throughout, each one f of those of two others.
template <class Counters, class F>
Counters word_by_word(Counters const& a, Counters const& b, F&& f) noexcept {
    using words = std::array<std::uint64_t, sizeof(Counters) / sizeof(std::uint64_t)>;
    static_assert(sizeof(words) == sizeof(Counters), "counters are std::uint64_t throughout");
    auto all = std::bit_cast<words>(a);
    auto const other = std::bit_cast<words>(b);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = f(all[i], other[i]);
    return std::bit_cast<Counters>(all);
}
} // namespace detail

/// Of the translation of addresses: TLBs and page walks (docs/model/translation.md).
struct translation_counters {
    std::uint64_t l1_hits = 0;       ///< transactions whose page the core's TLB had
    std::uint64_t l1_merges = 0;     ///< those that met it on its way
    std::uint64_t l1_misses = 0;     ///< those that asked for it
    std::uint64_t l2_hits = 0;       ///< of what was asked for, what the shared TLB had
    std::uint64_t l2_misses = 0;     ///< and what it had not
    std::uint64_t walks = 0;         ///< of the page table
    std::uint64_t walk_accesses = 0; ///< of these walks to it
    std::uint64_t wait_cycles = 0;   ///< core cycles that transactions waited for their page, summed

    translation_counters& operator+=(translation_counters const& o) noexcept {
        return *this = detail::word_by_word(*this, o, [](std::uint64_t a, std::uint64_t b) { return a + b; });
    }
    friend bool operator==(translation_counters const&, translation_counters const&) = default;
};

/// One run: everything that is printed, compared and fingerprinted.
struct run_counters {
    std::uint64_t cycles = 0; ///< core cycles from the first launch to the end of the last CTA
    std::uint64_t kernels = 0;
    core_counters core; ///< summed over cores
    cache_counters l0i; ///< of machines that have such caches
    cache_counters l1i;
    cache_counters l15i; ///< of machines that have one
    cache_counters l1d;
    cache_counters l1c;
    cache_counters l1t;
    translation_counters tlb;
    cache_counters l2;
    noc::network_counters request_network;
    noc::network_counters reply_network;
    dram::channel_counters dram;

    run_counters& operator+=(run_counters const& o) noexcept {
        *this = detail::word_by_word(*this, o, [](std::uint64_t a, std::uint64_t b) { return a + b; });
        return *this;
    }
    friend bool operator==(run_counters const&, run_counters const&) = default;
};

/// Progress of a kernel, for a progress bar.
struct kernel_progress {
    std::uint64_t finished_ctas = 0;
    std::uint64_t ctas = 0;
    cycle cycles = 0; ///< core cycles since the kernel began
};
/// Ignores progress.
struct no_progress {
    constexpr void operator()(kernel_progress const&) const noexcept {}
};

/// What is known of the cycles of a kernel, or several, that may have been timed in parts (gpu/sampling.hpp).
struct cycle_estimate {
    double cycles = 0; ///< of the whole kernel
    double error = 0;  ///< half the width of its 95 % interval, in cycles; 0 where all was timed
    std::uint64_t warp_instructions = 0;         ///< executed, timed or not
    std::uint64_t skipped_warp_instructions = 0; ///< of them those that were executed, but not timed
    std::uint64_t skipped_ctas = 0;
    std::uint64_t gaps = 0; ///< places where CTAs were left out

    bool exact() const noexcept { return skipped_ctas == 0; }
    /// One kernel after the other; the errors are added as if they always went together.
    cycle_estimate& operator+=(cycle_estimate const& o) noexcept {
        cycles += o.cycles;
        error += o.error;
        warp_instructions += o.warp_instructions;
        skipped_warp_instructions += o.skipped_warp_instructions;
        skipped_ctas += o.skipped_ctas;
        gaps += o.gaps;
        return *this;
    }
    friend bool operator==(cycle_estimate const&, cycle_estimate const&) = default;
};

/// What was counted since `before`.
inline run_counters difference(run_counters const& now, run_counters const& before) noexcept {
    return detail::word_by_word(now, before, [](std::uint64_t a, std::uint64_t b) { return a - b; });
}

} // namespace warpkit
