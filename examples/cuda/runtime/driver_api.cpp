// The driver's API, said with the runtime's.
#include <warpkit/frontend/tensor_map.hpp>

#include "driver_modules.hpp"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
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

} // namespace

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
        auto m = std::make_unique<CUmod_st>();
        m->text = static_cast<char const*>(text);
        m->home = s.add_module(m->text.c_str());
        loaded_modules.insert(m.get());
        *module = m.release(); // unloading forgets the module, not what its functions are made of
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
    return cuModuleLoadData(module, text.c_str());
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
        module->functions.push_back(std::make_unique<CUfunc_st>(CUfunc_st{name}));
        auto* const f = module->functions.back().get();
        s.add_function(f, module->home, name);
        static_cast<void>(s.facts(f)); // it is there, and it can be run
        *function = f;
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
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, std::size_t count) {
    return result(cudaMemset(pointer(to), value, count));
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, std::size_t count) {
    return result(call("cuMemsetD32", [&](session& s) {
        if (count == 0) return;
        auto* const d = s.find(pointer(to), warpkit::saturated_product(count, sizeof value));
        if (d == nullptr || to % sizeof value != 0)
            throw failure(cudaErrorInvalidValue,
                          std::to_string(count) + " words are not inside one allocation of the device");
        for (std::size_t i = 0; i < count; ++i) std::memcpy(d + i * sizeof value, &value, sizeof value);
    }));
}
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* tensor,
                                cuuint64_t const* extents, cuuint64_t const* strides, cuuint32_t const* box,
                                cuuint32_t const* element_strides, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill fill) {
    return result(call("cuTensorMapEncodeTiled", [&](session&) {
        require(map, "the result");
        if (rank == 0 || rank > warpkit::tensor_map::most_dimensions)
            throw failure(cudaErrorInvalidValue, "a tensor of " + std::to_string(rank) + " dimensions");
        require(extents, "the list of extents");
        require(rank < 2 ? extents : strides, "the list of strides");
        require(box, "the extent of a box");
        require(element_strides, "the list of element strides");
        if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE || fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
            throw failure(cudaErrorNotSupported, "interleaved layouts and a fill with NaN are not supported");
        if (swizzle > CU_TENSOR_MAP_SWIZZLE_128B || type > CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ)
            throw failure(cudaErrorNotSupported,
                          "a swizzle of atoms and types of 4 or 6 bits are not supported");
        std::vector<std::uint64_t> const wide(extents, extents + rank);
        std::vector<std::uint64_t> const apart(strides, strides + (rank - 1));
        try {
            auto const made = warpkit::make_tensor_map(
                static_cast<warpkit::tensor_element>(type), rank, address(tensor), wide.data(), apart.data(),
                box, element_strides, static_cast<warpkit::tensor_swizzle>(swizzle));
            static_assert(sizeof made == sizeof *map);
            std::memcpy(map, &made, sizeof made);
        } catch (warpkit::error const& e) {
            throw failure(cudaErrorInvalidValue, e.what());
        }
    }));
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, cuuint64_t const*,
                                 cuuint64_t const*, int const*, int const*, cuuint32_t, cuuint32_t,
                                 cuuint32_t const*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
    return result(call("cuTensorMapEncodeIm2col", [](session&) {
        throw failure(cudaErrorNotSupported, "copies of columns out of an image (im2col) are not supported");
    }));
}

} // extern "C"
