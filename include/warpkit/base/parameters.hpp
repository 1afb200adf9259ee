#pragma once
/// \file
/// Parameters: the numbers that a policy goes by, told by the policy itself under their names, so that they can be
/// listed, set and swept by who knows nothing else of it (base/policy_text.hpp reads `locality_aware:active=16`).
///
/// Contract: a policy that has some writes in its public part
///
///     template <class Self, class F>
///     static constexpr void each_parameter(Self& self, F&& f) {
///         f(parameter{"active", "warps that may issue", 1, 64}, self.limit_);
///     }
///
/// one call for each, the one that is set most often first, since it may be given without its name. What is told is one
/// of
///   - an unsigned integer, or a number<T, run_time> (base/number.hpp), from `least` to `most`,
///   - a number<T, N> that is fixed, or a constant: it is listed and cannot be set,
///   - a bool; a floating-point number; a number_list,
///   - an enumeration, with its words as third argument: f(parameter{...}, self.tie_, tie_words).
/// Self is const where they are only read. A combinator hands on: `each_parameter_of(f, self.grouping_, self.order_)`.
/// A name that several parts have is set in all of them. A policy with numbers to derive, or to look at together, also
/// has `void parameters_set()`, which is called when all have been set and may throw `error`; its combinators hand that
/// on by `tell_parameters_set(grouping_, order_)`. A policy without parameters writes nothing.

#include <warpkit/base/standard.hpp>

#include <cstdint>
#include <type_traits>

namespace warpkit {

/// What is told of a parameter, beside the number itself.
struct parameter {
    char const* name = "";    ///< of letters, digits and _
    char const* meaning = ""; ///< with its unit
    std::uint64_t least = 0;  ///< of a number; a floating-point one may lie between least and most, too
    std::uint64_t most = 1'000'000'000;
};

/// A value of an enumeration and the word for it.
template <class E>
struct parameter_word {
    char const* word;
    E value;
};

/// Up to Most numbers from 0 on, as in `reads=100/250/400`.
template <unsigned Most>
struct number_list {
    static constexpr unsigned most = Most;
    double value[Most]{};
    unsigned size = 0;
    friend bool operator==(number_list const&, number_list const&) = default;
};

namespace detail {

struct hears_parameters {
    template <class... T>
    constexpr void operator()(T&&...) const noexcept {}
};

/// Whether a class has any member of these names, callable or not: such a name makes the lookup below ambiguous.
struct has_parameter_hooks {
    void each_parameter();
    void parameters_set();
};
template <class P>
struct with_parameter_hooks : P, has_parameter_hooks {};
template <class P>
concept names_each_parameter = std::is_class_v<P> && !std::is_final_v<P> && !requires {
    &with_parameter_hooks<P>::each_parameter;
};
template <class P>
concept names_parameters_set = std::is_class_v<P> && !std::is_final_v<P> && !requires {
    &with_parameter_hooks<P>::parameters_set;
};

} // namespace detail

/// P tells its parameters.
template <class P>
concept has_parameters = requires(P& p, detail::hears_parameters f) {
    P::each_parameter(p, f);
};
/// P wants to know when they have been set.
template <class P>
concept hears_parameters_set = requires(P& p) {
    p.parameters_set();
};

/// Refuses, with one message that tells the remedy, a policy whose parameters nobody could reach.
template <class P>
constexpr bool check_parameters() {
    static_assert(
        has_parameters<P> || !detail::names_each_parameter<P>,
        "warpkit: each_parameter is not public, or cannot be called with the policy and a function: write "
        "`template <class Self, class F> static constexpr void each_parameter(Self& self, F&& f)` and, in "
        "it, "
        "`f(parameter{\"name\", \"meaning\", least, most}, self.member)` for each (base/parameters.hpp)");
    static_assert(hears_parameters_set<P> || !detail::names_parameters_set<P>,
                  "warpkit: parameters_set is not public, or wants arguments: write `void parameters_set()`");
    return true;
}

/// Calls f(parameter, member) for the parameters of all these parts, in their order; a part may have none.
template <class F, class... Part>
constexpr void each_parameter_of(F&& f, Part&... part) {
    (
        [&] {
            using policy = std::remove_const_t<Part>;
            static_assert(check_parameters<policy>());
            if constexpr (has_parameters<policy>) policy::each_parameter(part, f);
        }(),
        ...);
}

/// Tells these parts that their parameters have been set. Throws what they throw.
template <class... Part>
constexpr void tell_parameters_set(Part&... part) {
    (
        [&] {
            if constexpr (hears_parameters_set<Part>) part.parameters_set();
        }(),
        ...);
}

} // namespace warpkit
