/// Threads change nothing but the time that it takes (DESIGN 4). With GCC this binary is built under the thread sanitizer.

#include <warpkit/config/presets.hpp>
#include <warpkit/dram/protocol_checker.hpp>
#include <warpkit/frontend/builder.hpp>
#include <warpkit/gpu/gpu.hpp>
#include <warpkit/gpu/worker_pool.hpp>

#include "catch.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
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

TEST_CASE("worker pool: each call once, whatever the number of threads, components and calls", "[threads]") {
    for (unsigned threads = 1; threads <= 5; ++threads) {
        worker_pool pool(threads);
        CHECK(pool.threads() == threads);
        bool right = true;
        for (unsigned count = 0; count < 60; ++count) {
            std::vector<unsigned> calls(count);
            auto const yes = pool(count, count, [&](unsigned c) {
                ++calls[c];
                return c % 3 == 0;
            });
            right = right && yes == (count + 2) / 3 && calls == std::vector<unsigned>(count, 1);
        }
        CHECK(right);
    }
}

TEST_CASE("worker pool: threads that sleep wake, and an exception comes out after all calls are done",
          "[threads]") {
    worker_pool pool(3);
    std::atomic<unsigned> calls{0};
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(pool(40, 40, [&](unsigned) { return ++calls != 0; }) == 40);
    CHECK_THROWS_AS(pool(40, 40,
                         [&](unsigned c) {
                             ++calls;
                             if (c == 7 || c == 21) throw std::runtime_error("seven");
                             return false;
                         }),
                    std::runtime_error);
    CHECK(calls == 80);
    CHECK(pool(9, 9, [](unsigned) { return true; }) == 9);
    // Little work is not worth sharing: the caller does it alone, and exceptions come out at once.
    auto const caller = std::this_thread::get_id();
    CHECK(pool(9, 1, [&](unsigned) { return std::this_thread::get_id() == caller; }) == 9);
}

TEST_CASE("worker pool: a GPU ends in the same state on any number of threads", "[threads]") {
    using machine = presets::gtx480::with<use::dram_observer<dram::protocol_checker>>::policies;
    auto k = mixed_kernel(40);
    gpu<machine> alone(presets::gtx480::parameters());
    auto const before = alone;
    auto const expected = alone.run(k.launch());
    for (unsigned threads = 1; threads <= 4; ++threads) {
        INFO(threads << " threads");
        worker_pool pool(threads);
        auto g = before;
        CHECK(g.run(k.launch(), no_progress{}, pool) == expected);
        CHECK(g == alone);
        CHECK(g.fingerprint() == alone.fingerprint());
    }
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
