/// The constant and the texture cache as the load/store unit has them.

#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/texture_cache.hpp>
#include <warpkit/machine/read_only_caches.hpp>

#include "catch.hpp"

#include <vector>

using namespace warpkit;

namespace {

cache_parameters numbers(std::uint32_t miss_queue) {
    cache_parameters p;
    p.geometry = {.sets = 2, .ways = 2, .line_bytes = 64, .sector_bytes = 64};
    p.mshr_entries = 2;
    p.mshr_merges = 4;
    p.miss_queue = miss_queue;
    return p;
}
using constant_cache = cache<linear_index, lru, on_fill, read_only>;
using both = read_only_caches<constant_cache, texture_cache<linear_index, lru>>;

both made(std::uint32_t miss_queue = 4) {
    return {constant_cache(numbers(miss_queue)), texture_cache<linear_index, lru>(numbers(miss_queue))};
}
cache_access load(std::uint64_t address, std::uint32_t token) {
    cache_access a;
    a.address = address;
    a.bytes = 4;
    a.token = token;
    a.owner = warp_slot{3};
    return a;
}
constexpr auto constants = memory_space::constant;
constexpr auto textures = memory_space::texture;

} // namespace

TEST_CASE("constants are asked for before textures, each by its kind and with its warp", "[machine]") {
    auto c = made();
    CHECK(c.access(textures, load(0x1000, 1)).answer == cache_answer::at_fill);
    CHECK(c.access(constants, load(0x2000, 2)).answer == cache_answer::at_fill);
    REQUIRE(c.has_request());
    CHECK(c.request().kind == packet_kind::constant);
    CHECK(c.request().address == 0x2000);
    CHECK(c.request().bytes == 64);
    CHECK(c.request().warp == 3);
    c.pop_request();
    CHECK(c.request().kind == packet_kind::texture);
    CHECK(c.request().address == 0x1000);
    c.pop_request();
    CHECK_FALSE(c.has_request());
}

TEST_CASE("who waits for a constant is served with the last part of its line; a texture in its turn",
          "[machine]") {
    auto c = made();
    (void)c.access(constants, load(0x2000, 2));
    (void)c.access(constants, load(0x2004, 5));
    (void)c.access(textures, load(0x1000, 1));
    std::vector<std::uint32_t> served;
    auto const sink = [&](std::uint32_t token) { served.push_back(token); };
    auto constant = c.request();
    c.pop_request();
    auto texture = c.request();
    c.pop_request();
    constant.bytes = texture.bytes = 32;
    CHECK_FALSE(c.fill(constant, sink));
    CHECK(served.empty());
    CHECK(c.fill(constant, sink));
    CHECK(served == std::vector<std::uint32_t>{2, 5});
    CHECK_FALSE(c.fill(texture, sink));
    CHECK_FALSE(c.can_serve());
    CHECK(c.fill(texture, sink));
    REQUIRE(c.can_serve());
    c.serve(sink);
    CHECK(served == std::vector<std::uint32_t>{2, 5, 1});
    CHECK(c.access(constants, load(0x2008, 6)).answer == cache_answer::now);
}

TEST_CASE("one that is refused is worth offering again when something has come or gone", "[machine]") {
    auto c = made(1);
    (void)c.access(constants, load(0x2000, 1));
    CHECK(c.access(constants, load(0x3000, 2)).answer == cache_answer::refused);
    CHECK(c.refused());
    auto const first = c.request();
    c.pop_request();
    CHECK_FALSE(c.refused());
    CHECK(c.access(constants, load(0x3000, 2)).answer == cache_answer::at_fill);
    CHECK(c.access(constants, load(0x4000, 3)).answer == cache_answer::refused);
    c.fill(first, [](std::uint32_t) {});
    CHECK_FALSE(c.refused());
}

TEST_CASE("a kernel begins with both empty", "[machine]") {
    auto c = made();
    (void)c.access(constants, load(0x2000, 1));
    auto const p = c.request();
    c.pop_request();
    c.fill(p, [](std::uint32_t) {});
    CHECK(c.access(constants, load(0x2000, 2)).answer == cache_answer::now);
    c.invalidate();
    CHECK(c.access(constants, load(0x2000, 3)).answer == cache_answer::at_fill);
}
