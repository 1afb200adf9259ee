#pragma once
/// \file
/// The one exception of warpkit. Bad input, an impossible configuration and a stuck simulation all end in it.

#include <warpkit/base/message.hpp>

#include <initializer_list>
#include <stdexcept>
#include <string>

namespace warpkit {

/// Thrown for everything a user can mend: malformed PTX, an impossible number, a kernel that cannot finish.
/// The message is one sentence that names the place (file:line:column, field, warp, cycle) and the remedy.
class error : public std::runtime_error {
public:
    explicit error(std::string const& message) : std::runtime_error(message) {}
    /// The same in pieces: error({"core ", 3U, " is stuck"}).
    explicit error(std::initializer_list<message_part> message) : std::runtime_error(joined(message)) {}
};

} // namespace warpkit
