#pragma once
/// \file
/// Memory that is not the heap's: for hosts whose results depend on where their own objects lie in it.

#include <warpkit/base/light_error.hpp>

#include <cstddef>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace warpkit::adapters {

namespace detail {
inline void* allocate_outside(std::size_t bytes) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) raise_error(std::bad_alloc());
    return memory;
}
inline void free_outside(void* memory, std::size_t bytes) noexcept { munmap(memory, bytes); }
} // namespace detail

/// One T in memory of its own, straight from the system: making it moves nothing else in the heap. (Accel-Sim keeps
/// sets of pointers and goes through them in order of address, so that an allocation more or less changes its cycles.)
template <class T>
class outside_the_heap {
public:
    template <class... A>
    explicit outside_the_heap(A&&... a) {
        held_ = ::new (detail::allocate_outside(sizeof(T))) T(std::forward<A>(a)...);
    }
    outside_the_heap(outside_the_heap const&) = delete;
    outside_the_heap& operator=(outside_the_heap const&) = delete;
    ~outside_the_heap() {
        held_->~T();
        detail::free_outside(held_, sizeof(T));
    }
    T& operator*() const noexcept { return *held_; }
    T* operator->() const noexcept { return held_; }

private:
    T* held_;
};

} // namespace warpkit::adapters
