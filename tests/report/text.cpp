#include <warpkit/report/text.hpp>

#include "catch.hpp"

#include <limits>
#include <sstream>

using namespace warpkit::report;

namespace {

std::string printed(text_table const& t, std::size_t width = 0, std::size_t keys = 1) {
    std::ostringstream out;
    t.print(out, width, keys);
    return out.str();
}

} // namespace

TEST_CASE("columns are as wide as their widest cell, numbers to the right, names to the left") {
    text_table t({{"kernel", alignment::left}, {"cycles"}, {"IPC", alignment::right, "warp"}});
    t.add_row({"vecadd", "42,602", "5.8"});
    t.add_row({"sgemm", "1", "12.25"});
    CHECK(printed(t) == "kernel  cycles    IPC\n"
                        "                 warp\n"
                        "---------------------\n"
                        "vecadd  42,602    5.8\n"
                        "sgemm        1  12.25\n");
}

TEST_CASE("rules part rows, missing cells are empty, and no line ends in blanks") {
    text_table t({{"a", alignment::left}, {"b", alignment::left}});
    t.add_row({"1"});
    t.add_rule();
    t.add_row({"2", "22"});
    CHECK(printed(t) == "a  b\n-----\n1\n-----\n2  22\n");
}

TEST_CASE("the width of text is what a terminal shows") {
    CHECK(display_width("") == 0);
    CHECK(display_width("warp") == 4);
    CHECK(display_width("µs") == 2);
    CHECK(display_width("é") == 1);        // one code point
    CHECK(display_width("e\u0301") == 1);  // a letter and a combining accent
    CHECK(display_width("漢字") == 4);     // two columns each
    CHECK(display_width("\xff\xfe") == 2); // malformed: one column a byte
    text_table t({{"unit", alignment::left}, {"n"}});
    t.add_row({"µs", "1"});
    t.add_row({"漢字漢", "2"});
    CHECK(printed(t) == "unit    n\n---------\nµs      1\n漢字漢  2\n");
}

TEST_CASE("a table too wide is broken, and each part repeats the keys") {
    text_table t({{"k", alignment::left}, {"aaaa"}, {"bbbb"}, {"cccc"}});
    t.add_row({"x", "1", "2", "3"});
    CHECK(printed(t, 13) == "k  aaaa  bbbb\n"
                            "-------------\n"
                            "x     1     2\n"
                            "\n"
                            "k  cccc\n"
                            "-------\n"
                            "x     3\n");
    CHECK(printed(t, 3) ==
          "k  aaaa\n-------\nx     1\n\nk  bbbb\n-------\nx     2\n\nk  cccc\n-------\nx     3\n");
    CHECK(printed(t, 100) == printed(t));
}

TEST_CASE("a table without rows has its header, and one without columns is nothing") {
    CHECK(printed(text_table({{"a"}})) == "a\n-\n");
    CHECK(printed(text_table(std::vector<column>{})) == "\n\n");
}

TEST_CASE("numbers are spelled for people") {
    CHECK(with_thousands(0) == "0");
    CHECK(with_thousands(999) == "999");
    CHECK(with_thousands(1000) == "1,000");
    CHECK(with_thousands(~std::uint64_t{0}) == "18,446,744,073,709,551,615");
    CHECK(fixed(1.0 / 3, 2) == "0.33");
    CHECK(fixed(-0.5, 0) == "-0");
    CHECK(fixed(std::numeric_limits<double>::quiet_NaN(), 2) == "-");
    CHECK(fixed(std::numeric_limits<double>::infinity(), 2) == "-");
    CHECK(fixed(1e300, 1) == "1.0e+300");
    CHECK(percent(0.1234) == "12.3");
    CHECK(hexadecimal(0) == "0000000000000000");
    CHECK(hexadecimal(0x0123456789abcdef) == "0123456789abcdef");
}

TEST_CASE("a table in Markdown") {
    text_table t({{"kernel", alignment::left}, {"IPC"}, {"row hit", alignment::right, "%"}});
    t.add_row({"bfs", "1.00", "42"});
    t.add_rule();
    t.add_row({"spmv", "0.97"});
    std::ostringstream out;
    t.print_markdown(out);
    CHECK(out.str() == "| kernel | IPC | row hit, % |\n| --- | ---: | ---: |\n| bfs | 1.00 | 42 |\n"
                       "| spmv | 0.97 |  |\n");
}
