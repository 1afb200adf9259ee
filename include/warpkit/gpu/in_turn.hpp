#pragma once
/// \file
/// Who advances the components of a window: here, the calling thread. On several threads: gpu/worker_pool.hpp.

namespace warpkit {

/// Calls a function for each of a window's components in the calling thread, the lowest first.
struct in_turn {
    /// The number of calls that answered true. `likely` is how many will have something to do, at a guess.
    template <class F>
    unsigned operator()(unsigned count, [[maybe_unused]] unsigned likely, F&& f) const {
        unsigned yes = 0;
        for (unsigned i = 0; i < count; ++i) yes += f(i);
        return yes;
    }
};

} // namespace warpkit
