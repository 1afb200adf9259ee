// Whatever header is included, the language is looked at before anything of warpkit is read.
#include "catch.hpp"

#include <filesystem>
#include <fstream>
#include <string>

TEST_CASE("every header looks at the language before it says anything", "[facade]") {
    namespace fs = std::filesystem;
    auto const include = fs::path(WARPKIT_SOURCE_DIR) / "include";
    unsigned headers = 0;
    for (auto const& entry : fs::recursive_directory_iterator(include / "warpkit")) {
        auto const name = fs::relative(entry.path(), include / "warpkit").generic_string();
        if (entry.path().extension() != ".hpp" || name == "version.hpp" || name == "base/standard.hpp" ||
            name == "facade/facade.hpp")
            continue;
        INFO(name);
        ++headers;
        // The first line that is neither comment, nor directive, nor empty comes behind an #include of ours, which
        // looks itself or includes one that does.
        std::ifstream file(entry.path());
        bool looks = false;
        for (std::string line; std::getline(file, line);) {
            if (line.rfind("#include <warpkit/", 0) == 0) looks = true;
            if (!line.empty() && line[0] != '#' && line.rfind("//", 0) != 0) break;
        }
        CHECK(looks);
    }
    CHECK(headers > 200);
}
