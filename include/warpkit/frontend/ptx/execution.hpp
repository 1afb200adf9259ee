#pragma once
/// \file
/// What the rooms of the executor share while CTAs run: which CTAs have begun, which has its turn, what its warps see,
/// and how what they execute is counted and written down.

#include <warpkit/frontend/device.hpp>
#include <warpkit/frontend/ptx/async_record.hpp>
#include <warpkit/frontend/ptx/barriers.hpp>
#include <warpkit/frontend/ptx/execution_limits.hpp>
#include <warpkit/frontend/ptx/kernel.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/frontend/ptx/resident_cta.hpp>
#include <warpkit/frontend/ptx/shared_launch.hpp>
#include <warpkit/frontend/ptx/system_state.hpp>
#include <warpkit/frontend/ptx/thread_names.hpp>
#include <warpkit/program/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace warpkit::ptx {

/// Of one executor. Its kernel must outlive it.
struct execution {
    ptx::kernel const* kernel;
    execution_limits limits;
    thread_names names;
    std::uint32_t warps = 0;             ///< of a CTA
    std::vector<resident_cta> cluster;   ///< CTAs of the cluster that runs, by rank
    std::deque<resident_cta> beside;     ///< CTAs that have begun while the one asked for waited for others
    std::uint32_t phases_in_cluster = 0; ///< of the cluster's barrier that are over
    bool watches = false;                ///< whether warps wait for other CTAs
    resident_cta* now = nullptr;         ///< has its turn
    std::uint32_t left = 0;              ///< instructions of the running warp's time slice
    std::uint64_t total = 0;             ///< warp instructions executed, all CTAs together
    std::uint64_t may_execute = 0;    ///< warp instructions of a CTA, before it is looked whether it is stuck
    shared_launch* shared = nullptr;  ///< with executors on other host threads; null: there are none
    std::uint64_t cluster_number = 0; ///< in the launch, where it is shared
    shared_launch::patience patience; ///< likewise
    async_record record;
    system_state system;
    warp_context context; ///< of the running warp

    execution(ptx::kernel const& k, launch_request const& request, execution_limits const& l)
        : kernel(&k),
          limits(l),
          names(k, request.grid, request.block),
          system(l, k.home().source()) {}

    /// Of the cluster to which the CTA that has its turn belongs, where the launch is shared.
    std::uint64_t number_of_running() const {
        return cluster.size() > 1 || now == nullptr ? cluster_number : now->linear;
    }
    /// Of a warp of the CTA that has its turn.
    std::byte* registers_of(std::uint32_t w) {
        return now->registers.data() + std::size_t{w} * kernel->register_bytes();
    }
    waiting_lanes lanes_at_barrier(std::uint32_t w, std::uint32_t id) const {
        return ptx::lanes_at_barrier(now->warps[w].groups, id);
    }

    /// An instruction has been counted that will be, when it stands in the stream.
    void uncount() {
        --context.executed;
        --total;
    }
    /// Counts it and writes it down: a part of a collective ...
    [[gnu::noinline]] void put(std::uint32_t w, std::uint32_t pc, lane_mask mask) {
        ++context.executed;
        ++total;
        now->out->warps[w].append(pc, mask);
    }
    /// ... and of a barrier.
    [[gnu::noinline]] void put_barrier(std::uint32_t w, std::uint32_t pc, lane_mask mask, std::uint32_t id,
                                       std::uint32_t expected) {
        ++context.executed;
        ++total;
        if (kernel->operations()[pc].barrier_in_stream)
            now->out->warps[w].append_barrier(pc, mask, id, expected);
        else
            now->out->warps[w].append(pc, mask);
    }
    /// The memory instruction that was executed last.
    [[gnu::noinline]] void put_access(warp_stream& out, std::uint32_t pc, lane_mask mask) const {
        auto const& c = context;
        if (mask == 0)
            out.append(pc, mask);
        else if (c.regular)
            out.append(pc, mask, c.space, c.address[0], c.stride);
        else
            out.append(pc, mask, c.space, c.address);
    }
    /// Behind the instruction that was executed last.
    [[gnu::noinline]] void put_words(warp_stream& out, lane_mask mask) const {
        if (mask != 0) out.append_words(record.words());
    }
};

} // namespace warpkit::ptx
