#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/warp/concepts.hpp>
#include <warpkit/warp/victim_tags.hpp>

#include <cstdint>

namespace warpkit {

namespace detail {
struct lost_locality_text {
    static constexpr char const* name() noexcept { return "lost_locality"; }
};
} // namespace detail

/// The constants of cache-conscious wavefront scheduling (docs/model/warp_scheduling.md#lost-locality).
struct lost_locality_numbers {
    std::uint32_t base_score = 100; ///< of a warp that has lost nothing lately
    std::uint32_t throttle = 8;     ///< K: how strongly a lost line raises its warp's score
    std::uint32_t line_bytes = 128; ///< of the L1 data cache; decides which tags share a set
    friend bool operator==(lost_locality_numbers const&, lost_locality_numbers const&) = default;
};

/// Cache-conscious: denies loads to the warps that have lost the least locality, until those that lost more have the
/// cache for themselves.
///
/// A warp whose load misses a line that it had brought in before and that was evicted (victim_tags) gets the score
///     hits / issued * throttle * cutoff,   but at least base_score,   where cutoff = live warps * base_score;
/// hits and issued are the numbers of such misses and of instructions of all warps now live. A score above the base
/// falls by 1 each cycle. In each cycle the warps are stacked by score, the highest first, of equal scores the lower
/// slot first; whoever begins below the cutoff may issue loads. All else is allowed to all.
///
/// Source: Rogers, O'Connor and Aamodt, MICRO 2012, as in their own simulator
/// (docs/model/warp_scheduling.md#lost-locality).
/// Differs from the paper: all is per scheduler, tags, scores and counts of its own warps; a score is never below the
/// base, and is the base at launch; fractions are cut off; a line that a store removed is no victim. A load of a
/// parameter is a load like others. Hardware cost: 16 tags of 40 bits per warp (48-bit addresses, 128-byte lines), the
/// owner of each L1 line, a score, and two counters per warp and two for all.
///
/// Numbers are fixed by the template argument; with `run_time` they are kept with the scheduler, and begin as they are
/// by default. The bytes of a line are fixed in any case.
///
/// Nothing is sorted in a cycle: scores fall together, so their order changes only when one is raised; the set of
/// admitted warps is kept, with the first cycle in which falling scores can change it.
template <auto Numbers = lost_locality_numbers{}>
class lost_locality {
    using kept = numbers<lost_locality_numbers, Numbers>;
    static_assert(kept::standard.base_score > 0, "warpkit: lost_locality needs a base score of at least 1");

public:
    static constexpr char const* name() noexcept {
        if constexpr (kept::standard == lost_locality_numbers{})
            return detail::lost_locality_text::name();
        else
            return composed_name<detail::lost_locality_text, number_in_name<kept::standard.base_score>,
                                 number_in_name<kept::standard.throttle>,
                                 number_in_name<kept::standard.line_bytes>>::name();
    }

    constexpr lost_locality() = default;
    /// Numbers known at run time; a base score of 0 is read as 1, and line_bytes is what it is by default.
    constexpr explicit lost_locality(lost_locality_numbers const& n) noexcept requires(!kept::is_fixed)
        : numbers_(n) {
        if (n.base_score == 0) numbers_.get().base_score = 1;
        numbers_.get().line_bytes = kept::standard.line_bytes;
    }

    constexpr warp_set eligible(warp_set candidates, issue_classes const& classes) const noexcept {
        return candidates - (classes.loads - admitted_);
    }

    constexpr void on(kernel_began const&) noexcept {
        auto const n = numbers_;
        *this = {};
        numbers_ = n;
    }
    constexpr void on(scheduler_began const& e) noexcept { owned_ = e.owned; }
    constexpr void on(cta_launched const& e) noexcept {
        (e.warps & owned_).for_each([this](warp_slot w) {
            tags_.clear(w);
            count_[w.index()] = {};
            live_.insert(w);
            ++live_count_;
        });
        admit();
    }
    constexpr void on(warp_exited const& e) noexcept {
        if (!live_.contains(e.warp)) return;
        auto& c = count_[e.warp.index()];
        hits_ -= c.hits;
        issued_ -= c.issued;
        c = {};
        lower(e.warp);
        live_.erase(e.warp);
        --live_count_;
        admit();
    }
    constexpr void on(issued const& e) noexcept {
        ++count_[e.warp.index()].issued;
        ++issued_;
    }
    constexpr void on(l1_accessed const& e) noexcept {
        if (e.kind == access_kind::store)
            tags_.remove(e.line);
        else if (e.kind == access_kind::load && e.outcome == cache_outcome::miss && live_.contains(e.warp) &&
                 tags_.contains(e.warp, e.line))
            lost(e.warp);
    }
    constexpr void on(l1_evicted const& e) noexcept {
        if (!e.by_store && live_.contains(e.owner)) tags_.insert(e.owner, e.line);
    }
    constexpr void on(cycles_spent const& e) noexcept {
        now_ += e.count;
        if (now_ >= next_change_) admit();
    }

    /// The warps that may issue loads now.
    constexpr warp_set admitted() const noexcept { return admitted_; }
    /// The lost-locality score of a live warp.
    constexpr std::uint64_t score(warp_slot w) const noexcept {
        return base() +
               (raised_.contains(w) && falls_until_[w.index()] > now_ ? falls_until_[w.index()] - now_ : 0);
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}
            .add("victim tags", std::uint64_t{shape.warp_slots} * 16 * 40)
            .add("owners of L1 lines", std::uint64_t{shape.l1_lines} * bits_for(shape.warp_slots))
            .add("scores", std::uint64_t{shape.warp_slots} * 16)
            .add("counters of hits and instructions",
                 (shape.warp_slots + shape.schedulers) * std::uint64_t{2 * 32})
            .add("admitted warps", shape.warp_slots);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        auto& n = self.numbers_.get();
        f(parameter{"throttle", "how strongly a lost line raises its warp's score", 0, 1000}, n.throttle);
        f(parameter{"base_score", "of a warp that has lost nothing lately", 1, 100'000}, n.base_score);
        f(parameter{"line_bytes", "of the L1 data cache"}, kept::standard.line_bytes);
    }
    WARPKIT_STORED_MEMBERS(16)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(numbers_->base_score, numbers_->throttle);
        f(tags_, hits_, issued_, now_, next_change_, live_, owned_, raised_, admitted_, sum_, live_count_,
          raised_count_);
        for (auto const& c : count_) f(c.hits, c.issued);
        for (unsigned k = 0; k < raised_count_; ++k) f(stack_[k], falls_until_[stack_[k]]);
    }
    friend bool operator==(lost_locality const&, lost_locality const&) = default;

private:
    struct counts {
        std::uint32_t hits = 0;
        std::uint32_t issued = 0;
        friend bool operator==(counts const&, counts const&) = default;
    };

    constexpr std::uint32_t base() const noexcept { return numbers_->base_score; }
    constexpr void lost(warp_slot w) noexcept {
        ++count_[w.index()].hits;
        ++hits_;
        auto const cutoff = std::uint64_t{live_count_} * base();
        auto const score = hits_ * numbers_->throttle * cutoff / (issued_ == 0 ? 1 : issued_);
        lower(w);
        if (score > base()) raise(w, now_ + (score - base()));
        admit();
    }
    /// Enters `w` into the stack; precondition: it is not there.
    constexpr void raise(warp_slot w, cycle until) noexcept {
        auto k = raised_count_++;
        for (; k != 0; --k) {
            auto const above = stack_[k - 1];
            if (falls_until_[above] > until || (falls_until_[above] == until && above < w.index())) break;
            stack_[k] = above;
        }
        stack_[k] = static_cast<slot_number>(w.index());
        falls_until_[w.index()] = until;
        sum_ += until;
        raised_.insert(w);
    }
    /// Takes `w` out of the stack, if it is there.
    constexpr void lower(warp_slot w) noexcept {
        if (!raised_.contains(w)) return;
        unsigned k = 0;
        while (stack_[k] != w.index()) ++k;
        for (--raised_count_; k != raised_count_; ++k) stack_[k] = stack_[k + 1];
        stack_[raised_count_] = 0;
        sum_ -= falls_until_[w.index()];
        falls_until_[w.index()] = 0;
        raised_.erase(w);
    }
    /// Works out who is admitted now, and when that can change if nothing else happens.
    constexpr void admit() noexcept {
        while (raised_count_ != 0 && falls_until_[stack_[raised_count_ - 1]] <= now_)
            lower(warp_slot{stack_[raised_count_ - 1]});
        admitted_ = live_;
        next_change_ = never;
        auto const excess = sum_ - raised_count_ * now_; // of all scores above the base
        auto const excluded = excess / base();           // as many warps as would bring the sum back
        if (excluded == 0) return;                       // and falling scores exclude nobody
        if (excluded + raised_count_ <= live_count_) {
            // All raised warps are below the cutoff. Of the others, those with the highest slots are not.
            auto rest = live_ - raised_;
            for (auto n = excluded; n != 0; --n) {
                admitted_.erase(rest.last());
                rest.erase(rest.last());
            }
            next_change_ = now_ + excess % base() / raised_count_ + 1;
        } else {
            auto const cutoff = std::uint64_t{live_count_} * base();
            std::uint64_t sum = 0;
            admitted_ = {};
            unsigned n = 0;
            while (sum < cutoff) {
                auto const w = stack_[n++];
                sum += base() + (falls_until_[w] - now_);
                admitted_.insert(warp_slot{w});
            }
            next_change_ = now_ + (sum - cutoff) / n + 1;
        }
        if (auto const first = falls_until_[stack_[raised_count_ - 1]]; first < next_change_)
            next_change_ = first;
    }

    [[no_unique_address]] kept numbers_;
    victim_tags<kept::standard.line_bytes> tags_;
    counts count_[warp_set::width]{};
    std::uint64_t hits_ = 0;
    std::uint64_t issued_ = 0;
    cycle now_ = 0;
    cycle next_change_ = never;
    warp_set live_; ///< the scheduler's own
    warp_set owned_ = ~warp_set{};
    warp_set raised_; ///< whose score is above the base
    warp_set admitted_;
    std::uint64_t sum_ = 0;                ///< of falls_until_ of the raised
    cycle falls_until_[warp_set::width]{}; ///< of the raised: when the score reaches the base
    slot_number stack_[warp_set::width]{}; ///< the raised, highest score first, of equal ones the lower slot
    unsigned live_count_ = 0;
    unsigned raised_count_ = 0;
};
static_assert(eligibility<lost_locality<>> && narrows_by_class<lost_locality<>>);

} // namespace warpkit
