#pragma once
/// \file
/// Clock domains as integer ratios. GPGPU-Sim adds floating-point periods, so that its clocks drift and replays
/// depend on the host (docs/model/time.md#clocks); here every period is a whole number of ticks of the machine's common
/// time unit.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/high_product.hpp>

#include <cstddef>
#include <cstdint>

namespace warpkit {

/// Greatest common divisor; `gcd(0, b)` is `b`.
constexpr std::uint64_t greatest_common_divisor(std::uint64_t a, std::uint64_t b) noexcept {
    while (b != 0) {
        auto const rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/// One clock domain: edge number n falls on tick n * period().
class clock_domain {
public:
    constexpr clock_domain() = default;
    constexpr explicit clock_domain(std::uint64_t period) noexcept
        : period_(period),
          factor_(period < long_ ? half_ / period + 1 : 0) {}

    /// Length of one cycle in ticks, at least 1.
    constexpr std::uint64_t period() const noexcept { return period_; }
    /// The tick of edge number `n`; never for `never`.
    constexpr tick at(cycle n) const noexcept { return n == never ? never : n * period_; }
    /// The same for a cycle that is known to be one.
    constexpr tick of(cycle n) const noexcept { return n * period_; }
    /// The first edge at or after tick `t`; never for `never`.
    constexpr cycle first_at_or_after(tick t) const noexcept {
        if (!is_near(t)) [[unlikely]]
            return divided(t);
        return first_near(t);
    }
    /// Whether that takes no division, for tick `t` and all before it; and the same for one of these.
    constexpr bool is_near(tick t) const noexcept { return t < factor_ / 2; }
    constexpr cycle first_near(tick t) const noexcept {
        // Rounded up, x / period is the high half of 2x * (floor(2^63 / period) + 1), as long as x < 2^63 / period.
        return high_product(2 * (t + period_ - 1), factor_);
    }
    /// The number of edges strictly before tick `t`.
    constexpr cycle edges_before(tick t) const noexcept { return first_at_or_after(t); }

    friend bool operator==(clock_domain const&, clock_domain const&) = default;

private:
    static constexpr std::uint64_t half_ = std::uint64_t{1} << 63;
    static constexpr std::uint64_t long_ = std::uint64_t{1} << 31; ///< a period: always divided by

    constexpr cycle divided(tick t) const noexcept {
        return t == never ? never : t / period_ + (t % period_ != 0);
    }

    std::uint64_t period_ = 1;
    std::uint64_t factor_ = half_ + 1;
};

/// The tick rate that all `count` frequencies (in kHz, none zero) divide: their least common multiple, in kHz.
/// Example: 700 and 924 MHz share 23.1 GHz, with periods of 33 and 25 ticks.
constexpr std::uint64_t common_tick_rate(std::uint64_t const* kilohertz, std::size_t count) noexcept {
    std::uint64_t rate = 1;
    for (std::size_t i = 0; i < count; ++i)
        rate = rate / greatest_common_divisor(rate, kilohertz[i]) * kilohertz[i];
    return rate;
}

} // namespace warpkit
