#pragma once
/// \file
/// What a kernel launch is on a machine: how many of its CTAs fit a core, and the events that begin it.

#include <warpkit/base/byte_range.hpp>
#include <warpkit/base/clock.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/cta/events.hpp>
#include <warpkit/cta/fit.hpp>
#include <warpkit/cta/occupancy.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/program/stream.hpp>

#include <cstdint>

namespace warpkit {

/// Throws `error` where bytes that the host copies to the device would lie beyond the 64-bit address space.
inline void check_copy(std::uint64_t address, std::uint64_t bytes) {
    if (!lies_within(address, bytes, ~std::uint64_t{0} - 127)) // up to the last line of a cache
        throw error({"a copy of ", bytes, " B from the host to address ", address,
                     " leaves the 64-bit address space"});
}

/// What a CTA of a launch takes of a core, as its code says.
inline cta_needs needs_of(kernel_launch const& l) {
    cta_needs n;
    n.threads = static_cast<unsigned>(l.block.count());
    n.registers_per_thread = l.program->registers_per_thread;
    n.shared_bytes = l.shared_bytes;
    return n;
}
/// What a core of a machine has for CTAs.
inline core_resources resources_of(gpu_parameters const& p) {
    core_resources r;
    r.threads = p.core.threads;
    r.ctas = p.core.ctas;
    r.registers = p.core.registers;
    r.shared_bytes = p.core.shared_bytes;
    return r;
}
/// The same CTA compiled for a machine: registers that were estimated are no more than it has for a thread.
inline cta_needs compiled_for(gpu_parameters const& p, cta_needs n, bool registers_estimated) {
    if (registers_estimated && n.registers_per_thread > p.core.max_registers_per_thread)
        n.registers_per_thread = p.core.max_registers_per_thread;
    return n;
}
/// Throws `error` for a kernel with an instruction for a unit that the machine has not.
inline void check_units(gpu_parameters const& p, static_program const& program) {
    auto const refuse = [&](static_instruction const& i, char const* what, char const* unit,
                            char const* number) {
        auto const line = i.source_line != 0
                              ? joined({" at line ", i.source_line})
                              : joined({" (instruction ",
                                        static_cast<std::uint64_t>(&i - program.instructions.data()), ")"});
        throw error({"kernel '", program.name, "': ", what, line, " needs ", unit, ", which the machine '",
                     p.name, "' has not (", number, " = 0): take a preset that has, or set ", number,
                     " and what belongs to it (docs/model/asynchronous.md)"});
    };
    for (auto const& i : program.instructions) {
        if (i.async == async_role::bulk_copy && !has_bulk_copies(p.async))
            refuse(i, "cp.async.bulk", "a unit for bulk copies", "async.copy_queue");
        if (i.async == async_role::product && !has_group_products(p.async))
            refuse(i, "wgmma", "tensor cores for warpgroups", "async.product_columns");
        if (i.async >= async_role::tensor_allocate && !has_tensor_memory(p.async))
            refuse(i, "tcgen05", "tensor memory", "async.tensor_memory");
    }
}
/// The most CTAs of a launch that a core holds at once. Throws `error` if not even one fits.
inline unsigned ctas_per_core(gpu_parameters const& p, kernel_launch const& l) {
    auto const fit = require_fit(
        l.program->name, compiled_for(p, needs_of(l), l.program->registers_estimated), resources_of(p));
    if (l.cluster.count() > 1)
        return fit.ctas; // which core a cluster's CTAs go to is not for the grid to say
    return limited_to_grid(fit, l.ctas(), p.core.count).ctas;
}
/// Bytes of shared memory that a core's unified memory gives kernels that use `used` of it: the least that the L1
/// leaves, 8, 16, 32 or 64 KiB, or all that there can be (docs/model/load_store.md#carve-out).
constexpr std::uint32_t carved_out(gpu_parameters const& p, std::uint64_t used) noexcept {
    auto const least = p.core.unified_bytes - p.l1d.size;
    for (auto const bytes : {least, 8U << 10, 16U << 10, 32U << 10, 64U << 10})
        if (bytes >= least && bytes <= p.core.shared_bytes && used <= bytes) return bytes;
    return p.core.shared_bytes > least ? p.core.shared_bytes : least;
}
/// Lines of the L1 data cache while CTAs on a core use so much shared memory, all together: whole ways of it.
constexpr std::uint32_t l1_lines(gpu_parameters const& p, std::uint64_t used) noexcept {
    if (p.l1d.size == 0) return 0;
    auto const sets = p.l1d.size / p.l1d.line / p.l1d.ways;
    if (p.core.unified_bytes == 0) return sets * p.l1d.ways;
    auto const left = std::uint64_t{p.core.unified_bytes} - carved_out(p, used);
    auto const ways =
        (2 * p.l1d.ways * left + p.l1d.size) / (2 * std::uint64_t{p.l1d.size}); // rounded, as there
    return sets * static_cast<std::uint32_t>(ways == 0 ? 1 : ways);
}
/// What the policies of core number `core` are told, `fit` CTAs of which fit it.
inline kernel_began began_on(gpu_parameters const& p, kernel_launch const& l, unsigned fit, unsigned core) {
    kernel_began e;
    e.program = l.program;
    e.core = core;
    e.cores = p.core.count;
    e.warp_slots = p.core.threads / lanes;
    e.ctas_per_core = fit;
    e.warps_per_cta = l.warps_per_cta();
    e.instruction_bytes = p.core.instruction_bytes;
    e.code = l.program->instructions.data();
    e.instructions = static_cast<std::uint32_t>(l.program->instructions.size());
    e.addresses = l.addresses;
    e.schedulers = p.core.schedulers;
    e.l1_lines = l1_lines(p, std::uint64_t{l.shared_bytes} * fit);
    e.first_fetch = p.core.first_fetch;
    return e;
}
/// Core cycles from its beginning to its first CTA.
inline cycle launch_cycles(gpu_parameters const& p, kernel_launch const& l) noexcept {
    return p.core.kernel_launch_cycles + p.core.cta_launch_cycles * l.ctas();
}
/// What the choice of block is told; of a launch with clusters, which are dispatched as a whole, clusters in the place
/// of CTAs and groups of cores in that of cores (docs/model/clusters.md#dispatch).
inline grid_began grid_on(gpu_parameters const& p, kernel_launch const& l, unsigned fit) {
    grid_began e;
    e.program = l.program;
    e.grid_x = l.grid.x;
    e.grid_y = l.grid.y;
    e.grid_z = l.grid.z;
    e.cores = p.core.count;
    e.ctas_per_core = fit;
    e.addresses = l.addresses;
    e.line = p.l1d.line;
    if (auto const ctas = static_cast<unsigned>(l.cluster.count()); ctas > 1) {
        e.grid_x = l.grid.x / l.cluster.x;
        e.grid_y = l.grid.y / l.cluster.y;
        e.grid_z = l.grid.z / l.cluster.z;
        e.cores = (p.core.count + p.cluster.cores - 1) / p.cluster.cores;
        auto const cores = p.cluster.cores < p.core.count ? p.cluster.cores : p.core.count;
        e.ctas_per_core = fit * cores / ctas;
        e.addresses = nullptr; // they are of CTAs
    }
    return e;
}
/// Throws `error`: a machine on which a kernel has failed still holds its CTAs, and can run no other one.
[[noreturn, gnu::cold]] inline void refuse_to_begin(kernel_launch const& l) {
    throw error({"kernel '", l.program->name,
                 "' cannot begin: the last one has not ended on this machine; make a new machine"});
}
/// Throws `error` for a kernel without instructions, and for one of which some have control bits and some have none.
inline void check_code(static_program const& program) {
    auto const& all = program.instructions;
    if (all.empty()) throw error({"kernel '", program.name, "' has no instructions"});
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].control.given != all[0].control.given)
            throw error({"kernel '", program.name, "': of instructions 0 and ", i,
                         ", one has control bits and the other has none; give them to all or to none"});
}
/// Ticks in which a clock of 1 kHz ticks once: all clocks of the machine tick at whole ones. Throws `error` for a
/// clock that stands still.
inline std::uint64_t tick_rate(gpu_parameters const& p) {
    std::uint64_t const clocks[] = {p.clock.core, p.clock.interconnect, p.clock.l2, p.clock.dram};
    for (auto const c : clocks)
        if (c == 0)
            throw error("clock: a frequency of 0 kHz; set all of clock.core, interconnect, l2 and dram");
    return common_tick_rate(clocks, 4);
}

/// Core cycles, of which the last may be a part, that a link of the networks takes: so long nobody hears of others.
/// Precondition: clocks that do not stand still.
inline cycle cycles_of_link(gpu_parameters const& p) {
    auto const rate = tick_rate(p);
    auto const period = rate / p.clock.core;
    return (rate / p.clock.interconnect * p.network.link_cycles + period - 1) / period;
}

} // namespace warpkit
