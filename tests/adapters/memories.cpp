// warpkit's DRAM in small hosts with the interfaces of DRAMsim3's MemorySystem and of Ramulator's IMemorySystem: all
// that goes in comes out once, at the cycle in which the channels alone would end it.
#include <warpkit/adapters/dramsim3.hpp>
#include <warpkit/adapters/memory.hpp>
#include <warpkit/adapters/ramulator.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/shared_queue.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace warpkit;

struct Request {
    std::int64_t addr = -1;
    int type_id = -1;
    std::int64_t arrive = -1;
    std::int64_t depart = -1;
    std::function<void(Request&)> callback;
};

/// Each channel by itself, its addresses split by hand.
class by_hand {
public:
    by_hand(dram::standard const& s, std::uint32_t channels, std::uint32_t block)
        : standard_(s),
          map_(s.mapping, 1),
          block_(block),
          channel_(channels, dram::channel<dram::fr_fcfs>(*s.numbers, dram::queue_sizes{}, s.bus,
                                                          {true, dram::write_end::data})) {}
    bool push(std::uint64_t address, bool write) {
        auto const at = map_.decode(address / block_ / channel_.size() * block_);
        dram::request r;
        r.bank = static_cast<std::uint16_t>(at.bank);
        r.row = at.row;
        r.column = at.column;
        r.atoms = standard_.numbers->atoms_for(block_);
        r.write = write;
        r.token = address;
        auto& c = channel_[address / block_ % channel_.size()];
        if (!c.can_accept(r)) return false;
        c.push(r, now_);
        return true;
    }
    template <class F>
    void tick(F f) {
        for (auto& c : channel_) c.tick(now_, [&](dram::request const& r) { f(r.token); });
        ++now_;
    }

private:
    dram::standard const& standard_;
    dram::address_mapping map_;
    std::uint32_t block_;
    std::vector<dram::channel<dram::fr_fcfs>> channel_;
    cycle now_ = 0;
};

dram::standard const& standard_named(std::string const& name) {
    for (auto const& s : dram::standards)
        if (name == s.name) return s;
    FAIL("no " + name);
    return dram::standards[0];
}

} // namespace

TEST_CASE("with DRAMsim3's interface, requests end when the channels end them", "[adapters]") {
    std::vector<std::uint64_t> ended;
    std::vector<std::uint64_t> written;
    adapters::dramsim3_memory_system<dram::fr_fcfs> m(
        "gddr5_gtx480:channels=4:clock_ps=1082:block=128", ".", [&](std::uint64_t a) { ended.push_back(a); },
        [&](std::uint64_t a) {
            ended.push_back(a);
            written.push_back(a);
        });
    by_hand twin(standard_named("gddr5_gtx480"), 4, 128);
    CHECK(m.GetTCK() == Approx(1.082));
    CHECK(m.GetBusBits() == 64);
    CHECK(m.GetBurstLength() == 8);
    testing::random_numbers random(3);
    unsigned in = 0;
    unsigned writes = 0;
    for (unsigned i = 0; i < 30000; ++i) {
        std::uint64_t const address = random.below(1 << 20) * 128ULL;
        bool const write = random.chance(30);
        bool const may = m.WillAcceptTransaction(address, write);
        if (i < 20000 && random.chance(60)) {
            REQUIRE(m.AddTransaction(address, write) == may);
            REQUIRE(twin.push(address, write) == may);
            in += may;
            writes += may && write;
        }
        std::vector<std::uint64_t> now;
        auto const before = ended.size();
        m.ClockTick();
        twin.tick([&](std::uint64_t a) { now.push_back(a); });
        REQUIRE(std::vector<std::uint64_t>(ended.begin() + static_cast<long>(before), ended.end()) == now);
    }
    CHECK(in > 5000);
    CHECK(ended.size() == in);
    CHECK(written.size() == writes);
    CHECK(m.inside().idle());
}

TEST_CASE("with Ramulator's interface, each request is called back once", "[adapters]") {
    adapters::ramulator_memory<Request> m("hbm2_ramulator:channels=2");
    CHECK(m.get_tx_bytes() == 64);
    std::map<std::int64_t, unsigned> back;
    testing::random_numbers random(4);
    unsigned in = 0;
    unsigned late = 0;
    for (unsigned i = 0; i < 30000; ++i) {
        Request r;
        r.addr = static_cast<std::int64_t>(i) * 4096;
        r.type_id = random.chance(20);
        r.callback = [&](Request& q) {
            ++back[q.addr];
            late += q.depart <= q.arrive;
        };
        if (i < 20000 && m.send(r)) ++in;
        m.tick();
    }
    CHECK(in > 1000);
    CHECK(back.size() == in);
    for (auto const& [address, times] : back) CHECK(times == 1);
    CHECK(late == 0);
    CHECK(m.idle());
}

TEST_CASE("requests that lie within a block are served as the block, and told", "[adapters]") {
    // DDR5 moves 64 bytes at a time. A host that asks for 32 means two places where the memory has one.
    adapters::memory<dram::shared_queue<dram::oldest_ready>> m(
        adapters::memory_numbers::of("ddr5_ramulator:queue=8"));
    m.push(0, true, 1);
    CHECK(m.within_blocks() == 0);
    m.push(32, true, 2);
    CHECK(m.within_blocks() == 1);
    std::uint64_t ended = 0;
    for (int i = 0; i < 500; ++i) m.tick([&](std::uint64_t, bool) { ++ended; });
    CHECK(ended == 2);
    CHECK(m.counters(0).write_atoms == 1); // the second write of one place
    CHECK_THROWS_WITH(adapters::memory_numbers::of("ddr5_ramulator:block=32"),
                      Catch::Contains("nearest legal value: 64"));
}

TEST_CASE("addresses of a memory are cut into channels, and impossible numbers refused", "[adapters]") {
    using adapters::memory_numbers;
    adapters::memory<dram::fr_fcfs> const m(
        memory_numbers::of("gddr5_gtx480:channels=4:block=64:interleave=256"));
    CHECK(m.channel_of(0) == 0);
    CHECK(m.channel_of(255) == 0);
    CHECK(m.channel_of(256) == 1);
    CHECK(m.channel_of(1024) == 0);
    CHECK_THROWS_WITH(memory_numbers::of("gddr5_gtx48"), Catch::Matchers::Contains("did you mean"));
    CHECK_THROWS_WITH(memory_numbers::of("gddr5_gtx480:channels=3"),
                      Catch::Matchers::Contains("power of two"));
    CHECK_THROWS_WITH(memory_numbers::of("gddr5_gtx480:block=32"),
                      Catch::Matchers::Contains("nearest legal value: 64"));
    CHECK_THROWS_WITH(memory_numbers::of("gddr5_gtx480:interleave=32"),
                      Catch::Matchers::Contains("several channels"));
    CHECK_THROWS_WITH(memory_numbers::of("gddr5_gtx480:ckl=3"),
                      Catch::Matchers::Contains("no parameter 'ckl'"));
    CHECK(memory_numbers::of("gddr5_gtx480:cl=15").timing.cl == 15);
}
