#pragma once
/// \file
/// Tables of strides, as prefetchers train them: a few entries that are searched all at once, the least recently used
/// of which makes room.

#include <warpkit/base/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// The strides that fit the 20 bits of a table.
constexpr bool is_short_stride(std::int64_t s) noexcept { return s >= -(1 << 19) && s < (1 << 19); }

/// A table of Entry, a regular value with each_member, by `is_it(entry)`.
template <class Entry>
class lru_table {
public:
    lru_table() = default;
    explicit lru_table(std::size_t entries) : place_(entries) {}

    /// The entry, which is then the one that was used last; null if there is none.
    template <class Is>
    Entry* find(Is const& is_it) noexcept {
        for (auto& p : place_)
            if (p.used != 0 && is_it(p.entry)) {
                p.used = ++uses_;
                return &p.entry;
            }
        return nullptr;
    }
    /// Puts an entry in, in place of the one that was not used for longest. Precondition: it is not there.
    Entry& insert(Entry const& e) noexcept {
        auto* oldest = place_.data();
        for (auto& p : place_)
            if (p.used < oldest->used) oldest = &p;
        *oldest = {e, ++uses_};
        return oldest->entry;
    }
    template <class F>
    void each(F const& f) const {
        for (auto const& p : place_)
            if (p.used != 0) f(p.entry);
    }
    template <class Is>
    void erase(Is const& is_it) noexcept {
        for (auto& p : place_)
            if (p.used != 0 && is_it(p.entry)) p = {};
    }
    void clear() noexcept {
        for (auto& p : place_) p = {};
    }
    std::size_t size() const noexcept { return place_.size(); }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(place_, uses_);
    }
    friend bool operator==(lru_table const&, lru_table const&) = default;

private:
    struct place {
        Entry entry{};
        std::uint64_t used = 0; ///< when last; 0: free
        template <class F>
        constexpr void each_member(F&& f) const {
            f(entry, used);
        }
        friend bool operator==(place const&, place const&) = default;
    };
    std::vector<place> place_;
    std::uint64_t uses_ = 0;
};

/// What a load instruction of a warp does from one execution to the next.
struct warp_stride {
    std::uint32_t pc = 0;
    std::uint32_t warp = 0; ///< slot
    std::uint64_t last = 0; ///< address
    std::int64_t stride = 0;
    bool trained = false; ///< the same stride twice in a row

    /// The next execution.
    constexpr void train(std::uint64_t address) noexcept {
        auto const now = static_cast<std::int64_t>(address - last);
        trained = now == stride && now != 0 && is_short_stride(now);
        stride = now;
        last = address;
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(pc, warp, last, stride, trained);
    }
    friend bool operator==(warp_stride const&, warp_stride const&) = default;
};

} // namespace warpkit
