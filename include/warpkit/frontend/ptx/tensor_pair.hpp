#pragma once
/// \file
/// Pairs of CTAs (PTX: .cta_group::2), whose ranks in their cluster differ in the last bit: what an instruction of one
/// of them works on.
/// Source: PTX ISA, "CTA Pair", "Peer CTA", "Issue Granularity"; docs/model/ptx.md#pairs.

#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/frontend/ptx/tensor_memory.hpp>
#include <warpkit/program/async_words.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace warpkit::ptx::semantics::tensors {

/// The rank of the pair's other CTA, which must be there and have warps that have not ended.
inline std::uint32_t peer_of(warp_context const& c, operation const& o, lane_mask mask) {
    auto const peer = c.memory.rank ^ 1;
    if (peer >= c.memory.cluster_ctas)
        c.stop(c, o, mask,
               "expected a pair of CTAs, of ranks that differ in the last bit, found rank " +
                   std::to_string(c.memory.rank) + " in a cluster of " +
                   std::to_string(c.memory.cluster_ctas));
    if (c.memory.tensors[peer]->ended)
        c.stop(c, o, mask, "expected the pair's other CTA to be active, and all its warps have ended");
    return peer;
}

/// The CTA whose thread executes an instruction; of a pair both, the one of the even rank first.
class concerned_ctas {
public:
    concerned_ctas(warp_context const& c, operation const& o, lane_mask mask) {
        of_[0] = &c;
        if (!is_of_pair(*o.modifiers)) return;
        auto const peer = peer_of(c, o, mask);
        auto& m = other_.emplace(c).memory;
        m.shared = c.memory.cluster[peer];
        m.tensor = c.memory.tensors[peer];
        m.rank = peer;
        count_ = 2;
        of_[c.memory.rank & 1] = &c;
        of_[peer & 1] = &*other_;
    }
    concerned_ctas(concerned_ctas const&) = delete;
    concerned_ctas& operator=(concerned_ctas const&) = delete;
    warp_context const* const* begin() const noexcept { return of_.data(); }
    warp_context const* const* end() const noexcept { return of_.data() + count_; }
    unsigned size() const noexcept { return count_; }
    warp_context const& operator[](unsigned i) const noexcept { return *of_[i]; }

private:
    std::optional<warp_context> other_; ///< the same thread, as if it were of the other CTA
    std::array<warp_context const*, 2> of_{};
    unsigned count_ = 1;
};

/// What timing hears of a product, or of what else fills tensor memory: of a pair the same of its other CTA.
inline void record_product(warp_context& c, operation const& o, tensor_product_words const& p) {
    c.record->begin_instruction();
    c.record->number(p.word());
    if (is_of_pair(*o.modifiers))
        c.record->number(phase_name{c.memory.rank ^ 1, pair_order::of(p).number()}.word());
}

} // namespace warpkit::ptx::semantics::tensors
