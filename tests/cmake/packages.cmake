# warpkit.pc, and packages by CPack: build what shall be in them (the target `lab`), then run cpack in the build folder.
if(NOT WARPKIT_INSTALL)
    return()
endif()

file(
    CONFIGURE
    OUTPUT warpkit.pc
    CONTENT
        [[prefix=${pcfiledir}/../..
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: warpkit
Description: @PROJECT_DESCRIPTION@
Version: @PROJECT_VERSION@
Cflags: -I${includedir} -ffp-contract=off -pthread
Libs: -pthread
]]
    @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/warpkit.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)

if(PROJECT_IS_TOP_LEVEL)
    set(CPACK_PACKAGE_CONTACT "The authors of warpkit")
    set(CPACK_PACKAGE_VENDOR "warpkit")
    set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
    set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
    set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
    set(CPACK_STRIP_FILES ON)
    set(CPACK_VERBATIM_VARIABLES ON)
    set(CPACK_GENERATOR TGZ)
    find_program(WARPKIT_DPKG dpkg)
    mark_as_advanced(WARPKIT_DPKG)
    if(WARPKIT_DPKG)
        list(APPEND CPACK_GENERATOR DEB)
    endif()
    set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
    set(CPACK_DEBIAN_PACKAGE_SECTION devel)
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "libboost-dev")
    set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang")
    set(CPACK_DEBIAN_COMPRESSION_TYPE gzip) # some per cent larger, and minutes sooner
    set(CPACK_SOURCE_GENERATOR TGZ)
    set(CPACK_SOURCE_IGNORE_FILES "/\\.git/" "/build/")
    include(CPack)
endif()
