#pragma once
// `lab run --checkpoint`: what a run keeps of itself, and goes on from.

#include <warpkit/config/engine.hpp>

#include "runs.hpp"

namespace lab {

// Refuses what a checkpoint cannot be of, before any work.
void check_checkpoint(request const& what, std::vector<job> const& jobs);
// Has the machine make checkpoints of the job where they are asked for, and go on from one where that is.
void keep(warpkit::engine& machine, job const& j, request const& what);

} // namespace lab
