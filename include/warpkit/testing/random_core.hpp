#pragma once
/// \file
/// A source of random legal event streams: a core whose warps run random programs, and issue, block, meet at barriers,
/// touch memory and exit at random, by the rules that a real core keeps (warp/concepts.hpp). Same options, same stream,
/// everywhere.

#include <warpkit/base/events.hpp>
#include <warpkit/base/lanes.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/warp_picker.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/program/issue_class.hpp>
#include <warpkit/warp/events.hpp>

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace warpkit::testing {

/// The random numbers of the kit: splitmix64, one per seed and the same on every host.
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) noexcept : state_(seed) {}
    std::uint64_t next() noexcept {
        auto x = state_ += 0x9e3779b97f4a7c15U;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
        return x ^ (x >> 31);
    }
    /// From 0 to n - 1; n is at least 1.
    unsigned below(unsigned n) noexcept { return static_cast<unsigned>(next() % n); }
    /// True in `percent` of 100 calls.
    bool chance(unsigned percent) noexcept { return below(100) < percent; }

private:
    std::uint64_t state_;
};

/// What the random core is like.
struct random_core_options {
    std::uint64_t seed = 1;
    unsigned warp_slots = 48;
    unsigned schedulers = 1; ///< the scheduler under test is one of them; the others issue at random
    unsigned scheduler = 0;  ///< which one
    unsigned cta_slots = 8;  ///< at most 64
    unsigned max_warps_per_cta = 12;
    unsigned instructions_per_warp = 60; ///< on average
};

namespace detail {
template <class One, class Listener>
void notify_if(One const* one, Listener& listener) {
    if (one != nullptr) notify(*one, listener);
}
} // namespace detail

/// Tells `listener` the event that `e` holds, if it hears it.
template <class Listener, class... E>
void notify_any(std::variant<E...> const& e, Listener& listener) {
    (detail::notify_if(std::get_if<E>(&e), listener), ...);
}

/// The core. `step` is one cycle: events go to `tell`, each decision of the scheduler under test to `ask`.
class random_core {
public:
    /// Whatever the core may tell.
    using event =
        std::variant<kernel_began, scheduler_began, kernel_ended, cta_launched, footprint_known, cta_finished,
                     warp_exited, issued, branched, blocked, unblocked, barrier_arrived, barrier_released,
                     l1_accessed, l1_evicted, l1_filled, load_returned, lsu_refused, memory_pressure,
                     instruction_buffered, next_decoded, cycles_spent>;

    explicit random_core(random_core_options const& options) : options_(options), random_(options.seed) {}

    /// Numbers of the last step for messages and conditions.
    std::uint64_t events() const noexcept { return events_; }
    std::uint64_t decisions() const noexcept { return decisions_; }
    warp_set live() const noexcept { return live_; }

    /// Begins a kernel of CTAs of random size. Whatever was resident is forgotten: kernels do not overlap.
    template <class Tell>
    void begin_kernel(Tell&& tell) {
        draw_kernel();
        flush(tell);
    }
    /// No CTA comes any more, nobody waits for long but at a barrier, and most instructions are a warp's last but one:
    /// a few hundred steps, and the core is empty, unless the scheduler under test keeps some warp from it. Until the
    /// next kernel.
    void run_dry() noexcept { running_dry_ = true; }
    /// The kernel's remaining warps exit, its CTAs finish, and it ends.
    template <class Tell>
    void end_kernel(Tell&& tell) {
        empty_core();
        flush(tell);
    }

    /// The slots of the scheduler under test.
    warp_set owned() const { return warp_set::every(options_.schedulers, options_.scheduler); }

    /// One cycle. `tell(e)` hears everything that the scheduler under test may hear, each event by its own type; or
    /// `tell.hear(event const&)`, which compiles in less time. `ask(candidates, classes)`
    /// answers with its pick, which is issued if it is a candidate and the unit is not busy.
    template <class Tell, class Ask>
    void step(Tell&& tell, Ask&& ask) {
        before_decision();
        flush(tell);
        ++decisions_;
        auto const candidates = candidates_;
        auto const chosen = ask(candidates, classes_);
        after_decision(chosen && candidates.contains(chosen) ? chosen : no_warp);
        flush(tell);
    }

private:
    enum class wait : std::uint8_t { nothing, memory, dependency, fence, barrier };
    struct resident {
        bool busy = false;
        warp_set warps;
        std::uint64_t linear_id = 0;
    };

    template <class E>
    void say(E const& e) {
        news_.emplace_back(e);
    }
    template <class Tell>
    void flush(Tell&& tell) {
        for (auto const& e : news_) {
            ++events_;
            if constexpr (requires { tell.hear(e); })
                tell.hear(e);
            else
                std::visit(tell, e);
        }
        news_.clear();
    }
    warp_set ready() const {
        warp_set s;
        live_.for_each([&](warp_slot w) {
            if (waits_[w.index()] == wait::nothing) s.insert(w);
        });
        return s;
    }
    void draw_kernel() {
        auto const most_warps = options_.max_warps_per_cta < options_.warp_slots ? options_.max_warps_per_cta
                                                                                 : options_.warp_slots;
        warps_per_cta_ = 1 + random_.below(most_warps);
        auto const fit = options_.warp_slots / warps_per_cta_;
        auto const most_ctas = fit < options_.cta_slots ? fit : options_.cta_slots;
        ctas_ = random_.chance(60) ? most_ctas : 1 + random_.below(most_ctas); // most often as full as can be
        cta_.assign(ctas_, {});
        live_ = warp_set{};
        decoded_ = warp_set{};
        draw_program();
        lines_ = random_.chance(50) ? 64 : 256; // few lines that are lost often, or many
        launched_ = 0;
        running_dry_ = false;
        waits_.assign(options_.warp_slots, wait::nothing);
        next_.assign(options_.warp_slots, 0);
        pressure_ = {};
        say(kernel_began{program_.get(), random_.below(4), 4, options_.warp_slots, ctas_, warps_per_cta_,
                         program_->instruction_bytes, 128, program_->instructions.data(), program_size_,
                         nullptr, options_.schedulers});
        say(scheduler_began{options_.scheduler, options_.schedulers, owned()});
    }
    /// Loads, stores, loops and all the rest in no particular order, and an exit at the end.
    void draw_program() {
        program_ = std::make_unique<static_program>();
        program_->registers = 24;
        program_->instructions.resize(program_size_);
        for (std::uint32_t at = 0; at < program_size_; ++at) {
            auto& i = program_->instructions[at];
            i.kind = draw_kind();
            if (i.is_memory()) {
                i.access_bytes = 4;
                i.space = random_.chance(90) ? memory_space::global : memory_space::local;
            }
            if (i.kind == op_class::branch) {
                i.target = draw_target(at);
                i.guarded = i.target % 4 != 0;
            } else if (i.kind != op_class::store && random_.chance(80))
                i.destination[i.destinations++] = draw_register();
            for (auto n = random_.below(3); n != 0; --n) i.source[i.sources++] = draw_register();
            i.async = role_at(at, i.kind);
        }
        program_->instructions[5].kind = op_class::barrier;
        program_->instructions.back() = {};
        program_->instructions.back().kind = op_class::exit;
    }
    /// Some of them copy asynchronously, or multiply in groups and wait for these; told from where they stand.
    static constexpr async_role role_at(std::uint32_t at, op_class kind) noexcept {
        if (kind == op_class::load && at % 4 == 0) return async_role::copy;
        if (kind == op_class::int_add && at % 8 == 1) return async_role::bulk_copy;
        if (kind == op_class::int_add && at % 4 == 2) return async_role::product;
        if (kind == op_class::int_add && at % 4 == 3) return async_role::product_wait;
        return async_role::none;
    }
    /// Mostly not far away: several loops, some of them nested.
    std::uint32_t draw_target(std::uint32_t at) {
        auto const anywhere = random_.below(program_size_ - 1);
        auto const near = at + random_.below(14);
        if (random_.chance(30) || near < 8 || near - 8 >= program_size_ - 1) return anywhere;
        return near - 8;
    }
    op_class draw_kind() {
        auto const draw = random_.below(100);
        if (draw < 30) return op_class::load;
        if (draw < 40) return op_class::store;
        if (draw < 42) return op_class::atomic;
        if (draw < 46) return op_class::barrier;
        if (draw < 56) return op_class::branch;
        return draw < 80 ? op_class::int_add : op_class::fp_mad;
    }
    register_id draw_register() { return static_cast<register_id>(random_.below(program_->registers)); }
    static_instruction const& next_of(warp_slot w) const { return program_->instructions[next_[w.index()]]; }
    void empty_core() {
        for (auto rest = live_; rest;) {
            auto const w = rest.first();
            rest.erase(w);
            release(w);
            next_[w.index()] = program_size_ - 1;
            exit(w);
        }
        say(kernel_ended{});
    }
    /// What scheduler s may choose from.
    warp_set offer(unsigned s) {
        auto candidates = ready() & decoded_ & warp_set::every(options_.schedulers, s);
        if (!crowded_ && !running_dry_) {
            warp_set some;
            for (unsigned i = 0; i < warp_set::words; ++i) {
                // One draw to a statement: the order must be the same everywhere.
                auto const bits = random_.next();
                auto const more = random_.chance(50) ? random_.next() : 0;
                some |= warp_set::from_bits(bits | more, i);
            }
            candidates &= some;
        }
        return candidates;
    }
    void others_issue(unsigned begin, unsigned end) {
        for (auto s = begin; s < end; ++s)
            if (auto const candidates = offer(s))
                issue(candidates.next_after(warp_slot{random_.below(options_.warp_slots)}), false);
    }
    void before_decision() {
        ++now_;
        auto const all = launched_ == 0 && random_.chance(50); // one by one, or a kernel that comes at once
        for (unsigned c = 0; c < ctas_ && !running_dry_; ++c)
            if (!cta_[c].busy && (all || random_.chance(20))) {
                launch(c);
                if (!all) break;
            }
        unblock();
        (live_ - decoded_).for_each([this](warp_slot w) {
            if (running_dry_ || random_.chance(60)) decode(w, 2);
        });
        other_news();
        if (random_.below(300) == 0) crowded_ = !crowded_;
        others_issue(0, options_.scheduler);
        candidates_ = offer(options_.scheduler);
        classes_ = {};
        candidates_.for_each([this](warp_slot w) { classes_.add(w, issue_class_of(next_of(w))); });
    }
    void after_decision(warp_slot chosen) {
        auto const goes = chosen && random_.chance(85);
        if (goes) issue(chosen, true);
        say(cycles_spent{options_.scheduler, goes ? cycle_cause::issued : cycle_cause::raw_other, now_, 1});
        if (!goes && random_.chance(4)) { // the core sleeps
            auto const asleep = 1 + random_.below(300);
            say(cycles_spent{options_.scheduler, cycle_cause::raw_other, now_ + 1, asleep});
            now_ += asleep;
        }
        others_issue(options_.scheduler + 1, options_.schedulers);
    }
    static block_reason reason(wait w) noexcept {
        switch (w) {
        case wait::memory:
            return block_reason::memory;
        case wait::fence:
            return block_reason::fence;
        case wait::barrier:
            return block_reason::barrier;
        default:
            return block_reason::dependency;
        }
    }
    void launch(unsigned c) {
        // CTA slots own their warp slots, as contiguous lowest-free allocation of equal CTAs makes it.
        cta_[c] = {true, warp_set::range(c * warps_per_cta_, (c + 1) * warps_per_cta_), launched_++};
        live_ |= cta_[c].warps;
        cta_[c].warps.for_each([this](warp_slot w) { next_[w.index()] = 0; });
        say(cta_launched{cta_slot{c}, cta_[c].linear_id, cta_[c].warps, now_});
        if (cta_[c].linear_id % 8 != 7) // of some, nothing is known
            cta_[c].warps.for_each([&](warp_slot w) {
                say(footprint_known{w, footprint(cta_[c].linear_id, w)});
            });
    }
    /// Neighbouring CTAs share regions, and the warps of one differ in what they touch of them.
    static warp_footprint footprint(std::uint64_t cta, warp_slot w) {
        warp_footprint f;
        random_numbers bits(cta * warp_set::width + w.index());
        for (unsigned a = 0; a < warp_footprint::arrays; ++a) {
            f.region[a] = static_cast<std::uint16_t>(cta / (a + 1) % 16);
            f.touched[a] = static_cast<std::uint16_t>(bits.next() & bits.next());
        }
        return f;
    }
    void set_wait(warp_slot w, wait why) {
        waits_[w.index()] = why;
        say(blocked{w, reason(why)});
    }
    void release(warp_slot w) {
        auto& why = waits_[w.index()];
        if (why == wait::nothing) return;
        if (why == wait::memory) say(load_returned{w});
        if (why == wait::barrier) say(barrier_released{warp_set{w}});
        say(unblocked{w, reason(why)});
        why = wait::nothing;
    }
    void unblock() {
        for (auto rest = live_; rest;) {
            auto const w = rest.first();
            rest.erase(w);
            auto const why = waits_[w.index()];
            if (why == wait::nothing || why == wait::barrier) continue;
            if (running_dry_ || random_.chance(why == wait::dependency ? 40 : 6)) release(w);
        }
    }
    void other_news() {
        if (!live_) return;
        auto const w = live_.next_after(warp_slot{random_.below(options_.warp_slots)});
        switch (random_.below(12)) {
        case 0:
            say(l1_evicted{draw_line(), random_.chance(80) ? w : no_warp, false});
            break;
        case 1:
            say(l1_filled{draw_line()});
            break;
        case 2:
            say(lsu_refused{w, refusal::mshr_entry});
            break;
        case 3:
            change_pressure();
            break;
        default:
            break;
        }
    }
    std::uint64_t draw_line() { return std::uint64_t{random_.below(lines_)} * 128; }
    void change_pressure() {
        auto const now = memory_pressure{static_cast<std::uint16_t>(random_.below(33)), 32,
                                         static_cast<std::uint16_t>(random_.below(9)), 8};
        if (now == pressure_) return;
        pressure_ = now;
        say(now);
    }
    void decode(warp_slot w, unsigned count) {
        decoded_.insert(w);
        say(instruction_buffered{w, static_cast<std::uint8_t>(count)});
        say(next_decoded{w, program_->pc(next_[w.index()])});
    }
    void access_memory(warp_slot w, std::uint32_t pc, access_kind kind) {
        for (auto n = random_.chance(70) ? 1U : 1 + random_.below(4); n != 0; --n) {
            auto const line = draw_line();
            auto const hit = random_.chance(kind == access_kind::load ? 50 : 20);
            say(l1_accessed{w, pc, line, kind, hit ? cache_outcome::hit : cache_outcome::miss});
            auto const owner =
                random_.chance(80) ? live_.next_after(warp_slot{random_.below(warp_set::width)}) : no_warp;
            if (kind == access_kind::store && hit)
                say(l1_evicted{line, owner, true});
            else if (kind == access_kind::load && !hit && random_.chance(80))
                say(l1_evicted{draw_line(), owner, false});
        }
    }
    void issue(warp_slot w, bool own) {
        auto const index = next_[w.index()];
        auto const& i = program_->instructions[index];
        auto const pc = program_->pc(index);
        auto const kind = issue_class_of(i);
        auto const mask = random_.chance(70) ? all_lanes : static_cast<lane_mask>(random_.next());
        decoded_.erase(w);
        if (own) say(issued{w, pc, kind, mask, now_});
        if (kind == issue_class::exit) return exit(w);
        // Mostly on; or to the exit, or, as where two paths meet again, anywhere.
        auto& next = next_[w.index()];
        next = index + 2 == program_size_ ? 0 : index + 1;
        if (random_.below(running_dry_ ? 3 : options_.instructions_per_warp) == 0) next = program_size_ - 1;
        if (kind == issue_class::branch) {
            auto const taken = random_.chance(50);
            if (taken) next = i.target;
            say(branched{w, pc, program_->pc(next), taken});
        } else if (random_.chance(3)) {
            next = random_.below(program_size_ - 1);
        }
        auto const draw = random_.below(100);
        auto const waits = draw < (crowded_ ? 15U : 40U);
        if (kind == issue_class::barrier) {
            if (random_.chance(50)) decode(w, 1);
            return arrive(w);
        }
        if (i.is_memory() && kind != issue_class::atomic)
            access_memory(w, pc, kind == issue_class::load ? access_kind::load : access_kind::store);
        if (waits || random_.chance(75)) decode(w, 1); // waiting for registers needs to know for which
        if (waits)
            set_wait(w, kind == issue_class::load ? wait::memory : wait::dependency);
        else if (draw < 44)
            set_wait(w, wait::fence);
    }
    resident& cta_of(warp_slot w) { return cta_[w.index() / warps_per_cta_]; }
    void arrive(warp_slot w) {
        auto const waits = !random_.chance(20); // or it only arrives, at a barrier at which nobody waits
        say(barrier_arrived{w, waits});
        if (!waits) return;
        set_wait(w, wait::barrier);
        open_if_met(cta_of(w).warps & live_);
    }
    void open_if_met(warp_set warps) {
        auto met = !warps.empty();
        warps.for_each([&](warp_slot w) { met = met && waits_[w.index()] == wait::barrier; });
        if (!met) return;
        say(barrier_released{warps});
        warps.for_each([&](warp_slot w) {
            waits_[w.index()] = wait::nothing;
            say(unblocked{w, block_reason::barrier});
        });
    }
    void exit(warp_slot w) {
        live_.erase(w);
        decoded_.erase(w);
        say(warp_exited{w});
        auto& cta = cta_of(w);
        auto const rest = cta.warps & live_;
        if (rest) return open_if_met(rest);
        cta.busy = false;
        say(cta_finished{cta_slot{w.index() / warps_per_cta_}, cta.linear_id, now_});
    }

    static constexpr std::uint32_t program_size_ = 40;

    random_core_options options_;
    random_numbers random_;
    std::vector<resident> cta_;
    std::vector<wait> waits_;
    std::vector<std::uint32_t> next_; ///< the instruction that each warp issues next
    warp_set decoded_;                ///< who has it in the buffer
    std::unique_ptr<static_program> program_;
    memory_pressure pressure_;
    unsigned lines_ = 64; ///< that are touched
    warp_set live_;
    unsigned ctas_ = 0;
    unsigned warps_per_cta_ = 1;
    std::vector<event> news_; ///< not yet told
    warp_set candidates_;
    issue_classes classes_;
    std::uint64_t launched_ = 0;
    std::uint64_t events_ = 0;
    std::uint64_t decisions_ = 0;
    cycle now_ = 0;
    bool crowded_ = false; ///< in this phase, whoever is not blocked is a candidate
    bool running_dry_ = false;
};

} // namespace warpkit::testing
