# warpkit_add_cuda_program(<name> <source>... [OPTIONS <option>...])
#
# A program of CUDA (.cu), C++ and C sources, compiled by clang without NVIDIA's toolkit and linked with warpkit's
# runtime: host code runs natively, kernels on the simulated GPU. OPTIONS are handed to warpkit-cuda: -D..., -I...,
# -std=..., -use_fast_math. CUDA sources need clang 14 or newer (WARPKIT_CLANG), whatever compiler the project uses.
#
# WARPKIT_CUDA_GPUS and WARPKIT_CUDA_SCHEDULERS name the machines that are compiled in; the first is the default.
set(WARPKIT_CUDA_GPUS gtx480 CACHE STRING "GPUs of the CUDA runtime, by their names in warpkit::presets")
set(WARPKIT_CUDA_SCHEDULERS gto lrr CACHE STRING "warp schedulers of the CUDA runtime, by their names in warpkit")
set(WARPKIT_CLANG "" CACHE FILEPATH "clang++ with the nvptx64 target; empty: the first found")

set(WARPKIT_CUDA_HOME ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "")
find_program(
    WARPKIT_CUDA_DRIVER warpkit-cuda
    PATHS ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/../../../bin
    NO_DEFAULT_PATH REQUIRED)
mark_as_advanced(WARPKIT_CUDA_DRIVER)

# The runtime as a target, made when it is first asked for. A project that has the machines already says so by linking
# them: MACHINES <library>... with warpkit::cuda::machines() in it.
function(warpkit_cuda_runtime)
    if(TARGET warpkit_cuda)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "MACHINES")
    file(GLOB sources CONFIGURE_DEPENDS ${WARPKIT_CUDA_HOME}/runtime/*.cpp)
    if(NOT arg_MACHINES)
        list(JOIN WARPKIT_CUDA_SCHEDULERS ", " schedulers)
        set(body "")
        foreach(gpu IN LISTS WARPKIT_CUDA_GPUS)
            string(APPEND body "        for (auto& p : sweep<presets::${gpu}::with<use::kernel_dispatch<any_kernel_dispatch>, use::cluster_placement<any_cluster_placement>>, choose<use::warp_scheduler, ${schedulers}>>())\n"
                               "            points.push_back(p);\n")
        endforeach()
        file(
            CONFIGURE
            OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/warpkit_cuda_machines.cpp
            CONTENT
                [[// The machines of the CUDA runtime, made by CMake.
#include <warpkit/config/presets.hpp>
#include <warpkit/cta/policies.hpp>
#include <warpkit/warp/schedulers.hpp>

#include "machines.hpp"

namespace warpkit::cuda {

std::vector<sweep_point> const& machines() {
    static auto const all = [] {
        std::vector<sweep_point> points;
@body@        return points;
    }();
    return all;
}

} // namespace warpkit::cuda
]]
            @ONLY)
        list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/warpkit_cuda_machines.cpp)
    endif()
    add_library(warpkit_cuda STATIC ${sources})
    target_include_directories(warpkit_cuda SYSTEM PUBLIC ${WARPKIT_CUDA_HOME}/include)
    target_include_directories(warpkit_cuda PUBLIC ${WARPKIT_CUDA_HOME}/runtime)
    find_package(Threads REQUIRED)
    target_link_libraries(warpkit_cuda PUBLIC warpkit::warpkit warpkit::compression Threads::Threads PRIVATE ${arg_MACHINES})
    # What warpkit-cuda reads each kernel's PTX with.
    add_executable(warpkit_ptx_check EXCLUDE_FROM_ALL ${WARPKIT_CUDA_HOME}/runtime/check/ptx_check.cpp)
    target_link_libraries(warpkit_ptx_check PRIVATE warpkit::warpkit)
endfunction()

function(warpkit_add_cuda_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
    warpkit_cuda_runtime()
    set(sources)
    set(objects)
    set(driver ${CMAKE_COMMAND} -E env WARPKIT_CLANG=${WARPKIT_CLANG}
               WARPKIT_PTX_CHECK=$<TARGET_FILE:warpkit_ptx_check> ${WARPKIT_CUDA_DRIVER})
    foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
        if(NOT source MATCHES "\\.cu$")
            list(APPEND sources ${source})
            continue()
        endif()
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE file)
        cmake_path(GET file STEM stem)
        set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.cuda/${stem}.o)
        add_custom_command(
            OUTPUT ${object}
            COMMAND ${driver} -c ${file} -o ${object} ${arg_OPTIONS} -MD -MF ${object}.d -MT ${object}
            DEPENDS ${file} ${WARPKIT_CUDA_DRIVER} warpkit_ptx_check
            DEPFILE ${object}.d
            COMMENT "Building CUDA object ${name}.cuda/${stem}.o"
            VERBATIM)
        list(APPEND objects ${object})
    endforeach()
    list(APPEND sources ${objects})
    if("-rdc=true" IN_LIST arg_OPTIONS)
        set(linked ${CMAKE_CURRENT_BINARY_DIR}/${name}.cuda/device_link.o)
        add_custom_command(
            OUTPUT ${linked}
            COMMAND ${driver} -dlink ${objects} -o ${linked}
            DEPENDS ${objects}
            VERBATIM)
        list(APPEND sources ${linked})
    endif()
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${name}.cuda)
    add_executable(${name} ${sources})
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(${name} PRIVATE warpkit_cuda)
endfunction()
