#pragma once
/// \file
/// What headers throw that must stay light.

#include <exception>

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

} // namespace warpkit
