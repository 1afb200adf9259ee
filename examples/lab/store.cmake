# lab_store: the database of finished runs, on SQLite; without it a stand-in that says what is missing. And the name of the
# code that results are of: a hash of the library's sources, the kernels' and the user's own policies.
file(
    GLOB_RECURSE code CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/include/warpkit/*.hpp
    ${PROJECT_SOURCE_DIR}/examples/kernels/*.cpp
    ${PROJECT_SOURCE_DIR}/examples/kernels/*.hpp
    ${PROJECT_SOURCE_DIR}/examples/kernels/*.ptx)
list(APPEND code ${CMAKE_CURRENT_SOURCE_DIR}/runs.cpp ${own_headers})
list(SORT code)
list(JOIN code "\n" code_lines)
file(CONFIGURE OUTPUT code_files.txt CONTENT "${code_lines}\n" @ONLY)
set(code_hash ${CMAKE_CURRENT_BINARY_DIR}/code_hash/code_hash.hpp)
add_custom_command(
    OUTPUT ${code_hash}
    COMMAND ${CMAKE_COMMAND} -DFILES=${CMAKE_CURRENT_BINARY_DIR}/code_files.txt -DTO=${code_hash} -P
            ${CMAKE_CURRENT_SOURCE_DIR}/code_hash.cmake
    DEPENDS ${code} ${CMAKE_CURRENT_BINARY_DIR}/code_files.txt code_hash.cmake
    COMMENT "Hashing the sources that results depend on")

set(lab_in_module $<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>)
find_package(SQLite3 3.24 QUIET)
find_path(WARPKIT_TOML_INCLUDE_DIR toml++/toml.h)
if(SQLite3_FOUND)
    add_library(lab_store STATIC store.cpp ${code_hash})
    # In one piece with the lab, where that has its other libraries linked in; not with a module, which is shared code.
    set(sqlite_archive "${SQLite3_LIBRARIES}")
    list(TRANSFORM sqlite_archive REPLACE "[.]so$" ".a")
    if(EXISTS "${sqlite_archive}")
        target_link_libraries(lab_store PUBLIC "$<IF:${lab_in_module},SQLite::SQLite3,${sqlite_archive}>" ${CMAKE_DL_LIBS} m)
    else()
        target_link_libraries(lab_store PUBLIC SQLite::SQLite3)
        set(WARPKIT_LAB_LINKS_IN OFF)
    endif()
    target_include_directories(lab_store SYSTEM PRIVATE ${SQLite3_INCLUDE_DIRS})
else()
    message(STATUS "No SQLite: lab sweep and lab results will only say so (Debian and Ubuntu: libsqlite3-dev)")
    add_library(lab_store STATIC no_store.cpp ${code_hash})
endif()
target_include_directories(lab_store PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/code_hash)
target_link_libraries(lab_store PRIVATE warpkit::warpkit warpkit_warnings warpkit_in_module nlohmann_json::nlohmann_json)
