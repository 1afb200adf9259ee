#pragma once
/// \file
/// The commands that a DRAM channel sends in a cycle.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/dram/device.hpp>
#include <warpkit/dram/recent_cycles.hpp>
#include <warpkit/dram/request.hpp>

#include <bit>
#include <cstdint>
#include <tuple>

namespace warpkit::dram {

/// The command bus in one cycle: what the scheduler sends goes to the device, the counters and the listeners.
template <class Channel, class Done, class... Listener>
struct command_sender {
    using commands = typename Channel::commands;
    static constexpr bool prefetches = Channel::prefetches;
    static constexpr bool closes_rows = Channel::closes_rows;
    using bank_set = typename Channel::bank_set;

    Channel& self;
    cycle now;
    Done& done;
    std::tuple<Listener*...> listeners;
    std::uint64_t events = 0; ///< recent_cycles::event

    void activate(request const& r) {
        self.device_.activate(r.bank, r.row, now);
        self.prefetcher_.opened(r.bank, r.row);
        ++self.counters_.activates;
        events |= recent_cycles::activated;
        if constexpr (closes_rows) self.use_[r.bank] = {};
        say({command_kind::activate, r.bank, r.row, 0, now});
    }
    void precharge(unsigned bank) {
        say({command_kind::precharge, static_cast<std::uint16_t>(bank), self.device_.open_row(bank), 0, now});
        self.closed(bank);
        self.device_.precharge(bank, now);
        ++self.counters_.precharges;
        events |= recent_cycles::precharged;
    }
    /// Names the line that the prefetcher reads next from the open row of this bank. False if there is none.
    bool prefetch(unsigned bank, request& r) {
        if constexpr (prefetches) {
            auto& p = self.prefetcher_;
            auto const bit = bank_set{1} << bank;
            while ((p.wants() & bit) != 0) {
                r = {};
                r.bank = static_cast<std::uint16_t>(bank);
                r.row = self.device_.open_row(bank);
                r.column = p.next(bank);
                r.atoms = p.line_bytes() / self.numbers().atom_bytes();
                r.prefetch = true;
                bool resident = false;
                if constexpr (requires { done.resident(r); })
                    resident = p.skips_resident() && done.resident(r);
                if (!resident) {
                    p.read(bank);
                    return true;
                }
                p.skip(bank);
            }
        }
        return false;
    }
    void begins(bool first) {
        events |= recent_cycles::bank_began;
        if (self.begin_work(now, first)) events |= recent_cycles::busy_changed;
    }
    void ends(bool last) {
        events |= recent_cycles::bank_ended;
        if (self.end_work(now + 1, last)) events |= recent_cycles::busy_will_change;
    }
    void serves(bool row_hit) {
        ++self.counters_.requests_served;
        self.counters_.row_hits += row_hit;
        events |= recent_cycles::served | row_hit * recent_cycles::row_hit;
    }
    [[gnu::always_inline]] bool column(request const& r, std::uint32_t atom, bool keep_open = false) {
        auto& d = self.device_;
        auto const& t = d.numbers();
        bool const last = atom + 1U == r.atoms;
        bool const closes = self.ask_page_policy(r, last && !keep_open, now);
        if (r.write) {
            ++self.counters_.write_atoms;
            events |= recent_cycles::write_atom;
            d.write(r.bank, now, closes);
        } else {
            ++self.counters_.read_atoms;
            events |= recent_cycles::read_atom;
            d.read(r.bank, now, closes);
        }
        say({r.write ? command_kind::write : command_kind::read, r.bank, r.row,
             r.column + atom * t.atom_bytes(), now, closes});
        if constexpr (prefetches) {
            if (r.prefetch)
                ++self.prefetched_atoms_;
            else
                self.prefetcher_.accessed(r.bank, r.column + atom * t.atom_bytes(), r.write);
        }
        if (closes) self.prefetcher_.closed(r.bank);
        if (!last) return closes;
        auto const end = self.answers_.writes;
        if (r.write && end != write_end::data) {
            ++self.counters_.writes;
            events |= recent_cycles::write;
            if (end == write_end::command) Channel::tell(done, r, now);
        } else {
            self.transfer(r, now + self.data_after_[r.write], done);
        }
        return closes;
    }
    /// A read of the place that was read just now: done together with it.
    void shares(request const& r) {
        serves(true);
        self.transfer(r, self.last_end_, done);
    }
    /// Sends what the refresh that is due needs next; `spare` are banks that must not be closed yet.
    bool refresh(bank_set spare) {
        auto& d = self.device_;
        auto& timer = self.refresh_;
        if (now < d.row_bus_at()) return false;
        auto const banks = timer.banks(d);
        auto const order = timer.order();
        auto const open = banks & d.open();
        if (open == 0) {
            if (d.refresh_at(banks, order.of_rank()) > now) return false;
            d.refresh(banks, now, order.cycles, order.of_rank() ? 0 : d.numbers().rrefd);
            timer.done();
            ++self.counters_.refreshes;
            events |= recent_cycles::refreshed;
            say({order.what, static_cast<std::uint16_t>(lowest_bank(banks)), order.row, 0, now});
            return true;
        }
        if (commands::closes_together && order.of_rank()) {
            if ((open & spare) != 0 || d.precharge_all_at(banks) > now) return false;
            say({command_kind::precharge_all, static_cast<std::uint16_t>(lowest_bank(banks)), no_row, 0,
                 now});
            for (auto rest = open; rest != 0; rest &= rest - 1) self.closed(lowest_bank(rest));
            self.counters_.precharges += bank_count(open);
            d.precharge_all(order.unit, now);
            return true;
        }
        for (auto rest = open & ~spare; rest != 0; rest &= rest - 1) {
            auto const b = lowest_bank(rest);
            if (d.precharge_at(b) > now) continue;
            precharge(b);
            return true;
        }
        return false;
    }

private:
    void say(command const& c) {
        self.plugin_.on(c);
        std::apply([&](auto*... l) { notify(c, *l...); }, listeners);
    }
};

} // namespace warpkit::dram
