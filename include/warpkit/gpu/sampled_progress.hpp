#pragma once
/// \file
/// What a machine tells a sampler (gpu/sampling.hpp), which is compiled only where one is used.
///
/// The reference has no sampling.

#include <warpkit/base/cycle.hpp>
#include <warpkit/program/stream.hpp>

#include <cstdint>

namespace warpkit {

/// What streams hold. The words that their addresses take say how they access memory: few where the lanes' addresses
/// are at equal distances, one per lane where they are not.
struct stream_size {
    std::uint64_t instructions = 0;
    std::uint64_t words = 0;

    stream_size& operator+=(warp_stream const& s) noexcept {
        instructions += s.size();
        words += s.address_data().size();
        return *this;
    }
    stream_size& operator+=(stream_size const& o) noexcept {
        instructions += o.instructions;
        words += o.words;
        return *this;
    }
    friend stream_size operator-(stream_size const& a, stream_size const& b) noexcept {
        return {a.instructions - b.instructions, a.words - b.words};
    }
    double words_per_instruction() const noexcept {
        return instructions == 0 ? 0 : static_cast<double>(words) / static_cast<double>(instructions);
    }
    friend bool operator==(stream_size const&, stream_size const&) = default;
};

/// What a sampler sees of a kernel that runs.
struct sampled_progress {
    cycle age = 0;                       ///< core cycles since the kernel began
    std::uint64_t warp_instructions = 0; ///< issued in this kernel
    std::uint64_t finished = 0;          ///< CTAs that were timed to their end
    std::uint64_t resident = 0;          ///< CTAs on cores
    std::uint64_t left = 0;              ///< CTAs that have not been dispatched
};

} // namespace warpkit
