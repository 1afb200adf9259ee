#pragma once
/// \file
/// What cores and dispatcher tell each other of CTAs, and others who take a machine through its windows.

#include <warpkit/base/cycle.hpp>

#include <cstdint>

namespace warpkit {

/// A CTA that left its core.
struct finished_cta {
    std::uint64_t linear_id = 0;
    cycle at = 0;
    unsigned core = 0;
    friend bool operator==(finished_cta const&, finished_cta const&) = default;
};

/// What the dispatcher will have to do in this kernel.
struct dispatch_outlook {
    bool settled = false; ///< nothing before a CTA finishes, and then only for its core (dispatcher::settled)
    bool finished = false; ///< nothing any more: all CTAs have finished
    bool left = false;     ///< there are CTAs that have not been dispatched
};

} // namespace warpkit
