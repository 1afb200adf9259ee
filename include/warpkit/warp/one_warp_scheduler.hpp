#pragma once

#include <warpkit/base/one_of.hpp>
#include <warpkit/warp/check.hpp>

#include <new>

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
        return picker_[this->index()](this->held(), candidates, classes);
    }
    /// Whether the one in charge goes by the classes that it is asked with.
    bool wants_classes() const noexcept { return wants_classes_[this->index()]; }
    warp_set eligible(warp_set candidates, issue_classes const& classes) const noexcept {
        warp_set s;
        this->ask([&](auto const& p) { s = eligible_warps(p, candidates, classes); });
        return s;
    }
    friend bool operator==(one_warp_scheduler const&, one_warp_scheduler const&) = default;

private:
    template <class Q>
    static warp_slot pick_of(void const* held, warp_set candidates, issue_classes const& classes) noexcept {
        return pick_warp(*std::launder(static_cast<Q const*>(held)), candidates, classes);
    }
    static constexpr warp_slot (*picker_[])(void const*, warp_set,
                                            issue_classes const&) noexcept = {&pick_of<P>...};
    static constexpr bool wants_classes_[] = {asks_classes<P>...};
};

} // namespace warpkit
