#pragma once

#include <warpkit/base/standard.hpp>
#include <warpkit/base/stored_members.hpp>

#include <cstdint>

namespace warpkit::fetch {

/// Lines that were fetched ahead and not used yet, in a table of 64: one may be forgotten for another.
class prefetched_lines {
public:
    constexpr bool has(std::uint32_t line) const noexcept { return mark_[slot_of(line)] == line + 1; }
    constexpr void insert(std::uint32_t line) noexcept { mark_[slot_of(line)] = line + 1; }
    constexpr void erase(std::uint32_t line) noexcept {
        if (has(line)) mark_[slot_of(line)] = 0;
    }
    WARPKIT_STORED_MEMBERS(1)
    template <class F>
    constexpr void each_member(F&& f) const {
        for (auto const m : mark_) f(m);
    }
    friend bool operator==(prefetched_lines const&, prefetched_lines const&) = default;

private:
    static constexpr unsigned marks_ = 64;
    static constexpr unsigned slot_of(std::uint32_t line) noexcept {
        return (line >> 5 ^ line >> 11) % marks_; // lines are of at least 32 bytes
    }

    std::uint32_t mark_[marks_]{}; ///< 1 + the line; 0 for none
};

} // namespace warpkit::fetch
