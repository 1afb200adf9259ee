// Barriers with a number and a count of threads, from PTX through the whole machine.

#include <warpkit/config/presets.hpp>
#include <warpkit/config/simulate.hpp>

#include "catch.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

// Warp 0 stores and only arrives at barrier 1, warp 1 waits there for it, number and count in registers; warps 2 and 3 never see that barrier.
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
    auto const result = simulate<presets::gtx480>(program);
    CHECK(result.wrong == "");
    CHECK(result.verified);
    CHECK(result.total.core.ctas == 3);
}
