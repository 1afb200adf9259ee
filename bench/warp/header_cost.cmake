# What it costs to compile a policy header alone, as the table in docs/explanation/performance.md:
#   cmake -DCOMPILER=g++ -P bench/warp/header_cost.cmake
cmake_minimum_required(VERSION 3.25)
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set(INCLUDE ${root}/include)
include(${root}/tests/cmake/compile_cost.cmake)
set(source ${CMAKE_CURRENT_BINARY_DIR}/header_cost.cpp)

message("| header | preprocessed lines | MB allocated | ms |\n|---|---:|---:|---:|")
foreach(
    header IN
    ITEMS warp/lrr
          warp/strict_round_robin
          warp/oldest
          warp/youngest
          warp/gto
          warp/gty
          warp/two_level
          warp/two_level_active
          warp/two_level_gpgpusim
          warp/static_wavefront_limit
          warp/ccws
          warp/daws_style
          warp/cawa_style
          warp/mascar
          warp/owl
          warp/locality_aware
          warp/elf
          warp/schedulers
          warp/ordering
          fetch/interleaved
          fetch/next_line)
    file(WRITE ${source} "#include <warpkit/${header}.hpp>\n")
    execute_process(COMMAND ${COMPILER} -std=c++20 -I${INCLUDE} -E -P ${source} OUTPUT_VARIABLE text)
    string(REGEX REPLACE "[^\n]+" "" lines "${text}")
    string(LENGTH "${lines}" count)
    set(best 1000000)
    foreach(time RANGE 4)
        compile_cost(${source})
        if(milliseconds LESS best)
            set(best ${milliseconds})
        endif()
    endforeach()
    math(EXPR tenths "${kilobytes} * 10 / 1024")
    string(REGEX REPLACE "(.)$" ".\\1" megabytes ${tenths})
    message("| ${header}.hpp | ${count} | ${megabytes} | ${best} |")
endforeach()
file(REMOVE ${source})
