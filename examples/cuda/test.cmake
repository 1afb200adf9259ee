# cmake -DPROGRAMS=<folder> -DWORK_DIR=<folder> -P test.cmake: CUDA programs as their users meet them.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

# program(<name> <exit status> <regex that the output must match> <NAME=value of the environment>...)
function(program name status expected)
    execute_process(
        COMMAND ${CMAKE_COMMAND} -E env ${ARGN} ${PROGRAMS}/cuda_${name}
        WORKING_DIRECTORY ${WORK_DIR}
        RESULT_VARIABLE result
        OUTPUT_VARIABLE output
        ERROR_VARIABLE errors)
    if(NOT result EQUAL status)
        message(SEND_ERROR "${name} ${ARGN}: exit status ${result}, expected ${status}\n${output}${errors}")
    elseif(NOT "${output}${errors}" MATCHES "${expected}")
        message(SEND_ERROR "${name} ${ARGN}: expected ${expected}, found:\n${output}${errors}")
    endif()
endfunction()

# Timed, with the report and its JSON.
program(heat 0 "PASSED.*step +10 +280 .*total" WARPKIT_JSON=heat.json)
file(READ ${WORK_DIR}/heat.json json)
string(JSON kernels LENGTH "${json}" kernels)
string(JSON cycles GET "${json}" total counters cycles)
string(JSON ipc GET "${json}" total metrics ipc)
if(NOT kernels EQUAL 2 OR NOT cycles GREATER 1000 OR NOT ipc GREATER 0)
    message(SEND_ERROR "heat.json: ${kernels} kernels, ${cycles} cycles, IPC ${ipc}")
endif()
# Machines by name, numbers by name, and what is neither.
program(heat 0 "owl, gto, fr_fcfs: 28 cores.*PASSED" WARPKIT_GPU=owl WARPKIT_SCHEDULER=gto)
program(heat 0 " 3 cores.*PASSED" WARPKIT_SET=core.count=3 WARPKIT_TIMING=off)
program(heat 2 "no such machine.*WARPKIT_GPU=gtx480 WARPKIT_SCHEDULER=gto" WARPKIT_SCHEDULER=nonsense)
program(heat 2 "core.cuont" WARPKIT_SET=core.cuont=3)
program(heat 2 "expected on or off" WARPKIT_TIMING=perhaps)
# Call by call, and number by number.
program(runtime 0 "PASSED" WARPKIT_REPORT=off)
program(math 0 "PASSED" WARPKIT_TIMING=off)
# Lanes that wait for each other, timed and not.
program(warps 0 "PASSED.*barriers +1 +1 ")
program(warps 0 "PASSED" WARPKIT_TIMING=off WARPKIT_LIMIT=10000000)
