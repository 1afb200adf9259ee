// libwarpkit decides as the policies that it stands for do, event by event, and allocates nothing meanwhile.
#include <warpkit/base/policy_text.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/srrip.hpp>
#include <warpkit/cache/xor_index.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/bank_queues.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/standards.hpp>
#include <warpkit/facade/facade.hpp>
#include <warpkit/testing/random_core.hpp>
#include <warpkit/warp/schedulers.hpp>

#include "catch.hpp"

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

namespace {
std::atomic<std::uint64_t> allocations{0};
}
// As they are, and counted.
void* operator new(std::size_t n) {
    ++allocations;
    if (void* const p = std::malloc(n != 0 ? n : 1)) return p;
    throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

using namespace warpkit;

/// Tells the façade's scheduler what a core tells.
struct facade_host {
    facade::scheduler* s;
    warpkit_kernel kernel = {};
    std::vector<warpkit_instruction> code = {};
    bool began = false;

    void operator()(kernel_began const& e) {
        warpkit_kernel_init(&kernel);
        kernel.core = e.core;
        kernel.cores = e.cores;
        kernel.warp_slots = e.warp_slots;
        kernel.ctas_per_core = e.ctas_per_core;
        kernel.warps_per_cta = e.warps_per_cta;
        kernel.instruction_bytes = e.instruction_bytes;
        kernel.l1_lines = e.l1_lines;
        kernel.schedulers = e.schedulers;
        code.clear();
        static_instruction const* const from = e.code;
        for (std::uint32_t i = 0; i != e.instructions; ++i)
            code.push_back({op_class_names[static_cast<unsigned>(from[i].kind)],
                            memory_space_names[static_cast<unsigned>(from[i].space)], from[i].target,
                            from[i].access_bytes, from[i].guarded, from[i].destinations});
        kernel.code = code.data();
        kernel.instructions = e.instructions;
        began = false;
    }
    void operator()(scheduler_began const& e) {
        kernel.scheduler = e.scheduler;
        facade::error why;
        began = s->kernel_began(kernel, &why);
        INFO(why.message);
        REQUIRE(began);
    }
    void operator()(kernel_ended const&) { s->kernel_ended(); }
    void operator()(cta_launched const& e) {
        s->cta_launched(e.cta.index(), e.linear_id, e.warps.word(), e.at);
    }
    void operator()(footprint_known const& e) {
        warpkit_footprint f;
        for (unsigned i = 0; i != warp_footprint::arrays; ++i) {
            f.region[i] = e.footprint.region[i];
            f.touched[i] = e.footprint.touched[i];
        }
        s->footprint_known(e.warp.index(), f);
    }
    void operator()(cta_finished const& e) { s->cta_finished(e.cta.index(), e.linear_id, e.at); }
    void operator()(warp_exited const& e) { s->warp_exited(e.warp.index()); }
    void operator()(issued const& e) {
        s->issued(e.warp.index(), e.pc, static_cast<warpkit_issue_class>(e.kind), e.active, e.at);
    }
    void operator()(branched const& e) { s->branched(e.warp.index(), e.pc, e.next_pc, e.taken); }
    void operator()(blocked const& e) {
        s->blocked(e.warp.index(), static_cast<warpkit_block_reason>(e.reason));
    }
    void operator()(unblocked const& e) {
        s->unblocked(e.warp.index(), static_cast<warpkit_block_reason>(e.reason));
    }
    void operator()(barrier_arrived const& e) { s->barrier_arrived(e.warp.index(), e.waits); }
    void operator()(barrier_released const& e) { s->barrier_released(e.warps.word()); }
    void operator()(l1_accessed const& e) {
        s->l1_accessed(e.warp.index(), e.pc, e.line, static_cast<warpkit_access_kind>(e.kind),
                       static_cast<warpkit_cache_outcome>(e.outcome));
    }
    void operator()(l1_evicted const& e) {
        s->l1_evicted(e.line, e.owner ? static_cast<int>(e.owner.index()) : WARPKIT_NO_WARP, e.by_store);
    }
    void operator()(l1_filled const& e) { s->l1_filled(e.line); }
    void operator()(load_returned const& e) { s->load_returned(e.warp.index(), e.pc); }
    void operator()(lsu_refused const& e) {
        s->lsu_refused(e.warp.index(), static_cast<warpkit_refusal>(e.reason));
    }
    void operator()(memory_pressure const& e) {
        s->memory_pressure(e.free_mshrs, e.mshrs, e.free_queue, e.queue);
    }
    void operator()(next_decoded const& e) { s->next_decoded(e.warp.index(), e.pc); }
    void operator()(cycles_spent const& e) {
        s->cycles_spent(e.scheduler, static_cast<warpkit_cycle_cause>(e.cause), e.from, e.count);
    }
    template <class E>
    void operator()(E const&) {} // what no warp scheduler hears
};

/// The events that some scheduler that was compared goes by.
std::uint32_t compared = 0;

template <class P>
void agrees(char const* text) {
    INFO(text);
    facade::error why;
    facade::scheduler theirs(text, &why);
    INFO(why.message);
    REQUIRE(theirs);
    CHECK(std::string(theirs.name()) == common_name<P>);
    compared |= theirs.hears();
    auto ours = policy_with<P>(text);
    testing::random_core_options o;
    o.seed = 7;
    o.schedulers = 2;
    o.scheduler = 1;
    testing::random_core core(o);
    facade_host host{&theirs};
    unsigned different = 0;
    auto const tell = [&](auto const& e) {
        notify(e, ours);
        auto const before = allocations.load();
        host(e);
        using event = std::remove_cvref_t<decltype(e)>;
        if constexpr (!std::is_same_v<event, kernel_began> && !std::is_same_v<event, scheduler_began>)
            different += allocations.load() != before;
    };
    auto const ask = [&](warp_set candidates, issue_classes const& next) {
        auto const w = pick_warp(ours, candidates, next);
        warpkit_issue_classes const n{next.loads.word(), next.stores.word(), next.atomics.word()};
        auto const before = allocations.load();
        auto const picked = theirs.pick(candidates.word(), n);
        different += theirs.eligible(candidates.word(), n) != eligible_warps(ours, candidates, next).word();
        different += allocations.load() != before;
        different += picked != (w ? static_cast<int>(w.index()) : WARPKIT_NO_WARP);
        return w;
    };
    for (unsigned kernel = 0; kernel < 2; ++kernel) {
        core.begin_kernel(tell);
        for (unsigned i = 0; i < 1500; ++i) core.step(tell, ask);
        core.end_kernel(tell);
    }
    CHECK(core.decisions() > 500);
    CHECK(different == 0);
}

} // namespace

TEST_CASE("libwarpkit's schedulers decide as those of the headers, and allocate nothing for it", "[facade]") {
    agrees<lrr>("lrr");
    agrees<gto>("gto");
    agrees<ccws_of<run_time>>("ccws");
    agrees<mascar_of<run_time, run_time>>("mascar");
    agrees<cta_aware_of<run_time>>("cta_aware:4");
    agrees<locality_aware_of<run_time>>("locality_aware:active=6");
    agrees<elf_of<run_time>>("elf");
    agrees<daws_style_of<run_time>>("daws_style");
    agrees<cawa_style>("cawa_style");
    CHECK((compared & WARPKIT_MEMORY_PRESSURE) != 0);
    CHECK((compared & WARPKIT_L1_EVICTED) != 0);
    CHECK((compared & WARPKIT_NEXT_DECODED) != 0);
    CHECK((compared & WARPKIT_FOOTPRINT_KNOWN) != 0);
    CHECK((compared & WARPKIT_BRANCHED) != 0);
}

TEST_CASE("every scheduler that libwarpkit lists can be made, copied and compared", "[facade]") {
    std::string const all = warpkit_scheduler_catalogue();
    unsigned made = 0;
    for (std::size_t from = 0; from < all.size();) {
        auto const line = all.substr(from, all.find('\n', from) - from);
        from += line.size() + 1;
        if (line[0] == ' ') continue;
        INFO(line);
        facade::error why;
        facade::scheduler const s(line.substr(0, line.find(':')).c_str(), &why);
        REQUIRE(s);
        CHECK(s.copied() == s);
        ++made;
    }
    CHECK(made >= 26);
}

TEST_CASE("libwarpkit's cache is the one of the headers", "[facade]") {
    facade::error why;
    facade::cache theirs(
        "srrip+xor+write_back+no_allocate:sets=16:ways=4:sector_bytes=32:mshr_entries=8:bits=3", &why);
    INFO(why.message);
    REQUIRE(theirs);
    cache_parameters p;
    p.geometry = {.sets = 16, .ways = 4, .line_bytes = 128, .sector_bytes = 32};
    p.mshr_entries = 8;
    cache<xor_index, srrip_of<3>, on_miss, write_back<write_miss::no_allocate>> ours(p);
    testing::random_numbers random(3);
    std::vector<std::uint64_t> fetches;
    unsigned different = 0;
    for (unsigned i = 0; i < 20000; ++i) {
        cache_access a;
        a.address = random.below(4096) * 32ULL;
        a.kind = random.chance(30) ? access_kind::store : access_kind::load;
        a.token = i;
        facade::access b;
        b.address = a.address;
        b.kind = static_cast<warpkit_access_kind>(a.kind);
        b.token = i;
        auto const before = allocations.load();
        auto const r = theirs.access(b);
        different += allocations.load() != before;
        auto const q = ours.access(a);
        different += static_cast<int>(r.answer) != static_cast<int>(q.answer) ||
                     static_cast<int>(r.outcome) != static_cast<int>(q.outcome);
        warpkit_cache_request below;
        while (random.chance(70) && theirs.front_request(below)) {
            different += below.address != ours.front_request().address;
            if (below.kind == WARPKIT_REQUEST_FETCH) fetches.push_back(below.address);
            theirs.pop_request();
            ours.pop_request();
        }
        if (!fetches.empty() && random.chance(50)) {
            auto const at = fetches.back();
            fetches.pop_back();
            std::vector<std::uint32_t> woken[2];
            CHECK(theirs.fill(at, [&](std::uint32_t t) { woken[0].push_back(t); }));
            ours.fill(at, [&](std::uint32_t t) { woken[1].push_back(t); });
            different += woken[0] != woken[1];
        }
    }
    auto const c = theirs.counters();
    CHECK(c.hits == ours.counters().hits);
    CHECK(c.evictions == ours.counters().evictions);
    CHECK(c.evictions > 100);
    CHECK(c.write_backs == ours.counters().write_backs);
    CHECK(different == 0);
}

namespace {
template <class Channel>
void serves_alike(char const* text, Channel ours, char const* mapping) {
    INFO(text);
    facade::error why;
    facade::dram_channel theirs(text, &why);
    INFO(why.message);
    REQUIRE(theirs);
    dram::address_mapping const map(mapping, 1);
    testing::random_numbers random(5);
    unsigned different = 0;
    unsigned pushed = 0;
    std::vector<std::uint64_t> done[2];
    for (cycle now = 0; done[0].size() < 3000 && now < 1000000; ++now) {
        facade::dram_request r;
        r.address = random.below(1 << 16) * 64ULL;
        r.bytes = 32;
        r.token = pushed;
        r.write = random.chance(30);
        dram::request q;
        auto const at = map.decode(r.address);
        q.bank = static_cast<std::uint16_t>(at.bank);
        q.row = at.row;
        q.column = at.column;
        q.write = r.write != 0;
        q.token = pushed;
        auto const before = allocations.load();
        if (pushed < 3000 && random.chance(50) && theirs.push(r, now)) {
            REQUIRE(ours.can_accept(q));
            ours.push(q, now);
            ++pushed;
        }
        different += allocations.load() != before;
        theirs.tick(now, [&](std::uint64_t t) { done[0].push_back(t); });
        ours.tick(now, [&](dram::request const& d) { done[1].push_back(d.token); });
        different += theirs.next_event(now) != ours.next_event(now);
    }
    CHECK(done[0].size() == 3000);
    CHECK(done[0] == done[1]);
    CHECK(different == 0);
    CHECK(theirs.counters().row_hits == ours.counters().row_hits);
}
} // namespace

TEST_CASE("libwarpkit's DRAM channels are those of the headers", "[facade]") {
    using namespace warpkit::dram;
    auto faster = hbm2_dramsim3;
    faster.cl = 11;
    faster.refi = 3900;
    for (auto const& s : standards) {
        if (std::string(s.name) == "gddr5_gtx480")
            serves_alike("gddr5_gtx480:queue=16", channel<fr_fcfs>(gddr5_gtx480, 16), s.mapping);
        if (std::string(s.name) == "hbm2_dramsim3")
            serves_alike("hbm2_dramsim3:scheduler=bank_queues:page=closed_page:cl=11:refresh=1:bank_queue=4",
                         channel<bank_queues<>, closed_page>(faster, {64, 32, 4, {}}, command_bus::dual),
                         s.mapping);
    }
}

TEST_CASE("what libwarpkit cannot make is told, in one sentence", "[facade]") {
    facade::error why;
    auto const scheduler = [&](char const* text) {
        CHECK_FALSE(facade::scheduler(text, &why));
        return std::string(why.message);
    };
    CHECK(scheduler("").find("has no name") != std::string::npos);
    CHECK(scheduler("locality_aware:actve=3").find("did you mean active?") != std::string::npos);
    CHECK(scheduler("locality_aware:active=0").find("give 1 to") != std::string::npos);
    CHECK_FALSE(facade::cache("lru+srrip", &why));
    CHECK(std::string(why.message).find("second name") != std::string::npos);
    CHECK_FALSE(facade::cache("lru:sets=0", &why));
    CHECK_FALSE(facade::replacement("lru", 0, 4, &why));
    CHECK(std::string(why.message).find("nearest legal value is 1") != std::string::npos);
    CHECK_FALSE(facade::dram_channel("gddr5_gtx480:scheduler=frfcfs", &why));
    CHECK(std::string(why.message).find("fr_fcfs") != std::string::npos);
    CHECK_FALSE(facade::dram_channel("gddr5_gtx480:refresh=1", &why));
    CHECK(std::string(why.message).find("has no interval of refresh") != std::string::npos);
    CHECK_FALSE(facade::dram_channel("gddr5_gtx480:banks=32", &why));

    facade::scheduler elf("elf", &why);
    facade::kernel k;
    CHECK_FALSE(elf.kernel_began(k, &why));
    CHECK(std::string(why.message).find("kernel_began::") != std::string::npos);
    k.warp_slots = 65;
    CHECK_FALSE(elf.kernel_began(k, &why));
    CHECK(std::string(why.message).find("at most 64 warps") != std::string::npos);
    // A text longer than there is room for is cut, and ends.
    CHECK(scheduler(std::string(5000, 'x').c_str()).size() == sizeof why.message - 1);
}
