#pragma once
/// \file
/// What the sources of libwarpkit have in common: errors become values, and policies are listed for people.

#include <warpkit/base/error.hpp>
#include <warpkit/base/policy_text.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/facade/warpkit.h>

#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpkit::facade {

/// Writes `text` to `error`, if there is one, cut at the end where it is too long.
inline void tell(warpkit_error* error, std::string_view text) noexcept {
    if (error == nullptr) return;
    auto const n = text.size() < sizeof error->message ? text.size() : sizeof error->message - 1;
    std::memcpy(error->message, text.data(), n);
    error->message[n] = 0;
}

/// What `f` returns; the zero of that type, and why, where it throws.
template <class F>
auto guarded(warpkit_error* error, F&& f) noexcept -> decltype(f()) {
    try {
        return f();
    } catch (std::bad_alloc const&) {
        tell(error, "there is no memory for it");
    } catch (std::exception const& e) {
        tell(error, e.what());
    }
    return {};
}

/// The text that a host gives: none where it gives null.
inline std::string_view text_of(char const* text) {
    if (text == nullptr) throw error("the text is a null pointer; give a name");
    return text;
}

inline std::string listed(std::vector<policy_parameter> const& parameters) {
    std::string all;
    for (auto const& p : parameters)
        all += "    " + p.name + '=' + p.standard + " (" + p.values + "): " + p.meaning + '\n';
    return all;
}
inline std::string listed(std::vector<named_policy> const& policies) {
    std::string all;
    for (auto const& p : policies)
        all += p.name + (p.meaning.empty() ? "" : ": " + p.meaning) + '\n' + listed(p.parameters);
    return all;
}
/// The text that `make` makes, once for all; null where there is no memory for it.
template <class F>
char const* kept_text(F make) noexcept {
    try {
        static std::string const text = make();
        return text.c_str();
    } catch (...) {
        return nullptr;
    }
}

inline warp_set set_of(std::uint64_t slots) noexcept { return warp_set::from_bits(slots); }
/// The slot of a number; none for what is none.
inline warp_slot slot_of(long long number) noexcept {
    return number < 0 || number >= static_cast<long long>(warp_set::width)
               ? no_warp
               : warp_slot{static_cast<unsigned>(number)};
}
inline int number_of(warp_slot w) noexcept { return w ? static_cast<int>(w.index()) : WARPKIT_NO_WARP; }

/// Something that is put together from text: settings of its own, and the policies that they choose, whose parameters
/// are set in the same text. F is called for each, as each_parameter.
template <class Numbers, class Policy>
struct with_numbers {
    Numbers numbers;
    Policy policy;
    template <class Self, class F>
    static void each_parameter(Self& self, F&& f) {
        Numbers::each_parameter(self.numbers, f);
        each_parameter_of(f, self.policy);
    }
    void parameters_set() { tell_parameters_set(policy); }
};

} // namespace warpkit::facade
