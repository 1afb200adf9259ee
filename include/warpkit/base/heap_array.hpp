#pragma once
/// \file
/// An array whose length is chosen when it is made: what tables and queues of a fixed size lie in. It is what these
/// need of a std::vector, whose growth is some forty more functions for a compiler to make, for each type of element.

#include <warpkit/base/fresh_memory.hpp>
#include <warpkit/base/host_line.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace warpkit {

/// A block of memory, in lines of the host's cache that nothing else lies in, and how many elements it is for: what of
/// an array is the same for all types.
class heap_block {
public:
    heap_block() = default;
    heap_block(fresh_memory::piece const& p, std::size_t size) noexcept
        : first_(p.memory),
          size_(static_cast<std::uint32_t>(size)),
          behind_(p.behind) {}
    heap_block(heap_block&& o) noexcept : first_(o.first_), size_(o.size_), behind_(o.behind_) { o.forget(); }
    heap_block& operator=(heap_block&& o) noexcept {
        release();
        first_ = o.first_;
        size_ = o.size_;
        behind_ = o.behind_;
        o.forget();
        return *this;
    }
    ~heap_block() { release(); }

protected:
    void* first_ = nullptr;
    std::uint32_t size_ = 0;

private:
    void release() noexcept {
        if (first_ != nullptr) fresh_memory::free({first_, behind_});
    }
    void forget() noexcept {
        first_ = nullptr;
        size_ = 0;
        behind_ = 0;
    }
    std::uint32_t behind_ = 0; ///< fresh_memory::piece; 0: the block is its own
};

/// `size()` elements in one block of memory. A regular value if its elements are. One that is made while there is fresh
/// memory at hand (base/fresh_memory.hpp) lies there, and numbers that are zero are not written.
template <class T>
class heap_array : heap_block {
    /// What is copied as bytes is written by functions that are compiled once, and not for each type.
    static constexpr bool plain() noexcept { return std::is_trivially_copyable_v<T>; }

public:
    heap_array() = default;
    /// So many elements, value-initialised.
    explicit heap_array(std::size_t size) requires(plain())
        : heap_block(fresh_memory::filled(bytes_of(T()), size, std::is_arithmetic_v<T>), size) {}
    explicit heap_array(std::size_t size) requires(!plain()) : heap_array() {
        fill(size, [](std::size_t) { return T(); });
    }
    /// So many copies of `value`.
    heap_array(std::size_t size, T const& value) requires(plain())
        : heap_block(fresh_memory::filled(bytes_of(value), size, false), size) {}
    heap_array(std::size_t size, T const& value) requires(!plain()) : heap_array() {
        fill(size, [&](std::size_t) -> T const& { return value; });
    }
    /// So many elements T(), or of zeros alone: where it makes no difference to who uses them.
    static heap_array blank(std::size_t size) {
        if constexpr (plain())
            return heap_array(fresh_memory::filled(bytes_of(T()), size, true), size);
        else
            return heap_array(size);
    }
    /// The elements that `make(i)` returns, i from 0 on; they need not be movable.
    template <class Make>
    static heap_array of(std::size_t size, Make const& make) {
        heap_array a;
        a.fill(size, make);
        return a;
    }
    heap_array(heap_array const& o) : heap_array() {
        if constexpr (plain())
            heap_block::operator=(heap_block(fresh_memory::copied({o.first_, sizeof(T)}, o.size_), o.size_));
        else
            fill(o.size_, [&](std::size_t i) -> T const& { return o[i]; });
    }
    heap_array(heap_array&&) noexcept = default;
    heap_array& operator=(heap_array const& o) { return *this = heap_array(o); }
    heap_array& operator=(heap_array&& o) noexcept {
        if (this != &o) {
            destroy();
            heap_block::operator=(std::move(o));
        }
        return *this;
    }
    ~heap_array() {
        static_assert(alignof(T) <= host_line, "elements are aligned by a line of the host's cache at most");
        destroy();
    }

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T& operator[](std::size_t i) noexcept { return static_cast<T*>(first_)[i]; }
    T const& operator[](std::size_t i) const noexcept { return static_cast<T const*>(first_)[i]; }
    T* data() noexcept { return static_cast<T*>(first_); }
    T const* data() const noexcept { return static_cast<T const*>(first_); }
    T* begin() noexcept { return data(); }
    T* end() noexcept { return data() + size_; }
    T const* begin() const noexcept { return data(); }
    T const* end() const noexcept { return data() + size_; }

    friend bool operator==(heap_array const& a, heap_array const& b) noexcept {
        if (a.size_ != b.size_) return false;
        for (std::size_t i = 0; i < a.size_; ++i)
            if (!(a[i] == b[i])) return false;
        return true;
    }

private:
    heap_array(fresh_memory::piece const& p, std::size_t size) noexcept : heap_block(p, size) {}

    /// Where making an element throws, those made so far are destroyed with the array.
    template <class Make>
    void fill(std::size_t size, Make const& make) {
        if (size == 0) return;
        heap_block::operator=(
            heap_block(fresh_memory::allocate(size, sizeof(T), fresh_memory::use::written), 0));
        for (; size_ < size; ++size_) ::new (static_cast<void*>(data() + size_)) T(make(size_));
    }
    static fresh_memory::element bytes_of(T const& value) noexcept { return {&value, sizeof(T)}; }
    [[gnu::cold]] void destroy() noexcept {
        if constexpr (!std::is_trivially_destructible_v<T>)
            while (size_ != 0) (*this)[--size_].~T();
    }
};

} // namespace warpkit
