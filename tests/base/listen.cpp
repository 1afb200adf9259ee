#include <warpkit/base/listen.hpp>
#include <warpkit/base/listeners.hpp>
#include <warpkit/base/one_of.hpp>

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

namespace {

struct ears {
    unsigned issues = 0;
    void on(issued const&) { ++issues; }
    friend bool operator==(ears const&, ears const&) = default;
    template <class F>
    void each_member(F&& f) const {
        f(issues);
    }
};
struct no_ears {
    friend bool operator==(no_ears const&, no_ears const&) = default;
    template <class F>
    void each_member(F&&) const {}
};
using either = one_of<no_ears, ears>;
static_assert(hears<either, issued> && !hears<either, blocked>);
static_assert(hears_some<either> && !hears_some<ears>);

} // namespace

TEST_CASE("one of several policies hears what the one that it is hears, and says what that is") {
    either listens = ears{};
    either does_not = no_ears{};
    CHECK(hears_now<issued>(listens));
    CHECK_FALSE(hears_now<issued>(does_not));
    CHECK_FALSE(hears_now<blocked>(listens));
    CHECK(hears_now<issued>(ears{}));
    notify(issued{warp_slot{1}}, listens, does_not);
    CHECK(listens.get_if<ears>()->issues == 1);
    CHECK(does_not == either(no_ears{}));
    does_not = listens;
    notify(issued{warp_slot{1}}, does_not);
    CHECK(does_not.get_if<ears>()->issues == 2);
}

namespace {

// Hears a core from the beginning of its kernel on, as listeners to one core of many do.
struct of_one_core {
    unsigned core = 0;
    bool mine = false;
    unsigned issues = 0;
    void on(kernel_began const& e) { mine = e.core == core; }
    void on(issued const&) { issues += mine; }
    template <class E>
    bool listens() const noexcept {
        return mine && hears<of_one_core, E>;
    }
};
struct beyond_the_vocabulary {};
struct hears_beyond : of_one_core {
    using of_one_core::on;
    void on(beyond_the_vocabulary const&) {}
};

} // namespace

TEST_CASE("a host asks once what a listener hears, that tells so only while it runs") {
    of_one_core l{3};
    heard_by<of_one_core> heard;
    heard.ask(l);
    CHECK_FALSE(heard.has<issued>());
    l.on(kernel_began{.core = 3});
    CHECK_FALSE(heard.has<issued>()); // until it is asked again
    heard.ask(l);
    CHECK(heard.has<issued>());
    CHECK_FALSE(heard.has<blocked>());
    l.on(kernel_began{.core = 4});
    heard.ask(l);
    CHECK_FALSE(heard.has<issued>());
    // Who tells all by its type is not asked, nor is anybody about other events than those of the vocabulary.
    CHECK(heard_by<by_reference>().has<issued>());
    CHECK_FALSE(heard_by<by_reference>().has<blocked>());
    CHECK(heard_by<hears_beyond>().has<beyond_the_vocabulary>());
    static_assert(sizeof(heard_by<by_reference>) == 1);
}

TEST_CASE("several listeners in a seat hear what any of them does") {
    listeners<of_one_core, by_reference> both;
    static_assert(hears_some<listeners<of_one_core, by_reference>>);
    static_assert(!hears_some<listeners<by_reference>>);
    CHECK(hears_now<issued>(both)); // the second
    CHECK_FALSE(hears_now<kernel_began>(both));
    both.get<of_one_core>().mine = true;
    CHECK(hears_now<kernel_began>(both));
}

TEST_CASE("what listeners hear together is what any of them hears") {
    heard_events heard;
    heard.add(either(no_ears{}));
    CHECK(heard == heard_events());
    heard.add(either(ears{}));
    CHECK(heard.has<issued>());
    CHECK_FALSE(heard.has<kernel_began>());
    heard.add(by_reference{});
    CHECK(heard.has<kernel_ended>());
    CHECK_FALSE(heard.has<decision_made>());
    heard_events all;
    all.add(everything{});
    CHECK((all.has<kernel_began>() && all.has<memory_pressure>() && all.has<decision_made>()));
}
