# How the scripts of the lab's tests run it in ${WORK_DIR}, which is emptied first, each time for ${limit} seconds at most,
# and check what it says.
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(ENV{XDG_CONFIG_HOME} ${WORK_DIR}) # nobody's defaults

# lab(<exit status> <regex that the output must match> <arguments>...); `output` is what went to standard output.
function(lab status expected)
    execute_process(
        COMMAND ${LAB} ${ARGN}
        WORKING_DIRECTORY ${WORK_DIR}
        TIMEOUT ${limit}
        RESULT_VARIABLE result
        OUTPUT_VARIABLE output
        ERROR_VARIABLE errors)
    if(NOT result EQUAL status)
        message(SEND_ERROR "lab ${ARGN}: exit status ${result}, expected ${status}\n${output}${errors}")
    elseif(NOT "${output}${errors}" MATCHES "${expected}")
        message(SEND_ERROR "lab ${ARGN}: expected ${expected}, found:\n${output}${errors}")
    endif()
    if(NOT status EQUAL 0 AND "${errors}" MATCHES "\n.+\n")
        message(SEND_ERROR "lab ${ARGN}: expected one line of error, found:\n${errors}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

# Runs a line of the shell in which $LAB is the lab, and checks exit status and output; `output` is all that it said.
function(shell status expected line)
    execute_process(
        COMMAND ${CMAKE_COMMAND} -E env "LAB=${LAB}" bash -c "${line}"
        WORKING_DIRECTORY ${WORK_DIR}
        TIMEOUT ${limit}
        RESULT_VARIABLE result
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    if(NOT result EQUAL status)
        message(SEND_ERROR "${line}: exit status ${result}, expected ${status}\n${output}")
    elseif(NOT output MATCHES "${expected}")
        message(SEND_ERROR "${line}: expected ${expected}, found\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()
# A line that ends with one line of error.
function(refused expected line)
    shell(2 "${expected}" "${line}")
    if(NOT output MATCHES "(^|\n)lab: [^\n]+\n$")
        message(SEND_ERROR "${line}: not one line at the end of\n${output}")
    endif()
endfunction()
