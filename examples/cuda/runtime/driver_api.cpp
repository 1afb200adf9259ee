// The driver's API, said with the runtime's.
#include <warpkit/frontend/tensor_map.hpp>

#include "driver_modules.hpp"
#include "embedded_text.hpp"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace warpkit::cuda;

namespace {

// Of functions that only hand over.
template <class Body>
CUresult checked(char const* name, void const* result_of, Body body) {
    auto const code = call(name, [&](session&) { require(result_of, "the result"); });
    return code == cudaSuccess ? body() : result(code);
}
cudaError_t named(CUresult error, char const** text, char const* (*name_of)(cudaError_t)) {
    if (text == nullptr) return cudaErrorInvalidValue;
    *text = name_of(code(error));
    return cudaSuccess;
}

// Unloading forgets the module, not what its functions are made of.
CUmodule new_module(session& s, std::string text) {
    auto m = std::make_unique<CUmod_st>();
    m->home = s.add_module(std::move(text));
    loaded_modules.insert(m.get());
    return m.release();
}

// A map of `make(extents, strides)`, behind what all kinds are checked for.
template <class Make>
CUresult encode_map(char const* name, CUtensorMap* map, cuuint32_t rank, cuuint64_t const* extents,
                    cuuint64_t const* strides, cuuint32_t const* element_strides,
                    CUtensorMapInterleave interleave, CUtensorMapFloatOOBfill fill, Make make) {
    return result(call(name, [&](session&) {
        require(map, "the result");
        if (rank == 0 || rank > warpkit::tensor_map::most_dimensions)
            throw failure(cudaErrorInvalidValue, "a tensor of " + std::to_string(rank) + " dimensions");
        require(extents, "the list of extents");
        require(rank < 2 ? extents : strides, "the list of strides");
        require(element_strides, "the list of element strides");
        if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE || fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
            throw failure(cudaErrorNotSupported, "interleaved layouts and a fill with NaN are not supported");
        std::vector<std::uint64_t> const wide(extents, extents + rank);
        std::vector<std::uint64_t> const apart(strides, strides + (rank - 1));
        try {
            auto const made = make(wide.data(), apart.data());
            static_assert(sizeof made == sizeof *map);
            std::memcpy(map, &made, sizeof made);
        } catch (failure const&) {
            throw;
        } catch (warpkit::error const& e) {
            throw failure(cudaErrorInvalidValue, e.what());
        }
    }));
}

} // namespace

CUfunction warpkit::cuda::function_of(session& s, CUmodule module, std::string const& name) {
    for (auto const& known : module->functions)
        if (known->name == name) return known.get();
    auto made = std::make_unique<CUfunc_st>(CUfunc_st{name});
    s.add_function(made.get(), module->home, name);
    static_cast<void>(s.facts(made.get())); // it is there, and it can be run
    module->functions.push_back(std::move(made));
    return module->functions.back().get();
}

extern "C" {

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) { return result(cudaDriverGetVersion(version)); }
CUresult cuGetErrorName(CUresult error, char const** text) {
    return result(named(error, text, cudaGetErrorName));
}
CUresult cuGetErrorString(CUresult error, char const** text) {
    return result(named(error, text, cudaGetErrorString));
}
CUresult cuDeviceGetCount(int* count) { return result(cudaGetDeviceCount(count)); }
CUresult cuDeviceGet(CUdevice* device, int number) {
    return checked("cuDeviceGet", device, [&] {
        auto const e = cudaSetDevice(number);
        if (e == cudaSuccess) *device = number;
        return result(e);
    });
}
CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    return checked("cuDeviceGetName", length > 0 ? name : nullptr, [&] {
        cudaDeviceProp p{};
        auto const e = cudaGetDeviceProperties(&p, device);
        if (e == cudaSuccess) std::snprintf(name, static_cast<std::size_t>(length), "%s", p.name);
        return result(e);
    });
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    // What the driver's API alone has.
    auto const e = cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device);
    if (e == cudaSuccess && (attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ||
                             attribute == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED))
        *value = 1;
    return result(e);
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
    auto const e = cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    return result(
        e != cudaSuccess ? e : cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device));
}
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
    auto const e = cudaSetDevice(device);
    std::size_t available = 0;
    return result(e != cudaSuccess ? e : cudaMemGetInfo(&available, bytes));
}
CUresult cuCtxCreate(CUcontext* context, unsigned, CUdevice device) {
    return checked("cuCtxCreate", context, [&] {
        auto const e = cudaSetDevice(device);
        if (e == cudaSuccess) *context = &the_context;
        return result(e);
    });
}
CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
    return cuCtxCreate(context, flags, device);
}
CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams*, unsigned flags, CUdevice device) {
    return cuCtxCreate(context, flags, device);
}
CUresult cuCtxDestroy(CUcontext context) {
    return context == &the_context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuCtxSynchronize() { return result(cudaDeviceSynchronize()); }

CUresult cuModuleLoadData(CUmodule* module, void const* text) {
    return result(call("cuModuleLoadData", [&](session& s) {
        require(module, "the result");
        require(text, "the text");
        *module = new_module(s, embedded_text(static_cast<char const*>(text)));
    }));
}
CUresult cuModuleLoad(CUmodule* module, char const* file) {
    if (file == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::ifstream in(file, std::ios::binary);
    std::string const text(std::istreambuf_iterator<char>(in), {});
    if (!in) {
        complain("cuModuleLoad: cannot read " + std::string(file));
        return CUDA_ERROR_FILE_NOT_FOUND;
    }
    return result(call("cuModuleLoad", [&](session& s) {
        require(module, "the result");
        *module = new_module(s, embedded_text(text.data(), text.size()));
    }));
}
CUresult cuModuleUnload(CUmodule module) {
    return result(call("cuModuleUnload", [&](session&) {
        require_module(module);
        loaded_modules.erase(module);
    }));
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, char const* name) {
    return result(call("cuModuleGetFunction", [&](session& s) {
        require(function, "the result");
        require(name, "the name");
        require_module(module);
        *function = function_of(s, module, name);
    }));
}
CUresult cuMemAlloc(CUdeviceptr* p, std::size_t bytes) {
    return checked("cuMemAlloc", bytes == 0 ? nullptr : p, [&] {
        void* q = nullptr;
        auto const e = cudaMalloc(&q, bytes);
        if (e == cudaSuccess) *p = address(q);
        return result(e);
    });
}
CUresult cuMemFree(CUdeviceptr p) { return result(cudaFree(pointer(p))); }
CUresult cuMemGetInfo(std::size_t* available, std::size_t* total) {
    return result(cudaMemGetInfo(available, total));
}
CUresult cuMemcpyHtoD(CUdeviceptr to, void const* from, std::size_t bytes) {
    return result(cudaMemcpy(pointer(to), from, bytes, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
    return result(cudaMemcpy(to, pointer(from), bytes, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    return result(cudaMemcpy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* tensor,
                                cuuint64_t const* extents, cuuint64_t const* strides, cuuint32_t const* box,
                                cuuint32_t const* element_strides, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill fill) {
    return encode_map("cuTensorMapEncodeTiled", map, rank, extents, strides, element_strides, interleave,
                      fill, [&](std::uint64_t const* wide, std::uint64_t const* apart) {
                          require(box, "the extent of a box");
                          return warpkit::make_tensor_map(static_cast<warpkit::tensor_element>(type), rank,
                                                          address(tensor), wide, apart, box, element_strides,
                                                          static_cast<warpkit::tensor_swizzle>(swizzle));
                      });
}
CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* tensor,
                                 cuuint64_t const* extents, cuuint64_t const* strides, int const* lower,
                                 int const* upper, cuuint32_t channels, cuuint32_t pixels,
                                 cuuint32_t const* element_strides, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill fill) {
    return encode_map("cuTensorMapEncodeIm2col", map, rank, extents, strides, element_strides, interleave,
                      fill, [&](std::uint64_t const* wide, std::uint64_t const* apart) {
                          require(lower, "the lower corner");
                          require(upper, "the upper corner");
                          return warpkit::make_column_map(static_cast<warpkit::tensor_element>(type), rank,
                                                          address(tensor), wide, apart, lower, upper,
                                                          channels, pixels, element_strides,
                                                          static_cast<warpkit::tensor_swizzle>(swizzle));
                      });
}

} // extern "C"
