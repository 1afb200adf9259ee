// Modules and libraries, which are the same here: what is loaded, what is in it, and PTX that is linked.
#include "driver_modules.hpp"
#include "embedded_text.hpp"

#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace warpkit::cuda;

namespace {

CUmodule module_of(CUlibrary library) { return reinterpret_cast<CUmodule>(library); }
CUfunction function_of(CUkernel kernel) { return reinterpret_cast<CUfunction>(kernel); }

void count_kernels(session& s, unsigned* count, CUmodule module) {
    require(count, "the result");
    require_module(module);
    *count = static_cast<unsigned>(s.kernels_of(*module->home).size());
}
void list_kernels(session& s, CUfunction* list, unsigned room, CUmodule module) {
    require(list, "the list");
    require_module(module);
    auto const names = s.kernels_of(*module->home);
    for (unsigned i = 0; i < room && i < names.size(); ++i)
        list[i] = warpkit::cuda::function_of(s, module, names[i]);
}
CUmodule home_of(session& s, void const* function) {
    if (!s.knows(function)) throw failure(cudaErrorInvalidResourceHandle, "this is no function of a module");
    return warpkit::cuda::module_of(s.function(function).home);
}

std::set<CUlinkState> linkers;
void require_linker(CUlinkState state) {
    if (linkers.count(state) == 0) throw failure(cudaErrorInvalidResourceHandle, "this is no linker");
}
void add_text(CUlinkState state, CUjitInputType type, std::string text) {
    require_linker(state);
    if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY)
        throw failure(cudaErrorNotSupported, "only PTX is linked, as text or in a fat binary");
    if (!state->whole.empty()) throw failure(cudaErrorInvalidValue, "the linker is done already");
    state->texts.push_back(std::move(text));
}
// What stands once in a module, behind the lines that are blank or comments.
bool is_heading(std::string_view line) {
    auto const at = line.find_first_not_of(" \t");
    auto const word = at == line.npos ? line : line.substr(at);
    for (std::string_view const directive : {".version", ".target", ".address_size"})
        if (word.substr(0, directive.size()) == directive) return true;
    return false;
}
std::string without_headings(std::string const& text) {
    std::string rest;
    for (std::size_t at = 0; at < text.size();) {
        auto const end = std::min(text.find('\n', at), text.size());
        auto const line = std::string_view(text).substr(at, end - at);
        if (!is_heading(line)) rest += line;
        rest += '\n';
        at = end + 1;
    }
    return rest;
}

} // namespace

extern "C" {

CUresult cuModuleLoadFatBinary(CUmodule* module, void const* binary) {
    return cuModuleLoadData(module, binary);
}
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
    return result(call("cuModuleGetLoadingMode", [&](session&) {
        require(mode, "the result");
        *mode = CU_MODULE_LAZY_LOADING; // a text is read when something of it is first needed
    }));
}
CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
    return result(call("cuModuleGetFunctionCount", [&](session& s) { count_kernels(s, count, module); }));
}
CUresult cuModuleEnumerateFunctions(CUfunction* list, unsigned count, CUmodule module) {
    return result(
        call("cuModuleEnumerateFunctions", [&](session& s) { list_kernels(s, list, count, module); }));
}
CUresult cuFuncGetName(char const** name, CUfunction function) {
    return result(call("cuFuncGetName", [&](session& s) {
        require(name, "the result");
        static_cast<void>(home_of(s, function));
        *name = s.function(function).name.c_str();
    }));
}
CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
    return result(call("cuFuncGetModule", [&](session& s) {
        require(module, "the result");
        *module = home_of(s, function);
    }));
}
CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
    return result(cudaFuncGetParamInfo(function, index, offset, bytes));
}
CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
    return result(call("cuFuncIsLoaded", [&](session& s) {
        require(state, "the result");
        static_cast<void>(home_of(s, function));
        *state = CU_FUNCTION_LOADING_STATE_LOADED; // it has a handle
    }));
}
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config) {
    return result(cudaFuncSetSharedMemConfig(function, static_cast<cudaSharedMemConfig>(config)));
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, char const* file, CUjit_option*, void**, unsigned,
                               CUlibraryOption*, void**, unsigned) {
    return cuModuleLoad(reinterpret_cast<CUmodule*>(library), file);
}
CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
    return result(call("cuLibraryGetModule", [&](session&) {
        require(module, "the result");
        require_module(module_of(library));
        *module = module_of(library);
    }));
}
CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
    return result(
        call("cuLibraryGetKernelCount", [&](session& s) { count_kernels(s, count, module_of(library)); }));
}
CUresult cuLibraryEnumerateKernels(CUkernel* list, unsigned count, CUlibrary library) {
    return result(call("cuLibraryEnumerateKernels", [&](session& s) {
        list_kernels(s, reinterpret_cast<CUfunction*>(list), count, module_of(library));
    }));
}
CUresult cuKernelGetName(char const** name, CUkernel kernel) {
    return cuFuncGetName(name, function_of(kernel));
}
CUresult cuKernelGetParamInfo(CUkernel kernel, std::size_t index, std::size_t* offset, std::size_t* bytes) {
    return cuFuncGetParamInfo(function_of(kernel), index, offset, bytes);
}
CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
    return cuFuncGetModule(reinterpret_cast<CUmodule*>(library), function_of(kernel));
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device) {
    auto const e = cudaSetDevice(device);
    return e != cudaSuccess ? result(e) : cuFuncSetAttribute(function_of(kernel), attribute, value);
}
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device) {
    auto const e = cudaSetDevice(device);
    return e != cudaSuccess ? result(e) : cuFuncSetCacheConfig(function_of(kernel), config);
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, void const* text, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
    return code(cuModuleLoadData(reinterpret_cast<CUmodule*>(library), text));
}
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, char const* file, cudaJitOption*, void**,
                                    unsigned, cudaLibraryOption*, void**, unsigned) {
    return code(cuModuleLoad(reinterpret_cast<CUmodule*>(library), file));
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) { return code(cuLibraryUnload(library)); }
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, char const* name) {
    return code(cuLibraryGetKernel(kernel, library, name));
}
cudaError_t cudaLibraryGetGlobal(void** p, std::size_t* bytes, cudaLibrary_t library, char const* name) {
    return code(cuLibraryGetGlobal(reinterpret_cast<CUdeviceptr*>(p), bytes, library, name));
}
cudaError_t cudaLibraryGetManaged(void** p, std::size_t* bytes, cudaLibrary_t library, char const* name) {
    return code(cuLibraryGetManaged(reinterpret_cast<CUdeviceptr*>(p), bytes, library, name));
}
cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
    return code(cuLibraryGetKernelCount(count, library));
}
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* list, unsigned count, cudaLibrary_t library) {
    return code(cuLibraryEnumerateKernels(list, count, library));
}

// Texts are linked by standing behind each other. What two of them call by the same name has to be the same then.
CUresult cuLinkCreate(unsigned, CUjit_option*, void**, CUlinkState* state) {
    return result(call("cuLinkCreate", [&](session&) {
        require(state, "the result");
        *state = *linkers.insert(new CUlinkState_st).first;
    }));
}
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, std::size_t bytes, char const*,
                       unsigned, CUjit_option*, void**) {
    return result(call("cuLinkAddData", [&](session&) {
        require(data, "the data");
        add_text(state, type, embedded_text(static_cast<char const*>(data), bytes));
    }));
}
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, char const* file, unsigned, CUjit_option*,
                       void**) {
    return result(call("cuLinkAddFile", [&](session&) {
        require(file, "the file's name");
        std::ifstream in(file, std::ios::binary);
        std::string const text(std::istreambuf_iterator<char>(in), {});
        if (!in) throw failure(cudaErrorFileNotFound, std::string("cannot read ") + file);
        add_text(state, type, embedded_text(text.data(), text.size()));
    }));
}
CUresult cuLinkComplete(CUlinkState state, void** image, std::size_t* bytes) {
    return result(call("cuLinkComplete", [&](session& s) {
        require(image, "the result");
        require_linker(state);
        if (state->texts.empty()) throw failure(cudaErrorInvalidValue, "there is nothing to link");
        std::string whole;
        for (auto const& text : state->texts) whole += whole.empty() ? text : without_headings(text);
        s.check_text(whole);
        state->whole = std::move(whole);
        *image = state->whole.data();
        if (bytes != nullptr) *bytes = state->whole.size() + 1; // as a text that ends with a 0
    }));
}
CUresult cuLinkDestroy(CUlinkState state) {
    return result(call("cuLinkDestroy", [&](session&) {
        require_linker(state);
        linkers.erase(state);
        delete state;
    }));
}

} // extern "C"
