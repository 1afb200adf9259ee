/// What a load/store unit makes of an instruction: accesses, transactions, and where these go
/// (docs/model/load_store.md).

#include <warpkit/lsu/fermi_coalescing.hpp>
#include <warpkit/machine/access_cutter.hpp>

#include "catch.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace warpkit;

namespace {

using cutter = access_cutter<fermi_coalescing>;
using lane = transaction_lane;

gpu_parameters numbers() {
    gpu_parameters p;
    p.core.count = 2;
    p.lsu.shared_banks = 32;
    p.l1d.size = 16384;
    p.l1d.line = p.l1d.sector = 128;
    p.l1c.size = p.l1t.size = 0;
    p.l1c.line = p.l1c.sector = 64;
    p.l1t.line = 128;
    return p;
}
/// Lane i accesses base + stride * i.
warp_access access(access_kind kind, std::uint64_t base, std::uint64_t stride = 4, unsigned bytes = 4) {
    warp_access a;
    a.active = all_lanes;
    a.kind = kind;
    a.bytes = bytes;
    a.base = base;
    a.stride = stride;
    return a;
}
struct cut {
    lane to;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> transactions; ///< address and bytes
    cut(cutter& c, memory_space space, warp_access const& a) {
        transaction_list list;
        to = c.cut(space, a, list);
        for (auto const& t : list) transactions.emplace_back(t.address, t.bytes);
    }
};
using blocks = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

} // namespace

TEST_CASE("loads and stores go to the L1 where there is one, atomics past it", "[machine]") {
    for (bool const has_l1 : {true, false}) {
        auto p = numbers();
        if (!has_l1) p.l1d.size = 0;
        cutter c(p, false, {}, 0);
        auto const behind = has_l1 ? lane::l1 : lane::past_l1;
        std::uint64_t all = 0;
        for (auto const space : {memory_space::global, memory_space::local, memory_space::texture}) {
            for (auto const kind : {access_kind::load, access_kind::store, access_kind::atomic}) {
                auto const one = cut(c, space, access(kind, 0x1000));
                CHECK(one.to == (kind == access_kind::atomic ? lane::past_l1 : behind));
                CHECK_FALSE(one.transactions.empty());
                all += one.transactions.size();
            }
        }
        auto const of_shared = cut(c, memory_space::shared, access(access_kind::load, 0));
        CHECK(of_shared.to == lane::none);
        CHECK(of_shared.transactions.empty());
        CHECK(c.shared_cycles(access(access_kind::load, 0, 8)) == 2);
        CHECK(c.bank_conflict_cycles() == 1);
        CHECK(c.transactions() == all);
    }
}

TEST_CASE("a load that is to go past the L1 does, but for in front of a replay queue", "[machine]") {
    auto load = access(access_kind::load, 0x1000);
    load.past_l1 = true;
    cutter past(numbers(), false, {}, 0);
    auto const found = cut(past, memory_space::global, load);
    CHECK(found.to == lane::past_l1);
    CHECK(found.transactions == blocks{{0x1000, 32}, {0x1020, 32}, {0x1040, 32}, {0x1060, 32}});
    cutter kept(numbers(), false, {}, 0, false);
    CHECK(cut(kept, memory_space::global, load).to == lane::l1);
}

TEST_CASE("what goes to an L1 with sectors is cut at them, stores only where they may fetch", "[machine]") {
    auto p = numbers();
    p.l1d.sector = 32;
    blocks const whole{{0x1000, 128}};
    blocks const sectors{{0x1000, 32}, {0x1020, 32}, {0x1040, 32}, {0x1060, 32}};
    for (bool const fetches : {false, true}) {
        cutter c(p, fetches, {}, 0);
        CHECK(cut(c, memory_space::global, access(access_kind::load, 0x1000)).transactions == sectors);
        CHECK(cut(c, memory_space::global, access(access_kind::store, 0x1000)).transactions ==
              (fetches ? sectors : whole));
    }
}

TEST_CASE("constants, parameters and textures are read through caches of their own, where these are",
          "[machine]") {
    auto p = numbers();
    cutter without(p, false, {}, 0);
    CHECK(cut(without, memory_space::constant, access(access_kind::load, 64)).to == lane::none);
    CHECK(cut(without, memory_space::parameter, access(access_kind::load, 64)).to == lane::none);

    p.l1c.size = p.l1t.size = 8192;
    cutter c(p, false, {}, 0);
    auto const constants = cut(c, memory_space::constant, access(access_kind::load, 64));
    CHECK(constants.to == lane::read_only);
    CHECK(constants.transactions == blocks{{constant_base + 64, 64}, {constant_base + 128, 64}});
    auto const parameters = cut(c, memory_space::parameter, access(access_kind::load, 0, 0));
    CHECK(parameters.transactions == blocks{{parameter_base, 64}});
    auto const inlined = cut(c, memory_space::parameter, access(access_kind::load, call_frame, 0));
    CHECK(inlined.to == lane::none); // parameters of an inlined function are no memory
    CHECK(inlined.transactions.empty());
    CHECK(c.transactions() == 0); // constants are not counted
    auto const textures = cut(c, memory_space::texture, access(access_kind::load, 0x2040));
    CHECK(textures.to == lane::read_only);
    CHECK(textures.transactions == blocks{{0x2000, 128}, {0x2080, 128}});
    CHECK(c.transactions() == 2);

    p.l1c.sector = 32;
    cutter in_sectors(p, false, {}, 0);
    CHECK(cut(in_sectors, memory_space::constant, access(access_kind::load, 96, 0)).transactions ==
          blocks{{constant_base + 96, 32}});
}

TEST_CASE("sectors below the smallest transaction are refused", "[machine]") {
    auto p = numbers();
    p.l1d.sector = 16;
    CHECK_THROWS_WITH(cutter(p, false, {}, 0),
                      "l1d.sector = 16 B is below 32 B, the smallest transaction; nearest legal value: 32 B");
    p.l1d.size = 0; // then nobody minds
    CHECK_NOTHROW(cutter(p, false, {}, 0));
    p.l1c.size = 8192;
    p.l1c.sector = 16;
    CHECK_THROWS_WITH(cutter(p, false, {}, 0),
                      "l1c.sector = 16 B is below 32 B, the smallest transaction; nearest legal value: 32 B");
}

namespace {

struct part {
    memory_space space;
    lane_mask active;
    std::uint64_t first; ///< address of the lowest active lane
    std::uint32_t bytes;
    bool alone;
    friend bool operator==(part const&, part const&) = default;
};
std::vector<part> parts_of(memory_space space, lane_mask mask, unsigned bytes,
                           lane_addresses const& address) {
    cutter c(numbers(), false, {}, 1);
    c.begin_kernel(4, 2);
    warp_stream s;
    s.append(0, mask, space, address);
    stream_cursor const at(s);
    warp_access a;
    a.active = mask;
    a.bytes = bytes;
    a.affine = false;
    a.addresses = &address;
    std::vector<part> parts;
    c.each_part(a, warp_slot{3}, at, s, [&](memory_space in, warp_access const& p, bool alone) {
        unsigned low = 0;
        while ((p.active >> low & 1) == 0) ++low;
        parts.push_back({in, p.active, p.address(low), p.bytes, alone});
    });
    return parts;
}

} // namespace

TEST_CASE("an access to one space is one part, to local memory one for each word", "[machine]") {
    lane_addresses address{};
    for (unsigned i = 0; i < lanes; ++i) address[i] = 0x1000 + 16 * i;
    CHECK(parts_of(memory_space::global, 0xf0, 16, address) ==
          std::vector<part>{{memory_space::global, 0xf0, 0x1040, 16, true}});

    address = {};
    // Core 1 of 2, each with room for 4 CTAs of 2 warps: warp slot 3 has threads from ((1 * 2 + 1) * 2 + 1) * 32 on.
    auto const threads = std::uint64_t{2} * 4 * 2 * lanes;
    auto const thread = std::uint64_t{(1 * 2 + 1) * 2 + 1} * lanes;
    CHECK(parts_of(memory_space::local, all_lanes, 4, address) ==
          std::vector<part>{{memory_space::local, all_lanes, local_base + thread * 4, 4, true}});
    CHECK(parts_of(memory_space::local, all_lanes, 8, address) ==
          std::vector<part>{{memory_space::local, all_lanes, local_base + thread * 4, 4, false},
                            {memory_space::local, all_lanes, local_base + (threads + thread) * 4, 4, false}});
}

TEST_CASE("lanes that look into several spaces are a part for each space", "[machine]") {
    lane_addresses address{};
    for (unsigned i = 0; i < 4; ++i)
        address[i] = window_of(i < 2 ? memory_space::shared : memory_space::global) | (0x100 + 4 * i);
    CHECK(parts_of(memory_space::generic, 0xf, 4, address) ==
          std::vector<part>{{memory_space::shared, 0x3, 0x100, 4, false},
                            {memory_space::global, 0xc, 0x108, 4, false}});
    CHECK(parts_of(memory_space::generic, 0x3, 4, address) ==
          std::vector<part>{{memory_space::shared, 0x3, 0x100, 4, true}});
}
