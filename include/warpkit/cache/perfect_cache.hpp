#pragma once
/// \file
/// A cache that always hits.

#include <warpkit/cache/access.hpp>
#include <warpkit/cache/geometry.hpp>

#include <cstdint>

namespace warpkit {

/// Every access hits and nothing goes to the next level: the Perfect-L2 and perfect memory of OWL's section 2.2, or an
/// upper bound for any level. All that a cache needs (cache/check.hpp) which asks nothing of the next level.
class perfect_cache {
public:
    perfect_cache() = default;
    /// Throws `error` on numbers that no cache could have, so that it can stand in for one.
    explicit perfect_cache(cache_parameters const& p) { check(p); }

    static constexpr bool keeps_stores(memory_space) noexcept { return true; }
    cache_result access(cache_access const&) noexcept {
        counters_.count(cache_outcome::hit);
        return {.departed = {}, .outcome = cache_outcome::hit, .reason = {}, .answer = cache_answer::now};
    }
    cache_outcome probe(cache_access const&) const noexcept { return cache_outcome::hit; }
    cache_counters const& counters() const noexcept { return counters_; }
    void invalidate_all() noexcept {}

    friend bool operator==(perfect_cache const&, perfect_cache const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(counters_);
    }

private:
    cache_counters counters_{};
};

} // namespace warpkit
