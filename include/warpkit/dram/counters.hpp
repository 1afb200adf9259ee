#pragma once
/// \file
/// What a DRAM channel counts.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit::dram {

/// All in requests, commands or DRAM command cycles; machine-wide figures are sums over channels.
///
/// Derived (docs/model/dram.md#metrics): row-hit rate = row_hits / requests_served; bus utilisation = bus_busy_cycles /
/// all cycles; bus efficiency = bus_busy_cycles / busy_cycles; OWL's bank-level parallelism = bank_cycles /
/// busy_cycles; GPGPU-Sim's = bank_cycles / bank_busy_cycles.
struct channel_counters {
    std::uint64_t reads = 0;             ///< read requests whose data have returned
    std::uint64_t writes = 0;            ///< write requests whose data have been sent
    std::uint64_t prefetches = 0;        ///< lines that the memory prefetcher has read
    std::uint64_t prefetched_useful = 0; ///< sectors of them that a demand hit in the L2
    std::uint64_t prefetched_late =
        0; ///< sectors of them whose line was reserved for a demand when they came
    std::uint64_t prefetched_useless = 0; ///< sectors of them that the L2 had, or gave up unused
    std::uint64_t read_atoms = 0;         ///< read commands
    std::uint64_t write_atoms = 0;        ///< write commands
    std::uint64_t activates = 0;          ///< rows opened
    std::uint64_t precharges = 0;         ///< rows closed
    std::uint64_t refreshes = 0;          ///< refresh commands, of all banks or of one
    std::uint64_t requests_served = 0;    ///< requests handed to a bank
    std::uint64_t row_hits = 0;           ///< of these, the ones that found their row open
    std::uint64_t bus_busy_cycles = 0;    ///< cycles in which the data bus carries data
    std::uint64_t busy_cycles = 0;        ///< cycles with at least one request queued or held by a bank
    std::uint64_t bank_cycles = 0;        ///< sum over cycles of the banks that hold a request
    std::uint64_t bank_busy_cycles = 0;   ///< cycles in which at least one bank holds a request

    template <class F>
    constexpr void each_member(F&& f) const {
        f(reads, writes, prefetches, prefetched_useful, prefetched_late, prefetched_useless, read_atoms,
          write_atoms, activates, precharges, refreshes, requests_served, row_hits, bus_busy_cycles,
          busy_cycles, bank_cycles, bank_busy_cycles);
    }
    constexpr channel_counters& operator+=(channel_counters const& o) noexcept {
        reads += o.reads;
        writes += o.writes;
        prefetches += o.prefetches;
        prefetched_useful += o.prefetched_useful;
        prefetched_late += o.prefetched_late;
        prefetched_useless += o.prefetched_useless;
        read_atoms += o.read_atoms;
        write_atoms += o.write_atoms;
        activates += o.activates;
        precharges += o.precharges;
        refreshes += o.refreshes;
        requests_served += o.requests_served;
        row_hits += o.row_hits;
        bus_busy_cycles += o.bus_busy_cycles;
        busy_cycles += o.busy_cycles;
        bank_cycles += o.bank_cycles;
        bank_busy_cycles += o.bank_busy_cycles;
        return *this;
    }
    friend bool operator==(channel_counters const&, channel_counters const&) = default;
};

} // namespace warpkit::dram
