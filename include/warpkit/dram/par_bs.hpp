#pragma once
/// \file
/// Parallelism-aware batch scheduling.

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/dram/bank_lists.hpp>
#include <warpkit/dram/scheduler.hpp>

#include <cstdint>

namespace warpkit::dram {

/// Requests are served in batches, so that nobody starves; within a batch the threads go one after the other, those
/// with the shortest wait first, each in all banks at once. When no marked request is left, the `MarkingCap` oldest
/// requests of each thread in each bank are marked: the next batch. A bank gets, in this order: a marked request; one
/// to its open row; one of the thread with the higher rank; the oldest. A thread ranks higher the fewer marked
/// requests it has in the bank where it has most (max), and among equals the fewer it has in all banks (total).
/// MarkingCap is fixed by the template argument or set by name.
///
/// Source: Mutlu and Moscibroda, "Parallelism-Aware Batch Scheduling", ISCA 2008, sections 4.1 to 4.3: full batching,
/// max-total ranking, a marking cap of 5.
/// Differs from the paper: its threads are cores here, since a GPU's kernels come one after the other, and the many
/// warps of a core share its fate; requests of which nobody knows who asks (write-backs) are one thread more. Threads
/// that are equal in max and total are equal (there: in random order). A request has left the batch when it is given
/// to its bank, not when it has been served: the queue does not hold it any more. Reads and writes are batched alike;
/// there are no priorities and weights (5).
template <std::uint64_t MarkingCap = run_time>
class par_bs_of {
    static_assert(MarkingCap != 0, "warpkit: par_bs_of<MarkingCap> marks at least 1 request");

public:
    static constexpr char const* name() noexcept { return "par_bs"; }
    static constexpr bool asks_who = true;

    par_bs_of() = default;
    /// A queue of `capacity` requests (1 to 65535) for `banks` banks (1 to 64).
    par_bs_of(std::uint32_t banks, std::uint32_t capacity) : queue_(name(), banks, capacity) {}

    bool can_accept() const noexcept { return !queue_.full(); }
    std::uint32_t size() const noexcept { return queue_.size(); }
    bank_set waiting() const noexcept { return queue_.waiting(); }
    bool has_row_hit(std::uint32_t bank, std::uint32_t row) const noexcept {
        return queue_.has_row(bank, row);
    }
    void push(request const& r) {
        load_.admit(cores::number(r.by));
        queue_.push(r);
        if (marked_ == 0) form_batch();
    }
    request const& pick(std::uint32_t bank, std::uint32_t open_row) const noexcept {
        return queue_[choose(bank, open_row)];
    }
    request take(std::uint32_t bank, std::uint32_t open_row) noexcept {
        auto const i = choose(bank, open_row);
        marked_ -= queue_.note(i);
        auto const r = queue_.take(i);
        if (marked_ == 0) form_batch();
        return r;
    }
    /// Requests of the batch that are still queued.
    std::uint32_t marked() const noexcept { return marked_; }

    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"cap", "requests of a core and bank that a batch has at most", 1}, self.cap_);
    }
    /// Of one controller. With 8 cores, 8 banks and 128 requests these are the 1412 bits of the paper's table 1.
    static constexpr hardware_cost_list hardware_cost(controller_shape const& s) noexcept {
        auto const thread = bits_for(s.cores);
        auto const count = bits_for(s.queue);
        return hardware_cost_list()
            .add("marked bit, rank and thread of each request", std::uint64_t{s.queue} * (1 + 2 * thread))
            .add("requests of each thread in each bank", std::uint64_t{s.cores} * s.banks * count)
            .add("requests of each thread", std::uint64_t{s.cores} * count)
            .add("marked requests", count)
            .add("marking cap", 5);
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(cap_.get(), queue_, load_, marked_);
    }
    friend bool operator==(par_bs_of const&, par_bs_of const&) = default;

private:
    using queue = bank_lists<bool>; // whether it is marked
    /// A thread's marked requests.
    struct load {
        std::uint32_t most = 0; ///< in one bank
        std::uint32_t total = 0;
        std::uint32_t here = 0; ///< in the bank that is looked at; 0 between batches
        template <class F>
        constexpr void each_member(F&& f) const {
            f(most, total, here);
        }
        friend bool operator==(load const&, load const&) = default;
    };
    using cores = per_core<load>;

    typename queue::index choose(std::uint32_t bank, std::uint32_t open_row) const noexcept {
        return queue_.best(bank, [&](auto a, auto b) {
            if (queue_.note(a) != queue_.note(b)) return queue_.note(a);
            bool const hit = queue_[a].row == open_row;
            if (hit != (queue_[b].row == open_row)) return hit;
            auto const& of_a = load_[cores::number(queue_[a].by)];
            auto const& of_b = load_[cores::number(queue_[b].by)];
            return of_a.most != of_b.most ? of_a.most < of_b.most : of_a.total < of_b.total;
        });
    }
    void form_batch() noexcept {
        for (auto& l : load_) l = {};
        for (std::uint32_t bank = 0; bank < queue_.banks(); ++bank) {
            for (auto i = queue_.oldest(bank); i != queue::none; i = queue_.behind(i)) {
                auto& l = load_[cores::number(queue_[i].by)];
                if (l.here == cap_.get()) continue;
                queue_.note(i) = true;
                ++marked_;
                ++l.total;
                if (++l.here > l.most) l.most = l.here;
            }
            for (auto i = queue_.oldest(bank); i != queue::none; i = queue_.behind(i))
                load_[cores::number(queue_[i].by)].here = 0;
        }
    }

    [[no_unique_address]] number<std::uint32_t, MarkingCap> cap_{
        MarkingCap == run_time ? 5 : static_cast<std::uint32_t>(MarkingCap)};
    queue queue_;
    cores load_;
    std::uint32_t marked_ = 0;
};
using par_bs = par_bs_of<5>;

static_assert(scheduler<par_bs>);

} // namespace warpkit::dram
