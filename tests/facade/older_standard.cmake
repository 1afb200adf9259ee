# HEADER, included under C++11 to C++17, must end in one message of ours, and nothing else.
file(MAKE_DIRECTORY ${WORK_DIR})
string(MAKE_C_IDENTIFIER ${HEADER} name)
file(WRITE ${WORK_DIR}/${name}.cpp "#include <${HEADER}>\nint main() {}\n")
foreach(standard IN ITEMS 11 14 17)
    execute_process(
        COMMAND ${COMPILER} -std=c++${standard} -I${INCLUDE} -fsyntax-only ${WORK_DIR}/${name}.cpp
        RESULT_VARIABLE failed
        ERROR_VARIABLE said)
    string(REGEX MATCHALL "error: " errors "${said}")
    list(LENGTH errors count)
    if(NOT failed
       OR NOT said MATCHES "error: [^\n]*needs C\\+\\+20[^\n]*<warpkit/facade/facade.hpp>"
       OR NOT said MATCHES "fatal error: '?warpkit_needs_cxx20"
       OR NOT count EQUAL 2)
        message(FATAL_ERROR "C++${standard} is told:\n${said}")
    endif()
endforeach()
