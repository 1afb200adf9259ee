#pragma once
/// \file
/// Slots and sets in words, for messages.

#include <warpkit/base/slot.hpp>
#include <warpkit/base/warp_set.hpp>

#include <string>

namespace warpkit::testing {

/// A set in words, as {0, 3, 17}.
inline std::string text_of(warp_set s) {
    std::string text = "{";
    s.for_each([&](warp_slot w) { text += (text.size() > 1 ? ", " : "") + std::to_string(w.index()); });
    return text + "}";
}
/// A slot in words.
inline std::string text_of(warp_slot w) { return w ? "warp " + std::to_string(w.index()) : "no warp"; }

} // namespace warpkit::testing
