# fuzz/<name>.cpp as libFuzzer targets, where the compiler has it and the address sanitizer is on: each is a test of some
# seconds that starts from the corpus in fuzz/<name>/. For longer:
#     fuzz_ptx -max_total_time=1800 -dict=tests/fuzz/ptx.dict my_corpus tests/fuzz/ptx
set(WARPKIT_FUZZ_SECONDS 60 CACHE STRING "seconds that the fuzzing test of traces lasts, the others a sixth of it; 0: none")

include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsanitize=fuzzer)
check_cxx_source_compiles(
    "extern \"C\" int LLVMFuzzerTestOneInput(unsigned char const*, unsigned long) { return 0; }" WARPKIT_HAS_LIBFUZZER)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT WARPKIT_HAS_LIBFUZZER OR WARPKIT_FUZZ_SECONDS EQUAL 0 OR NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*address")
    return()
endif()

# What is fuzzed counts its coverage; the address sanitizer's runtime lets other programs link it too.
foreach(library IN ITEMS warpkit_translation warpkit_launch_file)
    target_compile_options(${library} PRIVATE -fsanitize=fuzzer-no-link)
endforeach()

foreach(name IN ITEMS ptx launch accelsim config)
    set(seconds ${WARPKIT_FUZZ_SECONDS})
    if(NOT name STREQUAL accelsim) # the others have been at it for longer
        math(EXPR seconds "${seconds} / 6")
    endif()
    add_executable(fuzz_${name} fuzz/${name}.cpp)
    # Readers of foreign bytes have every check, also those that the preset leaves out for their compile time.
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer,undefined)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(fuzz_${name} PRIVATE warpkit_launch_file warpkit::compression warpkit_warnings)
    set(found ${CMAKE_CURRENT_BINARY_DIR}/fuzz/${name})
    file(MAKE_DIRECTORY ${found})
    add_test(
        NAME fuzz.${name}
        COMMAND
            fuzz_${name} -max_total_time=${seconds} -timeout=60 -rss_limit_mb=4096 -max_len=8192 -print_final_stats=1
            -verbosity=0 -dict=${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}.dict -artifact_prefix=${found}/ ${found}
            ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name})
    set_tests_properties(fuzz.${name} PROPERTIES COST ${seconds}) # the longest begin first
endforeach()
