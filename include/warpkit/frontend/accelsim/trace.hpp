#pragma once
/// \file
/// A kernel's trace in the format of Accel-Sim (docs/model/traces.md) as a launch for the timing model.
///
///     accelsim::trace_kernel kernel(accelsim::file_source("kernel-1.traceg.xz", accelsim::codecs()));
///     kernel_launch const launch = kernel.launch();
///
/// The file is read once from end to end when the object is made: that finds the static program, and each mistake but
/// those in addresses. Then it is read again, thread block by thread block, as they are dispatched, so that memory
/// holds what is resident and a few numbers per thread block.

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/accelsim/block_reader.hpp>
#include <warpkit/frontend/accelsim/grouping.hpp>
#include <warpkit/frontend/accelsim/header.hpp>
#include <warpkit/frontend/accelsim/instruction_forms.hpp>
#include <warpkit/frontend/accelsim/text.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/program/stream.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpkit::accelsim {

static_assert(
    lanes == 32,
    "warpkit: Accel-Sim's traces are of warps of 32 threads: kernels for WARPKIT_WARP_LANES=64 come "
    "from the builder (frontend/builder.hpp)");

/// One kernel's trace. Stays where it is; one run at a time.
class trace_kernel {
public:
    /// Reads the whole trace. Throws `error` "name:line: what" for one that is truncated, corrupt or none at all.
    explicit trace_kernel(text_source source) : source_(std::move(source)) {
        auto in = begin();
        auto stands = to_first_block(in);
        if (stands && detail::begins_with_digit(in.line())) {
            source_ = grouped(std::move(source_), header_);
            in = begin();
            stands = to_first_block(in);
        }
        program_.name = header_.kernel.empty() ? source_.name : header_.kernel;
        blocks_.emplace(header_, is_own_, forms_);
        look_through(in, stands);
        if (!is_own_) make_program();
    }
    trace_kernel(trace_kernel const&) = delete;
    trace_kernel& operator=(trace_kernel const&) = delete;

    trace_header const& header() const noexcept { return header_; }
    std::string const& file() const noexcept { return source_.name; }
    /// Of a trace that tells only what ran: one instruction for each PC, in their order, with some that never run where
    /// there are gaps; then those that share a PC with another.
    static_program const& program() const noexcept { return program_; }
    /// Whether the header told the whole program, as it does in the traces that we write.
    bool is_own() const noexcept { return is_own_; }
    /// Warp instructions in the file.
    std::uint64_t instructions() const noexcept { return instructions_; }
    /// Thread blocks of the grid that are not in the file, and run as empty ones.
    std::uint64_t missing_blocks() const noexcept { return header_.grid.count() - index_.size(); }
    /// Opcodes that are in no table, and how often they ran, as op_class::other.
    std::map<std::string, std::uint64_t> const& unknown_opcodes() const noexcept { return unknown_; }

    /// The launch as the timing model takes it; refers to this object.
    kernel_launch launch() {
        kernel_launch l;
        l.program = &program_;
        l.grid = header_.grid;
        l.block = header_.block;
        l.shared_bytes = header_.shared_bytes;
        l.source = this;
        l.fill = [](void* self, std::uint64_t cta, cta_stream& out) {
            static_cast<trace_kernel*>(self)->read_block(cta, out);
        };
        return l;
    }

    /// What the warps of one CTA executed. In the order of the file each line is read once; any other order costs a
    /// seek, or in compressed files reading from the front, unless one of a few readers has just got there.
    void read_block(std::uint64_t cta, cta_stream& out) {
        out.reset(static_cast<unsigned>((header_.block.count() + lanes - 1) / lanes));
        auto const entry = std::lower_bound(index_.begin(), index_.end(), cta,
                                            [](index_entry const& e, std::uint64_t c) { return e.cta < c; });
        if (entry == index_.end() || entry->cta != cta) return;
        auto const n = static_cast<std::size_t>(entry - index_.begin());
        auto& r = reader_at(n);
        constexpr char const* changed = "the file has changed since it was looked through";
        stream_sink sink{*this, out, nullptr};
        r.next = none; // in case of an error
        if (!block_reader::find_block(r.in) || r.in.number() != entry->line) r.in.refuse(changed);
        blocks_->read(
            r.in, [&](auto const&...) -> std::uint32_t { r.in.refuse(changed); }, sink);
        r.next = n + 1;
        r.used = ++clock_;
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};
    static constexpr std::size_t most_readers = 16;
    static constexpr std::uint64_t widest_gap =
        4096; ///< of instructions that never ran, between two that did

    /// Where a thread block begins.
    struct index_entry {
        std::uint64_t cta = 0;
        std::uint64_t offset = 0;
        std::uint64_t line = 0;
    };
    struct reader {
        line_reader in;
        std::size_t next = 0; ///< entry of the index that it stands before
        std::uint64_t used = 0;
    };

    /// Counts, and follows branches.
    struct counting_sink {
        static constexpr bool wants_addresses = false;
        trace_kernel& to;
        line_reader& in;
        std::uint64_t offset = 0;
        std::uint64_t line = 0;
        std::uint32_t before = form_table::none; ///< the warp's last instruction

        void block(std::uint64_t cta) {
            auto& index = to.index_;
            if (!index.empty() && cta <= index.back().cta)
                in.refuse("thread block number " + std::to_string(cta) + " behind number " +
                          std::to_string(index.back().cta) + ": they must come in their order");
            index.push_back({cta, offset, line});
        }
        void warp(unsigned) noexcept { before = form_table::none; }
        void executed(std::uint32_t form, lane_mask) {
            auto& all = to.forms_.forms();
            auto& f = all[form];
            ++f.count;
            ++to.instructions_;
            if (before != form_table::none && all[before].code.kind == op_class::branch)
                to.followed(all[before], f.pc);
            before = form;
        }
        void accessed(std::uint32_t form, lane_mask mask, traced_access const&) { executed(form, mask); }
        void arrived(std::uint32_t form, lane_mask mask, std::uint32_t, std::uint32_t) {
            executed(form, mask);
        }
    };
    /// Fills streams.
    struct stream_sink {
        static constexpr bool wants_addresses = true;
        trace_kernel& from;
        cta_stream& out;
        warp_stream* to;

        void block(std::uint64_t) const noexcept {}
        void warp(unsigned w) {
            // Streams that grow step by step are copied, and touch memory, twice.
            if (to != nullptr) from.last_ = to->size_held();
            to = &out.warps[w];
            to->reserve(from.last_);
        }
        std::uint32_t index(std::uint32_t form) const noexcept {
            return from.forms_.forms()[form].instruction;
        }
        void executed(std::uint32_t form, lane_mask mask) const { to->append(index(form), mask); }
        void accessed(std::uint32_t form, lane_mask mask, traced_access const& a) const {
            if (a.affine)
                to->append(index(form), mask, a.space, a.base, a.stride);
            else if (a.distance != nullptr)
                to->append_spread(index(form), mask, a.space, a.base, *a.distance);
            else
                to->append(index(form), mask, a.space, a.lane);
        }
        void arrived(std::uint32_t form, lane_mask mask, std::uint32_t barrier, std::uint32_t warps) const {
            to->append_barrier(index(form), mask, barrier, warps);
        }
    };

    /// Reads the header, and what it tells of the program.
    line_reader begin() {
        line_reader in(source_);
        program_ = {};
        program_lines lines(program_);
        header_ = read_header(in, lines);
        is_own_ = lines.given();
        if (!lines.told_registers())
            program_.registers_per_thread = header_.registers;
        else if (header_.registers != registers_in_header(program_))
            in.refuse("'-nregs = " + std::to_string(header_.registers) + "' and the " +
                      std::to_string(program_.registers_per_thread) +
                      " registers of -warpkit program differ; change both, or leave the -warpkit lines out");
        return in;
    }
    /// Moves on from the header to what it is the header of; false if there is nothing.
    static bool to_first_block(line_reader& in) {
        while (in.next()) {
            auto const line = in.line();
            if (line.find('\0') != line.npos) in.refuse(is_version_2);
            if (line.empty() || line[0] == '-' || word_reader(line).done()) continue;
            if (line[0] != '#' || line.substr(0, 9) == "#BEGIN_TB") return true;
        }
        return false;
    }
    /// `stands`: on the first line behind the header.
    void look_through(line_reader& in, bool stands) {
        form_reader const forms(header_, is_own_ ? &program_ : nullptr);
        auto const make = [&](std::uint64_t pc, word_reader& words, std::uint32_t line) {
            words.skip_blanks();
            auto const* const begin = words.at();
            auto f = forms.read(pc, words, in);
            f.line = line;
            return forms_.add(f, {begin, static_cast<std::size_t>(words.at() - begin)}, in);
        };
        counting_sink sink{*this, in};
        for (; block_reader::find_block(in, stands); stands = false) {
            sink.offset = in.offset();
            sink.line = in.number();
            blocks_->read(in, make, sink);
        }
        auto const ctas = header_.grid.count();
        if (index_.empty() || index_.back().cta + 1 != ctas)
            in.refuse("the file ends behind thread block number " +
                      (index_.empty() ? std::string("none") : std::to_string(index_.back().cta)) +
                      ", but the grid has " + std::to_string(ctas) + ", numbered from 0");
        if (missing_blocks() > index_.size())
            in.refuse("the file lacks " + std::to_string(missing_blocks()) + " of the grid's " +
                      std::to_string(ctas) + " thread blocks");
        if (forms_.forms().empty()) in.refuse("the file has no instructions");
        for (auto const& f : forms_.forms())
            if (!is_own_ && f.code.kind == op_class::other)
                unknown_[std::string(opcode(forms_.opcode_of(f)).name())] += f.count;
    }
    void followed(instruction_form& branch, std::uint64_t pc) const noexcept {
        auto const distance = pc - branch.pc;
        if (distance == 8 || distance == 16)
            branch.falls_through = true;
        else if (branch.target == instruction_form::no_pc)
            branch.target = pc;
    }

    /// PCs as numbers of instructions: 8 or 16 bytes each. Before Volta, words of 8 bytes begin each group with one
    /// that controls the others: 1 of 8 for Kepler, 1 of 4 for Maxwell and Pascal.
    struct pc_layout {
        std::uint64_t bytes = 16;
        std::uint64_t group = 0; ///< words; 0: none
        std::uint64_t index(std::uint64_t pc) const noexcept {
            auto const word = pc / bytes;
            return group == 0 ? word : word / group * (group - 1) + word % group - 1;
        }
    };
    pc_layout layout() const {
        pc_layout l;
        auto const& all = forms_.forms();
        auto const any = [&](std::uint64_t of) {
            return std::any_of(all.begin(), all.end(), [of](auto const& f) { return f.pc % of == 0; });
        };
        if (std::all_of(all.begin(), all.end(), [](auto const& f) { return f.pc % 16 == 0; })) return l;
        l.bytes = 8;
        auto const v = header_.binary_version;
        auto const group = v >= 30 && v < 40 ? 8U : v >= 50 && v < 70 ? 4U : 0U;
        if (group != 0 && !any(8 * group)) l.group = group;
        return l;
    }
    void make_program() {
        auto& all = forms_.forms();
        std::vector<std::uint32_t> order(all.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return all[a].pc < all[b].pc; });
        auto const of_pc = layout();
        std::map<std::uint64_t, std::uint32_t> index;
        std::vector<std::uint32_t> further;
        std::uint64_t next = 0;
        std::uint64_t idle = 0;
        std::uint64_t before = 0;
        for (auto const i : order) {
            auto& f = all[i];
            if (index.count(f.pc) != 0) {
                further.push_back(i);
                continue;
            }
            auto const at = of_pc.index(f.pc);
            if (!index.empty() && at != before) {
                auto const gap = at - before - 1;
                auto const kept = gap <= widest_gap && idle + gap <= most_instructions ? gap : 0;
                idle += kept;
                next += kept;
            }
            before = at;
            f.instruction = static_cast<std::uint32_t>(next++);
            index[f.pc] = f.instruction;
        }
        for (auto const i : further) all[i].instruction = static_cast<std::uint32_t>(next++);

        program_.shared_bytes = header_.shared_bytes;
        program_.instruction_bytes = static_cast<std::uint32_t>(of_pc.bytes);
        program_.instructions.assign(next, {});
        unsigned registers = 1;
        for (auto const& f : all) {
            auto& s = program_.instructions[f.instruction];
            s = f.code;
            s.source_line = f.line;
            if (auto const to = index.find(f.target); to != index.end()) {
                s.target = to->second;
                s.guarded = f.falls_through;
            }
            for (unsigned k = 0; k < s.destinations; ++k)
                registers = std::max(registers, s.destination[k] + 1U);
            for (unsigned k = 0; k < s.sources; ++k) registers = std::max(registers, s.source[k] + 1U);
        }
        program_.registers = registers;
    }

    /// A reader that stands before entry `n` of the index.
    reader& reader_at(std::size_t n) {
        auto const found =
            std::find_if(readers_.begin(), readers_.end(), [n](auto const& r) { return r->next == n; });
        auto const& e = index_[n];
        if (found != readers_.end()) return **found;
        auto make = [&] { return std::make_unique<reader>(reader{{source_, e.offset, e.line}, n, 0}); };
        if (readers_.size() < (source_.seekable ? 1 : most_readers)) return *readers_.emplace_back(make());
        auto& oldest = *std::min_element(readers_.begin(), readers_.end(),
                                         [](auto const& a, auto const& b) { return a->used < b->used; });
        oldest = make();
        return *oldest;
    }

    text_source source_;
    trace_header header_;
    bool is_own_ = false;
    static_program program_;
    form_table forms_;
    std::optional<block_reader> blocks_;
    std::vector<index_entry> index_;
    std::uint64_t instructions_ = 0;
    std::map<std::string, std::uint64_t> unknown_;
    std::vector<std::unique_ptr<reader>> readers_;
    std::uint64_t clock_ = 0;
    warp_stream::extent last_; ///< what the stream before held
};

} // namespace warpkit::accelsim
