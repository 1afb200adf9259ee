# cmake -DLAB=<program> -DWORK_DIR=<folder> -P test.cmake: the lab as its users meet it.
cmake_minimum_required(VERSION 3.25)
set(limit 3000)
include(${CMAKE_CURRENT_LIST_DIR}/test_support.cmake)

# Everything has a name.
lab(0 "vecadd.*two_level.*gtx480_v3.*warp_scheduler.*l1d\\.size.*core\\.cause\\.raw_memory.*row_hit_rate.*gpgpusim" list)
foreach(topic IN ITEMS kernels schedulers presets seats policies parameters dispatch caches numbers counters metrics views options)
    lab(0 "." list ${topic})
endforeach()
foreach(preset IN ITEMS gtx480 gtx480_v3 gtx480_accelsim elf owl)
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
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../docs/reference/hardware_cost.md page)
if(NOT output STREQUAL page)
    message(SEND_ERROR "docs/reference/hardware_cost.md is out of date: lab cost --markdown remakes it")
endif()

# The kernels: the docs' page is what the code says, up to what is measured.
lab(0 "# The shipped kernels" kernels)
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../docs/reference/kernels.md page)
string(FIND "${page}" "## Measured" measured)
string(SUBSTRING "${page}" 0 ${measured} page)
if(NOT output STREQUAL page)
    message(SEND_ERROR "docs/reference/kernels.md is out of date: lab kernels prints what is above its heading Measured")
endif()

# The reference counts what the fast engine does.
foreach(engine IN ITEMS fast reference)
    lab(0 "" run --kernel vecadd,bfs --scheduler gto,two_level --preset gtx480,owl --engine ${engine} --json ${engine}.json -q)
endforeach()
lab(0 "the same 8 runs" compare fast.json reference.json)
lab(2 "times whole kernels" run --kernel vecadd --engine reference --sample)
lab(0 "vecadd +gtx480 .*equal.*bfs +owl .*equal\n.*8 runs on both engines, 0 of them part" check-engines
    --kernel vecadd,bfs --scheduler lrr,cta_aware_locality --preset gtx480,owl)
lab(0 "vecadd +gtx480 +elf mrpb fcfs l1=srrip .*counters +equal" check-engines --kernel vecadd --scheduler elf --replay mrpb
    --dram fcfs --l1 srrip)

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

# A run, its files, and the same again on two threads and with the DRAM's commands checked.
lab(0 "vecadd +lrr .*[0-9a-f]+  yes.*scheduler cycles" run --kernel vecadd --json first.json --csv first.csv)
lab(0 "^(lab: warning: --threads 2: [^\n]*\n)?$" run --kernel vecadd --json second.json --quiet --repeat 2 --threads 2 --check-dram)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
if(cores LESS 256) # never more threads than cores, and never in silence
    lab(0 "^lab: warning: --threads 256: this process may run on [0-9]+ of the host's cores" run --kernel vecadd --json second.json --quiet --threads 256)
endif()
lab(0 "the same 2 runs" compare first.json second.json)
lab(0 "fr_fcfs: IPC, normalised to lrr.*gto.*means over 1 kernels.*lrr +1\\.000 +1\\.000" compare first.json)
lab(0 "\\| gto \\| 1\\.000 \\|" compare first.json --baseline gto --markdown)
lab(2 "first\\.json: there is no scheduler 'gtx' .did you mean gto" compare first.json --baseline gtx)
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

# A kernel is executed once for all of its runs, to the same counters as in each, in memory and on disk.
set(sweep run --kernel histogram,bfs --param bfs.nodes=512 --preset gtx480,owl)
lab(0 "2 programs were each executed once for 8 runs: [0-9.]+ s in place of [0-9.]+ s; [0-9.]+ MB kept at most \\("
    ${sweep} --json once.json)
lab(0 "on disk" ${sweep} --reuse-memory 10KiB --json disk.json)
lab(0 "fingerprint" ${sweep} --no-reuse --json each.json)
if("${output}" MATCHES "executed once")
    message(SEND_ERROR "--no-reuse, but: ${output}")
endif()
lab(0 "the same 8 runs" compare once.json each.json)
lab(0 "the same 8 runs" compare disk.json each.json)
lab(2 "--reuse-memory" run --kernel vecadd --reuse-memory much)

# One warmed-up machine under each scheduler: under that of the warm-up as without a fork; a fork at the start is a run.
lab(0 "vecadd +gto +[0-9]+ +[0-9,]+ +1\\.000 .*vecadd +lrr +[0-9]+ .*scheduler cycles" fork --kernel vecadd --warm-up 30%
    --scheduler gto,lrr --json forks.json)
lab(0 "^$" fork --kernel vecadd --warm-up 0 --under gto --json start.json --quiet)
foreach(pair IN ITEMS "forks;0;1" "start;0;0" "start;1;1")
    list(GET pair 0 name)
    list(GET pair 1 fork)
    list(GET pair 2 run)
    file(READ ${WORK_DIR}/${name}.json forked)
    string(JSON got GET "${forked}" runs ${fork} fingerprint)
    string(JSON wanted GET "${json}" runs ${run} fingerprint)
    if(NOT got STREQUAL wanted)
        message(SEND_ERROR "${name}.json, run ${fork}: fingerprint ${got}, without a fork ${wanted}")
    endif()
endforeach()
file(READ ${WORK_DIR}/forks.json forked)
string(JSON at GET "${forked}" runs 0 fork_cycle)
string(JSON from GET "${forked}" runs 0 counters cycles)
math(EXPR sum "${at} + ${from}")
if(NOT (sum EQUAL cycles AND at GREATER 100 AND from GREATER 100))
    message(SEND_ERROR "forks.json: ${at} cycles and ${from} from there, but ${cycles} without a fork")
endif()
lab(1 "vecadd under lrr on gtx480: it has ended after [0-9]+ cycles, during the warm-up" fork --kernel vecadd --warm-up 1M
    --scheduler lrr)
lab(2 "leaves nothing to compare" fork --kernel vecadd --warm-up 100%)
lab(2 "'long' is not a number" fork --kernel vecadd --warm-up long)
lab(2 "warm-up is required" fork --kernel vecadd)

# Parts of a long kernel are timed, all of it is executed and verified; a short one is exact.
lab(0 "vecadd +gto +~[0-9,]+ +[0-9.]+ +~.*yes.*Sampled: ~ marks estimates" run --kernel vecadd --scheduler gto --full --sample
    --json sampled.json --csv sampled.csv)
file(READ ${WORK_DIR}/sampled.json json)
string(JSON cycles GET "${json}" runs 0 sample cycles)
string(JSON error GET "${json}" runs 0 sample error)
string(JSON skipped GET "${json}" runs 0 sample skipped_ctas)
if(NOT (cycles GREATER 10000 AND error GREATER 0 AND error LESS cycles AND skipped GREATER 100))
    message(SEND_ERROR "sampled.json: ${cycles} cycles, error ${error}, ${skipped} blocks left out")
endif()
lab(2 "sampled.json has sampled runs" compare sampled.json)
lab(0 "vecadd +gto +[0-9,]+ +exact +[0-9]" run --kernel vecadd --scheduler gto --sample)
lab(2 "sampling: the tolerance" run --kernel vecadd --sample --sample-tolerance 2)

# Where the cycles went, as papers have it.
lab(0 "as OWL has it.*MemoryBlockCycles +NoWarpCycles" run --kernel vecadd --scheduler lrr --view owl --quiet)
lab(0 "as in ELF.*memory dependency" run --kernel vecadd --scheduler lrr --view elf --quiet)

# A changed number is told, and changes the run.
lab(0 "lsu\\.l1_latency = 70 cycles" run --kernel vecadd --scheduler lrr --set l1.latency=70 --json changed.json)
lab(1 "only in first\\.json|cycles" compare first.json changed.json)

# How many blocks are best, and what the decision scheme takes.
lab(0 "L1 of 16KiB:.*vecadd \\| [0-9,]+ \\|.*geometric mean.*vecadd, L1 16KiB: --occupancy multithreading_degree:miss=[^ ]*:reads=[0-9./]+.*vecadd \\| modelled \\| 16KiB \\| [1-6] \\| [0-9]+ \\| [0-9]+ \\| 1.000 "
    degrees --kernel vecadd --l1 16KiB --quiet --tables --saw --markdown)
lab(2 "--size: big not in" degrees --kernel vecadd --size big)
lab(2 "--most: Value 9 not in range" degrees --kernel vecadd --most 9)

# Perfect caches as OWL has them, and other policies by name.
lab(0 "preset +preset .*perfect +xor\\+srrip\\+write_through .*yes" run --kernel gather --scheduler lrr --l1 preset,perfect
    --l2 preset,xor+srrip+write_through --json caches.json)
file(READ ${WORK_DIR}/caches.json json)
string(JSON misses GET "${json}" runs 2 counters l1d.misses)
string(JSON fetches GET "${json}" runs 2 counters l1d.fetches)
string(JSON cycles GET "${json}" runs 0 counters cycles)
string(JSON perfect GET "${json}" runs 2 counters cycles)
if(NOT (misses EQUAL 0 AND fetches EQUAL 0 AND perfect LESS cycles))
    message(SEND_ERROR "a perfect L1: ${misses} misses, ${fetches} fetches, ${perfect} cycles; without ${cycles}")
endif()
lab(0 "lrr, L1 perfect, L2 xor\\+srrip\\+write_through +[0-9]" compare caches.json)
lab(0 "yes" run --kernel gather --scheduler lrr --l2 perfect --json caches.json)
file(READ ${WORK_DIR}/caches.json json)
string(JSON reads GET "${json}" runs 0 counters dram.reads)
if(NOT reads EQUAL 0)
    message(SEND_ERROR "a perfect L2: ${reads} DRAM reads")
endif()
lab(2 "l1d: there is no 'srip'; there are .*srrip.*lazy_fetch.*, perfect" run --kernel vecadd --l1 srip)
lab(2 "l1d: cache: fetch_on_write does not go with write_through.*choose no_allocate or lazy_fetch" run --kernel vecadd
    --l1 write_through+fetch_on_write)
lab(0 "l1d +cache<.*, but streaming\\+write_through" show gtx480 --set l1d_variant=streaming+write_through)
lab(2 "l2: cache: sets = 48 does not suit IPOLY.*legal value is 64" run --kernel vecadd --l2 ipoly --set l2.size=48KiB)

# Blocks dispatched in other ways: by name, with parameters, in all combinations.
lab(0 "bcs +static_limit:2.*bcs +lcs.*locality_aware_dispatch:window=8 +lcs" run --kernel vecadd --scheduler gto
    --dispatch bcs,locality_aware_dispatch:window=8 --occupancy static_limit:2,lcs --json ways.json)
lab(0 "gtx480, fr_fcfs, bcs, static_limit:2: IPC" compare ways.json --baseline gto)
lab(0 "the same 4 runs" compare ways.json ways.json)
lab(0 "note: spmv under locality_aware_dispatch: accesses of this kernel that are not predictable do not count" run
    --kernel spmv --param spmv.rows=256 --scheduler gto --dispatch locality_aware_dispatch --quiet)
lab(2 "no choice of block 'bc' \\(did you mean bcs\\?\\)" run --dispatch bc)
lab(2 "bcs has no parameter 'block' \\(did you mean blocks\\?\\)" run --dispatch bcs:block=3)
lab(2 "no occupancy limit 'dyn'" run --occupancy dyn)
lab(2 "dyncta window: 'x' is not a number" run --occupancy dyncta:window=x)

# Every policy's parameters by name: at their standard values nothing changes, at others it does, and the results say which.
lab(0 "two_level[ \n]+group +8 +1 to 64 +warp slots of a group.*dyncta.*new_car[ \n]+entries +32 +1 to 64" list parameters)
lab(0 "replay_queue +what becomes of requests.*none +lsu/replay_policy.hpp" list seats)
lab(0 "vecadd +two_level .*vecadd +two_level:group=8 .*vecadd +two_level:2 " run --kernel vecadd --json groups.json
    --scheduler two_level,two_level:group=8,two_level:2)
file(READ ${WORK_DIR}/groups.json json)
foreach(i RANGE 2)
    string(JSON fingerprint_${i} GET "${json}" runs ${i} fingerprint)
endforeach()
if(NOT fingerprint_0 STREQUAL fingerprint_1 OR fingerprint_0 STREQUAL fingerprint_2)
    message(SEND_ERROR "two_level, two_level:group=8 and two_level:2: ${fingerprint_0} ${fingerprint_1} ${fingerprint_2}")
endif()
lab(0 "two_level:2" compare groups.json --baseline two_level:group=8 --scheduler two_level:2)
lab(0 "elf +new_car +.*elf +new_car:entries=2 .*elf:points=4:recalculation=exact +new_car:entries=2 " run --kernel gather
    --scheduler elf,elf:points=4:recalculation=exact --replay new_car,new_car:entries=2)
lab(0 "mrpb:8.*lcs:round_down=1|lcs:round_down=1" run --kernel vecadd --scheduler gto --use replay_queue=mrpb:8,none
    --use occupancy_limit=lcs:round_down=1,no_limit)
lab(0 "vecadd +two_level:4 .*vecadd +elf:points=4 " fork --kernel vecadd --warm-up 30% --scheduler two_level:4,elf:points=4)
lab(0 "under two_level:4: [0-9]+ events" record vecadd --scheduler two_level:4 --output groups.log)
lab(0 "two_level:4 +[0-9,]+ +[0-9,]+ +100.00.*two_level:group=2 .*two_level:4 picked warp [0-9]+, two_level:group=2 would pick"
    replay groups.log --scheduler two_level:4,two_level:group=2)
lab(0 "mrpb:4" fork --kernel vecadd --warm-up 30% --scheduler gto,lrr --use replay_queue=mrpb:4 --csv -)
lab(2 "lab fork: this lab was compiled for it without the DRAM scheduler fcfs" fork --kernel vecadd --warm-up 30% --use dram_scheduler=fcfs)
lab(2 "two_level group = 65: give 1 to 64" run --scheduler two_level:65)
lab(2 "elf has no parameter 'point' \\(did you mean points\\?\\)" run --scheduler elf:point=3)
lab(2 "gto has no parameter '3'; it takes none" replay vecadd.log --scheduler gto:3)
lab(2 "car entries = 65: give 1 to 64" run --replay car:65)
lab(2 "no seat 'replay_queu' \\(did you mean replay_queue\\?\\)" run --use replay_queu=car)
lab(2 "write seat=policy" run --use car)
lab(2 "no other policy in that seat" run --use page_policy=closed_page)

# Parameters of policies that a machine is compiled with.
lab(0 "srrip +[0-9].*srrip:bits=2 +[0-9].*srrip:bits=1\\+xor +[0-9]" run --kernel gather --scheduler lrr
    --l1 srrip,srrip:bits=2,srrip:bits=1+xor,srrip+xor --json bits.json)
file(READ ${WORK_DIR}/bits.json json)
foreach(i RANGE 3)
    string(JSON bits${i} GET "${json}" runs ${i} fingerprint)
endforeach()
if(NOT bits0 STREQUAL bits1 OR bits2 STREQUAL bits3)
    message(SEND_ERROR "srrip:bits=2 is ${bits1}, srrip ${bits0}; srrip:bits=1+xor is ${bits2}, srrip+xor ${bits3}")
endif()
lab(2 "no parameter 'bit' \\(did you mean bits\\?\\)" run --kernel gather --l1 srrip:bit=1)
lab(2 "page_policy: preset has no parameter '1'; it takes none" run --kernel vecadd --use page_policy=preset:1)
lab(2 "no parameter 'cap'; it takes none" run --kernel vecadd --dram fr_fcfs:cap=4)

# What block scheduling goes by.
lab(0 "hotspot +2 +200 +3 +3 +0 +0 +exact.*pathfinder +2 +70 +3 +3 +0 +0 +exact.*lud_perimeter +5 +15 +63 +63 +0 +0 +exact" addresses
    --kernel hotspot,pathfinder,lud)
lab(0 "vecadd +[0-9]+ +load +affine +320 +8\\.0 +8\\.0 +exact" addresses --kernel vecadd --detail)
lab(0 "transpose_naive .*\\|" sharing --kernel transpose_naive --markdown)
lab(0 "Lines that two blocks of hotspot both touch, 100 blocks" sharing --kernel hotspot --picture hotspot.svg)
file(READ ${WORK_DIR}/hotspot.svg picture)
if(NOT picture MATCHES "^<svg .*</svg>\n$")
    message(SEND_ERROR "hotspot.svg is no picture")
endif()
lab(0 "hotspot" sharing --kernel hotspot --picture hotspot.pgm)
file(READ ${WORK_DIR}/hotspot.pgm picture LIMIT 10)
if(NOT picture MATCHES "^P2\n100 100")
    message(SEND_ERROR "hotspot.pgm is no picture")
endif()
lab(2 "must end in .svg or .pgm" sharing --kernel hotspot --picture hotspot.png)

# What cannot be is refused in one line.
lab(2 "no kernel 'vecad'.*did you mean" run --kernel vecad)
lab(2 "no scheduler 'gti' \\(did you mean gto\\?\\)" run --scheduler gti)
lab(2 "no preset 'gtx48'" run --preset gtx48)
lab(2 "no DRAM scheduler 'fifo'" run --dram fifo)
lab(2 "no replay queue 'newcar' \\(did you mean new_car\\?\\)" run --replay newcar)
lab(2 "no view 'oml' \\(did you mean owl" run --view oml)
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
lab(1 "vecadd under lrr on gtx480: .*warp [0-9]+ has been between vecadd.ptx:[0-9]+ and .*raise --stream-limit, 64 bytes"
    run --kernel vecadd --scheduler lrr --stream-limit 64 --quiet)

# Recorded, and replayed: a scheduler agrees with itself, and where another one parts is said.
lab(0 "vecadd.log: vecadd on gtx480, core 2, under gto: [0-9]+ events" record vecadd --core 2 --output vecadd.log)
lab(0 "gto +[0-9,]+ +[0-9,]+ +100.00.*core 2, scheduler [01]: gto picked warp [0-9]+, lrr would pick warp [0-9]+; candidates"
    replay vecadd.log --scheduler lrr,gto)
lab(2 "core 99: gtx480 has cores 0 to 14" record vecadd --core 99 --output x.log)
lab(2 "vecadd.ptx: this is no event log" replay ${PTX})
lab(2 "cannot read none.log" replay none.log)
lab(2 "no scheduler 'lr'" replay vecadd.log --scheduler lr)

# Traces: what is written runs as the kernel itself does, to the last counter; compressed too. -DKERNELS: all of these.
if(NOT KERNELS)
    set(KERNELS vecadd histogram)
endif()
foreach(kernel IN LISTS KERNELS)
    lab(0 "kernelslist.g: [0-9]+ kernels, [0-9,]+ warp instructions" trace ${kernel} --output traces/${kernel})
    lab(0 "^$" run --kernel ${kernel} --scheduler gto --json direct.json --quiet)
    lab(0 "^$" run --trace traces/${kernel}/kernelslist.g --scheduler gto --json traced.json --quiet)
    foreach(file IN ITEMS direct traced)
        file(READ ${WORK_DIR}/${file}.json json)
        string(JSON ${file} GET "${json}" runs 0 fingerprint)
    endforeach()
    if(NOT direct STREQUAL traced)
        message(SEND_ERROR "${kernel} and its trace part: fingerprints ${direct} and ${traced}")
    endif()
    if(NOT kernel STREQUAL vecadd)
        file(REMOVE_RECURSE ${WORK_DIR}/traces/${kernel})
    endif()
endforeach()
lab(0 "vecadd +lrr .*vecadd +lrr " run --scheduler lrr --trace traces/vecadd/kernelslist.g,traces/vecadd/kernel-1.traceg)
foreach(compression IN ITEMS xz gzip zstd)
    execute_process(
        COMMAND ${LAB} trace vecadd --param vecadd.n=4096 --output packed --compress ${compression}
        WORKING_DIRECTORY ${WORK_DIR}
        RESULT_VARIABLE result
        OUTPUT_QUIET
        ERROR_VARIABLE errors)
    if(result EQUAL 0)
        lab(0 "packed +gto " run --scheduler gto --trace packed/kernelslist.g)
    elseif(NOT errors MATCHES "was built without the library for it; install lib|install zlib1g-dev")
        message(SEND_ERROR "lab trace --compress ${compression}: ${errors}")
    endif()
endforeach()
# Without our own lines it is a trace like any other: with the PCs of hardware, and perhaps opcodes that nobody knows.
lab(0 "1 kernels" trace vecadd --param vecadd.n=512 --output plain --isa volta)
file(READ ${WORK_DIR}/plain/kernel-1.traceg text)
string(REGEX REPLACE "-warpkit [^\n]*\n" "" text "${text}")
string(REGEX REPLACE " IMUL " " FROB.X " text "${text}")
file(WRITE ${WORK_DIR}/plain/kernel-1.traceg "${text}")
lab(0 "core\\.instruction_bytes = 16.*plain/kernelslist.g: unknown opcodes run as class other: FROB \\(16 times\\)"
    run --scheduler gto --trace plain/kernelslist.g)
file(READ ${WORK_DIR}/traces/vecadd/kernel-1.traceg text LIMIT 20000)
file(WRITE ${WORK_DIR}/cut/kernel-1.traceg "${text}")
file(WRITE ${WORK_DIR}/cut/kernelslist.g "MemcpyHtoD,0x1000,64\nkernel-1.traceg\n")
lab(2 "cut/kernel-1\\.traceg:[0-9]+: " run --trace cut/kernelslist.g)
file(WRITE ${WORK_DIR}/cut/kernelslist.g "kernel-2.traceg\n")
lab(2 "cut/kernelslist\\.g:1: there is no file " run --trace cut/kernelslist.g)
lab(2 "cannot read nowhere\\.g" run --trace nowhere.g)
lab(2 "excludes" run --trace cut/kernelslist.g --kernel vecadd)
lab(2 "name a kernel" trace --output traces)
lab(0 "Examples:" trace --help)
