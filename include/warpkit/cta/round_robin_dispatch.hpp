#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/cta/concepts.hpp>

namespace warpkit {

/// At which core a grid begins.
enum class grid_start : bool {
    first_core, ///< at core 0, so that a kernel's run does not depend on the one before
    next_core,  ///< behind the core that received the last CTA of the grid before, as in GPGPU-Sim
};

/// CTAs in the order of their numbers, each to the next core with room behind the core that received the last one. On
/// an empty machine, CTA i goes to core i mod cores.
/// Source: GPGPU-Sim's dispatch (docs/model/dispatch.md#round-robin), OWL's baseline.
/// Differs from GPGPU-Sim: each grid begins again at core 0, unless `grid_start::next_core` is asked for.
class round_robin_dispatch {
public:
    static constexpr char const* name() noexcept { return "round_robin_dispatch"; }
    static constexpr char const* summary() noexcept {
        return "in order, each to the next core with room (GPGPU-Sim, OWL)";
    }

    constexpr round_robin_dispatch() = default;
    constexpr explicit round_robin_dispatch(grid_start start) noexcept : start_(start) {}

    constexpr cta_assignment choose(core_rooms rooms) const noexcept {
        if (next_cta_ == ctas_) return {};
        auto const core = rooms.next_with_room(next_core_);
        if (core == rooms.size()) return {};
        return {core, next_cta_, 1};
    }

    static constexpr bool keeps_order() noexcept { return true; }

    constexpr void on(grid_began const& e) {
        next_cta_ = 0;
        ctas_ = e.ctas();
        if (start_ == grid_start::first_core) next_core_ = 0;
    }
    constexpr void on(cta_dispatched const& e) noexcept {
        next_cta_ = e.linear_id + 1;
        next_core_ = e.core + 1;
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}.add("last core", bits_for(shape.cores)).add("next CTA", 32);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"start", "of a grid: the first core, or the next one behind the last grid's (GPGPU-Sim)"},
          self.start_, start_words_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(next_cta_, ctas_, next_core_, start_);
    }
    friend bool operator==(round_robin_dispatch const&, round_robin_dispatch const&) = default;

private:
    static constexpr parameter_word<grid_start> start_words_[] = {{"first_core", grid_start::first_core},
                                                                  {"next_core", grid_start::next_core}};
    std::uint64_t next_cta_ = 0;
    std::uint64_t ctas_ = 0;
    unsigned next_core_ = 0;
    grid_start start_ = grid_start::first_core;
};
static_assert(cta_choice<round_robin_dispatch>);

} // namespace warpkit
