/// Cache models of one's own, which have what a cache needs and nothing more, in both engines.

#include <warpkit/cache/alternatives.hpp>
#include <warpkit/cache/check.hpp>
#include <warpkit/cache/pcal.hpp>
#include <warpkit/cache/plain_cache.hpp>
#include <warpkit/cache/prefetch_cache.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/cta/pcal_search.hpp>
#include <warpkit/lsu/many_thread_aware_prefetch.hpp>
#include <warpkit/lsu/per_warp_stride.hpp>

#include "catch.hpp"
#include "random_choices.hpp"
#include "reference/both_engines.hpp"
#include "reference/random_pairs.hpp"

#include <algorithm>
#include <deque>
#include <string_view>
#include <vector>

using namespace warpkit;
using namespace warpkit::reference_test;

/// Caches that a user might write.
namespace caches_of_ones_own {

/// The least that a cache can be: it always hits.
class always_hits {
public:
    explicit always_hits(cache_parameters const& = {}) {}
    cache_result access(cache_access const&) {
        counters_.count(cache_outcome::hit);
        return {.outcome = cache_outcome::hit, .answer = cache_answer::now};
    }
    cache_outcome probe(cache_access const&) const { return cache_outcome::hit; }
    cache_counters const& counters() const { return counters_; }
    void invalidate_all() {}
    friend bool operator==(always_hits const&, always_hits const&) = default;

private:
    cache_counters counters_;
};

/// A read-through buffer of the last lines that came, in any place; stores go on, past it. One fetch for each line.
class line_buffer {
public:
    explicit line_buffer(cache_parameters const& p = {}) : p_(p) {}
    cache_result access(cache_access const& a) {
        if (a.kind != access_kind::load) {
            if (queue_.size() >= p_.miss_queue) return refused(refusal::miss_queue);
            auto const kind = a.kind == access_kind::store ? lower_kind::store : lower_kind::atomic;
            queue_.push_back({a.address, a.bytes, a.token, a.written, kind, a.space, a.owner});
            ++counters_.stores_passed_on;
            return accepted(cache_outcome::miss, cache_answer::below);
        }
        auto const found = probe(a);
        if (found == cache_outcome::hit) return accepted(found, cache_answer::now);
        if (found == cache_outcome::hit_reserved) {
            if (waiting_.size() >= p_.mshr_entries * p_.mshr_merges) return refused(refusal::mshr_merge);
        } else {
            if (queue_.size() >= p_.miss_queue) return refused(refusal::miss_queue);
            if (asked_.size() >= p_.mshr_entries) return refused(refusal::mshr_entry);
            asked_.push_back(sector(a.address));
            queue_.push_back({sector(a.address),
                              p_.geometry.sector_bytes,
                              a.token,
                              {},
                              lower_kind::fetch,
                              a.space,
                              a.owner});
            ++counters_.fetches;
        }
        waiting_.push_back({sector(a.address), a.token});
        return accepted(found, cache_answer::at_fill);
    }
    cache_outcome probe(cache_access const& a) const {
        if (std::find(here_.begin(), here_.end(), sector(a.address)) != here_.end())
            return cache_outcome::hit;
        bool const asked = std::find(asked_.begin(), asked_.end(), sector(a.address)) != asked_.end();
        return asked ? cache_outcome::hit_reserved : cache_outcome::miss;
    }
    std::size_t requests() const { return queue_.size(); }
    lower_request const& front_request() const { return queue_.front(); }
    void pop_request() { queue_.pop_front(); }
    template <class Sink>
    departed_line fill(std::uint64_t address, Sink&& sink) {
        asked_.erase(std::find(asked_.begin(), asked_.end(), address));
        here_.push_back(address);
        if (here_.size() > 64) here_.pop_front();
        std::vector<waiter> still;
        for (auto const& w : waiting_) w.address == address ? sink(w.token) : still.push_back(w);
        waiting_ = still;
        return {};
    }
    void invalidate_all() { here_.clear(); }
    cache_counters const& counters() const { return counters_; }
    friend bool operator==(line_buffer const&, line_buffer const&) = default;
    template <class F>
    void each_member(F&& f) const {
        f(here_, asked_, counters_);
    }

private:
    struct waiter {
        std::uint64_t address = 0;
        std::uint32_t token = 0;
        friend bool operator==(waiter const&, waiter const&) = default;
    };
    std::uint64_t sector(std::uint64_t address) const { return address & ~(p_.geometry.sector_bytes - 1ULL); }
    cache_result refused(refusal why) {
        counters_.count(why);
        return {.reason = why};
    }
    cache_result accepted(cache_outcome found, cache_answer answer) {
        counters_.count(found);
        return {.outcome = found, .answer = answer};
    }
    cache_parameters p_;
    std::deque<std::uint64_t> here_;  ///< sectors, the first that came first
    std::deque<std::uint64_t> asked_; ///< on their way
    std::vector<waiter> waiting_;
    std::deque<lower_request> queue_;
    cache_counters counters_;
};

/// One of the library's caches without what it tells ahead.
template <class Cache>
class told_plainly {
public:
    told_plainly() = default;
    explicit told_plainly(cache_parameters const& p) : cache_(p) {}
    static cache_choice choice_from(std::string_view text) requires requires { Cache::choice_from(text); }
    { return Cache::choice_from(text); }
    cache_result access(cache_access const& a) { return cache_.access(a); }
    cache_outcome probe(cache_access const& a) const { return cache_.probe(a); }
    std::size_t requests() const { return cache_.requests(); }
    lower_request const& front_request() const { return cache_.front_request(); }
    void pop_request() { cache_.pop_request(); }
    template <class Sink>
    departed_line fill(std::uint64_t address, Sink&& sink) {
        return cache_.fill(address, sink);
    }
    cache_counters const& counters() const { return cache_.counters(); }
    void invalidate_all() { cache_.invalidate_all(); }
    void disown(warp_set const& slots) { cache_.disown(slots); }
    void exited(warp_set const& slots) { cache_.exited(slots); }
    void granted(unsigned warps) { cache_.granted(warps); }
    bool keeps_stores(memory_space s) const { return cache_.keeps_stores(s); }
    bool fetches_on_store() const { return cache_.fetches_on_store(); }
    bool may_free_way(std::uint64_t wanted, std::uint64_t filled) const {
        return cache_.may_free_way(wanted, filled);
    }
    bool install(std::uint64_t address, departed_line& departed) { return cache_.install(address, departed); }
    std::uint32_t outstanding() const { return cache_.outstanding(); }
    cache_parameters const& parameters() const { return cache_.parameters(); }
    friend bool operator==(told_plainly const&, told_plainly const&) = default;
    template <class F>
    void each_member(F&& f) const {
        f(cache_);
    }

private:
    Cache cache_;
};

} // namespace caches_of_ones_own

namespace {

using namespace caches_of_ones_own;
using shipped = presets::gtx480::policies;
template <class Machine>
void same_on_both(std::uint64_t from, std::uint64_t to) {
    for (auto seed = from; seed < to; ++seed) {
        INFO("seed " << seed);
        gpu_test::random_kernel k(seed);
        both_engines<typename Machine::policies> both(gpu_test::random_machine(seed, k.warps()));
        auto const parted = run_pair(seed, k, both);
        INFO(parted);
        REQUIRE(parted.empty());
        CHECK(both.counted().cycles > 0);
    }
}

} // namespace

static_assert(check_cache<always_hits>() && !tells_ahead<always_hits> && !asks_below<always_hits>);
static_assert(check_cache<line_buffer>() && !tells_ahead<line_buffer> && asks_below<line_buffer>);
static_assert(tells_ahead<shipped::core::data_cache> && tells_ahead<shipped::memory::l2_cache>);

TEST_CASE("a cache that always hits needs six members, and both engines take it", "[reference]") {
    same_on_both<presets::gtx480::with<use::l1d<always_hits>, use::l1i<always_hits>, use::l1c<always_hits>,
                                       use::l2<always_hits>>>(6, 8);
}

TEST_CASE("a cache of one's own that asks the next level is the same in both engines", "[reference]") {
    same_on_both<presets::gtx480::with<use::l1d<line_buffer>, use::l1i<line_buffer>, use::l1c<line_buffer>,
                                       use::l2<line_buffer>>>(6, 10);
}

TEST_CASE("what a cache tells ahead makes an engine faster, and changes nothing", "[reference]") {
    using core = shipped::core;
    using plain = presets::gtx480::with<use::l1d<told_plainly<with_alternatives<core::data_cache>>>,
                                        use::l1i<told_plainly<core::instruction_cache>>,
                                        use::l1c<told_plainly<core::constant_cache>>,
                                        use::l2<told_plainly<with_alternatives<shipped::memory::l2_cache>>>>;
    using ahead = presets::gtx480::with<use::l1d<with_alternatives<core::data_cache>>,
                                        use::l2<with_alternatives<shipped::memory::l2_cache>>>;
    for (std::uint64_t seed = 30; seed < 50; ++seed) {
        INFO("seed " << seed);
        gpu_test::random_kernel k(seed);
        auto p = gpu_test::random_machine(seed, k.warps());
        random_numbers r(seed);
        gpu_test::choose_caches<ahead::policies>(r, p);
        p.core.unified_bytes = 0; // a cache of one's own is not carved
        gpu<ahead::policies> one(p);
        gpu<plain::policies> other(p);
        auto const launch = k.builder().launch();
        auto const differences = report::differences(one.run(launch), other.run(launch));
        for (auto const& d : differences)
            UNSCOPED_INFO(d.counter->name << ": " << d.first << ", plainly " << d.second);
        CHECK(differences.empty());
    }
}

TEST_CASE("a prefetch cache beside the L1, or in its place, is the same in both engines", "[reference]") {
    using ahead = presets::gtx480::with<use::data_prefetch<per_warp_stride>>;
    same_on_both<ahead::with<use::l1d<cache<linear_index, prefetch_cache, on_miss, fermi_l1>>>>(60, 68);
    same_on_both<
        presets::gtx480::with<use::data_prefetch<many_thread_aware_prefetch>,
                              use::l1d<cache<linear_index, prefetch_cache_of<64>, on_fill, fermi_l1>>>>(70,
                                                                                                        76);
}

TEST_CASE("an L1 that goes by warps hears of them where nobody else asks whose lines go", "[reference]") {
    using keeps_few = presets::gtx480::with<use::l1d<cache<linear_index, pcal_of<3>, on_fill, fermi_l1>>>;
    same_on_both<keeps_few>(5, 9);
    // And where a limit says how many they are, in each of its periods.
    using searched = keeps_few::with<use::occupancy_limit<pcal_search>>::policies;
    for (std::uint64_t seed = 9; seed < 13; ++seed) {
        INFO("seed " << seed);
        gpu_test::random_kernel k(seed);
        policy_values<searched> values;
        values.occupancy_limit = pcal_search({.period = 20 + 10 * seed, .gain = 0, .hold = seed % 4});
        both_engines<searched> both(gpu_test::random_machine(seed, k.warps()), values);
        CHECK(run_pair(seed, k, both) == "");
    }
    // One warp reads a line twice: it holds a token, and finds it.
    kernel_builder k("one warp");
    k.block = {lanes, 1, 1};
    auto const load = k.load(memory_space::global, 4, {1}, {0});
    auto const use = k.op(op_class::int_add, {2}, {1});
    auto const exit = k.exit();
    k.script = [=](std::uint64_t, unsigned, kernel_builder::warp_writer& out) {
        for (unsigned i = 0; i < 2; ++i) {
            out.access(load, [](unsigned lane) { return 0xC0000000 + lane * 4; });
            out.step(use);
        }
        out.step(exit);
    };
    both_engines<keeps_few::policies> both(presets::gtx480::parameters());
    CHECK(both.run(k.launch()) == "");
    CHECK(both.counted().l1d.hits == 1);
}

TEST_CASE("a cache that asks nothing of the next level and yet does not answer is an error", "[reference]") {
    struct mute : always_hits {
        using always_hits::always_hits;
        cache_result access(cache_access const&) { return {.answer = cache_answer::at_fill}; }
    };
    plain_cache<mute> c;
    CHECK_THROWS_WITH(c.access({.address = 128}), Catch::Contains("must answer each access now"));
}
