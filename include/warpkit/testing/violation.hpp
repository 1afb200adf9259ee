#pragma once

#include <warpkit/base/standard.hpp>

#include <cstdint>
#include <string>

namespace warpkit::testing {

/// A breach of a law.
struct violation {
    std::string policy;
    std::string law;
    std::string what;
    std::uint64_t event = 0; ///< number of the last event before it, counted from 1
    std::uint64_t seed = 0;  ///< the seed of the run ...
    unsigned stream = 0;     ///< ... and the number of the stream in it

    /// One sentence.
    std::string text() const {
        return policy + " breaks the law \"" + law + "\" after event " + std::to_string(event) +
               " of stream " + std::to_string(stream) + " (seed " + std::to_string(seed) + "): " + what;
    }
};

} // namespace warpkit::testing
