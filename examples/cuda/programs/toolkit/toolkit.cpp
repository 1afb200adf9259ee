// What nvcc of CUDA 13 makes of a program's host side, written out: a fat binary with PTX, the kernels and variables
// that it registers before main, and the functions that its launches call.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <string>
#include <string_view>

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
char __cudaInitModule(void** handle);
int __cudaRegisterFunction(void** handle, char const* host, char* device, char const* name, int limit,
                           void* thread, void* block, void* block_dim, void* grid_dim, int* warp_size);
void __cudaRegisterVar(void** handle, char* host, char* device, char const* name, int is_extern,
                       std::size_t bytes, int constant, int global);
void __cudaRegisterManagedVar(void** handle, void** host, char* device, char const* name, int is_extern,
                              std::size_t bytes, int constant, int global);
cudaError_t __cudaGetKernel(void const** kernel, void const* function);
cudaError_t __cudaLaunchKernel(void const* kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream);
}

namespace {

// sums[i] = factor * values[i], and the last of them in a managed variable.
constexpr std::string_view text = R"(.version 9.0
.target sm_90
.address_size 64
.const .align 4 .f32 factor = 0f3F800000;
.global .attribute(.managed) .align 4 .f32 last = 0f41100000;
.visible .entry scaled(.param .u64 p0, .param .u64 p1)
{
.reg .b32 %r<2>; .reg .b64 %rd<4>; .reg .f32 %f<3>;
ld.param.u64 %rd0, [p0]; ld.param.u64 %rd1, [p1];
mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4;
add.u64 %rd0, %rd0, %rd2; add.u64 %rd1, %rd1, %rd2;
ld.global.f32 %f0, [%rd0]; ld.const.f32 %f1, [factor]; mul.f32 %f0, %f0, %f1;
st.global.f32 [%rd1], %f0; st.global.f32 [last], %f0;
ret;
}
)";

std::string little_endian(std::uint64_t value, unsigned bytes) {
    std::string digits;
    for (unsigned k = 0; k < bytes; ++k) digits += static_cast<char>(value >> 8 * k & 0xff);
    return digits;
}
std::string fat_binary() {
    auto const padded = (text.size() + 7) / 8 * 8;
    auto image =
        little_endian(1, 2) + little_endian(0x101, 2) + little_endian(64, 4) + little_endian(padded, 8);
    image.resize(28);
    image += little_endian(90, 4) + little_endian(0, 8) + little_endian(0x11, 8);
    image.resize(64);
    image += text;
    image.resize(64 + padded);
    return little_endian(0xBA55ED50, 4) + little_endian(1, 2) + little_endian(16, 2) +
           little_endian(image.size(), 8) + image;
}

void scaled() {} // what the host calls; its address is the kernel's name
char factor;
float* last;

struct registered {
    registered() {
        static auto const binary = fat_binary();
        static struct {
            int magic = 0x466243b1;
            int version = 1;
            void const* data = binary.data();
            void* unused = nullptr;
        } wrapper;
        auto** const handle = __cudaRegisterFatBinary(&wrapper);
        __cudaRegisterFunction(handle, reinterpret_cast<char const*>(&scaled), nullptr, "scaled", -1, nullptr,
                               nullptr, nullptr, nullptr, nullptr);
        __cudaRegisterVar(handle, &factor, nullptr, "factor", 0, 4, 1, 0);
        __cudaRegisterManagedVar(handle, reinterpret_cast<void**>(&last), nullptr, "last", 0, 4, 0, 0);
        __cudaRegisterFatBinaryEnd(handle);
        __cudaInitModule(handle);
    }
} const at_start;

} // namespace

// That of CUDA 13 has another structure: major and minor lie at 360.
#undef cudaGetDeviceProperties
extern "C" cudaError_t cudaGetDeviceProperties(void* properties, int device);

int main() {
    bool good = last != nullptr && *last == 9;
    unsigned char properties[1008];
    good = good && cudaGetDeviceProperties(properties, 0) == cudaSuccess;
    int version[2];
    std::memcpy(version, properties + 360, sizeof version);
    good = good && version[0] == 9 && version[1] == 0;

    float values[32], sums[32]{};
    for (int i = 0; i < 32; ++i) values[i] = static_cast<float>(i);
    void* from = nullptr;
    void* to = nullptr;
    cudaMalloc(&from, sizeof values);
    cudaMalloc(&to, sizeof sums);
    cudaMemcpy(from, values, sizeof values, cudaMemcpyHostToDevice);
    float const three = 3;
    cudaMemcpyToSymbol(&factor, &three, sizeof three, 0, cudaMemcpyHostToDevice);
    void const* kernel = nullptr;
    void* arguments[] = {&from, &to};
    good = good && __cudaGetKernel(&kernel, reinterpret_cast<void const*>(&scaled)) == cudaSuccess &&
           __cudaLaunchKernel(kernel, dim3(1), dim3(32), arguments, 0, nullptr) == cudaSuccess;
    cudaMemcpy(sums, to, sizeof sums, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; ++i) good = good && sums[i] == 3 * values[i];
    good = good && *last == 93;

    // The same bytes as a module.
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    good = good && cuModuleLoadData(&module, fat_binary().c_str()) == CUDA_SUCCESS &&
           cuModuleGetFunction(&function, module, "scaled") == CUDA_SUCCESS;
    char const machine_code[] = "\x7F"
                                "ELF and more";
    good = good && cuModuleLoadData(&module, machine_code) == CUDA_ERROR_NO_BINARY_FOR_GPU;

    // A function whose arguments are others there.
    cudaGraph_t graph = nullptr;
    void* managed = nullptr;
    good = good && cudaGraphCreate(&graph, 0) == cudaSuccess &&
           cudaGraphAddDependencies(graph, nullptr, nullptr, 0) == cudaErrorNotSupported &&
           cudaMallocManaged(&managed, 256, cudaMemAttachGlobal) == cudaSuccess &&
           cudaMemPrefetchAsync(managed, 256, 1, nullptr) == cudaSuccess;
    std::puts(good ? "PASSED" : "FAILED");
    return good ? 0 : 1;
}
