#pragma once
/// \file
/// The laws that every kernel dispatch keeps, to be run by its author, as those of warp schedulers
/// (warp_scheduler_laws.hpp):
///
///     warpkit::testing::require_kernel_dispatch_laws<my_dispatch>();
///
/// and, beside an obviously correct slow twin, require_kernel_dispatch_agreement.

#include <warpkit/base/error.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/cta/kernel_dispatch.hpp>
#include <warpkit/testing/random_core.hpp>
#include <warpkit/testing/stored_copy.hpp>
#include <warpkit/testing/violation.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpkit::testing {

/// How the laws are tried.
struct kernel_dispatch_law_options {
    std::uint64_t seed = 1;
    unsigned streams = 8; ///< machines of different shapes, one after the other
    unsigned groups = 4;  ///< of each
    unsigned asked = 600; ///< times, in each group
};

/// Cores that kernels share, whose CTAs end at random, and kernels that come and go.
class random_kernels {
public:
    explicit random_kernels(std::uint64_t seed) : random_(seed), cores_(1 + random_.below(6)) {
        core_.threads = 32 * (8 + random_.below(57));
        core_.ctas = 1 + random_.below(32);
        core_.registers = 1024 * (16 + random_.below(49));
        core_.shared_bytes = 1024 * random_.below(97);
    }
    std::uint64_t events() const noexcept { return events_; }
    unsigned cores() const noexcept { return cores_; }
    /// What the core that is asked for holds.
    kernels_on_core view() const noexcept {
        return {at_, core_, view_.data(), static_cast<unsigned>(view_.size())};
    }
    /// Whether it holds nothing, and somebody could be served.
    bool somebody_starves() const noexcept {
        bool may = false;
        for (unsigned i = 0; i < view_.size(); ++i) {
            if (view_[i].ctas != 0) return false;
            may = may || view().may(i);
        }
        return may;
    }
    template <class Tell>
    void begin(Tell&& tell) {
        kernels_.clear();
        next_ = 0;
        ++events_;
        tell(group_began{cores_});
    }
    /// CTAs end and kernels come, then a core asks: `ask(view)` answers as pick().
    template <class Tell, class Ask>
    void step(Tell&& tell, Ask&& ask) {
        while (kernels_.size() < 2 || (kernels_.size() < 6 && random_.chance(3))) add();
        now_ += random_.below(30);
        for (auto& k : kernels_)
            for (unsigned c = 0; c < cores_; ++c)
                while (k.held[c] != 0 && random_.chance(10)) {
                    --k.held[c];
                    ++events_;
                    tell(kernel_cta_retired{c, k.number, now_});
                }
        at_ = random_.below(cores_);
        look();
        auto const picked = ask(view());
        if (picked < kernels_.size() && view().may(picked)) {
            auto& k = kernels_[picked];
            ++k.held[at_];
            if (k.left != 0) --k.left;
            ++events_;
            tell(kernel_served{at_, k.number, now_});
        }
        std::erase_if(kernels_, [](kernel const& k) {
            unsigned held = 0;
            for (auto const n : k.held) held += n;
            return k.left == 0 && held == 0;
        });
    }

private:
    struct kernel {
        unsigned number = 0;
        unsigned left = 0;
        unsigned most = 1;
        cta_share cta;
        std::vector<unsigned> held; ///< by core
    };
    void add() {
        kernel k;
        cta_needs needs;
        do {
            needs.threads = 1 + random_.below(core_.threads);
            needs.registers_per_thread = random_.below(64);
            needs.shared_bytes = random_.below(core_.shared_bytes + 1) / (1 + random_.below(8));
            if (random_.chance(70)) needs.threads = 1 + needs.threads / 8;
        } while (occupancy_of(needs, core_).ctas == 0);
        k.number = next_++;
        k.left = 1 + random_.below(80);
        k.cta = share_of(needs, core_);
        k.most = 1 + random_.below(occupancy_of(needs, core_).ctas);
        k.held.assign(cores_, 0);
        kernels_.push_back(std::move(k));
    }
    void look() {
        auto left = core_;
        for (auto const& k : kernels_) left = left_by(left, k.cta, k.held[at_]);
        view_.clear();
        for (auto const& k : kernels_) {
            bool const waits = k.left != 0 && k.number % 5 != events_ / 40 % 5; // some wait for their launch
            bool const fits = k.held[at_] < k.most && room_for(k.cta, left).ctas != 0;
            view_.push_back({k.number, k.held[at_], k.most, waits, fits, k.cta});
        }
    }

    random_numbers random_;
    unsigned cores_;
    core_resources core_;
    std::vector<kernel> kernels_; ///< the oldest first
    std::vector<kernel_on_core> view_;
    unsigned at_ = 0;
    unsigned next_ = 0;
    cycle now_ = 0;
    std::uint64_t events_ = 0;
};

namespace detail {
inline std::string text_of_kernel(unsigned picked) {
    return picked == no_kernel ? "nobody" : "kernel " + std::to_string(picked) + " of the view";
}
/// Its answer; nobody, from who gives whole cores.
template <class P>
unsigned picked_by(P const& policy, kernels_on_core const& core) {
    if constexpr (picks_kernels<P>)
        return policy.pick(core);
    else
        return no_kernel;
}
} // namespace detail

/// Tries the laws on a kernel dispatch and answers with the breaches, at most one of each stream:
///   - a share is at most all cores
///   - who is picked may be served
///   - on a core that holds nothing, somebody who may be served is
///   - pick changes nothing
///   - copies behave alike, stay equal, and equal states hash alike
///   - a checkpoint holds its state: stored, and loaded over one that has begun alike, it is equal
///   - group_began makes a used policy as good as new
template <class P>
std::vector<violation> check_kernel_dispatch_laws(kernel_dispatch_law_options const& options = {},
                                                  P const& fresh = P{}) {
    static_assert(check_kernel_dispatch<P>());
    std::vector<violation> found;
    for (unsigned i = 0; i < options.streams; ++i) {
        random_kernels host(options.seed * 1000003 + i);
        P policy = fresh;
        P copy = fresh;
        P reborn = fresh; // has seen all groups, where `policy` starts fresh for each
        bool go_on = true;
        auto const breach = [&](char const* law, std::string const& what) {
            if (go_on) found.push_back({policy_name<P>(), law, what, host.events(), options.seed, i});
            go_on = false;
        };
        if constexpr (parts_cores<P>)
            for (unsigned kernels = 1; kernels < 9; ++kernels)
                for (unsigned k = 0; k < kernels; ++k)
                    if (auto const n = policy.share(k, kernels, host.cores()); n > host.cores())
                        breach("a share is at most all cores",
                               std::to_string(n) + " of " + std::to_string(host.cores()));
        auto const tell = [&](auto const& e) { notify(e, policy, copy, reborn); };
        auto const ask = [&](kernels_on_core const& core) {
            auto const before = policy;
            auto const picked = detail::picked_by(policy, core);
            if (!(policy == before) || detail::picked_by(policy, core) != picked)
                breach("pick changes nothing", "asked twice, it answered differently, or its state did");
            else if (picked != no_kernel && (picked >= core.size() || !core.may(picked)))
                breach("who is picked may be served", detail::text_of_kernel(picked) + " may not");
            else if (picked == no_kernel && host.somebody_starves())
                breach("somebody is served", "a core is empty and a kernel may be served, but nobody is");
            else if (auto const again = detail::picked_by(reborn, core); again != picked)
                breach("group_began makes as good as new",
                       "after an earlier group, " + detail::text_of_kernel(again) + " instead of " +
                           detail::text_of_kernel(picked));
            else if (!(copy == policy))
                breach("copies behave alike", "an equal copy that heard the same parted from its origin");
            else if (hash_of(copy) != hash_of(policy))
                breach("equal states hash alike", "two equal states have different hashes");
            if (host.events() % 97 == 0) detail::restore(copy, policy, reborn, breach);
            return picked;
        };
        for (unsigned g = 0; g < options.groups && go_on; ++g) {
            policy = copy = fresh;
            host.begin(tell);
            if constexpr (picks_kernels<P>)
                for (unsigned n = 0; n < options.asked && go_on; ++n) host.step(tell, ask);
        }
    }
    return found;
}

/// Compares a kernel dispatch with a twin over random groups; both hear the same, and what P answers is done.
template <class P, class Twin>
std::vector<violation> check_kernel_dispatch_agreement(kernel_dispatch_law_options const& options = {},
                                                       P const& fresh = P{},
                                                       Twin const& fresh_twin = Twin{}) {
    std::vector<violation> found;
    for (unsigned i = 0; i < options.streams; ++i) {
        random_kernels host(options.seed * 1000033 + i);
        P policy = fresh;
        Twin twin = fresh_twin;
        bool go_on = true;
        auto const tell = [&](auto const& e) { notify(e, policy, twin); };
        auto const parted = [&](std::string const& what) {
            if (go_on)
                found.push_back(
                    {policy_name<P>(), "agrees with its twin", what, host.events(), options.seed, i});
            go_on = false;
        };
        if constexpr (parts_cores<P> && parts_cores<Twin>)
            for (unsigned kernels = 1; kernels < 9; ++kernels)
                for (unsigned k = 0; k < kernels; ++k)
                    if (policy.share(k, kernels, 15) != twin.share(k, kernels, 15))
                        parted("a share of kernel " + std::to_string(k) + " of " + std::to_string(kernels));
        for (unsigned g = 0; g < options.groups && go_on; ++g) {
            host.begin(tell);
            for (unsigned n = 0; n < options.asked && go_on; ++n)
                host.step(tell, [&](kernels_on_core const& core) {
                    auto const picked = detail::picked_by(policy, core);
                    auto const other = detail::picked_by(twin, core);
                    if (picked != other)
                        parted(detail::text_of_kernel(picked) + ", but with the twin " +
                               detail::text_of_kernel(other));
                    return picked;
                });
        }
    }
    return found;
}

/// Each throws warpkit::error with the first breach or disagreement.
template <class P>
void require_kernel_dispatch_laws(kernel_dispatch_law_options const& options = {}, P const& fresh = P{}) {
    auto const found = check_kernel_dispatch_laws<P>(options, fresh);
    if (!found.empty()) throw error(found.front().text());
}
template <class P, class Twin>
void require_kernel_dispatch_agreement(kernel_dispatch_law_options const& options = {}, P const& fresh = P{},
                                       Twin const& twin = Twin{}) {
    auto const found = check_kernel_dispatch_agreement<P, Twin>(options, fresh, twin);
    if (!found.empty()) throw error(found.front().text());
}

} // namespace warpkit::testing
