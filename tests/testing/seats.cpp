// Every seat has a template to start from, which keeps the laws of its seat; and the laws find who breaks them.

#include <warpkit/config/presets.hpp>
#include <warpkit/lsu/many_thread_aware_prefetch.hpp>
#include <warpkit/lsu/per_warp_stride.hpp>
#include <warpkit/lsu/stride_chain.hpp>
#include <warpkit/testing/cache_laws.hpp>
#include <warpkit/testing/cluster_placement_laws.hpp>
#include <warpkit/testing/core_laws.hpp>
#include <warpkit/testing/cta_laws.hpp>
#include <warpkit/testing/kernel_dispatch_laws.hpp>
#include <warpkit/testing/memory_laws.hpp>
#include <warpkit/testing/network_laws.hpp>
#include <warpkit/testing/warp_scheduler_laws.hpp>

#include "../../examples/seats/cluster_placement.hpp"
#include "../../examples/seats/coalescer.hpp"
#include "../../examples/seats/cta_choice.hpp"
#include "../../examples/seats/data_prefetch.hpp"
#include "../../examples/seats/dram_observer.hpp"
#include "../../examples/seats/dram_scheduler.hpp"
#include "../../examples/seats/fetch_order.hpp"
#include "../../examples/seats/instruction_prefetch.hpp"
#include "../../examples/seats/kernel_dispatch.hpp"
#include "../../examples/seats/l1c.hpp"
#include "../../examples/seats/l1d.hpp"
#include "../../examples/seats/l1i.hpp"
#include "../../examples/seats/l1t.hpp"
#include "../../examples/seats/l2.hpp"
#include "../../examples/seats/l2_observer.hpp"
#include "../../examples/seats/memory_prefetcher.hpp"
#include "../../examples/seats/network.hpp"
#include "../../examples/seats/network_arbitration.hpp"
#include "../../examples/seats/observer.hpp"
#include "../../examples/seats/occupancy_limit.hpp"
#include "../../examples/seats/page_policy.hpp"
#include "../../examples/seats/replay_queue.hpp"
#include "../../examples/seats/warp_scheduler.hpp"
#include "catch.hpp"
#include "source_tree.hpp"

#include <utility>

namespace {

using namespace warpkit;
using namespace warpkit::testing;
using namespace seats_of_mine;

// What the check of a machine says to all of them at once.
using mine =
    presets::gtx480::with<use::warp_scheduler<my_warp_scheduler>, use::fetch_order<my_fetch_order>,
                          use::instruction_prefetch<my_instruction_prefetch>, use::cta_choice<my_cta_choice>,
                          use::occupancy_limit<my_occupancy_limit>, use::coalescer<my_coalescer>,
                          use::replay_queue<my_replay_queue>, use::data_prefetch<my_data_prefetch>,
                          use::l1i<my_l1i>, use::l1d<my_l1d>, use::l1c<my_l1c>, use::l1t<my_l1t>,
                          use::l2<my_l2>, use::dram_scheduler<my_dram_scheduler>,
                          use::page_policy<my_page_policy>, use::memory_prefetcher<my_memory_prefetcher>,
                          use::network<my_network>, use::kernel_dispatch<my_kernel_dispatch>,
                          use::cluster_placement<my_cluster_placement>, use::observer<my_observer>,
                          use::dram_observer<my_dram_observer>, use::l2_observer<my_l2_observer>>;
using checked = mine::policies;
using arbitrated = presets::gtx480::with<use::network_arbitration<my_network_arbitration>>;
using checked_too = arbitrated::policies;

bool finds(std::vector<violation> const& found, char const* law) {
    for (auto const& v : found)
        if (v.law == law) return true;
    for (auto const& v : found) UNSCOPED_INFO(v.text());
    return false;
}

} // namespace

TEST_CASE("every seat has a template, which a machine takes") {
    for (auto const& seat : mine::describe()) {
        auto const row = seat.slot == "network_arbitration"
                             ? slot_and_policy{seat.slot, display_name<my_network_arbitration>()}
                             : seat;
        INFO(row.slot);
        CHECK(source_text("examples/seats/" + row.slot + ".hpp").find("// The seat `" + row.slot + "`: ") !=
              std::string::npos);
        CHECK(
            (row.policy.find("my_") != std::string::npos || row.slot.find("observer") != std::string::npos));
    }
}

TEST_CASE("the templates keep the laws of their seats") {
    require_warp_scheduler_laws<my_warp_scheduler>();
    require_fetch_order_laws<my_fetch_order>();
    require_instruction_prefetch_laws<my_instruction_prefetch>();
    require_data_prefetch_laws<my_data_prefetch>();
    require_data_prefetch_laws<per_warp_stride>();
    require_data_prefetch_laws<many_thread_aware_prefetch>();
    require_data_prefetch_laws<stride_chain>();
    require_cta_choice_laws<my_cta_choice>();
    require_occupancy_limit_laws<my_occupancy_limit>();
    require_kernel_dispatch_laws<my_kernel_dispatch>();
    require_cluster_placement_laws<my_cluster_placement>();
    require_coalescer_laws<my_coalescer>();
    require_replay_queue_laws<my_replay_queue>();
    require_replacement_laws<my_replacement>();
    require_cache_laws<my_l1i>();
    require_cache_laws<my_l1c>();
    require_cache_laws<my_l1d>();
    require_cache_laws<my_l2>();
    require_texture_cache_laws<my_l1t>();
    require_dram_laws<my_dram_scheduler>();
    require_dram_laws<dram::fr_fcfs, my_page_policy>();
    require_dram_laws<dram::fr_fcfs, dram::open_page, my_memory_prefetcher>();
    require_network_laws<my_network>(mine::parameters());
    require_network_laws<crossbar_network, my_network_arbitration>(mine::parameters());
    require_network_laws<mesh_network, my_network_arbitration>(presets::owl::parameters());
    require_observer_laws<my_observer>();
}

namespace {

struct fetches_for_the_finished : my_fetch_order {
    warp_slot pick(warp_set candidates) const noexcept {
        return candidates ? candidates.first() : warp_slot{0};
    }
    bool operator==(fetches_for_the_finished const&) const = default;
};
struct remembers_what_it_was_asked {
    mutable unsigned asked = 0;
    bool wants(fetched const&, unsigned) const noexcept { return ++asked % 2 == 0; }
    bool operator==(remembers_what_it_was_asked const&) const = default;
};
struct loses_a_lane : my_coalescer {
    void operator()(warp_access const& a, bool past, transaction_list& out) const noexcept {
        auto fewer = a;
        if (a.active != (a.active & (~a.active + 1))) fewer.active &= a.active - 1; // all but the lowest
        my_coalescer::operator()(fewer, past, out);
    }
    bool operator==(loses_a_lane const&) const = default;
};
struct looks_at_the_list : my_coalescer {
    void operator()(warp_access const& a, bool past, transaction_list& out) const noexcept {
        bool const was_empty = out.empty();
        my_coalescer::operator()(a, past, out);
        if (!was_empty) std::swap(out[0], out[out.size() - 1]);
    }
    bool operator==(looks_at_the_list const&) const = default;
};
struct passes_stores : my_replay_queue {
    replay_route route(warp_slot, access_kind) const noexcept { return replay_route::access; }
    bool operator==(passes_stores const&) const = default;
};
struct forgets_one : my_replay_queue {
    std::uint32_t pick(bool) const noexcept { return no_replay_entry; }
    bool operator==(forgets_one const&) const = default;
};
struct any_way : my_replacement {
    using my_replacement::my_replacement;
    static constexpr char const* name() noexcept { return "any_way"; }
    std::uint32_t victim(std::uint32_t, std::uint64_t) const noexcept { return 0; }
    bool operator==(any_way const&) const = default;
};
struct serves_the_second : my_l1t {
    using my_l1t::my_l1t;
    static constexpr char const* name() noexcept { return "serves_the_second"; }
    template <class Sink>
    bool serve(Sink&& sink) {
        auto first = no_token;
        my_l1t::serve([&](std::uint32_t t) { first = t; });
        if (first % 97 == 0 && can_serve()) my_l1t::serve(sink);
        sink(first);
        return true;
    }
};
struct drops_a_request : my_dram_scheduler {
    using my_dram_scheduler::my_dram_scheduler;
    static constexpr char const* name() noexcept { return "drops_a_request"; }
    void push(dram::request const& r) {
        if (r.token % 97 != 0) my_dram_scheduler::push(r);
    }
    bool operator==(drops_a_request const&) const = default;
};
class doubles_a_packet : public my_network {
public:
    using my_network::my_network;
    bool advance(tick end, heap_array<warpkit::link<packet>>& in, heap_array<warpkit::link<packet>>& out) {
        for (auto& l : out)
            if (l.has_arrived(end - 1) && l.front().token % 97 == 0 && l.can_send(end - 1, 1))
                l.send(end - 1, packet(l.front()), 1);
        return my_network::advance(end, in, out);
    }
};
struct doubling_network {
    static constexpr char const* name() noexcept { return "doubling_network"; }
    using interconnect = doubles_a_packet;
};
struct shares_its_count {
    unsigned heard = 0;
    void on(issued const&) noexcept {
        static unsigned all = 0;
        heard += ++all % 3;
    }
    bool operator==(shares_its_count const&) const = default;
};

} // namespace

TEST_CASE("the laws find who breaks them") {
    CHECK(finds(check_fetch_order_laws<fetches_for_the_finished>(), "a pick is a candidate"));
    CHECK(finds(check_instruction_prefetch_laws<remembers_what_it_was_asked>(), "wants changes nothing"));
    CHECK(finds(check_coalescer_laws<loses_a_lane>(), "every byte lies in a transaction"));
    CHECK(finds(check_coalescer_laws<looks_at_the_list>(), "asked twice, it answers alike"));
    CHECK(finds(check_replay_queue_laws<passes_stores>(), "a warp's stores keep their place"));
    CHECK(finds(check_replay_queue_laws<forgets_one>(), "none waits for ever"));
    CHECK(finds(check_replacement_laws<any_way>(), "a victim is eligible"));
    CHECK(finds(check_texture_cache_laws<serves_the_second>(), "accesses are served in their order"));
    CHECK(finds(check_dram_laws<drops_a_request>(), "every request is done"));
    CHECK(finds(check_network_laws<doubling_network>(mine::parameters()), "a packet comes out once"));
    CHECK(finds(check_observer_laws<shares_its_count>(), "copies behave alike"));
}

namespace seats_of_mine {

struct nobody_goes {
    static constexpr char const* name() noexcept { return "nobody_goes"; }
    template <class Ports, class Born>
    Ports pick(Ports const& asking, std::uint32_t last, Born const& born) const noexcept {
        auto const first = asking.first_behind(last);
        bool stays = false;
        first.for_each([&](std::uint32_t i) { stays = born(i) == 0xffffffff || i == 3; });
        return stays ? Ports() : first;
    }
    friend bool operator==(nobody_goes const&, nobody_goes const&) = default;
};

} // namespace seats_of_mine

TEST_CASE("the laws of an arbitration find who picks nobody, or a port that does not ask") {
    CHECK(finds(check_network_arbitration_laws<nobody_goes>(), "one that asks is picked"));
    CHECK(check_network_arbitration_laws<noc::round_robin_arbitration>().empty());
    CHECK(check_network_arbitration_laws<noc::age_based_arbitration>().empty());
    require_network_arbitration_laws<my_network_arbitration>();
}
