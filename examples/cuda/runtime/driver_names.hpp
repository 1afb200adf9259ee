#pragma once
// The driver's functions by their names.

#include <cstddef>
#include <string_view>

namespace warpkit::cuda {

struct named_function {
    char const* name;
    void* function;
};
template <std::size_t N>
void* find_function(named_function const (&all)[N], std::string_view name) {
    for (auto const& f : all)
        if (name == f.name) return f.function;
    return nullptr;
}
// Of those with a default stream per thread, or null (per_thread_streams.cpp).
void* per_thread_function(std::string_view name);

} // namespace warpkit::cuda
