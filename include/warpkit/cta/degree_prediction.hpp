#pragma once
/// \file
/// What the multithreading-degree decision reckons: from one CTA's report the time of a CTA, and the throughput, at
/// each number of CTAs (thesis 2014, section 5.1; docs/model/dispatch.md#degree-decision).

#include <warpkit/base/parameters.hpp>
#include <warpkit/cta/read_growth.hpp>

#include <cstdint>

namespace warpkit {

/// Whose DRAM reads decide whether a kernel is compute-bound. The thesis has the question at the head of its second
/// stage, which takes what the first has predicted; it can be read either way. What alone fits the cache reads little
/// alone.
enum class degree_gate : std::uint8_t {
    measured,  ///< those of the CTA that ran alone
    predicted, ///< the most that the first stage foretells at any degree
};

/// The thesis' thresholds and rates. Equality goes to the next rule, but for `fits`.
struct degree_rules {
    double compute_bound = 0.05; ///< DRAM reads per warp instruction below which the default stays
    degree_gate gate = degree_gate::predicted;

    double few_misses = 0.15;  ///< below: calm
    double many_misses = 0.85; ///< above: calm
    double calm = 1.03;
    double some_misses = 0.30; ///< below: mild
    double mild = 1.10;
    double crowded_sets = 5; ///< working set above so many caches, and ...
    double crowded_growth = 0.10;
    double crowded = 1.90;
    double huge_sets = 15;
    double huge_growth = 0.04;
    double huge = 1.75;
    double otherwise = 1.10;
    bool all_sets = false; ///< the working sets of all resident CTAs count, not one CTA's

    double fits = 1.05;     ///< all working sets together fit the cache, even exactly
    double heavy_reads = 5; ///< DRAM reads of a CTA above so many caches: heavy
    double heavy = 1.20;
    double pipelined = 1.10;
    double saturated =
        0; ///< reads per warp instruction from which on the pipeline is heavy, too (section 4.4: "close to
           ///< warp instructions"); 0: never
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"compute_bound", "DRAM reads per warp instruction below which all fit stays"},
          self.compute_bound);
        f(parameter{"gate", "these are the most at any degree, as predicted, or the lone CTA's: measured"},
          self.gate, gate_words);
        f(parameter{"all_sets", "the latency rules look at all CTAs' working sets"}, self.all_sets);
        f(parameter{"saturated", "reads per warp instruction from which on the pipeline is slow; 0: never"},
          self.saturated);
        f(parameter{"few_misses", "miss rate below which latencies grow calmly", 0, 1}, self.few_misses);
        f(parameter{"many_misses", "miss rate above which they do", 0, 1}, self.many_misses);
        f(parameter{"calm", "how latencies then grow"}, self.calm);
        f(parameter{"some_misses", "miss rate below which they grow mildly", 0, 1}, self.some_misses);
        f(parameter{"mild", "how they then grow"}, self.mild);
        f(parameter{"crowded_sets", "caches that a working set fills, above which it crowds"},
          self.crowded_sets);
        f(parameter{"crowded_growth", "of the miss rate, above which it does"}, self.crowded_growth);
        f(parameter{"crowded", "how latencies then grow"}, self.crowded);
        f(parameter{"huge_sets", "caches that a working set fills, above which it is huge"}, self.huge_sets);
        f(parameter{"huge_growth", "of the miss rate, above which it is"}, self.huge_growth);
        f(parameter{"huge", "how latencies then grow"}, self.huge);
        f(parameter{"otherwise", "how latencies grow where none of this holds"}, self.otherwise);
        f(parameter{"fits", "how the pipeline slows a CTA while all working sets fit the cache"}, self.fits);
        f(parameter{"heavy_reads", "DRAM reads of a CTA, in caches, above which the pipeline is heavy"},
          self.heavy_reads);
        f(parameter{"heavy", "how it then slows a CTA"}, self.heavy);
        f(parameter{"pipelined", "how it otherwise does"}, self.pipelined);
    }
    static constexpr parameter_word<degree_gate> gate_words[] = {{"measured", degree_gate::measured},
                                                                 {"predicted", degree_gate::predicted}};
    friend bool operator==(degree_rules const&, degree_rules const&) = default;
};

/// Equation 2: how DRAM reads grow from one degree to the next.
constexpr double increasing_rate(double reads, double reads_before) noexcept {
    return reads_before > 0 ? reads / reads_before : 1.0;
}
/// Second stage: how the latency of a DRAM read grows from degree - 1 to degree. `miss` is the predicted miss rate at
/// `degree`, `growth` by how much it is above that at degree - 1; sets are in lines.
constexpr double latency_growth(double miss, double growth, double working_set, double cache,
                                degree_rules const& rules = {}) noexcept {
    if (miss < rules.few_misses || miss > rules.many_misses) return rules.calm;
    if (miss < rules.some_misses) return rules.mild;
    if (working_set > rules.crowded_sets * cache && growth > rules.crowded_growth) return rules.crowded;
    if (working_set > rules.huge_sets * cache && growth > rules.huge_growth) return rules.huge;
    return rules.otherwise;
}
/// Third stage: how the pipeline, which more warps share, slows a CTA down. `working_sets` are those of all CTAs, in
/// lines; `reads` are one CTA's, `reads_per_instruction` DRAM reads per warp instruction.
constexpr double pipeline_growth(double working_sets, double reads, double cache,
                                 double reads_per_instruction = 0, degree_rules const& rules = {}) noexcept {
    if (working_sets <= cache) return rules.fits;
    if (reads > rules.heavy_reads * cache) return rules.heavy;
    if (rules.saturated > 0 && reads_per_instruction >= rules.saturated) return rules.heavy;
    return rules.pipelined;
}

/// What is predicted of one degree. Times are relative to a CTA that runs alone.
struct degree_step {
    double miss = 0;
    double reads = 0;      ///< of one CTA
    double read_rate = 1;  ///< a: growth over the degree before
    double latency = 1;    ///< b
    double pipeline = 1;   ///< c
    double time = 1;       ///< of one CTA: that of the degree before times a, b and c
    double throughput = 1; ///< degree / time
    friend bool operator==(degree_step const&, degree_step const&) = default;
};

/// The whole prediction.
struct degree_prediction {
    static constexpr unsigned most = 32;
    degree_step step[most]{}; ///< step[0]: one CTA
    unsigned degrees = 0;
    unsigned chosen = 1;        ///< of highest throughput, of several the lowest; all, if compute-bound
    bool compute_bound = false; ///< then all that fit stay, whatever the steps say
    friend bool operator==(degree_prediction const&, degree_prediction const&) = default;
};

/// Predicts degrees 1 to `degrees` (at most 32) and chooses.
template <read_growth Growth>
constexpr degree_prediction predict_degrees(degree_report const& r, unsigned degrees, Growth const& growth,
                                            degree_rules const& rules = {}) noexcept {
    degree_prediction p;
    p.degrees = degrees < 1 ? 1 : degrees > p.most ? p.most : degrees;
    auto const instructions = static_cast<double>(r.warp_instructions);
    auto point = first_point(r);
    auto most_reads = point.reads;
    p.step[0].miss = point.miss;
    p.step[0].reads = point.reads;
    auto const set = static_cast<double>(r.working_set);
    auto const cache = static_cast<double>(r.cache);
    for (unsigned t = 2; t <= p.degrees; ++t) {
        auto const& before = p.step[t - 2];
        auto& now = p.step[t - 1];
        point = growth.at(t, point, r);
        now.miss = point.miss;
        now.reads = point.reads;
        if (rules.gate == degree_gate::predicted && now.reads > most_reads) most_reads = now.reads;
        now.read_rate = increasing_rate(now.reads, before.reads);
        now.latency =
            latency_growth(now.miss, now.miss - before.miss, rules.all_sets ? set * t : set, cache, rules);
        now.pipeline = pipeline_growth(set * t, now.reads, cache,
                                       instructions > 0 ? now.reads / instructions : 0, rules);
        now.time = before.time * now.read_rate * now.latency * now.pipeline;
        now.throughput = t / now.time;
        if (now.throughput > p.step[p.chosen - 1].throughput) p.chosen = t;
    }
    p.compute_bound = r.accesses == 0 || most_reads < rules.compute_bound * instructions;
    if (p.compute_bound) p.chosen = p.degrees;
    return p;
}

} // namespace warpkit
