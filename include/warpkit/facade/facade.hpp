#pragma once
/// \file
/// warpkit in C++11 to C++17: warp schedulers, replacement policies, caches and DRAM channels of the catalogue, made by
/// name with their parameters as text. Link libwarpkit. In C++20 the headers of the policies themselves are faster, and
/// say more.
///
///     warpkit::facade::error why;
///     warpkit::facade::scheduler s("locality_aware:active=16", &why);
///     if (!s) std::cerr << why.message << '\n';
///
/// Contract: what warpkit.h says. Each object owns what it names, and is false where it could not be made; nothing else
/// may be asked of it then. A move leaves it false. Nothing throws, and what the host hands in to be called must not.

#include <warpkit/facade/warpkit.h>

#include <cstddef>
#include <cstdint>

namespace warpkit {
namespace facade {

/// Why a call failed, in `message`.
struct error : warpkit_error {
    error() { message[0] = 0; }
};

namespace detail {

/// Owns one object of the C interface.
template <class T, void (*Destroy)(T*), T* (*Copy)(T const*, warpkit_error*)>
class owner {
public:
    owner() = default;
    explicit owner(T* what) noexcept : held_(what) {}
    owner(owner&& other) noexcept : held_(other.held_) { other.held_ = nullptr; }
    owner& operator=(owner&& other) noexcept {
        T* const mine = held_;
        held_ = other.held_;
        other.held_ = mine;
        return *this;
    }
    owner(owner const&) = delete; // a copy may fail: copied()
    owner& operator=(owner const&) = delete;
    ~owner() { Destroy(held_); }

    explicit operator bool() const noexcept { return held_ != nullptr; }
    T* get() const noexcept { return held_; }

protected:
    T* copy(warpkit_error* why) const noexcept { return Copy(held_, why); }

private:
    T* held_ = nullptr;
};

template <class F>
void call_with_token(void* user, std::uint32_t token) {
    (*static_cast<F*>(user))(token);
}
template <class F>
void call_with_long_token(void* user, std::uint64_t token) {
    (*static_cast<F*>(user))(token);
}

} // namespace detail

/// What is told of a kernel; all untold at first.
struct kernel : warpkit_kernel {
    kernel() { warpkit_kernel_init(this); }
};
/// One access to a cache: a load of 4 bytes at first.
struct access : warpkit_access {
    access() { warpkit_access_init(this); }
};
/// One request to DRAM: a read of one atom at first.
struct dram_request : warpkit_dram_request {
    dram_request() { warpkit_dram_request_init(this); }
};

/// One warp scheduler of a core.
class scheduler : public detail::owner<warpkit_scheduler, warpkit_scheduler_destroy, warpkit_scheduler_copy> {
public:
    using owner::owner;
    explicit scheduler(char const* text, warpkit_error* why = nullptr) noexcept
        : owner(warpkit_scheduler_create(text, why)) {}
    scheduler copied(warpkit_error* why = nullptr) const noexcept { return scheduler(copy(why)); }

    char const* name() const noexcept { return warpkit_scheduler_name(get()); }
    std::uint32_t hears() const noexcept { return warpkit_scheduler_hears(get()); }
    bool is_told(std::uint32_t events, warpkit_error* why = nullptr) const noexcept {
        return warpkit_scheduler_is_told(get(), events, why) != 0;
    }
    bool asks_classes() const noexcept { return warpkit_scheduler_asks_classes(get()) != 0; }
    int pick(std::uint64_t candidates) const noexcept {
        return warpkit_scheduler_pick(get(), candidates, nullptr);
    }
    int pick(std::uint64_t candidates, warpkit_issue_classes const& next) const noexcept {
        return warpkit_scheduler_pick(get(), candidates, &next);
    }
    std::uint64_t eligible(std::uint64_t candidates, warpkit_issue_classes const& next) const noexcept {
        return warpkit_scheduler_eligible(get(), candidates, &next);
    }

    bool kernel_began(warpkit_kernel const& k, warpkit_error* why = nullptr) noexcept {
        return warpkit_scheduler_kernel_began(get(), &k, why) != 0;
    }
    void kernel_ended() noexcept { warpkit_scheduler_kernel_ended(get()); }
    void cta_launched(std::uint32_t cta, std::uint64_t linear_id, std::uint64_t warps,
                      std::uint64_t at) noexcept {
        warpkit_scheduler_cta_launched(get(), cta, linear_id, warps, at);
    }
    void footprint_known(std::uint32_t warp, warpkit_footprint const& f) noexcept {
        warpkit_scheduler_footprint_known(get(), warp, &f);
    }
    void cta_finished(std::uint32_t cta, std::uint64_t linear_id, std::uint64_t at) noexcept {
        warpkit_scheduler_cta_finished(get(), cta, linear_id, at);
    }
    void warp_exited(std::uint32_t warp) noexcept { warpkit_scheduler_warp_exited(get(), warp); }
    void issued(std::uint32_t warp, std::uint32_t pc, warpkit_issue_class kind, std::uint64_t active_lanes,
                std::uint64_t at) noexcept {
        warpkit_scheduler_issued(get(), warp, pc, kind, active_lanes, at);
    }
    void branched(std::uint32_t warp, std::uint32_t pc, std::uint32_t next_pc, bool taken) noexcept {
        warpkit_scheduler_branched(get(), warp, pc, next_pc, taken);
    }
    void blocked(std::uint32_t warp, warpkit_block_reason why) noexcept {
        warpkit_scheduler_blocked(get(), warp, why);
    }
    void unblocked(std::uint32_t warp, warpkit_block_reason why) noexcept {
        warpkit_scheduler_unblocked(get(), warp, why);
    }
    void barrier_arrived(std::uint32_t warp, bool waits = true) noexcept {
        warpkit_scheduler_barrier_arrived(get(), warp, waits);
    }
    void barrier_released(std::uint64_t warps) noexcept { warpkit_scheduler_barrier_released(get(), warps); }
    void l1_accessed(std::uint32_t warp, std::uint32_t pc, std::uint64_t line, warpkit_access_kind kind,
                     warpkit_cache_outcome outcome) noexcept {
        warpkit_scheduler_l1_accessed(get(), warp, pc, line, kind, outcome);
    }
    void l1_evicted(std::uint64_t line, int brought_in_by, bool by_store = false) noexcept {
        warpkit_scheduler_l1_evicted(get(), line, brought_in_by, by_store);
    }
    void l1_filled(std::uint64_t line) noexcept { warpkit_scheduler_l1_filled(get(), line); }
    void load_returned(std::uint32_t warp, std::uint32_t pc) noexcept {
        warpkit_scheduler_load_returned(get(), warp, pc);
    }
    void lsu_refused(std::uint32_t warp, warpkit_refusal why) noexcept {
        warpkit_scheduler_lsu_refused(get(), warp, why);
    }
    void memory_pressure(std::uint16_t free_mshrs, std::uint16_t mshrs, std::uint16_t free_queue,
                         std::uint16_t queue) noexcept {
        warpkit_scheduler_memory_pressure(get(), free_mshrs, mshrs, free_queue, queue);
    }
    void next_decoded(std::uint32_t warp, std::uint32_t pc) noexcept {
        warpkit_scheduler_next_decoded(get(), warp, pc);
    }
    void cycles_spent(std::uint32_t of, warpkit_cycle_cause cause, std::uint64_t from,
                      std::uint64_t count) noexcept {
        warpkit_scheduler_cycles_spent(get(), of, cause, from, count);
    }
    friend bool operator==(scheduler const& a, scheduler const& b) noexcept {
        return warpkit_scheduler_equal(a.get(), b.get()) != 0;
    }
};

/// Which line of a set goes.
class replacement
    : public detail::owner<warpkit_replacement, warpkit_replacement_destroy, warpkit_replacement_copy> {
public:
    using owner::owner;
    replacement(char const* text, std::uint32_t sets, std::uint32_t ways,
                warpkit_error* why = nullptr) noexcept
        : owner(warpkit_replacement_create(text, sets, ways, why)) {}
    replacement copied(warpkit_error* why = nullptr) const noexcept { return replacement(copy(why)); }

    void used(std::uint32_t set, std::uint32_t way, warpkit_line_use const* by = nullptr) noexcept {
        warpkit_replacement_used(get(), set, way, by);
    }
    void inserted(std::uint32_t set, std::uint32_t way, warpkit_line_use const* by = nullptr) noexcept {
        warpkit_replacement_inserted(get(), set, way, by);
    }
    void removed(std::uint32_t set, std::uint32_t way) noexcept {
        warpkit_replacement_removed(get(), set, way);
    }
    std::uint32_t victim(std::uint32_t set, std::uint64_t eligible) const noexcept {
        return warpkit_replacement_victim(get(), set, eligible);
    }
    bool declines(warpkit_line_use const& by) const noexcept {
        return warpkit_replacement_declines(get(), &by) != 0;
    }
    void launched(std::uint64_t warps) noexcept { warpkit_replacement_launched(get(), warps); }
    void exited(std::uint64_t warps) noexcept { warpkit_replacement_exited(get(), warps); }
    friend bool operator==(replacement const& a, replacement const& b) noexcept {
        return warpkit_replacement_equal(a.get(), b.get()) != 0;
    }
};

/// A cache with MSHRs and a queue to the next level.
class cache : public detail::owner<warpkit_cache, warpkit_cache_destroy, warpkit_cache_copy> {
public:
    using owner::owner;
    explicit cache(char const* text, warpkit_error* why = nullptr) noexcept
        : owner(warpkit_cache_create(text, why)) {}
    cache copied(warpkit_error* why = nullptr) const noexcept { return cache(copy(why)); }

    warpkit_cache_result access(warpkit_access const& a) noexcept { return warpkit_cache_access(get(), &a); }
    warpkit_cache_outcome probe(warpkit_access const& a) const noexcept {
        return warpkit_cache_probe(get(), &a);
    }
    bool front_request(warpkit_cache_request& r) const noexcept {
        return warpkit_cache_front_request(get(), &r) != 0;
    }
    void pop_request() noexcept { warpkit_cache_pop_request(get()); }
    /// Calls sink(token) for each access that waited.
    template <class Sink>
    bool fill(std::uint64_t address, Sink sink, std::uint32_t bytes = WARPKIT_UNTOLD,
              warpkit_departed* departed = nullptr, warpkit_error* why = nullptr) {
        return warpkit_cache_fill(get(), address, bytes, detail::call_with_token<Sink>, &sink, departed,
                                  why) != 0;
    }
    void launched(std::uint64_t warps) noexcept { warpkit_cache_launched(get(), warps); }
    void exited(std::uint64_t warps) noexcept { warpkit_cache_exited(get(), warps); }
    bool flush() noexcept { return warpkit_cache_flush(get()) != 0; }
    void invalidate() noexcept { warpkit_cache_invalidate(get()); }
    std::uint32_t outstanding() const noexcept { return warpkit_cache_outstanding(get()); }
    warpkit_cache_counters counters() const noexcept {
        warpkit_cache_counters c;
        warpkit_cache_get_counters(get(), &c);
        return c;
    }
    friend bool operator==(cache const& a, cache const& b) noexcept {
        return warpkit_cache_equal(a.get(), b.get()) != 0;
    }
};

/// One DRAM channel.
class dram_channel : public detail::owner<warpkit_dram, warpkit_dram_destroy, warpkit_dram_copy> {
public:
    using owner::owner;
    explicit dram_channel(char const* text, warpkit_error* why = nullptr) noexcept
        : owner(warpkit_dram_create(text, why)) {}
    dram_channel copied(warpkit_error* why = nullptr) const noexcept { return dram_channel(copy(why)); }

    std::uint32_t atom_bytes() const noexcept { return warpkit_dram_atom_bytes(get()); }
    std::uint64_t capacity() const noexcept { return warpkit_dram_capacity(get()); }
    bool can_accept(warpkit_dram_request const& r) const noexcept {
        return warpkit_dram_can_accept(get(), &r) != 0;
    }
    bool push(warpkit_dram_request const& r, std::uint64_t now) noexcept {
        return warpkit_dram_push(get(), &r, now) != 0;
    }
    /// Calls done(token) for each request that has ended.
    template <class Done>
    void tick(std::uint64_t now, Done done) {
        warpkit_dram_tick(get(), now, detail::call_with_long_token<Done>, &done);
    }
    std::uint64_t next_event(std::uint64_t now) const noexcept { return warpkit_dram_next_event(get(), now); }
    bool idle() const noexcept { return warpkit_dram_idle(get()) != 0; }
    std::uint32_t open_row(std::uint32_t bank) const noexcept { return warpkit_dram_open_row(get(), bank); }
    warpkit_dram_counters counters() const noexcept {
        warpkit_dram_counters c;
        warpkit_dram_get_counters(get(), &c);
        return c;
    }
    friend bool operator==(dram_channel const& a, dram_channel const& b) noexcept {
        return warpkit_dram_equal(a.get(), b.get()) != 0;
    }
};

} // namespace facade
} // namespace warpkit
