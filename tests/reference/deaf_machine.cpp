#include <warpkit/config/presets.hpp>

#include "reference/both_engines.hpp"
#include "reference/random_pairs.hpp"

namespace warpkit::reference_test {

std::string deaf_machine(std::uint64_t seed) {
    gpu_test::random_kernel k(seed);
    both_engines<presets::gtx480::policies> both(gpu_test::random_machine(seed, k.warps()));
    return run_pair(seed, k, both);
}

} // namespace warpkit::reference_test
