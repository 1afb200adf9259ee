// Whole programs on a machine, from PTX on: barriers with a number and a count of threads; and what is executed once is
// timed as what is executed each time.

#include <warpkit/config/presets.hpp>
#include <warpkit/config/record.hpp>
#include <warpkit/dram/protocol_checker.hpp>

#include "catch.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

using checked = presets::gtx480::with<use::dram_observer<dram::protocol_checker>>;

// Warp 0 stores and only arrives at barrier 1, warp 1 waits there for it, number and count in registers; warps 2 and 3
// never see that barrier.
char const* const producer_and_consumer = R"(
.version 6.3
.target sm_70
.address_size 64
.visible .entry meet(.param .u64 out)
{
.reg .pred %p<4>;
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
.shared .align 4 .u32 cell;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
mov.u32 %r2, 1;
setp.ge.u32 %p1, %r1, 64;
@%p1 bra MEET;
setp.ge.u32 %p2, %r1, 32;
@%p2 bra WAIT;
st.shared.u32 [cell], 77;
bar.arrive 1, 64;
bra MEET;
WAIT:
mov.u32 %r3, 1;
mov.u32 %r4, 64;
bar.sync %r3, %r4;
ld.shared.u32 %r2, [cell];
MEET:
bar.sync 0;
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r2;
ret;
}
)";

} // namespace

TEST_CASE("a kernel with counted barriers and arrivals runs to its end on a machine") {
    host_program const program{producer_and_consumer, "meet.ptx", [](device& d) {
                                   auto const out = d.allocate<std::uint32_t>(128);
                                   d.launch("meet", {3, 1, 1}, {128, 1, 1}, 0, out);
                                   auto const got = d.download(out);
                                   for (std::uint32_t t = 0; t < 128; ++t)
                                       if (got[t] != (t >= 32 && t < 64 ? 77U : 1U))
                                           throw error("thread " + std::to_string(t) + " got " +
                                                       std::to_string(got[t]));
                               }};
    auto const result = simulate<checked>(program);
    CHECK(result.wrong == "");
    CHECK(result.verified);
    CHECK(result.total.core.ctas == 3);
}

namespace {

// Each CTA takes the next number, and threads below it load from as far behind: what a CTA does depends on how many
// came before it. Two launches, the second on what the first left.
char const* const ticket = R"(
.version 6.3
.target sm_70
.address_size 64
.visible .entry take(.param .u64 counter)
{
.reg .pred %p<2>;
.reg .b32 %r<8>;
.reg .b64 %rd<6>;
ld.param.u64 %rd1, [counter];
mov.u32 %r1, %tid.x;
atom.global.add.u32 %r2, [%rd1], 1;
shr.u32 %r3, %r2, 6;
setp.ge.u32 %p1, %r1, %r3;
@%p1 bra DONE;
mul.wide.u32 %rd2, %r2, 128;
add.s64 %rd3, %rd1, %rd2;
ld.global.u32 %r4, [%rd3];
DONE:
ret;
}
)";

} // namespace

TEST_CASE("a program executed once is timed as one that is executed on each machine") {
    unsigned executed = 0;
    bool wrong = false;
    host_program const program{ticket, "ticket.ptx", [&](device& d) {
                                   ++executed;
                                   auto const cells = d.allocate<std::uint32_t>(100'000);
                                   for (unsigned launch = 1; launch <= 2; ++launch)
                                       d.launch("take", {20, 1, 1}, {64, 1, 1}, 0, cells);
                                   if (wrong || d.download(cells)[0] != 2 * 20 * 64)
                                       throw error("miscounted");
                               }};
    auto numbers = presets::gtx480::parameters();
    auto const recorded = record(program);
    CHECK(recorded.verified);
    CHECK(recorded.launches().size() == 2);
    for (unsigned const cores : {15U, 2U}) {
        numbers.core.count = cores;
        executed = 0;
        auto const expected = simulate<checked>(program, numbers);
        CHECK(executed == 1);
        auto const result = simulate(engine::of<checked>(numbers), recorded);
        CHECK(executed == 1);
        CHECK(result.verified);
        CHECK(result.total == expected.total);
        CHECK(result.total.core.warp_instructions == recorded.instructions());
        REQUIRE(result.launches.size() == 2);
        for (unsigned i = 0; i < 2; ++i) {
            CHECK(result.launches[i].counters == expected.launches[i].counters);
            CHECK(result.launches[i].kernel == expected.launches[i].kernel);
        }
        CHECK(result.launches[0].counters.core.memory_instructions <
              result.launches[1].counters.core.memory_instructions);
    }
    wrong = true;
    auto const bad = record(program);
    CHECK_FALSE(bad.verified);
    CHECK(simulate(engine::of<checked>(numbers), bad).wrong == "miscounted");
    ptx::execution_limits few;
    few.instructions = 5;
    CHECK_THROWS_WITH(record(program, {}, few), Catch::Contains("has not ended after 5 warp instructions"));
}
