# compile_cost(<source>): what it costs COMPILER (a g++) to compile that file with INCLUDE, without optimisation: the
# kilobytes that it allocates, the same number each time, and the processor's milliseconds.
function(compile_cost source)
    execute_process(
        COMMAND ${COMPILER} -std=c++20 -I${INCLUDE} -O0 -ftime-report -S -o - ${source}
        OUTPUT_QUIET
        ERROR_VARIABLE report
        RESULT_VARIABLE failed)
    if(failed OR NOT report MATCHES "TOTAL *: *([0-9]+)\\.([0-9][0-9]) *([0-9]+)\\.([0-9][0-9]) *[0-9.]+ *([0-9]+)([kM])")
        message(FATAL_ERROR "${COMPILER} cannot compile ${source}, or does not tell what it cost")
    endif()
    set(kilobytes ${CMAKE_MATCH_5})
    if(CMAKE_MATCH_6 STREQUAL "M")
        math(EXPR kilobytes "${kilobytes} * 1024")
    endif()
    math(EXPR milliseconds "(${CMAKE_MATCH_1}${CMAKE_MATCH_2} + ${CMAKE_MATCH_3}${CMAKE_MATCH_4}) * 10")
    return(PROPAGATE kilobytes milliseconds)
endfunction()
