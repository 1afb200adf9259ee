#include <warpkit/config/reflect.hpp>

#include "catch.hpp"

#include <array>
#include <cstdint>

namespace {

struct inner {
    std::uint32_t a = 1;
    bool b = true;
};
struct outer {
    std::uint64_t first = 7;
    inner nested;
    std::array<std::uint16_t, 2> pair{};
    std::string text;
};
struct one_forgotten {
    std::uint32_t told = 0;
    std::uint32_t forgotten = 0;
};
struct other_name {
    std::uint32_t told = 0;
};
constexpr char const* pair_names[] = {"left", "right"};

} // namespace

WARPKIT_REFLECT(inner, a, b);
WARPKIT_REFLECT(outer, first, nested, pair, text);
WARPKIT_REFLECT(one_forgotten, told);
WARPKIT_REFLECT(other_name, told);

namespace warpkit {
template <>
struct member_notes<inner> {
    static constexpr member_note rows[] = {{"a", "bytes", "the a"}, {"b", "", "the b"}};
};
template <>
struct member_notes<outer> {
    static constexpr member_note rows[] = {
        {"first", "", ""}, {"nested", "", ""}, {"pair", "cycles", "both", pair_names}, {"text", "text", ""}};
};
template <>
struct member_notes<one_forgotten> {
    static constexpr member_note rows[] = {{"told", "", ""}};
};
template <>
struct member_notes<other_name> {
    static constexpr member_note rows[] = {{"tells", "", ""}};
};
} // namespace warpkit

using namespace warpkit;

static_assert(fully_reflected<inner>() && fully_reflected<outer>());
static_assert(!fully_reflected<one_forgotten>(), "a member that Hana was not told of is noticed");
static_assert(!fully_reflected<other_name>(), "a note for another name is noticed");

TEST_CASE("reflection names every integer, members of members and elements included, and leaves texts out") {
    auto const fields = fields_of<outer>();
    std::vector<std::string> names;
    for (auto const& f : fields) names.push_back(f.name);
    CHECK(names == std::vector<std::string>{"first", "nested.a", "nested.b", "pair.left", "pair.right"});
    CHECK(fields[1].unit == std::string("bytes"));
    CHECK(fields[4].meaning == std::string("both"));
    CHECK(fields[2].maximum == 1);
    CHECK(fields[3].maximum == 0xffff);
}

TEST_CASE("a field reads and writes its own member and nothing else") {
    auto const fields = fields_of<outer>();
    outer o;
    CHECK(read_field(o, *find_field(fields, "first")) == 7);
    CHECK(read_field(o, *find_field(fields, "nested.b")) == 1);
    write_field(o, *find_field(fields, "pair.right"), 513);
    write_field(o, *find_field(fields, "nested.b"), 0);
    CHECK(o.first == 7);
    CHECK(o.nested.a == 1);
    CHECK_FALSE(o.nested.b);
    CHECK(o.pair == std::array<std::uint16_t, 2>{0, 513});
    CHECK(find_field(fields, "pair") == nullptr);
}
