#pragma once
/// \file
/// Texts put together from words and numbers.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
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

} // namespace warpkit
