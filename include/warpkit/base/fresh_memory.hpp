#pragma once
/// \file
/// Memory for the arrays of a machine while it is made: zeros, side by side, that cost the host nothing until they are touched.

#include <warpkit/base/host_line.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace warpkit {

/// While one lives, the heap arrays that its thread makes (base/heap_array.hpp) lie in a few large blocks, which the C
/// library takes from the system as they are. Most tables of a machine are zero at first, and most of them stay so in a short
/// run: those cost no page of memory. A block is freed with the last array in it, whoever that belongs to by then.
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
        std::uint32_t behind = 0; ///< at least 1
    };
    piece take(std::size_t lines, use u) {
        auto& z = zone_[static_cast<unsigned>(u)];
        if (z.left < lines) open(z, lines);
        z.left -= lines;
        ++z.in->users;
        piece const p{reinterpret_cast<std::byte*>(z.in) + z.next * host_line,
                      static_cast<std::uint32_t>(z.next)};
        z.next += lines;
        return p;
    }
    /// Gives back what take() gave; from any thread.
    static void give_back(void* memory, std::uint32_t behind) noexcept {
        release(reinterpret_cast<block*>(static_cast<std::byte*>(memory) - behind * std::size_t{host_line}));
    }

private:
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
        if (memory == nullptr) throw std::bad_alloc();
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
