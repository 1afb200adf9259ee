// Footprints of warps from the addresses of a launch: the hierarchical encoding (thesis 2016, section 3.4.1).
#include <warpkit/program/launch_footprints.hpp>

#include "catch.hpp"

#include <cstdint>
#include <vector>

using namespace warpkit;

namespace {

/// A launch whose accesses are told by hand: CTAs of `threads` threads, each access a function of CTA and thread.
struct told_addresses {
    using address = std::uint64_t (*)(std::uint64_t cta, unsigned thread);
    unsigned threads = 256;
    std::vector<predicted_access> accesses;
    std::vector<address> where;
    std::vector<address_range> arrays;

    unsigned array(std::uint64_t first, std::uint64_t bytes) {
        arrays.push_back({first, first + bytes});
        return static_cast<unsigned>(arrays.size()) - 1;
    }
    void reads(unsigned array, address f, std::uint64_t pitch = 0) {
        predicted_access a;
        a.array = array;
        a.bytes = 4;
        a.reads = true;
        a.predictable = true;
        a.pattern = address_pattern::affine;
        a.pitch = pitch;
        accesses.push_back(a);
        where.push_back(f);
    }
    address_range range(std::uint32_t access, std::uint64_t cta, unsigned from, unsigned to) const {
        address_range r;
        for (auto t = from; t < to; ++t) {
            auto const at = where[access](cta, t);
            r.include({at, at + 4});
        }
        return r;
    }
    predicted_addresses view() const {
        predicted_addresses::functions f;
        f.warp_range = [](void const* self, std::uint32_t a, std::uint64_t cta, unsigned w) {
            return static_cast<told_addresses const*>(self)->range(a, cta, 32 * w, 32 * w + 32);
        };
        f.cta_range = [](void const* self, std::uint32_t a, std::uint64_t cta) {
            auto const* t = static_cast<told_addresses const*>(self);
            return t->range(a, cta, 0, t->threads);
        };
        return {this,
                f,
                accesses.data(),
                static_cast<std::uint32_t>(accesses.size()),
                arrays.data(),
                static_cast<std::uint32_t>(arrays.size())};
    }
};

} // namespace

TEST_CASE("a vector: 1024 regions of consecutive lines, 16 sub-regions each") {
    told_addresses t;
    // 4 MiB: 32768 lines, so 32 lines a region and 2 lines a sub-region; a CTA of 256 threads reads 8 lines.
    t.reads(t.array(0x1000, 4 << 20),
            [](std::uint64_t cta, unsigned i) { return 0x1000 + 4 * (256 * cta + i); });
    auto const view = t.view();
    launch_footprints const f(view, 128);
    REQUIRE(f.arrays() == 1);
    CHECK(f.of(0, 0).region[0] == 0);
    CHECK(f.of(0, 0).touched[0] == 0b0001);
    CHECK(f.of(0, 1).touched[0] == 0b0001); // the line beside it
    CHECK(f.of(0, 7).touched[0] == 0b1000);
    CHECK(f.of(3, 0).touched[0] == 1U << 12);
    CHECK(f.of(4, 0).region[0] == 1);
    CHECK(f.of(4095, 7).region[0] == 1023);
    CHECK(f.of(4095, 7).touched[0] == 1U << 15);
    CHECK(shared_subregions(f.of(0, 0), f.of(0, 1)) == 1);
    CHECK(shared_subregions(f.of(0, 0), f.of(0, 2)) == 0);
    CHECK(shared_subregions(f.of(0, 0), f.of(4, 0)) == 0);
}

TEST_CASE("a matrix: regions hold a CTA's tile, sub-regions are its rows where it is a line wide") {
    told_addresses t;
    t.threads = 256;
    // 1024 x 1024 floats: 32 lines by 1024 rows. A CTA of 32 x 8 threads reads 32 rows of one line: four per warp.
    t.reads(
        t.array(0, 4 << 20),
        [](std::uint64_t cta, unsigned i) {
            return 4096 * (cta / 32 * 32 + i / 32 * 4 + i % 32 / 8) + 128 * (cta % 32) + 4 * (i % 8);
        },
        4096);
    auto const view = t.view();
    launch_footprints const f(view, 128);
    CHECK(f.of(0, 0).region[0] == 0);
    CHECK(f.of(1, 0).region[0] == 1);   // to the right
    CHECK(f.of(32, 0).region[0] == 32); // below
    CHECK(f.of(32 * 31 + 31, 0).region[0] == 1023);
    CHECK(f.of(5, 0).touched[0] == 0b11); // two rows a sub-region
    CHECK(f.of(5, 7).touched[0] == 0b11U << 14);
    CHECK(shared_subregions(f.of(5, 0), f.of(6, 0)) == 0);
}

TEST_CASE("a matrix read by columns of tiles: CTAs in the same row of tiles share it") {
    told_addresses t;
    t.reads(
        t.array(0, 4 << 20), // 32 CTAs beside each other read the same 16 rows from their left end
        [](std::uint64_t cta, unsigned i) { return 4096 * (cta / 32 * 16 + i / 16) + 4 * (i % 16); }, 4096);
    t.reads(t.array(1 << 24, 1 << 20), [](std::uint64_t, unsigned) { return std::uint64_t{1} << 24; });
    auto const view = t.view();
    launch_footprints const f(view, 128);
    CHECK(f.arrays() == 2);
    CHECK(f.of(3, 1) == f.of(17, 1));
    CHECK(f.of(3, 1).region[0] != f.of(64, 1).region[0]);
    CHECK(f.of(3, 1).touched[1] == 1); // one value for all
    CHECK(shared_subregions(f.of(3, 1), f.of(17, 1)) == 1 + 1);
    CHECK(shared_subregions(f.of(3, 1), f.of(17, 2)) == 1);
}

TEST_CASE("only what is read and known counts, five arrays at most; a border is crossed to the same place") {
    told_addresses t;
    auto const vector = [](std::uint64_t cta, unsigned i) -> std::uint64_t { return 4 * (256 * cta + i); };
    for (unsigned a = 0; a < 7; ++a) t.reads(t.array(0, 1 << 20), vector);
    t.accesses[0].reads = false;
    t.accesses[1].predictable = false;
    auto const view = t.view();
    CHECK(launch_footprints(view, 128).arrays() == 5);
    CHECK(launch_footprints(predicted_addresses(), 128).arrays() == 0);

    told_addresses shifted; // CTAs of 8 lines, which begin 4 lines into a region of 8
    shifted.reads(shifted.array(0, 1 << 20),
                  [](std::uint64_t cta, unsigned i) -> std::uint64_t { return 4 * (256 * cta + i + 128); });
    auto const other = shifted.view();
    launch_footprints const f(other, 128);
    CHECK(f.of(0, 0).region[0] == f.of(0, 7).region[0]);
    CHECK(f.of(0, 0).touched[0] == 1U << 4); // a line is a sub-region
    CHECK(f.of(0, 7).touched[0] == 1U << 3);
}

TEST_CASE("large tiles have 4 x 4 sub-regions; a range that runs into the next row is whole rows; one before "
          "the array") {
    told_addresses t;
    t.threads =
        64; // a CTA of 512 x 64 bytes, of which a warp touches the first and the last byte: 4 lines, 32 rows
    t.reads(
        t.array(1 << 20, 1 << 20),
        [](std::uint64_t cta, unsigned i) -> std::uint64_t {
            return (1 << 20) + 65536 * cta + 1024 * (i / 32 * 32) + (i % 32 == 0 ? 0 : 1024 * 31 + 508);
        },
        1024);
    auto const view = t.view();
    launch_footprints const f(view, 128);
    CHECK(f.of(2, 0).region[0] == 2 * 32);
    CHECK(f.of(2, 0).touched[0] == 0x00ff); // the upper half
    CHECK(f.of(2, 1).touched[0] == 0xff00);

    told_addresses rows; // one warp: from the end of a row to the begin of the next one
    rows.threads = 32;
    rows.reads(
        rows.array(0, 1 << 20),
        [](std::uint64_t cta, unsigned i) -> std::uint64_t { return 65536 * cta + 1000 + i; }, 1024);
    auto const other = rows.view();
    CHECK(launch_footprints(other, 128).of(1, 0).touched[0] != 0);

    told_addresses before; // a stencil's left neighbour
    before.threads = 32;
    before.reads(before.array(4096, 1 << 20),
                 [](std::uint64_t cta, unsigned i) -> std::uint64_t { return 4096 + 128 * cta + 4 * i - 4; });
    auto const third = before.view();
    CHECK(launch_footprints(third, 128).of(0, 0).touched[0] != 0);
    CHECK(launch_footprints(third, 128).of(5, 0).touched[0] != 0);
}

TEST_CASE("M and N: fewer region bits and sub-regions make regions larger and masks coarser") {
    told_addresses t;
    t.reads(t.array(0x1000, 4 << 20),
            [](std::uint64_t cta, unsigned i) { return 0x1000 + 4 * (256 * cta + i); });
    auto const view = t.view();
    launch_footprints const f(view, 128, 4, 4); // the thesis' figure 3.10: 16 regions of 4 sub-regions
    // 32768 lines: 2048 a region, 512 a sub-region: 64 CTAs of 8 lines.
    CHECK(f.of(0, 0).region[0] == 0);
    CHECK(f.of(255, 0).region[0] == 0);
    CHECK(f.of(256, 0).region[0] == 1);
    CHECK(f.of(4095, 0).region[0] == 15);
    CHECK(f.of(63, 7).touched[0] == 1);
    CHECK(f.of(64, 0).touched[0] == 2);
    CHECK(f.of(255, 7).touched[0] == 8);
    CHECK(launch_footprints(view, 128) == launch_footprints(view, 128, 99, 99)); // 10 and 16 are the most
    CHECK_FALSE(launch_footprints(view, 128) == f);
}
