#pragma once
/// \file
/// Which lines are in a cache, where, and in what state; and which of them has to go.

#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/cache/composition.hpp>
#include <warpkit/cache/concepts.hpp>
#include <warpkit/cache/geometry.hpp>
#include <warpkit/cache/line_sectors.hpp>
#include <warpkit/cache/way_set.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpkit {

/// A place in a cache.
struct line_place {
    std::uint32_t set = 0;
    std::uint32_t way = 0;
    friend bool operator==(line_place const&, line_place const&) = default;
};

namespace detail {

/// A part of a line's number, by which a set of many ways is searched: neighbours differ in it.
constexpr unsigned char line_signature(std::uint64_t line) noexcept {
    return static_cast<unsigned char>((line ^ line >> 8) >> 2);
}
/// Where `line` is among the tags of a set, each of which has a signature; `ways`: nowhere.
[[gnu::noinline]] inline std::uint32_t way_of_many(std::uint64_t const* tags, unsigned char const* signatures,
                                                   std::uint32_t ways, std::uint64_t line) noexcept {
    auto const wanted = line_signature(line);
    for (std::uint32_t way = 0; way != ways; ++way) {
        auto const* const found =
            static_cast<unsigned char const*>(std::memchr(signatures + way, wanted, ways - way));
        if (found == nullptr) break;
        way = static_cast<std::uint32_t>(found - signatures);
        if (tags[way] == line) return way;
    }
    return ways;
}

} // namespace detail

/// The tags of a cache with what is known of each line: look-up, allocation and eviction. It knows nothing of requests,
/// of who waits, nor of what is counted. Sectors come to it as masks (line_state). `index(place)` numbers all places,
/// way by way within a set.
template <set_index_policy Index, replacement_policy Replacement>
class tag_array {
public:
    tag_array() = default;
    /// Precondition: check(g) passes. As long as fewer than `write_ratio` percent of the lines have been stored to,
    /// those that have are not replaced.
    [[gnu::cold]] tag_array(cache_geometry const& g, std::uint32_t write_ratio, Index index,
                            Replacement replacement)
        : index_(index),
          replacement_(static_cast<Replacement&&>(replacement)),
          tags_(std::size_t{g.sets} * g.ways, no_tag_),
          lines_(tags_.size()),
          words_((g.ways + 63) / 64),
          sets_(std::size_t{g.sets} * words_),
          stored_ways_(write_ratio != 0 ? sets_.size() : 0),
          signatures_(words_ != 1 ? tags_.size() / 8 + 1 : 0),
          ways_(g.ways),
          searched_(words_ == 1 ? g.ways : 0),
          used_ways_(g.ways),
          write_ratio_(write_ratio),
          per_way_((std::uint64_t{1} << set_shift_) / g.ways + 1) {
        all_absent();
    }

    /// Ways of a set; as the way of a place: the line is not here.
    std::uint32_t ways() const noexcept { return ways_; }
    /// Places for lines.
    std::size_t size() const noexcept { return tags_.size(); }
    std::size_t index(line_place p) const noexcept { return std::size_t{p.set} * ways_ + p.way; }
    bool in_set(std::uint32_t set, std::size_t place) const noexcept {
        return place - std::size_t{set} * ways_ < ways_;
    }
    std::uint32_t set_of(std::uint64_t address, std::uint64_t line) const noexcept {
        return index_(address, line);
    }
    /// Whether a fill of any set may free a way of this one: lines kept by the write ratio are counted over all sets.
    bool sets_depend() const noexcept { return !stored_ways_.empty(); }

    // ---- look-up

    /// Where the line of `address` is, which is number `line`; way ways() where it is not here. The sectors of a line
    /// tend to be asked for one after the other.
    [[gnu::always_inline]] line_place find(std::uint64_t address, std::uint64_t line) noexcept {
        if (tags_[recent_] == line) return recent_place_;
        auto const p = search(address, line);
        if (p.way != ways_) note_found(p);
        return p;
    }
    line_place find(std::uint64_t address, std::uint64_t line) const noexcept {
        return tags_[recent_] == line ? recent_place_ : search(address, line);
    }
    /// The place found, or noted, last.
    line_place found() const noexcept { return recent_place_; }
    std::size_t found_index() const noexcept { return recent_; }
    void note_found(line_place p) noexcept {
        recent_ = static_cast<std::uint32_t>(index(p));
        recent_place_ = p;
    }

    /// Whether this line is at a place.
    bool holds(std::size_t place, std::uint64_t line) const noexcept { return tags_[place] == line; }
    /// Whether any is, and which.
    bool occupied(std::size_t place) const noexcept { return tags_[place] != no_tag_; }
    std::uint64_t line_at(std::size_t place) const noexcept { return tags_[place]; }
    line_state& operator[](std::size_t place) noexcept { return lines_[place]; }
    line_state const& operator[](std::size_t place) const noexcept { return lines_[place]; }
    heap_array<line_state> const& lines() const noexcept { return lines_; }

    // ---- allocation and eviction

    /// The way that the line of this access would take, of those that the policy allows it: the highest-numbered
    /// invalid one, else the replacement policy's choice among those that wait for no data and are not kept by the
    /// write ratio; ways() if there is none. A set that is full of lines that are kept gives one up, as nothing else
    /// would ever make room.
    [[gnu::always_inline]] std::uint32_t choose_way(std::uint32_t set,
                                                    [[maybe_unused]] line_use const& by) const noexcept {
        way_range allowed;
        if constexpr (confines_lines<Replacement>) allowed = replacement_.allowed(by);
        if (words_ != 1) [[unlikely]]
            return choose_of_many(set, allowed);
        auto const absent = sets_[set].absent & allowed.in_word(0);
        if (absent != 0) return static_cast<std::uint32_t>(std::bit_width(absent)) - 1;
        auto const ways = eligible(set, allowed.in_word(0));
        return ways == 0 ? ways_ : victim_of(replacement_, set, ways);
    }
    /// A place that no line is at will have one: to be told of before place().
    void occupy(line_place p) noexcept { state_of(p).absent &= ~bit_of(p.way); }
    /// Gives the place to `line`, whose sectors are all absent; whoever was there has been taken leave of.
    void place(std::size_t at, std::uint64_t line, warp_slot owner) noexcept {
        forget_stored(at);
        tags_[at] = line;
        if (words_ != 1) [[unlikely]]
            signatures()[at] = detail::line_signature(line);
        lines_[at] = {};
        lines_[at].owner = owner;
    }
    /// The line goes without another taking its place.
    void remove(line_place p) noexcept {
        auto const at = index(p);
        tags_[at] = no_tag_;
        state_of(p).absent |= bit_of(p.way);
        forget_stored(at);
        lines_[at] = {};
        if constexpr (hears_removals<Replacement>) replacement_.removed(p.set, p.way);
    }
    /// Of each set only the first `ways` ways are used from the next clear() on. Precondition: 1 to ways().
    void use_ways(std::uint32_t ways) noexcept { used_ways_ = ways; }
    /// All lines go.
    void clear() noexcept {
        if constexpr (hears_removals<Replacement>)
            for (std::size_t i = 0; i < tags_.size(); ++i)
                if (tags_[i] != no_tag_)
                    replacement_.removed(static_cast<std::uint32_t>(i / ways_),
                                         static_cast<std::uint32_t>(i % ways_));
        for (auto& t : tags_) t = no_tag_;
        for (auto& l : lines_) l = {};
        all_absent();
        for (auto& w : stored_ways_) w = 0;
        stored_lines_ = 0;
        if constexpr (hears_launches<Replacement>) replacement_.emptied();
    }
    /// Of an accepted access to a line that is here, and of one that brought its line in.
    void used(line_place p, line_use const& by) noexcept { tell_used(replacement_, p.set, p.way, by); }
    void inserted(line_place p, line_use const& by) noexcept {
        tell_inserted(replacement_, p.set, p.way, by);
    }
    /// used() of the line that was used or brought in last: it is the latest already, unless the policy tells one from
    /// the other.
    void used_again(line_place p, line_use const& by) noexcept {
        if constexpr (!requires { requires Replacement::insertion_is_use; }) used(p, by);
    }

    // ---- states

    /// The sector `bit` of the line at this place waits for data from now on. A set in which all lines wait has no way
    /// to give.
    void note_pending(line_place p, std::size_t at, std::uint16_t bit) noexcept {
        auto& pending = lines_[at].pending;
        if (pending == 0) state_of(p).settled &= ~bit_of(p.way);
        pending |= bit;
    }
    /// The same for a line that waits for nothing yet.
    void note_first_pending(line_place p, std::size_t at, std::uint16_t bit) noexcept {
        state_of(p).settled &= ~bit_of(p.way);
        lines_[at].pending = bit;
    }
    /// Its data has come.
    [[gnu::always_inline]] void arrived(std::size_t at, std::uint16_t bit) noexcept {
        auto& l = lines_[at];
        if ((l.pending & bit) == 0) return;
        l.pending = static_cast<std::uint16_t>(l.pending & ~bit);
        l.complete(bit);
        if ((l.dirty_on_fill & bit) != 0) {
            l.dirty |= bit;
            l.dirty_on_fill = static_cast<std::uint16_t>(l.dirty_on_fill & ~bit);
            note_stored(at);
        }
        if (l.pending == 0) {
            auto const set = static_cast<std::uint32_t>(at * per_way_ >> set_shift_);
            auto const way = static_cast<std::uint32_t>(at - std::size_t{set} * ways_);
            state_of({set, way}).settled |= bit_of(way);
        }
    }
    /// The line has been stored to, or need not be kept for it any more. Noted only where there is a write ratio.
    void note_stored(std::size_t at) noexcept {
        if (stored_ways_.empty()) [[likely]]
            return;
        auto const way = static_cast<std::uint32_t>(at % ways_);
        auto const bit = bit_of(way);
        auto& stored = stored_ways_[at / ways_ * words_ + way / 64];
        stored_lines_ += (stored & bit) == 0;
        stored |= bit;
    }
    void forget_stored(std::size_t at) noexcept {
        if (stored_ways_.empty()) [[likely]]
            return;
        auto const way = static_cast<std::uint32_t>(at % ways_);
        auto const bit = bit_of(way);
        auto& stored = stored_ways_[at / ways_ * words_ + way / 64];
        stored_lines_ -= (stored & bit) != 0;
        stored &= ~bit;
    }
    /// Lines of these warps belong to nobody from now on.
    void disown(warp_set warps) noexcept {
        for (auto& l : lines_)
            if (warps.contains(l.owner)) l.owner = no_warp;
        if constexpr (hears_launches<Replacement>) replacement_.launched(warps);
    }
    /// These warps have ended.
    void exited([[maybe_unused]] warp_set warps) noexcept {
        if constexpr (hears_exits<Replacement>) replacement_.exited(warps);
    }
    /// So many warps may keep lines.
    void granted([[maybe_unused]] unsigned warps) noexcept {
        if constexpr (hears_grants<Replacement>) replacement_.granted(warps);
    }
    /// Whether what this access asked for is not kept.
    bool declines(line_use const& by) const noexcept requires declines_lines<Replacement> {
        return replacement_.declines(by);
    }
    /// Throws `error` if it may be so and places are reserved.
    void check_declines(bool reserves) const { detail::check_declines(replacement_, reserves); }

    friend bool operator==(tag_array const& a, tag_array const& b) {
        return a.index_ == b.index_ && a.replacement_ == b.replacement_ && a.tags_ == b.tags_ &&
               a.lines_ == b.lines_ && a.stored_ways_ == b.stored_ways_;
    }
    /// The parameters of its policies.
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.index_, self.replacement_);
    }
    void parameters_set() { tell_parameters_set(index_, replacement_); }
    WARPKIT_STORED_MEMBERS(17)
    template <class F>
    void each_member(F&& f) const {
        f(index_, replacement_, tags_, lines_, stored_ways_);
    }

private:
    static constexpr std::uint64_t no_tag_ = ~std::uint64_t{0};
    /// Of 2^24 sets and 2^30 places at most, a place lies in set place * (2^39 / ways + 1) / 2^39: no division.
    static constexpr unsigned set_shift_ = 39;

    /// Of 64 ways of a set, a bit for each.
    struct set_state {
        std::uint64_t settled = 0; ///< waits for no data
        std::uint64_t absent = 0;  ///< has no line
    };
    static constexpr std::uint64_t bit_of(std::uint32_t way) noexcept { return std::uint64_t{1} << way % 64; }
    set_state& state_of(line_place p) noexcept {
        if (words_ != 1) [[unlikely]]
            return sets_[std::size_t{p.set} * words_ + p.way / 64];
        return sets_[p.set];
    }
    void all_absent() noexcept {
        for (std::uint32_t word = 0; word != words_; ++word) {
            auto const all = way_mask::all_in(used_ways_, word);
            for (std::size_t i = word; i < sets_.size(); i += words_) sets_[i] = {all, all};
        }
        kept_below_ = std::uint64_t{write_ratio_} * used_ways_ * (sets_.size() / words_);
    }
    /// Whether lines that have been stored to are kept.
    bool keeps_stored() const noexcept {
        return !stored_ways_.empty() && std::uint64_t{stored_lines_} * 100 < kept_below_;
    }
    /// Of a set without an absent line in these ways: those that may go.
    [[gnu::always_inline]] std::uint64_t eligible(std::uint32_t set, std::uint64_t allowed) const noexcept {
        auto const settled = sets_[set].settled & allowed;
        if (keeps_stored()) {
            auto const others = settled & ~stored_ways_[set];
            if (others != 0 || settled != (way_mask::all_in(used_ways_, 0) & allowed)) return others;
        }
        return settled;
    }
    /// choose_way() of a set of more than 64 ways.
    [[gnu::noinline]] std::uint32_t choose_of_many(std::uint32_t set, way_range allowed) const noexcept {
        auto const* const in = sets_.data() + std::size_t{set} * words_;
        for (auto i = words_; i-- != 0;)
            if (auto const absent = in[i].absent & allowed.in_word(i); absent != 0)
                return i * 64 + static_cast<std::uint32_t>(std::bit_width(absent)) - 1;
        bool const keeps = keeps_stored();
        way_mask settled(ways_);
        way_mask others(ways_); // not kept
        bool all = keeps;
        for (std::uint32_t i = 0; i != words_; ++i) {
            settled.word(i) = others.word(i) = in[i].settled & allowed.in_word(i);
            all &= settled.word(i) == (way_mask::all_in(used_ways_, i) & allowed.in_word(i));
            if (keeps) others.word(i) &= ~stored_ways_[std::size_t{set} * words_ + i];
        }
        if (!others.empty()) return victim_of(replacement_, set, others);
        return all && !settled.empty() ? victim_of(replacement_, set, settled) : ways_;
    }
    [[gnu::always_inline]] line_place search(std::uint64_t address, std::uint64_t line) const noexcept {
        auto const set = index_(address, line);
        return {set, way_of(std::size_t{set} * ways_, line)};
    }
    /// In the set that begins at place `first`.
    [[gnu::always_inline]] std::uint32_t way_of(std::size_t first, std::uint64_t line) const noexcept {
        auto const* const tags = tags_.data() + first;
        auto const* tag = tags + searched_; // downwards, as the ways are filled
        auto const way = [&](int behind) { return static_cast<std::uint32_t>(tag - tags - behind); };
        for (; tag - tags >= 4; tag -= 4) {
            if (tag[-1] == line) return way(1);
            if (tag[-2] == line) return way(2);
            if (tag[-3] == line) return way(3);
            if (tag[-4] == line) return way(4);
        }
        for (; tag != tags; --tag)
            if (tag[-1] == line) return way(1);
        if (searched_ == 0) [[unlikely]]
            return detail::way_of_many(tags, signatures() + first, ways_, line);
        return ways_;
    }
    unsigned char* signatures() noexcept { return reinterpret_cast<unsigned char*>(signatures_.data()); }
    unsigned char const* signatures() const noexcept {
        return reinterpret_cast<unsigned char const*>(signatures_.data());
    }

    [[no_unique_address]] Index index_{};
    Replacement replacement_{};
    heap_array<std::uint64_t> tags_; // line numbers, way by way within a set; no_tag_ where there is no line
    heap_array<line_state> lines_;
    std::uint32_t words_ = 1;               // of 64 ways, in a set
    heap_array<set_state> sets_;            // word by word within a set
    heap_array<std::uint64_t> stored_ways_; // likewise: have been stored to; empty without a write ratio
    heap_array<std::uint64_t> signatures_;  // a byte for each of tags_, where there is more than a word
    std::uint32_t stored_lines_ = 0;        // bits in it
    std::uint32_t recent_ = 0;              // index of the place found last: a hint, no state
    line_place recent_place_{};
    std::uint32_t ways_ = 0;
    std::uint32_t searched_ = 0; // of them, tag by tag: all or none
    std::uint32_t used_ways_ = 0;
    std::uint32_t write_ratio_ = 0; // percent
    std::uint64_t kept_below_ = 0;  // percents of lines stored to
    std::uint64_t per_way_ = 0;
};

} // namespace warpkit
