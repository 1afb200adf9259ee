# Sweeps and their database as their users meet them: what is finished stays, whatever ends a process.
# cmake -DLAB=... -DWORK_DIR=... -P test_sweep.cmake
cmake_minimum_required(VERSION 3.25)
set(limit 300)
include(${CMAKE_CURRENT_LIST_DIR}/test_support.cmake)

execute_process(COMMAND ${LAB} results probe.db WORKING_DIRECTORY ${WORK_DIR} ERROR_VARIABLE probe)
if(probe MATCHES "built without SQLite")
    message("skipped: no SQLite")
    return()
endif()

# A sweep is what lab run does one by one, to the last counter; a second start runs nothing.
set(small "--kernel vecadd,reduction --param vecadd.n=512,1024 --set l1d.size=16KiB,32KiB --quiet")
shell(0 "12 points: 0 were there, 12 run here" "$LAB sweep ${small} --db a.db -j2")
shell(0 "12 points: 12 were there, 0 run here" "$LAB sweep ${small} --db a.db -j2")
shell(0 "^$" "$LAB results a.db --where kernel=vecadd --records a.json > out
    for n in 512 1024; do for s in 16 32; do
        $LAB run --kernel vecadd --param vecadd.n=$n --set l1d.size=\${s}KiB --json - --quiet; done; done > alone.json
    for f in a alone; do grep -o 'fingerprint\": \"[0-9a-f]*' $f.json | sort > $f; done
    [ $(grep -c . a) = 8 ] && diff a alone")
# Order of work and number of threads leave no trace.
shell(0 "^$" "$LAB sweep ${small} --db b.db -j1 > out; $LAB sweep ${small} --no-reuse --db c.db -j3 > out
    for d in a b c; do $LAB results $d.db --csv - --metric ipc,l1d_miss_rate,cycles --columns none > $d.csv; done; diff a.csv b.csv && diff a.csv c.csv")
shell(0 "12 points of 3 programs, 0 left out; 0 missing" "$LAB sweep ${small} --db a.db --dry-run")
shell(0 "16 points of 3 programs, 2 left out; 4 missing"
      "$LAB sweep ${small} --scheduler lrr,gto,two_level --skip 'l1d.size>16KiB scheduler=two_level kernel=vecadd' --db a.db --dry-run")

# A plan says the same.
file(WRITE ${WORK_DIR}/plan.toml "kernel = [\"vecadd\", \"reduction\"]\nset.l1d.size = [\"16KiB\", \"32KiB\"]\n[param]\nvecadd.n = [512, 1024]\n")
shell(0 "12 points: 12 were there" "$LAB sweep plan.toml --db a.db --quiet")
shell(0 "12 points of 3 programs, 0 left out; 6 missing" "$LAB sweep plan.toml --scheduler lrr,two_level --db a.db --dry-run")
file(WRITE ${WORK_DIR}/points.toml "scheduler = 'lrr'\nskip = ['kernel=reduction scheduler=gto']\n"
     "[[point]]\nkernel = 'vecadd'\nparam.vecadd.n = 512\n[[point]]\nkernel = 'reduction'\nscheduler = ['lrr', 'gto']\n")
shell(0 "2 points of 2 programs, 1 left out" "$LAB sweep points.toml --db a.db --dry-run")
shell(0 "3 points of 3 programs" "$LAB sweep --kernel nn --seeds 1,2,3 --scheduler lrr --db a.db --dry-run")

# Traces: known by what is in them, not by where they are.
shell(0 "4 points: 0 were there, 4 run here.*4 points: 4 were there"
      "$LAB trace reduction --output traces > out && $LAB sweep --trace traces/kernelslist.g --set l1d.size=16KiB,32KiB --db t.db --quiet -j2 &&
       mkdir elsewhere && mv traces elsewhere && $LAB sweep --trace elsewhere/traces/kernelslist.g --set l1d.size=16KiB,32KiB --db t.db --quiet")
# What their copies do is a field of a sweep like another; the default is the same point, said or not.
file(WRITE ${WORK_DIR}/copies.toml "trace = 'elsewhere/traces/kernelslist.g'\ncopies = ['none', 'accel-sim']\nset.l1d.size = ['16KiB', '32KiB']\n")
shell(0 "8 points: 4 were there, 4 run here" "$LAB sweep copies.toml --db t.db --quiet")
shell(0 "12 points of 3 programs, 0 left out; 4 missing" "$LAB sweep copies.toml --copies all --db t.db --dry-run")
shell(0 "none" "$LAB results t.db --rows copies")
refused("--copies: only traces" "$LAB sweep --kernel vecadd --copies none --db none.db")
refused("copies.*nine.*did you mean none" "$LAB run --trace elsewhere/traces/kernelslist.g --copies nine")

# Programs in files: PTX in place of a kernel's own, and launch files. What is in them is part of a point; their name tells
# results apart.
file(COPY ${PTX} DESTINATION ${WORK_DIR})
file(WRITE ${WORK_DIR}/add.json "{\"ptx\": \"vecadd.ptx\", \"grid\": 2, \"block\": 128, \"buffers\": {
    \"x\": {\"type\": \"s32\", \"count\": 256, \"fill\": \"iota\"}, \"y\": {\"type\": \"s32\", \"count\": 256, \"fill\": {\"file\": \"y.bin\"}},
    \"z\": {\"type\": \"s32\", \"count\": 256}}, \"arguments\": [{\"buffer\": \"x\"}, {\"buffer\": \"y\"}, {\"buffer\": \"z\"}, {\"u32\": 256}],
    \"outputs\": [{\"buffer\": \"z\", \"file\": \"z.bin\"}]}")
shell(0 "^$" "head -c 1024 /dev/zero > y.bin; sed 's/\"iota\"/{\"value\": 3}/' add.json > other.json; { cat vecadd.ptx; echo '// another text'; } > other.ptx")
set(own "--kernel vecadd --param vecadd.n=512 --ptx vecadd.ptx,other.ptx --set l1d.size=16KiB,32KiB --db f.db --quiet")
shell(0 "8 points: 0 were there, 8 run here.*8 points: 8 were there" "$LAB sweep ${own} && $LAB sweep ${own}")
set(launched "--launch add.json,other.json --set l1d.size=16KiB,32KiB --db f.db --quiet")
shell(0 "8 points: 0 were there, 8 run here.*8 points: 8 were there" "$LAB sweep ${launched} && $LAB sweep ${launched}")
shell(0 "^$" "test ! -e z.bin") # a sweep leaves nothing but its database
shell(0 "other\\.ptx .*vecadd\\.ptx |vecadd\\.ptx .*other\\.ptx " "$LAB results f.db --where n=512 --rows ptx")
shell(0 "add\\.json .*other\\.json |other\\.json .*add\\.json " "$LAB results f.db --rows launch")
shell(0 "^$" "$LAB results f.db --where 'ptx=vecadd.ptx l1d.size=16KiB' --records swept.json > out
    $LAB run --kernel vecadd --param vecadd.n=512 --ptx vecadd.ptx --set l1d.size=16KiB --json alone.json -q
    for f in swept alone; do grep -o 'fingerprint\": \"[0-9a-f]*' $f.json | sort > $f; done; [ $(grep -c . alone) = 2 ] && diff swept alone")
shell(0 "vecadd +gto .*vecadd\\.ptx.*vecadd +gto .*other\\.ptx" "$LAB run --kernel vecadd --param vecadd.n=512 --ptx vecadd.ptx,other.ptx --scheduler gto -q")
file(WRITE ${WORK_DIR}/files.toml "scheduler = ['lrr', 'gto']\nset.l1d.size = ['16KiB', '32KiB']\n[[point]]\nlaunch = ['add.json', 'other.json']\n"
     "[[point]]\nkernel = 'vecadd'\nptx = ['vecadd.ptx', 'other.ptx']\nparam.vecadd.n = 512\n[[point]]\nkernel = 'vecadd'\nparam.vecadd.n = 512\n")
shell(0 "20 points of 5 programs, 0 left out; 4 missing in f\\.db" "$LAB sweep files.toml --db f.db --dry-run")
# Elsewhere they are the same; what a file was while its results were made is not mixed with what it is now, and a file
# that has gone is missed: nothing is run or lost then.
shell(0 "8 points: 8 were there" "mkdir moved && cp *.json *.ptx y.bin moved && cd moved && $LAB sweep --launch add.json,other.json --set l1d.size=16KiB,32KiB --db ../f.db --quiet")
refused("--launch add\\.json: it has changed since the results of it in f\\.db were made"
        "cp y.bin y.was; head -c 1024 /dev/urandom > y.bin; $LAB sweep ${launched} --scheduler oldest")
refused("--launch add\\.json: it has changed" "$LAB sweep ${launched} --dry-run; s=$?; $LAB sweep ${launched} --commands; cp y.was y.bin; exit $s")
refused("--ptx other\\.ptx: it has changed" "cp other.ptx other.was; echo '// more' >> other.ptx; $LAB sweep ${own}")
refused("other\\.ptx" "rm other.ptx; $LAB sweep ${own}")
refused("y\\.bin" "cp other.was other.ptx; rm y.bin; $LAB sweep ${launched}")
shell(0 "20 points: 16 were there, 4 run here" "cp y.was y.bin; $LAB sweep files.toml --db f.db --quiet")
refused("two files are called vecadd\\.ptx" "sed 's/$/ /' vecadd.ptx > moved/vecadd.ptx; $LAB sweep --kernel vecadd --ptx vecadd.ptx,moved/vecadd.ptx --db none.db")
refused("--ptx vecadd\\.ptx: say with --kernel which one kernel" "$LAB sweep --kernel vecadd,bfs --ptx vecadd.ptx --db none.db")
refused("--ptx vecadd\\.ptx: say with --kernel which one kernel" "printf 'ptx = \\047vecadd.ptx\\047\\n' > bad.toml; $LAB sweep bad.toml --db none.db")
refused("--launch and --kernel: each says what to run" "printf 'kernel = \\047bfs\\047\\nlaunch = \\047add.json\\047\\n' > bad.toml; $LAB sweep bad.toml --db none.db")
refused("--seeds: launch files have no input" "$LAB sweep --launch add.json --seeds 1,2 --db none.db")
# What a shard runs is the same, or it says what is not.
shell(0 "2 points: 0 were there, 2 run here.*2 points: 0 were there, 2 run here.*4 runs added" "mkdir parts; $LAB sweep --launch add.json --set l1d.size=16KiB,32KiB --db parts/p.db --commands --shards 2 > jobs 2> said
    bash -e jobs && $LAB merge parts/p.db.shards/1 --db parts/p.db || { cat said; exit 1; }" )

# Sampled runs are points of their own, beside those timed whole.
file(WRITE ${WORK_DIR}/sampled.toml "kernel = 'vecadd'\nscheduler = 'gto'\nparam.vecadd.n = 524288\n[[point]]\n[[point]]\nsample = true\n[[point]]\n[point.sample]\ntolerance = 0.1\nstretch = 2\n")
shell(0 "3 points: 0 were there, 3 run here.*3 points: 3 were there" "$LAB sweep sampled.toml --db s.db --quiet && $LAB sweep sampled.toml --db s.db --quiet")
shell(0 "1 point: 1 were there" "$LAB sweep --kernel vecadd --scheduler gto --param vecadd.n=524288 --sample --db s.db --quiet")
shell(0 "sampling .*\non .*\ntolerance=0\\.1 stretch=2 .*\n- " "$LAB results s.db --rows sampling --metric cycles,ipc")
shell(0 "^same\n$" "$LAB results s.db --where sampling=on --metric cycles --columns none --csv - > c; $LAB run --kernel vecadd --scheduler gto --param vecadd.n=524288 --sample --csv run.csv -q
    field() { awk -F, -v name=$1 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) at = i } NR == 2 { print $at }' $2; }
    a=$(field value c); b=$(field sample_cycles run.csv)
    awk -v a=$a -v b=$b 'BEGIN { d = a / b - 1; print (d < 1e-6 && d > -1e-6 ? \"same\" : a \" and \" b) }'")
refused("--metric core\\.warp_instructions: of a sampled run it is of the parts that were timed" "$LAB results s.db --metric core.warp_instructions")
refused("bad\\.toml:1: there is no .tolerence. in sample .did you mean tolerance" "echo 'sample.tolerence = 0.1' > bad.toml; $LAB sweep bad.toml --db none.db")
refused("bad\\.toml:1: sampling: the tolerance is" "echo 'sample.tolerance = 7' > bad.toml; $LAB sweep bad.toml --db none.db")

# Questions.
shell(0 "kernel +n +l1d.size +gto +lrr" "$LAB results a.db")
shell(0 "ipc, divided by that of scheduler=lrr, by scheduler.*geometric mean of 6 .* 1\\.000" "$LAB results a.db --normalise scheduler=lrr")
shell(0 "16 KiB +32 KiB.*1\\.000" "$LAB results a.db --normalise l1d.size=16KiB --columns l1d.size")
shell(0 "kernel,l1d.size,scheduler,metric,normalised_to,runs,value,low_95,high_95.*vecadd,16 KiB,lrr,cycles,,2," "$LAB results a.db --rows kernel,l1d.size --metric cycles --csv -")
shell(0 "\"values\"" "$LAB results a.db --json - --where 'vecadd.n<1024'")
shell(0 "vecadd" "$LAB results a.db --records r.json > out && $LAB compare r.json r.json && $LAB results a.db --where 'kernel=vecadd l1d.size=16KiB n=512' --records one.json && $LAB compare one.json")
refused("--where n=77 fits no result: n is 512, 1024" "$LAB results a.db --where n=77")
refused("--where scheduler=lr fits no result: scheduler is gto, lrr .did you mean lrr" "$LAB results a.db --where 'scheduler=gto|lr'")
refused("--where kernal=vecadd fits no result: none has a kernal .did you mean kernel" "$LAB results a.db --where kernal=vecadd")
refused("kernel is [a-z, ]*vecadd.* .did you mean vecadd" "$LAB results a.db --where kernel=vecad")
refused("--normalise scheduler=lr fits no result: scheduler is gto, lrr .did you mean lrr" "$LAB results a.db --normalise scheduler=lr")
refused("--normalise kernal: no result has it .did you mean kernel" "$LAB results a.db --normalise kernal=vecadd")
refused("--metric ipcc.*did you mean" "$LAB results a.db --metric ipcc")

# Any number of files and queries, side by side.
shell(0 "ipc: the first, and the others divided by it.*vecadd.*geometric mean" "$LAB compare 'a.db?scheduler=lrr l1d.size=16KiB' 'a.db?scheduler=gto l1d.size=16KiB' --metric ipc")
shell(0 "geometric mean +1\\.0000 +1\\.0000\n" "$LAB compare a.json a.json a.json 2>&1 || $LAB compare one.json one.json one.json --metric cycles")
# Runs that differ in numbers are runs of their own, unless that is what is compared; one without a partner counts.
shell(0 "reduction [^\n]* l1d\\.size=16KiB +[^\n]*reduction [^\n]* l1d\\.size=32KiB .*mean" "$LAB compare 'a.db?kernel=reduction scheduler=lrr' 'a.db?kernel=reduction scheduler=gto' --metric ipc | tr '\\n' ' '")
shell(0 "n=512 [^\n]*l1d\\.size=32KiB +[0-9.]+ +1\\.0000 +1\\.0000\n" "$LAB compare a.db a.db a.db")
shell(0 "geometric mean" "$LAB compare 'a.db?l1d.size=16KiB' 'a.db?l1d.size=32KiB' --metric ipc")
shell(0 "^the same 12 runs" "$LAB compare a.db a.db")
shell(1 "l1d\\.size=32KiB: only in a\\.db\n6 of 12 runs are the same, 0 differ, 6 are in one of the two only\n$" "$LAB compare a.db 'a.db?l1d.size=16KiB'")
refused("no metric or counter 'ipcc' \\(did you mean ipc\\?\\)" "$LAB compare one.json one.json --metric ipcc")
shell(0 "^the same 2 runs" "$LAB compare 'one.json?n=512' one.json")

# Pictures and a page.
shell(0 "<svg.*ipc, by kernel and scheduler.*</svg>" "$LAB plot a.db --rows kernel -o bars.svg && cat bars.svg")
shell(0 "class=\"line s0\".*</svg>" "$LAB plot a.db --rows l1d.size -o curves.svg && cat curves.svg")
shell(0 "raw_memory.*% of scheduler cycles.*</svg>" "$LAB plot a.db --rows kernel,scheduler --metric causes -o stalls.svg && cat stalls.svg")
shell(0 "fill-opacity.*>1\\.00<.*</svg>" "$LAB plot a.db --rows kernel --normalise scheduler=lrr --kind heat -o - ")
if(output MATCHES ">1<")
    message(SEND_ERROR "the map has 1 beside 1.00")
endif()
# A cause has its colour, whichever others there are; numbers are to scale; a mean over seeds has its interval.
shell(0 "class=\"f7 again\"[^\n]*\n<text[^>]*>no_cta<.*class=\"f3\"[^\n]*\n<text[^>]*>raw_memory<" "$LAB plot a.db --rows kernel --metric causes -o -")
shell(0 "cx=\"142\".*cx=\"206\".*cx=\"462\"" "$LAB sweep --kernel bfs --param bfs.nodes=512 --scheduler gto,lrr --set l1d.size=8KiB,16KiB,48KiB --seeds 1,2 --db seeds.db -q > out
    $LAB plot seeds.db --rows l1d.size -o -")
shell(0 "bfs, gto: [0-9.]+ \\[[0-9.]+, [0-9.]+\\], 95 %" "$LAB plot seeds.db --rows kernel --where l1d.size=8KiB -o -")
refused("--kind: there is no .pie" "$LAB plot a.db --kind pie")
shell(0 "12 of 12 runs.*records.*</html>" "$LAB report a.db -o report.html && cat report.html")
refused("there is no such database" "$LAB report nosuch.db -o none.html; test ! -e none.html && exit 2")

# The tutorial's sweep, at a smaller size, its first start interrupted.
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../docs/tutorial/sweep.md page)
string(REGEX MATCH "```toml\n([^`]*)```" plan "${page}")
file(WRITE ${WORK_DIR}/tutorial/plan.toml "${CMAKE_MATCH_1}")
string(REGEX MATCHALL "```sh\n[^`]*" blocks "${page}")
list(JOIN blocks "\n" commands)
string(REPLACE "```sh" "" commands "${commands}")
file(WRITE ${WORK_DIR}/tutorial/commands.sh "lab() {
    if [ $1 = sweep ]; then
        shift; set -- sweep \"$@\" --small --skip 'kernel=kmeans|bfs'
        case $* in *--dry-run*) ;; *) timeout -s INT 0.3 \"$LAB\" \"$@\" || true ;; esac
    fi
    \"$LAB\" \"$@\"
}
set -e
${commands}")
shell(0 "12 missing in runs.db.*12 points: 12 were there, 0 run here.*spmv +48 KiB " "cd tutorial; bash commands.sh 2>&1")
foreach(file IN ITEMS sizes.svg stalls.svg report.html)
    if(NOT EXISTS ${WORK_DIR}/tutorial/${file})
        message(SEND_ERROR "the tutorial's commands did not make ${file}")
    endif()
endforeach()

# No answer takes the place of what was asked, nor that of any other database.
shell(0 "^$" "cp a.db kept.db && ln -s a.db link.db")
foreach(what IN ITEMS "results a.db --csv a.db" "results a.db --json ./a.db" "results link.db --records a.db" "plot a.db -o link.db"
                      "report link.db -o a.db" "explain-difference 'a.db?scheduler=gto' 'a.db?scheduler=lrr' --json a.db")
    refused("is also an input" "$LAB ${what}")
endforeach()
refused("--json: cannot write a\\.db: it is a database, which no result replaces" "$LAB run --kernel vecadd --json a.db")
shell(0 "^$" "cmp a.db kept.db")

# Bad plans are refused before a database is made.
refused("bfs.*did you mean|bsf" "$LAB sweep --kernel bsf --db none.db")
file(WRITE ${WORK_DIR}/bad.toml "kernel = ['vecadd']\nkernal = 1\n")
refused("bad\\.toml:2: there is no 'kernal' in a plan.*kernel" "$LAB sweep bad.toml --db none.db")
file(WRITE ${WORK_DIR}/bad.toml "kernel = ['vecadd'\n")
refused("bad\\.toml:[0-9]+:[0-9]+: " "$LAB sweep bad.toml --db none.db")
# Names and values that there are not, where they stand.
foreach(bad IN ITEMS "kernel = 'bsf'|1: there is no kernel 'bsf'. did you mean 'bfs'" "kernel = 3|1: kernel: a name in quotes is wanted.* here is 3"
                     "\\nscheduler = ['lrr',\\n 'gtoo']|3: .*did you mean gto" "preset = 'gtx48'|1: there is no preset 'gtx48'"
                     "set.l1d.sise = '8KiB'|1: there is no number l1d.sise .did you mean l1d.size" "[set]\\nl1d.size = ['8KiB', 'x']|2: l1d.size: 'x'"
                     "param.bfs.nodez = 4|1: there is no parameter 'nodez'" "use.replay_quee = 'mrpb'|1: use: there is no seat"
                     "scheduler = 'lrr'|.* names no kernel, launch file or trace. all kernels are kernel = \"all\""
                     "|.* names no kernel, launch file or trace" "[[point]]\\nkernel = 'bfs'\\n[[point]]| ..point.. 2 names no kernel"
                     "kernel = 'bfs'\\nl1 = 'nothing'| l1d: there is no 'nothing'")
    string(REGEX REPLACE "[|].*" "" plan "${bad}")
    string(REGEX REPLACE "^[^|]*[|]" "" expected "${bad}")
    refused("lab: bad\\.toml:${expected}" "printf '%b' \"${plan}\" > bad.toml; $LAB sweep bad.toml --db none.db")
endforeach()
shell(0 "2 points of 1 program" "$LAB sweep bad.toml --kernel bfs --l1 preset --dry-run")
refused("fits no point" "$LAB sweep --kernel vecadd --skip scheduler=elf --db none.db")
refused("is no condition" "$LAB sweep --kernel vecadd --skip scheduler --db none.db")
refused("--seeds.*traces have no input" "$LAB sweep --trace nosuch.g --seeds 1,2 --db none.db")
refused("vecadd is not among the kernels" "$LAB sweep --kernel reduction --param vecadd.n=1,2 --db none.db")
refused("nosuchplan" "$LAB sweep nosuchplan.toml --db none.db")
if(EXISTS ${WORK_DIR}/none.db)
    message(SEND_ERROR "a refused sweep has made a database")
endif()

# What is no database, cannot be one, or is one of a newer lab.
file(WRITE ${WORK_DIR}/text.db "a text, and long enough to be looked at: it is no database, and stays what it is\n")
refused("text\\.db: is no database of runs" "$LAB sweep ${small} --db text.db")
refused("text\\.db: is no database of runs" "$LAB results text.db")
shell(0 "stays what it is" "cat text.db")
refused("cannot be opened" "$LAB sweep ${small} --db no/folder/a.db")
refused("there is no such database" "$LAB results nosuch.db")
# user_version is the four bytes from 60 on.
refused("newer lab .format 99" "cp a.db newer.db && printf '\\0\\0\\0\\143' | dd of=newer.db bs=1 seek=60 conv=notrunc 2> /dev/null && $LAB sweep ${small} --db newer.db")
refused("newer lab .format 99" "$LAB results newer.db")
refused("newer lab .format 99" "$LAB merge newer.db --db merged.db; s=$?; test ! -e merged.db && exit $s")
refused("has no shards of a sweep" "mkdir -p no_shards; $LAB merge a.db no_shards --db merged.db; s=$?; test ! -e merged.db && exit $s")
shell(0 "vecadd|skipped" "if [ $(id -u) = 0 ]; then echo skipped; else mkdir ro && cp a.db ro && chmod 500 ro && $LAB results ro/a.db; s=$?; chmod 700 ro; exit $s; fi")
# The file may not grow: what is finished is kept, and the rest comes when there is room.
set(many "--kernel vecadd --param vecadd.n=512,544,576,608,640,672,704,736 --set l1d.size=16KiB,32KiB --quiet")
refused("disk full" "ulimit -f 120; trap '' XFSZ; $LAB sweep ${many} --db full.db -j2")
shell(0 "32 points: [1-9][0-9]* were there" "$LAB sweep ${many} --db full.db")
# A disk that is full: a sweep keeps what is finished, and goes on when there is room; what would be read from it is written
# whole or not at all.
file(WRITE ${WORK_DIR}/full_disk.sh [[
mount -t tmpfs -o size=300k none tiny || { echo skipped; exit; }
$LAB sweep $many --db tiny/f.db -j2 2> said
[ $? = 2 ] && [ $(grep -c . said) = 1 ] && grep -q 'lab: tiny/f.db: the disk is full; what was finished before is kept' said || { cat said; exit 1; }
cp tiny/f.db* .
for what in "plot f.db -o tiny/p" "report f.db -o tiny/p" "results f.db --records tiny/p" "results f.db --csv tiny/p" "merge f.db --db tiny/p"; do
    $LAB $what > out 2> said; s=$?
    [ $s = 2 ] && [ $(grep -c . said) = 1 ] || { echo "$what: $s"; cat said; exit 1; }
    if [ -s tiny/p ] && [ "$what" = "${what#merge}" ]; then echo "$what has left a part"; exit 1; fi
done
rm -f tiny/p*
mount -o remount,size=20m tiny && $LAB sweep $many --db tiny/f.db
]])
shell(0 "skipped|32 points: [1-9][0-9]* were there, [1-9][0-9]* run here"
      "mkdir tiny; export many='${many}'; unshare -rm true 2> /dev/null && unshare -rm bash full_disk.sh || { unshare -rm true 2> /dev/null && exit 1; echo skipped; }")
foreach(what IN ITEMS "plot a.db -o" "report a.db -o" "results a.db --csv" "results a.db --json" "results a.db --records")
    refused("cannot write /dev/full: No space left" "$LAB ${what} /dev/full")
endforeach()

# Killed at any time, twice; then two at once: nothing is lost, half-written or done twice.
set(longer "--kernel bfs,spmv --set l1d.size=16KiB,32KiB,48KiB --set l2.ways=8,4 --quiet -j2")
# (Again where a busy host had it end first.)
shell(0 "[1-9][0-9]* missing" "for try in $(seq 9); do
        rm -f killed.db*
        for some in 4 8; do
            $LAB sweep ${longer} --db killed.db > out 2>&1 & p=$!
            while kill -0 $p 2> /dev/null &&
                  [ $($LAB results killed.db --csv - --columns none 2> /dev/null | grep -c ipc) -lt $some ]; do sleep 0.05; done
            kill -9 $p 2> /dev/null; wait $p 2> /dev/null
        done
        $LAB sweep ${longer} --db killed.db --dry-run > left
        grep -q ' [1-9][0-9]* missing' left && break
    done; cat left")
shell(0 "24 points of 2 programs, 0 left out; [1-9][0-9]* missing.*24 points: [1-9][0-9]* were there"
      "$LAB sweep ${longer} --db killed.db --dry-run; $LAB sweep ${longer} --db killed.db")
shell(0 "^$" "$LAB sweep ${longer} --db whole.db > out; for d in killed whole; do $LAB results $d.db --csv - --metric ipc,cycles --columns none > $d.csv; done; diff killed.csv whole.csv")
shell(0 "^24\n$" "($LAB sweep ${longer} --db both.db > one & $LAB sweep ${longer} --db both.db > two; wait)
    cat one two | grep -o '[0-9]* run here' | awk '{ n += $1 } END { print n }'")
shell(0 "^$" "$LAB results both.db --csv - --metric ipc,cycles --columns none | diff - whole.csv")
# SIGTERM, and Ctrl-C likewise, ends with what is finished, and says so.
shell(0 "ended early; [0-9]+ of 24 points are in the database" "for try in $(seq 9); do
        rm -f stopped.db*
        $LAB sweep ${longer} --db stopped.db > out 2>&1 & p=$!
        while kill -0 $p 2> /dev/null &&
              [ $(stat -c %s stopped.db-wal 2> /dev/null || echo 0) -le 40000 ]; do sleep 0.05; done
        kill -TERM $p 2> /dev/null; wait $p; s=$?
        [ $s = 0 ] || break
    done; test $s = 130 && cat out")

# A database that another process is making just now is waited for, not refused.
find_program(python NAMES python3)
if(python)
    file(WRITE ${WORK_DIR}/holds.py [[
import sqlite3, time
held = sqlite3.connect("made.db", isolation_level=None)
held.execute("BEGIN IMMEDIATE")
open("holding", "w").close()
time.sleep(1)
held.execute("ROLLBACK")
]])
    shell(0 "2 points: 0 were there, 2 run here|No module named" "${python} holds.py 2> lacks & p=$!
        while kill -0 $p 2> /dev/null && [ ! -e holding ]; do sleep 0.05; done
        $LAB sweep --kernel vecadd --param vecadd.n=512 --db made.db --quiet; s=$?; cat lacks; wait $p; exit $s")
endif()

# A clock that jumps: a claim of another host that would last longer than its lease was made before the clock was set back,
# and one that has run out before it was set on, or its host is gone. Neither is waited for; one that holds is.
find_program(sqlite3 sqlite3)
if(sqlite3)
    set(claimed "$LAB sweep ${small} --db clock.db -j2 > out; sqlite3 clock.db \"INSERT INTO claims SELECT version, key, 'elsewhere 1 1',")
    set(from "FROM runs LIMIT 3; DELETE FROM runs WHERE key IN (SELECT key FROM claims)\"; $LAB sweep ${small} --db clock.db")
    foreach(expires IN ITEMS 4102444800000 1000)
        shell(0 "12 points: 9 were there, 3 run here" "${claimed} ${expires}, 60000 ${from}")
    endforeach()
    shell(0 "12 points: 9 were there, 3 run here.*waited" "begin=$(date +%s%N); ${claimed} (strftime('%s', 'now') + 2) * 1000, 60000 ${from}
        [ $(($(date +%s%N) - begin)) -gt 1000000000 ] && echo waited")
endif()

# A folder in which nothing may be made: one error for who would write, answers for who reads. As another user where this
# one may do everything.
find_program(setpriv setpriv)
if(setpriv)
    shell(0 "skipped|geometric mean.*cannot be (opened|written)|readonly|read-only"
          "mkdir -p shut && cp a.db shut && chmod 555 shut && chmod 444 shut/a.db
           me=; [ $(id -u) = 0 ] && me='setpriv --reuid 65534 --regid 65534 --clear-groups'
           $me $LAB results shut/a.db 2>&1 || { $me test -r shut/a.db || echo skipped; }; $me $LAB sweep ${small} --db shut/new.db 2>&1; s=$?
           chmod 755 shut; [ $s = 2 ] || { $me test -x $LAB || echo skipped; }")
endif()

# Numbers in their order, whichever came first: in tables, files, pictures and on the page.
shell(0 "^$" "$LAB sweep --kernel vecadd --param vecadd.n=512 --scheduler gto --set l1d.size=16KiB,8KiB,32KiB --db order.db --quiet > out")
shell(0 "8 KiB[^\n]*\n16 KiB[^\n]*\n32 KiB" "$LAB results order.db --rows l1d.size")
shell(0 "8 KiB +16 KiB +32 KiB" "$LAB results order.db --rows kernel --columns l1d.size")
shell(0 "\n8 KiB,.*\n16 KiB,.*\n32 KiB," "$LAB results order.db --rows l1d.size --csv - --columns none")
shell(0 "<tbody>.*>8 KiB<.*>16 KiB<.*>32 KiB<.*</tbody>" "$LAB report order.db -o order.html && cat order.html")

# Pictures over two numbers: each run below what its machine can do; a line over time ends where its run does.
shell(0 "<circle class=.f0 edge.*vecadd.*</circle>.*gtx480: [0-9.]+e9/s, [0-9]+ GB/s|gtx480: .*<circle class=.f0 edge.*vecadd"
      "$LAB plot a.db --kind roofline -o - ")
shell(0 "<polyline class=.line s0.*vecadd lrr.*<polyline class=.line s1.*vecadd gto"
      "$LAB run --kernel vecadd --param vecadd.n=4096 --scheduler lrr,gto --intervals 200 --json over.json -q && $LAB plot over.json --kind time -o -")
shell(0 "ipc over time" "$LAB plot over.json --kind time --where scheduler=gto -o - > one.svg; [ $(grep -c '<polyline' one.svg) = 1 ] && cat one.svg")
refused("has no intervals; lab run --intervals" "$LAB run --kernel vecadd --param vecadd.n=512 --scheduler gto --json none.json -q && $LAB plot none.json --kind time")
refused("--metric: .*did you mean 'ipc'|did you mean ipc" "$LAB plot over.json --kind time --metric ipcc -o x.svg")
