#include <warpkit/frontend/device.hpp>

#include "catch.hpp"
#include "kernels/workload.hpp"

#include <cstdint>
#include <string>
#include <utility>

using namespace warpkit;
using kernels::all;
using kernels::find;
using kernels::size;
using kernels::values;

namespace {

struct stop {};

// The memory and the request with which a workload's first kernel is launched.
std::pair<device_memory, launch_request> first_launch(values const& v) {
    std::pair<device_memory, launch_request> seen;
    device d([&](device_memory& memory, launch_request const& request) {
        seen = {memory, request};
        throw stop{};
    });
    CHECK_THROWS_AS(v.of().run(d, v), stop);
    return seen;
}

} // namespace

TEST_CASE("kernels: defaults lie in their parameters' ranges") {
    for (auto const* w : all())
        for (auto const& p : w->parameters) {
            INFO(w->name << '.' << p.name);
            values v(*w);
            CHECK_NOTHROW(v.set(p.name, p.small));
            CHECK_NOTHROW(v.set(p.name, p.full));
            CHECK(values(*w)[p.name] == p.small);
            CHECK(values(*w, size::full)[p.name] == p.full);
        }
}

TEST_CASE("kernels: impossible values are refused with the range") {
    values v(find("reduction"));
    CHECK_THROWS_WITH(v.set("n", 0),
                      Catch::Equals("reduction.n = 0 is impossible: it must be from 1 to 134217728"));
    CHECK_THROWS_WITH(
        v.set("block", 100),
        Catch::Equals("reduction.block = 100 is impossible: it must be a power of two from 32 to 1024"));
    CHECK_THROWS_WITH(v.set("block", 2048), Catch::Contains("a power of two from 32 to 1024"));
    CHECK_THROWS_WITH(values(find("sgemm_tiled")).set("k", 40),
                      Catch::Contains("a multiple of 16 from 16 to"));
    CHECK(v == values(find("reduction"))); // a refusal changes nothing
    for (auto const* w : all())
        for (auto const& p : w->parameters) {
            INFO(w->name << '.' << p.name);
            if (p.minimum > 0) CHECK_THROWS_AS(values(*w).set(p.name, p.minimum - 1), error);
            if (p.maximum + 1 != 0) CHECK_THROWS_AS(values(*w).set(p.name, p.maximum + 1), error);
        }
}

TEST_CASE("kernels: what does not exist is answered with what does") {
    CHECK_THROWS_WITH(find("sgem_tiled"),
                      Catch::Contains("no kernel 'sgem_tiled'; did you mean 'sgemm_tiled'?") &&
                          Catch::Contains("vecadd, compute, "));
    CHECK_THROWS_WITH(find("quicksort_on_rails"), Catch::Contains("; there are: vecadd, "));
    values v(find("vecadd"));
    CHECK_THROWS_WITH(v.set("blocks", 1),
                      Catch::Equals("there is no parameter of kernel vecadd 'blocks'; did you mean 'block'? "
                                    "There are: n, block, seed"));
    CHECK_THROWS_AS(v["m"], error);
}

TEST_CASE("kernels: the same seed makes the same inputs, another one others") {
    for (auto const* w : all()) {
        INFO(w->name);
        values v(*w);
        auto const first = first_launch(v);
        auto const again = first_launch(v);
        CHECK(first.first == again.first);
        CHECK(first.second.arguments == again.second.arguments);
        v.set("seed", 2);
        CHECK_FALSE(first.first == first_launch(v).first);
    }
}

TEST_CASE("kernels: inputs are the same on every machine") {
    // vecadd's a[0] and a[1], worked out apart from our code: splitmix64 with seed 1 begins 910a2dec89025cc1,
    // beeb8da1658eec67; their upper halves times 1000000 / 2^32.
    auto const [memory, request] = first_launch(values(find("vecadd")));
    std::int32_t a[2];
    memory.read(a, device_memory::base, sizeof a);
    CHECK(a[0] == 566561);
    CHECK(a[1] == 745781);
}

TEST_CASE("kernels: launch shapes of the measurements that they are compared with") {
    // gen.py of the Accel-Sim measurements: 2048 and 640 CTAs of 256 threads.
    auto request = first_launch(values(find("vecadd"), size::full)).second;
    CHECK((request.grid == dim3{2048} && request.block == dim3{256}));
    request = first_launch(values(find("compute"), size::full)).second;
    CHECK((request.grid == dim3{640} && request.block == dim3{256}));
    // The multithreading-degree thesis, Table 3: 20480 elements in CTAs of two warps.
    values v(find("vecadd"));
    v.set("n", 20480);
    v.set("block", 64);
    request = first_launch(v).second;
    CHECK((request.grid == dim3{320} && request.block == dim3{64}));
}

TEST_CASE("kernels: a launch that does nothing is a failed run") {
    for (auto const* w : all()) {
        device d([](device_memory&, launch_request const&) {});
        CHECK_THROWS_WITH(w->run(d, values(*w)),
                          Catch::StartsWith(std::string(w->name) + ": wrong value left in memory: "));
    }
}
