# Installs libwarpkit, and builds the C11 and the C++11 program with what was installed, two ways.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK_DIR})
execute_process(
    COMMAND ${CMAKE_COMMAND} --install ${BINARY_DIR} --prefix ${WORK_DIR}/prefix
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(
    COMMAND
        ${CMAKE_COMMAND} -S ${SOURCES}/consumer -B ${WORK_DIR}/build -G ${GENERATOR} -DCMAKE_C_COMPILER=${C_COMPILER}
        -DCMAKE_CXX_COMPILER=${CXX_COMPILER} "-DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix;${PREFIX_PATH}"
    COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/build COMMAND_ERROR_IS_FATAL ANY)
foreach(program IN ITEMS c11 c11_static cxx11)
    execute_process(COMMAND ${WORK_DIR}/build/${program} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

if(PKG_CONFIG)
    file(GLOB_RECURSE found ${WORK_DIR}/prefix/warpkit-facade.pc)
    cmake_path(GET found PARENT_PATH folder)
    set(ENV{PKG_CONFIG_PATH} ${folder})
    execute_process(
        COMMAND ${PKG_CONFIG} --cflags --libs warpkit-facade
        OUTPUT_VARIABLE flags
        OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    file(GLOB_RECURSE library ${WORK_DIR}/prefix/*/libwarpkit.so)
    cmake_path(GET library PARENT_PATH libraries)
    execute_process(
        COMMAND ${C_COMPILER} -std=c11 ${SOURCES}/c11.c ${flags} -Wl,-rpath,${libraries} -o ${WORK_DIR}/by_pkg_config
        COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${WORK_DIR}/by_pkg_config COMMAND_ERROR_IS_FATAL ANY)
endif()
