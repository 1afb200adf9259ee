#pragma once
/// \file
/// The laws that every placement of clusters keeps, to be run by its author, as those of warp schedulers
/// (warp_scheduler_laws.hpp):
///
///     warpkit::testing::require_cluster_placement_laws<my_placement>();
///
/// and, beside an obviously correct slow twin, require_cluster_placement_agreement.

#include <warpkit/base/error.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/cta/cluster_placement.hpp>
#include <warpkit/testing/random_core.hpp>
#include <warpkit/testing/stored_copy.hpp>
#include <warpkit/testing/violation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpkit::testing {

/// How the laws are tried.
struct cluster_placement_law_options {
    std::uint64_t seed = 1;
    unsigned streams = 8;    ///< machines of different shapes, one after the other
    unsigned grids = 4;      ///< of each
    unsigned clusters = 150; ///< of each grid
};

/// Groups of cores, clusters that go to them, and CTAs that end at random.
class random_groups {
public:
    explicit random_groups(std::uint64_t seed)
        : random_(seed),
          cores_(1 + random_.below(18)),
          most_(1 + random_.below(8)),
          rooms_((1 + std::size_t{random_.below(4)}) * cores_),
          given_(cores_) {}

    std::uint64_t events() const noexcept { return events_; }
    template <class Tell>
    void begin(Tell&& tell) {
        for (auto& room : rooms_) room = most_;
        held_.clear();
        size_ = 1 + random_.below(std::min(16U, cores_ * most_));
        next_ = 0;
        grid_began e;
        e.program = nullptr;
        e.grid_x = 1U << 20;
        e.cores = static_cast<unsigned>(rooms_.size()) / cores_;
        e.ctas_per_core = cores_ * most_ / size_;
        e.line = 128;
        said(tell, e);
    }
    /// CTAs end; then a cluster goes to a group that has room for it, if there is one. `ask(view)` answers as place();
    /// what is no core with room is not done.
    template <class Tell, class Ask>
    void step(Tell&& tell, Ask&& ask) {
        for (std::size_t i = 0; i < held_.size();)
            if (random_.chance(6)) {
                ++rooms_[held_[i].first];
                said(tell, cta_retired{held_[i].first, held_[i].second, events_});
                held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
            } else {
                ++i;
            }
        auto const first = random_.below(static_cast<unsigned>(rooms_.size()) / cores_) * cores_;
        unsigned room = 0;
        for (unsigned c = 0; c < cores_; ++c) room += rooms_[first + c];
        if (room < size_) return;
        for (auto& n : given_) n = 0;
        std::vector<std::pair<unsigned, std::uint64_t>> placed;
        for (unsigned rank = 0; rank < size_; ++rank) {
            auto const c =
                ask(cluster_on_group{{rooms_.data() + first, cores_}, given_.data(), first, rank, size_});
            if (c >= cores_ || rooms_[first + c] == 0) return;
            --rooms_[first + c];
            ++given_[c];
            placed.emplace_back(first + c, next_++);
        }
        for (auto const& [core, cta] : placed) said(tell, cta_dispatched{core, cta, events_});
        held_.insert(held_.end(), placed.begin(), placed.end());
    }

private:
    template <class Tell, class E>
    void said(Tell& tell, E const& e) {
        ++events_;
        tell(e);
    }
    random_numbers random_;
    unsigned cores_; ///< of a group
    unsigned most_;  ///< CTAs that one holds
    std::vector<unsigned> rooms_;
    std::vector<unsigned> given_;
    std::vector<std::pair<unsigned, std::uint64_t>> held_; ///< core and CTA
    unsigned size_ = 1;                                    ///< of a cluster
    std::uint64_t next_ = 0;
    std::uint64_t events_ = 0;
};

/// Tries the laws on a placement of clusters and answers with the breaches, at most one of each stream:
///   - an answer names a core of the group that has room
///   - place changes nothing
///   - copies behave alike, stay equal, and equal states hash alike
///   - a checkpoint holds its state: stored, and loaded over one that has begun alike, it is equal
///   - grid_began makes a used placement as good as new
template <class P>
std::vector<violation> check_cluster_placement_laws(cluster_placement_law_options const& options = {},
                                                    P const& fresh = P{}) {
    static_assert(check_cluster_placement<P>());
    std::vector<violation> found;
    for (unsigned i = 0; i < options.streams; ++i) {
        random_groups groups(options.seed * 1000003 + i);
        P policy = fresh;
        P copy = fresh;
        P reborn = fresh; // has seen all grids, where `policy` starts fresh for each
        bool go_on = true;
        auto const breach = [&](char const* law, std::string const& what) {
            if (go_on) found.push_back({policy_name<P>(), law, what, groups.events(), options.seed, i});
            go_on = false;
        };
        auto const tell = [&](auto const& e) {
            notify(e, policy);
            notify(e, copy);
            notify(e, reborn);
        };
        std::uint64_t asked = 0;
        auto const ask = [&](cluster_on_group const& g) {
            auto const before = policy;
            auto const c = policy.place(g);
            auto const text = "CTA " + std::to_string(g.rank) + " goes to core " + std::to_string(c) +
                              " of " + std::to_string(g.size());
            if (!(policy == before) || policy.place(g) != c)
                breach("place changes nothing", "asked twice, it answered differently, or its state did");
            else if (c >= g.size())
                breach("an answer names a core of the group", text);
            else if (g.rooms[c] == 0)
                breach("that core has room", text + ", which has none");
            else if (reborn.place(g) != c)
                breach("grid_began makes as good as new", "after an earlier grid, it answered differently");
            else if (!(copy == policy) || copy.place(g) != c)
                breach("copies behave alike", "an equal copy that heard the same parted from its origin");
            else if (hash_of(copy) != hash_of(policy))
                breach("equal states hash alike", "two equal states have different hashes");
            if (++asked % 97 == 0) detail::restore(copy, policy, reborn, breach);
            return go_on ? c : g.size();
        };
        for (unsigned g = 0; g < options.grids && go_on; ++g) {
            policy = copy = fresh;
            groups.begin(tell);
            for (unsigned n = 0; n < options.clusters && go_on; ++n) groups.step(tell, ask);
        }
    }
    return found;
}

/// Compares a placement with a twin over random groups; both hear the same, and what P answers is done.
template <class P, class Twin>
std::vector<violation> check_cluster_placement_agreement(cluster_placement_law_options const& options = {},
                                                         P const& fresh = P{},
                                                         Twin const& fresh_twin = Twin{}) {
    std::vector<violation> found;
    for (unsigned i = 0; i < options.streams; ++i) {
        random_groups groups(options.seed * 1000033 + i);
        P policy = fresh;
        Twin twin = fresh_twin;
        bool go_on = true;
        auto const tell = [&](auto const& e) {
            notify(e, policy);
            notify(e, twin);
        };
        auto const ask = [&](cluster_on_group const& g) {
            auto const c = policy.place(g);
            if (auto const other = twin.place(g); other != c && go_on) {
                go_on = false;
                found.push_back(
                    {policy_name<P>(), "agrees with its twin",
                     "core " + std::to_string(c) + ", but with the twin core " + std::to_string(other),
                     groups.events(), options.seed, i});
            }
            return go_on ? c : g.size();
        };
        for (unsigned g = 0; g < options.grids && go_on; ++g) {
            groups.begin(tell);
            for (unsigned n = 0; n < options.clusters && go_on; ++n) groups.step(tell, ask);
        }
    }
    return found;
}

/// Each throws warpkit::error with the first breach or disagreement.
template <class P>
void require_cluster_placement_laws(cluster_placement_law_options const& options = {}, P const& fresh = P{}) {
    auto const found = check_cluster_placement_laws<P>(options, fresh);
    if (!found.empty()) throw error(found.front().text());
}
template <class P, class Twin>
void require_cluster_placement_agreement(cluster_placement_law_options const& options = {},
                                         P const& fresh = P{}, Twin const& twin = Twin{}) {
    auto const found = check_cluster_placement_agreement<P, Twin>(options, fresh, twin);
    if (!found.empty()) throw error(found.front().text());
}

} // namespace warpkit::testing
