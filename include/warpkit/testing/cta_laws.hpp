#pragma once
/// \file
/// The laws that every choice of block and every occupancy limit keeps, to be run by its author, as those of warp
/// schedulers (warp_scheduler_laws.hpp):
///
///     warpkit::testing::require_cta_choice_laws<my_choice>();
///     warpkit::testing::require_occupancy_limit_laws<my_limit>();
///
/// and, beside an obviously correct slow twin, require_choice_agreement and require_limit_agreement.

#include <warpkit/base/error.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/testing/random_core.hpp>
#include <warpkit/testing/random_grid.hpp>
#include <warpkit/testing/stored_copy.hpp>
#include <warpkit/testing/violation.hpp>
#include <warpkit/testing/words.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace warpkit::testing {

/// How the laws are tried.
struct cta_law_options {
    std::uint64_t seed = 1;
    unsigned streams = 8;        ///< machines of different shapes, one after the other
    unsigned grids = 6;          ///< of each, for choices
    std::uint64_t cycles = 4000; ///< of each, for limits
};

namespace detail {

inline random_grid_options grid_shape(cta_law_options const& o, unsigned stream) {
    random_numbers random(o.seed * 1000003 + stream);
    random_grid_options g;
    g.seed = random.next();
    g.cores = stream % 4 == 0 ? 15 : 1 + random.below(24);
    g.ctas_per_core = stream % 3 == 0 ? 8 : 1 + random.below(12);
    g.most_ctas = 40 + random.below(900);
    return g;
}
inline std::string text_of(cta_assignment const& a) {
    if (!a) return "nobody gets anything";
    return "core " + std::to_string(a.core) + " gets " + std::to_string(a.count) + " from CTA " +
           std::to_string(a.first) + " on";
}

/// Runs grids through `tell`, `ask`; `between()` after each.
template <class Tell, class Ask, class Between, class GoOn>
void run_grids(random_grid& grid, unsigned grids, Tell&& tell, Ask&& ask, Between&& between, GoOn&& go_on) {
    for (unsigned g = 0; g < grids && go_on(); ++g) {
        grid.begin(tell);
        while (!grid.done() && go_on()) grid.step(tell, ask);
        between();
    }
}

} // namespace detail

/// Tries the laws on a choice of block and answers with the breaches, at most one of each stream:
///   - an answer names a core with room for so many, and CTAs that exist and have not gone out
///   - while CTAs remain and an empty core has room, somebody gets something: so none is lost
///   - who says that it keeps the order gives CTAs out in the order of their numbers
///   - choose changes nothing
///   - copies behave alike, stay equal, and equal states hash alike
///   - a checkpoint holds its state: stored, and loaded over one that has begun alike, it is equal
///   - grid_began makes a used choice as good as new
template <class P>
std::vector<violation> check_cta_choice_laws(cta_law_options const& options = {}, P const& fresh = P{}) {
    static_assert(check_cta_choice<P>());
    std::vector<violation> found;
    for (unsigned i = 0; i < options.streams; ++i) {
        random_grid grid(detail::grid_shape(options, i));
        P policy = fresh;
        P copy = fresh;
        P reborn = fresh; // has seen all grids, where `policy` starts fresh for each
        bool go_on = true;
        auto const breach = [&](char const* law, std::string const& what) {
            if (go_on) found.push_back({policy_name<P>(), law, what, grid.events(), options.seed, i});
            go_on = false;
        };
        auto const tell = [&](auto const& e) {
            notify(e, policy);
            notify(e, copy);
            notify(e, reborn);
        };
        std::uint64_t asked = 0;
        auto const ask = [&](core_rooms rooms) -> cta_assignment {
            if (!go_on) return {};
            auto const before = policy;
            auto const a = policy.choose(rooms);
            if (!(policy == before) || policy.choose(rooms) != a)
                breach("choose changes nothing", "asked twice, it answered differently, or its state did");
            else if (!a && grid.somebody_starves())
                breach("somebody gets something",
                       "CTAs are left and a core is empty, but nobody gets anything");
            else if (a && a.core >= rooms.size())
                breach("an answer names a core",
                       detail::text_of(a) + ", of " + std::to_string(rooms.size()) + " cores");
            else if (a && a.count > rooms[a.core])
                breach("a core has room for what it gets",
                       detail::text_of(a) + ", but has room for " + std::to_string(rooms[a.core]));
            else if (a && (a.first >= grid.ctas() || a.count > grid.ctas() - a.first))
                breach("a CTA exists", detail::text_of(a) + ", of " + std::to_string(grid.ctas()));
            else if (a && keeps_order(policy) && a.first != 0 && !grid.is_out(a.first - 1))
                breach("who keeps the order gives CTAs out in order",
                       detail::text_of(a) + ", before the one in front of it");
            else if (auto const again = reborn.choose(rooms); again != a)
                breach("grid_began makes as good as new", "after an earlier grid, " + detail::text_of(again) +
                                                              " instead of " + detail::text_of(a));
            else if (!(copy == policy) || copy.choose(rooms) != a)
                breach("copies behave alike", "an equal copy that heard the same parted from its origin");
            else if (hash_of(copy) != hash_of(policy))
                breach("equal states hash alike", "two equal states have different hashes");
            else
                for (unsigned n = 0; n < a.count; ++n)
                    if (grid.is_out(a.first + n))
                        breach("no CTA goes out twice", detail::text_of(a) + ", of which one has gone out");
            if (++asked % 97 == 0) detail::restore(copy, policy, reborn, breach);
            return go_on ? a : cta_assignment{};
        };
        detail::run_grids(
            grid, options.grids, tell, ask,
            [&] {
                policy = fresh;
                copy = fresh;
            },
            [&] { return go_on; });
    }
    return found;
}

/// Compares a choice with a twin over random grids; both hear the same, and what P answers is done.
template <class P, class Twin>
std::vector<violation> check_choice_agreement(cta_law_options const& options = {}, P const& fresh = P{},
                                              Twin const& fresh_twin = Twin{}) {
    std::vector<violation> found;
    for (unsigned i = 0; i < options.streams; ++i) {
        random_grid grid(detail::grid_shape(options, i));
        P policy = fresh;
        Twin twin = fresh_twin;
        bool go_on = true;
        detail::run_grids(
            grid, options.grids,
            [&](auto const& e) {
                notify(e, policy);
                notify(e, twin);
            },
            [&](core_rooms rooms) -> cta_assignment {
                auto const a = policy.choose(rooms);
                auto const other = twin.choose(rooms);
                if (a != other && go_on) {
                    go_on = false;
                    found.push_back({policy_name<P>(), "agrees with its twin",
                                     detail::text_of(a) + ", but with the twin " + detail::text_of(other),
                                     grid.events(), options.seed, i});
                }
                return go_on ? a : cta_assignment{};
            },
            [] {}, [&] { return go_on; });
    }
    return found;
}

namespace detail {

/// A random core under loose orders, with counters for limits that ask; `hear` is told everything.
template <class Hear, class After>
void run_limits(cta_law_options const& options, unsigned stream, Hear&& hear, After&& after) {
    random_numbers random(options.seed * 1000033 + stream);
    random_core_options shape;
    shape.seed = random.next();
    shape.warp_slots = stream % 2 == 0 ? 48 : 64;
    shape.max_warps_per_cta = 1 + random.below(12);
    random_core core(shape);
    core_sampled counted;
    auto const tell = [&](auto const& e) {
        using event = std::remove_cvref_t<decltype(e)>;
        if constexpr (std::is_same_v<event, kernel_began>) counted = {};
        if constexpr (std::is_same_v<event, issued>) ++counted.warp_instructions;
        hear(e);
    };
    core.begin_kernel(tell);
    for (std::uint64_t n = 0; n < options.cycles; ++n) {
        core.step(tell, [&](warp_set candidates, issue_classes const&) { return candidates.first(); });
        auto const passed = 1 + random.below(40);
        counted.at += passed;
        counted.idle_cycles += random.chance(10) ? random.below(passed) : 0;
        counted.memory_block_cycles += random.chance(30) ? random.below(passed) : 0;
        counted.latency_sum += random.below(1000);
        counted.latencies += 1;
        if (!after(core, counted)) return;
        if (n % 1000 == 999) {
            core.end_kernel(tell);
            core.begin_kernel(tell);
        }
    }
}
/// What a host does between windows.
template <class P>
void follow(P& policy, core_sampled const& now) {
    if constexpr (asks_samples<P>)
        if (now.at >= policy.next_sample()) policy.on(now);
    if constexpr (announces_degree<P>)
        if (auto const degree = policy.announced()) notify(degree_chosen{degree}, policy);
}

} // namespace detail

/// Tries the laws on an occupancy limit and answers with the breaches, at most one of each stream:
///   - a limit is from 1 to what fits, whatever fits
///   - asking changes nothing; a steady limit stays as it is
///   - copies behave alike, stay equal, and equal states hash alike
///   - a checkpoint holds its state: stored, and loaded over one that has begun alike, it is equal
///   - kernel_began makes a used limit as good as new
template <class P>
std::vector<violation> check_occupancy_limit_laws(cta_law_options const& options = {}, P const& fresh = P{}) {
    static_assert(check_occupancy_limit<P>());
    std::vector<violation> found;
    for (unsigned i = 0; i < options.streams; ++i) {
        P policy = fresh;
        P copy = fresh;
        P reborn = fresh;
        bool go_on = true;
        unsigned steady_at = 0;
        unsigned asked = 0;
        detail::run_limits(
            options, i,
            [&](auto const& e) {
                using event = std::remove_cvref_t<decltype(e)>;
                if constexpr (std::is_same_v<event, kernel_began>) {
                    policy = fresh;
                    copy = fresh;
                }
                notify(e, policy, copy, reborn);
                if constexpr (std::is_same_v<event, kernel_began>) steady_at = policy.limit(16);
            },
            [&](random_core& core, core_sampled const& now) {
                auto const breach = [&](char const* law, std::string const& what) {
                    found.push_back({policy_name<P>(), law, what, core.events(), options.seed, i});
                    go_on = false;
                };
                detail::follow(policy, now);
                detail::follow(copy, now);
                detail::follow(reborn, now);
                auto const before = policy;
                for (unsigned const fit : {1U, 2U, 5U, 8U, 16U, 32U}) {
                    auto const n = policy.limit(fit);
                    if (n < 1 || n > fit)
                        breach("a limit is from 1 to what fits",
                               std::to_string(n) + " CTAs, where " + std::to_string(fit) + " fit");
                    else if (reborn.limit(fit) != n)
                        breach("kernel_began makes as good as new", "after an earlier kernel, the limit is " +
                                                                        std::to_string(reborn.limit(fit)) +
                                                                        " instead of " + std::to_string(n));
                    if (!go_on) return false;
                }
                if (steady_limit(policy) && policy.limit(16) != steady_at)
                    breach("a steady limit stays", "it went from " + std::to_string(steady_at) + " to " +
                                                       std::to_string(policy.limit(16)));
                else if (!(policy == before))
                    breach("asking changes nothing", "the state was another one afterwards");
                else if (!(copy == policy))
                    breach("copies behave alike", "a copy that heard the same events is no longer equal");
                else if (hash_of(copy) != hash_of(policy))
                    breach("equal states hash alike", "two equal states have different hashes");
                if (++asked % 5 == 0) detail::restore(copy, policy, reborn, breach);
                return go_on;
            });
    }
    return found;
}

/// Compares a limit with a twin, cycle by cycle.
template <class P, class Twin>
std::vector<violation> check_limit_agreement(cta_law_options const& options = {}, P const& fresh = P{},
                                             Twin const& fresh_twin = Twin{}) {
    std::vector<violation> found;
    for (unsigned i = 0; i < options.streams; ++i) {
        P policy = fresh;
        Twin twin = fresh_twin;
        detail::run_limits(
            options, i, [&](auto const& e) { notify(e, policy, twin); },
            [&](random_core& core, core_sampled const& now) {
                detail::follow(policy, now);
                detail::follow(twin, now);
                std::string parted;
                if (policy.limit(32) != twin.limit(32))
                    parted = "the limit is " + std::to_string(policy.limit(32)) + ", but the twin's " +
                             std::to_string(twin.limit(32));
                if constexpr (pauses_warps<P> && pauses_warps<Twin>)
                    if (policy.paused() != twin.paused())
                        parted = text_of(policy.paused()) + " are paused, but the twin pauses " +
                                 text_of(twin.paused());
                if constexpr (grants_tokens<P> && grants_tokens<Twin>)
                    if (policy.tokens() != twin.tokens())
                        parted = "it grants " + std::to_string(policy.tokens()) + " tokens, but the twin " +
                                 std::to_string(twin.tokens());
                if (parted.empty()) return true;
                found.push_back(
                    {policy_name<P>(), "agrees with its twin", parted, core.events(), options.seed, i});
                return false;
            });
    }
    return found;
}

/// Each throws warpkit::error with the first breach or disagreement.
template <class P>
void require_cta_choice_laws(cta_law_options const& options = {}, P const& fresh = P{}) {
    auto const found = check_cta_choice_laws<P>(options, fresh);
    if (!found.empty()) throw error(found.front().text());
}
template <class P>
void require_occupancy_limit_laws(cta_law_options const& options = {}, P const& fresh = P{}) {
    auto const found = check_occupancy_limit_laws<P>(options, fresh);
    if (!found.empty()) throw error(found.front().text());
}
template <class P, class Twin>
void require_choice_agreement(cta_law_options const& options = {}, P const& fresh = P{},
                              Twin const& twin = Twin{}) {
    auto const found = check_choice_agreement<P, Twin>(options, fresh, twin);
    if (!found.empty()) throw error(found.front().text());
}
template <class P, class Twin>
void require_limit_agreement(cta_law_options const& options = {}, P const& fresh = P{},
                             Twin const& twin = Twin{}) {
    auto const found = check_limit_agreement<P, Twin>(options, fresh, twin);
    if (!found.empty()) throw error(found.front().text());
}

} // namespace warpkit::testing
