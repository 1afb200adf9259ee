#pragma once
/// \file
/// Writes launches as traces that Accel-Sim reads, and that read here as the same launch, cycle for cycle.
///
/// What Accel-Sim's format has no place for stands where its reader skips it: the static program in header lines of our
/// own (program_lines.hpp), number and warps of a barrier that had them in registers behind its line. What it has a
/// place for is chosen for Accel-Sim: opcodes that it knows, of the same class, at most one result and four operands.

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/accelsim/block_reader.hpp>
#include <warpkit/frontend/accelsim/program_lines.hpp>
#include <warpkit/program/stream.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::accelsim {

/// Whose opcodes a trace has. Accel-Sim wants those of the machine that it is configured for: Kepler's for a GTX 480,
/// which has no unit of its own for branches; they have no generic and no shared-memory atomic accesses. Ampere's have
/// asynchronous copies, rows of matrices, and products of whole shapes.
enum class instruction_set : std::uint8_t { kepler = 35, volta = 70, ampere = 80 };

/// Writes one kernel's trace.
class trace_writer {
public:
    /// `id`: the number of the launch, from 1. Throws warpkit::error for a kernel with bulk copies or products of
    /// warpgroups, for which the format has no words. mbarriers are accesses there, whose phases are not told.
    trace_writer(kernel_launch const& launch, unsigned id, byte_sink out,
                 instruction_set set = instruction_set::kepler)
        : launch_(launch),
          out_(std::move(out)),
          set_(set) {
        bool clusters = launch.cluster.count() > 1;
        for (auto const& i : code()) clusters = clusters || i.cluster != cluster_role::none;
        if (clusters)
            throw error(
                "kernel '" + launch.program->name +
                "' has clusters of thread blocks, which traces cannot say; simulate the program itself");
        for (auto const& s : code())
            if (s.async == async_role::bulk_copy || s.async >= async_role::product)
                throw error("kernel '" + launch.program->name + "': " +
                            (s.async == async_role::bulk_copy         ? "cp.async.bulk"
                             : s.async >= async_role::tensor_allocate ? "tcgen05"
                                                                      : "wgmma") +
                            " at line " + std::to_string(s.source_line) +
                            " cannot be written to a trace, whose format has none; run the program itself");
        head(id);
        name_registers();
        texts_.reserve(code().size());
        for (auto const& s : code()) texts_.push_back(text_of(s));
    }

    /// Writes the next thread block, in their order: x fastest.
    void write(cta_stream const& block) {
        auto const& g = launch_.grid;
        if (cta_ == g.count())
            throw error("a trace of " + std::to_string(cta_) + " thread blocks gets one more");
        line("\n#BEGIN_TB\n\nthread block = ", cta_ % g.x, ",", cta_ / g.x % g.y, ",", cta_ / g.x / g.y,
             "\n");
        for (std::size_t w = 0; w < block.warps.size(); ++w) {
            auto const& s = block.warps[w];
            line("\nwarp = ", w, "\ninsts = ", s.size(), "\n");
            warp(s);
            if (text_.size() > enough) flush();
        }
        text_ += "\n#END_TB\n";
        ++cta_;
    }
    /// To be called when all have been written.
    void finish() {
        if (cta_ != launch_.grid.count())
            throw error("a trace of " + std::to_string(launch_.grid.count()) + " thread blocks ends with " +
                        std::to_string(cta_));
        flush();
    }

private:
    static constexpr std::size_t enough = std::size_t{1} << 18;
    static constexpr std::uint64_t step = 16; ///< bytes of an instruction

    std::vector<static_instruction> const& code() const noexcept { return launch_.program->instructions; }
    void flush() {
        out_(text_);
        text_.clear();
    }
    void put(std::string_view s) { text_ += s; }
    void put(std::uint64_t n) { text_ += std::to_string(n); }
    template <class... T>
    void line(T const&... parts) {
        (put(parts), ...);
    }
    void put_hexadecimal(std::uint64_t n, unsigned digits) {
        char buffer[16];
        auto* const end = buffer + sizeof buffer;
        auto* p = end;
        for (; n != 0 || p > end - digits; n >>= 4) *--p = "0123456789abcdef"[n & 15];
        text_.append(p, end);
    }
    void put_signed(std::int64_t n) {
        if (n < 0) text_ += '-';
        put(n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n));
    }

    void head(unsigned id) {
        auto const& l = launch_;
        auto const extent = [&](char const* key, dim3 const& d) {
            line("-", key, " dim = (", std::uint64_t{d.x}, ",", std::uint64_t{d.y}, ",", std::uint64_t{d.z},
                 ")\n");
        };
        line("-kernel name = ", l.program->name, "\n-kernel id = ", std::uint64_t{id}, "\n");
        extent("grid", l.grid);
        extent("block", l.block);
        line("-shmem = ", std::uint64_t{l.shared_bytes},
             "\n-nregs = ", std::uint64_t{registers_in_header(*l.program)},
             "\n-binary version = ", std::uint64_t{static_cast<std::uint8_t>(set_)},
             "\n-cuda stream id = 0\n", "-shmem base_addr = 0x");
        put_hexadecimal(window_of(memory_space::shared), 16);
        text_ += "\n-local mem base_addr = 0x";
        put_hexadecimal(window_of(memory_space::local), 16);
        text_ += "\n-nvbit version = none\n-accelsim tracer version = 3\n";
        append_program(text_, *l.program);
        text_ += "\n#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
                 "[adrrescompress?] [mem_addresses]\n";
    }

    // ---- instructions
    std::string opcode_for(static_instruction const& s) const {
        bool const kepler = set_ == instruction_set::kepler;
        if (set_ == instruction_set::ampere) {
            if (s.async == async_role::commit) return "LDGDEPBAR";
            if (s.async == async_role::wait) return "DEPBAR.LE";
        }
        switch (s.kind) {
        case op_class::int_add:
            return kepler ? "IADD" : "IADD3";
        case op_class::int_max:
            return "IMNMX";
        case op_class::int_mul:
            return "IMUL";
        case op_class::int_mad:
            return "IMAD";
        case op_class::shuffle:
            return "SHFL";
        case op_class::fp_add:
            return "FADD";
        case op_class::fp_max:
            return "FMNMX";
        case op_class::fp_mul:
            return "FMUL";
        case op_class::fp_mad:
            return "FFMA";
        case op_class::int_div:
        case op_class::fp_div:
            return "MUFU.RCP";
        case op_class::special:
            return "MUFU.EX2";
        case op_class::dp_add:
            return "DADD";
        case op_class::dp_max:
            return kepler ? "DMNMX" : "DSETP";
        case op_class::dp_mul:
            return "DMUL";
        case op_class::dp_mad:
        case op_class::dp_div:
            return "DFMA";
        case op_class::tensor:
            return kepler ? "FFMA" : set_ == instruction_set::ampere ? product_opcode(s) : "HMMA.884.F16.F16";
        case op_class::uniform: // from Turing on
            return kepler ? "IADD" : "IADD3";
        case op_class::branch:
            return "BRA";
        case op_class::barrier:
            return s.barrier_waits ? "BAR.SYNC" : "BAR.ARV";
        case op_class::fence:
            return "MEMBAR.GL";
        case op_class::exit:
            return "EXIT";
        case op_class::load:
        case op_class::store:
        case op_class::atomic:
            return memory_opcode(s);
        default:
            return "NOP";
        }
    }
    /// "HMMA.16816.F32": elements, rows and depth, the sum's type. Of wmma's matrices, which take several, one.
    static std::string product_opcode(static_instruction const& s) {
        auto const shape =
            '.' + std::to_string(s.matrix_rows == 8 ? 8 : 16) + '8' + std::to_string(s.matrix_depth);
        bool const narrow = s.destinations != 0 && s.destinations < s.matrix_rows / 4;
        switch (s.matrix) {
        case matrix_type::bf16:
            return "HMMA" + shape + ".F32.BF16";
        case matrix_type::tf32:
            return "HMMA" + shape + ".F32.TF32";
        case matrix_type::f64:
            return "DMMA" + shape;
        case matrix_type::f8:
            return "QMMA" + shape + (narrow ? ".F16" : ".F32");
        case matrix_type::s8:
            return "IMMA" + shape + ".S8.S8";
        case matrix_type::s4:
            return "IMMA" + shape + ".S4.S4";
        case matrix_type::b1:
            return "BMMA" + shape;
        case matrix_type::f16:
            return "HMMA" + shape + (narrow ? ".F16" : ".F32");
        default:
            return "HMMA.16816.F32";
        }
    }
    std::string memory_opcode(static_instruction const& s) const {
        bool const kepler = set_ == instruction_set::kepler;
        if (set_ == instruction_set::ampere) {
            if (s.async == async_role::copy)
                return std::string(s.past_l1 ? "LDGSTS.E.BYPASS" : "LDGSTS.E") +
                       (s.access_bytes == 16  ? ".128"
                        : s.access_bytes == 8 ? ".64"
                                              : "");
            if (s.matrix == matrix_type::rows) {
                auto const count = s.kind == op_class::load ? s.destinations : s.sources - 1U;
                return std::string(s.kind == op_class::load ? "LDSM.16.M88" : "STSM.16.M88") +
                       (count >= 4   ? ".4"
                        : count >= 2 ? ".2"
                                     : "");
            }
        }
        auto const by = [&](char const* load, char const* store, char const* atomic) {
            return std::string(s.kind == op_class::load ? load : s.kind == op_class::store ? store : atomic);
        };
        std::string name;
        switch (s.space) {
        case memory_space::shared:
            name = by("LDS", "STS", kepler ? "LDS" : "ATOMS.ADD");
            break;
        case memory_space::local:
            name = by("LDL", "STL", "ATOM.E.ADD");
            break;
        case memory_space::constant:
        case memory_space::parameter:
            name = by("LDC", "MOV", "MOV");
            break;
        case memory_space::texture:
            name = "TEX";
            break;
        case memory_space::generic:
            name = by("LD.E", "ST.E", "ATOM.E.ADD");
            break;
        default:
            name = kepler ? by("LD.E", "ST.E", "ATOM.E.ADD") : by("LDG.E", "STG.E", "ATOMG.E.ADD");
        }
        if (s.past_l1) name += ".STRONG.GPU";
        if (s.space == memory_space::texture) return name;
        switch (s.access_bytes) {
        case 1:
            return name + ".U8";
        case 2:
            return name + ".U16";
        case 4:
            return name;
        case 8:
            return name + ".64";
        default:
            return name + ".128"; // the widest that Accel-Sim knows
        }
    }
    /// Operands that there is room for.
    static unsigned listed(static_instruction const& s) noexcept { return s.sources < 4 ? s.sources : 4; }
    /// Values of 64 bits and more take several of a GPU's registers, of which a trace names the first: as many numbers
    /// are left free behind it, so that no reader takes others for them. Where that is too much for 255 registers, none
    /// are.
    void name_registers() {
        std::vector<unsigned> row; // by register
        auto const takes = [&](register_id r, unsigned n) {
            if (r >= row.size()) row.resize(r + 1U, 1);
            if (row[r] < n) row[r] = n;
        };
        for (auto const& s : code()) {
            auto const words = s.access_bytes < 8 ? 1U : s.access_bytes / 4U;
            bool const is_double = s.kind == op_class::dp_add || s.kind == op_class::dp_max ||
                                   s.kind == op_class::dp_mul || s.kind == op_class::dp_mad ||
                                   s.kind == op_class::dp_div;
            auto const wide = is_double ? 2U : s.is_memory() ? words : 1U;
            for (unsigned k = 0; k < s.destinations; ++k) takes(s.destination[k], k == 0 ? wide : 1);
            for (unsigned k = 0; k < s.sources; ++k) {
                bool const is_address = s.is_memory() && k == 0;
                bool const is_data =
                    is_double || (s.is_memory() && s.kind != op_class::load && k + 1 == listed(s));
                takes(s.source[k], is_address ? 2 : is_data ? wide : 1);
            }
        }
        unsigned next = 0;
        for (auto const n : row) {
            first_.push_back(next);
            next += n;
        }
        if (next > 255)
            for (unsigned r = 0; r < first_.size(); ++r) first_[r] = r < 255 ? r : r + 1; // R255 reads as 0
    }
    /// From the mask to the addresses.
    std::string text_of(static_instruction const& s) const {
        auto const name = [this](register_id r) { return 'R' + std::to_string(first_[r]); };
        auto text = s.destinations == 0 ? std::string(" 0 ") : " 1 " + name(s.destination[0]) + ' ';
        text += opcode_for(s);
        auto const sources = listed(s);
        text += ' ' + std::to_string(sources) + ' ';
        for (unsigned k = 0; k < sources; ++k) text += name(s.source[k]) + ' ';
        return text + (s.is_memory() ? std::to_string(s.access_bytes) : "0");
    }

    void warp(warp_stream const& s) {
        stream_cursor at(s);
        while (!at.done()) {
            auto const i = at.instruction();
            auto const mask = at.mask();
            auto const& c = code()[i];
            put_hexadecimal(i * step, 4);
            text_ += ' ';
            put_hexadecimal(mask, 8);
            text_ += texts_[i];
            if (c.is_memory())
                addresses(s, at, c);
            else if (c.barrier_in_stream && mask != 0)
                line(" ", std::uint64_t{at.barrier(s)}, " ", std::uint64_t{at.barrier_warps(s)});
            text_ += '\n';
            at.advance(s, c);
        }
    }
    void addresses(warp_stream const& s, stream_cursor const& at, static_instruction const& c) {
        auto const mask = at.mask();
        if (mask == 0) {
            text_ += " 1 0x0 0";
            return;
        }
        auto const space = at.space(s);
        if (c.space != memory_space::generic && space != c.space)
            throw error("kernel '" + launch_.program->name + "': instruction " +
                        std::to_string(at.instruction()) + " accesses " +
                        memory_space_names[static_cast<unsigned>(space)] + " memory, but is one of " +
                        memory_space_names[static_cast<unsigned>(c.space)] + " memory");
        lane_addresses lane{};
        if (c.space == memory_space::generic) {
            for (auto const each : generic_spaces) generic(lane, s, at, each);
        } else {
            at.addresses(s, lane);
        }
        auto const low = static_cast<unsigned>(std::countr_zero(mask));
        auto const row = mask >> low;
        auto const distance = [](std::uint64_t to, std::uint64_t from) {
            return static_cast<std::int64_t>(to - from);
        };
        auto const fits = [](std::int64_t n) { return n == static_cast<std::int32_t>(n); };
        auto const stride = row == 1 ? 0 : distance(lane[(low + 1) % lanes], lane[low]);
        bool regular = (row & (row + 1)) == 0 && fits(stride);
        bool small = true;
        auto before = lane[low];
        for (auto rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
            auto const a = lane[static_cast<unsigned>(std::countr_zero(rest))];
            regular = regular && distance(a, before) == stride;
            small = small && fits(distance(a, before));
            before = a;
        }
        text_ += regular ? " 1 0x" : small ? " 2 0x" : " 0 0x";
        put_hexadecimal(lane[low], 1);
        if (regular) {
            text_ += ' ';
            put_signed(stride);
            return;
        }
        before = lane[low];
        for (auto rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
            auto const a = lane[static_cast<unsigned>(std::countr_zero(rest))];
            if (small) {
                text_ += ' ';
                put_signed(distance(a, before));
            } else {
                text_ += " 0x";
                put_hexadecimal(a, 1);
            }
            before = a;
        }
    }
    /// The addresses of those lanes that look into `space`, as generic ones.
    static void generic(lane_addresses& lane, warp_stream const& s, stream_cursor const& at,
                        memory_space space) {
        lane_addresses found{};
        auto const mask = at.addresses_in(s, space, found);
        for (auto rest = mask; rest != 0; rest &= rest - 1) {
            auto const l = static_cast<unsigned>(std::countr_zero(rest));
            lane[l] = found[l] | window_of(space);
        }
    }

    kernel_launch launch_;
    byte_sink out_;
    instruction_set set_;
    std::vector<unsigned> first_;    ///< by register: its number in the trace
    std::vector<std::string> texts_; ///< by instruction
    std::string text_;
    std::uint64_t cta_ = 0;
};

/// Writes all thread blocks of a launch, which are executed for it, in their order. Gives the warp instructions in it.
inline std::uint64_t write_trace(kernel_launch const& launch, unsigned id, byte_sink const& out,
                                 instruction_set set = instruction_set::kepler) {
    trace_writer writer(launch, id, out, set);
    std::uint64_t instructions = 0;
    cta_stream block;
    for (std::uint64_t cta = 0; cta < launch.ctas(); ++cta) {
        block.reset(launch.warps_per_cta());
        launch.fill(launch.source, cta, block);
        writer.write(block);
        for (auto const& w : block.warps) instructions += w.size();
    }
    writer.finish();
    return instructions;
}

} // namespace warpkit::accelsim
