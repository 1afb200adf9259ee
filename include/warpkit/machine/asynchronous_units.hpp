#pragma once
/// \file
/// What works beside the warps of a core (docs/model/asynchronous.md): its unit for bulk copies, its products of
/// warpgroups and into tensor memory, arrivals at mbarriers on their way, and for how long an instruction holds its
/// warp; in both engines.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/machine/bulk_copies.hpp>
#include <warpkit/machine/hazard.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/tensor_memory.hpp>
#include <warpkit/machine/transaction_barriers.hpp>
#include <warpkit/machine/warpgroup_products.hpp>
#include <warpkit/program/instruction.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warpkit {

/// What an instruction is to these units.
struct async_use {
    async_role role = async_role::none;
    std::uint8_t groups = 0;       ///< of a wait: that it lets be
    std::uint16_t columns = 0;     ///< of a product; or registers that move to tensor memory
    bool factor_in_shared = false; ///< likewise
    friend bool operator==(async_use const&, async_use const&) = default;
};
inline async_use async_use_of(static_instruction const& i) noexcept {
    return {i.async, i.async_groups, i.matrix_columns, i.factor_in_shared};
}
/// Whether a program has any instruction for them.
inline bool uses_async_units(static_program const& program) noexcept {
    return std::any_of(program.instructions.begin(), program.instructions.end(),
                       [](static_instruction const& i) { return i.async >= async_role::arrive; });
}

/// What a machine has of them, and what else they go by.
struct asynchronous_machine {
    asynchronous_numbers async;
    std::uint32_t sub_cores = 1;
    std::uint32_t operand_cycles = 0;
    std::uint32_t shared_banks = 1;
    asynchronous_machine() = default;
    explicit asynchronous_machine(gpu_parameters const& p)
        : async(p.async),
          sub_cores(p.core.sub_cores),
          operand_cycles(p.core.operand_cycles),
          shared_banks(p.lsu.shared_banks) {}
    friend bool operator==(asynchronous_machine const&, asynchronous_machine const&) = default;
};

/// The host gives `look(warp)`, whose next instruction may be able to issue now, `signal(warp, word)`, that an event of
/// one of its CTA's phases has come, and `ended(warp)`, that a copy, a product or a move of it is over.
class asynchronous_units {
public:
    asynchronous_units() = default;
    asynchronous_units(asynchronous_machine const& m, unsigned warp_slots)
        : wait_latency_(m.async.wait_latency),
          copy_hold_(m.async.copy_hold),
          operand_cycles_(m.operand_cycles),
          held_until_(warp_slots),
          copies_(m.async, warp_slots),
          products_(m.async, m.sub_cores, m.shared_banks, warp_slots),
          tensor_(m.async, m.sub_cores, m.shared_banks, warp_slots) {}
    /// Whether the kernel uses any; without that nothing else may be called.
    bool in_use() const noexcept { return !held_until_.empty(); }

    /// A new warp is in this slot.
    void launch(warp_slot w) noexcept {
        held_until_[w.index()] = 0;
        copies_.launch(w);
        products_.launch(w);
        tensor_.launch(w);
    }
    /// `w` issues instruction `index`, which some lane executes or none; `words` of its own.
    void issue(cycle now, warp_slot w, std::uint32_t index, async_use const& u,
               std::span<std::uint64_t const> words, bool executed) {
        switch (u.role) {
        case async_role::arrive:
            arrivals_.push_back({w, index, {words.begin(), words.end()}});
            break;
        case async_role::await_phase:
            held_until_[w.index()] = now + wait_latency_;
            break;
        case async_role::bulk_copy:
            copies_.issue(w, words);
            if (executed) held_until_[w.index()] = now + copy_hold_;
            break;
        case async_role::bulk_commit:
            if (executed) copies_.commit(w);
            break;
        case async_role::product:
            if (executed) products_.issue(now + 1 + operand_cycles_, w, u.columns, u.factor_in_shared);
            break;
        case async_role::product_commit:
            if (executed) products_.commit(w);
            break;
        case async_role::tensor_allocate:
            if (executed) tensor_.allocate(now, w, words);
            break;
        case async_role::tensor_free:
            if (executed) tensor_.free(now + 1, static_cast<std::uint32_t>(words[0]));
            break;
        case async_role::tensor_product:
            if (executed) tensor_.multiply(now + 1 + operand_cycles_, w, words);
            break;
        case async_role::tensor_commit:
            if (executed) tensor_.commit(now + 1 + operand_cycles_, w, words);
            break;
        case async_role::tensor_load:
        case async_role::tensor_store:
            if (executed)
                tensor_.move(now + 1 + operand_cycles_, w, u.columns, u.role == async_role::tensor_load);
            break;
        default:
            break;
        }
    }
    /// What keeps an instruction of `w` from issuing in cycle `when`.
    hazard check(cycle when, warp_slot w, async_use const& u) const noexcept {
        bool const bulk = u.role == async_role::bulk_wait || u.role == async_role::bulk_wait_read;
        if (copies_.holds(w) ||
            (bulk && copies_.must_wait(w, u.groups, u.role == async_role::bulk_wait_read)))
            return hazard::memory;
        bool const products = u.role == async_role::product_wait && products_.must_wait(w, u.groups);
        bool const tensor =
            tensor_.holds(w) ||
            ((u.role == async_role::tensor_wait_loads || u.role == async_role::tensor_wait_stores) &&
             tensor_.must_wait(w, u.role == async_role::tensor_wait_loads));
        return products || tensor || held_until_[w.index()] > when ? hazard::other : hazard::none;
    }
    /// For the report of a stuck machine: what keeps `w` for as long as others do not give it; empty if nothing.
    std::string lacks(warp_slot w) const { return tensor_.lacks(w); }
    /// An arrival by this instruction of `w` has reached shared memory: the oldest. Calls `signal`.
    template <class Host>
    void arrived(warp_slot w, std::uint32_t index, Host& host) {
        auto const a = std::find_if(arrivals_.begin(), arrivals_.end(),
                                    [&](arrival const& x) { return x.warp == w && x.instruction == index; });
        auto const words = std::move(a->words);
        arrivals_.erase(a);
        for (auto const phase : words) host.signal(w, phase);
    }
    /// An event of a phase of the CTA that has these barriers and warps has come (transaction_barriers::count), or what
    /// stands in place of a phase: a pair_order.
    template <class Release>
    void count(cycle now, transaction_barriers& barriers, warp_set cta, std::uint32_t phase,
               Release&& release) {
        if (!pair_order::is_one(phase)) return barriers.count(phase, release);
        auto const order = pair_order::of(phase);
        order.allocates ? tensor_.may_allocate(cta) : tensor_.take_tensor_cores(now, order.product);
    }
    /// Copies and products of `w`, which has ended, that are under way.
    std::uint32_t under_way(warp_slot w) const noexcept {
        return copies_.of(w) + products_.of(w) + tensor_.of(w);
    }

    /// A cycle begins.
    template <class Host>
    void tick(cycle now, Host& host) {
        for (unsigned i = 0; i < held_until_.size(); ++i)
            if (held_until_[i] == now) host.look(warp_slot{i});
        products_.tick(now, [&](warp_slot w) {
            host.look(w);
            host.ended(w);
        });
        tensor_.tick(
            now,
            [&](warp_slot w, std::span<std::uint64_t const> phases) {
                for (auto const phase : phases) host.signal(w, phase);
                host.look(w);
                host.ended(w);
            },
            [&](warp_slot w) { host.look(w); });
        copies_.tick(
            now, [&](warp_slot w) { host.look(w); }, over_to(host));
    }
    /// The first cycle after `now` in which there is something to do, if no reply comes.
    cycle next(cycle now) const noexcept {
        auto next = std::min({products_.next(), tensor_.next(), copies_.next(now)});
        for (auto const until : held_until_)
            if (until > now) next = std::min(next, until);
        return next;
    }
    bool has_request(cycle now) const noexcept { return copies_.has_request(now); }
    packet request() const noexcept { return copies_.request(); }
    template <class Host>
    void pop_request(cycle now, Host& host) {
        copies_.pop_request(now, [&](warp_slot w) { host.look(w); });
    }
    /// A reply to a bulk copy. Whether anything has come of it: a copy is over, or may go on.
    template <class Host>
    bool receive(packet const& p, Host& host) {
        return copies_.receive(p, over_to(host));
    }
    /// Nothing is under way.
    bool idle() const noexcept {
        return arrivals_.empty() && copies_.empty() && products_.empty() && tensor_.empty();
    }

    friend bool operator==(asynchronous_units const&, asynchronous_units const&) = default;
    WARPKIT_STORED_MEMBERS(8)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(copies_, products_, tensor_);
        for (auto const until : held_until_) f(until);
        for (auto const& a : arrivals_) {
            f(a.warp, a.instruction);
            for (auto const word : a.words) f(word);
        }
    }

private:
    struct arrival {
        warp_slot warp;
        std::uint32_t instruction = 0;
        std::vector<std::uint64_t> words;
        friend bool operator==(arrival const&, arrival const&) = default;
    };
    template <class Host>
    static auto over_to(Host& host) {
        return [&host](warp_slot w, bulk_copy_words const& c) {
            if (c.signals != no_phase) host.signal(w, c.signals);
            for (auto const phase : c.further) host.signal(w, phase);
            host.look(w);
            host.ended(w);
        };
    }

    cycle wait_latency_ = 0;
    cycle copy_hold_ = 0;
    cycle operand_cycles_ = 0;
    std::vector<cycle> held_until_; ///< by warp slot
    std::vector<arrival> arrivals_; ///< in the order of issue
    bulk_copies copies_;
    warpgroup_products products_;
    tensor_memory_unit tensor_;
};

} // namespace warpkit
