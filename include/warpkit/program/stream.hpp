#pragma once
/// \file
/// Warp instruction streams: what function hands to timing (docs/explanation/design.md#function-first). Every source
/// (PTX executor, trace reader, builder) fills the same value; timing reads it with a cursor.
///
/// A stream is stored as runs of consecutive instructions under one active mask, and the lane addresses of its memory
/// instructions one behind the other, in one of two forms: base and stride when the active lanes' addresses are an
/// arithmetic progression over the lane number, otherwise a list with one address per active lane.

#include <warpkit/base/byte_range.hpp>
#include <warpkit/base/lanes.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/program/predicted_addresses.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpkit {

/// Most masks are full, and without the host's own instruction counting bits is a call.
constexpr unsigned count_lanes(lane_mask m) noexcept {
    return m == all_lanes ? lanes : static_cast<unsigned>(std::popcount(m));
}

/// The addresses that one warp's memory instruction touches; valid entries are those of active lanes.
using lane_addresses = std::array<std::uint64_t, lanes>;

/// base + stride * lane, through the addresses of the first two active lanes; a stride of 0 if there is but one.
struct affine_addresses {
    std::uint64_t base = 0;
    std::uint64_t stride = 0;
    bool exact = false; ///< all active lanes' addresses are that
};
/// Precondition: a lane is active.
inline affine_addresses affine_through(lane_mask mask, lane_addresses const& address) noexcept {
    affine_addresses line;
    auto const low = static_cast<unsigned>(std::countr_zero(mask));
    auto const rest = mask & (mask - 1);
    if (rest != 0) {
        auto const next = static_cast<unsigned>(std::countr_zero(rest));
        auto const step = static_cast<std::int64_t>(address[next] - address[low]);
        line.stride = static_cast<std::uint64_t>(step / static_cast<std::int64_t>(next - low));
    }
    line.base = address[low] - line.stride * low;
    std::uint64_t differs = 0;
    if (mask == all_lanes) { // a loop that compilers turn into vector instructions
        auto expected = line.base;
        for (auto const a : address) {
            differs |= a ^ expected;
            expected += line.stride;
        }
    } else {
        for (auto m = mask; m != 0; m &= m - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(m));
            differs |= address[lane] ^ (line.base + line.stride * lane);
        }
    }
    line.exact = differs == 0;
    return line;
}

/// The dynamic instructions of one warp, in program order.
class warp_stream {
public:
    /// `count` consecutive instructions from `first` on, all under `mask`.
    struct run {
        std::uint32_t first = 0;
        std::uint32_t count = 0;
        lane_mask mask = 0;
        friend bool operator==(run const&, run const&) = default;
    };

    /// Appends one instruction that is not a memory access (or one that no lane executes).
    void append(std::uint32_t instruction, lane_mask mask) {
        ++size_;
        if (!runs_.empty()) {
            auto& last = runs_.back();
            if (last.mask == mask && last.first + last.count == instruction) {
                ++last.count;
                return;
            }
        }
        begin_run(instruction, mask);
    }
    /// Appends a memory instruction; `space` is the resolved space, `address[i]` belongs to lane i. Where lanes look
    /// into several spaces, `space` is `generic`, and so are all addresses. A memory instruction that no lane executes
    /// (mask 0) stores no addresses.
    void append(std::uint32_t instruction, lane_mask mask, memory_space space,
                lane_addresses const& address) {
        append(instruction, mask);
        if (mask != 0) append_addresses(mask, space, address);
    }

    /// The same where lane i accesses base + stride * i.
    void append(std::uint32_t instruction, lane_mask mask, memory_space space, std::uint64_t base,
                std::uint64_t stride) {
        append(instruction, mask);
        if (mask == 0) return;
        auto const at = data_.size();
        data_.resize(at + 3);
        data_[at] = header(space, true);
        data_[at + 1] = base;
        data_[at + 2] = stride;
    }
    /// The same where the k-th active lane accesses first + distance[k], which are known not to lie at one stride.
    void append_spread(std::uint32_t instruction, lane_mask mask, memory_space space, std::uint64_t first,
                       lane_addresses const& distance) {
        append(instruction, mask);
        auto const count = count_lanes(mask);
        if (count == 0) return;
        auto const at = data_.size();
        data_.resize(at + 1 + count);
        auto* const record = data_.data() + at;
        record[0] = header(space, false);
        if (count == lanes) // a loop that compilers turn into vector instructions
            for (unsigned k = 0; k < lanes; ++k) record[1 + k] = first + distance[k];
        else
            for (unsigned k = 0; k < count; ++k) record[1 + k] = first + distance[k];
    }
    /// Appends a barrier whose number and count of warps (0: all) were in registers.
    void append_barrier(std::uint32_t instruction, lane_mask mask, std::uint32_t number,
                        std::uint32_t warps) {
        append(instruction, mask);
        if (mask == 0) return;
        data_.push_back(header(memory_space::none, true));
        data_.push_back(number);
        data_.push_back(warps);
    }

    /// What the last instruction, whose role has_words(), does beside its addresses, if it has any: words of which
    /// async_words.hpp says what they are. Nothing where no lane executes it.
    void append_words(std::span<std::uint64_t const> words) {
        data_.push_back(words.size());
        data_.insert(data_.end(), words.begin(), words.end());
    }

    /// For who keeps streams elsewhere (stream_code.hpp): the next run as runs() has it, and room for the next words of
    /// address_data(), to be written before anything else is appended.
    void append_run(run const& r) {
        runs_.push_back(r);
        size_ += r.count;
    }
    std::uint64_t* append_address_data(std::size_t words) {
        data_.resize(data_.size() + words);
        return data_.data() + (data_.size() - words);
    }

    /// The code of its kernel lies so many instructions further behind: in a program that has it as a part.
    void move_code(std::uint32_t by) noexcept {
        for (auto& r : runs_) r.first += by;
    }

    /// How much a stream holds.
    struct extent {
        std::size_t runs = 0;
        std::size_t words = 0; ///< of address_data()
    };
    extent size_held() const noexcept { return {runs_.size(), data_.size()}; }
    /// The same in bytes.
    std::uint64_t bytes() const noexcept {
        return runs_.size() * sizeof(run) + data_.size() * sizeof(std::uint64_t);
    }
    /// Makes room for so much, as another warp of the kernel needed; more may come.
    void reserve(extent const& e) {
        runs_.reserve(e.runs);
        data_.reserve(e.words);
    }
    void clear() noexcept {
        runs_.clear();
        data_.clear();
        size_ = 0;
    }
    /// Dynamic warp instructions in the stream.
    std::uint64_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    std::vector<run> const& runs() const noexcept { return runs_; }
    std::vector<std::uint64_t> const& address_data() const noexcept { return data_; }
    /// Bytes of memory held.
    std::size_t footprint() const noexcept {
        return runs_.capacity() * sizeof(run) + data_.capacity() * sizeof(std::uint64_t);
    }

    WARPKIT_STORED_MEMBERS(3)
    friend bool operator==(warp_stream const&, warp_stream const&) = default;

private:
    friend class stream_cursor;
    static constexpr std::uint64_t header(memory_space space, bool affine) noexcept {
        return std::uint64_t{affine} | std::uint64_t{static_cast<std::uint8_t>(space)} << 8;
    }
    [[gnu::noinline]] void begin_run(std::uint32_t instruction, lane_mask mask) {
        runs_.push_back({instruction, 1, mask});
    }
    // Header word of an address record: bit 0 affine; bits 8-15 space. Affine: base of lane 0, stride. List: addresses.
    void append_addresses(lane_mask mask, memory_space space, lane_addresses const& address) {
        auto const line = affine_through(mask, address);
        bool const affine = line.exact;
        auto const count = count_lanes(mask);
        auto const at = data_.size();
        data_.resize(at + (affine ? 3 : 1 + count));
        auto* const record = data_.data() + at;
        record[0] = header(space, affine);
        if (affine) {
            record[1] = line.base;
            record[2] = line.stride;
        } else if (mask == all_lanes) {
            for (unsigned lane = 0; lane < lanes; ++lane) record[1 + lane] = address[lane];
        } else {
            auto* next = record + 1;
            for (auto m = mask; m != 0; m &= m - 1)
                *next++ = address[static_cast<unsigned>(std::countr_zero(m))];
        }
    }

    std::vector<run> runs_;
    std::vector<std::uint64_t> data_;
    std::uint64_t size_ = 0;
};

/// A reading position in a warp_stream; a small regular value. It does not own the stream, but keeps what it knows of
/// the run that it is in, so that most steps do not look there.
class stream_cursor {
public:
    /// At the end of any stream.
    stream_cursor() = default;
    /// At the beginning of `s`.
    explicit stream_cursor(warp_stream const& s) noexcept { enter(s); }

    /// At the end of the stream. All other members require !done(), the addresses also a memory instruction whose
    /// mask is not 0.
    bool done() const noexcept { return left_ == 0; }
    std::uint32_t instruction() const noexcept { return instruction_; }
    lane_mask mask() const noexcept { return mask_; }
    memory_space space(warp_stream const& s) const noexcept {
        return static_cast<memory_space>(s.data_[address_] >> 8 & 0xff);
    }
    /// Whether the addresses are base + stride * lane.
    bool is_affine(warp_stream const& s) const noexcept { return (s.data_[address_] & 1) != 0; }
    std::uint64_t base(warp_stream const& s) const noexcept { return s.data_[address_ + 1]; }
    std::uint64_t stride(warp_stream const& s) const noexcept { return s.data_[address_ + 2]; }
    /// Writes the addresses of the active lanes.
    void addresses(warp_stream const& s, lane_addresses& out) const noexcept {
        if (is_affine(s)) {
            for (unsigned i = 0; i < lanes; ++i) out[i] = base(s) + stride(s) * i;
        } else {
            auto const* next = s.data_.data() + address_ + 1;
            if (mask_ == all_lanes) {
                for (auto& a : out) a = *next++;
                return;
            }
            for (auto rest = mask_; rest != 0; rest &= rest - 1)
                out[static_cast<unsigned>(std::countr_zero(rest))] = *next++;
        }
    }
    /// The active lanes that look into space `in`, which is not `generic`; writes their addresses there.
    lane_mask addresses_in(warp_stream const& s, memory_space in, lane_addresses& out) const noexcept {
        auto const found = space(s);
        if (found != in && found != memory_space::generic) return 0;
        addresses(s, out);
        if (found == in) return mask_;
        lane_mask there = 0;
        for (auto rest = mask_; rest != 0; rest &= rest - 1) {
            auto& address = out[static_cast<unsigned>(std::countr_zero(rest))];
            if (space_of(address) == in) there |= rest & (0 - rest);
            address &= ~window_mask;
        }
        return there;
    }
    /// Of a barrier that append_barrier() wrote.
    std::uint32_t barrier(warp_stream const& s) const noexcept { return static_cast<std::uint32_t>(base(s)); }
    std::uint32_t barrier_warps(warp_stream const& s) const noexcept {
        return static_cast<std::uint32_t>(stride(s));
    }
    /// What append_words() wrote; nothing if the mask is 0. `has_addresses` as of advance().
    std::span<std::uint64_t const> words(warp_stream const& s, bool has_addresses) const noexcept {
        if (mask_ == 0) return {};
        auto const* const at = s.data_.data() + address_ + (has_addresses ? words_of_addresses(s) : 0);
        return {at + 1, static_cast<std::size_t>(*at)};
    }
    /// Moves to the next instruction. `has_addresses` says whether the current one is a memory instruction, or a
    /// barrier that stands in the stream.
    void advance(warp_stream const& s, bool has_addresses) noexcept {
        if (has_addresses && mask_ != 0) address_ += words_of_addresses(s);
        if (!step()) next_run(s);
    }
    /// The same behind an instruction that has words of its own.
    void advance_behind_words(warp_stream const& s, bool has_addresses) noexcept {
        if (mask_ != 0) {
            auto const own = words(s, has_addresses).size();
            if (has_addresses) address_ += words_of_addresses(s);
            address_ += static_cast<std::uint32_t>(1 + own);
        }
        if (!step()) next_run(s);
    }
    /// The same behind `i`, which is the current instruction.
    void advance(warp_stream const& s, static_instruction const& i) noexcept {
        bool const has_addresses = i.is_memory() || i.barrier_in_stream;
        has_words(i.async) ? advance_behind_words(s, has_addresses) : advance(s, has_addresses);
    }
    /// The same in two parts, for instructions without addresses: to the instruction behind, if the run goes on; if
    /// not, false, and next_run() must follow.
    bool step() noexcept {
        ++instruction_;
        return --left_ != 0;
    }
    void next_run(warp_stream const& s) noexcept {
        ++run_;
        enter(s);
    }
    WARPKIT_STORED_MEMBERS(5)
    friend bool operator==(stream_cursor const&, stream_cursor const&) = default;

private:
    std::uint32_t words_of_addresses(warp_stream const& s) const noexcept {
        return is_affine(s) ? 3 : 1 + count_lanes(mask_);
    }
    void enter(warp_stream const& s) noexcept {
        if (run_ == s.runs_.size()) return;
        auto const& r = s.runs_[run_];
        instruction_ = r.first;
        left_ = r.count;
        mask_ = r.mask;
    }

    std::uint32_t instruction_ = 0;
    lane_mask mask_ = 0;
    std::uint32_t left_ = 0; ///< instructions of this run, this one included
    std::uint32_t run_ = 0;
    std::uint32_t address_ = 0; ///< where the next record begins
};

/// All warps of one CTA.
struct cta_stream {
    std::vector<warp_stream> warps;
    /// The phases of the CTA's mbarriers in the order in which they began, by how many events complete each: arrivals
    /// and copies whose words name it.
    std::vector<std::uint32_t> phases;

    /// Empties all streams, keeping their memory, and sets the number of warps.
    void reset(unsigned warp_count) {
        warps.resize(warp_count);
        for (auto& w : warps) w.clear();
        phases.clear();
    }
    friend bool operator==(cta_stream const&, cta_stream const&) = default;
};

/// Extent of a grid or a block.
struct dim3 {
    std::uint32_t x = 1;
    std::uint32_t y = 1;
    std::uint32_t z = 1;
    /// All together; the largest number if they are more.
    constexpr std::uint64_t count() const noexcept { return saturated_product(std::uint64_t{x} * y, z); }
    friend bool operator==(dim3 const&, dim3 const&) = default;
};

/// One kernel launch as the timing model sees it: the code, the shape, and where each CTA's streams come from.
/// The streams of a CTA are asked for once, when it is dispatched, in the order of dispatch; so memory is bounded by
/// what is resident. Non-owning: program and source must outlive the run.
struct kernel_launch {
    static_program const* program = nullptr;
    dim3 grid;
    dim3 block;
    dim3 cluster = {};                              ///< CTAs of one; the grid is of whole ones
    std::uint32_t shared_bytes = 0;                 ///< per CTA, static and dynamic
    predicted_addresses const* addresses = nullptr; ///< what it will touch, if its front end can tell
    void* source = nullptr;
    /// Fills `out` with the streams of the CTA of this linear number.
    void (*fill)(void* source, std::uint64_t cta, cta_stream& out) = nullptr;

    std::uint64_t ctas() const noexcept { return grid.count(); }
    unsigned warps_per_cta() const noexcept {
        return static_cast<unsigned>((block.count() + lanes - 1) / lanes);
    }
};

} // namespace warpkit
