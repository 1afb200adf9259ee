#pragma once
// How cost grows with the machine and with the kernel, and what a second thread gains: tables of bench/cost/scale.cpp's
// runs.

#include "counted.hpp"
#include "programs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace cost {

/// One run of scale.
struct scaled_run {
    std::string kernel;
    unsigned ctas = 0;
    unsigned cores = 15;
    unsigned partitions = 6;
    unsigned threads = 1;
    unsigned times = 1;

    std::string arguments() const {
        std::string text = kernel;
        for (auto const n : {ctas, cores, partitions, threads, times}) text += ' ' + std::to_string(n);
        return text;
    }
};

/// Memory partitions of a gtx480 that has grown in proportion.
inline unsigned in_proportion(unsigned cores) { return std::max(1U, (cores * 6 + 7) / 15); }

/// Takes the least of what runs of it take in time; what is first is most in memory.
class stopwatch {
public:
    explicit stopwatch(scaled_run r) : run_(std::move(r)) {}
    void go(std::filesystem::path const& program) {
        auto const done = run(program.string() + ' ' + run_.arguments());
        auto const line = read_lines(done.output).phases.at(0);
        instructions_ = line.warp_instructions;
        seconds_ = seconds_ == 0 ? line.seconds : std::min(seconds_, line.seconds);
        wall_ = wall_ == 0 ? line.wall : std::min(wall_, line.wall);
        kilobytes_ = std::max(kilobytes_, done.kilobytes);
    }
    std::uint64_t instructions() const { return instructions_; }
    double nanoseconds() const { return seconds_ * 1e9 / static_cast<double>(instructions_); }
    double wall() const { return wall_; }
    std::uint64_t kilobytes() const { return kilobytes_; }

private:
    scaled_run run_;
    std::uint64_t instructions_ = 0;
    double seconds_ = 0;
    double wall_ = 0;
    std::uint64_t kilobytes_ = 0;
};

/// Host instructions per simulated warp instruction.
inline std::uint64_t counted_per_instruction(std::filesystem::path const& program, scaled_run const& r) {
    auto const p = count(program, r.arguments()).phases.at(0);
    return (p.own + p.warp_instructions / 2) / p.warp_instructions;
}

/// 1 to 132 SMs with two waves of CTAs, counted; 10^5 to 10^8 warp instructions, counted as far as that does not take
/// too long, timed and with their memory.
inline void print_growth(std::filesystem::path const& program) {
    std::cout << "| SMs |";
    unsigned const all_cores[] = {1, 2, 15, 28, 80, 132};
    for (auto const n : all_cores) std::cout << ' ' << n << " |";
    std::cout << "\n|---|---:|---:|---:|---:|---:|---:|\n";
    for (auto const* kernel : {"compute", "vecadd"})
        for (bool const proportion : {false, true}) {
            std::cout << "| " << kernel << (proportion ? ", partitions in proportion |" : ", 6 partitions |")
                      << std::flush;
            for (auto const n : all_cores)
                std::cout << ' '
                          << grouped(counted_per_instruction(
                                 program, {kernel, 12 * n, n, proportion ? in_proportion(n) : 6}))
                          << " |" << std::flush;
            std::cout << '\n';
        }

    struct length {
        char const* kernel;
        std::vector<unsigned> ctas;
    };
    constexpr std::size_t counted = 2; // of the lengths
    constexpr unsigned rounds = 7;
    for (auto const& [kernel, ctas] :
         {length{"compute", {60, 600, 6000, 60'000}}, length{"vecadd", {870, 8700, 87'000}}}) {
        std::vector<stopwatch> runs;
        for (auto const n : ctas) runs.emplace_back(scaled_run{kernel, n});
        for (unsigned round = 0; round < rounds; ++round)
            for (auto& r : runs) r.go(program);
        std::cout << "\n| " << kernel << ", warp instructions |";
        for (auto const& r : runs) std::cout << ' ' << grouped(r.instructions()) << " |";
        std::cout << "\n|---|";
        for (std::size_t i = 0; i < runs.size(); ++i) std::cout << "---:|";
        std::cout << "\n| host instructions |";
        for (std::size_t i = 0; i < runs.size(); ++i)
            std::cout << ' '
                      << (i < counted ? grouped(counted_per_instruction(program, {kernel, ctas[i]})) : "")
                      << " |" << std::flush;
        std::cout << "\n| ns |" << std::fixed << std::setprecision(1);
        for (auto const& r : runs) std::cout << ' ' << r.nanoseconds() << " |";
        std::cout << "\n| MB |";
        for (auto const& r : runs) std::cout << ' ' << static_cast<double>(r.kilobytes()) / 1024 << " |";
        std::cout << '\n';
    }
}

/// Wall milliseconds by one thread and by two, alternately, the least of some.
inline void print_threads(std::filesystem::path const& program) {
    struct kernel {
        char const* name;
        unsigned ctas_per_core;
    };
    constexpr unsigned rounds = 6;
    constexpr unsigned times = 3; // in each process
    auto const print = [&](scaled_run r, std::string const& what) {
        r.times = times;
        stopwatch one(r);
        r.threads = 2;
        stopwatch two(r);
        for (unsigned round = 0; round < rounds; ++round) {
            one.go(program);
            two.go(program);
        }
        std::cout << "| " << what << " | " << r.cores << " | " << std::fixed << std::setprecision(2)
                  << 1000 * one.wall() << " | " << 1000 * two.wall() << " | " << one.wall() / two.wall()
                  << " |" << std::endl;
    };
    std::cout << "| kernel | SMs | one thread, ms | two, ms | times faster |\n|---|---:|---:|---:|---:|\n";
    for (auto const& k : {kernel{"compute", 48}, {"vecadd", 64}, {"gather_dram", 4}, {"gather_l2", 6}})
        for (auto const cores : {15U, 28U, 80U, 132U}) {
            auto const ctas = k.ctas_per_core * cores;
            print({k.name, ctas, cores, in_proportion(cores)}, k.name + (", " + grouped(ctas) + " CTAs"));
        }
    print({"compute", 2}, "compute, 2 CTAs");
}

} // namespace cost
