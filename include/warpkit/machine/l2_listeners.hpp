#pragma once
/// \file
/// Whoever listens at a memory partition, and how an L2 slice tells them what it does: in both engines.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/row_access.hpp>
#include <warpkit/dram/scheduler.hpp>
#include <warpkit/machine/l2_events.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>

#include <cstdint>

namespace warpkit {

/// P is a memory_policies. Addresses are those within the slice.
template <class P>
struct l2_listeners {
    dram::address_mapping const& map;
    std::uint32_t banks; ///< of a DRAM channel
    typename P::l2_observer& l2_observer;
    typename P::dram_observer& dram_observer;

    static constexpr bool tells = hears_l2<typename P::l2_observer>;
    /// And whether the observer listens (hears_now).
    bool told() const noexcept {
        return hears_now<l2_accessed>(l2_observer) || hears_now<l2_evicted>(l2_observer) ||
               hears_now<l2_filled>(l2_observer);
    }
    /// The same of what is done for a core.
    bool told_of([[maybe_unused]] unsigned core) const noexcept {
        if constexpr (requires { l2_observer.hears_of(core); })
            return l2_observer.hears_of(core);
        else
            return told();
    }
    /// Somebody hears in which order slices do things.
    bool told_in_order() const noexcept {
        if (hears_now<dram::row_access>(dram_observer)) return true;
        if constexpr (requires { requires P::l2_observer::takes_slices_in_any_order; })
            return false;
        else
            return told();
    }
    /// The DRAM scheduler goes by who asks.
    static constexpr bool dram_asks = dram::asks_who<typename P::dram_scheduler>;

    /// Throws `error` where one of them cannot tell so many cores apart.
    [[gnu::cold]] static void check(gpu_parameters const& p) {
        if ((tells || dram_asks) && p.core.count > l2_owner::most_cores)
            throw error(
                {"core.count = ", p.core.count,
                 " is more than an L2 observer, or a DRAM scheduler that goes by cores, can tell apart; "
                 "nearest legal value: ",
                 l2_owner::most_cores});
    }
    /// `asked` is the address as the packet has it, `line` that of the line; the rest as in l2_accessed.
    void accessed(std::uint32_t slice, cache_access const& a, std::uint64_t asked, std::uint64_t line,
                  cache_outcome outcome, std::uint32_t born, cycle ready, cycle at) const {
        if (hears_now<l2_accessed>(l2_observer))
            notify(l2_accessed{slice, asked, address_of(slice, line), a.bytes, a.kind,
                               l2_owner::requester(a.owner), outcome, born, ready, at},
                   l2_observer);
    }
    void departed(std::uint32_t slice, departed_line const& d) const {
        if constexpr (tells)
            if (d && hears_now<l2_evicted>(l2_observer))
                notify(l2_evicted{slice, address_of(slice, d.line), l2_owner::requester(d.owner),
                                  d.how == line_departure::invalidated},
                       l2_observer);
    }
    void filled(std::uint32_t slice, std::uint64_t local, cycle at) const {
        if (hears_now<l2_filled>(l2_observer))
            notify(l2_filled{slice, address_of(slice, local), at}, l2_observer);
    }
    /// Which row a CTA wants, that the L2 has not.
    void wants_row(std::uint32_t slice, std::uint32_t cta, std::uint64_t local) const {
        if constexpr (hears<typename P::dram_observer, dram::row_access>) {
            if (cta == no_cta || !hears_now<dram::row_access>(dram_observer)) return;
            auto const at = map.locate(slice, local);
            dram_observer.on(dram::row_access{at.channel * banks + at.bank, at.row, cta});
        }
    }

private:
    /// Takes a slice's local address to that of the machine.
    std::uint64_t address_of(std::uint32_t slice, std::uint64_t local) const {
        return map.address(slice, local);
    }
};

/// Who has sent a packet, as an L2 keeps owners of lines.
constexpr warp_slot l2_owner_of(packet const& p) noexcept {
    return l2_owner::of({p.core, p.warp == packet{}.warp ? no_warp : warp_slot{p.warp}});
}

} // namespace warpkit
