#pragma once
// Where a program branched, out of its disassembly and of the blocks that valgrind's lackey saw it execute, and how
// much of that a processor would have guessed. What is read is x86-64's.

#include "tage.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cost {

/// The number in base 16 that a text begins with, which it is rid of.
inline std::optional<std::uint64_t> take_hex(std::string_view& text) {
    std::uint64_t n = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n, 16);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return n;
}

/// A program's jumps and calls, and where its functions begin, as objdump -d --no-show-raw-insn writes them.
class disassembly {
public:
    enum class kind : unsigned char {
        conditional,
        indirect, ///< jumps and calls by register or memory
        known ///< always guessed: other jumps and calls, returns; and what else valgrind ends a block with
    };
    struct jump {
        std::uint64_t address = 0;
        std::uint64_t behind = 0; ///< the next instruction
        std::uint64_t target = 0; ///< of conditional ones
        kind what = kind::known;
    };

    /// Throws where it is not an x86-64 program's.
    explicit disassembly(std::istream& in) {
        bool is_ours = false;
        bool jumped = false; // in the instruction before
        for (std::string whole; std::getline(in, whole);) {
            std::string_view line = whole;
            is_ours |= line.ends_with("file format elf64-x86-64");
            line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
            auto const address = take_hex(line);
            if (!address) continue;
            if (line.starts_with(":\t")) {
                if (jumped) jumps_.back().behind = *address;
                jumped = read_instruction(*address, line.substr(2), whole);
                first_ = std::min(first_, *address);
            } else if (line.starts_with(" <") && line.ends_with(">:")) {
                functions_.emplace_back(line.substr(2, line.size() - 4), *address);
            }
        }
        if (!is_ours || jumps_.empty())
            throw std::runtime_error("this is not objdump's disassembly of an x86-64 program");
        std::sort(jumps_.begin(), jumps_.end(),
                  [](jump const& a, jump const& b) { return a.address < b.address; });
    }

    /// The number of the jump that ends the block at an address; none in other programs and libraries.
    std::optional<std::size_t> end_of_block(std::uint64_t address) const {
        if (address < first_ || address > jumps_.back().address) return std::nullopt;
        auto const at = std::lower_bound(jumps_.begin(), jumps_.end(), address,
                                         [](jump const& j, std::uint64_t a) { return j.address < a; });
        return static_cast<std::size_t>(at - jumps_.begin());
    }
    std::vector<jump> const& jumps() const { return jumps_; }

    /// Where the function begins in whose mangled name this is found, parts that the compiler set aside left out.
    std::uint64_t function(std::string_view part) const {
        for (auto const& [name, address] : functions_)
            if (name.find(part) != std::string::npos && name.find(".cold") == std::string::npos)
                return address;
        throw std::runtime_error("no function " + std::string(part) + " in the disassembly");
    }

private:
    /// Keeps what may end a block, and returns whether it does.
    bool read_instruction(std::uint64_t address, std::string_view words, std::string const& line) {
        auto const take_word = [&] {
            auto const end = std::min(words.find(' '), words.size());
            auto const word = words.substr(0, end);
            words.remove_prefix(std::min(words.find_first_not_of(' ', end), words.size()));
            return word;
        };
        auto name = take_word();
        bool const repeats = name.starts_with("rep"); // one block each time
        while (name == "bnd" || name == "notrack" || name.starts_with("rep")) name = take_word();

        jump j{address, address, 0, kind::known};
        bool const jumps = name.starts_with("j");
        if ((jumps || name.starts_with("call")) && words.starts_with('*')) {
            j.what = kind::indirect;
        } else if ((jumps && !name.starts_with("jmp")) || name.starts_with("loop")) {
            auto const target = take_hex(words);
            if (!target) throw std::runtime_error("a branch to nowhere in the disassembly: " + line);
            j.what = kind::conditional;
            j.target = *target;
        } else if (!jumps && !name.starts_with("call") && !name.starts_with("ret") && !repeats &&
                   name != "pause" && name != "syscall" && name != "hlt" && name != "ud2") {
            return false;
        }
        jumps_.push_back(j);
        return true;
    }

    std::uint64_t first_ = UINT64_MAX;
    std::vector<jump> jumps_;
    std::vector<std::pair<std::string, std::uint64_t>> functions_;
};

/// What became of branches, one or many.
struct guesses {
    std::uint64_t made = 0;
    std::uint64_t missed = 0;
    void add(bool right) {
        ++made;
        missed += !right;
    }
    guesses& operator+=(guesses const& o) {
        made += o.made;
        missed += o.missed;
        return *this;
    }
};

/// Follows a program from one address to another, as often as it goes there, by the blocks that lackey lists
/// (--trace-superblocks=yes), of which none goes on behind a jump (--vex-guest-chase=no --vex-iropt-unroll-thresh=0).
/// What libraries do in between is not seen.
class branch_trace {
public:
    branch_trace(disassembly const& program, std::uint64_t begin, std::uint64_t end)
        : program_(program),
          begin_(begin),
          end_(end),
          by_jump_(program.jumps().size()) {}

    /// Takes a line: that of a block, or one of valgrind's own. Throws at others.
    void line(std::string_view text) {
        ++lines_;
        auto rest = text;
        if (rest.starts_with("SB ")) {
            rest.remove_prefix(3);
            auto const address = take_hex(rest);
            if (address && rest.empty()) return block(*address);
        } else if (text.empty() || text.starts_with("==") || text.starts_with("--")) {
            return;
        }
        throw std::runtime_error("line " + std::to_string(lines_) +
                                 " of the trace is none of lackey's: " + std::string(text.substr(0, 80)));
    }
    /// To be called at the end: throws where the program was not followed to its end, or never.
    void finish() const {
        if (inside_) throw std::runtime_error("the trace ends early");
        if (!ever_inside_) throw std::runtime_error("the trace has nothing of what is to be measured");
    }

    guesses conditional() const { return sum(disassembly::kind::conditional); }
    guesses indirect() const { return sum(disassembly::kind::indirect); }
    /// By address.
    std::map<std::uint64_t, guesses> missed() const {
        std::map<std::uint64_t, guesses> all;
        for (std::size_t i = 0; i < by_jump_.size(); ++i)
            if (by_jump_[i].missed != 0) all[program_.jumps()[i].address] = by_jump_[i];
        return all;
    }

private:
    void block(std::uint64_t address) {
        if (address == begin_)
            inside_ = ever_inside_ = true;
        else if (inside_ && jump_)
            jumped_to(address);
        if (address == end_) inside_ = false;
        if (!inside_) return;
        jump_ = program_.end_of_block(address);
        block_ = address;
    }
    void jumped_to(std::uint64_t next) {
        auto const& j = program_.jumps()[*jump_];
        auto& g = by_jump_[*jump_];
        if (j.what == disassembly::kind::conditional) {
            if (next != j.target && next != j.behind) return; // valgrind ended a long block before its jump
            bool const taken = next == j.target;
            g.add(outcomes_.guesses(j.address, taken));
            targets_.remember(taken);
        } else if (j.what == disassembly::kind::indirect) {
            if (next > block_ && next <= j.address) return;
            g.add(targets_.guesses(j.address, next));
            outcomes_.remember((next >> 4) % 2 != 0);
        }
    }
    guesses sum(disassembly::kind what) const {
        guesses all;
        for (std::size_t i = 0; i < by_jump_.size(); ++i)
            if (program_.jumps()[i].what == what) all += by_jump_[i];
        return all;
    }

    disassembly const& program_;
    std::uint64_t begin_;
    std::uint64_t end_;
    tage outcomes_;
    target_table targets_;
    std::vector<guesses> by_jump_;
    std::uint64_t block_ = 0;         ///< where the latest block begins
    std::optional<std::size_t> jump_; ///< that ends it
    bool inside_ = false;
    bool ever_inside_ = false;
    std::uint64_t lines_ = 0;
};

/// Source lines by address, as addr2line -a -i writes them: "core.hpp:7 < gpu.hpp:9" where the former was inlined into
/// the latter. Of paths what follows one of the roots is left.
inline std::map<std::uint64_t, std::string> read_source_lines(std::istream& in,
                                                              std::vector<std::string> const& roots) {
    constexpr unsigned most_deep = 3;
    std::map<std::uint64_t, std::string> lines;
    std::string* at = nullptr;
    unsigned deep = 0;
    for (std::string text; std::getline(in, text);) {
        std::string_view line = text;
        if (line.starts_with("0x")) {
            line.remove_prefix(2);
            auto const address = take_hex(line);
            at = address ? &lines[*address] : nullptr;
            deep = 0;
        } else if (at != nullptr && deep++ < most_deep) {
            line = line.substr(0, line.find(" (discriminator"));
            for (auto const& root : roots)
                if (line.starts_with(root)) {
                    line.remove_prefix(root.size());
                    break;
                }
            if (!at->empty()) *at += " < ";
            *at += line;
        }
    }
    return lines;
}

} // namespace cost
