#pragma once
/// \file
/// A kernel decoded once for one machine: what the issue stage wants to know of each static instruction.
///
/// In the reference: `core::code`, which gives instructions as they are (reference/core.hpp).

#include <warpkit/base/error.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/machine/asynchronous_units.hpp>
#include <warpkit/machine/compiled_control.hpp>
#include <warpkit/machine/dependence_counters.hpp>
#include <warpkit/machine/launch.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/program/issue_class.hpp>
#include <warpkit/program/stream.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace warpkit {

/// One static instruction, ready to issue: what each issue looks at. Two of them are a line of the host's cache.
struct alignas(32) decoded_instruction {
    op_class kind = op_class::other;
    unit_kind unit = unit_kind::sp;
    issue_class told_as = issue_class::other;
    std::uint8_t access_bytes = 0;
    bool is_memory = false; ///< is for the load/store unit, and has no words of its own in the stream
    bool is_plain = false;  ///< takes a unit and writes registers, and that is all; no control bits
    bool barrier_in_stream : 1 = false;
    bool past_l1 : 1 = false;
    bool writes = false;       ///< any register
    std::uint32_t latency = 1; ///< issue to the cycle in which a dependent instruction can issue
    std::uint32_t initiation = 1;
    std::uint64_t used = 0;    ///< registers that must not be pending, by number modulo 64, as bits
    std::uint64_t written = 0; ///< the same for those written
};
static_assert(sizeof(decoded_instruction) == 32);

/// What is asked for of some instructions only.
struct instruction_details {
    static constexpr unsigned max_registers =
        static_instruction::max_destinations + static_instruction::max_sources;

    std::uint8_t registers = 0;    ///< distinct registers that must not be pending
    std::uint8_t destinations = 0; ///< the first so many of them are written
    std::uint8_t barrier = 0;
    std::uint8_t barrier_warps = 0;
    bool barrier_waits = true;
    async_use async;
    cluster_role cluster = cluster_role::none;
    control_bits control;
    counter_use counts; ///< of control bits
    std::uint32_t target = static_instruction::no_target;
    std::uint32_t execution = 1; ///< cycles in its unit
    std::uint8_t operands = 0;   ///< of register banks: distinct ones, wide ones by their first register
    std::uint8_t results = 0;    ///< the same of what is written
    std::array<register_id, max_registers> reg{};
    std::array<register_id, static_instruction::max_sources> operand{};
    std::array<std::uint8_t, static_instruction::max_sources> operand_slot{}; ///< the first place of each
    std::array<register_id, static_instruction::max_destinations> result{};

    /// Names one more register; those written come first.
    constexpr void add(register_id r, bool is_written) noexcept {
        for (unsigned k = 0; k < registers; ++k)
            if (reg[k] == r) return;
        reg[registers++] = r;
        destinations += is_written;
    }
};

/// A kernel on one machine. Immutable while it runs; shared by all cores.
class kernel_image {
public:
    kernel_image() = default;
    [[gnu::cold]] kernel_image(static_program const& program, core_numbers const& core)
        : registers_(program.registers),
          code_begin_(program.code_begin) {
        check_code(program);
        auto const all = as_compiled(program, core);
        details_ = heap_array<instruction_details>::of(
            all.size(), [&](std::size_t i) { return details_of(all[i], core); });
        code_ = heap_array<decoded_instruction>::of(
            all.size(), [&](std::size_t i) { return decode(all[i], details_[i], core); });
        for (auto const& d : details_)
            has_async_copies_ = has_async_copies_ || d.async.role == async_role::copy;
        uses_async_units_ = warpkit::uses_async_units(program);
    }

    decoded_instruction const* code() const noexcept { return code_.data(); }
    decoded_instruction const& operator[](std::uint32_t index) const noexcept { return code_[index]; }
    /// Of an instruction of this kernel.
    instruction_details const& details(decoded_instruction const& d) const noexcept {
        return details_[static_cast<std::size_t>(&d - code_.data())];
    }
    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(code_.size()); }
    std::uint32_t registers() const noexcept { return registers_; }
    /// Instructions before it in the instruction memory.
    std::uint32_t code_begin() const noexcept { return code_begin_; }
    /// Whether it copies to shared memory asynchronously.
    bool has_async_copies() const noexcept { return has_async_copies_; }
    /// Whether it has instructions for the units beside the warps.
    bool uses_async_units() const noexcept { return uses_async_units_; }
    /// Whether its instructions have control bits.
    bool has_control() const noexcept { return details_[0].control.given; }

private:
    static instruction_details details_of(static_instruction const& i, core_numbers const& core) {
        instruction_details d;
        d.execution = execution_time_of(core, i).latency;
        d.barrier = i.barrier;
        d.barrier_warps = i.barrier_warps;
        d.barrier_waits = i.barrier_waits;
        d.async = async_use_of(i);
        d.cluster = i.cluster;
        d.control = i.control;
        d.counts = counter_use(i);
        d.target = i.target;
        for (unsigned k = 0; k < i.destinations; ++k) d.add(i.destination[k], true);
        for (unsigned k = 0; k < i.sources; ++k) d.add(i.source[k], false);
        for (unsigned k = 0; k < i.destinations; ++k)
            if ((i.further_destinations >> k & 1) == 0) d.result[d.results++] = i.destination[k];
        std::uint8_t slot = 0;
        for (unsigned k = 0; k < i.sources; ++k) {
            if ((i.further_sources >> k & 1) != 0) continue;
            bool is_new = true;
            for (unsigned other = 0; other < d.operands; ++other) is_new &= d.operand[other] != i.source[k];
            if (is_new) {
                d.operand_slot[d.operands] = slot;
                d.operand[d.operands++] = i.source[k];
            }
            ++slot;
        }
        return d;
    }
    static decoded_instruction decode(static_instruction const& i, instruction_details const& more,
                                      core_numbers const& core) {
        decoded_instruction d;
        d.kind = i.kind;
        d.unit = unit_for(core, i.kind);
        d.told_as = issue_class_of(i);
        d.access_bytes = i.access_bytes;
        d.is_memory = i.is_memory() && !has_words(i.async);
        d.is_plain = (d.told_as == issue_class::arithmetic || d.told_as == issue_class::special_function) &&
                     i.kind != op_class::fence && !i.control.given && i.async == async_role::none;
        d.barrier_in_stream = i.barrier_in_stream;
        d.past_l1 = i.past_l1;
        d.writes = more.destinations != 0;
        auto const time = execution_time_of(core, i);
        d.latency = core.operand_cycles + time.latency + core.writeback_cycles;
        d.initiation = time.initiation;
        for (unsigned k = 0; k < more.registers; ++k) {
            auto const bit = std::uint64_t{1} << more.reg[k] % 64;
            d.used |= bit;
            if (k < more.destinations) d.written |= bit;
        }
        return d;
    }

    heap_array<decoded_instruction> code_;
    heap_array<instruction_details> details_; ///< of the same
    std::uint32_t registers_ = 0;
    std::uint32_t code_begin_ = 0;
    bool has_async_copies_ = false;
    bool uses_async_units_ = false;
};

/// What a core looks at of the kernel that it runs, at hand.
class running_kernel {
public:
    static constexpr bool made_again = true; ///< (machine/state_archive.hpp)
    running_kernel() = default;
    running_kernel(kernel_image const& i) noexcept : code_(i.code()), details_(&i.details(i[0])) {}

    decoded_instruction const& operator[](std::uint32_t index) const noexcept { return code_[index]; }
    /// Of an instruction of this kernel.
    instruction_details const& details(decoded_instruction const& d) const noexcept {
        return details_[&d - code_];
    }
    std::uint32_t index_of(decoded_instruction const& d) const noexcept {
        return static_cast<std::uint32_t>(&d - code_);
    }
    friend bool operator==(running_kernel const&, running_kernel const&) = default;

private:
    decoded_instruction const* code_ = nullptr;
    instruction_details const* details_ = nullptr;
};

} // namespace warpkit
