# What it costs to compile a machine and a program, as the table in docs/explanation/performance.md: processor seconds
# and the most memory of the compiler (GNU time tells both).
#   cmake -DCOMPILER=g++ -P bench/cost/edit_to_result.cmake
cmake_minimum_required(VERSION 3.25)
if(NOT COMPILER)
    message(FATAL_ERROR "say which compiler: cmake -DCOMPILER=g++ -P bench/cost/edit_to_result.cmake")
endif()
find_program(TIME time REQUIRED)
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set(source ${CMAKE_CURRENT_BINARY_DIR}/edit_to_result.cpp)

# row(<what> <options> <headers> <code>): at -O1 and at -O2.
function(row what options headers code)
    set(text "#include <warpkit/config/presets.hpp>\n")
    foreach(header IN LISTS headers)
        string(APPEND text "#include <warpkit/${header}>\n")
    endforeach()
    file(WRITE ${source} "${text}using namespace warpkit;
using mine = presets::gtx480::with<use::warp_scheduler<lrr>>;\n${code}\n")
    set(cells "")
    foreach(optimisation IN ITEMS -O1 -O2)
        execute_process(
            COMMAND ${TIME} -f "%U %S %M" ${COMPILER} -std=c++20 ${optimisation} ${options} -w -I${root}/include -c -o
                    ${source}.o ${source}
            ERROR_VARIABLE told
            RESULT_VARIABLE failed)
        if(failed OR NOT told MATCHES "([0-9]+)\\.([0-9][0-9]) ([0-9]+)\\.([0-9][0-9]) ([0-9]+)")
            message(FATAL_ERROR "${COMPILER} cannot compile ${source}, or ${TIME} does not tell what it cost: ${told}")
        endif()
        math(EXPR tenths "(${CMAKE_MATCH_1}${CMAKE_MATCH_2} + ${CMAKE_MATCH_3}${CMAKE_MATCH_4} + 5) / 10")
        math(EXPR megabytes "${CMAKE_MATCH_5} / 1024")
        string(REGEX REPLACE "(.)$" ".\\1" seconds ${tenths})
        string(APPEND cells " ${seconds} s, ${megabytes} MB |")
    endforeach()
    message("| ${what} |${cells}")
endfunction()

message("| | -O1 | -O2 |\n|---|---:|---:|")
set(run "run(kernel_launch const& l) { return")
row("a machine on the fast engine" "" "warp/lrr.hpp;gpu/gpu.hpp"
    "run_counters ${run} gpu<mine::policies>(mine::parameters()).run(l); }")
row("a machine on the reference" "" "warp/lrr.hpp;reference/gpu.hpp"
    "run_counters ${run} reference::gpu<mine::policies>(mine::parameters()).run(l); }")
set(code "auto run(host_program const& p) { return simulate<mine>(p); }")
row("a program, headers alone" "" "warp/lrr.hpp;config/simulate.hpp" "${code}")
set(compiled -DWARPKIT_COMPILED -DWARPKIT_PTX_ELSEWHERE)
row("a program with `warpkit::compiled`" "${compiled}" "warp/lrr.hpp;config/simulate.hpp" "${code}")
row("the same on the reference" "${compiled}" "warp/lrr.hpp;config/simulate_reference.hpp"
    "auto run(host_program const& p) { return simulate<mine>(p, on_reference); }")
file(REMOVE ${source} ${source}.o)
