#pragma once
/// \file
/// The law of all policies that a checkpoint holds them (machine/state_archive.hpp).

#include <warpkit/base/error.hpp>
#include <warpkit/machine/state_archive.hpp>

#include <string>

namespace warpkit::testing::detail {

/// Makes `copy` what comes of storing the policy and loading it over one that was made alike, and has begun alike;
/// `breach(law, what)` where that is not the same.
template <class P, class Breach>
void restore(P& copy, P const& policy, P const& alike, Breach&& breach) {
    try {
        auto from = policy;
        copy = alike;
        load_bytes(copy, stored_bytes(from));
        if (!(copy == policy))
            breach("a checkpoint holds its state",
                   std::string(
                       "stored and loaded over a new one, it is another: its each_member leaves members out; "
                       "give it `template <class F> void each_stored(F&& f)`, which calls f with all"));
    } catch (error const& e) {
        breach("a checkpoint holds its state", std::string(e.what()));
    }
}

} // namespace warpkit::testing::detail
