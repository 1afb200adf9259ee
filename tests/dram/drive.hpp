#pragma once
/// \file
/// Drives a channel in tests: saturating injection in order, under the protocol checker.

#include <warpkit/base/hash.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/protocol_checker.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpkit::test {

/// Deterministic numbers for tests (splitmix64).
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}
    std::uint64_t operator()() { return hasher::mix(state_ += 0x9e3779b97f4a7c15U); }
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((*this)() % n); }

private:
    std::uint64_t state_;
};

struct completion {
    std::uint64_t token;
    cycle at;
    friend bool operator==(completion const&, completion const&) = default;
};

struct record {
    std::vector<dram::command> commands;
    std::vector<completion> done;
    cycle end = 0; ///< the cycle of the last completion
    void on(dram::command const& c) { commands.push_back(c); }
    friend bool operator==(record const&, record const&) = default;
};

/// Pushes requests in order, each not before its arrival (all at once if none are given) and as fast as the queue takes
/// them, and ticks until all are done: every cycle, or only when something can happen.
template <class Channel>
record drive(Channel& channel, std::vector<dram::request> const& requests, dram::protocol_checker& checker,
             bool every_cycle = false, std::vector<cycle> const& arrival = {}) {
    record r;
    std::size_t next = 0;
    cycle now = 0;
    auto const next_arrival = [&] {
        return next < requests.size() && !arrival.empty() ? arrival[next] : never;
    };
    auto const push_all = [&] {
        while (next < requests.size() && channel.can_accept(requests[next]) &&
               (arrival.empty() || arrival[next] <= now))
            channel.push(requests[next++]);
    };
    push_all();
    cycle const limit =
        1'000'000 + (arrival.empty() ? 0 : arrival.back()); // a channel that hangs fails its test
    while (r.done.size() < requests.size() && now < limit) {
        channel.tick(
            now,
            [&](dram::request const& q) {
                r.done.push_back({q.token, now});
            },
            r, checker);
        r.end = now;
        push_all(); // what fits now is seen in the next cycle
        auto const event = channel.next_event(now);
        auto const arrives = next_arrival();
        now = every_cycle ? now + 1 : arrives > now && arrives < event ? arrives : event;
        push_all();
    }
    return r;
}

inline dram::request read_of(unsigned bank, unsigned row, unsigned column = 0, unsigned atoms = 1) {
    dram::request r;
    r.bank = static_cast<std::uint16_t>(bank);
    r.row = row;
    r.column = column;
    r.atoms = static_cast<std::uint16_t>(atoms);
    return r;
}
inline dram::request write_of(unsigned bank, unsigned row, unsigned column = 0, unsigned atoms = 1) {
    auto r = read_of(bank, row, column, atoms);
    r.write = true;
    return r;
}
/// Numbers the requests: token i for the i-th.
inline std::vector<dram::request> numbered(std::vector<dram::request> requests) {
    for (std::size_t i = 0; i < requests.size(); ++i) requests[i].token = i;
    return requests;
}

/// Consistent timings, drawn at random, without what GPGPU-Sim lacks.
inline dram::timing basic_timing(random_numbers& random) {
    auto const up_to = [&](std::uint32_t low, std::uint32_t high) {
        return low + random.below(high - low + 1);
    };
    dram::timing t;
    t.banks = 1u << up_to(0, 5);
    t.bank_groups = 1u << random.below(3);
    while (t.bank_groups > t.banks) t.bank_groups /= 2;
    t.groups_by_low_bits = random.below(2) != 0;
    t.data_rate = 1u << random.below(3);
    t.burst_length = t.data_rate * up_to(1, 4);
    t.ccd = t.burst_cycles() + random.below(2);
    t.ccdl = t.bank_groups > 1 ? t.ccd + random.below(3) : 0;
    t.rrd = up_to(1, 12);
    t.rcd = up_to(2, 24);
    t.rcdwr = up_to(1, t.rcd);
    t.rp = up_to(1, 24);
    t.ras = t.rcd + random.below(30);
    t.rc = t.ras + t.rp + random.below(6);
    t.cl = up_to(1, 24);
    t.wl = up_to(1, std::min(t.cl + t.burst_cycles() + 1, 24u));
    t.cdlr = random.below(12);
    t.wr = random.below(24);
    t.rtp = up_to(1, 8);
    t.rtpl = random.below(8);
    t.check();
    return t;
}

/// So many requests, with as many tokens, to a few rows of each bank.
inline std::vector<dram::request> basic_requests(random_numbers& random, dram::timing const& t,
                                                 unsigned count) {
    std::vector<dram::request> v;
    unsigned const rows = 1 + random.below(5);
    unsigned const writes = random.below(101);
    unsigned const longest = 1 + random.below(4);
    for (unsigned i = 0; i < count; ++i) {
        // one draw per statement: the order of arguments is the compiler's own
        auto const bank = random.below(t.banks);
        auto const row = random.below(rows);
        auto const column = random.below(16) * t.atom_bytes();
        auto r = read_of(bank, row, column, 1 + random.below(longest));
        r.write = random.below(100) < writes;
        v.push_back(r);
    }
    return numbered(v);
}

inline unsigned commands_per_cycle(dram::command_bus bus) { return bus == dram::command_bus::single ? 1 : 2; }

} // namespace warpkit::test
