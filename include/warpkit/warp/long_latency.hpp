#pragma once
/// \file
/// When does GPGPU-Sim's two-level scheduler think that a warp waits for a long operation?

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/program/static_instruction.hpp>
#include <warpkit/warp/concepts.hpp>

#include <cstdint>

namespace warpkit {

/// A warp does so while its next instruction needs the outstanding result of a load from global, local, parameter or
/// texture memory: marks as they should be, gone when the data has come.
class waits_for_load {
public:
    static constexpr char const* name() noexcept { return "waits_for_load"; }

    constexpr warp_set warps() const noexcept { return waiting_; }

    constexpr void on(kernel_began const&) noexcept { *this = {}; }
    constexpr void on(cta_launched const& e) noexcept { waiting_ -= e.warps; }
    constexpr void on(blocked const& e) noexcept {
        if (e.reason == block_reason::memory) waiting_.insert(e.warp);
    }
    constexpr void on(unblocked const& e) noexcept {
        if (e.reason == block_reason::memory) waiting_.erase(e.warp);
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}.add("warps that wait for a load", shape.warp_slots);
    }
    friend bool operator==(waits_for_load const&, waits_for_load const&) = default;

private:
    warp_set waiting_;
};

/// GPGPU-Sim's marks as they are (`gpgpusim_compat`, docs/model/warp_scheduling.md#sticky-marks): the destination of a
/// load is marked, and the mark stays when the data has come, until something that is no load writes the register. A
/// warp whose next instruction reads a marked register counts as waiting, ready or not. Address registers are not
/// looked at; so a load never waits.
/// Differs from GPGPU-Sim: a mark goes when the other writer issues, not when it has written (in between its readers
/// wait anyway); of stores and atomics, the registers that hold addresses are looked at, too, since static instructions
/// do not tell them apart; registers are told apart modulo 512. Without a program nothing is marked.
/// Hardware cost: one bit per warp and register, of 64 registers.
class sticky_load_marks {
public:
    static constexpr char const* name() noexcept { return "sticky_load_marks"; }

    constexpr warp_set warps() const noexcept { return waiting_; }

    constexpr void on(kernel_began const& e) {
        *this = {};
        code_ = e.code;
        instruction_bytes_ = e.instruction_bytes;
    }
    constexpr void on(cta_launched const& e) noexcept {
        e.warps.for_each([this](warp_slot w) { marks_[w.index()] = {}; });
        waiting_ -= e.warps;
    }
    constexpr void on(issued const& e) noexcept {
        waiting_.erase(e.warp);
        if (code_ == nullptr) return;
        auto const& i = at(e.pc);
        bool const load = e.kind == issue_class::load || e.kind == issue_class::atomic;
        for (unsigned k = 0; k < i.destinations; ++k) marks_[e.warp.index()].assign(i.destination[k], load);
    }
    constexpr void on(next_decoded const& e) noexcept {
        if (code_ == nullptr) return;
        waiting_.assign(e.warp, reads_marked(marks_[e.warp.index()], at(e.pc)));
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}.add("marks of registers", std::uint64_t{shape.warp_slots} * 64);
    }
    WARPKIT_STORED_MEMBERS(4)
    template <class F>
    constexpr void each_member(F&& f) const {
        hasher h;
        for (auto const& m : marks_) hash_into(h, m);
        f(waiting_, h.value(), instruction_bytes_);
    }
    friend bool operator==(sticky_load_marks const&, sticky_load_marks const&) = default;

private:
    struct register_marks {
        std::uint64_t word[8]{};
        constexpr void assign(register_id r, bool mark) noexcept {
            auto& w = word[r / 64 % 8];
            w = (w & ~(std::uint64_t{1} << r % 64)) | std::uint64_t{mark} << r % 64;
        }
        constexpr bool contains(register_id r) const noexcept {
            return (word[r / 64 % 8] >> r % 64 & 1) != 0;
        }
        friend bool operator==(register_marks const&, register_marks const&) = default;
    };

    constexpr static_instruction const& at(std::uint32_t pc) const noexcept {
        return code_[pc / instruction_bytes_];
    }
    static constexpr bool reads_marked(register_marks const& marks, static_instruction const& i) noexcept {
        if (i.kind == op_class::load) return false;
        for (unsigned k = 0; k < i.sources; ++k)
            if (marks.contains(i.source[k])) return true;
        return false;
    }

    register_marks marks_[warp_set::width]{};
    warp_set waiting_; ///< their next instruction reads a marked register
    static_instruction const* code_ = nullptr;
    std::uint32_t instruction_bytes_ = 8;
};

} // namespace warpkit
