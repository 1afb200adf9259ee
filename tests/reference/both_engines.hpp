#pragma once

/// Both engines on the same work, for the tests.

#include <warpkit/gpu/gpu.hpp>
#include <warpkit/reference/gpu.hpp>
#include <warpkit/report/counters.hpp>
#include <warpkit/testing/both_engines.hpp>

#include <string>

namespace warpkit::reference_test {

using testing::core_recorder;
using testing::dram_recorder;
using testing::l2_recorder;

/// What all runs of a test have counted, on the reference, as one number: the same work counts the same.
inline report::fingerprint& counted_so_far() {
    static report::fingerprint all;
    return all;
}

template <class P>
class both_engines : public testing::both_engines<gpu<P>, reference::gpu<P>> {
    using base = testing::both_engines<gpu<P>, reference::gpu<P>>;

public:
    explicit both_engines(gpu_parameters const& p, policy_values<P> const& values = {}) : base(p, values) {}
    std::string run(launch_group const& launch) {
        auto parted = base::run(launch, [](run_counters const& engine, run_counters const& reference) {
            std::string text;
            for (auto const& d : report::differences(engine, reference))
                text += "\n" + d.counter->name + ": " + std::to_string(d.first) + " by the engine, " +
                        std::to_string(d.second) + " by the reference";
            return text;
        });
        counted_so_far().add(this->counted());
        return parted;
    }
};

} // namespace warpkit::reference_test
