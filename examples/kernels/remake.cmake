# cmake -DSOURCES=... -DOUTPUT=... -DRUN_KERNELS=... -P remake.cmake: makes the PTX of all kernels anew,
# compares it with the committed text when the compiler is the one that made that, and runs all kernels with
# it.
set(committed_with 14)

execute_process(
    COMMAND ${SOURCES}/make_ptx.sh --print-compiler
    OUTPUT_VARIABLE compiler
    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE failed)
if(failed)
    message("kernels_remake skipped: there is no clang++ with the nvptx64 target")
    return()
endif()

file(REMOVE_RECURSE ${OUTPUT})
execute_process(COMMAND ${SOURCES}/make_ptx.sh -o ${OUTPUT} RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "${SOURCES}/make_ptx.sh failed")
endif()

if(compiler MATCHES " ${committed_with}$")
    file(
        GLOB kernels
        RELATIVE ${SOURCES}
        ${SOURCES}/*/*.cu)
    foreach(kernel IN LISTS kernels)
        string(REGEX REPLACE "cu$" "ptx" ptx ${kernel})
        cmake_path(GET ptx FILENAME name)
        execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${SOURCES}/${ptx} ${OUTPUT}/${name}
                        RESULT_VARIABLE different)
        if(different)
            message(SEND_ERROR "${ptx} is not what ${compiler} makes of ${kernel}: run make_ptx.sh")
        endif()
    endforeach()
endif()

execute_process(COMMAND ${RUN_KERNELS} --ptx ${OUTPUT} RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "a kernel made by ${compiler} does not run as it should")
endif()
