#pragma once
/// \file
/// A point of a sweep (config/sweep.hpp), for who picks from tables of them and compiles none.

#include <warpkit/config/engine.hpp>
#include <warpkit/config/machine.hpp>
#include <warpkit/machine/parameters.hpp>

#include <string>
#include <vector>

namespace warpkit {

/// One point of a sweep.
struct sweep_point {
    std::string preset;                    ///< the machine's numbers
    std::vector<std::string> chosen;       ///< the policies' names, in the order of the choices
    std::vector<slot_and_policy> policies; ///< those of all slots
    /// Builds this machine with the given numbers and policies by seat, as values_named() reads them.
    engine (*make_with)(gpu_parameters const&, std::vector<slot_and_policy> const&) = nullptr;
    std::vector<slot_and_policy> texts = {}; ///< what it is always made with, ahead of what else is said

    /// This machine, with its policies as `more` names them: another one in a seat that is filled when a machine is
    /// made, other parameters in any.
    engine make(gpu_parameters const& numbers, std::vector<slot_and_policy> const& more = {}) const {
        auto all = texts;
        all.insert(all.end(), more.begin(), more.end());
        return make_with(numbers, all);
    }
};

} // namespace warpkit
