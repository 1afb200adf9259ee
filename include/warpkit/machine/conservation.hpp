#pragma once
/// \file
/// What went in must have come out: how conservation laws are checked, and what is said of one that is broken.

#include <warpkit/base/error.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/parameters.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>

namespace warpkit {

/// Remembers the first law that does not hold.
class conservation {
public:
    /// Of `what`, as much came out as went in; `done` false: some may still be on its way.
    void flow(char const* what, std::uint64_t in, std::uint64_t out, bool done) {
        if (out <= in && (!done || out == in)) return;
        say(what, {{in, "in"}, {out, "out"}});
    }
    /// The same where up to `under_way` may still be on its way.
    void flow_but(char const* what, std::uint64_t in, std::uint64_t out, std::uint64_t under_way) {
        if (out <= in && in - out <= under_way) return;
        say(what, {{in, "in"}, {out, "out"}, {under_way, "under way"}});
    }
    /// Two ways to count the same.
    void same(char const* what, std::uint64_t counted, std::uint64_t expected) {
        if (counted != expected) say(what, {{counted, "counted"}, {expected, "expected"}});
    }
    /// No more than there can be.
    void at_most(char const* what, std::uint64_t counted, std::uint64_t most) {
        if (counted > most) say(what, {{counted, "counted"}, {most, "at most"}});
    }
    /// The laws of a part.
    [[gnu::cold]] void part(std::string const& name, conservation const& b) {
        if (broken_.empty() && !b.broken_.empty()) broken_ = joined({name, ": ", b.broken_});
    }
    /// The first broken law; empty if all hold.
    std::string const& broken() const noexcept { return broken_; }

private:
    struct number {
        std::uint64_t value;
        char const* meaning;
    };
    [[gnu::cold]] void say(char const* what, std::initializer_list<number> numbers) {
        if (!broken_.empty()) return;
        broken_ = what;
        char const* between = ": ";
        for (auto const& n : numbers) {
            broken_ += joined({between, n.value, " ", n.meaning});
            between = ", ";
        }
    }
    std::string broken_;
};

/// Each access to a cache has one outcome.
[[gnu::cold]] inline void check_outcomes(conservation& b, cache_counters const& c) {
    b.same("accesses, by their outcomes", c.accesses, c.hits + c.hit_reserved + c.misses + c.sector_misses);
}

/// What the counters of a kernel say of each other on a machine of such cores.
[[gnu::cold]] inline void check_counters(conservation& b, run_counters const& r, core_numbers const& core) {
    std::uint64_t causes = 0;
    for (auto const n : r.core.cause) causes += n;
    b.same("causes of scheduler cycles", causes, r.core.cycles * core.schedulers);
    auto const issued = r.core.cause[static_cast<unsigned>(cycle_cause::issued)];
    b.at_most("scheduler cycles that issued, and warp instructions", issued, r.core.warp_instructions);
    b.at_most("warp instructions, and those that could issue", r.core.warp_instructions,
              issued * core.issue_width);
    for (auto const* c : {&r.l0i, &r.l1i, &r.l15i, &r.l1d, &r.l1c, &r.l1t, &r.l2}) check_outcomes(b, *c);
    b.same("pages that cores asked for, and that the shared TLB looked up", r.tlb.l1_misses,
           r.tlb.l2_hits + r.tlb.l2_misses);
    b.at_most("page walks, and misses of the shared TLB", r.tlb.walks, r.tlb.l2_misses);
    b.at_most("requests that found their row open", r.dram.row_hits, r.dram.requests_served);
}

} // namespace warpkit
