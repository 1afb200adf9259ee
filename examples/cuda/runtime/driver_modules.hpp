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
struct CUlinkState_st {
    std::vector<std::string> texts;
    std::string whole; ///< when it is complete
};

namespace warpkit::cuda {

inline CUresult result(cudaError_t e) { return static_cast<CUresult>(e); }
inline cudaError_t code(CUresult e) { return static_cast<cudaError_t>(e); }

// Modules that are loaded; what was loaded from one that is not any more still runs.
inline std::set<CUmod_st const*> loaded_modules;
inline void require_module(CUmod_st const* module) {
    if (loaded_modules.count(module) == 0)
        throw failure(cudaErrorInvalidResourceHandle, "this module is not loaded");
}
// A module of what the program has of its own, from the first time that somebody asks.
inline CUmod_st* module_of(module_entry* home) {
    for (auto const* m : loaded_modules)
        if (m->home == home) return const_cast<CUmod_st*>(m);
    auto* const made = new CUmod_st;
    made->home = home;
    loaded_modules.insert(made);
    return made;
}
// A function of a module, which has one handle.
CUfunction function_of(session& s, CUmodule module, std::string const& name);
// Copies of boxes, in the driver's words and in the runtime's.
cudaMemcpy3DParms parameters_of(CUDA_MEMCPY3D const& w);
CUDA_MEMCPY3D description_of(cudaMemcpy3DParms const& p);
inline CUctx_st the_context;

} // namespace warpkit::cuda
