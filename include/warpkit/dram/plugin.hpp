#pragma once
/// \file
/// The seat of a controller plug-in: it sees each command of a DRAM channel and may have the controller send its own.

#include <warpkit/base/hash.hpp>
#include <warpkit/dram/refresh.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/timing.hpp>

#include <concepts>

namespace warpkit::dram {

/// Contract:
///   - `static constexpr char const* name()`.
///   - `attach(timing)`: it sits in a channel with this table. Impossible numbers throw `warpkit::error`.
///   - `on(command)`: each command is sent, its own too, in the order of the bus.
///   - `next(order)`: whether it wants a command now; if so it has written it, and will not ask for this one again. It
///     is asked behind each cycle in which a command was sent, as long as the controller has room for orders.
///   - Regular values: copy, compare, hash. No time but that of the commands; what is random comes from a seed.
/// The controller closes the order's banks first, as for a refresh, and sends it when the table allows.
template <class P>
concept controller_plugin = regular_state<P> &&
    requires(P& p, timing const& t, command const& c, refresh_order& o) {
    p.attach(t);
    p.on(c);
    { p.next(o) } -> std::same_as<bool>;
};

/// None: the seat costs nothing.
struct no_plugin {
    static constexpr char const* name() noexcept { return "no_plugin"; }
    static constexpr void attach(timing const&) noexcept {}
    static constexpr void on(command const&) noexcept {}
    static constexpr bool next(refresh_order&) noexcept { return false; }
    template <class F>
    constexpr void each_member(F&& f) const {
        f();
    }
    friend bool operator==(no_plugin const&, no_plugin const&) = default;
};

static_assert(controller_plugin<no_plugin>);

} // namespace warpkit::dram
