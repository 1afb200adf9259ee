/// Stall counters, yield and dependence counters, cycle by cycle (docs/model/issue.md#control-bits).

#include <warpkit/machine/dependence_counters.hpp>

#include "catch.hpp"

#include <map>
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
