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
#include <tuple>
#include <type_traits>

namespace warpkit {

/// A partition for each channel. P is a memory_policies.
template <class P, class Scheduler = typename P::dram_scheduler>
class partition_array {
public:
    partition_array() = default;
    /// `make.operator()<Partition>(channel)` makes each.
    template <class Make>
    partition_array(gpu_parameters const& p, Make const& make)
        : all_(heap_array<partition<P>>::of(p.memory.channels, [&](std::size_t m) {
              return make.template operator()<partition<P>>(static_cast<unsigned>(m));
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
    heap_array<partition<P>> all_;
};

namespace detail {
/// P with another DRAM scheduler.
template <class P, class Scheduler>
struct with_dram_scheduler;
template <class... Seat, class Scheduler>
struct with_dram_scheduler<memory_policies<Seat...>, Scheduler> {
    using type = memory_policies < std::conditional_t < requires { typename Seat::dram_scheduler; }
    , seats::dram_scheduler_seat<Scheduler>, Seat > ... > ;
};
} // namespace detail

/// Of several DRAM schedulers the one that the machine's numbers name. Which it is costs a look for each window, not
/// for each request: each is compiled as if it were alone.
template <class P, class... Scheduler>
class partition_array<P, dram::one_request_scheduler<Scheduler...>> {
public:
    partition_array() = default;
    template <class Make>
    partition_array(gpu_parameters const& p, Make const& make) {
        auto const wanted = policy_in(p.policy_parameters, seats::dram_scheduler_seat<>::name);
        unsigned n = 0;
        ((wanted == common_name<Scheduler> ? chosen_ = n++ : n++), ...);
        with([&]<class Partition>(heap_array<Partition>& all) {
            all = heap_array<Partition>::of(p.memory.channels, [&](std::size_t m) {
                return make.template operator()<Partition>(static_cast<unsigned>(m));
            });
        });
    }
    template <class F>
    decltype(auto) with(F&& f) const {
        return in<0>(*this, f);
    }
    template <class F>
    decltype(auto) with(F&& f) {
        return in<0>(*this, f);
    }
    friend bool operator==(partition_array const&, partition_array const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(chosen_);
        with([&f](auto const& all) { f(all); });
    }

private:
    template <std::size_t N, class Self, class F>
    static decltype(auto) in(Self& self, F& f) {
        if constexpr (N + 1 == sizeof...(Scheduler))
            return f(std::get<N>(self.all_));
        else
            return self.chosen_ == N ? f(std::get<N>(self.all_)) : in<N + 1>(self, f);
    }

    unsigned chosen_ = 0;
    /// One of them has elements.
    std::tuple<heap_array<partition<typename detail::with_dram_scheduler<P, Scheduler>::type>>...> all_;
};

} // namespace warpkit
