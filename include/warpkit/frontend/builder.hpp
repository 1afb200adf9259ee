#pragma once
/// \file
/// Kernels written instruction by instruction: for tests, microbenchmarks with an analytic answer and synthetic loads.

#include <warpkit/base/error.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/program/stream.hpp>

#include <bit>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>

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
        /// The whole program from first to last, `address(instruction, lane)` for memory instructions.
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
    /// Gives an instruction control bits; all of a kernel's must have them, or none.
    void control(std::uint32_t instruction, control_bits bits) {
        bits.given = true;
        program_.instructions.at(instruction).control = bits;
    }
    /// Makes a load an asynchronous copy to shared memory, another instruction what ends a group of these or waits
    /// until at most the last `groups` groups are under way (machine/async_copies.hpp).
    void async(std::uint32_t instruction, async_role role, unsigned groups = 0) {
        program_.instructions.at(instruction).async = role;
        program_.instructions.at(instruction).async_groups = static_cast<std::uint8_t>(groups);
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
    void fill(std::uint64_t cta, cta_stream& out) const {
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
};

} // namespace warpkit
