/// Who gets a collector that several want (docs/model/operands.md#cycle).
#include <warpkit/reference/operand_collector.hpp>

#include "catch.hpp"

using namespace warpkit;

TEST_CASE("integers have their turn at a collector before the tensor cores, a special unit of Accel-Sim") {
    core_numbers n;
    n.sub_cores = n.register_banks = n.bank_accesses = 1;
    n.collectors[0] = n.collector_ports[0] = 1; // of the set for any
    for (auto& l : n.latches) l = 1;
    reference::operand_collector operands(n);
    static_instruction const none; // reads nothing
    operands.issue(warp_slot{0}, 0, none, unit_kind::tensor);
    operands.issue(warp_slot{1}, 1, none, unit_kind::integer);
    operands.tick(0);
    CHECK(operands.has_latch(0, unit_kind::integer));
    CHECK_FALSE(operands.has_latch(0, unit_kind::tensor));
    operands.tick(1); // leaves, and the other one enters
    CHECK(operands.has_latch(0, unit_kind::tensor));
    REQUIRE(operands.front(unit_kind::integer) != nullptr);
    CHECK(operands.front(unit_kind::integer)->instruction == 1);
}
