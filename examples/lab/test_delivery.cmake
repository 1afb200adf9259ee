# What `cmake --install` and CPack bring: programs that run, completions, man page, kernels, pkg-config.
# cmake -DBUILD=<build folder with a lab> -DWORK_DIR=... -P test_delivery.cmake
cmake_minimum_required(VERSION 3.25)
set(limit 300)
set(there ${WORK_DIR}/there)
set(LAB ${there}/bin/lab)
include(${CMAKE_CURRENT_LIST_DIR}/test_support.cmake)

execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${there} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
set(files bin/lab bin/warpkit-cuda include/warpkit/version.hpp share/man/man1/lab.1 share/bash-completion/completions/lab
          share/zsh/site-functions/_lab share/fish/vendor_completions.d/lab.fish share/pkgconfig/warpkit.pc
          share/warpkit/kernels/sdk/vecadd.ptx share/warpkit/kernels/sdk/vecadd.cu share/cmake/warpkit/warpkitConfig.cmake)
foreach(file IN LISTS files)
    if(NOT EXISTS ${there}/${file})
        message(SEND_ERROR "cmake --install brings no ${file}")
    endif()
endforeach()
lab(0 "vecadd" run --kernel vecadd --param vecadd.n=512 --scheduler gto)
lab(0 "^warpkit [0-9.]+" --version)
string(REGEX MATCH "[0-9.]+" version "${output}")
file(READ ${CMAKE_CURRENT_LIST_DIR}/../packaging/vcpkg/warpkit/vcpkg.json port)
string(JSON port_version GET "${port}" version)
if(NOT port_version STREQUAL version)
    message(SEND_ERROR "the vcpkg port is of ${port_version}, the lab of ${version}")
endif()
find_program(pkg_config NAMES pkg-config pkgconf)
if(pkg_config)
    shell(0 "^${version}\n.*-I[^ ]*/there/.*include" "export PKG_CONFIG_PATH=${there}/share/pkgconfig
        ${pkg_config} --modversion warpkit; ${pkg_config} --cflags warpkit")
endif()

# The package has the same files.
execute_process(COMMAND ${CMAKE_CPACK_COMMAND} --config ${BUILD}/CPackConfig.cmake -G TGZ -B ${WORK_DIR}/packages
                WORKING_DIRECTORY ${WORK_DIR} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB package ${WORK_DIR}/packages/warpkit-*.tar.gz)
execute_process(COMMAND ${CMAKE_COMMAND} -E tar tf ${package} OUTPUT_VARIABLE listed)
foreach(file IN LISTS files)
    if(NOT listed MATCHES "/${file}\n")
        message(SEND_ERROR "${package} has no ${file}")
    endif()
endforeach()
find_program(dpkg_deb dpkg-deb)
if(dpkg_deb)
    execute_process(COMMAND ${CMAKE_CPACK_COMMAND} --config ${BUILD}/CPackConfig.cmake -G DEB -B ${WORK_DIR}/packages
                    WORKING_DIRECTORY ${WORK_DIR} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    file(GLOB package ${WORK_DIR}/packages/warpkit_*.deb)
    shell(0 "Package: warpkit\n.*/usr/bin/lab\n" "${dpkg_deb} --info ${package}; ${dpkg_deb} --contents ${package}")
endif()
