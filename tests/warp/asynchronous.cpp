// Schedulers for kernels that copy and multiply asynchronously, in the words of docs/model/warp_scheduling.md#producers
// and what follows there.
#include <warpkit/program/static_instruction.hpp>
#include <warpkit/warp/leader_first.hpp>
#include <warpkit/warp/pingpong.hpp>
#include <warpkit/warp/producer_first.hpp>

#include "catch.hpp"
#include "warp/scenario.hpp"

#include <vector>

using namespace scenario;

namespace {

/// What a story's instructions are, by their index.
enum step : std::uint32_t { compute, bring, bring_box, multiply, end_of_products, integer };
std::vector<static_instruction> const code = [] {
    std::vector<static_instruction> c(6);
    c[compute].kind = op_class::fp_mad;
    c[bring].kind = op_class::load;
    c[bring].async = async_role::copy;
    c[bring_box].async = async_role::bulk_copy;
    c[multiply].async = async_role::product;
    c[end_of_products].async = async_role::product_wait;
    c[integer].kind = op_class::int_add;
    return c;
}();

/// A scheduler that knows the code.
template <class P>
struct knows_code : told<P> {
    explicit knows_code(P const& p = P{}) : told<P>(p) {
        kernel_began e{nullptr, 0, 1, 48, 8, 6, 8, 0, code.data(), 6, nullptr, 1};
        notify(e, this->policy);
    }
    void does(unsigned w, step s) {
        notify(issued{warp_slot{w}, s * 8U, issue_class::other, ~0U, 0}, this->policy);
    }
    void is_at(unsigned w, step s) { notify(next_decoded{warp_slot{w}, s * 8U}, this->policy); }
};

} // namespace

TEST_CASE("producers first: who only has data brought goes ahead of who computes, however greedy") {
    for (auto const copy : {bring, bring_box}) {
        knows_code<producer_first> s;
        s.launch(warp_set::first_n(4));
        s.does(0, compute);
        CHECK(s.pick(warps({0, 3})) == 0); // greedy
        s.does(3, integer);
        s.does(0, integer);
        CHECK(s.pick(warps({0, 3})) == 0);
        s.does(3, copy);
        s.does(0, integer);
        CHECK(s.pick(warps({0, 1, 3})) == 3);
        CHECK(s.pick(warps({0, 1})) == 0);
        CHECK(s.policy.producers() == warps({3}));
    }
}

TEST_CASE("producers first: who uses data is a consumer, whatever it copies; new warps are neither") {
    knows_code<producer_first> s;
    s.launch(warp_set::first_n(4));
    s.does(2, bring);
    s.does(2, multiply);
    s.does(2, bring);
    s.does(1, compute);
    s.does(1, bring_box); // as who stores its results in bulk
    CHECK(s.policy.producers() == warps({}));
    s.does(3, bring);
    s.launch(warps({2, 3}));
    CHECK(s.policy.producers() == warps({}));
    s.does(2, bring);
    CHECK(s.policy.producers() == warps({2}));
}

TEST_CASE("leaders first: one of four of a scheduler's warps of each CTA, while the memory has room") {
    told<leader_first> s;
    s.owns(1, 2);
    s.launch(warp_set::first_n(12)); // of which 1, 3, 5, 7, 9, 11 are its own
    s.launch(warp_set::range(12, 16));
    CHECK(s.policy.leaders() == warps({1, 9, 13}));
    s.issue(5);
    CHECK(s.pick(warps({5, 9, 13})) == 9);
    CHECK(s.pick(warps({3, 5})) == 5); // gto among the others
    notify(memory_pressure{7, 32, 8, 8}, s.policy);
    CHECK(s.pick(warps({5, 9, 13})) == 5);
    notify(memory_pressure{8, 32, 8, 8}, s.policy);
    CHECK(s.pick(warps({5, 9, 13})) == 9);
    notify(memory_pressure{0, 0, 8, 8}, s.policy); // there is no L1
    CHECK(s.pick(warps({5, 9, 13})) == 9);
}

TEST_CASE("products in turn: from a warp's first product to its wait no other one begins any") {
    knows_code<pingpong> s;
    s.launch(warp_set::first_n(3));
    for (unsigned w = 0; w < 3; ++w) s.is_at(w, w == 2 ? integer : multiply);
    auto const all = warp_set::first_n(3);
    CHECK(s.policy.eligible(all) == all);
    s.does(0, multiply);
    s.is_at(0, multiply);
    CHECK(s.policy.eligible(all) == warps({0, 2}));
    CHECK(s.pick(warps({1})) == -1);
    s.does(0, multiply);
    s.is_at(0, end_of_products);
    CHECK(s.policy.eligible(all) == warps({0, 2}));
    s.does(0, end_of_products);
    CHECK(s.policy.eligible(all) == all);
    s.does(1, multiply);
    CHECK(s.policy.limit().holder() == warp_slot{1});
}

TEST_CASE("products in turn: who waits for long, or ends, gives its turn away") {
    for (unsigned how = 0; how < 4; ++how) {
        knows_code<pingpong> s;
        s.launch(warp_set::first_n(2));
        s.is_at(1, multiply);
        s.does(0, multiply);
        s.block(0, block_reason::dependency); // for its products
        CHECK(s.pick(warps({1})) == -1);
        if (how == 0) s.block(0, block_reason::memory);
        if (how == 1) s.block(0, block_reason::barrier);
        if (how == 2) notify(barrier_arrived{warp_slot{0}}, s.policy);
        if (how == 3) s.exit(0);
        CHECK(s.pick(warps({1})) == 1);
    }
}
