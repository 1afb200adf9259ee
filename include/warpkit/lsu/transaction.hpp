#pragma once
/// \file
/// What the load/store unit works on: one warp's memory instruction, and the transactions it becomes.

#include <warpkit/base/hash.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/program/stream.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpkit {

/// One dynamic memory instruction of a warp, as the coalescer sees it. A view: the list of addresses must outlive it.
struct warp_access {
    lane_mask active = 0;    ///< at least one lane
    std::uint32_t bytes = 4; ///< per lane, 1 to 32
    access_kind kind = access_kind::load;
    bool affine = true;                        ///< address of lane i is base + stride * i (modulo 2^64)
    std::uint64_t base = 0;                    ///< affine form
    std::uint64_t stride = 0;                  ///< affine form
    lane_addresses const* addresses = nullptr; ///< otherwise: address[i] belongs to lane i
    bool past_l1 = false;                      ///< a load that does not look into the L1

    constexpr std::uint64_t address(unsigned lane) const noexcept {
        return affine ? base + stride * lane : (*addresses)[lane];
    }
};

/// What a memory instruction of this class does.
constexpr access_kind access_kind_of(op_class k) noexcept {
    return k == op_class::store    ? access_kind::store
           : k == op_class::atomic ? access_kind::atomic
                                   : access_kind::load;
}

/// The memory instruction under the cursor; of its static form (in whatever shape the host keeps it) `kind`,
/// `access_bytes` and, if it has that, `past_l1` are read. `scratch` keeps the addresses if they are not affine, and
/// must live as long as the result.
/// Precondition: a memory instruction with at least one active lane.
template <class Instruction>
warp_access read_access(stream_cursor const& cursor, warp_stream const& stream,
                        Instruction const& instruction, lane_addresses& scratch) noexcept {
    warp_access a;
    a.active = cursor.mask();
    a.bytes = instruction.access_bytes;
    a.kind = access_kind_of(instruction.kind);
    if constexpr (requires { instruction.past_l1; }) a.past_l1 = instruction.past_l1;
    a.affine = cursor.is_affine(stream);
    if (a.affine) {
        a.base = cursor.base(stream);
        a.stride = cursor.stride(stream);
    } else {
        cursor.addresses(stream, scratch);
        a.addresses = &scratch;
    }
    return a;
}

/// One request of a warp to the memory system: a naturally aligned block of a power of two of bytes.
struct transaction {
    std::uint64_t address = 0; ///< of the block
    /// The bytes used, relative to the 128-byte aligned block around it: byte b is bit b % 64 of word b / 64.
    std::array<std::uint64_t, 2> used{};
    lane_mask lanes = 0;     ///< who takes part
    std::uint32_t bytes = 0; ///< size of the block, at most 128
    std::uint32_t sectors =
        0;                    ///< bit s: bytes of the 32-byte sector s of the 128-byte aligned block are used
    std::uint32_t unused = 0; ///< always 0; keeps the type free of padding

    friend bool operator==(transaction const&, transaction const&) = default;
};

/// Up to 64 transactions (32 lanes, each across one boundary), in the order in which the lanes, lowest first, ask for
/// them. A regular value that never allocates.
class transaction_list {
public:
    static constexpr unsigned capacity = 2 * lanes;

    constexpr void clear() noexcept { size_ = 0; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr transaction const& operator[](std::size_t i) const noexcept { return item_[i]; }
    constexpr transaction& operator[](std::size_t i) noexcept { return item_[i]; }
    constexpr transaction* begin() noexcept { return item_.data(); }
    constexpr transaction* end() noexcept { return item_.data() + size_; }
    constexpr transaction const* begin() const noexcept { return item_.data(); }
    constexpr transaction const* end() const noexcept { return item_.data() + size_; }
    /// Appends an empty one; precondition: fewer than `capacity`.
    constexpr transaction& push() noexcept { return item_[size_++] = {}; }

    /// For checkpoints (machine/state_archive.hpp): what it holds.
    template <class F>
    void each_stored(F&& f) {
        f(size_);
        if (size_ > capacity) size_ = capacity;
        for (unsigned i = 0; i < size_; ++i) f(item_[i]);
    }
    friend constexpr bool operator==(transaction_list const& a, transaction_list const& b) noexcept {
        if (a.size_ != b.size_) return false;
        for (unsigned i = 0; i < a.size_; ++i)
            if (!(a.item_[i] == b.item_[i])) return false;
        return true;
    }

private:
    std::array<transaction, capacity> item_;
    unsigned size_ = 0;
};

} // namespace warpkit
