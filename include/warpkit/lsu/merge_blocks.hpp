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

/// The transactions under construction. `block_bits`: log2 of the block size, at most 7.
class block_merger {
public:
    block_merger(transaction_list& out, unsigned block_bits) noexcept : out_(out), bits_(block_bits) {
        out_.clear();
    }

    /// To be called before the first add().
    void expect_any_blocks() noexcept { slot_.fill(0); }
    /// Adds a piece that lies within one block.
    void add(std::uint64_t begin, std::uint64_t end, lane_mask who) noexcept {
        auto const block = begin >> bits_;
        if (out_.empty() || out_[last_].address >> bits_ != block) last_ = find_or_push(block);
        put(out_[last_], begin, end, who);
    }
    /// Adds a piece whose bytes nobody may share (an atomic's): the first transaction of its block that does not use
    /// them yet, or a new one.
    void add_exclusive(std::uint64_t begin, std::uint64_t end, lane_mask who) noexcept {
        auto const block = begin >> bits_;
        std::array<std::uint64_t, 2> b{};
        mark_bytes(b, begin & 127, (begin & 127) + (end - begin));
        for (std::size_t i = 0; i < out_.size(); ++i) {
            auto& t = out_[i];
            if (t.address >> bits_ == block && (t.used[0] & b[0]) == 0 && (t.used[1] & b[1]) == 0) {
                put(t, begin, end, who);
                return;
            }
        }
        put(push(block), begin, end, who);
    }
    /// Adds a piece whose block is known to be new.
    void add_new(std::uint64_t begin, std::uint64_t end, lane_mask who) noexcept {
        put(push(begin >> bits_), begin, end, who);
    }

private:
    static constexpr unsigned slots_ = 128;

    transaction& push(std::uint64_t block) noexcept {
        auto& t = out_.push();
        t.address = block << bits_;
        t.bytes = 1U << bits_;
        return t;
    }
    std::size_t find_or_push(std::uint64_t block) noexcept {
        auto i = static_cast<unsigned>((block * 0x9e3779b97f4a7c15U) >> 57);
        while (slot_[i] != 0) {
            if (out_[slot_[i] - 1U].address >> bits_ == block) return slot_[i] - 1U;
            i = (i + 1) % slots_;
        }
        push(block);
        slot_[i] = static_cast<std::uint8_t>(out_.size());
        return out_.size() - 1;
    }
    static void put(transaction& t, std::uint64_t begin, std::uint64_t end, lane_mask who) noexcept {
        auto const from = begin & 127;
        auto const to = from + (end - begin);
        mark_bytes(t.used, from, to);
        t.sectors |= (2U << ((to - 1) >> 5)) - (1U << (from >> 5));
        t.lanes |= who;
    }

    transaction_list& out_;
    std::array<std::uint8_t, slots_> slot_; // hash table: position in out_ + 1; 0 is empty
    unsigned bits_;
    std::size_t last_ = 0;
};

/// Merges what the lanes touch into blocks of 2^block_bits bytes. An access across a boundary counts in each block.
inline void merge_blocks(warp_access const& a, unsigned block_bits, transaction_list& out) noexcept {
    block_merger merger(out, block_bits);
    auto const size = std::uint64_t{1} << block_bits;
    auto const low = size - 1;
    auto const first = static_cast<unsigned>(std::countr_zero(a.active));
    auto const count = static_cast<unsigned>(std::popcount(a.active));
    bool const atomic = a.kind == access_kind::atomic;

    if (a.affine && a.stride == a.bytes && a.active >> first == (~lane_mask{0} >> (32 - count))) {
        // One run of bytes, lane after lane: cut it at the block boundaries.
        auto const begin = a.base + a.stride * first;
        auto const total = std::uint64_t{a.bytes} * count;
        for (std::uint64_t done = 0; done < total;) {
            auto const at = begin + done;
            auto const piece = size - (at & low) < total - done ? size - (at & low) : total - done;
            auto const low_lane = first + static_cast<unsigned>(done / a.bytes);
            auto const high_lane = first + static_cast<unsigned>((done + piece - 1) / a.bytes);
            auto const who =
                static_cast<lane_mask>((std::uint64_t{2} << high_lane) - (std::uint64_t{1} << low_lane));
            merger.add_new(at, at + piece, who);
            done += piece;
        }
        return;
    }
    if (a.affine && a.stride == 0 && (a.base & low) + a.bytes <= size) {
        if (!atomic) merger.add_new(a.base, a.base + a.bytes, a.active);
        for (auto rest = atomic ? a.active : 0; rest != 0; rest &= rest - 1)
            merger.add_new(a.base, a.base + a.bytes, rest & (~rest + 1));
        return;
    }
    auto const step = a.stride >> 63 != 0 ? 0 - a.stride : a.stride;
    if (a.affine && step >= size && ((a.base | a.stride) & (std::bit_ceil(a.bytes) - 1)) == 0 &&
        step <= std::uint64_t{1} << 48 && a.bytes <= size) {
        // Each lane in a block of its own, none across a boundary.
        for (auto rest = a.active; rest != 0; rest &= rest - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(rest));
            auto const at = a.base + a.stride * lane;
            merger.add_new(at, at + a.bytes, rest & (~rest + 1));
        }
        return;
    }
    merger.expect_any_blocks();
    for (auto rest = a.active; rest != 0; rest &= rest - 1) {
        auto const lane = static_cast<unsigned>(std::countr_zero(rest));
        auto const who = rest & (~rest + 1);
        auto at = a.address(lane);
        for (auto left = std::uint64_t{a.bytes}; left != 0;) {
            auto const piece = size - (at & low) < left ? size - (at & low) : left;
            if (atomic)
                merger.add_exclusive(at, at + piece, who);
            else
                merger.add(at, at + piece, who);
            at += piece;
            left -= piece;
        }
    }
}

} // namespace warpkit::detail
