#pragma once
/// \file
/// A device without a timing model: launches execute their CTAs one after the other, or on several host threads, and
/// warp instructions are counted.

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
    /// Throws error when the PTX is malformed. 0 threads: as many as the host has cores.
    functional_device(std::string_view ptx, std::string_view ptx_name,
                      ptx::code_order order = ptx::code_order::as_written, unsigned threads = 1)
        : order_(order),
          threads_(threads),
          device_([this](device_memory& memory, launch_request const& request) { launch(memory, request); }),
          module_(ptx::parse(ptx, ptx_name), device_.memory()) {}
    functional_device(functional_device const&) = delete;
    functional_device& operator=(functional_device const&) = delete;

    warpkit::device& device() noexcept { return device_; }
    std::uint64_t warp_instructions() const noexcept { return warp_instructions_; }
    /// What was launched, without the arguments.
    std::vector<launch_request> const& launches() const noexcept { return launches_; }
    ptx::loaded_module const& module() const noexcept { return module_; }
    /// CPU seconds that the launches took, those of all threads, without parsing, inputs and checks.
    double seconds() const noexcept { return seconds_; }

private:
    void launch(device_memory& memory, launch_request const& request) {
        module_.write_variables(request.symbols);
        ptx::kernel const kernel(module_, request.kernel, order_);
        ptx::parallel_executor executor(kernel, memory, request, {}, threads_);
        cta_stream streams;
        auto const start = std::clock();
        if (threads_ == 1)
            for (std::uint64_t cta = 0; cta < request.grid.count(); ++cta)
                executor.front().run_cta(cta, streams);
        else
            executor.run();
        seconds_ += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        warp_instructions_ += executor.executed();
        launches_.push_back({request.kernel, request.grid, request.block, request.dynamic_shared_bytes, {}});
    }

    ptx::code_order order_;
    unsigned threads_;
    warpkit::device device_;
    ptx::loaded_module module_;
    std::uint64_t warp_instructions_ = 0;
    std::vector<launch_request> launches_;
    double seconds_ = 0;
};

} // namespace warpkit::kernels
