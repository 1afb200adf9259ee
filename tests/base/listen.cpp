#include <warpkit/base/listen.hpp>

#include "catch.hpp"

#include <vector>

using namespace warpkit;

namespace {

struct deaf {};
struct by_reference {
    std::vector<unsigned> heard;
    void on(issued const& e) { heard.push_back(e.warp.index()); }
    void on(kernel_ended) { heard.push_back(99); }
};
struct returns {
    int on(issued const&) { return 0; }
};
struct mutates {
    void on(issued&) {}
};
struct everything {
    unsigned heard = 0;
    template <class E>
    void on(E const&) {
        ++heard;
    }
};
class secretive {
    void on(issued const&) {}
};

static_assert(hears<by_reference, issued> && hears<by_reference, kernel_ended> &&
              !hears<by_reference, blocked>);
static_assert(!hears<deaf, issued> && !hears<returns, issued> && !hears<mutates, issued> &&
              !hears<secretive, issued>);
static_assert(check_listener<deaf>() && check_listener<by_reference>() && check_listener<everything>());

} // namespace

TEST_CASE("an event reaches those who hear it, in order, and nobody else") {
    by_reference a;
    deaf b;
    everything c;
    notify(issued{warp_slot{5}}, a, b, c);
    notify(kernel_ended{}, a, b, c);
    notify(cycles_spent{}, a, b, c);
    CHECK(a.heard == std::vector<unsigned>{5, 99});
    CHECK(c.heard == 3);
}

TEST_CASE("an event reaches a constant expression, too") {
    struct last {
        warp_slot warp;
        constexpr void on(issued const& e) { warp = e.warp; }
    };
    constexpr auto heard = [] {
        last l;
        notify(issued{warp_slot{7}}, l);
        return l.warp;
    }();
    static_assert(heard == warp_slot{7});
    CHECK(heard == warp_slot{7});
}
