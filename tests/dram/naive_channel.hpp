#pragma once
/// \file
/// The naive twin of a channel with FR-FCFS and open pages: every cycle is ticked, every counter counts down, every
/// bank and every queued request is looked at. Written from the rules of docs/model/dram.md.

#include <warpkit/base/cycle.hpp>
#include <warpkit/dram/channel.hpp>

#include <deque>
#include <optional>
#include <vector>

namespace warpkit::test {

class naive_channel {
public:
    naive_channel(dram::timing const& t, std::size_t capacity, dram::command_bus bus)
        : t_(t),
          capacity_(capacity),
          bus_(bus),
          bank_(t.banks),
          group_(t.bank_groups) {}

    bool can_accept(dram::request const&) const { return queue_.size() < capacity_; }
    void push(dram::request const& r) { queue_.push_back(r); }
    bool idle() const { return false; }
    cycle next_event(cycle now) const { return now + 1; }

    template <class Done, class... Listener>
    void tick(cycle now, Done done, Listener&... listener) {
        if (!flight_.empty() && flight_.front().first == now) {
            done(flight_.front().second);
            flight_.pop_front();
        }
        hand_over();
        std::vector<dram::command> commands;
        auto const turn = turn_;
        auto const bank_in_round = [&](unsigned i) { return (turn + i) % t_.banks; };
        auto const nowhere = t_.banks;
        unsigned column = 0; // places in the round
        while (column < nowhere && !column_possible(bank_in_round(column))) ++column;
        if (bus_ == dram::command_bus::dual && column < nowhere) {
            send_column(bank_in_round(column), now, commands);
            column = nowhere;
        }
        unsigned row = 0;
        while (row < nowhere && !row_possible(bank_in_round(row))) ++row;
        bool const alone = bus_ == dram::command_bus::single && column < nowhere;
        if (row < column && !alone) send_row(bank_in_round(row), now, commands);
        if (column < nowhere) send_column(bank_in_round(column), now, commands);
        for (auto const& c : commands) (listener.on(c), ...);
        count_down();
    }

private:
    struct bank_state {
        std::optional<dram::request> serving;
        unsigned left = 0;
        std::optional<std::uint32_t> row;
        unsigned rcd = 0, rcdwr = 0, ras = 0, rc = 0, rp = 0, wtp = 0, rtp = 0;
    };
    struct group_state {
        unsigned ccdl = 0, rtpl = 0;
    };

    group_state& group(unsigned b) { return group_[t_.group_of(b)]; }

    void hand_over() {
        for (unsigned i = 0; i < t_.banks; ++i) {
            auto const b = (turn_ + i) % t_.banks;
            if (bank_[b].serving) continue;
            auto choice = queue_.end();
            for (auto q = queue_.begin(); q != queue_.end() && choice == queue_.end(); ++q)
                if (q->bank == b && bank_[b].row == q->row) choice = q;
            for (auto q = queue_.begin(); q != queue_.end() && choice == queue_.end(); ++q)
                if (q->bank == b) choice = q;
            if (choice == queue_.end()) continue;
            bank_[b].serving = *choice;
            bank_[b].left = choice->atoms;
            queue_.erase(choice);
            turn_ = (turn_ + 1) % t_.banks;
            return;
        }
    }
    bool column_possible(unsigned b) {
        auto const& k = bank_[b];
        if (!k.serving || k.row != k.serving->row || ccd_ != 0 || group(b).ccdl != 0) return false;
        return k.serving->write ? k.rcdwr == 0 && rtw_ == 0 : k.rcd == 0 && wtr_ == 0;
    }
    bool row_possible(unsigned b) {
        auto const& k = bank_[b];
        if (!k.serving) return false;
        if (!k.row) return rrd_ == 0 && k.rp == 0 && k.rc == 0;
        return k.row != k.serving->row && k.ras == 0 && k.wtp == 0 && k.rtp == 0 && group(b).rtpl == 0;
    }
    void send_column(unsigned b, cycle now, std::vector<dram::command>& commands) {
        auto& k = bank_[b];
        auto const r = *k.serving;
        auto const burst = t_.burst_length / t_.data_rate;
        commands.push_back({r.write ? dram::command_kind::write : dram::command_kind::read, r.bank, r.row,
                            r.column + (r.atoms - k.left) * t_.burst_length * t_.bus_bytes, now});
        ccd_ = t_.ccd;
        group(b).ccdl = t_.ccdl;
        if (r.write) {
            wtr_ = t_.wl + burst + t_.cdlr;
            k.wtp = t_.wl + burst + t_.wr;
        } else {
            rtw_ = t_.cl + burst + 2 - t_.wl;
            k.rtp = t_.rtp;
            group(b).rtpl = t_.rtpl;
        }
        if (--k.left != 0) return;
        flight_.push_back({now + (r.write ? t_.wl : t_.cl), r});
        k.serving.reset();
    }
    void send_row(unsigned b, cycle now, std::vector<dram::command>& commands) {
        auto& k = bank_[b];
        turn_ = (b + 1) % t_.banks;
        if (k.row) {
            commands.push_back(
                {dram::command_kind::precharge, static_cast<std::uint16_t>(b), *k.row, 0, now});
            k.row.reset();
            k.rp = t_.rp;
        } else {
            k.row = k.serving->row;
            commands.push_back({dram::command_kind::activate, static_cast<std::uint16_t>(b), *k.row, 0, now});
            rrd_ = t_.rrd;
            k.rcd = t_.rcd;
            k.rcdwr = t_.rcdwr;
            k.ras = t_.ras;
            k.rc = t_.rc;
        }
    }
    void count_down() {
        auto const down = [](auto&... counter) { ((counter -= counter != 0), ...); };
        down(ccd_, rrd_, wtr_, rtw_);
        for (auto& k : bank_) down(k.rcd, k.rcdwr, k.ras, k.rc, k.rp, k.wtp, k.rtp);
        for (auto& g : group_) down(g.ccdl, g.rtpl);
    }

    dram::timing t_;
    std::size_t capacity_;
    dram::command_bus bus_;
    std::vector<bank_state> bank_;
    std::vector<group_state> group_;
    std::deque<dram::request> queue_;
    std::deque<std::pair<cycle, dram::request>> flight_;
    unsigned turn_ = 0;
    unsigned ccd_ = 0, rrd_ = 0, wtr_ = 0, rtw_ = 0;
};

} // namespace warpkit::test
