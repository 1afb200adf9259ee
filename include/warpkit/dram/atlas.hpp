#pragma once
/// \file
/// Adaptive per-thread least-attained-service scheduling.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/dram/bank_lists.hpp>
#include <warpkit/dram/scheduler.hpp>

#include <cstdint>

namespace warpkit::dram {

/// What atlas_of goes by.
struct atlas_numbers {
    std::uint32_t quantum = 10'000'000; ///< DRAM cycles between two rankings, at least 1
    std::uint32_t threshold =
        100'000;                 ///< DRAM cycles after which a request goes before all that have waited less
    std::uint32_t history = 875; ///< thousandths of the service of past quanta in that which ranks: alpha
    friend bool operator==(atlas_numbers const&, atlas_numbers const&) = default;
};

/// Whoever has been served least goes first. Time is cut into quanta; a thread's attained service is the number of
/// cycles in which banks worked for it, in this quantum with weight 1 - history, in those before with weight history.
/// In each quantum a bank gets, in this order: a request that has waited for more than `threshold` cycles; one of the
/// thread with the least service, as it was when the quantum began; one to its open row; the oldest. Numbers are
/// fixed by the template argument or set by name.
///
/// Source: Kim, Han, Mutlu and Harchol-Balter, "ATLAS: A Scalable and High-Performance Scheduling Algorithm for
/// Multiple Memory Controllers", HPCA 2010, sections 3.1 to 3.3: rules TH, LAS, RH, OLDEST; a quantum of 10 million
/// cycles, a threshold of 100,000, alpha 0.875.
/// Differs from the paper: its threads are cores here, and requests of which nobody knows who asks (write-backs) are
/// one thread more. Each controller ranks by the service of its own channel: nothing adds it up over all of them,
/// which interleaving by address mostly does. A request's service counts in the quantum in which it ends. Threads of
/// equal service are equal. A kernel that is shorter than a quantum sees row hits first under a threshold: for such,
/// set a shorter one.
template <auto Numbers = run_time>
class atlas_of {
    using held_numbers = numbers<atlas_numbers, Numbers>;

public:
    static constexpr char const* name() noexcept { return "atlas"; }
    static constexpr bool asks_who = true;

    atlas_of() = default;
    /// A queue of `capacity` requests (1 to 65535) for `banks` banks (1 to 64).
    atlas_of(std::uint32_t banks, std::uint32_t capacity)
        : queue_(name(), banks, capacity),
          served_(banks),
          quantum_end_(n_->quantum) {}

    bool can_accept() const noexcept { return !queue_.full(); }
    std::uint32_t size() const noexcept { return queue_.size(); }
    bank_set waiting() const noexcept { return queue_.waiting(); }
    bool has_row_hit(std::uint32_t bank, std::uint32_t row) const noexcept {
        return queue_.has_row(bank, row);
    }
    void clock(cycle now) noexcept {
        now_ = now;
        if (now >= quantum_end_) [[unlikely]]
            end_quantum();
    }
    void push(request const& r) {
        service_.admit(cores::number(r.by));
        queue_.push(r, now_);
    }
    request const& pick(std::uint32_t bank, std::uint32_t open_row) const noexcept {
        return queue_[choose(bank, open_row)];
    }
    request take(std::uint32_t bank, std::uint32_t open_row) noexcept {
        auto const r = queue_.take(choose(bank, open_row));
        served_[bank] = {cores::number(r.by), now_};
        return r;
    }
    void ended(std::uint32_t bank) noexcept {
        service_[served_[bank].core].recent += now_ - served_[bank].since + 1;
    }

    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"quantum", "DRAM cycles between two rankings", 1}, self.n_.get().quantum);
        f(parameter{"threshold", "DRAM cycles after which a request goes before all that have waited less"},
          self.n_.get().threshold);
        f(parameter{"history", "thousandths of past quanta in the service that ranks", 0, 1000},
          self.n_.get().history);
    }
    void parameters_set() noexcept { quantum_end_ = n_->quantum; }
    /// Of one controller, with no part of what a meta-controller would hold.
    static constexpr hardware_cost_list hardware_cost(controller_shape const& s) noexcept {
        auto const thread = bits_for(s.cores);
        auto const service = bits_for(std::uint64_t{held_numbers::standard.quantum} * s.banks);
        return hardware_cost_list()
            .add("over threshold, rank and thread of each request", std::uint64_t{s.queue} * (1 + 2 * thread))
            .add("service of each thread in this quantum", std::uint64_t{s.cores} * service)
            .add("service of each thread before", std::uint64_t{s.cores} * service);
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(n_->quantum, n_->threshold, n_->history, queue_, served_, service_, now_, quantum_end_);
    }
    friend bool operator==(atlas_of const&, atlas_of const&) = default;

private:
    using queue = bank_lists<cycle>; // when it came
    /// A thread's attained service.
    struct service {
        std::uint64_t recent = 0; ///< in this quantum, in cycles
        std::uint64_t ranks = 0;  ///< up to this quantum, in 1024ths of cycles
        template <class F>
        constexpr void each_member(F&& f) const {
            f(recent, ranks);
        }
        friend bool operator==(service const&, service const&) = default;
    };
    using cores = per_core<service>;
    /// Whom a bank works for, or has worked for last.
    struct bank_use {
        std::uint32_t core = 0;
        cycle since = 0;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(core, since);
        }
        friend bool operator==(bank_use const&, bank_use const&) = default;
    };

    typename queue::index choose(std::uint32_t bank, std::uint32_t open_row) const noexcept {
        auto const late = [this](auto i) { return now_ - queue_.note(i) > n_->threshold; };
        return queue_.best(bank, [&](auto a, auto b) {
            if (late(a) != late(b)) return late(a);
            auto const of_a = service_[cores::number(queue_[a].by)].ranks;
            auto const of_b = service_[cores::number(queue_[b].by)].ranks;
            if (of_a != of_b) return of_a < of_b;
            return queue_[a].row == open_row && queue_[b].row != open_row;
        });
    }
    /// One quantum has ended, or several, in which nobody was heard of.
    [[gnu::noinline]] void end_quantum() noexcept {
        for (bool any = true; any && now_ >= quantum_end_; quantum_end_ += n_->quantum) {
            any = false;
            for (auto& s : service_) {
                s.ranks = (s.ranks * n_->history + s.recent * 1024 * (1000 - n_->history)) / 1000;
                s.recent = 0;
                any |= s.ranks != 0;
            }
        }
        if (now_ >= quantum_end_) quantum_end_ += ((now_ - quantum_end_) / n_->quantum + 1) * n_->quantum;
    }

    [[no_unique_address]] held_numbers n_;
    queue queue_;
    heap_array<bank_use> served_; ///< by bank
    cores service_;
    cycle now_ = 0;
    cycle quantum_end_ = 0;
};
using atlas = atlas_of<atlas_numbers{}>;

static_assert(scheduler<atlas>);

} // namespace warpkit::dram
