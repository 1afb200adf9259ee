# cmake -DINPUT=NAME.ptx -DOUTPUT=NAME.ptx.hpp -DNAME=NAME -P embed.cmake: a text file as a C++ constant. It
# goes in pieces, because compilers need not take a string literal of any length.
file(READ "${INPUT}" text)
string(LENGTH "${text}" length)
set(piece_length 8000)
set(pieces "")
set(at 0)
while(at LESS length)
    string(SUBSTRING "${text}" ${at} ${piece_length} piece)
    string(APPEND pieces "\nR\"ptx(${piece})ptx\"")
    math(EXPR at "${at} + ${piece_length}")
endwhile()
file(WRITE "${OUTPUT}" "#pragma once\n#include <string_view>\nnamespace warpkit::kernels {\n")
file(APPEND "${OUTPUT}" "inline constexpr char ${NAME}_text[] =${pieces};\n")
# The length is told: GCC counts no more than 2^18 characters at compile time.
file(APPEND "${OUTPUT}" "inline constexpr std::string_view ${NAME}_ptx(${NAME}_text, sizeof ${NAME}_text - 1);\n}\n")
