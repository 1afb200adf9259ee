#pragma once
/// \file
/// What a load/store unit has under way: instructions in front of it, their transactions, and results that wait for
/// data.
///
/// In the reference: `part`, `l1_bank` and `operation` of the `load_store_unit` (reference/load_store_unit.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/host_line.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/lsu/transaction.hpp>
#include <warpkit/machine/access_cutter.hpp>
#include <warpkit/machine/cluster.hpp>
#include <warpkit/program/instruction.hpp>

#include <cstdint>
#include <vector>

namespace warpkit {

/// An instruction in front of the unit, or what it does in one of several memory spaces.
struct queued_access {
    cycle ready = 0; ///< its operands have been read
    // In the order of a cache_access, into which they are copied at once.
    access_kind kind = access_kind::load;
    memory_space space = memory_space::none;
    warp_slot warp;
    std::uint32_t token = no_token;
    std::uint32_t instruction = 0;
    transaction_lane to = transaction_lane::none;
    std::uint32_t next = 0;            ///< the next transaction to send
    std::uint32_t conflict_cycles = 1; ///< shared memory
    bool has_more = false;             ///< another part of the instruction waits
    transaction_list transactions;
    cluster_message message; ///< of what goes to another core
    friend bool operator==(queued_access const&, queued_access const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(ready, warp, instruction, kind, space, token, next, conflict_cycles, has_more);
    }
};

/// A transaction in the delay pipe of the L1, or in the replay queue.
struct alignas(host_line) piped_transaction {
    cycle due = 0;
    cache_access access;
    friend bool operator==(piped_transaction const&, piped_transaction const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(due, access.address, access.bytes, access.token, access.pc);
    }
};

/// Loads and atomics whose data has not all come, by token. Tokens are used again.
class memory_operations {
public:
    struct operation {
        warp_slot warp;
        std::uint32_t instruction = 0;
        std::uint32_t missing = 0; ///< loads: transactions; atomics: bytes; and parts without transactions
        cycle earliest = 0;        ///< of its result: when such parts have theirs
        friend bool operator==(operation const&, operation const&) = default;
    };

    /// The token of a new one, for which nothing is missing yet.
    std::uint32_t begin(warp_slot w, std::uint32_t instruction) {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint32_t>(operation_.size()));
            operation_.emplace_back();
        }
        auto const token = free_.back();
        free_.pop_back();
        operation_[token] = {w, instruction, 0, 0};
        return token;
    }
    operation& operator[](std::uint32_t token) noexcept { return operation_[token]; }
    /// It has its result.
    void end(std::uint32_t token) { free_.push_back(token); }
    bool none() const noexcept { return free_.size() == operation_.size(); }

    WARPKIT_STORED_MEMBERS(2)
    friend bool operator==(memory_operations const&, memory_operations const&) = default;

private:
    std::vector<operation> operation_;
    std::vector<std::uint32_t> free_;
};

} // namespace warpkit
