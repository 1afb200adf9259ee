// Recorded runs: what is written is what is read, whatever is wrong with a file is said, and a scheduler agrees with
// its own recording.
#include <warpkit/testing/event_log.hpp>
#include <warpkit/testing/random_core.hpp>
#include <warpkit/testing/replay.hpp>
#include <warpkit/testing/shadow_schedulers.hpp>
#include <warpkit/testing/warp_scheduler_laws.hpp>
#include <warpkit/warp/one_warp_scheduler.hpp>
#include <warpkit/warp/schedulers.hpp>

#include "catch.hpp"

#include <cstdio>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

using namespace warpkit;
using namespace warpkit::testing;

namespace {

/// A new event must be given a place in the log, or be named here: the front end's own are not told to schedulers.
template <class E>
constexpr bool has_a_place =
    testing::detail::loggable<E> || std::is_same_v<E, fetched> || std::is_same_v<E, prefetched>;
template <class... E>
constexpr bool all_have_a_place(event_list<E...>) {
    return (has_a_place<E> && ...);
}
static_assert(all_have_a_place(warp_scheduler_events{}));

/// A random stream of two kernels under P, recorded.
template <class P>
event_log record_random(std::uint64_t seed, unsigned decisions) {
    random_core_options o;
    o.seed = seed;
    o.schedulers = 2;
    o.scheduler = 1;
    random_core core(o);
    P policy;
    event_log log({0, "random", policy_name<P>()});
    cycle now = 0;
    auto const tell = [&](auto const& e) {
        if constexpr (requires { e.at; }) now = e.at;
        notify(e, policy);
        log.add(e);
    };
    auto const decide = [&](warp_set candidates, issue_classes const& next) {
        auto const pick = pick_warp(policy, candidates, next);
        log.add(decision_made{1, candidates, next, pick, now});
        return pick;
    };
    for (unsigned kernel = 1; kernel <= 2; ++kernel) {
        core.begin_kernel(tell);
        while (core.decisions() < decisions * kernel / 2) core.step(tell, decide);
        core.end_kernel(tell);
    }
    return log;
}

template <class P, class Other>
void agrees_with_itself_alone() {
    INFO(common_name<P>);
    auto const log = record_random<P>(7, 4000);
    auto const same = replay<P>(log);
    CHECK(same.decisions >= 4000);
    CHECK(same.agreed == same.decisions);
    CHECK_FALSE(same.first);
    auto const other = replay<Other>(log);
    CHECK(other.decisions == same.decisions);
    CHECK(other.agreed < other.decisions);
    REQUIRE(other.first);
    CHECK(other.first->picked != other.first->recorded.pick);
}

/// kernel_began, two warps, and scheduler 1 of core 3 picks warp 1.
event_log small_log() {
    event_log log({3, "by hand", "gto"});
    log.add(kernel_began{nullptr, 3, 4, 48, 8, 6, 8, 128, nullptr, 0, nullptr, 2});
    log.add(scheduler_began{1, 2, warp_set::every(2, 1)});
    log.add(cta_launched{cta_slot{0}, 300, warp_set::first_n(8), 800});
    log.add(issued{warp_slot{5}, 0, issue_class::load, ~0U, 811});
    log.add(decision_made{1, warp_set::from_bits(0b10'1010'0000), {}, warp_slot{5}, 812});
    return log;
}

template <class F>
std::string message_of(F&& f) {
    try {
        f();
    } catch (error const& e) {
        return e.what();
    }
    return {};
}

} // namespace

TEST_CASE("the first decision on which two schedulers part, in words") {
    auto const log = small_log();
    CHECK(replay<gto>(log).text() == "gto agrees with gto on 1 of 1 decisions");
    CHECK(replay<lrr>(log).text() ==
          "lrr agrees with gto on 0 of 1 decisions; they part at cycle 812, core 3, scheduler 1: "
          "gto picked warp 5, lrr would pick warp 7; candidates {5, 7, 9}");
    CHECK(replay<lrr>(log).agreement() == 0);
    CHECK(replay<lrr>(event_log()).agreement() == 1);
}

TEST_CASE("every scheduler agrees with its own recording, and parts from another one's") {
    agrees_with_itself_alone<lrr, gto>();
    agrees_with_itself_alone<strict_round_robin, lrr>();
    agrees_with_itself_alone<oldest, youngest>();
    agrees_with_itself_alone<youngest, gty>();
    agrees_with_itself_alone<gto, lrr>();
    agrees_with_itself_alone<gty, gto>();
    agrees_with_itself_alone<two_level, lrr>();
    agrees_with_itself_alone<two_level_active, two_level>();
    agrees_with_itself_alone<static_wavefront_limit<2>, gto>();
    agrees_with_itself_alone<ccws, oldest>();
    agrees_with_itself_alone<cta_aware, two_level>();
    agrees_with_itself_alone<cta_aware_locality_blp, cta_aware>();
    agrees_with_itself_alone<locality_aware, two_level>();
    agrees_with_itself_alone<elf, gto>();
}

TEST_CASE("a scheduler chosen at run time decides as the one it holds") {
    using any = one_warp_scheduler<lrr, gto, ccws, elf>;
    CHECK(replay<any>(record_random<lrr>(7, 2000)).agreement() == 1); // at first the first one
    CHECK(replay(record_random<gto>(7, 2000), any(gto{})).agreement() == 1);
    CHECK(replay(record_random<ccws>(7, 2000), any(ccws{})).agreement() == 1);
    CHECK(replay(record_random<elf>(7, 2000), any(elf{})).agreement() == 1);
    CHECK(replay(record_random<elf>(7, 2000), any(gto{})).agreement() < 1);
    CHECK(std::string(any(ccws{}).chosen_name()) == "ccws");
    CHECK(any(gto{}) != any(lrr{}));
    require_warp_scheduler_laws<any>({.streams = 2, .denial_bound = 40000}, any(ccws{}));
}

TEST_CASE("of shadow schedulers the first decides, and whoever takes over decides as if it had been "
          "listening alone") {
    using shadows = shadow_schedulers<one_warp_scheduler<lrr, gto, ccws>>;
    CHECK(replay(record_random<gto>(7, 2000), shadows(gto{}, lrr{}, ccws{})).agreement() == 1);
    CHECK(replay(record_random<ccws>(7, 2000), shadows(ccws{}, lrr{})).agreement() == 1);
    CHECK(replay(record_random<gto>(7, 2000), shadows(lrr{}, gto{})).agreement() < 1);
    auto const after = [](shadows c, std::size_t which) {
        c.take_over(which);
        return c;
    };
    CHECK(after(shadows(lrr{}, ccws{}), 1) == shadows(ccws{}));
    CHECK(hash_of(shadows(lrr{}, gto{})) != hash_of(shadows(lrr{})));
    auto const log = record_random<lrr>(7, 2000);
    CHECK(replay(log, after(shadows(gto{}, lrr{}), 1)).agreement() == 1);
    require_warp_scheduler_laws<shadows>({.streams = 2, .denial_bound = 40000}, shadows(ccws{}, lrr{}));
}

TEST_CASE("what is read is what was written") {
    auto const log = record_random<ccws>(11, 2000);
    auto const again = event_log::from_bytes(log.to_bytes(), "memory");
    CHECK(again == log);
    CHECK(again.header() == log.header());
    // Every record, decoded and written anew.
    event_log copy(log.header());
    event_log_reader reader(again);
    while (auto const* e = reader.next()) std::visit([&](auto const& x) { copy.add(x); }, *e);
    CHECK(copy == log);
    CHECK(reader.number() == log.records());
    // Compact: most cycles and events are a few bytes.
    CHECK(log.size() < 8 * log.records());
}

TEST_CASE("a log in a file, byte by byte the same on every host") {
    event_log log({0, "t", "s"});
    log.add(warp_exited{warp_slot{2}});
    log.add(cycles_spent{1, cycle_cause::raw_memory, 0, 1});
    log.add(l1_filled{0x180});
    std::vector<std::uint8_t> const expected = {'w', 'a', 'r', 'p', 'k', 'l', 'o', 'g',  3,  0,    1,
                                                't', 1,   's', 3,   6,   6,   3,   0x96, 15, 0x80, 3};
    auto bytes = log.to_bytes();
    REQUIRE(bytes.size() == expected.size() + 8);
    bytes.resize(expected.size());
    CHECK(bytes == expected);

    auto const path = std::string("event_log_test.log");
    log.write(path);
    CHECK(event_log::read(path) == log);
    std::remove(path.c_str());
    CHECK(message_of([&] { event_log::read(path); }) ==
          "cannot read " + path + ": No such file or directory");
    CHECK_THROWS_WITH(log.write("no such folder/x"), Catch::Contains("cannot write"));
}

TEST_CASE("whatever is wrong with a log is said in one line") {
    auto const good = small_log().to_bytes();
    auto const read = [](std::vector<std::uint8_t> const& bytes) {
        return message_of([&] { event_log::from_bytes(bytes, "x.log"); });
    };
    CHECK(read(good).empty());
    CHECK(read({}) == "x.log: this is no event log: it does not begin with \"warpklog\"");
    unsigned unnoticed = 0;
    for (std::size_t n = 8; n < good.size(); ++n)
        unnoticed += read({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n)}).empty();
    for (std::size_t n = 0; n < good.size(); ++n)
        for (unsigned bit = 0; bit < 8; ++bit) {
            auto bad = good;
            bad[n] = static_cast<std::uint8_t>(bad[n] ^ 1U << bit);
            auto const message = read(bad);
            unnoticed += message.empty() || message.find('\n') != message.npos;
        }
    CHECK(unnoticed == 0);
    auto longer = good;
    longer.push_back(0);
    CHECK_THAT(read(longer), Catch::Contains("something is behind its end"));
    auto newer = good;
    newer[8] = 9;
    CHECK(read(newer) ==
          "x.log: it has version 9, this program reads version 3; record it anew (lab record)");
    auto corrupt = good;
    corrupt.back() ^= 1;
    CHECK_THAT(read(corrupt), Catch::Contains("x.log: it is corrupt: its checksum is wrong"));
}

TEST_CASE("records that cannot be are refused, even under a good checksum") {
    // The records of a good file replaced by random bytes: one error, or nothing, but never a crash.
    random_numbers random(3);
    unsigned refused = 0;
    for (unsigned i = 0; i < 2000; ++i) {
        std::vector<std::uint8_t> bytes = {'w', 'a', 'r', 'p', 'k', 'l', 'o', 'g', 3, 0, 0, 0, 20, 20};
        for (unsigned k = 0; k < 20; ++k)
            bytes.push_back(static_cast<std::uint8_t>(random.below(k % 2 == 0 ? 25 : 256)));
        auto const sum = testing::detail::checksum_of(bytes.data(), bytes.data() + bytes.size());
        for (unsigned k = 0; k < 8; ++k) bytes.push_back(static_cast<std::uint8_t>(sum >> 8 * k));
        auto const log = event_log::from_bytes(bytes, "random");
        event_log_reader reader(log);
        auto const message = message_of([&] {
            while (reader.next() != nullptr) {}
        });
        refused += !message.empty();
    }
    CHECK(refused > 1500);
}

TEST_CASE("a recorder listens to its core alone, and to none unless told") {
    event_recorder deaf;
    event_recorder second({1, "", ""});
    for (unsigned core = 0; core < 3; ++core) {
        kernel_began const e{nullptr, core, 3, 48, 8, 6, 8, 128, nullptr, 0, nullptr, 2};
        notify(e, deaf, second);
        notify(warp_exited{warp_slot{core}}, deaf, second);
    }
    CHECK(deaf == event_recorder());
    CHECK(second.log().records() == 2);
}
