#pragma once
/// \file
/// What an energy model asks of a run beside its counters, as observers: what the lanes did, by kind of operation, and
/// reads and writes of the L1 and L2 apart (report/energy.hpp).
///
///     using machine = presets::qv100::with<use::observer<report::core_activity>,
///                                          use::l2_observer<report::l2_activity>>;
///     policy_values<machine::policies> values;
///     values.observer = report::core_activity(true);

#include <warpkit/base/events.hpp>
#include <warpkit/base/lanes.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/machine/l2_events.hpp>
#include <warpkit/program/instruction.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit::report {

/// Accesses of a cache, apart. One that waits for a line already on its way counts as a hit: it reads no more than one.
struct read_write_counts {
    std::uint64_t read_hits = 0; ///< atomics are reads, as GPGPU-Sim has them
    std::uint64_t read_misses = 0;
    std::uint64_t write_hits = 0;
    std::uint64_t write_misses = 0;

    void add(access_kind kind, cache_outcome outcome) noexcept {
        bool const hit = outcome == cache_outcome::hit || outcome == cache_outcome::hit_reserved;
        if (kind == access_kind::store)
            ++(hit ? write_hits : write_misses);
        else
            ++(hit ? read_hits : read_misses);
    }
    read_write_counts& operator+=(read_write_counts const& o) noexcept {
        read_hits += o.read_hits;
        read_misses += o.read_misses;
        write_hits += o.write_hits;
        write_misses += o.write_misses;
        return *this;
    }
    friend bool operator==(read_write_counts const&, read_write_counts const&) = default;
};

/// Whether a unit works on the lanes' values in an instruction: all but branches, barriers, loads, stores and the like.
constexpr bool is_executed_by_lanes(op_class k) noexcept {
    return k <= op_class::special || k == op_class::tensor;
}

/// What one launch made cores do.
struct launch_activity {
    std::array<std::uint64_t, op_class_count> lanes{}; ///< active, of issued instructions, by class
    std::uint64_t warps_executed = 0;                  ///< warp instructions of which is_executed_by_lanes()
    std::uint64_t register_reads = 0;                  ///< operands of warps
    std::uint64_t register_writes = 0;                 ///< likewise
    std::uint64_t shared_accesses = 0;                 ///< warp instructions to shared memory, each once
    std::uint64_t texture_lanes = 0;                   ///< active, of texture fetches
    read_write_counts l1;

    /// Active lanes of those of warps_executed.
    std::uint64_t lanes_executed() const noexcept {
        std::uint64_t n = 0;
        for (unsigned k = 0; k < op_class_count; ++k)
            if (is_executed_by_lanes(static_cast<op_class>(k))) n += lanes[k];
        return n;
    }
    launch_activity& operator+=(launch_activity const& o) noexcept {
        for (unsigned k = 0; k < op_class_count; ++k) lanes[k] += o.lanes[k];
        warps_executed += o.warps_executed;
        register_reads += o.register_reads;
        register_writes += o.register_writes;
        shared_accesses += o.shared_accesses;
        texture_lanes += o.texture_lanes;
        l1 += o.l1;
        return *this;
    }
    friend bool operator==(launch_activity const&, launch_activity const&) = default;
};

/// Counts what a core does, launch by launch: to sit in `use::observer`. Made without `true` it counts nothing.
class core_activity {
public:
    explicit core_activity(bool wanted = false) : wanted_(wanted) {}

    void on(kernel_began const& e) {
        if (!wanted_) return;
        code_ = e.code;
        instruction_bytes_ = e.instruction_bytes;
        launches_.emplace_back();
    }
    void on(kernel_ended const&) noexcept { code_ = nullptr; }
    void on(warpkit::issued const& e) noexcept {
        if (!wanted_ || code_ == nullptr) return;
        auto const& i = code_[e.pc / instruction_bytes_];
        auto const active = static_cast<std::uint64_t>(std::popcount(e.active));
        auto& to = launches_.back();
        to.lanes[static_cast<unsigned>(i.kind)] += active;
        to.register_reads += i.sources;
        to.register_writes += i.destinations;
        if (is_executed_by_lanes(i.kind) && active != 0) ++to.warps_executed;
        if (!i.is_memory()) return;
        if (i.space == memory_space::shared && active != 0) ++to.shared_accesses;
        if (i.space == memory_space::texture) to.texture_lanes += active;
    }
    void on(l1_accessed const& e) noexcept {
        if (wanted_ && !launches_.empty()) launches_.back().l1.add(e.kind, e.outcome);
    }

    template <class E>
    bool listens() const noexcept {
        return wanted_ && hears<core_activity, E>;
    }
    std::vector<launch_activity> const& launches() const noexcept { return launches_; }
    friend bool operator==(core_activity const& a, core_activity const& b) {
        return a.launches_ == b.launches_;
    }
    template <class F>
    void each_member(F&& f) const {
        for (auto const& l : launches_) {
            for (auto const n : l.lanes) f(n);
            f(l.warps_executed, l.register_reads, l.register_writes, l.shared_accesses, l.texture_lanes,
              l.l1.read_hits, l.l1.read_misses, l.l1.write_hits, l.l1.write_misses);
        }
    }

private:
    bool wanted_;
    static_instruction const* code_ = nullptr; ///< of the kernel that runs
    std::uint32_t instruction_bytes_ = 1;
    std::vector<launch_activity> launches_;
};

/// Counts what the L2 of a memory partition does, in all launches: to sit in `use::l2_observer`.
class l2_activity {
public:
    void on(l2_accessed const& e) noexcept { counts_.add(e.kind, e.outcome); }
    read_write_counts const& counts() const noexcept { return counts_; }
    friend bool operator==(l2_activity const&, l2_activity const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(counts_.read_hits, counts_.read_misses, counts_.write_hits, counts_.write_misses);
    }

private:
    read_write_counts counts_;
};

/// What a whole machine did: a launch_activity for each launch, summed over cores; and all L2 slices together.
struct machine_activity {
    std::vector<launch_activity> launches;
    read_write_counts l2;

    void add(core_activity const& core) {
        if (launches.size() < core.launches().size()) launches.resize(core.launches().size());
        for (std::size_t i = 0; i < core.launches().size(); ++i) launches[i] += core.launches()[i];
    }
    void add(l2_activity const& partition) noexcept { l2 += partition.counts(); }
    friend bool operator==(machine_activity const&, machine_activity const&) = default;
};

} // namespace warpkit::report
