// The driver's API, said with the runtime's.
#include "cuda.h"
#include "session.hpp"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

using namespace warpkit::cuda;

// A module's text stays for as long as its kernels may run.
struct CUmod_st {
    std::string text;
    module_entry* home = nullptr;
    std::vector<std::unique_ptr<CUfunc_st>> functions;
};
struct CUfunc_st {
    std::string name;
};
struct CUctx_st {};

namespace {

CUresult result(cudaError_t e) { return static_cast<CUresult>(e); }
cudaError_t code(CUresult e) { return static_cast<cudaError_t>(e); }
CUctx_st the_context;

} // namespace

extern "C" {

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) { return result(cudaDriverGetVersion(version)); }
CUresult cuGetErrorName(CUresult error, char const** text) {
    *text = cudaGetErrorName(code(error));
    return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, char const** text) {
    *text = cudaGetErrorString(code(error));
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) { return result(cudaGetDeviceCount(count)); }
CUresult cuDeviceGet(CUdevice* device, int number) {
    *device = number;
    return result(cudaSetDevice(number));
}
CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    cudaDeviceProp p{};
    auto const e = cudaGetDeviceProperties(&p, device);
    if (e == cudaSuccess) std::snprintf(name, static_cast<std::size_t>(length), "%s", p.name);
    return result(e);
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    return result(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
    auto const e = cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    return result(
        e != cudaSuccess ? e : cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device));
}
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
    std::size_t available = 0;
    return result(cudaMemGetInfo(&available, bytes));
}
CUresult cuCtxCreate(CUcontext* context, unsigned, CUdevice device) {
    *context = &the_context;
    return result(cudaSetDevice(device));
}
CUresult cuCtxDestroy(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxSynchronize() { return result(cudaDeviceSynchronize()); }

CUresult cuModuleLoadData(CUmodule* module, void const* text) {
    return result(call("cuModuleLoadData", [&](session& s) {
        auto m = std::make_unique<CUmod_st>();
        m->text = static_cast<char const*>(text);
        m->home = s.add_module(m->text.c_str());
        *module = m.release(); // unloading forgets the functions, not what they are made of
    }));
}
CUresult cuModuleLoad(CUmodule* module, char const* file) {
    std::ifstream in(file, std::ios::binary);
    std::string const text(std::istreambuf_iterator<char>(in), {});
    if (!in) {
        complain("cuModuleLoad: cannot read " + std::string(file));
        return CUDA_ERROR_FILE_NOT_FOUND;
    }
    return cuModuleLoadData(module, text.c_str());
}
CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, char const* name) {
    return result(call("cuModuleGetFunction", [&](session& s) {
        module->functions.push_back(std::make_unique<CUfunc_st>(CUfunc_st{name}));
        auto* const f = module->functions.back().get();
        s.add_function(f, module->home, name);
        static_cast<void>(s.facts(f)); // it is there, and it can be run
        *function = f;
    }));
}
CUresult cuMemAlloc(CUdeviceptr* p, std::size_t bytes) {
    void* q = nullptr;
    auto const e = cudaMalloc(&q, bytes);
    *p = address(q);
    return result(e);
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
    std::vector<unsigned> const values(count, value);
    return cuMemcpyHtoD(to, values.data(), count * sizeof value);
}
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream,
                        void** arguments, void** extra) {
    return result(call("cuLaunchKernel", [&](session& s) {
        if (extra != nullptr)
            throw failure(cudaErrorNotSupported, "arguments in one buffer are not supported");
        s.launch(function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, arguments);
    }));
}

} // extern "C"
