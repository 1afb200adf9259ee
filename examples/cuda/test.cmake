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
# What nvcc compiled.
program(toolkit 0 "PASSED.*machine code alone, which is not simulated.*other arguments here.*scaled +1 " WARPKIT_TIMING=off)
# CTAs on several host threads: the same values, and text in its order.
foreach(name IN ITEMS heat streams heap managed grid warps launches)
    program(${name} 0 "PASSED" WARPKIT_TIMING=off WARPKIT_REPORT=off WARPKIT_FUNCTION_THREADS=4)
endforeach()
program(printf 0 "number 0\n.*number 32766\nnumber 32767\n1 and 2\n.*PASSED" WARPKIT_TIMING=off WARPKIT_REPORT=off
    WARPKIT_FUNCTION_THREADS=all)
program(heat 2 "WARPKIT_FUNCTION_THREADS=two: expected a number of host threads, 1 to 1024, or all"
    WARPKIT_FUNCTION_THREADS=two)
# The same values whatever runs at once, in fewer cycles.
foreach(kernels IN ITEMS 1 4)
    program(streams 0 "PASSED" WARPKIT_SET=core.kernels=${kernels} WARPKIT_JSON=streams${kernels}.json)
    file(READ ${WORK_DIR}/streams${kernels}.json json)
    string(JSON cycles_${kernels} GET "${json}" total counters cycles)
    string(JSON instructions_${kernels} GET "${json}" total counters core.warp_instructions)
endforeach()
string(JSON at_once LENGTH "${json}" at_once)
if(NOT cycles_4 LESS cycles_1 OR NOT instructions_4 EQUAL instructions_1 OR NOT at_once EQUAL 8)
    message(SEND_ERROR "streams: ${cycles_1} cycles one after the other, ${cycles_4} at once; ${at_once} kernels")
endif()
foreach(dispatch IN ITEMS leftover:cores=shared spatial_multitasking kernel_round_robin smk warped_slicer)
    program(streams 0 "PASSED" WARPKIT_SET=core.kernels=4,core.count=2 WARPKIT_USE=kernel_dispatch=${dispatch})
endforeach()
program(streams 2 "expected seat=policy" WARPKIT_USE=smk)
program(streams 0 "PASSED" WARPKIT_TIMING=off)
# Call by call, and number by number.
program(runtime 0 "PASSED" WARPKIT_REPORT=off)
program(math 0 "PASSED" WARPKIT_TIMING=off)
program(numbers 0 "PASSED" WARPKIT_TIMING=off)
program(matrices 0 "PASSED" WARPKIT_TIMING=off)
# malloc in kernels; variables that host and kernels share. Timed, too.
foreach(timing IN ITEMS on off)
    program(heap 0 "PASSED" WARPKIT_REPORT=off WARPKIT_TIMING=${timing})
    program(managed 0 "PASSED" WARPKIT_REPORT=off WARPKIT_TIMING=${timing})
endforeach()
program(hopper 0 "PASSED" WARPKIT_TIMING=off)
program(hopper 1 "needs a unit for bulk copies, which the machine .gtx480. has not")
# Libraries, whose kernels are timed like any other.
program(blas 0 "PASSED" WARPKIT_TIMING=off)
program(random 0 "PASSED" WARPKIT_TIMING=off)
program(fourier 0 "PASSED" WARPKIT_TIMING=off)
program(sparse 0 "PASSED" WARPKIT_TIMING=off)
program(surfaces 0 "PASSED" WARPKIT_REPORT=off)
# CTAs that wait for each other.
program(grid 0 "PASSED" WARPKIT_TIMING=off)
program(grid 1 "cooperative launches are executed and not timed.*WARPKIT_TIMING=off" WARPKIT_REPORT=off)
# Device code of two source files.
program(relocatable 0 "main 6\nother 50\nPASSED" WARPKIT_REPORT=off)
# Graphs, timed or not: nodes, captures, conditions.
program(graphs 0 "PASSED" WARPKIT_REPORT=off)
program(graphs 0 "PASSED" WARPKIT_REPORT=off WARPKIT_TIMING=off)
file(READ ${WORK_DIR}/graph.dot dot)
if(NOT dot MATCHES "n0 .label=\"0 MEMSET\".;.*n1 .label=\"1 KERNEL\".;\n  n0 -> n1;")
    message(SEND_ERROR "graph.dot: ${dot}")
endif()
# What is asked of things, and what they were told; a default stream per thread; the driver's words for it.
program(handles 0 "PASSED" WARPKIT_REPORT=off)
program(handles 0 "PASSED" WARPKIT_REPORT=off WARPKIT_TIMING=off)
# Launches by threads: executed where they are made, timed as kernels of their own, also where several run at once.
program(launches 0 "PASSED.*a launch by a thread: kernel _Z4markPii: the grid's x must be 1 to" WARPKIT_TIMING=off WARPKIT_REPORT=off)
program(launches 0 "PASSED.*sort +[0-9][0-9]+ .*mark +3 +3 .*deep +25 +25 " WARPKIT_JSON=launches.json)
program(launches 0 "PASSED.*deep +25 +25 " WARPKIT_SET=core.kernels=8 WARPKIT_JSON=at_once.json)
foreach(file IN ITEMS launches at_once)
    file(READ ${WORK_DIR}/${file}.json json)
    string(JSON ${file} GET "${json}" total counters core.warp_instructions)
endforeach()
if(NOT launches EQUAL at_once)
    message(SEND_ERROR "launches: ${launches} warp instructions one after the other, ${at_once} at once")
endif()
# What cannot be is answered as CUDA answers it; the same whether kernels are timed or not.
program(contracts 0 "PASSED" WARPKIT_REPORT=off)
program(contracts 0 "PASSED" WARPKIT_REPORT=off WARPKIT_TIMING=off)
foreach(timing IN ITEMS on off)
    program(heat 1 "one CTA of 256 threads needs [0-9]+ registers, but a core has only 256.*too many resources requested for launch"
        WARPKIT_SET=core.registers=256 WARPKIT_TIMING=${timing})
    program(heat 1 "the block's number of threads must be 1 to 128, not 256.*invalid configuration argument"
        WARPKIT_SET=core.threads=128 WARPKIT_TIMING=${timing})
endforeach()
# Strings as they were when printf was called; a full buffer is told, and forgotten by the next kernel.
program(printf 0
    "shared abcdefg, local abcdefg, global before, constant
shared zzzzzzz, local zzzzzzz, global after
.     abc..ab    ..zz..  xyz.% c 0x10
.noe. ..null.. 7
local form: 5 zzzzzzz
by a form: after 9
two 1 arguments
unsigned 100%
.4464 44 65535 ff. .-5 ffffffffffffffff -7 9 10.
.    42.42    .42    . .3.14.   2.718.all of it. .\\+5. 5.00042.0xff.
. +7.
.abc. .%. .0.5.
.%q. .%n. .%S. .%2.d. .%m. 5 five %
lane 0: \\.
lane 1: 1\\.
lane 2: 22\\.
lane 3: 333\\.
number 0
.*number 32766
number 32767
1 and 2
number 0
number 1
number 2
1 and 2
PASSED.*output is lost" WARPKIT_REPORT=off WARPKIT_TIMING=off)
# A fault's place is the line of the program, in functions of CUDA, too.
program(faults 0 "trap at [^(]+ \\([^ ]*faults.cu:6\\).*cudaErrorLaunchFailure
.*collective at [^(]+ \\([^ ]*faults.cu:10\\).*cudaErrorLaunchFailure
.*collective at [^(]+ \\([^ ]*faults.cu:14\\).* waits at barrier 0 at [^(]+ \\([^ ]*faults.cu:16\\).*cudaErrorLaunch[A-Za-z]+
.*access at [^(]+ \\([^ ]*faults.cu:18\\).*cudaErrorIllegalAddress
.*access at [^(]+ \\([^ ]*faults.cu:19\\).*cudaErrorIllegalAddress" WARPKIT_REPORT=off)
# A loop without end is stopped by the memory that its streams take, and otherwise by the number of instructions.
set(loop "cudaErrorLaunchTimeout.*kernel _Z4spinPi: CTA \\(1,0,0\\) has not ended after [0-9]+ warp instructions.*warp 1 has been")
program(runaway 0 "${loop} between [^(]+ \\([^ ]*runaway.cu:[78]\\) and .*raise WARPKIT_STREAM_LIMIT, 2097152 bytes"
    WARPKIT_STREAM_LIMIT=2MiB WARPKIT_REPORT=off)
program(runaway 0 "has not ended after 100000 warp instructions; warp 1 is at [^(]+ \\([^ ]*runaway.cu:" WARPKIT_LIMIT=100000
    WARPKIT_STREAM_LIMIT=2MiB WARPKIT_TIMING=off WARPKIT_REPORT=off)
# What the report cannot be written to is refused at the start, or ends the program with an error.
program(heat 2 "WARPKIT_JSON=no/such/folder/x.json: there is no folder no/such/folder" WARPKIT_JSON=no/such/folder/x.json)
program(heat 2 "this is a folder" WARPKIT_JSON=.)
program(heat 1 "PASSED.*WARPKIT_JSON: " WARPKIT_TIMING=off WARPKIT_JSON=/proc/no_such_file)
# Lanes that wait for each other, timed and not.
program(warps 0 "PASSED.*barriers +1 +1 ")
program(warps 0 "PASSED" WARPKIT_TIMING=off WARPKIT_LIMIT=10000000)
