// The model of branch prediction behind .ci/cost --branches, and what it reads of objdump, lackey and addr2line.

#include "../../bench/cost/branches.hpp"

#include "catch.hpp"

#include <cstdint>
#include <initializer_list>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

// How many of the branches that `next` tells, one by one, are not guessed once the model has seen some.
template <typename Next>
double missed(Next next) {
    cost::tage model;
    constexpr unsigned first = 20'000;
    constexpr unsigned counted = 20'000;
    cost::guesses g;
    for (unsigned i = 0; i < first + counted; ++i) {
        auto const [address, taken] = next(i);
        bool const right = model.guesses(address, taken);
        if (i >= first) g.add(right);
    }
    return static_cast<double>(g.missed) / static_cast<double>(g.made);
}

struct branch {
    std::uint64_t address;
    bool taken;
};

// As objdump -d --no-show-raw-insn writes it: a loop that calls by register, and whose end is far behind its beginning.
constexpr char const* code = R"(
program:     file format elf64-x86-64


Disassembly of section .text:

0000000000401000 <_ZN12_GLOBAL__N_112phase_timingEv.cold>:
  401000:	ud2

0000000000401010 <_ZN12_GLOBAL__N_112phase_timingEv.constprop.0>:
  401010:	push   %rbx
  401011:	mov    %rdi,%rbx
  401014:	test   %eax,%eax
  401016:	je     40101c <_ZN12_GLOBAL__N_112phase_timingEv.constprop.0+0xc>
  401018:	notrack call *%rax
  40101a:	rep stos %rax,%es:(%rdi)
  40101c:	cmp    $0x3,%ebx
  40101f:	jne    401014 <_ZN12_GLOBAL__N_112phase_timingEv.constprop.0+0x4>
  401021:	pop    %rbx
  401022:	repz ret

0000000000401030 <_Z12end_of_phasev>:
  401030:	ret
)";

cost::disassembly read(std::string const& text) {
    std::istringstream in(text);
    return cost::disassembly(in);
}

cost::branch_trace follow(cost::disassembly const& program, std::initializer_list<char const*> lines) {
    cost::branch_trace t(program, program.function("phase_timing"), program.function("end_of_phase"));
    for (auto const* line : lines) t.line(line);
    return t;
}

} // namespace

TEST_CASE("branches: histories are a geometric series") {
    CHECK(cost::tage::history_length(1) == 5);
    CHECK(cost::tage::history_length(2) == 9);
    CHECK(cost::tage::history_length(5) == 43);
    CHECK(cost::tage::history_length(8) == 220);
}

TEST_CASE("branches: what repeats is guessed") {
    CHECK(missed([](unsigned) { return branch{0x401000, true}; }) == 0);
    CHECK(missed([](unsigned i) { return branch{0x401000, i % 2 == 0}; }) == 0);
    for (unsigned const trips : {3U, 10U, 40U, 150U})
        CHECK(missed([&](unsigned i) { return branch{0x401000, i % trips != 0}; }) == 0);
}

TEST_CASE("branches: a loop longer than the longest history is missed at its end") {
    CHECK(missed([](unsigned i) { return branch{0x401000, i % 1000 != 0}; }) == 0.001);
}

TEST_CASE("branches: of what is random half is missed, and what mostly happens is expected") {
    std::mt19937 random(1);
    auto const even = missed([&](unsigned) { return branch{0x401000, random() % 2 == 0}; });
    CHECK(even > 0.47);
    CHECK(even < 0.53);
    auto const rare = missed([&](unsigned) { return branch{0x401000, random() % 10 == 0}; });
    CHECK(rare > 0.09);
    CHECK(rare < 0.15);
}

TEST_CASE("branches: one that follows from another is guessed, with others in between") {
    std::mt19937 random(1);
    bool cause = false;
    auto const all = missed([&](unsigned i) {
        if (i % 8 == 0) cause = random() % 2 == 0;
        if (i % 8 == 0) return branch{0x401000, cause};
        if (i % 8 == 7) return branch{0x401100, !cause};
        return branch{0x401000 + i % 8 * 16, true};
    });
    CHECK(all > 0.055); // one of eight, half of the time
    CHECK(all < 0.070);
}

TEST_CASE("branches: many at once do not crowd each other out") {
    CHECK(missed([](unsigned i) { return branch{0x401000 + i % 500 * 12, i % 500 % 3 == 0}; }) < 0.001);
}

TEST_CASE("branches: indirect jumps go where they went after the same") {
    cost::target_table targets;
    CHECK_FALSE(targets.guesses(0x401000, 0x402000));
    unsigned wrong = 0;
    for (unsigned i = 0; i < 1000; ++i) wrong += !targets.guesses(0x401000, 0x402000 + i % 3 * 64);
    CHECK(wrong < 100);
    std::mt19937 random(1);
    wrong = 0;
    for (unsigned i = 0; i < 1000; ++i) wrong += !targets.guesses(0x401000, 0x402000 + random() % 4 * 64);
    CHECK(wrong > 650);
}

TEST_CASE("branches: a disassembly is read for what ends blocks") {
    using kind = cost::disassembly::kind;
    auto const program = read(code);
    CHECK(program.function("phase_timing") == 0x401010);
    CHECK(program.function("end_of_phase") == 0x401030);
    REQUIRE(program.jumps().size() == 7);
    auto const& je = program.jumps().at(program.end_of_block(0x401010).value());
    CHECK(je.what == kind::conditional);
    CHECK(je.address == 0x401016);
    CHECK(je.target == 0x40101c);
    CHECK(je.behind == 0x401018);
    CHECK(program.jumps()[2].what == kind::indirect);
    CHECK(program.jumps()[3].what == kind::known); // rep stos
    CHECK(program.jumps()[3].behind == 0x40101c);
    CHECK(program.jumps()[5].what == kind::known); // repz ret
    CHECK_FALSE(program.end_of_block(0x400fff));
    CHECK_FALSE(program.end_of_block(0x401031));
    CHECK_FALSE(program.end_of_block(0x4001000)); // a library's
}

TEST_CASE("branches: what is no disassembly, or another processor's, is refused") {
    CHECK_THROWS_AS(read(""), std::runtime_error);
    CHECK_THROWS_AS(read("program:     file format elf64-x86-64\n"), std::runtime_error);
    CHECK_THROWS_AS(read("sh: objdump: not found\n"), std::runtime_error);
    CHECK_THROWS_AS(read("program:     file format elf64-littleaarch64\n  401000:\tjmp    401000 <f>\n"),
                    std::runtime_error);
    CHECK_THROWS_AS(read("program:     file format elf64-x86-64\n  401000:\tje     <f>\n"),
                    std::runtime_error);
    CHECK_THROWS_AS(read("program:     file format elf64-x86-64\n  401000:\tje"), std::runtime_error);
    CHECK_THROWS_AS(read(code).function("phase_streams"), std::runtime_error);
}

TEST_CASE("branches: a trace is followed from phase to phase") {
    auto const program = read(code);
    auto const t =
        follow(program, {"==1== Lackey, an example Valgrind tool", "", "SB 00401014", // before the phase
                         "SB 00401010",                                               // je falls through
                         "SB 00401018",                                               // calls
                         "SB 04012340", "SB 04012350",                                // elsewhere
                         "SB 0040101a", "SB 0040101a", "SB 0040101a",                 // repeats
                         "SB 0040101c",                                               // jne taken
                         "SB 00401014",                                               // je taken
                         "SB 0040101c",                                               // jne falls through
                         "SB 00401021", "SB 00401030", "SB 00401014", "SB 00401018"});
    t.finish();
    CHECK(t.conditional().made == 4);
    CHECK(t.indirect().made == 1);
    CHECK(t.indirect().missed == 1);
    CHECK(t.missed().at(0x401018).made == 1);
    CHECK(t.missed().at(0x401018).missed == 1);
}

TEST_CASE("branches: a block that valgrind cut short ends in no branch") {
    auto const program = read(code);
    auto const t =
        follow(program, {"SB 00401010", "SB 00401011", "SB 0040101c", "SB 00401021", "SB 00401030"});
    CHECK(t.conditional().made == 2);
}

TEST_CASE("branches: a trace that is none, or not whole, is refused") {
    auto const program = read(code);
    CHECK_THROWS_WITH(follow(program, {"SB 00401010", "I  00401010,3"}),
                      "line 2 of the trace is none of lackey's: I  00401010,3");
    CHECK_THROWS_AS(follow(program, {"SB 4010zz"}), std::runtime_error);
    CHECK_THROWS_AS(follow(program, {"SB "}), std::runtime_error);
    CHECK_THROWS_WITH(follow(program, {"SB 00401010", "SB 00401018"}).finish(), "the trace ends early");
    CHECK_THROWS_WITH(follow(program, {"SB 00401018"}).finish(),
                      "the trace has nothing of what is to be measured");
}

TEST_CASE("branches: source lines by address, inlined ones with those around them") {
    std::istringstream in("0x0000000000401016\n"
                          "/project/include/warpkit/gpu/core.hpp:7 (discriminator 3)\n"
                          "/project/include/warpkit/gpu/gpu.hpp:9\n"
                          "/project/bench/cost/timing.cpp:41\n"
                          "/project/bench/cost/timing.cpp:60\n"
                          "0x000000000040101f\n"
                          "??:0\n");
    auto const lines = cost::read_source_lines(in, {"/project/include/warpkit/", "/project/"});
    CHECK(lines.size() == 2);
    CHECK(lines.at(0x401016) == "gpu/core.hpp:7 < gpu/gpu.hpp:9 < bench/cost/timing.cpp:41");
    CHECK(lines.at(0x40101f) == "??:0");
}
