// Thrust: algorithms that walk once.
#include "algorithms.hpp"

#include <numeric>
#include <thrust/adjacent_difference.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/reduce.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

using namespace algorithms;

struct is_odd {
    __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct square {
    __host__ __device__ int operator()(int x) const { return x * x; }
};
struct add_one {
    __host__ __device__ void operator()(int& x) const { ++x; }
};

int main() {
    int const n = 2000;
    auto const v = numbers(n, 500);
    thrust::device_vector<int> const in(v.begin(), v.end());
    thrust::device_vector<int> out(n);
    auto const host = [&out] {
        std::vector<int> h(out.size());
        thrust::copy(out.begin(), out.end(), h.begin());
        return h;
    };
    std::vector<int> want(n);
    thrust::transform(in.begin(), in.end(), out.begin(), square());
    std::transform(v.begin(), v.end(), want.begin(), square());
    expect("thrust::transform", host(), want);
    thrust::transform(in.begin(), in.end(), in.begin(), out.begin(), thrust::plus<int>());
    std::transform(v.begin(), v.end(), v.begin(), want.begin(), std::plus<int>());
    expect("thrust::transform of two", host(), want);
    expect("thrust::reduce", thrust::reduce(in.begin(), in.end(), 7), std::accumulate(v.begin(), v.end(), 7));
    expect("thrust::transform_reduce",
           thrust::transform_reduce(in.begin(), in.end(), square(), 0, thrust::plus<int>()),
           std::accumulate(v.begin(), v.end(), 0, [](int a, int x) { return a + x * x; }));
    expect("thrust::inner_product", thrust::inner_product(in.begin(), in.end(), in.begin(), 0),
           std::inner_product(v.begin(), v.end(), v.begin(), 0));
    expect("thrust::count", (long)thrust::count(in.begin(), in.end(), v[3]),
           (long)std::count(v.begin(), v.end(), v[3]));
    expect("thrust::count_if", (long)thrust::count_if(in.begin(), in.end(), is_odd()),
           (long)std::count_if(v.begin(), v.end(), is_odd()));
    expect("thrust::min_element", (long)(thrust::min_element(in.begin(), in.end()) - in.begin()),
           (long)(std::min_element(v.begin(), v.end()) - v.begin()));
    expect("thrust::max_element", (long)(thrust::max_element(in.begin(), in.end()) - in.begin()),
           (long)(std::max_element(v.begin(), v.end()) - v.begin()));
    expect("thrust::find", (long)(thrust::find(in.begin(), in.end(), v[77]) - in.begin()),
           (long)(std::find(v.begin(), v.end(), v[77]) - v.begin()));
    expect("thrust::any_of", thrust::any_of(in.begin(), in.end(), is_odd()),
           std::any_of(v.begin(), v.end(), is_odd()));
    expect("thrust::all_of", thrust::all_of(in.begin(), in.end(), is_odd()),
           std::all_of(v.begin(), v.end(), is_odd()));
    expect("thrust::none_of", thrust::none_of(in.begin(), in.end(), is_odd()), false);
    expect("thrust::equal", thrust::equal(in.begin(), in.end(), in.begin()), true);
    thrust::fill(out.begin(), out.end(), 9);
    expect("thrust::fill", host(), std::vector<int>(n, 9));
    thrust::sequence(out.begin(), out.end(), 5, 3);
    for (int i = 0; i < n; ++i) want[i] = 5 + 3 * i;
    expect("thrust::sequence", host(), want);
    out = in;
    thrust::for_each(out.begin(), out.end(), add_one());
    std::transform(v.begin(), v.end(), want.begin(), [](int x) { return x + 1; });
    expect("thrust::for_each", host(), want);
    out = in;
    thrust::replace(out.begin(), out.end(), v[0], -1);
    want = v;
    std::replace(want.begin(), want.end(), v[0], -1);
    expect("thrust::replace", host(), want);
    out = in;
    thrust::replace_if(out.begin(), out.end(), is_odd(), 0);
    want = v;
    std::replace_if(want.begin(), want.end(), is_odd(), 0);
    expect("thrust::replace_if", host(), want);
    out = in;
    thrust::reverse(out.begin(), out.end());
    want.assign(v.rbegin(), v.rend());
    expect("thrust::reverse", host(), want);
    thrust::adjacent_difference(in.begin(), in.end(), out.begin());
    std::adjacent_difference(v.begin(), v.end(), want.begin());
    expect("thrust::adjacent_difference", host(), want);
    thrust::device_vector<int> map(n);
    for (int i = 0; i < n; ++i) want[i] = (i * 7 + 3) % n;
    thrust::copy(want.begin(), want.end(), map.begin());
    auto const places = want;
    thrust::gather(map.begin(), map.end(), in.begin(), out.begin());
    for (int i = 0; i < n; ++i) want[i] = v[places[i]];
    expect("thrust::gather", host(), want);
    thrust::scatter(in.begin(), in.end(), map.begin(), out.begin());
    for (int i = 0; i < n; ++i) want[places[i]] = v[i];
    expect("thrust::scatter", host(), want);
    auto const squares = thrust::make_transform_iterator(thrust::make_counting_iterator(0), square());
    expect("transform and counting iterators", thrust::reduce(squares, squares + 100), 328350);
    return verdict();
}
