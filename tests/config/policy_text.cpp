// Policies by name with their parameters: what can be set is what the policies tell, and nothing is set by half or in
// silence.
#include <warpkit/base/policy_text.hpp>
#include <warpkit/config/dispatch.hpp>
#include <warpkit/dram/page_policy.hpp>
#include <warpkit/fetch/interleaved.hpp>
#include <warpkit/fetch/next_line.hpp>
#include <warpkit/lsu/one_replay_queue.hpp>
#include <warpkit/warp/elf.hpp>
#include <warpkit/warp/two_level.hpp>

#include "catch.hpp"

#include <random>
#include <string>

using namespace warpkit;

namespace {

enum class shade : unsigned char { light, dark };

/// A parameter of each kind.
class everything {
public:
    static constexpr char const* name() noexcept { return "everything"; }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"small", "a byte, above 1", 2, 100'000}, self.small_);
        f(parameter{"wide", "a word"}, self.wide_);
        f(parameter{"kept", "a number"}, self.kept_);
        f(parameter{"fixed", "a number"}, self.fixed_);
        f(parameter{"on", "a switch"}, self.on_);
        f(parameter{"share", "from 0 to 1", 0, 1}, self.share_);
        f(parameter{"list", "some", 0, 10}, self.list_);
        f(parameter{"shade", "of grey"}, self.shade_, words_);
    }
    void parameters_set() {
        if (wide_ == 13) throw error("everything: wide = 13 brings bad luck");
        ++told_;
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(small_, wide_, on_, shade_);
    }
    friend bool operator==(everything const&, everything const&) = default;

    static constexpr parameter_word<shade> words_[] = {{"light", shade::light}, {"dark", shade::dark}};
    std::uint8_t small_ = 7;
    std::uint64_t wide_ = 1;
    number<unsigned, run_time> kept_{3};
    number<unsigned, 9> fixed_{};
    bool on_ = false;
    double share_ = 0.25;
    number_list<3> list_{};
    shade shade_ = shade::light;
    int told_ = 0;
};

/// Two parts with a parameter of one name.
struct pair_of_parts {
    static constexpr char const* name() noexcept { return "pair"; }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.first, self.second, self.third);
    }
    void parameters_set() { tell_parameters_set(first, second, third); }
    everything first, second;
    lrr third;
};

std::string message(std::string const& text) {
    try {
        (void)policy_with<everything>(text);
    } catch (error const& e) {
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("a value of each kind is set by its name, the first without one") {
    auto const p =
        policy_with<everything>("everything:255:wide=40k:kept=5:on=1:share=.5:list=1/2.5:shade=dark");
    CHECK(unsigned{p.small_} == 255);
    CHECK(p.wide_ == 40'000);
    CHECK(p.kept_.get() == 5);
    CHECK(p.on_);
    CHECK(p.share_ == 0.5);
    CHECK(p.list_.size == 2);
    CHECK(p.list_.value[1] == 2.5);
    CHECK(p.shade_ == shade::dark);
    CHECK(p.told_ == 1);
    CHECK(policy_with<everything>("everything").told_ == 1);
    CHECK(policy_with<everything>("everything:fixed=9") == policy_with<everything>("everything"));
}

TEST_CASE("parameters are listed with their standard values and what they can be") {
    auto const all = parameters_of<everything>();
    REQUIRE(all.size() == 8);
    CHECK(all[0].name == "small");
    CHECK(all[0].standard == "7");
    CHECK(all[0].values == "2 to 255"); // what a byte holds
    CHECK(all[0].meaning == "a byte, above 1");
    CHECK(all[3].values == "fixed");
    CHECK(all[4].standard == "0");
    CHECK(all[4].values == "0 or 1");
    CHECK(all[5].standard == "0.25");
    CHECK(all[6].standard.empty());
    CHECK(all[6].values == "up to 3 of 0 to 10");
    CHECK(all[7].standard == "light");
    CHECK(all[7].values == "light, dark");
    CHECK(parameters_of(policy_with<everything>("everything:list=1/2.5"))[6].standard == "1/2.5");
    CHECK(parameters_of<pair_of_parts>().size() == 8);
}

TEST_CASE("a name that several parts have is set in all of them") {
    auto const p = policy_with<pair_of_parts>("pair:wide=4");
    CHECK(p.first.wide_ == 4);
    CHECK(p.second.wide_ == 4);
    CHECK(p.second.told_ == 1);
    auto const fetch =
        policy_with<fetch::interleaved<elf_of<run_time>>>("interleaved:points=6:recalculation=exact");
    for (unsigned s = 0; s < 4; ++s) CHECK(parameters_of(fetch.order(s))[0].standard == "6");
}

TEST_CASE("what is wrong is said, with the place and the remedy") {
    CHECK(message("everything:0") == "everything small = 0: give 2 to 255");
    CHECK(message("everything:256") == "everything small = 256: give 2 to 255");
    CHECK(message("everything:wide=x") == "everything wide: 'x' is not a number");
    CHECK(message("everything:wide=") == "everything wide: '' is not a number");
    CHECK(message("everything:on=yes") == "everything on: 'yes' is neither 0 nor 1");
    CHECK(message("everything:share=2") == "everything share = 2: give 0 to 1");
    CHECK(message("everything:share=nan") == "everything share = nan: give 0 to 1");
    CHECK(message("everything:share=.5.") == "everything share: '.5.' is not a number");
    CHECK(message("everything:list=1/2/3/4") == "everything list: 4 values; give at most 3");
    CHECK(message("everything:list=1/") == "everything list: '' is not a number");
    CHECK(message("everything:shade=dork") ==
          "everything shade: there is no 'dork' (did you mean dark?); there are: light, dark");
    CHECK(message("everything:fixed=8").find("everything fixed is fixed at 9") == 0);
    CHECK(message("everything:wide=1:wide=2") ==
          "everything wide is given twice, as 1 and as 2; give it once");
    CHECK(message("everything:3:small=3") == "everything small is given twice, as 3 and as 3; give it once");
    CHECK(message("everything:wide=13") == "everything: wide = 13 brings bad luck");
    CHECK(message("everything:smal=3") == "everything has no parameter 'smal' (did you mean small?); it "
                                          "takes: small, wide, kept, fixed, on, share, "
                                          "list, shade");
    CHECK_THROWS_WITH(policy_with<lrr>("lrr:3"), "lrr has no parameter '3'; it takes none");
    CHECK_THROWS_WITH(policy_with<everything>(""), "policy '' has no name");
    CHECK_THROWS_WITH(occupancy_limit_named("dyncat"),
                      Catch::Contains("there is no occupancy limit 'dyncat' (did you mean dyncta?)"));
    CHECK_NOTHROW(occupancy_limit_named("multithreading_degree:core=14", 15));
    CHECK_THROWS_WITH(occupancy_limit_named("multithreading_degree:core=15", 15),
                      "multithreading_degree core = 15: the machine has cores 0 to 14");
    CHECK_THROWS_WITH(cta_choice_named("bcs:0"), "bcs blocks = 0: give 1 to 65536");
}

TEST_CASE("the policies of every seat are set alike") {
    CHECK(policy_with<new_car>("new_car:entries=5").capacity() == 5);
    CHECK(policy_named<any_replay_queue>("mrpb:7", "replay queue").capacity() == 7);
    CHECK(policy_named<any_replay_queue>("mrpb:7", "replay queue").bypasses_full_sets());
    CHECK_THROWS_WITH(policy_named<any_replay_queue>("car:65", "replay queue"),
                      "car entries = 65: give 1 to 64");
    CHECK(policy_with<dram::timeout_page>("timeout_page:500").closes_after({}) == 500);
    CHECK(policy_with<fetch::next_line<run_time>>("next_line:threshold=4") == fetch::next_line<run_time>(4));
    CHECK(cta_choice_named("bcs") == any_cta_choice(consecutive_blocks<run_time>(2)));
    CHECK(cta_choice_named("bcs:4") == any_cta_choice(consecutive_blocks<run_time>(4)));
    CHECK(cta_choice_named("round_robin_dispatch:start=next_core") ==
          any_cta_choice(round_robin_dispatch(grid_start::next_core)));
    CHECK(cta_choice_named("locality_aware_dispatch:32:tie=highest:fill=locality") ==
          any_cta_choice(locality_aware_dispatch(
              {.window = 32, .tie = cta_tie::highest, .fill = initial_fill::locality})));
    CHECK(occupancy_limit_named("static_limit:3").limit(8) == 3);
    CHECK(occupancy_limit_named("dyncta:window=4096:pausing=0") ==
          any_occupancy_limit(dyncta({.window = 4096, .pausing = false})));
    CHECK(occupancy_limit_named("lcs:round_down=1") == any_occupancy_limit(lcs({.round_down = true})));
}

TEST_CASE("the multithreading degree goes by the model, a table of the thesis, or a table that is given") {
    using decision = multithreading_degree<chosen_reads>;
    CHECK(occupancy_limit_named("multithreading_degree") == any_occupancy_limit(decision()));
    degree_report r;
    r.accesses = 100;
    r.reads = 40;
    r.warp_instructions = 200;
    r.working_set = 70;
    r.cache = 64;
    auto const says = [&](std::string const& text) {
        return occupancy_limit_named(text).get_if<decision>()->predict(r, 8);
    };
    CHECK(says("multithreading_degree:reuse=.5") == predict_degrees(r, 8, modelled_reads{0.5}));
    auto const bfs = multithreading_tables::table_of(multithreading_tables::programs[0]);
    CHECK(says("multithreading_degree:table=bfs:gate=measured") ==
          predict_degrees(r, 8, bfs, {.gate = degree_gate::measured}));
    tabled_reads two;
    two.degrees = 2;
    two.point[0] = {.2, 100};
    two.point[1] = {.4, 250};
    CHECK(says("multithreading_degree:miss=.2/.4:reads=100/250:calm=1.5") ==
          predict_degrees(r, 8, two, {.calm = 1.5}));
    CHECK(decision(two).predict(r, 8) == predict_degrees(r, 8, two));
    CHECK_THROWS_WITH(occupancy_limit_named("multithreading_degree:miss=.2"),
                      Catch::Contains("lists of the same length"));
    CHECK_THROWS_WITH(occupancy_limit_named("multithreading_degree:table=bfs:miss=.2:reads=4"),
                      Catch::Contains("not both"));
}

TEST_CASE("random texts set something or say what is wrong") {
    char const* const pieces[] = {"everything", ":", "=", "wide", "shade", "dark",
                                  "1",          "-", "/", ".",    "list",  "99999999999999999999",
                                  "k",          " "};
    std::mt19937 random(7);
    unsigned set = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string text = round % 2 == 0 ? "everything:" : "";
        for (auto n = random() % 7; n != 0; --n) text += pieces[random() % std::size(pieces)];
        try {
            (void)policy_with<everything>(text);
            ++set;
        } catch (error const& e) {
            CHECK(std::string(e.what()).size() > 10);
        }
    }
    CHECK(set > 20);
    CHECK(set < 3900);
}
