#pragma once
/// \file
/// The laws of the seats of a core beside the warp scheduler's (warp_scheduler_laws.hpp), to be run by a policy's
/// author:
///
///     warpkit::testing::require_coalescer_laws<my_coalescer>();
///
/// and require_fetch_order_laws, require_instruction_prefetch_laws, require_data_prefetch_laws,
/// require_replay_queue_laws, require_observer_laws.
/// Each throws `error` at the first breach; check_... answers with all of them.

#include <warpkit/base/error.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/fetch/concepts.hpp>
#include <warpkit/lsu/check.hpp>
#include <warpkit/lsu/data_prefetch.hpp>
#include <warpkit/testing/random_core.hpp>
#include <warpkit/testing/stored_copy.hpp>
#include <warpkit/testing/violation.hpp>
#include <warpkit/testing/warp_scheduler_laws.hpp>
#include <warpkit/testing/words.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace warpkit::testing {

namespace detail {

template <class P>
void require(std::vector<violation> const& found) {
    if (!found.empty()) throw error(found.front().text());
}

/// Lets a policy and a copy of it hear random cores, and asks `ask(policy, copy, random, breach)` before each issue.
template <class P, class Ask>
std::vector<violation> hear_cores(law_options const& options, P const& fresh, Ask&& ask) {
    std::vector<violation> found;
    for (unsigned i = 0; i < options.streams; ++i) {
        random_core core(stream_shape(options.seed, i));
        random_numbers random(options.seed * 31 + i);
        P policy = fresh;
        P copy = fresh;
        P begun = fresh; // has heard of the kernel, and no more
        bool go_on = true;
        unsigned asked = 0;
        auto const breach = [&](char const* law, std::string const& what) {
            if (go_on) found.push_back({policy_name<P>(), law, what, core.events(), options.seed, i});
            go_on = false;
        };
        run_stream(
            core, options.decisions_per_stream, hearing([&](random_core::event const& e) {
                notify_any(e, policy);
                notify_any(e, copy);
                if (std::get_if<kernel_began>(&e) == nullptr) return;
                begun = fresh;
                notify_any(e, begun);
            }),
            [&](warp_set candidates, issue_classes const&) {
                if (!(policy == copy))
                    breach("copies behave alike", "a copy that heard the same events is no longer equal");
                else if (hash_of(policy) != hash_of(copy))
                    breach("equal states hash alike", "two equal states have different hashes");
                else
                    ask(policy, copy, candidates, random, breach);
                if (go_on && ++asked % 97 == 0) restore(copy, policy, begun, breach);
                return candidates.first();
            },
            [] {}, [&] { return go_on; });
    }
    return found;
}

} // namespace detail

/// Tries the laws on a fetch order: a pick is a candidate, and there is one where there are any; pick changes nothing;
/// copies behave alike, equal states hash alike and a checkpoint holds them.
template <class P>
std::vector<violation> check_fetch_order_laws(law_options const& options = {}, P const& fresh = P{}) {
    static_assert(check_fetch_order<P>());
    return detail::hear_cores<P>(
        options, fresh,
        [](P& policy, P& copy, warp_set candidates, random_numbers& random, auto const& breach) {
            auto const before = policy;
            auto const pick = policy.pick(candidates);
            if (pick && !candidates.contains(pick))
                breach("a pick is a candidate",
                       text_of(pick) + " was picked, but candidates are " + text_of(candidates));
            else if (!pick && candidates)
                breach("none is picked only if there is none",
                       "no warp was picked, but candidates are " + text_of(candidates));
            else if (!(policy == before) || policy.pick(candidates) != pick)
                breach("pick changes nothing", "asked twice, it picked another, or its state changed");
            else if (copy.pick(candidates) != pick)
                breach("copies behave alike", "an equal copy picked another warp than " + text_of(pick));
            if (!pick) return;
            fetched const e{pick, random.below(512) * 8, 0, cache_outcome::hit};
            notify(e, policy);
            notify(e, copy);
        });
}

/// Tries the laws on an instruction prefetcher: wants changes nothing and depends on what it was told alone; copies
/// behave alike, equal states hash alike and a checkpoint holds them.
template <class P>
std::vector<violation> check_instruction_prefetch_laws(law_options const& options = {},
                                                       P const& fresh = P{}) {
    static_assert(check_instruction_prefetch<P>());
    return detail::hear_cores<P>(
        options, fresh,
        [](P& policy, P& copy, warp_set candidates, random_numbers& random, auto const& breach) {
            if (!candidates) return;
            auto const pc = random.below(512) * 8;
            fetched const e{candidates.first(), pc, pc / 128 * 128,
                            random.chance(50) ? cache_outcome::hit : cache_outcome::miss};
            auto const occupied = random.below(64);
            auto const before = policy;
            bool const wants = policy.wants(e, occupied);
            if (!(policy == before) || policy.wants(e, occupied) != wants)
                breach("wants changes nothing", "asked twice, it answered differently, or its state changed");
            else if (copy.wants(e, occupied) != wants)
                breach("copies behave alike", "an equal copy that heard the same answered differently");
            notify(e, policy);
            notify(e, copy);
            if (!wants) return;
            notify(prefetched{e.line + 128}, policy);
            notify(prefetched{e.line + 128}, copy);
        });
}

/// Tries the laws on a data prefetcher: what it asks for depends on what it saw and was told alone, so copies ask alike
/// and stay equal, and equal states hash alike; its queue has room for a block and keeps its length.
template <class P>
std::vector<violation> check_data_prefetch_laws(law_options const& options = {}, P const& fresh = P{}) {
    static_assert(check_data_prefetch<P>());
    prefetch_record so_far;
    cycle now = 0;
    return detail::hear_cores<P>(
        options, fresh,
        [&](P& policy, P& copy, warp_set candidates, random_numbers& random, auto const& breach) {
            if (!candidates) return;
            load_seen const load{candidates.first(), random.below(64) * 8,
                                 0x10000 + std::uint64_t{random.below(256)} * 128,
                                 now += 1 + random.below(40)};
            std::vector<std::int64_t> asked, asked_of_copy;
            policy.seen(load, so_far, [&](std::int64_t o) { asked.push_back(o); });
            copy.seen(load, so_far, [&](std::int64_t o) { asked_of_copy.push_back(o); });
            if (asked != asked_of_copy)
                breach("copies behave alike", "an equal copy that saw the same asked for something else");
            else if (policy.queue() == 0 || policy.queue() != fresh.queue())
                breach("a queue keeps its length", "its queue has no room, or another length than at first");
            so_far.issued += asked.size();
            so_far.useful += asked.empty() ? 0 : random.below(2);
            so_far.requests += 1 + asked.size();
            so_far.merges += random.below(2);
        });
}

/// Tries the laws on an observer: copies that hear the same stay equal, and equal states hash alike. (That it changes
/// nothing of a machine follows from its being told alone.)
template <class P>
std::vector<violation> check_observer_laws(law_options const& options = {}, P const& fresh = P{}) {
    return detail::hear_cores<P>(options, fresh, [](auto const&...) {});
}

/// Tries the laws on a coalescer, with random accesses to global memory, all sizes of a lane's access that there are:
///   - a transaction is an aligned block of a power of two of bytes, at most 128
///   - every byte of every lane lies in a transaction of which the lane is one; that byte is marked as used, and no
///     byte that no lane asked for
///   - lanes of a load or store that use one byte use it in one transaction
///   - the sectors are those of the used bytes, and no transaction is without lanes
///   - asked twice, it answers alike, whatever was in the list
template <class P>
std::vector<violation> check_coalescer_laws(law_options const& options = {}, P const& policy = P{}) {
    static_assert(check_coalescer<P>());
    std::vector<violation> found;
    for (unsigned i = 0; i < options.streams; ++i) {
        random_numbers random(options.seed * 1000003 + i);
        transaction_list out;
        transaction_list again;
        bool go_on = true;
        for (std::uint64_t n = 1; n <= options.decisions_per_stream / 4 && go_on; ++n) {
            auto const breach = [&](char const* law, std::string const& what) {
                if (go_on) found.push_back({policy_name<P>(), law, what, n, options.seed, i});
                go_on = false;
            };
            lane_addresses address{};
            warp_access a;
            constexpr std::uint32_t sizes[] = {1, 2, 4, 8, 16};
            a.bytes = sizes[random.below(5)];
            a.kind = random.chance(70)   ? access_kind::load
                     : random.chance(80) ? access_kind::store
                                         : access_kind::atomic;
            a.active = random.chance(50) ? all_lanes : static_cast<lane_mask>(random.next());
            if (a.active == 0) a.active = 1;
            a.affine = random.chance(40);
            a.base = 0x10000 + random.below(4096) * a.bytes;
            a.stride = random.chance(60) ? a.bytes : random.below(9) * a.bytes * 8;
            a.addresses = &address;
            auto const range = 1U << (4 + random.below(14));
            for (unsigned lane = 0; lane < lanes; ++lane)
                address[lane] = 0x10000 + random.below(range) * std::uint64_t{a.bytes};
            bool const past = random.chance(30) || a.kind == access_kind::atomic;
            policy(a, past, out);
            again.clear();
            policy(a, past, again);
            if (!(out == again)) breach("asked twice, it answers alike", "one access became two lists");

            std::map<std::uint64_t, unsigned> asked; // by byte: how many lanes
            for (unsigned lane = 0; lane < lanes; ++lane)
                if ((a.active >> lane & 1) != 0)
                    for (std::uint32_t b = 0; b < a.bytes; ++b) ++asked[a.address(lane) + b];
            std::map<std::uint64_t, unsigned> used; // by byte: how many transactions
            for (auto const& t : out) {
                auto const where =
                    "the block of " + std::to_string(t.bytes) + " bytes at " + std::to_string(t.address);
                if (t.bytes == 0 || t.bytes > 128 || (t.bytes & (t.bytes - 1)) != 0 ||
                    t.address % t.bytes != 0)
                    breach("a transaction is an aligned block", where);
                if (t.lanes == 0 || (t.lanes & ~a.active) != 0)
                    breach("active lanes take part", where + " has lanes that are not active, or none");
                std::uint32_t sectors = 0;
                auto const block = t.address / 128 * 128;
                for (unsigned b = 0; b < 128; ++b) {
                    if ((t.used[b / 64] >> b % 64 & 1) == 0) continue;
                    sectors |= 1U << b / 32;
                    ++used[block + b];
                    if (block + b < t.address || block + b >= t.address + t.bytes)
                        breach("used bytes lie in their block", where);
                    if (asked.count(block + b) == 0) breach("no byte is used that no lane asked for", where);
                }
                if (sectors != t.sectors) breach("sectors are those of the used bytes", where);
            }
            for (auto const& [byte, lanes_of] : asked) {
                auto const times = used.count(byte) == 0 ? 0 : used[byte];
                if (times == 0)
                    breach("every byte lies in a transaction", "byte " + std::to_string(byte) + " does not");
                else if (a.kind != access_kind::atomic && times != 1)
                    breach("a byte of a load or store lies in one transaction",
                           "byte " + std::to_string(byte) + " lies in " + std::to_string(times));
                else if (times > lanes_of)
                    breach("no byte lies in more transactions than lanes asked for it",
                           "byte " + std::to_string(byte));
            }
            for (unsigned lane = 0; lane < lanes; ++lane) {
                if ((a.active >> lane & 1) == 0) continue;
                bool takes_part = false;
                for (auto const& t : out) takes_part = takes_part || (t.lanes >> lane & 1) != 0;
                if (!takes_part)
                    breach("every lane takes part", "lane " + std::to_string(lane) + " does not");
            }
        }
    }
    return found;
}

/// Tries the laws on a replay queue, behind a load/store unit with random requests and in front of a cache that refuses
/// at random:
///   - nothing enters that `route` or `takes_refused` did not let in, and never more than the capacity
///   - an entry's number is below the capacity and nobody else's; a pick is an entry that was not refused since the
///     room changed
///   - of one warp, a store or atomic passes nothing that is older, and nothing passes it
///   - every request is taken once, and none waits for ever; empty() says when none is left
///   - the questions change nothing; copies behave alike and equal states hash alike
///   - a checkpoint holds its state: stored, and loaded over one that has begun alike, it is equal
template <class Q>
std::vector<violation> check_replay_queue_laws(law_options const& options = {}, Q const& fresh = Q{}) {
    static_assert(check_replay_queue<Q>());
    struct waiting {
        warp_slot warp;
        access_kind kind = access_kind::load;
        std::uint64_t age = 0;
        bool refused = false;
    };
    std::vector<violation> found;
    for (unsigned i = 0; i < options.streams; ++i) {
        random_numbers random(options.seed * 1000003 + i);
        Q q = fresh;
        Q copy = fresh;
        std::map<std::uint32_t, waiting> in; // by entry
        waiting next;                        // of the unit
        bool has = false;
        bool go_on = true;
        std::uint64_t made = 0;
        std::uint64_t taken = 0;
        std::uint64_t cycle = 0;
        auto const refusing = 20 + random.below(75);
        auto const warps = 1 + random.below(warp_set::width < 48 ? warp_set::width : 48);
        auto const breach = [&](char const* law, std::string const& what) {
            if (go_on) found.push_back({policy_name<Q>(), law, what, cycle, options.seed, i});
            go_on = false;
        };
        auto const both = [&](auto&& f) {
            f(copy);
            return f(q);
        };
        auto const take = [&](waiting const& w) {
            ++taken;
            for (auto const& [entry, other] : in)
                if (other.warp == w.warp && other.age < w.age &&
                    !(other.kind == access_kind::load && w.kind == access_kind::load))
                    breach("a warp's stores keep their place",
                           "a request of " + text_of(w.warp) + " passed an older one");
        };
        auto const push = [&](bool refused) {
            if (in.size() == q.capacity())
                breach("no more than the capacity", std::to_string(in.size()) + " wait");
            auto const entry = both([&](Q& x) { return x.push(next.warp, next.kind, refused); });
            if (entry >= q.capacity() || in.count(entry) != 0)
                breach("an entry is a place of its own", "entry " + std::to_string(entry) + " is none");
            next.refused = refused;
            in[entry] = next;
            has = false;
        };
        auto const last = options.decisions_per_stream;
        for (; go_on && (cycle < last || has || !in.empty()); ++cycle) {
            if (cycle > 100 * last) {
                breach("none waits for ever", std::to_string(made - taken) + " requests are still there");
                break;
            }
            if (random.chance(10)) {
                both([](Q& x) { x.room_changed(); });
                for (auto& [entry, w] : in) w.refused = false;
            }
            if (!has && cycle < last && random.chance(70)) {
                next = {warp_slot{random.below(warps)},
                        random.chance(60)   ? access_kind::load
                        : random.chance(80) ? access_kind::store
                                            : access_kind::atomic,
                        made++, false};
                has = true;
            }
            if (!(q == copy))
                breach("copies behave alike", "a copy that was told the same is no longer equal");
            if (go_on && cycle % 97 == 96) detail::restore(copy, q, fresh, breach);
            if (hash_of(q) != hash_of(copy)) breach("equal states hash alike", "two equal states do not");
            if (q.empty() != in.empty()) breach("empty tells that nothing waits", "it does not");
            bool idle = !has;
            bool port = true;
            if (has) {
                auto const before = q;
                auto const route = q.route(next.warp, next.kind);
                if (!(q == before)) breach("route changes nothing", "the state was another one afterwards");
                if (route == replay_route::enter && in.size() == q.capacity())
                    breach("nothing enters a full queue", "route says enter");
                if (route != replay_route::access && !q.queues())
                    breach("queues() is false where nothing enters", "route says otherwise");
                if (!go_on) break;
                if (route == replay_route::wait) {
                    idle = true;
                } else if (route == replay_route::enter) {
                    push(false);
                } else {
                    port = false;
                    if (!random.chance(refusing)) {
                        take(next);
                        has = false;
                    } else if (q.takes_refused()) {
                        push(true);
                    }
                }
            }
            if (!port || !go_on) continue;
            auto const before = q;
            auto const entry = q.pick(idle);
            if (!(q == before) || q.pick(idle) != entry)
                breach("pick changes nothing", "asked twice, it did");
            if (entry == no_replay_entry) continue;
            if (in.count(entry) == 0) {
                breach("a pick is an entry", "entry " + std::to_string(entry) + " is empty");
                break;
            }
            if (in[entry].refused)
                breach("what was refused is not picked before the room has changed",
                       "entry " + std::to_string(entry) + " is");
            if (random.chance(refusing)) {
                in[entry].refused = true;
                both([&](Q& x) { x.refused(entry); });
            } else {
                auto const w = in[entry];
                in.erase(entry);
                take(w);
                both([&](Q& x) { x.accepted(entry); });
            }
        }
        if (go_on && taken != made)
            breach("every request is taken once", std::to_string(made - taken) + " are lost");
    }
    return found;
}

template <class P>
void require_fetch_order_laws(law_options const& options = {}, P const& fresh = P{}) {
    detail::require<P>(check_fetch_order_laws<P>(options, fresh));
}
template <class P>
void require_instruction_prefetch_laws(law_options const& options = {}, P const& fresh = P{}) {
    detail::require<P>(check_instruction_prefetch_laws<P>(options, fresh));
}
template <class P>
void require_data_prefetch_laws(law_options const& options = {}, P const& fresh = P{}) {
    detail::require<P>(check_data_prefetch_laws<P>(options, fresh));
}
template <class P>
void require_observer_laws(law_options const& options = {}, P const& fresh = P{}) {
    detail::require<P>(check_observer_laws<P>(options, fresh));
}
template <class P>
void require_coalescer_laws(law_options const& options = {}, P const& policy = P{}) {
    detail::require<P>(check_coalescer_laws<P>(options, policy));
}
template <class Q>
void require_replay_queue_laws(law_options const& options = {}, Q const& fresh = Q{}) {
    detail::require<Q>(check_replay_queue_laws<Q>(options, fresh));
}

} // namespace warpkit::testing
