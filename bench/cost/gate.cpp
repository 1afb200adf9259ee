// Counts what simulation costs on the host, and holds it against what is committed: see usage. Called by .ci/cost.

#include <warpkit/base/output_file.hpp>

#include "branch_table.hpp"
#include "counted.hpp"
#include "programs.hpp"
#include "scaling.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace cost;

constexpr char const* usage = R"(usage: gate [options] compiler...
  --source DIR     the project
  --work DIR       where to build
  --kernels LIBS   of the shipped kernels and their front end, made by the first compiler: functional
                   execution is counted too
  --cxxflags TEXT  more for the compilers
  --update         write what was counted into the committed file
  --markdown       tables for docs/explanation/performance.md, of full sizes; nothing is compared
  --growth         tables of what a warp instruction costs on 1 to 132 SMs and in kernels of up to 10^8 of them, by the first compiler
  --threads        tables of what two threads gain, by the first compiler; for a machine with nothing else to do
  --branches       a table of mispredicted branches and data cache misses, by the first compiler; --branches=lines
                   with the source lines of most mispredicted branches
  --kernel NAME    for --branches this one and others that are named so, not all
)";

// A GPU and a preset, at -O2, on each compiler.
constexpr double most_seconds = 10;
constexpr std::uint64_t most_megabytes = 1024;

// What observed.cpp may cost, to what: docs/explanation/performance.md#intervals-and-timelines.
struct bound {
    char const* phase;
    char const* to;
    double most;
    bool part = false; ///< of `to`, not `to` with more in it
};
constexpr bound bounds[] = {{"intervals", "unheard", 1.02},
                            {"intervals_csv", "unheard", 1.02},
                            {"timeline", "timing", 1.5},
                            {"laws", "timing", 1.01, true}};

class gate {
public:
    explicit gate(std::vector<std::string> const& arguments) {
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            auto const& a = arguments[i];
            auto const value = [&] {
                if (i + 1 == arguments.size()) throw std::runtime_error(a + " wants a value");
                return arguments[++i];
            };
            if (a == "--source")
                source_ = value();
            else if (a == "--work")
                work_ = value();
            else if (a == "--kernels")
                kernels_ = value();
            else if (a == "--cxxflags")
                more_ = ' ' + value();
            else if (a == "--update")
                update_ = true;
            else if (a == "--markdown")
                markdown_ = true;
            else if (a == "--growth")
                growth_ = true;
            else if (a == "--threads")
                threads_ = true;
            else if (a == "--branches" || a == "--branches=lines")
                branches_ = a;
            else if (a == "--kernel")
                only_.push_back(value());
            else if (a.starts_with("-"))
                throw std::runtime_error("no option " + a + '\n' + usage);
            else
                compilers_.push_back(a);
        }
        if (compilers_.empty()) throw std::runtime_error(usage);
    }

    int run_all() {
        if (!branches_.empty()) return branches();
        if (growth_ || threads_) return scale();
        for (auto const& compiler : compilers_) {
            auto const folder = work_ / std::filesystem::path(compiler).filename();
            std::filesystem::remove_all(folder); // and the dumps of the run before
            std::filesystem::create_directories(folder);
            build_timing(compiler, folder);
            auto const timing = count(folder / "timing", markdown_ ? "--full" : "");
            keep(timing);
            note_compile(timing.compiler);
            if (markdown_) print(timing, folder / "timing");
            if (!markdown_ && compiler == compilers_.front()) {
                auto const program = (folder / "observed").string();
                run(compiler + flags + more_ + " -I" + (source_ / "include").string() + ' ' +
                    (source_ / "bench/cost/observed.cpp").string() + " -no-pie -o " + program);
                hold_ratios(timing, count(program, ""));
            }
            if (!kernels_.empty() && compiler == compilers_.front()) {
                run(compiler + flags + more_ + " -DWARPKIT_PTX_ELSEWHERE -I" +
                    (source_ / "include").string() + " -I" + (source_ / "examples").string() + ' ' +
                    (source_ / "bench/cost/function.cpp").string() + ' ' + kernels_ + " -no-pie -o " +
                    (folder / "function").string());
                auto const function = count(folder / "function", "");
                keep(function);
                if (markdown_) print(function, folder / "function");
            }
        }
        return markdown_ ? 0 : judge();
    }

private:
    int scale() const {
        auto const program = work_ / "scale";
        auto const& compiler = compilers_.front();
        std::filesystem::create_directories(work_);
        run(compiler + flags + more_ + " -I" + (source_ / "include").string() + ' ' +
            (source_ / "bench/cost/scale.cpp").string() + " -no-pie -o " + program.string());
        if (growth_) print_growth(program);
        if (threads_) print_threads(program);
        return 0;
    }
    int branches() const {
        auto const folder = work_ / "branches";
        std::filesystem::remove_all(folder); // and the dumps of the run before
        std::filesystem::create_directories(folder);
        // Valgrind 3.19 does not know all of what clang writes by default.
        run(compilers_.front() + flags + more_ + " -gdwarf-4 -I" + (source_ / "include").string() + ' ' +
            (source_ / "bench/cost/timing.cpp").string() + " -no-pie -o " + (folder / "timing").string());
        branch_table(folder / "timing", source_).print(only_, branches_ == "--branches=lines");
        return 0;
    }
    void build_timing(std::string const& compiler, std::filesystem::path const& folder) {
        auto const object = (folder / "timing.o").string();
        auto const compile = compiler + flags + more_ + " -I" + (source_ / "include").string() + " -c " +
                             (source_ / "bench/cost/timing.cpp").string() + " -o " + object;
        auto const functions = [&] {
            return std::stoull(run("nm --defined-only " + object + " | grep -c ' [TtW] '").output);
        };
        run(compile + " -O0");
        instantiated_ = functions();
        auto const compiled = run(compile);
        compile_seconds_ = compiled.seconds;
        compile_megabytes_ = compiled.megabytes();
        emitted_ = functions();
        run(compiler + flags + object + " -no-pie -o " + (folder / "timing").string());
    }
    void note_compile(std::string const& compiler) {
        counted_[{compiler, "compile", "functions"}] = emitted_;
        counted_[{compiler, "compile", "instantiated"}] = instantiated_;
        std::cerr << "cost: " << compiler << " compiles a GPU at -O2 in " << std::fixed
                  << std::setprecision(1) << compile_seconds_ << " processor seconds (the aim is "
                  << most_seconds << " on an idle machine), " << compile_megabytes_ << " MB, " << emitted_
                  << " functions of " << instantiated_ << " instantiated\n";
        if (compile_megabytes_ > most_megabytes)
            too_heavy_ = compiler + " takes " + grouped(compile_megabytes_) +
                         " MB to compile a GPU, at most 1,024 are allowed";
    }
    void keep(measured const& m) {
        for (auto const& p : m.phases) {
            counted_[{m.compiler, p.phase, p.what}] = p.own;
            if (!markdown_)
                std::cerr << "cost: " << m.compiler << ' ' << p.phase << ' ' << p.what << ": "
                          << grouped(p.own) << " host instructions, " << grouped(p.own / p.warp_instructions)
                          << " per warp instruction\n";
        }
    }
    // What is observed costs at most so much more than what is not, the C library's part included.
    void hold_ratios(measured const& timing, measured const& observed) {
        std::map<point, std::uint64_t> all;
        for (auto const* const m : {&timing, &observed})
            for (auto const& p : m->phases) all[{"", p.phase, p.what}] = p.counted.total();
        for (auto const& p : timing.phases) {
            if (p.phase != "timing") continue;
            for (auto const& b : bounds) {
                auto const more = static_cast<double>(all[{"", b.phase, p.what}]) /
                                      static_cast<double>(all[{"", b.to, p.what}]) +
                                  (b.part ? 1 : 0);
                std::ostringstream line;
                line << std::fixed << std::setprecision(2) << b.phase << " of " << p.what << ": "
                     << 100 * (more - 1)
                     << (b.part ? " % of the host instructions of " : " % more host instructions than ")
                     << b.to << ", at most " << 100 * (b.most - 1) << " % are allowed";
                if (more > b.most)
                    too_dear_.push_back(line.str());
                else
                    std::cerr << "cost: " << line.str() << '\n';
            }
        }
    }
    int judge() {
        auto const path = source_ / "bench/cost/counted.txt";
        std::ifstream in(path);
        auto committed = read_counts(in);
        if (update_) {
            for (auto const& [where, n] : counted_) committed[where] = n;
            std::ostringstream out;
            out << "# Host instructions of the programs' own code, and functions that a compiler emits: "
                   "written by .ci/cost --update\n";
            write_counts(out, committed);
            warpkit::write_file(path.string(), out.str());
            std::cerr << "cost: " << path.string() << " is written\n";
            return 0;
        }
        auto const v = compare(committed, counted_);
        for (auto const& line : v.lines) std::cerr << "cost: " << line << '\n';
        if (!too_heavy_.empty()) std::cerr << "cost: " << too_heavy_ << '\n';
        for (auto const& line : too_dear_) std::cerr << "cost: " << line << '\n';
        return v.fails || !too_heavy_.empty() || !too_dear_.empty() ? 1 : 0;
    }

    void print(measured const& m, std::filesystem::path const& program) {
        std::cout << '\n'
                  << m.compiler << ":\n\n"
                  << "| kernel | phase | host instr per warp instr | per transaction | in libraries | k warp "
                     "instr/s | k cycles/s | MB |\n"
                  << "|---|---|---:|---:|---:|---:|---:|---:|\n";
        profile all;
        std::uint64_t sum = 0;
        for (auto const& p : m.phases) {
            auto const alone =
                run(program.string() + ' ' + (p.phase == "function" ? "" : "--full ") + p.what);
            double seconds = 0;
            for (auto const& q : read_lines(alone.output).phases)
                if (q.phase == p.phase) seconds = q.seconds;
            auto const per = [](double n, std::uint64_t of) {
                return grouped(static_cast<std::uint64_t>(n / static_cast<double>(of) + 0.5));
            };
            auto const rate = [&](std::uint64_t n) {
                return n == 0 ? "" : per(static_cast<double>(n) / seconds, 1000);
            };
            std::cout << "| " << p.what << " | " << p.phase << " | "
                      << per(static_cast<double>(p.own), p.warp_instructions) << " | "
                      << (p.phase != "timing" ? "" : per(static_cast<double>(p.own), p.transactions)) << " | "
                      << std::fixed << std::setprecision(1)
                      << 100. * static_cast<double>(p.counted.total() - p.own) /
                             static_cast<double>(p.counted.total())
                      << " % | " << rate(p.warp_instructions) << " | "
                      << (p.phase != "timing" ? "" : rate(p.cycles)) << " | " << alone.megabytes() << " |\n";
            if (p.phase != "timing" && p.phase != "function") continue;
            all += p.counted;
            sum += p.counted.total();
        }
        std::map<std::string, std::uint64_t> short_names;
        for (auto const& [name, n] : all.by_function) short_names[short_name(name)] += n;
        std::cout << "\n| function | of all |";
        for (auto const& p : m.phases)
            if (p.phase != "streams") std::cout << ' ' << p.what << " |";
        std::cout << "\n|---|---:|";
        for (auto const& p : m.phases)
            if (p.phase != "streams") std::cout << "---:|";
        std::cout << '\n';
        for (auto const& [name, n] : largest(short_names, 10)) {
            auto const share = [](std::uint64_t part, std::uint64_t of) {
                std::cout << ' ' << std::setprecision(1)
                          << 100. * static_cast<double>(part) / static_cast<double>(of) << " % |";
            };
            std::cout << "| " << name << " |";
            share(n, sum);
            for (auto const& p : m.phases) {
                if (p.phase == "streams") continue;
                std::uint64_t here = 0;
                for (auto const& [f, k] : p.counted.by_function)
                    if (short_name(f) == name) here += k;
                share(here, p.counted.total());
            }
            std::cout << '\n';
        }
    }

    std::filesystem::path source_ = ".";
    std::filesystem::path work_ = "build/cost";
    std::string kernels_;
    std::string more_;
    bool update_ = false;
    bool markdown_ = false;
    bool growth_ = false;
    bool threads_ = false;
    std::string branches_; ///< the option, where it was given
    std::vector<std::string> only_;
    std::vector<std::string> compilers_;
    counts counted_;
    double compile_seconds_ = 0;
    std::uint64_t compile_megabytes_ = 0;
    std::uint64_t emitted_ = 0;
    std::uint64_t instantiated_ = 0; ///< what is emitted where nothing is inlined
    std::string too_heavy_;
    std::vector<std::string> too_dear_;
};

} // namespace

int main(int argc, char** argv) {
    try {
        return gate({argv + 1, argv + argc}).run_all();
    } catch (std::exception const& e) {
        std::cerr << "cost: " << e.what() << '\n';
        return 2;
    }
}
