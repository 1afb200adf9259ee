#pragma once
/// \file
/// The special registers of a launch: what each warp reads in %tid, %ctaid, %cluster_ctarank and the others. Those that
/// are the same in every CTA are worked out once.

#include <warpkit/frontend/ptx/ast.hpp>
#include <warpkit/frontend/ptx/execution_limits.hpp>
#include <warpkit/frontend/ptx/kernel.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/frontend/ptx/resident_cta.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace warpkit::ptx {

/// What of a launch its threads can ask for.
struct launch_extent {
    dim3 grid;
    dim3 block;
    dim3 cluster; ///< CTAs of one
    std::uint32_t threads = 0;
    std::uint32_t warps = 0;        ///< of a CTA
    std::uint32_t shared_bytes = 0; ///< of a CTA, static and dynamic
    std::uint64_t local_bytes = 0;  ///< of a thread, its stack behind
    bool cooperative = false;
};
/// Where CTA `linear` (x fastest) lies in the grid.
inline dim3 grid_place(dim3 const& grid, std::uint64_t linear) {
    auto const in_y = linear / grid.x;
    return {static_cast<std::uint32_t>(linear % grid.x), static_cast<std::uint32_t>(in_y % grid.y),
            static_cast<std::uint32_t>(in_y / grid.y)};
}

/// Of one launch. The kernel must outlive it.
class special_values {
public:
    special_values() = default;
    special_values(kernel const& k, launch_extent const& launch, execution_limits const& limits)
        : kernel_(&k),
          launch_(launch),
          limits_(limits) {
        for (std::uint32_t w = 0; w < launch_.warps; ++w)
            for (auto const& s : kernel_->special_slots()) {
                auto& all = ready_.emplace_back();
                for (std::uint32_t l = 0; l < lanes; ++l) {
                    auto const v = of_thread(s.which, w, l);
                    std::memcpy(all.data() + std::size_t{l} * s.bytes, &v, s.bytes);
                }
            }
    }

    /// Writes them into the registers of a warp that begins.
    void fill(resident_cta& cta, std::uint32_t warp) const {
        auto* const base = cta.registers.data() + std::size_t{warp} * kernel_->register_bytes();
        auto const& slots = kernel_->special_slots();
        auto const* ready = ready_.data() + warp * slots.size();
        for (auto const& s : slots) {
            auto* const to = base + s.slot;
            auto const all = lanes * std::size_t{s.bytes};
            if (is_of_cta(s.which)) {
                auto const v = of_cta(s.which, cta);
                std::memcpy(to, &v, s.bytes);
                for (std::size_t done = s.bytes; done < all; done += done) std::memcpy(to + done, to, done);
            } else {
                std::memcpy(to, ready->data(), all);
            }
            ++ready;
        }
    }

private:
    static bool is_of_cta(special_register which) noexcept {
        using r = special_register;
        return (which >= r::ctaid_x && which <= r::ctaid_z) ||
               (which >= r::clusterid_x && which <= r::clusterid_z) ||
               (which >= r::cluster_ctaid_x && which <= r::cluster_ctaid_z) || which == r::cluster_ctarank;
    }
    std::uint64_t of_cta(special_register which, resident_cta const& cta) const {
        using r = special_register;
        auto const at = grid_place(launch_.grid, cta.linear);
        switch (which) {
        case r::ctaid_x:
            return at.x;
        case r::ctaid_y:
            return at.y;
        case r::ctaid_z:
            return at.z;
        case r::clusterid_x:
            return at.x / launch_.cluster.x;
        case r::clusterid_y:
            return at.y / launch_.cluster.y;
        case r::clusterid_z:
            return at.z / launch_.cluster.z;
        case r::cluster_ctaid_x:
            return at.x % launch_.cluster.x;
        case r::cluster_ctaid_y:
            return at.y % launch_.cluster.y;
        case r::cluster_ctaid_z:
            return at.z % launch_.cluster.z;
        default:
            return cta.rank;
        }
    }
    // Whatever the CTA.
    std::uint64_t of_thread(special_register which, std::uint32_t warp, std::uint32_t lane) const {
        auto const t = warp * lanes + lane;
        using r = special_register;
        switch (which) {
        case r::tid_x:
            return t % launch_.block.x;
        case r::tid_y:
            return t / launch_.block.x % launch_.block.y;
        case r::tid_z:
            return t / launch_.block.x / launch_.block.y;
        case r::ntid_x:
            return launch_.block.x;
        case r::ntid_y:
            return launch_.block.y;
        case r::ntid_z:
            return launch_.block.z;
        case r::nctaid_x:
            return launch_.grid.x;
        case r::nctaid_y:
            return launch_.grid.y;
        case r::nctaid_z:
            return launch_.grid.z;
        case r::laneid:
            return lane;
        case r::warpid:
            return warp;
        case r::nwarpid:
            return launch_.warps;
        case r::nsmid:
            return limits_.sm_count;
        case r::gridid:
            return limits_.grid_id;
        case r::lanemask_eq:
            return 1U << lane;
        case r::lanemask_le:
            return (2U << lane) - 1;
        case r::lanemask_lt:
            return (1U << lane) - 1;
        case r::lanemask_ge:
            return ~((1U << lane) - 1);
        case r::lanemask_gt:
            return ~((2U << lane) - 1);
        case r::dynamic_smem_size:
            return launch_.shared_bytes - kernel_->shared_bytes();
        case r::total_smem_size:
            return launch_.shared_bytes;
        case r::nclusterid_x:
            return launch_.grid.x / launch_.cluster.x;
        case r::nclusterid_y:
            return launch_.grid.y / launch_.cluster.y;
        case r::nclusterid_z:
            return launch_.grid.z / launch_.cluster.z;
        case r::cluster_nctaid_x:
            return launch_.cluster.x;
        case r::cluster_nctaid_y:
            return launch_.cluster.y;
        case r::cluster_nctaid_z:
            return launch_.cluster.z;
        case r::cluster_nctarank:
            return launch_.cluster.count();
        case r::envreg:
            return launch_.cooperative ? 1 : 0;
        default:
            return 0;
        }
    }

    kernel const* kernel_ = nullptr;
    launch_extent launch_;
    execution_limits limits_;
    std::vector<std::array<std::byte, lanes * 8>> ready_; // by warp and the kernel's special registers
};

} // namespace warpkit::ptx
