// Shapes of kernels, each the essence of something that machines may get wrong, as traces for Accel-Sim and for
// `lab run --trace`: SASS as nvcc writes it, registers and addresses made up
// (docs/explanation/accelsim.md#from-volta-on).

#include <warpkit/base/error.hpp>
#include <warpkit/base/output_file.hpp>
#include <warpkit/frontend/accelsim/trace_program.hpp>
#include <warpkit/report/text.hpp>

#include "support/command_line.hpp"

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace warpkit;

namespace {

// Arrays in global memory, and the windows that shared and local memory are seen through.
constexpr std::uint64_t array_a = 0x7f2000000000;
constexpr std::uint64_t array_b = 0x7f2010000000;
constexpr std::uint64_t array_c = 0x7f2020000000;
constexpr std::uint64_t shared = 0x7f0000000000;
constexpr std::uint64_t local = 0x7f1000000000;

std::string hexadecimal(std::uint64_t n, std::size_t digits = 1) {
    std::string text;
    for (; n != 0 || text.size() < digits; n >>= 4) text.insert(text.begin(), "0123456789abcdef"[n & 15]);
    return text;
}

// One warp's lines. Instructions are 16 bytes apart.
class warp {
public:
    static constexpr int none = -1; // writes no register
    using registers = std::initializer_list<unsigned>;

    warp(std::uint32_t block, std::uint32_t in_block, std::uint32_t block_threads)
        : random(block * 64 + in_block),
          first(4 * (std::uint64_t{block} * block_threads + in_block * 32ULL)) {}

    std::mt19937 random; // the same for the same warp
    std::uint64_t first; // byte of its first thread's word in an array

    void op(char const* opcode, int to, registers from, std::uint32_t mask = ~0U) {
        begin(opcode, to, from, mask);
        text_ += "0 \n";
    }
    // Lane i at base + i * stride.
    void at(char const* opcode, int to, registers from, std::uint64_t base, unsigned stride) {
        begin(opcode, to, from, ~0U);
        text_ += "4 1 0x" + hexadecimal(base) + ' ' + std::to_string(stride) + " \n";
    }
    // Each lane at one of so many words, by chance.
    void at_random(char const* opcode, int to, registers from, std::uint64_t base, std::uint32_t words) {
        begin(opcode, to, from, ~0U);
        auto before = base + 4ULL * (random() % words);
        text_ += "4 2 0x" + hexadecimal(before) + ' ';
        for (unsigned lane = 1; lane < 32; ++lane) {
            auto const next = base + 4ULL * (random() % words);
            text_ += std::to_string(static_cast<std::int64_t>(next - before)) + ' ';
            before = next;
        }
        text_ += '\n';
    }
    std::uint32_t pc() const { return pc_; }
    void jump(std::uint32_t pc) { pc_ = pc; }

    std::string text(std::uint32_t in_block) const {
        return "\nwarp = " + std::to_string(in_block) + "\ninsts = " + std::to_string(count_) + '\n' + text_;
    }
    std::uint64_t size() const { return count_; }

private:
    void begin(char const* opcode, int to, registers from, std::uint32_t mask) {
        text_ += hexadecimal(pc_, 4) + ' ' + hexadecimal(mask, 8);
        text_ += to == none ? " 0 " : " 1 R" + std::to_string(to) + ' ';
        text_ += opcode;
        text_ += ' ' + std::to_string(from.size()) + ' ';
        for (auto const r : from) text_ += 'R' + std::to_string(r) + ' ';
        pc_ += 16;
        ++count_;
    }

    std::string text_;
    std::uint32_t pc_ = 0;
    std::uint64_t count_ = 0;
};
constexpr int none = warp::none;

// ---- what a warp does between reckoning who it is and its end; R2 and R4 hold addresses

// The number of the thread, and whether it is one of the array's.
void prologue(warp& w) {
    w.op("MOV", 1, {});
    w.op("S2R", 6, {});
    w.op("S2R", 3, {});
    w.op("IMAD", 6, {6, 3});
    w.op("ISETP.GE.AND", none, {6});
    w.op("EXIT", none, {}, 0);
    w.op("MOV", 7, {});
    w.op("IMAD.WIDE", 2, {6, 7});
}
void load_a(warp& w) {
    w.op("IMAD.WIDE", 4, {6, 7});
    w.at("LDG.E.SYS", 8, {2}, array_a + w.first, 4);
}
void vecadd(warp& w) {
    load_a(w);
    w.at("LDG.E.SYS", 9, {4}, array_b + w.first, 4);
    w.op("IMAD.WIDE", 10, {6, 7});
    w.op("IADD3", 9, {8, 9});
    w.at("STG.E.SYS", none, {10, 9}, array_c + w.first, 4);
}
void compute(warp& w) {
    w.at("LDG.E.SYS", 8, {2}, array_a + w.first, 4);
    for (int r = 12; r < 16; ++r) w.op("MOV", r, {});
    for (unsigned n = 0; n < 200; ++n) { // four chains
        auto const r = 12 + n % 4;
        w.op("FFMA", static_cast<int>(r), {r, 8, r});
    }
    w.op("FADD", 12, {12, 13});
    w.op("FADD", 14, {14, 15});
    w.op("FADD", 12, {12, 14});
    w.op("IMAD.WIDE", 4, {6, 7});
    w.at("STG.E.SYS", none, {4, 12}, array_c + w.first, 4);
}
void constants(warp& w) {
    load_a(w);
    for (unsigned n = 0; n < 40; ++n) {
        auto const c = 10 + n % 4;
        auto const f = 14 + n % 4;
        w.op("LDC", static_cast<int>(c), {7});
        w.op("FFMA", static_cast<int>(f), {c, 8, f});
        w.op("IADD3", 9, {9, f});
    }
    w.at("STG.E.SYS", none, {4, 9}, array_c + w.first, 4);
}
void mixed(warp& w) {
    load_a(w);
    for (unsigned n = 0; n < 24; ++n) {
        auto const f = 12 + n % 4;
        w.op("FFMA", static_cast<int>(f), {f, 8, 10});
        w.op("IMAD", 10, {8, 9, 10});
        w.op("LOP3.LUT", static_cast<int>(16 + n % 2), {12, 13, 10});
        if (n % 4 == 0) w.op("MUFU.RCP", 11, {8});
    }
    w.at("STG.E.SYS", none, {4, 12}, array_c + w.first, 4);
}
void divergence(warp& w) {
    load_a(w);
    auto const top = w.pc();
    for (auto n = 4 + w.random() % 8; n != 0; --n) {
        w.jump(top);
        auto const mask = static_cast<std::uint32_t>(w.random()) | 1U << w.random() % 32;
        w.op("ISETP.GE.AND", none, {8});
        w.op("BRA", none, {});
        for (unsigned r = 10; r < 14; ++r) w.op("FFMA", static_cast<int>(r), {r, 8, r}, mask);
        w.op("IADD3", 9, {9, 8});
        w.op("BRA", none, {});
    }
    w.jump(top + 256);
    w.at("STG.E.SYS", none, {4, 9}, array_c + w.first, 4);
}
void conflicts(warp& w) {
    load_a(w);
    for (unsigned n = 0; n < 6; ++n) { // 1, 2, 4 and 8 lanes in a bank
        auto const to = 10 + n % 4;
        w.at("STS", none, {9, 8}, shared + n * 64ULL, 4U << n % 4);
        w.op("BAR.SYNC", none, {});
        w.at("LDS.U", static_cast<int>(to), {9}, shared + n * 64ULL, 4U << n % 4);
        w.op("FADD", 8, {8, to});
    }
    w.at("STG.E.SYS", none, {4, 8}, array_c + w.first, 4);
}
void vectors(warp& w) {
    w.op("IMAD.WIDE", 4, {6, 7});
    for (unsigned n = 0; n < 2; ++n)
        w.at("LDG.E.128.SYS", static_cast<int>(8 + 4 * n), {2}, array_a + 4 * w.first + (n << 22), 16);
    for (unsigned k = 0; k < 4; ++k) w.op("FADD", static_cast<int>(16 + k), {8 + k, 12 + k});
    w.at("STG.E.128.SYS", none, {4, 16}, array_c + 4 * w.first, 16);
}
void atomics(warp& w) {
    load_a(w);
    for (unsigned n = 0; n < 4; ++n) { // the grid shares 64 KB
        w.op("IADD3", 9, {8, 9});
        w.at("RED.E.ADD.STRONG.GPU", none, {4, 9}, array_c + (w.first * 4 + n * 128) % 65536, 4);
    }
    w.at("STG.E.SYS", none, {4, 9}, array_b + w.first, 4);
}
void gather(warp& w) {
    w.op("IMAD.WIDE", 4, {6, 7});
    for (unsigned n = 0; n < 3; ++n) {
        w.at_random("LDG.E.SYS", static_cast<int>(8 + n), {2}, array_a, 1U << 18);
        w.op("IADD3", 9, {8 + n, 9});
    }
    w.at("STG.E.SYS", none, {4, 9}, array_c + w.first, 4);
}
void spills(warp& w) {
    load_a(w);
    for (unsigned n = 0; n < 8; ++n) {
        w.at("STL", none, {1, 8}, local + 4ULL * n, 0);
        w.op("FFMA", static_cast<int>(12 + n % 4), {12 + n % 4, 8, 12 + n % 4});
    }
    for (unsigned n = 0; n < 8; ++n) {
        w.at("LDL", 8, {1}, local + 4ULL * n, 0);
        w.op("FFMA", static_cast<int>(12 + n % 4), {12 + n % 4, 8, 12 + n % 4});
    }
    w.at("STG.E.SYS", none, {4, 12}, array_c + w.first, 4);
}
void stream(warp& w) {
    load_a(w);
    w.at("LDG.E.SYS", 9, {2}, array_b + w.first, 4);
    w.op("FADD", 9, {8, 9});
    w.at("STG.E.SYS", none, {4, 9}, array_c + w.first, 4);
}
// Tiles come from global to shared memory and from there to the tensor cores, as in a product of matrices.
void product(warp& w, char const* load, char const* multiply) {
    load_a(w);
    auto const top = w.pc();
    for (unsigned tile = 0; tile < 8; ++tile) {
        w.jump(top);
        w.at("LDG.E.128.SYS", 20, {2}, array_a + w.first * 4 + tile * 4096ULL, 16);
        w.at("STS.128", none, {9, 20}, shared, 16);
        w.op("BAR.SYNC", none, {});
        for (unsigned k = 0; k < 4; ++k) {
            w.at(load, 28, {9}, shared + k * 512ULL, 16);
            w.at(load, 32, {9}, shared + 2048 + k * 512ULL, 16);
            w.op(multiply, 40, {28, 32, 40});
            w.op(multiply, 44, {30, 34, 44});
        }
        w.op("BAR.SYNC", none, {});
        w.op("IADD3", 6, {6, 7});
        w.op("BRA", none, {});
    }
    w.jump(top + 1024);
    w.at("STG.E.128.SYS", none, {4, 40}, array_c + w.first * 4, 16);
}
void hmma(warp& w) { product(w, "LDS.U.128", "HMMA.884.F32.F32.STEP0"); }
void ldsm(warp& w) { product(w, "LDSM.16.M88.4", "HMMA.16816.F32"); }

// ---- the kernels

struct shape {
    char const* name;
    char const* what;
    unsigned blocks, threads; // thread blocks, and threads in each
    void (*body)(warp&);
    unsigned registers = 20;
    unsigned shared_bytes = 0;
    unsigned isa = 70; // whose opcodes: 70 Volta's, 86 Ampere's
    unsigned launches = 1;
};
constexpr shape shapes[] = {
    {"vecadd", "two loads, one store", 2048, 256, vecadd, 12},
    {"compute", "200 FFMA, in four chains", 640, 256, compute, 24},
    {"constants", "40 constants, FFMA, additions", 320, 256, constants},
    {"mixed", "FFMA, IMAD, LOP3, MUFU", 320, 256, mixed},
    {"divergence", "loops of random length and masks", 320, 128, divergence},
    {"conflicts", "shared memory with strides, barriers", 320, 128, conflicts, 20, 8192},
    {"vectors", "loads and stores of 128 bits", 320, 256, vectors},
    {"atomics", "four RED one behind the other", 160, 128, atomics},
    {"gather", "three loads of random words", 80, 128, gather},
    {"spills", "eight words of local memory", 160, 128, spills},
    {"several", "three kernels of two loads and a store, one behind the other", 512, 256, stream, 20, 0, 70,
     3},
    {"tail", "mixed, a little more than fits at once", 83, 1024, mixed},
    {"hmma", "tiles through shared memory to tensor cores", 160, 128, hmma, 48, 16384},
    {"ldsm", "the same by LDSM; machines from Turing on", 160, 128, ldsm, 48, 16384, 86},
};

std::string header(shape const& s, unsigned id) {
    return "-kernel name = " + std::string(s.name) + "\n-kernel id = " + std::to_string(id) +
           "\n-grid dim = (" + std::to_string(s.blocks) + ",1,1)\n-block dim = (" +
           std::to_string(s.threads) + ",1,1)\n-shmem = " + std::to_string(s.shared_bytes) +
           "\n-nregs = " + std::to_string(s.registers) + "\n-binary version = " + std::to_string(s.isa) +
           "\n-cuda stream id = 0\n-shmem base_addr = 0x" + hexadecimal(shared, 16) +
           "\n-local mem base_addr = 0x" + hexadecimal(local, 16) +
           "\n-nvbit version = none\n-accelsim tracer version = 3\n\n#traces format = PC mask dest_num "
           "[reg_dests] "
           "opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]\n";
}
// Writes one, whole or not at all; the warp instructions in it.
std::uint64_t write(shape const& s, std::filesystem::path const& folder) {
    std::filesystem::create_directories(folder);
    std::vector<output_file> files;
    std::string list;
    std::uint64_t instructions = 0;
    for (unsigned id = 1; id <= s.launches; ++id) {
        auto const name = "kernel-" + std::to_string(id) + ".traceg";
        list += name + '\n';
        auto& file = files.emplace_back((folder / name).string());
        file.write(header(s, id));
        for (unsigned b = 0; b < s.blocks; ++b) {
            auto text = "\n#BEGIN_TB\n\nthread block = " + std::to_string(b) + ",0,0\n";
            for (unsigned n = 0; n < s.threads / 32; ++n) {
                warp w(b, n, s.threads);
                prologue(w);
                s.body(w);
                w.op("EXIT", none, {});
                text += w.text(n);
                instructions += w.size();
            }
            file.write(text + "\n#END_TB\n");
        }
        file.close();
    }
    files.emplace_back((folder / "kernelslist.g").string()).write(list);
    files.back().close();
    for (auto& f : files) f.commit();
    return instructions;
}
// Reads it back: as many launches, blocks and instructions as were written, of opcodes that have a class.
void check(shape const& s, std::string const& list, std::uint64_t written) {
    accelsim::trace_program program(list, {});
    program.look_through();
    if (!program.unknown_opcodes().empty())
        throw error(list + ": unknown opcode " + program.unknown_opcodes().begin()->first);
    std::uint64_t found = 0;
    unsigned launches = 0;
    for (auto const& c : program.commands()) {
        accelsim::trace_kernel kernel(accelsim::file_source(accelsim::trace_path(list, c.file, {}), {}));
        auto const launch = kernel.launch();
        launches += launch.ctas() == s.blocks;
        cta_stream block;
        for (std::uint64_t b = 0; b < launch.ctas(); ++b) {
            block.reset(launch.warps_per_cta());
            launch.fill(launch.source, b, block);
            for (auto const& w : block.warps) found += w.size();
        }
    }
    if (launches != s.launches || found != written)
        throw error(list + ": read back as " + std::to_string(found) + " instructions of " +
                    std::to_string(launches) + " launches, written as " + std::to_string(written) + " of " +
                    std::to_string(s.launches));
}

} // namespace

int main(int argc, char** argv) {
    bool checked = false;
    std::vector<std::string> words;
    std::string notes = "shapes, all by default; each becomes FOLDER/SHAPE/kernelslist.g:\n";
    for (auto const& s : shapes)
        notes += "  " + std::string(s.name) + std::string(12 - std::string_view(s.name).size(), ' ') +
                 s.what + " (" + std::to_string(s.blocks) + " thread blocks of " + std::to_string(s.threads) +
                 ")\n";
    notes += "example:\n  accelsim_shapes traces atomics spills\n"
             "  lab run --trace traces/atomics/kernelslist.g --preset qv100 --scheduler lrr,gto\n";
    examples::command_line line("accelsim_shapes",
                                "FOLDER [SHAPE...]\nWrites shapes of kernels as Accel-Sim's traces.", notes);
    line.option("--check", checked, "read them back, too");
    line.words(words, 1, 1 + std::size(shapes));
    return line.run(argc, argv, [&] {
        for (std::size_t k = 1; k < words.size(); ++k) {
            bool known = false;
            for (auto const& s : shapes) known |= words[k] == s.name;
            if (!known) throw error("no shape is called '" + words[k] + "'; see --help");
        }
        for (auto const& s : shapes) {
            bool asked = words.size() == 1;
            for (std::size_t k = 1; k < words.size(); ++k) asked |= words[k] == s.name;
            if (!asked) continue;
            auto const folder = std::filesystem::path(words.front()) / s.name;
            auto const written = write(s, folder);
            auto const list = (folder / "kernelslist.g").string();
            if (checked) check(s, list, written);
            std::cout << list << ": " << report::with_thousands(written) << " warp instructions\n";
        }
        return 0;
    });
}
