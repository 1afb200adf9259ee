#pragma once
/// \file
/// The engine of every coalescing policy: which aligned blocks of one size does a warp touch, with which bytes and
/// lanes? Without sorting, map or allocation.

#include <warpkit/lsu/transaction.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace warpkit::detail {

/// Marks bytes begin to end - 1 of the 128-byte aligned block; begin < end.
constexpr void mark_bytes(std::array<std::uint64_t, 2>& used, std::uint64_t begin,
                          std::uint64_t end) noexcept {
    auto const ones = [](std::uint64_t from, std::uint64_t to) { // within one word
        return (~std::uint64_t{0} >> (64 - (to - from))) << from;
    };
    if ((begin ^ (end - 1)) < 64)
        used[begin >> 6] |= ones(begin & 63, (begin & 63) + (end - begin));
    else {
        used[0] |= ones(begin, 64);
        used[1] |= ones(0, end - 64);
    }
}

/// The transactions under construction. `size`: bytes of a block, a power of two, at most 128.
class block_merger {
public:
    block_merger(transaction_list& out, std::uint32_t size) noexcept : out_(out), size_(size) {
        out_.clear();
    }

    /// To be called before the first add() or add_aligned().
    void expect_any_blocks() noexcept { slot_.fill(0); }
    /// Adds a piece that lies within one block.
    void add(std::uint64_t begin, std::uint64_t end, lane_mask who) noexcept {
        put(at_block(block_of(begin)), begin, end, who);
    }
    /// Adds `bytes`, a mask of at most 32, where each lane's address says, up to the first that has one of the bits
    /// `unaligned`; the lanes from that on. Aligned bytes lie within one block.
    lane_mask add_aligned(warp_access const& a, std::uint64_t unaligned, std::uint64_t bytes) noexcept {
        auto const block_bits = ~(std::uint64_t{size_} - 1);
        auto const affine = a.affine;
        auto const* const address = affine ? nullptr : a.addresses->data();
        transaction* last = nullptr;
        auto rest = a.active;
        for (; rest != 0; rest &= rest - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(rest));
            auto const at = affine ? a.base + a.stride * lane : address[lane];
            if ((at & unaligned) != 0) [[unlikely]]
                break;
            auto const block = at & block_bits;
            if (last == nullptr || last->address != block) last = &find_or_push(block);
            put_aligned(*last, at, bytes, rest & (~rest + 1));
        }
        return rest;
    }
    /// Adds a piece whose bytes nobody may share (an atomic's): the first transaction of its block that does not use
    /// them yet, or a new one.
    void add_exclusive(std::uint64_t begin, std::uint64_t end, lane_mask who) noexcept {
        auto const block = block_of(begin);
        std::array<std::uint64_t, 2> b{};
        mark_bytes(b, begin & 127, (begin & 127) + (end - begin));
        for (auto& t : out_)
            if (t.address == block && (t.used[0] & b[0]) == 0 && (t.used[1] & b[1]) == 0)
                return put(t, begin, end, who);
        put(push(block), begin, end, who);
    }
    /// Adds a piece whose block is known to be new.
    void add_new(std::uint64_t begin, std::uint64_t end, lane_mask who) noexcept {
        put(push(block_of(begin)), begin, end, who);
    }
    void add_new_aligned(std::uint64_t begin, std::uint64_t bytes, lane_mask who) noexcept {
        put_aligned(push(block_of(begin)), begin, bytes, who);
    }

private:
    static constexpr unsigned slots_ = 128;

    /// The address of the block around this one.
    std::uint64_t block_of(std::uint64_t address) const noexcept {
        return address & ~(std::uint64_t{size_} - 1);
    }
    transaction& push(std::uint64_t block) noexcept {
        auto& t = out_.push();
        t.address = block;
        t.bytes = size_;
        return t;
    }
    transaction& at_block(std::uint64_t block) noexcept {
        if (last_ == nullptr || last_->address != block) last_ = &find_or_push(block);
        return *last_;
    }
    transaction& find_or_push(std::uint64_t block) noexcept {
        auto i = static_cast<unsigned>((block * 0x9e3779b97f4a7c15U) >> 57);
        for (; slot_[i] != 0; i = (i + 1) % slots_)
            if (auto& t = out_[slot_[i] - 1U]; t.address == block) return t;
        slot_[i] = static_cast<std::uint8_t>(out_.size() + 1);
        return push(block);
    }
    static void put(transaction& t, std::uint64_t begin, std::uint64_t end, lane_mask who) noexcept {
        auto const from = begin & 127;
        auto const to = from + (end - begin);
        mark_bytes(t.used, from, to);
        t.sectors |= (2U << ((to - 1) >> 5)) - (1U << (from >> 5));
        t.lanes |= who;
    }
    static void put_aligned(transaction& t, std::uint64_t begin, std::uint64_t bytes,
                            lane_mask who) noexcept {
        t.used[begin >> 6 & 1] |= bytes << (begin & 63);
        t.sectors |= 1U << (begin >> 5 & 3);
        t.lanes |= who;
    }

    transaction_list& out_;
    std::array<std::uint8_t, slots_> slot_; // hash table: position in out_ + 1; 0 is empty
    std::uint32_t size_;
    transaction* last_ = nullptr; // that add() used
};

/// merge_blocks() of any lanes.
[[gnu::noinline]] inline void merge_scattered(warp_access const& a, std::uint32_t size,
                                              transaction_list& out) noexcept {
    block_merger merger(out, size);
    auto const low = std::uint64_t{size} - 1;
    bool const atomic = a.kind == access_kind::atomic;

    if (a.affine && a.stride == 0 && (a.base & low) + a.bytes <= size) {
        if (!atomic) merger.add_new(a.base, a.base + a.bytes, a.active);
        for (auto rest = atomic ? a.active : 0; rest != 0; rest &= rest - 1)
            merger.add_new(a.base, a.base + a.bytes, rest & (~rest + 1));
        return;
    }
    // Aligned accesses lie within one block.
    auto const alignment = std::bit_ceil(a.bytes);
    auto const unaligned = std::uint64_t{alignment} - 1;
    auto const bytes = (std::uint64_t{1} << a.bytes) - 1; // a mask
    auto const step = a.stride >> 63 != 0 ? 0 - a.stride : a.stride;
    if (a.affine && step >= size && ((a.base | a.stride) & unaligned) == 0 &&
        step <= std::uint64_t{1} << 48 && alignment <= size) {
        // Each lane in a block of its own.
        for (auto rest = a.active; rest != 0; rest &= rest - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(rest));
            merger.add_new_aligned(a.base + a.stride * lane, bytes, rest & (~rest + 1));
        }
        return;
    }
    merger.expect_any_blocks();
    auto const cut = [&](std::uint64_t at, lane_mask who) {
        for (auto left = std::uint64_t{a.bytes}; left != 0;) {
            auto const piece = size - (at & low) < left ? size - (at & low) : left;
            if (atomic)
                merger.add_exclusive(at, at + piece, who);
            else
                merger.add(at, at + piece, who);
            at += piece;
            left -= piece;
        }
    };
    auto rest = a.active;
    if (!atomic && alignment <= size) rest = merger.add_aligned(a, unaligned, bytes);
    for (; rest != 0; rest &= rest - 1)
        cut(a.address(static_cast<unsigned>(std::countr_zero(rest))), rest & (~rest + 1));
}

/// The same for one run of `total` bytes, lane after lane from `first` on, cut at the block boundaries.
[[gnu::noinline]] inline void merge_run(warp_access const& a, unsigned first, std::uint64_t total,
                                        std::uint32_t size, transaction_list& out) noexcept {
    block_merger merger(out, size);
    auto const low = std::uint64_t{size} - 1;
    for (std::uint64_t done = 0; done < total;) {
        auto const at = a.address(first) + done;
        auto const piece = size - (at & low) < total - done ? size - (at & low) : total - done;
        auto const low_lane = first + static_cast<unsigned>(done / a.bytes);
        auto const high_lane = first + static_cast<unsigned>((done + piece - 1) / a.bytes);
        auto const who =
            static_cast<lane_mask>((std::uint64_t{2} << high_lane) - (std::uint64_t{1} << low_lane));
        merger.add_new(at, at + piece, who);
        done += piece;
    }
}

/// Merges what the lanes touch into blocks of 2^block_bits bytes. An access across a boundary counts in each block.
inline void merge_blocks(warp_access const& a, unsigned block_bits, transaction_list& out) noexcept {
    auto const size = 1U << block_bits;
    auto const first = static_cast<unsigned>(std::countr_zero(a.active));
    auto const run = a.active >> first;
    if (!a.affine || a.stride != a.bytes || (run & (run + 1)) != 0) return merge_scattered(a, size, out);
    auto const begin = a.base + a.stride * first;
    auto const total = std::uint64_t{a.bytes} * static_cast<unsigned>(std::bit_width(run));
    if ((begin & (size - 1)) + total > size) return merge_run(a, first, total, size, out);
    block_merger(out, size).add_new(begin, begin + total, a.active);
}

} // namespace warpkit::detail
