// Warp schedulers behind one virtual function for each event.
#include "common.hpp"
#include <warpkit/program/static_instruction.hpp>
#include <warpkit/version.hpp>
#include <warpkit/warp/catalogue.hpp>

#include <memory>

#define WARPKIT_TEXT_OF(number) #number
#define WARPKIT_NUMBER_TEXT(number) WARPKIT_TEXT_OF(number)

using namespace warpkit;

/// What a host tells, and asks.
struct warpkit_scheduler {
    virtual ~warpkit_scheduler() = default;
    virtual warpkit_scheduler* copy() const = 0;
    virtual bool equals(warpkit_scheduler const& other) const noexcept = 0;
    virtual char const* name() const noexcept = 0;
    virtual std::uint32_t hears() const noexcept = 0;
    virtual bool asks() const noexcept = 0;
    virtual int pick(warp_set candidates, warpkit_issue_classes const* next) const noexcept = 0;
    virtual warp_set eligible(warp_set candidates, warpkit_issue_classes const* next) const noexcept = 0;
    virtual void on(kernel_began const& e, scheduler_began const& own) = 0;
    virtual void on(kernel_ended const&) noexcept {}
    virtual void on(cta_launched const&) noexcept {}
    virtual void on(footprint_known const&) noexcept {}
    virtual void on(cta_finished const&) noexcept {}
    virtual void on(warp_exited const&) noexcept {}
    virtual void on(issued const&) noexcept {}
    virtual void on(branched const&) noexcept {}
    virtual void on(blocked const&) noexcept {}
    virtual void on(unblocked const&) noexcept {}
    virtual void on(barrier_arrived const&) noexcept {}
    virtual void on(barrier_released const&) noexcept {}
    virtual void on(l1_accessed const&) noexcept {}
    virtual void on(l1_evicted const&) noexcept {}
    virtual void on(l1_filled const&) noexcept {}
    virtual void on(load_returned const&) noexcept {}
    virtual void on(lsu_refused const&) noexcept {}
    virtual void on(memory_pressure const&) noexcept {}
    virtual void on(next_decoded const&) noexcept {}
    virtual void on(cycles_spent const&) noexcept {}

    std::vector<static_instruction> code; ///< what the policy points to
};

namespace {

using told =
    event_list<kernel_began, kernel_ended, cta_launched, footprint_known, cta_finished, warp_exited, issued,
               branched, blocked, unblocked, barrier_arrived, barrier_released, l1_accessed, l1_evicted,
               l1_filled, load_returned, lsu_refused, memory_pressure, next_decoded, cycles_spent>;
constexpr char const* told_names[] = {
    "kernel_began",    "kernel_ended",     "cta_launched",    "footprint_known", "cta_finished",
    "warp_exited",     "issued",           "branched",        "blocked",         "unblocked",
    "barrier_arrived", "barrier_released", "l1_accessed",     "l1_evicted",      "l1_filled",
    "load_returned",   "lsu_refused",      "memory_pressure", "next_decoded",    "cycles_spent"};

template <class P, class... E>
constexpr std::uint32_t heard_of(event_list<E...>) noexcept {
    std::uint32_t bits = 0;
    std::uint32_t bit = 1;
    ((bits |= hears<P, E> ? bit : 0, bit <<= 1), ...);
    return bits | WARPKIT_KERNEL_BEGAN;
}

template <class P>
struct scheduler_of final : warpkit_scheduler {
    static_assert(hears_only<P, detail::extend_events<told, scheduler_began>::type, warp_scheduler_events>);

    explicit scheduler_of(P const& p) : policy(p) {}
    warpkit_scheduler* copy() const override {
        auto made = std::make_unique<scheduler_of>(*this);
        return made.release();
    }
    bool equals(warpkit_scheduler const& other) const noexcept override {
        auto const* const same = dynamic_cast<scheduler_of const*>(&other);
        return same != nullptr && same->policy == policy;
    }
    char const* name() const noexcept override { return common_name<P>; }
    std::uint32_t hears() const noexcept override { return heard_of<P>(told{}); }
    bool asks() const noexcept override { return asks_classes<P>; }
    int pick(warp_set candidates,
             [[maybe_unused]] warpkit_issue_classes const* next) const noexcept override {
        if constexpr (asks_classes<P>) {
            if (next == nullptr) return WARPKIT_NO_WARP;
            return facade::number_of(policy.pick(candidates, classes_of(*next)));
        } else {
            return facade::number_of(policy.pick(candidates));
        }
    }
    warp_set eligible(warp_set candidates, warpkit_issue_classes const* next) const noexcept override {
        return eligible_warps(policy, candidates, next != nullptr ? classes_of(*next) : issue_classes{});
    }
    void on(kernel_began const& e, scheduler_began const& own) override {
        notify(e, policy);
        notify(own, policy);
    }
    void on(kernel_ended const& e) noexcept override { notify(e, policy); }
    void on(cta_launched const& e) noexcept override { notify(e, policy); }
    void on(footprint_known const& e) noexcept override { notify(e, policy); }
    void on(cta_finished const& e) noexcept override { notify(e, policy); }
    void on(warp_exited const& e) noexcept override { notify(e, policy); }
    void on(issued const& e) noexcept override { notify(e, policy); }
    void on(branched const& e) noexcept override { notify(e, policy); }
    void on(blocked const& e) noexcept override { notify(e, policy); }
    void on(unblocked const& e) noexcept override { notify(e, policy); }
    void on(barrier_arrived const& e) noexcept override { notify(e, policy); }
    void on(barrier_released const& e) noexcept override { notify(e, policy); }
    void on(l1_accessed const& e) noexcept override { notify(e, policy); }
    void on(l1_evicted const& e) noexcept override { notify(e, policy); }
    void on(l1_filled const& e) noexcept override { notify(e, policy); }
    void on(load_returned const& e) noexcept override { notify(e, policy); }
    void on(lsu_refused const& e) noexcept override { notify(e, policy); }
    void on(memory_pressure const& e) noexcept override { notify(e, policy); }
    void on(next_decoded const& e) noexcept override { notify(e, policy); }
    void on(cycles_spent const& e) noexcept override { notify(e, policy); }

private:
    static issue_classes classes_of(warpkit_issue_classes const& c) noexcept {
        return {facade::set_of(c.loads), facade::set_of(c.stores), facade::set_of(c.atomics)};
    }
    P policy;
};

/// The catalogue (docs/reference/catalogue.md): each P with its numbers as run-time numbers.
template <class... P>
struct any_scheduler_of {
    any_scheduler_of() = default;
    template <class Q>
    explicit any_scheduler_of(Q const& policy) : made(std::make_unique<scheduler_of<Q>>(policy)) {}
    template <class F>
    static void each_alternative(F&& f) {
        (f.template operator()<P>(), ...);
    }
    std::unique_ptr<warpkit_scheduler> made;
};
using any_scheduler = catalogue_of_schedulers<any_scheduler_of>;

/// The number of `name` among `names`; throws an error that lists them.
template <std::size_t N>
std::size_t number_named(char const* name, char const* const (&names)[N], char const* kind) {
    std::vector<std::string> all(names, names + N);
    for (std::size_t i = 0; i != N; ++i)
        if (all[i] == name) return i;
    throw error({"there is no ", kind, " '", name, '\'' + did_you_mean(name, all),
                 "; there are: ", detail::list_of(all)});
}

std::vector<static_instruction> code_of(warpkit_kernel const& k) {
    std::vector<static_instruction> code(k.instructions == WARPKIT_UNTOLD ? 0 : k.instructions);
    for (std::size_t i = 0; i != code.size(); ++i) {
        auto const& from = k.code[i];
        auto& to = code[i];
        auto const what = "instruction " + std::to_string(i);
        if (from.kind == nullptr) throw error({what, " has no kind"});
        to.kind = static_cast<op_class>(number_named(from.kind, op_class_names, "kind of instruction"));
        if (from.space != nullptr)
            to.space =
                static_cast<memory_space>(number_named(from.space, memory_space_names, "memory space"));
        if (from.target != WARPKIT_UNTOLD && from.target >= code.size())
            throw error({what, " jumps to ", from.target, "; there are ", std::uint64_t{code.size()}});
        to.target = from.target;
        to.access_bytes = from.access_bytes;
        to.guarded = from.guarded != 0;
        to.destinations = from.destinations;
    }
    return code;
}
static_assert(static_instruction::no_target == WARPKIT_UNTOLD);

} // namespace

char const* warpkit_version(void) {
    return WARPKIT_NUMBER_TEXT(WARPKIT_VERSION_MAJOR) "." WARPKIT_NUMBER_TEXT(
        WARPKIT_VERSION_MINOR) "." WARPKIT_NUMBER_TEXT(WARPKIT_VERSION_PATCH);
}

void warpkit_kernel_init(warpkit_kernel* k) {
    auto const u = WARPKIT_UNTOLD;
    *k = {u, u, u, u, u, u, u, u, u, u, nullptr};
}

char const* warpkit_scheduler_catalogue(void) {
    return facade::kept_text([] { return facade::listed(policies_of<any_scheduler>()); });
}
warpkit_scheduler* warpkit_scheduler_create(char const* text, warpkit_error* error) {
    return facade::guarded(error, [&] {
        return policy_named<any_scheduler>(facade::text_of(text), "warp scheduler").made.release();
    });
}
warpkit_scheduler* warpkit_scheduler_copy(warpkit_scheduler const* s, warpkit_error* error) {
    return facade::guarded(error, [&] { return s->copy(); });
}
void warpkit_scheduler_destroy(warpkit_scheduler* s) { delete s; }
int warpkit_scheduler_equal(warpkit_scheduler const* a, warpkit_scheduler const* b) {
    return a->equals(*b) ? 1 : 0;
}
char const* warpkit_scheduler_name(warpkit_scheduler const* s) { return s->name(); }
std::uint32_t warpkit_scheduler_hears(warpkit_scheduler const* s) { return s->hears(); }
int warpkit_scheduler_is_told(warpkit_scheduler const* s, std::uint32_t told, warpkit_error* error) {
    auto const missing = s->hears() & ~told;
    if (missing == 0) return 1;
    facade::guarded(error, [&] {
        std::string all;
        for (unsigned i = 0; i != std::size(told_names); ++i)
            if ((missing >> i & 1) != 0) all.append(all.empty() ? "" : ", ").append(told_names[i]);
        facade::tell(error, std::string(s->name()) + " goes by events that are not told: " + all);
        return 0;
    });
    return 0;
}
int warpkit_scheduler_asks_classes(warpkit_scheduler const* s) { return s->asks() ? 1 : 0; }

int warpkit_scheduler_pick(warpkit_scheduler const* s, std::uint64_t candidates,
                           warpkit_issue_classes const* next) {
    return s->pick(facade::set_of(candidates), next);
}
std::uint64_t warpkit_scheduler_eligible(warpkit_scheduler const* s, std::uint64_t candidates,
                                         warpkit_issue_classes const* next) {
    return s->eligible(facade::set_of(candidates), next).word();
}

int warpkit_scheduler_kernel_began(warpkit_scheduler* s, warpkit_kernel const* k, warpkit_error* error) {
    return facade::guarded(error, [&] {
        kernel_began e;
        auto const set = [](auto& fact, std::uint32_t value) {
            if (value != WARPKIT_UNTOLD) fact = value;
        };
        set(e.core, k->core);
        set(e.cores, k->cores);
        set(e.warp_slots, k->warp_slots);
        set(e.ctas_per_core, k->ctas_per_core);
        set(e.warps_per_cta, k->warps_per_cta);
        set(e.instruction_bytes, k->instruction_bytes);
        set(e.l1_lines, k->l1_lines);
        set(e.schedulers, k->schedulers);
        auto const schedulers = k->schedulers == WARPKIT_UNTOLD ? 1 : k->schedulers;
        auto const own = k->scheduler == WARPKIT_UNTOLD ? 0 : k->scheduler;
        if (schedulers == 0 || own >= schedulers)
            throw warpkit::error({"scheduler ", own, " of ", schedulers, ": number them from 0"});
        if (k->warp_slots != WARPKIT_UNTOLD && k->warp_slots > 64)
            throw warpkit::error({"warp_slots = ", k->warp_slots,
                                  ": libwarpkit's cores have at most 64 warps; the headers are "
                                  "compiled for more"});
        if (k->instructions != WARPKIT_UNTOLD) {
            if (k->code == nullptr && k->instructions != 0)
                throw warpkit::error({"instructions = ", k->instructions, " of which `code` tells none"});
            s->code = code_of(*k);
            e.code = s->code.empty() ? nullptr : s->code.data();
            e.instructions = k->instructions;
        }
        s->on(e, {own, schedulers, warp_set::every(schedulers, own)});
        return 1;
    });
}
void warpkit_scheduler_kernel_ended(warpkit_scheduler* s) { s->on(kernel_ended{}); }
void warpkit_scheduler_cta_launched(warpkit_scheduler* s, std::uint32_t cta, std::uint64_t linear_id,
                                    std::uint64_t warps, std::uint64_t at) {
    s->on(cta_launched{cta_slot{cta}, linear_id, facade::set_of(warps), at});
}
void warpkit_scheduler_footprint_known(warpkit_scheduler* s, std::uint32_t warp,
                                       warpkit_footprint const* footprint) {
    footprint_known e{warp_slot{warp}, {}};
    for (unsigned i = 0; i != warp_footprint::arrays; ++i) {
        e.footprint.region[i] = footprint->region[i];
        e.footprint.touched[i] = footprint->touched[i];
    }
    s->on(e);
}
static_assert(warp_footprint::arrays == sizeof(warpkit_footprint::region) / sizeof(std::uint16_t));
void warpkit_scheduler_cta_finished(warpkit_scheduler* s, std::uint32_t cta, std::uint64_t linear_id,
                                    std::uint64_t at) {
    s->on(cta_finished{cta_slot{cta}, linear_id, at});
}
void warpkit_scheduler_warp_exited(warpkit_scheduler* s, std::uint32_t warp) {
    s->on(warp_exited{warp_slot{warp}});
}
void warpkit_scheduler_issued(warpkit_scheduler* s, std::uint32_t warp, std::uint32_t pc,
                              warpkit_issue_class kind, std::uint64_t active_lanes, std::uint64_t at) {
    s->on(issued{warp_slot{warp}, pc, static_cast<issue_class>(kind), static_cast<lane_mask>(active_lanes),
                 at});
}
void warpkit_scheduler_branched(warpkit_scheduler* s, std::uint32_t warp, std::uint32_t pc,
                                std::uint32_t next_pc, int taken) {
    s->on(branched{warp_slot{warp}, pc, next_pc, taken != 0});
}
void warpkit_scheduler_blocked(warpkit_scheduler* s, std::uint32_t warp, warpkit_block_reason why) {
    s->on(blocked{warp_slot{warp}, static_cast<block_reason>(why)});
}
void warpkit_scheduler_unblocked(warpkit_scheduler* s, std::uint32_t warp, warpkit_block_reason why) {
    s->on(unblocked{warp_slot{warp}, static_cast<block_reason>(why)});
}
void warpkit_scheduler_barrier_arrived(warpkit_scheduler* s, std::uint32_t warp, int waits) {
    s->on(barrier_arrived{warp_slot{warp}, waits != 0});
}
void warpkit_scheduler_barrier_released(warpkit_scheduler* s, std::uint64_t warps) {
    s->on(barrier_released{facade::set_of(warps)});
}
void warpkit_scheduler_l1_accessed(warpkit_scheduler* s, std::uint32_t warp, std::uint32_t pc,
                                   std::uint64_t line, warpkit_access_kind kind,
                                   warpkit_cache_outcome outcome) {
    s->on(l1_accessed{warp_slot{warp}, pc, line, static_cast<access_kind>(kind),
                      static_cast<cache_outcome>(outcome)});
}
void warpkit_scheduler_l1_evicted(warpkit_scheduler* s, std::uint64_t line, int owner, int by_store) {
    s->on(l1_evicted{line, facade::slot_of(owner), by_store != 0});
}
void warpkit_scheduler_l1_filled(warpkit_scheduler* s, std::uint64_t line) { s->on(l1_filled{line}); }
void warpkit_scheduler_load_returned(warpkit_scheduler* s, std::uint32_t warp, std::uint32_t pc) {
    s->on(load_returned{warp_slot{warp}, pc});
}
void warpkit_scheduler_lsu_refused(warpkit_scheduler* s, std::uint32_t warp, warpkit_refusal why) {
    s->on(lsu_refused{warp_slot{warp}, static_cast<refusal>(why)});
}
void warpkit_scheduler_memory_pressure(warpkit_scheduler* s, std::uint16_t free_mshrs, std::uint16_t mshrs,
                                       std::uint16_t free_queue, std::uint16_t queue) {
    s->on(memory_pressure{free_mshrs, mshrs, free_queue, queue});
}
void warpkit_scheduler_next_decoded(warpkit_scheduler* s, std::uint32_t warp, std::uint32_t pc) {
    s->on(next_decoded{warp_slot{warp}, pc});
}
void warpkit_scheduler_cycles_spent(warpkit_scheduler* s, std::uint32_t scheduler, warpkit_cycle_cause cause,
                                    std::uint64_t from, std::uint64_t count) {
    s->on(cycles_spent{scheduler, static_cast<cycle_cause>(cause), from, count});
}
static_assert(static_cast<int>(issue_class::other) == WARPKIT_OTHER &&
              static_cast<int>(block_reason::fence) == WARPKIT_BLOCKED_BY_FENCE &&
              static_cast<int>(cycle_cause::fetch) == WARPKIT_CYCLE_FETCH &&
              static_cast<int>(refusal::mshr_read_write_pending) == WARPKIT_REFUSED_MSHR_READ_WRITE_PENDING &&
              static_cast<int>(cache_outcome::reservation_fail) == WARPKIT_RESERVATION_FAIL &&
              static_cast<int>(access_kind::atomic) == WARPKIT_ACCESS_ATOMIC &&
              static_cast<int>(memory_space::generic) == WARPKIT_SPACE_GENERIC);
