// Drives one DRAM channel from a request file, as fast as it takes them, and says how long it took.

#include <warpkit/base/error.hpp>
#include <warpkit/dram/address_picture.hpp>
#include <warpkit/dram/bank_queues.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/protocol_checker.hpp>
#include <warpkit/dram/shared_queue.hpp>
#include <warpkit/dram/standards.hpp>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

using namespace warpkit;
using namespace warpkit::dram;

namespace {

constexpr char const* help = R"(usage: dram_channel [options] <request file>

The file has one request a line: an address (decimal or 0x...) and R or W; # begins a comment. With --binary it is
64-bit little-endian words, address * 2 + 1 for a write.

  --standard NAME   timing set (default gddr5_gtx480); --list names them
  --scheduler NAME  fr_fcfs (default), fcfs, first_ready, first_ready_cap, oldest_ready, oldest_ready_row_hit,
                    bank_queues (the last five with 32 + 32 requests, reads and writes apart)
  --refresh         all-bank refresh at the standard's interval
  --check           put the protocol checker on the command bus
  --commands        print every command
  --list            print the timing sets
  --map             print which address bits are what, and stop
)";

struct options {
    std::string file;
    std::string scheduler = "fr_fcfs";
    standard const* dram = &standards[1];
    bool binary = false, refresh = false, check = false, commands = false, map = false;
};

standard const* named(std::string const& name) {
    for (auto const& s : standards)
        if (name == s.name) return &s;
    throw error("no timing set '" + name + "'; --list names them");
}

std::vector<request> requests_of(options const& o, address_mapping const& map) {
    std::ifstream in(o.file, o.binary ? std::ios::binary : std::ios::in);
    if (!in) throw error("cannot read '" + o.file + "'");
    std::vector<request> all;
    auto const add = [&](std::uint64_t address, bool write) {
        auto const l = map.decode(address);
        all.push_back({all.size(), l.row, l.column, static_cast<std::uint16_t>(l.bank), 1, write});
    };
    if (o.binary) {
        for (unsigned char b[8]; in.read(reinterpret_cast<char*>(b), 8);) {
            std::uint64_t word = 0;
            for (unsigned i = 8; i-- > 0;) word = word << 8 | b[i];
            add(word >> 1, (word & 1) != 0);
        }
        return all;
    }
    unsigned number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        char kind = 0;
        unsigned long long address = 0;
        if (line.find_first_not_of(" \t\r") == std::string::npos || line[0] == '#') continue;
        if (std::sscanf(line.c_str(), "%lli %c", reinterpret_cast<long long*>(&address), &kind) != 2 ||
            (kind != 'R' && kind != 'W'))
            throw error(o.file + ":" + std::to_string(number) + ": expected an address and R or W");
        add(address, kind == 'W');
    }
    return all;
}

struct printer {
    bool on_;
    void on(command const& c) const {
        static char const* const names[] = {"ACT", "PRE", "RD", "WR", "PREA", "REF", "REFB"};
        if (on_)
            std::printf("%10llu %-4s bank %2u row %u column %u\n", static_cast<unsigned long long>(c.at),
                        names[static_cast<int>(c.kind)], c.bank, c.row, c.column);
    }
};

template <class Scheduler>
int run(options const& o, timing const& t, std::vector<request> const& requests, queue_sizes const& sizes) {
    channel<Scheduler> dram(t, sizes, o.dram->bus);
    protocol_checker checker(t, o.dram->bus == command_bus::single ? 1 : 2);
    printer out{o.commands};
    std::size_t next = 0, done = 0;
    cycle now = 0;
    while (done < requests.size()) {
        while (next < requests.size() && dram.can_accept(requests[next])) dram.push(requests[next++]);
        auto const answer = [&](request const&) { ++done; };
        if (o.check)
            dram.tick(now, answer, checker, out);
        else
            dram.tick(now, answer, out);
        if (done < requests.size()) now = next < requests.size() ? now + 1 : dram.next_event(now);
    }
    auto const& n = dram.counters();
    auto const per = [](std::uint64_t a, std::uint64_t b) {
        return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
    };
    std::printf("%zu requests in %llu cycles\n", requests.size(), static_cast<unsigned long long>(now + 1));
    std::printf("row hits %.1f %%, data bus busy %.1f %%, banks at work %.2f\n",
                100 * per(n.row_hits, n.requests_served), 100 * per(n.bus_busy_cycles, now + 1),
                per(n.bank_cycles, n.busy_cycles));
    std::printf("%llu reads, %llu writes, %llu activates, %llu precharges, %llu refreshes\n",
                static_cast<unsigned long long>(n.read_atoms), static_cast<unsigned long long>(n.write_atoms),
                static_cast<unsigned long long>(n.activates), static_cast<unsigned long long>(n.precharges),
                static_cast<unsigned long long>(n.refreshes));
    if (!o.check) return 0;
    std::printf("%llu commands checked, %llu rules broken\n", static_cast<unsigned long long>(checker.seen()),
                static_cast<unsigned long long>(checker.broken()));
    for (auto const& v : checker.violations()) std::printf("  %s\n", v.c_str());
    return checker.broken() == 0 ? 0 : 1;
}

int run(options const& o) {
    address_mapping const map(o.dram->mapping, 1);
    if (o.map) {
        std::printf("%s", picture(map).c_str());
        return 0;
    }
    auto t = *o.dram->numbers;
    if (o.refresh) {
        if (o.dram->refi == 0) throw error(std::string(o.dram->name) + " has no refresh interval");
        t.refi = o.dram->refi;
    }
    auto const requests = requests_of(o, map);
    queue_sizes const split{32, 32, 8, {}};
    if (o.scheduler == "fr_fcfs") return run<fr_fcfs>(o, t, requests, {});
    if (o.scheduler == "fcfs") return run<fcfs>(o, t, requests, {});
    if (o.scheduler == "first_ready") return run<shared_queue<first_ready>>(o, t, requests, split);
    if (o.scheduler == "first_ready_cap") return run<shared_queue<first_ready_cap<4>>>(o, t, requests, split);
    if (o.scheduler == "oldest_ready") return run<shared_queue<oldest_ready>>(o, t, requests, split);
    if (o.scheduler == "oldest_ready_row_hit")
        return run<shared_queue<oldest_ready_row_hit>>(o, t, requests, split);
    if (o.scheduler == "bank_queues") return run<bank_queues<>>(o, t, requests, split);
    throw error("no scheduler '" + o.scheduler + "'; --help names them");
}

} // namespace

int main(int argc, char** argv) try {
    options o;
    for (int i = 1; i < argc; ++i) {
        std::string const a = argv[i];
        auto const value = [&] {
            if (i + 1 == argc) throw error(a + " wants a name");
            return std::string(argv[++i]);
        };
        if (a == "--help") return std::printf("%s", help) < 0;
        if (a == "--list") {
            for (auto const& s : standards) std::printf("%-18s %s\n", s.name, s.says);
            return 0;
        }
        if (a == "--standard")
            o.dram = named(value());
        else if (a == "--scheduler")
            o.scheduler = value();
        else if (a == "--binary")
            o.binary = true;
        else if (a == "--refresh")
            o.refresh = true;
        else if (a == "--check")
            o.check = true;
        else if (a == "--commands")
            o.commands = true;
        else if (a == "--map")
            o.map = true;
        else if (a.rfind("--", 0) == 0)
            throw error("no option '" + a + "'; see --help");
        else
            o.file = a;
    }
    if (o.file.empty() && !o.map) throw error("which request file? see --help");
    return run(o);
} catch (std::exception const& e) {
    std::fprintf(stderr, "dram_channel: %s\n", e.what());
    return 2;
}
