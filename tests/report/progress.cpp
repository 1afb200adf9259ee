#include <warpkit/report/progress.hpp>

#include "catch.hpp"

#include <sstream>

using namespace warpkit::report;

namespace {
constexpr progress_bar::clock::time_point at(int milliseconds) {
    return progress_bar::clock::time_point{} + std::chrono::milliseconds(milliseconds);
}
} // namespace

TEST_CASE(
    "on a terminal the bar is one line, rewritten at most ten times a second, and leaves nothing behind") {
    std::ostringstream out;
    {
        progress_bar bar(out, true, at(0));
        bar.update(0.1, "vecadd", at(50));
        CHECK(out.str().empty()); // too soon
        bar.update(0.25, "vecadd lrr", at(1000));
        CHECK(out.str() == "\r[######..................] 25 %  00:03 left  vecadd lrr");
        bar.update(0.5, "bfs", at(1050));
        CHECK(out.str().size() == 56); // too soon again
        bar.update(0.5, "bfs", at(2000));
        CHECK(out.str().substr(56) == "\r[############............] 50 %  00:02 left  bfs       ");
    }
    auto const text = out.str();
    CHECK(text.substr(text.rfind("\r", text.size() - 2)) == std::string("\r").append(48, ' ') + "\r");
}

TEST_CASE("elsewhere a plain line every five seconds") {
    std::ostringstream out;
    progress_bar bar(out, false, at(0));
    bar.update(0.1, "vecadd", at(4000));
    CHECK(out.str().empty());
    bar.update(0.5, "vecadd", at(60'000));
    bar.update(0.6, "vecadd", at(61'000));
    CHECK(out.str() == "[############............] 50 %  01:00 left  vecadd\n");
    bar.clear();
    CHECK(out.str().find('\r') == std::string::npos);
}

TEST_CASE("shares out of range are kept in it, and long texts end at the edge of the terminal") {
    std::ostringstream out;
    progress_bar bar(out, true, at(0));
    bar.update(7, std::string("µ").append(100, 'x'), at(1000));
    CHECK(display_width(out.str().substr(1)) == 79);
    CHECK(out.str().find("100 %") != std::string::npos);
    std::ostringstream early;
    progress_bar unsure(early, true, at(0));
    unsure.update(-1, "x", at(200));
    CHECK(early.str() == "\r[........................] 0 %  --:-- left  x");
}
