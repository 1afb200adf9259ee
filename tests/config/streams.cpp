// Programs of several streams on machines that have several kernels at once (docs/model/dispatch.md#streams).

#include <warpkit/config/presets.hpp>
#include <warpkit/config/record.hpp>
#include <warpkit/cta/lazy_cta_scheduling.hpp>
#include <warpkit/cta/smk.hpp>
#include <warpkit/report/run_record.hpp>

#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

// Each thread multiplies its cell often.
char const* const busy = R"(
.version 6.3
.target sm_70
.address_size 64
.visible .entry busy(.param .u64 cells, .param .u32 rounds)
{
.reg .pred %p<2>;
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [cells];
ld.param.u32 %r1, [rounds];
mov.u32 %r2, %tid.x;
mov.u32 %r3, %ctaid.x;
mov.u32 %r4, %ntid.x;
mad.lo.u32 %r2, %r3, %r4, %r2;
mul.wide.u32 %rd2, %r2, 4;
add.s64 %rd3, %rd1, %rd2;
ld.global.u32 %r5, [%rd3];
AGAIN:
mad.lo.u32 %r5, %r5, 3, 1;
sub.u32 %r1, %r1, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra AGAIN;
st.global.u32 [%rd3], %r5;
ret;
}
)";

constexpr std::uint32_t cells = 4 * 64;

std::uint32_t on_host(std::uint32_t x, unsigned rounds) {
    for (; rounds != 0; --rounds) x = 3 * x + 1;
    return x;
}
void check(device& d, device_array<std::uint32_t> a, unsigned rounds) {
    auto const found = d.download(a);
    for (std::uint32_t i = 0; i < cells; ++i)
        if (found[i] != on_host(0, rounds)) throw error("cell " + std::to_string(i));
}
void launch(device& d, device_stream s, device_array<std::uint32_t> a, unsigned rounds = 100) {
    d.launch(s, "busy", {4, 1, 1}, {64, 1, 1}, 0, a, std::uint32_t{rounds});
}

// Two launches in each of two streams.
void two_streams(device& d) {
    auto const a = d.allocate<std::uint32_t>(cells);
    auto const b = d.allocate<std::uint32_t>(cells);
    auto const one = d.create_stream();
    auto const other = d.create_stream();
    for (int k = 0; k < 2; ++k) {
        launch(d, one, a);
        launch(d, other, b);
    }
    check(d, a, 200);
    check(d, b, 200);
}

gpu_parameters several(unsigned kernels) {
    auto n = presets::gtx480::parameters();
    n.core.kernels = kernels;
    return n;
}
simulation_result run(void (*program)(device&), unsigned kernels) {
    auto const r = simulate<presets::gtx480>({busy, "busy.ptx", program}, several(kernels));
    CHECK(r.wrong == "");
    CHECK(r.verified);
    return r;
}

} // namespace

TEST_CASE("kernels of two streams run at once, each stream's in their order") {
    auto const after = run(two_streams, 1);
    auto const beside = run(two_streams, 4);
    CHECK(after.launches.size() == 4);
    CHECK(beside.launches.size() == 1); // they are counted together
    CHECK(beside.total.kernels == 4);
    CHECK(beside.total.core.warp_instructions == after.total.core.warp_instructions);
    CHECK(beside.total.cycles < after.total.cycles * 2 / 3);

    REQUIRE(beside.kernels.size() == 4);
    auto const& k = beside.kernels;
    CHECK(k[0].stream == 1);
    CHECK(k[1].stream == 2);
    CHECK(k[0].span.began == 0);
    CHECK(k[1].span.began == 0);
    CHECK(k[1].span.first_cta < k[0].span.ended);
    CHECK(k[2].span.began >= k[0].span.ended);
    CHECK(k[3].span.began >= k[1].span.ended);
    for (auto const& one : k) {
        CHECK(one.span.ctas == 4);
        CHECK(one.span.warp_instructions * 4 == beside.total.core.warp_instructions);
        CHECK(one.span.counted.core.warp_instructions == one.span.warp_instructions);
        CHECK(one.span.counted.cycles == one.span.ended - one.span.began);
        CHECK(one.span.ended <= beside.total.cycles);
    }
    // One after the other they have the same.
    REQUIRE(after.kernels.size() == 4);
    CHECK(after.kernels[3].stream == 2);
    CHECK(after.kernels[2].span.counted == after.launches[2].counters);
    CHECK(after.kernels[1].span.began == after.launches[0].counters.cycles);
    CHECK(after.kernels[3].span.ended == after.total.cycles);
}

TEST_CASE(
    "a program of the default stream takes the same cycles, however many kernels there may be at once") {
    auto const program = [](device& d) {
        auto const a = d.allocate<std::uint32_t>(cells);
        for (int k = 0; k < 3; ++k) launch(d, {}, a);
        check(d, a, 300);
    };
    auto const one = run(program, 1);
    auto const many = run(program, 32);
    CHECK(one.total == many.total);
    REQUIRE(many.launches.size() == 3);
    for (unsigned k = 0; k < 3; ++k) CHECK(one.launches[k].counters == many.launches[k].counters);
}

TEST_CASE("events, the host's waits and copies, and the default stream keep kernels apart") {
    auto const parted = [](void (*between)(device&, device_stream, device_stream)) {
        static void (*now)(device&, device_stream, device_stream);
        now = between;
        auto const r = run(
            [](device& d) {
                auto const a = d.allocate<std::uint32_t>(cells);
                auto const b = d.allocate<std::uint32_t>(cells);
                auto const one = d.create_stream();
                auto const other = d.create_stream();
                launch(d, one, a);
                now(d, one, other);
                launch(d, other, b);
                check(d, b, 100);
            },
            4);
        return r.kernels.back().span.began >= r.kernels.front().span.ended;
    };
    CHECK_FALSE(parted([](device&, device_stream, device_stream) {}));
    CHECK(parted([](device& d, device_stream one, device_stream other) { d.wait(other, d.record(one)); }));
    CHECK(parted([](device& d, device_stream one, device_stream) { d.synchronize(one); }));
    CHECK(parted([](device& d, device_stream, device_stream) { d.synchronize(); }));
    CHECK(parted([](device& d, device_stream, device_stream) {
        d.write(d.allocate<std::uint32_t>(1), std::vector<std::uint32_t>{1});
    }));
    CHECK(parted(
        [](device& d, device_stream, device_stream) { launch(d, {}, d.allocate<std::uint32_t>(cells)); }));
}

TEST_CASE("what ran at once is reported by kernel and by stream") {
    auto const r = run(two_streams, 2);
    auto const streams = report::streams_of(r.kernels);
    REQUIRE(streams.size() == 2);
    CHECK(streams[0].stream == 1);
    CHECK(streams[1].stream == 2);
    for (auto const& s : streams) {
        CHECK(s.kernels == 2);
        CHECK(s.ctas == 8);
        CHECK(s.began == 0);
        CHECK(s.busy_cycles <= s.ended);
        CHECK(s.ipc() * static_cast<double>(s.ended) == Approx(s.warp_instructions));
    }
    report::run_record record;
    record.numbers = several(2);
    record.counters = r.total;
    record.kernels = r.kernels;
    report::json_writer json;
    append_json(json, record);
    std::string const text(json.text());
    CHECK(text.find("\"streams\"") != std::string::npos);
    CHECK(text.find("\"ipc\"", text.find("\"streams\"")) != std::string::npos);
    CHECK(text.find("\"first_cta\"") != std::string::npos);
    auto const csv = report::to_csv({record});
    CHECK(csv.find("kernel_name,stream,kernel_began,kernel_ended") != std::string::npos);
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 1 + 4);

    record.kernels.clear();
    CHECK(report::to_csv({record}).find("kernel_name") == std::string::npos);
}

TEST_CASE("traces of two streams run at once, unless the host copies between them") {
    auto const folder = std::filesystem::temp_directory_path() /
                        ("warpkit streams " + std::to_string(std::random_device()()));
    std::filesystem::create_directory(folder);
    auto const write = [&](std::string const& name, std::string const& text) {
        std::ofstream(folder / name) << text;
    };
    for (int k = 1; k <= 2; ++k) {
        std::string lines;
        for (int i = 0; i < 200; ++i) lines += "0000 ffffffff 1 R1 IMAD 2 R1 R1 0\n";
        write(
            "kernel-" + std::to_string(k) + ".traceg",
            "-kernel name = k\n-kernel id = " + std::to_string(k) +
                "\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n-binary version = "
                "70\n-cuda stream id = " +
                std::to_string(94321843209216 + k) +
                "\n-accelsim tracer version = 3\n\n#traces format = PC mask ...\n\n#BEGIN_TB\n\nthread block "
                "= 0,0,0\n\nwarp = 0\ninsts = 201\n" +
                lines + "0010 ffffffff 0 EXIT 0 0\n\n#END_TB\n");
    }
    for (std::string const between : {"", "MemcpyHtoD,0x00007f2000000000,4096\n"}) {
        write("kernelslist.g", "kernel-1.traceg\n" + between + "kernel-2.traceg\n");
        accelsim::trace_program program((folder / "kernelslist.g").string(), accelsim::codecs());
        auto const result = simulate(engine::of<presets::gtx480>(several(8)), program);
        REQUIRE(result.kernels.size() == 2);
        CHECK(result.kernels[0].stream == 1);
        CHECK(result.kernels[1].stream == 2);
        CHECK((result.kernels[1].span.began < result.kernels[0].span.ended) == between.empty());
        CHECK(result.launches.size() == (between.empty() ? 1 : 2));
        auto const one_by_one = simulate(engine::of<presets::gtx480>(several(1)), program);
        CHECK(one_by_one.kernels[1].stream == 2);
        CHECK(one_by_one.total.core.warp_instructions == result.total.core.warp_instructions);
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("sampling refuses kernels at once") {
    auto machine = engine::of<presets::gtx480>(several(2));
    machine.sample({});
    host_program const program{busy, "busy.ptx", two_streams};
    CHECK_THROWS_WITH(simulate(machine, program), Catch::Contains("core.kernels=1"));
}

TEST_CASE("kernels that share cores: whose limit or control bits forbid it is told, and all else is counted "
          "by kernel") {
    using sharing = presets::gtx480::with<use::kernel_dispatch<smk>>;
    host_program const program{busy, "busy.ptx", two_streams};
    auto const r = simulate<sharing>(program, several(4));
    CHECK(r.wrong == "");
    REQUIRE(r.kernels.size() == 4);
    for (auto const& k : r.kernels) {
        CHECK(k.span.counted.core.warp_instructions * 4 == r.total.core.warp_instructions);
        CHECK(k.span.counted.core.thread_instructions * 4 == r.total.core.thread_instructions);
        CHECK(k.span.counted.core.memory_instructions * 4 == r.total.core.memory_instructions);
        CHECK(k.span.counted.core.ctas == 4);
        CHECK(k.span.counted.cycles == k.span.ended - k.span.began);
    }
    using limited = sharing::with<use::occupancy_limit<lcs>>;
    CHECK_THROWS_WITH(simulate<limited>(program, several(4)), Catch::Contains("kernels are to share cores"));
    CHECK_NOTHROW(simulate<limited>(program, several(1))); // there is but one
}
