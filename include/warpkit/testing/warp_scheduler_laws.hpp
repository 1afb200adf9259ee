#pragma once
/// \file
/// The laws that every warp scheduler keeps, to be run by its author, under any test framework or none:
///
///     #include <warpkit/testing/warp_scheduler_laws.hpp>
///     for (auto const& v : warpkit::testing::check_warp_scheduler_laws<my_policy>()) std::cerr << v.text() << '\n';
///
/// or, to throw warpkit::error at the first breach, `warpkit::testing::require_warp_scheduler_laws<my_policy>();`, and,
/// beside an obviously correct slow twin, `warpkit::testing::require_agreement<my_policy, my_slow_twin>();`

#include <warpkit/base/error.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/testing/random_core.hpp>
#include <warpkit/testing/stored_copy.hpp>
#include <warpkit/testing/violation.hpp>
#include <warpkit/testing/words.hpp>
#include <warpkit/warp/check.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace warpkit::testing {

/// How the laws are tried.
struct law_options {
    std::uint64_t seed = 1;
    unsigned streams = 8; ///< cores of different shapes, one after the other
    std::uint64_t decisions_per_stream = 2000;
    /// The most times in a row that a warp may be a candidate while another one issues; 0: what the policy declares by
    /// `static constexpr unsigned starvation_bound`, and no bound if it declares none.
    std::uint64_t starvation_bound = 0;
    /// The most decisions in a row in which a throttle may deny all candidates.
    std::uint64_t denial_bound = 400;
};

/// The stream's shape for number `i` of a run: 1 to 4 schedulers, 8 to 64 slots (or as many as there can be), CTAs of 1
/// to 16 warps.
inline random_core_options stream_shape(std::uint64_t seed, unsigned i) {
    random_numbers random(seed * 1000003 + i);
    random_core_options o;
    o.seed = random.next();
    unsigned const slots[] = {48, warp_set::width, 32, 8, warp_set::width, 24};
    o.warp_slots = slots[i % 6];
    o.schedulers = i % 3 == 2 ? 4 : 1 + i % 2;
    o.scheduler = random.below(o.schedulers);
    o.cta_slots = i % 2 == 0 ? 8 : 1 + random.below(8);
    o.max_warps_per_cta = 1 + random.below(16);
    return o;
}

namespace detail {

/// A function that hears every event of a random core.
template <class F>
struct hearing_function {
    F hear;
};
template <class F>
hearing_function<F> hearing(F f) {
    return {f};
}

/// Runs `decide(candidates, classes)` and `tell(event)` over one stream of kernels of 500 decisions each, and those
/// that it takes until the last CTAs have gone; `between()` after each kernel; false from `go_on()` ends it early.
template <class Tell, class Decide, class Between, class GoOn>
void run_stream(random_core& core, std::uint64_t decisions, Tell&& tell, Decide&& decide, Between&& between,
                GoOn&& go_on) {
    constexpr std::uint64_t kernel = 500;
    constexpr std::uint64_t most_to_run_dry =
        20'000; // some hundreds are enough; so twins that both refuse end as well
    for (std::uint64_t n = 0; n < decisions && go_on(); n += kernel) {
        if (n != 0) between();
        core.begin_kernel(tell);
        for (std::uint64_t k = 0; k < kernel && n + k < decisions && go_on(); ++k) core.step(tell, decide);
        core.run_dry();
        for (std::uint64_t k = 0; k < most_to_run_dry && core.live() && go_on(); ++k) core.step(tell, decide);
        core.end_kernel(tell);
    }
}

} // namespace detail

namespace detail {
template <class P>
constexpr std::uint64_t starvation_bound_of(law_options const& options) noexcept {
    if constexpr (requires { P::starvation_bound; })
        return options.starvation_bound != 0 ? options.starvation_bound : P::starvation_bound;
    else
        return options.starvation_bound;
}
} // namespace detail

/// Tries the laws on P and answers with the breaches, at most one of each law and stream:
///   - pick answers with a candidate, or none
///   - none only if no candidate is eligible; eligible warps are candidates, and the pick is eligible
///   - pick and eligible change nothing
///   - copies behave alike, stay equal, and equal states hash alike
///   - a checkpoint holds its state: stored, and loaded over one that has begun alike, it is equal
///   - kernel_began makes a used policy as good as new
///   - a throttle leaves hope: not all candidates are denied for more decisions in a row than the bound, neither while
///     others come and go nor when they are the last of the kernel and wait for nothing but to be picked
///   - nobody starves beyond the bound, if one is declared
template <class P>
std::vector<violation> check_warp_scheduler_laws(law_options const& options = {}, P const& fresh = P{}) {
    static_assert(check_warp_scheduler<P>());
    std::vector<violation> found;
    auto const bound = detail::starvation_bound_of<P>(options);
    for (unsigned i = 0; i < options.streams; ++i) {
        auto const shape = stream_shape(options.seed, i);
        random_core core(shape);
        P policy = fresh;
        P copy = fresh;
        P reborn = fresh; // has run all the stream's kernels, where `policy` starts fresh for each
        std::vector<std::uint64_t> passed_over(warp_set::width, 0);
        warp_set offered;
        std::uint64_t denied = 0;
        bool go_on = true;
        auto const breach = [&](char const* law, std::string const& what) {
            found.push_back({policy_name<P>(), law, what, core.events(), options.seed, i});
            go_on = false;
        };
        auto const count_issue = [&](issued const& e) {
            passed_over[e.warp.index()] = 0;
            offered.erase(e.warp);
            offered.for_each([&](warp_slot w) {
                if (++passed_over[w.index()] > bound && bound != 0 && go_on)
                    breach("nobody starves beyond the bound",
                           text_of(w) + " was a candidate and passed over more than " +
                               std::to_string(bound) + " times in a row");
            });
        };
        auto const tell = detail::hearing([&](random_core::event const& e) {
            notify_any(e, policy);
            notify_any(e, copy);
            notify_any(e, reborn);
            if (auto const* one = std::get_if<issued>(&e)) count_issue(*one);
        });
        auto const decide = [&](warp_set candidates, issue_classes const& classes) -> warp_slot {
            auto const before = policy;
            auto const pick = pick_warp(policy, candidates, classes);
            auto const eligible = eligible_warps(policy, candidates, classes);
            auto const given = "candidates are " + text_of(candidates);
            if (pick && !candidates.contains(pick))
                breach("a pick is a candidate", text_of(pick) + " was picked, but " + given);
            else if (eligible - candidates)
                breach("eligible warps are candidates",
                       text_of(eligible) + " are called eligible, but " + given);
            else if (!pick && eligible)
                breach("none is picked only if there is none",
                       "no warp was picked, but " + given +
                           (narrows<P> ? " and eligible are " + text_of(eligible) : ""));
            else if (pick && !eligible.contains(pick))
                breach("a pick is eligible",
                       text_of(pick) + " was picked, but eligible are " + text_of(eligible));
            else if (pick_warp(policy, candidates, classes) != pick)
                breach("pick changes nothing",
                       "asked twice, it picked first " + text_of(pick) + ", then another");
            else if (!(policy == before))
                breach("pick changes nothing", "the state was another one afterwards");
            else if (!(copy == policy))
                breach("copies behave alike", "a copy that heard the same events is no longer equal");
            else if (hash_of(copy) != hash_of(policy) ||
                     (reborn == policy && hash_of(reborn) != hash_of(policy)))
                breach("equal states hash alike", "two equal states have different hashes");
            else if (pick_warp(copy, candidates, classes) != pick)
                breach("copies behave alike", "an equal copy picked another warp than " + text_of(pick));
            else if (auto const again = pick_warp(reborn, candidates, classes); again != pick)
                breach("kernel_began makes as good as new", "after an earlier kernel, " + text_of(again) +
                                                                " was picked instead of " + text_of(pick));
            (offered - candidates).for_each([&](warp_slot w) { passed_over[w.index()] = 0; });
            offered = candidates;
            if (candidates) denied = eligible ? 0 : denied + 1;
            if (denied > options.denial_bound && go_on)
                breach("a throttle leaves hope", "in " + std::to_string(denied) +
                                                     " decisions in a row nobody was eligible; at last " +
                                                     given);
            if (core.decisions() % 97 == 0) detail::restore(copy, policy, reborn, breach);
            return pick;
        };
        detail::run_stream(
            core, options.decisions_per_stream, tell, decide,
            [&] {
                copy = fresh;
                policy = fresh;
            },
            [&] { return go_on; });
    }
    return found;
}

/// Compares P with a twin, decision by decision, over random streams; both hear the same events, and what P picks is
/// issued. If both refuse candidates, they must refuse the same. Answers with the first disagreement of each stream.
template <class P, class Twin>
std::vector<violation> check_agreement(law_options const& options = {}, P const& fresh = P{},
                                       Twin const& fresh_twin = Twin{}) {
    static_assert(check_warp_scheduler<P>());
    std::vector<violation> found;
    for (unsigned i = 0; i < options.streams; ++i) {
        random_core core(stream_shape(options.seed, i));
        P policy = fresh;
        Twin twin = fresh_twin;
        bool go_on = true;
        detail::run_stream(
            core, options.decisions_per_stream, detail::hearing([&](random_core::event const& e) {
                notify_any(e, policy);
                notify_any(e, twin);
            }),
            [&](warp_set candidates, issue_classes const& classes) {
                auto const pick = pick_warp(policy, candidates, classes);
                auto const other = pick_warp(twin, candidates, classes);
                auto const parted = [&](std::string const& mine, std::string const& its) {
                    if (!go_on) return;
                    go_on = false;
                    found.push_back(
                        {policy_name<P>(), "agrees with its twin",
                         "of candidates " + text_of(candidates) + ", " + mine + ", but the twin " + its,
                         core.events(), options.seed, i});
                };
                if (pick != other) parted(text_of(pick) + " was picked", "picked " + text_of(other));
                if constexpr (narrows<P> && narrows<Twin>) {
                    auto const admitted = eligible_warps(policy, candidates, classes);
                    auto const its = eligible_warps(twin, candidates, classes);
                    if (admitted != its)
                        parted(text_of(admitted) + " are eligible", "admits " + text_of(its));
                }
                return pick;
            },
            [] {}, [&] { return go_on; });
    }
    return found;
}

/// Throws warpkit::error with the first breach.
template <class P>
void require_warp_scheduler_laws(law_options const& options = {}, P const& fresh = P{}) {
    auto const found = check_warp_scheduler_laws<P>(options, fresh);
    if (!found.empty()) throw error(found.front().text());
}
/// Throws warpkit::error with the first disagreement.
template <class P, class Twin>
void require_agreement(law_options const& options = {}, P const& fresh = P{}, Twin const& twin = Twin{}) {
    auto const found = check_agreement<P, Twin>(options, fresh, twin);
    if (!found.empty()) throw error(found.front().text());
}

} // namespace warpkit::testing
