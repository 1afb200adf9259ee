// Which kernel gets the next CTA slot of which core: each policy beside a naive twin, and the laws.
#include <warpkit/base/policy_text.hpp>
#include <warpkit/config/dispatch.hpp>
#include <warpkit/cta/policies.hpp>
#include <warpkit/testing/kernel_dispatch_laws.hpp>

#include "catch.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace warpkit;
using namespace warpkit::testing;

namespace {

/// As leftover on shared cores: a list of those that wait, of which the first counts.
struct naive_leftover {
    unsigned pick(kernels_on_core const& core) const {
        std::vector<unsigned> waiting;
        for (unsigned i = 0; i < core.size(); ++i)
            if (core[i].waits) waiting.push_back(i);
        if (waiting.empty() || !core[waiting.front()].fits) return no_kernel;
        return waiting.front();
    }
    bool operator==(naive_leftover const&) const = default;
};
/// As spatial_multitasking: cores are dealt out one by one.
struct naive_parting {
    unsigned share(unsigned kernel, unsigned kernels, unsigned cores) const {
        unsigned n = 0;
        for (unsigned c = 0; c < cores; ++c) n += c % kernels == kernel;
        return n;
    }
    bool operator==(naive_parting const&) const = default;
};
/// As kernel_round_robin: numbers from the last one on, one after the other.
struct naive_turns {
    std::map<unsigned, unsigned> last;
    unsigned pick(kernels_on_core const& core) const {
        unsigned highest = 0;
        for (unsigned i = 0; i < core.size(); ++i) highest = std::max(highest, core[i].kernel);
        auto const behind = last.contains(core.core) ? last.at(core.core) + 1 : 0;
        for (unsigned n = 0; n <= highest; ++n)
            for (unsigned i = 0; i < core.size(); ++i) {
                auto const first = behind > highest ? 0 : behind;
                if (core[i].kernel == (first + n) % (highest + 1) && core.may(i)) return i;
            }
        return no_kernel;
    }
    void on(group_began const&) { last.clear(); }
    void on(kernel_served const& e) { last[e.core] = e.kernel; }
    bool operator==(naive_turns const&) const = default;
};
/// As smk: CTAs are put one by one into a core that is empty, and counted.
struct naive_smk {
    static std::vector<std::uint64_t> parts(cta_share const& s, core_resources const& has) {
        auto const part = [](std::uint64_t n, std::uint64_t of) { return of == 0 ? 0 : n * 65536 / of; };
        return {part(s.threads, has.threads), part(1, has.ctas), part(s.registers, has.registers),
                part(s.shared_bytes, has.shared_bytes)};
    }
    static bool fit(kernels_on_core const& core, std::vector<unsigned> const& in) {
        std::uint64_t threads = 0, ctas = 0, registers = 0, shared = 0;
        for (auto const i : in) {
            threads += core[i].cta.threads;
            ctas += 1;
            registers += core[i].cta.registers;
            shared += core[i].cta.shared_bytes;
        }
        return threads <= core.has.threads && ctas <= core.has.ctas && registers <= core.has.registers &&
               shared <= core.has.shared_bytes;
    }
    unsigned pick(kernels_on_core const& core) const {
        std::vector<unsigned> in; // the kernels of the CTAs that the core is to hold
        auto const share = [&](unsigned i, std::uint64_t ctas) {
            auto const p = parts(core[i].cta, core.has);
            return ctas * *std::max_element(p.begin(), p.end());
        };
        auto const count = [&](unsigned i) {
            return static_cast<unsigned>(std::count(in.begin(), in.end(), i));
        };
        for (bool grew = true; grew;) {
            grew = false;
            std::vector<std::pair<std::uint64_t, unsigned>> order;
            for (unsigned i = 0; i < core.size(); ++i) order.push_back({share(i, count(i)), i});
            std::sort(order.begin(), order.end());
            for (auto const& [s, i] : order) {
                if (count(i) == (core[i].waits ? core[i].most : core[i].ctas)) continue;
                in.push_back(i);
                grew = fit(core, in);
                if (grew) break;
                in.pop_back();
            }
        }
        std::vector<std::pair<std::uint64_t, unsigned>> wanting;
        for (unsigned i = 0; i < core.size(); ++i)
            if (core.may(i) && core[i].ctas < count(i)) wanting.push_back({share(i, core[i].ctas), i});
        return wanting.empty() ? no_kernel : std::min_element(wanting.begin(), wanting.end())->second;
    }
    bool operator==(naive_smk const&) const = default;
};

/// As warped_slicer: rates stand in tables by kernel and CTAs, points between which lines are drawn.
struct naive_slicer {
    unsigned cores = 1;
    std::map<unsigned, unsigned> held; ///< by core
    std::map<unsigned, std::pair<std::vector<unsigned>, cycle>>
        trial; ///< whom it was sent since it was empty
    std::map<unsigned, std::map<std::uint64_t, std::uint64_t>> points; ///< by kernel
    std::set<std::pair<unsigned, unsigned>> tried;                     ///< kernels on cores

    void on(group_began const& e) { *this = {e.cores, {}, {}, {}, {}}; }
    void on(kernel_served const& e) {
        if (held[e.core]++ == 0) trial[e.core] = {{}, e.at};
        if (trial.contains(e.core)) trial[e.core].first.push_back(e.kernel);
    }
    void on(kernel_cta_retired const& e) {
        --held[e.core];
        if (!trial.contains(e.core)) return;
        auto const sent = trial[e.core].first;
        auto const began = trial[e.core].second;
        trial.erase(e.core);
        if (std::any_of(sent.begin(), sent.end(), [&](unsigned k) { return k != sent[0]; })) return;
        tried.insert({sent[0], e.core});
        points[sent[0]].emplace(0, 0);
        points[sent[0]].emplace(sent.size(),
                                (std::uint64_t{sent.size()} << 40) / std::max<cycle>(1, e.at - began));
    }
    std::vector<std::uint64_t> rates(kernel_on_core const& k) const {
        std::vector<std::uint64_t> all;
        for (std::uint64_t n = 0; n <= k.most; ++n) {
            if (!points.contains(k.kernel)) {
                all.push_back(n);
                continue;
            }
            auto const& p = points.at(k.kernel);
            auto const above = p.lower_bound(n);
            if (above == p.end()) {
                all.push_back(p.rbegin()->second);
            } else if (above->first == n) {
                all.push_back(above->second);
            } else {
                auto const& [n0, r0] = *std::prev(above);
                auto const& [n1, r1] = *above;
                auto const step = static_cast<std::int64_t>(r1 - r0) * static_cast<std::int64_t>(n - n0) /
                                  static_cast<std::int64_t>(n1 - n0);
                all.push_back(r0 + static_cast<std::uint64_t>(step));
            }
        }
        return all;
    }
    std::vector<unsigned> cores_of(unsigned i, unsigned kernels) const {
        std::vector<unsigned> mine;
        for (unsigned c = i; c < cores; c += kernels) mine.push_back(c);
        return mine;
    }
    bool known(kernels_on_core const& v, unsigned i) const {
        auto const trials =
            std::count_if(tried.begin(), tried.end(), [&](auto const& t) { return t.first == v[i].kernel; });
        return static_cast<std::size_t>(trials) >=
               std::min<std::size_t>(cores_of(i, v.size()).size(), v[i].most);
    }
    unsigned pick(kernels_on_core const& v) const {
        unsigned all = 0;
        std::vector<unsigned> waiting;
        for (unsigned i = 0; i < v.size(); ++i) {
            all += v[i].ctas;
            if (v[i].waits) waiting.push_back(i);
        }
        bool const slice = waiting.size() < 2 || std::all_of(waiting.begin(), waiting.end(),
                                                             [&](unsigned i) { return known(v, i); });
        auto const picked = slice ? sliced(v) : trying(v, all);
        if (picked != no_kernel || all != 0) return picked;
        for (unsigned i = 0; i < v.size(); ++i)
            if (v.may(i)) return i;
        return no_kernel;
    }
    unsigned trying(kernels_on_core const& v, unsigned all) const {
        auto const i = v.core % v.size();
        auto const& k = v[i];
        auto const mine = cores_of(i, v.size());
        auto const j = static_cast<unsigned>(std::find(mine.begin(), mine.end(), v.core) - mine.begin());
        auto const c = static_cast<unsigned>(mine.size());
        auto const goal = c < k.most ? (j + 1) * k.most / c : 1 + j % k.most;
        bool const under_way = trial.contains(v.core) && [&] {
            auto const& sent = trial.at(v.core).first;
            return std::count(sent.begin(), sent.end(), k.kernel) == static_cast<std::ptrdiff_t>(sent.size());
        }();
        bool const begins = all == 0 || tried.contains({k.kernel, v.core}) || known(v, i) || under_way;
        return v.may(i) && all == k.ctas && k.ctas < goal && begins ? i : no_kernel;
    }
    unsigned sliced(kernels_on_core const& v) const {
        std::vector<std::vector<std::uint64_t>> level;
        for (unsigned i = 0; i < v.size(); ++i) {
            auto r = rates(v[i]);
            auto const best = std::max<std::uint64_t>(1, *std::max_element(r.begin(), r.end()));
            for (auto& n : r) n = (n << 16) / best;
            level.push_back(r);
        }
        std::vector<unsigned> goal(v.size());
        std::set<unsigned> open;
        for (unsigned i = 0; i < v.size(); ++i) open.insert(i);
        while (!open.empty()) {
            auto const i = *std::min_element(open.begin(), open.end(), [&](unsigned a, unsigned b) {
                return level[a][goal[a]] < level[b][goal[b]];
            });
            auto const r = rates(v[i]);
            auto more = goal;
            for (++more[i]; goal[i] != 0 && more[i] < r.size() && r[more[i]] <= r[goal[i]];) ++more[i];
            auto left = v.has;
            bool fits = more[i] <= (v[i].waits ? v[i].most : v[i].ctas);
            for (unsigned j = 0; fits && j < v.size(); ++j)
                for (unsigned n = 0; fits && n < more[j]; ++n) {
                    fits = room_for(v[j].cta, left).ctas != 0;
                    if (fits) left = left_by(left, v[j].cta);
                }
            if (fits)
                goal = more;
            else
                open.erase(i);
        }
        unsigned best = no_kernel;
        for (unsigned i = 0; i < v.size(); ++i)
            if (v.may(i) && v[i].ctas < goal[i] &&
                (best == no_kernel || level[i][v[i].ctas] < level[best][v[best].ctas]))
                best = i;
        return best;
    }
    bool operator==(naive_slicer const&) const = default;
};

/// A core of 100 threads and 8 CTAs, without other limits.
struct small_core {
    core_resources has{1024, 8, 65536, 65536};
    std::vector<kernel_on_core> kernels;
    void add(unsigned threads, unsigned registers, unsigned shared, unsigned ctas = 0) {
        cta_needs n;
        n.threads = threads;
        n.registers_per_thread = registers;
        n.shared_bytes = shared;
        auto const share = share_of(n, has);
        kernels.push_back({static_cast<unsigned>(kernels.size()), ctas, 8, true, true, share});
    }
    kernels_on_core view() const { return {0, has, kernels.data(), static_cast<unsigned>(kernels.size())}; }
    /// Serves until nobody is: the CTAs of each.
    template <class P>
    std::vector<unsigned> filled(P const& p) {
        for (;;) {
            auto left = has;
            for (auto const& k : kernels) left = left_by(left, k.cta, k.ctas);
            for (auto& k : kernels) k.fits = k.ctas < k.most && room_for(k.cta, left).ctas != 0;
            auto const i = p.pick(view());
            if (i == no_kernel) break;
            ++kernels[i].ctas;
        }
        std::vector<unsigned> n;
        for (auto const& k : kernels) n.push_back(k.ctas);
        return n;
    }
};

/// Picks whoever waits, whether it fits or not.
struct does_not_look {
    unsigned pick(kernels_on_core const& core) const {
        for (unsigned i = 0; i < core.size(); ++i)
            if (core[i].waits) return i;
        return no_kernel;
    }
    bool operator==(does_not_look const&) const = default;
};
struct serves_nobody {
    unsigned pick(kernels_on_core const&) const { return no_kernel; }
    bool operator==(serves_nobody const&) const = default;
};
struct gives_too_much {
    unsigned share(unsigned, unsigned, unsigned cores) const { return cores + 1; }
    bool operator==(gives_too_much const&) const = default;
};
/// Remembers the group before.
struct remembers {
    unsigned served = 0;
    unsigned pick(kernels_on_core const& core) const {
        for (unsigned n = 0; n < core.size(); ++n)
            if (auto const i = (n + served) % core.size(); core.may(i)) return i;
        return no_kernel;
    }
    void on(kernel_served const&) { ++served; }
    bool operator==(remembers const&) const = default;
};

bool finds(std::vector<violation> const& found, char const* law) {
    return std::any_of(found.begin(), found.end(), [&](violation const& v) { return v.law == law; });
}

} // namespace

TEST_CASE("kernel dispatches keep the laws and agree with naive twins", "[cta]") {
    require_kernel_dispatch_laws<leftover>();
    require_kernel_dispatch_laws<leftover>({}, leftover(core_use::shared));
    require_kernel_dispatch_laws<spatial_multitasking>();
    require_kernel_dispatch_laws<kernel_round_robin>();
    require_kernel_dispatch_laws<smk>();
    require_kernel_dispatch_laws<any_kernel_dispatch>({}, smk{});
    require_kernel_dispatch_laws<any_kernel_dispatch>({}, kernel_round_robin{});
    require_kernel_dispatch_agreement<leftover, naive_leftover>({}, leftover(core_use::shared));
    require_kernel_dispatch_agreement<spatial_multitasking, naive_parting>();
    require_kernel_dispatch_agreement<kernel_round_robin, naive_turns>();
    require_kernel_dispatch_laws<warped_slicer>();
    require_kernel_dispatch_agreement<smk, naive_smk>();
    require_kernel_dispatch_agreement<warped_slicer, naive_slicer>();
    require_kernel_dispatch_agreement<any_kernel_dispatch, naive_smk>({}, smk{});
}

TEST_CASE("the laws of kernel dispatches find who breaks them", "[cta]") {
    CHECK(finds(check_kernel_dispatch_laws<does_not_look>(), "who is picked may be served"));
    CHECK(finds(check_kernel_dispatch_laws<serves_nobody>(), "somebody is served"));
    CHECK(finds(check_kernel_dispatch_laws<gives_too_much>(), "a share is at most all cores"));
    CHECK(finds(check_kernel_dispatch_laws<remembers>(), "group_began makes as good as new"));
    CHECK(finds(check_kernel_dispatch_agreement<smk, naive_turns>(), "agrees with its twin"));
}

TEST_CASE("dominant shares: a kernel of many registers and one of much shared memory", "[cta]") {
    small_core c;
    c.add(128, 64, 0);       // an eighth of the registers and of the threads
    c.add(64, 16, 8 * 1024); // an eighth of shared memory
    CHECK(c.filled(smk{}) == std::vector<unsigned>{4, 4});
    c.kernels.clear();
    c.add(128, 64, 0);
    c.add(256, 16, 0); // a quarter of the threads
    CHECK(c.filled(smk{}) == std::vector<unsigned>{4, 2});
    c.kernels.clear();
    c.add(128, 64, 0, 8); // came first, and has all
    c.add(256, 16, 0);
    c.kernels[0].fits = c.kernels[1].fits = false;
    CHECK(c.filled(smk{}) == std::vector<unsigned>{8, 0});
    c.kernels[0].ctas = 6; // room for one of the second kernel's, or two of the first one's
    CHECK(c.filled(smk{}) == std::vector<unsigned>{6, 1});
    c.kernels[0].ctas = 5; // kept free
    CHECK(c.filled(smk{}) == std::vector<unsigned>{5, 1});
    c.kernels[1].waits = false; // it has no more
    CHECK(c.filled(smk{}) == std::vector<unsigned>{6, 1});
}

TEST_CASE("water-filling: a kernel that gains nothing from its fifth CTA, and one that goes on gaining",
          "[cta]") {
    small_core c;
    c.add(128, 16, 0);
    c.add(128, 16, 0);
    warped_slicer p;
    p.on(group_began{4});
    // Of either kernel 4 CTAs are tried on one core and 8 on another one, alone.
    auto const on_core = [&](unsigned core, unsigned ctas) {
        for (auto& k : c.kernels) k.ctas = 0;
        for (unsigned n = 0; n <= ctas; ++n) {
            auto view = c.view();
            view.core = core;
            auto const i = p.pick(view);
            if (n == ctas) {
                CHECK(i == no_kernel);
                return;
            }
            REQUIRE(i == core % 2);
            ++c.kernels[i].ctas;
            for (auto& k : c.kernels) k.fits = k.ctas < 8;
            p.on(kernel_served{core, i, 1000});
        }
    };
    on_core(0, 4);
    on_core(1, 4);
    on_core(2, 8);
    on_core(3, 8);
    p.on(kernel_cta_retired{0, 0, 1128});
    p.on(kernel_cta_retired{1, 1, 1128});
    p.on(kernel_cta_retired{3, 1, 1128});
    p.on(kernel_cta_retired{2, 0, 1256}); // 8 of the first kernel's are no faster than 4
    for (auto& k : c.kernels) k.ctas = 0;
    CHECK(c.filled(p) == std::vector<unsigned>{3, 5}); // three quarters of its best, and five eighths
    for (auto& k : c.kernels) k.ctas = 0;
    CHECK(c.filled(smk{}) == std::vector<unsigned>{4, 4});
    for (auto& k : c.kernels) k.ctas = 0;
    c.kernels[0].most = 3; // of which two are two thirds of its best
    CHECK(c.filled(p) == std::vector<unsigned>{2, 6});
    c.kernels[1].waits = false;
    for (auto& k : c.kernels) k.ctas = 0;
    CHECK(c.filled(p) == std::vector<unsigned>{3, 0});
}

TEST_CASE("whole cores or shared ones", "[cta]") {
    CHECK_FALSE(shares_cores(leftover{}));
    CHECK(shares_cores(leftover(core_use::shared)));
    CHECK_FALSE(shares_cores(spatial_multitasking{}));
    CHECK(shares_cores(smk{}));
    CHECK(shares_cores(kernel_dispatch_named("leftover:cores=shared")));
    CHECK_FALSE(shares_cores(kernel_dispatch_named("leftover")));
    CHECK(kernel_dispatch_named("smk") == any_kernel_dispatch(smk{}));
    CHECK_THROWS_WITH(kernel_dispatch_named("smkk"), Catch::Contains("smk"));
    CHECK_THROWS_WITH(kernel_dispatch_named("leftover:cores=some"), Catch::Contains("shared"));
    CHECK(kernel_dispatches().size() == 5);
}
