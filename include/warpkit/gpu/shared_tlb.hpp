#pragma once
/// \file
/// The TLB that all cores share, and the walkers of the page table (docs/model/translation.md).
///
/// In the reference: `shared_translation` (reference/translation.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/gpu/common/page_buffer.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/parameters.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// Requests and answers are on their way for a window's time, `hop` cycles. So it is a window ahead of the cores, or
/// they are a window ahead of it: they overtake each other by two windows at most.
class shared_tlb {
public:
    shared_tlb() = default;
    [[gnu::cold]] shared_tlb(translation_numbers const& n, cycle hop)
        : in_use_(n.l1_entries != 0),
          numbers_(n),
          hop_(hop) {
        if (!in_use_) return;
        tlb_ = page_buffer(n.l2_entries, n.l2_ways);
        walk_cache_ = page_buffer(n.walk_cache, n.walk_cache);
    }

    bool in_use() const noexcept { return in_use_; }
    /// Core `c` has missed a page in cycle `at`, up to two windows ago: told in the order of cores.
    void ask(cycle at, unsigned c, std::uint64_t page) {
        auto after = requests_.end();
        while (after != requests_.begin() && (after - 1)->at > at + hop_) --after;
        requests_.insert(after, {at + hop_, c, page});
    }
    /// All cores have come to cycle `now`. It goes on to where a request of now would be here, as it has heard of all
    /// that come before; so it has given each answer that comes to a core in two windows from `now` on.
    /// `answer(core, at, page)` tells that the page will be with a core.
    template <class Answer>
    void answer_before(cycle now, Answer&& answer) {
        run(now + hop_, answer);
    }
    /// The cycles before `end`.
    /// Abbreviates `shared_translation::tick` in each of them.
    template <class Answer>
    void run(cycle end, Answer&& answer) {
        for (auto at = next(); at < end; at = next()) step(at, answer);
    }
    /// The first cycle in which it has something to do.
    cycle next() const noexcept {
        auto next = requests_.empty() ? never : requests_.front().at;
        if (next < next_look_up_) next = next_look_up_; // `never` is later
        bool waits = false;
        for (auto const& w : walks_) {
            if (!w.begun && (waits || walking_ == numbers_.walkers)) continue;
            waits = waits || !w.begun;
            if (w.until < next) next = w.until;
        }
        return next;
    }
    bool idle() const noexcept { return requests_.empty() && walks_.empty(); }
    translation_counters const& counters() const noexcept { return counters_; }

    WARPKIT_STORED_MEMBERS(10)
private:
    struct request {
        cycle at = 0; ///< it comes; once looked up: before it is not answered
        unsigned core = 0;
        std::uint64_t page = 0;
    };
    struct walk {
        std::uint64_t page = 0;
        bool begun = false;
        cycle until = 0; ///< may not begin before; once begun: ends
        std::vector<request> waiting;
    };
    template <class Answer>
    void step(cycle now, Answer& answer) {
        end_walks(now, answer);
        std::size_t looked_up = 0;
        for (; looked_up != requests_.size() && looked_up != numbers_.l2_ports &&
               requests_[looked_up].at <= now;
             ++looked_up) {
            auto r = requests_[looked_up];
            r.at = now + numbers_.l2_latency;
            if (tlb_.use(r.page)) {
                ++counters_.l2_hits;
                answer(r.core, r.at + hop_, r.page);
            } else {
                ++counters_.l2_misses;
                walk_for(r);
            }
        }
        requests_.erase(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(looked_up));
        next_look_up_ = now + 1;
        for (auto& w : walks_) {
            if (w.begun) continue;
            if (walking_ == numbers_.walkers || w.until > now) break;
            begin(w, now);
        }
    }
    template <class Answer>
    void end_walks(cycle now, Answer& answer) {
        for (std::size_t i = 0; i != walks_.size();) {
            auto& w = walks_[i];
            if (!w.begun || w.until > now) {
                ++i;
                continue;
            }
            tlb_.insert(w.page);
            for (auto level = numbers_.walk_levels - 1; level != 0; --level)
                walk_cache_.insert(key(w.page, level));
            for (auto const& r : w.waiting) answer(r.core, (now > r.at ? now : r.at) + hop_, w.page);
            walks_.erase(walks_.begin() + static_cast<std::ptrdiff_t>(i));
            --walking_;
        }
    }
    void walk_for(request const& r) {
        for (auto& w : walks_)
            if (w.page == r.page) return w.waiting.push_back(r);
        walks_.push_back({r.page, false, r.at, {r}});
    }
    void begin(walk& w, cycle now) noexcept {
        std::uint32_t accesses = 1;
        while (accesses != numbers_.walk_levels && !walk_cache_.use(key(w.page, accesses))) ++accesses;
        ++counters_.walks;
        counters_.walk_accesses += accesses;
        w.begun = true;
        w.until = now + cycle{accesses} * numbers_.walk_latency;
        ++walking_;
    }
    /// Of the entry so many levels above the page's own; each has 512.
    static std::uint64_t key(std::uint64_t page, std::uint32_t level) noexcept {
        return (page >> 9 * level) * 8 + level;
    }

    bool in_use_ = false;
    translation_numbers numbers_;
    cycle hop_ = 0;
    cycle next_look_up_ = 0; ///< its ports are taken before
    page_buffer tlb_;
    page_buffer walk_cache_;
    std::vector<request> requests_; ///< by cycle and core
    std::vector<walk> walks_;       ///< those that wait for a walker, and those that have one, as they came
    std::uint32_t walking_ = 0;
    translation_counters counters_;
};

} // namespace warpkit
