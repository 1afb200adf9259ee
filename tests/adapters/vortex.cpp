// Warp schedulers and fetch orders in a small core with the interface of Vortex's simx: arbiters in front of the issue
// slots, and masks of active and stalled warps.
#include <warpkit/adapters/vortex.hpp>
#include <warpkit/fetch/loose_round_robin.hpp>
#include <warpkit/testing/random_core.hpp>
#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/lrr.hpp>
#include <warpkit/warp/oldest.hpp>
#include <warpkit/warp/owl.hpp>
#include <warpkit/warp/static_wavefront_limit.hpp>
#include <warpkit/warp/two_level.hpp>

#include "catch.hpp"

#include <bitset>
#include <cstdint>
#include <vector>

namespace {

using namespace warpkit;
using adapters::vortex_tells;

// ---- the host, with the members that the adapter uses

constexpr unsigned issue_width = 4;
constexpr unsigned per_issue_warps = 8;
constexpr unsigned num_warps = issue_width * per_issue_warps;
constexpr auto none = ~std::uint32_t{0};

enum class ArbiterType { Priority, RoundRobin };
class BitVector {
public:
    explicit BitVector(std::size_t size) : bits_(size) {}
    void set(std::size_t i) { bits_.at(i) = true; }
    bool test(std::size_t i) const { return bits_.at(i); }
    std::size_t size() const { return bits_.size(); }

private:
    std::vector<bool> bits_;
};
using WarpMask = std::bitset<num_warps>;

class round_robin { // the host's own: it begins behind warp 0
public:
    std::uint32_t grant(BitVector const& requests) {
        for (std::uint32_t i = 1; i <= per_issue_warps; ++i)
            if (auto const w = (last_ + i) % per_issue_warps; requests.test(w)) return last_ = w;
        return none;
    }

private:
    std::uint32_t last_ = 0;
};

BitVector only(std::initializer_list<unsigned> warps) {
    BitVector set(per_issue_warps);
    for (auto const w : warps) set.set(w);
    return set;
}
WarpMask first(unsigned n) {
    WarpMask m;
    for (unsigned i = 0; i < n; ++i) m.set(i);
    return m;
}

// The lowest, which is what the host's schedule() takes.
struct lowest {
    constexpr warp_slot pick(warp_set candidates) const noexcept { return candidates.first(); }
    bool operator==(lowest const&) const = default;
};

} // namespace

TEST_CASE("simx's round-robin is warpkit's", "[adapters]") {
    adapters::vortex_arbiters<lrr> ours(issue_width, {ArbiterType::RoundRobin, per_issue_warps});
    std::vector<round_robin> theirs(issue_width);
    // Warpkit's begins with warp 0, simx's behind it.
    for (unsigned s = 0; s < issue_width; ++s)
        CHECK(ours.at(s).grant(only({0})) == theirs[s].grant(only({0})));
    testing::random_numbers random(8);
    for (unsigned i = 0; i < 5000; ++i) {
        ours.look(first(num_warps));
        for (unsigned s = 0; s < issue_width; ++s) {
            BitVector ready(per_issue_warps);
            for (unsigned w = 0; w < per_issue_warps; ++w)
                if (random.chance(30)) ready.set(w);
            REQUIRE(ours.at(s).grant(ready) == theirs[s].grant(ready));
        }
    }
    for (auto& a : ours) a.reset();
    CHECK(ours.at(1).grant(only({0, 1})) == 0);
}

TEST_CASE("in simx's shape, the oldest warp is the one that was active first", "[adapters]") {
    adapters::vortex_arbiters<gto> ours(issue_width, {ArbiterType::RoundRobin, per_issue_warps});
    WarpMask active;
    active.set(8); // warp 2 of issue slot 0
    ours.look(active);
    ours.look(first(num_warps)); // all others are spawned
    CHECK(ours.at(0).grant(only({0, 2, 3})) == 2);
    CHECK(ours.at(0).grant(only({0, 3})) == 0);
    CHECK(ours.at(0).grant(only({0, 2})) == 0); // greedy
    CHECK(ours.at(1).grant(only({0, 2})) == 0);
    // Suppressed ones are passed over.
    CHECK(ours.at(0).grant(only({0, 2}), only({0})) == 2);
    // Warp 8 ends, and another has its place: now the youngest.
    active = first(num_warps);
    active.reset(8);
    ours.look(active);
    ours.look(first(num_warps));
    CHECK(ours.at(0).grant(only({1, 3})) == 1);
    CHECK(ours.at(0).grant(only({2, 7})) == 7);
    // A reset forgets who was there: those that are active are new, all of one age.
    for (auto& a : ours) a.reset();
    ours.look(first(num_warps));
    CHECK(ours.at(0).grant(only({1, 2})) == 1);
    CHECK(ours.at(0).grant(only({2, 3})) == 2);
}

TEST_CASE("in simx's shape, a slot whose warp is of another CTA than before has a new warp", "[adapters]") {
    adapters::vortex_arbiters<oldest> ours(1, {ArbiterType::RoundRobin, per_issue_warps});
    std::vector<unsigned> cta(per_issue_warps, 0);
    for (unsigned w = 4; w < 8; ++w) cta[w] = 1;
    auto const of = [&](unsigned w) { return cta[w]; };
    std::bitset<per_issue_warps> const all(0xff);
    ours.look(all, of);
    CHECK(ours.at(0).grant(only({0, 4})) == 0);
    for (unsigned w = 0; w < 4; ++w) cta[w] = 2; // CTA 0 ended, and 2 came, between two looks
    ours.look(all, of);
    CHECK(ours.at(0).grant(only({0, 4})) == 4);
}

TEST_CASE("in simx's shape, a scheduler hears what its warps wait for", "[adapters]") {
    adapters::vortex_arbiters<two_level_of<4>, vortex_tells::stalls> two(2, {ArbiterType::RoundRobin, 8});
    std::bitset<16> const all(0xffff);
    two.look(all);
    // Groups of four slots, of which each issue slot has two warps.
    auto const everyone = only({0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(two.at(0).grant(everyone) == 0);
    CHECK(two.at(0).grant(everyone) == 1);
    for (unsigned w = 0; w < 4; ++w) two.stalled(w, true);
    CHECK(two.at(0).grant(everyone) == 2); // the front group waits for memory: the next one is in front
    for (unsigned w = 0; w < 4; ++w) two.ready(w);
    CHECK(two.at(0).grant(everyone) == 3);
    for (unsigned w = 4; w < 8; ++w) two.at_barrier(w, true);
    CHECK(two.at(0).grant(everyone) == 4);
}

TEST_CASE("in simx's shape, a scheduler may hold warps back, and needs what it goes by", "[adapters]") {
    adapters::vortex_arbiters<static_wavefront_limit<1>, vortex_tells::stalls> one(
        1, {ArbiterType::RoundRobin, per_issue_warps});
    one.look(std::bitset<per_issue_warps>(0xff));
    CHECK(one.at(0).grant(only({0, 1})) == 0);
    CHECK(one.at(0).grant(only({1})) == none);
    // OWL wants to know of how many warps a CTA is.
    adapters::vortex_arbiters<cta_aware, vortex_tells::stalls> owl(1, {ArbiterType::RoundRobin, 8});
    CHECK_THROWS_WITH(owl.look(std::bitset<8>(0xff)), Catch::Contains("kernel_began::"));
    kernel_began kernel;
    kernel.ctas_per_core = 2U;
    kernel.warps_per_cta = 4U;
    owl.begin_kernel(kernel);
    owl.look(std::bitset<8>(0xff));
    CHECK(owl.at(0).grant(only({3, 7})) == 3);
    CHECK_THROWS_WITH((adapters::vortex_arbiters<lrr>(1, {ArbiterType::RoundRobin, warp_set::width + 1})),
                      Catch::Contains("-DWARPKIT_WARP_SLOTS="));
}

TEST_CASE("simx's choice of a warp to fetch for is a fetch order", "[adapters]") {
    adapters::vortex_fetch<lowest> ours(num_warps);
    testing::random_numbers random(9);
    for (unsigned i = 0; i < 5000; ++i) {
        WarpMask active, stalled, allowed;
        for (unsigned w = 0; w < num_warps; ++w) {
            active[w] = random.chance(90);
            stalled[w] = random.chance(80);
            allowed[w] = random.chance(80);
        }
        int expected = -1;
        for (unsigned w = 0; w < num_warps && expected < 0; ++w)
            if (active.test(w) && !stalled.test(w) && allowed.test(w)) expected = static_cast<int>(w);
        REQUIRE(ours.next(active, stalled, allowed) == expected);
    }
    adapters::vortex_fetch<fetch::loose_round_robin> turns(num_warps);
    for (int i = 0; i < 40; ++i) CHECK(turns.next(first(num_warps), WarpMask{}) == i % int{num_warps});
    CHECK(turns.next(first(num_warps), first(num_warps)) == -1);
}
