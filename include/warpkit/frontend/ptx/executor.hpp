#pragma once
/// \file
/// The functional executor: runs one CTA at a time, or the CTAs that wait for each other in turn, all their warps, and
/// writes down what they execute. A warp's turn: warp_turn.hpp.

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/device.hpp>
#include <warpkit/frontend/ptx/async_record.hpp>
#include <warpkit/frontend/ptx/barrier_arrivals.hpp>
#include <warpkit/frontend/ptx/execution.hpp>
#include <warpkit/frontend/ptx/execution_limits.hpp>
#include <warpkit/frontend/ptx/execution_reports.hpp>
#include <warpkit/frontend/ptx/kernel.hpp>
#include <warpkit/frontend/ptx/lane_progress.hpp>
#include <warpkit/frontend/ptx/launch_check.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/frontend/ptx/resident_cta.hpp>
#include <warpkit/frontend/ptx/shared_launch.hpp>
#include <warpkit/frontend/ptx/special_values.hpp>
#include <warpkit/frontend/ptx/warp_turn.hpp>
#include <warpkit/program/stream.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpkit::ptx {

/// Runs the CTAs of one launch. The kernel (with its module) and the memory must outlive it.
///
/// Warps run in turn for a time slice or until they wait, in the order of their numbers, so the result is the same on
/// every host. Lanes that diverge meet again as convergence.hpp says, the taken side of a branch first; every lane
/// makes progress, and one that spins until another lane of its warp has done something lets that one go. The members
/// of a warp collective are gathered wherever they are (PTX ISA, shfl.sync: all threads of the member mask that have
/// not exited, with the same qualifiers and mask); in the stream it stands once for each place at which they were.
/// Barriers are met by threads: a warp's arrival stands in the stream when its last lane is there.
class executor {
public:
    executor(kernel const& k, device_memory& memory, launch_request const& request,
             execution_limits const& limits = {})
        : memory_(&memory),
          state_(k, request, limits) {
        require_threads(k, request);
        arguments_ = arguments_of(k, request.arguments);
        extent_ = extent_of(k, request, limits.stack_bytes);
        state_.warps = extent_.warps;
        state_.cluster.resize(static_cast<std::size_t>(extent_.cluster.count()));
        std::vector<phase_log*> logs;
        for (auto& c : state_.cluster) {
            furnish(c);
            shared_of_.push_back(c.shared.data());
            tensor_of_.push_back(&c.tensor);
            logs.push_back(&c.phases);
        }
        state_.record.of_cluster(std::move(logs));
        constants_.resize(k.own_addresses().empty() ? 1 : state_.cluster.size());
        for (std::uint32_t rank = 0; rank < constants_.size(); ++rank) keep_constants(k, rank);
        specials_ = special_values(k, extent_, limits);
    }

    /// Executes the CTA of this linear number (x fastest) and fills `out` with what its warps executed. What it changes
    /// in memory stays. The CTAs of a cluster are executed together, when the first of them is asked for; the streams
    /// of the others are kept until they are. Throws warpkit::error for every fault of the kernel.
    ///
    /// The CTAs of a cooperative launch are executed together, too. In any other launch that is not written down the
    /// CTAs begin one after the other, the next one also when those that have begun seem to wait for it: all their
    /// warps come again to the same instructions with the same registers, or they have executed very much.
    void run_cta(std::uint64_t linear, cta_stream& out) { run_cta(linear, &out); }
    /// The same without writing down what is executed: for who does not time it. There is no bound of streams then.
    void run_cta(std::uint64_t linear) { run_cta(linear, nullptr); }

    /// One of several executors of a launch, each on a host thread of its own: executes CTAs that none of them has
    /// begun until there is none, and writes nothing down. Calls `now_and_then`, if it is not empty: between CTAs, and
    /// when the warps of those that run have had a turn. What is thrown goes to `launch`. Cooperative launches are not
    /// shared, and nothing else is asked of an executor that has shared one.
    void run_shared(shared_launch& launch, std::function<void()> now_and_then = {}) {
        state_.shared = &launch;
        now_and_then_ = std::move(now_and_then);
        try {
            auto const& c = extent_.cluster;
            auto const of_clusters = grid_of_clusters();
            while (launch.take(state_.cluster_number)) {
                launch.begin(state_.patience);
                auto const at = grid_place(of_clusters, state_.cluster_number);
                run_cta((std::uint64_t{at.z} * c.z * extent_.grid.y + std::uint64_t{at.y} * c.y) *
                            extent_.grid.x +
                        std::uint64_t{at.x} * c.x);
                if (now_and_then_) now_and_then_();
            }
        } catch (shared_launch::abandoned const&) {
        } catch (...) {
            launch.fail(state_.number_of_running(), std::current_exception());
        }
        launch.thread_ended();
    }

    /// The launch as the timing model takes it; this executor must stay where it is until the run has ended. Throws
    /// warpkit::error for what can be executed and not timed (docs/model/ptx.md#untimed).
    kernel_launch launch() {
        require_timed(*state_.kernel, extent_.cooperative);
        kernel_launch l;
        l.program = &state_.kernel->program();
        l.grid = extent_.grid;
        l.block = extent_.block;
        l.cluster = extent_.cluster;
        l.shared_bytes = extent_.shared_bytes;
        l.source = this;
        l.fill = [](void* self, std::uint64_t cta, cta_stream& out) {
            static_cast<executor*>(self)->run_cta(cta, out);
        };
        return l;
    }

    /// Clusters of the launch; its CTAs where a cluster has one.
    std::uint64_t clusters() const noexcept { return grid_of_clusters().count(); }
    /// Warp instructions executed so far, all CTAs together.
    std::uint64_t executed() const noexcept { return state_.total; }

private:
    dim3 grid_of_clusters() const noexcept {
        auto const& c = extent_.cluster;
        return {extent_.grid.x / c.x, extent_.grid.y / c.y, extent_.grid.z / c.z};
    }
    // As the CTA of a rank has them.
    void keep_constants(kernel const& k, std::uint32_t rank) {
        auto& to = constants_[rank];
        to.resize(k.constants().size());
        if (!k.constants().empty()) std::memcpy(to.data(), k.constants().data(), k.constants().size());
        for (auto const& a : k.own_addresses())
            for (unsigned l = 0; l < lanes; ++l) {
                auto* const at = to.data() + a.at + std::size_t{l} * a.bytes;
                std::uint32_t address = 0;
                std::memcpy(&address, at, sizeof address);
                address = static_cast<std::uint32_t>(cluster_address(address, rank));
                std::memcpy(at, &address, sizeof address);
            }
    }
    void furnish(resident_cta& c) const {
        c.shared.resize(extent_.shared_bytes);
        c.local.resize(static_cast<std::size_t>(extent_.local_bytes) * state_.warps * lanes);
        c.registers.resize(std::size_t{state_.kernel->register_bytes()} * state_.warps);
        c.warps.resize(state_.warps);
        c.window = c.shared.data();
    }
    void begin(resident_cta& cta, std::uint64_t linear) {
        cta.linear = linear;
        cta.shared.clear();
        cta.local.clear();
        cta.registers.clear();
        cta.barriers = {};
        cta.phases.clear();
        cta.tensor.begin();
        cta.executed = 0;
        cta.held = 0;
        cta.unfinished = state_.warps;
        for (std::uint32_t w = 0; w < state_.warps; ++w) {
            auto& s = cta.warps[w];
            auto const alive = extent_.threads - w * lanes;
            s.status = warp_status::ready;
            s.groups.begin(alive >= lanes ? all_lanes : (1U << alive) - 1);
            turns::begin_watch(s);
            s.arrived = s.passed = 0;
            specials_.fill(cta, w);
        }
    }
    void begin_context() {
        state_.context = {};
        state_.context.names = &state_.names;
        state_.context.fault = &thread_names::fault;
        state_.context.stop = &thread_names::stop;
        state_.context.record = &state_.record;
        state_.context.system = &state_.system;
        state_.context.fragments = state_.kernel->fragments().data();
        state_.context.threads = extent_.threads;
        state_.context.bank[1] = constants_.front().data();
        auto& m = state_.context.memory;
        m.global = memory_;
        // The bank belongs to the module; kernels only read it: locate() forbids writes.
        auto const& bank = state_.kernel->home().constants();
        m.constant = const_cast<std::byte*>(bank.data());
        m.constant_bytes = bank.size();
        m.parameters = arguments_.data();
        m.parameter_bytes = state_.kernel->parameter_bytes();
        m.shared_bytes = extent_.shared_bytes;
        m.local_bytes = extent_.local_bytes;
        m.cluster_ctas = static_cast<std::uint32_t>(state_.cluster.size());
        m.tensors = tensor_of_.data();
        m.names_own = !state_.kernel->own_addresses().empty();
        m.concurrent = state_.shared != nullptr;
    }
    // Another CTA of the cluster, or of those beside it, has its turn.
    void enter(resident_cta& cta) {
        if (state_.now != nullptr) state_.now->executed = state_.context.executed;
        state_.now = &cta;
        state_.context.cta = cta.linear;
        state_.context.executed = cta.executed;
        state_.context.memory.shared = cta.shared.data();
        state_.context.memory.cluster = state_.cluster.size() > 1 ? shared_of_.data() : &cta.window;
        state_.context.memory.tensor = &cta.tensor;
        state_.context.memory.local = cta.local.data();
        state_.context.memory.rank = cta.rank;
        if (constants_.size() > 1) state_.context.bank[1] = constants_[cta.rank].data();
    }

    // Where there is an `out`, it holds all that was executed; otherwise a warp's last turn at most is held.
    void run_cta(std::uint64_t linear, cta_stream* out) {
        if (linear >= extent_.grid.count())
            throw error(state_.names.kernel() + "expected a CTA number below " +
                        std::to_string(extent_.grid.count()) + ", found " + std::to_string(linear));
        if (auto const known = ahead_.find(linear); known != ahead_.end()) {
            if (out != nullptr) std::swap(*out, known->second);
            ahead_.erase(known);
            return;
        }
        auto const at = grid_place(extent_.grid, linear);
        auto const in_cluster = [&](std::uint32_t rank) {
            auto const x = at.x / extent_.cluster.x * extent_.cluster.x + rank % extent_.cluster.x;
            auto const y =
                at.y / extent_.cluster.y * extent_.cluster.y + rank / extent_.cluster.x % extent_.cluster.y;
            auto const z =
                at.z / extent_.cluster.z * extent_.cluster.z + rank / extent_.cluster.x / extent_.cluster.y;
            return (std::uint64_t{z} * extent_.grid.y + y) * extent_.grid.x + x;
        };
        begin_context();
        state_.now = nullptr;
        state_.phases_in_cluster = 0;
        begun_ = std::max(begun_, linear + 1);
        state_.watches = extent_.cooperative;
        state_.may_execute = state_.limits.instructions;
        for (std::uint32_t rank = 0; rank < state_.cluster.size(); ++rank) {
            auto& c = state_.cluster[rank];
            c.rank = rank;
            begin(c, in_cluster(rank));
            c.out = out != nullptr && c.linear == linear ? out : &c.own;
            c.out->reset(state_.warps);
        }
        while (extent_.cooperative && begun_ < extent_.grid.count()) begin_beside();
        run_cluster(out != nullptr);
        for (auto& c : state_.cluster) {
            require_freed(c);
            std::swap(c.out->phases, c.phases.events());
            if (c.linear != linear && state_.shared == nullptr) std::swap(ahead_[c.linear], c.own);
        }
        for (auto const& c : state_.beside) {
            require_freed(c);
            if (state_.shared == nullptr) ahead_[c.linear];
        }
        state_.beside.clear();
    }
    void require_freed(resident_cta const& c) const {
        if (auto const kept = c.tensor.in_use(); kept != 0)
            throw error(state_.names.kernel() + "CTA " + std::to_string(c.linear) + " ended with " +
                        std::to_string(kept) +
                        " columns of tensor memory: expected tcgen05.dealloc of all that it allocated");
    }
    void run_cluster(bool keep) {
        for (bool all_over = false; !all_over;) {
            all_over = true;
            auto const before = state_.total;
            bool progress = false;
            for (auto& c : state_.cluster) {
                if (c.unfinished == 0) continue;
                enter(c);
                progress = run_warps(keep) || progress;
                all_over = all_over && c.unfinished == 0;
            }
            for (auto& c : state_.beside) {
                if (c.unfinished == 0) continue;
                enter(c);
                progress = run_warps(keep) || progress;
                all_over = all_over && c.unfinished == 0;
            }
            if (!all_over &&
                (state_.shared != nullptr || (!keep && state_.cluster.size() == 1 && any_left())))
                begin_who_is_waited_for();
            if (!all_over && (!progress || state_.total == before)) turns::refuse_one(state_);
        }
    }

    // CTAs that wait for each other -----------------------------------------------------------------------------------
    static constexpr std::uint64_t seems_long =
        1U << 20; // warp instructions of a CTA before its warps are looked at
    static constexpr std::uint64_t is_long = 1U << 26;     // and before others begin whatever it does
    static constexpr std::uint64_t most_beside = 1U << 30; // bytes of their registers and memory, about

    // Whether there is a CTA that has not begun.
    bool any_left() const {
        return state_.shared != nullptr ? state_.shared->any_left() : begun_ < extent_.grid.count();
    }
    // Where the CTAs that have begun do nothing but wait, as many again begin.
    [[gnu::noinline]] void begin_who_is_waited_for() {
        std::uint64_t most = 0;
        std::uint64_t lowest = shared_launch::none;
        bool waits = true;
        auto const judge = [&](resident_cta const& c) {
            if (c.unfinished == 0) return;
            lowest = std::min(lowest, c.linear);
            most = std::max(most, &c == state_.now ? state_.context.executed : c.executed);
            for (auto const& w : c.warps)
                waits = waits && (w.status != warp_status::ready || w.watch.waits || w.poll.asks);
        };
        for (auto const& c : state_.cluster) judge(c);
        for (auto const& c : state_.beside) judge(c);
        waits = waits && state_.watches;
        state_.watches = most >= seems_long;
        if (state_.shared != nullptr) {
            if (now_and_then_) now_and_then_();
            bool const clusters = state_.cluster.size() > 1;
            if (state_.shared->should_leave(clusters ? state_.cluster_number : lowest, waits))
                throw shared_launch::abandoned{};
            if (waits) shared_launch::yield();
            if (clusters) return;
        }
        if (!waits && most < is_long) return;
        auto const each =
            std::uint64_t{extent_.shared_bytes} +
            (std::uint64_t{state_.kernel->register_bytes()} + extent_.local_bytes * lanes) * state_.warps;
        auto const most_bytes =
            state_.shared != nullptr ? most_beside / state_.shared->threads() : most_beside;
        for (auto more = state_.beside.size() + 1;
             more > 0 && any_left() && (state_.beside.size() + 1) * each < most_bytes; --more)
            begin_beside();
    }
    void begin_beside() {
        auto next = begun_;
        if (state_.shared == nullptr)
            ++begun_;
        else if (!state_.shared->take(next))
            return;
        auto& c = state_.beside.emplace_back();
        furnish(c);
        begin(c, next);
        c.out = &c.own;
        c.out->reset(state_.warps);
    }

    // Gives each warp of the CTA that can run a turn. False: none can.
    bool run_warps(bool keep) {
        bool progress = false;
        for (std::uint32_t w = 0; w < state_.warps; ++w) {
            auto& s = state_.now->warps[w];
            if (s.status != warp_status::ready) continue;
            progress = true;
            auto& stream = state_.now->out->warps[w];
            auto const before = stream.bytes();
            s.poll.asks = s.poll.at_cluster_barrier = false;
            s.watch.waits = false;
            turns::run_warp(state_, w, stream);
            state_.now->held += stream.bytes() - before;
            if (!keep)
                stream.clear();
            else if (state_.now->held > state_.limits.stream_bytes)
                turns::report_runaway(state_, w, stream, state_.now->held);
            if (s.status == warp_status::exited) {
                state_.now->tensor.ended = --state_.now->unfinished == 0;
                if (state_.now->tensor.ended && state_.shared != nullptr) state_.shared->cta_ended();
                turns::release_barriers(state_);
            }
        }
        return progress;
    }

    device_memory* memory_;
    launch_extent extent_;
    execution state_;
    special_values specials_;
    aligned_bytes<64> arguments_;
    std::vector<aligned_bytes<64>> constants_;  // by rank, or one for all
    std::vector<std::byte*> shared_of_;         // by rank
    std::vector<tensor_memory*> tensor_of_;     // likewise
    std::uint64_t begun_ = 0;                   // the first CTA that has not been begun, nor any behind it
    std::function<void()> now_and_then_;        // called where the launch is shared
    std::map<std::uint64_t, cta_stream> ahead_; // of CTAs that were executed with another of their cluster
};

} // namespace warpkit::ptx
