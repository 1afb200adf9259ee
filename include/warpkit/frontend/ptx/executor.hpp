#pragma once
/// \file
/// The functional executor: runs one CTA at a time, all its warps, and writes down what they execute.

#include <warpkit/base/byte_range.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/frontend/device.hpp>
#include <warpkit/frontend/ptx/kernel.hpp>
#include <warpkit/frontend/ptx/memory_access.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/program/stream.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::ptx {

/// How far an executor goes, and what it answers where the machine would be asked.
struct execution_limits {
    std::uint64_t instructions =
        1'000'000'000; ///< warp instructions per CTA, then the kernel counts as stuck
    /// Bytes of a CTA's streams, looked at when a warp's turn is over; then the kernel counts as runaway. A warp
    /// instruction takes up to 276, and some 40 where it jumps and accesses memory. Of the shipped kernels at the
    /// papers' sizes the largest CTA takes 3 % of this (heartwall).
    std::uint64_t stream_bytes = std::uint64_t{1} << 29;
    char const* stream_option = "execution_limits::stream_bytes"; ///< as the user sets it, for the message
    std::uint32_t time_slice = 4096; ///< warp instructions of one warp before the next has its turn
    std::uint32_t sm_count = 1;      ///< %nsmid; %smid is 0: function does not know where a CTA runs
    std::uint64_t grid_id = 0;       ///< %gridid
};

/// Runs the CTAs of one launch. The kernel (with its module) and the memory must outlive it.
///
/// Warps run in turn for a time slice or until they wait, in the order of their numbers, so the result is the same on
/// every host. Divergence: a stack per warp with reconvergence at the immediate post-dominator, the taken side first
/// (SPEC 10). There is no forward progress between lanes of a warp: a lane that spins on a lock held by another lane of
/// its warp never ends, and is reported when the instruction limit is reached.
class executor {
public:
    static constexpr std::uint32_t most_shared = 1U << 24; ///< bytes of shared memory that a CTA can have

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
        shared_.resize((shared_bytes_ + 15) / 16);
        local_.resize((frame * warps_ * lanes + 15) / 16);
        registers_.resize((std::size_t{k.register_bytes()} * warps_ + 63) / 64);
        constants_.resize((k.constants().size() + 63) / 64);
        if (!k.constants().empty())
            std::memcpy(constants_.data(), k.constants().data(), k.constants().size());
        state_.resize(warps_);
        prepare_specials();
    }

    /// Executes the CTA of this linear number (x fastest) and fills `out` with what its warps executed. What it changes
    /// in memory stays. Throws warpkit::error for every fault of the kernel.
    void run_cta(std::uint64_t linear, cta_stream& out) { run_cta(linear, out, true); }
    /// The same without writing down what is executed: for who does not time it. There is no bound of streams then.
    void run_cta(std::uint64_t linear) { run_cta(linear, unkept_, false); }

    /// The launch as the timing model takes it; this executor must stay where it is until the run has ended.
    kernel_launch launch() {
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
    enum class status : std::uint8_t { ready, waiting, exited };
    struct stack_entry {
        std::uint32_t pc = 0;
        std::uint32_t reconvergence = 0;
        lane_mask mask = 0;
    };
    struct warp_state {
        std::vector<stack_entry> stack;
        enum status status = status::ready;
        std::uint32_t barrier = 0;    ///< at which it waits
        std::uint32_t waiting_at = 0; ///< instruction
        lane_mask participants = 0;   ///< lanes that wait
    };
    struct barrier_state {
        std::uint32_t arrived = 0;  ///< warps
        std::uint32_t expected = 0; ///< warps; 0: all that have not exited
        std::uint32_t count = 0;    ///< bar.red: threads whose predicate holds
        std::uint32_t threads = 0;  ///< bar.red: threads in all
    };
    struct alignas(64) block64 {
        std::byte bytes[64];
    };
    struct alignas(16) block16 {
        std::byte bytes[16];
    };

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
        arguments_.resize((padded + 15) / 16);
        if (!given.empty()) std::memcpy(arguments_.data(), given.data(), given.size());
    }

    template <class Block>
    static std::byte* bytes_of(std::vector<Block>& v) {
        return reinterpret_cast<std::byte*>(v.data());
    }
    template <class Block>
    static void clear(std::vector<Block>& v) {
        if (!v.empty()) std::memset(static_cast<void*>(v.data()), 0, v.size() * sizeof(Block));
    }

    void begin(std::uint64_t linear) {
        if (linear >= grid_.count())
            throw error("kernel " + kernel_->name() + ": expected a CTA number below " +
                        std::to_string(grid_.count()) + ", found " + std::to_string(linear));
        clear(shared_);
        clear(local_);
        clear(registers_);
        barriers_ = {};
        context_ = {};
        context_.cta = linear;
        context_.owner = this;
        context_.fault = &executor::fault;
        context_.bank[1] = bytes_of(constants_);
        auto& m = context_.memory;
        m.global = memory_;
        // The bank belongs to the module; kernels only read it: locate() forbids writes.
        auto const& bank = kernel_->home().constants();
        m.constant = const_cast<std::byte*>(bank.data());
        m.constant_bytes = bank.size();
        m.parameters = bytes_of(arguments_);
        m.parameter_bytes = kernel_->parameter_bytes();
        m.shared = bytes_of(shared_);
        m.shared_bytes = shared_bytes_;
        m.local = bytes_of(local_);
        m.local_bytes = kernel_->local_bytes();
        m.grid_threads = grid_.count() * warps_ * lanes;
        m.first_thread = linear * warps_ * lanes;
        for (std::uint32_t w = 0; w < warps_; ++w) {
            auto& s = state_[w];
            auto const alive = threads_ - w * lanes;
            s.status = status::ready;
            s.stack.clear();
            s.stack.push_back({0, control_flow::none, alive >= lanes ? all_lanes : (1U << alive) - 1});
            fill_specials(w, linear);
        }
    }
    // What a warp's special registers hold. Those that are the same in every CTA were worked out before the first.
    void fill_specials(std::uint32_t warp, std::uint64_t linear) {
        auto* const base = bytes_of(registers_) + std::size_t{warp} * kernel_->register_bytes();
        auto const& slots = kernel_->special_slots();
        auto const* ready = specials_.data() + warp * slots.size();
        for (auto const& s : slots) {
            using r = special_register;
            auto* const to = base + s.slot;
            auto const all = lanes * std::size_t{s.bytes};
            if (s.which == r::ctaid_x || s.which == r::ctaid_y || s.which == r::ctaid_z) {
                auto const in_y = linear / grid_.x;
                std::uint64_t const v = s.which == r::ctaid_x   ? linear % grid_.x
                                        : s.which == r::ctaid_y ? in_y % grid_.y
                                                                : in_y / grid_.y;
                std::memcpy(to, &v, s.bytes);
                for (std::size_t done = s.bytes; done < all; done += done) std::memcpy(to + done, to, done);
            } else {
                std::memcpy(to, ready->data(), all);
            }
            ++ready;
        }
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
        default:
            return 0;
        }
    }

    // Where `keep` says so `out` holds all that was executed, otherwise a warp's last turn at most.
    void run_cta(std::uint64_t linear, cta_stream& out, bool keep) {
        begin(linear);
        out.reset(warps_);
        std::uint64_t held = 0;
        auto unfinished = warps_;
        while (unfinished != 0) {
            bool progress = false;
            for (std::uint32_t w = 0; w < warps_; ++w) {
                auto& s = state_[w];
                if (s.status != status::ready) continue;
                progress = true;
                auto& stream = out.warps[w];
                auto const before = stream.bytes();
                run_warp(w, stream);
                held += stream.bytes() - before;
                if (!keep)
                    stream.clear();
                else if (held > limits_.stream_bytes)
                    report_runaway(w, stream, held);
                if (s.status == status::exited) {
                    --unfinished;
                    release_barriers();
                }
            }
            if (!progress && unfinished != 0) report_deadlock();
        }
    }

    // Runs one warp until its time slice is over or it waits or exits.
    void run_warp(std::uint32_t w, warp_stream& out) {
        auto& s = state_[w];
        auto& c = context_;
        c.warp = w;
        c.bank[0] = bytes_of(registers_) + std::size_t{w} * kernel_->register_bytes();
        auto const* const code = kernel_->operations().data();
        auto budget = std::uint64_t{limits_.time_slice};
        auto* top = &s.stack.back();
        for (;;) {
            while (top->pc == top->reconvergence) {
                s.stack.pop_back();
                top = &s.stack.back();
            }
            if (budget == 0) return;
            --budget;
            auto const pc = top->pc;
            auto const& o = code[pc];
            if (++c.executed > limits_.instructions) report_endless(o);
            ++total_;
            auto mask = top->mask;
            if (o.guarded) {
                auto const p = *c.lanes_of<lane_mask>(o.guard);
                mask &= o.guard_negated ? ~p : p;
            }
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
                    diverge(s, o, {{{o.target, mask}, {pc + 1, top->mask & ~mask}}}, 2);
                    top = &s.stack.back();
                }
                break;
            case action::jump_by_table:
                out.append(pc, mask);
                jump_by_table(s, o, mask);
                top = &s.stack.back();
                break;
            case action::exit:
                out.append(pc, mask);
                ++top->pc;
                if (mask != 0) {
                    for (auto& e : s.stack) e.mask &= ~mask;
                    while (!s.stack.empty() && s.stack.back().mask == 0) s.stack.pop_back();
                    if (s.stack.empty()) {
                        s.status = status::exited;
                        return;
                    }
                    top = &s.stack.back();
                }
                break;
            case action::synchronise:
                ++top->pc;
                if (mask == 0) {
                    out.append(pc, mask);
                } else if (arrive(w, o, mask, out)) {
                    return;
                }
                break;
            case action::trap:
                if (mask != 0)
                    throw error("kernel " + kernel_->name() + ": trap at " + kernel_->place(o.index) +
                                " in " + thread_name(c, mask));
                out.append(pc, mask);
                ++top->pc;
                break;
            default:
                throw error("kernel " + kernel_->name() + ": instruction at " + kernel_->place(o.index) +
                            " is not supported");
            }
        }
    }

    struct path {
        std::uint32_t pc = 0;
        lane_mask mask = 0;
    };
    // Most targets that a warp's lanes can have: one each, and the next instruction.
    using paths = std::array<path, lanes + 1>;

    // Lanes part ways, the first path on top of the stack. The old top becomes the join, unless it is to reconverge at
    // the very same place. A path that begins at the join needs no entry: its lanes are waiting there already.
    static void diverge(warp_state& s, operation const& o, paths const& path, unsigned count) {
        auto const old = s.stack.back();
        auto const join = o.reconvergence;
        if (join == control_flow::none || join == old.reconvergence)
            s.stack.pop_back();
        else
            s.stack.back().pc = join;
        auto const meet = join == control_flow::none ? old.reconvergence : join;
        for (auto i = count; i-- > 0;)
            if (path[i].pc != meet) s.stack.push_back({path[i].pc, meet, path[i].mask});
    }
    // The lanes of `mask` jump where their registers say, in the order of the lowest lane of each target; the others
    // go on.
    void jump_by_table(warp_state& s, operation const& o, lane_mask mask) {
        auto const& table = kernel_->program().jump_tables[o.target];
        bool const call = o.source_bytes == 8;
        paths to;
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
        auto& top = s.stack.back();
        if (auto const others = top.mask & ~mask; others != 0) {
            unsigned i = 0;
            while (i < count && to[i].pc != top.pc + 1) ++i;
            if (i == count) to[count++] = {top.pc + 1, 0};
            to[i].mask |= others;
        }
        if (count == 1)
            top.pc = to[0].pc;
        else
            diverge(s, o, to, count);
    }

    // Barriers ----------------------------------------------------------------------------------------------------
    // Returns whether the warp must wait (or has been released at once and ends its turn).
    bool arrive(std::uint32_t w, operation const& o, lane_mask mask, warp_stream& out);
    void release_barriers();
    void complete(std::uint32_t id);

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
        static constexpr char hex[] = "0123456789abcdef";
        std::string digits;
        for (auto a = address; a != 0 || digits.empty(); a >>= 4) digits.insert(digits.begin(), hex[a & 15]);
        auto const& self = *c.owner;
        throw error("kernel " + self.kernel_->name() + ": " + std::string(what) + " access at " +
                    self.kernel_->place(o.index) + ": " + self.thread_name(c, 1U << lane) + ", " +
                    std::to_string(bytes) + " bytes at address 0x" + digits + " of " +
                    memory_space_names[static_cast<std::size_t>(space)] + " memory");
    }
    [[noreturn]] void report_endless(operation const& o) const {
        throw error("kernel " + kernel_->name() + ": CTA " + cta_name(context_.cta) +
                    " has not ended after " + std::to_string(limits_.instructions) +
                    " warp instructions; warp " + std::to_string(context_.warp) + " is at " +
                    kernel_->place(o.index));
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
    [[noreturn]] void report_deadlock() const {
        std::string list;
        unsigned named = 0;
        for (std::uint32_t w = 0; w < warps_; ++w) {
            auto const& s = state_[w];
            if (s.status != status::waiting) continue;
            if (++named <= 8)
                list += (list.empty() ? "warp " : ", warp ") + std::to_string(w) + " at barrier " +
                        std::to_string(s.barrier) + " (" + kernel_->place(s.waiting_at) + ")";
        }
        if (named > 8) list += " and " + std::to_string(named - 8) + " more";
        throw error("kernel " + kernel_->name() + ": CTA " + cta_name(context_.cta) +
                    " waits at barriers that can never be met: " + list);
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
    std::vector<block16> arguments_;
    std::vector<block16> shared_;
    std::vector<block16> local_;
    std::vector<block64> registers_;
    std::vector<std::array<std::byte, lanes * 8>> specials_; // by warp and the kernel's special registers
    std::vector<block64> constants_;
    std::vector<warp_state> state_;
    cta_stream unkept_;
    std::array<barrier_state, 16> barriers_{};
    warp_context context_;
};

// A barrier instruction's sources: its number, and where the form has it the count of threads; bar.red also a predicate.
// o.option: 0 sync, 1 arrive, 2 red.
inline bool executor::arrive(std::uint32_t w, operation const& o, lane_mask mask, warp_stream& out) {
    auto& c = context_;
    auto const lane = static_cast<unsigned>(std::countr_zero(mask));
    bool const reduces = o.option == 2;
    auto const data = o.source_count - (reduces ? 1U : 0U);
    auto const id = data > 0 ? c.source<std::uint32_t>(o, 0)[lane] : 0;
    auto const where = [&] {
        return "kernel " + kernel_->name() + ": barrier at " + kernel_->place(o.index) + ": ";
    };
    if (id >= barriers_.size())
        throw error(where() + "expected a barrier number below 16, found " + std::to_string(id));
    auto const threads = data > 1 ? c.source<std::uint32_t>(o, 1)[lane] : 0;
    if (data > 1 && (threads == 0 || threads % lanes != 0))
        throw error(where() + "expected a thread count that is a multiple of 32, found " +
                    std::to_string(threads));
    if (o.barrier_in_stream)
        out.append_barrier(o.index, mask, id, threads / lanes);
    else
        out.append(o.index, mask);
    auto& b = barriers_[id];
    if (b.arrived != 0 && b.expected != threads / lanes)
        throw error(where() + "warp " + std::to_string(w) + " expects " + std::to_string(threads) +
                    " threads, earlier warps expect " + std::to_string(b.expected * lanes) + " (0: all)");
    b.expected = threads / lanes;
    ++b.arrived;
    if (reduces) {
        auto const p = c.predicate(o, data) & mask;
        b.count += static_cast<std::uint32_t>(std::popcount(p));
        b.threads += static_cast<std::uint32_t>(std::popcount(mask));
    }
    auto& s = state_[w];
    if (o.option != 1) {
        s.status = status::waiting;
        s.barrier = id;
        s.waiting_at = o.index;
        s.participants = mask;
    }
    release_barriers();
    return s.status != status::ready || o.option != 1;
}

// Opens every barrier that all expected warps have reached. Warps that have exited are not waited for.
inline void executor::release_barriers() {
    std::uint32_t alive = 0;
    for (auto const& s : state_) alive += s.status != status::exited ? 1 : 0;
    for (std::uint32_t id = 0; id < barriers_.size(); ++id) {
        auto const& b = barriers_[id];
        if (b.arrived == 0) continue;
        if (b.arrived >= (b.expected != 0 ? b.expected : alive)) complete(id);
    }
}

inline void executor::complete(std::uint32_t id) {
    auto const b = barriers_[id];
    barriers_[id] = {};
    for (std::uint32_t w = 0; w < warps_; ++w) {
        auto& s = state_[w];
        if (s.status != status::waiting || s.barrier != id) continue;
        s.status = status::ready;
        auto const& o = kernel_->operations()[s.waiting_at];
        if (o.option != 2) continue;
        auto* const saved = context_.bank[0];
        context_.bank[0] = bytes_of(registers_) + std::size_t{w} * kernel_->register_bytes();
        switch (o.modifiers->get(modifier::reduce)) {
        case 1: {
            std::array<std::uint32_t, lanes> r;
            r.fill(b.count);
            context_.write<std::uint32_t>(o.destination[0], r.data(), s.participants);
            break;
        }
        case 2:
            context_.write_predicate(o.destination[0], b.count == b.threads ? all_lanes : 0, s.participants);
            break;
        default:
            context_.write_predicate(o.destination[0], b.count != 0 ? all_lanes : 0, s.participants);
            break;
        }
        context_.bank[0] = saved;
    }
}

} // namespace warpkit::ptx
