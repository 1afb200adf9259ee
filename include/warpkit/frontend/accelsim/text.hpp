#pragma once
/// \file
/// Text as the trace reader takes it: bytes that come one after the other, cut into numbered lines.

#include <warpkit/base/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace warpkit::accelsim {

/// Gives the next bytes, at most `most`, and how many they are; 0 at the end. Throws `error` when it cannot.
using byte_stream = std::function<std::size_t(char* to, std::size_t most)>;
/// Takes bytes. Throws `error` when it cannot.
using byte_sink = std::function<void(std::string_view)>;

/// Where a text comes from; it can be read more than once. A value.
struct text_source {
    std::string name;      ///< for messages
    bool seekable = false; ///< whether it can be read from the middle on
    /// Begins to read at byte `offset`, which is 0 where it is not seekable.
    std::function<byte_stream(std::uint64_t offset)> open;
    /// For messages: which line of the file is line n of the text; the same if empty.
    std::function<std::uint64_t(std::uint64_t line)> line_in_file = {};
};

/// A text in memory.
inline text_source source_of(std::string name, std::string text) {
    auto const shared = std::make_shared<std::string const>(std::move(text));
    return {std::move(name), true, [shared](std::uint64_t offset) -> byte_stream {
                auto at = std::min<std::size_t>(offset, shared->size());
                return [shared, at](char* to, std::size_t most) mutable {
                    auto const n = std::min(most, shared->size() - at);
                    std::memcpy(to, shared->data() + at, n);
                    at += n;
                    return n;
                };
            }};
}

/// Reads line by line, with line numbers. Lines end with LF or CRLF; the last one may lack its end.
class line_reader {
public:
    static constexpr std::size_t longest = std::size_t{1} << 16; ///< bytes of a line

    explicit line_reader(text_source const& source) : line_reader(source, 0, 1) {}
    /// Begins with line `number`, which begins at byte `offset`; reads its way there where the source is not seekable.
    line_reader(text_source const& source, std::uint64_t offset, std::uint64_t number)
        : name_(source.name),
          line_in_file_(source.line_in_file),
          number_(number - 1),
          buffer_(new char[block + longest + 1]) {
        auto const first = source.seekable ? offset : 0;
        try {
            in_ = source.open(first);
        } catch (error const& e) {
            throw error(name_ + ": " + e.what());
        }
        buffer_at_ = first;
        skip_to(offset, number);
    }

    /// Moves on to the next line; false if there is none.
    bool next() {
        line_begin_ = next_begin_;
        for (;;) {
            auto const* const begin = buffer_.get() + next_begin_;
            auto const* const end = static_cast<char const*>(std::memchr(begin, '\n', filled_ - next_begin_));
            if (end != nullptr) {
                if (end - begin > static_cast<std::ptrdiff_t>(longest)) too_long();
                finish(static_cast<std::size_t>(end - begin), 1);
                return true;
            }
            if (ended_) {
                if (next_begin_ == filled_) return false;
                buffer_[filled_] = '\n';
                finish(filled_ - next_begin_, 0);
                return true;
            }
            if (filled_ - next_begin_ > longest) too_long();
            refill();
        }
    }
    /// What is read in of the lines that follow; perhaps not to the end of a line.
    std::string_view ahead() const noexcept { return {buffer_.get() + next_begin_, filled_ - next_begin_}; }
    /// Moves on past `lines` lines of ahead(), which end at `p`, without standing on the last of them.
    void pass(char const* p, std::uint64_t lines) noexcept {
        next_begin_ = line_begin_ = static_cast<std::size_t>(p - buffer_.get());
        line_size_ = 0;
        number_ += lines;
    }
    /// Without its end; behind it stands a character that is LF or CR. Until the next call of next().
    std::string_view line() const noexcept { return {buffer_.get() + line_begin_, line_size_}; }
    /// Of the line; the first is 1.
    std::uint64_t number() const noexcept { return number_; }
    /// Of the line's first byte.
    std::uint64_t offset() const noexcept { return buffer_at_ + line_begin_; }
    /// Of the next line's.
    std::uint64_t next_offset() const noexcept { return buffer_at_ + next_begin_; }

    /// Reads on to byte `offset`, at or behind next_offset(), where line `number` begins.
    void skip_to(std::uint64_t offset, std::uint64_t number) {
        while (buffer_at_ + filled_ < offset && !ended_) {
            next_begin_ = filled_;
            refill();
        }
        next_begin_ = static_cast<std::size_t>(std::min<std::uint64_t>(offset - buffer_at_, filled_));
        line_begin_ = next_begin_;
        line_size_ = 0;
        number_ = number - 1;
    }

    /// Throws `error`: "name:line: what".
    [[noreturn]] void refuse(std::string const& what) const {
        auto const line = line_in_file_ ? line_in_file_(number_) : number_;
        throw error(name_ + ':' + std::to_string(line) + ": " + what);
    }

private:
    static constexpr std::size_t block = std::size_t{1} << 17;

    [[noreturn]] void too_long() {
        ++number_;
        refuse("a line of more than " + std::to_string(longest) + " bytes");
    }
    void finish(std::size_t size, std::size_t end) noexcept {
        line_begin_ = next_begin_;
        next_begin_ += size + end;
        line_size_ = size != 0 && buffer_[line_begin_ + size - 1] == '\r' ? size - 1 : size;
        ++number_;
    }
    void refill() {
        auto const rest = filled_ - next_begin_;
        std::memmove(buffer_.get(), buffer_.get() + next_begin_, rest);
        buffer_at_ += next_begin_;
        next_begin_ = line_begin_ = 0;
        filled_ = rest;
        std::size_t n = 0;
        try {
            n = in_(buffer_.get() + filled_, block);
        } catch (error const& e) {
            ++number_;
            refuse(e.what());
        }
        filled_ += n;
        ended_ = n == 0;
    }

    std::string name_;
    std::function<std::uint64_t(std::uint64_t)> line_in_file_;
    byte_stream in_;
    std::uint64_t number_ = 0;
    std::uint64_t buffer_at_ = 0; ///< offset of the buffer's first byte
    std::size_t line_begin_ = 0;
    std::size_t line_size_ = 0;
    std::size_t next_begin_ = 0;
    std::size_t filled_ = 0;
    bool ended_ = false;
    std::unique_ptr<char[]> buffer_; ///< not zeroed: of a small file, little is ever touched
};

/// Reads words and numbers of one line. Precondition of all: a character that is no part of a word stands behind it.
class word_reader {
public:
    explicit word_reader(std::string_view line) noexcept : at_(line.data()), end_(at_ + line.size()) {}

    char const* at() const noexcept { return at_; }
    void advance(std::size_t n) noexcept { at_ += n; }
    std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
    void skip_blanks() noexcept {
        while (at_ != end_ && is_blank(*at_)) ++at_;
    }
    /// Reads past `text`, if it stands here.
    bool skip(std::string_view text) noexcept {
        if (left() < text.size() || std::memcmp(at_, text.data(), text.size()) != 0) return false;
        at_ += text.size();
        return true;
    }
    /// Whether eight digits to base 16 stand here, and how much they are.
    bool eight_digits(std::uint32_t* value = nullptr) const noexcept {
        if (left() < 8) return false;
        std::uint32_t v = 0;
        unsigned any = 0;
        for (unsigned i = 0; i < 8; ++i) {
            auto const d = digit_of(at_[i]);
            any |= d;
            v = v << 4 | d;
        }
        if (value != nullptr) *value = v;
        return any < 16;
    }
    /// Whether nothing but blanks is left.
    bool done() noexcept {
        skip_blanks();
        return at_ == end_;
    }
    /// The next word; empty at the end.
    std::string_view word() noexcept {
        skip_blanks();
        auto const* const begin = at_;
        while (at_ != end_ && !is_blank(*at_)) ++at_;
        return {begin, static_cast<std::size_t>(at_ - begin)};
    }
    /// The next word, which is not read; for messages.
    std::string ahead() const {
        auto copy = *this;
        return std::string(copy.word());
    }
    /// The next word as a number; false, and nothing read, if it is none or has more than 19 digits.
    bool decimal(std::uint64_t& to) noexcept {
        skip_blanks();
        return digits(at_, to);
    }
    /// The same with a sign.
    [[gnu::always_inline]] bool signed_decimal(std::int64_t& to) noexcept {
        skip_blanks();
        bool const negative = *at_ == '-';
        std::uint64_t v = 0;
        auto const* const begin = at_;
        if (!digits(begin + negative, v)) return false;
        if (v > (std::uint64_t{1} << 63) - !negative) {
            at_ = begin;
            return false;
        }
        to = static_cast<std::int64_t>(negative ? 0 - v : v);
        return true;
    }
    /// The same where one blank stands before it, and it has up to 18 digits, as it mostly is.
    [[gnu::always_inline]] bool next_signed_decimal(std::int64_t& to) noexcept {
        if (at_ == end_ || *at_ != ' ') return false;
        bool const negative = at_[1] == '-';
        auto const* const begin = at_ + 1 + negative;
        auto const* p = begin;
        std::uint64_t v = 0;
        for (unsigned d = 0; (d = static_cast<unsigned char>(*p) - unsigned{'0'}) < 10; ++p) v = v * 10 + d;
        if (p == begin || p - begin >= most_digits || (*p != ' ' && p != end_)) return false;
        at_ = p;
        to = static_cast<std::int64_t>(negative ? 0 - v : v);
        return true;
    }
    /// The same to base 16, with or without 0x.
    bool hexadecimal(std::uint64_t& to) noexcept {
        skip_blanks();
        auto const* p = at_;
        if (p[0] == '0' && p + 1 < end_ && (p[1] == 'x' || p[1] == 'X')) {
            p += 2;
            if (digit_of(*p) > 15) return false;
        }
        std::uint64_t v = 0;
        for (unsigned d = 0; (d = digit_of(*p)) < 16; ++p) {
            if ((v >> 60) != 0) return false;
            v = v << 4 | d;
        }
        if (p == at_) return false;
        return end_word(p, v, to);
    }

    static constexpr unsigned digit_of(char c) noexcept { return values[static_cast<unsigned char>(c)]; }
    static constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

private:
    static constexpr std::ptrdiff_t most_digits = 19; ///< of which each number fits 64 bits

    /// By character: its value as a digit to base 16, or 16.
    static constexpr std::array<std::uint8_t, 256> values = [] {
        std::array<std::uint8_t, 256> v{};
        for (unsigned c = 0; c < 256; ++c) v[c] = 16;
        for (unsigned d = 0; d < 10; ++d) v['0' + d] = static_cast<std::uint8_t>(d);
        for (unsigned d = 10; d < 16; ++d) v['a' + d - 10] = v['A' + d - 10] = static_cast<std::uint8_t>(d);
        return v;
    }();
    /// From `begin` on, which is no blank, to the end of the word.
    [[gnu::always_inline]] bool digits(char const* begin, std::uint64_t& to) noexcept {
        auto const* p = begin;
        std::uint64_t v = 0;
        for (unsigned d = 0; (d = static_cast<unsigned char>(*p) - unsigned{'0'}) < 10; ++p) v = v * 10 + d;
        return p != begin && p - begin <= most_digits && end_word(p, v, to);
    }
    bool end_word(char const* p, std::uint64_t v, std::uint64_t& to) noexcept {
        if (p > end_ || (p != end_ && !is_blank(*p))) return false;
        at_ = p;
        to = v;
        return true;
    }

    char const* at_;
    char const* end_;
};

} // namespace warpkit::accelsim
