// `lab kernels`: the page on the shipped kernels, from what they say of themselves and from running them functionally.
#include <warpkit/report/text.hpp>

#include "kernels/functional.hpp"
#include "lab.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>

namespace lab {

using namespace warpkit;
using kernels::paper;
using report::alignment;
using report::with_thousands;

namespace {

constexpr char const* introduction = R"(# The shipped kernels

Up to the heading "Measured", this page is the output of `lab kernels`, and a test holds it against that.

CUDA kernels of our own in `examples/kernels/`, a folder for each suite that their originals come from. Each is three
files: `NAME.cu`, the device code; `NAME.ptx`, what clang 14 makes of it, committed, so that no CUDA and no clang is
needed to run it; `NAME.cpp`, the host program that makes the input, launches, and checks what is left in memory. One
line in `CMakeLists.txt` adds them. None is anyone else's source: each is written anew for what the original does to a
machine, its launch shape, its use of shared memory and its pattern of addresses.

They are the library `warpkit_kernels`, with the PTX text inside it:

```cpp
#include <kernels/workload.hpp>

for (auto const* w : warpkit::kernels::all()) {
    warpkit::kernels::values v(*w, warpkit::kernels::size::small);
    v.set("seed", 7);
    w->run(device, v); // throws warpkit::error when a value is wrong
}
```

**Parameters.** Everything that shapes an input or a launch is a parameter with a range and two defaults: *small*, for
trying things out, and *full*, the size at which papers run the program it stands for, or as much of it as a simulator
runs in about a minute. What is outside the range is refused with the range named.

**Inputs** come from `seed` by splitmix64 and distributions of our own, so that they are the same with every compiler and
standard library. Those of the papers' programs that read files are replaced by generated ones of the same shape.

**The check** is exact, for floating point too: the host does the kernel's operations in the kernel's order, with
`std::fma` where the kernel says `fmaf`; clang is told to fuse nothing else. Only where a kernel uses approximate functions (`ex2.approx` and its like), a
tolerance is given. A wrong element ends the run with the kernel, the array, the index, the value found and the one
expected; `tests/frontend/kernels.cpp` breaks one instruction of each kernel's PTX and demands that its check sees it.

**Remaking the PTX.** `examples/kernels/make_ptx.sh` holds the one command. It gives clang a small header of ours
(`cuda.hpp`) and an empty directory for CUDA's, so neither a toolkit nor a machine's paths get into the text. The test
`kernels_remake` does this wherever a clang with the nvptx64 target is found: with clang 14 the text must be the committed
one to the byte; with any, all kernels must run and verify with it. `run_kernels`, built with the tests, does the running:
functionally, without a timing model; at the papers' sizes with `--full`, on several host threads with `--threads`. A
first line `// make_ptx:` names another target than sm_70; for what clang 14 does not know, such as sm_90a, "as" stands
before what the text is to say, since only `asm` statements need it.

**Units that not every machine has.** What needs bulk copies (TMA), products of warpgroups (wgmma), tensor memory
(tcgen05) or clusters of several CTAs says so below. Commands over all kernels or over a suite leave it out of machines
that lack them, with a note; named itself, it is run, and refused with the instruction and its line.

## What there is

A suite's name stands for all of its kernels: `lab run --kernel rodinia`. Rows are those of the papers' tables: OWL's and
ELF's Table 2, the theses on multithreading degree (2014, Tables 1 and 2) and on address pre-computation (2016, Table 4.2).

)";

std::string text(std::string_view s) { return std::string(s); }
std::string code(std::string_view s) { return '`' + text(s) + '`'; }

std::string shape(dim3 d) {
    auto s = with_thousands(d.x);
    if (d.y != 1 || d.z != 1) s += " x " + with_thousands(d.y);
    if (d.z != 1) s += " x " + with_thousands(d.z);
    return s;
}

char const* name_of(paper in) {
    switch (in) {
    case paper::owl:
        return "OWL";
    case paper::elf:
        return "ELF";
    case paper::degree:
        return "degree";
    case paper::precomputation:
        return "pre-computation";
    }
    return "";
}

// "OWL BFSR, ELF BFS", each once.
std::string rows_of(kernels::workload const& w) {
    std::vector<std::string> rows;
    for (auto const& r : w.rows) {
        auto const row = name_of(r.in) + (' ' + text(r.label));
        if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
    }
    std::string all;
    for (auto const& r : rows) all += (all.empty() ? "" : ", ") + r;
    return all;
}

// The launches of one kernel in a run.
struct launches {
    std::string kernel;
    dim3 block;
    dim3 least, most; // grids
    std::uint64_t count = 0;
};

std::vector<launches> by_kernel(std::vector<launch_request> const& requests) {
    std::vector<launches> all;
    for (auto const& r : requests) {
        auto at = std::find_if(all.begin(), all.end(),
                               [&](launches const& l) { return l.kernel == r.kernel && l.block == r.block; });
        if (at == all.end()) at = all.insert(all.end(), {r.kernel, r.block, r.grid, r.grid, 0});
        if (r.grid.count() < at->least.count()) at->least = r.grid;
        if (r.grid.count() > at->most.count()) at->most = r.grid;
        ++at->count;
    }
    return all;
}

// The launch that a workload begins with at full size.
launch_request first_at_full(kernels::workload const& w) {
    struct stop {};
    launch_request first;
    device d([&](device_memory&, launch_request const& request) {
        first = request;
        throw stop{};
    });
    try {
        w.run(d, kernels::values(w, kernels::size::full));
    } catch (stop) {}
    return first;
}

void print_suites() {
    for (auto const& suite : kernels::suites()) {
        std::cout << "### " << suite.name << "\n\n";
        report::text_table t({{"kernel", alignment::left, {}},
                              {"what it does", alignment::left, {}},
                              {"stands for", alignment::left, {}},
                              {"rows", alignment::left, {}},
                              {"warp instructions, small", alignment::right, {}}});
        report::text_table shapes({{"kernel", alignment::left, {}},
                                   {"entry", alignment::left, {}},
                                   {"CTA", alignment::right, {}},
                                   {"CTAs, small", alignment::right, {}},
                                   {"launches, small", alignment::right, {}},
                                   {"first launch, full", alignment::right, {}}});
        for (auto const* w : suite.workloads) {
            kernels::functional_device machine(w->ptx, w->ptx_name);
            w->run(machine.device(), kernels::values(*w));
            t.add_row({code(w->name), text(w->title), text(w->origin), rows_of(*w),
                       with_thousands(machine.warp_instructions())});
            auto const full = first_at_full(*w);
            bool first = true;
            for (auto const& l : by_kernel(machine.launches())) {
                shapes.add_row({first ? code(w->name) : "", code(l.kernel), shape(l.block),
                                shape(l.least) + (l.least == l.most ? "" : " to " + shape(l.most)),
                                with_thousands(l.count),
                                first ? shape(full.grid) + " of " + shape(full.block) : ""});
                first = false;
            }
        }
        t.print_markdown(std::cout);
        std::cout << '\n';
        shapes.print_markdown(std::cout);
        std::cout << '\n';
    }
}

// " Needs bulk copies and products of warpgroups."; nothing if it needs none.
std::string units_of(kernels::workload const& w) {
    std::string text;
    auto const add = [&](bool needed, char const* what) {
        if (needed) text.append(text.empty() ? " Needs " : " and ").append(what);
    };
    add(w.needs.bulk_copies, "bulk copies");
    add(w.needs.group_products, "products of warpgroups");
    add(w.needs.tensor_memory, "tensor memory");
    add(w.needs.clusters, "clusters of CTAs");
    auto const shared = std::to_string(w.needs.shared_bytes / 1024) + " KiB of shared memory";
    add(w.needs.shared_bytes != 0, shared.c_str());
    return text.empty() ? text : text + '.';
}

void print_inputs() {
    std::cout << "## Inputs, and how they differ from what they stand for\n\n";
    for (auto const* w : kernels::all())
        std::cout << "* " << code(w->name) << ": " << w->input << ". " << w->differs << units_of(*w) << '\n';
}

void print_parameters() {
    std::cout
        << "\n## Parameters\n\nSmall / full, then the range. Every kernel has `seed` as well (1 / 1).\n\n"
           "| kernel | parameters |\n|---|---|\n";
    for (auto const* w : kernels::all()) {
        std::string all;
        for (auto const& p : w->parameters) {
            if (p.name == "seed") continue;
            all += (all.empty() ? "" : "; ") + code(p.name) + ' ' + with_thousands(p.small) + " / " +
                   with_thousands(p.full) + " (" + with_thousands(p.minimum) + " to " +
                   with_thousands(p.maximum);
            if (auto const* rule = kernels::words(p.only); *rule != 0) all += std::string(", ") + rule;
            all += ')';
        }
        std::cout << "| " << code(w->name) << " | " << all << " |\n";
    }
}

// "`bfs`, `x`" of the workloads that stand for a row; "none" if there is none.
std::string standing_for(paper in, std::string_view label) {
    std::string all;
    for (auto const* w : kernels::all())
        if (std::any_of(w->rows.begin(), w->rows.end(),
                        [&](kernels::paper_row const& r) { return r.in == in && r.label == label; }))
            all += (all.empty() ? "" : ", ") + code(w->name);
    return all.empty() ? "-" : all;
}

void print_rows() {
    std::cout << "\n## Rows of the papers, and what stands for them\n\n";
    report::text_table t({{"table", alignment::left, {}},
                          {"row", alignment::left, {}},
                          {"application", alignment::left, {}},
                          {"kernel", alignment::left, {}}});
    auto const add = [&](paper in, char const* table, std::string_view label, std::string_view application) {
        t.add_row({table, text(label), text(application), standing_for(in, label)});
    };
    for (auto const& r : kernels::owl_table_2) add(paper::owl, "OWL, 2", r.label, r.application);
    std::string_view before;
    for (auto const& r : kernels::elf_table_2) {
        if (r.label != before) add(paper::elf, "ELF, 2", r.label, r.application);
        before = r.label;
    }
    for (auto const& r : kernels::degree_tables)
        add(paper::degree, r.table == 1 ? "degree, 1" : "degree, 2", r.label, "");
    for (auto const& r : kernels::precomputation_table)
        add(paper::precomputation, "pre-computation, 4.2", r.label, r.application);
    t.print_markdown(std::cout);
    std::cout << '\n';
}

} // namespace

void print_kernel_page() {
    std::cout << introduction;
    print_suites();
    print_inputs();
    print_parameters();
    print_rows();
}

} // namespace lab
