// Registration of what compilers made of the sources, launches, and what can be asked of kernels.
#include "embedded_text.hpp"
#include "graphs.hpp"
#include "session.hpp"

#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>

using namespace warpkit::cuda;

namespace {

// What clang (CGCUDANV.cpp of LLVM) and nvcc embed: a wrapper around the "binary", which is PTX text of warpkit-cuda's,
// or nvcc's fat binary.
struct binary_wrapper {
    int magic;
    int version;
    char const* data;
    void* unused;
};
constexpr int wrapper_magic = 0x466243b1;

constexpr std::size_t most_parameters =
    4096; // bytes (CUDA C++ Programming Guide, "__global__ Function Parameters")

void require_function(session const& s, void const* function) {
    if (!s.knows(function)) throw failure(cudaErrorInvalidDeviceFunction, "this is no __global__ function");
}

launch_shape shape_of(::dim3 grid, ::dim3 block, std::size_t shared_bytes) {
    return {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes, {0, 0, 0}, false};
}

void launch_or_capture(session& s, void const* function, launch_shape const& shape, void** arguments,
                       cudaStream_t stream) {
    if (stream == nullptr || stream == cudaStreamLegacy) s.require_no_capture();
    if (s.streams.holds(stream) && stream->captures != nullptr) {
        auto const block = s.packed(function, arguments);
        s.capture(
            stream, cudaGraphNodeTypeKernel,
            [&s, function, shape, block] { s.launch(function, shape, block, s.graph_stream); },
            contents_of(s,
                        {const_cast<void*>(function),
                         {shape.grid.x, shape.grid.y, shape.grid.z},
                         {shape.block.x, shape.block.y, shape.block.z},
                         static_cast<unsigned>(shape.shared_bytes),
                         nullptr,
                         nullptr},
                        block, attributes_of(shape)));
        return;
    }
    require_stream(s, stream);
    s.launch(function, shape, s.packed(function, arguments), stream);
}

} // namespace

extern "C" {

// clang's code declares these itself.
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
int __cudaRegisterFunction(void** handle, char const* host, char* device, char const* name, int limit,
                           void* thread, void* block, void* block_dim, void* grid_dim, int* warp_size);
// nvcc's code has these, too; those of kernels from CUDA 13 on.
void __cudaRegisterManagedVar(void** handle, void** host, char* device, char const* name, int is_extern,
                              std::size_t bytes, int constant, int global);
char __cudaInitModule(void** handle);
cudaError_t __cudaGetKernel(void const** kernel, void const* function);
cudaError_t __cudaLaunchKernel(void const* kernel, ::dim3 grid, ::dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream);
void __cudaRegisterVar(void** handle, char* host, char* device, char const* name, int is_extern,
                       std::size_t bytes, int constant, int global);
void __cudaRegisterTexture(void** handle, textureReference const* host, void const** device, char const* name,
                           int dimensions, int normalized, int is_extern);

// The section of __managed__ variables (host_defines.h); the linker makes the names where there are any.
extern char __start_warpkit_managed[] __attribute__((weak));
extern char __stop_warpkit_managed[] __attribute__((weak));

void** __cudaRegisterFatBinary(void* wrapper) {
    auto const& w = *static_cast<binary_wrapper const*>(wrapper);
    try {
        std::string text;
        if (w.magic == wrapper_magic && w.data != nullptr) text = embedded_text(w.data);
        if (std::string_view(text).substr(0, 4096).find(".version") == std::string_view::npos)
            throw failure(cudaErrorInvalidPtx,
                          "it has none: compile it with warpkit-cuda, or with nvcc and -gencode "
                          "arch=compute_90,code=compute_90");
        return reinterpret_cast<void**>(session::instance().add_module(std::move(text)));
    } catch (failure const& e) {
        complain(std::string("the PTX inside an object file: ") + e.what());
        std::exit(2);
    }
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
int __cudaRegisterFunction(void** handle, char const* host, char*, char const* name, int, void*, void*, void*,
                           void*, int*) {
    session::instance().add_function(host, reinterpret_cast<module_entry*>(handle), name);
    return 0;
}
void __cudaRegisterVar(void** handle, char* host, char*, char const* name, int, std::size_t bytes, int, int) {
    auto& s = session::instance();
    auto* const home = reinterpret_cast<module_entry*>(handle);
    if (host >= __start_warpkit_managed && host < __stop_warpkit_managed)
        s.add_managed(host, home, name, bytes);
    else
        s.add_variable(host, home, name, bytes);
}
// Host code reaches it through a pointer, which is set here, for good.
void __cudaRegisterManagedVar(void** handle, void** host, char*, char const* name, int, std::size_t bytes,
                              int, int) {
    *host = ::operator new (bytes, std::align_val_t{256});
    session::instance().add_managed(*host, reinterpret_cast<module_entry*>(handle), name, bytes);
}
void __cudaRegisterTexture(void** handle, textureReference const* host, void const**, char const* name, int,
                           int normalised_values, int) {
    session::instance().add_texture(host, reinterpret_cast<module_entry*>(handle), name,
                                    normalised_values != 0);
}

unsigned int __cudaPushCallConfiguration(::dim3 grid, ::dim3 block, std::size_t shared_bytes, void* stream) {
    auto& s = session::instance();
    std::lock_guard const guard(s.mutex);
    s.pushed.push_back({grid, block, shared_bytes, static_cast<cudaStream_t>(stream), {}});
    return 0;
}
cudaError_t __cudaPopCallConfiguration(::dim3* grid, ::dim3* block, std::size_t* shared_bytes, void* stream) {
    auto& s = session::instance();
    std::lock_guard const guard(s.mutex);
    if (s.pushed.empty()) return s.remember(cudaErrorMissingConfiguration);
    auto const c = s.pushed.back();
    s.pushed.pop_back();
    *grid = c.grid;
    *block = c.block;
    *shared_bytes = c.shared_bytes;
    *static_cast<cudaStream_t*>(stream) = c.stream;
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(void const* function, ::dim3 grid, ::dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
    return call("cudaLaunchKernel", [&](session& s) {
        launch_or_capture(s, function, shape_of(grid, block, shared_bytes), arguments, stream);
    });
}
// A kernel is known by the address of what the host calls.
char __cudaInitModule(void**) { return 1; }
cudaError_t __cudaGetKernel(void const** kernel, void const* function) {
    *kernel = function;
    return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(void const* kernel, ::dim3 grid, ::dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}
cudaError_t cudaLaunchKernelExC(cudaLaunchConfig_t const* config, void const* function, void** arguments) {
    return call("cudaLaunchKernelExC", [&](session& s) {
        require(config, "the configuration");
        if (config->numAttrs != 0) require(config->attrs, "the list of attributes");
        auto shape = shape_of(config->gridDim, config->blockDim, config->dynamicSmemBytes);
        for (unsigned i = 0; i < config->numAttrs; ++i) {
            auto const& a = config->attrs[i];
            if (a.id == cudaLaunchAttributeClusterDimension)
                shape.cluster = {a.val.clusterDim.x, a.val.clusterDim.y, a.val.clusterDim.z};
            else if (a.id == cudaLaunchAttributeCooperative)
                shape.cooperative = a.val.cooperative != 0;
            else if (a.id != cudaLaunchAttributeIgnore && a.id != cudaLaunchAttributeAccessPolicyWindow &&
                     a.id != cudaLaunchAttributeSynchronizationPolicy &&
                     a.id != cudaLaunchAttributeClusterSchedulingPolicyPreference &&
                     a.id != cudaLaunchAttributeProgrammaticStreamSerialization &&
                     a.id != cudaLaunchAttributePriority)
                throw failure(cudaErrorNotSupported,
                              "launch attribute " + std::to_string(a.id) + " is not supported");
        }
        launch_or_capture(s, function, shape, arguments, config->stream);
    });
}
cudaError_t cudaLaunchCooperativeKernel(void const* function, ::dim3 grid, ::dim3 block, void** arguments,
                                        std::size_t shared_bytes, cudaStream_t stream) {
    return call("cudaLaunchCooperativeKernel", [&](session& s) {
        auto shape = shape_of(grid, block, shared_bytes);
        shape.cooperative = true;
        launch_or_capture(s, function, shape, arguments, stream);
    });
}
cudaError_t cudaLaunchCooperativeKernelMultiDevice(cudaLaunchParams* list, unsigned count, unsigned flags) {
    return call("cudaLaunchCooperativeKernelMultiDevice", [&](session& s) {
        require(list, "the list of launches");
        require_flags(flags, 3); // cudaCooperativeLaunchMultiDeviceNoPreSync and NoPostSync
        if (count != 1)
            throw failure(cudaErrorInvalidValue,
                          std::to_string(count) + " launches, and there is one device");
        auto shape = shape_of(list->gridDim, list->blockDim, list->sharedMem);
        shape.cooperative = true;
        launch_or_capture(s, list->func, shape, list->args, list->stream);
    });
}
cudaError_t cudaConfigureCall(::dim3 grid, ::dim3 block, std::size_t shared_bytes, cudaStream_t stream) {
    return call("cudaConfigureCall", [&](session& s) {
        require_stream(s, stream);
        s.pushed.push_back({grid, block, shared_bytes, stream, {}});
    });
}
cudaError_t cudaSetupArgument(void const* argument, std::size_t bytes, std::size_t offset) {
    return call("cudaSetupArgument", [&](session& s) {
        if (s.pushed.empty()) throw failure(cudaErrorMissingConfiguration, "there was no cudaConfigureCall");
        require(argument, "the argument");
        if (!warpkit::lies_within(offset, bytes, most_parameters))
            throw failure(cudaErrorInvalidValue, std::to_string(bytes) + " bytes at " +
                                                     std::to_string(offset) + ": kernels take at most " +
                                                     std::to_string(most_parameters));
        auto& block = s.pushed.back().arguments;
        if (block.size() < offset + bytes) block.resize(offset + bytes);
        std::memcpy(block.data() + offset, argument, bytes);
    });
}
cudaError_t cudaLaunch(void const* function) {
    return call("cudaLaunch", [&](session& s) {
        if (s.pushed.empty()) throw failure(cudaErrorMissingConfiguration, "there was no cudaConfigureCall");
        auto const c = s.pushed.back();
        s.pushed.pop_back();
        s.launch(function, shape_of(c.grid, c.block, c.shared_bytes), c.arguments, c.stream);
    });
}

cudaError_t cudaFuncSetCacheConfig(void const* function, cudaFuncCache) {
    return call("cudaFuncSetCacheConfig", [&](session& s) { require_function(s, function); });
}
cudaError_t cudaFuncSetSharedMemConfig(void const* function, cudaSharedMemConfig) {
    return call("cudaFuncSetSharedMemConfig", [&](session& s) { require_function(s, function); });
}
cudaError_t cudaFuncSetAttribute(void const* function, cudaFuncAttribute attribute, int value) {
    return call("cudaFuncSetAttribute", [&](session& s) {
        auto const facts = s.facts(function);
        if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize &&
            attribute != cudaFuncAttributePreferredSharedMemoryCarveout &&
            attribute != cudaFuncAttributeNonPortableClusterSizeAllowed &&
            attribute != cudaFuncAttributeClusterSchedulingPolicyPreference)
            throw failure(cudaErrorInvalidValue, "no such attribute: " + std::to_string(attribute));
        if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize &&
            (value < 0 ||
             facts.shared_bytes + static_cast<std::size_t>(value) > s.machine().core.shared_bytes))
            throw failure(cudaErrorInvalidValue, std::to_string(value) +
                                                     " bytes of dynamic shared memory, a core has " +
                                                     std::to_string(s.machine().core.shared_bytes));
    });
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, void const* function) {
    return call("cudaFuncGetAttributes", [&](session& s) {
        require(a, "the result");
        auto const facts = s.facts(function);
        *a = {};
        a->sharedSizeBytes = facts.shared_bytes;
        a->constSizeBytes = facts.constant_bytes;
        a->localSizeBytes = facts.local_bytes;
        a->numRegs = static_cast<int>(facts.registers);
        a->maxThreadsPerBlock = 1024;
        while (a->maxThreadsPerBlock > 32 &&
               s.resident_ctas(function, static_cast<unsigned>(a->maxThreadsPerBlock), 0) == 0)
            a->maxThreadsPerBlock -= 32;
        a->ptxVersion = a->binaryVersion = s.capability();
        a->maxDynamicSharedSizeBytes =
            static_cast<int>(s.machine().core.shared_bytes) - static_cast<int>(facts.shared_bytes);
    });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void const* function, int threads,
                                                          std::size_t shared_bytes) {
    return call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&](session& s) {
        require(blocks, "the result");
        if (threads <= 0)
            throw failure(cudaErrorInvalidValue, std::to_string(threads) + " threads per block");
        *blocks = static_cast<int>(s.resident_ctas(function, static_cast<unsigned>(threads), shared_bytes));
    });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void const* function,
                                                                   int threads, std::size_t shared_bytes,
                                                                   unsigned flags) {
    auto const code = call("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
                           [&](session&) { require_flags(flags, 1); }); // cudaOccupancyDisableCachingOverride
    if (code != cudaSuccess) return code;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes);
}

// What is portable (CUDA C++ Programming Guide, "Thread Block Clusters"): 8 CTAs from compute capability 9.0 on.
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* ctas, void const* function,
                                                 cudaLaunchConfig_t const* config) {
    return call("cudaOccupancyMaxPotentialClusterSize", [&](session& s) {
        require(ctas, "the result");
        require(config, "the configuration");
        require_function(s, function);
        *ctas = s.capability() >= 90 ? 8 : 1;
    });
}
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, void const* function,
                                           cudaLaunchConfig_t const* config) {
    return call("cudaOccupancyMaxActiveClusters", [&](session& s) {
        require(clusters, "the result");
        require(config, "the configuration");
        std::uint64_t size = 1;
        for (unsigned i = 0; i < config->numAttrs; ++i)
            if (auto const& a = config->attrs[i]; a.id == cudaLaunchAttributeClusterDimension)
                size = std::uint64_t{a.val.clusterDim.x} * a.val.clusterDim.y * a.val.clusterDim.z;
        if (size == 0) throw failure(cudaErrorInvalidValue, "clusters of no CTAs");
        auto const threads = config->blockDim.x * config->blockDim.y * config->blockDim.z;
        auto const ctas = std::uint64_t{s.resident_ctas(function, threads, config->dynamicSmemBytes)} *
                          s.machine().core.count;
        *clusters = static_cast<int>(ctas / size);
    });
}
// The most with which so many blocks still fit.
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, void const* function, int blocks,
                                                      int threads) {
    return call("cudaOccupancyAvailableDynamicSMemPerBlock", [&](session& s) {
        require(bytes, "the result");
        require_function(s, function);
        if (blocks <= 0 || threads <= 0)
            throw failure(cudaErrorInvalidValue,
                          std::to_string(blocks) + " blocks of " + std::to_string(threads) + " threads");
        auto const fit = [&](std::size_t shared) {
            return s.resident_ctas(function, static_cast<unsigned>(threads), shared) >=
                   static_cast<unsigned>(blocks);
        };
        if (!fit(0))
            throw failure(cudaErrorInvalidValue, std::to_string(blocks) + " blocks of " +
                                                     std::to_string(threads) +
                                                     " threads do not fit on one core");
        std::size_t fits = 0, too_much = s.machine().core.shared_bytes + std::size_t{1};
        while (too_much - fits > 1) {
            auto const middle = fits + (too_much - fits) / 2;
            (fit(middle) ? fits : too_much) = middle;
        }
        *bytes = fits;
    });
}
cudaError_t cudaFuncGetName(char const** name, void const* function) {
    return call("cudaFuncGetName", [&](session& s) {
        require(name, "the result");
        *name = s.function(function).name.c_str();
    });
}
cudaError_t cudaFuncGetParamInfo(void const* function, std::size_t index, std::size_t* offset,
                                 std::size_t* bytes) {
    return call("cudaFuncGetParamInfo", [&](session& s) {
        require(offset, "the offset");
        auto const all = s.parameters_of(function);
        if (index >= all.size())
            throw failure(cudaErrorInvalidValue, "parameter " + std::to_string(index) + ": the kernel has " +
                                                     std::to_string(all.size()));
        *offset = all[index].offset;
        if (bytes != nullptr) *bytes = all[index].bytes;
    });
}
// A kernel is a function, known by the same address.
cudaError_t cudaGetKernel(cudaKernel_t* kernel, void const* symbol) {
    return call("cudaGetKernel", [&](session& s) {
        require(kernel, "the result");
        require_function(s, symbol);
        *kernel = static_cast<cudaKernel_t>(const_cast<void*>(symbol));
    });
}
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                            int device) {
    auto const code = call("cudaKernelSetAttributeForDevice", [&](session&) { require_device(device); });
    return code != cudaSuccess ? code : cudaFuncSetAttribute(kernel, attribute, value);
}
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, void const* symbol) {
    return call("cudaGetFuncBySymbol", [&](session& s) {
        require(function, "the result");
        require_function(s, symbol);
        *function = static_cast<cudaFunction_t>(const_cast<void*>(symbol)); // known by the same address
    });
}

} // extern "C"
