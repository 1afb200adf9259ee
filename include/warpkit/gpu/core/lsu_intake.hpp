#pragma once
/// \file
/// The intake of a load/store unit: instructions that have issued, cut into transactions, in front of the unit.
///
/// In the reference: `load_store_unit::issue` and `load_store_unit::prepare` (reference/load_store_unit.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/gpu/core/hosts.hpp>
#include <warpkit/gpu/core/kernel_image.hpp>
#include <warpkit/gpu/core/memory_operations.hpp>
#include <warpkit/lsu/transaction.hpp>
#include <warpkit/machine/access_cutter.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/program/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {

/// What each instruction does is worked out when it issues; it waits here until its operands are there and those before
/// it have gone. An instruction whose lanes look into several memory spaces is an access for each, one behind the other
/// (generic_spaces), and has its result when all have theirs; one to local memory, one for each word.
template <class Coalescer>
class lsu_intake {
public:
    lsu_intake() = default;
    [[gnu::cold]] lsu_intake(gpu_parameters const& p, access_cutter<Coalescer> const& cutter)
        : queue_(p.core.register_banks != 0
                     ? 2
                     : p.lsu.queue), // the one in hand, and one that is put aside at once
          operand_cycles_(p.core.operand_cycles),
          cutter_(cutter) {}

    /// A kernel of which a core holds so many CTAs at most begins; `clusters`: shared memory may be another core's.
    void begin_kernel(std::uint32_t ctas, std::uint32_t warps_per_cta, bool clusters) noexcept {
        cutter_.begin_kernel(ctas, warps_per_cta);
        in_parts_ = bit_of(memory_space::generic) | bit_of(memory_space::local) |
                    (clusters ? bit_of(memory_space::shared) : 0U);
    }
    bool empty() const noexcept { return queue_.empty(); }
    bool full() const noexcept { return queue_.full(); }
    queued_access& front() noexcept { return queue_.front(); }
    queued_access const& front() const noexcept { return queue_.front(); }
    /// The unit has done with what is in front.
    void pop() {
        if (queue_.front().has_more)
            next_part();
        else
            queue_.pop();
    }
    /// Behind operand collectors: what was enqueued last, with its parts from `first_part` on, waits there under its
    /// number until it is taken, one at a time.
    [[gnu::noinline]] void put_aside(std::uint64_t number, std::size_t first_part) {
        auto const begin = parts_.begin() + static_cast<std::ptrdiff_t>(first_part);
        aside_.push_back({number, queue_.back(), {begin, parts_.end()}});
        parts_.erase(begin, parts_.end());
        queue_.pop_back();
    }
    std::size_t parts() const noexcept { return parts_.size(); }
    bool nothing_aside() const noexcept { return aside_.empty(); }
    [[gnu::noinline]] void take(cycle now, std::uint64_t number) {
        auto at = aside_.begin();
        while (at->number != number) ++at;
        queue_.push(at->first);
        queue_.back().ready = now;
        for (auto& p : at->more) p.ready = now;
        parts_.insert(parts_.end(), at->more.begin(), at->more.end());
        if (at + 1 != aside_.end()) *at = std::move(aside_.back());
        aside_.pop_back();
    }
    std::uint64_t transactions() const noexcept { return cutter_.transactions(); }
    std::uint64_t bank_conflict_cycles() const noexcept { return cutter_.bank_conflict_cycles(); }

    /// Takes over an instruction that was issued at `now`, and calls `see(part)` for each load that goes to the L1, or
    /// part of one. Precondition: not full().
    template <memory_host Host, class See>
    void enqueue(cycle now, warp_slot w, std::uint32_t instruction, decoded_instruction const& d,
                 stream_cursor const& at, warp_stream const& s, memory_operations& operations, Host& host,
                 See&& see) {
        auto& q = queue_.extend();
        q.ready = now + operand_cycles_;
        q.warp = w;
        q.instruction = instruction;
        q.kind = access_kind_of(d.kind);
        q.to = transaction_lane::none;
        q.next = 0;
        q.token = no_token;
        q.conflict_cycles = 1;
        q.has_more = false;
        q.transactions.clear();
        if (at.mask() == 0) {
            q.space = memory_space::none;
            return host.operation_begun(w);
        }
        q.space = at.space(s);
        lane_addresses scratch;
        auto const access = read_access(at, s, d, scratch);
        if ((in_parts_ & bit_of(q.space)) != 0)
            return enqueue_parts(q, access, at, s, operations, host, see, !d.is_memory);
        if (prepare(q, access, operations, host, see)) host.operation_begun(w);
    }

    friend bool operator==(lsu_intake const&, lsu_intake const&) = default;
    WARPKIT_STORED_MEMBERS(6)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(queue_, parts_, cutter_);
    }

private:
    /// An access whose addresses are generic: a part for each space that lanes look into; and one to local memory, a
    /// part for each word of 4 bytes. The first is `q`, the others wait in parts_. Loads and atomics have one result,
    /// for which each part has its share to do.
    template <class Host, class See>
    [[gnu::noinline]] void enqueue_parts(queued_access& q, warp_access const& access, stream_cursor const& at,
                                         warp_stream const& s, memory_operations& operations, Host& host,
                                         See&& see, bool arrives) {
        auto const fresh = q;
        auto const waiting = parts_.size();
        auto token = no_token;
        bool any = false;
        auto const next = [&](memory_space space) -> queued_access& {
            if (any) {
                (parts_.size() == waiting ? q : parts_.back()).has_more = true;
                parts_.push_back(fresh);
            }
            auto& part = any ? parts_.back() : q;
            part.space = space;
            any = true;
            return part;
        };
        auto const shares_token = [&](queued_access& part) {
            if (token == no_token) {
                token = operations.begin(fresh.warp, fresh.instruction);
                host.operation_begun(fresh.warp);
            }
            part.token = token;
        };
        auto const own = [&](memory_space space, warp_access const& a, bool alone) {
            auto& part = next(space);
            if (fresh.kind != access_kind::store && !alone) {
                shares_token(part);
                prepare(part, a, operations, host, see);
                operations[token].missing += part.transactions.empty();
            } else if (prepare(part, a, operations, host, see)) {
                host.operation_begun(fresh.warp);
            }
        };
        auto const remote = [&](unsigned core, warp_access const& a, bool) {
            auto& part = next(memory_space::shared);
            part.to = transaction_lane::cluster;
            part.message = cutter_.message(core, a, fresh.warp);
            if (arrives) part.message.kind = access_kind::store; // it has no result
            if (part.message.kind == access_kind::store) host.store_begun(fresh.warp, 1);
            if (fresh.kind == access_kind::store) return;
            shares_token(part);
            part.message.token = token;
            ++operations[token].missing;
        };
        if constexpr (requires { host.cluster_of(q.warp); })
            cutter_.each_part(access, q.warp, at, s, host.cluster_of(q.warp), own, remote);
        else
            cutter_.each_part(access, q.warp, at, s, own);
        if (any) return;
        q.space = memory_space::none;
        host.operation_begun(q.warp);
    }
    /// Works out what is to be done for an access to the space of `q`. False of a store that ends with its
    /// transactions; of anything else, result_at() will tell.
    template <class Host, class See>
    [[gnu::always_inline]] bool prepare(queued_access& q, warp_access const& a, memory_operations& operations,
                                        Host& host, See&& see) {
        if (q.space == memory_space::shared) {
            q.conflict_cycles = cutter_.shared_cycles(a);
            return true;
        }
        q.to = cutter_.cut(q.space, a, q.transactions);
        if (q.to == transaction_lane::none) return true;
        if (q.kind == access_kind::store) {
            for (auto const& t : q.transactions) host.store_begun(q.warp, t.bytes);
            return false;
        }
        if (q.token == no_token) q.token = operations.begin(q.warp, q.instruction);
        auto& missing = operations[q.token].missing;
        if (q.kind == access_kind::atomic)
            for (auto const& t : q.transactions) missing += t.bytes;
        else
            missing += static_cast<std::uint32_t>(q.transactions.size());
        if (q.to == transaction_lane::l1) see(q);
        return true;
    }
    static constexpr std::uint32_t bit_of(memory_space s) noexcept { return 1U << static_cast<unsigned>(s); }
    struct put_aside_access {
        std::uint64_t number = 0;
        queued_access first;
        std::vector<queued_access> more;
        friend bool operator==(put_aside_access const&, put_aside_access const&) = default;
    };
    [[gnu::noinline]] void next_part() {
        queue_.front() = parts_.front();
        parts_.erase(parts_.begin());
    }

    ring<queued_access> queue_;
    std::uint32_t operand_cycles_ = 0;
    std::uint32_t in_parts_ = 0; ///< spaces of which an access may be several
    access_cutter<Coalescer> cutter_;
    std::vector<put_aside_access> aside_;
    std::vector<queued_access> parts_; ///< further parts of instructions in the queue, in their order
};

} // namespace warpkit
