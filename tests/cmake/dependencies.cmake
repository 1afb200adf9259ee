# warpkit_require(<package>): what the machine has is used; what it lacks is fetched where there is a network; and
# where there is none, the configuration ends with the name of the package to install.

set(WARPKIT_BOOST_VERSION 1.74)

# One line each: package, oldest version, Debian's name for it, where it lives, the tag to fetch.
set(WARPKIT_DEPENDENCIES
    "Boost|${WARPKIT_BOOST_VERSION}|libboost-dev|https://github.com/boostorg/hana.git|boost-1.83.0"
    "Catch2|2.13|catch2|https://github.com/catchorg/Catch2.git|v3.5.4"
    "CLI11|2.1|libcli11-dev|https://github.com/CLIUtils/CLI11.git|v2.3.2"
    "nlohmann_json|3.10|nlohmann-json3-dev|https://github.com/nlohmann/json.git|v3.11.2"
    "benchmark|1.6|libbenchmark-dev|https://github.com/google/benchmark.git|v1.8.3")

macro(warpkit_require package)
    # Boost's own package file, and no longer CMake's search for it, where CMake asks which.
    if(POLICY CMP0167)
        cmake_policy(SET CMP0167 NEW)
    endif()
    set(warpkit_dependency ${WARPKIT_DEPENDENCIES})
    list(FILTER warpkit_dependency INCLUDE REGEX "^${package}\\|")
    string(REPLACE "|" ";" warpkit_dependency "${warpkit_dependency}")
    list(GET warpkit_dependency 1 warpkit_dependency_version)

    if("${package}" STREQUAL "Catch2")
        # Versions 2 and 3 will both do, and each says that it is not compatible with the other.
        find_package(Catch2 3 QUIET)
        if(NOT Catch2_FOUND)
            find_package(Catch2 ${warpkit_dependency_version} QUIET)
        endif()
    else()
        find_package(${package} ${warpkit_dependency_version} QUIET)
    endif()
    if(NOT ${package}_FOUND)
        warpkit_fetch(${warpkit_dependency})
        if("${package}" STREQUAL "Boost" AND NOT TARGET Boost::headers)
            add_library(Boost::headers INTERFACE IMPORTED GLOBAL)
            target_include_directories(Boost::headers INTERFACE ${boost_SOURCE_DIR}/include)
        endif()
    endif()
endmacro()

macro(warpkit_fetch package version debian_name repository tag)
    message(STATUS "${package} ${version} or newer not found; fetching ${tag} of ${repository}")
    find_package(Git QUIET)
    set(warpkit_reachable 1)
    if(GIT_FOUND AND NOT FETCHCONTENT_FULLY_DISCONNECTED)
        execute_process(
            COMMAND ${CMAKE_COMMAND} -E env GIT_TERMINAL_PROMPT=0 ${GIT_EXECUTABLE} ls-remote --exit-code ${repository}
                    refs/tags/${tag}
            RESULT_VARIABLE warpkit_reachable
            OUTPUT_QUIET ERROR_QUIET
            TIMEOUT 60)
    endif()
    if(NOT "${warpkit_reachable}" STREQUAL "0")
        message(
            FATAL_ERROR
                "warpkit needs ${package} ${version} or newer: it is not installed, and ${repository} cannot be reached to fetch it.\n"
                "Install it (Debian and Ubuntu: apt-get install ${debian_name}) or name its place with CMAKE_PREFIX_PATH."
        )
    endif()
    include(FetchContent)
    # SOURCE_SUBDIR of a folder that does not exist: Hana is headers, and its own CMake project is not wanted.
    if("${package}" STREQUAL "Boost")
        set(warpkit_subdir SOURCE_SUBDIR headers-only)
    else()
        set(warpkit_subdir)
    endif()
    set(JSON_BuildTests OFF)
    set(CLI11_BUILD_TESTS OFF)
    set(CLI11_BUILD_EXAMPLES OFF)
    set(BENCHMARK_ENABLE_TESTING OFF CACHE BOOL "" FORCE)
    set(BENCHMARK_ENABLE_INSTALL OFF CACHE BOOL "" FORCE)
    FetchContent_Declare(
        ${package}
        GIT_REPOSITORY ${repository}
        GIT_TAG ${tag}
        GIT_SHALLOW ON
        SYSTEM ${warpkit_subdir})
    FetchContent_MakeAvailable(${package})
endmacro()
