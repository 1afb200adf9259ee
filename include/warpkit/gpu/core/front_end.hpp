#pragma once
/// \file
/// Fetch and decode (docs/model/front_end.md#fetch). One latch between them; a fetch is made for a warp whose
/// instruction buffer is empty.
///
/// In the reference: `core::decode`, `core::fetch` and `core::fetch_ahead` (reference/core.hpp).

#include <warpkit/base/events.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/concepts.hpp>
#include <warpkit/gpu/common/timing_wheel.hpp>
#include <warpkit/gpu/core/kernel_image.hpp>
#include <warpkit/gpu/core/warp_table.hpp>
#include <warpkit/machine/code_caches.hpp>
#include <warpkit/machine/policy_parameters.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace warpkit {

/// One cycle is decode(), then fetch().
template <class FetchOrder, class InstructionCache, class Prefetch>
class front_end {
public:
    /// The caches in front of the L1I, and behind it.
    using levels = code_caches<InstructionCache, timing_wheel>;

    front_end() = default;
    [[gnu::cold]] front_end(core_numbers const& core, cache_numbers const& l1i, FetchOrder order,
                            Prefetch prefetch, std::uint64_t memory_base, std::string const& parameters = {},
                            levels around = {})
        : order_(order),
          prefetch_(prefetch),
          several_(core.fetches != 1 || around.has_l0()),
          has_l0_(around.has_l0()),
          instruction_bytes_(core.instruction_bytes),
          sector_bits_(static_cast<std::uint32_t>(std::countr_zero(l1i.sector))),
          line_(l1i.line),
          ready_(core.threads / lanes),
          cache_(make_cache<InstructionCache>("l1i", l1i, {}, parameters)),
          reason_(core.threads / lanes),
          memory_base_(memory_base),
          numbers_(core),
          perfect_(l1i.size == 0),
          into_room_(core.fetch_into_room != 0),
          chooses_(into_room_ || has_l0_),
          from_(into_room_ ? core.threads / lanes : 0),
          further_(around.has_l0() ? core.sub_cores - 1 : 0, prefetch),
          levels_(std::move(around)) {}

    /// Other code will be fetched; what was fetched before may still be there (GPGPU-Sim empties the L1D only).
    void begin_kernel(kernel_image const& image) {
        code_base_ = memory_base_ + std::uint64_t{image.code_begin()} * instruction_bytes_;
        first_sector_ = code_base_ >> sector_bits_;
        in_vain_ = {};
        count_ = heap_array<std::uint8_t>(image.size());
        if constexpr (remembers_)
            readable_ = heap_array<known_sector>(
                sector_number(code_base_ + std::uint64_t{image.size()} * instruction_bytes_) + 1);
        for (std::uint32_t first = 0; first < image.size(); ++first) {
            auto const address = code_base_ + std::uint64_t{first} * instruction_bytes_;
            auto const count = fetched_together(numbers_, line_, address, image.size() - first);
            count_[first] = static_cast<std::uint8_t>(count);
        }
    }

    InstructionCache const& cache() const noexcept { return cache_; }
    /// Both policies hear it.
    template <class E>
    void tell(E const& e) {
        notify(e, order_, prefetch_);
        if constexpr (hears<Prefetch, E>)
            for (auto& p : further_) notify(e, p);
    }
    Prefetch const& prefetch() const noexcept { return prefetch_; }
    std::uint64_t fetches() const noexcept { return fetches_; }
    /// Lines asked for ahead; each is an access and a miss of the cache, too.
    std::uint64_t prefetches() const noexcept { return prefetches_; }

    /// Moves the fetched instructions, which there are, into their warp's buffer.
    warp_slot decode(warp_table& t) noexcept {
        auto const w = latch_;
        latch_ = no_warp;
        busy_.erase(w);
        t.warp[w.index()].buffered = latched_;
        t.buffered.insert(w);
        t.redirected.erase(w);
        return w;
    }
    bool fetches_into_room() const noexcept { return into_room_; }
    bool has_latched() const noexcept { return bool(latch_); }
    /// The same where a fetch is made while there is room: behind what is in the buffer, if that is still what the warp
    /// needs; the warp, or none.
    [[gnu::noinline]] warp_slot decode_into_room(warp_table& t) noexcept {
        auto const w = latch_;
        latch_ = no_warp;
        busy_.erase(w);
        auto const from = from_[w.index()];
        if (!t.live.has(w) || from != next(w, t)) return no_warp;
        auto& buffered = t.warp[w.index()].buffered;
        auto const room = static_cast<std::uint8_t>(numbers_.instruction_buffer - buffered);
        buffered = static_cast<std::uint8_t>(buffered + (count_[from] < room ? count_[from] : room));
        t.redirected.erase(w);
        return w;
    }
    /// Serves a completed miss, else fetches for one warp, and perhaps the line behind. `data_misses`: MSHRs of the L1
    /// data cache in use. Whether more belongs to it: a request of the instruction cache, perhaps, or another fetch.
    [[gnu::always_inline]] bool fetch(warp_table const& t, unsigned data_misses) {
        if (!ready_.empty()) {
            auto const w = warp_slot{ready_.front()};
            ready_.pop();
            into_room_ ? fill_latch_into_room(w) : fill_latch(w, t);
            return several_;
        }
        auto const candidates = t.live - t.buffered - busy_;
        if (chooses_) [[unlikely]]
            return fetch_of_chosen(t, data_misses);
        return fetch_for<false>(candidates, t, data_misses);
    }
    /// Misses that wait to be sent, the oldest first.
    bool has_request() const noexcept { return levels_.has_request(cache_); }
    decltype(auto) request() const noexcept { return levels_.request(cache_); }
    void pop_request() noexcept {
        in_vain_ = {};
        levels_.pop_request(cache_);
    }
    /// Code has arrived: a line, or a part of one. The cycle in which it goes on to another level, or `never`.
    cycle fill(std::uint64_t line, std::uint32_t bytes, cycle now = 0) {
        in_vain_ = {};
        contents_change();
        return levels_.fill(now, line, bytes, cache_, ready());
    }
    /// The cycle is over, of which each L0 serves one fetch.
    void end_cycle() noexcept { served_ = {}; }
    /// Whether there are other levels than the L1I. Then they have a cycle of their own, before fetch().
    bool has_levels() const noexcept { return levels_.in_use(); }
    void step_levels(cycle now) {
        in_vain_ = {};
        if (levels_.step(now, cache_, ready())) contents_change();
    }
    /// A cycle after `now` before which they have nothing to do.
    cycle next_of_levels(cycle now) const noexcept { return levels_.next(now, cache_); }
    /// Calls `f(name, cache)` for each of them.
    template <class F>
    void each_level(F&& f) const {
        levels_.each_cache(f);
    }
    /// Adds what they have counted.
    void add_levels_to(run_counters& t) const noexcept { levels_.add_to(t); }
    /// Nothing is asked for.
    bool idle() const noexcept { return cache_.idle() && levels_.idle(cache_) && ready_.empty() && !latch_; }
    /// Whether fetch() would do something; and whether that or decode() would.
    bool fetches(warp_table const& t) const noexcept {
        return !ready_.empty() || (t.live - t.buffered - busy_) || (into_room_ && fetches_more(t));
    }
    bool active(warp_table const& t) const noexcept { return latch_ || fetches(t); }

    friend bool operator==(front_end const&, front_end const&) = default;
    WARPKIT_STORED_MEMBERS(30)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(order_, prefetch_, further_, cache_, levels_, ready_, busy_, latch_, latched_);
        if (into_room_) f(from_);
    }

private:
    /// Those whose fetch order picks one, where that is not all whose buffer is empty.
    [[gnu::noinline]] bool fetch_of_chosen(warp_table const& t, unsigned data_misses) {
        auto const who = into_room_ ? have_room(t) : t.live - t.buffered;
        return fetch_for<true>(who - busy_ - served_, t, data_misses);
    }
    warp_set have_room(warp_table const& t) const noexcept {
        warp_set who;
        t.live.for_each([&](warp_slot w) {
            if (t.warp[w.index()].buffered < numbers_.instruction_buffer && next(w, t) < count_.size())
                who.insert(w);
        });
        return who;
    }
    [[gnu::noinline]] bool fetches_more(warp_table const& t) const noexcept {
        return bool(have_room(t) - busy_);
    }
    /// Chosen: of an L0, or into room.
    template <bool Chosen>
    [[gnu::always_inline]] bool fetch_for(warp_set candidates, warp_table const& t, unsigned data_misses) {
        if (!candidates) return false;
        auto const w = order_.pick(candidates);
        if (!w) return several_;
        auto const from = Chosen ? next(w, t) : t.next_instruction(w);
        auto const pc = from * instruction_bytes_;
        auto const address = code_base_ + pc;
        auto const outcome = hits(address) ? cache_outcome::hit : look_up(w, address);
        ++fetches_;
        auto const line = static_cast<std::uint32_t>((address & ~std::uint64_t{line_ - 1}) - code_base_);
        fetched const e{w, pc, line, outcome};
        bool const l0 = Chosen && has_l0_;
        auto& prefetch = l0 ? prefetch_of(w) : prefetch_;
        bool const ahead = prefetch.wants(e, (l0 ? levels_.l0_of(w) : cache_).outstanding() + data_misses);
        notify(e, order_, prefetch);
        if (ahead)
            for (unsigned k = 1; k <= lines_ahead(prefetch); ++k) fetch_ahead(w, line + k * line_, prefetch);
        if constexpr (Chosen)
            if (into_room_) from_[w.index()] = from;
        if (outcome == cache_outcome::hit) {
            if (Chosen && into_room_)
                fill_latch_into_room(w);
            else
                fill_latch(w, t);
        }
        return ahead || outcome != cache_outcome::hit || several_;
    }
    /// Whether the cache lets others remember where lines are, and what it has refused.
    static constexpr bool remembers_ = tells_ahead<InstructionCache> && !requires {
        requires InstructionCache::asks_who;
    };
    static constexpr auto no_place_() noexcept {
        if constexpr (remembers_)
            return typename InstructionCache::line_place{};
        else
            return false;
    }
    /// Where a sector of code was readable, while the cache held what it did then: a hint.
    struct known_sector {
        decltype(no_place_()) place{};
        std::uint64_t contents = 0;
        friend bool operator==(known_sector const&, known_sector const&) = default;
    };
    std::size_t sector_number(std::uint64_t address) const noexcept {
        return static_cast<std::size_t>((address >> sector_bits_) - first_sector_);
    }
    /// Something may have taken another's place in the cache.
    void contents_change() noexcept { ++contents_; }
    /// Abbreviates the look-up of `core::fetch`.
    bool hits(std::uint64_t address) noexcept {
        if constexpr (remembers_) {
            auto const& known = readable_[sector_number(address)];
            if (known.contents != contents_) return false;
            cache_.hit_at(known.place);
            return true;
        } else {
            return false;
        }
    }
    auto ready() noexcept {
        return [this](std::uint32_t token) { ready_.push(static_cast<std::uint16_t>(token)); };
    }
    Prefetch& prefetch_of(warp_slot w) noexcept {
        auto const s = levels_.sub_core_of(w);
        return s == 0 ? prefetch_ : further_[s - 1];
    }
    [[gnu::noinline]] cache_outcome look_up_l0(warp_slot w, std::uint64_t address) {
        served_ |= warp_set::every(numbers_.sub_cores, levels_.sub_core_of(w));
        cache_access request;
        request.address = address;
        request.bytes = instruction_bytes_;
        request.token = w.index();
        request.owner = w;
        auto const outcome = levels_.l0_of(w).access(request).outcome;
        if (outcome != cache_outcome::hit && outcome != cache_outcome::reservation_fail) busy_.insert(w);
        return outcome;
    }
    [[gnu::noinline]] cache_outcome look_up(warp_slot w, std::uint64_t address) {
        if (has_l0_) return look_up_l0(w, address);
        if (perfect_) return cache_outcome::hit;
        if constexpr (remembers_) {
            if (in_vain_.has(w)) {
                cache_.refuse_again(reason_[w.index()]);
                return cache_outcome::reservation_fail;
            }
            auto& known = readable_[sector_number(address)];
            if (cache_.hits_at(known.place, address)) {
                known.contents = contents_;
                return cache_outcome::hit;
            }
        }
        cache_access request;
        request.address = address;
        request.bytes = instruction_bytes_;
        request.token = w.index();
        request.owner = w;
        auto const answer = cache_.access(request);
        if (answer.outcome == cache_outcome::hit) {
            if constexpr (remembers_) readable_[sector_number(address)] = {cache_.found(), contents_};
            return answer.outcome;
        }
        if (answer.outcome == cache_outcome::reservation_fail) {
            // The slot is spent; the next warp has its turn. Into room it may ask for something else next time.
            if (!into_room_) in_vain_.insert(w);
            reason_[w.index()] = answer.reason;
        } else {
            in_vain_ = {};
            contents_change();
            busy_.insert(w);
        }
        return answer.outcome;
    }
    /// Asks for a line that is neither there nor on its way, if the cache has room; nobody waits for it.
    void fetch_ahead(warp_slot w, std::uint32_t line, Prefetch& prefetch) {
        auto& cache = has_l0_ ? levels_.l0_of(w) : cache_;
        if ((perfect_ && !has_l0_) || line >= std::uint64_t{count_.size()} * instruction_bytes_) return;
        cache_access request;
        request.address = code_base_ + line;
        request.bytes = instruction_bytes_;
        if (cache.probe(request) != cache_outcome::miss) return;
        contents_change();
        if (cache.access(request).outcome != cache_outcome::miss) return;
        in_vain_ = {};
        ++prefetches_;
        notify(prefetched{line}, order_, prefetch);
    }
    /// The first instruction behind those in its buffer.
    static std::uint32_t next(warp_slot w, warp_table const& t) noexcept {
        return t.next_instruction(w) + t.warp[w.index()].buffered;
    }
    void fill_latch(warp_slot w, warp_table const& t) noexcept {
        latch_ = w;
        latched_ = count_[t.next_instruction(w)];
        busy_.insert(w);
    }
    void fill_latch_into_room(warp_slot w) noexcept {
        latch_ = w;
        busy_.insert(w);
    }

    FetchOrder order_{};
    [[no_unique_address]] Prefetch prefetch_{};
    warp_slot latch_;
    std::uint8_t latched_ = 0;
    bool several_ = false; ///< fetches in a cycle, or more to do behind one
    bool has_l0_ = false;
    std::uint32_t instruction_bytes_ = 8;
    warp_set busy_;                     ///< in the latch, or waiting for a line
    warp_set in_vain_;                  ///< refused, and would be for the same reason if asked again
    std::uint64_t code_base_ = 0;       ///< of this kernel
    std::uint64_t first_sector_ = 0;    ///< the number of the sector that it begins in
    std::uint64_t contents_ = 1;        ///< of the cache, as they come one after the other
    heap_array<known_sector> readable_; ///< by sector of code
    heap_array<std::uint8_t> count_;    ///< by instruction: how many a fetch that begins there brings
    std::uint64_t fetches_ = 0;
    std::uint32_t sector_bits_ = 7;
    std::uint32_t line_ = 128;
    ring<std::uint16_t> ready_; ///< warps whose missing line has come
    InstructionCache cache_{};
    heap_array<refusal> reason_;    ///< of those that were refused
    std::uint64_t memory_base_ = 0; ///< of all code
    core_numbers numbers_;
    std::uint64_t prefetches_ = 0;
    bool perfect_ = false;   ///< each fetch hits
    bool into_room_ = false; ///< a warp is fetched for while its buffer has room
    bool chooses_ = false;   ///< of those whose buffer is empty, not all are candidates, or of others, too
    heap_array<std::uint32_t> from_; ///< by warp, into room: the first instruction of its last fetch
    warp_set served_;                ///< of sub-cores whose L0 has been asked in this cycle
    heap_array<Prefetch> further_;   ///< of the L0s of the second sub-core and those behind
    levels levels_;
};

} // namespace warpkit
