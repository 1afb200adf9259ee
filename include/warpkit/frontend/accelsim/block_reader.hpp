#pragma once
/// \file
/// Reads the thread blocks of a trace: what each warp executed, line by line.

#include <warpkit/frontend/accelsim/header.hpp>
#include <warpkit/frontend/accelsim/instruction_forms.hpp>
#include <warpkit/frontend/accelsim/text.hpp>
#include <warpkit/frontend/local_addresses.hpp>
#include <warpkit/program/stream.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::accelsim {

/// The addresses of one access, as timing sees them.
struct traced_access {
    memory_space space = memory_space::none;
    bool affine = false; ///< base + stride * lane; else `lane`
    std::uint64_t base = 0;
    std::uint64_t stride = 0;
    lane_addresses lane{};
};

/// Reads thread blocks. Sink's members are called with what stands in a block, in this order:
///   block(linear), then for each warp that is there: warp(number), and for each of its instructions one of
///   executed(form, mask), accessed(form, mask, traced_access) if lanes are active and it accesses memory,
///   arrived(form, mask, number, warps) for barriers that name their number.
/// Where Sink::wants_addresses is false, addresses are not read, nor what is wrong with them found.
class block_reader {
public:
    /// All of these must outlive it. `is_own`: the header told the program.
    block_reader(trace_header const& header, bool is_own, form_table& forms) noexcept
        : header_(header),
          forms_(forms),
          is_own_(is_own),
          warps_(static_cast<unsigned>((header.block.count() + lanes - 1) / lanes)),
          threads_(header.grid.count() * warps_ * lanes) {}

    /// Moves `in` to the next line "#BEGIN_TB", unless it stands on one; false if there is none.
    static bool find_block(line_reader& in, bool already = false) {
        while (already || in.next()) {
            already = false;
            auto const line = in.line();
            if (line.empty()) continue;
            if (is(line, "#BEGIN_TB")) return true;
            if (line[0] == '#' || word_reader(line).done()) continue;
            if (line[0] == '-') continue; // a header line behind the '#' line
            in.refuse(is(line, "thread block") ? "a thread block without #BEGIN_TB"
                                               : "expected #BEGIN_TB; a raw trace (.trace) must be grouped "
                                                 "by thread blocks (.traceg) first");
        }
        return false;
    }

    /// Reads from behind #BEGIN_TB to #END_TB. `make` gives the number of the form at the head of the words.
    template <class Make, class Sink>
    void read(line_reader& in, Make&& make, Sink& sink) {
        cta_ = none;
        warp_ = none;
        left_ = 0;
        seen_ = 0;
        held_ = form_table::none;
        for (;;) {
            if (left_ != 0 && goes_on(in, sink)) continue;
            if (!in.next()) in.refuse("the file ends in the middle of a thread block");
            auto line = in.line();
            while (!line.empty() && word_reader::is_blank(line[0])) line.remove_prefix(1);
            if (line.empty()) continue;
            if (is_hexadecimal(line[0])) {
                if (left_ == 0) too_many(in);
                --left_;
                instruction(in, line, make, sink);
                continue;
            }
            word_reader words(line);
            auto const first = words.word();
            if (first == "warp") {
                end_warp(in, sink);
                begin_warp(in, words, sink);
            } else if (first == "insts") {
                if (warp_ == none || counted_) in.refuse("insts without a warp");
                left_ = assigned(in, words, "insts", most_instructions_of_warp);
                counted_ = true;
            } else if (first == "thread") {
                begin_block(in, words, sink);
            } else if (first == "#END_TB") {
                if (cta_ == none) in.refuse("a thread block without 'thread block = x,y,z'");
                end_warp(in, sink);
                return;
            } else if (first == "#BEGIN_TB") {
                in.refuse("a thread block begins before the one before has ended");
            } else if (!first.empty() && first[0] != '#') {
                in.refuse("expected an instruction, found '" + std::string(first.substr(0, 40)) + '\'');
            }
        }
    }

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    static constexpr std::uint64_t most_instructions_of_warp = std::uint64_t{1} << 40;
    static constexpr std::uint64_t most_address = std::uint64_t{1} << 56;
    static constexpr std::uint64_t most_generic = std::uint64_t{5} << 56; ///< behind our windows
    static constexpr std::uint64_t local_window = std::uint64_t{1}
                                                  << 24; ///< the largest local memory of a thread

    static bool is(std::string_view line, std::string_view what) noexcept {
        return line.substr(0, what.size()) == what;
    }
    static bool is_hexadecimal(char c) noexcept {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    }
    [[noreturn]] void too_many(line_reader const& in) const {
        if (warp_ == none) in.refuse("an instruction outside any warp");
        if (!counted_) in.refuse("an instruction before the warp's 'insts = n'");
        in.refuse("more instructions than the warp's insts says");
    }
    static std::uint64_t assigned(line_reader const& in, word_reader& words, char const* what,
                                  std::uint64_t most) {
        std::uint64_t n = 0;
        if (words.word() != "=" || !words.decimal(n) || n > most || !words.done())
            in.refuse(std::string("expected '") + what + " = n', n from 0 to " + std::to_string(most));
        return n;
    }
    template <class Sink>
    void begin_block(line_reader const& in, word_reader& words, Sink& sink) {
        if (cta_ != none) in.refuse("a second thread block before #END_TB");
        bool const named = words.word() == "block" && words.word() == "=";
        std::string text(words.at(), words.left());
        for (auto& c : text)
            if (c == ',') c = ' ';
        text += '\n';
        word_reader numbers({text.data(), text.size() - 1});
        std::uint64_t x = 0;
        std::uint64_t y = 0;
        std::uint64_t z = 0;
        if (!named || !numbers.decimal(x) || !numbers.decimal(y) || !numbers.decimal(z) || !numbers.done())
            in.refuse("expected 'thread block = x,y,z'");
        auto const& g = header_.grid;
        if (x >= g.x || y >= g.y || z >= g.z)
            in.refuse("there is no thread block " + std::to_string(x) + ',' + std::to_string(y) + ',' +
                      std::to_string(z) + " in a grid of " + std::to_string(g.x) + ',' + std::to_string(g.y) +
                      ',' + std::to_string(g.z));
        cta_ = x + g.x * (y + std::uint64_t{g.y} * z);
        sink.block(cta_);
    }
    template <class Sink>
    void begin_warp(line_reader const& in, word_reader& words, Sink& sink) {
        if (cta_ == none) in.refuse("a warp before 'thread block = x,y,z'");
        warp_ = assigned(in, words, "warp", warps_ - 1);
        if ((seen_ >> warp_ & 1) != 0) in.refuse("warp " + std::to_string(warp_) + " a second time");
        seen_ |= std::uint64_t{1} << warp_;
        counted_ = false;
        left_ = 0;
        sink.warp(static_cast<unsigned>(warp_));
    }
    template <class Sink>
    void end_warp(line_reader const& in, Sink& sink) {
        if (warp_ == none) return;
        if (left_ != 0)
            in.refuse("warp " + std::to_string(warp_) + " has " + std::to_string(left_) +
                      " instructions less than its insts says");
        let_go(sink);
        warp_ = none;
    }

    template <class Make, class Sink>
    void instruction(line_reader& in, std::string_view line, Make& make, Sink& sink) {
        word_reader words(line);
        std::uint64_t n = 0;
        lane_mask mask = 0;
        auto number = expected();
        if (number == form_table::none || !begin_as(words, number, mask)) {
            words = word_reader(line);
            if (header_.has_places())
                for (unsigned i = 0; i < 4; ++i)
                    if (!words.decimal(n)) in.refuse("expected x, y, z and the warp before the PC");
            std::uint64_t source_line = 0;
            if (header_.has_lines && (!words.decimal(source_line) || source_line > 0xffffffff))
                in.refuse("expected a source line before the PC");
            std::uint64_t pc = 0;
            std::uint64_t mask64 = 0;
            if (!words.hexadecimal(pc)) in.refuse("expected a PC, found '" + words.ahead() + '\'');
            words.skip_blanks();
            auto const at = words;
            if (!words.hexadecimal(mask64) || mask64 > all_lanes)
                in.refuse("expected an active mask of 32 bits, found '" + at.ahead() + '\'');
            bool const usual =
                at.eight_digits() && words.at() == at.at() + mask_digits && !header_.has_places();
            mask = static_cast<lane_mask>(mask64);
            number = forms_.find(pc, words);
            if (number == form_table::none) number = make(pc, words, static_cast<std::uint32_t>(source_line));
            if (usual)
                remember(number, {line.data(), words.at()}, static_cast<std::size_t>(at.at() - line.data()),
                         mask);
        }
        last_ = number;
        auto const& f = forms_.forms()[number];
        if (held_ != form_table::none) {
            if (held_ == number && held_mask_ == mask)
                held_ = form_table::none; // that was the shared half of an LDGSTS
            else
                let_go(sink);
        }
        if (f.has_addresses) {
            if (mask == 0) { // what stands there may be anything (SPEC 9)
                sink.executed(number, mask);
                return;
            }
            if constexpr (Sink::wants_addresses) {
                read_access(in, words, f, mask);
                end(in, words);
            }
            if (!f.code.is_memory())
                sink.executed(number, mask);
            else if (f.is_twice)
                held_ = number, held_mask_ = mask;
            else
                sink.accessed(number, mask, access_);
            return;
        }
        if (f.has_barrier && mask != 0) {
            std::uint64_t barrier = 0;
            if (!words.decimal(barrier) || barrier > 15 || !words.decimal(n) || n > 255)
                in.refuse("expected a barrier from 0 to 15 and its warps from 0 to 255");
            end(in, words);
            sink.arrived(number, mask, static_cast<std::uint32_t>(barrier), static_cast<std::uint32_t>(n));
            return;
        }
        end(in, words);
        sink.executed(number, mask);
    }
    // ---- what stands before the addresses is mostly what stood there the last time, but for the mask
    static constexpr std::size_t mask_digits = 8;
    /// How a line began that ran this form, and what ran after it.
    struct head {
        std::string text; ///< up to the addresses
        std::size_t mask_at = 0;
        lane_mask mask = 0;
        std::uint32_t next = form_table::none;
    };
    /// The form that is expected to follow the last one, or none.
    std::uint32_t expected() const noexcept {
        return last_ < heads_.size() ? heads_[last_].next : form_table::none;
    }
    /// Whether the words begin as this form's did the last time, and with which mask; reads past it.
    bool begin_as(word_reader& words, std::uint32_t number, lane_mask& mask) noexcept {
        auto& h = heads_[number];
        auto const* const begin = words.at();
        if (!words.skip(h.text)) {
            std::string_view const text = h.text;
            if (!words.skip(text.substr(0, h.mask_at)) || !words.eight_digits(&mask)) return false;
            words.advance(mask_digits);
            if (!words.skip(text.substr(h.mask_at + mask_digits))) return false;
            std::memcpy(h.text.data() + h.mask_at, begin + h.mask_at, mask_digits);
            h.mask = mask;
        }
        mask = h.mask;
        return words.at_end_of_word();
    }
    /// The same for a line that ends there: one that has been read whole, without looking for its end.
    template <class Sink>
    bool goes_on(line_reader& in, Sink& sink) {
        auto const number = expected();
        if (number == form_table::none || held_ != form_table::none) return false;
        auto const& f = forms_.forms()[number];
        if (f.has_addresses || f.has_barrier) return false;
        auto mask = heads_[number].mask;
        if (!in.next_is(heads_[number].text)) {
            word_reader words(in.ahead());
            if (!begin_as(words, number, mask) || !in.next_ends_at(words.at())) return false;
        }
        --left_;
        last_ = number;
        sink.executed(number, mask);
        return true;
    }
    void remember(std::uint32_t number, std::string_view text, std::size_t mask_at, lane_mask mask) {
        if (heads_.size() < forms_.forms().size()) heads_.resize(forms_.forms().size());
        auto& h = heads_[number];
        h.text = text;
        h.mask_at = mask_at;
        h.mask = mask;
        if (last_ != form_table::none) heads_[last_].next = number;
    }

    template <class Sink>
    void let_go(Sink& sink) {
        if (held_ != form_table::none) sink.accessed(held_, held_mask_, access_);
        held_ = form_table::none;
    }
    /// Newer tracers add an immediate.
    static void end(line_reader const& in, word_reader& words) {
        if (words.done()) return;
        words.word();
        if (!words.done())
            in.refuse(
                "more behind the instruction than an immediate; are there more addresses than active lanes?");
    }

    // ---- addresses
    void read_access(line_reader const& in, word_reader& words, instruction_form const& f, lane_mask mask) {
        std::uint64_t mode = 0;
        if (auto const at = words; !words.decimal(mode) || mode > 2)
            in.refuse("expected an address mode from 0 to 2, found '" + at.ahead() + '\'');
        auto& a = access_;
        auto const low = static_cast<unsigned>(std::countr_zero(mask));
        std::uint64_t first = 0;
        if (!words.hexadecimal(first)) too_few(in, mask, 0);
        a.affine = false;
        if (mode == 1) {
            std::int64_t stride = 0;
            if (!words.signed_decimal(stride)) in.refuse("expected a stride behind the base address");
            auto const step = static_cast<std::uint64_t>(stride);
            if (auto const row = mask >> low; (row & (row + 1)) == 0) {
                a.affine = true;
                a.stride = row == 1 ? 0 : step;
                a.base = first - a.stride * low;
                a.lane[low] = first;
                a.lane[31 - static_cast<unsigned>(std::countl_zero(mask))] =
                    first + a.stride * static_cast<unsigned>(std::popcount(mask) - 1);
                if (stride > std::int64_t{1} << 50 || stride < -(std::int64_t{1} << 50))
                    in.refuse("a stride of " + std::to_string(stride) + " bytes");
            } else {
                auto address = first;
                for (auto rest = mask; rest != 0; rest &= rest - 1, address += step)
                    a.lane[static_cast<unsigned>(std::countr_zero(rest))] = address;
            }
        } else {
            a.lane[low] = first;
            auto address = first;
            std::int64_t distance = 0;
            repeated_word again;
            auto here = words;
            for (auto rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
                if (!again.skip(here)) {
                    here.skip_blanks();
                    auto const* const begin = here.at();
                    if (mode == 2 ? !here.signed_decimal(distance) : !here.hexadecimal(address))
                        too_few(in, mask, static_cast<unsigned>(std::popcount(mask) - std::popcount(rest)));
                    if (mode == 2) again = {{begin, here.at()}};
                }
                address += static_cast<std::uint64_t>(distance);
                a.lane[static_cast<unsigned>(std::countr_zero(rest))] = address;
            }
            words = here;
        }
        if (f.code.is_memory()) resolve(in, f.code, mask);
    }
    [[noreturn]] static void too_few(line_reader const& in, lane_mask mask, unsigned found) {
        in.refuse("expected addresses of " + std::to_string(std::popcount(mask)) + " active lanes, found " +
                  std::to_string(found));
    }

    /// Makes space and addresses what timing wants to see.
    void resolve(line_reader const& in, static_instruction const& code, lane_mask mask) {
        auto& a = access_;
        auto const low = static_cast<unsigned>(std::countr_zero(mask));
        a.space = code.space;
        bool const is_generic = a.space == memory_space::generic;
        if (is_generic) {
            a.space = space_of(a.lane[low]);
            for (auto rest = mask & (mask - 1); rest != 0; rest &= rest - 1)
                if (space_of(address_of(static_cast<unsigned>(std::countr_zero(rest)))) != a.space)
                    return resolve_each(in, code, mask);
        }
        if (auto const window = is_generic || !is_own_ ? window_begin(a.space, a.lane[low]) : 0;
            window != 0) {
            a.base -= window;
            for (auto rest = mask; rest != 0; rest &= rest - 1)
                a.lane[static_cast<unsigned>(std::countr_zero(rest))] -= window;
        }
        auto const high = 31 - static_cast<unsigned>(std::countl_zero(mask));
        if (a.space == memory_space::local) {
            spread(code, mask);
            return;
        }
        // What Kepler's opcodes take for global memory may lie in any window.
        auto const end = a.space == memory_space::global && header_.is_kepler() ? most_generic : most_address;
        if (a.affine) {
            check(in, a.lane[low], end);
            check(in, a.lane[high], end);
        } else if (any_of(mask) >= end) {
            for (auto rest = mask; rest != 0; rest &= rest - 1)
                check(in, a.lane[static_cast<unsigned>(std::countr_zero(rest))], end);
        }
    }
    /// The bits of all addresses.
    std::uint64_t any_of(lane_mask mask) const noexcept {
        std::uint64_t any = 0;
        if (mask == all_lanes)
            for (auto const address : access_.lane) any |= address;
        else
            for (auto rest = mask; rest != 0; rest &= rest - 1)
                any |= access_.lane[static_cast<unsigned>(std::countr_zero(rest))];
        return any;
    }
    /// The same for lanes that look into several spaces: their addresses stay generic ones, in our windows.
    void resolve_each(line_reader const& in, static_instruction const& code, lane_mask mask) {
        auto& a = access_;
        for (auto rest = mask; rest != 0; rest &= rest - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(rest));
            auto const address = address_of(lane);
            auto const space = space_of(address);
            auto const offset = address - window_begin(space, address);
            check(in, offset);
            a.lane[lane] =
                (space == memory_space::local ? place(code, offset, lane) : offset) | window_of(space);
        }
        a.affine = false;
        a.space = memory_space::generic;
    }
    std::uint64_t address_of(unsigned lane) const noexcept {
        return access_.affine ? access_.base + access_.stride * lane : access_.lane[lane];
    }
    static void check(line_reader const& in, std::uint64_t address, std::uint64_t end = most_address) {
        if (address >= end)
            in.refuse("an address beyond " + std::string(end == most_address ? "" : "5 * ") +
                      "2^56: " + std::to_string(address));
    }
    memory_space space_of(std::uint64_t address) const noexcept {
        if (is_own_) {
            auto const space = warpkit::space_of(address);
            return space == memory_space::none ? memory_space::global : space;
        }
        auto const shared = header_.shared_base;
        auto const local = header_.local_base;
        // Without windows all is shared, as in Accel-Sim.
        if (shared == 0 || local == 0) return memory_space::shared;
        if (address >= shared && (shared < local ? address < local : address - shared < local_window))
            return memory_space::shared;
        return address >= local && address - local < local_window ? memory_space::local
                                                                  : memory_space::global;
    }
    /// Where the window of a space begins, if this address lies in it.
    std::uint64_t window_begin(memory_space space, std::uint64_t address) const noexcept {
        if (is_own_) return address & window_mask;
        auto const base = space == memory_space::shared  ? header_.shared_base
                          : space == memory_space::local ? header_.local_base
                                                         : 0;
        return address < base ? 0 : base;
    }
    /// Local memory: what lanes name is relative to their own; timing sees it interleaved.
    std::uint64_t place(static_instruction const& code, std::uint64_t offset, unsigned lane) const noexcept {
        auto const thread = (cta_ * warps_ + warp_) * lanes + lane;
        return interleaved(offset & (most_local - 1), code.access_bytes, threads_, thread) & ~window_mask;
    }
    /// A lane outside the local window repeats the first lane's address.
    void spread(static_instruction const& code, lane_mask mask) noexcept {
        auto& a = access_;
        auto const low = static_cast<unsigned>(std::countr_zero(mask));
        auto const leader = place(code, address_of(low), low);
        for (auto rest = mask; rest != 0; rest &= rest - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(rest));
            auto const offset = address_of(lane);
            a.lane[lane] = offset < most_local ? place(code, offset, lane) : leader;
        }
        a.affine = false;
    }
    static constexpr std::uint64_t most_local = std::uint64_t{1} << 32;

    trace_header const& header_;
    form_table& forms_;
    std::vector<head> heads_; ///< by form
    std::uint32_t last_ = form_table::none;
    bool is_own_ = false;
    std::uint64_t warps_ = 0;
    std::uint64_t threads_ = 0;
    std::uint64_t cta_ = none;
    std::uint64_t warp_ = none;
    std::uint64_t left_ = 0;
    std::uint64_t seen_ = 0; ///< warps, by bit
    bool counted_ = false;   ///< the warp's insts has come
    std::uint32_t held_ = form_table::none;
    lane_mask held_mask_ = 0;
    traced_access access_;
};

} // namespace warpkit::accelsim
