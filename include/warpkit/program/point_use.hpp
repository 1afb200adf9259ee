#pragma once
/// \file
/// What a kernel asks of ELF's priority calculator.

#include <warpkit/program/instruction.hpp>
#include <warpkit/program/program_points.hpp>
#include <warpkit/program/stream.hpp>

#include <cstdint>

namespace warpkit {

/// Program points of a kernel before merging (ELF, SC 2015, table 2), and how often its warps' priorities are
/// calculated where a naive scheduler does so at each instruction (figure 8). Both are properties of the program and of
/// the paths that its warps take: no scheduler changes them.
class point_use {
public:
    point_use() = default;
    explicit point_use(static_program const& program)
        : points_(program.instructions.data(), static_cast<std::uint32_t>(program.instructions.size())) {}

    /// Counts what the warps of a CTA of `program` execute.
    void add(static_program const& program, cta_stream const& cta) {
        auto const* const code = program.instructions.data();
        for (auto const& warp : cta.warps)
            for (stream_cursor c(warp); !c.done();) {
                auto const at = c.instruction();
                c.advance(warp, code[at].is_memory());
                ++instructions_;
                bool const jumps = code[at].kind == op_class::branch && !c.done();
                if (is_program_load(code[at]) ||
                    (jumps && (c.instruction() == code[at].target) == points_.recalculation_bit(code, at)))
                    ++recalculations_;
            }
    }

    std::uint32_t points() const noexcept { return points_.found(); } ///< before merging
    std::uint64_t instructions() const noexcept { return instructions_; }
    std::uint64_t recalculations() const noexcept { return recalculations_; }

private:
    program_points<> points_;
    std::uint64_t instructions_ = 0;
    std::uint64_t recalculations_ = 0;
};

} // namespace warpkit
