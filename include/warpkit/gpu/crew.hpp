#pragma once
/// \file
/// Several host threads that take a machine through many windows side by side (DESIGN 4).
///
/// Each thread has its own share of the components, the same in every round, so that their state stays in its host core's
/// cache; nothing crosses but what is sent on links, by mailboxes, and the state of the dispatcher. As on one thread
/// (gpu::leapfrog), networks and all others overtake each other by two windows at a time:
///
///   networks      from one window behind all others to one ahead; their mail goes to all others
///   the rest      two windows, or one where the dispatcher has to be asked in between; its mail goes to the networks
///
/// What finishes is told with the mail, so that all know in which rounds there is something to dispatch: there the first thread
/// does, and the others wait for it.

#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/host_line.hpp>
#include <warpkit/gpu/core.hpp>
#include <warpkit/gpu/dispatcher.hpp>
#include <warpkit/gpu/link.hpp>
#include <warpkit/gpu/mailbox.hpp>
#include <warpkit/gpu/memory_system.hpp>
#include <warpkit/gpu/packet.hpp>
#include <warpkit/gpu/window.hpp>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace warpkit {

/// A pool of threads: `w.together(n, f)` calls f(0) to f(n - 1), each on a thread of its own, and returns when all have. Its type
/// `spin` is how they wait for each other (gpu/spin.hpp).
template <class W>
concept are_threads = requires(W& w) {
    { w.threads() } -> std::convertible_to<unsigned>;
};

/// The threads of a pool that advance one machine, and who has what; the caller is the first of them.
template <class Machine, class Pool>
class crew {
public:
    crew(Machine& machine, Pool& pool)
        : machine_(machine),
          pool_(pool),
          threads_(pool.threads()),
          slices_per_partition_(machine.memory_.slices_per_partition()) {}

    /// Advances the machine by at least one window in which something happens, and at most `most`; by how many.
    std::uint64_t advance(std::uint64_t most) {
        if (alone_ == 0 && executing_ahead_pays()) return supply(most);
        if (threads_ == 1) return machine_.leapfrog(most);
        if (alone_ == 0 && crowded_ >= before_sharing_) return share(most);
        auto const few = alone_ != 0 ? alone_ : before_sharing_;
        auto const windows = machine_.leapfrog(few < most ? few : most);
        alone_ = alone_ < windows ? 0 : alone_ - windows;
        crowded_ = machine_.busy_ < worth_sharing_ ? 0 : crowded_ + windows;
        return windows;
    }
    /// The same by all threads, where there is something to share now.
    std::uint64_t share(std::uint64_t most) {
        if (executing_ahead_pays()) return supply(most);
        if (threads_ == 1 || machine_.busy_ < worth_sharing_) {
            machine_.step();
            return 1;
        }
        auto const unwatched = machine_.cores_.unwatched();
        if (unwatched < most) most = unwatched;
        end_ = prepare();
        if (most > 2 && !machine_.cores_.finished())
            pool_.together(threads_, [this, most, start = end_](unsigned t) { work(t, start, most); });
        return finish(end_);
    }

private:
    bool executing_ahead_pays() const noexcept { return threads_ > 1 && machine_.cores_.supply().wanting(); }
    /// The caller alone goes on, while a second thread executes the next CTAs.
    std::uint64_t supply(std::uint64_t most) {
        auto& source = machine_.cores_.supply();
        source.begin_ahead();
        std::uint64_t windows = 0;
        pool_.together(2, [&](unsigned t) {
            if (t == 1) return source.execute_ahead();
            do {
                ++windows;
            } while (machine_.step() && windows != most && source.executing_ahead());
        });
        return windows;
    }
    using spin = typename std::remove_reference_t<Pool>::spin;

    /// With fewer components than this at work, sharing costs more than it gains.
    static constexpr unsigned worth_sharing_ = 6;
    static constexpr std::uint64_t before_sharing_ = 16; ///< windows in a row with as many as that
    static constexpr unsigned before_ending_ = 4;        ///< rounds in a row with fewer
    /// A thread that the host holds up holds up all. Where that happens, the caller goes on alone for so many windows, and
    /// for twice as many the next time.
    static constexpr std::uint64_t least_alone_ = 64;
    static constexpr std::uint64_t most_alone_ = 8192;
    static constexpr std::uint64_t undisturbed_ = 512; ///< windows after which that is forgotten

    using mail = mailbox<packet>;

    /// What the others read of a thread has its own line of the host's cache, and what only it itself reads too.
    struct alignas(host_line) member {
        /// The last two things it has told: what, and above that, how many there were.
        std::atomic<std::uint64_t> told[2] = {0, 0};
        std::vector<finished_cta> early; ///< finished in the first of two windows
        std::vector<finished_cta> late;  ///< or in the last one
        alignas(host_line) std::vector<unsigned> networks;
        std::vector<unsigned> rest;
        std::vector<unsigned> cores;
        std::vector<unsigned> stopped; ///< of them, halfway in this round
        std::vector<unsigned> slices;
        bool was_held_up = false;
        memory_ports ports;               ///< of its cores and partitions
        std::vector<mail*> from_networks; ///< of others
        std::vector<mail*> to_networks;
        std::vector<mail*> from_ports; ///< of others, to its own network
        std::vector<mail*> to_ports;
    };
    /// How far a thread has come; the same for all.
    struct progress {
        tick networks = 0; ///< are there
        tick rest = 0;     ///< and cores and partitions
        std::uint64_t windows = 0;
        std::uint64_t rounds = 0;
        std::uint64_t told = 0; ///< times
        std::uint64_t dispatched = 0;
        bool to_dispatch = true; ///< before the next window
        dispatch_outlook ahead;
    };
    /// What a thread tells the others with its mail: how many of its components were busy, in `one_busy`s, and this.
    enum : std::uint32_t { finished_early = 1, finished_late = 2, ends = 4, one_busy = 8 };
    /// A link whose ends are on two threads.
    struct apart {
        link<packet>* network; ///< as the network has it, and the machine
        link<packet>* port;
        bool port_sends;
    };

    /// Every so many of the components from `from` on are the t-th thread's: so each has its share of a grid that is small. (And
    /// what a host core fetches ahead, along equal distances in memory, is its own.) The first thread, which has the network for
    /// replies, gets none too many.
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
        auto const cores = machine_.cores_.size();
        auto const partitions = machine_.components() - cores - 2;
        for (unsigned t = 0; t < threads_; ++t) {
            assign(member_[t], t, 0, cores);
            assign(member_[t], t, cores + 2, partitions);
        }
        member_[0].networks.push_back(cores + 1); // the one for replies, in which there are more packets
        member_[threads_ - 1].networks.push_back(cores);
        part_links();
    }
    /// Links whose ends are on two threads become two objects each, joined by mailboxes.
    [[gnu::cold]] void part_links() {
        auto& of_replies = member_[0];
        auto& of_requests = member_[threads_ - 1];
        links_ = machine_.memory_.copy_links();
        auto const there = machine_.memory_.ports();
        memory_ports const here{links_.from_core.data(), links_.to_slice.data(), links_.from_slice.data(),
                                links_.to_core.data()};
        mail_ = heap_array<mail>::of(4 * (threads_ - 1), [](std::size_t) { return mail(); });
        auto* box = mail_.data();
        using links = link<packet>* memory_ports::*;
        // Of one thread's ports with the network of another: what they send on, and what they receive on.
        auto const connect = [&](member& m, member& network, links out, std::vector<unsigned> const& senders,
                                 links in, std::vector<unsigned> const& receivers) {
            if (&m == &network) return;
            auto& up = *box++;
            auto& down = *box++;
            for (auto const i : senders) {
                auto &port = (here.*out)[i], &far = (there.*out)[i];
                up.carry_elements(port, far);
                down.carry_credits(far, port);
                apart_.push_back({&far, &port, true});
            }
            for (auto const i : receivers) {
                auto &port = (here.*in)[i], &far = (there.*in)[i];
                up.carry_credits(port, far);
                down.carry_elements(far, port);
                apart_.push_back({&far, &port, false});
            }
            m.ports.*out = here.*out;
            m.ports.*in = here.*in;
            m.to_networks.push_back(&up);
            m.from_networks.push_back(&down);
            network.from_ports.push_back(&up);
            network.to_ports.push_back(&down);
        };
        for (auto& m : member_) {
            m.ports = there;
            connect(m, of_requests, &memory_ports::from_core, m.cores, &memory_ports::to_slice, m.slices);
            connect(m, of_replies, &memory_ports::from_slice, m.slices, &memory_ports::to_core, m.cores);
        }
    }
    /// The first window, in which networks fall behind.
    progress prepare() {
        if (member_.empty()) share_out();
        progress p;
        machine_.busy_ = machine_.advance_ports(machine_.begin_window(), 0);
        p.rest = machine_.now_;
        p.networks = p.rest - machine_.window_;
        p.windows = 1;
        machine_.memory_.wake(p.networks);
        failed_.store(false, std::memory_order_relaxed);
        dispatched_.store(0, std::memory_order_relaxed);
        ending_ = false;
        quiet_ = 0;
        busy_ = machine_.busy_;
        for (auto& m : member_) {
            for (auto& told : m.told) told.store(0, std::memory_order_relaxed);
            m.early.clear();
            m.late.clear();
            m.was_held_up = false;
        }
        machine_.cores_.supply().make_room();
        for (auto const& l : apart_) l.port->mirror(*l.network);
        for (auto& m : mail_) m.begin();
        return p;
    }
    /// Networks draw level.
    std::uint64_t finish(progress const& p) {
        for (auto const& l : apart_) {
            if (l.port_sends)
                l.network->join_sender(*l.port);
            else
                l.network->join_receiver(*l.port);
        }
        machine_.now_ = p.rest;
        machine_.busy_ = busy_;
        if (p.networks != p.rest) machine_.busy_ += machine_.memory_.advance_networks(p.networks, p.rest);
        hear(&member::late);
        for (auto& m : member_) m.late.clear();
        bool held_up = false;
        for (auto const& m : member_) held_up = held_up || m.was_held_up;
        if (quiet_ >= before_ending_) crowded_ = 0;
        since_held_up_ += p.windows;
        if (held_up) {
            next_alone_ = since_held_up_ > undisturbed_   ? least_alone_
                          : next_alone_ * 2 < most_alone_ ? next_alone_ * 2
                                                          : most_alone_;
            alone_ = next_alone_;
            since_held_up_ = 0;
        }
        machine_.cores_.follow(p.rest, p.windows);
        return p.windows;
    }

    void work(unsigned t, progress p, std::uint64_t most) {
        try {
            while (p.windows + 2 <= most && round(t, p)) {}
            if (t == 0) end_ = p;
        } catch (...) {
            failed_.store(true, std::memory_order_release);
            throw;
        }
    }
    /// One round of one thread's share; whether there is another one.
    bool round(unsigned t, progress& p) {
        auto& me = member_[t];
        auto const first = machine_.window_at(p.rest);
        unsigned busy = 0;
        for (auto const c : me.networks) busy += machine_.advance(c, first, me.ports);
        p.networks = first.end;
        for (auto* const m : me.to_ports) m->post(p.rounds, 0);
        for (auto* const m : me.from_networks)
            if (!open(me, *m, p.rounds)) return false;
        ++p.rounds;
        if (p.to_dispatch) {
            bool const done = dispatch(t, p, &member::late, [&] { machine_.cores_.dispatch(first); });
            if (!done) return false;
        }
        bool const two = p.ahead.settled && !p.ahead.finished;
        auto const w = two ? machine_.cores_.window_of(first.begin, first.end + machine_.window_) : first;
        auto const halfway = two ? first.last : 0;
        bool const stops = p.ahead.left; // a core halfway, where one of its CTAs finishes before
        for (auto const c : me.rest) busy += machine_.advance(c, w, me.ports, stops ? halfway : 0);
        auto news = busy * one_busy + take_finished(me, me.cores, halfway);
        if (t == 0 && ending_) news |= ends;
        if (!tell(t, p, news)) return false;
        auto const said = news;
        if ((news & finished_early) != 0) {
            me.stopped.clear();
            for (auto const& f : me.early)
                if (stops && (me.stopped.empty() || me.stopped.back() != f.core))
                    me.stopped.push_back(f.core);
            if (!dispatch(t, p, &member::early, [&] { machine_.cores_.dispatch(halfway, w.last); }))
                return false;
            for (auto const c : me.stopped) machine_.advance(c, w, me.ports);
            news |= take_finished(me, me.stopped, 0);
            if (stops && !tell(t, p, news)) return false;
        }
        p.rest = w.end;
        p.windows += two ? 2 : 1;
        p.to_dispatch = (news & finished_late) != 0 || !p.ahead.settled;
        if (t == 0) {
            busy_ = said / one_busy;
            quiet_ = busy_ < worth_sharing_ ? quiet_ + 1 : 0;
            ending_ = me.was_held_up || quiet_ >= before_ending_;
        }
        return !p.ahead.finished && (said & ends) == 0;
    }
    /// Notes what has finished on some cores; what there is to tell of it.
    std::uint32_t take_finished(member& me, std::vector<unsigned> const& cores, cycle halfway) {
        for (auto const c : cores)
            machine_.cores_.take_finished(
                c, [&](finished_cta const& f) { (f.at < halfway ? me.early : me.late).push_back(f); });
        return (me.early.empty() ? 0U : finished_early) | (me.late.empty() ? 0U : finished_late);
    }
    /// Tells the others what has happened here, with the mail of cores and partitions; adds to `news` what they tell. False when
    /// a thread has thrown.
    bool tell(unsigned t, progress& p, std::uint32_t& news) {
        auto& me = member_[t];
        auto const n = p.told++;
        for (auto* const m : me.to_networks) m->post(n, news);
        me.told[n & 1].store((n + 1) << 32 | news, std::memory_order_release);
        auto const add = [&news](std::uint32_t more) {
            news = ((news | more) & (one_busy - 1)) + (news / one_busy + more / one_busy) * one_busy;
        };
        for (auto* const m : me.from_ports)
            if (!open(me, *m, n, add)) return false;
        if (!me.networks.empty()) return true;
        for (auto const& m : member_) { // no mail tells of them
            if (&m == &me) continue;
            std::uint64_t said = 0;
            if (!wait_until(me, [&] {
                    return (said = m.told[n & 1].load(std::memory_order_acquire)) >> 32 == n + 1;
                }))
                return false;
            add(static_cast<std::uint32_t>(said));
        }
        return true;
    }
    /// Takes mail number `n`, and gives the note on it to `f`. False when a thread has thrown.
    template <class F>
    bool open(member& me, mail& m, std::uint64_t n, F&& f) {
        if (!wait_until(me, [&] { return m.posted(n); })) return false;
        f(m.take(n));
        return true;
    }
    bool open(member& me, mail& m, std::uint64_t n) {
        return open(me, m, n, [](std::uint32_t) {});
    }
    /// The first thread tells the dispatcher what has finished, has it `dispatch`, and says what is to come; the others wait
    /// for that. False when a thread has thrown.
    template <class Dispatch>
    bool dispatch(unsigned t, progress& p, std::vector<finished_cta> member::*which, Dispatch&& dispatch) {
        ++p.dispatched;
        if (t == 0) {
            hear(which);
            dispatch();
            outlook_[p.dispatched & 1] = machine_.cores_.outlook();
            dispatched_.store(p.dispatched, std::memory_order_release);
        } else if (!wait_until(member_[t],
                               [&] { return dispatched_.load(std::memory_order_acquire) >= p.dispatched; })) {
            return false;
        }
        (member_[t].*which).clear();
        p.ahead = outlook_[p.dispatched & 1];
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
        for (auto const& f : finished_) machine_.cores_.hear(f);
    }
    /// False when a thread has thrown.
    template <class Done>
    bool wait_until(member& me, Done const& done) {
        for (spin s; !done(); s.pause()) {
            if (failed_.load(std::memory_order_acquire)) return false;
            if (s.long_since()) me.was_held_up = true;
            if (s.just_begun()) machine_.cores_.supply().execute_next();
        }
        return true;
    }

    Machine& machine_;
    Pool& pool_;
    unsigned threads_;
    std::vector<member> member_; ///< empty until something is shared
    unsigned slices_per_partition_;
    memory_links links_; ///< the ports' objects for links whose ends are on two threads
    std::vector<apart> apart_;
    heap_array<mail> mail_;
    progress end_;
    unsigned busy_ = 0;         ///< components in the last round
    unsigned quiet_ = 0;        ///< rounds in a row with little to do
    bool ending_ = false;       ///< with the next round
    std::uint64_t crowded_ = 0; ///< windows in a row, when the caller was alone
    std::uint64_t alone_ = 0;   ///< windows that the caller still goes on alone
    std::uint64_t next_alone_ = 0;
    std::uint64_t since_held_up_ = 0;                             ///< windows
    alignas(host_line) std::atomic<std::uint64_t> dispatched_{0}; ///< times
    std::atomic<bool> failed_{false};
    dispatch_outlook outlook_[2]; ///< the last two: who is late may still read the one before
    std::vector<finished_cta> finished_;
};

} // namespace warpkit
