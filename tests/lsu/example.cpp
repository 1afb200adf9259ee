// The examples of docs/lsu.md, word for word.
#include <warpkit/lsu/fermi_coalescing.hpp>
#include <warpkit/lsu/sectored_coalescing.hpp>
#include <warpkit/lsu/shared_banks.hpp>

#include "catch.hpp"

#include <cctype>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using namespace warpkit;

/// Transactions of a warp that reads one column of a row-major matrix of floats.
template <class Coalescing>
std::size_t transactions_of_a_column(std::uint64_t matrix, std::uint64_t width) {
    warp_access const column{.active = all_lanes, .bytes = 4, .base = matrix, .stride = 4 * width};
    transaction_list out;
    Coalescing{}(column, false, out);
    return out.size();
}

/// Cycles of the same in shared memory: why tiles are padded by one word.
unsigned cycles_of_a_column(std::uint64_t width) {
    return shared_banks{}.cycles({.active = all_lanes, .bytes = 4, .base = 0, .stride = 4 * width});
}

std::string text_of_file(std::string const& name) {
    std::ifstream in(std::string(WARPKIT_SOURCE_DIR) + "/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
}
std::string without_space(std::string const& text) {
    std::string out;
    for (char const c : text)
        if (std::isspace(static_cast<unsigned char>(c)) == 0) out += c;
    return out;
}

} // namespace

TEST_CASE("the examples of docs/lsu.md are compiled here, and do what it says") {
    auto const here = without_space(text_of_file("tests/lsu/example.cpp"));
    auto const page = text_of_file("docs/lsu.md");
    unsigned examples = 0;
    for (auto at = page.find("```cpp"); at != std::string::npos; at = page.find("```cpp", at + 6)) {
        auto const example = page.substr(at + 6, page.find("```", at + 6) - at - 6);
        INFO(example);
        CHECK(here.find(without_space(example)) != std::string::npos);
        ++examples;
    }
    CHECK(examples == 2);
    CHECK(transactions_of_a_column<fermi_coalescing>(0x1000, 1024) == 32);
    CHECK(transactions_of_a_column<sectored_coalescing>(0x1000, 1) == 4);
    CHECK(cycles_of_a_column(32) == 32);
    CHECK(cycles_of_a_column(33) == 1);
}
