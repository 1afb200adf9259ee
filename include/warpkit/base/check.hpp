#pragma once
/// \file
/// Explains, in one message each, why a type is no policy: what the checks of all seats have in common.

#include <warpkit/base/hash.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/parameters.hpp>

#include <concepts>
#include <type_traits>

namespace warpkit {

namespace detail {
/// False, but only once P is known.
template <class P>
inline constexpr bool acceptable = false;
} // namespace detail

/// Refuses, with one message that tells the remedy, a type that is no value as policies are: a class without virtual
/// functions that is default-constructible, copyable, comparable and hashable. Whether it is one.
template <class P>
constexpr bool check_value() {
    if constexpr (!std::is_class_v<P>)
        static_assert(detail::acceptable<P>, "warpkit: a policy is a class");
    else if constexpr (std::is_polymorphic_v<P>)
        static_assert(
            detail::acceptable<P>,
            "warpkit: a policy has no virtual functions, since it is a value and is called directly: remove "
            "`virtual` and the base class, and write the functions of its contract as plain members");
    else if constexpr (!std::default_initializable<P>)
        static_assert(
            detail::acceptable<P>,
            "warpkit: a policy must be default-constructible: give its constructor's parameters defaults");
    else if constexpr (!std::copyable<P>)
        static_assert(detail::acceptable<P>,
                      "warpkit: a policy must be copyable, its state is a value: hold values, not "
                      "references or owning pointers");
    else if constexpr (!std::equality_comparable<P>)
        static_assert(detail::acceptable<P>,
                      "warpkit: a policy's state must be comparable: write "
                      "`friend bool operator==(my_policy const&, my_policy const&) = default;`");
    else if constexpr (!hashable<P>)
        static_assert(detail::acceptable<P>,
                      "warpkit: a policy's state must be hashable, and this one has padding or "
                      "members of unknown kind: "
                      "write `template <class F> constexpr void each_member(F&& f) const { "
                      "f(a_, b_); }` with all members");
    else
        check_parameters<P>();
    return regular_state<P> && !std::is_polymorphic_v<P>;
}

/// Refuses, with one message, an observer that is no value, or whose handlers could never be called: those for `E...`.
template <class P, class... E>
constexpr bool check_observer(event_list<E...> events) {
    static_assert(std::is_class_v<P>, "warpkit: an observer is a class");
    static_assert(
        !std::is_polymorphic_v<P>,
        "warpkit: an observer has no virtual functions, since it is a value and is called directly: remove "
        "`virtual` and write `void on(event const&)` as plain members");
    static_assert(std::regular<P>,
                  "warpkit: an observer is a value: default-constructible, copyable and comparable; write "
                  "`friend bool operator==(my_observer const&, my_observer const&) = default;`");
    detail::check_handlers<P>(events);
    return std::regular<P> && !std::is_polymorphic_v<P>;
}

} // namespace warpkit
