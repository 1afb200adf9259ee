// A host in C++11.
#include <warpkit/facade/facade.hpp>

#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

using namespace warpkit::facade;

namespace {

int failures = 0;
void check(bool what, int line) {
    if (!what) std::printf("line %d\n", line), ++failures;
}
#define CHECK(what) check(what, __LINE__)

} // namespace

int main() {
    error why;
    // Eight warps under a two-level scheduler of groups of four: the second group goes when the first is blocked.
    scheduler s("two_level:4", &why);
    CHECK(static_cast<bool>(s));
    kernel k;
    k.warp_slots = 8;
    CHECK(s.kernel_began(k, &why));
    s.cta_launched(0, 0, 0xff, 0);
    CHECK(s.pick(0xff) < 4);
    for (unsigned w = 0; w < 4; ++w) s.blocked(w, WARPKIT_BLOCKED_BY_MEMORY);
    CHECK(s.pick(0xf0) >= 4);
    scheduler moved = std::move(s);
    CHECK(!s && moved);
    scheduler const copied = moved.copied(&why);
    CHECK(copied == moved);

    scheduler const wrong("lrrr", &why);
    CHECK(!wrong && std::strstr(why.message, "did you mean lrr?") != nullptr);

    cache l1("lru:sets=4:ways=2", &why);
    CHECK(static_cast<bool>(l1));
    access a;
    a.address = 256;
    for (unsigned i = 0; i < 3; ++i) {
        a.token = i;
        CHECK(l1.access(a).answer == WARPKIT_ANSWER_AT_FILL);
    }
    warpkit_cache_request r;
    CHECK(l1.front_request(r));
    l1.pop_request();
    std::vector<unsigned> tokens;
    CHECK(l1.fill(r.address, [&tokens](unsigned t) { tokens.push_back(t); }));
    CHECK(tokens == (std::vector<unsigned>{0, 1, 2}));
    CHECK(l1.counters().hit_reserved == 2);

    dram_channel d("hbm2_dramsim3:scheduler=bank_queues:page=closed_page:refresh=1", &why);
    CHECK(static_cast<bool>(d));
    dram_request q;
    q.bytes = d.atom_bytes();
    unsigned done = 0;
    std::uint64_t now = 0;
    for (unsigned i = 0; i < 1000; ++i, ++now) {
        q.address = i * 4096ULL;
        q.write = i % 4 == 0;
        while (!d.push(q, now)) d.tick(now++, [&done](std::uint64_t) { ++done; });
        d.tick(now, [&done](std::uint64_t) { ++done; });
    }
    while (done < 1000) d.tick(now++, [&done](std::uint64_t) { ++done; });
    CHECK(d.counters().refreshes > 0);
    CHECK(d.counters().reads + d.counters().writes == 1000);

    replacement p("ship", 16, 4, &why);
    CHECK(static_cast<bool>(p));
    warpkit_line_use by = {64, 8, 0};
    for (unsigned way = 0; way < 4; ++way) p.inserted(0, way, &by);
    CHECK(p.victim(0, 6) - 1 < 2);
    return failures;
}
