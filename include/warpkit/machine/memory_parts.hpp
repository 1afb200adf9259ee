#pragma once
/// \file
/// The policies of a memory partition, made from the numbers of a machine.

#include <warpkit/base/error.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/prefetch.hpp>
#include <warpkit/dram/timing.hpp>
#include <warpkit/machine/parameters.hpp>

#include <type_traits>

namespace warpkit {

template <class Prefetcher>
Prefetcher make_memory_prefetcher([[maybe_unused]] gpu_parameters const& p) {
    if constexpr (std::is_same_v<Prefetcher, dram::no_memory_prefetch>) {
        return {};
    } else {
        dram::prefetch_numbers n;
        n.line_bytes = p.l2.line;
        n.lower = p.memory.prefetch_lower;
        n.higher = p.memory.prefetch_higher;
        n.threshold = p.memory.prefetch_threshold;
        n.shift = p.memory.prefetch_shift;
        n.skip_resident = p.memory.prefetch_skips_resident != 0;
        n.row_bytes =
            dram::address_mapping(p.address_mapping.c_str(), p.memory.channels, p.memory.slices).row_bytes();
        return Prefetcher(p.dram, n);
    }
}

/// What hears a channel; one that can be switched is told whether to check and whether to look for shared rows.
template <class Observer>
Observer make_dram_observer([[maybe_unused]] gpu_parameters const& p) {
    if constexpr (std::is_constructible_v<Observer, dram::timing const&, unsigned, bool, bool>)
        return Observer(p.dram, 2, p.dram_checker == "on", p.row_sharing == "on");
    else if constexpr (std::is_constructible_v<Observer, dram::timing const&, unsigned>)
        return Observer(p.dram, 2);
    else
        return {};
}
/// Throws `error` where the observer of a channel is a protocol checker and has found something.
template <class Observer>
void check_dram([[maybe_unused]] Observer const& observer, [[maybe_unused]] unsigned channel) {
    if constexpr (requires { observer.broken(); })
        if (observer.broken() != 0)
            throw error({"DRAM channel ", channel, ": ", observer.broken(),
                         " broken rules; the first: ", observer.first()});
}

} // namespace warpkit
