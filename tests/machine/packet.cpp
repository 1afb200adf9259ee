/// What travels between cores and memory partitions: requests of data caches, and the parts that an L2 takes.
#include <warpkit/machine/packet.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <cstdint>

using namespace warpkit;

namespace {

lower_request asked(lower_kind kind) {
    lower_request r;
    r.kind = kind;
    r.address = 0x1240;
    r.bytes = 64;
    r.token = 7;
    r.owner = warp_slot{5};
    r.written = {0xff, 0};
    return r;
}

} // namespace

TEST_CASE("what a data cache asks for becomes a packet that names who waits for it") {
    std::uint32_t const fetch = 3; // the cache's own number of it
    for (auto const kind :
         {lower_kind::fetch, lower_kind::atomic, lower_kind::store, lower_kind::write_back}) {
        auto const p = packet_of(asked(kind), fetch);
        CHECK(p.address == 0x1240);
        CHECK(p.bytes == 64);
        CHECK(p.written == block_bytes{0xff, 0});
        CHECK(is_answered(p) == (kind != lower_kind::write_back));
        CHECK_FALSE(is_bulk(p));
        packet over; // written over whatever was there
        over.kind = packet_kind::texture;
        over.warp = 9;
        over.token = 99;
        write_request(over, asked(kind), fetch);
        CHECK(over == p);
    }
    auto const loads = packet_of(asked(lower_kind::fetch), fetch);
    CHECK((loads.kind == packet_kind::read && loads.token == fetch && loads.warp == 5));
    CHECK(packet_of(asked(lower_kind::fetch), fetch, packet_kind::texture).kind == packet_kind::texture);
    auto const atomic = packet_of(asked(lower_kind::atomic), fetch, packet_kind::texture);
    CHECK((atomic.kind == packet_kind::atomic && atomic.token == 7 && atomic.warp == 5));
    auto const stores = packet_of(asked(lower_kind::store), fetch);
    CHECK((stores.kind == packet_kind::write && stores.token == 5 && stores.warp == 5));
    auto const back = packet_of(asked(lower_kind::write_back), fetch); // on nobody's behalf
    CHECK((back.kind == packet_kind::write && back.token == no_token && back.warp == packet{}.warp));
}

TEST_CASE("bulk copies are known by their tokens") {
    packet p;
    for (auto const kind : {packet_kind::bulk_read, packet_kind::write, packet_kind::atomic,
                            packet_kind::read, packet_kind::texture}) {
        p.kind = kind;
        bool const may = kind != packet_kind::read && kind != packet_kind::texture;
        p.token = first_bulk_token;
        CHECK(is_bulk(p) == may);
        p.token = no_token - 1;
        CHECK(is_bulk(p) == may);
        for (auto const token : {0U, first_bulk_token - 1, no_token}) {
            p.token = token;
            CHECK_FALSE(is_bulk(p));
        }
    }
}

TEST_CASE("traffic counts a packet's flits and bytes") {
    traffic t;
    packet p;
    p.flits = 5;
    p.bytes = 128;
    t.count(p);
    t.count(p);
    CHECK(t == traffic{10, 256});
    CHECK((t += traffic{1, 2}) == traffic{11, 258});
}

TEST_CASE("an L2 takes a packet sector by sector, without those of which nothing is written") {
    packet p;
    p.address = 0x1010;
    p.bytes = 96; // 16 bytes of sector 0, sectors 1 and 2, half of 3
    auto const first = part_of(p, 0, 32);
    CHECK((first.begin == 0 && first.bytes == 16 && first.covers == 16));
    auto const last = part_of(p, 80, 32);
    CHECK((last.begin == 80 && last.bytes == 16 && last.covers == 16));
    p.written = {std::uint64_t{0xf} << 36, 0}; // bytes 36 to 39 of the block, which sector 1 has
    auto const only = part_of(p, 0, 32);
    CHECK((only.begin == 16 && only.bytes == 32 && only.covers == 96)); // stands for the whole packet
    CHECK(only.written == p.written);
    p.written = {0, 1}; // byte 64
    auto const behind = part_of(p, 0, 32);
    CHECK((behind.begin == 48 && behind.bytes == 32 && behind.covers == 96));
    CHECK(part_of(p, 80, 32).bytes == 0); // nothing of the rest is written
}

namespace {

bool is_written(packet const& p, std::uint32_t byte) {
    auto const b = (p.address + byte) % 128;
    return (p.written[0] | p.written[1]) == 0 || (p.written[b / 64] >> b % 64 & 1) != 0;
}
/// As part_of, byte by byte.
packet_part naive_part(packet const& p, std::uint32_t done, std::uint32_t sector) {
    auto const sector_of = [&](std::uint32_t byte) { return (p.address + byte) / sector; };
    packet_part r;
    r.covers = p.bytes - done;
    for (auto b = done; b < p.bytes; ++b) {
        if (!is_written(p, b)) continue;
        auto first = b;
        while (first > done && sector_of(first - 1) == sector_of(b)) --first;
        if (r.bytes == 0) {
            r.begin = first;
            while (first + r.bytes < p.bytes && sector_of(first + r.bytes) == sector_of(b)) ++r.bytes;
        } else if (sector_of(b) != sector_of(r.begin)) {
            r.covers = first - done;
            break;
        }
    }
    for (auto b = r.begin; b < r.begin + r.bytes; ++b) {
        auto const bit = (p.address + b) % 128;
        r.written[bit / 64] |= p.written[bit / 64] & std::uint64_t{1} << bit % 64;
    }
    return r;
}

} // namespace

TEST_CASE("parts of packets: byte by byte they are the same, and together they have all that is written") {
    testing::random_numbers random(3);
    for (unsigned trial = 0; trial < 2000; ++trial) {
        auto const sector = 16U << random.below(4);
        auto const begin = random.below(128);
        packet p;
        p.address = 0x4000 + begin;
        p.bytes = 1 + random.below(128 - begin);
        if (random.chance(70)) // few bytes, or most
            for (auto& w : p.written) {
                w = random.chance(50) ? 0 : ~std::uint64_t{0};
                for (auto n = random.below(6); n != 0; --n) w ^= std::uint64_t{1} << random.below(64);
            }
        std::uint32_t done = 0;
        while (done < p.bytes) {
            auto const part = part_of(p, done, sector);
            auto const twin = naive_part(p, done, sector);
            CAPTURE(trial, done);
            REQUIRE((part.begin == twin.begin && part.bytes == twin.bytes && part.covers == twin.covers &&
                     part.written == twin.written));
            done += part.covers;
        }
        REQUIRE(done == p.bytes);
    }
}
