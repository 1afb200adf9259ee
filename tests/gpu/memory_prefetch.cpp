// OWL's opportunistic prefetching in a memory partition: what it reads goes into the L2 slice, and is accounted for. The
// protocol checker listens.
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/dram/protocol_checker.hpp>
#include <warpkit/gpu/partition.hpp>

#include "catch.hpp"

#include <vector>

using namespace warpkit;

namespace {

using l2 = presets::owl::policies::l2_cache;
template <class Prefetcher, class L2 = l2>
using tested =
    partition<memory_policies<L2, dram::fr_fcfs, dram::open_page, Prefetcher, dram::protocol_checker>>;

struct outcome {
    dram::channel_counters dram;
    cache_counters l2;
    std::uint64_t answered = 0;
    bool checked = false;
};

/// Reads of 64 bytes, or atomics, at these local addresses of partition 0, one each `gap` ticks.
template <class Prefetcher, class L2 = l2>
outcome read(std::vector<std::uint64_t> const& addresses, tick gap, packet_kind kind = packet_kind::read) {
    auto const p = presets::owl::parameters();
    partition_clocks const clocks{clock_domain(4), clock_domain(2), clock_domain(2)};
    dram::address_mapping const map(p.address_mapping.c_str(), p.memory.channels, p.memory.slices);
    tested<Prefetcher, L2> memory(0, p, clocks);
    warpkit::link<packet> requests(8, 1024);
    warpkit::link<packet> replies(8, 1024);
    outcome o;
    std::size_t next = 0;
    for (tick now = 0; now < 8 * 20'000; now += 8) {
        if (next < addresses.size() && now >= next * gap && requests.credits(now) >= 1) {
            packet q;
            dram::location l;
            l.row = static_cast<std::uint32_t>(addresses[next] >> 13);
            l.bank = static_cast<std::uint32_t>(addresses[next] >> 11 & 3);
            l.column = static_cast<std::uint32_t>(addresses[next] & 2047);
            q.address = map.encode(l);
            q.bytes = 64;
            q.kind = kind;
            q.token = static_cast<std::uint32_t>(next++);
            requests.send(now, q, 1);
        }
        memory.advance(now + 8, map, &requests, &replies);
        requests.exchange();
        replies.exchange();
        while (replies.has_arrived(now + 8)) {
            auto const flits = replies.front().flits;
            ++o.answered;
            replies.pop(now + 8, flits);
        }
    }
    CHECK_NOTHROW(memory.check_dram());
    o.checked = memory.dram_observer().seen() != 0;
    o.dram = memory.dram_counters();
    o.l2 = memory.l2_counters();
    return o;
}

} // namespace

TEST_CASE("a row that one demand opened is in the L2 when the next demands come") {
    std::vector<std::uint64_t> line_by_line;
    for (std::uint64_t i = 0; i < 32; ++i) line_by_line.push_back(i * 64);
    auto const plain = read<dram::no_memory_prefetch>(line_by_line, 4'000);
    auto const ahead = read<dram::opportunistic_at_least>(line_by_line, 4'000);
    CHECK(plain.checked);
    CHECK(ahead.checked);
    CHECK(plain.answered == 32);
    CHECK(ahead.answered == 32);
    CHECK(plain.dram.reads == 32);
    CHECK(plain.dram.prefetches == 0);
    CHECK(ahead.dram.reads == 1);
    CHECK(ahead.dram.prefetches == 31);
    CHECK(ahead.dram.prefetched_useful == 31);
    CHECK(ahead.dram.prefetched_late == 0);
    CHECK(ahead.dram.prefetched_useless == 0);
}

TEST_CASE("each prefetched sector is useful, late, useless, or still there") {
    std::vector<std::uint64_t> mixed;
    std::uint64_t x = 1;
    for (unsigned i = 0; i < 400; ++i) {
        x = x * 6364136223846793005U + 1442695040888963407U;
        mixed.push_back((x >> 40) % 2048 * 64 % (1u << 17)); // 16 rows of 4 banks
    }
    auto const o = read<dram::opportunistic_at_least>(mixed, 40);
    CHECK(o.answered == 400);
    CHECK(o.dram.prefetches > 100);
    CHECK(o.dram.prefetched_useful > 50);
    CHECK(o.dram.prefetched_useful + o.dram.prefetched_late + o.dram.prefetched_useless <= o.dram.prefetches);
    // Demands that the DRAM did not see were hits or joined an outstanding miss.
    CHECK(o.dram.reads + o.dram.prefetched_useful <= 400 + o.dram.prefetched_late);
    auto const first = read<dram::opportunistic_until_conflict>(mixed, 40);
    CHECK(first.answered == 400);
    CHECK(first.dram.prefetches > 0);
}

TEST_CASE("an L2 that writes through sends every change of an atomic on, room or not") {
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t i = 0; i < 600; ++i) addresses.push_back(i * 7 % 100 * 64);
    using through = cache<linear_index, lru, on_miss, write_through<write_miss::no_allocate>>;
    auto const o = read<dram::no_memory_prefetch, through>(addresses, 8, packet_kind::atomic);
    CHECK(o.answered == 600);
    CHECK(o.l2.refused_miss_queue > 0);
    CHECK(o.l2.stores_passed_on == 600);
    CHECK(o.dram.writes == 600);
    auto const kept = read<dram::no_memory_prefetch>(addresses, 8, packet_kind::atomic);
    CHECK(kept.answered == 600);
    CHECK(kept.dram.writes == 0);
}
