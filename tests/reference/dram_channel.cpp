/// The DRAM channel of the engine against the reference's: commands, ends and counters, on random streams over random
/// timings.

#include <warpkit/base/listen.hpp>
#include <warpkit/dram/bank_queues.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/page_policy.hpp>
#include <warpkit/dram/prefetch.hpp>
#include <warpkit/dram/shared_queue.hpp>
#include <warpkit/dram/standards.hpp>
#include <warpkit/dram/wide_bank_set.hpp>
#include <warpkit/reference/dram_channel.hpp>

#include "catch.hpp"
#include "dram/drive.hpp"
#include "dram/modern_timing.hpp"
#include "dram/naive_who_asks.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <type_traits>
#include <vector>

using namespace warpkit;
using namespace warpkit::test;

namespace {

/// The naive twin of a request scheduler: a queue in the order of arrival.
template <class Policy>
class naive_scheduler {
public:
    naive_scheduler() = default;
    naive_scheduler(std::uint32_t, std::uint32_t capacity) : capacity_(capacity) {}
    bool can_accept() const { return queue_.size() < capacity_; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(queue_.size()); }
    void push(dram::request const& r) { queue_.push_back(r); }
    dram::bank_set waiting() const {
        dram::bank_set s = 0;
        for (auto const& r : queue_) {
            s |= dram::bank_set{1} << r.bank;
            if (std::is_same_v<Policy, dram::fcfs>) break; // all wait behind the first
        }
        return s;
    }
    dram::request const& pick(std::uint32_t bank, std::uint32_t open_row) const {
        return queue_[choose(bank, open_row)];
    }
    dram::request take(std::uint32_t bank, std::uint32_t open_row) {
        auto const i = choose(bank, open_row);
        auto const r = queue_[i];
        queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(i));
        return r;
    }
    bool has_row_hit(std::uint32_t bank, std::uint32_t row) const {
        return std::any_of(queue_.begin(), queue_.end(),
                           [&](auto const& r) { return r.bank == bank && r.row == row; });
    }
    friend bool operator==(naive_scheduler const& a, naive_scheduler const& b) {
        return a.queue_ == b.queue_;
    }
    template <class F>
    void each_member(F&& f) const {
        f(capacity_);
    }

private:
    std::size_t choose(std::uint32_t bank, std::uint32_t open_row) const {
        for (std::size_t i = 0; !std::is_same_v<Policy, dram::fcfs> && i < queue_.size(); ++i)
            if (queue_[i].bank == bank && queue_[i].row == open_row) return i;
        for (std::size_t i = 0;; ++i)
            if (queue_[i].bank == bank) return i;
    }
    std::size_t capacity_ = 1;
    std::deque<dram::request> queue_;
};

/// What the reference gets: a command scheduler is what both have in common.
template <class Scheduler>
struct twin_of {
    using type = Scheduler;
};
template <dram::request_scheduler Scheduler>
struct twin_of<Scheduler> {
    using type = naive_scheduler<Scheduler>;
};
template <std::uint64_t Cap>
struct twin_of<dram::par_bs_of<Cap>> {
    using type = naive_par_bs<Cap>;
};
template <auto Numbers>
struct twin_of<dram::atlas_of<Numbers>> {
    using type = naive_atlas<Numbers>;
};

/// Which lines the L2 has, if it is asked: some of them.
bool is_resident(dram::request const& r) { return hasher::mix(r.row * 64 + r.column + r.bank) % 3 == 0; }

struct difference {
    std::string what; ///< empty for none
    dram::channel_counters counted;
};

template <class Scheduler, class Page, class Prefetcher>
difference agreement(unsigned seed, Page const& page = {}) {
    constexpr bool wide = dram::most_banks<dram::bank_set_of<Scheduler>> != 64;
    using engine_type = dram::channel<Scheduler, Page, Prefetcher>;
    constexpr bool prefetches = !std::is_same_v<Prefetcher, dram::no_memory_prefetch>;
    random_numbers random(seed);
    auto t = seed % 4 == 0 ? dram::gddr5_gtx480 : seed % 4 == 1 ? dram::hbm2_qv100 : basic_timing(random);
    if (seed % 8 == 2) { // with all that the GPUs of the literature leave out
        t.faw = t.rrd * 4 + random.below(20);
        t.rrdl = t.rrd + random.below(5);
        t.act_cycles = 1 + random.below(std::min(t.rrd, 3U));
        t.ppd = random.below(3);
        t.rtpa = random.below(6);
    }
    if (seed % 4 == 2 || seed % 16 == 7) t = modern(t, random, 1U << random.below(3));
    if (seed % 4 == 3) {
        auto const closes = t.ras + t.rp + t.cl + t.write_to_precharge();
        if (seed % 8 == 3) {
            t.rfc = 20 + random.below(100);
            t.refi = t.all_ranks() * (t.rfc + closes) + random.below(300);
        } else {
            t.rfcpb = 20 + random.below(50);
            t.rrefd = random.below(10);
            t.refipb = closes + random.below(100);
        }
    }
    if (wide) t.banks *= 8;
    t.check();
    auto requests = basic_requests(random, t, 300);
    for (auto& r : requests)
        if (random.below(6) != 0) r.by.core = static_cast<std::uint16_t>(random.below(5));
    std::deque<std::pair<cycle, dram::request>> coming;
    cycle at = 0;
    auto const gap = 1 + random.below(40);
    for (auto const& r : requests) coming.push_back({at += random.below(gap), r});
    auto const capacity = 1 + random.below(64);
    dram::prefetch_numbers n;
    n.line_bytes = t.atom_bytes() * (1 + random.below(2));
    n.row_bytes = n.line_bytes * 16;
    n.lower = random.below(8);
    n.higher = n.lower + random.below(8);
    n.threshold = random.below(20);
    n.skip_resident = random.below(2) != 0;
    Prefetcher const prefetcher(t, n);
    engine_type engine(t, {capacity, capacity, capacity, {}}, dram::command_bus::single_and_row, {}, page,
                       prefetcher);
    reference::dram_channel<typename twin_of<Scheduler>::type, Page, Prefetcher> plain(t, capacity,
                                                                                       prefetcher, page);

    record theirs, ours;
    struct sink {
        record& r;
        cycle now;
        void operator()(dram::request const& q) const {
            r.done.push_back({q.prefetch ? ~q.column : q.token, now});
        }
        bool resident(dram::request const& q) const { return is_resident(q); }
    };
    difference d;
    for (cycle now = 0; now < 200'000 && (!engine.idle() || !coming.empty()) && d.what.empty(); ++now) {
        engine.tick(now, sink{theirs, now}, theirs);
        for (auto const& r : plain.tick(now, is_resident, ours)) sink{ours, now}(r);
        if (!coming.empty() && coming.front().first <= now) {
            auto const& r = coming.front().second;
            if (engine.can_accept(r) != plain.can_accept(r)) d.what = "only one takes a request";
            if (engine.can_accept(r) && plain.can_accept(r)) {
                engine.push(r, now);
                plain.push(r, now);
                coming.pop_front();
            }
        }
        if (!(engine.counters(now + 1) == plain.counters())) d.what = "other counters";
        if (theirs.done != ours.done) d.what = "other ends";
        if (theirs.commands != ours.commands) d.what = "other commands"; // which the others follow from
        if (!d.what.empty()) d.what += " in cycle " + std::to_string(now) + ", seed " + std::to_string(seed);
    }
    if (d.what.empty() && !engine.idle() && !prefetches) d.what = "it hangs, seed " + std::to_string(seed);
    d.counted = engine.counters();
    return d;
}

template <class Scheduler, class Page = dram::open_page, class Prefetcher = dram::no_memory_prefetch>
dram::channel_counters all_agree(unsigned seeds, Page const& page = {}) {
    dram::channel_counters sum;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
        auto const d = agreement<Scheduler, Page, Prefetcher>(seed, page);
        CHECK(d.what == "");
        sum += d.counted;
    }
    CHECK(sum.reads > 1000);
    CHECK(sum.writes > 1000);
    if (!std::is_same_v<Page, dram::auto_precharge_page>) CHECK(sum.row_hits > 500);
    CHECK(sum.refreshes > 100);
    return sum;
}

} // namespace

TEST_CASE("a DRAM channel agrees with the reference's") {
    using namespace warpkit::dram;
    all_agree<fr_fcfs>(80);
    all_agree<fcfs>(40);
    all_agree<fr_fcfs, closed_page>(40);
    all_agree<fr_fcfs, timeout_page>(40, timeout_page{30});
    all_agree<fcfs, auto_precharge_page>(40);
}

TEST_CASE("a DRAM channel whose scheduler goes by who asks agrees with the reference's") {
    using namespace warpkit::dram;
    using brief = atlas_of<atlas_numbers{400, 300, 600}>;
    all_agree<par_bs_of<2>>(60);
    all_agree<par_bs, timeout_page>(30, timeout_page{30});
    all_agree<brief>(60);
    all_agree<brief, closed_page, opportunistic_at_least>(30);
}

TEST_CASE("a DRAM channel with a command scheduler agrees with the reference's, which holds it to the timing "
          "rules") {
    using namespace warpkit::dram;
    all_agree<bank_queues<>>(60);
    all_agree<shared_queue<oldest_ready>>(60);
    all_agree<shared_queue<oldest_ready>, timeout_page>(40, timeout_page{30});
    all_agree<bank_queues<>, closed_page>(40);
    all_agree<bank_queues<head_closes<4>, batch_drain, wide_bank_set<4>>>(40);
}

TEST_CASE("a DRAM channel that reads ahead agrees with the reference's") {
    using namespace warpkit::dram;
    CHECK(all_agree<fr_fcfs, open_page, opportunistic_at_least>(60).prefetches > 1000);
    CHECK(all_agree<fr_fcfs, open_page, opportunistic_until_conflict>(60).prefetches > 1000);
    CHECK(all_agree<fcfs, timeout_page, opportunistic_at_least>(40, timeout_page{50}).prefetches > 100);
}
