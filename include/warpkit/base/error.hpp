#pragma once
/// \file
/// The one exception of warpkit, and how texts like its message are put together. Bad input, an impossible
/// configuration and a stuck simulation all end in it.

#include <warpkit/base/light_error.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

namespace warpkit {

/// A piece of a text: words, or a whole number, which is written in decimal digits.
class message_part {
public:
    message_part(char const* words) noexcept : words_(words) {}
    message_part(std::string const& words) noexcept : words_(words) {}
    message_part(std::string_view words) noexcept : words_(words) {}
    template <std::unsigned_integral T>
    message_part(T number) noexcept : number_(number),
                                      is_number_(true) {}

    void append_to(std::string& text) const {
        if (is_number_)
            text.append(std::to_string(number_));
        else
            text.append(words_);
    }

private:
    std::string_view words_;
    std::uint64_t number_ = 0;
    bool is_number_ = false;
};

/// All of it, as one text. It is what a compiler makes once, where each + of two strings is code of its own.
[[gnu::cold, gnu::noinline]] inline std::string joined(std::initializer_list<message_part> parts) {
    std::string text;
    for (auto const& p : parts) p.append_to(text);
    return text;
}

/// Thrown for everything a user can mend: malformed PTX, an impossible number, a kernel that cannot finish.
/// The message is one sentence that names the place (file:line:column, field, warp, cycle) and the remedy.
class error : public std::runtime_error {
public:
    explicit error(std::string const& message) : std::runtime_error(message) {}
    /// The same in pieces: error({"core ", 3U, " is stuck"}).
    explicit error(std::initializer_list<message_part> message) : std::runtime_error(joined(message)) {}
};

} // namespace warpkit
