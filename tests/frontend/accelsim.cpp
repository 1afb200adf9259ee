// Traces in the format of Accel-Sim: docs/model/traces.md, what tracers and their readers do, and round trips.

#include <warpkit/frontend/accelsim/files.hpp>
#include <warpkit/frontend/accelsim/trace.hpp>
#include <warpkit/frontend/accelsim/writer.hpp>
#include <warpkit/frontend/builder.hpp>

#include "catch.hpp"

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

// What a stream says, instruction by instruction; two streams that say the same may be stored differently.
struct executed {
    std::uint32_t instruction = 0;
    lane_mask mask = 0;
    memory_space space = memory_space::none;
    std::vector<std::uint64_t> numbers; // addresses of the active lanes, or a barrier and its warps
    friend bool operator==(executed const&, executed const&) = default;
};
std::vector<executed> told(warp_stream const& s, static_program const& program) {
    std::vector<executed> all;
    for (stream_cursor c(s); !c.done();) {
        auto const& code = program.instructions.at(c.instruction());
        executed e{c.instruction(), c.mask(), memory_space::none, {}};
        bool const more = code.is_memory() || code.barrier_in_stream;
        if (c.mask() != 0 && code.is_memory()) {
            e.space = c.space(s);
            lane_addresses lane{};
            c.addresses(s, lane);
            for (unsigned l = 0; l < lanes; ++l)
                if ((c.mask() >> l & 1) != 0) e.numbers.push_back(lane[l]);
        } else if (c.mask() != 0 && more) {
            e.numbers = {c.barrier(s), c.barrier_warps(s)};
        }
        all.push_back(e);
        c.advance(s, more);
    }
    return all;
}

std::string header(std::string const& more = "", char const* grid = "1,1,1", char const* block = "32,1,1") {
    return std::string("-kernel name = k\n-kernel id = 1\n-grid dim = (") + grid + ")\n-block dim = (" +
           block +
           ")\n-shmem = 0\n-nregs = 8\n-binary version = 70\n-cuda stream id = 0\n"
           "-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f0001000000\n"
           "-nvbit version = 1.5.5\n-accelsim tracer version = 3\n" +
           more + "\n#traces format = PC mask ...\n";
}
// A trace of one warp with these lines.
std::string one_warp(std::string const& lines, std::string const& more = "") {
    auto const n = std::count(lines.begin(), lines.end(), '\n');
    return header(more) + "\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = " + std::to_string(n) +
           "\n" + lines + "\n#END_TB\n";
}
// A trace, and what its first thread block says.
struct read_trace {
    explicit read_trace(std::string const& text) : kernel(accelsim::source_of("t", text)) {
        auto const launch = kernel.launch();
        for (std::uint64_t cta = 0; cta < launch.ctas(); ++cta) {
            blocks.emplace_back();
            launch.fill(launch.source, cta, blocks.back());
        }
    }
    std::vector<executed> warp(unsigned w = 0, std::size_t cta = 0) const {
        return told(blocks.at(cta).warps.at(w), kernel.program());
    }
    static_instruction const& code(std::size_t i) const { return kernel.program().instructions.at(i); }
    accelsim::trace_kernel kernel;
    std::vector<cta_stream> blocks;
};
std::vector<std::uint64_t> addresses(std::string const& line) {
    return read_trace(one_warp(line + "\n")).warp()[0].numbers;
}
std::vector<register_id> to(static_instruction const& i) {
    return {i.destination, i.destination + i.destinations};
}
std::vector<register_id> from(static_instruction const& i) { return {i.source, i.source + i.sources}; }

std::string error_of(std::string const& text) {
    try {
        read_trace const t(text);
    } catch (error const& e) {
        return e.what();
    }
    return "";
}
std::string error_of_line(std::string const& line) { return error_of(one_warp(line + "\n")); }

} // namespace

TEST_CASE("accelsim: a trace is a launch") {
    read_trace const t(header("-some new key = 7\n", "2,1,1", "64,1,1") + R"(
#BEGIN_TB

thread block = 0,0,0

warp = 0
insts = 4
0000 ffffffff 1 R1 MOV 0 0 
0010 ffffffff 1 R8 LDG.E.SYS 1 R2 4 1 0x7f2000000000 4 
0020 ffffffff 1 R9 FFMA 3 R8 R8 R9 0 
0040 ffffffff 0 EXIT 0 0 

warp = 1
insts = 2
0000 0000ffff 1 R1 MOV 0 0 
0040 ffffffff 0 EXIT 0 0 

#END_TB

#BEGIN_TB

thread block = 1,0,0

warp = 1
insts = 0

#END_TB
)");
    auto const& p = t.kernel.program();
    CHECK(p.name == "k");
    CHECK(p.registers_per_thread == 8);
    CHECK(!p.registers_estimated); // so no machine caps it
    CHECK(p.registers == 10);
    REQUIRE(p.instructions.size() == 5); // one between 0x20 and 0x40 never ran
    CHECK(t.code(0).kind == op_class::int_add);
    CHECK(t.code(1).kind == op_class::load);
    CHECK(t.code(1).space == memory_space::global);
    CHECK(t.code(1).access_bytes == 4);
    CHECK(to(t.code(1)) == std::vector<register_id>{8});
    CHECK(from(t.code(1)) == std::vector<register_id>{2, 3}); // .E: the address has 64 bits
    CHECK(t.code(2).kind == op_class::fp_mad);
    CHECK(t.code(4).kind == op_class::exit);
    CHECK(t.kernel.instructions() == 6);

    auto const w = t.warp(0);
    REQUIRE(w.size() == 4);
    CHECK(w[1].space == memory_space::global);
    CHECK(w[1].numbers[0] == 0x7f2000000000);
    CHECK(w[1].numbers[31] == 0x7f2000000000 + 124);
    CHECK(w[3].instruction == 4);
    CHECK(t.warp(1)[0].mask == 0xffff);
    CHECK(t.warp(0, 1).empty()); // a warp that is not there, and one that is empty
    CHECK(t.warp(1, 1).empty());
}

TEST_CASE("accelsim: three ways to write addresses") {
    using list = std::vector<std::uint64_t>;
    CHECK(addresses("0000 0000000d 1 R1 LDG.E 1 R2 4 0 0x10 0x0000000000000020 0x90") ==
          list{0x10, 0x20, 0x90});
    CHECK(addresses("0000 0000000e 1 R1 LDG.E 1 R2 4 1 0x100 -8") == list{0x100, 0xf8, 0xf0});
    // Stride with a gap: written only without one, but readable.
    CHECK(addresses("0000 0000000d 1 R1 LDG.E 1 R2 4 1 0x100 8") == list{0x100, 0x108, 0x110});
    // Deltas: one less than active lanes, and then perhaps an immediate.
    CHECK(addresses("0000 0000000d 1 R1 LDG.E 1 R2 4 2 0x100 4 -16") == list{0x100, 0x104, 0xf4});
    CHECK(addresses("0000 0000000d 1 R1 LDG.E 1 R2 4 2 0x100 4 -16 99") == list{0x100, 0x104, 0xf4});
    CHECK(addresses("0000 00000008 1 R1 LDG.E 1 R2 4 2 0x100") == list{0x100});
    CHECK(addresses("0000 80000001 1 R1 LDG.E 1 R2 4 2 0x100 4294967296") == list{0x100, 0x100000100});
}

TEST_CASE("accelsim: what tracers write, readers must take") {
    // R255 is no register. Of 5 sources, all count.
    read_trace const wide(one_warp("0000 ffffffff 1 R255 HMMA.1688.F32 5 R4 R8 R255 R10 R12 0\n"));
    CHECK(wide.code(0).destinations == 0);
    CHECK(wide.code(0).kind == op_class::tensor);
    read_trace const of_warp(one_warp("0000 ffffffff 0 UIADD3 0 0\n0010 ffffffff 1 R1 ULDC 0 0\n"));
    CHECK(of_warp.code(0).kind == op_class::uniform);
    CHECK(of_warp.code(1).kind == op_class::uniform);
    CHECK(from(wide.code(0)) == std::vector<register_id>{4, 5, 8, 10, 12});
    // Matrices: fragments by shape (PTX ISA, mma.sync).
    using list = std::vector<register_id>;
    auto const matrix = [](char const* opcode) {
        read_trace const t(one_warp("0000 ffffffff 1 R40 " + std::string(opcode) + " 3 R10 R20 R30 0\n"));
        return std::make_pair(to(t.code(0)), from(t.code(0)));
    };
    // A constant that is loaded for the whole warp is its uniform data path's work.
    CHECK(read_trace(one_warp("0000 ffffffff 0 ULDC.64 0 0\n")).code(0).kind == op_class::uniform);
    CHECK(read_trace(one_warp("0000 ffffffff 1 R1 LDC 1 R2 0\n")).code(0).kind == op_class::int_add);
    CHECK(matrix("HMMA.16816.F32").first == list{40, 41, 42, 43});
    CHECK(matrix("HMMA.16816.F32").second == list{10, 11, 12, 13, 20, 21, 30, 31, 32, 33});
    CHECK(matrix("HMMA.16816.F16").second == list{10, 11, 12, 13, 20, 21, 30, 31});
    CHECK(matrix("HMMA.1688.F32").second == list{10, 11, 20, 30, 31, 32, 33});
    CHECK(matrix("HMMA.1688.F32.TF32").second == list{10, 11, 12, 13, 20, 21, 30, 31, 32, 33});
    CHECK(matrix("HMMA.884.F32.F32.STEP0").first == list{40, 41});
    CHECK(matrix("IMMA.16832.S8.S8.SAT").second == list{10, 11, 12, 13, 20, 21, 30, 31, 32, 33});
    CHECK(matrix("IMMA.8816.S8.S8").second == list{10, 20, 30, 31});
    CHECK(matrix("DMMA.884").second == list{10, 11, 20, 21, 30, 31, 32, 33});
    CHECK(matrix("BMMA.88128.XOR.POPC").second == list{10, 20, 30, 31});
    // And what they multiply, but for a step of Volta's.
    auto const product = [](char const* opcode) {
        read_trace const t(one_warp("0000 ffffffff 1 R40 " + std::string(opcode) + " 3 R10 R20 R30 0\n"));
        auto const& i = t.code(0);
        return std::string(matrix_type_names[static_cast<unsigned>(i.matrix)]) + ' ' +
               std::to_string(i.matrix_rows) + ' ' + std::to_string(i.matrix_columns) + ' ' +
               std::to_string(i.matrix_depth);
    };
    CHECK(product("HMMA.16816.F32") == "f16 16 8 16");
    CHECK(product("HMMA.1688.F32.TF32") == "tf32 16 8 8");
    CHECK(product("HMMA.16816.F32.BF16") == "bf16 16 8 16");
    CHECK(product("IMMA.16864.S4.S4") == "s4 16 8 64");
    CHECK(product("DMMA.884") == "f64 8 8 4");
    CHECK(product("BMMA.168256.AND.POPC") == "b1 16 8 256");
    CHECK(product("HMMA.884.F32.F32.STEP0").substr(0, 4) == "none");
    // One destination is named; its width says how many there are.
    read_trace const vector(one_warp("0000 ffffffff 1 R4 LDG.E.128.SYS 1 R2 4 1 0x100 16\n"
                                     "0010 ffffffff 0 STG.E.64.SYS 2 R2 R4 4 1 0x100 8\n"
                                     "0020 ffffffff 1 R6 DADD 2 R8 R10 0\n"
                                     "0030 ffffffff 1 R20 ATOMG.E.CAS.64.STRONG.GPU 2 R2 R12 8 1 0x100 8\n"
                                     "0040 ffffffff 1 R30 LDSM.16.M88.4 1 R2 2 1 0x0 16\n"
                                     "0050 ffffffff 1 R40 IMAD.WIDE 2 R1 R2 0\n"));
    CHECK(to(vector.code(0)) == std::vector<register_id>{4, 5, 6, 7});
    CHECK(vector.code(0).access_bytes == 16); // not the 4 of the width field
    CHECK(from(vector.code(1)) == std::vector<register_id>{2, 3, 4, 5});
    CHECK(to(vector.code(2)) == std::vector<register_id>{6, 7});
    CHECK(from(vector.code(2)) == std::vector<register_id>{8, 9, 10, 11});
    CHECK(to(vector.code(3)) == std::vector<register_id>{20, 21});
    CHECK(from(vector.code(3)) == std::vector<register_id>{2, 3, 12, 13, 14, 15});
    CHECK(to(vector.code(4)) == std::vector<register_id>{30, 31, 32, 33});
    CHECK(vector.code(4).access_bytes == 16);
    CHECK(to(vector.code(5)) == std::vector<register_id>{40, 41});
    // Without active lanes, addresses may be anything.
    CHECK(read_trace(one_warp("0000 00000000 1 R1 LDG.E 1 R2 4 1 0xdeadbeefdeadbeef00 -- x\n"))
              .warp()[0]
              .mask == 0);
    // Loads for all of the GPU to see go past the L1.
    read_trace const scopes(one_warp("0000 ffffffff 1 R1 LDG.E.STRONG.GPU 1 R2 4 1 0x7f2000000000 4\n"
                                     "0010 ffffffff 1 R1 LDG.E.STRONG.SM 1 R2 4 1 0x7f2000000000 4\n"
                                     "0020 ffffffff 0 STG.E.STRONG.GPU 2 R2 R1 4 1 0x7f2000000000 4\n"));
    CHECK(scopes.code(0).past_l1);
    CHECK_FALSE(scopes.code(1).past_l1);
    CHECK_FALSE(scopes.code(2).past_l1);
    // LDGSTS, listed twice: the second is the global access. Listed once, in a loop, it is what it is.
    read_trace const twice(one_warp("0000 ffffffff 0 LDGSTS.E.BYPASS.128 2 R1 R2 16 1 0x0 16\n"
                                    "0000 ffffffff 0 LDGSTS.E.BYPASS.128 2 R1 R2 16 1 0x7f2000000000 16\n"
                                    "0010 ffffffff 1 R1 MOV 0 0\n"
                                    "0000 ffffffff 0 LDGSTS.E.BYPASS.128 2 R1 R2 16 1 0x7f2000001000 16\n"));
    REQUIRE(twice.warp().size() == 3);
    CHECK(twice.warp()[0].numbers[0] == 0x7f2000000000);
    CHECK(twice.warp()[2].numbers[0] == 0x7f2000001000);
    CHECK(twice.code(0).space == memory_space::global);
    // CRLF, and no line end at the end.
    auto text = one_warp("0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x100 4\n0010 ffffffff 0 EXIT 0 0\n");
    std::string dos;
    for (auto const c : text) dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
    text.pop_back();
    CHECK(read_trace(dos).blocks == read_trace(text).blocks);
    // Before version 3, places; with line information, lines.
    auto old = one_warp("0 0 0 0 0000 ffffffff 1 R1 MOV 0 0\n");
    old.replace(old.find("version = 3"), 11, "version = 2");
    CHECK(read_trace(old).warp().size() == 1);
    read_trace const lines(one_warp("17 0000 ffffffff 1 R1 MOV 0 0\n", "-enable lineinfo = 1\n"));
    CHECK(lines.code(0).source_line == 17);
    // Predicates and uniform registers, where a tracer has them.
    read_trace const others(one_warp("0000 ffffffff 1 P0 ISETP 3 UR4 P7 UR63 0\n"));
    CHECK(others.code(0).destinations == 1);
    CHECK(others.code(0).sources == 1);
    CHECK(others.code(0).destination[0] != others.code(0).source[0]);
    // What is no known opcode is class other, and counted.
    read_trace const odd(one_warp("0000 ffffffff 1 R1 FROB.X 0 0\n0000 ffffffff 1 R1 FROB.X 0 0\n"
                                  "0010 ffffffff 1 R1 MOV 0 0\n"));
    CHECK(odd.code(0).kind == op_class::other);
    CHECK(odd.kernel.unknown_opcodes() == std::map<std::string, std::uint64_t>{{"FROB", 2}});
    // Constants, textures: without addresses, as tracers have them, a move.
    CHECK(read_trace(one_warp("0000 ffffffff 1 R1 LDC 1 R2 0\n")).code(0).kind == op_class::int_add);
    // Two instructions with one PC, as those of two functions may be.
    read_trace const same(one_warp("0000 ffffffff 1 R1 MOV 0 0\n0000 ffffffff 1 R2 FADD 0 0\n"));
    CHECK(same.kernel.program().instructions.size() == 2);
    CHECK(same.warp()[1].instruction == 1);
    // Thread blocks that are not there are empty.
    auto const block = [](char const* n) {
        return std::string("#BEGIN_TB\nthread block = ") + n +
               ",0,0\nwarp = 0\ninsts = 1\n0000 1 0 EXIT 0 0\n#END_TB\n";
    };
    read_trace const gap(header("", "3,1,1") + block("0") + block("2"));
    CHECK(gap.kernel.missing_blocks() == 1);
    CHECK(gap.warp(0, 1).empty());
    CHECK(gap.warp(0, 2).size() == 1);
}

// A reader expects after each line the one that came there the last time. These are easily taken for each other.
TEST_CASE("accelsim: lines that begin alike are told apart") {
    struct line {
        char const* text;
        std::uint32_t instruction;
        lane_mask mask;
        std::vector<std::uint64_t> numbers;
    };
    line const lines[] = {
        {"0000 ffffffff 1 R1 MOV 0 0 ", 0, all_lanes, {}},
        {"0000 ffffffff 1 R1 MOV 0 0", 0, all_lanes, {}},
        {"0000 FFFFFFFF 1 R1 MOV 0 0\r", 0, all_lanes, {}},
        {"  0000 0000000f 1 R1 MOV 0 0 77", 0, 0xf, {}},
        {"0000 fffffff 1 R1 MOV 0 0 ", 0, 0xfffffff, {}},
        {"0000 0x00ffff 1 R1 MOV 0 0 ", 0, 0xffff, {}},
        {"0000 000000ff1 1 R1 MOV 0 0 ", 0, 0xff1, {}},
        {"0010 0000001f 1 R8 LDG 1 R2 4 2 0x40 4 4 4 44", 1, 0x1f, {0x40, 0x44, 0x48, 0x4c, 0x78}},
        {"0010 0000001f 1 R8 LDG 1 R2 4 2 0x40 4 4  -4 4 9", 1, 0x1f, {0x40, 0x44, 0x48, 0x44, 0x48}},
        {"0010 0000000f 1 R8 LDG 1 R2 4 2 0x100040 -65536 -65536 -65536 ",
         1,
         0xf,
         {0x100040, 0xf0040, 0xe0040, 0xd0040}},
        {"0000 00000000 1 R1 MOV 0 0 ", 0, 0, {}},
        {"0x10 00000003 1 R8 LDG 1 R2 4 1 0x40 4 ", 1, 3, {0x40, 0x44}},
        {"0010 00000003 1 R8 LDG 1 R2 4 2 0x40 -4 ", 1, 3, {0x40, 0x3c}},
        {"0010 00000003 1 R8 LDG 1 R2 4 0 0x40 0x99", 1, 3, {0x40, 0x99}},
        {"10 00000001 1 R8 LDG 1 R2 4 1 0x40 4 ", 1, 1, {0x40}},
        {"0010 00000000 1 R8 LDG 1 R2 4 ", 1, 0, {}},
        {"0020 ffffffff 0 EXIT 0 0 ", 2, all_lanes, {}},
        // The same PC with longer text: instructions of their own, behind the others.
        {"0000 ffffffff 1 R1 MOV 1 R3 0 ", 3, all_lanes, {}},
        {"0000 ffffffff 1 R1 MOV 1 R31 0 ", 4, all_lanes, {}},
    };
    std::mt19937 random(7);
    std::vector<line const*> all;
    for (auto const& l : lines) all.push_back(&l); // so that the program is known
    for (unsigned i = 0; i < 3000; ++i) all.push_back(&lines[random() % std::size(lines)]);
    std::string text;
    for (auto const* l : all) (text += l->text) += '\n';
    auto const read = read_trace(one_warp(text)).warp();
    REQUIRE(read.size() == all.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
        wrong += read[i].instruction != all[i]->instruction || read[i].mask != all[i]->mask ||
                 read[i].numbers != all[i]->numbers;
    CHECK(wrong == 0);
    CHECK(error_of(
              one_warp(text + "0010 00000003 1 R8 LDG 1 R2 41 1 0x40 4 \n0010 00000003 1 R8 LDG 1 R2 4 1\n"))
              .find("expected addresses") != std::string::npos);
}

TEST_CASE("accelsim: addresses in a shape that has come before read as if it had not") {
    // A second blank before the first address is a spelling that is read number by number.
    std::mt19937 random(29);
    auto const one_of = [&](auto const& all) { return all[random() % std::size(all)]; };
    constexpr char const* opcodes[] = {"1 R1 LDG.E 1 R4 4", "0 STS 2 R4 R5 4", "1 R1 LDS.64 1 R4 8",
                                       "1 R1 LD.E 1 R4 4",  "1 R1 LDL 1 R4 4", "0 PREF 1 R4 4"};
    constexpr char const* masks[] = {"ffffffff", "ffffffff", "0000ffff", "80000001", "00000010", "00000000"};
    constexpr char const* firsts[] = {"0x1000", "0x800", "0x2000", "0x4000"};
    constexpr char const* in_windows[] = {"0x7effffffffc0", "0x7f0000000000", "0x7f0000001000",
                                          "0x7f0001000020"};
    constexpr char const* bad_firsts[] = {"0x0", "0xffffffffffffc0", "0x100000000000000",
                                          "0xffffffffffffff80", "0x00000000000000100"};
    constexpr char const* rests[] = {" 4", " -4", " 4 ", " 8589934592"};
    constexpr char const* bad_rests[] = {" 4 7", " 4 7 7", " 4x"};
    unsigned refused = 0;
    bool same = true;
    for (int round = 0; round < 400; ++round) {
        std::vector<std::string> lists;
        for (int i = 0; i < 3; ++i) {
            auto& list = lists.emplace_back();
            auto const distances = i == 0 ? 1 : 1 + random() % 40;
            auto const n = random() % 20 == 0 ? 30U : 31U;
            for (unsigned k = 0; k < n; ++k)
                list +=
                    ' ' + std::to_string(4 * (static_cast<int>(random() % distances) - static_cast<int>(i)));
        }
        std::string lines[2];
        auto const* const opcode = one_of(opcodes);
        for (int line = 0; line < 60; ++line) {
            std::string const mask = one_of(masks);
            auto const active = std::count(mask.begin(), mask.end(), 'f') * 4 +
                                std::count(mask.begin(), mask.end(), '1') + (mask[0] == '8' ? 1 : 0);
            bool const is_list = active > 1 && random() % 2 == 0;
            std::string rest = is_list                                ? one_of(lists)
                               : round % 4 == 1 && random() % 32 == 0 ? one_of(bad_rests)
                                                                      : one_of(rests);
            if (is_list && active != 32) {
                std::size_t at = 0;
                for (auto n = active; n-- != 1;) at = rest.find(' ', at + 1);
                rest.resize(std::min(at, rest.size()));
            }
            std::string const first = round % 4 == 2 && random() % 32 == 0  ? one_of(bad_firsts)
                                      : round % 4 == 3 && random() % 4 == 0 ? one_of(in_windows)
                                                                            : one_of(firsts);
            std::string const head =
                (line % 3 == 0 ? "0000 " : "0010 ") + mask + ' ' + opcode + (is_list ? " 2" : " 1");
            lines[0] += head + ' ' + first + rest + '\n';
            lines[1] += head + "  " + first + rest + '\n';
        }
        auto const why = error_of(one_warp(lines[0]));
        same = same && why == error_of(one_warp(lines[1]));
        refused += !why.empty();
        if (why.empty())
            same = same && read_trace(one_warp(lines[0])).warp() == read_trace(one_warp(lines[1])).warp();
    }
    CHECK(same);
    CHECK(refused > 50);
    CHECK(refused < 250);
}

TEST_CASE("accelsim: straight code that has come before reads as if it had not") {
    // A blank before a line makes it one that is read word by word.
    std::mt19937 random(31);
    constexpr char const* wrong[] = {"4x", "1 2 3", "0 0 \t7 7"};
    unsigned refused = 0;
    bool same = true;
    for (unsigned round = 0; round < 60; ++round) {
        // Straight code with an access now and then, of which each warp runs some parts again.
        auto const length = 3 + random() % 150;
        auto const accesses = 5 + random() % 100;
        std::string texts[2];
        for (auto& text : texts)
            text = header("", "1,1,1", "1024,1,1") + "\n#BEGIN_TB\n\nthread block = 0,0,0\n";
        for (unsigned w = 0; w < 32; ++w) {
            std::string lines[2];
            std::size_t n = 0;
            for (auto repeats = 1 + random() % (round == 0 ? 60 : 4); repeats != 0; --repeats) {
                auto const mask = random() % 3 == 0 ? "0000ffff " : "ffffffff ";
                auto const begin = random() % 3 == 0 ? random() % length : 0;
                auto const end = random() % 3 == 0 ? random() % length : length;
                for (auto i = begin; i < end; ++i, ++n) {
                    std::string line = std::to_string(1000 + 10 * i) + ' ' +
                                       (random() % 400 == 0 ? "00000001 " : mask) + "1 R1 ";
                    if (i % accesses == 4)
                        line += "LDG.E 1 R2 4 1 0x" + std::to_string(1000 * w) + " 4";
                    else
                        line += std::string(i % 7 == 3 ? "BRA" : "IADD") + " 2 R" + std::to_string(i % 50) +
                                " R3 0";
                    if (random() % 600 == 0) line += random() % 2 == 0 ? " \r" : " 9";
                    if (round % 3 == 1 && random() % 3000 == 0) line += wrong[random() % 3];
                    lines[0] += line + '\n';
                    lines[1] += ' ' + line + '\n';
                }
            }
            if (round % 3 == 2 && random() % 60 == 0) n += random() % 2 == 0 ? 1 : ~std::size_t{0};
            for (unsigned k = 0; k < 2; ++k)
                texts[k] +=
                    "\nwarp = " + std::to_string(w) + "\ninsts = " + std::to_string(n) + '\n' + lines[k];
        }
        for (auto& text : texts) text += "\n#END_TB\n";
        auto const why = error_of(texts[0]);
        same = same && why == error_of(texts[1]);
        refused += !why.empty();
        if (!why.empty()) continue;
        read_trace const fast(texts[0]);
        read_trace const slow(texts[1]);
        same = same && fast.kernel.program().instructions == slow.kernel.program().instructions;
        for (unsigned w = 0; w < 32; ++w) same = same && fast.warp(w) == slow.warp(w);
    }
    CHECK(same);
    CHECK(refused > 10);
    CHECK(refused < 40);
}

TEST_CASE("accelsim: PCs are numbered without the words that hold control bits") {
    auto const pascal = [](std::string const& lines) {
        auto text = one_warp(lines);
        return text.replace(text.find("version = 70"), 12, "version = 60");
    };
    // Groups of four words, the first of which is control.
    read_trace const t(
        pascal("0008 ffffffff 1 R1 MOV 0 0\n0010 ffffffff 1 R1 MOV 0 0\n0018 ffffffff 1 R1 MOV 0 0\n"
               "0028 ffffffff 1 R1 MOV 0 0\n"));
    CHECK(t.kernel.program().instructions.size() == 4);
    CHECK(t.blocks[0].warps[0].runs().size() == 1); // one behind the other
    // A jump over code that never ran stays one; one into another function does not make the program huge.
    CHECK(
        read_trace(one_warp("0000 1 0 BRA 0 0\n0100 1 0 EXIT 0 0\n")).kernel.program().instructions.size() ==
        17);
    CHECK(read_trace(one_warp("0000 1 0 BRA 0 0\nfffffff0 1 0 EXIT 0 0\n"))
              .kernel.program()
              .instructions.size() == 2);
    // Where a branch was seen to go is its target.
    read_trace const loop(one_warp("0000 1 0 MOV 0 0\n0010 1 0 BRA 0 0\n0000 1 0 MOV 0 0\n0010 1 0 BRA 0 0\n"
                                   "0020 1 0 EXIT 0 0\n"));
    CHECK(loop.code(1).target == 0);
    CHECK(loop.code(1).guarded);
}

TEST_CASE("accelsim: generic and local addresses") {
    auto const space = [](std::string const& line, std::string const& version = "70") {
        auto text = one_warp(line + "\n");
        text.replace(text.find("version = 70"), 12, "version = " + version);
        return read_trace(text).warp()[0];
    };
    auto const shared = space("0000 00000003 1 R1 LD.E 1 R2 4 1 0x7f0000000040 4");
    CHECK(shared.space == memory_space::shared);
    CHECK(shared.numbers == std::vector<std::uint64_t>{0x40, 0x44});
    CHECK(space("0000 00000003 1 R1 LD.E 1 R2 4 1 0x7f2000000000 4").space == memory_space::global);
    CHECK(space("0000 00000003 1 R1 LD.E 1 R2 4 1 0x7f0000000040 4", "35").space ==
          memory_space::global); // Kepler
    auto const far = space("0000 00000003 1 R1 LD.E 1 R2 4 0 0x100000000000040 0x7f2000000000", "35");
    CHECK(far.space == memory_space::global); // whatever window
    CHECK(far.numbers == std::vector<std::uint64_t>{0x100000000000040, 0x7f2000000000});
    // Local memory: what a thread sees.
    for (auto const* const line :
         {"0000 00000007 1 R1 LD.E 1 R2 4 1 0x7f0001000008 0", "0000 00000007 1 R1 LDL 1 R2 4 1 0x8 0",
          "0000 00000007 1 R1 LDL 1 R2 4 1 0x7f0001000008 0"}) {
        auto const local = space(line);
        CHECK(local.space == memory_space::local);
        CHECK(local.numbers == std::vector<std::uint64_t>(3, 8));
    }
    // Lanes in several windows: each in its own.
    auto const several =
        space("0000 00000107 1 R1 LD.E 1 R2 4 0 0x7f2000000000 0x7f0000000040 0x7f0001000008 "
              "0x7f0000000044");
    CHECK(several.space == memory_space::generic);
    auto const in = [](memory_space s, std::uint64_t address) { return window_of(s) | address; };
    CHECK(several.numbers == std::vector<std::uint64_t>{0x7f2000000000, in(memory_space::shared, 0x40),
                                                        in(memory_space::local, 8),
                                                        in(memory_space::shared, 0x44)});
    // A trace that tells no windows: shared, as in Accel-Sim.
    auto none = one_warp("0000 1 1 R1 LD.E 1 R2 4 1 0x7f2000000000 0\n");
    none.replace(none.find("0x00007f0000000000"), 18, "0x0");
    CHECK(read_trace(none).warp()[0].space == memory_space::shared);
}

TEST_CASE("accelsim: asynchronous copies, their groups and waits") {
    read_trace const t(one_warp("0000 ffffffff 0 LDGSTS.E.BYPASS.128 2 R5 R2 16 1 0x7f2000000000 16 0\n"
                                "0010 ffffffff 0 LDGDEPBAR 0 0 0\n"
                                "0020 ffffffff 0 DEPBAR.LE 0 0 2\n"
                                "0030 ffffffff 0 DEPBAR.LE 0 0\n"
                                "0040 ffffffff 0 DEPBAR.LE 0 0 99999 \n"
                                "0020 ffffffff 0 DEPBAR.LE 0 0 2\n"
                                "0050 ffffffff 0 LDGSTS.E 2 R5 R2 0\n"));
    CHECK(t.code(0).async == async_role::copy);
    CHECK(t.code(0).past_l1);
    CHECK(t.code(0).destinations == 0);
    CHECK(from(t.code(0)) == std::vector<register_id>{5, 2, 3}); // 32 bits to shared, 64 from global memory
    CHECK(t.code(1).async == async_role::commit);
    CHECK(t.code(2).async == async_role::wait);
    CHECK(t.code(2).async_groups == 2);
    CHECK(t.code(3).async == async_role::wait);
    CHECK(t.code(3).async_groups == 0); // of a tracer that tells no immediates
    CHECK(t.code(4).async_groups == 255);
    CHECK(t.code(5).async == async_role::none); // without addresses a move
    CHECK(t.warp()[5].instruction == 2);
    CHECK(error_of_line("0000 ffffffff 0 DEPBAR.LE 0 0 1 2").find("more behind the instruction") !=
          std::string::npos);
}

TEST_CASE("accelsim: opcodes from Kepler to Hopper") {
    using enum op_class;
    auto const kind = [](char const* name) {
        auto const* const row = accelsim::find_opcode(name);
        return row == nullptr ? other : row->kind;
    };
    for (auto const& [name, expected] : std::vector<std::pair<char const*, op_class>>{
             {"IADD", int_add},  {"IADD3", int_add}, {"VIADD", int_add},  {"XMAD", int_mad},
             {"IMAD", int_mad},  {"IMNMX", int_max}, {"VIMNMX", int_max}, {"IMUL", int_mul},
             {"FADD", fp_add},   {"FMNMX", fp_max},  {"FMUL", fp_mul},    {"FFMA", fp_mad},
             {"HFMA2", fp_mad},  {"HGMMA", tensor},  {"DADD", dp_add},    {"DMNMX", dp_max},
             {"DMUL", dp_mul},   {"DFMA", dp_mad},   {"MUFU", special},   {"SHFL", shuffle},
             {"REDUX", uniform}, {"BRA", branch},    {"SYNC", branch},    {"BSYNC", branch},
             {"SSY", int_add},   {"BAR", barrier},   {"MEMBAR", fence},   {"EXIT", exit},
             {"LDG", load},      {"LDS", load},      {"STL", store},      {"ATOMS", atomic},
             {"RED", atomic},    {"ULDC", load},     {"FROB", other},     {"", other},
             {"IADD4", other}})
        CHECK(std::make_pair(name, kind(name)) == std::make_pair(name, expected));
    // Units, as Accel-Sim's tables for Volta, Turing and Ampere have them.
    for (auto const& [name, expected] : std::vector<std::pair<char const*, char const*>>{
             {"FFMA", "fp32"},       {"FSETP", "fp32"},        {"HFMA2", "fp32"},
             {"DFMA", "fp64"},       {"DSETP", "fp64"},        {"MUFU", "special function"},
             {"IMAD", "integer"},    {"MOV", "integer"},       {"I2F", "integer"},
             {"SHFL", "integer"},    {"VOTE", "integer"},      {"LDGDEPBAR", "integer"},
             {"DEPBAR", "integer"},  {"ERRBAR", "integer"},    {"CCTL", "integer"},
             {"BAR", "integer"},     {"HMMA", "tensor"},       {"IMMA", "tensor"},
             {"BMMA", "tensor"},     {"DMMA", "tensor"},       {"BRA", "branch"},
             {"BSSY", "branch"},     {"BSYNC", "branch"},      {"BMOV", "branch"},
             {"WARPSYNC", "branch"}, {"YIELD", "branch"},      {"NANOSLEEP", "branch"},
             {"UIADD3", "uniform"},  {"ULDC", "uniform"},      {"R2UR", "uniform"},
             {"S2UR", "uniform"},    {"REDUX", "uniform"},     {"VOTEU", "uniform"},
             {"TEX", "texture"},     {"TLD4", "texture"},      {"LDG", "load/store"},
             {"LDSM", "load/store"}, {"LDGSTS", "load/store"}, {"ATOMG", "load/store"},
             {"RED", "load/store"},  {"MEMBAR", "load/store"}}) {
        auto const* const row = accelsim::find_opcode(name);
        REQUIRE(row != nullptr);
        CHECK(std::make_pair(
                  name,
                  std::string(accelsim::opcode_unit_names[static_cast<unsigned>(accelsim::unit_of(*row))])) ==
              std::make_pair(name, std::string(expected)));
    }
    // Widths: the first that there is, with or without a type.
    for (auto const& [name, bytes] :
         std::vector<std::pair<char const*, unsigned>>{{"LDG", 4},
                                                       {"LDG.E.SYS", 4},
                                                       {"LDG.E.64.SYS", 8},
                                                       {"LDG.E.128.CONSTANT", 16},
                                                       {"LDG.E.U8", 1},
                                                       {"LDG.E.S8", 1},
                                                       {"LDG.E.U16", 2},
                                                       {"LDS.S16", 2},
                                                       {"LDS.U.128", 16},
                                                       {"ATOM.E.ADD.64.STRONG.GPU", 8},
                                                       {"RED.E.ADD.F64", 8},
                                                       {"ATOM.E.ADD.F16x2.RN", 4},
                                                       {"ATOMS.POPC.INC.32", 4},
                                                       {"LDG.E.LTC128B", 4},
                                                       {"LDG.E.7", 4},
                                                       {"LDG.E.", 4},
                                                       {"LDSM.16.M88.4", 16}})
        CHECK(std::make_pair(name, accelsim::opcode(name).access_bytes()) == std::make_pair(name, bytes));
}

TEST_CASE("accelsim: what is no trace is refused with its line") {
    auto const good = one_warp("0000 ffffffff 1 R1 MOV 0 0\n0010 ffffffff 0 EXIT 0 0\n");
    REQUIRE(error_of(good).empty());
    auto const with = [&](std::string const& from, std::string const& to) {
        auto text = good;
        auto const at = text.find(from);
        return error_of(at == text.npos ? "" : text.replace(at, from.size(), to));
    };
    auto const has = [](std::string const& error, std::string const& part) {
        INFO(part << " / " << error);
        CHECK(error.find(part) != error.npos);
        CHECK(error.substr(0, 2) == "t:");
        CHECK(error.find('\n') == error.npos);
    };
    has(error_of(""), "t:0: the file ends in its header");
    has(error_of("hello\n"), "t:1: expected a trace's header");
    has(with("(1,1,1)", "(0,1,1)"), "t:3: grid dim: expected (x,y,z) from (1,1,1)");
    has(with("(1,1,1)", "(99999999999,1,1)"), "t:3: grid dim");
    has(with("(1,1,1)", "(1,1)"), "t:3: grid dim");
    has(with("(32,1,1)", "(1025,1,1)"), "t:4: block dim");
    has(with("cuda stream id = 0", "cuda stream id = first"), "t:8: cuda stream id: expected a number");
    has(with("(32,1,1)", "(64,64,1)"), "t:4: block dim: expected at most 1024 threads, found 4096");
    has(with("-grid dim", "-some key"), "no '-grid dim");
    has(with("nregs = 8", "nregs = x"), "t:6: nregs: expected a number");
    has(with("nregs = 8", "nregs = 256"), "t:6: nregs: expected a number from 1 to 255, found '256'");
    has(with("nregs = 8", "nregs = 21955"), "from 1 to 255, found '21955'");
    has(with("nregs = 8", "nregs = 0"), "from 1 to 255, found '0'");
    has(with("nregs = 8", "nregs = -8"), "from 1 to 255, found '-8'");
    has(with("nregs = 8", "nregs = 8 9"), "from 1 to 255, found '8 9'");
    has(with("-nregs = 8", "-registers = 8"), "the header has no '-nregs = n'");
    has(with("-shmem = 0", "-shared = 0"), "the header has no '-shmem = n'");
    has(with("shmem = 0", "shmem = 1073741825"), "t:5: shmem: expected a number from 0 to 1073741824");
    has(with("(32,1,1)", "(1,1,65)"), "t:4: block dim: expected (x,y,z) from (1,1,1) to (1024,1024,64)");
    has(with("version = 70", "version = 21955"), "t:7: binary version: expected a number from 0 to 999");
    CHECK(with("nregs = 8", "nregs = 255").empty());
    CHECK(with("(32,1,1)", "(1,1,64)").find("block dim") == std::string::npos);
    has(with("0x00007f0000000000", "zero"), "t:9: shmem base_addr: expected a hexadecimal number");
    has(with("(1,1,1)", "(2147483647,65535,65535)"), "but the grid has 9223");
    has(with("(1,1,1)", "(2,1,1)"), "the file ends behind thread block number 0, but the grid has 2");
    has(with("#BEGIN_TB", ""), "a thread block without #BEGIN_TB");
    has(with("#BEGIN_TB", "0 0 0 0 0000 ffffffff 0 EXIT 0 0"),
        "t:18: expected an instruction with its thread block and warp, found 'thread block = 0,0,0'");
    has(with("#BEGIN_TB", "#END_TB"), "t:18: a thread block without #BEGIN_TB");
    has(with("#END_TB", ""), "ends in the middle of a thread block");
    has(with("#END_TB", "#BEGIN_TB"), "before the one before has ended");
    has(with("block = 0,0,0", "block = 1,0,0"), "there is no thread block 1,0,0 in a grid of 1,1,1");
    has(with("block = 0,0,0", "block = 0,0"), "expected 'thread block = x,y,z'");
    has(with("thread block = 0,0,0\n", ""), "t:19: a warp before 'thread block");
    has(with("warp = 0", "warp = 1"), "t:20: expected 'warp = n', n from 0 to 0");
    has(with("warp = 0", ""), "insts without a warp");
    has(with("insts = 2", "insts = 1"), "t:23: more instructions than the warp's insts says");
    has(with("insts = 2", "insts = 18446744073709551616"), "expected 'insts = n'");
    has(with("insts = 2", "insts = 3"), "warp 0 has 1 instructions less than its insts says");
    has(with("insts = 2", ""), "an instruction before the warp's 'insts = n'");
    has(with("0010 f", "0xyz f"), "t:23: expected a PC, found '0xyz'");
    has(with("0010 f", "10000000000000000 f"), "expected a PC");
    has(with("ffffffff 1", "1ffffffff 1"), "expected an active mask of 32 bits, found '1ffffffff'");
    has(with("1 R1 MOV", "99 R1 MOV"), "expected a number of registers from 0 to 8, found '99'");
    has(with("1 R1 MOV", "1 X1 MOV"), "expected a register, found 'X1'");
    has(with("1 R1 MOV", "1 R99999 MOV"), "expected a register");
    has(with("1 R1 MOV 0 0", "1 R1"), "expected an opcode");
    has(with("MOV 0 0", "MOV 0"), "expected a memory width");
    has(with("MOV 0 0", "MOV 0 0 1 2"), "more behind the instruction than an immediate");
    has(error_of_line("0000 00000007 1 R1 LDG.E 1 R2 4 0 0x10 0x20"),
        "t:22: expected addresses of 3 active lanes, found 2");
    has(error_of_line("0000 00000007 1 R1 LDG.E 1 R2 4 2 0x10 4"),
        "expected addresses of 3 active lanes, found 2");
    has(error_of_line("0000 00000003 1 R1 LDG.E 1 R2 4 0 0x10 0x20 0x30 0x40"),
        "more addresses than active lanes?");
    has(error_of_line("0000 00000003 1 R1 LDG.E 1 R2 4 3 0x10 0x20"),
        "expected an address mode from 0 to 2, found '3'");
    has(error_of_line("0000 00000003 1 R1 LDG.E 1 R2 4 1 0x10"), "expected a stride");
    has(error_of_line("0000 00000003 1 R1 LDG.E 1 R2 4 1 0x10 999999999999999999"), "a stride of");
    has(error_of_line("0000 00000003 1 R1 LDG.E 1 R2 4 1 0xffffffffffffff00 4"), "an address beyond 2^56");
    has(error_of_line("0000 00000003 1 R1 LDG.E 1 R2 4 2 0x10 -17"), "an address beyond 2^56");
    auto kepler = one_warp("0000 00000003 1 R1 LD.E 1 R2 4 1 0xffffffffffffff00 4\n");
    kepler.replace(kepler.find("version = 70"), 12, "version = 35");
    has(error_of(kepler), "an address beyond 5 * 2^56");
    has(error_of_line(std::string(70000, '0') + " 1 0 MOV 0 0"), "t:22: a line of more than 65536 bytes");
    has(error_of(header("", "1,1,1") + "#BEGIN_TB\nthread block = 0,0,0\n#END_TB\n"),
        "the file has no instructions");
    auto const block = [](char const* n) {
        return std::string("#BEGIN_TB\nthread block = ") + n +
               ",0,0\nwarp = 0\ninsts = 1\n0000 1 0 EXIT 0 0\n#END_TB\n";
    };
    has(error_of(header("", "2,1,1") + block("1") + block("0")), "thread block number 0 behind number 1");
    has(error_of(header("", "4,1,1") + block("3")), "the file lacks 3 of the grid's 4 thread blocks");
    std::string many;
    for (unsigned i = 0; i < 65; ++i) many += "0000 1 1 R" + std::to_string(i) + " MOV 0 0\n";
    has(error_of(one_warp(many)), "more than 64 different instructions at one PC");
    // A truncated file is refused wherever it ends, but for its last, empty lines.
    unsigned accepted = 0;
    for (std::size_t n = 0; n < good.size(); ++n) accepted += error_of(good.substr(0, n)).empty() ? 1 : 0;
    CHECK(accepted == 1);
}

TEST_CASE("accelsim: any order, plain or compressed, reads the same") {
    auto text = header("", "40,1,1");
    for (unsigned cta = 0; cta < 40; ++cta) {
        text += "\n#BEGIN_TB\n\nthread block = " + std::to_string(cta) + ",0,0\n\nwarp = 0\ninsts = 300\n";
        for (unsigned i = 0; i < 300; ++i)
            text += "0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x" + std::to_string(1000 + cta) +
                    std::to_string(100 + i) + " 4\n";
        text += "\n#END_TB\n";
    }
    read_trace const plain(text);
    std::mt19937 random(1);
    auto const compare = [&](accelsim::text_source source) {
        accelsim::trace_kernel kernel(std::move(source));
        auto const launch = kernel.launch();
        cta_stream block;
        bool same = true;
        for (unsigned i = 0; i < 120; ++i) {
            auto const cta = i < 40 ? i : i < 80 ? 79 - i : random() % 40;
            launch.fill(launch.source, cta, block);
            same = same && block == plain.blocks[cta];
        }
        CHECK(same);
    };
    compare(accelsim::source_of("plain", text));
    for (auto const& c : accelsim::codecs()) {
        if (c.encode == nullptr) {
            WARN("not built with the library for " << c.name);
            continue;
        }
        std::string packed;
        auto const pack = c.encode([&](std::string_view bytes) { packed += bytes; });
        pack.write(text);
        pack.finish();
        CHECK(packed.size() < text.size() / 4);
        CHECK(packed.substr(0, c.magic.size()) == c.magic);
        auto const source_of = [&c](std::string const& bytes) {
            auto const raw = accelsim::source_of("x", bytes);
            return accelsim::text_source{"x", false,
                                         [raw, &c](std::uint64_t) { return c.decode(raw.open(0)); }};
        };
        compare(source_of(packed));
        auto const refused = [&](std::string const& bytes) {
            try {
                accelsim::trace_kernel const k(source_of(bytes));
            } catch (error const& e) {
                return std::string(e.what());
            }
            return std::string();
        };
        // Cut off, and with any byte changed: an error, or what was meant.
        CHECK(
            refused(packed.substr(0, packed.size() / 2)).find(std::string(c.name) + " data ends too soon") !=
            std::string::npos);
        unsigned seen = 0;
        for (std::size_t i = 0; i < packed.size(); i += 1 + packed.size() / 40) {
            auto broken = packed;
            broken[i] = static_cast<char>(broken[i] ^ 0x55);
            seen += refused(broken).empty() ? 0 : 1;
        }
        CHECK(seen > 30);
        // Two files one behind the other are one.
        auto const half = text.find("#BEGIN_TB", text.size() / 2);
        std::string two;
        for (auto const& part : {text.substr(0, half), text.substr(half)}) {
            auto const p = c.encode([&](std::string_view bytes) { two += bytes; });
            p.write(part);
            p.finish();
        }
        compare(source_of(two));
    }
}

TEST_CASE("accelsim: a trace tells the stream of its launch") {
    auto text = one_warp("0000 ffffffff 0 EXIT 0 0\n");
    CHECK(read_trace(text).kernel.header().stream == 0);
    text.replace(text.find("stream id = 0"), 13, "stream id = 94321843209216"); // a handle of the host
    CHECK(read_trace(text).kernel.header().stream == 94321843209216);
}

TEST_CASE("accelsim: lists of kernels") {
    auto const list = accelsim::read_kernel_list(
        accelsim::source_of("l", "MemcpyHtoD,0x00007f2000000000,4096\r\n\nkernel-1.traceg.xz\nMemcpyDtoH,1,"
                                 "2\nkernel-2-ctx_0x55.traceg"));
    REQUIRE(list.size() == 3);
    CHECK(list[0].is_copy);
    CHECK(list[0].address == 0x7f2000000000);
    CHECK(list[0].bytes == 4096);
    CHECK(list[1].file == "kernel-1.traceg.xz");
    CHECK(list[2].file == "kernel-2-ctx_0x55.traceg");
    CHECK(list[2].line == 5);
    auto const read = [](char const* text) {
        return accelsim::read_kernel_list(accelsim::source_of("l", text));
    };
    CHECK_THROWS_WITH(read("\nMemcpyHtoD,0x00007f2000000000\n"),
                      Catch::Contains("l:2: expected MemcpyHtoD,0xADDRESS,BYTES"));
    CHECK_THROWS_WITH(read("MemcpyHtoD,0x10,99999999999999\n"), Catch::Contains("l:1: expected"));
}

namespace {

// A launch with everything that streams can hold, at random.
kernel_builder random_kernel(unsigned seed) {
    kernel_builder k("random_" + std::to_string(seed));
    std::mt19937 random(seed);
    auto const below = [&random](unsigned n) { return static_cast<unsigned>(random() % n); };
    for (unsigned i = 0; i < 60; ++i) {
        auto const r = static_cast<register_id>(below(300));
        auto const q = static_cast<register_id>(below(300));
        auto const space = static_cast<memory_space>(1 + below(7));
        auto const bytes = 1U << below(6);
        switch (below(5)) {
        case 0:
            k.load(space, bytes, {r, q}, {q});
            break;
        case 1:
            k.store(space == memory_space::texture ? memory_space::global : space, bytes,
                    {r, q, 7, 8, 9, 10});
            break;
        case 2:
            k.atomic(space == memory_space::texture ? memory_space::shared : space, bytes, {r}, {q});
            break;
        case 3:
            k.branch(below(60), {q});
            break;
        default:
            k.op(static_cast<op_class>(below(static_cast<unsigned>(op_class::load))), {r}, {q, r});
        }
    }
    k.barrier(3, 2, false);
    k.exit();
    k.grid = {2, 2, 1};
    k.block = {below(96) + 1, 1, 1};
    k.shared_bytes = below(1000);
    k.registers_per_thread(21);
    return k;
}

} // namespace

TEST_CASE("accelsim: what is written reads as the same launch") {
    for (unsigned seed = 0; seed < 20; ++seed) {
        auto k = random_kernel(seed);
        auto launch = k.launch();
        auto program = k.program();
        program.registers_per_thread = seed * 50;
        program.registers_estimated = seed % 4 < 2;
        program.jump_tables = {{1, static_instruction::no_target, 3}};
        program.instructions[5].jump_table = 0;
        program.instructions[60].barrier_in_stream = true;
        for (auto& i : program.instructions) {
            if (i.kind == op_class::load) i.async = async_role::copy;
            if (i.kind == op_class::int_max) i.async = async_role::commit;
            if (i.kind == op_class::fp_mad || i.kind == op_class::store) {
                i.matrix = static_cast<matrix_type>(1 + seed % 9);
                i.matrix_rows = 16;
                i.matrix_depth = 256;
                i.further_sources = 6;
                i.further_destinations = 2;
            }
            if (i.kind != op_class::fp_max) continue;
            i.async = async_role::wait;
            i.async_groups = static_cast<std::uint8_t>(seed);
        }
        if (seed % 2 == 0)
            for (auto& i : program.instructions) {
                i.control.given = true;
                i.control.stall = seed % 16;
                i.control.wait_mask = 5;
                i.control.read_counter = 2;
            }
        launch.program = &program;
        // Streams at random, with all spaces that generic instructions can have.
        std::mt19937_64 random(seed);
        std::vector<cta_stream> blocks(4);
        auto const warps = launch.warps_per_cta();
        for (std::size_t cta = 0; cta < blocks.size(); ++cta) {
            blocks[cta].reset(warps);
            for (unsigned w = 0; w < warps; ++w) {
                auto& s = blocks[cta].warps[w];
                for (auto n = random() % 100; n != 0; --n) {
                    auto const i = static_cast<std::uint32_t>(random() % program.instructions.size());
                    auto const& code = program.instructions[i];
                    auto mask = static_cast<lane_mask>(random() & random());
                    if (random() % 3 == 0) mask = all_lanes;
                    if (random() % 9 == 0) mask = 0;
                    if (code.is_memory()) {
                        auto space = code.space;
                        bool const several = space == memory_space::generic && random() % 3 == 0;
                        if (space == memory_space::generic) space = generic_spaces[random() % 5];
                        lane_addresses lane{};
                        auto const base = random() % (1ULL << 40);
                        auto const stride = random() % 64;
                        bool const regular = random() % 2 == 0;
                        bool const far = random() % 4 == 0;
                        unsigned spaces = 0; // of the active lanes
                        for (unsigned l = 0; l < lanes; ++l) {
                            if (several) space = generic_spaces[random() % 5];
                            if ((mask >> l & 1U) != 0) spaces |= 1U << static_cast<unsigned>(space);
                            lane[l] =
                                regular ? base + stride * l : random() % (far ? 1ULL << 50 : 1ULL << 20);
                            if (space == memory_space::local) lane[l] %= 1ULL << 32; // a thread's own
                            if (several) lane[l] |= window_of(space);
                        }
                        bool const mixed = (spaces & (spaces - 1)) != 0;
                        if (several && !mixed) {
                            for (auto& a : lane) a &= ~window_mask;
                            if (spaces != 0) space = static_cast<memory_space>(std::countr_zero(spaces));
                        }
                        s.append(i, mask, several && mixed ? memory_space::generic : space, lane);
                    } else if (code.barrier_in_stream) {
                        s.append_barrier(i, mask, static_cast<std::uint32_t>(random() % 16), 3);
                    } else {
                        s.append(i, mask);
                    }
                }
            }
        }
        launch.source = &blocks;
        launch.fill = [](void* self, std::uint64_t cta, cta_stream& out) {
            out = (*static_cast<std::vector<cta_stream>*>(self))[cta];
        };
        auto const set = seed % 3 == 0   ? accelsim::instruction_set::volta
                         : seed % 3 == 1 ? accelsim::instruction_set::ampere
                                         : accelsim::instruction_set::kepler;
        std::string text;
        accelsim::write_trace(
            launch, 1, [&](std::string_view bytes) { text += bytes; }, set);
        INFO(seed);
        read_trace const t(text);
        auto const& p = t.kernel.program();
        CHECK(p.instructions == program.instructions);
        CHECK(p.jump_tables == program.jump_tables);
        CHECK(p.name == program.name);
        CHECK(p.registers == program.registers);
        CHECK(p.registers_per_thread == program.registers_per_thread);
        CHECK(p.registers_estimated == program.registers_estimated);
        CHECK(t.kernel.header().shared_bytes == launch.shared_bytes);
        CHECK(t.kernel.header().grid == launch.grid);
        CHECK(t.kernel.header().block == launch.block);
        bool same = true;
        for (std::size_t cta = 0; cta < blocks.size(); ++cta)
            for (unsigned w = 0; w < warps; ++w)
                same = same && told(blocks[cta].warps[w], program) == t.warp(w, cta);
        CHECK(same);
        // What Accel-Sim's reader would refuse: more than one result or four operands in a line.
        bool fits = true;
        accelsim::line_reader in(accelsim::source_of("t", text));
        while (in.next()) {
            if (in.line().size() < 14 || in.line()[4] != ' ' || in.line()[13] != ' ') continue;
            accelsim::word_reader words(in.line().substr(13));
            std::uint64_t n = 9;
            fits = fits && words.decimal(n) && n <= 1;
            if (n == 1) words.word();
            fits = fits && accelsim::find_opcode(accelsim::opcode(words.word()).name()) != nullptr;
            fits = fits && words.decimal(n) && n <= 4;
        }
        CHECK(fits);
    }
}

TEST_CASE("accelsim: values of 64 bits are written with room behind them, as far as there are registers") {
    for (unsigned const others : {0U, 250U}) {
        kernel_builder k("pairs");
        k.load(memory_space::global, 8, {1}, {0});
        k.load(memory_space::global, 8, {2}, {0});
        k.op(op_class::dp_add, {3}, {1, 2});
        k.store(memory_space::global, 8, {0, 3});
        k.op(op_class::int_add, {static_cast<register_id>(4 + others)}, {0});
        k.block = {32, 1, 1};
        auto launch = k.launch();
        launch.fill = [](void*, std::uint64_t, cta_stream& out) {
            for (std::uint32_t i = 0; i < 5; ++i)
                if (i == 2 || i == 4)
                    out.warps[0].append(i, all_lanes);
                else
                    out.warps[0].append(i, all_lanes, memory_space::global, 256 * i, 8);
        };
        std::string text;
        accelsim::write_trace(launch, 1, [&](std::string_view bytes) { text += bytes; });
        // As Accel-Sim sees it: without the lines that are ours.
        for (auto at = text.find("-warpkit"); at != text.npos; at = text.find("-warpkit"))
            text.erase(at, text.find('\n', at) + 1 - at);
        read_trace const t(text);
        auto const first = to(t.code(0));
        auto const second = to(t.code(1));
        REQUIRE(first.size() == 2);
        bool const apart =
            std::find_first_of(first.begin(), first.end(), second.begin(), second.end()) == first.end();
        CHECK(apart == (others == 0));
        if (!apart) continue;
        auto both = first;
        both.insert(both.end(), second.begin(), second.end());
        CHECK(from(t.code(2)) == both);
        for (auto const r : to(t.code(2))) CHECK_THAT(from(t.code(3)), Catch::VectorContains(r));
        CHECK(from(t.code(4)).size() == 1);
    }
}

TEST_CASE("accelsim: matrices and the uniform data path are written as what the generation has") {
    kernel_builder k("units");
    k.op(op_class::tensor, {1}, {2, 3, 1});
    k.op(op_class::uniform, {4}, {5});
    k.exit();
    auto const written = [&](accelsim::instruction_set set) {
        std::string text;
        accelsim::write_trace(
            k.launch(), 1, [&](std::string_view bytes) { text += bytes; }, set);
        return text;
    };
    auto const has = [](std::string const& text, char const* part) { return text.find(part) != text.npos; };
    auto const volta = written(accelsim::instruction_set::volta);
    CHECK(has(volta, " HMMA.884.F16.F16 3 "));
    CHECK(has(volta, " IADD3 1 "));
    CHECK(has(written(accelsim::instruction_set::kepler), " FFMA 3 "));
    read_trace const back(volta);
    CHECK(back.code(0).kind == op_class::tensor);
    CHECK(back.code(1).kind == op_class::uniform); // our own lines say so
}

TEST_CASE("accelsim: Ampere's names of products, rows of matrices and asynchronous copies") {
    struct named {
        matrix_type matrix;
        unsigned rows, depth, destinations;
        char const* opcode;
    };
    named const products[] = {{matrix_type::f16, 16, 16, 4, "HMMA.16816.F32"},
                              {matrix_type::f16, 16, 8, 2, "HMMA.1688.F16"},
                              {matrix_type::bf16, 16, 16, 4, "HMMA.16816.F32.BF16"},
                              {matrix_type::tf32, 16, 8, 4, "HMMA.1688.F32.TF32"},
                              {matrix_type::f64, 8, 4, 2, "DMMA.884"},
                              {matrix_type::f8, 16, 32, 4, "QMMA.16832.F32"},
                              {matrix_type::s8, 16, 32, 4, "IMMA.16832.S8.S8"},
                              {matrix_type::s4, 16, 64, 4, "IMMA.16864.S4.S4"},
                              {matrix_type::b1, 16, 256, 4, "BMMA.168256"}};
    static_program program;
    program.name = "named";
    program.registers = 16;
    std::vector<std::string> wanted;
    auto const add = [&](static_instruction i, std::string opcode) {
        program.instructions.push_back(i);
        wanted.push_back(std::move(opcode));
    };
    for (auto const& p : products) {
        static_instruction i;
        i.kind = op_class::tensor;
        i.matrix = p.matrix;
        i.matrix_rows = static_cast<std::uint8_t>(p.rows);
        i.matrix_depth = static_cast<std::uint16_t>(p.depth);
        i.destinations = static_cast<std::uint8_t>(p.destinations);
        add(i, p.opcode);
    }
    static_instruction rows;
    rows.kind = op_class::load;
    rows.space = memory_space::shared;
    rows.access_bytes = 16;
    rows.matrix = matrix_type::rows;
    rows.destinations = 4;
    rows.sources = 1;
    add(rows, "LDSM.16.M88.4");
    rows.destinations = 1;
    add(rows, "LDSM.16.M88");
    rows.kind = op_class::store;
    rows.destinations = 0;
    rows.sources = 3;
    add(rows, "STSM.16.M88.2");
    static_instruction copy;
    copy.kind = op_class::load;
    copy.space = memory_space::global;
    copy.access_bytes = 16;
    copy.async = async_role::copy;
    add(copy, "LDGSTS.E.128");
    copy.past_l1 = true;
    add(copy, "LDGSTS.E.BYPASS.128");
    copy.past_l1 = false;
    copy.access_bytes = 4;
    add(copy, "LDGSTS.E");
    static_instruction other;
    other.kind = op_class::int_add;
    other.async = async_role::commit;
    add(other, "LDGDEPBAR");
    other.async = async_role::wait;
    add(other, "DEPBAR.LE");
    kernel_launch launch;
    launch.program = &program;
    launch.source = &program;
    launch.fill = [](void* self, std::uint64_t, cta_stream& out) {
        auto const& code = static_cast<static_program*>(self)->instructions;
        for (std::uint32_t i = 0; i < code.size(); ++i)
            if (code[i].is_memory())
                out.warps[0].append(i, 1, code[i].space, 256, 0);
            else
                out.warps[0].append(i, 1);
    };
    std::string text;
    accelsim::write_trace(
        launch, 1, [&](std::string_view bytes) { text += bytes; }, accelsim::instruction_set::ampere);
    std::size_t at = 0;
    for (auto const& opcode : wanted) {
        INFO(opcode);
        at = text.find(' ' + opcode + ' ', at);
        REQUIRE(at != text.npos);
    }
    CHECK(text.find("-binary version = 80") != text.npos);
    read_trace const back(text);
    CHECK(back.kernel.program().instructions == program.instructions);
}

TEST_CASE("accelsim: our own header lines are held to their word") {
    std::string const good = "-warpkit program = 2 instructions 5 registers 0 shared 8 bytes\n"
                             "-warpkit 0 = load global 4 to 1 from 4 line 3\n-warpkit 1 = exit\n";
    auto const with = [&](std::string const& from, std::string const& to) {
        auto own = good;
        own.replace(own.find(from), from.size(), to);
        return error_of(
            one_warp("0000 ffffffff 1 R1 LDG.E 1 R4 4 1 0x100 4\n0010 ffffffff 0 EXIT 0 0\n", own));
    };
    CHECK(with("line 3", "line 4").empty());
    CHECK(with("8 bytes", "8 bytes 0 before 8 estimated").empty());
    CHECK_THAT(with("8 bytes", "8 bytes 0 before 9 allocated"),
               Catch::Contains("'-nregs = 8' and the 9 registers of -warpkit program differ; change both"));
    CHECK_THAT(with("8 bytes", "8 bytes 0 before 300 estimated"), Catch::Contains("300 registers"));
    CHECK_THAT(with("8 bytes", "8 bytes 0 before 300 guessed"),
               Catch::Contains("expected allocated or estimated, found 'guessed'"));
    CHECK_THAT(with("8 bytes", "8 bytes 0 before 99999 estimated"),
               Catch::Contains("expected registers of a thread from 0 to 65535"));
    CHECK_THAT(with("2 instructions", "3 instructions"),
               Catch::Contains("expected 3 -warpkit instructions, found 2"));
    CHECK_THAT(with("2 instructions", "99999999 instructions"),
               Catch::Contains("t:13: expected instructions from 0 to"));
    CHECK_THAT(with("5 registers", "4 registers"), Catch::Contains("registers below 4"));
    CHECK_THAT(with("load global 4", "load global 3"), Catch::Contains("not 3"));
    CHECK_THAT(with("load global", "load nowhere"), Catch::Contains("no memory space 'nowhere'"));
    CHECK_THAT(with("load global", "lode global"), Catch::Contains("no operation class 'lode'"));
    CHECK_THAT(with("load global 4", "fp_add"),
               Catch::Contains("the header's instruction accesses no memory"));
    CHECK_THAT(with("-warpkit 1", "-warpkit 7"),
               Catch::Contains("t:15: expected -warpkit 1 of 2 instructions"));
    CHECK_THAT(with("exit", "exit table 0"), Catch::Contains("there is no -warpkit table 0"));
    CHECK_THAT(with("exit", "exit control 5"), Catch::Contains("control bits are given for some"));
    CHECK_THAT(with("line 3", "commits line 3"), Catch::Contains("found 'commits'"));
    CHECK_THAT(with("exit", "exit copies"), Catch::Contains("found 'copies'"));
    CHECK_THAT(with("exit", "exit awaits 256"), Catch::Contains("from 0 to 255"));
    CHECK_THAT(with("exit", "exit nonsense"), Catch::Contains("found 'nonsense'"));
    CHECK_THAT(with("-warpkit program", "-warpkit nothing"),
               Catch::Contains("expected -warpkit program first"));
    CHECK_THAT(error_of(one_warp("0050 ffffffff 0 EXIT 0 0\n", good)),
               Catch::Contains("no instruction at this PC"));
}

TEST_CASE("traces: bulk copies and products of warpgroups have no words there", "[accelsim]") {
    kernel_builder copies("copies");
    copies.bulk_copy();
    copies.exit();
    kernel_builder products("products");
    products.group_product(64, true);
    products.exit();
    auto const written = [](kernel_builder& k) {
        accelsim::trace_writer(
            k.launch(), 1, [](std::string_view) {}, accelsim::instruction_set::ampere);
    };
    CHECK_THROWS_WITH(written(copies), Catch::Contains("kernel 'copies': cp.async.bulk at line 0 cannot be"));
    CHECK_THROWS_WITH(written(products), Catch::Contains("kernel 'products': wgmma"));
}
