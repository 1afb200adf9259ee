# The recipe of docs/reference/lab.md for a policy of one's own, followed word for word in a copy of the sources: in a new build folder, and in
# one that was configured before, the lab is made of it as of the others, and knows its name; and so in other seats.
# cmake -DSOURCE_DIR=... -DWORK_DIR=... -DCOMPILER=... -DGENERATOR=... -P test_recipe.cmake

file(REMOVE_RECURSE ${WORK_DIR})
file(COPY ${SOURCE_DIR}/CMakeLists.txt ${SOURCE_DIR}/CMakePresets.json ${SOURCE_DIR}/LICENSE ${SOURCE_DIR}/README.md ${SOURCE_DIR}/include ${SOURCE_DIR}/examples DESTINATION ${WORK_DIR})
file(COPY ${SOURCE_DIR}/tests/cmake DESTINATION ${WORK_DIR}/tests)

function(must_run)
    execute_process(
        COMMAND ${ARGN}
        WORKING_DIRECTORY ${WORK_DIR}
        RESULT_VARIABLE result
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${ARGN}: ${result}\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()
function(must_have_it folder)
    set(shards ${WORK_DIR}/${folder}/examples/lab/shards)
    file(READ ${shards}/policies.hpp policies)
    file(READ ${shards}/replayers.cpp replayers)
    file(GLOB files ${shards}/*.cpp)
    set(points "")
    foreach(file IN LISTS files)
        file(READ ${file} text)
        string(APPEND points "${text}")
    endforeach()
    if(NOT replayers MATCHES "[<, ]mine[,>]" OR NOT policies MATCHES "one_warp_scheduler<[^;]*[<, ]mine[,>]"
       OR NOT policies MATCHES "#include \"[^\n]*/mine.hpp\"" OR NOT points MATCHES "append<flexible<presets::gtx480>, choose<use::dram_scheduler")
        message(SEND_ERROR "${folder}: the lab is not made of the new scheduler")
    endif()
endfunction()

set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -S . -DCMAKE_CXX_COMPILER=${COMPILER} -DWARPKIT_BUILD_TESTS=OFF
              -DWARPKIT_BUILD_BENCH=OFF)
must_run(${configure} -B configured)

# The README's policy under another name, which gives itself none.
file(READ ${SOURCE_DIR}/examples/first_policy/loads_first.hpp policy)
string(REPLACE "loads_first" "mine" policy "${policy}")
string(REPLACE "using namespace warpkit;" "namespace warpkit {" policy "${policy}")
file(WRITE ${WORK_DIR}/mine.hpp "${policy}\n} // namespace warpkit\n")

file(READ ${SOURCE_DIR}/docs/reference/lab.md page)
string(FIND "${page}" "```sh\ncmake --preset lab \"-DWARPKIT_LAB_POLICIES" from)
if(from EQUAL -1)
    message(FATAL_ERROR "docs/reference/lab.md has no recipe")
endif()
math(EXPR from "${from} + 6")
string(SUBSTRING "${page}" ${from} -1 recipe)
string(FIND "${recipe}" "```" end)
string(SUBSTRING "${recipe}" 0 ${end} recipe)
# Building a lab takes minutes: what it would be built of is looked at in its place.
set(build "cmake --build build/lab --target lab\n")
string(FIND "${recipe}" "${build}" last)
if(last EQUAL -1)
    message(FATAL_ERROR "the recipe does not end with ${build}")
endif()
string(SUBSTRING "${recipe}" 0 ${last} recipe)
set(ENV{CXX} ${COMPILER})
set(ENV{CMAKE_GENERATOR} ${GENERATOR})
must_run(sh -e -c "${recipe}")
must_have_it(build/lab)

# Compiled by itself, beside those that are so anyway.
execute_process(
    COMMAND ${CMAKE_COMMAND} "-DWARPKIT_LAB_FAST_SCHEDULERS=gto;mine" build/lab
    WORKING_DIRECTORY ${WORK_DIR} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(READ ${WORK_DIR}/build/lab/examples/lab/shards/fast_gto.cpp fast)
if(NOT fast MATCHES "make_specialised<flexible<presets::gtx480>, gto>.*make_specialised<flexible<presets::gtx480>, mine>")
    message(SEND_ERROR "no machine is compiled with the new scheduler: ${fast}")
endif()

# In a folder that was configured before; in several seats; and what is no policy with its seat and header is refused.
execute_process(
    COMMAND
        ${CMAKE_COMMAND}
        "-DWARPKIT_LAB_POLICIES=warp_scheduler mine ${WORK_DIR}/mine.hpp;fetch_order fetch::interleaved<gto> include/warpkit/fetch/interleaved.hpp;page_policy dram::timeout_page mine.hpp;l2 cache_of_mine mine.hpp;page_policy mine::page mine.hpp"
        configured
    WORKING_DIRECTORY ${WORK_DIR} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
must_have_it(configured)
file(READ ${WORK_DIR}/configured/examples/lab/shards/policies.hpp policies)
# Policies in several seats that are filled when a machine is compiled: every combination, on the fast engine in shards, and
# where machines are recorded and on the reference; once for all presets that have the same network.
file(GLOB own ${WORK_DIR}/configured/examples/lab/shards/own_crossbar_*)
set(shards ${WORK_DIR}/configured/examples/lab/shards)
foreach(name IN ITEMS own_crossbar_page_policy own_crossbar_l2 recorders references)
    file(READ ${shards}/${name}.cpp ${name})
endforeach()
list(LENGTH own owns)
set(both "choose<use::page_policy, preset_policy, dram::timeout_page, mine::page>, choose<use::l2, preset_policy, cache_of_mine>>")
if(NOT policies MATCHES "one_fetch_order, fetch::loose_round_robin, fetch::interleaved<gto>" OR NOT owns EQUAL 2
   OR NOT own_crossbar_page_policy MATCHES
          "choose<use::page_policy, dram::timeout_page, mine::page>, choose<use::l2, preset_policy, cache_of_mine>>"
   OR NOT own_crossbar_l2 MATCHES "any_dram>, choose<use::l2, cache_of_mine>>" OR NOT recorders MATCHES "${both}"
   OR NOT references MATCHES "${both}")
    message(SEND_ERROR "the lab is not made of the policies of other seats: ${own}\n${own_crossbar_page_policy}\n"
                       "${own_crossbar_l2}\n${recorders}\n${references}\n${policies}")
endif()
foreach(wrong IN ITEMS "mine" "warp_scheduler mine none.hpp")
    execute_process(
        COMMAND ${CMAKE_COMMAND} "-DWARPKIT_LAB_POLICIES=${wrong}" configured
        WORKING_DIRECTORY ${WORK_DIR}
        RESULT_VARIABLE result
        ERROR_VARIABLE errors
        OUTPUT_QUIET)
    if(result EQUAL 0 OR NOT errors MATCHES "WARPKIT_LAB_POLICIES: ")
        message(SEND_ERROR "WARPKIT_LAB_POLICIES=${wrong} is not refused: ${errors}")
    endif()
endforeach()

# What it is called.
file(WRITE ${WORK_DIR}/names.cpp "#include \"logs.hpp\"
#include <cstdio>
int main() { for (auto const& r : lab::replayers()) std::puts(r.scheduler.c_str()); }
")
must_run(${COMPILER} -std=c++20 -O0 -Iinclude -Iexamples/lab -Iexamples names.cpp build/lab/examples/lab/shards/replayers.cpp -o names -pthread)
must_run(./names)
if(NOT output MATCHES "\nelf_greedy\nmine\n")
    message(SEND_ERROR "the lab's schedulers are\n${output}")
endif()
