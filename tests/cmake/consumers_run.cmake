# One consumer test; consumers.cmake says what it is about and passes the variables.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

if(WAY STREQUAL "find_package")
    execute_process(
        COMMAND ${CMAKE_COMMAND} --install ${WARPKIT_BINARY_DIR} --prefix ${WORK_DIR}/prefix
        OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    set(where "-DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix;${PREFIX_PATH}")
else()
    set(where -DWARPKIT_SOURCE_DIR=${WARPKIT_SOURCE_DIR} "-DCMAKE_PREFIX_PATH=${PREFIX_PATH}")
endif()
execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK_DIR}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
            -DWARPKIT_VERSION=${WARPKIT_VERSION} ${where} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/build COMMAND_ERROR_IS_FATAL ANY)
execute_process(
    COMMAND ${WORK_DIR}/build/consumer
    OUTPUT_VARIABLE said
    COMMAND_ERROR_IS_FATAL ANY)
if(NOT said STREQUAL "warpkit ${WARPKIT_VERSION}\n")
    message(FATAL_ERROR "the consumer said: ${said}")
endif()
