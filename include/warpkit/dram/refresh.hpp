#pragma once
/// \file
/// When the banks must be refreshed, and the commands that this takes.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/timing.hpp>

#include <cstdint>

namespace warpkit::dram {

/// What a controller must send besides the requests: a refresh, or what a controller plug-in asks for. Its banks are
/// closed first.
struct refresh_order {
    command_kind what = command_kind::refresh; ///< refresh, refresh_bank and all behind it
    std::uint16_t unit =
        0; ///< the rank; of refresh_bank and refresh_victims the bank; of refresh_same_bank the rank
           ///< times the banks of a group, and the place in them
    std::uint32_t row = no_row; ///< of refresh_victims: the aggressor
    std::uint32_t cycles = 0;   ///< from the command to the next activate of its banks

    /// All banks of a rank.
    constexpr bool of_rank() const noexcept {
        return what == command_kind::refresh || what == command_kind::refresh_management;
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(what, unit, row, cycles);
    }
    friend bool operator==(refresh_order const&, refresh_order const&) = default;
};

/// The banks that it takes.
template <class Device>
auto banks_of(refresh_order const& o, Device const& d) noexcept {
    using set = decltype(d.open());
    if (o.of_rank()) return d.banks_of(o.unit);
    if (o.what != command_kind::refresh_same_bank) return set{1} << o.unit;
    auto const& t = d.numbers();
    auto const places = t.banks_per_rank() / t.bank_groups;
    auto const first = o.unit / places * t.banks_per_rank();
    auto const place = o.unit % places;
    set s = 0;
    for (std::uint32_t g = 0; g < t.bank_groups; ++g)
        s |= set{1} << (first + (t.groups_by_low_bits ? place * t.bank_groups + g : g * places + place));
    return s;
}

/// The interval of refresh at a temperature: half of it above 85 degrees Celsius, a quarter above 95.
/// Source: JESD79-4B 4.26 and JESD79-5C 4.13 (tREFI to 85 degrees and to 95), JESD209-4D table 33 (MR4: 0.5 and 0.25 x
/// tREFI). Differs from them in that LPDDR's thresholds are the vendor's: its MR4 tells the multiple, not the degrees.
constexpr std::uint32_t refresh_interval(std::uint32_t standard, int celsius) noexcept {
    return celsius <= 85 ? standard : celsius <= 95 ? standard / 2 : standard / 4;
}

/// Refresh as the timing table asks for it: every `refi` cycles all banks of each rank, one rank behind the other, or
/// every `refipb` cycles the next bank, or the next of each group where `same_bank` says so. Off while both are 0.
/// Behind them wait the orders of controller plug-ins.
///
/// A refresh that is due waits for its banks to close and is never dropped or put off otherwise. How its banks are
/// closed and what else may go on meanwhile is the scheduler's (`command_scheduler`).
class refresh_timer {
public:
    refresh_timer() = default;
    explicit refresh_timer(timing const& t, bool asked_for = false)
        : period_(t.refi != 0 ? t.refi : t.refipb),
          next_(period_ == 0 ? never : period_),
          units_(t.refi != 0        ? t.all_ranks()
                 : t.same_bank != 0 ? t.banks / t.bank_groups
                                    : t.banks),
          what_{t.refi != 0        ? command_kind::refresh
                : t.same_bank != 0 ? command_kind::refresh_same_bank
                                   : command_kind::refresh_bank,
                0, no_row, t.refi != 0 ? t.rfc : t.rfcpb},
          due_(period_ == 0 && !asked_for ? 0 : 64),
          quiet_until_(next_) {}

    /// Learns that it is `now`: what has become due joins the queue.
    void advance(cycle now) noexcept {
        while (next_ <= now && !due_.full()) {
            do {
                due_.push(what_);
                what_.unit = what_.unit + 1U == units_ ? 0 : static_cast<std::uint16_t>(what_.unit + 1);
            } while (what_.what == command_kind::refresh && what_.unit != 0 && !due_.full());
            next_ += period_;
        }
        settle();
    }
    /// From now on the interval is `period`, at least 1: as the temperature asks for (`refresh_interval`). The one that
    /// runs ends by then, too. Nothing where there is no refresh.
    void every(std::uint32_t period, cycle now) noexcept {
        if (next_ == never) return;
        auto const began = next_ - period_;
        period_ = period;
        next_ = began + period > now ? began + period : now + 1;
        settle();
    }
    /// Whether an order has room.
    bool takes() const noexcept { return !due_.full(); }
    /// A controller plug-in asks for it; precondition: takes().
    void ask(refresh_order const& o) noexcept {
        due_.push(o);
        settle();
    }
    /// No refresh is due, nor becomes due at `now`.
    bool quiet(cycle now) const noexcept { return now < quiet_until_; }
    /// No refresh is due before.
    cycle quiet_until() const noexcept { return quiet_until_; }
    /// Whether some refresh is due and not done yet.
    bool pending() const noexcept { return !due_.empty(); }
    /// The one that is due; precondition: pending().
    refresh_order const& order() const noexcept { return due_.front(); }
    /// The banks that it takes; none if none is due.
    template <class Device>
    auto banks(Device const& d) const noexcept {
        return pending() ? banks_of(order(), d) : decltype(d.open()){};
    }
    /// The refresh that was due has been sent.
    void done() noexcept {
        due_.pop();
        settle();
    }
    /// The cycle in which the next becomes due.
    cycle next() const noexcept { return next_; }

    WARPKIT_STORED_MEMBERS(6)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(period_, next_, units_, what_, due_);
    }
    friend bool operator==(refresh_timer const&, refresh_timer const&) = default;

private:
    void settle() noexcept { quiet_until_ = due_.empty() ? next_ : 0; }

    std::uint32_t period_ = 0;
    cycle next_ = never;
    std::uint32_t units_ = 0;
    refresh_order what_; ///< the next
    ring<refresh_order> due_;
    cycle quiet_until_ = never;
};

} // namespace warpkit::dram
