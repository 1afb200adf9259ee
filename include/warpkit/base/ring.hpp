#pragma once
/// \file
/// A first-in first-out queue of bounded capacity that allocates once: the queue of every pipeline stage and port.

#include <warpkit/base/heap_array.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace warpkit {

/// A FIFO of at most `capacity()` elements in one block of memory. A regular value: copies hold the same elements in
/// the same order, and two queues are equal when their elements are, wherever they lie in the block.
template <class T>
class ring {
public:
    ring() = default;
    /// Room for `capacity` elements, all allocated here.
    explicit ring(std::size_t capacity)
        : block_(heap_array<T>::blank(capacity == 0 ? 0 : std::bit_ceil(capacity))),
          capacity_(capacity),
          mask_(std::bit_ceil(capacity) - 1) {}

    std::size_t capacity() const noexcept { return capacity_; }
    std::size_t size() const noexcept { return tail_ - head_; }
    std::size_t room() const noexcept { return capacity_ - size(); }
    bool empty() const noexcept { return head_ == tail_; }
    bool full() const noexcept { return size() == capacity_; }

    /// Appends; precondition: not full().
    void push(T const& x) noexcept { block_[tail_++ & mask_] = x; }
    /// Appends without copying: the new element's place, for the caller to write, holding anything; precondition: not
    /// full().
    T& extend() noexcept { return block_[tail_++ & mask_]; }
    /// The oldest element; precondition: not empty().
    T& front() noexcept { return block_[head_ & mask_]; }
    T const& front() const noexcept { return block_[head_ & mask_]; }
    /// The youngest element; precondition: not empty().
    T& back() noexcept { return block_[(tail_ - 1) & mask_]; }
    T const& back() const noexcept { return block_[(tail_ - 1) & mask_]; }
    /// Removes the oldest element; precondition: not empty().
    void pop() noexcept { ++head_; }
    /// Removes the youngest element; precondition: not empty().
    void pop_back() noexcept { --tail_; }
    /// The i-th oldest element.
    T& operator[](std::size_t i) noexcept { return block_[(head_ + i) & mask_]; }
    T const& operator[](std::size_t i) const noexcept { return block_[(head_ + i) & mask_]; }
    void clear() noexcept { head_ = tail_ = 0; }

    friend bool operator==(ring const& a, ring const& b) noexcept {
        if (a.capacity_ != b.capacity_ || a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!(a[i] == b[i])) return false;
        return true;
    }

    class const_iterator {
    public:
        const_iterator(ring const* r, std::size_t i) noexcept : ring_(r), index_(i) {}
        T const& operator*() const noexcept { return (*ring_)[index_]; }
        const_iterator& operator++() noexcept {
            ++index_;
            return *this;
        }
        friend bool operator==(const_iterator const&, const_iterator const&) = default;

    private:
        ring const* ring_;
        std::size_t index_;
    };
    const_iterator begin() const noexcept { return {this, 0}; }
    const_iterator end() const noexcept { return {this, size()}; }

private:
    heap_array<T> block_;
    std::size_t capacity_ = 0;
    std::size_t mask_ = 0;
    std::size_t head_ = 0;
    std::size_t tail_ = 0;
};

} // namespace warpkit
