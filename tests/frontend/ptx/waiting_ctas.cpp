// CTAs that wait for each other: those of a cooperative launch, and of others that count on being there at once.
#include "catch.hpp"
#include "harness.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace ptx_test;
using Catch::Contains;

namespace {
// %rd0 and %r20: the place of this CTA's word, from %out+64 on, and its number; %r21: how many there are.
std::string const place_of_cta = R"(
mov.u32 %r20, %ctaid.x; mov.u32 %r21, %nctaid.x;
mul.wide.u32 %rd0, %r20, 4; add.u64 %rd0, %rd0, %out;
)";
// Every CTA counts itself at %out, waits until all have, and writes how many it saw.
std::string meeting(std::string const& in_loop) {
    return place_of_cta + R"(
bar.sync 0;
setp.ne.u32 %p0, %r31, 0;
@%p0 bra THERE;
atom.global.add.u32 %r0, [%out], 1;
AGAIN:
)" + in_loop +
           R"(
ld.volatile.global.u32 %r1, [%out];
setp.lt.u32 %p1, %r1, %r21;
@%p1 bra AGAIN;
THERE:
bar.sync 0;
ld.volatile.global.u32 %r2, [%out];
st.global.u32 [%rd0+64], %r2;
)";
}
std::vector<std::uint32_t> met(std::string const& body, unsigned ctas, unsigned threads, bool cooperative) {
    machine m(module_of(kernel_of(body)), "t.ptx");
    if (cooperative) m.set_cooperative();
    auto const out = m.upload(std::vector<std::uint32_t>(16 + ctas));
    m.launch("k", {ctas, 1, 1}, {threads, 1, 1}, arguments({out}), 0, 100'000'000, std::uint64_t{1} << 29,
             false);
    auto const all = m.download<std::uint32_t>(out, 16 + ctas);
    return {all.begin() + 16, all.end()};
}
} // namespace

TEST_CASE("CTAs that wait for each other: a barrier of the grid ends", "[ptx][grid]") {
    for (auto const* const in_loop : {"", "nanosleep.u32 100;"})
        for (bool const cooperative : {false, true})
            CHECK(met(meeting(in_loop), 13, 96, cooperative) == std::vector<std::uint32_t>(13, 13));
    // One that counts how often it asked is not seen to wait; the next CTAs begin when it has executed very much.
    CHECK(met(meeting("add.u32 %r9, %r9, 1;"), 3, 32, false) == std::vector<std::uint32_t>(3, 3));
}

TEST_CASE("CTAs that wait for each other: the last CTA can be waited for", "[ptx][grid]") {
    std::string const body = place_of_cta + R"(
add.u32 %r22, %r21, -1;
setp.ne.u32 %p0, %r20, %r22;
@!%p0 st.global.u32 [%out], 77;
AGAIN:
ld.volatile.global.u32 %r1, [%out];
setp.ne.u32 %p1, %r1, 77;
@%p1 bra AGAIN;
st.global.u32 [%rd0+64], %r1;
)";
    CHECK(met(body, 40, 64, false) == std::vector<std::uint32_t>(40, 77));
}

TEST_CASE("CTAs that wait for each other: one that runs long gives up a turn, and waits for nobody", "[ptx][grid]") {
    auto const counting = [](std::string const& in_loop, unsigned to) {
        return place_of_cta + "mov.u32 %r1, 0;\nLOOP:\n" + in_loop +
               "add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, " + std::to_string(to) +
               ";\n@%p0 bra LOOP;\nst.global.u32 [%rd0+64], %r1;\n";
    };
    CHECK(met(counting("", 750'000), 2, 32, false) == std::vector<std::uint32_t>(2, 750'000));
    CHECK(met(counting("bar.sync 0;\n", 100'000), 2, 96, false) == std::vector<std::uint32_t>(2, 100'000));
}

TEST_CASE("CTAs that wait for each other: a cooperative launch is known to its kernel, and not timed",
          "[ptx][grid]") {
    std::string const body = place_of_cta + "mov.u32 %r0, %envreg1; st.global.u32 [%rd0+64], %r0;";
    CHECK(met(body, 2, 32, true) == std::vector<std::uint32_t>{1, 1});
    CHECK(met(body, 2, 32, false) == std::vector<std::uint32_t>{0, 0});
    machine m(module_of(kernel_of(body)), "t.ptx");
    m.set_cooperative();
    auto const out = m.upload(std::vector<std::uint32_t>(64));
    CHECK_THAT(m.timed_error("k", {2, 1, 1}, {32, 1, 1}, arguments({out})),
               Contains("cooperative launches are executed and not timed") && Contains("WARPKIT_TIMING=off"));
}

TEST_CASE("CTAs that wait for each other: what never comes ends at the limit", "[ptx][grid]") {
    std::string const body =
        "AGAIN: ld.volatile.global.u32 %r1, [%out]; setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN;";
    machine m(module_of(kernel_of(body)), "t.ptx");
    auto const out = m.upload(std::vector<std::uint32_t>(64));
    CHECK_THROWS_WITH(
        m.launch("k", {4, 1, 1}, {32, 1, 1}, arguments({out}), 0, 3'000'000, std::uint64_t{1} << 29, false),
        Contains("has not ended after 3000000 warp instructions"));
}
