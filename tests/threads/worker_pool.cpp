/// Threads change nothing but the time that it takes (docs/model/time.md#determinism). With GCC this binary is built
/// under the thread sanitizer.

#include <warpkit/config/presets.hpp>
#include <warpkit/dram/protocol_checker.hpp>
#include <warpkit/frontend/builder.hpp>
#include <warpkit/gpu/gpu.hpp>
#include <warpkit/gpu/threads/sharing_backoff.hpp>
#include <warpkit/gpu/threads/worker_pool.hpp>

#include "catch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <sched.h>
#include <set>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

using namespace warpkit;

namespace {

/// Each warp gathers, adds and stores, with a barrier in between.
kernel_builder mixed_kernel(unsigned ctas) {
    kernel_builder k("mixed");
    auto const load = k.load(memory_space::global, 4, {1}, {0});
    k.op(op_class::fp_mad, {2}, {1, 2});
    auto const barrier = k.barrier();
    auto const store = k.store(memory_space::global, 4, {2});
    auto const exit = k.exit();
    k.grid = {ctas, 1, 1};
    k.block = {128, 1, 1};
    k.script = [=](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& out) {
        auto const first = (cta * 4 + warp) * 32;
        for (unsigned i = 0; i < 3; ++i) {
            out.access(load, [&](unsigned lane) {
                return 0xC0000000 + hasher::mix(first + i + lane / 8) % 4096 * 32;
            });
            out.step(load + 1);
        }
        out.step(barrier);
        out.access(store, [&](unsigned lane) { return 0xD0000000 + 4 * (first + lane); });
        out.step(exit);
    };
    return k;
}

/// Its threads work together again and again, however busy the host is.
class stubborn_pool : public worker_pool {
public:
    explicit stubborn_pool(unsigned threads) : worker_pool(threads, beyond_cores::as_told) {}
    sharing_backoff& backoff() noexcept { return fresh_ = {}; }

private:
    sharing_backoff fresh_;
};

/// Seconds that this process has spent on its host cores.
double processor_seconds() {
    std::timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}
/// Calls f on a thread that may run on one of this process's host cores alone, as all that it starts.
template <class F>
void on_one_core(F const& f) {
    std::thread([&] {
        cpu_set_t all;
        CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
        int first = 0;
        while (!CPU_ISSET(first, &all)) ++first;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(first, &one);
        CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
        f();
    }).join();
}

} // namespace

TEST_CASE("worker pool: never more threads than host cores, unless told to", "[threads]") {
    auto const cores = host_cores();
    CHECK(cores >= 1);
    CHECK(worker_pool(0).threads() == cores);
    CHECK(worker_pool(1).threads() == 1);
    CHECK(worker_pool(cores).threads() == cores);
    CHECK(worker_pool(cores + 254).threads() == cores);
    CHECK(worker_pool(cores + 3, beyond_cores::as_told).threads() == cores + 3);
    on_one_core([] { // as under taskset -c 0
        CHECK(host_cores() == 1);
        CHECK(worker_pool(0).threads() == 1);
        CHECK(worker_pool(2).threads() == 1);
        CHECK(worker_pool(2, beyond_cores::as_told).threads() == 2);
    });
}

TEST_CASE("worker pool: who waits long sleeps, the caller as well as the others", "[threads]") {
    worker_pool pool(3, beyond_cores::as_told);
    for (unsigned late = 0; late < 3; ++late) {
        auto const before = processor_seconds();
        auto const held_up = pool.together(3, [&](unsigned t) {
            if (t == late) std::this_thread::sleep_for(std::chrono::milliseconds(200));
        });
        CHECK(processor_seconds() - before < 0.05);
        CHECK((held_up > 100'000'000) == (late != 0)); // it alone has not waited for the one that was late
    }
}

TEST_CASE("sharing_backoff: what was lost by waiting is paid for by going on alone sixteen times as long",
          "[threads]") {
    constexpr std::uint64_t ms = 1'000'000;
    sharing_backoff p;
    CHECK(p.none());
    p.worked(0, 8 * ms, 1 * ms); // of 7 ms together a quarter is gained
    CHECK(p.none());
    p.worked(10 * ms, 14 * ms, 2 * ms); // half a millisecond gained, two lost
    CHECK_FALSE(p.none());
    auto const until = 14 * ms + 16 * (2 * ms - ms / 2);
    CHECK_FALSE(p.over(until - 1));
    CHECK(p.over(until));
    p.worked(until, until + ms, ms); // all in vain: what is still owed counts, too
    CHECK_FALSE(p.over(until + ms + 16 * (2 * ms + ms / 2) - 1));
    CHECK(p.over(until + ms + 16 * (2 * ms + ms / 2)));
    p.worked(100 * ms, 106 * ms, 0); // together again: no reason to part
    CHECK(p.none());
    p.worked(110 * ms, 110 * ms + ms,
             5 * ms); // nobody loses more time than has passed; one of 2.5 ms was left
    CHECK(p.over(111 * ms + 16 * 2 * ms));
    CHECK_FALSE(p.over(111 * ms + 16 * 2 * ms - 1));
}

TEST_CASE("sharing_backoff: threads that never come together cost little, and an idle host is noticed within "
          "a second",
          "[threads]") {
    for (std::uint64_t const loss : {200'000ULL, 4'000'000ULL, 100'000'000ULL}) { // nanoseconds
        sharing_backoff p;
        std::uint64_t now = 1;
        std::uint64_t lost = 0;
        std::uint64_t alone = 0;
        while (now < 20'000'000'000) {
            if (!p.over(now)) {
                now += 300'000;
                alone += 300'000;
                REQUIRE(alone <= sharing_backoff::most_alone + 300'000);
                continue;
            }
            alone = 0;
            p.worked(now, now + loss, loss);
            now += loss;
            lost += loss;
        }
        INFO(loss);
        CHECK(static_cast<double>(lost) < 0.12 * static_cast<double>(now));
        CHECK((loss > 4'000'000 || static_cast<double>(lost) < 0.02 * static_cast<double>(now)));
    }
}

TEST_CASE("two threads on one host core take little longer than one", "[threads]") {
    using machine = presets::gtx480::policies;
    auto k = mixed_kernel(600);
    gpu<machine> const fresh(presets::gtx480::parameters());
    on_one_core([&] {
        worker_pool two(2, beyond_cores::as_told);
        CHECK(two.threads() == 2);
        run_counters expected;
        run_counters counted;
        double alone = 1e9;
        double together = 1e9;
        for (int i = 0; i < 3; ++i) { // another program may disturb one of them
            auto g = fresh;
            auto begin = processor_seconds();
            expected = g.run(k.launch());
            alone = std::min(alone, processor_seconds() - begin);
            g = fresh;
            begin = processor_seconds();
            counted = g.run(k.launch(), no_progress{}, two);
            together = std::min(together, processor_seconds() - begin);
        }
        CHECK(counted == expected);
        CHECK(together < 1.2 * alone);
    });
}

TEST_CASE("threads that sleep for each other in the middle of a kernel: the same result, and errors come out",
          "[threads]") {
    using machine = presets::gtx480::policies;
    std::uint64_t slow = 0; // every so many blocks are, while others wait; 0: none
    std::uint64_t failing = ~std::uint64_t{0};
    auto k = mixed_kernel(150);
    k.script = [&, script = k.script](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& out) {
        if (slow != 0 && warp == 0 && cta % slow == slow - 1)
            std::this_thread::sleep_for(std::chrono::microseconds(500));
        if (cta == failing) throw std::runtime_error("a block that fails");
        script(cta, warp, out);
    };
    gpu<machine> alone(presets::gtx480::parameters());
    auto const before = alone;
    auto const expected = alone.run(k.launch());
    for (unsigned const threads : {2U, 3U}) {
        stubborn_pool pool(threads);
        for (slow = 5; slow != 65; slow += 30) { // so that few are ready when they are asked for, or all
            auto g = before;
            CHECK(g.run(k.launch(), no_progress{}, pool) == expected);
            CHECK(g == alone);
            failing = 149 - slow;
            g = before;
            CHECK_THROWS_WITH(g.run(k.launch(), no_progress{}, pool), "a block that fails");
            failing = ~std::uint64_t{0};
        }
        slow = 0;
    }
}

TEST_CASE("worker pool: one call on each of so many threads, at the same time, again and again",
          "[threads]") {
    for (unsigned threads = 1; threads <= 5; ++threads) {
        worker_pool pool(threads, beyond_cores::as_told);
        CHECK(pool.threads() == threads);
        bool right = true;
        for (unsigned round = 0; round < 60; ++round) {
            auto const count = 1 + round % threads;
            std::vector<std::thread::id> who(count);
            std::atomic<unsigned> here{0};
            pool.together(count, [&](unsigned t) {
                who[t] = std::this_thread::get_id();
                ++here;
                while (here != count) std::this_thread::yield(); // each waits for all others
            });
            right = right && who[0] == std::this_thread::get_id() &&
                    std::set<std::thread::id>(who.begin(), who.end()).size() == count;
        }
        CHECK(right);
    }
}

TEST_CASE("worker pool: threads that sleep wake, and an exception comes out after all calls are done",
          "[threads]") {
    worker_pool pool(3, beyond_cores::as_told);
    std::atomic<unsigned> calls{0};
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    pool.together(3, [&](unsigned) { ++calls; });
    CHECK(calls == 3);
    for (unsigned thrower = 0; thrower < 3; ++thrower)
        CHECK_THROWS_AS(pool.together(3,
                                      [&](unsigned t) {
                                          ++calls;
                                          if (t >= thrower) throw std::runtime_error("thrown");
                                      }),
                        std::runtime_error);
    CHECK(calls == 12);
    pool.together(2, [&](unsigned) { ++calls; });
    CHECK(calls == 14);
}

TEST_CASE("worker pool: a GPU ends in the same state on any number of threads", "[threads]") {
    using machine = presets::gtx480::with<use::dram_observer<dram::protocol_checker>>::policies;
    auto k = mixed_kernel(130);
    gpu<machine> alone(presets::gtx480::parameters());
    auto const before = alone;
    auto const expected = alone.run(k.launch());
    for (unsigned const threads : {1U, 2U, 4U}) {
        INFO(threads << " threads");
        stubborn_pool pool(threads);
        auto g = before;
        CHECK(g.run(k.launch(), no_progress{}, pool) == expected);
        CHECK(g == alone);
        CHECK(g.fingerprint() == alone.fingerprint());
    }
}

TEST_CASE("worker pool: networks that each thread simulates for itself, or one thread for all", "[threads]") {
    auto const same = [](auto const& preset, unsigned cores) {
        using machine = typename std::remove_cvref_t<decltype(preset)>::policies;
        auto k = mixed_kernel(cores * 9);
        auto p = presets::gtx480::parameters();
        p.core.count = cores;
        gpu<machine> alone(p);
        auto const before = alone;
        auto const first = alone.run(k.launch());
        auto const second = alone.run(k.launch());
        for (unsigned const threads : {2U, 3U}) {
            INFO(cores << " cores, " << threads << " threads");
            stubborn_pool pool(threads);
            auto g = before;
            CHECK(g.run(k.launch(), no_progress{}, pool) == first);
            CHECK(g.run(k.launch(), no_progress{}, pool) == second);
            CHECK(g == alone);
        }
    };
    same(presets::gtx480{}, 12);
    same(presets::gtx480{}, 60); // with the slices' more ports than 64
    same(presets::gtx480::with<use::network<mesh_network>>{}, 12);
}

TEST_CASE("worker pool: cores that share a TLB and its walkers", "[threads]") {
    auto const same = [](auto const& preset, std::uint32_t l2_latency) {
        using machine = typename std::remove_cvref_t<decltype(preset)>::policies;
        auto k = mixed_kernel(55); // more than are resident
        auto p = presets::gtx480::parameters();
        p.core.count = 6;
        p.tlb.l1_entries = p.tlb.l1_ways = 4;
        p.tlb.l1_mshrs = 3;
        p.tlb.l2_entries = p.tlb.l2_ways = 16;
        p.tlb.l2_latency = l2_latency;
        p.tlb.walkers = 2;
        gpu<machine> alone(p);
        auto const before = alone;
        auto stepped = alone;
        auto const expected = alone.run(k.launch());
        CHECK(expected.tlb.walks > 100);
        CHECK(expected.tlb.l2_hits > 100);
        stepped.begin(k.launch());
        auto const one_by_one = [](unsigned count, unsigned, auto const& f) {
            unsigned busy = 0;
            for (auto c = count; c-- > 0;) busy += f(c);
            return busy;
        };
        while (stepped.step(one_by_one)) {}
        CHECK(stepped.end() == expected);
        for (unsigned const threads : {2U, 3U}) {
            INFO(threads << " threads, " << l2_latency << " cycles");
            stubborn_pool pool(threads);
            auto g = before;
            CHECK(g.run(k.launch(), no_progress{}, pool) == expected);
            CHECK(g == alone);
            CHECK(g.fingerprint() == alone.fingerprint());
        }
    };
    same(presets::gtx480{}, 10);
    same(presets::gtx480{}, 0); // an answer comes as soon as it can
    same(presets::gtx480::with<use::network<mesh_network>>{}, 0);
}

TEST_CASE("window by window: a GPU is in the same state behind each window on any number of threads",
          "[threads]") {
    using machine = presets::gtx480::policies;
    auto k = mixed_kernel(130); // more than are resident: blocks are dispatched as others finish
    for (unsigned const threads : {2U, 3U}) {
        stubborn_pool pool(threads);
        gpu<machine> alone(presets::gtx480::parameters());
        auto g = alone;
        alone.begin(k.launch());
        g.begin(k.launch());
        bool same = true;
        for (unsigned n = 0; alone.step(); ++n) {
            same = same && g.step(pool);
            if (n % 64 == 0) same = same && g.fingerprint() == alone.fingerprint();
        }
        CHECK(same);
        CHECK_FALSE(g.step(pool));
        CHECK(g.end() == alone.end());
        CHECK(g == alone);
    }
}

TEST_CASE("blocks are executed in the same order: ahead by a second thread where they take long, by any that "
          "waits otherwise",
          "[threads]") {
    auto const microseconds = GENERATE(30, 0);
    std::vector<std::uint64_t> order; // without a lock: the thread sanitizer tells
    std::uint64_t failing = ~std::uint64_t{0};
    auto k = mixed_kernel(300);
    k.script = [&, script = k.script](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& out) {
        if (cta == failing) throw std::runtime_error("block 200");
        if (warp == 0) {
            order.push_back(cta);
            auto const end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
            while (std::chrono::steady_clock::now() < end) {}
        }
        script(cta, warp, out);
    };
    gpu<presets::gtx480::policies> alone(presets::gtx480::parameters());
    auto const before = alone;
    auto const expected = alone.run(k.launch());
    auto const in_turn = order;
    CHECK(in_turn.size() == 300);
    stubborn_pool pool(2);
    order.clear();
    auto g = before;
    CHECK(g.run(k.launch(), no_progress{}, pool) == expected);
    CHECK(g == alone);
    CHECK(order == in_turn);

    auto copied = before; // with blocks that have been executed and not yet dispatched
    copied.begin(k.launch());
    while (copied.age() < 2000 && copied.step(pool)) {}
    auto copy = copied;
    while (copied.step()) {}
    while (copy.step(pool)) {}
    CHECK(copied.end() == expected);
    CHECK(copy.end() == expected);

    failing = 200;
    g = before;
    CHECK_THROWS_WITH(g.run(k.launch(), no_progress{}, pool), "block 200");
}

TEST_CASE("a GPU forked in the middle of a kernel: both end as a straight run does", "[threads]") {
    using machine = presets::gtx480::with<use::dram_observer<dram::protocol_checker>>::policies;
    auto k = mixed_kernel(40);
    gpu<machine> straight(presets::gtx480::parameters());
    auto trunk = straight;
    auto const expected = straight.run(k.launch());
    trunk.begin(k.launch());
    for (int i = 0; i < 100; ++i) REQUIRE(trunk.step());
    auto fork = trunk;
    stubborn_pool pool(2);
    while (fork.step(pool)) {}
    while (trunk.step()) {}
    CHECK(trunk.end() == expected);
    CHECK(fork.end() == expected);
    CHECK(fork == straight);
}
