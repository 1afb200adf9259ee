#pragma once
/// \file
/// Kernels at once: which of them gets the next CTA slot of which core (docs/model/dispatch.md#kernels).

#include <warpkit/base/check.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/cta/events.hpp>
#include <warpkit/cta/occupancy.hpp>

#include <concepts>
#include <type_traits>

namespace warpkit {

/// A kernel on the machine, as one core sees it.
struct kernel_on_core {
    unsigned kernel = 0; ///< its number in its group of launches
    unsigned ctas = 0;   ///< that the core holds, as far as the dispatcher knows
    unsigned most = 1;   ///< of them, by what fits a core alone, by the grid and by the occupancy limit
    bool waits = false;  ///< it has CTAs to send, now
    bool fits = false;   ///< one more of them has room here, beside all that the core holds
    cta_share cta;       ///< what one takes
};
/// A core and the kernels on the machine, the oldest first. A view of the host's table.
struct kernels_on_core {
    unsigned core = 0;
    core_resources has; ///< the whole core
    kernel_on_core const* kernel = nullptr;
    unsigned kernels = 0; ///< at most most_kernels

    static constexpr unsigned most_kernels = 128;
    constexpr kernel_on_core const& operator[](unsigned i) const noexcept { return kernel[i]; }
    constexpr unsigned size() const noexcept { return kernels; }
    /// Whether kernel `i` can be served.
    constexpr bool may(unsigned i) const noexcept { return kernel[i].waits && kernel[i].fits; }
};
/// Answered by pick() where the core shall get nothing now.
inline constexpr unsigned no_kernel = ~0U;

/// Gives whole cores: a core has CTAs of one kernel at a time.
///
/// Contract: `share(i, kernels, cores)` is how many of the machine's `cores` nobody takes from the i-th oldest of
/// `kernels` on it, at most all; the host does the rest (docs/model/dispatch.md#whole-cores).
template <class P>
concept parts_cores = requires(P const& p, unsigned n) {
    { p.share(n, n, n) } -> std::same_as<unsigned>;
};
/// Lets kernels share cores.
///
/// Contract: `pick(core)` is const and names the kernel, by its place in the view, that the core gets the next CTA of:
/// one that may() be served, or no_kernel. On a core without CTAs it is not no_kernel if there is one that may.
template <class P>
concept picks_kernels = requires(P const& p, kernels_on_core const& core) {
    { p.pick(core) } -> std::same_as<unsigned>;
};
/// Which kernel gets the next CTA slot of which core?
///
/// Contract: that of parts_cores or of picks_kernels; who can do both says which by `bool shares_cores() const`, which
/// stays what it is. State is regular and changes through group_began (as good as new) and, where cores are shared,
/// kernel_served and kernel_cta_retired.
template <class P>
concept kernel_dispatch = regular_state<P> &&(parts_cores<P> || picks_kernels<P>);

/// Whether this policy lets a core have CTAs of several kernels.
template <class P>
constexpr bool shares_cores(P const& p) noexcept {
    if constexpr (requires { p.shares_cores(); })
        return p.shares_cores();
    else
        return picks_kernels<P>;
}

/// Refuses, with one message that tells the remedy, a type that is no kernel dispatch.
template <class P>
constexpr bool check_kernel_dispatch() {
    if constexpr (!std::is_polymorphic_v<P> && !parts_cores<P> && !picks_kernels<P>) {
        static_assert(
            detail::acceptable<P>,
            "warpkit: a kernel dispatch needs `unsigned share(unsigned kernel, unsigned kernels, unsigned "
            "cores) const noexcept`, to give whole cores, or `unsigned pick(kernels_on_core const&) const "
            "noexcept`, to share them (cta/kernel_dispatch.hpp)");
    } else if constexpr (check_value<P>()) {
        detail::check_handlers<P>(kernel_dispatch_events{});
    }
    return kernel_dispatch<P>;
}

} // namespace warpkit
