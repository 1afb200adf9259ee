// expect: an order of DRAM requests is a regular value that says which of two goes first: write .bool before
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/dram/ordered.hpp>

struct newest_first {
    static constexpr char const* name() noexcept { return "newest_first"; }
    bool less(warpkit::dram::request const&, warpkit::dram::request const&) const noexcept { return false; }
    friend bool operator==(newest_first const&, newest_first const&) = default;
};
warpkit::dram::ordered<newest_first> made(8, 16);
