#pragma once
/// \file
/// A texture cache: accesses wait in order in a FIFO, so that a miss costs bandwidth and not throughput.

#include <warpkit/base/error.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/composition.hpp>
#include <warpkit/cache/concepts.hpp>
#include <warpkit/cache/geometry.hpp>
#include <warpkit/cache/way_set.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace warpkit {

/// The tags are looked up, and a missing line gets its way, as soon as an access comes; the access then waits in the
/// fragment FIFO, and is served when it is in front and, if it missed, its line is in front of the reorder buffer and
/// has come. So no access hits at once: what the tags find is `hit_reserved`. Read-only, not sectored. Tick-free: the
/// caller calls serve(), once a cycle as a rule.
///
/// Numbers: `mshr_entries` is the reorder buffer (lines that may be outstanding), `mshr_merges` the fragment FIFO
/// (accesses that may wait, in all), `miss_queue` the requests that wait for the next level. An access is taken only if
/// there is room in all three, hit or miss.
/// Source: Igehy, Eldridge and Proudfoot, "Prefetching in a Texture Cache Architecture", Graphics Hardware 1998; as
/// GPGPU-Sim's tex_cache (docs/model/cache.md#texture).
template <set_index_policy Index, replacement_policy Replacement>
class texture_cache {
    static_assert(!confines_lines<Replacement>, "warpkit: a texture cache has no ways apart for what is read "
                                                "ahead; choose another replacement policy");
    struct fragment {
        std::uint32_t token = no_token;
        std::uint32_t missed = 0; ///< 1: its line is the next in the reorder buffer
        friend bool operator==(fragment const&, fragment const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(token, missed);
        }
    };
    struct outstanding_line {
        std::uint64_t address = 0;
        std::uint32_t arrived = 0; ///< bytes
        std::uint32_t number = 0;  ///< handed out with the request, for fill()
        friend bool operator==(outstanding_line const&, outstanding_line const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(address, arrived, number);
        }
    };

public:
    using index_policy = Index;
    using replacement_policy_type = Replacement;
    static constexpr std::uint32_t miss_queue_minimum = 1;

    texture_cache() = default;
    /// Throws `error` if a number is impossible, naming the nearest legal one.
    [[gnu::cold]] explicit texture_cache(cache_parameters const& p)
        : parameters_(checked(p)),
          index_(p.geometry),
          replacement_(detail::make_replacement<Replacement>(p)),
          tags_(std::size_t{p.geometry.sets} * p.geometry.ways, no_tag_),
          owner_(tags_.size()),
          fragments_(p.mshr_merges),
          lines_(p.mshr_entries),
          queue_(p.miss_queue),
          line_shift_(static_cast<std::uint32_t>(std::countr_zero(p.geometry.line_bytes))) {}

    cache_parameters const& parameters() const noexcept { return parameters_; }
    cache_counters const& counters() const noexcept { return counters_; }
    void reset_counters() noexcept { counters_ = {}; }

    /// Takes a load, which lies within one line, or refuses it. Refusals: mshr_merge for want of a place in the
    /// fragment FIFO, mshr_entry in the reorder buffer, miss_queue in the queue.
    cache_result access(cache_access const& a) {
        cache_result r;
        if (fragments_.full()) return refused(r, refusal::mshr_merge, counters_.refused_mshr_merge);
        if (lines_.full()) return refused(r, refusal::mshr_entry, counters_.refused_mshr_entry);
        if (queue_.full()) return refused(r, refusal::miss_queue, counters_.refused_miss_queue);
        auto const line = a.address >> line_shift_;
        auto const set = index_(a.address, line);
        auto const way = find(set, line);
        bool const found = way != parameters_.geometry.ways;
        if (found)
            tell_used(replacement_, set, way, a);
        else
            fetch(a, line, set, r);
        fragments_.push({a.token, found ? 0U : 1U});
        ++counters_.accesses;
        ++(found ? counters_.hit_reserved : counters_.misses);
        r.outcome = found ? cache_outcome::hit_reserved : cache_outcome::miss;
        r.answer = cache_answer::at_fill;
        return r;
    }
    /// How the tags would find the line: hit_reserved or miss.
    cache_outcome probe(cache_access const& a) const noexcept {
        auto const line = a.address >> line_shift_;
        return find(index_(a.address, line), line) != parameters_.geometry.ways ? cache_outcome::hit_reserved
                                                                                : cache_outcome::miss;
    }

    bool has_request() const noexcept { return !queue_.empty(); }
    lower_request const& front_request() const noexcept { return queue_.front(); }
    void pop_request() noexcept { queue_.pop(); }
    std::size_t requests() const noexcept { return queue_.size(); }

    /// `bytes` of a fetch have come; `number` is the request's `mshr`. Throws `error` if nothing was asked for there.
    void fill(std::uint64_t address, std::uint32_t bytes, std::uint32_t number) {
        auto const block = address >> line_shift_ << line_shift_;
        for (std::size_t i = 0; i < lines_.size(); ++i)
            if (lines_[i].number == number && lines_[i].address == block) {
                lines_[i].arrived += bytes;
                return;
            }
        raise_error(
            error({"texture_cache: a fill came for address ", address,
                   ", which no outstanding fetch asked for; fill with the address of a fetch, once"}));
    }
    /// Whether serve() would serve somebody.
    bool can_serve() const noexcept {
        return !fragments_.empty() &&
               (fragments_.front().missed == 0 || lines_.front().arrived >= parameters_.geometry.line_bytes);
    }
    /// Calls `sink(token)` for the access in front, if its data is there. Whether it did.
    template <class Sink>
    bool serve(Sink&& sink) {
        if (!can_serve()) return false;
        auto const f = fragments_.front();
        fragments_.pop();
        if (f.missed != 0) lines_.pop();
        if (f.token != no_token) sink(f.token);
        return true;
    }

    /// Lines fetched, or to be fetched, whose first access has not been served.
    std::uint32_t outstanding() const noexcept { return static_cast<std::uint32_t>(lines_.size()); }
    /// Accesses that wait.
    std::size_t waiting() const noexcept { return fragments_.size(); }
    bool idle() const noexcept { return fragments_.empty() && queue_.empty(); }

    /// Drops every line; who waits is still served.
    void invalidate_all() noexcept {
        if constexpr (hears_removals<Replacement>)
            for (std::size_t i = 0; i < tags_.size(); ++i)
                if (tags_[i] != no_tag_)
                    replacement_.removed(static_cast<std::uint32_t>(i / parameters_.geometry.ways),
                                         static_cast<std::uint32_t>(i % parameters_.geometry.ways));
        for (auto& t : tags_) t = no_tag_;
    }
    /// Lines that these warps brought in belong to nobody from now on.
    void disown(warp_set warps) noexcept {
        for (auto& o : owner_)
            if (warps.contains(o)) o = no_warp;
    }

    friend bool operator==(texture_cache const&, texture_cache const&) = default;
    /// The parameters of its policies.
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.index_, self.replacement_);
    }
    void parameters_set() { tell_parameters_set(index_, replacement_); }
    WARPKIT_STORED_MEMBERS(11)
    template <class F>
    void each_member(F&& f) const {
        f(index_, replacement_, tags_, owner_, fragments_, lines_, queue_, next_number_, counters_);
    }

private:
    static constexpr std::uint64_t no_tag_ = ~std::uint64_t{0};

    static cache_parameters const& checked(cache_parameters const& p) {
        check(p);
        Index::check(p.geometry);
        if (p.geometry.sectored())
            detail::refuse_cache_number("sector_bytes", p.geometry.sector_bytes,
                                        "divides the lines of a texture cache, which fetches them whole",
                                        p.geometry.line_bytes);
        return p;
    }
    cache_result refused(cache_result r, refusal why, std::uint64_t& counter) noexcept {
        ++counter;
        r.reason = why;
        return r;
    }
    std::uint32_t find(std::uint32_t set, std::uint64_t line) const noexcept {
        auto const ways = parameters_.geometry.ways;
        auto const* const tag = tags_.data() + std::size_t{set} * ways;
        for (auto way = ways; way-- != 0;)
            if (tag[way] == line) return way;
        return ways;
    }
    /// Gives the line a way, and asks for it.
    void fetch(cache_access const& a, std::uint64_t line, std::uint32_t set, cache_result& r) {
        auto const ways = parameters_.geometry.ways;
        auto const first = std::size_t{set} * ways;
        auto way = ways;
        while (way-- != 0 && tags_[first + way] != no_tag_) {}
        if (way >= ways) { // none is empty
            way = victim_of(replacement_, set, way_mask::all(ways));
            r.departed = {tags_[first + way] << line_shift_, owner_[first + way], line_departure::evicted};
            ++counters_.evictions;
        }
        tags_[first + way] = line;
        owner_[first + way] = a.owner;
        tell_inserted(replacement_, set, way, a);
        auto const number = next_number_;
        next_number_ = (next_number_ + 1) % most_mshr_entries;
        lines_.push({line << line_shift_, 0, number});
        lower_request q;
        q.address = line << line_shift_;
        q.bytes = parameters_.geometry.line_bytes;
        q.token = a.token;
        q.space = a.space;
        q.owner = a.owner;
        q.mshr = static_cast<std::uint16_t>(number);
        queue_.push(q);
        ++counters_.fetches;
    }

    cache_parameters parameters_{};
    [[no_unique_address]] Index index_{};
    Replacement replacement_{};
    heap_array<std::uint64_t> tags_; // line numbers, way by way within a set
    heap_array<warp_slot> owner_;
    ring<fragment> fragments_;
    ring<outstanding_line> lines_; // the reorder buffer: in the order of the fetches
    ring<lower_request> queue_;
    std::uint32_t next_number_ =
        0; // of a fetch; below most_mshr_entries, so that no two outstanding ones share one
    std::uint32_t line_shift_ = 0;
    cache_counters counters_;
};

} // namespace warpkit
