#pragma once
/// \file
/// What a launch asks for, held against its kernel before anything runs: arguments, extent, cluster, and whether it can
/// be timed.

#include <warpkit/base/byte_range.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/frontend/device.hpp>
#include <warpkit/frontend/ptx/kernel.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/frontend/ptx/resident_cta.hpp>
#include <warpkit/frontend/ptx/special_values.hpp>
#include <warpkit/program/stream.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace warpkit::ptx {

inline constexpr std::uint32_t most_shared_of_cta = 1U << cluster_shift; ///< bytes
inline constexpr std::uint32_t most_threads_of_cta = 1024;
inline constexpr std::uint32_t most_ctas_in_cluster = 16; ///< where the kernel does not say
inline constexpr char const* untimed_remedy =
    "run the program without timing (WARPKIT_TIMING=off, or executor::run_cta)";

/// Throws warpkit::error where there is no thread to run, or a CTA has too many.
inline void require_threads(kernel const& k, launch_request const& request) {
    auto const where = "kernel " + k.name() + ": ";
    if (request.grid.count() == 0 || request.block.count() == 0)
        throw error(where + "expected a grid and a block of at least one thread");
    if (request.block.count() > most_threads_of_cta)
        throw error(where + "expected at most 1024 threads per CTA, found " +
                    std::to_string(request.block.count()));
}

/// The argument block, padded to its alignment. Throws warpkit::error where its size is not that of the parameters.
inline aligned_bytes<64> arguments_of(kernel const& k, std::vector<std::byte> const& given) {
    auto const size = k.parameter_bytes();
    auto const align = std::uint64_t{k.parameter_align()};
    auto const padded = (size + align - 1) / align * align;
    if (given.size() != size && given.size() != padded) {
        std::string list;
        for (auto const& p : k.parameters())
            list +=
                (list.empty() ? "" : ", ") + std::to_string(p.size) + " bytes at " + std::to_string(p.offset);
        throw error("kernel " + k.name() + " takes " + std::to_string(size) + " bytes of arguments (" +
                    (list.empty() ? "none" : list) + "), found " + std::to_string(given.size()));
    }
    aligned_bytes<64> arguments;
    arguments.resize(padded);
    if (!given.empty()) std::memcpy(arguments.data(), given.data(), given.size());
    return arguments;
}

/// The extent of a cluster: of the kernel, or of the launch. Throws warpkit::error where the two do not fit together.
inline dim3 cluster_of(kernel const& k, launch_request const& request) {
    auto const where = "kernel " + k.name() + ": ";
    auto const text = [](dim3 d) {
        return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
    };
    auto const& own = k.cluster();
    bool const asked = request.cluster != dim3{0, 0, 0};
    if (asked && request.cluster.count() == 0)
        throw error(where + "expected clusters of at least one CTA along each dimension, found " +
                    text(request.cluster));
    if (asked && own.required.count() != 0 && own.required != request.cluster)
        throw error(where + "its .reqnctapercluster is " + text(own.required) +
                    ", and the launch asks for clusters of " + text(request.cluster));
    if (own.is_explicit && !asked && own.required.count() == 0)
        throw error(where + "it is .explicitcluster: give the launch the extent of its clusters");
    dim3 const cluster = asked ? request.cluster : own.required.count() != 0 ? own.required : dim3{};
    if (request.grid.x % cluster.x != 0 || request.grid.y % cluster.y != 0 || request.grid.z % cluster.z != 0)
        throw error(where + "expected a grid of whole clusters of " + text(cluster) + ", found " +
                    text(request.grid));
    auto const most =
        own.most_ctas != 0 ? std::min(own.most_ctas, most_ctas_in_cluster) : most_ctas_in_cluster;
    if (cluster.count() > most)
        throw error(where + "expected at most " + std::to_string(most) + " CTAs in a cluster, found " +
                    std::to_string(cluster.count()));
    if (request.cooperative && cluster.count() > 1)
        throw error(where + "clusters of several CTAs in a cooperative launch are not supported");
    return cluster;
}

/// The extent of a launch whose threads have a stack of `stack_bytes` where functions call themselves. Throws
/// warpkit::error where it is more than a CTA can have.
inline launch_extent extent_of(kernel const& k, launch_request const& request, std::uint64_t stack_bytes) {
    auto const where = "kernel " + k.name() + ": ";
    launch_extent e;
    auto const shared = saturated_sum(k.shared_bytes(), request.dynamic_shared_bytes);
    if (shared > most_shared_of_cta)
        throw error(where + "a CTA takes " + std::to_string(shared) +
                    " bytes of shared memory, there are at most " + std::to_string(most_shared_of_cta));
    e.grid = request.grid;
    e.block = request.block;
    e.shared_bytes = static_cast<std::uint32_t>(shared);
    e.threads = static_cast<std::uint32_t>(request.block.count());
    e.warps = (e.threads + lanes - 1) / lanes;
    if (k.recurses() && stack_bytes % 16 != 0)
        throw error(where + "expected a stack of a multiple of 16 bytes, found " + std::to_string(stack_bytes));
    e.local_bytes = saturated_sum(k.local_bytes(), k.recurses() ? stack_bytes : 0);
    if (saturated_product(e.local_bytes, std::uint64_t{e.warps} * lanes) > (1ULL << 32))
        throw error(where + "expected less than 4 GiB of local memory per CTA" +
                    (k.recurses() ? ", stacks included" : ""));
    e.cluster = cluster_of(k, request);
    e.cooperative = request.cooperative;
    return e;
}

/// Throws warpkit::error for what can be executed and not timed (docs/model/ptx.md#untimed).
inline void require_timed(kernel const& k, bool cooperative) {
    if (cooperative)
        throw error(
            "kernel " + k.name() +
            ": cooperative launches are executed and not timed: no machine knows how long CTAs wait for "
            "each other; " +
            untimed_remedy);
    for (auto const& o : k.operations())
        if (o.untimed)
            throw error("kernel " + k.name() + ": " + k.opcode(o.index) + " at " + k.place(o.index) +
                        " is executed and not timed: no machine knows its time; " + untimed_remedy);
}

} // namespace warpkit::ptx
