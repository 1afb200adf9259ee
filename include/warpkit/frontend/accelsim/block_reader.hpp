#pragma once
/// \file
/// Reads the thread blocks of a trace: what each warp executed, line by line.

#include <warpkit/frontend/accelsim/header.hpp>
#include <warpkit/frontend/accelsim/instruction_forms.hpp>
#include <warpkit/frontend/accelsim/text.hpp>
#include <warpkit/program/stream.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::accelsim {

/// The addresses of one access, as timing sees them.
struct traced_access {
    memory_space space = memory_space::none;
    bool affine = false; ///< base + stride * lane; else, where `distance` is null, `lane`
    /// Of the k-th active lane from `base`; not at one stride. Until the next instruction is read.
    lane_addresses const* distance = nullptr;
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
          warps_(static_cast<unsigned>((header.block.count() + lanes - 1) / lanes)) {}

    /// Moves `in` to the next line "#BEGIN_TB", unless it stands on one; false if there is none.
    static bool find_block(line_reader& in, bool already = false) {
        while (already || in.next()) {
            already = false;
            auto const line = in.line();
            if (line.empty()) continue;
            if (is(line, "#BEGIN_TB")) return true;
            if (line[0] == '#' || word_reader(line).done()) continue;
            if (line[0] == '-') continue; // a header line behind the '#' line
            in.refuse(is(line, "thread block")
                          ? "a thread block without #BEGIN_TB"
                          : "expected #BEGIN_TB, found '" + std::string(line.substr(0, 40)) + '\'');
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
            if (left_ != 0 && held_ == form_table::none) go_on(in, sink);
            if (!in.next()) in.refuse("the file ends in the middle of a thread block");
            auto line = in.line();
            while (!line.empty() && word_reader::is_blank(line[0])) line.remove_prefix(1);
            if (line.empty()) continue;
            if (is(line, "cluster ")) {
                in_cluster(in, line);
                continue;
            }
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
    /// Where the block lies in its cluster. Alone in it, as all blocks of kernels without clusters are, it has rank 0.
    static void in_cluster(line_reader const& in, std::string_view line) {
        word_reader words(line);
        std::uint64_t rank = 0;
        if (words.skip("cluster rank =") && words.decimal(rank) && rank != 0)
            in.refuse("a thread block of a cluster of several: traces of such kernels are not timed");
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
        auto const* behind = words.at();
        if (number != form_table::none && heads_[number].begins(behind, behind + line.size() + 1) &&
            ends_word(behind)) {
            mask = heads_[number].mask;
            words.advance(static_cast<std::size_t>(behind - words.at()));
        } else {
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
            if (mask == 0) { // what stands there may be anything (docs/model/traces.md#addresses)
                sink.executed(number, mask);
                return;
            }
            if constexpr (Sink::wants_addresses) {
                read_access(in, words, number, mask);
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
    /// How far the addresses of an access are from its first one.
    struct shape {
        std::string text; ///< what says so: from the first address to the end of the line
        char mode = 0;    ///< of addresses; a digit
        bool affine = false;
        bool known = false;     ///< what the text means; else it has been seen but once
        lane_mask mask = 0;     ///< under which the text stood there
        std::uint64_t from = 0; ///< a first address from here on, and below `to`, needs no further look
        std::uint64_t to = 0;
        std::uint64_t stride = 0;
        lane_addresses distance{}; ///< of each active lane, if not affine
    };
    /// Lines without addresses that stood one behind the other.
    struct stretch {
        struct line {
            std::uint32_t form;
            lane_mask mask;
        };
        std::string text; ///< of all of them, with their ends
        std::vector<line> lines;
    };
    /// How a line began that ran this form, and what ran after it.
    struct head {
        std::string text; ///< up to the addresses
        std::size_t mask_at = 0;
        lane_mask mask = 0;
        std::uint32_t next = form_table::none;
        bool has_addresses = false;
        bool is_plain = false; ///< nothing but addresses may stand behind the text
        memory_space space = memory_space::none;
        std::uint8_t fresh = 0;    ///< shapes since one came again
        std::uint8_t likely = 0;   ///< the shape that came last
        std::uint8_t anew = 0;     ///< times that the stretch was another, since it came again
        stretch known;             ///< the one that begins with this form
        std::vector<shape> shapes; ///< the last few, which mostly are those of the warps of a block

        /// Whether a line at `p` begins so, but perhaps with another mask, which is noted; moves `p` past that.
        [[gnu::always_inline]] bool begins(char const*& p, char const* end) noexcept {
            auto const size = text.size();
            if (static_cast<std::size_t>(end - p) <= size) return false;
            if (!same(p, text.data(), size)) {
                lane_mask other = 0;
                auto const behind = mask_at + mask_digits;
                if (!same(p, text.data(), mask_at) ||
                    !word_reader({p + mask_at, mask_digits}).eight_digits(&other) ||
                    !same(p + behind, text.data() + behind, size - behind))
                    return false;
                std::memcpy(text.data() + mask_at, p + mask_at, mask_digits);
                mask = other;
            }
            p += size;
            return true;
        }
    };
    static constexpr std::size_t shortest_stretch = 3; ///< lines that are worth to be remembered as one text
    static constexpr std::size_t longest_stretch = 64;
    static constexpr std::size_t most_stretches = std::size_t{1} << 20; ///< bytes, of all
    /// Whether no word goes on at `p`.
    static bool ends_word(char const* p) noexcept { return *p == '\n' || word_reader::is_blank(*p); }
    /// The form that is expected to follow the last one, or none.
    std::uint32_t expected() const noexcept {
        return last_ < heads_.size() ? heads_[last_].next : form_table::none;
    }
    /// As memcmp() does, but in place: heads of lines are short.
    [[gnu::always_inline]] static bool same(char const* a, char const* b, std::size_t n) noexcept {
        auto const eight = [](char const* p) {
            std::uint64_t word = 0;
            std::memcpy(&word, p, sizeof word);
            return word;
        };
        if (n < 8 || n > 64) return std::memcmp(a, b, n) == 0;
        for (std::size_t i = 0; i + 8 < n; i += 8)
            if (eight(a + i) != eight(b + i)) return false;
        return eight(a + n - 8) == eight(b + n - 8);
    }
    /// Moves `p` to behind the end of its line, if nothing but blanks stands before that.
    static bool end_line(char const*& p, char const* end) noexcept {
        while (p != end && (*p == ' ' || *p == '\r')) ++p;
        return p != end && *p++ == '\n';
    }
    /// Reads on over whole lines of which nothing is new but the mask and the first address, or nothing more is wanted,
    /// without looking for their ends and their words.
    template <class Sink>
    void go_on(line_reader& in, Sink& sink) {
        auto const ahead = in.ahead();
        auto const* at = ahead.data();
        auto const* const end = at + ahead.size();
        std::uint64_t lines = 0;
        auto const* plain = at; // lines without addresses from here on, those of passed_
        passed_.clear();
        auto const passed = [&] {
            keep_stretch({plain, static_cast<std::size_t>(at - plain)});
            passed_.clear();
            plain = at;
        };
        for (; left_ != 0; --left_, ++lines) {
            auto const number = expected();
            if (number == form_table::none) break;
            auto& h = heads_[number];
            if (auto const& s = h.known; passed_.empty() && !s.lines.empty() && s.lines.size() <= left_ &&
                                         static_cast<std::size_t>(end - at) >= s.text.size() &&
                                         std::memcmp(at, s.text.data(), s.text.size()) == 0) {
                for (auto const& l : s.lines) sink.executed(l.form, l.mask);
                h.anew = 0;
                left_ -= s.lines.size() - 1;
                lines += s.lines.size() - 1;
                last_ = s.lines.back().form;
                plain = at += s.text.size();
                continue;
            }
            auto const* p = at;
            if (!passed_.empty() && (h.has_addresses || !h.is_plain || passed_.size() == longest_stretch))
                passed();
            if (!h.is_plain || !h.begins(p, end)) break;
            bool const accesses = h.has_addresses && h.mask != 0 && Sink::wants_addresses;
            if (h.has_addresses && !accesses) {
                if (!ends_word(p)) break;
                p = static_cast<char const*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
                if (p == nullptr || p - at > static_cast<std::ptrdiff_t>(line_reader::longest)) break;
                ++p;
            } else if ((accesses && !spread_as(p, end, h)) || !end_line(p, end)) {
                break;
            }
            at = p;
            last_ = number;
            if (h.has_addresses)
                plain = at;
            else
                passed_.push_back({number, h.mask});
            if (accesses)
                sink.accessed(number, h.mask, access_);
            else
                sink.executed(number, h.mask);
        }
        if (left_ == 0) passed();
        in.pass(at, lines);
    }
    /// Keeps the lines of passed_ in mind, which are this text, unless others come there each time.
    void keep_stretch(std::string_view text) {
        if (passed_.size() < shortest_stretch) return;
        auto& h = heads_[passed_.front().form];
        if (h.anew == most_fresh || stretches_ + text.size() > most_stretches) return;
        ++h.anew;
        stretches_ += text.size() - h.known.text.size();
        h.known.text = text;
        h.known.lines = passed_;
    }
    void remember(std::uint32_t number, std::string_view text, std::size_t mask_at, lane_mask mask) {
        if (heads_.size() < forms_.forms().size()) heads_.resize(forms_.forms().size());
        auto& h = heads_[number];
        h.text = text;
        h.mask_at = mask_at;
        h.mask = mask;
        auto const& f = forms_.forms()[number];
        h.has_addresses = f.has_addresses;
        h.is_plain = !f.has_barrier && !f.is_twice;
        h.space = f.code.space;
        if (last_ != form_table::none) heads_[last_].next = number;
    }

    template <class Sink>
    void let_go(Sink& sink) {
        if (held_ != form_table::none) sink.accessed(held_, held_mask_, access_);
        held_ = form_table::none;
    }
    /// Newer tracers add an immediate; 2.0's two, and what its registers held.
    void end(line_reader const& in, word_reader& words) const {
        if (words.done()) return;
        auto const tail = words;
        auto last = words.word();
        if (words.done()) return;
        if (header_.has_values()) {
            last = words.word();
            if (last != "Val" && last != "NoVal") last = words.word();
            if (last == "Val" || (last == "NoVal" && words.done())) return;
            if (last.empty()) return; // two immediates alone
        }
        in.refuse(header_.has_values()
                      ? "expected two immediates and Val or NoVal behind the instruction, found '" +
                            tail.ahead() + "'; are there more addresses than active lanes?"
                      : "more behind the instruction than an immediate; are there more addresses than active "
                        "lanes?");
    }

    // ---- addresses
    static constexpr std::size_t most_shapes = 8; ///< of a form that are remembered
    static constexpr unsigned most_fresh = 64; ///< in a row, before a form's shapes count as never the same
    /// Whether what stands at `p` is a first address, and others in a known shape; moves `p` past them.
    bool spread_as(char const*& p, char const* end, head& h) noexcept {
        constexpr std::ptrdiff_t before = 5;  // " 1 0x"
        constexpr std::ptrdiff_t digits = 14; // of an address below 2^56
        if (h.shapes.empty() || end - p <= before + digits || p[0] != ' ' || p[2] != ' ' || p[3] != '0' ||
            p[4] != 'x')
            return false;
        auto const mode = p[1];
        auto const* const begin = p += before;
        std::uint64_t first = 0;
        for (unsigned d = 0; p - begin <= digits && (d = word_reader::digit_of(*p)) < 16; ++p)
            first = first << 4 | d;
        if (p == begin || p - begin > digits) return false;
        auto const left = static_cast<std::size_t>(end - p);
        auto const n = h.shapes.size();
        for (std::size_t i = 0; i < n; ++i, h.likely = h.likely + 1U < n ? h.likely + 1 : 0) {
            auto const& s = h.shapes[h.likely];
            if (!s.known || s.mask != h.mask || s.mode != mode || left < s.text.size() ||
                !same(p, s.text.data(), s.text.size()))
                continue;
            if (first < s.from || first >= s.to) return false;
            p += s.text.size();
            auto& a = access_;
            a.space = h.space;
            a.affine = s.affine;
            a.distance = &s.distance;
            a.base = s.affine ? first - s.stride * static_cast<unsigned>(std::countr_zero(s.mask)) : first;
            a.stride = s.stride;
            return true;
        }
        return false;
    }
    /// Keeps in mind how far addresses, as they stand in the file, are from the first; `text` is what stands behind
    /// that.
    void remember_shape(head& h, lane_mask mask, char mode, std::string_view text) {
        // What is moved on to another space needs a look at each address.
        if (h.fresh == most_fresh || h.space == memory_space::generic || h.space == memory_space::local ||
            (mode == '0' && count_lanes(mask) != 1))
            return;
        auto const seen = std::find_if(h.shapes.begin(), h.shapes.end(), [&](shape const& s) {
            return s.mask == mask && s.mode == mode && s.text == text;
        });
        if (seen == h.shapes.end()) { // only what comes twice is worth the work
            if (++h.fresh == most_fresh) {
                h.shapes.clear();
                return;
            }
            if (h.shapes.size() < most_shapes) h.shapes.emplace_back();
            auto& s = h.shapes[h.fresh % h.shapes.size()];
            s.text = text;
            s.mode = mode;
            s.mask = mask;
            s.known = false;
            return;
        }
        h.fresh = 0;
        if (!seen->known) understand(*seen, h.space);
    }
    /// Makes a shape of the addresses that have just been read.
    void understand(shape& s, memory_space space) const noexcept {
        auto end = most_address;
        if (!is_own_ && space == memory_space::shared && header_.shared_base != 0)
            end = std::min(end, header_.shared_base);
        auto const first = address_of(static_cast<unsigned>(std::countr_zero(s.mask)));
        std::uint64_t below = 0;
        std::uint64_t above = 0;
        lane_addresses by_lane{};
        unsigned k = 0;
        for (auto m = s.mask; m != 0; m &= m - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(m));
            auto const distance = s.distance[k++] = by_lane[lane] = address_of(lane) - first;
            if (distance >> 63 != 0)
                below = std::max(below, 0 - distance);
            else
                above = std::max(above, distance);
        }
        if (below >= end || above >= end - below) return;
        s.from = below;
        s.to = end - above;
        auto const line = affine_through(s.mask, by_lane);
        s.affine = line.exact;
        s.stride = line.stride;
        s.known = true;
    }
    /// Reads the addresses, to the end of the line.
    void read_access(line_reader const& in, word_reader& words, std::uint32_t number, lane_mask mask) {
        auto const& code = forms_.forms()[number].code;
        std::uint64_t mode = 0;
        if (auto const at = words; !words.decimal(mode) || mode > 2)
            in.refuse("expected an address mode from 0 to 2, found '" + at.ahead() + '\'');
        auto& a = access_;
        auto const low = static_cast<unsigned>(std::countr_zero(mask));
        std::uint64_t first = 0;
        if (!words.hexadecimal(first)) too_few(in, mask, 0);
        auto const* const behind_first = words.at();
        a.affine = false;
        a.distance = nullptr;
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
            auto rest = mask & (mask - 1);
            if (mode == 2)
                for (std::int64_t distance = 0; rest != 0 && words.next_signed_decimal(distance);
                     rest &= rest - 1) {
                    address += static_cast<std::uint64_t>(distance);
                    a.lane[static_cast<unsigned>(std::countr_zero(rest))] = address;
                }
            for (; rest != 0; rest &= rest - 1) { // in other spellings, or what is none
                std::int64_t distance = 0;
                if (mode == 2 ? !words.signed_decimal(distance) : !words.hexadecimal(address))
                    too_few(in, mask, static_cast<unsigned>(std::popcount(mask) - std::popcount(rest)));
                address += static_cast<std::uint64_t>(distance);
                a.lane[static_cast<unsigned>(std::countr_zero(rest))] = address;
            }
        }
        end(in, words);
        if (number < heads_.size() && code.is_memory())
            remember_shape(heads_[number], mask, static_cast<char>('0' + mode),
                           {behind_first, static_cast<std::size_t>(words.at() - behind_first)});
        if (code.is_memory()) resolve(in, code, mask);
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
                    return resolve_each(in, mask);
        }
        if (auto const window = is_generic || !is_own_ ? window_begin(a.space, a.lane[low]) : 0;
            window != 0) {
            a.base -= window;
            for (auto rest = mask; rest != 0; rest &= rest - 1)
                a.lane[static_cast<unsigned>(std::countr_zero(rest))] -= window;
        }
        auto const high = 31 - static_cast<unsigned>(std::countl_zero(mask));
        if (a.space == memory_space::local) {
            if (!a.affine || a.lane[low] >= most_local || address_of(high) >= most_local)
                keep_in_window(mask);
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
    void resolve_each(line_reader const& in, lane_mask mask) {
        auto& a = access_;
        for (auto rest = mask; rest != 0; rest &= rest - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(rest));
            auto const address = address_of(lane);
            auto const space = space_of(address);
            auto const offset = address - window_begin(space, address);
            check(in, offset);
            a.lane[lane] =
                (space == memory_space::local ? offset & (most_local - 1) : offset) | window_of(space);
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
    /// A lane outside the window of local memory repeats the first lane's address.
    void keep_in_window(lane_mask mask) noexcept {
        auto& a = access_;
        auto const leader = address_of(static_cast<unsigned>(std::countr_zero(mask))) & (most_local - 1);
        for (auto rest = mask; rest != 0; rest &= rest - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(rest));
            auto const offset = address_of(lane);
            a.lane[lane] = offset < most_local ? offset : leader;
        }
        a.affine = false;
    }
    static constexpr std::uint64_t most_local = std::uint64_t{1} << 32;

    trace_header const& header_;
    form_table& forms_;
    std::vector<head> heads_; ///< by form
    std::vector<stretch::line> passed_;
    std::size_t stretches_ = 0; ///< bytes of all of them
    std::uint32_t last_ = form_table::none;
    bool is_own_ = false;
    std::uint64_t warps_ = 0;
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
