#pragma once
/// \file
/// Refresh management by rolling counts of activates (DDR5's RAA).

#include <warpkit/base/error.hpp>
#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/dram/victim_refresh.hpp>

#include <cstdint>

namespace warpkit::dram {

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
    WARPKIT_STORED_MEMBERS(5)
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

static_assert(controller_plugin<activates_owed>);

} // namespace warpkit::dram
