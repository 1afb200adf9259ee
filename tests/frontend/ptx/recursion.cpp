/// Functions that call themselves, each beside the same computation on the host; and calls under a guard.

#include "catch.hpp"
#include "harness.hpp"

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace ptx_test;

namespace {
std::string const element = "mul.wide.u32 %rd31, %r31, 4;\nadd.s64 %rd31, %out, %rd31;\n";

// Stores what `function` gives for the thread's number, by a call as compilers write it.
std::string calling(std::string const& function, std::string const& behind = "") {
    return element +
           "{\n.param .b32 argument; .param .b32 value;\nst.param.b32 [argument], %r31;\n"
           "call.uni (value), " +
           function + ", (argument);\nld.param.b32 %r1, [value];\n}\n" + behind +
           "st.global.u32 [%rd31], %r1;\n";
}

std::string const fibonacci = R"(
.func (.param .b32 result) fibonacci(.param .b32 n)
{
.reg .b32 %r<8>; .reg .pred %p<2>;
ld.param.b32 %r1, [n];
setp.lt.u32 %p1, %r1, 2;
mov.u32 %r5, %r1;
@%p1 bra DONE;
add.s32 %r2, %r1, -1;
{
.param .b32 argument; .param .b32 value;
st.param.b32 [argument], %r2;
call.uni (value), fibonacci, (argument);
ld.param.b32 %r3, [value];
}
ld.param.b32 %r6, [n];
add.s32 %r4, %r6, -2;
{
.param .b32 argument; .param .b32 value;
st.param.b32 [argument], %r4;
call.uni (value), fibonacci, (argument);
ld.param.b32 %r4, [value];
}
add.s32 %r5, %r3, %r4;
DONE:
st.param.b32 [result], %r5;
ret;
}
)";
std::uint32_t fibonacci_of(std::uint32_t n) { return n < 2 ? n : fibonacci_of(n - 1) + fibonacci_of(n - 2); }
} // namespace

TEST_CASE("A function that calls itself twice: lanes go to depths of their own", "[ptx][recursion]") {
    auto const got = run<std::uint32_t>(calling("fibonacci"), 16, 16, fibonacci);
    for (std::uint32_t t = 0; t < 16; ++t) CHECK(got[t] == fibonacci_of(t));
}

TEST_CASE("Two calls of it from outside do not disturb each other, nor what the kernel holds",
          "[ptx][recursion]") {
    auto const twice = "mov.u32 %r7, %r1;\nadd.u32 %r8, %r31, 3;\n{\n.param .b32 a; .param .b32 v;\n"
                       "st.param.b32 [a], %r8;\ncall.uni (v), fibonacci, (a);\nld.param.b32 %r1, [v];\n}\n"
                       "mad.lo.u32 %r1, %r7, 1000, %r1;\n";
    auto const got = run<std::uint32_t>(calling("fibonacci", twice), 12, 12, fibonacci);
    for (std::uint32_t t = 0; t < 12; ++t) CHECK(got[t] == 1000 * fibonacci_of(t) + fibonacci_of(t + 3));
}

TEST_CASE("Functions that call each other, one of them through a third", "[ptx][recursion]") {
    // even(n): n == 0 or odd(n - 1); odd(n): n != 0 and step(n - 1), which is even(n).
    auto const between = [](std::string const& name, std::string const& next, std::string const& at_zero,
                            std::string const& less) {
        return ".func (.param .b32 result) " + name +
               "(.param .b32 n)\n{\n.reg .b32 %r<4>; .reg .pred %p<2>;\n" +
               "ld.param.b32 %r1, [n];\nmov.u32 %r2, " + at_zero +
               ";\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra DONE;\nsub.u32 %r3, %r1, " + less +
               ";\n{\n.param .b32 a; .param .b32 v;\nst.param.b32 [a], %r3;\ncall.uni (v), " + next +
               ", (a);\nld.param.b32 %r2, [v];\n}\nmad.lo.u32 %r2, %r2, 10, %r1;\nDONE:\n"
               "st.param.b32 [result], %r2;\nret;\n}\n";
    };
    auto const text = std::string(".func (.param .b32 result) even(.param .b32 n);\n"
                                  ".func (.param .b32 result) step(.param .b32 n);\n") +
                      between("odd", "step", "3", "1") + between("even", "odd", "5", "1") +
                      between("step", "even", "7", "0");
    std::function<std::uint32_t(std::uint32_t)> even;
    std::function<std::uint32_t(std::uint32_t)> odd;
    auto const step = [&](std::uint32_t n) { return n == 0 ? 7 : even(n) * 10 + n; };
    even = [&](std::uint32_t n) { return n == 0 ? 5 : odd(n - 1) * 10 + n; };
    odd = [&](std::uint32_t n) { return n == 0 ? 3 : step(n - 1) * 10 + n; };
    for (auto const* first : {"even", "odd", "step"}) {
        INFO(first);
        auto const got = run<std::uint32_t>(calling(first), 32, 32, text);
        auto const& expected = std::string(first) == "even" ? even : std::string(first) == "odd" ? odd : step;
        for (std::uint32_t t = 0; t < 32; ++t) REQUIRE(got[t] == expected(t));
    }
}

TEST_CASE("Each call has .local variables of its own, which others may point to", "[ptx][recursion]") {
    // sum(n, outer): *outer += n; own = n; if n > 0: sum(n - 1, &own); result = own + 1000 * (sum of what came back).
    std::string const text = R"(
.func (.param .b32 result) sum(.param .b32 n, .param .b64 outer)
{
.local .align 8 .b8 own[16];
.reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>;
ld.param.b32 %r1, [n];
ld.param.b64 %rd1, [outer];
ld.u32 %r2, [%rd1];
add.u32 %r2, %r2, %r1;
st.u32 [%rd1], %r2;
mov.u64 %rd2, own;
cvta.local.u64 %rd3, %rd2;
st.local.u32 [own+4], %r1;
mov.u32 %r3, 0;
setp.eq.u32 %p1, %r1, 0;
@%p1 bra DONE;
add.u32 %r4, %r1, -1;
add.u64 %rd4, %rd3, 4;
{
.param .b32 a; .param .b64 b; .param .b32 v;
st.param.b32 [a], %r4;
st.param.b64 [b], %rd4;
call.uni (v), sum, (a, b);
ld.param.b32 %r3, [v];
}
DONE:
ld.local.u32 %r5, [%rd2+4];
mad.lo.u32 %r3, %r3, 3, %r5;
st.param.b32 [result], %r3;
ret;
}
)";
    auto const body = element + R"(
.local .align 4 .b8 first[4];
st.local.u32 [first], 100;
mov.u64 %rd1, first;
cvta.local.u64 %rd1, %rd1;
{
.param .b32 a; .param .b64 b; .param .b32 v;
st.param.b32 [a], %r31;
st.param.b64 [b], %rd1;
call.uni (v), sum, (a, b);
ld.param.b32 %r1, [v];
}
ld.local.u32 %r2, [first];
mad.lo.u32 %r1, %r1, 1000, %r2;
st.global.u32 [%rd31], %r1;
)";
    auto const got = run<std::uint32_t>(body, 10, 10, text);
    std::function<std::uint32_t(std::uint32_t, std::uint32_t&)> const sum = [&](std::uint32_t n,
                                                                                std::uint32_t& outer) {
        outer += n;
        auto own = n;
        auto const below = n == 0 ? 0 : sum(n - 1, own);
        return 3 * below + own;
    };
    for (std::uint32_t t = 0; t < 10; ++t) {
        std::uint32_t first = 100;
        auto const s = sum(t, first);
        CHECK(got[t] == 1000 * s + first);
    }
}

TEST_CASE("What is kept is of every width; parameters by value too", "[ptx][recursion]") {
    // A structure of 12 bytes by value; registers of 8, 4 and 2 bytes and a predicate live across the call.
    std::string const text = R"(
.func (.param .b64 result) fold(.param .align 4 .b8 s[12])
{
.reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .b16 %h<4>; .reg .pred %p<4>; .reg .f64 %fd<2>;
ld.param.b32 %r1, [s];
ld.param.b16 %h1, [s+4];
and.b32 %r2, %r1, 1;
setp.eq.u32 %p2, %r2, 1;
cvt.rn.f64.u32 %fd1, %r1;
mov.u64 %rd1, 0;
setp.eq.u32 %p1, %r1, 0;
@%p1 bra DONE;
ld.param.b32 %r3, [s+8];
add.u32 %r4, %r1, -1;
mad.lo.u32 %r3, %r3, 7, %r1;
{
.param .align 4 .b8 a[12]; .param .b64 v;
st.param.b32 [a], %r4;
st.param.b16 [a+4], %h1;
st.param.b32 [a+8], %r3;
call.uni (v), fold, (a);
ld.param.b64 %rd1, [v];
}
DONE:
cvt.u64.u16 %rd2, %h1;
add.u64 %rd1, %rd1, %rd2;
ld.param.u32 %r5, [s+8];
@%p2 cvt.u64.u32 %rd3, %r5;
@!%p2 mov.u64 %rd3, 5;
mad.lo.u64 %rd1, %rd1, 3, %rd3;
cvt.rzi.u64.f64 %rd4, %fd1;
add.u64 %rd1, %rd1, %rd4;
st.param.b64 [result], %rd1;
ret;
}
)";
    auto const body = R"(
mul.wide.u32 %rd31, %r31, 8;
add.s64 %rd31, %out, %rd31;
cvt.u16.u32 %h1, %r31;
add.u16 %h1, %h1, 40000;
{
.param .align 4 .b8 a[12]; .param .b64 v;
st.param.b32 [a], %r31;
st.param.b16 [a+4], %h1;
st.param.b32 [a+8], 9;
call.uni (v), fold, (a);
ld.param.b64 %rd1, [v];
}
st.global.u64 [%rd31], %rd1;
)";
    std::function<std::uint64_t(std::uint32_t, std::uint16_t, std::uint32_t)> const fold =
        [&](std::uint32_t n, std::uint16_t h, std::uint32_t x) -> std::uint64_t {
        auto const below = n == 0 ? 0 : fold(n - 1, h, x * 7 + n);
        return (below + h) * 3 + (n % 2 == 1 ? x : 5) + n;
    };
    auto const got = run<std::uint64_t>(body, 20, 20, text);
    for (std::uint32_t t = 0; t < 20; ++t) CHECK(got[t] == fold(t, static_cast<std::uint16_t>(t + 40000), 9));
}

TEST_CASE("A call through a register may come back, too", "[ptx][recursion]") {
    // down(n) calls table[n % 2](n - 1); `same` is down, or leaf, which calls nobody.
    std::string const text = R"(
.func (.param .b32 result) down(.param .b32 n);
.func (.param .b32 result) leaf(.param .b32 n);
.visible .global .align 8 .u64 table[2] = {down, leaf};
.func (.param .b32 result) leaf(.param .b32 n)
{
.reg .b32 %a;
ld.param.b32 %a, [n];
add.u32 %a, %a, 500;
st.param.b32 [result], %a;
ret;
}
.func (.param .b32 result) down(.param .b32 n)
{
.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<2>;
ld.param.b32 %r1, [n];
mov.u32 %r2, 77;
setp.eq.u32 %p1, %r1, 0;
@%p1 bra DONE;
rem.u32 %r3, %r1, 3;
setp.eq.u32 %p1, %r3, 0;
selp.u32 %r3, 8, 0, %p1;
cvt.u64.u32 %rd1, %r3;
mov.u64 %rd2, table;
add.u64 %rd2, %rd2, %rd1;
ld.global.u64 %rd3, [%rd2];
add.u32 %r4, %r1, -1;
{
.param .b32 a; .param .b32 v;
st.param.b32 [a], %r4;
p: .callprototype (.param .b32 _) _ (.param .b32 _);
call (v), %rd3, (a), p;
ld.param.b32 %r2, [v];
}
mad.lo.u32 %r2, %r2, 5, %r1;
DONE:
st.param.b32 [result], %r2;
ret;
}
)";
    std::function<std::uint32_t(std::uint32_t)> const down = [&](std::uint32_t n) -> std::uint32_t {
        if (n == 0) return 77;
        return (n % 3 == 0 ? n - 1 + 500 : down(n - 1)) * 5 + n;
    };
    auto const got = run<std::uint32_t>(calling("down"), 32, 32, text);
    for (std::uint32_t t = 0; t < 32; ++t) REQUIRE(got[t] == down(t));
}

namespace {
// A few functions f0, f1, ... of (n, x) that call each other at random while n lasts, and their twins here. Each holds
// values over its calls: some in registers, some in a .local array, its parameters too.
struct random_functions {
    struct step {
        std::uint32_t callee, less, add;
        bool in_array, reads_parameter;
    };
    std::vector<std::vector<step>> functions;

    explicit random_functions(std::mt19937& r) : functions(2 + r() % 3) {
        auto const below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(r() % n); };
        for (auto& f : functions)
            for (std::uint32_t k = 0, n = 1 + below(3); k < n; ++k)
                f.push_back({below(static_cast<std::uint32_t>(functions.size())), 1 + below(3), below(100),
                             below(2) == 0, below(2) == 0});
    }
    std::uint32_t value(std::uint32_t f, std::uint32_t n, std::uint32_t x) const {
        std::uint32_t result = x ^ f;
        for (auto const& s : functions[f]) {
            if (n < s.less) continue;
            auto const kept = result * 5 + s.add;
            result = value(s.callee, n - s.less, x + s.add) * 3 + kept + (s.reads_parameter ? n : 0);
        }
        return result;
    }
    std::string text() const {
        std::string t;
        auto const head = [](std::size_t f) {
            return ".func (.param .b32 result) f" + std::to_string(f) + "(.param .b32 n, .param .b32 x)";
        };
        for (std::size_t f = 0; f < functions.size(); ++f) t += head(f) + ";\n";
        for (std::size_t f = 0; f < functions.size(); ++f) {
            t += head(f) +
                 "\n{\n.local .align 4 .b8 array[16];\n.reg .b32 %r<12>; .reg .pred %p<2>;\n"
                 "ld.param.b32 %r1, [n];\nld.param.b32 %r2, [x];\nxor.b32 %r3, %r2, " +
                 std::to_string(f) + ";\n";
            for (std::size_t k = 0; k < functions[f].size(); ++k) {
                auto const& s = functions[f][k];
                auto const skip = "L" + std::to_string(k);
                auto const number = [](std::uint32_t v) { return std::to_string(v); };
                t += "setp.lt.u32 %p1, %r1, " + number(s.less) + ";\n@%p1 bra " + skip +
                     ";\nmad.lo.u32 %r4, %r3, 5, " + number(s.add) + ";\n" +
                     (s.in_array ? "st.local.u32 [array+" + std::to_string(4 * k) + "], %r4;\n" : "") +
                     "sub.u32 %r5, %r1, " + number(s.less) + ";\nadd.u32 %r6, %r2, " + number(s.add) +
                     ";\n{\n.param .b32 a; .param .b32 b; .param .b32 v;\nst.param.b32 [a], %r5;\n"
                     "st.param.b32 [b], %r6;\ncall.uni (v), f" +
                     number(s.callee) + ", (a, b);\nld.param.b32 %r7, [v];\n}\n" +
                     (s.in_array ? "ld.local.u32 %r4, [array+" + std::to_string(4 * k) + "];\n" : "") +
                     "mad.lo.u32 %r3, %r7, 3, %r4;\n" +
                     (s.reads_parameter ? "ld.param.b32 %r8, [n];\nadd.u32 %r3, %r3, %r8;\n" : "") + skip +
                     ":\n";
            }
            t += "st.param.b32 [result], %r3;\nret;\n}\n";
        }
        return t;
    }
};
} // namespace

TEST_CASE("Random functions that call each other compute what their twins do", "[ptx][recursion]") {
    std::mt19937 r(20260101);
    for (int round = 0; round < 60; ++round) {
        INFO(round);
        random_functions const f(r);
        auto const body = element +
                          "rem.u32 %r2, %r31, 7;\n{\n.param .b32 a; .param .b32 b; .param .b32 v;\n"
                          "st.param.b32 [a], %r2;\nst.param.b32 [b], %r31;\ncall.uni (v), f0, (a, b);\n"
                          "ld.param.b32 %r1, [v];\n}\nst.global.u32 [%rd31], %r1;\n";
        auto const got = run<std::uint32_t>(body, 32, 32, f.text());
        for (std::uint32_t t = 0; t < 32; ++t) REQUIRE(got[t] == f.value(0, t % 7, t));
    }
}

TEST_CASE("A recursion that does not end has filled its stack", "[ptx][recursion]") {
    auto const text =
        ".func f(.param .b32 n)\n{\n.reg .b32 %r<4>;\nld.param.b32 %r1, [n];\n{\n.param .b32 a;\n"
        "st.param.b32 [a], %r1;\ncall.uni f, (a);\n}\nld.param.b32 %r2, [n];\n"
        "st.global.u32 [0], %r2;\nret;\n}\n";
    CHECK_THAT(
        run_error("{\n.param .b32 a;\nst.param.b32 [a], 1;\ncall.uni f, (a);\n}", 32, 1000000, 4096, text),
        Catch::Contains("out-of-range access at t.ptx") &&
            Catch::Contains("functions that call themselves have filled the thread's stack of 16384 bytes "
                            "(execution_limits::stack_bytes, cudaLimitStackSize)"));
}

TEST_CASE("A call under a guard is made by the lanes of the guard alone", "[ptx][call]") {
    std::string const functions = R"(
.func (.param .b32 result) once(.param .b32 a);
.func (.param .b32 result) twice(.param .b32 a);
.visible .global .align 8 .u64 list[2] = {once, twice};
.func (.param .b32 result) once(.param .b32 a)
{
.reg .b32 %a;
ld.param.b32 %a, [a];
add.u32 %a, %a, 1;
st.param.b32 [result], %a;
ret;
}
.func (.param .b32 result) twice(.param .b32 a)
{
.reg .b32 %a;
ld.param.b32 %a, [a];
mul.lo.u32 %a, %a, 2;
st.param.b32 [result], %a;
ret;
}
)";
    for (std::string const call :
         {"call (value), once, (argument);", "call (value), %rd3, (argument), list;"})
        for (bool const negated : {false, true}) {
            INFO(call << negated);
            auto const got = run<std::uint32_t>(
                element +
                    "mov.u64 %rd2, list;\nld.global.u64 %rd3, [%rd2];\nsetp.lt.u32 %p1, %r31, 5;\n"
                    "{\n.param .b32 argument; .param .b32 value;\nst.param.b32 [argument], %r31;\n"
                    "st.param.b32 [value], 1000;\n" +
                    (negated ? "@!%p1 " : "@%p1 ") + call +
                    "\nld.param.b32 %r1, [value];\n}\nst.global.u32 [%rd31], %r1;\n",
                32, 32, functions);
            for (std::uint32_t t = 0; t < 32; ++t) REQUIRE(got[t] == ((t < 5) != negated ? t + 1 : 1000));
        }
    // A recursive one.
    auto const got = run<std::uint32_t>(
        element +
            "setp.lt.u32 %p1, %r31, 9;\n{\n.param .b32 argument; .param .b32 value;\n"
            "st.param.b32 [argument], %r31;\nst.param.b32 [value], 1000;\n@%p1 call (value), fibonacci, "
            "(argument);\nld.param.b32 %r1, [value];\n}\nst.global.u32 [%rd31], %r1;\n",
        32, 32, fibonacci);
    for (std::uint32_t t = 0; t < 32; ++t) REQUIRE(got[t] == (t < 9 ? fibonacci_of(t) : 1000));
}
