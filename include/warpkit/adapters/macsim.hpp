#pragma once
/// \file
/// Warp schedulers as MacSim's choice of the warp that its front end fetches for, and warpkit's DRAM as one of its
/// memory controllers. docs/howto/macsim.md has the file that makes them. Nothing of the host is included: what it has
/// is found through its frontend_c and dram_c.

#include <warpkit/adapters/memory.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/dram/shared_queue.hpp>
#include <warpkit/fetch/concepts.hpp>
#include <warpkit/warp/events.hpp>

#include <cstdint>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::adapters {

/// A Policy as a Frontend, which is the host's frontend_c: `fetch()` names the thread (a warp, in a GPU's core) that
/// the front end fetches for next. MacSim's cores take fetched instructions in the order of their arrival, so that this
/// is where its warps are scheduled; a fetch is told to the Policy as issued, and as fetched. Where the host has no
/// room for what it would fetch, the warp keeps its turn; with MacSim's own round-robin it loses that.
///
/// It sees the threads that come and end, which blocks they are of, who waits at a barrier, and who for a load as far
/// as the host keeps account of that. Thread t has slot t modulo the width of a warp_set, or another one that is free.
/// A policy that goes by anything else does not compile.
template <class Frontend, fetch_order Policy>
class macsim_frontend : public Frontend {
    using told =
        event_list<kernel_began, kernel_ended, scheduler_began, cta_launched, cta_finished, warp_exited,
                   issued, fetched, blocked, unblocked, barrier_arrived, barrier_released>;
    static_assert(
        hears_only<Policy, told, warp_scheduler_events>,
        "warpkit: this policy goes by events that MacSim's front end does not see (the list that is not "
        "empty); docs/howto/macsim.md says which it does");

public:
    /// The rest are the arguments of Frontend.
    template <class... A>
    explicit macsim_frontend(Policy const& policy, A&&... of_frontend)
        : Frontend(static_cast<A&&>(of_frontend)...),
          policy_(policy) {}

    /// The thread, or -1.
    int fetch() override {
        count_last();
        look();
        if (this->m_cur_core_cycle != at_) {
            at_ = this->m_cur_core_cycle;
            picked_ = {};
        }
        if (this->m_fetching_thread_num == 0) return -1;
        warp_set candidates;
        (live_ - picked_).for_each([&](warp_slot w) {
            if (can_fetch(thread_[w.index()])) candidates.insert(w);
        });
        last_ = policy_.pick(candidates);
        if (last_) picked_.insert(last_);
        return last_ ? thread_[last_.index()] : -1;
    }
    Policy const& policy() const noexcept { return policy_; }

private:
    /// The last pick was carried out, unless the host had no room and says so.
    void count_last() {
        bool const failed = std::exchange(this->m_last_fetch_tid_failed, false);
        if (last_ && !failed) count(last_);
        last_ = no_warp;
    }
    void count(warp_slot w) {
        issued i;
        i.warp = w;
        i.at = static_cast<cycle>(this->m_cur_core_cycle);
        notify(i, policy_);
        fetched f;
        f.warp = w;
        notify(f, policy_);
    }
    /// Tells what has changed since the last time.
    void look() {
        auto& core = *this->m_core;
        live_.for_each([&](warp_slot w) {
            auto const thread = thread_[w.index()];
            if (core.m_fetch_ended[thread] || core.m_thread_reach_end[thread]) exit(w);
        });
        if (seen_ < this->m_last_terminated_tid) seen_ = this->m_last_terminated_tid;
        for (; seen_ < this->m_unique_scheduled_thread_num; ++seen_) {
            if (core.m_fetch_ended[seen_] || core.m_thread_reach_end[seen_]) continue;
            auto* const info = core.get_trace_info(seen_);
            if (info == nullptr) continue;
            if (!live_) begin_if_another(*info);
            auto const w = free_slot(seen_);
            thread_[w.index()] = seen_;
            cta_[w.index()] = cta_of(info->m_block_id);
            live_.insert(w);
            launched_.insert(w);
        }
        while (launched_) launch_together();
        if constexpr (hears<Policy, barrier_arrived> || hears<Policy, blocked>)
            live_.for_each([&](warp_slot w) { look_at(w); });
    }
    /// The kernel of the thread begins, if it is not the one before.
    template <class Info>
    void begin_if_another(Info& info) {
        auto* const process = info.m_process;
        if (began_ && process == process_ && process->m_current_vector_index == launch_) return;
        if (began_) notify(kernel_ended{}, policy_);
        process_ = process;
        launch_ = process->m_current_vector_index;
        began_ = true;
        auto& simulation = *this->m_simBase;
        kernel_began e;
        e.core = static_cast<unsigned>(this->m_core_id);
        e.cores = static_cast<unsigned>(simulation.m_knobs->KNOB_NUM_SIM_CORES->getValue());
        e.warp_slots = unsigned{warp_set::width};
        e.schedulers = 1U;
        if (process->m_max_block > 0) e.ctas_per_core = static_cast<unsigned>(process->m_max_block);
        auto const block = simulation.m_block_schedule_info.find(info.m_block_id);
        if (block != simulation.m_block_schedule_info.end() && block->second->m_total_thread_num > 0)
            e.warps_per_cta = static_cast<unsigned>(block->second->m_total_thread_num);
        notify(e, policy_);
        notify(scheduler_began{0, 1, ~warp_set{}}, policy_);
    }
    void launch_together() {
        auto const cta = cta_[launched_.first().index()];
        warp_set together;
        launched_.for_each([&](warp_slot w) {
            if (cta_[w.index()] == cta) together.insert(w);
        });
        launched_ -= together;
        cta_launched e;
        e.cta = cta_slot{cta};
        e.linear_id = static_cast<std::uint64_t>(block_[cta]);
        e.warps = together;
        e.at = static_cast<cycle>(this->m_cur_core_cycle);
        notify(e, policy_);
    }
    void exit(warp_slot w) {
        live_.erase(w);
        at_barrier_.erase(w);
        waiting_.erase(w);
        notify(warp_exited{w}, policy_);
        auto const cta = cta_[w.index()];
        bool last = true;
        live_.for_each([&](warp_slot other) { last = last && cta_[other.index()] != cta; });
        if (!last) return;
        notify(cta_finished{cta_slot{cta}, static_cast<std::uint64_t>(block_[cta]),
                            static_cast<cycle>(this->m_cur_core_cycle)},
               policy_);
        block_[cta] = no_block;
    }
    void look_at(warp_slot w) {
        auto const thread = thread_[w.index()];
        auto const* const data = this->m_core->get_trace_info(thread)->m_fetch_data;
        bool const barrier = data != nullptr && data->m_fetch_blocked;
        if (barrier != at_barrier_.contains(w)) {
            at_barrier_.assign(w, barrier);
            if (barrier)
                notify(barrier_arrived{w, true}, policy_);
            else
                notify(barrier_released{warp_set{w}}, policy_);
        }
        bool const waits = data != nullptr && !this->check_load_ready(thread);
        if (waits == waiting_.contains(w)) return;
        waiting_.assign(w, waits);
        if (waits)
            notify(blocked{w, block_reason::memory}, policy_);
        else
            notify(unblocked{w, block_reason::memory}, policy_);
    }
    /// Whether the host fetches for the thread.
    bool can_fetch(int thread) {
        auto& knobs = *this->m_simBase->m_knobs;
        if (knobs.KNOB_NO_FETCH_ON_ICACHE_MISS->getValue() && !this->check_fetch_ready(thread)) return false;
        auto const* const data = this->m_core->get_trace_info(thread)->m_fetch_data;
        if (data != nullptr && data->m_fetch_blocked) return false;
        if (!this->m_ptx_sim && !this->m_nvbit_sim) return true;
        return (!knobs.KNOB_MT_NO_FETCH_BR->getValue() || this->check_br_ready(thread)) &&
               (!knobs.KNOB_FETCH_ONLY_LOAD_READY->getValue() || this->check_load_ready(thread));
    }
    /// One in the order of the threads, so that round-robin goes through them in theirs. Throws `error` if none is
    /// free.
    warp_slot free_slot(int thread) const {
        warp_slot const own{static_cast<unsigned>(thread) % warp_set::width};
        if (!live_.contains(own)) return own;
        auto const free = (~live_).next_after(own);
        if (!free)
            raise_error(error({"macsim: a core has more than ", unsigned{warp_set::width},
                               " threads; compile with -DWARPKIT_WARP_SLOTS=", warp_set::width + 64}));
        return free;
    }
    /// The place of a block among those that are here.
    unsigned cta_of(int block) {
        std::size_t free = block_.size();
        for (std::size_t i = block_.size(); i-- != 0;) {
            if (block_[i] == block) return static_cast<unsigned>(i);
            if (block_[i] == no_block) free = i;
        }
        if (free == block_.size()) block_.push_back(no_block);
        block_[free] = block;
        return static_cast<unsigned>(free);
    }

    static constexpr int no_block = -1;
    Policy policy_;
    void const* process_ = nullptr;
    unsigned launch_ = 0; ///< of the process
    bool began_ = false;
    int seen_ = 0; ///< threads below this have been looked at
    warp_set live_;
    warp_set launched_; ///< ... that the policy has not been told of
    warp_set at_barrier_;
    warp_set waiting_; ///< for a load
    warp_slot last_;   ///< the last pick, if it has not been counted
    warp_set picked_;  ///< in this cycle
    std::uint64_t at_ = ~std::uint64_t{0};
    int thread_[warp_set::width]{};
    unsigned cta_[warp_set::width]{};
    std::vector<int> block_; ///< by CTA slot
};

/// Which addresses one of several controllers sees: every `controllers`-th piece of `bytes`.
struct macsim_share {
    std::uint64_t controllers = 1;
    std::uint64_t bytes = 1;
    /// Addresses as if there were this controller alone.
    std::uint64_t within(std::uint64_t address) const noexcept {
        return address / bytes / controllers * bytes + address % bytes;
    }
};

/// DRAM channels as one of MacSim's memory controllers. Host has the host's names:
///
///     struct host {
///         using controller = dram_c;
///         using request = mem_req_s;
///         static constexpr auto write_back = MRT_WB;
///         static constexpr auto fill = NOC_FILL;
///         static constexpr auto at_controller = MEM_MC;
///         static constexpr auto at_cache = MEM_LLC;
///     };
///
/// Each cycle it sends what has been read back to the last-level cache as far as the network takes it, in the order in
/// which it was read, and takes at most one request. A write-back ends with its data. Requests for one place are not
/// merged, and prefetches are not dropped where a queue is full.
template <class Host, dram::scheduler Scheduler = dram::shared_queue<dram::oldest_ready>,
          dram::page_policy PagePolicy = dram::open_page>
class macsim_dram : public Host::controller {
public:
    using request = typename Host::request;

    /// Of a text as "gddr5_gtx480:block=128" (memory_numbers). Throws `error`.
    template <class Simulation>
    macsim_dram(Simulation* simulation, std::string_view text, macsim_share share = {})
        : Host::controller(simulation),
          memory_(memory_numbers::of(text)),
          share_(share) {
        this->m_cycle = 0;
    }
    void init(int id) override { this->m_id = id; }
    void print_req() override {}
    void run_a_cycle(bool locked) override {
        if (!locked) {
            send();
            memory_.tick([this](std::uint64_t token, bool write) {
                auto* const r = reinterpret_cast<request*>(static_cast<std::uintptr_t>(token));
                if (write)
                    this->m_simBase->m_memory->free_req(r->m_core_id, r);
                else
                    answers_.push_back(r);
            });
            receive();
        }
        ++this->m_cycle;
    }
    memory<Scheduler, PagePolicy> const& inside() const noexcept { return memory_; }

protected:
    void send() override {
        for (; !answers_.empty(); answers_.pop_front()) {
            auto* const r = answers_.front();
            r->m_msg_type = Host::fill;
            if (!this->m_simBase->m_network->send(r, Host::at_controller, this->m_id, Host::at_cache,
                                                  r->m_cache_id[Host::at_cache]))
                return;
            auto& knobs = *this->m_simBase->m_knobs;
            if (knobs.KNOB_BUG_DETECTOR_ENABLE->getValue() && knobs.KNOB_ENABLE_NEW_NOC->getValue())
                this->m_simBase->m_bug_detector->allocate_noc(r);
        }
    }
    void receive() override {
        auto& network = *this->m_simBase->m_network;
        request* const r = network.receive(Host::at_controller, this->m_id);
        if (r == nullptr) return;
        if (static_cast<std::uint64_t>(r->m_size) > memory_.numbers().block)
            raise_error(error({"macsim: a request of ", static_cast<std::uint64_t>(r->m_size),
                               " bytes, and blocks of ", memory_.numbers().block,
                               "; name the memory with block = the line of the last-level cache"}));
        auto const at = share_.within(static_cast<std::uint64_t>(r->m_addr));
        bool const write = r->m_type == Host::write_back;
        if (!memory_.can_accept(at, write)) return;
        memory_.push(at, write, reinterpret_cast<std::uintptr_t>(r));
        network.receive_pop(Host::at_controller, this->m_id);
        if (this->m_simBase->m_knobs->KNOB_BUG_DETECTOR_ENABLE->getValue())
            this->m_simBase->m_bug_detector->deallocate_noc(r);
    }

private:
    memory<Scheduler, PagePolicy> memory_;
    macsim_share share_;
    std::deque<request*> answers_;
};

} // namespace warpkit::adapters
