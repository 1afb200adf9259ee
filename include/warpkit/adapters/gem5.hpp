#pragma once
/// \file
/// Replacement policies of cache/ as those of gem5's classic caches. docs/howto/gem5.md has the files that make one.
/// (warpkit's DRAM takes DRAMsim3's place behind gem5's wrapper of that: adapters/dramsim3.hpp.)

#include <warpkit/cache/composition.hpp>
#include <warpkit/cache/concepts.hpp>

#include <cstdint>
#include <memory>

namespace warpkit::adapters {

/// Policy behind the interface of gem5::replacement_policy::Base. Base is that class; Data its ReplacementData; Entry
/// its ReplaceableEntry, with getWay() and the data in `replacementData`. The cache has so many sets and ways, and
/// makes its entries set by set: gem5's tags do, and its TreePLRU counts on it, too.
///
/// An entry that is invalid goes first, the lowest way of them. gem5 tells a policy of places alone, so that one which
/// goes by instruction or warp (ship, pcal) sees nobody.
template <class Base, class Data, class Entry, replacement_policy Policy>
class gem5_replacement : public Base {
public:
    template <class Parameters>
    gem5_replacement(Parameters const& p, std::uint32_t sets, std::uint32_t ways)
        : Base(p),
          policy_(sets, ways),
          sets_(sets),
          ways_(ways) {
        warpkit::detail::check_ways(ways, warpkit::detail::most_ways_of<Policy>);
    }

    void invalidate(std::shared_ptr<Data> const& data) override {
        auto& at = place(*data);
        if (!at.valid) return;
        at.valid = false;
        if constexpr (hears_removals<Policy>) policy_.removed(at.set, at.way);
    }
    void touch(std::shared_ptr<Data> const& data) const override {
        auto const& at = place(*data);
        tell_used(policy_, at.set, at.way, {});
    }
    void reset(std::shared_ptr<Data> const& data) const override {
        auto& at = place(*data);
        at.valid = true;
        tell_inserted(policy_, at.set, at.way, {});
    }
    /// The candidates are entries of one set.
    template <class Candidates>
    Entry* victim_of(Candidates const& candidates) const {
        way_mask eligible(ways_);
        std::uint32_t set = 0;
        for (Entry* const e : candidates) {
            auto const& at = place(*e->replacementData);
            if (!at.valid) return e;
            set = at.set;
            eligible.insert(at.way);
        }
        auto const way = warpkit::victim_of(policy_, set, eligible);
        for (Entry* const e : candidates)
            if (place(*e->replacementData).way == way) return e;
        return candidates[0];
    }
    std::shared_ptr<Data> instantiateEntry() override {
        auto const n = made_++ % (sets_ * ways_);
        auto made = std::make_shared<entry>();
        made->set = n / ways_;
        made->way = n % ways_;
        return made;
    }
    Policy const& policy() const noexcept { return policy_; }

private:
    struct entry : Data {
        std::uint32_t set = 0;
        std::uint32_t way = 0;
        bool valid = false;
    };
    static entry& place(Data& data) noexcept { return static_cast<entry&>(data); }

    mutable Policy policy_; // the host's touch and reset are const
    std::uint32_t sets_;
    std::uint32_t ways_;
    std::uint32_t made_ = 0;
};

} // namespace warpkit::adapters
