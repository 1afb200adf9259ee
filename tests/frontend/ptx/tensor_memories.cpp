// tcgen05: what moves between tensor memory and registers beside CuTe's layouts (NVIDIA CUTLASS, copy_traits_sm100.hpp:
// strides in bits of threads and of values), and products beside those that are computed here.
#include "catch.hpp"
#include "harness.hpp"
#include "matrix_numbers.hpp"
#include "sanitized.hpp"
#include "shared_layouts.hpp"
#include "tensor_programs.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ptx_test;
using Catch::Contains;

namespace {

std::string registers(unsigned count) {
    std::string list = "{";
    for (unsigned r = 0; r < count; ++r) list += (r == 0 ? "%d" : ", %d") + std::to_string(r);
    return list + "}";
}

struct bit_mode {
    unsigned extent;
    unsigned bits;
};
unsigned along(std::vector<bit_mode> const& modes, unsigned i) {
    unsigned at = 0;
    for (auto const& m : modes) {
        at += i % m.extent * m.bits;
        i /= m.extent;
    }
    return at;
}
// A shape's layout for `n` times: which bit of the lanes that it moves, one lane behind the other, thread and value
// have.
struct moved {
    std::string name;
    unsigned lanes;
    unsigned columns; ///< each time
    std::vector<bit_mode> thread, value;
};
moved shape(unsigned which, unsigned n) {
    switch (which) {
    case 0:
        return {"32x32b", 32, 1, {{32, 32 * n}}, {{32 * n, 1}}};
    case 1:
        return {"16x64b", 16, 2, {{2, 512 * n}, {2, 32}, {8, 64 * n}}, {{32, 1}, {n, 64}}};
    case 2:
        return {"16x128b", 16, 4, {{4, 32}, {8, 128 * n}}, {{32, 1}, {2, 1024 * n}, {n, 128}}};
    case 3:
        return {"16x256b", 16, 8, {{4, 64}, {8, 256 * n}}, {{64, 1}, {2, 2048 * n}, {n, 256}}};
    default: // the second half right behind the first
        return {"16x32bx2", 16, 2, {{16, 64 * n}, {2, 32 * n}}, {{32 * n, 1}}};
    }
}

} // namespace

TEST_CASE("tcgen05.ld and .st: all shapes, beside CuTe's layouts", "[ptx][tensor_memory]") {
    unsigned turn = 0;
    for (unsigned which = 0; which < 5; ++which)
        for (unsigned n = 1; n <= 128; n *= 2)
            for (bool const packed : {false, true}) {
                auto const s = shape(which, n);
                unsigned const count = s.lanes * s.columns * n / 32;
                if (count > 128 || (packed ? 2 : 1) * s.columns * n > 448 || !is_taken(turn++)) continue;
                unsigned const wide = packed ? 2 : 1;
                unsigned const first = 64, upper = s.lanes == 16 && n % 2 == 0 ? 16 : 0; // where it begins
                CAPTURE(s.name, n, packed);
                auto const form = ".sync.aligned." + s.name + ".x" + std::to_string(n);
                auto const half = which == 4 ? std::to_string(wide * n) : std::string();
                auto const place = "[%t5+" + std::to_string(first + (upper << 16)) + "]";
                for (bool const load : {true, false}) {
                    auto text =
                        ".shared .b32 place;\n.visible .entry k(.param .u64 memory, .param .u64 values)\n"
                        "{\n.reg .b64 %x<8>;\n.reg .b32 %t<8>, %d<128>, %memory, %base, %warp;\n.reg .pred "
                        "%p<3>;\n" +
                        begins +
                        "ld.param.u64 %x1, [memory]; mad.wide.u32 %x1, %t0, 2048, %x1;\n"
                        "ld.param.u64 %x2, [values]; mad.wide.u32 %x2, %t0, 512, %x2;\n" +
                        all_columns(false, "FILL") + "mov.u32 %t5, %base;\n";
                    for (unsigned r = 0; r < count && !load; ++r)
                        text += "ld.global.u32 %d" + std::to_string(r) + ", [%x2+" + std::to_string(4 * r) +
                                "];\n";
                    if (load)
                        text += "tcgen05.ld" + form + (packed ? ".pack::16b" : "") + ".b32 " +
                                registers(count) + ", " + place + (half.empty() ? "" : ", " + half) +
                                ";\ntcgen05.wait::ld.sync.aligned;\n";
                    else
                        text += "tcgen05.st" + form + (packed ? ".unpack::16b" : "") + ".b32 " + place +
                                ", " + (half.empty() ? "" : half + ", ") + registers(count) +
                                ";\ntcgen05.wait::st.sync.aligned;\n";
                    for (unsigned r = 0; r < count && load; ++r)
                        text += "st.global.u32 [%x2+" + std::to_string(4 * r) + "], %d" + std::to_string(r) +
                                ";\n";
                    machine m(module_of(text + all_columns(true, "EMPTY") + ends), "moves.ptx");

                    std::vector<std::uint32_t> memory(lanes_of_memory * columns_of_memory), values(128 * 128);
                    for (unsigned lane = 0; lane < lanes_of_memory; ++lane)
                        for (unsigned column = 0; column < columns_of_memory; ++column)
                            memory[lane * columns_of_memory + column] = pattern(lane, column);
                    for (std::size_t i = 0; i < values.size(); ++i)
                        values[i] = static_cast<std::uint32_t>(i * 2654435761U);
                    auto const memory_at = m.upload(memory), values_at = m.upload(values);
                    m.launch("k", {1, 1, 1}, {128, 1, 1}, arguments({memory_at, values_at}));
                    for (unsigned thread = 0; thread < 128; ++thread)
                        for (unsigned r = 0; r < count; ++r) {
                            // Of a value, the bits from 32 r on; two of 16 bits with pack and unpack.
                            auto const bit = along(s.thread, thread % 32) + along(s.value, 32 * r);
                            auto const lane = thread / 32 * 32 + upper + bit / (32 * s.columns * n);
                            auto const column = first + wide * (bit % (32 * s.columns * n) / 32);
                            for (unsigned e = 0; e < wide; ++e) {
                                auto& cell = memory[lane * columns_of_memory + column + e];
                                auto& value = values[thread * 128 + r];
                                if (!load)
                                    cell = packed ? value >> 16 * e & 0xffff : value;
                                else if (!packed)
                                    value = cell;
                                else if (e == 0)
                                    value = (value & 0xffff0000) | (cell & 0xffff);
                                else
                                    value = (value & 0xffff) | cell << 16;
                            }
                        }
                    CHECK(different(m.download<std::uint32_t>(memory_at, memory.size()), memory) == 0);
                    CHECK(different(m.download<std::uint32_t>(values_at, values.size()), values) == 0);
                }
            }
}

namespace {

struct tensor_case {
    std::string kind;
    std::string types; ///< D, A, B
    unsigned m = 128;
    unsigned n = 64;
    layout a;
    layout b;
    bool from_shared = true;
    bool adds = true;
    int sign_a = 1, sign_b = 1;
    unsigned scale = 0;
    bool saturates = false;
    std::vector<std::uint32_t> disabled; ///< lanes, or none
    unsigned lane = 0;                   ///< of D's address
    std::string words = {};              ///< behind the kind
};
unsigned code_of(std::string const& kind, std::string const& type) {
    if (type == "f32" || type == "bf16" || type == "e5m2" || (type == "s8")) return 1;
    return type == "tf32" || type == "s32" ? 2 : kind.empty() ? 1 : 0;
}
std::uint32_t descriptor_of(tensor_case const& t) {
    auto const names = names_of(t.types);
    return (t.saturates ? 8U : 0U) | code_of(t.kind, names[0]) << 4 | code_of(t.kind, names[1]) << 7 |
           code_of(t.kind, names[2]) << 10 | (t.sign_a < 0 ? 1U << 13 : 0U) | (t.sign_b < 0 ? 1U << 14 : 0U) |
           (t.a.by_rows ? 0U : 1U << 15) | (t.b.by_rows ? 0U : 1U << 16) | t.n / 8 << 17 | t.m / 16 << 24;
}
// D from column 32 on, A of tensor memory from column 480 on.
std::string tensor_kernel(tensor_case const& t) {
    std::string text = "mov.b64 %da, " + std::to_string(t.a.descriptor_100()) + "; mov.b64 %db, " +
                       std::to_string(t.b.descriptor_100()) + "; mov.u32 %t5, " +
                       std::to_string(descriptor_of(t)) + "; setp.eq.u32 %p2, 1, " + (t.adds ? "1" : "0") +
                       ";\nadd.u32 %t6, %memory, " + std::to_string(32 + (t.lane << 16)) +
                       "; add.u32 %t4, %memory, " + std::to_string(480 + (t.lane << 16)) + ";\n";
    std::string mask;
    for (std::size_t i = 0; i < t.disabled.size(); ++i) {
        text += "mov.u32 %a" + std::to_string(i) + ", " + std::to_string(t.disabled[i]) + ";\n";
        mask += (i == 0 ? " {%a" : ", %a") + std::to_string(i);
    }
    return tensor_program(text + "@%p1 tcgen05.mma.cta_group::1.kind::" + t.kind + t.words + " [%t6], " +
                          (t.from_shared ? "%da" : "[%t4]") + ", %db, %t5," +
                          (mask.empty() ? "" : mask + "},") + " %p2" +
                          (t.scale != 0 ? ", " + std::to_string(t.scale) : "") + ";\n");
}

void check_tensor(tensor_case const& t, bool small) {
    auto const names = names_of(t.types);
    CAPTURE(t.kind, t.types, t.m, t.n, t.from_shared, t.adds, t.a.pieces, t.a.by_rows, t.b.pieces,
            t.b.by_rows, small);
    auto const& fd = format_of(names[0]);
    auto const& fa = format_of(names[1]);
    auto const& fb = format_of(names[2]);
    unsigned const depth = 256 / fa.bits;
    std::mt19937_64 random(t.n * 8 + t.a.pieces + t.m);
    auto a = random_matrix(random, t.m, depth, fa, small);
    auto b = random_matrix(random, depth, t.n, fb, small);
    auto c = random_matrix(random, t.m, t.n, fd, small);
    std::vector<std::uint8_t> tile(tile_bytes, 0xa5);
    std::vector<std::uint32_t> memory(lanes_of_memory * columns_of_memory);
    for (unsigned lane = 0; lane < lanes_of_memory; ++lane)
        for (unsigned column = 0; column < columns_of_memory; ++column)
            memory[lane * columns_of_memory + column] = pattern(lane, column);
    // Of 64 rows each sixteen lie in a quarter of the lanes, in its lower or its upper half.
    auto const cell = [&](unsigned row, unsigned column) -> std::uint32_t& {
        auto const lane = t.m == 64 ? row % 16 + 32 * (row / 16) + t.lane : row;
        return memory[lane * columns_of_memory + column];
    };
    auto const bytes = fa.bits / 8;
    for (unsigned i = 0; i < depth; ++i) {
        for (unsigned n = 0; n < t.n; ++n) std::memcpy(&tile.at(t.b.at(n, i)), &b.at[i * t.n + n], bytes);
        for (unsigned r = 0; r < t.m; ++r)
            if (t.from_shared)
                std::memcpy(&tile.at(t.a.at(r, i)), &a.at[r * depth + i], bytes);
            else
                std::memcpy(reinterpret_cast<char*>(&cell(r, 480)) + i * bytes, &a.at[r * depth + i], bytes);
    }
    for (unsigned r = 0; r < t.m; ++r)
        for (unsigned n = 0; n < t.n; ++n) cell(r, 32 + n) = static_cast<std::uint32_t>(c(r, n));

    machine m(tensor_kernel(t), "product.ptx");
    auto const at = m.upload(memory);
    m.launch("k", {1, 1, 1}, {128, 1, 1}, arguments({at, m.upload(tile)}));
    if (t.words.find("ashift") != std::string::npos)
        for (unsigned r = 0; r < t.m; ++r)
            for (unsigned i = 480; i < 488 && r % 32 != 31; ++i) cell(r, i) = cell(r + 1, i);
    for (unsigned r = 0; r < t.m; ++r)
        for (unsigned n = 0; n < t.n; ++n) {
            auto const lane = t.m == 64 ? r % 16 + 32 * (r / 16) + t.lane : r;
            if (!t.disabled.empty() && (t.disabled[lane / 32] >> lane % 32 & 1) != 0) continue;
            auto& d = cell(r, 32 + n);
            int const sign = t.sign_a * t.sign_b;
            if (fa.fraction == 0) {
                auto sum = t.adds ? static_cast<std::int64_t>(value_of(fd, c(r, n))) : 0;
                for (unsigned k = 0; k < depth; ++k)
                    sum += static_cast<std::int64_t>(value_of(fa, a(r, k)) * value_of(fb, b(k, n)));
                if (t.saturates) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
                d = static_cast<std::uint32_t>(sum);
            } else {
                auto sum = t.adds ? std::ldexp(static_cast<double>(value_of(fd, c(r, n))),
                                               -static_cast<int>(t.scale))
                                  : 0;
                for (unsigned k = 0; k < depth; ++k)
                    sum += sign * static_cast<double>(value_of(fa, a(r, k))) *
                           static_cast<double>(value_of(fb, b(k, n)));
                d = static_cast<std::uint32_t>(narrowed(sum, fd));
            }
        }
    CHECK(different(m.download<std::uint32_t>(at, memory.size()), memory) == 0);
}

tensor_case product_of(std::string const& kind, std::string const& types, unsigned m, unsigned n,
                       unsigned pieces, bool a_rows, bool b_rows) {
    auto const bytes = format_of(names_of(types)[1]).bits / 8;
    tensor_case t;
    t.kind = kind;
    t.types = types;
    t.m = m;
    t.n = n;
    t.a = layout_of(pieces, a_rows, m, bytes, 1024, false);
    t.b = layout_of(pieces, b_rows, n, bytes, 65536, true);
    return t;
}

} // namespace

TEST_CASE("tcgen05.mma: kinds, types and shapes, from shared and from tensor memory",
          "[ptx][tensor_memory]") {
    unsigned turn = 0;
    for (auto const& [kind, types] :
         std::vector<std::pair<std::string, std::string>>{{"f16", "f32.f16.f16"},
                                                          {"f16", "f16.f16.f16"},
                                                          {"f16", "f32.bf16.bf16"},
                                                          {"f16", "f32.bf16.f16"},
                                                          {"tf32", "f32.tf32.tf32"},
                                                          {"f8f6f4", "f32.e4m3.e5m2"},
                                                          {"f8f6f4", "f16.e5m2.e5m2"},
                                                          {"i8", "s32.s8.u8"},
                                                          {"i8", "s32.u8.s8"}})
        for (unsigned const m : {64U, 128U})
            for (unsigned const n : {16U, 32U, 112U, 256U}) {
                auto t = product_of(kind, types, m, n,
                                    n == 16    ? 1
                                    : n == 32  ? 2
                                    : n == 112 ? 4
                                               : 8,
                                    true, true);
                t.from_shared = n != 112;
                t.adds = n != 32;
                t.lane = m == 64 && n == 112 ? 16 : 0;
                if (is_taken(turn++)) check_tensor(t, n == 256);
            }
    auto t = product_of("f16", "f32.f16.f16", 64, 24, 4, true, true); // of 64 rows, a multiple of 8
    check_tensor(t, false);
}

TEST_CASE("tcgen05.mma: layouts in shared memory, by rows and by columns, with every swizzle",
          "[ptx][tensor_memory]") {
    for (unsigned const pieces : {1U, 2U, 4U, 8U})
        for (bool const a_rows : {true, false})
            for (bool const b_rows : {true, false})
                check_tensor(product_of("f16", "f32.f16.f16", 128, 64, pieces, a_rows, b_rows), false);
    // The second 32 bytes of rows of 128.
    auto t = product_of("f16", "f32.bf16.bf16", 128, 32, 8, true, true);
    t.a.start += 32;
    t.b.start += 64;
    check_tensor(t, false);
    // Atoms of 32 bytes.
    t = product_of("tf32", "f32.tf32.tf32", 128, 64, 8, true, true);
    t.b = layout_of_32(4, t.b.start);
    check_tensor(t, false);
    t.a = layout_of_32(4, t.a.start);
    check_tensor(t, false);
    t = product_of("f16", "f32.f16.f16", 64, 128, 8, false, true);
    t.a = layout_of_32(2, t.a.start);
    check_tensor(t, false);
}

TEST_CASE("tcgen05.mma: signs, scales, saturation, lanes that stay", "[ptx][tensor_memory]") {
    for (bool const from_shared : {true, false}) {
        auto t = product_of("f16", "f32.f16.f16", 128, 32, 8, true, true);
        t.from_shared = from_shared;
        t.sign_a = -1;
        check_tensor(t, true);
        t.sign_b = -1;
        check_tensor(t, true);
        t.scale = 3;
        check_tensor(t, true);
        t.disabled = {0xffff0000, 0, 0x10101010, 0xffffffff};
        check_tensor(t, true);
        t.scale = 0;
        check_tensor(t, true);
        t.words = ".collector::a::lastuse";
        check_tensor(t, true);
        if (!from_shared) {
            t.words = ".ashift";
            check_tensor(t, true);
            t.words = ".ashift.collector::a::lastuse";
            check_tensor(t, true);
        }
        t = product_of("i8", "s32.s8.s8", 128, 32, 4, true, true);
        t.from_shared = from_shared;
        check_tensor(t, false);
        t.saturates = true;
        check_tensor(t, false);
    }
}

TEST_CASE("tcgen05: what does not fit is refused", "[ptx][tensor_memory]") {
    auto const says = [](std::string const& body) { return lower_error(module_of(kernel_of(body))); };
    CHECK_THAT(says("tcgen05.ld.sync.aligned.16x256b.x64.b32 {%r0}, [%r1];"),
               Contains("these modifiers do not go together"));
    CHECK_THAT(says("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r0}, [%r1];"),
               Contains("a vector of 2 registers of type .b32"));
    for (std::string const form :
         {"tcgen05.mma.ws.sp.cta_group::1.kind::f16 [%r0], %rd0, %rd1, [%r2], %r1, %p0;",
          "tcgen05.ld.red.sync.aligned.32x32b.x2.min.f32 {%f0, %f1}, %f2, [%r0];"})
        CHECK_THAT(says(form), Contains("is not supported"));

    CHECK_THAT(
        says("tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::use [%r0], [%r2], %rd1, %r1, %p0;"),
        Contains("these modifiers do not go together"));
    CHECK_THAT(says("tcgen05.mma.cta_group::1.kind::f16.ashift [%r0], %rd0, %rd1, %r1, %p0;"),
               Contains("operand 2"));

    std::string const alloc = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], ";
    std::string const dealloc = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 ";
    auto const fails = [&](std::string const& body, unsigned threads = 32) {
        return run_error(body, threads, 100000, 4096, ".shared .align 16 .b8 place[16];\n");
    };
    CHECK(fails(alloc + "64;\nld.shared.u32 %r0, [place];\n" + dealloc + "%r0, 64;").empty());
    CHECK_THAT(fails(alloc + "64;"), Contains("CTA 0 ended with 64 columns") && Contains("tcgen05.dealloc"));
    CHECK_THAT(fails(alloc + "48;"), Contains("power of two from 32 to 512, found 48"));
    CHECK_THAT(fails("mov.u32 %r1, %tid.x;" + alloc + "%r1;"),
               Contains("one number of columns in all lanes"));
    CHECK_THAT(fails(alloc + "512;" + alloc + "32;"),
               Contains("expected 32 free columns") && Contains("512 of 512"));
    CHECK_THAT(fails("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" + alloc + "32;"),
               Contains("expected no tcgen05.alloc"));
    CHECK_THAT(fails(alloc + "64;\nld.shared.u32 %r0, [place];\n" + dealloc + "%r0, 32;"),
               Contains("expected what tcgen05.alloc gave, found 32 columns"));
    CHECK_THAT(fails("mov.u32 %r1, %tid.x; setp.eq.u32 %p0, %r1, 3; @%p0 exit;" + alloc + "32;"),
               Contains("all 32 lanes"));
    std::string const load = "tcgen05.ld.sync.aligned.32x32b.x1.b32 %r2, ";
    CHECK_THAT(fails("mov.u32 %r1, 0;" + load + "[%r1];"),
               Contains("that the CTA has allocated, found column 0"));
    CHECK_THAT(fails(alloc + "32; mov.u32 %r1, 0;" + load + "[%r1+32];"), Contains("found column 32"));
    CHECK_THAT(fails(alloc + "32; mov.u32 %r1, 0x200000;" + load + "[%r1];"),
               Contains("lanes of tensor memory from 0 on") && Contains("found 32"));
    CHECK_THAT(fails("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [place];"),
               Contains("there was no mbarrier.init"));

    auto const multiply = [&](std::string const& descriptor, std::string const& a = "0x400000000001") {
        return fails(alloc + "32; mov.u32 %r0, 0; mov.u32 %r1, " + descriptor + "; mov.u64 %rd0, " + a +
                     "; mov.u64 %rd1, 0x400000000001; mov.u32 %r3, %tid.x; setp.eq.u32 %p0, %r3, 0;\n"
                     "@%p0 tcgen05.mma.cta_group::1.kind::f16 [%r0], %rd0, %rd1, %r1, 1;\n");
    };
    CHECK_THAT(multiply("0x8040010"), Contains("out-of-range access") && Contains("shared memory"));
    CHECK_THAT(multiply("0x8040014"), Contains("an instruction descriptor of dense matrices"));
    CHECK_THAT(multiply("0x8040110"), Contains("types go with the kind, found 2, 0 and 1"));
    CHECK_THAT(multiply("0x2040010"), Contains("a shape that tcgen05.mma") && Contains("found 32 x 16"));
    CHECK_THAT(multiply("0x8040010", "1"), Contains("expected 1 in bits 46 to 48"));
    CHECK_THAT(multiply("0x8040010", "0x6000400000000001"), Contains("others are not supported"));
    CHECK_THAT(multiply("0x8040010", "0x2000400000000001"),
               Contains("expected a matrix whose columns' elements lie side by side"));
    CHECK_THAT(fails(alloc +
                     "32; mov.u32 %r0, 0; mov.u32 %r1, 0x4040010; mov.u64 %rd1, 0x400000000001;\n"
                     "mov.u32 %r3, %tid.x; setp.eq.u32 %p0, %r3, 0;\n"
                     "@%p0 tcgen05.mma.cta_group::1.kind::f16.ashift [%r0], [%r0+16], %rd1, %r1, 1;\n"),
               Contains("M of 128 with .ashift, found 64"));
    CHECK_THAT(fails("mov.u32 %r0, 0; tcgen05.mma.cta_group::1.kind::f16 [%r0], %rd0, %rd1, %r1, 1;"),
               Contains("expected one thread to execute this instruction, found 32"));
}
