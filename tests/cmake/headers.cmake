# Generated from what lies under include/, with no exclusions: each header is compiled alone, and included twice; and
# all of them together are compiled in two translation units, in opposite orders, and linked into one program. What a
# header forgets to include, one compiler finds as well as two: CI's Clang, or GCC where the two do not part the tests,
# or have everything (WARPKIT_TESTS_SPLIT, WARPKIT_TESTS_WHOLE).
#
# Clang has each header as a submodule, of which nobody sees more than he imports: all headers are then read
# once. The standard library's, which it uses for that, are one module, so that a header that lacks one of
# those is left to tests/house/standard_headers.cpp.
#
# By GCC, alone means with nothing before it that it does not include itself: behind one of its own includes, however far
# away, a header sees what it would see by itself. So chains of headers, each of which includes the one before it, are compiled
# in one translation unit each, which takes half the time of one for each header. It takes minutes.
set(include_dir ${PROJECT_SOURCE_DIR}/include)
set(generated ${CMAKE_CURRENT_BINARY_DIR}/headers)
file(
    GLOB_RECURSE headers CONFIGURE_DEPENDS
    RELATIVE ${include_dir}
    ${include_dir}/*.hpp)

set(alone)
set(forward "")
set(backward "")
foreach(header IN LISTS headers)
    string(CONFIGURE "#include <@header@>\n" line @ONLY)
    file(CONFIGURE OUTPUT ${generated}/${header}.cpp CONTENT "${line}${line}" @ONLY)
    list(APPEND alone ${generated}/${header}.cpp)
    file(STRINGS ${include_dir}/${header} begins REGEX "^#" LIMIT_COUNT 1)
    if(NOT begins MATCHES "^#pragma once")
        message(FATAL_ERROR "${include_dir}/${header} does not begin with #pragma once")
    endif()
    string(APPEND forward "${line}")
    string(PREPEND backward "${line}")
endforeach()

# warpkit_reached(<header>): the headers that it includes, however far away, in the global property of that name. Those
# behind an #if may not be included.
function(warpkit_reached header)
    get_property(known GLOBAL PROPERTY warpkit_reached/${header} SET)
    if(known OR NOT EXISTS ${include_dir}/${header})
        return()
    endif()
    # Chains are of what headers include now.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${include_dir}/${header})
    file(STRINGS ${include_dir}/${header} lines REGEX "^#(include <warpkit/|if)")
    set(all)
    foreach(line IN LISTS lines)
        if(line MATCHES "^#if")
            break()
        elseif(line MATCHES "<(warpkit/[^>]+[.]hpp)>")
            set(next ${CMAKE_MATCH_1})
            warpkit_reached(${next})
            get_property(reached GLOBAL PROPERTY warpkit_reached/${next})
            list(APPEND all ${next} ${reached})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES all)
    set_property(GLOBAL PROPERTY warpkit_reached/${header} "${all}")
endfunction()

# Those that include little first, each behind the last of the longest chain that it includes.
function(warpkit_header_chains result)
    set(ordered)
    foreach(header IN LISTS headers)
        warpkit_reached(${header})
        get_property(reached GLOBAL PROPERTY warpkit_reached/${header})
        list(LENGTH reached count)
        list(APPEND ordered "${count} ${header}")
    endforeach()
    list(SORT ordered COMPARE NATURAL)
    list(TRANSFORM ordered REPLACE "^[0-9]+ " "")
    set(ends) # of the chains
    foreach(header IN LISTS ordered)
        get_property(reached GLOBAL PROPERTY warpkit_reached/${header})
        set(before "")
        set(most -1)
        foreach(end IN LISTS reached)
            if(DEFINED chain_${end} AND size_${end} GREATER most)
                set(before ${end})
                set(most ${size_${end}})
            endif()
        endforeach()
        list(LENGTH reached size_${header})
        if(before)
            set(chain_${header} "${chain_${before}}")
            unset(chain_${before})
            list(REMOVE_ITEM ends ${before})
        endif()
        string(APPEND chain_${header} "#include <${header}>\n#include <${header}>\n")
        list(APPEND ends ${header})
    endforeach()
    set(sources)
    foreach(end IN LISTS ends)
        file(CONFIGURE OUTPUT ${generated}/chains/${end}.cpp CONTENT "${chain_${end}}" @ONLY)
        list(APPEND sources ${generated}/chains/${end}.cpp)
    endforeach()
    set(${result} ${sources} PARENT_SCOPE)
endfunction()

file(CONFIGURE OUTPUT ${generated}/odr_forward.cpp CONTENT "${forward}\nint main() {}\n" @ONLY)
file(CONFIGURE OUTPUT ${generated}/odr_backward.cpp CONTENT "${backward}" @ONLY)

# The target warpkit_headers_alone, by Clang: the headers as submodules.
function(warpkit_header_modules)
    set(own "")
    set(standard)
    foreach(header IN LISTS headers)
        string(MAKE_C_IDENTIFIER ${header} name)
        string(APPEND own "    explicit module ${name} {\n        header \"${include_dir}/${header}\"\n        export *\n    }\n")
        file(STRINGS ${include_dir}/${header} lines REGEX "^#include <[a-z_]+>")
        list(APPEND standard ${lines})
    endforeach()
    list(REMOVE_DUPLICATES standard)
    list(SORT standard)
    set(others "")
    foreach(line IN LISTS standard)
        string(REGEX REPLACE "^#include <([a-z_]+)>.*" "\\1" name "${line}")
        find_file(found ${name} PATHS ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES} NO_CACHE NO_DEFAULT_PATH REQUIRED)
        string(APPEND others "    header \"${found}\"\n")
        unset(found)
    endforeach()
    set(folder ${generated}/modules)
    file(CONFIGURE OUTPUT ${folder}/own.modulemap CONTENT "module warpkit_headers {\n@own@}\n" @ONLY)
    file(CONFIGURE OUTPUT ${folder}/others.modulemap CONTENT "module other_headers [system] {\n@others@    export *\n}\n" @ONLY)
    set(compile ${CMAKE_CXX_COMPILER} -std=c++20 -DBOOST_ALL_NO_LIB -I${include_dir} -Wall -Wextra -Wconversion -Wshadow)
    if(WARPKIT_WERROR)
        list(APPEND compile -Werror)
    endif()
    list(APPEND compile -fmodules -fno-implicit-modules -fno-implicit-module-maps -Xclang -emit-module -x c++ -c)
    list(TRANSFORM headers PREPEND ${include_dir}/ OUTPUT_VARIABLE files)
    add_custom_command(
        OUTPUT ${folder}/others.pcm
        COMMAND ${compile} -fmodule-name=other_headers ${folder}/others.modulemap -o ${folder}/others.pcm
        DEPENDS ${folder}/others.modulemap
        VERBATIM)
    add_custom_command(
        OUTPUT ${folder}/own.pcm
        COMMAND ${compile} -Xclang -fmodules-local-submodule-visibility -fmodule-map-file=${folder}/others.modulemap
                -fmodule-file=other_headers=${folder}/others.pcm -fmodule-name=warpkit_headers ${folder}/own.modulemap -o
                ${folder}/own.pcm
        DEPENDS ${folder}/own.modulemap ${folder}/others.pcm ${files}
        VERBATIM)
    add_custom_target(warpkit_headers_alone ALL DEPENDS ${folder}/own.pcm)
endfunction()

if(NOT WARPKIT_TESTS_SPLIT OR WARPKIT_TESTS_WHOLE)
    set(alone_by GNU)
else()
    set(alone_by Clang)
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL alone_by)
    # one is enough
elseif(alone_by STREQUAL "Clang")
    warpkit_header_modules()
else()
    warpkit_header_chains(chains)
    add_library(warpkit_headers_alone OBJECT ${chains})
    target_link_libraries(warpkit_headers_alone PRIVATE warpkit::warpkit warpkit_warnings)
endif()
if(WARPKIT_TESTS_SPLIT AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
endif()

add_executable(test_odr ${generated}/odr_forward.cpp ${generated}/odr_backward.cpp)
target_link_libraries(test_odr PRIVATE warpkit::warpkit warpkit_warnings)
target_compile_options(test_odr PRIVATE -O0) # it links, and hardly runs
add_test(NAME odr COMMAND test_odr)

# Target `tidy`: clang-tidy over each header. (Only on demand: it takes seconds a header.)
find_program(WARPKIT_CLANG_TIDY NAMES clang-tidy-14 clang-tidy)
if(PROJECT_IS_TOP_LEVEL AND WARPKIT_CLANG_TIDY)
    add_custom_target(tidy COMMAND ${WARPKIT_CLANG_TIDY} --quiet --config-file=${PROJECT_SOURCE_DIR}/.clang-tidy ${alone}
                                   -- -std=c++20 -I${include_dir} VERBATIM)
endif()
