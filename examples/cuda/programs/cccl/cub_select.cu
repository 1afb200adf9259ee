// CUB: selections, runs, histograms, and one operation for each element.
#include "algorithms.hpp"

#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_for.cuh>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>
#include <cub/device/device_transform.cuh>

using namespace algorithms;

struct is_odd {
    __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct twice {
    __host__ __device__ int operator()(int x) const { return 2 * x; }
};
struct double_in_place {
    __device__ void operator()(int& x) const { x *= 2; }
};
struct write_index {
    int* to;
    __device__ void operator()(int i) const { to[i] = 3 * i; }
};

int main() {
    int const n = 3000;
    auto const v = numbers(n, 50);
    array<int> const in(v);
    array<int> out(n), more(n), count(1);
    std::vector<int> odd, even;
    for (int x : v) (is_odd()(x) ? odd : even).push_back(x);
    run([&](void* t, size_t& b) {
        return cub::DeviceSelect::If(t, b, in.get(), out.get(), count.get(), n, is_odd());
    });
    expect("DeviceSelect::If", out.host(count.first()), odd);
    std::vector<char> flags;
    for (int x : v) flags.push_back(is_odd()(x));
    array<char> const flagged(flags);
    run([&](void* t, size_t& b) {
        return cub::DeviceSelect::Flagged(t, b, in.get(), flagged.get(), out.get(), count.get(), n);
    });
    expect("DeviceSelect::Flagged", out.host(count.first()), odd);
    auto unique = v;
    unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
    run([&](void* t, size_t& b) {
        return cub::DeviceSelect::Unique(t, b, in.get(), out.get(), count.get(), n);
    });
    expect("DeviceSelect::Unique", out.host(count.first()), unique);
    run([&](void* t, size_t& b) {
        return cub::DevicePartition::If(t, b, in.get(), out.get(), count.get(), n, is_odd());
    });
    auto parted = odd; // the rest comes backwards
    parted.insert(parted.end(), even.rbegin(), even.rend());
    expect("DevicePartition::If", out.host(), parted);
    run([&](void* t, size_t& b) {
        return cub::DevicePartition::Flagged(t, b, in.get(), flagged.get(), out.get(), count.get(), n);
    });
    expect("DevicePartition::Flagged", out.host(), parted);

    std::vector<int> lengths;
    for (int i = 0; i < n; ++i) {
        if (i == 0 || v[i] != v[i - 1]) lengths.push_back(0);
        ++lengths.back();
    }
    run([&](void* t, size_t& b) {
        return cub::DeviceRunLengthEncode::Encode(t, b, in.get(), out.get(), more.get(), count.get(), n);
    });
    expect("DeviceRunLengthEncode::Encode, values", out.host(count.first()), unique);
    expect("DeviceRunLengthEncode::Encode, lengths", more.host(count.first()), lengths);

    std::vector<int> bins(10);
    for (int x : v) ++bins[x / 5];
    array<int> histogram(10);
    run([&](void* t, size_t& b) {
        return cub::DeviceHistogram::HistogramEven(t, b, in.get(), histogram.get(), 11, 0, 50, n);
    });
    expect("DeviceHistogram::HistogramEven", histogram.host(), bins);
    std::vector<int> const levels{0, 1, 10, 50};
    array<int> const bounds(levels);
    std::vector<int> ranges(3);
    for (int x : v) ++ranges[x < 1 ? 0 : x < 10 ? 1 : 2];
    array<int> few(3);
    run([&](void* t, size_t& b) {
        return cub::DeviceHistogram::HistogramRange(t, b, in.get(), few.get(), 4, bounds.get(), n);
    });
    expect("DeviceHistogram::HistogramRange", few.host(), ranges);

    std::vector<int> differences(n), doubled(n), indices(n);
    for (int i = 0; i < n; ++i) {
        differences[i] = i == 0 ? v[0] : v[i] - v[i - 1];
        doubled[i] = 2 * v[i];
        indices[i] = 3 * i;
    }
    run([&](void* t, size_t& b) {
        return cub::DeviceAdjacentDifference::SubtractLeftCopy(t, b, in.get(), out.get(), n);
    });
    expect("DeviceAdjacentDifference::SubtractLeftCopy", out.host(), differences);
    cub::DeviceFor::Bulk(n, write_index{out.get()});
    expect("DeviceFor::Bulk", out.host(), indices);
    array<int> own(v);
    cub::DeviceFor::ForEachN(own.get(), n, double_in_place());
    expect("DeviceFor::ForEachN", own.host(), doubled);
    cub::DeviceTransform::Transform(in.get(), out.get(), n, twice());
    expect("DeviceTransform::Transform", out.host(), doubled);
    return verdict();
}
