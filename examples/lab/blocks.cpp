// What block scheduling goes by: `lab addresses` and `lab sharing`. Both execute the kernels without timing.
#include <warpkit/config/check.hpp>
#include <warpkit/config/preset_numbers.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/config/simulate_program.hpp>
#include <warpkit/cta/block_rectangles.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/row_sharing.hpp>
#include <warpkit/report/data_sharing.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/report/text.hpp>

#include "runs.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

namespace lab {

using namespace warpkit;
using report::alignment;
using report::text_table;

namespace {

// A launch whose CTAs can be executed, each once and in order.
struct functional_launch {
    std::string kernel;
    dim3 grid;
    static_program const& program;
    predicted_addresses const& addresses;
    std::function<void(std::uint64_t cta, cta_stream& out)> run;
};
void execute(subject const& s, std::function<void(functional_launch const&)> const& each) {
    ptx::launched_module module(s.ptx, s.ptx_name);
    device host_side([&](device_memory& memory, launch_request const& request) {
        auto const& kernel = module.prepare(memory, request);
        launch_addresses const addresses(kernel.slices, request.grid, request.block, request.arguments);
        ptx::executor executor(kernel.code, memory, request);
        each({request.kernel, request.grid, *executor.launch().program, addresses.view(),
              [&](std::uint64_t cta, cta_stream& out) { executor.run_cta(cta, out); }});
    });
    s.run(host_side);
}
// Calls f(instruction, address) for each lane of each access to global memory of a CTA.
template <class F>
void each_global_access(cta_stream const& cta, static_program const& program, F&& f) {
    for (auto const& s : cta.warps)
        for (stream_cursor c(s); !c.done();) {
            auto const i = c.instruction();
            bool const memory = program.instructions[i].is_memory();
            lane_addresses lane;
            auto const there = memory && c.mask() != 0 ? c.addresses_in(s, memory_space::global, lane) : 0;
            for (unsigned l = 0; l < lanes; ++l)
                if ((there >> l & 1U) != 0) f(i, lane[l]);
            c.advance(s, program.instructions[i]);
        }
}

gpu_parameters numbers_of(request const& what) {
    auto const wanted = what.presets.empty() ? std::string("gtx480") : what.presets.front();
    for (auto const* p : preset_numbers::all())
        if (p->name == wanted) {
            auto numbers = parameters(*p);
            change(numbers, what.settings);
            check(numbers);
            return numbers;
        }
    refuse_name("preset", wanted, preset_names());
}

// ---- addresses

enum class verdict : std::uint8_t { exact, covering, wrong, not_predicted };
char const* text_of(verdict v) {
    constexpr char const* texts[] = {"exact", "covering", "WRONG", "not predicted"};
    return texts[static_cast<unsigned>(v)];
}

struct access_account {
    predicted_access access;
    unsigned source_line = 0;
    verdict range = verdict::exact;
    std::uint64_t blocks = 0;  // that touch or are said to touch anything
    std::uint64_t touched = 0; // lines, summed over blocks
    std::uint64_t foretold = 0;
};
struct kernel_account {
    std::string workload;
    std::string kernel;
    std::uint64_t launches = 0;
    std::uint64_t blocks = 0;
    std::vector<access_account> accesses;
    std::uint64_t array_lines =
        0; // touched in arrays of which something is known, summed over blocks and arrays
    std::uint64_t rectangle_lines = 0; // in the rectangles that the dispatcher goes by
};

// Lines [first, last] of what a block touched with one access.
struct touched_lines {
    std::vector<std::uint64_t> all;
    void add(std::uint64_t address, std::uint64_t bytes, std::uint64_t line) {
        for (auto l = address / line; l <= (address + bytes - 1) / line; ++l)
            if (all.empty() || all.back() != l) all.push_back(l);
    }
    void sort() {
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
    }
};

void account_for(kernel_account& k, functional_launch const& launch, std::uint32_t line) {
    auto const& view = launch.addresses;
    ++k.launches;
    std::vector<std::uint32_t> access_of(launch.program.instructions.size(), ~0U);
    for (std::uint32_t a = 0; a < view.accesses(); ++a) access_of[view.access(a).instruction] = a;
    if (k.accesses.empty())
        for (std::uint32_t a = 0; a < view.accesses(); ++a) {
            access_account x;
            x.access = view.access(a);
            x.source_line = launch.program.instructions[x.access.instruction].source_line;
            k.accesses.push_back(x);
        }
    grid_began grid;
    grid.grid_x = launch.grid.x;
    grid.grid_y = launch.grid.y;
    grid.grid_z = launch.grid.z;
    grid.addresses = &view;
    grid.line = line;
    block_rectangles const rectangles(grid, {});
    cta_stream stream;
    std::vector<touched_lines> touched(view.accesses());
    for (std::uint64_t cta = 0; cta < launch.grid.count(); ++cta) {
        ++k.blocks;
        launch.run(cta, stream);
        for (auto& t : touched) t.all.clear();
        each_global_access(stream, launch.program, [&](std::uint32_t i, std::uint64_t address) {
            if (access_of[i] != ~0U)
                touched[access_of[i]].add(address, view.access(access_of[i]).bytes, line);
        });
        for (std::uint32_t a = 0; a < view.accesses(); ++a) {
            auto& t = touched[a];
            auto& x = k.accesses[a];
            t.sort();
            x.touched += t.all.size();
            if (!view.access(a).predictable) {
                x.range = verdict::not_predicted;
                continue;
            }
            auto const bytes = view.cta_range(a, cta);
            x.blocks += !bytes.empty() || !t.all.empty();
            auto v = verdict::exact;
            if (bytes.empty() || t.all.empty()) {
                if (bytes.empty() && !t.all.empty()) v = verdict::wrong;
                if (!bytes.empty() && t.all.empty()) v = verdict::covering;
            } else {
                auto const first = bytes.first / line;
                auto const last = (bytes.last - 1) / line;
                if (first > t.all.front() || last < t.all.back())
                    v = verdict::wrong;
                else if (first < t.all.front() || last > t.all.back())
                    v = verdict::covering;
                auto const r = view.cta_rectangle(a, cta, line);
                x.foretold += r.width * r.height;
            }
            if (x.range != verdict::not_predicted && v > x.range) x.range = v;
        }
        for (auto const& r : rectangles.of(cta)) k.rectangle_lines += r.width * r.height;
        for (std::uint32_t array = 0; array < view.arrays(); ++array) {
            touched_lines both;
            for (std::uint32_t a = 0; a < view.accesses(); ++a)
                if (view.access(a).array == array && view.access(a).predictable)
                    both.all.insert(both.all.end(), touched[a].all.begin(), touched[a].all.end());
            both.sort();
            k.array_lines += both.all.size();
        }
    }
}

std::string per_block(std::uint64_t lines, std::uint64_t blocks) {
    return blocks == 0 ? "-" : report::fixed(static_cast<double>(lines) / static_cast<double>(blocks), 1);
}

} // namespace

int addresses(request const& what, bool detail, bool markdown) {
    auto const line = numbers_of(what).l1d.line;
    text_table summary({{"kernel", alignment::left},
                        {"launches"},
                        {"blocks"},
                        {"accesses"},
                        {"exact"},
                        {"covering"},
                        {"not predicted"},
                        {"verdict", alignment::left},
                        {"lines touched", alignment::right, "per block"},
                        {"in rectangles", alignment::right, "per block"}});
    text_table accesses({{"kernel", alignment::left},
                         {"PTX line"},
                         {"access", alignment::left},
                         {"pattern", alignment::left},
                         {"blocks"},
                         {"lines touched", alignment::right, "per block"},
                         {"in rectangle", alignment::right, "per block"},
                         {"verdict", alignment::left}});
    bool good = true;
    for (auto const& s : subjects_of(what)) {
        std::vector<kernel_account> all;
        execute(s, [&](functional_launch const& launch) {
            auto k = std::find_if(all.begin(), all.end(),
                                  [&](auto const& x) { return x.kernel == launch.kernel; });
            if (k == all.end()) {
                all.emplace_back();
                k = all.end() - 1;
                k->kernel = launch.kernel;
            }
            account_for(*k, launch, line);
        });
        for (auto const& k : all) {
            auto const name = k.kernel == s.name ? s.name : s.name + ": " + k.kernel;
            std::uint64_t count[4]{};
            for (auto const& x : k.accesses) {
                ++count[static_cast<unsigned>(x.range)];
                auto const& a = x.access;
                auto const pattern = a.pattern == address_pattern::uniform    ? "uniform"
                                     : a.pattern == address_pattern::affine   ? "affine"
                                     : a.pattern == address_pattern::computed ? "computed"
                                                                              : "unknown";
                accesses.add_row({name, std::to_string(x.source_line),
                                  a.reads && a.writes ? "atomic"
                                  : a.reads           ? "load"
                                                      : "store",
                                  pattern, std::to_string(x.blocks),
                                  per_block(x.touched, x.blocks == 0 ? k.blocks : x.blocks),
                                  a.predictable ? per_block(x.foretold, x.blocks) : "-", text_of(x.range)});
            }
            auto const known = k.accesses.size() - count[3];
            auto const verdict = count[2] != 0   ? "WRONG"
                                 : known == 0    ? "not affine"
                                 : count[3] != 0 ? "in part not affine"
                                 : count[1] != 0 ? "covering"
                                                 : "exact";
            good = good && count[2] == 0;
            summary.add_row({name, std::to_string(k.launches), std::to_string(k.blocks),
                             std::to_string(k.accesses.size()), std::to_string(count[0]),
                             std::to_string(count[1]), std::to_string(count[3]), verdict,
                             per_block(k.array_lines, k.blocks), per_block(k.rectangle_lines, k.blocks)});
        }
    }
    print_table("addresses", detail ? accesses : summary, markdown);
    if (!good) std::cerr << "lab: a block touched lines that were not foretold\n";
    return good ? 0 : 1;
}

int sharing(request const& what, std::string const& picture, bool markdown) {
    auto const numbers = numbers_of(what);
    dram::address_mapping const map(numbers.address_mapping.c_str(), numbers.memory.channels,
                                    numbers.memory.slices);
    auto files = files_of(what);
    auto const subjects = subjects_of(what, &files);
    bool const alone = is_standard_output(picture); // so no table goes there
    bool const pgm = picture.size() > 4 && picture.substr(picture.size() - 4) == ".pgm";
    bool const svg = alone || (picture.size() > 4 && picture.substr(picture.size() - 4) == ".svg");
    if (!picture.empty() && !svg && !pgm)
        throw error("--picture " + picture +
                    ": the name must end in .svg or .pgm; - is an SVG on standard output");
    if (!picture.empty() && subjects.size() != 1)
        throw error("--picture " + picture + ": say with --kernel of which one kernel");

    text_table table({{"kernel", alignment::left},
                      {"launches"},
                      {"blocks"},
                      {"lines"},
                      {"shared", alignment::right, "%"},
                      {"blocks", alignment::right, "per line"},
                      {"distance", alignment::right, "most common"},
                      {"its share", alignment::right, "%"},
                      {"blocks", alignment::right, "per row"},
                      {"consecutive", alignment::right, "% of a row's"}});
    struct account {
        std::string name;
        std::uint64_t launches = 0;
        std::uint64_t blocks = 0;
        std::uint64_t lines = 0;
        std::uint64_t shared = 0;
        std::uint64_t touches = 0;
        std::map<std::uint64_t, std::uint64_t> distances;
        std::uint64_t rows = 0;
        double per_row = 0;
        double consecutive = 0;
    };
    std::optional<report::data_sharing> drawn; // the launch with most lines
    std::string drawn_name;
    for (auto const& s : subjects) {
        std::vector<account> all;
        execute(s, [&](functional_launch const& launch) {
            report::data_sharing sharing(launch.grid.count(), numbers.l1d.line);
            cta_stream stream;
            for (std::uint64_t cta = 0; cta < launch.grid.count(); ++cta) {
                launch.run(cta, stream);
                each_global_access(stream, launch.program, [&](std::uint32_t i, std::uint64_t address) {
                    sharing.touched(cta, address, launch.program.instructions[i].access_bytes);
                });
            }
            sharing.finish();
            auto k =
                std::find_if(all.begin(), all.end(), [&](auto const& x) { return x.name == launch.kernel; });
            if (k == all.end()) {
                all.emplace_back();
                k = all.end() - 1;
                k->name = launch.kernel;
            }
            ++k->launches;
            k->blocks += sharing.ctas();
            k->lines += sharing.lines();
            k->shared += sharing.shared_lines();
            k->touches += sharing.touches();
            for (auto const& [d, n] : sharing.distances()) k->distances[d] += n;
            dram::row_sharing in_rows;
            sharing.each_touch([&](std::uint64_t line, std::uint64_t cta) {
                auto const at = map.decode(line);
                in_rows.accessed(at.channel << 16 | at.bank, at.row, static_cast<std::uint32_t>(cta));
            });
            auto const rows = in_rows.rows();
            k->rows += rows;
            k->per_row += in_rows.ctas_per_row() * static_cast<double>(rows);
            k->consecutive += in_rows.consecutive_share() * static_cast<double>(rows);
            if (!drawn || sharing.lines() > drawn->lines()) {
                drawn_name = launch.kernel;
                drawn.emplace(std::move(sharing));
            }
        });
        for (auto const& k : all) {
            std::uint64_t distance = 0;
            std::uint64_t most = 0;
            std::uint64_t sum = 0;
            for (auto const& [d, n] : k.distances) {
                sum += n;
                if (n > most) {
                    most = n;
                    distance = d;
                }
            }
            auto const share = [](auto part, auto whole) {
                return whole == 0 ? std::string("-")
                                  : report::percent(static_cast<double>(part) / static_cast<double>(whole));
            };
            table.add_row({k.name == s.name ? s.name : s.name + ": " + k.name, std::to_string(k.launches),
                           std::to_string(k.blocks), std::to_string(k.lines), share(k.shared, k.lines),
                           per_block(k.touches, k.lines), sum == 0 ? "-" : std::to_string(distance),
                           share(most, sum),
                           k.rows == 0 ? "-" : report::fixed(k.per_row / static_cast<double>(k.rows), 1),
                           k.rows == 0 ? "-" : report::percent(k.consecutive / static_cast<double>(k.rows))});
        }
    }
    if (!alone) print_table("sharing", table, markdown);
    if (subjects.size() == 1 && drawn && !markdown && !alone) {
        auto const m = drawn->matrix(64);
        std::cout << "\nLines that two blocks of " << drawn_name << " both touch, " << m.ctas << " blocks, "
                  << m.per_bin << " per letter:\n\n";
        report::print_text(std::cout, m);
    }
    if (!picture.empty() && drawn) {
        auto const m = drawn->matrix();
        std::ostringstream out;
        if (svg)
            report::print_svg(
                out, m,
                drawn_name + ": lines that two blocks both touch" +
                    (m.per_bin == 1 ? "" : ", " + std::to_string(m.per_bin) + " blocks to a point"));
        else
            report::print_pgm(out, m);
        report::write_file(picture, out.str());
    }
    return 0;
}

} // namespace lab
