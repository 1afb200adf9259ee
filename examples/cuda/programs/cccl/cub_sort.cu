// CUB: sorting.
#include "algorithms.hpp"

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <functional>
#include <numeric>

using namespace algorithms;

struct before {
    __host__ __device__ bool operator()(int a, int b) const { return a < b; }
};

int main() {
    int const n = 3000;
    auto const v = numbers(n, 1 << 20);
    std::vector<int> places(n);
    std::iota(places.begin(), places.end(), 0);
    array<int> const in(v), values(places);
    array<int> keys(n), sorted_values(n);
    auto up = v, down = v;
    std::sort(up.begin(), up.end());
    std::sort(down.begin(), down.end(), std::greater<int>());
    auto order = places;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return v[a] < v[b]; });
    run([&](void* t, size_t& b) { return cub::DeviceRadixSort::SortKeys(t, b, in.get(), keys.get(), n); });
    expect("DeviceRadixSort::SortKeys", keys.host(), up);
    run([&](void* t, size_t& b) {
        return cub::DeviceRadixSort::SortKeysDescending(t, b, in.get(), keys.get(), n);
    });
    expect("DeviceRadixSort::SortKeysDescending", keys.host(), down);
    run([&](void* t, size_t& b) {
        return cub::DeviceRadixSort::SortPairs(t, b, in.get(), keys.get(), values.get(), sorted_values.get(),
                                               n);
    });
    expect("DeviceRadixSort::SortPairs, keys", keys.host(), up);
    expect("DeviceRadixSort::SortPairs, values", sorted_values.host(), order);

    std::vector<int> const ends{0, 100, 100, 1500, n};
    array<int> const offsets(ends);
    run([&](void* t, size_t& b) {
        return cub::DeviceSegmentedRadixSort::SortKeys(t, b, in.get(), keys.get(), n, 4, offsets.get(),
                                                       offsets.get() + 1);
    });
    auto pieces = v;
    for (int s = 0; s < 4; ++s) std::sort(pieces.begin() + ends[s], pieces.begin() + ends[s + 1]);
    expect("DeviceSegmentedRadixSort::SortKeys", keys.host(), pieces);

    array<int> own(v), own_values(places);
    run([&](void* t, size_t& b) { return cub::DeviceMergeSort::SortKeys(t, b, own.get(), n, before()); });
    expect("DeviceMergeSort::SortKeys", own.host(), up);
    array<int> again(v);
    run([&](void* t, size_t& b) {
        return cub::DeviceMergeSort::StableSortPairs(t, b, again.get(), own_values.get(), n, before());
    });
    expect("DeviceMergeSort::StableSortPairs", own_values.host(), order);
    return verdict();
}
