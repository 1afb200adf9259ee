#include <warpkit/report/csv.hpp>
#include <warpkit/report/json.hpp>

#include "catch.hpp"

#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>
#define WARPKIT_HAS_NLOHMANN
#endif

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

using namespace warpkit;
using namespace warpkit::report;

TEST_CASE("JSON comes out indented, with commas where they belong") {
    json_writer w;
    w.begin_object().member("name", "a").key("list").begin_array().value(1).value(-2).value(true);
    w.begin_object().end_object().begin_array().end_array().end_array().member("x", 0.5).end_object();
    CHECK(w.text() == "{\n"
                      "  \"name\": \"a\",\n"
                      "  \"list\": [\n"
                      "    1,\n"
                      "    -2,\n"
                      "    true,\n"
                      "    {},\n"
                      "    []\n"
                      "  ],\n"
                      "  \"x\": 0.5\n"
                      "}\n");
}

TEST_CASE("many objects of the same names are written at once, over lines or in one") {
    json_names names;
    names.add("a");
    names.add("b");
    auto const half = [](std::size_t i) { return i == 0 ? std::nan("") : 12.5; };
    json_writer w;
    w.begin_array().object(names, [](std::size_t i) { return std::uint64_t{i}; });
    w.object_in_line(names, half).object_in_line({}, half).value(1).end_array();
    CHECK(w.text() == "[\n"
                      "  {\n"
                      "    \"a\": 0,\n"
                      "    \"b\": 1\n"
                      "  },\n"
                      "  {\"a\": null, \"b\": 12.5},\n"
                      "  {},\n"
                      "  1\n"
                      "]\n");
}

TEST_CASE("strings are escaped, and bytes that are not UTF-8 replaced") {
    CHECK(json_quoted("a\"b\\c/\n\r\t\b\f") == R"("a\"b\\c/\n\r\t\b\f")");
    CHECK(json_quoted(std::string_view("\0\x1f\x7f", 3)) == "\"\\u0000\\u001f\x7f\"");
    CHECK(json_quoted("µ漢😀") == "\"µ漢😀\"");
    CHECK(json_quoted("a\xff"
                      "b") == "\"a\xef\xbf\xbd"
                              "b\"");
    CHECK(json_quoted("\xc0\xaf") == "\"\xef\xbf\xbd\xef\xbf\xbd\""); // overlong
    CHECK(json_quoted("\xed\xa0\x80") != "\"\xed\xa0\x80\"");         // a surrogate
    CHECK(json_quoted("\xe6\xbc") == "\"\xef\xbf\xbd\xef\xbf\xbd\""); // cut off
}

TEST_CASE("numbers survive: integers of 64 bits, the shortest doubles, null for what is no number") {
    json_writer w;
    w.begin_array()
        .value(~std::uint64_t{0})
        .value(std::numeric_limits<std::int64_t>::min())
        .value(0.1)
        .value(1e300);
    w.value(std::numeric_limits<double>::quiet_NaN())
        .value(-std::numeric_limits<double>::infinity())
        .end_array();
    CHECK(w.text() ==
          "[\n  18446744073709551615,\n  -9223372036854775808,\n  0.1,\n  1e+300,\n  null,\n  null\n]\n");
}

TEST_CASE("what would not be JSON is refused") {
    json_writer w;
    CHECK_THROWS_AS(w.text(), error); // nothing written
    CHECK_THROWS_AS(w.key("a"), error);
    w.begin_object();
    CHECK_THROWS_AS(w.value(1), error);
    CHECK_THROWS_AS(w.end_array(), error);
    w.key("a");
    CHECK_THROWS_AS(w.key("b"), error);
    CHECK_THROWS_AS(w.end_object(), error);
    w.value(1);
    CHECK_THROWS_AS(w.text(), error); // not finished
    w.end_object();
    CHECK_THROWS_AS(w.value(2), error); // a second value
    CHECK_NOTHROW(w.text());
}

#ifdef WARPKIT_HAS_NLOHMANN
TEST_CASE("another JSON library reads back what was written, every byte below 128 and some UTF-8 included") {
    std::string all;
    for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
    all += "µ漢😀\u2028";
    json_writer w;
    w.begin_object().member(all, all).member("n", ~std::uint64_t{0}).member("pi", 3.141592653589793);
    w.key("deep")
        .begin_array()
        .begin_array()
        .begin_array()
        .value("")
        .end_array()
        .end_array()
        .end_array()
        .end_object();
    auto const j = nlohmann::json::parse(w.text());
    CHECK(j.at(all).get<std::string>() == all);
    CHECK(j.at("n").get<std::uint64_t>() == ~std::uint64_t{0});
    CHECK(j.at("pi").get<double>() == 3.141592653589793);
    CHECK(j.at("deep")[0][0][0] == "");
    CHECK(j.size() == 4);
}
#endif

TEST_CASE("CSV quotes what must be quoted") {
    CHECK(csv_line({"a", "b c", "", "1.5"}) == "a,b c,,1.5\r\n");
    CHECK(csv_line({"a,b", "say \"x\"", "two\nlines"}) == "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\r\n");
}

TEST_CASE("a file is written whole or not at all") {
    namespace fs = std::filesystem;
    auto const folder = fs::temp_directory_path() / ("warpkit_report_" + hexadecimal(std::random_device{}()));
    fs::create_directory(folder);
    auto const file = folder / "out.json";
    auto const content = [&] {
        std::ifstream in(file, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    write_file(file, "first\n");
    CHECK(content() == "first\n");
    write_file(file, "second\n");
    CHECK(content() == "second\n");
    CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}) == 1);

    CHECK_THROWS_WITH(write_file(folder / "none" / "out.json", "x"),
                      Catch::Contains("cannot write") && Catch::Contains("folder"));
    fs::create_directory(folder / "taken");
    std::ofstream(folder / "taken" / "x") << 'x';
    CHECK_THROWS_AS(write_file(folder / "taken", "x"), error); // a folder is in the way
    CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}) == 2);
    CHECK(content() == "second\n");
    fs::remove_all(folder);
}
