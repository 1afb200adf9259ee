#pragma once
// What .ci/cost --branches prints: per kernel of bench/cost/timing.cpp what costs a host time in gpu::run, instructions
// aside.

#include "branches.hpp"
#include "counted.hpp"
#include "programs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cost {

/// The first-level data cache that is asked about, as callgrind wants it: 48 KB in 12 ways, lines of 64 bytes.
inline constexpr char const* first_level = "49152,12,64";

/// Counts the timing phase of some kernels, all unless some are named; writes a table, and with it, where asked, the
/// source lines in which most is mispredicted.
class branch_table {
public:
    /// `program` is made of bench/cost/timing.cpp, with lines and at fixed addresses; `source` is the project.
    branch_table(std::filesystem::path program, std::filesystem::path const& source)
        : program_(std::move(program)),
          code_(disassembled()),
          roots_{(source / "include/warpkit/").string(), (source / "").string(), "/usr/include/c++/"} {}

    void print(std::vector<std::string> const& kernels, bool with_lines) {
        auto const chosen = choose(kernels);
        std::vector<row> rows;
        for (auto const& kernel : chosen) rows.push_back(measure(kernel));
        std::cout << rows.front().compiler << "; first-level data cache " << first_level
                  << "; of gpu::run\n\n"
                  << std::left << std::setw(18) << "kernel" << std::setw(17) << "per" << std::right
                  << std::setw(13) << "instructions" << std::setw(13) << "conditional" << std::setw(14)
                  << "mispredicted" << std::setw(10) << "indirect" << std::setw(14) << "mispredicted"
                  << std::setw(11) << "D1 misses" << '\n';
        for (auto const& r : rows) {
            print(r, r.warp_instructions, "warp instruction");
            if (gathers(r)) print(r, r.transactions, "transaction");
        }
        if (with_lines)
            for (auto const& r : rows) print_lines(r);
    }

private:
    struct row {
        std::string compiler;
        std::string kernel;
        std::uint64_t warp_instructions = 0;
        std::uint64_t transactions = 0;
        std::uint64_t instructions = 0;
        std::uint64_t misses = 0;
        guesses conditional;
        guesses indirect;
        std::map<std::uint64_t, guesses> by_address;
    };

    /// A transaction is what a divergent load is measured by.
    static bool gathers(row const& r) { return r.kernel.starts_with("gather"); }

    disassembly disassembled() const {
        std::istringstream in(run("objdump -d --no-show-raw-insn " + program_.string()).output);
        return disassembly(in);
    }

    std::vector<std::string> choose(std::vector<std::string> const& named) const {
        std::vector<std::string> all;
        std::string list;
        for (auto const& p : read_lines(run(program_.string()).output).phases)
            if (p.phase == "timing") {
                all.push_back(p.what);
                list += ' ' + p.what;
            }
        for (auto const& name : named)
            if (std::find(all.begin(), all.end(), name) == all.end())
                throw std::runtime_error("no kernel " + name + "; there are" + list);
        return named.empty() ? all : named;
    }

    row measure(std::string const& kernel) const {
        // What it says of the last-level cache of this host is not asked for.
        auto const counted = count(program_, kernel,
                                   std::string("--cache-sim=yes --D1=") + first_level +
                                       " --log-file=" + program_.string() + ".log");
        row r;
        r.compiler = counted.compiler;
        r.kernel = kernel;
        for (auto const& p : counted.phases)
            if (p.phase == "timing") {
                r.warp_instructions = p.warp_instructions;
                r.transactions = p.transactions;
                r.instructions = p.own;
                r.misses = p.counted.of_event("D1mr") + p.counted.of_event("D1mw");
            }
        std::cerr << "cost: " << kernel << ": " << grouped(r.instructions) << " host instructions, "
                  << grouped(r.misses) << " data cache misses\n";
        branch_trace trace(code_, code_.function("phase_timing"), code_.function("end_of_phase"));
        // What the program itself says goes nowhere, what lackey says comes here.
        for_each_line("exec valgrind -q --tool=lackey --basic-counts=no --trace-superblocks=yes "
                      "--vex-guest-chase=no --vex-iropt-unroll-thresh=0 --log-fd=9 " +
                          program_.string() + ' ' + kernel + " 9>&1 >/dev/null",
                      [&](std::string_view line) { trace.line(line); });
        trace.finish();
        r.conditional = trace.conditional();
        r.indirect = trace.indirect();
        r.by_address = trace.missed();
        std::cerr << "cost: " << kernel << ": " << grouped(r.conditional.made) << " conditional branches, "
                  << grouped(r.conditional.missed) << " mispredicted\n";
        return r;
    }

    static void print(row const& r, std::uint64_t of, char const* unit) {
        auto const cell = [&](int width, int digits, std::uint64_t n) {
            std::cout << std::setw(width) << std::setprecision(digits)
                      << static_cast<double>(n) / static_cast<double>(of);
        };
        std::cout << std::left << std::setw(18) << r.kernel << std::setw(17) << unit << std::right
                  << std::fixed;
        cell(13, 1, r.instructions);
        cell(13, 1, r.conditional.made);
        cell(14, 2, r.conditional.missed);
        cell(10, 2, r.indirect.made);
        cell(14, 2, r.indirect.missed);
        cell(11, 2, r.misses);
        std::cout << '\n';
    }

    void print_lines(row const& r) const {
        constexpr std::size_t most = 20;
        auto const list = program_.string() + ".missed";
        std::ofstream addresses(list);
        for (auto const& [address, g] : r.by_address) addresses << std::hex << address << '\n';
        addresses.close();
        std::istringstream in(run("addr2line -a -i -e " + program_.string() + " < " + list).output);
        auto const where = read_source_lines(in, roots_);
        std::map<std::string, guesses> by_line;
        for (auto const& [address, g] : r.by_address) {
            auto const found = where.find(address);
            by_line[found == where.end() ? "?" : found->second] += g;
        }
        std::vector<std::pair<std::string, guesses>> all(by_line.begin(), by_line.end());
        std::stable_sort(all.begin(), all.end(),
                         [](auto const& a, auto const& b) { return a.second.missed > b.second.missed; });
        if (all.size() > most) all.resize(most);
        auto const of = static_cast<double>(gathers(r) ? r.transactions : r.warp_instructions);
        std::cout << '\n'
                  << r.kernel << ", per " << (gathers(r) ? "transaction" : "warp instruction")
                  << ":\n mispredicted  branches  where\n";
        for (auto const& [line, g] : all)
            std::cout << std::setw(13) << std::setprecision(2) << static_cast<double>(g.missed) / of
                      << std::setw(10) << static_cast<double>(g.made) / of << "  " << line << '\n';
    }

    std::filesystem::path program_;
    disassembly code_;
    std::vector<std::string> roots_;
};

} // namespace cost
