#pragma once
/// \file
/// Parameters of the policies that an engine makes itself, from a machine's numbers: caches, the coalescer, and those
/// of the DRAM channel. (The others begin as the values that a machine is given: policy_values.)

#include <warpkit/base/error.hpp>
#include <warpkit/base/policy_text.hpp>
#include <warpkit/machine/parameters.hpp>

#include <string>
#include <string_view>

namespace warpkit {

namespace detail {
/// f(text) for each text of `parameters` (gpu_parameters::policy_parameters) that is of this seat.
template <class F>
void each_policy_text(std::string_view parameters, std::string_view seat, F&& f) {
    while (!parameters.empty()) {
        auto const end = parameters.find(' ');
        auto const text = parameters.substr(0, end);
        parameters = end == parameters.npos ? std::string_view() : parameters.substr(end + 1);
        auto const equals = text.find('=');
        if (text.substr(0, equals) == seat) f(text.substr(equals + 1));
    }
}
} // namespace detail

/// The name of the policy that `parameters` (gpu_parameters::policy_parameters) put into this seat; empty if none.
inline std::string_view policy_in(std::string_view parameters, std::string_view seat) {
    std::string_view name;
    detail::each_policy_text(parameters, seat,
                             [&](std::string_view text) { name = text.substr(0, text.find(':')); });
    return name;
}
/// Sets those of `parameters` that are of this seat in the policy that sits there, which may be one of several that
/// they choose among. Throws `error`, its message beginning with the seat.
template <class Policy>
[[gnu::cold]] void set_policy_parameters(Policy& policy, std::string_view parameters, std::string_view seat) {
    detail::each_policy_text(parameters, seat, [&](std::string_view text) {
        if constexpr (requires { policy.choose(text); }) policy.choose(text.substr(0, text.find(':')));
        try {
            set_parameters(policy, text);
        } catch (error const& e) {
            throw error({seat, ": ", e.what()});
        }
    });
}

namespace detail {
/// Throws `error`, its message beginning with the name.
template <class Cache, class Policies>
Cache cache_from(char const* name, cache_numbers const& n, [[maybe_unused]] std::string const& variant) {
    try {
        auto p = parameters_of(n);
        if constexpr (requires { Policies::choice_from(variant); })
            p.choice = Policies::choice_from(variant);
        else if (!variant.empty())
            throw error({"this machine's cache has no variants, so it cannot be '", variant,
                         "'; choose its policies with use::, or take one with_alternatives"});
        return Cache(p);
    } catch (error const& e) {
        throw error({name, ": ", e.what()});
    }
}
} // namespace detail

/// The cache in seat `name`, with these numbers, and of the alternatives of `Policies` the one that `variant` names
/// (cache/alternatives.hpp); those of `parameters` that are its own are set. Throws `error`, its message beginning with
/// the name.
template <class Cache, class Policies = Cache>
Cache make_cache(char const* name, cache_numbers const& n, std::string const& variant,
                 std::string const& parameters) {
    auto made = detail::cache_from<Cache, Policies>(name, n, variant);
    set_policy_parameters(made, parameters, name);
    return made;
}

} // namespace warpkit
