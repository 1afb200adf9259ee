// The load/store unit alone, with a replay queue of each kind: what a full set holds up, and what gets past it.
#include <warpkit/base/hash.hpp>
#include <warpkit/cache/allocation.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/gpu/core/load_store_unit.hpp>
#include <warpkit/lsu/fermi_coalescing.hpp>
#include <warpkit/lsu/one_replay_queue.hpp>

#include "catch.hpp"

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

using namespace warpkit;

namespace {

/// Notes what the unit tells its core.
struct host {
    std::vector<unsigned> finished; ///< instructions whose result came, in order
    std::vector<cycle> due;         ///< when it is there
    std::vector<std::uint64_t> accessed;
    std::vector<refusal> refused;
    std::uint64_t stored = 0; ///< bytes begun and not ended
    std::size_t begun = 0;    ///< operations

    void result_at(cycle at, warp_slot, std::uint32_t instruction) {
        finished.push_back(instruction);
        due.push_back(at);
    }
    void operation_begun(warp_slot) { ++begun; }
    void store_begun(warp_slot, std::uint32_t bytes) { stored += bytes; }
    bool store_ended(warp_slot, std::uint32_t bytes) {
        stored -= bytes;
        return stored == 0;
    }
    // A unit with a write-back port, whose banks are always free.
    bool writes(std::uint32_t) const { return true; }
    bool take_banks(warp_slot, std::uint32_t) const { return true; }
    void written(warp_slot, std::uint32_t instruction) {
        finished.push_back(instruction);
        due.push_back(now);
    }
    void answer_comes(cycle) const {}
    void pages_waited_for(warp_set const&) const {}
    cycle now = 0;
    template <class E>
    void tell(warp_slot, E const& e) {
        if constexpr (std::is_same_v<E, l1_accessed>)
            accessed.push_back(e.line);
        else if constexpr (std::is_same_v<E, lsu_refused>)
            refused.push_back(e.reason);
    }
    std::size_t told() const { return finished.size() + accessed.size() + refused.size(); }
};

/// An L1 of 2 sets, 4 ways, lines of 128 bytes: lines at multiples of 256 share set 0.
template <class Queue>
struct bench_with {
    using l1 = cache<linear_index, lru, on_miss, local_back_global_evict<write_miss::no_allocate>>;
    load_store_unit<fermi_coalescing, l1, Queue> unit;
    host core;
    cycle now = 0;
    std::uint32_t instructions = 0;
    std::deque<std::uint32_t> collected; ///< with a write-back port: all operands are there
    std::vector<cycle> taken;            ///< when the unit took them

    explicit bench_with(Queue const& queue, gpu_parameters const& p = numbers(), unsigned number = 0)
        : unit(p, queue, {}, {}, number) {
        unit.begin_kernel(4, 2);
    }
    /// With a write-back port, behind operand collectors.
    static gpu_parameters with_port() {
        auto p = numbers();
        p.core.register_banks = 8;
        p.lsu.writeback_port = 1;
        return p;
    }
    static gpu_parameters numbers() {
        gpu_parameters p;
        p.l1d = {1024, 4, 128, 128, 32, 8, 8};
        p.lsu.l1_latency = 1;
        p.lsu.shared_banks = 32;
        p.lsu.queue = 16;
        p.core.instruction_bytes = 8;
        p.core.count = 2;
        return p;
    }
    /// One instruction whose lane i uses 4 bytes, or as many as that, at address i of the list.
    void issue(unsigned warp, op_class kind, std::vector<std::uint64_t> const& at,
               memory_space space = memory_space::global, std::uint8_t bytes = 4) {
        lane_addresses addresses{};
        for (std::size_t i = 0; i < at.size(); ++i) addresses[i] = at[i];
        warp_stream s;
        s.append(0, at.size() == lanes ? all_lanes : (lane_mask{1} << at.size()) - 1, space, addresses);
        decoded_instruction d;
        d.kind = kind;
        d.access_bytes = bytes;
        if (!unit.has_port())
            return unit.issue(now, warp_slot{warp}, instructions++, d, stream_cursor(s), s, core);
        collected.push_back(instructions);
        unit.issue_aside(now, instructions, warp_slot{warp}, instructions, d, stream_cursor(s), s, core);
        ++instructions;
    }
    void run(unsigned cycles) {
        for (unsigned i = 0; i < cycles; ++i) cycle_of_unit(), ++now;
    }
    void cycle_of_unit() {
        core.now = now;
        if (!unit.has_port()) return unit.step(now, core);
        unit.write_back(now, core);
        auto const looked_up = unit.step_l1(now, core);
        if (!collected.empty() && unit.room_from() <= now) {
            unit.take(now, collected.front());
            collected.pop_front();
            taken.push_back(now);
        }
        unit.step_rest(now, looked_up, core);
    }
    /// Takes the oldest request out.
    packet take() {
        packet p;
        unit.request(p);
        unit.pop_request(now == 0 ? 0 : now - 1);
        return p;
    }
    void answer(packet const& p) {
        switch (p.kind) {
        case packet_kind::read:
            unit.receive(now, p, core);
            break;
        case packet_kind::atomic:
            unit.atomic_done(now, p, core);
            break;
        default:
            if (p.token != no_token) core.store_ended(warp_slot{p.token}, p.bytes);
        }
    }
    /// Answers all that is asked, until nothing is under way; false if something stays for ever.
    bool drain() {
        for (unsigned i = 0; i < 2000; ++i) {
            if (unit.has_request())
                answer(take());
            else if (unit.idle())
                return core.stored == 0;
            run(1);
        }
        return false;
    }
};

using bench = bench_with<any_replay_queue>;

constexpr std::uint64_t other_set = 128;

/// Brings line `other_set` in, then lets warp 0 load five lines of set 0: the fifth finds every way waiting.
template <class Queue = any_replay_queue>
bench_with<Queue> with_full_set(Queue const& queue) {
    bench_with<Queue> b(queue);
    b.issue(9, op_class::load, {other_set});
    b.run(2);
    b.answer(b.take());
    b.issue(0, op_class::load, {0, 256, 512, 768, 1024});
    b.run(8);
    REQUIRE(b.core.refused == std::vector<refusal>{refusal::line_allocation});
    b.core.finished.clear();
    return b;
}

} // namespace

TEST_CASE("five loads of one set of four ways: the fifth is refused, and holds up all behind it", "[gpu]") {
    auto b = with_full_set<any_replay_queue>(no_replay{});
    b.issue(1, op_class::load, {other_set});
    b.run(50);
    CHECK(b.core.finished.empty());
    CHECK(b.unit.cache().counters().refused_line_allocation == 1);
    CHECK(b.drain());
    CHECK(b.core.finished.size() == 2);
}

TEST_CASE("with CAR or NewCAR it steps aside, and another warp's hit gets past", "[gpu]") {
    for (auto const& queue : {any_replay_queue(car{}), any_replay_queue(new_car{})}) {
        auto b = with_full_set(queue);
        b.issue(1, op_class::load, {other_set});
        b.run(5);
        CHECK(b.core.finished == std::vector<unsigned>{2});
        CHECK(b.unit.replays() == 1);
        CHECK(b.drain());
        CHECK(b.core.finished.size() == 2);
    }
}

TEST_CASE("its own warp's hit gets past under NewCAR, not under CAR", "[gpu]") {
    for (auto const& queue : {any_replay_queue(car{}), any_replay_queue(new_car{})}) {
        auto b = with_full_set(queue);
        b.issue(0, op_class::load, {other_set});
        b.run(20);
        CHECK(b.core.finished.size() == (queue.get_if<new_car>() != nullptr ? 1 : 0));
        CHECK(b.drain());
        CHECK(b.core.finished.size() == 2);
    }
}

TEST_CASE("NewCAR: an own store, and an own atomic, wait behind the load; another warp's do not", "[gpu]") {
    auto b = with_full_set<any_replay_queue>(new_car{});
    while (b.unit.has_request()) b.take(); // the four fetches: on their way for good
    b.issue(0, op_class::store, {other_set + 4096});
    b.issue(0, op_class::atomic, {other_set + 8192});
    b.run(20);
    CHECK_FALSE(b.unit.has_request());
    CHECK(b.unit.replays() == 3);
    b.issue(1, op_class::store, {other_set + 4096});
    b.issue(1, op_class::atomic, {other_set + 8192});
    b.run(20);
    REQUIRE(b.unit.has_request());
    CHECK(b.take().kind == packet_kind::atomic); // past the L1: no delay pipe
    REQUIRE(b.unit.has_request());
    CHECK(b.take().kind == packet_kind::write);
    CHECK(b.unit.replays() == 3);
}

namespace {
/// Takes what enters of itself, and nothing that has been refused.
struct proud : car {
    static constexpr char const* name() noexcept { return "proud"; }
    static constexpr bool takes_refused() noexcept { return false; }
};
} // namespace

TEST_CASE("what a replay queue does not take when it has been refused stays in the unit", "[gpu]") {
    auto b = with_full_set(proud{});
    b.issue(1, op_class::load, {other_set});
    b.run(20);
    CHECK(b.core.finished.empty());
    CHECK(b.unit.replays() == 0);
    CHECK(b.drain());
    CHECK(b.core.finished.size() == 2);
}

TEST_CASE("behind a full replay queue all wait, in the L1's pipe and past it", "[gpu]") {
    for (auto const& queue :
         {any_replay_queue(car(1)), any_replay_queue(new_car(1)), any_replay_queue(mrpb(1))}) {
        auto b = with_full_set(queue);
        bool const takes = queue.get_if<mrpb>() == nullptr; // which goes past the L1, and has room again
        b.issue(1, op_class::load, {1280});
        b.issue(2, op_class::atomic, {4096});
        b.run(20);
        CHECK(b.core.finished.empty());
        if (takes) CHECK(b.unit.replays() == 1);
        CHECK(b.drain());
        CHECK(b.core.finished.size() == 3);
    }
}

TEST_CASE("MRPB: the load goes past the L1, and its reply comes in parts", "[gpu]") {
    auto b = with_full_set<any_replay_queue>(mrpb{});
    CHECK(b.unit.bypasses() == 1);
    b.issue(1, op_class::load, {other_set});
    b.run(5);
    CHECK(b.core.finished == std::vector<unsigned>{2});
    REQUIRE(b.unit.has_request());
    auto past = b.take(); // ahead of the fetches: it has a queue of its own
    CHECK(past.address == 1024);
    CHECK(past.bytes == 32); // its transaction, not a line
    past.bytes = 16;
    CHECK_FALSE(b.unit.counts_parts(past));
    CHECK_FALSE(b.unit.receive(b.now, past, b.core));
    for (unsigned i = 0; i < 4; ++i) b.answer(b.take());
    CHECK(b.core.finished.size() == 1);
    CHECK(b.unit.receive(b.now, past, b.core));
    CHECK(b.core.finished.size() == 2);
    CHECK(b.unit.idle());
    CHECK_FALSE(b.unit.cache().contains(1024));
}

namespace {
std::uint64_t generic(memory_space space, std::uint64_t address) { return window_of(space) | address; }
constexpr auto shared = memory_space::shared;
constexpr auto global = memory_space::global;
} // namespace

TEST_CASE("lanes of one load in shared and global memory: both parts take place, one result", "[gpu]") {
    auto p = bench::numbers();
    p.lsu.shared_latency = 20;
    bench b(no_replay{}, p);
    // Two lanes in the same bank, one between them in line 256.
    std::vector<std::uint64_t> const mixed{generic(shared, 0), 256 + 8, generic(shared, 128)};
    b.issue(0, op_class::load, mixed, memory_space::generic);
    CHECK(b.core.begun == 1);
    CHECK(b.unit.bank_conflict_cycles() == 1);
    CHECK(b.unit.transactions() == 1);
    b.issue(1, op_class::load, {other_set}); // waits behind both
    b.run(2);
    CHECK(b.core.accessed.empty()); // two cycles for shared memory
    b.run(30);
    CHECK(b.core.accessed == std::vector<std::uint64_t>{256, other_set});
    CHECK(b.core.finished.empty());
    b.answer(b.take());
    CHECK(b.core.finished == std::vector<unsigned>{0});
    CHECK(b.core.due == std::vector<cycle>{b.now + p.core.writeback_cycles});
    CHECK(b.drain());
    // Now the line is there; but shared memory takes its time, as it does alone.
    auto const begin = b.now;
    b.core = {};
    b.issue(0, op_class::load, mixed, memory_space::generic);
    b.run(60);
    auto const both = b.core.due;
    b.core = {};
    b.now = begin + 1000;
    b.issue(0, op_class::load, {0, 128}, shared);
    b.run(60);
    REQUIRE(both.size() == 1);
    REQUIRE(b.core.due.size() == 1);
    CHECK(both[0] - begin == b.core.due[0] - (begin + 1000));
    CHECK(b.drain());
}

TEST_CASE("generic addresses in one space are an access to it; stores and atomics have parts, too", "[gpu]") {
    bench b(no_replay{});
    for (auto const kind : {op_class::load, op_class::store, op_class::atomic}) {
        b.core = {};
        auto const begin = b.now;
        b.issue(0, kind, {generic(shared, 0), generic(shared, 4)}, memory_space::generic);
        b.run(40);
        auto const one = b.core.due;
        b.now = begin + 1000;
        b.issue(0, kind, {0, 4}, shared);
        b.run(40);
        REQUIRE(one.size() == 1);
        REQUIRE(b.core.due.size() == 2);
        CHECK(one[0] - begin == b.core.due[1] - (begin + 1000));
        CHECK(b.core.begun == 2);
    }
    b.core = {};
    std::vector<std::uint64_t> const mixed{512, generic(shared, 0), generic(memory_space::local, 768)};
    b.issue(0, op_class::store, mixed, memory_space::generic);
    CHECK(b.core.stored == 64); // a transaction of 32 bytes each
    CHECK(b.core.begun == 1);
    CHECK_FALSE(b.unit.idle());
    b.run(40);
    CHECK(b.core.finished.size() == 1);
    CHECK(b.core.accessed == std::vector<std::uint64_t>{512, local_base + 768 * 2 * 4 * 64});
    CHECK(b.drain());
    b.core = {};
    b.issue(0, op_class::atomic, {generic(shared, 0), 512, 4096}, memory_space::generic);
    b.run(40);
    CHECK(b.core.finished.empty());
    b.answer(b.take());
    CHECK(b.core.finished.empty());
    b.answer(b.take());
    CHECK(b.core.finished.size() == 1);
    CHECK(b.unit.idle());
    // Lanes that look nowhere are as lanes that do not take part.
    b.core = {};
    b.issue(0, op_class::load, {window_mask, window_mask | 4}, memory_space::generic);
    b.run(5);
    CHECK(b.core.finished.size() == 1);
    CHECK(b.drain());
}

TEST_CASE("a byte of local memory has one place, whatever the width of the access", "[gpu]") {
    constexpr std::uint64_t row =
        2 * 4 * 64 * 4; // a word of each thread that can be resident: 2 cores, 4 CTAs of 64 each
    for (unsigned const core : {0U, 1U}) {
        bench b(no_replay{}, bench::numbers(), core);
        auto const mine =
            local_base + (((1 * 2 + core) * 2) + 1) * lanes * 4; // of warp 3: the second of CTA 1
        auto const touched = [&](op_class kind, std::uint64_t offset, std::uint8_t bytes, bool generic_ones) {
            b.core = {};
            auto const space = memory_space::local;
            auto const address = generic_ones ? generic(space, offset) : offset;
            b.issue(3, kind, std::vector<std::uint64_t>(lanes, address),
                    generic_ones ? memory_space::generic : space, bytes);
            CHECK(b.drain());
            CHECK(b.core.finished.size() == (kind == op_class::store ? 0 : 1)); // one result
            return b.core.accessed;
        };
        for (bool const generic_ones : {false, true})
            for (auto const kind : {op_class::store, op_class::load}) {
                using list = std::vector<std::uint64_t>;
                auto const at = [&](std::uint64_t word) { return mine + word * row; };
                CHECK(touched(kind, 16, 16, generic_ones) == list{at(4), at(5), at(6), at(7)});
                CHECK(touched(kind, 24, 8, generic_ones) == list{at(6), at(7)});
                CHECK(touched(kind, 28, 4, generic_ones) == list{at(7)});
                CHECK(touched(kind, 30, 1, generic_ones) == list(4, at(7))); // segments of 32 bytes
            }
    }
}

TEST_CASE("the unit loses nothing under any replay queue, the L1 on or off", "[gpu]") {
    std::string wrong;
    for (std::uint32_t seed = 1; seed <= 40; ++seed)
        for (auto const& queue : {any_replay_queue(), any_replay_queue(mrpb{}), any_replay_queue(car{}),
                                  any_replay_queue(new_car{})}) {
            auto p = bench::numbers();
            if (seed % 4 == 0) p.l1d.size = 0;
            p.l1d.miss_queue = 2 + seed % 3;
            p.l1d.mshr_entries = 1 + seed % 9;
            if (seed % 5 == 0) p.lsu.queue = 1;
            bench b(queue, p);
            b.now = 1;
            std::uint64_t x = seed;
            auto const random = [&x](std::uint64_t n) {
                x = x * 6364136223846793005 + 1442695040888963407;
                return (x >> 33) % n;
            };
            std::vector<packet> below;
            std::vector<unsigned> answers; // that each instruction must get
            for (unsigned i = 0; i < 300; ++i) {
                if (b.unit.can_accept() && random(2) == 0) {
                    auto const kinds = {op_class::load, op_class::load, op_class::store, op_class::atomic};
                    auto const k = kinds.begin()[random(4)];
                    std::vector<std::uint64_t> at(1 + random(6));
                    for (auto& a : at) a = random(64) * 64;
                    bool const several = random(4) == 0; // spaces
                    if (several)
                        for (auto& a : at) a = generic(generic_spaces[random(5)], a);
                    auto const warp = static_cast<unsigned>(random(5));
                    b.issue(warp, k, at, several ? memory_space::generic : global);
                    answers.push_back(k != op_class::store);
                }
                // A host sleeps until next_event(): nothing may happen before.
                auto const next = b.unit.next_event(b.now - 1);
                auto const before = std::pair(hash_of(b.unit), b.core.told());
                b.run(1);
                if (next > b.now && before != std::pair(hash_of(b.unit), b.core.told()))
                    wrong = "awake too late";
                if (b.unit.has_request() && random(3) != 0) below.push_back(b.take());
                if (!below.empty() && random(4) == 0) {
                    auto const which = static_cast<std::ptrdiff_t>(random(below.size()));
                    b.answer(below[static_cast<std::size_t>(which)]);
                    below.erase(below.begin() + which);
                }
            }
            for (auto const& q : below) b.answer(q);
            if (!b.drain()) wrong = "something is left";
            if (b.core.finished.size() != b.core.begun) wrong = "an operation has not ended, or has twice";
            auto const is_store = [&](unsigned i) { return answers[i] == 0; };
            auto& all = b.core.finished;
            all.erase(std::remove_if(all.begin(), all.end(), is_store), all.end());
            for (auto const i : all) --answers[i];
            if (answers != std::vector<unsigned>(answers.size()))
                wrong = "a load or atomic without answer, or with two";
            if (!wrong.empty()) wrong += ", seed " + std::to_string(seed);
        }
    CHECK(wrong == "");
}

TEST_CASE("a unit that has a cycle only when it is due does what one does that has all", "[gpu]") {
    std::string wrong;
    std::uint64_t refusals = 0, slept = 0;
    for (std::uint32_t seed = 1; seed <= 60 && wrong.empty(); ++seed) {
        auto p = bench::numbers();
        p.l1d.miss_queue = 2 + seed % 3;
        p.l1d.mshr_entries = 1 + seed % 9;
        bench every(no_replay{}, p), when_due(no_replay{}, p);
        std::uint64_t x = seed;
        auto const random = [&x](std::uint64_t n) {
            x = x * 6364136223846793005 + 1442695040888963407;
            return (x >> 33) % n;
        };
        std::vector<packet> below;
        cycle const end = 600;
        for (cycle now = 1; now < end; ++now) {
            every.now = when_due.now = now;
            if (!below.empty() && random(4) == 0) {
                every.answer(below.front());
                when_due.answer(below.front());
                below.erase(below.begin());
            }
            every.unit.step(now, every.core);
            if (when_due.unit.due(now))
                when_due.unit.step(now, when_due.core);
            else
                ++slept;
            if (every.unit.can_accept() != when_due.unit.can_accept()) wrong = "room for instructions";
            if (every.unit.can_accept() && random(6) == 0) {
                std::vector<std::uint64_t> at(1 + random(8));
                for (auto& a : at) a = random(64) * 64;
                auto const kind = random(4) == 0 ? op_class::load : op_class::store;
                every.issue(0, kind, at);
                when_due.issue(0, kind, at);
            }
            if (every.unit.has_request() != when_due.unit.has_request()) wrong = "requests";
            if (wrong.empty() && every.unit.has_request() && random(3) == 0) {
                packet a, b;
                every.unit.request(a);
                when_due.unit.request(b);
                every.unit.pop_request(now);
                when_due.unit.pop_request(now);
                if (!(a == b)) wrong = "a request";
                below.push_back(a);
            }
        }
        every.now = when_due.now = end;
        for (auto const& q : below) {
            every.answer(q);
            when_due.answer(q);
        }
        if (!every.drain() || !when_due.drain()) wrong = "something is left";
        if (every.core.finished != when_due.core.finished || every.core.accessed != when_due.core.accessed)
            wrong = "answers";
        if (!(every.unit.cache().counters() == when_due.unit.cache().counters())) wrong = "counters";
        if (every.core.refused != when_due.core.refused) wrong = "refusals";
        refusals += every.core.refused.size();
        if (!wrong.empty()) wrong += ", seed " + std::to_string(seed);
    }
    CHECK(wrong == "");
    CHECK(refusals > 1000);
    CHECK(slept > 10000);
}

TEST_CASE("an L1 with banks takes a transaction into each of them in a cycle", "[gpu]") {
    // Cycles in which the L1 is looked up, and how often in each, of one load.
    auto const look_ups = [](std::uint32_t banks, std::uint64_t stride) {
        auto p = bench::numbers();
        p.l1d = {2048, 4, 128, 32, 32, 8, 32};
        p.lsu.l1_banks = banks;
        p.lsu.l1_latency = 3;
        bench b(no_replay{}, p);
        std::vector<std::uint64_t> at;
        for (unsigned lane = 0; lane < lanes; ++lane) at.push_back(lane / 8 * stride + lane % 8 * 4);
        b.issue(0, op_class::load, at);
        std::vector<std::size_t> each;
        for (unsigned i = 0; i < 12; ++i) {
            auto const before = b.core.accessed.size();
            b.run(1);
            if (b.core.accessed.size() != before) each.push_back(b.core.accessed.size() - before);
        }
        CHECK(b.drain());
        CHECK(b.core.finished.size() == 1);
        return each;
    };
    using counts = std::vector<std::size_t>;
    std::size_t const sectors = lanes / 8;
    CHECK(look_ups(1, 32) == counts(sectors, 1));
    CHECK(look_ups(sectors, 32) == counts{sectors});              // consecutive sectors
    CHECK(look_ups(sectors, 32 * sectors) == counts(sectors, 1)); // all of one bank
    CHECK(look_ups(2, 32) == counts(sectors / 2, 2));
    CHECK(look_ups(32, 32) == counts{sectors});
}

TEST_CASE("what one bank of the L1 is refused does not hold up another", "[gpu]") {
    for (std::uint32_t const banks : {1U, 4U}) {
        auto p = bench::numbers(); // 2 sets of 4 ways
        p.lsu.l1_banks = banks;
        bench b(no_replay{}, p);
        for (std::uint64_t line = 0; line < 5; ++line)
            b.issue(0, op_class::load, {line * 256}); // set 0, bank 0
        b.issue(1, op_class::load, {128 + 32});       // set 1, bank 1
        b.run(20);
        REQUIRE(b.core.refused == std::vector<refusal>{refusal::line_allocation});
        CHECK(b.core.accessed.size() == (banks == 1 ? 4U : 5U));
        CHECK(b.drain());
        CHECK(b.core.finished.size() == 6);
    }
}

TEST_CASE("a replay queue goes with an L1 of one bank", "[gpu]") {
    auto p = bench::numbers();
    p.lsu.l1_banks = 4;
    CHECK_THROWS_WITH(bench(new_car{}, p), Catch::Contains("lsu.l1_banks = 4: a replay queue offers one"));
    CHECK_NOTHROW(bench(no_replay{}, p));
}

TEST_CASE("with a write-back port one answer of memory is written in a cycle, and a hit at its look-up") {
    auto p = bench::with_port();
    p.lsu.shared_latency = 3;
    p.core.writeback_cycles = 2;
    bench b(any_replay_queue{}, p);
    b.issue(0, op_class::load, {0});
    b.issue(1, op_class::load, {4});
    b.run(6);
    REQUIRE(b.unit.has_request());
    auto const came = b.now;
    b.answer(b.take()); // for both
    b.run(6);
    CHECK(b.core.due == std::vector<cycle>{came + 2, came + 3});
    auto const hit = b.now;
    b.issue(2, op_class::load, {8});
    b.run(6);
    CHECK(b.core.due.back() == hit + p.lsu.l1_latency + 1);
    auto const issued = b.now;
    b.issue(3, op_class::load, {0}, memory_space::shared);
    b.run(8);
    CHECK(b.core.due.back() == issued + p.lsu.shared_latency + p.core.writeback_cycles);
    CHECK(b.unit.idle());
}

TEST_CASE("behind operand collectors an access to shared memory keeps the unit for all its cycles", "[gpu]") {
    bench b(no_replay{}, bench::with_port());
    std::vector<std::uint64_t> four_to_a_bank;
    for (unsigned lane = 0; lane < lanes; ++lane) four_to_a_bank.push_back(lane * 16);
    for (unsigned warp = 0; warp < 3; ++warp)
        b.issue(warp, op_class::load, four_to_a_bank, memory_space::shared);
    b.issue(3, op_class::load, {0}, memory_space::shared);
    b.issue(3, op_class::load, {0}, memory_space::shared);
    b.run(20);
    CHECK(b.taken == std::vector<cycle>{0, 4, 8, 12, 13});
}

TEST_CASE("a pipe whose head is refused holds as many transactions as it is long, and the unit one more",
          "[gpu]") {
    for (std::uint32_t const banks : {1U, 2U}) {
        auto p = bench::with_port(); // 2 sets of 4 ways
        p.lsu.l1_latency = 5;
        p.lsu.l1_banks = banks;
        bench b(no_replay{}, p);
        for (std::uint64_t line = 0; line < 16; ++line) b.issue(0, op_class::load, {line * 256});
        b.run(60);
        CHECK(b.core.refused == std::vector<refusal>{refusal::line_allocation});
        CHECK(b.taken.size() == 4 + 5 + 1); // in the ways, in the pipe, and in the unit
        CHECK(b.drain());
        CHECK(b.core.finished.size() == 16);
        // One in each cycle while there is room: the head is looked up in the cycle in which a place is wanted.
        p.l1d.mshr_merges = 16;
        bench fast(no_replay{}, p);
        for (unsigned k = 0; k < 16; ++k) fast.issue(0, op_class::load, {0});
        fast.run(16);
        CHECK(fast.taken.size() == 16);
    }
}
