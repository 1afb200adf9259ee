// The memory behind the cores' ports by itself, under the protocol checker. OWL's opportunistic prefetching in a
// partition: what it reads goes into the L2 slice, and is accounted for. Conservation: a component that loses something
// is found out.
#include <warpkit/base/heap_array.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/dram/bank_queues.hpp>
#include <warpkit/dram/protocol_checker.hpp>
#include <warpkit/dram/shared_queue.hpp>
#include <warpkit/dram/switchable_observer.hpp>
#include <warpkit/gpu/memory/l2_ports.hpp>
#include <warpkit/gpu/memory/memory_system.hpp>
#include <warpkit/gpu/memory/packet_parts.hpp>
#include <warpkit/gpu/memory/partition.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace warpkit;

namespace {

using l2 = presets::owl::policies::l2_cache;
template <class Prefetcher, class L2 = l2, class Scheduler = dram::fr_fcfs>
using tested = partition<typename presets::gtx480::with<
    use::l2<L2>, use::dram_scheduler<Scheduler>, use::memory_prefetcher<Prefetcher>,
    use::dram_observer<dram::switchable_observer>>::policies::memory>;

struct outcome {
    dram::channel_counters dram;
    cache_counters l2;
    std::uint64_t answered = 0;
    bool checked = false;
    dram::row_sharing rows;
};

/// Reads of 64 bytes, or atomics, or reads and writes in turn, at these local addresses of partition 0, one each `gap`
/// ticks, eight for each CTA.
template <class Prefetcher, class L2 = l2, class Scheduler = dram::fr_fcfs>
outcome read(std::vector<std::uint64_t> const& addresses, tick gap,
             gpu_parameters p = presets::owl::parameters(), std::vector<std::uint32_t> const& ctas = {},
             packet_kind kind = packet_kind::read) {
    p.dram_checker = "on";
    p.row_sharing = ctas.empty() ? "" : "on";
    partition_clocks const clocks{clock_domain(4), clock_domain(2), clock_domain(2)};
    dram::address_mapping const map(p.address_mapping.c_str(), p.memory.channels, p.memory.slices);
    tested<Prefetcher, L2, Scheduler> memory(0, p, clocks);
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
            q.cta = ctas.empty() ? no_cta : ctas[next / 8];
            q.kind = kind == packet_kind::write && next % 2 == 0 ? packet_kind::read : kind;
            q.token = static_cast<std::uint32_t>(next++);
            requests.send(now, q, 1);
        }
        memory.advance(now + 8, map, &requests, &replies);
        replies.look();
        while (replies.has_arrived(now + 8)) {
            auto const flits = replies.front().flits;
            ++o.answered;
            replies.pop(now + 8, flits);
        }
    }
    CHECK_NOTHROW(memory.check_dram());
    CHECK(memory.conserved().broken() == "");
    o.checked = memory.dram_observer().seen() != 0;
    o.dram = memory.dram_counters(8 * 20'000);
    o.l2 = memory.l2_counters(8 * 20'000);
    memory.add_to(o.rows);
    return o;
}

} // namespace

TEST_CASE("a packet is served in parts that lie in one sector each, and whose replies add up to it") {
    dram::address_mapping const map(presets::gtx480::parameters().address_mapping.c_str(), 6, 2);
    part_numbers const numbers(32, 32);
    std::uint64_t state = 1;
    auto const random = [&state](std::uint64_t below) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return (state >> 33) % below;
    };
    bool cut_right = true;
    for (int i = 0; i < 50'000; ++i) {
        packet p;
        p.kind = random(2) == 0 ? packet_kind::read : packet_kind::write;
        auto const begin = random(128);
        p.address = random(1 << 20) * 128 + begin;
        p.bytes = static_cast<std::uint32_t>(1 + random(128 - begin));
        std::uint32_t want = 0; // sectors with a byte that is read or written
        bool const partly = p.kind == packet_kind::write && random(2) == 0;
        bool written[128] = {};
        for (auto b = begin; b < begin + p.bytes; ++b) {
            written[b] = !partly || random(8) == 0;
            if (partly && written[b]) p.written[b / 64] |= std::uint64_t{1} << b % 64;
        }
        if (partly && (p.written[0] | p.written[1]) == 0) continue;
        for (std::uint32_t sector = 0; sector < 4; ++sector)
            for (std::uint32_t b = 0; b < 32; ++b)
                if (written[sector * 32 + b]) {
                    ++want;
                    break;
                }
        packet_parts parts;
        std::uint32_t seen = 0;
        std::uint32_t answered = 0;
        parts.look_at(p, 7, true, numbers, map);
        do {
            auto const& a = parts.access;
            cut_right &= parts.reply.slice == 7 && parts.reply.address >= p.address;
            cut_right &= parts.reply.address / 32 == (parts.reply.address + a.bytes - 1) / 32;
            cut_right &= a.address == map.local(parts.reply.address);
            cut_right &= parts.reply.flits == numbers.reply_flits(parts.reply);
            ++seen;
            answered += parts.reply.bytes;
        } while (parts.go_on(p, numbers, map));
        cut_right &= seen == want && answered == p.bytes && !parts.looked_at;
    }
    CHECK(cut_right);
}

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

TEST_CASE("an L2 that writes through sends every change of an atomic on, room or not") {
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t i = 0; i < 600; ++i) addresses.push_back(i * 7 % 100 * 64);
    using through = cache<linear_index, lru, on_miss, write_through<write_miss::no_allocate>>;
    auto const p = presets::owl::parameters();
    auto const o = read<dram::no_memory_prefetch, through>(addresses, 8, p, {}, packet_kind::atomic);
    CHECK(o.answered == 600);
    CHECK(o.l2.refused_miss_queue > 0);
    CHECK(o.l2.stores_passed_on == 600);
    CHECK(o.dram.writes == 600);
    auto const kept = read<dram::no_memory_prefetch>(addresses, 8, p, {}, packet_kind::atomic);
    CHECK(kept.answered == 600);
    CHECK(kept.dram.writes == 0);
}

TEST_CASE("without an L2, a partition that nobody takes answers from holds what its queues have room for") {
    auto p = presets::owl::parameters();
    p.l2.size = 0;
    p.l2.mshr_entries = 5;
    p.l2.mshr_merges = 3;
    p.memory.rop_latency =
        0; // what is on its way through the ROP depends on when the queue behind it was full
    auto const& m = p.memory;
    auto const flits = (8 + 64 + p.network.flit - 1) / p.network.flit;
    partition_clocks const clocks{clock_domain(4), clock_domain(2), clock_domain(2)};
    dram::address_mapping const map(p.address_mapping.c_str(), m.channels, m.slices);
    REQUIRE(m.slices == 1);
    tested<dram::no_memory_prefetch> memory(0, p, clocks);
    warpkit::link<packet> requests(8, 1024);
    warpkit::link<packet> replies(8, 2 * flits); // two answers
    std::uint32_t asked = 0;
    for (tick now = 0; now < 8 * 20'000; now += 8) {
        if (requests.credits(now) >= 1) {
            packet q;
            q.address = map.encode({.row = asked / 32, .column = asked % 32 * 64});
            q.bytes = 64;
            q.token = asked++;
            requests.send(now, q, 1);
        }
        memory.advance(now + 8, map, &requests, &replies);
    }
    auto const in_front_of_dram = m.l2_input_queue + m.l2_to_dram_queue;
    auto const in_dram = m.dram_queue + m.dram_return_queue;
    // Answers whose data has come wait in the places that the waiters of all MSHRs and one more would need.
    auto const come = m.dram_to_l2_queue + (p.l2.mshr_entries * p.l2.mshr_merges + 1) + m.l2_output_queue + 2;
    CHECK(requests.taken() == in_front_of_dram + in_dram + come);
}

TEST_CASE("controllers that answer from their write queue move fewer bursts than they were asked for") {
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t i = 0; i < 600; ++i) addresses.push_back(i * 7 % 40 * 64); // each is soon used again
    auto p = presets::owl::parameters();
    p.l2.size = 0;
    auto const all = [&](outcome const& o) {
        CHECK(o.answered == 600);
        CHECK(o.dram.reads + o.dram.writes == 600);
        return o.dram.read_atoms + o.dram.write_atoms;
    };
    using none = dram::no_memory_prefetch;
    auto const moved = all(read<none>(addresses, 8, p, {}, packet_kind::write));
    CHECK(all(read<none, l2, dram::shared_queue<dram::oldest_ready>>(addresses, 8, p, {},
                                                                     packet_kind::write)) < moved);
    CHECK(all(read<none, l2, dram::bank_queues<>>(addresses, 8, p, {}, packet_kind::write)) < moved);
}

TEST_CASE("which CTAs share rows is seen where the L2 misses (OWL's table 4)") {
    std::vector<std::uint64_t> lines;
    for (std::uint64_t i = 0; i < 64; ++i) lines.push_back(i * 64 + (i < 32 ? 0 : 1 << 13)); // two rows
    for (std::uint64_t i = 0; i < 8; ++i) lines.push_back(i * 64);                           // hits
    auto const rows =
        read<dram::no_memory_prefetch>(lines, 400, presets::owl::parameters(), {0, 1, 2, 5, 6, 8, 10, 12, 99})
            .rows;
    CHECK(rows.rows() == 2);
    CHECK(rows.ctas_per_row() == 4);
    CHECK(rows.consecutive_share() == (0.75 + 0) / 2);
    CHECK(read<dram::no_memory_prefetch>(lines, 400).rows.rows() == 0);
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
    // The two schemes differ by what the second reads in any case.
    auto p = presets::owl::parameters();
    p.memory.prefetch_lower = p.memory.prefetch_higher = 0;
    CHECK(read<dram::opportunistic_at_least>(mixed, 40, p).dram == first.dram);
}

TEST_CASE("lines that the L2 has, or has asked for, are not read ahead; the paper may be taken at its word") {
    std::vector<std::uint64_t> twice; // two rows of one bank in turns: each is opened again and again
    for (std::uint64_t i = 0; i < 32; ++i)
        for (std::uint64_t row = 0; row < 2; ++row) twice.push_back(row << 13 | i * 64);
    auto p = presets::owl::parameters();
    auto const skips = read<dram::opportunistic_at_least>(twice, 20, p);
    p.memory.prefetch_skips_resident = 0;
    auto const reads = read<dram::opportunistic_at_least>(twice, 20, p);
    // At most the line being read, when its demand comes, is read twice.
    CHECK(skips.dram.reads + skips.dram.prefetches == 64 + skips.dram.prefetched_late);
    CHECK(skips.dram.prefetched_late <= 2);
    CHECK(skips.dram.prefetched_useless == 0);
    CHECK(reads.dram.reads + reads.dram.prefetches > 64 + 10);
    CHECK(reads.dram.prefetched_late + reads.dram.prefetched_useless > 10);
}

namespace {

enum class fault {
    none,
    packet_lost,
    packet_doubled,
    bytes_changed,
    flits_miscounted,
    credit_lost,
    write_back_lost,
    fetch_written,
    burst_lost
};
fault present = fault::none;

/// Takes all that comes to where it goes, in no time; the seventh write suffers from the fault.
class faulty_interconnect {
public:
    faulty_interconnect() = default;
    faulty_interconnect(gpu_parameters const&, clock_domain, bool towards_memory)
        : towards_memory_(towards_memory) {}
    bool advance(tick end, warpkit::heap_array<warpkit::link<packet>>& in,
                 warpkit::heap_array<warpkit::link<packet>>& out) {
        auto const now = end - 1;
        for (auto& from : in)
            for (; from.has_arrived(now); from.pop(now, credit(from.front()))) {
                auto p = from.front();
                auto& to = out[towards_memory_ ? p.slice : p.core];
                if (to.credits(now) < 2) break;
                ill_ = towards_memory_ && p.kind == packet_kind::write && ++writes_ == 7;
                ++counters_.packets;
                counters_.flits += p.flits + ill(fault::flits_miscounted);
                if (ill(fault::packet_lost)) continue;
                p.bytes -= ill(fault::bytes_changed) ? 32 : 0;
                to.send(now, p, 1);
                if (ill(fault::packet_doubled)) to.send(now, p, 1);
            }
        return true;
    }
    static bool idle() noexcept { return true; }
    noc::network_counters const& counters() const noexcept { return counters_; }

private:
    bool ill(fault f) const noexcept { return ill_ && present == f; }
    std::uint32_t credit(packet const& p) const noexcept { return p.flits - ill(fault::credit_lost); }

    bool towards_memory_ = true;
    bool ill_ = false;
    unsigned writes_ = 0;
    noc::network_counters counters_;
};
struct faulty_network {
    static constexpr char const* name() noexcept { return "faulty"; }
    using interconnect = faulty_interconnect;
};
struct faulty_l2 : l2 {
    using l2::l2;
    void pop_request() {
        l2::pop_request();
        if (present == fault::write_back_lost && has_request() &&
            front_request().kind == lower_kind::write_back)
            l2::pop_request();
        ++popped_;
    }
    lower_request front_request() const {
        auto r = l2::front_request();
        if (present == fault::fetch_written && popped_ == 7 && r.kind == lower_kind::fetch)
            r.kind = lower_kind::store;
        return r;
    }
    unsigned popped_ = 0;
};
struct faulty_scheduler : dram::fr_fcfs {
    using basic_fr_fcfs::basic_fr_fcfs;
    dram::request take(unsigned bank, std::uint32_t row) noexcept {
        auto r = basic_fr_fcfs::take(bank, row);
        if (present == fault::burst_lost && ++taken_ == 7) r.atoms = 1;
        return r;
    }
    unsigned taken_ = 0;
};

/// Reads and writes through a whole memory system; what its laws say at the end.
std::string broken_law(fault f) {
    present = f;
    auto p = presets::owl::parameters();
    p.l2.size = 16384; // some lines are evicted
    using faulty =
        presets::gtx480::with<use::l2<faulty_l2>, use::dram_scheduler<faulty_scheduler>,
                              use::memory_prefetcher<dram::opportunistic_at_least>,
                              use::dram_observer<dram::protocol_checker>, use::network<faulty_network>>;
    memory_system<faulty::policies::memory> memory(p, 10'400'000); // kHz, which all its clocks divide
    auto const ports = memory.ports();
    traffic sent;
    std::uint64_t received = 0;
    std::uint64_t x = 1;
    unsigned left = 3000;
    tick now = 0;
    for (unsigned after = 0; after < 2000; after += left == 0, now += memory.latency()) {
        auto const core = static_cast<std::uint16_t>((x >> 20) % p.core.count);
        auto& requests = ports.from_core[core];
        if (left != 0 && requests.credits(now) >= 3) {
            x = x * 6364136223846793005U + 1442695040888963407U;
            packet q;
            q.address = (x >> 40) % 4096 * 64;
            q.bytes = 64;
            q.core = core;
            q.slice = static_cast<std::uint16_t>(memory.map().sub_partition(q.address));
            q.kind = (x >> 33) % 3 == 0 ? packet_kind::write : packet_kind::read;
            q.token = q.kind == packet_kind::write && (x >> 35) % 2 == 0 ? no_token : 0;
            q.flits = static_cast<std::uint16_t>((request_bytes(q) + p.network.flit - 1) / p.network.flit);
            sent.count(q);
            requests.send(now, q, q.flits);
            --left;
        }
        for (unsigned c = 0; c < memory.components(); ++c) memory.advance(c, now + memory.latency(), ports);
        memory.look();
        for (unsigned c = 0; c < p.core.count; ++c)
            for (auto& replies = ports.to_core[c]; replies.has_arrived(now + memory.latency());
                 replies.pop(now + memory.latency(), 1))
                received += replies.front().bytes;
    }
    return memory.conserved(sent, received).broken();
}

} // namespace

TEST_CASE("whatever is lost on links, in networks, slices or on a DRAM bus is found out") {
    std::map<fault, std::string> const laws = {
        {fault::packet_lost, "requests: packets from the network to links"},
        {fault::packet_doubled, "requests: packets from the network to links"},
        {fault::bytes_changed, "requests: bytes from end to end"},
        {fault::flits_miscounted, "requests: flits"},
        {fault::credit_lost, "credits of a link from a core"},
        {fault::write_back_lost, "writes from L2 to DRAM"},
        {fault::fetch_written, "MSHRs that wait for the DRAM"},
        {fault::burst_lost, "bursts"},
    };
    CHECK(broken_law(fault::none) == "");
    for (auto const& [f, law] : laws) {
        CHECK_THAT(broken_law(f), Catch::Contains(law));
    }
    present = fault::none;
}

namespace {

/// Two links to which the same happens. The windows of both have as many ticks as their latency.
struct twin_links {
    warpkit::link<packet> a, b;
    twin_links(tick latency, std::uint32_t credits) : a(latency, credits), b(latency, credits) {}
    /// Whether elements number `first` to `last` are there, or their credits back, at the same ticks.
    bool same(std::uint64_t first, std::uint64_t last) const {
        for (; first != last; ++first)
            if (a.place_of(first).at != b.place_of(first).at) return false;
        return true;
    }
};

/// What a request_port does, cycle by cycle: a list in the order in which the L2 may take what waits.
struct naive_request_port {
    std::vector<delayed_packet> waiting;
    std::size_t places = 1;
    unsigned rop = 0, far = 0;
    std::pair<std::uint32_t, std::uint32_t> near;

    bool has(tick now) const { return !waiting.empty() && waiting.front().ready <= now; }
    bool full(tick now, clock_domain const& clock) const {
        auto const queued = std::count_if(waiting.begin(), waiting.end(),
                                          [&](auto const& w) { return w.ready <= now + clock.period(); });
        return static_cast<std::size_t>(queued) >= places;
    }
    void cycle(tick now, clock_domain const& clock, warpkit::link<packet>& from) {
        if (!from.has_arrived(now) || full(now, clock)) return;
        auto const p = from.front();
        from.pop(now, 1);
        auto cycles = p.kind == packet_kind::texture ? 0 : std::max(rop, 1U);
        if (p.core < near.first || p.core >= near.second) cycles += far;
        auto const ready = now + clock.at(cycles + 1);
        auto const before =
            std::find_if(waiting.begin(), waiting.end(), [&](auto const& w) { return w.ready > ready; });
        waiting.insert(before, {ready, p});
    }
};

} // namespace

TEST_CASE("requests come in by windows when they would by cycles, whatever the L2 takes meanwhile") {
    testing::random_numbers r(7);
    unsigned wrong = 0, textures = 0, full = 0;
    for (unsigned machine = 0; machine < 300; ++machine) {
        clock_domain const clock(1 + r.below(6));
        auto const window = 1 + r.below(20);
        twin_links links(window, 1 + r.below(8));
        auto const rop = r.chance(30) ? 0 : r.below(12);
        naive_request_port twin;
        twin.places = 1 + r.below(5);
        twin.rop = rop;
        twin.far = r.chance(50) ? 0 : r.below(8);
        twin.near = {r.below(4), 4 + r.below(4)};
        request_port port(rop, static_cast<std::uint32_t>(twin.places), clock, twin.far, twin.near);
        auto const busy = r.below(101), sends = r.below(101), texture = r.chance(50) ? r.below(60) : 0;
        std::uint32_t token = 0;
        for (tick begin = 0; begin < 200 * window; begin += window) {
            auto const end = begin + window;
            auto const before = links.b.taken();
            links.a.look(end);
            links.b.look(end);
            port.look(links.a, end);
            for (auto now = clock.of(clock.first_at_or_after(begin)); now < end; now += clock.period()) {
                bool const ready = port.ready() <= now;
                wrong += ready != twin.has(now);
                if (ready && twin.has(now) && r.chance(busy)) {
                    wrong += port.front() != twin.waiting.front().content;
                    port.pop();
                    twin.waiting.erase(twin.waiting.begin());
                }
                twin.cycle(now, clock, links.b);
                if (port.lags()) port.take_in(now, links.a);
                full += twin.full(now, clock);
            }
            wrong += links.a.taken() != links.b.taken() || !links.same(before, links.b.taken());
            for (auto now = begin; now < end; ++now)
                if (r.chance(sends) && links.a.credits(now) != 0 && links.b.credits(now) != 0) {
                    packet p;
                    p.token = ++token;
                    p.core = static_cast<std::uint16_t>(r.below(8));
                    if (r.chance(texture)) p.kind = packet_kind::texture;
                    textures += p.kind == packet_kind::texture;
                    links.a.send(now, p, 1);
                    links.b.send(now, p, 1);
                }
        }
    }
    CHECK(wrong == 0);
    CHECK(textures > 1000);
    CHECK(full > 1000);
}

TEST_CASE("answers leave by windows when they would by cycles") {
    testing::random_numbers r(8);
    unsigned wrong = 0, full = 0, lacking = 0;
    for (unsigned machine = 0; machine < 300; ++machine) {
        clock_domain const clock(1 + r.below(6));
        auto const window = 1 + r.below(20);
        twin_links links(window, 4 + r.below(8));
        auto const places = 1 + r.below(5);
        reply_port port(64, places, clock);
        std::vector<packet> twin, coming;
        std::uint64_t checked = 0; // of those that were sent
        auto const answers = r.below(101), data = r.below(101), taken = 1 + r.below(100);
        for (tick begin = 0; begin < 200 * window; begin += window) {
            auto const end = begin + window;
            port.let_leave(end, links.a);
            for (auto now = clock.of(clock.first_at_or_after(begin)); now < end; now += clock.period()) {
                auto const next = now + clock.period();
                if (!twin.empty()) {
                    auto const flits = twin.front().flits;
                    if (links.b.can_send(now, flits)) {
                        links.b.send(now, twin.front(), flits);
                        twin.erase(twin.begin());
                    } else {
                        ++lacking;
                    }
                }
                auto const room = [&] {
                    bool const has = port.has_room(now);
                    wrong += has != (twin.size() < places);
                    full += !has;
                    return has && twin.size() < places;
                };
                if (port.has_data() && room()) {
                    twin.push_back(coming.front());
                    coming.erase(coming.begin());
                    port.data_leave(next, links.a, end);
                }
                packet p;
                p.token = static_cast<std::uint32_t>(now);
                p.flits = static_cast<std::uint16_t>(1 + r.below(4));
                if (r.chance(answers) && room()) {
                    twin.push_back(p);
                    port.answer(p, next, links.a, end);
                }
                if (port.has_room_for_data() && r.chance(data)) {
                    auto const place = port.free_place();
                    port.answer_at(place, p);
                    port.data_came(place);
                    coming.push_back(p);
                }
            }
            // Those that leave behind the window may have been sent already.
            wrong += links.a.sent() < links.b.sent() || !links.same(checked, links.b.sent());
            checked = links.b.sent();
            for (auto* l : {&links.a, &links.b}) l->look(end);
            for (auto now = begin; now < end; ++now)
                if (r.chance(taken) && links.a.has_arrived(now) && links.b.has_arrived(now)) {
                    wrong += links.a.front() != links.b.front();
                    for (auto* l : {&links.a, &links.b}) l->pop(now, l->first().cost);
                }
        }
    }
    CHECK(wrong == 0);
    CHECK(full > 1000);
    CHECK(lacking > 1000);
}

TEST_CASE("a channel that counts demands which no slice has says so, and does not look for them for ever",
          "[gpu]") {
    using P = presets::gtx480::policies::memory;
    auto p = presets::gtx480::parameters();
    dram::address_mapping const map(p.address_mapping.c_str(), p.memory.channels, p.memory.slices);
    clock_domain const clock(1);
    l2_side<P> slices(0, p, clock);
    dram_side<P> side(p, clock, clock);
    side.asking() = {.count = 3, .more = true};
    side.slices_went_on(0);
    CHECK_THROWS_WITH(side.cycle_due(slices, map, 100),
                      Catch::Contains("a DRAM channel counts 3 demands of its slices, which have none"));
}
