#include <warpkit/frontend/device.hpp>

#include "catch.hpp"
#include "kernels/functional.hpp"
#include "kernels/workload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

void run_functionally(values const& v, std::string_view ptx) {
    kernels::functional_device machine(ptx, v.of().ptx_name);
    v.of().run(machine.device(), v);
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

TEST_CASE("kernels: all leave the expected values") {
    for (auto const* w : all()) {
        INFO(w->name);
        CHECK_NOTHROW(run_functionally(values(*w), w->ptx));
    }
}

TEST_CASE("kernels: inputs that fill no CTA, no tile and no warp") {
    struct uneven {
        std::string_view kernel;
        std::vector<std::pair<std::string_view, std::uint64_t>> parameters;
    };
    std::vector<uneven> const cases{
        {"vecadd", {{"n", 1}}},
        {"vecadd", {{"n", 1003}, {"block", 50}}},
        {"compute", {{"n", 77}, {"block", 33}}},
        {"transpose_naive", {{"width", 33}, {"height", 5}}},
        {"transpose_naive", {{"width", 7}, {"height", 70}}},
        {"transpose_tiled", {{"width", 33}, {"height", 5}}},
        {"transpose_tiled", {{"width", 7}, {"height", 70}}},
        {"sgemm_tiled", {{"m", 48}, {"n", 16}, {"k", 32}}},
        {"hotspot", {{"columns", 37}, {"rows", 5}, {"iterations", 5}, {"pyramid", 3}}},
        {"hotspot", {{"columns", 1}, {"rows", 40}, {"iterations", 9}, {"pyramid", 7}}},
        {"bfs", {{"nodes", 1}}},
        {"bfs", {{"nodes", 333}, {"block", 100}}},
        {"spmv", {{"rows", 1}, {"band", 1000}}},
        {"spmv", {{"rows", 501}, {"mean", 3}, {"block", 96}}},
        {"reduction", {{"n", 1}}},
        {"reduction", {{"n", 4099}, {"block", 32}}},
        {"histogram", {{"n", 999}, {"bins", 7}, {"ctas", 3}, {"block", 40}}},
        {"histogram", {{"n", 5000}, {"bins", 1000}, {"ctas", 2}, {"block", 64}}},
        {"kmeans", {{"points", 130}, {"features", 3}, {"clusters", 1}}},
        {"kmeans", {{"points", 130}, {"features", 1}, {"clusters", 9}, {"block", 48}}},
        {"pathfinder", {{"columns", 1}, {"rows", 9}, {"pyramid", 4}}},
        {"pathfinder", {{"columns", 301}, {"rows", 140}, {"pyramid", 127}}},
        {"scalar_product", {{"vectors", 5}, {"elements", 45}, {"ctas", 2}, {"block", 32}}},
        {"scalar_product", {{"vectors", 2}, {"elements", 1}, {"ctas", 7}}},
        {"gather", {{"threads", 45}, {"hops", 3}, {"regions", 1}, {"region", 1}}},
    };
    for (auto const& c : cases) {
        values v(find(c.kernel));
        std::string shape(c.kernel);
        for (auto const& [name, value] : c.parameters) {
            v.set(name, value);
            shape.append(" ").append(name).append("=").append(std::to_string(value));
        }
        INFO(shape);
        CHECK_NOTHROW(run_functionally(v, v.of().ptx));
    }
}

TEST_CASE("kernels: one wrong instruction in the PTX is a failed run") {
    struct slip {
        std::string_view kernel;
        std::string_view right;
        std::string_view wrong;
    };
    constexpr slip slips[] = {
        {"vecadd", "add.s32 \t%r8, ", "sub.s32 \t%r8, "},
        {"compute", "add.f32", "sub.f32"},
        {"transpose_naive", "setp.ge.s32 \t%p6, ", "setp.lt.s32 \t%p6, "},
        {"transpose_tiled", "setp.ge.s32 \t%p2, %r11, ", "setp.lt.s32 \t%p2, %r11, "},
        {"sgemm_tiled", "fma.rn.f32 \t%f10, %f8, %f9, ", "fma.rn.f32 \t%f10, %f8, %f8, "},
        {"hotspot", "sub.f32", "add.f32"},
        {"bfs", "add.s32 \t%r17, %r16, 1;", "add.s32 \t%r17, %r16, 2;"},
        {"spmv", "fma.rn.f32 \t%f14, %f12, %f13, ", "fma.rn.f32 \t%f14, %f12, %f12, "},
        {"reduction", "add.s32 \t%r19, ", "sub.s32 \t%r19, "},
        {"histogram", "atom.shared.add.u32 \t%r18, [%rd13], 1;", "atom.shared.add.u32 \t%r18, [%rd13], 2;"},
        {"kmeans", "setp.lt.f32", "setp.gt.f32"},
        {"pathfinder", "min.s32 \t%r39, ", "max.s32 \t%r39, "},
        {"scalar_product", "add.f32", "sub.f32"},
        {"gather", "add.s32 \t%r23, ", "sub.s32 \t%r23, "},
    };
    CHECK(std::size(slips) == all().size());
    for (auto const& [kernel, right, wrong] : slips) {
        INFO(kernel);
        auto const& w = find(kernel);
        std::string ptx(w.ptx);
        auto const at = ptx.find(right);
        REQUIRE(at != std::string::npos);
        ptx.replace(at, right.size(), wrong);
        CHECK_THROWS_WITH(run_functionally(values(w), ptx),
                          Catch::StartsWith(std::string(kernel) + ": wrong value left in memory: ") &&
                              Catch::Contains(", expected "));
    }
}

TEST_CASE("kernels: as many warp instructions as the page on them says") {
    auto const count = [](values const& v) {
        kernels::functional_device machine(v.of().ptx, v.of().ptx_name);
        v.of().run(machine.device(), v);
        auto const plain = std::to_string(machine.warp_instructions());
        std::string digits;
        for (std::size_t k = 0; k < plain.size(); ++k) {
            if (k != 0 && (plain.size() - k) % 3 == 0) digits.push_back(',');
            digits.push_back(plain[k]);
        }
        return digits;
    };
    std::ifstream page(WARPKIT_SOURCE_DIR "/docs/kernels.md");
    std::vector<std::string> rows;
    for (std::string line; std::getline(page, line);)
        if (line.substr(0, 3) == "| `") rows.push_back(line);
    for (auto const* w : all()) {
        INFO(w->name);
        auto const of = [&](std::string const& row) {
            return row.find("| `" + std::string(w->name) + "` |") == 0;
        };
        auto const row = std::find_if(rows.begin(), rows.end(), of);
        REQUIRE(row != rows.end());
        CHECK_THAT(*row, Catch::Contains("| " + count(values(*w)) + " / "));
    }
    // The two with a count that can be told in advance, also at full size: 22 and 220 instructions per warp.
    CHECK(count(values(find("vecadd"), size::full)) == "360,448");
    CHECK(count(values(find("compute"), size::full)) == "1,126,400");
}
