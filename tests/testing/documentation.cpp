// The snippets of docs/reference/warp.md, docs/reference/cta.md and docs/reference/fetch.md, compiled; a test sees to
// it that they are the same.

#include <warpkit/cta/fit.hpp>
#include <warpkit/cta/policies.hpp>
#include <warpkit/fetch/concepts.hpp>
#include <warpkit/fetch/interleaved.hpp>
#include <warpkit/fetch/next_line.hpp>
#include <warpkit/testing/cta_laws.hpp>
#include <warpkit/testing/warp_scheduler_laws.hpp>
#include <warpkit/warp/schedulers.hpp>

#include "catch.hpp"
#include "source_tree.hpp"

#include <cstdint>
#include <vector>

namespace documentation {

using namespace warpkit;

/// Loose round-robin, but every fourth issue goes to the lowest slot.
class favourite {
public:
    warp_slot pick(warp_set candidates) const noexcept {
        return issues_ % 4 == 3 ? candidates.first() : candidates.next_after(last_);
    }
    void on(issued const& e) noexcept {
        last_ = e.warp;
        ++issues_;
    }
    void on(kernel_began const&) noexcept { *this = {}; }
    friend bool operator==(favourite const&, favourite const&) = default;

private:
    warp_slot last_;
    std::uint16_t issues_ = 0;
};
static_assert(check_warp_scheduler<favourite>());

class with_padding {
public:
    warp_slot pick(warp_set candidates) const noexcept { return candidates.next_after(last_); }
    void on(issued const& e) noexcept { last_ = e.warp; }
    void on(cta_launched const& e) noexcept { live_ |= e.warps; }
    void on(kernel_began const&) noexcept { *this = {}; }
    friend bool operator==(with_padding const&, with_padding const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(live_, last_);
    }

private:
    warp_set live_;
    warp_slot last_;
};

using cautious = throttled<oldest_n<12>, grouped<by_slot<4>, rotate_when_blocked, greedy_then<oldest>>>;
static_assert(check_warp_scheduler<cautious>());

/// Loose round-robin, but the last of every so many issues goes to the lowest slot.
class favours {
public:
    static constexpr char const* name() noexcept { return "favours"; }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"every", "issues, the last of which goes to the lowest slot", 1, 65535}, self.every_);
    }
    warp_slot pick(warp_set candidates) const noexcept {
        return issues_ % every_ == every_ - 1 ? candidates.first() : candidates.next_after(last_);
    }
    void on(issued const& e) noexcept {
        last_ = e.warp;
        ++issues_;
    }
    void on(kernel_began const&) noexcept {
        auto const every = every_; // a number stays
        *this = {};
        every_ = every;
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(last_, issues_, every_);
    }
    friend bool operator==(favours const&, favours const&) = default;

private:
    warp_slot last_;
    unsigned issues_ = 0;
    unsigned every_ = 4;
};
static_assert(check_warp_scheduler<favours>() && has_parameters<favours>);

template <class Scheduler>
struct host {
    Scheduler scheduler;

    warp_slot cycle(warp_set ready) {
        auto const w = pick_warp(scheduler, ready, [&] { return classes_of(ready); });
        if (w) notify(issued{w}, scheduler);
        return w;
    }
    issue_classes classes_of(warp_set) const { return {}; } // asked for only by schedulers that want them
};

inline void prove_it() {
    using namespace warpkit::testing;
    require_warp_scheduler_laws<favourite>(); // throws at the first breach, naming law and event
    require_warp_scheduler_laws<lrr>({.starvation_bound = 63});
    require_agreement<lrr, with_padding>(); // decision by decision, beside an obviously correct twin
}

inline void how_many_fit() {
    constexpr core_resources core{.threads = 1536, .ctas = 8, .registers = 32768, .shared_bytes = 48 * 1024};
    constexpr auto fit =
        occupancy_of({.threads = 256, .registers_per_thread = 21, .shared_bytes = 4096}, core);
    static_assert(fit.ctas == 5 && fit.bound == occupancy_bound::registers);
    constexpr auto small = limited_to_grid(fit, 30, 15); // 30 CTAs on 15 cores: two each
    static_assert(small.ctas == 2 && small.bound == occupancy_bound::grid);
    require_fit("my_kernel", {.threads = 256, .registers_per_thread = 21, .shared_bytes = 4096}, core);
}

/// The core with the most room; of several, the lowest.
class most_room {
public:
    cta_assignment choose(core_rooms rooms) const noexcept {
        cta_assignment best;
        unsigned most = 0;
        for (unsigned core = 0; core < rooms.size() && next_ != ctas_; ++core)
            if (rooms[core] > most) {
                most = rooms[core];
                best = {core, next_, 1};
            }
        return best;
    }
    void on(grid_began const& e) {
        next_ = 0;
        ctas_ = e.ctas();
    }
    void on(cta_dispatched const& e) noexcept { next_ = e.linear_id + 1; }
    friend bool operator==(most_room const&, most_room const&) = default;

private:
    std::uint64_t next_ = 0;
    std::uint64_t ctas_ = 0;
};
static_assert(check_cta_choice<most_room>());

inline void prove_dispatch() {
    using namespace warpkit::testing;
    require_cta_choice_laws<most_room>();
    require_choice_agreement<most_room, most_room>(); // the second would be a slow twin
    require_occupancy_limit_laws<lcs>();
}

/// The warp with the lowest number that was not fetched for last.
class not_twice {
public:
    warp_slot pick(warp_set candidates) const noexcept {
        auto const others = candidates - last_;
        return others ? others.first() : candidates.first();
    }
    void on(fetched const& e) noexcept { last_ = warp_set{e.warp}; }
    void on(kernel_began const&) noexcept { last_ = {}; }
    friend bool operator==(not_twice const&, not_twice const&) = default;

private:
    warp_set last_;
};
static_assert(check_fetch_order<not_twice>());
static_assert(check_fetch_order<gto>()); // an issue order serves, too

/// ELF's fetch half. In a machine: use::fetch_order<elf_fetch>, use::instruction_prefetch<elf_prefetch>.
using elf_fetch = fetch::interleaved<elf>;
using elf_prefetch = fetch::next_line<16>;
static_assert(check_fetch_order<elf_fetch>() && check_instruction_prefetch<elf_prefetch>());

} // namespace documentation

using namespace documentation;

TEST_CASE("the snippets of the docs are the ones compiled here") {
    for (auto const* page : {"docs/reference/warp.md", "docs/reference/cta.md", "docs/reference/fetch.md"})
        CHECK(check_snippets(page, "tests/testing/documentation.cpp") > 0);
}

TEST_CASE("and they do what the docs say") {
    CHECK_NOTHROW(prove_it());
    CHECK_NOTHROW(how_many_fit());
    CHECK_NOTHROW(prove_dispatch());
    host<gto> h{};
    CHECK(h.cycle(warp_set::first_n(4)) == warp_slot{0});
    most_room choice;
    notify(grid_began{nullptr, 9, 1, 1, 3, 4}, choice);
    unsigned const rooms[] = {1, 3, 3};
    CHECK(choice.choose({rooms, 3}) == cta_assignment{1, 0, 1});
    not_twice order;
    notify(fetched{warp_slot{0}}, order);
    CHECK(order.pick(warp_set::first_n(2)) == warp_slot{1});
    CHECK(hardware_cost_of<gto>({}).total_bits() == 562);
}
