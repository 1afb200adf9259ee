// Sums of absolute differences of a video encoder's motion search, for blocks of all seven shapes and all 33
// x 33 displacements. sad_4x4: one CTA of 61 threads per block of 4 x 4 pixels, 18 displacements per thread,
// gathered in shared memory and written eight bytes at a time. sad_8 and sad_16 add up those of larger
// blocks, two displacements per word.
#include "cuda.hpp"

typedef unsigned short pixel;

enum { range = 16, across = 2 * range + 1, positions = across * across, padded = 1096, per_thread = 18 };

// Where the sums of a block shape begin, in blocks: one of 16 x 16, two of 8 x 16, ... 16 of 4 x 4 each.
enum { of_16x8 = 1, of_8x16 = 3, of_8x8 = 5, of_8x4 = 9, of_4x8 = 17, of_4x4 = 25 };

WARPKIT_DEVICE int difference(int a, int b) { return a > b ? a - b : b - a; }

// Pixels outside the reference take the nearest inside.
extern "C" __global__ void sad_4x4(pixel const* frame, pixel const* reference, pixel* sums, int mb_width,
                                   int mb_height) {
    __shared__ pixel block[16];
    __shared__ __attribute__((aligned(8))) pixel local[padded];
    int const width = mb_width * 16, height = mb_height * 16;
    int const t = threadIdx.x;
    int const x = blockIdx.x * 4, y = blockIdx.y * 4;
    if (t < 16) block[t] = frame[(y + t / 4) * width + x + t % 4];
    __syncthreads();

    int const first = t * per_thread;
    int const last = min(first + per_thread, int(positions));
    int dx = first % across, dy = first / across;
    for (int p = first; p < last; p += 3) {
        int sum[3] = {0, 0, 0};
        for (int row = 0; row < 4; ++row) {
            int const from_y = min(max(y - range + dy + row, 0), height - 1);
            for (int column = 0; column < 6; ++column) {
                int const from_x = min(max(x - range + dx + column, 0), width - 1);
                int const there = reference[from_y * width + from_x];
                for (int i = 0; i < 3; ++i)
                    if (column >= i && column - i < 4)
                        sum[i] += difference(there, block[row * 4 + column - i]);
            }
        }
        for (int i = 0; i < 3; ++i) local[p + i] = static_cast<pixel>(sum[i]);
        dx += 3;
        if (dx >= across) {
            dx -= across;
            ++dy;
        }
    }
    __syncthreads();
    if (t >= 32) return;
    int const macroblock = blockIdx.y / 4 * mb_width + blockIdx.x / 4;
    int const inside = blockIdx.y % 4 * 4 + blockIdx.x % 4;
    pixel* const to = sums + (mb_width * mb_height * of_4x4 + macroblock * 16 + inside) * padded;
    for (int i = t; i < padded / 4; i += 32)
        reinterpret_cast<uint2*>(to)[i] = reinterpret_cast<uint2 const*>(local)[i];
}

// The same with the reference in a texture, which finds the nearest pixel by itself.
extern "C" __global__ void sad_4x4_texture(pixel const* frame, unsigned long long reference, pixel* sums,
                                           int mb_width, int mb_height) {
    __shared__ pixel block[16];
    __shared__ __attribute__((aligned(8))) pixel local[padded];
    int const width = mb_width * 16;
    int const t = threadIdx.x;
    int const x = blockIdx.x * 4, y = blockIdx.y * 4;
    if (t < 16) block[t] = frame[(y + t / 4) * width + x + t % 4];
    __syncthreads();

    int const first = t * per_thread;
    int const last = min(first + per_thread, int(positions));
    int dx = first % across, dy = first / across;
    for (int p = first; p < last; p += 3) {
        int sum[3] = {0, 0, 0};
        for (int row = 0; row < 4; ++row) {
            for (int column = 0; column < 6; ++column) {
                int const there = tex2d_unsigned(reference, x - range + dx + column, y - range + dy + row).x;
                for (int i = 0; i < 3; ++i)
                    if (column >= i && column - i < 4)
                        sum[i] += difference(there, block[row * 4 + column - i]);
            }
        }
        for (int i = 0; i < 3; ++i) local[p + i] = static_cast<pixel>(sum[i]);
        dx += 3;
        if (dx >= across) {
            dx -= across;
            ++dy;
        }
    }
    __syncthreads();
    if (t >= 32) return;
    int const macroblock = blockIdx.y / 4 * mb_width + blockIdx.x / 4;
    int const inside = blockIdx.y % 4 * 4 + blockIdx.x % 4;
    pixel* const to = sums + (mb_width * mb_height * of_4x4 + macroblock * 16 + inside) * padded;
    for (int i = t; i < padded / 4; i += 32)
        reinterpret_cast<uint2*>(to)[i] = reinterpret_cast<uint2 const*>(local)[i];
}

// One CTA of 32 x 4 threads per macroblock, a warp per quarter.
extern "C" __global__ void sad_8(pixel* sums, int mb_width, int mb_height) {
    int const macroblocks = mb_width * mb_height;
    int const macroblock = blockIdx.y * mb_width + blockIdx.x;
    int const right = threadIdx.y % 2, low = threadIdx.y / 2;
    auto const at = [=](int shape, int count, int index) {
        return reinterpret_cast<unsigned*>(sums +
                                           (macroblocks * shape + macroblock * count + index) * padded);
    };
    unsigned const* const in = at(of_4x4, 16, low * 8 + right * 2);
    unsigned* const tall = at(of_4x8, 8, low * 4 + right * 2);
    unsigned* const wide = at(of_8x4, 8, low * 4 + right);
    unsigned* const square = at(of_8x8, 4, low * 2 + right);
    for (int p = threadIdx.x; p < (positions + 1) / 2; p += 32) {
        unsigned const a = in[p], b = in[p + padded / 2];
        unsigned const c = in[p + 4 * padded / 2], d = in[p + 5 * padded / 2];
        tall[p] = a + c;
        tall[p + padded / 2] = b + d;
        wide[p] = a + b;
        wide[p + 2 * padded / 2] = c + d;
        square[p] = a + b + c + d;
    }
}

// One warp per macroblock.
extern "C" __global__ void sad_16(pixel* sums, int mb_width, int mb_height) {
    int const macroblocks = mb_width * mb_height;
    int const macroblock = blockIdx.y * mb_width + blockIdx.x;
    auto const at = [=](int shape, int count) {
        return reinterpret_cast<unsigned*>(sums + (macroblocks * shape + macroblock * count) * padded);
    };
    unsigned const* const in = at(of_8x8, 4);
    unsigned* const tall = at(of_8x16, 2);
    unsigned* const wide = at(of_16x8, 2);
    unsigned* const square = at(0, 1);
    for (int p = threadIdx.x; p < (positions + 1) / 2; p += 32) {
        unsigned const a = in[p], b = in[p + padded / 2];
        unsigned const c = in[p + 2 * padded / 2], d = in[p + 3 * padded / 2];
        tall[p] = a + c;
        tall[p + padded / 2] = b + d;
        wide[p] = a + b;
        wide[p + padded / 2] = c + d;
        square[p] = a + b + c + d;
    }
}
