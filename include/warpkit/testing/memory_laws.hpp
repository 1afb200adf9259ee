#pragma once
/// \file
/// The laws of replacement policies, of texture caches, and of a DRAM channel with its policies, to be run by their
/// author:
///
///     warpkit::testing::require_dram_laws<my_scheduler>();
///
/// and require_replacement_laws, require_texture_cache_laws. Each throws `error` at the first breach; check_... answers
/// with all of them. (Caches: testing/cache_laws.hpp; networks: testing/network_laws.hpp.)

#include <warpkit/base/error.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/cache/check.hpp>
#include <warpkit/cache/concepts.hpp>
#include <warpkit/cache/way_set.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/check.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/page_policy.hpp>
#include <warpkit/dram/prefetch.hpp>
#include <warpkit/dram/protocol_checker.hpp>
#include <warpkit/dram/standards.hpp>
#include <warpkit/testing/core_laws.hpp>
#include <warpkit/testing/random_core.hpp>
#include <warpkit/testing/stored_copy.hpp>
#include <warpkit/testing/violation.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace warpkit::testing {

/// How the laws of the memory are tried.
struct memory_law_options {
    std::uint64_t seed = 1;
    unsigned streams = 6;
    unsigned steps = 3000; ///< of each: accesses, requests
};

/// Tries the laws on a replacement policy, in sets of several sizes:
///   - a victim is one of the eligible ways, and asking for it changes nothing
///   - copies behave alike, and equal states hash alike
///   - a checkpoint holds its state: stored, and loaded over one that has begun alike, it is equal
template <class R>
std::vector<violation> check_replacement_laws(memory_law_options const& options = {}) {
    static_assert(replacement_policy<R>,
                  "warpkit: this is no replacement policy; the contract is in cache/concepts.hpp");
    std::vector<violation> found;
    for (unsigned i = 0; i < options.streams; ++i) {
        random_numbers random(options.seed * 1000003 + i);
        constexpr unsigned all_ways[] = {1, 2, 4, 8, 24, 64, 70, 256, most_ways};
        auto const ways = all_ways[serves_wide_sets<R> ? 8 - i % 9 : i % 6];
        auto const sets = ways > 64 ? 1 : 1U << random.below(6);
        R policy(sets, ways);
        auto copy = policy;
        std::vector<std::vector<bool>> valid(sets, std::vector<bool>(ways));
        std::vector<unsigned> empty(sets, ways); // of a set, ways without a line
        unsigned step = 0;
        bool go_on = true;
        auto const breach = [&](char const* law, std::string const& what) {
            if (go_on) found.push_back({policy_name<R>(), law, what, step, options.seed, i});
            go_on = false;
        };
        for (; step < options.steps && go_on; ++step) {
            auto const set = random.below(sets);
            auto const way = random.below(ways);
            line_use const by{random.below(64) * 128, random.below(16) * 8, warp_slot{random.below(48)}};
            if (!(policy == copy))
                breach("copies behave alike", "a copy that was told the same is no longer equal");
            if (hash_of(policy) != hash_of(copy))
                breach("equal states hash alike", "two equal states do not");
            if (go_on && step % 97 == 96) detail::restore(copy, policy, R(sets, ways), breach);
            if (valid[set][way] && random.chance(60)) {
                tell_used(policy, set, way, by);
                tell_used(copy, set, way, by);
            } else if (valid[set][way] && random.chance(10)) {
                valid[set][way] = false;
                ++empty[set];
                if constexpr (hears_removals<R>) {
                    policy.removed(set, way);
                    copy.removed(set, way);
                }
            } else {
                auto into = way;
                if (empty[set] == 0) { // only then is there anything to ask
                    auto eligible = way_mask::all(ways);
                    if (!random.chance(70))
                        for (unsigned w = 0; w < ways; w += 64) eligible.word(w / 64) &= random.next();
                    if (eligible.empty()) eligible.insert(way);
                    auto const before = policy;
                    into = victim_of(policy, set, eligible);
                    if (into >= ways || !way_set(eligible).contains(into)) {
                        breach("a victim is eligible", "way " + std::to_string(into) + " is not");
                        break;
                    }
                    if (!(policy == before) || victim_of(policy, set, eligible) != into)
                        breach("asking for a victim changes nothing", "asked twice, it answered differently");
                    if (victim_of(copy, set, eligible) != into)
                        breach("copies behave alike", "an equal copy named another victim");
                } else {
                    into = static_cast<unsigned>(std::find(valid[set].begin(), valid[set].end(), false) -
                                                 valid[set].begin());
                    --empty[set];
                }
                valid[set][into] = true;
                tell_inserted(policy, set, into, by);
                tell_inserted(copy, set, into, by);
            }
        }
    }
    return found;
}

/// Tries the laws on a texture cache: accesses that are accepted are served once, in their order, and all of them;
/// refused ones change nothing; copies behave alike.
template <class C>
std::vector<violation>
check_texture_cache_laws(memory_law_options const& options = {},
                         cache_parameters const& numbers = {{8, 4, 128, 128}, 8, 16, 8, 0, {}}) {
    static_assert(check_texture_cache<C>());
    std::vector<violation> found;
    for (unsigned i = 0; i < options.streams; ++i) {
        random_numbers random(options.seed * 1000003 + i);
        C cache(numbers);
        auto copy = cache;
        std::vector<lower_request> below;
        std::deque<std::uint32_t> waiting;
        unsigned step = 0;
        bool go_on = true;
        auto const breach = [&](char const* law, std::string const& what) {
            if (go_on) found.push_back({policy_name<C>(), law, what, step, options.seed, i});
            go_on = false;
        };
        for (; go_on && (step < options.steps || !waiting.empty() || cache.has_request()); ++step) {
            if (step > options.steps * 50) {
                breach("all are served", std::to_string(waiting.size()) + " were not");
                break;
            }
            cache_access a;
            a.address = random.below(200) * std::uint64_t{64};
            a.token = step;
            a.space = memory_space::texture;
            if (step < options.steps) {
                auto const requests = cache.requests();
                auto const got = cache.access(a);
                if (!(copy.access(a) == got))
                    breach("copies behave alike", "an equal copy answered differently");
                if (got.answer == cache_answer::at_fill)
                    waiting.push_back(step);
                else if (got.answer != cache_answer::refused)
                    breach("accesses are served later, or refused", "one was answered otherwise");
                else if (cache.requests() != requests)
                    breach("a refused access changes nothing", "it made a request");
            }
            while (go_on && cache.has_request() && random.chance(70)) {
                below.push_back(cache.front_request());
                cache.pop_request();
                copy.pop_request();
            }
            while (!below.empty() && random.chance(50)) {
                auto const which = random.below(static_cast<unsigned>(below.size()));
                auto const r = below[which];
                below.erase(below.begin() + which);
                cache.fill(r.address, r.bytes, r.mshr);
                copy.fill(r.address, r.bytes, r.mshr);
            }
            while (go_on && cache.can_serve() && random.chance(80)) {
                auto served = no_token;
                cache.serve([&](std::uint32_t t) { served = t; });
                copy.serve([](std::uint32_t) {});
                if (waiting.empty() || waiting.front() != served)
                    breach("accesses are served in their order",
                           "token " + std::to_string(served) + " was served");
                else
                    waiting.pop_front();
            }
        }
        if (go_on && !(cache == copy))
            breach("copies behave alike", "a copy that was told the same is no longer equal");
    }
    return found;
}

/// Tries the laws on the policies of a DRAM channel, a scheduler of either kind, a page policy and a memory-side
/// prefetcher, with reads and writes that come as fast as they are taken, or now and then:
///   - every request is done, once; no other is, but what the prefetcher asked for
///   - no command breaks a rule of the timing table (dram/protocol_checker.hpp)
///   - ticked in every cycle, or only when it says that something can happen, a channel does the same
///   - a copy, made in the middle, goes on alike
template <class Scheduler, class PagePolicy = dram::open_page, class Prefetcher = dram::no_memory_prefetch>
std::vector<violation> check_dram_laws(memory_law_options const& options = {},
                                       dram::timing const& timing = dram::gddr5_gtx480,
                                       PagePolicy const& page = {}) {
    static_assert(dram::check_scheduler<Scheduler>() && dram::check_page_policy<PagePolicy>() &&
                  dram::check_memory_prefetcher<Prefetcher>());
    struct watcher {
        std::vector<dram::command> commands;
        void on(dram::command const& c) { commands.push_back(c); }
    };
    auto const name = !std::is_same_v<PagePolicy, dram::open_page>            ? policy_name<PagePolicy>()
                      : !std::is_same_v<Prefetcher, dram::no_memory_prefetch> ? policy_name<Prefetcher>()
                                                                              : policy_name<Scheduler>();
    std::vector<violation> found;
    for (unsigned i = 0; i < options.streams; ++i) {
        random_numbers random(options.seed * 1000003 + i);
        dram::prefetch_numbers numbers;
        numbers.line_bytes = 128;
        auto const prefetcher = [&]() -> Prefetcher {
            if constexpr (std::is_same_v<Prefetcher, dram::no_memory_prefetch>)
                return {};
            else
                return Prefetcher(timing, numbers);
        };
        auto const queue = 4U << random.below(4);
        dram::channel<Scheduler, PagePolicy, Prefetcher> every(
            timing, {queue, queue, queue, {}}, dram::command_bus::single_and_row, {}, page, prefetcher());
        auto now_and_then = every;
        std::vector<dram::request> requests;
        std::vector<cycle> arrival;
        cycle at = 0;
        auto const rows = 1 + random.below(20);
        bool const sparse = i % 2 == 1;
        for (unsigned n = 0; n < options.steps / 3; ++n) {
            dram::request r;
            r.token = n;
            r.bank = static_cast<std::uint16_t>(random.below(timing.banks));
            r.row = random.below(rows);
            r.atoms = 1 + random.below(2);
            r.column = random.below(numbers.row_bytes / 128) * 128;
            r.write = random.chance(30);
            requests.push_back(r);
            arrival.push_back(at += sparse ? random.below(30) : 0);
        }
        auto const breach = [&](char const* law, std::string const& what, std::uint64_t after) {
            if (found.empty() || found.back().stream != i)
                found.push_back({name, law, what, after, options.seed, i});
        };
        struct outcome {
            std::vector<std::pair<std::uint64_t, cycle>> done;
            std::vector<dram::command> commands;
        };
        auto const run = [&](auto channel, bool all, bool copied) {
            outcome o;
            watcher w;
            dram::protocol_checker checker(timing, 2);
            std::size_t next = 0;
            cycle last = 2'000'000 + at;
            cycle now = 0;
            auto const push = [&] {
                while (next < requests.size() && arrival[next] <= now && channel.can_accept(requests[next]))
                    channel.push(requests[next++]);
            };
            push();
            while (o.done.size() < requests.size() && now < last) {
                if (copied && o.done.size() == requests.size() / 2) {
                    auto other = channel;
                    channel = other;
                    copied = false;
                }
                channel.tick(
                    now,
                    [&](dram::request const& q) {
                        if (!q.prefetch) o.done.emplace_back(q.token, now);
                    },
                    w, checker);
                push();
                auto const event = channel.next_event(now);
                auto const arrives = next < requests.size() && arrival[next] > now ? arrival[next] : never;
                now = all ? now + 1 : arrives < event ? arrives : event;
                push();
            }
            o.commands = std::move(w.commands);
            if (auto const wrong = checker.first(); !wrong.empty())
                breach("no command breaks a timing rule", wrong, checker.seen());
            return o;
        };
        auto const first = run(every, true, false);
        std::set<std::uint64_t> tokens;
        for (auto const& [token, when] : first.done)
            if (token >= requests.size() || !tokens.insert(token).second)
                breach("every request is done once", "token " + std::to_string(token) + " twice",
                       tokens.size());
        if (tokens.size() != requests.size())
            breach("every request is done", std::to_string(requests.size() - tokens.size()) + " are not",
                   tokens.size());
        auto const second = run(now_and_then, false, true);
        if (second.done != first.done || second.commands != first.commands)
            breach("skipped cycles make no difference",
                   "ticked when something can happen only, it did something else", first.done.size());
    }
    return found;
}

template <class R>
void require_replacement_laws(memory_law_options const& options = {}) {
    detail::require<R>(check_replacement_laws<R>(options));
}
template <class C>
void require_texture_cache_laws(memory_law_options const& options = {}) {
    detail::require<C>(check_texture_cache_laws<C>(options));
}
template <class Scheduler, class PagePolicy = dram::open_page, class Prefetcher = dram::no_memory_prefetch>
void require_dram_laws(memory_law_options const& options = {}) {
    detail::require<Scheduler>(check_dram_laws<Scheduler, PagePolicy, Prefetcher>(options));
}

} // namespace warpkit::testing
