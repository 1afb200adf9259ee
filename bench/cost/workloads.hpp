#pragma once
// The kernels that are measured, without any PTX: a program of the builder each, and what its warps execute.

#include <warpkit/base/hash.hpp>
#include <warpkit/frontend/builder.hpp>

#include <cstdint>

namespace cost {

using namespace warpkit;

inline constexpr unsigned threads = 256;
inline constexpr unsigned warps = threads / lanes;
using script = void (*)(kernel_builder::warp_writer&, std::uint64_t warp);

// The first instructions of a kernel that a CUDA compiler makes: who am I, where is my data.
inline void who_am_i(kernel_builder& k) {
    k.op(op_class::int_add, {1});
    k.op(op_class::int_add, {6});
    k.op(op_class::int_add, {3});
    k.op(op_class::int_mad, {6}, {6, 3});
    k.op(op_class::int_add, {16}, {6});
    k.op(op_class::other);
    k.op(op_class::int_add, {7});
}

// Addresses of arrays of four-byte elements, far from each other, thread by thread.
inline std::uint64_t element(unsigned array, std::uint64_t warp, unsigned lane) {
    return 0xC0000000 + array * 0x10000000ULL + (warp * lanes + lane) * 4;
}

// 200 multiply-adds in four chains, on one load and to one store.
inline script compute(kernel_builder& k) {
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
inline script vecadd(kernel_builder& k) {
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

// Each lane of each load reads a line of its own, of so many; between two loads are so many multiply-adds in four
// chains.
inline constexpr unsigned gathers = 4;
template <std::uint64_t Lines, unsigned MultiplyAdds = 0>
script gather(kernel_builder& k) {
    k.load(memory_space::global, 4, {1}, {1});
    k.op(op_class::int_add, {1}, {1});
    for (unsigned i = 0; i < MultiplyAdds; ++i) {
        auto const r = static_cast<register_id>(12 + i % 4);
        k.op(op_class::fp_mad, {r}, {r, 10, r});
    }
    k.op(op_class::int_add, {2}, {2});
    k.branch(0);
    k.exit();
    return [](kernel_builder::warp_writer& out, std::uint64_t warp) {
        auto const start = hasher::mix(warp);
        for (unsigned i = 0; i < gathers; ++i) {
            out.access(0, [&](unsigned lane) {
                return 0xC0000000 + hasher::mix(start + i * lanes + lane) % Lines * 128;
            });
            for (std::uint32_t s = 1; s < MultiplyAdds + 3; ++s) out.step(s);
            if (i + 1 < gathers) out.step(MultiplyAdds + 3);
        }
        out.step(MultiplyAdds + 4);
    };
}

struct workload {
    char const* name;
    unsigned ctas;     // for counting
    unsigned all_ctas; // --full
    script (*write)(kernel_builder&);
};
inline constexpr workload workloads[] = {
    {"compute", 30, 120, compute},
    {"vecadd", 60, 240, vecadd},
    {"gather_dram", 10, 40, gather<1U << 19>}, // 64 MB
    {"gather_l2", 20, 80, gather<1500>},       // 192 kB
    // In which a gather's loads are as rare as in the one that Accel-Sim was measured on
    // (docs/model/peers.md#accel-sim-cost).
    {"rare_gather_dram", 10, 40, gather<1U << 19, 39>},
    {"rare_gather_l2", 20, 80, gather<1500, 21>},
};

/// A workload as a kernel of so many CTAs.
inline kernel_builder kernel_of(workload const& w, unsigned ctas) {
    kernel_builder k(w.name);
    auto const write = w.write(k);
    k.grid = {ctas, 1, 1};
    k.block = {threads, 1, 1};
    k.script = [write](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& out) {
        write(out, cta * warps + warp);
    };
    return k;
}

} // namespace cost
