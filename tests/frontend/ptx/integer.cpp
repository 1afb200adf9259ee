#include "catch.hpp"
#include "harness.hpp"

#include <bit>
#include <cstdint>
#include <functional>

using namespace ptx_test;

namespace {
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

unsigned width_of(std::string const& type) { return static_cast<unsigned>(std::stoi(type.substr(1))); }
bits low(wide v, unsigned width) {
    return width == 64 ? static_cast<bits>(v) : static_cast<bits>(v) & ((bits{1} << width) - 1);
}
// The value that these bits have as a number of this type.
wide number(bits b, std::string const& type) {
    auto const width = width_of(type);
    b = low(static_cast<wide>(b), width);
    if (type[0] == 's' && (b >> (width - 1) & 1) != 0)
        return static_cast<wide>(b) - (static_cast<wide>(1) << width);
    return static_cast<wide>(b);
}
std::vector<bits> corners(std::string const& type) {
    switch (width_of(type)) {
    case 16:
        return {0, 1, 2, 7, 0x7fff, 0x8000, 0x8001, 0xffff, 0x1234};
    case 32:
        return {0, 1, 2, 31, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x12345678, 0x00ff00ff};
    default:
        return {0,
                1,
                2,
                63,
                0x7fffffffffffffff,
                0x8000000000000000,
                0xffffffffffffffff,
                0x0123456789abcdef,
                0xffffffff};
    }
}

using function = std::function<wide(std::vector<wide> const&)>;

// Checks an instruction of n sources, all of `type`, against exact arithmetic cut to the result's width.
void check(std::string const& opcode, std::string const& type, unsigned n, function const& expected,
           std::string result = "") {
    if (result.empty()) result = type;
    auto const cases = combinations(std::vector<std::vector<bits>>(n, corners(type)));
    auto text = opcode + " %d, %a";
    if (n > 1) text += ", %b";
    if (n > 2) text += ", %c";
    auto const got = evaluate(text + ";", result, std::vector<std::string>(n, type), cases);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        std::vector<wide> v;
        for (auto b : cases[i]) v.push_back(number(b, type));
        INFO(opcode << " " << std::hex << cases[i][0] << " " << (n > 1 ? cases[i][1] : 0) << " "
                    << (n > 2 ? cases[i][2] : 0));
        REQUIRE(got[i] == low(expected(v), width_of(result)));
    }
}
} // namespace

TEST_CASE("Integer arithmetic wraps", "[ptx][integer]") {
    for (std::string t : {"u16", "s16", "u32", "s32", "u64", "s64"}) {
        check("add." + t, t, 2, [](auto const& v) { return v[0] + v[1]; });
        check("sub." + t, t, 2, [](auto const& v) { return v[0] - v[1]; });
        check("mul.lo." + t, t, 2, [](auto const& v) {
            return static_cast<wide>(static_cast<unsigned_wide>(v[0]) * static_cast<unsigned_wide>(v[1]));
        });
        check("mad.lo." + t, t, 3, [](auto const& v) {
            return static_cast<wide>(static_cast<unsigned_wide>(v[0]) * static_cast<unsigned_wide>(v[1]) +
                                     static_cast<unsigned_wide>(v[2]));
        });
        check("min." + t, t, 2, [](auto const& v) { return v[0] < v[1] ? v[0] : v[1]; });
        check("max." + t, t, 2, [](auto const& v) { return v[0] > v[1] ? v[0] : v[1]; });
        check("sad." + t, t, 3,
              [](auto const& v) { return (v[0] < v[1] ? v[1] - v[0] : v[0] - v[1]) + v[2]; });
        auto const w = width_of(t);
        check("div." + t, t, 2, [&](auto const& v) { return v[1] == 0 ? -1 : v[0] / v[1]; });
        check("rem." + t, t, 2, [&](auto const& v) { return v[1] == 0 ? v[0] : v[0] % v[1]; });
        if (t[0] == 's') {
            check("neg." + t, t, 1, [](auto const& v) { return -v[0]; });
            check("abs." + t, t, 1, [](auto const& v) { return v[0] < 0 ? -v[0] : v[0]; });
        }
        auto const high = [w, s = t[0] == 's'](wide a, wide b) {
            if (s) return static_cast<wide>((a * b) >> w);
            return static_cast<wide>((static_cast<unsigned_wide>(a) * static_cast<unsigned_wide>(b)) >> w);
        };
        check("mul.hi." + t, t, 2, [&](auto const& v) { return high(v[0], v[1]); });
        check("mad.hi." + t, t, 3, [&](auto const& v) { return high(v[0], v[1]) + v[2]; });
        if (w < 64) {
            auto const twice = std::string(1, t[0]) + std::to_string(2 * w);
            check(
                "mul.wide." + t, t, 2, [](auto const& v) { return v[0] * v[1]; }, twice);
        }
    }
}

TEST_CASE("Saturation, 24-bit products, wide sums, dot products", "[ptx][integer]") {
    auto const clamp = [](wide v) {
        return v < -2147483648LL ? wide{-2147483648LL} : v > 2147483647 ? wide{2147483647} : v;
    };
    check("add.sat.s32", "s32", 2, [&](auto const& v) { return clamp(v[0] + v[1]); });
    check("sub.sat.s32", "s32", 2, [&](auto const& v) { return clamp(v[0] - v[1]); });
    check("mad.hi.sat.s32", "s32", 3, [&](auto const& v) { return clamp(((v[0] * v[1]) >> 32) + v[2]); });
    auto const low_24 = [](wide v, bool s) {
        return s ? static_cast<wide>(static_cast<std::int32_t>(static_cast<std::uint32_t>(v) << 8) >> 8)
                 : v & 0xffffff;
    };
    for (std::string t : {"u32", "s32"}) {
        bool const s = t[0] == 's';
        check("mul24.lo." + t, t, 2, [&](auto const& v) { return low_24(v[0], s) * low_24(v[1], s); });
        check("mul24.hi." + t, t, 2,
              [&](auto const& v) { return (low_24(v[0], s) * low_24(v[1], s)) >> 16; });
        check("mad24.lo." + t, t, 3, [&](auto const& v) { return low_24(v[0], s) * low_24(v[1], s) + v[2]; });
    }
    auto const got = evaluate("mad.wide.s32 %d, %a, %b, %c;", "s64", {"s32", "s32", "s64"},
                              {{0xffffffff, 5, 7}, {0x80000000, 0x80000000, 0xffffffffffffffff}});
    CHECK(got == std::vector<bits>{2, 0x3fffffffffffffff});
    CHECK(evaluate("dp4a.s32.s32 %d, %a, %b, %c;", "s32", {"b32", "b32", "s32"},
                   {{0xff01027f, 0x02030480, 10}}) ==
          std::vector<bits>{low(-1 * 2 + 1 * 3 + 2 * 4 - 127 * 128 + 10, 32)});
    CHECK(evaluate("dp4a.u32.u32 %d, %a, %b, %c;", "u32", {"b32", "b32", "u32"},
                   {{0xff01027f, 0x02030480, 10}}) ==
          std::vector<bits>{255 * 2 + 1 * 3 + 2 * 4 + 127 * 128 + 10});
}

TEST_CASE("Carry chains make wide arithmetic", "[ptx][integer]") {
    // 128-bit sum, difference and product from 32-bit halves: d is word number %e of the result.
    auto const cases = combinations({corners("u64"), corners("u64")});
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

TEST_CASE("Logic and shifts", "[ptx][integer]") {
    for (std::string t : {"b16", "b32", "b64"}) {
        check("and." + t, t, 2, [](auto const& v) { return v[0] & v[1]; });
        check("or." + t, t, 2, [](auto const& v) { return v[0] | v[1]; });
        check("xor." + t, t, 2, [](auto const& v) { return v[0] ^ v[1]; });
        check("not." + t, t, 1, [](auto const& v) { return ~v[0]; });
        check("cnot." + t, t, 1, [](auto const& v) { return wide{v[0] == 0}; });
        auto const w = width_of(t);
        std::vector<bits> const amounts{0, 1, w - 1, w, w + 1, 255, 0x80000000};
        for (auto const& op : {"shl." + t, "shr.u" + t.substr(1), "shr.s" + t.substr(1)}) {
            auto const cases = combinations({corners(t), amounts});
            auto const got = evaluate(op + " %d, %a, %b;", t, {t, "u32"}, cases);
            for (std::size_t i = 0; i < cases.size(); ++i) {
                auto const n = cases[i][1] > 100 ? 100 : static_cast<int>(cases[i][1]);
                wide const v = number(cases[i][0], op[4] == 's' ? "s" + t.substr(1) : "u" + t.substr(1));
                wide const expected =
                    op[2] == 'l' ? static_cast<wide>(static_cast<unsigned_wide>(v) << n) : v >> n;
                INFO(op << " " << std::hex << cases[i][0] << " " << cases[i][1]);
                REQUIRE(got[i] == low(expected, w));
            }
        }
    }
    for (std::uint32_t table : {0xE8U, 0x96U, 0xC0U, 0x01U}) {
        auto const got = evaluate("lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";", "b32",
                                  {"b32", "b32", "b32"}, {{0xF0F0F0F0, 0xCCCCCCCC, 0xAAAAAAAA}});
        CHECK(got[0] == table * 0x01010101ULL);
    }
}

TEST_CASE("Bit fields, counts and permutations", "[ptx][integer]") {
    std::vector<bits> const places{0, 1, 5, 31, 32, 40, 63, 64, 255, 256 + 3};
    for (std::string t : {"u32", "s32", "u64", "s64"}) {
        auto const w = width_of(t);
        auto const cases = combinations({corners(t), places, places});
        auto const got = evaluate("bfe." + t + " %d, %a, %b, %c;", t, {t, "u32", "u32"}, cases);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            // Bit by bit, as the PTX ISA defines it.
            auto const a = cases[i][0];
            auto const pos = static_cast<unsigned>(cases[i][1] & 255);
            auto const len = static_cast<unsigned>(cases[i][2] & 255);
            auto const msb = w - 1;
            bits const sign =
                t[0] == 'u' || len == 0 ? 0 : a >> (pos + len - 1 < msb ? pos + len - 1 : msb) & 1;
            bits expected = 0;
            for (unsigned k = 0; k <= msb; ++k)
                expected |= (k < len && pos + k <= msb ? a >> (pos + k) & 1 : sign) << k;
            INFO("bfe." << t << " " << std::hex << a << " " << pos << " " << len);
            REQUIRE(got[i] == expected);
        }
    }
    for (std::string t : {"b32", "b64"}) {
        auto const w = width_of(t);
        auto const cases = combinations({corners(t), {0, ~bits{0} >> (64 - w)}, places, places});
        auto const got = evaluate("bfi." + t + " %d, %a, %b, %c, %e;", t, {t, t, "u32", "u32"}, cases);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            bits expected = cases[i][1];
            auto const pos = static_cast<unsigned>(cases[i][2] & 255);
            auto const len = static_cast<unsigned>(cases[i][3] & 255);
            for (unsigned k = 0; k < len && pos + k < w; ++k)
                expected = (expected & ~(bits{1} << (pos + k))) | (k < w ? cases[i][0] >> k & 1 : 0)
                                                                      << (pos + k);
            INFO("bfi." << t << std::hex << " " << cases[i][0] << " " << pos << " " << len);
            REQUIRE(got[i] == expected);
        }
        check("brev." + t, t, 1, [&](auto const& v) {
            wide r = 0;
            for (unsigned k = 0; k < w; ++k) r |= (v[0] >> k & 1) << (w - 1 - k);
            return r;
        });
        check(
            "popc." + t, t, 1, [](auto const& v) { return wide{std::popcount(static_cast<bits>(v[0]))}; },
            "u32");
        check(
            "clz." + t, t, 1,
            [&](auto const& v) {
                unsigned n = 0;
                while (n < w && (v[0] >> (w - 1 - n) & 1) == 0) ++n;
                return wide{n};
            },
            "u32");
    }
    auto const highest = [](wide v) {
        if (v < 0) v = ~v;
        int p = -1;
        while (v != 0) v >>= 1, ++p;
        return wide{p};
    };
    for (std::string t : {"u32", "s32", "u64", "s64"}) {
        auto const w = width_of(t);
        check(
            "bfind." + t, t, 1, [&](auto const& v) { return highest(v[0]); }, "u32");
        check(
            "bfind.shiftamt." + t, t, 1,
            [&](auto const& v) {
                auto const p = highest(v[0]);
                return p < 0 ? p : wide{w - 1} - p;
            },
            "u32");
    }
    auto const permute = [](std::string const& mode, bits c) {
        return evaluate("prmt.b32" + mode + " %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"},
                        {{0x33221180, 0x77665544, c}})[0];
    };
    CHECK(permute("", 0x3210) == 0x33221180);
    CHECK(permute("", 0x7654) == 0x77665544);
    CHECK(permute("", 0x0817) == 0x80ff1177); // 8: the sign of byte 0
    CHECK(permute(".f4e", 1) == 0x44332211);
    CHECK(permute(".b4e", 1) == 0x66778011);
    CHECK(permute(".rc8", 2) == 0x22222222);
    CHECK(permute(".ecl", 1) == 0x33221111);
    CHECK(permute(".ecr", 1) == 0x11111180);
    CHECK(permute(".rc16", 1) == 0x33223322);
    for (bits n : {0U, 1U, 31U, 32U, 33U, 100U}) {
        bits const pair = 0x89abcdef01234567;
        auto const shift = [&](std::string const& form) {
            return evaluate("shf." + form + ".b32 %d, %a, %b, %c;", "b32", {"b32", "b32", "u32"},
                            {{0x01234567, 0x89abcdef, n}})[0];
        };
        auto const clamped = n > 32 ? 32 : n;
        CHECK(shift("l.wrap") == (pair << (n & 31)) >> 32);
        CHECK(shift("r.wrap") == (pair >> (n & 31) & 0xffffffff));
        CHECK(shift("l.clamp") == (clamped == 32 ? 0x01234567 : (pair << clamped) >> 32));
        CHECK(shift("r.clamp") == (pair >> clamped & 0xffffffff));
    }
}

TEST_CASE("Comparisons, selections and predicates", "[ptx][integer]") {
    for (std::string t : {"u16", "s16", "u32", "s32", "u64", "s64"}) {
        auto const cases = combinations({corners(t), corners(t)});
        std::vector<std::pair<std::string, std::function<bool(wide, wide)>>> const operators{
            {"eq", [](wide a, wide b) { return a == b; }}, {"ne", [](wide a, wide b) { return a != b; }},
            {"lt", [](wide a, wide b) { return a < b; }},  {"le", [](wide a, wide b) { return a <= b; }},
            {"gt", [](wide a, wide b) { return a > b; }},  {"ge", [](wide a, wide b) { return a >= b; }}};
        for (auto const& [name, f] : operators) {
            auto const got = evaluate("setp." + name + "." + t + " %d, %a, %b;", "pred", {t, t}, cases);
            auto const value = evaluate("set." + name + ".u32." + t + " %d, %a, %b;", "u32", {t, t}, cases);
            for (std::size_t i = 0; i < cases.size(); ++i) {
                bool const expected = f(number(cases[i][0], t), number(cases[i][1], t));
                INFO(name << "." << t << std::hex << " " << cases[i][0] << " " << cases[i][1]);
                REQUIRE(got[i] == (expected ? 1U : 0U));
                REQUIRE(value[i] == (expected ? 0xffffffffU : 0U));
            }
        }
    }
    auto const combined = [](std::string const& op, bits a, bits b, bits p) {
        return evaluate(".reg .pred %first, %second;\nsetp.lt." + op +
                            ".s32 %first|%second, %a, %b, %c;\n"
                            "selp.b32 %d, 1, 0, %first;\n@%second add.s32 %d, %d, 2;",
                        "b32", {"s32", "s32", "pred"}, {{a, b, p}})[0];
    };
    CHECK(combined("and", 1, 2, 1) == 1);
    CHECK(combined("and", 2, 1, 1) == 2);
    CHECK(combined("and", 1, 2, 0) == 0);
    CHECK(combined("or", 1, 2, 1) == 3);
    CHECK(combined("xor", 1, 2, 1) == 2);
    CHECK(combined("and", 1, 2, 1) == 1);
    CHECK(evaluate("setp.eq.and.s32 %d, %a, %b, !%c;", "pred", {"s32", "s32", "pred"},
                   {{4, 4, 0}, {4, 4, 1}}) == std::vector<bits>{1, 0});
    CHECK(evaluate("setp.lo.u32 %d, %a, %b;", "pred", {"u32", "u32"}, {{1, 0xffffffff}}) ==
          std::vector<bits>{1});
    CHECK(evaluate("selp.b64 %d, %a, %b, %c;", "b64", {"b64", "b64", "pred"},
                   {{1ULL << 40, 2, 1}, {1ULL << 40, 2, 0}}) == std::vector<bits>{1ULL << 40, 2});
    CHECK(evaluate("slct.u32.s32 %d, %a, %b, %c;", "u32", {"u32", "u32", "s32"},
                   {{1, 2, 0}, {1, 2, 0xffffffff}}) == std::vector<bits>{1, 2});
    CHECK(evaluate("slct.u32.f32 %d, %a, %b, %c;", "u32", {"u32", "u32", "f32"},
                   {{1, 2, 0x80000000}, {1, 2, 0xbf800000}, {1, 2, 0x7fc00000}}) ==
          std::vector<bits>{1, 2, 2});
    auto const logic = [](std::string const& op) {
        return evaluate(op + ".pred %d, %a, %b;", "pred", {"pred", "pred"}, {{0, 0}, {0, 1}, {1, 0}, {1, 1}});
    };
    CHECK(logic("and") == std::vector<bits>{0, 0, 0, 1});
    CHECK(logic("or") == std::vector<bits>{0, 1, 1, 1});
    CHECK(logic("xor") == std::vector<bits>{0, 1, 1, 0});
    CHECK(evaluate("not.pred %d, %a;", "pred", {"pred"}, {{0}, {1}}) == std::vector<bits>{1, 0});
    CHECK(evaluate("mov.pred %d, -1;", "pred", {"pred"}, {{0}}) == std::vector<bits>{1});
}

TEST_CASE("Moves pack and unpack", "[ptx][integer]") {
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
