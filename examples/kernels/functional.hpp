#pragma once
/// \file
/// A device without a timing model: launches execute their CTAs one after the other, and warp instructions
/// are counted.

#include <warpkit/frontend/device.hpp>
#include <warpkit/frontend/ptx/ptx.hpp>

#include <cstdint>
#include <ctime>
#include <string_view>
#include <vector>

namespace warpkit::kernels {

/// A device with one PTX module loaded. Neither copied nor moved.
class functional_device {
public:
    /// Throws error when the PTX is malformed.
    functional_device(std::string_view ptx, std::string_view ptx_name,
                      ptx::code_order order = ptx::code_order::as_written)
        : order_(order),
          device_([this](device_memory& memory, launch_request const& request) { launch(memory, request); }),
          module_(ptx::parse(ptx, ptx_name), device_.memory()) {}
    functional_device(functional_device const&) = delete;
    functional_device& operator=(functional_device const&) = delete;

    warpkit::device& device() noexcept { return device_; }
    std::uint64_t warp_instructions() const noexcept { return warp_instructions_; }
    /// What was launched, without the arguments.
    std::vector<launch_request> const& launches() const noexcept { return launches_; }
    ptx::loaded_module const& module() const noexcept { return module_; }
    /// CPU seconds that the launches took, without parsing, inputs and checks.
    double seconds() const noexcept { return seconds_; }

private:
    void launch(device_memory& memory, launch_request const& request) {
        module_.write_variables(request.symbols);
        ptx::kernel const kernel(module_, request.kernel, order_);
        ptx::executor executor(kernel, memory, request);
        cta_stream streams;
        auto const start = std::clock();
        for (std::uint64_t cta = 0; cta < request.grid.count(); ++cta) executor.run_cta(cta, streams);
        seconds_ += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        warp_instructions_ += executor.executed();
        launches_.push_back({request.kernel, request.grid, request.block, request.dynamic_shared_bytes, {}});
    }

    ptx::code_order order_;
    warpkit::device device_;
    ptx::loaded_module module_;
    std::uint64_t warp_instructions_ = 0;
    std::vector<launch_request> launches_;
    double seconds_ = 0;
};

} // namespace warpkit::kernels
