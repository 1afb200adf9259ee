// Replacement policies in small hosts with ChampSim's and gem5's interfaces: the same victims as a list that is kept in
// order by hand. Data prefetchers in a host with ChampSim's.
#include <warpkit/adapters/champsim.hpp>
#include <warpkit/adapters/gem5.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/ship.hpp>
#include <warpkit/cache/srrip.hpp>
#include <warpkit/lsu/per_warp_stride.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace {

constexpr long sets = 4;
constexpr long ways = 3;

// ---- ChampSim's

enum class access_type : unsigned { LOAD, RFO, PREFETCH, WRITE, TRANSLATION };
struct address {
    std::uint64_t value = 0;
    template <class T>
    T to() const {
        return static_cast<T>(value);
    }
};
struct cache_block {};
class CACHE {
public:
    std::uint32_t NUM_SET = sets;
    std::uint32_t NUM_WAY = ways;
};
struct replacement {
    explicit replacement(CACHE* c) : intern_(c) {}
    CACHE* intern_;
};
template <class Policy>
using module = warpkit::adapters::champsim_replacement<replacement, CACHE, Policy>;

struct prefetcher {
    explicit prefetcher(CACHE* c) : intern_(c) {}
    bool prefetch_line(std::uint64_t at, bool fill_this_level, std::uint32_t) const {
        if (room == 0 || !fill_this_level) return false;
        --room;
        asked.push_back(at);
        return true;
    }
    CACHE* intern_;
    mutable unsigned room = ~0U; ///< of the host's queue
    mutable std::vector<std::uint64_t> asked;
};
using stride = warpkit::adapters::champsim_prefetcher<prefetcher, CACHE, warpkit::per_warp_stride>;

// ---- gem5's

struct ReplacementData {
    virtual ~ReplacementData() = default;
};
struct ReplaceableEntry {
    std::shared_ptr<ReplacementData> replacementData;
    std::uint32_t getWay() const { return way; }
    std::uint32_t way = 0;
};
struct parameters {};
class Base {
public:
    explicit Base(parameters const&) {}
    virtual ~Base() = default;
    virtual void invalidate(std::shared_ptr<ReplacementData> const&) = 0;
    virtual void touch(std::shared_ptr<ReplacementData> const&) const = 0;
    virtual void reset(std::shared_ptr<ReplacementData> const&) const = 0;
    virtual ReplaceableEntry* getVictim(std::vector<ReplaceableEntry*> const& candidates) const = 0;
    virtual std::shared_ptr<ReplacementData> instantiateEntry() = 0;
};
class gem5_lru
    : public warpkit::adapters::gem5_replacement<Base, ReplacementData, ReplaceableEntry, warpkit::lru> {
public:
    using gem5_replacement::gem5_replacement;
    ReplaceableEntry* getVictim(std::vector<ReplaceableEntry*> const& candidates) const override {
        return victim_of(candidates);
    }
};

} // namespace

TEST_CASE("ChampSim's LRU is warpkit's", "[adapters]") {
    CACHE cache;
    module<warpkit::lru> lru(&cache);
    std::vector<std::vector<long>> order(sets); // by set: ways, the least recently used first
    for (auto& s : order)
        for (long w = 0; w < ways; ++w) s.push_back(w);
    auto const use = [&](long set, long way) {
        auto& s = order[static_cast<std::size_t>(set)];
        s.erase(std::find(s.begin(), s.end(), way));
        s.push_back(way);
    };
    warpkit::testing::random_numbers random(1);
    for (unsigned i = 0; i < 5000; ++i) {
        long const set = random.below(sets);
        auto const type = static_cast<access_type>(random.below(5));
        cache_block const blocks[ways]{};
        if (random.chance(50)) {
            long const way = random.below(ways);
            lru.update_replacement_state(0, set, way, address{i}, address{4}, address{}, type, 1);
            if (type != access_type::WRITE) use(set, way); // a write-back is no use
        } else {
            auto const way = lru.find_victim(0, i, set, blocks, address{4}, address{i}, type);
            REQUIRE(way == order[static_cast<std::size_t>(set)].front());
            lru.replacement_cache_fill(0, set, way, address{i}, address{4}, address{}, type);
            use(set, way);
        }
        // A miss is no use.
        lru.update_replacement_state(0, set, 0, address{i}, address{4}, address{}, type, 0);
    }
}

TEST_CASE("hosts' sets may have more than 64 ways, up to 512", "[adapters]") {
    CACHE cache;
    cache.NUM_WAY = 100;
    module<warpkit::lru> lru(&cache);
    cache_block const* const none = nullptr;
    for (long way = 0; way < 100; ++way)
        lru.replacement_cache_fill(0, 0, way, address{}, address{}, address{}, access_type::LOAD);
    for (long const used : {0L, 1L, 70L})
        lru.update_replacement_state(0, 0, used, address{}, address{}, address{}, access_type::LOAD, 1);
    CHECK(lru.find_victim(0, 0, 0, none, address{}, address{}, access_type::LOAD) == 2);
    gem5_lru many(parameters{}, 1, 100);
    std::vector<ReplaceableEntry> entries(100);
    std::vector<ReplaceableEntry*> all;
    for (auto& e : entries) {
        e.replacementData = many.instantiateEntry();
        many.reset(e.replacementData);
        all.push_back(&e);
    }
    many.touch(entries[0].replacementData);
    CHECK(many.getVictim(all) == &entries[1]);
    cache.NUM_WAY = 513;
    CHECK_THROWS_WITH(module<warpkit::lru>(&cache), Catch::Contains("the nearest legal value is 512"));
    CHECK_THROWS_WITH(gem5_lru(parameters{}, 1, 513), Catch::Contains("ways = 513"));
}

TEST_CASE("in ChampSim's shape, policies go by the instruction", "[adapters]") {
    CACHE cache;
    module<warpkit::ship> ship(&cache);
    cache_block const blocks[ways]{};
    auto const bring = [&](std::uint64_t ip, std::uint64_t at) {
        auto const way = ship.find_victim(0, 0, 0, blocks, address{ip}, address{at}, access_type::LOAD);
        ship.replacement_cache_fill(0, 0, way, address{at}, address{ip}, address{}, access_type::LOAD);
        return way;
    };
    // Instruction 8 streams: what it brings in goes first, once that is known.
    for (unsigned i = 0; i < 20; ++i) bring(8, i * 64);
    auto const kept = bring(16, 0);
    ship.update_replacement_state(0, 0, kept, address{0}, address{16}, address{}, access_type::LOAD, 1);
    for (unsigned i = 0; i < 20; ++i) CHECK(bring(8, i * 64) != kept);
}

TEST_CASE("a data prefetcher is ChampSim's module: strides of loads, by instruction", "[adapters]") {
    CACHE cache;
    stride module(&cache);
    struct last {
        std::uint64_t at = 0;
        std::int64_t stride = 0;
        unsigned seen = 0;
    };
    std::map<std::uint64_t, last> by_instruction;
    std::vector<std::uint64_t> expected;
    warpkit::testing::random_numbers random(3);
    for (unsigned i = 0; i < 2000; ++i) {
        auto const ip = std::uint64_t{4} * random.below(20); // fewer than the table has entries
        auto& l = by_instruction[ip];
        auto const at = random.chance(80) ? l.at + 64 * (ip + 1) : std::uint64_t{random.below(1 << 20)};
        auto const type = static_cast<access_type>(random.below(5));
        CHECK(module.prefetcher_cache_operate(address{at}, address{ip}, 0, false, type, 7) == 7);
        if (type == access_type::LOAD) {
            auto const moved = static_cast<std::int64_t>(at - l.at);
            bool const again = l.seen > 0 && moved == l.stride && moved != 0;
            if (again && moved >= -(1 << 19) && moved < 1 << 19)
                expected.push_back(at + static_cast<std::uint64_t>(moved));
            l = {at, l.seen == 0 ? 0 : moved, l.seen + 1};
        }
        module.prefetcher_cycle_operate();
        CHECK(module.prefetcher_cache_fill(address{at}, 0, 0, 1, address{0}, 9) == 9);
    }
    CHECK(expected.size() > 100);
    CHECK(module.asked == expected);
    CHECK(module.so_far().issued == expected.size());
}

TEST_CASE("what ChampSim has no room for is asked again, and dropped where too much waits", "[adapters]") {
    CACHE cache;
    stride module(&cache);
    module.room = 0;
    std::uint64_t at = 0;
    auto const load = [&] {
        module.prefetcher_cache_operate(address{at += 64}, address{4}, 0, false, access_type::LOAD, 0);
        module.prefetcher_cycle_operate();
    };
    for (unsigned i = 0; i < 100; ++i) load(); // from the third on, each asks for the block behind it
    CHECK(module.asked.empty());
    module.room = 1000;
    for (unsigned i = 0; i < 100; ++i) module.prefetcher_cycle_operate();
    REQUIRE(module.asked.size() == warpkit::per_warp_stride().queue());
    for (std::size_t i = 0; i < module.asked.size(); ++i) CHECK(module.asked[i] == 64 * (i + 4));
    // Useful ones are what the host says of loads.
    module.prefetcher_cache_operate(address{at}, address{8}, 1, true, access_type::LOAD, 0);
    module.prefetcher_cache_operate(address{at}, address{8}, 1, true, access_type::WRITE, 0);
    CHECK(module.so_far().useful == 1);
    CHECK(module.so_far().requests == 100);
}

TEST_CASE("gem5's LRU is warpkit's", "[adapters]") {
    gem5_lru lru(parameters{}, sets, ways);
    std::vector<ReplaceableEntry> entries(sets * ways);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        entries[i].replacementData = lru.instantiateEntry();
        entries[i].way = static_cast<std::uint32_t>(i % ways);
    }
    std::vector<std::uint64_t> used(entries.size(), 0);
    warpkit::testing::random_numbers random(2);
    for (std::uint64_t i = 1; i < 5000; ++i) {
        auto const first = random.below(sets) * std::size_t{ways};
        std::vector<ReplaceableEntry*> candidates;
        for (std::size_t w = 0; w < ways; ++w) candidates.push_back(&entries[first + w]);
        auto const victim = static_cast<std::size_t>(lru.getVictim(candidates) - entries.data());
        auto const oldest =
            static_cast<std::size_t>(std::min_element(used.begin() + static_cast<long>(first),
                                                      used.begin() + static_cast<long>(first) + ways) -
                                     used.begin());
        REQUIRE(victim == oldest);
        lru.reset(entries[victim].replacementData);
        used[victim] = i;
        auto const other = first + random.below(ways);
        if (used[other] == 0) continue;
        if (random.chance(80)) {
            lru.touch(entries[other].replacementData);
            used[other] = ++i;
        } else { // what is invalid goes first
            lru.invalidate(entries[other].replacementData);
            used[other] = 0;
        }
    }
}
