#pragma once

#include <warpkit/base/one_of.hpp>
#include <warpkit/cta/kernel_dispatch.hpp>

#include <type_traits>

namespace warpkit {

/// One of these kernel dispatches, at first the first one.
template <class... P>
class one_kernel_dispatch : public one_of<P...> {
    static_assert((check_kernel_dispatch<P>() && ...));

public:
    static constexpr char const* name() noexcept { return "one_kernel_dispatch"; }

    using one_of<P...>::one_of;
    bool shares_cores() const noexcept {
        bool shares = false;
        this->ask([&](auto const& p) { shares = warpkit::shares_cores(p); });
        return shares;
    }
    unsigned share(unsigned kernel, unsigned kernels, unsigned cores) const noexcept {
        unsigned n = cores;
        this->ask([&](auto const& p) {
            if constexpr (parts_cores<std::remove_cvref_t<decltype(p)>>) n = p.share(kernel, kernels, cores);
        });
        return n;
    }
    unsigned pick(kernels_on_core const& core) const noexcept {
        auto n = no_kernel;
        this->ask([&](auto const& p) {
            if constexpr (picks_kernels<std::remove_cvref_t<decltype(p)>>) n = p.pick(core);
        });
        return n;
    }
    friend bool operator==(one_kernel_dispatch const&, one_kernel_dispatch const&) = default;
};

} // namespace warpkit
