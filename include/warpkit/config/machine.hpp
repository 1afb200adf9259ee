#pragma once
/// \file
/// Machines put together by name: a preset's numbers, and a policy in each seat.
///
///     using mine = presets::gtx480::with<use::warp_scheduler<lrr>, use::dram_scheduler<dram::fcfs>>;
///
/// In any order, and again on the result. Inside, the seats are a compile-time map: a class with a base for each, of
/// which the compiler deduces the one that fits. (A map of Boost.Hana does the same in half a second of GCC 12.)

#include <warpkit/base/memory_space.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/config/preset.hpp>
#include <warpkit/machine/seats.hpp>

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace warpkit {

namespace detail {
/// One behind the other. (In `a + b`, GCC 12 sees overlaps and overruns where there are none: GCC bug 105651.)
inline std::string joined(std::initializer_list<std::string_view> parts) {
    std::string s;
    for (auto const part : parts) s.append(part);
    return s;
}
} // namespace detail

/// The name by which a policy is known: its common name, or the `name` or `name()` that it gives itself; caches are
/// spelled by their parts. That of its class for a policy that has none.
template <class P>
std::string display_name() {
    if constexpr (std::is_same_v<P, no_observer>)
        return "none";
    else if constexpr (requires { typename P::first_alternative; })
        return display_name<typename P::first_alternative>();
    else if constexpr (requires {
                           typename P::index_policy;
                           typename P::write_policy_type;
                       })
        return detail::joined({"cache<", display_name<typename P::index_policy>(), ", ",
                               display_name<typename P::replacement_policy_type>(), ", ",
                               display_name<typename P::allocation_policy_type>(), ", ",
                               display_name<typename P::write_policy_type>(), ">"});
    else if constexpr (requires {
                           typename P::index_policy;
                           typename P::replacement_policy_type;
                       })
        return detail::joined({"texture_cache<", display_name<typename P::index_policy>(), ", ",
                               display_name<typename P::replacement_policy_type>(), ">"});
    else if constexpr (requires {
                           { P::on_miss(memory_space::local) } -> std::same_as<write_miss>;
                           requires !P::is_read_only;
                       })
        return detail::joined({P::name(), " ", name_of(P::on_miss(memory_space::local))});
    else
        return common_name<P>;
}

/// A seat and the name of the policy in it.
struct slot_and_policy {
    std::string slot;
    std::string policy;
    friend bool operator==(slot_and_policy const&, slot_and_policy const&) = default;
};

/// Stands for the policy that a machine has in a seat.
struct preset_policy {
    static constexpr char const* name() noexcept { return "preset"; }
};

namespace detail {

/// How often `Seat` is among All.
template <class Seat, class... All>
inline constexpr int times_named = ((same_seat<Seat, All> ? 1 : 0) + ... + 0);

/// A seat whatever sits there, as a key.
template <template <class> class Seat>
struct seat_key {};
template <template <class> class Seat, class P>
seat_key<Seat> key_of(Seat<P> const*);
template <class Seat>
using key = decltype(key_of(static_cast<Seat const*>(nullptr)));

/// Seat -> what sits there, as a class with a base for each.
template <class Key, class Seat>
struct held {};
template <class... Seat>
struct held_seats : held<key<Seat>, Seat>... {};
/// What sits there: Seat is deduced from the one base that fits.
template <class Key, class Seat>
std::type_identity<Seat> in_seat(held<Key, Seat> const&);

/// What U... have for a seat; itself where they name it not.
template <class Seat, class... U>
constexpr auto replacement() {
    if constexpr (times_named<Seat, U...> != 0)
        return decltype(in_seat<key<Seat>>(held_seats<U...>()))();
    else
        return std::type_identity<Seat>();
}

/// Refuses, with one message, the first policy that cannot take its seat. Whether all can.
template <class... Seat>
constexpr bool check_seats() {
    return (Seat::check() && ...);
}

} // namespace detail

template <class Numbers, class... Use>
struct machine;

namespace detail {

/// M with the uses U... in their slots; M itself, after one message, when they do not fit.
template <class M, class... U>
struct with_uses;
template <class Numbers, class... Use, class... U>
struct with_uses<machine<Numbers, Use...>, U...> {
    static constexpr auto make() {
        using same = machine<Numbers, Use...>;
        constexpr bool uses = (is_seat<U> && ...);
        static_assert(uses,
                      "warpkit: with<> takes policies with their seat, as in with<use::warp_scheduler<lrr>>; "
                      "machine/seats.hpp lists the seats");
        if constexpr (uses) {
            constexpr bool known = ((times_named<U, Use...> == 1) && ...);
            constexpr bool once = ((times_named<U, U...> == 1) && ...);
            static_assert(known,
                          "warpkit: with<> names a seat that this machine does not have; machine/seats.hpp "
                          "lists the seats");
            static_assert(once, "warpkit: with<> names a seat twice; keep one policy for each seat");
            if constexpr (known && once)
                return std::type_identity<
                    machine<Numbers, typename decltype(replacement<Use, U...>())::type...>>();
            else
                return std::type_identity<same>();
        } else {
            return std::type_identity<same>();
        }
    }
    using type = typename decltype(make())::type;
};

/// The policies of a machine as the engines take them; checked, ahead of anything that uses them.
template <class... Use>
struct checked_policies {
    static_assert((static_cast<void>(check_seats<Use...>()), true)); // each check says itself what is wrong
    using type = warpkit::policies<Use...>;
};

template <class Numbers, class Seats>
struct machine_of;
template <class Numbers, class... Seat>
struct machine_of<Numbers, seat_list<Seat...>> {
    using type = machine<Numbers, Seat...>;
};

} // namespace detail

/// A machine: `Numbers::numbers()` is its preset, and `Use...` a policy for every seat, in the order of all_seats.
template <class Numbers, class... Use>
struct machine {
    /// The same machine with other policies.
    template <class... Other>
    using with = typename detail::with_uses<machine, Other...>::type;

    /// The same policies with another preset's numbers: `Other::numbers()`.
    template <class Other>
    using with_numbers = machine<Other, Use...>;

    /// What both engines take. Here the policies are checked, ahead of anything that uses them.
    using policies = typename detail::checked_policies<Use...>::type;

    /// What sits in a seat, and the seat with it: machine::seat<use::l2>::policy.
    template <template <class> class Seat>
    using seat = typename decltype(detail::replacement<Seat<preset_policy>, Use...>())::type;

    static preset const& numbers() { return Numbers::numbers(); }
    /// The preset's numbers, to be changed with set_number() and checked with check().
    static gpu_parameters parameters() { return detail::numbers_of<Numbers>(); }

    /// The names of seats and policies, in the order of the seats.
    static std::vector<slot_and_policy> describe() {
        return {{Use::name, display_name<typename Use::policy>()}...};
    }
};

/// A preset's numbers, and in every seat what sits there unless a machine says otherwise (machine/seats.hpp).
template <class Numbers>
using standard_machine = typename detail::machine_of<Numbers, all_seats>::type;

/// A row of the list of seats.
struct seat_row {
    std::string name;     ///< as in `use::name`
    std::string decides;  ///< what its policy decides
    std::string standard; ///< the policy that sits there unless a machine says otherwise
    std::string contract; ///< the header that says what a policy must do
};

namespace detail {
template <class... Seat>
std::vector<seat_row> rows_of(seat_list<Seat...>) {
    return {{Seat::name, Seat::decides, display_name<typename Seat::policy>(), Seat::contract}...};
}
} // namespace detail

/// All seats, in the order of all_seats.
inline std::vector<seat_row> seat_rows() { return detail::rows_of(all_seats{}); }

} // namespace warpkit
