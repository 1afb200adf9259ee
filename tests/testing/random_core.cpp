// The random core keeps the rules of real ones.
#include <warpkit/testing/warp_scheduler_laws.hpp>

#include "catch.hpp"

#include <map>
#include <optional>
#include <type_traits>

using namespace warpkit;
using namespace warpkit::testing;

namespace {

/// Checks each event against what can be: warps live before they act, are blocked for one reason at a time, ...
struct referee {
    warp_set live;
    warp_set at_barrier;
    std::map<unsigned, block_reason> blocks;
    std::map<unsigned, warp_set> ctas;
    warp_set owned = ~warp_set{};
    std::map<unsigned, std::uint32_t> heads; // the pc of each warp's next instruction, if it is decoded
    static_program const* program = nullptr;
    std::map<std::string, unsigned> seen;

    void on(kernel_began const& e) {
        REQUIRE(live.empty());
        REQUIRE(ctas.empty());
        *this = {{}, {}, {}, {}, ~warp_set{}, {}, e.program, seen};
        ++seen["kernel"];
    }
    void on(scheduler_began const& e) { owned = e.owned; }
    void on(cta_launched const& e) {
        REQUIRE((live & e.warps).empty());
        REQUIRE(!e.warps.empty());
        REQUIRE(ctas.emplace(e.cta.index(), e.warps).second);
        live |= e.warps;
        ++seen["launch"];
    }
    void on(cta_finished const& e) {
        REQUIRE((ctas.at(e.cta.index()) & live).empty());
        ctas.erase(e.cta.index());
        ++seen["finish"];
    }
    void on(warp_exited const& e) {
        REQUIRE(live.contains(e.warp));
        REQUIRE(blocks.count(e.warp.index()) == 0);
        live.erase(e.warp);
        heads.erase(e.warp.index());
        ++seen["exit"];
    }
    void on(next_decoded const& e) {
        REQUIRE(live.contains(e.warp));
        REQUIRE(e.pc < program->pc(static_cast<std::uint32_t>(program->instructions.size())));
        if (owned.contains(e.warp)) REQUIRE(heads.count(e.warp.index()) == 0);
        heads[e.warp.index()] = e.pc;
    }
    void on(memory_pressure const& e) {
        REQUIRE(e.free_mshrs <= e.mshrs);
        REQUIRE(e.free_queue <= e.queue);
        ++seen["pressure"];
    }
    void on(issued const& e) {
        REQUIRE(live.contains(e.warp));
        REQUIRE(owned.contains(e.warp));
        REQUIRE(blocks.count(e.warp.index()) == 0);
        REQUIRE(heads.at(e.warp.index()) == e.pc);
        heads.erase(e.warp.index());
        auto const kind = program->instructions[e.pc / program->instruction_bytes].kind;
        REQUIRE((e.kind == issue_class::load) == (kind == op_class::load));
        REQUIRE((e.kind == issue_class::exit) == (kind == op_class::exit));
        ++seen["issue"];
    }
    void on(blocked const& e) {
        REQUIRE(live.contains(e.warp));
        REQUIRE(blocks.emplace(e.warp.index(), e.reason).second);
        ++seen["block " + std::to_string(static_cast<int>(e.reason))];
    }
    void on(unblocked const& e) {
        REQUIRE(blocks.at(e.warp.index()) == e.reason);
        blocks.erase(e.warp.index());
    }
    void on(barrier_arrived const& e) {
        REQUIRE(live.contains(e.warp));
        if (e.waits) at_barrier.insert(e.warp);
        ++seen[e.waits ? "arrival" : "arrival alone"];
    }
    void on(barrier_released const& e) {
        REQUIRE((e.warps - at_barrier).empty());
        at_barrier -= e.warps;
        ++seen["release"];
    }
    void on(branched const& e) {
        auto const& i = program->instructions[e.pc / program->instruction_bytes];
        REQUIRE(i.kind == op_class::branch);
        if (e.taken) REQUIRE(e.next_pc == program->pc(i.target));
        ++seen["branch"];
    }
    void on(l1_accessed const&) { ++seen["access"]; }
};

} // namespace

TEST_CASE("streams are legal, and everything happens in them") {
    for (unsigned i = 0; i < 12; ++i) {
        random_core core(stream_shape(99, i));
        referee judge;
        auto const tell = [&](auto const& e) { notify(e, judge); };
        auto const decide = [&](warp_set candidates, issue_classes const& classes) {
            REQUIRE((candidates - judge.live).empty());
            REQUIRE((candidates - judge.owned).empty());
            REQUIRE((classes.memory() - candidates).empty());
            candidates.for_each([&](warp_slot w) { REQUIRE(judge.blocks.count(w.index()) == 0); });
            return candidates.last();
        };
        for (unsigned kernel = 0; kernel < 3; ++kernel) {
            core.begin_kernel(tell);
            for (unsigned n = 0; n < 4000; ++n) core.step(tell, decide);
            core.end_kernel(tell);
        }
        for (auto const* what :
             {"kernel", "launch", "finish", "exit", "issue", "block 0", "block 1", "block 2", "block 3",
              "arrival", "arrival alone", "release", "branch", "access", "pressure"}) {
            INFO(what << " in stream " << i);
            CHECK(judge.seen[what] > 0);
        }
    }
}
