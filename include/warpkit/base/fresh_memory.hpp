#pragma once
/// \file
/// Memory for the arrays of a machine while it is made: zeros, side by side, that cost the host nothing until they are
/// touched.

#include <warpkit/base/host_line.hpp>
#include <warpkit/base/light_error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace warpkit {

/// While one lives, the heap arrays that its thread makes (base/heap_array.hpp) lie in a few large blocks, which the C
/// library takes from the system as they are. Most tables of a machine are zero at first, and most of them stay so in a
/// short run: those cost no page of memory. A block is freed with the last array in it, whoever that belongs to by
/// then.
///
/// Under the address sanitizer nothing lies in blocks, so that it sees where arrays end.
class fresh_memory {
public:
    /// What will happen to the memory at once. Each kind has blocks of its own, so that untouched pages stay so.
    enum class use : std::uint8_t { none, written };

    fresh_memory() noexcept : before_(innermost_) { innermost_ = this; }
    fresh_memory(fresh_memory const&) = delete;
    fresh_memory& operator=(fresh_memory const&) = delete;
    ~fresh_memory() {
        for (auto const& z : zone_)
            if (z.in != nullptr) release(z.in);
        innermost_ = before_;
    }

    /// This thread's; null if there is none.
    static fresh_memory* at_hand() noexcept { return blocks_help_ ? innermost_ : nullptr; }

    /// Whole lines of the host's cache, and how many of them the block begins before.
    struct piece {
        void* memory = nullptr;
        std::uint32_t behind = 0; ///< 0: in no block
    };
    /// Room for `count` elements of so many bytes, in this thread's memory if there is some at hand and it will do.
    /// (Compiled once, and not for each type of element.)
    [[gnu::noinline]] static piece allocate(std::size_t count, std::size_t bytes, use u) {
        if (count > 0xffffffff) raise_error(std::bad_array_new_length());
        auto const lines = (count * bytes + host_line - 1) / host_line;
        if (at_hand() == nullptr) return {::operator new(lines* host_line, std::align_val_t(host_line)), 0};
        auto& z = at_hand()->zone_[static_cast<unsigned>(u)];
        if (z.left < lines) open(z, lines);
        z.left -= lines;
        ++z.in->users;
        piece const p{reinterpret_cast<std::byte*>(z.in) + z.next * host_line,
                      static_cast<std::uint32_t>(z.next)};
        z.next += lines;
        return p;
    }
    /// Of a type that is copied as bytes.
    struct element {
        void const* first;
        std::size_t bytes;
    };
    /// Room for `count` elements, which are copies of `e`; where they may be `zeros` as well, fresh memory is left as
    /// it is.
    [[gnu::noinline]] static piece filled(element const& e, std::size_t count, bool zeros) {
        if (count == 0) return {};
        zeros = zeros && at_hand() != nullptr;
        auto const p = allocate(count, e.bytes, zeros ? use::none : use::written);
        if (zeros) return p;
        auto* const to = static_cast<std::byte*>(p.memory);
        std::memcpy(to, e.first, e.bytes);
        for (std::size_t done = e.bytes, all = count * e.bytes; done < all; done += done)
            std::memcpy(to + done, to, done < all - done ? done : all - done);
        return p;
    }
    /// Room for `count` elements, which are copies of those at `e`.
    [[gnu::noinline]] static piece copied(element const& e, std::size_t count) {
        if (count == 0) return {};
        auto const p = allocate(count, e.bytes, use::written);
        std::memcpy(p.memory, e.first, count * e.bytes);
        return p;
    }
    /// Frees what these gave; from any thread.
    [[gnu::noinline]] static void free(piece const& p) noexcept {
        if (p.behind == 0)
            ::operator delete(p.memory, std::align_val_t(host_line));
        else
            release(reinterpret_cast<block*>(static_cast<std::byte*>(p.memory) -
                                             p.behind * std::size_t{host_line}));
    }

    /// What is made from now on is another component's: it lies so far behind the rest that a host core that walks to
    /// the end of that does not fetch it.
    static void begin_component() noexcept {
        if (at_hand() == nullptr) return;
        for (auto& z : at_hand()->zone_) {
            auto const gap = z.left < component_gap_ ? z.left : component_gap_;
            z.left -= gap;
            z.next += gap;
        }
    }

private:
    static constexpr std::size_t component_gap_ = 32; ///< lines
    static constexpr std::size_t block_lines_ = (std::size_t{1} << 20) / host_line;
#if defined(__SANITIZE_ADDRESS__)
    static constexpr bool blocks_help_ = false;
#elif defined(__has_feature)
    static constexpr bool blocks_help_ = !__has_feature(address_sanitizer);
#else
    static constexpr bool blocks_help_ = true;
#endif

    /// In a block's first line.
    struct block {
        void* memory;        ///< as the C library knows it
        std::uint32_t users; ///< its arrays, and the zone that it is open in
    };
    struct zone {
        block* in = nullptr;
        std::size_t next = 0; ///< line
        std::size_t left = 0;
    };

    static void open(zone& z, std::size_t lines) {
        auto const most = lines < block_lines_ ? block_lines_ : lines;
        auto* const memory = std::calloc(most + 2, host_line);
        if (memory == nullptr) raise_error(std::bad_alloc());
        if (z.in != nullptr) release(z.in);
        auto const at = reinterpret_cast<std::uintptr_t>(memory);
        auto const first = (at + host_line - 1) / host_line * host_line - at;
        z.in = ::new (static_cast<std::byte*>(memory) + first) block{memory, 1};
        z.next = 1;
        z.left = most;
    }
    static void release(block* b) noexcept {
        if (__atomic_sub_fetch(&b->users, 1, __ATOMIC_ACQ_REL) == 0) std::free(b->memory);
    }

    static inline thread_local constinit fresh_memory* innermost_ = nullptr;
    fresh_memory* before_;
    zone zone_[2];
};

} // namespace warpkit
