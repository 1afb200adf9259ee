#pragma once

/// Random kernels on random machines of random policies, on both engines. Three kinds of machines, as what the fast
/// engine may leave out depends on who listens; each is compiled in a file of its own.

#include "gpu/random_work.hpp"

#include <cstdint>
#include <string>

namespace warpkit::reference_test {

/// What the seed makes of a kind of machine: where the engines part, or nothing if they do not.
///   told: every event of cores, L2s and DRAM channels is compared; any scheduler, CTA choice, limit, replay queue and
///   cache. deaf: nobody listens, so the engine does all that it can to be fast; as the published machines. mesh: as
///   deaf, on a mesh, with other fetch orders, prefetchers, coalescers and page policies.
std::string told_machine(std::uint64_t seed);
std::string deaf_machine(std::uint64_t seed);
std::string mesh_machine(std::uint64_t seed);

/// Loads that a data prefetcher can foresee, on the mesh machine. Nothing, if the engines agree and it does.
std::string strided_loads();
/// The reference is a value: a copy runs on as it does itself, and compares equal as long as both have run the same.
std::string forks();

/// A CTA leaves while one of its warps has arrived at a barrier at which nobody waits; the next CTA in its place uses
/// that barrier.
std::string arrivals_left_over();

/// A load of shared and global memory, whose parts come one long before the other, or the other way around.
std::string late_parts();

/// A wait for asynchronous copies lasts until the data of as many groups have come as it says, and no longer.
std::string copies_by_groups();

/// Transactions in a replay queue that were refused for want of a place in the queue of misses are tried again as soon
/// as there is one.
std::string replays_wait_for_room();

using gpu_test::random_numbers;

/// Gives some kernels control bits, which then need not make sense: all that matters is that both engines obey.
inline void control(random_numbers& r, kernel_builder& b) {
    if (!r.chance(25)) return;
    for (std::uint32_t i = 0; i < b.program().instructions.size(); ++i) {
        control_bits c;
        c.stall = static_cast<std::uint8_t>(r.chance(70) ? r.below(4) : r.below(16));
        c.yield = r.chance(20);
        if (r.chance(50)) c.write_counter = static_cast<std::uint8_t>(r.below(control_bits::counters));
        if (r.chance(30)) c.read_counter = static_cast<std::uint8_t>(r.below(control_bits::counters));
        c.reuse = static_cast<std::uint8_t>(r.below(16));
        if (r.chance(50)) c.wait_mask = static_cast<std::uint8_t>(r.below(1U << control_bits::counters));
        b.control(i, c);
    }
}

/// Two kernels, one after the other on a machine that stays warm, between them a copy from the host. `Both` is a
/// both_engines.
template <class Both>
std::string run_pair(std::uint64_t seed, gpu_test::random_kernel& first, Both& both) {
    random_numbers r(seed + 77);
    control(r, first.builder());
    auto parted = both.run(first.builder().launch());
    if (!parted.empty()) return parted;
    both.copied_from_host(0xC0000000 + r.below(1U << 12) * 16, r.below(1U << 14));
    gpu_test::random_kernel second(seed + 5000,
                                   {.body = 6, .iterations = 1, .max_warps = first.warps(), .max_ctas = 4});
    control(r, second.builder());
    parted = both.run(second.builder().launch());
    return parted.empty() ? parted : "the second kernel: " + parted;
}

} // namespace warpkit::reference_test
