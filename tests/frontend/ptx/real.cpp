#include "catch.hpp"
#include "harness.hpp"

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

using namespace ptx_test;

namespace {
template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <class T>
bits to_bits(T x) {
    return std::bit_cast<bits_of<T>>(x);
}
template <class T>
T from_bits(bits b) {
    return std::bit_cast<T>(static_cast<bits_of<T>>(b));
}
template <class T>
std::string type_name() {
    return sizeof(T) == 4 ? "f32" : "f64";
}
template <class T>
bits nan_bits() {
    return sizeof(T) == 4 ? 0x7fffffff : 0xfff8000000000000;
}
template <class T>
bits canonical(T x) {
    return x != x ? nan_bits<T>() : to_bits(x);
}

template <class T>
std::vector<bits> corners() {
    using l = std::numeric_limits<T>;
    std::vector<T> const v{T{0},
                           -T{0},
                           T{1},
                           -T{1},
                           T{3},
                           T{1} / T{3},
                           -T(1e-3),
                           l::max(),
                           -l::max(),
                           l::min(),
                           -l::min(),
                           l::denorm_min(),
                           -l::denorm_min(),
                           l::min() - l::denorm_min(),
                           l::epsilon(),
                           T{1} + l::epsilon(),
                           l::infinity(),
                           -l::infinity(),
                           l::quiet_NaN(),
                           T(1.5),
                           T(123456.789)};
    std::vector<bits> b;
    for (auto x : v) b.push_back(to_bits(x));
    return b;
}
// Finite numbers of all sizes from a fixed generator.
template <class T>
std::vector<std::vector<bits>> random_cases(unsigned n, std::size_t count) {
    std::uint64_t s = 12345;
    auto const next = [&] {
        s += 0x9e3779b97f4a7c15;
        auto z = (s ^ (s >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    };
    std::vector<std::vector<bits>> cases(count);
    for (auto& c : cases) {
        // Half of them near each other, where sums cancel.
        bool const near = (next() & 1) != 0;
        for (unsigned i = 0; i < n; ++i) {
            auto b = static_cast<bits_of<T>>(next());
            if (near) {
                constexpr int mantissa = std::numeric_limits<T>::digits - 1;
                constexpr bits_of<T> mask = (bits_of<T>{1} << mantissa) - 1;
                constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
                b = static_cast<bits_of<T>>((b & (mask | bits_of<T>{1} << (8 * sizeof(T) - 1))) |
                                            static_cast<bits_of<T>>(bias - 2 + static_cast<int>(next() % 5))
                                                << mantissa);
            }
            c.push_back(b);
        }
    }
    return cases;
}

template <class T, class F>
void check(std::string const& opcode, unsigned n, F const& expected, std::vector<std::vector<bits>> cases) {
    for (auto& c : cases) c.resize(n);
    auto text = opcode + " %d, %a";
    if (n > 1) text += ", %b";
    if (n > 2) text += ", %c";
    auto const got = evaluate(text + ";", type_name<T>(), std::vector<std::string>(n, type_name<T>()), cases);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        volatile T a = from_bits<T>(cases[i][0]);
        volatile T b = n > 1 ? from_bits<T>(cases[i][1]) : T{0};
        volatile T c = n > 2 ? from_bits<T>(cases[i][2]) : T{0};
        T const want = expected(a, b, c);
        INFO(opcode << std::hex << " " << cases[i][0] << " " << (n > 1 ? cases[i][1] : 0) << " "
                    << (n > 2 ? cases[i][2] : 0));
        REQUIRE(got[i] == canonical(want));
    }
}

template <class T>
void check_arithmetic() {
    auto const t = type_name<T>();
    auto const two = combinations({corners<T>(), corners<T>()});
    auto const three = combinations({corners<T>(), corners<T>(), corners<T>()});
    struct mode {
        char const* name;
        int host;
    };
    for (auto const m : {mode{".rn", FE_TONEAREST}, mode{".rz", FE_TOWARDZERO}, mode{".rm", FE_DOWNWARD},
                         mode{".rp", FE_UPWARD}}) {
        auto const rounded = [&](auto const& f) {
            return [&, f](T a, T b, T c) {
                volatile T x = a, y = b, z = c;
                std::fesetround(m.host);
                volatile T r = f(x, y, z);
                std::fesetround(FE_TONEAREST);
                return static_cast<T>(r);
            };
        };
        for (auto const& cases : {two, random_cases<T>(2, 2000)}) {
            check<T>(std::string("add") + m.name + "." + t, 2,
                     rounded([](volatile T& a, volatile T& b, volatile T&) { return a + b; }), cases);
            check<T>(std::string("sub") + m.name + "." + t, 2,
                     rounded([](volatile T& a, volatile T& b, volatile T&) { return a - b; }), cases);
            check<T>(std::string("mul") + m.name + "." + t, 2,
                     rounded([](volatile T& a, volatile T& b, volatile T&) { return a * b; }), cases);
            check<T>(std::string("div") + m.name + "." + t, 2,
                     rounded([](volatile T& a, volatile T& b, volatile T&) { return a / b; }), cases);
            check<T>(std::string("rcp") + m.name + "." + t, 1,
                     rounded([](volatile T& a, volatile T&, volatile T&) { return T{1} / a; }), cases);
            check<T>(std::string("sqrt") + m.name + "." + t, 1,
                     rounded([](volatile T& a, volatile T&, volatile T&) { return std::sqrt(T{a}); }), cases);
        }
        for (auto const& cases : {three, random_cases<T>(3, 5000)})
            check<T>(std::string("fma") + m.name + "." + t, 3,
                     rounded([](volatile T& a, volatile T& b, volatile T& c) {
                         return std::fma(T{a}, T{b}, T{c});
                     }),
                     cases);
    }
}
} // namespace

TEST_CASE("Arithmetic of .f32 is right in every rounding mode", "[ptx][real]") { check_arithmetic<float>(); }
TEST_CASE("Arithmetic of .f64 is right in every rounding mode", "[ptx][real]") { check_arithmetic<double>(); }

TEST_CASE("Flushing, saturation, signs, minimum and maximum", "[ptx][real]") {
    auto const two = combinations({corners<float>(), corners<float>()});
    auto const flush = [](float x) {
        return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0F, x) : x;
    };
    check<float>(
        "add.ftz.f32", 2,
        [&](float a, float b, float) {
            volatile float s = flush(a) + flush(b);
            return flush(s);
        },
        two);
    check<float>(
        "mul.rn.ftz.f32", 2,
        [&](float a, float b, float) {
            volatile float s = flush(a) * flush(b);
            return flush(s);
        },
        two);
    check<float>(
        "add.sat.f32", 2,
        [](float a, float b, float) {
            volatile float s = a + b;
            return s > 0 ? (s < 1 ? float{s} : 1.0F) : 0.0F;
        },
        two);
    auto const smaller = [](float a, float b) {
        return std::isnan(a) ? b : std::isnan(b) ? a : a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
    };
    auto const greater = [](float a, float b) {
        return std::isnan(a) ? b : std::isnan(b) ? a : a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
    };
    check<float>(
        "min.f32", 2, [&](float a, float b, float) { return smaller(a, b); }, two);
    check<float>(
        "max.f32", 2, [&](float a, float b, float) { return greater(a, b); }, two);
    check<float>(
        "min.NaN.f32", 2,
        [&](float a, float b, float) { return std::isnan(a) || std::isnan(b) ? NAN : smaller(a, b); }, two);
    CHECK(evaluate("neg.f32 %d, %a;", "f32", {"f32"}, {{0}, {0x3f800000}}) ==
          std::vector<bits>{0x80000000, 0xbf800000});
    CHECK(evaluate("abs.f64 %d, %a;", "f64", {"f64"}, {{0x8000000000000000}, {0xbff0000000000000}}) ==
          std::vector<bits>{0, 0x3ff0000000000000});
    CHECK(evaluate("abs.ftz.f32 %d, %a;", "f32", {"f32"}, {{0x80000001}, {0xbf800000}}) ==
          std::vector<bits>{0, 0x3f800000});
    CHECK(evaluate("copysign.f32 %d, %a, %b;", "f32", {"f32", "f32"},
                   {{0x80000000, 0x40000000}, {0x3f800000, 0xc0000000}}) ==
          std::vector<bits>{0xc0000000, 0x40000000});
}

TEST_CASE("Comparisons and properties know NaN, infinities and subnormals", "[ptx][real]") {
    auto const cases = combinations({corners<double>(), corners<double>()});
    struct test {
        char const* name;
        bool less, equal, greater, unordered;
    };
    for (auto const& t : {test{"eq", false, true, false, false}, test{"ne", true, false, true, false},
                          test{"lt", true, false, false, false}, test{"le", true, true, false, false},
                          test{"gt", false, false, true, false}, test{"ge", false, true, true, false},
                          test{"equ", false, true, false, true}, test{"neu", true, false, true, true},
                          test{"ltu", true, false, false, true}, test{"leu", true, true, false, true},
                          test{"gtu", false, false, true, true}, test{"geu", false, true, true, true},
                          test{"num", true, true, true, false}, test{"nan", false, false, false, true}}) {
        auto const got =
            evaluate(std::string("setp.") + t.name + ".f64 %d, %a, %b;", "pred", {"f64", "f64"}, cases);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            auto const a = from_bits<double>(cases[i][0]);
            auto const b = from_bits<double>(cases[i][1]);
            bool const want = std::isnan(a) || std::isnan(b) ? t.unordered
                              : a < b                        ? t.less
                              : a > b                        ? t.greater
                                                             : t.equal;
            INFO(t.name << " " << a << " " << b);
            REQUIRE(got[i] == (want ? 1U : 0U));
        }
    }
    CHECK(evaluate("setp.eq.ftz.f32 %d, %a, %b;", "pred", {"f32", "f32"}, {{1, 0}, {1, 0x80000002}}) ==
          std::vector<bits>{1, 1});
    CHECK(evaluate("set.lt.f32.f32 %d, %a, %b;", "f32", {"f32", "f32"}, {{0, 0x3f800000}}) ==
          std::vector<bits>{0x3f800000});
    auto const property = [](std::string const& name) {
        return evaluate("testp." + name + ".f32 %d, %a;", "pred", {"f32"},
                        {{0}, {1}, {0x3f800000}, {0x7f800000}, {0x7fc00000}});
    };
    CHECK(property("finite") == std::vector<bits>{1, 1, 1, 0, 0});
    CHECK(property("infinite") == std::vector<bits>{0, 0, 0, 1, 0});
    CHECK(property("number") == std::vector<bits>{1, 1, 1, 1, 0});
    CHECK(property("notanumber") == std::vector<bits>{0, 0, 0, 0, 1});
    CHECK(property("normal") == std::vector<bits>{0, 0, 1, 0, 0});
    CHECK(property("subnormal") == std::vector<bits>{0, 1, 0, 0, 0});
}

TEST_CASE("Approximate functions are within one unit in the last place", "[ptx][real]") {
    auto cases = random_cases<float>(1, 20000);
    for (auto b : corners<float>()) cases.push_back({b});
    for (float x : {1.5707964F, 3.1415927F, 1e10F, 1e22F, 3.4e38F, 268435456.0F, 0.99999994F, 127.99999F,
                    -149.5F, 0.1F})
        cases.push_back({to_bits(x)});
    auto const check_close = [&](std::string const& opcode, auto const& exact) {
        auto const got = evaluate(opcode + " %d, %a;", "f32", {"f32"}, cases);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            auto const x = from_bits<float>(cases[i][0]);
            auto const r = from_bits<float>(got[i]);
            auto const want = static_cast<float>(exact(static_cast<long double>(x)));
            INFO(opcode << " " << x << " gave " << r << ", exact " << want);
            if (std::isnan(want))
                REQUIRE(got[i] == 0x7fffffff);
            else if (std::isinf(want) || want == 0)
                REQUIRE(r == want);
            else
                REQUIRE((r == want || r == std::nextafter(want, r)));
        }
    };
    check_close("ex2.approx.f32", [](long double x) { return std::exp2(x); });
    check_close("lg2.approx.f32", [](long double x) { return std::log2(x); });
    check_close("sin.approx.f32", [](long double x) { return std::sin(x); });
    check_close("cos.approx.f32", [](long double x) { return std::cos(x); });
    check_close("rsqrt.approx.f32", [](long double x) { return 1 / std::sqrt(x); });
    check_close("rcp.approx.f32", [](long double x) { return 1 / x; });
    check_close("sqrt.approx.f32", [](long double x) { return std::sqrt(x); });
    check_close("tanh.approx.f32", [](long double x) { return std::tanh(x); });
    CHECK(evaluate("div.approx.f32 %d, %a, %b;", "f32", {"f32", "f32"}, {{0x3f800000, 0x40000000}}) ==
          std::vector<bits>{0x3f000000});
    CHECK(evaluate("div.full.f32 %d, %a, %b;", "f32", {"f32", "f32"}, {{0x3f800000, 0x40000000}}) ==
          std::vector<bits>{0x3f000000});
    CHECK(evaluate("sin.approx.f32 %d, %a;", "f32", {"f32"}, {{0x80000000}}) ==
          std::vector<bits>{0x80000000});
    CHECK(evaluate("rsqrt.approx.f64 %d, %a;", "f64", {"f64"}, {{to_bits(4.0)}}) ==
          std::vector<bits>{to_bits(0.5)});
}

TEST_CASE("Conversions between integers", "[ptx][convert]") {
    std::vector<std::string> const types{"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
    std::vector<bits> const values{0,
                                   1,
                                   127,
                                   128,
                                   255,
                                   256,
                                   0x7fff,
                                   0x8000,
                                   0xffff,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   0x8000000000000000,
                                   ~bits{0}};
    __extension__ typedef __int128 wide;
    auto const width = [](std::string const& t) { return static_cast<unsigned>(std::stoi(t.substr(1))); };
    auto const number = [&](bits b, std::string const& t) {
        auto const w = width(t);
        if (w < 64) b &= (bits{1} << w) - 1;
        return t[0] == 's' && (b >> (w - 1) & 1) != 0 ? static_cast<wide>(b) - (static_cast<wide>(1) << w)
                                                      : static_cast<wide>(b);
    };
    // Registers hold at least 16 bits; narrow results are extended to them.
    auto const container = [](std::string const& t) {
        return t == "u8" ? std::string("u16") : t == "s8" ? std::string("s16") : t;
    };
    for (auto const& from : types)
        for (auto const& to : types)
            for (std::string const sat : {"", ".sat"}) {
                std::vector<std::vector<bits>> cases;
                for (auto v : values) cases.push_back({v});
                auto const got = evaluate("cvt" + sat + "." + to + "." + from + " %d, %a;", container(to),
                                          {container(from)}, cases);
                for (std::size_t i = 0; i < cases.size(); ++i) {
                    auto v = number(cases[i][0], from);
                    auto const w = width(to);
                    wide const high = (static_cast<wide>(1) << (to[0] == 's' ? w - 1 : w)) - 1;
                    wide const low = to[0] == 's' ? -high - 1 : 0;
                    if (!sat.empty()) v = v < low ? low : v > high ? high : v;
                    auto const narrow = number(static_cast<bits>(v), to);
                    auto const cw = width(container(to));
                    INFO("cvt" << sat << "." << to << "." << from << std::hex << " " << cases[i][0]);
                    REQUIRE(got[i] == (cw == 64 ? static_cast<bits>(narrow)
                                                : static_cast<bits>(narrow) & ((bits{1} << cw) - 1)));
                }
            }
}

TEST_CASE("Conversions between integers and floating point", "[ptx][convert]") {
    struct mode {
        char const* real;
        char const* integral;
        int host;
    };
    auto doubles = random_cases<double>(1, 300);
    for (auto b : corners<double>()) doubles.push_back({b});
    for (double x : {0.5, 1.5, 2.5, -0.5, -1.5, 2147483647.5, -2147483648.5, 4294967295.5, 9.3e18, -9.3e18,
                     1.9e19, 65535.5, 127.5, -128.5, 1e-300})
        doubles.push_back({to_bits(x)});
    std::vector<std::vector<bits>> const integers{{0},
                                                  {1},
                                                  {0xffffff},
                                                  {0x1000001},
                                                  {0x1000003},
                                                  {0x7fffffff},
                                                  {0x80000000},
                                                  {0xffffffff},
                                                  {0x7fffffffffffffff},
                                                  {0x8000000000000000},
                                                  {0xfffffffffffffc01},
                                                  {~bits{0}},
                                                  {0x20000000000001}};
    for (auto const& m : {mode{"rn", "rni", FE_TONEAREST}, mode{"rz", "rzi", FE_TOWARDZERO},
                          mode{"rm", "rmi", FE_DOWNWARD}, mode{"rp", "rpi", FE_UPWARD}}) {
        auto const in_mode = [&](auto const& f) {
            std::fesetround(m.host);
            volatile auto r = f();
            std::fesetround(FE_TONEAREST);
            return r;
        };
        auto const integral = [&](double x) {
            return m.host == FE_UPWARD       ? std::ceil(x)
                   : m.host == FE_DOWNWARD   ? std::floor(x)
                   : m.host == FE_TOWARDZERO ? std::trunc(x)
                                             : std::nearbyint(x);
        };
        auto const compare = [&](std::string const& to, double low, double high, auto as) {
            auto const got =
                evaluate(std::string("cvt.") + m.integral + "." + to + ".f64 %d, %a;", to, {"f64"}, doubles);
            for (std::size_t i = 0; i < doubles.size(); ++i) {
                auto const x = from_bits<double>(doubles[i][0]);
                auto const r = integral(x);
                using type = decltype(as);
                type const want = std::isnan(x) ? type{0}
                                  : r <= low    ? std::numeric_limits<type>::min()
                                  : r >= high   ? std::numeric_limits<type>::max()
                                                : static_cast<type>(r);
                INFO("cvt." << m.integral << "." << to << ".f64 " << x);
                REQUIRE(got[i] == static_cast<bits>(static_cast<std::make_unsigned_t<type>>(want)));
            }
        };
        compare("s32", -2147483648.0, 2147483647.0, std::int32_t{});
        compare("u32", 0.0, 4294967295.0, std::uint32_t{});
        compare("s64", -9223372036854775808.0, 9223372036854775808.0, std::int64_t{});
        compare("u64", 0.0, 18446744073709551616.0, std::uint64_t{});
        compare("s16", -32768.0, 32767.0, std::int16_t{});
        compare("u16", 0.0, 65535.0, std::uint16_t{});
        check<double>(
            std::string("cvt.") + m.integral + ".f64.f64", 1,
            [&](double a, double, double) { return integral(a); }, doubles);
        auto const narrowed =
            evaluate(std::string("cvt.") + m.real + ".f32.f64 %d, %a;", "f32", {"f64"}, doubles);
        for (std::size_t i = 0; i < doubles.size(); ++i) {
            auto const want = in_mode([&] {
                volatile double v = from_bits<double>(doubles[i][0]);
                return static_cast<float>(v);
            });
            INFO("cvt." << m.real << ".f32.f64 " << from_bits<double>(doubles[i][0]));
            REQUIRE(narrowed[i] == canonical(float{want}));
        }
        auto const f32_s64 =
            evaluate(std::string("cvt.") + m.real + ".f32.s64 %d, %a;", "f32", {"s64"}, integers);
        auto const f32_u32 =
            evaluate(std::string("cvt.") + m.real + ".f32.u32 %d, %a;", "f32", {"u32"}, integers);
        auto const f64_u64 =
            evaluate(std::string("cvt.") + m.real + ".f64.u64 %d, %a;", "f64", {"u64"}, integers);
        for (std::size_t i = 0; i < integers.size(); ++i) {
            volatile auto b = integers[i][0];
            INFO(m.real << std::hex << " " << integers[i][0]);
            // x87's 64-bit mantissa holds every integer exactly; one rounding follows.
            CHECK(f32_s64[i] == to_bits(float{in_mode([&] {
                      volatile long double v = static_cast<std::int64_t>(b);
                      return static_cast<float>(v);
                  })}));
            CHECK(f32_u32[i] == to_bits(float{in_mode([&] {
                      volatile long double v = static_cast<std::uint32_t>(b);
                      return static_cast<float>(v);
                  })}));
            CHECK(f64_u64[i] == to_bits(double{in_mode([&] {
                      volatile long double v = b;
                      return static_cast<double>(v);
                  })}));
        }
    }
    CHECK(evaluate("cvt.f64.f32 %d, %a;", "f64", {"f32"}, {{0x3f800000}, {1}, {0x7f800001}}) ==
          std::vector<bits>{0x3ff0000000000000, 0x36a0000000000000, nan_bits<double>()});
    CHECK(evaluate("cvt.sat.f32.f32 %d, %a;", "f32", {"f32"},
                   {{0x40000000}, {0xbf800000}, {0x7fc00000}, {0x3f000000}}) ==
          std::vector<bits>{0x3f800000, 0, 0, 0x3f000000});
    CHECK(evaluate("cvt.ftz.f64.f32 %d, %a;", "f64", {"f32"}, {{0x80000001}}) ==
          std::vector<bits>{0x8000000000000000});
    CHECK(evaluate("cvt.rzi.s32.f32 %d, %a;", "s32", {"f32"}, {{0xc0200000}, {0x7fc00000}, {0x7f800000}}) ==
          std::vector<bits>{0xfffffffe, 0, 0x7fffffff});
    CHECK(evaluate("cvt.rn.f32.u16 %d, %a;", "f32", {"u16"}, {{0xffff}}) ==
          std::vector<bits>{to_bits(65535.0F)});
    CHECK(evaluate("cvt.rn.f32.s8 %d, %a;", "f32", {"s16"}, {{0x12ff}}) == std::vector<bits>{to_bits(-1.0F)});
    CHECK(
        evaluate("cvt.f32.f16 %d, %a;", "f32", {"b16"}, {{0x3c00}, {0x0001}, {0xfc00}, {0x7e00}, {0x7bff}}) ==
        std::vector<bits>{0x3f800000, 0x33800000, 0xff800000, 0x7fffffff, to_bits(65504.0F)});
    CHECK(evaluate("cvt.rn.f16.f32 %d, %a;", "b16", {"f32"},
                   {{0x3f800000},
                    {to_bits(65519.9F)},
                    {to_bits(65520.0F)},
                    {to_bits(5.9604645e-8F)},
                    {to_bits(2.9802322e-8F)},
                    {0x7fc00000}}) == std::vector<bits>{0x3c00, 0x7bff, 0x7c00, 1, 0, 0x7fff});
}
