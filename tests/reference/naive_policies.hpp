#pragma once
/// \file
/// Naive twins of the index and replacement policies, for a cache of the reference: written from the policies' docs
/// rather than from the policies. Slow and obvious.

#include <warpkit/cache/fermi_hash_index.hpp>
#include <warpkit/cache/fifo.hpp>
#include <warpkit/cache/geometry.hpp>
#include <warpkit/cache/ipoly_index.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/pcal.hpp>
#include <warpkit/cache/prefetch_cache.hpp>
#include <warpkit/cache/pseudo_lru.hpp>
#include <warpkit/cache/random_replacement.hpp>
#include <warpkit/cache/rlr.hpp>
#include <warpkit/cache/ship.hpp>
#include <warpkit/cache/srrip.hpp>
#include <warpkit/cache/xor_index.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace naive {

using namespace warpkit;

/// The twin of an index policy.
template <class Policy>
class index {
public:
    index() = default;
    explicit index(cache_geometry const& g) : sets_(g.sets) {}
    static void check(cache_geometry const&) {}
    std::uint32_t operator()(std::uint64_t a, std::uint64_t number) const {
        return static_cast<std::uint32_t>(set(a, number));
    }

private:
    std::uint64_t set(std::uint64_t a, std::uint64_t number) const {
        if constexpr (std::is_same_v<Policy, linear_index>) {
            return number % sets_;
        } else if constexpr (std::is_same_v<Policy, xor_index>) {
            return (number % sets_) ^ (number / sets_ % sets_);
        } else if constexpr (std::is_same_v<Policy, ipoly_index>) {
            // Long division of the polynomial, from its highest term down, as far as the hash sees.
            std::uint64_t const divisor = sets_ == 16 ? 19 : sets_ == 32 ? 37 : 67;
            unsigned const terms = sets_ == 16 ? 17 : sets_ == 32 ? 20 : 25;
            auto rest = number % (std::uint64_t{1} << terms);
            for (unsigned t = terms; t-- > 0;)
                if (rest >= sets_ && (rest >> t & 1) != 0)
                    rest ^= divisor << (t + 1 - static_cast<unsigned>(std::bit_width(sets_)));
            return rest;
        } else {
            static_assert(std::is_same_v<Policy, fermi_hash_index>);
            unsigned const partner[5] = {13, 14, 15, 17, 19};
            std::uint64_t s = 0;
            for (unsigned b = 0; b < 5; ++b)
                if (((number >> b) & 1) != ((a >> partner[b]) & 1)) s += std::uint64_t{1} << b;
            return sets_ == 64 && ((a >> 12) & 1) != 0 ? s + 32 : s;
        }
    }
    std::uint64_t sets_ = 1;
};

/// The twin of a replacement policy.
template <class Policy>
class replacement {
    using place = std::pair<std::uint32_t, std::uint32_t>; // set and way

public:
    replacement() = default;
    replacement(std::uint32_t, std::uint32_t ways) : ways_(ways) {}
    void used(std::uint32_t set, std::uint32_t way) {
        last_use_[{set, way}] = ++now_;
        next_use_[{set, way}] = 0;
        point_away(set, way);
    }
    void inserted(std::uint32_t set, std::uint32_t way) {
        if (next_use_.count({set, way}) != 0)
            while (next_use_[{set, way}] < 3) grow(set, next_use_);
        born_[{set, way}] = last_use_[{set, way}] = ++now_;
        next_use_[{set, way}] = 2;
        point_away(set, way);
        ++insertions_;
    }
    void removed(std::uint32_t set, std::uint32_t way) { next_use_.erase({set, way}); }
    std::uint32_t victim(std::uint32_t set, way_set eligible) const {
        std::vector<std::uint32_t> ways;
        for (std::uint32_t w = 0; w < ways_; ++w)
            if (eligible.contains(w)) ways.push_back(w);
        auto const first_in = [&](std::map<place, std::uint64_t> const& age) {
            return *std::min_element(ways.begin(), ways.end(), [&](auto x, auto y) {
                return age.at({set, x}) < age.at({set, y});
            });
        };
        if constexpr (std::is_same_v<Policy, lru>) {
            return first_in(last_use_);
        } else if constexpr (std::is_same_v<Policy, fifo>) {
            return first_in(born_);
        } else if constexpr (std::is_same_v<Policy, random_replacement>) {
            return ways[split_mix(insertions_) * ways.size() >> 32];
        } else if constexpr (std::is_same_v<Policy, pseudo_lru>) {
            std::uint32_t from = 0;
            auto to = std::bit_ceil(ways_);
            auto const any = [&](std::uint32_t f, std::uint32_t t) {
                return std::any_of(ways.begin(), ways.end(), [&](auto w) { return f <= w && w < t; });
            };
            while (to - from > 1) {
                auto const middle = (from + to) / 2;
                auto const i = upper_next_.find({set, {from, to}});
                bool upper = i != upper_next_.end() && i->second;
                if (!any(upper ? middle : from, upper ? to : middle)) upper = !upper;
                (upper ? from : to) = middle;
            }
            return from;
        } else {
            static_assert(std::is_same_v<Policy, srrip>);
            auto next = next_use_; // a look into the future
            for (;; grow(set, next))
                for (auto const w : ways)
                    if (next[{set, w}] == 3) return w;
        }
    }

private:
    /// All predictions of the set, 3 being the most.
    static void grow(std::uint32_t set, std::map<place, unsigned>& next) {
        for (auto& [where, prediction] : next)
            if (where.first == set && prediction < 3) ++prediction;
    }
    static std::uint64_t split_mix(std::uint64_t number) {
        std::uint64_t z = (number + 1) * 0x9e3779b97f4a7c15U;
        z ^= z >> 30;
        z *= 0xbf58476d1ce4e5b9U;
        z ^= z >> 27;
        z *= 0x94d049bb133111ebU;
        z ^= z >> 31;
        return z >> 32;
    }
    void point_away(std::uint32_t set, std::uint32_t way) {
        std::uint32_t from = 0;
        auto to = std::bit_ceil(ways_);
        while (to - from > 1) {
            auto const middle = (from + to) / 2;
            bool const upper = way >= middle;
            upper_next_[{set, {from, to}}] = !upper;
            (upper ? from : to) = middle;
        }
    }

    std::uint32_t ways_ = 1;
    std::uint64_t now_ = 0;
    std::uint64_t insertions_ = 0;
    std::map<place, std::uint64_t> last_use_;
    std::map<place, std::uint64_t> born_;
    std::map<place, unsigned> next_use_;                         // 3 is distant; none: no line is there
    std::map<std::pair<std::uint32_t, place>, bool> upper_next_; // by set and range of ways
};

/// LRU, and a list of all warps as they came, of whom the first ones' lines are kept.
template <std::uint64_t Tokens>
class replacement<pcal_of<Tokens>> : public replacement<lru> {
public:
    using replacement<lru>::replacement;
    void used(std::uint32_t set, std::uint32_t way, line_use const&) { replacement<lru>::used(set, way); }
    void inserted(std::uint32_t set, std::uint32_t way, line_use const&) {
        replacement<lru>::inserted(set, way);
    }
    bool declines(line_use const& by) const {
        if (!by.warp) return false;
        auto const at = std::find(warps_.begin(), warps_.end(), by.warp.index());
        return at == warps_.end() || at - warps_.begin() >= static_cast<std::ptrdiff_t>(tokens_);
    }
    void launched(warp_set warps) {
        for (unsigned w = 0; w < warp_set::width; ++w)
            if (warps.contains(warp_slot{w})) {
                warps_.erase(std::remove(warps_.begin(), warps_.end(), w), warps_.end());
                warps_.push_back(w);
            }
    }
    void exited(warp_set warps) {
        for (unsigned w = 0; w < warp_set::width; ++w)
            if (warps.contains(warp_slot{w}))
                warps_.erase(std::remove(warps_.begin(), warps_.end(), w), warps_.end());
    }
    void granted(unsigned tokens) { tokens_ = tokens == 0 ? Tokens : tokens; }
    void emptied() {
        warps_.clear();
        tokens_ = Tokens;
    }

private:
    std::uint64_t tokens_ = Tokens;
    std::vector<unsigned> warps_;
};

/// LRU, and for each way whether it is one of the last ones, which are for what is read ahead.
template <std::uint64_t Ways>
class replacement<prefetch_cache_of<Ways>> : public replacement<lru> {
public:
    replacement() = default;
    replacement(std::uint32_t sets, std::uint32_t ways) : replacement<lru>(sets, ways) {
        for (std::uint32_t w = 0; w < ways; ++w) ahead_.push_back(w + (Ways == 0 ? ways / 2 : Ways) >= ways);
    }
    void used(std::uint32_t set, std::uint32_t way, line_use const&) { replacement<lru>::used(set, way); }
    void inserted(std::uint32_t set, std::uint32_t way, line_use const&) {
        replacement<lru>::inserted(set, way);
    }
    way_range allowed(line_use const& by) const {
        auto const first = std::find(ahead_.begin(), ahead_.end(), true) - ahead_.begin();
        return by.ahead ? way_range{static_cast<std::uint32_t>(first)}
                        : way_range{0, static_cast<std::uint32_t>(first)};
    }
    bool may_decline() const { return !ahead_.empty() && ahead_[0]; }
    bool declines(line_use const& by) const { return may_decline() && !by.ahead; }

private:
    std::vector<bool> ahead_;
};

/// RLR from the times of all that happened: a line's age is told by the misses of its set since it came or was used.
template <>
class replacement<rlr> {
public:
    replacement() = default;
    replacement(std::uint32_t, std::uint32_t ways) : ways_(ways) {}
    void used(std::uint32_t set, std::uint32_t way, line_use const& by) {
        ages_.push_back(age(set, way));
        if (ages_.size() == 32) {
            distance_ = 2 * std::accumulate(ages_.begin(), ages_.end(), 0U) / 32;
            ages_.clear();
        }
        line_[{set, way}] = {misses_[set], !by.ahead, true};
    }
    void inserted(std::uint32_t set, std::uint32_t way, line_use const& by) {
        ++misses_[set];
        line_[{set, way}] = {misses_[set], !by.ahead, false};
    }
    void removed(std::uint32_t set, std::uint32_t way) { line_[{set, way}] = {misses_[set], false, false}; }
    std::uint32_t victim(std::uint32_t set, way_set eligible) const {
        std::vector<std::tuple<unsigned, unsigned, std::uint32_t>> all; // priority, age, way
        for (std::uint32_t way = 0; way < ways_; ++way)
            if (eligible.contains(way)) {
                auto const l = line_.find({set, way});
                bool const there = l != line_.end();
                unsigned priority = age(set, way) > distance_ ? 0 : 8;
                priority += there && l->second.demanded;
                priority += there && l->second.hit;
                all.emplace_back(priority, age(set, way), way);
            }
        return std::get<2>(*std::min_element(all.begin(), all.end()));
    }

private:
    struct line {
        std::uint64_t since = 0; // misses of the set when it came or was used
        bool demanded = false;
        bool hit = false;
    };
    /// Multiples of eight misses that have passed since, 3 at most.
    unsigned age(std::uint32_t set, std::uint32_t way) const {
        auto const m = misses_.find(set);
        auto const l = line_.find({set, way});
        auto const since = l == line_.end() ? 0 : l->second.since;
        return static_cast<unsigned>(
            std::min<std::uint64_t>(m == misses_.end() ? 0 : m->second / 8 - since / 8, 3));
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, line> line_; // by set and way
    std::map<std::uint32_t, std::uint64_t> misses_;                // by set
    std::vector<unsigned> ages_;                                   // that uses found since the last mean
    unsigned distance_ = 0;
    std::uint32_t ways_ = 0;
};

/// SHiP over SRRIP: a line that comes in with a signature of whose lines none has been used lately is distant at once.
template <ship_signature Signature, std::uint64_t Bits>
class replacement<ship_of<Signature, Bits>> {
public:
    replacement() = default;
    replacement(std::uint32_t, std::uint32_t) {}
    void used(std::uint32_t set, std::uint32_t way, line_use const&) {
        auto& l = lines_[set][way];
        l.next_use = 0;
        if (!l.used) count(l.signature, 1);
        l.used = true;
    }
    void inserted(std::uint32_t set, std::uint32_t way, line_use const& by) {
        if (lines_[set].count(way) != 0)
            while (lines_[set][way].next_use < 3) grow(lines_[set]);
        removed(set, way);
        auto const what = Signature == ship_signature::instruction ? by.pc
                          : Signature == ship_signature::memory    ? by.address / 16384
                                                                   : by.warp.index();
        auto const s = (what * 0x9e3779b97f4a7c15U) >> (64 - Bits);
        lines_[set][way] = {s, false, useful(s) ? 2U : 3U};
    }
    void removed(std::uint32_t set, std::uint32_t way) {
        auto const l = lines_[set].find(way);
        if (l == lines_[set].end()) return;
        if (!l->second.used) count(l->second.signature, -1);
        lines_[set].erase(way);
    }
    std::uint32_t victim(std::uint32_t set, way_set eligible) const {
        for (auto ways = lines_.at(set);; grow(ways))
            for (auto const& [way, l] : ways)
                if (eligible.contains(way) && l.next_use == 3) return way;
    }

private:
    struct line {
        std::uint64_t signature = 0;
        bool used = false;
        unsigned next_use = 2; // 3 is distant
    };
    static void grow(std::map<std::uint32_t, line>& ways) {
        for (auto& [way, l] : ways) l.next_use = std::min(l.next_use + 1, 3U);
    }
    bool useful(std::uint64_t s) const {
        auto const i = count_.find(s);
        return i == count_.end() || i->second != 0;
    }
    void count(std::uint64_t s, int by) {
        auto& c = count_.try_emplace(s, 1).first->second;
        c = std::clamp(c + by, 0, 7);
    }
    std::map<std::uint32_t, std::map<std::uint32_t, line>> lines_; // by set and way
    std::map<std::uint64_t, int> count_;                           // by signature
};

} // namespace naive
