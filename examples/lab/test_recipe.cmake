# The recipe of docs/reference/lab.md for a scheduler of one's own, followed word for word in a copy of the sources: in
# a build folder that was configured before, and in a new one, the lab is made of it as of the others, and knows its
# name. cmake -DSOURCE_DIR=... -DWORK_DIR=... -DCOMPILER=... -DGENERATOR=... -P test_recipe.cmake

file(REMOVE_RECURSE ${WORK_DIR})
file(COPY ${SOURCE_DIR}/CMakeLists.txt ${SOURCE_DIR}/include ${SOURCE_DIR}/examples DESTINATION ${WORK_DIR})
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
    file(READ ${WORK_DIR}/${folder}/examples/lab/shards/replayers.cpp replayers)
    file(GLOB shards ${WORK_DIR}/${folder}/examples/lab/shards/*.cpp)
    set(points "")
    foreach(shard IN LISTS shards)
        file(READ ${shard} text)
        string(APPEND points "${text}")
    endforeach()
    if(NOT replayers MATCHES "[<, ]mine[,>]" OR NOT points MATCHES "presets::gtx480, mine, " OR NOT points MATCHES
                                                                                             "presets::owl, mine, ")
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
string(FIND "${page}" "```sh\ncp mine.hpp" from)
if(from EQUAL -1)
    message(FATAL_ERROR "docs/reference/lab.md has no recipe")
endif()
math(EXPR from "${from} + 6")
string(SUBSTRING "${page}" ${from} -1 recipe)
string(FIND "${recipe}" "```" end)
string(SUBSTRING "${recipe}" 0 ${end} recipe)
# Building a lab takes minutes: in its place the folder is configured again, as a build does by itself where the list has changed.
set(build "cmake --build build/lab --target lab\n")
string(FIND "${recipe}" "${build}" last)
if(last EQUAL -1)
    message(FATAL_ERROR "the recipe does not end with ${build}")
endif()
string(SUBSTRING "${recipe}" 0 ${last} recipe)
must_run(sh -e -c "${recipe}")
must_run(${CMAKE_COMMAND} configured)
must_have_it(configured)
must_run(${configure} -B new)
must_have_it(new)

# What it is called.
file(WRITE ${WORK_DIR}/names.cpp "#include \"logs.hpp\"
#include <cstdio>
int main() { for (auto const& r : lab::replayers()) std::puts(r.scheduler.c_str()); }
")
must_run(${COMPILER} -std=c++20 -O0 -Iinclude -Iexamples/lab -Iexamples names.cpp new/examples/lab/shards/replayers.cpp -o names -pthread)
must_run(./names)
if(NOT output MATCHES "(^|\n)mine\n.*\nelf_greedy\n")
    message(SEND_ERROR "the lab's schedulers are\n${output}")
endif()
