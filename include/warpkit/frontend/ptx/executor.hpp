#pragma once
/// \file
/// The functional executor: runs one CTA at a time, all its warps, and writes down what they execute.

#include <warpkit/base/byte_range.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/frontend/device.hpp>
#include <warpkit/frontend/ptx/barriers.hpp>
#include <warpkit/frontend/ptx/collectives.hpp>
#include <warpkit/frontend/ptx/convergence.hpp>
#include <warpkit/frontend/ptx/execution_limits.hpp>
#include <warpkit/frontend/ptx/kernel.hpp>
#include <warpkit/frontend/ptx/memory_access.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/frontend/ptx/resident_cta.hpp>
#include <warpkit/program/stream.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
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
    static constexpr std::uint32_t most_shared =
        1U << cluster_shift;                             ///< bytes of shared memory that a CTA can have
    static constexpr std::uint32_t most_in_cluster = 16; ///< CTAs, where the kernel does not say

    executor(kernel const& k, device_memory& memory, launch_request const& request,
             execution_limits const& limits = {})
        : kernel_(&k),
          memory_(&memory),
          limits_(limits),
          grid_(request.grid),
          block_(request.block) {
        auto const where = "kernel " + k.name() + ": ";
        if (grid_.count() == 0 || block_.count() == 0)
            throw error(where + "expected a grid and a block of at least one thread");
        if (block_.count() > 1024)
            throw error(where + "expected at most 1024 threads per CTA, found " +
                        std::to_string(block_.count()));
        set_arguments(request.arguments);
        auto const shared = saturated_sum(k.shared_bytes(), request.dynamic_shared_bytes);
        if (shared > most_shared)
            throw error(where + "a CTA takes " + std::to_string(shared) +
                        " bytes of shared memory, there are at most " + std::to_string(most_shared));
        shared_bytes_ = static_cast<std::uint32_t>(shared);
        threads_ = static_cast<std::uint32_t>(block_.count());
        warps_ = (threads_ + lanes - 1) / lanes;
        auto const frame = k.local_bytes();
        if (saturated_product(frame, std::uint64_t{warps_} * lanes) > (1ULL << 32))
            throw error(where + "expected less than 4 GiB of local memory per CTA");
        set_cluster(request);
        for (auto& c : ctas_) {
            c.shared.resize(shared_bytes_);
            c.local.resize(frame * warps_ * lanes);
            c.registers.resize(std::size_t{k.register_bytes()} * warps_);
            c.warps.resize(warps_);
            shared_of_.push_back(c.shared.data());
        }
        constants_.resize(k.constants().size());
        if (!k.constants().empty())
            std::memcpy(constants_.data(), k.constants().data(), k.constants().size());
        prepare_specials();
    }

    /// Executes the CTA of this linear number (x fastest) and fills `out` with what its warps executed. What it changes
    /// in memory stays. The CTAs of a cluster are executed together, when the first of them is asked for; the streams
    /// of the others are kept until they are. Throws warpkit::error for every fault of the kernel.
    void run_cta(std::uint64_t linear, cta_stream& out) { run_cta(linear, &out); }
    /// The same without writing down what is executed: for who does not time it. There is no bound of streams then.
    void run_cta(std::uint64_t linear) { run_cta(linear, nullptr); }

    /// The launch as the timing model takes it; this executor must stay where it is until the run has ended. Throws
    /// warpkit::error for what can be executed and not timed (docs/model/ptx.md#untimed).
    kernel_launch launch() {
        require_timed();
        kernel_launch l;
        l.program = &kernel_->program();
        l.grid = grid_;
        l.block = block_;
        l.shared_bytes = shared_bytes_;
        l.source = this;
        l.fill = [](void* self, std::uint64_t cta, cta_stream& out) {
            static_cast<executor*>(self)->run_cta(cta, out);
        };
        return l;
    }

    /// Warp instructions executed so far, all CTAs together.
    std::uint64_t executed() const noexcept { return total_; }

private:
    void set_arguments(std::vector<std::byte> const& given) {
        auto const size = kernel_->parameter_bytes();
        auto const align = std::uint64_t{kernel_->parameter_align()};
        auto const padded = (size + align - 1) / align * align;
        if (given.size() != size && given.size() != padded) {
            std::string list;
            for (auto const& p : kernel_->parameters())
                list += (list.empty() ? "" : ", ") + std::to_string(p.size) + " bytes at " +
                        std::to_string(p.offset);
            throw error("kernel " + kernel_->name() + " takes " + std::to_string(size) +
                        " bytes of arguments (" + (list.empty() ? "none" : list) + "), found " +
                        std::to_string(given.size()));
        }
        arguments_.resize(padded);
        if (!given.empty()) std::memcpy(arguments_.data(), given.data(), given.size());
    }

    // The extent of a cluster: of the kernel, or of the launch.
    void set_cluster(launch_request const& request) {
        auto const where = "kernel " + kernel_->name() + ": ";
        auto const text = [](dim3 d) {
            return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
        };
        auto const& own = kernel_->cluster();
        bool const asked = request.cluster != dim3{0, 0, 0};
        if (asked && request.cluster.count() == 0)
            throw error(where + "expected clusters of at least one CTA along each dimension, found " +
                        text(request.cluster));
        if (asked && own.required.count() != 0 && own.required != request.cluster)
            throw error(where + "its .reqnctapercluster is " + text(own.required) +
                        ", and the launch asks for clusters of " + text(request.cluster));
        if (own.is_explicit && !asked && own.required.count() == 0)
            throw error(where + "it is .explicitcluster: give the launch the extent of its clusters");
        cluster_ = asked ? request.cluster : own.required.count() != 0 ? own.required : dim3{};
        if (grid_.x % cluster_.x != 0 || grid_.y % cluster_.y != 0 || grid_.z % cluster_.z != 0)
            throw error(where + "expected a grid of whole clusters of " + text(cluster_) + ", found " +
                        text(grid_));
        auto const most = own.most_ctas != 0 ? std::min(own.most_ctas, most_in_cluster) : most_in_cluster;
        if (cluster_.count() > most)
            throw error(where + "expected at most " + std::to_string(most) + " CTAs in a cluster, found " +
                        std::to_string(cluster_.count()));
        ctas_.resize(static_cast<std::size_t>(cluster_.count()));
    }
    void require_timed() const {
        if (cluster_.count() > 1)
            throw error("kernel " + kernel_->name() + ": clusters of " + std::to_string(cluster_.count()) +
                        " CTAs are executed and not timed: no machine knows their time; " + untimed_remedy);
        for (auto const& o : kernel_->operations())
            if (o.untimed)
                throw error("kernel " + kernel_->name() + ": " + kernel_->opcode(o.index) + " at " +
                            kernel_->place(o.index) +
                            " is executed and not timed: no machine knows its time; " + untimed_remedy);
    }
    static constexpr char const* untimed_remedy =
        "run the program without timing (WARPKIT_TIMING=off, or executor::run_cta)";

    void begin(resident_cta& cta, std::uint64_t linear) {
        cta.linear = linear;
        cta.shared.clear();
        cta.local.clear();
        cta.registers.clear();
        cta.barriers = {};
        cta.executed = 0;
        cta.held = 0;
        cta.unfinished = warps_;
        for (std::uint32_t w = 0; w < warps_; ++w) {
            auto& s = cta.warps[w];
            auto const alive = threads_ - w * lanes;
            s.status = warp_status::ready;
            s.groups.begin(alive >= lanes ? all_lanes : (1U << alive) - 1);
            s.watch.mask = 0;
            s.watch.steps = 0;
            s.watch.interval = first_look;
            s.watch.patience = first_patience;
            s.watch.endurance = first_endurance;
            s.poll.asks = s.poll.refuse = false;
            s.poll.refusals = 0;
            s.poll.refused_at = 0;
            s.arrived = s.passed = 0;
            fill_specials(cta, w);
        }
    }
    void begin_context() {
        context_ = {};
        context_.owner = this;
        context_.fault = &executor::fault;
        context_.stop = &executor::stop;
        context_.fragments = kernel_->fragments().data();
        context_.threads = threads_;
        context_.bank[1] = constants_.data();
        auto& m = context_.memory;
        m.global = memory_;
        // The bank belongs to the module; kernels only read it: locate() forbids writes.
        auto const& bank = kernel_->home().constants();
        m.constant = const_cast<std::byte*>(bank.data());
        m.constant_bytes = bank.size();
        m.parameters = arguments_.data();
        m.parameter_bytes = kernel_->parameter_bytes();
        m.shared_bytes = shared_bytes_;
        m.local_bytes = kernel_->local_bytes();
        m.cluster = shared_of_.data();
        m.cluster_ctas = static_cast<std::uint32_t>(ctas_.size());
    }
    // Another CTA of the cluster has its turn.
    void enter(resident_cta& cta) {
        if (now_ != nullptr) now_->executed = context_.executed;
        now_ = &cta;
        context_.cta = cta.linear;
        context_.executed = cta.executed;
        context_.memory.shared = cta.shared.data();
        context_.memory.local = cta.local.data();
        context_.memory.rank = cta.rank;
    }
    // What a warp's special registers hold. Those that are the same in every CTA were worked out before the first.
    void fill_specials(resident_cta& cta, std::uint32_t warp) {
        auto* const base = cta.registers.data() + std::size_t{warp} * kernel_->register_bytes();
        auto const& slots = kernel_->special_slots();
        auto const* ready = specials_.data() + warp * slots.size();
        for (auto const& s : slots) {
            auto* const to = base + s.slot;
            auto const all = lanes * std::size_t{s.bytes};
            if (is_of_cta(s.which)) {
                auto const v = special_of_cta(s.which, cta);
                std::memcpy(to, &v, s.bytes);
                for (std::size_t done = s.bytes; done < all; done += done) std::memcpy(to + done, to, done);
            } else {
                std::memcpy(to, ready->data(), all);
            }
            ++ready;
        }
    }
    static bool is_of_cta(special_register which) noexcept {
        using r = special_register;
        return (which >= r::ctaid_x && which <= r::ctaid_z) ||
               (which >= r::clusterid_x && which <= r::clusterid_z) ||
               (which >= r::cluster_ctaid_x && which <= r::cluster_ctaid_z) || which == r::cluster_ctarank;
    }
    std::uint64_t special_of_cta(special_register which, resident_cta const& cta) const {
        using r = special_register;
        auto const at = place_of(cta.linear);
        switch (which) {
        case r::ctaid_x:
            return at.x;
        case r::ctaid_y:
            return at.y;
        case r::ctaid_z:
            return at.z;
        case r::clusterid_x:
            return at.x / cluster_.x;
        case r::clusterid_y:
            return at.y / cluster_.y;
        case r::clusterid_z:
            return at.z / cluster_.z;
        case r::cluster_ctaid_x:
            return at.x % cluster_.x;
        case r::cluster_ctaid_y:
            return at.y % cluster_.y;
        case r::cluster_ctaid_z:
            return at.z % cluster_.z;
        default:
            return cta.rank;
        }
    }
    dim3 place_of(std::uint64_t linear) const {
        auto const in_y = linear / grid_.x;
        return {static_cast<std::uint32_t>(linear % grid_.x), static_cast<std::uint32_t>(in_y % grid_.y),
                static_cast<std::uint32_t>(in_y / grid_.y)};
    }
    void prepare_specials() {
        for (std::uint32_t w = 0; w < warps_; ++w)
            for (auto const& s : kernel_->special_slots()) {
                auto& all = specials_.emplace_back();
                for (std::uint32_t l = 0; l < lanes; ++l) {
                    auto const v = special(s.which, w, l);
                    std::memcpy(all.data() + std::size_t{l} * s.bytes, &v, s.bytes);
                }
            }
    }
    // Whatever the CTA.
    std::uint64_t special(special_register which, std::uint32_t warp, std::uint32_t lane) const {
        auto const t = warp * lanes + lane;
        using r = special_register;
        switch (which) {
        case r::tid_x:
            return t % block_.x;
        case r::tid_y:
            return t / block_.x % block_.y;
        case r::tid_z:
            return t / block_.x / block_.y;
        case r::ntid_x:
            return block_.x;
        case r::ntid_y:
            return block_.y;
        case r::ntid_z:
            return block_.z;
        case r::nctaid_x:
            return grid_.x;
        case r::nctaid_y:
            return grid_.y;
        case r::nctaid_z:
            return grid_.z;
        case r::laneid:
            return lane;
        case r::warpid:
            return warp;
        case r::nwarpid:
            return warps_;
        case r::nsmid:
            return limits_.sm_count;
        case r::gridid:
            return limits_.grid_id;
        case r::lanemask_eq:
            return 1U << lane;
        case r::lanemask_le:
            return (2U << lane) - 1;
        case r::lanemask_lt:
            return (1U << lane) - 1;
        case r::lanemask_ge:
            return ~((1U << lane) - 1);
        case r::lanemask_gt:
            return ~((2U << lane) - 1);
        case r::dynamic_smem_size:
            return shared_bytes_ - kernel_->shared_bytes();
        case r::total_smem_size:
            return shared_bytes_;
        case r::nclusterid_x:
            return grid_.x / cluster_.x;
        case r::nclusterid_y:
            return grid_.y / cluster_.y;
        case r::nclusterid_z:
            return grid_.z / cluster_.z;
        case r::cluster_nctaid_x:
            return cluster_.x;
        case r::cluster_nctaid_y:
            return cluster_.y;
        case r::cluster_nctaid_z:
            return cluster_.z;
        case r::cluster_nctarank:
            return cluster_.count();
        default:
            return 0;
        }
    }

    // Where there is an `out`, it holds all that was executed; otherwise a warp's last turn at most is held.
    void run_cta(std::uint64_t linear, cta_stream* out) {
        if (linear >= grid_.count())
            throw error("kernel " + kernel_->name() + ": expected a CTA number below " +
                        std::to_string(grid_.count()) + ", found " + std::to_string(linear));
        if (auto const known = ahead_.find(linear); known != ahead_.end()) {
            if (out != nullptr) std::swap(*out, known->second);
            ahead_.erase(known);
            return;
        }
        auto const at = place_of(linear);
        auto const in_cluster = [&](std::uint32_t rank) {
            auto const x = at.x / cluster_.x * cluster_.x + rank % cluster_.x;
            auto const y = at.y / cluster_.y * cluster_.y + rank / cluster_.x % cluster_.y;
            auto const z = at.z / cluster_.z * cluster_.z + rank / cluster_.x / cluster_.y;
            return (std::uint64_t{z} * grid_.y + y) * grid_.x + x;
        };
        begin_context();
        now_ = nullptr;
        for (std::uint32_t rank = 0; rank < ctas_.size(); ++rank) {
            auto& c = ctas_[rank];
            c.rank = rank;
            begin(c, in_cluster(rank));
            c.out = out != nullptr && c.linear == linear ? out : &c.own;
            c.out->reset(warps_);
        }
        run_cluster(out != nullptr);
        for (auto& c : ctas_)
            if (c.linear != linear) std::swap(ahead_[c.linear], c.own);
    }
    void run_cluster(bool keep) {
        for (bool all_over = false; !all_over;) {
            all_over = true;
            auto const before = total_;
            bool progress = false;
            for (auto& c : ctas_) {
                if (c.unfinished == 0) continue;
                enter(c);
                progress = run_warps(keep) || progress;
                all_over = all_over && c.unfinished == 0;
            }
            if (!all_over && (!progress || total_ == before)) refuse_one();
        }
    }
    // Gives each warp of the CTA that can run a turn. False: none can.
    bool run_warps(bool keep) {
        bool progress = false;
        for (std::uint32_t w = 0; w < warps_; ++w) {
            auto& s = now_->warps[w];
            if (s.status != warp_status::ready) continue;
            progress = true;
            auto& stream = now_->out->warps[w];
            auto const before = stream.bytes();
            s.poll.asks = false;
            run_warp(w, stream);
            now_->held += stream.bytes() - before;
            if (!keep)
                stream.clear();
            else if (now_->held > limits_.stream_bytes)
                report_runaway(w, stream, now_->held);
            if (s.status == warp_status::exited) {
                --now_->unfinished;
                release_barriers();
            }
        }
        return progress;
    }
    // Nobody can do anything but ask: of those that do, the one that was refused least recently is.
    void refuse_one() {
        poll_watch* chosen = nullptr;
        bool hope = false;
        for (auto& c : ctas_)
            for (auto& s : c.warps) {
                if (s.status != warp_status::ready || !s.poll.asks) continue;
                if (chosen == nullptr || s.poll.refused_at < chosen->refused_at) chosen = &s.poll;
                hope = hope || s.poll.refusals < poll_watch::most_refusals;
            }
        if (!hope) report_deadlock();
        chosen->refuse = true;
    }

    // Runs one warp until its time slice is over or it waits or exits.
    void run_warp(std::uint32_t w, warp_stream& out) {
        auto& s = now_->warps[w];
        auto& c = context_;
        c.warp = w;
        c.bank[0] = registers_of(w);
        auto const* const code = kernel_->operations().data();
        left_ = limits_.time_slice;
        std::uint32_t budget = 0; // instructions until someone looks whether the group spins
        if (!s.groups.can_run()) static_cast<void>(s.groups.next());
        auto* top = &s.groups.current();
        for (;;) {
            while (top->pc == top->reconvergence) {
                s.groups.meet();
                top = &s.groups.current();
            }
            if (budget == 0) {
                if (left_ == 0) return;
                budget = next_budget(s);
                top = &s.groups.current();
                continue;
            }
            --budget;
            auto const pc = top->pc;
            auto const& o = code[pc];
            auto mask = top->mask;
            if (o.attention) {
                if (o.may_be_met && s.groups.meet_further_up()) {
                    top = &s.groups.current();
                    continue;
                }
                if (o.guarded) {
                    auto const p = *c.lanes_of<lane_mask>(o.guard);
                    mask &= o.guard_negated ? ~p : p;
                }
            }
            if (++c.executed > limits_.instructions) report_endless(o);
            ++total_;
            switch (o.what) {
            case action::compute:
                out.append(pc, mask);
                if (mask != 0) o.execute(c, o, mask);
                ++top->pc;
                break;
            case action::access:
                if (mask != 0) {
                    o.execute(c, o, mask);
                    if (c.regular)
                        out.append(pc, mask, c.space, c.address[0], c.stride);
                    else
                        out.append(pc, mask, c.space, c.address);
                } else {
                    out.append(pc, mask);
                }
                ++top->pc;
                break;
            case action::jump:
                out.append(pc, mask);
                if (mask == top->mask) {
                    top->pc = o.target;
                } else if (mask == 0) {
                    ++top->pc;
                } else {
                    s.groups.part(o.reconvergence, o.meets_only_at_end,
                                  {{{o.target, mask}, {pc + 1, top->mask & ~mask}}}, 2);
                    top = &s.groups.current();
                }
                break;
            case action::jump_by_table:
                out.append(pc, mask);
                jump_by_table(s, o, mask);
                top = &s.groups.current();
                break;
            case action::exit:
                out.append(pc, mask);
                ++top->pc;
                if (mask != 0) {
                    if (!leave(w, mask)) return;
                    top = &s.groups.current();
                }
                break;
            case action::synchronise:
                if (mask != 0) {
                    if (arrive(w, o, mask)) return;
                    top = &s.groups.current();
                } else {
                    step(*top, out, mask);
                }
                break;
            case action::gather:
                if (mask == 0 || names_only(context_, s.groups.alive(), o, mask)) {
                    if (mask != 0) o.execute(c, o, mask);
                    step(*top, out, mask);
                } else {
                    if (!gather(w, o, mask)) return;
                    top = &s.groups.current();
                }
                break;
            case action::copy:
                if (mask != 0) o.execute(c, o, mask);
                put_access(out, pc, mask == 0 ? 0 : c.accessed);
                ++top->pc;
                break;
            case action::poll:
                if (mask != 0) o.execute(c, o, mask);
                if (mask != 0 && (mask & ~c.accessed) != 0 && !is_refused(s, pc)) {
                    if (let_others_answer(s)) return;
                    top = &s.groups.current();
                    break;
                }
                put_access(out, pc, mask);
                ++top->pc;
                break;
            case action::arrive_in_cluster:
                arrive_in_cluster(s, o, mask);
                step(*top, out, mask);
                break;
            case action::wait_in_cluster:
                if (mask != 0 && !may_pass(s, o, mask)) {
                    s.poll.pc = pc;
                    uncount();
                    if (let_others_answer(s)) return;
                    top = &s.groups.current();
                    break;
                }
                step(*top, out, mask);
                break;
            case action::yield:
                step(*top, out, mask);
                if (mask != 0 && !s.groups.converged()) {
                    let_others_go(s, true);
                    top = &s.groups.current();
                }
                break;
            case action::trap:
                if (mask != 0)
                    throw error("kernel " + kernel_->name() + ": trap at " + kernel_->place(o.index) +
                                " in " + thread_name(c, mask));
                step(*top, out, mask);
                break;
            default:
                throw error("kernel " + kernel_->name() + ": instruction at " + kernel_->place(o.index) +
                            " is not supported");
            }
        }
    }

    // The lanes of `mask` jump where their registers say, in the order of the lowest lane of each target; the others
    // go on.
    void jump_by_table(warp_state& s, operation const& o, lane_mask mask) {
        auto const& table = kernel_->program().jump_tables[o.target];
        bool const call = o.source_bytes == 8;
        lane_groups::paths to;
        unsigned count = 0;
        for (auto rest = mask; rest != 0; rest &= rest - 1) {
            auto const l = static_cast<unsigned>(std::countr_zero(rest));
            std::uint64_t chosen = call ? context_.source<std::uint64_t>(o, 0)[l] - function_window
                                        : context_.source<std::uint32_t>(o, 0)[l];
            if (chosen >= table.size() || table[chosen] == static_instruction::no_target)
                throw error(
                    "kernel " + kernel_->name() + ": indirect " + (call ? "call" : "branch") + " at " +
                    kernel_->place(o.index) + ": " + thread_name(context_, 1U << l) +
                    (call ? ", the address in the register is not that of a function that this call can reach"
                          : ", expected a number below " + std::to_string(table.size()) + ", found " +
                                std::to_string(chosen)));
            unsigned i = 0;
            while (i < count && to[i].pc != table[chosen]) ++i;
            if (i == count) to[count++] = {table[chosen], 0};
            to[i].mask |= 1U << l;
        }
        auto& top = s.groups.current();
        if (auto const others = top.mask & ~mask; others != 0) {
            unsigned i = 0;
            while (i < count && to[i].pc != top.pc + 1) ++i;
            if (i == count) to[count++] = {top.pc + 1, 0};
            to[i].mask |= others;
        }
        if (count == 1)
            top.pc = to[0].pc;
        else
            s.groups.part(o.reconvergence, o.meets_only_at_end, to, count);
    }

    // What is rare goes to the stream through here, so that append() is expanded where it is hot.
    [[gnu::noinline]] static void step(lane_group& g, warp_stream& out, lane_mask mask) {
        out.append(g.pc++, mask);
    }

    [[gnu::noinline]] void put_access(warp_stream& out, std::uint32_t pc, lane_mask mask) const {
        auto const& c = context_;
        if (mask == 0)
            out.append(pc, mask);
        else if (c.regular)
            out.append(pc, mask, c.space, c.address[0], c.stride);
        else
            out.append(pc, mask, c.space, c.address);
    }
    // The warp asks for what has not come to pass: does it hear so, or do others go first?
    [[gnu::noinline]] bool is_refused(warp_state& s, std::uint32_t pc) {
        auto& p = s.poll;
        p.pc = pc;
        if (!p.refuse) {
            p.asks = true;
            uncount();
            return false;
        }
        p.refuse = false;
        p.refused_at = total_;
        auto const* const registers = context_.bank[0];
        if (p.registers.size() == kernel_->register_bytes() &&
            std::memcmp(registers, p.registers.data(), p.registers.size()) == 0) {
            ++p.refusals;
        } else {
            p.registers.assign(registers, registers + kernel_->register_bytes());
            p.refusals = 0;
        }
        return true;
    }
    // The running group asks again when others have had their turn. True: those are other warps.
    [[gnu::noinline]] bool let_others_answer(warp_state& s) {
        if (s.groups.converged()) return true;
        let_others_go(s, true);
        return left_ == 0;
    }

    // Clusters ------------------------------------------------------------------------------------------------------
    void arrive_in_cluster(warp_state& s, operation const& o, lane_mask mask);
    bool may_pass(warp_state& s, operation const& o, lane_mask mask);
    bool all_in_cluster_arrived() const;

    // Progress of all lanes -----------------------------------------------------------------------------------------
    // In instructions that a group runs in a row; what comes next holds once lanes of the warp were seen to wait for
    // others.
    static constexpr std::uint32_t first_look = 1024;
    static constexpr std::uint32_t next_look = 64;
    static constexpr std::uint64_t first_patience = 1U << 16;
    static constexpr std::uint64_t first_endurance = 1U << 20;
    static constexpr std::uint64_t next_patience = 1024;
    static constexpr std::uint32_t most_steps = 1024;

    // Looks whether the group that runs should let others go, and says for how many instructions it goes on unwatched.
    [[gnu::noinline]] std::uint32_t next_budget(warp_state& s) {
        if (!s.groups.converged()) look(s);
        auto const next = std::min(s.watch.steps != 0 ? 1 : s.watch.interval, left_);
        left_ -= next;
        return next;
    }
    // A group that comes again to the same instruction with the same registers waits for others. A look takes a copy
    // and follows some instructions; between looks the group runs twice as long each time. One that counts while it
    // waits is not seen so, and lets others go when it has run for long.
    void look(warp_state& s) {
        auto& v = s.watch;
        auto const& g = s.groups.current();
        auto const* const registers = context_.bank[0];
        if (g.mask != v.mask) {
            v.mask = g.mask;
            v.ran = 0;
            v.look_at = v.interval;
            v.steps = 0;
        } else if (v.steps != 0) {
            --v.steps;
            if (g.pc == v.pc && std::memcmp(registers, v.registers.data(), v.registers.size()) == 0)
                let_others_go(s, true);
        } else {
            v.ran += v.interval;
            if (v.ran >= v.patience) {
                let_others_go(s, v.ran >= v.endurance);
            } else if (v.ran >= v.look_at) {
                v.look_at = 2 * v.ran;
                v.steps =
                    static_cast<std::uint32_t>(std::clamp<std::uint64_t>(v.ran / 16, next_look, most_steps));
                v.pc = g.pc;
                v.registers.assign(registers, registers + kernel_->register_bytes());
            }
        }
    }
    [[gnu::noinline]] void let_others_go(warp_state& s, bool from_joins_too) {
        auto& v = s.watch;
        bool const other = s.groups.yield(from_joins_too);
        if (!other && !from_joins_too) return;
        v.mask = 0;
        v.steps = 0;
        if (other) {
            v.interval = next_look;
            v.patience = next_patience;
            if (from_joins_too) v.endurance = next_patience;
        }
        if (!other || s.groups.all_have_yielded())
            left_ = 0; // it may be other warps that all of them wait for
    }
    // Lanes exit. False: the warp has exited or must wait.
    bool leave(std::uint32_t w, lane_mask mask);
    // A group that can run does. False: there is none, and the warp waits.
    bool go_on(std::uint32_t w) {
        auto& s = now_->warps[w];
        if (s.groups.can_run() || s.groups.next()) return true;
        s.status = warp_status::waiting;
        for (auto const& g : s.groups.all())
            if (g.waits == lane_group::wait::barrier) return false;
        report_missing(w);
    }

    waiting_lanes lanes_at_barrier(std::uint32_t w, std::uint32_t id) const {
        return ptx::lanes_at_barrier(now_->warps[w].groups, id);
    }
    /// Of a warp.
    std::byte* registers_of(std::uint32_t w) {
        return now_->registers.data() + std::size_t{w} * kernel_->register_bytes();
    }

    // Warp collectives ----------------------------------------------------------------------------------------------
    // A collective that is known to have been counted and will be when it stands in the stream.
    void uncount() {
        --context_.executed;
        --total_;
    }
    [[gnu::noinline]] void put(std::uint32_t w, std::uint32_t pc, lane_mask mask) {
        ++context_.executed;
        ++total_;
        now_->out->warps[w].append(pc, mask);
    }
    // The lanes of `mask` reach a collective and do not name just each other. False: the warp must wait.
    bool gather(std::uint32_t w, operation const& o, lane_mask mask);
    bool try_collective(std::uint32_t w, lane_mask waiting);

    // Barriers ----------------------------------------------------------------------------------------------------
    // Lanes of a warp reach a barrier. Returns whether the warp must wait (or has been released at once and ends its
    // turn).
    bool arrive(std::uint32_t w, operation const& o, lane_mask mask);
    void arrive_whole(std::uint32_t w, std::uint32_t id, waiting_lanes const& there);
    void tell_arrival(std::uint32_t w, std::uint32_t id, waiting_lanes const& there, bool whole);
    void release_barriers();
    void complete(std::uint32_t id);
    [[gnu::noinline]] void put_barrier(std::uint32_t w, std::uint32_t pc, lane_mask mask, std::uint32_t id,
                                       std::uint32_t expected) {
        ++context_.executed;
        ++total_;
        if (kernel_->operations()[pc].barrier_in_stream)
            now_->out->warps[w].append_barrier(pc, mask, id, expected);
        else
            now_->out->warps[w].append(pc, mask);
    }

    // Messages ----------------------------------------------------------------------------------------------------
    std::string thread_name(warp_context const& c, lane_mask mask) const {
        auto const lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        auto const t = c.warp * lanes + lane;
        return "CTA " + cta_name(c.cta) + ", thread (" + std::to_string(t % block_.x) + "," +
               std::to_string(t / block_.x % block_.y) + "," + std::to_string(t / block_.x / block_.y) + ")";
    }
    std::string cta_name(std::uint64_t linear) const {
        std::string s = "("; // in steps: GCC 12 warns without reason of a chain that begins with a literal
        s += std::to_string(linear % grid_.x) + "," + std::to_string(linear / grid_.x % grid_.y) + "," +
             std::to_string(linear / grid_.x / grid_.y);
        return s + ")";
    }
    [[noreturn]] static void fault(warp_context const& c, operation const& o, std::string_view what,
                                   unsigned lane, std::uint64_t address, unsigned bytes, memory_space space) {
        auto const& self = *c.owner;
        throw error("kernel " + self.kernel_->name() + ": " + std::string(what) + " access at " +
                    self.kernel_->place(o.index) + ": " + self.thread_name(c, 1U << lane) + ", " +
                    std::to_string(bytes) + " bytes at address " + hexadecimal(address) + " of " +
                    memory_space_names[static_cast<std::size_t>(space)] + " memory");
    }
    [[noreturn]] static void stop(warp_context const& c, operation const& o, lane_mask of,
                                  std::string const& why) {
        auto const& self = *c.owner;
        throw error("kernel " + self.kernel_->name() + ": instruction at " + self.kernel_->place(o.index) +
                    ": " + self.thread_name(c, of) + ", warp " + std::to_string(c.warp) + ", lanes " +
                    hexadecimal(of) + ": " + why);
    }
    [[noreturn]] void report_endless(operation const& o) const {
        auto text = "kernel " + kernel_->name() + ": CTA " + cta_name(context_.cta) +
                    " has not ended after " + std::to_string(limits_.instructions) +
                    " warp instructions; warp " + std::to_string(context_.warp) + " is at " +
                    kernel_->place(o.index);
        for (auto const& g : now_->warps[context_.warp].groups.all())
            if (g.waits != lane_group::wait::nothing)
                text += "; lanes " + hexadecimal(g.mask) + " wait for others at a " +
                        (g.waits == lane_group::wait::lanes ? "warp collective" : "barrier") + " at " +
                        kernel_->place(g.pc);
        throw error(text);
    }
    // The place of a loop that does not end: between the first and the last instruction of the later half of what the
    // warp executed, wherever it is now, and whatever loops lie inside.
    [[noreturn, gnu::cold]] void report_runaway(std::uint32_t warp, warp_stream const& stream,
                                                std::uint64_t held) const {
        std::uint64_t seen = 0;
        auto first = stream.runs().back().first;
        auto last = first;
        for (auto r = stream.runs().rbegin(); r != stream.runs().rend() && seen < stream.size() / 2; ++r) {
            first = std::min(first, r->first);
            last = std::max(last, r->first + r->count - 1);
            seen += r->count;
        }
        throw error("kernel " + kernel_->name() + ": CTA " + cta_name(context_.cta) +
                    " has not ended after " + std::to_string(context_.executed) +
                    " warp instructions, and their stream takes " + std::to_string(held) + " bytes: warp " +
                    std::to_string(warp) + " has been between " + kernel_->place(first) + " and " +
                    kernel_->place(last) + " for its last " + std::to_string(seen) +
                    "; if that loop does end, raise " + limits_.stream_option + ", " +
                    std::to_string(limits_.stream_bytes) + " bytes");
    }
    // All warps of the cluster wait for what none of them can bring.
    [[noreturn]] void report_deadlock() {
        std::string list;
        unsigned named = 0;
        bool barriers_alone = true;
        auto const add = [&](resident_cta const& c, std::uint32_t w, std::string const& where) {
            if (++named > 8) return;
            list += (list.empty() ? "" : ", ") +
                    (ctas_.size() == 1 ? "" : "CTA " + cta_name(c.linear) + " ") + "warp " +
                    std::to_string(w) + where;
        };
        for (auto& c : ctas_) {
            enter(c);
            for (std::uint32_t w = 0; w < warps_; ++w) {
                auto const& s = c.warps[w];
                if (s.status == warp_status::exited) continue;
                auto const& groups = s.groups.all();
                if (s.status == warp_status::ready) {
                    barriers_alone = false;
                    add(c, w,
                        " waits at " + kernel_->place(s.poll.pc) + " (" + kernel_->opcode(s.poll.pc) + ")");
                    continue;
                }
                for (auto const& g : groups)
                    if (g.waits == lane_group::wait::lanes) report_missing(w);
                for (auto const& g : groups)
                    if (g.waits == lane_group::wait::barrier)
                        add(c, w,
                            (groups.size() == 1 ? "" : " (lanes " + hexadecimal(g.mask) + ")") +
                                " at barrier " + std::to_string(g.barrier) + " (" + kernel_->place(g.pc) +
                                ")");
            }
        }
        if (named > 8) list += " and " + std::to_string(named - 8) + " more";
        throw error("kernel " + kernel_->name() + ": CTA " + cta_name(ctas_.front().linear) +
                    (barriers_alone ? " waits at barriers that can never be met: "
                                    : " waits for what never comes to pass: ") +
                    list);
    }
    // A lane of this warp waits at a collective for one that never comes.
    [[noreturn]] void report_missing(std::uint32_t w) const {
        auto const& s = now_->warps[w];
        lane_group const* waiting = nullptr;
        lane_mask missing = 0;
        for (auto const& g : s.groups.all()) {
            if (waiting != nullptr || g.waits != lane_group::wait::lanes) continue;
            missing = g.members & s.groups.alive();
            for (auto const& k : s.groups.all())
                if (is_same_collective(kernel_->operations(), g, k)) missing &= ~k.mask;
            if (missing != 0) waiting = &g;
        }
        auto const lane = std::to_string(std::countr_zero(missing));
        std::string elsewhere;
        for (std::size_t i = 0; i < s.groups.all().size(); ++i) {
            auto const& g = s.groups.all()[i];
            if (s.groups.is_join(i) || (g.mask >> std::countr_zero(missing) & 1) == 0) continue;
            elsewhere = (g.waits == lane_group::wait::barrier
                             ? "barrier " + std::to_string(g.barrier)
                             : "a warp collective of lanes " + hexadecimal(g.members)) +
                        " at " + kernel_->place(g.pc);
        }
        throw error("kernel " + kernel_->name() + ": warp collective at " + kernel_->place(waiting->pc) +
                    ": CTA " + cta_name(context_.cta) + ", warp " + std::to_string(w) + ", lane " +
                    std::to_string(std::countr_zero(waiting->mask)) + " waits for lane " + lane +
                    ", which its member mask " + hexadecimal(waiting->members) +
                    " names and which never comes: it waits at " + elsewhere);
    }
    static std::string hexadecimal(std::uint64_t v) {
        static constexpr char hex[] = "0123456789abcdef";
        std::string digits;
        for (; v != 0 || digits.empty(); v >>= 4) digits.insert(digits.begin(), hex[v & 15]);
        return "0x" + digits;
    }

    kernel const* kernel_;
    device_memory* memory_;
    execution_limits limits_;
    dim3 grid_;
    dim3 block_;
    std::uint32_t threads_ = 0;
    std::uint32_t warps_ = 0;
    std::uint32_t shared_bytes_ = 0;
    std::uint64_t total_ = 0;
    dim3 cluster_; // CTAs of one
    aligned_bytes<64> arguments_;
    std::vector<resident_cta> ctas_;            // of the cluster that runs, by rank
    std::vector<std::byte*> shared_of_;         // by rank
    resident_cta* now_ = nullptr;               // has its turn
    std::map<std::uint64_t, cta_stream> ahead_; // of CTAs that were executed with another of their cluster
    std::vector<std::array<std::byte, lanes * 8>> specials_; // by warp and the kernel's special registers
    aligned_bytes<64> constants_;
    std::uint32_t left_ = 0; // of the running warp's time slice
    warp_context context_;
};

inline bool executor::leave(std::uint32_t w, lane_mask mask) {
    auto& s = now_->warps[w];
    if (!s.groups.leave(mask)) {
        s.status = warp_status::exited;
        return false;
    }
    // Who waited for nobody but lanes that have gone goes on.
    lane_mask looked_at = 0;
    for (std::size_t i = 0; i < s.groups.all().size(); ++i) {
        auto const g = s.groups.all()[i];
        if ((g.mask & ~looked_at) == 0 || g.waits == lane_group::wait::nothing) continue;
        looked_at |= g.mask;
        if (g.waits == lane_group::wait::lanes) {
            static_cast<void>(try_collective(w, g.mask));
            i = static_cast<std::size_t>(-1); // the list has changed
        } else if (auto const there = lanes_at_barrier(w, g.barrier); there.mask == s.groups.alive()) {
            arrive_whole(w, g.barrier, there);
            release_barriers();
            break; // nobody waits elsewhere
        }
    }
    return go_on(w);
}

inline bool executor::gather(std::uint32_t w, operation const& o, lane_mask mask) {
    auto& s = now_->warps[w];
    auto const* const members = context_.source<lane_mask>(o, o.source_count - 1U);
    auto const pc = o.index;
    auto const all = s.groups.current().mask;
    std::array<lane_mask, lanes> named{};
    lane_groups::paths sets;
    unsigned count = 0;
    lane_mask done = 0;
    for (auto rest = mask; rest != 0;) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        lane_mask alike = 0;
        for (auto more = rest; more != 0; more &= more - 1) {
            auto const k = static_cast<unsigned>(std::countr_zero(more));
            alike |= static_cast<lane_mask>(members[k] == members[l]) << k;
        }
        if (auto const strangers = alike & ~members[l]; strangers != 0)
            throw error("kernel " + kernel_->name() + ": warp collective at " + kernel_->place(pc) + ": " +
                        thread_name(context_, strangers) + ", warp " + std::to_string(w) + ": lane " +
                        std::to_string(std::countr_zero(strangers)) + " is not in its own member mask " +
                        hexadecimal(members[l]));
        if ((members[l] & s.groups.alive()) == alike) {
            o.execute(context_, o, alike);
            done |= alike;
        } else {
            named[count] = members[l];
            sets[count++] = {pc, alike};
        }
        rest &= ~alike;
    }
    uncount();
    if (done != 0) put(w, pc, done);
    if (count == 0) {
        ++s.groups.current().pc;
        return true;
    }
    // Those that wait part from those that go on.
    if (count > 1 || sets[0].mask != all) s.groups.part(pc + 1, false, sets, count);
    for (unsigned i = 0; i < count; ++i)
        for (std::size_t k = 0; k < s.groups.all().size(); ++k)
            if (!s.groups.is_join(k) && s.groups.all()[k].mask == sets[i].mask)
                s.groups.block(k, lane_group::wait::lanes, named[i], 0);
    for (unsigned i = 0; i < count; ++i) static_cast<void>(try_collective(w, sets[i].mask));
    return go_on(w);
}

// The lanes of `waiting` are a group at a collective: if all members are there, they go on. Returns whether they do.
inline bool executor::try_collective(std::uint32_t w, lane_mask waiting) {
    auto& s = now_->warps[w];
    lane_group const* group = nullptr;
    for (std::size_t i = 0; i < s.groups.all().size(); ++i)
        if (auto const& g = s.groups.all()[i]; !s.groups.is_join(i) && (g.mask & waiting) != 0) group = &g;
    auto there = lanes_that(
        s.groups, [&](lane_group const& g) { return is_same_collective(kernel_->operations(), *group, g); });
    if (there.mask != (group->members & s.groups.alive())) return false;
    auto& last = there.at[there.count - 1];
    for (unsigned i = 0; i < there.count; ++i) // the given lanes run on
        if (there.at[i].pc == group->pc) std::swap(there.at[i], last);
    perform(context_, kernel_->operations(), registers_of(w), there);
    for (unsigned i = 0; i < there.count; ++i) {
        put(w, there.at[i].pc, there.at[i].mask);
        s.groups.unite(there.at[i].mask, there.at[i].pc + 1);
    }
    return true;
}

// A barrier instruction's sources: its number, and where the form has it the count of threads; bar.red also a
// predicate. o.option: 0 sync, 1 arrive, 2 red.
inline bool executor::arrive(std::uint32_t w, operation const& o, lane_mask mask) {
    auto& c = context_;
    auto const lane = static_cast<unsigned>(std::countr_zero(mask));
    bool const reduces = o.option == 2;
    auto const data = o.source_count - (reduces ? 1U : 0U);
    auto const id = data > 0 ? c.source<std::uint32_t>(o, 0)[lane] : 0;
    auto const where = [&] {
        return "kernel " + kernel_->name() + ": barrier at " + kernel_->place(o.index) + ": ";
    };
    if (id >= now_->barriers.size())
        throw error(where() + "expected a barrier number below 16, found " + std::to_string(id));
    auto const threads = data > 1 ? c.source<std::uint32_t>(o, 1)[lane] : 0;
    if (data > 1 && (threads == 0 || threads % lanes != 0))
        throw error(where() + "expected a thread count that is a multiple of 32, found " +
                    std::to_string(threads));
    auto& b = now_->barriers[id];
    if (b.arrived != 0 && b.expected != threads / lanes)
        throw error(where() + "warp " + std::to_string(w) + " expects " + std::to_string(threads) +
                    " threads, earlier warps expect " + std::to_string(b.expected * lanes) + " (0: all)");
    b.expected = threads / lanes;
    auto const here = count_lanes(mask);
    auto& s = now_->warps[w];
    if (o.option == 1) {
        b.arrived += mask == s.groups.alive() ? lanes : here;
        bool const seen = b.arrived / lanes > b.in_stream;
        b.in_stream += seen ? 1 : 0;
        uncount();
        put_barrier(w, o.index, seen ? mask : 0, id, b.expected);
        ++s.groups.current().pc;
        release_barriers();
        return false;
    }
    if (reduces) {
        b.count += static_cast<std::uint32_t>(std::popcount(c.predicate(o, data) & mask));
        b.threads += here;
    }
    uncount();
    if (mask != s.groups.current().mask)
        s.groups.part(o.index + 1, false, {{{o.index, mask}}}, 1); // the others go on
    s.groups.block(lane_group::wait::barrier, 0, static_cast<std::uint8_t>(id));
    b.arrived += here;
    auto const there = lanes_at_barrier(w, id);
    if (there.mask != s.groups.alive()) {
        release_barriers();
        return !go_on(w);
    }
    arrive_whole(w, id, there);
    s.status = warp_status::waiting;
    release_barriers();
    return true;
}

// The last lane of a warp is at the barrier; those that have exited count as if they were.
inline void executor::arrive_whole(std::uint32_t w, std::uint32_t id, waiting_lanes const& there) {
    auto& b = now_->barriers[id];
    b.arrived += lanes - count_lanes(there.mask);
    ++b.whole;
    tell_arrival(w, id, there, true);
}
// Puts what a warp executed at a barrier into its stream. Timing counts warps there: of several instructions of a
// warp, one arrives, and of warps that are not whole, as many as the barrier still expects.
inline void executor::tell_arrival(std::uint32_t w, std::uint32_t id, waiting_lanes const& there,
                                   bool whole) {
    auto& b = now_->barriers[id];
    for (unsigned i = 0; i < there.count; ++i) {
        bool const seen = whole ? i + 1 == there.count : b.in_stream < b.expected;
        b.in_stream += seen ? 1 : 0;
        put_barrier(w, there.at[i].pc, seen ? there.at[i].mask : 0, id, b.expected);
    }
}

// Opens every barrier that all expected threads have reached. Those that have exited are not waited for.
inline void executor::release_barriers() {
    for (std::uint32_t id = 0; id < now_->barriers.size(); ++id) {
        if (now_->barriers[id].is_met(now_->unfinished)) complete(id);
    }
}

// barrier.cluster.arrive: not twice in a phase.
inline void executor::arrive_in_cluster(warp_state& s, operation const& o, lane_mask mask) {
    if (auto const twice = mask & (s.arrived | s.passed); twice != 0)
        stop(context_, o, twice,
             "expected a barrier.cluster.wait between two barrier.cluster.arrive of a thread");
    s.arrived |= mask;
}
// barrier.cluster.wait: threads that have exited are not waited for.
inline bool executor::may_pass(warp_state& s, operation const& o, lane_mask mask) {
    if (auto const missing = mask & ~(s.arrived | s.passed); missing != 0)
        stop(context_, o, missing, "expected a barrier.cluster.arrive before barrier.cluster.wait");
    if ((mask & ~s.passed) != 0 && all_in_cluster_arrived())
        for (auto& c : ctas_)
            for (auto& w : c.warps) {
                w.passed |= w.arrived;
                w.arrived = 0;
            }
    if ((mask & ~s.passed) != 0) return false;
    s.passed &= ~mask;
    return true;
}
inline bool executor::all_in_cluster_arrived() const {
    for (auto const& c : ctas_)
        for (auto const& w : c.warps)
            if (w.status != warp_status::exited && (w.groups.alive() & ~w.arrived) != 0) return false;
    return true;
}

inline void executor::complete(std::uint32_t id) {
    auto* const saved = context_.bank[0];
    auto const b = now_->barriers[id];
    for (std::uint32_t w = 0; w < warps_; ++w) {
        auto& s = now_->warps[w];
        auto const there = lanes_at_barrier(w, id);
        if (there.count == 0) continue;
        if (there.mask != s.groups.alive()) tell_arrival(w, id, there, false);
        s.status = warp_status::ready;
        context_.bank[0] = registers_of(w);
        for (unsigned i = 0; i < there.count; ++i) {
            write_reduction(context_, kernel_->operations()[there.at[i].pc], b, there.at[i].mask);
            s.groups.unite(there.at[i].mask, there.at[i].pc + 1);
        }
    }
    context_.bank[0] = saved;
    now_->barriers[id] = {};
}
} // namespace warpkit::ptx
