#pragma once

#include <warpkit/base/one_of.hpp>
#include <warpkit/warp/check.hpp>

namespace warpkit {

/// One of these warp schedulers, at first the first one: for programs that would otherwise compile every machine once
/// for each.
///
///     one_warp_scheduler<lrr, gto> scheduler = gto{};
template <class... P>
class one_warp_scheduler : public one_of<P...> {
    static_assert((check_warp_scheduler<P>() && ...));

public:
    static constexpr char const* name() noexcept { return "one_warp_scheduler"; }

    using one_of<P...>::one_of;
    warp_slot pick(warp_set candidates, issue_classes const& classes) const noexcept {
        warp_slot w;
        this->ask([&](auto const& p) { w = pick_warp(p, candidates, classes); });
        return w;
    }
    warp_set eligible(warp_set candidates, issue_classes const& classes) const noexcept {
        warp_set s;
        this->ask([&](auto const& p) { s = eligible_warps(p, candidates, classes); });
        return s;
    }
    friend bool operator==(one_warp_scheduler const&, one_warp_scheduler const&) = default;
};

} // namespace warpkit
