#pragma once
/// \file
/// Which registers of which warp wait for a result (docs/model/issue.md#scoreboard): reads and writes of pending
/// registers must not issue.
///
/// In the reference: `core::by_scoreboard` (reference/core.hpp).

#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/gpu/core/kernel_image.hpp>
#include <warpkit/machine/hazard.hpp>

#include <cstddef>
#include <cstdint>

namespace warpkit {

/// One bit per warp and register, and a second one that says whether the result comes from memory. Which of 64 classes
/// (register number modulo 64) have a pending register is kept, too: it answers most questions at once, and all of them
/// for kernels with up to 64 registers.
class scoreboard {
public:
    scoreboard() = default;
    scoreboard(unsigned warp_slots, std::uint32_t registers)
        : classes_(warp_slots),
          words_(registers == 0 ? 1 : (registers + 63) / 64),
          pending_(words_ == 1 ? 0 : std::size_t{warp_slots} * words_),
          from_memory_(pending_.size()) {}

    /// Whether classes tell all; then the shorter forms of what follows are enough.
    bool in_classes() const noexcept { return words_ == 1; }
    /// The worst hazard of `d` for this warp.
    hazard check(warp_slot w, decoded_instruction const& d, running_kernel const& code) const noexcept {
        if (in_classes() || (classes_[w.index()].pending & d.used) == 0) return check_class(w, d);
        return check_each(w, code.details(d));
    }
    hazard check_class(warp_slot w, decoded_instruction const& d) const noexcept {
        auto const& c = classes_[w.index()];
        auto const pending = c.pending & d.used;
        if (pending == 0) [[likely]]
            return hazard::none;
        return (c.from_memory & pending) != 0 ? hazard::memory : hazard::other;
    }
    void reserve(warp_slot w, decoded_instruction const& d, running_kernel const& code,
                 bool memory) noexcept {
        reserve_class(w, d, memory);
        if (!in_classes()) reserve_each(w, code.details(d), memory);
    }
    void reserve_class(warp_slot w, decoded_instruction const& d, bool memory) noexcept {
        auto& c = classes_[w.index()];
        c.pending |= d.written;
        if (memory) c.from_memory |= d.written;
    }
    void release(warp_slot w, decoded_instruction const& d, running_kernel const& code) noexcept {
        if (!in_classes()) return release_each(w, code.details(d));
        release_class(w, d);
    }
    void release_class(warp_slot w, decoded_instruction const& d) noexcept {
        auto& c = classes_[w.index()];
        c.pending &= ~d.written;
        c.from_memory &= ~d.written;
    }
    /// Whether a register of `w` waits for memory.
    bool awaits_memory(warp_slot w) const noexcept { return classes_[w.index()].from_memory != 0; }
    /// Whether any register of any warp is pending; checked when a kernel ends.
    bool clear() const noexcept {
        for (auto const& c : classes_)
            if (c.pending != 0) return false;
        return true;
    }

    friend bool operator==(scoreboard const&, scoreboard const&) = default;
    WARPKIT_STORED_MEMBERS(4)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(classes_, pending_, from_memory_);
    }

private:
    /// Of one warp.
    struct register_classes {
        std::uint64_t pending = 0;
        std::uint64_t from_memory = 0;
        friend bool operator==(register_classes const&, register_classes const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(pending, from_memory);
        }
    };

    [[gnu::noinline]] hazard check_each(warp_slot w, instruction_details const& d) const noexcept {
        auto const base = w.index() * words_;
        auto worst = hazard::none;
        for (unsigned k = 0; k < d.registers; ++k) {
            auto const at = base + d.reg[k] / 64U;
            auto const bit = std::uint64_t{1} << (d.reg[k] % 64);
            if ((pending_[at] & bit) == 0) continue;
            if ((from_memory_[at] & bit) != 0) return hazard::memory;
            worst = hazard::other;
        }
        return worst;
    }
    [[gnu::noinline]] void reserve_each(warp_slot w, instruction_details const& d, bool memory) noexcept {
        for (unsigned k = 0; k < d.destinations; ++k) {
            auto const at = w.index() * words_ + d.reg[k] / 64U;
            auto const bit = std::uint64_t{1} << (d.reg[k] % 64);
            pending_[at] |= bit;
            if (memory) from_memory_[at] |= bit;
        }
    }
    [[gnu::noinline]] void release_each(warp_slot w, instruction_details const& d) noexcept {
        auto const base = w.index() * words_;
        for (unsigned k = 0; k < d.destinations; ++k) {
            auto const at = base + d.reg[k] / 64U;
            auto const bit = std::uint64_t{1} << (d.reg[k] % 64);
            pending_[at] &= ~bit;
            from_memory_[at] &= ~bit;
        }
        register_classes left;
        for (std::size_t i = 0; i < words_; ++i) {
            left.pending |= pending_[base + i];
            left.from_memory |= from_memory_[base + i];
        }
        classes_[w.index()] = left;
    }

    heap_array<register_classes> classes_; ///< by warp
    std::size_t words_ = 1;
    heap_array<std::uint64_t> pending_; ///< by warp and word; not kept where the classes say all
    heap_array<std::uint64_t> from_memory_;
};

} // namespace warpkit
