#pragma once
/// \file
/// The partitions of a machine, whichever DRAM scheduler they have.
///
/// In the reference: `gpu::partitions_` (reference/gpu.hpp).

#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/dram/one_request_scheduler.hpp>
#include <warpkit/gpu/memory/partition.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policy_parameters.hpp>
#include <warpkit/machine/seats.hpp>

#include <cstddef>
#include <type_traits>

namespace warpkit {

namespace detail {
/// The seats of a network, of which a partition knows nothing.
template <class Seat>
concept seat_of_network =
    same_seat<Seat, seats::network_seat<>> || same_seat<Seat, seats::network_arbitration_seat<>>;

/// What of P partitions are made of, under this DRAM scheduler: machines that differ in their networks alone share
/// them.
template <class P, class Scheduler, class Found = memory_policies<>>
struct partition_policies;
template <class Scheduler, class Found>
struct partition_policies<memory_policies<>, Scheduler, Found> {
    using type = Found;
};
template <class Next, class... Seat, class Scheduler, class... Found>
struct partition_policies<memory_policies<Next, Seat...>, Scheduler, memory_policies<Found...>> {
    using mine = std::conditional_t<same_seat<Next, seats::dram_scheduler_seat<>>,
                                    seats::dram_scheduler_seat<Scheduler>, Next>;
    using found =
        std::conditional_t<seat_of_network<Next>, memory_policies<Found...>, memory_policies<Found..., mine>>;
    using type = typename partition_policies<memory_policies<Seat...>, Scheduler, found>::type;
};
} // namespace detail

/// A partition for each channel. P is a memory_policies.
template <class P, class Scheduler = typename P::dram_scheduler>
class partition_array {
    using only = partition<typename detail::partition_policies<P, Scheduler>::type>;

public:
    partition_array() = default;
    /// `make.operator()<Partition>(channel)` makes each.
    template <class Make>
    partition_array(gpu_parameters const& p, Make const& make)
        : all_(heap_array<only>::of(p.memory.channels, [&](std::size_t m) {
              return make.template operator()<only>(static_cast<unsigned>(m));
          })) {}
    /// Calls f with the array of them.
    template <class F>
    [[gnu::always_inline]] decltype(auto) with(F&& f) const {
        return f(all_);
    }
    template <class F>
    [[gnu::always_inline]] decltype(auto) with(F&& f) {
        return f(all_);
    }
    friend bool operator==(partition_array const&, partition_array const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(all_);
    }

private:
    heap_array<only> all_;
};

/// Of several DRAM schedulers the one that the machine's numbers name. The first is compiled as if it were alone: that
/// it is not costs a look for each window, not for each request. All others are one that is asked which it is.
template <class P, class First, class... Rest>
class partition_array<P, dram::one_request_scheduler<First, Rest...>> {
    using usual = partition<typename detail::partition_policies<P, First>::type>;
    using other =
        partition<typename detail::partition_policies<P, dram::one_request_scheduler<Rest...>>::type>;

public:
    partition_array() = default;
    template <class Make>
    partition_array(gpu_parameters const& p, Make const& make) {
        auto const wanted = policy_in(p.policy_parameters, seats::dram_scheduler_seat<>::name);
        is_usual_ = ((wanted != common_name<Rest>)&&...);
        with([&]<class Partition>(heap_array<Partition>& all) {
            all = heap_array<Partition>::of(p.memory.channels, [&](std::size_t m) {
                return make.template operator()<Partition>(static_cast<unsigned>(m));
            });
        });
    }
    template <class F>
    decltype(auto) with(F&& f) const {
        return is_usual_ ? f(usual_) : f(other_);
    }
    template <class F>
    decltype(auto) with(F&& f) {
        return is_usual_ ? f(usual_) : f(other_);
    }
    friend bool operator==(partition_array const&, partition_array const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(is_usual_);
        with([&f](auto const& all) { f(all); });
    }
    template <class F>
    void each_stored(F&& f) {
        with([&f](auto& all) { f(all); });
    }

private:
    bool is_usual_ = true;
    /// One of them has elements.
    heap_array<usual> usual_;
    heap_array<other> other_;
};

/// Of one, which is as if it were alone.
template <class P, class Only>
class partition_array<P, dram::one_request_scheduler<Only>> : public partition_array<P, Only> {
public:
    using partition_array<P, Only>::partition_array;
    friend bool operator==(partition_array const&, partition_array const&) = default;
};

} // namespace warpkit
