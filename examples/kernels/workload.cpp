#include "workload.hpp"

#include <warpkit/base/number_text.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

namespace warpkit::kernels {

namespace {

// "there is no kernel 'X'; did you mean 'Y'? There are: ..."
template <class Range, class Name>
error unknown(std::string const& what, std::string_view name, Range const& range, Name name_of,
              std::string const& place = {}) {
    std::string list;
    std::vector<std::string> names;
    for (auto const& x : range) {
        names.emplace_back(name_of(x));
        list.append(list.empty() ? "" : ", ").append(names.back());
    }
    auto message = "there is no " + what + " '" + std::string(name) + "'" + place;
    auto const nearest = nearest_name(name, names);
    if (!nearest.empty()) message.append("; did you mean '").append(nearest).append("'?");
    return error(message + (nearest.empty() ? "; there are: " : " There are: ") + list);
}

bool obeys(parameter::rule rule, std::uint64_t value) {
    switch (rule) {
    case parameter::rule::none:
        return true;
    case parameter::rule::power_of_two:
        return std::has_single_bit(value);
    case parameter::rule::multiple_of_16:
        return value % 16 == 0;
    case parameter::rule::multiple_of_64:
        return value % 64 == 0;
    case parameter::rule::multiple_of_128:
        return value % 128 == 0;
    }
    return false;
}

std::uint64_t medium(parameter const& p) {
    auto const mean =
        std::uint64_t(std::llround(std::sqrt(static_cast<double>(p.small) * static_cast<double>(p.full))));
    if (p.small == p.full) return p.small;
    switch (p.only) {
    case parameter::rule::none:
        return std::clamp(mean, p.minimum, p.maximum);
    case parameter::rule::power_of_two:
        return std::bit_floor(mean);
    case parameter::rule::multiple_of_16:
        return std::max(mean / 16 * 16, p.minimum);
    case parameter::rule::multiple_of_64:
        return std::max(mean / 64 * 64, p.minimum);
    case parameter::rule::multiple_of_128:
        return std::max(mean / 128 * 128, p.minimum);
    }
    return mean;
}

} // namespace

char const* words(parameter::rule rule) noexcept {
    switch (rule) {
    case parameter::rule::none:
        return "";
    case parameter::rule::power_of_two:
        return "a power of two";
    case parameter::rule::multiple_of_16:
        return "a multiple of 16";
    case parameter::rule::multiple_of_64:
        return "a multiple of 64";
    case parameter::rule::multiple_of_128:
        return "a multiple of 128";
    }
    return "";
}

size size_named(std::string_view name) {
    if (name == "small") return size::small;
    if (name == "medium") return size::medium;
    if (name == "full") return size::full;
    throw error("there is no size '" + std::string(name) + "'; there are small, medium and full");
}

values::values(workload const& of, size defaults) : of_(&of) {
    for (auto const& p : of.parameters)
        value_.push_back(defaults == size::small ? p.small : defaults == size::medium ? medium(p) : p.full);
}

void values::set(std::string_view name, std::uint64_t value) {
    auto const i = find(name);
    auto const& p = of_->parameters[i];
    if (value < p.minimum || value > p.maximum || !obeys(p.only, value))
        throw error(std::string(of_->name) + "." + std::string(p.name) + " = " + std::to_string(value) +
                    " is impossible: it must be " + words(p.only) +
                    (p.only == parameter::rule::none ? "" : " ") + "from " + std::to_string(p.minimum) +
                    " to " + std::to_string(p.maximum));
    value_[i] = value;
}

std::uint64_t values::operator[](std::string_view name) const { return value_[find(name)]; }

std::uint32_t values::u32(std::string_view name) const { return static_cast<std::uint32_t>((*this)[name]); }

std::size_t values::find(std::string_view name) const {
    auto const& all = of_->parameters;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].name == name) return i;
    throw unknown(
        "parameter", name, all, [](parameter const& p) { return p.name; },
        " of kernel " + std::string(of_->name));
}

std::span<workload const* const> all() {
    static auto const every = [] {
        std::vector<workload const*> found;
        for (auto const& s : suites()) found.insert(found.end(), s.workloads.begin(), s.workloads.end());
        return found;
    }();
    return every;
}

workload const& find(std::string_view name) {
    for (auto const* w : all())
        if (w->name == name) return *w;
    throw unknown("kernel", name, all(), [](workload const* w) { return w->name; });
}

std::vector<workload const*> find_all(std::string_view name) {
    for (auto const& s : suites())
        if (s.name == name) return s.workloads;
    return {&find(name)};
}

} // namespace warpkit::kernels
