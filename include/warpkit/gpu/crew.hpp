#pragma once
/// \file
/// Several host threads that take a machine through many windows side by side (DESIGN 4).
///
/// Each thread has its own share of the components, the same in every window, so that their state stays in its host core's
/// cache; nothing crosses but what is sent on links, by mailboxes, and the state of the dispatcher. There is no barrier at the
/// end of a window. Since links join cores and partitions to networks only, a thread may begin a window as soon as the others'
/// networks have posted what they did in the one before, and needs the mail of all others' cores and partitions only before its
/// own network. A network is advanced amid the rest of a thread's share; so one thread may be about half a window behind
/// another without holding it up, and what differs from window to window evens out. No thread is ever a whole window ahead of
/// another.

#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/host_line.hpp>
#include <warpkit/gpu/core.hpp>
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
        prepare(most < unwatched ? most : unwatched);
        pool_.together(threads_, [this](unsigned t) { work(t); });
        return finish();
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
    static constexpr unsigned before_ending_ = 4;        ///< and with fewer
    /// A thread that the host holds up holds up all. Where that happens, the caller goes on alone for so many windows, and
    /// for twice as many the next time.
    static constexpr std::uint64_t least_alone_ = 64;
    static constexpr std::uint64_t most_alone_ = 8192;
    static constexpr std::uint64_t undisturbed_ = 512; ///< windows after which that is forgotten

    using mail = mailbox<packet>;

    /// What the others read of a thread has its own line of the host's cache, and what only it itself reads too.
    struct alignas(host_line) member {
        std::atomic<std::uint64_t> half{0};  ///< windows through which its networks are, or would be
        std::atomic<std::uint64_t> whole{0}; ///< and all its components
        unsigned busy[2] = {0, 0};           ///< components in the last two windows
        bool was_held_up = false;
        std::vector<finished_cta> finished[2]; ///< in the last two windows
        alignas(host_line) std::vector<unsigned> first;
        std::vector<unsigned> networks;
        std::vector<unsigned> rest;
        std::vector<unsigned> cores;
        std::vector<unsigned> slices;
        memory_ports ports;               ///< of its cores and partitions
        std::vector<mail*> from_networks; ///< of others
        std::vector<mail*> to_networks;
        std::vector<mail*> from_ports; ///< of others, to its own network
        std::vector<mail*> to_ports;
        std::vector<member const*> between; ///< others without a network, whom no mail tells of
    };
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
        auto const begin = threads_ - 1 - t;
        auto const share = (count + t) / threads_;
        for (auto i = begin; i < count; i += threads_) {
            (i / threads_ < share / 2 ? m.first : m.rest).push_back(from + i);
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
            for (auto const& o : member_)
                if (&o != &m && o.networks.empty()) m.between.push_back(&o);
        }
    }
    void prepare(std::uint64_t most) {
        if (member_.empty()) share_out();
        begin_ = machine_.now_;
        machine_.memory_.wake(begin_);
        stop_.store(most, std::memory_order_relaxed);
        failed_.store(false, std::memory_order_relaxed);
        dispatching_.clear(std::memory_order_relaxed);
        dispatched_ = 0;
        quiet_ = 0;
        together_[0] = machine_.cores_.settled() ? 0 : 1;
        together_[1] = 0;
        for (auto& m : member_) {
            m.half.store(0, std::memory_order_relaxed);
            m.whole.store(0, std::memory_order_relaxed);
            m.was_held_up = false;
            for (auto& f : m.finished) f.clear();
        }
        machine_.cores_.supply().make_room();
        for (auto const& l : apart_) l.port->mirror(*l.network);
        for (auto& m : mail_) m.begin();
    }
    std::uint64_t finish() {
        auto const windows = stop_.load(std::memory_order_relaxed);
        machine_.now_ = machine_.window_at(begin_).end + (windows - 1) * machine_.window_;
        hear_finished(windows - 1);
        for (auto const& l : apart_) {
            if (l.port_sends)
                l.network->join_sender(*l.port);
            else
                l.network->join_receiver(*l.port);
        }
        machine_.busy_ = 0;
        bool held_up = false;
        for (auto& m : member_) {
            machine_.busy_ += m.busy[(windows - 1) & 1];
            held_up = held_up || m.was_held_up;
        }
        if (quiet_ >= before_ending_) crowded_ = 0;
        since_held_up_ += windows;
        if (held_up) {
            next_alone_ = since_held_up_ > undisturbed_   ? least_alone_
                          : next_alone_ * 2 < most_alone_ ? next_alone_ * 2
                                                          : most_alone_;
            alone_ = next_alone_;
            since_held_up_ = 0;
        }
        machine_.cores_.follow(machine_.now_, windows);
        return windows;
    }

    void work(unsigned t) {
        try {
            auto start = begin_;
            for (std::uint64_t n = 0; window_number(t, n, start); ++n) start += machine_.window_;
        } catch (...) {
            failed_.store(true, std::memory_order_release);
            throw;
        }
    }
    /// One window of one thread's share; false when there is none any more.
    bool window_number(unsigned t, std::uint64_t n, tick start) {
        auto& me = member_[t];
        for (auto* const m : me.from_networks)
            if (!open(me, *m, n)) return false;
        for (auto const* const m : me.between)
            if (!wait(me, m->half, n)) return false;
        if (n >= stop_.load(std::memory_order_relaxed)) return false;
        auto const w = machine_.window_at(start);
        if ((together_[n & 1] == n + 1 || !me.finished[(n + 1) & 1].empty()) && !dispatch(t, n, w))
            return false;
        unsigned busy = 0;
        unsigned busy_before = me.busy[(n + 1) & 1];
        advance_share(me, me.first, w, busy, me.from_ports, n - 1);
        for (auto* const m : me.from_ports)
            if (!open(me, *m, n, &busy_before)) return false;
        if (t == 0 && n != 0) {
            quiet_ = busy_before < worth_sharing_ ? quiet_ + 1 : 0;
            if (me.was_held_up || quiet_ == before_ending_) stop_behind(n);
        }
        for (auto const c : me.networks) busy += machine_.advance(c, w, me.ports);
        for (auto* const m : me.to_ports) m->post(n, 0);
        me.half.store(n + 1, std::memory_order_release);
        advance_share(me, me.rest, w, busy, me.from_networks, n);
        auto& finished = me.finished[n & 1];
        finished.clear();
        for (auto const c : me.cores)
            machine_.cores_.take_finished(c, [&](finished_cta const& f) { finished.push_back(f); });
        me.busy[n & 1] = busy;
        for (auto* const m : me.to_networks) m->post(n, busy);
        me.whole.store(n + 1, std::memory_order_release);
        return true;
    }
    /// Advances components through a window, and near the end has the mail fetched that is wanted next: that of window n.
    void advance_share(member const& me, std::vector<unsigned> const& components, window const& w,
                       unsigned& busy, std::vector<mail*> const& boxes, std::uint64_t n) {
        auto left = components.size();
        for (auto const c : components) {
            if (left == 3)
                for (auto const* const m : boxes) m->expect(n);
            if (left == 2)
                for (auto const* const m : boxes) m->fetch(n);
            busy += machine_.advance(c, w, me.ports);
            --left;
        }
    }
    /// Takes what came of the window before window n; adds the note to `sum`. False when a thread has thrown.
    bool open(member& me, mail& m, std::uint64_t n, unsigned* sum = nullptr) {
        if (n == 0) return true;
        if (!wait_until(me, [&] { return m.posted(n - 1); })) return false;
        auto const note = m.take(n - 1);
        if (sum != nullptr) *sum += note;
        return true;
    }
    /// Window n is the last one. Said by who has not come through its networks yet: nobody can have begun the next window.
    void stop_behind(std::uint64_t n) noexcept { stop_.store(n + 1, std::memory_order_relaxed); }
    /// The dispatcher hears of the CTAs that finished in window n, in the order of cores.
    void hear_finished(std::uint64_t n) {
        finished_.clear();
        for (auto const& m : member_)
            for (auto const& f : m.finished[n & 1]) {
                auto at = finished_.size();
                finished_.push_back(f);
                for (; at != 0 && finished_[at - 1].core > f.core; --at) finished_[at] = finished_[at - 1];
                finished_[at] = f;
            }
        for (auto const& f : finished_) machine_.cores_.hear(f);
    }
    /// The CTAs of window n are sent, by the first thread that needs to know: of those in whose share a CTA finished in the
    /// window before, or of all where any core may be given one. The cores that are given one wait here.
    bool dispatch(unsigned t, std::uint64_t n, window const& w) {
        auto& me = member_[t];
        for (auto const& m : member_)
            if (&m != &me && !wait(me, m.whole, n)) return false;
        for (spin s; dispatching_.test_and_set(std::memory_order_acquire); s.pause())
            if (failed_.load(std::memory_order_acquire)) return false; // and never clears it
        if (dispatched_ <= n) send_ctas(n, w);
        dispatching_.clear(std::memory_order_release);
        return true;
    }
    void send_ctas(std::uint64_t n, window const& w) {
        if (n != 0) hear_finished(n - 1);
        machine_.cores_.dispatch(w);
        together_[(n + 1) & 1] = machine_.cores_.settled() ? 0 : n + 2;
        if (machine_.cores_.finished()) stop_behind(n);
        dispatched_ = n + 1;
    }
    /// Waits until a mark says that n windows are over; false when a thread has thrown.
    bool wait(member& me, std::atomic<std::uint64_t> const& mark, std::uint64_t n) {
        return wait_until(me, [&] { return mark.load(std::memory_order_acquire) >= n; });
    }
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
    tick begin_ = 0;
    unsigned quiet_ = 0;        ///< windows in a row with little to do, as the caller saw them
    std::uint64_t crowded_ = 0; ///< windows in a row, when the caller was alone
    std::uint64_t alone_ = 0;   ///< windows that the caller still goes on alone
    std::uint64_t next_alone_ = 0;
    std::uint64_t since_held_up_ = 0;                       ///< windows
    alignas(host_line) std::atomic<std::uint64_t> stop_{0}; ///< the number of windows
    std::atomic<bool> failed_{false};
    std::uint64_t together_[2] = {0, 0}; ///< n + 1 where all threads must wait for the dispatcher in window n
    alignas(host_line) std::atomic_flag dispatching_;
    std::vector<finished_cta> finished_;
    std::uint64_t dispatched_ = 0; ///< windows whose CTAs have been sent
};

} // namespace warpkit
