#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/cta/kernel_dispatch.hpp>

#include <vector>

namespace warpkit {

/// Kernels take turns on each core, by their numbers: the next CTA is one of the kernel behind the one that the core
/// got the last from, of those that have a CTA to send and find room. Kernels of one stream are not on the machine
/// together, so streams take turns.
/// Source: the plain alternative that shared cores are compared with; GPGPU-Sim 3.x's `select_kernel` takes turns so,
/// on whole cores.
/// Nobody is kept room for: kernels of large CTAs wait as long as those of small ones fill the gaps.
class kernel_round_robin {
public:
    static constexpr char const* name() noexcept { return "kernel_round_robin"; }
    static constexpr char const* summary() noexcept { return "kernels take turns on each core"; }

    unsigned pick(kernels_on_core const& core) const noexcept {
        auto const last = last_[core.core];
        auto lowest = no_kernel;
        auto next = no_kernel; // the lowest behind the last one
        for (unsigned i = 0; i < core.size(); ++i) {
            if (!core.may(i)) continue;
            if (lowest == no_kernel || core[i].kernel < core[lowest].kernel) lowest = i;
            if (last == nobody_ || core[i].kernel <= last) continue;
            if (next == no_kernel || core[i].kernel < core[next].kernel) next = i;
        }
        return next != no_kernel ? next : lowest;
    }
    void on(group_began const& e) { last_.assign(e.cores, nobody_); }
    void on(kernel_served const& e) noexcept { last_[e.core] = e.kernel; }

    static constexpr hardware_cost_list hardware_cost(core_shape const&) noexcept {
        return hardware_cost_list{}.add("last kernel", bits_for(kernels_on_core::most_kernels));
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(last_);
    }
    friend bool operator==(kernel_round_robin const&, kernel_round_robin const&) = default;

private:
    static constexpr unsigned nobody_ = ~0U;
    std::vector<unsigned> last_; ///< by core: the kernel that it was served of
};
static_assert(kernel_dispatch<kernel_round_robin>);

} // namespace warpkit
