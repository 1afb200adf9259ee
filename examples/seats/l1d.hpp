#pragma once
// The seat `l1d`: what the L1 data cache keeps. The contract is in warpkit/cache/concepts.hpp.
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/fermi_index.hpp>

#include <bit>
#include <cstdint>
#include <vector>

namespace seats_of_mine {

using namespace warpkit;

/// Evicts the ways of a set in turn.
class my_replacement {
public:
    static constexpr char const* name() noexcept { return "my_replacement"; }
    my_replacement() = default;
    my_replacement(std::uint32_t sets, std::uint32_t) : last_(sets) {}
    void used(std::uint32_t, std::uint32_t) noexcept {}
    void inserted(std::uint32_t set, std::uint32_t way) noexcept { last_[set] = way; }
    std::uint32_t victim(std::uint32_t set, std::uint64_t eligible) const noexcept {
        auto const behind = last_[set] == 63 ? 0 : eligible >> (last_[set] + 1) << (last_[set] + 1);
        return static_cast<std::uint32_t>(std::countr_zero(behind != 0 ? behind : eligible));
    }
    template <class F>
    void each_member(F&& f) const {
        f(last_);
    }
    friend bool operator==(my_replacement const&, my_replacement const&) = default;

private:
    std::vector<std::uint32_t> last_; // by set
};
using my_l1d = cache<fermi_index, my_replacement, on_miss, local_back_global_evict<write_miss::no_allocate>>;

} // namespace seats_of_mine
