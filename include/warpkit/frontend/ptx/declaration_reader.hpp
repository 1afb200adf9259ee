#pragma once
/// \file
/// Declarations of variables and parameters: what stands between a state space and the semicolon.

#include <warpkit/frontend/ptx/ast.hpp>
#include <warpkit/frontend/ptx/token_reader.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace warpkit::ptx {

class declaration_reader : protected token_reader {
protected:
    using token_reader::token_reader;
    static constexpr std::uint64_t most_bytes = 1ULL << 32;

    static bool is_space(token const& t) {
        return t.is(".global") || t.is(".const") || t.is(".shared") || t.is(".local") || t.is(".tex");
    }
    static memory_space space_from(std::string_view word) {
        if (word == ".global") return memory_space::global;
        if (word == ".const") return memory_space::constant;
        if (word == ".shared") return memory_space::shared;
        if (word == ".local") return memory_space::local;
        if (word == ".param") return memory_space::parameter;
        if (word == ".tex") return memory_space::texture;
        return memory_space::none;
    }

    // (.managed) or (.unified(n, n)), behind .attribute: where the driver places a variable.
    void attribute() {
        need('(', "after .attribute");
        if (accept(".unified")) {
            need('(', "after .unified");
            need_integer("an identifier");
            need(',', "between the two halves of the identifier");
            need_integer("an identifier");
            need(')', "after the identifier");
        } else if (!accept(".managed")) {
            expected("the attribute .managed or .unified");
        }
        need(')', "after the attribute");
    }

    // [.attribute(...)] [.align n] [.ptr ...] .type name [dimensions] [= initialiser]; `same` supplies alignment and
    // type after a comma.
    variable declarator(memory_space space, variable const* same) {
        variable v;
        v.space = space;
        unsigned elements_per_vector = 1;
        bool aligned = false;
        if (same != nullptr && now_.kind == token_kind::identifier) {
            v.type = same->type;
            v.align = same->align;
        } else {
            for (;;) {
                if (accept(".align")) {
                    auto const n = need_integer("an alignment");
                    if (n == 0 || (n & (n - 1)) != 0 || n > 4096)
                        fail_at(previous_.where, "expected an alignment that is a power of two up to 4096");
                    v.align = static_cast<std::uint32_t>(n);
                    aligned = true;
                } else if (space == memory_space::global && accept(".attribute")) {
                    attribute();
                } else if (accept(".v2")) {
                    elements_per_vector = 2;
                } else if (accept(".v4")) {
                    elements_per_vector = 4;
                } else {
                    break;
                }
            }
            if (now_.is(".texref") || now_.is(".samplerref") || now_.is(".surfref")) {
                take();
                v.type = scalar::u64;
                v.space = memory_space::texture;
            } else {
                v.type = need_type();
            }
            if (v.type == scalar::pred)
                fail_at(previous_.where, "expected a type with a size, found '.pred'");
            if (!aligned) v.align = size_of(v.type) * elements_per_vector;
            if (space == memory_space::parameter &&
                accept(".ptr")) { // .ptr .space .align n: a hint about the pointee
                if (now_.kind == token_kind::dotted && space_from(now_.text) != memory_space::none) take();
                if (accept(".align")) need_integer("an alignment");
            }
        }
        v.where = now_.where;
        v.name = need_name("a variable name");
        std::uint64_t count = elements_per_vector;
        while (accept('[')) {
            v.is_array = true;
            if (now_.is(']')) {
                v.unsized = true;
            } else {
                auto const n = need_integer("an array size");
                if (n != 0 && count > most_bytes / n)
                    fail_at(previous_.where, "expected an array of less than 4 GiB");
                count *= n;
            }
            need(']', "after the array size");
        }
        if (count > most_bytes / size_of(v.type)) fail_at(v.where, "expected an array of less than 4 GiB");
        v.size = v.unsized ? 0 : count * size_of(v.type);
        if (accept('=')) {
            if (space != memory_space::global && space != memory_space::constant)
                fail_at(previous_.where,
                        "expected no initialiser: only .global and .const variables have one");
            if (v.is_array || elements_per_vector > 1 || now_.is('{'))
                initialise_list(v);
            else
                initialise_one(v);
            if (v.unsized) {
                v.size = v.initial.size();
                v.unsized = false;
            } else if (v.initial.size() > v.size) {
                fail_at(v.where, "expected at most " + std::to_string(v.size) +
                                     " bytes of initial values for '" + v.name + "', found " +
                                     std::to_string(v.initial.size()));
            }
        }
        return v;
    }
    void initialise_list(variable& v) {
        need('{', "before the initial values");
        if (!now_.is('}')) {
            do {
                if (now_.is('{')) {
                    if (++depth_ > 16) fail_at(now_.where, "expected at most 16 levels of braces");
                    initialise_list(v);
                    --depth_;
                } else {
                    initialise_one(v);
                }
            } while (accept(','));
        }
        need('}', "after the initial values");
    }
    void initialise_one(variable& v) {
        auto const at = v.initial.size();
        auto const bytes = size_of(v.type);
        if (at + bytes > most_bytes) fail_at(now_.where, "expected fewer initial values");
        v.initial.resize(at + bytes);
        if (now_.kind == token_kind::identifier) {
            relocation r;
            r.offset = at;
            r.bytes = static_cast<std::uint8_t>(bytes);
            r.where = now_.where;
            if (now_.is("generic")) {
                take();
                need('(', "after generic");
                r.generic = true;
                r.variable = initialiser_symbol();
                need(')', "after the variable");
            } else if (auto const f = module_symbols_.find(now_.text);
                       f != module_symbols_.end() && f->second.where == symbol_reference::scope::function) {
                r.is_function = true;
                r.variable = f->second.index;
                if (bytes != 8) expected("a number: the address of a function needs a variable of 8 bytes");
                take();
            } else {
                r.variable = initialiser_symbol();
            }
            if (now_.is('+') || now_.is('-')) {
                accept('+');
                r.addend = signed_integer("an offset");
            }
            if (bytes < 4) fail_at(r.where, "expected a number: an address needs a variable of 4 or 8 bytes");
            v.relocations.push_back(r);
            return;
        }
        bool const minus = accept('-');
        auto const t = now_;
        if (t.kind != token_kind::integer && t.kind != token_kind::float32 && t.kind != token_kind::float64)
            expected("an initial value");
        take();
        auto const bits = literal_bits(t, minus, v.type);
        std::memcpy(v.initial.data() + at, &bits, bytes);
    }
    std::uint32_t initialiser_symbol() {
        auto const t = now_;
        auto const name = need_name("a variable name");
        auto const i = module_symbols_.find(name);
        if (i == module_symbols_.end()) fail_at(t.where, "expected a declared variable, found " + found(t));
        if (i->second.where == symbol_reference::scope::function)
            fail_at(t.where, "expected a variable, found function " + found(t));
        return i->second.index;
    }
    /// A literal as the bits of a value of this type (low bytes).
    std::uint64_t literal_bits(token const& t, bool minus, scalar type) const {
        if (t.kind == token_kind::integer) {
            auto const v = minus ? 0 - t.value : t.value;
            if (type == scalar::f32)
                return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(v)));
            if (type == scalar::f64)
                return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(v)));
            return v;
        }
        if (t.kind == token_kind::float32) {
            auto const bits = static_cast<std::uint32_t>(t.value) ^ (minus ? 0x80000000U : 0U);
            if (type == scalar::f64)
                return std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(bits)));
            return bits;
        }
        auto const bits = t.value ^ (minus ? 1ULL << 63 : 0);
        if (size_of(type) == 4)
            return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
        return bits;
    }

    // (.param ..., .param ...)
    void parameter_list(function& f, variable::role role) {
        need('(', "before the parameters");
        while (!now_.is(')')) {
            if (now_.is(".reg"))
                fail_at(now_.where, "expected .param, found '.reg': register parameters are not supported");
            static_cast<void>(accept(".hidden")); // of parameters that a compiler adds
            if (!now_.is(".param")) expected("'.param' or ')'");
            take();
            auto v = declarator(memory_space::parameter, nullptr);
            v.what = role;
            if (v.unsized) fail_at(v.where, "expected a size for parameter '" + v.name + "'");
            f.variables.push_back(std::move(v));
            if (!accept(',') && !now_.is(')')) expected("',' or ')' in the parameter list");
        }
        take();
    }

    unsigned depth_ = 0; ///< of braces and brackets
    std::map<std::string, symbol_reference, std::less<>> module_symbols_;
};

} // namespace warpkit::ptx
