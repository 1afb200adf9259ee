/// Threads change nothing but the time that it takes (DESIGN 4). With GCC this binary is built under the thread sanitizer.

#include <warpkit/config/presets.hpp>
#include <warpkit/dram/protocol_checker.hpp>
#include <warpkit/frontend/builder.hpp>
#include <warpkit/gpu/gpu.hpp>
#include <warpkit/gpu/worker_pool.hpp>

#include "catch.hpp"

#include <atomic>
#include <chrono>
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

} // namespace

TEST_CASE("worker pool: one call on each of so many threads, at the same time, again and again",
          "[threads]") {
    for (unsigned threads = 1; threads <= 5; ++threads) {
        worker_pool pool(threads);
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
    worker_pool pool(3);
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
        worker_pool pool(threads);
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
            worker_pool pool(threads);
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

TEST_CASE("window by window: a GPU is in the same state behind each window on any number of threads",
          "[threads]") {
    using machine = presets::gtx480::policies;
    auto k = mixed_kernel(130); // more than are resident: blocks are dispatched as others finish
    for (unsigned const threads : {2U, 3U}) {
        worker_pool pool(threads);
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
    worker_pool pool(2);
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
    worker_pool pool(2);
    while (fork.step(pool)) {}
    while (trunk.step()) {}
    CHECK(trunk.end() == expected);
    CHECK(fork.end() == expected);
    CHECK(fork == straight);
}
