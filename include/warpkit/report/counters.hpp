#pragma once
/// \file
/// The counters of a run, reflected: each has a name, a unit and a definition. Printing, JSON, CSV, hashing and
/// comparing go over this one table.

#include <warpkit/base/hash.hpp>
#include <warpkit/config/reflect.hpp>
#include <warpkit/machine/counters.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

// clang-format off
WARPKIT_REFLECT(warpkit::core_counters, warp_instructions, thread_instructions, ctas, memory_instructions,
    transactions, bank_conflict_cycles, replays, l1_bypasses, data_prefetches, data_prefetches_useful,
    data_prefetches_late, data_prefetches_useless, other_instructions, fetches, prefetches, cycles,
    memory_block_cycles,
    issue_cycles, load_latency_sum, load_latency_count, cause);
WARPKIT_REFLECT(warpkit::cache_counters, accesses, hits, hit_reserved, misses, sector_misses,
    refused_line_allocation, refused_mshr_entry, refused_mshr_merge, refused_miss_queue,
    refused_mshr_read_write_pending, evictions, fetches,
    stores_passed_on, write_backs);
WARPKIT_REFLECT(warpkit::translation_counters, l1_hits, l1_merges, l1_misses, l2_hits, l2_misses, walks,
    walk_accesses, wait_cycles);
WARPKIT_REFLECT(warpkit::noc::network_counters, packets, flits, busy_cycles, conflicts, refused_cycles, hops);
WARPKIT_REFLECT(warpkit::dram::channel_counters, reads, writes, prefetches, prefetched_useful, prefetched_late,
    prefetched_useless, read_atoms, write_atoms, activates, precharges, refreshes, requests_served, row_hits,
    bus_busy_cycles, busy_cycles, bank_cycles, bank_busy_cycles);
WARPKIT_REFLECT(warpkit::run_counters, cycles, kernels, core, l0i, l1i, l15i, l1d, l1c, l1t, tlb, l2, request_network,
    reply_network, dram);
// clang-format on

namespace warpkit {

/// The names of cycle_cause, for `core.cause.<name>`.
inline constexpr char const* cycle_cause_names[] = {"issued",
                                                    "no_cta",
                                                    "drained",
                                                    "structural_memory",
                                                    "structural_other",
                                                    "throttled",
                                                    "raw_memory",
                                                    "raw_other",
                                                    "sync",
                                                    "control",
                                                    "fetch",
                                                    "translation"};
/// What each counter of causes counts; docs/model/issue.md#stall-taxonomy says which cause is taken.
inline constexpr char const* cycle_cause_meanings[] = {
    "scheduler cycles in which an instruction was issued",
    "scheduler cycles in which the core had no resident warp, while the kernel ran elsewhere",
    "scheduler cycles in which no live warp belonged to the scheduler, but the core had some",
    "scheduler cycles in which a warp had its operands, but the load/store unit was full",
    "scheduler cycles in which a warp had its operands, but another unit was busy",
    "scheduler cycles in which a warp could have issued, but the policy did not let it",
    "scheduler cycles in which a warp waited for a global, local, texture or parameter load",
    "scheduler cycles in which a warp waited for another result",
    "scheduler cycles in which a warp waited at a barrier or fence, or for an atomic",
    "scheduler cycles in which an instruction buffer was empty because a branch was taken",
    "scheduler cycles in which an instruction buffer was empty because no instruction had come",
    "scheduler cycles in which a warp waited for a load of which a transaction waited for its page",
};
static_assert(std::size(cycle_cause_names) == cycle_cause_count &&
              std::size(cycle_cause_meanings) == cycle_cause_count);

template <>
struct member_notes<core_counters> {
    static constexpr member_note rows[] = {
        {"warp_instructions", "instructions", "warp instructions issued"},
        {"thread_instructions", "instructions", "active lanes of the warp instructions issued"},
        {"ctas", "CTAs", "CTAs finished"},
        {"memory_instructions", "instructions", "warp instructions issued to the load/store unit"},
        {"transactions", "transactions", "coalesced accesses to global and local memory"},
        {"bank_conflict_cycles", "cycles", "extra cycles of shared-memory accesses, for bank conflicts"},
        {"replays", "transactions", "that went into the replay queue"},
        {"l1_bypasses", "loads", "that the replay queue sent past the L1"},
        {"data_prefetches", "sectors", "that a data prefetcher made the L1 data cache ask for"},
        {"data_prefetches_useful", "sectors", "of these, that a load hit"},
        {"data_prefetches_late", "sectors", "of these, that a load met on their way"},
        {"data_prefetches_useless", "sectors", "of these, that left the cache before any load used them"},
        {"other_instructions", "instructions", "warp instructions issued whose class no latency table names"},
        {"fetches", "fetches", "accesses to the L1 instruction cache for a warp, refused ones included"},
        {"prefetches", "lines",
         "lines of code asked for ahead; each is an access and a miss of the L1I, too"},
        {"cycles", "cycles", "core cycles, summed over cores"},
        {"memory_block_cycles", "cycles",
         "OWL's MemoryBlockCycles: core cycles with live warps, all waiting for L2 or DRAM"},
        {"issue_cycles", "cycles", "core cycles in which at least one scheduler issued"},
        {"load_latency_sum", "cycles",
         "core cycles from request to reply, over all reads that left their core"},
        {"load_latency_count", "reads", "reads that left their core"},
        {"cause", "cycles", "scheduler cycles by cause; together they are all scheduler cycles",
         cycle_cause_names, cycle_cause_meanings},
    };
};

template <>
struct member_notes<cache_counters> {
    static constexpr member_note rows[] = {
        {"accesses", "accesses", "accesses accepted: hits + hit_reserved + misses + sector_misses"},
        {"hits", "accesses", "data at hand, or a store to a sector at hand"},
        {"hit_reserved", "accesses", "data already on its way; the access waits for it"},
        {"misses", "accesses", "line absent"},
        {"sector_misses", "accesses", "line at hand, but not this sector, or not all bytes of it"},
        {"refused_line_allocation", "refusals",
         "refused and retried: every way of the set waits for data, or is kept by the write ratio"},
        {"refused_mshr_entry", "refusals", "refused and retried: no MSHR free"},
        {"refused_mshr_merge", "refusals", "refused and retried: the MSHR takes no further access"},
        {"refused_miss_queue", "refusals", "refused and retried: no room in the miss queue"},
        {"refused_mshr_read_write_pending", "refusals",
         "refused and retried: a store to what a load waits for that came after another store"},
        {"evictions", "lines", "lines replaced"},
        {"fetches", "sectors", "sectors asked of the next level"},
        {"stores_passed_on", "requests", "stores and atomics sent to the next level"},
        {"write_backs", "requests", "write-back requests"},
    };
};

template <>
struct member_notes<translation_counters> {
    static constexpr member_note rows[] = {
        {"l1_hits", "transactions", "whose page the TLB of their core had"},
        {"l1_merges", "transactions", "whose page their core had asked for already"},
        {"l1_misses", "transactions", "for which their core asked for the page"},
        {"l2_hits", "pages", "asked for by a core that the shared TLB had"},
        {"l2_misses", "pages", "asked for by a core that it had not"},
        {"walks", "walks", "of the page table; several misses of one page have one"},
        {"walk_accesses", "accesses", "of these walks to the page table"},
        {"wait_cycles", "cycles", "core cycles that transactions waited for their page, summed"},
    };
};

template <>
struct member_notes<noc::network_counters> {
    static constexpr member_note rows[] = {
        {"packets", "packets", "packets sent"},
        {"flits", "flits", "flits sent; each takes its output link for one cycle"},
        {"busy_cycles", "cycles", "cycles in which at least one link or channel carried a flit"},
        {"conflicts", "packets",
         "packets at the head of their input that saw another one granted their output"},
        {"refused_cycles", "cycles", "output cycles with a packet ready and no room at the receiver"},
        {"hops", "flits", "flits over channels between routers, once for each channel; none in a crossbar"},
    };
};

template <>
struct member_notes<dram::channel_counters> {
    static constexpr member_note rows[] = {
        {"reads", "requests", "read requests whose data have returned"},
        {"writes", "requests", "write requests whose data have been sent"},
        {"prefetches", "lines", "lines that the memory prefetcher has read"},
        {"prefetched_useful", "sectors", "of prefetched lines, that a demand hit in the L2"},
        {"prefetched_late", "sectors",
         "of prefetched lines, whose line was reserved for a demand when they came"},
        {"prefetched_useless", "sectors", "of prefetched lines, that the L2 had or gave up unused"},
        {"read_atoms", "commands", "read commands"},
        {"write_atoms", "commands", "write commands"},
        {"activates", "commands", "rows opened"},
        {"precharges", "commands", "rows closed"},
        {"refreshes", "commands", "refresh commands, of all banks or of one"},
        {"requests_served", "requests", "requests handed to a bank"},
        {"row_hits", "requests", "of these, the ones that found their row open"},
        {"bus_busy_cycles", "cycles",
         "command cycles in which the data bus carries data, summed over channels"},
        {"busy_cycles", "cycles", "command cycles with a request queued or in a bank, summed over channels"},
        {"bank_cycles", "cycles", "sum over command cycles of the banks that hold a request"},
        {"bank_busy_cycles", "cycles",
         "command cycles with a request in at least one bank, summed over channels"},
    };
};

template <>
struct member_notes<run_counters> {
    static constexpr member_note rows[] = {
        {"cycles", "cycles",
         "core cycles from the first launch to the end of the last CTA, summed over kernels"},
        {"kernels", "kernels", "kernels run"},
        {"core", "", "the cores, summed"},
        {"l0i", "", "the L0 instruction caches of sub-cores, summed"},
        {"l1i", "", "the L1 instruction caches, summed: where there are L0s, what these miss"},
        {"l15i", "", "the L1.5 instruction caches, summed: what the L1 instruction caches miss"},
        {"l1d", "", "the L1 data caches, summed"},
        {"l1c", "", "the constant caches, summed: constants and kernel parameters"},
        {"l1t", "", "the texture caches, summed; an access whose line is there counts as hit_reserved"},
        {"tlb", "", "translation of addresses: the cores' TLBs, summed, the shared one, and page walks"},
        {"l2", "", "the L2 slices, summed"},
        {"request_network", "", "from cores to memory"},
        {"reply_network", "", "from memory to cores"},
        {"dram", "", "the DRAM channels, summed"},
    };
};

static_assert(fully_reflected<core_counters>() && fully_reflected<cache_counters>() &&
                  fully_reflected<translation_counters>() && fully_reflected<noc::network_counters>() &&
                  fully_reflected<dram::channel_counters>() && fully_reflected<run_counters>(),
              "warpkit: report/counters.hpp does not describe every counter");

namespace report {

/// All counters of a run, in the order of run_counters.
inline std::vector<field> const& all_counters() {
    static auto const fields = fields_of<run_counters>();
    return fields;
}

/// A counter whose value differs between two runs.
struct counter_difference {
    field const* counter;
    std::uint64_t first;
    std::uint64_t second;
};

/// The counters in which two runs differ, in the order of run_counters.
inline std::vector<counter_difference> differences(run_counters const& first, run_counters const& second) {
    std::vector<counter_difference> found;
    for (auto const& f : all_counters()) {
        auto const a = read_field(first, f);
        auto const b = read_field(second, f);
        if (a != b) found.push_back({&f, a, b});
    }
    return found;
}

/// One number for a sequence of runs: the same counters in the same order, the same fingerprint, on every host.
class fingerprint {
public:
    /// Of what a machine has not it does not speak: so counters that are 0 without translation, or without L0 and L1.5
    /// instruction caches, leave it as it was.
    void add(run_counters const& r) {
        for (auto const& f : all_counters()) {
            auto const value = read_field(r, f);
            if (value != 0 || !of_an_option(f.name)) hash_.add(value);
        }
    }
    std::uint64_t value() const noexcept { return hash_.value(); }

private:
    static bool of_an_option(std::string_view counter) noexcept {
        return counter.starts_with("tlb.") || counter.starts_with("l0i.") || counter.starts_with("l15i.") ||
               counter == "core.cause.translation";
    }
    hasher hash_;
};

} // namespace report
} // namespace warpkit
