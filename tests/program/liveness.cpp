#include <warpkit/program/liveness.hpp>

#include "catch.hpp"

#include <cstdint>
#include <vector>

using namespace warpkit;

namespace {
static_instruction plain() {
    static_instruction i;
    i.kind = op_class::int_add;
    return i;
}
static_instruction jump(std::uint32_t target) {
    static_instruction i = plain();
    i.kind = op_class::branch;
    i.target = target;
    i.guarded = true;
    return i;
}
register_use use(std::vector<std::uint32_t> writes, std::vector<std::uint32_t> reads,
                 bool conditional = false) {
    return {std::move(writes), std::move(reads), conditional};
}
} // namespace

TEST_CASE("Straight code: from definition to last use, places are reused after it", "[liveness]") {
    // 0: a=; 1: b=a; 2: c=b; 3: d=c+c; 4: =d
    std::vector<static_instruction> const code(5, plain());
    std::vector<register_use> const uses{use({0}, {}), use({1}, {0}), use({2}, {1}), use({3}, {2, 2}),
                                         use({}, {3})};
    control_flow const flow(code);
    liveness const live(flow, uses, 5);
    CHECK(live.interval(0) == live_interval{0, 1});
    CHECK(live.interval(3) == live_interval{3, 4});
    CHECK(live.interval(4).first > live.interval(4).last); // never used
    CHECK(live.pressure(flow, uses, {1, 1, 1, 1, 1}) == 1);
    CHECK(live.pressure(flow, uses, {1, 2, 1, 0, 1}) == 2);
    auto const a = allocate_registers(live, {0, 0, 0, 0, 0});
    CHECK(a.in_class[0] == 2);
    CHECK(a.place[0] != a.place[1]);
    CHECK(a.place[4] == register_allocation::unused);
}

TEST_CASE("What a loop reads lives through the whole loop", "[liveness]") {
    // 0: a=; 1: i=; 2: t=a+i (loop head); 3: i=t; 4: branch 2 on i; 5: =i
    std::vector<static_instruction> const code{plain(), plain(), plain(), plain(), jump(2), plain()};
    std::vector<register_use> const uses{use({0}, {}),  use({1}, {}), use({2}, {0, 1}),
                                         use({1}, {2}), use({}, {1}), use({}, {1})};
    control_flow const flow(code);
    liveness const live(flow, uses, 3);
    CHECK(live.interval(0) == live_interval{0, 4});
    CHECK(live.interval(1) == live_interval{1, 5});
    CHECK(live.live_in(flow.block_of(2), 0));
    CHECK_FALSE(live.live_in(flow.block_of(2), 2));
    CHECK(live.live_out(flow.block_of(4), 0)); // for the next turn
    CHECK(live.pressure(flow, uses, {1, 1, 1}) == 2);
}

TEST_CASE("A guarded write keeps the old value alive", "[liveness]") {
    // 0: a=; 1: @p a=; 2: =a
    std::vector<static_instruction> const code(3, plain());
    std::vector<register_use> const sure{use({0}, {}), use({0}, {}), use({}, {0})};
    std::vector<register_use> const guarded{use({0}, {}), use({0}, {1}, true), use({}, {0})};
    control_flow const flow(code);
    CHECK(liveness(flow, sure, 2).pressure(flow, sure, {1, 1}) == 1);
    liveness const live(flow, guarded, 2);
    CHECK(live.live_in(0, 1));       // p is read before it is written
    CHECK_FALSE(live.live_in(0, 0)); // a is written first
    CHECK(live.pressure(flow, guarded, {1, 1}) == 2);
}

TEST_CASE("No two registers that live at once share a place, and classes are apart", "[liveness]") {
    // A pseudo-random straight program; the check looks at every pair.
    std::uint64_t s = 7;
    auto const next = [&](std::uint32_t n) {
        s = s * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::uint32_t>(s >> 33) % n;
    };
    constexpr std::uint32_t registers = 60;
    std::vector<static_instruction> code;
    std::vector<register_use> uses;
    for (std::uint32_t i = 0; i < 200; ++i) {
        code.push_back(next(10) == 0 ? jump(next(200)) : plain());
        uses.push_back(use({next(registers)}, {next(registers), next(registers)}, next(4) == 0));
    }
    control_flow const flow(code);
    liveness const live(flow, uses, registers);
    std::vector<std::uint8_t> classes;
    for (std::uint32_t r = 0; r < registers; ++r) classes.push_back(static_cast<std::uint8_t>(r % 3));
    auto const a = allocate_registers(live, classes);
    for (std::uint32_t r = 0; r < registers; ++r)
        for (std::uint32_t q = 0; q < r; ++q) {
            if (classes[r] != classes[q] || a.place[r] != a.place[q]) continue;
            auto const x = live.interval(r);
            auto const y = live.interval(q);
            CHECK((x.last < y.first || y.last < x.first));
        }
}
