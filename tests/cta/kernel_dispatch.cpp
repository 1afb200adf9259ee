// Which kernel gets the next CTA slot of which core: each policy beside a naive twin, and the laws.
#include <warpkit/base/policy_text.hpp>
#include <warpkit/config/dispatch.hpp>
#include <warpkit/cta/policies.hpp>
#include <warpkit/testing/kernel_dispatch_laws.hpp>

#include "catch.hpp"

#include <algorithm>
#include <map>
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
    require_kernel_dispatch_agreement<smk, naive_smk>();
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
    CHECK(kernel_dispatches().size() == 4);
}
