#pragma once
/// \file
/// A kernel ready to run: a static_program for timing and a list of operations to execute, with the same instruction
/// indices.

#include <warpkit/frontend/ptx/ast.hpp>
#include <warpkit/frontend/ptx/code_order.hpp>
#include <warpkit/frontend/ptx/loaded_module.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/frontend/ptx/translator.hpp>
#include <warpkit/program/control_flow.hpp>
#include <warpkit/program/instruction.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::ptx {

struct made_code;

/// One parameter of a kernel, as the host lays it out.
struct kernel_parameter {
    std::string name;
    scalar type = scalar::none; ///< of the elements, for arrays
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint32_t align = 1;
};

/// A kernel ready to run. A regular value, but it refers to its loaded_module, which must outlive it.
class kernel {
public:
    /// A special register that the kernel reads: executors fill its slot for each warp.
    struct special_slot {
        special_register which{};
        std::uint32_t slot = 0;
        std::uint8_t bytes = 4;
    };

    /// Prepares the entry of this name (exact, or a part that only one has). Throws warpkit::error for what is parsed
    /// but cannot be run.
    kernel(loaded_module const& m, std::string_view name, code_order order = code_order::as_written);

    static_program const& program() const noexcept { return program_; }
    control_flow const& flow() const noexcept { return flow_; }
    std::string const& name() const noexcept { return program_.name; }
    loaded_module const& home() const noexcept { return *module_; }
    std::vector<kernel_parameter> const& parameters() const noexcept { return parameters_; }
    /// Bytes of the argument block, without padding at its end.
    std::uint64_t parameter_bytes() const noexcept { return parameter_bytes_; }
    std::uint32_t parameter_align() const noexcept { return parameter_align_; }
    /// Static shared memory per CTA; dynamic shared memory begins at `dynamic_shared_offset()`.
    std::uint32_t shared_bytes() const noexcept { return program_.shared_bytes; }
    std::uint32_t dynamic_shared_offset() const noexcept { return program_.shared_bytes; }
    /// Local memory per thread, without the stack.
    std::uint64_t local_bytes() const noexcept { return local_bytes_; }
    /// Whether a function of it may call itself, so that each thread has a stack behind its local memory.
    bool recurses() const noexcept { return recurses_; }
    /// Where instruction `i` stands in the text, "name:line", and, where .loc says it, in the program's own source:
    /// "name:line (file:line)".
    std::string place(std::uint32_t i) const {
        auto text = module_->source().name + ":" + std::to_string(program_.instructions[i].source_line);
        if (i >= sources_.size() || sources_[i].line == 0) return text;
        auto const& files = module_->source().files;
        auto const file = files.find(sources_[i].file);
        if (file != files.end()) text += " (" + file->second + ":" + std::to_string(sources_[i].line) + ")";
        return text;
    }

    /// Instruction `i` as it is written, without its operands.
    std::string opcode(std::uint32_t i) const { return i < texts_.size() ? texts_[i]->opcode : "exit"; }
    cluster_shape const& cluster() const noexcept { return cluster_; }

    std::vector<operation> const& operations() const noexcept { return operations_; }
    std::vector<special_slot> const& special_slots() const noexcept { return specials_; }
    std::vector<std::byte> const& constants() const noexcept { return constants_; }
    /// A constant that is an address of shared memory, which has the rank of the CTA that reads it.
    struct own_address {
        std::uint32_t at = 0; ///< among the constants: the first lane's
        std::uint32_t bytes = 0;
    };
    /// None where the kernel is not of pairs of CTAs (docs/model/ptx.md#pairs).
    std::vector<own_address> const& own_addresses() const noexcept { return own_addresses_; }
    std::uint32_t register_bytes() const noexcept { return register_bytes_; }
    /// Slots of the registers in which instructions have matrices; `operation::target` says where its own begin.
    std::vector<std::uint32_t> const& fragments() const noexcept { return fragments_; }

private:
    friend class lowering;

    loaded_module const* module_;
    static_program program_;
    control_flow flow_;
    std::vector<operation> operations_;
    std::vector<source_place> sources_;     ///< by instruction; those behind have none
    std::vector<instruction const*> texts_; ///< likewise
    cluster_shape cluster_;
    std::vector<kernel_parameter> parameters_;
    std::vector<special_slot> specials_;
    std::vector<std::byte> constants_;
    std::vector<own_address> own_addresses_;
    std::vector<std::uint32_t> fragments_;
    std::uint64_t parameter_bytes_ = 0;
    std::uint64_t local_bytes_ = 0;
    std::uint32_t parameter_align_ = 1;
    std::uint32_t register_bytes_ = 0;
    bool recurses_ = false;
    std::shared_ptr<made_code const> made_; ///< what texts_ and operations_ point to beside the module
};

inline kernel::kernel(loaded_module const& m, std::string_view name, code_order order) : module_(&m) {
    translator<>::lower(*this, m.find_entry(name), order);
}

} // namespace warpkit::ptx
