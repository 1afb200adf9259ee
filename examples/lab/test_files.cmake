# What the lab does with files, descriptors and a host that is out of something: each mistake is one line that names the place and
# the remedy, and nothing is lost. cmake -DLAB=... -DWORK_DIR=... -DPTX=vecadd.ptx -P test_files.cmake

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
file(READ ${PTX} ptx)
file(WRITE ${WORK_DIR}/own.ptx "${ptx}")
set(short "run --kernel vecadd --param vecadd.n=512 --scheduler gto --quiet")

# Runs a line of the shell in which $LAB is the lab and $RUN a short run, and checks exit status and output.
function(shell status expected line)
    execute_process(
        COMMAND ${CMAKE_COMMAND} -E env "LAB=${LAB}" "RUN=${LAB} ${short}" sh -c "${line}"
        WORKING_DIRECTORY ${WORK_DIR}
        TIMEOUT 60
        RESULT_VARIABLE result
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    if(NOT result EQUAL status)
        message(SEND_ERROR "${line}: exit status ${result}, expected ${status}\n${output}")
    elseif(NOT output MATCHES "${expected}")
        message(SEND_ERROR "${line}: expected ${expected}, found\n${output}")
    endif()
    if(NOT status EQUAL 0 AND NOT output MATCHES "(^|\n)lab: [^\n]+\n$")
        message(SEND_ERROR "${line}: not one line at the end of\n${output}")
    endif()
    file(GLOB left "${WORK_DIR}/.warpkit-*" "${WORK_DIR}/*/.warpkit-*")
    if(left)
        message(SEND_ERROR "${line}: left ${left}")
    endif()
endfunction()

# Where a result goes.
shell(0 "^$" "$RUN --json a.json && grep -q fingerprint a.json")
shell(0 "^$" "ln -s real link && $RUN --csv link && test -L link && grep -q vecadd real")
shell(0 "^$" "$RUN --json /dev/null && test -c /dev/null")
shell(1 "cannot write /dev/full: No space left" "$RUN --json /dev/full 2>&1; s=$?; test -c /dev/full && exit $((s - 1))")
shell(0 "^$" "mkfifo pipe && { cat pipe > piped & } && $RUN --json pipe && wait && test -p pipe")
shell(0 "^{\n  \"warpkit\"[^|]*}\n$" "$RUN --json -")
shell(0 "^kernel,preset" "$LAB run --kernel vecadd --param vecadd.n=512 --scheduler gto --csv - 2> progress")
shell(0 "^$" "$LAB record vecadd --output - > vecadd.log 2> said && $LAB replay vecadd.log --scheduler gto > said")
if(EXISTS ${WORK_DIR}/-)
    message(SEND_ERROR "- is a file")
endif()
file(READ ${WORK_DIR}/piped piped)
if(NOT piped MATCHES "fingerprint")
    message(SEND_ERROR "the pipe gave: ${piped}")
endif()

# Whatever is printed arrives, or the status says so; results are written even so.
foreach(line IN ITEMS "$LAB list > /dev/full" "$LAB --help > /dev/full" "$LAB list >&-" "$LAB show gtx480 > /dev/full")
    shell(1 "lab: cannot write to standard output" "${line}")
endforeach()
shell(1 "cannot write to standard output" "$LAB run --kernel vecadd --param vecadd.n=512 --json late.json > /dev/full")
shell(0 "^$" "grep -q fingerprint late.json")
shell(1 "cannot write to standard output" "$LAB run --kernel vecadd --param vecadd.n=512 --json closed.json >&- 2> said; s=$?; cat said >&2; test $(head -c 1 closed.json) = { && exit $s")
# The reader is gone before the lab starts: a pipe's buffer would take all it has to say.
shell(2 "Broken pipe|standard output"
      "(until test -e gone; do sleep 0.01; done; $RUN --csv - --json gone.json; echo $? > status) 2> said | (exec 0<&-; touch gone); cat said; exit $(cat status)")

# No output takes the place of an input, of another output, or of what the shell has opened.
shell(2 "--json: own.ptx is also --ptx" "$RUN --ptx own.ptx --json own.ptx")
shell(2 "--json: [.]/own.ptx is also --ptx" "$RUN --ptx own.ptx --json ./own.ptx")
shell(2 "--csv: hard is also --ptx" "ln own.ptx hard && $RUN --ptx own.ptx --csv hard")
shell(2 "--csv: [.]/new is also --json" "$RUN --json new --csv ./new")
shell(2 "--json and --csv both go to standard output" "$RUN --json - --csv /dev/stdout")
shell(2 "--json: out is also standard output" "$RUN --json out > out")
shell(2 "--json: own.ptx is also an input" "$LAB show own.ptx --json own.ptx")
shell(2 "--json: own.ptx is also an input" "$LAB show gtx480 own.ptx --json own.ptx")
shell(2 "--output: own.ptx is also an input" "$LAB plot own.ptx --kind banks -o own.ptx")
shell(2 "--output: hard is also an input .own.ptx" "$LAB plot own.ptx --kind time -o hard")
shell(2 "--output: own.ptx is also an input" "$LAB import own.ptx -o own.ptx")
shell(2 "--json: own.ptx is also an input .[.]/own.ptx" "$LAB explain-difference './own.ptx?scheduler=gto' a.json --json own.ptx")
shell(0 "^$" "cmp own.ptx ${PTX}")
shell(2 "--json: lab.toml is also the file of defaults" "echo 'quiet = true' > lab.toml; $LAB run --json lab.toml")
shell(2 "--json: lab.toml is also the file of defaults .[.]/lab.toml" "$LAB list --config ./lab.toml --json lab.toml")
shell(2 "--json: lab.toml is also the file of defaults" "$LAB list presets --json lab.toml")
shell(0 "^quiet = true\n$" "cat lab.toml; rm lab.toml")
shell(2 "a.json: is no timeline of this lab; lab run --timeline, into another file" "$LAB plot a.json --kind occupancy -o x.svg")
shell(2 "a.json has no intervals; lab run --intervals 1000 --json, into another file" "$LAB plot a.json --kind time -o x.svg")

# Names that can not be.
shell(2 "--json: the name is empty" "$RUN --json ''")
shell(2 "--ptx: the name is empty" "$RUN --ptx ''")
foreach(option IN ITEMS --l1 --l2 --view --timeline-cycles --core --reuse-memory --stream-limit --set)
    shell(2 "${option}: its value is empty; give one" "$RUN ${option} ''")
endforeach()
shell(2 "plan: its value is empty" "$LAB sweep '' --db empty.db")
shell(2 "its value is empty" "$LAB compare ''")
shell(2 "its value is empty" "$LAB replay ''")
shell(2 "--limit: Value -5 not in range 1" "$RUN --limit -5")
shell(2 "--limit: Value 99999999999999999999 not in range 1" "$RUN --limit 99999999999999999999")
shell(2 "--json: cannot write [.]: it is a folder" "$RUN --json .")
shell(2 "--json: .*there is no folder own.ptx" "$RUN --json own.ptx/a.json")
string(REPEAT n 300 long)
shell(2 "File name too long" "$RUN --json ${long}")
shell(2 "File name too long" "$LAB replay ${long}")
foreach(line IN ITEMS "$RUN --ptx ." "$LAB replay ." "$LAB compare ." "$LAB run --trace ." "$LAB run --launch .")
    shell(2 "cannot read [.]: it is a folder" "${line}")
endforeach()
foreach(line IN ITEMS "$RUN --ptx /dev/zero" "$LAB replay /dev/zero" "$LAB compare /dev/zero" "$LAB run --launch /dev/zero")
    shell(2 "cannot read /dev/zero: it has more than [0-9]+ bytes" "${line}")
endforeach()
shell(2 "cannot read /dev/zero: it is a device" "$LAB run --trace /dev/zero")

# Traces: all of them, or what was there.
shell(2 "--output: cannot make the folder own.ptx" "$LAB trace vecadd --output own.ptx")
shell(0 "kernelslist.g: [0-9]+ kernels" "$LAB trace bfs --param bfs.nodes=256 --output traces")
shell(0 "^$" "cp -r traces before && sed 's/^[.]version.*/.version 99.9/' own.ptx > bad.ptx")
shell(2 "bad.ptx:[0-9]+:[0-9]+: expected a version of PTX" "$LAB trace vecadd --ptx bad.ptx --output traces")
shell(0 "^$" "diff -r traces before")
shell(2 "bad.ptx:[0-9]+:[0-9]+: " "$LAB trace vecadd --ptx bad.ptx --output fresh")
if(EXISTS ${WORK_DIR}/fresh)
    message(SEND_ERROR "a trace that failed left its folder")
endif()
shell(2 "--json: traces/kernel-2.traceg is also a trace of --trace" "$LAB run --trace traces/kernelslist.g --json traces/kernel-2.traceg")
shell(2 "swapped.g:2: kernel-1.traceg is launch 1, but stands behind launch 2 .kernel-2.traceg.; list the launches in the order"
      "(echo kernel-2.traceg; echo kernel-1.traceg; tail -n +3 traces/kernelslist.g) > traces/swapped.g; $LAB run --trace traces/swapped.g")

# Values that can not be, or are given twice.
shell(1 "bad.ptx:[0-9]+:[0-9]+: expected a version of PTX from 1.0 to 19.9, such as 6.3, found 99.9" "$RUN --ptx bad.ptx")
shell(1 "far.ptx:[0-9]+:[0-9]+: expected a target such as sm_70, found sm_9999999999999999999"
      "sed 's/^[.]target.*/.target sm_9999999999999999999/' own.ptx > far.ptx && $RUN --ptx far.ptx")
shell(2 "bcs blocks = 0: give 1 to 65536" "$RUN --dispatch bcs:blocks=0")
shell(2 "bcs blocks is given twice, as 1 and as 2" "$RUN --dispatch bcs:1:blocks=2")
shell(2 "core = 999: the machine has cores 0 to 14" "$RUN --occupancy multithreading_degree:core=999")
shell(2 "l1d.size is set twice, before as l1.size=16KiB" "$RUN --set l1.size=16KiB --set l1d.size=48KiB")
shell(2 "vecadd.n is given twice" "$RUN --param vecadd.n=1024")

# A host that is out of something.
shell(1 "TMPDIR names one that is not there" "TMPDIR=/nonexistent $LAB run --kernel bfs --quiet --reuse-memory 10KiB --scheduler lrr --repeat 2")
execute_process(COMMAND sh -c "ulimit -v 2000000 && ${LAB} list kernels" RESULT_VARIABLE limited OUTPUT_QUIET ERROR_QUIET)
if(limited EQUAL 0) # not under sanitizers, which reserve more
    shell(1 "vecadd under gto on gtx480: out of memory; take smaller inputs"
          "ulimit -v 60000; $LAB run --kernel vecadd --scheduler gto --quiet --param vecadd.n=8000000")
endif()
