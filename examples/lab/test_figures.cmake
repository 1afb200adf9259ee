# The papers' figures as their users meet them: declared as data, the same bytes whatever ends a process, files that are
# what they seem, and the tables of the docs.
# cmake -DLAB=... -DWORK_DIR=... [-DSHORT=ON] [-DUPDATE=ON] [-DSTORE=FILE] -P test_figures.cmake; UPDATE writes
# docs/explanation/figures.md and bench/figures/small anew, UPDATE=paper bench/figures/paper (a quarter of an hour), and
# with -DDOCUMENTS="locality owl" those, too (hours). Runs that are in STORE, a database outside WORK_DIR, are not run again.
cmake_minimum_required(VERSION 3.25)
set(limit 3000)
include(${CMAKE_CURRENT_LIST_DIR}/test_support.cmake)
set(page ${CMAKE_CURRENT_LIST_DIR}/../../docs/explanation/figures.md)

execute_process(COMMAND ${LAB} figures --list WORKING_DIRECTORY ${WORK_DIR} OUTPUT_VARIABLE list ERROR_VARIABLE probe)
if(probe MATCHES "built without a reader of TOML")
    message("skipped: no toml++")
    return()
endif()
execute_process(COMMAND ${LAB} results probe.db WORKING_DIRECTORY ${WORK_DIR} ERROR_VARIABLE probe)
if(probe MATCHES "built without SQLite")
    message("skipped: no SQLite")
    return()
endif()

if(NOT STORE)
    set(STORE record.db)
endif()
set(head "<!-- lab figures all, from here on -->\n")
# Pages, and values as CSV, of what `lab figures` has written become the record.
function(keep from to)
    set(record ${CMAKE_CURRENT_LIST_DIR}/../../bench/figures/${to})
    file(GLOB_RECURSE kept RELATIVE ${WORK_DIR}/${from} ${WORK_DIR}/${from}/*.html ${WORK_DIR}/${from}/*.csv)
    foreach(file IN LISTS kept)
        cmake_path(GET file PARENT_PATH folder)
        file(COPY ${WORK_DIR}/${from}/${file} DESTINATION ${record}/${folder})
    endforeach()
endfunction()
if(UPDATE STREQUAL "paper")
    file(REMOVE_RECURSE ${CMAKE_CURRENT_LIST_DIR}/../../bench/figures/paper)
    shell(0 "index.html" "$LAB figures blocks owl --only blocks/misses,blocks/cycles,owl/table2 --size paper --db ${STORE} --output paper")
    keep(paper paper)
    if(DOCUMENTS)
        shell(0 "index.html" "$LAB figures ${DOCUMENTS} --size paper --db ${STORE} --output whole")
        keep(whole paper)
    endif()
    return()
elseif(UPDATE)
    shell(0 "index.html" "$LAB figures all --db ${STORE} --output all")
    file(READ ${WORK_DIR}/all/summary.md summary)
    file(READ ${page} text)
    string(FIND "${text}" "${head}" at)
    string(SUBSTRING "${text}" 0 ${at} text)
    file(WRITE ${page} "${text}${head}\n${summary}")
    file(REMOVE_RECURSE ${CMAKE_CURRENT_LIST_DIR}/../../bench/figures/small)
    # Documents of ours first, so that index and summary are those of the papers'.
    shell(0 "index.html" "$LAB figures blocks ladders hardware schedulers modern today --db ${STORE} --output apart")
    keep(apart small)
    keep(all small)
    return()
endif()

# All items of all documents are there.
foreach(item IN ITEMS owl elf degree locality "fig7 +Figure 7 +IPC of all schemes" "fig9b +Figure 9 .b." "table4_2 +Table 4.2")
    if(NOT list MATCHES "${item}")
        message(SEND_ERROR "lab figures --list has no ${item}:\n${list}")
    endif()
endforeach()

# Declarations of one's own: what is said of two small kernels, worked out by hand from lab run.
file(MAKE_DIRECTORY ${WORK_DIR}/mine)
set(values "document\titem\tsection\trow\tseries\tmetric\tunit\tvalue\tread_from\tnote\n")
foreach(line IN ITEMS "Figure 1|A|fast|cycles|cycles|CYCLES" "Figure 1|mean|fast|gain|%|0" "Figure 1|mean|slow|gain|%|400"
                      "Figure 1|mean|near|gain|%|1" "Figure 1|mean|beyond|gain|%|1"
                      "Figure 1|mean|points|gain|percentage points|0.4" "Table 1|core|machine|cores|count|15")
    string(REPLACE "|" ";" cells "${line}")
    list(GET cells 0 item)
    list(GET cells 1 row)
    list(GET cells 2 series)
    list(GET cells 3 metric)
    list(GET cells 4 unit)
    list(GET cells 5 value)
    string(APPEND values "mine\t${item}\t1\t${row}\t${series}\t${metric}\t${unit}\t${value}\ttext\t\n")
endforeach()
execute_process(
    COMMAND ${LAB} run --kernel vecadd --param vecadd.n=2048 --preset elf --scheduler gto --json - --quiet
    OUTPUT_VARIABLE alone)
string(JSON cycles GET "${alone}" runs 0 counters cycles)
string(JSON fingerprint GET "${alone}" runs 0 fingerprint)
string(REPLACE "CYCLES" "${cycles}" values "${values}")
file(WRITE ${WORK_DIR}/mine/small.tsv "${values}")
set(declared
    [=[
title = "A document & its <figures>"
machine = "elf"
baseline = "gto"
[[row]]
name = "A"
class = ["x"]
kernel = "vecadd"
param = { n = 2048 }
[[row]]
name = "B"
class = ["x", "y"]
kernel = "reduction"
small = { n = 65536 }
[[row]]
name = "C"
kernel = "nosuchkernel"
class = "x"
[[series]]
name = "gto"
title = "fast"
scheduler = "gto"
[[series]]
name = "d{n}"
title = "slow {n}"
scheduler = "gto"
occupancy = "static_limit:{n}"
each = { n = [1, 2] }
[[figure]]
id = "fig1"
item = "Figure 1"
title = "cycles"
form = "bars"
unit = "cycles"
rows = "x"
means = ["amean", "gmean y"]
columns = [
    { title = "fast", value = "cycles@gto", paper = "Figure 1|*|fast|cycles" },
    { title = "best", value = "min(cycles@d*)" },
]
[[figure.target]]
paper = "Figure 1|mean|fast|gain"
ours = "gmean(cycles@gto / cycles@gto)"
convert = "gain"
[[figure.target]]
paper = "Figure 1|mean|slow|gain"
ours = "gmean(cycles@gto / cycles@d1)"
convert = "gain"
why = "alone"
[[figure.target]]
paper = "Figure 1|mean|near|gain"
ours = "1.025"
convert = "gain"
[[figure.target]]
paper = "Figure 1|mean|beyond|gain"
ours = "0.995"
convert = "gain"
[[figure.target]]
paper = "Figure 1|mean|points|gain"
ours = "0 - 0.02"
neutral = 0
[[figure.claim]]
text = "all is well"
holds = "count(cycles@gto) >= 2 and at(A, cycles@gto) <= at(A, cycles@d1)"
[[figure.claim]]
text = "one CTA is faster"
holds = "at(B, cycles@d1) < at(B, cycles@gto)"
[[figure]]
id = "alone"
item = "Figure 1, one CTA"
title = "what a CTA alone does"
experiment = true
form = "bars"
rows = "x"
columns = [{ title = "one CTA", value = "cycles@gto / cycles@d1" }]
[[figure.claim]]
text = "one CTA leaves cores idle"
holds = "at(B, cycles@gto / cycles@d1) < 1"
value = "core.count"
[[figure]]
id = "fig2"
item = "Figure 2"
title = "by degree"
form = "curves"
unit = "cycles"
rows = ["A", "B"]
along = "CTAs"
x = [1, 2]
curves_of = "rows"
columns = [{ title = "cycles", value = "cycles@d{x}" }]
[[figure]]
id = "table1"
item = "Table 1"
title = "machine"
form = "numbers"
[[figure.target]]
paper = "Table 1|core|machine|cores"
ours = "core.count"
exact = true
]=])
file(WRITE ${WORK_DIR}/mine/small.toml "${declared}")
set(mine "$LAB figures small --declarations mine --quiet")
shell(0 "small/index.html: 15 files" "${mine} --db small.db --output small -j2")
file(READ ${WORK_DIR}/small/small/fig1.csv csv)
foreach(line IN ITEMS "fig1,A,fast,${cycles}.000000,${cycles}.000000,cycles" "fig1,C,fast,,,cycles" "verdict: agrees,1.000000,1.000000"
                      "all is well,verdict: agrees" "one CTA is faster,verdict: against" "over 2 of 3 rows")
    if(NOT csv MATCHES "${line}")
        message(SEND_ERROR "fig1.csv has no ${line}:\n${csv}")
    endif()
endforeach()
# One CTA at a time is slower in B and no faster in A, where the paper says five times as fast.
if(NOT csv MATCHES "slow: gain\",verdict: against,0\\.[0-9]+,5\\.000000")
    message(SEND_ERROR "a gain of 400 % was found:\n${csv}")
endif()
# Within two points and on the paper's side of neutral agrees, on the other side it does not, and points are percent.
foreach(line IN ITEMS "near: gain\",verdict: agrees" "beyond: gain\",verdict: against" "points: gain\",verdict: agrees")
    if(NOT csv MATCHES "${line}")
        message(SEND_ERROR "fig1.csv has no ${line}:\n${csv}")
    endif()
endforeach()
# An experiment is named where a mean is away, and has an answer.
file(READ ${WORK_DIR}/small/summary.csv csv)
foreach(line IN ITEMS "slow: gain\",400 %,[^,\n]*,against,alone," "one CTA leaves cores idle,,holds: 15[.0]*,shows,,")
    if(NOT csv MATCHES "${line}")
        message(SEND_ERROR "summary.csv has no ${line}:\n${csv}")
    endif()
endforeach()
file(READ ${WORK_DIR}/small/small/alone.svg svg)
if(NOT svg MATCHES "To show: one CTA" OR svg MATCHES "The paper")
    message(SEND_ERROR "the plot of an experiment says that its claim is the paper's:\n${svg}")
endif()
file(READ ${WORK_DIR}/small/small/fig1.json json)
if(NOT json MATCHES "${fingerprint}" OR NOT json MATCHES "C: a kernel nosuchkernel")
    message(SEND_ERROR "fig1.json names neither the run's fingerprint nor what waits:\n${json}")
endif()
shell(0 "^$" "${mine} --db other.db --output again -j1 > out; diff -r small again")

# What is misspelt is refused with file and line, before any work.
function(spoilt from to expected)
    string(REPLACE "${from}" "${to}" text "${declared}")
    if(text STREQUAL declared)
        message(SEND_ERROR "nothing to spoil: ${from}")
    endif()
    file(MAKE_DIRECTORY ${WORK_DIR}/bad)
    file(COPY_FILE ${WORK_DIR}/mine/small.tsv ${WORK_DIR}/bad/small.tsv)
    file(WRITE ${WORK_DIR}/bad/small.toml "${text}")
    refused("${expected}" "$LAB figures small --declarations bad --db none.db --output none")
endfunction()
spoilt("form = \"bars\"" "form = \"bar\"" "small\\.toml:[0-9]+: form is bars")
spoilt("claim" "claims" "small\\.toml:[0-9]+: there is no 'claims' here.*claim")
spoilt("min(cycles@d*)" "min(cycles@e*)" "small\\.toml:[0-9]+: 'min.cycles@e\\*.*no series begins as e")
spoilt("\"cycles@gto\"" "\"cycles@gtoo\"" "there is no series 'gtoo' .did you mean gto")
spoilt("cycles@d{x}" "cycles@d{x" "small\\.toml:[0-9]+: 'cycles@d")
spoilt("count(cycles" "counts(cycles" "there is no function 'counts'")
spoilt("why = \"alone\"" "why = \"fig2\"" "small\\.toml:[0-9]+: there is no experiment 'fig2'")
spoilt("|slow|gain" "|slower|gain" "small\\.toml:[0-9]+: the paper's values have no Figure 1.mean.slower.gain")
spoilt("baseline = \"gto\"" "baseline = \"lrr\"" "there is no series 'lrr'")
spoilt("name = \"B\"" "name = \"A\"" "two rows are called A")
spoilt("scheduler = \"gto\"\n[[series]]" "scheduler = \"gtoo\"\n[[series]]" "gtoo")
spoilt("core.count" "core.counts" "core\\.counts, which is no number")
spoilt("holds = \"at(B, cycles" "holds = \"at(B, cyclops" "cyclops, which is no metric")
spoilt("kernel = \"vecadd\"" "kernel = \"vecadd\"\nfits = 65" "small\\.toml:[0-9]+: fits: expected 1 to 64 CTAs")
spoilt("kernel = \"vecadd\"" "kernel = \"vecadd\"\nfits = { large = 1 }" "small\\.toml:[0-9]+: .*large")
refused("did you mean" "$LAB figures owll")
refused("no figure called|figure" "$LAB figures owl --only fig77")

# One run is for several: limits above what fits, which the run has to confirm, and reports beside what is reported anyway.
function(changed from to)
    string(REPLACE "${from}" "${to}" text "${declared}")
    file(WRITE ${WORK_DIR}/bad/small.toml "${text}")
endfunction()
function(expect_points expected)
    execute_process(
        COMMAND ${LAB} figures small --declarations bad --db small.db --dry-run
        WORKING_DIRECTORY ${WORK_DIR}
        OUTPUT_VARIABLE output)
    if(NOT output MATCHES "^${expected} points")
        message(SEND_ERROR "${expected} points expected:\n${output}")
    endif()
endfunction()
changed("nothing" "to change")
expect_points(6)
changed("name = \"A\"" "name = \"A\"\nfits = { small = 1, paper = 5 }")
expect_points(5)
changed("name = \"A\"" "name = \"A\"\nfits = 2")
refused("row A of small: fits is 2, but 1 of its CTAs fit a core" "$LAB figures small --declarations bad --db small.db")
changed("title = \"fast\"\nscheduler = \"gto\"" "title = \"fast\"\nscheduler = \"gto\"\n[[series]]\nname = \"dtold\"\nscheduler = \"gto\"\nprogram_points = true")
expect_points(6)

# Beside each mean of the record that is away from the paper's stands an experiment, which shows what it says.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../../bench/figures/small/summary.csv unexplained REGEX ",(against|direction),none,|,shows not,")
if(unexplained)
    list(JOIN unexplained "\n" unexplained)
    message(SEND_ERROR "no experiment shows the cause of:\n${unexplained}")
endif()

# SHORT: figures of the papers are for a lab that is compiled to be fast.
if(SHORT)
    return()
endif()

# Killed at any time, and started again: the same bytes.
set(choice owl/table1 elf/table1 degree/table4 degree/table8 degree/fig18 locality/table4_1 locality/fig2_3)
list(JOIN choice "," only)
# (Again where a busy host had it end first.)
shell(0 "killed" "for try in $(seq 9); do
        rm -rf killed killed.db*
        $LAB figures all --only ${only} --quiet --db killed.db --output killed > out 2>&1 & p=$!
        while kill -0 $p 2> /dev/null &&
              [ $($LAB results killed.db --csv - --columns none 2> /dev/null | grep -c ipc) -lt 8 ]; do sleep 0.05; done
        kill -9 $p 2> /dev/null && echo killed && break
    done; wait $p 2> /dev/null; true")
shell(0 "^$" "$LAB figures all --only ${only} --quiet --db killed.db --output killed > out")
shell(0 "^$" "$LAB figures all --only ${only} --quiet --db killed.db --output whole > out; diff -r killed whole")

# The pages are well-formed, and need no network.
find_program(python NAMES python3 NO_CACHE)
file(GLOB_RECURSE written ${WORK_DIR}/killed/*.html ${WORK_DIR}/killed/*.svg ${WORK_DIR}/small/*.html ${WORK_DIR}/small/*.svg)
list(LENGTH written count)
if(count LESS 9)
    message(SEND_ERROR "only ${count} pages and plots")
endif()
foreach(file IN LISTS written)
    if(python)
        execute_process(
            COMMAND ${python} -c "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])" ${file}
            RESULT_VARIABLE result
            ERROR_VARIABLE problem)
        if(NOT result EQUAL 0)
            message(SEND_ERROR "${file} is not well-formed:\n${problem}")
        endif()
    endif()
    file(READ ${file} text)
    string(REPLACE "http://www.w3.org/2000/svg" "" text "${text}")
    if(text MATCHES "https?:|src=|@import|url\\(")
        message(SEND_ERROR "${file} needs a network: ${CMAKE_MATCH_0}")
    endif()
endforeach()
find_program(browser NAMES chromium google-chrome chromium-browser NO_CACHE)
if(browser)
    foreach(document IN ITEMS index elf owl)
        execute_process(
            COMMAND ${browser} --headless --no-sandbox --disable-gpu --enable-logging=stderr --v=0 --dump-dom
                    file://${WORK_DIR}/killed/${document}.html
            TIMEOUT 60
            OUTPUT_VARIABLE dom
            ERROR_VARIABLE said)
        if(said MATCHES "CONSOLE[^\n]*" OR NOT dom MATCHES "The rule of the verdicts")
            message(SEND_ERROR "${document}.html in ${browser}: ${said}")
        endif()
    endforeach()
endif()

# The docs have what comes out.
file(READ ${page} docs)
file(STRINGS ${WORK_DIR}/killed/summary.md lines REGEX "^\\| [^|]")
foreach(line IN LISTS lines)
    string(FIND "${docs}" "${line}" at)
    if(at EQUAL -1 AND NOT line MATCHES "^\\| \\| shows")
        message(SEND_ERROR "docs/explanation/figures.md does not have what lab figures says (remake it with -DUPDATE=ON):\n${line}")
    endif()
endforeach()
