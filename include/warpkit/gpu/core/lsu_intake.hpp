#pragma once
/// \file
/// The intake of a load/store unit: instructions that have issued, cut into transactions, in front of the unit.
///
/// In the reference: `load_store_unit::issue` and `load_store_unit::prepare` (reference/load_store_unit.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/gpu/core/hosts.hpp>
#include <warpkit/gpu/core/kernel_image.hpp>
#include <warpkit/gpu/core/memory_operations.hpp>
#include <warpkit/lsu/cut_transactions.hpp>
#include <warpkit/lsu/local_interleaving.hpp>
#include <warpkit/lsu/shared_banks.hpp>
#include <warpkit/lsu/transaction.hpp>
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
    /// Stores are cut into blocks of `store_block` bytes, so that each lies in what may be fetched for it.
    [[gnu::cold]] lsu_intake(gpu_parameters const& p, std::uint32_t store_block, Coalescer const& coalescer,
                             unsigned core)
        : queue_(p.core.register_banks != 0
                     ? 2
                     : p.lsu.queue), // the one in hand, and one that is put aside at once
          operand_cycles_(p.core.operand_cycles),
          enabled_(p.l1d.size != 0),
          load_block_(p.l1d.sector),
          store_block_(store_block),
          banks_(p.lsu.shared_banks),
          places_{core, p.core.count},
          coalesce_(coalescer) {}

    /// A kernel of which a core holds so many CTAs at most begins.
    void begin_kernel(std::uint32_t ctas, std::uint32_t warps_per_cta) noexcept {
        places_.ctas = ctas;
        places_.warps_per_cta = warps_per_cta;
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
    std::uint64_t transactions() const noexcept { return transactions_; }
    std::uint64_t bank_conflict_cycles() const noexcept { return conflict_cycles_; }

    /// Takes over an instruction that was issued at `now`, and calls `see(part)` for each load that goes to the L1, or
    /// part of one. Precondition: not full().
    template <class ReadOnly, memory_host Host, class See>
    void enqueue(cycle now, warp_slot w, std::uint32_t instruction, decoded_instruction const& d,
                 stream_cursor const& at, warp_stream const& s, memory_operations& operations,
                 ReadOnly const& read_only, Host& host, See&& see) {
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
        if (q.space == memory_space::generic || q.space == memory_space::local)
            return enqueue_parts(q, access, at, s, operations, read_only, host, see);
        if (prepare(q, access, operations, read_only, host, see)) host.operation_begun(w);
    }

    friend bool operator==(lsu_intake const&, lsu_intake const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(queue_, parts_, transactions_, conflict_cycles_);
    }

private:
    /// An access whose addresses are generic: a part for each space that lanes look into; and one to local memory, a
    /// part for each word of 4 bytes. The first is `q`, the others wait in parts_. Loads and atomics have one result,
    /// for which each part has its share to do.
    template <class ReadOnly, class Host, class See>
    [[gnu::noinline]] void enqueue_parts(queued_access& q, warp_access access, stream_cursor const& at,
                                         warp_stream const& s, memory_operations& operations,
                                         ReadOnly const& read_only, Host& host, See&& see) {
        auto const fresh = q;
        auto const whole = access.active;
        auto const waiting = parts_.size();
        auto token = no_token;
        bool any = false;
        auto const add = [&](memory_space space, warp_access const& a, bool alone) {
            if (any) {
                (parts_.size() == waiting ? q : parts_.back()).has_more = true;
                parts_.push_back(fresh);
            }
            auto& part = any ? parts_.back() : q;
            part.space = space;
            if (fresh.kind != access_kind::store && !alone) {
                if (!any) {
                    token = operations.begin(fresh.warp, fresh.instruction);
                    host.operation_begun(fresh.warp);
                }
                part.token = token;
                prepare(part, a, operations, read_only, host, see);
                operations[token].missing += part.transactions.empty();
            } else if (prepare(part, a, operations, read_only, host, see)) {
                host.operation_begun(fresh.warp);
            }
            any = true;
        };
        auto const add_local = [&] {
            lane_addresses placed;
            local_interleaving const local{local_base, places_.threads()};
            auto const thread = places_.first_thread(fresh.warp.index());
            auto const words = local_interleaving::words(access);
            for (std::uint32_t k = 0; k != words; ++k)
                add(memory_space::local, local.word_of(access, thread, k, placed),
                    words == 1 && access.active == whole);
        };
        if (fresh.space == memory_space::local) return add_local();
        lane_addresses address;
        access.affine = false;
        access.addresses = &address;
        for (auto const space : generic_spaces) {
            access.active = at.addresses_in(s, space, address);
            if (access.active == 0) continue;
            if (space == memory_space::local)
                add_local();
            else
                add(space, access, access.active == whole);
        }
        if (any) return;
        q.space = memory_space::none;
        host.operation_begun(q.warp);
    }
    /// Works out what is to be done for an access to the space of `q`. False of a store that ends with its
    /// transactions; of anything else, result_at() will tell.
    template <class ReadOnly, class Host, class See>
    [[gnu::always_inline]] bool prepare(queued_access& q, warp_access const& a, memory_operations& operations,
                                        ReadOnly const& read_only, Host& host, See&& see) {
        if (q.space == memory_space::shared) {
            q.conflict_cycles = banks_.cycles(a);
            conflict_cycles_ += q.conflict_cycles - 1;
        } else if (q.kind == access_kind::load && read_only.serves(q.space)) {
            if (read_only.coalesce(q.space, a, q.transactions)) {
                q.to = transaction_lane::read_only;
                if (q.token == no_token) q.token = operations.begin(q.warp, q.instruction);
                operations[q.token].missing += static_cast<std::uint32_t>(q.transactions.size());
                if (q.space == memory_space::texture) transactions_ += q.transactions.size();
            }
        } else if (q.space == memory_space::global || q.space == memory_space::local ||
                   q.space == memory_space::texture) {
            bool const past = q.kind == access_kind::atomic || !enabled_;
            q.to = read_only.serves(q.space) ? transaction_lane::read_only
                   : past                    ? transaction_lane::past_l1
                                             : transaction_lane::l1;
            coalesce_(a, past, q.transactions);
            auto const block = q.kind == access_kind::store ? store_block_ : load_block_;
            if (block < largest_ && !past) cut_transactions(q.transactions, block);
            transactions_ += q.transactions.size();
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
        }
        return true;
    }
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

    static constexpr std::uint32_t largest_ = 128; ///< bytes of a transaction

    ring<queued_access> queue_;
    std::uint32_t operand_cycles_ = 0;
    bool enabled_ = true;            ///< there is an L1
    std::uint32_t load_block_ = 128; ///< the most bytes of one access to it
    std::uint32_t store_block_ = 128;
    shared_banks banks_{};
    resident_places places_;
    [[no_unique_address]] Coalescer coalesce_{};
    std::vector<put_aside_access> aside_;
    std::vector<queued_access> parts_; ///< further parts of instructions in the queue, in their order
    std::uint64_t transactions_ = 0;
    std::uint64_t conflict_cycles_ = 0;
};

} // namespace warpkit
