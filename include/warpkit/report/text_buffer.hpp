#pragma once
/// \file
/// Much text, put together piece by piece.

#include <warpkit/base/standard.hpp>

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace warpkit::report {

/// Text and room behind it: a piece costs its copying, and a number its digits.
class text_buffer {
public:
    std::string_view text() const noexcept { return {text_.get(), size_}; }
    std::size_t size() const noexcept { return size_; }
    void clear() noexcept { size_ = 0; }
    text_buffer& operator<<(std::string_view piece) {
        if (piece.empty()) return *this; // may have no address
        std::memcpy(room(piece.size()), piece.data(), piece.size());
        size_ += piece.size();
        return *this;
    }
    template <std::size_t N>
    text_buffer& operator<<(char const (&piece)[N]) {
        std::memcpy(room(N - 1), piece, N - 1);
        size_ += N - 1;
        return *this;
    }
    template <class T>
    requires(std::is_arithmetic_v<T> && !std::same_as<T, bool> && !std::same_as<T, char>) text_buffer&
    operator<<(T n) {
        take(put(room(longest_number), n));
        return *this;
    }
    text_buffer& operator<<(char c) {
        *room(1) = c;
        ++size_;
        return *this;
    }
    void spaces(std::size_t n) {
        std::memset(room(n), ' ', n);
        size_ += n;
    }

    /// Room for so many more characters, for who puts many pieces in at once; take() says up to where.
    char* room(std::size_t more) {
        if (capacity_ - size_ < more) [[unlikely]]
            grow(more);
        return text_.get() + size_;
    }
    void take(char const* end) noexcept { size_ = static_cast<std::size_t>(end - text_.get()); }
    /// The most that a number takes.
    static constexpr std::size_t longest_number = 32;
    /// Writes a number into such room. Behind it.
    template <class T>
    static char* put(char* at, T n) noexcept {
        if constexpr (std::unsigned_integral<T>)
            if (n < 10) { // most counters of a short stretch are zero
                *at = static_cast<char>('0' + n);
                return at + 1;
            }
        return std::to_chars(at, at + longest_number, n).ptr;
    }

private:
    void grow(std::size_t more) {
        capacity_ = 2 * capacity_ + more;
        std::unique_ptr<char[]> longer(new char[capacity_]); // not set to zero
        if (size_ != 0) std::memcpy(longer.get(), text_.get(), size_);
        text_ = std::move(longer);
    }
    std::unique_ptr<char[]> text_;
    std::size_t capacity_ = 0;
    std::size_t size_ = 0;
};

} // namespace warpkit::report
