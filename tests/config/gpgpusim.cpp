// Configurations of GPGPU-Sim and Accel-Sim: their small languages, their options, and the machines that they become.
#include <warpkit/config/gpgpusim/import.hpp>
#include <warpkit/machine/launch.hpp>

#include "catch.hpp"
#include "support/sanitized.hpp"

#include <cstring>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace warpkit;
using namespace warpkit::gpgpusim;

namespace {

template <class F>
std::string refused(F&& f) {
    try {
        f();
    } catch (error const& e) {
        return e.what();
    }
    return "accepted";
}

using file_map = std::map<std::string, std::string>;
imported_machine import(std::vector<config_file> const& files, file_map const& others = {},
                        import_options const& how = {}) {
    return import_machine(
        files,
        [&](std::string const& name) -> std::string {
            if (auto const f = others.find(name); f != others.end()) return f->second;
            throw error("cannot read " + name + ": No such file or directory");
        },
        how);
}
imported_machine import(std::string const& text, import_options const& how = {}) {
    return import({{"cards/little/gpgpusim.config", text}}, {}, how);
}

// A machine of our own in the options of GPGPU-Sim 4.
constexpr char const* little = R"(# a little machine
-gpgpu_n_clusters 3
-gpgpu_n_cores_per_cluster 2
-gpgpu_n_mem 4
-gpgpu_n_sub_partition_per_mchannel 2
-gpgpu_clock_domains 1000.0:900:800.5:1250.0
-gpgpu_shader_core_pipeline 1024:32
-gpgpu_shader_cta 16
-gpgpu_shader_registers 65536
-gpgpu_num_sched_per_core 4
-gpgpu_scheduler two_level_active:8:0:1
-gpgpu_num_sp_units 4
-gpgpu_num_sfu_units 2
-gpgpu_num_dp_units 1
-gpgpu_pipeline_widths 4,1,0,2,3,4,1,0,2,5,8
-gpgpu_compute_capability_major 7
-gpgpu_compute_capability_minor 5
-ptx_opcode_latency_int 4,13,5,6,145,21
-ptx_opcode_initiation_int 2,3,4,5,8,7
-ptx_opcode_latency_fp 4,9,5,6,39
-ptx_opcode_initiation_fp 1,2,3,4,5
-ptx_opcode_latency_dp 8,19,8,9,330
-ptx_opcode_initiation_dp 4,5,6,7,130
-ptx_opcode_latency_sfu 100
-ptx_opcode_initiation_sfu 8
-gpgpu_cache:il1 N:64:128:16,L:R:f:N:L,S:2:48,4
-gpgpu_const_cache:l1 N:128:64:8,L:R:f:N:L,S:2:64,4
-gpgpu_tex_cache:l1 N:4:128:32,L:R:m:N:L,T:512:8,128:2
-gpgpu_cache:dl1 S:64:128:4,L:T:m:L:L,A:256:32,16:0,32
-gpgpu_l1_cache_write_ratio 25
-gpgpu_l1_latency 32
-gpgpu_flush_l1_cache 1
-gpgpu_shmem_size 65536
-gpgpu_smem_latency 30
-gpgpu_shmem_num_banks 32
-gpgpu_shmem_limited_broadcast 0
-gpgpu_shmem_warp_parts 1
-gpgpu_coalesce_arch 75
-gpgpu_max_insn_issue_per_warp 1
-gpgpu_max_concurrent_kernel 1
-gpgpu_cache:dl2 S:64:128:16,L:B:m:L:P,A:192:5,32:0,32
-gpgpu_cache:dl2_texture_only 0
-gpgpu_dram_partition_queues 61:62:63:64
-gpgpu_l2_rop_latency 194
-dram_latency 96
-network_mode 2
-icnt_in_buffer_limit 512
-icnt_out_buffer_limit 256
-gpgpu_n_cluster_ejection_buffer_size 32
-gpgpu_dram_scheduler 1
-gpgpu_frfcfs_dram_sched_queue_size 64
-gpgpu_dram_return_queue_size 192
-gpgpu_n_mem_per_ctrlr 2
-gpgpu_dram_buswidth 4
-gpgpu_dram_burst_length 16
-dram_data_command_freq_ratio 4
-gpgpu_mem_address_mask 1
-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS
-gpgpu_dram_timing_opt "nbk=16:CCD=4:RRD=12:RCD=24:RAS=54:RP=24:RC=78:
                        CL=23:WL=8:CDLR=10:WR=25:nbkgrp=4:CCDL=6:RTPL=3"   # over two lines
-dram_bnkgrp_indexing_policy 1
-gpgpu_memory_partition_indexing 1
-visualizer_enabled 0
)";

std::string replaced(std::string text, std::string const& from, std::string const& to) {
    auto const at = text.find(from);
    REQUIRE(at != text.npos);
    return text.replace(at, from.size(), to);
}
std::string policy_of(imported_machine const& m, std::string const& seat) {
    for (auto const& p : m.machine.policies)
        if (p.name == seat) return p.value;
    return "none";
}
std::uint64_t number_of(imported_machine const& m, std::string const& name) {
    return read_field(parameters(m.machine), *find_field(machine_numbers(), name));
}
std::string comment_of(imported_machine const& m, std::string const& name) {
    for (auto const& e : m.machine.numbers)
        if (e.name == name) return e.comment;
    return "none";
}
std::string effects(imported_machine const& m) {
    std::string all;
    for (auto const& n : m.notes)
        all += (n.changed ? "changed " : "lacks ") + n.option + ": " + n.effect + '\n';
    return all;
}

} // namespace

// ---- the languages

TEST_CASE("caches as the manuals and the tested configurations write them") {
    // <nsets>:<bsize>:<assoc>,<rep>:<wr>:<alloc>:<wr_alloc>,<mshr>:<N>:<merge>,<mq>, the GPGPU-Sim 3.x manual's
    auto const v3 = read_cache("32:128:4,L:L:m:N,A:32:8,8");
    cache_text expected;
    expected.sets = 32;
    expected.line = 128;
    expected.ways = 4;
    expected.write = 'L';
    expected.entries = 32;
    expected.merges = 8;
    expected.queue = 8;
    CHECK(v3 == expected);
    CHECK(v3.bytes() == 16384);
    // with a set index, and a port
    expected.index = 'H';
    expected.port = 64;
    CHECK(read_cache("32:128:4,L:L:m:N:H,A:32:8,8,64") == expected);
    expected.second_queue = 2;
    CHECK(read_cache("32:128:4,L:L:m:N:H,A:32:8,8:2,64") == expected);
    // 4.x: the kind of cache first
    auto const v4 = read_cache("S:4:128:64,L:T:s:L:P,S:512:8,16:0,32");
    CHECK(v4.sectored);
    CHECK(v4.bytes() == 32768);
    CHECK(v4.write == 'T');
    CHECK(v4.allocation == 's');
    CHECK(v4.write_miss == 'L');
    CHECK(v4.index == 'P');
    CHECK(v4.mshr == 'S');
    CHECK(v4.port == 32);
    CHECK_FALSE(read_cache("N:4:128:64,L:T:m:L:L,A:1:1,1").sectored);
    // 3.0: colons all the way, no kind of store miss
    auto const v30 = read_cache("64:64:2:L:R:f,A:2:32,4");
    CHECK(v30.ways == 2);
    CHECK(v30.write == 'R');
    CHECK(v30.allocation == 'f');
    CHECK(v30.queue == 4);
    // a texture cache's FIFOs
    auto const texture = read_cache("8:128:5,L:R:m:N,F:128:4,128:2");
    CHECK(texture.mshr == 'F');
    CHECK(texture.entries == 128);
    CHECK(texture.merges == 4);
    CHECK(texture.queue == 128);
    CHECK(texture.second_queue == 2);
    CHECK(read_cache("none").none);
}

TEST_CASE("caches that are none are refused where they go wrong") {
    auto const wrong = [](char const* text) { return refused([&] { (void)read_cache(text); }); };
    auto const grammar = "; write " + std::string(cache_grammar);
    CHECK(wrong("") == "expected a whole number, sets at position 1, found the end" + grammar);
    CHECK(wrong("none,") == "expected a whole number, sets at position 1, found 'none,'" + grammar);
    CHECK(wrong("32:128:x,L:L:m:N,A:32:8,8") ==
          "expected a whole number, ways at position 8, found 'x,L:L:m:N,A:'" + grammar);
    CHECK(wrong("32:128:4,Q:L:m:N,A:32:8,8") ==
          "expected one of the letters LF, the replacement at position 10, found 'Q:L:m:N,A:32'" + grammar);
    CHECK(wrong("32:128:4,L:L:m:N,A:32:8") == "expected ',' at position 24, found the end" + grammar);
    CHECK(wrong("32:128:4,L:L:m:N,A:32:8,8junk").find("expected the end at position 26, found 'junk'") == 0);
    CHECK(wrong("-32:128:4,L:L:m:N,A:32:8,8").find("expected a whole number, sets at position 1") == 0);
    CHECK(wrong("99999999999:128:4,L:L:m:N,A:32:8,8").find("sets can be 4294967295 at most") == 0);
    CHECK(wrong("99999999999999999999999:128:4,").find("too many digits") == 0);
}

TEST_CASE("DRAM timings by name and in order") {
    dram_text expected;
    expected.nbk = 16;
    expected.ccd = 2;
    expected.rrd = 6;
    expected.rcd = 12;
    expected.ras = 28;
    expected.rp = 12;
    expected.rc = 40;
    expected.cl = 11;
    expected.wl = 4;
    expected.cdlr = 5;
    expected.wr = 13;
    CHECK(read_dram_timing("nbk=16:CCD=2:RRD=6:RCD=12:RAS=28:RP=12:RC=40:CL=11:WL=4:CDLR=5:WR=13") ==
          expected);
    CHECK(read_dram_timing("WR=13;CDLR=5; WL=4 :CL = 11:RC=40:RP=12:RAS=28:RCD=12:RRD=6:CCD=2:nbk=16;") ==
          expected);
    CHECK(read_dram_timing("16:2:6:12:28:12:40:11:4:5:13") == expected);
    expected.nbkgrp = 4;
    expected.ccdl = 3;
    expected.rtpl = 2;
    CHECK(read_dram_timing("16:2:6:12:28:12:40:11:4:5:13:4:3:2") == expected);
    CHECK(
        read_dram_timing(
            "nbk=16:CCD=2:RRD=6:RCD=12:RAS=28:RP=12:RC=40: CL=11:WL=4:CDLR=5:WR=13:nbkgrp=4:CCDL=3:RTPL=2") ==
        expected);
    CHECK_FALSE(read_dram_timing("4:2:8:12:21:13:34:9:4:5").has_wr); // GPGPU-Sim 3.0
    auto const wrong = [](char const* text) { return refused([&] { (void)read_dram_timing(text); }); };
    CHECK(wrong("nbk=16:CCD=2").find("RRD is missing") == 0);
    CHECK(wrong("nbk=16:nbk=16").find("nbk is given twice") == 0);
    CHECK(wrong("nbk=16:tCCD=2").find("there is no timing tCCD") == 0);
    CHECK(wrong("16:2:6").find("3 values") == 0);
    CHECK(wrong("16:2:6:12:28:12:40:11:4:5:13:4").find("12 values") == 0);
    CHECK(wrong("").find("expected a whole number, nbk") == 0);
}

TEST_CASE("clock domains are MHz with fractions") {
    CHECK(read_clocks("700.0:700.0:700.0:924.0") ==
          std::array<std::uint64_t, 4>{700'000, 700'000, 700'000, 924'000});
    CHECK(read_clocks("1132:1132.25:1132:3500.5") ==
          std::array<std::uint64_t, 4>{1'132'000, 1'132'250, 1'132'000, 3'500'500});
    auto const wrong = [](char const* text) { return refused([&] { (void)read_clocks(text); }); };
    CHECK(wrong("700:700:700").find("expected ':' at position 12") == 0);
    CHECK(wrong("700:700:700:0").find("a clock of 0 MHz") == 0);
    CHECK(wrong("700.:700:700:700").find("expected digits behind the point") == 0);
    CHECK(wrong("700.0001:700:700:700").find("more than three digits behind the point") == 0);
    CHECK(wrong("700:700:700:924:1").find("expected the end") == 0);
}

TEST_CASE("special units of Accel-Sim") {
    CHECK(read_unit("1,4,200,4,5,TEX") == unit_text{true, 4, 200, 4, 5, "TEX"});
    CHECK(refused([] { (void)read_unit("2,4,4,4,4,BRA"); }).find("enabled can be 1 at most") == 0);
    CHECK(refused([] { (void)read_unit("1,4,4,4,4,"); }).find("expected a name") == 0);
}

TEST_CASE("option files are words, comments and quotations") {
    auto const none = [](std::string const& name) -> std::string { throw error("no file " + name); };
    auto const options =
        read_options("-a 1 # -b 2\n -c\n-d \"x  y\n# gone\n z\"\t-e -1 -f \"\" -g", "f.config", none);
    REQUIRE(options.size() == 6);
    CHECK(options[0].name == "-a");
    CHECK(options[0].value == "1");
    CHECK(options[0].where.text() == "f.config:1");
    CHECK(options[1].name == "-c");
    CHECK_FALSE(options[1].has_value);
    CHECK(options[2].name == "-d");
    CHECK(options[2].value == "x y z");
    CHECK(options[2].where.text() == "f.config:3");
    CHECK(options[3].value == "-1");
    CHECK(options[4].has_value);
    CHECK(options[4].value == "");
    CHECK(options[5].where.line == 5);

    auto const includes = [](std::string const& name) -> std::string {
        if (name == "b.config") return "-b 1\n-config c.config";
        if (name == "c.config") return "-c 1";
        return "-config loop.config";
    };
    auto const nested = read_options("-a 1\n-config b.config\n-d 1", "a.config", includes);
    REQUIRE(nested.size() == 4);
    CHECK(nested[2].name == "-c");
    CHECK(nested[2].where.text() == "c.config:1");
    CHECK(nested[3].name == "-d");
    auto const wrong = [&](std::string const& text) {
        return refused([&] { (void)read_options(text, "f.config", includes); });
    };
    CHECK(wrong("-a 1\n stray") ==
          "f.config:2: 'stray' belongs to no option; options begin with a dash and have one value, "
          "which takes quotation marks if it has blanks");
    CHECK(wrong("-a 1\n-b \"x y\n z") ==
          "f.config:2: the quotation that begins here does not end; close it with \"");
    CHECK(wrong("-config") == "f.config:1: -config names no file; write -config FILE");
    CHECK(wrong("-config loop.config") ==
          "loop.config:1: files include each other more than 8 deep; does one include itself?");
    CHECK(refused([&] { (void)read_options("\n-config x", "f.config", none); }) ==
          "f.config:2: -config x: no file x");
    CHECK(wrong(std::string("-a \0", 4)) == "f.config:1: a byte 0: this is no text file");
}

TEST_CASE("intersim's files are assignments") {
    auto const v = read_network_file(
        "// a = 1;\nk = 27; n=1; /* x\n */ packet = {{1,2},{3}};\n topology = fly; // b", "n.icnt");
    REQUIRE(v.size() == 4);
    CHECK(v[0].name == "k");
    CHECK(v[0].value == "27");
    CHECK(v[0].where.text() == "n.icnt:2");
    CHECK(v[2].value == "{{1,2},{3}}");
    CHECK(v[2].where.line == 3);
    CHECK(v[3].value == "fly");
    auto const wrong = [](std::string const& text) {
        return refused([&] { (void)read_network_file(text, "n.icnt"); });
    };
    CHECK(wrong("k = 27") == "n.icnt:1: k does not end with a value and ';'; write name = value;");
    CHECK(wrong("\nk 27;") == "n.icnt:2: 'k' has no value; write name = value;");
    CHECK(wrong("/* k") == "n.icnt:1: a comment that does not end; write name = value;");
}

// ---- the table

TEST_CASE("every option of the table is whole, and what it maps to is there") {
    std::set<std::string> names;
    std::set<std::string> numbers;
    for (auto const& f : machine_numbers()) numbers.insert(f.name);
    for (auto const& row : seat_rows()) numbers.insert(row.name);
    numbers.insert("address_mapping");
    for (auto const& o : simulator_options()) {
        INFO(o.name);
        CHECK(o.name[0] == '-');
        CHECK(names.insert(o.name).second);
        CHECK(std::strlen(o.since) != 0);
        CHECK(std::strlen(o.text) != 0);
        std::string one = o.name;
        if (one.back() == '#') one.back() = '3';
        CHECK(find_option(one) == &o);
        if (o.what == fate::renamed) {
            auto const* const now = find_option(o.text);
            REQUIRE(now != nullptr);
            CHECK(now->what != fate::renamed);
        }
        if (o.what == fate::mapped) {
            std::istringstream words(o.text);
            for (std::string word; words >> word;) {
                INFO(word);
                CHECK(numbers.count(word) == 1);
            }
        }
        // An option that is not modelled tells so, or its value asks for nothing.
        if (o.what != fate::not_modelled && o.what != fate::refused) CHECK(std::strlen(o.plain) == 0);
    }
    CHECK(find_option("-specialized_unit_8") != nullptr);
    CHECK(find_option("-specialized_unit_9") == nullptr);
    CHECK(find_option("-gpgpu") == nullptr);
}

// ---- machines

TEST_CASE("a configuration becomes the machine that it describes") {
    auto const m = import(little);
    CHECK(m.machine.name == "little");
    CHECK(m.machine.base == "gtx480");
    CHECK_FALSE(m.traces);
    auto const g = parameters(m.machine);
    CHECK(g.clock == clock_numbers{1'000'000, 900'000, 800'500, 1'250'000});
    CHECK(g.core.count == 6);
    CHECK(g.core.threads == 1024);
    CHECK(g.core.ctas == 16);
    CHECK(g.core.registers == 65536);
    CHECK(g.core.shared_bytes == 65536);
    CHECK(g.core.schedulers == 4);
    CHECK(g.core.sp_units == 4);
    CHECK(g.core.sfu_units == 2);
    CHECK(g.core.dp_units == 1);
    CHECK(g.core.max_registers_per_thread == 255);
    CHECK(g.core.instruction_bytes == 8);
    CHECK(g.core.fetch_bytes == 16);
    auto const latency = [&](op_class c) { return g.core.latency[static_cast<unsigned>(c)]; };
    auto const initiation = [&](op_class c) { return g.core.initiation[static_cast<unsigned>(c)]; };
    CHECK(latency(op_class::int_mul) == 5);
    CHECK(latency(op_class::shuffle) == 21);
    CHECK(initiation(op_class::shuffle) == 7);
    CHECK(latency(op_class::fp_max) == 9);
    CHECK(initiation(op_class::fp_div) == 5);
    CHECK(latency(op_class::dp_mad) == 9);
    CHECK(initiation(op_class::dp_add) == 4);
    CHECK(latency(op_class::special) == 100);
    CHECK(latency(op_class::branch) == 1);
    CHECK(g.l1i == cache_numbers{131072, 16, 128, 128, 2, 48, 4, 0});
    CHECK(g.l1c == cache_numbers{65536, 8, 64, 64, 2, 64, 4, 0});
    CHECK(g.l1t ==
          cache_numbers{16384, 32, 128, 128, 128, 512, 8, 0}); // reorder buffer, fragment FIFO, request FIFO
    CHECK(g.l1d == cache_numbers{32768, 4, 128, 32, 256, 32, 16, 25});
    CHECK(g.l2 == cache_numbers{131072, 16, 128, 32, 192, 5, 32, 0});
    CHECK(g.lsu.l1_latency == 32);
    CHECK(g.lsu.shared_latency == 30);
    CHECK(g.lsu.shared_banks == 32);
    CHECK(g.lsu.queue == 3 + 2 + 5); // ID_OC_MEM, collectors, OC_EX_MEM
    CHECK(g.network.flit == 136);    // whole packets
    CHECK(g.network.outputs_in_turn == 1);
    CHECK(g.network.input_flits == 512);
    CHECK(g.network.output_flits == 256);
    CHECK(g.network.ejection == 32);
    CHECK(g.memory.channels == 4);
    CHECK(g.memory.slices == 2);
    CHECK(g.memory.rop_latency == 194);
    CHECK(g.memory.dram_latency == 96);
    CHECK(g.memory.l2_input_queue == 61);
    CHECK(g.memory.l2_to_dram_queue == 62);
    CHECK(g.memory.dram_to_l2_queue == 63);
    CHECK(g.memory.l2_output_queue == 64);
    CHECK(g.memory.dram_queue == 64);
    CHECK(g.memory.dram_return_queue == 192);
    CHECK(g.dram.banks == 16);
    CHECK(g.dram.bank_groups == 4);
    CHECK(g.dram.groups_by_low_bits == 1);
    CHECK(g.dram.bus_bytes == 8);
    CHECK(g.dram.burst_length == 16);
    CHECK(g.dram.data_rate == 4);
    CHECK(g.dram.ccd == 4);
    CHECK(g.dram.ccdl == 6);
    CHECK(g.dram.rcd == 24);
    CHECK(g.dram.rcdwr == 24 - 9); // RCD - (WL + 1)
    CHECK(g.dram.ras == 54);
    CHECK(g.dram.rc == 78);
    CHECK(g.dram.cl == 23);
    CHECK(g.dram.wr == 25);
    CHECK(g.dram.rtp == 4); // a burst
    CHECK(g.dram.rtpl == 3);
    CHECK(g.address_mapping ==
          "xor:dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS");
    CHECK(policy_of(m, "warp_scheduler") == "two_level_gpgpusim:8");
    CHECK(policy_of(m, "l1d") == "linear+lru+on_miss+write_through+lazy_fetch");
    CHECK(policy_of(m, "l2") == "ipoly+lru+on_miss+write_back+lazy_fetch");
    CHECK(policy_of(m, "coalescer") == "sectored");
    CHECK(policy_of(m, "dram_scheduler") == "fr_fcfs");
    CHECK(policy_of(m, "network") == "crossbar");
}

// The numbers of docs/model/machines.md#fermi as options of GPGPU-Sim 4.x, and of 3.2.x: the presets have the same from
// them.
TEST_CASE("the GeForce GTX 480 in options is the preset") {
    std::string const common = R"(
-gpgpu_clock_domains 700:700:700:924
-gpgpu_n_clusters 15 -gpgpu_n_cores_per_cluster 1
-gpgpu_n_mem 6 -gpgpu_n_sub_partition_per_mchannel 2
-gpgpu_shader_core_pipeline 1536:32 -gpgpu_shader_cta 8 -gpgpu_shader_registers 32768
-gpgpu_num_sched_per_core 2 -gpgpu_scheduler gto -gpgpu_max_insn_issue_per_warp 1
-gpgpu_num_sp_units 2 -gpgpu_num_sfu_units 1
-gpgpu_ptx_force_max_capability 20
-gpgpu_shmem_size 49152 -gpgpu_shmem_num_banks 32
-gpgpu_cache:dl2_texture_only 0
-network_mode 1 -inter_config_file n.icnt
-dram_latency 100
-gpgpu_dram_scheduler 1 -gpgpu_dram_return_queue_size 116
-gpgpu_n_mem_per_ctrlr 2 -gpgpu_dram_buswidth 4 -gpgpu_dram_burst_length 8 -dram_data_command_freq_ratio 4
-gpgpu_dram_timing_opt nbk=16:RRD=6:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=4:CDLR=5:WR=12:CCD=2:nbkgrp=4:CCDL=3:RTPL=2
-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS
-ptx_opcode_latency_int 4,13,4,5,145,32 -ptx_opcode_initiation_int 1,2,2,1,8,4
-ptx_opcode_latency_fp 4,13,4,5,39 -ptx_opcode_initiation_fp 1,2,1,1,4
-ptx_opcode_latency_dp 8,19,8,8,330 -ptx_opcode_initiation_dp 8,16,8,8,130
-gpgpu_max_concurrent_kernel 1
)";
    auto const as = [&](std::string const& options, std::string const& network, preset const& p) {
        auto const m =
            import({{"cards/little/gpgpusim.config", common + options}}, {{"cards/little/n.icnt", network}});
        auto g = parameters(m.machine);
        auto const expected = parameters(p);
        for (auto const& f : machine_numbers()) {
            INFO(p.name << ": " << f.name);
            if (f.name == "core.dp_units") // there special-function units do it
                CHECK(read_field(g, f) == 0);
            else
                CHECK(read_field(g, f) == read_field(expected, f));
        }
        CHECK(g.address_mapping == expected.address_mapping);
        return m;
    };
    auto const v4 =
        as(R"(
-gpgpu_pipeline_widths 2,0,0,1,1,2,0,0,1,1,2
-gpgpu_cache:il1 N:4:128:4,L:R:f:N:L,S:2:32,4
-gpgpu_const_cache:l1 N:64:64:2,L:R:f:N:L,S:2:32,4
-gpgpu_tex_cache:l1 N:4:128:24,L:R:m:N:L,T:128:4,128:2
-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:H,S:64:8,8
-gpgpu_cache:dl2 S:64:128:8,L:B:m:L:L,A:256:4,4:0,32
-gpgpu_l1_latency 35 -gpgpu_smem_latency 26 -gpgpu_l2_rop_latency 120
-gpgpu_dram_partition_queues 64:64:64:64 -gpgpu_n_cluster_ejection_buffer_size 32
-dram_bnkgrp_indexing_policy 1
-gpgpu_frfcfs_dram_sched_queue_size 64)",
           "topology = fly; n = 1; flit_size = 40; num_vcs = 1; vc_buf_size = 64; internal_speedup = 2.0;"
           "vc_alloc_delay = 1;",
           preset_numbers::gtx480());
    CHECK(policy_of(v4, "l1d") == "fermi_hash+lru+on_miss+local_back_global_evict+no_allocate");
    CHECK(policy_of(v4, "l2") == "linear+lru+on_miss+write_back+lazy_fetch");
    auto const v3 =
        as(R"(
-gpgpu_pipeline_widths 2,1,1,2,1,1,2
-gpgpu_cache:il1 4:128:4,L:R:f:N:L,A:2:32,4
-gpgpu_const_cache:l1 64:64:2,L:R:f:N:L,A:2:32,4
-gpgpu_tex_cache:l1 4:128:24,L:R:m:N:L,F:128:4,128:2
-gpgpu_cache:dl1 32:128:4,L:L:m:N:H,A:32:8,8
-gpgpu_cache:dl2 64:128:8,L:B:m:W:L,A:32:4,4:0,32
-rop_latency 120
-gpgpu_frfcfs_dram_sched_queue_size 16)",
           "topology = fly; n = 1; flit_size = 32; num_vcs = 1; vc_buf_size = 8; internal_speedup = 1.0;",
           preset_numbers::gtx480_v3());
    CHECK(policy_of(v3, "l2") == "linear+lru+on_miss+write_back+write_and_fetch");
}

TEST_CASE("banks of the L1 and HBM's two command buses") {
    auto const plain = import(little);
    CHECK(number_of(plain, "lsu.l1_banks") == 1);
    CHECK(number_of(plain, "memory.dual_command_bus") == 0);
    auto const hbm = import(std::string(little) + "-gpgpu_l1_banks 4\n-dram_dual_bus_interface 1\n");
    CHECK(number_of(hbm, "lsu.l1_banks") == 4);
    CHECK(number_of(hbm, "memory.dual_command_bus") == 1);
    CHECK(effects(hbm) == effects(plain));
    // Banks that lie otherwise are told.
    CHECK(effects(import(std::string(little) + "-gpgpu_l1_banks_byte_interleaving 64\n")).find("32 bytes") !=
          std::string::npos);
    CHECK(effects(import(std::string(little) + "-gpgpu_l1_banks_hashing_function 2\n")).find("not hashed") !=
          std::string::npos);
}

TEST_CASE("each number says where it is from") {
    auto const m = import(little);
    CHECK(m.machine.numbers.size() == machine_numbers().size() + 1);
    for (auto const& e : m.machine.numbers) {
        INFO(e.name);
        auto const kind = e.comment.substr(0, e.comment.find(": "));
        CHECK((kind == "documented" || kind == "measured" || kind == "estimated"));
    }
    CHECK(comment_of(m, "l1d.ways") ==
          "documented: gpgpusim.config:29: -gpgpu_cache:dl1 S:64:128:4,L:T:m:L:L,A:256:32,16:0,32");
    CHECK(comment_of(m, "core.count") == "documented: gpgpusim.config:2: -gpgpu_n_clusters 3; "
                                         "gpgpusim.config:3: -gpgpu_n_cores_per_cluster 2");
    CHECK(comment_of(m, "core.operand_cycles").find("measured: as gtx480: ") == 0);
    auto const defaults = import(replaced(little, "-gpgpu_l2_rop_latency 194\n", ""));
    CHECK(number_of(defaults, "memory.rop_latency") == 85);
    CHECK(comment_of(defaults, "memory.rop_latency") == "documented: default of -gpgpu_l2_rop_latency: 85");
    // The text is a machine file.
    auto const back = read_machine(text_of(m.machine), "little.toml");
    CHECK(parameters(back) == parameters(m.machine));
}

TEST_CASE("another simulator's memory is no machine of ours") {
    CHECK(refused([] { (void)import(std::string(little) + "-SST_mode 1\n"); }).find("set it to 0") !=
          std::string::npos);
    CHECK_NOTHROW(import(std::string(little) + "-SST_mode 0\n"));
}

TEST_CASE("nothing that is not modelled passes in silence") {
    auto const quiet = import(little);
    CHECK(effects(quiet) ==
          "lacks -gpgpu_n_cores_per_cluster: each core has a port of its own to the network\n");
    // Each option that is not modelled, with a value that asks for something, is told with its effect; with its plain
    // value not.
    for (auto const& o : simulator_options()) {
        if (o.what != fate::not_modelled) continue;
        INFO(o.name);
        std::string const text = o.name;
        auto const given = text.find("-trace_") == 0
                               ? "-trace_opcode_latency_initiation_int 4,1\n" + text + " 7,7"
                           : text.find("shmem_limited") != text.npos      ? text + " 1"
                           : text.find("enable_specialized") != text.npos ? text + " 0"
                                                                          : text + " 7";
        auto const m = import(little + given + '\n');
        bool told = false;
        for (auto const& n : m.notes) {
            bool found = n.option == o.name;
            for (auto const& also : n.also) found = found || also.first == o.name;
            told = told || (found && n.effect == o.text);
        }
        CHECK(told);
        if (std::strlen(o.plain) == 0) continue;
        auto const plain = import(std::string(little) + o.name + ' ' + o.plain + '\n');
        for (auto const& n : plain.notes) CHECK(n.option != o.name);
    }
}

TEST_CASE("every option that is mapped changes the machine") {
    // A value for each that is neither the standard nor little's.
    std::map<std::string, std::string> const values = {
        {"-gpgpu_n_clusters", "5"},
        {"-gpgpu_n_cores_per_cluster", "3"},
        {"-gpgpu_clock_domains", "1001:900:800:1250"},
        {"-gpgpu_compute_capability_major", "2"},
        {"-gpgpu_compute_capability_minor", ""},
        {"-gpgpu_ptx_force_max_capability", ""},
        {"-gpgpu_shader_core_pipeline", "2048:32"},
        {"-gpgpu_shader_registers", "1024"},
        {"-gpgpu_shader_cta", "9"},
        {"-gpgpu_num_sched_per_core", "2"},
        {"-gpgpu_scheduler", "lrr"},
        {"-gpgpu_inst_fetch_throughput", "4"},
        {"-gpgpu_num_sp_units", "3"},
        {"-gpgpu_num_sfu_units", "3"},
        {"-gpgpu_num_dp_units", "3"},
        {"-gpgpu_num_int_units", "3"},
        {"-gpgpu_num_tensor_core_units", "3"},
        {"-gpgpu_sub_core_model", "1"},
        {"-gpgpu_max_insn_issue_per_warp", "3"},
        {"-gpgpu_dual_issue_diff_exec_units", "0"},
        {"-gpgpu_reg_file_port_throughput", "2"},
        {"-ptx_opcode_latency_tesnor", "9"},
        {"-ptx_opcode_initiation_tensor", "9"},
        {"-trace_opcode_latency_initiation_tensor", "9,9"},
        {"-icnt_arbiter_algo", ""},
        {"-gpgpu_kernel_launch_latency", "9"},
        {"-gpgpu_TB_launch_latency", "9"},
        {"-gpgpu_max_concurrent_kernel", "7"},
        {"-gpgpu_concurrent_kernel_sm", ""},
        {"-specialized_unit_#", ""},
        {"-trace_opcode_latency_initiation_spec_op_#", ""},
        {"-ptx_opcode_latency_int", "9,9,9,9,9"},
        {"-ptx_opcode_initiation_int", "9,9,9,9,9"},
        {"-ptx_opcode_latency_fp", "9,9,9,9,9"},
        {"-ptx_opcode_initiation_fp", "9,9,9,9,9"},
        {"-ptx_opcode_latency_dp", "9,9,9,9,9"},
        {"-ptx_opcode_initiation_dp", "9,9,9,9,9"},
        {"-ptx_opcode_latency_sfu", "9"},
        {"-ptx_opcode_initiation_sfu", "9"},
        {"-trace_opcode_latency_initiation_int", "9,9"},
        {"-trace_opcode_latency_initiation_sp", "9,9"},
        {"-trace_opcode_latency_initiation_dp", "9,9"},
        {"-trace_opcode_latency_initiation_sfu", "9,9"},
        {"-gpgpu_pipeline_widths", "1,1,1,1,1,1,1"},
        {"-gpgpu_operand_collector_num_units_mem", "9"},
        {"-gpgpu_operand_collector_num_units_gen", "9"},
        {"-gpgpu_num_reg_banks", "12 @"},
        {"-gpgpu_enable_specialized_operand_collector", "0 @"},
        {"-gpgpu_operand_collector_num_units_sp", "12 @"},
        {"-gpgpu_operand_collector_num_units_dp", "12 @"},
        {"-gpgpu_operand_collector_num_units_sfu", "12 @"},
        {"-gpgpu_operand_collector_num_units_int", "12 @"},
        {"-gpgpu_operand_collector_num_units_tensor_core", "12 @"},
        {"-gpgpu_operand_collector_num_in_ports_sp", "3 @"},
        {"-gpgpu_operand_collector_num_in_ports_dp", "3 @"},
        {"-gpgpu_operand_collector_num_in_ports_sfu", "3 @"},
        {"-gpgpu_operand_collector_num_in_ports_int", "3 @"},
        {"-gpgpu_operand_collector_num_in_ports_tensor_core", "3 @"},
        {"-gpgpu_operand_collector_num_in_ports_mem", "3 @"},
        {"-gpgpu_operand_collector_num_in_ports_gen", "3 @"},
        {"-gpgpu_cache:il1", "8:128:4,L:R:f:N,A:2:32,4"},
        {"-gpgpu_cache:dl1", "S:64:128:4,F:T:m:L:L,A:256:32,16:0,32"},
        {"-gpgpu_const_cache:l1", "none"},
        {"-gpgpu_tex_cache:l1", "none"},
        {"-gpgpu_perfect_inst_const_cache", "1"},
        {"-gpgpu_perfect_mem", "1"},
        {"-gpgpu_perfect_l1", "1"},
        {"-gpgpu_perfect_l2", "1"},
        {"-gpgpu_skip_l2", "1"},
        {"-gpgpu_l1_latency", "9"},
        {"-gpgpu_l1_cache_write_ratio", "9"},
        {"-gpgpu_gmem_skip_L1D", "1"},
        {"-gpgpu_adaptive_cache_config", "1"},
        {"-gpgpu_unified_l1d_size", "96 -gpgpu_adaptive_cache_config 1"},
        {"-gpgpu_shmem_option", "16,32 -gpgpu_adaptive_cache_config 1"},
        {"-gpgpu_coalesce_arch", "20"},
        {"-gpgpu_shmem_size", "9"},
        {"-gpgpu_smem_latency", "9"},
        {"-gpgpu_shmem_num_banks", "9"},
        {"-network_mode", "1 -inter_config_file n.icnt"},
        {"-inter_config_file", "n.icnt -network_mode 1"},
        {"-icnt_in_buffer_limit", "9"},
        {"-icnt_out_buffer_limit", "9"},
        {"-gpgpu_n_cluster_ejection_buffer_size", "9"},
        {"-gpgpu_n_mem", "8"},
        {"-gpgpu_n_sub_partition_per_mchannel", "4"},
        {"-gpgpu_cache:dl2", "none"},
        {"-gpgpu_cache:dl2_texture_only", "1"},
        {"-l2_ideal", "1"},
        {"-gpgpu_dram_partition_queues", "9:9:9:9"},
        {"-gpgpu_l2_rop_latency", "9"},
        {"-dram_latency", "9"},
        {"-gpgpu_memory_partition_indexing", "0"},
        {"-gpgpu_dram_scheduler", "0"},
        {"-gpgpu_frfcfs_dram_sched_queue_size", "9"},
        {"-gpgpu_dram_return_queue_size", "0"},
        {"-gpgpu_n_mem_per_ctrlr", "1"},
        {"-gpgpu_dram_buswidth", "2"},
        {"-gpgpu_dram_burst_length", "8"},
        {"-dram_data_command_freq_ratio", "8"},
        {"-gpgpu_dram_timing_opt", "16:4:12:24:54:24:79:23:8:10:25:4:6:3"},
        {"-gpgpu_mem_addr_mapping",
         "dramid@9;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS"},
        {"-gpgpu_mem_address_mask", ""},
        {"-dram_bnk_indexing_policy", "1"},
        {"-dram_bnkgrp_indexing_policy", "0"},
        {"-gpgpu_l1_banks", "4"},
        {"-dram_dual_bus_interface", "1"}};
    file_map const files = {{"cards/little/n.icnt", "flit_size = 40; num_vcs = 1; vc_buf_size = 64;"}};
    auto const numbers_and_policies = [](imported_machine const& m) {
        auto g = parameters(m.machine);
        std::string all = g.address_mapping;
        for (auto const& f : machine_numbers()) all += ' ' + std::to_string(read_field(g, f));
        for (auto const& p : m.machine.policies) all += ' ' + p.value;
        return all;
    };
    // Those with an @ are of a machine with sub-cores, and collectors.
    std::string const parted = std::string(little) + "-gpgpu_sub_core_model 1\n"
                                                     "-gpgpu_operand_collector_num_units_gen 8\n"
                                                     "-gpgpu_operand_collector_num_in_ports_gen 8\n"
                                                     "-gpgpu_operand_collector_num_out_ports_gen 8\n";
    auto const with_collectors = numbers_and_policies(import(parted));
    auto const before = numbers_and_policies(import(little));
    auto const traced =
        numbers_and_policies(import(std::string(little) + "-trace_opcode_latency_initiation_tensor 1,1\n"));
    for (auto const& o : simulator_options()) {
        if (o.what != fate::mapped) continue;
        INFO(o.name);
        REQUIRE(values.count(o.name) == 1);
        auto const& value = values.at(o.name);
        if (value.empty()) continue; // below
        if (value.back() == '@') {
            auto const text = parted + o.name + ' ' + value.substr(0, value.size() - 2) + '\n';
            CHECK(numbers_and_policies(import(text)) != with_collectors);
            continue;
        }
        auto const text = std::string(little) + o.name + ' ' + value + '\n';
        auto const after = numbers_and_policies(import({{"cards/little/gpgpusim.config", text}}, files));
        CHECK(after != before);
        CHECK(after != traced);
    }
    // Those that need others to be away, or there.
    for (auto const in_turn : {0U, 1U})
        CHECK(number_of(import(std::string(little) + "-network_mode 2\n-icnt_arbiter_algo " +
                               std::to_string(in_turn) + '\n'),
                        "network.outputs_in_turn") == in_turn);
    auto const other_mask = [&](char const* mask) {
        auto text = replaced(little, "-gpgpu_mem_addr_mapping", "#");
        text = replaced(text, "-gpgpu_mem_address_mask 1", std::string("-gpgpu_mem_address_mask ") + mask);
        return parameters(
                   import(replaced(text, "nbk=16", "nbk=4") + "-gpgpu_memory_partition_indexing 0\n").machine)
            .address_mapping;
    };
    CHECK(other_mask("0") ==
          "dramid@10;00000000.00000000.00000000.00000000.00000RRR.RRRRRRRR.RRRCCCBB.CCCCCCCC");
    CHECK(other_mask("1") ==
          "dramid@13;00000000.00000000.00000000.00000000.00000RRR.RRRRRRRR.RRRBBCCC.CCCCCCCC");
    auto const capability = [&](std::string const& options) {
        auto const text = replaced(replaced(little, "-gpgpu_compute_capability_major 7", ""),
                                   "-gpgpu_compute_capability_minor 5", "");
        return number_of(import(text + options), "core.max_registers_per_thread");
    };
    CHECK(capability("-gpgpu_ptx_force_max_capability 13") == 128);
    CHECK(capability("-gpgpu_ptx_force_max_capability 20") == 63);
    CHECK(capability("-gpgpu_ptx_force_max_capability 35") == 255);
    CHECK(capability("-gpgpu_compute_capability_major 3 -gpgpu_compute_capability_minor 0") == 63);
    CHECK(capability("-gpgpu_compute_capability_major 3 -gpgpu_compute_capability_minor 5") == 255);
}

TEST_CASE("with options of a trace.config, latencies are those of traces") {
    config_file const machine{"cards/little/gpgpusim.config", little};
    config_file const trace{
        "cards/little/trace.config",
        "-trace_opcode_latency_initiation_int 2,3\n-trace_opcode_latency_initiation_sp 5,6\n"
        "-trace_opcode_latency_initiation_dp 64,32\n-trace_opcode_latency_initiation_sfu 21,8\n"
        "-specialized_unit_2 1,4,4,4,4,BRA\n-trace_opcode_latency_initiation_spec_op_2 7,9\n"
        "-specialized_unit_3 1,8,4,4,4,UDP\n-specialized_unit_4 0,4,4,4,4,TENSOR\n"
        "-specialized_unit_5 1,4,200,4,4,TEX\n"};
    auto const m = import({machine, trace});
    CHECK(m.traces);
    CHECK(number_of(m, "core.latency.int_mad") == 2);
    CHECK(number_of(m, "core.initiation.int_div") == 3);
    CHECK(number_of(m, "core.latency.fp_div") == 5);
    CHECK(number_of(m, "core.initiation.fp_add") == 6);
    CHECK(number_of(m, "core.latency.dp_mul") == 64);
    CHECK(number_of(m, "core.initiation.special") == 8);
    CHECK(number_of(m, "core.latency.branch") == 7);
    CHECK(number_of(m, "core.initiation.branch") == 9);
    CHECK(number_of(m, "core.instruction_bytes") == 16); // Volta and later
    CHECK(number_of(m, "core.fetch_bytes") == 32);
    CHECK(number_of(m, "l1c.size") == 0); // a constant is loaded by an integer instruction
    CHECK(number_of(m, "lsu.constant_latency") == 2);
    CHECK(comment_of(m, "core.latency.branch") ==
          "documented: trace.config:6: -trace_opcode_latency_initiation_spec_op_2 7,9");
    CHECK(number_of(m, "core.branch_units") == 4);
    CHECK(number_of(m, "core.uniform_units") == 8);
    CHECK(number_of(m, "core.latency.uniform") ==
          4); // the default of -trace_opcode_latency_initiation_spec_op_3
    CHECK(number_of(m, "core.tensor_units") == 0); // it is off
    CHECK(number_of(m, "core.perfect_branches") == 1);
    CHECK(effects(m).find("-specialized_unit_5: no unit TEX") != std::string::npos);
    CHECK(number_of(import(little), "core.latency.int_mad") == 6);
}

TEST_CASE("intersim's network becomes a crossbar or a mesh") {
    auto const text = replaced(little, "-network_mode 2", "-network_mode 1\n-inter_config_file n.icnt");
    auto const with = [&](std::string const& network) {
        return import({{"cards/little/gpgpusim.config", text}}, {{"cards/little/n.icnt", network}});
    };
    auto const fly =
        with("topology = fly;\nk = 27;\nn = 1;\nflit_size = 40;\nnum_vcs = 1;\nvc_buf_size = 64;\n"
             "internal_speedup = 2.0;\nvc_alloc_delay = 1;\nsubnets = 2;\ninput_speedup = 2;\n");
    CHECK(fly.machine.base == "gtx480");
    CHECK(number_of(fly, "network.flit") == 40);
    CHECK(number_of(fly, "network.speedup") == 2);
    CHECK(number_of(fly, "network.allocation") == 1);
    CHECK(number_of(fly, "network.outputs_in_turn") == 0);
    CHECK(number_of(fly, "network.input_flits") == 64);
    CHECK(comment_of(fly, "network.flit") == "documented: n.icnt:4: flit_size = 40");
    CHECK(effects(fly).find("lacks input_speedup: the network has no such number or policy") !=
          std::string::npos);
    CHECK(effects(fly).find("subnets") == std::string::npos);
    // Room for a packet there must be.
    auto const small = with("topology = fly; n = 1; num_vcs = 1; vc_buf_size = 2; flit_size = 32;");
    CHECK(number_of(small, "network.input_flits") == 5);
    CHECK(effects(small).find("changed vc_buf_size: network.input_flits = 5: room for the largest packet") !=
          std::string::npos);
    auto const mesh = with("topology = mesh; k = 4; n = 2; num_vcs = 2; vc_buf_size = 8; flit_size = 32;"
                           "routing_function = dim_order;");
    CHECK(mesh.machine.base == "owl");
    CHECK(policy_of(mesh, "network") == "mesh");
    CHECK(number_of(mesh, "network.columns") == 4);
    CHECK(number_of(mesh, "network.rows") == 4);
    CHECK(number_of(mesh, "network.virtual_channels") == 2);
    // A file that is not there leaves the base's, which is told; one that is malformed is refused at its place.
    auto const missing = import({{"cards/little/gpgpusim.config", text}});
    CHECK(number_of(missing, "network.flit") == 40);
    CHECK(effects(missing).find("lacks -inter_config_file: cannot read cards/little/n.icnt") !=
          std::string::npos);
    CHECK(refused([&] { (void)with("k = 27;\nn 1;"); }) ==
          "cards/little/n.icnt:2: 'n' has no value; write name = value;");
    CHECK(refused([&] {
              (void)with("topology = fly; n = 1;\nflit_size = wide;");
          }).find("cards/little/n.icnt:2: flit_size = wide: expected a whole number") == 0);
}

TEST_CASE("what does not fit is changed to the nearest, and told") {
    auto const wide = import(std::string(little) + "-gpgpu_cache:dl1 S:4:128:256,L:T:s:L:L,A:384:48,16:0,32\n"
                                                   "-dram_data_command_freq_ratio 2\n");
    CHECK(number_of(wide, "l1d.size") == 131072);
    CHECK(number_of(wide, "l1d.ways") == 256);
    CHECK(policy_of(wide, "l1d") == "linear+lru+streaming+write_through+lazy_fetch");
    CHECK(effects(wide).find("l1d.ways") == std::string::npos);
    auto const wider =
        import(std::string(little) + "-gpgpu_cache:dl1 S:2:128:1024,L:T:s:L:L,A:384:48,16:0,32\n");
    CHECK(number_of(wider, "l1d.size") == 262144);
    CHECK(number_of(wider, "l1d.ways") == 512);
    CHECK(effects(wider).find("changed -gpgpu_cache:dl1: l1d.ways = 512 and 4 sets in place of 1024 and 2") !=
          std::string::npos);
    CHECK(number_of(wide, "dram.ccd") == 8); // a burst of 16 beats at 2 each
    auto const tight = import(replaced(little, "RC=78", "RC=70"));
    CHECK(number_of(tight, "dram.rc") == 78);
    CHECK(effects(tight).find("changed -gpgpu_dram_timing_opt: dram.rc = 78: RAS and RP together are more") !=
          std::string::npos);
    auto const folded = import(std::string(little) + "-gpgpu_n_mem 24 -gpgpu_memory_partition_indexing 2\n");
    CHECK(parameters(folded.machine).address_mapping.find("ipoly:") == 0);
    CHECK(effects(folded).find("hash") == std::string::npos);
    auto const untold = import(std::string(little) + "-gpgpu_memory_partition_indexing 6\n");
    CHECK(effects(untold).find("lacks -gpgpu_memory_partition_indexing: the partition is not hashed") !=
          std::string::npos);
    auto const hashes =
        import(std::string(little) + "-gpgpu_n_mem 3 -gpgpu_memory_partition_indexing 2\n"
                                     "-gpgpu_cache:dl2 S:128:128:16,L:B:m:W:P,A:192:4,1:0,32\n");
    CHECK(parameters(hashes.machine).address_mapping.find("ipoly") == std::string::npos);
    CHECK(effects(hashes).find("changed -gpgpu_memory_partition_indexing: the partition is not hashed") !=
          std::string::npos);
    CHECK(effects(hashes).find(
              "changed -gpgpu_cache:dl2: l2 has a linear set index: IPOLY is defined for 16, 32 and 64") !=
          std::string::npos);
    CHECK(number_of(hashes, "l2.miss_queue") ==
          3); // a store that misses there is sent on, fetched for, and may evict
    auto const fetches = import(std::string(little) + "-gpgpu_inst_fetch_throughput 4\n");
    CHECK(number_of(fetches, "core.fetches") == 4);
    CHECK(number_of(fetches, "core.kernel_launch_cycles") == 0);
    auto const launch =
        import(std::string(little) + "-gpgpu_kernel_launch_latency 5000\n-gpgpu_TB_launch_latency 3\n");
    CHECK(number_of(launch, "core.kernel_launch_cycles") == 5000);
    CHECK(number_of(launch, "core.cta_launch_cycles") == 3);
    CHECK(number_of(launch, "core.kernels") == 1);
    auto const several = import(replaced(little, "-gpgpu_max_concurrent_kernel 1",
                                         "-gpgpu_max_concurrent_kernel 8\n-gpgpu_concurrent_kernel_sm 1"));
    CHECK(number_of(several, "core.kernels") == 8);
    CHECK(policy_of(several, "kernel_dispatch") == "leftover:cores=shared");
    CHECK(policy_of(launch, "kernel_dispatch") == "leftover");
    CHECK(number_of(fetches, "core.fetch_bytes") == 16);
    CHECK(number_of(fetches, "core.instruction_buffer") == 2);
    auto const parted =
        import(replaced(little, "-gpgpu_num_sfu_units 2", "-gpgpu_num_sfu_units 2\n-gpgpu_sub_core_model 1"));
    CHECK(number_of(parted, "core.sub_cores") == 4);
    CHECK(number_of(parted, "core.register_banks") == 8);
    CHECK(number_of(parted, "core.latches.load_store") == 4);
    CHECK(number_of(parted, "core.result_buses") == 8);
    CHECK(number_of(parted, "core.collectors.any") ==
          4); // none is given, and integers have none of their own
    CHECK(number_of(parted, "core.collectors.sp") == 4);
    CHECK(number_of(import(replaced(little, "-gpgpu_num_dp_units 1", "-gpgpu_num_dp_units 0")),
                    "core.dp_units") == 0);
    CHECK(number_of(parted, "core.sp_units") == 4);
    CHECK(number_of(parted, "core.sfu_units") == 4);
    CHECK(
        effects(parted).find("changed -gpgpu_num_sfu_units: core.sfu_units = 4: each sub-core has as many") !=
        std::string::npos);
    auto const twice = import(std::string(little) + "-gpgpu_shader_cta 12\n");
    CHECK(number_of(twice, "core.ctas") == 12);
    CHECK(effects(twice).find("changed -gpgpu_shader_cta: given again at cards/little/gpgpusim.config:") !=
          std::string::npos);
}

TEST_CASE("an adaptive L1 is what shared memory leaves") {
    auto const text = std::string(little) + "-gpgpu_adaptive_cache_config 1\n-gpgpu_unified_l1d_size 128\n"
                                            "-gpgpu_shmem_option 0,8,16,32,64,96\n";
    auto const size = [&](std::uint64_t shared) {
        import_options how;
        how.shared_used = shared;
        return number_of(import(text, how), "l1d.size") / 1024;
    };
    CHECK(size(0) == 128);
    CHECK(size(1) == 120);
    CHECK(size(8192) == 120);
    CHECK(size(20000) == 96);
    CHECK(size(65536) == 64);
    CHECK(size(98304) == 32);
    // Without it, the machine sees to it kernel by kernel.
    auto const each = import(text);
    CHECK(number_of(each, "core.unified_bytes") == 131072);
    CHECK(effects(each).find("shared memory of a kernel takes 0, 8, 16, 32, 64 KiB of the L1") !=
          std::string::npos);
    auto const as_modelled = import(replaced(text, "-gpgpu_shmem_size 65536", "-gpgpu_shmem_size 98304"));
    CHECK(effects(as_modelled).find("-gpgpu_shmem_option") == std::string::npos);
    CHECK(effects(as_modelled).find("-gpgpu_adaptive") == std::string::npos);
    auto const numbers = parameters(as_modelled.machine);
    for (std::uint64_t used = 0; used <= 98304; used += 512) {
        INFO(used);
        if (used != 0) CHECK(l1_lines(numbers, used) * 128 / 1024 == size(used));
    }
    CHECK(l1_lines(numbers, 0) == 1024);
    CHECK(number_of(import(little), "core.unified_bytes") == 0);
    CHECK(refused([&] {
              (void)size(98305);
          }).find("98305 bytes of shared memory in use, but the largest choice is 96 KiB") !=
          std::string::npos);
}

TEST_CASE("mistakes in a configuration are told with file, line, option and remedy") {
    auto const wrong = [](std::string const& line) { return refused([&] { (void)import("\n" + line); }); };
    std::string const at = "cards/little/gpgpusim.config:2: ";
    CHECK(wrong("-gpgpu_n_cluster 4") ==
          at + "there is no option -gpgpu_n_cluster (did you mean -gpgpu_n_clusters?); to go "
               "without it: --skip -gpgpu_n_cluster");
    CHECK(wrong("-gpgpu_n_clusters") == at + "-gpgpu_n_clusters has no value; it is for clusters of cores");
    CHECK(wrong("-gpgpu_n_clusters -gpgpu_n_mem 8").find(at + "-gpgpu_n_clusters has no value") == 0);
    CHECK(wrong("-gpgpu_n_clusters four") == at + "-gpgpu_n_clusters 'four': expected a whole number, the "
                                                  "value at position 1, found 'four'; write a whole number");
    CHECK(wrong("-gpgpu_n_clusters 0") == at + "-gpgpu_n_clusters 0: a machine has one core at least");
    CHECK(wrong("-gpgpu_shader_core_pipeline 1024:16") ==
          at + "-gpgpu_shader_core_pipeline 1024:16: warps of 16 lanes; only warps of 32 are modelled, as "
               "threads:32");
    CHECK(wrong("-gpgpu_simd_model 2") == at + "-gpgpu_simd_model 2: other models than the stack of "
                                               "post-dominators are of GPGPU-Sim 2.x; set it to 1");
    CHECK(
        wrong("-gpgpu_ptx_sim_mode 1").find(at + "-gpgpu_ptx_sim_mode 1: a machine without timing is none") ==
        0);
    CHECK(wrong("-gpgpu_n_shader 8") ==
          at + "-gpgpu_n_shader 8: of GPGPU-Sim 2.x, whose machine is another one; configure a 3.x or later");
    CHECK(wrong("-gpgpu_scheduler elf").find(at + "-gpgpu_scheduler 'elf': there is no such scheduler") == 0);
    CHECK(wrong("-network_mode 3") ==
          at + "-network_mode 3: there is 1, intersim, and 2, GPGPU-Sim's own crossbar");
    CHECK(wrong("-gpgpu_cache:il1 none")
              .find(at + "-gpgpu_cache:il1 none: a core without an instruction cache") == 0);
    CHECK(wrong("-gpgpu_cache:dl1 0:128:4,L:L:m:N,A:1:1,1").find("a cache without sets, ways or lines") !=
          std::string::npos);
    CHECK(wrong("-gpgpu_cache:dl1 4:100:4,L:L:m:N,A:1:1,1").find("lines of 100 bytes") != std::string::npos);
    CHECK(wrong("-gpgpu_mem_address_mask 7").find(at + "-gpgpu_mem_address_mask 7: there is no such mask") ==
          0);
    CHECK(wrong("-gpgpu_mem_addr_mapping dramid@8;RRBBCC")
              .find(at + "-gpgpu_mem_addr_mapping: address mapping") == 0);
    CHECK(wrong("-gpgpu_dram_timing_opt nbk=8").find(at + "-gpgpu_dram_timing_opt 'nbk=8': CCD is missing") ==
          0);
    CHECK(
        wrong("-gpgpu_pipeline_widths 1,1,1,1,1,1,1,1").find("8 widths; write 7, 9, 11 or 13 with commas") !=
        std::string::npos);
    CHECK(refused([] { (void)import(std::vector<config_file>{}); }) ==
          "nothing to import; give gpgpusim.config, and trace.config for traces");
    // What the numbers together cannot be, and how to mend it here.
    auto const text =
        replaced(little, "-gpgpu_n_sub_partition_per_mchannel 2", "-gpgpu_n_sub_partition_per_mchannel 3");
    CHECK(refused([&] { (void)import(text); }).find("sub_partitions = 3 is not a power of two") !=
          std::string::npos);
    auto const slow = replaced(little, "CL=23", "CL=0");
    CHECK(refused([&] { (void)import(slow); }) == "the machine of cards/little/gpgpusim.config: dram timing: "
                                                  "cl = 0 is less than one cycle; nearest legal value: 1; "
                                                  "set another one with --set");
    import_options how;
    how.settings = {"dram.cl=20"};
    auto const mended = import(slow, how);
    CHECK(number_of(mended, "dram.cl") == 20);
    CHECK(comment_of(mended, "dram.cl") == "set: --set dram.cl=20");
    how.settings.clear();
    how.skipped = {"-of_my_own"};
    CHECK(number_of(import(std::string(little) + "-of_my_own 5\n", how), "core.count") == 6);
}

TEST_CASE("a configuration without options is GPGPU-Sim's standard machine") {
    auto const m = import("-gpgpu_cache:dl2_texture_only 0");
    CHECK(number_of(m, "core.count") == 30);
    CHECK(number_of(m, "l2.size") == 65536);
    CHECK(number_of(m, "l1d.size") == 0);
    CHECK(policy_of(m, "warp_scheduler") == "gto");
}

// Whatever stands in the files, they become a machine that check() likes, or are refused with one line that names a
// file.
TEST_CASE("configurations cut short, with words changed, or made of noise are imported or refused") {
    std::mt19937 random(24);
    std::string const whole = std::string(little) +
                              "-trace_opcode_latency_initiation_int 2,3\n-specialized_unit_1 "
                              "1,4,4,4,4,BRA\n-trace_opcode_latency_initiation_spec_op_1 7,9\n";
    unsigned imported = 0;
    auto const try_it = [&](std::string const& text) {
        try {
            auto const m = import(text);
            check(parameters(m.machine));
            CHECK(parameters(read_machine(text_of(m.machine), "m.toml")) == parameters(m.machine));
            ++imported;
        } catch (error const& e) {
            std::string const what = e.what();
            INFO(text);
            CHECK(what.find("cards/little/gpgpusim.config") != what.npos);
            CHECK(what.find('\n') == what.npos);
        }
    };
    for (std::size_t n = 0; n <= whole.size(); n += 28 / fewer(4)) try_it(whole.substr(0, n));
    std::vector<std::string> words;
    std::istringstream in(whole);
    for (std::string w; in >> w;) words.push_back(w);
    auto const some = [&](char const* letters) {
        std::string text;
        for (auto n = 1 + random() % 6; n != 0; --n) text += letters[random() % std::strlen(letters)];
        return text;
    };
    for (unsigned i = 0; i < fewer(400); ++i) {
        auto text = whole;
        for (auto n = 1 + random() % 3; n != 0; --n) {
            auto const at = random() % text.size();
            auto const length = random() % 4;
            text.replace(at, std::min<std::size_t>(length, text.size() - at),
                         some("0123456789:,=LRBTEmfsNSAH\"#- \n"));
        }
        try_it(text);
    }
    // Values from other places, and numbers of all sizes.
    for (unsigned i = 0; i < fewer(400); ++i) {
        auto const& options = simulator_options();
        auto const& o = options[random() % options.size()];
        std::string const value =
            random() % 2 == 0 ? words[random() % words.size()] : std::to_string(random() >> (random() % 32));
        try_it(whole + o.name + ' ' + value + '\n');
    }
    CHECK(imported > fewer(200));
}
