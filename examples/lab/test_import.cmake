# cmake -DLAB=<program> -DWORK_DIR=<folder> -P test_import.cmake: machines in files, and those of GPGPU-Sim and Accel-Sim.
cmake_minimum_required(VERSION 3.25)
set(limit 120)
include(${CMAKE_CURRENT_LIST_DIR}/test_support.cmake)
file(MAKE_DIRECTORY ${WORK_DIR}/little)

set(short run --kernel vecadd --param vecadd.n=2048 --quiet)

# A machine of Volta's generation, as Accel-Sim writes such: sectored caches with 256 ways, hashed partitions, HBM.
file(
    WRITE ${WORK_DIR}/little/gpgpusim.config
    [[
# little
-gpgpu_n_clusters 4
-gpgpu_n_cores_per_cluster 1
-gpgpu_n_mem 8
-gpgpu_n_sub_partition_per_mchannel 2
-gpgpu_clock_domains 1000.0:1000.0:1000.0:800.5
-gpgpu_shader_core_pipeline 1024:32
-gpgpu_shader_cta 16
-gpgpu_shader_registers 65536
-gpgpu_num_sched_per_core 4
-gpgpu_scheduler lrr
-gpgpu_num_sp_units 4
-gpgpu_num_sfu_units 4
-gpgpu_num_dp_units 4
-gpgpu_num_int_units 4
-gpgpu_sub_core_model 1
-gpgpu_coalesce_arch 70
-gpgpu_adaptive_cache_config 1
-gpgpu_shmem_option 0,16,32
-gpgpu_unified_l1d_size 64
-gpgpu_cache:dl1 S:2:128:64,L:T:s:L:L,A:128:8,16:0,32
-gpgpu_cache:dl2 S:32:128:8,L:B:m:L:P,A:64:4,16:0,32
-gpgpu_cache:dl2_texture_only 0
-gpgpu_perfect_inst_const_cache 1
-network_mode 2
-gpgpu_dram_buswidth 16
-gpgpu_dram_burst_length 2
-dram_dual_bus_interface 1
-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS
-gpgpu_memory_partition_indexing 2
-gpgpu_dram_timing_opt nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3
-gpgpu_runtime_stat 500
]])
file(WRITE ${WORK_DIR}/little/trace.config "-trace_opcode_latency_initiation_int 2,2\n-trace_opcode_latency_initiation_sp 2,2\n")
lab(0 "changed .*memory.dram_queue = 1024 in place of no limit.*little on gtx480, latencies of PTX; of 31 options 1 ignored, 30 mapped"
    import little/gpgpusim.config -o little.toml)
lab(0 "latencies of traces; of 33 options" import little/gpgpusim.config little/trace.config -o traced.toml --name traced --json notes.json)
file(READ ${WORK_DIR}/notes.json notes)
if(NOT notes MATCHES "\"fate\": \"ignored\"" OR NOT notes MATCHES "\"kind\": \"changed\"")
    message(SEND_ERROR "notes.json: ${notes}")
endif()
lab(0 "warp_scheduler = \"lrr\"" import little/gpgpusim.config)
lab(0 "-gpgpu_runtime_stat +500 +gpgpusim.config:32 +ignored" import little/gpgpusim.config -o all.toml --name all --all)
lab(0 "20480 bytes of shared memory in use on a core leave it \\(32 KiB\\)" import little/gpgpusim.config -o small_l1.toml
    --name small_l1 --shared 20KiB)
lab(0 "l1d.size +32 KiB +documented" show small_l1.toml)
lab(0 "^-gpgpu_n_clusters|option" list options)

# It runs without compiling, under its own scheduler unless another is asked for, and on both engines.
lab(0 "vecadd +lrr .*yes" ${short} --machine little.toml)
lab(0 "^$" ${short} --machine little.toml --json little.json)
lab(0 "^$" ${short} --machine little.toml --engine reference --json reference.json)
lab(0 "^the same 1 runs" compare little.json reference.json)
lab(0 "vecadd +gto +gtx480 .*vecadd +gto +little .*vecadd +gto +traced " ${short} --preset gtx480 --machine little.toml,traced.toml
    --scheduler gto)
lab(0 "l1d.size = 32 KiB" ${short} --machine little.toml --set l1d.size=32KiB)

# Presets that run on the machine that another one is compiled to: they tell it their numbers, caches and policies.
lab(0 "vecadd +lrr +qv100 .*vecadd +lrr +a100 " ${short} --preset qv100,a100 --scheduler lrr)
lab(0 "^$" ${short} --preset rtx3070 --scheduler gto --json told.json)
lab(0 "^$" ${short} --preset rtx3070 --scheduler gto --engine reference --json told_reference.json)
lab(0 "^the same 1 runs" compare told.json told_reference.json)
# A kernel's shared memory is carved out of the L1, on both engines.
set(tiled run --kernel sgemm_tiled --small --quiet --preset rtx3070 --scheduler gto)
lab(0 "^$" ${tiled} --json carved.json)
lab(0 "^$" ${tiled} --engine reference --json carved_reference.json)
lab(0 "^the same 1 runs" compare carved.json carved_reference.json)
# TITAN V's 24 channels, hashed, on both engines.
lab(0 "^$" ${short} --preset titan_v --scheduler lrr --json folded.json)
lab(0 "^$" ${short} --preset titan_v --scheduler lrr --engine reference --json folded_reference.json)
lab(0 "^the same 1 runs" compare folded.json folded_reference.json)
# One's own modern machine, of docs/howto/own_machine.md.
set(own ${CMAKE_CURRENT_LIST_DIR}/../tutorial/rtx3080.toml)
lab(0 "vecadd +lrr +rtx3070 .*vecadd +lrr +rtx3080 " ${short} --preset rtx3070 --scheduler lrr --machine ${own})
lab(0 "number +rtx3070 +rtx3080 +ratio.*core.count +46 +68 .*numbers are the same" show rtx3070 ${own})
# The other school of such cores (docs/model/operands.md), on both engines.
set(school --machine ${CMAKE_CURRENT_LIST_DIR}/machines/control_bits.toml --quiet)
set(tiny run --kernel sgemm_tiled --small)
lab(0 "^$" ${tiny} ${school} --json school.json)
lab(0 "^$" ${tiny} ${school} --engine reference --json school_reference.json)
lab(0 "^the same 1 runs" compare school.json school_reference.json)
lab(0 "number +qv100 +a100 +ratio.*core.count +80 +108 " show qv100 a100)
lab(0 "core.sub_cores +4 +documented.*coalescer +sectored.*l2 +cache<ipoly, lru, on_miss, write_back lazy_fetch>" show qv100)
# Other caches and another front end than the preset's, under a scheduler of those that machines are compiled with.
lab(0 "^$" ${short} --preset rtx3070 --scheduler gto --l2 fifo --fetch elf --json others.json)
lab(0 "^$" ${short} --preset rtx3070 --scheduler gto --l2 fifo --fetch elf --engine reference --json others_reference.json)
lab(0 "^the same 1 runs" compare others.json others_reference.json)
# A machine on such a preset; which is that preset where it says no more.
file(WRITE ${WORK_DIR}/ampere.toml "[machine]\nname = \"ampere\"\nbase = \"rtx3070\"\n[policies]\nwarp_scheduler = \"gto\"\n")
lab(0 "vecadd +gto .*yes" ${short} --machine ampere.toml)
lab(0 "numbers are the same" show rtx3070 ampere.toml)
lab(0 "^$" ${short} --machine ampere.toml --json ampere.json)
file(READ ${WORK_DIR}/told.json told)
file(READ ${WORK_DIR}/ampere.json ampere)
string(REGEX MATCH "\"fingerprint\": *\"[0-9a-f]+\"" told "${told}")
string(REGEX MATCH "\"fingerprint\": *\"[0-9a-f]+\"" ampere "${ampere}")
if(NOT told OR NOT told STREQUAL ampere)
    message(SEND_ERROR "a machine that builds on rtx3070 is not that preset: ${told}, ${ampere}")
endif()

# What is shown is what is run.
lab(0 "core.count +4 +documented +gpgpusim.config:2: -gpgpu_n_clusters 4.*core.operand_cycles +3 cycles +measured +as gtx480.*coalescer +sectored"
    show little.toml)
lab(0 "number +gtx480 +little +ratio.*core.count +15 +4 +0.27.*numbers are the same.*coalescer +fermi +sectored"
    show gtx480 little.toml --json difference.json)
lab(0 "core.latency.int_add +.*numbers are the same" show little.toml traced.toml)
lab(0 "l1t.size" show little.toml traced.toml --all)

# Numbers of files.
file(WRITE ${WORK_DIR}/numbers.toml "[l1d]\nsize = \"32 KiB\"\nways = 8\n")
lab(0 "l1d.size +32 KiB +set.*l1d.ways +8 +set" show gtx480 --set @numbers.toml)
lab(0 "l1d.size +48 KiB +set.*l1d.ways +8 +set" show gtx480 --set @numbers.toml --set l1.size=48KiB)

# Mistakes.
file(WRITE ${WORK_DIR}/bad.config "-gpgpu_n_clusters 4\n-gpgpu_n_memo 4\n")
lab(2 "bad.config:2: there is no option -gpgpu_n_memo \\(did you mean -gpgpu_n_mem\\?\\)" import bad.config -o bad.toml)
if(EXISTS ${WORK_DIR}/bad.toml)
    message(SEND_ERROR "bad.toml is there")
endif()
lab(0 "1 skipped" import bad.config -o good.toml --skip -gpgpu_n_memo)
lab(2 "cannot read nowhere.config" import nowhere.config)
lab(2 "--output: .*little/gpgpusim.config is also an input" import little/gpgpusim.config -o little/gpgpusim.config)
file(WRITE ${WORK_DIR}/mesh.toml "[machine]\nname = \"meshed\"\nbase = \"gtx480\"\n[policies]\nnetwork = \"mesh\"\n")
lab(2 "mesh.toml:5: network = mesh: this lab has no gtx480 with it; configure one with cmake --preset lab \"-DWARPKIT_LAB_POLICIES=network mesh_network include/warpkit/machine/policies.hpp\""
    ${short} --machine mesh.toml)
file(WRITE ${WORK_DIR}/scheduler.toml "[machine]\nname = \"s\"\nbase = \"gtx480\"\n[policies]\nwarp_scheduler = \"gta\"\n")
lab(2 "scheduler.toml:5: warp_scheduler = gta: .*did you mean gto" ${short} --machine scheduler.toml)
file(WRITE ${WORK_DIR}/size.toml "[machine]\nname = \"s\"\nbase = \"gtx480\"\n[l1d]\nsize = 10000\n")
lab(2 "l1d.size = 10000 B is not a multiple" ${short} --machine size.toml)
lab(2 "its name, little, is another one's" ${short} --machine little.toml,little.toml)
lab(2 "is a file; name it with --machine" ${short} --preset little.toml)
lab(2 "scheduler.toml:2: machine.name belongs to a machine" show gtx480 --set @scheduler.toml)
lab(2 "--json: little.toml is also --machine" ${short} --machine little.toml --json little.toml)
