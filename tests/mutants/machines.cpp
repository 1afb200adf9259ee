/// Runs of whole machines for .ci/mutants: of each, whether it ended with an error of its own, whether both engines
/// tell and count the same, and what they counted.
///
///     mutant_machines --list
///     mutant_machines told:4 kernel:vecadd:gtx480

#include <warpkit/base/error.hpp>
#include <warpkit/report/counters.hpp>
#include <warpkit/report/text.hpp>

#include "mutants/checked.hpp"
#include "reference/both_engines.hpp"
#include "reference/random_pairs.hpp"

#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace warpkit;

/// What became of a run: `law` (it ended with an error), `parted`, `crash` or `counted`, and more about it.
struct outcome {
    std::string verdict;
    std::string text;
};

/// Machines of a seed, and what needs none.
std::string both_engines_on(std::string const& kind, std::string const& which) {
    using namespace reference_test;
    if (kind == "told") return told_machine(std::stoull(which));
    if (kind == "deaf") return deaf_machine(std::stoull(which));
    if (kind == "mesh") return mesh_machine(std::stoull(which));
    if (which == "forks") return forks();
    if (which == "strided_loads") return strided_loads();
    if (which == "arrivals_left_over") return arrivals_left_over();
    if (which == "late_parts") return late_parts();
    if (which == "copies_by_groups") return copies_by_groups();
    return replays_wait_for_room();
}

outcome both_engines(std::string const& kind, std::string const& which) {
    reference_test::counted_so_far() = {};
    auto const parted = both_engines_on(kind, which);
    for (auto const* const who : {"on both: ", "\nthe engine: ", "\nthe reference: "}) {
        auto const at = parted.find(who);
        if (at == std::string::npos) continue;
        auto const said = parted.substr(at + std::string(who).size());
        if (!said.empty() && said.front() != '\n') return {"law", said};
    }
    if (!parted.empty()) return {"parted", parted};
    return {"counted", report::hexadecimal(reference_test::counted_so_far().value())};
}

outcome kernel_on(std::string const& kernel, std::string const& preset, unsigned threads) {
    auto const numbers = mutants::numbers_of(preset);
    auto machine = mutants::fast_engine(numbers);
    if (threads > 1) machine.share(std::make_shared<worker_pool>(threads, beyond_cores::as_told));
    auto const fast = mutants::run(machine, kernel);
    auto const plain = mutants::run(mutants::plain_engine(numbers), kernel);
    auto const parted = report::differences(fast.total, plain.total);
    if (!parted.empty()) return {"parted", parted.front().counter->name};
    report::fingerprint counted;
    for (auto const& launch : fast.launches) counted.add(launch.counters);
    return {"counted", report::hexadecimal(counted.value())};
}

outcome run(std::string const& name) {
    auto const first = name.find(':');
    auto const kind = name.substr(0, first);
    auto const rest = name.substr(first + 1);
    try {
        if (kind != "kernel" && kind != "threads") return both_engines(kind, rest);
        auto const second = rest.find(':');
        return kernel_on(rest.substr(0, second), rest.substr(second + 1), kind == "threads" ? 2 : 1);
    } catch (error const& e) {
        return {"law", e.what()};
    } catch (std::exception const& e) { // of the standard library: nobody has thought of that
        return {"crash", e.what()};
    }
}

void list() {
    for (unsigned seed = 4; seed < 24; ++seed) std::cout << "told:" << seed << '\n';
    for (unsigned seed = 101; seed < 116; ++seed) std::cout << "deaf:" << seed << '\n';
    for (unsigned seed = 201; seed < 216; ++seed) std::cout << "mesh:" << seed << '\n';
    for (auto const* const one : {"forks", "strided_loads", "arrivals_left_over", "late_parts",
                                  "copies_by_groups", "replays_wait_for_room"})
        std::cout << "case:" << one << '\n';
    for (auto const* const kernel :
         {"vecadd", "reduction", "histogram", "bfs", "scan", "spmv", "transpose_tiled", "hotspot",
          "gemm_wmma", "gemm_pipelined", "kmeans", "pathfinder"})
        for (auto const* const preset : {"gtx480", "qv100"})
            std::cout << "kernel:" << kernel << ':' << preset << '\n';
    std::cout << "threads:vecadd:gtx480\nthreads:bfs:gtx480\n";
}

} // namespace

int main(int count, char** words) {
    std::vector<std::string> const names(words + 1, words + count);
    if (names.empty() || names[0] == "--help") {
        std::cout << "usage: mutant_machines --list | RUN...\n\nExample:\n  mutant_machines told:4 "
                     "kernel:vecadd:gtx480\n";
        return names.empty() ? 2 : 0;
    }
    if (names[0] == "--list") return list(), 0;
    for (auto const& name : names) {
        auto [verdict, text] = run(name);
        for (auto& c : text)
            if (c == '\n' || c == '\t') c = ' ';
        std::cout << name << '\t' << verdict << '\t' << text << std::endl;
    }
}
