#pragma once
/// \file
/// A cache of one's own in a machine: what its contract (cache/check.hpp) leaves out, answered plainly.

#include <warpkit/base/error.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/concepts.hpp>
#include <warpkit/cache/geometry.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace warpkit {

/// Numbers the fetches of `Own`, so that data which come in parts find theirs, and answers what `Own` does not. Both
/// engines have a machine's cache so, unless it tells ahead (tells_ahead), which is a matter of the fast engine alone.
template <class Own>
class plain_cache {
public:
    plain_cache() = default;
    /// Throws `error` if `Own` does.
    explicit plain_cache(cache_parameters const& p) : parameters_(p), own_(p) {}
    template <class Variant>
    static cache_choice choice_from(Variant const& v) requires requires {
        Own::choice_from(v);
    }
    { return Own::choice_from(v); }

    Own const& own() const noexcept { return own_; }
    /// The parameters of `Own`.
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.own_);
    }
    void parameters_set() { tell_parameters_set(own_); }
    cache_parameters const& parameters() const noexcept {
        if constexpr (requires { own_.parameters(); })
            return own_.parameters();
        else
            return parameters_;
    }
    cache_counters const& counters() const noexcept { return own_.counters(); }
    void invalidate_all() { own_.invalidate_all(); }
    /// Does nothing unless `Own` remembers who brought a line in.
    void disown([[maybe_unused]] warp_set const& warps) {
        if constexpr (requires { own_.disown(warps); }) own_.disown(warps);
    }
    /// Does nothing unless `Own` minds which warps there are, or how many may keep lines.
    void exited([[maybe_unused]] warp_set const& warps) {
        if constexpr (requires { own_.exited(warps); }) own_.exited(warps);
    }
    void granted([[maybe_unused]] unsigned warps) {
        if constexpr (requires { own_.granted(warps); }) own_.granted(warps);
    }
    static constexpr bool minds_warps() noexcept {
        return requires(Own & own, warp_set const& warps) { own.exited(warps); };
    }

    // ---- what a cache may say of itself

    /// Whether a store to this space that hits stays here (docs/model/cache.md#writes): no.
    bool keeps_stores([[maybe_unused]] memory_space s) const noexcept {
        if constexpr (requires { own_.keeps_stores(s); })
            return own_.keeps_stores(s);
        else
            return false;
    }
    /// Whether a store may fetch the sector that it lies in, so that it must lie in one: no.
    bool fetches_on_store() const noexcept {
        if constexpr (requires { own_.fetches_on_store(); })
            return own_.fetches_on_store();
        else
            return false;
    }
    /// Whether what was refused for want of a way may find one when the sector of `filled` has come: always.
    bool may_free_way([[maybe_unused]] std::uint64_t wanted,
                      [[maybe_unused]] std::uint64_t filled) const noexcept {
        if constexpr (requires { own_.may_free_way(wanted, filled); })
            return own_.may_free_way(wanted, filled);
        else
            return true;
    }
    /// Data that nobody asked for have come, from a memory-side prefetcher: are dropped. See cache::install.
    bool install([[maybe_unused]] std::uint64_t address, [[maybe_unused]] departed_line& departed) {
        if constexpr (requires { own_.install(address, departed); })
            return own_.install(address, departed);
        else
            return true;
    }
    bool contains(std::uint64_t address) const noexcept {
        return own_.probe({.address = address, .bytes = 1}) == cache_outcome::hit;
    }

    // ---- accesses

    template <bool = false>
    cache_result access(cache_access const& a) {
        auto const r = own_.access(a);
        if constexpr (!asks_below<Own>)
            if (r.answer != cache_answer::now)
                raise_error(
                    error({"a cache without requests(), front_request(), pop_request() and fill() asks "
                           "nothing of the "
                           "next level, and so must answer each access now; this one did not, at address ",
                           a.address}));
        return r;
    }
    cache_outcome probe(cache_access const& a) const noexcept { return own_.probe(a); }

    // ---- the next level

    std::size_t requests() const noexcept {
        if constexpr (asks_below<Own>)
            return own_.requests();
        else
            return 0;
    }
    bool has_request() const noexcept { return requests() != 0; }
    /// As `Own` has it, its `mshr` the number that the fetch will have. Precondition: has_request().
    lower_request front_request() const {
        lower_request r;
        if constexpr (asks_below<Own>) r = own_.front_request();
        if (r.kind == lower_kind::fetch) r.mshr = static_cast<std::uint16_t>(free_number());
        return r;
    }
    void pop_request() {
        if constexpr (asks_below<Own>) {
            auto const r = front_request();
            if (r.kind == lower_kind::fetch) {
                if (r.mshr == fetches_.size()) fetches_.emplace_back();
                fetches_[r.mshr] = {r.address, r.bytes, 0};
                ++under_way_;
            }
            own_.pop_request();
        }
    }
    /// MSHRs in use; fetches that have been handed over and not filled, unless `Own` says otherwise.
    std::uint32_t outstanding() const noexcept {
        if constexpr (requires { own_.outstanding(); })
            return own_.outstanding();
        else
            return under_way_;
    }
    bool idle() const noexcept { return under_way_ == 0 && !has_request(); }
    std::uint64_t fetched(std::uint32_t number) const noexcept { return fetches_[number].address; }
    /// `bytes` of that fetch have come. Whether all have: then fill_all() is to follow.
    bool count_part(std::uint32_t number, std::uint32_t bytes) noexcept {
        return (fetches_[number].arrived += bytes) >= fetches_[number].bytes;
    }
    template <class Sink>
    departed_line fill_all(std::uint32_t number, Sink&& sink) {
        auto const address = fetched(number);
        fetches_[number] = {};
        --under_way_;
        if constexpr (asks_below<Own>)
            return own_.fill(address, [&](std::uint32_t token) {
                if (token != no_token) sink(token);
            });
        else
            return {};
    }
    /// `bytes` of the fetch in which `address` lies have come.
    template <class Sink>
    departed_line fill(std::uint64_t address, std::uint32_t bytes, Sink&& sink, std::uint32_t = no_token) {
        auto const number = number_of(address);
        if (!count_part(number, bytes)) return {};
        return fill_all(number, static_cast<Sink&&>(sink));
    }
    /// All of it has.
    template <class Sink>
    departed_line fill(std::uint64_t address, Sink&& sink) {
        return fill_all(number_of(address), static_cast<Sink&&>(sink));
    }
    /// The fetch in which this address lies. Throws `error` if there is none.
    std::uint32_t number_of(std::uint64_t address) const {
        for (std::uint32_t n = 0; n < fetches_.size(); ++n)
            if (address - fetches_[n].address < fetches_[n].bytes) return n;
        raise_error(
            error({"cache: data came for address ", address, ", which no outstanding fetch asked for"}));
    }

    friend bool operator==(plain_cache const&, plain_cache const&) = default;
    WARPKIT_STORED_MEMBERS(4)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(own_, fetches_);
    }

private:
    struct fetch_under_way {
        std::uint64_t address = 0;
        std::uint32_t bytes = 0; ///< none: the number is free
        std::uint32_t arrived = 0;
        friend bool operator==(fetch_under_way const&, fetch_under_way const&) = default;
    };
    std::size_t free_number() const noexcept {
        std::size_t n = 0;
        while (n < fetches_.size() && fetches_[n].bytes != 0) ++n;
        return n;
    }

    cache_parameters parameters_{};
    Own own_{};
    std::vector<fetch_under_way> fetches_; ///< by number
    std::uint32_t under_way_ = 0;
};

/// A machine's cache as the fast engine has it.
template <class Cache>
using engine_cache = std::conditional_t<tells_ahead<Cache>, Cache, plain_cache<Cache>>;

} // namespace warpkit
