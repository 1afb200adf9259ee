#pragma once

#include <warpkit/base/one_of.hpp>
#include <warpkit/fetch/concepts.hpp>

namespace warpkit::fetch {

/// One of these fetch orders, at first the first one.
template <class... P>
class one_fetch_order : public one_of<P...> {
    static_assert((check_fetch_order<P>() && ...));

public:
    static constexpr char const* name() noexcept { return "one_fetch_order"; }

    using one_of<P...>::one_of;
    warp_slot pick(warp_set candidates) const noexcept {
        warp_slot w;
        this->ask([&](auto const& p) { w = p.pick(candidates); });
        return w;
    }
    friend bool operator==(one_fetch_order const&, one_fetch_order const&) = default;
};

/// One of these instruction prefetchers, at first the first one.
template <class... P>
class one_instruction_prefetch : public one_of<P...> {
    static_assert((check_instruction_prefetch<P>() && ...));

public:
    static constexpr char const* name() noexcept { return "one_instruction_prefetch"; }

    using one_of<P...>::one_of;
    bool wants(fetched const& e, unsigned occupied) const noexcept {
        bool does = false;
        this->ask([&](auto const& p) { does = p.wants(e, occupied); });
        return does;
    }
    unsigned lines() const noexcept {
        unsigned n = 1;
        this->ask([&](auto const& p) { n = lines_ahead(p); });
        return n;
    }
    friend bool operator==(one_instruction_prefetch const&, one_instruction_prefetch const&) = default;
};

} // namespace warpkit::fetch
