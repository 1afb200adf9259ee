#include <warpkit/base/input_file.hpp>

#include "catch.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

using namespace warpkit;

namespace {

std::string refusal(std::string const& name, std::size_t most = 1000) {
    try {
        read_file(name, most);
    } catch (error const& e) {
        return e.what();
    }
    return "read";
}

} // namespace

TEST_CASE("a file is read whole, or one line says why not", "[input]") {
    auto const file = (std::filesystem::temp_directory_path() / "warpkit_input_file").string();
    std::ofstream(file) << "one\n" << '\0' << "two";
    CHECK(read_file(file) == std::string("one\n\0two", 8));
    CHECK(refusal(file, 8) == "read");
    CHECK_THAT(refusal(file, 7), Catch::Contains("cannot read " + file + ": it has more than 7 bytes"));
    CHECK_THAT(refusal(file + "/x"), Catch::Contains("Not a directory"));
    std::filesystem::remove(file);
    CHECK_THAT(refusal(file), Catch::Contains("No such file"));
    CHECK_THAT(refusal("/"), Catch::Contains("it is a folder"));
    CHECK_THAT(refusal(std::string(5000, 'n')), Catch::Contains("too long"));
}

TEST_CASE("what has no end is not read without end", "[input]") {
    CHECK_THAT(refusal("/dev/zero", 1U << 20), Catch::Contains("more than 1048576 bytes"));
    CHECK(read_file("/dev/null").empty());
}
