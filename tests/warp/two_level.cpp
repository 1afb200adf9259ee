// Fetch groups (docs/model/warp_scheduling.md#fetch-groups), active and pending warps
// (docs/model/warp_scheduling.md#active-set), and GPGPU-Sim's (docs/model/warp_scheduling.md#gpgpusim-two-level).
#include <warpkit/warp/two_level.hpp>
#include <warpkit/warp/two_level_active.hpp>
#include <warpkit/warp/two_level_gpgpusim.hpp>

#include "catch.hpp"
#include "warp/scenario.hpp"

using namespace scenario;

namespace {
auto const group_0 = warp_set::range(0, 8);
auto const group_1 = warp_set::range(8, 16);
auto const all = warp_set::first_n(24);

template <class P>
told<P> with_three_groups() {
    told<P> s(P{}, 24);
    s.launch(warp_set::range(0, 12));
    s.launch(warp_set::range(12, 24));
    return s;
}
} // namespace

TEST_CASE("two-level: round-robin within the front group, and short stalls do not move the front") {
    auto s = with_three_groups<two_level>();
    CHECK(s.step(all) == 0);
    CHECK(s.step(all) == 1);
    for (unsigned w = 0; w < 8; ++w) s.block(w, block_reason::dependency);
    CHECK(s.step(all - group_0) == 8); // an idle slot is filled from the next group ...
    CHECK(s.step(all) == 2);           // ... and the front group goes on where it was
}

TEST_CASE("two-level: the front moves when all warps of the group wait for memory") {
    auto s = with_three_groups<two_level>();
    for (unsigned w = 0; w < 7; ++w) s.block(w, block_reason::memory);
    CHECK(s.pick(all) == 0); // one is left: the front stays (who may issue is the candidates' business)
    s.block(7, block_reason::memory);
    CHECK(s.pick(all) == 8);
    for (unsigned w = 0; w < 8; ++w) s.unblock(w, block_reason::memory);
    CHECK(s.pick(all) == 8); // it has had its turn; no return before the others had theirs
    for (unsigned w = 8; w < 16; ++w) s.block(w, block_reason::memory);
    CHECK(s.pick(all) == 16);
    for (unsigned w = 16; w < 24; ++w) s.block(w, block_reason::barrier); // a barrier counts as blocked
    CHECK(s.pick(all) == 0);
}

TEST_CASE("two-level: warps that exited do not hold the front") {
    auto s = with_three_groups<two_level>();
    for (unsigned w = 0; w < 8; ++w) s.exit(w);
    CHECK(s.pick(all - group_0) == 8);
    CHECK(s.policy.group_order().front(s.policy.groups(), all) == 1);
}

TEST_CASE("two-level: when everybody waits, the first group to go on has the front") {
    auto s = with_three_groups<two_level>();
    for (unsigned w = 0; w < 24; ++w) s.block(w, block_reason::memory);
    s.unblock(20, block_reason::memory);
    s.unblock(9, block_reason::memory);
    CHECK(s.pick(all) == 16); // group 2, by its warp 20; its round-robin begins at its lowest slot
    CHECK(s.pick(warps({9, 20})) == 20);
}

TEST_CASE("two-level without filling: the front group's idle slots are lost, and told as throttled") {
    auto s = with_three_groups<grouped<by_slot<8>, rotate_when_blocked_only, lrr>>();
    CHECK(s.pick(all - group_0) == -1);
    CHECK(s.policy.eligible(all - group_0).empty());
    CHECK(s.policy.eligible(all) == group_0);
}

TEST_CASE("two-level of the CCWS authors: the last issuer's group first, any stall falls through") {
    auto s = with_three_groups<grouped<by_slot<8>, rotate_on_any_stall, lrr>>();
    CHECK(s.step(all) == 0);
    CHECK(s.step(all - group_0) == 8);
    CHECK(s.step(all) == 9); // the front moved with the issue
    CHECK(s.step(all - group_1) == 16);
    CHECK(s.step(group_0) == 1);
}

TEST_CASE("the groups of a core with another number of slots") {
    by_slot<8> g;
    notify(kernel_began{nullptr, 0, 1, 48, 8, 6}, g);
    CHECK(g.groups() == 6);
    notify(kernel_began{nullptr, 0, 1, 44, 8, 6}, g);
    CHECK(g.groups() == 6);
    CHECK(g.members(5) == warp_set::range(40, 48));
    CHECK(g.group_of(warp_slot{39}) == 4);
    for (unsigned const slots : {0U, 1U, 8U}) { // one there always is
        notify(kernel_began{nullptr, 0, 1, slots, 8, 6}, g);
        CHECK(g.groups() == 1);
    }
    notify(kernel_began{nullptr, 0, 1, 9, 8, 6}, g);
    CHECK(g.groups() == 2);
    notify(kernel_began{nullptr, 0, 1, 10 * warp_set::width, 8, 6}, g); // more than can be told apart
    CHECK(g.groups() == warp_set::width / 8);
    static_assert(by_slot<5>::max_groups == 13);
    CHECK(by_slot<5>{}.members(12) == warp_set::range(60, 64));
}

// ---- active and pending

TEST_CASE(
    "two-level, active set: only active warps compete, in turn; a short stall does not cost the place") {
    told<two_level_active_of<2>> s;
    s.launch(warp_set::first_n(4));
    CHECK(s.policy.limit().active() == warps({0, 1}));
    CHECK(s.step(warp_set::first_n(4)) == 0);
    CHECK(s.step(warp_set::first_n(4)) == 1);
    s.block(0, block_reason::dependency);
    s.block(1, block_reason::dependency);
    CHECK(s.policy.limit().active() == warps({0, 1}));
    CHECK(s.pick(warps({2, 3})) == -1); // throttled
}

TEST_CASE(
    "two-level, active set: a long stall demotes, and only a ready warp is promoted, the oldest first") {
    told<two_level_active_of<2>> s;
    s.launch(warps({2, 3, 4}));
    s.launch(warps({0, 1}));
    CHECK(s.policy.limit().active() == warps({2, 3}));
    s.block(4, block_reason::memory);
    s.block(2, block_reason::memory);
    CHECK(s.policy.limit().active() == warps({0, 3})); // 4 is older, but not ready
    s.unblock(2, block_reason::memory);
    CHECK(s.policy.limit().active() == warps({0, 3})); // no room
    s.block(0, block_reason::barrier);
    CHECK(s.policy.limit().active() == warps({2, 3}));
    s.block(3, block_reason::fence);
    s.block(1, block_reason::memory);
    CHECK(s.policy.limit().active() == warps({2})); // nobody is ready: the place stays empty
    s.unblock(4, block_reason::memory);
    CHECK(s.policy.limit().active() == warps({2, 4}));
    s.exit(2);
    s.exit(4);
    CHECK(s.policy.limit().active().empty());
}

TEST_CASE("two-level, active set: who arrives at a barrier without waiting there stays active") {
    told<two_level_active_of<1>> s;
    s.launch(warps({0}));
    notify(barrier_arrived{warp_slot{0}, false}, s.policy);
    CHECK(s.pick(warps({0})) == 0);
    notify(barrier_arrived{warp_slot{0}}, s.policy);
    CHECK(s.policy.limit().active().empty());
    notify(barrier_released{warps({0})}, s.policy);
    CHECK(s.pick(warps({0})) == 0);
}

TEST_CASE("two-level, active set: per scheduler, and a size given at run time survives the next kernel") {
    told<two_level_active_of<run_time>> s{two_level_active_of<run_time>{active_pending<run_time>{2}}};
    s.owns(1, 2);
    s.launch(warp_set::first_n(8));
    CHECK(s.policy.limit().active() == warps({1, 3}));
    notify(kernel_began{}, s.policy);
    s.launch(warp_set::first_n(8));
    CHECK(s.policy.limit().active() == warps({0, 1}));
}

namespace {
/// A kernel of four instructions: a load into r1, then an addition that reads r1, one that reads it again and writes
/// it, and one that reads what that wrote.
struct reads_twice {
    static_instruction code[4];
    reads_twice() {
        code[0].kind = op_class::load;
        code[0].space = memory_space::global;
        code[0].destination[code[0].destinations++] = 1;
        for (unsigned i = 1; i < 4; ++i) {
            code[i].kind = op_class::int_add;
            code[i].source[code[i].sources++] = 1;
        }
        code[2].destination[code[2].destinations++] = 1;
    }
    template <class P>
    told<P> told_to(unsigned slots) const {
        told<P> s;
        kernel_began e;
        e.warp_slots = slots;
        e.instruction_bytes = 8;
        e.code = code;
        e.instructions = 4;
        notify(e, s.policy);
        return s;
    }
};
template <class P>
void issue_at(told<P>& s, unsigned w, std::uint32_t index, issue_class kind) {
    notify(issued{warp_slot{w}, 8 * index, kind, ~0U, 0}, s.policy);
    notify(cycles_spent{}, s.policy);
    notify(next_decoded{warp_slot{w}, 8 * (index + 1)}, s.policy);
}
} // namespace

TEST_CASE("GPGPU-Sim's two-level: marks that stay demote a warp whose data have come") {
    reads_twice const kernel;
    auto fixed = kernel.told_to<spinning_two_level<1>>(2);
    auto compat = kernel.told_to<spinning_two_level<1, sticky_load_marks>>(2);
    auto const both = [&](auto f) {
        f(fixed);
        f(compat);
    };
    auto const ready = warps({0, 1});
    both([&](auto& s) {
        s.launch(ready);
        issue_at(s, 0, 0, issue_class::load);
        s.block(0, block_reason::memory);
        CHECK(s.pick(ready) == 1); // demoted, and warp 1 promoted in the same cycle
        s.cycles();
        s.unblock(0, block_reason::memory); // the data are there ...
        notify(load_returned{warp_slot{0}}, s.policy);
        s.block(1, block_reason::memory); // ... when warp 1 begins to wait
        notify(next_decoded{warp_slot{1}, 8}, s.policy);
    });
    // Warp 1 makes room for warp 0, which issues its addition.
    CHECK(fixed.pick(warps({0})) == 0);
    issue_at(fixed, 0, 1, issue_class::arithmetic);
    CHECK(fixed.policy.eligible(ready) == warps({0})); // and the next one: it waits for nothing
    // Here warp 1 never loaded anything, and is not marked: it keeps the place though it waits.
    CHECK(compat.pick(warps({0})) == -1);
    compat.exit(1);
    CHECK(compat.pick(warps({0})) == 0); // promoted without a test, warp 0 may issue in this one cycle
    issue_at(compat, 0, 1, issue_class::arithmetic);
    CHECK(compat.policy.eligible(ready) ==
          warps({1})); // and is demoted in the next: it reads r1, still marked
    compat.cycles();
    CHECK(compat.pick(warps({0})) == 0);
    issue_at(compat, 0, 2, issue_class::arithmetic); // which writes r1, and takes the mark away:
    CHECK(compat.pick(warps({0})) == 0);             // from then on it stays
    compat.cycles();
    CHECK(compat.policy.eligible(ready) == warps({0}));
}

TEST_CASE("GPGPU-Sim's two-level: promotion does not ask who is ready, so the line spins") {
    told<spinning_two_level<2>> s(spinning_two_level<2>{}, 6);
    s.launch(warp_set::first_n(6));
    for (unsigned w = 0; w < 5; ++w) s.block(w, block_reason::memory);
    auto const ready = warps({5});
    CHECK(s.pick(ready) == -1); // 0 and 1 leave, 2 and 3 come
    s.cycles();
    CHECK(s.pick(ready) == 5); // 4 and 5 come
    s.issue(5);
    s.cycles();
    CHECK(s.pick(ready) == 5); // and it stays
    s.block(5, block_reason::memory);
    s.cycles(); // in places 0 and 1: 0 was there, 5 behind it
    auto const later = s;
    for (unsigned n = 0; n < 1000; ++n) s.cycles();
    auto all_at_once = later;
    all_at_once.cycles(1000);
    CHECK(s.policy == all_at_once.policy);
}

TEST_CASE("GPGPU-Sim's two-level: cycles told one by one make the state that they make at once") {
    told<spinning_two_level<2>> s(spinning_two_level<2>{}, 6);
    s.launch(warp_set::first_n(6));
    for (unsigned w = 0; w < 5; ++w) s.block(w, block_reason::memory);
    for (unsigned n = 1; n < 9; ++n) { // before 5 comes, as it comes, and when it has come
        auto one_by_one = s;
        for (unsigned k = 0; k < n; ++k) one_by_one.cycles();
        auto at_once = s;
        at_once.cycles(n);
        CHECK(one_by_one.policy == at_once.policy);
        CHECK(hash_of(one_by_one.policy) == hash_of(at_once.policy));
        CHECK(one_by_one.step(warps({5})) == at_once.step(warps({5})));
        at_once.block(5, block_reason::memory); // behind the other active one, before the next spin
        one_by_one.block(5, block_reason::memory);
        at_once.cycles(2);
        one_by_one.cycles(2);
        CHECK(one_by_one.policy == at_once.policy);
        CHECK(!(one_by_one.policy == s.policy));
    }
}

TEST_CASE("GPGPU-Sim's two-level: who issues goes behind the other active warps") {
    told<spinning_two_level<3>> s(spinning_two_level<3>{}, 4);
    s.launch(warp_set::first_n(4));
    CHECK(s.step(warps({1, 2, 3})) == 1);
    s.cycles();
    CHECK(s.step(warp_set::first_n(4)) == 2); // 2 0 1
    s.cycles();
    CHECK(s.step(warp_set::first_n(4)) == 0);
    s.cycles();
    CHECK(s.step(warps({0})) == 0); // 1 2 0
    s.cycles();
    CHECK(s.step(warp_set::first_n(4)) == 1);
}
