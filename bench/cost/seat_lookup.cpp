// What it costs a compiler to find the policies of twenty seats on ten machines, each with one policy replaced: by
// deduction from a class with a base for each seat, as config/machine.hpp does (MAP=0), or in a map of Boost.Hana
// (MAP=1):
//
//     for map in 0 1; do time g++ -std=c++20 -fsyntax-only -Iinclude -DMAP=$map bench/cost/seat_lookup.cpp; done
//
// It prints nothing, and is not part of any build.
#include <cstddef>
#include <type_traits>
#include <utility>

template <std::size_t Seat>
struct key {};
template <std::size_t Seat, std::size_t Policy>
struct sitting {};

#if MAP
#include <boost/hana/at_key.hpp>
#include <boost/hana/erase_key.hpp>
#include <boost/hana/insert.hpp>
#include <boost/hana/map.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/type.hpp>

namespace hana = boost::hana;

template <std::size_t Policy, std::size_t... Seat>
auto machine(std::index_sequence<Seat...>) {
    auto const preset =
        hana::make_map(hana::make_pair(hana::type_c<key<Seat>>, hana::type_c<sitting<Seat, 0>>)...);
    constexpr std::size_t one = Policy % sizeof...(Seat);
    return hana::insert(hana::erase_key(preset, hana::type_c<key<one>>),
                        hana::make_pair(hana::type_c<key<one>>, hana::type_c<sitting<one, Policy>>));
}
template <class Machine, std::size_t Seat>
using policy_of = typename decltype(+std::declval<Machine>()[hana::type_c<key<Seat>>])::type;
#else
template <class Key, class Policy>
struct held {};
template <class... Held>
struct map : Held... {};
template <class Key, class Policy>
std::type_identity<Policy> find(held<Key, Policy> const&);

template <std::size_t Policy, std::size_t... Seat>
auto machine(std::index_sequence<Seat...>) {
    constexpr std::size_t one = Policy % sizeof...(Seat);
    return map<held<key<Seat>, sitting<Seat, Seat == one ? Policy : 0>>...>();
}
template <class Machine, std::size_t Seat>
using policy_of = typename decltype(find<key<Seat>>(std::declval<Machine const&>()))::type;
#endif

template <std::size_t Policy, std::size_t... Seat>
constexpr bool all_found(std::index_sequence<Seat...> seats) {
    using made = decltype(machine<Policy>(seats));
    return (
        std::is_same_v<policy_of<made, Seat>, sitting<Seat, Seat == Policy % sizeof...(Seat) ? Policy : 0>> &&
        ...);
}
template <std::size_t... Policy>
constexpr bool all_machines(std::index_sequence<Policy...>) {
    return (all_found<Policy>(std::make_index_sequence<20>()) && ...);
}
static_assert(all_machines(std::make_index_sequence<10>()));
