#pragma once
/// \file
/// The instructions that a trace's lines name: each distinct text of registers and opcode is understood once.

#include <warpkit/frontend/accelsim/header.hpp>
#include <warpkit/frontend/accelsim/opcodes.hpp>
#include <warpkit/frontend/accelsim/text.hpp>
#include <warpkit/program/instruction.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::accelsim {

/// What all lines with one PC and one text between mask and addresses have in common.
struct instruction_form {
    std::uint64_t pc = 0;
    std::size_t text = 0; ///< where it begins in the table's text
    std::uint32_t text_size = 0;
    std::uint32_t instruction = 0; ///< index in the program, once that is known
    std::uint32_t line = 0;        ///< in the source; 0 if not told
    bool has_addresses = false;    ///< behind the text stand addresses
    bool has_barrier = false;      ///< behind the text stand a barrier's number and count of warps
    bool is_twice = false;         ///< LDGSTS: perhaps listed for each of its two addresses
    static_instruction code;       ///< as this line alone tells it
    std::uint64_t count = 0;       ///< how often it ran
    std::uint64_t target =
        no_pc;                  ///< of a branch: where it was seen to go, other than to the next instruction
    bool falls_through = false; ///< of a branch: was seen to go to the next instruction

    static constexpr std::uint64_t no_pc = ~std::uint64_t{0};
};

/// All forms of one trace.
class form_table {
public:
    static constexpr unsigned most_per_pc = 64;

    std::vector<instruction_form>& forms() noexcept { return forms_; }
    std::vector<instruction_form> const& forms() const noexcept { return forms_; }
    std::string_view text(instruction_form const& f) const noexcept {
        return {text_.data() + f.text, f.text_size};
    }
    /// The opcode of a form.
    std::string_view opcode_of(instruction_form const& f) const {
        std::string copy(text(f));
        copy += '\n';
        word_reader words({copy.data(), copy.size() - 1});
        std::uint64_t n = 0;
        words.decimal(n);
        while (n-- != 0) words.word();
        auto const at = static_cast<std::size_t>(words.word().data() - copy.data());
        return text(f).substr(at, text(f).find(' ', at) - at);
    }

    /// The number of the form at the head of `words`, or none; reads past it.
    std::uint32_t find(std::uint64_t pc, word_reader& words) const noexcept {
        words.skip_blanks();
        if (slots_.empty()) return none;
        for (auto i = slot_of(pc);; i = (i + 1) & (slots_.size() - 1)) {
            if (slots_[i] == none) return none;
            auto const& f = forms_[slots_[i]];
            if (f.pc == pc && words.left() >= f.text_size &&
                std::memcmp(text_.data() + f.text, words.at(), f.text_size) == 0 &&
                (words.left() == f.text_size || word_reader::is_blank(words.at()[f.text_size]))) {
                words.advance(f.text_size);
                return slots_[i];
            }
        }
    }
    /// Adds a form with this text; its number.
    std::uint32_t add(instruction_form f, std::string_view text, line_reader const& in) {
        if (forms_.size() == most_instructions)
            in.refuse("more than " + std::to_string(most_instructions) + " different instructions");
        if ((forms_.size() + 1) * 2 > slots_.size()) grow();
        f.text = text_.size();
        f.text_size = static_cast<std::uint32_t>(text.size());
        text_.append(text);
        auto const number = static_cast<std::uint32_t>(forms_.size());
        unsigned same = 0;
        auto i = slot_of(f.pc);
        for (; slots_[i] != none; i = (i + 1) & (slots_.size() - 1))
            if (forms_[slots_[i]].pc == f.pc && ++same == most_per_pc)
                in.refuse("more than " + std::to_string(most_per_pc) + " different instructions at one PC");
        forms_.push_back(f);
        slots_[i] = number;
        return number;
    }

    static constexpr std::uint32_t none = 0xffffffff;

private:
    std::size_t slot_of(std::uint64_t pc) const noexcept {
        return static_cast<std::size_t>(pc * 0x9e3779b97f4a7c15U >> 32) & (slots_.size() - 1);
    }
    void grow() {
        std::vector<std::uint32_t> slots(slots_.empty() ? 1024 : slots_.size() * 2, none);
        slots_.swap(slots);
        for (std::uint32_t n = 0; n < forms_.size(); ++n) {
            auto i = slot_of(forms_[n].pc);
            while (slots_[i] != none) i = (i + 1) & (slots_.size() - 1);
            slots_[i] = n;
        }
    }

    std::vector<instruction_form> forms_;
    std::vector<std::uint32_t> slots_; ///< a hash table by PC with open addressing
    std::string text_;
};

/// Reads registers and opcode of an instruction, from behind its mask to its width, of any tracer.
class form_reader {
public:
    /// `program` is our own program of the trace, or null if only what runs is known.
    form_reader(trace_header const& header, static_program const* program) noexcept
        : header_(header),
          program_(program) {}

    /// The form at the head of `words`, which is read.
    instruction_form read(std::uint64_t pc, word_reader& words, line_reader const& in) const {
        instruction_form f;
        f.pc = pc;
        std::vector<register_id> to = registers(words, static_instruction::max_destinations, in);
        opcode const name(words.word());
        if (name.text().empty()) in.refuse("expected an opcode, found the end of the line");
        std::vector<register_id> from = registers(words, static_instruction::max_sources, in);
        std::uint64_t width = 0;
        if (copies_in_bulk(name.name()))
            in.refuse(std::string(name.text()) +
                      ": bulk and tensor copies are not timed from traces; take the " +
                      "kernel's PTX (docs/model/traces.md#hopper)");
        // 2.0 says first whether a product of a warpgroup ends a group of them.
        if (header_.has_values() && name.name().find("GMMA") != std::string_view::npos &&
            !words.decimal(width))
            in.refuse("expected 0 or 1 behind the operands of " + std::string(name.text()));
        if (!words.decimal(width))
            in.refuse("expected a memory width behind the operands of " + std::string(name.text()) +
                      ", found '" + std::string(words.word()) + '\'');
        f.has_addresses = width != 0;
        // Behind it stands what the last immediate was, if the tracer tells: of a wait, how many groups it lets be.
        if (name.name() == "DEPBAR" && words.decimal(width)) {
            f.code.async_groups = static_cast<std::uint8_t>(std::min<std::uint64_t>(width, 255));
            if (!words.done() && !header_.has_values())
                in.refuse("more behind the instruction than an immediate");
        }
        if (program_ != nullptr) {
            own(f, in);
            return f;
        }
        f.is_twice = name.name() == "LDGSTS";
        understand(f.code, name, f.has_addresses, to, from);
        return f;
    }

private:
    /// Bytes of an instruction in the PCs that we write.
    static constexpr std::uint64_t own_step = 16;

    static bool copies_in_bulk(std::string_view name) noexcept {
        for (auto const* const copy :
             {"UBLKCP", "UBLKPF", "UBLKRED", "UTMALDG", "UTMAPF", "UTMAREDG", "UTMASTG"})
            if (name == copy) return true;
        return false;
    }
    void own(instruction_form& f, line_reader const& in) const {
        auto const index = f.pc / own_step;
        if (f.pc % own_step != 0 || index >= program_->instructions.size())
            in.refuse("there is no instruction at this PC: the header has " +
                      std::to_string(program_->instructions.size()) + " of " + std::to_string(own_step) +
                      " bytes");
        f.instruction = static_cast<std::uint32_t>(index);
        f.code = program_->instructions[index];
        if (f.code.is_memory() != f.has_addresses)
            in.refuse(f.code.is_memory() ? "this memory instruction has no addresses"
                                         : "addresses, but the header's instruction accesses no memory");
        f.has_barrier = f.code.barrier_in_stream;
    }

    std::vector<register_id> registers(word_reader& words, std::size_t most, line_reader const& in) const {
        std::uint64_t n = 0;
        if (auto const at = words; !words.decimal(n) || n > most)
            in.refuse("expected a number of registers from 0 to " + std::to_string(most) + ", found '" +
                      at.ahead() + '\'');
        std::vector<register_id> all;
        for (; n != 0; --n) {
            auto const word = words.word();
            std::string digits(word.substr(std::min<std::size_t>(1, word.size())));
            auto first = word.empty() ? 0U : vector_register;
            auto null = 255U; // RZ
            auto last = 65535U;
            if (word.substr(0, 2) == "UR") {
                first = uniform_register;
                last = 255;
                null = header_.binary_version < 100 ? 63U : 255U; // Blackwell has more of them
                digits.erase(0, 1);
            } else if (word.substr(0, 2) == "UP") {
                first = uniform_predicate_register;
                null = last = 7;
                digits.erase(0, 1);
            } else if (word.substr(0, 1) == "P") {
                first = predicate_register;
                null = last = 7;
            } else if (word.substr(0, 1) != "R") {
                in.refuse("expected a register, found '" + std::string(word) + '\'');
            }
            digits += '\n';
            word_reader number({digits.data(), digits.size() - 1});
            std::uint64_t r = 0;
            if (!number.decimal(r) || r > last)
                in.refuse("expected a register, found '" + std::string(word) + '\'');
            all.push_back(r != null ? static_cast<register_id>(first + r) : no_register);
        }
        return all;
    }

    /// What opcode and operands mean. Traces name the first register of a row; its length follows from the width.
    void understand(static_instruction& s, opcode const& name, bool has_addresses,
                    std::vector<register_id> const& to, std::vector<register_id> const& from) const {
        auto const* const row = find_opcode(name.name());
        unsigned result = 1;
        unsigned operand = 1;
        unsigned address = 1; // registers of the first operand
        unsigned data = 1;    // registers of the last operand
        opcode::matrix_registers matrix;
        if (row != nullptr) {
            s.kind = row->kind;
            result = row->result_registers;
            operand = row->operand_registers;
            if (s.is_memory() && !has_addresses) {
                // Constants, and what tracers do not follow: textures, surfaces. A move, as Accel-Sim takes them.
                s.kind = unit_of(*row) == opcode_unit::uniform ? op_class::uniform : op_class::int_add;
            } else if (s.is_memory()) {
                s.space = row->space;
                if (s.space == memory_space::generic && header_.is_kepler()) s.space = memory_space::global;
                auto const bytes = name.access_bytes();
                s.access_bytes = static_cast<std::uint8_t>(bytes);
                result = data = std::max(1U, bytes / 4);
                if (name.name() == "LDSM") result = name.has("4") ? 4 : name.has("2") ? 2 : 1;
                if (s.kind == op_class::load) data = 1;
                s.past_l1 = s.kind == op_class::load &&
                            (name.has("BYPASS") || (name.has("STRONG") && name.has("GPU")));
                if (name.has("CAS")) data *= 2; // compared with, and put in its place
                if (name.has("E")) address = 2;
                if (name.name() == "LDGSTS") {
                    s.async = async_role::copy;
                    if (from.size() > 1) std::swap(address, data); // to shared memory, from global memory
                }
            } else if (s.kind == op_class::barrier) {
                s.barrier_waits = !name.has("ARV");
            } else if (name.is_wide()) {
                result = 2;
            } else if (matrix = name.matrix(); matrix.sum != 0) {
                result = matrix.sum;
            }
            if (auto const product = name.product(); product.type != matrix_type::none) {
                s.matrix = product.type;
                s.matrix_rows = product.rows;
                s.matrix_depth = product.depth;
            }
            if (name.name() == "LDGDEPBAR") s.async = async_role::commit;
            if (name.name() == "DEPBAR") s.async = async_role::wait;
            if (name.name() == "IMAD" && (name.has("MOV") || name.has("SHL") || name.has("IADD")))
                s.kind = op_class::int_add;
        }
        auto const span = [](register_id* into, std::uint8_t& count, std::uint16_t& further, unsigned most,
                             register_id r, unsigned n) {
            if (r == no_register) return;
            auto const end = r < 255U ? 255U : r + 1U; // of the registers of its kind, roughly
            for (unsigned k = 0; k < n && r + k < end && count < most; ++k) {
                unsigned at = 0;
                while (at < count && into[at] != r + k) ++at;
                if (k == 0) further &= static_cast<std::uint16_t>(~(1U << at)); // named itself
                if (at < count) continue;
                into[count++] = static_cast<register_id>(r + k);
                if (k != 0) further |= static_cast<std::uint16_t>(1U << at);
            }
        };
        for (auto const r : to)
            span(s.destination, s.destinations, s.further_destinations, static_instruction::max_destinations,
                 r, result);
        for (std::size_t k = 0; k < from.size(); ++k) {
            auto n = operand;
            if (k == 0) n = std::max(n, address);
            if (k + 1 == from.size() && k != 0) n = std::max(n, data);
            if (matrix.sum != 0) n = k == 0 ? matrix.first : k == 1 ? matrix.second : k == 2 ? matrix.sum : 1;
            span(s.source, s.sources, s.further_sources, static_instruction::max_sources, from[k], n);
        }
    }

    static constexpr register_id no_register = 0xffff; ///< RZ and its like, which keep the operands' places
    static constexpr unsigned vector_register = 0;
    static constexpr unsigned uniform_register = 4096;
    static constexpr unsigned predicate_register = 4352;
    static constexpr unsigned uniform_predicate_register = 4360;

    trace_header const& header_;
    static_program const* program_;
};

} // namespace warpkit::accelsim
