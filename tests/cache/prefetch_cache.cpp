// A prefetch cache: who may drive whose lines out.
#include <warpkit/base/policy_text.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/prefetch_cache.hpp>

#include "catch.hpp"

#include <cstdint>

using namespace warpkit;

static_assert(replacement_policy<prefetch_cache> && confines_lines<prefetch_cache> &&
              declines_lines<prefetch_cache> && !confines_lines<lru>);

namespace {

template <std::uint64_t Ways, class Allocation>
using cache_of = cache<linear_index, prefetch_cache_of<Ways>, Allocation, read_only>;

cache_parameters one_set(std::uint32_t ways) {
    cache_parameters p;
    p.geometry = {1, ways, 128, 128};
    p.mshr_entries = 8;
    p.mshr_merges = 8;
    p.miss_queue = 8;
    return p;
}
constexpr std::uint32_t somebody = 7;
cache_access load_of(std::uint64_t line, std::uint32_t token = somebody) {
    return {.address = line * 128, .token = token};
}
/// Reads a line, or reads it ahead, and brings it; whether it was there.
template <class C>
bool load(C& c, std::uint64_t line, std::uint32_t token = somebody) {
    auto const r = c.access(load_of(line, token));
    if (r.answer == cache_answer::now) return true;
    while (c.has_request()) c.pop_request();
    c.fill(line * 128, [](std::uint32_t) {});
    return false;
}
template <class C>
bool read_ahead(C& c, std::uint64_t line) {
    return load(c, line, no_token);
}

} // namespace

TEMPLATE_TEST_CASE("prefetch cache: neither what loads ask for nor what is read ahead drives the other out",
                   "", on_miss, on_fill) {
    cache_of<0, TestType> c(one_set(4)); // two ways each
    CHECK_FALSE(load(c, 1));
    CHECK_FALSE(load(c, 2));
    for (std::uint64_t line = 10; line < 20; ++line) CHECK_FALSE(read_ahead(c, line));
    CHECK(c.contains(1 * 128));
    CHECK(c.contains(2 * 128));
    CHECK(c.contains(18 * 128));
    CHECK(c.contains(19 * 128));
    CHECK(c.counters().evictions == 8);
    for (std::uint64_t line = 30; line < 40; ++line) CHECK_FALSE(load(c, line));
    CHECK_FALSE(c.contains(1 * 128));
    CHECK(c.contains(18 * 128));
    // A load that finds its line there uses it, and leaves it there: it is not the next to go.
    CHECK(load(c, 18));
    CHECK_FALSE(read_ahead(c, 20));
    CHECK(c.contains(18 * 128));
    CHECK_FALSE(c.contains(19 * 128));
    for (std::uint64_t line = 40; line < 50; ++line) CHECK_FALSE(load(c, line));
    CHECK(c.contains(18 * 128));
}

TEST_CASE("prefetch cache: what is on its way stays where it was asked for, whoever meets it") {
    cache_of<1, on_miss> c(one_set(3));
    c.access(load_of(1, no_token));
    CHECK(c.access(load_of(1)).outcome == cache_outcome::hit_reserved);
    CHECK(c.access(load_of(2, no_token)).reason == refusal::line_allocation); // its only way waits
    CHECK(c.access(load_of(3)).outcome == cache_outcome::miss);
    CHECK(c.access(load_of(4)).outcome == cache_outcome::miss);
    CHECK(c.access(load_of(5)).reason == refusal::line_allocation);
    unsigned served = 0;
    c.fill(128, [&](std::uint32_t token) { served += token; });
    CHECK(served == somebody);
    CHECK(c.access(load_of(5)).reason == refusal::line_allocation); // a way is free that is not for it
    CHECK(c.access(load_of(6, no_token)).outcome == cache_outcome::miss);
    CHECK_FALSE(c.contains(128));
}

TEST_CASE("prefetch cache: alone, it keeps nothing that a load asks for") {
    cache_of<run_time, on_fill> c(one_set(2));
    each_parameter_of([](auto const&, auto& value, auto const&...) { value = 2; }, c);
    c.parameters_set();
    CHECK_FALSE(load(c, 1));
    CHECK_FALSE(load(c, 1));
    CHECK_FALSE(read_ahead(c, 1));
    CHECK(load(c, 1));
    CHECK_THROWS_WITH((cache_of<2, on_miss>(one_set(2))), Catch::EndsWith("choose on_fill"));
    CHECK_NOTHROW(cache_of<1, on_miss>(one_set(2)));
    cache_of<run_time, on_miss> reserving(one_set(2));
    each_parameter_of([](auto const&, auto& value, auto const&...) { value = 2; }, reserving);
    CHECK_THROWS_WITH(reserving.parameters_set(), Catch::EndsWith("choose on_fill"));
}

TEST_CASE("prefetch cache: a cache of one way has none, and one that is carved gives its ways up first") {
    cache_of<0, on_miss> one(one_set(1));
    CHECK(one.access(load_of(1, no_token)).reason == refusal::line_allocation);
    CHECK_FALSE(load(one, 1));
    CHECK(load(one, 1));
    cache_of<0, on_fill> c(one_set(4));
    c.carve(2);
    c.invalidate_all();
    CHECK_FALSE(read_ahead(c, 1));
    CHECK_FALSE(c.contains(128));
    CHECK_FALSE(load(c, 1));
    CHECK_FALSE(load(c, 2));
    CHECK(load(c, 1));
    CHECK(load(c, 2));
}

TEST_CASE("prefetch cache: is set by name, and costs the paper's 16 KiB") {
    CHECK(parameters_of<prefetch_cache_of<>>()[0].standard == "0");
    CHECK_THROWS_WITH(policy_with<prefetch_cache_of<>>("prefetch_cache:ways=513"),
                      Catch::Contains("0 to 512"));
    CHECK(prefetch_cache::hardware_cost({}).total_bits() == 128 * (1024 + 37));
}
