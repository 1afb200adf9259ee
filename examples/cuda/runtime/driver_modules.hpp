#pragma once
// What the driver's API hands out: one context, modules and their functions.
#include "cuda.h"
#include "session.hpp"

#include <memory>
#include <set>
#include <string>
#include <vector>

// A library is a module, and a kernel of it a function.
struct CUmod_st {
    warpkit::cuda::module_entry* home = nullptr;
    std::vector<std::unique_ptr<CUfunc_st>> functions;
};
struct CUfunc_st {
    std::string name;
};
struct CUctx_st {};

namespace warpkit::cuda {

inline CUresult result(cudaError_t e) { return static_cast<CUresult>(e); }
inline cudaError_t code(CUresult e) { return static_cast<cudaError_t>(e); }

// Modules that are loaded; what was loaded from one that is not any more still runs.
inline std::set<CUmod_st const*> loaded_modules;
inline void require_module(CUmod_st const* module) {
    if (loaded_modules.count(module) == 0)
        throw failure(cudaErrorInvalidResourceHandle, "this module is not loaded");
}
inline CUctx_st the_context;

} // namespace warpkit::cuda
