#pragma once
/// \file
/// What a data prefetcher has asked for, until the L1 has a cycle for it; and what became of it. Both engines have it
/// in their load/store units.

#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/lsu/data_prefetch.hpp>
#include <warpkit/lsu/no_data_prefetch.hpp>
#include <warpkit/lsu/transaction.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/prefetch_outcomes.hpp>

#include <cstdint>

namespace warpkit {

template <class Prefetch>
class data_prefetch_queue {
public:
    static constexpr bool reads_ahead = true;

    data_prefetch_queue() = default;
    data_prefetch_queue(Prefetch const& policy, gpu_parameters const& p)
        : policy_(policy),
          queue_(policy.queue() == 0 ? 1 : policy.queue()),
          most_(policy.queue()),
          block_(p.l1d.sector),
          line_(p.l1d.line),
          outcomes_(p.l1d.size == 0 ? 0 : p.l1d.size / p.l1d.sector + p.l1d.mshr_entries) {}

    Prefetch& policy() noexcept { return policy_; }
    /// Whether blocks may come to it: one of several prefetchers may be none.
    bool in_use() const noexcept { return most_ != 0; }
    /// No block waits.
    bool empty() const noexcept { return queue_.empty(); }
    /// A load of these blocks is taken over; `a` is what is known of it, but for the address. `counted` has the
    /// accesses of the L1.
    template <class Blocks>
    void seen(cache_access a, Blocks const& blocks, cycle now, cache_counters const& counted) {
        if (!in_use()) return;
        prefetch_record r;
        r.issued = issued_;
        r.useful = outcomes_.useful();
        r.late = outcomes_.late();
        r.useless = outcomes_.useless();
        r.merges = counted.hit_reserved;
        r.requests = counted.accesses - counted.hits;
        a.bytes = block_;
        a.written = {};
        a.token = no_token;
        policy_.seen(load_seen{a.owner, a.pc, blocks[0].address, now}, r, [&](std::int64_t offset) {
            for (auto const& t : blocks) {
                a.address = (t.address + static_cast<std::uint64_t>(offset)) & ~std::uint64_t{block_ - 1};
                if (queue_.size() >= most_ || (a.address ^ t.address) >> 48 != 0) continue;
                if (!queue_.empty() && queue_.back().address == a.address) continue;
                queue_.push(a);
            }
        });
    }
    /// The block that waits longest; precondition: not empty().
    cache_access take() noexcept {
        auto const a = queue_.front();
        queue_.pop();
        return a;
    }
    /// The L1 has taken it.
    void issued(cache_access const& a) {
        ++issued_;
        outcomes_.filled(a.address, [](std::uint64_t) { return true; });
    }
    /// The L1 has taken a load, and found this.
    void demanded(std::uint64_t address, cache_outcome found) noexcept {
        auto const block = address & ~std::uint64_t{block_ - 1};
        if (found == cache_outcome::hit_reserved)
            outcomes_.met(block);
        else
            outcomes_.demanded(block, found == cache_outcome::hit);
    }
    /// A line has left the L1; or all have.
    void departed(std::uint64_t line) noexcept {
        for (std::uint32_t i = 0; i < line_; i += block_) outcomes_.departed(line + i);
    }
    void invalidate() noexcept {
        queue_.clear();
        outcomes_.all_departed();
    }
    template <class Counters>
    void add_to(Counters& c) const {
        c.data_prefetches = issued_;
        c.data_prefetches_useful = outcomes_.useful();
        c.data_prefetches_late = outcomes_.late();
        c.data_prefetches_useless = outcomes_.useless();
    }
    /// Blocks that are in the L1, or on their way, and not used yet.
    std::uint64_t unused() const {
        return outcomes_.unused([](std::uint64_t) { return true; });
    }

    friend bool operator==(data_prefetch_queue const&, data_prefetch_queue const&) = default;
    WARPKIT_STORED_MEMBERS(7)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(policy_, issued_, outcomes_);
    }

private:
    Prefetch policy_{};
    ring<cache_access> queue_;
    std::uint32_t most_ = 0;
    std::uint32_t block_ = 128;
    std::uint32_t line_ = 128;
    std::uint64_t issued_ = 0;
    prefetch_outcomes outcomes_;
};

/// None, which costs nothing.
template <>
class data_prefetch_queue<no_data_prefetch> {
public:
    static constexpr bool reads_ahead = false;

    data_prefetch_queue() = default;
    data_prefetch_queue(no_data_prefetch const&, gpu_parameters const&) {}
    no_data_prefetch& policy() noexcept { return policy_; }
    static constexpr bool in_use() noexcept { return false; }
    static constexpr bool empty() noexcept { return true; }
    static constexpr std::uint64_t unused() noexcept { return 0; }
    template <class Blocks>
    static void seen(cache_access const&, Blocks const&, cycle, cache_counters const&) noexcept {}
    static cache_access take() noexcept { return {}; }
    static void issued(cache_access const&) noexcept {}
    static void demanded(std::uint64_t, cache_outcome) noexcept {}
    static void departed(std::uint64_t) noexcept {}
    template <class Counters>
    static void add_to(Counters const&) noexcept {}
    static void invalidate() noexcept {}
    friend bool operator==(data_prefetch_queue const&, data_prefetch_queue const&) = default;
    template <class F>
    constexpr void each_member(F&&) const {}

private:
    [[no_unique_address]] no_data_prefetch policy_{};
};

} // namespace warpkit
