# How the lab meets who mistypes, asks what a name means, or has a program read what it lists.
# cmake -DLAB=... -DWORK_DIR=... -P test_manners.cmake
cmake_minimum_required(VERSION 3.25)
set(limit 300)
include(${CMAKE_CURRENT_LIST_DIR}/test_support.cmake)

# The nearest name, wherever one is mistyped.
lab(2 "did you mean run\\?" rnu)
lab(2 "did you mean --kernel\\?" run --kernal bfs)
lab(2 "did you mean --scheduler\\?" sweep --schedulr=gto)
lab(2 "no kernel 'bsf'; did you mean 'bfs'\\?" run --kernel bsf)
lab(2 "no kernel 'bsf'; did you mean 'bfs'\\?" run --param bsf.nodes=3)
lab(2 "no number l1d\\.sise \\(did you mean l1d\\.size\\?\\)" run --kernel bfs --set l1d.sise=16KiB)
lab(2 "did you mean gto\\?" run --scheduler gtoo)
lab(2 "did you mean gtx480\\?" show gtx48)
lab(2 "did you mean bash\\?" completion bahs)
lab(2 "not expected: bfs .write --kernel bfs. .lab run --help" run bfs)
lab(2 "not expected: bfs .write run --kernel bfs. .lab --help" bfs)
lab(2 "not expected: rnu --kernel bfs .did you mean run" rnu --kernel bfs)
lab(2 "not expected: bsf .did you mean --kernel bfs\\?" run bsf)
lab(2 "not expected: gto .write --scheduler gto" check-engines gto)
lab(2 "not expected: --kernal bfs .did you mean --kernel\\?" run --kernal bfs)
lab(2 "--size: there is no 'smal' .did you mean small\\?.; there are: small, medium, full" run --size smal)
lab(2 "--kind: there is no 'hat' .did you mean heat\\?" plot --kind hat)
lab(2 "--engine: there is no 'fats' .did you mean fast\\?" run --engine fats)

# `all` where a list is taken.
lab(0 "lrr.*gto" run --kernel vecadd --param vecadd.n=512 --scheduler all --preset gtx480)
foreach(cache IN ITEMS --l1 --l2)
    lab(0 "vecadd .*perfect.*keeps lines out does not go with on_miss.*left out: pcal" run --kernel vecadd --param vecadd.n=512
        --scheduler gto ${cache} all)
endforeach()
lab(0 "new_car" run --kernel vecadd --param vecadd.n=512 --scheduler gto --use replay_queue=all)
lab(0 "par_bs" run --kernel vecadd --param vecadd.n=512 --scheduler gto --use dram_scheduler=all)
lab(0 "two_level" fork --kernel vecadd --param vecadd.n=512 --warm-up 30% --scheduler all)
lab(0 "lab explain gpgpusim.*lab explain owl" run --kernel vecadd --param vecadd.n=512 --scheduler gto --view all)
lab(0 "warp_scheduler elf .*replay_queue new_car" cost qv100 all)
lab(0 "gtx480:.*b200:" show all)
lab(0 "^{.*\"gtx480.numbers\": .*\"b200.policies\": " show all --json -)
lab(0 "Kernels .*Options of" list all)
lab(0 "[0-9]+ points of" sweep --kernel all --scheduler gto --preset gtx480 --dry-run --db none.db)

# What a machine lacks a unit for: left out of many, and refused where it is named.
lab(0 "gtx480 lacks clusters of CTAs \\(cluster.cores\\); left out: all_reduce_cluster\n" sweep --kernel language --scheduler gto --preset
    gtx480 --dry-run --db none.db)
lab(1 "clusters of 8 CTAs" run --kernel all_reduce_cluster --scheduler gto --preset gtx480 --quiet)

# Every name that is printed has a meaning: of each listing, those of its first column, and its headings.
foreach(topic IN ITEMS kernels schedulers presets seats numbers counters metrics views opcodes options)
    lab(0 "" list ${topic} --json -)
    string(JSON tables LENGTH "${output}")
    math(EXPR tables "${tables} - 1")
    set(text "${output}")
    foreach(t RANGE ${tables})
        string(JSON title MEMBER "${text}" ${t})
        string(JSON rows GET "${text}" ${title})
        string(JSON n LENGTH "${rows}")
        string(REGEX REPLACE "^(kernel_)?(.*)s$" "\\2" column ${title})
        if(n EQUAL 0)
            message(SEND_ERROR "lab list ${topic} --json -: no rows in ${title}")
        endif()
        string(JSON columns LENGTH "${rows}" 0)
        math(EXPR columns "${columns} - 1")
        foreach(c RANGE ${columns})
            string(JSON heading MEMBER "${rows}" 0 ${c})
            if(heading AND NOT heading IN_LIST explained)
                list(APPEND explained "${heading}")
                lab(0 "." explain "${heading}")
            endif()
        endforeach()
        # The first, one in the middle, the last.
        math(EXPR middle "${n} / 2")
        math(EXPR last "${n} - 1")
        foreach(i IN ITEMS 0 ${middle} ${last})
            string(JSON name GET "${rows}" ${i} "${column}")
            lab(0 "." explain "${name}")
        endforeach()
    endforeach()
endforeach()
foreach(
    name IN
    ITEMS gto bcs round_robin_dispatch none mrpb raw_memory hit_reserved precharges "L1D miss" IPC BLP verified
          warp_scheduler fr_fcfs xor srrip perfect bfs.nodes seed "memory conflict" structural fingerprint rodinia
          crossbar mesh round_robin open_page no_memory_prefetch "cache<linear, lru, on_fill, read_only>"
          "texture_cache<linear, lru>" "policies in the lab's catalogue" "IPC warp" "RAW memory" "DRAM GB/s" "host [ktransact/s]"
          kwarp-instr/s "no CTA" "L1D miss, %" slot provenance "printed there" -gpgpu_deadlock_detect)
    lab(0 "." explain "${name}")
endforeach()
lab(2 "did you mean ipc\\?" explain ipcc)
lab(0 "network crossbar: one switch" explain crossbar)
lab(0 "index linear, replacement lru, allocation on_fill, writes read_only" explain "cache<linear, lru, on_fill, read_only>")
lab(0 "IPC warp: metric ipc\n.*IPC thread: metric thread_ipc\n" explain IPC)
lab(2 "explain: name is required|name is required" explain)
lab(0 "Usage" explain -h)

# Tables for programs.
foreach(command IN ITEMS "list numbers" "show gtx480" "cost" "sharing --kernel vecadd" "addresses --kernel vecadd")
    string(REPLACE " " ";" words "${command}")
    lab(0 "^{" ${words} --json -)
    string(JSON n LENGTH "${output}")
    if(n EQUAL 0)
        message(SEND_ERROR "lab ${command} --json -: nothing in it")
    endif()
endforeach()
lab(0 "" show gtx480 --set l1d.size=32KiB --json shown.json)
file(READ ${WORK_DIR}/shown.json text)
string(REGEX MATCH "\"number\": \"l1d.size\",[^}]*" row "${text}")
if(NOT row MATCHES "\"value\": 32768," OR NOT row MATCHES "\"provenance\": \"set\"")
    message(SEND_ERROR "shown.json: ${row}")
endif()

# What shells ask, and what they read.
lab(0 "(^|\n)explain-difference\n" complete expl)
lab(0 "^--kernel\n$" complete run --ker)
lab(0 "^bfs_queue\n$" complete run --kernel bfs_q)
lab(0 "^gto,lrr\n" complete run --scheduler gto,lr)
lab(0 "(^|\n)l1d.size=\n" complete run --set l1d.si)
lab(0 "^--size=full\n$" complete run --size=fu)
lab(0 "^$" complete run --json fi)
lab(0 "^numbers\n$" complete list numb)
lab(0 "row_hit_rate" complete explain row_hit)
shell(0 "bfs.*gto" "source <($LAB completion bash); lab() { $LAB \"$@\"; }; PATH=\$(dirname $LAB):\$PATH
COMP_LINE='lab run --kernel bf' COMP_POINT=19 COMP_WORDS=(lab run --kernel bf) COMP_CWORD=3; _lab; echo \${COMPREPLY[@]}
COMP_LINE='lab run --scheduler=gt' COMP_POINT=22 COMP_WORDS=(lab run --scheduler = gt) COMP_CWORD=4; _lab; echo \${COMPREPLY[@]}")
lab(0 "function __lab_complete" completion fish)
lab(0 "#compdef lab" completion zsh)

# The man page has every command and its options, and roff takes it.
lab(0 "^.*\\.TH LAB 1 .*\\.SS lab run.*\\\\-\\\\-kernel.*\\.SS lab explain\\\\-difference.*\\.SH EXIT STATUS" man)
find_program(groff groff)
if(groff)
    shell(0 "^$" "set -o pipefail; $LAB man | groff -man -Tascii -ww >/dev/null")
endif()

# Colours for people at a terminal that shows them, and for nobody else.
find_program(script script)
if(script)
    shell(0 "\\[1m" "TERM=xterm script -qec \"$LAB list presets\" /dev/null")
    shell(0 "preset" "TERM=xterm NO_COLOR=1 script -qec \"$LAB list presets\" /dev/null")
    if(output MATCHES "\\[1m")
        message(SEND_ERROR "NO_COLOR is not respected")
    endif()
endif()
lab(0 "preset" list presets)
string(ASCII 27 escape)
if(output MATCHES "${escape}")
    message(SEND_ERROR "colours in a file")
endif()

# A reader that has read enough, as head, is no mistake.
shell(0 "^141\n$" "(until test -e gone; do sleep 0.01; done; $LAB list kernels; echo $? > status) 2> said | (exec 0<&-; touch gone); cat said status")

# Pictures are SVG, whatever they are called.
foreach(name IN ITEMS x.png x.PDF)
    lab(2 "--output: ${name}: pictures are SVG; name it x.svg" plot none.db -o ${name})
endforeach()

# Defaults in files: those of the folder before those at home, a command's own before the others, and the command line
# before all; one error for a name that there is not.
set(defaults "XDG_CONFIG_HOME=$PWD/home")
shell(0 "^$" "mkdir -p home/warpkit && printf 'scheduler = [\"gto\"]\\nkernel = \"vecadd\"\\nparam.vecadd.n = 2048\\n[run]\\nquiet = true\\n' > home/warpkit/lab.toml")
shell(0 "\"scheduler\": \"gto\".*\"n\": 2048" "${defaults} $LAB run --json -")
shell(0 "defaults: scheduler of .*, kernel of .*home/warpkit/lab.toml, param of .*lab.toml .*--no-config" "${defaults} $LAB degrees --most 1 --l1 16KiB")
shell(0 "\"scheduler\": \"lrr\"" "${defaults} $LAB run --scheduler lrr --json -")
shell(0 "\"scheduler\": \"lrr\"" "echo 'scheduler = \"lrr\"' > lab.toml; ${defaults} $LAB run --json -; rm lab.toml")
shell(0 "vecadd .*gto" "${defaults} $LAB")
shell(0 "\"n\": 4096" "${defaults} $LAB run --no-config --kernel vecadd --scheduler gto --param vecadd.n=4096 --json -")
shell(0 "\"scheduler\": \"gto\"" "$LAB --config home/warpkit/lab.toml run --json -")
refused("mine.toml: no command has an option --schedular .did you mean scheduler" "echo 'schedular = \"gto\"' > mine.toml; $LAB --config mine.toml run")
refused("mine.toml:1: .ran. is no command .did you mean run" "printf '[ran]\\nkernel = \"bfs\"\\n' > mine.toml; $LAB run --config mine.toml")
refused("mine.toml: lab list has no option --kernel" "printf '[list]\\nkernel = \"bfs\"\\n' > mine.toml; $LAB list --config=mine.toml")
refused("none.toml" "$LAB run --config none.toml")
refused("mine.toml:2: .rum. is no command .did you mean run" "printf '# nothing in it\\n[rum] # and nothing more\\n' > mine.toml; $LAB run --config mine.toml")
refused("mine.toml:1: a syntax error: a section is written as .run., and here is .run; lab --no-config"
        "printf '[run\\nquiet = true\\n' > mine.toml; $LAB run --config mine.toml")
refused("mine.toml:2: a syntax error: write name = value" "printf '[run]\\nquiet\\n' > mine.toml; $LAB run --config mine.toml")
refused("mine.toml:1: a syntax error: a text has no second \"" "printf 'kernel = \"bfs\\n' > mine.toml; $LAB run --config mine.toml")
refused("mine.toml:2: a syntax error: a list has no ]" "printf '\\nkernel = [\"bfs\",\\n' > mine.toml; $LAB run --config mine.toml")
# Who asks what there is needs no defaults.
refused("lab.toml:1: a syntax error" "echo '[run' > lab.toml; $LAB show gtx480")
foreach(line IN ITEMS "--version" "man" "list presets" "run --help" "completion bash")
    shell(0 "warpkit|gtx480|lab" "$LAB ${line}")
endforeach()
shell(0 "^$" "rm lab.toml")
shell(0 "lab.toml" "$LAB man")
shell(0 "--config" "$LAB --help")
