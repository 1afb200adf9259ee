#pragma once
/// \file
/// Page policies: whether a row is closed before another row is asked for.
///
/// Contract: `close_after(hits_waiting)` is asked once, when a bank has sent the last column command of its request.
/// `hits_waiting` tells whether the queue holds another request to the open row. True: the bank precharges as soon as
/// its timing and the bus allow, unless it is given a request to that very row before. It is const and depends on its
/// argument and the policy's own value only. Regular values: copy, compare, hash.

#include <warpkit/base/hash.hpp>

#include <concepts>

namespace warpkit::dram {

template <class P>
concept page_policy = regular_state<P> && requires(P const& p, bool hits_waiting) {
    { p.close_after(hits_waiting) } -> std::same_as<bool>;
};

/// Rows stay open until the bank serves a request to another row (SPEC 6.4). Source: GPGPU-Sim, which has no other.
struct open_page {
    static constexpr char const* name = "open_page";
    constexpr bool close_after(bool) const noexcept { return false; }
    friend bool operator==(open_page const&, open_page const&) = default;
};

/// A row is closed once no queued request asks for it. Source: Rixner et al., ISCA 2000, "closed" precharge policy.
/// Differs from the paper: by explicit precharge commands, not by auto-precharge.
struct closed_page {
    static constexpr char const* name = "closed_page";
    constexpr bool close_after(bool hits_waiting) const noexcept { return !hits_waiting; }
    friend bool operator==(closed_page const&, closed_page const&) = default;
};

static_assert(page_policy<open_page> && page_policy<closed_page>);

} // namespace warpkit::dram
