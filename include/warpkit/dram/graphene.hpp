#pragma once
/// \file
/// Graphene: the rows that are opened most are counted.

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/dram/victim_refresh.hpp>

#include <cstdint>

namespace warpkit::dram {

/// Counts the rows that are opened most with the Misra-Gries summary, exactly enough that none is missed: each bank has
/// a table of `entries` rows with their estimated activates, and a spill counter for all others. A row whose estimate
/// has grown by another `threshold` has both its neighbours refreshed. All is forgotten every `window` cycles.
///
/// No row is opened `threshold` times in a window unseen if entries > window / tRC / threshold - 1.
/// Source: Park et al., Graphene: Strong yet Lightweight Row Hammer Protection, MICRO 2020, section IV.
class graphene {
    static constexpr std::uint32_t papers_threshold =
        8333; // for 50,000 activates and windows of half of tREFW
    static constexpr std::uint32_t papers_entries = 81;

public:
    std::uint32_t threshold = papers_threshold; ///< activates of a row that have its neighbours refreshed
    std::uint32_t entries = papers_entries;     ///< rows that are counted, of each bank
    std::uint32_t window = 51'200'000;          ///< cycles: 32 ms at 0.625 ns

    static constexpr char const* name() noexcept { return "graphene"; }
    void attach(timing const& t) {
        detail::at_least_one(name(), "threshold", threshold);
        detail::at_least_one(name(), "entries", entries);
        detail::at_least_one(name(), "window", window);
        table_ = t;
        row_ = heap_array<counted>(std::size_t{t.banks} * entries);
        spilled_ = heap_array<std::uint32_t>(t.banks);
        forget();
        ready_.attach(64);
    }
    void on(command const& c) noexcept {
        if (c.kind != command_kind::activate) return;
        if (c.at / window != period_) {
            period_ = c.at / window;
            forget();
        }
        auto* const rows = row_.begin() + std::size_t{c.bank} * entries;
        auto* place = static_cast<counted*>(nullptr);
        for (auto* r = rows; r != rows + entries; ++r) {
            if (r->row == c.row) {
                place = r;
                break;
            }
            if (place == nullptr && r->activates == spilled_[c.bank]) place = r;
        }
        if (place == nullptr) {
            ++spilled_[c.bank];
            return;
        }
        place->row = c.row; // a new one takes over the estimate of that it replaces
        if (++place->activates % threshold == 0) ready_.add(detail::victims_of(c, table_, 2));
    }
    bool next(refresh_order& o) noexcept { return ready_.next(o); }
    std::uint64_t lost() const noexcept { return ready_.lost(); }
    /// With the paper's 16 bits of row address and its numbers.
    static constexpr hardware_cost_list hardware_cost(controller_shape const& s) noexcept {
        auto const counter = bits_for(papers_threshold);
        return hardware_cost_list()
            .add("rows of each bank", std::uint64_t{s.banks} * papers_entries * 16)
            .add("activates of each, and whether it has passed the threshold",
                 std::uint64_t{s.banks} * papers_entries * (counter + 1))
            .add("spill counters", std::uint64_t{s.banks} * counter);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"threshold", "activates of a row that refresh its neighbours"}, self.threshold);
        f(parameter{"entries", "rows that are counted, of each bank"}, self.entries);
        f(parameter{"window", "cycles after which all is forgotten"}, self.window);
    }
    WARPKIT_STORED_MEMBERS(8)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(threshold, entries, window, row_, spilled_, period_, ready_);
    }
    friend bool operator==(graphene const&, graphene const&) = default;

private:
    struct counted {
        std::uint32_t row = no_row;
        std::uint32_t activates = 0;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(row, activates);
        }
        friend bool operator==(counted const&, counted const&) = default;
    };
    void forget() noexcept {
        for (auto& r : row_) r = {};
        for (auto& s : spilled_) s = 0;
    }
    heap_array<counted> row_; ///< by bank
    heap_array<std::uint32_t> spilled_;
    cycle period_ = 0;
    detail::ready_orders ready_;
    timing table_;
};

static_assert(controller_plugin<graphene>);

} // namespace warpkit::dram
