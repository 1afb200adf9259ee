#pragma once
/// \file
/// The first stage of the multithreading-degree decision: how many DRAM reads a CTA makes when more of them share the
/// cache. The thesis draws the curve and does not give it, so this is a policy of its own
/// (docs/model/dispatch.md#read-growth).

#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>

#include <concepts>
#include <cstdint>

namespace warpkit {

/// What the core that runs one CTA alone reports when it has ended. Lines are those of the L1 data cache.
struct degree_report {
    std::uint64_t accesses = 0; ///< loads that the L1 data cache took, in transactions
    std::uint64_t reads = 0;    ///< of these, those that were misses: DRAM reads where there is no L2
    std::uint64_t warp_instructions = 0; ///< issued
    std::uint64_t working_set = 0;       ///< lines that the CTA read
    std::uint64_t cache = 0;             ///< lines of the cache
    double mean_latency = 0;             ///< core cycles from request to reply; reported, but decides nothing
    friend bool operator==(degree_report const&, degree_report const&) = default;
};

/// Misses at one degree.
struct read_point {
    double miss = 0;  ///< DRAM reads over accesses
    double reads = 0; ///< DRAM reads of one CTA
    friend bool operator==(read_point const&, read_point const&) = default;
};
/// The point that was measured, that of one CTA alone.
constexpr read_point first_point(degree_report const& r) noexcept {
    auto const reads = static_cast<double>(r.reads);
    return {r.accesses == 0 ? 0.0 : reads / static_cast<double>(r.accesses), reads};
}

/// Tells from the point at one degree less, and the report, the point at `degree`, from 2 on.
template <class P>
concept read_growth = std::regular<P> &&
    requires(P const& p, read_point before, unsigned degree, degree_report const& r) {
    { p.at(degree, before, r) } -> std::same_as<read_point>;
};

/// A curve of the shape that the thesis describes (section 5.1): reads grow faster where the miss rate is low, the
/// working set large and the cache small.
///
/// With t CTAs of a working set of W lines on a cache of C, a share f(t) = 1 - C / (t W) of the lines cannot stay (0 if
/// all fit). Of what hit so far, reuse times the share of what still stayed and now goes, misses from now on: miss(t) =
/// miss(t-1) + reuse (1 - miss(t-1)) (f(t) - f(t-1)) / (1 - f(t-1)); reads grow as the miss rate does.
/// Source: ours (docs/model/dispatch.md#read-growth). Once W is C or more, the last fraction is 1 / t, whatever W and C
/// are. `reuse` fits table 5 best at 0.36 over its three programs together, and none of them well
/// (docs/reference/cta.md has the residuals): one point does not tell the curve.
struct modelled_reads {
    double reuse = 0.36;

    static constexpr char const* name() noexcept { return "modelled_reads"; }
    constexpr read_point at(unsigned degree, read_point before, degree_report const& r) const noexcept {
        auto const was = gone(degree - 1, r);
        auto const grows = reuse * (1 - before.miss) * (gone(degree, r) - was) / (1 - was);
        auto const miss = before.miss + grows;
        return {miss,
                before.miss > 0 ? before.reads * miss / before.miss : miss * static_cast<double>(r.accesses)};
    }
    /// The share of the working sets of `degree` CTAs that the cache cannot hold, f(degree); below 1.
    static constexpr double gone(unsigned degree, degree_report const& r) noexcept {
        auto const lines = static_cast<double>(degree) * static_cast<double>(r.working_set);
        auto const cache = r.cache == 0 ? 1.0 : static_cast<double>(r.cache);
        return lines <= cache ? 0.0 : (lines - cache) / lines;
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"reuse", "of the modelled first stage", 0, 1}, self.reuse);
    }
    friend bool operator==(modelled_reads const&, modelled_reads const&) = default;
};

/// A table that the user gives, or that a short sweep has measured: for each degree from 1 on the miss rate and the
/// DRAM reads of a CTA. Only ratios of reads matter; beyond its end the table stays as it is.
struct tabled_reads {
    static constexpr unsigned most = 8;
    read_point point[most]{}; ///< point[0]: one CTA
    unsigned degrees = 0;     ///< in the table, at most `most`; 0: nothing ever grows

    static constexpr char const* name() noexcept { return "tabled_reads"; }
    constexpr read_point at(unsigned degree, read_point before, degree_report const&) const noexcept {
        if (degree > degrees || degree > most) return before;
        auto const& now = point[degree - 1];
        auto const& then = point[degree - 2];
        return {now.miss, then.reads > 0 ? before.reads * now.reads / then.reads : now.reads};
    }
    friend bool operator==(tabled_reads const&, tabled_reads const&) = default;
};

static_assert(read_growth<modelled_reads> && read_growth<tabled_reads>);

} // namespace warpkit
