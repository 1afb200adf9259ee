#include "kernels/host.hpp"
#include "latency.ptx.hpp"

#include <numeric>

namespace warpkit::kernels::latency {
namespace {

constexpr parameter chase_parameters[] = {
    {"lines", "lines", "of the chain, in random order; in shared memory 1024 words at most", 64, 4096, 1,
     1u << 20},
    {"stride", "words", "of 4 bytes from line to line", 32, 512, 1, 1u << 18},
    {"first", "words", "in front of the chain: which L2 slice a single line lies in", 0, 0, 0, 1u << 22},
    {"hops", "loads", "one behind the other", 128, 4096, 1, 1u << 24},
    {"warm", "", "1: a launch before reads all lines, its threads at once, so that the L2 has them", 0, 0, 0,
     1},
    {"shared", "", "1: the chain is in shared memory", 0, 0, 0, 1},
    seed,
};

void run_chase(device& d, values const& v) {
    bool const shared = v.u32("shared") != 0;
    auto const words = shared ? 1U : v.u32("stride");
    auto const lines = shared ? std::min(v.u32("lines"), 1024U) : v.u32("lines");
    auto const hops = static_cast<std::int32_t>(v.u32("hops"));
    if (std::uint64_t{words} * lines > 1U << 28)
        throw error({"chase: lines * stride = ", std::uint64_t{words} * lines,
                     " words is more than the 268435456 that it keeps; make one of them smaller"});
    random_numbers random(v["seed"]);
    std::vector<std::int32_t> next(std::max<std::size_t>(std::size_t{words} * lines, 1024));
    std::vector<std::uint32_t> order(lines); // one cycle through all of them (Sattolo)
    std::iota(order.begin(), order.end(), 0U);
    for (auto i = lines; i-- > 1;) std::swap(order[i], order[random.below(i)]);
    for (std::uint32_t i = 0; i < lines; ++i)
        next[std::size_t{order[i]} * words] = static_cast<std::int32_t>(order[(i + 1) % lines] * words);
    std::vector<std::int32_t> expected(1);
    for (std::int32_t h = 0; h < hops; ++h) expected[0] = next[static_cast<std::size_t>(expected[0])];

    auto const before = v.u32("first");
    next.insert(next.begin(), before, 0);
    auto chain = d.upload(next);
    chain.address += before * sizeof(std::int32_t);
    auto const last = d.allocate<std::int32_t>(1);
    auto const all = static_cast<std::int32_t>(lines), stride = static_cast<std::int32_t>(words);
    if (shared) {
        d.launch("chase_shared", {1}, {1024}, 0, chain, all, hops, last);
    } else {
        if (v.u32("warm") != 0) d.launch("chase", {1}, {1024}, 0, chain, all, stride, 0, last);
        d.launch("chase", {1}, {32}, 0, chain, 0, stride, hops, last);
    }
    check_equal(v, "last", d.download(last), expected);
}

constexpr parameter chain_parameters[] = {
    {"what", "",
     "0: f32, 1: s32, 2: f64, 3: ex2; mma m16n8 4: k8 of f16, 5: k16 of f16, 6: k8 of tf32, 7: k32 of s8", 0,
     0, 0, 7},
    {"count", "", "of 64 instructions each", 4, 64, 1, 1u << 16},
    seed,
};

template <class T, class Next>
void run_chain(device& d, values const& v, char const* kernel, T x, T y, Next next) {
    std::vector<T> expected{x};
    for (std::uint32_t i = 0; i < 64 * v.u32("count"); ++i) expected[0] = next(expected[0], y);
    auto const at = d.upload(std::vector<T>{x});
    d.launch(kernel, {1}, {1}, 0, at, y, v.u32("count"));
    check_equal(v, "x", d.download(at), expected);
}
template <class T>
void run_products(device& d, values const& v, char const* kernel, std::uint32_t a, std::uint32_t b, T each) {
    auto const x = d.allocate<T>(32);
    d.launch(kernel, {1}, {32}, 0, x, a, b, v.u32("count"));
    // Four elements of D, of which each has `each` more from every product.
    std::vector<T> const expected(32, static_cast<T>(64 * v.u32("count")) * 4 * each);
    check_equal(v, "x", d.download(x), expected);
}

void run_chains(device& d, values const& v) {
    switch (v.u32("what")) {
    case 0:
        return run_chain(d, v, "chain_f32", 1.0f, 0.5f, [](float x, float y) { return std::fma(x, y, y); });
    case 1:
        return run_chain(d, v, "chain_s32", 0, 3, [](int x, int y) { return x + y; });
    case 2:
        return run_chain(d, v, "chain_f64", 1.0, 0.5, [](double x, double y) { return std::fma(x, y, y); });
    case 3:
        return run_chain(d, v, "chain_ex2", 0.0f, 0.0f, [](float x, float) { return std::exp2(x); });
    case 4: // halves 1 and 1/8, two of them in a register
        return run_products(d, v, "products_f16_k8", 0x3c003c00, 0x30003000, 1.0f);
    case 5: // 1 and 1/16
        return run_products(d, v, "products_f16_k16", 0x3c003c00, 0x2c002c00, 1.0f);
    case 6: // 1 and 1/8
        return run_products(d, v, "products_tf32_k8", 0x3f800000, 0x3e000000, 1.0f);
    default: // 1 and 1
        return run_products(d, v, "products_s8_k32", 0x01010101, 0x01010101, 32);
    }
}

constexpr workload shipped[] = {
    {
        .name = "chase",
        .title = "pointer chase by one thread",
        .origin = "the microbenchmarks of memory latency",
        .input = "a chain through all lines in random order",
        .differs =
            "Two runs of different `hops` tell what a load takes: their cycles' difference by that of "
            "their hops. Like the benchmarks that chase indices, a hop is a load and the computation of "
            "an address, in PTX a multiplication and an addition.",
        .ptx = latency_ptx,
        .ptx_name = "latency.ptx",
        .parameters = chase_parameters,
        .run = run_chase,
    },
    {
        .name = "chain",
        .title = "instructions of one warp, each of which waits for the one before",
        .origin = "the microbenchmarks of instruction latency",
        .input = "constants",
        .differs =
            "Two runs of different `count` tell what an instruction takes. The loop is taken once for 64.",
        .ptx = latency_ptx,
        .ptx_name = "latency.ptx",
        .parameters = chain_parameters,
        .run = run_chains,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::latency
