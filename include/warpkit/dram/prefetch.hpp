#pragma once
/// \file
/// Memory-side prefetching: what a channel reads from an open row that nobody has asked for yet.
///
/// Contract of a memory prefetcher:
///   - `P(timing, prefetch_numbers)` makes one; impossible numbers throw `warpkit::error`.
///   - `opened(bank, row)`, `closed(bank)`, `accessed(bank, column, write)` (a demand's data go to or come from the L2)
///     and `arrived(pending)` (a demand was queued; so many are queued now) tell it what happens.
///   - `wants()`: the banks with an open row of which it would read more. It is asked only while no demand to this row
///     waits. `insists(pending)`: of these, the banks whose demands to other rows shall wait for it.
///   - `next(bank)`: the column of the line that it would read next; `read(bank)`: that line is being read.
///     `skip(bank)`: that line is not worth it (the L2 has it).
///   - `line_bytes()`: how much it reads at a time. Regular values: copy, compare, hash.

#include <warpkit/base/error.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/timing.hpp>

#include <bit>
#include <concepts>
#include <cstdint>

namespace warpkit::dram {

/// The numbers of a memory prefetcher.
struct prefetch_numbers {
    std::uint32_t row_bytes = 2048; ///< of a bank
    std::uint32_t line_bytes = 64;  ///< of the L2; at most 64 lines a row
    std::uint32_t lower = 8;        ///< lines that are read in any case, per opening of a row
    std::uint32_t higher = 16;      ///< the same while fewer demands than the threshold wait
    std::uint32_t threshold = 0;    ///< 0: the running mean of the demands that wait
    std::uint32_t shift = 7;        ///< of the running mean: weight 2^-shift for each new value
    bool skip_resident = false;     ///< lines that the L2 has are not read
    friend bool operator==(prefetch_numbers const&, prefetch_numbers const&) = default;
};

template <class P>
concept memory_prefetcher = regular_state<P> &&
    std::constructible_from<P, timing const&, prefetch_numbers const&> &&
    requires(P& p, P const& c, unsigned bank, std::uint32_t n) {
    p.opened(bank, n);
    p.closed(bank);
    p.accessed(bank, n, true);
    p.arrived(n);
    { c.wants() } -> std::same_as<bank_set>;
    { c.insists(n) } -> std::same_as<bank_set>;
    { c.next(bank) } -> std::same_as<std::uint32_t>;
    p.read(bank);
    p.skip(bank);
    { c.line_bytes() } -> std::same_as<std::uint32_t>;
    { c.skips_resident() } -> std::same_as<bool>;
};

/// Reads nothing.
struct no_memory_prefetch {
    static constexpr char const* name() noexcept { return "no_memory_prefetch"; }
    constexpr no_memory_prefetch() = default;
    constexpr no_memory_prefetch(timing const&, prefetch_numbers const&) noexcept {}
    static constexpr void opened(unsigned, std::uint32_t) noexcept {}
    static constexpr void closed(unsigned) noexcept {}
    static constexpr void accessed(unsigned, std::uint32_t, bool) noexcept {}
    static constexpr void arrived(std::uint32_t) noexcept {}
    static constexpr bank_set wants() noexcept { return 0; }
    static constexpr bank_set insists(std::uint32_t) noexcept { return 0; }
    static constexpr std::uint32_t next(unsigned) noexcept { return 0; }
    static constexpr void read(unsigned) noexcept {}
    static constexpr void skip(unsigned) noexcept {}
    static constexpr std::uint32_t line_bytes() noexcept { return 0; }
    static constexpr bool skips_resident() noexcept { return false; }
    template <class F>
    constexpr void each_member(F&& f) const {
        f();
    }
    friend bool operator==(no_memory_prefetch const&, no_memory_prefetch const&) = default;
};

/// The running mean of small numbers by shifts: a register of 7 bits and `shift` bits behind the point.
/// Source: OWL, section 4.5 (0 to 127, "computed approximately with the aid of shift registers");
/// docs/model/dram.md#prefetch-readings.
class shifted_mean {
public:
    constexpr shifted_mean() = default;
    constexpr explicit shifted_mean(std::uint32_t shift) noexcept : shift_(shift) {}
    /// mean += (value - mean) / 2^shift; values above 127 count as 127.
    constexpr void add(std::uint32_t value) noexcept {
        sum_ += (value < 127 ? value : 127) - (sum_ >> shift_);
    }
    constexpr std::uint32_t value() const noexcept { return sum_ >> shift_; }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(shift_, sum_);
    }
    friend bool operator==(shifted_mean const&, shifted_mean const&) = default;

private:
    std::uint32_t shift_ = 7;
    std::uint32_t sum_ = 0;
};

/// OWL's opportunistic prefetching: when no demand to an open row is left, its lines that no demand has touched since
/// it was opened are read, in ascending order. KeepsMinimum false (the first scheme): until a demand to another row of
/// the bank arrives. True (the second, the paper's baseline): at least `lower` lines of each opening, or `higher` while
/// fewer demands wait than `threshold`, before such a demand has its turn.
///
/// Source: Jog et al., OWL, ASPLOS 2013, section 4.4 (docs/model/dram.md#opportunistic-prefetch). A row is worth
/// reading on once a demand has read from it: those that only write-backs have opened hold what the L2 has just let go.
/// (The paper speaks of rows opened by demands.)
/// Differs from the paper: the running mean is taken over the arrivals of demands (the paper does not say over what),
/// and has fraction bits, since a 7-bit integer could not follow with a weight of 1/128. Lines that the L2 has can be
/// left out.
template <bool KeepsMinimum>
class opportunistic_prefetch {
public:
    static constexpr char const* name() noexcept {
        return KeepsMinimum ? "opportunistic_at_least" : "opportunistic_until_conflict";
    }

    opportunistic_prefetch() = default;
    opportunistic_prefetch(timing const& t, prefetch_numbers const& n)
        : numbers_(n),
          mean_((check(t, n), n.shift)),
          all_(n.row_bytes / n.line_bytes == 64 ? ~std::uint64_t{0}
                                                : (std::uint64_t{1} << n.row_bytes / n.line_bytes) - 1),
          bank_(t.banks) {}

    void opened(unsigned bank, std::uint32_t) noexcept {
        bank_[bank] = {};
        wants_ &= ~(bank_set{1} << bank);
    }
    void closed(unsigned bank) noexcept { wants_ &= ~(bank_set{1} << bank); }
    void accessed(unsigned bank, std::uint32_t column, bool write) noexcept {
        if (!write) wants_ |= bank_set{1} << bank;
        mark(bank, column / numbers_.line_bytes);
    }
    void arrived(std::uint32_t pending) noexcept { mean_.add(pending); }

    bank_set wants() const noexcept { return wants_; }
    bank_set insists(std::uint32_t pending) const noexcept {
        if constexpr (!KeepsMinimum) return 0;
        auto const least = minimum(pending);
        bank_set s = 0;
        for (auto rest = wants_; rest != 0; rest &= rest - 1)
            if (bank_[static_cast<unsigned>(std::countr_zero(rest))].read < least) s |= rest & (~rest + 1);
        return s;
    }
    /// C: the lines of each opening that are read in any case.
    std::uint32_t minimum(std::uint32_t pending) const noexcept {
        return pending < threshold() ? numbers_.higher : numbers_.lower;
    }
    std::uint32_t threshold() const noexcept {
        return numbers_.threshold != 0 ? numbers_.threshold : mean_.value();
    }

    std::uint32_t next(unsigned bank) const noexcept {
        return static_cast<std::uint32_t>(std::countr_one(bank_[bank].touched)) * numbers_.line_bytes;
    }
    void read(unsigned bank) noexcept {
        ++bank_[bank].read;
        skip(bank);
    }
    void skip(unsigned bank) noexcept {
        mark(bank, static_cast<std::uint32_t>(std::countr_one(bank_[bank].touched)));
    }
    std::uint32_t line_bytes() const noexcept { return numbers_.line_bytes; }
    bool skips_resident() const noexcept { return numbers_.skip_resident; }

    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        auto& n = self.numbers_;
        f(parameter{"lower", "lines that are read in any case, per opening of a row", 0, 64}, n.lower);
        f(parameter{"higher", "the same while fewer demands wait than the threshold", 0, 64}, n.higher);
        f(parameter{"threshold", "demands that wait; 0: their running mean"}, n.threshold);
        f(parameter{"shift", "of the running mean, whose new values weigh 2^-shift", 0, 20}, n.shift);
        f(parameter{"skip_resident", "lines that the L2 has are not read"}, n.skip_resident);
    }
    /// Throws `error` where higher is less than lower. The running mean begins anew.
    void parameters_set() {
        if (numbers_.higher < numbers_.lower)
            refuse("higher", numbers_.higher, "is less than lower", numbers_.lower);
        mean_ = shifted_mean(numbers_.shift);
    }
    WARPKIT_STORED_MEMBERS(5)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(mean_, bank_, wants_);
    }
    friend bool operator==(opportunistic_prefetch const&, opportunistic_prefetch const&) = default;

private:
    struct row {
        std::uint64_t touched = 0; ///< a bit for each line
        std::uint32_t read = 0;    ///< lines prefetched
        template <class F>
        constexpr void each_member(F&& f) const {
            f(touched, read);
        }
        friend bool operator==(row const&, row const&) = default;
    };

    void mark(unsigned bank, std::uint32_t line) noexcept {
        auto& r = bank_[bank];
        r.touched |= std::uint64_t{1} << (line & 63);
        if ((r.touched & all_) == all_) wants_ &= ~(bank_set{1} << bank);
    }
    [[noreturn]] static void refuse(char const* field, std::uint32_t value, char const* why,
                                    std::uint32_t legal) {
        raise_error(
            error({"memory prefetch: ", field, " = ", value, " ", why, "; nearest legal value: ", legal}));
    }
    static void check(timing const& t, prefetch_numbers const& n) {
        if (n.line_bytes == 0 || n.line_bytes % t.atom_bytes() != 0)
            refuse("line_bytes", n.line_bytes, "is no whole number of column commands",
                   (n.line_bytes / t.atom_bytes() + 1) * t.atom_bytes());
        if (n.row_bytes % n.line_bytes != 0 || n.row_bytes == 0)
            refuse("row_bytes", n.row_bytes, "is no whole number of lines",
                   (n.row_bytes / n.line_bytes + 1) * n.line_bytes);
        if (n.row_bytes / n.line_bytes > 64)
            refuse("row_bytes", n.row_bytes, "has more than 64 lines", 64 * n.line_bytes);
        if (n.higher < n.lower) refuse("higher", n.higher, "is less than lower", n.lower);
        if (n.shift > 20) refuse("shift", n.shift, "is too large", 20);
    }

    prefetch_numbers numbers_;
    shifted_mean mean_;
    std::uint64_t all_ = 0; ///< the lines of a row
    heap_array<row> bank_;
    bank_set wants_ = 0;
};

/// The first scheme: stops when a demand to another row of the bank arrives.
using opportunistic_until_conflict = opportunistic_prefetch<false>;
/// The second, OWL's baseline: at least lower or higher lines.
using opportunistic_at_least = opportunistic_prefetch<true>;

static_assert(memory_prefetcher<no_memory_prefetch> && memory_prefetcher<opportunistic_until_conflict> &&
              memory_prefetcher<opportunistic_at_least>);

} // namespace warpkit::dram
