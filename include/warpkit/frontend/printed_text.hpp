#pragma once
/// \file
/// The text that printf makes in kernels, from a format and from arguments wherever they lie.

#include <warpkit/base/standard.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace warpkit {

namespace detail {

/// A piece of text is no longer than this: kernels may ask for any width.
inline constexpr std::int64_t most_printed = 1 << 20;

/// One conversion of a format: %[flags][width][.precision][length]letter.
struct print_conversion {
    std::size_t end = 0; ///< behind it in the format; 0: this is none
    char letter = 0;
    std::string flags;
    std::optional<std::int64_t> width;
    std::optional<std::int64_t> precision;
    unsigned bits = 32; ///< of an integer

    /// As the host's printf takes it, for an argument with this length.
    std::string spelled(char const* length) const {
        auto const bounded = [](std::int64_t n) { return std::to_string(std::min(n, most_printed)); };
        auto t = "%" + flags;
        if (width) t += bounded(*width);
        if (precision) t += "." + bounded(*precision);
        return t + length + letter;
    }
};

/// The conversion whose % stands before `at`; `star()` is the next argument, for a width or a precision.
template <class Star>
print_conversion read_conversion(std::string_view format, std::size_t at, Star const& star) {
    auto const next = [&] { return at < format.size() ? format[at] : '\0'; };
    auto const is_one_of = [&](std::string_view some) {
        return next() != 0 && some.find(next()) != some.npos;
    };
    auto const number = [&]() -> std::int64_t {
        if (next() == '*') return ++at, std::clamp<std::int64_t>(star(), -most_printed, most_printed);
        std::int64_t n = 0;
        for (; next() >= '0' && next() <= '9'; ++at) n = std::min(10 * n + (next() - '0'), most_printed);
        return n;
    };
    print_conversion c;
    while (is_one_of("-+ #0")) c.flags += format[at++];
    if (is_one_of("*123456789")) c.width = number();
    if (c.width.value_or(0) < 0) {
        c.flags += '-';
        c.width = -*c.width;
    }
    if (next() == '.') {
        ++at;
        if (auto const n = number(); n >= 0) c.precision = n;
    }
    for (; is_one_of("hlLjzt"); ++at) c.bits = next() != 'h' ? 64 : c.bits == 16 ? 8 : 16;
    if (!is_one_of("diouxXcsfFeEgGaAp%")) return {};
    c.letter = next();
    c.end = at + 1;
    return c;
}

} // namespace detail

/// What printf prints of a format (CUDA C++ Programming Guide, "Formatted Output"). What is no conversion stands as it
/// is. `arguments` gives the next argument: integer(bits), of so many bits as the caller passed it, 32 or 64;
/// real(); text(most), a string of which no more than `most` characters count, all where that says nothing.
template <class Arguments>
std::string printed_text(std::string_view format, Arguments& arguments) {
    std::string out;
    for (std::size_t i = 0; i < format.size();) {
        if (format[i] != '%') {
            out += format[i++];
            continue;
        }
        auto const c = detail::read_conversion(
            format, i + 1, [&] { return std::int64_t{static_cast<std::int32_t>(arguments.integer(32))}; });
        if (c.end == 0) {
            out += format[i++];
            continue;
        }
        i = c.end;
        auto const print = [&](char const* length, auto value) {
            auto const spec = c.spelled(length);
            auto const n = std::snprintf(nullptr, 0, spec.c_str(), value);
            if (n <= 0) return;
            auto const before = out.size();
            out.resize(before + static_cast<std::size_t>(n) + 1);
            std::snprintf(out.data() + before, static_cast<std::size_t>(n) + 1, spec.c_str(), value);
            out.pop_back();
        };
        auto const integer = [&] { return arguments.integer(c.bits == 64 ? 64U : 32U) << (64 - c.bits); };
        switch (c.letter) {
        case '%':
            out += '%';
            break;
        case 's':
            print("", arguments.text(c.precision).c_str());
            break;
        case 'd':
        case 'i':
            print("ll", static_cast<long long>(integer()) >> (64 - c.bits));
            break;
        case 'o':
        case 'u':
        case 'x':
        case 'X':
            print("ll", static_cast<unsigned long long>(integer() >> (64 - c.bits)));
            break;
        case 'c':
            print("", static_cast<int>(arguments.integer(32)));
            break;
        case 'p':
            print("", std::bit_cast<void*>(static_cast<std::uintptr_t>(arguments.integer(64))));
            break;
        default:
            print("", arguments.real());
        }
    }
    return out;
}

} // namespace warpkit
