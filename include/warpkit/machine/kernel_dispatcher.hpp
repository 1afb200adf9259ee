#pragma once
/// \file
/// Kernels at once: which launches of a group are on the machine, and which cores each has, or shares
/// (docs/model/dispatch.md#kernels). Each has a dispatcher of its own, which sends its CTAs to its cores. Both engines
/// have it.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/cta/cluster_spread.hpp>
#include <warpkit/cta/kernel_dispatch.hpp>
#include <warpkit/machine/cluster.hpp>
#include <warpkit/machine/cluster_groups.hpp>
#include <warpkit/machine/cta_notices.hpp>
#include <warpkit/machine/dispatcher.hpp>
#include <warpkit/machine/kernel_span.hpp>
#include <warpkit/machine/launch.hpp>
#include <warpkit/machine/linked_kernels.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/shared_cores.hpp>
#include <warpkit/program/launch_group.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpkit {

/// Either a core has one kernel at a time; it gets another one where two windows meet, while it holds no CTA. Or all
/// cores have all kernels of the group (machine/linked_kernels.hpp), and the policy says, CTA by CTA, whose turn it is.
///
/// Of its host it asks:
///   * `begin_kernel(core, place, launch, fit)`: the core has that kernel from now on, `fit` CTAs of which fit it;
///     where cores are shared, all of the group, in place 0;
///   * `end_kernel(core, cycle)`: it has it no more;
///   * `is_free(core)`: whether nothing but CTAs keeps the core from changing;
///   * `counted_on(core)`: the run_counters of what the core has counted;
///   * `took_place(place, launch)`, if it has that: heard before any core begins with the launch;
///   * `cores_share(linked)`, if it has that: heard before any core begins with a group, the linked_kernels that share
///     cores, or null;
///   * `stalls_of(launch)`, if it has that: scheduler cycles of all cores in which nothing issued, by cause, that are
///     that launch's.
/// There are as many places as kernels at once, each for one at a time.
template <class Choice, class KernelDispatch, class Placement = cluster_spread>
class kernel_dispatcher {
    using place = kernel_place<Choice, Placement>;
    static constexpr unsigned nobody = place::nobody;

public:
    kernel_dispatcher() = default;
    kernel_dispatcher(gpu_parameters const& p, cycle delay, Choice const& choice,
                      KernelDispatch const& policy, Placement const& placement = {})
        : sharing_(p, policy),
          most_(p.core.kernels),
          unused_{dispatcher<Choice, Placement>(p.core.count, delay, choice, placement), nobody, {}},
          place_(1, unused_),
          kernel_of_(p.core.count, nobody),
          open_(p.core.count, 0) {}

    /// Begins with a group. Throws `error` for one that makes no sense, or of which a kernel does not fit a core.
    template <class Host>
    void begin(gpu_parameters const& p, launch_group const& group, cycle now, Host& host) {
        check_group(group);
        for (auto const& l : group) {
            check_code(*l.launch.program);
            check_units(p, *l.launch.program);
            ctas_per_core(p, l.launch);
        }
        has_clusters_ = false;
        for (auto const& l : group) {
            check_clusters(p, l.launch,
                           group.size() == 1 || (most_ == 1 && !shares_cores(sharing_.policy())));
            has_clusters_ = has_clusters_ || uses_clusters(l.launch);
        }
        linked_.reset();
        if (group.size() > 1 && shares_cores(sharing_.policy())) linked_.reset(new linked_kernels(p, group));
        if constexpr (requires { host.cores_share(linked_.get()); }) host.cores_share(linked_.get());
        group_ = group;
        span_.assign(group.size(), {});
        before_.assign(several() ? kernel_of_.size() : 0, {});
        state_.assign(group.size(), waiting);
        waiting_ = group.size();
        ended_ctas_ = 0;
        began_ = now;
        running_.clear();
        for (auto& k : kernel_of_) k = nobody;
        sharing_.begin();
        if (linked_) begin_shared(host);
        admit(p, now, host);
        if (linked_) return;
        assign(now, host);
        for (unsigned c = 0; c < kernel_of_.size(); ++c) // whom nobody needs yet
            if (kernel_of_[c] == nobody) give(c, running_.front(), now, host);
    }
    /// Where two windows meet: kernels end, others begin, and cores change hands.
    template <class Host>
    void follow(gpu_parameters const& p, cycle now, Host& host) {
        if (!several()) return;
        take_ended(host);
        admit(p, now, host);
        if (!running_.empty() && !linked_) assign(now, host);
    }
    /// All have ended; the cycle behind the last one.
    template <class Host>
    cycle end(Host& host) {
        take_ended(host);
        auto last = began_;
        for (auto const& s : span_) last = std::max(last, began_ + s.ended);
        for (unsigned c = 0; c < kernel_of_.size(); ++c) leave(c, last, host);
        return last;
    }

    /// Dispatches in the cycles from `begin` to `end - 1`. `limit(core)` is the most CTAs of its kernel that it may
    /// hold now; `launch(place, core, cta, cycle)` sends one, and answers how many warp instructions it has.
    template <class Limit, class Launch>
    void run(cycle begin, cycle end, Limit&& limit, Launch&& launch) {
        if (linked_) return run_shared(begin, end, limit, launch);
        for (auto const n : running_) {
            auto const kernel = place_[n].kernel;
            place_[n].ctas.run(
                begin, end,
                [&](unsigned c, unsigned) {
                    return open_[c] != 0 && kernel_of_[c] == kernel ? limit(c) : 0U;
                },
                sender(n, launch));
        }
    }
    void finished(finished_cta const& f) {
        if (!linked_) return place_[place_of(f.core)].ctas.finished(f.core, f.linear_id, f.at);
        for (auto const n : running_) {
            auto const cta =
                f.linear_id - linked_->first_cta(place_[n].kernel); // wraps where it is an earlier one's
            if (cta < launch_in(n).ctas()) return place_[n].ctas.finished(f.core, cta, f.at);
        }
    }
    /// The number by which cores know CTA `cta` of the launch in place `n`. Where kernels share cores, `stream` becomes
    /// a part of the code that cores have.
    std::uint64_t on_core(unsigned n, std::uint64_t cta, cta_stream& stream) {
        if (!linked_) return cta;
        auto const k = place_[n].kernel;
        linked_->link(k, stream, span_[k].counted.core);
        return linked_->first_cta(k) + cta;
    }
    /// The cluster of the CTA of the launch in place `n` that is being sent, where it has clusters.
    cta_cluster const& cluster(unsigned n) const noexcept { return place_[n].ctas.sent(); }
    /// Whether a launch of the group has clusters.
    bool has_clusters() const noexcept { return has_clusters_; }
    /// Whether the CTAs of a kernel that runs alone go out in the order of their numbers.
    bool keeps_order() const noexcept { return place_[0].ctas.keeps_order(); }
    /// Whether cores have all kernels of the group.
    bool shared() const noexcept { return linked_ != nullptr; }
    /// As dispatcher::skip, of a group of one.
    template <class Execute>
    std::uint64_t skip(std::uint64_t count, cycle now, Execute&& execute) {
        return place_[0].ctas.skip(count, now, execute);
    }
    /// Something outside changed what cores may hold.
    void reconsider() noexcept {
        for (auto const n : running_) place_[n].ctas.reconsider();
    }
    /// The first cycle at or after `now` in which something can be done here.
    cycle next_event(cycle now) const noexcept {
        auto next = never;
        for (auto const n : running_) next = std::min(next, place_[n].ctas.next_event(now));
        return next;
    }

    /// Whether the group is of several launches.
    bool several() const noexcept { return group_.size() > 1; }
    /// Whether all CTAs of all launches have finished.
    bool done() const noexcept {
        for (auto const n : running_)
            if (!place_[n].ctas.done()) return false;
        return waiting_ == 0;
    }
    /// What there is to do from now on.
    dispatch_outlook outlook() const noexcept {
        return several() ? dispatch_outlook{false, done(), true} : place_[0].ctas.outlook();
    }
    /// CTAs of all launches; those that have not been dispatched, and those that have finished.
    std::uint64_t total() const noexcept {
        std::uint64_t n = 0;
        for (auto const& l : group_) n += l.launch.ctas();
        return n;
    }
    std::uint64_t left() const noexcept {
        std::uint64_t n = 0;
        for (std::size_t k = 0; k < group_.size(); ++k)
            if (state_[k] == waiting) n += group_[k].launch.ctas();
        for (auto const r : running_) n += place_[r].ctas.left();
        return n;
    }
    std::uint64_t finished_count() const noexcept {
        auto n = ended_ctas_;
        for (auto const r : running_) n += place_[r].ctas.finished_count();
        return n;
    }
    /// Warp instructions of all CTAs that were sent.
    std::uint64_t dispatched() const noexcept {
        std::uint64_t n = 0;
        for (auto const& s : span_) n += s.warp_instructions;
        return n;
    }
    /// Of those that have finished, the ones that skip() took.
    std::uint64_t skipped_count() const noexcept { return place_[0].ctas.skipped_count(); }
    /// CTAs that have not finished on any core, as far as is known here.
    std::uint64_t resident() const noexcept {
        std::uint64_t n = 0;
        for (auto const& p : place_) n += p.ctas.resident();
        return n;
    }
    /// That of the kernel in the first place.
    Choice const& choice() const noexcept { return place_[0].ctas.choice(); }
    /// The launch that has a place.
    kernel_launch const& launch_in(unsigned n) const noexcept { return group_[place_[n].kernel].launch; }
    /// What became of each launch.
    std::vector<kernel_span> const& spans() const noexcept { return span_; }
    /// The program of the kernel that has this core.
    static_program const& program_on(unsigned core) const noexcept {
        if (linked_) return linked_->program();
        return *group_[kernel_of_[core]].launch.program;
    }
    /// For messages.
    std::string names() const {
        auto text = "kernel '" + group_[0].launch.program->name + '\'';
        if (several()) text += " (of " + std::to_string(group_.size()) + " that may run at once)";
        return text;
    }

    friend bool operator==(kernel_dispatcher const& a, kernel_dispatcher const& b) {
        return a.sharing_ == b.sharing_ && a.place_ == b.place_ && a.running_ == b.running_ &&
               a.kernel_of_ == b.kernel_of_ && a.open_ == b.open_;
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(sharing_, place_, running_, kernel_of_, open_);
    }
    /// Of the group that it has begun with.
    template <class F>
    void each_stored(F&& f) {
        f(sharing_, place_, running_, kernel_of_, open_, span_, before_, state_, waiting_, ended_ctas_, began_,
          has_clusters_);
    }

private:
    enum progress : std::uint8_t { waiting, begun, ended };

    /// The place of the kernel that has this core, or the first one, if it has ended.
    unsigned place_of(unsigned core) const noexcept {
        for (auto const n : running_)
            if (place_[n].kernel == kernel_of_[core]) return n;
        return 0;
    }
    /// CTAs of its kernel on a core.
    unsigned held(unsigned core) const noexcept { return place_[place_of(core)].ctas.held(core); }

    /// Kernels whose CTAs have all finished leave their places.
    template <class Host>
    void take_ended(Host& host) {
        std::erase_if(running_, [&](unsigned n) {
            auto& p = place_[n];
            if (!p.ctas.done()) return false;
            auto& span = span_[p.kernel];
            if (span.ctas != 0) span.ended = p.ctas.last_finished() + 1 - began_;
            if (linked_) {
                span.counted.core.ctas = span.ctas;
                if constexpr (requires { host.stalls_of(n); })
                    span.counted.core.cause = host.stalls_of(p.kernel);
            }
            span.counted.cycles = span.ended - span.began;
            span.counted.kernels = 1;
            state_[p.kernel] = ended;
            ended_ctas_ += p.ctas.finished_count();
            p.kernel = nobody;
            return true;
        });
    }
    /// Those that come after nobody who has not ended begin, as long as there are places, in the order of launches.
    template <class Host>
    void admit(gpu_parameters const& p, cycle now, Host& host) {
        for (unsigned k = 0; waiting_ != 0 && k < group_.size() && running_.size() < most_; ++k) {
            auto const& launch = group_[k].launch;
            auto const& after = group_[k].after;
            auto const has_ended = [this](std::uint32_t a) { return state_[a] == ended; };
            if (state_[k] != waiting || !std::all_of(after.begin(), after.end(), has_ended)) continue;
            unsigned n = 0;
            while (n < place_.size() && place_[n].kernel != nobody) ++n;
            if (n == place_.size()) place_.push_back(unused_);
            auto const fit = ctas_per_core(p, launch);
            place_[n].kernel = k;
            place_[n].takes = share_of(compiled_for(p, needs_of(launch), launch.program->registers_estimated),
                                       resources_of(p));
            place_[n].ctas.begin(grid_on(p, launch, fit), fit, now + launch_cycles(p, launch),
                                 clusters_on(p, launch));
            span_[k].began = now - began_;
            state_[k] = begun;
            --waiting_;
            running_.push_back(n);
            if constexpr (requires { host.took_place(n, launch); }) host.took_place(n, launch);
        }
    }

    /// What sends a CTA of the launch in place `n` to a core.
    template <class Launch>
    auto sender(unsigned n, Launch& launch) {
        return [this, n, &launch, &span = span_[place_[n].kernel]](unsigned c, std::uint64_t cta, cycle at) {
            if (span.ctas++ == 0) span.first_cta = at - began_;
            span.warp_instructions += launch(n, c, cta, at);
        };
    }

    // ---- cores that all kernels share

    template <class Host>
    void begin_shared(Host& host) {
        for (unsigned c = 0; c < kernel_of_.size(); ++c) {
            kernel_of_[c] = 0;
            host.begin_kernel(c, 0, linked_->launch(), linked_->fit());
        }
    }
    template <class Limit, class Launch>
    void run_shared(cycle begin, cycle end, Limit& limit, Launch& launch) {
        for (auto now = next_event(begin); now < end; now = next_event(now + 1))
            sharing_.run(
                now, place_, running_, limit,
                [&](unsigned n, unsigned c, std::uint64_t cta, cycle at) { sender(n, launch)(c, cta, at); });
    }

    // ---- cores of one kernel at a time

    /// Says which cores are open to new CTAs of their kernels, and gives those without CTAs to who needs them, the
    /// oldest first. Nobody has more than its share, as the policy says it, while another one needs more of its own;
    /// what it has too much then gets no further CTAs.
    template <class Host>
    void assign(cycle now, Host& host) {
        auto const cores = static_cast<unsigned>(kernel_of_.size());
        auto const kernels = static_cast<unsigned>(running_.size());
        bool const alone = kernels == 1;
        was_open_ = open_;
        need_.assign(kernels, {});
        for (auto& o : open_) o = 0;
        for (unsigned i = 0; i < kernels; ++i) {
            auto const& ctas = place_[running_[i]].ctas;
            need_[i].share = cores;
            if constexpr (parts_cores<KernelDispatch>)
                if (!alone) need_[i].share = sharing_.policy().share(i, kernels, cores);
            // The window in which its launch latency ends is looked at, the one before not always.
            bool const sends =
                ctas.from() < now || ctas.from() == began_ + span_[place_[running_[i]].kernel].began;
            need_[i].more = !sends && !alone ? 0 : alone && ctas.left() != 0 ? cores : ctas.left();
        }
        auto const own = [&](unsigned i, unsigned c) { return kernel_of_[c] == place_[running_[i]].kernel; };
        auto const open = [&](unsigned i, unsigned c) {
            auto& n = need_[i];
            auto& ctas = place_[running_[i]].ctas;
            if (!own(i, c) || was_open_[c] == 0) ctas.reconsider();
            if (!own(i, c)) give(c, running_[i], now, host);
            open_[c] = 1;
            ++n.has;
            if (ctas.held(c) == 0 && n.more != 0) --n.more; // room for one of them at least
        };
        auto const each = [&](auto&& f) {
            for (unsigned i = 0; i < kernels; ++i)
                for (unsigned c = 0; c < cores; ++c)
                    if (open_[c] == 0) f(i, c);
        };
        auto const take_empty = [&](bool beyond_share) {
            each([&](unsigned i, unsigned c) {
                if (need_[i].more == 0 || (need_[i].has >= need_[i].share && !beyond_share)) return;
                if (kernel_of_[c] == nobody || (held(c) == 0 && (own(i, c) || host.is_free(c)))) open(i, c);
            });
        };
        each([&](unsigned i, unsigned c) { // its own
            bool const of_use = own(i, c) && (held(c) != 0 || need_[i].more != 0);
            if (of_use && need_[i].has < need_[i].share) open(i, c);
        });
        take_empty(false);
        std::uint64_t lacking = 0;
        for (auto const& n : need_)
            if (n.has < n.share) lacking += std::min<std::uint64_t>(n.share - n.has, n.more);
        each([&](unsigned i, unsigned c) {
            if (!own(i, c) || held(c) == 0) return;
            if (lacking != 0)
                --lacking; // it goes to another one when it is empty
            else
                open(i, c);
        });
        take_empty(true);
    }
    /// The core is the kernel's that has place `n`.
    template <class Host>
    void give(unsigned c, unsigned n, cycle now, Host& host) {
        if (kernel_of_[c] != nobody) leave(c, now, host);
        kernel_of_[c] = place_[n].kernel;
        if (several()) before_[c] = host.counted_on(c);
        host.begin_kernel(c, n, group_[kernel_of_[c]].launch, place_[n].ctas.fit());
    }
    template <class Host>
    void leave(unsigned c, cycle now, Host& host) {
        host.end_kernel(c, now);
        if (several() && !linked_) span_[kernel_of_[c]].counted += difference(host.counted_on(c), before_[c]);
    }

    struct needs {
        unsigned share = 0;     ///< cores that nobody takes from it
        unsigned has = 0;       ///< cores open to it
        std::uint64_t more = 0; ///< cores without a CTA that it could use beside them
    };

    shared_cores<Choice, KernelDispatch, Placement> sharing_;
    std::uint32_t most_ = 1; ///< kernels at once
    place unused_;
    std::vector<place> place_;
    std::vector<unsigned> running_;  ///< places, the oldest kernel first
    heap_array<unsigned> kernel_of_; ///< by core
    heap_array<std::uint8_t> open_;  ///< by core: its kernel may send CTAs there
    heap_array<std::uint8_t> was_open_;
    std::vector<needs> need_;                      ///< of those that run
    std::shared_ptr<linked_kernels const> linked_; ///< of a group that shares cores
    launch_group group_;
    std::vector<kernel_span> span_;
    std::vector<progress> state_;
    std::vector<run_counters> before_; ///< by core: when its kernel got it, in a group of several
    std::size_t waiting_ = 0;          ///< launches
    std::uint64_t ended_ctas_ = 0;
    cycle began_ = 0;
    bool has_clusters_ = false;
};

} // namespace warpkit
