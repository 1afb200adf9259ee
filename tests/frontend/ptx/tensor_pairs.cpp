// tcgen05 of pairs of CTAs (.cta_group::2): which half of a matrix lies in which CTA, who may order what, and what
// both must do together, beside loops over whole matrices. Where an element lies is written out here as the PTX ISA's
// figures (layouts A and B) and CUTLASS (mma_traits_sm100_frag.hpp: "2x2" and "4x1", Duplicated) have it.
#include <warpkit/frontend/tensor_map.hpp>
#include <warpkit/program/async_words.hpp>

#include "catch.hpp"
#include "harness.hpp"
#include "matrix_numbers.hpp"
#include "pair_product.hpp"
#include "sanitized.hpp"
#include "shared_layouts.hpp"
#include "tensor_programs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ptx_test;
using Catch::Contains;

namespace {

std::string of_pairs(std::string text) {
    std::string const one = "cta_group::1";
    for (auto at = text.find(one); at != std::string::npos; at = text.find(one, at))
        text.replace(at, one.size(), "cta_group::2");
    return text;
}
std::string const meet = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";

// As tensor_program(), for clusters of pairs: each CTA fills its own tensor memory and tile, then a thread of the CTA
// of this parity in each pair executes `orders`, and a commit that tells both; then each CTA stores its tensor memory.
std::string pair_program(std::string const& orders, unsigned parity) {
    return module_of(
        ".shared .align 1024 .b8 tile[" + std::to_string(tile_bytes) + "];\n" +
        R"(.shared .b32 place; .shared .align 8 .b64 barrier;
.visible .entry k(.param .u64 memory, .param .u64 in)
{
.reg .b64 %x<8>, %da, %db;
.reg .b32 %t<8>, %a<8>, %s<4>, %memory, %base, %warp, %rank;
.reg .b16 %both;
.reg .pred %p<4>;
mov.u32 %t1, tile; // which so lies first
)" + of_pairs(begins) +
        R"(mov.u32 %rank, %cluster_ctarank; mov.u32 %t6, %ctaid.x;
ld.param.u64 %x1, [in]; mad.wide.u32 %x1, %t0, 16, %x1; mad.wide.u32 %x1, %t6, )" +
        std::to_string(tile_bytes) + R"(, %x1;
mov.u32 %t1, tile; mad.lo.u32 %t1, %t0, 16, %t1; mov.u32 %t4, 0;
TILE:
ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%x1];
st.shared.v4.b32 [%t1], {%a0, %a1, %a2, %a3};
add.u64 %x1, %x1, 2048; add.u32 %t1, %t1, 2048; add.u32 %t4, %t4, 2048;
setp.lt.u32 %p1, %t4, )" +
        std::to_string(tile_bytes) + R"(;
@%p1 bra TILE;
ld.param.u64 %x1, [memory]; mad.wide.u32 %x1, %t0, 2048, %x1; mad.wide.u32 %x1, %t6, 262144, %x1;
)" + all_columns(false, "FILL") +
        R"(tcgen05.fence::before_thread_sync;
setp.eq.u32 %p1, %t0, 0; mov.u32 %t7, barrier;
@%p1 mbarrier.init.shared::cta.b64 [%t7], 1;
)" + meet +
        R"(tcgen05.fence::after_thread_sync;
and.b32 %t4, %rank, 1; setp.eq.and.u32 %p1, %t4, )" +
        std::to_string(parity) + R"(, %p1;
and.b32 %t4, %rank, 14; mov.u32 %t5, 3; shl.b32 %t4, %t5, %t4; cvt.u16.u32 %both, %t4;
)" + orders +
        R"(@%p1 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%t7], %both;
WAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [%t7], 0;
@!%p1 bra WAIT;
tcgen05.fence::after_thread_sync;
)" + all_columns(true, "EMPTY") +
        meet + of_pairs(ends));
}

constexpr unsigned cells_of_cta = lanes_of_memory * columns_of_memory;

// The memories of some CTAs.
struct memories {
    std::vector<std::uint32_t> tensor; ///< by CTA, lane, column
    std::vector<std::uint8_t> tile;

    memories(unsigned ctas, std::mt19937_64& random)
        : tensor(std::size_t{ctas} * cells_of_cta),
          tile(std::size_t{ctas} * tile_bytes) {
        for (auto& word : tensor) word = static_cast<std::uint32_t>(random());
        for (auto& byte : tile) byte = static_cast<std::uint8_t>(random());
    }
    std::uint32_t& cell(unsigned cta, unsigned lane, unsigned column) {
        return tensor[cta * cells_of_cta + lane * columns_of_memory + column];
    }
    std::uint8_t* shared(unsigned cta, unsigned at) { return &tile.at(std::size_t{cta} * tile_bytes + at); }
};
// Runs pair_program() and says how many cells differ from `wanted`.
unsigned run_pairs(std::string const& orders, unsigned parity, memories const& given,
                   std::vector<std::uint32_t> const& wanted, warpkit::dim3 cluster = {2, 1, 1}) {
    machine m(pair_program(orders, parity), "pairs.ptx");
    m.set_cluster(cluster);
    auto const at = m.upload(given.tensor);
    auto const ctas = static_cast<std::uint32_t>(given.tensor.size() / cells_of_cta);
    m.launch("k", {ctas, 1, 1}, {128, 1, 1}, arguments({at, m.upload(given.tile)}));
    return different(m.download<std::uint32_t>(at, wanted.size()), wanted);
}

constexpr unsigned d_column = 32, a_column = 480, sfa_column = 400, sfb_column = 410, e_column = 420;

struct pair_case {
    std::string kind = "f16";
    std::string types = "f32.f16.f16"; ///< D, A, B
    unsigned m = 256, n = 64;
    unsigned a_pieces = 8, b_pieces = 8; ///< of the swizzles
    bool a_by_rows = true, b_by_rows = true;
    bool from_shared = true;
    bool adds = true;
    int sign_a = 1, sign_b = 1;
    unsigned scale = 0;
    bool saturates = false;
    std::vector<std::uint32_t> disabled = {}; ///< lanes, of the even CTA first
    std::string words = {};                   ///< behind the kind
    unsigned parity = 0;                      ///< of the CTA that orders it
    unsigned factors = 0;                     ///< of a row; 0: it is not scaled
    unsigned first_a = 0, first_b = 0;
    bool small = false;
};
unsigned code_of(pair_case const& t, std::string const& type) {
    if (t.kind.substr(0, 4) == "mxf4") return 1;
    if (type == "e5m2" || type == "f32" || type == "bf16" || type == "s8") return 1;
    return type == "tf32" || type == "s32" ? 2 : 0;
}
std::uint32_t descriptor_of(pair_case const& t) {
    auto const names = names_of(t.types);
    auto const common = code_of(t, names[1]) << 7 | code_of(t, names[2]) << 10 |
                        (t.sign_a < 0 ? 1U << 13 : 0U) | (t.sign_b < 0 ? 1U << 14 : 0U) |
                        (t.a_by_rows ? 0U : 1U << 15) | (t.b_by_rows ? 0U : 1U << 16) | t.n / 8 << 17 |
                        t.m / 16 << 24;
    if (t.factors != 0) return common | t.first_b << 4 | 1U << 23 | t.first_a << 29;
    return common | (t.saturates ? 8U : 0U) | code_of(t, names[0]) << 4;
}

void check_pair(pair_case const& t) {
    CAPTURE(t.kind, t.types, t.m, t.n, t.a_pieces, t.b_pieces, t.a_by_rows, t.b_by_rows, t.from_shared,
            t.adds, t.words, t.parity, t.factors, t.small);
    auto const names = names_of(t.types);
    auto const& fd = format_of(names[0]);
    auto const& fa = format_of(names[1]);
    auto const& fb = format_of(names[2]);
    unsigned const depth = 256 / fa.bits, bytes = fa.bits < 8 ? 1 : fa.bits / 8;
    std::mt19937_64 random(t.n * 8 + t.a_pieces + t.m + t.parity);
    auto const a = random_matrix(random, t.m, depth, fa, t.small);
    auto const b = random_matrix(random, depth, t.n, fb, t.small);
    auto const c = random_matrix(random, t.m, t.n, fd, t.small);
    unsigned const rows = t.m / 2, columns = t.n / 2; // of A and D, and of B, in each CTA
    auto const la = layout_of(t.a_pieces, t.a_by_rows, rows, bytes, 1024, false);
    auto const lb = layout_of(t.b_pieces, t.b_by_rows, columns, bytes, 65536, true);
    memories given(2, random);
    auto const put = [&](std::uint8_t* to, unsigned i, bits code) {
        if (fa.bits == 4)
            *to = static_cast<std::uint8_t>(i % 2 == 0 ? (*to & 0xf0) | code : (*to & 0x0f) | code << 4);
        else
            std::memcpy(to, &code, bytes);
    };
    auto const in_row = [&](unsigned i) { return fa.bits == 4 ? i / 2 : i; };
    // D: of 128 rows, each CTA has its 64 twice, for one and for the other half of the columns.
    auto const d = [&](memories& of, unsigned r, unsigned n) -> std::uint32_t& {
        if (t.m == 256) return of.cell(r / 128, r % 128, d_column + n);
        return of.cell(r / 64, n < columns ? r % 64 : 64 + r % 64, d_column + n % columns);
    };
    for (unsigned i = 0; i < depth; ++i) {
        for (unsigned n = 0; n < t.n; ++n)
            put(given.shared(n / columns, lb.at(n % columns, in_row(i))), i, b(i, n));
        for (unsigned r = 0; r < t.m; ++r) {
            if (t.from_shared) {
                put(given.shared(r / rows, la.at(r % rows, in_row(i))), i, a(r, i));
                continue;
            }
            for (unsigned lane = r % rows; lane < 128; lane += rows) {
                auto* const row = reinterpret_cast<std::uint8_t*>(&given.cell(r / rows, lane, a_column));
                put(row + in_row(i) * bytes, i, a(r, i));
            }
        }
    }
    for (unsigned r = 0; r < t.m; ++r)
        for (unsigned n = 0; n < t.n; ++n) d(given, r, n) = static_cast<std::uint32_t>(c(r, n));
    // Powers of two; of A each CTA has those of its rows, of B both have all, which need not be the same.
    std::vector<double> scale_a(std::size_t{t.m} * depth, 1.0), scale_b(std::size_t{2} * t.n * depth, 1.0);
    auto const scales = [&](double* of, unsigned cta, unsigned count, unsigned column, unsigned first) {
        for (unsigned row = 0; row < count; ++row)
            for (unsigned j = 0; j < t.factors; ++j) {
                auto const code = static_cast<std::uint32_t>(117 + random() % 21);
                for (unsigned quarter = 0; quarter < 4; ++quarter) {
                    auto& word = given.cell(cta, quarter * 32 + row % 32, column + row / 32);
                    word = (word & ~(0xffU << 8 * (first + j))) | code << 8 * (first + j);
                }
                for (unsigned i = j * depth / t.factors; i < (j + 1) * depth / t.factors; ++i)
                    of[row * depth + i] = std::ldexp(1.0, static_cast<int>(code) - 127);
            }
    };
    for (unsigned cta = 0; cta < 2; ++cta) {
        scales(&scale_a[std::size_t{cta} * rows * depth], cta, rows, sfa_column, t.first_a);
        scales(&scale_b[std::size_t{cta} * t.n * depth], cta, t.n, sfb_column, t.first_b);
    }

    auto expected = given;
    for (unsigned r = 0; r < t.m; ++r)
        for (unsigned n = 0; n < t.n; ++n) {
            auto& cell = d(expected, r, n);
            auto const bit = static_cast<std::size_t>(&cell - expected.tensor.data()) / columns_of_memory;
            if (!t.disabled.empty() && (t.disabled[bit / 32] >> bit % 32 & 1) != 0) continue;
            int const sign = t.sign_a * t.sign_b;
            if (fa.fraction == 0) {
                auto sum = t.adds ? static_cast<std::int64_t>(value_of(fd, c(r, n))) : 0;
                for (unsigned k = 0; k < depth; ++k)
                    sum += static_cast<std::int64_t>(value_of(fa, a(r, k)) * value_of(fb, b(k, n)));
                if (t.saturates) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
                cell = static_cast<std::uint32_t>(sum);
                continue;
            }
            auto sum =
                t.adds ? std::ldexp(static_cast<double>(value_of(fd, c(r, n))), -static_cast<int>(t.scale))
                       : 0;
            for (unsigned k = 0; k < depth; ++k)
                sum += sign * static_cast<double>(value_of(fa, a(r, k))) * scale_a[r * depth + k] *
                       (static_cast<double>(value_of(fb, b(k, n))) *
                        scale_b[(std::size_t{r / rows} * t.n + n) * depth + k]);
            cell = static_cast<std::uint32_t>(narrowed(sum, fd));
        }
    if (t.words.find("ashift") != std::string::npos)
        for (unsigned lane = 0; lane < 2 * 128; ++lane)
            for (unsigned i = a_column; i < a_column + 8 && lane % 32 != 31; ++i)
                expected.cell(0, lane, i) = given.cell(0, lane + 1, i);

    std::string text = "mov.b64 %da, " + std::to_string(la.descriptor_100()) + "; mov.b64 %db, " +
                       std::to_string(lb.descriptor_100()) + "; mov.u32 %t5, " +
                       std::to_string(descriptor_of(t)) + "; setp.eq.u32 %p2, 1, " + (t.adds ? "1" : "0") +
                       ";\nadd.u32 %t6, %memory, 32; add.u32 %t4, %memory, 480; add.u32 %s0, %memory, 400; "
                       "add.u32 %s1, %memory, 410;\n";
    std::string mask;
    for (std::size_t i = 0; i < t.disabled.size(); ++i) {
        text += "mov.u32 %a" + std::to_string(i) + ", " + std::to_string(t.disabled[i]) + ";\n";
        mask += (i == 0 ? " {%a" : ", %a") + std::to_string(i);
    }
    text += "@%p1 tcgen05.mma.cta_group::2.kind::" + t.kind + t.words + " [%t6], " +
            (t.from_shared ? "%da" : "[%t4]") + ", %db, %t5," + (mask.empty() ? "" : mask + "},") +
            (t.factors != 0 ? " [%s0], [%s1]," : "") + " %p2" +
            (t.scale != 0 ? ", " + std::to_string(t.scale) : "") + ";\n";
    CHECK(run_pairs(text, t.parity, given, expected.tensor) == 0);
}

} // namespace

TEST_CASE("tcgen05.mma of pairs: kinds, types and shapes, from shared and from tensor memory",
          "[ptx][tensor_memory]") {
    unsigned turn = 0;
    for (auto const& [kind, types] :
         std::vector<std::pair<std::string, std::string>>{{"f16", "f32.f16.f16"},
                                                          {"f16", "f16.f16.f16"},
                                                          {"f16", "f32.bf16.f16"},
                                                          {"tf32", "f32.tf32.tf32"},
                                                          {"f8f6f4", "f32.e4m3.e5m2"},
                                                          {"i8", "s32.s8.u8"}})
        for (unsigned const m : {128U, 256U})
            for (bool const from_shared : {true, false}) {
                pair_case t;
                t.kind = kind;
                t.types = types;
                t.m = m;
                t.n = turn % 3 == 0 ? 32 : turn % 3 == 1 ? 96 : 256;
                if (kind != "i8" && turn % 4 == 0) t.n = 16;
                t.from_shared = from_shared;
                t.a_pieces = 1U << turn % 4;
                t.b_pieces = 8U >> turn % 4;
                t.adds = turn % 5 != 0;
                t.parity = turn / 2 % 2;
                t.small = t.n == 256;
                if (is_taken(turn++)) check_pair(t);
            }
}

TEST_CASE("tcgen05.mma of pairs: layouts, signs, scales, lanes that stay, shifts", "[ptx][tensor_memory]") {
    pair_case t;
    for (bool const a_rows : {true, false})
        for (bool const b_rows : {true, false})
            for (unsigned const m : {128U, 256U}) {
                t.m = m;
                t.a_by_rows = a_rows;
                t.b_by_rows = b_rows;
                t.n = 128; // halves of 64 columns, a swizzle's
                check_pair(t);
            }
    for (unsigned const m : {128U, 256U})
        for (bool const from_shared : {true, false}) {
            t = {};
            t.small = true;
            t.m = m;
            t.from_shared = from_shared;
            t.sign_a = -1;
            t.scale = 3;
            t.disabled = {0xffff0000, 0, 0x10101010, 0xffffffff, 0x80000001, 0x00ff00ff, 0, 0x7fffffff};
            check_pair(t);
            t.words = from_shared ? ".collector::a::fill" : ".ashift.collector::a::lastuse";
            t.sign_b = -1;
            t.parity = 1;
            check_pair(t);
            t = {};
            t.m = m;
            t.from_shared = from_shared;
            t.kind = "i8";
            t.types = "s32.s8.s8";
            t.saturates = true;
            check_pair(t);
        }
}

TEST_CASE("tcgen05.mma of pairs with .block_scale: each CTA's own factors", "[ptx][tensor_memory]") {
    for (unsigned turn = 0; turn < 4; ++turn) {
        pair_case t;
        t.kind = "mxf8f6f4";
        t.types = "f32.e4m3.e5m2";
        t.words = ".block_scale";
        t.n = turn == 0 ? 16 : turn == 1 ? 256 : 112;
        t.factors = 1;
        t.first_a = turn;
        t.first_b = 3 - turn;
        t.from_shared = turn % 2 == 0;
        t.parity = turn / 2;
        check_pair(t);
        t.kind = turn % 2 == 0 ? "mxf4" : "mxf4nvf4";
        t.types = "f32.e2m1.e2m1";
        t.words = ".block_scale.block32";
        t.factors = 2;
        t.first_a = turn % 2 * 2;
        t.first_b = turn / 2 * 2;
        check_pair(t);
    }
}

TEST_CASE("tcgen05.cp and .shift of pairs: from each CTA's shared memory to its own tensor memory",
          "[ptx][tensor_memory]") {
    std::mt19937_64 random(7);
    auto const l = layout_of(1, true, 128, 1, 1024, true);
    for (unsigned const parity : {0U, 1U}) {
        // Of a cluster of four CTAs, one pair shifts and copies on the right of what the other does.
        memories given(4, random);
        auto expected = given;
        for (unsigned cta = 0; cta < 4; ++cta) {
            auto const to = 64 + 16 * (cta / 2);
            for (unsigned lane = 0; lane < 128; ++lane)
                for (unsigned byte = 0; byte < 32; ++byte)
                    reinterpret_cast<std::uint8_t*>(&expected.cell(cta, lane, to))[byte] =
                        *given.shared(cta, l.at(lane, byte));
            for (unsigned lane = 32; lane < 63; ++lane)
                for (unsigned i = 0; i < 8; ++i)
                    expected.cell(cta, lane, 200 + to + i) = given.cell(cta, lane + 1, 200 + to + i);
            for (unsigned row = 0; row < 32; ++row)
                for (unsigned lane = row; lane < 128; lane += 32)
                    for (unsigned byte = 0; byte < 16; ++byte)
                        reinterpret_cast<std::uint8_t*>(&expected.cell(cta, lane, 300 + to))[byte] =
                            *given.shared(cta, l.at(row, byte));
        }
        CHECK(run_pairs("shr.u32 %t4, %rank, 1; mad.lo.u32 %t5, %t4, 16, %memory; mov.b64 %da, " +
                            std::to_string(l.descriptor_100()) +
                            ";\n@%p1 tcgen05.cp.cta_group::2.128x256b [%t5+64], %da;\n"
                            "@%p1 tcgen05.shift.cta_group::2.down [%t5+2097416];\n"
                            "@%p1 tcgen05.cp.cta_group::2.32x128b.warpx4 [%t5+364], %da;\n",
                        parity, given, expected.tensor, {4, 1, 1}) == 0);
    }
}

namespace {

// Runs kernel_of(body) with one CTA after the other in clusters of so many; what it says, or nothing.
std::string pairs_say(std::string const& body, unsigned ctas = 2, unsigned threads = 32,
                      std::vector<std::uint32_t>* out = nullptr) {
    try {
        machine m(module_of(kernel_of(body, ".shared .align 16 .b8 place[16];\n")), "t.ptx");
        m.set_cluster({ctas, 1, 1});
        auto const at = m.upload(std::vector<std::uint32_t>(64));
        m.launch("k", {ctas, 1, 1}, {threads, 1, 1}, arguments({at}), 0, 100000);
        if (out != nullptr) *out = m.download<std::uint32_t>(at, 64);
    } catch (warpkit::error const& e) {
        return e.what();
    }
    return {};
}
std::string const ranked = "mov.u32 %r29, %cluster_ctarank; setp.eq.u32 %p15, %r29, 1;\n";
std::string alloc_pair(unsigned columns) {
    return "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [place], " + std::to_string(columns) +
           ";\n";
}
std::string dealloc_pair(std::string const& address, unsigned columns) {
    return "tcgen05.dealloc.cta_group::2.sync.aligned.b32 " + address + ", " + std::to_string(columns) +
           ";\n";
}

} // namespace

TEST_CASE("tcgen05.alloc of pairs: both wait for each other, and have the same columns",
          "[ptx][tensor_memory]") {
    // The first columns that are free in both: one CTA has given back its first 64, the other has not yet.
    std::vector<std::uint32_t> got;
    auto const say = "ld.shared.u32 %r0, [place];\n";
    for (std::string const not_yet : {"%p15", "!%p15"}) {
        auto const after = not_yet[0] == '!' ? "%p15" : "!%p15";
        REQUIRE(pairs_say(ranked + alloc_pair(64) + say + alloc_pair(32) + "ld.shared.u32 %r1, [place];\n@" +
                              not_yet + " bra NOT_YET;\n" + dealloc_pair("%r0", 64) + "NOT_YET:\n" +
                              alloc_pair(32) + "ld.shared.u32 %r2, [place];\n@" + after + " bra GONE;\n" +
                              dealloc_pair("%r0", 64) + "GONE:\n" + alloc_pair(32) +
                              "ld.shared.u32 %r3, [place];\n" + dealloc_pair("%r1", 32) +
                              dealloc_pair("%r2", 32) + dealloc_pair("%r3", 32) +
                              "mad.wide.u32 %rd1, %r29, 64, %out; "
                              "st.global.v4.b32 [%rd1], {%r0, %r1, %r2, %r3};",
                          2, 32, &got) == "");
        for (unsigned cta = 0; cta < 2; ++cta)
            CHECK(std::vector<std::uint32_t>(&got[16 * cta], &got[16 * cta] + 4) ==
                  std::vector<std::uint32_t>{0, 64, 96, 0});
    }

    // What CTA 1 did before it allocates, CTA 0 sees behind its own tcgen05.alloc.
    REQUIRE(pairs_say(ranked + "mov.u32 %r5, 7; @%p15 st.global.u32 [%out], %r5;\n" + alloc_pair(32) +
                          "ld.global.u32 %r6, [%out]; @!%p15 st.global.u32 [%out+4], %r6;\n" + say +
                          dealloc_pair("%r0", 32) +
                          "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;",
                      2, 32, &got) == "");
    CHECK(got[1] == 7);

    CHECK_THAT(pairs_say(ranked + "@%p15 bra FEW;\n" + alloc_pair(64) + "bra GONE;\nFEW:\n" + alloc_pair(32) +
                         "GONE:\n"),
               Contains("as many columns as the pair's other CTA asks for, 64, found 32"));
    CHECK_THAT(pairs_say(alloc_pair(512) + alloc_pair(32)), Contains("expected 32 free columns"));
    CHECK_THAT(pairs_say(alloc_pair(32), 1),
               Contains("expected a pair of CTAs") && Contains("a cluster of 1"));
    CHECK_THAT(pairs_say(alloc_pair(32), 3), Contains("found rank 2 in a cluster of 3"));
    CHECK_THAT(pairs_say(ranked + "@%p15 exit;\n" + alloc_pair(32)),
               Contains("the pair's other CTA to be active"));
    CHECK_THAT(pairs_say(ranked + "@%p15 bra WAIT;\n" + alloc_pair(32) + "WAIT:\n" + meet),
               Contains("waits for what never comes to pass") && Contains("tcgen05.alloc.cta_group::2"));
    CHECK_THAT(pairs_say(alloc_pair(32), 2, 64), Contains("one warp of the CTA at a time"));
    CHECK_THAT(
        pairs_say(ranked + alloc_pair(64) + say + "@%p15 bra KEEP;\n" + dealloc_pair("%r0", 64) + "KEEP:\n"),
        Contains("CTA 1 ended with 64 columns"));
    CHECK_THAT(pairs_say("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" + alloc_pair(32)),
               Contains("expected no tcgen05.alloc"));
}

TEST_CASE("tcgen05 of pairs: what does not fit is refused", "[ptx][tensor_memory]") {
    auto const says = [](std::string const& body) { return lower_error(module_of(kernel_of(body))); };
    CHECK_THAT(says("tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd0];\n"
                    "tcgen05.shift.cta_group::2.down [%r0];"),
               Contains("one .cta_group in all tcgen05 instructions of the kernel, found "
                        "tcgen05.shift.cta_group::2.down and, in line"));
    CHECK_THAT(says("tcgen05.mma.cta_group::2.kind::f16 [%r0], %rd0, %rd1, %r1, {%r2, %r3, %r4, %r5}, %p0;"),
               Contains("operand 5") && Contains("found a vector"));
    CHECK_THAT(says("tcgen05.mma.ws.cta_group::2.kind::f16 [%r0], %rd0, %rd1, %r1, %p0;"),
               Contains("is not supported"));
    std::string const begin = ranked + alloc_pair(128) +
                              "ld.shared.u32 %r0, [place]; setp.eq.u32 %p0, %r31, 0;\n"
                              "mov.u64 %rd0, 0x400000000001; mov.u64 %rd1, 0x400000000001;\n";
    auto const multiply = [&](std::string const& kind, std::uint32_t shape, std::string const& rest = "") {
        return pairs_say(begin + "mov.u32 %r1, " + std::to_string(shape) +
                         "; @%p0 tcgen05.mma.cta_group::2.kind::" + kind + " [%r0], " +
                         (rest.empty() ? "%rd0, %rd1, %r1, 1;" : rest) + "\n");
    };
    constexpr std::uint32_t f32 = 1U << 4;
    CHECK_THAT(multiply("f16", f32 | 2U << 17 | 4U << 24), Contains("with .cta_group::2 has, found 64 x 16"));
    CHECK_THAT(multiply("f16", f32 | 3U << 17 | 16U << 24), Contains("found 256 x 24"));
    CHECK_THAT(multiply("f16", f32 | 2U << 17), Contains("found 0 x 16"));
    CHECK_THAT(multiply("i8", 2U << 4 | 2U << 17 | 16U << 24), Contains("found 256 x 16"));
    CHECK_THAT(multiply("f16", f32 | 32U << 17 | 16U << 24), Contains("found column 128"));
    CHECK_THAT(multiply("f16", f32 | 2U << 17 | 16U << 24), Contains("out-of-range access"));
    CHECK_THAT(
        multiply("mxf8f6f4.block_scale", 2U << 17 | 8U << 24 | 1U << 23, "%rd0, %rd1, %r1, [%r0], [%r0], 1;"),
        Contains("scale factors of M = 128 with .cta_group::2 are not supported"));
    CHECK_THAT(pairs_say(begin + "@%p15 exit;\n@%p0 tcgen05.shift.cta_group::2.down [%r0];\n"),
               Contains("CTA 1 ended") || Contains("the pair's other CTA to be active"));
    CHECK_THAT(pairs_say(begin + "@!%p15 bra HERE;\n" + dealloc_pair("%r0", 128) + "HERE:\n" + meet +
                         "@%p0 tcgen05.shift.cta_group::2.down [%r0];\n"),
               Contains("that the CTA has allocated, found column 0"));
}

TEST_CASE("tcgen05.mma of pairs with M = 128 wants A twice in tensor memory", "[ptx][tensor_memory]") {
    std::mt19937_64 random(3);
    memories given(2, random);
    for (unsigned cta = 0; cta < 2; ++cta)
        for (unsigned lane = 0; lane < 64; ++lane)
            for (unsigned i = 0; i < 8; ++i)
                given.cell(cta, 64 + lane, a_column + i) = given.cell(cta, lane, a_column + i);
    auto const run = [&] {
        try {
            run_pairs("add.u32 %t4, %memory, 480; mov.b64 %db, " +
                          std::to_string(layout_of(1, true, 8, 2, 0, true).descriptor_100()) +
                          "; mov.u32 %t5, " + std::to_string(1U << 4 | 2U << 17 | 8U << 24) +
                          ";\n@%p1 tcgen05.mma.cta_group::2.kind::f16 [%memory], [%t4], %db, %t5, 0;\n",
                      0, given, given.tensor);
        } catch (warpkit::error const& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    CHECK(run() == "");
    given.cell(1, 70, a_column + 5) ^= 1;
    CHECK_THAT(run(), Contains("the same of A in both halves") &&
                          Contains("in lane 70 than in lane 6 of column 485"));
}

TEST_CASE("Addresses of shared memory in a kernel of pairs: bit 24 says which of the two",
          "[ptx][tensor_memory]") {
    // CTA 0 to 3 write their rank and a number into the even CTA's place, by all ways that kernels take to it.
    std::vector<std::uint32_t> got;
    std::string const pair = "@%p13 tcgen05.shift.cta_group::2.down [%r0];\n"; // makes it such a kernel
    REQUIRE(pairs_say("setp.ne.u32 %p13, 0, 0;\n" + pair + ranked + R"(
mov.u32 %r0, place; and.b32 %r1, %r0, 0xfeffffff;
and.b32 %r2, %r29, 1; shl.b32 %r2, %r2, 2; add.u32 %r1, %r1, %r2; add.u32 %r3, %r29, 100;
setp.eq.u32 %p0, %r31, 0;
@%p0 st.shared::cluster.u32 [%r1], %r3;
xor.b32 %r4, %r29, 2; mapa.shared::cluster.u32 %r5, %r0, %r4; and.b32 %r5, %r5, 0xfeffffff;
add.u32 %r5, %r5, %r2; @%p0 st.shared::cluster.u32 [%r5+8], %r3;
)" + meet + R"(
getctarank.shared::cluster.u32 %r6, %r0; getctarank.shared::cluster.u32 %r7, %r1;
ld.shared.v4.u32 {%r8, %r9, %r10, %r11}, [%r0];
ld.shared.u32 %r12, [place+4]; cvta.shared.u64 %rd2, %rd0;
mov.u64 %rd3, place; cvta.shared.u64 %rd3, %rd3; ld.u32 %r13, [%rd3];
isspacep.shared %p1, %rd3; selp.u32 %r14, 1, 0, %p1;
mad.wide.u32 %rd1, %r29, 64, %out;
@%p0 st.global.v4.b32 [%rd1], {%r6, %r7, %r8, %r9}; @%p0 st.global.v4.b32 [%rd1+16], {%r10, %r11, %r12, %r13};
@%p0 st.global.u32 [%rd1+32], %r14;
)" + meet,
                      4, 32, &got) == "");
    for (unsigned cta = 0; cta < 4; ++cta) {
        auto const even = cta & ~1U;
        std::vector<std::uint32_t> wanted{cta, even, 0, 0, 0, 0, 0, 0, 1};
        if (cta == even)
            wanted = {cta,        even,       100 + even, 101 + even, 100 + (even ^ 2), 101 + (even ^ 2),
                      101 + even, 100 + even, 1};
        CHECK(std::vector<std::uint32_t>(&got[16 * cta], &got[16 * cta] + 9) == wanted);
    }
}

namespace {

// Runs a kernel k(map, out) of one thread a CTA, in a cluster of four; 64 words of each CTA's tile.
std::string copy_to_pairs(std::string const& body, std::vector<std::uint32_t> const& tensor,
                          std::vector<std::uint32_t>& out) {
    try {
        machine m(module_of(R"(.shared .align 128 .b8 tile[256]; .shared .align 8 .b64 bar;
.visible .entry k(.param .u64 map, .param .u64 out)
{
.reg .b32 %r<32>; .reg .b64 %map, %out, %x<4>; .reg .pred %p<8>; .reg .b16 %h<4>;
ld.param.u64 %map, [map]; ld.param.u64 %out, [out]; mov.u32 %r0, %cluster_ctarank; mov.u32 %r1, tile;
mov.u32 %r2, bar; mov.u16 %h0, 15; mov.u32 %r3, 0; setp.eq.u32 %p0, %r0, 2;
)" + body + R"(
mad.wide.u32 %out, %r0, 256, %out;
COPY:
ld.shared.u32 %r5, [%r1]; st.global.u32 [%out], %r5; add.u32 %r1, %r1, 4; add.u64 %out, %out, 4;
add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 64;
@%p1 bra COPY;
ret;
}
)"),
                  "t.ptx");
        m.set_cluster({4, 1, 1});
        auto const at = m.upload(tensor), to = m.upload(out);
        std::uint64_t const extent[] = {64};
        std::uint32_t const box[] = {64}, one[] = {1};
        auto const map = m.upload(std::vector<warpkit::tensor_map>{warpkit::make_tensor_map(
            warpkit::tensor_element::u32, 1, at, extent, nullptr, box, one, warpkit::tensor_swizzle::none)});
        m.launch("k", {4, 1, 1}, {1, 1, 1}, arguments({map, to}), 0, 100000);
        out = m.download<std::uint32_t>(to, out.size());
    } catch (warpkit::error const& e) {
        return e.what();
    }
    return {};
}

} // namespace

TEST_CASE("cp.async.bulk.tensor of pairs: mbarriers of the other CTA, and of all odd ones",
          "[ptx][tensor_memory]") {
    std::vector<std::uint32_t> tensor(64), wanted, out(256);
    for (unsigned i = 0; i < 64; ++i) tensor[i] = 3 * i + 1;
    for (unsigned cta = 0; cta < 4; ++cta) wanted.insert(wanted.end(), tensor.begin(), tensor.end());
    std::string const wait =
        "WAIT:\n@%p2 bra DONE;\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;\n"
        "bra WAIT;\nDONE:\n" +
        meet;
    // Only odd CTAs have an mbarrier, which waits for two boxes: its own CTA's and the even one's.
    auto const odd = "and.b32 %r4, %r0, 1; setp.eq.u32 %p2, %r4, 0;\n"
                     "@!%p2 mbarrier.init.shared::cta.b64 [%r2], 1;\n"
                     "@!%p2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 512;\n" +
                     meet;
    CHECK(copy_to_pairs(
              odd +
                  "or.b32 %r4, %r2, 0x1000000;\n@%p0 cp.async.bulk.tensor.1d.shared::cluster.global.tile"
                  ".mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2 [%r1], [%map, {0}], [%r4], "
                  "%h0;\n" +
                  wait,
              tensor, out) == "");
    CHECK(out == wanted);
    // Each CTA copies to itself, and tells the odd one of its pair.
    out.assign(256, 0);
    CHECK(copy_to_pairs(
              odd +
                  "or.b32 %r4, %r2, 0x1000000;\ncp.async.bulk.tensor.1d.cta_group::2.shared::cluster.global"
                  ".mbarrier::complete_tx::bytes [%r1], [%map, {0}], [%r4];\n" +
                  wait,
              tensor, out) == "");
    CHECK(out == wanted);
    CHECK_THAT(
        copy_to_pairs(
            odd +
                "xor.b32 %r4, %r2, 0x2000000;\nmov.u32 %r6, 1; mapa.shared::cluster.u32 %r4, %r2, %r6;\n"
                "@%p0 cp.async.bulk.tensor.1d.cta_group::2.shared::cluster.global"
                ".mbarrier::complete_tx::bytes [%r1], [%map, {0}], [%r4];\n" +
                wait,
            tensor, out),
        Contains("or of the other one of its pair, found one of rank 1"));
}

TEST_CASE("A product of matrices by pairs of CTAs, as CUTLASS makes it", "[ptx][tensor_memory]") {
    for (auto const& [stages, steps] : {std::pair{1U, 3U}, {2U, 5U}, {4U, 4U}}) {
        if (fewer(4) < 4 && stages != 2) continue;
        CAPTURE(stages, steps);
        pair_product p;
        p.stages = stages;
        p.steps = steps;
        unsigned const rows = 2 * p.rows, depth = p.depth();
        std::mt19937_64 random(steps);
        auto const& half = format_of("f16");
        std::vector<std::uint16_t> a(std::size_t{rows} * depth), b(std::size_t{p.columns} * depth);
        for (auto* v : {&a, &b})
            for (auto& x : *v) x = static_cast<std::uint16_t>(random_code(random, half, true));
        std::vector<float> wanted(std::size_t{rows} * p.columns);
        for (unsigned r = 0; r < rows; ++r)
            for (unsigned n = 0; n < p.columns; ++n)
                for (unsigned k = 0; k < depth; ++k)
                    wanted[r * p.columns + n] += static_cast<float>(value_of(half, a[r * depth + k]) *
                                                                    value_of(half, b[n * depth + k]));
        machine m(p.text(), "product.ptx");
        auto const a_at = m.upload(a), b_at = m.upload(b), d_at = m.upload(std::vector<float>(wanted.size()));
        auto const a_map = m.upload(std::vector<warpkit::tensor_map>{p.map(a_at, rows, 128)});
        auto const b_map = m.upload(std::vector<warpkit::tensor_map>{p.map(b_at, p.columns, 64)});
        m.launch("k", {4, 1, 1}, {p.threads, 1, 1}, arguments({a_map, b_map, d_at}));
        bool const same = m.download<float>(d_at, wanted.size()) == wanted; // Catch would print all of them
        CHECK(same);
    }
}

TEST_CASE("tcgen05.mma.sp of pairs: each CTA has its rows' metadata", "[ptx][tensor_memory]") {
    // Elements of 8 bits: of each four the second and the fourth are stored, in the odd CTA the first and the second.
    constexpr unsigned stored = 32, depth = 64, count = 64;
    std::mt19937_64 random(11);
    auto const& f = format_of("s8");
    auto const a = random_matrix(random, 256, stored, f, true),
               b = random_matrix(random, depth, count, f, true);
    auto const la = layout_of(4, true, 128, 1, 1024, false);
    auto lb = layout_of(4, true, count / 2, 1, 65536, true);
    lb.column = {{64, 1}}; // in rows of 64 bytes
    memories given(2, random);
    for (unsigned r = 0; r < 256; ++r)
        for (unsigned i = 0; i < stored; ++i) {
            *given.shared(r / 128, la.at(r % 128, i)) = static_cast<std::uint8_t>(a(r, i));
            given.cell(r / 128, r % 128, e_column + i / 16) = r < 128 ? 0xdddddddd : 0x44444444;
        }
    for (unsigned k = 0; k < depth; ++k)
        for (unsigned n = 0; n < count; ++n)
            *given.shared(n / 32, lb.at(n % 32, k)) = static_cast<std::uint8_t>(b(k, n));
    auto expected = given;
    for (unsigned r = 0; r < 256; ++r)
        for (unsigned n = 0; n < count; ++n) {
            long double sum = 0;
            for (unsigned i = 0; i < stored; ++i) {
                auto const k = i / 2 * 4 + (r < 128 ? 1 + i % 2 * 2 : i % 2);
                sum += value_of(f, a(r, i)) * value_of(f, b(k, n));
            }
            expected.cell(r / 128, r % 128, d_column + n) =
                static_cast<std::uint32_t>(static_cast<std::int64_t>(sum));
        }
    CHECK(run_pairs("mov.b64 %da, " + std::to_string(la.descriptor_100()) + "; mov.b64 %db, " +
                        std::to_string(lb.descriptor_100()) + "; mov.u32 %t5, " +
                        std::to_string(1U << 7 | 1U << 10 | 2U << 4 | 4 | count / 8 << 17 | 16U << 24) +
                        "; add.u32 %t6, %memory, 32; add.u32 %s0, %memory, 420;\n"
                        "@%p1 tcgen05.mma.sp.cta_group::2.kind::i8 [%t6], %da, %db, [%s0], %t5, 0;\n",
                    0, given, expected.tensor) == 0);
}
