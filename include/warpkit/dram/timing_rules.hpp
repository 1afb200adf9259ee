#pragma once
/// \file
/// The timing table as a list of rules: so many cycles lie between two commands within a bank, a bank group or a
/// pseudo-channel. Plain, and slow; device.hpp knows the same as gates that it looks up.

#include <warpkit/base/cycle.hpp>
#include <warpkit/dram/timing.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit::dram {

/// What the rules allow after the commands that were noted. An activate counts from its last cycle.
class timing_rules {
public:
    enum kind { activate, precharge, read, write, read_closing, write_closing, refresh, refresh_bank, kinds };

    timing_rules() = default;
    explicit timing_rules(timing const& t)
        : t_((t.check(), t)),
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
                 {write, write, group, t.ccdl},
                 {write, write, part, t.ccd},
                 {write, read, group, larger(t.ccdl, t.write_to_read_in_group())},
                 {write, read, part, larger(t.ccd, t.write_to_read())},
                 {write, precharge, bank, t.write_to_precharge()},
                 {read_closing, activate, bank, t.read_auto_to_activate()},
                 {write_closing, activate, bank, t.write_auto_to_activate()},
                 {refresh, activate, bank, t.rfc},
                 {refresh_bank, activate, bank, t.rfcpb},
                 {refresh_bank, activate, part, t.rrefd}},
          activates_(t.pseudo_channels) {
        for (auto& of_kind : last_) {
            of_kind[bank].resize(t.banks, never);
            of_kind[group].resize(std::size_t{t.bank_groups} * t.pseudo_channels, never);
            of_kind[part].resize(t.pseudo_channels, never);
        }
    }

    /// Whether the command may come now, as far as other commands are concerned. A refresh is bound as an activate is:
    /// one of all banks by the rules within each bank.
    bool allows(kind k, std::uint32_t b, cycle now) const {
        bool const like_activate = k == activate || k == refresh || k == refresh_bank;
        auto const at = now + (k == activate ? t_.act_cycles - 1 : 0);
        for (auto const& r : rules_) {
            if (r.to != (like_activate ? activate : k) || (k == refresh && r.within != bank)) continue;
            auto const& last = last_[r.from][r.within][place(r.within, b)];
            if (last != never && at < last + r.cycles) return false;
        }
        auto const& a = activates_[t_.pseudo_channel_of(b)];
        auto const in_window = [&](std::uint32_t many, std::uint32_t cycles) {
            return cycles != 0 && a.size() >= many && at < a[a.size() - many] + cycles;
        };
        return !like_activate || k == refresh || (!in_window(4, t_.faw) && !in_window(32, t_.aw32));
    }
    void note(kind k, std::uint32_t b, cycle now) {
        auto const at = now + (k == activate ? t_.act_cycles - 1 : 0);
        for (auto const within : {bank, group, part}) last_[k][within][place(within, b)] = at;
        if (k != activate) return;
        auto& activates = activates_[t_.pseudo_channel_of(b)];
        if (activates.size() == 32) activates.erase(activates.begin());
        activates.push_back(at);
        bus_free_ = at + 1;
    }
    /// Whether the last activate has left the command bus.
    bool bus_is_free(cycle now) const { return now >= bus_free_; }
    friend bool operator==(timing_rules const&, timing_rules const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        for (auto const& of_kind : last_) f(of_kind[bank], of_kind[group], of_kind[part]);
        f(activates_, bus_free_);
    }

private:
    enum scope { bank, group, part, scopes }; // part: a pseudo-channel
    static constexpr std::uint32_t larger(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }
    struct rule {
        kind from, to;
        scope within;
        std::uint32_t cycles;
        friend bool operator==(rule const&, rule const&) = default;
    };
    std::size_t place(scope s, std::uint32_t b) const {
        return s == bank ? b : s == group ? t_.group_of(b) : t_.pseudo_channel_of(b);
    }

    timing t_;
    std::vector<rule> rules_;
    std::vector<cycle> last_[kinds][scopes];
    std::vector<std::vector<cycle>> activates_; ///< by pseudo-channel
    cycle bus_free_ = 0;
};

} // namespace warpkit::dram
