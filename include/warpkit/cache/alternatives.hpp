#pragma once
/// \file
/// Caches whose index and replacement are chosen when they are made, and which may be perfect: for a program that offers
/// its user the choice and does not want to be compiled once for each. Who does not choose keeps the first alternative,
/// and pays for the question: some instructions an access.

#include <warpkit/base/error.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/fermi_hash_index.hpp>
#include <warpkit/cache/fifo.hpp>
#include <warpkit/cache/geometry.hpp>
#include <warpkit/cache/ipoly_index.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/perfect_cache.hpp>
#include <warpkit/cache/pseudo_lru.hpp>
#include <warpkit/cache/random_replacement.hpp>
#include <warpkit/cache/srrip.hpp>
#include <warpkit/cache/xor_index.hpp>

#include <cstdint>
#include <string_view>
#include <type_traits>

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
    static constexpr char const* name = First::name;
    static void check(cache_geometry const& g, std::uint32_t chosen = 0) {
        if (chosen == 0) return First::check(g);
        if constexpr (sizeof...(Rest) != 0) one_of_indices<Rest...>::check(g, chosen - 1);
    }
    static constexpr std::uint32_t count = 1 + sizeof...(Rest);
    /// The number of the one of that name; `count` if there is none.
    static constexpr std::uint32_t number_of(std::string_view wanted) noexcept {
        std::uint32_t n = 0;
        bool found = wanted == First::name;
        ((found || (++n, found = wanted == Rest::name)), ...);
        return found ? n : count;
    }
    /// All names, with commas.
    static std::string names() { return (std::string(First::name) + ... + (std::string(", ") + Rest::name)); }

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
    static constexpr char const* name = First::name;
    static constexpr std::uint32_t count = 1 + sizeof...(Rest);
    /// As in one_of_indices.
    static constexpr std::uint32_t number_of(std::string_view wanted) noexcept {
        std::uint32_t n = 0;
        bool found = wanted == First::name;
        ((found || (++n, found = wanted == Rest::name)), ...);
        return found ? n : count;
    }
    static std::string names() { return (std::string(First::name) + ... + (std::string(", ") + Rest::name)); }

    one_of_replacements() = default;
    one_of_replacements(std::uint32_t sets, std::uint32_t ways, std::uint32_t chosen = 0)
        : chosen_(chosen),
          first_(chosen == 0 ? First(sets, ways) : First()),
          rest_(make_rest(sets, ways, chosen)) {}

    void used(std::uint32_t set, std::uint32_t way) noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) [[unlikely]]
                return rest_.used(set, way);
        first_.used(set, way);
    }
    void inserted(std::uint32_t set, std::uint32_t way) noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) return rest_.inserted(set, way);
        first_.inserted(set, way);
    }
    void removed(std::uint32_t set, std::uint32_t way) noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) return rest_.removed(set, way);
        if constexpr (hears_removals<First>) first_.removed(set, way);
    }
    std::uint32_t victim(std::uint32_t set, std::uint64_t eligible) const noexcept {
        if constexpr (sizeof...(Rest) != 0)
            if (chosen_ != 0) return rest_.victim(set, eligible);
        return first_.victim(set, eligible);
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

/// A cache, or a perfect one with the same numbers (perfect_cache): OWL's PMEM as an L1, its Perfect-L2 as an L2. A perfect
/// one asks nothing of the next level.
template <class Cache>
class perfectible : public Cache {
public:
    using inner_cache = Cache;

    perfectible() = default;
    explicit perfectible(cache_parameters const& p) : Cache(p) {
        if (p.choice.perfect) perfect_ = perfect_cache(p);
        is_perfect_ = p.choice.perfect;
    }
    /// What `text` chooses: names of an index and a replacement, and "perfect", joined by '+'; an empty one chooses the
    /// cache as it is. Throws `error` on a name that there is not.
    static cache_choice choice_from(std::string_view text) {
        using index = typename Cache::index_policy;
        using replacement = typename Cache::replacement_policy_type;
        cache_choice choice;
        while (!text.empty()) {
            auto const end = text.find('+');
            auto const word = text.substr(0, end);
            text = end == text.npos ? std::string_view() : text.substr(end + 1);
            auto const i = index::number_of(word);
            auto const r = replacement::number_of(word);
            if (word == "perfect")
                choice.perfect = true;
            else if (i != index::count)
                choice.index = static_cast<std::uint8_t>(i);
            else if (r != replacement::count)
                choice.replacement = static_cast<std::uint8_t>(r);
            else
                throw error("there is no '" + std::string(word) + "'; choose among the indices " +
                            index::names() + ", the replacement policies " + replacement::names() +
                            ", and perfect; join several by +");
        }
        return choice;
    }

    cache_counters const& counters() const noexcept {
        return is_perfect_ ? perfect_.counters() : Cache::counters();
    }
    void reset_counters() noexcept {
        perfect_.reset_counters();
        Cache::reset_counters();
    }
    cache_result access(cache_access const& a) {
        if (is_perfect_) [[unlikely]]
            return perfect_.access(a);
        return Cache::access(a);
    }
    cache_outcome probe(cache_access const& a) const noexcept {
        return is_perfect_ ? cache_outcome::hit : Cache::probe(a);
    }
    bool contains(std::uint64_t address) const noexcept { return is_perfect_ || Cache::contains(address); }

    friend bool operator==(perfectible const&, perfectible const&) = default;
    template <class F>
    void each_member(F&& f) const {
        f(static_cast<Cache const&>(*this), perfect_, is_perfect_);
    }

private:
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
            : std::conditional_t<std::string_view(Next::name) == std::string_view(Mine::name),
                                 collect<OneOf<Seen...>, More...>, collect<OneOf<Seen..., Next>, More...>> {};
        using type = typename collect<OneOf<Mine>, Others...>::type;
    };
    using index = typename in_front<one_of_indices, Index, linear_index, xor_index, ipoly_index,
                                    fermi_hash_index>::type;
    using replacement = typename in_front<one_of_replacements, Replacement, lru, fifo, random_replacement,
                                          pseudo_lru, srrip>::type;
    using type = perfectible<cache<index, replacement, Allocation, Write>>;
};

} // namespace detail

/// Cache with every index and replacement as an alternative to its own, and perfect if wanted.
template <class Cache>
using with_alternatives = typename detail::with_alternatives<Cache>::type;

} // namespace warpkit
