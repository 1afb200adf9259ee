#pragma once
/// \file
/// Much text, put together piece by piece.

#include <warpkit/base/standard.hpp>

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace warpkit::report {

/// Text and room behind it: a piece costs its copying, and a number its digits.
class text_buffer {
public:
    std::string_view text() const noexcept { return {text_.data(), size_}; }
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
        static constexpr std::size_t longest = 32;
        auto* const at = room(longest);
        size_ += static_cast<std::size_t>(std::to_chars(at, at + longest, n).ptr - at);
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

private:
    char* room(std::size_t more) {
        if (text_.size() - size_ < more) [[unlikely]]
            text_.resize(2 * text_.size() + more);
        return text_.data() + size_;
    }
    std::string text_;
    std::size_t size_ = 0;
};

} // namespace warpkit::report
