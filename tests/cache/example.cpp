// The examples of docs/reference/cache.md, word for word.
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/fermi_hash_index.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/machine/l2_events.hpp>

#include "catch.hpp"
#include "source_tree.hpp"

#include <cstdint>
#include <vector>

namespace {

using namespace warpkit;

using l1_data = cache<fermi_hash_index, lru, on_miss, fermi_l1>;

/// Misses of an address trace, with `depth` loads in flight and answers in order.
std::uint64_t misses(std::vector<std::uint64_t> const& trace, std::uint32_t depth) {
    l1_data l1({.geometry = {.sets = 32, .ways = 4, .line_bytes = 128, .sector_bytes = 128},
                .mshr_entries = 64,
                .mshr_merges = 8,
                .miss_queue = 8});
    std::vector<std::uint64_t> fetches;
    std::size_t answered = 0;
    for (auto const address : trace) {
        auto const answer = [&] { l1.fill(fetches[answered++], [](std::uint32_t /* token */) {}); };
        cache_access const load{.address = address};
        while (l1.access(load).answer == cache_answer::refused) answer();
        for (; l1.has_request(); l1.pop_request())
            if (l1.front_request().kind == lower_kind::fetch) fetches.push_back(l1.front_request().address);
        while (l1.outstanding() > depth) answer();
    }
    return l1.counters().misses;
}

/// Evicts a way without looking: way by way, set by set.
class round_robin_replacement {
public:
    round_robin_replacement() = default;
    round_robin_replacement(std::uint32_t sets, std::uint32_t ways) : last_(sets), ways_(ways) {}
    void used(std::uint32_t, std::uint32_t) noexcept {}
    void inserted(std::uint32_t set, std::uint32_t way) noexcept { last_[set] = way; }
    std::uint32_t victim(std::uint32_t set, way_set eligible) const noexcept {
        auto way = last_[set];
        do way = (way + 1) % ways_;
        while (!eligible.contains(way));
        return way;
    }
    template <class F>
    void each_member(F&& f) const {
        f(last_, ways_);
    }
    friend bool operator==(round_robin_replacement const&, round_robin_replacement const&) = default;

private:
    std::vector<std::uint32_t> last_;
    std::uint32_t ways_ = 1;
};

using l2_of_mine = cache<linear_index, round_robin_replacement, on_miss, write_back<write_miss::lazy_fetch>>;

/// Lines that one core's accesses take from another core.
struct l2_thefts {
    std::uint64_t count = 0;
    l2_requester last;
    void on(l2_accessed const& e) { last = e.by; }
    void on(l2_evicted const& e) { count += e.owner && last && e.owner.core != last.core; }
    friend bool operator==(l2_thefts const&, l2_thefts const&) = default;
};

} // namespace

TEST_CASE("the examples of docs/reference/cache.md are compiled here, and do what it says") {
    CHECK(check_snippets("docs/reference/cache.md",
                         {"tests/cache/example.cpp", "tests/reference/own_caches.cpp"}) == 5);

    std::vector<std::uint64_t> trace;
    for (unsigned round = 0; round < 3; ++round)
        for (std::uint64_t i = 0; i < 1024; ++i) trace.push_back(4 * i);
    CHECK(misses(trace, 4) == 32); // 4 KiB, 32 lines, each fetched once

    l2_of_mine l2({.geometry = {.sets = 1, .ways = 2, .line_bytes = 128, .sector_bytes = 32},
                   .mshr_entries = 4,
                   .mshr_merges = 4,
                   .miss_queue = 4});
    for (std::uint64_t i = 0; i < 4; ++i) {
        l2.access({.address = 128 * i, .bytes = 32, .kind = access_kind::store});
        if (l2.has_request()) l2.pop_request();
    }
    CHECK(l2.counters().evictions == 2);
    auto const copy = l2;
    CHECK(copy == l2);
    CHECK(l2.contains(128 * 2));
    CHECK(l2.contains(128 * 3));

    static_assert(hears_l2<l2_thefts> && !hears_l2<l2_of_mine>);
    l2_thefts thefts;
    for (std::uint16_t core = 0; core < 3; ++core) {
        notify(l2_accessed{.by = {core, warp_slot{5}}, .outcome = cache_outcome::miss}, thefts);
        notify(l2_evicted{.owner = {1, warp_slot{7}}}, thefts);
        notify(l2_evicted{}, thefts); // of nobody's
    }
    CHECK(thefts.count == 2);
    CHECK_FALSE(thefts == l2_thefts{});
    for (l2_requester const who :
         {l2_requester{}, l2_requester{3, no_warp}, l2_requester{999, warp_slot{63}}})
        CHECK(l2_owner::requester(l2_owner::of(who)) == who);
}
