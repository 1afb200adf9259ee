#pragma once

/// Both engines on the same work, for the tests.

#include <warpkit/config/presets.hpp>
#include <warpkit/cta/policies.hpp>
#include <warpkit/gpu/gpu.hpp>
#include <warpkit/reference/gpu.hpp>
#include <warpkit/report/counters.hpp>
#include <warpkit/testing/both_engines.hpp>

#include <memory>
#include <string>
#include <vector>

namespace warpkit::reference_test {

using testing::core_recorder;
using testing::dram_recorder;
using testing::l2_recorder;

/// What all runs of a test have counted, on the reference, as one number: the same work counts the same.
inline report::fingerprint& counted_so_far() {
    static report::fingerprint all;
    return all;
}

/// As testing::both_engines, which differences it names; not inline, so that a machine which several tests have is
/// compiled once.
template <class P>
class both_engines {
public:
    explicit both_engines(gpu_parameters const& p, policy_values<P> const& values = {});
    ~both_engines();
    both_engines(both_engines const&) = delete;
    both_engines& operator=(both_engines const&) = delete;

    void copied_from_host(std::uint64_t address, std::uint64_t bytes);
    /// Where they part, or nothing if they do not.
    std::string run(launch_group const& launch);
    run_counters const& counted() const { return counted_; }
    std::vector<kernel_span> const& spans() const { return spans_; }
    std::string const& failure_of_reference() const { return failure_; }
    /// What a core of the reference tells.
    typename P::observer const& observer(unsigned core) const;

private:
    using pair = testing::both_engines<gpu<P>, reference::gpu<P>>;
    std::unique_ptr<pair> pair_;
    run_counters counted_;
    std::vector<kernel_span> spans_;
    std::string failure_;
};

template <class P>
both_engines<P>::both_engines(gpu_parameters const& p, policy_values<P> const& values)
    : pair_(std::make_unique<pair>(p, values)) {}
template <class P>
both_engines<P>::~both_engines() = default;
template <class P>
void both_engines<P>::copied_from_host(std::uint64_t address, std::uint64_t bytes) {
    pair_->copied_from_host(address, bytes);
}
template <class P>
typename P::observer const& both_engines<P>::observer(unsigned core) const {
    return pair_->reference().cores()[core].observer();
}
template <class P>
std::string both_engines<P>::run(launch_group const& launch) {
    auto parted = pair_->run(launch, [](run_counters const& engine, run_counters const& reference) {
        std::string text;
        for (auto const& d : report::differences(engine, reference))
            text += "\n" + d.counter->name + ": " + std::to_string(d.first) + " by the engine, " +
                    std::to_string(d.second) + " by the reference";
        return text;
    });
    counted_ = pair_->counted();
    spans_ = pair_->spans();
    failure_ = pair_->failure_of_reference();
    counted_so_far().add(counted_);
    return parted;
}

/// The published machine, on which several kernels may be at once (deaf_machine.cpp).
using gtx480 = presets::gtx480::with<use::kernel_dispatch<any_kernel_dispatch>>::policies;
extern template class both_engines<gtx480>;

} // namespace warpkit::reference_test
