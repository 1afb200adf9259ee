# Sweeps in shards: as commands, as ranks of MPI, as tasks of Slurm. Whatever ends a worker, what it finished stays and is
# not run again, and what is merged is what one process makes, to the last bit.
# cmake -DLAB=... -DWORK_DIR=... -P test_cluster.cmake
cmake_minimum_required(VERSION 3.25)
set(limit 600)
include(${CMAKE_CURRENT_LIST_DIR}/test_support.cmake)

execute_process(COMMAND ${LAB} results probe.db WORKING_DIRECTORY ${WORK_DIR} ERROR_VARIABLE probe)
if(probe MATCHES "built without SQLite")
    message("skipped: no SQLite")
    return()
endif()

# 72 points of two programs, and what one process makes of them.
set(plan "--kernel bfs,spmv --scheduler lrr,gto,two_level --set l1d.size=16KiB,32KiB,48KiB --set l2.ways=8,4 --set core.count=15,8")
shell(0 "72 points: 0 were there, 72 run here" "$LAB sweep ${plan} --quiet --db whole.db")
# same(<database>): nothing is shown if it has the same content.
macro(same database)
    shell(0 "^$" "for d in whole ${database}; do $LAB results $d.db --digest | cut -d' ' -f1 > $d.digest; done; diff whole.digest ${database}.digest")
endmacro()
shell(0 "^[0-9a-f]+  whole.db\n$" "$LAB results whole.db --digest")
# A digest is of content: another point, or a point less, is another.
shell(0 "^3\n$" "$LAB sweep --kernel vecadd --param vecadd.n=512 --db few.db --quiet > out; cp few.db one.db
    $LAB sweep --kernel vecadd --param vecadd.n=544 --scheduler lrr --db few.db --quiet > out; $LAB results whole.db few.db one.db --digest | cut -d' ' -f1 | sort -u | wc -l")

# ---- commands

shell(0 "^5 72 72 12 15\n$" "$LAB sweep ${plan} --db c.db --commands --shards 5 > commands 2> said
    for f in c.db.shards/1/*.points; do grep -vc '#' $f; done | sort -n > sizes
    echo $(wc -l < commands) $(cat c.db.shards/1/*.points | grep -v '#' | wc -l) $(cat c.db.shards/1/*.points | grep -v '#' | sort -u | wc -l) $(head -n1 sizes) $(tail -n1 sizes)")
shell(0 "72 of 72 points missing, in 5 shards in c.db.shards/1;.*lab merge c.db.shards/1 --db c.db" "cat said")
shell(0 "^$" "test ! -e c.db-wal; test -z \"$($LAB results c.db 2> /dev/null)\"")
# Killed in the middle, the shard goes on from what it has.
shell(0 "goes on with [0-9]+ of ([0-9]+)\n$" "setsid bash -c \"$(sed -n 3p commands)\" > /dev/null 2>&1 & p=$!
    for i in $(seq 300); do sleep 0.1; [ $(stat -c %s c.db.shards/1/2.db-wal 2> /dev/null || echo 0) -gt 300000 ] && break; done
    kill -9 -- -$p; wait $p 2> /dev/null
    had=$($LAB merge c.db.shards/1/2.db --db peek.db | grep -o '^[0-9]*')
    bash -c \"$(sed -n 3p commands)\" > out && grep -q \": $had were there\" out && echo goes on with $had of $(grep -o '^[0-9]*' out)")
# What is not there yet is said.
shell(1 "[0-9]+ runs added, 0 were there; from 1 database.*[1-9][0-9]* points are still missing, of c.db.shards/1/0.points .[0-9]+. and 3 more shards" "$LAB merge c.db.shards/1 --db c.db 2>&1")
find_program(parallel parallel)
if(parallel)
    shell(0 "" "${parallel} -j2 < commands")
else()
    shell(0 "" "sh -e commands")
endif()
shell(0 "[0-9]+ runs added, 1[45] were there; from 5 databases" "$LAB merge c.db.shards/1 --db c.db")
shell(0 "^0 runs added, 72 were there" "$LAB merge c.db.shards/1 --db c.db")
same(c)
shell(0 "0 of 72 points missing" "$LAB sweep ${plan} --db c.db --commands 2>&1")
# What shards have left counts for a sweep of one process, too.
shell(0 "runs of earlier shards taken over.*72 points: [1-9][0-9]* were there, [1-9][0-9]* run here" "$LAB sweep ${plan} --db d.db --commands --shards 6 2> /dev/null | head -n2 > two && sh -e two > out && $LAB sweep ${plan} --db d.db --quiet 2>&1")
same(d)
# Shards are cut by what points took before: dear ones are few in one. (By far, so that a busy host changes nothing.)
shell(0 "expected are [0-9.]+ s of one core, [0-9.]+ s the longest shard" "$LAB sweep --kernel spmv,vecadd --param vecadd.n=512 --set l1d.size=16KiB,24KiB,32KiB,40KiB,48KiB,64KiB --scheduler lrr --db k.db --quiet > out
    $LAB sweep --kernel spmv,vecadd --param vecadd.n=512 --set l1d.size=16KiB,24KiB,32KiB,40KiB,48KiB,64KiB --scheduler gto --db k.db --commands --shards 4 2>&1 > commands2")
shell(0 "^dear are fewer\n$" "cd k.db.shards/1; first=$(grep -vc '#' 0.points); last=$(grep -vc '#' 3.points)
    [ $first != $last ] && echo dear are fewer")
# Databases of whatever origin are merged alike.
shell(0 "75 runs\n$" "$LAB merge whole.db few.db --db all.db && $LAB results all.db --rows kernel --csv - | awk -F, 'NR > 1 { n += $5 } END { print n \" runs\" }'")

refused("no list of points" "$LAB sweep ${plan} --points whole.digest --db x.db")
refused("0.points: 1[45] of its 1[45] points are not in this plan, which has changed" "$LAB sweep --kernel vecadd --points c.db.shards/1/0.points --db x.db")
refused("of version 0.0.0.old, and this lab" "sed 's/version .*/version 0.0.0+old/' c.db.shards/1/0.points > old.points; $LAB sweep ${plan} --points old.points --db x.db")
refused("give one of them" "$LAB sweep ${plan} --commands --mpi --db x.db")
refused("no launcher" "env -u SLURM_PROCID $LAB sweep ${plan} --mpi --db x.db")
refused("there is no such database" "$LAB merge nosuch.db --db x.db")
refused("has no shards" "$LAB merge . --db x.db")
refused("is what the others are to be merged into" "$LAB merge whole.db --db whole.db")
refused("sbatch is not there" "PATH=/nowhere:/bin:/usr/bin; d=$(mktemp -d); for p in bash sh; do ln -s $(command -v $p) $d; done; PATH=$d $LAB sweep ${plan} --slurm --db x.db")

# ---- ranks

find_program(mpirun mpirun)
if(mpirun)
    set(launch "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ${mpirun} --oversubscribe -n 4 $LAB sweep ${plan} --mpi")
    shell(0 "72 points: 0 were there, 72 run by 4 ranks; r.db" "${launch} --db r.db")
    same(r)
    shell(0 "72 points: 72 were there, 0 run by 0 ranks" "${launch} --db r.db")
    # A rank is killed, and the launcher ends the others: the next start has what all of them finished.
    shell(0 "goes on with [1-9][0-9]*\n$" "env ${launch} --db m.db > killed 2>&1 & p=$!
        for i in $(seq 300); do sleep 0.1; [ $(cat m.db.shards/*/*.db-wal 2> /dev/null | wc -c) -gt 900000 ] && break; done
        kill -9 $(pgrep -P $p | sed -n 3p); wait $p && exit 9
        had=$($LAB merge m.db.shards/* --db peek2.db 2> /dev/null | grep -o '^[0-9]*')
        env ${launch} --db m.db > out 2>&1 || { cat out; exit 8; }
        grep -q \"72 points: $had were there, $((72 - had)) run by\" out && echo goes on with $had || cat out")
    same(m)
else()
    message("skipped: no mpirun (Debian and Ubuntu: openmpi-bin)")
endif()
# Other launchers are known by their variables: a rank of one is all of them.
foreach(variables IN ITEMS "PMI_RANK=0 PMI_SIZE=1 PMI_PORT=here:1" "SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_JOB_ID=7 SLURM_STEP_ID=0"
                           "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 PMIX_NAMESPACE=9")
    shell(0 "2 points: 0 were there, 2 run by 1 rank; v.db" "rm -rf v.db*; ${variables} $LAB sweep --kernel vecadd --param vecadd.n=512 --mpi --db v.db")
endforeach()
refused("give each one of its own: --start" "PMI_RANK=0 PMI_SIZE=1 $LAB sweep --kernel vecadd --mpi --db w.db")
shell(0 "2 run by 1 rank" "PMI_RANK=0 PMI_SIZE=1 $LAB sweep --kernel vecadd --param vecadd.n=512 --mpi --db w.db --start first")
refused("there has been a start of this name" "PMI_RANK=0 PMI_SIZE=1 $LAB sweep --kernel vecadd --mpi --db w.db --start first")

# ---- Slurm, of one node

execute_process(COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/one_node_slurm.sh start ${WORK_DIR}/slurm RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(status EQUAL 77)
    message("${said}")
    return()
elseif(NOT status EQUAL 0)
    message(SEND_ERROR "no Slurm: ${said}")
    return()
endif()
# Slurm starts what is put back two minutes later, unless it is told not to wait.
file(WRITE ${WORK_DIR}/until_done.sh [[
for i in $(seq 3000); do
    queue=$(squeue -h -r -o "%i %r")
    [ -z "$queue" ] && exit 0
    echo "$queue" | awk '$2 == "BeginTime" { print $1 }' | while read -r job; do scontrol update JobId=$job StartTime=now; done
    sleep 0.2
done
squeue
exit 1
]])
shell(0 "72 points missing, in 4 shards.*job 1, tasks 0-3, and job 2 that merges them into s.db" "source slurm/environment; $LAB sweep ${plan} --db s.db --slurm --shards 4 --sbatch=--time=10 2>&1")
# One worker is killed, one is told to end and is put back, and the node is set down under the rest, which are put back.
shell(0 "ended" "source slurm/environment
    for i in $(seq 300); do sleep 0.1; [ $(cat s.db.shards/1/*.db-wal 2> /dev/null | wc -c) -gt 900000 ] && break; done
    kill -9 $(pgrep -f 's.db.shards/1/[2].db' | head -n1); scancel --signal=TERM --batch 1_1
    sleep 1; scontrol update nodename=$(hostname -s) state=down reason=test; sleep 1; scontrol update nodename=$(hostname -s) state=resume
    bash until_done.sh && echo ended")
shell(0 "" "cat s.db.shards/1/merge.log")
# What the killed one had not done is what a second submission does.
shell(0 "72 points: 72 were there" "source slurm/environment; $LAB sweep ${plan} --db s.db --slurm --shards 2 && bash until_done.sh && $LAB sweep ${plan} --db s.db --quiet || cat s.db.shards/*/*.log")
shell(0 "^72 of 72\n$" "had=$($LAB merge s.db.shards/1 --db peek3.db 2> /dev/null | grep -o '^[0-9]*')
    echo $((had + $(cat s.db.shards/2/*.points | grep -vc '#'))) of 72")
same(s)
# Others under srun.
shell(0 "72 points: 0 were there, 72 run by 3 ranks" "source slurm/environment; srun -n 3 --overcommit $LAB sweep ${plan} --mpi --db u.db")
same(u)
execute_process(COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/one_node_slurm.sh stop ${WORK_DIR}/slurm)
