#include <warpkit/program/control_flow.hpp>

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
static_instruction jump(std::uint32_t target, bool guarded = true) {
    static_instruction i;
    i.kind = op_class::branch;
    i.target = target;
    i.guarded = guarded;
    return i;
}
static_instruction leave(bool guarded = false) {
    static_instruction i;
    i.kind = op_class::exit;
    i.guarded = guarded;
    return i;
}
constexpr auto none = control_flow::none;
} // namespace

TEST_CASE("if without else meets behind it", "[control_flow]") {
    control_flow const f({plain(), jump(3), plain(), plain(), leave()});
    REQUIRE(f.blocks().size() == 3);
    CHECK(f.blocks()[0].successors == std::vector<std::uint32_t>{2, 1});
    CHECK(f.blocks()[2].predecessors.size() == 2);
    CHECK(f.reconvergence(1) == 3);
}

TEST_CASE("if and else meet at the join; nested ones at their own", "[control_flow]") {
    // 0: if -> 6;  1: if -> 4; 2; 3: goto 5; 4; 5: goto 7; 6; 7: exit
    control_flow const f(
        {jump(6), jump(4), plain(), jump(5, false), plain(), jump(7, false), plain(), leave()});
    CHECK(f.reconvergence(0) == 7);
    CHECK(f.reconvergence(1) == 5);
    CHECK(f.reconvergence(3) == 5);
}

TEST_CASE("A loop's backward branch meets at its exit; a break too", "[control_flow]") {
    // 0; 1: loop head, break -> 4; 2; 3: back -> 1 if; 4: exit
    control_flow const f({plain(), jump(4), plain(), jump(1), leave()});
    CHECK(f.reconvergence(1) == 4);
    CHECK(f.reconvergence(3) == 4);
}

TEST_CASE("Paths that end apart never meet", "[control_flow]") {
    control_flow const f({jump(2), leave(), leave()});
    CHECK(f.reconvergence(0) == none);
    // One side leaves: the branch has no post-dominator but the end.
    control_flow const g({jump(3), plain(), leave(), plain(), leave()});
    CHECK(g.reconvergence(0) == none);
    CHECK(!g.meets_early());
}

TEST_CASE("Paths that leave on their own do not keep the others from meeting", "[control_flow]") {
    // 0: if -> 3; 1; 2: if -> 6 (leaves); 3; 4: back -> 0 if; 5: exit; 6; 7: exit
    control_flow const f({jump(3), plain(), jump(6), plain(), jump(0), leave(), plain(), leave()}, {}, {7});
    CHECK(f.blocks()[f.block_of(0)].immediate_post_dominator == none);
    CHECK(f.reconvergence(0) == 3);
    CHECK(f.reconvergence(2) == none); // who stays goes to where those of 0 meet
    CHECK(f.meets_early());
    // The same with one exit for all: 0: if -> 3; 1; 2: if -> 5; 3; 4; 5: exit
    control_flow const g({jump(3), plain(), jump(5), plain(), plain(), leave()});
    CHECK(g.blocks()[g.block_of(0)].immediate_post_dominator == g.block_of(5));
    CHECK(g.reconvergence(0) == 3);
    CHECK(g.reconvergence(2) == 5);
    CHECK(g.only_leaves(5));
    CHECK(!g.only_leaves(3));
    // Two assertions with one failure: 0: if -> 2; 1: if -> 6; 2; 3: if -> 6; 4; 5: exit; 6; 7: trap
    std::vector<static_instruction> const two{jump(2), jump(6), plain(), jump(6),
                                              plain(), leave(), plain(), leave()};
    CHECK(control_flow(two, {}, {7}).reconvergence(0) == 2);
    CHECK(control_flow(two).reconvergence(0) == 2); // it may as well be a second way to leave
    // A guard in front of everything: all meet at the exit, as they would without other paths that leave.
    control_flow const h({jump(4), jump(3), plain(), plain(), leave()});
    CHECK(h.reconvergence(0) == 4);
    CHECK(h.reconvergence(1) == 3);
    CHECK(!h.meets_early());
}

TEST_CASE("A loop that some paths leave from its middle meets behind its end", "[control_flow]") {
    // 0: head, done -> 5; 1: if -> 4; 2: if -> 7; 3; 4: back -> 0; 5; 6: exit; 7; 8: exit
    control_flow const f(
        {jump(5), jump(4), jump(7), plain(), jump(0, false), plain(), leave(), plain(), leave()}, {}, {8});
    CHECK(f.reconvergence(1) == 4);
    CHECK(f.reconvergence(2) == none);
}

TEST_CASE("A guarded exit goes on for the others", "[control_flow]") {
    // 0: if -> 3; 1: @p exit; 2; 3: exit
    control_flow const f({jump(3), leave(true), plain(), leave()});
    REQUIRE(f.blocks().size() == 4);
    CHECK(f.blocks()[1].leaves);
    CHECK(f.blocks()[1].successors == std::vector<std::uint32_t>{2});
    CHECK(f.reconvergence(0) == 3); // whoever is left meets there
}

TEST_CASE("Irreducible flow: two entries into a loop", "[control_flow]") {
    // 0: if -> 3; 1; 2: (A) -> falls; 3: (B) if -> 1 ; 4: exit    A = 1..2, B = 3
    control_flow const f({jump(3), plain(), plain(), jump(1), leave()});
    CHECK(f.reconvergence(0) == 3);
    CHECK(f.reconvergence(3) == 4);
    // Jumping between two loop bodies, each with an exit of its own.
    // 0: if -> 3; 1: if -> 5; 2: goto 3; 3: if -> 5; 4: goto 1; 5: exit
    control_flow const g({jump(3), jump(5), jump(3, false), jump(5), jump(1, false), leave()});
    CHECK(g.reconvergence(0) == 1); // those that leave at once apart
    CHECK(g.reconvergence(1) == 5);
    CHECK(g.reconvergence(3) == 5);
}

TEST_CASE("A loop without end has no post-dominator, and the rest is unharmed", "[control_flow]") {
    // 0: if -> 2; 1: goto 1; 2: if -> 4; 3; 4: exit
    control_flow const f({jump(2), jump(1, false), jump(4), plain(), leave()});
    CHECK(f.blocks()[f.block_of(1)].immediate_post_dominator == none);
    CHECK(f.reconvergence(2) == 4);
    CHECK(f.reconvergence(0) == 2); // the only way to an end
}

TEST_CASE("Unreachable code and an empty program", "[control_flow]") {
    control_flow const f({jump(2, false), plain(), leave()});
    CHECK(f.blocks().size() == 3);
    CHECK(f.blocks()[1].predecessors.empty());
    CHECK(control_flow(std::vector<static_instruction>{}).blocks().empty());
}
