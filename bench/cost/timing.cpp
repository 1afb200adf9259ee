// What .ci/cost measures: a gtx480 under gto, on kernels without any PTX. It is also the unit by which the compile-time
// budget is held: a preset, a policy and a kernel of the builder, as a user would write them.
//
//     timing [--full] [kernel]          a line per kernel and phase; under callgrind, a dump for each
//
// Phases are functions that are never inlined, so that callgrind can tell them apart.

#include <warpkit/config/presets.hpp>
#include <warpkit/frontend/builder.hpp>
#include <warpkit/gpu/gpu.hpp>

#include "measured.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <utility>
#include <vector>

namespace {

using namespace warpkit;
using machine = presets::gtx480::with<use::warp_scheduler<gto>>;

constexpr unsigned threads = 256;
constexpr unsigned warps = threads / lanes;
using script = void (*)(kernel_builder::warp_writer&, std::uint64_t warp);

// The first instructions of a kernel that a CUDA compiler makes: who am I, where is my data.
void who_am_i(kernel_builder& k) {
    k.op(op_class::int_add, {1});
    k.op(op_class::int_add, {6});
    k.op(op_class::int_add, {3});
    k.op(op_class::int_mad, {6}, {6, 3});
    k.op(op_class::int_add, {16}, {6});
    k.op(op_class::other);
    k.op(op_class::int_add, {7});
}

// Addresses of arrays of four-byte elements, far from each other, thread by thread.
std::uint64_t element(unsigned array, std::uint64_t warp, unsigned lane) {
    return 0xC0000000 + array * 0x10000000ULL + (warp * lanes + lane) * 4;
}

// 200 multiply-adds in four chains, on one load and to one store.
script compute(kernel_builder& k) {
    who_am_i(k);
    k.op(op_class::int_mad, {2}, {6, 7});
    k.load(memory_space::global, 4, {8}, {2});
    for (register_id r = 12; r < 16; ++r) k.op(op_class::int_add, {r});
    for (unsigned i = 0; i < 200; ++i) {
        auto const r = static_cast<register_id>(12 + i % 4);
        k.op(op_class::fp_mad, {r}, {r, 8, r});
    }
    k.op(op_class::fp_add, {12}, {12, 13});
    k.op(op_class::fp_add, {14}, {14, 15});
    k.op(op_class::fp_add, {12}, {12, 14});
    k.op(op_class::int_mad, {4}, {6, 7});
    k.store(memory_space::global, 4, {4, 12});
    k.exit();
    return [](kernel_builder::warp_writer& out, std::uint64_t warp) {
        out.straight([&](std::uint32_t i, unsigned lane) { return element(i > 100, warp, lane); });
    };
}

// Two loads, a sum, a store.
script vecadd(kernel_builder& k) {
    who_am_i(k);                               // 0 to 6
    k.op(op_class::int_mad, {2}, {6, 7});      // 7
    k.op(op_class::int_mad, {4}, {6, 7});      // 8
    k.load(memory_space::global, 4, {8}, {2}); // 9
    k.load(memory_space::global, 4, {9}, {4}); // 10
    k.op(op_class::int_mad, {10}, {6, 7});
    k.op(op_class::int_add, {9}, {8, 9});
    k.store(memory_space::global, 4, {10, 9}); // 13
    k.exit();
    return [](kernel_builder::warp_writer& out, std::uint64_t warp) {
        out.straight([&](std::uint32_t i, unsigned lane) {
            return element(i == 9 ? 0 : i == 10 ? 1 : 2, warp, lane);
        });
    };
}

// Each lane of each load reads a line of its own, of so many.
constexpr unsigned gathers = 4;
template <std::uint64_t Lines>
script gather(kernel_builder& k) {
    k.load(memory_space::global, 4, {1}, {1});
    k.op(op_class::int_add, {1}, {1});
    k.op(op_class::int_add, {2}, {2});
    k.branch(0);
    k.exit();
    return [](kernel_builder::warp_writer& out, std::uint64_t warp) {
        auto const start = hasher::mix(warp);
        for (unsigned i = 0; i < gathers; ++i) {
            out.access(0, [&](unsigned lane) {
                return 0xC0000000 + hasher::mix(start + i * lanes + lane) % Lines * 128;
            });
            out.step(1);
            out.step(2);
            if (i + 1 < gathers) out.step(3);
        }
        out.step(4);
    };
}

struct workload {
    char const* name;
    unsigned ctas;     // for counting
    unsigned all_ctas; // --full
    script (*write)(kernel_builder&);
};
constexpr workload workloads[] = {
    {"compute", 30, 120, compute},
    {"vecadd", 60, 240, vecadd},
    {"gather_dram", 10, 40, gather<1U << 19>}, // 64 MB
    {"gather_l2", 20, 80, gather<1500>},       // 192 kB
};

// ---- The phases

[[gnu::noinline]] void phase_streams(kernel_launch const& launch, std::vector<cta_stream>& out) {
    for (std::uint64_t cta = 0; cta < out.size(); ++cta) {
        out[cta].reset(launch.warps_per_cta());
        launch.fill(launch.source, cta, out[cta]);
    }
}
[[gnu::noinline]] void phase_timing(gpu<machine::policies>& g, kernel_launch const& launch,
                                    run_counters& out) {
    out = g.run(launch);
}

void report(char const* phase, char const* name, run_counters const& r, std::clock_t time) {
    std::printf("%s %s %llu %llu %llu %.6f\n", phase, name,
                static_cast<unsigned long long>(r.core.warp_instructions),
                static_cast<unsigned long long>(r.core.transactions),
                static_cast<unsigned long long>(r.cycles), static_cast<double>(time) / CLOCKS_PER_SEC);
}

void run(workload const& w, bool full) {
    kernel_builder k(w.name);
    auto const write = w.write(k);
    k.grid = {full ? w.all_ctas : w.ctas, 1, 1};
    k.block = {threads, 1, 1};
    k.script = [write](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& out) {
        write(out, cta * warps + warp);
    };
    auto launch = k.launch();
    std::vector<cta_stream> streams(launch.ctas());
    auto start = std::clock();
    phase_streams(launch, streams);
    end_of_phase();
    auto const filling = std::clock() - start;
    launch.source = &streams;
    launch.fill = [](void* all, std::uint64_t cta, cta_stream& out) {
        std::swap(out, (*static_cast<std::vector<cta_stream>*>(all))[cta]);
    };
    gpu<machine::policies> g(machine::parameters());
    run_counters r;
    start = std::clock();
    phase_timing(g, launch, r);
    end_of_phase();
    auto const timing = std::clock() - start;
    report("streams", w.name, r, filling);
    report("timing", w.name, r, timing);
}

} // namespace

int main(int argc, char** argv) try {
    bool const full = argc > 1 && std::strcmp(argv[1], "--full") == 0;
    char const* const only = argc > 1 + full ? argv[1 + full] : nullptr;
    std::puts("compiler " WARPKIT_COST_COMPILER);
    for (auto const& w : workloads)
        if (only == nullptr || std::strcmp(only, w.name) == 0) run(w, full);
} catch (std::exception const& e) {
    std::fprintf(stderr, "timing: %s\n", e.what());
    return 1;
}
