#pragma once
/// \file
/// What an L2 slice needs of its memory partition: numbers, the address mapping, and who listens.
///
/// In the reference: what `l2_slice` is made of and `l2_slice::tick` is given (reference/l2_partition.hpp).

#include <warpkit/base/clock.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/row_access.hpp>
#include <warpkit/dram/scheduler.hpp>
#include <warpkit/gpu/memory/packet_parts.hpp>
#include <warpkit/machine/l2_events.hpp>
#include <warpkit/machine/packet.hpp>

#include <cstdint>

namespace warpkit {

/// What the slices of a partition have in common.
struct l2_numbers {
    part_numbers parts;
    clock_domain clock;
    bool enabled = true;
    std::uint32_t miss_queue = 1; ///< of a slice
    std::uint32_t line_shift = 7;
    std::uint32_t mshr_entries = 1;
    std::uint32_t banks = 1; ///< of the DRAM
    friend bool operator==(l2_numbers const&, l2_numbers const&) = default;
};

/// What the slices of a partition want from the DRAM.
struct l2_demands {
    std::uint32_t kernel = ~std::uint32_t{0}; ///< that runs, counted from 0, where the DRAM scheduler asks
    std::uint32_t count = 0;                  ///< demands in their ports
    bool more = false;                        ///< there is one more since the DRAM has looked
    friend bool operator==(l2_demands const&, l2_demands const&) = default;
};

/// These as a slice is handed them for a cycle. P is a memory_policies.
template <class P>
struct l2_surroundings {
    l2_numbers const& numbers;
    dram::address_mapping const& map;
    typename P::l2_observer& l2_observer;
    typename P::dram_observer& dram_observer;
    l2_demands& asking;

    static constexpr bool tells = hears_l2<typename P::l2_observer>;
    /// The DRAM scheduler goes by who asks.
    static constexpr bool dram_asks = dram::asks_who<typename P::dram_scheduler>;
    /// Somebody may hear in which order slices do things.
    static constexpr bool heard = tells || hears<typename P::dram_observer, dram::row_access>;

    void accessed(std::uint32_t slice, cache_access const& a, std::uint64_t asked, std::uint64_t line,
                  cache_outcome outcome) const {
        if constexpr (tells)
            notify(l2_accessed{slice, asked, address_of(slice, line), a.bytes, a.kind,
                               l2_owner::requester(a.owner), outcome},
                   l2_observer);
    }
    void departed(std::uint32_t slice, departed_line const& d) const {
        if constexpr (tells)
            if (d)
                notify(l2_evicted{slice, address_of(slice, d.line), l2_owner::requester(d.owner),
                                  d.how == line_departure::invalidated},
                       l2_observer);
    }
    void filled(std::uint32_t slice, std::uint64_t local) const {
        if constexpr (tells) notify(l2_filled{slice, address_of(slice, local)}, l2_observer);
    }
    /// Which row a CTA wants, that the L2 has not.
    void wants_row(std::uint32_t slice, std::uint32_t cta, std::uint64_t local) const {
        if constexpr (hears<typename P::dram_observer, dram::row_access>) {
            if (cta == no_cta) return;
            if constexpr (requires { dram_observer.wants_rows(); })
                if (!dram_observer.wants_rows()) return;
            auto const at = map.locate(slice, local);
            dram_observer.on(dram::row_access{at.channel * numbers.banks + at.bank, at.row, cta});
        }
    }

private:
    /// Takes a slice's local address to that of the machine.
    std::uint64_t address_of(std::uint32_t slice, std::uint64_t local) const {
        return map.encode(map.locate(slice, local));
    }
};

} // namespace warpkit
