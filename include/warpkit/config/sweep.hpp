#pragma once
/// \file
/// Cartesian products of policies, as tables to pick from by name.
///
///     auto const table = sweep<presets::gtx480, choose<use::warp_scheduler, lrr, gto>,
///                                               choose<use::dram_scheduler, dram::fcfs, dram::fr_fcfs>>();
///
/// has four entries, {"lrr", "fcfs"} first. Every entry compiles a whole machine: spread a large sweep over several
/// translation units, each with a part of the choices, and join the tables.

#include <warpkit/config/engine.hpp>
#include <warpkit/config/machine.hpp>
#include <warpkit/config/seat_values.hpp>
#include <warpkit/gpu/gpu.hpp>

#include <boost/hana/cartesian_product.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <boost/hana/unpack.hpp>

#include <string>
#include <vector>

namespace warpkit {

/// The policies to try in one slot: choose<use::warp_scheduler, lrr, gto>.
template <template <class> class Use, class... P>
struct choose {
    static constexpr auto uses() { return boost::hana::tuple_t<Use<P>...>; }
};

/// One point of a sweep.
struct sweep_point {
    std::string preset;                    ///< the machine's numbers
    std::vector<std::string> chosen;       ///< the policies' names, in the order of the choices
    std::vector<slot_and_policy> policies; ///< those of all slots
    /// Builds this machine with the given numbers and policies by seat, as values_named() reads them.
    engine (*make_with)(gpu_parameters const&, std::vector<slot_and_policy> const&) = nullptr;
    std::vector<slot_and_policy> texts = {}; ///< what it is always made with, ahead of what else is said

    /// This machine, with those of its policies that can be named at run time as `more` names them.
    engine make(gpu_parameters const& numbers, std::vector<slot_and_policy> const& more = {}) const {
        auto all = texts;
        all.insert(all.end(), more.begin(), more.end());
        return make_with(numbers, all);
    }
};

namespace detail {
template <class Machine, class... Use>
sweep_point make_point() {
    using point = typename Machine::template with<Use...>;
    return {point::numbers().name,
            {display_name<typename Use::policy>()...},
            point::describe(),
            [](gpu_parameters const& numbers, std::vector<slot_and_policy> const& texts) {
                return engine::with_values<point>(
                    numbers, values_named<typename point::policies>(texts, numbers.core.count));
            }};
}
} // namespace detail

/// All combinations of the choices on a machine, the last choice varying fastest.
template <class Machine, class... Choose>
std::vector<sweep_point> sweep() {
    std::vector<sweep_point> points;
    auto const all = boost::hana::cartesian_product(boost::hana::make_tuple(Choose::uses()...));
    boost::hana::for_each(all, [&points](auto const& uses) {
        boost::hana::unpack(uses, [&points](auto... use) {
            points.push_back(detail::make_point<Machine, typename decltype(use)::type...>());
        });
    });
    return points;
}

} // namespace warpkit
