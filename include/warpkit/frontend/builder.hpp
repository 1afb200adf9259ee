#pragma once
/// \file
/// Kernels written instruction by instruction: for tests, microbenchmarks with an analytic answer and synthetic loads.

#include <warpkit/base/error.hpp>
#include <warpkit/program/async_words.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/program/stream.hpp>

#include <bit>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace warpkit {

/// Builds a static program and, per warp, what it executes.
///
///     kernel_builder k("axpy");
///     k.load(memory_space::global, 4, {1}, {0});
///     k.op(op_class::fp_mad, {2}, {1});
///     k.exit();
///     k.grid = {64};  k.block = {256};
///     k.script = [&](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& w) {
///         w.straight([&](std::uint32_t, unsigned lane) { return 0xC0000000 + 4 * (cta * 256 + warp * 32 + lane); });
///     };
///     gpu.run(k.launch());
///
/// The builder must outlive the run. Addresses need not exist: nothing is computed.
class kernel_builder {
public:
    using registers_list = std::initializer_list<register_id>;

    /// Writes one warp's stream.
    class warp_writer {
    public:
        warp_writer(static_program const& program, warp_stream& out, lane_mask mask)
            : program_(program),
              out_(out),
              mask_(mask) {}

        /// The lanes that exist in this warp.
        lane_mask lanes_present() const noexcept { return mask_; }
        /// One instruction without addresses, under all present lanes.
        void step(std::uint32_t instruction) { out_.append(instruction, mask_); }
        /// One instruction under a mask of its own.
        void step(std::uint32_t instruction, lane_mask mask) { out_.append(instruction, mask); }
        /// A memory instruction; `address(lane)` for each lane of the mask. Of an instruction of `generic` space these
        /// are generic addresses, each in the window of its space (window_of()); in local memory a thread's own
        /// offsets.
        template <class F>
        void access(std::uint32_t instruction, lane_mask mask, F&& address) {
            lane_addresses a{};
            if (mask == all_lanes)
                for (unsigned lane = 0; lane < lanes; ++lane) a[lane] = address(lane);
            else
                for (auto rest = mask; rest != 0; rest &= rest - 1) {
                    auto const lane = static_cast<unsigned>(std::countr_zero(rest));
                    a[lane] = address(lane);
                }
            out_.append(instruction, mask, program_.instructions[instruction].space, a);
        }
        template <class F>
        void access(std::uint32_t instruction, F&& address) {
            access(instruction, mask_, std::forward<F>(address));
        }
        /// A wait at the cluster's barrier until so many of its phases are over.
        void wait_in_cluster(std::uint32_t instruction, std::uint32_t phases) {
            out_.append_barrier(instruction, mask_, phases, 0);
        }
        /// What the last instruction does beside (warp_stream::append_words): the phases of an arrival or a wait, as
        /// phase_name::word() has them, the copies of a bulk copy, and so on (async_words.hpp). Must follow each
        /// instruction that has_words().
        void words(std::vector<std::uint64_t> const& w) {
            if (out_.runs().back().mask != 0) out_.append_words(w);
        }
        void words(std::initializer_list<bulk_copy_words> copies) {
            std::vector<std::uint64_t> w;
            for (auto const& c : copies) c.append_to(w);
            words(w);
        }
        /// The whole program from first to last, `address(instruction, lane)` for memory instructions, without words.
        template <class F>
        void straight(F&& address) {
            for (std::uint32_t i = 0; i < program_.instructions.size(); ++i)
                if (program_.instructions[i].is_memory())
                    access(i, [&](unsigned lane) { return address(i, lane); });
                else
                    step(i);
        }

    private:
        static_program const& program_;
        warp_stream& out_;
        lane_mask mask_;
    };

    explicit kernel_builder(std::string name) { program_.name = std::move(name); }

    dim3 grid;
    dim3 block{32, 1, 1};
    dim3 cluster; ///< CTAs of one
    std::uint32_t shared_bytes = 0;
    /// What warp `warp` of CTA `cta` executes; without one, the program straight through (no memory instructions then).
    std::function<void(std::uint64_t cta, unsigned warp, warp_writer& out)> script;

    // Each appends one instruction and returns its index.
    std::uint32_t op(op_class kind, registers_list destinations = {}, registers_list sources = {}) {
        return add(kind, memory_space::none, 0, destinations, sources);
    }
    std::uint32_t load(memory_space space, unsigned bytes, registers_list destinations,
                       registers_list sources = {}) {
        return add(op_class::load, space, bytes, destinations, sources);
    }
    /// The load that was appended last goes past the L1.
    void past_l1() noexcept { program_.instructions.back().past_l1 = true; }
    std::uint32_t store(memory_space space, unsigned bytes, registers_list sources = {}) {
        return add(op_class::store, space, bytes, {}, sources);
    }
    std::uint32_t atomic(memory_space space, unsigned bytes, registers_list destinations,
                         registers_list sources = {}) {
        return add(op_class::atomic, space, bytes, destinations, sources);
    }
    std::uint32_t branch(std::uint32_t target, registers_list sources = {}) {
        auto const i = add(op_class::branch, memory_space::none, 0, {}, sources);
        program_.instructions[i].target = target;
        return i;
    }
    /// Barrier `number` of the CTA, met when `warps` warps have arrived (0: all that have not exited); `waits`: false
    /// for a warp that only arrives.
    std::uint32_t barrier(unsigned number = 0, unsigned warps = 0, bool waits = true) {
        auto const i = add(op_class::barrier, memory_space::none, 0, {}, {});
        program_.instructions[i].barrier = static_cast<std::uint8_t>(number);
        program_.instructions[i].barrier_warps = static_cast<std::uint8_t>(warps);
        program_.instructions[i].barrier_waits = waits;
        return i;
    }
    /// At the barrier of the cluster: an arrival, or a wait, of which the stream says for which phase.
    std::uint32_t arrive_in_cluster() {
        auto const i = add(op_class::barrier, memory_space::none, 0, {}, {});
        program_.instructions[i].cluster = cluster_role::arrive;
        return i;
    }
    std::uint32_t wait_in_cluster() {
        auto const i = add(op_class::barrier, memory_space::none, 0, {}, {});
        program_.instructions[i].cluster = cluster_role::wait;
        program_.instructions[i].barrier_in_stream = true;
        return i;
    }
    /// Gives an instruction control bits; all of a kernel's must have them, or none.
    void control(std::uint32_t instruction, control_bits bits) {
        bits.given = true;
        program_.instructions.at(instruction).control = bits;
    }
    /// Makes an instruction the product of matrices that have so many rows, columns and products for each.
    void product(std::uint32_t instruction, matrix_type type, unsigned rows, unsigned columns,
                 unsigned depth) {
        auto& i = program_.instructions.at(instruction);
        i.matrix = type;
        i.matrix_rows = static_cast<std::uint8_t>(rows);
        i.matrix_columns = static_cast<std::uint16_t>(columns);
        i.matrix_depth = static_cast<std::uint16_t>(depth);
    }
    /// Makes a load an asynchronous copy to shared memory, another instruction what ends a group of these or waits
    /// until at most the last `groups` groups are under way (machine/async_copies.hpp).
    void async(std::uint32_t instruction, async_role role, unsigned groups = 0) {
        program_.instructions.at(instruction).async = role;
        program_.instructions.at(instruction).async_groups = static_cast<std::uint8_t>(groups);
        has_words_ = has_words_ || has_words(role);
    }
    /// Arrives at mbarriers; waits for phases of mbarriers; copies in bulk: each has words in the stream. Which phases
    /// there are, and how many events complete each, is taken from these.
    std::uint32_t arrive() { return with_role(atomic(memory_space::shared, 8, {}), async_role::arrive); }
    std::uint32_t await_phase(registers_list destinations) {
        return with_role(load(memory_space::shared, 8, destinations), async_role::await_phase);
    }
    std::uint32_t bulk_copy(registers_list sources = {}) {
        return with_role(op(op_class::other, {}, sources), async_role::bulk_copy);
    }
    /// A warp's part of a warpgroup's product: of so many columns, of 16-bit elements.
    std::uint32_t group_product(unsigned columns, bool factor_in_shared, registers_list sources = {}) {
        auto const i = with_role(op(op_class::other, {}, sources), async_role::product);
        auto& s = program_.instructions[i];
        s.matrix = matrix_type::f16;
        s.matrix_rows = 16;
        s.matrix_depth = 16;
        s.matrix_columns = static_cast<std::uint16_t>(columns);
        s.factor_in_shared = factor_in_shared;
        return i;
    }
    /// What is done with tensor memory (async_role::tensor_allocate and those behind it); of loads and stores, with so
    /// many registers. What the first four have in the stream: program/async_words.hpp.
    std::uint32_t tensor(async_role role, unsigned registers = 0, registers_list sources = {}) {
        auto const i = with_role(op(op_class::other, {}, sources), role);
        program_.instructions[i].matrix_columns = static_cast<std::uint16_t>(registers);
        return i;
    }
    std::uint32_t exit() { return add(op_class::exit, memory_space::none, 0, {}, {}); }
    /// Registers that a thread occupies in the register file, for the occupancy.
    void registers_per_thread(std::uint32_t n) noexcept { program_.registers_per_thread = n; }

    static_program const& program() const noexcept { return program_; }
    kernel_launch launch() {
        kernel_launch l;
        l.program = &program_;
        l.grid = grid;
        l.block = block;
        l.cluster = cluster;
        l.shared_bytes = shared_bytes;
        l.source = this;
        l.fill = [](void* self, std::uint64_t cta, cta_stream& out) {
            static_cast<kernel_builder*>(self)->fill(cta, out);
        };
        return l;
    }

private:
    std::uint32_t add(op_class kind, memory_space space, unsigned bytes, registers_list destinations,
                      registers_list sources) {
        static_instruction i;
        i.kind = kind;
        i.space = space;
        i.access_bytes = static_cast<std::uint8_t>(bytes);
        if (destinations.size() > static_instruction::max_destinations ||
            sources.size() > static_instruction::max_sources)
            throw error("kernel '" + program_.name + "': instruction " +
                        std::to_string(program_.instructions.size()) +
                        " names too many registers; at most 8 destinations and 12 sources");
        auto const note = [&](register_id r) {
            if (r >= program_.registers) program_.registers = r + 1U;
            return r;
        };
        for (auto const r : destinations) i.destination[i.destinations++] = note(r);
        for (auto const r : sources) i.source[i.sources++] = note(r);
        program_.instructions.push_back(i);
        return static_cast<std::uint32_t>(program_.instructions.size() - 1);
    }
    std::uint32_t with_role(std::uint32_t instruction, async_role role) {
        async(instruction, role);
        return instruction;
    }
    /// Those of the phases of the CTA of this rank.
    void count_events(warp_stream const& s, std::uint32_t rank, std::vector<std::uint32_t>& phases) const {
        auto const count = [&](std::uint64_t word, std::uint32_t events = 1) {
            auto const name = phase_name::of(word);
            if (word == no_phase || name.rank != rank) return;
            if (name.phase >= phases.size()) phases.resize(name.phase + std::size_t{1});
            phases[name.phase] += events;
        };
        for (stream_cursor at(s); !at.done(); at.advance(s, program_.instructions[at.instruction()])) {
            auto const& i = program_.instructions[at.instruction()];
            if (!has_words(i.async)) continue;
            auto words = at.words(s, i.is_memory());
            while (i.async == async_role::bulk_copy && !words.empty()) {
                auto const c = bulk_copy_words::take_from(words);
                count(c.signals);
                for (auto const phase : c.further) count(phase);
            }
            if (i.async == async_role::tensor_commit || i.async == async_role::arrive)
                for (auto const word : words) count(word);
            else if (i.async == async_role::await_phase)
                for (auto const word : words) count(word, 0);
        }
    }
    void fill(std::uint64_t cta, cta_stream& out) const {
        write(cta, out);
        if (!has_words_) return;
        // Who has phases in this CTA: it, and the others of its cluster.
        auto const x = cta % grid.x, y = cta / grid.x % grid.y, z = cta / grid.x / grid.y;
        auto const own = x % cluster.x + cluster.x * (y % cluster.y + cluster.y * (z % cluster.z));
        for (std::uint32_t rank = 0; rank < cluster.count(); ++rank) {
            auto const other = x - x % cluster.x + rank % cluster.x +
                               grid.x * (y - y % cluster.y + rank / cluster.x % cluster.y +
                                         grid.y * (z - z % cluster.z + rank / cluster.x / cluster.y));
            cta_stream s;
            if (rank != own) {
                s.reset(static_cast<unsigned>(out.warps.size()));
                write(other, s);
            }
            for (auto const& w : (rank == own ? out : s).warps)
                count_events(w, static_cast<std::uint32_t>(own), out.phases);
        }
    }
    void write(std::uint64_t cta, cta_stream& out) const {
        for (unsigned w = 0; w < out.warps.size(); ++w) {
            auto const left = block.count() - std::uint64_t{w} * lanes;
            warp_writer writer(program_, out.warps[w],
                               left >= lanes ? all_lanes : (lane_mask{1} << left) - 1);
            if (script)
                script(cta, w, writer);
            else
                writer.straight([](std::uint32_t, unsigned) { return std::uint64_t{0}; });
        }
    }

    static_program program_;
    bool has_words_ = false;
};

} // namespace warpkit
