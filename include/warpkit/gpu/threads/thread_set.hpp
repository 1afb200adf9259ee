#pragma once
/// \file
/// Several host threads that take a machine through many windows side by side (docs/model/time.md#windows).
///
/// Each thread has its own share of the components, the same in every round, so that their state stays in its host
/// core's cache; nothing crosses but what is sent on links, by mailboxes, and the state of the dispatcher. As on one
/// thread (gpu::leapfrog), networks and all others overtake each other by two windows at a time:
///
///   networks      from one window behind all others to one ahead
///   the rest      two windows, or one where the dispatcher has to be asked in between; its mail goes to the networks
///
/// Small networks each thread simulates for itself, all alike, so that there is one exchange in a round. Of large ones
/// two threads have one each, and their mail goes to all others.
///
/// What finishes is told with the mail, so that all know in which rounds there is something to dispatch: there the
/// first thread does, and the others wait for it. So it is with the TLB that cores share.
///
/// A thread that does not come holds up all: who has waited for long sleeps, and tells so in the next round, which is
/// the last one then. For how long the caller goes on alone is for the pool to say.
///
/// The reference has no threads.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/host_line.hpp>
#include <warpkit/gpu/common/link.hpp>
#include <warpkit/gpu/common/memory_ports.hpp>
#include <warpkit/gpu/common/window.hpp>
#include <warpkit/gpu/threads/mailbox.hpp>
#include <warpkit/gpu/threads/spin.hpp>
#include <warpkit/machine/cta_notices.hpp>
#include <warpkit/machine/packet.hpp>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpkit {

/// A pool of threads: `w.together(n, f)` calls f(0) to f(n - 1), each on a thread of its own, and returns when all
/// have: for how many nanoseconds the caller was held up. Its type `spin` is how they wait for each other
/// (gpu/threads/spin.hpp), and `w.backoff()` says whether it pays that they do (gpu/threads/sharing_backoff.hpp).
template <class W>
concept are_threads = requires(W& w) {
    { w.threads() } -> std::convertible_to<unsigned>;
};

/// What a thread set asks of a machine, of which it is given a handle: the half with the cores and the dispatcher
/// (gpu/core_array.hpp), the half behind them (gpu/memory/memory_system.hpp), how far it has come, and how it goes on
/// where nothing is shared.
template <class M>
concept shareable_machine = std::copy_constructible<M> &&
    requires(M m, window const& w, memory_ports const& ports, std::uint64_t most, cycle halfway, unsigned c,
             tick t) {
    m.cores();
    m.memory();
    { m.components() } -> std::same_as<unsigned>; ///< cores, two networks, partitions, in this order
    { m.busy() } -> std::same_as<unsigned&>;      ///< components in the last window
    { m.now() } -> std::same_as<tick&>;           ///< of cores and partitions
    { m.window_ticks() } -> std::same_as<tick>;
    { m.window_at(t) } -> std::same_as<window>;
    { m.begin_window() } -> std::same_as<window>;
    { m.advance_ports(w, halfway) } -> std::same_as<unsigned>;
    { m.advance(c, w, ports, halfway) } -> std::same_as<bool>;
    { m.leapfrog(most) } -> std::same_as<std::uint64_t>;
    { m.step() } -> std::same_as<bool>;
};

/// The threads of a pool that advance one machine, and who has what; the caller is the first of them.
template <shareable_machine Machine, class Pool>
class thread_set {
public:
    thread_set(Machine machine, Pool& pool)
        : machine_(machine),
          pool_(pool),
          threads_(pool.threads()),
          slices_per_partition_(machine.memory().slices_per_partition()) {}

    /// Advances the machine by at least one window in which something happens, and at most `most`; by how many.
    std::uint64_t advance(std::uint64_t most) {
        if (threads_ == 1) return machine_.leapfrog(most);
        bool const alone = backing_off();
        if (!alone && executing_ahead_pays()) return supply(most);
        if (!alone && crowded_ >= before_sharing_) return share(most);
        auto const few = alone ? between_looks_ : before_sharing_;
        auto const windows = machine_.leapfrog(few < most ? few : most);
        crowded_ = machine_.busy() < worth_sharing_ ? 0 : crowded_ + windows;
        return windows;
    }
    /// The same by all threads, where there is something to share now.
    std::uint64_t share(std::uint64_t most) {
        if (executing_ahead_pays() && !backing_off()) return supply(most);
        if (threads_ == 1 || machine_.busy() < worth_sharing_) {
            machine_.step();
            return 1;
        }
        auto const unwatched = machine_.cores().unwatched();
        if (unwatched < most) most = unwatched;
        end_ = prepare();
        if (most > 2 && !machine_.cores().finished()) {
            auto const begin = host_nanoseconds();
            auto lost =
                pool_.together(threads_, [this, most, start = end_](unsigned t) { work(t, start, most); });
            lost += machine_.cores().supply().held_up();
            for (auto const& m : member_)
                if (m.held_up > lost) lost = m.held_up;
            pool_.backoff().worked(begin, host_nanoseconds(), lost);
        }
        return finish(end_);
    }

private:
    bool executing_ahead_pays() const noexcept { return threads_ > 1 && machine_.cores().supply().wanting(); }
    bool backing_off() const noexcept {
        auto const& s = pool_.backoff();
        return !s.none() && !s.over(host_nanoseconds());
    }
    /// The caller alone goes on, while a second thread executes the next CTAs.
    std::uint64_t supply(std::uint64_t most) {
        auto& source = machine_.cores().supply();
        source.begin_ahead();
        std::uint64_t windows = 0;
        auto const begin = host_nanoseconds();
        auto const lost = pool_.together(2, [&](unsigned t) {
            if (t == 1) return source.execute_ahead();
            do {
                ++windows;
            } while (machine_.step() && windows != most && source.executing_ahead());
            source.end_ahead();
        });
        pool_.backoff().worked(begin, host_nanoseconds(), lost + source.held_up());
        return windows;
    }
    using spin = typename std::remove_reference_t<Pool>::spin;
    using mail = mailbox<packet>;
    using addresses = typename mail::addresses;
    using way = typename std::remove_cvref_t<decltype(std::declval<Machine&>().memory())>::way;

    /// With fewer components than this at work, sharing costs more than it gains.
    static constexpr unsigned worth_sharing_ = 6;
    static constexpr std::uint64_t before_sharing_ = 16; ///< windows in a row with as many as that
    /// Networks with up to so many ports each thread simulates for itself, if they say so.
    static constexpr unsigned few_ports_ = [] {
        if constexpr (requires { decltype(way::network)::few_ports; })
            return decltype(way::network)::few_ports;
        else
            return 0U;
    }();
    static constexpr unsigned before_ending_ = 4; ///< rounds in a row with fewer
    static constexpr std::uint64_t between_looks_ =
        64; ///< windows that the caller goes on alone before it looks at the clock

    enum : unsigned { requests, replies, ways };

    /// What only it itself reads has lines of its own.
    struct alignas(host_line) member {
        std::vector<finished_cta> early; ///< finished in the first of two windows
        std::vector<finished_cta> late;  ///< or in the last one
        alignas(host_line) std::vector<unsigned> rest;
        std::vector<unsigned> cores;
        std::vector<unsigned> stopped; ///< of them, halfway in this round
        std::vector<unsigned> slices;
        std::uint64_t held_up = 0; ///< nanoseconds
        bool told = false;         ///< something that sleepers may not have seen
        sleeper bed;
        /// What it has of one network: the machine's object, or one of its own.
        struct side {
            way* at = nullptr;
            way own;
            mail up;                   ///< what its cores and partitions do to links: for who has the network
            std::vector<addresses> to; ///< where that of each other comes to
            heap_array<mail>
                down;       ///< what the network does to links of each other, where only this thread has it
            addresses from; ///< where that comes to
        };
        side of[ways];
        std::vector<unsigned> const& senders(unsigned w) const noexcept {
            return w == requests ? cores : slices;
        }
        std::vector<unsigned> const& receivers(unsigned w) const noexcept {
            return w == requests ? slices : cores;
        }
        memory_ports ports() const noexcept {
            return {of[requests].at->in.data(), of[requests].at->out.data(), of[replies].at->in.data(),
                    of[replies].at->out.data()};
        }
    };
    /// How far a thread has come; the same for all.
    struct progress {
        tick networks = 0; ///< are there
        tick rest = 0;     ///< and cores and partitions
        std::uint64_t windows = 0;
        std::uint64_t rounds = 0;
        std::uint64_t told = 0; ///< times
        std::uint64_t dispatched = 0;
        std::uint64_t translated = 0;
        bool to_dispatch = true; ///< before the next window
        dispatch_outlook ahead;
    };
    /// What a thread tells the others with its mail: how many of its components were busy, in `one_busy`s, and this.
    enum : std::uint32_t { finished_early = 1, finished_late = 2, ends = 4, asks_pages = 8, one_busy = 16 };
    /// Every so many of the components from `from` on are the t-th thread's: so each has its share of a grid that is
    /// small. (And what a host core fetches ahead, along equal distances in memory, is its own.) The first thread,
    /// which dispatches and has the larger network, gets none too many.
    void assign(member& m, unsigned t, unsigned from, unsigned count) {
        for (auto i = threads_ - 1 - t; i < count; i += threads_) {
            m.rest.push_back(from + i);
            if (from == 0) m.cores.push_back(i);
            for (unsigned s = 0; from != 0 && s < slices_per_partition_; ++s)
                m.slices.push_back(i * slices_per_partition_ + s);
        }
    }
    /// Before anything is shared for the first time: small kernels never get there.
    [[gnu::cold]] void share_out() {
        member_ = std::vector<member>(threads_);
        auto const cores = machine_.cores().size();
        auto const partitions = machine_.components() - cores - 2;
        for (unsigned t = 0; t < threads_; ++t) {
            assign(member_[t], t, 0, cores);
            assign(member_[t], t, cores + 2, partitions);
        }
        everywhere_ = cores + partitions * slices_per_partition_ <= few_ports_;
        for (auto const w : {requests, replies}) part(w);
    }
    way& whole(unsigned w) noexcept {
        return w == requests ? machine_.memory().requests() : machine_.memory().replies();
    }
    /// The thread that has the machine's own network, and is the only one that has any where networks are not
    /// everywhere.
    unsigned home(unsigned w) const noexcept { return w == requests ? threads_ - 1 : 0; }
    bool has_network(unsigned t, unsigned w) const noexcept { return everywhere_ || t == home(w); }
    /// In whose mail it is told what cores and partitions do to links of that one: where all read all of it, it is one.
    unsigned box(unsigned w) const noexcept { return everywhere_ ? requests : w; }
    /// Each thread has objects of its own for all links of a network.
    [[gnu::cold]] void part(unsigned w) {
        for (unsigned t = 0; t < threads_; ++t) {
            auto& m = member_[t];
            auto& s = m.of[w];
            s.at = &whole(w);
            if (t != home(w)) *(s.at = &s.own) = whole(w);
            auto& up = m.of[box(w)].up;
            for (auto const i : m.senders(w)) up.carry_elements(s.at->in[i]);
            for (auto const i : m.receivers(w)) up.carry_credits(s.at->out[i]);
        }
        for (auto& m : member_) {
            auto& to = m.of[box(w)].to;
            to.resize(threads_);
            for (unsigned o = 0; o < threads_; ++o) {
                for (auto const i : member_[o].senders(w)) to[o].sent.push_back(&m.of[w].at->in[i]);
                for (auto const i : member_[o].receivers(w)) to[o].taken.push_back(&m.of[w].at->out[i]);
            }
        }
        if (everywhere_) return;
        auto& down = member_[home(w)].of[w].down;
        down = heap_array<mail>::of(threads_, [](std::size_t) { return mail(); });
        for (unsigned t = 0; t < threads_; ++t) {
            if (t == home(w)) continue;
            auto& m = member_[t];
            for (auto const i : m.receivers(w)) {
                down[t].carry_elements(whole(w).out[i]);
                m.of[w].from.sent.push_back(&m.of[w].own.out[i]);
            }
            for (auto const i : m.senders(w)) {
                down[t].carry_credits(whole(w).in[i]);
                m.of[w].from.taken.push_back(&m.of[w].own.in[i]);
            }
        }
    }
    /// The first window, in which networks fall behind.
    progress prepare() {
        if (member_.empty()) share_out();
        progress p;
        machine_.busy() = machine_.advance_ports(machine_.begin_window(), 0);
        p.rest = machine_.now();
        p.networks = p.rest - machine_.window_ticks();
        p.windows = 1;
        machine_.memory().wake(p.networks);
        failed_.store(false, std::memory_order_relaxed);
        dispatched_.store(0, std::memory_order_relaxed);
        translated_.store(0, std::memory_order_relaxed);
        ending_ = false;
        quiet_ = 0;
        busy_ = machine_.busy();
        for (auto& m : member_) {
            m.early.clear();
            m.late.clear();
            m.held_up = 0;
            for (auto const w : {requests, replies}) {
                auto& s = m.of[w];
                if (s.at == &s.own) {
                    s.own.mirror_links(whole(w));
                    if (everywhere_) s.own.network = whole(w).network;
                }
            }
        }
        for (auto& m : member_)
            for (auto& s : m.of) { // when all links are the same
                s.up.begin();
                for (auto& d : s.down) d.begin();
            }
        machine_.cores().supply().make_room();
        return p;
    }
    /// Networks draw level.
    std::uint64_t finish(progress const& p) {
        join_links();
        machine_.now() = p.rest;
        machine_.busy() = busy_;
        if (p.networks != p.rest) machine_.busy() += machine_.memory().advance_networks(p.networks, p.rest);
        hear(&member::late);
        for (auto& m : member_) m.late.clear();
        if (quiet_ >= before_ending_) crowded_ = 0;
        machine_.cores().follow(p.rest, p.windows);
        return p.windows;
    }

    /// The machine's links learn what happened to their ends on other threads.
    void join_links() {
        for (auto& m : member_)
            for (auto const w : {requests, replies}) {
                auto& s = m.of[w];
                if (s.at != &s.own) continue;
                for (auto const i : m.senders(w)) whole(w).in[i].join_sender(s.own.in[i]);
                for (auto const i : m.receivers(w)) whole(w).out[i].join_receiver(s.own.out[i]);
            }
    }

    void work(unsigned t, progress p, std::uint64_t most) {
        try {
            while (p.windows + 2 <= most && round(t, p)) {}
            if (t == 0) end_ = p;
        } catch (...) {
            failed_.store(true);
            wake_all(t);
            throw;
        }
        wake_all(t);
    }
    /// One round of one thread's share; whether there is another one.
    bool round(unsigned t, progress& p) {
        auto& me = member_[t];
        auto const first = machine_.window_at(p.rest);
        if (p.to_dispatch && t == 0) dispatch(p, &member::late, [&] { machine_.cores().dispatch(first); });
        unsigned busy = 0;
        for (auto const w : {requests, replies})
            if (has_network(t, w) && me.of[w].at->advance(first.end) && t == home(w)) ++busy;
        p.networks = first.end;
        if (!everywhere_ && !tell_of_networks(t, p.rounds)) return false;
        ++p.rounds;
        if (p.to_dispatch && !hear_outlook(t, p, &member::late)) return false;
        bool const two = p.ahead.settled && !p.ahead.finished;
        auto const w =
            two ? machine_.cores().window_of(first.begin, first.end + machine_.window_ticks()) : first;
        auto const ports = me.ports();
        auto const halfway = two ? first.last : 0;
        bool const stops = p.ahead.left; // a core halfway, where one of its CTAs finishes before
        for (auto const c : me.rest) busy += machine_.advance(c, w, ports, stops ? halfway : 0);
        auto news = busy * one_busy + take_finished(me, me.cores, halfway) + asked(t, me.cores);
        if (me.held_up != 0 || (t == 0 && ending_)) news |= ends;
        if (!tell(t, p, news)) return false;
        auto const said = news;
        if ((news & finished_early) != 0) {
            me.stopped.clear();
            for (auto const& f : me.early)
                if (stops && (me.stopped.empty() || me.stopped.back() != f.core))
                    me.stopped.push_back(f.core);
            if (t == 0) dispatch(p, &member::early, [&] { machine_.cores().dispatch(halfway, w.last); });
            if (!hear_outlook(t, p, &member::early)) return false;
            for (auto const c : me.stopped) machine_.advance(c, w, ports, 0);
            news |= take_finished(me, me.stopped, 0) | asked(t, me.stopped);
            if (stops && !tell(t, p, news)) return false;
        }
        if ((news & asks_pages) != 0 && !translate(t, p, w.end)) return false;
        p.rest = w.end;
        p.windows += two ? 2 : 1;
        p.to_dispatch = (news & finished_late) != 0 || !p.ahead.settled;
        if (t == 0) {
            busy_ = said / one_busy;
            quiet_ = busy_ < worth_sharing_ ? quiet_ + 1 : 0;
            ending_ = quiet_ >= before_ending_;
        }
        return !p.ahead.finished && (said & ends) == 0;
    }
    /// Notes what has finished on some cores; what there is to tell of it.
    std::uint32_t take_finished(member& me, std::vector<unsigned> const& cores, cycle halfway) {
        for (auto const c : cores)
            machine_.cores().take_finished(
                c, [&](finished_cta const& f) { (f.at < halfway ? me.early : me.late).push_back(f); });
        return (me.early.empty() ? 0U : finished_early) | (me.late.empty() ? 0U : finished_late);
    }
    /// Whether some cores have asked for pages, or, on the first thread, the TLB that they share has some under way.
    std::uint32_t asked(unsigned t, std::vector<unsigned> const& cores) {
        auto& all = machine_.cores();
        if (!all.translates()) return 0;
        bool any = t == 0 && all.is_translating();
        for (auto const c : cores) any = any || all.has_asked(c);
        return any ? std::uint32_t{asks_pages} : 0U;
    }
    /// All have come to `now`: the first thread translates, and the others wait for it. False when a thread has thrown.
    bool translate(unsigned t, progress& p, tick now) {
        auto const n = ++p.translated;
        if (t == 0) {
            machine_.cores().translate(now);
            translated_.store(n, std::memory_order_release);
            has_told(0);
        }
        return wait_until(member_[t], [&] { return translated_.load(std::memory_order_acquire) >= n; });
    }
    /// Tells the others what has happened here, and hears from them; adds to `news` what they tell. False when a thread
    /// has thrown.
    bool tell(unsigned t, progress& p, std::uint32_t& news) {
        auto& me = member_[t];
        auto const n = p.told++;
        for (unsigned b = 0; b <= box(replies); ++b)
            if (everywhere_ || t != home(b)) me.of[b].up.post(n, news);
        has_told(t);
        for (unsigned o = 0; o < threads_; ++o) {
            if (o == t) continue;
            auto const& of = member_[o].of;
            auto const& any = of[box(o == home(requests) ? replies : requests)].up;
            if (!wait_until(me, [&] { return any.posted(n); })) return false;
            auto const more = any.note(n);
            for (unsigned b = 0; b <= box(replies); ++b) {
                if (!has_network(t, b)) continue;
                if (!wait_until(me, [&] { return of[b].up.posted(n); })) return false;
                of[b].up.take(n, me.of[b].to[o]);
            }
            news = ((news | more) & (one_busy - 1)) + (news / one_busy + more / one_busy) * one_busy;
        }
        return true;
    }
    /// Those who have a network tell the others what it has done. False when a thread has thrown.
    bool tell_of_networks(unsigned t, std::uint64_t n) {
        auto& me = member_[t];
        for (auto const w : {requests, replies})
            for (unsigned o = 0; t == home(w) && o < threads_; ++o)
                if (o != t) me.of[w].down[o].post(n, 0);
        has_told(t);
        for (auto const w : {requests, replies}) {
            if (t == home(w)) continue;
            auto const& box = member_[home(w)].of[w].down[t];
            if (!wait_until(me, [&] { return box.posted(n); })) return false;
            box.take(n, me.of[w].from);
        }
        return true;
    }
    /// The first thread tells the dispatcher what has finished, has it `dispatch`, and says what is to come.
    template <class Dispatch>
    void dispatch(progress const& p, std::vector<finished_cta> member::*which, Dispatch&& dispatch) {
        hear(which);
        dispatch();
        auto const n = p.dispatched + 1;
        outlook_[n & 1] = machine_.cores().outlook();
        dispatched_.store(n, std::memory_order_release);
        has_told(0);
    }
    /// All threads wait for that. False when a thread has thrown.
    bool hear_outlook(unsigned t, progress& p, std::vector<finished_cta> member::*which) {
        auto const n = ++p.dispatched;
        if (!wait_until(member_[t], [&] { return dispatched_.load(std::memory_order_acquire) >= n; }))
            return false;
        (member_[t].*which).clear();
        p.ahead = outlook_[n & 1];
        return true;
    }
    /// The dispatcher hears of the CTAs that have finished, in the order of cores.
    void hear(std::vector<finished_cta> member::*which) {
        finished_.clear();
        for (auto const& m : member_)
            for (auto const& f : m.*which) {
                auto at = finished_.size();
                finished_.push_back(f);
                for (; at != 0 && finished_[at - 1].core > f.core; --at) finished_[at] = finished_[at - 1];
                finished_[at] = f;
            }
        for (auto const& f : finished_) machine_.cores().hear(f);
    }
    /// False when a thread has thrown.
    template <class Done>
    bool wait_until(member& me, Done const& done) {
        if (done()) return true;
        spin s;
        do {
            if (failed_.load(std::memory_order_acquire)) return false;
            s.pause();
            if (s.just_begun()) machine_.cores().supply().execute_next();
            if (s.long_since()) sleep(me, done);
        } while (!done());
        me.held_up += s.held_up();
        return true;
    }
    /// Whom it waits for may wait for this thread's host core.
    template <class Done>
    [[gnu::cold, gnu::noinline]] void sleep(member& me, Done const& done) {
        if (me.told) wake_all(static_cast<unsigned>(&me - member_.data()));
        me.bed.sleep_unless([&] { return done() || failed_.load(); });
    }
    /// Thread `t` has told others something, that some of them may sleep for.
    void has_told(unsigned t) noexcept {
        member_[t].told = true;
        for (unsigned o = 0; o < threads_; ++o)
            if (o != t) member_[o].bed.wake();
    }
    /// The same for all that it has told, once it is sure that they see it.
    void wake_all(unsigned t) noexcept {
        sleeper::settle();
        has_told(t);
        member_[t].told = false;
    }

    Machine machine_;
    Pool& pool_;
    unsigned threads_;
    std::vector<member> member_; ///< empty until something is shared
    unsigned slices_per_partition_;
    bool everywhere_ = false; ///< each thread simulates both networks for itself
    progress end_;
    unsigned busy_ = 0;         ///< components in the last round
    unsigned quiet_ = 0;        ///< rounds in a row with little to do
    bool ending_ = false;       ///< with the next round
    std::uint64_t crowded_ = 0; ///< windows in a row, when the caller was alone
    alignas(host_line) std::atomic<std::uint64_t> dispatched_{0}; ///< times
    std::atomic<std::uint64_t> translated_{0};
    std::atomic<bool> failed_{false};
    dispatch_outlook outlook_[2]; ///< the last two: who is late may still read the one before
    std::vector<finished_cta> finished_;
};

} // namespace warpkit
