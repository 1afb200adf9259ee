#pragma once
/// \file
/// What the words of asynchronous instructions say in a warp's stream (warp_stream::append_words): of arrivals and
/// waits at mbarriers the phases, of bulk copies what is moved (docs/model/asynchronous.md#streams). Of columns of
/// tensor memory that are allocated or freed it is their number; of a commit of products into it the phases, as of an
/// arrival. Of a pair of CTAs an allocation and a product have a second word: the other CTA's rank, and a pair_order.

#include <warpkit/base/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpkit {

/// A phase of an mbarrier: the rank, in its cluster, of the CTA that has the mbarrier, and the number of the phase
/// among all of that CTA's (cta_stream::phases).
struct phase_name {
    std::uint32_t rank = 0;
    std::uint32_t phase = 0;

    static constexpr phase_name of(std::uint64_t word) noexcept {
        return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
    }
    constexpr std::uint64_t word() const noexcept { return std::uint64_t{rank} << 32 | phase; }
    friend bool operator==(phase_name const&, phase_name const&) = default;
};
/// In place of a phase: none.
inline constexpr std::uint64_t no_phase = ~std::uint64_t{0};

/// What a product into tensor memory (PTX: tcgen05.mma) is to timing, in a word; what else fills it (.cp, .shift) is
/// a product of no columns.
struct tensor_product_words {
    std::uint32_t columns = 0;      ///< of the sum
    std::uint32_t shared_bytes = 0; ///< read of shared memory

    static constexpr tensor_product_words of(std::uint64_t word) noexcept {
        return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
    }
    constexpr std::uint64_t word() const noexcept { return std::uint64_t{columns} << 32 | shared_bytes; }
};

/// What a core's units tell those of the pair's other CTA (PTX: .cta_group::2), in place of the number of a phase:
/// that a product takes the tensor cores there, too, or that who allocates there may go on.
struct pair_order {
    static constexpr std::uint32_t mark = 1U << 31;
    static constexpr std::uint32_t granularity = 16; ///< bytes
    bool allocates = false;
    tensor_product_words product; ///< otherwise

    static constexpr pair_order of(tensor_product_words const& p) noexcept { return {false, p}; }
    static constexpr pair_order of_allocation() noexcept { return {true, {}}; }
    static constexpr bool is_one(std::uint32_t number) noexcept { return (number & mark) != 0; }
    static constexpr pair_order of(std::uint32_t number) noexcept {
        return {(number >> 30 & 1) != 0, {number >> 16 & 0x3fff, (number & 0xffff) * granularity}};
    }
    constexpr std::uint32_t number() const noexcept {
        return mark | (allocates ? 1U << 30 : 0U) | product.columns << 16 |
               product.shared_bytes / granularity;
    }
};

/// Where a bulk copy goes.
enum class bulk_way : std::uint8_t {
    load,     ///< from global to shared memory
    store,    ///< from shared to global memory
    reduction ///< the same, added to what is there
};

/// One bulk copy: a lane's. In words: the phase that it completes, or no_phase; way, whether it reads a tensor map, the
/// number of further phases and of pieces; the pieces, bytes that lie side by side in global memory, the global address
/// of each and its shared address with its bytes; and the further phases.
struct bulk_copy_words {
    struct piece {
        std::uint64_t global = 0;
        std::uint32_t shared =
            0; ///< offset in the CTA's shared memory; with a rank above, as PTX's addresses have it
        std::uint32_t bytes = 0;
        friend bool operator==(piece const&, piece const&) = default;
    };

    std::uint64_t signals = no_phase;
    bulk_way way = bulk_way::load;
    bool reads_map = false;
    std::vector<piece> pieces;
    std::vector<std::uint64_t> further; ///< phases of other CTAs that a multicast completes, too

    /// It completes one phase more.
    void signal(std::uint64_t phase) {
        if (signals == no_phase)
            signals = phase;
        else
            further.push_back(phase);
    }
    void append_to(std::vector<std::uint64_t>& words) const {
        words.push_back(signals);
        words.push_back(static_cast<std::uint64_t>(way) | std::uint64_t{reads_map} << 8 |
                        std::uint64_t{further.size()} << 16 | std::uint64_t{pieces.size()} << 32);
        for (auto const& p : pieces) {
            words.push_back(p.global);
            words.push_back(std::uint64_t{p.shared} << 32 | p.bytes);
        }
        words.insert(words.end(), further.begin(), further.end());
    }
    /// The first of `words`, which are made shorter by it.
    static bulk_copy_words take_from(std::span<std::uint64_t const>& words) {
        bulk_copy_words c;
        c.signals = words[0];
        c.way = static_cast<bulk_way>(words[1] & 0xff);
        c.reads_map = (words[1] >> 8 & 1) != 0;
        c.pieces.resize(static_cast<std::size_t>(words[1] >> 32));
        auto const further = static_cast<std::size_t>(words[1] >> 16 & 0xffff);
        words = words.subspan(2);
        for (auto& p : c.pieces) {
            p = {words[0], static_cast<std::uint32_t>(words[1] >> 32), static_cast<std::uint32_t>(words[1])};
            words = words.subspan(2);
        }
        c.further.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(further));
        words = words.subspan(further);
        return c;
    }
    /// Adds bytes to the last piece if they lie behind it in global memory; otherwise they are the next one.
    void add(std::uint64_t global, std::uint32_t shared, std::uint32_t bytes) {
        if (!pieces.empty() && pieces.back().global + pieces.back().bytes == global)
            pieces.back().bytes += bytes;
        else if (bytes != 0)
            pieces.push_back({global, shared, bytes});
    }
    friend bool operator==(bulk_copy_words const&, bulk_copy_words const&) = default;
};

} // namespace warpkit
