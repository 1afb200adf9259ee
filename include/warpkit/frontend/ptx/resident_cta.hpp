#pragma once
/// \file
/// What the executor keeps of a CTA while it runs: its memory, its warps and who waits for what.

#include <warpkit/frontend/ptx/async_record.hpp>
#include <warpkit/frontend/ptx/barriers.hpp>
#include <warpkit/frontend/ptx/convergence.hpp>
#include <warpkit/frontend/ptx/tensor_memory.hpp>
#include <warpkit/program/stream.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace warpkit::ptx {

/// Bytes that begin at a multiple of `Alignment`.
template <std::size_t Alignment>
class aligned_bytes {
public:
    void resize(std::size_t bytes) { blocks_.resize((bytes + Alignment - 1) / Alignment); }
    std::byte* data() noexcept { return reinterpret_cast<std::byte*>(blocks_.data()); }
    void clear() noexcept {
        if (!blocks_.empty())
            std::memset(static_cast<void*>(blocks_.data()), 0, blocks_.size() * sizeof(block));
    }

private:
    struct alignas(Alignment) block {
        std::byte bytes[Alignment];
    };
    std::vector<block> blocks_;
};

enum class warp_status : std::uint8_t { ready, waiting, exited };

/// Whether a group of lanes that has run for long only waits for others.
struct spin_watch {
    lane_mask mask = 0;               ///< of the group that ran last
    std::uint64_t ran = 0;            ///< instructions in a row, about
    std::uint64_t look_at = 0;        ///< when it is looked at more closely
    std::uint32_t steps = 0;          ///< for how many instructions it still is
    std::uint32_t pc = 0;             ///< where it was then
    std::vector<std::byte> registers; ///< and what it had
    std::uint32_t interval = 0;       ///< instructions between two looks
    std::uint64_t patience = 0;       ///< instructions in a row before another group gets a turn
    std::uint64_t endurance = 0;      ///< before lanes that wait at a join do
    bool waits = false;               ///< in the warp's last turn none of its lanes did anything but wait
};

/// A warp that asks for what others do, in vain (action::poll). Its answer is kept back while others can do anything;
/// then one of those that ask is told that it has not come to pass.
struct poll_watch {
    static constexpr std::uint32_t most_refusals =
        1000; ///< in a row, with the same registers: it waits for ever

    bool asks = false; ///< in its last turn, and may be refused
    bool at_cluster_barrier =
        false;                    ///< in its last turn, or at what is like it, and others are missing there
    bool refuse = false;          ///< its next question is answered at once
    std::uint32_t pc = 0;         ///< of the question
    std::uint64_t refused_at = 0; ///< instructions executed then
    std::uint32_t refusals = 0;   ///< in a row, with these registers
    std::vector<std::byte> registers; ///< at the last one
};

struct warp_state {
    lane_groups groups;
    warp_status status = warp_status::ready;
    spin_watch watch;
    poll_watch poll;
    lane_mask arrived = 0; ///< at the cluster's barrier, in the phase that is under way
    lane_mask passed = 0;  ///< the same, and all others have: barrier.cluster.wait lets them go
};

/// A CTA while it runs.
struct resident_cta {
    std::uint64_t linear = 0; ///< its number in the grid, x fastest
    std::uint32_t rank = 0;   ///< in its cluster
    aligned_bytes<128> shared;
    std::byte* window = nullptr; ///< of its shared memory, where its cluster has no other CTA
    aligned_bytes<16> local;
    aligned_bytes<64> registers;
    std::vector<warp_state> warps;
    std::array<barrier_state, 16> barriers{};
    phase_log phases; ///< of its mbarriers
    tensor_memory tensor;
    std::uint32_t unfinished = 0; ///< warps
    std::uint64_t executed = 0;   ///< warp instructions, while another CTA has its turn
    std::uint64_t held = 0;       ///< bytes of its streams
    cta_stream* out = nullptr;
    cta_stream own; ///< where nobody else has given a place for them
};

} // namespace warpkit::ptx
