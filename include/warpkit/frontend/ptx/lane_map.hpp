#pragma once
/// \file
/// Applying a scalar function to the lanes of a warp, and choosing the instance for a form's type.

#include <warpkit/frontend/ptx/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace warpkit::ptx {

/// Runs Op::apply(S...) -> D on all 32 lanes and keeps the results of the active ones. Op::apply must be defined for
/// every value, since inactive lanes hold any.
template <class Op, class D, class... S>
void map_lanes(warp_context& c, operation const& o, lane_mask mask) {
    D r[lanes];
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        auto const run = [&](auto const*... s) {
            for (unsigned l = 0; l < lanes; ++l) r[l] = static_cast<D>(Op::apply(static_cast<S>(s[l])...));
        };
        run(c.source<S>(o, I)...);
    }
    (std::index_sequence_for<S...>{});
    c.write<D>(o.destination[0], r, mask);
}

namespace detail {
template <class T, std::size_t>
using same = T;
template <class Op, class D, class S, std::size_t... I>
constexpr execute_function map_of(std::index_sequence<I...>) {
    return &map_lanes<Op, D, same<S, I>...>;
}
} // namespace detail

/// The instance of Op<T> with N sources of type T for the form's first type; bits count as unsigned.
template <template <class> class Op, unsigned N>
execute_function integer(form const& f) {
    constexpr auto n = std::make_index_sequence<N>{};
    switch (f.type[0]) {
    case scalar::u16:
    case scalar::b16:
        return detail::map_of<Op<std::uint16_t>, std::uint16_t, std::uint16_t>(n);
    case scalar::u32:
    case scalar::b32:
        return detail::map_of<Op<std::uint32_t>, std::uint32_t, std::uint32_t>(n);
    case scalar::u64:
    case scalar::b64:
        return detail::map_of<Op<std::uint64_t>, std::uint64_t, std::uint64_t>(n);
    case scalar::s16:
        return detail::map_of<Op<std::int16_t>, std::int16_t, std::int16_t>(n);
    case scalar::s32:
        return detail::map_of<Op<std::int32_t>, std::int32_t, std::int32_t>(n);
    case scalar::s64:
        return detail::map_of<Op<std::int64_t>, std::int64_t, std::int64_t>(n);
    default:
        return nullptr;
    }
}

/// As `integer`, for untyped operations (logic, moves, selects): by size alone, floating-point types included.
template <template <class> class Op, unsigned N>
execute_function bits(form const& f) {
    constexpr auto n = std::make_index_sequence<N>{};
    switch (size_of(f.type[0])) {
    case 2:
        return detail::map_of<Op<std::uint16_t>, std::uint16_t, std::uint16_t>(n);
    case 4:
        return detail::map_of<Op<std::uint32_t>, std::uint32_t, std::uint32_t>(n);
    case 8:
        return detail::map_of<Op<std::uint64_t>, std::uint64_t, std::uint64_t>(n);
    default:
        return nullptr;
    }
}

/// One function whatever the form.
template <execute_function F>
execute_function always(form const&) {
    return F;
}

} // namespace warpkit::ptx
