#pragma once
/// \file
/// The TLB of a core, and the transactions that wait for pages (docs/model/translation.md).
///
/// In the reference: `core_translation` (reference/translation.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/gpu/common/page_buffer.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/parameters.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

enum class page_found : std::uint8_t { now, later, not_yet };

/// A page that a core asks of the TLB that all share, or is given.
struct page_notice {
    cycle at = 0;
    std::uint64_t page = 0;
    friend bool operator==(page_notice const&, page_notice const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(at, page);
    }
};

template <class Transaction>
class core_tlb {
public:
    core_tlb() = default;
    [[gnu::cold]] explicit core_tlb(translation_numbers const& n)
        : in_use_(n.l1_entries != 0),
          most_missing_(n.l1_mshrs),
          page_bits_(in_use_ ? static_cast<unsigned>(std::countr_zero(n.page)) : 0),
          tlb_(in_use_ ? n.l1_entries : 0, n.l1_ways) {}

    bool in_use() const noexcept { return in_use_; }
    /// Whether the transaction may set out now, or waits here from now on, or is to be tried again.
    [[gnu::noinline]] page_found look_up(cycle now, std::uint64_t address, warp_slot w,
                                         Transaction const& t) {
        auto const page = address >> page_bits_;
        if (tlb_.use(page)) {
            ++counters_.l1_hits;
            return page_found::now;
        }
        bool asked = false;
        for (auto const m : missing_) asked = asked || m == page;
        if (!asked) {
            if (missing_.size() == most_missing_) return page_found::not_yet;
            ++counters_.l1_misses;
            missing_.push_back(page);
            asked_.push_back({now, page});
        } else {
            ++counters_.l1_merges;
        }
        waiting_.push_back({page, now, w, t});
        if (waits_[w.index()]++ == 0) warps_.insert(w);
        return page_found::later;
    }
    /// Whether it has the page of a prefetch.
    bool has(std::uint64_t address) const noexcept { return tlb_.contains(address >> page_bits_); }
    /// Pages asked for since they were taken, and when.
    std::vector<page_notice>& asked() noexcept { return asked_; }
    /// The page will be there in cycle `at`. Those of one cycle come in the order in which this is told.
    void answer_at(cycle at, std::uint64_t page) {
        auto after = answers_.end();
        while (after != answers_.begin() && (after - 1)->at > at) --after;
        answers_.insert(after, {at, page});
    }
    /// The first cycle in which a page comes.
    cycle next_answer() const noexcept { return answers_.empty() ? never : answers_.front().at; }
    /// The pages of this cycle come: who waited for them may set out, in the order in which they came.
    void take_answers(cycle now) {
        std::size_t taken = 0;
        for (; taken != answers_.size() && answers_[taken].at <= now; ++taken)
            come(now, answers_[taken].page);
        answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(taken));
    }
    /// Who may set out: the next one, if there is any.
    bool has_ready() const noexcept { return next_ready_ != ready_.size(); }
    Transaction const& next_ready() const noexcept { return ready_[next_ready_]; }
    void pop_ready() noexcept {
        if (++next_ready_ != ready_.size()) return;
        ready_.clear();
        next_ready_ = 0;
    }
    /// Warps of which a transaction waits for its page.
    warp_set const& warps() const noexcept { return warps_; }
    bool idle() const noexcept { return missing_.empty() && !has_ready(); }
    translation_counters const& counters() const noexcept { return counters_; }

    friend bool operator==(core_tlb const&, core_tlb const&) = default;
    WARPKIT_STORED_MEMBERS(13)
    template <class F>
    void each_member(F&& f) const {
        f(tlb_, missing_, asked_, answers_);
    }

private:
    [[gnu::noinline]] void come(cycle now, std::uint64_t page) {
        tlb_.insert(page);
        auto kept = waiting_.begin();
        for (auto& w : waiting_) {
            if (w.page != page) {
                *kept++ = w;
                continue;
            }
            counters_.wait_cycles += now - w.since;
            if (--waits_[w.warp.index()] == 0) warps_.erase(w.warp);
            ready_.push_back(w.what);
        }
        waiting_.erase(kept, waiting_.end());
        auto at = missing_.begin();
        while (*at != page) ++at;
        *at = missing_.back();
        missing_.pop_back();
    }
    struct waiter {
        std::uint64_t page = 0;
        cycle since = 0;
        warp_slot warp;
        Transaction what;
        friend bool operator==(waiter const&, waiter const&) = default;
    };
    bool in_use_ = false;
    std::uint32_t most_missing_ = 0;
    unsigned page_bits_ = 0;
    std::size_t next_ready_ = 0;
    page_buffer tlb_;
    std::vector<std::uint64_t> missing_; ///< pages that have been asked for
    std::vector<waiter> waiting_;        ///< for them, as they came
    std::vector<page_notice> asked_;
    std::vector<page_notice> answers_; ///< by cycle
    std::vector<Transaction> ready_;   ///< from next_ready_ on
    warp_set warps_;
    std::array<std::uint32_t, warp_set::width> waits_{}; ///< transactions of each
    translation_counters counters_;
};

} // namespace warpkit
