/// The laws of caches (testing/cache_laws.hpp) hold for the library's own, and find out caches that break them.

#include <warpkit/cache/alternatives.hpp>
#include <warpkit/cache/perfect_cache.hpp>
#include <warpkit/testing/cache_laws.hpp>

#include "catch.hpp"
#include "support/sanitized.hpp"

using namespace warpkit;
using namespace warpkit::testing;

namespace broken {

using base = cache<linear_index, lru, on_miss, write_back<write_miss::fetch_on_write>>;

/// Each breaks one law, in a member that it hides.
struct counts_hits_twice : perfect_cache {
    using perfect_cache::perfect_cache;
    cache_result access(cache_access const& a) {
        perfect_cache::access(a);
        return perfect_cache::access(a);
    }
};
struct foretells_a_hit : base {
    using base::base;
    cache_outcome probe(cache_access const& a) const {
        auto const o = base::probe(a);
        return o == cache_outcome::sector_miss ? cache_outcome::hit : o;
    }
};
struct loses_a_waiter : base {
    using base::base;
    template <class Sink>
    departed_line fill(std::uint64_t address, Sink&& sink) {
        unsigned n = 0;
        return base::fill(address, [&](std::uint32_t token) {
            if (++n != 3) sink(token);
        });
    }
};
struct calls_a_waiter_twice : base {
    using base::base;
    template <class Sink>
    departed_line fill(std::uint64_t address, Sink&& sink) {
        return base::fill(address, [&](std::uint32_t token) {
            sink(token);
            if (token % 16 == 0) sink(token);
        });
    }
};
struct keeps_its_lines : base {
    using base::base;
    void invalidate_all() {}
};
struct promises_too_many_hits : base {
    using base::base;
    std::uint8_t hits_behind(std::uint64_t a, std::uint32_t n) const {
        return static_cast<std::uint8_t>(base::hits_behind(a, n) + 1);
    }
};
struct promises_too_few_hits : base {
    using base::base;
    std::uint8_t hits_behind(std::uint64_t, std::uint32_t) const { return 0; }
};
struct wants_one_place : base {
    using base::base;
    std::uint32_t load_places() const { return 1; }
};
struct forgets_a_use : base {
    using base::base;
    void hit_at(line_place) { hit_again(); }
};
struct frees_no_way : base {
    using base::base;
    bool fill_may_free_way(std::uint32_t, std::uint32_t) const { return false; }
};
struct takes_the_first_part_for_all : base {
    using base::base;
    bool count_part(std::uint32_t e, std::uint32_t bytes) {
        base::count_part(e, bytes);
        return true;
    }
};
struct counts_no_more_refusals : base {
    using base::base;
    void refuse_again(refusal) {}
};

template <class C>
std::string first_breach() {
    auto const found = check_cache_laws<C>();
    return found.empty() ? "nothing" : found.front().law;
}

} // namespace broken

template <class C>
void keeps_the_laws() {
    require_cache_laws<C>({.accesses_per_stream = fewer(3000)});
}

TEST_CASE("the library's caches keep the laws of caches") {
    keeps_the_laws<perfect_cache>();
    keeps_the_laws<cache<linear_index, lru, on_miss, write_back<write_miss::lazy_fetch>>>();
    keeps_the_laws<cache<fermi_hash_index, lru, on_miss, local_back_global_evict<write_miss::no_allocate>>>();
    keeps_the_laws<cache<linear_index, lru, on_fill, read_only>>();
    keeps_the_laws<cache<ipoly_index, srrip, streaming, write_through<write_miss::no_allocate>>>();
    keeps_the_laws<cache<xor_index, pseudo_lru, on_miss, write_back<write_miss::ordered_fetch_on_write>>>();
    keeps_the_laws<
        cache<linear_index, random_replacement, on_miss, write_back<write_miss::write_and_fetch>>>();
    keeps_the_laws<with_alternatives<broken::base>>();
}

TEST_CASE("a cache that breaks a law is found out") {
    using namespace broken;
    CHECK(first_breach<base>() == "nothing");
    CHECK(first_breach<counts_hits_twice>() == "an access is counted once");
    CHECK(first_breach<foretells_a_hit>() == "probe says what an access finds");
    CHECK(first_breach<loses_a_waiter>() == "who waits is called once, in order");
    CHECK(first_breach<calls_a_waiter_twice>() == "who waits is called once, in order");
    CHECK(first_breach<keeps_its_lines>() == "an emptied cache finds nothing");
}

TEST_CASE("a cache that tells something wrong ahead is found out") {
    using namespace broken;
    CHECK(first_breach<promises_too_many_hits>() == "sectors that hits_behind() tells of hit");
    CHECK(first_breach<promises_too_few_hits>() == "hits_behind() leaves out no sector");
    CHECK(first_breach<wants_one_place>() ==
          "a load that misses lacks room in the queue where there are less than load_places()");
    CHECK(first_breach<forgets_a_use>() == "hit_at() and hits_at() are access() of a load that hits there");
    CHECK(first_breach<frees_no_way>() == "fill_may_free_way() is may_free_way()");
    CHECK(first_breach<takes_the_first_part_for_all>() == "count_part() waits for the last part");
    CHECK(first_breach<counts_no_more_refusals>() == "refuse_again() is access() of what is refused again");
}
