// Warp schedulers in a small front end with MacSim's interface, and DRAM behind its network's.
#include <warpkit/adapters/macsim.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/testing/random_core.hpp>
#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/lrr.hpp>
#include <warpkit/warp/oldest.hpp>
#include <warpkit/warp/owl.hpp>
#include <warpkit/warp/two_level.hpp>

#include "catch.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace {

using namespace warpkit;

// ---- the host, with the members that the adapter uses

template <class T>
struct knob {
    T value;
    T getValue() const { return value; }
};
struct all_knobs_c {
    knob<int> cores{16};
    knob<bool> yes{true};
    knob<bool> no{false};
    knob<int>* KNOB_NUM_SIM_CORES = &cores;
    knob<bool>* KNOB_NO_FETCH_ON_ICACHE_MISS = &no;
    knob<bool>* KNOB_MT_NO_FETCH_BR = &yes;
    knob<bool>* KNOB_FETCH_ONLY_LOAD_READY = &no;
    knob<bool>* KNOB_BUG_DETECTOR_ENABLE = &yes;
    knob<bool>* KNOB_ENABLE_NEW_NOC = &yes;
};
struct process_s {
    int m_max_block = 4;
    unsigned m_current_vector_index = 1;
};
struct frontend_s {
    bool m_fetch_blocked = false;
    bool branch = false;
    bool load = false;
};
struct thread_s {
    int m_block_id = 0;
    process_s* m_process = nullptr;
    frontend_s* m_fetch_data = nullptr;
    frontend_s data;
};
struct block_schedule_info_s {
    int m_total_thread_num = 0;
};
struct mem_req_s {
    int m_core_id = 0;
    int m_type = 0;
    int m_msg_type = -1;
    unsigned m_size = 0;
    std::uint64_t m_addr = 0;
    int m_cache_id[8] = {};
};
enum { MEM_LLC = 4, MEM_MC = 5, MRT_DFETCH = 1, MRT_WB = 5, NOC_FILL = 0 };
struct network_c {
    std::deque<mem_req_s*> to_memory;
    std::vector<mem_req_s*> from_memory;
    unsigned room = ~0U;
    bool send(mem_req_s* r, int from, int id, int to, int cache) {
        CHECK((from == MEM_MC && id == 3 && to == MEM_LLC && cache == 2));
        if (room == 0) return false;
        --room;
        from_memory.push_back(r);
        return true;
    }
    mem_req_s* receive(int at, int id) {
        CHECK((at == MEM_MC && id == 3));
        return to_memory.empty() ? nullptr : to_memory.front();
    }
    void receive_pop(int, int) { to_memory.pop_front(); }
};
struct memory_c {
    std::vector<mem_req_s*> freed;
    void free_req(int core, mem_req_s* r) {
        CHECK(core == r->m_core_id);
        freed.push_back(r);
    }
};
struct bug_detector_c {
    unsigned in = 0, out = 0;
    void allocate_noc(mem_req_s*) { ++out; }
    void deallocate_noc(mem_req_s*) { ++in; }
};
struct macsim_c {
    all_knobs_c knobs;
    network_c network;
    memory_c memory;
    bug_detector_c detector;
    all_knobs_c* m_knobs = &knobs;
    network_c* m_network = &network;
    memory_c* m_memory = &memory;
    bug_detector_c* m_bug_detector = &detector;
    std::map<int, block_schedule_info_s*> m_block_schedule_info;
};
struct core_c {
    std::map<int, bool> m_fetch_ended;
    std::map<int, bool> m_thread_reach_end;
    std::vector<std::unique_ptr<thread_s>> threads;
    thread_s* get_trace_info(int t) { return threads.at(static_cast<std::size_t>(t)).get(); }
};

// With a round-robin over the threads, as the host has it where there is room for all that it fetches.
class frontend_c {
public:
    frontend_c(macsim_c* simulation, core_c* core, int& scheduled, int& terminated)
        : m_unique_scheduled_thread_num(scheduled),
          m_last_terminated_tid(terminated),
          m_core(core),
          m_simBase(simulation) {}
    virtual ~frontend_c() = default;
    virtual int fetch() {
        int const threads = m_unique_scheduled_thread_num - m_last_terminated_tid;
        for (int i = 0; i < threads; ++i) {
            int const t = arbiter_;
            if (++arbiter_ == m_unique_scheduled_thread_num) arbiter_ = m_last_terminated_tid;
            auto const& data = *m_core->get_trace_info(t)->m_fetch_data;
            if (!m_core->m_fetch_ended[t] && !data.m_fetch_blocked && !data.branch) return t;
        }
        return -1;
    }
    bool check_fetch_ready(int) { return true; }
    bool check_br_ready(int t) { return !m_core->get_trace_info(t)->m_fetch_data->branch; }
    bool check_load_ready(int t) { return !m_core->get_trace_info(t)->m_fetch_data->load; }
    // One cycle; -1 if nothing was fetched.
    int cycle(bool room = true) {
        ++m_cur_core_cycle;
        int const t = fetch();
        if (t < 0) return -1;
        if (!room) m_last_fetch_tid_failed = true;
        return t;
    }

protected:
    int m_core_id = 0;
    int m_fetching_thread_num = 1;
    int& m_unique_scheduled_thread_num;
    int& m_last_terminated_tid;
    std::uint64_t m_cur_core_cycle = 0;
    bool m_ptx_sim = true;
    bool m_nvbit_sim = false;
    bool m_last_fetch_tid_failed = false;
    core_c* m_core;
    macsim_c* m_simBase;

private:
    int arbiter_ = 0;
};

struct machine {
    macsim_c simulation;
    core_c core;
    process_s process;
    int scheduled = 0;
    int terminated = 0;
    std::vector<std::unique_ptr<block_schedule_info_s>> blocks;
    void launch(int block, int warps) {
        blocks.push_back(std::make_unique<block_schedule_info_s>());
        blocks.back()->m_total_thread_num = warps;
        simulation.m_block_schedule_info[block] = blocks.back().get();
        for (int i = 0; i < warps; ++i) {
            core.threads.push_back(std::make_unique<thread_s>());
            auto& t = *core.threads.back();
            t.m_block_id = block;
            t.m_process = &process;
            t.m_fetch_data = &t.data;
            core.m_fetch_ended[scheduled++] = false;
        }
    }
    frontend_s& data(int t) { return *core.get_trace_info(t)->m_fetch_data; }
    void end(int t) {
        core.m_fetch_ended[t] = true;
        while (terminated < scheduled && core.m_fetch_ended[terminated]) ++terminated;
    }
};
template <class Policy>
struct ours : adapters::macsim_frontend<frontend_c, Policy> {
    ours(machine& m, Policy const& p = {})
        : adapters::macsim_frontend<frontend_c, Policy>(p, &m.simulation, &m.core, m.scheduled,
                                                        m.terminated) {}
};

struct host {
    using controller = struct dram_c;
    using request = mem_req_s;
    static constexpr auto write_back = MRT_WB;
    static constexpr auto fill = NOC_FILL;
    static constexpr auto at_controller = MEM_MC;
    static constexpr auto at_cache = MEM_LLC;
};
struct dram_c {
    explicit dram_c(macsim_c* s) : m_simBase(s) {}
    virtual ~dram_c() = default;
    virtual void print_req() = 0;
    virtual void init(int) = 0;
    virtual void run_a_cycle(bool) = 0;

protected:
    virtual void send() = 0;
    virtual void receive() = 0;
    macsim_c* m_simBase;
    std::uint64_t m_cycle = 99;
    int m_id = -1;
};
using controller = adapters::macsim_dram<host, dram::fr_fcfs>;

} // namespace

TEST_CASE("MacSim's round-robin is warpkit's, in the order of the threads", "[adapters]") {
    machine m;
    m.launch(0, 8);
    frontend_c theirs(&m.simulation, &m.core, m.scheduled, m.terminated);
    ours<lrr> mine(m);
    testing::random_numbers random(12);
    int block = 1;
    unsigned fetched = 0;
    for (unsigned i = 0; i < 20000; ++i) {
        if (random.chance(1) && m.scheduled - m.terminated < 48) m.launch(block++, 8);
        for (int t = m.terminated; t < m.scheduled; ++t) {
            m.data(t).branch = random.chance(40);
            m.data(t).m_fetch_blocked = random.chance(10);
        }
        int const expected = theirs.cycle();
        REQUIRE(mine.cycle() == expected);
        fetched += expected >= 0;
        if (expected >= 0 && m.scheduled - m.terminated > 8 && expected == m.terminated && random.chance(20))
            m.end(expected); // the oldest ends
    }
    CHECK(fetched > 10000);
    CHECK(m.terminated > 50); // slots have been used again
}

TEST_CASE("in MacSim's shape, a greedy scheduler stays, and a warp without room keeps its turn",
          "[adapters]") {
    machine m;
    m.launch(0, 4);
    ours<gto> mine(m);
    CHECK(mine.cycle() == 0);
    CHECK(mine.cycle() == 0);
    m.data(0).branch = true;
    CHECK(mine.cycle() == 1);
    m.data(0).branch = false;
    CHECK(mine.cycle() == 1);
    m.data(1).branch = true;
    CHECK(mine.cycle(false) == 0); // no room: nothing was fetched
    m.data(1).branch = false;
    CHECK(mine.cycle() == 1); // still the greedy one
    // Two are fetched for in one cycle: two different ones.
    CHECK(mine.fetch() == 0);
    m.data(2).branch = m.data(3).branch = true;
    CHECK(mine.fetch() == -1);
}

TEST_CASE("in MacSim's shape, blocks come and go, and a slot is young again", "[adapters]") {
    machine m;
    m.launch(0, 4);
    m.launch(1, 4);
    ours<oldest> mine(m);
    CHECK(mine.cycle() == 0);
    for (int t = 0; t < 4; ++t) m.end(t);
    m.launch(2, 4);
    CHECK(mine.cycle() == 4);
    for (int t = 4; t < 8; ++t) m.end(t);
    CHECK(mine.cycle() == 8);
    // A thread that stays long has its slot; who would get it takes another.
    for (int t = 9; t < 12; ++t) m.end(t);
    for (int i = 0; i < 20; ++i) {
        m.launch(3 + i, 4);
        CHECK(mine.cycle() == 8);
        for (int t = m.scheduled - 4; t < m.scheduled; ++t) m.end(t);
    }
    m.launch(99, static_cast<int>(warp_set::width));
    CHECK_THROWS_WITH(mine.cycle(), Catch::Contains("WARPKIT_WARP_SLOTS"));
}

TEST_CASE("in MacSim's shape, a scheduler hears of loads, barriers and the kernel", "[adapters]") {
    machine m;
    for (int b = 0; b < 4; ++b) m.launch(b, 4);
    ours<two_level_of<4>> two(m);
    CHECK(two.cycle() == 0);
    CHECK(two.cycle() == 1);
    for (int t = 0; t < 4; ++t) m.data(t).load = true; // the front group waits for loads
    CHECK(two.cycle() == 4);
    for (int t = 0; t < 4; ++t) m.data(t).load = false;
    CHECK(two.cycle() == 5);
    for (int t = 4; t < 8; ++t) m.data(t).m_fetch_blocked = true;
    CHECK(two.cycle() == 8);
    // OWL asks for blocks per core and warps per block, which the host knows.
    ours<cta_aware> owl(m);
    CHECK(owl.cycle() == 0);
    // Another launch is another kernel, once the core is empty.
    for (int t = 0; t < 16; ++t) m.end(t);
    CHECK(owl.cycle() == -1);
    m.process.m_current_vector_index = 2;
    m.launch(4, 2);
    CHECK(owl.cycle() == 16);
}

TEST_CASE("MacSim's memory requests are answered when the channels end them", "[adapters]") {
    macsim_c simulation;
    controller ours(&simulation, "gddr5_gtx480:block=128", {4, 1024});
    ours.init(3);
    adapters::memory<dram::fr_fcfs> twin(adapters::memory_numbers::of("gddr5_gtx480:block=128"));
    testing::random_numbers random(13);
    std::vector<mem_req_s> requests(4000);
    std::size_t next = 0;
    std::deque<std::size_t> waits; // of the twin, at most one of which goes in each cycle
    std::deque<mem_req_s*> answers;
    for (unsigned i = 0; i < 60000; ++i) {
        if (next < requests.size() && random.chance(40)) {
            auto& r = requests[next];
            r.m_size = 128;
            r.m_type = random.chance(30) ? MRT_WB : MRT_DFETCH;
            auto const piece = random.below(4096) * 4ULL + 2; // of controller 2 of four
            r.m_addr = piece * 1024 + random.below(8) * 128;
            r.m_cache_id[MEM_LLC] = 2;
            simulation.network.to_memory.push_back(&r);
            waits.push_back(next++);
        }
        bool const locked = random.chance(5);
        simulation.network.room = random.below(3);
        auto room = simulation.network.room;
        auto const freed = simulation.memory.freed.size();
        auto const sent = simulation.network.from_memory.size();
        ours.run_a_cycle(locked);
        if (locked) continue;
        std::vector<mem_req_s*> expected_sent;
        for (; room != 0 && !answers.empty(); --room) {
            expected_sent.push_back(answers.front());
            answers.pop_front();
        }
        std::vector<mem_req_s*> expected_freed;
        twin.tick([&](std::uint64_t n, bool write) {
            if (write)
                expected_freed.push_back(&requests[n]);
            else
                answers.push_back(&requests[n]);
        });
        if (!waits.empty()) {
            auto const& r = requests[waits.front()];
            auto const at = r.m_addr / 4096 * 1024 + r.m_addr % 1024;
            bool const write = r.m_type == MRT_WB;
            if (twin.can_accept(at, write)) {
                twin.push(at, write, waits.front());
                waits.pop_front();
            }
        }
        REQUIRE(std::vector<mem_req_s*>(simulation.memory.freed.begin() + static_cast<long>(freed),
                                        simulation.memory.freed.end()) == expected_freed);
        REQUIRE(std::vector<mem_req_s*>(simulation.network.from_memory.begin() + static_cast<long>(sent),
                                        simulation.network.from_memory.end()) == expected_sent);
    }
    CHECK(next == requests.size());
    CHECK(simulation.memory.freed.size() + simulation.network.from_memory.size() == requests.size());
    CHECK(simulation.detector.in == requests.size());
    CHECK(simulation.detector.out == simulation.network.from_memory.size());
    for (auto const* r : simulation.network.from_memory) CHECK(r->m_msg_type == NOC_FILL);
    mem_req_s big;
    big.m_size = 256;
    simulation.network.to_memory.push_back(&big);
    CHECK_THROWS_WITH(ours.run_a_cycle(false), Catch::Contains("256") && Catch::Contains("block"));
}
