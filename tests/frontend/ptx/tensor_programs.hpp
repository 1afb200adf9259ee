#pragma once
/// Programs for the tests of tensor memory (tcgen05): they fill it and shared memory, let a thread order what is
/// tested, and give it back.

#include "harness.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ptx_test {

inline constexpr unsigned lanes_of_memory = 128;
inline constexpr unsigned columns_of_memory = 512;
inline constexpr unsigned tile_bytes = 131072;

// Allocates all columns; %base is the address of the warp's quarter of the lanes, %t0 the thread.
inline std::string const begins = R"(mov.u32 %t0, %tid.x; shr.u32 %warp, %t0, 5; mov.u32 %t2, place;
setp.ne.u32 %p0, %warp, 0;
@%p0 bra HAS;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%t2], 512;
tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
HAS:
bar.sync 0;
ld.shared.u32 %memory, [%t2]; and.b32 %base, %warp, 3; shl.b32 %base, %base, 21; add.u32 %base, %base, %memory;
)";
inline std::string const ends = R"(bar.sync 0;
@%p0 bra GONE;
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %memory, 512;
GONE:
ret;
}
)";
// All columns of a warp's 32 lanes from or to global memory at %x1, of which each thread has a row.
inline std::string all_columns(bool load, std::string const& label) {
    return "mov.u32 %t4, 0;\n" + label + ":\nadd.u32 %t5, %base, %t4; mad.wide.u32 %x3, %t4, 4, %x1;\n" +
           (load ? "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%t6}, [%t5];\ntcgen05.wait::ld.sync.aligned;\n"
                   "st.global.u32 [%x3], %t6;\n"
                 : "ld.global.u32 %t6, [%x3];\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%t5], %t6;\n") +
           "add.u32 %t4, %t4, 1; setp.lt.u32 %p1, %t4, 512;\n@%p1 bra " + label + ";\n" +
           (load ? "" : "tcgen05.wait::st.sync.aligned;\n");
}
// A kernel k(memory, in) of 128 threads: tensor memory from `memory` and a tile of shared memory from `in`; `orders`,
// whose instructions thread 0 executes, which has %p1, and a commit; then tensor memory to `memory`. Registers are %da
// and %db of 64 bits, %t4, %t5, %t6, %a<4> and %s<4> of 32, %p2; %memory is tensor memory's address.
inline std::string tensor_program(std::string const& orders) {
    return module_of(".shared .align 1024 .b8 tile[" + std::to_string(tile_bytes) + "];\n" +
                     R"(.shared .b32 place; .shared .align 8 .b64 barrier;
.visible .entry k(.param .u64 memory, .param .u64 in)
{
.reg .b64 %x<8>, %da, %db;
.reg .b32 %t<8>, %a<4>, %s<4>, %memory, %base, %warp;
.reg .pred %p<3>;
mov.u32 %t1, tile; // which so lies first
)" + begins + R"(ld.param.u64 %x1, [in]; mad.wide.u32 %x1, %t0, 16, %x1;
mov.u32 %t1, tile; mad.lo.u32 %t1, %t0, 16, %t1; mov.u32 %t4, 0;
TILE:
ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%x1];
st.shared.v4.b32 [%t1], {%a0, %a1, %a2, %a3};
add.u64 %x1, %x1, 2048; add.u32 %t1, %t1, 2048; add.u32 %t4, %t4, 2048;
setp.lt.u32 %p1, %t4, )" +
                     std::to_string(tile_bytes) + R"(;
@%p1 bra TILE;
ld.param.u64 %x1, [memory]; mad.wide.u32 %x1, %t0, 2048, %x1;
)" + all_columns(false, "FILL") +
                     R"(tcgen05.fence::before_thread_sync;
setp.eq.u32 %p1, %t0, 0; mov.u32 %t7, barrier;
@%p1 mbarrier.init.shared::cta.b64 [%t7], 1;
bar.sync 0;
tcgen05.fence::after_thread_sync;
)" + orders + R"(@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%t7];
WAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [%t7], 0;
@!%p1 bra WAIT;
tcgen05.fence::after_thread_sync;
)" + all_columns(true, "EMPTY") +
                     ends);
}

// How many numbers differ: Catch would print all of them.
inline unsigned different(std::vector<std::uint32_t> const& found, std::vector<std::uint32_t> const& wanted) {
    unsigned n = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) n += found[i] == wanted[i] ? 0 : 1;
    return n;
}

inline std::uint32_t pattern(unsigned lane, unsigned column) {
    return lane * 0x01010101U ^ column * 0x9e3779b9U;
}

} // namespace ptx_test
