#pragma once
/// \file
/// A controller that chooses each command among all queued requests (Ramulator's kind).

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

/// One queue of reads and one of writes for the whole channel; Order says which request goes on, Drain which queue is
/// served.
///
/// A request whose row was opened for it leaves its queue, so that another may come, and is served before all others:
/// its row is not closed before. Each cycle one command is sent, with a dual bus one column and one row command;
/// requests with an open row first, then a refresh that is due, then the queue that Drain names, oldest ready first
/// (Order). While a refresh is due only opened requests are served. A read of a queued write's place is answered from
/// it; a second write of one place is dropped.
/// Source: Ramulator 2.1's GenericDDR and HBM12 controllers (docs/model/peers.md#ramulator-controller).
template <class Order, class Drain = watermark_drain, class BankSet = bank_set>
class shared_queue {
    using bank_set = BankSet;
    using device = basic_device<bank_set>;
    using cycle_rules = basic_cycle_rules<bank_set>;
    using request_pool = basic_request_pool<bank_set>;

public:
    static constexpr char const* name() noexcept { return Order::name(); }
    static constexpr bool closes_together = true;
    static constexpr bool answers_at_once = true;
    static constexpr bool prefetches = false;
    static constexpr bool tells_work = false;

    shared_queue() = default;
    shared_queue(timing const& t, queue_sizes const& sizes, command_bus bus)
        : sizes_((check("reads", sizes.reads), check("writes", sizes.writes), sizes)),
          dual_(bus == command_bus::dual),
          pool_(t.banks, sizes.reads + sizes.writes),
          opened_(t.banks),
          columns_(t.banks),
          drain_(sizes.drain),
          left_(fill()) {}

    bool can_accept(bool write) const noexcept {
        return count_[write] < (write ? sizes_.writes : sizes_.reads);
    }
    /// A request that needs no place in a queue is taken even if that is full.
    bool can_accept(request const& r) const noexcept {
        return can_accept(r.write) || pool_.same(r, true) != none;
    }
    /// It is looked at in the next cycle: what arrives behind that has come later, and Drain decides in each cycle.
    push_result push(request const& r, device const&) noexcept {
        if (pool_.same(r, true) != request_pool::none) return {true, 0};
        pool_.push(r, order_++, epoch_);
        ++count_[r.write];
        return {false, 0};
    }

    bank_set serving() const noexcept { return active_ | pool_.any(); }
    std::uint32_t working() const noexcept { return bank_count(serving()); }
    std::uint32_t queued() const noexcept { return pool_.size(); }
    bool empty() const noexcept { return active_ == 0 && pool_.size() == 0; }
    bool has_row_hit(unsigned bank, std::uint32_t row) const noexcept { return pool_.has(bank, row); }

    template <class Bus>
    bool prepare(cycle now, device const& d, cycle_rules const&, Bus&&) noexcept {
        ++epoch_;
        // The peer decides in each cycle that it has the bus which queue it serves, also in those that were skipped.
        if (now > next_ && (dual_ || now > d.row_bus_at())) drain_.update(left_);
        next_ = now + 1;
        return true;
    }
    template <class Bus>
    bool schedule(cycle now, device const& d, cycle_rules const& rules, Bus&& bus) {
        bool const refreshing = rules.refreshing != 0;
        if (dual_) {
            if (!send_opened(now, d, bus) && !refreshing) send_column(choose_column(now, d), now, d, bus);
            if (refreshing)
                refresh(d, bus);
            else
                send_row(choose_row(now, d), d, rules, now, bus);
        } else if (now >= d.row_bus_at() && !send_opened(now, d, bus)) {
            if (refreshing)
                refresh(d, bus);
            else
                send_any(now, d, rules, bus);
        }
        left_ = fill();
        return true;
    }

    cycle earliest(cycle now, device const& d, cycle_rules const& rules) const noexcept {
        auto const next = now + 1;
        auto const from = [&](cycle floor) { return floor > next ? floor : next; };
        auto e = device::earliest(active_, never, next,
                                  [&](unsigned b) { return d.column_at(b, opened_[b].what.write); });
        auto drain = drain_;
        drain.update(fill());
        bank_set misses = 0;
        if (drain.serves(false)) {
            e = device::earliest(pool_.hits(false), e, from(d.read_floor()),
                                 [&](unsigned b) { return d.read_at(b); });
            misses |= pool_.misses(false);
        }
        if (drain.serves(true)) {
            e = device::earliest(pool_.hits(true), e, from(d.write_floor()),
                                 [&](unsigned b) { return d.write_at(b); });
            misses |= pool_.misses(true);
        }
        e = device::earliest(misses & ~d.open(), e, from(d.activate_floor()),
                             [&](unsigned b) { return d.activate_at(b); });
        return device::earliest(((misses & ~active_) | to_close(rules)) & d.open(), e,
                                from(d.precharge_floor()), [&](unsigned b) { return d.precharge_at(b); });
    }

    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.which_, self.drain_);
    }
    void parameters_set() { tell_parameters_set(which_, drain_); }
    WARPKIT_STORED_MEMBERS(13)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(which_, dual_, pool_, opened_, columns_, drain_, count_[0], count_[1], active_);
    }
    friend bool operator==(shared_queue const& a, shared_queue const& b) noexcept {
        return a.which_ == b.which_ && a.sizes_ == b.sizes_ && a.dual_ == b.dual_ && a.pool_ == b.pool_ &&
               a.opened_ == b.opened_ && a.columns_ == b.columns_ && a.drain_ == b.drain_ &&
               a.count_[0] == b.count_[0] && a.count_[1] == b.count_[1] && a.active_ == b.active_;
    }

private:
    using index = typename request_pool::index;
    static constexpr index none = request_pool::none;
    using entry = typename request_pool::entry;

    /// The column commands of a bank since its row was opened.
    struct column_counts {
        std::uint32_t all = 0;
        std::uint32_t passed = 0; ///< an older request to another row waited
        template <class F>
        constexpr void each_member(F&& f) const {
            f(all, passed);
        }
        friend bool operator==(column_counts const&, column_counts const&) = default;
    };

    static void check(char const* queue, std::uint32_t size) {
        if (size == 0 || size >= request_pool::max_capacity / 2)
            raise_error(error(std::string("dram scheduler shared_queue: ") + queue + " = " +
                              std::to_string(size) + " is not possible; nearest legal value: " +
                              std::to_string(size == 0 ? 1 : request_pool::max_capacity / 2 - 1)));
    }
    queue_fill fill() const noexcept { return {count_[0], count_[1], sizes_.writes, active_ == 0}; }
    bank_set to_close(cycle_rules const& rules) const noexcept {
        return rules.closing & ~active_ & ~pool_.hits(false) & ~pool_.hits(true);
    }
    index oldest_hit(unsigned b) const noexcept {
        return pool_.older(drain_.serves(false) ? pool_.hit(b, false) : none,
                           drain_.serves(true) ? pool_.hit(b, true) : none);
    }
    index oldest_miss(unsigned b) const noexcept {
        return pool_.older(drain_.serves(false) ? pool_.miss(b, false) : none,
                           drain_.serves(true) ? pool_.miss(b, true) : none);
    }
    bank_view view(unsigned b) const noexcept {
        auto v = view_of(pool_, oldest_hit(b), oldest_miss(b));
        v.columns = columns_[b].all;
        v.passed = columns_[b].passed;
        return v;
    }
    /// With a strict order, the only request that may do anything.
    index only() const noexcept {
        auto first = none;
        for (auto rest = pool_.any(); rest != 0; rest &= rest - 1) {
            auto const b = lowest_bank(rest);
            if (drain_.serves(false)) first = pool_.older(first, pool_.oldest(b, false));
            if (drain_.serves(true)) first = pool_.older(first, pool_.oldest(b, true));
        }
        return first;
    }

    /// The oldest hit that may be served and is ready.
    index choose_column(cycle now, device const& d) noexcept {
        drain_.update(fill());
        auto best = none;
        auto const limit = Order::strict ? only() : none;
        for (unsigned w = 0; w < 2; ++w) {
            bool const write = w != 0;
            auto rest = pool_.hits(write);
            if (rest == 0 || !drain_.serves(write)) continue;
            rest = write ? d.may_write(rest, now) : d.may_read(rest, now);
            for (; rest != 0; rest &= rest - 1) {
                auto const b = lowest_bank(rest);
                auto const i = pool_.hit(b, write);
                if (best != none && pool_[best].order < pool_[i].order) continue;
                if (d.column_at(b, write) > now || (Order::strict && i != limit) || !which_.may_hit(view(b)))
                    continue;
                best = i;
            }
        }
        return best;
    }
    /// The oldest request that needs a row command, may have it and is ready.
    index choose_row(cycle now, device const& d) noexcept {
        drain_.update(fill());
        if (now < d.row_bus_at()) return none;
        bank_set misses = 0;
        for (unsigned w = 0; w < 2; ++w)
            if (drain_.serves(w != 0)) misses |= pool_.misses(w != 0);
        auto best = none;
        auto const limit = Order::strict ? only() : none;
        auto const consider = [&](bank_set rest, auto ready) {
            for (; rest != 0; rest &= rest - 1) {
                auto const b = lowest_bank(rest);
                auto const i = oldest_miss(b);
                if (best != none && pool_[best].order < pool_[i].order) continue;
                if (Order::strict && i != limit) continue;
                if (ready(b)) best = i;
            }
        };
        consider(d.may_activate(misses & ~d.open(), now),
                 [&](unsigned b) { return d.activate_at(b) <= now; });
        consider(d.may_precharge(misses & d.open() & ~active_, now),
                 [&](unsigned b) { return d.precharge_at(b) <= now && which_.may_close(view(b)); });
        return best;
    }

    template <class Bus>
    bool send_opened(cycle now, device const& d, Bus& bus) {
        auto best = no_bank;
        for (auto rest = active_; rest != 0; rest &= rest - 1) {
            auto const b = lowest_bank(rest);
            auto const& e = opened_[b];
            if (d.column_at(b, e.what.write) > now) continue;
            if (best == no_bank || e.arrived < opened_[best].arrived ||
                (e.arrived == opened_[best].arrived && e.order < opened_[best].order))
                best = b;
        }
        if (best == no_bank) return false;
        auto& e = opened_[best];
        auto const r = e.what;
        auto const atom = e.sent++;
        if (e.sent == r.atoms) {
            active_ &= ~(bank_set{1} << best);
            e = {};
        }
        ++columns_[best].all;
        if (bus.column(r, atom)) pool_.closed(best);
        return true;
    }
    template <class Bus>
    bool send_column(index i, cycle, device const&, Bus& bus) {
        if (i == none) return false;
        auto& e = pool_[i];
        auto const r = e.what;
        auto const atom = e.sent++;
        if (!e.served) bus.serves(true);
        e.served = true;
        auto& c = columns_[r.bank];
        ++c.all;
        if (auto const m = oldest_miss(r.bank); m != none) c.passed += pool_[m].order < e.order;
        if (e.sent == r.atoms) {
            pool_.remove(i);
            --count_[r.write];
            drain_.sent(r.write);
        }
        if (bus.column(r, atom, (active_ >> r.bank & 1) != 0)) pool_.closed(r.bank);
        return true;
    }
    template <class Bus>
    void send_row(index i, device const& d, cycle_rules const& rules, cycle now, Bus& bus) {
        if (i == none) {
            if (now < d.row_bus_at()) return;
            for (auto rest = to_close(rules) & d.open(); rest != 0; rest &= rest - 1) {
                auto const b = lowest_bank(rest);
                if (d.precharge_at(b) > now) continue;
                pool_.closed(b);
                bus.precharge(b);
                return;
            }
            return;
        }
        auto& e = pool_[i];
        if (!e.served) bus.serves(false);
        e.served = true;
        auto const r = e.what;
        if (d.open_row(r.bank) != no_row) {
            pool_.closed(r.bank);
            bus.precharge(r.bank);
            return;
        }
        auto& o = opened_[r.bank];
        o = e;
        o.order = order_++; // among requests that arrived together, the one whose row was opened first
        o.next = o.previous = none;
        active_ |= bank_set{1} << r.bank;
        columns_[r.bank] = {};
        pool_.remove(i);
        --count_[r.write];
        drain_.sent(r.write);
        pool_.opened(r.bank, r.row);
        bus.activate(r);
    }
    template <class Bus>
    void send_any(cycle now, device const& d, cycle_rules const& rules, Bus& bus) {
        auto const c = choose_column(now, d);
        auto const r = choose_row(now, d);
        if (c != none && (Order::columns_first || pool_.older(c, r) == c))
            send_column(c, now, d, bus);
        else
            send_row(r, d, rules, now, bus);
    }
    template <class Bus>
    void refresh(device const& d, Bus& bus) {
        auto const open = d.open();
        if (!bus.refresh(active_)) return;
        for (auto rest = open & ~d.open(); rest != 0; rest &= rest - 1) pool_.closed(lowest_bank(rest));
    }

    static constexpr unsigned no_bank = most_banks<bank_set>;

    queue_sizes sizes_;
    bool dual_ = false;
    request_pool pool_;
    std::vector<entry> opened_; ///< by bank: the request for which its row was opened, while it is in active_
    std::vector<column_counts> columns_;
    [[no_unique_address]] Order which_;
    Drain drain_;
    std::uint32_t count_[2] = {}; ///< queued reads and writes
    bank_set active_ = 0;
    std::uint64_t order_ = 0;
    std::uint64_t epoch_ = 0; ///< of arrivals: ticks so far
    cycle next_ = 1;          ///< behind the last tick; ticks count from 0 or from 1
    queue_fill left_;         ///< as that left it
};

} // namespace warpkit::dram
