/// The machine is a value (docs/model/time.md#determinism): it is copied, compared and hashed as a whole.

#include "catch.hpp"
#include "gpu/machines.hpp"
#include "gpu/random_work.hpp"

#include <algorithm>
#include <concepts>
#include <numeric>
#include <type_traits>

using namespace warpkit;
using namespace warpkit::gpu_test;

static_assert(regular_state<core<fermi_lrr::core>> && regular_state<partition<fermi_lrr::memory>> &&
              regular_state<interconnect>);
static_assert(std::copyable<gpu<fermi_lrr>> && std::equality_comparable<gpu<fermi_lrr>> &&
              hashable<gpu<fermi_lrr>>);
static_assert(!std::is_polymorphic_v<gpu<fermi_lrr>> && !std::is_polymorphic_v<core<fermi_lrr::core>>);
/// An observer that hears nothing takes no room.
struct deaf {
    friend bool operator==(deaf const&, deaf const&) = default;
};
static_assert(sizeof(core<presets::gtx480::with<use::observer<deaf>>::policies::core>) ==
              sizeof(core<presets::gtx480::policies::core>));

namespace {
gpu_parameters three_cores() {
    auto p = presets::gtx480::parameters();
    p.core.count = 3;
    return p;
}
} // namespace

TEST_CASE("a copy made in mid-kernel runs on to the same end", "[gpu]") {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        INFO("seed " << seed);
        random_kernel k(seed);
        gpu<fermi_lrr> a(three_cores());
        auto whole = a;
        auto const expected = whole.run(k.builder().launch());
        a.begin(k.builder().launch());
        std::vector<gpu<fermi_lrr>> copies;
        for (unsigned n = 0; a.step(); ++n)
            if (n % 97 == 13 && copies.size() < 4) copies.push_back(a);
        CHECK(a.end() == expected);
        CHECK(a == whole);
        REQUIRE(!copies.empty());
        for (auto& c : copies) {
            CHECK_FALSE(c == a);
            while (c.step()) {}
            CHECK(c.end() == expected);
            CHECK(c == a);
            CHECK(c.fingerprint() == a.fingerprint());
        }
    }
}

TEST_CASE("one warmed-up machine goes on under each scheduler, and under its own as if nothing had been",
          "[gpu]") {
    std::vector<gto_or_another> const alone{gto_or_another(gto{}), gto_or_another(lrr{}),
                                            gto_or_another(throttled<lost_locality<>, gto>{})};
    auto numbers = presets::gtx480_v3::parameters();
    numbers.core.count = 3;
    policy_values<fermi_v3> values;
    values.occupancy_limit = static_limit(8);
    unsigned same = 0;
    unsigned parted = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        INFO("seed " << seed);
        random_kernel k(seed, {.body = 12, .iterations = 4, .max_warps = 8, .max_ctas = 20});
        for (unsigned first = 0; first < 3; ++first) {
            values.warp_scheduler = alone[first];
            gpu<fermi_v3> straight(numbers, values);
            auto const expected = straight.run(k.builder().launch());
            // The same, with two others who hear it all; each goes on from some point in the middle.
            values.warp_scheduler =
                gto_or_another(alone[first].in_charge(), alone[(first + 1) % 3].in_charge(),
                               alone[(first + 2) % 3].in_charge());
            gpu<fermi_v3> warm(numbers, values);
            warm.begin(k.builder().launch());
            while (warm.age() < expected.cycles / 3 && warm.step()) {}
            auto const so_far = warm.counted();
            CHECK(so_far.core.cycles == so_far.cycles * 3);
            CHECK(std::accumulate(so_far.core.cause.begin(), so_far.core.cause.end(), std::uint64_t{0}) ==
                  so_far.core.cycles * numbers.core.schedulers);
            for (unsigned which = 0; which < 3; ++which) {
                auto fork = warm;
                fork.each_scheduler([&](gto_or_another& s) { s.take_over(which); });
                auto again = fork;
                while (fork.step()) {}
                auto const ended = fork.end();
                while (again.step()) {}
                CHECK(again.end() == ended);
                CHECK(ended.core.warp_instructions == expected.core.warp_instructions);
                if (which != 0) {
                    parted += ended != expected;
                    continue;
                }
                CHECK(ended == expected);
                CHECK(fork.fingerprint() == straight.fingerprint());
                same += fork == straight;
            }
        }
    }
    CHECK(same == 15);
    CHECK(parted > 20); // of 30
}

TEST_CASE("states differ while they differ", "[gpu]") {
    random_kernel k(3);
    gpu<fermi_lrr> a(three_cores());
    auto const fresh = a;
    CHECK(a == fresh);
    CHECK(a.fingerprint() == fresh.fingerprint());
    a.begin(k.builder().launch());
    for (int i = 0; i < 40; ++i) a.step();
    auto b = a;
    CHECK(a == b);
    b.step();
    CHECK_FALSE(a == b);
    CHECK(a.fingerprint() != b.fingerprint());
    a.step();
    CHECK(a == b);
    CHECK(a.fingerprint() == b.fingerprint());
}

TEST_CASE("the L2 stays warm from kernel to kernel, the L1 does not", "[gpu]") {
    kernel_builder k("read 64 KB");
    k.load(memory_space::global, 4, {1}, {});
    k.exit();
    k.grid = {64, 1, 1};
    k.block = {256, 1, 1};
    k.script = [](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& w) {
        w.straight(
            [&](std::uint32_t, unsigned lane) { return 0xC0000000 + 4 * (cta * 256 + warp * 32 + lane); });
    };
    gpu<fermi_lrr> g(three_cores());
    auto const cold = g.run(k.launch());
    auto const warm = g.run(k.launch());
    CHECK(cold.dram.reads == 64 * 1024 / 32 + 4); // by 32-byte sectors; and a line of code
    CHECK(warm.dram.reads == 0);
    CHECK(warm.l1d.hits == 0);
    CHECK(warm.cycles < cold.cycles);
    CHECK(cold.kernels == 1);
    CHECK(warm.core.warp_instructions == cold.core.warp_instructions);
}
