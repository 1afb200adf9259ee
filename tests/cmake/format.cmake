# Targets `format` (rewrites) and `format-check` (refuses), where clang-format is found and this is the whole project.
if(NOT PROJECT_IS_TOP_LEVEL)
    return()
endif()
find_program(WARPKIT_CLANG_FORMAT NAMES clang-format-14 clang-format)
if(WARPKIT_CLANG_FORMAT)
    foreach(target IN ITEMS format format-check)
        add_custom_target(
            ${target}
            COMMAND ${CMAKE_COMMAND} -DMODE=${target} -DCLANG_FORMAT=${WARPKIT_CLANG_FORMAT} -P
                    ${PROJECT_SOURCE_DIR}/tests/cmake/format_run.cmake
            WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
            VERBATIM)
    endforeach()
endif()
