// Drives one DRAM channel from a request file, as fast as it takes them, and says how long it took.

#include <warpkit/dram/address_picture.hpp>
#include <warpkit/dram/bank_queues.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/protocol_checker.hpp>
#include <warpkit/dram/shared_queue.hpp>
#include <warpkit/dram/standards.hpp>

#include "support/access_file.hpp"
#include "support/command_line.hpp"
#include "support/numbers.hpp"

using namespace warpkit;
using namespace warpkit::dram;

namespace {

struct options {
    std::vector<std::string> file;
    std::string standard = "gddr5_gtx480", scheduler = "fr_fcfs", format = "table";
    bool binary = false, refresh = false, check = false, commands = false, list = false, map = false;
};

struct printer {
    bool is_on;
    void on(command const& c) const {
        constexpr char const* names[] = {"ACT", "PRE", "RD", "WR", "PREA", "REF", "REFB"};
        if (is_on)
            std::printf("%10llu %-4s bank %2u row %u column %u\n", c.at + 0ULL,
                        names[static_cast<int>(c.kind)], c.bank, c.row, c.column);
    }
};

template <class Scheduler>
int drive(options const& o, standard const& s, queue_sizes const& sizes) {
    address_mapping const map(s.mapping, 1);
    std::vector<request> requests;
    for (auto const& r :
         o.binary ? examples::read_binary_accesses(o.file[0]) : examples::read_accesses(o.file[0], "RW")) {
        auto const l = map.decode(r.address);
        requests.push_back(
            {requests.size(), l.row, l.column, static_cast<std::uint16_t>(l.bank), 1, r.letter == 1});
    }
    auto t = *s.numbers;
    if (o.refresh && s.refi == 0) throw error(o.standard + " has no refresh interval");
    if (o.refresh) t.refi = s.refi;
    channel<Scheduler> dram(t, sizes, s.bus);
    protocol_checker checker(t, s.bus == command_bus::single ? 1 : 2);
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
    auto const per = [](std::uint64_t a, std::uint64_t b) { return b == 0 ? 0 : double(a) / double(b); };
    std::vector<examples::number> numbers = {
        {"requests", std::to_string(requests.size()), ""},
        {"cycles", std::to_string(now + 1), "until the last has been answered"},
        {"row_hit_rate", report::fixed(per(n.row_hits, n.requests_served), 4), ""},
        {"bus_utilisation", report::fixed(per(n.bus_busy_cycles, now + 1), 4), "of the data bus"},
        {"banks_at_work", report::fixed(per(n.bank_cycles, n.busy_cycles), 2), "while any has a request"}};
    if (o.check) {
        numbers.push_back({"checked", std::to_string(checker.seen()), "commands"});
        numbers.push_back({"broken", std::to_string(checker.broken()), "rules"});
    }
    examples::print(examples::numbers_of(n, numbers), o.format);
    if (o.check && checker.broken() != 0) throw error("broken: " + checker.first());
    return 0;
}

int run(options const& o) {
    standard const* s = nullptr;
    for (auto const& x : standards) {
        if (o.list) std::printf("%-18s %s\n", x.name, x.says);
        if (o.standard == x.name) s = &x;
    }
    if (o.list) return 0;
    if (s == nullptr) throw error("no timing set '" + o.standard + "'; --list names them");
    if (o.map) return std::printf("%s", picture(address_mapping(s->mapping, 1)).c_str()) < 0;
    if (o.file.empty()) throw error("which request file? see --help");
    queue_sizes const split{32, 32, 8, {}};
    if (o.scheduler == "fr_fcfs") return drive<fr_fcfs>(o, *s, {});
    if (o.scheduler == "fcfs") return drive<fcfs>(o, *s, {});
    if (o.scheduler == "first_ready") return drive<shared_queue<first_ready>>(o, *s, split);
    if (o.scheduler == "first_ready_cap") return drive<shared_queue<first_ready_cap<4>>>(o, *s, split);
    if (o.scheduler == "oldest_ready") return drive<shared_queue<oldest_ready>>(o, *s, split);
    if (o.scheduler == "oldest_ready_row_hit") return drive<shared_queue<oldest_ready_row_hit>>(o, *s, split);
    if (o.scheduler == "bank_queues") return drive<bank_queues<>>(o, *s, split);
    throw error("no scheduler '" + o.scheduler + "'; --help names them");
}

} // namespace

int main(int argc, char** argv) {
    options o;
    return examples::command_line("dram_channel",
                                  "[options] <request file>\n" + examples::access_lines("R or W"))
        .option("--binary", o.binary,
                "64-bit little-endian words, address * 2 + 1 for a write, in place of lines")
        .option("--standard", o.standard, "timing set")
        .option("--scheduler", o.scheduler,
                "or fcfs, first_ready, first_ready_cap, oldest_ready, oldest_ready_row_hit, "
                "bank_queues (these five with 32 + 32 requests, reads and writes apart)")
        .option("--refresh", o.refresh, "all-bank refresh at the standard's interval")
        .option("--check", o.check, "put the protocol checker on the command bus")
        .option("--commands", o.commands, "print every command")
        .option("--format", o.format, examples::formats)
        .option("--list", o.list, "print the timing sets, and stop")
        .option("--map", o.map, "print which address bits are what, and stop")
        .words(o.file, 0, 1)
        .run(argc, argv, [&] { return run(o); });
}
