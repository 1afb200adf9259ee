// ELF (Park, Park and Mahlke, SC 2015): priorities, figure 2, and a naive twin.

#include <warpkit/base/policy_text.hpp>
#include <warpkit/testing/warp_scheduler_laws.hpp>
#include <warpkit/warp/elf.hpp>
#include <warpkit/warp/gto.hpp>

#include "catch.hpp"
#include "program/naive_points.hpp"
#include "warp/million.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace warpkit;

namespace {

// 'C' computation, 'L' load, in a kernel of `warps` warps.
std::vector<static_instruction> program(std::string const& text) {
    std::vector<static_instruction> code(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        code[i].kind = text[i] == 'L' ? op_class::load : op_class::int_add;
        code[i].space = text[i] == 'L' ? memory_space::global : memory_space::none;
    }
    return code;
}
template <class P>
P launched(std::vector<static_instruction> const& code, unsigned warps) {
    P p;
    kernel_began e;
    e.instruction_bytes = 8;
    e.code = code.data();
    e.instructions = static_cast<std::uint32_t>(code.size());
    notify(e, p);
    notify(cta_launched{cta_slot{0}, 0, warp_set::first_n(warps), 0}, p);
    return p;
}
template <class P>
void issue(P& p, std::vector<static_instruction> const& code, unsigned w, std::uint32_t index) {
    issued e;
    e.warp = warp_slot{w};
    e.pc = 8 * index;
    e.kind = code[index].kind == op_class::load     ? issue_class::load
             : code[index].kind == op_class::branch ? issue_class::branch
                                                    : issue_class::arithmetic;
    notify(e, p);
}
template <class P>
void jump(P& p, unsigned w, std::uint32_t from, std::uint32_t to, bool taken) {
    notify(branched{warp_slot{w}, 8 * from, 8 * to, taken}, p);
}

} // namespace

TEST_CASE("priority table: the least, decrements, comparisons, as a plain array has them") {
    std::uint64_t state = 1;
    auto const draw = [&](unsigned n) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return static_cast<unsigned>((state >> 33) % n);
    };
    priority_table t;
    std::vector<unsigned> plain(warp_set::width, 0);
    unsigned differences = 0;
    for (unsigned n = 0; n < 20000; ++n) {
        auto const w = draw(warp_set::width);
        if (draw(3) == 0)
            t.set(warp_slot{w}, plain[w] = draw(n % 2 == 0 ? 256 : 5));
        else if (plain[w] > 0)
            t.decrement(warp_slot{w}), --plain[w];
        else
            t.decrement(warp_slot{w});
        auto const members = warp_set::from_bits(state ^ state >> 21) ^
                             warp_set::from_bits(state * state, warp_set::words - 1);
        unsigned least = 256;
        members.for_each([&](warp_slot m) { least = std::min(least, plain[m.index()]); });
        auto const found = t.least_of(members);
        auto const below = t.below(warp_slot{w}, members);
        auto const equal = t.equal_to(warp_slot{w}, members);
        members.for_each([&](warp_slot m) {
            auto const v = plain[m.index()];
            differences += found.contains(m) != (v == least) || below.contains(m) != (v < plain[w]) ||
                           equal.contains(m) != (v == plain[w]) || t[m] != v;
        });
    }
    CHECK(differences == 0);
    t.set(warp_set::range(3, 9), 200);
    CHECK((t[warp_slot{3}] == 200 && t[warp_slot{8}] == 200));
}

TEST_CASE("ELF: the fewest instructions to the next load first; a load sends its warp back") {
    auto const code = program("CCLCCCL");
    auto p = launched<elf>(code, 4);
    auto const all = warp_set::first_n(4);
    CHECK(p.distance(warp_slot{0}) == 2);
    CHECK(p.pick(all) == warp_slot{0}); // a tie: the oldest
    issue(p, code, 2, 0);
    CHECK(p.distance(warp_slot{2}) == 1);
    CHECK(p.pick(all) == warp_slot{2});
    CHECK(p.pick(all - warp_set{warp_slot{2}}) == warp_slot{0});
    issue(p, code, 2, 1);
    CHECK(p.pick(all) == warp_slot{2}); // at its load
    issue(p, code, 2, 2);
    CHECK(p.distance(warp_slot{2}) == 3); // calculated: to the load at 6
    CHECK(p.pick(all) == warp_slot{0});
    CHECK(p.pick(warp_set{}) == no_warp);
}

TEST_CASE("ELF: the highest priority warp goes on until its load, and no further (section 1)") {
    auto const code = program("CCLCCCCC");
    auto p = launched<elf>(code, 3);
    auto g = launched<elf_greedy>(code, 3);
    for (std::uint32_t i = 0; i < 3; ++i) {
        CHECK(p.pick(warp_set::first_n(3)) == warp_slot{0});
        issue(p, code, 0, i);
        issue(g, code, 0, i);
    }
    CHECK(p.pick(warp_set::first_n(3)) == warp_slot{1});
    CHECK(g.pick(warp_set::first_n(3)) == warp_slot{0});
}

TEST_CASE("ELF: the recalculation bit says on which way of a branch a priority is calculated (section 3.2)") {
    // 1 L, 4 bra 0, 10 L. At the branch: min(S(5) + 1, S(0) + 1) = 2; its bit is set, the taken path is nearer.
    auto code = program("CLCCCCCCCCL");
    code[4].kind = op_class::branch;
    code[4].target = 0;
    code[4].guarded = true;
    auto p = launched<elf>(code, 2);
    auto exact = launched<elf_exact>(code, 2);
    for (std::uint32_t i = 0; i < 5; ++i) {
        issue(p, code, 0, i), issue(p, code, 1, i);
        issue(exact, code, 0, i), issue(exact, code, 1, i);
    }
    jump(p, 0, 4, 0, true);
    jump(p, 1, 4, 5, false);
    jump(exact, 0, 4, 0, true);
    jump(exact, 1, 4, 5, false);
    CHECK(p.distance(warp_slot{0}) == 1);     // taken: calculated, at 0 one from the load at 1
    CHECK(p.distance(warp_slot{1}) == 1);     // not taken: counted down, and stale ...
    CHECK(exact.distance(warp_slot{1}) == 5); // ... for it is five from the load at 10
    // With a bit that is clear, falling through calculates: 1 L, 6 bra 2 with the load at 8 nearer behind it.
    auto other = program("CLCCCCCCLC");
    other[6].kind = op_class::branch;
    other[6].target = 2;
    other[6].guarded = true;
    auto q = launched<elf>(other, 2);
    CHECK_FALSE(q.points().recalculation_bit(other.data(), 6));
    issue(q, other, 0, 1); // a load: calculated
    CHECK(q.distance(warp_slot{0}) == 6);
    jump(q, 0, 6, 2, true);
    CHECK(q.distance(warp_slot{0}) == 6);
    jump(q, 0, 6, 7, false);
    CHECK(q.distance(warp_slot{0}) == 1);
}

TEST_CASE("ELF: of a kernel that has no code, and where no load is ahead, the oldest that has begun") {
    elf p;
    CHECK_THROWS_AS(notify(kernel_began{}, p), untold_fact); // that there is none must be told
    kernel_began e;
    e.instruction_bytes = 8;
    e.code = nullptr;
    e.instructions = 0;
    notify(e, p);
    notify(cta_launched{cta_slot{0}, 0, warp_set::range(4, 8), 0}, p);
    notify(cta_launched{cta_slot{1}, 1, warp_set::range(0, 4), 0}, p);
    CHECK(p.pick(warp_set::first_n(8)) == warp_slot{4});
    auto const code = program("CCC");
    auto q = launched<elf>(code, 2);
    CHECK(q.distance(warp_slot{0}) == 255);
    issue(q, code, 1, 0); // counts down all the same, so that it stays in front
    CHECK(q.distance(warp_slot{1}) == 254);
    CHECK(q.pick(warp_set::first_n(2)) == warp_slot{1});
}

namespace {

// Figure 2's core (section 2.3): one issue a cycle, computations take one cycle and memory operations four, each
// instruction needs the one before it. Who issues, cycle by cycle ('.': nobody), when `choose(ready warps)` chooses and
// hears by `issue(warp, instruction)` what it comes to.
using places = std::array<std::uint32_t, 4>; // the next instruction of each warp
template <class Choose, class Issue>
std::string timeline(std::string const& kernel, places at, Choose choose, Issue issue) {
    std::array<std::size_t, 4> ready{};
    std::string line;
    for (;;) {
        warp_set candidates;
        bool any = false;
        for (unsigned w = 0; w < 4; ++w) {
            any = any || at[w] < kernel.size();
            if (at[w] < kernel.size() && ready[w] <= line.size()) candidates.insert(warp_slot{w});
        }
        if (!any) return line;
        if (!candidates) {
            line += '.';
            continue;
        }
        auto const w = choose(candidates).index();
        ready[w] = line.size() + (kernel[at[w]] == 'L' ? 4 : 1);
        issue(w, at[w]++);
        line += static_cast<char>('0' + w);
    }
}
template <class P>
std::string timeline(std::string const& kernel, places const& start) {
    auto const code = program(kernel);
    auto p = launched<P>(code, 4);
    if constexpr (!std::is_same_v<P, gto>) // which would then be greedy for one of them
        for (unsigned w = 0; w < 4; ++w)
            for (std::uint32_t i = 0; i < start[w]; ++i) issue(p, code, w, i);
    return timeline(
        kernel, start, [&](warp_set c) { return p.pick(c); },
        [&](unsigned w, std::uint32_t i) { issue(p, code, w, i); });
}
// The same by the paper's words alone. GTO "selects an instruction from the warp which was issued in the previous
// cycle. If the warp cannot progress [...] the oldest warp among the ready warps"; the figure's warps are W0, the
// oldest, to W3.
std::string gto_in_words(std::string const& kernel, places const& start) {
    warp_slot last;
    return timeline(
        kernel, start, [&](warp_set c) { return c.contains(last) ? last : c.first(); },
        [&](unsigned w, std::uint32_t) { last = warp_slot{w}; });
}
// ELF: the fewest instructions to the next memory operation. Behind the last one there is none, and the table counts
// down from 255.
std::string elf_in_words(std::string const& kernel, places const& start) {
    auto at = start;
    auto const distance = [&](warp_slot w) {
        auto const here = at[w.index()];
        auto const next = kernel.find('L', here);
        if (next != std::string::npos) return next - here;
        return 255 - (here - (kernel.rfind('L') + 1));
    };
    auto const nearest = [&](warp_set c) {
        auto best = c.first();
        c.for_each([&](warp_slot w) { best = distance(w) < distance(best) ? w : best; });
        return best;
    };
    return timeline(kernel, start, nearest, [&](unsigned w, std::uint32_t i) { at[w] = i + 1; });
}

} // namespace

TEST_CASE("ELF: figure 2, cycle by cycle, for both schedulers") {
    // The text that we have of the paper lacks the drawing. What its words say of it: ten
    // instructions; a phase of four consecutive computations behind a load; four warps at different points; W2 and W3
    // send their requests earlier under ELF, and so are ready for their computations earlier. This is such a program,
    // with W0 and W1 in the phase of four, and W2 and W3 before the load that precedes it.
    std::string const kernel = "CLCCCCLCLC";
    places const start{2, 2, 1, 1};
    // Greedy-then-oldest: W0 runs up to its next load, then W1; W2 and W3 load in cycles 12 and 22.
    CHECK(timeline<gto>(kernel, start) == "00000111110021102222213.22333332..33...3");
    // ELF: W2 and W3 load in cycles 0 and 1, and their data comes while W0 and W1 compute; three cycles less in all,
    // and none lost before the last loads.
    CHECK(timeline<elf>(kernel, start) == "230000011100112221122333223301233...3");
    // Where each instruction waits for the one before, greed beyond the load is no greed.
    CHECK(timeline<elf_exact>(kernel, start) == timeline<elf>(kernel, start));
}

TEST_CASE("ELF: figure 2, whatever it draws: any program and start that its words allow, cycle by cycle") {
    // W2 and W3 at or before the load that a phase of exactly four computations follows, W0 and W1 anywhere: 199,600
    // drawings. Of every 31st, both timelines are as the words of each rule have them.
    std::uint64_t drawings = 0;
    std::uint64_t tried = 0;
    std::uint64_t differences = 0;
    std::uint64_t gto_cycles = 0;
    std::uint64_t elf_cycles = 0;
    for (unsigned bits = 0; bits < 1024; ++bits) {
        std::string kernel;
        for (unsigned i = 0; i < 10; ++i) kernel += (bits >> i & 1U) != 0 ? 'L' : 'C';
        auto const phase = (kernel + 'L').find("LCCCCL");
        if (phase == std::string::npos) continue;
        for (std::uint32_t w0 = 0; w0 < 10; ++w0)
            for (std::uint32_t w1 = 0; w1 < 10; ++w1)
                for (std::uint32_t w2 = 0; w2 <= phase; ++w2)
                    for (std::uint32_t w3 = 0; w3 <= phase; ++w3) {
                        if (drawings++ % 31 != 0) continue;
                        ++tried;
                        places const start{w0, w1, w2, w3};
                        auto const g = timeline<gto>(kernel, start);
                        auto const e = timeline<elf>(kernel, start);
                        differences += g != gto_in_words(kernel, start);
                        differences += e != elf_in_words(kernel, start);
                        gto_cycles += g.size();
                        elf_cycles += e.size();
                    }
    }
    CHECK(drawings == 199600);
    CHECK(tried > 5000);
    CHECK(differences == 0);
    CHECK(elf_cycles < gto_cycles); // "a better aggregate throughput"
}

TEST_CASE("ELF: hardware cost, table 3") {
    auto const kilobytes = [](std::uint64_t bits) { return static_cast<double>(bits) / 8 / 1024; };
    auto const cost = hardware_cost_of<elf>({});
    CHECK(std::string(cost.begin()[0].structure) == "priority calculator");
    CHECK(cost.begin()[0].bits == 42 * 32);
    CHECK(kilobytes(cost.begin()[0].bits) == Approx(0.16).margin(0.005));
    CHECK(std::string(cost.begin()[1].structure) == "warp priority table");
    CHECK(cost.begin()[1].bits == 8 * 48);
    CHECK(kilobytes(cost.begin()[1].bits) == Approx(0.05).margin(0.005));
    CHECK(hardware_cost_of<elf_48>({}).begin()[0].bits == 42 * 48);
    auto const told = policy_with<elf_of<run_time>>("elf:points=16");
    CHECK(hardware_cost_of(told, {}).begin()[0].bits == 42 * 16);
    CHECK(std::string(elf_16::name()) == "nearest_load<16>");
    CHECK(std::string(common_name<elf>) == "elf");
}

namespace {

// The naive twin: a number per warp, and a look at all candidates.
template <program_point_options Options = program_point_options{}, bool Exact = false, bool Greedy = false>
struct twin {
    std::vector<static_instruction> code;
    std::vector<int> distance;
    std::vector<bool> bit;
    std::uint32_t bytes = 8;
    std::array<int, warp_set::width> number{};
    std::array<std::uint64_t, warp_set::width> launched{};
    std::uint64_t launches = 0;
    unsigned last = warp_set::width;

    void on(kernel_began const& e) {
        *this = {};
        bytes = e.instruction_bytes;
        code.assign(e.code.get(), e.code.get() + e.instructions);
        naive::points const points(code, Options);
        for (std::uint32_t i = 0; i <= code.size(); ++i) distance.push_back(points.distance(i));
        for (std::uint32_t i = 0; i < code.size(); ++i)
            bit.push_back(code[i].kind == op_class::branch && points.recalculates_when_taken(i));
        for (auto& l : launched) l = launches++;
    }
    void on(cta_launched const& e) {
        e.warps.for_each([&](warp_slot w) {
            launched[w.index()] = launches++;
            number[w.index()] = distance[0];
        });
    }
    void on(issued const& e) {
        last = e.warp.index();
        auto const& i = code[e.pc / bytes];
        bool const loads = (i.kind == op_class::load || (i.kind == op_class::atomic && i.destinations > 0)) &&
                           i.space != memory_space::shared;
        auto& n = number[last];
        if (loads || Exact)
            n = distance[e.pc / bytes + 1];
        else
            n = std::max(0, n - 1);
    }
    void on(branched const& e) {
        if (Exact || e.taken == bit[e.pc / bytes]) number[e.warp.index()] = distance[e.next_pc / bytes];
    }
    void on(next_decoded const& e) {
        if (Exact) number[e.warp.index()] = distance[e.pc / bytes];
    }
    warp_slot pick(warp_set candidates) const {
        if (Greedy && candidates.contains(warp_slot{last})) return warp_slot{last};
        warp_slot best;
        candidates.for_each([&](warp_slot w) {
            auto const key = [&](warp_slot x) { return std::pair{number[x.index()], launched[x.index()]}; };
            if (!best || key(w) < key(best)) best = w;
        });
        return best;
    }
};

template <program_point_options O>
using order = nearest_load<O>;

} // namespace

TEST_CASE("ELF: a million random decisions agree with the naive twin, and the laws hold") {
    using namespace warpkit::testing;
    constexpr program_point_options few{.slots = 3};
    constexpr program_point_options literal{
        .slots = 5, .forward_branches = true, .merge = point_merge::literal};
    constexpr program_point_options all{.slots = unlimited_points};
    CHECK_NOTHROW(
        require_agreement<elf, twin<>>({.seed = 2015, .streams = million, .decisions_per_stream = 10000}));
    CHECK_NOTHROW(require_agreement<order<few>, twin<few>>(
        {.seed = 3, .streams = million / 5, .decisions_per_stream = 10000}));
    CHECK_NOTHROW(require_agreement<order<literal>, twin<literal>>(
        {.seed = 5, .streams = million / 5, .decisions_per_stream = 10000}));
    CHECK_NOTHROW(require_agreement<elf_exact, twin<all, true>>(
        {.seed = 7, .streams = million, .decisions_per_stream = 10000}));
    CHECK_NOTHROW(require_agreement<elf_greedy, twin<program_point_options{}, false, true>>(
        {.seed = 9, .streams = million, .decisions_per_stream = 10000}));
    CHECK_NOTHROW(require_warp_scheduler_laws<elf>({.seed = 5, .streams = 6}));
    CHECK_NOTHROW(require_warp_scheduler_laws<elf_greedy>({.seed = 6, .streams = 3}));
}
