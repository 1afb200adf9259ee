# Runs that are killed and go on: the same counters, whenever it was; and files that are refused.
# cmake -DLAB=... -DWORK_DIR=... -P test_checkpoint.cmake
cmake_minimum_required(VERSION 3.25)
set(limit 300)
include(${CMAKE_CURRENT_LIST_DIR}/test_support.cmake)

set(bfs run --kernel bfs --param bfs.nodes=8192 --scheduler gto --preset gtx480 -q)
lab(0 "^$" ${bfs} --json whole.json)
function(is_whole file)
    lab(0 "the same 1 run" compare whole.json ${file})
endfunction()

# Checkpoints change nothing, nor does going on from the last one, with other threads, too, or from a file that is not
# there yet.
lab(0 "^$" ${bfs} --checkpoint bfs.checkpoint --checkpoint-every 3000 --json kept.json)
is_whole(kept.json)
if(NOT EXISTS ${WORK_DIR}/bfs.checkpoint OR EXISTS ${WORK_DIR}/bfs.checkpoint.part)
    message(SEND_ERROR "no checkpoint, or a part of one")
endif()
lab(0 "^$" ${bfs} --checkpoint bfs.checkpoint --resume --threads 2 --json resumed.json)
is_whole(resumed.json)
list(REMOVE_ITEM bfs -q)
lab(0 "goes on from bfs.checkpoint: launch [0-9]+ .bfs[a-z_]+., cycle [0-9,]+\n" ${bfs} --checkpoint bfs.checkpoint
    --resume)
lab(0 "new.checkpoint is not there yet: the run begins\n" ${bfs} --checkpoint new.checkpoint --resume --checkpoint-every 1h)
list(APPEND bfs -q)
# Where blocks go out in another order than that of their numbers.
set(hilbert run --kernel sgemm_tiled --scheduler lrr --preset gtx480 -q --dispatch hilbert_dispatch)
lab(0 "^$" ${hilbert} --json one.json --checkpoint order.checkpoint --checkpoint-every 1000)
lab(0 "^$" ${hilbert} --json two.json --checkpoint order.checkpoint --resume)
lab(0 "the same 1 run" compare one.json two.json)

# Killed again and again, with a checkpoint as often as there can be one, and then left alone.
string(JOIN " " line "$LAB" ${bfs} "--checkpoint killed.checkpoint --checkpoint-every 0s --resume --json killed.json")
shell(0 "^$" "for t in 0.05 0.11 0.23 0.08 0.17 0.31; do
    ${line} & pid=$!
    sleep $t
    { kill -9 $pid && wait $pid; } 2>/dev/null
done
${line}")
is_whole(killed.json)

# What is not of this run, or not whole. (Seven bytes in the middle are changed, so that they are others.)
set(go_on --checkpoint bfs.checkpoint --resume)
function(refused_file expected)
    lab(1 "cannot go on from [a-z]+.checkpoint: ${expected}" ${ARGN} -q --resume)
endfunction()
refused_file("it is of another run: scheduler is gto there and lrr here" run --kernel bfs --param bfs.nodes=8192
    --scheduler lrr --preset gtx480 --checkpoint bfs.checkpoint)
refused_file("it is of another run: [a-z.]*nodes is 8192 there and 4096 here" run --kernel bfs --param bfs.nodes=4096
    --scheduler gto --preset gtx480 --checkpoint bfs.checkpoint)
refused_file("it is of another run: l1d.size is 16384 there and 49152 here" ${bfs} --set l1d.size=48KiB --checkpoint
    bfs.checkpoint)
refused_file("it is of another run: kernel is bfs there and vecadd here" run --kernel vecadd --scheduler gto --preset
    gtx480 --checkpoint bfs.checkpoint)
shell(0 "" "head -c 20000 bfs.checkpoint > cut.checkpoint; cp bfs.checkpoint damaged.checkpoint; echo no > none.checkpoint
: > empty.checkpoint; printf 'CHANGED' | dd of=damaged.checkpoint bs=1 seek=30000 conv=notrunc status=none")
foreach(file IN ITEMS cut damaged)
    refused_file("it is damaged, or cut short; start without --resume" ${bfs} --checkpoint ${file}.checkpoint)
endforeach()
foreach(file IN ITEMS none empty)
    refused_file("it is no checkpoint" ${bfs} --checkpoint ${file}.checkpoint)
endforeach()

# What does not go with it.
lab(2 "--resume: name the file to go on from" ${bfs} --resume)
lab(2 "--checkpoint-every: give --checkpoint a file, too" ${bfs} --checkpoint-every 5s)
lab(2 "--checkpoint-every: .soon. is not a number" ${bfs} --checkpoint x.checkpoint --checkpoint-every soon)
lab(2 "--checkpoint: it is of one run, and this is 2" run --kernel bfs,vecadd --scheduler gto --preset gtx480 -q
    --checkpoint x.checkpoint)
lab(2 "does not hold what --sample keeps" ${bfs} --sample --checkpoint x.checkpoint)
lab(2 "does not hold what --intervals keeps" ${bfs} --intervals 100 --json x.json --checkpoint x.checkpoint)
lab(2 "set core.kernels=1" ${bfs} --set core.kernels=4 --checkpoint x.checkpoint)
lab(2 "leave --engine reference out" ${bfs} --engine reference --checkpoint x.checkpoint)
lab(2 "it is no file" ${bfs} --checkpoint /dev/null)
