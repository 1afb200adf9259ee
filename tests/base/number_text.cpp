#include <warpkit/base/number_text.hpp>

#include "catch.hpp"

using namespace warpkit;

TEST_CASE("numbers are written as people do") {
    CHECK(format_number(1, "cycles") == "1 cycle");
    CHECK(format_number(0, "cycles") == "0 cycles");
    CHECK(format_number(2, "cycles") == "2 cycles");
    CHECK(format_number(1, "") == "1");
    CHECK(format_number(1, "ways") == "1 ways");
    CHECK(format_number(1023, "bytes") == "1023 B");
    CHECK(format_number(1024, "bytes") == "1 KiB");
    CHECK(format_number(1024 * 1024, "bytes") == "1 MiB");
    CHECK(format_number(1025 * 1024, "bytes") == "1025 KiB");
    CHECK(format_number(1500, "kHz") == "1500 kHz");
    CHECK(format_number(2000, "kHz") == "2 MHz");
}
