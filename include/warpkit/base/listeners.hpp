#pragma once
/// \file
/// Several listeners in one seat.

#include <warpkit/base/listen.hpp>

namespace warpkit {

namespace detail {
template <class L>
struct one_listener {
    L value{};
    friend bool operator==(one_listener const&, one_listener const&) = default;
};
} // namespace detail

/// Each of L... hears what it listens to, in their order.
///
///     using machine = presets::gtx480::with<use::observer<listeners<report::timeline, my_statistics>>>;
///     values.observer = {report::timeline(file), my_statistics()};
///     ... g.cores()[0].observer().get<my_statistics>()
template <class... L>
class listeners : detail::one_listener<L>... {
    static_assert((check_listener<L>() && ...));

public:
    static constexpr bool forwards_events = true;

    listeners() = default;
    listeners(L const&... all) requires(sizeof...(L) != 0) : detail::one_listener<L>{all}... {}

    template <class E>
    requires(hears<L, E> || ...) void on(E const& e) { notify(e, get<L>()...); }
    /// Whether any of them hears E, where one tells that only when it is made.
    template <class E>
    requires(hears_some<L> || ...) bool listens() const noexcept { return (hears_now<E>(get<L>()) || ...); }
    template <class T>
    T& get() noexcept {
        return static_cast<detail::one_listener<T>&>(*this).value;
    }
    template <class T>
    T const& get() const noexcept {
        return static_cast<detail::one_listener<T> const&>(*this).value;
    }

    friend bool operator==(listeners const&, listeners const&) = default;
};

} // namespace warpkit
