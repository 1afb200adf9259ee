// Two kernels in two streams, one bound by its arithmetic and one by the memory: each alone, then at once under each
// way to give them cores. Prints a table in Markdown.
#include <warpkit/config/dispatch.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/config/record.hpp>
#include <warpkit/report/multiprogram.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

char const* const kernels = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry arithmetic(.param .u64 cells, .param .u32 rounds)
{
.reg .pred %p<2>;
.reg .b32 %r<6>;
.reg .f32 %f<5>;
.reg .b64 %rd<3>;
ld.param.u64 %rd1, [cells];
ld.param.u32 %r1, [rounds];
mov.u32 %r2, %tid.x;
mov.u32 %r3, %ctaid.x;
mov.u32 %r4, %ntid.x;
mad.lo.u32 %r2, %r3, %r4, %r2;
mul.wide.u32 %rd2, %r2, 4;
add.s64 %rd1, %rd1, %rd2;
mov.f32 %f1, 0f3F800000;
mov.f32 %f2, 0f3F800000;
mov.f32 %f3, 0f3F800000;
mov.f32 %f4, 0f3F800000;
AGAIN:
fma.rn.f32 %f1, %f1, %f4, %f4;
fma.rn.f32 %f2, %f2, %f4, %f4;
fma.rn.f32 %f3, %f3, %f4, %f4;
fma.rn.f32 %f1, %f1, %f4, %f4;
fma.rn.f32 %f2, %f2, %f4, %f4;
fma.rn.f32 %f3, %f3, %f4, %f4;
sub.u32 %r1, %r1, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra AGAIN;
add.f32 %f1, %f1, %f2;
add.f32 %f1, %f1, %f3;
st.global.f32 [%rd1], %f1;
ret;
}
.visible .entry memory(.param .u64 cells, .param .u32 rounds, .param .u32 apart)
{
.reg .pred %p<2>;
.reg .b32 %r<7>;
.reg .f32 %f<4>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [cells];
ld.param.u32 %r1, [rounds];
ld.param.u32 %r5, [apart];
mov.u32 %r2, %tid.x;
mov.u32 %r3, %ctaid.x;
mov.u32 %r4, %ntid.x;
mad.lo.u32 %r2, %r3, %r4, %r2;
mul.wide.u32 %rd2, %r2, 4;
add.s64 %rd1, %rd1, %rd2;
cvt.u64.u32 %rd3, %r5;
AGAIN:
ld.global.f32 %f1, [%rd1];
add.f32 %f1, %f1, 0f3F800000;
st.global.f32 [%rd1], %f1;
add.s64 %rd1, %rd1, %rd3;
sub.u32 %r1, %r1, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra AGAIN;
ret;
}
)";

constexpr std::uint32_t threads = 256;
constexpr std::uint32_t ctas = 46 * 6 * 4;          // four times what the cores hold
constexpr std::uint32_t arithmetic_rounds = 60;     // of six multiplications
constexpr std::uint32_t memory_rounds = 4;          // of a load and a store
constexpr std::uint32_t apart = ctas * threads * 4; // bytes between a thread's accesses

using machine = presets::rtx3070::with<use::kernel_dispatch<any_kernel_dispatch>>;

struct which {
    bool arithmetic = true;
    bool memory = true;
};
simulation_result run(which w, std::string const& policy) {
    auto numbers = machine::parameters();
    numbers.core.kernels = 2;
    policy_values<machine::policies> values;
    values.kernel_dispatch = kernel_dispatch_named(policy);
    auto const engine = warpkit::engine::with_values<machine>(numbers, values);
    host_program const program{
        kernels, "two_kernels.ptx", [w](device& d) {
            auto const a = d.allocate<float>(ctas * threads);
            auto const m = d.allocate<float>(ctas * threads * memory_rounds);
            auto const one = d.create_stream(), other = d.create_stream();
            if (w.arithmetic)
                d.launch(one, "arithmetic", {ctas, 1, 1}, {threads, 1, 1}, 0, a, arithmetic_rounds);
            if (w.memory)
                d.launch(other, "memory", {ctas, 1, 1}, {threads, 1, 1}, 0, m, memory_rounds, apart);
            for (auto const x : d.download(m))
                if (x != (w.memory ? 1.0F : 0.0F)) throw error("a wrong value");
        }};
    auto const result = simulate(engine, program);
    if (!result.verified) throw error(result.wrong);
    return result;
}
std::uint64_t time_of(kernel_span const& s) { return s.ended - s.began; }

} // namespace

int main(int argc, char**) try {
    if (argc > 1) {
        std::puts("usage: two_kernels   two kernels at once on an RTX 3070, as a table");
        return 0;
    }
    auto const arithmetic = time_of(run({true, false}, "leftover").kernels.at(0).span);
    auto const memory = time_of(run({false, true}, "leftover").kernels.at(0).span);
    std::puts("| cores | arithmetic, cycles | memory, cycles | both, cycles | STP | ANTT |");
    std::puts("|---|---:|---:|---:|---:|---:|");
    auto const print = [&](char const* name, std::uint64_t a, std::uint64_t m, std::uint64_t both) {
        std::vector<report::shared_time> const times{{arithmetic, a}, {memory, m}};
        auto const n = [](std::uint64_t i) { return static_cast<unsigned long long>(i); };
        std::printf("| %s | %llu | %llu | %llu | %.2f | %.2f |\n", name, n(a), n(m), n(both),
                    report::system_throughput(times), report::average_normalised_turnaround(times));
    };
    print("one after the other", arithmetic, arithmetic + memory, arithmetic + memory);
    for (auto const* policy :
         {"leftover", "leftover:cores=shared", "spatial_multitasking", "kernel_round_robin", "smk"}) {
        auto const r = run({}, policy);
        print(policy, time_of(r.kernels.at(0).span), time_of(r.kernels.at(1).span), r.total.cycles);
    }
    return 0;
} catch (std::exception const& e) {
    std::fprintf(stderr, "two_kernels: %s\n", e.what());
    return 1;
}
