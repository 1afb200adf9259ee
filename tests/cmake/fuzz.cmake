# fuzz/<name>.cpp as libFuzzer targets, where the compiler has it: each is a test of some seconds that starts from the
# corpus in fuzz/<name>/. A longer run: fuzz_ptx -max_total_time=1800 -dict=tests/fuzz/ptx.dict my_corpus tests/fuzz/ptx
set(WARPKIT_FUZZ_SECONDS 60 CACHE STRING "seconds that all fuzzing tests together last; 0: none")

include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsanitize=fuzzer)
check_cxx_source_compiles(
    "extern \"C\" int LLVMFuzzerTestOneInput(unsigned char const*, unsigned long) { return 0; }" WARPKIT_HAS_LIBFUZZER)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT WARPKIT_HAS_LIBFUZZER OR WARPKIT_FUZZ_SECONDS EQUAL 0)
    return()
endif()

warpkit_require(nlohmann_json)

# What is fuzzed is compiled with coverage, so not taken from the libraries.
add_executable(fuzz_ptx fuzz/ptx.cpp)
target_link_libraries(fuzz_ptx PRIVATE warpkit::warpkit warpkit_warnings)
add_executable(fuzz_launch fuzz/launch.cpp ${PROJECT_SOURCE_DIR}/examples/launch/launch_file.cpp)
target_link_libraries(fuzz_launch PRIVATE warpkit_kernels warpkit_warnings nlohmann_json::nlohmann_json)

math(EXPR seconds "${WARPKIT_FUZZ_SECONDS} / 2")
foreach(name IN ITEMS ptx launch)
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    set(found ${CMAKE_CURRENT_BINARY_DIR}/fuzz/${name})
    file(MAKE_DIRECTORY ${found})
    add_test(
        NAME fuzz.${name}
        COMMAND
            fuzz_${name} -max_total_time=${seconds} -timeout=60 -rss_limit_mb=4096 -max_len=8192 -print_final_stats=1
            -verbosity=0 -dict=${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}.dict -artifact_prefix=${found}/ ${found}
            ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name})
endforeach()
