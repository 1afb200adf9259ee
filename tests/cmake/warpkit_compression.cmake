# warpkit::compression: what reads and writes compressed traces (frontend/accelsim/compression.hpp) and reads the PTX of fat
# binaries (frontend/ptx/fat_binary.hpp), as far as its libraries are found. Without any it is empty, and what is compressed
# is refused by name.
if(TARGET warpkit::compression)
    return()
endif()
add_library(warpkit::compression INTERFACE IMPORTED GLOBAL)
foreach(
    library IN
    ITEMS "LZMA|lzma.h|lzma" #
          "ZLIB|zlib.h|z" #
          "LZ4|lz4.h|lz4" #
          "ZSTD|zstd.h|zstd")
    string(REPLACE "|" ";" library "${library}")
    list(GET library 0 name)
    list(GET library 1 header)
    list(GET library 2 file)
    find_path(WARPKIT_${name}_INCLUDE_DIR ${header})
    find_library(WARPKIT_${name}_LIBRARY ${file})
    mark_as_advanced(WARPKIT_${name}_INCLUDE_DIR WARPKIT_${name}_LIBRARY)
    if(WARPKIT_${name}_INCLUDE_DIR AND WARPKIT_${name}_LIBRARY)
        target_include_directories(warpkit::compression SYSTEM INTERFACE ${WARPKIT_${name}_INCLUDE_DIR})
        target_link_libraries(warpkit::compression INTERFACE ${WARPKIT_${name}_LIBRARY})
        target_compile_definitions(warpkit::compression INTERFACE WARPKIT_HAS_${name})
    endif()
endforeach()
