# One compile test; compile_fail.cmake says what it is about and passes COMPILER, FAMILY, SOURCE, VERDICT, INCLUDES,
# SYSTEM_INCLUDES and IMPLICIT_INCLUDES.
cmake_minimum_required(VERSION 3.25)
set(first_screen 40) # lines

function(refuse why)
    message(NOTICE "${SOURCE} ${why}") # as it is: FATAL_ERROR would wrap it
    message(FATAL_ERROR "compile test failed")
endfunction()

set(flags)
foreach(dir IN LISTS INCLUDES)
    list(APPEND flags -I${dir})
endforeach()
foreach(dir IN LISTS SYSTEM_INCLUDES)
    if(NOT dir IN_LIST IMPLICIT_INCLUDES) # naming those again upsets #include_next
        list(APPEND flags -isystem ${dir})
    endif()
endforeach()

execute_process(
    COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${COMPILER} -std=c++20 -fsyntax-only ${flags} ${SOURCE}
    RESULT_VARIABLE result
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output)

if(VERDICT STREQUAL "MUST_COMPILE")
    if(NOT result EQUAL 0)
        refuse("must compile, but does not:\n${output}")
    endif()
    return()
endif()
if(result EQUAL 0)
    refuse("compiles, but must not")
endif()

# The first screen. (Cut by position, not as a list: compiler output is full of semicolons and brackets.)
set(rest "${output}")
set(screen "")
foreach(line RANGE 1 ${first_screen})
    string(FIND "${rest}" "\n" end)
    if(end EQUAL -1)
        string(APPEND screen "${rest}")
        break()
    endif()
    math(EXPR next "${end} + 1")
    string(SUBSTRING "${rest}" 0 ${next} text)
    string(APPEND screen "${text}")
    string(SUBSTRING "${rest}" ${next} -1 rest)
endforeach()

# The expectations: lines of the comment that the file starts with.
file(READ ${SOURCE} rest)
set(expectations 0)
while(rest MATCHES "^//([^\n]*)\n(.*)$")
    set(comment "${CMAKE_MATCH_1}")
    set(rest "${CMAKE_MATCH_2}")
    if(comment MATCHES "^ expect(-([a-z]+))?: (.*)$")
        set(only "${CMAKE_MATCH_2}")
        set(expected "${CMAKE_MATCH_3}")
        math(EXPR expectations "${expectations} + 1")
        if((only STREQUAL "" OR only STREQUAL FAMILY) AND NOT screen MATCHES "${expected}")
            refuse("does not make the compiler say, in its first ${first_screen} lines: ${expected}\n${screen}")
        endif()
    endif()
endwhile()
if(expectations EQUAL 0)
    refuse("says nothing of what it expects; start it with  // expect: <regex>")
endif()
