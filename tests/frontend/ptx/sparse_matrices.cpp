// mma.sp against products of what is stored alone, with fragments laid out as the PTX ISA has them, and metadata as
// CUTLASS does (host_reorder.h, reorder_meta), type by type.
#include "catch.hpp"
#include "harness.hpp"
#include "matrix_numbers.hpp"
#include "sparse_codes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace ptx_test;
using Catch::Contains;

namespace {

sparse_form const forms[] = {
    {16, "f32.f16.f16.f32", 4, 1, 4},   {16, "f16.f16.f16.f16", 4, 1, 4},
    {32, "f32.f16.f16.f32", 4, 1, 2},   {32, "f16.f16.f16.f16", 4, 1, 2},
    {16, "f32.bf16.bf16.f32", 4, 1, 4}, {32, "f32.bf16.bf16.f32", 4, 1, 2},
    {8, "f32.tf32.tf32.f32", 2, 1, 4},  {16, "f32.tf32.tf32.f32", 2, 1, 2},
    {32, "s32.s8.u8.s32", 4, 1, 2},     {32, "s32.u8.s8.s32", 4, 1, 2},
    {64, "s32.s8.s8.s32", 4, 1, 1},     {64, "s32.s4.u4.s32", 8, 2, 2},
    {128, "s32.u4.s4.s32", 8, 2, 1},    {64, "f32.e4m3.e5m2.f32", 4, 1, 1},
    {64, "f32.e5m2.e5m2.f32", 4, 1, 1}, {64, "f16.e4m3.e4m3.f16", 4, 1, 1},
};

std::string run_sparse(std::string const& instruction, std::array<unsigned, 4> registers,
                       std::array<std::vector<std::uint32_t>, 3> const& words,
                       std::vector<std::uint32_t> const& metadata, std::string const& selector,
                       std::vector<std::uint32_t>* result) {
    std::string text =
        ".visible .entry k(.param .u64 out, .param .u64 in0, .param .u64 in1, .param .u64 in2, .param "
        ".u64 in3)\n{\n.reg .b64 %x<4>;\n.reg .b32 %e, %t0;\nmov.u32 %t0, %tid.x;\ncvt.u64.u32 %x0, "
        "%t0;\nld.param.u64 %x1, [in3];\nmad.lo.u64 %x1, %x0, 4, %x1;\nld.global.b32 %e, [%x1];\n";
    std::string list;
    for (unsigned m = 0; m < 4; ++m) {
        auto const name = std::string("%") + "dabc"[m];
        text += ".reg .b32 " + name + "<" + std::to_string(registers[m]) + ">;\n";
        if (m != 0)
            text += "ld.param.u64 %x1, [in" + std::to_string(m - 1) + "];\nmad.lo.u64 %x1, %x0, " +
                    std::to_string(4 * registers[m]) + ", %x1;\n";
        list += m == 0 ? " {" : ", {";
        for (unsigned r = 0; r < registers[m]; ++r) {
            if (m != 0)
                text +=
                    "ld.global.b32 " + name + std::to_string(r) + ", [%x1+" + std::to_string(4 * r) + "];\n";
            list += (r == 0 ? "" : ", ") + name + std::to_string(r);
        }
        list += "}";
    }
    text += instruction + list + ", %e, " + selector + ";\nld.param.u64 %x1, [out];\nmad.lo.u64 %x1, %x0, " +
            std::to_string(4 * registers[0]) + ", %x1;\n";
    for (unsigned r = 0; r < registers[0]; ++r)
        text += "st.global.b32 [%x1+" + std::to_string(4 * r) + "], %d" + std::to_string(r) + ";\n";
    text += "ret;\n}\n";
    try {
        machine m(module_of(text), "sparse.ptx");
        auto const out = m.upload(std::vector<std::uint32_t>(std::size_t{32} * registers[0]));
        m.launch(
            "k", {1, 1, 1}, {32, 1, 1},
            arguments({out, m.upload(words[0]), m.upload(words[1]), m.upload(words[2]), m.upload(metadata)}));
        for (auto const& i : m.program().instructions)
            if (i.kind == warpkit::op_class::tensor) CHECK(i.matrix != warpkit::matrix_type::none);
        if (result != nullptr) *result = m.download<std::uint32_t>(out, std::size_t{32} * registers[0]);
    } catch (warpkit::error const& e) {
        return e.what();
    }
    return {};
}

std::vector<std::string> split_types(std::string const& types) {
    std::vector<std::string> names(1);
    for (char const c : types)
        if (c == '.')
            names.emplace_back();
        else
            names.back() += c;
    return names;
}

void check_sparse(sparse_form const& f, bool small, bool ordered, unsigned selector) {
    CAPTURE(f.k, f.types, small, ordered, selector);
    auto const names = split_types(f.types);
    auto const& fd = format_of(names[0]);
    auto const& fa = format_of(names[1]);
    auto const& fb = format_of(names[2]);
    std::mt19937_64 random(f.k * 16 + selector);
    auto const a = random_sparse(random, f, fa, small, ordered);
    auto const b = random_matrix(random, f.k, 8, fb, small);
    auto const c = random_matrix(random, 16, 8, fd, small);
    auto const per = 32 / fa.bits;
    std::array<unsigned, 4> const registers{128 * fd.bits / 1024, f.k / 2 * 16 / per / 32, f.k * 8 / per / 32,
                                            128 * fd.bits / 1024};
    std::array<std::vector<std::uint32_t>, 3> words;
    for (unsigned m = 0; m < 3; ++m) words[m].resize(std::size_t{32} * registers[m + 1]);
    auto const put = [](std::vector<std::uint32_t>& w, std::size_t at, bits code, unsigned element,
                        unsigned width) { w[at] |= static_cast<std::uint32_t>(code << (element * width)); };
    auto const place_in_sum = [&](unsigned lane, unsigned i) { // as in every mma of 16 rows
        return std::pair<unsigned, unsigned>(lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1));
    };
    for (unsigned lane = 0; lane < 32; ++lane) {
        for (unsigned r = 0; r < registers[1]; ++r) // what is stored of 2 * per columns, row g or g + 8
            for (unsigned e = 0; e < per; ++e)
                put(words[0], lane * registers[1] + r,
                    a.packed(lane / 4 + r % 2 * 8, lane % 4 * per + r / 2 * 4 * per + e), e, fa.bits);
        for (unsigned r = 0; r < registers[2]; ++r)
            for (unsigned e = 0; e < per; ++e)
                put(words[1], lane * registers[2] + r, b(lane % 4 * per + e + r * 4 * per, lane / 4), e,
                    fb.bits);
        for (unsigned i = 0; i < 4; ++i) {
            auto const [row, column] = place_in_sum(lane, i);
            auto const in = 32 / fd.bits;
            put(words[2], lane * registers[3] + i / in, c(row, column), i % in, fd.bits);
        }
    }
    auto const metadata = metadata_words(random, f, fa.bits, a.nibble, selector);
    std::vector<std::uint32_t> got;
    auto const text = std::string("mma.sp") + (ordered ? "::ordered_metadata" : "") + ".sync.aligned.m16n8k" +
                      std::to_string(f.k) + ".row.col." + f.types;
    REQUIRE(run_sparse(text, registers, words, metadata, std::to_string(selector), &got).empty());
    unsigned wrong = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < 4; ++i) {
            auto const [row, column] = place_in_sum(lane, i);
            bits wanted = 0;
            if (fa.fraction == 0) {
                auto sum = static_cast<std::int64_t>(value_of(fd, c(row, column)));
                for (unsigned k = 0; k < f.k; ++k)
                    if (a.stored[row * f.k + k] != 0)
                        sum += static_cast<std::int64_t>(value_of(fa, a.dense(row, k)) *
                                                         value_of(fb, b(k, column)));
                wanted = static_cast<std::uint32_t>(sum);
            } else {
                auto sum = static_cast<double>(value_of(fd, c(row, column)));
                for (unsigned k = 0; k < f.k; ++k)
                    if (a.stored[row * f.k + k] != 0)
                        sum += static_cast<double>(value_of(fa, a.dense(row, k))) *
                               static_cast<double>(value_of(fb, b(k, column)));
                wanted = narrowed(sum, fd);
            }
            auto const in = 32 / fd.bits;
            auto const have =
                got[lane * registers[0] + i / in] >> (i % in * fd.bits) & ((bits{1} << fd.bits) - 1);
            wrong += have == wanted ? 0 : 1;
        }
    CHECK(wrong == 0);
}

} // namespace

TEST_CASE("mma.sp: all shapes and types, every selector, ordered metadata and others", "[ptx][matrices]") {
    for (auto const& f : forms)
        for (bool const small : {true, false})
            for (bool const ordered : {true, false})
                for (unsigned selector = 0; selector < f.selectors; ++selector)
                    check_sparse(f, small, ordered, selector);
}

TEST_CASE("mma.sp: metadata that mean nothing, and selectors that are none", "[ptx][matrices]") {
    auto const says = [](std::string const& spelled, std::uint32_t metadata, std::string const& selector,
                         std::uint32_t a = 0) {
        std::array<std::vector<std::uint32_t>, 3> words;
        words[0].resize(64, a);
        words[1].resize(64);
        words[2].resize(128);
        return run_sparse("mma." + spelled + ".sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", {4, 2, 2, 4},
                          words, std::vector<std::uint32_t>(32, metadata), selector, nullptr);
    };
    CHECK(says("sp", 0x44444444, "3").empty());
    CHECK(says("sp", 0xeeee1111, "0").empty());
    CHECK_THAT(says("sp", 0x44445444, "0"), Contains("expected valid metadata of row 0, chunk 3, found 5"));
    CHECK_THAT(says("sp::ordered_metadata", 0x11114444, "0"),
               Contains("expected valid metadata of row 8, chunk 0, found 1"));
    // A chunk of zeros may have none, as CUTLASS's compressor writes it.
    CHECK(says("sp", 0x44440444, "0").empty());
    CHECK_THAT(says("sp", 0x44440444, "0", 0x3c000000),
               Contains("expected valid metadata of row 0, chunk 3, found 0"));
    CHECK_THAT(says("sp", 0x44444444, "4"), Contains("one of the constants 0,1,2,3") && Contains("4"));
}
