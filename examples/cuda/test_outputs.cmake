# Where warpkit-cuda's results go: whole, through links, into devices as they are, never in an input's place.
# cmake -DDRIVER=warpkit-cuda -DWORK_DIR=... -P test_outputs.cmake; the compiler is $WARPKIT_CLANG or as the driver finds it.

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
file(WRITE ${WORK_DIR}/k.cu "__global__ void k(int* p) { p[threadIdx.x] = 1; }\n")

function(shell status expected line)
    execute_process(
        COMMAND ${CMAKE_COMMAND} -E env CUDA=${DRIVER} sh -c "${line}"
        WORKING_DIRECTORY ${WORK_DIR}
        RESULT_VARIABLE result
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    if(NOT result EQUAL status OR NOT output MATCHES "${expected}")
        message(SEND_ERROR "${line}: exit status ${result}, expected ${status} and ${expected}, found\n${output}")
    endif()
    file(GLOB left "${WORK_DIR}/.warpkit-*" "${WORK_DIR}/*.ll")
    if(left)
        message(SEND_ERROR "${line}: left ${left}")
    endif()
endfunction()

shell(0 "^$" "$CUDA --ptx k.cu && grep -q 'visible .entry' k.ptx")
shell(0 "^$" "ln -s real.ptx link && $CUDA --ptx k.cu -o link && test -L link && cmp real.ptx k.ptx")
shell(0 "^$" "$CUDA --ptx k.cu -o - | cmp - k.ptx")
shell(0 "^$" "$CUDA --ptx k.cu -o /dev/null && test -c /dev/null")
shell(2 "cannot write /dev/full" "$CUDA --ptx k.cu -o /dev/full")
shell(0 "^$" "$CUDA -c k.cu -o k.o -MD && grep -q '^k.o: k.cu' k.d && test -s k.o")
shell(2 "-o [.]/k.cu is also an input" "$CUDA -c k.cu -o ./k.cu")
shell(2 "-o [.]: it is a folder" "$CUDA -c k.cu -o .")
shell(2 "cannot write none/k.o: its folder cannot be written to" "$CUDA -c k.cu -o none/k.o")
file(WRITE ${WORK_DIR}/bad.cu "__global__ void k() { nothing }\n")
shell(1 "error" "cp k.ptx before && $CUDA --ptx bad.cu -o k.ptx")
shell(0 "^$" "cmp before k.ptx")
