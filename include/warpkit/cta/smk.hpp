#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/cta/kernel_dispatch.hpp>

#include <cstdint>

namespace warpkit {

/// Simultaneous multikernel: kernels share each core fairly, by dominant resource fairness. A kernel's dominant share
/// of a core is the largest of the parts of threads, CTA slots, registers and shared memory that its CTAs take. What a
/// core is to hold is found by giving the kernel of the least share one CTA more, the oldest of several, as long as one
/// fits; a kernel without CTAs to send is given no more than it has. Who holds less than that is served, the least
/// share first; for who finds no room, it is kept.
/// Source: Wang, Yang, Melhem, Childers, Zhang, Guo: Simultaneous Multikernel GPU: Multi-tasking Throughput Processors
/// via Fine-Grained Sharing, HPCA 2016, from memory; Ghodsi et al.: Dominant Resource Fairness, NSDI 2011.
/// Differs from the paper: nobody's CTAs are preempted, so that who holds too much gives it back as its CTAs end; and
/// warp schedulers give kernels no quotas (docs/model/dispatch.md#smk).
class smk {
public:
    static constexpr char const* name() noexcept { return "smk"; }
    static constexpr char const* summary() noexcept {
        return "kernels share each core by dominant resource fairness (simultaneous multikernel)";
    }

    constexpr unsigned pick(kernels_on_core const& core) const noexcept {
        unsigned goal[kernels_on_core::most_kernels]{};
        std::uint64_t part[kernels_on_core::most_kernels]{};
        divide(core, goal, part);
        unsigned best = no_kernel;
        for (unsigned i = 0; i < core.size(); ++i)
            if (core.may(i) && core[i].ctas < goal[i] &&
                (best == no_kernel || core[i].ctas * part[i] < core[best].ctas * part[best]))
                best = i;
        return best;
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        auto const kernels = std::uint64_t{kernels_on_core::most_kernels};
        return hardware_cost_list{}
            .add("CTAs of each kernel", kernels * bits_for(shape.cta_slots + 1))
            .add("CTAs due to each kernel", kernels * bits_for(shape.cta_slots + 1))
            .add("dominant share of a CTA of each kernel", kernels * share_bits_);
    }
    friend bool operator==(smk const&, smk const&) = default;

private:
    static constexpr unsigned share_bits_ = 16; ///< of the fraction of a core

    /// What one CTA takes of the resource of which it takes the largest part.
    static constexpr std::uint64_t dominant(cta_share const& cta, core_resources const& core) noexcept {
        std::uint64_t most = 0;
        auto const look = [&most](std::uint64_t need, std::uint64_t has) {
            auto const part = has == 0 ? 0 : (need << share_bits_) / has;
            if (part > most) most = part;
        };
        look(cta.threads, core.threads);
        look(1, core.ctas);
        look(cta.registers, core.registers);
        look(cta.shared_bytes, core.shared_bytes);
        return most;
    }
    /// The CTAs that each is to hold, and the dominant share of one of them.
    static constexpr void divide(kernels_on_core const& core, unsigned* goal, std::uint64_t* part) noexcept {
        auto left = core.has;
        for (unsigned i = 0; i < core.size(); ++i) part[i] = dominant(core[i].cta, core.has);
        for (;;) {
            auto best = no_kernel;
            for (unsigned i = 0; i < core.size(); ++i) {
                if (goal[i] >= (core[i].waits ? core[i].most : core[i].ctas)) continue;
                if (room_for(core[i].cta, left).ctas == 0) continue;
                if (best == no_kernel || goal[i] * part[i] < goal[best] * part[best]) best = i;
            }
            if (best == no_kernel) return;
            ++goal[best];
            left = left_by(left, core[best].cta);
        }
    }
};
static_assert(kernel_dispatch<smk>);

} // namespace warpkit
