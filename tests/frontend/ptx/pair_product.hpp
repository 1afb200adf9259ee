#pragma once
/// A product of matrices by pairs of CTAs, made as CUTLASS's kernels with two SMs are: warps that copy, of which each
/// CTA's brings its own halves, and tells the even CTA's mbarriers by an address without bit 24; one that multiplies,
/// in the even CTA alone, and hands places back to both by commits; and those that store what lies in their own memory.

#include <warpkit/frontend/tensor_map.hpp>

#include <cstdint>
#include <string>

namespace ptx_test {

/// 256 rows for each pair, 128 columns; a step of K is 64 elements of .f16.
struct pair_product {
    static constexpr unsigned rows = 256, columns = 128, step = 64;
    static constexpr unsigned threads =
        160; ///< four warps that store, the first of which multiplies, and one that copies
    unsigned stages = 2;
    unsigned steps = 4; ///< of K

    unsigned depth() const { return step * steps; }
    /// Of A by rows, or of B's columns: boxes of 64 elements of 128 rows, or of 64.
    warpkit::tensor_map map(std::uint64_t address, unsigned count, unsigned box_rows) const {
        std::uint64_t const extent[] = {depth(), count}, stride[] = {2 * std::uint64_t{depth()}};
        std::uint32_t const box[] = {step, box_rows}, one[] = {1, 1};
        return warpkit::make_tensor_map(warpkit::tensor_element::f16, 2, address, extent, stride, box, one,
                                        warpkit::tensor_swizzle::b128);
    }
    /// A kernel k(map of A, map of B, D), whose maps lie in global memory; D is .f32, by rows.
    std::string text() const {
        auto const n = [](unsigned v) { return std::to_string(v); };
        constexpr unsigned a_bytes = 128 * 128, b_bytes = 64 * 128, stage_bytes = a_bytes + b_bytes;
        // Bits 46, SBO = 1024 bytes, swizzle of 128 bytes.
        std::string const descriptor =
            std::to_string(std::uint64_t{1} << 46 | std::uint64_t{64} << 32 | std::uint64_t{2} << 61);
        std::string text = R"(.version 8.6
.target sm_100a
.address_size 64
.shared .align 1024 .b8 tile[)" +
                           n(stages * stage_bytes) + R"(];
.shared .align 8 .b64 full[8];
.shared .align 8 .b64 empty[8];
.shared .align 8 .b64 done;
.shared .b32 place;
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d)
.reqnctapercluster 2, 1, 1
{
.reg .b32 %t, %warp, %rank, %tile, %full, %empty, %done, %place, %memory, %r<16>, %v<8>;
.reg .b64 %a, %b, %d, %x<8>;
.reg .b16 %both;
.reg .pred %p<8>, %leads, %first;
ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u64 %d, [d];
mov.u32 %t, %tid.x; shr.u32 %warp, %t, 5; mov.u32 %rank, %cluster_ctarank;
mov.u32 %tile, tile; mov.u32 %full, full; mov.u32 %empty, empty; mov.u32 %done, done; mov.u32 %place, place;
mov.u16 %both, 3;
setp.eq.u32 %leads, %rank, 0; setp.eq.u32 %first, %t, 0;
@!%first bra READY;
mov.u32 %r0, 0;
INIT:
mad.lo.u32 %r1, %r0, 8, %full; mad.lo.u32 %r2, %r0, 8, %empty;
mbarrier.init.shared::cta.b64 [%r1], 1; mbarrier.init.shared::cta.b64 [%r2], 1;
add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, )" +
                           n(stages) + R"(;
@%p0 bra INIT;
mbarrier.init.shared::cta.b64 [%done], 1;
READY:
setp.ne.u32 %p0, %warp, 0;
@%p0 bra HAS;
tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%place], 128;
tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;
HAS:
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
ld.shared.u32 %memory, [%place];
setp.eq.u32 %p1, %warp, 4;
@%p1 bra COPY;
@%p0 bra STORE;
@!%leads bra STORE;
// The first thread of the even CTA multiplies.
@!%first bra STORE;
mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 0; // step, stage, parity
MULTIPLY:
mad.lo.u32 %r3, %r1, 8, %full; mad.lo.u32 %r4, %r1, 8, %empty;
FULL:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], %r2;
@!%p2 bra FULL;
tcgen05.fence::after_thread_sync;
mad.lo.u32 %r5, %r1, )" + n(stage_bytes) +
                           R"(, %tile; and.b32 %r5, %r5, 0x3ffff; shr.u32 %r5, %r5, 4;
cvt.u64.u32 %x0, %r5; or.b64 %x0, %x0, )" +
                           descriptor + R"(; add.u64 %x1, %x0, )" + n(a_bytes / 16) + R"(;
mov.u32 %r6, 0;
SLICE:
or.b32 %r7, %r0, %r6; setp.ne.u32 %p3, %r7, 0;
mov.u32 %r8, )" + n(1U << 4 | columns / 8 << 17 | rows / 16 << 24) +
                           R"(;
mov.u32 %v0, 0;
tcgen05.mma.cta_group::2.kind::f16 [%memory], %x0, %x1, %r8, {%v0, %v0, %v0, %v0, %v0, %v0, %v0, %v0}, %p3;
add.u64 %x0, %x0, 2; add.u64 %x1, %x1, 2; add.u32 %r6, %r6, 1; setp.lt.u32 %p4, %r6, 4;
@%p4 bra SLICE;
tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r4], %both;
add.u32 %r1, %r1, 1; setp.eq.u32 %p5, %r1, )" +
                           n(stages) + R"(;
@%p5 mov.u32 %r1, 0;
@%p5 xor.b32 %r2, %r2, 1;
add.u32 %r0, %r0, 1; setp.lt.u32 %p6, %r0, )" +
                           n(steps) + R"(;
@%p6 bra MULTIPLY;
tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%done], %both;
bra STORE;
COPY: // one thread of each CTA
and.b32 %r9, %t, 31; setp.ne.u32 %p2, %r9, 0;
@%p2 bra END;
mov.u32 %r9, %ctaid.x; mul.lo.u32 %r9, %r9, 128; mul.lo.u32 %r10, %rank, 64; // rows of A and of B
mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 1;
NEXT:
mad.lo.u32 %r3, %r1, 8, %full; mad.lo.u32 %r4, %r1, 8, %empty;
EMPTY:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], %r2;
@!%p2 bra EMPTY;
@%leads mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], )" +
                           n(2 * stage_bytes) + R"(;
and.b32 %r3, %r3, 0xfeffffff; // the even CTA's
mad.lo.u32 %r5, %r1, )" + n(stage_bytes) +
                           R"(, %tile; add.u32 %r6, %r5, )" + n(a_bytes) + R"(; mul.lo.u32 %r7, %r0, 64;
cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes
    [%r5], [%a, {%r7, %r9}], [%r3];
cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes
    [%r6], [%b, {%r7, %r10}], [%r3];
add.u32 %r1, %r1, 1; setp.eq.u32 %p5, %r1, )" +
                           n(stages) + R"(;
@%p5 mov.u32 %r1, 0;
@%p5 xor.b32 %r2, %r2, 1;
add.u32 %r0, %r0, 1; setp.lt.u32 %p6, %r0, )" +
                           n(steps) + R"(;
@%p6 bra NEXT;
bra END;
STORE:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [%done], 0;
@!%p2 bra STORE;
tcgen05.fence::after_thread_sync;
bar.warp.sync 0xffffffff;
mov.u32 %r9, %ctaid.x; mad.lo.u32 %r9, %r9, 128, %t;
mad.wide.u32 %d, %r9, )" + n(4 * columns) +
                           R"(, %d;
mad.lo.u32 %r10, %warp, 2097152, %memory; mov.u32 %r0, 0;
OUT:
tcgen05.ld.sync.aligned.32x32b.x8.b32 {%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7}, [%r10];
tcgen05.wait::ld.sync.aligned;
st.global.v4.b32 [%d], {%v0, %v1, %v2, %v3}; st.global.v4.b32 [%d+16], {%v4, %v5, %v6, %v7};
add.u64 %d, %d, 32; add.u32 %r10, %r10, 8; add.u32 %r0, %r0, 8; setp.lt.u32 %p2, %r0, )" +
                           n(columns) + R"(;
@%p2 bra OUT;
END:
barrier.cluster.arrive; barrier.cluster.wait;
@%p0 bra GONE;
tcgen05.dealloc.cta_group::2.sync.aligned.b32 %memory, 128;
GONE:
ret;
}
)";
        return text;
    }
};

} // namespace ptx_test
