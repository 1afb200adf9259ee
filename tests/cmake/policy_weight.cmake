# What a host pays for a policy header: all headers of warp/ together, and all of fetch/, stay under 12,000 preprocessed
# lines and under so many megabytes that the compiler allocates (a number that repeats, where seconds do not; 51 MB were
# 0.4 s, see docs/explanation/performance.md), and reach neither Boost nor the pipeline. (Policies with memory of
# variable size, as caches, hold a std::vector, which alone is 15,000 lines with GCC 12; so their folders are only kept
# out of Boost and the pipeline.)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    foreach(folder IN ITEMS warp fetch cta cache lsu noc dram)
        file(
            GLOB headers CONFIGURE_DEPENDS
            RELATIVE ${PROJECT_SOURCE_DIR}/include
            ${PROJECT_SOURCE_DIR}/include/warpkit/${folder}/*.hpp)
        list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>\n")
        list(JOIN headers "" content)
        set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/weight_${folder}.cpp)
        file(CONFIGURE OUTPUT ${source} CONTENT "${content}" @ONLY)
        set(most "")
        set(megabytes "")
        if(folder MATCHES "^(warp|fetch)$")
            set(most 12000)
            set(megabytes 80)
        endif()
        add_test(NAME policy_weight.${folder}
                 COMMAND ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER} -DINCLUDE=${PROJECT_SOURCE_DIR}/include
                         -DSOURCE=${source} -DMOST=${most} -DMEGABYTES=${megabytes} -P ${CMAKE_CURRENT_LIST_DIR}/policy_weight_run.cmake)
    endforeach()
endif()
