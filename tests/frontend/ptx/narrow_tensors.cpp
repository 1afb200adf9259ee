// tcgen05 of elements of 6 and 4 bits and of scaled blocks, and what fills tensor memory beside products, against
// computations of their own: where a code lies is written out here bit by bit, as the PTX ISA's packing formats, its
// layouts of scale factors and CUTLASS (copy_traits_sm100.hpp, mma_traits_sm100_frag.hpp) have it.
#include <warpkit/program/async_words.hpp>

#include "catch.hpp"
#include "harness.hpp"
#include "matrix_numbers.hpp"
#include "sanitized.hpp"
#include "shared_layouts.hpp"
#include "tensor_programs.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace ptx_test;
using Catch::Contains;

namespace {

std::vector<std::string> const types{"e4m3", "e5m2", "e2m3", "e3m2", "e2m1"};
// As the instruction descriptor has them.
unsigned code_of(std::string const& type) {
    return type == "e4m3" ? 0 : type == "e5m2" ? 1 : type == "e2m3" ? 3 : type == "e3m2" ? 4 : 5;
}

struct narrow_case {
    std::string kind = "f8f6f4";
    std::string a_type = "e4m3", b_type = "e4m3";
    unsigned m = 128, n = 64;
    unsigned pieces = 1; ///< of the swizzle
    bool b_by_rows = true;
    bool from_shared = true;
    bool adds = true;
    int sign = 1;
    bool half_sum = false;
    std::string words = {}; ///< behind the kind
    unsigned factors = 0;   ///< of a row; 0: it is not scaled
    unsigned first_a = 0, first_b = 0;
    bool powers_of_two = true;
    bool scale_nan = false;
    bool sparse = false; ///< of A half is stored
    bool packed() const { return kind == "mxf4" || kind == "mxf4nvf4"; }
    unsigned depth() const { return packed() ? 64 : 32; } ///< what is stored of a row of A
    unsigned depth_of_b() const { return sparse ? 2 * depth() : depth(); }
    std::uint32_t descriptor() const {
        auto const a = packed() ? 1 : code_of(a_type), b = packed() ? 1 : code_of(b_type);
        auto const common = a << 7 | b << 10 | (sign < 0 ? 1U << 14 : 0U) | (b_by_rows ? 0U : 1U << 16) |
                            n / 8 << 17 | m / 16 << 24 | (sparse ? 4U : 0U);
        if (factors == 0) return common | (half_sum ? 0U : 1U << 4);
        return common | first_b << 4 | (powers_of_two ? 1U << 23 : 0U) | first_a << 29;
    }
};

// Puts `count` bits, the first of which is bit `bit` of byte `byte`.
void put_bits(std::vector<std::uint8_t>& to, std::size_t byte, unsigned bit, unsigned count, bits value) {
    for (unsigned i = 0; i < count; ++i) {
        auto& b = to.at(byte + (bit + i) / 8);
        auto const mask = static_cast<std::uint8_t>(1U << (bit + i) % 8);
        b = static_cast<std::uint8_t>((value >> i & 1) != 0 ? b | mask : b & ~mask);
    }
}
// Element i of a row in shared memory: sixteen in 16 bytes, a byte each or one behind the other; or two in a byte.
void put_shared(std::vector<std::uint8_t>& tile, layout const& l, format const& f, bool packed, unsigned row,
                unsigned i, bits code) {
    if (packed)
        put_bits(tile, l.at(row, i / 2), i % 2 * 4, 4, code);
    else if (f.bits == 8)
        put_bits(tile, l.at(row, i), 0, 8, code);
    else
        put_bits(tile, l.at(row, i / 16 * 16), i % 16 * f.bits, f.bits, code);
}

double scale_value(bool power_of_two, unsigned code) {
    if (power_of_two)
        return code == 255 ? std::numeric_limits<double>::quiet_NaN()
                           : std::ldexp(1.0, static_cast<int>(code) - 127);
    return static_cast<double>(value_of(format_of("e4m3"), code & 0x7f)); // the top bit is no sign
}

constexpr unsigned d_column = 32, a_column = 480, sfa_column = 400, sfb_column = 410, e_column = 420;

void check_narrow(narrow_case const& t, bool small) {
    CAPTURE(t.kind, t.words, t.a_type, t.b_type, t.m, t.n, t.pieces, t.from_shared, t.adds, t.factors,
            t.first_a, t.first_b, t.powers_of_two, t.sparse, small);
    auto const& fa = format_of(t.a_type);
    auto const& fb = format_of(t.b_type);
    auto const& fd = format_of(t.half_sum ? "f16" : "f32");
    auto const depth = t.depth();
    auto const depth_of_b = t.depth_of_b();
    std::mt19937_64 random(t.n * 8 + t.m + t.pieces + code_of(t.a_type) * 1000 + code_of(t.b_type) * 100);
    auto const a = random_matrix(random, t.m, depth, fa, small);
    auto const b = random_matrix(random, depth_of_b, t.n, fb, small);
    auto const c = random_matrix(random, t.m, t.n, fd, small);
    auto const la = layout_of(t.pieces, true, t.m, 1, 1024, false);
    auto const lb = layout_of(t.sparse && t.pieces == 2 ? 4 : t.pieces, t.b_by_rows, t.n, 1, 65536, true,
                              t.sparse ? 64 : 32);
    std::vector<std::uint8_t> tile(tile_bytes);
    for (auto& byte : tile) byte = static_cast<std::uint8_t>(random()); // padding holds anything
    std::vector<std::uint32_t> memory(lanes_of_memory * columns_of_memory);
    for (auto& word : memory) word = static_cast<std::uint32_t>(random());
    auto const lane_of = [&](unsigned row) { return t.m == 64 ? row % 16 + 32 * (row / 16) : row; };
    auto const cell = [&](unsigned row, unsigned column) -> std::uint32_t& {
        return memory[lane_of(row) * columns_of_memory + column];
    };
    for (unsigned i = 0; i < depth_of_b; ++i)
        for (unsigned n = 0; n < t.n; ++n) put_shared(tile, lb, fb, t.packed(), n, i, b(i, n));
    // Where in K what is stored of A lies: two of four elements, or of four pairs of 4 bits. A lane has its row's codes
    // of four bits one after the other, in two columns (CUTLASS, tmem_e_frg).
    std::vector<unsigned> position(std::size_t{t.m} * depth);
    unsigned const together = t.packed() ? 2 : 1;
    for (unsigned r = 0; r < t.m; ++r)
        for (unsigned i = 0; i < depth; ++i) {
            auto const chunk = i / (2 * together);
            auto& word = memory[r * columns_of_memory + e_column + chunk / 8];
            if (t.sparse && i % (2 * together) == 0) {
                constexpr unsigned codes[] = {0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b0110, 0b1110};
                word = (word & ~(15U << chunk % 8 * 4)) | codes[random() % 7] << chunk % 8 * 4;
            }
            auto const index = word >> (chunk % 8 * 4 + i / together % 2 * 2) & 3;
            position[r * depth + i] = t.sparse ? (4 * chunk + index) * together + i % together : i;
        }
    for (unsigned i = 0; i < depth; ++i) {
        for (unsigned r = 0; r < t.m; ++r) {
            if (t.from_shared) {
                put_shared(tile, la, fa, t.packed(), r, i, a(r, i));
                continue;
            }
            // In the middle of a byte of its own, or four bits beside four others.
            unsigned const width = t.packed() ? 4 : 8;
            auto& word = cell(r, a_column + i * width / 32);
            auto const at = i * width % 32 + (width - fa.bits) / 2;
            word = (word & ~(((1U << fa.bits) - 1) << at)) | static_cast<std::uint32_t>(a(r, i)) << at;
        }
    }
    for (unsigned r = 0; r < t.m; ++r)
        for (unsigned n = 0; n < t.n; ++n) cell(r, d_column + n) = static_cast<std::uint32_t>(c(r, n));
    // Scale factors of rows, and of columns: the bytes that count are those of all four quarters of lanes.
    std::vector<double> scale_a(std::size_t{t.m} * depth, 1.0), scale_b(std::size_t{t.n} * depth_of_b, 1.0);
    auto const scales = [&](std::vector<double>& of, unsigned rows, unsigned of_row, unsigned column,
                            unsigned first) {
        for (unsigned row = 0; row < rows; ++row)
            for (unsigned j = 0; j < t.factors; ++j) {
                auto code = t.powers_of_two ? 117 + random() % 21 : random() % 256;
                if (!t.powers_of_two && (code & 0x7f) == 0x7f) code = 1;
                if (t.scale_nan && random() % 64 == 0) code = t.powers_of_two ? 0xff : 0x7f;
                if (t.powers_of_two && random() % 64 == 0) code = random() % 2 == 0 ? 0 : 254;
                for (unsigned quarter = 0; quarter < 4; ++quarter) {
                    auto& word = memory[(quarter * 32 + row % 32) * columns_of_memory + column + row / 32];
                    word = (word & ~(0xffU << 8 * (first + j))) | static_cast<std::uint32_t>(code)
                                                                      << 8 * (first + j);
                }
                auto const block = of_row / t.factors;
                for (unsigned i = j * block; i < (j + 1) * block; ++i)
                    of[row * of_row + i] = scale_value(t.powers_of_two, static_cast<unsigned>(code));
            }
    };
    scales(scale_a, t.m, depth, sfa_column, t.first_a);
    scales(scale_b, t.n, depth_of_b, sfb_column, t.first_b);

    auto const address = [](unsigned column) { return "%memory, " + std::to_string(column) + ";\n"; };
    auto const text =
        "mov.b64 %da, " + std::to_string(la.descriptor_100()) + "; mov.b64 %db, " +
        std::to_string(lb.descriptor_100()) + "; mov.u32 %t5, " + std::to_string(t.descriptor()) +
        "; setp.eq.u32 %p2, 1, " + (t.adds ? "1" : "0") + ";\nadd.u32 %t6, " + address(d_column) +
        "add.u32 %t4, " + address(a_column) + "add.u32 %s0, " + address(sfa_column) + "add.u32 %s1, " +
        address(sfb_column) + "or.b32 %s1, %s1, 0xc0000000;\n" + "add.u32 %a0, " + address(e_column) +
        "@%p1 tcgen05.mma" + (t.sparse ? ".sp" : "") + ".cta_group::1.kind::" + t.kind + t.words +
        " [%t6], " + (t.from_shared ? "%da" : "[%t4]") + ", %db, " + (t.sparse ? "[%a0], " : "") + "%t5, " +
        (t.factors != 0 ? "[%s0], [%s1], " : "") + "%p2;\n";
    machine m(tensor_program(text), "narrow.ptx");
    auto const at = m.upload(memory);
    m.launch("k", {1, 1, 1}, {128, 1, 1}, arguments({at, m.upload(tile)}));
    for (unsigned r = 0; r < t.m; ++r)
        for (unsigned n = 0; n < t.n; ++n) {
            auto sum = t.adds ? static_cast<double>(value_of(fd, c(r, n))) : 0;
            for (unsigned k = 0; k < depth; ++k) {
                auto const of_b = position[r * depth + k];
                sum += t.sign * static_cast<double>(value_of(fa, a(r, k))) * scale_a[r * depth + k] *
                       (static_cast<double>(value_of(fb, b(of_b, n))) * scale_b[n * depth_of_b + of_b]);
            }
            cell(r, d_column + n) = static_cast<std::uint32_t>(narrowed(sum, fd));
        }
    CHECK(different(m.download<std::uint32_t>(at, memory.size()), memory) == 0);
}

} // namespace

TEST_CASE("tcgen05.mma.kind::f8f6f4: elements of 8, 6 and 4 bits, mixed", "[ptx][tensor_memory]") {
    unsigned turn = 0;
    for (auto const& a : types)
        for (auto const& b : types)
            for (bool const from_shared : {true, false}) {
                narrow_case t;
                t.a_type = a;
                t.b_type = b;
                t.from_shared = from_shared;
                t.pieces = 1U << turn % 4;
                t.m = turn % 3 == 0 ? 64 : 128;
                t.n = turn % 5 == 0 ? 256 : turn % 5 == 1 ? 16 : 48;
                t.adds = turn % 7 != 0;
                t.half_sum = turn % 6 == 0;
                t.sign = turn % 4 == 1 ? -1 : 1;
                if (is_taken(turn++)) check_narrow(t, turn % 2 == 0);
            }
    narrow_case t; // B by columns beside a narrow A
    t.a_type = "e2m1";
    t.b_by_rows = false;
    check_narrow(t, false);
}

TEST_CASE("tcgen05.mma with .block_scale: kinds, types, factors and which bytes have them",
          "[ptx][tensor_memory]") {
    unsigned turn = 0;
    auto const check = [&](narrow_case t) {
        t.from_shared = turn % 2 == 0;
        t.pieces = 1U << turn % 4;
        t.n = turn % 5 == 0 ? 256 : turn % 5 == 1 ? 8 : turn % 5 == 2 ? 40 : 136;
        t.adds = turn % 3 != 0;
        t.sign = turn % 4 == 1 ? -1 : 1;
        t.scale_nan = turn % 2 == 1;
        if (is_taken(turn++)) check_narrow(t, false);
    };
    narrow_case t;
    t.kind = "mxf8f6f4";
    t.factors = 1;
    for (auto const& a : types)
        for (auto const& b : types) {
            t.a_type = a;
            t.b_type = b;
            t.words = turn % 3 == 0   ? ".block_scale"
                      : turn % 3 == 1 ? ".block_scale.scale_vec::1X"
                                      : ".block_scale.block32.collector::a::fill";
            t.first_a = turn % 4;
            t.first_b = turn / 4 % 4;
            check(t);
        }
    t.a_type = t.b_type = "e2m1";
    t.factors = 2;
    for (std::string const kind : {"mxf4", "mxf4nvf4"})
        for (std::string const vectors : {"", ".scale_vec::2X", ".block32"})
            for (unsigned const first : {0U, 2U}) {
                if (kind == "mxf4nvf4" && vectors.empty()) continue;
                t.kind = kind;
                t.words = ".block_scale" + vectors;
                t.first_a = first;
                t.first_b = turn % 2 == 0 ? 2 : 0;
                check(t);
            }
    t.factors = 4;
    t.first_a = t.first_b = 0;
    for (bool const powers : {true, false})
        for (std::string const vectors : {".scale_vec::4X", ".block16"})
            for (unsigned i = 0; i < 2; ++i) {
                t.powers_of_two = powers;
                t.words = ".block_scale" + vectors;
                check(t);
            }
}

TEST_CASE("tcgen05.mma.sp of narrow elements and scaled blocks: kinds, types and factors",
          "[ptx][tensor_memory]") {
    unsigned turn = 0;
    narrow_case t;
    t.sparse = true;
    auto const check = [&](std::string const& kind, std::string const& words, unsigned factors,
                           bool powers = true) {
        t.kind = kind;
        t.words = words;
        t.factors = factors;
        t.powers_of_two = powers;
        t.from_shared = turn % 2 == 0;
        t.pieces = 1U << turn % 4;
        t.n = turn % 3 == 0 ? 256 : turn % 3 == 1 ? 16 : 48;
        t.adds = turn % 5 != 0;
        t.first_a = factors == 1 ? turn % 4 : 0;
        t.first_b = factors == 2 ? 2 : 0;
        t.scale_nan = factors != 0 && turn % 4 == 1;
        ++turn;
        check_narrow(t, turn % 2 == 0);
    };
    for (auto const& type : types) {
        t.a_type = type;
        t.b_type = types[turn % types.size()];
        check("f8f6f4", "", 0);
        check("mxf8f6f4", ".block_scale", 1);
        check("mxf8f6f4", ".block_scale.scale_vec::1X", 1);
    }
    t.a_type = t.b_type = "e2m1";
    for (unsigned i = 0; i < 3; ++i) {
        check("mxf4", ".block_scale", 2);
        check("mxf4nvf4", ".block_scale.block32", 2);
        check("mxf4nvf4", ".block_scale.scale_vec::4X", 4);
        check("mxf4nvf4", ".block_scale.block16", 4, false);
    }
}

namespace {

// One row of A beside one column of B, each of the same byte in all places, with these scale factors: D's first one.
float one_product(std::string const& kind, std::uint32_t types_and_scale, std::uint8_t a_byte,
                  std::uint8_t b_byte, std::uint32_t scale_a, std::uint32_t scale_b) {
    std::vector<std::uint8_t> tile(tile_bytes);
    auto const l = layout_of(1, true, 128, 1, 1024, true);
    for (unsigned i = 0; i < 32; ++i) {
        tile[l.at(0, i)] = a_byte;
        tile[l.at(1, i)] = b_byte; // B begins a row further
    }
    std::vector<std::uint32_t> memory(lanes_of_memory * columns_of_memory);
    for (unsigned quarter = 0; quarter < 4; ++quarter) {
        memory[quarter * 32 * columns_of_memory + sfa_column] = scale_a;
        memory[quarter * 32 * columns_of_memory + sfb_column] = scale_b;
    }
    auto b = l;
    b.start += 16;
    machine m(
        tensor_program("mov.b64 %da, " + std::to_string(l.descriptor_100()) + "; mov.b64 %db, " +
                       std::to_string(b.descriptor_100()) + "; mov.u32 %t5, " +
                       std::to_string(types_and_scale | 1U << 17 | 8U << 24) +
                       "; add.u32 %t6, %memory, 32; add.u32 %s0, %memory, 400; add.u32 %s1, %memory, 410;\n"
                       "@%p1 tcgen05.mma.cta_group::1.kind::" +
                       kind + " [%t6], %da, %db, %t5, [%s0], [%s1], 0;\n"),
        "one.ptx");
    auto const at = m.upload(memory);
    m.launch("k", {1, 1, 1}, {128, 1, 1}, arguments({at, m.upload(tile)}));
    float f = 0;
    auto const word = m.download<std::uint32_t>(at, 33)[32];
    std::memcpy(&f, &word, sizeof f);
    return f;
}

} // namespace

TEST_CASE("tcgen05.mma with .block_scale: values by hand", "[ptx][tensor_memory]") {
    constexpr std::uint32_t e2m1 = 1U << 7 | 1U << 10, ue8m0 = 1U << 23;
    std::string const nvfp4 = "mxf4nvf4.block_scale.scale_vec::4X";
    // All codes of .e2m1 times 1 (0x2), 64 of them; scales of .ue4m3 are 1 (0x38).
    float const values[] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
    for (unsigned code = 0; code < 8; ++code) {
        auto const both = static_cast<std::uint8_t>(code * 17);
        CHECK(one_product(nvfp4, e2m1, both, 0x22, 0x38383838, 0x38383838) == 64 * values[code]);
        CHECK(one_product(nvfp4, e2m1, both | 0x88, 0x22, 0x38383838, 0x38383838) == -64 * values[code]);
    }
    // The low four bits are the first element: 16 elements of a block, of which half are 1 and half are 6.
    CHECK(one_product(nvfp4, e2m1, 0x72, 0x22, 0x00000038, 0x38383838) == 8 * (1 + 6));
    // .ue4m3: 0x40 is 2, 0x01 is 2 ^ -9, 0x7e is 448, 0x7f is none; the first block has the lowest byte.
    CHECK(one_product(nvfp4, e2m1, 0x22, 0x22, 0x00000040, 0x38383838) == 32);
    CHECK(one_product(nvfp4, e2m1, 0x22, 0x22, 0x01000000, 0x38383838) == 16.0F / 512);
    CHECK(one_product(nvfp4, e2m1, 0x22, 0x22, 0x7e38403c, 0x00000038) == 16 * 1.5F);
    CHECK(one_product(nvfp4, e2m1, 0x22, 0x22, 0x7e38403c, 0x38000000) == 16 * 448);
    CHECK(std::isnan(one_product(nvfp4, e2m1, 0x22, 0x22, 0x3838387f, 0x38383838)));
    // .ue8m0: 127 is 1, 128 is 2, 0 is 2 ^ -127, 254 is 2 ^ 127, 255 is none, whatever it multiplies.
    std::string const mxfp4 = "mxf4.block_scale";
    CHECK(one_product(mxfp4, e2m1 | ue8m0, 0x22, 0x22, 0xffff7f80, 0xffff7f7f) == 32 * 2 + 32);
    CHECK(one_product(mxfp4, e2m1 | ue8m0, 0x22, 0x22, 0xffff0000, 0xfffffefe) == 64);
    CHECK(std::isnan(one_product(mxfp4, e2m1 | ue8m0, 0x00, 0x22, 0xffffff7f, 0xffff7f7f)));
    // Bytes of kind mxf8f6f4: 32 of .e5m2, 0x3c is 1, 0x7c infinity, times .e4m3, 0x38 is 1.
    std::string const mxfp8 = "mxf8f6f4.block_scale";
    CHECK(one_product(mxfp8, 1U << 7 | ue8m0, 0x3c, 0x38, 0xffffff7e, 0xffffff81) == 32 * 2);
    CHECK(one_product(mxfp8, 1U << 7 | ue8m0, 0x7c, 0x38, 0xffffff00, 0xffffff7f) ==
          std::numeric_limits<float>::infinity());
    CHECK(std::isnan(one_product(mxfp8, 1U << 7 | ue8m0, 0x3c, 0x38, 0xffffffff, 0xffffff7f)));
}

namespace {

// Runs one instruction on tensor memory with these contents and this tile, with %da and %t6; tensor memory afterwards.
// To timing it is a product of no columns that reads so many bytes of shared memory.
std::vector<std::uint32_t> fill(std::string const& instruction, std::uint64_t descriptor, unsigned address,
                                std::vector<std::uint32_t> const& memory,
                                std::vector<std::uint8_t> const& tile, std::uint32_t shared_bytes) {
    machine m(tensor_program("mov.b64 %da, " + std::to_string(descriptor) + "; add.u32 %t6, %memory, " +
                             std::to_string(address) + ";\n@%p1 " + instruction + ";\n"),
              "fill.ptx");
    auto const at = m.upload(memory);
    m.launch("k", {1, 1, 1}, {128, 1, 1}, arguments({at, m.upload(tile)}));
    auto const& code = m.program().instructions;
    unsigned found = 0;
    auto const& stream = m.streams()[0].warps[0];
    for (warpkit::stream_cursor c(stream); !c.done(); c.advance(stream, code[c.instruction()])) {
        if (code[c.instruction()].async != warpkit::async_role::tensor_product) continue;
        ++found;
        auto const words = c.words(stream, false);
        REQUIRE(words.size() == 1);
        CHECK(warpkit::tensor_product_words::of(words[0]).columns == 0);
        CHECK(warpkit::tensor_product_words::of(words[0]).shared_bytes == shared_bytes);
    }
    CHECK(found == 1);
    return m.download<std::uint32_t>(at, memory.size());
}

} // namespace

TEST_CASE("tcgen05.cp: all shapes, with every swizzle, as bytes and from narrower elements",
          "[ptx][tensor_memory]") {
    struct copied {
        std::string words;
        unsigned rows;
        unsigned bytes; ///< of a row
    };
    copied const shapes[] = {{"128x256b", 128, 32},
                             {"128x128b", 128, 16},
                             {"64x128b.warpx2::02_13", 64, 16},
                             {"64x128b.warpx2::01_23", 64, 16},
                             {"32x128b.warpx4", 32, 16},
                             {"4x256b", 4, 32}};
    std::mt19937_64 random(5);
    std::vector<std::uint8_t> tile(tile_bytes);
    for (auto& byte : tile) byte = static_cast<std::uint8_t>(random());
    std::vector<std::uint32_t> memory(lanes_of_memory * columns_of_memory);
    for (auto& word : memory) word = static_cast<std::uint32_t>(random());
    for (unsigned which = 0; which < 6; ++which)
        for (unsigned const pieces : {1U, 2U, 4U, 8U})
            for (unsigned const width : {8U, 6U, 4U}) {
                auto const& s = shapes[which];
                CAPTURE(s.words, pieces, width);
                auto const l = layout_of(pieces, true, 128, 1, 2048, pieces != 1);
                unsigned const base = which == 5 ? 31 : 0; // a lane of each quarter
                auto const found =
                    fill("tcgen05.cp.cta_group::1." + s.words +
                             (width == 6   ? ".b8x16.b6x16_p32"
                              : width == 4 ? ".b8x16.b4x16_p64"
                                           : "") +
                             " [%t6], %da",
                         l.descriptor_100(), 96 + (base << 16), memory, tile, s.rows * s.bytes);
                auto wanted = memory;
                for (unsigned lane = 0; lane < 128; ++lane) {
                    unsigned row = lane;
                    if (which == 2) row = lane % 64;
                    if (which == 3) row = (lane < 64 ? 0 : 32) + lane % 32;
                    if (which == 4) row = lane % 32;
                    if (which == 5) row = lane / 32;
                    if (which == 5 && lane % 32 != 31) continue;
                    for (unsigned i = 0; i < s.bytes; ++i) {
                        unsigned byte = 0; // bit by bit, in the middle
                        for (unsigned k = 0; k < width; ++k) {
                            auto const bit = i % 16 * width + k;
                            auto const from = tile[l.at(row, i / 16 * 16) + bit / 8];
                            byte |= (from >> bit % 8 & 1U) << (k + (8 - width) / 2);
                        }
                        auto& word = wanted[lane * columns_of_memory + 96 + i / 4];
                        word = (word & ~(0xffU << i % 4 * 8)) | byte << i % 4 * 8;
                    }
                }
                CHECK(different(found, wanted) == 0);
            }
}

TEST_CASE("tcgen05.shift: 31 lanes get what their next ones have", "[ptx][tensor_memory]") {
    std::vector<std::uint32_t> memory(lanes_of_memory * columns_of_memory);
    for (unsigned lane = 0; lane < lanes_of_memory; ++lane)
        for (unsigned column = 0; column < columns_of_memory; ++column)
            memory[lane * columns_of_memory + column] = pattern(lane, column);
    std::vector<std::uint8_t> const tile(tile_bytes);
    for (std::string const words : {"cta_group::1.down", "down.cta_group::1"})
        for (unsigned const first : {0U, 64U}) {
            auto wanted = memory;
            for (unsigned lane = first; lane < first + 31; ++lane)
                for (unsigned column = 100; column < 108; ++column)
                    wanted[lane * columns_of_memory + column] = pattern(lane + 1, column);
            CHECK(
                different(fill("tcgen05.shift." + words + " [%t6]", 0, 100 + (first << 16), memory, tile, 0),
                          wanted) == 0);
        }
}

TEST_CASE("tcgen05.cp brings factors and scales to where tcgen05.mma reads them", "[ptx][tensor_memory]") {
    // A of .e2m1, padded, and scale factors as CUTLASS lays them out, through tensor memory; beside the sum.
    std::mt19937_64 random(11);
    std::vector<std::uint8_t> tile(tile_bytes);
    auto const la = layout_of(1, true, 128, 1, 0, false), lb = layout_of(1, true, 64, 1, 8192, true);
    auto const a = random_matrix(random, 128, 32, format_of("e2m1"), false);
    auto const b = random_matrix(random, 32, 64, format_of("e3m2"), false);
    for (unsigned i = 0; i < 32; ++i) {
        for (unsigned r = 0; r < 128; ++r) put_shared(tile, la, format_of("e2m1"), false, r, i, a(r, i));
        for (unsigned n = 0; n < 64; ++n) put_shared(tile, lb, format_of("e3m2"), false, n, i, b(i, n));
    }
    // Row m of 128: 16 bytes for m mod 32, of which 4 for m / 32, of which one for each k block.
    std::uint8_t scale[2][128];
    constexpr unsigned at_scales[2]{16384, 20480}, byte = 2;
    for (unsigned which = 0; which < 2; ++which)
        for (unsigned row = 0; row < 128; ++row) {
            scale[which][row] = static_cast<std::uint8_t>(120 + random() % 14);
            tile[at_scales[which] + row % 32 * 16 + row / 32 * 4 + byte] = scale[which][row];
        }
    auto const descriptor = [](unsigned start) {
        layout l;
        l.start = start;
        l.leading = 16;
        l.stride = 128;
        return std::to_string(l.descriptor_100());
    };
    std::vector<std::uint32_t> memory(lanes_of_memory * columns_of_memory);
    machine m(
        tensor_program(
            "add.u32 %t6, %memory, 32; add.u32 %t4, %memory, 480; add.u32 %s0, %memory, 400;"
            " add.u32 %s1, %memory, 410; mov.u32 %t5, " +
            std::to_string(5U << 7 | 4U << 10 | byte << 4 | 8U << 17 | 1U << 23 | 8U << 24 | byte << 29) +
            ";\nmov.b64 %da, " + std::to_string(la.descriptor_100()) +
            ";\n@%p1 tcgen05.cp.cta_group::1.128x256b.b8x16.b4x16_p64 [%t4], %da;\nmov.b64 %da, " +
            descriptor(at_scales[0]) + ";\n@%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%s0], %da;\n" +
            "mov.b64 %da, " + descriptor(at_scales[1]) +
            ";\n@%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%s1], %da;\nmov.b64 %db, " +
            std::to_string(lb.descriptor_100()) +
            ";\n@%p1 tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%t6], [%t4], %db, %t5, [%s0], "
            "[%s1], 0;\n"),
        "brought.ptx");
    auto const at = m.upload(memory);
    m.launch("k", {1, 1, 1}, {128, 1, 1}, arguments({at, m.upload(tile)}));
    auto const found = m.download<std::uint32_t>(at, memory.size());
    unsigned wrong = 0;
    for (unsigned r = 0; r < 128; ++r)
        for (unsigned n = 0; n < 64; ++n) {
            double sum = 0;
            for (unsigned k = 0; k < 32; ++k)
                sum += static_cast<double>(value_of(format_of("e2m1"), a(r, k))) *
                       scale_value(true, scale[0][r]) *
                       static_cast<double>(value_of(format_of("e3m2"), b(k, n))) *
                       scale_value(true, scale[1][n]);
            wrong += found[r * columns_of_memory + 32 + n] == narrowed(sum, format_of("f32")) ? 0 : 1;
        }
    CHECK(wrong == 0);
}

TEST_CASE("tcgen05: narrow, scaled and copied forms that do not fit are refused", "[ptx][tensor_memory]") {
    auto const says = [](std::string const& body) { return lower_error(module_of(kernel_of(body))); };
    std::string const operands = " [%r0], %rd0, %rd1, %r1, [%r2], [%r3], %p0;";
    for (std::string const form : {"mxf4nvf4.block_scale", "mxf4.block_scale.scale_vec::1X",
                                   "mxf4.block_scale.block16", "mxf8f6f4.block_scale.scale_vec::2X"})
        CHECK_THAT(says("tcgen05.mma.cta_group::1.kind::" + form + operands),
                   Contains("these modifiers do not go together"));
    for (auto const& form :
         {"mma.cta_group::1.kind::f16.block_scale" + operands, "mma.cta_group::1.kind::mxf4" + operands,
          std::string("cp.cta_group::1.64x128b [%r0], %rd0;"),
          std::string("cp.cta_group::1.128x128b.warpx4 [%r0], %rd0;"),
          std::string("cp.cta_group::1.32x128b.warpx4.b4x16_p64 [%r0], %rd0;")})
        CHECK_THAT(says("tcgen05." + form), Contains("unknown form"));
    CHECK_THAT(says("tcgen05.mma.cta_group::1.kind::mxf4.block_scale [%r0], %rd0, %rd1, %r1, %p0;"),
               Contains("operand"));

    auto const fails = [&](std::string const& body) {
        return run_error(
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 64; mov.u32 %r0, 0; "
            "mov.u64 %rd0, 0x400000000000; mov.u32 %r3, %tid.x; setp.eq.u32 %p0, %r3, 0;\n" +
                body,
            32, 100000, 4096, ".shared .align 16 .b8 place[32768];\n");
    };
    auto const multiply = [&](std::string const& kind, std::uint32_t descriptor, std::string const& scales) {
        return fails("mov.u32 %r1, " + std::to_string(descriptor) +
                     ";\n@%p0 tcgen05.mma.cta_group::1.kind::" + kind + " [%r0], %rd0, %rd0, %r1, " + scales +
                     "0;\n");
    };
    constexpr std::uint32_t shape = 2U << 17 | 8U << 24, ue8m0 = 1U << 23;
    std::string const scales = "[%r0+32], [%r0+40], ";
    CHECK_THAT(multiply("f8f6f4", shape | 1U << 4 | 2U << 7, ""),
               Contains("types go with the kind, found 2, 0"));
    CHECK_THAT(multiply("f8f6f4", shape | 1U << 4 | 3U << 7 | 1U << 15, ""),
               Contains("transposes no matrix"));
    CHECK_THAT(multiply("mxf4.block_scale", shape | ue8m0 | 1U << 7 | 1U << 10 | 1U << 16, scales),
               Contains("transposes no matrix"));
    CHECK_THAT(multiply("mxf4.block_scale", shape | ue8m0, scales), Contains("types go with the kind"));
    CHECK_THAT(multiply("mxf4.block_scale", shape | 1U << 7 | 1U << 10, scales), Contains("of type .ue8m0"));
    CHECK_THAT(multiply("mxf4.block_scale", shape | ue8m0 | 1U << 7 | 1U << 10 | 1U << 4, scales),
               Contains("a multiple of how many they are, 2, found 0 and 1"));
    CHECK_THAT(multiply("mxf4.block_scale", shape | ue8m0 | 1U << 7 | 1U << 10 | 1U << 31, scales),
               Contains("96 is not supported"));
    CHECK_THAT(multiply("mxf8f6f4.block_scale", 2U << 17 | 4U << 24 | ue8m0, scales),
               Contains("a shape that tcgen05.mma") && Contains("found 64 x 16"));
    CHECK_THAT(multiply("mxf8f6f4.block_scale", shape | ue8m0, "[%r0+62], [%r0+40], "),
               Contains("found column 64"));
    CHECK_THAT(fails("mov.u32 %r2, 7;\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r0+32], %r2;\n"
                     "mov.u32 %r1, " +
                     std::to_string(shape | ue8m0) +
                     ";\n@%p0 tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%r0], %rd0, %rd0, %r1, " +
                     scales + "0;\n"),
               Contains("the same scale factors in all four quarters") && Contains("found 7 in lane 0") &&
                   Contains("0 in lane 32"));
    CHECK_THAT(fails("tcgen05.cp.cta_group::1.4x256b [%r0], %rd0;"), Contains("expected one thread"));
    CHECK_THAT(fails("@%p0 tcgen05.cp.cta_group::1.4x256b [%r0+0x200000], %rd0;"),
               Contains("from lane 0 to 31 on, found lane 32"));
    CHECK_THAT(fails("@%p0 tcgen05.cp.cta_group::1.128x128b [%r0+0x10000], %rd0;"),
               Contains("from lane 0 on, found lane 1"));
    CHECK_THAT(fails("@%p0 tcgen05.cp.cta_group::1.128x256b [%r0+60], %rd0;"), Contains("found column 64"));
    CHECK_THAT(fails("mov.u64 %rd0, 0x400000003fff; @%p0 tcgen05.cp.cta_group::1.128x256b [%r0], %rd0;"),
               Contains("out-of-range access") && Contains("shared memory"));
    CHECK_THAT(fails("@%p0 tcgen05.shift.cta_group::1.down [%r0+0x100000];"),
               Contains("a multiple of 32, found 16"));
}
