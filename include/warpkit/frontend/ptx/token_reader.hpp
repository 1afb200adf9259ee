#pragma once
/// \file
/// The next token of a PTX text, and what every part of the parser does with it.

#include <warpkit/frontend/ptx/lexer.hpp>
#include <warpkit/frontend/ptx/types.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace warpkit::ptx {

class token_reader {
protected:
    token_reader(std::string_view text, std::string_view name) : lexer_(text, name), name_(name) { take(); }

    void take() {
        previous_ = now_;
        now_ = lexer_.next();
    }
    [[noreturn]] void fail_at(position p, std::string const& message) const { fail(name_, p, message); }
    [[noreturn]] void expected(std::string const& what) const {
        fail_at(now_.where, "expected " + what + ", found " + found(now_));
    }
    void need(char c, char const* where) {
        if (!now_.is(c)) expected("'" + std::string(1, c) + "' " + where);
        take();
    }
    bool accept(char c) {
        if (!now_.is(c)) return false;
        take();
        return true;
    }
    bool accept(std::string_view word) {
        if (!now_.is(word)) return false;
        take();
        return true;
    }
    std::string need_name(char const* what) {
        if (now_.kind != token_kind::identifier) expected(what);
        auto s = std::string(now_.text);
        take();
        return s;
    }
    std::uint64_t need_integer(char const* what) {
        if (now_.kind != token_kind::integer) expected(what);
        auto const v = now_.value;
        take();
        return v;
    }
    std::int64_t signed_integer(char const* what) {
        bool const minus = accept('-');
        auto const v = need_integer(what);
        return static_cast<std::int64_t>(minus ? 0 - v : v);
    }

    scalar need_type() {
        auto const t = now_.kind == token_kind::dotted ? scalar_from(now_.text.substr(1)) : scalar::none;
        if (t == scalar::none || family_of(t) == 'm') expected("a type such as .u32");
        take();
        return t;
    }

    lexer lexer_;
    std::string name_; ///< of the text, for messages
    token now_;
    token previous_;
};

} // namespace warpkit::ptx
