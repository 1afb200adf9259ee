# Target `api_docs` and test of the same name, where Doxygen is found and this is the whole project: the API reference from the
# docstrings, in <build>/api/html. Its warnings are errors.
if(NOT PROJECT_IS_TOP_LEVEL)
    return()
endif()
find_program(WARPKIT_DOXYGEN NAMES doxygen)
if(WARPKIT_DOXYGEN)
    file(WRITE ${PROJECT_BINARY_DIR}/api/Doxyfile
         "@INCLUDE = ${PROJECT_SOURCE_DIR}/docs/Doxyfile\nOUTPUT_DIRECTORY = ${PROJECT_BINARY_DIR}/api\n")
    set(command ${WARPKIT_DOXYGEN} ${PROJECT_BINARY_DIR}/api/Doxyfile)
    add_custom_target(api_docs COMMAND ${command} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
    if(WARPKIT_BUILD_TESTS)
        add_test(NAME api_docs COMMAND ${command} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    endif()
endif()
