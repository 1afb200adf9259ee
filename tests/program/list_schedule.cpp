// List scheduling: a block's instructions in a compiler's order, beside worked examples and, on random blocks, beside
// what it promises: nothing that depends on another passes it, no block is longer, no more registers live.
#include <warpkit/program/list_schedule.hpp>

#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

using namespace warpkit;

namespace {

/// A program as the pass sees it.
struct sketch {
    std::vector<static_instruction> code;
    std::vector<register_use> uses;
    std::vector<side_effects> effects;
    std::vector<std::uint8_t> weight = std::vector<std::uint8_t>(16, 1);

    void add(op_class kind, std::vector<std::uint32_t> writes, std::vector<std::uint32_t> reads,
             side_effects e = {}, memory_space space = memory_space::none) {
        static_instruction i;
        i.kind = kind;
        i.space = space;
        code.push_back(i);
        uses.push_back({std::move(writes), std::move(reads), false});
        effects.push_back(e);
    }
    void load(std::uint32_t to, std::uint32_t address) {
        add(op_class::load, {to}, {address}, {1, 0, false}, memory_space::global);
    }
    void store(std::uint32_t address, std::uint32_t value) {
        add(op_class::store, {}, {address, value}, {1, 1, false}, memory_space::global);
    }
    void integer(std::uint32_t to, std::uint32_t a, std::uint32_t b) { add(op_class::int_add, {to}, {a, b}); }
    void end() { add(op_class::exit, {}, {}); }
    control_flow flow() const { return control_flow(code); }
    std::vector<std::uint32_t> order() const {
        return list_schedule(flow(), code, uses, effects, weight).order();
    }
};
using order = std::vector<std::uint32_t>;

} // namespace

TEST_CASE("list schedule: loads go ahead of arithmetic that does not need them") {
    sketch s; // 0 and 1 come from before the block
    s.integer(2, 0, 0);
    s.integer(3, 2, 2);
    s.load(4, 1); // 200 cycles, wanted at once
    s.integer(5, 4, 3);
    s.store(0, 5);
    s.end();
    CHECK(s.order() == order{2, 0, 1, 3, 4, 5});
}

TEST_CASE("list schedule: of two loads, that with more behind it goes first") {
    sketch s;
    s.load(2, 0);
    s.load(3, 1);
    s.integer(4, 3, 3);
    s.integer(4, 4, 4);
    s.integer(5, 2, 4);
    s.store(0, 5);
    s.end();
    CHECK(s.order()[0] == 1);
    CHECK(s.order()[1] == 0);
}

TEST_CASE("list schedule: a load passes neither a store to its space nor what is pinned, but one to another "
          "space") {
    sketch s;
    s.weight[3] = 0; // room for it
    s.integer(2, 0, 0);
    s.store(0, 2);
    s.load(3, 1);
    s.store(1, 3);
    s.end();
    CHECK(s.order() == order{0, 1, 2, 3, 4});
    s.effects[1] = {2, 2, false}; // to shared memory
    CHECK(s.order() == order{2, 0, 1, 3, 4});
    s.effects[1] = {0, 0, true};
    CHECK(s.order() == order{0, 1, 2, 3, 4});
}

TEST_CASE("list schedule: no more registers live than in the order of the text") {
    sketch s; // four loads, each summed up at once: two registers live at a time
    s.integer(2, 0, 0);
    for (unsigned k = 0; k < 4; ++k) {
        s.load(3, 0);
        s.integer(2, 2, 3);
    }
    s.store(0, 2);
    s.end();
    auto const narrow = list_schedule(s.flow(), s.code, s.uses, s.effects, s.weight);
    CHECK(narrow.most_registers() == 3);
    CHECK(narrow.order() == order{1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    // With registers of their own that live to the end of the text's order, they all go ahead.
    sketch w;
    w.integer(2, 0, 0);
    for (unsigned k = 0; k < 4; ++k) {
        w.load(3 + k, 0);
        w.integer(2, 2, 3 + k);
    }
    for (unsigned k = 0; k < 4; ++k) w.integer(2, 2, 3 + k);
    w.store(0, 2);
    w.end();
    auto const o = w.order();
    CHECK(std::find(o.begin(), o.end(), 7U) - o.begin() < 5); // the last load
}

TEST_CASE("list schedule: blocks stay where they are, and what ends them at their end") {
    sketch s;
    s.weight[2] = 0;
    s.load(2, 0);
    s.integer(3, 2, 2);
    s.integer(4, 1, 1);
    s.add(op_class::branch, {}, {3, 4});
    s.code.back().target = 6;
    s.code.back().guarded = true;
    s.integer(5, 4, 4);
    s.load(6, 4);
    s.integer(5, 4, 4); // a block of its own: the branch goes here
    s.end();
    CHECK(s.order() == order{0, 2, 1, 3, 4, 5, 6, 7});
}

TEST_CASE("list schedule: random blocks keep all that depends in its order, and are no longer") {
    std::mt19937 random(1);
    unsigned moved = 0;
    for (unsigned turn = 0; turn < 300; ++turn) {
        INFO("turn " << turn);
        sketch s;
        auto const n = 3 + random() % 40;
        auto const some = [&] { return static_cast<std::uint32_t>(random() % 16); };
        for (unsigned i = 0; i < n; ++i) {
            switch (random() % 8) {
            case 0:
            case 1:
                s.load(some(), some());
                break;
            case 2:
                s.store(some(), some());
                break;
            case 3:
                s.add(op_class::load, {some()}, {some()}, {2, 0, false}, memory_space::shared);
                break;
            case 4:
                if (random() % 4 == 0)
                    s.add(op_class::barrier, {}, {},
                          {side_effects::everything, side_effects::everything, true});
                else
                    s.add(op_class::special, {some()}, {some()});
                break;
            default:
                s.integer(some(), some(), some());
                if (random() % 4 == 0) s.uses.back().conditional = true;
            }
            if (random() % 10 == 0) {
                s.add(op_class::branch, {}, {some()});
                s.code.back().guarded = true;
                s.code.back().target = 0;
            }
        }
        s.end();
        auto const flow = s.flow();
        list_schedule const made(flow, s.code, s.uses, s.effects, s.weight);
        auto const& o = made.order();
        std::vector<std::uint32_t> place(o.size(), 0xffffffff);
        for (std::uint32_t k = 0; k < o.size(); ++k) place[o[k]] = k;
        moved += o[0] != 0 || !std::is_sorted(o.begin(), o.end());
        auto const meets = [](auto const& a, auto const& b) {
            return std::any_of(a.begin(), a.end(),
                               [&](auto r) { return std::find(b.begin(), b.end(), r) != b.end(); });
        };
        bool kept = true;
        for (auto const& b : flow.blocks()) {
            kept = kept && o[b.last - 1] == b.last - 1;
            for (auto i = b.first; i < b.last; ++i) {
                kept = kept && place[i] >= b.first && place[i] < b.last;
                for (auto j = i + 1; j < b.last; ++j) {
                    auto const& a = s.uses[i];
                    auto const& c = s.uses[j];
                    bool const depends =
                        meets(a.writes, c.reads) || meets(a.reads, c.writes) || meets(a.writes, c.writes) ||
                        (s.effects[i].writes & (s.effects[j].reads | s.effects[j].writes)) != 0 ||
                        (s.effects[i].reads & s.effects[j].writes) != 0 || s.effects[i].pinned ||
                        s.effects[j].pinned;
                    if (depends) kept = kept && place[i] < place[j];
                }
            }
        }
        REQUIRE(kept);
        // The same program in its new order: as few registers.
        sketch t = s;
        for (std::size_t k = 0; k < o.size(); ++k) {
            t.code[k] = s.code[o[k]];
            t.uses[k] = s.uses[o[k]];
        }
        auto const after = t.flow();
        liveness const live(after, t.uses, 16);
        CHECK(live.pressure(after, t.uses, t.weight) <= made.most_registers());
    }
    CHECK(moved > 100);
}
