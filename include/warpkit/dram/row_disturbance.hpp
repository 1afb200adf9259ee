#pragma once
/// \file
/// Controller plug-ins against read disturbance (RowHammer): each sees the activates and has the neighbours of rows
/// that are opened too often refreshed in time. What they promise depends on the rows that a device's wires disturb;
/// here an order to refresh the victims of a row takes as long as opening and closing each of them.

#include <warpkit/base/error.hpp>
#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/dram/plugin.hpp>

#include <cstdint>

namespace warpkit::dram {

namespace detail {
/// The orders that a plug-in has ready: what came first goes first. Where none has room, it is counted and lost, as in
/// the hardware.
class ready_orders {
public:
    void attach(std::uint32_t room) { waiting_ = ring<refresh_order>(room); }
    void add(refresh_order const& o) noexcept { waiting_.full() ? void(++lost_) : waiting_.push(o); }
    bool next(refresh_order& o) noexcept {
        if (waiting_.empty()) return false;
        o = waiting_.front();
        waiting_.pop();
        return true;
    }
    std::uint64_t lost() const noexcept { return lost_; }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(waiting_, lost_);
    }
    friend bool operator==(ready_orders const&, ready_orders const&) = default;

private:
    ring<refresh_order> waiting_;
    std::uint64_t lost_ = 0;
};
/// The victims of a row are refreshed: `rows` of them.
inline refresh_order victims_of(command const& c, timing const& t, std::uint32_t rows) noexcept {
    return {command_kind::refresh_victims, c.bank, c.row, rows * t.rc};
}
[[gnu::cold]] inline void at_least_one(char const* plugin, char const* name, std::uint64_t value) {
    if (value == 0)
        raise_error(
            error({"dram plug-in ", plugin, ": ", name, " = 0 is not possible; nearest legal value: 1"}));
}
} // namespace detail

/// Each activate has one of the row's two neighbours refreshed with a small probability; nothing is remembered.
/// Source: Kim et al., Flipping Bits in Memory Without Accessing Them, ISCA 2014, section 8.2 (PARA).
/// Differs from the source: the paper draws when the row is closed; here when it is opened, which is as often.
class para {
public:
    std::uint32_t per_million = 1000; ///< activates of a million that are answered; the paper has 1,000
    std::uint64_t seed = 1;

    static constexpr char const* name() noexcept { return "para"; }
    void attach(timing const& t) {
        if (per_million > 1'000'000)
            raise_error(error({"dram plug-in para: per_million = ", per_million,
                               " is above a million; nearest legal value: 1000000"}));
        table_ = t;
        ready_.attach(64);
    }
    void on(command const& c) noexcept {
        if (c.kind != command_kind::activate) return;
        if (hasher::mix(seed + ++drawn_ * 0x9e3779b97f4a7c15U) % 1'000'000 < per_million)
            ready_.add(detail::victims_of(c, table_, 1));
    }
    bool next(refresh_order& o) noexcept { return ready_.next(o); }
    std::uint64_t lost() const noexcept { return ready_.lost(); }
    static constexpr hardware_cost_list hardware_cost(controller_shape const&) noexcept {
        return hardware_cost_list().add("pseudo-random number", 64);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"per_million", "activates of a million that refresh a neighbour"}, self.per_million);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(per_million, seed, drawn_, ready_);
    }
    friend bool operator==(para const&, para const&) = default;

private:
    std::uint64_t drawn_ = 0;
    detail::ready_orders ready_;
    timing table_;
};

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

/// Counts the activates of each bank since refreshes have last paid for them; one that owes `initial` of them has its
/// rank refresh what they have disturbed. That and each refresh of a bank pay for `initial` activates of each bank.
/// Needs timing::rfm.
/// Source: JESD79-5C 4.15 (refresh management: RAA counters, RAAIMT, RFMab).
class activates_owed {
public:
    static constexpr std::uint32_t least = 32; ///< RAAIMT's range in the standard is 32 to 80
    std::uint32_t initial = least;             ///< RAAIMT

    static constexpr char const* name() noexcept { return "activates_owed"; }
    void attach(timing const& t) {
        detail::at_least_one(name(), "initial", initial);
        if (t.rfm == 0)
            raise_error(
                error("dram plug-in activates_owed: rfm = 0: the timing table knows no refresh management; "
                      "nearest legal value: rfc, as JESD79-5 has it"));
        table_ = t;
        owed_ = heap_array<std::uint32_t>(t.banks);
        asked_ = heap_array<std::uint8_t>(t.all_ranks());
        for (auto& o : owed_) o = 0;
        for (auto& a : asked_) a = 0;
        ready_.attach(t.all_ranks());
    }
    void on(command const& c) noexcept {
        auto const rank = table_.rank_of(c.bank);
        switch (c.kind) {
        case command_kind::activate:
            if (++owed_[c.bank] < initial || asked_[rank] != 0) return;
            return ask(rank);
        case command_kind::refresh_management:
            asked_[rank] = 0;
            [[fallthrough]];
        case command_kind::refresh: {
            bool again = false;
            for (std::uint32_t b = 0; b < table_.banks; ++b)
                if (table_.rank_of(b) == rank) again |= pay(b);
            if (again && asked_[rank] == 0) ask(rank);
            return;
        }
        case command_kind::refresh_bank:
            pay(c.bank);
            return;
        case command_kind::refresh_same_bank:
            for (std::uint32_t b = 0; b < table_.banks; ++b)
                if (table_.rank_of(b) == rank && table_.place_in_group(b) == table_.place_in_group(c.bank))
                    pay(b);
            return;
        default:
            return;
        }
    }
    bool next(refresh_order& o) noexcept { return ready_.next(o); }
    std::uint32_t owed(std::uint32_t bank) const noexcept { return owed_[bank]; }
    static constexpr hardware_cost_list hardware_cost(controller_shape const& s) noexcept {
        // up to RAAMMT, six times RAAIMT at most
        return hardware_cost_list().add("activates that each bank owes",
                                        std::uint64_t{s.banks} * bits_for(6 * least + 1));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"initial", "activates of a bank that ask for refresh management"}, self.initial);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(initial, owed_, asked_, ready_);
    }
    friend bool operator==(activates_owed const&, activates_owed const&) = default;

private:
    void ask(std::uint32_t rank) noexcept {
        asked_[rank] = 1;
        ready_.add({command_kind::refresh_management, static_cast<std::uint16_t>(rank), no_row, table_.rfm});
    }
    /// Whether it owes as much again.
    bool pay(std::uint32_t bank) noexcept {
        auto& o = owed_[bank];
        o = o > initial ? o - initial : 0;
        return o >= initial;
    }
    heap_array<std::uint32_t> owed_; ///< by bank
    heap_array<std::uint8_t> asked_; ///< by rank: refresh management is under way
    detail::ready_orders ready_;
    timing table_;
};

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

static_assert(controller_plugin<para> && controller_plugin<graphene> && controller_plugin<activates_owed> &&
              controller_plugin<per_row_counting>);

} // namespace warpkit::dram
