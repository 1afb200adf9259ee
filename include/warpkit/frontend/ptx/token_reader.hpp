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
        return static_cast<std::int64_t>(operations_on(minus ? 0 - v : v));
    }
    /// A constant expression whose first operand has been read (PTX ISA, "Constant Expressions"): 64-bit integers, and
    /// of C's operators those from the product to the inclusive or. `least`: only what binds so tightly.
    std::uint64_t operations_on(std::uint64_t left, unsigned least = 1) {
        for (auto o = operator_here(); o.binds >= least; o = operator_here()) {
            auto const where = now_.where;
            take();
            if (o.sign == '<' || o.sign == '>') take(); // the second one
            bool const minus = accept('-');
            auto const v = need_integer("a number behind the operator");
            auto const right = operations_on(minus ? 0 - v : v, o.binds + 1);
            if (o.sign == '/' && right == 0) fail_at(where, "division by zero");
            left = apply(o.sign, left, right);
        }
        return left;
    }

    scalar need_type() {
        auto const t = now_.kind == token_kind::dotted ? scalar_from(now_.text.substr(1)) : scalar::none;
        if (t == scalar::none || family_of(t) == 'm') expected("a type such as .u32");
        take();
        return t;
    }

    struct binary_operator {
        char sign = 0;
        unsigned binds = 0;
    };
    // The operator that comes next; one that binds nothing where there is none.
    binary_operator operator_here() const {
        static constexpr binary_operator all[] = {{'|', 1}, {'^', 2}, {'&', 3}, {'<', 4}, {'>', 4},
                                                  {'+', 5}, {'-', 5}, {'*', 6}, {'/', 6}};
        for (auto const& o : all)
            if (now_.is(o.sign)) return o;
        return {};
    }
    static std::uint64_t apply(char sign, std::uint64_t a, std::uint64_t b) {
        auto const s = static_cast<std::int64_t>(a);
        switch (sign) {
        case '|':
            return a | b;
        case '^':
            return a ^ b;
        case '&':
            return a & b;
        case '<':
            return b < 64 ? a << b : 0;
        case '>':
            return static_cast<std::uint64_t>(s >> (b < 64 ? b : 63));
        case '+':
            return a + b;
        case '-':
            return a - b;
        case '*':
            return a * b;
        default: // the least number by -1 does not fit
            return b == ~std::uint64_t{0} ? 0 - a
                                          : static_cast<std::uint64_t>(s / static_cast<std::int64_t>(b));
        }
    }

    lexer lexer_;
    std::string name_; ///< of the text, for messages
    token now_;
    token previous_;
};

} // namespace warpkit::ptx
