# Diagnostics are features: tests/compile_fail/*.cpp must not compile, and the first screen of what the compiler says
# must hold every expected text; tests/compile_fail/*.ok.cpp are their correct twins and must compile. A file tells
# what it expects in the comments that it starts with, as CMake regular expressions:
#
#   // expect: <for both compilers>
#   // expect-gcc: <for GCC only>
#   // expect-clang: <for Clang only>

# What a test needs to know to call the compiler as the build would.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(warpkit_compiler_family clang)
else()
    set(warpkit_compiler_family gcc)
endif()
set(warpkit_system_includes $<TARGET_PROPERTY:Boost::headers,INTERFACE_INCLUDE_DIRECTORIES>)

# warpkit_compile_test(<name> <source> MUST_COMPILE|MUST_FAIL)
function(warpkit_compile_test name source verdict)
    add_test(
        NAME ${name}
        COMMAND
            ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER} -DFAMILY=${warpkit_compiler_family} -DSOURCE=${source}
            -DVERDICT=${verdict} "-DINCLUDES=${PROJECT_SOURCE_DIR}/include;${PROJECT_SOURCE_DIR}/tests/support"
            "-DSYSTEM_INCLUDES=${warpkit_system_includes}"
            "-DIMPLICIT_INCLUDES=${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES}" -P
            ${PROJECT_SOURCE_DIR}/tests/cmake/compile_fail_run.cmake)
endfunction()

file(
    GLOB_RECURSE sources CONFIGURE_DEPENDS
    RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/compile_fail
    compile_fail/*.cpp)
set(turn clang)
set(before "")
foreach(source IN LISTS sources)
    # By the two compilers in turn, a file and its twin by the same.
    string(REGEX REPLACE "(\\.ok)?\\.cpp$" "" subject ${source})
    if(NOT subject STREQUAL before)
        set(before ${subject})
        if(turn STREQUAL gcc)
            set(turn clang)
        else()
            set(turn gcc)
        endif()
    endif()
    if(WARPKIT_TESTS_SPLIT AND NOT WARPKIT_TESTS_WHOLE AND NOT turn STREQUAL warpkit_compiler_family)
        continue()
    endif()
    if(source MATCHES "\\.ok\\.cpp$")
        set(verdict MUST_COMPILE)
    else()
        set(verdict MUST_FAIL)
    endif()
    string(REGEX REPLACE "\\.cpp$" "" name ${source})
    warpkit_compile_test(compile_fail.${name} ${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/${source} ${verdict})
endforeach()

# The judge is judged: it must refuse a file that compiles, a wrong message, a message that comes too late, a file
# without expectations, and a correct twin that does not compile.
set(fixtures ${CMAKE_CURRENT_SOURCE_DIR}/house/fixtures/compile_fail)
foreach(
    fixture IN
    ITEMS "compiles|MUST_FAIL|compiles, but must not"
          "other_message|MUST_FAIL|does not make the compiler say"
          "late_message|MUST_FAIL|does not make the compiler say"
          "no_expectation|MUST_FAIL|says nothing of what it expects"
          "broken_twin.ok|MUST_COMPILE|must compile, but does not")
    string(REPLACE "|" ";" fixture "${fixture}")
    list(GET fixture 0 name)
    list(GET fixture 1 verdict)
    list(GET fixture 2 complaint)
    warpkit_compile_test(house.compile_fail_judge.${name} ${fixtures}/${name}.cpp ${verdict})
    set_tests_properties(house.compile_fail_judge.${name} PROPERTIES PASS_REGULAR_EXPRESSION "${complaint}")
endforeach()
