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
            // CUDA C++ Programming Guide, "Swizzle": pieces of 16 bytes by the number of their line of 128.
            unsigned const offset = i * bytes;
            unsigned const line = offset / 128;
            unsigned const modulus = swizzle == tensor_swizzle::b128  ? 8
                                     : swizzle == tensor_swizzle::b64 ? 4
                                     : swizzle == tensor_swizzle::b32 ? 2
                                                                      : 1;
            unsigned const piece = (offset % 128 / 16) ^ (line % modulus);
            f(line * 128 + piece * 16 + offset % 16, at, inside);
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
    t.bytes = warpkit::size_of(t.element);
    t.swizzle = static_cast<tensor_swizzle>(random() % 4);
    unsigned const most_row =
        t.swizzle == tensor_swizzle::none ? 128 : 16U << static_cast<unsigned>(t.swizzle);
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
    CHECK_THAT(fails("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                     "[%r0], [%map, "
                     "{0, 0, 0}], [%r1];",
                     good),
               Contains("unknown form"));
    CHECK_THAT(
        fails("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r0], "
              "[%map, {0, 0, 0, 0, 0}], [%r1];",
              good),
        Contains("unknown form"));
}
