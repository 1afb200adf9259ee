#pragma once
/// \file
/// Pages that are known: the store of a TLB.
///
/// In the reference: `page_buffer` (reference/translation.hpp).

#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/stored_members.hpp>

#include <cstddef>
#include <cstdint>

namespace warpkit {

/// Numbers, way by way within a set; the one whose use lies farthest back goes. One without entries keeps nothing.
class page_buffer {
public:
    page_buffer() = default;
    [[gnu::cold]] page_buffer(std::uint32_t entries, std::uint32_t ways)
        : page_(entries),
          used_(entries),
          ways_(entries == 0 ? 0 : ways),
          sets_(entries == 0 ? 1 : entries / ways) {}

    /// Whether it is there; it has been used then.
    bool use(std::uint64_t page) noexcept {
        auto const at = find(page);
        if (at == page_.size()) return false;
        used_[at] = ++now_;
        return true;
    }
    bool contains(std::uint64_t page) const noexcept { return find(page) != page_.size(); }
    void insert(std::uint64_t page) noexcept {
        if (ways_ == 0 || use(page)) return;
        auto const first = first_of(page);
        auto oldest = first;
        for (auto i = first; i != first + ways_; ++i)
            if (used_[i] < used_[oldest]) oldest = i;
        page_[oldest] = page;
        used_[oldest] = ++now_;
    }
    friend bool operator==(page_buffer const&, page_buffer const&) = default;
    WARPKIT_STORED_MEMBERS(5)
    template <class F>
    void each_member(F&& f) const {
        f(page_, used_, now_);
    }

private:
    std::size_t first_of(std::uint64_t page) const noexcept {
        return static_cast<std::size_t>(page % sets_) * ways_;
    }
    /// size(): it is not there.
    std::size_t find(std::uint64_t page) const noexcept {
        auto const first = first_of(page);
        for (auto i = first; i != first + ways_; ++i)
            if (page_[i] == page && used_[i] != 0) return i;
        return page_.size();
    }
    heap_array<std::uint64_t> page_;
    heap_array<std::uint64_t> used_; ///< when; 0: there is none
    std::uint64_t now_ = 0;
    std::uint32_t ways_ = 0;
    std::uint32_t sets_ = 1;
};

} // namespace warpkit
