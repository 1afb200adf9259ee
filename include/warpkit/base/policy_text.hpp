#pragma once
/// \file
/// Policies by name, with their parameters: `locality_aware:active=16`, `bcs:4`, `dyncta:window=4096:pausing=0`. A text
/// is the policy's name and, each behind a colon, values of its parameters by their names; a value without a name is
/// the first parameter's. What there is to set follows from the policies (base/parameters.hpp). Bad texts are refused
/// by `error`, which names the place, the nearest name, and what there is.

#include <warpkit/base/error.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/number_text.hpp>
#include <warpkit/base/one_of.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpkit {

/// A parameter of a named policy, for lists.
struct policy_parameter {
    std::string name;
    std::string standard; ///< its value if nobody sets it
    std::string values;   ///< what it can be: `1 to 64`, words, `0 or 1`, or `fixed`
    std::string meaning;
};
/// A policy that can be named.
struct named_policy {
    std::string name;
    std::string meaning;                      ///< in one line; empty for one that says none
    std::vector<policy_parameter> parameters; ///< the first may be set without its name
};

namespace detail {

/// One parameter of one policy value, with what it takes to read and to set it.
struct parameter_place {
    enum class kind : std::uint8_t { whole, flag, real, list, word };
    parameter about;
    kind what = kind::whole;
    bool is_fixed = false;
    std::uint64_t value = 0; ///< of a whole number, a flag, a word
    double real = 0;
    std::string list;     ///< its numbers, with slashes between them
    std::size_t most = 0; ///< numbers that a list holds
    std::vector<std::string> words;
    std::vector<std::uint64_t> meant; ///< by words
    void* where = nullptr;
    void (*store)(void*, parameter_place const&) = nullptr; ///< puts what is above there
};

inline std::string real_text(double v) {
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof text, v).ptr);
}
inline void list_one(parameter_place& p, double v) {
    p.list.append(p.list.empty() ? "" : "/").append(real_text(v));
}
inline double real_from(std::string_view text, parameter const& about, std::string const& what) {
    double v = 0;
    auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (wrong != std::errc() || end != text.data() + text.size())
        raise_error(error({what, ": '", text, "' is not a number"}));
    if (!(v >= static_cast<double>(about.least) && v <= static_cast<double>(about.most)))
        raise_error(error({what, " = ", text, ": give ", about.least, " to ", about.most}));
    return v;
}
/// f(number) for each number of `text`, which has slashes between them; how many there are.
template <class F>
std::size_t each_number(std::string_view text, parameter const& about, std::string const& what, F&& f) {
    std::size_t n = 0;
    for (std::size_t from = 0; from <= text.size(); ++n) {
        auto const to = text.find('/', from) < text.size() ? text.find('/', from) : text.size();
        f(real_from(text.substr(from, to - from), about, what));
        from = to + 1;
    }
    return n;
}

/// Collects the places of a policy value's parameters.
class parameter_places {
public:
    template <class T>
    void operator()(parameter const& about, T& member) {
        using held = std::remove_const_t<T>;
        auto p = place(about, member);
        if constexpr (std::is_same_v<held, bool>) {
            p.what = parameter_place::kind::flag;
            p.value = member ? 1 : 0;
            set_store(p, member, [](held& to, parameter_place const& from) { to = from.value != 0; });
        } else if constexpr (std::is_floating_point_v<held>) {
            p.what = parameter_place::kind::real;
            p.real = member;
            set_store(p, member,
                      [](held& to, parameter_place const& from) { to = static_cast<held>(from.real); });
        } else if constexpr (requires {
                                 member.value[0] = 0.0;
                                 member.size = 0U;
                             }) {
            p.what = parameter_place::kind::list;
            for (unsigned i = 0; i < member.size; ++i) list_one(p, member.value[i]);
            p.most = held::most;
            set_store(p, member, [](held& to, parameter_place const& from) {
                to = {};
                each_number(from.list, from.about, "", [&to](double v) { to.value[to.size++] = v; });
            });
        } else if constexpr (requires { member.get(); }) {
            using number = std::remove_cvref_t<decltype(member.get())>;
            p.value = member.get();
            p.is_fixed = p.is_fixed || held::is_fixed;
            p.about.most = most_of<number>(p.about.most);
            set_store(p, member, [](held& to, parameter_place const& from) {
                to = held(static_cast<number>(from.value));
            });
        } else {
            static_assert(
                std::is_unsigned_v<held>,
                "warpkit: a parameter is an unsigned number, number<>, a bool, a floating-point number, a "
                "number_list, or an enumeration with its words as third argument (base/parameters.hpp)");
            p.value = member;
            p.about.most = most_of<held>(p.about.most);
            set_store(p, member,
                      [](held& to, parameter_place const& from) { to = static_cast<held>(from.value); });
        }
        all.push_back(std::move(p));
    }
    template <class T, class E, std::size_t N>
    void operator()(parameter const& about, T& member, parameter_word<E> const (&words)[N]) {
        auto p = place(about, member);
        p.what = parameter_place::kind::word;
        p.value = static_cast<std::uint64_t>(static_cast<E>(member));
        for (auto const& w : words) {
            p.words.emplace_back(w.word);
            p.meant.push_back(static_cast<std::uint64_t>(w.value));
        }
        if constexpr (std::is_same_v<T, E>)
            set_store(p, member, [](E& to, parameter_place const& from) { to = static_cast<E>(from.value); });
        else
            p.is_fixed = true;
        all.push_back(std::move(p));
    }

    std::vector<parameter_place> all;

private:
    template <class T>
    static parameter_place place(parameter const& about, T&) {
        parameter_place p;
        p.about = about;
        p.is_fixed = std::is_const_v<T>;
        return p;
    }
    template <class T>
    static std::uint64_t most_of(std::uint64_t most) noexcept {
        return most < std::numeric_limits<T>::max() ? most : std::uint64_t{std::numeric_limits<T>::max()};
    }
    template <class T, class Store>
    static void set_store([[maybe_unused]] parameter_place& p, [[maybe_unused]] T& member, Store) {
        if constexpr (!std::is_const_v<T>) {
            p.where = &member;
            p.store = [](void* to, parameter_place const& from) { Store()(*static_cast<T*>(to), from); };
        }
    }
};
template <class P>
std::vector<parameter_place> places_in(P& policy) {
    parameter_places places;
    each_parameter_of(places, policy);
    return std::move(places.all);
}

inline std::string list_of(std::vector<std::string> const& names) {
    std::string all;
    for (auto const& n : names) all.append(all.empty() ? "" : ", ").append(n);
    return all;
}
inline std::string value_text(parameter_place const& p) {
    using kind = parameter_place::kind;
    if (p.what == kind::real) return real_text(p.real);
    if (p.what == kind::word)
        for (std::size_t i = 0; i < p.words.size(); ++i)
            if (p.meant[i] == p.value) return p.words[i];
    return p.what == kind::list ? p.list : std::to_string(p.value);
}
inline std::string range_text(parameter_place const& p) {
    using kind = parameter_place::kind;
    if (p.is_fixed) return "fixed";
    if (p.what == kind::flag) return "0 or 1";
    if (p.what == kind::word) return list_of(p.words);
    auto const range = warpkit::joined({p.about.least, " to ", p.about.most});
    return p.what == kind::list ? warpkit::joined({"up to ", std::uint64_t{p.most}, " of ", range}) : range;
}

/// "name:key=value:value", taken apart.
class policy_text {
public:
    policy_text(std::string_view text, std::string const& kind) {
        for (std::size_t from = 0; from <= text.size();) {
            auto const to = text.find(':', from) < text.size() ? text.find(':', from) : text.size();
            auto const part = text.substr(from, to - from);
            from = to + 1;
            if (name.empty()) {
                name = part;
                if (name.empty()) raise_error(error({kind, " '", text, "' has no name"}));
                continue;
            }
            auto const equals = part.find('=');
            keys.emplace_back(equals == part.npos ? std::string_view() : part.substr(0, equals));
            values.emplace_back(equals == part.npos ? part : part.substr(equals + 1));
        }
    }
    std::string name;
    std::vector<std::string> keys;   ///< empty: the first parameter
    std::vector<std::string> values; ///< of each
};

/// Reads `text` into `p`; `what` names it.
inline void read_value(parameter_place& p, std::string const& text, std::string const& what) {
    using kind = parameter_place::kind;
    switch (p.what) {
    case kind::flag:
        if (text != "0" && text != "1") raise_error(error({what, ": '", text, "' is neither 0 nor 1"}));
        p.value = text == "1" ? 1 : 0;
        return;
    case kind::real:
        p.real = real_from(text, p.about, what);
        return;
    case kind::list:
        p.list.clear();
        if (auto const n = each_number(text, p.about, what, [&p](double v) { list_one(p, v); }); n > p.most)
            raise_error(error({what, ": ", n, " values; give at most ", p.most}));
        return;
    case kind::word:
        for (std::size_t i = 0; i < p.words.size(); ++i)
            if (p.words[i] == text) {
                p.value = p.meant[i];
                return;
            }
        raise_error(error({what, ": there is no '", text, '\'' + did_you_mean(text, p.words),
                           "; there are: ", list_of(p.words)}));
    case kind::whole:
        p.value = parse_number(text, "", what);
        if (p.value < p.about.least || p.value > p.about.most)
            raise_error(error({what, " = ", text, ": give ", p.about.least, " to ", p.about.most}));
        return;
    }
}

/// Sets the parameters in `places`, those of one policy, as `text` says.
inline void set_places(std::vector<parameter_place>& places, policy_text const& text) {
    std::vector<std::string> names;
    for (auto const& p : places)
        if (std::find(names.begin(), names.end(), p.about.name) == names.end())
            names.emplace_back(p.about.name);
    std::vector<std::string> given;
    for (auto const& value : text.values) {
        auto const& own = text.keys[given.size()];
        auto const key = own.empty() && !names.empty() ? names.front() : own;
        if (std::find(names.begin(), names.end(), key) == names.end())
            raise_error(error(
                {text.name, " has no parameter '", key.empty() ? value : key, '\'' + did_you_mean(key, names),
                 names.empty() ? std::string("; it takes none") : "; it takes: " + list_of(names)}));
        auto const what = text.name + ' ' + key;
        for (std::size_t i = 0; i < given.size(); ++i)
            if (given[i] == key)
                raise_error(error(
                    {what, " is given twice, as ", text.values[i], " and as ", value, "; give it once"}));
        given.push_back(key);
        for (auto& p : places) {
            if (key != p.about.name) continue;
            auto const before = value_text(p);
            read_value(p, value, what);
            if (!p.is_fixed)
                p.store(p.where, p);
            else if (value_text(p) != before)
                raise_error(error({what, " is fixed at ", before,
                                   " where this policy is compiled; a policy whose number is "
                                   "run_time has it set here"}));
        }
    }
}

/// As `text` says, which is parsed. A template of one instance, so that it can be instantiated explicitly.
template <int Instance>
void set_places_as(std::vector<parameter_place>& places, std::string_view text, std::string const& kind) {
    set_places(places, policy_text(text, kind));
}
#ifdef WARPKIT_COMPILED
extern template void set_places_as<0>(std::vector<parameter_place>&, std::string_view, std::string const&);
#endif

} // namespace detail

/// What parameters a policy has, with the values that `policy` has.
template <class P>
std::vector<policy_parameter> parameters_of(P policy = {}) {
    std::vector<policy_parameter> all;
    for (auto const& p : detail::places_in(policy)) {
        bool known = false;
        for (auto const& q : all) known = known || q.name == p.about.name;
        if (!known)
            all.push_back({p.about.name, detail::value_text(p), detail::range_text(p), p.about.meaning});
    }
    return all;
}
/// What a policy is, for lists.
template <class P>
named_policy about_policy() {
    return {common_name<P>, policy_summary<P>(), parameters_of<P>()};
}

/// Sets the parameters that `text` names in `policy`; the name in front is not looked at.
template <class P>
void set_parameters(P& policy, std::string_view text, std::string const& kind = "policy") {
    auto places = detail::places_in(policy);
    detail::set_places_as<0>(places, text, kind);
    tell_parameters_set(policy);
}
/// A P with the parameters that `text` sets; its name is not looked at.
template <class P>
P policy_with(std::string_view text, std::string const& kind = "policy") {
    P policy{};
    set_parameters(policy, text, kind);
    return policy;
}

/// All that an Any (base/one_of.hpp) can be, for lists.
template <class Any>
std::vector<named_policy> policies_of() {
    std::vector<named_policy> all;
    Any::each_alternative([&all]<class P>() { all.push_back(about_policy<P>()); });
    return all;
}
/// Their names alone.
template <class Any>
std::vector<std::string> policy_names_of() {
    std::vector<std::string> all;
    Any::each_alternative([&all]<class P>() { all.emplace_back(common_name<P>); });
    return all;
}
/// The one of them that `text` names, with its parameters; `kind` says in messages what is looked for.
template <class Any>
Any policy_named(std::string_view text, std::string const& kind) {
    detail::policy_text const parts(text, kind);
    Any chosen;
    bool found = false;
    Any::each_alternative([&]<class P>() {
        if (found || parts.name != common_name<P>) return;
        found = true;
        chosen = Any(policy_with<P>(text, kind));
    });
    if (found) return chosen;
    auto const names = policy_names_of<Any>();
    raise_error(error({"there is no ", kind, " '", parts.name, '\'' + did_you_mean(parts.name, names),
                       "; there are: ", detail::list_of(names)}));
}

} // namespace warpkit
