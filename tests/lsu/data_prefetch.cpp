// Data prefetchers: what they foresee, by hand, and their naive twins.
#include <warpkit/base/policy_text.hpp>
#include <warpkit/lsu/many_thread_aware_prefetch.hpp>
#include <warpkit/lsu/no_data_prefetch.hpp>
#include <warpkit/lsu/one_data_prefetch.hpp>
#include <warpkit/lsu/per_warp_stride.hpp>
#include <warpkit/lsu/stride_chain.hpp>

#include "catch.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

using namespace warpkit;

static_assert(data_prefetch<per_warp_stride_of<>> && data_prefetch<many_thread_aware_prefetch_of<>> &&
              data_prefetch<stride_chain_of<>>);
static_assert(data_prefetch<one_data_prefetch<no_data_prefetch, per_warp_stride_of<>>>);

namespace {} // namespace

/// The least that one is, as docs/reference/lsu.md has it.
struct next_block {
    static constexpr char const* name() noexcept { return "next_block"; }
    std::uint32_t queue() const noexcept { return 8; }
    template <class Ask>
    void seen(load_seen const&, prefetch_record const&, Ask const& ask) const {
        ask(128);
    }
    friend bool operator==(next_block const&, next_block const&) = default;
};
static_assert(check_data_prefetch<next_block>());

namespace {

using offsets = std::vector<std::int64_t>;

template <class P>
offsets seen(P& p, std::uint32_t pc, unsigned warp, std::uint64_t address, cycle at = 0,
             prefetch_record const& r = {}) {
    offsets all;
    p.seen(load_seen{warp_slot{warp}, pc, address, at}, r, [&](std::int64_t o) { all.push_back(o); });
    return all;
}

/// A table that keeps the `most` keys that were used last.
template <class Key, class Value>
class naive_table {
public:
    explicit naive_table(std::size_t most) : most_(most) {}
    Value* find(Key const& k) {
        for (std::size_t i = 0; i < entries_.size(); ++i)
            if (entries_[i].first == k) {
                auto const e = entries_[i];
                entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
                entries_.push_back(e);
                return &entries_.back().second;
            }
        return nullptr;
    }
    void insert(Key const& k, Value const& v) {
        if (entries_.size() == most_) entries_.pop_front();
        entries_.push_back({k, v});
    }
    std::deque<std::pair<Key, Value>> entries_;

private:
    std::size_t most_;
};

/// The addresses that an instruction of a warp had lately, from which all follows.
using history = std::vector<std::uint64_t>;
bool same_twice(history const& h) {
    if (h.size() < 3) return false;
    auto const n = h.size();
    auto const a = static_cast<std::int64_t>(h[n - 1] - h[n - 2]);
    return a != 0 && a >= -524288 && a < 524288 && a == static_cast<std::int64_t>(h[n - 2] - h[n - 3]);
}
std::int64_t last_stride(history const& h) {
    return static_cast<std::int64_t>(h[h.size() - 1] - h[h.size() - 2]);
}

class naive_per_warp {
public:
    explicit naive_per_warp(stride_numbers n) : n_(n), table_(n.entries) {}
    offsets seen(std::uint32_t pc, unsigned warp, std::uint64_t address) {
        auto* const h = table_.find({pc, warp});
        if (h == nullptr) {
            table_.insert({pc, warp}, {address});
            return {};
        }
        h->push_back(address);
        offsets all;
        if (same_twice(*h))
            for (unsigned i = 0; i < n_.degree; ++i) all.push_back(last_stride(*h) * (n_.distance + i));
        return all;
    }

private:
    stride_numbers n_;
    naive_table<std::pair<std::uint32_t, unsigned>, history> table_;
};

class naive_many_thread_aware {
    /// Who executed an instruction last, where, and the strides from slot to slot so far; none where it was uneven.
    struct visits {
        unsigned warp;
        std::uint64_t address;
        std::vector<std::optional<std::int64_t>> strides;
    };

public:
    explicit naive_many_thread_aware(many_thread_aware_numbers n)
        : n_(n),
          per_warp_(n.per_warp),
          global_(n.global),
          between_(n.between) {}
    offsets seen(std::uint32_t pc, unsigned warp, std::uint64_t address) {
        auto const* const g = global_.find(pc);
        auto const ip = between(pc, warp, address);
        if (g != nullptr) return {*g * n_.distance};
        if (ip != 0) return {ip * n_.distance};
        auto* const h = per_warp_.find({pc, warp});
        if (h == nullptr) {
            per_warp_.insert({pc, warp}, {address});
            return {};
        }
        h->push_back(address);
        if (!same_twice(*h)) return {};
        auto const stride = last_stride(*h);
        unsigned agree = 0;
        for (auto const& [key, other] : per_warp_.entries_)
            agree += key.first == pc && same_twice(other) && last_stride(other) == stride;
        if (agree >= 3) {
            global_.insert(pc, stride);
            std::erase_if(per_warp_.entries_, [&](auto const& e) { return e.first.first == pc; });
        }
        return {stride * n_.distance};
    }

private:
    /// The stride from slot to slot, if the last two were the same; else 0.
    std::int64_t between(std::uint32_t pc, unsigned warp, std::uint64_t address) {
        auto* const v = between_.find(pc);
        if (v == nullptr) {
            between_.insert(pc, {warp, address, {}});
            return 0;
        }
        if (warp != v->warp) {
            auto const moved = static_cast<std::int64_t>(address - v->address);
            auto const slots = static_cast<int>(warp) - static_cast<int>(v->warp);
            v->strides.push_back(moved % slots == 0 ? std::optional(moved / slots) : std::nullopt);
        }
        v->warp = warp;
        v->address = address;
        auto const n = v->strides.size();
        if (n < 2 || !v->strides[n - 1] || v->strides[n - 1] != v->strides[n - 2]) return 0;
        auto const stride = *v->strides[n - 1];
        return stride >= -524288 && stride < 524288 ? stride : 0;
    }

    many_thread_aware_numbers n_;
    naive_table<std::pair<std::uint32_t, unsigned>, history> per_warp_;
    naive_table<std::uint32_t, std::int64_t> global_;
    naive_table<std::uint32_t, visits> between_;
};

/// All that warps did from one load to the next, of which the last `agree` decide.
class naive_stride_chain {
public:
    explicit naive_stride_chain(stride_chain_numbers n) : n_(n), heads_(n.heads), links_(n.links) {}
    offsets seen(std::uint32_t pc, unsigned warp, std::uint64_t address) {
        if (auto* const last = heads_.find(warp); last == nullptr) {
            heads_.insert(warp, {pc, address});
        } else {
            auto const [from, before] = std::exchange(*last, {pc, address});
            auto const stride = static_cast<std::int64_t>(address - before);
            auto* const known = links_.find(from);
            if (stride >= -524288 && stride < 524288) {
                if (known == nullptr)
                    links_.insert(from, {{pc, stride}});
                else
                    known->push_back({pc, stride});
            } else if (known != nullptr) {
                known->push_back({0xffffffff, 0}); // a step to nowhere
            }
        }
        offsets all;
        std::int64_t sum = 0;
        for (unsigned i = 0; i < n_.length; ++i) {
            auto const* const steps = links_.find(pc);
            if (steps == nullptr || !agree(*steps)) break;
            sum += steps->back().second;
            if (sum != 0) all.push_back(sum);
            pc = steps->back().first;
        }
        return all;
    }
    void exits(unsigned warp) {
        std::erase_if(heads_.entries_, [&](auto const& h) { return h.first == warp; });
    }

private:
    using step = std::pair<std::uint32_t, std::int64_t>;
    bool agree(std::vector<step> const& s) const {
        if (s.size() < n_.agree || s.back().first == 0xffffffff) return false;
        for (std::size_t i = 1; i <= n_.agree; ++i)
            if (s[s.size() - i] != s.back()) return false;
        return true;
    }

    stride_chain_numbers n_;
    naive_table<unsigned, std::pair<std::uint32_t, std::uint64_t>> heads_;
    naive_table<std::uint32_t, std::vector<step>> links_;
};

/// Loads of a few instructions and warps: strides, now and then another one, and noise.
template <class F>
void random_loads(unsigned seed, F f) {
    std::mt19937_64 random(seed);
    std::map<std::pair<std::uint32_t, unsigned>, std::uint64_t> at;
    std::map<std::uint32_t, std::uint64_t> stride;
    auto const below = [&](std::uint64_t n) { return random() % n; };
    auto const warps = 1 + below(12), instructions = 1 + below(12);
    for (unsigned i = 0; i < 3000; ++i) {
        auto const pc = static_cast<std::uint32_t>(8 * below(instructions));
        auto const warp = static_cast<unsigned>(below(warps));
        if (stride.count(pc) == 0 || below(100) == 0)
            stride[pc] = (below(40) - 20) * 128 << (below(10) == 0 ? 14 : 0);
        auto& a = at.try_emplace({pc, warp}, 0xC0000000 + warp * (pc % 16 == 0 ? 256 : 100)).first->second;
        a += below(30) == 0 ? below(5000) : stride[pc];
        f(pc, warp, a);
    }
}

} // namespace

TEST_CASE("per_warp_stride: the same stride twice in a row, each warp for itself") {
    per_warp_stride p;
    CHECK(seen(p, 8, 0, 1000).empty());
    CHECK(seen(p, 8, 0, 1128).empty());
    CHECK(seen(p, 8, 1, 5000).empty());  // another warp
    CHECK(seen(p, 16, 0, 9000).empty()); // another instruction
    CHECK(seen(p, 8, 0, 1256) == offsets{128});
    CHECK(seen(p, 8, 0, 1384) == offsets{128});
    CHECK(seen(p, 8, 0, 1384).empty()); // no stride
    CHECK(seen(p, 8, 0, 1384).empty());
    CHECK(seen(p, 8, 0, 384).empty());
    CHECK(seen(p, 8, 0, std::uint64_t{384} - 1000) == offsets{-1000});
    p.on(kernel_began{});
    CHECK(seen(p, 8, 0, std::uint64_t{384} - 2000).empty());
    auto far = policy_with<per_warp_stride_of<>>("per_warp_stride:distance=4:degree=2");
    seen(far, 8, 0, 0);
    seen(far, 8, 0, 100);
    CHECK(seen(far, 8, 0, 200) == offsets{400, 500});
}

TEST_CASE("many_thread_aware_prefetch: three warps that agree promote a stride to all") {
    auto p = policy_with<many_thread_aware_prefetch_of<>>("many_thread_aware_prefetch:period=0");
    // Warps at places that say nothing of each other's, each with a stride of 512.
    std::uint64_t const begin[] = {0, 100'000, 110'000, 500'000, 510'500, 3'000'000};
    for (unsigned warp : {0U, 1U, 2U}) {
        CHECK(seen(p, 8, warp, begin[warp]).empty());
        CHECK(seen(p, 8, warp, begin[warp] + 512).empty());
        CHECK(seen(p, 8, warp, begin[warp] + 1024) == offsets{512});
    }
    CHECK(seen(p, 8, 3, begin[3]) == offsets{512}); // untrained
    CHECK(seen(p, 16, 3, begin[3]).empty());
}

TEST_CASE("many_thread_aware_prefetch: three warps in a row prefetch for those behind them") {
    auto p = policy_with<many_thread_aware_prefetch_of<>>("many_thread_aware_prefetch:period=0:distance=3");
    CHECK(seen(p, 8, 4, 1000).empty());
    CHECK(seen(p, 8, 5, 1128).empty());
    CHECK(seen(p, 8, 7, 1384) == offsets{384}); // two slots on, twice as far
    CHECK(seen(p, 8, 6, 1256) == offsets{384});
    CHECK(seen(p, 8, 8, 9999).empty());
}

TEST_CASE("many_thread_aware_prefetch: the throttle") {
    many_thread_aware_prefetch p;
    CHECK(p.throttle() == 2);
    prefetch_record r;
    cycle now = 0;
    auto const period = [&](std::uint64_t useful, std::uint64_t useless, std::uint64_t merges,
                            std::uint64_t requests) {
        r.useful += useful;
        r.useless += useless;
        r.merges += merges;
        r.requests += requests;
        seen(p, 8, 0, 0, now += 100'000, r);
        return p.throttle();
    };
    CHECK(period(1000, 0, 400, 1000) == 1); // 20 % merges: (0 + 40) / 2
    CHECK(period(1000, 0, 400, 1000) == 0);
    CHECK(period(1000, 0, 400, 1000) == 0);
    CHECK(period(1000, 0, 0, 1000) == 0);     // 17.5 %
    CHECK(period(1000, 0, 0, 1000) == 1);     // 8.75 %
    CHECK(period(1000, 24, 0, 1000) == 2);    // 1.2 % early
    CHECK(period(1000, 100, 500, 1000) == 5); // 5.6 %
    CHECK(period(1000, 0, 500, 1000) == 5);   // 2.8 %
    CHECK(period(1000, 0, 500, 1000) == 5);   // 1.4 %
    CHECK(period(1000, 0, 500, 1000) == 4);
    now += 99'999;
    seen(p, 8, 0, 0, now, {});
    CHECK(p.throttle() == 4);
}

TEST_CASE("many_thread_aware_prefetch: the throttle at its thresholds: 2 % and 1 % early, 15 % merged") {
    // Half of what the first period has; of a throttle of 2.
    auto const after = [](std::uint64_t useful, std::uint64_t useless, std::uint64_t merges) {
        many_thread_aware_prefetch p;
        prefetch_record r;
        r.useful = useful;
        r.useless = useless;
        r.merges = merges;
        r.requests = 1000;
        seen(p, 8, 0, 0, 100'000, r);
        return p.throttle();
    };
    CHECK(after(1000, 42, 1000) == 5);
    CHECK(after(1000, 40, 1000) == 3); // 2 % is not above 2 %
    CHECK(after(1000, 20, 1000) == 3);
    CHECK(after(1000, 18, 1000) == 1);
    CHECK(after(1000, 0, 300) == 3);
    CHECK(after(1000, 0, 302) == 1);
    CHECK(after(0, 1, 1000) == 5); // none was useful
    CHECK(after(0, 0, 1000) == 1);
    many_thread_aware_prefetch p; // no sooner than a period has gone by
    prefetch_record early;
    early.useless = 1000;
    seen(p, 8, 0, 0, 99'999, early);
    CHECK(p.throttle() == 2);
    seen(p, 8, 0, 0, 100'000, early);
    CHECK(p.throttle() == 5);
}

TEST_CASE("many_thread_aware_prefetch: a throttle of two leaves out two of five") {
    many_thread_aware_prefetch p;
    unsigned asked = 0;
    for (std::uint64_t i = 0; i < 1002; ++i) asked += static_cast<unsigned>(seen(p, 8, 0, i * 128).size());
    CHECK(asked == 600);
}

TEST_CASE("stride_chain: a link that three loads agree on is followed, from one to the next") {
    stride_chain p;
    // Records of 4096 bytes: fields at 0, 1024 and 1536, then the next record.
    auto const record = [&](unsigned warp, std::uint64_t at, offsets first, offsets second, offsets third) {
        CHECK(seen(p, 8, warp, at) == first);
        CHECK(seen(p, 16, warp, at + 1024) == second);
        CHECK(seen(p, 24, warp, at + 1536) == third);
    };
    record(0, 0, {}, {}, {});
    record(1, 900'000, {}, {}, {});
    // The third time that warps go from 8 to 16, and from 16 to 24.
    record(2, 300'000, {}, {}, {});
    record(3, 700'000, {1024, 1536}, {512}, {});
    record(0, 4096, {1024, 1536}, {512}, {}); // a warp that goes on: from 24 to 8
    record(1, 904'096, {1024, 1536}, {512}, {});
    record(2, 304'096, {1024, 1536, 4096, 5120}, {512, 3072, 4096, 4608}, {2560, 3584, 4096, 6656});
    // Another step unlearns one link, and no other.
    seen(p, 8, 0, 8192);
    CHECK(seen(p, 16, 0, 8192 + 64) == offsets{512, 3072});
    CHECK(seen(p, 8, 7, 0).empty());
    p.on(kernel_began{});
    CHECK(seen(p, 16, 7, 1024).empty());
}

TEST_CASE("stride_chain: a warp in the slot of another goes on from nothing") {
    auto p = policy_with<stride_chain_of<>>("stride_chain:agree=1");
    seen(p, 8, 0, 0);
    p.on(warp_exited{.warp = warp_slot{0}});
    CHECK(seen(p, 16, 0, 128).empty());
    CHECK(seen(p, 8, 1, 0).empty()); // nothing was learnt between the two
}

TEST_CASE("data prefetchers agree with their naive twins") {
    std::size_t asked = 0;
    for (unsigned seed = 1; seed <= 30; ++seed) {
        stride_numbers const n{1 + seed % 9, 1 + seed % 3, 1 + seed % 4, 8};
        auto fast = policy_with<per_warp_stride_of<>>("per_warp_stride:entries=" + std::to_string(n.entries) +
                                                      ":distance=" + std::to_string(n.distance) +
                                                      ":degree=" + std::to_string(n.degree));
        naive_per_warp slow(n);
        random_loads(seed, [&](std::uint32_t pc, unsigned warp, std::uint64_t a) {
            auto const o = seen(fast, pc, warp, a);
            REQUIRE(o == slow.seen(pc, warp, a));
            asked += o.size();
        });
        many_thread_aware_numbers const m{4 + seed % 30, 1 + seed % 8, 1 + seed % 7, 1 + seed % 3, 8, 0};
        auto many = policy_with<many_thread_aware_prefetch_of<>>(
            "many_thread_aware_prefetch:period=0:per_warp=" + std::to_string(m.per_warp) +
            ":global=" + std::to_string(m.global) + ":between=" + std::to_string(m.between) +
            ":distance=" + std::to_string(m.distance));
        naive_many_thread_aware slow_many(m);
        random_loads(seed + 100, [&](std::uint32_t pc, unsigned warp, std::uint64_t a) {
            auto const o = seen(many, pc, warp, a);
            REQUIRE(o == slow_many.seen(pc, warp, a));
            asked += o.size();
        });
    }
    for (unsigned seed = 1; seed <= 30; ++seed) {
        stride_chain_numbers const n{1 + seed % 12, 1 + seed % 10, 1 + seed % 3, 1 + seed % 6, 8};
        auto chain = policy_with<stride_chain_of<>>(
            "stride_chain:links=" + std::to_string(n.links) + ":heads=" + std::to_string(n.heads) +
            ":agree=" + std::to_string(n.agree) + ":length=" + std::to_string(n.length));
        naive_stride_chain slow(n);
        unsigned count = 0;
        random_loads(seed + 200, [&](std::uint32_t pc, unsigned warp, std::uint64_t a) {
            if (++count % 50 == 0) {
                chain.on(warp_exited{.warp = warp_slot{warp}});
                slow.exits(warp);
            }
            auto const o = seen(chain, pc, warp, a);
            REQUIRE(o == slow.seen(pc, warp, a));
            asked += o.size();
        });
    }
    CHECK(asked > 10'000);
}

TEST_CASE("data prefetchers: what they cost, and their numbers by name") {
    CHECK(hardware_cost_of<many_thread_aware_prefetch>({}).total_bits() == 557 * 8);
    CHECK(hardware_cost_of<per_warp_stride>({}).total_bits() == 32 * 93);
    CHECK(hardware_cost_of<stride_chain>({}).total_bits() == 48 * (6 + 64) + 32 * (64 + 20 + 2));
    CHECK(policy_with<per_warp_stride_of<>>("per_warp_stride:queue=5").queue() == 5);
    CHECK_THROWS_WITH(policy_with<per_warp_stride_of<>>("per_warp_stride:entries=0"),
                      Catch::EndsWith("give 1 to 4096"));
    using any = one_data_prefetch<no_data_prefetch, per_warp_stride_of<>>;
    CHECK(policy_named<any>("per_warp_stride:2", "data prefetcher").queue() == 16);
    CHECK(any().queue() == 0);
}
