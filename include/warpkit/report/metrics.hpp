#pragma once
/// \file
/// What is derived from the counters: rates, and the papers' views of where the cycles went. Each is defined once.

#include <warpkit/base/events.hpp>
#include <warpkit/base/lanes.hpp>
#include <warpkit/config/numbers.hpp>
#include <warpkit/report/counters.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>

namespace warpkit::report {

/// A derived number.
struct metric {
    char const* name;
    char const* unit; ///< "%" for a share: the value 0.25 is 25 %
    char const* definition;
    double (*value)(run_counters const&, gpu_parameters const&);
};

namespace detail {

using run_ref = run_counters const&;
using numbers_ref = gpu_parameters const&;

constexpr double ratio(double over, double under) noexcept {
    return under == 0 ? std::numeric_limits<double>::quiet_NaN() : over / under;
}
constexpr double number_of(std::uint64_t n) noexcept { return static_cast<double>(n); }
constexpr double share(std::uint64_t part, std::uint64_t whole) noexcept {
    return ratio(number_of(part), number_of(whole));
}
constexpr double miss_rate(cache_counters const& c) noexcept {
    return share(c.misses + c.sector_misses, c.accesses);
}
/// Command cycles of all DRAM channels during the run.
constexpr double dram_cycles(run_counters const& r, gpu_parameters const& g) noexcept {
    return number_of(r.cycles) * ratio(number_of(g.clock.dram), number_of(g.clock.core)) * g.memory.channels;
}
constexpr double link_utilisation(run_counters const& r, gpu_parameters const& g,
                                  noc::network_counters const& c, std::uint32_t outputs) noexcept {
    return ratio(number_of(c.flits), number_of(r.cycles) *
                                         ratio(number_of(g.clock.interconnect), number_of(g.clock.core)) *
                                         outputs);
}

} // namespace detail

/// All derived numbers. A quotient whose divisor is 0 is NaN.
inline constexpr metric all_metrics[] = {
    {"ipc", "warp instr/cycle", "warp instructions per core cycle, whole machine",
     [](detail::run_ref r, detail::numbers_ref) {
         return detail::share(r.core.warp_instructions, r.cycles);
     }},
    {"thread_ipc", "thread instr/cycle", "thread instructions per core cycle, whole machine",
     [](detail::run_ref r, detail::numbers_ref) {
         return detail::share(r.core.thread_instructions, r.cycles);
     }},
    {"simd_efficiency", "%", "active lanes per issued warp instruction, of all lanes",
     [](detail::run_ref r, detail::numbers_ref) {
         return detail::share(r.core.thread_instructions, lanes * r.core.warp_instructions);
     }},
    {"transactions_per_access", "", "transactions per warp instruction issued to the load/store unit",
     [](detail::run_ref r, detail::numbers_ref) {
         return detail::share(r.core.transactions, r.core.memory_instructions);
     }},
    {"l0i_miss_rate", "%",
     "(misses + sector misses) / accesses of the L0 instruction caches, prefetches left out",
     [](detail::run_ref r, detail::numbers_ref n) {
         auto const ahead = n.l0i.size == 0 ? 0 : r.core.prefetches; // otherwise those are the L1Is'
         return detail::share(r.l0i.misses + r.l0i.sector_misses - ahead, r.l0i.accesses - ahead);
     }},
    {"l1i_miss_rate", "%",
     "(misses + sector misses) / accesses of the L1 instruction caches, prefetches left out",
     [](detail::run_ref r, detail::numbers_ref n) {
         auto const ahead = n.l0i.size == 0 ? r.core.prefetches : 0; // otherwise those are the L0s'
         return detail::share(r.l1i.misses + r.l1i.sector_misses - ahead, r.l1i.accesses - ahead);
     }},
    {"l1d_miss_rate", "%", "(misses + sector misses) / accesses of the L1 data caches, prefetches left out",
     [](detail::run_ref r, detail::numbers_ref) {
         return detail::share(r.l1d.misses + r.l1d.sector_misses - r.core.data_prefetches,
                              r.l1d.accesses - r.core.data_prefetches);
     }},
    {"l1d_waiting_rate", "%", "accesses of the L1 data caches that wait for data already on its way",
     [](detail::run_ref r, detail::numbers_ref) {
         return detail::share(r.l1d.hit_reserved, r.l1d.accesses - r.core.data_prefetches);
     }},
    {"l2_miss_rate", "%", "(misses + sector misses) / accesses of the L2 slices",
     [](detail::run_ref r, detail::numbers_ref) { return detail::miss_rate(r.l2); }},
    {"row_hit_rate", "%",
     "row-buffer locality: requests that found their row open / requests handed to a bank",
     [](detail::run_ref r, detail::numbers_ref) {
         return detail::share(r.dram.row_hits, r.dram.requests_served);
     }},
    {"row_locality_gpgpusim", "requests",
     "GPGPU-Sim's average row locality: requests handed to a bank / those of them that had their row opened",
     [](detail::run_ref r, detail::numbers_ref) {
         return detail::share(r.dram.requests_served, r.dram.requests_served - r.dram.row_hits);
     }},
    {"dram_utilisation", "%",
     "cycles with data on the bus / all DRAM cycles; a mean over pseudo channels' buses",
     [](detail::run_ref r, detail::numbers_ref g) {
         return detail::ratio(detail::number_of(r.dram.bus_busy_cycles),
                              detail::dram_cycles(r, g) * g.dram.pseudo_channels);
     }},
    {"dram_efficiency", "%",
     "cycles with data on the bus / DRAM cycles with work; a mean over pseudo channels' buses",
     [](detail::run_ref r, detail::numbers_ref g) {
         return detail::ratio(detail::share(r.dram.bus_busy_cycles, r.dram.busy_cycles),
                              g.dram.pseudo_channels);
     }},
    {"blp", "banks", "bank-level parallelism as OWL has it: banks with a request, mean over cycles with work",
     [](detail::run_ref r, detail::numbers_ref) {
         return detail::share(r.dram.bank_cycles, r.dram.busy_cycles);
     }},
    {"blp_gpgpusim", "banks",
     "the same as GPGPU-Sim has it: mean over cycles in which a bank holds a request",
     [](detail::run_ref r, detail::numbers_ref) {
         return detail::share(r.dram.bank_cycles, r.dram.bank_busy_cycles);
     }},
    {"dram_bandwidth", "GB/s", "data moved over the DRAM buses per second of simulated time",
     [](detail::run_ref r, detail::numbers_ref g) {
         auto const bytes = detail::number_of((r.dram.read_atoms + r.dram.write_atoms) * g.dram.atom_bytes());
         return detail::ratio(bytes * detail::number_of(g.clock.core) * 1e3, detail::number_of(r.cycles)) /
                1e9;
     }},
    {"load_latency", "cycles", "mean core cycles from request to reply of a read that left its core",
     [](detail::run_ref r, detail::numbers_ref) {
         return detail::share(r.core.load_latency_sum, r.core.load_latency_count);
     }},
    {"request_link_utilisation", "%", "flits / cycles of all links to the memory partitions",
     [](detail::run_ref r, detail::numbers_ref g) {
         return detail::link_utilisation(r, g, r.request_network, g.memory.channels * g.memory.slices);
     }},
    {"reply_link_utilisation", "%", "flits / cycles of all links to the cores",
     [](detail::run_ref r, detail::numbers_ref g) {
         return detail::link_utilisation(r, g, r.reply_network, g.core.count);
     }},
    {"memory_block_share", "%",
     "OWL's MemoryBlockCycles: core cycles in which all live warps wait for L2 or DRAM",
     [](detail::run_ref r, detail::numbers_ref) {
         return detail::share(r.core.memory_block_cycles, r.core.cycles);
     }},
    {"no_warp_share", "%",
     "OWL's NoWarpCycles: core cycles without any CTA, while the kernel goes on elsewhere",
     [](detail::run_ref r, detail::numbers_ref g) {
         return detail::ratio(detail::number_of(r.core.cause[static_cast<unsigned>(cycle_cause::no_cta)]),
                              detail::number_of(r.core.cycles) * g.core.schedulers);
     }},
    {"inactive_share", "%", "OWL's CINV, inactive time: core cycles in which no scheduler issued",
     [](detail::run_ref r, detail::numbers_ref) {
         return detail::share(r.core.cycles - r.core.issue_cycles, r.core.cycles);
     }},
};

/// The metric of that name, or null.
constexpr metric const* find_metric(std::string_view name) noexcept {
    for (auto const& m : all_metrics)
        if (m.name == name) return &m;
    return nullptr;
}

/// One part of a view: scheduler cycles of any of these causes.
struct stall_category {
    char const* name;
    std::uint32_t causes; ///< bit i: cycle_cause i
};
/// A paper's way of telling where the scheduler cycles went (docs/model/issue.md#views).
struct stall_view {
    char const* name;
    char const* source;
    std::span<stall_category const> categories; ///< each cause is in exactly one
};

namespace detail {

template <class... C>
constexpr std::uint32_t causes(C... c) noexcept {
    return ((1U << static_cast<unsigned>(c)) | ...);
}
using enum cycle_cause;

inline constexpr stall_category gpgpusim_view[] = {
    {"issued", causes(issued)},
    {"[0] no valid instruction", causes(no_cta, drained, throttled, sync, control, fetch)},
    {"[1] scoreboard", causes(raw_memory, raw_other, translation)},
    {"[2] no free unit", causes(structural_memory, structural_other)},
};
inline constexpr stall_category elf_view[] = {
    {"issued", causes(issued)},
    {"memory conflict", causes(structural_memory)},
    {"memory dependency", causes(raw_memory, translation)},
    {"fetch", causes(control, fetch)},
    {"other", causes(structural_other, raw_other, sync)},
    {"not counted by ELF", causes(no_cta, drained, throttled)},
};
inline constexpr stall_category chen_view[] = {
    {"issued", causes(issued)},
    {"structural", causes(structural_memory, structural_other)},
    {"idle or control", causes(no_cta, drained, sync, control, fetch)},
    {"RAW", causes(raw_memory, raw_other, translation)},
    {"not counted by CHEN", causes(throttled)},
};

constexpr bool is_partition(std::span<stall_category const> categories) noexcept {
    std::uint32_t seen = 0;
    for (auto const& c : categories) {
        if ((seen & c.causes) != 0) return false;
        seen |= c.causes;
    }
    return seen == (1U << cycle_cause_count) - 1;
}
static_assert(is_partition(gpgpusim_view) && is_partition(elf_view) && is_partition(chen_view),
              "warpkit: a stall view must hold every cause exactly once");

} // namespace detail

/// The views over scheduler cycles.
inline constexpr stall_view all_stall_views[] = {
    {"gpgpusim", "GPGPU-Sim's shader_cycle_distro", detail::gpgpusim_view},
    {"elf", "ELF, SC 2015", detail::elf_view},
    {"chen", "locality-aware thesis, 2016", detail::chen_view},
};

/// All scheduler cycles of a run.
inline std::uint64_t scheduler_cycles(run_counters const& r) noexcept {
    std::uint64_t sum = 0;
    for (auto const n : r.core.cause) sum += n;
    return sum;
}
/// The scheduler cycles in one category of a view; over all categories they sum to scheduler_cycles().
inline std::uint64_t cycles_in(run_counters const& r, stall_category const& category) noexcept {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < cycle_cause_count; ++i)
        if ((category.causes >> i & 1) != 0) sum += r.core.cause[i];
    return sum;
}

/// OWL's view, which is per core and not per scheduler: the four sum to the core cycles.
struct owl_cycles {
    std::uint64_t issuing = 0;      ///< some scheduler issued
    std::uint64_t memory_block = 0; ///< every live warp waits for L2 or DRAM
    std::uint64_t no_warp = 0;      ///< no CTA is resident
    std::uint64_t other = 0;
};
/// `schedulers` is core.schedulers.
inline owl_cycles owl_view(run_counters const& r, std::uint32_t schedulers) noexcept {
    owl_cycles v;
    v.issuing = r.core.issue_cycles;
    v.memory_block = r.core.memory_block_cycles;
    v.no_warp = r.core.cause[static_cast<unsigned>(cycle_cause::no_cta)] / schedulers;
    v.other = r.core.cycles - v.issuing - v.memory_block - v.no_warp;
    return v;
}

/// One part of OWL's view.
struct owl_category {
    char const* name;
    char const* definition;
    std::uint64_t owl_cycles::*cycles;
};
/// All parts, each core cycle in exactly one; CINV, the inactive time, is all but the first.
inline constexpr owl_category owl_categories[] = {
    {"issuing", "at least one scheduler issued", &owl_cycles::issuing},
    {"MemoryBlockCycles", "there are live warps, and all of them wait for L2 or DRAM",
     &owl_cycles::memory_block},
    {"NoWarpCycles", "no CTA, while the kernel goes on elsewhere", &owl_cycles::no_warp},
    {"other inactive", "any other cycle without an issue", &owl_cycles::other},
};

} // namespace warpkit::report
