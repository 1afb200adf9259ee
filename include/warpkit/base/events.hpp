#pragma once
/// \file
/// The event vocabulary. A policy, an observer, a log and a benchmark all speak in these values; whoever has an
/// `on(event const&)` hears it (listen.hpp). docs/model/events.md#who-needs-what lists which policy needs which.
///
/// Warp and CTA slots are core-wide. Cycles are those of the core clock. An event is delivered after the state it
/// tells of has changed.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/footprint.hpp>
#include <warpkit/base/lanes.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/told_fact.hpp>
#include <warpkit/base/warp_picker.hpp>
#include <warpkit/base/warp_set.hpp>

#include <cstdint>

namespace warpkit {

struct static_program;     // program/instruction.hpp
struct static_instruction; // program/static_instruction.hpp, which is light
class predicted_addresses; // program/predicted_addresses.hpp, light too

/// What kind of instruction a warp issued, as coarse as policies need it.
enum class issue_class : std::uint8_t {
    arithmetic,
    special_function,
    shared_memory,
    load,   ///< global, local, texture or parameter load
    store,  ///< global or local store
    atomic, ///< global atomic
    branch,
    barrier,
    exit,
    other
};

/// Why a warp cannot issue.
enum class block_reason : std::uint8_t {
    memory, ///< its next instruction needs the result of an outstanding global, local, texture or parameter load
    dependency, ///< its next instruction needs another outstanding result
    barrier,    ///< it waits at a barrier
    fence       ///< it waits for its outstanding memory operations (fence, or the result of an atomic)
};

/// A kernel starts on a core. The first event of a policy's life; state from an earlier kernel must not matter.
///
/// What it tells has no default but what may be missing: a policy that reads a field which its host has not set throws
/// untold_fact (base/told_fact.hpp), which names the field. So a handler that reads one is not noexcept.
struct kernel_began {
    /// Alive until kernel_ended; null if there is none.
    static_program const* program = nullptr;
    /// This core's number, and cores in the machine.
    told_fact<unsigned, "kernel_began::core"> core = {};
    told_fact<unsigned, "kernel_began::cores"> cores = {};
    /// Warp slots per core.
    told_fact<unsigned, "kernel_began::warp_slots"> warp_slots = {};
    /// N: most CTAs of this kernel that fit a core at once; and k.
    told_fact<unsigned, "kernel_began::ctas_per_core"> ctas_per_core = {};
    told_fact<unsigned, "kernel_began::warps_per_cta"> warps_per_cta = {};
    /// From one instruction's pc to the next one's.
    told_fact<std::uint32_t, "kernel_began::instruction_bytes"> instruction_bytes = {};
    /// Lines in the L1 data cache; 0 if there is none.
    told_fact<std::uint32_t, "kernel_began::l1_lines"> l1_lines = {};
    /// The program's instructions, alive as long as it is, and how many they are.
    told_fact<static_instruction const*, "kernel_began::code"> code = {};
    told_fact<std::uint32_t, "kernel_began::instructions"> instructions = {};
    /// What the launch will touch, alive until kernel_ended; null if that is not known.
    predicted_addresses const* addresses = nullptr;
    /// Warp schedulers in the core; slot w belongs to scheduler w mod schedulers.
    told_fact<unsigned, "kernel_began::schedulers"> schedulers = {};
    /// The slot at which a fetch order that takes turns begins.
    unsigned first_fetch = 0;
};
/// The kernel has ended on this core: nothing of it is resident any more.
struct kernel_ended {};

/// A CTA became resident. Its warps are live from now on; a lower slot holds lower thread numbers.
struct cta_launched {
    cta_slot cta;
    std::uint64_t linear_id = 0; ///< x + nx * (y + ny * z)
    warp_set warps;
    cycle at = 0;
};
/// What is known of a warp's accesses before it runs. Told after the cta_launched of its CTA, before anything else
/// happens to the warp; never told where nothing is known.
struct footprint_known {
    warp_slot warp;
    warp_footprint footprint;
};
/// The last warp of a CTA has exited and its slots are free.
struct cta_finished {
    cta_slot cta;
    std::uint64_t linear_id = 0;
    cycle at = 0;
};
/// All threads of a warp have exited.
struct warp_exited {
    warp_slot warp;
};

/// An instruction left the instruction buffer for an execution unit.
struct issued {
    warp_slot warp;
    std::uint32_t pc = 0; ///< byte address of the instruction within its program
    issue_class kind = issue_class::arithmetic;
    lane_mask active = 0; ///< lanes
    cycle at = 0;
};
/// A branch was issued and the warp's next instruction is known.
struct branched {
    warp_slot warp;
    std::uint32_t pc = 0;
    std::uint32_t next_pc = 0; ///< where the warp goes on: the top of the reconvergence stack
    bool taken = false;        ///< next_pc is the branch target
};
/// A warp that could compete for issue no longer can.
struct blocked {
    warp_slot warp;
    block_reason reason = block_reason::dependency;
};
/// The reason has gone.
struct unblocked {
    warp_slot warp;
    block_reason reason = block_reason::dependency;
};
/// A warp reached a barrier.
struct barrier_arrived {
    warp_slot warp;
    bool waits = true; ///< false: it only arrives, as by PTX's bar.arrive, and goes on
};
/// A barrier opened for these warps, which waited there.
struct barrier_released {
    warp_set warps;
};

/// How a cache answered one access (docs/model/cache.md#outcomes).
enum class cache_outcome : std::uint8_t { hit, hit_reserved, miss, sector_miss, reservation_fail };

/// A warp's access reached the L1 data cache. Refused accesses are told as lsu_refused instead.
struct l1_accessed {
    warp_slot warp;
    std::uint32_t pc = 0;
    std::uint64_t line = 0; ///< byte address of the line
    access_kind kind = access_kind::load;
    cache_outcome outcome = cache_outcome::hit;
};
/// A line left the L1 data cache.
struct l1_evicted {
    std::uint64_t line = 0;
    warp_slot owner; ///< the warp that brought it in; none if its slot has been reused
    bool by_store =
        false; ///< a store that hit the line removed it (write-evict); no other line took its place
};
/// A line arrived in the L1 data cache.
struct l1_filled {
    std::uint64_t line = 0;
};
/// All data of one load instruction has returned.
struct load_returned {
    warp_slot warp;
    std::uint32_t pc = 0; ///< of the load; several of one pc may be under way, and return in any order
};

/// Why the load/store unit could not go on. The last: a store must not join the load that waits behind another store.
enum class refusal : std::uint8_t {
    line_allocation,
    mshr_entry,
    mshr_merge,
    miss_queue,
    network,
    mshr_read_write_pending
};

/// The load/store unit's head access was refused and will be retried.
struct lsu_refused {
    warp_slot warp;
    refusal reason = refusal::line_allocation;
};

/// How much room is left on the way to memory behind the L1 data cache. Told when it has changed since the schedulers
/// were asked last, before they are asked again; until it is told for the first time all is free.
struct memory_pressure {
    std::uint16_t free_mshrs = 0; ///< L1 data cache lines (sectors) that can be asked for
    std::uint16_t mshrs = 0;      ///< ... of so many; 0 if there is no L1 data cache
    std::uint16_t free_queue = 0; ///< places in its miss queue
    std::uint16_t queue = 0;      ///< ... of so many
    friend bool operator==(memory_pressure const&, memory_pressure const&) = default;
};

/// The core fetched for this warp: its fetch stage spent the cycle on it.
struct fetched {
    warp_slot warp;
    std::uint32_t pc = 0;
    std::uint32_t line = 0; ///< pc of the first byte of its line in the L1 instruction cache
    cache_outcome outcome = cache_outcome::hit;
};
/// The core asked for a line of code that no warp has fetched from yet.
struct prefetched {
    std::uint32_t line = 0; ///< pc of its first byte
};
/// The number of instructions in a warp's instruction buffer changed.
struct instruction_buffered {
    warp_slot warp;
    std::uint8_t count = 0;
};

/// The instruction at the head of a warp's instruction buffer is another one: it is what the warp issues next. After
/// `issued` there is none until this is told again.
struct next_decoded {
    warp_slot warp;
    std::uint32_t pc = 0;
};

/// Exactly one of these per scheduler and cycle; docs/model/issue.md#stall-taxonomy says which.
enum class cycle_cause : std::uint8_t {
    issued,
    no_cta,
    drained,
    structural_memory,
    structural_other,
    throttled,
    raw_memory,
    raw_other,
    sync,
    control,
    fetch,
    translation
};
inline constexpr unsigned cycle_cause_count = 12;

/// A scheduler's run of `count` cycles from `from` on had this one cause.
struct cycles_spent {
    unsigned scheduler = 0;
    cycle_cause cause = cycle_cause::issued;
    cycle from = 0;
    cycle count = 1;
};

/// A scheduler was asked which of `candidates` goes first, and answered; `next` says what they would issue. Told to
/// observers alone, before anything comes of the answer.
struct decision_made {
    unsigned scheduler = 0;
    warp_set candidates;
    issue_classes next;
    warp_slot pick;
    cycle at = 0;
};

/// A list of types.
template <class... E>
struct event_list {};

/// The whole vocabulary.
using all_events =
    event_list<kernel_began, kernel_ended, cta_launched, footprint_known, cta_finished, warp_exited, issued,
               branched, blocked, unblocked, barrier_arrived, barrier_released, l1_accessed, l1_evicted,
               l1_filled, load_returned, lsu_refused, memory_pressure, fetched, prefetched,
               instruction_buffered, next_decoded, cycles_spent, decision_made>;

} // namespace warpkit
