// The README's first policy is the example's, it is a lawful scheduler, and it is short.

#include <warpkit/testing/warp_scheduler_laws.hpp>

#include "../../examples/first_policy/loads_first.hpp"
#include "catch.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace {

std::string text_of(std::string const& path) {
    std::ifstream file(WARPKIT_SOURCE_DIR "/" + path);
    REQUIRE(file);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string snippet() {
    auto const text = text_of("examples/first_policy/loads_first.hpp");
    std::string const mark = "// [README]\n";
    auto const begin = text.find(mark) + mark.size();
    return text.substr(begin, text.rfind(mark) - begin);
}

} // namespace

TEST_CASE("the README shows the policy that is compiled") {
    auto const policy = snippet();
    CHECK_THAT(text_of("README.md"), Catch::Contains(policy));
    CHECK(std::count(policy.begin(), policy.end(), '\n') < 25);
}

TEST_CASE("the README's policy keeps the laws of warp schedulers") {
    CHECK_NOTHROW(testing::require_warp_scheduler_laws<loads_first>());
}
