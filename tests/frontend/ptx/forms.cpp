// Every form that the instruction table takes, against a computation that shares nothing with it: exact integers, and
// the host's floating point in the rounding mode asked for. A form without a case is a failure.
#include <warpkit/frontend/ptx/instruction_row.hpp>
#include <warpkit/frontend/ptx/translator.hpp>

#include "catch.hpp"
#include "harness.hpp"
#include "listed_forms.hpp"
#include "source_tree.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>

using namespace ptx_test;
using warpkit::ptx::form;
using warpkit::ptx::form_pattern;
using warpkit::ptx::row;

namespace {

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

// The forms of a row -----------------------------------------------------------------------------------------------

std::vector<std::string> split(std::string_view text, char at) {
    std::vector<std::string> parts;
    std::istringstream in{std::string(text)};
    for (std::string part; std::getline(in, part, at);)
        if (!part.empty()) parts.push_back(part);
    return parts;
}

// Modifiers that change neither values nor addresses: each is tried, but not in all combinations.
bool is_hint(std::string const& element) {
    for (auto const* c :
         {"order", "scope", "cache", "level", "second_level", "cache_hint", "prefetch_size", "nc"})
        if (element == std::string("@") + c) return true;
    return false;
}
std::vector<std::string> words_of(std::string const& element) {
    if (element[0] != '@') return split(element, '|');
    if (auto const only = element.find('='); only != element.npos)
        return split(element.substr(only + 1), '|');
    for (auto const& m : warpkit::ptx::detail::modifiers)
        if (m.name == element.substr(1)) return split(m.words, ' ');
    return {};
}

struct spelled {
    row const* from = nullptr;
    std::string text;
    std::vector<std::string> words;
    form f;
    bool has(std::string const& word) const {
        return std::find(words.begin(), words.end(), word) != words.end();
    }
    std::string base() const { return std::string(from->base); }
};
bool match(row const& r, std::vector<std::string> const& words, form& f) {
    return form_pattern(r.pattern).match({words.begin(), words.end()}, f) &&
           (r.select == nullptr || r.select(f) != nullptr);
}
std::vector<spelled> forms_of(row const& r) {
    std::vector<std::vector<std::string>> all{{}};
    std::vector<std::string> elements = split(r.pattern, ' ');
    if (!elements.empty() && elements.front() == "~") elements.erase(elements.begin());
    for (auto e : elements) {
        bool const optional = e.back() == '?';
        if (optional) e.pop_back();
        std::vector<std::vector<std::string>> next;
        for (auto const& head : all) {
            if (optional) next.push_back(head);
            // A hint only where no other hint stands, and with few types: the last of what is yet to come decides.
            bool const hinted =
                std::any_of(head.begin(), head.end(), [](auto const& w) { return w[0] == '+'; });
            if (is_hint(e) && hinted) continue;
            for (auto const& w : words_of(e)) {
                next.push_back(head);
                next.back().push_back(is_hint(e) ? "+" + w : w);
            }
        }
        all = std::move(next);
    }
    std::vector<spelled> forms;
    for (auto& words : all) {
        bool hinted = false;
        for (auto& w : words)
            if (w[0] == '+') w.erase(0, 1), hinted = true;
        spelled s;
        s.from = &r;
        bool const usual = std::find(words.begin(), words.end(), "global") != words.end() &&
                           std::find(words.begin(), words.end(), "v4") == words.end() &&
                           std::find(words.begin(), words.end(), "v8") == words.end();
        if ((hinted && !usual) || !match(r, words, s.f)) continue;
        s.text = std::string(r.base);
        for (auto const& w : words) s.text += "." + w;
        s.words = words;
        forms.push_back(std::move(s));
    }
    return forms;
}

// Numbers ----------------------------------------------------------------------------------------------------------

unsigned width_of(std::string const& type) {
    return 8 * warpkit::ptx::size_of(warpkit::ptx::scalar_from(type));
}
bool is_real(std::string const& type) { return warpkit::ptx::is_float(warpkit::ptx::scalar_from(type)); }
// .f16x2 and .bf16x2 are two of these; empty for what is no pair.
std::string part_of(std::string const& type) {
    return type == "f16x2" ? "f16" : type == "bf16x2" ? "bf16" : std::string();
}
// Fraction bits and exponent bias of the formats that the host does not have.
struct layout {
    unsigned fraction;
    int bias;
};
layout layout_of(std::string const& type) {
    return type == "f16" ? layout{10, 15} : type == "bf16" ? layout{7, 127} : layout{23, 127};
}
bool is_narrow(std::string const& type) { return type == "f16" || type == "bf16"; }
bits cut(wide v, unsigned width) {
    return width >= 64 ? static_cast<bits>(v) : static_cast<bits>(v) & ((bits{1} << width) - 1);
}
wide number(bits b, std::string const& type) {
    auto const width = width_of(type);
    b = cut(static_cast<wide>(b), width);
    bool const negative = type[0] == 's' && (b >> (width - 1) & 1) != 0;
    return static_cast<wide>(b) - (negative ? static_cast<wide>(1) << width : 0);
}

// Floating point as long double, which holds all three types exactly; halves in 64 bits of mantissa even fused.
long double real(bits b, std::string const& type) {
    if (type == "f32") return std::bit_cast<float>(static_cast<std::uint32_t>(b));
    if (type == "f64") return std::bit_cast<double>(b);
    auto const [fraction, bias] = layout_of(type);
    bits const scale = bits{1} << fraction;
    int const exponent = static_cast<int>((b & 0x7fff) >> fraction);
    long double const m = static_cast<long double>(b & (scale - 1)) / static_cast<long double>(scale);
    long double v = exponent == 0 ? std::ldexp(m, 1 - bias) : std::ldexp(1 + m, exponent - bias);
    if (exponent == 2 * bias + 1)
        v = (b & (scale - 1)) != 0 ? std::numeric_limits<long double>::quiet_NaN() : INFINITY;
    return (b & 0x8000) != 0 ? -v : v;
}
int host_rounding(spelled const& s) {
    for (auto const& w : s.words) {
        if (w == "rz" || w == "rzi") return FE_TOWARDZERO;
        if (w == "rm" || w == "rmi") return FE_DOWNWARD;
        if (w == "rp" || w == "rpi") return FE_UPWARD;
    }
    return FE_TONEAREST;
}
class rounded {
public:
    explicit rounded(int mode) { std::fesetround(mode); }
    ~rounded() { std::fesetround(FE_TONEAREST); }
    rounded(rounded const&) = delete;
    rounded& operator=(rounded const&) = delete;
};
bits nan_of(std::string const& type) {
    return type == "f32" ? 0x7fffffff : type == "f64" ? 0xfff8000000000000 : 0x7fff;
}
// A value that is exact, or was found in this rounding mode, in a type.
bits narrow_bits(long double v, std::string const& type, int mode) {
    if (v != v) return 0x7fff;
    auto const [fraction, bias] = layout_of(type);
    auto const digits = static_cast<int>(fraction);
    bits const sign = std::signbit(v) ? 0x8000 : 0;
    bits const infinity = static_cast<bits>(2 * bias + 1) << fraction;
    if (std::isinf(v)) return sign | infinity;
    int e = 0;
    std::frexp(v, &e);
    int const quantum = std::max(e - 1 - digits, 1 - bias - digits);
    long double q;
    {
        rounded const r(mode);
        volatile long double scaled = std::ldexp(v, -quantum);
        q = std::ldexp(std::nearbyint(scaled), quantum);
    }
    if (std::fabs(q) >= std::ldexp(1.0L, bias + 1)) { // beyond the greatest number
        bool const infinite =
            mode == FE_TONEAREST || (mode == FE_UPWARD && sign == 0) || (mode == FE_DOWNWARD && sign != 0);
        return sign | (infinite ? infinity : infinity - 1);
    }
    long double const m = std::fabs(q);
    if (m < std::ldexp(1.0L, 1 - bias)) return sign | static_cast<bits>(std::ldexp(m, bias - 1 + digits));
    std::frexp(m, &e);
    return sign | (static_cast<bits>(e - 1 + bias) << fraction) |
           (static_cast<bits>(std::ldexp(m, digits + 1 - e)) & ((bits{1} << fraction) - 1));
}
// x * y + z of narrow numbers, to odd in the 64 bits of long double, so that the rounding to come is the only one.
long double product_sum(long double x, long double y, long double z) {
    volatile long double const p = x * y; // exact
    volatile long double const c = z;
    volatile long double const s = p + c;
    if (!std::isfinite(s)) return s;
    volatile long double const t = s - p;
    volatile long double const error = (p - (s - t)) + (c - t);
    int e = 0;
    bool const odd = std::fmod(std::ldexp(std::frexp(static_cast<long double>(s), &e), 64), 2.0L) != 0;
    if (error == 0 || odd) return s;
    return std::nextafter(static_cast<long double>(s), error > 0 ? INFINITY : -INFINITY);
}
// The 8-bit formats by their tables: which of all codes is nearest, and of two the even one.
long double byte_value(bits code, std::string const& type) {
    bool const e4 = type == "e4m3x2";
    auto const magnitude = code & 0x7f;
    if (magnitude > (e4 ? 0x7eU : 0x7cU)) return std::numeric_limits<long double>::quiet_NaN();
    unsigned const fraction = e4 ? 3 : 2;
    int const exponent = static_cast<int>(magnitude >> fraction);
    auto const m = static_cast<long double>(magnitude & ((1U << fraction) - 1)) / (1 << fraction);
    int const bias = e4 ? 7 : 15;
    long double v = exponent == 0 ? std::ldexp(m, 1 - bias) : std::ldexp(1 + m, exponent - bias);
    if (!e4 && magnitude == 0x7c) v = INFINITY;
    return (code & 0x80) != 0 ? -v : v;
}
bits byte_bits(long double v, std::string const& type) {
    if (v != v) return 0x7f;
    // What is too large is the greatest number (.satfinite).
    auto const magnitude = std::min(std::fabs(v), byte_value(type == "e4m3x2" ? 0x7e : 0x7b, type));
    bits best = 0;
    for (bits code = 0; code < 0x80; ++code) {
        auto const x = byte_value(code, type);
        if (!std::isfinite(x)) continue;
        auto const d = std::fabs(x - magnitude);
        auto const known = std::fabs(byte_value(best, type) - magnitude);
        if (d < known || (d == known && (code & 1) == 0)) best = code;
    }
    return best | (std::signbit(v) ? 0x80U : 0U);
}
template <class T>
bits bits_of(T v) {
    if (v != v) return nan_of(sizeof(T) == 4 ? "f32" : "f64");
    if constexpr (sizeof(T) == 4)
        return std::bit_cast<std::uint32_t>(v);
    else
        return std::bit_cast<bits>(v);
}
bits real_bits(long double v, std::string const& type, int mode) {
    if (is_narrow(type)) return narrow_bits(v, type, mode);
    rounded const r(mode);
    volatile long double x = v;
    if (type == "f32") {
        volatile float const y = static_cast<float>(x);
        return bits_of<float>(y);
    }
    volatile double const y = static_cast<double>(x);
    return bits_of<double>(y);
}
bits flushed(bits b, std::string const& type) {
    auto const v = real(b, type);
    auto const least = std::ldexp(1.0L, type == "f64" ? -1022 : 1 - layout_of(type).bias);
    return std::fabs(v) < least ? b & bits{1} << (width_of(type) - 1) : b;
}
bits saturated(bits b, std::string const& type) {
    auto const v = real(b, type);
    return v > 0 ? (v < 1 ? b : real_bits(1, type, FE_TONEAREST)) : 0;
}

template <class T>
T arithmetic(std::string const& base, T a, T b, T c, int mode) {
    volatile T x = a, y = b, z = c;
    volatile T r = 0;
    rounded const guard(mode);
    if (base == "add") r = x + y;
    if (base == "sub") r = x - y;
    if (base == "mul") r = x * y;
    if (base == "div") r = x / y;
    if (base == "rcp") r = T{1} / x;
    if (base == "sqrt") r = std::sqrt(T{x});
    if (base == "fma" || base == "mad") r = std::fma(T{x}, T{y}, T{z});
    return r;
}

// What a form must give --------------------------------------------------------------------------------------------

struct outcome {
    bits value = 0;
    unsigned ulps = 0; // how far an approximation may be off
};
using inputs = std::vector<bits>;
using answer = std::optional<outcome>;
answer exactly(bits v) { return outcome{v, 0}; }

std::string type_of(spelled const& s, unsigned i) { return std::string(name_of(s.f.type[i])); }

answer logic(spelled const& s, inputs const& v) {
    auto const base = s.base();
    auto const type = type_of(s, 0);
    auto const w = type == "pred" ? 1 : width_of(type);
    if (base == "and") return exactly(v[0] & v[1]);
    if (base == "or") return exactly(v[0] | v[1]);
    if (base == "xor") return exactly(v[0] ^ v[1]);
    if (base == "not") return exactly(cut(static_cast<wide>(~v[0]), w));
    if (base == "cnot") return exactly(v[0] == 0 ? 1 : 0);
    if (base == "mov") return exactly(v[0]);
    return {};
}
bool holds(std::string const& c, long double a, long double b, bool real_numbers) {
    bool const ordered = a == a && b == b;
    if (c == "eq") return ordered && a == b;
    if (c == "ne") return ordered && a != b;
    if (c == "lt" || c == "lo") return ordered && a < b;
    if (c == "le" || c == "ls") return ordered && a <= b;
    if (c == "gt" || c == "hi") return ordered && a > b;
    if (c == "ge" || c == "hs") return ordered && a >= b;
    if (c == "num") return ordered;
    if (c == "nan") return !ordered;
    return real_numbers && (!ordered || holds(c.substr(0, 2), a, b, true));
}
bool compared(spelled const& s, std::string const& type, inputs const& v) {
    auto const c = s.words[0];
    if (is_real(type)) {
        auto const at = [&](bits b) { return real(s.has("ftz") ? flushed(b, type) : b, type); };
        return holds(c, at(v[0]), at(v[1]), true);
    }
    bool const force_unsigned = c == "lo" || c == "ls" || c == "hi" || c == "hs";
    auto const t = (type[0] == 's' && !force_unsigned ? "s" : "u") + type.substr(1);
    return holds(c, static_cast<long double>(number(v[0], t)), static_cast<long double>(number(v[1], t)),
                 false);
}
bool combined(spelled const& s, bool first, bits p) {
    return s.has("and")   ? first && p != 0
           : s.has("or")  ? first || p != 0
           : s.has("xor") ? first != (p != 0)
                          : first;
}

answer integer(spelled const& s, inputs const& in) {
    auto const base = s.base();
    auto const type = type_of(s, 0);
    auto const w = width_of(type);
    bool const is_signed = type[0] == 's';
    std::vector<wide> v;
    for (auto b : in) v.push_back(number(b, type));
    auto const low = [&](wide x) { return exactly(cut(x, w)); };
    auto const clamp = [&](wide x) {
        return low(x > 2147483647 ? 2147483647 : x < -wide{2147483648} ? -wide{2147483648} : x);
    };
    auto const product = [&] {
        return static_cast<wide>(static_cast<unsigned_wide>(v[0]) * static_cast<unsigned_wide>(v[1]));
    };
    auto const upper = [&] { // arithmetic or logical, as the type says
        return is_signed ? product() >> w : static_cast<wide>(static_cast<unsigned_wide>(product()) >> w);
    };
    auto const low_24 = [&](wide x) { return number(cut(x, 24) << 8, is_signed ? "s32" : "u32") / 256; };
    auto const u = [&](unsigned i) { return static_cast<std::uint32_t>(in[i]); };
    bool const sat = s.has("sat");

    if (base == "add") return sat ? clamp(v[0] + v[1]) : low(v[0] + v[1]);
    if (base == "sub") return sat ? clamp(v[0] - v[1]) : low(v[0] - v[1]);
    if (base == "mul")
        return s.has("lo") ? low(product()) : s.has("hi") ? low(upper()) : exactly(cut(product(), 2 * w));
    if (base == "mad") {
        if (s.has("lo"))
            return low(
                static_cast<wide>(static_cast<unsigned_wide>(product()) + static_cast<unsigned_wide>(v[2])));
        if (s.has("hi")) return sat ? clamp(upper() + v[2]) : low(upper() + v[2]);
        return exactly(cut(product() + static_cast<wide>(in[2]), 2 * w));
    }
    if (base == "mul24" || base == "mad24") {
        auto const p = low_24(v[0]) * low_24(v[1]);
        auto const part = s.has("hi") ? p >> 16 : p;
        if (base == "mul24") return low(part);
        return sat ? clamp(number(cut(part, 32), "s32") + v[2]) : low(part + v[2]);
    }
    if (base == "div") return low(v[1] == 0 ? -1 : v[0] / v[1]);
    if (base == "rem") return low(v[1] == 0 ? v[0] : v[0] % v[1]);
    if (base == "neg") return low(-v[0]);
    if (base == "abs") return low(v[0] < 0 ? -v[0] : v[0]);
    if (base == "min") return low(std::min(v[0], v[1]));
    if (base == "max") return low(std::max(v[0], v[1]));
    if (base == "sad") return low(v[2] + (v[0] < v[1] ? v[1] - v[0] : v[0] - v[1]));
    if (base == "dp4a" || base == "dp2a") {
        bool const four = base == "dp4a";
        unsigned const step = four ? 8 : 16;
        auto const other = type_of(s, 1);
        wide sum = static_cast<wide>(in[2]);
        for (unsigned i = 0; i < 32 / step; ++i) {
            auto const a = number(in[0] >> (step * i), std::string(1, type[0]) + std::to_string(step));
            auto const at = 8 * (i + (s.has("hi") ? 2U : 0U));
            sum += a * number(in[1] >> at, std::string(1, other[0]) + "8");
        }
        return exactly(cut(sum, 32));
    }
    if (base == "popc") return exactly(static_cast<bits>(std::popcount(in[0])));
    if (base == "clz" || base == "bfind") {
        wide const x = v[0] < 0 ? ~v[0] : v[0];
        int top = -1;
        for (int i = 0; i < static_cast<int>(w); ++i)
            if ((x >> i & 1) != 0) top = i;
        if (base == "clz") return exactly(w - 1 - static_cast<unsigned>(top));
        return exactly(cut(top < 0 ? -1 : s.has("shiftamt") ? static_cast<int>(w) - 1 - top : top, 32));
    }
    if (base == "brev") {
        bits r = 0;
        for (unsigned i = 0; i < w; ++i) r |= (in[0] >> i & 1) << (w - 1 - i);
        return exactly(r);
    }
    if (base == "bfe") { // the PTX ISA's own loop
        unsigned const pos = in[1] & 255;
        unsigned const len = in[2] & 255;
        unsigned const msb = w - 1;
        bits const sign = !is_signed || len == 0 ? 0 : in[0] >> std::min(pos + len - 1, msb) & 1;
        bits r = 0;
        for (unsigned i = 0; i <= msb; ++i)
            r |= (i < len && pos + i <= msb ? in[0] >> (pos + i) & 1 : sign) << i;
        return exactly(r);
    }
    if (base == "bfi") {
        bits r = in[1];
        unsigned const pos = in[2] & 255;
        unsigned const len = in[3] & 255;
        for (unsigned i = 0; i < len && pos + i < w; ++i)
            r = (r & ~(bits{1} << (pos + i))) | (i < w ? in[0] >> i & 1 : 0) << (pos + i);
        return exactly(r);
    }
    if (base == "bmsk" || base == "szext") { // as the PTX ISA spells them out
        bool const clamped = s.has("clamp");
        if (base == "bmsk") {
            std::uint32_t const a1 = u(0) & 31;
            std::uint32_t const b1 = u(1) & 31;
            std::uint32_t mask0 = ~0U << a1;
            std::uint32_t mask1 = a1 + b1 < 32 ? ~0U << (a1 + b1) : 0;
            bool const too_far = clamped && u(0) >= 32;
            bool const too_wide = clamped && u(1) >= 32;
            if (too_far) mask0 = 0;
            if (a1 + b1 >= 32 || too_far || too_wide)
                mask1 = 0;
            else if (b1 == 0)
                mask1 = ~0U;
            return exactly(b1 == 0 && !too_wide ? 0 : mask0 & ~mask1);
        }
        std::uint32_t const b1 = u(1) & 31;
        bool const too_large = clamped && u(1) >= 32;
        std::uint32_t const mask = too_large ? 0 : ~0U << b1;
        bool const sign = b1 != 0 && !too_large && is_signed && (u(0) >> (b1 - 1) & 1) != 0;
        return exactly((u(0) & ~mask) | (sign ? mask : 0));
    }
    if (base == "prmt") {
        bits const source = in[1] << 32 | u(0);
        unsigned const k = u(2) & 3;
        unsigned pick[4];
        for (unsigned i = 0; i < 4; ++i) {
            pick[i] = u(2) >> (4 * i) & 15;
            if (s.has("f4e")) pick[i] = (i + k) & 7;
            if (s.has("b4e")) pick[i] = (8 + k - i) & 7;
            if (s.has("rc8")) pick[i] = k;
            if (s.has("ecl")) pick[i] = std::max(i, k);
            if (s.has("ecr")) pick[i] = std::min(i, k);
            if (s.has("rc16")) pick[i] = 2 * (k & 1) + (i & 1);
        }
        bits r = 0;
        for (unsigned i = 0; i < 4; ++i) {
            auto byte = source >> (8 * (pick[i] & 7)) & 255;
            if (pick[i] > 7) byte = byte > 127 ? 255 : 0;
            r |= byte << (8 * i);
        }
        return exactly(r);
    }
    if (base == "lop3") {
        bits r = 0;
        for (unsigned i = 0; i < 32; ++i)
            r |= (in[3] >> ((in[0] >> i & 1) * 4 + (in[1] >> i & 1) * 2 + (in[2] >> i & 1)) & 1) << i;
        return exactly(r);
    }
    if (base == "shl" || base == "shr") {
        auto const n = u(1) > 64 ? 64 : static_cast<int>(u(1));
        return base == "shl" ? low(static_cast<wide>(static_cast<unsigned_wide>(v[0]) << n)) : low(v[0] >> n);
    }
    if (base == "shf") {
        bits const pair = in[1] << 32 | u(0);
        unsigned const n = s.has("wrap") ? u(2) & 31 : std::min(u(2), 32U);
        return exactly(cut(
            static_cast<wide>(s.has("l") ? static_cast<bits>((static_cast<unsigned_wide>(pair) << n) >> 32)
                                         : pair >> n),
            32));
    }
    return {};
}

answer selection(spelled const& s, inputs const& v) {
    auto const base = s.base();
    if (base == "selp") return exactly(v[2] != 0 ? v[0] : v[1]);
    if (base == "slct") {
        auto const type = type_of(s, 1);
        if (type == "s32") return exactly(number(v[2], "s32") >= 0 ? v[0] : v[1]);
        return exactly(real(s.has("ftz") ? flushed(v[2], type) : v[2], type) >= 0 ? v[0] : v[1]);
    }
    if (base == "setp") {
        auto const p_of = [&](bits shift) {
            return compared(s, part_of(type_of(s, 0)), {v[0] >> shift & 0xffff, v[1] >> shift & 0xffff});
        };
        if (!part_of(type_of(s, 0)).empty()) { // one destination for each part
            auto const p = v.size() > 2 ? v[2] : 0;
            return exactly((combined(s, p_of(0), p) ? 1U : 0U) + (combined(s, p_of(16), p) ? 2U : 0U));
        }
        bool const c = compared(s, type_of(s, 0), v);
        auto const p = v.size() > 2 ? v[2] : 0;
        return exactly((combined(s, c, p) ? 1U : 0U) + (combined(s, !c, p) ? 2U : 0U)); // both destinations
    }
    if (base == "set") {
        auto const to = type_of(s, 0);
        auto const part = part_of(type_of(s, 1));
        auto const p = v.size() > 2 ? v[2] : 0;
        auto const yes = is_real(to) ? real_bits(1, part.empty() ? to : part, FE_TONEAREST)
                                     : cut(-1, part.empty() ? width_of(to) : 16);
        if (part.empty()) return exactly(combined(s, compared(s, type_of(s, 1), v), p) ? yes : 0);
        bits both = 0;
        for (unsigned at : {0U, 16U})
            if (combined(s, compared(s, part, {v[0] >> at & 0xffff, v[1] >> at & 0xffff}), p))
                both |= yes << at;
        return exactly(both);
    }
    if (base == "testp") {
        auto const x = real(v[0], type_of(s, 0));
        auto const least = type_of(s, 0) == "f32" ? std::ldexp(1.0L, -126) : std::ldexp(1.0L, -1022);
        bool const normal = std::isfinite(x) && std::fabs(x) >= least;
        return exactly(s.has("finite")       ? std::isfinite(x)
                       : s.has("infinite")   ? std::isinf(x)
                       : s.has("number")     ? x == x
                       : s.has("notanumber") ? x != x
                       : s.has("normal")     ? normal
                                             : std::isfinite(x) && x != 0 && !normal);
    }
    return {};
}

// One result of .f16, .f32 or .f64.
answer floating(spelled const& s, inputs v, std::string const& type) {
    auto const base = s.base();
    auto const sign = bits{1} << (width_of(type) - 1);
    bool const is_half = is_narrow(type);
    if (s.has("ftz"))
        for (auto& b : v) b = flushed(b, type);
    if (base == "neg" && !is_half) return exactly(v[0] ^ sign);
    if (base == "abs" && !is_half) return exactly(v[0] & ~sign);
    if (base == "copysign") return exactly((v[1] & ~sign) | (v[0] & sign));
    auto const x = real(v[0], type);
    auto const y = v.size() > 1 ? real(v[1], type) : 0;
    auto const z = v.size() > 2 ? real(v[2], type) : 0;
    auto const mode = host_rounding(s);
    auto const finished = [&](bits b) {
        if (s.has("ftz")) b = flushed(b, type);
        if (s.has("relu"))
            b = real(b, type) != real(b, type) ? nan_of(type) : std::signbit(real(b, type)) ? 0 : b;
        return s.has("sat") ? saturated(b, type) : b;
    };
    if (base == "neg") return exactly(finished(x != x ? nan_of(type) : v[0] ^ sign));
    if (base == "abs") return exactly(finished(x != x ? nan_of(type) : v[0] & ~sign));
    if (base == "min" || base == "max") {
        if (x != x || y != y) {
            if ((x != x && y != y) || s.has("NaN")) return exactly(nan_of(type));
            return exactly(finished(x != x ? v[1] : v[0]));
        }
        bool const first_less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
        return exactly(finished(first_less == (base == "min") ? v[0] : v[1]));
    }
    for (auto const* f : {"sin", "cos", "ex2", "lg2", "tanh", "rsqrt"})
        if (base == f) {
            long double const r = base == "sin"    ? std::sin(x)
                                  : base == "cos"  ? std::cos(x)
                                  : base == "ex2"  ? std::exp2(x)
                                  : base == "lg2"  ? std::log2(x)
                                  : base == "tanh" ? std::tanh(x)
                                                   : 1 / std::sqrt(x);
            return outcome{finished(real_bits(r, type, FE_TONEAREST)), 1};
        }
    if (is_half) {
        long double const r = base == "add"   ? x + y
                              : base == "sub" ? x - y
                              : base == "mul" ? x * y
                                              : product_sum(x, y, z);
        return exactly(finished(narrow_bits(r, type, FE_TONEAREST)));
    }
    for (auto const* f : {"add", "sub", "mul", "div", "rcp", "sqrt", "fma", "mad"})
        if (base == f)
            return outcome{
                finished(type == "f32"
                             ? bits_of(arithmetic(base, static_cast<float>(x), static_cast<float>(y),
                                                  static_cast<float>(z), mode))
                             : bits_of(arithmetic(base, static_cast<double>(x), static_cast<double>(y),
                                                  static_cast<double>(z), mode))),
                s.has("approx") || s.has("full") ? 1U : 0U};
    return {};
}

// cvt.pack: the second number lowest, the first above it, then the third operand.
bits packed(spelled const& s, inputs const& v) {
    auto const& narrow = s.words[2];
    auto const width = static_cast<unsigned>(std::stoul(narrow.substr(1)));
    auto const field = [&](bits b) {
        auto const low = narrow[0] == 's' ? -(wide{1} << (width - 1)) : wide{0};
        auto const high = low + (wide{1} << width) - 1;
        return cut(std::clamp(number(b, "s32"), low, high), width);
    };
    auto const upper = v.size() > 2 ? v[2] : 0;
    return cut(static_cast<wide>(field(v[1]) | field(v[0]) << width | upper << (2 * width)), 32);
}

// Formats of 6 and 4 bits, by their tables.
std::map<std::string, std::vector<long double>> const tiny_tables = [] {
    std::map<std::string, std::vector<long double>> t;
    t["e2m1x2"] = {0, 0.5L, 1, 1.5L, 2, 3, 4, 6};
    for (int e = 0; e < 4; ++e)
        for (int m = 0; m < 8; ++m)
            t["e2m3x2"].push_back(e == 0 ? m / 8.0L : std::ldexp(1 + m / 8.0L, e - 1));
    for (int e = 0; e < 8; ++e)
        for (int m = 0; m < 4; ++m)
            t["e3m2x2"].push_back(std::ldexp(e == 0 ? m / 4.0L : 1 + m / 4.0L, e == 0 ? -2 : e - 3));
    return t;
}();
bits tiny_bits(long double v, std::string const& type) {
    auto const& table = tiny_tables.at(type);
    if (v != v) return table.size() - 1; // as .satfinite says
    bits best = 0;
    auto const magnitude = std::min(std::fabs(v), table.back());
    for (bits code = 0; code < table.size(); ++code) {
        auto const d = std::fabs(table[code] - magnitude);
        auto const known = std::fabs(table[best] - magnitude);
        if (d < known || (d == known && (code & 1) == 0)) best = code;
    }
    return best | (std::signbit(v) ? table.size() : 0);
}
// A power of two, of which the code is the exponent.
bits scale_bits(long double v, spelled const& s) {
    if (v != v) return 0xff;
    auto const magnitude = std::fabs(v);
    bits code = 0; // 2^-127 and all below
    while (code < 0xff && std::ldexp(1.0L, static_cast<int>(code) - 127) < magnitude) ++code;
    if (std::isinf(v)) code = 0xff;
    bool const exact = std::ldexp(1.0L, static_cast<int>(code) - 127) == magnitude;
    if (s.has("rz") && !exact && code > 0 && !std::isinf(v)) --code;
    return s.has("satfinite") && code == 0xff ? 0xfe : code;
}

answer conversion(spelled const& s, inputs const& v) {
    if (s.has("pack")) return exactly(packed(s, v));
    auto const to = type_of(s, 0);
    auto const from = type_of(s, 1);
    if (tiny_tables.count(to) != 0) {
        auto const one = [&](bits b) {
            auto const x = real(b, "f32");
            return s.has("relu") && x == x && std::signbit(x) ? bits{0} : tiny_bits(x, to);
        };
        return exactly(one(v[0]) << (to == "e2m1x2" ? 4 : 8) | one(v[1]));
    }
    if (auto const table = tiny_tables.find(from); table != tiny_tables.end()) {
        bits both = 0;
        for (unsigned i = 0; i < 2; ++i) {
            auto const code = v[0] >> ((from == "e2m1x2" ? 4 : 8) * i);
            auto const count = table->second.size();
            auto const magnitude = narrow_bits(table->second[code % count], "f16", FE_TONEAREST);
            bool const negative = (code & count) != 0;
            both |= (negative ? s.has("relu") ? 0 : magnitude | 0x8000 : magnitude) << (16 * i);
        }
        return exactly(both);
    }
    if (to == "ue8m0x2") {
        auto const part = [&](bits b) { return real(b << 16, "f32"); };
        return from == "f32" ? exactly(scale_bits(real(v[0], from), s) << 8 | scale_bits(real(v[1], from), s))
                             : exactly(scale_bits(part(v[0] >> 16 & 0xffff), s) << 8 |
                                       scale_bits(part(v[0] & 0xffff), s));
    }
    if (from == "ue8m0x2") {
        bits both = 0;
        for (unsigned i = 0; i < 2; ++i) {
            auto const code = v[0] >> (8 * i) & 0xff;
            auto const x = std::ldexp(1.0L, static_cast<int>(code) - 127);
            both |= (code == 0xff ? bits{0x7fff} : narrow_bits(x, "bf16", FE_TONEAREST)) << (16 * i);
        }
        return exactly(both);
    }
    auto const mode = host_rounding(s);
    auto const limited = [&](bits b, std::string const& type) { // .relu, .satfinite
        auto const x = real(b, type);
        if (s.has("relu") && x == x && std::signbit(x)) return bits{0};
        if (s.has("satfinite") && std::isinf(x)) return b - 1;
        return b;
    };
    if (is_real(from) && width_of(from) == 16 && !is_narrow(from)) { // two bytes
        bits both = 0;
        for (unsigned i = 0; i < 2; ++i) {
            auto const b = narrow_bits(byte_value(v[0] >> (8 * i) & 0xff, from), "f16", FE_TONEAREST);
            both |= limited(b, "f16") << (16 * i);
        }
        return exactly(both);
    }
    if (to == "e4m3x2" || to == "e5m2x2") {
        auto const byte = [&](long double x) {
            return s.has("relu") && x == x && std::signbit(x) ? bits{0} : byte_bits(x, to);
        };
        auto const x = from == "f32" ? real(v[0], from) : real(v[0] >> 16, "f16");
        auto const y = from == "f32" ? real(v[1], from) : real(v[0] & 0xffff, "f16");
        return exactly(byte(x) << 8 | byte(y));
    }
    if (to == "tf32") { // 10 bits of fraction, of two neighbours that which the rounding says
        auto const x = real(v[0], from);
        if (x != x) return exactly(0x7fffffff);
        auto b = v[0] & ~bits{0x1fff};
        auto const rest = v[0] & 0x1fff;
        bool const up =
            !std::isinf(x) && ((s.has("rna") && rest >= 0x1000) ||
                               (s.has("rn") && (rest > 0x1000 || (rest == 0x1000 && (b & 0x2000) != 0))));
        if (up) b += 0x2000;
        if (s.has("satfinite") && (b & 0x7fffffff) == 0x7f800000) b -= 0x2000;
        return exactly(s.has("relu") && std::signbit(x) ? 0 : b);
    }
    if (!part_of(to).empty()) {
        auto const half = [&](bits b) {
            return limited(narrow_bits(real(s.has("ftz") ? flushed(b, from) : b, from), part_of(to), mode),
                           part_of(to));
        };
        return exactly(half(v[0]) << 16 | half(v[1]));
    }
    bool const integral = s.f.has(warpkit::ptx::modifier::integral);
    auto const clamped = [&](long double x) {
        auto const w = width_of(to);
        auto const most = std::ldexp(1.0L, static_cast<int>(w) - (to[0] == 's' ? 1 : 0)) - 1;
        auto const least = to[0] == 's' ? -most - 1 : 0;
        x = x > most ? most : x < least ? least : x;
        return cut(static_cast<wide>(x), w);
    };
    if (!is_real(from) && !is_real(to)) {
        auto const x = number(v[0], from);
        return exactly(s.has("sat") ? clamped(static_cast<long double>(x)) : cut(x, width_of(to)));
    }
    if (!is_real(from)) {
        auto const b = real_bits(static_cast<long double>(number(v[0], from)), to, mode);
        return exactly(s.has("sat") ? saturated(b, to) : b);
    }
    auto x = real(s.has("ftz") && from != "f64" ? flushed(v[0], from) : v[0], from);
    if (integral) {
        rounded const r(mode);
        volatile long double y = x;
        x = std::nearbyint(y);
    }
    if (!is_real(to)) return exactly(x != x ? 0 : clamped(x));
    auto b = real_bits(x, to, integral ? FE_TONEAREST : mode);
    if (s.has("ftz") && to == "f32") b = flushed(b, to);
    if (is_narrow(to)) b = limited(b, to);
    return exactly(s.has("sat") ? saturated(b, to) : b);
}

answer expected(spelled const& s, inputs const& v) {
    auto const base = s.base();
    if (base == "cvt") return conversion(s, v);
    for (auto const* b : {"selp", "slct", "setp", "set", "testp"})
        if (base == b) return selection(s, v);
    for (auto const* b : {"and", "or", "xor", "not", "cnot", "mov"})
        if (base == b) return logic(s, v);
    auto const type = type_of(s, 0);
    if (!part_of(type).empty()) {
        bits both = 0;
        unsigned ulps = 0;
        for (unsigned part = 0; part < 2; ++part) {
            inputs half;
            for (auto b : v) half.push_back(b >> (16 * part) & 0xffff);
            auto const r = floating(s, half, part_of(type));
            if (!r) return {};
            both |= r->value << (16 * part);
            ulps = r->ulps;
        }
        return outcome{both, ulps};
    }
    return is_real(type) ? floating(s, v, type) : integer(s, v);
}

// Distance in units of the last place; signs of zero must agree.
bool near(bits a, bits b, unsigned ulps, std::string const& type) {
    if (a == b) return true;
    if (ulps != 0 && !part_of(type).empty())
        return near(a & 0xffff, b & 0xffff, ulps, part_of(type)) &&
               near(a >> 16, b >> 16, ulps, part_of(type));
    if (ulps == 0 || real(a, type) != real(a, type) || real(b, type) != real(b, type)) return false;
    return (a ^ b) >> (width_of(type) - 1) == 0 && (a > b ? a - b : b - a) <= ulps;
}

std::vector<bits> corners(std::string const& type, std::size_t operands) {
    std::vector<bits> all;
    if (type == "pred") return {0, 1};
    if (type == "f32")
        all = {0x3f800000, 0xbfc00000, 0,          0x80000000, 0x7fc00000, 0x7f800000, 0x007fffff,
               0x7f7fffff, 0x3eaaaaab, 0xff800000, 0x80000001, 0x00800000, 0x42f6e979, 0xff7fffff,
               0x4b7fffff, 0x4f000000, 0xcf000001, 0x3f7fffff, 0x5f800000, 0xdf000000, 0x40200000,
               0x33000001, 0x477ff000, 0x477fefff, 0xc2c80000, 0xffc00001};
    else if (type == "f64")
        all = {0x3ff0000000000000, 0xbff8000000000000, 0,
               0x8000000000000000, 0x7ff8000000000000, 0x7ff0000000000000,
               0x000fffffffffffff, 0x7fefffffffffffff, 0x3fd5555555555555,
               0xfff0000000000000, 0x8000000000000001, 0x0010000000000000,
               0x47f0000000000000, 0x36a0000000000000, 0x405edd2f1a9fbe77,
               0x41dfffffffc00000, 0xc1e0000000200000, 0x43e0000000000000,
               0xc3e0000000000000, 0x3810000000000001, 0x4004000000000000,
               0x3e60000000000001, 0x40effe0000000000, 0x41f0000000000000};
    else if (type == "f16")
        all = {0x3c00, 0xbe00, 0,      0x8000, 0x7e00, 0x7c00, 0x03ff, 0x7bff, 0x3555,
               0xfc00, 0x8001, 0x0400, 0x57b7, 0xfbff, 0x3bff, 0x4100, 0x3801, 0x0001};
    else if (type == "bf16")
        all = {0x3f80, 0xbfc0, 0,      0x8000, 0x7fc0, 0x7f80, 0x007f, 0x7f7f, 0x3eab, 0xff80,
               0x8001, 0x0080, 0x42f7, 0xff7f, 0x3f7f, 0x4020, 0x3f01, 0x0001, 0x4b7f, 0xcf01};
    else if (type == "bf16x2")
        all = {0x3f80bfc0, 0x00008000, 0x7fc03eab, 0x7f80ff7f, 0x007f0080,
               0x7f7f3f80, 0x80010001, 0x4020bf01, 0x42f77f7f};
    else if (type == "e2m1x2") {
        for (bits b = 0; b < 0x100; ++b) all.push_back(b);
        return all;
    } else if (type == "e4m3x2" || type == "e5m2x2" || type == "ue8m0x2" ||
               tiny_tables.count(type) != 0) { // every byte, high and low
        for (bits b = 0; b < 0x100; ++b) all.push_back(b << 8 | (b * 37 & 0xff));
        return all;
    } else if (type == "f16x2")
        all = {0x3c00be00, 0x00008000, 0x7e003555, 0x7c00fbff, 0x03ff0400,
               0x7bff3c00, 0x80010001, 0x4100b801, 0x57b77bff};
    else if (width_of(type) == 8)
        all = {0, 1, 0x7f, 0x80, 0xff, 0x5a};
    else if (width_of(type) == 16)
        all = {0, 1, 0x7fff, 0x8000, 0xffff, 0x1234, 31, 0x8001, 0xff};
    else if (width_of(type) == 32)
        all = {0,  1,  0x7fffffff, 0x80000000, 0xffffffff, 31,        0x12345678,
               32, 33, 0x00ff80ff, 7,          64,         0x01000001};
    else
        all = {0,          1,  0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x0123456789abcdef,
               0xffffffff, 63, 0x20000000000001,   0xfffffffffff};
    std::size_t const most = operands == 1 ? 100 : operands == 2 ? 14 : operands == 3 ? 8 : 6;
    if (all.size() > most) all.resize(most);
    return all;
}

// The types of a row's operands for a form; empty for operands that are no plain values.
std::vector<std::string> operand_types(spelled const& s) {
    std::vector<std::string> types;
    for (auto const& o : warpkit::ptx::operand_specs(s.from->operands)) {
        using role = warpkit::ptx::operand_spec::role;
        if (o.what != role::destination && o.what != role::source) return {};
        types.emplace_back(name_of(o.type(s.f)));
    }
    if (types.size() < 2 || warpkit::ptx::operand_specs(s.from->operands)[0].what !=
                                warpkit::ptx::operand_spec::role::destination)
        return {};
    return types;
}

// Checks forms of one signature together. `texts` holds what to run for each.
using evaluator = std::function<answer(spelled const&, inputs const&)>;
void check_all(std::vector<spelled> const& forms, std::vector<std::string> const& texts,
               std::string const& result, std::vector<std::string> const& sources, evaluator const& host) {
    std::vector<std::vector<bits>> values;
    for (auto const& t : sources) values.push_back(corners(t, sources.size()));
    auto const cases = combinations(values);
    for (std::size_t from = 0; from < forms.size(); from += 64) {
        auto const to = std::min(forms.size(), from + 64);
        auto const got = evaluate_all({texts.begin() + static_cast<std::ptrdiff_t>(from),
                                       texts.begin() + static_cast<std::ptrdiff_t>(to)},
                                      result, sources, cases);
        for (std::size_t k = from; k < to; ++k) {
            unsigned wrong = 0;
            std::ostringstream first;
            for (std::size_t i = 0; i < cases.size(); ++i) {
                auto const want = host(forms[k], cases[i]);
                auto const have = got[k - from][i];
                if (want && near(have, want->value, want->ulps, result)) continue;
                if (wrong++ == 0) {
                    first << std::hex;
                    for (auto b : cases[i]) first << " " << b;
                    first << " gives " << have;
                    want ? first << ", expected " << want->value : first << ": no case";
                }
            }
            if (wrong != 0) {
                INFO(forms[k].text << first.str());
                CHECK(wrong == 0);
            }
        }
    }
}

// Rows that are no arithmetic, and the test that has them.
std::map<std::string, std::string> const elsewhere{
    {"cvta", "Every space by its own address and by a generic one"},
    {"isspacep", "Every space by its own address and by a generic one"},
    {"tex", "tex.2d: filters, address modes, coordinates"},
    {"tld4", "tld4 gathers a component, txq and suq tell what there is"},
    {"txq", "tld4 gathers a component, txq and suq tell what there is"},
    {"suq", "tld4 gathers a component, txq and suq tell what there is"},
    {"suld", "Surfaces: elements of each size in arrays of each shape, and what is outside"},
    {"sust", "Surfaces: elements of each size in arrays of each shape, and what is outside"},
    {"shfl", "Shuffles"},
    {"vote", "Votes, match, reductions over a warp, active mask"},
    {"activemask", "Votes, match, reductions over a warp, active mask"},
    {"match", "Votes, match, reductions over a warp, active mask"},
    {"redux", "Votes, match, reductions over a warp, active mask"},
    {"elect", "elect.sync: the lowest member leads"},
    {"mma", "mma: all shapes and types"},
    {"wmma", "wmma: load, multiply and store in all shapes, types and layouts"},
    {"ldmatrix", "ldmatrix and stmatrix: rows that lanes name"},
    {"stmatrix", "ldmatrix and stmatrix: rows that lanes name"},
    {"wgmma", "wgmma: all types and shapes, from shared memory and from registers"},
    {"tcgen05", "tcgen05.mma: kinds, types and shapes, from shared and from tensor memory"},
    {"mapa", "Clusters: the shared memory of other CTAs"},
    {"getctarank", "Clusters: the shared memory of other CTAs"},
    {"movmatrix", "movmatrix transposes what a warp holds"},
    {"cp", "cp.async: every size, what is not read is zero, what is not written stays"},
    {"mbarrier", "mbarriers: random sequences of one thread beside the text's counts"},
    {"vadd", "Scalar video instructions: parts, saturation, second operations, merges"},
    {"vsub", "Scalar video instructions: parts, saturation, second operations, merges"},
    {"vabsdiff", "Scalar video instructions: parts, saturation, second operations, merges"},
    {"vmin", "Scalar video instructions: parts, saturation, second operations, merges"},
    {"vmax", "Scalar video instructions: parts, saturation, second operations, merges"},
    {"vshl", "Scalar video instructions: parts, saturation, second operations, merges"},
    {"vshr", "Scalar video instructions: parts, saturation, second operations, merges"},
    {"vset", "Scalar video instructions: parts, saturation, second operations, merges"},
    {"vmad", "vmad: products of parts, scaled"},
    {"vadd2", "SIMD video instructions: two halves and four bytes"},
    {"vsub2", "SIMD video instructions: two halves and four bytes"},
    {"vavrg2", "SIMD video instructions: two halves and four bytes"},
    {"vabsdiff2", "SIMD video instructions: two halves and four bytes"},
    {"vmin2", "SIMD video instructions: two halves and four bytes"},
    {"vmax2", "SIMD video instructions: two halves and four bytes"},
    {"vset2", "SIMD video instructions: two halves and four bytes"},
    {"vadd4", "SIMD video instructions: two halves and four bytes"},
    {"vsub4", "SIMD video instructions: two halves and four bytes"},
    {"vavrg4", "SIMD video instructions: two halves and four bytes"},
    {"vabsdiff4", "SIMD video instructions: two halves and four bytes"},
    {"vmin4", "SIMD video instructions: two halves and four bytes"},
    {"vmax4", "SIMD video instructions: two halves and four bytes"},
    {"vset4", "SIMD video instructions: two halves and four bytes"},
    {"clusterlaunchcontrol", "A CTA that asks for another's work"},
    {"tensormap", "tensormap: every field, in shared and in global memory"},
    {"griddepcontrol", "trap and what does nothing"},
    {"setmaxnreg", "trap and what does nothing"},
    {"bra", "The two sides of an if run one after the other"},
    {"brx", "brx.idx sends each lane to its target"},
    {"call", "Device functions: arguments, results"},
    {"ret", "Device functions: arguments, results"},
    {"exit", "Loops that lanes leave at different times"},
    {"trap", "trap and what does nothing"},
    {"brkpt", "trap and what does nothing"},
    {"bar", "Counted barriers, arrivals and reductions"},
    {"barrier", "Counted barriers, arrivals and reductions"},
    {"membar", "trap and what does nothing"},
    {"fence", "trap and what does nothing"},
    {"nanosleep", "trap and what does nothing"},
    {"pmevent", "trap and what does nothing"},
    {"prefetch", "trap and what does nothing"},
    {"prefetchu", "trap and what does nothing"},
    {"applypriority", "trap and what does nothing"},
    {"discard", "trap and what does nothing"},
    {"createpolicy", "Cache policies and hints change nothing"},
    {"atom", "Atomic operations, every form"},
    {"red", "Atomic operations, every form"},
    {"ld", "Loads and stores, every form"},
    {"ldu", "Loads and stores, every form"},
    {"st", "Loads and stores, every form"},
};

// st.async and red.async: bulk_copies.cpp
bool is_asynchronous(spelled const& s) { return s.text.find(".async") != std::string::npos; }
// mov, ld, st and atom of 128 bits: wide_registers.cpp
bool is_wide(spelled const& s) { return type_of(s, 0) == "b128"; }

std::vector<spelled> all_forms() {
    std::vector<spelled> all;
    for (auto const* r : warpkit::ptx::translator<>::rows()) {
        if (r->what == warpkit::ptx::action::unsupported) continue;
        auto const forms = forms_of(*r);
        all.insert(all.end(), forms.begin(), forms.end());
    }
    return all;
}

} // namespace

TEST_CASE("Every form of an instruction on values, corner cases included", "[ptx][forms]") {
    using warpkit::ptx::trait;
    struct group {
        std::vector<spelled> forms;
        std::vector<std::string> texts;
    };
    std::map<std::vector<std::string>, group> plain; // by types
    std::map<std::vector<std::string>, group> carries[2];
    for (auto const& s : all_forms()) {
        if (s.from->extra == trait::pack || s.from->extra == trait::unpack)
            continue; // "Moves pack and unpack"
        auto types = operand_types(s);
        if (elsewhere.count(s.base()) != 0 || is_wide(s)) continue;
        INFO(s.text << " has operands that no case knows");
        REQUIRE(!types.empty());
        static char const* const names[] = {"%d", "%a", "%b", "%c", "%e"};
        auto text = s.text + (s.base() == "setp" ? " %q2|%q3" : " %d");
        for (std::size_t i = 1; i < types.size(); ++i) text.append(", ").append(names[i]);
        text += ";";
        if (s.base() == "setp") {
            types[0] = "b32";
            text += "\nselp.b32 %d, 1, 0, %q2;\n@%q3 add.u32 %d, %d, 2;";
        }
        bool const carry_in = s.from->extra == trait::carry_in;
        if (!carry_in && s.from->extra != trait::carry) {
            auto& g = plain[types];
            g.forms.push_back(s);
            g.texts.push_back(text);
            continue;
        }
        // The last source is the carry that comes in; the result, or the carry that goes out.
        text = std::string("selp.b32 %t6, 1, 0, ") + names[types.size()] + ";\nadd.cc.u32 %t7, %t6, -1;\n" +
               text;
        types.emplace_back("pred");
        auto& g = carries[0][types];
        g.forms.push_back(s);
        g.texts.push_back(text);
        if (!s.has("cc")) continue;
        auto out = text;
        out.replace(out.rfind("%d"), 2, "%x6"); // the 64-bit scratch register, or a 32-bit one
        if (types[0].substr(1) == "32") out.replace(out.rfind("%x6"), 3, "%t5");
        types[0] = "u32";
        auto& h = carries[1][types];
        h.forms.push_back(s);
        h.texts.push_back(out + "\naddc.u32 %d, 0, 0;");
    }
    for (auto const& [types, g] : plain)
        check_all(g.forms, g.texts, types[0], {types.begin() + 1, types.end()}, expected);
    for (bool const out : {false, true})
        for (auto const& [types, g] : carries[out ? 1 : 0])
            check_all(g.forms, g.texts, types[0], {types.begin() + 1, types.end()},
                      [out](spelled const& s, inputs const& v) {
                          auto const w = width_of(type_of(s, 0));
                          auto const u = "u" + std::to_string(w);
                          wide const carry =
                              s.from->extra == trait::carry_in ? static_cast<wide>(v.back()) : 0;
                          wide sum;
                          if (s.base()[0] == 'm') {
                              auto const t = type_of(s, 0);
                              auto const p = static_cast<unsigned_wide>(number(v[0], t)) *
                                             static_cast<unsigned_wide>(number(v[1], t));
                              auto const low = static_cast<wide>(p);
                              auto const high = t[0] == 's' ? low >> w : static_cast<wide>(p >> w);
                              sum = number(cut(s.has("hi") ? high : low, w), u) + number(v[2], u) + carry;
                          } else if (s.base()[0] == 'a') {
                              sum = number(v[0], u) + number(v[1], u) + carry;
                          } else {
                              sum = number(v[0], u) - number(v[1], u) - carry;
                          }
                          return exactly(out ? static_cast<bits>(sum >> w & 1) : cut(sum, w));
                      });
}

TEST_CASE("Carry chains make wide arithmetic", "[ptx][forms]") {
    // 128-bit sum, difference and product from 32-bit halves: d is word number %e of the result.
    auto const cases = combinations({corners("u64", 2), corners("u64", 2)});
    auto const split = std::string(
        ".reg .b32 %al, %ah, %bl, %bh, %l, %h, %m;\nmov.b64 {%al, %ah}, %a;\nmov.b64 {%bl, %bh}, %b;\n");
    auto const join = std::string("mov.b64 %d, {%l, %h};");
    auto const sum = evaluate(split + "add.cc.u32 %l, %al, %bl;\naddc.u32 %h, %ah, %bh;\n" + join, "u64",
                              {"u64", "u64"}, cases);
    auto const difference = evaluate(split + "sub.cc.u32 %l, %al, %bl;\nsubc.u32 %h, %ah, %bh;\n" + join,
                                     "u64", {"u64", "u64"}, cases);
    auto const carry = evaluate(
        split +
            "add.cc.u32 %l, %al, %bl;\naddc.cc.u32 %h, %ah, %bh;\naddc.u32 %l, 0, 0;\nmov.b64 %d, {%l, 0};",
        "u64", {"u64", "u64"}, cases);
    // The upper half of the product: madc over partial products.
    auto const upper = evaluate(split + R"(
.reg .b32 %p1, %p2, %p3;
mul.hi.u32 %p1, %al, %bl;
mad.lo.cc.u32 %p1, %al, %bh, %p1;
madc.hi.u32 %p2, %al, %bh, 0;
mad.lo.cc.u32 %p1, %ah, %bl, %p1;
madc.hi.cc.u32 %p2, %ah, %bl, %p2;
addc.u32 %p3, 0, 0;
mad.lo.cc.u32 %l, %ah, %bh, %p2;
madc.hi.u32 %h, %ah, %bh, %p3;
)" + join,
                                "u64", {"u64", "u64"}, cases);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        auto const a = cases[i][0];
        auto const b = cases[i][1];
        INFO(std::hex << a << " " << b);
        REQUIRE(sum[i] == a + b);
        REQUIRE(difference[i] == a - b);
        REQUIRE(carry[i] == (a + b < a ? 1U : 0U));
        REQUIRE(upper[i] == static_cast<bits>((static_cast<unsigned_wide>(a) * b) >> 64));
    }
}

TEST_CASE("Moves pack and unpack", "[ptx][forms]") {
    CHECK(evaluate("mov.b64 %d, {%a, %b};", "b64", {"b32", "b32"}, {{0x11223344, 0x55667788}}) ==
          std::vector<bits>{0x5566778811223344});
    CHECK(evaluate("mov.b32 %d, {%a, %b};", "b32", {"b16", "b16"}, {{0x3344, 0x7788}}) ==
          std::vector<bits>{0x77883344});
    CHECK(evaluate(".reg .b16 %w, %x, %y, %z;\nmov.b64 {%w, %x, %y, %z}, %a;\nmov.b64 %d, {%z, %y, %x, %w};",
                   "b64", {"b64"}, {{0x0123456789abcdef}}) == std::vector<bits>{0xcdef89ab45670123});
    CHECK(evaluate(".reg .b32 %h;\nmov.b64 {_, %h}, %a;\nmov.b32 %d, %h;", "b32", {"b64"},
                   {{0x1122334455667788}}) == std::vector<bits>{0x11223344});
    CHECK(evaluate("mov.b32 %d, %a;", "b32", {"f32"}, {{0x7fc00001}}) == std::vector<bits>{0x7fc00001});
}

TEST_CASE("Negated predicates, and constants as predicates", "[ptx][forms]") {
    CHECK(evaluate("setp.eq.and.s32 %d, %a, %b, !%c;", "pred", {"s32", "s32", "pred"},
                   {{4, 4, 0}, {4, 4, 1}}) == std::vector<bits>{1, 0});
    CHECK(evaluate("mov.pred %d, -1;", "pred", {"pred"}, {{0}}) == std::vector<bits>{1});
    CHECK(evaluate("xor.pred %d, %a, -1;", "pred", {"pred"}, {{0}, {1}}) == std::vector<bits>{1, 0});
}

TEST_CASE("Floats of 6 and 4 bits: every value, the middle between two, and what lies beside it",
          "[ptx][forms]") {
    for (auto const& known : tiny_tables) {
        auto const& type = known.first;
        auto const& table = known.second;
        INFO(type);
        std::vector<std::vector<bits>> cases;
        auto const add = [&](float x) {
            for (float const y : {x, std::nextafter(x, 0.0F), std::nextafter(x, 100.0F)})
                cases.push_back({std::bit_cast<std::uint32_t>(y), std::bit_cast<std::uint32_t>(-y)});
        };
        for (std::size_t k = 0; k < table.size(); ++k) {
            add(static_cast<float>(table[k]));
            if (k + 1 < table.size()) add(static_cast<float>((table[k] + table[k + 1]) / 2));
        }
        auto const got =
            evaluate("cvt.rn.satfinite." + type + ".f32 %d, %a, %b;", "b16", {"f32", "f32"}, cases);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            INFO(std::hex << cases[i][0]);
            auto const wanted = [&](bits b) { return tiny_bits(real(b, "f32"), type); };
            REQUIRE(got[i] == (wanted(cases[i][0]) << (type == "e2m1x2" ? 4 : 8) | wanted(cases[i][1])));
        }
    }
}

TEST_CASE("Loads and stores, every form", "[ptx][forms]") {
    std::vector<std::uint8_t> pattern(64);
    for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<std::uint8_t>(0x83 + 29 * i);
    std::string listed;
    for (auto b : pattern) listed += (listed.empty() ? "" : ", ") + std::to_string(b);
    auto const forms = all_forms();
    std::vector<spelled const*> chosen;
    for (auto const& s : forms)
        if ((s.base() == "ld" || s.base() == "ldu" || s.base() == "st") && !is_asynchronous(s) && !is_wide(s))
            chosen.push_back(&s);
    REQUIRE(chosen.size() > 500);
    for (std::size_t from = 0; from < chosen.size(); from += 100) {
        auto const count = std::min<std::size_t>(100, chosen.size() - from);
        std::string text =
            ".global .align 32 .b8 g[64] = {" + listed + "};\n.const .align 32 .b8 c[64] = {" + listed +
            "};\n.visible .entry k(.param .u64 k_out, .param .align 32 .b8 p[64])\n{\n"
            ".reg .b64 %rd<4>, %v<8>; .reg .b64 %out;\n"
            "createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %rd3, 0.5;\n"
            ".shared .align 32 .b8 s[64];\n.local .align 32 .b8 l[64];\nld.param.u64 %out, [k_out];\n";
        std::vector<std::vector<bits>> wanted;
        for (std::size_t k = 0; k < count; ++k) {
            auto const& f = *chosen[from + k];
            bool const loads = f.base() != "st";
            auto const type = type_of(f, 0);
            auto const width = width_of(type);
            unsigned const elements = f.f.vector_size();
            std::string space = "generic";
            for (auto const& w : f.words)
                for (auto const* n : {"global", "shared", "local", "const", "param"})
                    if (w.substr(0, std::string(n).size()) == n) space = n;
            bool const call = space == "param" && !loads; // an argument of a call to come
            std::string const name = call ? "q" : space == "generic" ? "g" : space.substr(0, 1);
            auto const st = space == "generic" ? std::string("st.global.b64") : "st." + space + ".b64";
            auto const ld = space == "generic" ? std::string("ld.global.b64") : "ld." + space + ".b64";
            text += "{\n";
            if (call) text += ".param .align 32 .b8 q[64];\n";
            bool const writable = space != "const" && (space != "param" || call);
            if (writable)
                for (unsigned i = 0; i < 8; ++i) {
                    bits word = 0;
                    if (loads)
                        for (unsigned b = 0; b < 8; ++b) word |= bits{pattern[8 * i + b]} << (8 * b);
                    text += st + " [" + name + "+" + std::to_string(8 * i) + "], " +
                            std::to_string(static_cast<std::int64_t>(word)) + ";\n";
                }
            auto place = "[" + name + "+32]";
            if (space == "generic") {
                text += "mov.u64 %rd1, g;\n";
                place = "[%rd1+32]";
            }
            bool const exact = is_real(type);
            auto const reg = type == "f16x2" ? "b32" : exact ? type : "b64";
            text += ".reg ." + std::string(reg) + " %w<8>;\n";
            std::string vector;
            for (unsigned e = 0; e < elements; ++e)
                vector += (e == 0 ? "" : ", ") + ("%w" + std::to_string(e));
            if (elements > 1) vector = "{" + vector + "}";
            std::vector<bits> want;
            bits const values[] = {0x8899aabbccddeeff, 0x123456789abcdef0, 0xfedcba9876543210,
                                   0x0f1e2d3c4b5a6978, 0x1122334455667788, 0x99aabbccddeeff00,
                                   0x0102030405060708, 0x090a0b0c0d0e0f10};
            std::string const policy = f.has("L2::cache_hint") ? ", %rd3" : "";
            auto const slot = [&](std::size_t i) { return "[%out+" + std::to_string(64 * k + 8 * i) + "]"; };
            if (loads) {
                text += f.text + " " + vector + ", " + place + policy + ";\n";
                for (unsigned e = 0; e < elements; ++e) {
                    bits b = 0;
                    for (unsigned i = 0; i < width / 8; ++i)
                        b |= bits{pattern[32 + e * width / 8 + i]} << (8 * i);
                    want.push_back(exact ? b
                                         : static_cast<bits>(number(b, (type[0] == 's' ? "s" : "u") +
                                                                           std::to_string(width))));
                    text += "st.global.b" + std::to_string(exact ? width : 64) + " " + slot(e) + ", %w" +
                            std::to_string(e) + ";\n";
                }
            } else {
                std::vector<std::uint8_t> after(64);
                for (unsigned e = 0; e < elements; ++e) {
                    auto const n = std::to_string(e);
                    text += "mov.b64 %v" + n + ", " + std::to_string(static_cast<std::int64_t>(values[e])) +
                            ";\n";
                    text += exact && width < 64
                                ? "cvt.u" + std::to_string(width) + ".u64 %w" + n + "x, %v" + n + ";\nmov.b" +
                                      std::to_string(width) + " %w" + n + ", %w" + n + "x;\n"
                                : "mov.b64 %w" + n + ", %v" + n + ";\n";
                    for (unsigned i = 0; i < width / 8; ++i)
                        after[32 + e * width / 8 + i] = static_cast<std::uint8_t>(values[e] >> (8 * i));
                }
                if (exact && width < 64) {
                    auto declared = ".reg .b" + std::to_string(width) + " %w0x";
                    for (unsigned e = 1; e < elements; ++e) declared += ", %w" + std::to_string(e) + "x";
                    text.insert(text.rfind(".reg ." + std::string(reg) + " %w<8>"), declared + ";\n");
                }
                text += f.text + " " + place + ", " + vector + policy + ";\n";
                for (unsigned i = 0; i < 8; ++i) {
                    text += ld + " %rd2, [" + name + "+" + std::to_string(8 * i) + "];\nst.global.b64 " +
                            slot(i) + ", %rd2;\n";
                    bits word = 0;
                    for (unsigned b = 0; b < 8; ++b) word |= bits{after[8 * i + b]} << (8 * b);
                    want.push_back(word);
                }
            }
            text += "}\n";
            wanted.push_back(want);
        }
        text += "ret;\n}\n";
        machine m(module_of(text), "loads.ptx");
        auto const out = m.upload(std::vector<bits>(8 * count));
        auto parameters = arguments({out, 0, 0, 0});
        for (auto b : pattern) parameters.push_back(static_cast<std::byte>(b));
        m.launch("k", {1, 1, 1}, {1, 1, 1}, parameters);
        auto const got = m.download<bits>(out, 8 * count);
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t i = 0; i < wanted[k].size(); ++i)
                if (got[8 * k + i] != wanted[k][i]) {
                    INFO(chosen[from + k]->text << " " << i);
                    CHECK(got[8 * k + i] == wanted[k][i]);
                }
    }
}

TEST_CASE("Atomic operations, every form", "[ptx][forms]") {
    auto const forms = all_forms();
    std::vector<spelled const*> chosen;
    for (auto const& s : forms)
        if ((s.base() == "atom" || s.base() == "red") && !is_asynchronous(s) && !is_wide(s) &&
            s.f.vector_size() == 1)
            chosen.push_back(&s);
    REQUIRE(chosen.size() > 200);
    constexpr unsigned pairs = 5;
    for (std::size_t from = 0; from < chosen.size(); from += 50) {
        auto const count = std::min<std::size_t>(50, chosen.size() - from);
        std::string text =
            ".global .align 16 .b8 g[16];\n.visible .entry k(.param .u64 k_out)\n{\n.reg .b64 %rd<4>; .reg "
            ".b64 "
            "%out;\n.shared .align 16 .b8 s[16];\nld.param.u64 %out, [k_out];\nmov.u64 %rd1, g;\n";
        std::vector<bits> wanted;
        for (std::size_t k = 0; k < count; ++k) {
            auto const& f = *chosen[from + k];
            auto const type = type_of(f, 0);
            auto const w = width_of(type);
            bool const shared = f.has("shared") || f.has("shared::cta") || f.has("shared::cluster");
            bool const generic = f.f.get(warpkit::ptx::modifier::space) == 0;
            std::string const cell = shared ? "s" : "g";
            std::string const access = std::string(shared ? ".shared.b" : ".global.b") + std::to_string(w);
            std::string operation;
            for (auto const* n : {"add", "min", "max", "and", "or", "xor", "exch", "inc", "dec", "cas"})
                if (f.has(n)) operation = n;
            for (unsigned i = 0; i < pairs; ++i) {
                static constexpr bits olds[pairs] = {5, 0xffffffffffffffff, 0x8000000080000000, 0,
                                                     0x12345678};
                static constexpr bits bs[pairs] = {7, 1, 0x7fffffff7fffffff, 0xf000000fffffffff, 0x12345678};
                static constexpr bits singles[] = {0x3f800000, 0x7f800000, 0x00000001, 0x80000000,
                                                   0x4b800000};
                static constexpr bits doubles[] = {0x3ff0000000000000, 0x7ff0000000000000, 1,
                                                   0x8000000000000000, 0x4340000000000000};
                static constexpr bits halves[] = {0x3c00, 0x7c00, 0x0001, 0x8000, 0x6c00};
                static constexpr bits bfloats[] = {0x3f80, 0x7f80, 0x0001, 0x8000, 0x4380};
                auto const pick = [&](bits integer, unsigned j) {
                    return type == "f32"      ? singles[j % pairs]
                           : type == "f64"    ? doubles[j % pairs]
                           : type == "f16"    ? halves[j % pairs]
                           : type == "bf16"   ? bfloats[j % pairs]
                           : type == "f16x2"  ? halves[j % pairs] | halves[(j + 3) % pairs] << 16
                           : type == "bf16x2" ? bfloats[j % pairs] | bfloats[(j + 3) % pairs] << 16
                                              : cut(static_cast<wide>(integer), w);
                };
                auto const old = pick(olds[i], i);
                auto const b = pick(bs[i], i + (i == 1 ? 3U : i == 2 ? 0U : 1U));
                auto const c = cut(static_cast<wide>(0xabcdef0123456789), w);
                bits next = 0;
                auto const part = part_of(type).empty() ? type : part_of(type);
                if (is_narrow(part)) {
                    for (unsigned at = 0; at < w; at += 16)
                        next |= narrow_bits(real(old >> at & 0xffff, part) + real(b >> at & 0xffff, part),
                                            part, FE_TONEAREST)
                                << at;
                } else if (is_real(type)) {
                    bool const flushes = type == "f32" && !shared; // PTX ISA, atom
                    auto const x = flushes ? flushed(old, type) : old;
                    auto const y = flushes ? flushed(b, type) : b;
                    next = real_bits(type == "f32"
                                         ? real(x, type) + real(y, type)
                                         : static_cast<long double>(static_cast<double>(real(x, type)) +
                                                                    static_cast<double>(real(y, type))),
                                     type, FE_TONEAREST);
                    if (flushes) next = flushed(next, type);
                } else {
                    auto const o = number(old, type[0] == 'b' ? "u" + type.substr(1) : type);
                    auto const v = number(b, type[0] == 'b' ? "u" + type.substr(1) : type);
                    wide const n = operation == "add"    ? o + v
                                   : operation == "min"  ? std::min(o, v)
                                   : operation == "max"  ? std::max(o, v)
                                   : operation == "and"  ? o & v
                                   : operation == "or"   ? o | v
                                   : operation == "xor"  ? o ^ v
                                   : operation == "exch" ? v
                                   : operation == "inc"  ? (o >= v ? 0 : o + 1)
                                   : operation == "dec"  ? (o == 0 || o > v ? v : o - 1)
                                   : old == b            ? static_cast<wide>(c)
                                                         : o;
                    next = cut(n, w);
                }
                auto const literal = [](bits x) { return std::to_string(static_cast<std::int64_t>(x)); };
                auto const bw = ".b" + std::to_string(w);
                text += "{\n.reg ." + type + " %o, %v, %c; .reg " + bw + " %x;\nmov" + bw + " %x, " +
                        literal(old) + ";\nst" + access + " [" + cell + "], %x;\nmov" + bw + " %x, " +
                        literal(b) + ";\nmov" + bw + " %v, %x;\nmov" + bw + " %x, " + literal(c) + ";\nmov" +
                        bw + " %c, %x;\nmov" + bw + " %o, %v;\n";
                text += f.text + (f.base() == "atom" ? " %o, " : " ") +
                        (generic ? "[%rd1]" : "[" + cell + "]") + ", %v" +
                        (operation == "cas" ? ", %c" : "") + (f.has("L2::cache_hint") ? ", %rd1" : "") +
                        ";\n";
                auto const at = [&](unsigned n) {
                    return "[%out+" + std::to_string(16 * (k * pairs + i) + 8 * n) + "]";
                };
                text += "st.global" + bw + " " + at(0) + ", %o;\nld" + access + " %x, [" + cell +
                        "];\nst.global" + bw + " " + at(1) + ", %x;\n}\n";
                wanted.push_back(f.base() == "atom" ? old : b);
                wanted.push_back(next);
            }
        }
        text += "ret;\n}\n";
        machine m(module_of(text), "atomics.ptx");
        auto const out = m.upload(std::vector<bits>(wanted.size()));
        m.launch("k", {1, 1, 1}, {1, 1, 1}, arguments({out}));
        auto const got = m.download<bits>(out, wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (got[i] != wanted[i]) {
                INFO(chosen[from + i / (2 * pairs)]->text << " case " << i / 2 % pairs
                                                          << (i % 2 == 0 ? " old" : " new"));
                CHECK(got[i] == wanted[i]);
            }
    }
}

TEST_CASE("Atomic additions of vectors: each element by itself", "[ptx][forms]") {
    unsigned tried = 0;
    for (auto const& f : all_forms()) {
        if ((f.base() != "atom" && f.base() != "red") || f.f.vector_size() == 1) continue;
        ++tried;
        auto const type = type_of(f, 0);
        auto const part = part_of(type).empty() ? type : part_of(type);
        auto const w = width_of(type);
        auto const elements = f.f.vector_size();
        auto const words = elements * w / 32;
        // Two lanes add to the same place, so that the second finds what the first has left.
        auto const addend = [&](unsigned word) {
            return part == "f32"   ? 0x3fc00000 + (bits{word} << 20)
                   : part == "f16" ? 0x3c003e00 + bits{word} * 0x04000100
                                   : 0x3f803fc0 + bits{word} * 0x00100080;
        };
        std::string text, list, old;
        for (unsigned e = 0; e < elements; ++e) {
            auto const n = std::to_string(e);
            auto const at = e * w / 32;
            auto const value = w == 32 ? addend(at) : addend(at) >> (e % 2 * 16) & 0xffff;
            text += ".reg .b" + std::to_string(w) + " %v" + n + ", %o" + n + "; mov.b" + std::to_string(w) +
                    " %v" + n + ", " + std::to_string(value) + "; mov.b" + std::to_string(w) + " %o" + n +
                    ", %v" + n + ";\n";
            list += (e == 0 ? "{%v" : ", %v") + n;
            old += (e == 0 ? "{%o" : ", %o") + n;
        }
        text += "setp.lt.u32 %p0, %tid.x, 2;\n@%p0 " + f.text + (f.base() == "atom" ? " " + old + "}," : "") +
                " [%out], " + list + "}" + (f.has("L2::cache_hint") ? ", %out" : "") +
                ";\nsetp.eq.u32 %p1, %tid.x, 1;\n";
        for (unsigned e = 0; e < elements; ++e) // what the second lane found
            text += "@%p1 st.global.b" + std::to_string(w) + " [%out+" + std::to_string(16 + e * w / 8) +
                    "], %o" + std::to_string(e) + ";\n";
        auto const got = run<std::uint32_t>(text, 8);
        INFO(f.text);
        for (unsigned i = 0; i < words; ++i)
            for (unsigned at = 0; at < 32; at += width_of(part)) {
                auto const field = [&](bits b) { return b >> at & (part == "f32" ? 0xffffffff : 0xffff); };
                auto const b = field(addend(i));
                auto const x = real(b, part);
                auto const twice = part == "f32" ? real_bits(2 * x, part, FE_TONEAREST)
                                                 : narrow_bits(2 * x, part, FE_TONEAREST);
                CHECK(field(got[i]) == twice);
                CHECK(field(got[4 + i]) == b);
            }
    }
    CHECK(tried > 20);
}

TEST_CASE("Cache policies and hints change nothing", "[ptx][forms]") {
    // Policies of all three kinds, and what takes them.
    CHECK(run<std::uint32_t>(R"(
.reg .b64 %policy;
createpolicy.fractional.L2::evict_first.b64 %policy;
createpolicy.fractional.L2::evict_unchanged.L2::evict_unchanged.b64 %policy, 0.25;
createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %policy, [%out], 64, 128;
createpolicy.cvt.L2.b64 %policy, 0x10f0000000000000;
st.global.L1::no_allocate.L2::cache_hint.u32 [%out], 7, %policy;
ld.global.nc.L1::evict_last.L2::cache_hint.L2::256B.u32 %r0, [%out], %policy;
atom.global.add.L2::cache_hint.u32 %r1, [%out], 2, %policy;
st.global.L2::evict_last.v2.u32 [%out+8], {%r0, %r1};
)",
                             4) == std::vector<std::uint32_t>{9 + 31 * 2, 0, 7, 7 + 31 * 2});
    CHECK_THAT(run_error("ld.global.L2::cache_hint.u32 %r0, [%out];"),
               Catch::Contains("ld.global.L2::cache_hint.u32 takes a cache policy as its last operand"));
    CHECK_THAT(run_error("ld.global.u32 %r0, [%out], %out;"),
               Catch::Contains("ld.global.u32 takes a cache policy only with .L2::cache_hint"));
}

TEST_CASE("trap and what does nothing", "[ptx][forms]") {
    CHECK_THAT(run_error("trap;"), Catch::Contains("trap at t.ptx:16 in CTA (0,0,0), thread (0,0,0)"));
    CHECK_THAT(run_error("brkpt;"), Catch::Contains("trap at t.ptx:16"));
    CHECK(run<std::uint32_t>(
              "membar.cta; membar.gl; fence.proxy.async.global; fence.mbarrier_init.release.cluster; "
              "griddepcontrol.wait; griddepcontrol.launch_dependents; setmaxnreg.inc.sync.aligned.u32 40; "
              " membar.sys; fence.acq_rel.gpu; fence.sc.sys; nanosleep.u32 40; pmevent "
              "1;\n"
              "prefetch.global.L2 [%out]; prefetchu.L1 [%out]; prefetch.global.L2::evict_last [%out]; "
              "prefetch.tensormap [%out]; applypriority.global.L2::evict_normal [%out], 128; "
              "fence.proxy.tensormap::generic.acquire.gpu [%out], 128; "
              "fence.acquire.sync_restrict::shared::cluster.cluster; discard.global.L2 [%out], 128; "
              "bar.warp.sync -1; st.global.u32 [%out], 9;",
              1)[0] == 9);
}

TEST_CASE("All forms that compilers were seen to emit are taken, and have a case", "[ptx][forms]") {
    std::set<std::string> tested;
    for (auto const& s : all_forms()) tested.insert(s.text);
    unsigned count = 0;
    for (std::string const line : listed_forms) {
        auto const parts = split(line, ' ');
        for (std::size_t i = 1; i < parts.size(); ++i) {
            auto const form_text = parts[i] == "-" ? "" : parts[i];
            auto const words = split(form_text, '.');
            ++count;
            bool good = false;
            for (auto const* r : warpkit::ptx::translator<>::rows()) {
                if (r->base != parts[0] || r->what == warpkit::ptx::action::unsupported) continue;
                form f;
                if (!match(*r, words, f)) continue;
                // Hints apart, this very form, or one of a row that has its test elsewhere.
                auto plain = parts[0];
                for (auto const& w : words) {
                    bool hint = false;
                    for (auto const* c : {"@order", "@scope", "@cache", "@level", "@second_level",
                                          "@cache_hint", "@prefetch_size", "@nc"})
                        for (auto const& h : words_of(c)) hint = hint || w == h;
                    bool const means_something =
                        parts[0] != "ld" && parts[0] != "st" && parts[0] != "atom" && parts[0] != "red";
                    if (!hint || means_something) plain += "." + w;
                }
                good = good || tested.count(plain) != 0;
            }
            if (!good) {
                INFO(parts[0] << form_text);
                CHECK(good);
            }
        }
    }
    CHECK(count == 412);
    // The tests that `elsewhere` names are there, and know the opcode.
    std::string text;
    for (auto const* file :
         {"executor.cpp", "texture.cpp", "forms.cpp", "matrices.cpp", "asynchronous.cpp", "video.cpp",
          "sparse_matrices.cpp", "group_matrices.cpp", "bulk_copies.cpp", "tensor_copies.cpp",
          "tensor_memories.cpp", "clusters.cpp", "wide_registers.cpp"})
        text += source_text(std::filesystem::path("tests/frontend/ptx") / file);
    for (auto const& [base, test] : elsewhere) {
        INFO(base);
        CHECK(text.find("TEST_CASE(\"" + test) != std::string::npos);
        CHECK(text.find(base) != std::string::npos);
    }
}
