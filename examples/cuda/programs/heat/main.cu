// Heat on a plate: an ordinary CUDA program in two source files that checks itself against the host.
#include "heat.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t const code = (call);                                                                     \
        if (code != cudaSuccess) {                                                                           \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(code));    \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (false)

namespace {

// The same step on the host.
void step_on_host(std::vector<float> const& from, std::vector<float>& to, plate size, float speed) {
    auto const at = [&](int x, int y) {
        x = x < 0 ? 0 : x >= size.width ? size.width - 1 : x;
        y = y < 0 ? 0 : y >= size.height ? size.height - 1 : y;
        return from[static_cast<std::size_t>(y) * size.width + x];
    };
    for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x) {
            float const mean = 0.25f * ((at(x, y - 1) + at(x, y + 1)) + (at(x - 1, y) + at(x + 1, y)));
            to[static_cast<std::size_t>(y) * size.width + x] = std::fma(speed, mean - at(x, y), at(x, y));
        }
}

} // namespace

int main(int argc, char** argv) {
    plate const size = {argc > 1 ? std::atoi(argv[1]) : 100, argc > 2 ? std::atoi(argv[2]) : 60};
    int const steps = argc > 3 ? std::atoi(argv[3]) : 10;
    float const speed = 0.75f;
    auto const count = static_cast<std::size_t>(size.width) * size.height;

    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    std::printf("%s: %d cores\n", device.name, device.multiProcessorCount);

    std::vector<float> cells(count);
    for (std::size_t i = 0; i < count; ++i) cells[i] = static_cast<float>(i * 7919 % 1000);

    float *from = nullptr, *to = nullptr;
    double* result = nullptr;
    cudaStream_t stream;
    cudaEvent_t start, end;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaMalloc(&from, count * sizeof(float)));
    CHECK(cudaMalloc(&to, count * sizeof(float)));
    CHECK(cudaMalloc(&result, sizeof(double)));
    CHECK(cudaMemcpyAsync(from, cells.data(), count * sizeof(float), cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemsetAsync(result, 0, sizeof(double), stream));
    CHECK(set_speed(speed));
    CHECK(cudaEventRecord(start, stream));
    for (int i = 0; i < steps; ++i) {
        CHECK(launch_step(from, to, size, stream));
        std::swap(from, to);
    }
    CHECK(launch_sum(from, static_cast<int>(count), result, stream));
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaStreamSynchronize(stream));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, start, end));

    std::vector<float> found(count);
    double sum = 0;
    CHECK(cudaMemcpy(found.data(), from, count * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&sum, result, sizeof sum, cudaMemcpyDeviceToHost));
    std::vector<float> next(count);
    for (int i = 0; i < steps; ++i) {
        step_on_host(cells, next, size, speed);
        cells.swap(next);
    }
    double expected = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (found[i] != cells[i]) {
            std::printf("FAILED: cell %zu is %.9g, expected %.9g\n", i, found[i], cells[i]);
            return 1;
        }
        expected += cells[i];
    }
    if (std::fabs(sum - expected) > 1e-9 * expected) {
        std::printf("FAILED: the sum is %.17g, expected %.17g\n", sum, expected);
        return 1;
    }
    std::printf("%d steps in %.4f ms of simulated time\nPASSED\n", steps, milliseconds);
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    CHECK(cudaFree(result));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
