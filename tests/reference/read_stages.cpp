/// Fixed read stages, and the register-file cache, as Huerta et al. measured them (docs/model/operands.md#read-stages).
#include <warpkit/gpu/core/read_stages.hpp>
#include <warpkit/reference/read_stages.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <algorithm>
#include <optional>
#include <vector>

using namespace warpkit;
using testing::random_numbers;

namespace {

/// A sub-core of theirs: two banks with a read port each, a window of three cycles, a cache of three operands.
core_numbers one_sub_core() {
    core_numbers n;
    n.sub_cores = n.bank_accesses = n.sp_units = n.sfu_units = 1;
    n.register_banks = 2;
    n.read_window = 3;
    n.register_cache = 3;
    n.latches.fill(5);
    n.initiation.fill(1);
    n.latency.fill(4);
    return n;
}

static_instruction reads(std::initializer_list<register_id> sources, unsigned reuse = 0) {
    static_instruction i;
    i.kind = op_class::fp_mad;
    for (auto const r : sources) i.source[i.sources++] = r;
    i.control.reuse = static_cast<std::uint8_t>(reuse);
    return i;
}

/// The cycles in which one warp issues these, one as soon as it can behind the other.
std::vector<cycle> issue_cycles(std::vector<static_instruction> const& code,
                                core_numbers const& n = one_sub_core()) {
    reference::read_stages stages(n);
    std::vector<cycle> at;
    for (cycle now = 0; at.size() < code.size(); ++now) {
        REQUIRE(now < 1000);
        stages.tick(now);
        auto const index = static_cast<std::uint32_t>(at.size());
        if (!stages.has_latch(0, unit_kind::sp)) continue;
        stages.issue(warp_slot{0}, index, code[index], unit_kind::sp);
        at.push_back(now);
    }
    return at;
}
/// From the first to the last of CLOCK, FFMA R11, R10, R12, R14, FFMA R13, R16, `x`, `y`, NOP, CLOCK (listing 1).
cycle listing_1(register_id x, register_id y) {
    auto const at = issue_cycles({reads({}), reads({10, 12, 14}), reads({16, x, y}), reads({}), reads({})});
    return at.back() - at.front() + 1;
}
/// How many cycles the last of these waits for ports behind the others, when nothing else does.
cycle bubbles(std::vector<static_instruction> code) {
    auto const last = code.size();
    for (int k = 0; k < 2; ++k) code.push_back(reads({}));
    return issue_cycles(code).back() - (last + 1);
}

} // namespace

TEST_CASE("two instructions behind each other have 0 to 2 bubbles between, as their operands' banks are "
          "(listing 1)") {
    CHECK(listing_1(19, 21) == 5);
    CHECK(listing_1(18, 21) == 6);
    CHECK(listing_1(18, 20) == 7);
}

TEST_CASE("what waits in Allocate does not hold up the instruction behind it, which is in Control, but the "
          "next one") {
    auto const at = issue_cycles({reads({10, 12, 14}), reads({16, 18, 20}), reads({}), reads({})});
    CHECK(at == std::vector<cycle>{0, 1, 2, 5});
}

TEST_CASE(
    "one bank gives one operand a cycle: two of a product are a bubble, three of a sum of products two") {
    auto const every = [](std::initializer_list<register_id> operands) {
        auto const at = issue_cycles(std::vector<static_instruction>(100, reads(operands)));
        return at[99] - at[98];
    };
    CHECK(every({1, 2}) == 1);
    CHECK(every({2, 4}) == 2);
    CHECK(every({2, 4, 6}) == 3);
    CHECK(every({2, 4, 2}) == 2); // one register is read once
    auto wide = one_sub_core();
    wide.bank_accesses = 2;
    auto const at = issue_cycles(std::vector<static_instruction>(100, reads({2, 4})), wide);
    CHECK(at[99] - at[98] == 1);
}

TEST_CASE("an instruction with more operands in a bank than the window has cycles reads longer") {
    auto const many = reads({0, 2, 4, 6, 8, 10, 12});
    auto const at = issue_cycles({many, many, reads({}), reads({})});
    CHECK(at == std::vector<cycle>{0, 1, 2, 9});
}

TEST_CASE("the register-file cache: bank, operand, warp and register must be the same (listing 4)") {
    // Bank 0 is short of ports: the last instruction needs all three cycles, unless R2 is in the cache.
    auto const hit = [](std::vector<static_instruction> code) {
        // Behind it one that reads three of bank 0, which waits a cycle for each port that was taken.
        auto without = code;
        for (auto& i : without) i.control.reuse = 0;
        return bubbles(without) - bubbles(code);
    };
    // Each instruction reads three of bank 0, so that a port that is not needed is a cycle.
    auto const add = [](register_id first, unsigned reuse) { return reads({first, 14, 16}, reuse); };
    // 1: allocated, hits, and is gone.
    CHECK(hit({add(2, 1), add(2, 0)}) == 1);
    CHECK(hit({add(2, 1), add(2, 0), add(2, 0)}) == 1);
    // 2: retained by who hits.
    CHECK(hit({add(2, 1), add(2, 1), add(2, 0)}) == 2);
    // 3: not in another operand; what another bank reads in that operand changes nothing.
    CHECK(hit({add(2, 1), reads({14, 2, 16})}) == 0);
    CHECK(hit({add(2, 1), reads({7, 2, 14}), add(2, 0)}) == 1);
    // 4: another register of the bank in that operand takes its place, kept or not.
    CHECK(hit({add(2, 1), add(4, 0), add(2, 0)}) == 0);
}

TEST_CASE("the register-file cache is of a warp") {
    for (unsigned const other : {0U, 1U}) {
        reference::read_stages stages(one_sub_core());
        auto const run = [&](unsigned w, static_instruction const& i, cycle& now) {
            while (!stages.has_latch(0, unit_kind::sp)) stages.tick(now++);
            stages.issue(warp_slot{w}, 0, i, unit_kind::sp);
            stages.tick(now++);
        };
        cycle now = 0;
        run(0, reads({2, 4, 6}, 1), now);
        run(other, reads({2, 8, 10}), now);
        run(0, reads({}), now);
        run(0, reads({}), now);
        CHECK(now == (other == 0 ? 5 : 6)); // a port less
    }
}

TEST_CASE("what has a variable latency reads what others leave, in the order of its queue") {
    auto const n = one_sub_core();
    reference::read_stages stages(n);
    for (std::uint32_t k = 0; k < 5; ++k) { // four in the queue, one in Control
        CHECK(stages.has_latch(0, unit_kind::load_store));
        stages.issue(warp_slot{0}, k, reads({2, 4}), unit_kind::load_store);
        stages.tick(k);
    }
    CHECK_FALSE(stages.has_latch(0, unit_kind::load_store));
    CHECK(stages.has_latch(0, unit_kind::sp)); // a unit of another kind
    // Issued in 0, in the queue from 1 on, books in 1, reads in 2 to 4.
    REQUIRE(stages.front(unit_kind::load_store) != nullptr);
    CHECK(stages.front(unit_kind::load_store)->instruction == 0);
    stages.pop(*stages.front(unit_kind::load_store));
    CHECK(stages.has_latch(0, unit_kind::load_store));
    CHECK(stages.front(unit_kind::load_store) == nullptr);
}

TEST_CASE("the fast engine's read stages do the same, cycle by cycle") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        INFO("seed " << seed);
        random_numbers r(seed);
        auto n = one_sub_core();
        n.sub_cores = 1 + r.below(3);
        n.register_banks = n.sub_cores * (1 + r.below(4));
        n.bank_accesses = 1 + r.below(2);
        n.read_window = 1 + r.below(4);
        n.register_cache = r.below(5);
        for (auto& l : n.latches) l = n.sub_cores * (1 + r.below(4));
        n.sp_units = n.sfu_units = n.dp_units = n.sub_cores;
        for (auto& i : n.initiation) i = 1 + r.below(5);
        static_program p;
        op_class const kinds[] = {op_class::fp_mad, op_class::special, op_class::dp_add, op_class::load};
        for (unsigned k = 0; k < 40; ++k) {
            static_instruction i;
            i.kind = kinds[r.chance(60) ? 0 : r.below(4)];
            i.sources = static_cast<std::uint8_t>(r.chance(90) ? r.below(4) : r.below(13));
            for (unsigned s = 0; s < i.sources; ++s) i.source[s] = static_cast<register_id>(r.below(6));
            i.further_sources = r.chance(20) ? 2 : 0;
            i.control.reuse = static_cast<std::uint8_t>(r.below(16));
            i.control.given = true;
            p.instructions.push_back(i);
        }
        kernel_image const image(p, n);
        running_kernel const code(image);
        reference::read_stages plain(n);
        register_banks const banks(n);
        read_stages fast(n);
        std::vector<bool> holds(n.sub_cores);
        std::vector<cycle> unit_free(n.sub_cores * 2);
        cycle room = 0;
        for (cycle now = 0; now < 400; ++now) {
            // Units start, and the load/store unit takes one.
            std::vector<std::uint32_t> by_fast, by_plain;
            fast.start(
                now, code, [&](warp_slot, std::uint32_t index, cycle) { by_fast.push_back(index); },
                [](unsigned, unit_kind) {});
            for (auto const k : {unit_kind::sfu, unit_kind::dp})
                for (unsigned s = 0; s < n.sub_cores; ++s) {
                    auto const* const e = plain.front(k, s);
                    auto& free = unit_free[s * 2 + (k == unit_kind::dp)];
                    if (e == nullptr || free > now) continue;
                    by_plain.push_back(e->instruction);
                    free = now + n.initiation[static_cast<unsigned>(p.instructions[e->instruction].kind)];
                    plain.pop(*e);
                }
            CHECK(by_fast == by_plain);
            if (room <= now) {
                std::optional<std::uint64_t> taken, taken_plainly;
                fast.hand_over(
                    now, [&](std::uint64_t number) { taken = number; }, [](unsigned, unit_kind) {});
                if (auto const* const e = plain.front(unit_kind::load_store)) {
                    taken_plainly = e->number;
                    plain.pop(*e);
                }
                REQUIRE(taken == taken_plainly);
                if (taken) room = now + 1 + r.below(3);
            }
            fast.step(now, room, [&](unsigned s) { holds[s] = false; });
            plain.tick(now);
            for (unsigned s = 0; s < n.sub_cores; ++s) {
                REQUIRE(holds[s] == !plain.has_latch(s, unit_kind::sp));
                auto const index = r.below(40);
                auto const& d = code[index];
                if (r.chance(30) || !plain.has_latch(s, d.unit)) continue;
                warp_slot const w{s + n.sub_cores * r.below(3)};
                auto const number = fast.issue(now, w, index, d, code.details(d), banks);
                REQUIRE(number == plain.issue(w, index, p.instructions[index], d.unit));
                holds[s] = true;
            }
        }
    }
}
