#pragma once
/// \file
/// Timing only parts of a long kernel, and estimating the cycles of the whole with an error bar.
///
/// The reference has no sampling.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/gpu/sampled_progress.hpp>
#include <warpkit/machine/counters.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpkit {

/// How a kernel is sampled. A wave is as many CTAs as the machine holds at once.
struct sampling_options {
    double interval = 0.5;  ///< the interval over which cycles per instruction are measured, in waves of work
    unsigned intervals = 4; ///< how many successive ones must agree
    double tolerance = 0.05; ///< agreement: none is further from their mean than this part of it
    double stretch = 4;      ///< CTAs left out at a time, at most, per CTA timed since the last time

    /// Throws `error` for numbers that make no sense.
    void check() const {
        auto const refuse = [](std::string const& what) { throw error("sampling: " + what); };
        if (!(interval >= 0.01 && interval <= 100)) refuse("an interval is 0.01 to 100 waves long");
        if (intervals < 2 || intervals > 1000) refuse("2 to 1000 intervals must agree");
        if (!(tolerance > 0 && tolerance < 1)) refuse("the tolerance is a part of one, above 0 and below 1");
        if (!(stretch > 0 && stretch <= 1e6))
            refuse("for each CTA timed, more than 0 and at most a million are left out");
    }
    friend bool operator==(sampling_options const&, sampling_options const&) = default;
};

/// Decides when CTAs of a kernel are left out of the timing, and how many, and estimates the kernel's cycles.
///
/// The machine never stops: CTAs that are left out are executed for their values and their number of instructions where
/// they would have been dispatched, and those behind them are dispatched in their place. So the start and the end of
/// the kernel are always timed, and between them timed stretches and gaps take turns. In a timed stretch, once a whole
/// wave has come and gone, cycles per warp instruction are measured interval by interval; when successive ones agree,
/// the next gap may begin. It ends early where a wave of the CTAs in it accesses memory in another way than those timed
/// before it did. What is left out are whole waves, so that the last one is as full as it would have been: it may hold
/// a few CTAs, and take as long as a full one.
///
/// Kernels in which intervals never agree, or that have less than ten waves of CTAs, are timed from beginning to end:
/// their cycles are exact.
///
/// The estimate. Behind a gap CTAs run beside others that they would not have met. Until those that were there have
/// gone, the machine warms up: the cycles of that stretch are not counted, and its instructions belong to the gap. For
/// a gap of W warp instructions, let a be the mean of the intervals that agreed before it and b that of all behind it,
/// up to the next gap. It is taken to have W (a + b) / 2 cycles, with an error of W |a - b| / 2, which holds whatever
/// the mix of the two behaviours in it, and that of a mean of W / I intervals predicted from the n measured ones: W t s
/// sqrt(1/n + I/W), with I the instructions of an interval, s the standard deviation of the n around their two means, t
/// Student's 97.5 % quantile for n - 2 degrees of freedom. The first kind of error is added over all gaps, the second
/// kind as independent ones are; and a CTA's share of the cycles, since the last ones may come that much sooner or
/// later. Where a gap ended early, this is said of its last wave, and the rest taken to be as before it, with the
/// tolerance for its error. What is assumed: intervals are independent and distributed alike on each side of a gap; a
/// behaviour that lives inside of gaps alone shows in how memory is accessed.
///
/// Sources: intervals that must agree, PKA (Baddouh et al., MICRO 2021) and TBPoint (Huang et al., IPDPS 2014); timed
/// stretches all over the program, SMARTS (Wunderlich et al., ISCA 2003).
/// Differs from them: PKA does not look back once its intervals agree; caches are not kept warm in the gaps.
class sampler {
public:
    explicit sampler(sampling_options const& options = {}) : options_(options) { options_.check(); }

    /// A kernel begins.
    void begin() {
        auto const options = options_;
        *this = sampler(options);
    }

    /// Between two windows of simulation: how many CTAs to leave out now.
    std::uint64_t look(sampled_progress const& p) {
        if (p.resident > wave_) wave_ = p.resident;
        if (p.left == 0 || given_up_) return 0; // the machine drains, which is no interval
        if (filling_) {
            if (p.finished < must_finish_ || p.finished < wave_) return 0;
            if (interval_ == 0) {
                interval_ = options_.interval * static_cast<double>(p.warp_instructions);
                if (interval_ < 1) interval_ = 1;
            }
            filling_ = false;
            if (!gaps_.empty()) {
                gaps_.back().warm_up_cycles = p.age - from_age_;
                gaps_.back().warm_up = p.warp_instructions - from_instructions_;
            }
            mark(p);
            return 0;
        }
        if (static_cast<double>(p.warp_instructions - from_instructions_) < interval_) return 0;
        measured_.push_back(static_cast<double>(p.age - from_age_) /
                            static_cast<double>(p.warp_instructions - from_instructions_));
        mark(p);
        if (!gaps_.empty()) gaps_.back().behind.push_back(measured_.back());
        return agreed() ? room_for_gap(p) : 0;
    }
    /// The most CTAs that the machine held at once so far.
    std::uint64_t wave() const noexcept { return wave_; }
    /// Whether a wave of CTAs that is left out looks like those that were timed before it; a gap ends where one does
    /// not.
    bool alike(stream_size const& timed, stream_size const& lately) const noexcept {
        auto const before = timed.words_per_instruction();
        return std::abs(lately.words_per_instruction() - before) <= options_.tolerance * (before + 0.1);
    }
    /// CTAs have been left out, so many of them; with instructions of those that look like what was timed, and of the
    /// wave that did not and ended the gap.
    void skipped(sampled_progress const& p, std::uint64_t ctas, std::uint64_t alike, std::uint64_t unlike) {
        if (ctas == 0) { // the choice of block would not have it
            given_up_ = true;
            return;
        }
        gap g;
        g.ctas = ctas;
        g.before.assign(measured_.end() - static_cast<std::ptrdiff_t>(options_.intervals), measured_.end());
        g.alike = alike;
        g.unlike = unlike;
        gaps_.push_back(std::move(g));
        measured_.clear();
        filling_ = true;
        mark(p);
        must_finish_ = timed_before_ = p.finished + p.resident;
    }
    /// The kernel has ended, after so many cycles and instructions that were timed.
    void end(cycle timed, std::uint64_t timed_warp_instructions) {
        auto& e = estimate_;
        e = {};
        e.cycles = static_cast<double>(timed);
        e.warp_instructions = timed_warp_instructions;
        double independent = 0;
        double rate = 0;
        for (auto const& g : gaps_) {
            auto const a = mean(g.before);
            // Behind a gap there is always time for an interval; were there none, nothing would be known of it.
            auto const b = g.behind.empty() ? a * (1 + options_.tolerance) : mean(g.behind);
            // A gap that ended early is like what was before it, but for its end.
            auto const alike = static_cast<double>(g.unlike == 0 ? 0 : g.alike);
            auto const between = static_cast<double>((g.unlike == 0 ? g.alike : g.unlike) + g.warm_up);
            e.cycles += alike * a + between * (a + b) / 2 - static_cast<double>(g.warm_up_cycles);
            e.error += alike * a * options_.tolerance + between * std::abs(a - b) / 2;
            rate = b;
            auto const n = g.before.size() + g.behind.size();
            auto const freedom = n - (g.behind.empty() ? 1 : 2);
            auto const deviation =
                std::sqrt((squares(g.before, a) + squares(g.behind, b)) / static_cast<double>(freedom));
            auto const w = between;
            auto const part = w * student(freedom) * deviation *
                              std::sqrt(1 / static_cast<double>(n) + (w > interval_ ? interval_ / w : 1));
            independent += part * part;
            e.skipped_warp_instructions += g.alike + g.unlike;
            e.skipped_ctas += g.ctas;
            ++e.gaps;
        }
        e.warp_instructions += e.skipped_warp_instructions;
        e.error += std::sqrt(independent);
        if (e.skipped_ctas != 0)
            e.error +=
                rate * static_cast<double>(e.skipped_warp_instructions) / static_cast<double>(e.skipped_ctas);
    }
    /// Of the kernel that ended last.
    cycle_estimate const& estimate() const noexcept { return estimate_; }

    /// Student's 97.5 % quantile.
    static double student(std::size_t freedom) noexcept {
        constexpr double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                    2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
        constexpr std::size_t known = sizeof table / sizeof *table;
        if (freedom == 0) return table[0];
        // Beyond the table, the first two terms of its expansion around the normal distribution's.
        return freedom <= known ? table[freedom - 1] : 1.960 + 2.372 / static_cast<double>(freedom);
    }

private:
    struct gap {
        std::uint64_t ctas = 0;
        std::uint64_t alike = 0; ///< warp instructions
        std::uint64_t unlike = 0;
        cycle warm_up_cycles = 0;   ///< behind it
        std::uint64_t warm_up = 0;  ///< warp instructions
        std::vector<double> before; ///< cycles per warp instruction of the intervals that agreed
        std::vector<double> behind; ///< of those behind it
    };

    static double mean(std::vector<double> const& of) noexcept {
        double sum = 0;
        for (auto const x : of) sum += x;
        return sum / static_cast<double>(of.size());
    }
    static double squares(std::vector<double> const& of, double around) noexcept {
        double sum = 0;
        for (auto const x : of) sum += (x - around) * (x - around);
        return sum;
    }
    void mark(sampled_progress const& p) noexcept {
        from_age_ = p.age;
        from_instructions_ = p.warp_instructions;
    }
    bool agreed() const noexcept {
        if (measured_.size() < options_.intervals) return false;
        double sum = 0;
        auto const first = measured_.size() - options_.intervals;
        for (auto i = first; i < measured_.size(); ++i) sum += measured_[i];
        auto const middle = sum / options_.intervals;
        for (auto i = first; i < measured_.size(); ++i)
            if (std::abs(measured_[i] - middle) > options_.tolerance * middle) return false;
        return true;
    }
    // What may be left out now: whole waves, and as much as must be timed behind it at least; behind it there must be
    // enough for a wave to come and go and as many intervals as before it.
    std::uint64_t room_for_gap(sampled_progress const& p) const noexcept {
        auto const wave = static_cast<double>(wave_);
        auto const behind = wave * (1 + options_.interval * options_.intervals);
        auto const timed = static_cast<double>(p.finished + p.resident - timed_before_);
        auto most = static_cast<double>(p.left) - std::ceil(behind);
        if (most > options_.stretch * timed) most = options_.stretch * timed;
        return most < behind ? 0 : static_cast<std::uint64_t>(most / wave) * wave_;
    }

    sampling_options options_;
    std::uint64_t wave_ = 1; ///< the most CTAs that were resident at once
    double interval_ = 0;    ///< in warp instructions; 0: not yet known
    bool filling_ = true;    ///< a wave must come and go before anything is measured
    bool given_up_ = false;
    std::uint64_t must_finish_ = 0;
    std::uint64_t timed_before_ = 0; ///< CTAs timed before the last gap
    cycle from_age_ = 0;             ///< where the interval began
    std::uint64_t from_instructions_ = 0;
    std::vector<double> measured_; ///< since the last gap
    std::vector<gap> gaps_;
    cycle_estimate estimate_;
};

} // namespace warpkit
