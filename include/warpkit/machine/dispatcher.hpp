#pragma once
/// \file
/// The thread-block dispatcher: hands the CTAs of one grid to cores with room (docs/model/dispatch.md#dispatcher). Both
/// engines have it.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cta/cluster_placement.hpp>
#include <warpkit/cta/cluster_spread.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/machine/cluster.hpp>
#include <warpkit/machine/cluster_groups.hpp>
#include <warpkit/machine/cta_notices.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {

/// What is left of a grid, and what each core holds. A core takes at most one CTA per core cycle; that a CTA has
/// finished is known here `delay` cycles later.
///
/// A grid of clusters goes out cluster by cluster, all CTAs of one in the same cycle to one group of cores: to the
/// choice of block a cluster is what a CTA is otherwise, and a group what a core is; the placement says which core of
/// the group each CTA goes to (docs/model/clusters.md#dispatch).
template <class Choice, class Placement = cluster_spread>
class dispatcher {
    static_assert(check_cta_choice<Choice>());
    static_assert(check_cluster_placement<Placement>());

    struct notice {
        cycle at = 0;
        unsigned core = 0;
        std::uint64_t cta = 0;
        friend bool operator==(notice const&, notice const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(at, core, cta);
        }
    };

public:
    dispatcher() = default;
    dispatcher(unsigned cores, cycle delay, Choice const& choice, Placement const& placement = {})
        : choice_(choice),
          placement_(placement),
          delay_(delay),
          resident_(cores, 0),
          room_(cores, 0) {}

    /// Nothing is dispatched before cycle `from`. Of a grid of clusters `grid` is in clusters and groups.
    void begin(grid_began const& grid, unsigned fit, cycle from, clustered_grid const& clusters = {}) {
        choice_.on(grid);
        notify(grid, placement_);
        clusters_.begin(clusters, static_cast<unsigned>(room_.size()));
        total_ = left_ = grid.ctas() * clusters.size();
        done_ = 0;
        skipped_ = 0;
        fit_ = fit;
        from_ = from;
        last_finished_ = 0;
        may_dispatch_ = true;
    }
    void finished(unsigned core, std::uint64_t cta, cycle at) {
        notices_.push_back({at + delay_, core, cta});
        if (at > last_finished_) last_finished_ = at;
    }

    /// The first cycle at or after `now` in which something can be done here.
    cycle next_event(cycle now) const noexcept {
        if (may_dispatch_) return now < from_ ? from_ : now;
        auto next = never;
        for (auto const& n : notices_)
            if (n.at < next) next = n.at;
        return next < now ? now : next;
    }
    /// Dispatches in the cycles from `begin` to `end - 1`. `limit(core)` is the most CTAs it may hold now;
    /// `launch(core, cta, cycle)` sends one.
    template <class Limit, class Launch>
    void run(cycle begin, cycle end, Limit&& limit, Launch&& launch) {
        for (auto now = next_event(begin); now < end; now = next_event(now + 1)) {
            retire(now, [](unsigned) {});
            may_dispatch_ = left_ != 0 && dispatch(now, limit, launch);
        }
    }
    /// Up to `count` CTAs are dispatched now and finish at once, on cores that need no room for them; `execute(cta)` is
    /// called for each until it is false. Answers how many: fewer, too, where the choice gives them to nobody.
    template <class Execute>
    std::uint64_t skip(std::uint64_t count, cycle now, Execute&& execute) {
        std::uint64_t n = 0;
        bool more = true;
        auto const size = clusters_.size();
        while (more && n < count && left_ != 0) {
            for (auto& room : room_) room = fit_;
            auto const a = choice_.choose(size > 1 ? clusters_.rooms(room_) : rooms());
            if (!a) break;
            for (unsigned i = 0; i < a.count; ++i) {
                notify(cta_dispatched{a.core, a.first + i, now}, choice_);
                for (unsigned rank = 0; rank < size; ++rank)
                    more = execute(clusters_.cta(a.first + i, rank)) && more;
            }
            for (unsigned i = 0; i < a.count; ++i) notify(cta_retired{a.core, a.first + i, now}, choice_);
            left_ -= std::uint64_t{a.count} * size;
            n += std::uint64_t{a.count} * size;
        }
        done_ += n;
        skipped_ += n;
        may_dispatch_ = left_ != 0;
        return n;
    }
    bool done() const noexcept { return done_ == total_; }
    /// Whether nothing will be dispatched before a CTA finishes, and then only to cores of which one has finished: all
    /// others are full.
    bool settled() const noexcept {
        if (may_dispatch_ || !notices_.empty() || clusters_.in_use()) return false;
        if (left_ != 0)
            for (auto const room : room_)
                if (room != 0) return false;
        return true;
    }
    /// What there is to do from now on.
    dispatch_outlook outlook() const noexcept { return {settled(), done(), left_ != 0}; }
    /// CTAs of this grid that have not been dispatched.
    std::uint64_t left() const noexcept { return left_; }
    /// Of those that have finished, the ones that skip() took.
    std::uint64_t skipped_count() const noexcept { return skipped_; }
    std::uint64_t finished_count() const noexcept { return done_; }
    std::uint64_t total() const noexcept { return total_; }
    /// CTAs that have not finished on any core, as far as is known here.
    std::uint64_t resident() const noexcept {
        std::uint64_t n = 0;
        for (auto const r : resident_) n += r;
        return n;
    }
    /// The same of one core.
    unsigned held(unsigned core) const noexcept { return resident_[core]; }
    /// The cycle of the last CTA of this grid that has finished on a core; 0 if none has.
    cycle last_finished() const noexcept { return last_finished_; }
    /// The cycle before which nothing of this grid is dispatched.
    cycle from() const noexcept { return from_; }
    /// The most CTAs of this grid that fit a core.
    unsigned fit() const noexcept { return fit_; }
    Choice const& choice() const noexcept { return choice_; }
    /// Whether CTAs go out in the order of their numbers.
    bool keeps_order() const noexcept { return warpkit::keeps_order(choice_) && clusters_.are_consecutive(); }
    /// The cluster of the CTA that is being sent, where its kernel has any.
    cta_cluster const& sent() const noexcept { return sent_; }
    /// Something outside changed what cores may hold.
    void reconsider() noexcept { may_dispatch_ = left_ != 0; }

    // run() in pieces, where grids share cores: in each cycle of next_event(), retire(), then dispatch() once this
    // one's turn has come, which answers whether anything was sent, and reconsider() or rest().
    void rest() noexcept { may_dispatch_ = false; }
    /// Whether there are CTAs to send at `now`.
    bool waits(cycle now) const noexcept { return left_ != 0 && from_ <= now; }
    /// What has finished, as far as it is known now: `tell(core)` for each.
    template <class Tell>
    void retire(cycle now, Tell&& tell) {
        for (std::size_t i = 0; i < notices_.size();) {
            auto const n = notices_[i];
            if (n.at > now) {
                ++i;
                continue;
            }
            --resident_[n.core];
            ++done_;
            if (clusters_.size() == 1)
                notify(cta_retired{n.core, n.cta, n.at}, choice_);
            else
                retire_of_cluster(n);
            notices_.erase(notices_.begin() + static_cast<std::ptrdiff_t>(i));
            tell(n.core);
        }
    }
    /// One cycle; whether anything was sent.
    template <class Limit, class Launch>
    bool dispatch(cycle now, Limit&& limit, Launch&& launch) {
        if (clusters_.size() > 1) return dispatch_clusters(now, limit, launch);
        bool any = false;
        for (unsigned c = 0; c < room_.size(); ++c) {
            auto const most = limit(c, fit_);
            room_[c] = resident_[c] < most ? most - resident_[c] : 0;
        }
        while (left_ != 0) {
            auto const a = choice_.choose(rooms());
            if (!a) break;
            for (unsigned i = 0; i < a.count; ++i) {
                notify(cta_dispatched{a.core, a.first + i, now}, choice_);
                if (clusters_.in_use())
                    sent_ = {++clusters_sent_, 0, 1, {static_cast<std::uint16_t>(a.core)}};
                launch(a.core, a.first + i, now);
            }
            resident_[a.core] += a.count;
            left_ -= a.count;
            room_[a.core] = 0; // nothing more in this cycle
            any = true;
        }
        return any;
    }

    friend bool operator==(dispatcher const&, dispatcher const&) = default;
    WARPKIT_STORED_MEMBERS(17)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(choice_, placement_, resident_, notices_, total_, left_, done_, fit_, from_, clusters_);
    }

private:
    core_rooms rooms() const noexcept { return {room_.data(), static_cast<unsigned>(room_.size())}; }
    /// The same of clusters. As long as a group holds nothing, limits that leave no room for one cluster there do not
    /// count.
    template <class Limit, class Launch>
    [[gnu::noinline]] bool dispatch_clusters(cycle now, Limit& limit, Launch& launch) {
        bool any = false;
        for (unsigned c = 0; c < room_.size(); ++c) {
            auto const most = limit(c, fit_);
            room_[c] = resident_[c] < most ? most - resident_[c] : 0;
        }
        for (unsigned g = 0; g < clusters_.groups(); ++g) {
            unsigned held = 0, room = 0;
            clusters_.each_core(g, [&](unsigned c) { held += resident_[c], room += room_[c]; });
            if (held == 0 && room < clusters_.size())
                clusters_.each_core(g, [&](unsigned c) { room_[c] = room_[c] != 0 ? fit_ : 0; });
        }
        auto const& rooms = clusters_.rooms(room_);
        while (left_ != 0) {
            auto const a = choice_.choose(rooms);
            if (!a) break;
            for (unsigned i = 0; i < a.count; ++i) {
                notify(cta_dispatched{a.core, a.first + i, now}, choice_);
                send_cluster(a.core, a.first + i, now, launch);
            }
            clusters_.close(a.core); // nothing more in this cycle
            any = true;
        }
        return any;
    }
    template <class Launch>
    void send_cluster(unsigned group, std::uint64_t cluster, cycle now, Launch& launch) {
        sent_ = clusters_.place(group, placement_, room_);
        sent_.id = ++clusters_sent_;
        clusters_.sent(cluster, group);
        for (unsigned rank = 0; rank < clusters_.size(); ++rank) {
            auto const cta = clusters_.cta(cluster, rank);
            auto const core = sent_.core[rank];
            sent_.rank = static_cast<std::uint16_t>(rank);
            notify(cta_dispatched{core, cta, now}, placement_);
            launch(core, cta, now);
            ++resident_[core];
            --left_;
        }
    }
    /// A cluster has finished when all its CTAs have.
    [[gnu::noinline]] void retire_of_cluster(notice const& n) {
        notify(cta_retired{n.core, n.cta, n.at}, placement_);
        auto const cluster = clusters_.of(n.cta);
        unsigned group = 0;
        if (clusters_.finished(cluster, group)) notify(cta_retired{group, cluster, n.at}, choice_);
    }

    Choice choice_;
    [[no_unique_address]] Placement placement_{};
    cycle delay_ = 1;
    heap_array<unsigned> resident_;
    heap_array<unsigned> room_;
    std::vector<notice> notices_;
    std::uint64_t total_ = 0;
    std::uint64_t left_ = 0;
    std::uint64_t done_ = 0;
    std::uint64_t skipped_ = 0;
    unsigned fit_ = 1;
    cycle from_ = 0;
    cycle last_finished_ = 0;
    bool may_dispatch_ = false;
    cluster_groups clusters_;
    std::uint64_t clusters_sent_ = 0; ///< of all grids
    cta_cluster sent_;
};

} // namespace warpkit
