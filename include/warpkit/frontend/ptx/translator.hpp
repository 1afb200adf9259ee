#pragma once
/// \file
/// The part of the PTX front end that takes long to compile: parser, lowering, address slices and the functions
/// of all instructions.
///
/// By default every translation unit that includes ptx.hpp has it. A program of several can compile it once: define
/// WARPKIT_PTX_ELSEWHERE for all of them, and in one write
///
///     #include <warpkit/frontend/ptx/translation.hpp>
///     template struct warpkit::ptx::translator<0>;

#include <warpkit/frontend/ptx/ast.hpp>
#include <warpkit/frontend/ptx/code_order.hpp>
#include <warpkit/program/address_slices.hpp>

#include <string_view>
#include <vector>

namespace warpkit::ptx {

class kernel;
struct row;

/// A template of one instance, so that it can be instantiated explicitly; translation.hpp defines its functions.
template <int Instance = 0>
struct translator {
    static module parse(std::string_view text, std::string_view name);
    /// Prepares the kernel that is this entry of its module.
    static void lower(kernel& k, function const& entry, code_order order);
    static address_slices slices(kernel const& k);
    /// Whether the kernel asks the driver for what its threads share: to print, for memory, for launches.
    static bool asks_driver(kernel const& k);
    /// The rows of the instruction table.
    static std::vector<row const*> rows();
};
#ifdef WARPKIT_PTX_ELSEWHERE
extern template struct translator<0>;
#endif

/// Parses PTX text. `name` is how messages call it ("kernel.ptx"). Throws warpkit::error at the first mistake.
inline module parse(std::string_view text, std::string_view name = "<ptx>") {
    return translator<>::parse(text, name);
}
/// The address slices of a kernel's global accesses.
inline address_slices slices_of(kernel const& k) { return translator<>::slices(k); }

} // namespace warpkit::ptx
