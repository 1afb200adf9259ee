// What kernels print: strings as they are when printf is called, wherever they lie.
#include <cstdio>
#include <cuda_runtime.h>

__constant__ char fixed[] = "constant";
__device__ char changing[16] = "before";
__device__ char form[] = "by a form: %s %d\n";

__global__ void strings() {
    // Changed behind the call, in each of the memories that a kernel can write.
    __shared__ char shared[8];
    char local[8];
    for (int i = 0; i < 7; ++i) shared[i] = local[i] = 'a' + i;
    shared[7] = local[7] = 0;
    printf("shared %s, local %s, global %s, %s\n", shared, local, changing, fixed);
    for (int i = 0; i < 7; ++i) shared[i] = local[i] = 'z';
    char const after[] = "after";
    for (int i = 0; i < 6; ++i) changing[i] = after[i];
    printf("shared %s, local %s, global %s\n", shared, local, changing);
    // As with the host's printf.
    printf("[%8.3s][%-6s][%.*s][%*s]%% %c %p\n", "abcdef", "ab", 2, local, 5, "xyz", 'c', (void*)0x10);
    char const open[3] = {'n', 'o', 'e'}; // without an end
    printf("[%.3s] [%s] %d\n", open, (char const*)0, 7);
    char f[] = "local form: %d %s\n";
    printf(f, 5, local);
    for (int i = 0; i < 5; ++i) f[i] = '?';
    printf(form, changing, 9);
    char const* const none = 0;
    if (printf(none) != -1 || printf("two %d %s\n", 1, "arguments") != 2) printf("WRONG\n");
    unsigned char const bytes[] = "unsigned";
    printf("%s %d%%\n", bytes, 100);
}

// Numbers as the host prints them: of every length, with widths and precisions of every kind.
__global__ void numbers() {
    printf("[%hd %hhd %hu %hhx] [%lld %llx %ld %zu %jd]\n", 70000, 300, -1, -1, -5ll, ~0ull, -7l, (size_t)9,
           10l);
    printf("[%*d|%-*d|%*d] [%.*f|%8.*f|%.*s] [%+d|% d|%05d|%#x]\n", 6, 42, 6, 42, -6, 42, 2, 3.14159, 3,
           2.71828, -1, "all of it", 5, 5, 42, 255);
    printf("[%600d]\n", 7);
    printf("[%c%c%c] [%5%] [%Lg]\n", 'a', 'b', 'c', 0.5);
    printf("[%q] [%n] [%S] [%2$d] [%m] %d %s %\n", 5, "five"); // what is no conversion takes no argument
}

// Each lane its own string, of its own length.
__global__ void lanes() {
    char text[33];
    for (unsigned i = 0; i < threadIdx.x; ++i) text[i] = '0' + threadIdx.x;
    text[threadIdx.x] = 0;
    printf("lane %u: %s.\n", threadIdx.x, text);
}

// More than the buffer holds, and then something short again.
__global__ void much(int n) {
    for (int i = 0; i < n; ++i) printf("number %d\n", i);
}
__global__ void little() { printf("%d and %d\n", 1, 2); }

int main() {
    strings<<<1, 1>>>();
    numbers<<<1, 1>>>();
    lanes<<<1, 4>>>();
    for (int i = 0; i < 2; ++i) {
        much<<<1, 1>>>(i == 0 ? 40000 : 3);
        little<<<1, 1>>>();
    }
    std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASSED" : "FAILED");
    return 0;
}
