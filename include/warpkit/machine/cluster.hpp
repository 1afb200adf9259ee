#pragma once
/// \file
/// Clusters of CTAs on a machine (docs/model/clusters.md): where a cluster's CTAs are, and what their cores tell each
/// other. In both engines.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/machine/launch.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/program/async_words.hpp>
#include <warpkit/program/stream.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace warpkit {

/// As many as hardware lets be (CUDA C++ Programming Guide, "Thread Block Clusters": 8, or 16 on request).
inline constexpr unsigned most_ctas_in_cluster = 16;

/// The cluster of a resident CTA, where its kernel has clusters.
struct cta_cluster {
    std::uint64_t id = 0;   ///< of those that were sent, from 1 on; 0: the kernel has none
    std::uint16_t rank = 0; ///< of the CTA
    std::uint16_t ctas = 1;
    std::array<std::uint16_t, most_ctas_in_cluster> core{}; ///< by rank: where they are

    constexpr explicit operator bool() const noexcept { return id != 0; }
    friend bool operator==(cta_cluster const&, cta_cluster const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(id, rank, ctas);
    }
};

/// The core on which an address of shared memory lies, as a CTA of this cluster has it on core `own`.
constexpr unsigned core_of_address(cta_cluster const& c, std::uint64_t address, unsigned own) noexcept {
    auto const number = static_cast<std::uint32_t>(address) >> cluster_shift;
    auto const rank = number - first_cluster_rank;
    return number == 0 || rank >= c.ctas ? own : c.core[rank];
}

/// Whether one of the cluster's CTAs is on this core.
constexpr bool is_on(cta_cluster const& c, unsigned core) noexcept {
    for (unsigned rank = 0; rank < c.ctas; ++rank)
        if (c.core[rank] == core) return true;
    return false;
}
/// Warps of a CTA that have instructions.
inline std::uint32_t live_warps(cta_stream const& s) noexcept {
    return static_cast<std::uint32_t>(
        std::count_if(s.warps.begin(), s.warps.end(), [](auto const& w) { return !w.empty(); }));
}

/// An access to shared memory on another core of a group, or its answer.
struct cluster_message {
    std::uint16_t from = 0;
    std::uint16_t to = 0;
    bool is_answer = false;
    access_kind kind = access_kind::load;
    packet_warp warp = 0;     ///< on whose behalf
    std::uint32_t token = 0;  ///< the asker's handle; not of stores
    std::uint32_t data = 0;   ///< bytes that the lanes access, all together
    std::uint32_t cycles = 1; ///< that the access has the banks for
    bool signals = false;     ///< it is an event of an mbarrier's phase, of the CTA that follows
    std::uint16_t rank = 0;
    std::uint32_t phase = 0;
    std::uint64_t cluster = 0;
    friend bool operator==(cluster_message const&, cluster_message const&) = default;
};
/// On the wire: a header, and the data that goes along.
constexpr std::uint32_t bytes_of(cluster_message const& m) noexcept {
    bool const carries = m.is_answer ? m.kind != access_kind::store : m.kind != access_kind::load;
    return packet_header + (carries ? m.data : 0);
}
/// Cycles in which a core's end of the network is taken.
constexpr std::uint32_t cycles_of(cluster_message const& m, std::uint32_t bandwidth) noexcept {
    return (bytes_of(m) + bandwidth - 1) / bandwidth;
}
/// The same message on its way back.
constexpr cluster_message answer_to(cluster_message m) noexcept {
    std::swap(m.from, m.to);
    m.is_answer = true;
    return m;
}

/// An event of a phase of another CTA's mbarrier, on the core `from`: as a store without data, behind which it comes.
inline cluster_message signal_to(cta_cluster const& c, phase_name const& p, unsigned from,
                                 warp_slot w) noexcept {
    cluster_message m;
    m.from = static_cast<std::uint16_t>(from);
    m.to = c.core[p.rank];
    m.kind = access_kind::store;
    m.warp = static_cast<packet_warp>(w.index());
    m.signals = true;
    m.rank = static_cast<std::uint16_t>(p.rank);
    m.phase = p.phase;
    m.cluster = c.id;
    return m;
}

/// What a warp did to the barrier of its cluster.
struct cluster_arrival {
    cycle at = 0;
    std::uint64_t cluster = 0;
    bool exited = false;      ///< it has no instructions left, else: it arrives
    std::uint32_t phases = 0; ///< in which it has arrived so far, this one included
    friend bool operator==(cluster_arrival const&, cluster_arrival const&) = default;
};

/// Throws `error` where cores of a group would hear of each other sooner than a link of the networks takes.
inline void check_cluster_latency(gpu_parameters const& p) {
    if (p.cluster.cores == 0) return;
    auto const link = cycles_of_link(p);
    for (auto const& [name, latency] : {std::pair{"cluster.latency", p.cluster.latency},
                                        std::pair{"cluster.barrier_latency", p.cluster.barrier_latency}})
        if (latency < link)
            throw error({name, " = ", latency, " is below the ", link,
                         " core cycles that a link of the networks takes; nearest legal value: ", link});
    if (p.cluster.bandwidth == 0) throw error("cluster.bandwidth = 0 B; nearest legal value: 1 B");
}
/// Whether CTAs of a launch need to be told of their clusters.
inline bool uses_clusters(kernel_launch const& l) noexcept {
    auto const& code = l.program->instructions;
    return l.cluster.count() > 1 || std::any_of(code.begin(), code.end(), [](auto const& i) {
               return i.cluster != cluster_role::none;
           });
}
/// Throws `error` for a launch whose clusters this machine cannot have. `alone`: no other kernel is on the machine
/// beside it.
inline void check_clusters(gpu_parameters const& p, kernel_launch const& l, bool alone) {
    if (!uses_clusters(l)) return;
    auto const n = l.cluster.count();
    auto const refuse = [&](std::initializer_list<message_part> why) {
        throw error(
            {"kernel '", l.program->name, "' has clusters of ", n, n == 1 ? " CTA" : " CTAs", joined(why)});
    };
    if (p.cluster.cores == 0)
        refuse({", and the machine has no groups of cores for them; set cluster.cores (a GPC's), "
                "cluster.latency, cluster.bandwidth and cluster.barrier_latency, or run the program without "
                "timing (WARPKIT_TIMING=off, or executor::run_cta)"});
    if (n == 0 || n > most_ctas_in_cluster) refuse({"; a cluster has 1 to ", most_ctas_in_cluster});
    if (l.grid.x % l.cluster.x != 0 || l.grid.y % l.cluster.y != 0 || l.grid.z % l.cluster.z != 0)
        refuse({", of which its grid of ", l.grid.x, " x ", l.grid.y, " x ", l.grid.z, " is no multiple"});
    if (!alone)
        refuse(
            {", and other kernels may be on the machine beside it; set core.kernels=1 and a kernel dispatch "
             "that gives whole cores, as leftover"});
    auto const cores = std::min(p.cluster.cores, p.core.count);
    if (auto const fit = std::uint64_t{ctas_per_core(p, l)} * cores; fit < n)
        refuse({", but a group of ", cores, " cores holds ", fit,
                "; launch smaller clusters or CTAs, or set cluster.cores or the cores' resources higher"});
}

} // namespace warpkit
