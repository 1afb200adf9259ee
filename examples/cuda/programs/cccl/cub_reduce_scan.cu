// CUB: reductions and scans.
#include "algorithms.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <numeric>

using namespace algorithms;

struct larger {
    template <class T>
    __host__ __device__ T operator()(T a, T b) const {
        return a < b ? b : a;
    }
};
struct square {
    __host__ __device__ int operator()(int x) const { return x * x; }
};

int main() {
    int const n = 5000;
    auto const v = numbers(n, 1000);
    array<int> const in(v);
    array<int> out(n), keys_out(n), count(1);
    int const sum = std::accumulate(v.begin(), v.end(), 0);
    run([&](void* t, size_t& b) { return cub::DeviceReduce::Sum(t, b, in.get(), out.get(), n); });
    expect("DeviceReduce::Sum", out.first(), sum);
    run([&](void* t, size_t& b) { return cub::DeviceReduce::Min(t, b, in.get(), out.get(), n); });
    expect("DeviceReduce::Min", out.first(), *std::min_element(v.begin(), v.end()));
    run([&](void* t, size_t& b) { return cub::DeviceReduce::Max(t, b, in.get(), out.get(), n); });
    expect("DeviceReduce::Max", out.first(), *std::max_element(v.begin(), v.end()));
    run([&](void* t, size_t& b) {
        return cub::DeviceReduce::Reduce(t, b, in.get(), out.get(), n, larger(), 990);
    });
    expect("DeviceReduce::Reduce", out.first(), std::max(990, *std::max_element(v.begin(), v.end())));
    run([&](void* t, size_t& b) {
        return cub::DeviceReduce::TransformReduce(t, b, in.get(), out.get(), n, ::cuda::std::plus<>(),
                                                  square(), 0);
    });
    expect("DeviceReduce::TransformReduce", out.first(),
           std::accumulate(v.begin(), v.end(), 0, [](int a, int x) { return a + x * x; }));

    auto keys = v;
    for (auto& k : keys) k /= 100;
    std::sort(keys.begin(), keys.end());
    array<int> const sorted(keys);
    run([&](void* t, size_t& b) {
        return cub::DeviceReduce::ReduceByKey(t, b, sorted.get(), keys_out.get(), in.get(), out.get(),
                                              count.get(), ::cuda::std::plus<>(), n);
    });
    std::vector<int> wanted;
    for (int i = 0; i < n; ++i) {
        if (i == 0 || keys[i] != keys[i - 1]) wanted.push_back(0);
        wanted.back() += v[i];
    }
    expect("DeviceReduce::ReduceByKey", out.host(count.first()), wanted);

    std::vector<int> const ends{0, 17, 17, 1000, n};
    array<int> const offsets(ends);
    run([&](void* t, size_t& b) {
        return cub::DeviceSegmentedReduce::Sum(t, b, in.get(), out.get(), 4, offsets.get(),
                                               offsets.get() + 1);
    });
    wanted.clear();
    for (int s = 0; s < 4; ++s)
        wanted.push_back(std::accumulate(v.begin() + ends[s], v.begin() + ends[s + 1], 0));
    expect("DeviceSegmentedReduce::Sum", out.host(4), wanted);

    std::vector<int> inclusive(n), exclusive(n);
    std::partial_sum(v.begin(), v.end(), inclusive.begin());
    for (int i = 1; i < n; ++i) exclusive[i] = inclusive[i - 1];
    run([&](void* t, size_t& b) { return cub::DeviceScan::InclusiveSum(t, b, in.get(), out.get(), n); });
    expect("DeviceScan::InclusiveSum", out.host(), inclusive);
    run([&](void* t, size_t& b) { return cub::DeviceScan::ExclusiveSum(t, b, in.get(), out.get(), n); });
    expect("DeviceScan::ExclusiveSum", out.host(), exclusive);
    run([&](void* t, size_t& b) {
        return cub::DeviceScan::InclusiveScan(t, b, in.get(), out.get(), larger(), n);
    });
    std::partial_sum(v.begin(), v.end(), inclusive.begin(), larger());
    expect("DeviceScan::InclusiveScan", out.host(), inclusive);
    run([&](void* t, size_t& b) {
        return cub::DeviceScan::ExclusiveScan(t, b, in.get(), out.get(), larger(), 5, n);
    });
    for (int i = 0; i < n; ++i) exclusive[i] = i == 0 ? 5 : std::max(5, inclusive[i - 1]);
    expect("DeviceScan::ExclusiveScan", out.host(), exclusive);
    run([&](void* t, size_t& b) {
        return cub::DeviceScan::InclusiveSumByKey(t, b, sorted.get(), in.get(), out.get(), n);
    });
    for (int i = 0; i < n; ++i)
        inclusive[i] = v[i] + (i > 0 && keys[i] == keys[i - 1] ? inclusive[i - 1] : 0);
    expect("DeviceScan::InclusiveSumByKey", out.host(), inclusive);
    run([&](void* t, size_t& b) {
        return cub::DeviceScan::ExclusiveSumByKey(t, b, sorted.get(), in.get(), out.get(), n);
    });
    for (int i = 0; i < n; ++i) exclusive[i] = i > 0 && keys[i] == keys[i - 1] ? inclusive[i - 1] : 0;
    expect("DeviceScan::ExclusiveSumByKey", out.host(), exclusive);
    return verdict();
}
