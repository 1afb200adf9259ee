#pragma once
// What files are told by: their contents.

#include <warpkit/base/hash.hpp>
#include <warpkit/report/text.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lab {

// 32 hexadecimal digits.
inline std::string content_hash(std::string_view text) {
    std::string digits;
    for (std::uint64_t const which : {1U, 2U}) {
        warpkit::hasher h;
        h.add(which);
        h.add(text.size());
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            word = word << 8 | static_cast<unsigned char>(text[i]);
            if (i % 8 == 7) h.add(word);
        }
        h.add(word);
        digits += warpkit::report::hexadecimal(h.value());
    }
    return digits;
}

} // namespace lab
