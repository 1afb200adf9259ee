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
#include <warpkit/cta/policies.hpp>
#include <warpkit/gpu/gpu.hpp>

#include <boost/hana/cartesian_product.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <boost/hana/unpack.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace warpkit {

/// The policies to try in one slot: choose<use::warp_scheduler, lrr, gto>.
template <template <class> class Use, class... P>
struct choose {
    static constexpr auto uses() { return boost::hana::tuple_t<Use<P>...>; }
};

/// Block dispatch, named at run time (config/dispatch.hpp).
struct dispatch_policies {
    any_cta_choice choice;
    any_occupancy_limit limit;
};

/// One point of a sweep.
struct sweep_point {
    std::string preset;                    ///< the machine's numbers
    std::vector<std::string> chosen;       ///< the policies' names, in the order of the choices
    std::vector<slot_and_policy> policies; ///< those of all slots
    engine (*make)(gpu_parameters const&); ///< builds this machine with the given numbers
    /// The same with these choice of block and limit; null for a machine whose own are fixed, which has not
    /// any_cta_choice and any_occupancy_limit in those slots.
    engine (*make_with)(gpu_parameters const&, dispatch_policies const&) = nullptr;
};

namespace detail {
template <class Machine, class... Use>
sweep_point make_point() {
    using point = typename Machine::template with<Use...>;
    using values = policy_values<typename point::policies>;
    sweep_point p{point::numbers().name,
                  {display_name<typename Use::policy>()...},
                  point::describe(),
                  &engine::of<point>,
                  nullptr};
    if constexpr (std::is_same_v<decltype(values::cta_choice), any_cta_choice> &&
                  std::is_same_v<decltype(values::occupancy_limit), any_occupancy_limit>)
        p.make_with = [](gpu_parameters const& numbers, dispatch_policies const& dispatch) {
            values v;
            v.cta_choice = dispatch.choice;
            v.occupancy_limit = dispatch.limit;
            return engine::with_values<point>(numbers, v);
        };
    return p;
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
