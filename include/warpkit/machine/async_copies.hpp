#pragma once
/// \file
/// Asynchronous copies from global to shared memory (LDGSTS, cp.async), and who waits for them: in both engines.

#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// Each warp's copies under way, by the groups in which they are waited for: a commit (LDGDEPBAR) ends a group, a wait
/// (DEPBAR.LE SB0, n) holds its warp until at most the last n committed groups have copies under way.
/// Source: PTX ISA, "cp.async.commit_group" and "cp.async.wait_group".
/// Differs from it: copies of one static instruction are taken to arrive in the order in which they were issued; it
/// matters where those of two groups overtake each other.
class async_copies {
public:
    async_copies() = default;
    explicit async_copies(unsigned warp_slots) : committed_(warp_slots) {}
    /// Whether the kernel has any; without them nothing else may be called.
    bool in_use() const noexcept { return !committed_.empty(); }

    /// A new warp is in this slot.
    void launch(warp_slot w) noexcept {
        for (auto i = first_of(w); i != group_.size(); i = first_of(w)) remove(i);
        committed_[w.index()] = 0;
    }
    void issue(warp_slot w, std::uint32_t instruction) {
        copy_.push_back(std::uint64_t{w.index()} << 32 | instruction);
        group_.push_back(committed_[w.index()]);
    }
    void commit(warp_slot w) noexcept { ++committed_[w.index()]; }
    /// The data of a copy by this instruction has come.
    void arrive(warp_slot w, std::uint32_t instruction) noexcept {
        auto const wanted = std::uint64_t{w.index()} << 32 | instruction;
        for (std::size_t i = 0; i < copy_.size(); ++i)
            if (copy_[i] == wanted) return remove(i);
    }
    /// Whether a wait that lets the last `groups` be must go on.
    bool must_wait(warp_slot w, std::uint32_t groups) const noexcept {
        auto const i = first_of(w);
        return i != group_.size() && std::uint64_t{group_[i]} + groups < committed_[w.index()];
    }

    friend bool operator==(async_copies const&, async_copies const&) = default;
    WARPKIT_STORED_MEMBERS(3)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(copy_, group_, committed_);
    }

private:
    std::size_t first_of(warp_slot w) const noexcept {
        std::size_t i = 0;
        while (i != copy_.size() && copy_[i] >> 32 != w.index()) ++i;
        return i;
    }
    void remove(std::size_t i) noexcept {
        copy_.erase(copy_.begin() + static_cast<std::ptrdiff_t>(i));
        group_.erase(group_.begin() + static_cast<std::ptrdiff_t>(i));
    }

    // Copies under way of all warps, in the order of issue: few enough to be looked through.
    std::vector<std::uint64_t> copy_;      ///< warp slot and instruction
    std::vector<std::uint32_t> group_;     ///< of each
    std::vector<std::uint32_t> committed_; ///< groups, by warp slot
};

} // namespace warpkit
