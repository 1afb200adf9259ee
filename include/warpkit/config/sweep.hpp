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
#include <warpkit/config/sweep_point.hpp>
#include <warpkit/gpu/gpu.hpp>

#include <boost/hana/cartesian_product.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <boost/hana/unpack.hpp>

#include <string>
#include <vector>

namespace warpkit {

/// The policies to try in one seat: choose<use::warp_scheduler, lrr, gto>. `preset_policy` among them stands for the
/// one that the machine has there.
template <template <class> class Use, class... P>
struct choose {
    static constexpr auto uses() { return boost::hana::tuple_t<Use<P>...>; }
};

namespace detail {

/// What a choice puts into its seat of a machine.
template <class Machine, class Use>
struct use_in {
    using type = Use;
};
template <class Machine, template <class> class Seat>
struct use_in<Machine, Seat<preset_policy>> {
    using type = typename Machine::template seat<Seat>;
};

/// A machine of a product, of which nothing is compiled yet.
template <class Machine, class... Use>
struct product_machine {
    using type = typename Machine::template with<typename use_in<Machine, Use>::type...>;
    /// The choices: seats, and the policies' names.
    static std::vector<slot_and_policy> chosen() {
        return {{Use::name, display_name<typename Use::policy>()}...};
    }
};

template <class Machine>
engine make_machine(gpu_parameters const& numbers, std::vector<slot_and_policy> const& texts) {
    auto const values = values_named<typename Machine::policies>(numbers, texts);
    return engine::with_values<Machine>(values.numbers, values.policies);
}

} // namespace detail

/// Calls `f.template operator()<M>(chosen)` for the machine of each combination of the choices on a machine, the last
/// choice varying fastest; `chosen` are the seats of the choices and the names of what sits there, a vector of
/// slot_and_policy.
template <class Machine, class... Choose, class F>
void each_machine(F&& f) {
    auto const all = boost::hana::cartesian_product(boost::hana::make_tuple(Choose::uses()...));
    boost::hana::for_each(all, [&f](auto const& uses) {
        boost::hana::unpack(uses, [&f](auto... use) {
            using product = detail::product_machine<Machine, typename decltype(use)::type...>;
            f.template operator()<typename product::type>(product::chosen());
        });
    });
}

/// All combinations of the choices on a machine, the last choice varying fastest; of these, where `wanted` is given,
/// the ones of whose choices (a vector of slot_and_policy) it says true.
template <class Machine, class... Choose, class Wanted>
std::vector<sweep_point> sweep(Wanted&& wanted) {
    std::vector<sweep_point> points;
    each_machine<Machine, Choose...>([&]<class M>(std::vector<slot_and_policy> const& chosen) {
        if (!wanted(chosen)) return;
        sweep_point p{M::numbers().name, {}, M::describe(), &detail::make_machine<M>};
        for (auto const& c : chosen) p.chosen.push_back(c.policy);
        points.push_back(std::move(p));
    });
    return points;
}
template <class Machine, class... Choose>
std::vector<sweep_point> sweep() {
    return sweep<Machine, Choose...>([](std::vector<slot_and_policy> const&) { return true; });
}

} // namespace warpkit
