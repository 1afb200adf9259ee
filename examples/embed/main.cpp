// A host simulator in a style of its own: objects and pointers, callbacks in an event queue, time in picoseconds. It
// has nothing of warpkit's pipeline; of warpkit it uses policy headers alone: warp schedulers, an L1 cache, a DRAM
// channel.
//
// 48 warps walk over a few lines each, again and again; all together they do not fit the L1. Whoever lets fewer of them
// run at a time (static limiting, CCWS) finds the lines still there.
#include <warpkit/cache/allocation.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/standards.hpp>
#include <warpkit/warp/ccws.hpp>
#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/lrr.hpp>
#include <warpkit/warp/static_wavefront_limit.hpp>

#include <cstdint>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <queue>
#include <vector>

namespace host {

using picoseconds = std::uint64_t;

// The host's clock: whoever wants to be called says when.
class event_queue {
public:
    picoseconds now() const { return now_; }
    void after(picoseconds delay, std::function<void()> what) {
        events_.push({now_ + delay, order_++, std::move(what)});
    }
    void run() {
        while (!events_.empty()) {
            auto const next = events_.top();
            events_.pop();
            now_ = next.at;
            next.what();
        }
    }

private:
    struct event {
        picoseconds at;
        std::uint64_t order;
        std::function<void()> what;
        bool operator<(event const& e) const { return at != e.at ? at > e.at : order > e.order; }
    };
    std::priority_queue<event> events_;
    picoseconds now_ = 0;
    std::uint64_t order_ = 0;
};

// Memory behind the core: one channel of GDDR5, called back at each cycle in which it has something to do.
class memory {
public:
    explicit memory(event_queue* clock) : clock_(clock) {}
    bool has_room() const { return channel_.can_accept(); }
    void read(std::uint64_t line, std::function<void()> done) {
        auto const at = map_.decode(line);
        waiting_.push_back(std::move(done));
        warpkit::dram::request r;
        r.token = waiting_.size() - 1;
        r.bank = static_cast<std::uint16_t>(at.bank);
        r.row = at.row;
        r.column = at.column;
        r.atoms = static_cast<std::uint16_t>(channel_.numbers().atoms_for(128));
        channel_.push(r);
        if (!ticking_) tick();
    }

private:
    static constexpr picoseconds cycle_ = 1082; // 924 MHz
    void tick() {
        std::vector<std::uint64_t> done;
        channel_.tick(now_, [&](warpkit::dram::request const& r) { done.push_back(r.token); });
        for (auto const token : done) waiting_[token]();
        auto const next = channel_.next_event(now_);
        ticking_ = next != warpkit::never;
        if (!ticking_) return;
        clock_->after((next - now_) * cycle_, [this] { tick(); });
        now_ = next;
    }

    event_queue* clock_;
    warpkit::dram::address_mapping map_{warpkit::dram::gtx480_mapping, 1};
    warpkit::dram::channel<warpkit::dram::fr_fcfs> channel_{warpkit::dram::gddr5_gtx480, 64};
    std::vector<std::function<void()>> waiting_;
    warpkit::cycle now_ = 0;
    bool ticking_ = false;
};

class warp {
public:
    explicit warp(unsigned number) : number_(number) {}
    unsigned number() const { return number_; }
    bool finished() const { return done_ == passes_ * lines_; }
    bool waits() const { return waits_; }
    std::uint64_t next_line() const { return (std::uint64_t{number_} * lines_ + done_ % lines_) * 128; }
    void issue(bool wait) {
        ++done_;
        waits_ = wait;
    }
    void data_is_here() { waits_ = false; }

private:
    static constexpr unsigned lines_ = 20;
    static constexpr unsigned passes_ = 30;
    unsigned number_;
    unsigned done_ = 0;
    bool waits_ = false;
};

// A core of 48 warps and one scheduler.
template <class Scheduler>
class core {
    // All that it tells: a scheduler that waits for something else does not compile.
    static_assert(warpkit::hears_only<
                  Scheduler,
                  warpkit::event_list<warpkit::kernel_began, warpkit::cta_launched, warpkit::warp_exited,
                                      warpkit::issued, warpkit::blocked, warpkit::unblocked,
                                      warpkit::barrier_arrived, warpkit::barrier_released, // there are none
                                      warpkit::l1_accessed, warpkit::l1_evicted, warpkit::l1_filled,
                                      warpkit::cycles_spent>>);

public:
    core(event_queue* clock, memory* behind) : clock_(clock), memory_(behind) {
        for (unsigned w = 0; w < 48; ++w) warps_.push_back(std::make_unique<warp>(w));
        warpkit::kernel_began kernel;
        kernel.core = 0;
        kernel.cores = 1;
        kernel.schedulers = 1;
        kernel.warp_slots = 48;
        kernel.ctas_per_core = 6;
        kernel.warps_per_cta = 8;
        kernel.l1_lines = 128;
        tell(kernel);
        for (unsigned c = 0; c < 6; ++c) {
            warpkit::cta_launched launched;
            launched.cta = warpkit::cta_slot{c};
            launched.linear_id = c;
            launched.warps = warpkit::warp_set::range(8 * c, 8 * c + 8);
            tell(launched);
        }
        clock_->after(0, [this] { tick(); });
    }
    std::uint64_t cycles() const { return cycles_; }
    warpkit::cache_counters const& l1() const { return l1_.counters(); }

private:
    static constexpr picoseconds cycle_ = 1429; // 700 MHz
    using cache = warpkit::cache<warpkit::linear_index, warpkit::lru, warpkit::on_miss, warpkit::read_only>;

    template <class E>
    void tell(E const& e) {
        warpkit::notify(e, scheduler_);
    }
    void tick() {
        warpkit::warp_set candidates;
        bool finished = true;
        for (auto const& w : warps_) {
            finished = finished && w->finished();
            if (!w->finished() && !w->waits()) candidates.insert(warpkit::warp_slot{w->number()});
        }
        if (finished) return;
        warpkit::issue_classes const next{candidates, {}, {}}; // all of them load
        auto const picked = warpkit::pick_warp(scheduler_, candidates, next);
        if (picked) load(*warps_[picked.index()]);
        for (; l1_.has_request() && memory_->has_room(); l1_.pop_request()) {
            auto const line = l1_.front_request().address;
            memory_->read(line, [this, line] { arrived(line); });
        }
        tell(warpkit::cycles_spent{
            0, picked ? warpkit::cycle_cause::issued : warpkit::cycle_cause::raw_memory, cycles_++, 1});
        clock_->after(cycle_, [this] { tick(); });
    }
    void load(warp& w) {
        warpkit::warp_slot const slot{w.number()};
        warpkit::cache_access access;
        access.address = w.next_line();
        access.bytes = 128;
        access.owner = slot;
        access.token = w.number();
        auto const answer = l1_.access(access);
        if (answer.answer == warpkit::cache_answer::refused) return; // being picked is not being issued
        bool const waits = answer.answer == warpkit::cache_answer::below;
        w.issue(waits);
        warpkit::issued e;
        e.warp = slot;
        e.kind = warpkit::issue_class::load;
        e.at = cycles_;
        tell(e);
        tell(warpkit::l1_accessed{slot, 0, access.address, warpkit::access_kind::load, answer.outcome});
        if (answer.departed) tell(warpkit::l1_evicted{answer.departed.line, answer.departed.owner});
        if (waits)
            tell(warpkit::blocked{slot, warpkit::block_reason::memory});
        else if (w.finished())
            tell(warpkit::warp_exited{slot});
    }
    void arrived(std::uint64_t line) {
        l1_.fill(line, [this](std::uint32_t number) {
            auto& w = *warps_[number];
            w.data_is_here();
            tell(warpkit::unblocked{warpkit::warp_slot{number}, warpkit::block_reason::memory});
            if (w.finished()) tell(warpkit::warp_exited{warpkit::warp_slot{number}});
        });
        tell(warpkit::l1_filled{line});
    }

    event_queue* clock_;
    memory* memory_;
    std::vector<std::unique_ptr<warp>> warps_;
    Scheduler scheduler_;
    cache l1_{{.geometry = {.sets = 32, .ways = 4, .line_bytes = 128, .sector_bytes = 128},
               .mshr_entries = 64,
               .mshr_merges = 8,
               .miss_queue = 8}};
    std::uint64_t cycles_ = 0;
};

template <class Scheduler>
std::uint64_t run() {
    event_queue clock;
    memory dram(&clock);
    core<Scheduler> sm(&clock, &dram);
    clock.run();
    auto const& l1 = sm.l1();
    std::cout << std::left << std::setw(28) << warpkit::common_name<Scheduler> << std::right << std::setw(8)
              << sm.cycles() << " cycles, " << std::setw(5) << l1.hits * 1000 / l1.accesses
              << " of 1000 loads hit, " << clock.now() / 1000 << " ns\n";
    return sm.cycles();
}

} // namespace host

int main() {
    using namespace warpkit;
    auto const fair = host::run<lrr>();
    host::run<gto>();
    host::run<ccws>();
    auto const limited = host::run<static_wavefront_limit<6>>();
    return limited < fair ? 0 : 1; // six warps' lines fit the L1
}
