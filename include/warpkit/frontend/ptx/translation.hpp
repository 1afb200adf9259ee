#pragma once
/// \file
/// The functions of translator.hpp.

#include <warpkit/frontend/ptx/instruction_rows.hpp>
#include <warpkit/frontend/ptx/lowering.hpp>
#include <warpkit/frontend/ptx/parser.hpp>
#include <warpkit/frontend/ptx/slices.hpp>
#include <warpkit/frontend/ptx/system_calls.hpp>
#include <warpkit/frontend/ptx/translator.hpp>

#include <algorithm>

namespace warpkit::ptx {

template <int Instance>
module translator<Instance>::parse(std::string_view text, std::string_view name) {
    return parser(text, name).run();
}
template <int Instance>
void translator<Instance>::lower(kernel& k, function const& entry, code_order order) {
    lowering(k, order).run(entry);
}
template <int Instance>
std::vector<row const*> translator<Instance>::rows() {
    return detail::all_rows();
}
template <int Instance>
bool translator<Instance>::asks_driver(kernel const& k) {
    return std::any_of(k.operations().begin(), k.operations().end(), &system_calls::are_asked_by);
}
template <int Instance>
address_slices translator<Instance>::slices(kernel const& k) {
    slice_code const code(k);
    return slice_builder<slice_code>(k.program(), k.flow(), code).build();
}

} // namespace warpkit::ptx
