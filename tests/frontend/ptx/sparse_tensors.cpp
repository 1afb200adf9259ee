// tcgen05.mma.sp: sparse A, whose metadata lie in tensor memory as CuTe's layouts of them say (NVIDIA CUTLASS,
// mma_traits_sm100_frag.hpp, tmem_e_frg: strides of bits, 128 lanes before the next), beside loops over whole matrices.
#include "catch.hpp"
#include "harness.hpp"
#include "matrix_numbers.hpp"
#include "shared_layouts.hpp"
#include "tensor_programs.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ptx_test;
using Catch::Contains;

namespace {

struct sparse_case {
    std::string kind = "f16";
    std::string types = "f32.f16.f16"; ///< D, A, B
    unsigned n = 64;
    unsigned pieces = 8;
    bool b_by_rows = true;
    bool from_shared = true;
    bool adds = true;
    unsigned selector = 0;
    std::vector<std::uint32_t> disabled = {};
    unsigned scale = 0;
};

constexpr unsigned d_column = 32, e_column = 400, a_column = 480;

// Of element k of row m, the first bit that tells of it: the lane, and the bit from a column on.
std::pair<unsigned, unsigned> place_of(unsigned bits, unsigned m, unsigned k) {
    unsigned at = 0, width = 1;
    if (bits == 32) {
        at = m % 8 + m / 8 % 2 * 1024 + m / 16 * 16 + k % 8 * 128 + k / 8 * 8;
        width = 2;
    } else if (bits == 16) {
        at = m % 8 + m / 8 % 2 * 2048 + m / 16 * 16 + k % 16 * 128 + k / 16 * 8;
    } else {
        at = m + 128 * k;
    }
    return {at % 128, at / 128 * width};
}
unsigned code_of(std::string const& type) {
    return type == "f32" || type == "bf16" || type == "e5m2" || type == "s8" ? 1
           : type == "tf32" || type == "s32"                                 ? 2
                                                                             : 0;
}

// What the kernel says, or nothing; `spoil` may change what lies in tensor memory before.
template <class Spoil>
std::string run_sparse(sparse_case const& t, std::uint32_t more, Spoil const& spoil) {
    auto const names = names_of(t.types);
    auto const& fd = format_of(names[0]);
    auto const& fa = format_of(names[1]);
    auto const& fb = format_of(names[2]);
    unsigned const stored = 256 / fa.bits, depth = 2 * stored, bytes = fa.bits / 8;
    std::mt19937_64 random(t.n + t.pieces + fa.bits);
    auto a = random_matrix(random, 128, stored, fa, true);
    // Of a chunk of zeros CUTLASS's compressor writes metadata of 0.
    unsigned const together = fa.bits == 32 ? 1 : 2;
    std::vector<bool> zeros(std::size_t{128} * stored / together);
    for (std::size_t k = 0; k < zeros.size(); ++k) {
        zeros[k] = random() % 8 == 0;
        for (unsigned i = 0; i < together && zeros[k]; ++i) a.at[k * together + i] = 0;
    }
    auto const b = random_matrix(random, depth, t.n, fb, true);
    auto const c = random_matrix(random, 128, t.n, fd, true);
    auto const la = layout_of(t.pieces, true, 128, bytes, 1024, false);
    auto lb = layout_of(t.pieces == 2 ? 4 : t.pieces, t.b_by_rows, t.n, bytes, 65536, true);
    for (auto& m : lb.column) m.extent *= m.stride == lb.column.back().stride ? 2 : 1; // 64 bytes of K
    std::vector<std::uint8_t> tile(tile_bytes, 0xa5);
    std::vector<std::uint32_t> memory(lanes_of_memory * columns_of_memory);
    for (auto& word : memory) word = static_cast<std::uint32_t>(random());
    auto const cell = [&](unsigned lane, unsigned column) -> std::uint32_t& {
        return memory[lane * columns_of_memory + column];
    };
    std::vector<unsigned> position(std::size_t{128} * stored);
    for (unsigned r = 0; r < 128; ++r) {
        for (unsigned i = 0; i < stored; ++i)
            if (t.from_shared)
                std::memcpy(&tile.at(la.at(r, i)), &a.at[r * stored + i], bytes);
            else
                std::memcpy(reinterpret_cast<char*>(&cell(r, a_column)) + i * bytes, &a.at[r * stored + i],
                            bytes);
        unsigned const chunk = fa.bits == 32 ? 2 : 4;
        for (unsigned k = 0, i = 0; k < depth; k += chunk) {
            std::uint32_t code = 0;
            if (zeros[(r * stored + i) / together]) {
                for (unsigned of = 0; of < together; ++of) position[r * stored + i++] = k;
            } else if (fa.bits == 32) {
                position[r * stored + i] = k + static_cast<unsigned>(random() % 2);
                code = position[r * stored + i] == k ? 0b0100 : 0b1110;
                ++i;
            } else {
                constexpr unsigned codes[] = {0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b0110, 0b1110};
                code = codes[random() % 7];
                position[r * stored + i++] = k + (code & 3);
                position[r * stored + i++] = k + (code >> 2);
            }
            auto const [lane, bit] = place_of(fa.bits, r, k);
            auto& word = cell(lane, e_column + t.selector + bit / 32);
            word = (word & ~(15U << bit % 32)) | code << bit % 32;
        }
        for (unsigned n = 0; n < t.n; ++n) cell(r, d_column + n) = static_cast<std::uint32_t>(c(r, n));
    }
    for (unsigned k = 0; k < depth; ++k)
        for (unsigned n = 0; n < t.n; ++n) std::memcpy(&tile.at(lb.at(n, k)), &b.at[k * t.n + n], bytes);
    spoil(memory);

    auto const shape = code_of(names[0]) << 4 | code_of(names[1]) << 7 | code_of(names[2]) << 10 |
                       (t.b_by_rows ? 0U : 1U << 16) | t.n / 8 << 17 | 8U << 24 | t.selector;
    std::string text = "mov.b64 %da, " + std::to_string(la.descriptor_100()) + "; mov.b64 %db, " +
                       std::to_string(lb.descriptor_100()) + "; mov.u32 %t5, " +
                       std::to_string(shape ^ more) + "; setp.eq.u32 %p2, 1, " + (t.adds ? "1" : "0") +
                       "; add.u32 %t6, %memory, 32; add.u32 %t4, %memory, 480; add.u32 %s0, %memory, 400;\n";
    std::string mask;
    for (std::size_t i = 0; i < t.disabled.size(); ++i) {
        text += "mov.u32 %a" + std::to_string(i) + ", " + std::to_string(t.disabled[i]) + ";\n";
        mask += (i == 0 ? " {%a" : ", %a") + std::to_string(i);
    }
    text += "@%p1 tcgen05.mma.sp.cta_group::1.kind::" + t.kind + " [%t6], " +
            (t.from_shared ? "%da" : "[%t4]") + ", %db, [%s0], %t5," + (mask.empty() ? "" : mask + "},") +
            " %p2" + (t.scale != 0 ? ", " + std::to_string(t.scale) : "") + ";\n";
    machine m(tensor_program(text), "sparse.ptx");
    auto const at = m.upload(memory);
    try {
        m.launch("k", {1, 1, 1}, {128, 1, 1}, arguments({at, m.upload(tile)}));
    } catch (warpkit::error const& e) {
        return e.what();
    }
    for (unsigned r = 0; r < 128; ++r)
        for (unsigned n = 0; n < t.n; ++n) {
            if (!t.disabled.empty() && (t.disabled[r / 32] >> r % 32 & 1) != 0) continue;
            auto sum = t.adds ? std::ldexp(value_of(fd, c(r, n)), -static_cast<int>(t.scale)) : 0;
            for (unsigned i = 0; i < stored; ++i)
                sum += value_of(fa, a(r, i)) * value_of(fb, b(position[r * stored + i], n));
            cell(r, d_column + n) = fa.fraction == 0
                                        ? static_cast<std::uint32_t>(static_cast<std::int64_t>(sum))
                                        : static_cast<std::uint32_t>(narrowed(static_cast<double>(sum), fd));
        }
    return different(m.download<std::uint32_t>(at, memory.size()), memory) == 0 ? "" : "different";
}
std::string run_sparse(sparse_case const& t) {
    return run_sparse(t, 4, [](auto&) {});
}

} // namespace

TEST_CASE("tcgen05.mma.sp: kinds, types and shapes, from shared and from tensor memory",
          "[ptx][tensor_memory]") {
    unsigned turn = 0;
    for (auto const& [kind, types] :
         std::vector<std::pair<std::string, std::string>>{{"f16", "f32.f16.bf16"},
                                                          {"f16", "f16.f16.f16"},
                                                          {"tf32", "f32.tf32.tf32"},
                                                          {"f8f6f4", "f32.e4m3.e5m2"},
                                                          {"i8", "s32.s8.u8"}})
        for (unsigned const pieces : {1U, 4U, 8U}) {
            sparse_case t;
            t.kind = kind;
            t.types = types;
            t.pieces = pieces;
            t.n = turn % 3 == 0 ? 16 : turn % 3 == 1 ? 80 : 256;
            t.from_shared = turn % 2 == 0;
            t.adds = turn % 4 != 0;
            t.selector = kind == "f16" || kind == "tf32" ? turn % 2 : 0;
            ++turn;
            INFO(kind << ' ' << types << ' ' << pieces);
            CHECK(run_sparse(t) == "");
        }
    sparse_case t;
    t.disabled = {0xffff0000, 0, 0x10101010, 0xffffffff};
    t.scale = 2;
    CHECK(run_sparse(t) == "");
    t.from_shared = false;
    CHECK(run_sparse(t) == "");
    t.b_by_rows = false;
    t.n = 64;
    CHECK(run_sparse(t) == "");
}

TEST_CASE("tcgen05.mma.sp: what does not fit is refused", "[ptx][tensor_memory]") {
    sparse_case t;
    auto const nothing = [](auto&) {};
    CHECK_THAT(run_sparse(t, 0, nothing), Contains("expected an instruction descriptor of sparse matrices"));
    CHECK_THAT(run_sparse(t, 4 | (8U ^ 4U) << 24, nothing),
               Contains(".sp of fewer rows is not supported, found 64"));
    CHECK_THAT(run_sparse(t, 4 | 2, nothing), Contains("a sparsity selector of 0, or of 1"));
    // Row 8 has its metadata in lane 0, above those of row 0.
    auto const spoil = [](std::vector<std::uint32_t>& memory) { memory[e_column] |= 0xfU << 20; };
    CHECK_THAT(run_sparse(t, 4, spoil), Contains("expected valid metadata of row 8, chunk 1, found 15"));
}
