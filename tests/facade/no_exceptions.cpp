// Compiled with -fno-exceptions -fno-rtti: policies, caches and DRAM do the same, and what they would throw ends the
// program with its text. `no_exceptions refused` does that.
#include <warpkit/cache/allocation.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/srrip.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/bank_queues.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/shared_queue.hpp>
#include <warpkit/dram/standards.hpp>
#include <warpkit/warp/schedulers.hpp>

#include <csignal>
#include <cstdlib>

#ifdef __cpp_exceptions
#error "this is to be compiled without exceptions"
#endif

using namespace warpkit;

namespace {

template <class Scheduler>
bool serves_all() {
    dram::channel<Scheduler> c(dram::gddr5_gtx480, dram::queue_sizes{}, dram::command_bus::single_and_row);
    dram::address_mapping const map(dram::gtx480_mapping, 1);
    unsigned done = 0;
    unsigned pushed = 0;
    for (cycle now = 0; done != 200 && now < 100000; ++now) {
        dram::request r;
        auto const at = map.decode(pushed * std::uint64_t{6400});
        r.bank = static_cast<std::uint16_t>(at.bank);
        r.row = at.row;
        r.column = at.column;
        if (pushed != 200 && c.can_accept(r)) c.push(r), ++pushed;
        c.tick(now, [&](dram::request const&) { ++done; });
    }
    return done == 200;
}

template <class Scheduler>
bool picks() {
    Scheduler s;
    kernel_began k;
    k.core = 0;
    k.cores = 1;
    k.schedulers = 1;
    k.warp_slots = 16;
    k.ctas_per_core = 2;
    k.warps_per_cta = 8;
    k.l1_lines = 128;
    k.instruction_bytes = 8;
    k.code = nullptr;
    k.instructions = 0;
    notify(k, s);
    notify(cta_launched{cta_slot{0}, 0, warp_set::first_n(8), 0}, s);
    auto const c = warp_set::range(2, 5);
    auto const w = pick_warp(s, c, issue_classes{});
    return c.contains(w);
}

} // namespace

int main(int argc, char**) {
    using l1 = cache<linear_index, srrip_of<run_time>, on_miss, write_evict>;
    if (argc > 1) {
        std::signal(SIGABRT, [](int) { std::_Exit(0); });
        l1 const refused(cache_parameters{.geometry = {.ways = 513}});
    }
    l1 c(cache_parameters{});
    cache_access a;
    a.token = 3;
    bool ok = c.access(a).answer == cache_answer::at_fill;
    c.pop_request();
    c.fill(a.address, [&](std::uint32_t token) { ok = ok && token == 3; });
    ok = ok && c.access(a).answer == cache_answer::now;
    ok = ok && serves_all<dram::fr_fcfs>() && serves_all<dram::bank_queues<>>() &&
         serves_all<dram::shared_queue<dram::oldest_ready>>();
    ok = ok && picks<gto>() && picks<ccws>() && picks<cta_aware_locality>() && picks<locality_aware>() &&
         picks<elf>();
    return ok ? 0 : 1;
}
