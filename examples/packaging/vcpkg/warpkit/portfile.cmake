# The library for vcpkg, an overlay port of this checkout: vcpkg install warpkit --overlay-ports=examples/packaging/vcpkg
# The headers alone; the lab is installed by CMake (docs/howto/building.md).
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)
set(VCPKG_BUILD_TYPE release)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS -DWARPKIT_BUILD_TESTS=OFF -DWARPKIT_BUILD_EXAMPLES=OFF -DWARPKIT_BUILD_BENCH=OFF -DWARPKIT_BUILD_FACADE=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/warpkit)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
