#pragma once
/// \file
/// The timing table as a list of rules: so many cycles lie between two commands within a bank, a bank group or a
/// pseudo-channel. Plain, and slow; device.hpp knows the same as gates that it looks up.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/dram/timing.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit::dram {

/// What the rules allow after the commands that were noted. An activate counts from its last cycle.
class timing_rules {
public:
    /// refresh: of a whole rank, whatever it is called; refresh_bank: of some of its banks.
    enum kind { activate, precharge, read, write, read_closing, write_closing, refresh, refresh_bank, kinds };

    timing_rules() = default;
    /// `one_bus`: row and column commands share the command bus.
    explicit timing_rules(timing const& t, bool one_bus = true)
        : t_((t.check(), t)),
          one_bus_(one_bus),
          rules_{{activate, activate, bank, t.rc},
                 {activate, activate, group, t.rrdl},
                 {activate, activate, part, t.rrd},
                 {activate, read, bank, t.rcd},
                 {activate, write, bank, t.rcdwr},
                 {activate, precharge, bank, t.ras},
                 {precharge, activate, bank, t.rp},
                 {precharge, precharge, part, t.ppd},
                 {read, read, group, t.ccdl},
                 {read, read, part, t.ccd},
                 {read, write, group, t.ccdl},
                 {read, write, part, larger(t.ccd, t.read_to_write())},
                 {read, precharge, bank, t.rtp},
                 {read, precharge, group, t.rtpl},
                 {write, write, group, t.write_to_write_in_group()},
                 {write, write, part, t.ccd},
                 {write, read, group, larger(t.ccdl, t.write_to_read_in_group())},
                 {write, read, part, larger(t.ccd, t.write_to_read())},
                 {write, precharge, bank, t.write_to_precharge()},
                 {read_closing, activate, bank, t.read_auto_to_activate()},
                 {write_closing, activate, bank, t.write_auto_to_activate()},
                 {refresh_bank, activate, part, t.rrefd}},
          held_until_(t.banks, 0),
          activates_(t.all_ranks()) {
        for (auto& of_kind : last_) {
            of_kind[bank].resize(t.banks, never);
            of_kind[group].resize(std::size_t{t.bank_groups} * t.all_ranks(), never);
            of_kind[part].resize(t.all_ranks(), never);
        }
    }

    /// Whether the command may come now, as far as other commands are concerned. A refresh is bound as an activate is:
    /// one of all banks by the rules within each bank.
    bool allows(kind k, std::uint32_t b, cycle now) const {
        bool const like_activate = k == activate || k == refresh || k == refresh_bank;
        auto const at = counts_from(k, now);
        if (like_activate && at < held_until_[b]) return false;
        if ((k == read || k == write) && !may_follow_others(k, b, now)) return false;
        for (auto const& r : rules_) {
            if (r.to != (like_activate ? activate : k) || (k == refresh && r.within != bank)) continue;
            if (r.within == group && r.cycles == 0) continue; // there is no such rule
            auto const& last = last_[r.from][r.within][place(r.within, b)];
            if (last != never && at < last + r.cycles) return false;
        }
        auto const& a = activates_[t_.rank_of(b)];
        auto const in_window = [&](std::uint32_t many, std::uint32_t cycles) {
            return cycles != 0 && a.size() >= many && at < a[a.size() - many] + cycles;
        };
        return !like_activate || k == refresh || (!in_window(4, t_.faw) && !in_window(32, t_.aw32));
    }
    /// `cycles`: of a refresh, until the bank may be activated.
    void note(kind k, std::uint32_t b, cycle now, std::uint32_t cycles = 0) {
        held_until_[b] = now + cycles > held_until_[b] ? now + cycles : held_until_[b];
        auto const at = counts_from(k, now);
        for (auto const within : {bank, group, part}) last_[k][within][place(within, b)] = at;
        if (k == read || k == write) {
            columns_free_ = at + 1;
            if (one_bus_ && t_.column_cycles > 1 && bus_free_ <= at) bus_free_ = at + 1;
        }
        if (k != activate) return;
        auto& activates = activates_[t_.rank_of(b)];
        if (activates.size() == 32) activates.erase(activates.begin());
        activates.push_back(at);
        bus_free_ = at + 1;
    }
    /// Whether the last command of several cycles has left the row bus.
    bool bus_is_free(cycle now) const { return now >= bus_free_; }
    friend bool operator==(timing_rules const&, timing_rules const&) = default;
    WARPKIT_STORED_MEMBERS(8)
    template <class F>
    constexpr void each_member(F&& f) const {
        for (auto const& of_kind : last_) f(of_kind[bank], of_kind[group], of_kind[part]);
        f(held_until_, activates_, bus_free_, columns_free_);
    }

private:
    enum scope { bank, group, part, scopes }; // part: a rank
    static constexpr std::uint32_t larger(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }
    struct rule {
        kind from, to;
        scope within;
        std::uint32_t cycles;
        friend bool operator==(rule const&, rule const&) = default;
    };
    std::size_t place(scope s, std::uint32_t b) const {
        return s == bank ? b : s == group ? t_.group_of(b) : t_.rank_of(b);
    }
    cycle counts_from(kind k, cycle now) const {
        auto const cycles = k == activate                   ? t_.act_cycles
                            : k < read || k > write_closing ? 1
                                                            : t_.column_cycles;
        return now + cycles - 1;
    }
    /// The bus of column commands, other ranks of the pseudo-channel, and other stacks.
    bool may_follow_others(kind k, std::uint32_t b, cycle now) const {
        if (t_.column_cycles > 1 && now < columns_free_) return false;
        auto const at = counts_from(k, now);
        auto const own = t_.rank_of(b);
        for (std::uint32_t r = 0; r < t_.all_ranks(); ++r) {
            if (r == own || r / t_.ranks != own / t_.ranks) continue;
            for (auto const before : {read, write}) {
                auto const last = last_[before][part][r];
                auto const cycles = t_.to_another_rank(before == write, k == write);
                if (last != never && at < last + cycles) return false;
            }
        }
        for (auto g = own * t_.bank_groups; k == read && t_.ccdr != 0 && g < (own + 1) * t_.bank_groups;
             ++g) {
            auto const last = last_[read][group][g];
            bool const other = t_.stack_of_group(g) != t_.stack_of_group(t_.group_of(b));
            if (other && last != never && at < last + t_.ccdr) return false;
        }
        return true;
    }

    timing t_;
    bool one_bus_ = true;
    std::vector<rule> rules_;
    std::vector<cycle> last_[kinds][scopes];
    std::vector<cycle> held_until_;             ///< by bank: refreshed
    std::vector<std::vector<cycle>> activates_; ///< by rank
    cycle bus_free_ = 0;                        ///< of row commands
    cycle columns_free_ = 0;
};

} // namespace warpkit::dram
