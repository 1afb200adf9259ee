#pragma once
/// \file
/// The executable form of one instruction and the context in which it runs on a warp.
///
/// A warp's registers lie in one block of bytes, each as 32 lanes of its declared width, predicates as one 32-bit mask.
/// An operand is a slot: a byte offset into that block, or into the kernel's pool of broadcast constants.

#include <warpkit/base/memory_space.hpp>
#include <warpkit/frontend/memory.hpp>
#include <warpkit/frontend/ptx/async_record.hpp>
#include <warpkit/frontend/ptx/form.hpp>
#include <warpkit/program/stream.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace warpkit::ptx {

struct operation;
struct warp_context;

/// Runs one instruction for the lanes of `mask` (never 0).
using execute_function = void (*)(warp_context&, operation const&, lane_mask mask);

/// A comparison of the first two sources, for all 32 lanes.
using test_function = lane_mask (*)(warp_context const&, operation const&);

/// What the executor's loop does with an instruction beside running its function.
enum class action : std::uint8_t {
    compute,
    access,
    jump,
    jump_by_table, ///< each lane to the target that its register chooses
    call,
    leave,
    exit,
    synchronise,
    gather, ///< a warp collective: waits for the lanes that its last source names
    copy,   ///< an access by those lanes of the mask that the function says
    poll,   ///< an access that asks for what other threads do: they go first, if they have not
    signal, ///< an access that arrives at mbarriers
    bulk,   ///< bulk copies, and what else has words beside
    meet,   ///< the same, which waits for another CTA
    yield,  ///< lets the other lanes of the warp go first
    pass,   ///< the CTA's other warps have their turn before what comes behind
    arrive_in_cluster,
    wait_in_cluster,
    trap,
    unsupported
};

/// How a memory operand's lane addresses come about.
enum class addressing : std::uint8_t { absolute, base32, base64 };

/// One instruction, ready to run.
struct operation {
    static constexpr std::uint32_t constant_bit = 0x80000000;
    static constexpr std::uint32_t no_slot = 0xffffffff;
    static constexpr unsigned max_destinations = 8;
    static constexpr unsigned max_sources = 10;

    execute_function execute = nullptr;
    test_function test = nullptr; ///< of setp and set
    action what = action::compute;
    bool guarded = false;
    bool guard_negated = false;
    bool attention = false;  ///< guarded, or may_be_met
    bool may_be_met = false; ///< lanes may meet here that are not all below the nearest join
    addressing address = addressing::absolute;
    memory_space space = memory_space::none;
    std::uint8_t elements = 1;          ///< of a vector
    std::uint8_t destination_bytes = 0; ///< width of the destination registers (0: predicate)
    std::uint8_t source_bytes = 0;      ///< width of the first data source
    std::uint8_t negated = 0;           ///< bit i: source predicate i is negated
    ptx::rounding rounding = ptx::rounding::none;
    bool ftz = false;
    bool sat = false;
    bool writes = false;            ///< a store or an atomic
    bool barrier_in_stream = false; ///< number and count of a barrier are not constants
    bool untimed = false;           ///< no machine knows its time
    std::uint8_t option = 0;        ///< what else the function wants to know
    std::uint8_t source_count = 0;
    std::uint8_t fragment_destinations =
        0; ///< registers of matrices that it writes, the first of those listed
    std::uint32_t guard = 0;
    std::uint32_t base = 0; ///< slot of the address register
    std::uint64_t offset = 0;
    std::uint32_t target = 0; ///< of a branch; or the number of its table; or where its fragments are listed
    std::uint32_t reconvergence = 0; ///< of a branch: where its paths meet
    bool meets_only_at_end = false;  ///< of a branch: there they do nothing but leave
    std::array<std::uint32_t, max_destinations> destination{};
    std::array<std::uint32_t, max_sources> source{};
    std::uint32_t index = 0; ///< of the instruction in the program
    std::uint16_t row = 0;   ///< of the instruction table
    form const* modifiers = nullptr;
};

class tensor_memory;

/// The memory that one CTA sees.
struct memory_view {
    device_memory* global = nullptr;
    std::byte* constant = nullptr;
    std::uint64_t constant_bytes = 0;
    std::byte* parameters = nullptr;
    std::uint64_t parameter_bytes = 0;
    std::byte* shared = nullptr;
    std::uint64_t shared_bytes = 0;
    std::byte* const* cluster = nullptr; ///< the shared memory of each CTA of the cluster, by rank
    std::uint32_t cluster_ctas = 1;
    std::uint32_t rank = 0; ///< of this CTA
    tensor_memory* tensor = nullptr;
    tensor_memory* const* tensors = nullptr; ///< of each CTA of the cluster, by rank
    bool names_own = false;                  ///< addresses of its own shared memory have this CTA's rank, too
    std::byte* local = nullptr;              ///< of the CTA's first thread
    std::uint64_t local_bytes = 0;           ///< per thread
    bool concurrent = false;                 ///< other host threads access `global`, too
};

static_assert(lanes == 32,
              "warpkit: PTX is of warps of 32 threads (WARP_SZ, votes, matches and shuffles have masks of 32 "
              "bits): kernels for WARPKIT_WARP_LANES=64 come from the builder (frontend/builder.hpp)");

namespace detail {
/// Types that may read and write lanes of any type.
template <class T>
struct lane {
    typedef T __attribute__((__may_alias__)) type;
};
inline constexpr std::array<std::uint32_t, lanes> lane_bit = [] {
    std::array<std::uint32_t, lanes> bit{};
    for (unsigned l = 0; l < lanes; ++l) bit[l] = 1U << l;
    return bit;
}();
template <class T>
inline void blend(void* to, T const* from, lane_mask mask) {
    auto* d = static_cast<typename lane<T>::type*>(to);
    if (mask == all_lanes) {
        for (unsigned l = 0; l < lanes; ++l) d[l] = from[l];
    } else {
        for (unsigned l = 0; l < lanes; ++l) d[l] = (mask & lane_bit[l]) != 0 ? from[l] : d[l];
    }
}
} // namespace detail

class thread_names;
class system_state;

/// A warp while it runs, as the functions of the instruction table see it.
struct warp_context {
    std::byte* bank[2]{}; ///< registers; constants (never written)
    memory_view memory;
    std::uint32_t warp = 0;
    std::uint32_t threads = 0; ///< of a CTA
    std::uint64_t cta = 0;
    std::uint64_t executed = 0;          ///< warp instructions of this CTA so far: what %clock reads
    thread_names const* names = nullptr; ///< what `fault` and `stop` say of it
    void (*fault)(warp_context const&, operation const&, std::string_view what, unsigned lane,
                  std::uint64_t address, unsigned bytes, memory_space space) = nullptr; ///< throws
    void (*stop)(warp_context const&, operation const&, lane_mask of,
                 std::string const& why) = nullptr; ///< throws
    async_record* record = nullptr;                 ///< of asynchronous instructions
    system_state* system = nullptr;                 ///< of system calls
    std::uint32_t const* fragments =
        nullptr; ///< slots of the registers that hold matrices, of all instructions

    // Of the last memory instruction.
    lane_addresses address{};
    memory_space space = memory_space::none;
    std::array<std::byte*, lanes> pointer{}; ///< only the first if `regular`
    bool regular =
        false; ///< lane l accesses pointer[0] + stride * l and address[0] + stride * l, for all lanes
    std::uint64_t stride = 0;
    lane_mask accessed =
        0; ///< by action::copy: lanes that accessed memory; by poll and meet: those that need not wait

    /// The host address of a lane's access.
    std::byte* target(unsigned l) const { return regular ? pointer[0] + step(l) : pointer[l]; }
    /// The address of a lane's access.
    std::uint64_t address_of(unsigned l) const {
        return regular ? address[0] + static_cast<std::uint64_t>(step(l)) : address[l];
    }
    /// From lane 0's access to lane l's, if regular; a stride may be negative.
    std::ptrdiff_t step(unsigned l) const {
        return static_cast<std::ptrdiff_t>(stride) * static_cast<std::ptrdiff_t>(l);
    }

    std::byte* at(std::uint32_t slot) const { return bank[slot >> 31] + (slot & ~operation::constant_bit); }
    template <class T>
    auto const* lanes_of(std::uint32_t slot) const {
        return reinterpret_cast<typename detail::lane<T>::type const*>(at(slot));
    }
    template <class T>
    auto const* source(operation const& o, unsigned i) const {
        return lanes_of<T>(o.source[i]);
    }
    /// The mask that a source predicate holds, negation applied.
    lane_mask predicate(operation const& o, unsigned i) const {
        auto const p = *lanes_of<lane_mask>(o.source[i]);
        return (o.negated >> i & 1) != 0 ? ~p : p;
    }
    /// Writes the lanes of `mask`.
    template <class T>
    void write(std::uint32_t slot, T const* value, lane_mask mask) const {
        detail::blend<T>(at(slot), value, mask);
    }
    void write_predicate(std::uint32_t slot, lane_mask value, lane_mask mask) const {
        auto& p = *reinterpret_cast<detail::lane<lane_mask>::type*>(at(slot));
        p = (p & ~mask) | (value & mask);
    }
    /// Writes integers into registers of `bytes` bytes: the low bytes of each.
    void write_sized(std::uint32_t slot, std::uint64_t const* value, unsigned bytes, lane_mask mask) const {
        switch (bytes) {
        case 1:
            return narrow<std::uint8_t>(slot, value, mask);
        case 2:
            return narrow<std::uint16_t>(slot, value, mask);
        case 4:
            return narrow<std::uint32_t>(slot, value, mask);
        default:
            return write<std::uint64_t>(slot, value, mask);
        }
    }
    /// Reads registers of `bytes` bytes, zero-extended.
    void read_sized(std::uint32_t slot, unsigned bytes, std::uint64_t* value) const {
        switch (bytes) {
        case 1:
            return widen<std::uint8_t>(slot, value);
        case 2:
            return widen<std::uint16_t>(slot, value);
        case 4:
            return widen<std::uint32_t>(slot, value);
        default:
            return widen<std::uint64_t>(slot, value);
        }
    }

private:
    template <class T>
    void narrow(std::uint32_t slot, std::uint64_t const* value, lane_mask mask) const {
        T r[lanes];
        for (unsigned l = 0; l < lanes; ++l) r[l] = static_cast<T>(value[l]);
        write<T>(slot, r, mask);
    }
    template <class T>
    void widen(std::uint32_t slot, std::uint64_t* value) const {
        auto const* s = lanes_of<T>(slot);
        for (unsigned l = 0; l < lanes; ++l) value[l] = s[l];
    }
};

/// Packs 32 bytes, each 0 or 1, into a mask.
inline lane_mask pack_mask(std::uint8_t const* flags) {
    lane_mask m = 0;
    for (unsigned i = 0; i < 4; ++i) {
        std::uint64_t eight;
        std::memcpy(&eight, flags + 8 * i, 8);
        // Each flag is shifted to its own bit of the top byte; no two partial products meet (flag k to bit 56 + k).
        m |= static_cast<lane_mask>(eight * 0x0102040810204080U >> 56) << (8 * i);
    }
    return m;
}

} // namespace warpkit::ptx
