#pragma once
/// \file
/// Per-row activation counting in the device (DDR5's PRAC).

#include <warpkit/base/error.hpp>
#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/dram/victim_refresh.hpp>

#include <cstdint>

namespace warpkit::dram {

/// The device counts the activates of each row. A row that reaches `back_off` makes it alert the controller, which
/// answers with `answers` commands of refresh management to the rank. With each, one row of every bank is taken care
/// of, and its count begins anew: the one with the most activates of those that were opened since the last. Needs
/// timing::rfm.
/// Source: JESD79-5C (PRAC: per-row activation counting, alert back-off, N_BO, N_mit); Canpolat et al., Understanding
/// the Security Benefits and Overheads of Emerging Industry Solutions to DRAM Read Disturbance, DRAMSec 2024. One
/// tracked row per bank: Qureshi and Qazi, MOAT, ASPLOS 2025.
/// Differs from the source: the counts are the row's activates, not its precharges, which are as many; the longer tRP
/// and tRAS of a device that counts are the timing table's; requests go on until the answer closes their banks.
class per_row_counting {
public:
    std::uint32_t back_off = 128; ///< N_BO
    std::uint32_t answers = 1;    ///< N_mit: 1, 2 or 4
    std::uint32_t rows = 65536;   ///< of a bank; higher ones share the counter of their remainder

    static constexpr char const* name() noexcept { return "per_row_counting"; }
    void attach(timing const& t) {
        detail::at_least_one(name(), "back_off", back_off);
        detail::at_least_one(name(), "answers", answers);
        detail::at_least_one(name(), "rows", rows);
        if (t.rfm == 0)
            raise_error(
                error("dram plug-in per_row_counting: rfm = 0: the timing table knows no refresh management; "
                      "nearest legal value: rfc, as JESD79-5 has it"));
        table_ = t;
        count_ = heap_array<std::uint32_t>(std::size_t{t.banks} * rows);
        for (auto& n : count_) n = 0;
        tracked_ = heap_array<std::uint32_t>(t.banks);
        for (auto& r : tracked_) r = no_row;
        left_ = heap_array<std::uint32_t>(t.all_ranks());
        for (auto& l : left_) l = 0;
        ready_.attach(std::size_t{t.all_ranks()} * answers > 0xffff ? 0xffff : t.all_ranks() * answers);
    }
    void on(command const& c) noexcept {
        auto const rank = table_.rank_of(c.bank);
        if (c.kind == command_kind::activate) {
            auto const row = c.row % rows;
            auto const n = ++at(c.bank, row);
            auto& tracked = tracked_[c.bank];
            if (tracked == no_row || n > at(c.bank, tracked)) tracked = row;
            if (n >= back_off && left_[rank] == 0) alert(rank);
        } else if (c.kind == command_kind::refresh_management) {
            for (std::uint32_t b = 0; b < table_.banks; ++b) {
                if (table_.rank_of(b) != rank || tracked_[b] == no_row) continue;
                at(b, tracked_[b]) = 0;
                tracked_[b] = no_row;
            }
            if (left_[rank] != 0) --left_[rank];
        }
    }
    bool next(refresh_order& o) noexcept { return ready_.next(o); }
    /// The activates of a row since it was last taken care of.
    std::uint32_t count(std::uint32_t bank, std::uint32_t row) const noexcept {
        return count_[std::size_t{bank} * rows + row % rows];
    }
    /// In the controller; the counters lie in the rows themselves, 24 bits each in the standard's devices.
    static constexpr hardware_cost_list hardware_cost(controller_shape const&) noexcept {
        return hardware_cost_list().add("answers that an alert is still owed", 3);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"back_off", "activates of a row that alert the controller"}, self.back_off);
        f(parameter{"answers", "commands of refresh management that answer an alert"}, self.answers);
        f(parameter{"rows", "rows of a bank"}, self.rows);
    }
    WARPKIT_STORED_MEMBERS(8)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(back_off, answers, rows, count_, tracked_, left_, ready_);
    }
    friend bool operator==(per_row_counting const&, per_row_counting const&) = default;

private:
    std::uint32_t& at(std::uint32_t bank, std::uint32_t row) noexcept {
        return count_[std::size_t{bank} * rows + row];
    }
    void alert(std::uint32_t rank) noexcept {
        left_[rank] = answers;
        for (std::uint32_t i = 0; i < answers; ++i)
            ready_.add(
                {command_kind::refresh_management, static_cast<std::uint16_t>(rank), no_row, table_.rfm});
    }
    heap_array<std::uint32_t> count_;   ///< by bank and row
    heap_array<std::uint32_t> tracked_; ///< by bank
    heap_array<std::uint32_t> left_;    ///< by rank: answers that are still owed to an alert
    detail::ready_orders ready_;
    timing table_;
};

static_assert(controller_plugin<per_row_counting>);

} // namespace warpkit::dram
