#pragma once
/// \file
/// Asynchronous copies from global to shared memory (LDGSTS, cp.async), and who waits for them.
///
/// In the reference: `core::waits_for_copies` (reference/core.hpp).

#include <warpkit/base/slot.hpp>

#include <cstdint>
#include <vector>

namespace warpkit {

/// Each warp's copies under way, by the groups in which they are waited for: a commit (LDGDEPBAR) ends a group, a wait
/// (DEPBAR.LE SB0, n) holds its warp until at most the last n committed groups have copies under way.
/// Source: PTX ISA, "cp.async.commit_group" and "cp.async.wait_group".
/// Differs from it: copies of one static instruction are taken to arrive in the order in which they were issued; it
/// matters where those of two groups overtake each other.
class async_copies {
    struct copy {
        std::uint32_t instruction = 0;
        std::uint32_t group = 0;
        friend bool operator==(copy const&, copy const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(instruction, group);
        }
    };
    struct warp_copies {
        std::vector<copy> pending; ///< in the order of issue
        std::uint32_t committed = 0;
        friend bool operator==(warp_copies const&, warp_copies const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(pending, committed);
        }
    };

public:
    async_copies() = default;
    explicit async_copies(unsigned warp_slots) : warp_(warp_slots) {}
    /// Whether the kernel has any; without them nothing else may be called.
    bool in_use() const noexcept { return !warp_.empty(); }

    /// A new warp is in this slot.
    void launch(warp_slot w) noexcept {
        warp_[w.index()].pending.clear();
        warp_[w.index()].committed = 0;
    }
    void issue(warp_slot w, std::uint32_t instruction) {
        auto& c = warp_[w.index()];
        c.pending.push_back({instruction, c.committed});
    }
    void commit(warp_slot w) noexcept { ++warp_[w.index()].committed; }
    /// The data of a copy by this instruction has come.
    void arrive(warp_slot w, std::uint32_t instruction) noexcept {
        auto& all = warp_[w.index()].pending;
        for (auto c = all.begin(); c != all.end(); ++c)
            if (c->instruction == instruction) {
                all.erase(c);
                return;
            }
    }
    /// Whether a wait that lets the last `groups` be must go on.
    bool must_wait(warp_slot w, std::uint32_t groups) const noexcept {
        auto const& c = warp_[w.index()];
        return !c.pending.empty() && std::uint64_t{c.pending.front().group} + groups < c.committed;
    }

    friend bool operator==(async_copies const&, async_copies const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(warp_);
    }

private:
    std::vector<warp_copies> warp_;
};

} // namespace warpkit
