# What warpkit-cuda takes and refuses, and where its results go: whole, through links, into devices as they are, never in
# an input's place.
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

shell(0 "warpkit-ptx-check" "$CUDA --print-checker")
shell(0 "^$" "$CUDA --ptx k.cu && grep -q 'visible .entry' k.ptx")
shell(0 "^$" "ln -s real.ptx link && $CUDA --ptx k.cu -o link && test -L link && cmp real.ptx k.ptx")
shell(0 "^$" "$CUDA --ptx k.cu -o - | cmp - k.ptx")
shell(0 "^$" "$CUDA --ptx k.cu -o /dev/null && test -c /dev/null")
shell(2 "cannot write /dev/full" "$CUDA --ptx k.cu -o /dev/full")
shell(0 "^$" "$CUDA -c k.cu -o k.o -MD && grep -q '^k.o: k.cu' k.d && test -s k.o")
shell(2 "an argument is empty" "$CUDA -c k.cu -o k.o ''")
shell(2 "-o [.]/k.cu is also an input" "$CUDA -c k.cu -o ./k.cu")
shell(2 "-o [.]: it is a folder" "$CUDA -c k.cu -o .")
shell(2 "cannot write none/k.o: its folder cannot be written to" "$CUDA -c k.cu -o none/k.o")
file(WRITE ${WORK_DIR}/bad.cu "__global__ void k() { nothing }\n")
shell(1 "error" "cp k.ptx before && $CUDA --ptx bad.cu -o k.ptx")
shell(0 "^$" "cmp before k.ptx")
# What is accepted: libstdc++'s headers that write __noinline__, nvcc's way with "<< <", compute capabilities.
file(WRITE ${WORK_DIR}/headers.cu [[
#include <algorithm>
#include <filesystem>
#include <future>
#include <memory>
#include <regex>
__noinline__ __device__ int f(int x) { return x + 1; }
__global__ void k(int* p) { p[threadIdx.x] = f(threadIdx.x); }
]])
shell(0 "^$" "$CUDA -std=c++17 --ptx headers.cu -o headers.ptx")
# C++17 where nothing is said, with what was there before it.
file(WRITE ${WORK_DIR}/default.cu [[
static_assert(__cplusplus == 201703L, "as nvcc's");
static_assert(__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10 == CUDART_VERSION, "of one version");
#if !defined(CCCL_DISABLE_NVTX) // or CCCL looks for more of NVTX than there is
#error
#endif
void f() throw(int);
int g(register int x) { return x; }
__global__ void k(int* p) {
    if (p == nullptr) __brkpt();
    p[threadIdx.x] = 1;
}
]])
shell(0 "^$" "$CUDA --ptx default.cu -o default.ptx")
shell(1 "as nvcc's" "$CUDA -std=c++14 --ptx default.cu -o default.ptx")
# A macro that is a pragma, which nvcc's preprocessor leaves behind as a line of its own.
file(WRITE ${WORK_DIR}/pragma.cu [[
#define UNROLL #pragma unroll
__global__ void k(int* p) {
    UNROLL
    for (int i = 0; i < 4; ++i) p[i] = i;
}
int main() {}
]])
shell(0 "^$" "$CUDA --ptx pragma.cu -o pragma.ptx")
file(WRITE ${WORK_DIR}/joined.cu [[
#include <vector>
#define LAUNCH(k, g, b) k << < g, b >> >
#if defined(__CUDA_ARCH__)
__constant__ int capability = __CUDA_ARCH__;
#else
__constant__ int capability;
#endif
__global__ void k(int* p) { p[threadIdx.x] = capability; }
char const* text = "a << < b >> >";
int main() {
    std::vector<std::vector<int> > none;
    k << < 2, 32 >> > (nullptr);
    k <<< dim3(1 << 3 > 2),
        dim3(32) >> >
       (nullptr);
    LAUNCH(k, 1, 32)(nullptr);
}
]])
shell(0 "^$" "$CUDA -c joined.cu -o joined.o && grep -q 'a << < b >> >' joined.o")
shell(1 "wrong.cu:11:[0-9]+: error" "sed 's/none;/none/' joined.cu > wrong.cu && $CUDA -c wrong.cu")
shell(0 "^$" "$CUDA -arch=sm_60 --ptx joined.cu -o - | grep -q '^.target sm_60'")
shell(0 "^$" "$CUDA -gencode arch=compute_80,code=sm_80 -gencode=arch=compute_75,code=sm_75 --ptx k.cu -o - | grep -q '^.target sm_75'")
shell(0 "^$" "$CUDA --cuda-gpu-arch=sm_80 --ptx joined.cu -o - | grep -q 'capability = 800'")
shell(2 "-arch=sm_999: no such compute capability" "$CUDA -arch=sm_999 -c k.cu")
# What the runtime would refuse is an error of the compilation, with the line of the source.
file(WRITE ${WORK_DIR}/form.cu [[
__device__ inline unsigned odd(unsigned x) {
    asm("frobnicate.u32 %0, %0;" : "+r"(x));
    return x;
}
__global__ void k(unsigned* p) {
    p[threadIdx.x] = odd(threadIdx.x);
}
]])
shell(1 "form.cu:2: error: unknown opcode 'frobnicate.u32'" "$CUDA -c form.cu -o form.o")
shell(1 "" "test -e form.o")
# Special registers with one %, beside operands and two.
file(WRITE ${WORK_DIR}/registers.cu [[
__device__ unsigned core() { unsigned x; asm volatile("mov.u32 %0, %smid;" : "=r"(x)); return x; }
__global__ void k(unsigned* p) {
    unsigned y;
    asm("{\n\t.reg .u32 t;\n\tmov.u32 t, %laneid;\n\t"
        "add.u32 %0, t, %%warpid;\n\t}" : "=r"(y));
    p[0] = core() + y;
}
int main() {}
]])
shell(0 "^$" "$CUDA --ptx registers.cu -o registers.ptx && grep -q ', %smid;' registers.ptx && grep -q ', %laneid;' registers.ptx")
# An alignment behind __shared__, in its line and in the next; and with all that clang does not take at once.
file(WRITE ${WORK_DIR}/alignment.cu [=[
struct counter { unsigned n; __device__ counter() : n(7) {} };
__device__ unsigned core() { unsigned x; asm volatile("mov.u32 %0, %smid;" : "=r"(x)); return x; }
__global__ void k(unsigned* p) {
    extern __shared__ alignas(1024) unsigned char all[];
    static __shared__ alignas(sizeof(counter) * 4) short few[3];
    __shared__
        alignas(64) float line[2];
    __shared__ alignas(128) counter two[2];
    all[p[0]] = few[p[1]] = line[p[2]] = two[p[3]].n = core();
    p[0] = all[p[4]] + few[p[5]] + line[p[6]] + two[p[7]].n;
}
int main() { k << <1, 1, 8>> >(nullptr); }
]=])
shell(0 "^$" "$CUDA --ptx alignment.cu -o alignment.ptx && grep -q 'align 1024 .b8 all' alignment.ptx && grep -q 'align 16 .b8 .*few.6' alignment.ptx && grep -q 'align 64 .b8 .*line.8' alignment.ptx && grep -q 'align 128 .b8 .*two_warpkit_raw' alignment.ptx && $CUDA -c alignment.cu -o alignment.o")
# In a region of OpenMP the host prints by its own printf.
file(WRITE ${WORK_DIR}/threads.cu [[
#include <cstdio>
int main() {
#pragma omp parallel
    printf("%d %u\n", 1, 2u);
}
]])
shell(0 "^$" "$CUDA -c threads.cu -o threads.o -Xcompiler -fopenmp && nm threads.o | grep -q ' U printf$'")
# A source that is mended, here for what its threads launch, tells its dependencies too.
file(WRITE ${WORK_DIR}/launches.cu [[
#include "child.cuh"
__global__ void k(int* p) {
    child<<<1, 32>>>(p, 'c');
    other<int><<<
        2, 4>>>(p, 5);
}
int main() { k<<<1, 1>>>(nullptr); }
]])
file(WRITE ${WORK_DIR}/child.cuh [[
__global__ void child(int* p, char c) { p[threadIdx.x] = c; }
template <class T>
__global__ void other(T* p, T x) { p[threadIdx.x] = x; }
]])
shell(0 "^$" "$CUDA -c launches.cu -o launches.o -MD -MF launches.d -MT name && grep -q '^name: launches.cu' launches.d && grep -q child.cuh launches.d")
shell(0 "^$" "$CUDA -c launches.cu -o launches.o -rdc=true -MD && grep -q '^launches.o: launches.cu' launches.d && test -s launches.o")
shell(0 "^$" "$CUDA --ptx launches.cu -o launches.ptx && test $(grep -c 'entry .*(' launches.ptx) -ge 3 && grep -q warpkit_cuda_configure launches.ptx")
# A survey tells programs by how far they come, and leaves its folder as it is. Without a runtime nothing links.
file(MAKE_DIRECTORY ${WORK_DIR}/programs/one ${WORK_DIR}/programs/two ${WORK_DIR}/programs/made)
file(WRITE ${WORK_DIR}/programs/one/main.cu "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n")
file(WRITE ${WORK_DIR}/programs/two/main.cu "#include <no_such.h>\nint main() {}\n")
file(WRITE ${WORK_DIR}/programs/made/Makefile "all:\n\tnvcc -c form.cu\n")
file(WRITE ${WORK_DIR}/programs/made/form.cu "__global__ void k() { asm(\"frobnicate.u32;\"); }\n")
file(WRITE ${WORK_DIR}/programs/good.ptx ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n")
file(WRITE ${WORK_DIR}/programs/bad.ptx ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k() { frob; }\n")
file(WRITE ${WORK_DIR}/none.a "!<arch>\n")
shell(0 "ended +1 +20.0.*link +1 +20.0.*compile +3 +60.0.*5 programs; 1 built.*link +1 +not defined: [a-zA-Z_]*cuda.*compile +1 +.*no_such.h"
    "WARPKIT_CUDA_RUNTIME=${WORK_DIR}/none.a $CUDA --survey programs --json survey.json --keep kept && ls programs/*")
file(READ ${WORK_DIR}/survey.json survey)
string(JSON programs LENGTH "${survey}" programs)
string(JSON compile GET "${survey}" stages compile)
if(NOT programs EQUAL 5 OR NOT compile EQUAL 3)
    message(SEND_ERROR "survey.json: ${survey}")
endif()
file(GLOB_RECURSE left RELATIVE ${WORK_DIR}/programs ${WORK_DIR}/programs/*)
if(NOT left STREQUAL "bad.ptx;good.ptx;made/Makefile;made/form.cu;one/main.cu;two/main.cu")
    message(SEND_ERROR "the survey left ${left}")
endif()
shell(0 "2 programs; 2 built" "WARPKIT_CUDA_RUNTIME=${WORK_DIR}/none.a $CUDA --survey programs --seconds 0 --only 'good|^one/m' -- -c")
shell(2 "no_folder: expected a folder" "$CUDA --survey no_folder")
shell(2 "expected a number from 1" "$CUDA --survey programs --every 0")
# Headers that programs include by name: all of them at once in C++11, those of the host in C. What is declared alone can
# be compiled.
set(names "")
foreach(name IN ITEMS
        cuda_awbarrier.h cuda_awbarrier_primitives.h cuda_pipeline.h cuda_pipeline_primitives.h cuda_occupancy.h cuda_fp8.hpp
        cuda_fp6.hpp cuda_fp4.hpp curand_mrg32k3a.h curand_normal_static.h curand_discrete2.h cudaProfiler.h
        sm_32_atomic_functions.h sm_35_atomic_functions.h sm_61_intrinsics.h surface_indirect_functions.h
        device_atomic_functions.hpp device_functions.hpp math_functions.hpp sm_20_atomic_functions.hpp sm_20_intrinsics.hpp
        sm_30_intrinsics.hpp sm_32_atomic_functions.hpp sm_32_intrinsics.hpp sm_60_atomic_functions.hpp sm_61_intrinsics.hpp
        vector_functions.hpp crt/common_functions.h crt/device_functions.h crt/device_double_functions.h crt/host_config.h
        crt/host_defines.h crt/math_functions.h crt/mma.h crt/sm_70_rt.h crt/sm_80_rt.h crt/sm_90_rt.h crt/sm_100_rt.h)
    string(APPEND names "#include <${name}>\n")
endforeach()
set(host_names "")
foreach(name IN ITEMS cublasXt.h cuda_occupancy.h cufftw.h cusolverDn.h cusolverSp.h cusolverSp_LOWLEVEL_PREVIEW.h cusolverRf.h nvrtc.h)
    string(APPEND host_names "#include <${name}>\n")
endforeach()
file(WRITE ${WORK_DIR}/names.cu "${names}${host_names}__global__ void k(float* p) { *p = (float)__nv_fp4_e2m1(*p); }
int main() {
    cusolverSpHandle_t h;
    return cusolverSpCreate(&h) != CUSOLVER_STATUS_SUCCESS;
}\n")
file(WRITE ${WORK_DIR}/names.c "${host_names}cudaOccDeviceProp none;\n")
shell(0 "^$" "$CUDA -c names.c -o names_c.o && $CUDA -std=c++11 -c names.cu -o names.o")
shell(1 "undefined reference to .cusolverSpCreate" "WARPKIT_CUDA_RUNTIME=${WORK_DIR}/names_c.o $CUDA names.o -o names")

# For programs that a toolkit has linked: a library by each toolkit's name, with its symbols' version.
shell(0 "libcudart.so.11.0.*soname.,libcudart.so.12.*version-script.*shared/libcudart.so.13" "$CUDA --dryrun --shared-runtime shared 2>&1")
