#pragma once
/// \file
/// Reflection of plain structs of integers: their members as a table of names, units, meanings and places. Boost.Hana
/// knows the members; each struct has a table of notes beside its BOOST_HANA_ADAPT_STRUCT, and a member without a note,
/// or a note without a member, does not compile.

#include <boost/hana/accessors.hpp>
#include <boost/hana/core/to.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/integral_constant.hpp>
#include <boost/hana/length.hpp>
#include <boost/hana/range.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/string.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
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

namespace detail {

struct any_member {
    template <class T>
    operator T() const noexcept;
};
template <class T, std::size_t... I>
constexpr bool takes_initialisers(std::index_sequence<I...>) {
    return requires { T{(static_cast<void>(I), any_member{})...}; };
}
/// The number of members of an aggregate, by the number of initialisers that it takes.
template <class T, std::size_t N = 0>
constexpr std::size_t aggregate_size() {
    if constexpr (takes_initialisers<T>(std::make_index_sequence<N + 1>{}))
        return aggregate_size<T, N + 1>();
    else
        return N;
}

/// Whether the notes of a struct name exactly the members that Hana was told of, in order.
template <class Struct>
constexpr bool notes_match() {
    constexpr auto accessors = boost::hana::accessors<Struct>();
    constexpr auto count = decltype(boost::hana::length(accessors))::value;
    if (std::size(member_notes<Struct>::rows) != count) return false;
    return boost::hana::unpack(accessors, [](auto const&... member) {
        std::size_t at = 0;
        return ((std::string_view(boost::hana::to<char const*>(boost::hana::first(member))) ==
                 member_notes<Struct>::rows[at++].name) &&
                ...);
    });
}

template <class T>
struct is_array : std::false_type {};
template <class T, std::size_t N>
struct is_array<std::array<T, N>> : std::true_type {};

} // namespace detail

/// Whether every member of `Struct` is reflected and has a note. Where a struct is adapted, this is asserted.
template <class Struct>
constexpr bool fully_reflected() {
    return detail::notes_match<Struct>() &&
           detail::aggregate_size<Struct>() == std::size(member_notes<Struct>::rows);
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

template <class Leaf>
void append_leaf(std::vector<field>& to, std::string name, member_note const& note, char const* base,
                 Leaf const& leaf) {
    static_assert(std::is_unsigned_v<Leaf>,
                  "warpkit: reflected members are unsigned integers, bool or arrays of them");
    to.push_back({std::move(name), note.unit, note.meaning,
                  static_cast<std::size_t>(reinterpret_cast<char const*>(&leaf) - base), sizeof(Leaf),
                  std::uint64_t{std::numeric_limits<Leaf>::max()}});
}

template <class Struct>
void append_fields(std::vector<field>& to, std::string const& prefix, char const* base, Struct const& s) {
    std::size_t index = 0;
    boost::hana::for_each(boost::hana::accessors<Struct>(), [&](auto const& accessor) {
        auto const& note = member_notes<Struct>::rows[index++];
        auto const& member = boost::hana::second(accessor)(s);
        using type = std::remove_cvref_t<decltype(member)>;
        if constexpr (is_array<type>::value) {
            for (std::size_t i = 0; i < member.size(); ++i) {
                append_leaf(to, prefix + note.name + '.' + note.elements[i], note, base, member[i]);
                if (!note.meanings.empty()) to.back().meaning = note.meanings[i];
            }
        } else if constexpr (std::is_class_v<type> && !std::is_same_v<type, std::string>) {
            append_fields(to, prefix + note.name + '.', base, member);
        } else if constexpr (std::is_integral_v<type>) {
            append_leaf(to, prefix + note.name, note, base, member);
        }
    });
}

} // namespace detail

/// All integers in a reflected struct, members of members included, in order of declaration. Texts are left out.
template <class Outer>
std::vector<field> fields_of() {
    static Outer const sample{};
    std::vector<field> fields;
    detail::append_fields(fields, "", reinterpret_cast<char const*>(&sample), sample);
    return fields;
}

/// The field of that name, or null.
inline field const* find_field(std::vector<field> const& fields, std::string_view name) noexcept {
    for (auto const& f : fields)
        if (f.name == name) return &f;
    return nullptr;
}

} // namespace warpkit
