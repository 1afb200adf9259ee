#pragma once
/// \file
/// A cache that always hits.

#include <warpkit/cache/access.hpp>
#include <warpkit/cache/geometry.hpp>

#include <cstddef>
#include <cstdint>

namespace warpkit {

/// Every access hits and nothing goes to the next level: the Perfect-L2 and perfect memory of OWL's section 2.2, or an
/// upper bound for any level. The interface is cache's.
class perfect_cache {
public:
    static constexpr std::uint32_t miss_queue_minimum = 1;

    perfect_cache() = default;
    /// Throws `error` on numbers that no cache could have, so that it can stand in for one.
    explicit perfect_cache(cache_parameters const& p) : parameters_(p) { check(p); }

    cache_parameters const& parameters() const noexcept { return parameters_; }
    cache_counters const& counters() const noexcept { return counters_; }
    void reset_counters() noexcept { counters_ = {}; }

    static constexpr bool keeps_stores(memory_space) noexcept { return true; }
    static constexpr bool fetches_on_store() noexcept { return false; }
    static constexpr bool reserves() noexcept { return true; }
    static constexpr std::uint32_t load_places() noexcept { return 1; }

    template <bool Whole = false>
    cache_result access(cache_access const&) noexcept {
        hit_again();
        return {.departed = {}, .outcome = cache_outcome::hit, .reason = {}, .answer = cache_answer::now};
    }
    cache_outcome probe(cache_access const&) const noexcept { return cache_outcome::hit; }
    bool contains(std::uint64_t) const noexcept { return true; }
    bool same_set(std::uint64_t, std::uint64_t) const noexcept { return true; }
    static constexpr std::uint32_t set_of(std::uint64_t) noexcept { return 0; }
    static constexpr bool fill_may_free_way(std::uint32_t, std::uint32_t) noexcept { return true; }
    static constexpr bool has_way(std::uint64_t) noexcept { return true; }
    static constexpr bool takes_requests() noexcept { return true; }
    static constexpr bool refuses_stores(memory_space) noexcept { return false; }
    void refuse_again(refusal) noexcept {}
    static void miss_again(cache_access const&) noexcept {}
    static constexpr std::uint8_t hits_behind(std::uint64_t, std::uint32_t) noexcept { return 0; }
    void hit_again() noexcept {
        ++counters_.accesses;
        ++counters_.hits;
    }

    bool has_request() const noexcept { return false; }
    lower_request const& front_request() const noexcept { return nothing_; }
    void pop_request() noexcept {}
    std::size_t requests() const noexcept { return 0; }
    template <class Sink>
    departed_line fill(std::uint64_t, Sink&&) {
        throw error("perfect_cache: a fill came, but a perfect cache fetches nothing");
    }
    template <class Sink>
    departed_line fill(std::uint64_t address, std::uint32_t, Sink&& sink, std::uint32_t = no_token) {
        return fill(address, static_cast<Sink&&>(sink));
    }
    template <class Sink>
    departed_line fill_all(std::uint32_t, Sink&& sink) {
        return fill(0, static_cast<Sink&&>(sink));
    }
    static constexpr std::uint64_t fetched(std::uint32_t) noexcept { return 0; }
    static constexpr bool install(std::uint64_t, departed_line&) noexcept { return true; }
    static constexpr bool count_part(std::uint32_t, std::uint32_t) noexcept { return false; }
    std::uint32_t outstanding() const noexcept { return 0; }
    bool idle() const noexcept { return true; }

    std::uint64_t invalidate_all() noexcept { return 0; }
    void disown(warp_set) noexcept {}
    bool flush() noexcept { return true; }
    std::uint64_t dirty_bytes() const noexcept { return 0; }

    friend bool operator==(perfect_cache const&, perfect_cache const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(counters_);
    }

private:
    cache_parameters parameters_{};
    cache_counters counters_{};
    lower_request nothing_{};
};

} // namespace warpkit
