#pragma once
/// \file
/// A controller with a command queue for each bank, which take turns (DRAMsim3's kind).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/dram/device.hpp>
#include <warpkit/dram/order.hpp>
#include <warpkit/dram/request_pool.hpp>
#include <warpkit/dram/scheduler.hpp>

#include <bit>
#include <cstdint>
#include <vector>

namespace warpkit::dram {

/// Reads and writes wait in two queues of the channel; each cycle the oldest one whose bank has room moves into its
/// bank's queue, out of the queue that Drain names. The banks take turns, from the one behind the last that sent a
/// command; of a bank, the oldest request goes whose next command is ready and which may go on (Order). With a dual bus
/// a second command of the other kind, row or column, is sent if it is the very next that the turns offer.
///
/// A refresh that is due stops the queues of its banks and goes before all others. Reads of one place that wait
/// together are answered together; a read of a waiting write's place is answered from it; a second write of it is
/// dropped.
/// Source: DRAMsim3's controller and command queue, with head_closes<4> and batch_drain
/// (docs/model/peers.md#dramsim3-controller).
template <class Order = head_closes<4>, class Drain = batch_drain, class BankSet = bank_set>
class bank_queues {
    using bank_set = BankSet;
    using device = basic_device<bank_set>;
    using cycle_rules = basic_cycle_rules<bank_set>;
    using request_pool = basic_request_pool<bank_set>;

public:
    static constexpr char const* name() noexcept { return "bank_queues"; }
    static constexpr bool closes_together = false;
    static constexpr bool answers_at_once = true;
    static constexpr bool prefetches = false;
    static constexpr bool tells_work = false;

    bank_queues() = default;
    bank_queues(timing const& t, queue_sizes const& sizes, command_bus bus)
        : sizes_((check(sizes, t.banks), sizes)),
          dual_(bus == command_bus::dual),
          banks_(t.banks),
          turn_(t.banks - 1),
          front_(t.banks, sizes.reads + sizes.writes),
          back_(t.banks, t.banks * sizes.bank),
          bank_(t.banks),
          room_(t.banks == most_banks<bank_set> ? ~bank_set{0} : (bank_set{1} << t.banks) - 1),
          drain_(sizes.drain),
          left_(fill()) {
        together_.reserve(sizes.reads);
    }

    bool can_accept(bool write) const noexcept {
        return count_[write] < (write ? sizes_.writes : sizes_.reads) &&
               (write || together_.size() < sizes_.reads);
    }
    bool can_accept(request const& r) const noexcept { return can_accept(r.write); }
    push_result push(request const& r, device const&) noexcept {
        if (front_.same(r, true) != none || back_.same(r, true) != none) return {true, 0};
        if (!r.write && (front_.same(r, false) != none || back_.same(r, false) != none)) {
            together_.push_back(r);
            return {false, never};
        }
        front_.push(r, order_++, epoch_);
        ++count_[r.write];
        return {false, 0}; // what arrives behind the next cycle has come later
    }

    bank_set serving() const noexcept { return back_.any(); }
    std::uint32_t working() const noexcept { return working_; }
    std::uint32_t queued() const noexcept { return front_.size(); }
    bool empty() const noexcept { return front_.size() == 0 && back_.size() == 0; }
    bool has_row_hit(unsigned bank, std::uint32_t row) const noexcept {
        return back_.has(bank, row) || front_.has(bank, row);
    }

    template <class Bus>
    bool prepare(cycle now, device const&, cycle_rules const&, Bus&&) noexcept {
        ++epoch_;
        // The peer decides in each cycle which queue it serves, also in those that were skipped.
        if (now > next_) {
            bool const again = now > next_ + 1 || !reads_first_;
            reads_first_ = false;
            if (again) drain_.update(left_);
        }
        next_ = now + 1;
        return true;
    }
    template <class Bus>
    bool schedule(cycle now, device const& d, cycle_rules const& rules, Bus&& bus) {
        bool const row_bus =
            now >= d.row_bus_at(); // at the start of the cycle: the turns know of no second row command
        if (rules.refreshing != 0 && bus.refresh(0)) {
            for (unsigned b = 0; b < banks_; ++b)
                if (back_.row(b) != d.open_row(b)) back_.closed(b);
            if (dual_)
                if (auto const c = next_command(now, d, rules, row_bus); c.what == column) send(c, bus);
        } else if (auto const first = next_command(now, d, rules, row_bus); first.what != nothing) {
            send(first, bus);
            if (dual_)
                if (auto const second = next_command(now, d, rules, row_bus);
                    second.what != nothing && (second.what == column) != (first.what == column))
                    send(second, bus);
        }
        move_one();
        left_ = fill();
        return true;
    }

    cycle earliest(cycle now, device const& d, cycle_rules const& rules) const noexcept {
        auto const next = now + 1;
        auto drain = drain_;
        drain.update(fill());
        for (unsigned w = 0; w < 2; ++w)
            if ((reads_first_ || drain.serves(w != 0)) && (front_.any(w != 0) & room_) != 0) return next;
        auto const from = [&](cycle floor) { return floor > next ? floor : next; };
        auto const free = ~rules.refreshing;
        auto e = device::earliest(back_.hits(false) & free, never, from(d.read_floor()),
                                  [&](unsigned b) { return d.read_at(b); });
        e = device::earliest(back_.hits(true) & free, e, from(d.write_floor()),
                             [&](unsigned b) { return d.write_at(b); });
        auto const misses = back_.misses(false) | back_.misses(true);
        e = device::earliest(misses & ~d.open() & free, e, from(d.activate_floor()),
                             [&](unsigned b) { return d.activate_at(b); });
        return device::earliest(
            (misses | rules.closing) & d.open() & free, e, from(d.precharge_floor()), [&](unsigned b) {
                auto const at = d.precharge_at(b);
                return at >= e || (misses >> b & 1) == 0 || which_.may_close(view(b)) ? at : never;
            });
    }

    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.which_, self.drain_);
    }
    void parameters_set() { tell_parameters_set(which_, drain_); }
    WARPKIT_STORED_MEMBERS(19)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(which_, dual_, turn_, front_, back_, bank_, room_, drain_, reads_first_, count_[0], count_[1],
          together_, order_);
    }
    friend bool operator==(bank_queues const& a, bank_queues const& b) noexcept {
        return a.which_ == b.which_ && a.sizes_ == b.sizes_ && a.dual_ == b.dual_ && a.turn_ == b.turn_ &&
               a.front_ == b.front_ && a.back_ == b.back_ && a.bank_ == b.bank_ && a.room_ == b.room_ &&
               a.drain_ == b.drain_ && a.reads_first_ == b.reads_first_ && a.count_[0] == b.count_[0] &&
               a.count_[1] == b.count_[1] && a.together_ == b.together_;
    }

private:
    using index = typename request_pool::index;
    static constexpr index none = request_pool::none;
    enum kind : std::uint8_t { nothing, close_row, open_row, column };
    struct choice {
        kind what = nothing;
        unsigned bank = 0;
        index request = none;
    };
    struct bank_state {
        std::uint32_t waiting = 0; ///< requests in its queue
        std::uint32_t columns = 0; ///< column commands since its row was opened
        std::uint32_t passed = 0;  ///< of these, the ones that passed an older request to another row
        template <class F>
        constexpr void each_member(F&& f) const {
            f(waiting, columns, passed);
        }
        friend bool operator==(bank_state const&, bank_state const&) = default;
    };

    static void check(queue_sizes const& sizes, std::uint32_t banks) {
        check("reads", sizes.reads, (request_pool::max_capacity - 1) / 2);
        check("writes", sizes.writes, (request_pool::max_capacity - 1) / 2);
        check("bank", sizes.bank, (request_pool::max_capacity - 1) / banks);
    }
    static void check(char const* queue, std::uint32_t size, std::uint32_t most) {
        if (size == 0 || size > most)
            raise_error(
                error(std::string("dram scheduler bank_queues: ") + queue + " = " + std::to_string(size) +
                      " is not possible; nearest legal value: " + std::to_string(size == 0 ? 1 : most)));
    }
    queue_fill fill() const noexcept { return {count_[0], count_[1], sizes_.writes, back_.size() == 0}; }
    index oldest_hit(unsigned b) const noexcept {
        return back_.older(back_.hit(b, false), back_.hit(b, true));
    }
    index oldest_miss(unsigned b) const noexcept {
        return back_.older(back_.miss(b, false), back_.miss(b, true));
    }
    bank_view view(unsigned b) const noexcept {
        auto v = view_of(back_, oldest_hit(b), oldest_miss(b));
        v.columns = bank_[b].columns;
        v.passed = bank_[b].passed;
        return v;
    }

    /// The next command that the turns offer; the turn has passed to its bank.
    choice next_command(cycle now, device const& d, cycle_rules const& rules, bool row_bus) noexcept {
        auto const misses = back_.misses(false) | back_.misses(true);
        if (!dual_ && !row_bus) return {};
        auto rest = d.may_read(back_.hits(false), now) | d.may_write(back_.hits(true), now);
        if (row_bus)
            rest |= d.may_activate(misses & ~d.open(), now) |
                    d.may_precharge((misses | rules.closing) & d.open(), now);
        rest &= ~rules.refreshing;
        auto const first = turn_ + 1 == banks_ ? 0 : turn_ + 1;
        for (auto round = in_round(rest, first); round != 0; round &= round - 1) {
            auto const b = first_of(round, first);
            if (auto const c = of_bank(b, now, d, rules, row_bus); c.what != nothing) {
                turn_ = b;
                return c;
            }
        }
        return {};
    }
    choice of_bank(unsigned b, cycle now, device const& d, cycle_rules const& rules,
                   bool row_bus) const noexcept {
        auto const bit = bank_set{1} << b;
        auto const miss = oldest_miss(b);
        if ((d.open() & bit) == 0) {
            if (miss == none || !row_bus || d.activate_at(b) > now) return {};
            return {open_row, b, miss};
        }
        bool const ready = row_bus && d.precharge_at(b) <= now;
        auto best = none;
        if (auto const r = back_.hit(b, false); r != none && d.read_at(b) <= now) best = r;
        if (auto const w = back_.hit(b, true); w != none && d.write_at(b) <= now) best = back_.older(best, w);
        if (!ready && best == none) return {};
        auto const v = view(b);
        if (best != none && !which_.may_hit(v)) best = none;
        if (miss != none && ready && which_.may_close(v) && back_.older(best, miss) == miss)
            return {close_row, b, miss};
        if (best != none) return {column, b, best};
        if (ready && (rules.closing & bit) != 0 && !v.has_hit) return {close_row, b, none};
        return {};
    }
    template <class Bus>
    void send(choice const& c, Bus& bus) {
        auto const b = c.bank;
        if (c.request != none && !back_[c.request].served) {
            back_[c.request].served = true;
            bus.serves(c.what == column);
        }
        if (c.what == close_row) {
            back_.closed(b);
            bus.precharge(b);
        } else if (c.what == open_row) {
            auto const r = back_[c.request].what;
            back_.opened(b, r.row);
            bank_[b].columns = bank_[b].passed = 0;
            bus.activate(r);
        } else {
            auto& e = back_[c.request];
            auto const r = e.what;
            auto const atom = e.sent++;
            ++bank_[b].columns;
            if (auto const m = oldest_miss(b); m != none) bank_[b].passed += back_[m].order < e.order;
            bool const last = e.sent == r.atoms;
            if (last) {
                back_.remove(c.request);
                working_ -= --bank_[b].waiting == 0;
                room_ |= bank_set{1} << b;
            }
            if (bus.column(r, atom)) back_.closed(b);
            if (last && !r.write && !together_.empty()) answer_together(r, bus);
        }
    }
    /// The reads that waited for the same place as `r` are answered with it.
    template <class Bus>
    void answer_together(request const& r, Bus& bus) {
        std::size_t kept = 0;
        for (auto const& t : together_) {
            if (t.bank == r.bank && t.row == r.row && t.column == r.column)
                bus.shares(t);
            else
                together_[kept++] = t;
        }
        together_.resize(kept);
    }
    void move_one() noexcept {
        bool const reads_first = reads_first_;
        reads_first_ = false;
        if (!reads_first) drain_.update(fill());
        auto best = none;
        for (unsigned w = 0; w < 2; ++w) {
            if (reads_first ? w != 0 : !drain_.serves(w != 0)) continue;
            for (auto rest = front_.any(w != 0) & room_; rest != 0; rest &= rest - 1)
                best = front_.older(best, front_.oldest(lowest_bank(rest), w != 0));
        }
        if (best == none) return;
        auto const e = front_[best];
        auto const b = e.what.bank;
        if (e.what.write && (front_.same(e.what, false) != none || back_.same(e.what, false) != none)) {
            drain_.give_up(); // an older read of this place goes first
            reads_first_ = front_.same(e.what, false) != none;
            return;
        }
        front_.remove(best);
        --count_[e.what.write];
        drain_.sent(e.what.write);
        back_.push(e.what, queued_++, e.arrived);
        working_ += bank_[b].waiting == 0;
        if (++bank_[b].waiting == sizes_.bank) room_ &= ~(bank_set{1} << b);
    }

    queue_sizes sizes_;
    bool dual_ = false;
    std::uint32_t banks_ = 0;
    std::uint32_t turn_ = 0; ///< the bank that was served last
    request_pool front_;
    request_pool back_;
    std::vector<bank_state> bank_;
    std::uint32_t working_ = 0; ///< banks with requests in their queues
    bank_set room_ = 0;         ///< banks whose queue is not full
    [[no_unique_address]] Order which_;
    Drain drain_;
    bool reads_first_ = false;      ///< in the next cycle, whatever Drain says
    std::uint32_t count_[2] = {};   ///< reads and writes in front
    std::vector<request> together_; ///< reads that wait for another one of the same place
    std::uint64_t order_ = 0;
    std::uint64_t queued_ = 0; ///< order in the banks' queues
    std::uint64_t epoch_ = 0;
    cycle next_ = 1;  ///< behind the last tick; ticks count from 0 or from 1
    queue_fill left_; ///< as that left it
};

} // namespace warpkit::dram
