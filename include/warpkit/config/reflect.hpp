#pragma once
/// \file
/// Reflection of plain structs of integers: their members as a table of names, units, meanings and places.
/// WARPKIT_REFLECT names the members; each struct has a table of notes beside it, and a member without a note, or a
/// note without a member, does not compile. (Boost.Hana's accessors would tell the same, with a type for each member
/// and tuples of them: over a second of GCC 12 for the numbers of a machine.)

#include <warpkit/base/standard.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpkit {

/// What is known of one member of a struct.
struct member_note {
    char const* name;                           ///< as in the struct
    char const* unit;                           ///< "bytes", "cycles", "kHz", ...; empty for a plain count
    char const* meaning;                        ///< one line
    std::span<char const* const> elements = {}; ///< of a std::array member: its elements' names
    std::span<char const* const> meanings = {}; ///< of the elements, where each has its own
};

/// The notes of a struct's members, in order: specialise with `static constexpr member_note rows[]`.
template <class Struct>
struct member_notes;

/// The members of a struct, by WARPKIT_REFLECT.
template <class Struct>
struct reflected;

/// Tells reflection the members of a plain struct, all of them, in order: WARPKIT_REFLECT(a_struct, x, y). Outside of
/// any namespace.
#define WARPKIT_REFLECT(Struct, ...)                                                                         \
    template <>                                                                                              \
    struct warpkit::reflected<Struct> : Struct {                                                             \
        static constexpr char const* names_ = #__VA_ARGS__;                                                  \
        auto members_() const -> decltype(warpkit::detail::members_of(__VA_ARGS__));                         \
    }

namespace detail {

struct any_member {
    template <class T>
    operator T() const noexcept;
};
template <class T, std::size_t... I>
constexpr bool takes_initialisers(std::index_sequence<I...>) {
    return requires { T{(static_cast<void>(I), any_member{})...}; };
}
template <class... Member>
struct member_list {
    static constexpr std::size_t size = sizeof...(Member);
};
template <class... Member>
member_list<Member...> members_of(Member const&...);
template <class Struct>
using members = decltype(std::declval<reflected<Struct>>().members_());

/// Whether "a, b, c" are the names of the notes, in order.
constexpr bool names_match(std::string_view names, std::span<member_note const> notes) {
    for (auto const& note : notes) {
        auto const end = names.find(',');
        if (names.substr(0, end) != note.name) return false;
        names = end == names.npos ? std::string_view() : names.substr(names.find_first_not_of(' ', end + 1));
    }
    return names.empty();
}

} // namespace detail

/// Whether every member of `Struct` is reflected and has a note. Where a struct is reflected, this is asserted.
template <class Struct>
constexpr bool fully_reflected() {
    constexpr auto count = detail::members<Struct>::size;
    return detail::takes_initialisers<Struct>(std::make_index_sequence<count>{}) &&
           !detail::takes_initialisers<Struct>(std::make_index_sequence<count + 1>{}) &&
           detail::names_match(reflected<Struct>::names_, member_notes<Struct>::rows);
}

/// One integer somewhere in a struct.
struct field {
    std::string name; ///< path from the outermost struct: "l1d.size", "core.latency.fp_mad"
    char const* unit = "";
    char const* meaning = "";
    std::size_t offset = 0; ///< bytes from the start of the outermost struct
    std::size_t size = 0;   ///< bytes: 1, 2, 4 or 8
    std::uint64_t maximum = 0;

    friend bool operator==(field const&, field const&) = default;
};

/// The value of `f` in `from`.
template <class Outer>
std::uint64_t read_field(Outer const& from, field const& f) noexcept {
    auto const* const at = reinterpret_cast<unsigned char const*>(&from) + f.offset;
    auto const as = [at](auto value) {
        std::memcpy(&value, at, sizeof(value));
        return static_cast<std::uint64_t>(value);
    };
    switch (f.size) {
    case 1:
        return as(std::uint8_t{});
    case 2:
        return as(std::uint16_t{});
    case 4:
        return as(std::uint32_t{});
    default:
        return as(std::uint64_t{});
    }
}

/// Stores `value`, at most `f.maximum`, as `f` in `to`.
template <class Outer>
void write_field(Outer& to, field const& f, std::uint64_t value) noexcept {
    auto* const at = reinterpret_cast<unsigned char*>(&to) + f.offset;
    auto const as = [at](auto narrow) { std::memcpy(at, &narrow, sizeof(narrow)); };
    switch (f.size) {
    case 1:
        as(static_cast<std::uint8_t>(value));
        break;
    case 2:
        as(static_cast<std::uint16_t>(value));
        break;
    case 4:
        as(static_cast<std::uint32_t>(value));
        break;
    default:
        as(value);
        break;
    }
}

namespace detail {

/// Where a member lies in its struct, and what it is: an integer, an array of them, a struct, or a text.
struct member_place {
    std::size_t offset = 0;
    std::size_t size = 0;      ///< of an integer
    std::uint64_t maximum = 0; ///< of an integer; 0: it is none
    std::size_t elements = 0;  ///< of an array
    void (*append)(std::vector<field>& to, std::string const& prefix, std::size_t offset) = nullptr;
};
/// Adds the fields of a struct that lies at `offset` in the outermost one.
[[gnu::cold]] inline void append_members(std::vector<field>& to, std::string const& prefix,
                                         std::size_t offset, std::span<member_note const> notes,
                                         member_place const* place) {
    for (auto const& note : notes) {
        auto const& m = *place++;
        auto at = offset + m.offset;
        auto const name = prefix + note.name;
        if (m.append != nullptr) m.append(to, name + '.', at);
        if (m.maximum == 0) continue;
        if (m.elements == 0) to.push_back({name, note.unit, note.meaning, at, m.size, m.maximum});
        for (std::size_t i = 0; i < m.elements; ++i, at += m.size)
            to.push_back({name + '.' + note.elements[i], note.unit,
                          note.meanings.empty() ? note.meaning : note.meanings[i], at, m.size, m.maximum});
    }
}

template <class Struct>
void append_fields(std::vector<field>& to, std::string const& prefix, std::size_t offset);

template <class T>
struct place_of : member_place {
    constexpr place_of() { append = append_fields<T>; }
};
template <>
struct place_of<std::string> : member_place {};
template <std::unsigned_integral Integer>
struct place_of<Integer> : member_place {
    constexpr place_of() {
        size = sizeof(Integer);
        maximum = std::numeric_limits<Integer>::max();
    }
};
template <std::unsigned_integral Integer, std::size_t N>
struct place_of<std::array<Integer, N>> : place_of<Integer> {
    constexpr place_of() { this->elements = N; }
};

/// One member after the other, each aligned as its type is.
template <class Member>
constexpr member_place next_place(std::size_t& end) {
    member_place place = place_of<Member>();
    place.offset = (end + alignof(Member) - 1) / alignof(Member) * alignof(Member);
    end = place.offset + sizeof(Member);
    return place;
}
template <class Struct, class... Member>
constexpr std::array<member_place, sizeof...(Member)> places(member_list<Member...>) {
    std::size_t end = 0;
    std::array<member_place, sizeof...(Member)> const all = {next_place<Member>(end)...};
    if (!std::is_standard_layout_v<Struct> || sizeof(Struct) - end >= alignof(Struct))
        throw "warpkit: a reflected struct has its members one after the other, none of them a bit-field";
    return all;
}

template <class Struct>
void append_fields(std::vector<field>& to, std::string const& prefix, std::size_t offset) {
    static constexpr auto in_struct = places<Struct>(members<Struct>());
    append_members(to, prefix, offset, member_notes<Struct>::rows, in_struct.data());
}

} // namespace detail

/// All integers in a reflected struct, members of members included, in order of declaration. Texts are left out.
template <class Outer>
std::vector<field> fields_of() {
    std::vector<field> fields;
    detail::append_fields<Outer>(fields, "", 0);
    return fields;
}

/// The field of that name, or null.
inline field const* find_field(std::vector<field> const& fields, std::string_view name) noexcept {
    for (auto const& f : fields)
        if (f.name == name) return &f;
    return nullptr;
}

} // namespace warpkit
