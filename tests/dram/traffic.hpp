#pragma once
/// \file
/// Nine kinds of traffic to one DRAM channel, the same for every standard (docs/reference/dram.md#traffic).

#include <warpkit/base/hash.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/timing.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpkit::test {

inline constexpr char const* kinds_of_traffic[] = {"random",  "write_heavy", "write_only",
                                                   "strided", "conflicting", "ping_pong",
                                                   "bursts",  "sparse",      "small_hot_set"};

struct traffic {
    std::vector<dram::request> requests; ///< of one atom; tokens count up
    std::vector<cycle> arrival;          ///< of each, or empty: as early as it is taken
};

/// `count` requests. Addresses count atoms from the low end of the map.
inline traffic traffic_of(std::string_view kind, std::uint32_t count, dram::address_mapping const& map,
                          dram::timing const& t) {
    std::uint64_t const atom = t.atom_bytes();
    std::uint64_t const columns = map.row_bytes() / atom;
    std::uint64_t const row =
        columns * map.banks(); // from a row to the next one of the same bank, in an unhashed map
    std::uint64_t const atoms = map.capacity() / atom;
    std::uint64_t state = 7;
    auto const draw = [&] { return hasher::mix(state += 0x9e3779b97f4a7c15U); };
    traffic all;
    cycle now = 0;
    for (std::uint32_t n = 0; n < count; ++n) {
        std::uint64_t place = 0;
        bool write = false;
        if (kind == "random") {
            place = draw();
        } else if (kind == "write_heavy") { // three writes of four
            place = draw();
            write = draw() % 4 != 0;
        } else if (kind == "write_only") {
            place = draw();
            write = true;
        } else if (kind == "strided") { // every third atom
            place = std::uint64_t{n} * 3;
        } else if (kind == "conflicting") { // eight rows of one bank, at random
            place = draw() % 8 * row + draw() % columns;
        } else if (kind == "ping_pong") { // runs of 32 reads, and of 32 writes elsewhere
            write = n / 32 % 2 != 0;
            place = n % 32 + n / 64 * 32 + write * (atoms / 2);
        } else if (kind == "bursts") { // 64 consecutive atoms at once, then a gap
            place = std::uint64_t{n / 64} * 7919 * 64 + n % 64;
            now = cycle{n / 64} * 2000;
        } else if (kind == "sparse") { // one request in 200 cycles
            place = draw();
            write = draw() % 4 == 0;
            now = cycle{n} * 200;
        } else { // 32 places, one access of four writes
            place = draw() % 32 * 1009;
            write = draw() % 4 == 0;
        }
        auto const l = map.decode(place % atoms * atom);
        dram::request r;
        r.token = n;
        r.bank = static_cast<std::uint16_t>(l.bank);
        r.row = l.row;
        r.column = l.column;
        r.write = write;
        all.requests.push_back(r);
        if (kind == "bursts" || kind == "sparse") all.arrival.push_back(now);
    }
    return all;
}

} // namespace warpkit::test
