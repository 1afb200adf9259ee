// Thrust: scans, sorting, selections, sets and searches.
#include "algorithms.hpp"

#include <functional>
#include <numeric>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

using namespace algorithms;

struct is_odd {
    __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
using ints = thrust::device_vector<int>;
static std::vector<int> host(ints const& v, long count = -1) {
    std::vector<int> h(count < 0 ? v.size() : (size_t)count);
    thrust::copy(v.begin(), v.begin() + (long)h.size(), h.begin());
    return h;
}

int main() {
    int const n = 1500;
    auto const v = numbers(n, 300);
    ints const in(v.begin(), v.end());
    ints out(n), other(n);
    std::vector<int> want(n);
    thrust::inclusive_scan(in.begin(), in.end(), out.begin());
    std::partial_sum(v.begin(), v.end(), want.begin());
    expect("thrust::inclusive_scan", host(out), want);
    thrust::exclusive_scan(in.begin(), in.end(), out.begin(), 4);
    for (int i = 0, sum = 4; i < n; sum += v[i++]) want[i] = sum;
    expect("thrust::exclusive_scan", host(out), want);

    out = in;
    thrust::sort(out.begin(), out.end());
    auto sorted = v;
    std::sort(sorted.begin(), sorted.end());
    expect("thrust::sort", host(out), sorted);
    out = in;
    thrust::sort(thrust::device, out.begin(), out.end(), thrust::greater<int>());
    expect("thrust::sort, greater", host(out), std::vector<int>(sorted.rbegin(), sorted.rend()));
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    other.assign(order.begin(), order.end());
    out = in;
    thrust::stable_sort_by_key(out.begin(), out.end(), other.begin());
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return v[a] < v[b]; });
    expect("thrust::stable_sort_by_key", host(other), order);
    expect("thrust::is_sorted", thrust::is_sorted(out.begin(), out.end()), true);

    auto end = thrust::copy_if(in.begin(), in.end(), out.begin(), is_odd());
    std::vector<int> odd, even;
    for (int x : v) (is_odd()(x) ? odd : even).push_back(x);
    expect("thrust::copy_if", host(out, end - out.begin()), odd);
    out = in;
    end = thrust::remove_if(out.begin(), out.end(), is_odd());
    expect("thrust::remove_if", host(out, end - out.begin()), even);
    out = in;
    end = thrust::stable_partition(out.begin(), out.end(), is_odd());
    auto parted = odd;
    parted.insert(parted.end(), even.begin(), even.end());
    expect("thrust::stable_partition", host(out), parted);
    ints const ordered(sorted.begin(), sorted.end());
    out = ordered;
    end = thrust::unique(out.begin(), out.end());
    auto unique = sorted;
    unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
    expect("thrust::unique", host(out, end - out.begin()), unique);
    auto const ends =
        thrust::reduce_by_key(ordered.begin(), ordered.end(), in.begin(), out.begin(), other.begin());
    std::vector<int> sums;
    for (int i = 0; i < n; ++i) {
        if (i == 0 || sorted[i] != sorted[i - 1]) sums.push_back(0);
        sums.back() += v[i];
    }
    expect("thrust::reduce_by_key, keys", host(out, ends.first - out.begin()), unique);
    expect("thrust::reduce_by_key, values", host(other, ends.second - other.begin()), sums);
    thrust::inclusive_scan_by_key(ordered.begin(), ordered.end(), in.begin(), out.begin());
    for (int i = 0; i < n; ++i) want[i] = v[i] + (i > 0 && sorted[i] == sorted[i - 1] ? want[i - 1] : 0);
    expect("thrust::inclusive_scan_by_key", host(out), want);

    std::vector<int> evens, threes;
    for (int i = 0; i < 600; i += 2) evens.push_back(i);
    for (int i = 0; i < 600; i += 3) threes.push_back(i);
    ints const a(evens.begin(), evens.end()), b(threes.begin(), threes.end());
    std::vector<int> set;
    thrust::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin());
    std::merge(evens.begin(), evens.end(), threes.begin(), threes.end(), std::back_inserter(set));
    expect("thrust::merge", host(out, (long)set.size()), set);
    set.clear();
    end = thrust::set_union(a.begin(), a.end(), b.begin(), b.end(), out.begin());
    std::set_union(evens.begin(), evens.end(), threes.begin(), threes.end(), std::back_inserter(set));
    expect("thrust::set_union", host(out, end - out.begin()), set);
    set.clear();
    end = thrust::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out.begin());
    std::set_intersection(evens.begin(), evens.end(), threes.begin(), threes.end(), std::back_inserter(set));
    expect("thrust::set_intersection", host(out, end - out.begin()), set);
    set.clear();
    end = thrust::set_difference(a.begin(), a.end(), b.begin(), b.end(), out.begin());
    std::set_difference(evens.begin(), evens.end(), threes.begin(), threes.end(), std::back_inserter(set));
    expect("thrust::set_difference", host(out, end - out.begin()), set);

    out.resize(threes.size());
    thrust::lower_bound(a.begin(), a.end(), b.begin(), b.end(), out.begin());
    want.clear();
    for (int x : threes)
        want.push_back((int)(std::lower_bound(evens.begin(), evens.end(), x) - evens.begin()));
    expect("thrust::lower_bound", host(out), want);
    thrust::upper_bound(a.begin(), a.end(), b.begin(), b.end(), out.begin());
    want.clear();
    for (int x : threes)
        want.push_back((int)(std::upper_bound(evens.begin(), evens.end(), x) - evens.begin()));
    expect("thrust::upper_bound", host(out), want);
    thrust::binary_search(a.begin(), a.end(), b.begin(), b.end(), out.begin());
    want.clear();
    for (int x : threes) want.push_back(std::binary_search(evens.begin(), evens.end(), x));
    expect("thrust::binary_search", host(out), want);
    return verdict();
}
