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
lab(0 "MemoryBlockCycles = .*all of them wait" explain owl)
lab(0 "lab run --kernel vecadd" --help)
lab(0 "Examples:" run --help)
lab(0 "^warpkit [0-9]" --version)

# What schedulers cost in hardware: the docs' page is what the code says.
lab(0 "in all +1\\.39 kB +11,360 +1420 +1\\.39.*48 warps, 2 schedulers" cost)
lab(2 "no preset 'gtx48'" cost gtx48)
lab(0 "# What the schedulers would cost" cost --markdown)
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../docs/hardware_cost.md page)
if(NOT output STREQUAL page)
    message(SEND_ERROR "docs/hardware_cost.md is out of date: lab cost --markdown > docs/hardware_cost.md")
endif()

# The kernels: the docs' page is what the code says, up to what is measured.
lab(0 "# The shipped kernels" kernels)
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../docs/kernels.md page)
string(FIND "${page}" "## Measured" measured)
string(SUBSTRING "${page}" 0 ${measured} page)
if(NOT output STREQUAL page)
    message(SEND_ERROR "docs/kernels.md is out of date: lab kernels prints what stands above its heading Measured")
endif()

# A kernel without host program.
file(COPY ${PTX} DESTINATION ${WORK_DIR})
set(buffers [["x": {"type": "s32", "count": 256, "fill": "iota"}, "y": {"type": "s32", "count": 256, "fill": {"value": 2}},
    "z": {"type": "s32", "count": 256}]])
set(arguments [[{"buffer": "x"}, {"buffer": "y"}, {"buffer": "z"}, {"u32": 256}]])
file(WRITE ${WORK_DIR}/add.json "{\"ptx\": \"vecadd.ptx\", \"grid\": 2, \"block\": 128, \"buffers\": {${buffers}},
    \"arguments\": [${arguments}], \"outputs\": [{\"buffer\": \"z\", \"first\": 3}]}")
lab(0 "vecadd +gto .*z: 2 3 4" run --launch add.json --scheduler gto)
file(WRITE ${WORK_DIR}/wrong.json "{\"ptx\": \"vecadd.ptx\", \"grid\": 0}")
lab(2 "wrong.json: grid: expected a whole number from 1" run --launch wrong.json)
lab(2 "cannot read missing.json" run --launch missing.json)

# A run, its files, and the same again on two threads.
lab(0 "vecadd +lrr .*[0-9a-f]+  yes.*scheduler cycles" run --kernel vecadd --json first.json --csv first.csv)
lab(0 "^$" run --kernel vecadd --json second.json --quiet --repeat 2 --threads 2)
lab(0 "the same 2 runs" compare first.json second.json)
lab(0 "fr_fcfs: IPC, normalised to lrr.*gto.*means over 1 kernels.*lrr +1\\.000 +1\\.000" compare first.json)
lab(0 "\\| gto \\| 1\\.000 \\|" compare first.json --baseline gto --markdown)
lab(2 "no scheduler in first\\.json 'gtx'" compare first.json --baseline gtx)
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

# Where the cycles went, as papers have it.
lab(0 "as OWL has it.*MemoryBlockCycles +NoWarpCycles" run --kernel vecadd --scheduler lrr --view owl --quiet)
lab(0 "as in ELF.*memory dependency" run --kernel vecadd --scheduler lrr --view elf --quiet)

# A changed number is told, and changes the run.
lab(0 "lsu\\.l1_latency = 70 cycles" run --kernel vecadd --scheduler lrr --set l1.latency=70 --json changed.json)
lab(1 "only in first\\.json|cycles" compare first.json changed.json)

# What cannot be is refused in one line.
lab(2 "no kernel 'vecad'.*did you mean" run --kernel vecad)
lab(2 "no scheduler 'gti' \\(did you mean gto\\?\\)" run --scheduler gti)
lab(2 "no preset 'gtx48'" run --preset gtx48)
lab(2 "no DRAM scheduler 'fifo'" run --dram fifo)
lab(2 "no replay queue 'newcar' \\(did you mean new_car\\?\\)" run --replay newcar)
lab(2 "no view 'oml' \\(did you mean owl" run --view oml)
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

# PTX of one's own, in place of a kernel's: whatever is wrong with it ends in one line with the place.
file(READ ${PTX} ptx)
function(lab_with_ptx status expected text)
    file(WRITE ${WORK_DIR}/own.ptx "${text}")
    lab(${status} "${expected}" run --kernel vecadd --scheduler lrr --ptx own.ptx --quiet)
endfunction()
function(lab_with_changed_ptx status expected from to)
    string(REPLACE "${from}" "${to}" changed "${ptx}")
    lab_with_ptx(${status} "${expected}" "${changed}")
endfunction()
lab_with_ptx(0 "yes" "${ptx}")
string(SUBSTRING "${ptx}" 0 700 cut)
lab_with_ptx(1 "own\\.ptx:[0-9]+:[0-9]+: (expected|unknown)" "${cut}")
lab_with_changed_ptx(1 "own\\.ptx:41:[0-9]+: .*sum\\.s32" "add.s32" "sum.s32")
lab_with_changed_ptx(1 "own\\.ptx:39:[0-9]+: .*%nowhere" "%r6" "%nowhere")
lab_with_changed_ptx(1 "own\\.ptx:[0-9]+:[0-9]+: " "add.s32 \t%r8, %r7" "add.s32 \t%r8, %rd7")
lab_with_changed_ptx(1 "wrong value left in memory" "add.s32" "sub.s32")
lab_with_changed_ptx(1 "own\\.ptx:42.*address" "[%rd1], %r8" "[%rd1+1073741824], %r8")
lab_with_changed_ptx(1 "barriers that can never be met" "@%p1 bra" "@%p1 bra LBB0_2;\n setp.lt.s32 %p1, %r4, 32;\n @%p1 bra LBB0_2;\n bar.sync 0, 256;\n@%p1 bra")
lab(2 "say with --kernel which one kernel" run --ptx own.ptx)
lab(2 "cannot read" run --kernel vecadd --ptx nowhere.ptx)

# A simulation that fails ends in one line with the place, and exit status 1.
lab(1 "vecadd under lrr on gtx480: .*thread.*[0-9]" run --kernel vecadd --scheduler lrr --set core.threads=32 --quiet)
lab(1 "vecadd under lrr on gtx480: .*instructions" run --kernel vecadd --scheduler lrr --limit 5 --quiet)

# Recorded, and replayed: a scheduler agrees with itself, and where another one parts is said.
lab(0 "vecadd.log: vecadd on gtx480, core 2, under gto: [0-9]+ events" record vecadd --core 2 --output vecadd.log)
lab(0 "gto +[0-9,]+ +[0-9,]+ +100.00.*core 2, scheduler [01]: gto picked warp [0-9]+, lrr would pick warp [0-9]+; candidates"
    replay vecadd.log --scheduler lrr,gto)
lab(2 "core 99: gtx480 has cores 0 to 14" record vecadd --core 99 --output x.log)
lab(2 "vecadd.ptx: this is no event log" replay ${PTX})
lab(2 "cannot read none.log" replay none.log)
lab(2 "no scheduler 'lr'" replay vecadd.log --scheduler lr)
