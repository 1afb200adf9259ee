# cmake -DLAB=<program> -DWORK_DIR=<folder> -P test.cmake: the lab as its users meet it.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

# lab(<exit status> <regex that the output must match> <arguments>...)
function(lab status expected)
    execute_process(
        COMMAND ${LAB} ${ARGN}
        WORKING_DIRECTORY ${WORK_DIR}
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

# Everything has a name.
lab(0 "vecadd.*two_level.*gtx480_v3.*warp_scheduler.*l1d\\.size.*core\\.cause\\.raw_memory.*row_hit_rate.*gpgpusim" list)
foreach(topic IN ITEMS kernels schedulers presets policies numbers counters metrics views)
    lab(0 "." list ${topic})
endforeach()
foreach(preset IN ITEMS gtx480 gtx480_v3 gtx480_accelsim owl)
    lab(0 "clock\\.core.*documented.*estimated.*address_mapping.*dram_scheduler" show ${preset})
endforeach()
lab(0 "l1d\\.size +48 KiB  set" show gtx480 --set l1.size=48KiB)
lab(0 "metric row_hit_rate \\[%\\]: row-buffer locality" explain row_hit_rate)
lab(0 "counter core\\.cause\\.sync .*barrier" explain core.cause)
lab(0 "lab run --kernel vecadd" --help)
lab(0 "Examples:" run --help)
lab(0 "^warpkit [0-9]" --version)

# A run, its files, and the same again.
lab(0 "vecadd +lrr .*[0-9a-f]+  yes.*scheduler cycles" run --kernel vecadd --json first.json --csv first.csv)
lab(0 "^$" run --kernel vecadd --json second.json --quiet --repeat 2)
lab(0 "the same 2 runs" compare first.json second.json)
file(READ ${WORK_DIR}/first.json json)
string(JSON runs LENGTH "${json}" runs)
string(JSON verified GET "${json}" runs 1 verified)
string(JSON fingerprint GET "${json}" runs 1 fingerprint)
string(JSON cycles GET "${json}" runs 1 counters cycles)
string(JSON scheduler GET "${json}" runs 1 scheduler)
if(NOT (runs EQUAL 2 AND verified AND fingerprint MATCHES "^[0-9a-f]+$" AND cycles GREATER 1000 AND scheduler STREQUAL gto))
    message(SEND_ERROR "first.json: ${runs} runs, verified ${verified}, fingerprint ${fingerprint}, ${cycles} cycles")
endif()
string(LENGTH "${fingerprint}" digits)
if(NOT digits EQUAL 16)
    message(SEND_ERROR "a fingerprint of ${digits} digits")
endif()
file(STRINGS ${WORK_DIR}/first.csv lines)
list(LENGTH lines count)
if(NOT count EQUAL 3)
    message(SEND_ERROR "first.csv has ${count} lines")
endif()

# A changed number is told, and changes the run.
lab(0 "lsu\\.l1_latency = 70 cycles" run --kernel vecadd --scheduler lrr --set l1.latency=70 --json changed.json)
lab(1 "only in first\\.json|cycles" compare first.json changed.json)

# What cannot be is refused in one line.
lab(2 "no kernel 'vecad'.*did you mean" run --kernel vecad)
lab(2 "no scheduler 'gti' \\(did you mean gto\\?\\)" run --scheduler gti)
lab(2 "no preset 'gtx48'" run --preset gtx48)
lab(2 "no DRAM scheduler 'fifo'" run --dram fifo)
lab(2 "no choice of block 'best'" run --dispatch best)
lab(2 "nearest legal value: 10 KiB" run --kernel vecadd --set l1.size=10000)
lab(2 "no number l1d\\.sise \\(did you mean l1d\\.size\\?\\)" run --set l1.sise=1)
lab(2 "vecadd\\.n = 0 is impossible" run --kernel vecadd --param vecadd.n=0)
lab(2 "write kernel\\.parameter=value" run --kernel vecadd --param n=3)
lab(2 "bfs is not among the kernels to run" run --kernel vecadd --param bfs.nodes=64)
lab(2 "there is no folder" run --kernel vecadd --json nowhere/a.json)
lab(2 "did you mean run" rnu)
lab(2 "no topic" list nothing)
lab(2 "nothing called" explain nothing)
lab(2 "cannot read" compare nothing nothing)

# A simulation that fails ends in one line with the place, and exit status 1.
lab(1 "vecadd under lrr on gtx480: .*thread.*[0-9]" run --kernel vecadd --scheduler lrr --set core.threads=32 --quiet)
lab(1 "vecadd under lrr on gtx480: .*instructions" run --kernel vecadd --scheduler lrr --limit 5 --quiet)
