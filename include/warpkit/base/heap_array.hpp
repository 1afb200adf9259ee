#pragma once
/// \file
/// An array whose length is chosen when it is made: what tables and queues of a fixed size lie in. It is what these need
/// of a std::vector, whose growth is some forty more functions for a compiler to make, for each type of element.

#include <warpkit/base/fresh_memory.hpp>
#include <warpkit/base/host_line.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

namespace warpkit {

/// `size()` elements in one block of memory, in lines of the host's cache that nothing else lies in. A regular value if its
/// elements are. One that is made while there is fresh memory at hand (base/fresh_memory.hpp) lies there, and numbers that are
/// zero are not written.
template <class T>
class heap_array {
public:
    heap_array() = default;
    /// So many elements, value-initialised.
    explicit heap_array(std::size_t size) : heap_array() {
        if constexpr (plain_)
            lie(fresh_memory::filled(plain(T()), size, std::is_arithmetic_v<T>), size);
        else
            fill(size, [](std::size_t) { return T(); });
    }
    /// So many elements T(), or of zeros alone: where it makes no difference to who uses them.
    static heap_array blank(std::size_t size) {
        heap_array a;
        if constexpr (plain_)
            a.lie(fresh_memory::filled(plain(T()), size, true), size);
        else
            a.fill(size, [](std::size_t) { return T(); });
        return a;
    }
    /// So many copies of `value`.
    heap_array(std::size_t size, T const& value) : heap_array() {
        if constexpr (plain_)
            lie(fresh_memory::filled(plain(value), size, false), size);
        else
            fill(size, [&](std::size_t) -> T const& { return value; });
    }
    /// The elements that `make(i)` returns, i from 0 on; they need not be movable.
    template <class Make>
    static heap_array of(std::size_t size, Make const& make) {
        heap_array a;
        a.fill(size, make);
        return a;
    }
    heap_array(heap_array const& o) : heap_array() {
        if constexpr (plain_)
            lie(fresh_memory::copied({o.first_, sizeof(T), alignment_}, o.size_), o.size_);
        else
            fill(o.size_, [&](std::size_t i) -> T const& { return o.first_[i]; });
    }
    heap_array(heap_array&& o) noexcept : first_(o.first_), size_(o.size_), behind_(o.behind_) { o.forget(); }
    heap_array& operator=(heap_array const& o) { return *this = heap_array(o); }
    heap_array& operator=(heap_array&& o) noexcept {
        if (this != &o) {
            release();
            first_ = o.first_;
            size_ = o.size_;
            behind_ = o.behind_;
            o.forget();
        }
        return *this;
    }
    ~heap_array() { release(); }

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T& operator[](std::size_t i) noexcept { return first_[i]; }
    T const& operator[](std::size_t i) const noexcept { return first_[i]; }
    T* data() noexcept { return first_; }
    T const* data() const noexcept { return first_; }
    T* begin() noexcept { return first_; }
    T* end() noexcept { return first_ + size_; }
    T const* begin() const noexcept { return first_; }
    T const* end() const noexcept { return first_ + size_; }

    friend bool operator==(heap_array const& a, heap_array const& b) noexcept {
        if (a.size_ != b.size_) return false;
        for (std::size_t i = 0; i < a.size_; ++i)
            if (!(a.first_[i] == b.first_[i])) return false;
        return true;
    }

private:
    static constexpr std::size_t alignment_ = alignof(T) > host_line ? alignof(T) : host_line;
    /// What is copied as bytes is written by functions that are compiled once, and not for each type.
    static constexpr bool plain_ = std::is_trivially_copyable_v<T>;

    /// Where making an element throws, those made so far are destroyed with the array.
    template <class Make>
    void fill(std::size_t size, Make const& make) {
        if (size == 0) return;
        lie(fresh_memory::allocate(size, sizeof(T), alignment_, fresh_memory::use::written), 0);
        for (; size_ < size; ++size_) ::new (static_cast<void*>(first_ + size_)) T(make(size_));
    }
    void lie(fresh_memory::piece const& p, std::size_t size) noexcept {
        first_ = static_cast<T*>(p.memory);
        size_ = static_cast<std::uint32_t>(size);
        behind_ = p.behind;
    }
    static fresh_memory::element plain(T const& value) noexcept { return {&value, sizeof(T), alignment_}; }
    void release() noexcept {
        if constexpr (!std::is_trivially_destructible_v<T>) destroy();
        if (first_ != nullptr) fresh_memory::free({first_, behind_}, alignment_);
    }
    [[gnu::cold]] void destroy() noexcept {
        while (size_ != 0) first_[--size_].~T();
    }
    void forget() noexcept {
        first_ = nullptr;
        size_ = 0;
        behind_ = 0;
    }

    T* first_ = nullptr;
    std::uint32_t size_ = 0;
    std::uint32_t behind_ = 0; ///< fresh_memory::piece; 0: the block is its own
};

} // namespace warpkit
