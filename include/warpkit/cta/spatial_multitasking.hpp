#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/cta/kernel_dispatch.hpp>

namespace warpkit {

/// Each kernel has an even share of the cores, one more for the oldest where they do not divide. What a kernel cannot
/// use goes to the others (docs/model/dispatch.md#whole-cores).
/// Source: Adriaens, Compton, Kim, Schulte: The Case for GPGPU Spatial Multitasking, HPCA 2012; its even split.
/// Differs from the paper: shares follow kernels as they come and go, and nobody's CTAs are taken off a core.
class spatial_multitasking {
public:
    static constexpr char const* name() noexcept { return "spatial_multitasking"; }
    static constexpr char const* summary() noexcept {
        return "an even share of the cores for each kernel (spatial multitasking)";
    }
    constexpr unsigned share(unsigned kernel, unsigned kernels, unsigned cores) const noexcept {
        return cores / kernels + (kernel < cores % kernels ? 1 : 0);
    }
    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}.add("kernel of the core", bits_for(shape.cores));
    }
    friend bool operator==(spatial_multitasking const&, spatial_multitasking const&) = default;
};
static_assert(kernel_dispatch<spatial_multitasking>);

} // namespace warpkit
