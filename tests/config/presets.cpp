#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/config/preset_numbers.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/dram/address_mapping.hpp>

#include "catch.hpp"
#include "source_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace warpkit;

TEST_CASE("every number of every preset has a provenance and a source") {
    for (auto const* p : preset_numbers::all()) {
        CAPTURE(p->name);
        auto const all = rows(*p);
        REQUIRE(all.size() == machine_numbers().size());
        auto const g = parameters(*p);
        for (std::size_t i = 0; i < all.size(); ++i) {
            CAPTURE(all[i].name);
            CHECK(all[i].name == machine_numbers()[i].name);
            CHECK(read_field(g, machine_numbers()[i]) == all[i].value);
            CHECK(std::string(all[i].source).size() > 5);
        }
        CHECK(g.name == p->name);
        CHECK(address_mapping_source(*p) != nullptr);
        CHECK(std::string(p->title).size() > 10);
    }
}

TEST_CASE("a preset that leaves a number out is refused, and the number is named") {
    auto p = preset_numbers::gtx480();
    p.numbers = [] {
        auto left = preset_numbers::gtx480().numbers();
        std::erase_if(left, [](preset_number const& n) { return n.name == std::string("l2.ways"); });
        return left;
    };
    CHECK_THROWS_WITH(rows(p), "preset gtx480: l2.ways has no value and no provenance");
}

TEST_CASE("a preset that gives an unknown number, one twice, or one without source is refused") {
    static preset_number const* extra;
    auto const refused = [](preset_number const& n) {
        auto p = preset_numbers::gtx480();
        extra = &n;
        p.numbers = [] {
            auto all = preset_numbers::gtx480().numbers();
            all.push_back(*extra);
            return all;
        };
        return p;
    };
    CHECK_THROWS_WITH(rows(refused({"l3.size", 1, provenance::estimated, "a guess"})),
                      "preset gtx480: there is no number l3.size");
    CHECK_THROWS_WITH(rows(refused({"l2.ways", 1, provenance::estimated, "a guess"})),
                      "preset gtx480: l2.ways is named twice");
    preset child{"child", "a machine of these tests", &preset_numbers::gtx480()};
    using numbers = std::vector<preset_number>;
    child.numbers = [] { return numbers{{"l2.ways", 16, provenance::documented, ""}}; };
    CHECK_THROWS_WITH(rows(child), "preset child: l2.ways has no provenance");
    child.numbers = [] {
        return numbers{{"l2.ways", std::uint64_t{1} << 32, provenance::documented, "somewhere"}};
    };
    CHECK_THROWS_WITH(rows(child), "preset child: l2.ways cannot hold 4294967296");
    child.numbers = [] { return numbers{{"l2.ways", 16, provenance::documented, "somewhere"}}; };
    CHECK(parameters(child).l2.ways == 16);
    CHECK(parameters(child).l2.line == 128);
    preset no_map{"no_map", "a machine of these tests", nullptr, preset_numbers::gtx480().numbers};
    CHECK_THROWS_WITH(parameters(no_map), "preset no_map: address_mapping has no value or no provenance");
}

TEST_CASE("the presets say what the papers and configurations say") {
    auto const g4 = parameters(preset_numbers::gtx480());
    CHECK(g4.core.count == 15);
    CHECK(g4.clock.dram == 924'000);
    CHECK(g4.l1d.size == 32 * 4 * 128);
    CHECK(g4.l1d.mshr_entries == 64);
    CHECK(g4.l2.size * g4.memory.channels * g4.memory.slices == 768 * 1024);
    CHECK(g4.memory.dram_queue == 64);
    CHECK(g4.core.latency[static_cast<unsigned>(op_class::int_div)] == 145);
    CHECK(g4.core.initiation[static_cast<unsigned>(op_class::dp_div)] == 130);
    CHECK(g4.dram == dram::gddr5_gtx480);

    auto const g3 = parameters(preset_numbers::gtx480_v3());
    CHECK(g3.l1d.mshr_entries == 32);
    CHECK(g3.l2.mshr_entries == 32);
    CHECK(g3.memory.dram_queue == 16);
    CHECK(g3.network.flit == 32);
    CHECK(g3.network.input_flits == 8);
    CHECK(g3.core.count == 15);
    // GPGPU-Sim 3.2.1 and 3.2.2, dram.cc: bk[i]->bkgrpindex = i / (nbk / nbkgrp); the option came with 4.x.
    CHECK(g4.dram.group_of(5) == 1);
    CHECK(g3.dram.group_of(5) == 5 / 4);
    CHECK(g3.dram.group_of(4) == 1);
    CHECK(g4.dram.group_of(4) == 0);
    CHECK(g3.dram.group_of(3) == 0);

    // A branch of a trace is an integer instruction for its latency: trace_driven.cc, set_latency().
    auto const traced = parameters(preset_numbers::gtx480_accelsim());
    for (auto const c : {op_class::branch, op_class::int_add, op_class::shuffle}) {
        CHECK(traced.core.latency[static_cast<unsigned>(c)] == 4);
        CHECK(traced.core.initiation[static_cast<unsigned>(c)] == 1);
    }

    // ELF's machine is that of its simulator's version, but for two numbers of its table 1.
    auto elf = parameters(preset_numbers::elf());
    CHECK(elf.l1i.mshr_entries == 8);
    CHECK(elf.l2.ways == 16);
    CHECK(elf.l2.size * elf.memory.channels * elf.memory.slices == 768 * 1024);
    elf.l1i.mshr_entries = g3.l1i.mshr_entries;
    elf.l2.ways = g3.l2.ways;
    for (auto const& f : machine_numbers()) {
        INFO(f.name);
        CHECK(read_field(elf, f) == read_field(g3, f));
    }

    auto const owl = parameters(preset_numbers::owl());
    CHECK(owl.core.count == 28);
    CHECK(owl.core.schedulers == 1);
    CHECK(owl.l1d.size == 32 * 1024);
    CHECK(owl.l1d.line == 64);
    CHECK(owl.l2.size == 512 * 1024);
    CHECK(owl.memory.channels == 8);
    CHECK(owl.memory.dram_queue == 128);
    CHECK(owl.dram.banks == 4);
    dram::address_mapping const map(owl.address_mapping.c_str(), 8);
    CHECK(map.row_bytes() == 2048);
    CHECK(map.decode(0x2000 + 0xC0000000).channel ==
          map.decode(0xC0000000).channel + 1); // 4 banks of 2 KB, then next
    CHECK(map.decode(0x800 + 0xC0000000).bank == 1);
}

TEST_CASE("the presets from Volta on say what Accel-Sim's configurations say") {
    auto const v = parameters(preset_numbers::qv100());
    CHECK(v.core.count == 80);
    CHECK(v.core.sub_cores == v.core.schedulers);
    CHECK(v.core.int_units == 4);
    CHECK(v.l1i.size == 0);
    CHECK(std::uint64_t{v.l2.size} * v.memory.channels * v.memory.slices == 6U << 20);
    CHECK(v.dram.bus_bytes == dram::hbm2_qv100.bus_bytes);
    auto const latency = [](gpu_parameters const& g, op_class c) {
        return std::pair(g.core.latency[static_cast<unsigned>(c)],
                         g.core.initiation[static_cast<unsigned>(c)]);
    };
    CHECK(latency(v, op_class::fp_mad) == std::pair(2U, 2U));
    CHECK(latency(v, op_class::branch) == std::pair(4U, 4U));

    auto const titan = parameters(preset_numbers::titan_v());
    CHECK(titan.memory.channels == 24);
    CHECK(titan.core.sp_units == v.core.sp_units);
    CHECK(dram::address_mapping(titan.address_mapping.c_str(), 24, 2).folds());

    auto const ampere = parameters(preset_numbers::rtx3070());
    CHECK(ampere.core.count == 46);
    CHECK(ampere.core.uniform_units == 4);
    CHECK(std::uint64_t{ampere.l2.size} * ampere.memory.channels * ampere.memory.slices == 4U << 20);
    CHECK(latency(ampere, op_class::fp_mad) == std::pair(2U, 1U));
    CHECK(latency(ampere, op_class::tensor) == std::pair(32U, 32U));

    auto const turing = parameters(preset_numbers::rtx2060());
    CHECK(turing.core.count == 30);
    CHECK(turing.l1d.size == 64 * 1024);
    CHECK(latency(turing, op_class::fp_mad) == std::pair(2U, 2U));

    auto const a100 = parameters(preset_numbers::a100());
    CHECK(a100.core.count == 108);
    CHECK(std::uint64_t{a100.l2.size} * a100.memory.channels * a100.memory.slices == 40U << 20);
    CHECK(a100.clock.dram * 2 * a100.dram.bus_bytes * a100.memory.channels / 1'000'000 == 1935); // GB/s
    CHECK(latency(a100, op_class::tensor) == std::pair(12U, 8U));
    CHECK(latency(a100, op_class::dp_mad) == std::pair(6U, 4U));
    CHECK(a100.dram.rcdwr == a100.dram.rcd - (a100.dram.wl + 1));
}

TEST_CASE("Hopper's and Blackwell's presets say what data sheets and compute capabilities say") {
    auto const bandwidth = [](gpu_parameters const& g) { // GB/s
        auto const beats = g.dram.bus_bytes * g.dram.pseudo_channels * g.dram.data_rate;
        return std::uint64_t{beats} * g.memory.channels * g.clock.dram / 1'000'000;
    };
    auto const l2_bytes = [](gpu_parameters const& g) {
        return std::uint64_t{g.l2.size} * g.memory.channels * g.memory.slices;
    };
    auto const tensor_flops = [](gpu_parameters const& g, matrix_type t, std::uint64_t khz) { // TFLOPS
        return 2 * std::uint64_t{g.core.tensor_rate[static_cast<unsigned>(t) - 1]} * g.core.tensor_units *
               g.core.count * khz / 1'000'000'000;
    };
    auto const of = [](gpu_parameters const& g, matrix_type t, unsigned depth) { // mma m16n8kDEPTH
        static_instruction i;
        i.kind = op_class::tensor;
        i.matrix = t;
        i.matrix_rows = 16;
        i.matrix_depth = static_cast<std::uint16_t>(depth);
        return execution_time_of(g.core, i);
    };

    auto const h100 = parameters(preset_numbers::h100());
    CHECK(h100.core.count == 132);
    CHECK(h100.core.threads == 2048);
    CHECK(h100.core.shared_bytes == 228 * 1024);
    CHECK(h100.core.unified_bytes == 256 * 1024);
    CHECK(l2_bytes(h100) == 50U << 20);
    CHECK(bandwidth(h100) == 3352);
    CHECK(tensor_flops(h100, matrix_type::f16, 1'830'000) ==
          989); // the data sheet's, at its clock with matrices
    CHECK(tensor_flops(h100, matrix_type::s8, 1'830'000) == 1978);
    CHECK(of(h100, matrix_type::f16, 16) ==
          execution_time{24, 6}); // measured 24.1, and 1365 of 2048 in a cycle
    CHECK(of(h100, matrix_type::f16, 8) == execution_time{16, 4});
    CHECK(of(h100, matrix_type::tf32, 8) == execution_time{24, 6});
    CHECK(of(h100, matrix_type::tf32, 4) == execution_time{16, 4});
    CHECK(of(h100, matrix_type::s8, 32) == execution_time{24, 6});
    CHECK(of(h100, matrix_type::s8, 16) == execution_time{16, 4});
    CHECK(of(h100, matrix_type::b1, 256) == execution_time{24, 6});

    auto const h200 = parameters(preset_numbers::h200());
    CHECK(h200.core == h100.core);
    CHECK(l2_bytes(h200) == 60U << 20);
    CHECK(bandwidth(h200) == 4800);

    auto const rtx5090 = parameters(preset_numbers::rtx5090());
    CHECK(rtx5090.core.count == 170);
    CHECK(rtx5090.core.threads == 48 * 32);
    CHECK(rtx5090.core.shared_bytes == 100 * 1024);
    CHECK(l2_bytes(rtx5090) == 96U << 20);
    CHECK(bandwidth(rtx5090) == 1792);
    CHECK(tensor_flops(rtx5090, matrix_type::f16, 2'407'000) == 209);
    CHECK(tensor_flops(rtx5090, matrix_type::s8, 2'407'000) == 838);
    CHECK(of(rtx5090, matrix_type::f16, 16) == execution_time{34, 32});

    auto const b200 = parameters(preset_numbers::b200());
    CHECK(b200.core.count == 148);
    CHECK(bandwidth(b200) == 7672);
    CHECK(l2_bytes(b200) == 255U << 19); // of the 126.5 MiB that a chase finds
    CHECK(b200.core.shared_bytes == h100.core.shared_bytes);

    // HBM3E has the rules of HBM3, in more cycles where its clock is faster.
    CHECK(h200.dram.ccdl == h100.dram.ccdl);
    CHECK(h200.dram.rcd > h100.dram.rcd);
    CHECK(b200.dram.rcd > h200.dram.rcd);
    for (auto const* g : {&h100, &h200, &b200}) {
        CAPTURE(g->name);
        auto const nanoseconds = g->dram.rcd * 1e6 / static_cast<double>(g->clock.dram);
        CHECK(nanoseconds >= 31 * 0.625);
        CHECK(nanoseconds < 32 * 0.625 + 0.2);
        CHECK(g->dram.rc >= g->dram.ras + g->dram.rp);
    }
    for (auto const* p : {&preset_numbers::h200(), &preset_numbers::b200()})
        for (auto const& n : rows(*p))
            if (n.name == std::string("dram.rcd")) {
                CHECK(n.kind == provenance::estimated);
                CHECK(std::string(n.source).find("JEDEC publishes no table") != std::string::npos);
            }
}

TEST_CASE(
    "from Volta on an L1 has its lines in four sets, so that those 2 KB apart do not drive each other out") {
    for (auto const* p : {&preset_numbers::qv100(), &preset_numbers::titan_v(), &preset_numbers::rtx2060(),
                          &preset_numbers::rtx3070(), &preset_numbers::a100(), &preset_numbers::h100(),
                          &preset_numbers::rtx5090(), &preset_numbers::b200()}) {
        CAPTURE(p->name);
        auto const g = parameters(*p);
        CHECK(parameters_of(g.l1d).geometry.sets == 4);
        CHECK(parameters_of(g.l1t).geometry.sets == 4);
        cache<linear_index, lru, on_fill, read_only> l1(parameters_of(g.l1d));
        for (std::uint64_t line = 0; line < g.l1d.ways; ++line) {
            (void)l1.access({.address = line * 2048, .bytes = 32});
            l1.pop_request();
            (void)l1.fill(line * 2048, [](std::uint32_t) {});
        }
        CHECK(l1.counters().evictions == 0);
        CHECK(l1.contains(0));
    }
}

TEST_CASE("the machines page has every number of the presets from Volta on") {
    auto const page = source_text("docs/model/machines.md");
    auto at = page.find("| number | of | `qv100` |");
    REQUIRE(at != page.npos);
    std::vector<preset const*> const presets = {&preset_numbers::qv100(), &preset_numbers::titan_v(),
                                                &preset_numbers::rtx2060(), &preset_numbers::rtx3070(),
                                                &preset_numbers::a100()};
    auto const& fields = machine_numbers();
    std::vector<gpu_parameters> machines;
    for (auto const* p : presets) machines.push_back(parameters(*p));
    std::set<std::string> told;
    auto const matches = [](std::string const& pattern, std::string const& name) {
        return pattern.back() == '*'
                   ? name.compare(0, pattern.size() - 1, pattern, 0, pattern.size() - 1) == 0
                   : name == pattern;
    };
    std::istringstream lines(page.substr(at));
    std::string line;
    for (std::getline(lines, line), std::getline(lines, line); std::getline(lines, line) && !line.empty();) {
        std::vector<std::string> cells;
        for (std::size_t begin = 2; begin < line.size();) { // "| a | b |"
            auto const end = line.find('|', begin);
            auto cell = line.substr(begin, end - begin);
            while (!cell.empty() && cell.back() == ' ') cell.pop_back();
            cells.push_back(cell);
            begin = end + (end + 1 < line.size() && line[end + 1] == ' ' ? 2 : 1);
        }
        INFO(line);
        REQUIRE(cells.size() == 7);
        for (std::size_t quote = cells[0].find('`'); quote != cells[0].npos;) {
            auto const close = cells[0].find('`', quote + 1);
            auto const pattern = cells[0].substr(quote + 1, close - quote - 1);
            quote = cells[0].find('`', close + 1);
            unsigned found = 0;
            for (auto const& f : fields) {
                // A row of all that is left of a group names less than those before it.
                if (!matches(pattern, f.name) || !told.insert(f.name).second) continue;
                ++found;
                for (std::size_t m = 0; m < presets.size(); ++m) {
                    auto const& cell = cells[2 + m].empty() ? cells[2] : cells[2 + m];
                    auto const clock = std::string(f.name).compare(0, 6, "clock.") == 0;
                    auto text = cell;
                    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
                    auto g = machines[m];
                    set_number(g, std::string(f.name) + '=' + text + (clock ? "MHz" : ""));
                    INFO(f.name << " of " << presets[m]->name);
                    CHECK(read_field(g, f) == read_field(machines[m], f));
                }
            }
            INFO(pattern);
            CHECK(found != 0);
        }
    }
    CHECK(told.size() == fields.size());
}

TEST_CASE("sources are words for people, without the tags of the tables they came from") {
    std::set<std::string> kinds;
    for (auto const& n : rows(preset_numbers::owl())) {
        CHECK(std::string(n.source).find("documented: ") != 0);
        kinds.insert(to_string(n.kind));
    }
    CHECK(kinds == std::set<std::string>{"documented", "estimated"});
}
