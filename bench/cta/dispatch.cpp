// What dispatching a block costs, for every choice of block: 64 candidates, 15 cores of 8 resident blocks, all full.
//
//   bench_cta_dispatch                   ns per block: one finishes, the choice is asked, its answer is carried out
//   bench_cta_dispatch --markdown        the table of docs/explanation/performance.md, with instructions
//
// Rectangles come from made-up addresses, which cost a few instructions each; those of a real launch are evaluated by
// program/launch_addresses.hpp.
#include <warpkit/benchmark/dispatch.hpp>
#include <warpkit/cta/policies.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace warpkit;
using namespace warpkit::bench;

struct subject {
    std::string name;
    double (*nanoseconds)(shape const&);
    double (*instructions)(shape const&);
    void (*run)(benchmark::State&, shape const&);
};
template <class Choice>
subject subject_of(char const* name) {
    return {name,
            [](shape const& touched) {
                machine<Choice> m(Choice{}, touched);
                return nanoseconds([&] {
                           for (unsigned i = 0; i < 2000; ++i) m.once();
                       }) /
                       2000;
            },
            dispatch_instructions<Choice>,
            [](benchmark::State& state, shape const& touched) {
                machine<Choice> m(Choice{}, touched);
                for (auto _ : state) m.once();
                state.SetItemsProcessed(state.iterations());
            }};
}
std::vector<subject> const& subjects() {
    static std::vector<subject> const all = {subject_of<first_core>("(harness alone)"),
                                             subject_of<round_robin_dispatch>("round_robin_dispatch"),
                                             subject_of<consecutive_blocks<1>>("consecutive_blocks<1>"),
                                             subject_of<locality_aware_dispatch>("locality_aware_dispatch"),
                                             subject_of<from_scratch>("the same from scratch")};
    return all;
}

void print_markdown() {
    std::cout << "| choice of block";
    for (auto const* unit : {"ns, ", "instructions, "})
        for (auto const& k : shapes) std::cout << " | " << (&k == shapes ? unit : "") << k.name;
    std::cout << " |\n|---|---|---|---|---|---|---|---|---|---|---|\n" << std::fixed << std::setprecision(0);
    auto const& bare = subjects().front();
    for (auto const& s : subjects()) {
        std::cout << "| " << s.name;
        for (auto const& k : shapes) std::cout << " | " << s.nanoseconds(k);
        for (auto const& k : shapes)
            std::cout << " | " << s.instructions(k) - (&s == &bare ? 0 : bare.instructions(k));
        std::cout << " |\n";
        std::cout.flush();
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string(argv[1]) == "--markdown") {
        print_markdown();
        return 0;
    }
    for (auto const& s : subjects())
        for (auto const& k : shapes)
            benchmark::RegisterBenchmark(("dispatch/" + s.name + '/' + k.name).c_str(),
                                         [run = s.run, &k](benchmark::State& state) { run(state, k); });
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
}
