// Matrix instructions against products that are computed here, from the layouts as the PTX ISA's figures and formulas
// give them, shape by shape, and number formats decoded by their definitions.
#include "catch.hpp"
#include "harness.hpp"
#include "matrix_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace ptx_test;

namespace {

// Where a lane's i-th element lies, as the PTX ISA has it -------------------------------------------------------------

struct place {
    unsigned row;
    unsigned column;
};
struct shape {
    unsigned m;
    unsigned n;
    unsigned k;
    std::string name() const {
        std::string s = "m";
        s += std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
        return s;
    }
};
place a_place(shape const& s, format const& f, unsigned lane, unsigned i) {
    unsigned const group = lane >> 2;
    unsigned const thread = lane % 4;
    auto const either = [&](bool upper) { return upper ? group : group + 8; };
    switch (f.bits) {
    case 64:
        if (s.m == 8) return {group, thread};
        return {either(i % 2 == 0), i / 2 * 4 + thread};
    case 32:
        if (s.k == 4) return {either(i == 0), thread};
        return {either(i == 0 || i == 2), i < 2 ? thread : thread + 4};
    case 16:
        if (s.k == 8) return {either(i < 2), thread * 2 + (i & 1)};
        return {either(i < 2 || (4 <= i && i < 6)), thread * 2 + (i & 1) + (i < 4 ? 0 : 8)};
    case 8:
        if (s.m == 8) return {group, thread * 4 + i};
        if (s.k == 16) return {either(i < 4), thread * 4 + (i & 3)};
        return {either(i < 4 || (8 <= i && i < 12)), thread * 4 + (i & 3) + (i < 8 ? 0 : 16)};
    case 4:
        if (s.m == 8) return {group, thread * 8 + i};
        if (s.k == 32) return {either(i < 8), thread * 8 + (i & 7)};
        return {either(i < 8 || (16 <= i && i < 24)), thread * 8 + (i & 7) + (i < 16 ? 0 : 32)};
    default:
        if (s.m == 8) return {group, thread * 32 + i};
        if (s.k == 128) return {either(i < 32), thread * 32 + (i & 31)};
        return {either(i < 32 || (64 <= i && i < 96)), thread * 32 + (i & 31) + (i < 64 ? 0 : 128)};
    }
}
place b_place(shape const& s, format const& f, unsigned lane, unsigned i) {
    unsigned const group = lane >> 2;
    unsigned const thread = lane % 4;
    switch (f.bits) {
    case 64:
        return {thread + 4 * i, group};
    case 32:
        return {i == 0 ? thread : thread + 4, group};
    case 16:
        return {thread * 2 + (i & 1) + (i < 2 ? 0 : 8), group};
    case 8:
        return {thread * 4 + (i & 3) + (i < 4 ? 0 : 16), group};
    case 4:
        return {thread * 8 + (i & 7) + (i < 8 ? 0 : 32), group};
    default:
        static_cast<void>(s);
        return {thread * 32 + (i & 31) + (i < 32 ? 0 : 128), group};
    }
}
place c_place(shape const& s, format const&, unsigned lane, unsigned i) {
    unsigned const group = lane >> 2;
    unsigned const thread = lane % 4;
    if (s.m == 8) return {group, thread * 2 + i};
    return {i < 2 ? group : group + 8, thread * 2 + (i & 1)};
}

unsigned register_bits(format const& f) { return f.bits == 64 ? 64 : 32; }
std::string type_of_register(format const& f) { return f.bits == 64 ? "f64" : "b32"; }

// Per lane the words of a fragment, packed as `where` says.
template <class Where>
std::vector<bits> packed(codes const& m, format const& f, unsigned registers, Where where) {
    std::vector<bits> words(std::size_t{32} * registers);
    auto const per = register_bits(f) / f.bits;
    for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < registers * per; ++i) {
            place const p = where(lane, i);
            words[lane * registers + i / per] |= m(p.row, p.column) << (i % per * f.bits);
        }
    return words;
}

// Runs `instruction` with D, A, B and C in braces on these words; the words of D.
struct fragment_words {
    unsigned registers;
    format const* f;
    std::vector<bits> words;
    std::string behind = {}; ///< what stands behind it among the operands
};
std::vector<bits> run_product(std::string const& instruction, unsigned d_registers, format const& fd,
                              std::vector<fragment_words> const& sources) {
    std::string text = ".visible .entry k(.param .u64 out, .param .u64 in0, .param .u64 in1, .param .u64 "
                       "in2, .param .u64 in3, "
                       ".param .u64 in4)\n{\n.reg .b64 %x<8>;\n.reg .b32 %t<4>;\n.reg .b16 %h<4>;\nmov.b16 "
                       "%h0, 0; mov.b16 %h1, "
                       "1; mov.b16 %h2, 2; mov.b16 %h3, 3;\nmov.u32 %t0, %tid.x;\ncvt.u64.u32 %x0, %t0;\n";
    auto list = std::string(" {");
    auto const name = [](char letter, unsigned r) { return std::string("%") + letter + std::to_string(r); };
    text += ".reg ." + type_of_register(fd) + " %d<" + std::to_string(d_registers) + ">;\n";
    for (unsigned r = 0; r < d_registers; ++r) list += (r == 0 ? "" : ", ") + name('d', r);
    list += "}";
    for (unsigned s = 0; s < sources.size(); ++s) {
        auto const& source = sources[s];
        auto const letter = "abcuv"[s];
        auto const type = type_of_register(*source.f);
        text += ".reg ." + type + " %" + letter + "<" + std::to_string(source.registers) +
                ">;\nld.param.u64 %x1, [in" + std::to_string(s) + "];\nmad.lo.u64 %x1, %x0, " +
                std::to_string(8 * source.registers) + ", %x1;\n";
        list += ", {";
        for (unsigned r = 0; r < source.registers; ++r) {
            text += "ld.global." + type + " " + name(letter, r) + ", [%x1+" + std::to_string(8 * r) + "];\n";
            list += (r == 0 ? "" : ", ") + name(letter, r);
        }
        list += "}" + source.behind;
    }
    text += instruction + list + ";\nld.param.u64 %x1, [out];\nmad.lo.u64 %x1, %x0, " +
            std::to_string(8 * d_registers) + ", %x1;\n";
    for (unsigned r = 0; r < d_registers; ++r)
        text += "st.global." + type_of_register(fd) + " [%x1+" + std::to_string(8 * r) + "], " +
                name('d', r) + ";\n";
    text += "ret;\n}\n";
    machine m(module_of(text), "matrix.ptx");
    auto const out = m.upload(std::vector<bits>(std::size_t{32} * d_registers));
    std::vector<std::uint64_t> inputs;
    for (auto const& s : sources) inputs.push_back(m.upload(s.words));
    inputs.resize(5);
    m.launch("k", {1, 1, 1}, {32, 1, 1},
             arguments({out, inputs[0], inputs[1], inputs[2], inputs[3], inputs[4]}));
    for (auto const& i : m.program().instructions)
        if (i.kind == warpkit::op_class::tensor) {
            CHECK(i.matrix != warpkit::matrix_type::none);
            auto const shape = "m" + std::to_string(i.matrix_rows) + "n8k" + std::to_string(i.matrix_depth);
            CHECK(instruction.find(shape) != std::string::npos);
            return m.download<bits>(out, std::size_t{32} * d_registers);
        }
    FAIL("no tensor instruction");
    return {};
}

// Of the kinds whose elements have a byte each: one of 6 bits has the lower bits of it, one of 4 those in the middle.
format const& format_held(format const& f, bool in_bytes) {
    return in_bytes && f.bits < 8 ? format_of("u8") : f;
}
codes held(codes m, format const& f, bool in_bytes) {
    for (auto& b : m.at)
        if (in_bytes && f.bits == 4) b <<= 2;
    return m;
}

unsigned registers_of(unsigned rows, unsigned columns, format const& f) {
    return rows * columns * f.bits / 32 / register_bits(f);
}

void check_mma(shape const& s, std::string const& words, std::string const& types,
               std::string const& behind = "") {
    CAPTURE(s.name(), words, types, behind);
    std::vector<std::string> names;
    for (std::size_t at = 0; at < types.size();) {
        auto const dot = std::min(types.find('.', at), types.size());
        names.push_back(types.substr(at, dot - at));
        at = dot + 1;
    }
    auto const& fd = format_of(names[0]);
    auto const& fa = format_of(names[1]);
    auto const& fb = format_of(names[2]);
    auto const& fc = format_of(names[3]);
    bool const in_bytes = words.find("f8f6f4") != std::string::npos;
    auto const& ha = format_held(fa, in_bytes);
    auto const& hb = format_held(fb, in_bytes);
    std::mt19937_64 random(s.m * 1000 + s.k);
    for (bool const small : {true, false}) {
        auto const a = random_matrix(random, s.m, s.k, fa, small);
        auto const b = random_matrix(random, s.k, s.n, fb, small);
        auto const c = random_matrix(random, s.m, s.n, fc, small);
        auto const wanted = product(a, b, c, fa, fb, fc, fd, words + behind);
        auto const d_registers = registers_of(s.m, s.n, fd);
        auto const at = [&](auto where, format const& f) {
            return [&, where](unsigned lane, unsigned i) { return where(s, f, lane, i); };
        };
        auto const ra = registers_of(s.m, s.k, ha);
        auto const rb = registers_of(s.k, s.n, hb);
        auto const rc = registers_of(s.m, s.n, fc);
        auto const got = run_product(
            "mma.sync.aligned." + s.name() + ".row.col" + words + "." + types + behind, d_registers, fd,
            {{ra, &ha, packed(held(a, fa, in_bytes), ha, ra, at(a_place, ha))},
             {rb, &hb, packed(held(b, fb, in_bytes), hb, rb, at(b_place, hb))},
             {rc, &fc, packed(c, fc, rc, at(c_place, fc))}});
        auto const expected = packed(wanted, fd, d_registers, at(c_place, fd));
        unsigned wrong = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            auto const per = register_bits(fd) / fd.bits;
            for (unsigned e = 0; e < per; ++e) {
                auto const ones = fd.bits == 64 ? ~bits{0} : (bits{1} << fd.bits) - 1;
                if (!same(got[i] >> (e * fd.bits) & ones, expected[i] >> (e * fd.bits) & ones, fd)) ++wrong;
            }
        }
        CHECK(wrong == 0);
    }
}

} // namespace

TEST_CASE("mma: all shapes and types", "[ptx][matrices]") {
    for (unsigned const k : {8U, 16U}) {
        check_mma({16, 8, k}, "", "f32.f16.f16.f32");
        check_mma({16, 8, k}, "", "f16.f16.f16.f16");
        check_mma({16, 8, k}, "", "f32.bf16.bf16.f32");
    }
    for (unsigned const k : {4U, 8U}) check_mma({16, 8, k}, "", "f32.tf32.tf32.f32");
    check_mma({8, 8, 4}, "", "f64.f64.f64.f64");
    for (unsigned const k : {4U, 8U, 16U}) check_mma({16, 8, k}, "", "f64.f64.f64.f64");
    for (std::string const limit : {"", ".satfinite"}) {
        for (std::string const types : {"s32.s8.s8.s32", "s32.u8.u8.s32", "s32.s8.u8.s32", "s32.u8.s8.s32"})
            for (auto const& s : {shape{8, 8, 16}, shape{16, 8, 16}, shape{16, 8, 32}})
                check_mma(s, limit, types);
        for (std::string const types : {"s32.s4.s4.s32", "s32.u4.u4.s32", "s32.s4.u4.s32", "s32.u4.s4.s32"})
            for (auto const& s : {shape{8, 8, 32}, shape{16, 8, 32}, shape{16, 8, 64}})
                check_mma(s, limit, types);
    }
    for (std::string const behind : {".xor.popc", ".and.popc"})
        for (auto const& s : {shape{8, 8, 128}, shape{16, 8, 128}, shape{16, 8, 256}})
            check_mma(s, "", "s32.b1.b1.s32", behind);
    for (std::string const a : {"e4m3", "e5m2"})
        for (std::string const b : {"e4m3", "e5m2"})
            for (std::string const d : {"f16", "f32"})
                for (unsigned const k : {16U, 32U})
                    for (std::string const kind : {"", ".kind::f8f6f4"})
                        check_mma({16, 8, k}, kind, d + "." + a + "." + b + "." + d);
}

TEST_CASE("mma.kind::f8f6f4: elements of 8, 6 and 4 bits, mixed", "[ptx][matrices]") {
    for (std::string const a : {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1"})
        for (std::string const b : {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1"})
            for (std::string const d : {"f16", "f32"})
                check_mma({16, 8, 32}, ".kind::f8f6f4", d + "." + a + "." + b + "." + d);
}

namespace {

// A product of 16 rows, 8 columns and `k`, each row of A and column of B with `count` scale factors, those from byte
// `byte` on of the words that thread pair `pair` of a quad has for A, and thread `thread` for B.
struct scaled_case {
    std::string kind, vectors, a, b, scale;
    unsigned k, count, byte_a, pair, byte_b, thread;
    bool kind_first;
    bool registers; ///< have the numbers
};
void check_scaled(scaled_case const& t) {
    CAPTURE(t.kind, t.vectors, t.a, t.b, t.scale, t.byte_a, t.pair, t.byte_b, t.thread, t.kind_first);
    auto const& fa = format_of(t.a);
    auto const& fb = format_of(t.b);
    auto const& fd = format_of("f32");
    bool const in_bytes = t.k == 32;
    auto const& ha = format_held(fa, in_bytes);
    auto const& hb = format_held(fb, in_bytes);
    shape const s{16, 8, t.k};
    std::mt19937_64 random(t.k + 10 * t.byte_a + 100 * t.thread);
    auto const a = random_matrix(random, 16, t.k, fa, false);
    auto const b = random_matrix(random, t.k, 8, fb, false);
    auto const c = random_matrix(random, 16, 8, fd, false);
    std::vector<bits> words_a(32), words_b(32); // what does not count is anything
    for (auto* words : {&words_a, &words_b})
        for (auto& w : *words) w = random() & 0xffffffff;
    auto const scales = [&](std::vector<bits>& words, unsigned lane, unsigned byte) {
        std::vector<double> values;
        for (unsigned j = 0; j < t.count; ++j) {
            auto const code = t.scale == "ue4m3"   ? random() % 127
                              : random() % 50 == 0 ? 255
                                                   : 120 + random() % 14;
            words[lane] = (words[lane] & ~(bits{0xff} << 8 * (byte + j))) | code << 8 * (byte + j);
            values.push_back(t.scale == "ue4m3" ? static_cast<double>(value_of(format_of("e4m3"), code))
                             : code == 255      ? std::nan("")
                                                : std::ldexp(1.0, static_cast<int>(code) - 127));
        }
        return values;
    };
    std::vector<std::vector<double>> scale_a, scale_b;
    for (unsigned row = 0; row < 16; ++row)
        scale_a.push_back(scales(words_a, row % 8 * 4 + 2 * t.pair + row / 8, t.byte_a));
    for (unsigned n = 0; n < 8; ++n) scale_b.push_back(scales(words_b, n * 4 + t.thread, t.byte_b));
    codes wanted(16, 8);
    for (unsigned row = 0; row < 16; ++row)
        for (unsigned n = 0; n < 8; ++n) {
            auto sum = static_cast<double>(value_of(fd, c(row, n)));
            for (unsigned i = 0; i < t.k; ++i)
                sum += static_cast<double>(value_of(fa, a(row, i))) * scale_a[row][i * t.count / t.k] *
                       (static_cast<double>(value_of(fb, b(i, n))) * scale_b[n][i * t.count / t.k]);
            wanted(row, n) = narrowed(sum, fd);
        }
    auto const at = [&](auto where, format const& f) {
        return [&, where](unsigned lane, unsigned i) { return where(s, f, lane, i); };
    };
    auto const ra = registers_of(16, t.k, ha), rb = registers_of(t.k, 8, hb);
    auto const selector = [&](unsigned byte, unsigned thread) {
        auto const number = [&](unsigned n) {
            return t.registers ? "%h" + std::to_string(n) : std::to_string(n);
        };
        return ", {" + number(byte) + ", " + number(thread) + "}";
    };
    auto const kind = ".kind::" + t.kind + ".block_scale" + t.vectors;
    auto const got = run_product(
        "mma.sync.aligned" +
            (t.kind_first ? kind + "." + s.name() + ".row.col" : "." + s.name() + ".row.col" + kind) +
            ".f32." + t.a + "." + t.b + ".f32." + t.scale,
        4, fd,
        {{ra, &ha, packed(held(a, fa, in_bytes), ha, ra, at(a_place, ha))},
         {rb, &hb, packed(held(b, fb, in_bytes), hb, rb, at(b_place, hb))},
         {4, &fd, packed(c, fd, 4, at(c_place, fd))},
         {1, &fd, words_a, selector(t.byte_a, t.pair)},
         {1, &fd, words_b, selector(t.byte_b, t.thread)}});
    CHECK(got == packed(wanted, fd, 4, at(c_place, fd)));
}

} // namespace

TEST_CASE("mma with .block_scale: kinds, types, factors and which registers have them", "[ptx][matrices]") {
    unsigned turn = 0;
    for (std::string const a : {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1"})
        for (std::string const b : {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1"}) {
            check_scaled({"mxf8f6f4", turn % 3 == 0 ? "" : ".scale_vec::1X", a, b, "ue8m0", 32, 1, turn % 4,
                          turn / 4 % 2, turn / 2 % 4, turn / 3 % 4, turn % 2 == 0, turn % 5 == 0});
            ++turn;
        }
    for (unsigned i = 0; i < 8; ++i) {
        auto const last = i % 2 == 0;
        check_scaled({"mxf4", last ? "" : ".scale_vec::2X", "e2m1", "e2m1", "ue8m0", 64, 2, last ? 2U : 0U,
                      i / 2 % 2, i < 4 ? 2U : 0U, i % 4, i % 3 == 0, i % 3 == 1});
        check_scaled({"mxf4nvf4", ".scale_vec::2X", "e2m1", "e2m1", "ue8m0", 64, 2, last ? 0U : 2U, i / 4, 2,
                      i % 4, last, last});
        check_scaled({"mxf4nvf4", ".scale_vec::4X", "e2m1", "e2m1", last ? "ue4m3" : "ue8m0", 64, 4, 0, i / 4,
                      0, i % 4, i < 4, i % 3 == 0});
    }
}

TEST_CASE("mma.m8n8k4 of .f16: four products by quad pairs", "[ptx][matrices]") {
    // PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type".
    auto const& half = format_of("f16");
    std::mt19937_64 random(4);
    for (bool const a_columns : {false, true})
        for (bool const b_columns : {false, true})
            for (auto const& [d_type, c_type] : {std::pair{"f32", "f32"}, {"f16", "f16"}, {"f16", "f32"}}) {
                auto const& fd = format_of(d_type);
                auto const& fc = format_of(c_type);
                auto const sum_place = [](format const& f, unsigned lane, unsigned i) {
                    if (f.bits == 16) return place{lane < 16 ? lane % 4 : lane % 4 + 4, i};
                    unsigned const x = (lane & 1) + (i & 2);
                    return place{lane < 16 ? x : x + 4, (i & 4) + (lane & 2) + (i & 1)};
                };
                std::vector<bits> words[4];
                words[0].resize(32 * 2);
                words[1].resize(32 * 2);
                words[2].resize(32 * std::size_t{c_type == std::string("f32") ? 8U : 4U});
                words[3].resize(32 * std::size_t{d_type == std::string("f32") ? 8U : 4U});
                for (unsigned quad = 0; quad < 4; ++quad) {
                    auto const a = random_matrix(random, 8, 4, half, false);
                    auto const b = random_matrix(random, 4, 8, half, false);
                    auto const c = random_matrix(random, 8, 8, fc, false);
                    auto const d = product(a, b, c, half, half, fc, fd, "");
                    for (unsigned const first : {4 * quad, 4 * quad + 16})
                        for (unsigned lane = first; lane < first + 4; ++lane) {
                            bool const low = lane < 16;
                            for (unsigned i = 0; i < 4; ++i) {
                                auto const x = a_columns ? a(low ? i : i + 4, lane % 4)
                                                         : a(low ? lane % 4 : lane % 4 + 4, i);
                                auto const y = b_columns ? b(i, low ? lane % 4 : lane % 4 + 4)
                                                         : b(lane % 4, low ? i : i + 4);
                                words[0][lane * 2 + i / 2] |= x << (16 * (i % 2));
                                words[1][lane * 2 + i / 2] |= y << (16 * (i % 2));
                            }
                            for (unsigned i = 0; i < 8; ++i) {
                                auto const pc = sum_place(fc, lane, i);
                                auto const pd = sum_place(fd, lane, i);
                                if (fc.bits == 32)
                                    words[2][lane * 8 + i] = c(pc.row, pc.column);
                                else
                                    words[2][lane * 4 + i / 2] |= c(pc.row, pc.column) << (16 * (i % 2));
                                if (fd.bits == 32)
                                    words[3][lane * 8 + i] = d(pd.row, pd.column);
                                else
                                    words[3][lane * 4 + i / 2] |= d(pd.row, pd.column) << (16 * (i % 2));
                            }
                        }
                }
                auto const layout = [](bool columns) { return std::string(columns ? ".col" : ".row"); };
                auto const got = run_product(
                    "mma.sync.aligned.m8n8k4" + layout(a_columns) + layout(b_columns) + "." + d_type +
                        ".f16.f16." + c_type,
                    fd.bits == 32 ? 8 : 4, fd,
                    {{2, &half, words[0]}, {2, &half, words[1]}, {fc.bits == 32 ? 8U : 4U, &fc, words[2]}});
                CHECK(got == words[3]);
            }
}

namespace {
struct wmma_case {
    shape s;
    std::string a;
    std::string b;
    std::string c;
    std::string d;
    std::string words; ///< of wmma.mma, in front of it and behind
    std::string behind;
    unsigned a_registers;
    unsigned b_registers;
};
// A matrix in memory: rows or columns, `stride` elements apart.
std::vector<std::uint8_t> stored(codes const& m, format const& f, bool columns, unsigned stride) {
    auto const lines = columns ? m.columns : m.rows;
    std::vector<std::uint8_t> bytes(std::size_t{lines} * stride * f.bits / 8);
    for (unsigned r = 0; r < m.rows; ++r)
        for (unsigned c = 0; c < m.columns; ++c) {
            auto const at = std::size_t{columns ? c * stride + r : r * stride + c} * f.bits;
            for (unsigned b = 0; b < f.bits; ++b)
                if ((m(r, c) >> b & 1) != 0)
                    bytes[(at + b) / 8] = static_cast<std::uint8_t>(bytes[(at + b) / 8] | 1U << (at + b) % 8);
        }
    return bytes;
}
std::string registers_named(char letter, unsigned n) {
    std::string list = "{";
    for (unsigned r = 0; r < n; ++r) list += (r == 0 ? "%" : ", %") + (letter + std::to_string(r));
    return list + "}";
}
void check_wmma(wmma_case const& w, bool a_columns, bool b_columns, bool c_columns, bool d_columns,
                bool padded, bool shared) {
    auto const& fa = format_of(w.a);
    auto const& fb = format_of(w.b);
    auto const& fc = format_of(w.c);
    auto const& fd = format_of(w.d);
    auto const& s = w.s;
    CAPTURE(s.name(), w.a, w.b, w.c, w.d, w.words, w.behind, a_columns, b_columns, c_columns, d_columns,
            padded, shared);
    std::mt19937_64 random(s.m * 100 + s.k + w.words.size());
    for (bool const small : {true, false}) {
        auto const a = random_matrix(random, s.m, s.k, fa, small);
        auto const b = random_matrix(random, s.k, s.n, fb, small);
        auto const c = random_matrix(random, s.m, s.n, fc, small);
        auto const stride = [&](unsigned rows, unsigned columns, bool by_columns, format const& f) {
            return (by_columns ? rows : columns) + (padded ? 16 * 8 / f.bits : 0);
        };
        auto const sa = stride(s.m, s.k, a_columns, fa);
        auto const sb = stride(s.k, s.n, b_columns, fb);
        auto const sc = stride(s.m, s.n, c_columns, fc);
        auto const sd = stride(s.m, s.n, d_columns, fd);
        auto const c_registers = s.m * s.n * fc.bits / 32 / (fc.bits == 64 ? 64 : 32);
        auto const d_registers = s.m * s.n * fd.bits / 32 / (fd.bits == 64 ? 64 : 32);
        std::string text =
            ".visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b, .param .u64 c)\n{\n"
            ".reg .b64 %x<8>;\n.reg .b32 %t<4>;\n.shared .align 32 .b8 tile[8192];\n";
        auto const declare = [&](char letter, unsigned n, format const& f) {
            text += std::string(".reg .") +
                    (f.bits == 64      ? "f64"
                     : f.name == "f32" ? "f32"
                                       : "b32") +
                    " %" + letter + "<" + std::to_string(n) + ">;\n";
        };
        declare('a', w.a_registers, fa);
        declare('b', w.b_registers, fb);
        declare('c', c_registers, fc);
        declare('d', d_registers, fd);
        auto const move = [&](char which, unsigned registers, bool columns, format const& f,
                              unsigned elements) {
            text +=
                std::string("ld.param.u64 %x1, [") + (which == 'd' ? "out" : std::string(1, which)) + "];\n";
            auto const form = std::string(columns ? ".col." : ".row.") + s.name();
            auto const behind = std::string(padded ? ", %t1" : "") + ";\n";
            if (padded) text += "mov.u32 %t1, " + std::to_string(elements) + ";\n";
            auto const list = registers_named(which, registers);
            if (which == 'd')
                text += "wmma.store.d.sync.aligned" + form + ".global." + f.name + " [%x1], " + list + behind;
            else if (shared && which != 'c') { // by way of shared memory
                text += "mov.u32 %t2, %tid.x;\nmov.u32 %t3, tile;\n";
                text +=
                    "LOOP" + std::string(1, which) +
                    ":\n{ .reg .pred %p; .reg .b16 %h; .reg .b32 %s; .reg .b64 %y;\n"
                    "cvt.u64.u32 %y, %t2; add.u64 %y, %y, %x1; add.u32 %s, %t2, %t3;\nsetp.lt.u32 %p, %t2, " +
                    std::to_string((columns ? (which == 'a' ? s.k : s.n) : (which == 'a' ? s.m : s.k)) *
                                   elements * f.bits / 8) +
                    ";\n@%p ld.global.u8 %h, [%y];\n@%p st.shared.u8 [%s], %h;\nadd.u32 %t2, %t2, 32;\n"
                    "setp.lt.u32 %p, %t2, 8192;\n@%p bra LOOP" +
                    std::string(1, which) + ";\n}\nbar.sync 0;\n";
                if (padded) text += "mov.u32 %t1, " + std::to_string(elements) + ";\n";
                text += std::string("wmma.load.") + which + ".sync.aligned" + form + ".shared." + f.name +
                        " " + list + ", [%t3]" + behind + "bar.sync 0;\n";
            } else
                text += std::string("wmma.load.") + which + ".sync.aligned" + form + "." + f.name + " " +
                        list + ", [%x1]" + behind;
        };
        move('a', w.a_registers, a_columns, fa, sa);
        move('b', w.b_registers, b_columns, fb, sb);
        move('c', c_registers, c_columns, fc, sc);
        auto const layout = [](bool columns) { return std::string(columns ? ".col" : ".row"); };
        auto const types =
            w.a == "f16" ? "." + w.d + "." + w.c : "." + w.d + "." + w.a + "." + w.b + "." + w.c;
        text += "wmma.mma" + w.words + ".sync.aligned" + layout(a_columns) + layout(b_columns) + "." +
                s.name() + types + w.behind + " " + registers_named('d', d_registers) + ", " +
                registers_named('a', w.a_registers) + ", " + registers_named('b', w.b_registers) + ", " +
                registers_named('c', c_registers) + ";\n";
        move('d', d_registers, d_columns, fd, sd);
        text += "ret;\n}\n";
        machine m(module_of(text), "wmma.ptx");
        auto const wanted = stored(product(a, b, c, fa, fb, fc, fd, w.words + w.behind), fd, d_columns, sd);
        auto const out = m.upload(std::vector<std::uint8_t>(wanted.size()));
        m.launch("k", {1, 1, 1}, {32, 1, 1},
                 arguments({out, m.upload(stored(a, fa, a_columns, sa)),
                            m.upload(stored(b, fb, b_columns, sb)), m.upload(stored(c, fc, c_columns, sc))}));
        auto const got = m.download<std::uint8_t>(out, wanted.size());
        if (w.a == "f64") {
            unsigned wrong = 0;
            for (std::size_t i = 0; i < got.size(); i += 8) {
                bits x = 0;
                bits y = 0;
                std::memcpy(&x, &got[i], 8);
                std::memcpy(&y, &wanted[i], 8);
                wrong += same(x, y, fd) ? 0 : 1;
            }
            CHECK(wrong == 0);
        } else {
            CHECK(got == wanted);
        }
    }
}
} // namespace

TEST_CASE("wmma: load, multiply and store in all shapes, types and layouts", "[ptx][matrices]") {
    std::vector<wmma_case> cases;
    for (auto const& s : {shape{16, 16, 16}, shape{8, 32, 16}, shape{32, 8, 16}}) {
        for (std::string const d : {"f16", "f32"})
            for (std::string const c : {"f16", "f32"}) cases.push_back({s, "f16", "f16", c, d, "", "", 8, 8});
        auto const a16 = s.m / 4;
        auto const b16 = s.n / 4;
        cases.push_back({s, "bf16", "bf16", "f32", "f32", "", "", a16, b16});
        for (std::string const t : {"s8", "u8"})
            for (std::string const limit : {"", ".satfinite"})
                cases.push_back({s, t, t, "s32", "s32", "", limit, a16 / 2, b16 / 2});
    }
    cases.push_back({{16, 16, 8}, "tf32", "tf32", "f32", "f32", "", "", 4, 4});
    cases.push_back({{8, 8, 4}, "f64", "f64", "f64", "f64", "", "", 1, 1});
    for (auto const& w : cases)
        for (unsigned n = 0; n < 16; ++n)
            check_wmma(w, (n & 1) != 0, (n & 2) != 0, (n & 4) != 0, (n & 8) != 0, n % 3 != 0, n % 5 == 0);
    for (std::string const t : {"s4", "u4"})
        for (std::string const limit : {"", ".satfinite"})
            for (unsigned n = 0; n < 4; ++n)
                check_wmma({{8, 8, 32}, t, t, "s32", "s32", "", limit, 1, 1}, false, true, n % 2 != 0, n > 1,
                           n == 1, n == 2);
    for (std::string const op : {".xor.popc", ".and.popc"})
        check_wmma({{8, 8, 128}, "b1", "b1", "s32", "s32", op, "", 1, 1}, false, true, false, true, true,
                   true);
}

TEST_CASE("wmma: each lane's part of a matrix stands in the stream", "[ptx][matrices]") {
    machine m(module_of(kernel_of(R"(
wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%out], 32;)")));
    auto const out = m.upload(std::vector<std::uint16_t>(16 * 32));
    m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out}));
    auto const& warp = m.streams()[0].warps[0];
    unsigned seen = 0;
    for (warpkit::stream_cursor at(warp); !at.done();) {
        auto const& i = m.program().instructions[at.instruction()];
        if (i.kind == warpkit::op_class::load && i.space == warpkit::memory_space::global) {
            CHECK(i.access_bytes == 16);
            CHECK(i.destinations == 8);
            warpkit::lane_addresses a{};
            at.addresses(warp, a);
            for (unsigned l = 0; l < 32; ++l) CHECK(a[l] == out + l / 2 * 64 + l % 2 * 16);
            ++seen;
        }
        at.advance(warp, i);
    }
    CHECK(seen == 1);
}

TEST_CASE("ldmatrix and stmatrix: rows that lanes name", "[ptx][matrices]") {
    // Rows of 16 bytes, a permutation of 32 places 48 bytes apart; element (row, column) of matrix i is its number.
    for (unsigned const count : {1U, 2U, 4U})
        for (bool const transposed : {false, true})
            for (std::string const space : {".shared", ".shared::cta", "", ".m8n8.shared"}) {
                bool const shape_last = space.rfind(".m8n8", 0) == 0; // as ptxas takes it, too
                CAPTURE(count, transposed, space);
                auto const place = [](unsigned row) { return row * 13 % 32 * 48; };
                std::string const form =
                    std::string(shape_last ? ".sync.aligned.x" : ".sync.aligned.m8n8.x") +
                    std::to_string(count) + (transposed ? ".trans" : "") + space + ".b16 ";
                std::string const list = count == 1   ? "%r0"
                                         : count == 2 ? "{%r0, %r1}"
                                                      : "{%r0, %r1, %r2, %r3}";
                std::string const base = R"(
mul.lo.u32 %r10, %r31, 13; and.b32 %r10, %r10, 31; mul.lo.u32 %r10, %r10, 48;
mov.u32 %r11, tile; cvta.shared.u64 %rd2, tile; add.u32 %r11, %r11, %r10; cvt.u64.u32 %rd1, %r10; add.u64 %rd2, %rd2, %rd1;
)";
                // Each lane fills the row that it names: elements 8 lane + column.
                std::string fill;
                for (unsigned c = 0; c < 8; ++c)
                    fill += "mad.lo.u32 %r12, %r31, 8, " + std::to_string(c) +
                            "; cvt.u16.u32 %h0, %r12; st.shared.u16 [%r11+" + std::to_string(2 * c) +
                            "], %h0;\n";
                std::string const before = ".shared .align 16 .b8 tile[1600];\n";
                auto const address = std::string(space.empty() ? "[%rd2]" : "[%r11]");
                std::string save = "mul.wide.u32 %rd3, %r31, 16; add.u64 %rd3, %rd3, %out;\n";
                for (unsigned i = 0; i < count; ++i)
                    save +=
                        "st.global.u32 [%rd3+" + std::to_string(4 * i) + "], %r" + std::to_string(i) + ";\n";
                auto const loaded = run<std::uint32_t>(base + fill + "bar.sync 0;\nldmatrix" + form + list +
                                                           ", " + address + ";\n" + save,
                                                       128, 32, before);
                for (unsigned lane = 0; lane < 32; ++lane)
                    for (unsigned i = 0; i < count; ++i)
                        for (unsigned e = 0; e < 2; ++e) {
                            auto row = lane / 4;
                            auto column = lane % 4 * 2 + e;
                            if (transposed) std::swap(row, column);
                            CHECK((loaded[lane * 4 + i] >> (16 * e) & 0xffff) == 8 * (8 * i + row) + column);
                        }
                // The way back: register i of a lane has 4 lane + 2 i and the next.
                std::string put;
                for (unsigned i = 0; i < count; ++i)
                    put += "mad.lo.u32 %r" + std::to_string(i) + ", %r31, 8, " + std::to_string(2 * i) +
                           "; add.u32 %r13, %r" + std::to_string(i) +
                           ", 1; shl.b32 %r13, %r13, 16; or.b32 %r" + std::to_string(i) + ", %r" +
                           std::to_string(i) + ", %r13;\n";
                std::string copy = "mul.wide.u32 %rd3, %r31, 16; add.u64 %rd3, %rd3, %out;\n";
                for (unsigned w = 0; w < 4; ++w)
                    copy += "ld.shared.u32 %r14, [%r11+" + std::to_string(4 * w) + "]; st.global.u32 [%rd3+" +
                            std::to_string(4 * w) + "], %r14;\n";
                auto const kept = run<std::uint16_t>(base + put + "stmatrix" + form + address + ", " + list +
                                                         ";\nbar.sync 0;\n" + copy,
                                                     256, 32, before);
                for (unsigned row = 0; row < 8 * count; ++row)
                    for (unsigned column = 0; column < 8; ++column) {
                        auto r = row % 8;
                        auto c = column;
                        if (transposed) std::swap(r, c);
                        CHECK(kept[row * 8 + column] == 8 * (4 * r + c / 2) + 2 * (row / 8) + c % 2);
                    }
                static_cast<void>(place);
            }
}

TEST_CASE("movmatrix transposes what a warp holds", "[ptx][matrices]") {
    auto const got = run<std::uint16_t>(R"(
mul.lo.u32 %r0, %r31, 2; add.u32 %r1, %r0, 1; shl.b32 %r1, %r1, 16; or.b32 %r0, %r0, %r1;
movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r0;
mul.wide.u32 %rd1, %r31, 4; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1], %r2;)",
                                        64);
    for (unsigned row = 0; row < 8; ++row)
        for (unsigned column = 0; column < 8; ++column) CHECK(got[row * 8 + column] == column * 8 + row);
}

TEST_CASE("Matrix instructions: what does not fit is refused", "[ptx][matrices]") {
    using Catch::Contains;
    auto const says = [](std::string const& body) { return lower_error(module_of(kernel_of(body))); };
    auto const mma = [&](std::string const& form, std::string const& d, std::string const& a,
                         std::string const& b, std::string const& c) {
        return says("mma.sync.aligned." + form + " " + d + ", " + a + ", " + b + ", " + c + ";");
    };
    CHECK(mma("m16n8k16.row.col.f32.f16.f16.f32", "{%f0,%f1,%f2,%f3}", "{%r0,%r1,%r2,%r3}", "{%r4,%r5}",
              "{%f4,%f5,%f6,%f7}") == "");
    CHECK_THAT(mma("m16n8k16.row.col.f32.f16.f16.f32", "{%f0,%f1,%f2}", "{%r0,%r1,%r2,%r3}", "{%r4,%r5}",
                   "{%f4,%f5,%f6,%f7}"),
               Contains("t.ptx:16:") && Contains("operand 1") &&
                   Contains("a vector of 4 registers of type .f32"));
    CHECK_THAT(mma("m16n8k16.row.col.f32.f16.f16.f32", "{%f0,%f1,%f2,%f3}", "{%r0,%r1}", "{%r4,%r5}",
                   "{%f4,%f5,%f6,%f7}"),
               Contains("operand 2") && Contains("a vector of 4 registers of type .f16x2"));
    CHECK_THAT(
        mma("m16n8k16.row.col.s32.s8.s8.s32", "{%f0,%f1,%f2,%f3}", "{%r0,%r1}", "{%r4}", "{%r4,%r5,%r6,%r7}"),
        Contains("operand 1") && Contains("a register of type .s32"));
    CHECK_THAT(mma("m16n8k16.row.col.f32.f16.f16.f16", "{%f0,%f1,%f2,%f3}", "{%r0,%r1,%r2,%r3}", "{%r4,%r5}",
                   "{%r6,%r7}"),
               Contains("do not go together"));
    CHECK_THAT(mma("m16n8k7.row.col.f32.f16.f16.f32", "{%f0}", "{%r0}", "{%r4}", "{%f4}"),
               Contains("unknown form") && Contains("m16n8k8|m16n8k16"));
    CHECK_THAT(mma("m16n8k16.col.col.f32.f16.f16.f32", "{%f0}", "{%r0}", "{%r4}", "{%f4}"),
               Contains("unknown form"));
    CHECK_THAT(mma("m8n8k128.row.col.s32.b1.b1.s32.or.popc", "{%r0,%r1}", "{%r2}", "{%r3}", "{%r4,%r5}"),
               Contains("do not go together"));
    CHECK_THAT(says("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0}, [%r1];"),
               Contains("a vector of 2 registers"));
    CHECK_THAT(says("ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%r0}, [%r1];"), Contains("unknown form"));
    CHECK_THAT(says("tcgen05.mma.ws.cta_group::2.kind::f16 [%r0], %rd0, %rd1, %r1, %p0;"),
               Contains("t.ptx:16:1: kernel k: tcgen05.mma.ws.cta_group::2.kind::f16 is not supported"));
    auto const scaled = [](std::string const& form, std::string const& selectors) {
        return "mma.sync.aligned." + form +
               " {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r6, " + selectors + ";";
    };
    std::string const mxf4 = "m16n8k64.row.col.kind::mxf4.block_scale";
    for (auto const& form :
         {mxf4 + ".scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0", mxf4 + ".f32.e2m1.e2m1.f32.ue4m3",
          std::string("m16n8k64.row.col.kind::mxf4nvf4.block_scale.f32.e2m1.e2m1.f32.ue8m0"),
          std::string("m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e2m1.f32.ue4m3")})
        CHECK_THAT(says(scaled(form, "{0, 0}, %r7, {0, 0}")), Contains("do not go together"));
    auto const good = mxf4 + ".f32.e2m1.e2m1.f32.ue8m0";
    CHECK_THAT(says(scaled(good, "0, %r7, {0, 0}")),
               Contains("operand 6") && Contains("a vector of 2 registers"));
    CHECK_THAT(says(scaled("m16n8k32.row.col.f32.e2m1.e2m1.f32", "{0, 0}, %r7, {0, 0}")),
               Contains("unknown form"));
    CHECK(run_error(scaled(good, "{2, 1}, %r7, {0, 3}")).empty());
    CHECK_THAT(run_error(scaled(good, "{1, 1}, %r7, {0, 3}")),
               Contains("the number of a byte and of a thread that have scale factors, found 1 and 1"));
    CHECK_THAT(run_error(scaled(good, "{0, 2}, %r7, {0, 3}")), Contains("found 0 and 2"));
    CHECK_THAT(run_error("cvt.u16.u32 %h0, %r31;\n" + scaled(good, "{0, 1}, %r7, {%h0, 3}")),
               Contains("one selector of scale factors in all lanes") && Contains("lanes 0x2:"));
    CHECK_THAT(parse_error(module_of(".visible .entry k()\n{\n.reg .e4m3 %r0;\nret;\n}\n")),
               Contains("expected a type"));

    // While it runs.
    std::string const load = "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, ";
    CHECK_THAT(run_error("setp.lt.u32 %p0, %r31, 16;\n@%p0 bra DONE;\n" + load + "[%out];\nDONE:"),
               Contains("t.ptx:18") && Contains("expected all 32 lanes") && Contains("lanes 0xffff0000"));
    CHECK_THAT(run_error(load + "[%out];", 16), Contains("expected all 32 lanes"));
    CHECK_THAT(run_error("cvt.u64.u32 %rd0, %r31; shl.b64 %rd0, %rd0, 5; add.u64 %rd0, %rd0, %out;\n" + load +
                         "[%rd0];"),
               Contains("expected one address and one stride"));
    CHECK_THAT(run_error(load + "[%out], 20;"),
               Contains("expected a stride of a multiple of 8 elements, found 20"));
    CHECK_THAT(run_error(load + "[%out], 512;"), Contains("out-of-range") && Contains("16 bytes"));
    CHECK_THAT(run_error("add.u64 %rd0, %out, 2;\n" + load + "[%rd0];"), Contains("misaligned"));
    CHECK_THAT(run_error("ldmatrix.sync.aligned.m8n8.x1.b16 %r0, [%out];"),
               Contains("non-shared access") && Contains("global"));
    CHECK_THAT(run_error("mov.u32 %r1, 8;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 %r0, [%r1];", 32, 100000,
                         64, ".shared .align 16 .b8 tile[64];\n"),
               Contains("misaligned") || Contains("out-of-range"));
}
