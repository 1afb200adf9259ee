// cp.async.bulk.tensor: boxes of tensors of one to five dimensions, beside loops over their coordinates.
#include <warpkit/frontend/tensor_map.hpp>

#include "catch.hpp"
#include "harness.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace ptx_test;
using Catch::Contains;
using warpkit::tensor_element;
using warpkit::tensor_map;
using warpkit::tensor_swizzle;

namespace {

constexpr unsigned tile_bytes = 32768;

// A kernel of one pointer, %out, and a tensor map, %map. %p0: thread 0; an mbarrier of one arrival.
std::string tensor_kernel(std::string const& body) {
    return module_of(".shared .align 1024 .b8 tile[" + std::to_string(tile_bytes) +
                     "];\n.shared .align 8 .b64 bar;\n" +
                     R"(.visible .entry k(.param .u64 k_out, .param .align 64 .b8 k_map[128])
{
.reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .b64 %out, %map; .reg .pred %p<8>; .reg .b16 %h<2>;
ld.param.u64 %out, [k_out];
mov.b64 %map, k_map; cvta.param.u64 %map, %map;
mov.u32 %r31, %tid.x; setp.eq.u32 %p0, %r31, 0;
mov.u32 %r0, tile; mov.u32 %r1, bar;
@%p0 mbarrier.init.shared::cta.b64 [%r1], 1;
bar.sync 0;
)" + body + "\nret;\n}\n");
}
std::string const wait = R"(
WAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;
@!%p1 bra WAIT;
)";
// All of the tile to or from what lies at %out.
std::string copy_tile(bool out) {
    auto const n = std::to_string(tile_bytes);
    return out ? "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r0], " + n +
                     ";\n@%p0 cp.async.bulk.commit_group; @%p0 cp.async.bulk.wait_group 0;\n"
               : "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], " + n +
                     ";\n@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], "
                     "[%out], " +
                     n + ", [%r1];\n" + wait;
}
std::vector<std::byte> arguments_of(std::uint64_t out, tensor_map const& map) {
    std::vector<std::byte> bytes(64 + sizeof map);
    std::memcpy(bytes.data(), &out, sizeof out);
    std::memcpy(bytes.data() + 64, &map, sizeof map);
    return bytes;
}
std::string coordinates(std::array<int, 5> const& first, unsigned dimensions) {
    std::string list = "{";
    for (unsigned d = 0; d < dimensions; ++d) list += (d == 0 ? "" : ", ") + std::to_string(first[d]);
    return list + "}";
}

// CUDA C++ Programming Guide, "Swizzle", and CUDA Driver API, CUtensorMapSwizzle: pieces by the number of their line of
// 128 bytes.
unsigned place_of(unsigned offset, tensor_swizzle swizzle) {
    struct pattern {
        unsigned piece; ///< bytes
        unsigned lines; ///< until it begins again
    };
    constexpr pattern patterns[] = {{16, 1}, {16, 2}, {16, 4}, {16, 8}, {32, 4}, {32, 4}, {64, 2}};
    auto const p = patterns[static_cast<unsigned>(swizzle)];
    unsigned const line = offset / 128;
    unsigned const piece = (offset % 128 / p.piece) ^ (line % p.lines);
    unsigned within = offset % p.piece;
    if (swizzle == tensor_swizzle::b128_by_32_flipped && line % 2 == 1)
        within = within % 16 < 8 ? within + 8 : within - 8;
    return line * 128 + piece * p.piece + within;
}

struct tensor {
    tensor_element element;
    unsigned bytes; ///< of an element
    unsigned dimensions;
    std::array<std::uint64_t, 5> extent{};
    std::array<std::uint64_t, 5> stride{}; ///< bytes
    std::array<std::uint32_t, 5> box{};
    std::array<std::uint32_t, 5> step{};
    tensor_swizzle swizzle;
    std::array<int, 5> first{};

    std::uint64_t size() const { return extent[dimensions - 1] * stride[dimensions - 1]; }
    tensor_map map(std::uint64_t address) const {
        return warpkit::make_tensor_map(element, dimensions, address, extent.data(), stride.data() + 1,
                                        box.data(), step.data(), swizzle);
    }
    unsigned moved(unsigned d) const { return d == 0 ? box[0] : (box[d] + step[d] - 1) / step[d]; }
    unsigned box_bytes() const {
        unsigned n = bytes;
        for (unsigned d = 0; d < dimensions; ++d) n *= moved(d);
        return n;
    }
    // Calls f(byte in the tile, byte in the tensor, whether it is in the tensor) for each element of the box.
    template <class F>
    void each(F const& f) const {
        unsigned const elements = box_bytes() / bytes;
        for (unsigned i = 0; i < elements; ++i) {
            unsigned rest = i;
            bool inside = true;
            std::int64_t at = 0;
            for (unsigned d = 0; d < dimensions; ++d) {
                auto const x = first[d] + static_cast<int>(rest % moved(d) * (d == 0 ? 1 : step[d]));
                rest /= moved(d);
                inside = inside && x >= 0 && static_cast<std::uint64_t>(x) < extent[d];
                at += x * static_cast<std::int64_t>(stride[d]);
            }
            f(place_of(i * bytes, swizzle), at, inside);
        }
    }
};

tensor random_tensor(std::mt19937& random, unsigned dimensions) {
    tensor_element const elements[] = {tensor_element::u8,  tensor_element::u16, tensor_element::s32,
                                       tensor_element::f16, tensor_element::f32, tensor_element::f64,
                                       tensor_element::u64, tensor_element::bf16};
    tensor t;
    t.dimensions = dimensions;
    t.element = elements[random() % 8];
    t.bytes = warpkit::unit_of(t.element).shared_bytes;
    t.swizzle = static_cast<tensor_swizzle>(random() % 7);
    unsigned const most_row = t.swizzle == tensor_swizzle::none ? 128 : warpkit::row_of(t.swizzle);
    for (unsigned d = 0; d < dimensions; ++d) {
        t.extent[d] = d == 0 ? 5 + random() % 60 : 1 + random() % 7;
        t.stride[d] = d == 0   ? t.bytes
                      : d == 1 ? (t.extent[0] * t.bytes + 15) / 16 * 16 + 16 * (random() % 3)
                               : t.stride[d - 1] * t.extent[d - 1] + 16 * (random() % 2);
        t.box[d] = d == 0 ? (16 + 16 * static_cast<std::uint32_t>(random() % (most_row / 16))) / t.bytes
                          : 1 + static_cast<std::uint32_t>(random() % 4);
        t.step[d] = random() % 3 == 0 ? 2 + static_cast<std::uint32_t>(random() % 2) : 1;
        t.first[d] = static_cast<int>(random() % (t.extent[d] + 6)) - 4;
    }
    return t;
}
std::vector<std::uint8_t> random_bytes(std::mt19937& random, std::size_t n) {
    std::vector<std::uint8_t> v(n);
    for (auto& b : v) b = static_cast<std::uint8_t>(random());
    return v;
}
} // namespace

TEST_CASE("cp.async.bulk.tensor: boxes of one to five dimensions to shared memory", "[ptx][tensor]") {
    std::mt19937 random(3);
    for (unsigned round = 0; round < 60; ++round) {
        auto const t = random_tensor(random, 1 + round % 5);
        auto const n = std::to_string(t.dimensions) + "d";
        auto const where = "[%map, " + coordinates(t.first, t.dimensions) + "]";
        CAPTURE(round, n, where, t.bytes, static_cast<int>(t.swizzle));
        auto const tile = random_bytes(random, tile_bytes);
        auto const content = random_bytes(random, t.size());
        machine m(tensor_kernel(
            copy_tile(false) + "bar.sync 0;\n@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], " +
            std::to_string(t.box_bytes()) + ";\n@%p0 cp.async.bulk.prefetch.tensor." + n +
            ".L2.global.tile " + where + ";\n@%p0 cp.async.bulk.tensor." + n +
            (round % 2 == 0 ? ".shared::cluster.global.tile" : ".shared::cta.global") +
            ".mbarrier::complete_tx::bytes [%r0], " + where + ", [%r1];\nAGAIN:\n" +
            "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 1;\n@!%p1 bra AGAIN;\n" + copy_tile(true)));
        auto const out = m.upload(tile);
        auto const data = m.upload(content);
        m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments_of(out, t.map(data)));
        auto wanted = tile;
        t.each([&](unsigned to, std::int64_t from, bool inside) {
            for (unsigned b = 0; b < t.bytes; ++b)
                wanted[to + b] = inside ? content[static_cast<std::size_t>(from) + b] : 0;
        });
        CHECK(m.download<std::uint8_t>(out, tile_bytes) == wanted);
    }
}

TEST_CASE("cp.async.bulk.tensor: boxes to global memory, and reductions into it", "[ptx][tensor]") {
    std::mt19937 random(4);
    for (unsigned round = 0; round < 60; ++round) {
        auto t = random_tensor(random, 1 + round % 5);
        char const* const operations[] = {"", "", "add", "and", "or", "xor", "inc", "dec", "min", "max"};
        std::string const operation = operations[random() % 10];
        if (!operation.empty()) { // rows stay multiples of 16 bytes
            t.box[0] = t.box[0] * t.bytes / 4;
            t.element = operation == "min" || operation == "max" ? tensor_element::s32 : tensor_element::u32;
            t.bytes = 4;
            t.stride[0] = 4;
            for (unsigned d = 1; d < t.dimensions; ++d)
                t.stride[d] = d == 1 ? (t.extent[0] * 4 + 15) / 16 * 16 : t.stride[d - 1] * t.extent[d - 1];
        }
        auto const n = std::to_string(t.dimensions) + "d";
        CAPTURE(round, n, operation, t.bytes, static_cast<int>(t.swizzle));
        auto const tile = random_bytes(random, tile_bytes);
        auto const content = random_bytes(random, t.size());
        machine m(tensor_kernel(
            copy_tile(false) + "@%p0 " +
            (operation.empty()
                 ? "cp.async.bulk.tensor." + n + ".global.shared::cta.tile.bulk_group"
                 : "cp.reduce.async.bulk.tensor." + n + ".global.shared::cta." + operation + ".bulk_group") +
            " [%map, " + coordinates(t.first, t.dimensions) + "], [%r0];\n"));
        auto const out = m.upload(tile);
        auto const data = m.upload(content);
        m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments_of(out, t.map(data)));
        auto wanted = content;
        t.each([&](unsigned from, std::int64_t to, bool inside) {
            if (!inside) return;
            auto* const at = wanted.data() + to;
            if (operation.empty()) {
                std::memcpy(at, tile.data() + from, t.bytes);
                return;
            }
            std::uint32_t a = 0;
            std::uint32_t b = 0;
            std::memcpy(&a, at, 4);
            std::memcpy(&b, tile.data() + from, 4);
            auto const sa = static_cast<std::int32_t>(a);
            auto const sb = static_cast<std::int32_t>(b);
            auto const r = operation == "add"   ? a + b
                           : operation == "and" ? a & b
                           : operation == "or"  ? a | b
                           : operation == "xor" ? a ^ b
                           : operation == "inc" ? (a >= b ? 0 : a + 1)
                           : operation == "dec" ? (a == 0 || a > b ? b : a - 1)
                           : operation == "min" ? static_cast<std::uint32_t>(std::min(sa, sb))
                                                : static_cast<std::uint32_t>(std::max(sa, sb));
            std::memcpy(at, &r, 4);
        });
        CHECK(m.download<std::uint8_t>(data, t.size()) == wanted);
    }
}

// CUDA Driver API, CUtensorMapDataType: sixteen elements of 4 bits in 8 bytes, or of 6 bits in 12; padded to 16 in
// shared memory, where the padding stays what it was.
TEST_CASE("cp.async.bulk.tensor: elements of 4 and 6 bits", "[ptx][tensor]") {
    struct narrow {
        tensor_element element;
        unsigned in_global; ///< bytes of 16 elements
        unsigned in_shared;
    };
    std::mt19937 random(5);
    for (auto const& type : {narrow{tensor_element::packed_4, 8, 8}, narrow{tensor_element::padded_4, 8, 16},
                             narrow{tensor_element::padded_6, 12, 16}})
        for (auto const swizzle :
             {tensor_swizzle::none, tensor_swizzle::b128, tensor_swizzle::b128_by_32_flipped}) {
            CAPTURE(type.in_global, type.in_shared, static_cast<int>(swizzle));
            unsigned const rows = 5;
            std::uint64_t const extent[] = {256, 3};
            std::uint64_t const stride[] = {256 / 16 * type.in_global};
            std::uint32_t const box[] = {128, rows};
            std::uint32_t const step[] = {1, 1};
            auto const tile = random_bytes(random, tile_bytes);
            auto const content = random_bytes(random, 3 * stride[0]);
            for (bool const stores : {false, true}) {
                machine m(tensor_kernel(
                    copy_tile(false) + "bar.sync 0;\n" +
                    (stores
                         ? "@%p0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%map, {128, -1}], "
                           "[%r0];\n"
                         : "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], " +
                               std::to_string(128 / 16 * rows * type.in_global) +
                               ";\n@%p0 "
                               "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes "
                               "[%r0], [%map, {128, -1}], [%r1];\nAGAIN:\n"
                               "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 1;\n@!%p1 bra AGAIN;\n" +
                               copy_tile(true))));
                auto const out = m.upload(tile);
                auto const data = m.upload(content);
                m.launch("k", {1, 1, 1}, {32, 1, 1},
                         arguments_of(out, warpkit::make_tensor_map(type.element, 2, data, extent, stride,
                                                                    box, step, swizzle)));
                auto in_tile = tile;
                auto in_tensor = content;
                for (unsigned row = 0; row < rows; ++row)
                    for (unsigned group = 0; group < 8; ++group)
                        for (unsigned b = 0; b < type.in_global; ++b) {
                            auto const at = place_of((row * 8 + group) * type.in_shared + b, swizzle);
                            bool const inside = row >= 1 && row <= 3;
                            auto const from = (row - 1) * stride[0] + (8 + group) * type.in_global + b;
                            if (!stores)
                                in_tile[at] = inside ? content[from] : 0;
                            else if (inside)
                                in_tensor[from] = tile[at];
                        }
                CHECK(m.download<std::uint8_t>(out, tile_bytes) == in_tile);
                CHECK(m.download<std::uint8_t>(data, content.size()) == in_tensor);
            }
        }
}

TEST_CASE("cp.async.bulk.tensor: to several CTAs of a cluster", "[ptx][tensor]") {
    tensor t{tensor_element::f32, 4, 2, {8, 8}, {4, 32}, {8, 4}, {1, 1}, tensor_swizzle::b32, {0, 2}};
    std::vector<std::uint32_t> content(64);
    for (unsigned i = 0; i < 64; ++i) content[i] = 1000 + i;
    machine m(tensor_kernel(R"(
@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 128;
barrier.cluster.arrive; barrier.cluster.wait;
mov.u32 %r2, %cluster_ctarank; setp.eq.u32 %p2, %r2, 2; and.pred %p3, %p0, %p2;
mov.b16 %h0, 7;
@%p3 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r0], [%map, {0, 2}], [%r1], %h0;
)" + wait + R"(
mad.lo.u32 %r3, %r31, 4, %r0; ld.shared.u32 %r4, [%r3];
mad.lo.u32 %r5, %r2, 32, %r31; mul.wide.u32 %rd1, %r5, 4; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1], %r4;
barrier.cluster.arrive; barrier.cluster.wait;
)"));
    m.set_cluster({3, 1, 1});
    auto const out = m.upload(std::vector<std::uint32_t>(96));
    auto const data = m.upload(content);
    m.launch("k", {3, 1, 1}, {32, 1, 1}, arguments_of(out, t.map(data)));
    auto const got = m.download<std::uint32_t>(out, 96);
    t.each([&](unsigned to, std::int64_t from, bool) {
        for (unsigned cta = 0; cta < 3; ++cta)
            CHECK(got[cta * 32 + to / 4] == content[static_cast<std::size_t>(from) / 4]);
    });
}

TEST_CASE("Tensor maps and tensor copies: what does not fit is refused", "[ptx][tensor]") {
    tensor const good{tensor_element::f32,  4,     2, {8, 8}, {4, 32}, {8, 4}, {1, 1},
                      tensor_swizzle::none, {0, 0}};
    auto const map_error = [](tensor const& t, std::uint64_t address = 256) -> std::string {
        try {
            static_cast<void>(t.map(address));
        } catch (warpkit::error const& e) {
            return e.what();
        }
        return {};
    };
    CHECK(map_error(good).empty());
    CHECK_THAT(map_error(good, 264), Contains("an address that is a multiple of 16, found 264"));
    auto bad = good;
    bad.box[1] = 257;
    CHECK_THAT(map_error(bad), Contains("a box of 1 to 256 elements, found 257 (dimension 1)"));
    bad = good;
    bad.box[0] = 3;
    CHECK_THAT(map_error(bad), Contains("rows of a box of a multiple of 16 bytes, found 12"));
    bad = good;
    bad.stride[1] = 40;
    CHECK_THAT(map_error(bad), Contains("a stride that is a multiple of 16 bytes"));
    bad = good;
    bad.step[1] = 9;
    CHECK_THAT(map_error(bad), Contains("an element stride from 1 to 8, found 9"));
    bad = good;
    bad.extent[1] = 0;
    CHECK_THAT(map_error(bad), Contains("an extent from 1 to 2^32, found 0"));
    bad = good;
    bad.box[0] = 16;
    bad.swizzle = tensor_swizzle::b32;
    CHECK_THAT(map_error(bad), Contains("at most the swizzle's 32 bytes, found 64"));
    bad = good;
    bad.dimensions = 0;
    CHECK_THAT(map_error(bad), Contains("1 to 5 dimensions, found 0"));
    bad = good;
    bad.element = tensor_element::padded_4;
    CHECK_THAT(map_error(bad, 272), Contains("an address that is a multiple of 32, found 272"));
    CHECK_THAT(map_error(bad), Contains("an extent that is a multiple of 128, found 8"));
    bad.extent[0] = 128;
    CHECK_THAT(map_error(bad), Contains("a box of 128 padded elements, found 8"));
    bad.element = tensor_element::packed_4;
    CHECK_THAT(map_error(bad), Contains("rows of a box of a multiple of 16 bytes, found 4"));

    auto const fails = [&](std::string const& body, tensor const& t, bool is_map = true) -> std::string {
        try {
            machine m(tensor_kernel(body), "t.ptx");
            auto const data = m.upload(std::vector<std::uint8_t>(good.size()));
            auto map = t.map(data);
            if (!is_map) map.element_stride[1] = 0;
            m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments_of(data, map));
        } catch (warpkit::error const& e) {
            return e.what();
        }
        return {};
    };
    std::string const load =
        "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes ";
    CHECK(fails(load + "[%r0], [%map, {0, 0}], [%r1];", good).empty());
    CHECK_THAT(fails(load + "[%r0], [%map, {0, 0}], [%r1];", good, false),
               Contains("expected a tensor map, as"));
    CHECK_THAT(fails(load + "[%r0], [%map, {0}], [%r1];", good),
               Contains("[tensor map, {coordinates}] with 2 coordinates"));
    CHECK_THAT(
        fails(
            "@%p0 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%map, "
            "{0}], [%r1];",
            good),
        Contains("expected a tensor map of 1 dimensions, found one of 2"));
    CHECK_THAT(fails(load + "[%r0+64], [%map, {0, 0}], [%r1];", good), Contains("misaligned"));
    CHECK_THAT(fails(load + "[%r0+32768], [%map, {0, 0}], [%r1];", good), Contains("out-of-range"));
    CHECK_THAT(fails(load + "[%r0], [%map+8, {0, 0}], [%r1];", good), Contains("parameter memory"));
    bad = good;
    bad.extent[1] = 9; // more than was allocated
    bad.first[1] = 6;
    CHECK_THAT(fails(load + "[%r0], [%map, {0, 6}], [%r1];", bad),
               Contains("out-of-range") && Contains("global"));
    bad = good;
    bad.element = tensor_element::u8;
    bad.bytes = 1;
    bad.box[0] = 16;
    CHECK_THAT(
        fails("@%p0 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%map, {0, 0}], [%r0];",
              bad),
        Contains("expected a tensor of elements that this reduction takes"));
    std::string const columns =
        "@%p0 cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r0], ";
    CHECK_THAT(fails(columns + "[%map, {0, 0, 0}], [%r1];", good),
               Contains("takes 4 to 5 operands, found 3"));
    CHECK_THAT(fails(columns + "[%map, {0, 0, 0}], [%r1], {%h0, %h1};", good),
               Contains("1 offsets of pixels in braces"));
    CHECK_THAT(fails(columns + "[%map, {0, 0, 0}], [%r1], {%r2};", good), Contains("an offset of type .u16"));
    CHECK_THAT(fails(columns + "[%map, {0, 0, 0}], [%r1], {1};", good),
               Contains("expected a tensor map of columns (cuTensorMapEncodeIm2col), found one of boxes"));
    CHECK_THAT(fails("@%p0 cp.async.bulk.tensor.2d.global.shared::cta.im2col_no_offs.bulk_group [%map, {0, "
                     "0}], [%r0];",
                     good),
               Contains("a tensor of 3 to 5 dimensions"));
    std::string const rows = ".shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r0], [%map, "
                             "{0, 0, 0, 0, 0}], [%r1];";
    CHECK_THAT(fails("@%p0 cp.async.bulk.tensor.2d" + rows, good),
               Contains("a tensor map whose boxes are one row, found 4"));
    CHECK_THAT(fails("@%p0 cp.async.bulk.tensor.3d" + rows, good), Contains("a tensor of 2 dimensions"));
    CHECK_THAT(fails(load + "[%r0], [%map, {1, 0}], [%r1];",
                     [&] {
                         auto t = good;
                         t.element = tensor_element::packed_4;
                         t.box[0] = 32;
                         t.bytes = 1;
                         return t;
                     }()),
               Contains("a coordinate that is a multiple of 2"));
}

TEST_CASE("cp.async.bulk.tensor: four rows, gathered and scattered", "[ptx][tensor]") {
    std::mt19937 random(6);
    tensor t{tensor_element::u16, 2, 2, {40, 20}, {2, 80}, {32, 1}, {1, 1}, tensor_swizzle::b64, {}};
    for (unsigned round = 0; round < 20; ++round) {
        std::array<int, 4> rows{};
        for (auto& r : rows) r = static_cast<int>(random() % 24) - 2;
        rows[3] = 7 + static_cast<int>(round) % 4; // scattered rows are apart
        for (unsigned k = 0; k < 3; ++k) rows[k] = (rows[k] + 2) % 8 - 2 + 12 * static_cast<int>(k == 1);
        if (rows[0] == rows[2]) rows[2] = -1;
        int const column = static_cast<int>(random() % 48) - 4;
        std::string const where = "[%map, {" + std::to_string(column) + ", " + std::to_string(rows[0]) +
                                  ", " + std::to_string(rows[1]) + ", " + std::to_string(rows[2]) + ", " +
                                  std::to_string(rows[3]) + "}]";
        CAPTURE(where);
        auto const tile = random_bytes(random, tile_bytes);
        auto const content = random_bytes(random, t.size());
        for (bool const scatters : {false, true}) {
            machine m(tensor_kernel(
                copy_tile(false) + "bar.sync 0;\n" +
                (scatters
                     ? "@%p0 cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group " + where +
                           ", [%r0];\n"
                     : "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 256;\n"
                       "@%p0 cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::"
                       "bytes [%r0], " +
                           where +
                           ", [%r1];\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 1;\n"
                           "@!%p1 bra AGAIN;\n" +
                           copy_tile(true))));
            auto const out = m.upload(tile);
            auto const data = m.upload(content);
            m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments_of(out, t.map(data)));
            auto in_tile = tile;
            auto in_tensor = content;
            for (unsigned k = 0; k < 4; ++k)
                for (int i = 0; i < 32; ++i)
                    for (unsigned b = 0; b < 2; ++b) {
                        auto const at = place_of(k * 64 + static_cast<unsigned>(i) * 2 + b, t.swizzle);
                        bool const inside =
                            column + i >= 0 && column + i < 40 && rows[k] >= 0 && rows[k] < 20;
                        auto const from = static_cast<std::size_t>(rows[k] * 80 + (column + i) * 2) + b;
                        if (!scatters)
                            in_tile[at] = inside ? content[from] : 0;
                        else if (inside)
                            in_tensor[from] = tile[at];
                    }
            CHECK(m.download<std::uint8_t>(out, tile_bytes) == in_tile);
            CHECK(m.download<std::uint8_t>(data, content.size()) == in_tensor);
        }
    }
}

// What a convolution reads: column k is output pixel k's, for one place of the filter. With padding p, stride s,
// dilation d and a filter of f, place r of the filter lies on pixel x s - p + r d for output x, and the corners are -p
// and p - (f - 1) d (CUDA Driver API, cuTensorMapEncodeIm2col; PTX ISA, "Im2col mode").
TEST_CASE("cp.async.bulk.tensor: columns of pixels, as convolutions read them", "[ptx][tensor]") {
    std::mt19937 random(7);
    auto const pick = [&](unsigned least, unsigned most) {
        return static_cast<int>(least + random() % (most - least + 1));
    };
    for (unsigned round = 0; round < 60; ++round) {
        unsigned const dimensions = 3 + round % 3;
        unsigned const spatial = dimensions - 2;
        int const channels = 48;
        std::array<int, 5> extent{channels};
        std::array<int, 3> padding{}, dilation{}, filter{}, place{}, outputs{};
        std::array<std::uint32_t, 5> step{1, 1, 1, 1, 1};
        for (unsigned k = 0; k < spatial; ++k) {
            do {
                extent[k + 1] = pick(2, 9);
                padding[k] = pick(0, 2);
                dilation[k] = pick(1, 2);
                filter[k] = pick(1, 3);
                step[k + 1] = static_cast<std::uint32_t>(pick(1, 3));
                outputs[k] = extent[k + 1] + 2 * padding[k] - (filter[k] - 1) * dilation[k] - 1;
            } while (outputs[k] < 0);
            outputs[k] = outputs[k] / static_cast<int>(step[k + 1]) + 1;
            place[k] = pick(0, static_cast<unsigned>(filter[k] - 1));
        }
        extent[dimensions - 1] = pick(1, 3);
        std::array<std::uint64_t, 5> wide{}, stride{};
        std::array<int, 3> lower{}, upper{};
        std::uint64_t size = 1;
        for (unsigned d = 0; d < dimensions; ++d) {
            stride[d] = size;
            wide[d] = static_cast<std::uint64_t>(extent[d]);
            size *= wide[d];
        }
        int all = extent[dimensions - 1];
        for (unsigned k = 0; k < spatial; ++k) {
            lower[k] = -padding[k];
            upper[k] = padding[k] - (filter[k] - 1) * dilation[k];
            all *= outputs[k];
        }
        auto const pixels = static_cast<unsigned>(pick(1, 40));
        auto const begin = pick(0, static_cast<unsigned>(all - 1));
        int const channel = 16 * pick(0, 2);
        // Coordinates of output pixel `number` at the filter's first place; the last is the image.
        auto const pixel_of = [&](int number) {
            std::array<int, 4> x{};
            for (unsigned k = 0; k < spatial; ++k) {
                x[k] = number % outputs[k] * static_cast<int>(step[k + 1]) - padding[k];
                number /= outputs[k];
            }
            x[spatial] = number;
            return x;
        };
        auto const first = pixel_of(begin);
        std::string where = "[%map, {" + std::to_string(channel);
        std::string offsets = "{%h0";
        for (unsigned k = 0; k <= spatial; ++k) where += ", " + std::to_string(first[k]);
        for (unsigned k = 1; k < spatial; ++k) offsets += ", " + std::to_string(place[k] * dilation[k]);
        where += "}]";
        offsets += "}";
        bool const stores = round % 4 == 3;
        if (stores) place = {};
        CAPTURE(round, where, offsets, pixels, begin);
        auto const tile = random_bytes(random, tile_bytes);
        auto const content = random_bytes(random, size);
        auto const n = std::to_string(dimensions) + "d";
        machine m(tensor_kernel(
            copy_tile(false) + "bar.sync 0;\nmov.u16 %h0, " + std::to_string(place[0] * dilation[0]) + ";\n" +
            (stores
                 ? "@%p0 cp.async.bulk.tensor." + n + ".global.shared::cta.im2col_no_offs.bulk_group " +
                       where + ", [%r0];\n"
                 : "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], " + std::to_string(16 * pixels) +
                       ";\n@%p0 cp.async.bulk.prefetch.tensor." + n + ".L2.global.im2col " + where + ", " +
                       offsets + ";\n@%p0 cp.async.bulk.tensor." + n +
                       (round % 2 == 0 ? ".shared::cluster.global.im2col"
                                       : ".im2col.cta_group::1.shared::cluster.global") +
                       ".mbarrier::complete_tx::bytes [%r0], " + where + ", [%r1], " + offsets +
                       ";\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 1;\n@!%p1 bra "
                       "AGAIN;\n" +
                       copy_tile(true))));
        auto const out = m.upload(tile);
        auto const data = m.upload(content);
        m.launch("k", {1, 1, 1}, {32, 1, 1},
                 arguments_of(out, warpkit::make_column_map(tensor_element::u8, dimensions, data, wide.data(),
                                                            stride.data() + 1, lower.data(), upper.data(), 16,
                                                            pixels, step.data(), tensor_swizzle::b128)));
        auto in_tile = tile;
        auto in_tensor = content;
        for (unsigned p = 0; p < pixels; ++p) {
            auto const x = pixel_of(begin + static_cast<int>(p));
            bool inside = x[spatial] < extent[spatial + 1];
            auto from = static_cast<std::size_t>(channel) +
                        stride[spatial + 1] * static_cast<std::size_t>(x[spatial]);
            for (unsigned k = 0; k < spatial; ++k) {
                auto const at = x[k] + place[k] * dilation[k];
                inside = inside && at >= 0 && at < extent[k + 1];
                from += stride[k + 1] * static_cast<std::size_t>(at);
            }
            for (unsigned b = 0; b < 16; ++b) {
                auto const at = place_of(16 * p + b, tensor_swizzle::b128);
                if (!stores)
                    in_tile[at] = inside ? content[from + b] : 0;
                else if (inside)
                    in_tensor[from + b] = tile[at];
            }
        }
        CHECK(m.download<std::uint8_t>(out, tile_bytes) == in_tile);
        CHECK(m.download<std::uint8_t>(data, content.size()) == in_tensor);
    }
}

TEST_CASE("Tensor maps of columns: what does not fit is refused", "[ptx][tensor]") {
    std::uint64_t const extent[] = {16, 5, 5, 2};
    std::uint64_t const stride[] = {16, 80, 400};
    std::uint32_t const step[] = {1, 1, 1, 1};
    auto const map_error = [&](unsigned dimensions, std::array<int, 2> lower, std::array<int, 2> upper,
                               unsigned pixels) -> std::string {
        try {
            static_cast<void>(warpkit::make_column_map(tensor_element::u8, dimensions, 256, extent, stride,
                                                       lower.data(), upper.data(), 16, pixels, step,
                                                       tensor_swizzle::none));
        } catch (warpkit::error const& e) {
            return e.what();
        }
        return {};
    };
    CHECK(map_error(4, {-1, -1}, {-1, -1}, 32).empty());
    CHECK_THAT(map_error(2, {-1, -1}, {-1, -1}, 32), Contains("3 to 5 dimensions, found 2"));
    CHECK_THAT(map_error(4, {-129, -1}, {-1, -1}, 32), Contains("corners from -128 to 127, found -129"));
    CHECK_THAT(map_error(4, {-1, -1}, {-1, -6}, 32), Contains("with a pixel between them (dimension 2)"));
    CHECK_THAT(map_error(4, {-1, -1}, {-1, -1}, 0), Contains("columns of 1 to 1024 pixels, found 0"));
}

// As grouped products change the maps of their operands: in shared memory, then copied; or in place.
TEST_CASE("tensormap: every field, in shared and in global memory", "[ptx][tensor]") {
    std::mt19937 random(8);
    tensor const from{tensor_element::u8,   1, 3, {64, 9, 2}, {1, 64, 640}, {16, 2, 1}, {1, 1, 1},
                      tensor_swizzle::none, {}};
    std::string const replaced = R"(
tensormap.replace.tile.rank@.b1024.b32 [%rd2], 1;
tensormap.replace.tile.elemtype@.b1024.b32 [%rd2], 10;
tensormap.replace.tile.global_address@.b1024.b64 [%rd2], %rd3;
mov.b32 %r5, 24;
tensormap.replace.tile.global_dim@.b1024.b32 [%rd2], 0, %r5;
tensormap.replace.tile.global_dim@.b1024.b32 [%rd2], 1, 5;
tensormap.replace.tile.global_dim@.b1024.b32 [%rd2], 4, 0;
tensormap.replace.tile.global_stride@.b1024.b64 [%rd2], 0, 64;
tensormap.replace.tile.global_stride@.b1024.b64 [%rd2], 3, 0;
tensormap.replace.tile.box_dim@.b1024.b32 [%rd2], 0, 16;
tensormap.replace.tile.box_dim@.b1024.b32 [%rd2], 1, 4;
tensormap.replace.tile.element_stride@.b1024.b32 [%rd2], 1, 2;
tensormap.replace.tile.interleave_layout@.b1024.b32 [%rd2], 0;
tensormap.replace.tile.swizzle_mode@.b1024.b32 [%rd2], 3;
tensormap.replace.tile.swizzle_atomicity@.b1024.b32 [%rd2], 2;
tensormap.replace.tile.fill_mode@.b1024.b32 [%rd2], 0;
)";
    tensor const to{tensor_element::bf16,
                    2,
                    2,
                    {24, 5},
                    {2, 64},
                    {16, 4},
                    {1, 2},
                    tensor_swizzle::b128_by_32_flipped,
                    {8, 1}};
    for (bool const shared : {true, false}) {
        std::string edit;
        for (char const c : replaced)
            edit += c == '@' ? (shared ? ".shared::cta" : ".global") : std::string(1, c);
        std::string const map =
            R"(
add.u64 %rd1, %out, 32768; add.u64 %rd3, %out, 40960; mov.u32 %r3, tile; cvt.u64.u32 %rd4, %r3;
mad.lo.u32 %r4, %r31, 4, 0; cvt.u64.u32 %rd6, %r4; add.u64 %rd5, %map, %rd6; ld.u32 %r6, [%rd5];
)" +
            std::string(shared ? "add.u32 %r7, %r3, %r4; st.shared.u32 [%r7], %r6; bar.warp.sync "
                                 "-1;\nmov.u64 %rd2, %rd4;\n"
                               : "add.u64 %rd5, %rd1, %rd6; st.global.u32 [%rd5], %r6; bar.warp.sync "
                                 "-1;\nmov.u64 %rd2, %rd1;\n") +
            "@!%p0 bra CHANGED;\n" + edit + "CHANGED:\nbar.warp.sync -1;\n" +
            (shared ? "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu."
                      "sync.aligned [%rd1], [%rd4], 128;\n"
                    : "fence.proxy.tensormap::generic.release.gpu;\n") +
            "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;\nbar.warp.sync -1;\n";
        machine m(
            tensor_kernel(map +
                          "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 64;\n"
                          "@%p0 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes "
                          "[%r0], [%rd1, {8, 1}], [%r1];\n" +
                          wait + copy_tile(true)));
        auto const content = random_bytes(random, to.size());
        std::vector<std::uint8_t> memory(40960 + content.size());
        std::copy(content.begin(), content.end(), memory.begin() + 40960);
        auto const out = m.upload(memory);
        m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments_of(out, from.map(out)));
        auto const got = m.download<std::uint8_t>(out, 4096);
        to.each([&](unsigned at, std::int64_t where, bool inside) {
            for (unsigned b = 0; b < 2; ++b)
                CHECK(got[at + b] == (inside ? content[static_cast<std::size_t>(where) + b] : 0));
        });
    }
    auto const fails = [&](std::string const& edit) -> std::string {
        try {
            machine m(tensor_kernel("mov.u64 %rd2, %out;\n@%p0 " + edit), "t.ptx");
            m.launch("k", {1, 1, 1}, {32, 1, 1},
                     arguments_of(m.upload(std::vector{from.map(256)}), from.map(256)));
        } catch (warpkit::error const& e) {
            return e.what();
        }
        return {};
    };
    std::string const field = "tensormap.replace.tile.";
    CHECK(fails(field + "box_dim.global.b1024.b32 [%rd2], 0, 16;").empty());
    CHECK_THAT(fails(field + "box_dim.global.b1024.b32 [%rd2], 0, 257;"),
               Contains("a box of 1 to 256 elements, found 257"));
    CHECK_THAT(fails(field + "box_dim.global.b1024.b32 [%rd2], 5, 16;"),
               Contains("one of the constants 0,1,2,3,4"));
    CHECK_THAT(fails(field + "fill_mode.global.b1024.b32 [%rd2], 1;"), Contains("a fill with NaN"));
    CHECK_THAT(fails(field + "swizzle_atomicity.global.b1024.b32 [%rd2], 1;"),
               Contains("a swizzle of 128 bytes"));
    CHECK_THAT(fails(field + "global_address.global.b1024.b64 [%rd2], 8;"),
               Contains("a multiple of 16, found 8"));
    CHECK_THAT(fails("st.global.u32 [%rd2], 0;\n@%p0 " + field + "rank.global.b1024.b32 [%rd2], 1;"),
               Contains("expected a tensor map, as"));
}
