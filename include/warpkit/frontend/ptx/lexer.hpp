#pragma once
/// \file
/// PTX text to tokens, each with its place.

#include <warpkit/frontend/ptx/types.hpp>

#include <bit>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpkit::ptx {

/// What a token is. `dotted` is a directive or modifier with its dot (".global"); `symbol` one punctuation character.
enum class token_kind : std::uint8_t { end, identifier, dotted, integer, float32, float64, string, symbol };

/// One token. `value` holds an integer, or the bits of a floating-point literal.
struct token {
    token_kind kind = token_kind::end;
    std::string_view text;
    position where;
    std::uint64_t value = 0;
    bool touches_previous = false; ///< no white space before it

    bool is(char c) const noexcept { return kind == token_kind::symbol && text[0] == c; }
    bool is(std::string_view s) const noexcept {
        return (kind == token_kind::identifier || kind == token_kind::dotted) && text == s;
    }
};

/// How a message names a token that was not expected.
inline std::string found(token const& t) {
    if (t.kind == token_kind::end) return "the end of the text";
    auto text = std::string(t.text.substr(0, 40));
    for (auto& c : text)
        if (static_cast<unsigned char>(c) < ' ') c = ' ';
    return "'" + text + "'";
}

/// Cuts the text into tokens on demand. Comments and white space separate tokens and are dropped.
class lexer {
public:
    lexer(std::string_view text, std::string_view name) : text_(text), name_(name) {}

    /// The next token; at the end of the text, a token of kind `end` for ever.
    token next() {
        auto const before = at_;
        skip_blanks();
        token t;
        t.where = where();
        t.touches_previous = at_ == before;
        auto const begin = at_;
        if (at_ == text_.size()) return t;
        char const c = text_[at_];
        if (is_digit(c)) {
            number(t);
        } else if (is_name_start(c)) {
            advance();
            while (at_ < text_.size() && is_name(text_[at_])) advance();
            // A vector component or a special register's dimension belongs to the name: %tid.x
            if (c == '%' && peek(0) == '.' && std::string_view("xyzwrgba").find(peek(1)) != npos &&
                !is_name(peek(2))) {
                advance();
                advance();
            }
            t.kind = token_kind::identifier;
        } else if (c == '.' && is_name(peek(1))) {
            advance();
            while (at_ < text_.size() && (is_name(text_[at_]) || (peek(0) == ':' && peek(1) == ':'))) {
                if (text_[at_] == ':') advance();
                advance();
            }
            t.kind = token_kind::dotted;
        } else if (c == '"') {
            advance();
            while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') advance();
            if (at_ == text_.size() || text_[at_] == '\n')
                fail(name_, t.where, "expected '\"' at the end of this string");
            advance();
            t.kind = token_kind::string;
        } else {
            if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~')
                fail(name_, t.where,
                     "expected PTX text, found a byte of value " +
                         std::to_string(static_cast<unsigned char>(c)));
            advance();
            t.kind = token_kind::symbol;
        }
        t.text = text_.substr(begin, at_ - begin);
        return t;
    }

private:
    static constexpr auto npos = std::string_view::npos;
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    static bool is_name_start(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
    }
    static bool is_name(char c) { return is_name_start(c) ? c != '%' : is_digit(c); }
    char peek(std::size_t n) const { return at_ + n < text_.size() ? text_[at_ + n] : '\0'; }
    position where() const { return {line_, static_cast<std::uint32_t>(at_ - line_begin_ + 1)}; }
    void advance() {
        if (text_[at_] == '\n') {
            ++line_;
            line_begin_ = at_ + 1;
        }
        ++at_;
    }
    void skip_blanks() {
        for (;;) {
            char const c = peek(0);
            if (at_ < text_.size() &&
                (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v')) {
                advance();
            } else if (c == '/' && peek(1) == '/') {
                while (at_ < text_.size() && text_[at_] != '\n') advance();
            } else if (c == '/' && peek(1) == '*') {
                auto const begin = where();
                advance();
                advance();
                while (at_ < text_.size() && !(peek(0) == '*' && peek(1) == '/')) advance();
                if (at_ == text_.size())
                    fail(name_, begin, "expected '*/' to end this comment, found the end of the text");
                advance();
                advance();
            } else if (c == '\0' && at_ + 1 == text_.size()) {
                advance(); // a text that was embedded as a C string
            } else {
                return;
            }
        }
    }
    static int hex_digit(char c) {
        if (is_digit(c)) return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        if (c >= 'A' && c <= 'F') return c - 'A' + 10;
        return -1;
    }
    void number(token& t) {
        char const second = peek(1);
        if (peek(0) == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
            bool const single = second == 'f' || second == 'F';
            advance();
            advance();
            unsigned digits = 0;
            for (; hex_digit(peek(0)) >= 0; advance(), ++digits)
                t.value = t.value << 4 | static_cast<unsigned>(hex_digit(peek(0)));
            if (digits != (single ? 8U : 16U))
                fail(name_, t.where,
                     std::string("expected ") + (single ? "8" : "16") +
                         " hexadecimal digits in this floating-point literal, found " +
                         std::to_string(digits));
            t.kind = single ? token_kind::float32 : token_kind::float64;
            return end_of_number(t);
        }
        unsigned base = 10;
        if (peek(0) == '0' && (second == 'x' || second == 'X')) base = 16;
        if (peek(0) == '0' && (second == 'b' || second == 'B')) base = 2;
        if (base != 10) {
            advance();
            advance();
        } else {
            std::size_t n = 0;
            while (is_digit(peek(n))) ++n;
            bool const decimal = (peek(n) == '.' && is_digit(peek(n + 1))) ||
                                 ((peek(n) == 'e' || peek(n) == 'E') &&
                                  (is_digit(peek(n + 1)) || peek(n + 1) == '-' || peek(n + 1) == '+'));
            if (decimal) return decimal_float(t);
            if (peek(0) == '0' && n > 1) base = 8;
        }
        t.kind = token_kind::integer;
        bool any = false;
        for (; hex_digit(peek(0)) >= 0 && hex_digit(peek(0)) < static_cast<int>(base);
             advance(), any = true) {
            auto const digit = static_cast<unsigned>(hex_digit(peek(0)));
            if (t.value > (~std::uint64_t{0} - digit) / base)
                fail(name_, t.where, "expected an integer of at most 64 bits");
            t.value = t.value * base + digit;
        }
        if (!any) fail(name_, t.where, "expected digits in this number");
        if (peek(0) == 'U') advance();
        end_of_number(t);
    }
    void decimal_float(token& t) {
        auto const begin = at_;
        while (is_digit(peek(0)) || peek(0) == '.') advance();
        if (peek(0) == 'e' || peek(0) == 'E') {
            advance();
            if (peek(0) == '-' || peek(0) == '+') advance();
            while (is_digit(peek(0))) advance();
        }
        double value = 0;
        std::from_chars(text_.data() + begin, text_.data() + at_, value);
        t.value = std::bit_cast<std::uint64_t>(value);
        t.kind = token_kind::float64;
        end_of_number(t);
    }
    void end_of_number(token const& t) {
        if (is_name(peek(0)))
            fail(name_, t.where, "expected the end of this number, found '" + std::string(1, peek(0)) + "'");
    }

    std::string_view text_;
    std::string_view name_;
    std::size_t at_ = 0;
    std::size_t line_begin_ = 0;
    std::uint32_t line_ = 1;
};

} // namespace warpkit::ptx
