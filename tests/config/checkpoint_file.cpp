/// What config/checkpoint_file.hpp promises: a file is what was written, of the same run, or is refused.

#include <warpkit/config/checkpoint_file.hpp>

#include "catch.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

using namespace warpkit;

namespace {

struct folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / "warpkit_checkpoint_test";
    folder() { std::filesystem::create_directories(path); }
    ~folder() { std::filesystem::remove_all(path); }
    std::string file() const { return (path / "run.checkpoint").string(); }
};
void put(std::string const& file, std::string const& text) { std::ofstream(file, std::ios::binary) << text; }
run_identity const mine{{"version", "1"}, {"scheduler", "gto"}, {"l1d.size", "16384"}};

} // namespace

TEST_CASE("a checkpoint is read as it was written, and replaces the one before", "[config]") {
    folder const f;
    for (auto const& state : {std::string(), std::string("a\0b", 3), std::string(100'000, 'x')}) {
        auto const size = write_checkpoint(f.file(), mine, state);
        CHECK(size == std::filesystem::file_size(f.file()));
        CHECK(read_checkpoint(f.file(), mine) == state);
        CHECK_FALSE(std::filesystem::exists(f.file() + ".part"));
    }
    put(f.file() + ".part", "of one who was killed"); // disturbs nobody
    CHECK_NOTHROW(read_checkpoint(f.file(), mine));
    write_checkpoint(f.file(), mine, "next");
    CHECK(read_checkpoint(f.file(), mine) == "next");
    CHECK_THROWS_WITH(write_checkpoint((f.path / "none" / "x").string(), mine, "s"),
                      Catch::Contains("cannot write the checkpoint"));
}

TEST_CASE("another run's checkpoint is refused, with what differs", "[config]") {
    folder const f;
    write_checkpoint(f.file(), mine, "state");
    auto other = mine;
    other[1].second = "lrr";
    CHECK_THROWS_WITH(read_checkpoint(f.file(), other),
                      Catch::Contains("scheduler is gto there and lrr here"));
    other = mine;
    other[0].second = "2";
    CHECK_THROWS_WITH(read_checkpoint(f.file(), other), Catch::Contains("version is 1 there and 2 here"));
    other = mine;
    other.pop_back();
    CHECK_THROWS_WITH(read_checkpoint(f.file(), other),
                      Catch::Contains("l1d.size is 16384 there and none here"));
    other = mine;
    other.emplace_back("l2.size", "1");
    CHECK_THROWS_WITH(read_checkpoint(f.file(), other), Catch::Contains("l2.size is none there and 1 here"));
}

TEST_CASE("what is not a whole checkpoint is refused, wherever it is spoilt", "[config]") {
    folder const f;
    write_checkpoint(f.file(), mine, "some state");
    auto const whole = read_file(f.file());
    for (std::size_t n = 0; n < whole.size(); ++n) {
        put(f.file(), whole.substr(0, n));
        CHECK_THROWS_AS(read_checkpoint(f.file(), mine), error);
        auto changed = whole;
        changed[n] = static_cast<char>(changed[n] ^ 1);
        put(f.file(), changed);
        CHECK_THROWS_AS(read_checkpoint(f.file(), mine), error);
    }
    put(f.file(), whole + 'x');
    CHECK_THROWS_WITH(read_checkpoint(f.file(), mine), Catch::Contains("damaged, or cut short"));
    auto next = whole;
    next[19] = '2';
    put(f.file(), next);
    CHECK_THROWS_WITH(read_checkpoint(f.file(), mine), Catch::Contains("of another format"));
    put(f.file(), "{\"warpkit\": 1}");
    CHECK_THROWS_WITH(read_checkpoint(f.file(), mine), Catch::Contains("it is no checkpoint"));
    CHECK_THROWS_AS(read_checkpoint(f.path.string(), mine), error);
}
