// tcgen05.mma.ws: products that keep B in a collector, whose D has its columns in parts above each other (PTX ISA,
// layouts E and G: figures; CUTLASS, mma_traits_sm100_frag.hpp, tmem_frg_ws), and columns of B that count as zeros (PTX
// ISA, "Zero-Column Mask Descriptor", whose examples are written out here), beside loops over whole matrices.
#include "catch.hpp"
#include "harness.hpp"
#include "matrix_numbers.hpp"
#include "sanitized.hpp"
#include "shared_layouts.hpp"
#include "tensor_programs.hpp"

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace ptx_test;
using Catch::Contains;

namespace {

struct stationary_case {
    std::string kind = "f16";
    std::string types = "f32.f16.f16"; ///< D, A, B
    unsigned m = 32, n = 64;
    unsigned pieces = 4;
    bool a_by_rows = true, b_by_rows = true;
    bool from_shared = true;
    bool adds = true;
    std::string words = {}; ///< behind the kind
    std::uint64_t mask = 0; ///< the zero-column mask descriptor; 0: none
    std::string zeros = {}; ///< of D's columns, those that it names: '1'; then again from the first on
    unsigned shift = 0;     ///< of B's columns
};

void check_stationary(stationary_case const& t) {
    CAPTURE(t.kind, t.types, t.m, t.n, t.pieces, t.from_shared, t.adds, t.words, t.mask);
    auto const names = names_of(t.types);
    auto const& fd = format_of(names[0]);
    auto const& fa = format_of(names[1]);
    auto const& fb = format_of(names[2]);
    unsigned const depth = 256 / fa.bits, bytes = fa.bits / 8, stored = t.n + t.shift;
    std::mt19937_64 random(t.n * 8 + t.m + t.pieces);
    auto const a = random_matrix(random, t.m, depth, fa, true);
    auto const b = random_matrix(random, depth, stored, fb, true);
    auto const c = random_matrix(random, t.m, t.n, fd, true);
    auto const la = layout_of(t.pieces, t.a_by_rows, t.m, bytes, 1024, false);
    auto const lb = layout_of(t.pieces, t.b_by_rows, stored, bytes, 65536, true);
    std::vector<std::uint8_t> tile(tile_bytes, 0xa5);
    std::vector<std::uint32_t> memory(lanes_of_memory * columns_of_memory);
    for (auto& word : memory) word = static_cast<std::uint32_t>(random());
    auto const cell = [&](unsigned lane, unsigned column) -> std::uint32_t& {
        return memory[lane * columns_of_memory + column];
    };
    // Of 32 rows each quarter of the lanes has a quarter of the columns, of 64 each half a half.
    auto const d = [&](unsigned r, unsigned n) -> std::uint32_t& {
        auto const part = t.n * t.m / 128;
        return cell(n / part * t.m + r, 32 + n % part);
    };
    for (unsigned i = 0; i < depth; ++i) {
        for (unsigned n = 0; n < stored; ++n)
            std::memcpy(&tile.at(lb.at(n, i)), &b.at[i * stored + n], bytes);
        for (unsigned r = 0; r < t.m; ++r)
            if (t.from_shared)
                std::memcpy(&tile.at(la.at(r, i)), &a.at[r * depth + i], bytes);
            else
                std::memcpy(reinterpret_cast<char*>(&cell(r, 480)) + i * bytes, &a.at[r * depth + i], bytes);
    }
    for (unsigned r = 0; r < t.m; ++r)
        for (unsigned n = 0; n < t.n; ++n) d(r, n) = static_cast<std::uint32_t>(c(r, n));
    auto const code = [&](std::string const& type) {
        return type == "f32" || type == "bf16" || type == "e5m2" || type == "s8" ? 1U
               : type == "tf32" || type == "s32"                                 ? 2U
                                                                                 : 0U;
    };
    auto const shape = code(names[0]) << 4 | code(names[1]) << 7 | code(names[2]) << 10 |
                       (t.a_by_rows ? 0U : 1U << 15) | (t.b_by_rows ? 0U : 1U << 16) | t.n / 8 << 17 |
                       t.m / 16 << 24 | (t.shift != 0 ? 2U << 30 : 0U);
    machine m(
        tensor_program("mov.b64 %da, " + std::to_string(la.descriptor_100()) + "; mov.b64 %db, " +
                       std::to_string(lb.descriptor_100()) + "; mov.b64 %x1, " + std::to_string(t.mask) +
                       ";\nmov.u32 %t5, " + std::to_string(shape) + "; setp.eq.u32 %p2, 1, " +
                       (t.adds ? "1" : "0") + "; add.u32 %t6, %memory, 32; add.u32 %t4, %memory, 480;\n" +
                       "@%p1 tcgen05.mma.ws.cta_group::1.kind::" + t.kind + t.words + " [%t6], " +
                       (t.from_shared ? "%da" : "[%t4]") + ", %db, %t5, %p2" + (t.mask != 0 ? ", %x1" : "") +
                       ";\nld.param.u64 %x1, [memory]; mad.wide.u32 %x1, %t0, 2048, %x1;\n"),
        "stationary.ptx");
    auto const at = m.upload(memory);
    m.launch("k", {1, 1, 1}, {128, 1, 1}, arguments({at, m.upload(tile)}));
    for (unsigned r = 0; r < t.m; ++r)
        for (unsigned n = 0; n < t.n; ++n) {
            bool const zero = !t.zeros.empty() && t.zeros[n % t.zeros.size()] == '1';
            auto sum = t.adds ? value_of(fd, c(r, n)) : 0;
            for (unsigned k = 0; k < depth && !zero; ++k)
                sum += value_of(fa, a(r, k)) * value_of(fb, b(k, n + t.shift));
            d(r, n) = fa.fraction == 0 ? static_cast<std::uint32_t>(static_cast<std::int64_t>(sum))
                                       : static_cast<std::uint32_t>(narrowed(static_cast<double>(sum), fd));
        }
    CHECK(different(m.download<std::uint32_t>(at, memory.size()), memory) == 0);
}

// As often as it takes, then cut off: columns from the first on, which the PTX ISA writes last.
std::string columns_of(std::string const& from_first, std::string const& again, unsigned count) {
    auto s = from_first;
    while (s.size() < count) s += again;
    return s.substr(0, count);
}

} // namespace

TEST_CASE("tcgen05.mma.ws: kinds, types and shapes", "[ptx][tensor_memory]") {
    unsigned turn = 0;
    for (unsigned const m : {32U, 64U, 128U})
        for (unsigned const n : {64U, 128U, 256U})
            for (auto const* const kind : {"f16", "tf32", "f8f6f4", "i8"}) {
                stationary_case t;
                t.kind = kind;
                t.types = t.kind == "f16"      ? (turn % 2 == 0 ? "f32.f16.bf16" : "f16.f16.f16")
                          : t.kind == "tf32"   ? "f32.tf32.tf32"
                          : t.kind == "f8f6f4" ? "f32.e4m3.e5m2"
                                               : "s32.s8.u8";
                t.m = m;
                t.n = n;
                t.pieces = 1U << turn % 4;
                t.from_shared = m != 128 || turn % 2 == 0;
                t.adds = turn % 3 != 0;
                if (turn % 4 == 1) t.words = ".collector::b2::fill";
                if (is_taken(turn++)) check_stationary(t);
            }
    stationary_case t;
    t.a_by_rows = t.b_by_rows = false;
    t.m = t.n = 64;
    t.pieces = 8;
    check_stationary(t);
}

TEST_CASE("tcgen05.mma.ws: columns of B that count as zeros", "[ptx][tensor_memory]") {
    constexpr std::uint64_t generated = std::uint64_t{1} << 39,
                            spans = std::uint64_t{2} << 40 | std::uint64_t{3} << 48;
    stationary_case t;
    t.n = 128;
    t.m = 128;
    t.mask = spans; // none is generated
    check_stationary(t);
    t.mask = spans | generated;
    t.zeros = columns_of("", "0000111", 128);
    check_stationary(t);
    t.m = 64;
    t.mask = spans | generated | std::uint64_t{1} << 32;
    t.zeros = columns_of("", "1110000", 64) + columns_of("", "0000111", 64);
    check_stationary(t);
    t.m = 32;
    t.mask =
        spans | generated | std::uint64_t{3} << 32 | 1U << 24 | 2U << 16 | 1U << 8 | std::uint64_t{2} << 56;
    t.zeros = columns_of("", "1110000", 32) + columns_of("110000", "1110000", 32) +
              columns_of("00111", "0000111", 32) + columns_of("000111", "0000111", 32);
    t.shift = 2;
    check_stationary(t);
    t.m = 64;
    t.mask = std::uint64_t{16} << 56; // the shift alone
    t.zeros = {};
    t.shift = 16;
    check_stationary(t);
}

TEST_CASE("tcgen05.mma.ws: what does not fit is refused", "[ptx][tensor_memory]") {
    auto const says = [](std::string const& body) { return lower_error(module_of(kernel_of(body))); };
    for (std::string const form : {"mma.ws.cta_group::2.kind::f16", "mma.ws.sp.cta_group::1.kind::f16",
                                   "mma.ws.cta_group::1.kind::mxf8f6f4.block_scale"})
        CHECK_THAT(says("tcgen05." + form + " [%r0], %rd0, %rd1, %r1, %p0;"), Contains("is not supported"));
    auto const multiply = [&](std::uint32_t shape, std::string const& a, std::string const& mask = "") {
        return run_error(
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 64; mov.u32 %r0, 0;\n"
            "mov.u64 %rd0, 0x400000000001; mov.u64 %rd1, 0x400000000001; mov.u64 %rd2, 0x900000000000000;\n"
            "setp.eq.u32 %p0, %r31, 0; mov.u32 %r1, " +
                std::to_string(shape | 1U << 4) + "; @%p0 tcgen05.mma.ws.cta_group::1.kind::f16 [%r0], " + a +
                ", %rd1, %r1, 1" + mask + ";\n",
            32, 100000, 4096, ".shared .align 16 .b8 place[16];\n");
    };
    CHECK_THAT(multiply(4U << 17 | 2U << 24, "%rd0"),
               Contains("with .cta_group::1 and .ws has, found 32 x 32"));
    CHECK_THAT(multiply(8U << 17 | 16U << 24, "%rd0"), Contains("found 256 x 64"));
    CHECK_THAT(multiply(8U << 17, "%rd0"), Contains("found 0 x 64"));
    CHECK_THAT(multiply(8U << 17 | 2U << 24, "[%r0]"),
               Contains("A of fewer rows in tensor memory is not supported"));
    CHECK_THAT(multiply(8U << 17 | 2U << 24, "%rd0", ", %rd2"),
               Contains("a shift of at most 0") && Contains("found 9"));
    CHECK_THAT(multiply(8U << 17 | 2U << 24 | 1U << 30, "%rd0", ", %rd2"), Contains("a shift of at most 8"));
}
