// What is left of decoding a JPEG after the entropy code (ITU-T T.81): coefficients are multiplied by the quantisation
// table and transformed back, block by block of 8 x 8, then planes of luma and of halved chroma become colours. Whole
// numbers throughout.
#include "cuda.hpp"

enum { side = 8, blocks = 4, cosine_bits = 12 };

// c(u) / 2 cos((2x + 1) u pi / 16) in 4096ths, at [x][u].
__constant__ int cosines[side * side];
__constant__ int quantisation[2 * side * side]; // of luma, then of chroma

WARPKIT_DEVICE int clamped(int x) { return min(max(x, 0), 255); }

// A CTA of 8 x 8 x 4 threads has four blocks beside each other, a thread per sample.
extern "C" __global__ void jpeg_transform(short const* coefficients, unsigned char* plane, int width,
                                          int table) {
    __shared__ int cell[blocks][side][side + 1];
    int const x = threadIdx.x, y = threadIdx.y, b = threadIdx.z;
    int const block_x = blockIdx.x * blocks + b;
    bool const inside = block_x * side < width;
    int const block = blockIdx.y * (width / side) + block_x;
    if (inside)
        cell[b][y][x] =
            coefficients[(block * side + y) * side + x] * quantisation[(table * side + y) * side + x];
    __syncthreads();
    int sum = 1 << (cosine_bits - 4);
    for (int u = 0; u < side; ++u) sum += cell[b][y][u] * cosines[x * side + u];
    __syncthreads();
    cell[b][y][x] = sum >> (cosine_bits - 3); // three bits more than a sample has
    __syncthreads();
    sum = 1 << (cosine_bits + 2);
    for (int u = 0; u < side; ++u) sum += cell[b][u][x] * cosines[y * side + u];
    if (inside)
        plane[(blockIdx.y * side + y) * width + block_x * side + x] =
            static_cast<unsigned char>(clamped((sum >> (cosine_bits + 3)) + 128));
}

// Four samples of luma and two of either chroma for each thread, which make twelve bytes.
extern "C" __global__ void jpeg_colour(unsigned const* luma, unsigned short const* blue,
                                       unsigned short const* red, unsigned* rgb, int width, int height) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x * 4 >= width || y >= height) return;
    unsigned const four = luma[y * (width / 4) + x];
    unsigned const both_blue = blue[y / 2 * (width / 4) + x], both_red = red[y / 2 * (width / 4) + x];
    unsigned char bytes[12];
    for (int i = 0; i < 4; ++i) {
        int const light = (four >> 8 * i & 255) << 16;
        int const b = static_cast<int>(both_blue >> 8 * (i / 2) & 255) - 128;
        int const r = static_cast<int>(both_red >> 8 * (i / 2) & 255) - 128;
        bytes[3 * i] = static_cast<unsigned char>(clamped((light + 91881 * r + 32768) >> 16));
        bytes[3 * i + 1] = static_cast<unsigned char>(clamped((light - 22554 * b - 46802 * r + 32768) >> 16));
        bytes[3 * i + 2] = static_cast<unsigned char>(clamped((light + 116130 * b + 32768) >> 16));
    }
    for (int i = 0; i < 3; ++i)
        rgb[(y * (width / 4) + x) * 3 + i] = bytes[4 * i] | bytes[4 * i + 1] << 8 | bytes[4 * i + 2] << 16 |
                                             static_cast<unsigned>(bytes[4 * i + 3]) << 24;
}
