/// PTX with mbarriers, bulk copies and products of warpgroups, executed and then timed on both engines: what function
/// has found an order for ends in time, too, and takes as long on both.

#include <warpkit/config/presets.hpp>
#include <warpkit/frontend/ptx/ptx.hpp>

#include "catch.hpp"
#include "reference/told_machine.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

gpu_parameters hopper_like() {
    auto p = presets::gtx480::parameters();
    p.core.count = 2;
    p.core.threads = 1024;
    p.core.sub_cores = p.core.schedulers;
    p.async = {34, 2, 168, 200, 100, 128, 2, 32, 2, 10};
    return p;
}

/// A warp fills `stages` places with 256 bytes each, in turn; the second, which waits for them, hands each back with
/// all of its lanes after a product of four warps, which all wait. Each mbarrier is of one arrival and 256 bytes, or
/// of 128.
std::string pipeline(unsigned stages, unsigned rounds) {
    auto const n = [](unsigned v) { return std::to_string(v); };
    return R"(.version 8.0
.target sm_90a
.address_size 64
.shared .align 128 .b8 tile[8192];
.shared .align 8 .b64 full[8];
.shared .align 8 .b64 empty[8];
.visible .entry k(.param .u64 from)
{
.reg .b32 %r<16>;
.reg .b64 %rd<8>;
.reg .f32 %f<8>;
.reg .pred %p<8>;
ld.param.u64 %rd0, [from];
mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5; and.b32 %r2, %r0, 31;
mov.u32 %r3, tile; mov.u32 %r4, full; mov.u32 %r5, empty;
setp.eq.u32 %p0, %r0, 0;
@!%p0 bra READY;
mov.u32 %r6, 0;
INIT:
shl.b32 %r7, %r6, 3; add.u32 %r8, %r4, %r7; add.u32 %r9, %r5, %r7;
mbarrier.init.shared::cta.b64 [%r8], 1;
mbarrier.init.shared::cta.b64 [%r9], 128;
add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, )" +
           n(stages) + R"(;
@%p1 bra INIT;
READY:
bar.sync 0;
mov.u32 %r6, 0; mov.u32 %r10, 0; mov.u32 %r11, 0;
setp.eq.u32 %p2, %r1, 4;
LOOP:
shl.b32 %r7, %r10, 3; add.u32 %r8, %r4, %r7; add.u32 %r9, %r5, %r7;
@!%p2 bra CONSUME;
setp.ne.u32 %p3, %r2, 0;
@%p3 bra NEXT;
xor.b32 %r12, %r11, 1;
FREE:
mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r9], %r12;
@!%p4 bra FREE;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 256;
shl.b32 %r13, %r10, 8; add.u32 %r13, %r13, %r3; mul.wide.u32 %rd1, %r6, 256; add.u64 %rd1, %rd1, %rd0;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r13], [%rd1], 256, [%r8];
bra NEXT;
CONSUME:
mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r8], %r11;
@!%p4 bra CONSUME;
mov.u64 %rd2, 0x1000080000;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd2, %rd2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
mbarrier.arrive.shared::cta.b64 _, [%r9];
NEXT:
add.u32 %r10, %r10, 1; setp.eq.u32 %p5, %r10, )" +
           n(stages) + R"(;
@%p5 mov.u32 %r10, 0;
@%p5 xor.b32 %r11, %r11, 1;
add.u32 %r6, %r6, 1; setp.lt.u32 %p6, %r6, )" +
           n(rounds) + R"(;
@%p6 bra LOOP;
bar.sync 0;
@%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r3], 512;
@%p0 cp.async.bulk.commit_group;
@%p0 cp.async.bulk.wait_group 0;
ret;
}
)";
}

} // namespace

TEST_CASE("a pipeline of any number of stages ends, the sooner the more it has", "[reference][async]") {
    device_memory memory;
    auto const from = memory.allocate(1U << 16);
    std::vector<std::byte> arguments(8);
    std::memcpy(arguments.data(), &from, 8);
    cycle before = never;
    for (unsigned const stages : {1U, 2U, 4U}) {
        INFO(stages << " stages");
        ptx::loaded_module const module(ptx::parse(pipeline(stages, 12), "pipeline.ptx"), memory);
        ptx::kernel const kernel(module, "k");
        launch_request const request{"k", {3, 1, 1}, {160, 1, 1}, 0, arguments};
        reference_test::both_engines<reference_test::told> both(hopper_like());
        ptx::executor first(kernel, memory, request);
        REQUIRE(both.run(first.launch()) == "");
        auto const counted = both.counted();
        CHECK(counted.cycles < before);
        before = counted.cycles;
        // Each copy of 256 bytes is two requests of 128: so much the L2 was asked for, and the store at the end.
        CHECK(counted.l2.accesses >= 3 * (12 * 8 + 16));
    }
}
