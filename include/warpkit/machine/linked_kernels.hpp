#pragma once
/// \file
/// Kernels that share cores, as one kernel to each core (docs/model/dispatch.md#shared-cores): their code as one
/// program, their CTAs under numbers of their own.

#include <warpkit/base/error.hpp>
#include <warpkit/machine/compiled_control.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/launch.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/program/launch_group.hpp>
#include <warpkit/program/stream.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {

/// Made for a group of launches; does not change. A program that several launch is there once.
class linked_kernels {
public:
    /// Throws `error` where some have control bits, and others none.
    [[gnu::cold]] linked_kernels(gpu_parameters const& p, launch_group const& group) {
        place_programs(p, group);
        memory_before_.assign(1, 0);
        other_before_.assign(1, 0);
        for (auto const& i : program_.instructions) {
            memory_before_.push_back(memory_before_.back() + i.is_memory());
            other_before_.push_back(other_before_.back() + (i.kind == op_class::other));
        }
        describe(p, group);
    }

    linked_kernels(linked_kernels const&) = delete;
    linked_kernels& operator=(linked_kernels const&) = delete;

    /// What a core is told of: as a kernel, the CTAs of which are as large as the largest, without addresses.
    kernel_launch const& launch() const noexcept { return launch_; }
    static_program const& program() const noexcept { return program_; }
    /// The most CTAs that a core holds at once.
    unsigned fit() const noexcept { return fit_; }
    /// The number of the first CTA of launch `k`: they are numbered through, in the order of launches.
    std::uint64_t first_cta(unsigned k) const noexcept { return first_cta_[k]; }
    /// The launch that the CTA of this number is of.
    unsigned launch_of(std::uint64_t cta) const noexcept {
        auto const behind = std::upper_bound(first_cta_.begin(), first_cta_.end(), cta);
        return static_cast<unsigned>(behind - first_cta_.begin()) - 1;
    }
    unsigned launches() const noexcept { return static_cast<unsigned>(first_cta_.size()); }
    /// Makes the streams of a CTA of launch `k` those of the linked program; counts its instructions in `to`.
    void link(unsigned k, cta_stream& s, core_counters& to) const {
        for (auto& w : s.warps) {
            w.move_code(code_[k]);
            to.warp_instructions += w.size();
            for (auto const& r : w.runs()) {
                auto const behind = r.first + r.count;
                to.thread_instructions += std::uint64_t{r.count} * count_lanes(r.mask);
                to.memory_instructions += memory_before_[behind] - memory_before_[r.first];
                to.other_instructions += other_before_[behind] - other_before_[r.first];
            }
        }
    }

private:
    static constexpr std::size_t longest_gap_ = 65536; ///< instructions

    /// In the order of their places in the instruction memory, and there where they would lie alone, or behind the one
    /// before, if they overlapped or lay very far behind it; between them is what nobody runs.
    void place_programs(gpu_parameters const& p, launch_group const& group) {
        static constexpr auto unplaced = ~std::uint32_t{0};
        code_.assign(group.size(), unplaced);
        for (;;) {
            static_program const* next = nullptr;
            for (std::size_t k = 0; k < group.size(); ++k) {
                auto const* const one = group[k].launch.program;
                if (code_[k] == unplaced && (next == nullptr || one->code_begin < next->code_begin))
                    next = one;
            }
            if (next == nullptr) return;
            auto const at = add(p, *next);
            for (std::size_t k = 0; k < group.size(); ++k)
                if (group[k].launch.program == next) code_[k] = at;
        }
    }
    /// The number of its first instruction.
    std::uint32_t add(gpu_parameters const& p, static_program const& one) {
        auto& all = program_.instructions;
        auto code = as_compiled(one, p.core);
        if (all.empty()) {
            program_.instruction_bytes = one.instruction_bytes;
            program_.code_begin = one.code_begin;
        }
        program_.name += (all.empty() ? "" : " and ") + one.name;
        program_.registers = std::max(program_.registers, one.registers);
        program_.registers_per_thread = std::max(program_.registers_per_thread, one.registers_per_thread);
        if (!all.empty() && code.front().control.given != all.front().control.given)
            throw error(
                {"kernels are to share cores, but some have control bits, and '", one.name,
                 "' differs from another one; give them to all or to none, or choose a kernel dispatch "
                 "that gives whole cores: leftover or spatial_multitasking"});
        static_instruction gap;
        gap.control.given = code.front().control.given;
        auto const alone =
            std::min<std::size_t>(one.code_begin - program_.code_begin, all.size() + longest_gap_);
        all.resize(std::max(all.size(), alone), gap);
        auto const first = static_cast<std::uint32_t>(all.size());
        auto const tables = static_cast<std::uint32_t>(program_.jump_tables.size());
        auto const move = [](std::uint32_t& to, std::uint32_t by) {
            if (to != static_instruction::no_target) to += by;
        };
        for (auto& i : code) {
            move(i.target, first);
            move(i.jump_table, tables);
            all.push_back(i);
        }
        for (auto table : one.jump_tables) {
            for (auto& to : table) move(to, first);
            program_.jump_tables.push_back(std::move(table));
        }
        return first;
    }
    void describe(gpu_parameters const& p, launch_group const& group) {
        std::uint64_t ctas = 0, shared = 0;
        auto fewest = ~0U, most = 1U; // warps of a CTA
        for (auto const& l : group) {
            first_cta_.push_back(ctas);
            ctas += l.launch.ctas();
            shared += std::uint64_t{l.launch.shared_bytes} * ctas_per_core(p, l.launch);
            fewest = std::min(fewest, l.launch.warps_per_cta());
            most = std::max(most, l.launch.warps_per_cta());
        }
        fit_ = std::min(p.core.ctas, p.core.threads / lanes / fewest);
        launch_.program = &program_;
        launch_.grid = {1, 1, 1};
        launch_.block = {most * lanes, 1, 1};
        // As much as they can take together, which the L1 leaves to them.
        launch_.shared_bytes = static_cast<std::uint32_t>(
            (std::min<std::uint64_t>(shared, p.core.shared_bytes) + fit_ - 1) / fit_);
    }

    static_program program_;
    kernel_launch launch_;
    unsigned fit_ = 1;
    std::vector<std::uint32_t> code_;          ///< by launch: where its program begins
    std::vector<std::uint64_t> first_cta_;     ///< by launch
    std::vector<std::uint64_t> memory_before_; ///< by instruction: those of memory in front of it; and ...
    std::vector<std::uint64_t> other_before_;  ///< ... those of no class
};

} // namespace warpkit
