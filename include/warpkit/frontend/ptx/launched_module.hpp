#pragma once
/// \file
/// The PTX of a host program as it is launched, kernel by kernel.

#include <warpkit/frontend/device.hpp>
#include <warpkit/frontend/ptx/ptx.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace warpkit::ptx {

/// A kernel that can be executed, and what is known of its addresses ahead.
struct launched_kernel {
    kernel code;
    address_slices slices;
};

/// A module that is loaded into the device's memory at the first launch, and of which each kernel is prepared once.
class launched_module {
public:
    /// Throws `error` on malformed PTX, naming `name`, line and column.
    launched_module(std::string_view text, std::string const& name, code_order order = code_order::as_written)
        : order_(order),
          parsed_(parse(text, name)) {}

    /// The kernel of this launch, with the values written that the request brings for the module's variables. `memory`
    /// is the same each time. Throws `error` when there is no such kernel or variable.
    launched_kernel const& prepare(device_memory& memory, launch_request const& request) {
        if (!loaded_) loaded_ = std::make_unique<loaded_module>(std::move(parsed_), memory);
        loaded_->write_variables(request.symbols);
        auto found = kernels_.find(request.kernel);
        if (found == kernels_.end()) {
            kernel code(*loaded_, request.kernel, order_);
            auto slices = slices_of(code);
            found =
                kernels_.emplace(request.kernel, launched_kernel{std::move(code), std::move(slices)}).first;
        }
        return found->second;
    }

private:
    code_order order_;
    module parsed_; ///< until it is loaded
    std::unique_ptr<loaded_module> loaded_;
    std::map<std::string, launched_kernel> kernels_;
};

} // namespace warpkit::ptx
