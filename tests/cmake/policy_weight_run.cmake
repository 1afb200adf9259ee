# cmake -DCOMPILER=<g++> -DINCLUDE=<folder> -DSOURCE=<file> [-DMOST=<lines>] -P policy_weight_run.cmake
cmake_minimum_required(VERSION 3.25)
execute_process(
    COMMAND ${COMPILER} -std=c++20 -I${INCLUDE} -M ${SOURCE}
    OUTPUT_VARIABLE files
    RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "${SOURCE} cannot be preprocessed")
endif()
if(files MATCHES "[^ ]*/(boost|warpkit/(gpu|config|report|frontend))/[^ ]*")
    message(FATAL_ERROR "${SOURCE} reaches ${CMAKE_MATCH_0}: policy headers stay clear of Boost and the pipeline")
endif()
if(MOST)
    execute_process(COMMAND ${COMPILER} -std=c++20 -I${INCLUDE} -E -P ${SOURCE} OUTPUT_VARIABLE text)
    string(REGEX REPLACE "[^\n]+" "" lines "${text}")
    string(LENGTH "${lines}" count)
    if(count LESS 1000 OR count GREATER MOST)
        message(FATAL_ERROR "${SOURCE}: ${count} lines after preprocessing, at most ${MOST} are allowed")
    endif()
    message("${count} lines of at most ${MOST}")
endif()
