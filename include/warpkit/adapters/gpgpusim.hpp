#pragma once
/// \file
/// Warp schedulers of the catalogue as a scheduler_unit of GPGPU-Sim and Accel-Sim. docs/howto/gpgpusim.md has the
/// lines that put one there. Nothing of the host is included: what it has is found through its scheduler_unit.

#include <warpkit/adapters/outside_the_heap.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/policy_text.hpp>
#include <warpkit/warp/catalogue.hpp>
#include <warpkit/warp/ordering.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::adapters {

/// What a host's core can tell its schedulers beside what they see by themselves, with a line where it happens. A
/// policy that goes by these is refused where the host has no such lines (gpgpusim_tells).
struct gpgpusim_hooks {
    virtual void tell(l1_accessed const& e) = 0;
    virtual void tell(l1_evicted const& e) = 0;
    virtual void tell(l1_filled const& e) = 0;
    virtual void tell(load_returned const& e) = 0;

protected:
    ~gpgpusim_hooks() = default;
};
/// Tells those of a core's schedulers that are gpgpusim_schedulers: `tell_all(schedulers, l1_filled{line})`.
template <class Schedulers, class E>
void tell_all(Schedulers const& schedulers, E const& e) {
    for (auto* const s : schedulers)
        if (auto* const hooks = dynamic_cast<gpgpusim_hooks*>(s)) hooks->tell(e);
}

/// Whether the host has the lines that call tell_all.
enum class gpgpusim_tells : bool { what_is_seen, hooks };

namespace detail {

/// What is told beside what an ordering tells by itself.
template <gpgpusim_tells Tells>
struct gpgpusim_events {
    using type = event_list<blocked, unblocked, barrier_arrived, barrier_released, cycles_spent>;
};
template <>
struct gpgpusim_events<gpgpusim_tells::hooks> {
    using type = event_list<blocked, unblocked, barrier_arrived, barrier_released, cycles_spent, l1_accessed,
                            l1_evicted, l1_filled, load_returned>;
};

template <class... P>
struct list_of_policies {
    template <class F>
    static void each(F&& f) {
        (f.template operator()<P>(), ...);
    }
};

/// How the host's warps are read: shd_warp_t.
struct gpgpusim_view {
    template <class Warp>
    static unsigned slot(Warp* w) {
        return w->get_warp_id();
    }
    template <class Warp>
    static bool live(Warp* w) {
        return !w->done_exit();
    }
    template <class Warp>
    static std::uint64_t age(Warp* w) {
        return w->get_dynamic_warp_id();
    }
    template <class Warp>
    static unsigned cta(Warp* w) {
        return w->get_cta_id();
    }
    template <class Warp>
    static issue_class next(Warp* w) {
        auto const* const i = w->ibuffer_next_inst();
        return i == nullptr ? issue_class::other : kind(*i);
    }
    template <class Instruction>
    static issue_class kind(Instruction const& i) {
        using space = decltype(i.space.get_type());
        constexpr auto shared = static_cast<space>(3); // shared_space, in every version
        if (!i.is_load() && !i.is_store()) return issue_class::arithmetic;
        if (i.space.get_type() == shared) return issue_class::shared_memory;
        if (i.isatomic()) return issue_class::atomic;
        return i.is_load() ? issue_class::load : issue_class::store;
    }
};

/// The type of a Unit's protected list of warps.
template <class Unit>
struct gpgpusim_peek : Unit {
    static auto warps(gpgpusim_peek& u) { return u.m_supervised_warps; }
};
template <class Unit>
using gpgpusim_warps = decltype(gpgpusim_peek<Unit>::warps(std::declval<gpgpusim_peek<Unit>&>()));

} // namespace detail

/// A Policy as a Unit, which is the host's scheduler_unit. It sees launches, exits, barriers, fences and what each warp
/// waits for (a long operation, as the host's own two-level scheduler understands it, or another result) by looking at
/// all warps of the core when it puts its own in order, and hears from the host what it issued. With the host's lines
/// (gpgpusim_hooks) it is told of the L1 and of returned loads, too.
///
/// A policy that goes by anything else does not compile: there is no program to read in a trace, and a cycle's cause is
/// told as issued, no_cta or structural_other alone.
template <class Unit, class Policy, gpgpusim_tells Tells = gpgpusim_tells::what_is_seen>
class gpgpusim_scheduler : public Unit, public gpgpusim_hooks {
public:
    /// The rest are the arguments of Unit.
    template <class... A>
    explicit gpgpusim_scheduler(Policy const& policy, A&&... of_unit)
        : Unit(static_cast<A&&>(of_unit)...),
          own_(policy) {}
    // In the heap it takes the place of a scheduler of the host's own, which has no members beside Unit's.
    static void* operator new(std::size_t size) { return adapters::detail::allocate_outside(size); }
    static void operator delete(void* p, std::size_t size) { adapters::detail::free_outside(p, size); }
    ~gpgpusim_scheduler() override { ::operator delete(place_, sizeof(Unit)); }

    void done_adding_supervised_warps() override {
        this->m_last_supervised_issued = this->m_supervised_warps.begin();
    }
    void order_warps() override {
        auto& own = *own_;
        if (auto* const k = this->m_shader->get_kernel(); k != nullptr && k != own.kernel) {
            own.kernel = k;
            begin(*k);
        }
        auto const& all = *this->m_warp;
        own.order.look(all);
        spend_last_cycle(all);
        if constexpr (hears<Policy, blocked> || hears<Policy, barrier_arrived>)
            for (auto* const w : all) look_at(*w);
        for (auto* const w : this->m_supervised_warps) remember(*w);
        // The host's own orders copy the list, and keep the slots without a live warp at its end: so does this, for
        // the sake of the host's heap (outside_the_heap.hpp).
        auto const copy = this->m_supervised_warps;
        auto& result = this->m_next_cycle_prioritized_warps;
        own.order.order(result, copy, all);
        for (auto* const w : copy)
            if (!detail::gpgpusim_view::live(w)) result.push_back(w);
    }

    // What the host's lines tell; where the policy does not hear it, it costs a call.
    void tell(l1_accessed const& e) override { own_->order.tell(e); }
    void tell(l1_evicted const& e) override { own_->order.tell(e); }
    void tell(l1_filled const& e) override { own_->order.tell(e); }
    void tell(load_returned const& e) override { own_->order.tell(e); }

    Policy const& policy() const noexcept { return own_->order.scheduler(); }

protected:
    using warps = detail::gpgpusim_warps<Unit>;

    void do_on_warp_issued(unsigned warp, unsigned count, typename warps::const_iterator const& at) override {
        Unit::do_on_warp_issued(warp, count, at);
        auto& own = *own_;
        own.issued = true;
        auto const& head = own.head[warp % warp_set::width];
        for (unsigned i = 0; i != count; ++i) // of the second of a pair only the place is known
            own.order.on_issued(warp, i == 0 ? head.kind : issue_class::arithmetic, head.pc + i * head.bytes,
                                static_cast<lane_mask>(~lane_mask{0}), own.now);
    }

private:
    using events = typename detail::gpgpusim_events<Tells>::type;
    using ordering_type = ordering<Policy, detail::gpgpusim_view, events>;
    struct instruction {
        std::uint32_t pc = 0;
        std::uint32_t bytes = 8;
        issue_class kind = issue_class::other;
    };
    struct state {
        explicit state(Policy const& policy) : order(policy) {}
        ordering_type order;
        void const* kernel = nullptr;
        cycle now = 0;       ///< as often as the warps were put in order
        bool asked = false;  ///< a cycle has begun that has not been told
        bool issued = false; ///< something, in that
        warp_set at_barrier;
        warp_set blocked_by[4]; ///< by block_reason
        instruction head[warp_set::width];
    };

    template <class Kernel>
    void begin(Kernel& k) {
        auto const* const config = this->m_shader->get_config();
        auto const in = static_cast<unsigned>(config->warp_size);
        kernel_began e;
        e.core = this->m_shader->get_sid();
        e.cores = config->num_shader();
        e.warp_slots = config->max_warps_per_shader;
        e.ctas_per_core = config->max_cta(k);
        e.warps_per_cta = static_cast<unsigned>((k.threads_per_cta() + in - 1) / in);
        auto& own = *own_;
        own.at_barrier = {};
        for (auto& s : own.blocked_by) s = {};
        own.asked = false;
        own.order.begin(e, static_cast<unsigned>(this->m_id),
                        static_cast<unsigned>(config->gpgpu_num_sched_per_core));
    }
    template <class Warps>
    void spend_last_cycle(Warps const& all) {
        auto& own = *own_;
        if (own.asked) {
            bool any = own.issued;
            for (auto* const w : all) any = any || detail::gpgpusim_view::live(w);
            auto const cause = own.issued ? cycle_cause::issued
                               : any      ? cycle_cause::structural_other
                                          : cycle_cause::no_cta;
            own.order.tell(cycles_spent{static_cast<unsigned>(this->m_id), cause, own.now, 1});
            ++own.now;
        }
        own.asked = true;
        own.issued = false;
    }
    /// Tells why a warp cannot issue, where that has changed.
    template <class Warp>
    void look_at(Warp& w) {
        auto& own = *own_;
        auto const id = static_cast<unsigned>(w.get_warp_id());
        warp_slot const slot{id};
        bool const live = !w.done_exit();
        bool const barrier = live && this->m_shader->warp_waiting_at_barrier(id);
        if (barrier != own.at_barrier.contains(slot)) {
            own.at_barrier.assign(slot, barrier);
            if (barrier)
                own.order.tell(barrier_arrived{slot, true});
            else if (live)
                own.order.tell(barrier_released{warp_set{slot}});
        }
        bool now[4] = {};
        if (live && !barrier) {
            if (this->m_shader->warp_waiting_at_mem_barrier(id) || w.get_n_atomic() > 0)
                now[index(block_reason::fence)] = true;
            else if (auto const* const i = w.ibuffer_next_inst())
                now[index(block_reason::memory)] = waits_for_long(id, *i),
                now[index(block_reason::dependency)] =
                    !now[index(block_reason::memory)] && this->m_scoreboard->checkCollision(id, i);
        }
        for (unsigned r = 0; r != 4; ++r) {
            if (now[r] == own.blocked_by[r].contains(slot)) continue;
            own.blocked_by[r].assign(slot, now[r]);
            if (now[r])
                own.order.tell(blocked{slot, static_cast<block_reason>(r)});
            else if (live)
                own.order.tell(unblocked{slot, static_cast<block_reason>(r)});
        }
    }
    static constexpr unsigned index(block_reason r) noexcept { return static_cast<unsigned>(r); }
    template <class Instruction>
    bool waits_for_long(unsigned warp, Instruction const& i) {
        for (auto const r : i.in)
            if (r > 0 && this->m_scoreboard->islongop(warp, r)) return true;
        return false;
    }
    template <class Warp>
    void remember(Warp& w) {
        auto& head = own_->head[static_cast<unsigned>(w.get_warp_id()) % warp_set::width];
        auto const* const i = w.ibuffer_next_inst();
        if (i == nullptr) return;
        head.pc = static_cast<std::uint32_t>(i->pc);
        head.bytes = static_cast<std::uint32_t>(i->isize);
        head.kind = detail::gpgpusim_view::kind(*i);
    }

    void* place_ = ::operator new(sizeof(Unit));
    outside_the_heap<state> own_;
};

/// The scheduler that `text` names, with its parameters, as "cta_aware:min_warps=8": a Unit made with new. Throws
/// `error` for one that there is not, and for one that goes by what this host does not tell.
template <class Unit, gpgpusim_tells Tells = gpgpusim_tells::what_is_seen, class... A>
Unit* new_gpgpusim_scheduler(std::string_view text, A&&... of_unit) {
    warpkit::detail::policy_text const parts(text, "warp scheduler");
    Unit* made = nullptr;
    auto const try_one = [&]<class P>() {
        if (made != nullptr || parts.name != common_name<P>) return;
        using told =
            typename warpkit::detail::ordering_tells<typename detail::gpgpusim_events<Tells>::type>::type;
        if constexpr (hears_only<P, told, warp_scheduler_events>)
            made = new gpgpusim_scheduler<Unit, P, Tells>(policy_with<P>(text, "warp scheduler"), of_unit...);
        else
            raise_error(error({"the scheduler ", parts.name,
                               " goes by events that this host does not tell; docs/howto/gpgpusim.md says "
                               "which it can, and how"}));
    };
    catalogue_of_schedulers<detail::list_of_policies>::each(try_one);
    if (made == nullptr) {
        std::vector<std::string> names;
        catalogue_of_schedulers<detail::list_of_policies>::each(
            [&]<class P>() { names.emplace_back(common_name<P>); });
        raise_error(error({"there is no warp scheduler '", parts.name, '\'' + did_you_mean(parts.name, names),
                           "; there are: ", warpkit::detail::list_of(names)}));
    }
    return made;
}

} // namespace warpkit::adapters
