#pragma once
/// \file
/// The independent protocol checker: reads the command stream of one channel and knows the timing table, nothing else.
/// It keeps the whole recent past and compares each command with every earlier one that a rule speaks of. Slow and plain.

#include <warpkit/dram/request.hpp>
#include <warpkit/dram/timing.hpp>

#include <deque>
#include <string>
#include <vector>

namespace warpkit::test {

class dram_checker {
public:
    /// `per_cycle`: 1 for a single bus, 2 where one row and one column command may share a cycle.
    dram_checker(dram::timing const& t, unsigned per_cycle)
        : t_(t),
          per_cycle_(per_cycle),
          open_(t.banks, dram::no_row) {}

    void on(dram::command const& c) {
        using enum dram::command_kind;
        ++seen_;
        if (c.bank >= t_.banks) return report(c, "no such bank");
        while (!past_.empty() && past_.front().at + horizon() < c.at) past_.pop_front();
        unsigned same_cycle = 1;
        for (auto const& p : past_) {
            if (p.at > c.at) report(c, "time runs backwards");
            if (p.at == c.at) {
                ++same_cycle;
                if (is_column(p) == is_column(c)) report(c, "two commands of one kind in a cycle");
            }
        }
        if (same_cycle > per_cycle_) report(c, "command bus used twice");

        switch (c.kind) {
        case activate:
            if (open_[c.bank] != dram::no_row) report(c, "activate of an open bank");
            for (auto const& p : past_) {
                if (p.kind == activate) apart(c, p, t_.rrd, "tRRD");
                if (p.kind == activate && p.bank == c.bank) apart(c, p, t_.rc, "tRC");
                if (p.kind == precharge && p.bank == c.bank) apart(c, p, t_.rp, "tRP");
            }
            open_[c.bank] = c.row;
            break;
        case precharge:
            if (open_[c.bank] == dram::no_row || open_[c.bank] != c.row)
                report(c, "precharge of a row that is not open");
            for (auto const& p : past_) {
                if (p.kind == activate && p.bank == c.bank) apart(c, p, t_.ras, "tRAS");
                if (p.kind == read && p.bank == c.bank) apart(c, p, t_.rtp, "tRTP");
                if (p.kind == read && group(p) == group(c)) apart(c, p, t_.rtpl, "tRTPL");
                if (p.kind == write && p.bank == c.bank) apart(c, p, t_.wl + burst() + t_.wr, "tWTP");
            }
            open_[c.bank] = dram::no_row;
            break;
        case read:
        case write:
            if (open_[c.bank] == dram::no_row || open_[c.bank] != c.row)
                report(c, "column command to a row that is not open");
            for (auto const& p : past_) {
                if (p.kind == activate && p.bank == c.bank)
                    apart(c, p, c.kind == read ? t_.rcd : t_.rcdwr, c.kind == read ? "tRCD" : "tRCDWR");
                if (!is_column(p)) continue;
                apart(c, p, t_.ccd, "tCCD");
                if (group(p) == group(c)) apart(c, p, t_.ccdl, "tCCDL");
                if (p.kind == write && c.kind == read) apart(c, p, t_.wl + burst() + t_.cdlr, "tWTR");
                if (p.kind == read && c.kind == write) apart(c, p, t_.cl + burst() + 2 - t_.wl, "tRTW");
                auto const before = p.at + (p.kind == read ? t_.cl : t_.wl);
                auto const now = c.at + (c.kind == read ? t_.cl : t_.wl);
                if (now < before + burst() && before < now + burst()) report(c, "data bus used twice");
            }
            break;
        }
        past_.push_back(c);
    }

    /// What was broken, in words; empty when all is well.
    std::vector<std::string> const& violations() const { return violations_; }
    std::string first() const { return violations_.empty() ? "" : violations_.front(); }
    std::uint64_t seen() const { return seen_; }

private:
    static bool is_column(dram::command const& c) {
        return c.kind == dram::command_kind::read || c.kind == dram::command_kind::write;
    }
    unsigned burst() const { return t_.burst_length / t_.data_rate; }
    unsigned group(dram::command const& c) const {
        return t_.groups_by_low_bits ? c.bank % t_.bank_groups : c.bank / (t_.banks / t_.bank_groups);
    }
    cycle horizon() const {
        return 2 * cycle{t_.rc + t_.cl + t_.wl + t_.wr + t_.cdlr + t_.rrd + t_.rcd} + 64;
    }
    void apart(dram::command const& c, dram::command const& p, cycle least, char const* rule) {
        if (c.at < p.at + least) report(c, rule);
    }
    void report(dram::command const& c, std::string const& rule) {
        static char const* const names[] = {"ACT", "PRE", "RD", "WR"};
        violations_.push_back(rule + ": " + names[static_cast<int>(c.kind)] + " bank " +
                              std::to_string(c.bank) + " row " + std::to_string(c.row) + " at " +
                              std::to_string(c.at));
    }

    dram::timing t_;
    unsigned per_cycle_;
    std::vector<std::uint32_t> open_;
    std::deque<dram::command> past_;
    std::vector<std::string> violations_;
    std::uint64_t seen_ = 0;
};

} // namespace warpkit::test
