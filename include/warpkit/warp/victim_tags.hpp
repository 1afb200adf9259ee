#pragma once

#include <warpkit/base/slot.hpp>
#include <warpkit/base/warp_set.hpp>

#include <bit>
#include <cstdint>

namespace warpkit {

/// For each warp, the tags of the last lines that it brought into the L1 and that were evicted: 2 sets of 8 tags, each
/// set first in, first out. A line that is there already is not entered again; a tag that is removed leaves its place
/// empty until its turn comes.
/// Source: the victim tag arrays of Rogers, O'Connor and Aamodt, MICRO 2012
/// (docs/model/warp_scheduling.md#lost-locality).
///
/// Each tag has a mark of one byte, and the eight of a set are compared at once; tags themselves are looked at only
/// where marks agree. So that a store need not look into every warp's tags, it is remembered for each mark which warps
/// may have a tag of it; who no longer has any is forgotten when a store looks in vain.
template <unsigned LineBytes>
class victim_tags {
    static_assert(LineBytes > 0 && (LineBytes & (LineBytes - 1)) == 0,
                  "warpkit: victim_tags<LineBytes> needs a power of two");

public:
    static constexpr unsigned sets = 2;
    static constexpr unsigned ways = 8;

    constexpr bool contains(warp_slot w, std::uint64_t line) const noexcept {
        auto const tag = tag_of(line);
        return place_of(tag_[w.index()][tag % sets], tag) != ways;
    }
    constexpr void insert(warp_slot w, std::uint64_t line) noexcept {
        auto const tag = tag_of(line);
        auto& set = tag_[w.index()][tag % sets];
        if (place_of(set, tag) != ways) return;
        put_mark(set, set.next, mark_of(tag));
        set.tag[set.next] = tag;
        set.next = (set.next + 1) % ways;
        holders_[tag % sets][mark_of(tag) % marks_].insert(w);
    }
    /// Removes a line from the tags of all warps.
    constexpr void remove(std::uint64_t line) noexcept {
        auto const tag = tag_of(line);
        auto const mark = mark_of(tag);
        auto& holders = holders_[tag % sets][mark % marks_];
        holders.for_each([&](warp_slot w) {
            auto& set = tag_[w.index()][tag % sets];
            if (auto const place = place_of(set, tag); place != ways) {
                put_mark(set, place, 0);
                set.tag[place] = 0;
            }
            if (marked(set, mark) == 0) holders.erase(w);
        });
    }
    /// Forgets all tags of a warp.
    constexpr void clear(warp_slot w) noexcept {
        for (auto& set : tag_[w.index()]) set = {};
    }

    friend bool operator==(victim_tags const&, victim_tags const&) = default;

private:
    static constexpr unsigned marks_ = 128;
    static constexpr std::uint64_t each_byte_ = 0x0101010101010101U;
    struct tag_set {
        std::uint64_t marks = 0; ///< a byte for each place, 0 if it is empty
        std::uint64_t tag[ways]{};
        std::uint64_t next = 0; ///< the place that is filled next
        friend bool operator==(tag_set const&, tag_set const&) = default;
    };

    static constexpr std::uint64_t tag_of(std::uint64_t line) noexcept { return line / LineBytes; }
    /// From marks_ to 2 * marks_ - 1.
    static constexpr std::uint64_t mark_of(std::uint64_t tag) noexcept {
        auto const rest = tag / sets;
        return marks_ + (rest ^ rest >> 7 ^ rest >> 14) % marks_;
    }
    /// The places with this mark, each by its byte's highest bit, and perhaps places behind one such; 0 if there is
    /// none.
    static constexpr std::uint64_t marked(tag_set const& set, std::uint64_t mark) noexcept {
        auto const difference = set.marks ^ each_byte_ * mark;
        return (difference - each_byte_) & ~difference & each_byte_ << 7;
    }
    /// Where a tag is, or `ways`.
    static constexpr unsigned place_of(tag_set const& set, std::uint64_t tag) noexcept {
        for (auto rest = marked(set, mark_of(tag)); rest != 0; rest &= rest - 1) {
            auto const place = static_cast<unsigned>(std::countr_zero(rest)) / 8;
            if (set.tag[place] == tag) return place;
        }
        return ways;
    }
    static constexpr void put_mark(tag_set& set, std::uint64_t place, std::uint64_t mark) noexcept {
        set.marks = (set.marks & ~(std::uint64_t{0xff} << 8 * place)) | mark << 8 * place;
    }

    tag_set tag_[warp_set::width][sets]{};
    warp_set holders_[sets][marks_];
};

} // namespace warpkit
