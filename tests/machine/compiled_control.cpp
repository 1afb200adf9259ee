/// The control bits that a compiler would give (docs/model/issue.md#derived-control-bits).
#include <warpkit/frontend/builder.hpp>
#include <warpkit/machine/compiled_control.hpp>
#include <warpkit/machine/plain_queues.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <map>

using namespace warpkit;
using testing::random_numbers;

namespace {

core_numbers a_core() {
    core_numbers n;
    n.sub_cores = n.sp_units = n.sfu_units = n.control_bits = 1;
    n.latency.fill(4);
    n.latency[static_cast<unsigned>(op_class::fp_mul)] = 6;
    return n;
}
std::vector<control_bits> bits(kernel_builder const& k, core_numbers const& n = a_core()) {
    std::vector<control_bits> all;
    for (auto const& i : as_compiled(k.program(), n)) all.push_back(i.control);
    return all;
}

} // namespace

TEST_CASE("the producer of fixed latency stalls for its latency, less what is issued in between") {
    kernel_builder k("fixed");
    k.op(op_class::fp_add, {1}, {2});
    k.op(op_class::fp_add, {3}, {1}); // directly behind
    k.op(op_class::fp_add, {4}, {2}); // independent
    k.op(op_class::fp_add, {5}, {3}); // one in between
    k.exit();
    auto const b = bits(k);
    CHECK(b[0].stall == 4);
    CHECK(b[1].stall == 1);
    CHECK(b[2].stall == 3);
    for (auto const& i : b) CHECK((i.given && !i.yield && i.wait_mask == 0 && i.write_counter == 7));
}

TEST_CASE("who needs a load waits for its counter; directly behind it, the load stalls for two cycles") {
    kernel_builder k("loads");
    k.load(memory_space::global, 4, {1}, {0});
    k.load(memory_space::global, 4, {2}, {0});
    k.op(op_class::fp_add, {3}, {2});
    k.op(op_class::fp_add, {4}, {1, 2});
    k.store(memory_space::global, 4, {4});
    k.exit();
    auto const b = bits(k);
    CHECK(b[0].write_counter != b[1].write_counter);
    CHECK(b[0].stall == 1);
    CHECK(b[1].stall == 2);
    CHECK(b[2].wait_mask == 1U << b[1].write_counter);
    CHECK(b[3].wait_mask == 1U << b[0].write_counter); // the other one has been waited for
    CHECK(b[4].write_counter == control_bits::no_counter);
    CHECK(b[4].read_counter == control_bits::no_counter); // nobody overwrites what it reads
}

TEST_CASE("who overwrites what a load reads waits until it has been read, round a loop as well") {
    kernel_builder k("overwrites");
    auto const again = k.op(op_class::int_add, {0}, {0});
    k.load(memory_space::global, 4, {1}, {0});
    k.branch(again);
    auto const b = bits(k);
    REQUIRE(b[1].read_counter < control_bits::counters);
    CHECK((b[0].wait_mask >> b[1].read_counter & 1) == 1);
}

TEST_CASE("a kernel that has control bits keeps them, and a core that has no use for them gives none") {
    kernel_builder k("has");
    k.op(op_class::fp_add, {1}, {2});
    k.exit();
    CHECK(as_compiled(k.program(), core_numbers{}) == k.program().instructions);
    for (std::uint32_t i = 0; i < 2; ++i) k.control(i, {.stall = 9});
    CHECK(as_compiled(k.program(), a_core()) == k.program().instructions);
}

TEST_CASE("an operand is kept for the next instruction that reads it in its place") {
    auto n = a_core();
    n.control_bits = 0;
    n.register_banks = n.read_window = 2;
    n.register_cache = 2;
    auto const kept = [&](auto const& rest) {
        kernel_builder k("kept");
        k.op(op_class::fp_add, {1}, {2, 3, 4});
        rest(k);
        k.exit();
        return bits(k, n)[0].reuse;
    };
    CHECK(kept([](auto& k) {
              k.op(op_class::fp_add, {5}, {2, 3, 4});
          }) == 3); // of as many as the cache is for
    CHECK(kept([](auto& k) { k.op(op_class::fp_add, {5}, {3, 2}); }) == 0);
    CHECK(kept([](auto& k) { // another bank in between, and another kind of unit
              k.op(op_class::fp_add, {5}, {7});
              k.op(op_class::special, {5}, {6});
              k.op(op_class::fp_add, {5}, {2});
          }) == 1);
    CHECK(kept([](auto& k) {
              k.op(op_class::fp_add, {5}, {6});
              k.op(op_class::fp_add, {5}, {2});
          }) == 0);
    CHECK(kept([](auto& k) {
              k.op(op_class::special, {2}, {6});
              k.op(op_class::fp_add, {5}, {2});
          }) == 0);
    CHECK(kept([](auto& k) {
              k.branch(0);
              k.op(op_class::fp_add, {5}, {2});
          }) == 0);
}

TEST_CASE(
    "obeyed, the bits let nothing issue that a scoreboard would hold, on any path, whatever memory takes") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        INFO("seed " << seed);
        random_numbers r(seed);
        auto n = a_core();
        for (auto& l : n.latency) l = 1 + r.below(20);
        n.operand_cycles = r.below(3);
        kernel_builder k("random");
        auto const reg = [&] { return static_cast<register_id>(r.below(6)); };
        unsigned const length = 6 + r.below(20);
        for (unsigned i = 0; i < length; ++i) switch (r.below(6)) {
            case 0:
                k.load(memory_space::global, 4, {reg()}, {reg()});
                break;
            case 1:
                k.store(memory_space::global, 4, {reg(), reg()});
                break;
            case 2:
                k.op(op_class::special, {reg()}, {reg()});
                break;
            case 3:
                k.branch(r.below(length), {reg()});
                break;
            default:
                k.op(r.chance(50) ? op_class::fp_add : op_class::fp_mul, {reg()}, {reg(), reg()});
            }
        k.exit();
        auto p = k.program();
        for (auto& i : p.instructions) i.guarded = i.kind == op_class::branch; // either way
        auto const code = as_compiled(p, n);

        dependence_counters<calendar> counters(1);
        warp_slot const w{0};
        std::multimap<cycle, std::uint32_t> results;
        std::map<register_id, cycle> written, read; // until when
        std::uint32_t at = 0;
        cycle now = 0;
        for (unsigned done = 0; done < 200 && at < code.size(); ++now) {
            REQUIRE(now < 100'000);
            for (; !results.empty() && results.begin()->first <= now; results.erase(results.begin()))
                counters.written(w, counter_use(code[results.begin()->second]));
            counters.expire(
                now, [](warp_slot) {}, [](warp_slot) {});
            auto const& i = code[at];
            if (counters.check(w, i.control, now) != hazard::none) continue;
            ++done;
            auto const cycles = n.operand_cycles + n.latency[static_cast<unsigned>(i.kind)];
            bool const fixed = has_fixed_latency(unit_for(n, i.kind));
            auto const due = now + (fixed ? cycles : 3 + r.below(60));
            for (unsigned s = 0; s < i.sources; ++s) REQUIRE(written[i.source[s]] <= now);
            for (unsigned d = 0; d < i.destinations; ++d) {
                REQUIRE((fixed ? written[i.destination[d]] < due : written[i.destination[d]] <= now));
                REQUIRE(read[i.destination[d]] <= now);
            }
            for (unsigned d = 0; d < i.destinations; ++d) written[i.destination[d]] = due;
            auto const reading = fixed ? 0 : 2 + r.below(9); // cycles
            for (unsigned s = 0; s < i.sources; ++s)
                read[i.source[s]] = std::max(read[i.source[s]], now + reading);
            counters.issue(now, now + reading, w, i.control, counter_use(i));
            if (i.destinations != 0) results.emplace(due, at);
            at = i.kind == op_class::branch && r.chance(50) ? i.target : at + 1;
        }
    }
}
