#pragma once
/// \file
/// Address translation (docs/model/translation.md): a TLB in each core, and what all cores share, a second TLB and the
/// walkers of the page table.

#include <warpkit/base/cycle.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/parameters.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace warpkit::reference {

/// Pages by set, of each set the one first whose use lies farthest back. One without entries keeps nothing.
class page_buffer {
public:
    page_buffer(std::uint32_t entries, std::uint32_t ways)
        : sets_(entries == 0 ? 1 : entries / ways),
          ways_(entries == 0 ? 0 : ways) {}

    /// Whether it is there; it has been used then.
    bool use(std::uint64_t page) {
        auto& s = sets_[page % sets_.size()];
        auto const at = std::find(s.begin(), s.end(), page);
        if (at == s.end()) return false;
        std::rotate(at, at + 1, s.end());
        return true;
    }
    bool contains(std::uint64_t page) const {
        auto const& s = sets_[page % sets_.size()];
        return std::find(s.begin(), s.end(), page) != s.end();
    }
    void insert(std::uint64_t page) {
        auto& s = sets_[page % sets_.size()];
        if (use(page) || ways_ == 0) return;
        if (s.size() == ways_) s.erase(s.begin());
        s.push_back(page);
    }

private:
    std::vector<std::vector<std::uint64_t>> sets_;
    std::uint32_t ways_;
};

/// A core's TLB, and the transactions that wait for pages.
template <class Transaction>
class core_translation {
public:
    enum class answer { now, later, not_yet };

    explicit core_translation(translation_numbers const& n) : n_(n), tlb_(n.l1_entries, n.l1_ways) {}

    bool in_use() const { return n_.l1_entries != 0; }
    /// Whether the transaction may set out now, or waits here from now on, or is to be tried again, as too many pages
    /// are waited for.
    answer look_up(cycle now, std::uint64_t address, warp_slot w, Transaction const& t) {
        if (!in_use()) return answer::now;
        auto const page = address / n_.page;
        if (tlb_.use(page)) return ++counters_.l1_hits, answer::now;
        auto m = std::find_if(missing_.begin(), missing_.end(), [&](auto& x) { return x.page == page; });
        if (m == missing_.end()) {
            if (missing_.size() == n_.l1_mshrs) return answer::not_yet;
            ++counters_.l1_misses;
            m = missing_.insert(m, {page, {}});
            asked_.push_back(page);
        } else {
            ++counters_.l1_merges;
        }
        m->waiting.push_back({now, w, t});
        return answer::later;
    }
    /// Whether it has the page of a prefetch.
    bool has(std::uint64_t address) const { return !in_use() || tlb_.contains(address / n_.page); }
    /// Pages asked for in this cycle.
    std::vector<std::uint64_t>& asked() { return asked_; }
    /// The page will be there in cycle `at`.
    void answer_at(cycle at, std::uint64_t page) { answers_.emplace(at, page); }
    /// The pages of this cycle come: who waited for them may set out, in the order in which they came.
    void tick(cycle now) {
        for (; !answers_.empty() && answers_.begin()->first <= now; answers_.erase(answers_.begin())) {
            auto const page = answers_.begin()->second;
            auto const m =
                std::find_if(missing_.begin(), missing_.end(), [&](auto& x) { return x.page == page; });
            tlb_.insert(page);
            for (auto const& w : m->waiting) {
                counters_.wait_cycles += now - w.since;
                ready_.push_back(w.what);
            }
            missing_.erase(m);
        }
    }
    std::vector<Transaction>& ready() { return ready_; }
    /// Whether a transaction of this warp waits for a page.
    bool waits(warp_slot w) const {
        return std::any_of(missing_.begin(), missing_.end(), [w](auto const& m) {
            return std::any_of(m.waiting.begin(), m.waiting.end(), [w](auto& x) { return x.warp == w; });
        });
    }
    bool idle() const { return missing_.empty() && ready_.empty(); }
    translation_counters const& counters() const { return counters_; }

private:
    struct waiter {
        cycle since;
        warp_slot warp;
        Transaction what;
    };
    struct missing_page {
        std::uint64_t page;
        std::vector<waiter> waiting;
    };
    translation_numbers n_;
    page_buffer tlb_;
    std::vector<missing_page> missing_; ///< asked for, in any order
    std::vector<std::uint64_t> asked_;
    std::multimap<cycle, std::uint64_t> answers_;
    std::vector<Transaction> ready_;
    translation_counters counters_;
};

/// The second TLB, which all cores share, and behind it the walkers. `hop` cycles lie between it and a core.
class shared_translation {
public:
    shared_translation(translation_numbers const& n, cycle hop)
        : n_(n),
          hop_(hop),
          tlb_(n.l2_entries, n.l2_ways),
          walk_cache_(n.walk_cache, n.walk_cache) {}

    /// Core `c` misses a page in cycle `now`.
    void ask(cycle now, unsigned c, std::uint64_t page) { requests_.push_back({now + hop_, c, page}); }
    /// A cycle: walks end; requests are looked up, in the order of their coming and of cores; walks begin.
    /// `answer(core, at, page)` tells that the page will be with a core.
    template <class Answer>
    void tick(cycle now, Answer&& answer) {
        for (auto w = walks_.begin(); w != walks_.end();) {
            if (!w->begun || w->until > now) {
                ++w;
                continue;
            }
            tlb_.insert(w->page);
            for (auto level = n_.walk_levels - 1; level != 0; --level)
                walk_cache_.insert(key(w->page, level));
            for (auto const& r : w->waiting) answer(r.core, std::max(now, r.at) + hop_, w->page);
            w = walks_.erase(w);
            --walking_;
        }
        for (auto ports = n_.l2_ports; ports != 0 && !requests_.empty() && requests_.front().at <= now;
             --ports) {
            auto r = requests_.front();
            requests_.erase(requests_.begin());
            r.at = now + n_.l2_latency;
            look_up(r, answer);
        }
        for (auto& w : walks_) {
            if (walking_ == n_.walkers || (!w.begun && w.until > now)) break;
            if (w.begun) continue;
            auto const accesses = accesses_for(w.page);
            ++counters_.walks;
            counters_.walk_accesses += accesses;
            w.begun = true;
            w.until = now + accesses * n_.walk_latency;
            ++walking_;
        }
    }
    bool idle() const { return requests_.empty() && walks_.empty(); }
    translation_counters const& counters() const { return counters_; }

private:
    struct request {
        cycle at; ///< it comes; once looked up: before it is not answered
        unsigned core;
        std::uint64_t page;
    };
    struct walk {
        std::uint64_t page;
        bool begun;
        cycle until; ///< may not begin before; once begun: ends
        std::vector<request> waiting;
    };
    template <class Answer>
    void look_up(request const& r, Answer& answer) {
        if (tlb_.use(r.page)) {
            ++counters_.l2_hits;
            return answer(r.core, r.at + hop_, r.page);
        }
        ++counters_.l2_misses;
        auto w = std::find_if(walks_.begin(), walks_.end(), [&](auto& x) { return x.page == r.page; });
        if (w == walks_.end()) w = walks_.insert(w, {r.page, false, r.at, {}});
        w->waiting.push_back(r);
    }
    /// One for each level of the table below the lowest entry that the walk cache has.
    std::uint32_t accesses_for(std::uint64_t page) {
        for (std::uint32_t level = 1; level < n_.walk_levels; ++level)
            if (walk_cache_.use(key(page, level))) return level;
        return n_.walk_levels;
    }
    /// Of the entry `level` levels above the page's own, each of which has 512.
    static std::uint64_t key(std::uint64_t page, std::uint32_t level) {
        return (page >> 9 * level) * 8 + level;
    }

    translation_numbers n_;
    cycle hop_;
    page_buffer tlb_;
    page_buffer walk_cache_;
    std::vector<request> requests_;
    std::vector<walk> walks_; ///< those that wait for a walker, and those that have one, as they came
    std::uint32_t walking_ = 0;
    translation_counters counters_;
};

} // namespace warpkit::reference
