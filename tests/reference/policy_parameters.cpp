// Parameters of policies that an engine makes itself, from a machine's numbers: by seat and name, the same in both
// engines.

#include <warpkit/cache/srrip.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/config/seat_values.hpp>
#include <warpkit/dram/atlas.hpp>
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/dram/one_request_scheduler.hpp>

#include "catch.hpp"
#include "reference/both_engines.hpp"
#include "reference/random_pairs.hpp"

#include <memory>

using namespace warpkit;
using namespace warpkit::reference_test;

namespace parameters_of_policies {

/// Fermi's coalescing, but loads come as sectors where it is tunable so.
struct told_coalescer {
    static constexpr char const* name() noexcept { return "told_coalescer"; }
    bool sectors = false;
    void operator()(warp_access const& a, bool past, transaction_list& out) const noexcept {
        fermi_coalescing{}(a, past || sectors, out);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"sectors", "loads come as sectors"}, self.sectors);
    }
    friend bool operator==(told_coalescer const&, told_coalescer const&) = default;
};

} // namespace parameters_of_policies

namespace {

using parameters_of_policies::told_coalescer;

/// The oldest request first, of which no more than a few wait.
struct short_queue : dram::fcfs {
    using basic_fcfs::basic_fcfs;
    static constexpr char const* name() noexcept { return "short_queue"; }
    std::uint32_t most = 16;
    bool can_accept() const noexcept { return size() < most && basic_fcfs::can_accept(); }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"most", "requests that wait", 1, 16}, self.most);
    }
};

using one_of_these = dram::one_request_scheduler<dram::fr_fcfs, short_queue, dram::atlas_of<>>;

template <class Index, class Allocation, class Write>
using srrip_cache = cache<Index, srrip_of<run_time>, Allocation, Write>;
using tunable = presets::gtx480::with<
    use::l1i<srrip_cache<linear_index, on_fill, read_only>>,
    use::l1d<srrip_cache<linear_index, on_miss, local_back_global_evict<write_miss::no_allocate>>>,
    use::l1c<srrip_cache<linear_index, on_fill, read_only>>,
    use::l1t<texture_cache<linear_index, srrip_of<run_time>>>,
    use::l2<srrip_cache<linear_index, on_miss, write_back<write_miss::lazy_fetch>>>,
    use::coalescer<told_coalescer>, use::dram_scheduler<one_of_these>, use::page_policy<dram::timeout_page>,
    use::memory_prefetcher<dram::opportunistic_at_least>>;

constexpr std::uint64_t seeds = 3;
using texts = std::vector<slot_and_policy>;

run_counters counted(std::uint64_t seed, texts const& policies) {
    gpu_test::random_kernel k(seed, {.body = 10, .iterations = 2, .max_warps = 4, .max_ctas = 4});
    auto numbers = gpu_test::random_machine(seed, k.warps());
    numbers.core.count = numbers.memory.channels = 1; // one of each will do, with enough to do
    numbers.l1i.size = 2048;
    if (numbers.l2.line == 32) { // a line is a whole number of column commands where lines are fetched ahead
        numbers.l2.line = numbers.l2.sector = 64;
        numbers.l2.size *= 2;
    }
    for (auto* cache : {&numbers.l1d, &numbers.l2}) { // of a few sets, in which there is something to choose
        cache->ways = 4;
        cache->size = 8 * cache->line;
    }
    auto const values = values_named<tunable::policies>(numbers, policies);
    auto const both = std::make_unique<both_engines<tunable::policies>>(values.numbers, values.policies);
    auto const parted = run_pair(seed, k, *both);
    CHECK(parted == "");
    return both->counted();
}

} // namespace

TEST_CASE("parameters of policies that an engine makes are set in both engines, and matter") {
    std::vector<run_counters> plain;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) plain.push_back(counted(seed, {}));
    for (auto const& some : {texts{{"page_policy", "timeout_page:cycles=1"}},
                             {{"coalescer", "preset:sectors=1"}},
                             {{"dram_scheduler", "short_queue:1"}},
                             {{"dram_scheduler", "atlas:quantum=100"}},
                             {{"memory_prefetcher", "preset:lower=0:higher=0"}},
                             {{"l1d", "preset:bits=1"},
                              {"l2", "preset:bits=8"},
                              {"l1i", "preset:1"},
                              {"l1c", "preset:1"},
                              {"l1t", "preset:1"}}}) {
        INFO(some[0].slot);
        unsigned other = 0;
        for (std::uint64_t seed = 1; seed <= seeds; ++seed)
            other += !(counted(seed, some) == plain[seed - 1]);
        CHECK(other > 0);
    }
}

TEST_CASE("of several texts for a DRAM scheduler that is chosen at run time the last counts") {
    texts const one = {{"dram_scheduler", "short_queue:1"}};
    texts const two = {{"dram_scheduler", "atlas:quantum=100"}, {"dram_scheduler", "short_queue:1"}};
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) CHECK(counted(seed, one) == counted(seed, two));
    CHECK(counted(1, {{"dram_scheduler", "fr_fcfs"}}) == counted(1, {}));
}

TEST_CASE("what is no parameter of a policy in its seat is refused before anything is made") {
    auto const refuses = [](char const* seat, char const* text) {
        values_named<tunable::policies>(tunable::parameters(), {{seat, text}});
    };
    CHECK_THROWS_WITH(
        refuses("page_policy", "timeout_page:cycle=1"),
        Catch::Contains("page_policy: timeout_page has no parameter 'cycle' (did you mean cycles?)"));
    CHECK_THROWS_WITH(refuses("page_policy", "open_page"),
                      Catch::Contains("chosen when a machine is compiled") &&
                          Catch::Contains("timeout_page"));
    CHECK_THROWS_WITH(refuses("page_polic", "preset"), Catch::Contains("did you mean page_policy?"));
    CHECK_THROWS_WITH(refuses("dram_scheduler", "short_queue:17"), Catch::Contains("give 1 to 16"));
    CHECK_THROWS_WITH(refuses("dram_scheduler", "atls"), Catch::Contains("did you mean atlas?"));
    CHECK_THROWS_WITH(refuses("network", "preset:1"), Catch::Contains("it takes none"));
    CHECK_NOTHROW(refuses("network", "preset"));
}

TEST_CASE("a cache's policies are set when it is made, and a replacement without its own constructor "
          "argument keeps its standard") {
    using with_bits = cache<linear_index, srrip_of<run_time>, on_fill, read_only>;
    using two_bits = cache<linear_index, srrip, on_fill, read_only>;
    cache_numbers n;
    n.size = 1024, n.ways = 4, n.line = n.sector = 64, n.mshr_entries = 4, n.mshr_merges = 4,
    n.miss_queue = 4;
    auto standard = make_cache<with_bits>("l1d", n, "", "");
    auto one_bit = make_cache<with_bits>("l1d", n, "", "l2=preset:bits=5 l1d=preset:bits=1");
    auto two = make_cache<two_bits>("l1d", n, "", "");
    unsigned differences = 0;
    testing::random_numbers random(1);
    for (unsigned i = 0; i < 4000; ++i) {
        cache_access a;
        a.address = random.below(64) * 64U;
        auto const run = [&](auto& c) {
            auto const found = c.access(a).outcome;
            if (c.has_request()) {
                auto const r = c.front_request();
                c.pop_request();
                c.fill(
                    r.address, r.bytes, [](std::uint32_t) {}, r.mshr);
            }
            return found;
        };
        auto const expected = run(two);
        REQUIRE(run(standard) == expected);
        differences += run(one_bit) != expected;
    }
    CHECK(differences > 0);
    CHECK_THROWS_WITH(make_cache<with_bits>("l1d", n, "", "l1d=preset:bits=9"),
                      Catch::Contains("l1d: ") && Catch::Contains("give 1 to 8"));
}
