# A project that uses warpkit, built from nothing both ways: against an installed copy found by find_package, and as
# a folder of its own by add_subdirectory.
set(consumers find_package add_subdirectory)
if(NOT WARPKIT_INSTALL OR NOT Boost_FOUND) # a Hana that was fetched is not there for others to find
    list(REMOVE_ITEM consumers find_package)
endif()
foreach(way IN LISTS consumers)
    add_test(
        NAME house.consumer.${way}
        COMMAND
            ${CMAKE_COMMAND} -DWAY=${way} -DWARPKIT_SOURCE_DIR=${PROJECT_SOURCE_DIR}
            -DWARPKIT_BINARY_DIR=${PROJECT_BINARY_DIR} -DWARPKIT_VERSION=${PROJECT_VERSION}
            -DCONSUMER=${CMAKE_CURRENT_SOURCE_DIR}/house/consumer
            -DWORK_DIR=${CMAKE_CURRENT_BINARY_DIR}/consumer/${way} -DGENERATOR=${CMAKE_GENERATOR}
            -DCOMPILER=${CMAKE_CXX_COMPILER} -DPREFIX_PATH=${CMAKE_PREFIX_PATH} -P
            ${PROJECT_SOURCE_DIR}/tests/cmake/consumers_run.cmake)
endforeach()
