#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/cta/kernel_dispatch.hpp>

namespace warpkit {

/// Whether CTAs of several kernels may be on a core at once.
enum class core_use : bool { whole, shared };

/// The oldest kernel first: a younger one gets what it leaves. With whole cores (the default), cores without a CTA that
/// it does not need; with shared ones, what room is left on a core once all its CTAs have gone out.
/// Source: GPGPU-Sim's `select_kernel`, which stays with a kernel until it has no CTA left; whole cores are its
/// default, shared ones `-gpgpu_concurrent_kernel_sm 1` (docs/model/dispatch.md#leftover). The left-over policy of
/// hardware, as Wang et al., HPCA 2016, and others describe it, shares cores.
/// Differs from GPGPU-Sim: which kernel follows is the oldest, not the next in the order of its table.
class leftover {
public:
    static constexpr char const* name() noexcept { return "leftover"; }
    static constexpr char const* summary() noexcept {
        return "the oldest kernel first, younger ones get what it leaves (GPGPU-Sim)";
    }
    constexpr leftover() = default;
    constexpr explicit leftover(core_use cores) noexcept : cores_(cores) {}

    constexpr bool shares_cores() const noexcept { return cores_ == core_use::shared; }
    constexpr unsigned share(unsigned, unsigned, unsigned cores) const noexcept { return cores; }
    constexpr unsigned pick(kernels_on_core const& core) const noexcept {
        for (unsigned i = 0; i < core.size(); ++i)
            if (core[i].waits) return core[i].fits ? i : no_kernel;
        return no_kernel;
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const&) noexcept { return {}; }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"cores", "of one kernel at a time, or shared by several"}, self.cores_, words_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(cores_);
    }
    friend bool operator==(leftover const&, leftover const&) = default;

private:
    static constexpr parameter_word<core_use> words_[] = {{"whole", core_use::whole},
                                                          {"shared", core_use::shared}};
    core_use cores_ = core_use::whole;
};
static_assert(kernel_dispatch<leftover>);

} // namespace warpkit
