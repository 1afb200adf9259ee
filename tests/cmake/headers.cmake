# Generated from what lies under include/, with no exclusions: each header is compiled alone, and included twice; and
# all of them together are compiled in two translation units, in opposite orders, and linked into one program. What a
# header forgets to include, one compiler finds as well as two. What another one includes before anything else is
# compiled alone there.
set(include_dir ${PROJECT_SOURCE_DIR}/include)
set(generated ${CMAKE_CURRENT_BINARY_DIR}/headers)
file(
    GLOB_RECURSE headers CONFIGURE_DEPENDS
    RELATIVE ${include_dir}
    ${include_dir}/*.hpp)

set(alone)
set(first_of_another)
set(forward "")
set(backward "")
foreach(header IN LISTS headers)
    string(CONFIGURE "#include <@header@>\n" line @ONLY)
    file(CONFIGURE OUTPUT ${generated}/${header}.cpp CONTENT "${line}${line}" @ONLY)
    list(APPEND alone ${generated}/${header}.cpp)
    file(STRINGS ${include_dir}/${header} begins REGEX "^#" LIMIT_COUNT 2)
    if(NOT begins MATCHES "^#pragma once")
        message(FATAL_ERROR "${include_dir}/${header} does not begin with #pragma once")
    endif()
    if(begins MATCHES ";#include <(warpkit/[^>]+)>$")
        list(APPEND first_of_another ${generated}/${CMAKE_MATCH_1}.cpp)
    endif()
    string(APPEND forward "${line}")
    string(PREPEND backward "${line}")
endforeach()
file(CONFIGURE OUTPUT ${generated}/odr_forward.cpp CONTENT "${forward}\nint main() {}\n" @ONLY)
file(CONFIGURE OUTPUT ${generated}/odr_backward.cpp CONTENT "${backward}" @ONLY)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(alone_nowhere_else ${alone})
    list(REMOVE_ITEM alone_nowhere_else ${first_of_another})
    add_library(warpkit_headers_alone OBJECT ${alone_nowhere_else})
    target_link_libraries(warpkit_headers_alone PRIVATE warpkit::warpkit warpkit_warnings)
elseif(WARPKIT_TESTS_SPLIT)
    return()
endif()

add_executable(test_odr ${generated}/odr_forward.cpp ${generated}/odr_backward.cpp)
target_link_libraries(test_odr PRIVATE warpkit::warpkit warpkit_warnings)
add_test(NAME odr COMMAND test_odr)

# Target `tidy`: clang-tidy over each header. (Only on demand: it takes seconds a header.)
find_program(WARPKIT_CLANG_TIDY NAMES clang-tidy-14 clang-tidy)
if(PROJECT_IS_TOP_LEVEL AND WARPKIT_CLANG_TIDY)
    add_custom_target(tidy COMMAND ${WARPKIT_CLANG_TIDY} --quiet --config-file=${PROJECT_SOURCE_DIR}/.clang-tidy ${alone}
                                   -- -std=c++20 -I${include_dir} VERBATIM)
endif()
