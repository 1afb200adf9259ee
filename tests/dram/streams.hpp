#pragma once
/// \file
/// The request streams by which DRAM controllers are compared (docs/model/peers.md#dram), number for number as their
/// generator makes them.

#include <warpkit/base/hash.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/timing.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpkit::test {

/// Requests of one atom to one channel with this mapping; tokens count up.
inline std::vector<dram::request> stream(std::string_view kind, std::uint64_t count,
                                         dram::address_mapping const& map, dram::timing const& t) {
    std::uint64_t const atom = t.atom_bytes();
    std::uint64_t const columns = map.row_bytes() / atom;
    std::uint64_t const row_stride = std::uint64_t{map.row_bytes()} * map.banks();
    std::uint64_t const atoms = map.capacity() / atom;
    std::uint64_t state = 1;
    auto const draw = [&] { return hasher::mix(state += 0x9e3779b97f4a7c15U); };

    std::vector<dram::request> all;
    auto const add = [&](std::uint64_t address, bool write) {
        auto const l = map.decode(address);
        dram::request r;
        r.token = all.size();
        r.bank = static_cast<std::uint16_t>(l.bank);
        r.row = l.row;
        r.column = l.column;
        r.write = write;
        all.push_back(r);
    };
    std::uint64_t position[16] = {};
    if (kind == "mix16")
        for (std::uint64_t s = 0; s < 16; ++s) {
            auto const part = atoms / 16;
            position[s] = s * part * atom + atom * (draw() % (part - (count < part / 2 ? count : part / 2)));
        }
    for (std::uint64_t n = 0; n < count; ++n) {
        if (kind == "seq") {
            add(n % atoms * atom, false);
        } else if (kind == "rand") {
            add(draw() % atoms * atom, false);
        } else if (kind == "mix16") {
            auto const s = draw() % 16;
            add(position[s], s % 4 == 3);
            position[s] += atom;
        } else if (kind == "pingpong") {
            auto const row = 2 * (n / (2 * columns)) + n % 2;
            add(row % map.rows() * row_stride + n / 2 % columns * atom, false);
        } else { // rowwalk
            add(n % map.rows() * row_stride + n / map.rows() % columns * atom, false);
        }
    }
    return all;
}

/// Cycles that a channel takes for all of them, pushed in order and as early as it takes them.
template <class Channel, class... Listener>
cycle cycles_to_serve(Channel& channel, std::vector<dram::request> const& requests, cycle first,
                      Listener&... listener) {
    std::size_t next = 0;
    std::size_t done = 0;
    cycle now = first;
    auto const push = [&] {
        while (next < requests.size() && channel.can_accept(requests[next])) channel.push(requests[next++]);
    };
    for (push(); done < requests.size(); now = channel.next_event(now)) {
        channel.tick(
            now, [&](dram::request const&) { ++done; }, listener...);
        if (done == requests.size()) break;
        push();
    }
    return now + 1 - first;
}

} // namespace warpkit::test
