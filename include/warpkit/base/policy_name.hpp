#pragma once
/// \file
/// Names of policies. A policy names itself with `static constexpr char const* name()`; a composition's name is made
/// of its parts' names at compile time, and reads like its type.

#include <warpkit/base/standard.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace warpkit {

namespace detail {
template <std::size_t Size>
struct text_block {
    char at[Size];
};
} // namespace detail

/// P names itself.
template <class P>
concept named = requires {
    { P::name() } -> std::convertible_to<char const*>;
};

namespace detail {

/// What the compiler calls P, without the namespaces that it is in.
template <class P>
struct type_name {
    static constexpr text_block<128> make() noexcept {
        text_block<128> name{};
        char const* from =
            __PRETTY_FUNCTION__; // "... [with P = user::policy<3>]" with GCC, "... [P = ...]" with Clang
        while (!(from[0] == 'P' && from[1] == ' ' && from[2] == '=' && from[3] == ' ')) ++from;
        from += 4;
        char const* end = from;
        int depth = 0;
        for (char const* at = from; *at != 0; ++at) {
            end = at; // the last character is the bracket's
            if (*at == '<' || *at == '(' || *at == '{') ++depth;
            if (*at == '>' || *at == ')' || *at == '}') --depth;
            if (depth == 0 && at[0] == ':' && at[1] == ':') from = at + 2;
        }
        for (unsigned i = 0; i + 1 < sizeof name.at && from + i != end; ++i) name.at[i] = from[i];
        return name;
    }
    static constexpr text_block<128> text = make();
};

} // namespace detail

/// The name of P: its name(), or that of its class where it has none.
template <class P>
constexpr char const* policy_name() noexcept {
    static_assert(
        !requires {
            { P::name } -> std::convertible_to<char const*>;
        },
        "warpkit: a policy names itself with a function: `static constexpr char const* name() noexcept { "
        "return \"mine\"; }`");
    if constexpr (named<P>)
        return P::name();
    else
        return detail::type_name<P>::text.at;
}

/// The name under which the literature knows a composition; its own name where there is none. Specialised beside the
/// alias, as for `gto`.
template <class P>
inline constexpr char const* common_name = policy_name<P>();

/// What P does, in one line, as its optional `static constexpr char const* summary()` says it; empty where it says
/// nothing.
template <class P>
constexpr char const* policy_summary() noexcept {
    if constexpr (requires {
                      { P::summary() } -> std::convertible_to<char const*>;
                  })
        return P::summary();
    else
        return "";
}

/// A number as a part of a composed name.
template <std::uint64_t Value>
struct number_in_name {
    static constexpr char const* name() noexcept { return text_.at; }

private:
    static constexpr detail::text_block<21> make() noexcept {
        detail::text_block<21> reversed{};
        std::size_t digits = 0;
        for (auto rest = Value; digits == 0 || rest != 0; rest /= 10)
            reversed.at[digits++] = static_cast<char>('0' + rest % 10);
        detail::text_block<21> text{};
        for (std::size_t i = 0; i < digits; ++i) text.at[i] = reversed.at[digits - 1 - i];
        return text;
    }
    static constexpr detail::text_block<21> text_ = make();
};

/// "outer<first, second>", where Outer, First, ... are types with a name; a part without one appears as its class.
template <class Outer, class... Part>
struct composed_name {
    static constexpr char const* name() noexcept { return text_.at; }

private:
    static constexpr std::size_t length(char const* s) noexcept {
        std::size_t n = 0;
        while (s[n] != '\0') ++n;
        return n;
    }
    static constexpr std::size_t size_ =
        length(policy_name<Outer>()) + (length(policy_name<Part>()) + ... + 0) + 2 * sizeof...(Part) + 1;
    static constexpr detail::text_block<size_> make() noexcept {
        detail::text_block<size_> text{};
        std::size_t at = 0;
        auto const put = [&](char const* s) {
            while (*s != '\0') text.at[at++] = *s++;
        };
        put(policy_name<Outer>());
        char const* before = "<";
        ((put(before), put(policy_name<Part>()), before = ", "), ...);
        put(">");
        return text;
    }
    static constexpr detail::text_block<size_> text_ = make();
};

} // namespace warpkit
