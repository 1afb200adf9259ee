// The README's first policy is the example's, it is a lawful scheduler, and it is short.

#include <warpkit/testing/warp_scheduler_laws.hpp>

#include "../../examples/first_policy/loads_first.hpp"
#include "catch.hpp"
#include "source_tree.hpp"

#include <algorithm>
#include <string>

namespace {

std::string snippet() {
    auto const text = source_text("examples/first_policy/loads_first.hpp");
    std::string const mark = "// [README]\n";
    auto const begin = text.find(mark) + mark.size();
    return text.substr(begin, text.rfind(mark) - begin);
}

} // namespace

TEST_CASE("the README shows the policy that is compiled") {
    auto const policy = snippet();
    CHECK_THAT(source_text("README.md"), Catch::Contains(policy));
    CHECK(std::count(policy.begin(), policy.end(), '\n') < 25);
}

TEST_CASE("the README's policy keeps the laws of warp schedulers") {
    CHECK_NOTHROW(testing::require_warp_scheduler_laws<loads_first>());
}
