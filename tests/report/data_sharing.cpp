// Which CTAs share lines and rows: OWL's table 4 (ASPLOS 2013) and the matrix of the locality thesis' figure 2.2.
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/row_sharing.hpp>
#include <warpkit/report/data_sharing.hpp>

#include "catch.hpp"

#include <sstream>

using namespace warpkit;
using report::data_sharing;

namespace {

/// One channel, four banks, rows of 2 KiB.
dram::address_mapping const& map() {
    static dram::address_mapping const m(
        "dramid@8;00000000.00000000.00000000.00000000.RRRRRRRR.RRRRRRRR.RRRBBCCC.CCSSSSSS", 1);
    return m;
}

} // namespace

TEST_CASE("OWL's example: a row of CTAs 1 to 4 is shared by consecutive ones to 100 %") {
    data_sharing s(8, 128);
    for (std::uint64_t cta = 1; cta <= 4; ++cta) s.touched(cta, 128 * cta, 4);
    s.finish();
    dram::row_sharing rows;
    s.each_touch([&](std::uint64_t line, std::uint64_t cta) {
        rows.accessed(map().decode(line).bank, map().decode(line).row, static_cast<std::uint32_t>(cta));
    });
    CHECK(rows.rows() == 1);
    CHECK(rows.ctas_per_row() == 4);
    CHECK(rows.consecutive_share() == 1);
    CHECK(s.lines() == 4);
    CHECK(s.shared_lines() == 0);
    CHECK(s.distances().empty());
}

TEST_CASE("lines that two CTAs share, how far apart they are, and the matrix") {
    data_sharing s(4, 128);
    // CTAs 0 and 2 share line 0, 1 and 3 line 1, all of them line 9; CTA 3 has line 20 twice, and a piece of 21.
    s.touched(0, 0, 4);
    s.touched(0, 9 * 128, 128);
    s.touched(1, 128, 4);
    s.touched(1, 9 * 128 + 64, 4);
    s.touched(2, 64, 8);
    s.touched(2, 9 * 128, 4);
    s.touched(3, 9 * 128, 4);
    s.touched(3, 255, 1);
    s.touched(3, 20 * 128, 4);
    s.touched(3, 20 * 128 + 124, 8); // into line 21
    s.finish();
    CHECK(s.lines() == 5);
    CHECK(s.touches() == 10);
    CHECK(s.shared_lines() == 3);
    CHECK((s.distances() == std::map<std::uint64_t, std::uint64_t>{{1, 3}, {2, 2}}));
    auto const m = s.matrix();
    REQUIRE(m.bins == 4);
    CHECK((m.lines ==
           std::vector<std::uint64_t>{2, 1, 2, 1, /**/ 1, 2, 1, 2, /**/ 2, 1, 2, 1, /**/ 1, 2, 1, 4}));
    CHECK(m.shades()[2] == 255); // the most that two different ones share
    CHECK(m.shades()[1] == 181); // 255 sqrt(1/2), rounded up
    std::ostringstream text;
    report::print_text(text, m);
    CHECK(text.str() == "@#@#\n#@#@\n@#@#\n#@#@\n");
    std::ostringstream pgm;
    report::print_pgm(pgm, m);
    CHECK(pgm.str() == "P2\n4 4\n255\n0 74 0 74\n74 0 74 0\n0 74 0 74\n74 0 74 0\n");
    std::ostringstream svg;
    report::print_svg(svg, m, "a < b");
    CHECK_THAT(svg.str(), Catch::Contains("role=\"img\""));
    CHECK_THAT(svg.str(), Catch::Contains("<title>a &lt; b</title>"));
    CHECK_THAT(svg.str(), Catch::Contains(">a &lt; b</text>"));
    CHECK_THAT(svg.str(), Catch::Contains("prefers-color-scheme:dark"));
    CHECK_THAT(svg.str(), Catch::Contains("fill-opacity=\".709\"")); // 181 of 255
    CHECK_THAT(svg.str(), Catch::EndsWith("</svg>\n"));
    auto const halves = s.matrix(2); // pairs of CTAs: line 9 counts for each pair of them
    CHECK(halves.per_bin == 2);
    CHECK((halves.lines == std::vector<std::uint64_t>{6, 6, 6, 8}));
}
