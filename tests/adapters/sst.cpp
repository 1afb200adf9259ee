// What SST's memHierarchy takes, in a small host with its interface: a DRAM backend that answers when the channels do,
// and replacement policies that choose the lines that memHierarchy's own would.
#include <warpkit/adapters/sst.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/srrip.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace warpkit;

// ---- the host, with the members that the adapter uses

class Params {
public:
    std::map<std::string, std::string> of;
    template <class T>
    T find(std::string const& name, T otherwise) const {
        auto const at = of.find(name);
        if (at == of.end()) return otherwise;
        if constexpr (std::is_same_v<T, std::string>)
            return at->second;
        else
            return static_cast<T>(std::stoul(at->second));
    }
};
class SimpleMemBackend {
public:
    using ReqId = std::uint64_t;
    SimpleMemBackend(long, Params& p) : m_reqWidth(p.find<std::uint32_t>("request_width", 64)) {}
    virtual ~SimpleMemBackend() = default;
    virtual bool clock(std::uint64_t) { return true; }
    virtual bool issueRequest(ReqId, std::uint64_t, bool, unsigned) = 0;
    void handleMemResponse(ReqId id) { m_respFunc(id); }
    void setResponseHandler(std::function<void(ReqId)> f) { m_respFunc = std::move(f); }

protected:
    std::uint32_t m_reqWidth;

private:
    std::function<void(ReqId)> m_respFunc;
};
using backend = adapters::sst_backend<SimpleMemBackend, dram::fr_fcfs>;

// Offers what waits each clock, first come first, until one is refused, and then ticks the backend.
struct memory_controller {
    SimpleMemBackend& backend;
    struct request {
        std::uint64_t id, address;
        bool write;
    };
    std::deque<request> waiting;
    std::uint64_t now = 0;
    bool clock() {
        while (!waiting.empty()) {
            auto const& r = waiting.front();
            if (!backend.issueRequest(r.id, r.address, r.write, 64)) break;
            waiting.pop_front();
        }
        return backend.clock(now++);
    }
};

enum State : int { NP, I, S, E, M };
class ReplacementInfo {
public:
    ReplacementInfo(unsigned i, State s) : index(i), state(s) {}
    unsigned getIndex() const { return index; }
    State getState() const { return state; }
    void setState(State s) { state = s; }

private:
    unsigned index;
    State state;
};
class ReplacementPolicy {
public:
    ReplacementPolicy(long, Params&, std::uint64_t, std::uint64_t) {}
    virtual ~ReplacementPolicy() = default;
    virtual bool checkCompatibility(ReplacementInfo*) = 0;
    virtual void update(std::uint64_t, ReplacementInfo*) = 0;
    virtual void replaced(std::uint64_t) = 0;
    virtual std::uint64_t getBestCandidate() = 0;
    virtual std::uint64_t findBestCandidate(std::vector<ReplacementInfo*>&) = 0;
};
template <class Policy>
using replacement = adapters::sst_replacement<ReplacementPolicy, ReplacementInfo, I, Policy>;

// Lines of a set lie together; a line that comes in is announced as replaced and then updated.
struct cache_array {
    ReplacementPolicy& policy;
    std::uint64_t ways;
    std::vector<ReplacementInfo> info;
    std::vector<std::uint64_t> holds;
    cache_array(ReplacementPolicy& p, unsigned lines, std::uint64_t associativity)
        : policy(p),
          ways(associativity),
          holds(lines, ~0ULL) {
        for (unsigned i = 0; i < lines; ++i) info.emplace_back(i, I);
        REQUIRE(policy.checkCompatibility(info.data()));
    }
    std::uint64_t set(std::uint64_t address) const { return address % (holds.size() / ways); }
    bool lookup(std::uint64_t address) {
        for (auto i = set(address) * ways; i != (set(address) + 1) * ways; ++i)
            if (holds[i] == address) {
                policy.update(i, &info[i]);
                return true;
            }
        return false;
    }
    std::uint64_t candidate(std::uint64_t address) {
        std::vector<ReplacementInfo*> of;
        for (auto i = set(address) * ways; i != (set(address) + 1) * ways; ++i) of.push_back(&info[i]);
        return policy.findBestCandidate(of);
    }
    void replace(std::uint64_t address, std::uint64_t line) {
        policy.replaced(line);
        info[line].setState(I);
        holds[line] = address;
        policy.update(line, &info[line]);
        info[line].setState(S);
    }
    void deallocate(std::uint64_t line) {
        policy.replaced(line);
        info[line].setState(I);
        holds[line] = ~0ULL;
    }
};

} // namespace

TEST_CASE("memHierarchy's requests are answered when the channels end them", "[adapters]") {
    Params parameters;
    parameters.of = {{"memory", "gddr5_gtx480:channels=2:block=128"}, {"request_width", "128"}};
    backend ours(7, parameters);
    adapters::memory<dram::fr_fcfs> twin(adapters::memory_numbers::of("gddr5_gtx480:channels=2:block=128"));
    memory_controller host{ours, {}, 0};
    memory_controller::request last{};
    std::deque<memory_controller::request> waits; // of the twin
    std::vector<std::uint64_t> ended;
    ours.setResponseHandler([&](std::uint64_t id) { ended.push_back(id); });
    testing::random_numbers random(11);
    std::uint64_t in = 0;
    for (unsigned i = 0; i < 20000; ++i) {
        if (i < 15000 && random.chance(50)) {
            last = {in++, random.below(1 << 18) * 128ULL, random.chance(30)};
            host.waiting.push_back(last);
            waits.push_back(last);
        }
        ended.clear();
        CHECK_FALSE(host.clock()); // the clock does not stop
        while (!waits.empty() && twin.can_accept(waits.front().address, waits.front().write)) {
            twin.push(waits.front().address, waits.front().write, waits.front().id);
            waits.pop_front();
        }
        std::vector<std::uint64_t> expected;
        twin.tick([&](std::uint64_t id, bool) { expected.push_back(id); });
        REQUIRE(ended == expected);
    }
    CHECK(in > 5000);
    while (!host.waiting.empty() || !ours.inside().idle()) host.clock();
}

TEST_CASE("who is answered by the backend may ask at once", "[adapters]") {
    Params parameters;
    parameters.of = {{"memory", "hbm2_ramulator"}};
    backend ours(0, parameters);
    std::uint64_t answered = 0;
    ours.setResponseHandler([&](std::uint64_t id) {
        ++answered;
        if (id < 50) CHECK(ours.issueRequest(id + 1, 64 * (id + 1), false, 64)); // a chain of loads
    });
    REQUIRE(ours.issueRequest(0, 0, false, 64));
    for (unsigned i = 0; i < 50000 && answered < 51; ++i) ours.clock(i);
    CHECK(answered == 51);
    CHECK(ours.inside().idle());
}

TEST_CASE("requests of memHierarchy are the memory's blocks", "[adapters]") {
    Params parameters;
    parameters.of = {{"memory", "hbm2_ramulator:block=128"}};
    CHECK_THROWS_WITH(backend(0, parameters),
                      Catch::Contains("request_width = 64") && Catch::Contains("block = 128"));
    parameters.of = {};
    CHECK_THROWS_WITH(backend(0, parameters), Catch::Contains("there is no dram standard ''"));
}

TEST_CASE("memHierarchy's LRU is warpkit's", "[adapters]") {
    constexpr unsigned lines = 24;
    constexpr unsigned ways = 3;
    Params parameters;
    replacement<lru> ours(0, parameters, lines, ways);
    cache_array cache(ours, lines, ways);
    std::vector<std::uint64_t> used(lines, 0); // 0: gone
    testing::random_numbers random(5);
    std::uint64_t now = 0;
    unsigned full = 0;
    for (unsigned i = 0; i < 20000; ++i) {
        std::uint64_t const address = random.below(40);
        auto const first = cache.set(address) * ways;
        if (random.chance(10)) { // coherence takes a line away
            auto const line = first + random.below(ways);
            cache.deallocate(line);
            used[line] = 0;
        } else if (cache.lookup(address)) {
            for (auto l = first; l != first + ways; ++l)
                if (cache.holds[l] == address) used[l] = ++now;
        } else {
            auto const line = cache.candidate(address);
            auto const begin = used.begin() + static_cast<long>(first);
            auto const oldest = std::min_element(begin, begin + ways); // of several that are gone, the first
            REQUIRE(line == first + static_cast<std::uint64_t>(oldest - begin));
            CHECK(ours.getBestCandidate() == line);
            CHECK(cache.candidate(address) == line); // asked again while the host waits
            full += *oldest != 0;
            cache.replace(address, line);
            used[line] = ++now;
        }
    }
    CHECK(full > 1000);
}

TEST_CASE("a line that comes into memHierarchy's cache is inserted, not used", "[adapters]") {
    Params parameters;
    replacement<srrip> ours(0, parameters, 4, 4);
    cache_array cache(ours, 4, 4);
    for (std::uint64_t a = 0; a < 4; ++a) cache.replace(a, cache.candidate(a));
    CHECK(cache.lookup(0)); // used again: it stays, where all others pass by
    for (std::uint64_t a = 10; a < 20; ++a) {
        auto const line = cache.candidate(a);
        CHECK(line != 0);
        cache.replace(a, line);
    }
    cache.deallocate(0);
    CHECK(cache.candidate(30) == 0); // what is gone goes first
    CHECK_THROWS_WITH(replacement<lru>(0, parameters, 513, 513), Catch::Contains("ways = 513"));
}
