/// A memory partition of the engine between its links against the reference's, tick by tick: replies, events and
/// counters.

#include <warpkit/cache/alternatives.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/perfect_cache.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/dram/bank_queues.hpp>
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/page_policy.hpp>
#include <warpkit/dram/shared_queue.hpp>
#include <warpkit/dram/standards.hpp>
#include <warpkit/gpu/memory/partition.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/reference/l2_partition.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

using namespace warpkit;
using testing::random_numbers;

namespace {

/// What a slice or a channel tells, by slice and by kind: these orders are defined.
struct recorder {
    std::vector<std::vector<std::uint64_t>> slices = std::vector<std::vector<std::uint64_t>>(4);
    std::vector<dram::command> commands;
    void on(l2_accessed const& e) {
        note(e.slice, {1, e.address, e.line, e.bytes, static_cast<std::uint64_t>(e.kind), e.by.core,
                       e.by.warp.index(), static_cast<std::uint64_t>(e.outcome), e.born, e.ready, e.at});
    }
    void on(l2_evicted const& e) {
        note(e.slice, {2, e.line, e.owner.core, e.owner.warp.index(), e.invalidated});
    }
    void on(l2_filled const& e) { note(e.slice, {3, e.address, e.at}); }
    void on(dram::row_access const& e) { note(0, {4, e.bank, e.row, e.cta}); }
    friend bool operator==(recorder const&, recorder const&) = default;

private:
    void note(std::uint32_t slice, std::vector<std::uint64_t> const& numbers) {
        slices[slice].insert(slices[slice].end(), numbers.begin(), numbers.end());
    }
};
struct command_recorder {
    std::vector<dram::command> commands;
    void on(dram::command const& c) { commands.push_back(c); }
    friend bool operator==(command_recorder const&, command_recorder const&) = default;
};

gpu_parameters random_partition(random_numbers& r) {
    gpu_parameters p;
    p.core.count = 8;
    p.memory.channels = 1U << r.below(2);
    p.memory.slices = 1U << r.below(2);
    p.dram = r.chance(50) ? dram::gddr5_gtx480 : dram::gddr3_owl;
    auto const banks = p.dram.banks == 4 ? "B2 " : "B4 ";
    auto const channels = p.memory.channels == 2 ? "D1 " : "";
    p.address_mapping = "low:S6 C2 " + std::string(channels) + "C2 " + banks + "R10";
    p.l2.line = r.chance(50) ? 128 : 64;
    p.l2.sector = r.chance(70) ? 32 : p.l2.line;
    p.l2.ways = 1 + r.below(8);
    p.l2.size = p.l2.ways * p.l2.line * (1U << r.below(4));
    p.l2.mshr_entries = 1 + r.below(12);
    p.l2.mshr_merges = 1 + r.below(4);
    p.l2.miss_queue = 3 + r.below(6);
    p.memory.rop_latency = r.chance(20) ? r.below(3) : r.below(60);
    p.memory.far_latency = r.chance(50) ? 0 : r.chance(20) ? r.below(3) : r.below(90);
    p.memory.dram_latency = r.chance(20) ? r.below(3) : r.below(60);
    p.memory.l2_input_queue = 1 + r.below(8);
    p.memory.l2_to_dram_queue = 1 + r.below(8);
    p.memory.dram_to_l2_queue = 1 + r.below(8);
    p.memory.l2_output_queue = 1 + r.below(8);
    p.memory.dram_queue = 1 + r.below(20);
    p.memory.dram_return_queue = r.below(20);
    p.memory.prefetch_lower = r.below(6);
    p.memory.prefetch_higher = p.memory.prefetch_lower + r.below(6);
    p.memory.prefetch_threshold = r.below(10);
    p.memory.prefetch_shift = 7;
    p.memory.prefetch_skips_resident = r.below(2);
    p.network.flit = r.chance(50) ? 32 : 40;
    p.network.input_flits = 8 + r.below(20);
    p.network.ejection = 1 + r.below(8);
    return p;
}

/// A request of some core to the partition of channel 0, whose slice the address mapping names.
packet random_packet(random_numbers& r, gpu_parameters const& p, dram::address_mapping const& map,
                     std::uint64_t lines) {
    packet m;
    do {
        auto const line = r.below(static_cast<unsigned>(lines)) * std::uint64_t{128};
        m.address = line + (r.chance(10) ? std::uint64_t{1} << 17 : 0);
    } while (map.sub_partition(m.address) >= p.memory.slices);
    m.slice = static_cast<std::uint16_t>(map.sub_partition(m.address));
    m.core = static_cast<std::uint16_t>(r.below(p.core.count));
    m.token = r.below(1000);
    if (r.chance(90)) m.warp = static_cast<packet_warp>(r.below(48));
    if (r.chance(80)) m.cta = r.below(20);
    // What follows lies within 64 bytes, which are of one slice under all maps here.
    auto const begin = r.below(64), bytes = 1 + r.below(64 - begin);
    auto const kind = r.below(100);
    if (kind < 55) {
        auto const sectors = 64 / p.l2.sector + (p.l2.sector > 64);
        m.bytes = r.chance(70) ? (1 + r.below(sectors)) * (64 / sectors) : bytes;
        m.kind = r.chance(60)   ? packet_kind::read
                 : r.chance(50) ? packet_kind::bulk_read
                 : r.chance(50) ? packet_kind::texture
                                : packet_kind::instruction;
    } else if (kind < 90) {
        m.kind = packet_kind::write;
        m.bytes = 64;
        if (r.chance(60)) {
            m.address += begin;
            m.bytes = bytes;
        }
        if (r.chance(50))
            while ((m.written[0] | m.written[1]) == 0)
                for (auto b = m.address; b < m.address + m.bytes; ++b)
                    if (r.chance(40)) m.written[b % 128 / 64] |= std::uint64_t{1} << b % 64;
        if (r.chance(20)) m.token = no_token; // a write-back
    } else {
        m.kind = packet_kind::atomic;
        m.address += r.below(16) * 4;
        m.bytes = 4;
    }
    return m;
}

struct partition_result {
    std::string difference; ///< the first; empty for none
    run_counters counted;
};

template <class P>
partition_result agreement(std::uint64_t seed, gpu_parameters const& p) {
    random_numbers r(seed);
    tick const core = 1 + r.below(6), l2 = 1 + r.below(6), dram = 1 + r.below(6);
    tick const latency = 1 + r.below(40);
    dram::address_mapping const map(p.address_mapping.c_str(), p.memory.channels, p.memory.slices);
    map.check(p.dram);
    auto const slices = p.memory.slices;
    partition<P> engine(0, p, {clock_domain(core), clock_domain(l2), clock_domain(dram)});
    reference::l2_partition<P> plain(0, p, core, l2, dram);
    std::vector<warpkit::link<packet>> to(slices, warpkit::link<packet>(latency, p.network.ejection));
    std::vector<warpkit::link<packet>> from(slices, warpkit::link<packet>(latency, p.network.input_flits));
    std::vector<reference::link<packet>> plain_to(slices,
                                                  reference::link<packet>(latency, p.network.ejection));
    std::vector<reference::link<packet>> plain_from(slices,
                                                    reference::link<packet>(latency, p.network.input_flits));
    partition_result result;
    auto const say = [&](char const* what, tick t) {
        if (result.difference.empty())
            result.difference =
                std::string(what) + " at tick " + std::to_string(t) + ", seed " + std::to_string(seed);
    };
    auto const load = 1 + r.below(r.chance(50) ? 100 : 10), takes = 5 + r.below(96);
    auto const lines = 4 + r.below(60);
    std::uint64_t asked = 0;
    unsigned const windows = 8000 / static_cast<unsigned>(latency) + 60;
    bool ends = false;
    for (tick start = 0; result.difference.empty() && !ends; start += latency) {
        auto const end = start + latency;
        bool const quiet = start >= windows * latency; // it runs dry
        if (start == 400 * windows * latency) say("it hangs", start);
        for (unsigned s = 0; s < slices; ++s) {
            from[s].look(end);
            for (auto t = start; t < end; ++t) { // the network's side
                while (plain_from[s].has_arrived(t)) {
                    if (!from[s].has_arrived(t) || !(from[s].front() == plain_from[s].front()))
                        say("another reply", t);
                    if (!result.difference.empty() || !(quiet || r.chance(takes))) break;
                    from[s].pop(t, from[s].first().cost);
                    plain_from[s].take(t);
                }
                if (from[s].has_arrived(t) && !plain_from[s].has_arrived(t)) say("an early reply", t);
                if (quiet || !r.chance(load)) continue;
                bool const can = plain_to[s].can_send(t);
                if (to[s].can_send(t, 1) != can) say("other credits", t);
                auto const m = random_packet(r, p, map, lines);
                if (!can || m.slice != s) continue;
                to[s].send(t, m, 1);
                plain_to[s].send(t, m);
                ++asked;
            }
        }
        engine.advance(end, map, to.data(), from.data());
        for (auto t = start; t < end; ++t) plain.tick(t, plain_to, plain_from);
        run_counters theirs, ours;
        theirs.l2 = engine.l2_counters(end);
        theirs.dram = engine.dram_counters(end);
        plain.add_to(ours);
        if (!(theirs.l2 == ours.l2)) say("other counters of the L2", end);
        if (!(theirs.dram == ours.dram)) say("other counters of the DRAM", end);
        if (!(engine.l2_observer() == plain.l2_observer())) say("other L2 events", end);
        if (!(engine.dram_observer() == plain.dram_observer())) say("other DRAM events", end);
        result.counted = theirs;
        ends = quiet && plain.idle();
        for (auto const& l : plain_from) ends = ends && l.empty();
        for (auto const& l : plain_to) ends = ends && l.empty();
        if (!ends || !r.chance(50)) continue;
        if (!engine.idle()) say("only one is idle", end);
        for (unsigned n = 0; n < 40; ++n) { // the host copies
            auto const a = std::uint64_t{p.l2.sector} * r.below(1U << 9);
            auto const s = map.sub_partition(a);
            if (s >= slices) continue;
            engine.copied(s, map.local(a), map);
            plain.copied(s, map.local(a));
        }
        if (!(engine.l2_counters(end).evictions == [&] {
                run_counters c;
                plain.add_to(c);
                return c.l2.evictions;
            }()))
            say("other evictions by the host", end);
    }
    if (asked == 0) say("nothing was asked", 0);
    return result;
}

template <class P>
run_counters all_agree(unsigned seeds, bool has_l2 = true, char const* const* variants = nullptr,
                       unsigned count = 0) {
    run_counters sum;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
        random_numbers r(seed);
        auto p = random_partition(r);
        if (count != 0) p.l2_variant = variants[r.below(count)];
        if (!has_l2) p.l2.size = 0;
        auto const a = agreement<P>(seed, p);
        INFO(p.l2_variant);
        CHECK(a.difference == "");
        sum += a.counted;
    }
    CHECK((has_l2 ? sum.l2.accesses : sum.dram.reads) > 1000);
    return sum;
}

template <write_miss Miss>
using usual_l2 = cache<linear_index, lru, on_miss, write_back<Miss>>;
template <class... Use>
using memory_with =
    typename presets::gtx480::with<use::l2<usual_l2<write_miss::lazy_fetch>>>::with<Use...>::policies::memory;
using plain_memory = memory_with<>;

} // namespace

TEST_CASE("a memory partition agrees with the reference's") {
    auto const c = all_agree<plain_memory>(60);
    CHECK(c.l2.hits > 1000);
    CHECK(c.l2.hit_reserved > 1000);
    CHECK(c.l2.misses > 1000);
    CHECK(c.l2.sector_misses > 1000);
    CHECK(c.l2.write_backs > 1000);
    CHECK(c.l2.refused_line_allocation > 20);
    CHECK(c.l2.refused_miss_queue > 20);
    CHECK(c.l2.refused_mshr_entry > 20);
    CHECK(c.l2.refused_mshr_merge > 20);
}

TEST_CASE("a request from the other half of the machine takes longer, and one that is nearer passes it") {
    // Cores 0 to 3 and the one channel lie in one half, cores 4 to 7 in the other.
    auto const arrivals = [](std::uint32_t far) {
        random_numbers r(1);
        auto p = random_partition(r);
        p.memory.channels = p.memory.slices = 1;
        p.address_mapping = p.dram.banks == 4 ? "low:S6 C4 B2 R10" : "low:S6 C4 B4 R10";
        p.memory.rop_latency = 10;
        p.memory.far_latency = far;
        p.memory.l2_input_queue = 8;
        dram::address_mapping const map(p.address_mapping.c_str(), 1, 1);
        reference::l2_partition<plain_memory> partition(0, p, 1, 1, 1);
        std::vector<reference::link<packet>> to(1, reference::link<packet>(1, 8));
        std::vector<reference::link<packet>> from(1, reference::link<packet>(1, 8));
        partition.copied(0, map.local(0));
        std::array<tick, 8> at{};
        for (tick t = 0; t < 200; ++t) {
            if (t < 3) { // of core 5, then of 2 and of 6
                packet m;
                m.core = static_cast<std::uint16_t>(t == 0 ? 5 : t == 1 ? 2 : 6);
                m.bytes = 32;
                m.kind = t == 2 ? packet_kind::texture : packet_kind::read;
                to[0].send(t, m);
            }
            partition.tick(t, to, from);
            if (from[0].has_arrived(t)) at[from[0].take(t).core] = t;
        }
        return at;
    };
    auto const one = arrivals(0), two = arrivals(30);
    CHECK(one[5] + 1 == one[2]);
    CHECK(one[6] < one[5]); // a texture has no ROP delay
    CHECK(two[2] == one[2]);
    CHECK(two[5] == one[5] + 30);
    CHECK(two[6] == one[6] + 30);
}

TEST_CASE("a request of a bulk copy has one reply, with the last of its sectors; others have one for each") {
    struct reply {
        tick at = 0;
        std::uint32_t bytes = 0;
    };
    // Of 64 bytes, the sector at `there` being in the L2 beforehand.
    auto const replies_to = [](packet_kind kind, std::uint64_t there) {
        random_numbers r(1);
        auto p = random_partition(r);
        p.memory.channels = p.memory.slices = 1;
        p.address_mapping = p.dram.banks == 4 ? "low:S6 C4 B2 R10" : "low:S6 C4 B4 R10";
        p.l2.line = 128;
        p.l2.sector = 32;
        p.network.flit = 136;
        dram::address_mapping const map(p.address_mapping.c_str(), 1, 1);
        reference::l2_partition<plain_memory> partition(0, p, 1, 1, 1);
        std::vector<reference::link<packet>> to(1, reference::link<packet>(1, 8));
        std::vector<reference::link<packet>> from(1, reference::link<packet>(1, 8));
        partition.copied(0, map.local(there));
        std::vector<reply> made;
        for (tick t = 0; t < 500; ++t) {
            if (t == 0) {
                packet m;
                m.bytes = 64;
                m.kind = kind;
                to[0].send(t, m);
            }
            partition.tick(t, to, from);
            if (!from[0].has_arrived(t)) continue;
            auto const m = from[0].take(t);
            CHECK(m.flits == 1);
            made.push_back({t, m.bytes});
        }
        return made;
    };
    for (std::uint64_t const there : {0, 32, 4096}) {
        auto const each = replies_to(packet_kind::read, there);
        auto const one = replies_to(packet_kind::bulk_read, there);
        REQUIRE(each.size() == 2);
        REQUIRE(one.size() == 1);
        CHECK(each[0].bytes + each[1].bytes == 64);
        CHECK(one[0].bytes == 64);
        CHECK(one[0].at == each[1].at);
    }
}

TEST_CASE("and so does one that somebody listens to") {
    all_agree<memory_with<use::dram_scheduler<dram::fcfs>, use::page_policy<dram::closed_page>,
                          use::dram_observer<command_recorder>, use::l2_observer<recorder>>>(30);
    all_agree<memory_with<use::l2<usual_l2<write_miss::fetch_on_write>>, use::page_policy<dram::timeout_page>,
                          use::dram_observer<recorder>>>(30);
}

TEST_CASE("and one that reads ahead") {
    using at_least = memory_with<use::memory_prefetcher<dram::opportunistic_at_least>>;
    using until_conflict = memory_with<use::memory_prefetcher<dram::opportunistic_until_conflict>>;
    auto c = all_agree<at_least>(40);
    c += all_agree<until_conflict>(40);
    CHECK(c.dram.prefetches > 1000);
    CHECK(c.dram.prefetched_useful > 1000);
    CHECK(c.dram.prefetched_late > 100);
    CHECK(c.dram.prefetched_useless > 100);
}

TEST_CASE("and one whose DRAM scheduler has queues of its own, for reads, writes or each bank") {
    all_agree<memory_with<use::dram_scheduler<dram::bank_queues<>>, use::dram_observer<command_recorder>>>(
        30);
    all_agree<memory_with<use::dram_scheduler<dram::shared_queue<dram::oldest_ready>>,
                          use::dram_observer<command_recorder>>>(30);
}

TEST_CASE("and any kind of L2, or none") {
    static constexpr char const* variants[] = {"",
                                               "fetch_on_write",
                                               "ordered_fetch_on_write",
                                               "write_and_fetch+srrip",
                                               "no_allocate",
                                               "write_through+random",
                                               "streaming+write_through",
                                               "on_fill+write_evict",
                                               "perfect"};
    using any = memory_with<use::l2<with_alternatives<usual_l2<write_miss::lazy_fetch>>>>;
    all_agree<any>(80, true, variants, 9);
    all_agree<memory_with<use::l2<perfect_cache>>>(10);
    all_agree<plain_memory>(20, false);
}
