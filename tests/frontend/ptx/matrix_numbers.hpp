#pragma once
/// The number formats of matrices, decoded by their definitions, and products computed from them.

#include "harness.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ptx_test {

// Number formats ---------------------------------------------------------------------------------------------------

struct format {
    std::string name;
    unsigned bits;
    unsigned fraction; ///< of floating point; 0: integers
    unsigned exponent;
};
inline format const formats[] = {
    {"f16", 16, 10, 5}, {"bf16", 16, 7, 8}, {"tf32", 32, 10, 8}, {"f32", 32, 23, 8},
    {"e4m3", 8, 3, 4},  {"e5m2", 8, 2, 5},  {"f64", 64, 52, 11}, {"s8", 8, 0, 0},
    {"u8", 8, 0, 0},    {"s4", 4, 0, 0},    {"u4", 4, 0, 0},     {"b1", 1, 0, 0},
    {"s32", 32, 0, 0},  {"e2m3", 6, 3, 2},  {"e3m2", 6, 2, 3},   {"e2m1", 4, 1, 2}};
inline format const& format_of(std::string const& name) {
    return *std::find_if(std::begin(formats), std::end(formats),
                         [&](auto const& f) { return f.name == name; });
}
inline long double value_of(format const& f, bits b) {
    if (f.fraction == 0) {
        bool const negative = f.name[0] == 's' && (b >> (f.bits - 1) & 1) != 0;
        return static_cast<long double>(b) - (negative ? std::ldexp(1.0L, static_cast<int>(f.bits)) : 0);
    }
    if (f.name == "tf32") b >>= 13; // 19 bits at the top of 32
    auto const all_ones = (1U << f.exponent) - 1;
    int const bias = static_cast<int>(all_ones >> 1);
    auto const e = static_cast<unsigned>(b >> f.fraction & all_ones);
    auto const m = std::ldexp(static_cast<long double>(b & ((bits{1} << f.fraction) - 1)),
                              -static_cast<int>(f.fraction));
    long double v = e == 0 ? std::ldexp(m, 1 - bias) : std::ldexp(1 + m, static_cast<int>(e) - bias);
    if (f.name == "e4m3") {
        if ((b & 0x7f) == 0x7f) v = std::numeric_limits<long double>::quiet_NaN();
    } else if (e == all_ones && f.bits >= 8) { // narrower ones are all numbers
        v = m != 0 ? std::numeric_limits<long double>::quiet_NaN() : HUGE_VALL;
    }
    return (b >> (f.fraction + f.exponent) & 1) != 0 ? -v : v;
}
// A double rounded to nearest in a format of 16 bits, or as a float.
inline bits narrowed(double v, format const& f) {
    if (f.name == "f64") return v != v ? std::bit_cast<bits>(v) : std::bit_cast<bits>(v);
    if (f.name == "f32") return v != v ? 0x7fffffff : std::bit_cast<std::uint32_t>(static_cast<float>(v));
    if (v != v) return 0x7fff;
    bits const sign = std::signbit(v) ? 0x8000 : 0;
    double const a = std::fabs(v);
    if (a >= 65520) return sign | 0x7c00;
    int e = 0;
    std::frexp(a, &e);
    auto const quantum = std::max(e - 11, -24);
    auto const scaled = std::nearbyint(std::ldexp(a, -quantum)); // to even
    auto const q = std::ldexp(scaled, quantum);
    if (q < std::ldexp(1.0, -14)) return sign | static_cast<bits>(std::ldexp(q, 24));
    std::frexp(q, &e);
    return sign | static_cast<bits>(e + 14) << 10 | (static_cast<bits>(std::ldexp(q, 11 - e)) & 0x3ff);
}

// Products -----------------------------------------------------------------------------------------------------------

// Matrices of codes, by rows.
struct codes {
    unsigned rows;
    unsigned columns;
    std::vector<bits> at;
    codes(unsigned r, unsigned c) : rows(r), columns(c), at(std::size_t{r} * c) {}
    bits& operator()(unsigned r, unsigned c) { return at[r * columns + c]; }
    bits operator()(unsigned r, unsigned c) const { return at[r * columns + c]; }
};
inline bits random_code(std::mt19937_64& random, format const& f, bool small) {
    auto const b = random() & (f.bits == 64 ? ~bits{0} : (bits{1} << f.bits) - 1);
    if (f.fraction == 0) return b;
    if (!small) {                               // any numbers, of which a few are special
        if (random() % 64 != 0 && f.bits > 8) { // near 1
            int const bias = (1 << (f.exponent - 1)) - 1;
            auto const shift = f.name == "tf32" ? 23U : f.fraction;
            auto const low = b & ((bits{1} << shift) - 1);
            auto const e = static_cast<bits>(bias - 6 + static_cast<int>(random() % 12));
            return low | e << shift | (random() & 1) << (f.bits - 1);
        }
        return b;
    }
    // An integer from -3 to 3 as a code, by search.
    auto const v = static_cast<long double>(static_cast<int>(random() % 7)) - 3;
    if (f.bits == 64) return std::bit_cast<bits>(static_cast<double>(v));
    if (f.bits == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(v));
    static std::map<std::pair<std::string, long double>, bits> known;
    auto const [at, is_new] = known.try_emplace({f.name, v}, 0);
    while (is_new && value_of(f, at->second) != v) ++at->second;
    return at->second;
}
inline codes random_matrix(std::mt19937_64& random, unsigned rows, unsigned columns, format const& f,
                           bool small) {
    codes m(rows, columns);
    for (auto& b : m.at) b = random_code(random, f, small);
    return m;
}
// As docs/model/ptx.md#matrices says. With small numbers all orders give the same.
inline codes product(codes const& a, codes const& b, codes const& c, format const& fa, format const& fb,
                     format const& fc, format const& fd, std::string const& words) {
    codes d(a.rows, b.columns);
    auto const has = [&](char const* w) { return words.find(w) != std::string::npos; };
    for (unsigned i = 0; i < d.rows; ++i)
        for (unsigned j = 0; j < d.columns; ++j) {
            if (fa.fraction == 0) {
                __extension__ typedef __int128 wide;
                auto sum = static_cast<wide>(value_of(fc, c(i, j)));
                for (unsigned k = 0; k < a.columns; ++k) {
                    auto const x = static_cast<wide>(value_of(fa, a(i, k)));
                    auto const y = static_cast<wide>(value_of(fb, b(k, j)));
                    sum += has("xor") ? (x != y) : x * y;
                }
                if (has("satfinite")) sum = std::clamp<wide>(sum, -2147483648LL, 2147483647LL);
                d(i, j) = static_cast<std::uint32_t>(sum);
                continue;
            }
            auto sum = static_cast<double>(value_of(fc, c(i, j)));
            for (unsigned k = 0; k < a.columns; ++k) {
                auto const x = static_cast<double>(value_of(fa, a(i, k)));
                auto const y = static_cast<double>(value_of(fb, b(k, j)));
                sum = std::fma(x, y, sum); // the product is exact, but for .f64, where it is fused
            }
            d(i, j) = narrowed(sum, fd);
        }
    return d;
}
inline bool same(bits x, bits y, format const& f) {
    if (x == y) return true;
    return f.name == "f64" && value_of(f, x) != value_of(f, x) && value_of(f, y) != value_of(f, y);
}

} // namespace ptx_test
