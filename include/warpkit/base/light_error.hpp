#pragma once
/// \file
/// What headers throw that must stay light, and how headers throw.

#include <warpkit/base/standard.hpp>

#include <exception>
#ifndef __cpp_exceptions
#include <cstdio>
#include <cstdlib>
#endif

namespace warpkit {

/// An error whose text is a constant: policy headers throw it, since warpkit::error needs std::string.
class light_error : public std::exception {
public:
    /// A text that stays.
    explicit light_error(char const* text) noexcept : text_(text) {}
    char const* what() const noexcept override { return text_; }

private:
    char const* text_;
};

/// Throws `e`. In a program without exceptions (-fno-exceptions), which has nowhere to go on, it writes what() to
/// standard error and aborts. Policies, caches, DRAM and what they stand on throw in this way alone.
template <class E>
[[noreturn, gnu::cold, gnu::noinline]] inline void raise_error(E const& e) {
#ifdef __cpp_exceptions
    throw e;
#else
    std::fprintf(stderr, "%s\n", e.what());
    std::abort();
#endif
}

} // namespace warpkit
