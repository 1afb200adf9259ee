#include <warpkit/base/error.hpp>

#include "catch.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

using namespace warpkit;

TEST_CASE("a message is its words and numbers, one behind the other") {
    CHECK(joined({}).empty());
    CHECK(joined({"core ", 3U, " of ", std::string("15")}) == "core 3 of 15");
    CHECK(joined({std::uint16_t{0}, "", std::string_view("warps", 4)}) == "0warp");
    CHECK(joined({std::numeric_limits<std::uint64_t>::max()}) == "18446744073709551615");
    CHECK(joined({std::string(), std::string_view()}).empty());
}

TEST_CASE("an error has a text, or pieces of one") {
    CHECK(error("a kernel").what() == std::string("a kernel"));
    CHECK(error({"kernel '", "k", "' at line ", std::size_t{7}}).what() ==
          std::string("kernel 'k' at line 7"));
    CHECK(error({"two", "words"}).what() == std::string("twowords")); // and no range of characters
}
