#pragma once
/// \file
/// Caches whose policies are chosen when they are made, and which may be perfect: for a program that offers its user
/// the choice and does not want to be compiled once for each. Who does not choose keeps the first alternative, and pays
/// for the question: some instructions an access.

#include <warpkit/base/error.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/allocation.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/fermi_hash_index.hpp>
#include <warpkit/cache/fifo.hpp>
#include <warpkit/cache/geometry.hpp>
#include <warpkit/cache/ipoly_index.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/pcal.hpp>
#include <warpkit/cache/perfect_cache.hpp>
#include <warpkit/cache/prefetch_cache.hpp>
#include <warpkit/cache/pseudo_lru.hpp>
#include <warpkit/cache/random_replacement.hpp>
#include <warpkit/cache/rlr.hpp>
#include <warpkit/cache/ship.hpp>
#include <warpkit/cache/srrip.hpp>
#include <warpkit/cache/way_set.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/cache/xor_index.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <vector>

namespace warpkit {

namespace detail {
/// Behind the last alternative.
struct no_alternative {
    friend bool operator==(no_alternative const&, no_alternative const&) = default;
    template <class F>
    constexpr void each_member(F&&) const {}
};
} // namespace detail

/// One of these set indices: number `chosen` of them.
template <set_index_policy First, set_index_policy... Rest>
class one_of_indices {
public:
    using first_alternative = First;
    static void check(cache_geometry const& g, std::uint32_t chosen = 0) {
        if (chosen == 0) return First::check(g);
        if constexpr (sizeof...(Rest) != 0) one_of_indices<Rest...>::check(g, chosen - 1);
    }
    static constexpr std::string_view names[] = {First::name(), Rest::name()...};

    constexpr one_of_indices() = default;
    constexpr explicit one_of_indices(cache_geometry const& g, std::uint32_t chosen = 0) noexcept
        : chosen_(chosen),
          first_(chosen == 0 ? First(g) : First()),
          rest_(make_rest(g, chosen)) {}
    constexpr std::uint32_t operator()(std::uint64_t address, std::uint64_t line) const noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) [[unlikely]]
                return rest_(address, line);
        return first_(address, line);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(chosen_, first_, rest_);
    }
    friend bool operator==(one_of_indices const&, one_of_indices const&) = default;

private:
    template <class... T>
    struct others {
        using type = detail::no_alternative;
    };
    template <class T, class... More>
    struct others<T, More...> {
        using type = one_of_indices<T, More...>;
    };
    using rest = typename others<Rest...>::type;
    static constexpr rest make_rest([[maybe_unused]] cache_geometry const& g,
                                    [[maybe_unused]] std::uint32_t chosen) noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen != 0) return rest(g, chosen - 1);
        return {};
    }

    std::uint32_t chosen_ = 0;
    [[no_unique_address]] First first_{};
    [[no_unique_address]] rest rest_{};
};

/// One of these replacement policies: number `chosen` of them.
template <replacement_policy First, replacement_policy... Rest>
class one_of_replacements {
public:
    using first_alternative = First;
    static constexpr std::string_view names[] = {First::name(), Rest::name()...};

    one_of_replacements() = default;
    one_of_replacements(std::uint32_t sets, std::uint32_t ways, std::uint32_t chosen = 0)
        : chosen_(chosen),
          first_(chosen == 0 ? First(sets, ways) : First()),
          rest_(make_rest(sets, ways, chosen)) {}

    void used(std::uint32_t set, std::uint32_t way, line_use const& by) noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) [[unlikely]]
                return rest_.used(set, way, by);
        tell_used(first_, set, way, by);
    }
    void inserted(std::uint32_t set, std::uint32_t way, line_use const& by) noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) return rest_.inserted(set, way, by);
        tell_inserted(first_, set, way, by);
    }
    void removed(std::uint32_t set, std::uint32_t way) noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) return rest_.removed(set, way);
        if constexpr (hears_removals<First>) first_.removed(set, way);
    }
    /// How many ways a set of number `chosen` has at most.
    static constexpr std::uint32_t ways_served(std::uint32_t chosen) noexcept {
        constexpr bool wide[] = {serves_wide_sets<First>, serves_wide_sets<Rest>...};
        return wide[chosen] ? most_ways : 64;
    }
    std::uint32_t victim(std::uint32_t set, way_set eligible) const noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) return rest_.victim(set, eligible);
        return victim_of(first_, set, eligible);
    }
    bool declines([[maybe_unused]] line_use const& by) const noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) return rest_.declines(by);
        if constexpr (declines_lines<First>)
            return first_.declines(by);
        else
            return false;
    }
    way_range allowed([[maybe_unused]] line_use const& by) const noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) [[unlikely]]
                return rest_.allowed(by);
        if constexpr (confines_lines<First>)
            return first_.allowed(by);
        else
            return {};
    }
    bool may_decline() const noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) return rest_.may_decline();
        return warpkit::may_decline(first_);
    }
    void launched([[maybe_unused]] warp_set warps) noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) return rest_.launched(warps);
        if constexpr (hears_launches<First>) first_.launched(warps);
    }
    void exited([[maybe_unused]] warp_set warps) noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) return rest_.exited(warps);
        if constexpr (hears_exits<First>) first_.exited(warps);
    }
    void granted([[maybe_unused]] unsigned warps) noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) return rest_.granted(warps);
        if constexpr (hears_grants<First>) first_.granted(warps);
    }
    void emptied() noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) return rest_.emptied();
        if constexpr (hears_launches<First>) first_.emptied();
    }
    /// The parameters of the one that was chosen.
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        if constexpr (sizeof...(Rest) != 0)
            if (self.chosen_ != 0) return each_parameter_of(f, self.rest_);
        each_parameter_of(f, self.first_);
    }
    void parameters_set() {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) return tell_parameters_set(rest_);
        tell_parameters_set(first_);
    }
    template <class F>
    void each_member(F&& f) const {
        f(chosen_, first_, rest_);
    }
    friend bool operator==(one_of_replacements const&, one_of_replacements const&) = default;

private:
    template <class... T>
    struct others {
        using type = detail::no_alternative;
    };
    template <class T, class... More>
    struct others<T, More...> {
        using type = one_of_replacements<T, More...>;
    };
    using rest = typename others<Rest...>::type;
    static rest make_rest([[maybe_unused]] std::uint32_t sets, [[maybe_unused]] std::uint32_t ways,
                          [[maybe_unused]] std::uint32_t chosen) {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen != 0) return rest(sets, ways, chosen - 1);
        return {};
    }

    std::uint32_t chosen_ = 0;
    [[no_unique_address]] First first_{};
    [[no_unique_address]] rest rest_{};
};

/// One of these allocation policies: number `choice.allocation` of them.
template <allocation_policy First, allocation_policy... Rest>
class one_of_allocations {
public:
    static constexpr bool made_again = true; ///< (machine/state_archive.hpp)
    using first_alternative = First;
    static constexpr std::string_view names[] = {First::name(), Rest::name()...};

    bool reserves = First::reserves;

    constexpr one_of_allocations() = default;
    constexpr explicit one_of_allocations(cache_choice const& choice) noexcept
        : reserves(First::reserves),
          chosen_(choice.allocation) {
        std::uint32_t n = 0;
        ((++n == chosen_ ? void(reserves = Rest::reserves) : void()), ...);
    }
    constexpr cache_parameters widened(cache_parameters p) const noexcept {
        p = chosen_ == 0 ? widened_by<First>(p) : p;
        std::uint32_t n = 0;
        ((p = ++n == chosen_ ? widened_by<Rest>(p) : p), ...);
        return p;
    }
    friend bool operator==(one_of_allocations const&, one_of_allocations const&) = default;

private:
    template <class A>
    static constexpr cache_parameters widened_by(cache_parameters const& p) noexcept {
        if constexpr (requires { A::widened(p); }) return A::widened(p);
        return p;
    }
    std::uint32_t chosen_ = 0;
};

/// A write policy that has a name, without what it does with a store that misses. Local memory may be treated apart.
struct named_write {
    char const* name;
    bool is_read_only;
    write_hit local_hit;
    write_hit hit;
    bool allocates;           ///< a store to local memory that misses may do anything but be sent on alone
    bool fetches;             ///< and fetch
    bool allocates_global;    ///< likewise for all other memory
    char const* why_not = ""; ///< no other kind of miss goes with it
};
inline constexpr named_write named_writes[] = {
    {"read_only", true, write_hit::evict, write_hit::evict, false, false, false, "keeps no store"},
    {"write_evict", false, write_hit::evict, write_hit::evict, false, false, false, "keeps no store"},
    {"write_back", false, write_hit::back, write_hit::back, true, true, true},
    {"write_through", false, write_hit::through, write_hit::through, true, false, true,
     "sends every store on, so it fetches for none"},
    {"local_back_global_evict", false, write_hit::back, write_hit::evict, true, true, false}};

/// Whether a store that misses can be treated so under that policy.
constexpr bool goes_with(named_write const& w, write_miss m) noexcept {
    return m == write_miss::no_allocate || (m == write_miss::lazy_fetch ? w.allocates : w.fetches);
}

/// A write policy by names (named_writes, write_miss_names); First if nothing is named. First tells local memory from
/// other at most.
template <write_policy First>
class any_write {
public:
    using first_alternative = First;
    bool is_read_only = First::is_read_only;

    constexpr any_write() = default;
    /// Throws `error` if `choice` names a write policy and a kind of miss that do not go together.
    explicit any_write(cache_choice const& choice) {
        if (choice.write == 0 && choice.write_miss == 0) return;
        auto const& w = named_writes[choice.write != 0 ? choice.write - 1 : number_of_first()];
        auto miss = local_miss_ != write_miss::no_allocate ? local_miss_ : miss_;
        if (choice.write_miss != 0)
            miss = static_cast<write_miss>(choice.write_miss - 1);
        else if (!goes_with(w, miss))
            miss = write_miss::no_allocate;
        if (!goes_with(w, miss))
            raise_error(error("cache: " + std::string(name_of(miss)) + " does not go with " + w.name +
                              ", which " + w.why_not + "; choose no_allocate" +
                              (w.allocates ? " or lazy_fetch" : "")));
        is_read_only = w.is_read_only;
        local_hit_ = w.local_hit;
        hit_ = w.hit;
        local_miss_ = miss;
        miss_ = w.allocates_global ? miss : write_miss::no_allocate;
    }
    constexpr write_hit on_hit(memory_space s) const noexcept {
        return s == memory_space::local ? local_hit_ : hit_;
    }
    constexpr write_miss on_miss(memory_space s) const noexcept {
        return s == memory_space::local ? local_miss_ : miss_;
    }
    friend bool operator==(any_write const&, any_write const&) = default;

private:
    static std::size_t number_of_first() {
        std::size_t n = 0;
        for (auto const& w : named_writes) {
            if (std::string_view(w.name) == First::name()) return n;
            ++n;
        }
        raise_error(error(std::string("cache: '") + First::name() +
                          "' is a write policy of its own; name another one for a kind of miss to go with"));
    }

    write_hit local_hit_ = First::on_hit(memory_space::local);
    write_hit hit_ = First::on_hit(memory_space::global);
    write_miss local_miss_ = First::on_miss(memory_space::local);
    write_miss miss_ = First::on_miss(memory_space::global);
};

/// A part of a cache that can be chosen by name.
struct cache_part {
    std::string_view kind;
    std::vector<std::string_view> names;
};

/// A cache, or a perfect one with the same numbers (perfect_cache): OWL's PMEM as an L1, its Perfect-L2 as an L2. A
/// perfect one asks nothing of the next level.
template <class Cache>
class perfectible : public Cache {
public:
    using inner_cache = Cache;

    perfectible() = default;
    explicit perfectible(cache_parameters const& p) : Cache(p) {
        if (p.choice.perfect) perfect_ = perfect_cache(p);
        is_perfect_ = p.choice.perfect;
    }
    /// What there is to choose: the parts of a cache, and the names for each.
    static std::vector<cache_part> parts() {
        auto const all = [](auto const& names) {
            return std::vector<std::string_view>(std::begin(names), std::end(names));
        };
        std::vector<std::string_view> writes;
        for (auto const& w : named_writes) writes.push_back(w.name);
        return {{"index", all(Cache::index_policy::names)},
                {"replacement", all(Cache::replacement_policy_type::names)},
                {"allocation", all(Cache::allocation_policy_type::names)},
                {"store policy", writes},
                {"store miss", all(write_miss_names)},
                {"perfection", {"perfect"}}};
    }
    /// What `text` chooses: one name for any of the parts, joined by '+'; an empty one chooses the cache as it is.
    /// Throws `error` on a name that there is not, and on two for one part.
    static cache_choice choice_from(std::string_view text) {
        cache_choice choice;
        std::uint8_t* const chosen[] = {&choice.index, &choice.replacement, &choice.allocation,
                                        &choice.write, &choice.write_miss,  &choice.perfect};
        auto const named = words_in(text);
        for (std::size_t part = 0; part != named.size(); ++part)
            if (!named[part].word.empty())
                *chosen[part] = static_cast<std::uint8_t>(first_[part] + named[part].number);
        return choice;
    }
    /// What `text` chooses for a cache that is, in all parts that it does not name, as `base` says: of both a text for
    /// choice_from(), which throws where one of them is none. Of a store policy with which base's store miss does not
    /// go, the miss is no_allocate.
    static std::string choice_over(std::string_view base, std::string_view text) {
        auto const below = words_in(base);
        auto const above = words_in(text);
        constexpr std::size_t write = 3;
        constexpr std::size_t miss = 4;
        std::string all;
        for (std::size_t part = 0; part != above.size(); ++part) {
            auto word = above[part].word.empty() ? below[part].word : above[part].word;
            if (part == miss && above[part].word.empty() && !word.empty() && !above[write].word.empty() &&
                !goes_with(named_writes[above[write].number], static_cast<write_miss>(below[part].number)))
                word = name_of(write_miss::no_allocate);
            if (word.empty()) continue;
            if (!all.empty()) all += '+';
            all += word;
        }
        return all;
    }

    cache_counters const& counters() const noexcept {
        return is_perfect_ ? perfect_.counters() : Cache::counters();
    }
    void reset_counters() noexcept {
        if (is_perfect_) perfect_ = perfect_cache();
        Cache::reset_counters();
    }
    template <bool Whole = false>
    cache_result access(cache_access const& a) {
        if (is_perfect_) [[unlikely]]
            return perfect_.access(a);
        return Cache::template access<Whole>(a);
    }
    cache_outcome probe(cache_access const& a) const noexcept {
        return is_perfect_ ? cache_outcome::hit : Cache::probe(a);
    }
    bool keeps_stores(memory_space s) const noexcept { return is_perfect_ || Cache::keeps_stores(s); }
    bool contains(std::uint64_t address) const noexcept { return is_perfect_ || Cache::contains(address); }

    friend bool operator==(perfectible const&, perfectible const&) = default;
    template <class F>
    void each_member(F&& f) const {
        f(static_cast<Cache const&>(*this), perfect_, is_perfect_);
    }

private:
    /// What is named for a part.
    struct named_part {
        std::string_view word{}; ///< empty: nothing is
        std::size_t number = 0;  ///< among its names
    };
    static constexpr std::uint8_t first_[] = {0, 0, 0, 1,
                                              1, 1}; ///< the number of a part's first name in a cache_choice
    /// For each of the parts().
    static std::array<named_part, 6> words_in(std::string_view text) {
        std::array<named_part, 6> named;
        auto const all = parts();
        while (!text.empty()) {
            auto const end = text.find('+');
            auto const word = text.substr(0, end);
            text = end == text.npos ? std::string_view() : text.substr(end + 1);
            std::size_t part = 0;
            std::size_t number = 0;
            for (; part != all.size(); ++part) {
                auto const& names = all[part].names;
                for (number = 0; number != names.size() && names[number] != word;) ++number;
                if (number != names.size()) break;
            }
            if (part == all.size()) refuse_word(word, all);
            if (!named[part].word.empty())
                raise_error(error("'" + std::string(word) + "' is a second name for the part '" +
                                  std::string(all[part].kind) + "'; give one"));
            named[part] = {word, number};
        }
        return named;
    }
    [[noreturn]] static void refuse_word(std::string_view word, std::vector<cache_part> const& all) {
        std::string text = "there is no '" + std::string(word) + "'; there are";
        for (auto const& p : all)
            for (auto const name : p.names)
                text.append(p.kind == "index" && name == p.names[0] ? " " : ", ").append(name);
        raise_error(error(text + "; join several by +"));
    }

    perfect_cache perfect_{};
    bool is_perfect_ = false;
};

namespace detail {

template <class Cache>
struct with_alternatives;
template <class Index, class Replacement, class Allocation, class Write>
struct with_alternatives<cache<Index, Replacement, Allocation, Write>> {
    /// `Mine` in front, and each of `Others` that has another name.
    template <template <class...> class OneOf, class Mine, class... Others>
    struct in_front {
        template <class Seen, class... More>
        struct collect {
            using type = Seen;
        };
        template <class... Seen, class Next, class... More>
        struct collect<OneOf<Seen...>, Next, More...>
            : std::conditional_t<std::string_view(Next::name()) == std::string_view(Mine::name()),
                                 collect<OneOf<Seen...>, More...>, collect<OneOf<Seen..., Next>, More...>> {};
        using type = typename collect<OneOf<Mine>, Others...>::type;
    };
    using index = typename in_front<one_of_indices, Index, linear_index, xor_index, ipoly_index,
                                    fermi_hash_index>::type;
    using replacement = typename in_front<one_of_replacements, Replacement, lru, fifo, random_replacement,
                                          pseudo_lru, srrip_of<run_time>, ship, ship_mem, ship_warp,
                                          pcal_of<run_time>, prefetch_cache_of<run_time>, rlr>::type;
    using allocation = typename in_front<one_of_allocations, Allocation, on_miss, on_fill, streaming>::type;
    using type = perfectible<cache<index, replacement, allocation, any_write<Write>>>;
};

} // namespace detail

/// Cache with every index, replacement, allocation and write policy as an alternative to its own, and perfect if
/// wanted.
template <class Cache>
using with_alternatives = typename detail::with_alternatives<Cache>::type;

} // namespace warpkit
