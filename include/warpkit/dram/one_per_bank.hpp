#pragma once
/// \file
/// GPGPU-Sim's controller: each bank holds one request, which a request scheduler chose, until it is served.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/flattened.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/dram/device.hpp>
#include <warpkit/dram/scheduler.hpp>

#include <bit>
#include <cstdint>
#include <string_view>

namespace warpkit::dram {

/// Makes a command scheduler of a request scheduler.
///
/// Each cycle, in this order: one queued request is handed to a free bank, banks taking turns; then commands are sent,
/// banks taking turns, a column command if the bank's row is open, an activate if it is closed, a precharge if another
/// row is open. A bank holds one request until its last column command.
/// Source: GPGPU-Sim's dram_t::cycle (docs/model/dram.md#cycle).
///
/// Differs from GPGPU-Sim: a row command does not disturb the round over the banks within its own cycle. Refresh is not
/// GPGPU-Sim's: banks under refresh get no request and no activate; those that are open finish theirs first.
template <request_scheduler Scheduler>
class one_per_bank {
    using bank_set = bank_set_of<Scheduler>;
    using device = basic_device<bank_set>;

public:
    static constexpr char const* name() noexcept { return Scheduler::name(); }
    static constexpr bool closes_together = false;
    static constexpr bool answers_at_once = false;
    static constexpr bool prefetches = true;
    static constexpr bool tells_work = true;
    static constexpr bool asks_who = warpkit::dram::asks_who<Scheduler>;

    one_per_bank() = default;
    one_per_bank(timing const& t, queue_sizes const& sizes, command_bus bus)
        : scheduler_(t.banks, sizes.reads),
          bus_(bus),
          banks_(t.banks),
          held_(t.banks) {}

    bool can_accept(bool) const noexcept { return scheduler_.can_accept(); }
    bool can_accept(request const&) const noexcept { return scheduler_.can_accept(); }
    WARPKIT_FLATTENED push_result push(request const& r, device const&) noexcept {
        scheduler_.push(r);
        return {false, (scheduler_.waiting() & ~holding_) != 0 ? 0 : never};
    }
    /// The cycle of the next push.
    void clock([[maybe_unused]] cycle now) noexcept {
        if constexpr (hears_clock<Scheduler>) scheduler_.clock(now);
    }
    bank_set serving() const noexcept { return holding_; }
    std::uint32_t working() const noexcept { return bank_count(holding_); }
    std::uint32_t queued() const noexcept { return scheduler_.size(); }
    bool empty() const noexcept { return holding_ == 0 && scheduler_.size() == 0; }
    bool has_row_hit(unsigned bank, std::uint32_t row) const noexcept {
        return scheduler_.has_row_hit(bank, row);
    }
    /// The queue.
    Scheduler const& queue() const noexcept { return scheduler_; }

    /// Hands over one request; in a cycle without any, one line of a prefetch.
    template <class Rules, class Bus>
    [[gnu::always_inline]] bool prepare(cycle now, device const& d, Rules const& rules, Bus&& bus) noexcept {
        if (auto const free = to_hand_over(d, rules); free != 0) {
            hand_over(free, now, d, rules, bus);
            return false;
        }
        if constexpr (Rules::none) {
            return false; // a request that is queued waits for its bank
        } else {
            for (auto idle = to_prefetch(d, rules); idle != 0;) {
                auto const b = next_bank(idle, turn_);
                idle &= ~(bank_set{1} << b);
                auto& h = held_[b];
                if (!bus.prefetch(b, h.what)) continue;
                h.sent = 0;
                bus.begins(holding_ == 0);
                hold(b, h.what, d, rules);
                break;
            }
            return true;
        }
    }
    /// The free banks with a request that they may have now. Demands to another row wait for a prefetcher that insists.
    template <class Rules>
    bank_set to_hand_over(device const& d, Rules const& rules) const noexcept {
        auto free = scheduler_.waiting() & ~holding_ & ~rules.refreshing;
        for (auto rest = free & rules.insisting; rest != 0; rest &= rest - 1) {
            auto const b = lowest_bank(rest);
            if (!scheduler_.has_row_hit(b, d.open_row(b))) free &= ~(bank_set{1} << b);
        }
        return free;
    }
    /// No command is legal before, where there are no rules.
    cycle commands_from() const noexcept { return row_from_ < column_from_ ? row_from_.at : column_from_.at; }
    /// Of banks that are free, and may have a request, the one whose turn it is gets it.
    template <class Rules, class Bus>
    [[gnu::always_inline]] void hand_over(bank_set free, cycle now, device const& d, Rules const& rules,
                                          Bus&& bus) noexcept {
        clock(now);
        auto const b = next_bank(free, turn_);
        turn_ = turn_ + 1 == banks_ ? 0 : turn_ + 1;
        auto& h = held_[b];
        h.what = scheduler_.take(b, d.open_row(b));
        h.sent = 0;
        bus.begins(holding_ == 0);
        bus.serves(hold(b, h.what, d, rules));
    }
    template <class Rules, class Bus>
    WARPKIT_FLATTENED bool schedule(cycle now, device const& d, Rules const& rules, Bus&& bus) {
        bool const row_bus = now >= row_from_ || any(rules);
        if (row_bus || now >= column_from_) send_any(now, d, rules, row_bus, bus);
        return false;
    }

    template <class Rules>
    cycle earliest(cycle now, device const& d, Rules const& rules) const noexcept {
        if (to_hand_over(d, rules) != 0 || to_prefetch(d, rules) != 0) return now + 1;
        auto const rows = any(rules) ? rows_from(d, rules) : row_from_.at;
        return rows < column_from_ ? rows : column_from_.at;
    }

    /// Where it is one of several, it becomes the one of this name.
    void choose(std::string_view wanted) requires requires(Scheduler& s) { s.choose(wanted); }
    { scheduler_.choose(wanted); }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.scheduler_);
    }
    void parameters_set() { tell_parameters_set(scheduler_); }
    WARPKIT_STORED_MEMBERS(12)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(scheduler_, bus_, turn_, held_, holding_, ahead_, column_[0], column_[1], activate_, precharge_);
    }
    friend bool operator==(one_per_bank const&, one_per_bank const&) = default;

private:
    static constexpr unsigned no_bank = most_banks<bank_set>;
    struct held_request {
        request what;           ///< meaningful while the bank holds it
        std::uint32_t sent = 0; ///< column commands
        template <class F>
        constexpr void each_member(F&& f) const {
            f(what, sent);
        }
        friend bool operator==(held_request const&, held_request const&) = default;
    };

    /// A cycle that follows from the rest of the state, and before which looking for a command is in vain.
    struct bound {
        cycle at = 0;
        operator cycle() const noexcept { return at; }
        void lower_to(cycle c) noexcept {
            if (c < at) at = c;
        }
        friend constexpr bool operator==(bound const&, bound const&) noexcept { return true; }
    };

    template <class Rules, class Bus>
    WARPKIT_FLATTENED void send_any(cycle now, device const& d, Rules const& rules, bool row_bus, Bus& bus) {
        if (rules.refreshing != 0 && bus.refresh(column_[0] | column_[1])) {
            auto const closed = precharge_ & ~d.open();
            precharge_ &= ~closed;
            activate_ |= closed;
            row_bus = false;
            row_from_.at = 0;
            if (bus_ != command_bus::dual) return;
        }
        auto const c = now >= column_from_ ? find_column(now, d, rules) : no_bank;
        bool const dual = bus_ == command_bus::dual;
        if (dual && c != no_bank) send_column(c, now, d, bus);
        if (row_bus && (c == no_bank || bus_ != command_bus::single)) {
            auto const r = find_row(now, d, rules);
            if (r != no_bank && (dual || c == no_bank || place_in_round(r) < place_in_round(c)))
                send_row(r, now, d, rules, bus);
        }
        if (!dual && c != no_bank) send_column(c, now, d, bus);
    }

    /// Whether its row is open.
    template <class Rules>
    [[gnu::always_inline]] bool hold(unsigned b, request const& r, device const& d, Rules const&) noexcept {
        auto const bit = bank_set{1} << b;
        holding_ |= bit;
        if constexpr (!Rules::none) ahead_ = r.prefetch ? ahead_ | bit : ahead_ & ~bit;
        auto const row = d.open_row(b);
        if (row == r.row) {
            column_[r.write] |= bit;
            if (d.column_floor(r.write) < column_from_) column_from_.lower_to(d.column_at(b, r.write));
            return true;
        }
        if (row == no_row) {
            activate_ |= bit;
            row_from_.lower_to(d.activate_at(b));
        } else {
            precharge_ |= bit;
            row_from_.lower_to(d.precharge_at(b));
        }
        return false;
    }
    template <class Rules>
    static bool any(Rules const& rules) noexcept {
        return (rules.refreshing | rules.closing) != 0;
    }
    /// The free banks whose open row nobody waits for, and which no other row's demand claims.
    template <class Rules>
    bank_set to_prefetch(device const& d, Rules const& rules) const noexcept {
        auto idle = rules.prefetching & d.open() & ~holding_ & ~rules.refreshing & ~rules.closing;
        for (auto rest = idle; rest != 0; rest &= rest - 1) {
            auto const b = lowest_bank(rest);
            auto const bit = bank_set{1} << b;
            if (scheduler_.has_row_hit(b, d.open_row(b)) ||
                ((scheduler_.waiting() & bit) != 0 && (rules.insisting & bit) == 0))
                idle &= ~bit;
        }
        return idle;
    }
    template <class Rules>
    bank_set to_close(device const& d, Rules const& rules) const noexcept {
        return (precharge_ | (rules.closing & d.open() & ~holding_)) & ~rules.refreshing;
    }
    /// Of `candidates`, which their pseudo-channels allow it, the first in the round that may have its command now,
    /// which is from at(bank) on; `next` falls to when the first of those can that were asked in vain.
    template <class At>
    [[gnu::always_inline]] unsigned first_ready(bank_set candidates, cycle now, cycle& next,
                                                At const& at) const noexcept {
        for (auto round = in_round(candidates, turn_); round != 0; round &= round - 1) {
            auto const b = first_of(round, turn_);
            auto const t = at(b);
            if (t <= now) return b;
            if (t < next) next = t;
        }
        return no_bank;
    }
    /// The first bank in the round that may have its column command now; where there is none, column_from_ moves on.
    template <class Rules>
    [[gnu::always_inline]] unsigned find_column(cycle now, device const& d, Rules const&) noexcept {
        if (now < d.row_bus_at() && bus_ != command_bus::dual) [[unlikely]] {
            column_from_.at = later(columns_floor(d), d.row_bus_at());
            return no_bank;
        }
        auto next = never;
        bank_set candidates = 0;
        if (column_[0] != 0) candidates = d.may_read(column_[0], now, next);
        if (column_[1] != 0) candidates |= d.may_write(column_[1], now, next);
        auto const at = [&](unsigned b) {
            return (column_[1] >> b & 1) != 0 ? d.own_write_at(b) : d.own_read_at(b);
        };
        auto b = first_ready(Rules::none ? candidates : candidates & ~ahead_, now, next, at);
        if constexpr (!Rules::none)
            if (b == no_bank) b = first_ready(candidates & ahead_, now, next, at);
        if (b == no_bank) column_from_.at = next;
        return b;
    }
    /// The same for row commands, and row_from_.
    template <class Rules>
    WARPKIT_FLATTENED unsigned find_row(cycle now, device const& d, Rules const& rules) noexcept {
        auto const close = to_close(d, rules);
        auto const open = activate_ & ~rules.refreshing;
        if (now < d.row_bus_at()) [[unlikely]] {
            row_from_.at = any(rules) ? 0 : rows_floor(d, open, close);
            return no_bank;
        }
        auto next = never;
        bank_set candidates = 0;
        if (open != 0) candidates = d.may_activate(open, now, next);
        if (close != 0) candidates |= d.may_precharge(close, now, next);
        auto const b = first_ready(candidates, now, next, [&](unsigned i) {
            return (close >> i & 1) != 0 ? d.own_precharge_at(i) : d.own_activate_at(i);
        });
        if (b == no_bank) row_from_.at = any(rules) ? 0 : next;
        return b;
    }
    /// No column command is legal before.
    cycle columns_floor(device const& d) const noexcept {
        auto at = never;
        if (column_[0] != 0) at = d.read_floor();
        if (column_[1] != 0 && d.write_floor() < at) at = d.write_floor();
        return at;
    }
    /// No activate of `open` and no precharge of `close` is.
    static cycle rows_floor(device const& d, bank_set open, bank_set close) noexcept {
        auto at = never;
        if (open != 0) at = d.activate_floor();
        if (close != 0 && d.precharge_floor() < at) at = d.precharge_floor();
        return at;
    }
    /// No row command is legal before.
    template <class Rules>
    cycle rows_from(device const& d, Rules const& rules) const noexcept {
        auto const e = device::earliest(activate_ & ~rules.refreshing, never, d.activate_floor(),
                                        [&](unsigned b) { return d.activate_at(b); });
        return device::earliest(to_close(d, rules), e, d.precharge_floor(),
                                [&](unsigned b) { return d.precharge_at(b); });
    }
    static cycle later(cycle a, cycle b) noexcept { return a > b ? a : b; }
    /// Its place in the round, as `in_round` has it.
    unsigned place_in_round(unsigned b) const noexcept { return (b - turn_) & (most_banks<bank_set> - 1); }

    template <class Bus>
    [[gnu::always_inline]] void send_column(unsigned b, cycle now, device const& d, Bus& bus) {
        auto& h = held_[b];
        auto const atom = h.sent++;
        if (h.sent == h.what.atoms) {
            auto const rest = ~(bank_set{1} << b);
            holding_ &= rest;
            column_[h.what.write] &= rest;
            if constexpr (hears_bank_ends<Scheduler>)
                if (!h.what.prefetch) {
                    clock(now);
                    scheduler_.ended(b);
                }
            bus.ends(holding_ == 0);
        }
        bus.column(h.what, atom);
        column_from_.at = later(columns_floor(d), now + 1);
    }
    template <class Rules, class Bus>
    WARPKIT_FLATTENED void send_row(unsigned b, cycle now, device const& d, Rules const& rules, Bus& bus) {
        auto const bit = bank_set{1} << b;
        turn_ = b + 1 == banks_ ? 0 : b + 1;
        if ((d.open() & bit) != 0) {
            bus.precharge(b);
            precharge_ &= ~bit;
            activate_ |= holding_ & bit;
        } else {
            bus.activate(held_[b].what);
            activate_ &= ~bit;
            bool const write = held_[b].what.write;
            column_[write] |= bit;
            column_from_.lower_to(d.column_at(b, write));
        }
        row_from_.at = any(rules) ? 0 : later(rows_floor(d, activate_, precharge_), now + 1);
    }

    Scheduler scheduler_;
    command_bus bus_ = command_bus::single_and_row;
    std::uint32_t banks_ = 0;
    std::uint32_t turn_ = 0; ///< the bank that is asked first
    heap_array<held_request> held_;
    bank_set holding_ = 0;    ///< banks that hold a request
    bank_set ahead_ = 0;      ///< those that read ahead; demands have the column bus first
    bank_set column_[2] = {}; ///< held, and the row is open: those that read, and those that write
    bank_set activate_ = 0;   ///< held, and closed
    bank_set precharge_ = 0;  ///< held, and another row is open
    bound column_from_;       ///< of column commands
    bound row_from_;          ///< of row commands, as long as the channel has no rules for the cycle
};

} // namespace warpkit::dram
