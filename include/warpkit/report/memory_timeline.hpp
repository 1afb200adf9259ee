#pragma once
/// \file
/// The memory partitions of a machine in its timeline (report/timeline.hpp), and how far the lines are that its cores
/// wait for.
///
///     using machine = presets::gtx480::with<
///         use::observer<report::timeline>, use::l2_observer<report::l2_timeline>,
///         use::dram_observer<report::dram_timeline>>;
///     gpu<machine::policies> g(machine::parameters(), values);
///     report::draw_memory(g, file);
///
/// A partition is a process. Its threads are the slices of the L2, with a slice of an L2 cycle for each access, named
/// by its outcome; the banks of the DRAM, with their open rows; and what goes over the command bus, with a slice of a
/// DRAM cycle for each command. So slices of accesses are as many as `l2.accesses`, rows as `dram.activates`, reads and
/// writes as `dram.read_atoms` and `dram.write_atoms`.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/machine/l2_events.hpp>
#include <warpkit/machine/launch.hpp>
#include <warpkit/machine/memory_listener.hpp>
#include <warpkit/machine/memory_parts.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/report/timeline_file.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warpkit::report {

namespace detail {

/// What is known of one partition.
class partition_timeline final : public memory_listener {
public:
    partition_timeline(timeline_file& file, gpu_parameters const& p, unsigned channel)
        : memory_listener(this),
          out_(file, first_process + channel),
          ways_(&file.ways()),
          channel_(channel),
          drawn_(file.wants_channel(channel)),
          map_(p.address_mapping.c_str(), p.memory.channels, p.memory.slices),
          core_period_(tick_rate(p) / p.clock.core),
          l2_period_(tick_rate(p) / p.clock.l2),
          dram_period_(tick_rate(p) / p.clock.dram),
          first_slice_(channel * p.memory.slices),
          l2_line_(p.l2.line),
          banks_per_rank_(p.dram.banks_per_rank()),
          banks_(p.dram.banks) {
        if (!drawn_) {
            std::vector<bool> cores(p.core.count);
            for (unsigned c = 0; c < p.core.count; ++c) cores[c] = file.wants(c);
            hear_only_of(std::move(cores));
            return;
        }
        out_.name("process_name", 0, "memory partition " + std::to_string(channel));
        out_.sort("process_sort_index", 0, first_process + channel);
        auto const thread = [&](unsigned number, std::string const& name) {
            out_.name("thread_name", number, name);
            out_.sort("thread_sort_index", number, number);
        };
        for (unsigned s = 0; s < p.memory.slices; ++s)
            thread(first_l2 + s, "L2 slice " + std::to_string(first_slice_ + s));
        thread(bus, "DRAM commands");
        for (unsigned b = 0; b < p.dram.banks; ++b) thread(first_bank + b, "bank " + std::to_string(b));
    }

    void on(l2_accessed const& e) {
        if (e.kind == access_kind::load && e.by && ways_->any())
            if (auto const way = ways_->of(e.by.core, e.address)) follow(e, way);
        if (!drawn_) return;
        static constexpr char const* outcomes[] = {"hit", "hit_reserved", "miss", "sector_miss",
                                                   "reservation_fail"};
        static constexpr char const* kinds[] = {"load", "store", "atomic"};
        out_.slice_in_thousandths(
            first_l2 + e.slice - first_slice_, "l2", outcomes[static_cast<unsigned>(e.outcome)],
            thousandths(e.at, l2_period_), thousandths(e.at + 1, l2_period_),
            {{"kind", 0, kinds[static_cast<unsigned>(e.kind)]},
             {"address", e.address},
             {e.by ? "core" : nullptr, e.by.core},
             {e.by && e.by.warp ? "warp" : nullptr, e.by.warp ? e.by.warp.index() : 0U}});
    }
    void on(l2_filled const& e) {
        auto const at = core_cycle(e.at, l2_period_);
        ways_->each_at(e.address, [at](line_way& w) { w.filled = at; });
        ways_->come_from_dram(e.address);
    }
    void on(dram::command const& c) {
        using dram::command_kind;
        switch (c.kind) {
        case command_kind::activate:
            banks_[c.bank] = {c.at, c.row, true};
            break;
        case command_kind::precharge:
            close(c.bank, c.at);
            break;
        case command_kind::precharge_all:
            for (auto b = c.bank; b < c.bank + banks_per_rank_; ++b) close(b, c.at);
            break;
        case command_kind::read:
            if (ways_->any_at_dram())
                ways_->each_at(
                    map_.encode({.channel = channel_, .bank = c.bank, .row = c.row, .column = c.column}),
                    [&](line_way& w) {
                        w.read = core_cycle(c.at, dram_period_);
                        w.bank = c.bank;
                        w.row = c.row;
                        w.row_opened = core_cycle(banks_[c.bank].from, dram_period_) > w.served;
                    });
            [[fallthrough]];
        case command_kind::write:
            if (c.auto_precharge) close(c.bank, c.at + 1);
            break;
        case command_kind::refresh:
        case command_kind::refresh_bank:
        case command_kind::refresh_same_bank:
        case command_kind::refresh_management:
        case command_kind::refresh_victims:
            break;
        }
        if (c.at > last_) last_ = c.at;
        if (!drawn_) return;
        // Two of a dual bus share a cycle, and are drawn one behind the other.
        auto const begin = thousandths(c.at, dram_period_);
        auto const from = begin > bus_free_ ? begin : bus_free_;
        auto const end = thousandths(c.at + 1, dram_period_);
        bus_free_ = from < end ? from + (end - from + 1) / 2 : from + 1;
        out_.slice_in_thousandths(bus, "dram", dram::command_names[static_cast<unsigned>(c.kind)], from,
                                  bus_free_,
                                  {{"bank", c.bank},
                                   {c.row != dram::no_row ? "row" : nullptr, c.row},
                                   {dram::is_column_command(c.kind) ? "column" : nullptr, c.column}});
    }
    /// The run has ended, before this core cycle: rows that are open stay so up to it.
    void finish(cycle end) {
        auto const heard = thousandths(last_ + 1, dram_period_);
        auto const to = end * 1000 > heard ? end * 1000 : heard;
        for (unsigned b = 0; b < banks_.size(); ++b) close_in_thousandths(b, to);
        out_.flush();
    }

    /// Cores are the processes before.
    static constexpr unsigned first_process = 100'000;

private:
    static constexpr unsigned first_l2 = 1;
    static constexpr unsigned bus = 100;
    static constexpr unsigned first_bank = 101;

    struct bank_state {
        cycle from = 0; ///< when its row was opened
        std::uint32_t row = 0;
        bool open = false;
    };

    cycle core_cycle(cycle at, tick period) const noexcept { return at * period / core_period_; }
    /// Of a core cycle.
    std::uint64_t thousandths(cycle at, tick period) const noexcept {
        auto const t = at * period;
        return t / core_period_ * 1000 + t % core_period_ * 1000 / core_period_;
    }
    void follow(l2_accessed const& e, line_ways::way const& way) {
        auto const at = core_cycle(e.at, l2_period_);
        auto& w = *way;
        if (w.served == never) {
            w.sent = at - static_cast<std::uint32_t>(static_cast<std::uint32_t>(at) - e.born);
            w.ready = core_cycle(e.ready, l2_period_);
            w.served = at;
            w.slice = e.slice;
        }
        w.through = core_cycle(e.at + 1, l2_period_);
        if (e.outcome == cache_outcome::hit) return;
        w.outcome = e.outcome;
        // The sector below the memory's capacity, as fills and rows have it.
        ways_->asks_dram(e.line + e.address % l2_line_, way);
    }
    void close(unsigned bank, cycle at) { close_in_thousandths(bank, thousandths(at, dram_period_)); }
    void close_in_thousandths(unsigned bank, std::uint64_t at) {
        auto& b = banks_[bank];
        if (!std::exchange(b.open, false) || !drawn_) return;
        out_.slice_in_thousandths(first_bank + bank, "row", "row " + std::to_string(b.row),
                                  thousandths(b.from, dram_period_), at);
    }

    timeline_events out_;
    line_ways* ways_;
    unsigned channel_;
    bool drawn_;
    dram::address_mapping map_;
    tick core_period_;
    tick l2_period_;
    tick dram_period_;
    std::uint32_t first_slice_;
    std::uint32_t l2_line_;
    std::uint32_t banks_per_rank_;
    std::vector<bank_state> banks_;
    cycle last_ = 0; ///< command
    std::uint64_t bus_free_ = 0;
};

} // namespace detail

/// To sit in `use::l2_observer` and in `use::dram_observer`; beside what listens there already l2_heard_beside and
/// dram_heard_beside do (machine/memory_listener.hpp).
using l2_timeline = l2_heard_beside<>;
using dram_timeline = dram_heard_beside<>;

/// Draws the memory of this machine, which has both, into that file, from now on.
template <class Gpu>
void draw_memory(Gpu& g, std::shared_ptr<timeline_file> const& file) {
    auto const& p = g.numbers();
    file->ways().set(p.l1d.line, p.l2.sector);
    g.each_memory_observer([&](unsigned channel, auto& l2, auto& dram) {
        auto const part = std::make_shared<detail::partition_timeline>(*file, p, channel);
        file->at_end([part](cycle end) { part->finish(end); });
        l2.hear(part);
        dram.hear(part);
    });
}

} // namespace warpkit::report
