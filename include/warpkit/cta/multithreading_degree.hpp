#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/cta/degree_prediction.hpp>

#include <bit>
#include <cstdint>

namespace warpkit {

namespace detail {
struct multithreading_degree_text {
    static constexpr char const* name() noexcept { return "multithreading_degree"; }
};
} // namespace detail

/// One core tries a CTA alone, and from what it saw predicts the best number of CTAs for all cores.
///
/// The predictor's core holds one CTA until it has ended; the others hold what fits. From the CTA's loads, misses and
/// working set, the stages of cta/degree_prediction.hpp predict what each number of CTAs would do, and the best of them
/// becomes the limit of all cores. Each kernel begins anew. A kernel that is compute-bound, or makes no load, keeps
/// all.
///
/// Source: Yen, A Cache Behavior Aware Multithreading Degree Decision Scheme on GPGPUs, thesis 2014, section 5
/// (docs/model/dispatch.md#degree-decision).
/// Differs from the thesis: the first stage, which it does not give, is ReadGrowth. DRAM reads are the L1's load
/// misses, which is what they are while the L2 is off, as it is there. The working set is counted by a filter of 16384
/// bits over the lines read: 3 % too few at 1000 lines. Degrees go up to what fits, not to 8. Hardware cost: of each
/// core, as if each had a predictor; one needs it.
template <read_growth ReadGrowth>
class multithreading_degree {
public:
    static constexpr char const* name() noexcept {
        return composed_name<detail::multithreading_degree_text, ReadGrowth>::name();
    }

    static constexpr char const* summary() noexcept {
        return "what one CTA alone on one core lets predict to be best";
    }

    constexpr multithreading_degree() = default;
    constexpr explicit multithreading_degree(ReadGrowth const& growth, degree_rules const& rules = {},
                                             unsigned core = 0) noexcept
        : growth_(growth),
          rules_(rules),
          core_(core) {}

    constexpr unsigned limit(unsigned fit) const noexcept {
        auto const most = chosen_ != 0 ? chosen_ : predicts_ ? 1 : fit;
        return most < fit ? most : fit;
    }
    constexpr cycle next_sample() const noexcept { return ended_ ? 0 : never; }
    constexpr unsigned announced() const noexcept { return announced_; }

    constexpr void on(kernel_began const& e) {
        *this = multithreading_degree(growth_, rules_, core_);
        predicts_ = e.core == (core_ < e.cores ? core_ : 0);
        fit_ = e.ctas_per_core;
        report_.cache = e.l1_lines;
    }
    constexpr void on(l1_accessed const& e) noexcept {
        if (!predicts_ || announced_ != 0 || e.kind != access_kind::load) return;
        ++report_.accesses;
        report_.reads += e.outcome == cache_outcome::miss || e.outcome == cache_outcome::sector_miss;
        auto const hash = e.line * 0x9e3779b97f4a7c15U >> (64 - filter_bits_);
        seen_.word[hash / 64] |= std::uint64_t{1} << hash % 64;
    }
    constexpr void on(cta_finished const&) noexcept { ended_ = predicts_ && announced_ == 0; }
    constexpr void on(core_sampled const& e) noexcept {
        if (!ended_) return;
        ended_ = false;
        report_.warp_instructions = e.warp_instructions;
        for (auto const w : seen_.word) report_.working_set += static_cast<unsigned>(std::popcount(w));
        if (e.latencies != 0)
            report_.mean_latency = static_cast<double>(e.latency_sum) / static_cast<double>(e.latencies);
        announced_ = predict(report_, fit_).chosen;
    }
    constexpr void on(degree_chosen const& e) noexcept { chosen_ = e.ctas; }

    /// What it makes of a report, up to `degrees` CTAs.
    constexpr degree_prediction predict(degree_report const& seen, unsigned degrees) const noexcept {
        return predict_degrees(seen, degrees, growth_, rules_);
    }
    /// The predictor's core.
    constexpr unsigned core() const noexcept { return core_; }
    /// What the predictor saw; complete once it has announced a degree.
    constexpr degree_report const& report() const noexcept { return report_; }
    /// The degree of all cores; 0 before it is known.
    constexpr unsigned chosen() const noexcept { return chosen_; }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}
            .add("accesses, reads, instructions, latency", 4 * 32)
            .add("line filter", std::uint64_t{1} << filter_bits_)
            .add("limit", bits_for(shape.cta_slots + 1));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.growth_, self.rules_);
        f(parameter{"core", "the predictor's number"}, self.core_);
    }
    constexpr void parameters_set() { tell_parameters_set(growth_); }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(core_, predicts_, ended_, fit_, announced_, chosen_, report_.accesses, report_.reads,
          report_.warp_instructions, report_.working_set, report_.cache, report_.mean_latency, seen_);
    }
    friend bool operator==(multithreading_degree const&, multithreading_degree const&) = default;

private:
    static constexpr unsigned filter_bits_ = 14;
    struct filter {
        std::uint64_t word[(1U << filter_bits_) / 64]{};
        friend bool operator==(filter const&, filter const&) = default;
    };

    ReadGrowth growth_{};
    degree_rules rules_{};
    unsigned core_ = 0;
    bool predicts_ = false;
    bool ended_ = false; ///< the CTA has, and its report is awaited
    unsigned fit_ = 1;
    unsigned announced_ = 0;
    unsigned chosen_ = 0;
    degree_report report_;
    filter seen_;
};
static_assert(occupancy_limit<multithreading_degree<modelled_reads>> &&
              reports_degree<multithreading_degree<tabled_reads>>);

} // namespace warpkit
