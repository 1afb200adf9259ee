#pragma once
/// \file
/// The static program as timing and analyses see it: a list of instructions with registers, classes and targets.

#include <warpkit/program/static_instruction.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace warpkit {

/// A kernel's code: straight instructions, indexed from 0; calls are inlined into it or run as its further parts.
struct static_program {
    std::string name;
    std::vector<static_instruction> instructions;
    /// Where branches to many places may go, by the number that chooses; `no_target`: nowhere.
    std::vector<std::vector<std::uint32_t>> jump_tables;
    std::uint32_t registers = 0;            ///< distinct register_ids in use
    std::uint32_t registers_per_thread = 0; ///< 32-bit registers a thread occupies in the register file
    /// Whether that is an estimate, as of live ranges: a machine's compiler would spill what is more than its
    /// `core.max_registers_per_thread`. What a compiler has allocated holds as it is.
    bool registers_estimated = false;
    std::uint32_t shared_bytes = 0;      ///< static shared memory per CTA
    std::uint32_t instruction_bytes = 8; ///< size of one instruction in the instruction memory
    std::uint32_t code_begin = 0; ///< instructions before it in the instruction memory: where its code lies

    /// Byte address of instruction `index` within the program.
    std::uint32_t pc(std::uint32_t index) const noexcept { return index * instruction_bytes; }
};

} // namespace warpkit
