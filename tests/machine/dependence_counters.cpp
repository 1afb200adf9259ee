/// Stall counters, yield and dependence counters, cycle by cycle (docs/model/issue.md#control-bits).

#include <warpkit/machine/dependence_counters.hpp>
#include <warpkit/warp/gty.hpp>

#include "catch.hpp"

#include <map>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

template <class T>
class plain_calendar {
public:
    explicit plain_calendar(bool = true) {}
    void insert(cycle now, cycle due, T const& what) {
        CHECK(due > now);
        due_.emplace(due, what);
    }
    template <class F>
    void expire(cycle now, F f) {
        for (; !due_.empty() && due_.begin()->first <= now; due_.erase(due_.begin())) f(due_.begin()->second);
    }

private:
    std::multimap<cycle, T> due_;
};

static_instruction instruction(op_class kind, memory_space space, std::uint8_t write, std::uint8_t read) {
    static_instruction i;
    i.kind = kind;
    i.space = space;
    i.destinations = kind != op_class::store;
    i.control.given = true;
    i.control.write_counter = write;
    i.control.read_counter = read;
    return i;
}

/// One warp, and what its next instruction, which waits for counters 0 and 1, is told in each cycle.
struct one_warp {
    dependence_counters<plain_calendar> counters{2};
    warp_slot w{1};
    cycle now = 0;
    unsigned ended = 0;

    /// Issues it; its operands are read three cycles later.
    unsigned issue(static_instruction const& i) {
        return counters.issue(now, now + 3, w, i.control, counter_use(i));
    }
    void written(static_instruction const& i) { counters.written(w, counter_use(i)); }
    hazard step() {
        ++now;
        counters.expire(
            now, [&](warp_slot looked) { CHECK(looked == w); }, [&](warp_slot) { ++ended; });
        control_bits waits;
        waits.wait_mask = 0b11;
        return counters.check(w, waits, now);
    }
    std::vector<hazard> steps(unsigned n) {
        std::vector<hazard> all;
        for (unsigned k = 0; k < n; ++k) all.push_back(step());
        return all;
    }
};
constexpr auto none = hazard::none;
constexpr auto other = hazard::other;
constexpr auto memory = hazard::memory;
constexpr auto no = control_bits::no_counter;

} // namespace

TEST_CASE("a stall holds the warp for as many cycles, yield for two, yield without a stall for 46",
          "[machine]") {
    one_warp f;
    auto i = instruction(op_class::int_add, memory_space::none, no, no);
    i.control.stall = 4;
    CHECK(f.issue(i) == 0);
    CHECK(f.steps(5) == std::vector{other, other, other, none, none});
    i.control.stall = 1;
    i.control.yield = true;
    f.issue(i);
    CHECK(f.steps(3) == std::vector{other, none, none});
    i.control.stall = 0;
    f.issue(i);
    CHECK(f.steps(47) == [] {
        std::vector<hazard> all(47, other);
        all[45] = all[46] = none;
        return all;
    }());
}

TEST_CASE("a write counter is seen from the second cycle on, and goes down with the result", "[machine]") {
    one_warp f;
    auto const load = instruction(op_class::load, memory_space::global, 0, no);
    CHECK(f.issue(load) == 1); // its counter's rise; the result is an operation of the core's own
    CHECK(f.steps(3) == std::vector{none, memory, memory});
    CHECK(f.ended == 1);
    f.written(load);
    CHECK(f.step() == none);

    auto const add = instruction(op_class::int_add, memory_space::none, 1, no);
    f.issue(add);
    CHECK(f.steps(2) == std::vector{none, other});
    f.issue(load);
    CHECK(f.steps(2) == std::vector{other, memory}); // memory is the worst
    f.written(load);
    CHECK(f.step() == other);
    f.written(add);
    CHECK(f.step() == none);
}

TEST_CASE("a read counter goes down when the operands have been read, as the write counter of a store does",
          "[machine]") {
    one_warp f;
    auto const load = instruction(op_class::load, memory_space::shared, 1, 0);
    CHECK(f.issue(load) == 2);
    CHECK(f.steps(3) == std::vector{none, other, other});
    f.written(load);
    CHECK(f.step() == none); // counter 0 went down in the cycle before, which is the third
    CHECK(f.ended == 2);

    auto const store = instruction(op_class::store, memory_space::global, 0, no);
    CHECK(f.issue(store) == 2);
    CHECK(f.steps(4) == std::vector{none, other, none, none});
    f.written(store); // a store has no result that anybody waits for
    CHECK(f.step() == none);
}

TEST_CASE("a counter counts all that move it, and a new warp begins at 0", "[machine]") {
    one_warp f;
    auto const load = instruction(op_class::load, memory_space::global, 0, no);
    f.issue(load);
    f.issue(load);
    CHECK(f.steps(2) == std::vector{none, memory});
    f.written(load);
    CHECK(f.step() == memory);
    f.written(load);
    CHECK(f.step() == none);
    f.issue(load);
    f.steps(2);
    f.counters.launch(f.w);
    CHECK(f.step() == none);
    control_bits elsewhere;
    elsewhere.wait_mask = 0b11;
    CHECK(f.counters.check(warp_slot{0}, elsewhere, f.now) == none);
}

TEST_CASE("a threshold waits until a counter is no higher, whatever is still under way", "[machine]") {
    one_warp f;
    auto const load = instruction(op_class::load, memory_space::global, 3, no);
    for (unsigned n = 0; n < 3; ++n) f.issue(load);
    f.steps(2);
    auto const at_most = [&](std::uint8_t threshold) {
        control_bits waits;
        waits.threshold_counter = 3;
        waits.threshold = threshold;
        return f.counters.check(f.w, waits, f.now);
    };
    CHECK(at_most(3) == none);
    CHECK(at_most(2) == memory);
    f.written(load);
    CHECK(at_most(2) == none);
    CHECK(at_most(1) == memory);
    control_bits both; // counter 3 may be up, counter 4 may not
    both.threshold_counter = 3;
    both.threshold = 2;
    both.wait_mask = 1 << 4;
    CHECK(f.counters.check(f.w, both, f.now) == none);
    f.issue(instruction(op_class::int_add, memory_space::none, 4, no));
    f.steps(2);
    CHECK(f.counters.check(f.w, both, f.now) == other);
}

// ---- with greedy-then-youngest: CGGTY, as figure 4 of Huerta et al. has it

namespace {

/// Who issues in each cycle, of four warps of one scheduler with eight instructions each; '.': nobody. The bits are
/// those of the second instruction of each warp; the others have none.
std::string compiler_guided(control_bits second) {
    dependence_counters<plain_calendar> counters{4};
    gty policy;
    auto const all = warp_set::first_n(4);
    notify(cta_launched{cta_slot{0}, 0, all, 0}, policy);
    unsigned done[4] = {};
    std::string timeline;
    for (cycle now = 0; timeline.size() < 100; ++now) {
        counters.expire(
            now, [](warp_slot) {}, [](warp_slot) {});
        warp_set candidates;
        bool any = false;
        all.for_each([&](warp_slot w) {
            any |= done[w.index()] != 8;
            if (done[w.index()] != 8 && counters.check(w, {}, now) == hazard::none) candidates.insert(w);
        });
        if (!any) return timeline;
        auto const w = candidates ? policy.pick(candidates) : no_warp;
        timeline += w ? static_cast<char>('0' + w.index()) : '.';
        if (!w) continue;
        static_instruction i;
        i.control.stall = 1;
        if (done[w.index()]++ == 1) i.control = second;
        counters.issue(now, now, w, i.control, counter_use(i));
        notify(issued{w, 0, issue_class::arithmetic, all_lanes, now}, policy);
    }
    return timeline;
}

} // namespace

TEST_CASE("CGGTY: greedy, then the youngest that its compiler lets issue (Huerta et al., figure 4)") {
    CHECK(compiler_guided({.stall = 1}) == "33333333222222221111111100000000");
    // (b) A stall of 4: the others have two cycles each, and the last warp is alone.
    CHECK(compiler_guided({.stall = 4}) == "33221133333322222211111100...000000");
    // (c) Yield: the youngest of the others has the cycle, and goes on until it yields itself.
    CHECK(compiler_guided({.yield = true, .stall = 1}) == "33223333332222221100111111000000");
}
