#include <warpkit/config/presets.hpp>
#include <warpkit/config/simulate.hpp>
#include <warpkit/dram/protocol_checker.hpp>

#include "mutants/checked.hpp"

namespace warpkit::mutants {

engine fast_engine(gpu_parameters const& numbers) {
    return engine::of<presets::gtx480::with<use::dram_observer<dram::protocol_checker>>>(numbers);
}

} // namespace warpkit::mutants
