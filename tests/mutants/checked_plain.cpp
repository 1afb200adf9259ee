#include <warpkit/config/presets.hpp>
#include <warpkit/config/simulate_reference.hpp>
#include <warpkit/dram/protocol_checker.hpp>

#include "mutants/checked.hpp"

namespace warpkit::mutants {

engine plain_engine(gpu_parameters const& numbers) {
    return reference_engine<presets::gtx480::with<use::dram_observer<dram::protocol_checker>>>(numbers);
}

} // namespace warpkit::mutants
