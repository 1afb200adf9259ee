#include <warpkit/program/program_points.hpp>

#include "catch.hpp"
#include "program/naive_points.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

static_instruction plain() {
    static_instruction i;
    i.kind = op_class::int_add;
    return i;
}
static_instruction load(memory_space space = memory_space::global) {
    static_instruction i;
    i.kind = op_class::load;
    i.space = space;
    i.destinations = 1;
    return i;
}
static_instruction branch(std::uint32_t target, bool guarded = true) {
    static_instruction i;
    i.kind = op_class::branch;
    i.target = target;
    i.guarded = guarded;
    return i;
}
// 'C' computation, 'L' load; branches are put in by hand.
std::vector<static_instruction> program(std::string const& text) {
    std::vector<static_instruction> code;
    for (auto const c : text) code.push_back(c == 'L' ? load() : plain());
    return code;
}
template <program_point_options Options = program_point_options{}>
program_points<Options> points_of(std::vector<static_instruction> const& code) {
    return {code.data(), static_cast<std::uint32_t>(code.size())};
}
template <class P>
std::vector<naive::point> list(P const& p) {
    std::vector<naive::point> all;
    for (std::uint32_t i = 0; i < p.size(); ++i) all.push_back({p[i].index, p[i].score, p[i].is_branch != 0});
    return all;
}

} // namespace

TEST_CASE("program points: loads are points; the distance counts down to the next one") {
    auto const p = points_of(program("CCLCCCCL"));
    CHECK(list(p) == std::vector<naive::point>{{2, 0, false}, {7, 0, false}});
    std::vector<unsigned> distances;
    for (std::uint32_t i = 0; i < 9; ++i) distances.push_back(p.distance(i));
    CHECK(distances == std::vector<unsigned>{2, 1, 0, 4, 3, 2, 1, 0, 255}); // 0 at a load; none ahead: 255
}

TEST_CASE(
    "program points: shared, constant and parameter loads are none (ELF 3.1); atomics with a result are") {
    auto code = program("CCCCCCCC");
    code[0] = load(memory_space::shared);
    code[1] = load(memory_space::constant);
    code[2] = load(memory_space::parameter);
    code[3] = load(memory_space::local);
    code[4].kind = op_class::atomic;
    code[4].space = memory_space::global;
    code[5] = code[4];
    code[5].destinations = 1;
    code[6].kind = op_class::store;
    code[6].space = memory_space::global;
    CHECK(list(points_of(code)) == std::vector<naive::point>{{3, 0, false}, {5, 0, false}});
}

TEST_CASE("program points: a backward branch has the distance to the nearest load behind it (Algorithm 1)") {
    // 0 C, 1 L, 2 C, 3 C, 4 bra 0, 5-9 C, 10 L
    auto code = program("CLCCCCCCCCL");
    code[4] = branch(0);
    auto const p = points_of(code);
    // min(S(5) + 1, S(0) + 1) = min(6, 2)
    CHECK(list(p) == std::vector<naive::point>{{1, 0, false}, {4, 2, true}, {10, 0, false}});
    CHECK(p.distance(2) == 4); // two instructions to the branch, and two more
    CHECK(p.distance(4) == 2);
    CHECK(p.distance(5) == 5);
    CHECK(p.recalculation_bit(code.data(), 4)); // the taken path is nearer to its next point
    // With a distant target the branch says what falling through says anyway: removed (lines 25 to 31).
    auto far = program("CCCCCCCCLCCCCL");
    far[10] = branch(0);
    CHECK(list(points_of(far)) == std::vector<naive::point>{{8, 0, false}, {13, 0, false}});
    // And one from which no load is reached.
    auto none = program("LCCCC");
    none[3] = branch(2);
    CHECK(list(points_of(none)) == std::vector<naive::point>{{0, 0, false}});
}

TEST_CASE("program points: scores of nested loops settle at a fixpoint") {
    // The inner loop's branch leads to the outer one's, and that to the load.
    auto code = program("CLCCCCCC");
    code[4] = branch(3);
    code[6] = branch(0);
    auto const p = points_of(code);
    // 6: S(0) + 1 = 2. 4: min(S(5) + 1, S(3) + 1) = 1 + 2 + 1 = 4, which is also what falling through says.
    CHECK(list(p) == std::vector<naive::point>{{1, 0, false}, {6, 2, true}});
    CHECK(p.distance(3) == 5);
}

TEST_CASE("program points: forward branches are an option") {
    auto code = program("CCCCCCLCL");
    code[1] = branch(7);
    CHECK(list(points_of(code)) == std::vector<naive::point>{{6, 0, false}, {8, 0, false}});
    auto const p = points_of<program_point_options{.forward_branches = true}>(code);
    CHECK(list(p) == std::vector<naive::point>{{1, 2, true}, {6, 0, false}, {8, 0, false}});
    CHECK(p.distance(0) == 3);
}

TEST_CASE("program points: merging takes the two nearest (Algorithm 2), and counts no merge twice") {
    // docs/model/program_analysis.md#merging-readings: loads at 0, 6 and 10, here three further on. 9 merges into 13
    // with score 4; then 3 into 13.
    auto const code = program("CCCLCCCCCLCCCL");
    auto const two = points_of<program_point_options{.slots = 2}>(code);
    CHECK(list(two) == std::vector<naive::point>{{3, 0, false}, {13, 4, false}});
    CHECK(two.found() == 3);
    CHECK(two.distance(4) == 5);  // to 9: 13 - 4 - 4
    CHECK(two.distance(10) == 3); // to 13
    auto const one = points_of<program_point_options{.slots = 1}>(code);
    CHECK(list(one) == std::vector<naive::point>{{13, 10, false}});
    CHECK(one.distance(0) == 3);
    // Taken literally, the listing counts the 4 again: 9 + 4 + 1 = 14, and a warp three before the load is told 13.
    auto const literal = points_of<program_point_options{.slots = 1, .merge = point_merge::literal}>(code);
    CHECK(list(literal) == std::vector<naive::point>{{13, 14, false}});
    CHECK(literal.distance(0) == 13);
}

TEST_CASE("program points: a branch merges with what it saves (line 11)") {
    // 1 L, 4 bra 0 with score 2, 9 L: distance 5, less the branch's 2.
    auto code = program("CLCCCCCCCL");
    code[4] = branch(0);
    auto const p = points_of<program_point_options{.slots = 2}>(code);
    CHECK(list(p) == std::vector<naive::point>{{1, 0, false}, {9, 3, false}});
    CHECK(p.distance(4) == 2); // as at the branch: 9 - 4 - 3
    CHECK(p.distance(2) == 4);
}

TEST_CASE("program points: what cannot be merged and finds no slot is left out") {
    auto code = program("LCCCCCCC");
    code[2] = branch(0);
    code[5] = branch(0);
    auto const p = points_of<program_point_options{.slots = 2}>(code);
    CHECK(list(p) == std::vector<naive::point>{{0, 0, false}, {2, 1, true}});
}

TEST_CASE("program points: a score saturates at what its field holds") {
    std::vector<static_instruction> code(400, plain());
    code.front() = load();
    code.back() = load();
    CHECK(points_of(code).distance(1) == 255);
    CHECK(points_of(code).distance(399 - 254) == 254);
    CHECK(points_of<program_point_options{.max_score = 60}>(code).distance(1) == 60);
}

TEST_CASE(
    "program points: options known at run time are those that are fixed, and impossible ones the nearest") {
    std::vector<static_instruction> code(600 * 2, plain());
    for (unsigned i = 0; i < 600; ++i) code[2 * i + 1] = load(); // more than there are slots for
    code[1000] = branch(3);
    auto const given = [&](program_point_options const& o) {
        return program_points<run_time>(code.data(), static_cast<std::uint32_t>(code.size()), o);
    };
    auto const same = [](auto const& a, auto const& b) {
        return list(a) == list(b) && a.distance(0) == b.distance(0);
    };
    CHECK(same(given({}), points_of(code)));
    CHECK(same(given({.slots = 4, .max_score = 12}),
               points_of<program_point_options{.slots = 4, .max_score = 12}>(code)));
    CHECK(given({.slots = 0}).size() == 1);
    CHECK(same(given({.slots = 0}), given({.slots = 1})));
    CHECK(given({.slots = unlimited_points}).size() == unlimited_points);
    CHECK(same(given({.slots = 1'000'000}), given({.slots = unlimited_points})));
    std::vector<static_instruction> const none(70'000, plain());
    auto const far = [&](std::uint32_t max_score) {
        program_point_options o;
        o.max_score = max_score;
        return program_points<run_time>(none.data(), 70'000, o).distance(0);
    };
    CHECK(far(0) == 1);
    CHECK(far(1) == 1);
    CHECK(far(0xfffe) == 0xfffe);
    CHECK(far(0xffff) == 0xfffe);
}

TEST_CASE("program points: random programs, as the listings have it") {
    std::uint64_t state = 2015;
    auto const below = [&](std::uint32_t n) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::uint32_t>((state >> 33) % n);
    };
    std::uint64_t differences = 0;
    std::uint64_t order_matters = 0;
    std::uint64_t merged = 0;
    auto const compare = [&]<program_point_options O>(std::vector<static_instruction> const& code) {
        auto const p = points_of<O>(code);
        naive::points const twin(code, O);
        differences += list(p) == twin.list ? 0 : 1;
        merged += p.found() > p.size() ? 1 : 0;
        for (std::uint32_t i = 0; i <= code.size(); ++i)
            differences += static_cast<int>(p.distance(i)) == twin.distance(i) ? 0 : 1;
        for (std::uint32_t i = 0; i < code.size(); ++i)
            if (code[i].kind == op_class::branch)
                differences += p.recalculation_bit(code.data(), i) == twin.recalculates_when_taken(i) ? 0 : 1;
        // "Removal order in lines 25 to 31 does not matter" (docs/model/program_analysis.md#finding).
        naive::points shuffled;
        shuffled.code = code;
        shuffled.options = O;
        shuffled.find();
        shuffled.remove_useless([&](std::size_t n) { return below(static_cast<std::uint32_t>(n)); });
        order_matters += shuffled.list.size() == p.found() ? 0 : 1;
        for (std::uint32_t i = 0; i <= code.size() && p.found() == p.size(); ++i)
            order_matters += shuffled.distance(i) == static_cast<int>(p.distance(i)) ? 0 : 1;
    };
    for (unsigned n = 0; n < 300; ++n) {
        std::vector<static_instruction> code(1 + below(60), plain());
        for (auto& i : code) {
            auto const draw = below(100);
            if (draw < 18) i = load(draw < 3 ? memory_space::shared : memory_space::global);
            if (draw >= 80) i = branch(below(static_cast<std::uint32_t>(code.size())), draw < 95);
        }
        compare.operator()<program_point_options{}>(code);
        compare.operator()<program_point_options{.slots = 4}>(code);
        compare.operator()<program_point_options{.slots = 2, .max_score = 12}>(code);
        compare.operator()<program_point_options{.slots = 3, .merge = point_merge::literal}>(code);
        compare.operator()<program_point_options{.slots = 5, .forward_branches = true}>(code);
        compare.operator()<program_point_options{.slots = unlimited_points, .forward_branches = true}>(code);
    }
    CHECK(differences == 0);
    CHECK(order_matters == 0);
    CHECK(merged > 300);
}

namespace {
constexpr bool works_at_compile_time() {
    static_instruction code[4]{};
    code[2].kind = op_class::load;
    code[2].space = memory_space::global;
    program_points<> const p(code, 4);
    return p.size() == 1 && p.distance(0) == 2 && p.distance(3) == 255;
}
static_assert(works_at_compile_time());
static_assert(sizeof(program_points<>) == 32 * 8 + 8);
} // namespace
