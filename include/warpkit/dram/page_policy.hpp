#pragma once
/// \file
/// Page policies: whether a row is closed before another row is asked for.
///
/// Contract: `closes_after(page_use)` is asked when a bank has sent the last column command of a request. It returns
/// for how many cycles the row stays open then: 0 is "close now", `never` is "leave it open". When they are over, the
/// bank precharges as soon as its timing and the bus allow, unless it serves a request to that very row before; then
/// the policy is asked anew. `closes_itself(page_use)` is asked before that last column command is sent: true makes it
/// one with auto-precharge, and `closes_after` is not asked. Both are const and depend on their argument and the
/// policy's own value only. `asks` is false if neither looks at its argument. Regular values: copy, compare, hash.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/parameters.hpp>

#include <concepts>
#include <cstdint>

namespace warpkit::dram {

/// What a page policy may know of an open row.
struct page_use {
    bool hits_waiting = false; ///< the queue holds another request to it
    std::uint32_t columns = 0; ///< column commands since it was opened, the one in question included
};

template <class P>
concept page_policy = regular_state<P> && requires(P const& p, page_use use) {
    { p.closes_after(use) } -> std::same_as<cycle>;
    { p.closes_itself(use) } -> std::same_as<bool>;
    { P::asks } -> std::convertible_to<bool>;
};

/// Rows stay open until the bank serves a request to another row (docs/model/dram.md#open-page).
/// Source: GPGPU-Sim, which has no other.
struct open_page {
    static constexpr char const* name() noexcept { return "open_page"; }
    static constexpr bool asks = false;
    constexpr cycle closes_after(page_use) const noexcept { return never; }
    constexpr bool closes_itself(page_use) const noexcept { return false; }
    friend bool operator==(open_page const&, open_page const&) = default;
};

/// A row is closed once no queued request asks for it.
/// Source: Rixner et al., ISCA 2000, "closed" precharge policy.
/// Differs from the paper: by explicit precharge commands; `auto_precharge_page` is the one without.
struct closed_page {
    static constexpr char const* name() noexcept { return "closed_page"; }
    static constexpr bool asks = true;
    constexpr cycle closes_after(page_use use) const noexcept { return use.hits_waiting ? never : 0; }
    constexpr bool closes_itself(page_use) const noexcept { return false; }
    friend bool operator==(closed_page const&, closed_page const&) = default;
};

/// A row is closed when it was not used for a number of cycles.
/// Source: common practice ("adaptive" pages of memory controllers with a fixed time-out); GPGPU-Sim and the papers
/// have none.
struct timeout_page {
    static constexpr char const* name() noexcept { return "timeout_page"; }
    static constexpr bool asks = false;
    std::uint32_t cycles = 200; ///< from the last column command on
    constexpr cycle closes_after(page_use) const noexcept { return cycles; }
    constexpr bool closes_itself(page_use) const noexcept { return false; }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"cycles", "DRAM cycles without a use after which a row is closed"}, self.cycles);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(cycles);
    }
    friend bool operator==(timeout_page const&, timeout_page const&) = default;
};

/// Each request's last column command closes its row, even if others wait for it.
/// Source: DRAMsim3's CLOSE_PAGE.
struct auto_precharge_page {
    static constexpr char const* name() noexcept { return "auto_precharge_page"; }
    static constexpr bool asks = false;
    constexpr cycle closes_after(page_use) const noexcept { return never; }
    constexpr bool closes_itself(page_use) const noexcept { return true; }
    friend bool operator==(auto_precharge_page const&, auto_precharge_page const&) = default;
};

static_assert(page_policy<open_page> && page_policy<closed_page> && page_policy<timeout_page> &&
              page_policy<auto_precharge_page>);

} // namespace warpkit::dram
