#pragma once
/// \file
/// A static program as lines of a trace's header. Traces know of a program only what ran, one result and four operands
/// an instruction; our own say the rest in lines that other readers skip, as they must every key that they do not know.
///
///     -warpkit program = 3 instructions 9 registers 0 shared 8 bytes 64 before 21 estimated
///     -warpkit 0 = load parameter 8 to 3 line 23
///     -warpkit 1 = branch from 2 target 7 guarded table 0
///     -warpkit table 0 = 4 - 2

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/accelsim/text.hpp>
#include <warpkit/program/instruction.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpkit::accelsim {

inline constexpr std::string_view program_key = "-warpkit ";
inline constexpr std::uint64_t most_instructions = 1U << 20; ///< of a program
inline constexpr std::uint64_t most_code = 1U << 26;         ///< instructions before a program

/// Appends the lines of a program.
inline void append_program(std::string& to, static_program const& p) {
    auto const number = [&](char const* word, std::uint64_t n) {
        to += word;
        to += std::to_string(n);
    };
    to += program_key;
    number("program = ", p.instructions.size());
    number(" instructions ", p.registers);
    number(" registers ", p.shared_bytes);
    number(" shared ", p.instruction_bytes);
    number(" bytes ", p.code_begin);
    number(" before ", p.registers_per_thread);
    to += p.registers_estimated ? " estimated\n" : " allocated\n";
    for (std::size_t i = 0; i < p.instructions.size(); ++i) {
        auto const& s = p.instructions[i];
        to += program_key;
        number("", i);
        to += " = ";
        to += op_class_names[static_cast<unsigned>(s.kind)];
        if (s.is_memory()) {
            to += ' ';
            to += memory_space_names[static_cast<unsigned>(s.space)];
            number(" ", s.access_bytes);
        }
        if (s.destinations != 0) to += " to";
        for (unsigned k = 0; k < s.destinations; ++k) number(" ", s.destination[k]);
        if (s.sources != 0) to += " from";
        for (unsigned k = 0; k < s.sources; ++k) number(" ", s.source[k]);
        if (s.guarded) to += " guarded";
        if (s.kind == op_class::barrier) {
            if (s.barrier != 0) number(" barrier ", s.barrier);
            if (s.barrier_warps != 0) number(" warps ", s.barrier_warps);
            if (!s.barrier_waits) to += " arrives";
            if (s.barrier_in_stream) to += " told";
        }
        if (s.past_l1) to += " past_l1";
        if (s.further_destinations != 0) number(" rest_to ", s.further_destinations);
        if (s.further_sources != 0) number(" rest_from ", s.further_sources);
        if (s.matrix != matrix_type::none) {
            to += " matrix ";
            to += matrix_type_names[static_cast<unsigned>(s.matrix)];
            number(" ", s.matrix_rows);
            number(" ", s.matrix_depth);
            if (s.matrix_columns != 8) number(" columns ", s.matrix_columns);
        }
        if (s.async == async_role::copy) to += " copies";
        if (s.async == async_role::commit) to += " commits";
        if (s.async == async_role::wait) number(" awaits ", s.async_groups);
        if (s.target != static_instruction::no_target) number(" target ", s.target);
        if (s.jump_table != static_instruction::no_target) number(" table ", s.jump_table);
        if (s.control.given) number(" control ", encode_control(s.control));
        if (s.source_line != 0) number(" line ", s.source_line);
        to += '\n';
    }
    for (std::size_t t = 0; t < p.jump_tables.size(); ++t) {
        to += program_key;
        number("table ", t);
        to += " =";
        for (auto const i : p.jump_tables[t])
            if (i == static_instruction::no_target)
                to += " -";
            else
                number(" ", i);
        to += '\n';
    }
}

/// Reads such lines.
class program_lines {
public:
    explicit program_lines(static_program& into) : program_(into) {}

    /// Whether there were any.
    bool given() const noexcept { return declared_; }
    /// Whether they said how many registers a thread has, and whether by an estimate.
    bool told_registers() const noexcept { return told_registers_; }

    /// Takes the rest of a line behind `program_key`.
    void take(std::string_view rest, line_reader const& in) {
        word_reader words(rest);
        auto const first = words.word();
        std::uint64_t n = 0;
        if (first == "program") {
            expect(words, "=", in);
            if (declared_) in.refuse("a second -warpkit program");
            declared_ = true;
            declared_instructions_ = read(words, "instructions", most_instructions, in);
            program_.registers = narrow(read(words, "registers", 65536, in));
            program_.shared_bytes = narrow(read(words, "shared", most_shared, in));
            program_.instruction_bytes = narrow(read(words, "bytes", 128, in));
            if (!words.done()) program_.code_begin = narrow(read(words, "before", most_code, in));
            if (!words.done()) {
                program_.registers_per_thread = narrow(number(words, 65535, "registers of a thread", in));
                auto const how = words.word();
                program_.registers_estimated = how == "estimated";
                if (how != "estimated" && how != "allocated")
                    in.refuse("expected allocated or estimated, found '" + std::string(how) + '\'');
                told_registers_ = true;
            }
            end(words, in);
            return;
        }
        if (!declared_) in.refuse("expected -warpkit program first, found -warpkit " + std::string(first));
        if (first == "table") {
            if (!words.decimal(n) || n != program_.jump_tables.size())
                in.refuse("expected -warpkit table " + std::to_string(program_.jump_tables.size()));
            expect(words, "=", in);
            auto& table = program_.jump_tables.emplace_back();
            for (;;) {
                if (words.decimal(n) && n < declared_instructions_) {
                    table.push_back(narrow(n));
                    continue;
                }
                auto const w = words.word();
                if (w.empty()) return;
                if (w != "-") in.refuse("expected an instruction or -, found '" + std::string(w) + '\'');
                table.push_back(static_instruction::no_target);
            }
        }
        word_reader index(rest);
        auto const next = program_.instructions.size();
        if (!index.decimal(n) || n != next || next == declared_instructions_)
            in.refuse("expected -warpkit " + std::to_string(next) + " of " +
                      std::to_string(declared_instructions_) + " instructions, found -warpkit " +
                      std::string(first));
        expect(words, "=", in);
        program_.instructions.push_back(instruction(words, in));
    }
    /// When all lines have been taken: checks that nothing is missing.
    void finish(line_reader const& in) const {
        if (!declared_) return;
        if (program_.instructions.size() != declared_instructions_)
            in.refuse("expected " + std::to_string(declared_instructions_) +
                      " -warpkit instructions, found " + std::to_string(program_.instructions.size()));
        for (auto const& i : program_.instructions) {
            if (i.jump_table != static_instruction::no_target && i.jump_table >= program_.jump_tables.size())
                in.refuse("there is no -warpkit table " + std::to_string(i.jump_table));
            if (i.control.given != program_.instructions.front().control.given)
                in.refuse("control bits are given for some -warpkit instructions, but not for all");
        }
    }

    static constexpr std::uint64_t most_shared = std::uint64_t{1} << 30;

private:
    static std::uint32_t narrow(std::uint64_t n) noexcept { return static_cast<std::uint32_t>(n); }
    static void expect(word_reader& words, std::string_view what, line_reader const& in) {
        auto const w = words.word();
        if (w != what) in.refuse("expected '" + std::string(what) + "', found '" + std::string(w) + '\'');
    }
    static void end(word_reader& words, line_reader const& in) {
        auto const w = words.word();
        if (!w.empty()) in.refuse("expected the end of the line, found '" + std::string(w) + '\'');
    }
    static std::uint64_t number(word_reader& words, std::uint64_t most, char const* what,
                                line_reader const& in) {
        std::uint64_t n = 0;
        if (auto const at = words; !words.decimal(n) || n > most)
            in.refuse(std::string("expected ") + what + " from 0 to " + std::to_string(most) + ", found '" +
                      at.ahead() + '\'');
        return n;
    }
    static std::uint64_t read(word_reader& words, char const* what, std::uint64_t most,
                              line_reader const& in) {
        auto const n = number(words, most, what, in);
        expect(words, what, in);
        return n;
    }
    template <class Names>
    static std::optional<std::uint8_t> index_of(std::string_view word, Names const& names) {
        std::uint8_t i = 0;
        for (char const* const name : names) {
            if (word == name) return i;
            ++i;
        }
        return std::nullopt;
    }

    static_instruction instruction(word_reader& words, line_reader const& in) const {
        auto const registers = program_.registers;
        static_instruction s;
        auto word = words.word();
        auto const kind = index_of(word, op_class_names);
        if (!kind) in.refuse("there is no operation class '" + std::string(word) + '\'');
        s.kind = static_cast<op_class>(*kind);
        if (s.is_memory()) {
            word = words.word();
            auto const space = index_of(word, memory_space_names);
            if (!space || *space == 0) in.refuse("there is no memory space '" + std::string(word) + '\'');
            s.space = static_cast<memory_space>(*space);
            s.access_bytes = static_cast<std::uint8_t>(number(words, 32, "bytes", in));
            if (!is_access(s.access_bytes))
                in.refuse("a lane accesses 1, 2, 4, 8, 16 or 32 bytes, not " +
                          std::to_string(s.access_bytes));
        }
        auto const index = [&](std::uint64_t most) { return narrow(number(words, most, "a number", in)); };
        auto const list = [&](register_id* to, std::uint8_t& count, unsigned most) {
            std::uint64_t n = 0;
            while (words.decimal(n)) {
                if (count == most || n >= registers)
                    in.refuse("expected at most " + std::to_string(most) + " registers below " +
                              std::to_string(registers));
                to[count++] = static_cast<register_id>(n);
            }
        };
        while (!(word = words.word()).empty()) {
            if (word == "to")
                list(s.destination, s.destinations, static_instruction::max_destinations);
            else if (word == "from")
                list(s.source, s.sources, static_instruction::max_sources);
            else if (word == "guarded")
                s.guarded = true;
            else if (word == "barrier")
                s.barrier = static_cast<std::uint8_t>(index(15));
            else if (word == "warps")
                s.barrier_warps = static_cast<std::uint8_t>(index(255));
            else if (word == "arrives")
                s.barrier_waits = false;
            else if (word == "told" && s.kind == op_class::barrier)
                s.barrier_in_stream = true;
            else if (word == "past_l1")
                s.past_l1 = true;
            else if (word == "rest_to")
                s.further_destinations = static_cast<std::uint16_t>(index(65535));
            else if (word == "rest_from")
                s.further_sources = static_cast<std::uint16_t>(index(65535));
            else if (word == "matrix") {
                word = words.word();
                auto const type = index_of(word, matrix_type_names);
                if (!type || *type == 0) in.refuse("there are no matrices of '" + std::string(word) + '\'');
                s.matrix = static_cast<matrix_type>(*type);
                s.matrix_rows = static_cast<std::uint8_t>(index(255));
                s.matrix_depth = static_cast<std::uint16_t>(index(65535));
            } else if (word == "columns")
                s.matrix_columns = static_cast<std::uint16_t>(index(65535));
            else if (word == "copies" && s.kind == op_class::load)
                s.async = async_role::copy;
            else if (word == "commits" && !s.is_memory())
                s.async = async_role::commit;
            else if (word == "awaits" && !s.is_memory()) {
                s.async = async_role::wait;
                s.async_groups = static_cast<std::uint8_t>(index(255));
            } else if (word == "target")
                s.target = index(declared_instructions_);
            else if (word == "table")
                s.jump_table = index(most_instructions);
            else if (word == "control")
                s.control = decode_control(index((1U << control_word_bits) - 1));
            else if (word == "line")
                s.source_line = index(0xffffffff);
            else
                in.refuse("expected a property of an instruction, found '" + std::string(word) + '\'');
        }
        return s;
    }
    static constexpr bool is_access(std::uint32_t bytes) noexcept {
        return bytes != 0 && bytes <= 32 && (bytes & (bytes - 1)) == 0;
    }

    static_program& program_;
    bool declared_ = false;
    bool told_registers_ = false;
    std::uint64_t declared_instructions_ = 0;
};

} // namespace warpkit::accelsim
