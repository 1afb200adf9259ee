#pragma once

#include <warpkit/base/one_of.hpp>
#include <warpkit/lsu/check.hpp>
#include <warpkit/lsu/transaction.hpp>

namespace warpkit {

/// One of these coalescers, at first the first one.
template <class... P>
class one_coalescer : public one_of<P...> {
    static_assert((check_coalescer<P>() && ...));

public:
    using first_alternative = typename detail::first_of<P...>::type;
    static constexpr char const* name() noexcept { return "one_coalescer"; }

    using one_of<P...>::one_of;
    void operator()(warp_access const& a, bool bypasses_l1, transaction_list& out) const noexcept {
        this->ask([&](auto const& p) { p(a, bypasses_l1, out); });
    }
    friend bool operator==(one_coalescer const&, one_coalescer const&) = default;
};

} // namespace warpkit
