#pragma once
/// \file
/// Refuses a CTA that no core can hold. Apart from occupancy.hpp, which needs no exceptions and no strings; those come
/// with base/error.hpp.

#include <warpkit/base/error.hpp>
#include <warpkit/cta/occupancy.hpp>

namespace warpkit {

/// The occupancy of a kernel on a core. Throws `error`, naming kernel, resource, need and limit, if not even one CTA
/// fits, or if it has no threads.
[[gnu::cold]] inline occupancy require_fit(std::string const& kernel, cta_needs const& cta,
                                           core_resources const& core) {
    auto const refuse = [&](std::initializer_list<message_part> why) {
        raise_error(error({"kernel ", kernel, ": ", joined(why)}));
    };
    if (cta.threads == 0) refuse({"a CTA of 0 threads cannot run; launch at least 1 thread"});
    auto const fit = occupancy_of(cta, core);
    if (fit.ctas != 0) return fit;
    auto remedy = "launch smaller CTAs or choose a larger core";
    if (fit.bound == occupancy_bound::ctas) refuse({"the core has 0 CTA slots; give it at least 1"});
    if (fit.bound == occupancy_bound::shared_memory)
        remedy = "use less shared memory or choose a larger core";
    refuse({"one CTA of ", cta.threads, " threads needs ", fit.need, " ", text_of(fit.bound),
            ", but a core has only ", fit.limit, "; ", remedy});
    return fit;
}

} // namespace warpkit
