#pragma once
// What the programs beside it have in common: data, the two calls of each algorithm of CUB, and one line for each
// that is right or wrong.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace algorithms {

inline int wrong = 0;

template <class T>
void expect(char const* name, std::vector<T> const& got, std::vector<T> const& want) {
    bool const right = got == want;
    if (!right) ++wrong;
    std::printf("%s: %s\n", name, right ? "right" : "WRONG");
}
template <class T>
void expect(char const* name, T const& got, T const& want) {
    expect(name, std::vector<T>{got}, std::vector<T>{want});
}

// Numbers below `bound` that look random.
inline std::vector<int> numbers(std::size_t count, int bound) {
    std::vector<int> v(count);
    unsigned state = 12345;
    for (auto& x : v) {
        state = state * 1664525u + 1013904223u;
        x = static_cast<int>((state >> 8) % static_cast<unsigned>(bound));
    }
    return v;
}

// An array on the device.
template <class T>
class array {
public:
    explicit array(std::size_t count) : count_(count) {
        cudaMalloc(&data_, (count == 0 ? 1 : count) * sizeof(T));
        cudaMemset(data_, 0, count * sizeof(T));
    }
    array(std::vector<T> const& v) : array(v.size()) {
        cudaMemcpy(data_, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~array() { cudaFree(data_); }
    array(array const&) = delete;
    array& operator=(array const&) = delete;
    T* get() const { return data_; }
    std::vector<T> host() const { return host(count_); }
    std::vector<T> host(std::size_t count) const {
        std::vector<T> v(count);
        cudaMemcpy(v.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost);
        return v;
    }
    T first() const { return host(1)[0]; }

private:
    T* data_ = nullptr;
    std::size_t count_ = 0;
};

// Calls `f(temporary, bytes)` for the size of its memory, and with it.
template <class F>
void run(F f) {
    std::size_t bytes = 0;
    auto error = f(static_cast<void*>(nullptr), bytes);
    array<char> memory(bytes);
    if (error == cudaSuccess) error = f(static_cast<void*>(memory.get()), bytes);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        std::printf("%s\n", cudaGetErrorString(error));
        ++wrong;
    }
}

inline int verdict() {
    std::printf(wrong == 0 ? "PASSED\n" : "%d wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}

} // namespace algorithms
