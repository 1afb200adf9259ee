/// The replay queue with its transactions: what is kept comes back, and what lacks room is tried again when there may
/// be some.

#include <warpkit/lsu/mrpb.hpp>
#include <warpkit/lsu/no_replay.hpp>
#include <warpkit/lsu/replay_policy.hpp>
#include <warpkit/machine/replay_stage.hpp>

#include "catch.hpp"

#include <string>
#include <vector>

using namespace warpkit;

namespace {

using stage = replay_stage<mrpb, std::string>;

cache_access of(unsigned warp) {
    cache_access a;
    a.owner = warp_slot{warp};
    return a;
}
/// What is offered in the next turn, "-" for nothing.
std::string offered(stage& s, replay_answer answer) {
    std::string what = "-";
    s.try_one(true, [&](std::string const& t) {
        what = t;
        return answer;
    });
    return what;
}

} // namespace

static_assert(!replay_stage<no_replay, int>::possible && stage::possible);

TEST_CASE("transactions come back with what they are, by the policy's choice", "[machine]") {
    stage s{mrpb(4)};
    CHECK(s.in_use());
    s.keep("first of 1", of(1), false, false);
    s.keep("first of 0", of(0), false, false);
    s.keep("second of 0", of(0), false, false);
    CHECK(s.replays() == 3);
    CHECK(offered(s, replay_answer::taken) ==
          "first of 0"); // a warp's queue is drained before the next one's
    CHECK(offered(s, replay_answer::taken) == "second of 0");
    CHECK(offered(s, replay_answer::taken) == "first of 1");
    CHECK(s.empty());
    CHECK(offered(s, replay_answer::taken) == "-");
}

TEST_CASE("one that is refused waits for a change, of whatever it lacked", "[machine]") {
    stage s{mrpb(4)};
    s.keep("a", of(0), false, false);
    CHECK(offered(s, replay_answer::refused) == "a");
    CHECK_FALSE(s.has_next());
    s.room_below(); // which it did not lack
    CHECK_FALSE(s.has_next());
    s.anything_changed();
    CHECK(offered(s, replay_answer::lacks_room_below) == "a");
    CHECK_FALSE(s.has_next());
    s.room_below();
    CHECK(offered(s, replay_answer::taken) == "a");
}

TEST_CASE("one that came refused for want of room below is tried when there is some", "[machine]") {
    stage s{mrpb(4)};
    s.keep("a", of(0), true, true);
    (void)offered(s, replay_answer::refused);
    s.room_below();
    CHECK(offered(s, replay_answer::taken) == "a");
}

TEST_CASE("of a policy without a queue nothing is kept", "[machine]") {
    replay_stage<no_replay, int> const s{no_replay{}};
    CHECK_FALSE(s.in_use());
    CHECK(s.route(warp_slot{0}, access_kind::load) == replay_route::access);
    CHECK_FALSE(s.has_next());
}
