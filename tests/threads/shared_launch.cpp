/// What the executors of one launch share (ptx/shared_launch.hpp). With GCC this binary is built under the thread
/// sanitizer.

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/ptx/shared_launch.hpp>

#include "catch.hpp"

#include <cstdint>
#include <exception>
#include <string>
#include <thread>
#include <vector>

using namespace warpkit;
using ptx::shared_launch;

namespace {

std::exception_ptr fault_of(std::uint64_t number) {
    return std::make_exception_ptr(error("fault of " + std::to_string(number)));
}
template <class F>
void on_threads(shared_launch& shared, unsigned threads, F const& f) {
    std::vector<std::thread> all;
    for (unsigned t = 0; t < threads; ++t) {
        if (t > 0) shared.thread_begins();
        all.emplace_back([&, t] {
            f(t);
            shared.thread_ended();
        });
    }
    for (auto& a : all) a.join();
}

} // namespace

TEST_CASE("a shared launch gives each cluster to one thread, in their order", "[threads][shared_launch]") {
    constexpr std::uint64_t clusters = 20'000;
    shared_launch shared(clusters, 4);
    std::vector<std::vector<std::uint64_t>> taken(4);
    on_threads(shared, 4, [&](unsigned t) {
        for (std::uint64_t n = 0; shared.take(n); shared.cta_ended()) taken[t].push_back(n);
    });
    std::vector<unsigned> times(clusters);
    for (auto const& of_one : taken)
        for (std::size_t i = 0; i < of_one.size(); ++i) {
            ++times[of_one[i]];
            if (i > 0 && of_one[i] <= of_one[i - 1]) FAIL("out of order");
        }
    CHECK(times == std::vector<unsigned>(clusters, 1));
    CHECK(shared.ended() == clusters);
    CHECK_FALSE(shared.any_left());
    shared.rethrow();
}

TEST_CASE("a shared launch keeps the fault of the lowest cluster", "[threads][shared_launch]") {
    // Who has taken a lower one than has failed ends it: some clusters above the first fault are never begun.
    for (unsigned round = 0; round < 200; ++round) {
        shared_launch shared(1000, 4);
        on_threads(shared, 4, [&](unsigned) {
            for (std::uint64_t n = 0; shared.take(n); shared.cta_ended())
                if (n % 100 == 37) return shared.fail(n, fault_of(n));
        });
        CHECK_THROWS_WITH(shared.rethrow(), "fault of 37");
        CHECK(shared.failed());
        CHECK(shared.should_leave(38, false));
        CHECK_FALSE(shared.should_leave(36, false));
        CHECK(shared.should_leave(36, true));
    }
}

TEST_CASE("a shared launch: who has come to its limit is stuck when nobody gets on",
          "[threads][shared_launch]") {
    std::string report;
    auto const ask = [&](shared_launch& shared, shared_launch::patience& p, std::uint64_t number) {
        report = "report of " + std::to_string(number);
        return shared.may_go_on(p, number, report);
    };
    shared_launch::patience a;
    shared_launch::patience b;
    shared_launch shared(10, 2);
    shared.begin(a);
    SECTION("one alone") {
        CHECK_FALSE(ask(shared, a, 3));
        CHECK(report == "report of 3");
    }
    SECTION("two, of which one gets on") {
        shared.thread_begins();
        shared.begin(b);
        for (int i = 0; i < 5; ++i) CHECK(ask(shared, a, 3));
        shared.cta_ended();
        shared.begin(b);
        CHECK(ask(shared, a, 3)); // from now on it waits anew
        CHECK(ask(shared, b, 7));
        CHECK_FALSE(ask(shared, a, 3));
        CHECK(report == "report of 3");
        CHECK_FALSE(ask(shared, b, 7));
        CHECK(report == "report of 3"); // the lowest
        // Both are left as soon as one of the two has told it.
        shared.fail(7, fault_of(7));
        CHECK(shared.should_leave(3, false));
        CHECK_THROWS_AS(ask(shared, a, 3), shared_launch::abandoned);
    }
    SECTION("one that runs no CTA any more is not waited for") {
        shared.thread_begins();
        CHECK(ask(shared, a, 3));
        shared.thread_ended();
        CHECK_FALSE(ask(shared, a, 3));
    }
}

TEST_CASE("a shared launch ends while threads begin, fail and give up", "[threads][shared_launch]") {
    for (unsigned round = 0; round < 50; ++round) {
        shared_launch shared(400, 3);
        on_threads(shared, 3, [&](unsigned) {
            shared_launch::patience p;
            std::string report = "stuck";
            for (std::uint64_t n = 0; shared.take(n);) {
                shared.begin(p);
                if (n < 300 || n % 3 != 0) {
                    shared.cta_ended();
                    continue;
                }
                try { // it never ends
                    while (shared.may_go_on(p, n, report) && !shared.should_leave(n, false)) shared.yield();
                    shared.fail(n, std::make_exception_ptr(error(report)));
                } catch (shared_launch::abandoned const&) {}
                return;
            }
        });
        CHECK_THROWS_WITH(shared.rethrow(), "stuck");
    }
}
