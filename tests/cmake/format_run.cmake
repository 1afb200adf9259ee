# cmake -DMODE=format|format-check -DCLANG_FORMAT=... -P format_run.cmake, in the top folder of the project
set(patterns)
foreach(folder IN ITEMS include examples tests bench)
    list(APPEND patterns ${folder}/*.hpp ${folder}/*.cpp)
endforeach()
file(GLOB_RECURSE files ${patterns})
list(FILTER files EXCLUDE REGEX "/fixtures/") # wrong on purpose, to the line
if(MODE STREQUAL "format")
    set(mode -i)
else()
    set(mode --dry-run -Werror)
endif()
execute_process(COMMAND ${CLANG_FORMAT} ${mode} ${files} COMMAND_ERROR_IS_FATAL ANY)
