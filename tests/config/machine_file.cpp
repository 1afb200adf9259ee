// Machines in files: what is read, what is written, and what is refused where.
#include <warpkit/config/machine_file.hpp>

#include "catch.hpp"

#include <random>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

constexpr char const* mine = R"(# a machine
address_mapping = "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS"

[machine]
name = "mine"
title = "of my own"
base = "gtx480"   # the rest

[policies]
warp_scheduler = "two_level:active=8"
l1d = "linear+lru+on_miss+write_through+lazy_fetch"

[core]
count = 20            # documented: a data sheet
[core.latency]
fp_mad = 6
[l1d]
size = "32 KiB"
"ways" = 8
[clock]
core = '1_000MHz'
)";

machine_file read(std::string const& text) { return read_machine(text, "m.toml"); }
std::string refused(std::string const& text) {
    try {
        (void)read(text);
    } catch (error const& e) {
        return e.what();
    }
    return "accepted";
}
std::string with(std::string const& line) {
    return "[machine]\nname = \"mine\"\nbase = \"gtx480\"\n" + line + '\n';
}

} // namespace

TEST_CASE("a machine file names what differs from its base") {
    auto const m = read(mine);
    CHECK(m.name == "mine");
    CHECK(m.title == "of my own");
    CHECK(base_of(m).name == std::string("gtx480"));
    auto const g = parameters(m);
    auto expected = parameters(preset_numbers::gtx480());
    expected.name = "mine";
    expected.core.count = 20;
    expected.core.latency[static_cast<unsigned>(op_class::fp_mad)] = 6;
    expected.l1d.size = 32768;
    expected.l1d.ways = 8;
    expected.clock.core = 1'000'000;
    expected.l1d_variant = "linear+lru+on_miss+write_through+lazy_fetch";
    CHECK(g == expected);
    REQUIRE(m.policies.size() == 2);
    CHECK(m.policies[0].name == "warp_scheduler");
    CHECK(m.policies[0].value == "two_level:active=8");
    REQUIRE(m.numbers.size() == 6);
    CHECK(m.numbers[1].name == "core.count");
    CHECK(m.numbers[1].comment == "documented: a data sheet");
    CHECK(m.numbers[1].line == 14);
}

TEST_CASE("a machine file that is written is read back, provenance and all") {
    auto const m = read(mine);
    auto const text = text_of(m);
    auto const again = read(text);
    CHECK(parameters(again) == parameters(m));
    CHECK(text_of(again) == text);
    CHECK(again.numbers[1].comment == "documented: a data sheet");
    auto odd = m;
    odd.title = "quotes \" and \\ and\nlines";
    CHECK(read(text_of(odd)).title == odd.title);
    auto const windows = [](std::string s) {
        for (std::size_t at = 0; (at = s.find('\n', at)) != s.npos; at += 2) s.insert(at, "\r");
        return s;
    };
    CHECK(parameters(read("\xef\xbb\xbf" + windows(text))) == parameters(m));
}

TEST_CASE("every preset is a machine file of itself") {
    for (auto const* p : preset_numbers::all()) {
        INFO(p->name);
        auto const g = parameters(*p);
        machine_file m{"m.toml", "copy", p->title, "gtx480", {}, {}};
        m.numbers.push_back({"address_mapping", g.address_mapping, "", 0});
        if (!g.memory_nodes.empty()) m.numbers.push_back({"memory_nodes", g.memory_nodes, "", 0});
        for (auto const& f : machine_numbers())
            m.numbers.push_back({f.name, entry_value(read_field(g, f), f.unit), "documented: there", 0});
        auto back = parameters(read(text_of(m)));
        back.name = g.name;
        CHECK(back == g);
    }
}

TEST_CASE("mistakes in a machine file are told with their line") {
    CHECK(refused("") ==
          "m.toml: no base; begin with [machine], and in it base = \"gtx480\", the preset that has what is "
          "not named here");
    CHECK(refused("[machine]\nbase = \"gtx480\"\n") ==
          "m.toml: [machine] needs a name of letters, digits, '_', '-' and '.'");
    CHECK(refused("[machine]\nbase = \"gtx48\"\nname = \"a\"") ==
          "m.toml: base: there is no preset 'gtx48' (did you mean gtx480?)");
    CHECK(refused("[machine]\nbase = \"gtx480\"\nname = \"owl\"") ==
          "m.toml: the name owl is a preset's; call the machine something else");
    CHECK(refused("[machine]\nbases = \"gtx480\"") ==
          "m.toml:2: [machine] has no 'bases' (did you mean base?); it has name, title and base");
    CHECK(refused(with("[l1d]\nsise = 4")) ==
          "m.toml:5: there is no number l1d.sise (did you mean l1d.size?)");
    CHECK(refused(with("[l1d]\nsize = \"4 MHz\"")) ==
          "m.toml:5: l1d.size: '4 MHz' does not suit; expected bytes: a number, or one with KiB, MiB or GiB");
    CHECK(refused(with("[l1d]\nsize = 4\nsize = 8")) == "m.toml:6: l1d.size is there twice; keep one value");
    CHECK(refused(with("[l1d]\nsize = 4\n[l1d]\n")) ==
          "m.toml:6: the table [l1d] is there twice; put its values together");
    CHECK(refused(with("[l1d]\nsize = 48KiB")) == "m.toml:5: l1d.size = 48KiB: a value is a whole number, or "
                                                  "a text in quotation marks, as in \"48 KiB\"");
    CHECK(refused(with("[l1d]\nsize =")) == "m.toml:5: l1d.size = nothing: a value is a whole number, or a "
                                            "text in quotation marks, as in \"48 KiB\"");
    CHECK(refused(with("[l1d]\nsize = 1.5")).find("m.toml:5: l1d.size = 1.5: a value is a whole number") ==
          0);
    CHECK(refused(with("[l1d]\nsize = [4]")).find("m.toml:5: l1d.size = [4]: a value is") == 0);
    CHECK(refused(with("[l1d]\nsize = \"48 KiB")) ==
          "m.toml:5: a text does not end on its line; close it with \"");
    CHECK(refused(with("[l1d]\nsize = \"\"\"48\"\"\"")) ==
          "m.toml:5: a text of several lines; write it on one");
    CHECK(refused(with("[l1d]\nsize = 4 ways = 8")) ==
          "m.toml:5: something behind the value; one value a line");
    CHECK(refused(with("[l1d")) == "m.toml:4: the name of a table ends with ']'");
    CHECK(refused(with("[[l1d]]")) ==
          "m.toml:4: an array of tables; a machine has each table once: write [table]");
    CHECK(refused(with("[l1d]\nsize")) == "m.toml:5: l1d.size has no value; write name = value");
    CHECK(refused(with("= 4")) == "m.toml:4: expected a name, as in size = 4096");
    CHECK(refused(with("[policies]\nscheduler = \"lrr\"")).find("m.toml:5: there is no seat 'scheduler'") ==
          0);
    CHECK(refused(with("[policies]\nwarp_scheduler = \"\"")) ==
          "m.toml:5: the seat warp_scheduler is empty; name its policy, or leave it out");
}

TEST_CASE("files of --set hold numbers alone") {
    CHECK(settings_in("l1d.size = \"48 KiB\"\n[core.latency]\nfp_mad = 6 # slow\n", "s.toml") ==
          std::vector<std::string>{"l1d.size=48 KiB", "core.latency.fp_mad=6"});
    auto const refuse = [](std::string const& text) -> std::string {
        try {
            (void)settings_in(text, "s.toml");
        } catch (error const& e) {
            return e.what();
        }
        return "accepted";
    };
    CHECK(refuse("\n[core]\ncont = 4") ==
          "s.toml:3: there is no number core.cont (did you mean core.count?)");
    CHECK(refuse("[policies]\nl1d = \"lru\"") == "s.toml:2: policies.l1d belongs to a machine, and --set "
                                                 "takes numbers alone; give the file to --machine");
}

// Whatever a file holds, it is read or refused: it never crashes, and what it says of lines is true.
TEST_CASE("machine files cut short, with bytes changed, or made of noise are read or refused") {
    std::mt19937 random(24);
    std::string const whole = mine;
    auto const try_it = [](std::string const& text) {
        try {
            auto const m = read(text);
            CHECK(parameters(read(text_of(m))) == parameters(m));
        } catch (error const& e) {
            std::string const what = e.what();
            CHECK(what.substr(0, 6) == "m.toml");
            CHECK(what.find('\0') == what.npos);
        }
    };
    for (std::size_t n = 0; n <= whole.size(); ++n) try_it(whole.substr(0, n));
    for (int i = 0; i < 2000; ++i) {
        auto text = whole;
        for (int k = static_cast<int>(random() % 4); k >= 0; --k)
            text[random() % text.size()] = "\"'\\=[]#.\n 09az\t\r_"[random() % 17];
        try_it(text);
    }
    for (int i = 0; i < 2000; ++i) {
        std::string text;
        for (auto n = random() % 40; n != 0; --n) text += static_cast<char>(random() % 256);
        try_it(text);
    }
}
