#pragma once

#include <warpkit/base/slot.hpp>
#include <warpkit/base/warp_set.hpp>

#include <cstdint>

namespace warpkit {

/// For each warp, the tags of the last lines that it brought into the L1 and that were evicted: 2 sets of 8 tags, each
/// set first in, first out. A line that is there already is not entered again; a tag that is removed leaves its place
/// empty until its turn comes.
/// Source: the victim tag arrays of Rogers, O'Connor and Aamodt, MICRO 2012 (SPEC 1.6).
///
/// So that a store need not look into every warp's tags, each of 256 classes of lines remembers which warps may have
/// tags of it; who no longer has any is forgotten when a store looks in vain.
template <unsigned LineBytes>
class victim_tags {
    static_assert(LineBytes > 0 && (LineBytes & (LineBytes - 1)) == 0,
                  "warpkit: victim_tags<LineBytes> needs a power of two");

public:
    static constexpr unsigned sets = 2;
    static constexpr unsigned ways = 8;

    constexpr bool contains(warp_slot w, std::uint64_t line) const noexcept {
        auto const tag = tag_of(line);
        bool found = false;
        for (auto const t : tag_[w.index()][tag % sets]) found |= t == tag;
        return found;
    }
    constexpr void insert(warp_slot w, std::uint64_t line) noexcept {
        if (contains(w, line)) return;
        auto const tag = tag_of(line);
        auto& next = next_[w.index()][tag % sets];
        tag_[w.index()][tag % sets][next] = tag;
        next = static_cast<std::uint8_t>((next + 1) % ways);
        holders_[class_of(tag)].insert(w);
    }
    /// Removes a line from the tags of all warps.
    constexpr void remove(std::uint64_t line) noexcept {
        auto const tag = tag_of(line);
        auto& holders = holders_[class_of(tag)];
        holders.for_each([&](warp_slot w) {
            bool holds = false; // others of the class; they are in the same set
            for (auto& t : tag_[w.index()][tag % sets]) {
                if (t == tag) t = 0;
                holds |= t != 0 && class_of(t) == class_of(tag);
            }
            if (!holds) holders.erase(w);
        });
    }
    /// Forgets all tags of a warp.
    constexpr void clear(warp_slot w) noexcept {
        for (auto& set : tag_[w.index()])
            for (auto& t : set) t = 0;
        for (auto& next : next_[w.index()]) next = 0;
    }

    friend bool operator==(victim_tags const&, victim_tags const&) = default;

private:
    /// 0 stands for none.
    static constexpr std::uint64_t tag_of(std::uint64_t line) noexcept { return line / LineBytes + 1; }
    /// Lines of a class are in the same set.
    static constexpr unsigned class_of(std::uint64_t tag) noexcept {
        auto const rest = tag / sets;
        return static_cast<unsigned>((rest ^ rest >> 7 ^ rest >> 14) % 128 * sets + tag % sets);
    }

    std::uint64_t tag_[warp_set::width][sets][ways]{};
    warp_set holders_[256];
    std::uint8_t next_[warp_set::width][sets]{}; ///< the place that is filled next
};

} // namespace warpkit
