#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/fetch/concepts.hpp>
#include <warpkit/fetch/prefetched_lines.hpp>

#include <cstdint>

namespace warpkit::fetch {

/// The Lines lines behind one that is missing; and as each of these is used for the first time, those behind it, so
/// that straight code stays so many lines ahead. Lines is fixed, or `run_time` and given to the constructor.
///
/// Source: Jouppi, "Improving Direct-Mapped Cache Performance by the Addition of a Small Fully-Associative Cache and
/// Prefetch Buffers", ISCA 1990, section 4; for the L0 instruction caches of current NVIDIA GPUs Huerta et al., MICRO
/// 2025, section 5.2, who found 8 lines to fit best (docs/model/front_end.md#stream-buffer).
/// Differs from Jouppi's: the lines lie in the cache itself, not in a queue beside it, so a stream that is left behind
/// is not flushed, and takes places from others. Hardware cost: one tag and one line of 128 bytes for each of a stream
/// buffer's lines, as theirs has; here a table of 64 lines.
template <std::uint64_t Lines = 8>
class stream_buffer {
    struct text {
        static constexpr char const* name() noexcept { return "stream_buffer"; }
    };

public:
    static constexpr char const* name() noexcept {
        return composed_name<text, number_in_name<Lines>>::name();
    }
    static constexpr char const* name() noexcept requires(Lines == run_time) { return "stream_buffer"; }

    constexpr stream_buffer() = default;
    constexpr explicit stream_buffer(unsigned lines) noexcept requires(Lines == run_time) : lines_(lines) {}

    constexpr bool wants(fetched const& e, unsigned) const noexcept {
        if (e.outcome == cache_outcome::reservation_fail) return false;
        bool const there = e.outcome == cache_outcome::hit || e.outcome == cache_outcome::hit_reserved;
        return !there || ahead_.has(e.line);
    }
    constexpr unsigned lines() const noexcept { return lines_; }

    constexpr void on(fetched const& e) noexcept {
        if (e.outcome != cache_outcome::reservation_fail) ahead_.erase(e.line);
    }
    constexpr void on(prefetched const& e) noexcept { ahead_.insert(e.line); }
    constexpr void on(kernel_began const&) noexcept { ahead_ = {}; }

    constexpr hardware_cost_list hardware_cost(core_shape const&) const noexcept {
        return hardware_cost_list{}.add("stream buffer", std::uint64_t{lines_.get()} * (128 * 8 + 25));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"lines", "how many lines are fetched ahead", 0, 64}, self.lines_);
    }
    WARPKIT_STORED_MEMBERS(2)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(lines_.get());
        ahead_.each_member(f);
    }
    friend bool operator==(stream_buffer const&, stream_buffer const&) = default;

private:
    prefetched_lines ahead_;
    [[no_unique_address]] number<unsigned, Lines> lines_{Lines == run_time ? 8
                                                                           : static_cast<unsigned>(Lines)};
};
static_assert(instruction_prefetch<stream_buffer<>> && hears<stream_buffer<>, prefetched>);

} // namespace warpkit::fetch
