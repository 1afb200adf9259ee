#pragma once
/// \file
/// Atomic updates, whole copies and fences between the host threads that run CTAs of one launch.
///
/// By the compiler's functions, not by std::atomic_ref, which not every standard library has; what they work on are
/// bytes of the device's memory, at a multiple of their number.

#include <warpkit/base/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpkit::ptx::host_atomics {

/// Whether this host updates words of 8 bytes without a lock; where not, one thread runs a launch.
inline constexpr bool are_lock_free = __atomic_always_lock_free(2, nullptr) &&
                                      __atomic_always_lock_free(4, nullptr) &&
                                      __atomic_always_lock_free(8, nullptr);

/// Everything this thread has read and written comes before everything it reads and writes from now on. (The thread
/// sanitizer takes this one, unlike std's fence.)
inline void fence() noexcept { __sync_synchronize(); }

/// The word becomes f(word), in one step for all threads; what it was. Word is unsigned, f may be called several times.
template <class Word, class F>
Word update(std::byte* at, F const& f) {
    auto* const word = reinterpret_cast<Word*>(at);
    Word seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &seen, f(seen), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {}
    return seen;
}
/// The word becomes `wanted` if it is `expected`; what it was.
template <class Word>
Word compare_and_swap(std::byte* at, Word expected, Word wanted) {
    __atomic_compare_exchange_n(reinterpret_cast<Word*>(at), &expected, wanted, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return expected;
}

namespace detail {
/// 16 bytes, which processors of today read and write at once.
typedef std::uint64_t __attribute__((__vector_size__(16), __may_alias__)) vector;

template <class T>
void copy(std::byte* to, std::byte const* from) {
    typedef T __attribute__((__may_alias__)) word;
    *reinterpret_cast<word volatile*>(to) = *reinterpret_cast<word const volatile*>(from);
}
} // namespace detail

/// Copies 1, 2, 4, 8 or 16 bytes, from and to multiples of their number, none of which is of another time than the
/// others; any other number like std::memcpy.
inline void copy_whole(std::byte* to, std::byte const* from, std::size_t bytes) {
    switch (bytes) {
    case 2:
        return detail::copy<std::uint16_t>(to, from);
    case 4:
        return detail::copy<std::uint32_t>(to, from);
    case 8:
        return detail::copy<std::uint64_t>(to, from);
    case 16:
        return detail::copy<detail::vector>(to, from);
    default:
        std::memcpy(to, from, bytes);
    }
}

} // namespace warpkit::ptx::host_atomics
