#pragma once

/// Shipped kernels on the published machines, under the DRAM protocol checker, on either engine.

#include <warpkit/config/engine.hpp>
#include <warpkit/config/simulation_result.hpp>
#include <warpkit/machine/parameters.hpp>

#include <string>

namespace warpkit::mutants {

engine fast_engine(gpu_parameters const& numbers);
engine plain_engine(gpu_parameters const& numbers);

/// The kernel on the preset with small inputs. Throws `error` where the run does, and where a value is wrong.
simulation_result run(engine const& machine, std::string const& kernel);

/// The numbers of the preset, but for six cores where it has more.
gpu_parameters numbers_of(std::string const& preset);

} // namespace warpkit::mutants
